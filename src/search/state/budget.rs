//! The nodes that a thread may count.

use crate::search::state::{Allowance, Shared};

/// The nodes that a thread may count: up to a limit of its own, or to its shares of a limit that all threads have in
/// common.
pub(in crate::search) struct NodeBudget {
    /// The exact limit of this thread alone; `u64::MAX` if it has none.
    limit: u64,
    /// The nodes granted by the thread's shares of a common limit; `u64::MAX` if there is no such limit.
    granted: u64,
    /// When the next check is due: the lesser of the two.
    pub(in crate::search) check: u64,
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
    pub(in crate::search) fn extend(&mut self, nodes: u64, allowance: Option<&Allowance>) -> bool {
        if nodes >= self.limit {
            return false;
        }
        let share = allowance.map_or(0, Allowance::take);
        self.granted = nodes + share;
        self.check = self.limit.min(self.granted);
        share > 0
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
