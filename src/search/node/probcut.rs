//! ProbCut: a capture that holds well above beta at reduced depth.
//!
//! Source: Buro, "ProbCut" (1995), in the form with captures that chess engines use.

use std::ops::ControlFlow;

use shakmaty::Bitboard;

use crate::bound::Ibv;
use crate::params;
use crate::position::attacks::Attacks;
use crate::search::ordering::history::ContKeys;
use crate::search::ordering::picker::Picker;
use crate::search::state::{Node, NodeResult, Search};

impl<const PLAY: bool> Search<'_, PLAY> {
    /// Tries the captures that gain enough to reach beta plus a margin: first with quiescence search, then at reduced
    /// depth. Breaks with the node's result if one holds, or if the search was aborted.
    #[inline(always)]
    pub(in crate::search) fn probcut(
        &mut self,
        node: &Node<'_>,
        threats: &Attacks,
        our_attacks: Bitboard,
        cont_keys: &ContKeys,
    ) -> ControlFlow<NodeResult> {
        let &Node { position, ply, depth, .. } = node;
        if depth < params::probcut_depth() || node.beta.is_decisive() {
            return ControlFlow::Continue(());
        }
        let probcut_beta = node.beta.offset(params::probcut_margin());
        let reduced = depth - params::probcut_reduction();
        // A TT value of nearly this depth that falls short of the raised beta, even a lower bound, makes success
        // unlikely.
        if node.tt.depth > reduced && node.tt.value.is_some_and(|value| value.score() < probcut_beta) {
            return ControlFlow::Continue(());
        }
        let mut picker = Picker::noisy(node.tt_move, probcut_beta.cp() - node.eval, our_attacks);
        while let Some(m) = picker.next(position, &self.td.history, threats, cont_keys) {
            if picker.at_bad_noisy() {
                break;
            }
            let mut child = *position;
            self.make(&mut child, m, ply);
            let mut result = self.quiesce_child::<false>(&child, probcut_beta.below(), probcut_beta, ply);
            if result.is_some_and(|value| value.cuts(probcut_beta)) {
                result = self.search_null_window(&child, probcut_beta.below(), reduced, ply, !node.cut_node);
            }
            self.take_back();
            let Some(value) = result else { return ControlFlow::Break(None) };
            if value.cuts(probcut_beta) {
                let value = Ibv::lower(value.score());
                self.store(node, value, Some(m), reduced + 1);
                return ControlFlow::Break(Some(value));
            }
        }
        ControlFlow::Continue(())
    }
}
