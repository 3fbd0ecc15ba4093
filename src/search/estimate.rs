//! What a node is worth before any of its moves is searched: the evaluation, what experience corrects in it, and what the
//! table knows beyond it.

use super::Search;
use crate::bound::{Bound, Ibv};
use crate::position::{PackedMove, Position};
use crate::score::Score;
use crate::tt::Entry;

/// What is expected of a node that is not in check.
#[derive(Clone, Copy, Debug)]
pub(super) struct Estimate {
    /// The evaluation as it is, for the table to keep.
    pub raw: Score,
    /// The evaluation corrected by experience, in centipawns for the side to move.
    pub eval: i32,
    /// The same, or what the table knows of the value where that says more.
    pub value: Score,
}

impl<const PLAY: bool> Search<'_, PLAY> {
    /// Evaluates a node that is not in check, from its entry in the table where there is one; `known` is what that entry
    /// says of the value.
    #[inline]
    pub(super) fn estimate(&mut self, position: &Position, ply: usize, entry: Option<&Entry>, known: Ibv) -> Estimate {
        let raw = match entry.and_then(|entry| entry.eval) {
            Some(kept) => kept,
            None => Score::heuristic(self.evaluate(position)),
        };
        let eval = self.correct(position, ply, raw.cp());
        self.stack_mut(ply).eval = Some(eval);
        let mut value = Score::heuristic(eval);
        // Not for a search without pruning: what the table happens to know depends on the order of the moves.
        if self.rules().pruning && known.is_some() && !known.score().is_decisive() {
            let says_more = match known.bound() {
                Bound::Exact => true,
                Bound::Lower => known.score() > value,
                Bound::Upper => known.score() < value,
            };
            if says_more {
                value = known.score();
            }
        }
        Estimate { raw, eval, value }
    }

    /// Keeps the evaluation of a node of which the table knows nothing yet.
    #[inline]
    pub(super) fn remember_evaluation(&self, key: u64, raw: Score, pv: bool) {
        let entry = Entry { value: Ibv::NONE, best: PackedMove::NONE, depth: 0, pv, eval: Some(raw), tb_entry: false };
        self.shared.tt.store(key, entry);
    }

    /// The raw evaluation of a position that is not in check, in centipawns for the side to move.
    #[inline]
    pub(super) fn evaluate(&mut self, position: &Position) -> i32 {
        let cp = self.td.evaluator.evaluate(position).clamp(-Score::MAX_EVAL, Score::MAX_EVAL);
        let cp = self.to_grain(cp);
        // As the table will give it back: zero has no place among evaluations.
        Score::heuristic(cp).cp()
    }

    /// The raw evaluation, corrected by experience, damped towards the 50-move draw, with the root's contempt.
    #[inline]
    pub(super) fn correct(&self, position: &Position, ply: usize, raw: i32) -> i32 {
        let contempt = self.shared.conventions.contempt_at(ply);
        let cp = if self.rules().pruning {
            let corrected = raw + self.td.correction.of(position, &self.cont_keys(ply));
            if self.td.evaluator.is_raw() { corrected } else { corrected * (220 - i32::from(position.clock())) / 220 }
        } else {
            // Experience depends on the order of the search.
            raw
        };
        self.to_grain(cp + contempt).clamp(-Score::MAX_EVAL, Score::MAX_EVAL)
    }

    /// The nearest multiple of the evaluation's grain, in centipawns.
    #[inline(always)]
    fn to_grain(&self, cp: i32) -> i32 {
        let grain = self.rules().grain;
        if grain <= 1 { cp } else { (cp + grain / 2).div_euclid(grain) * grain }
    }
}
