//! The program `ibex-lab` from the outside: its commands, what it refuses, and how it ends.

#[cfg(target_os = "linux")]
#[path = "../../tests/common/copies.rs"]
mod copies;
#[cfg(target_os = "linux")]
#[path = "../../tests/common/memory.rs"]
mod memory;
#[path = "../../tests/common/scratch.rs"]
mod scratch;
#[path = "../../tests/common/shared.rs"]
mod shared;
#[cfg(target_os = "linux")]
#[path = "../../tests/common/threads.rs"]
mod threads;

use std::process::{Command, Output, Stdio};

use ibex::laboratory::CALLER;
use scratch::Scratch;

fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ibex-lab"));
    command.env_remove("IBEX_LOG").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(arguments: &[&str]) -> Output {
    program().args(arguments).stdin(Stdio::null()).output().expect("the program starts")
}

/// GUIs list both programs: who starts this one as an engine sees what it is.
#[test]
fn without_arguments_it_prints_its_help() {
    let output = run(&[]);
    let help = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
    assert!(["epd", "analyse", "experiments", "Usage: ibex-lab "].iter().all(|word| help.contains(word)), "{help}");
    assert!(!help.contains("  uci "), "it is for tests: {help}");
}

#[test]
fn a_caller_of_another_version_is_refused() {
    let same = program().args(["perft", "1"]).env(CALLER, ibex::VERSION).output().expect("the program starts");
    assert!(same.status.success(), "{same:?}");
    let other = program().args(["perft", "1"]).env(CALLER, "0.1").output().expect("the program starts");
    let said = String::from_utf8_lossy(&other.stderr);
    assert_eq!((other.status.code(), other.stdout.len()), (Some(2), 0), "{said}");
    assert!(said.lines().count() == 1 && said.contains(" not 0.1;") && said.contains(ibex::VERSION), "{said}");
}

/// Impossible requests to the laboratory are refused with an error that names them; nothing is searched.
#[test]
fn the_laboratory_refuses_what_it_cannot_do() {
    for (arguments, named) in [
        (&["experiments", "draws", "--depth", "0"][..], "1..=60"),
        (&["experiments", "draws", "--depth", "61"], "1..=60"),
        (&["experiments", "draws", "--depth", "many"], "--depth"),
        (&["experiments", "grain", "--hash", "0"], "1..=65536"),
        (&["experiments", "grain", "--every", "0"], "--every"),
        (&["experiments", "nonsense"], "nonsense"),
        (&["experiments", "table", "--epd", "no/such/file.epd"], "no/such/file.epd"),
    ] {
        let output = run(arguments);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
        let first = error.lines().next().unwrap_or_default();
        assert!(first.contains(named) && !error.contains("panicked"), "{arguments:?}: {error}");
    }
}

/// If a position is changed before it is probed, the change is reported.
#[test]
fn probe_names_its_repairs() {
    let output = run(&["probe", "4k3/8/8/8/8/8/4P3/4K3 w - - 999 1", "--nodes", "0.1k"]);
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{error}");
    assert!(error.contains("halfmove clock '999' is out of range"), "{error}");
    // An unset shell variable names no position, not even the initial one.
    for position in ["8/8/8/8/8/8/8/8 w", ""] {
        let refused = run(&["probe", position]);
        assert_eq!((refused.status.code(), refused.stdout.is_empty()), (Some(2), true), "'{position}'");
    }
}

/// Missing tables that were requested are reported, by the command itself and at any log level.
#[test]
fn probe_says_which_tables_it_lacks() {
    for folders in ["", "<empty>", "/no/such/folder"] {
        let output = run(&["probe", "--syzygy", folders]);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), error.lines().count()), (Some(2), 1), "{folders}: {error}");
        let reason = error.trim_end().strip_prefix("ibex-lab probe: ").unwrap_or_default();
        assert!(!reason.is_empty(), "{folders}: {error}");
    }
    let Some(tables) = shared::shared("data/syzygy") else { return };
    let folders = std::env::join_paths([tables, "/no/such/folder".into()]).expect("two folders");
    let output = run(&["probe", "--nodes", "100", "--syzygy", &folders.to_string_lossy()]);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.starts_with("ibex-lab probe: tablebase folder '/no/such/folder'"), "{error}");
    assert_eq!(output.status.code(), Some(0), "{error}");
}

/// If the tables have no result, `probe` says why.
#[test]
fn probe_says_why_tables_have_no_result() {
    let Some(folder) = shared::shared("data/syzygy") else { return };
    let scratch = Scratch::new("probed tables");
    let read = |name: &str| std::fs::read(folder.join(name)).expect("a table");
    let mut damaged = read("KRvK.rtbw");
    damaged[4..].fill(0xFF);
    scratch.write("KRvK.rtbw", damaged);
    scratch.write("KQvK.rtbw", read("KQvK.rtbw"));
    let path = scratch.path("");
    let unusable = "tablebases  nothing: a table that is needed is missing or cannot be used\n";
    for (fen, parts) in [
        ("8/8/8/3k4/8/8/8/R3K3 w - - 0 1", [unusable, " wdl table KRvK cannot be used: "]),
        ("8/8/8/3k4/8/8/4P3/4K3 w - - 0 1", [unusable, " table KPvK is missing\n"]),
        ("8/8/8/3k4/8/8/8/R3K3 w Q - 0 1", ["tablebases  nothing: ", "no table covers castling rights\n"]),
        ("8/8/8/3k4/8/8/4P3/R3K3 w - - 0 1", ["tablebases  nothing: ", "(the largest table has 3 men)\n"]),
    ] {
        let output = run(&["probe", fen, "--nodes", "500", "--syzygy", &path]);
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && parts.iter().all(|part| text.contains(part)), "{fen}: {text}");
    }
    // A table that only the search needs, after taking the pawn.
    let mut damaged = read("KQvKR.rtbw");
    damaged[4..].fill(0xFF);
    scratch.write("KQvKR.rtbw", damaged);
    let output = run(&["probe", "7k/8/8/8/4p3/8/1K2Q3/7r w - - 0 1", "--nodes", "500", "--syzygy", &path]);
    let text = String::from_utf8_lossy(&output.stdout);
    let (_, search) = text.split_once("\nsearch ").expect("a search");
    assert!(search.contains("\n            wdl table KQvKR cannot be used: "), "{text}");
}

/// Faults of the machine.
#[cfg(target_os = "linux")]
mod faults {
    use std::io::Write as _;

    use super::memory::with_memory;
    use super::scratch::Scratch;
    use super::{program, threads};

    /// Work for several threads is done by the only one, or refused in a line.
    #[test]
    fn work_without_threads_is_done_or_refused() {
        let scratch = Scratch::new("no-threads");
        let suite = scratch.write("mates.epd", "7k/8/5KQ1/8/8/8/8/8 w - - bm Qg7#; dm 1;\n".repeat(9));
        let copy = scratch.path("ibex-lab");
        super::copies::copied(env!("CARGO_BIN_EXE_ibex-lab"), &copy);
        let run = |arguments: &[&str]| threads::at_most(&copy, 1).args(arguments).output().expect("the program runs");
        let output = run(&["prove", &suite, "--jobs", "4"]);
        assert!(output.status.success(), "{output:?}");
        let output = run(&["epd", &suite, "--nodes", "9", "--jobs", "4"]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("no thread to search on: ") && !said.contains("panicked"), "{said}");
        // A thread reads what is not a file.
        let output = run(&["analyse", "/dev/null", "--nodes", "9"]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("/dev/null") && !said.contains("panicked"), "{said}");
        // Every search lacks a thread, but only the first one says so.
        let refused = (2..8).filter(|&most| {
            let mut command = threads::at_most(&copy, most);
            let output =
                command.args(["epd", &suite, "--nodes", "99", "--threads", "4"]).output().expect("the program runs");
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            let remarks = said.matches("could not start search thread ").count();
            assert!(remarks <= 1 && (output.status.success() || said.contains("no thread")), "{most}: {said}");
            remarks == 1
        });
        assert!(refused.count() > 0, "no limit was such that a search thread was refused");
    }

    /// The commands end likewise: silently if there is no reader, with one line if the disk is full.
    #[test]
    fn commands_end_when_their_output_fails() {
        // Results without a reader are no success; a lost help page is no failure.
        for (words, status) in [(["perft", "2"], 141), (["epd", "--help"], 0)] {
            let (reader, output) = std::io::pipe().expect("a pipe");
            drop(reader);
            let output = program().args(words).stdout(output).output().expect("an end");
            assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{words:?}");
            assert_eq!(output.status.code(), Some(status), "{words:?}");
        }
        let full = || std::fs::File::options().write(true).open("/dev/full").expect("a full disk");
        let mut command = program();
        command.args(["perft", "2"]).stdout(full());
        let output = command.output().expect("an end");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(errors.lines().count(), 1, "{errors}");
        assert!(errors.starts_with("ibex"), "{errors}");
        assert_eq!(output.status.code(), Some(2));
        // A remark that cannot be written changes nothing.
        for (words, status, full_output) in [
            (&["perft", "99999999999999999999"][..], 2, false),
            (&["perft", "1"], 2, true),
            (&["perft", "1", "--fen", "r3k3/8/8/8/8/8/8/R3K3 w KQq - 0 1"], 0, false),
            (&["analyse", "no/such.pgn"], 2, false),
            (&["analyse", "-", "--depth=1"], 2, false),
            (&["epd", "no/such.epd", "--depth=1"], 2, false),
            (&["prove", "-"], 2, false),
            (&["manual", "/dev/full/folder"], 2, false),
        ] {
            let mut command = program();
            command.args(words).stderr(full());
            // Enough for each of them: a table as large as the machine's memory would be filled with zeros.
            with_memory(&mut command, 1024);
            if full_output {
                command.stdout(full());
            }
            let mut child = command.spawn().expect("the program starts");
            // It may end without reading this.
            let _ = child.stdin.take().expect("a pipe").write_all(b"8/8/8/8/8/8/8/8 w - -\n");
            let output = child.wait_with_output().expect("an end");
            assert_eq!(output.status.code(), Some(status), "{words:?}");
        }
    }
}
