//! The allowance: the nodes of a search that several threads share, handed out in small rations.

use std::sync::atomic::{AtomicU64, Ordering};

/// The nodes that nobody has taken yet.
///
/// A thread takes a ration before it counts the nodes, so that all together never count more than the limit. They count
/// less by what is left of the rations when the last one has been taken; rations are so small that this is at most half
/// a percent of the limit and fifty nodes.
pub struct Allowance {
    left: AtomicU64,
    ration: u64,
}

impl Allowance {
    /// So many nodes for so many threads.
    pub fn new(nodes: u64, threads: usize) -> Allowance {
        // A thread takes one ration in about as much time as it always took to look at the clock.
        let ration = (nodes / 100 + 100) / (2 * threads.max(1) as u64);
        Allowance { left: AtomicU64::new(nodes), ration: ration.clamp(1, 1024) }
    }

    /// Takes a ration; 0 when nothing is left.
    pub(super) fn take(&self) -> u64 {
        let rest = |left: u64| Some(left.saturating_sub(self.ration));
        let before = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, rest).unwrap_or_else(|left| left);
        before.min(self.ration)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Threads that stop in the middle of a ration waste little, and nobody gets what is not there.
        #[test]
        fn all_is_handed_out_once(nodes in 0u64..1_000_000, threads in 1usize..600) {
            let allowance = Allowance::new(nodes, threads);
            let rations: Vec<u64> = std::iter::repeat_with(|| allowance.take()).take_while(|&ration| ration > 0).collect();
            prop_assert_eq!(rations.iter().sum::<u64>(), nodes);
            let largest = rations.iter().max().copied().unwrap_or_default();
            prop_assert!((largest.saturating_sub(1)) * threads as u64 <= nodes / 100 + 100);
            prop_assert_eq!(allowance.take(), 0);
        }
    }
}
