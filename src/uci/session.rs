//! The session: what each command does, at once or after the search that is running.

use std::collections::VecDeque;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, bounded, never, select};

use super::input::Input;
use super::journal::{self, WIRE};
use super::message::{Message, Simple};
use super::options::{self, Action, OptionChange, Options};
use super::output::Output;
use super::parse::{self, Command, Go, ParseError, Perft, Setup};
use super::print::{Printer, Style};
use super::prompt;
use super::{AUTHORS, genfens, spsa};
use crate::bench;
use crate::engine::{Engine, SharedListener};
use crate::position::{Game, Position};
use crate::search::Event;
#[cfg(target_family = "wasm")]
use crate::search::state::host::{self, Heard};
use crate::time::Limits;

/// How often the session checks on a silent search.
const TICK: Duration = Duration::from_millis(200);
/// How often it wakes up when there is nothing to check.
const IDLE: Duration = Duration::from_secs(3600);

/// A session with one engine.
pub struct Session {
    output: Arc<Output>,
    engine: Engine,
    options: Options,
    /// The game that searches start from; or why the last position cannot be played.
    game: Result<Game, ParseError>,
    running: Option<Running>,
    /// Commands that wait for the running task to end.
    waiting: VecDeque<Command>,
    /// Signals the session that something has ended: a search, or the reader of the output.
    wake: Sender<()>,
    woken: Receiver<()>,
    interactive: bool,
    debug: bool,
    quit: bool,
    /// Whether a command was refused.
    refused: bool,
    /// No more input will come: the session ends when everything is done.
    closing: bool,
}

/// The running task.
struct Running {
    /// Set just before the last line is printed.
    finished: Arc<AtomicBool>,
    task: Task,
    hold: Hold,
    /// `stop` was given.
    stopping: bool,
}

enum Task {
    Search {
        printer: Arc<Printer>,
    },
    Perft {
        stop: Arc<AtomicBool>,
    },
    /// A search without a position: its answer waits for `stop` or `ponderhit`, as a move would.
    NoPosition,
}

/// The event for which a task's answer waits. `stop` releases it in any case.
#[derive(Clone, Copy, Default)]
struct Hold {
    /// `ponderhit` has not come yet.
    pondering: bool,
    /// Nothing but `stop` releases the answer.
    infinite: bool,
}

impl Running {
    /// Whether this would run for ever.
    fn is_endless(&self) -> bool {
        !self.stopping && self.hold.is_on()
    }
}

impl Hold {
    fn of(limits: &Limits) -> Hold {
        Hold { pondering: limits.ponder, infinite: limits.infinite }
    }

    fn is_on(self) -> bool {
        self.pondering || self.infinite
    }
}

impl Session {
    /// A session that answers on `writer`; `interactive` if a person types.
    pub fn new(writer: impl Write + Send + 'static, interactive: bool) -> Session {
        let (wake, woken) = bounded(1);
        let broken = wake.clone();
        let output = Output::new(writer, move || _ = broken.try_send(()));
        let (engine, remarks) = Engine::new(Options::default().engine);
        let options = Options { engine: engine.settings().clone(), ..Options::default() };
        let session = Session {
            output,
            engine,
            options,
            game: Ok(Game::startpos()),
            running: None,
            waiting: VecDeque::new(),
            wake,
            woken,
            interactive,
            debug: false,
            quit: false,
            refused: false,
            closing: false,
        };
        session.remarks(&remarks);
        session
    }

    /// The output, for a watcher.
    pub fn output(&self) -> Weak<Output> {
        Arc::downgrade(&self.output)
    }

    /// Reads until `quit`, until the output's reader is gone, or until the input has ended and all is done.
    /// Returns whether every command was carried out.
    pub fn run(mut self, mut input: Receiver<Input>) -> bool {
        let mut ticked = Instant::now();
        while !self.quit && !self.output.is_broken() {
            if self.closing && self.running.is_none() {
                break;
            }
            let timeout = if self.running.is_some() { TICK } else { IDLE };
            select! {
                recv(input) -> input_line => match input_line {
                    Ok(Input::Line(line)) => self.read_line(&line),
                    Ok(Input::TooLong(beginning)) => self.skip_long_line(&beginning),
                    Err(_) => {
                        input = never();
                        self.closing = true;
                        self.stop_if_endless();
                    }
                },
                recv(self.woken) -> _ => (),
                default(timeout) => (),
            }
            // Not only in silence: a program may send `isready` all the time.
            if ticked.elapsed() >= TICK {
                ticked = Instant::now();
                self.tick();
            }
            self.finish_ended_task();
        }
        self.stop();
        self.engine.wait();
        self.await_perft();
        !self.refused
    }

    /// Takes a line and carries it out completely before returning: for a host that waits for it (WebAssembly).
    #[cfg(target_family = "wasm")]
    pub fn answer(&mut self, line: &str) {
        self.read_line(line);
        self.finish_ended_task();
    }

    /// Whether `quit` has arrived.
    #[cfg(target_family = "wasm")]
    pub fn is_over(&self) -> bool {
        self.quit
    }

    /// Reads a line, and executes its command now or later.
    fn read_line(&mut self, line: &str) {
        log::debug!(target: WIRE, "> {line}");
        match parse::parse(line) {
            Ok(Some(command)) => {
                // The last line of a search may be out before the session notices: a command after it is not early.
                self.finish_ended_task();
                self.execute_or_queue(command);
            }
            Ok(None) => (),
            Err(error) => self.refuse(&error.to_string()),
        }
    }

    /// Answers a command that cannot be carried out.
    fn refuse(&mut self, why: &str) {
        self.refused = true;
        self.output.remark(why);
    }

    /// Skips a line that was too long. If it would have set up a position, there is none now: a search must not start
    /// from the one before. If it would have started a search, a short one gives the move that the program waits for.
    fn skip_long_line(&mut self, beginning: &str) {
        if beginning.starts_with('#') {
            return;
        }
        self.finish_ended_task();
        let command = parse::parse(beginning);
        if let Ok(Some(Command::Position(_))) = command {
            return self.execute_or_queue(Command::Position(Err(ParseError::TooLong)));
        }
        self.refuse(&ParseError::TooLong.to_string());
        if let Ok(Some(Command::Go(go))) = command {
            self.execute_or_queue(Command::Go(go.shortened()));
        }
    }

    /// Executes a command, now or after the running task.
    fn execute_or_queue(&mut self, command: Command) {
        let Some(running) = &self.running else {
            return self.execute(command);
        };
        let another_waits = self.waiting.iter().any(|command| matches!(command, Command::Go(_) | Command::Perft(_)));
        match &command {
            // Like `bench`, a count is work that must be done: it ends before the program, unless `stop` comes.
            Command::Simple(Simple::Quit) if matches!(running.task, Task::Perft { .. }) && !running.stopping => {
                self.waiting.push_back(command);
            }
            Command::Simple(Simple::Quit) => self.quit = true,
            Command::Simple(Simple::Stop) => {
                self.stop();
                // The program sent `go` before this `stop`: the waiting search is stopped as well.
                if another_waits {
                    self.waiting.push_back(command);
                }
            }
            Command::Simple(Simple::PonderHit) if another_waits => self.waiting.push_back(command),
            Command::Simple(Simple::PonderHit) => self.ponderhit(),
            // "readyok" while a change waits for a search that is about to end means that the change has been made.
            Command::Simple(Simple::IsReady) if running.stopping && !self.waiting.is_empty() => {
                self.waiting.push_back(command);
            }
            Command::Simple(Simple::IsReady | Simple::Uci | Simple::Debug(_)) => self.execute(command),
            // The position shown is that after all earlier commands, including those that wait.
            Command::Other(word, _) if prompt::SHOWS_GAME.contains(&&**word) && !self.waiting.is_empty() => {
                self.waiting.push_back(command);
            }
            Command::Other(word, _) if is_harmless(word) => self.execute(command),
            Command::Go(_) | Command::Perft(_) => {
                self.waiting.push_back(command);
                self.stop_if_endless();
            }
            _ => self.waiting.push_back(command),
        }
    }

    /// Executes a command; nothing is running, or the command does not disturb it.
    fn execute(&mut self, command: Command) {
        match command {
            Command::Simple(command) => self.simple_command(command),
            Command::SetOption(text) => self.set_option(&text),
            Command::Position(setup) => self.set_position(setup),
            Command::Go(go) => self.go(&go),
            Command::Perft(perft) => self.perft(perft),
            Command::Other(word, rest) => self.other_command(&word, &rest),
        }
    }

    fn simple_command(&mut self, command: Simple) {
        match command {
            Simple::Uci => self.introduce(),
            Simple::IsReady => self.output.message(&Message::READY_OK),
            Simple::Debug(on) => self.debug = on,
            Simple::NewGame => {
                self.engine.new_game();
                // The refused position belonged to the last game.
                if self.game.is_err() {
                    self.game = Ok(Game::startpos());
                }
            }
            Simple::Quit => self.quit = true,
            // Without a search there is nothing to stop and no ponderhit, and no registration is needed.
            Simple::Stop | Simple::PonderHit | Simple::Register => (),
        }
    }

    fn introduce(&self) {
        let head = [Message::name(crate::NAME), Message::author(AUTHORS)];
        let messages = head.into_iter().chain(options::declarations()).chain([Message::UCI_OK]);
        self.output.lines(messages.map(|message| message.to_string()));
    }

    fn set_option(&mut self, text: &str) {
        // A search may have found tables that are unusable.
        self.options.engine.clone_from(self.engine.settings());
        let mut options = self.options.clone();
        match options::set(&mut options, text) {
            Err(error) => self.refuse(&error.to_string()),
            Ok(OptionChange::Action(Action::ClearHash)) => self.engine.clear_hash(),
            Ok(OptionChange::Options(remark)) => {
                if let Some(remark) = remark {
                    self.output.remark(&remark);
                }
                self.apply_options(options);
            }
        }
    }

    fn apply_options(&mut self, mut options: Options) {
        if options.engine != self.options.engine {
            let path = &options.engine.syzygy_path;
            let wanted = Some(path.folders.clone()).filter(|_| *path != self.options.engine.syzygy_path);
            let remarks = self.engine.apply(options.engine.clone());
            self.remarks(&remarks);
            if wanted.is_some_and(|wanted| wanted == self.engine.settings().syzygy_path.folders)
                && let Some(tables) = self.engine.tablebases()
            {
                let ([wdl, dtz], men) = (tables.counts(), tables.largest());
                self.output.remark(&format!("tablebases: {wdl} WDL and {dtz} DTZ tables of up to {men} men"));
            }
            options.engine = self.engine.settings().clone();
        }
        if options.ui.log_file != self.options.ui.log_file
            && let Err(error) = journal::set_file(&options.ui.log_file)
        {
            self.refuse(&format!("cannot write the log file {}: {error}", options.ui.log_file));
            return;
        }
        if options.ui.opponent != self.options.ui.opponent {
            log::info!("the opponent is {}", options.ui.opponent);
        }
        self.options = options;
    }

    fn set_position(&mut self, setup: Result<Setup, ParseError>) {
        self.game = match setup.and_then(|setup| setup.game(self.options.ui.chess960)) {
            Ok((game, repairs)) => {
                repairs.iter().for_each(|repair| self.output.remark(&repair.to_string()));
                Ok(game)
            }
            Err(error) => {
                self.refuse(&error.to_string());
                Err(error)
            }
        };
    }

    /// The game, or else a remark that there is none.
    fn game(&self) -> Option<&Game> {
        self.game.as_ref().inspect_err(|error| self.output.remark(&format!("no position: {error}"))).ok()
    }

    fn go(&mut self, go: &Go) {
        let Some(game) = self.game().cloned() else { return self.answer_without_position(go) };
        let limits = go.limits(game.position());
        let ui = &self.options.ui;
        let style = Style { chess960: ui.chess960, wdl: ui.show_wdl };
        if self.debug {
            self.output.remark(&format!("limits: {limits}"));
        }
        let printer = Arc::new(Printer::new(Arc::clone(&self.output), style, game.position()));
        let finished = Arc::new(AtomicBool::new(false));
        let listener = self.listener(&printer, &finished);
        let (task, hold) = (Task::Search { printer }, Hold::of(&limits));
        match self.engine.start(game, limits, listener) {
            Ok(()) => {
                self.running = Some(Running { finished, task, hold, stopping: false });
                if self.closing {
                    self.stop_if_endless();
                }
            }
            Err(error) => self.answer_without_search(&format!("cannot start a search: {error}")),
        }
    }

    /// Prints the events of a search, and signals its end to the session.
    fn listener(&self, printer: &Arc<Printer>, finished: &Arc<AtomicBool>) -> SharedListener {
        let (printer, finished, wake) = (Arc::clone(printer), Arc::clone(finished), self.wake.clone());
        Arc::new(move |event: &Event| {
            let done = matches!(event, Event::Done(_));
            if done {
                finished.store(true, Ordering::Release);
            }
            printer.event(event);
            if done {
                let _ = wake.try_send(());
            }
        })
    }

    /// Answers after a refused position, as if there were no legal move: a move of another position would be illegal.
    fn answer_without_position(&mut self, go: &Go) {
        let hold = Hold::of(&go.limits(&Position::startpos()));
        self.running = Some(Running { finished: Arc::default(), task: Task::NoPosition, hold, stopping: false });
        if !hold.is_on() || self.closing {
            self.end_without_position();
        }
    }

    fn end_without_position(&self) {
        if let Some(Running { finished, task: Task::NoPosition, .. }) = &self.running
            && !finished.swap(true, Ordering::AcqRel)
        {
            self.output.line("bestmove (none)");
        }
    }

    /// Answers for a search that cannot: a program that waits for a move would wait for ever.
    fn answer_without_search(&self, why: &str) {
        self.output.remark(why);
        let any = self.game.as_ref().ok().and_then(|game| game.position().legal_moves().first().copied());
        match any {
            Some(m) => self.output.message(&Message::best_move(m, None, self.options.ui.chess960)),
            None => self.output.line("bestmove (none)"),
        }
    }

    fn perft(&mut self, perft: Result<Perft, ParseError>) {
        let perft = match perft {
            Ok(perft) => perft,
            Err(error) => return self.refuse(&error.to_string()),
        };
        if let Some(word) = &perft.unread {
            self.output.remark(&format!("perft: '{word}' is not a depth; taken as {}", perft.depth));
        }
        let Some(position) = self.game().map(|game| *game.position()) else { return };
        let (depth, moves) = (perft.depth, perft.moves(&position));
        let (finished, stop) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let task = Task::Perft { stop: Arc::clone(&stop) };
        let running = Running { finished: Arc::clone(&finished), task, hold: Hold::default(), stopping: false };
        let (output, wake) = (Arc::clone(&self.output), self.wake.clone());
        let chess960 = self.options.ui.chess960;
        // While this thread counts, the host has received what the session has not.
        #[cfg(target_family = "wasm")]
        let is_stopped = move || stop.load(Ordering::Relaxed) || host::heard() == Heard::Stop;
        #[cfg(not(target_family = "wasm"))]
        let is_stopped = move || stop.load(Ordering::Relaxed);
        let count = move || {
            if prompt::divide(&position, &moves, depth, chess960, &is_stopped, |line| output.line(line)).is_none() {
                output.remark("perft stopped");
            }
            finished.store(true, Ordering::Release);
            let _ = wake.try_send(());
        };
        if cfg!(target_family = "wasm") {
            // The host waits for the count, as it does for a search.
            count();
            return;
        }
        match std::thread::Builder::new().name("perft".into()).spawn(count) {
            Ok(_) => self.running = Some(running),
            Err(error) => self.refuse(&format!("cannot start a thread: {error}")),
        }
    }

    fn other_command(&mut self, word: &str, rest: &[String]) {
        match word {
            "d" => self.output.lines(self.game().map(prompt::describe).unwrap_or_default()),
            "eval" => {
                let network = self.engine.network();
                let lines = self.game().map(|game| prompt::evaluation(game.position(), network));
                self.output.lines(lines.unwrap_or_default());
            }
            "flip" => {
                if let Some(flipped) = self.game().map(|game| game.position().flipped()) {
                    self.game = Ok(Game::new(flipped));
                }
            }
            "help" => self.output.lines(prompt::help()),
            "compiler" => self.output.lines(prompt::compiler()),
            "license" => self.output.lines(prompt::license()),
            "perft" => {
                let depth = rest.first().map_or("1", String::as_str);
                let digits = depth.strip_prefix('+').unwrap_or(depth);
                // What the npm package does not take for a number ends no search there, nor here.
                if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
                    self.execute_or_queue(Command::Perft(Perft::parse(depth)));
                } else {
                    self.refuse(&ParseError::Depth(depth.to_owned()).to_string());
                }
            }
            "bench" => self.refused |= !bench::at_the_prompt(rest, &mut |line| self.output.line(line)),
            "genfens" => self.refused |= !genfens::at_the_prompt(rest, &mut |line| self.output.line(line)),
            "spsa" => self.refused |= !spsa::at_the_prompt(rest, &mut |line| self.output.line(line)),
            _ if self.interactive || self.debug => {
                self.output.remark(&format!("unknown command '{word}'; 'help' lists the commands"));
            }
            _ => (),
        }
    }

    fn stop(&mut self) {
        if let Some(running) = &mut self.running {
            running.stopping = true;
            match &running.task {
                Task::Search { .. } => self.engine.stop(),
                Task::Perft { stop } => stop.store(true, Ordering::Relaxed),
                Task::NoPosition => self.end_without_position(),
            }
        }
    }

    fn stop_if_endless(&mut self) {
        if self.running.as_ref().is_some_and(Running::is_endless) {
            self.stop();
        }
    }

    fn ponderhit(&mut self) {
        let Some(running) = &mut self.running else { return };
        if !std::mem::take(&mut running.hold.pondering) {
            return;
        }
        match &running.task {
            Task::Search { printer } => {
                printer.ponderhit();
                self.engine.ponderhit();
            }
            Task::NoPosition if !running.hold.is_on() => self.end_without_position(),
            Task::NoPosition | Task::Perft { .. } => (),
        }
    }

    /// Checks on a silent search.
    fn tick(&mut self) {
        let Some(Running { finished, task: Task::Search { printer }, .. }) = &self.running else { return };
        printer.tick();
        if self.engine.is_searching() {
            return;
        }
        self.engine.wait();
        if !finished.swap(true, Ordering::AcqRel) {
            // The thread has ended without a result: a bug in Ibex, which must not take the game with it.
            self.answer_without_search("the search failed; this is a bug in Ibex");
        }
    }

    /// Notes the end of the running task, and executes what waited for it.
    fn finish_ended_task(&mut self) {
        while self.running.as_ref().is_some_and(|running| running.finished.load(Ordering::Acquire)) {
            if matches!(self.running.take(), Some(Running { task: Task::Search { .. }, .. })) {
                self.engine.wait();
            }
            for command in std::mem::take(&mut self.waiting) {
                if !self.quit {
                    self.execute_or_queue(command);
                }
            }
        }
    }

    fn await_perft(&self) {
        if let Some(Running { finished, task: Task::Perft { .. }, .. }) = &self.running {
            while !finished.load(Ordering::Acquire) && self.woken.recv_timeout(TICK).is_err() {}
        }
    }

    fn remarks(&self, remarks: &[String]) {
        for remark in remarks {
            self.output.remark(remark);
        }
    }
}

/// Whether a word only shows something, or does nothing.
fn is_harmless(word: &str) -> bool {
    !prompt::WAITS.contains(&word)
}
