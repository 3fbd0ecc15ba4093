//! Matches between two commits, by SPRT: builds both, has fastchess play them, and adds a row to the record of matches.

use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::Args;

use crate::basis::today;
use crate::games::{ADJUDICATED, Limit, Match, Side, fastchess, found, read_match};
use crate::measure::{Tools, output};

/// The record of matches, whose tables `make matches` writes into its page.
const RECORD: &str = "docs/matches.csv";
/// Programs and logs of matches.
const FOLDER: &str = "target/matches";
const BOOK: &str = "books/noob_3moves.epd";
/// A match without a verdict is recorded from this number of games on.
const LEAST_GAMES: u32 = 4000;

/// What is played.
#[derive(Args, Debug)]
pub struct Arguments {
    /// The commit that is to be tested
    #[arg(long, default_value = "HEAD")]
    new: String,
    /// The commit that it plays against
    #[arg(long)]
    old: String,
    /// What the new one does, for the record; without it nothing is recorded
    #[arg(long, value_name = "TEXT")]
    change: Option<String>,
    /// The kind of match, for the record
    #[arg(long, default_value = "search", value_parser = ["search", "rules", "network"])]
    about: String,
    /// Nodes a move
    #[arg(long, default_value_t = 8000, conflicts_with = "tc", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// A clock in place of nodes, as fastchess reads it: seconds and increment, `8+0.08`
    #[arg(long, value_name = "TIME")]
    tc: Option<String>,
    /// Hash of each engine, MiB
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..))]
    hash: u32,
    /// Threads of each engine
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    threads: u32,
    /// Games at a time
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..))]
    concurrency: u32,
    /// The openings, an EPD file [default: books/noob_3moves.epd of the public test data]
    #[arg(long, value_name = "FILE")]
    book: Option<PathBuf>,
    /// H0: the difference in (logistic) Elo is this or less
    #[arg(long, default_value_t = 0.0, allow_negative_numbers = true)]
    elo0: f64,
    /// H1: the difference in (logistic) Elo is this or more
    #[arg(long, default_value_t = 5.0, allow_negative_numbers = true)]
    elo1: f64,
    /// Most games
    #[arg(long, default_value_t = 40_000, value_parser = clap::value_parser!(u32).range(2..))]
    games: u32,
}

/// Plays the match to its verdict and records it.
///
/// # Errors
///
/// One line: fastchess, the book or a commit is missing, a build fails, or the match breaks off. Nothing is recorded then.
pub fn play(tools: &Tools, arguments: &Arguments) -> Result<(), String> {
    if arguments.elo0.partial_cmp(&arguments.elo1) != Some(std::cmp::Ordering::Less) {
        return Err(format!("--elo0 {} must be less than --elo1 {}", arguments.elo0, arguments.elo1));
    }
    let runner = found("fastchess").ok_or("fastchess is missing; it must be in the search path")?;
    let book = match &arguments.book {
        Some(file) if file.is_file() => file.clone(),
        Some(file) => return Err(format!("{} is no file (--book)", file.display())),
        None => tools.data(BOOK)?,
    };
    let (new, old) = (commit(&arguments.new)?, commit(&arguments.old)?);
    if new == old {
        return Err(format!("{} and {} are the same commit", arguments.new, arguments.old));
    }
    let (first, second) = (build(&new)?, build(&old)?);
    let text = run(&runner, &[first, second], &book, arguments, &format!("{new}-{old}"))?;
    let result = read_match(&text, "new", "old")?;
    let verdict = verdict(&text);
    let told = verdict.map_or_else(|| "no verdict".to_owned(), |verdict| format!("{verdict} accepted"));
    println!("{new} against {old}: {} ± {} Elo, {} games, {told}", result.elo, result.error, result.games());
    for (commit, lost) in [&new, &old].into_iter().zip(result.accidents).filter(|&(_, lost)| lost > 0) {
        println!("{commit} lost {lost} of them on time, by an illegal move or by a crash");
    }
    if verdict.is_none() && result.games() < LEAST_GAMES {
        println!("not recorded: a match without a verdict needs {LEAST_GAMES} games");
    } else if let Some(change) = &arguments.change {
        append(&record(&new, &old, &book, arguments, change, &result, &told)?)?;
        println!("added to {RECORD}; `make matches` writes the tables");
    }
    Ok(())
}

/// The short name of a commit.
fn commit(name: &str) -> Result<String, String> {
    let mut git = Command::new("git");
    let printed =
        output(git.args(["rev-parse", "--verify", "--quiet", "--short=7", &format!("{name}^{{commit}}")]), &[0]);
    printed.map(|text| text.trim().to_owned()).map_err(|_| format!("'{name}' is no commit"))
}

/// The program of a commit for this machine's processor; built once, in a checkout of its own.
fn build(commit: &str) -> Result<PathBuf, String> {
    let failed = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
    let folder = Path::new(FOLDER);
    fs::create_dir_all(folder).map_err(|error| failed(folder, error))?;
    let folder = fs::canonicalize(folder).map_err(|error| failed(folder, error))?;
    let program = folder.join(format!("ibex-{commit}"));
    // All commits are built in one folder, one after the other, lest one be taken for another.
    let lock = folder.join("build.lock");
    let alone =
        File::create(&lock).and_then(|file| file.lock().map(|()| file)).map_err(|error| failed(&lock, error))?;
    if program.is_file() {
        return Ok(program);
    }
    let checkout = folder.join(format!("checkout-{commit}"));
    let shown = checkout.display().to_string();
    // An interrupted build may have left its checkout. Without one git reports an error, which does not matter.
    let _ = output(Command::new("git").args(["worktree", "remove", "--force", &shown]), &[0]);
    output(Command::new("git").args(["worktree", "add", "--detach", &shown, commit]), &[0])?;
    eprintln!("building {commit}");
    let mut cargo = Command::new("cargo");
    cargo.args(["build", "--release", "--locked", "--bin", "ibex"]).current_dir(&checkout);
    cargo.env("CARGO_TARGET_DIR", folder.join("build")).env("RUSTFLAGS", "-C target-cpu=native");
    let built = output(&mut cargo, &[0]).map_err(|error| format!("{commit} does not build: {error}"));
    let copied = built.and_then(|_| {
        let scratch = program.with_extension("new");
        let made = folder.join("build/release/ibex");
        fs::copy(&made, &scratch).map_err(|error| failed(&made, error))?;
        fs::rename(&scratch, &program).map_err(|error| failed(&program, error))
    });
    drop(alone);
    output(Command::new("git").args(["worktree", "remove", "--force", &shown]), &[0])?;
    copied.map(|()| program)
}

/// A new file for what a match prints: earlier matches of this name, with other conditions perhaps, keep theirs.
fn begin_log(folder: &Path, name: &str) -> Result<(File, PathBuf), String> {
    let mut number = 1;
    loop {
        let log = folder.join(if number == 1 { format!("{name}.txt") } else { format!("{name}-{number}.txt") });
        match File::create_new(&log) {
            Ok(file) => return Ok((file, log)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(format!("{}: {error}", log.display())),
        }
    }
}

/// Runs the match. The log gets everything that fastchess prints, the screen its interim results.
fn run(
    runner: &Path,
    programs: &[PathBuf; 2],
    book: &Path,
    arguments: &Arguments,
    name: &str,
) -> Result<String, String> {
    let Arguments { nodes, tc, hash, threads, concurrency, elo0, elo1, games, .. } = arguments;
    let limit = tc.as_ref().map_or_else(|| format!("{nodes}-nodes"), |tc| tc.replace('/', "-"));
    let (mut file, log) = begin_log(Path::new(FOLDER), &format!("{name}-{limit}"))?;
    let each = tc.as_ref().map_or(Limit::Nodes(*nodes), |tc| Limit::Clock(tc.clone()));
    let sides = [("new", &programs[0]), ("old", &programs[1])];
    let sides = sides.map(|(name, program)| Side { program, name, limit: each.clone(), options: &[] });
    let mut command = fastchess(runner, sides, book, games / 2, Path::new(FOLDER))?;
    command.args(ADJUDICATED);
    command.args(["-each", "proto=uci", &format!("option.Hash={hash}"), &format!("option.Threads={threads}")]);
    command.args(["-concurrency", &concurrency.to_string(), "-ratinginterval", "100"]);
    command.args([
        "-sprt",
        &format!("elo0={elo0}"),
        &format!("elo1={elo1}"),
        "alpha=0.05",
        "beta=0.05",
        "model=logistic",
    ]);
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(|error| format!("{}: {error}", runner.display()))?;
    eprintln!("playing; {} has everything", log.display());
    let mut text = String::new();
    for line in child.stdout.take().map(BufReader::new).into_iter().flat_map(BufRead::lines) {
        let line = line.map_err(|error| format!("{}: {error}", runner.display()))?;
        writeln!(file, "{line}").map_err(|error| format!("{}: {error}", log.display()))?;
        if ["Elo: ", "LLR: ", "Games: "].iter().any(|start| line.starts_with(start)) {
            eprintln!("{line}");
        }
        text += &line;
        text.push('\n');
    }
    let status = child.wait().map_err(|error| format!("{}: {error}", runner.display()))?;
    if status.success() { Ok(text) } else { Err(format!("{}: {status}; {}", runner.display(), log.display())) }
}

/// Which hypothesis the runner has accepted: H1 says that the new one is better.
fn verdict(text: &str) -> Option<&'static str> {
    let line = text.lines().rfind(|line| line.starts_with("SPRT (") && line.ends_with("accepted"))?;
    ["H0", "H1"].into_iter().find(|verdict| line.contains(&format!("{verdict} was accepted")))
}

/// The row of a match in the record.
fn record(
    new: &str,
    old: &str,
    book: &Path,
    arguments: &Arguments,
    change: &str,
    result: &Match,
    told: &str,
) -> Result<[String; 14], String> {
    let tenth = |number: &str| match number.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(format!("{number:.1}")),
        _ => Err(format!("a result of {number} Elo is not recorded")),
    };
    let threads = if arguments.threads == 1 { String::new() } else { format!(", {} threads", arguments.threads) };
    let limit = match &arguments.tc {
        Some(tc) => format!("{} s{threads}", tc.replace('+', " s + ")),
        None => format!("{} nodes{threads}", arguments.nodes),
    };
    let cells = [
        today()?,
        arguments.about.clone(),
        format!("{change} (SPRT {} {}: {told})", arguments.elo0, arguments.elo1),
        old.to_owned(),
        tenth(&result.elo)?,
        tenth(&result.error)?,
        result.games().to_string(),
        result.won.to_string(),
        result.drawn.to_string(),
        result.lost.to_string(),
        limit,
        arguments.hash.to_string(),
        book.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned()),
        new.to_owned(),
    ];
    Ok(cells)
}

/// Adds a row to the record.
fn append(row: &[String]) -> Result<(), String> {
    let file = OpenOptions::new().append(true).open(RECORD).map_err(|error| format!("{RECORD}: {error}"))?;
    let mut writer = csv::Writer::from_writer(file);
    writer.write_record(row).map_err(|error| format!("{RECORD}: {error}"))?;
    writer.flush().map_err(|error| format!("{RECORD}: {error}"))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        arguments: Arguments,
    }

    fn arguments(line: &str) -> Arguments {
        Line::parse_from(["match"].into_iter().chain(line.split(' '))).arguments
    }

    const RESULTS: &str = "Results of new vs old (8000 nodes, 1t, 16MB, noob_3moves.epd):
Elo: 6.95 +/- 5.32, nElo: 9.10 +/- 6.96
LOS: 99.48 %, DrawRatio: 45.10 %, PairsRatio: 1.07
Games: 9574, Wins: 2905, Losses: 2714, Draws: 3955, Points: 4882.5 (51.00 %)
LLR: 2.96 (100.5%) (-2.94, 2.94) [0.00, 5.00]
SPRT ([0.00, 5.00]) completed - H1 was accepted
";

    #[test]
    fn a_match_becomes_a_row_of_the_record() {
        let result = read_match(RESULTS, "new", "old").unwrap();
        assert_eq!(verdict(RESULTS), Some("H1"));
        assert_eq!(verdict(&RESULTS.replace("H1", "H0")), Some("H0"));
        assert_eq!(verdict("LLR: 0.5"), None);
        let row = |line: &str| {
            let arguments = arguments(line);
            let row = record("abc1234", "def5678", Path::new("x/noob.epd"), &arguments, "less, more", &result, "H1");
            row.unwrap()[1..].join("|")
        };
        let expected =
            "search|less, more (SPRT 0 5: H1)|def5678|7.0|5.3|9574|2905|3955|2714|8000 nodes|16|noob|abc1234";
        assert_eq!(row("--old x"), expected);
        assert!(row("--old x --tc 8+0.08 --threads 2").contains("|8 s + 0.08 s, 2 threads|16|"));
        assert!(row("--old x --tc 8+0.08 --elo0 -5").contains("SPRT -5 5"));
    }

    #[test]
    fn no_match_takes_the_log_of_another() {
        let folder = std::env::temp_dir().join(format!("ibex-matches-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let logs = [1, 2, 3].map(|_| begin_log(&folder, "a-b-8000-nodes").unwrap().1);
        let names = logs.map(|log| log.file_name().unwrap().to_string_lossy().into_owned());
        assert_eq!(names, ["a-b-8000-nodes.txt", "a-b-8000-nodes-2.txt", "a-b-8000-nodes-3.txt"]);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn nothing_is_played_on_arguments_without_sense() {
        let tools = Tools { ibex: PathBuf::new(), build: None, shared: PathBuf::from("nowhere") };
        let error = play(&tools, &arguments("--old HEAD --elo0 5 --elo1 5")).unwrap_err();
        assert!(error.contains("must be less"), "{error}");
        assert!(commit("no-such-commit").unwrap_err().contains("is no commit"));
    }
}
