//! Game history and the 50-move clock in the TT's keys.
//!
//! A position's value depends on more than the position. Two things from the past matter:
//!
//! - **Traps**: positions of the game that have occurred twice, so that their next occurrence is a draw. A proof that
//!   was found without them may lead through one. Their set is folded into the key of every node from which they can
//!   be reached, with no irreversible move between the root and the node. After a capture all games share the table,
//!   and a game without traps folds in nothing.
//! - **The clock** of the 50-move rule: a value found close to clock 100 includes draws that the position itself does
//!   not have. From 24 on, each step of 8 has its own keys; inside a step, proofs are checked against the clock when
//!   they are used.
//!
//! A first repetition inside the tree counts as a draw and is not in the key: it makes proofs rarer, never false. A
//! side that comes nearer to mate with every move meets no position twice. `docs/truth.md` has the details.
//!
//! Source of the problem: Campbell, "The graph-history interaction" (1985); Kishimoto and Müller, "A General Solution
//! to the Graph History Interaction Problem" (2004).

use crate::params;
use crate::position::{Game, Position};
use crate::random::split_mix;
use crate::search::state::Conventions;

/// The game history in the keys of one search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Past {
    /// Its conventions; 0 for neutral ones.
    conventions: u64,
    /// Its traps; 0 without traps.
    traps: u64,
}

impl Past {
    /// The past of a search from the last position of `game`.
    pub fn new(conventions: Conventions, game: &Game) -> Past {
        let traps = game.traps().fold(0, |word, trap| {
            let mut state = trap.key();
            word ^ split_mix(&mut state)
        });
        Past { conventions: conventions.salt(game.position().turn()), traps }
    }

    /// Whether the game has traps.
    pub fn has_traps(self) -> bool {
        self.traps != 0
    }

    /// Whether a trap can still come up from a node at `ply`.
    #[inline]
    pub fn reaches_traps(self, position: &Position, ply: usize) -> bool {
        self.traps_at(position, ply) != 0
    }

    /// The traps' part of the key of a node at `ply`, and of those of its children that a reversible move leads
    /// to: 0 if no trap can still come up.
    #[inline]
    fn traps_at(self, position: &Position, ply: usize) -> u64 {
        if usize::from(position.reversible()) >= ply { self.traps } else { 0 }
    }

    /// The key of a node at `ply`, the plies from the root. The root itself is at ply 0.
    #[inline]
    pub fn key(self, position: &Position, ply: usize) -> u64 {
        position.key() ^ self.conventions ^ clock_word(position.clock()) ^ self.traps_at(position, ply)
    }
}

/// The clock's part of a key.
#[inline]
fn clock_word(clock: u16) -> u64 {
    if clock < params::CLOCK_KEY_FIRST {
        0
    } else {
        (u64::from((clock - params::CLOCK_KEY_FIRST) / params::CLOCK_KEY_STEP) + 1).wrapping_mul(0xD6E8_FEB8_6659_FD93)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_distinguish_clocks_where_it_matters() {
        assert_eq!((clock_word(0), clock_word(params::CLOCK_KEY_FIRST - 1)), (0, 0));
        assert_ne!(clock_word(params::CLOCK_KEY_FIRST), 0);
        let different: std::collections::HashSet<u64> = (0..=100).map(clock_word).collect();
        assert_eq!(different.len(), 1 + usize::from((100 - params::CLOCK_KEY_FIRST) / params::CLOCK_KEY_STEP + 1));
    }

    fn after(moves: &str) -> Game {
        let mut game = Game::startpos();
        for text in moves.split_whitespace() {
            let m = game.position().parse_move(text).expect("legal");
            game.play(m);
        }
        game
    }

    const TO_AND_FRO: &str = "g1f3 g8f6 f3g1 f6g8 ";

    #[test]
    fn games_with_other_traps_share_entries_after_progress() {
        let past = |moves: &str| Past::new(Conventions::default(), &after(moves));
        // The root itself, having occurred twice, is one: a winning line may not come back to it.
        assert!(past(TO_AND_FRO).has_traps());
        let (fresh, haunted) = (past(""), past(&format!("{TO_AND_FRO}g1f3")));
        assert!(!fresh.has_traps() && haunted.has_traps());
        // Before any progress the two do not share entries; after it they do.
        for (moves, shares) in [("", false), (" g8f6", false), (" e7e5", true), (" g8f6 e2e4 f6g8", true)] {
            let plies = moves.split_whitespace().count();
            let (clean, loaded) = (after(&format!("g1f3{moves}")), after(&format!("{TO_AND_FRO}g1f3{moves}")));
            let same = fresh.key(clean.position(), plies) == haunted.key(loaded.position(), plies);
            assert_eq!(same, shares, "{moves}");
        }
        assert!(!past(&format!("{TO_AND_FRO}g1f3 e7e5")).has_traps(), "a pawn move makes the past harmless");
        assert_ne!(haunted, past(&format!("{TO_AND_FRO}g1f3 g8f6")), "another set of traps");
    }
}
