//! Plays a dialogue against the program, and watches the process.

use std::fmt;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::AsRawFd as _;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::script::{self, Dialogue, Ending, Step};

/// Only a hang can reach this.
const PATIENCE: Duration = Duration::from_secs(60);

/// The totals of all dialogues.
#[derive(Default)]
pub struct Totals {
    searches: AtomicU64,
    lines: AtomicU64,
    idle_checks: AtomicU64,
    /// The longest time in microseconds from the last line to the end of the process.
    slowest_end: AtomicU64,
}

impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = |n: &AtomicU64| n.load(Ordering::Relaxed);
        write!(
            f,
            "{} searches asked for, {} lines heard, {} times found idle, slowest end {:.1} ms",
            of(&self.searches),
            of(&self.lines),
            of(&self.idle_checks),
            of(&self.slowest_end) as f64 / 1000.0
        )
    }
}

/// A dialogue that went wrong.
pub struct Failure {
    seed: u64,
    what: String,
    /// Whether it was only too slow.
    pub late: bool,
    dialogue: Dialogue,
    heard: Vec<String>,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "seed {}: {}", self.seed, self.what)?;
        for step in &self.dialogue.steps {
            match step {
                Step::Write(bytes) => writeln!(f, "  > {}", bytes.escape_ascii())?,
                other => writeln!(f, "  * {other:?}")?,
            }
        }
        // The end of the output matters.
        for line in &self.heard[self.heard.len().saturating_sub(60)..] {
            writeln!(f, "  < {line}")?;
        }
        Ok(())
    }
}

/// The shared state of the listening thread and the player.
#[derive(Default)]
struct Ear {
    state: Mutex<Heard>,
    changed: Condvar,
}

#[derive(Default)]
struct Heard {
    lines: Vec<String>,
    /// The listener does not read at present.
    deaf: bool,
    /// The listener must drop its end of the pipe.
    close: bool,
    /// There is no more output.
    over: bool,
}

impl Ear {
    fn lock(&self) -> MutexGuard<'_, Heard> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut Heard)) {
        change(&mut self.lock());
        self.changed.notify_all();
    }

    /// Reads lines until the pipe ends or must be closed.
    fn listen(&self, output: ChildStdout) {
        let mut pipe = libc::pollfd { fd: output.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        let mut output = BufReader::new(output);
        loop {
            let mut state = self.lock();
            while state.deaf && !state.close {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            if state.close {
                break;
            }
            drop(state);
            // While there is no output, the request to close must not wait for the next line.
            // SAFETY: one descriptor, open as long as `output` is.
            if output.buffer().is_empty() && unsafe { libc::poll(&raw mut pipe, 1, 5) } == 0 {
                continue;
            }
            let mut line = String::new();
            match output.read_line(&mut line) {
                Ok(0) | Err(_) => break,
                Ok(_) => self.change(|heard| heard.lines.push(line.trim_end().to_owned())),
            }
        }
        drop(output);
        self.change(|heard| heard.over = true);
    }

    /// Waits for a state of the output; returns whether it came in time.
    fn wait(&self, limit: Duration, mut reached: impl FnMut(&Heard) -> bool) -> bool {
        let end = Instant::now() + limit;
        let mut state = self.lock();
        while !reached(&state) {
            let Some(left) = end.checked_duration_since(Instant::now()) else { return false };
            state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }
}

/// A running program.
struct Stage {
    child: Child,
    input: Option<ChildStdin>,
    ear: Arc<Ear>,
}

impl Drop for Stage {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        self.ear.change(|heard| heard.close = true);
    }
}

impl Stage {
    fn open() -> Stage {
        let mut child = Command::new(env!("CARGO_BIN_EXE_ibex"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .env_remove("IBEX_LOG")
            .spawn()
            .expect("the program starts");
        let ear = Arc::new(Ear::default());
        let (output, listener) = (child.stdout.take().expect("a pipe"), Arc::clone(&ear));
        std::thread::spawn(move || listener.listen(output));
        Stage { input: child.stdin.take(), child, ear }
    }

    fn signal(&self, signal: libc::c_int) {
        // SAFETY: a signal to a child of ours that has not been waited for.
        unsafe { libc::kill(self.child.id() as libc::pid_t, signal) };
    }

    /// Clock ticks of 10 ms that the process has used, and its number of threads.
    fn usage(&self) -> Option<(u64, usize)> {
        let folder = format!("/proc/{}", self.child.id());
        let stat = std::fs::read_to_string(format!("{folder}/stat")).ok()?;
        let fields: Vec<&str> = stat.rsplit_once(") ")?.1.split(' ').collect();
        let ticks = fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?;
        Some((ticks, std::fs::read_dir(format!("{folder}/task")).ok()?.count()))
    }

    /// Whether the process is idle, with no threads other than the session and the reader of its input.
    fn is_idle(&self) -> Result<(), String> {
        let mut seen = None;
        for _ in 0..20 {
            let before = self.usage().ok_or("the process has gone")?;
            std::thread::sleep(Duration::from_millis(80));
            let after = self.usage().ok_or("the process has gone")?;
            // A thread that was joined may still be exiting.
            if after.0 <= before.0 + 1 && after.1 <= 2 {
                return Ok(());
            }
            seen = Some((after.0 - before.0, after.1));
        }
        Err(format!("not idle: ticks in 80 ms and threads are {seen:?}"))
    }

    fn await_exit(&mut self, limit: Duration) -> Option<ExitStatus> {
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("a status") {
                return Some(status);
            }
            if start.elapsed() > limit {
                return None;
            }
            std::thread::sleep(Duration::from_micros(500));
        }
    }
}

/// The numbers of requests up to a step: of searches, and of `isready`.
fn asked_before(dialogue: &Dialogue, end: usize) -> (usize, usize) {
    let mut text = Vec::new();
    for step in &dialogue.steps[..end] {
        if let Step::Write(bytes) = step {
            text.extend_from_slice(bytes);
        }
    }
    let text = String::from_utf8_lossy(&text);
    let lines = || text.lines().map(str::trim);
    let searches = lines().filter(|line| line.starts_with("go ") && !line.starts_with("go perft")).count();
    (searches, lines().filter(|&line| line == "isready").count())
}

fn count(heard: &Heard, word: &str) -> usize {
    heard.lines.iter().filter(|line| line.split(' ').next() == Some(word)).count()
}

/// Plays the dialogue of a seed.
pub fn play(seed: u64, slow: Duration, totals: &Totals) -> Result<(), Box<Failure>> {
    let dialogue = script::dialogue(seed);
    let mut stage = Stage::open();
    let ear = Arc::clone(&stage.ear);
    let result = perform(&mut stage, &dialogue, slow, totals);
    drop(stage);
    let heard = std::mem::take(&mut ear.lock().lines);
    totals.searches.fetch_add(dialogue.asked.len() as u64, Ordering::Relaxed);
    totals.lines.fetch_add(heard.len() as u64, Ordering::Relaxed);
    match result {
        Ok(()) => Ok(()),
        Err((late, what)) => Err(Box::new(Failure { seed, what, late, dialogue, heard })),
    }
}

fn perform(stage: &mut Stage, dialogue: &Dialogue, slow: Duration, totals: &Totals) -> Result<(), (bool, String)> {
    let wrong = |what: String| (false, what);
    let ear = Arc::clone(&stage.ear);
    for (i, step) in dialogue.steps.iter().enumerate() {
        match step {
            Step::Write(bytes) => {
                let Some(input) = &mut stage.input else { continue };
                // The program may have ended: `quit` is not always the last line, and the output may be closed.
                let written = input.write_all(bytes);
                if written.is_err() && dialogue.ending == Ending::Complete {
                    return Err(wrong("it has stopped listening".into()));
                }
            }
            Step::Pause(ms) => std::thread::sleep(Duration::from_millis(*ms)),
            Step::Freeze(ms) => {
                stage.signal(libc::SIGSTOP);
                std::thread::sleep(Duration::from_millis(*ms));
                stage.signal(libc::SIGCONT);
            }
            Step::Settle { idle } => {
                let (searches, ready) = asked_before(dialogue, i);
                let settled = |heard: &Heard| count(heard, "bestmove") >= searches && count(heard, "readyok") >= ready;
                if !ear.wait(PATIENCE, settled) {
                    return Err(wrong(format!("no {searches} moves and {ready} readyoks by step {i}")));
                }
                if *idle {
                    stage.is_idle().map_err(wrong)?;
                    totals.idle_checks.fetch_add(1, Ordering::Relaxed);
                }
            }
            Step::StopReading => ear.change(|heard| heard.deaf = true),
            Step::Read { rest } => {
                // A program that waits for a reader must not burn processor time meanwhile.
                if *rest {
                    stage.is_blocked_at_rest().map_err(wrong)?;
                    totals.idle_checks.fetch_add(1, Ordering::Relaxed);
                }
                ear.change(|heard| heard.deaf = false);
            }
            Step::CloseOutput => {
                ear.change(|heard| heard.close = true);
                if !ear.wait(PATIENCE, |heard| heard.over) {
                    return Err(wrong("the tester's own listener does not end".into()));
                }
            }
            Step::CloseInput => stage.input = None,
        }
    }
    let last_word = Instant::now();
    // A complete dialogue may have searches to finish, all of them short; others end at once.
    let limit = if dialogue.ending == Ending::Complete { PATIENCE } else { PATIENCE.min(slow * 20) };
    let status = loop {
        if let Some(status) = stage.await_exit(Duration::from_millis(100)) {
            break status;
        }
        if last_word.elapsed() > limit {
            return Err(wrong("the process does not end".into()));
        }
        // A pipe is closed only when all copies of its end are, even that of a sibling process about to become another
        // program; until then a successful write is not a fault, and must be tried again.
        if dialogue.ending == Ending::Unheard
            && let Some(input) = &mut stage.input
        {
            let _ = input.write_all(b"isready\n");
        }
    };
    let took = last_word.elapsed();
    totals.slowest_end.fetch_max(took.as_micros() as u64, Ordering::Relaxed);
    let mut errors = String::new();
    let _ = stage.child.stderr.take().expect("a pipe").read_to_string(&mut errors);
    if !status.success() || !errors.is_empty() {
        return Err(wrong(format!("{status}, and on standard error: {errors}")));
    }
    if dialogue.ending != Ending::Unheard && !ear.wait(PATIENCE, |heard| heard.over) {
        return Err(wrong("somebody holds its output open after its end".into()));
    }
    if let Some(fault) = script::fault(dialogue, &ear.lock().lines) {
        return Err(wrong(fault));
    }
    if took > slow && dialogue.ending != Ending::Complete {
        return Err((true, format!("it took {took:?} to end")));
    }
    Ok(())
}

impl Stage {
    /// Whether the process uses no time while its output is not read, once it has filled the pipe.
    fn is_blocked_at_rest(&self) -> Result<(), String> {
        let start = Instant::now();
        let mut before = self.usage().ok_or("the process has gone")?;
        loop {
            std::thread::sleep(Duration::from_millis(80));
            let after = self.usage().ok_or("the process has gone")?;
            if after.0 <= before.0 + 1 {
                return Ok(());
            }
            if start.elapsed() > Duration::from_secs(20) {
                return Err(format!("{} ticks in 80 ms while nobody reads", after.0 - before.0));
            }
            before = after;
        }
    }
}
