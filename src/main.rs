//! The program: which front end the arguments want.

// `eprintln!` panics if standard error cannot be written to.
#![deny(clippy::print_stderr, clippy::print_stdout)]

use std::ffi::OsString;
use std::io::{self, ErrorKind, Write as _};
use std::process::ExitCode;

use ibex::bench::{self, BenchOptions};
use ibex::position::{Position, perft};
use ibex::{laboratory, parallel, uci};

/// The commands of this program.
const COMMANDS: &[&str] = &["bench", "help", "perft", "spsa"];

/// The status of a command that could not do its work.
const TROUBLE: u8 = 2;
/// The status of a program whose reader is gone: 128 plus the number of SIGPIPE, as in shells.
const NO_READER: u8 = 128 + 13;

const HELP: &str = "\
A UCI chess engine whose scores mean something exact.

Without a command it runs the UCI protocol on standard input and output, for a GUI or a tournament manager. UCI lines
can also be arguments: ibex \"position startpos moves e2e4\" \"go depth 12\".

Usage: ibex [COMMAND | UCI LINE...]

Commands:
  bench [DEPTH | HASH THREADS DEPTH]  Search fixed positions; the last line reads `N nodes M nps`.
                                      With --signature it is the node count alone
  perft DEPTH                         Count the leaves of the tree of legal moves
  spsa [NAME...]                      Print the search parameters, for the tuning page of OpenBench
  help                                Print this

The program ibex-lab in the same folder runs these:
  analyse  Annotate games or positions      experiments  Compare searches under changed rules
  epd      Run suites, compare runs         endings      Compare the engine with the truth about endings
  probe    Explain one position             datagen      Make training data
  prove    Prove mates                      manual       Write manual pages and completions
  perft    Check the counts of EPD files

Options:
  -h, --help     Print this
  -V, --version  Print the version

Messages go to standard error; with IBEX_LOG=debug in the environment, the protocol too.";

fn main() -> ExitCode {
    #[cfg(target_arch = "x86_64")]
    if !ibex::processor::is_fit() {
        let _ = io::stderr().write_all(ibex::processor::REFUSAL.as_bytes());
        return ExitCode::FAILURE;
    }
    uci::journal::start();
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let words: Vec<String> = arguments.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let (first, rest) = words.split_first().map_or(("", &[][..]), |(first, rest)| (first.as_str(), rest));
    let is_laboratory = |word: &str| laboratory::COMMANDS.contains(&word);
    match (first, rest) {
        ("bench", words) => ended(print_bench(words)),
        ("perft", [depth]) if depth.bytes().all(|byte| byte.is_ascii_digit()) => ended(print_perft(depth)),
        ("perft", []) => ended(Err(CommandError::NoDepth)),
        ("spsa", names) => ended(print_spsa(names)),
        ("-h" | "--help", _) | ("help", []) => ended(print(HELP)),
        ("-V" | "--version", _) => ended(print(&format!("ibex {}", ibex::VERSION))),
        ("help", [word, ..]) if is_laboratory(word) => handed_over(&arguments),
        ("help", _) => ended(print(HELP)),
        (word, _) if is_laboratory(word) => handed_over(&arguments),
        _ => uci::run(words, &[COMMANDS, laboratory::COMMANDS].concat()),
    }
}

/// Why a command did not end well.
#[derive(Debug, thiserror::Error)]
enum CommandError {
    #[error("nothing more can be written to standard output: {0}")]
    Output(#[from] io::Error),
    #[error("bench: {0}")]
    Bench(#[from] bench::BenchError),
    #[error("perft: a depth of {0} plies is out of reach: the deepest is {deepest}", deepest = perft::DEEPEST)]
    Depth(String),
    #[error("perft: expected a depth in plies, or files for ibex-lab")]
    NoDepth,
    #[error("spsa: {}", uci::spsa::NONE)]
    NoParameter,
}

/// The exit status of a command, after its error message.
fn ended(result: Result<(), CommandError>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(CommandError::Output(error)) if error.kind() == ErrorKind::BrokenPipe => ExitCode::from(NO_READER),
        Err(error) => {
            let _ = writeln!(io::stderr(), "ibex: {error}");
            ExitCode::from(TROUBLE)
        }
    }
}

/// The exit status of the laboratory, or of having none.
fn handed_over(arguments: &[OsString]) -> ExitCode {
    laboratory::hand_over(arguments).unwrap_or_else(|error| {
        let _ = writeln!(io::stderr(), "ibex: {error}");
        ExitCode::from(TROUBLE)
    })
}

/// Prints a line.
fn print(line: &str) -> Result<(), CommandError> {
    Ok(writeln!(io::stdout(), "{line}")?)
}

/// `bench`: the nodes of each position, and the sum with the speed.
fn print_bench(words: &[String]) -> Result<(), CommandError> {
    let (flags, words): (Vec<_>, Vec<_>) = words.iter().cloned().partition(|word| word == "--signature");
    let options = BenchOptions::read(&words)?;
    let (total, mut printed) = (bench::POSITIONS.len(), Ok(()));
    let measured = bench::measure(options, |number, nodes| {
        if flags.is_empty() && printed.is_ok() {
            printed = print(&format!("position {number}/{total}: {nodes}"));
        }
    })?;
    printed?;
    print(&if flags.is_empty() { measured.to_string() } else { measured.nodes.to_string() })
}

/// `perft DEPTH`: the leaves below each move of the initial position, and their sum.
fn print_perft(depth: &str) -> Result<(), CommandError> {
    let plies = depth.parse().ok().filter(|&plies| plies <= perft::DEEPEST);
    let plies = plies.ok_or_else(|| CommandError::Depth(depth.to_owned()))?;
    print(&perft::divide(&Position::startpos(), plies, parallel::default_jobs()).to_string())
}

/// `spsa`: a line for each parameter.
fn print_spsa(names: &[String]) -> Result<(), CommandError> {
    let lines = uci::spsa::parameters(names);
    if lines.is_empty() {
        return Err(CommandError::NoParameter);
    }
    lines.iter().try_for_each(|line| print(line))
}
