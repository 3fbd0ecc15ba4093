//! One search under changed rules: the search of play, with switches turned.

use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::{Duration, Instant};

use crate::position::Game;
use crate::search::rules::Rules;
use crate::search::state::{
    Conventions, Listener, NodeCounter, STACK_SIZE, Search, Shared, SharedBest, Tally, ThreadData, ThreadResult,
};
use crate::time::{Clock, Limits};
use crate::tt::TranspositionTable;

/// A table and one thread's data to search with.
pub struct SingleSearch {
    table: TranspositionTable,
    td: ThreadData,
}

/// The result of a search.
#[derive(Clone, Debug)]
pub struct SearchRun {
    /// The move, its value and its line; `None` if no move is legal.
    pub finding: Option<ThreadResult>,
    /// Nodes.
    pub nodes: u64,
    /// Time.
    pub time: Duration,
    /// The counts.
    pub tally: Tally,
}

impl SingleSearch {
    /// An empty table of `mib` MiB, and nothing learned.
    pub fn new(mib: usize) -> SingleSearch {
        let (table, remark) = TranspositionTable::new(mib);
        if let Some(remark) = remark {
            log::warn!("{remark}");
        }
        SingleSearch { table, td: ThreadData::default() }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.table.clear(1);
        self.td.clear();
    }

    /// The table.
    pub fn table(&self) -> &TranspositionTable {
        &self.table
    }

    /// Searches on a thread of its own and returns when done; keeps the table and what was learned.
    ///
    /// # Errors
    ///
    /// The system could not start a thread.
    // Inline, so that only a program with experiments compiles a search with switches.
    #[inline]
    pub fn search(
        &mut self,
        rules: Rules,
        conventions: Conventions,
        game: &Game,
        limits: &Limits,
        listener: Option<Listener<'_>>,
    ) -> std::io::Result<SearchRun> {
        let (table, td) = (&self.table, &mut self.td);
        let work = move || {
            table.new_search();
            let start = Instant::now();
            let clock = Clock::new(limits, game.position().turn(), 0, Duration::ZERO, start);
            let counters = [NodeCounter::default()];
            let (stop, pondering) = (AtomicBool::new(false), AtomicBool::new(false));
            let shared = Shared {
                tt: table,
                stop: &stop,
                pondering: &pondering,
                counters: &counters,
                shared_best: &SharedBest::default(),
                limits,
                allowance: None,
                clock: &clock,
                start,
                conventions,
                analysis: true,
                probes: None,
                listener,
            };
            let mut search = Search::with_rules(rules, &shared, 0, td, game);
            let finding = search.iterate(1);
            SearchRun { finding, nodes: shared.nodes(), time: start.elapsed(), tally: search.tally() }
        };
        thread::scope(|scope| {
            let handle = thread::Builder::new().stack_size(STACK_SIZE).spawn_scoped(scope, work)?;
            match handle.join() {
                Ok(run) => Ok(run),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        })
    }
}
