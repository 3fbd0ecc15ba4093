//! The best result of the deepest iteration that any search thread has completed.
//!
//! When one thread completes iteration N, those that are no deeper abort theirs, copy its move, score and PV, and go
//! on from there on the shared table. Two threads reach depth 15 1.66 times as fast as one with this and one of them
//! an iteration ahead, 1.24 times with the table alone (`MATCHES.md`).

use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Mutex, PoisonError};

use super::root::RootMove;

/// The result of the fastest thread. Written and read once per iteration; only the depth is read in between.
#[derive(Default)]
pub struct SharedBest {
    depth: AtomicI32,
    /// The best move and the effort for it: the share of its thread's nodes, in percent.
    best: Mutex<Option<(RootMove, u32)>>,
}

impl SharedBest {
    /// The deepest completed iteration; 0 before the first.
    #[inline]
    pub(super) fn depth(&self) -> i32 {
        self.depth.load(Ordering::Relaxed)
    }

    /// Records that a thread has completed an iteration with this best move and effort.
    pub(super) fn finished(&self, depth: i32, best: &RootMove, effort: u32) {
        let mut best_so_far = self.best.lock().unwrap_or_else(PoisonError::into_inner);
        if depth > self.depth() {
            *best_so_far = Some((best.clone(), effort));
            self.depth.store(depth, Ordering::Relaxed);
        }
    }

    /// The deepest completed iteration, its best move, and the effort for it.
    pub(super) fn take_over(&self) -> Option<(i32, RootMove, u32)> {
        let best = self.best.lock().unwrap_or_else(PoisonError::into_inner);
        best.clone().map(|(best, effort)| (self.depth(), best, effort))
    }
}
