//! A node limit for several threads, which take it in small shares.

use std::sync::atomic::{AtomicU64, Ordering};

/// The nodes that are left.
///
/// A thread takes a share before it counts the nodes, so all threads together never count more than the limit. They
/// fall short of it by what is left of their shares at the end: at most half a percent of the limit plus fifty nodes.
pub struct Allowance {
    left: AtomicU64,
    share: u64,
}

impl Allowance {
    /// A limit of `nodes` for this many threads.
    pub fn new(nodes: u64, threads: usize) -> Allowance {
        // A share lasts about as long as the interval between two looks at the clock.
        let share = (nodes / 100 + 100) / (2 * threads.max(1) as u64);
        Allowance { left: AtomicU64::new(nodes), share: share.clamp(1, 1024) }
    }

    /// Takes a share; 0 if nothing is left.
    pub(in crate::search) fn take(&self) -> u64 {
        let rest = |left: u64| Some(left.saturating_sub(self.share));
        let before = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, rest).unwrap_or_else(|left| left);
        before.min(self.share)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Threads that stop in the middle of a share waste little, and no node is handed out twice.
        #[test]
        fn every_node_is_handed_out_once(nodes in 0u64..1_000_000, threads in 1usize..600) {
            let allowance = Allowance::new(nodes, threads);
            let shares: Vec<u64> = std::iter::repeat_with(|| allowance.take()).take_while(|&share| share > 0).collect();
            prop_assert_eq!(shares.iter().sum::<u64>(), nodes);
            let largest = shares.iter().max().copied().unwrap_or_default();
            prop_assert!((largest.saturating_sub(1)) * threads as u64 <= nodes / 100 + 100);
            prop_assert_eq!(allowance.take(), 0);
        }
    }
}
