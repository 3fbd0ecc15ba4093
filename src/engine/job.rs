//! One search from its beginning to its outcome, with the handicap of a limited strength.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use shakmaty::Move;

use super::handicap::Handicap;
use super::signals::Signals;
use crate::position::Game;
use crate::recognize::syzygy::{Probing, Tablebases};
use crate::search::iterate::ThreadResult;
use crate::search::past::Past;
use crate::search::{
    Allowance, Conventions, Event, Listener, NodeCounter, Outcome, Probes, Report, Shared, SharedBest, ThreadData, pv,
};
use crate::smp;
use crate::time::{Clock, Limits};
use crate::tt::TranspositionTable;

/// One search, ready to run.
pub struct Job {
    /// The table to search with.
    pub tt: Arc<TranspositionTable>,
    /// What others say to the search.
    pub signals: Arc<Signals>,
    /// The time it may take.
    pub clock: Arc<Clock>,
    /// Draw rule and contempt.
    pub conventions: Conventions,
    /// Whether the user wants the truth about a position rather than an opponent.
    pub analysis: bool,
    /// The tablebases, if they may help.
    pub tablebases: Option<Arc<Tablebases>>,
    /// When they are probed.
    pub probing: Probing,
    /// Lines to keep.
    pub lines: usize,
    /// What holds the search back, if its strength is limited.
    pub handicap: Option<Handicap>,
    /// When it ends.
    pub limits: Limits,
    /// The position, with its past.
    pub game: Game,
}

impl Job {
    /// Searches; afterwards waits for the signals that an infinite or ponder search needs before it may send its move.
    pub fn run(&self, threads: &mut [ThreadData], listener: Option<Listener<'_>>) -> Outcome {
        match &self.handicap {
            None => self.search(threads, &self.limits, self.lines, listener),
            Some(handicap) => self.held_back(handicap, threads, listener),
        }
    }

    /// Searches as a weaker player: with the handicap's limits, on one thread that remembers nothing, and with its choice
    /// among the lines. The user sees as many of them as `MultiPV` says, but causes no others: more lines would take the
    /// nodes of those that are chosen from, and make the player weaker than it says.
    fn held_back(&self, handicap: &Handicap, threads: &mut [ThreadData], listener: Option<Listener<'_>>) -> Outcome {
        let threads = &mut threads[..1];
        threads.iter_mut().for_each(ThreadData::clear);
        let latest: Mutex<Vec<Report>> = Mutex::default();
        let filter = |event: Event| match event {
            Event::Line(report) if report.complete => {
                let mut latest = latest.lock().unwrap_or_else(PoisonError::into_inner);
                if report.line == 1 {
                    latest.clear();
                }
                // Only an iteration whose lines are all reported can be chosen from.
                if report.line == latest.len() + 1 {
                    latest.push(report.clone());
                }
                if let Some(listener) = listener
                    && report.line <= self.lines
                {
                    listener(Event::Line(Report { lines: report.lines.min(self.lines), ..report }));
                }
            }
            Event::Line(_) => (),
            other => {
                if let Some(listener) = listener {
                    listener(other);
                }
            }
        };
        let limits = handicap.limits(&self.game, &self.limits);
        let outcome = self.search(threads, &limits, handicap.lines(), Some(&filter));
        let latest = latest.into_inner().unwrap_or_else(PoisonError::into_inner);
        let chosen = handicap.choose(self.game.position(), &latest[..latest.len().min(handicap.lines())]);
        match chosen.and_then(|report| Some((report, *report.pv.first()?))) {
            None => outcome,
            Some((report, best)) => Outcome {
                best: Some(best),
                ponder: report.pv.get(1).copied(),
                last: Some(Report { line: 1, lines: 1, nodes: outcome.nodes, time: outcome.time, ..report.clone() }),
                ..outcome
            },
        }
    }

    fn search(
        &self,
        threads: &mut [ThreadData],
        limits: &Limits,
        lines: usize,
        listener: Option<Listener<'_>>,
    ) -> Outcome {
        self.tt.new_search();
        let start = Instant::now();
        let tablebases = self.tablebases.as_deref();
        let ranking = tablebases.and_then(|tablebases| tablebases.rank_root(&self.game, &self.probing));
        let counters: Vec<NodeCounter> = threads.iter().map(|_| NodeCounter::default()).collect();
        let shared = Shared {
            tt: &self.tt,
            stop: &self.signals.stop,
            pondering: &self.signals.pondering,
            counters: &counters,
            shared_best: &SharedBest::default(),
            limits,
            // One thread counts for itself.
            allowance: limits.nodes.filter(|_| counters.len() > 1).map(|nodes| Allowance::new(nodes, counters.len())),
            clock: &self.clock,
            start,
            conventions: self.conventions,
            analysis: self.analysis,
            probes: tablebases.map(|tables| Probes { tables, probing: self.probing, ranking: ranking.as_ref() }),
            listener,
        };
        let result = smp::search(&shared, threads, &self.game, lines);
        let unusable = tablebases.into_iter().flat_map(Tablebases::take_remarks);
        unusable.for_each(|remark| shared.send(|| Event::Message(remark)));
        // What the search took: to wait for a signal takes time and no nodes.
        let (nodes, time) = (shared.nodes(), start.elapsed());
        #[cfg(not(target_family = "wasm"))]
        self.signals.wait(self.limits.infinite);
        match result {
            None => Outcome::without_move(nodes, time),
            Some(result) => self.outcome(&result, &shared, time),
        }
    }

    fn outcome(&self, result: &ThreadResult, shared: &Shared<'_>, time: Duration) -> Outcome {
        let pv = pv::unpack(&self.game, &result.pv);
        let ponder = pv.get(1).copied().or_else(|| self.ponder_from_tt(result));
        let last = Report {
            depth: result.depth.max(0) as u32,
            seldepth: result.seldepth.max(result.depth.max(0) as usize) as u32,
            line: 1,
            lines: 1,
            value: self.conventions.to_uci(result.value),
            basis: result.basis,
            complete: true,
            nodes: shared.nodes(),
            time,
            hashfull: self.tt.hashfull(),
            tbhits: shared.tbhits(),
            pv,
        };
        Outcome { best: Some(result.best), ponder, last: Some(last), nodes: shared.nodes(), time }
    }

    /// The reply that the TT expects, when the line is only one move long.
    fn ponder_from_tt(&self, result: &ThreadResult) -> Option<Move> {
        let mut game = self.game.clone();
        game.play(result.best);
        if game.outcome().is_some() {
            return None;
        }
        let entry = self.tt.probe(Past::new(self.conventions, &self.game).key(game.position(), 1))?;
        entry.best.and_then(|reply| game.position().find(reply))
    }
}
