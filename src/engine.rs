//! The engine as a library: settings, a game and limits in, events out. It never prints.

#[cfg(not(target_family = "wasm"))]
mod background;
#[cfg(target_family = "wasm")]
mod foreground;
pub mod handicap;
mod job;
mod settings;
mod signals;

use std::cell::Cell;
use std::cmp::Reverse;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use crate::bound::Ibv;
use crate::eval::nnue::{LoadError, Network};
use crate::position::{Game, Move, Position};
use crate::recognize::syzygy::Tablebases;
use crate::search::Past;
use crate::search::state::lessons::{Lesson, LessonRule, LessonSearch, Lessons};
use crate::search::{Event, Listener, Outcome, STACK_SIZE, ThreadData, value_for_root};
use crate::time::{Clock, Limits};
use crate::tt::TranspositionTable;
#[cfg(not(target_family = "wasm"))]
use background::Running;
#[cfg(target_family = "wasm")]
use foreground::Running;
use handicap::Handicap;
use job::Job;
pub use settings::{
    LARGEST_CONTEMPT, LARGEST_HASH, LARGEST_PROBE_DEPTH, LARGEST_PROBE_LIMIT, LONGEST_OVERHEAD, MOST_LINES,
    MOST_NODES_TIME, MOST_THREADS, Settings, SyzygyPath,
};
use signals::Signals;

/// A new random seed for each process.
fn random_seed() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// Receives the events of a search, called from its threads.
pub type SharedListener = Arc<dyn Fn(&Event) + Send + Sync>;

thread_local! {
    /// Whether this thread has a stack of [`STACK_SIZE`].
    static HAS_SEARCH_STACK: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work` on a stack that is large enough for searches: on this thread if it has one, otherwise on a new thread.
///
/// [`Engine::search`] does this itself. A caller that makes many short searches saves threads with one call around
/// all of them.
///
/// # Errors
///
/// The system could not start a thread.
pub fn with_search_stack<T: Send>(work: impl FnOnce() -> T + Send) -> io::Result<T> {
    // In WebAssembly the thread of the session searches, and the link step gives it such a stack.
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

/// An entry of the transposition table, for a position of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TtProbe {
    /// The value with its bound, for the side to move in the game; `None` if nothing of it holds.
    pub value: Option<Ibv>,
    /// Whether a value was stored, even if it does not hold at this clock.
    pub stored: bool,
    /// Whether a tablebase gave the value.
    pub probed: bool,
    /// The depth of the search below the position.
    pub depth: i32,
    /// The best or refuting move.
    pub best: Option<Move>,
    /// How many searches ago it was stored; 0 is the last search.
    pub searches_ago: u8,
}

/// More bytes than a thread's [`ThreadData`] takes, with a reserve for what follows.
const MEMORY_PER_THREAD: usize = 48 << 20;

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
/// let listener = Arc::new(move |event: &Event| sender.lock().unwrap().send(event.clone()).unwrap());
/// let limits = Limits { infinite: true, ..Limits::default() };
/// engine.start(Game::startpos(), limits, listener)?;
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
    tt: Arc<TranspositionTable>,
    network: Arc<Network>,
    tablebases: Option<Arc<Tablebases>>,
    threads: Vec<ThreadData>,
    /// The seed of a handicap's choices; a new one for each game.
    seed: u64,
    signals: Arc<Signals>,
    running: Running,
}

impl Engine {
    /// An engine with these settings, and remarks where they could not be met: on numbers out of range, too little
    /// memory, and files that cannot be used. [`Engine::settings`] then says what holds instead.
    pub fn new(mut settings: Settings) -> (Engine, Vec<String>) {
        let mut remarks = settings.move_into_range();
        let (tt, remark) = TranspositionTable::new(settings.hash_mib);
        remarks.extend(remark);
        let network = network_of(&settings.eval_file).unwrap_or_else(|error| {
            remarks.push(error.to_string());
            settings.eval_file.clear();
            Network::embedded()
        });
        settings.hash_mib = tt.mib();
        let (tablebases, unusable) = open_tablebases(&settings.syzygy_path.folders);
        match &tablebases {
            None => settings.syzygy_path = SyzygyPath::default(),
            Some(tablebases) => settings.syzygy_path.used_in_part = tablebases.has_failed(),
        }
        remarks.extend(unusable);
        let mut engine = Engine {
            tt: Arc::new(tt),
            network,
            tablebases,
            threads: Vec::new(),
            seed: random_seed(),
            signals: Arc::default(),
            running: Running::default(),
            settings,
        };
        remarks.extend(engine.fit_threads());
        (engine, remarks)
    }

    /// The settings in force. If memory is short, the sizes are those that fit. If a search has found unusable
    /// tables, [`Settings::syzygy_path`] says so.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The network in use.
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// The tablebases in use.
    pub fn tablebases(&self) -> Option<&Tablebases> {
        self.tablebases.as_deref()
    }

    /// The TT's entry for the last position of a game: the value of the last search that stored one.
    pub fn probe_tt(&self, game: &Game) -> Option<TtProbe> {
        self.probe(game, game.position(), 0)
    }

    /// The TT's entry for the position after a move, for the side that makes the move. A search stores a value
    /// for these positions; for its root, it stores only a proved mate.
    pub fn probe_tt_after(&self, game: &Game, m: Move) -> Option<TtProbe> {
        self.probe(game, &game.position().after(m), 1)
    }

    fn probe(&self, game: &Game, position: &Position, ply: usize) -> Option<TtProbe> {
        // Searches with different conventions have keys of their own; those of analysis are neutral.
        let ways = [self.settings.conventions(false), self.settings.conventions(true)];
        let known = ways.into_iter().filter_map(|conventions| {
            let (entry, searches_ago) = self.tt.probe_with_age(Past::new(conventions, game).key(position, ply))?;
            Some(TtProbe {
                value: entry.value.and_then(|value| value_for_root(value, position, ply, conventions)),
                stored: entry.value.is_some(),
                probed: entry.tb_entry,
                depth: entry.depth,
                best: entry.best.and_then(|best| position.find(best)),
                searches_ago,
            })
        });
        known.max_by_key(|known| (known.stored, Reverse(known.searches_ago), known.depth))
    }

    /// Takes new settings, after the running search (if any) has ended; returns remarks where they could not be met.
    /// Numbers out of range are clamped. If a network or tablebases cannot be used, the previous setting stays in
    /// force. A setting that could not be met, or only in part, is tried again when it is set again.
    pub fn apply(&mut self, mut settings: Settings) -> Vec<String> {
        self.wait();
        let mut remarks = settings.move_into_range();
        if settings.hash_mib != self.settings.hash_mib {
            match Arc::get_mut(&mut self.tt) {
                Some(tt) => remarks.extend(tt.resize(settings.hash_mib, settings.threads)),
                None => debug_assert!(false, "no search holds the TT"),
            }
            settings.hash_mib = self.tt.mib();
        }
        if settings.eval_file != self.settings.eval_file {
            match network_of(&settings.eval_file) {
                Ok(network) => {
                    self.network = network;
                    // What was learned and stored belongs to the old evaluation.
                    self.threads.clear();
                    self.tt.clear(settings.threads);
                }
                Err(error) => {
                    remarks.push(format!("{error}; the evaluation stays as it was"));
                    settings.eval_file.clone_from(&self.settings.eval_file);
                }
            }
        }
        if settings.raw_evaluation != self.settings.raw_evaluation {
            // Stored evaluations and what was learned from them belong to the other scale.
            self.threads.clear();
            self.tt.clear(settings.threads);
        }
        if settings.syzygy_path != self.settings.syzygy_path {
            let (tablebases, unusable) = open_tablebases(&settings.syzygy_path.folders);
            if tablebases.is_none() && !unusable.is_empty() {
                settings.syzygy_path.clone_from(&self.settings.syzygy_path);
            } else {
                settings.syzygy_path.used_in_part = tablebases.as_ref().is_some_and(|tables| tables.has_failed());
                self.tablebases = tablebases;
            }
            remarks.extend(unusable);
        }
        if settings.probing.fifty_moves != self.settings.probing.fifty_moves {
            // What is stored about spoiled wins now means something else.
            self.tt.clear(settings.threads);
        }
        self.settings = settings;
        remarks.extend(self.fit_threads());
        remarks
    }

    /// Allocates the data of each thread, or of fewer threads with a remark if memory is short; the setting is then
    /// lowered.
    fn fit_threads(&mut self) -> Option<String> {
        let wanted = self.settings.threads;
        self.threads.truncate(wanted);
        while self.threads.len() < wanted {
            // A failed allocation would end the program, so the system is probed first, with something to spare. The
            // first thread's data are allocated in any case.
            let enough = Vec::<u8>::new().try_reserve_exact(MEMORY_PER_THREAD + STACK_SIZE).is_ok();
            if !enough && !self.threads.is_empty() {
                self.settings.threads = self.threads.len();
                return Some(format!("not enough memory for {wanted} threads; searching with {}", self.threads.len()));
            }
            self.threads.push(ThreadData::new(&self.network, self.settings.raw_evaluation));
        }
        None
    }

    /// Forgets everything learned, for a new game.
    pub fn new_game(&mut self) {
        self.wait();
        self.seed = random_seed();
        self.tt.forget(self.settings.threads);
        for thread in &mut self.threads {
            thread.clear();
        }
    }

    /// Makes the searches of a single thread collect lessons for the network, until the evaluation is replaced. They
    /// run `search`, which is [`search_with_lessons`](crate::search::experiments::generation::search_with_lessons).
    pub fn collect_lessons(&mut self, rule: LessonRule, search: LessonSearch) {
        self.wait();
        if let Some(thread) = self.threads.first_mut() {
            thread.lessons = Some(Lessons::new(rule, search));
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

    /// Empties the TT.
    pub fn clear_hash(&mut self) {
        self.wait();
        self.tt.clear(self.settings.threads);
    }

    /// The transposition table. Its keys are those of [`Past::key`], which add the conventions of the search, the
    /// 50-move clock and the past of the game to [`Position::key`]: under a position's own key, a search of a game
    /// with the default settings stores nothing. [`Engine::probe_tt`] and [`Engine::probe_tt_after`] form the keys.
    ///
    /// ```
    /// use ibex::engine::{Engine, Settings};
    /// use ibex::position::Game;
    /// use ibex::search::Past;
    /// use ibex::time::Limits;
    ///
    /// let (mut engine, _) = Engine::new(Settings { hash_mib: 8, ..Settings::default() });
    /// let game = Game::startpos();
    /// let best = engine.search(&game, Limits::nodes(5_000), None).best.expect("a move");
    ///
    /// // What the table has of the position after the best move: by the engine, or by a key of one's own.
    /// let probe = engine.probe_tt_after(&game, best).expect("an entry");
    /// let past = Past::new(engine.settings().conventions(false), &game);
    /// let after = game.position().after(best); // one ply from the root
    /// let entry = engine.tt().probe(past.key(&after, 1)).expect("an entry");
    /// assert_eq!((probe.depth, probe.searches_ago), (entry.depth, 0));
    /// assert!(engine.tt().probe(after.key()).is_none());
    /// ```
    pub fn tt(&self) -> &TranspositionTable {
        &self.tt
    }

    /// Searches and returns when done; the listener gets every event but [`Event::Done`]. Never waits for signals:
    /// the limits `infinite` and `ponder` count as false. So this is the search of a game, with the contempt, the
    /// draw rule and the strength that are set; for analysis, set [`Settings::analyse_mode`].
    ///
    /// Nothing can stop this search from outside. So a search that is neither [limited](Limits::is_limited) nor of
    /// limited strength is refused: the listener gets an [`Event::Message`], and the outcome is
    /// [`Outcome::without_move`]. [`Engine::start`] searches without limits. A limit by `mate` alone ends the search
    /// only once that is decided, which may be never.
    ///
    /// ```
    /// use ibex::engine::{Engine, Settings};
    /// use ibex::position::Game;
    /// use ibex::time::Limits;
    ///
    /// let (mut engine, _) = Engine::new(Settings { hash_mib: 8, ..Settings::default() });
    /// assert!(engine.search(&Game::startpos(), Limits::default(), None).best.is_none()); // refused
    /// let outcome = engine.search(&Game::startpos(), Limits::depth(5), None);
    /// assert!(outcome.best.is_some() && outcome.last.is_some_and(|line| line.complete && line.depth == 5));
    /// ```
    pub fn search(&mut self, game: &Game, limits: Limits, listener: Option<Listener<'_>>) -> Outcome {
        self.wait();
        let limits = Limits { infinite: false, ponder: false, ..limits };
        if !limits.is_limited() && self.handicap(&limits).is_none() {
            let refused = "a search without limits has no end; Engine::start makes one that can be stopped";
            log::error!("{refused}");
            if let Some(listener) = listener {
                listener(Event::Message(refused.to_owned()));
            }
            return Outcome::without_move(0, Duration::ZERO);
        }
        let clock = self.start_clock(game, &limits);
        let job = self.job(game.clone(), limits, clock);
        let outcome = with_search_stack(|| job.run(&mut self.threads, listener)).unwrap_or_else(|error| {
            log::error!("could not start a search thread: {error}");
            Outcome::without_move(0, Duration::ZERO)
        });
        self.review_tables();
        outcome
    }

    /// Records that tables have failed in a search, so that setting their path again counts as a change.
    fn review_tables(&mut self) {
        if self.tablebases.as_ref().is_some_and(|tables| tables.has_failed()) {
            self.settings.syzygy_path.used_in_part = true;
        }
    }

    fn job(&self, game: Game, limits: Limits, clock: Arc<Clock>) -> Job {
        let handicap = self.handicap(&limits);
        let analysis = self.is_analysis(&limits);
        Job {
            // A limited strength must not depend on what other searches have left.
            tt: if handicap.is_some() { Arc::new(TranspositionTable::new(1).0) } else { Arc::clone(&self.tt) },
            signals: Arc::clone(&self.signals),
            clock,
            conventions: self.settings.conventions(analysis),
            analysis,
            tablebases: if handicap.is_some() { None } else { self.tablebases.clone() },
            probing: self.settings.probing,
            multi_pv: self.settings.multi_pv,
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

    /// Starts the clock of a search, and resets the signals for it.
    fn start_clock(&self, game: &Game, limits: &Limits) -> Arc<Clock> {
        let settings = &self.settings;
        let clock = Clock::new(
            limits,
            game.position().turn(),
            game.position().game_ply(),
            settings.move_overhead,
            Instant::now(),
        );
        let clock = Arc::new(clock.with_nodestime(settings.nodes_time));
        self.signals.prepare(&clock, limits);
        clock
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.stop();
        self.wait();
    }
}

/// The tablebases of a path, and remarks on what cannot be used. In debug builds they check the recognizers from now
/// on.
fn open_tablebases(path: &str) -> (Option<Arc<Tablebases>>, Vec<String>) {
    let (tablebases, remarks) = Tablebases::open(path);
    #[cfg(debug_assertions)]
    if let Some(tablebases) = &tablebases {
        tablebases.judge_recognizers();
    }
    (tablebases, remarks)
}

/// The network that a name stands for: see [`Settings::eval_file`].
///
/// # Errors
///
/// A [`LoadError`] if the name is a file that cannot be read or is not a network that fits.
pub fn network_of(name: &str) -> Result<Arc<Network>, LoadError> {
    match name {
        "" => Ok(Network::embedded()),
        "classical" => Err(LoadError::HandWritten),
        path => Network::load(Path::new(path)).map(Arc::new),
    }
}
