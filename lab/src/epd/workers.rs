//! The workers of a run: each takes one contestant's positions after the other, and sends the results.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use crossbeam_channel::Receiver;

use super::judge::{Follower, best_by_points};
use super::record::{PlayerHead, Record, Status};
use crate::play::external::{External, Program};
use crate::play::player::{Answer, Budget, BuiltIn, Player, Question, Trouble};
use formats::epd::{Suite, SuiteEntry};
use ibex::bound::Bound;
use ibex::engine::Settings;
use ibex::position::Move;
use ibex::position::notation::{san, san_line, uci};
use terminal::{CommandError, interrupt, remark, trouble};

/// A participant of the run.
#[derive(Clone)]
pub(super) struct Contestant {
    pub head: PlayerHead,
    pub kind: Kind,
}

/// The searcher: Ibex itself with these settings and this patience, or a program.
#[derive(Clone)]
pub(super) enum Kind {
    BuiltIn(Settings, Option<Duration>),
    Program(Program),
}

impl Contestant {
    fn player(&self) -> Box<dyn Player> {
        match &self.kind {
            Kind::BuiltIn(settings, patience) => Box::new(BuiltIn::new(settings.clone(), *patience)),
            Kind::Program(program) => Box::new(External::waiting(program.clone(), self.head.name.clone())),
        }
    }
}

/// One search to make.
pub(super) struct PositionTask<'a> {
    pub contestant: usize,
    pub suite: &'a Suite,
    pub entry: &'a SuiteEntry,
}

/// The searches of one contestant, and the number of workers that make them or have yet to reach them.
struct Queue<'a> {
    contestant: usize,
    tasks: &'a [PositionTask<'a>],
    next: AtomicUsize,
    workers: AtomicUsize,
}

impl<'a> Queue<'a> {
    fn take(&self) -> Option<&'a PositionTask<'a>> {
        self.tasks.get(self.next.fetch_add(1, Ordering::Relaxed))
    }

    /// Takes a worker off the queue; false if it is the last one.
    fn leave_to_others(&self) -> bool {
        let others = |workers: usize| workers.checked_sub(1).filter(|&others| others > 0);
        self.workers.fetch_update(Ordering::Relaxed, Ordering::Relaxed, others).is_ok()
    }
}

/// The outcome of a worker's work.
enum Outcome {
    /// A position was searched, with or without success.
    Searched(Record),
    /// The engine did not start for a position.
    Missed(Record),
    /// The engine of this contestant does not start anywhere.
    GivenUp(usize),
}

/// The shared state of the workers.
pub(super) struct Workers<'a> {
    pub contestants: &'a [Contestant],
    pub budget: Budget,
    pub hold: Option<u32>,
}

impl Workers<'_> {
    /// Makes the searches on `jobs` workers. On this thread, `warn` gets each record at once, and `keep` those that
    /// count; `keep` may end the run with an error.
    ///
    /// If the system refuses a thread, the existing workers do all the work. Returns the contestants that were given
    /// up. Positions for which they did not start have no record.
    ///
    /// # Errors
    ///
    /// One line: that of `keep`, or that the system cannot start any thread.
    pub fn run<'t>(
        &self,
        tasks: &'t [PositionTask<'t>],
        jobs: usize,
        warn: impl Fn(&Record),
        keep: impl FnMut(Record) -> Result<(), CommandError>,
    ) -> Result<BTreeSet<usize>, CommandError> {
        let wanted = jobs.min(tasks.len());
        let queue = |tasks: &'t [PositionTask<'t>]| Queue {
            contestant: tasks[0].contestant,
            tasks,
            next: AtomicUsize::new(0),
            workers: AtomicUsize::new(wanted),
        };
        let queues: Vec<_> = tasks.chunk_by(|one, next| one.contestant == next.contestant).map(queue).collect();
        let cancelled = AtomicBool::new(false);
        thread::scope(|scope| {
            let (sender, receiver) = crossbeam_channel::bounded(64);
            // No worker begins before their number is known: the last one must see that it is the last.
            let (gate, opened) = crossbeam_channel::bounded::<Infallible>(0);
            let mut started = 0;
            while started < wanted {
                let (sender, opened) = (sender.clone(), opened.clone());
                let (queues, cancelled, worker) = (&queues, &cancelled, started);
                let work = move || {
                    // The gate opens when its other end is dropped.
                    let _ = opened.recv();
                    self.work(queues, cancelled, &|outcome| sender.send((worker, outcome)).is_ok());
                };
                match thread::Builder::new().spawn_scoped(scope, work) {
                    Ok(_) => started += 1,
                    Err(error) if started == 0 => return Err(trouble!("no thread to search on: {error}")),
                    Err(error) => {
                        remark!("ibex-lab epd: {started} positions at once, not {wanted}: {error}");
                        break;
                    }
                }
            }
            queues.iter().for_each(|queue| queue.workers.store(started, Ordering::Relaxed));
            drop(gate);
            drop(sender);
            let result = self.collect(receiver, warn, keep);
            // A worker ends when its search is done.
            cancelled.store(result.is_err(), Ordering::Relaxed);
            result
        })
    }

    /// Works on one contestant's queue after the other.
    fn work(&self, queues: &[Queue<'_>], cancelled: &AtomicBool, send: &dyn Fn(Outcome) -> bool) {
        // A worker that leaves a contestant to others continues with the next one.
        let _ = queues.iter().try_for_each(|queue| self.work_on(queue, cancelled, send));
    }

    /// Searches a contestant's positions until none are left or the engine is given up; breaks at the end of all work.
    fn work_on(&self, queue: &Queue<'_>, cancelled: &AtomicBool, send: &dyn Fn(Outcome) -> bool) -> ControlFlow<()> {
        let contestant = &self.contestants[queue.contestant];
        let mut player: Option<Box<dyn Player>> = None;
        while !cancelled.load(Ordering::Relaxed) && !interrupt::is_stopped() {
            // An engine that fails here may run elsewhere, and would fail all positions before others have seen one.
            if player.as_ref().is_some_and(|player| player.is_given_up()) {
                if queue.leave_to_others() || send(Outcome::GivenUp(queue.contestant)) {
                    return ControlFlow::Continue(());
                }
                break;
            }
            let Some(task) = queue.take() else { return ControlFlow::Continue(()) };
            let player = player.get_or_insert_with(|| contestant.player());
            let mut follower = Follower::new(task.entry, self.hold);
            let result = player.think(Question::of(task.entry, &self.budget), &mut |line| follower.follow(line));
            // An interrupted search is not kept: its position is searched again when the run continues.
            if interrupt::is_stopped() || matches!(result, Err(Trouble::Interrupted)) {
                break;
            }
            let outcome =
                if matches!(result, Err(Trouble::NotStarted(_))) { Outcome::Missed } else { Outcome::Searched };
            if !send(outcome(record(&contestant.head.label, &task.suite.name, task.entry, follower, result))) {
                break;
            }
        }
        ControlFlow::Break(())
    }

    /// Collects what the workers send, each with its number, until all have ended.
    fn collect(
        &self,
        outcomes: Receiver<(usize, Outcome)>,
        warn: impl Fn(&Record),
        mut keep: impl FnMut(Record) -> Result<(), CommandError>,
    ) -> Result<BTreeSet<usize>, CommandError> {
        // Whether a position counts as lost shows later: if the engine is given up, a later run must search it.
        let mut missed: Vec<(usize, Record)> = Vec::new();
        let (mut given_up, mut searched) = (BTreeSet::new(), BTreeSet::new());
        for (worker, outcome) in outcomes {
            match outcome {
                Outcome::Missed(record) => {
                    warn(&record);
                    missed.push((worker, record));
                }
                Outcome::Searched(record) => {
                    warn(&record);
                    searched.insert(record.player.clone());
                    // The engine has started again.
                    let lost = |(whose, old): &mut (usize, Record)| *whose == worker && old.player == record.player;
                    let lost: Vec<_> = missed.extract_if(.., lost).collect();
                    lost.into_iter().try_for_each(|(_, record)| keep(record))?;
                    keep(record)?;
                }
                Outcome::GivenUp(contestant) => {
                    let label = &self.contestants[contestant].head.label;
                    missed.retain(|(_, record)| record.player != *label);
                    given_up.insert(contestant);
                }
            }
        }
        // Other instances have searched the rest.
        if !interrupt::is_stopped() {
            // With more workers than positions, each may fail too rarely to give up an engine that never starts.
            for (contestant, head) in self.contestants.iter().map(|contestant| &contestant.head).enumerate() {
                if !searched.contains(&head.label) && missed.iter().any(|(_, record)| record.player == head.label) {
                    missed.retain(|(_, record)| record.player != head.label);
                    given_up.insert(contestant);
                }
            }
            missed.into_iter().try_for_each(|(_, record)| keep(record))?;
        }
        Ok(given_up)
    }
}

/// Records the result of a search of an entry of this suite.
pub(crate) fn record(
    player: &str,
    suite: &str,
    entry: &SuiteEntry,
    follower: Follower<'_>,
    result: Result<Answer, Trouble>,
) -> Record {
    let position = &entry.position;
    let (answer, status, trouble) = match result {
        Ok(answer) => (answer, Status::Ok, None),
        Err(Trouble::Died(what) | Trouble::NotStarted(what)) => (Answer::default(), Status::Died, Some(what)),
        Err(Trouble::Timeout(what)) => (Answer::default(), Status::Timeout, Some(what)),
        Err(Trouble::Illegal(what)) => (Answer::default(), Status::Illegal, Some(what)),
        Err(Trouble::Unfit(what)) => (Answer::default(), Status::Unfit, Some(what)),
        Err(Trouble::Interrupted) => (Answer::default(), Status::Died, Some("interrupted".to_owned())),
    };
    let judged = follower.judge(&answer);
    let solved = judged.solved && status == Status::Ok;
    let names = |moves: &[Move]| -> Vec<String> { moves.iter().map(|&m| san(position, m)).collect() };
    Record {
        player: player.to_owned(),
        suite: suite.to_owned(),
        line: entry.line,
        id: entry.id.clone().unwrap_or_else(|| format!("{suite}:{}", entry.line)),
        fen: position.fen(),
        bm: names(&entry.best),
        am: names(&entry.avoid),
        dm: entry.mate,
        status,
        trouble,
        solved,
        // A player that failed has announced nothing.
        mate: judged.mate.filter(|_| status == Status::Ok),
        points: judged.points,
        best_of_points: names(&best_by_points(entry)),
        found: judged.found.filter(|_| solved),
        best: answer.best.map(|m| uci(position, m)),
        best_san: answer.best.map(|m| san(position, m)),
        score: judged.value.map(|(value, _)| value),
        bound: judged.value.and_then(|(_, bound)| match bound {
            Bound::Exact => None,
            Bound::Lower => Some("lower".to_owned()),
            Bound::Upper => Some("upper".to_owned()),
        }),
        depth: judged.depth,
        seldepth: judged.seldepth,
        nodes: answer.nodes,
        ms: answer.ms,
        pv: san_line(position, &judged.pv),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::epd::judge::MateVerdict;
    use formats::epd::parse_line;

    #[test]
    fn a_failed_search_has_no_mate_verdict() {
        let entry = parse_line("7k/8/8/8/8/8/8/K7 w - - dm 0;", 1).expect("a line").expect("a good one");
        let mate = |result| record("p", "s", &entry, Follower::new(&entry, None), result).mate;
        assert_eq!(mate(Err(Trouble::Died("it ended".to_owned()))), None);
        let best = entry.position.legal_moves().first().copied();
        assert_eq!(mate(Ok(Answer { best, ..Answer::default() })), Some(MateVerdict::Exact));
    }
}
