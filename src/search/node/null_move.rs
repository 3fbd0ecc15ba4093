//! Null move pruning, with verification at high depth.
//!
//! Source: Donninger, "Null Move and Deep Search" (1993); verification after Heinz, "Extended Null-Move Pruning"
//! (1999).

use std::ops::ControlFlow;

use crate::bound::Ibv;
use crate::params;
use crate::search::state::{Node, NodeResult, Search};

impl<const PLAY: bool> Search<'_, PLAY> {
    /// Searches the node after a pass, at reduced depth. Breaks with the node's result if that is at least beta, or
    /// if the search was aborted.
    ///
    /// Only a node that is expected to fail high tries it. No null move follows another, and none is tried without
    /// pieces, where zugzwang is common.
    #[inline(always)]
    pub(in crate::search) fn null_move(&mut self, node: &Node<'_>) -> ControlFlow<NodeResult> {
        let &Node { position, ply, depth, alpha, beta, eval, estimate, .. } = node;
        if !node.cut_node
            || depth < params::nmp_depth()
            || ply < self.nmp_min_ply
            || self.stack_before(ply, 1).is_null_move
            || estimate < beta.cp()
            || eval + params::nmp_eval_slope() * depth - params::nmp_eval_base() < beta.cp()
            || beta.is_loss()
            || !position.has_non_pawn_material()
        {
            return ControlFlow::Continue(());
        }
        let above_beta = ((estimate - beta.cp()) / params::nmp_eval()).clamp(0, params::nmp_eval_max());
        let reduced = depth - (params::nmp_base() + depth / params::nmp_divisor() + above_beta);
        let child = self.make_null(position, ply);
        // This is a cut node, so its child is not.
        let result = self.search_null_window(&child, alpha, reduced, ply, false);
        self.take_back();
        let Some(value) = result else { return ControlFlow::Break(None) };
        if !value.cuts(beta) {
            return ControlFlow::Continue(());
        }
        // A win after a pass does not prove a win, but it is at least beta.
        let lower = Ibv::lower(if value.score().is_win() { beta } else { value.score() });
        if depth < params::nmp_verify_depth() || self.nmp_min_ply > 0 {
            return ControlFlow::Break(Some(lower));
        }
        // At high depth, zugzwang costs more than a verification search without null moves in its first plies.
        self.nmp_min_ply = ply + (params::nmp_verify_plies() * reduced.max(0) / 1024) as usize;
        let verified = self.search_node::<false>(position, alpha, beta, reduced, ply, false);
        self.nmp_min_ply = 0;
        match verified {
            None => ControlFlow::Break(None),
            Some(value) if value.cuts(beta) => ControlFlow::Break(Some(lower)),
            Some(_) => ControlFlow::Continue(()),
        }
    }
}
