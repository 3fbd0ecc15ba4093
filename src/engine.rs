//! The engine as a library: settings, a game and limits in, events out. It never prints.

#[cfg(not(target_family = "wasm"))]
mod background;
#[cfg(target_family = "wasm")]
mod foreground;
pub mod handicap;

use std::cell::Cell;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use shakmaty::Move;

use crate::bound::Ibv;
use crate::eval::Evaluation;
use crate::eval::nnue::{LoadError, Network};
use crate::position::{Game, Position};
use crate::recognize::syzygy::{Probing, Tablebases};
use crate::score::DrawRule;
use crate::search::iterate::ThreadResult;
use crate::search::lessons::{Lesson, LessonRule, Lessons};
use crate::search::past::Past;
use crate::search::{
    Allowance, Conventions, Event, Listener, NodeCounter, Outcome, Probes, Report, STACK_SIZE, Shared, SharedBest,
    ThreadData, pv, value_for_root,
};
use crate::smp;
use crate::time::{Clock, Limits};
use crate::tt::TranspositionTable;
#[cfg(not(target_family = "wasm"))]
use background::Running;
#[cfg(target_family = "wasm")]
use foreground::Running;
use handicap::Handicap;

/// The largest transposition table that can be set, in MiB. In WebAssembly no allocation has 2 GiB.
pub const LARGEST_HASH: usize = if cfg!(target_family = "wasm") { 2047 } else { 1 << 20 };
/// The most search threads that can be set.
pub const MOST_THREADS: usize = if cfg!(target_family = "wasm") { 1 } else { 512 };

/// The settings of the engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Size of the transposition table in MiB.
    pub hash_mib: usize,
    /// Search threads.
    pub threads: usize,
    /// Lines to keep.
    pub multi_pv: usize,
    /// What the GUI and the wires take of every move.
    pub move_overhead: Duration,
    /// Nodes that count as a millisecond, instead of time; 0 for time.
    pub nodes_time: u64,
    /// Centipawns that a draw is worth less to the side that searches; positive avoids draws.
    pub contempt: i32,
    /// Whether contempt and the draw rule stay on in analysis.
    pub analysis_contempt: bool,
    /// Which draws the side that searches prefers.
    pub draws: DrawRule,
    /// Whether the user analyses: no contempt, all draws equal.
    pub analyse_mode: bool,
    /// The rating to play at, in games.
    pub elo: u32,
    /// Whether that rating counts.
    pub limit_strength: bool,
    /// The level of `Skill Level`, which stands for a rating (see [`handicap::rating_of_skill`]) where the strength is not
    /// limited by `elo`; [`handicap::FULL_SKILL`] and more for full strength.
    pub skill: u32,
    /// A network file to evaluate with; empty for the program's own evaluation, `classical` for the hand-written one.
    pub eval_file: String,
    /// Whether evaluations are raw, as training data need them: no scaling by material or ending, no damping by the
    /// 50-move clock.
    pub raw_evaluation: bool,
    /// Folders with Syzygy tablebases, separated as in `PATH`; empty for none.
    pub syzygy_path: String,
    /// When tablebases are probed.
    pub probing: Probing,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            hash_mib: 16,
            threads: 1,
            multi_pv: 1,
            move_overhead: Duration::from_millis(10),
            nodes_time: 0,
            contempt: 0,
            analysis_contempt: false,
            draws: DrawRule::Later,
            analyse_mode: false,
            elo: handicap::STRONGEST,
            limit_strength: false,
            skill: handicap::FULL_SKILL,
            eval_file: String::new(),
            raw_evaluation: false,
            syzygy_path: String::new(),
            probing: Probing::default(),
        }
    }
}

impl Settings {
    /// The draw rule and the contempt of a search: neutral in analysis, unless the user wants otherwise. Several lines
    /// are analysis as well: they stand in the order of their scores, which contempt that is not reported would upset.
    pub fn conventions(&self, analysis: bool) -> Conventions {
        if (self.analyse_mode || analysis || self.multi_pv > 1) && !self.analysis_contempt {
            return Conventions::default();
        }
        Conventions { draws: self.draws, contempt: self.contempt }
    }
}

/// A new random seed for each process.
fn random_seed() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// Receives the events of a search, called from its threads.
pub type Sink = Arc<dyn Fn(&Event) + Send + Sync>;

thread_local! {
    /// Whether this thread has a stack of [`STACK_SIZE`].
    static HAS_SEARCH_STACK: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work` on a stack that is large enough for searches: on this thread if it has one, otherwise on a new thread.
///
/// [`Engine::search`] does so by itself. Who makes many short searches saves the threads by one call around them all.
///
/// # Errors
///
/// The system could not start a thread.
pub fn with_search_stack<T: Send>(work: impl FnOnce() -> T + Send) -> io::Result<T> {
    // In WebAssembly there is one thread, and who links the program gives it such a stack.
    if cfg!(target_family = "wasm") || HAS_SEARCH_STACK.get() {
        return Ok(work());
    }
    thread::scope(|scope| {
        let body = || {
            HAS_SEARCH_STACK.set(true);
            work()
        };
        let spawned = thread::Builder::new().stack_size(STACK_SIZE).spawn_scoped(scope, body)?;
        Ok(spawned.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}

/// What the transposition table has of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Remembered {
    /// The value with its bound, for the side to move in the game; [`Ibv::NONE`] if nothing of it holds.
    pub value: Ibv,
    /// Whether a value was stored, even if it does not hold at this clock.
    pub stored: bool,
    /// The depth of the search below the position.
    pub depth: i32,
    /// The best or refuting move.
    pub best: Option<Move>,
    /// How many searches ago it was stored; 0 is the last search.
    pub searches_ago: u8,
}

/// The signals of a search, and the condition variable for its waiting thread.
#[derive(Default)]
struct Signals {
    /// Ends the search; the search sets it too, at its limits.
    stop: AtomicBool,
    /// The user has said stop: nothing holds the move back any more.
    released: AtomicBool,
    pondering: AtomicBool,
    clock: Mutex<Option<Arc<Clock>>>,
    lock: Mutex<()>,
    changed: Condvar,
}

impl Signals {
    fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
        self.released.store(true, Ordering::Relaxed);
        self.pondering.store(false, Ordering::Relaxed);
        self.notify();
    }

    fn ponderhit(&self) {
        if let Some(clock) = self.clock.lock().unwrap_or_else(PoisonError::into_inner).as_ref() {
            clock.ponderhit();
        }
        // A thread that reads `false` here reads the clock that was set above, too.
        self.pondering.store(false, Ordering::Release);
        self.notify();
    }

    fn notify(&self) {
        let _guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        self.changed.notify_all();
    }

    /// Whether the move may be sent: an infinite search waits for `stop`, pondering for either signal.
    fn may_answer(&self, infinite: bool) -> bool {
        self.released.load(Ordering::Relaxed) || !(infinite || self.pondering.load(Ordering::Relaxed))
    }

    /// Waits until the move may be sent.
    #[cfg(not(target_family = "wasm"))]
    fn wait(&self, infinite: bool) {
        let mut guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        while !self.may_answer(infinite) {
            guard = self.changed.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// What separates the folders of `SyzygyPath`. One more at the end marks a path that was met only in part: it opens the
/// same folders, and the path that was set is another text, so that the same line is not passed over.
const MET_IN_PART: char = if cfg!(windows) { ';' } else { ':' };

/// More bytes than a thread's [`ThreadData`] takes, and enough to go on with once the last one has been granted.
const AMPLE: usize = 48 << 20;

/// A chess engine.
///
/// ```
/// use std::sync::{Arc, Mutex, mpsc};
///
/// use ibex::engine::{Engine, Settings};
/// use ibex::position::Game;
/// use ibex::search::Event;
/// use ibex::time::Limits;
///
/// let (mut engine, remarks) = Engine::new(Settings { hash_mib: 8, ..Settings::default() });
/// assert!(remarks.is_empty()); // all settings could be met
///
/// // On a thread of its own, until it is stopped; events come from that thread.
/// let (sender, events) = mpsc::channel();
/// let sender = Mutex::new(sender);
/// let sink = Arc::new(move |event: &Event| sender.lock().unwrap().send(event.clone()).unwrap());
/// let limits = Limits { infinite: true, ..Limits::default() };
/// engine.start(Game::startpos(), limits, sink)?;
/// engine.stop();
/// let outcome = events.iter().find_map(|event| match event {
///     Event::Done(outcome) => Some(outcome),
///     _ => None,
/// });
/// assert!(outcome.and_then(|outcome| outcome.best).is_some());
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Engine {
    settings: Settings,
    table: Arc<TranspositionTable>,
    evaluation: Evaluation,
    tables: Option<Arc<Tablebases>>,
    threads: Vec<ThreadData>,
    /// What the choices of a handicap are drawn from; another one for each game.
    seed: u64,
    signals: Arc<Signals>,
    running: Running,
}

impl Engine {
    /// An engine with these settings, and remarks where they could not be met.
    pub fn new(mut settings: Settings) -> (Engine, Vec<String>) {
        let (table, remark) = TranspositionTable::new(settings.hash_mib);
        let mut remarks: Vec<String> = remark.into_iter().collect();
        let evaluation = evaluation_of(&settings.eval_file).unwrap_or_else(|error| {
            remarks.push(error.to_string());
            settings.eval_file.clear();
            Evaluation::default()
        });
        settings.hash_mib = table.mib();
        let (tables, unusable) = tables_of(&settings.syzygy_path);
        if tables.is_none() {
            settings.syzygy_path.clear();
        } else if !unusable.is_empty() {
            settings.syzygy_path.push(MET_IN_PART);
        }
        remarks.extend(unusable);
        let mut engine = Engine {
            table: Arc::new(table),
            evaluation,
            tables,
            threads: Vec::new(),
            seed: random_seed(),
            signals: Arc::default(),
            running: Running::default(),
            settings,
        };
        remarks.extend(engine.fit_threads());
        (engine, remarks)
    }

    /// The settings in force. Where memory is short, the sizes are those that there is memory for; a path of tablebases that
    /// was met in part has an empty folder at its end.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The evaluation in use.
    pub fn evaluation(&self) -> &Evaluation {
        &self.evaluation
    }

    /// The tablebases in use.
    pub fn tablebases(&self) -> Option<&Tablebases> {
        self.tables.as_deref()
    }

    /// What the table has of the last position of a game, as a search that begins there would read it.
    pub fn remembered(&self, game: &Game) -> Option<Remembered> {
        self.recall(game, game.position(), 0)
    }

    /// What the table has of the position after a move, for the side that makes the move. A search does not store the
    /// position that it begins with, but these it does.
    pub fn remembered_after(&self, game: &Game, m: Move) -> Option<Remembered> {
        self.recall(game, &game.position().after(m), 1)
    }

    fn recall(&self, game: &Game, position: &Position, ply: usize) -> Option<Remembered> {
        // Searches with different conventions have keys of their own; those of analysis are neutral.
        let ways = [self.settings.conventions(false), self.settings.conventions(true)];
        ways.into_iter().find_map(|conventions| {
            let (entry, searches_ago) = self.table.probe_with_age(Past::new(conventions, game).key(position, ply))?;
            Some(Remembered {
                value: value_for_root(entry.value, position, ply, conventions),
                stored: entry.value.is_some(),
                depth: entry.depth,
                best: entry.best.and_then(|best| position.find(best)),
                searches_ago,
            })
        })
    }

    /// Takes new settings, after the running search (if any) has ended; returns remarks where they could not be met. A
    /// network or tablebases that cannot be used leave the setting before in force. What could not be met, or only in part,
    /// is tried again when it is set again.
    pub fn apply(&mut self, mut settings: Settings) -> Vec<String> {
        self.wait();
        let mut remarks = Vec::new();
        if settings.hash_mib != self.settings.hash_mib {
            match Arc::get_mut(&mut self.table) {
                Some(table) => remarks.extend(table.resize(settings.hash_mib, settings.threads)),
                None => debug_assert!(false, "no search holds the table"),
            }
            settings.hash_mib = self.table.mib();
        }
        if settings.eval_file != self.settings.eval_file {
            match evaluation_of(&settings.eval_file) {
                Ok(evaluation) => {
                    self.evaluation = evaluation;
                    // What was learned and stored belongs to the old evaluation.
                    self.threads.clear();
                    self.table.clear(settings.threads);
                }
                Err(error) => {
                    remarks.push(format!("{error}; the evaluation stays as it was"));
                    settings.eval_file.clone_from(&self.settings.eval_file);
                }
            }
        }
        if settings.raw_evaluation != self.settings.raw_evaluation {
            // Stored evaluations and what was learned of them belong to the other scale.
            self.threads.clear();
            self.table.clear(settings.threads);
        }
        if settings.syzygy_path != self.settings.syzygy_path {
            let (tables, unusable) = tables_of(&settings.syzygy_path);
            if tables.is_none() && !unusable.is_empty() {
                settings.syzygy_path.clone_from(&self.settings.syzygy_path);
            } else {
                self.tables = tables;
                if !unusable.is_empty() {
                    settings.syzygy_path.push(MET_IN_PART);
                }
            }
            remarks.extend(unusable);
        }
        if settings.probing.fifty_moves != self.settings.probing.fifty_moves {
            // What is stored of spoiled wins means something else now.
            self.table.clear(settings.threads);
        }
        self.settings = settings;
        remarks.extend(self.fit_threads());
        remarks
    }

    /// The data of each thread, or of fewer, and a remark if the system has no more. The setting is then what there is.
    fn fit_threads(&mut self) -> Option<String> {
        let wanted = self.settings.threads.max(1);
        self.settings.threads = wanted;
        self.threads.truncate(wanted);
        while self.threads.len() < wanted {
            // A failed allocation would end the program, so the system is probed first, with something to spare. The
            // first thread's data it must have.
            let enough = Vec::<u8>::new().try_reserve_exact(AMPLE + STACK_SIZE).is_ok();
            if !enough && !self.threads.is_empty() {
                self.settings.threads = self.threads.len();
                return Some(format!("no memory for {wanted} threads; searching with {}", self.threads.len()));
            }
            self.threads.push(ThreadData::new(&self.evaluation, self.settings.raw_evaluation));
        }
        None
    }

    /// Forgets everything learned, for a new game.
    pub fn new_game(&mut self) {
        self.wait();
        self.seed = random_seed();
        self.table.forget(self.settings.threads);
        for thread in &mut self.threads {
            thread.clear();
        }
    }

    /// Has the searches of a single thread collect lessons for the network, until the evaluation is replaced.
    pub fn collect_lessons(&mut self, rule: LessonRule) {
        self.wait();
        if let Some(thread) = self.threads.first_mut() {
            thread.lessons = Some(Lessons::new(rule));
        }
    }

    /// Takes out the lessons of the searches so far, with the keys of their positions.
    pub fn take_lessons(&mut self) -> Vec<(u64, Lesson)> {
        self.wait();
        let lessons = self.threads.first_mut().and_then(|thread| thread.lessons.as_mut());
        lessons.map(Lessons::take).unwrap_or_default()
    }

    /// Makes the choices of a handicap repeatable, until the next new game.
    pub fn set_seed(&mut self, seed: u64) {
        self.wait();
        self.seed = seed;
    }

    /// Empties the table.
    pub fn clear_hash(&mut self) {
        self.wait();
        self.table.clear(self.settings.threads);
    }

    /// The transposition table.
    pub fn table(&self) -> &TranspositionTable {
        &self.table
    }

    /// Searches and returns when done; the listener gets every event but [`Event::Done`]. Never waits for signals.
    pub fn search(&mut self, game: &Game, limits: Limits, listener: Listener<'_>) -> Outcome {
        self.wait();
        let limits = Limits { infinite: false, ponder: false, ..limits };
        let clock = self.prepare(game, &limits);
        let job = self.job(game.clone(), limits, clock);
        with_search_stack(|| job.run(&mut self.threads, listener)).unwrap_or_else(|error| {
            log::error!("could not start a search thread: {error}");
            Outcome { best: None, ponder: None, last: None, nodes: 0, time: Duration::ZERO }
        })
    }

    fn job(&self, game: Game, limits: Limits, clock: Arc<Clock>) -> Job {
        let handicap = self.handicap(&limits);
        let analysis = self.is_analysis(&limits);
        Job {
            // A strength that is limited must not depend on what other searches have left.
            table: if handicap.is_some() { Arc::new(TranspositionTable::new(1).0) } else { Arc::clone(&self.table) },
            signals: Arc::clone(&self.signals),
            clock,
            conventions: self.settings.conventions(analysis),
            analysis,
            tables: if handicap.is_some() { None } else { self.tables.clone() },
            probing: self.settings.probing,
            lines: self.settings.multi_pv,
            handicap,
            limits,
            game,
        }
    }

    /// Whether the user wants the truth about a position rather than an opponent.
    fn is_analysis(&self, limits: &Limits) -> bool {
        self.settings.analyse_mode || limits.infinite || limits.mate.is_some()
    }

    /// The handicap of a search; none in analysis.
    fn handicap(&self, limits: &Limits) -> Option<Handicap> {
        let settings = &self.settings;
        let by_skill = handicap::rating_of_skill(settings.skill);
        let rating = if settings.limit_strength { Some(settings.elo) } else { by_skill };
        rating.filter(|_| !self.is_analysis(limits)).map(|rating| Handicap::new(rating, self.seed))
    }

    fn prepare(&self, game: &Game, limits: &Limits) -> Arc<Clock> {
        let settings = &self.settings;
        let clock = Clock::new(
            limits,
            game.position().turn(),
            game.position().game_ply(),
            settings.move_overhead,
            Instant::now(),
        );
        let clock = Arc::new(clock.with_nodestime(settings.nodes_time));
        self.signals.stop.store(false, Ordering::Relaxed);
        self.signals.released.store(false, Ordering::Relaxed);
        self.signals.pondering.store(limits.ponder, Ordering::Relaxed);
        *self.signals.clock.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&clock));
        clock
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.stop();
        self.wait();
    }
}

/// The tables of a path, and remarks on what cannot be used. In debug builds they judge the recognizers from now on.
fn tables_of(path: &str) -> (Option<Arc<Tablebases>>, Vec<String>) {
    let (tables, remarks) = Tablebases::open(path);
    #[cfg(debug_assertions)]
    if let Some(tables) = &tables {
        tables.judge_recognizers();
    }
    (tables, remarks)
}

/// The evaluation that a name stands for: see [`Settings::eval_file`].
///
/// # Errors
///
/// A [`LoadError`] if the name is a file that cannot be read or is no network that fits.
pub fn evaluation_of(name: &str) -> Result<Evaluation, LoadError> {
    match name {
        "" => Ok(Evaluation::default()),
        "classical" => Ok(Evaluation::Classical),
        path => Network::load(Path::new(path)).map(|network| Evaluation::Network(Arc::new(network))),
    }
}

/// One search, ready to run.
struct Job {
    table: Arc<TranspositionTable>,
    signals: Arc<Signals>,
    clock: Arc<Clock>,
    conventions: Conventions,
    analysis: bool,
    tables: Option<Arc<Tablebases>>,
    probing: Probing,
    lines: usize,
    handicap: Option<Handicap>,
    limits: Limits,
    game: Game,
}

impl Job {
    /// Searches; afterwards waits for the signals that an infinite or ponder search needs before it may send its move.
    fn run(&self, threads: &mut [ThreadData], sink: Listener<'_>) -> Outcome {
        match &self.handicap {
            None => self.search(threads, &self.limits, self.lines, sink),
            Some(handicap) => self.held_back(handicap, threads, sink),
        }
    }

    /// Searches as a weaker player: with the handicap's limits, on one thread that remembers nothing, and with its choice
    /// among the lines. The user sees as many of them as `MultiPV` says, but causes no others: more lines would take the
    /// nodes of those that are chosen from, and make the player weaker than it says.
    fn held_back(&self, handicap: &Handicap, threads: &mut [ThreadData], sink: Listener<'_>) -> Outcome {
        let threads = &mut threads[..1];
        threads.iter_mut().for_each(ThreadData::clear);
        let latest: Mutex<Vec<Report>> = Mutex::default();
        let listener = |event: Event| match event {
            Event::Line(report) if report.complete => {
                let mut latest = latest.lock().unwrap_or_else(PoisonError::into_inner);
                if report.line == 1 {
                    latest.clear();
                }
                // Only an iteration whose lines are all reported can be chosen from.
                if report.line == latest.len() + 1 {
                    latest.push(report.clone());
                }
                if let Some(sink) = sink
                    && report.line <= self.lines
                {
                    sink(Event::Line(Report { lines: report.lines.min(self.lines), ..report }));
                }
            }
            Event::Line(_) => (),
            other => {
                if let Some(sink) = sink {
                    sink(other);
                }
            }
        };
        let limits = handicap.limits(&self.game, &self.limits);
        let outcome = self.search(threads, &limits, handicap.lines(), Some(&listener));
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

    fn search(&self, threads: &mut [ThreadData], limits: &Limits, lines: usize, sink: Listener<'_>) -> Outcome {
        self.table.new_search();
        let start = Instant::now();
        let ranking = self.tables.as_ref().and_then(|tables| tables.rank_root(&self.game, &self.probing));
        let counters: Vec<NodeCounter> = threads.iter().map(|_| NodeCounter::default()).collect();
        let shared = Shared {
            tt: &self.table,
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
            probes: self.tables.as_deref().map(|tables| Probes {
                tables,
                probing: self.probing,
                ranking: ranking.as_ref(),
            }),
            sink,
        };
        let finding = smp::search(&shared, threads, &self.game, lines);
        let unusable = self.tables.iter().flat_map(|tables| tables.take_remarks());
        unusable.for_each(|remark| shared.send(|| Event::Message(remark)));
        // What the search took: to wait for a signal takes time and no nodes.
        let (nodes, time) = (shared.nodes(), start.elapsed());
        #[cfg(not(target_family = "wasm"))]
        self.signals.wait(self.limits.infinite);
        match finding {
            None => Outcome { best: None, ponder: None, last: None, nodes, time },
            Some(finding) => self.outcome(&finding, &shared, time),
        }
    }

    fn outcome(&self, finding: &ThreadResult, shared: &Shared<'_>, time: Duration) -> Outcome {
        let pv = pv::unpack(&self.game, &finding.pv);
        let ponder = pv.get(1).copied().or_else(|| self.ponder_from_table(finding));
        let last = Report {
            depth: finding.depth.max(0) as u32,
            seldepth: finding.seldepth.max(finding.depth.max(0) as usize) as u32,
            line: 1,
            lines: 1,
            value: self.conventions.to_uci(finding.value),
            basis: finding.basis,
            complete: true,
            nodes: shared.nodes(),
            time,
            hashfull: self.table.hashfull(),
            tbhits: shared.tbhits(),
            pv,
        };
        Outcome { best: Some(finding.best), ponder, last: Some(last), nodes: shared.nodes(), time }
    }

    /// The reply that the table expects, when the line is only one move long.
    fn ponder_from_table(&self, finding: &ThreadResult) -> Option<shakmaty::Move> {
        let mut game = self.game.clone();
        game.play(finding.best);
        if game.outcome().is_some() {
            return None;
        }
        let entry = self.table.probe(Past::new(self.conventions, &self.game).key(game.position(), 1))?;
        entry.best.and_then(|reply| game.position().find(reply))
    }
}
