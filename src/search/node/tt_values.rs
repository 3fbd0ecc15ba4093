//! Values on their way into the transposition table and out of it.

use crate::bound::{Bound, Ibv};
use crate::params;
use crate::position::{Move, Position};
use crate::score::{Band, DrawRule};
use crate::search::rules::distance::Distance;
use crate::search::rules::{Narrowing, TableMode};
use crate::search::state::{Conventions, Node, Search, TtHit};
use crate::tt::Entry;
use crate::window::Window;

impl<const PLAY: bool> Search<'_, PLAY> {
    /// The entry for a key.
    #[inline]
    pub(in crate::search) fn probe(&self, key: u64) -> Option<Entry> {
        if self.rules().table == TableMode::Off { None } else { self.shared.tt.probe(key) }
    }

    /// Probes the TT for `position` at `ply`.
    #[inline(always)]
    pub(in crate::search) fn probe_tt(&self, key: u64, position: &Position, ply: usize) -> TtHit {
        let Some(entry) = self.probe(key) else { return TtHit::NONE };
        let value = entry.value.and_then(|value| self.from_tt(value, position, ply));
        TtHit { found: true, value, depth: entry.depth, best: entry.best, pv: entry.pv, eval: entry.eval }
    }

    /// The node's result if the TT settles it. In a PV node, proofs narrow the window instead.
    ///
    /// An opinion must be deep enough, and close to the 50-move draw the path matters more than another path's
    /// result. A proof holds at any depth, in its own direction.
    #[inline(always)]
    pub(in crate::search) fn tt_cutoff<const PV: bool>(
        &mut self,
        window: &mut Window,
        tt: &TtHit,
        position: &Position,
        depth: i32,
    ) -> Option<Ibv> {
        let value = tt.value?;
        let rules = self.rules();
        let deep = if rules.same_depth { tt.depth == depth } else { tt.depth >= depth }
            && i32::from(position.clock()) < params::tt_max_clock();
        let proof = if rules.same_depth { None } else { value.proof() };
        if PV {
            let narrowing = match rules.narrowing {
                Narrowing::Off => None,
                Narrowing::All if deep && value.bound() != Bound::Exact => Some(value),
                Narrowing::Proofs | Narrowing::All => proof,
            };
            if narrowing.is_some() {
                self.watch_narrowing();
            }
            return window.know(narrowing);
        }
        if deep && value.settles(window.alpha, window.beta) {
            self.watch_tt_cutoff(value, value.fails_low(window.alpha), false);
            return Some(value);
        }
        if let Some(proof) = proof.filter(|proof| proof.settles(window.alpha, window.beta)) {
            self.watch_tt_cutoff(proof, proof.fails_low(window.alpha), true);
            return Some(proof);
        }
        None
    }

    /// Stores a node's result.
    #[inline]
    pub(in crate::search) fn store(&self, node: &Node<'_>, value: Ibv, best: Option<Move>, depth: i32) {
        let value = self.to_tt(value, node.ply);
        let best = best.map(Move::packed);
        self.shared.tt.store(
            node.key,
            Entry { value: Some(value), best, depth, pv: node.was_pv, eval: node.raw, tb_entry: false },
        );
    }

    /// A node's result as the TT stores it.
    #[inline]
    pub(in crate::search) fn to_tt(&self, value: Ibv, ply: usize) -> Ibv {
        self.rules().distance.to_tt(value, ply, self.shared.conventions.draws)
    }

    /// A TT value as it holds at this node; `None` where the 50-move clock could spoil its claim.
    #[inline(always)]
    #[expect(clippy::wrong_self_convention, reason = "the TT is where the value comes from, the search what reads it")]
    pub(in crate::search) fn from_tt(&self, stored: Ibv, position: &Position, ply: usize) -> Option<Ibv> {
        let decoder = Decoder {
            distance: self.rules().distance,
            draws: self.shared.conventions.draws,
            no_recognized_wins: self.no_recognized_wins,
        };
        decoder.decode(stored, position, ply).filter(|&known| self.rules().table.admits(known))
    }
}

/// A TT value of a position at this ply, as a search would read it, from the view of the side to move at the root;
/// `None` where it does not hold.
pub fn value_for_root(stored: Ibv, position: &Position, ply: usize, conventions: Conventions) -> Option<Ibv> {
    let decoder = Decoder { distance: Distance::RootPly, draws: conventions.draws, no_recognized_wins: false };
    let known = decoder.decode(stored, position, ply)?;
    Some(conventions.without_contempt(if ply.is_multiple_of(2) { known } else { -known }))
}

/// Decodes stored values.
#[derive(Clone, Copy)]
struct Decoder {
    /// The model of distances that they were stored under.
    distance: Distance,
    /// The scores of draws.
    draws: DrawRule,
    /// Whether the 50-move rule would end claims of recognizers within the search.
    no_recognized_wins: bool,
}

impl Decoder {
    /// The part of a stored value that holds at this position's clock, at `ply`.
    #[inline(always)]
    fn decode(self, stored: Ibv, position: &Position, ply: usize) -> Option<Ibv> {
        let known = self.distance.from_tt(stored, ply, self.draws)?;
        // A win needs its mate at clock 100 at the latest. A tablebase win is about a position just after a zeroing
        // move: either this is that position, or that move must come in time. If the clock is too high, "at least a
        // win" proves nothing here, but "at most" still holds, because the clock can only spoil a win. For losses the
        // reverse holds.
        let score = stored.score();
        if !score.is_decisive() {
            return Some(known);
        }
        let clock = usize::from(position.clock());
        let needed = self.distance.plies_needed(score);
        let in_time = match score.band() {
            Band::Tablebase if needed == 0 => clock == 0,
            Band::Recognizer if self.no_recognized_wins && needed > 0 => false,
            _ => clock + needed <= 100,
        };
        match (score.is_win(), known.bound()) {
            _ if in_time => Some(known),
            (true, Bound::Lower) | (false, Bound::Upper) => None,
            (true, _) => Some(known.force_upper()),
            (false, _) => Some(known.force_lower()),
        }
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::CastlingMode;

    use super::*;
    use crate::score::Score;

    /// The rules of `docs/truth.md` for the 50-move rule, at the edge of each: a value that is stored at one clock
    /// and read at another, at ply 2.
    #[test]
    fn stored_claims_hold_where_the_clock_leaves_time_for_them() {
        let [win, mate, mated] = [Score::tablebase_win, Score::mate_in, Score::mated_in];
        let recognized = Score::recognized_win(0);
        for (stored, clock, holds) in [
            // A win just after a capture or a pawn move is about that position alone; another win needs the next such
            // move in time.
            (Ibv::lower(win(0)), 0, Some(Ibv::lower(win(2)))),
            (Ibv::lower(win(0)), 1, None),
            (Ibv::lower(win(3)), 97, Some(Ibv::lower(win(5)))),
            (Ibv::lower(win(3)), 98, None),
            (Ibv::upper(-win(0)), 1, None),
            (Ibv::upper(-win(3)), 97, Some(Ibv::upper(-win(5)))),
            // A mate is given on the hundredth ply at the latest.
            (Ibv::lower(mate(5)), 95, Some(Ibv::lower(mate(7)))),
            (Ibv::lower(mate(5)), 96, None),
            (Ibv::upper(mated(4)), 96, Some(Ibv::upper(mated(6)))),
            (Ibv::upper(mated(4)), 97, None),
            // If it comes too late, a win is at most that, a loss at least.
            (Ibv::exact(mate(5)), 95, Some(Ibv::exact(mate(7)))),
            (Ibv::exact(mate(5)), 96, Some(Ibv::upper(mate(7)))),
            (Ibv::upper(mate(5)), 96, Some(Ibv::upper(mate(7)))),
            (Ibv::exact(mated(4)), 97, Some(Ibv::lower(mated(6)))),
            (Ibv::lower(mated(4)), 97, Some(Ibv::lower(mated(6)))),
            // A recognized win has seventy plies.
            (Ibv::lower(recognized), 30, Some(Ibv::lower(recognized))),
            (Ibv::lower(recognized), 31, None),
            (Ibv::exact(-recognized), 31, Some(Ibv::lower(-recognized))),
            // Opinions and draws have no deadline.
            (Ibv::exact(Score::heuristic(40)), 99, Some(Ibv::exact(Score::heuristic(40)))),
            (Ibv::exact(Score::ZERO), 99, Some(Ibv::exact(Score::ZERO))),
        ] {
            let fen = format!("8/8/8/3k4/8/8/8/KBN5 w - - {clock} 90");
            let position = Position::from_fen(&fen, CastlingMode::Standard).expect("a position");
            let found = value_for_root(stored, &position, 2, Conventions::default());
            assert_eq!(found, holds, "{stored:?} at clock {clock}");
            // For the other side to move, the same from the other view.
            let other = value_for_root(stored, &position, 3, Conventions::default());
            assert_eq!(other.is_some(), holds.is_some(), "{stored:?} at clock {clock}");
            assert_eq!(other.map(Ibv::bound), holds.map(|holds| (-holds).bound()), "{stored:?} at clock {clock}");
        }
    }

    /// Where the root's clock would end the claims of recognizers within the search, it takes none from the table.
    #[test]
    fn a_search_without_recognized_wins_takes_none_from_the_table() {
        let position = Position::startpos();
        let decoder = |no_recognized_wins| Decoder {
            distance: Distance::RootPly,
            draws: DrawRule::default(),
            no_recognized_wins,
        };
        let win = Ibv::lower(Score::recognized_win(0));
        assert_eq!(decoder(false).decode(win, &position, 2), Some(win));
        assert_eq!(decoder(true).decode(win, &position, 2), None);
        assert_eq!(
            decoder(true).decode(Ibv::lower(Score::mate_in(3)), &position, 2),
            Some(Ibv::lower(Score::mate_in(5)))
        );
    }
}
