//! Faults of the machine: too little memory, no threads, paths that are not files, signals, a stop of the whole
//! process while the clock runs. Each has a defined behaviour: a remark and a legal move, or a quiet end.

#![cfg(target_os = "linux")]

#[path = "common/copies.rs"]
mod copies;
#[path = "common/environment.rs"]
mod environment;
#[path = "common/memory.rs"]
mod memory;
#[path = "common/scratch.rs"]
mod scratch;
#[path = "common/threads.rs"]
mod threads;

use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use environment::from_environment;
use ibex::position::Position;
use memory::with_memory;
use scratch::Scratch;

/// Only a hang can reach this.
const PATIENCE: Duration = Duration::from_secs(60);

fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ibex"));
    command.env_remove("IBEX_LOG").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Sends the program these lines, and returns its output until its end.
fn session(mut command: Command, lines: &str) -> Output {
    let mut child = command.spawn().expect("the program starts");
    let mut input = child.stdin.take().expect("a pipe");
    // The program may end before it has read everything.
    let _ = input.write_all(lines.as_bytes());
    drop(input);
    child.wait_with_output().expect("an end")
}

fn said(output: &Output) -> Vec<String> {
    String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
}

/// The number of moves; they must be legal in the initial position.
fn moves(output: &Output) -> usize {
    let lines = said(output);
    let told: Vec<&str> = lines.iter().filter_map(|line| line.strip_prefix("bestmove ")).collect();
    for line in &told {
        let best = line.split(' ').next().unwrap_or("");
        assert!(Position::startpos().parse_move(best).is_some(), "{line}");
    }
    told.len()
}

fn quietly(output: &Output) {
    assert!(output.status.success(), "{:?}", output.status);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

fn remarks(output: &Output, text: &str) -> usize {
    said(output).iter().filter(|line| line.starts_with("info string ") && line.contains(text)).count()
}

fn has_remark(output: &Output, text: &str) -> bool {
    remarks(output, text) > 0
}

#[test]
fn a_hash_beyond_the_memory_is_reduced() {
    let mut command = program();
    with_memory(&mut command, 1024);
    // The setting is not met, so the same line is tried again; another option does not cause that.
    let large = "setoption name Hash value 1048576\nisready\n";
    let lines = format!(
        "{large}{large}setoption name MultiPV value 2\ngo nodes 3000\nsetoption name Hash value 16\ngo nodes 3000\n"
    );
    let output = session(command, &lines);
    quietly(&output);
    assert_eq!(remarks(&output, "not enough memory for Hash 1048576; it is "), 2, "{:?}", said(&output));
    assert_eq!(moves(&output), 2);
}

#[test]
fn threads_beyond_the_memory_are_reduced() {
    let mut command = program();
    with_memory(&mut command, 600);
    // As above: three lines, three remarks, and none for the option after them.
    let many = "setoption name Threads value 512\nisready\n";
    let lines = format!("{many}{many}{many}setoption name MultiPV value 2\ngo nodes 20000\nucinewgame\ngo depth 3\n");
    let output = session(command, &lines);
    quietly(&output);
    assert_eq!(remarks(&output, "not enough memory for 512 threads; searching with "), 3, "{:?}", said(&output));
    assert_eq!(moves(&output), 2);
}

/// From too little memory to start up to enough: if there is `uciok`, there is a move, however few threads the system
/// grants.
#[test]
fn threads_that_cannot_be_started() {
    let (mut refused, mut played) = (0, 0);
    for mib in (30..160).step_by(5) {
        let mut command = program();
        with_memory(&mut command, mib);
        let output = session(command, "uci\nsetoption name Threads value 4\ngo nodes 2000\n");
        if !said(&output).iter().any(|line| line == "uciok") {
            // It could not even start; that must not look like success.
            assert!(!output.status.success(), "{mib} MiB: {output:?}");
            continue;
        }
        quietly(&output);
        assert_eq!(moves(&output), 1, "{mib} MiB: {:?}", said(&output));
        refused += usize::from(has_remark(&output, "cannot start") || has_remark(&output, "could not start"));
        played += 1;
    }
    assert!(played > 5, "{played}");
    eprintln!("{played} limits at which it plays, {refused} of them without a thread that it wanted");
    assert!(refused > 0, "no limit was such that a thread was refused");
}

fn pipe(scratch: &Scratch) -> String {
    let path = scratch.path("pipe");
    let text = std::ffi::CString::new(path.clone()).expect("no zeros");
    // SAFETY: a path that ends with a zero.
    assert_eq!(unsafe { libc::mkfifo(text.as_ptr(), 0o600) }, 0);
    path
}

#[test]
fn unreadable_files_are_reported() {
    let scratch = Scratch::new("unreadable files");
    let (pipe, folder) = (pipe(&scratch), scratch.0.to_string_lossy().into_owned());
    std::fs::write(scratch.0.join("KQvK.rtbw"), b"no table").expect("a file");
    for path in ["/dev/zero", "/dev/null", "/proc/self/mem", "/no/such/file", &pipe, &folder] {
        let output = session(program(), &format!("setoption name EvalFile value {path}\nisready\ngo nodes 500\n"));
        quietly(&output);
        assert!(has_remark(&output, "network"), "{path}: {:?}", said(&output));
        assert_eq!(moves(&output), 1, "{path}");
        let output = session(program(), &format!("setoption name SyzygyPath value {path}\nisready\ngo nodes 500\n"));
        quietly(&output);
        assert!(has_remark(&output, "tablebase"), "{path}: {:?}", said(&output));
        assert_eq!(moves(&output), 1, "{path}");
    }
}

/// A rejected file is not the setting: the same line is tried, and rejected, again.
#[test]
fn a_refused_file_is_tried_again() {
    let scratch = Scratch::new("refused files");
    let network = scratch.path("late.ibxn");
    let late = format!("setoption name EvalFile value {network}\nisready\n");
    let output = session(program(), &late.repeat(2));
    let refused = said(&output).iter().filter(|line| line.contains("cannot read network")).count();
    assert_eq!(refused, 2, "{:?}", said(&output));
    let folder = scratch.path("no tables");
    let tables = format!("setoption name SyzygyPath value {folder}\nisready\n");
    let output = session(program(), &tables.repeat(2));
    let refused = said(&output).iter().filter(|line| line.contains("tablebase folder")).count();
    assert_eq!(refused, 2, "{:?}", said(&output));
}

/// A path that was partly rejected is not the setting either.
#[test]
fn a_partly_refused_path_is_tried_again() {
    let scratch = Scratch::new("late tables");
    // Enough to be opened: the first bytes of every WDL table.
    let table = [&[0x71, 0xE8, 0x23, 0x5D][..], &[0; 76]].concat();
    let [early, late] = ["early", "late"].map(|name| scratch.0.join(name));
    std::fs::create_dir(&early).expect("a folder");
    std::fs::write(early.join("KQvK.rtbw"), &table).expect("a file");
    let path = format!("setoption name SyzygyPath value {}:{}\n", early.display(), late.display());
    let mut dialogue = Dialogue::new();
    for _ in 0..2 {
        dialogue.say(&path);
        assert!(dialogue.hear("info string").contains("tablebase folder"));
        assert!(dialogue.hear("info string").ends_with("tablebases: 1 WDL and 0 DTZ tables of up to 3 men"));
    }
    std::fs::create_dir(&late).expect("a folder");
    std::fs::write(late.join("KQvK.rtbw"), &table).expect("a file");
    dialogue.say(&path);
    let remark = dialogue.hear("info string");
    assert!(remark.contains("late/KQvK.rtbw") && remark.contains("is not used"), "{remark}");
    assert!(dialogue.hear("info string").ends_with("tablebases: 1 WDL and 0 DTZ tables of up to 3 men"));
    // Another option does not reopen anything, and an opened path is not reopened.
    std::fs::remove_file(late.join("KQvK.rtbw")).expect("a file");
    std::fs::write(late.join("KRvK.rtbw"), &table).expect("a file");
    dialogue.say(&format!("setoption name MultiPV value 2\n{path}{path}isready\n"));
    dialogue.hear("readyok");
    assert_eq!(dialogue.kept, [""; 0]);
}

#[test]
fn unwritable_logs_do_not_stop_the_engine() {
    let scratch = Scratch::new("unwritable files");
    let (pipe, folder) = (pipe(&scratch), scratch.0.to_string_lossy().into_owned());
    // A full disk is noticed only by a write; losing the log must not lose the game.
    for (path, refused) in
        [("/dev/full", false), ("/no/such/folder/log", true), ("/proc/log", true), (&pipe, true), (&folder, true)]
    {
        let output =
            session(program(), &format!("setoption name Debug Log File value {path}\nisready\ngo nodes 500\n"));
        quietly(&output);
        assert_eq!(has_remark(&output, "cannot write the log file"), refused, "{path}: {:?}", said(&output));
        assert_eq!(moves(&output), 1, "{path}");
    }
}

/// Makes a stream non-blocking, as its other side may do.
fn without_waiting(stream: &impl AsRawFd) {
    // SAFETY: the flags of a stream that is open.
    unsafe {
        let flags = libc::fcntl(stream.as_raw_fd(), libc::F_GETFL);
        assert_eq!(libc::fcntl(stream.as_raw_fd(), libc::F_SETFL, flags | libc::O_NONBLOCK), 0);
    }
}

#[test]
fn a_nonblocking_input_is_read() {
    let (source, mut input) = std::io::pipe().expect("a pipe");
    without_waiting(&source);
    let mut command = program();
    let child = command.stdin(source).spawn().expect("the program starts");
    std::thread::sleep(Duration::from_millis(200));
    input.write_all(b"isready\ngo nodes 500\n").expect("it listens");
    drop(input);
    let output = child.wait_with_output().expect("an end");
    quietly(&output);
    assert_eq!((said(&output)[0].as_str(), moves(&output)), ("readyok", 1));
}

#[test]
fn a_nonblocking_output_loses_no_line() {
    let (mut reader, output) = std::io::pipe().expect("a pipe");
    without_waiting(&output);
    let mut command = program();
    let mut child = command.stdout(output).spawn().expect("the program starts");
    // Only the child has the other end of the pipe, so that the reader sees its end.
    drop(command);
    let mut input = child.stdin.take().expect("a pipe");
    // More than a pipe holds.
    input.write_all("uci\n".repeat(200).as_bytes()).expect("it listens");
    drop(input);
    std::thread::sleep(Duration::from_millis(500));
    let mut text = String::new();
    reader.read_to_string(&mut text).expect("text");
    assert!(child.wait().expect("an end").success());
    assert_eq!(text.lines().filter(|line| *line == "uciok").count(), 200);
}

/// A read error is reported, and ends the session as the end of the input does.
#[test]
fn an_unreadable_input_is_reported() {
    let mut command = program();
    command.stdin(std::fs::File::open("/").expect("a folder"));
    let output = command.output().expect("an end");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.lines().count() == 1 && errors.starts_with("ibex: cannot read the input: "), "{errors}");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn a_full_output_ends_the_program() {
    let mut command = program();
    command.stdout(std::fs::File::options().write(true).open("/dev/full").expect("a full disk"));
    let mut child = command.spawn().expect("the program starts");
    let mut input = child.stdin.take().expect("a pipe");
    let _ = input.write_all(b"uci\ngo infinite\n");
    // It ends although its input stays open.
    let output = child.wait_with_output().expect("an end");
    quietly(&output);
    drop(input);
}

/// Commands end likewise: silently if there is no reader, with one line if the disk is full.
#[test]
fn commands_end_when_their_output_fails() {
    // Results without a reader are no success.
    for words in [&["bench", "2"][..], &["perft", "2"], &["spsa"], &["--help"], &["--version"]] {
        let (reader, output) = std::io::pipe().expect("a pipe");
        drop(reader);
        let output = program().args(words).stdout(output).output().expect("an end");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{words:?}");
        assert_eq!(output.status.code(), Some(141), "{words:?}");
    }
    let full = || std::fs::File::options().write(true).open("/dev/full").expect("a full disk");
    let output = program().args(["perft", "2"]).stdout(full()).output().expect("an end");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.starts_with("ibex: ") && errors.lines().count() == 1, "{errors}");
    assert_eq!(output.status.code(), Some(2));
    // An error message that cannot be written changes nothing.
    for words in [&["perft", "99999999999999999999"][..], &["spsa", "no-such"], &["bench", "x"], &["nonsense"]] {
        let output = program().args(words).stderr(full()).output().expect("an end");
        assert_eq!(output.status.code(), Some(2), "{words:?}");
    }
}

/// The threads of `perft` are no more than the system grants.
#[test]
fn perft_without_threads_counts_on_one() {
    let scratch = Scratch::new("one thread");
    let copy = scratch.path("ibex");
    copies::copied(env!("CARGO_BIN_EXE_ibex"), &copy);
    let output = threads::at_most(&copy, 1).args(["perft", "3"]).output().expect("the program runs");
    assert!(output.status.success(), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("\n8902 leaves, "), "{output:?}");
}

#[test]
fn closed_standard_streams_do_no_harm() {
    for closed in [0, 1, 2] {
        let mut command = program();
        command.arg("--unknown");
        // SAFETY: between fork and exec only this system call is made.
        unsafe {
            command.pre_exec(move || {
                libc::close(closed);
                Ok(())
            });
        }
        let output = session(command, "isready\ngo nodes 500\nquit\n");
        assert!(output.status.success(), "without stream {closed}: {output:?}");
        assert_eq!(moves(&output), usize::from(closed == 2), "without stream {closed}");
    }
    // Standard error has no reader any more, and there is something to report.
    let mut command = program();
    let mut child = command.arg("--unknown").spawn().expect("the program starts");
    drop(child.stderr.take());
    let mut input = child.stdin.take().expect("a pipe");
    let _ = input.write_all(b"isready\n");
    drop(input);
    let output = child.wait_with_output().expect("an end");
    assert!(output.status.success(), "{output:?}");
}

/// A running program and its output.
struct Dialogue {
    child: Child,
    /// Its output, as a thread reads it.
    lines: Receiver<String>,
    /// Lines that came before the expected one.
    kept: Vec<String>,
}

impl Dialogue {
    fn new() -> Dialogue {
        let mut command = program();
        // If this test runs in the background, signals may be ignored, which is inherited.
        // SAFETY: between fork and exec only this system call is made.
        unsafe {
            command.pre_exec(|| {
                for signal in [libc::SIGINT, libc::SIGHUP, libc::SIGTERM] {
                    libc::signal(signal, libc::SIG_DFL);
                }
                Ok(())
            });
        }
        let mut child = command.spawn().expect("the program starts");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || {
            // The dialogue may end before the program has sent everything.
            let _ = output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line));
        });
        Dialogue { child, lines, kept: Vec::new() }
    }

    fn say(&mut self, lines: &str) {
        self.child.stdin.as_mut().expect("a pipe").write_all(lines.as_bytes()).expect("it listens");
    }

    /// The first line not yet returned that begins like this. Earlier lines are kept: on a slow machine, a search may
    /// end before `readyok`.
    fn hear(&mut self, word: &str) -> String {
        if let Some(at) = self.kept.iter().position(|line| line.starts_with(word)) {
            return self.kept.remove(at);
        }
        let end = Instant::now() + PATIENCE;
        loop {
            match self.lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(line) if line.starts_with(word) => return line,
                Ok(line) => self.kept.push(line),
                Err(RecvTimeoutError::Timeout) => panic!("no {word} in {PATIENCE:?}: {:?}", self.kept),
                Err(RecvTimeoutError::Disconnected) => panic!("it has ended before {word}: {:?}", self.kept),
            }
        }
    }

    fn signal(&self, signal: libc::c_int) {
        // SAFETY: a signal to a child of ours that has not been waited for.
        unsafe { libc::kill(self.child.id() as libc::pid_t, signal) };
    }

    /// The processor time used, in hundredths of a second.
    fn ticks(&self) -> u64 {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).expect("it runs");
        let fields: Vec<&str> = stat.rsplit_once(") ").expect("a name").1.split(' ').collect();
        fields[11..13].iter().map(|field| field.parse::<u64>().expect("a number")).sum()
    }
}

impl Drop for Dialogue {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The system's default: the program ends at once, searching or not, and prints nothing more.
#[test]
fn termination_signals_end_the_program_at_once() {
    for (signal, search) in [
        (libc::SIGTERM, "go infinite\n"),
        (libc::SIGTERM, ""),
        (libc::SIGINT, "go infinite\n"),
        (libc::SIGHUP, "setoption name Threads value 3\ngo infinite\n"),
    ] {
        let mut dialogue = Dialogue::new();
        dialogue.say(&format!("isready\n{search}"));
        dialogue.hear(if search.is_empty() { "readyok" } else { "info" });
        dialogue.signal(signal);
        let start = Instant::now();
        let status = dialogue.child.wait().expect("an end");
        assert_eq!(status.signal(), Some(signal));
        assert!(start.elapsed() < PATIENCE);
        let mut errors = String::new();
        let _ = dialogue.child.stderr.take().expect("a pipe").read_to_string(&mut errors);
        assert_eq!(errors, "");
    }
}

/// A broken pipe is an error to be handled, not a fatal signal.
#[test]
fn the_broken_pipe_signal_is_not_fatal() {
    let mut dialogue = Dialogue::new();
    dialogue.say("go infinite\n");
    dialogue.hear("info");
    dialogue.signal(libc::SIGPIPE);
    dialogue.say("isready\n");
    dialogue.hear("readyok");
    dialogue.say("stop\n");
    dialogue.hear("bestmove");
    dialogue.say("quit\n");
    assert!(dialogue.child.wait().expect("an end").success());
}

/// The whole process is stopped while its clock runs, as by closing a laptop's lid: when it continues, it notices that
/// its time is over, and a search without a clock continues as if nothing had happened.
#[test]
fn a_process_notices_the_time_it_was_asleep() {
    // The whole clock is for this move, so that the search is still running when the process is stopped.
    for go in [
        "go movetime 4000",
        "go wtime 4000 btime 4000 movestogo 1",
        "go ponder wtime 4000 btime 4000 movestogo 1\nponderhit",
    ] {
        let begun = || {
            let mut dialogue = Dialogue::new();
            dialogue.say(&format!("setoption name Threads value 2\n{go}\n"));
            // It must have begun, or its time would start after the sleep.
            dialogue.hear("info depth");
            dialogue.say("isready\n");
            dialogue.hear("readyok");
            dialogue
        };
        // Nor may it be over, as it may be on a very slow machine, so there are five attempts.
        let runs = |dialogue: &Dialogue| !dialogue.kept.iter().any(|line| line.starts_with("bestmove"));
        let dialogue = (0..5).map(|_| begun()).find(runs);
        let mut dialogue = dialogue.unwrap_or_else(|| panic!("{go}: no search was still at work"));
        dialogue.signal(libc::SIGSTOP);
        std::thread::sleep(Duration::from_millis(4500));
        dialogue.signal(libc::SIGCONT);
        let before = dialogue.ticks();
        let best = dialogue.hear("bestmove");
        let used = dialogue.ticks() - before;
        assert!(Position::startpos().parse_move(best.split_whitespace().nth(1).expect("a move")).is_some(), "{best}");
        // In hundredths of a second of processor time, which a loaded machine does not change: if the sleep had not
        // counted, two threads would have searched on, for up to four seconds.
        assert!(used < 50, "{go}: {used} ticks after it woke");
        dialogue.say("isready\n");
        dialogue.hear("readyok");
    }
    let mut dialogue = Dialogue::new();
    dialogue.say("go infinite\n");
    dialogue.hear("info");
    dialogue.signal(libc::SIGSTOP);
    std::thread::sleep(Duration::from_millis(300));
    dialogue.signal(libc::SIGCONT);
    dialogue.say("isready\n");
    dialogue.hear("readyok");
    dialogue.say("stop\n");
    dialogue.hear("bestmove");
}

/// Hours of analysis (`IBEX_HOURS`): memory stays what it was after the first minutes, and `stop` gives the move at
/// once.
#[test]
#[ignore = "takes hours: make soak"]
fn hours_of_analysis() {
    let hours: f64 = from_environment("IBEX_HOURS").unwrap_or(1.0);
    let mut child = program().spawn().expect("the program starts");
    let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
    let (sender, answers) = std::sync::mpsc::channel();
    let listener = std::thread::spawn(move || {
        let mut line = String::new();
        while output.read_line(&mut line).is_ok_and(|count| count > 0) {
            if line.starts_with("bestmove") && sender.send(Instant::now()).is_err() {
                break;
            }
            line.clear();
        }
    });
    let mut input = child.stdin.take().expect("a pipe");
    let mut say = |lines: &str| input.write_all(lines.as_bytes()).expect("it listens");
    let status = format!("/proc/{}/status", child.id());
    let resident = || -> u64 {
        let text = std::fs::read_to_string(&status).expect("it runs");
        let line = text.lines().find(|line| line.starts_with("VmRSS:")).expect("a size");
        line.split_whitespace().nth(1).and_then(|kib| kib.parse().ok()).expect("a number")
    };
    say("setoption name Hash value 1024\ngo infinite\n");
    let (start, mut samples) = (Instant::now(), Vec::new());
    while start.elapsed() < Duration::from_secs_f64(hours * 3600.0) {
        std::thread::sleep(Duration::from_secs_f64((hours * 60.0).min(60.0)));
        samples.push(resident());
    }
    let late = &samples[samples.len() / 10..];
    let (least, most) = (late.iter().min().expect("samples"), late.iter().max().expect("samples"));
    let mut stops = Vec::new();
    for _ in 0..20 {
        let said = Instant::now();
        say("stop\n");
        stops.push(answers.recv_timeout(PATIENCE).expect("a move").duration_since(said));
        say("go infinite\n");
        std::thread::sleep(Duration::from_millis(500));
    }
    say("quit\n");
    assert!(child.wait().expect("an end").success());
    listener.join().expect("a listener");
    // The first one counts, but a loaded machine may delay any of them.
    let first = stops[0];
    stops.sort();
    eprintln!(
        "hour: {hours} h with Hash 1024: {least} to {most} KiB resident, stop after {first:?}, half of 20 within {:?}",
        stops[10]
    );
    assert!(most - least < 8 << 10, "{samples:?}");
    assert!(stops[10] < Duration::from_millis(10), "{stops:?}");
}
