//! When a thread's search ends: nodes, time, the stop flag, and faster threads.

use std::sync::atomic::Ordering;

use crate::params;
use crate::search::state::{PvCompletion, Search};

/// Nodes between two looks at the clock and at the other threads.
const CHECK_INTERVAL: u64 = 1024;

impl<const PLAY: bool> Search<'_, PLAY> {
    /// Counts a node. Returns `None` if the search must end.
    #[inline]
    #[must_use]
    pub(in crate::search) fn enter_node(&mut self) -> Option<()> {
        let allowance = self.shared.allowance.as_ref();
        if self.counters.nodes >= self.counters.budget.check
            && !self.counters.budget.extend(self.counters.nodes, allowance)
        {
            if self.pv_completion == PvCompletion::Off {
                self.shared.stop.store(true, Ordering::Relaxed);
            }
            return None;
        }
        self.counters.nodes += 1;
        if self.counters.nodes.is_multiple_of(CHECK_INTERVAL) && self.pv_completion != PvCompletion::AfterSearch {
            self.check_limits();
            if self.is_overtaken() {
                return None;
            }
        }
        let is_stopped = self.shared.stop.load(Ordering::Relaxed)
            && self.pv_completion != PvCompletion::AfterSearch
            && !self.cannot_stop();
        if is_stopped { None } else { Some(()) }
    }

    /// Publishes this thread's counters, and ends the search if a limit has been reached.
    pub(in crate::search) fn check_limits(&mut self) {
        self.publish();
        let over = if self.id == 0 { self.must_stop() } else { self.shared.is_time_up() };
        if over {
            self.shared.stop.store(true, Ordering::Relaxed);
        }
    }

    /// Whether the first thread is still in its first iteration. It completes that within
    /// [`params::FIRST_ITERATION_NODES`] nodes and the limit of nodes, for a move worth playing.
    #[inline]
    pub(in crate::search) fn cannot_stop(&self) -> bool {
        self.id == 0 && self.root.completed_depth == 0 && self.counters.nodes < params::FIRST_ITERATION_NODES
    }

    /// Whether another thread has completed this thread's iteration, and this one may take over its result.
    #[inline]
    pub(in crate::search) fn is_overtaken(&self) -> bool {
        self.root.adopts_lead
            && self.root.completed_depth < self.root.depth
            && self.shared.shared_best.depth() >= self.root.depth
    }

    /// Publishes this thread's counters.
    pub(in crate::search) fn publish(&self) {
        let counter = &self.shared.counters[self.id];
        counter.nodes.store(self.counters.nodes, Ordering::Relaxed);
        counter.tbhits.store(self.counters.tbhits, Ordering::Relaxed);
    }

    /// Whether the first thread must end the search: nodes over all threads, the clock, or the host.
    pub(in crate::search) fn must_stop(&self) -> bool {
        if self.cannot_stop() {
            return false;
        }
        #[cfg(target_family = "wasm")]
        if self.shared.is_ended_by_host() {
            return true;
        }
        if self.shared.limits.nodes.is_some_and(|limit| self.shared.nodes() >= limit) {
            return true;
        }
        self.shared.clock.note_nodes(self.shared.nodes());
        self.shared.is_our_time() && self.shared.clock.is_move_due()
    }
}
