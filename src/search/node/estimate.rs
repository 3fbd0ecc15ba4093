//! The static evaluation of a node: the evaluator's, correction history, and the TT value if that says more.

use shakmaty::Bitboard;

use crate::bound::Ibv;
use crate::params;
use crate::position::Position;
use crate::position::attacks::Attacks;
use crate::score::Score;
use crate::search::state::{Node, Search, StackEntry, ThreadData, TtHit};
use crate::tt::Entry;

/// The static evaluation of a node that is not in check.
#[derive(Clone, Copy, Debug)]
pub(in crate::search) struct StaticEval {
    /// As the evaluator returns it and the TT stores it.
    pub raw: Score,
    /// Corrected, in centipawns for the side to move.
    pub eval: i32,
}

impl<const PLAY: bool> Search<'_, PLAY> {
    /// Fills in the node's evaluations and whether it is improving. Keeps a new evaluation in the TT.
    ///
    /// A singular search already has the evaluation of the same node. In check there is none.
    #[inline(always)]
    pub(in crate::search) fn static_eval(&mut self, node: &mut Node<'_>) {
        if node.in_check {
            self.stack_mut(node.ply).eval = None;
            return;
        }
        if node.excluded.is_none() {
            let StaticEval { raw, eval } = self.evaluation(node.position, node.ply, &node.tt);
            (node.raw, node.eval, node.estimate) = (Some(raw), eval, self.estimate(eval, node.tt.value));
            if !node.tt.found {
                self.store_eval(node.key, raw, node.was_pv);
            }
        } else {
            node.eval = self.stack(node.ply).eval.unwrap_or(0);
            node.estimate = node.eval;
        }
        node.improving = self.is_improving(node.ply, node.eval);
    }

    /// Evaluates a node that is not in check, from its TT entry if there is one.
    #[inline(always)]
    pub(in crate::search) fn evaluation(&mut self, position: &Position, ply: usize, tt: &TtHit) -> StaticEval {
        let raw = match tt.eval {
            Some(kept) => kept,
            None => Score::heuristic(self.evaluate(position, ply)),
        };
        let eval = self.correct(position, ply, raw.cp());
        self.stack_mut(ply).eval = Some(eval);
        StaticEval { raw, eval }
    }

    /// The estimate that pruning uses, in centipawns: the evaluation, or the TT's value if that says more.
    #[inline(always)]
    fn estimate(&self, eval: i32, known: Option<Ibv>) -> i32 {
        let estimate = Score::heuristic(eval);
        // A search without pruning must not depend on what the TT happens to hold.
        if !self.rules().pruning {
            return estimate.cp();
        }
        match known {
            Some(known) if !known.score().is_decisive() && known.corrects(estimate.cp()) => known.score().cp(),
            _ => estimate.cp(),
        }
    }

    /// Whether an evaluation is better than the one two plies ago, or four if that node was in check.
    #[inline]
    pub(in crate::search) fn is_improving(&self, ply: usize, eval: i32) -> bool {
        let before = self.stack_before(ply, 2).eval.or(self.stack_before(ply, 4).eval);
        before.is_some_and(|before| eval > before)
    }

    /// Stores the evaluation of a node without a TT entry.
    #[inline]
    pub(in crate::search) fn store_eval(&self, key: u64, raw: Score, pv: bool) {
        let entry = Entry { value: None, best: None, depth: 0, pv, eval: Some(raw), tb_entry: false };
        self.shared.tt.store(key, entry);
    }

    /// The raw evaluation of a position that is not in check, in centipawns for the side to move. The stack keeps the
    /// attacks that it found.
    #[inline]
    pub(in crate::search) fn evaluate(&mut self, position: &Position, ply: usize) -> i32 {
        let ThreadData { stack, evaluator, .. } = &mut *self.td;
        let found = &mut stack[StackEntry::index(ply)].attack_maps;
        let cp = evaluator.evaluate_into(position, found).clamp(-Score::MAX_EVAL, Score::MAX_EVAL);
        let cp = self.to_grain(cp);
        // As the TT will return it: the heuristic band has no zero.
        Score::heuristic(cp).cp()
    }

    /// The attacks of the side not to move in the node at `ply`, and the squares that the side to move attacks: all
    /// squares, if the node has not been evaluated here.
    #[inline(always)]
    pub(in crate::search) fn attacks(&self, position: &Position, ply: usize) -> (Attacks, Bitboard) {
        let us = position.turn();
        match &self.stack(ply).attack_maps {
            Some(maps) => (*maps.of(!us), maps.of(us).all),
            None => (Attacks::by(position.board(), !us), Bitboard::FULL),
        }
    }

    /// The raw evaluation with correction history, damped towards the 50-move draw, and with contempt.
    #[inline]
    pub(in crate::search) fn correct(&self, position: &Position, ply: usize, raw: i32) -> i32 {
        let contempt = self.shared.conventions.contempt_at(ply);
        let cp = if self.rules().pruning {
            let corrected = raw + self.td.correction.of(position, &self.cont_keys(ply));
            if self.td.evaluator.is_raw() {
                corrected
            } else {
                corrected * (params::eval_clock_damping() - i32::from(position.clock())) / params::eval_clock_damping()
            }
        } else {
            // What has been learned depends on the order of the search.
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
