//! ProbCut: a capture that holds well above beta at reduced depth.
//!
//! Source: Buro, "ProbCut" (1995), in the form with captures that chess engines use.

use std::ops::ControlFlow;

use super::history::ContKeys;
use super::node::Node;
use super::picker::Picker;
use super::{NodeResult, Search};
use crate::bound::Ibv;
use crate::params;
use crate::position::attacks::Attacks;

impl<const PLAY: bool> Search<'_, PLAY> {
    /// Tries the captures that gain enough to reach beta plus a margin: first in quiescence, then at reduced depth. Breaks
    /// with the node's result if one holds, or if the search was aborted.
    #[inline(always)]
    pub(super) fn probcut(
        &mut self,
        node: &Node<'_>,
        threats: &Attacks,
        cont_keys: &ContKeys,
    ) -> ControlFlow<NodeResult> {
        let &Node { position, ply, depth, .. } = node;
        if depth < params::probcut_depth() || node.beta.is_decisive() {
            return ControlFlow::Continue(());
        }
        let raised = node.beta.offset(params::probcut_margin());
        let reduced = depth - params::probcut_reduction();
        // A TT value of about the same depth answers the question.
        if node.tt.value.is_some() && node.tt.depth > reduced && node.tt.value.score() < raised {
            return ControlFlow::Continue(());
        }
        let mut picker = Picker::noisy(node.tt_move, raised.cp() - node.eval);
        let ahead = self.fetcher(position, ply);
        while let Some(m) = picker.next(position, &self.td.history, threats, cont_keys, &ahead) {
            if picker.at_bad_noisy() {
                break;
            }
            let child = self.make(position, m, ply);
            let mut result = self.quiet_child::<false>(&child, raised.below(), raised, ply);
            if result.is_some_and(|value| value.cuts(raised)) {
                result = self.null_window(&child, raised.below(), reduced, ply, !node.cut_node);
            }
            self.take_back();
            let Some(value) = result else { return ControlFlow::Break(None) };
            if value.cuts(raised) {
                let value = Ibv::lower(value.score());
                self.store(node, value, Some(m), reduced + 1);
                return ControlFlow::Break(Some(value));
            }
        }
        ControlFlow::Continue(())
    }
}
