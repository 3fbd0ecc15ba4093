//! Signals to a running search: stop and ponderhit.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use crate::time::{Clock, Limits};

/// The signals of a search, and the condition variable for its waiting thread.
#[derive(Default)]
pub struct Signals {
    /// Ends the search; the search sets it too, at its limits.
    pub stop: AtomicBool,
    /// The user has said stop: nothing holds the move back any more.
    released: AtomicBool,
    /// The opponent's time runs: the search must not end, and its own clock stands still.
    pub pondering: AtomicBool,
    /// Only `stop` releases the move.
    infinite: AtomicBool,
    /// The clock of the search, which `ponderhit` starts.
    clock: Mutex<Option<Arc<Clock>>>,
    lock: Mutex<()>,
    changed: Condvar,
}

impl Signals {
    /// Resets the signals for a new search with these limits, which runs by this clock.
    pub fn prepare(&self, clock: &Arc<Clock>, limits: &Limits) {
        self.stop.store(false, Ordering::Relaxed);
        self.released.store(false, Ordering::Relaxed);
        self.pondering.store(limits.ponder, Ordering::Relaxed);
        self.infinite.store(limits.infinite, Ordering::Relaxed);
        *self.clock.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(clock));
    }

    /// The user wants the move now.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
        self.released.store(true, Ordering::Relaxed);
        self.pondering.store(false, Ordering::Relaxed);
        self.notify();
    }

    /// The opponent has played the expected move: the search goes on, on our own time.
    pub fn ponderhit(&self) {
        if let Some(clock) = self.clock.lock().unwrap_or_else(PoisonError::into_inner).as_ref() {
            clock.ponderhit();
        }
        // A thread that reads `false` here also sees the clock that was set above.
        self.pondering.store(false, Ordering::Release);
        self.notify();
    }

    fn notify(&self) {
        let _guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        self.changed.notify_all();
    }

    /// Whether the move may be sent: an infinite search waits for `stop`, pondering for either signal.
    pub fn may_answer(&self) -> bool {
        let is_held = self.infinite.load(Ordering::Relaxed) || self.pondering.load(Ordering::Relaxed);
        self.released.load(Ordering::Relaxed) || !is_held
    }

    /// Waits until the move may be sent.
    #[cfg(not(target_family = "wasm"))]
    pub fn wait(&self) {
        let mut guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        while !self.may_answer() {
            guard = self.changed.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
    }
}
