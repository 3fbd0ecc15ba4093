//! Other UCI programs, from the GUI's side of the pipe.
//!
//! A program may crash, hang, answer nonsense or flood: each costs only the current position. It is restarted, and
//! given up only after several failed starts in a row. At most 16 MiB of its output are kept.

use std::convert::Infallible;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, select};

use super::info::parse_info;
use super::player::{Answer, Budget, Player, Question, Trouble, Watch};
use ibex::uci::word_distance;
use terminal::{CommandError, interrupt};

/// The time in which a program must introduce itself.
const HELLO: Duration = Duration::from_secs(30);
/// The time for its answer to `isready`: clearing a large table takes long.
const READY: Duration = Duration::from_secs(60);
/// The time for its answer to `stop`.
const STOP: Duration = Duration::from_secs(5);
/// Longer than any run: a hundred years.
const LIFETIME: Duration = Duration::from_secs(100 * 365 * 86_400);
/// The option that makes a program analyse rather than play.
const ANALYSIS: &str = "UCI_AnalyseMode";
/// The option that announces the castling of Chess960.
const CHESS960: &str = "UCI_Chess960";
/// Failed starts in a row after which a program is given up.
const STARTS: u32 = 3;

/// The Windows flag for a process group of its own.
#[cfg(windows)]
const NEW_PROCESS_GROUP: u32 = 0x200;

/// The most bytes of a line, and of all unread lines together.
const FLOOD: usize = 16 << 20;
/// The overhead of a line, which counts besides its bytes.
const LINE: usize = 64;

/// The running programs, for the interruption that ends all of them.
static RUNNING: Mutex<Vec<Weak<Mutex<Child>>>> = Mutex::new(Vec::new());

/// Ends every running program, without asking it.
pub fn end_all() {
    let running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    for child in running.iter().filter_map(Weak::upgrade) {
        end(&mut child.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

/// Ends a program and all its descendants: an engine may be started by a script.
fn end(child: &mut Child) {
    #[cfg(unix)]
    signal(child, libc::SIGKILL);
    let _ = child.kill();
}

/// Sends a signal to a program and all its descendants, unless they have left its group; 0 sends none. Returns whether
/// any of them exists.
#[cfg(unix)]
fn signal(child: &Child, signal: libc::c_int) -> bool {
    let group = libc::pid_t::try_from(child.id()).ok().filter(|&group| group > 1);
    // SAFETY: the call touches no memory. The program leads a group of its own. The system gives the number of a group
    // that has members, or of a program that has not been waited for, to nothing else; after that it is used here only
    // in the moments until the `Process` is dropped.
    group.is_some_and(|group| unsafe { libc::kill(-group, signal) } == 0)
}

/// Whether a program has running descendants.
#[cfg(unix)]
fn has_descendants(child: &Child) -> bool {
    signal(child, 0)
}

/// On other systems this is unknown.
#[cfg(not(unix))]
fn has_descendants(_child: &Child) -> bool {
    false
}

/// How to run a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The command and its arguments.
    pub command: Vec<String>,
    /// Options to set, in order, after `Hash` and `Threads`.
    pub options: Vec<(String, String)>,
    /// Table size in MiB.
    pub hash: usize,
    /// Threads.
    pub threads: usize,
    /// The time for a position after which the program counts as hanging; `None` for what the budget suggests.
    pub patience: Option<Duration>,
    /// Whether to keep a limit of nodes by stopping the program, because it does not support `go nodes`.
    pub counted: bool,
}

/// A program that plays.
pub struct External {
    program: Program,
    process: Option<Process>,
    name: String,
    failed_starts: u32,
}

/// An option that a program offers.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Offer {
    name: String,
    kind: String,
    min: Option<i64>,
    max: Option<i64>,
    /// The values of a combo.
    values: Vec<String>,
}

impl Offer {
    /// Why the option cannot take this value, if it cannot.
    fn refuses(&self, value: &str) -> Option<String> {
        let range = |least: i64, most: i64| format!("a whole number from {least} to {most}");
        let expected = match self.kind.as_str() {
            "spin" => {
                let (min, max) = (self.min.unwrap_or(i64::MIN), self.max.unwrap_or(i64::MAX));
                let fits = value.parse::<i64>().is_ok_and(|n| (min..=max).contains(&n));
                (!fits).then(|| range(min, max))
            }
            "check" => (!matches!(value, "true" | "false")).then(|| "true or false".to_owned()),
            "combo" if !self.values.is_empty() => {
                let known = self.values.iter().any(|known| known.eq_ignore_ascii_case(value));
                (!known).then(|| format!("one of {}", self.values.join(", ")))
            }
            _ => None,
        };
        expected.map(|expected| format!("option '{}' takes {expected}, not '{value}'", self.name))
    }
}

struct Process {
    child: Arc<Mutex<Child>>,
    input: ChildStdin,
    output: Output,
    stop: Receiver<Infallible>,
    name: String,
    offers: Vec<Offer>,
    chess960: bool,
    /// The current value of `UCI_AnalyseMode`. `None` if the program has no such option, or if the user sets it.
    analysis: Option<bool>,
    /// Where it searches with less, or more, than requested.
    remarks: Vec<String>,
}

/// The lines of a program, read by a thread of its own.
struct Output {
    lines: Receiver<String>,
    /// Bytes that were read but not yet taken.
    unread: Arc<AtomicUsize>,
    /// Whether reading ended because there was too much.
    flooded: Arc<AtomicBool>,
}

impl Output {
    /// Begins to read; an error if the system cannot start a thread.
    fn of(output: impl Read + Send + 'static) -> std::io::Result<Output> {
        let (sender, lines) = crossbeam_channel::unbounded();
        let (unread, flooded) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
        let shared = (unread.clone(), flooded.clone());
        thread::Builder::new().spawn(move || Output::read(output, &sender, &shared.0, &shared.1))?;
        Ok(Output { lines, unread, flooded })
    }

    fn read(output: impl Read, sender: &Sender<String>, unread: &AtomicUsize, flooded: &AtomicBool) {
        let mut reader = BufReader::new(output);
        let mut bytes = Vec::new();
        loop {
            bytes.clear();
            match reader.by_ref().take(FLOOD as u64).read_until(b'\n', &mut bytes) {
                Ok(1..) => {}
                Ok(0) | Err(_) => break,
            }
            let line = String::from_utf8_lossy(&bytes).trim().to_owned();
            let size = line.len() + LINE;
            if bytes.len() >= FLOOD || unread.fetch_add(size, Ordering::Relaxed) + size > FLOOD {
                flooded.store(true, Ordering::Relaxed);
                break;
            }
            if sender.send(line).is_err() {
                break;
            }
        }
    }

    fn taken(&self, line: &str) {
        self.unread.fetch_sub(line.len() + LINE, Ordering::Relaxed);
    }
}

impl External {
    /// Starts a program.
    ///
    /// # Errors
    ///
    /// One line: it cannot be run, or does not use UCI.
    pub fn start(program: Program) -> Result<External, CommandError> {
        let process = Process::start(&program)?;
        let name = process.name.clone();
        Ok(External { program, process: Some(process), name, failed_starts: 0 })
    }

    /// A program of this name that starts with its first search: a failure costs only that position.
    pub fn waiting(program: Program, name: String) -> External {
        External { program, process: None, name, failed_starts: 0 }
    }

    /// Lines that say where the program searches with another table size or number of threads than requested.
    pub fn remarks(&self) -> &[String] {
        self.process.as_ref().map_or(&[], |process| &process.remarks)
    }

    fn process(&mut self) -> Result<&mut Process, Trouble> {
        let running = match self.process.take() {
            Some(process) => process,
            None => self.start_again()?,
        };
        Ok(self.process.insert(running))
    }

    fn start_again(&mut self) -> Result<Process, Trouble> {
        if self.is_given_up() {
            return Err(Trouble::NotStarted("given up: it does not start".to_owned()));
        }
        let started = Process::start(&self.program);
        self.failed_starts = if started.is_ok() { 0 } else { self.failed_starts + 1 };
        started
    }
}

impl Player for External {
    fn name(&self) -> &str {
        &self.name
    }

    fn think(&mut self, question: Question<'_>, watch: Watch<'_>) -> Result<Answer, Trouble> {
        let patience = self.program.patience.unwrap_or_else(|| question.budget.patience());
        let counted = self.program.counted;
        self.process()?.think(question, patience, counted, watch).map_err(|failure| match failure {
            Failure::Answer(trouble) => trouble,
            Failure::Program(trouble) => {
                // Whatever it was doing, it must not disturb the next position.
                self.process = None;
                trouble
            }
        })
    }

    fn is_given_up(&self) -> bool {
        self.failed_starts >= STARTS
    }
}

impl Process {
    fn start(program: &Program) -> Result<Process, Trouble> {
        let (path, arguments) =
            program.command.split_first().ok_or_else(|| Trouble::NotStarted("an empty command".to_owned()))?;
        let mut command = Command::new(path);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        // An interruption from the keyboard is meant for this program, which ends the others in order.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        #[cfg(windows)]
        std::os::windows::process::CommandExt::creation_flags(&mut command, NEW_PROCESS_GROUP);
        let mut child =
            command.spawn().map_err(|error| Trouble::NotStarted(format!("cannot run '{path}': {error}")))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Trouble::NotStarted(format!("'{path}' has no pipes")));
        };
        let child = Arc::new(Mutex::new(child));
        let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        running.retain(|child| child.strong_count() > 0);
        running.push(Arc::downgrade(&child));
        drop(running);
        let output = Output::of(output).map_err(|error| {
            let mut child = child.lock().unwrap_or_else(PoisonError::into_inner);
            end(&mut child);
            let _ = child.wait();
            Trouble::NotStarted(format!("no thread to read '{path}': {error}"))
        })?;
        let (name, stop) = (path.clone(), interrupt::stop());
        let (offers, chess960, analysis, remarks) = (Vec::new(), false, None, Vec::new());
        let mut process = Process { child, input, output, stop, name, offers, chess960, analysis, remarks };
        process.introduce(program).map_err(|trouble| Trouble::NotStarted(format!("'{path}': {trouble}")))?;
        Ok(process)
    }

    fn introduce(&mut self, program: &Program) -> Result<(), Trouble> {
        self.send("uci")?;
        let deadline = Instant::now() + HELLO;
        loop {
            let line = self.receive(deadline, "no 'uciok'")?;
            if line == "uciok" {
                break;
            } else if let Some(name) = line.strip_prefix("id name ") {
                self.name = name.trim().to_owned();
            } else if let Some(offer) = parse_offer(&line) {
                self.offers.push(offer);
            }
        }
        for (name, wanted) in [("Hash", program.hash as i64), ("Threads", program.threads as i64)] {
            if let Some(offer) = self.offer(name) {
                let value = wanted.min(offer.max.unwrap_or(wanted)).max(offer.min.unwrap_or(wanted));
                self.set(name, &value.to_string())?;
                if value != wanted {
                    self.remarks.push(format!("its option {name} cannot be {wanted}: set to {value}"));
                }
            } else if name == "Threads" && wanted > 1 {
                self.remarks.push(format!("it has no option {name}: it cannot be set to use {wanted} threads"));
            }
        }
        for (name, value) in &program.options {
            if let Some(reason) = self.refuses(name, value) {
                return Err(Trouble::Illegal(reason));
            }
            self.set(name, value)?;
        }
        let chosen = program.options.iter().any(|(name, _)| name.eq_ignore_ascii_case(ANALYSIS));
        self.analysis = (!chosen && self.offer(ANALYSIS).is_some()).then_some(false);
        self.ready()
    }

    /// Why an option cannot take this value, if it cannot.
    fn refuses(&self, name: &str, value: &str) -> Option<String> {
        if let Some(offer) = self.offer(name) {
            return offer.refuses(value);
        }
        let short = |name: &str| name.chars().take(40).collect::<String>().to_lowercase();
        let distances = self.offers.iter().map(|offer| (word_distance(&short(name), &short(&offer.name)), offer));
        let near = distances.filter(|&(distance, _)| distance <= name.chars().count().div_ceil(3).min(4));
        let nearest = near.min_by_key(|&(distance, _)| distance).map(|(_, offer)| &offer.name);
        Some(match nearest {
            Some(nearest) => format!("it has no option '{name}'; did you mean '{nearest}'?"),
            None => format!("it has no option '{name}'"),
        })
    }

    fn offer(&self, name: &str) -> Option<Offer> {
        self.offers.iter().find(|offer| offer.name.eq_ignore_ascii_case(name)).cloned()
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), Trouble> {
        if value.is_empty() {
            self.send(&format!("setoption name {name}"))
        } else {
            self.send(&format!("setoption name {name} value {value}"))
        }
    }

    fn ready(&mut self) -> Result<(), Trouble> {
        self.send("isready")?;
        let deadline = Instant::now() + READY;
        while self.receive(deadline, "no 'readyok'")? != "readyok" {}
        Ok(())
    }

    fn send(&mut self, line: &str) -> Result<(), Trouble> {
        let sent = self.input.write_all(format!("{line}\n").as_bytes()).and_then(|()| self.input.flush());
        sent.map_err(|_| self.died())
    }

    fn receive(&mut self, deadline: Instant, complaint: &str) -> Result<String, Trouble> {
        // First, because during a flood of lines the channel always has one.
        if Instant::now() >= deadline {
            return Err(Trouble::Timeout(complaint.to_owned()));
        }
        if self.output.flooded.load(Ordering::Relaxed) {
            return Err(self.flooded());
        }
        let line = select! {
            recv(self.output.lines) -> line => line,
            recv(self.stop) -> _ => return Err(Trouble::Interrupted),
            default(deadline.saturating_duration_since(Instant::now())) => {
                return Err(Trouble::Timeout(complaint.to_owned()));
            }
        };
        match line {
            Ok(line) => {
                self.output.taken(&line);
                Ok(line)
            }
            Err(_) if self.output.flooded.load(Ordering::Relaxed) => Err(self.flooded()),
            Err(_) => Err(self.died()),
        }
    }

    fn flooded(&self) -> Trouble {
        Trouble::Died(format!("it wrote without end: more than {} MiB at once", FLOOD >> 20))
    }

    /// The program has closed its pipes.
    fn died(&mut self) -> Trouble {
        let deadline = Instant::now() + Duration::from_millis(200);
        loop {
            match self.ended() {
                Ok(Some(status)) => return Trouble::Died(format!("it ended ({status})")),
                Ok(None) if Instant::now() < deadline => thread::sleep(Duration::from_millis(5)),
                _ => return Trouble::Died("it closed its output".to_owned()),
            }
        }
    }

    /// How it ended, if it has.
    fn ended(&self) -> std::io::Result<Option<std::process::ExitStatus>> {
        self.lock().try_wait()
    }

    fn lock(&self) -> MutexGuard<'_, Child> {
        self.child.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One search.
    fn think(
        &mut self,
        question: Question<'_>,
        patience: Duration,
        counted: bool,
        watch: Watch<'_>,
    ) -> Result<Answer, Failure> {
        self.set_up(question)?;
        let Question { position, budget, .. } = question;
        let started = Instant::now();
        let mut count = budget.nodes.filter(|_| counted).map(|limit| Count { limit, seen: 0, at: started, rate: 0.0 });
        // A node limit that it cannot keep is not sent to it; it keeps the others itself.
        let own = Budget { nodes: budget.nodes.filter(|_| !counted), ..*budget };
        self.send(&if own.is_empty() { "go infinite".to_owned() } else { own.go() })?;
        // A patience too long for the clock never ends.
        let mut deadline = started + patience.min(LIFETIME);
        let (mut stopped, mut nodes) = (None, 0);
        let best = loop {
            let counted_out = count.as_ref().filter(|_| stopped.is_none()).and_then(Count::due);
            let line = match self
                .receive(counted_out.map_or(deadline, |due| due.min(deadline)), "no 'bestmove' after 'stop'")
            {
                Err(Trouble::Timeout(_)) if stopped.is_none() => {
                    let is_counted_out = counted_out.is_some_and(|due| due < deadline);
                    stopped = Some(if is_counted_out { Stopped::Enough } else { Stopped::TimeOut });
                    deadline = self.stop_search()?;
                    continue;
                }
                other => other?,
            };
            if let Some(best) = line.strip_prefix("bestmove") {
                break best.split_whitespace().next().unwrap_or("").to_owned();
            }
            let elapsed = started.elapsed().as_millis().try_into().unwrap_or(u64::MAX);
            let Some(info) = parse_info(position, &line, elapsed) else { continue };
            nodes = nodes.max(info.nodes);
            if let Some(count) = &mut count {
                count.tell(info.nodes, started);
            }
            if watch(&info) && stopped.is_none() {
                stopped = Some(Stopped::Enough);
                deadline = self.stop_search()?;
            }
        };
        let ms = started.elapsed().as_millis().try_into().unwrap_or(u64::MAX);
        if matches!(stopped, Some(Stopped::TimeOut)) {
            return Err(Failure::Answer(Trouble::Timeout(format!("stopped after {ms} ms (--timeout)"))));
        }
        let m = position.parse_move(&best).or_else(|| position.parse_move(&best.to_lowercase()));
        if m.is_none() && position.has_legal_move() {
            return Err(Failure::Answer(Trouble::Illegal(format!("'bestmove {best}' is not legal"))));
        }
        Ok(Answer { best: m, nodes, ms })
    }

    /// Makes the program ready to search a position.
    fn set_up(&mut self, question: Question<'_>) -> Result<(), Failure> {
        let Question { position, analysis, .. } = question;
        let chess960 = position.castling_mode().is_chess960();
        if chess960 != self.chess960 {
            if self.offer(CHESS960).is_some() {
                self.set(CHESS960, if chess960 { "true" } else { "false" })?;
                self.chess960 = chess960;
            } else if !position.castling().is_empty() {
                // A program without Chess960 would drop or misread these rights, and search another position.
                let why = format!("it has no option {CHESS960}, so it was not given the position");
                return Err(Failure::Answer(Trouble::Unfit(why)));
            }
        }
        if let Some(set) = self.analysis.filter(|&set| set != analysis) {
            self.set(ANALYSIS, if set { "false" } else { "true" })?;
            self.analysis = Some(analysis);
        }
        self.send("ucinewgame")?;
        self.ready()?;
        self.send(&format!("position fen {}", position.fen()))?;
        Ok(())
    }

    /// Sends `stop`. Returns the deadline for the program's move.
    fn stop_search(&mut self) -> Result<Instant, Trouble> {
        let deadline = Instant::now() + STOP;
        self.send("stop")?;
        Ok(deadline)
    }
}

/// What went wrong in a search.
enum Failure {
    /// Only the answer is bad.
    Answer(Trouble),
    /// The program must be replaced.
    Program(Trouble),
}

impl From<Trouble> for Failure {
    fn from(trouble: Trouble) -> Failure {
        Failure::Program(trouble)
    }
}

/// Why `stop` ended a search.
enum Stopped {
    /// The watch has seen enough, or the nodes are used up.
    Enough,
    /// The time for the position is over.
    TimeOut,
}

/// Nodes of a program that must be stopped: as it reports them, and between its reports estimated from the time.
struct Count {
    limit: u64,
    seen: u64,
    /// When it reported them.
    at: Instant,
    /// Nodes a second.
    rate: f64,
}

impl Count {
    fn tell(&mut self, nodes: u64, started: Instant) {
        if nodes > self.seen {
            self.seen = nodes;
            self.at = Instant::now();
            self.rate = nodes as f64 / (self.at - started).as_secs_f64().max(1e-4);
        }
    }

    /// When the limit will be reached, by estimate.
    fn due(&self) -> Option<Instant> {
        let left = self.limit.saturating_sub(self.seen) as f64;
        (self.rate > 0.0).then(|| self.at + Duration::from_secs_f64((left / self.rate).min(3600.0)))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.send("quit");
        let deadline = Instant::now() + Duration::from_millis(500);
        while Instant::now() < deadline {
            if !matches!(self.ended(), Ok(None)) && !has_descendants(&self.lock()) {
                return;
            }
            thread::sleep(Duration::from_millis(5));
        }
        let mut child = self.lock();
        end(&mut child);
        let _ = child.wait();
    }
}

fn parse_offer(line: &str) -> Option<Offer> {
    let rest = line.strip_prefix("option name ")?;
    let (name, rest) = rest.split_once(" type ")?;
    let number = |key: &str| {
        let mut words = rest.split_whitespace().skip_while(|&word| word != key);
        words.nth(1).and_then(|word| word.parse().ok())
    };
    let kind = rest.split_whitespace().next().unwrap_or_default().to_owned();
    // Values of several words are common: each extends to the next keyword.
    let words: Vec<&str> = rest.split_whitespace().collect();
    let values = words.split(|&word| word == "var").skip(1).map(|value| value.join(" ")).collect();
    Some(Offer { name: name.trim().to_owned(), kind, min: number("min"), max: number("max"), values })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offered_options_are_parsed_and_checked() {
        let offer = |line: &str| parse_offer(line).expect("an offer");
        let spin = offer("option name Move Overhead type spin default 10 min 0 max 5000");
        assert_eq!(
            (spin.name.as_str(), spin.kind.as_str(), spin.min, spin.max),
            ("Move Overhead", "spin", Some(0), Some(5000))
        );
        let button = offer("option name Clear Hash type button");
        assert_eq!((button.name.as_str(), button.min, button.max), ("Clear Hash", None, None));
        let combo = offer("option name Style type combo default Very Solid var Very Solid var Normal");
        assert_eq!(combo.values, ["Very Solid", "Normal"]);
        let check = offer("option name Ponder type check default false");
        for (offer, good, bad) in [
            (&spin, ["0", "5000"], ["5001", "-1"]),
            (&combo, ["very solid", "Normal"], ["solid", ""]),
            (&check, ["true", "false"], ["1", ""]),
        ] {
            assert!(good.iter().all(|value| offer.refuses(value).is_none()), "{offer:?}");
            assert!(bad.iter().all(|value| offer.refuses(value).is_some()), "{offer:?}");
        }
        assert_eq!(
            spin.refuses("5001").as_deref(),
            Some("option 'Move Overhead' takes a whole number from 0 to 5000, not '5001'")
        );
        assert_eq!(parse_offer("optional name X type check"), None);
    }

    #[test]
    fn a_flood_is_cut_off() {
        let all = |text: std::io::Take<std::io::Repeat>| {
            let output = Output::of(text).expect("a thread");
            // The reader stops by itself, although its lines are not taken.
            let lines = std::iter::from_fn(|| {
                while output.lines.is_empty() && !output.flooded.load(Ordering::Relaxed) {
                    thread::yield_now();
                }
                output.lines.recv().ok()
            });
            (lines.count(), output.flooded.load(Ordering::Relaxed), output.unread.load(Ordering::Relaxed))
        };
        let endless = || std::io::repeat(b'x').take(u64::MAX);
        let (lines, flooded, _) = all(endless());
        assert!(lines == 0 && flooded);
        let (lines, flooded, unread) = all(std::io::repeat(b'\n').take(u64::MAX));
        assert!(lines <= FLOOD / LINE && flooded && unread <= FLOOD + LINE, "{lines} {unread}");
    }

    #[test]
    fn commands_that_are_not_engines_are_refused() {
        let program = |command: &[&str]| Program {
            command: command.iter().map(|&word| word.to_owned()).collect(),
            options: Vec::new(),
            hash: 16,
            threads: 1,
            patience: None,
            counted: false,
        };
        assert!(External::start(program(&[])).is_err_and(|error| error.to_string().contains("empty command")));
        let missing = External::start(program(&["/no/such/engine"])).err().expect("no such file");
        assert!(missing.to_string().contains("cannot run '/no/such/engine'"), "{missing}");
    }
}
