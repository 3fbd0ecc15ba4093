//! One search from its beginning to its outcome, with the handicap of a limited strength.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::handicap::Handicap;
use super::signals::Signals;
use crate::position::{Game, Move};
use crate::recognize::syzygy::{Probing, Tablebases};
use crate::search::Past;
use crate::search::ThreadResult;
use crate::search::state::pv;
use crate::search::{
    Allowance, Conventions, Event, Listener, NodeCounter, Outcome, Probes, Report, Shared, SharedBest, ThreadData,
};
use crate::smp;
use crate::time::{Clock, Limits};
use crate::tt::TranspositionTable;

/// One search, ready to run.
pub struct Job {
    /// The table to search with.
    pub tt: Arc<TranspositionTable>,
    /// Stop and ponderhit, from outside.
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
    /// Lines to keep (MultiPV).
    pub multi_pv: usize,
    /// The handicap, if the strength is limited.
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
            None => self.search(threads, &self.limits, self.multi_pv, listener),
            Some(handicap) => self.search_with_handicap(handicap, threads, listener),
        }
    }

    /// Searches as a weaker player: with the handicap's limits, on one thread that remembers nothing, and with its
    /// choice among the lines. The user sees as many of the lines as `MultiPV` says, but the search keeps no more
    /// lines for that: they would take nodes from those that are chosen from, and make the player weaker than its
    /// rating.
    fn search_with_handicap(
        &self,
        handicap: &Handicap,
        threads: &mut [ThreadData],
        listener: Option<Listener<'_>>,
    ) -> Outcome {
        let threads = &mut threads[..1];
        threads.iter_mut().for_each(ThreadData::clear);
        let last_iteration = LastIteration::default();
        let filter = |event: Event| {
            let shown = match event {
                Event::Line(report) if report.complete => {
                    last_iteration.add(&report);
                    let is_shown = report.line <= self.multi_pv;
                    is_shown.then(|| Event::Line(Report { lines: report.lines.min(self.multi_pv), ..report }))
                }
                Event::Line(_) => None,
                other => Some(other),
            };
            if let (Some(listener), Some(event)) = (listener, shown) {
                listener(event);
            }
        };
        let limits = handicap.limits(&self.game, &self.limits);
        let outcome = self.search(threads, &limits, handicap.lines(), Some(&filter));
        let lines = last_iteration.into_lines();
        let chosen = handicap.choose(self.game.position(), &lines[..lines.len().min(handicap.lines())]);
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
        multi_pv: usize,
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
            // A single thread counts its own nodes.
            allowance: limits.nodes.filter(|_| counters.len() > 1).map(|nodes| Allowance::new(nodes, counters.len())),
            clock: &self.clock,
            start,
            conventions: self.conventions,
            analysis: self.analysis,
            probes: tablebases.map(|tables| Probes { tables, probing: self.probing, ranking: ranking.as_ref() }),
            listener,
        };
        let result = smp::search(&shared, threads, &self.game, multi_pv);
        let unusable = tablebases.into_iter().flat_map(Tablebases::take_remarks);
        unusable.for_each(|remark| shared.send(|| Event::Trouble(remark)));
        // Measured before the wait for a signal, which takes time but no nodes.
        let (nodes, time) = (shared.nodes(), start.elapsed());
        #[cfg(not(target_family = "wasm"))]
        self.signals.wait();
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
            value: self.conventions.without_contempt(result.value),
            basis: result.basis,
            complete: result.complete,
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

/// Collects the lines of the last complete iteration.
#[derive(Default)]
struct LastIteration(Mutex<Vec<Report>>);

impl LastIteration {
    /// Adds a complete line. The first line of an iteration replaces the iteration before.
    fn add(&self, report: &Report) {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if report.line == 1 {
            lines.clear();
        }
        // Only an iteration whose lines are all reported can be chosen from.
        if report.line == lines.len() + 1 {
            lines.push(report.clone());
        }
    }

    /// The lines, the best first.
    fn into_lines(self) -> Vec<Report> {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::bound::Bound;
    use crate::engine::{Engine, Settings};
    use crate::position::Position;
    use crate::search::Basis;

    fn engine() -> Engine {
        Engine::new(Settings { hash_mib: 1, ..Settings::default() }).0
    }

    /// A search of one node completes no iteration, so none of its lines is complete.
    #[test]
    fn a_line_of_an_interrupted_first_iteration_is_not_complete() {
        let outcome = engine().search(&Game::startpos(), Limits::nodes(1), None);
        let last = outcome.last.expect("a line");
        assert_eq!((last.complete, last.value.bound(), last.basis), (false, Bound::Lower, Basis::Evaluation));
        assert_eq!(last.pv, [outcome.best.expect("a move")]);
    }

    /// Wherever the search ends: an evaluation is exact if its line is complete, and a lower bound if not.
    #[test]
    fn complete_lines_have_exact_evaluations() {
        let moves = ["e2e4", "d7d5", "e4d5", "g8f6"];
        let mut position = Position::startpos();
        moves.into_iter().for_each(|text| position.play(position.parse_move(text).expect("legal")));
        let (game, mut counts) = (Game::new(position), [0, 0]);
        let mut engine = engine();
        for nodes in (1..400).chain((400..40_000).step_by(397)) {
            engine.new_game();
            let last = engine.search(&game, Limits::nodes(nodes), None).last.expect("a line");
            let expected = if last.complete { Bound::Exact } else { Bound::Lower };
            assert_eq!((last.basis, last.value.bound()), (Basis::Evaluation, expected), "{nodes} nodes: {last:?}");
            counts[usize::from(last.complete)] += 1;
        }
        assert!(counts.iter().all(|&count| count > 10), "{counts:?}");
    }

    /// Nothing could stop such a search. A limited strength is a limit.
    #[test]
    fn a_search_without_limits_is_refused() {
        let heard = Mutex::new(Vec::new());
        let hear = |event: Event| match event {
            Event::Message(text) => heard.lock().expect("no panic").push(text),
            other => panic!("{other:?}"),
        };
        let endless = Limits { infinite: true, moves_to_go: Some(10), ..Limits::default() };
        for (count, limits) in [Limits::default(), endless].into_iter().enumerate() {
            let outcome = engine().search(&Game::startpos(), limits, Some(&hear));
            assert!(outcome.best.is_none() && outcome.last.is_none() && outcome.nodes == 0);
            assert_eq!(heard.lock().expect("no panic").len(), count + 1);
        }
        let weak = Settings { hash_mib: 1, skill: 0, ..Settings::default() };
        assert!(Engine::new(weak).0.search(&Game::startpos(), Limits::default(), None).best.is_some());
    }
}
