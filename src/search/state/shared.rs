//! The data that the threads of one search share.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use crate::search::state::{Allowance, Conventions, Event, Probes, SharedBest};
use crate::time::{Clock, Limits};
use crate::tt::TranspositionTable;

/// Receives the events of a running search, called from its threads.
pub type Listener<'a> = &'a (dyn Fn(Event) + Sync);

/// The counters of one thread, on a cache line of their own: the thread writes them, and any thread may add them up.
#[derive(Default)]
#[repr(align(128))]
pub struct NodeCounter {
    pub(in crate::search) nodes: AtomicU64,
    pub(in crate::search) tbhits: AtomicU64,
}

impl NodeCounter {
    /// The nodes of this thread, as last published.
    #[cfg(test)]
    pub(crate) fn published(&self) -> u64 {
        self.nodes.load(Ordering::Relaxed)
    }
}

/// The data that the threads of one search share. Written at the start, or atomic.
pub struct Shared<'a> {
    /// The transposition table.
    pub tt: &'a TranspositionTable,
    /// Set when the search must end.
    pub stop: &'a AtomicBool,
    /// Set while the search runs on the opponent's time.
    pub pondering: &'a AtomicBool,
    /// One for each thread.
    pub counters: &'a [NodeCounter],
    /// The best result of the deepest completed iteration.
    pub shared_best: &'a SharedBest,
    /// The limits.
    pub limits: &'a Limits,
    /// The node limit, where several threads share it.
    pub allowance: Option<Allowance>,
    /// The clock. The first thread manages the time; the others only check whether it is up.
    pub clock: &'a Clock,
    /// When the search began.
    pub start: Instant,
    /// The conventions of this search's scores.
    pub conventions: Conventions,
    /// Whether the user analyses rather than plays: mate searches then get a larger share of the nodes.
    pub analysis: bool,
    /// Tablebases, if there are any.
    pub probes: Option<Probes<'a>>,
    /// Receives lines and moves, if anything does.
    pub listener: Option<Listener<'a>>,
}

impl Shared<'_> {
    /// The nodes of all threads, as last published.
    pub fn nodes(&self) -> u64 {
        self.counters.iter().map(|c| c.nodes.load(Ordering::Relaxed)).sum()
    }

    /// The tablebase hits of all threads, as last published.
    pub fn tbhits(&self) -> u64 {
        self.counters.iter().map(|c| c.tbhits.load(Ordering::Relaxed)).sum()
    }

    /// Sends an event to the listener; without one, the event is not built.
    pub fn send(&self, event: impl FnOnce() -> Event) {
        if let Some(listener) = self.listener {
            listener(event());
        }
    }

    /// Whether the search runs on our own time. Call this before the clock's methods: `ponderhit` sets the clock first,
    /// so a thread that sees our time also sees the new clock. The other way round, the opponent's time could end the
    /// search.
    pub fn is_our_time(&self) -> bool {
        !self.pondering.load(Ordering::Acquire)
    }

    /// Whether the time of a search on our own time is up.
    ///
    /// Every thread checks: with more threads than processors, the first one may wait for its turn much longer than
    /// the clock allows.
    pub fn is_time_up(&self) -> bool {
        self.is_our_time() && self.clock.is_time_up()
    }

    /// Whether the user has ended the search, as the host says; also records a ponderhit.
    #[cfg(target_family = "wasm")]
    pub(in crate::search) fn is_ended_by_host(&self) -> bool {
        match super::host::heard() {
            super::host::Heard::Nothing => false,
            super::host::Heard::Stop => true,
            super::host::Heard::PonderHit => {
                if self.pondering.swap(false, Ordering::Relaxed) {
                    self.clock.ponderhit();
                }
                false
            }
        }
    }

    /// Whether a helper thread that has not begun yet need not begin.
    pub fn is_over(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.is_time_up()
    }
}
