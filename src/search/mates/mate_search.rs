//! The mate search of one root and one side: its goals, and what is refuted.

use super::dfpn::ProofTable;
use crate::params;
use crate::position::Game;

/// Which side is to mate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::search) enum Aim {
    /// The side to move at the root.
    Mate,
    /// The other side.
    BeMated,
}

impl Aim {
    /// The plies to a mate in `moves` moves: an odd number if the root's side mates, an even one if it is mated.
    pub(in crate::search) fn plies(self, moves: usize) -> usize {
        2 * moves - usize::from(self == Aim::Mate)
    }
}

/// The mate search of one root, kept from one run to the next.
pub(in crate::search) struct MateSearch {
    pub(in crate::search) aim: Aim,
    pub(in crate::search) proofs: ProofTable,
    /// Whether a mate within `n` moves is refuted, by `n`.
    pub(in crate::search) refuted: [bool; params::MATE_SEARCH_MOST_MOVES + 1],
    /// The nodes of a goal in this round.
    pub(in crate::search) budget: u64,
    /// The next goal, in moves.
    next: usize,
    /// Nodes spent.
    pub spent: u64,
}

impl MateSearch {
    /// A mate search of the last position of `game`.
    pub(in crate::search) fn new(game: &Game, aim: Aim) -> MateSearch {
        MateSearch {
            aim,
            proofs: ProofTable::new(game),
            refuted: [false; params::MATE_SEARCH_MOST_MOVES + 1],
            budget: params::MATE_SEARCH_FIRST_BUDGET,
            next: 1,
            spent: 0,
        }
    }

    /// Whether every mate within `most` moves is refuted.
    pub(in crate::search) fn is_refuted_to(&self, most: usize) -> bool {
        self.refuted[1..=most].iter().all(|&refuted| refuted)
    }

    /// The next goal that is not refuted, in moves; `None` at the end of a round. The next round has twice the
    /// budget.
    pub(in crate::search) fn take_goal(&mut self, most: usize) -> Option<usize> {
        while self.next <= most {
            let moves = self.next;
            self.next += 1;
            if !self.refuted[moves] {
                return Some(moves);
            }
        }
        self.next = 1;
        self.budget *= 2;
        None
    }
}
