//! One step down the tree and back: how a node begins, makes a move, and searches a child in the child's window.

use std::ops::ControlFlow;

use crate::bound::Ibv;
use crate::position::{Move, Position};
use crate::score::{MAX_PLY, Score};
use crate::search::ordering::history::PieceTo;
use crate::search::state::{NodeResult, Search};

impl<'a, const PLAY: bool> Search<'a, PLAY> {
    /// Makes `m` in `child`, a copy of the position at `ply`, and updates stack, accumulator and path.
    /// [`Search::take_back`] undoes that.
    #[inline]
    pub(in crate::search) fn make(&mut self, child: &mut Position, m: Move, ply: usize) {
        let entry = self.stack_mut(ply);
        entry.piece_to = Some(PieceTo::new(child.turn(), m));
        entry.is_null_move = false;
        entry.quiet_slots = None;
        self.td.evaluator.push(child, m);
        self.path.push(child.key());
        // Memory is slower than making the move.
        let (tt, past) = (self.shared.tt, self.past);
        child.play_and(m, |child| tt.prefetch(past.key(child, ply + 1)));
        self.td.correction.prefetch(child, &self.cont_keys(ply + 1));
    }

    /// Passes, as [`Search::make`] makes a move.
    #[inline]
    pub(in crate::search) fn make_null(&mut self, position: &Position, ply: usize) -> Position {
        let entry = self.stack_mut(ply);
        entry.piece_to = None;
        entry.is_null_move = true;
        entry.quiet_slots = None;
        self.td.evaluator.push_null();
        self.path.push(position.key());
        let mut child = *position;
        child.play_null();
        self.shared.tt.prefetch(self.past.key(&child, ply + 1));
        child
    }

    /// Undoes the last move or pass.
    #[inline]
    pub(in crate::search) fn take_back(&mut self) {
        self.td.evaluator.pop();
        self.path.pop();
    }

    /// Returns from the node where a search was aborted: nodes without a result do not take back their moves.
    pub(in crate::search) fn return_to_root(&mut self) {
        self.path.return_to(self.game.keys());
        self.td.evaluator.reset(self.game.position());
        self.td.stack.iter_mut().for_each(|entry| entry.reduction = 0);
    }

    /// The beginning of every node below the root. Returns whether the side to move is in check; breaks with the node's
    /// result if a limit, a draw by rule or the greatest ply ends it.
    #[inline(always)]
    pub(in crate::search) fn begin(&mut self, position: &Position, ply: usize) -> ControlFlow<NodeResult, bool> {
        if self.enter_node().is_none() {
            return ControlFlow::Break(None);
        }
        self.td.pv.clear(ply);
        if self.stack(ply).excluded.is_none() {
            self.stack_mut(ply).attack_maps = None;
        }
        self.counters.seldepth = self.counters.seldepth.max(ply);
        if self.is_drawn(position, ply) {
            return ControlFlow::Break(Some(self.draw(ply)));
        }
        let in_check = position.in_check();
        if ply >= MAX_PLY {
            let cp = if in_check { 0 } else { self.evaluate(position, ply) };
            return ControlFlow::Break(Some(Ibv::exact(Score::heuristic(cp))));
        }
        ControlFlow::Continue(in_check)
    }

    /// Searches a child of the node at `ply` within the node's window. Returns the result from the node's view.
    #[inline]
    pub(in crate::search) fn search_child<const PV: bool>(
        &mut self,
        child: &Position,
        alpha: Score,
        beta: Score,
        depth: i32,
        ply: usize,
        cut_node: bool,
    ) -> NodeResult {
        let evaluation = self.child_evaluation(child, ply + 1);
        let (alpha, beta) = self.child_window(alpha, beta, evaluation);
        // Not by way of `search_node`, whose many variables would take stack space first.
        let value = if depth <= 0 {
            self.quiesce::<PV>(child, alpha, beta, ply + 1)?
        } else {
            self.search_node::<PV>(child, alpha, beta, depth, ply + 1, cut_node)?
        };
        Some(self.leave(value, evaluation))
    }

    /// Tests with a null window whether a child is worth more than `alpha` to this node.
    #[inline]
    pub(in crate::search) fn search_null_window(
        &mut self,
        child: &Position,
        alpha: Score,
        depth: i32,
        ply: usize,
        cut_node: bool,
    ) -> NodeResult {
        self.search_child::<false>(child, alpha, alpha.above(), depth, ply, cut_node)
    }

    /// As [`Search::search_child`], by quiescence search alone.
    #[inline]
    pub(in crate::search) fn quiesce_child<const PV: bool>(
        &mut self,
        child: &Position,
        alpha: Score,
        beta: Score,
        ply: usize,
    ) -> NodeResult {
        let evaluation = self.child_evaluation(child, ply + 1);
        let (alpha, beta) = self.child_window(alpha, beta, evaluation);
        let value = self.quiesce::<PV>(child, alpha, beta, ply + 1)?;
        Some(self.leave(value, evaluation))
    }

    /// The evaluation of a child at `ply`, where the distance model needs it; zero in check.
    #[inline]
    pub(in crate::search) fn child_evaluation(&mut self, child: &Position, ply: usize) -> Score {
        if !self.rules().distance.wants_evaluation() || child.in_check() {
            Score::ZERO
        } else {
            Score::heuristic(self.evaluate(child, ply))
        }
    }

    /// The window of a child, from its view.
    #[inline]
    pub(in crate::search) fn child_window(&self, alpha: Score, beta: Score, evaluation: Score) -> (Score, Score) {
        let distance = self.rules().distance;
        let (alpha, beta) = (distance.enter(-beta, true, evaluation), distance.enter(-alpha, false, evaluation));
        // At the ends of the scale, two bounds may become one.
        if alpha < beta {
            (alpha, beta)
        } else if beta > Score::MIN {
            (beta.below(), beta)
        } else {
            (alpha, alpha.above())
        }
    }

    /// The child's result, from the node's view.
    #[inline]
    pub(in crate::search) fn leave(&self, value: Ibv, evaluation: Score) -> Ibv {
        self.rules().composition.returned(-self.rules().distance.leave(value, evaluation))
    }
}
