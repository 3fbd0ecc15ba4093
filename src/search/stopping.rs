//! When a thread's search ends: nodes, time, the stop flag, and faster threads.

use std::sync::atomic::Ordering;

use super::{Allowance, PvCompletion, Search, Shared};

/// Nodes between two looks at the clock and at the other threads.
const CHECK_INTERVAL: u64 = 1024;
/// Nodes within which the first thread completes its first iteration, whatever the clock or the user says.
const FIRST_ITERATION: u64 = 16_384;

/// The nodes that a thread may count: up to a limit of its own, or to its shares of a limit that all threads have in
/// common.
pub(super) struct NodeBudget {
    /// The exact limit of this thread alone; `u64::MAX` if it has none.
    limit: u64,
    /// The nodes granted by the thread's shares of a common limit; `u64::MAX` if there is no such limit.
    granted: u64,
    /// When the next check is due: the lesser of the two.
    check: u64,
}

impl NodeBudget {
    /// The budget of a thread of this search.
    pub fn new(shared: &Shared<'_>) -> NodeBudget {
        let (limit, granted) = match (&shared.allowance, shared.limits.nodes) {
            (Some(_), _) => (u64::MAX, 0),
            (None, limit) => (limit.unwrap_or(u64::MAX), u64::MAX),
        };
        NodeBudget { limit, granted, check: limit.min(granted) }
    }

    /// The limit of this thread alone.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// Replaces the limit of this thread alone.
    pub fn set_limit(&mut self, limit: u64) {
        self.limit = limit;
        self.check = limit.min(self.granted);
    }

    /// Replaces the limit of this thread alone; until the next replacement the common one does not count.
    pub fn set_only_limit(&mut self, limit: u64) {
        self.limit = limit;
        self.check = limit;
    }

    /// Takes the next share of the common limit for a thread that has counted `nodes`. Returns whether any are left.
    #[cold]
    fn extend(&mut self, nodes: u64, allowance: Option<&Allowance>) -> bool {
        if nodes >= self.limit {
            return false;
        }
        let share = allowance.map_or(0, Allowance::take);
        self.granted = nodes + share;
        self.check = self.limit.min(self.granted);
        share > 0
    }
}

impl<const PLAY: bool> Search<'_, PLAY> {
    /// Counts a node. Returns `None` if the search must end.
    #[inline]
    #[must_use]
    pub(super) fn enter_node(&mut self) -> Option<()> {
        let allowance = self.shared.allowance.as_ref();
        if self.nodes >= self.node_budget.check && !self.node_budget.extend(self.nodes, allowance) {
            if self.pv_completion == PvCompletion::Off {
                self.shared.stop.store(true, Ordering::Relaxed);
            }
            return None;
        }
        self.nodes += 1;
        if self.nodes.is_multiple_of(CHECK_INTERVAL) && self.pv_completion != PvCompletion::AfterSearch {
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
    pub(super) fn check_limits(&mut self) {
        self.publish();
        let over = if self.id == 0 { self.must_stop() } else { self.shared.is_time_up() };
        if over {
            self.shared.stop.store(true, Ordering::Relaxed);
        }
    }

    /// Whether the first thread is still in its first iteration. It completes that within [`FIRST_ITERATION`] nodes
    /// and the limit of nodes, for a move worth playing.
    #[inline]
    pub(super) fn cannot_stop(&self) -> bool {
        self.id == 0 && self.completed_depth == 0 && self.nodes < FIRST_ITERATION
    }

    /// Whether another thread has completed this thread's iteration, and this one may take over its result.
    #[inline]
    pub(super) fn is_overtaken(&self) -> bool {
        self.adopts_lead && self.completed_depth < self.root_depth && self.shared.shared_best.depth() >= self.root_depth
    }

    /// Publishes this thread's counters.
    pub(super) fn publish(&self) {
        let counter = &self.shared.counters[self.id];
        counter.nodes.store(self.nodes, Ordering::Relaxed);
        counter.tbhits.store(self.tbhits, Ordering::Relaxed);
    }

    /// Whether the first thread must end the search: nodes over all threads, the clock, or the host.
    pub(super) fn must_stop(&self) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lesser_of_the_own_limit_and_the_shares_is_checked() {
        let allowance = Allowance::new(1000, 2);
        let mut budget = NodeBudget { limit: u64::MAX, granted: 0, check: 0 };
        assert!(budget.extend(0, Some(&allowance)));
        let granted = budget.check;
        assert!((1..1000).contains(&granted), "one share: {granted}");
        budget.set_limit(granted - 1);
        assert_eq!(budget.check, granted - 1);
        assert!(!budget.extend(granted - 1, Some(&allowance)), "the limit of this thread alone is exact");
        budget.set_only_limit(5000);
        assert_eq!(budget.check, 5000, "the shares do not count");
        budget.set_limit(u64::MAX);
        assert_eq!(budget.check, granted, "they count again");
    }
}
