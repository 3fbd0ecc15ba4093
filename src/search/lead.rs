//! The lead: the last iteration that any thread has finished. Threads that are still at it need not go on.
//!
//! The threads of a search race through the same iterations. Whoever finishes one first has what the others are looking
//! for: its move, its exact value and its line. They take these over and go on to the next iteration, on a table that all
//! have filled.

use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Mutex, PoisonError};

use super::root::RootMove;

/// What the fastest thread has found. Written and read once an iteration; the depth alone is looked at in between.
#[derive(Default)]
pub struct Lead {
    depth: AtomicI32,
    found: Mutex<Option<RootMove>>,
}

impl Lead {
    /// The last finished iteration; 0 before the first.
    #[inline]
    pub(super) fn depth(&self) -> i32 {
        self.depth.load(Ordering::Relaxed)
    }

    /// A thread has finished an iteration, with this as its best move.
    pub(super) fn finished(&self, depth: i32, best: &RootMove) {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        if depth > self.depth() {
            *found = Some(best.clone());
            self.depth.store(depth, Ordering::Relaxed);
        }
    }

    /// The iteration and its best move.
    pub(super) fn take_over(&self) -> Option<(i32, RootMove)> {
        let found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        found.clone().map(|best| (self.depth(), best))
    }
}
