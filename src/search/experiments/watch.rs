//! Where experiments look at the search, and where they take over. In play, each of these does nothing or what play
//! does.

use crate::bound::Ibv;
use crate::position::Move;
use crate::search::rules::Driver;
use crate::search::state::{Node, NodeResult, Search};

impl<const PLAY: bool> Search<'_, PLAY> {
    /// Searches the PV with this index in this iteration, as the rules say. `None` if the search was aborted.
    #[inline(always)]
    pub(in crate::search) fn search_pv(&mut self, pv_index: usize) -> NodeResult {
        match self.rules().driver {
            Driver::Aspiration => self.aspirate(pv_index),
            Driver::Mtdf { growing } => self.mtdf(pv_index, self.root.depth, growing),
        }
    }

    /// The root was searched with one window.
    #[inline(always)]
    pub(in crate::search) fn watch_pass(&mut self) {
        if !PLAY {
            self.tally.pass();
        }
    }

    /// The table has settled a node with `value`; `proof` says that depth did not matter.
    #[inline(always)]
    pub(in crate::search) fn watch_tt_cutoff(&mut self, value: Ibv, fails_low: bool, proof: bool) {
        if !PLAY {
            self.tally.table_cut(value, fails_low, proof);
        }
    }

    /// The table has a value that may narrow the window of a PV node.
    #[inline(always)]
    pub(in crate::search) fn watch_narrowing(&mut self) {
        if !PLAY {
            self.tally.narrowed();
        }
    }

    /// A node has its value. Where training data are made, it may be a lesson. `depth` is the one that the parent
    /// chose, and `nodes_before` were counted before the node.
    #[inline(always)]
    pub(in crate::search) fn watch_value(
        &mut self,
        node: &Node<'_>,
        ply: usize,
        value: Ibv,
        best: Option<Move>,
        depth: i32,
        nodes_before: u64,
    ) {
        // If a trap can come up, the value is about the game and not about the board.
        if self.rules().lessons
            && !self.past.reaches_traps(node.position, ply)
            && let Some(lessons) = &mut self.td.lessons
        {
            lessons.offer(node, value, best, depth, self.counters.nodes - nodes_before);
        }
    }
}
