//! Depth-first proof-number search (df-pn): is there a mate within a limit of plies?
//!
//! It has no evaluation: it follows the move for which the fewest positions must still be settled, at first the one
//! that leaves the defender the fewest replies. Because it looks at every move, its refutation within the limit is as
//! much a proof as its mate.
//!
//! Source: Nagai's df-pn (2002), with the limit of plies as part of the goal.

use crate::params;
use crate::position::{Game, Move, Position};

/// Slots of the table of proof numbers.
const SLOTS: usize = 1 << 18;
/// Stands for a proof number when there is no proof, and for a disproof number when there is one.
const NEVER: u32 = 1 << 28;
/// 2^64 divided by the golden ratio: multiples of it differ in all bits.
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// Proof and disproof number: the least number of positions that must still be settled to prove a mate, or to refute
/// it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct ProofNumbers {
    prove: u32,
    refute: u32,
}

const PROVED: ProofNumbers = ProofNumbers { prove: 0, refute: NEVER };
const REFUTED: ProofNumbers = ProofNumbers { prove: NEVER, refute: 0 };

/// The result for a goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::search) enum Answer {
    /// There is a mate. If the side to move at the root mates, this is its first move.
    Mate(Option<Move>),
    /// There is none within the limit.
    Refuted,
    /// The budget ran out first.
    Open,
}

#[derive(Clone, Copy, Default)]
struct ProofSlot {
    key: u64,
    numbers: ProofNumbers,
}

/// The proof and disproof numbers of one root, kept from one goal to the next.
pub(in crate::search) struct ProofTable {
    slots: Box<[ProofSlot]>,
    /// The traps of the game, whose next occurrence is a draw.
    drawn: Vec<u64>,
}

/// A move and the proof numbers of the position after it.
struct Child {
    m: Move,
    numbers: ProofNumbers,
}

/// The goal of one run: mate within a limit of plies.
struct Goal<'a> {
    table: &'a mut ProofTable,
    /// The limit.
    limit: usize,
    /// Counts a node; returns whether the run must end.
    count: &'a mut dyn FnMut() -> bool,
    /// Called for every proved position, with the plies to the mate and, on the winner's turn, the move.
    on_proof: &'a mut dyn FnMut(&Position, usize, Option<Move>),
    over: bool,
}

impl ProofTable {
    /// An empty table for the last position of `game`.
    pub fn new(game: &Game) -> ProofTable {
        ProofTable {
            slots: vec![ProofSlot::default(); SLOTS].into_boxed_slice(),
            drawn: game.traps().map(Position::key).collect(),
        }
    }

    /// Looks for a mate in `limit` plies: an odd number if the side to move at the root mates, an even one if it is
    /// mated. `count` is called for every node and says whether the run must end, `on_proof` for every proved
    /// position, with the plies to the mate and, on the winner's turn, the move.
    pub fn ask(
        &mut self,
        root: &Position,
        limit: usize,
        count: &mut dyn FnMut() -> bool,
        on_proof: &mut dyn FnMut(&Position, usize, Option<Move>),
    ) -> Answer {
        let mut first = None;
        let mut note = |position: &Position, plies: usize, m: Option<Move>| {
            if position.key() == root.key() && plies == limit {
                first = m;
            }
            on_proof(position, plies, m);
        };
        let mut goal = Goal { table: self, limit, count, on_proof: &mut note, over: false };
        match goal.settle(root, limit, NEVER, NEVER) {
            PROVED => Answer::Mate(first),
            REFUTED => Answer::Refuted,
            _ => Answer::Open,
        }
    }

    fn slot(&mut self, position: &Position, plies: usize) -> (&mut ProofSlot, u64) {
        // Each limit is a separate goal.
        let key = position.key() ^ (plies as u64).wrapping_mul(GOLDEN);
        (&mut self.slots[(key >> 32) as usize % SLOTS], key)
    }

    fn recall(&mut self, position: &Position, plies: usize) -> Option<ProofNumbers> {
        let (slot, key) = self.slot(position, plies);
        (slot.key == key).then_some(slot.numbers)
    }

    fn remember(&mut self, position: &Position, plies: usize, numbers: ProofNumbers) {
        let (slot, key) = self.slot(position, plies);
        *slot = ProofSlot { key, numbers };
    }
}

impl Goal<'_> {
    /// Expands a position, with this many plies left, until one of its numbers reaches its threshold. The number of
    /// plies is odd where the winner is to move.
    fn settle(&mut self, position: &Position, plies: usize, prove: u32, refute: u32) -> ProofNumbers {
        self.over |= (self.count)();
        if self.over {
            return ProofNumbers { prove: 1, refute: 1 };
        }
        // The root may be among these: its next occurrence is a draw, but now it stands on the board.
        if plies < self.limit && self.table.drawn.contains(&position.key()) {
            return REFUTED;
        }
        let attacks = plies % 2 == 1;
        if plies == 1 {
            return self.mate_at_once(position);
        }
        let mut children = if attacks { self.attacks(position, plies) } else { self.defences(position, plies) };
        if children.is_empty() {
            return if !attacks && position.in_check() { PROVED } else { REFUTED };
        }
        loop {
            let numbers = sum(&children, attacks);
            if numbers.prove >= prove || numbers.refute >= refute || self.over {
                // The numbers of an aborted run do no harm in the table.
                self.table.remember(position, plies, numbers);
                if numbers == PROVED {
                    let winner = children.iter().find(|child| attacks && child.numbers == PROVED);
                    (self.on_proof)(position, plies, winner.map(|child| child.m));
                }
                return numbers;
            }
            let (best, second) = two_best(&children, attacks);
            let own = children[best].numbers;
            // A margin above the second best keeps two equal children from taking turns all the time (the 1 + epsilon
            // trick of Pawlewicz and Lew).
            let (prove, refute) = if attacks {
                (prove.min(second + second / 4 + 1), refute - (numbers.refute - own.refute).min(refute - 1))
            } else {
                (prove - (numbers.prove - own.prove).min(prove - 1), refute.min(second + second / 4 + 1))
            };
            let after = position.after(children[best].m);
            children[best].numbers =
                self.settle(&after, plies - 1, prove.max(own.prove + 1), refute.max(own.refute + 1));
        }
    }

    /// Whether some move mates at once.
    fn mate_at_once(&mut self, position: &Position) -> ProofNumbers {
        for m in position.legal_moves() {
            if !position.gives_check(m) {
                continue;
            }
            self.over |= (self.count)();
            if !position.after(m).has_legal_move() {
                (self.on_proof)(position, 1, Some(m));
                return PROVED;
            }
        }
        REFUTED
    }

    /// The winner's moves.
    fn attacks(&mut self, position: &Position, plies: usize) -> Vec<Child> {
        let moves = position.legal_moves();
        let mut children = Vec::with_capacity(moves.len());
        for m in moves {
            let after = position.after(m);
            let numbers = match self.table.recall(&after, plies - 1) {
                Some(numbers) => numbers,
                None if after.in_check() => {
                    self.over |= (self.count)();
                    match after.legal_moves().len() as u32 {
                        0 => PROVED,
                        replies => ProofNumbers { prove: replies, refute: 1 },
                    }
                }
                None => ProofNumbers { prove: params::QUIET_PROOF_NUMBER, refute: 1 },
            };
            children.push(Child { m, numbers });
            if numbers == PROVED {
                break;
            }
        }
        children
    }

    /// The defender's moves.
    fn defences(&mut self, position: &Position, plies: usize) -> Vec<Child> {
        let unknown = ProofNumbers { prove: 1, refute: 1 };
        let moves = position.legal_moves();
        let mut children = Vec::with_capacity(moves.len());
        for m in moves {
            let numbers = self.table.recall(&position.after(m), plies - 1).unwrap_or(unknown);
            children.push(Child { m, numbers });
        }
        children
    }
}

/// A position's numbers from those of its children: one child proves for the winner, all must for the defender.
fn sum(children: &[Child], attacks: bool) -> ProofNumbers {
    let least = |number: fn(&Child) -> u32| children.iter().map(number).min().unwrap_or(NEVER);
    let total = |number: fn(&Child) -> u32| children.iter().map(number).fold(0, |sum, n| (sum + n).min(NEVER));
    let (prove, refute) = if attacks {
        (least(|child| child.numbers.prove), total(|child| child.numbers.refute))
    } else {
        (total(|child| child.numbers.prove), least(|child| child.numbers.refute))
    };
    match (prove, refute) {
        (0, _) => PROVED,
        (_, 0) => REFUTED,
        _ => ProofNumbers { prove, refute },
    }
}

/// The most promising child, and the number of the next one.
fn two_best(children: &[Child], attacks: bool) -> (usize, u32) {
    let number = |child: &Child| if attacks { child.numbers.prove } else { child.numbers.refute };
    let (mut best, mut least, mut second) = (0, u32::MAX, NEVER);
    for (i, child) in children.iter().enumerate() {
        let n = number(child);
        if n < least {
            (best, second, least) = (i, least.min(NEVER), n);
        } else if n < second {
            second = n;
        }
    }
    (best, second)
}

#[cfg(test)]
mod tests {
    use shakmaty::CastlingMode;

    use super::*;

    /// Looks for a mate within `plies` plies, without a node limit.
    fn answer(game: &Game, plies: usize) -> Answer {
        ProofTable::new(game).ask(game.position(), plies, &mut || false, &mut |_, _, _| ())
    }

    fn game(fen: &str) -> Game {
        Game::new(Position::from_fen(fen, CastlingMode::Standard).expect("a position"))
    }

    #[test]
    fn mates_for_and_against_the_side_to_move_are_exact() {
        // Black must go to h7, and is mated by Qg7.
        let lost = game("7k/8/5K2/6Q1/8/8/8/8 b - - 0 1");
        assert_eq!(answer(&lost, 2), Answer::Mate(None));
        assert_eq!(answer(&lost, 3), Answer::Refuted);
        // A move earlier.
        let won = game("7k/8/5K2/Q7/8/8/8/8 w - - 0 1");
        assert_eq!(answer(&won, 1), Answer::Refuted);
        assert!(matches!(answer(&won, 3), Answer::Mate(Some(_))));
        assert_eq!(answer(&won, 4), Answer::Refuted);
    }

    /// A root that has occurred before may not occur again, but it may be won at once.
    #[test]
    fn a_root_that_has_occurred_before_has_its_mate() {
        let mut game = game("7k/8/5K2/Q7/8/8/8/8 w - - 0 1");
        let play = |game: &mut Game, moves: &[&str]| {
            for text in moves {
                let m = game.position().parse_move(text).expect("legal");
                game.play(m);
            }
        };
        play(&mut game, &["a5a4", "h8g8", "a4a5", "g8h8"]);
        assert_eq!(game.occurrences(), 1);
        assert!(matches!(answer(&game, 3), Answer::Mate(Some(_))));
        assert_eq!(answer(&game, 1), Answer::Refuted);
        play(&mut game, &["a5g5", "h8h7", "g5f5", "h7h8", "f5g5"]);
        assert_eq!(game.occurrences(), 1);
        assert_eq!(answer(&game, 2), Answer::Mate(None));
    }
}
