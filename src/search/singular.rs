//! Singular extensions, multi-cut and negative extensions.
//!
//! Source: Anantharaman, Campbell and Hsu, "Singular Extensions" (1988); multi-cut after Björnsson and Marsland (1999).

use std::ops::ControlFlow;

use shakmaty::Move;

use super::node::Node;
use super::{NodeResult, Search};
use crate::bound::Bound;
use crate::params;
use crate::position::PackedMove;
use crate::position::movegen::is_noisy;

impl<const PLAY: bool> Search<'_, PLAY> {
    /// The extension of a move, in plies. Breaks with the node's result if several moves cause a beta cutoff (multi-cut), or
    /// if the search was aborted.
    ///
    /// Only the TT move is extended: if all other moves fail low well below its value, it is singular.
    #[inline(always)]
    pub(super) fn extension(&mut self, node: &Node<'_>, m: Move) -> ControlFlow<NodeResult, i32> {
        if node.tt_move != Some(m) || !self.may_be_singular(node) {
            return ControlFlow::Continue(0);
        }
        let &Node { position, ply, depth, beta, .. } = node;
        let tt_score = node.tt.value.score();
        let margin = params::singular_margin() + if node.was_pv && !node.pv { params::singular_was_pv() } else { 0 };
        let singular_beta = tt_score.offset(-(margin * depth / 16));
        self.stack_mut(ply).excluded = Some(PackedMove::new(m));
        let half = (depth - 1) * params::singular_share() / 1024;
        let result = self.node::<false>(position, singular_beta.below(), singular_beta, half, ply, node.cut_node);
        self.stack_mut(ply).excluded = None;
        let Some(others) = result else { return ControlFlow::Break(None) };
        ControlFlow::Continue(if !others.cuts(singular_beta) {
            let below = singular_beta.cp() - others.score().cp();
            if node.pv || below <= params::singular_double() {
                1
            } else if below > params::singular_triple() && !is_noisy(m) {
                3
            } else {
                2
            }
        } else if !node.pv && others.cuts(beta) && !others.score().is_decisive() {
            return ControlFlow::Break(Some(others.force_lower()));
        } else if tt_score >= beta {
            -params::singular_less_high()
        } else if node.cut_node {
            -params::singular_less_cut()
        } else {
            0
        })
    }

    /// Whether the TT's value says enough about its move.
    #[inline(always)]
    fn may_be_singular(&self, node: &Node<'_>) -> bool {
        self.may_extend(node.ply)
            && node.whole
            && node.depth >= params::singular_depth() + i32::from(node.was_pv)
            && node.tt.value.is_some()
            && node.tt.value.bound() != Bound::Upper
            && !node.tt.value.score().is_decisive()
            && node.tt.depth >= node.depth - params::singular_tt_depth()
    }

    /// Whether moves at this ply may be searched deeper than others: not where extensions could run away.
    #[inline(always)]
    pub(super) fn may_extend(&self, ply: usize) -> bool {
        self.rules().pruning && ply < 2 * self.depth as usize
    }
}
