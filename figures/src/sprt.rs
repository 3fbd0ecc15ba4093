//! SPRT matches between two commits: builds both, plays them, and adds a row to the record of matches.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use terminal::{CommandError, interrupt, remark, tell, trouble};

use clap::Args;

use crate::basis::today;
use ibex::position::Position;
use ibex::random::Random;

use crate::duel::{Ends, Limit, clock};
use crate::matches::{self, LEVEL_BOOK, Results, Side};
use crate::measure::{Tools, at, output};

/// The record of matches, whose tables `make matches` writes into its page.
const RECORD: &str = "docs/record/matches.csv";
/// Programs and logs of matches.
const FOLDER: &str = "target/matches";
/// Held in the folder of programs while one is being built.
const LOCK: &str = "build.lock";
/// Where a commit records the nodes of its bench.
const SIGNATURE: &str = "tests/bench.signature";
/// The maximum number of games, unless chosen otherwise.
const MOST_GAMES: u32 = 40_000;
/// A match without a verdict is recorded from this number of games on.
const LEAST_GAMES: u32 = 4000;
/// Pairs of games between two reports.
const REPORT: u32 = 100;
/// The rate of false verdicts of either kind.
const ERROR_RATE: f64 = 0.05;

/// What is played.
#[derive(Args, Debug)]
pub struct Arguments {
    /// The commit to test
    #[arg(long, default_value = "HEAD")]
    new: String,
    /// The commit that it plays against
    #[arg(long)]
    old: String,
    /// What the new one does, for the record; without it nothing is recorded
    #[arg(long, value_name = "TEXT", value_parser = cell)]
    change: Option<String>,
    /// The kind of match, for the record
    #[arg(long, default_value = "search", value_parser = ["search", "rules", "network"])]
    about: String,
    /// Nodes a move
    #[arg(long, default_value_t = 8000, conflicts_with = "tc", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// A clock instead of nodes: seconds and increment, `8+0.08`; `40/8` is 40 moves in 8 seconds; `8+0.08@1000` counts
    /// nodes, 1000 of them as a millisecond
    #[arg(long, value_name = "TIME", value_parser = clock)]
    tc: Option<Limit>,
    /// Hash of each engine, in MiB
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..))]
    hash: u32,
    /// Threads of each engine
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    threads: u32,
    /// Games at a time
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..))]
    concurrency: u16,
    /// The openings, an EPD file [default: books/noob_3moves.epd of the public test data]
    #[arg(long, value_name = "FILE")]
    book: Option<PathBuf>,
    /// H0: the difference in (logistic) Elo is this or less
    #[arg(long, default_value_t = 0.0, allow_negative_numbers = true)]
    elo0: f64,
    /// H1: the difference in (logistic) Elo is this or more
    #[arg(long, default_value_t = 5.0, allow_negative_numbers = true)]
    elo1: f64,
    /// The maximum number of games [default: 40000; with nodes and one thread, no more than two for each opening]
    #[arg(long, value_parser = clap::value_parser!(u32).range(2..))]
    games: Option<u32>,
}

/// A text that fits into a cell of the tables made from the record.
///
/// # Errors
///
/// One line: it has a vertical bar or a control character.
fn cell(text: &str) -> Result<String, String> {
    match text.chars().find(|&c| c == '|' || c.is_control()) {
        Some(c) => Err(format!("{c:?} would break the tables of the record")),
        None => Ok(text.to_owned()),
    }
}

/// Plays the match to its verdict and records it.
///
/// # Errors
///
/// One line: the book or a commit is missing, games would be copies of earlier ones, a build fails or its
/// bench differs from the recorded one, or an engine fails. Then nothing is recorded.
pub fn play(tools: &Tools, arguments: &Arguments) -> Result<(), CommandError> {
    if arguments.elo0.partial_cmp(&arguments.elo1) != Some(std::cmp::Ordering::Less) {
        return Err(trouble!("--elo0 {} must be less than --elo1 {}", arguments.elo0, arguments.elo1));
    }
    let book = tools.book(arguments.book.as_deref(), LEVEL_BOOK)?;
    cell(&name_of_book(&book)).map_err(|error| trouble!("the name of the book: {error}"))?;
    let mut openings = matches::openings(&book)?;
    let games = most_games(arguments, openings.len()).map_err(at(&book))?;
    Random::new(1).shuffle(&mut openings);
    let (new, old) = (commit(&arguments.new)?, commit(&arguments.old)?);
    if new == old {
        return Err(trouble!("{} and {} are the same commit", arguments.new, arguments.old));
    }
    let programs = [build(&new)?, build(&old)?];
    let sprt = Sprt { arguments, new: &new, old: &old, book: &book };
    let openings: Vec<&Position> = openings.iter().cycle().take(games as usize / 2).collect();
    let result = sprt.run(&programs, &openings)?;
    let (elo, margin) = result.elo();
    let verdict = sprt.verdict(&result);
    let decision = verdict.map_or_else(|| "no verdict".to_owned(), |verdict| format!("{verdict} accepted"));
    tell!("{new} against {old}: {elo:+.1} ± {margin:.1} Elo, {} games, {decision}", result.games())?;
    for (commit, lost) in [&new, &old].into_iter().zip(result.on_time).filter(|&(_, lost)| lost > 0) {
        tell!("{commit} lost {lost} of them on time")?;
    }
    if verdict.is_none() && result.games() < LEAST_GAMES {
        tell!("not recorded: a match without a verdict needs {LEAST_GAMES} games")?;
    } else if let Some(change) = &arguments.change {
        append(Path::new(RECORD), &sprt.record(change, &result, &decision)?)?;
        tell!("added to {RECORD}; `make matches` writes the tables")?;
    }
    Ok(())
}

/// The maximum number of games with a book of this size.
///
/// At fixed nodes, one thread always plays an opening in the same way: once the book starts over, every game is a copy
/// of an earlier one, and the test would count it as new evidence.
///
/// # Errors
///
/// One line: the book is empty, or more games are requested than there are without copies.
fn most_games(arguments: &Arguments, openings: usize) -> Result<u32, CommandError> {
    let once = u32::try_from(openings).unwrap_or(u32::MAX).saturating_mul(2);
    let repeats = !matches!(arguments.tc, Some(Limit::Clock { pace: None, .. })) && arguments.threads == 1;
    match arguments.games {
        Some(games) if repeats && games / 2 * 2 > once => Err(trouble!(
            "{openings} openings; with nodes and one thread, the games after {once} would be copies (--games {games})"
        )),
        Some(games) => Ok(games),
        None if repeats && once < MOST_GAMES => {
            remark!("at most {once} games, two for each opening: with nodes and one thread, more would be copies");
            Ok(once)
        }
        None => Ok(MOST_GAMES),
    }
}

/// The name of a book in the record.
fn name_of_book(book: &Path) -> String {
    book.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
}

/// The short name of a commit.
fn commit(name: &str) -> Result<String, CommandError> {
    let mut git = Command::new("git");
    let printed =
        output(git.args(["rev-parse", "--verify", "--quiet", "--short=7", &format!("{name}^{{commit}}")]), &[0]);
    printed.map(|text| text.trim().to_owned()).map_err(|_| trouble!("'{name}' is not a commit"))
}

/// The program of a commit for this machine's processor; built once, in its own checkout.
fn build(commit: &str) -> Result<PathBuf, CommandError> {
    let folder = Path::new(FOLDER);
    fs::create_dir_all(folder).map_err(at(folder))?;
    let folder = fs::canonicalize(folder).map_err(at(folder))?;
    let program = folder.join(format!("ibex-{commit}"));
    alone(&folder, || {
        if program.is_file() {
            return Ok(());
        }
        let checkout = folder.join(format!("checkout-{commit}"));
        let shown = checkout.display().to_string();
        // An interrupted build may have left its checkout. If not, git reports an error, which does not matter.
        let _ = output(Command::new("git").args(["worktree", "remove", "--force", &shown]), &[0]);
        output(Command::new("git").args(["worktree", "add", "--detach", &shown, commit]), &[0])?;
        remark!("building {commit}");
        let made = make(commit, &checkout, &folder, &program);
        // Before the next build may start: it could have made the same checkout again.
        output(Command::new("git").args(["worktree", "remove", "--force", &shown]), &[0])?;
        made
    })?;
    Ok(program)
}

/// Runs a part of a build while no other program does so in this folder. All commits are built in one folder, one
/// after the other, so that none is mistaken for another.
fn alone<T>(folder: &Path, work: impl FnOnce() -> Result<T, CommandError>) -> Result<T, CommandError> {
    let lock = folder.join(LOCK);
    let _alone = File::create(&lock).and_then(|file| file.lock().map(|()| file)).map_err(at(&lock))?;
    work()
}

/// Builds this checkout and leaves the program in its place, if it has the bench of its commit.
fn make(commit: &str, checkout: &Path, folder: &Path, program: &Path) -> Result<(), CommandError> {
    output(&mut build_command(checkout, folder), &[0]).map_err(|error| trouble!("{commit} does not build: {error}"))?;
    let made = folder.join("build/release/ibex");
    let scratch = program.with_extension("new");
    fs::copy(&made, &scratch).map_err(at(&made))?;
    let bench = output(Command::new(&scratch).arg("bench"), &[0])?;
    has_bench(&bench, fs::read_to_string(checkout.join(SIGNATURE)).ok().as_deref())
        .map_err(|error| trouble!("{commit}: {error}"))?;
    fs::rename(&scratch, program).map_err(at(program))
}

/// The command that builds a checkout below this folder. The program depends only on its commit: the user's network,
/// flags and target do not count.
fn build_command(checkout: &Path, folder: &Path) -> Command {
    let mut cargo = Command::new("cargo");
    cargo.args(["build", "--release", "--locked", "--bin", "ibex"]).current_dir(checkout);
    for name in ["EVALFILE", "CARGO_ENCODED_RUSTFLAGS", "CARGO_BUILD_TARGET"] {
        cargo.env_remove(name);
    }
    cargo.env("CARGO_TARGET_DIR", folder.join("build")).env("RUSTFLAGS", "-C target-cpu=native");
    cargo
}

/// Checks that a bench has the node count recorded by its commit. Some old commits record none.
fn has_bench(printed: &str, recorded: Option<&str>) -> Result<(), CommandError> {
    let nodes = printed.lines().last().and_then(|line| line.split(' ').next()).unwrap_or_default();
    match recorded.map(str::trim) {
        Some(recorded) if recorded != nodes => {
            Err(trouble!("the program has the bench {nodes}, {SIGNATURE} of this commit {recorded}"))
        }
        _ => Ok(()),
    }
}

/// A match, with the short names of its commits.
struct Sprt<'a> {
    arguments: &'a Arguments,
    new: &'a str,
    old: &'a str,
    book: &'a Path,
}

impl Sprt<'_> {
    /// Plays the match to its verdict, an interruption, or the last opening.
    fn run(&self, programs: &[PathBuf; 2], openings: &[&Position]) -> Result<Results, CommandError> {
        let Arguments { hash, threads, concurrency, .. } = *self.arguments;
        interrupt::catch("match", || ());
        let limit = self.limit();
        let [new, old] = programs.each_ref().map(|program| Side { program, limit, options: &[] });
        let start = || Ok([new.start(hash, threads)?, old.start(hash, threads)?]);
        let mut engines = (0..concurrency).map(|_| start()).collect::<Result<Vec<_>, CommandError>>()?;
        let mut results = Results::default();
        matches::pairs(&mut engines, openings, [limit; 2], Ends::Early, |pair| {
            results.count(pair);
            if results.games().is_multiple_of(2 * REPORT) {
                let ((elo, margin), ratio) = (results.elo(), self.ratio(&results));
                let [won, drawn, lost] = [results.won, results.drawn, results.lost];
                remark!(
                    "{} games, +{won} ={drawn} -{lost}: {elo:+.1} ± {margin:.1} Elo, log likelihood ratio {ratio:.2}{}",
                    results.games(),
                    on_time(&results)
                );
            }
            self.verdict(&results).is_none()
        })?;
        Ok(results)
    }

    fn limit(&self) -> Limit {
        self.arguments.tc.unwrap_or(Limit::Nodes(self.arguments.nodes))
    }

    fn ratio(&self, results: &Results) -> f64 {
        results.log_likelihood_ratio(self.arguments.elo0, self.arguments.elo1)
    }

    /// The hypothesis that is accepted: the new commit gains `--elo0` or less (H0), or `--elo1` or more (H1).
    fn verdict(&self, results: &Results) -> Option<&'static str> {
        // Wald's bounds.
        let bound = ((1.0 - ERROR_RATE) / ERROR_RATE).ln();
        match self.ratio(results) {
            ratio if ratio >= bound => Some("H1"),
            ratio if ratio <= -bound => Some("H0"),
            _ => None,
        }
    }

    /// The row of the match in the record.
    fn record(&self, change: &str, result: &Results, decision: &str) -> Result<[String; 14], CommandError> {
        let Arguments { about, hash, threads, elo0, elo1, .. } = self.arguments;
        let (elo, margin) = result.elo();
        let tenth = |number: f64| match format!("{number:.1}") {
            // A match that ends level, or nearly.
            text if text == "-0.0" => Ok("0.0".to_owned()),
            text if number.is_finite() => Ok(text),
            text => Err(trouble!("a result of {text} Elo is not recorded")),
        };
        let threads = if *threads == 1 { String::new() } else { format!(", {threads} threads") };
        let limit = self.limit().words() + &threads;
        let cells = [
            today()?,
            about.clone(),
            format!("{change} (SPRT {elo0} {elo1}: {decision}{})", on_time(result)),
            self.old.to_owned(),
            tenth(elo)?,
            tenth(margin)?,
            result.games().to_string(),
            result.won.to_string(),
            result.drawn.to_string(),
            result.lost.to_string(),
            limit,
            hash.to_string(),
            name_of_book(self.book),
            self.new.to_owned(),
        ];
        Ok(cells)
    }
}

/// How many games were lost on time, for the record; empty if there are none.
fn on_time(result: &Results) -> String {
    let lost = ["the new", "the old"].into_iter().zip(result.on_time).filter(|&(_, lost)| lost > 0);
    let counts: Vec<String> = lost.map(|(side, lost)| format!("{side} one {lost}")).collect();
    if counts.is_empty() { String::new() } else { format!("; lost on time: {}", counts.join(", ")) }
}

/// Adds a row to a record. Some editors leave the last line without a line feed; the row would be appended to it.
fn append(record: &Path, row: &[String]) -> Result<(), CommandError> {
    let text = fs::read(record).map_err(at(record))?;
    let mut file = OpenOptions::new().append(true).open(record).map_err(at(record))?;
    if text.last().is_some_and(|&last| last != b'\n') {
        file.write_all(b"\n").map_err(at(record))?;
    }
    let mut writer = csv::Writer::from_writer(file);
    writer.write_record(row).map_err(at(record))?;
    writer.flush().map_err(at(record))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::ffi::OsStr;

    use clap::Parser;

    use super::*;
    use crate::scratch::Scratch;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        arguments: Arguments,
    }

    fn arguments(line: &str) -> Arguments {
        Line::parse_from(["match"].into_iter().chain(line.split(' '))).arguments
    }

    /// The row of a match with these arguments.
    fn record(line: &str, result: &Results) -> Result<[String; 14], CommandError> {
        let (arguments, book) = (arguments(line), Path::new("x/noob.epd"));
        Sprt { arguments: &arguments, new: "abc1234", old: "def5678", book }.record("less, more", result, "H1")
    }

    const RESULTS: Results =
        Results { won: 2905, drawn: 3955, lost: 2714, pairs: [243, 904, 2351, 1000, 289], on_time: [0; 2] };

    #[test]
    fn a_match_becomes_a_row_of_the_record() {
        let row = |line: &str| record(line, &RESULTS).unwrap()[1..].join("|");
        let expected =
            "search|less, more (SPRT 0 5: H1)|def5678|6.8|4.5|9574|2905|3955|2714|8000 nodes|16|noob|abc1234";
        assert_eq!(row("--old x"), expected);
        assert!(row("--old x --tc 8+0.08 --threads 2").contains("|8 s + 0.08 s, 2 threads|16|"));
        assert!(row("--old x --tc 60").contains("|60 s + 0 s|16|"));
        assert!(row("--old x --tc 8+0.08 --elo0 -5").contains("SPRT -5 5"));
    }

    #[test]
    fn a_verdict_takes_enough_games() {
        let verdict = |line: &str, results: &Results| {
            let arguments = arguments(line);
            Sprt { arguments: &arguments, new: "a", old: "b", book: Path::new("") }.verdict(results)
        };
        assert_eq!(verdict("--old x", &RESULTS), Some("H1"));
        assert_eq!(verdict("--old x --elo0 10 --elo1 15", &RESULTS), Some("H0"));
        assert_eq!(verdict("--old x --elo0 5 --elo1 8", &RESULTS), None);
        assert_eq!(verdict("--old x", &Results { pairs: [24, 90, 235, 100, 29], ..RESULTS }), None);
    }

    #[test]
    fn a_result_has_one_decimal_place_and_no_negative_zero() {
        let cell = |pairs| record("--old x", &Results { pairs, ..RESULTS }).map(|cells| cells[4].clone());
        assert_eq!(cell([0, 1001, 9000, 1000, 0]).as_deref(), Ok("0.0"));
        assert_eq!(cell([0, 1020, 9000, 1000, 0]).as_deref(), Ok("-0.3"));
        assert!(cell([9, 0, 0, 0, 0]).is_err());
    }

    #[test]
    fn losses_on_time_are_recorded() {
        let row = record("--old x", &Results { on_time: [1, 0], ..RESULTS }).unwrap();
        assert_eq!(row[2], "less, more (SPRT 0 5: H1; lost on time: the new one 1)");
    }

    /// At fixed nodes, one thread repeats itself: each opening is played once with each colour.
    #[test]
    fn no_game_is_counted_twice() {
        let games = |line: &str| most_games(&arguments(line), 2);
        assert_eq!((games("--old x"), games("--old x --games 4"), games("--old x --games 5")), (Ok(4), Ok(4), Ok(5)));
        assert!(games("--old x --games 6").unwrap_err().to_string().contains("after 4 would be copies"));
        for varied in ["--tc 8+0.08", "--threads 2"] {
            assert_eq!(games(&format!("--old x {varied}")), Ok(MOST_GAMES));
            assert_eq!(games(&format!("--old x {varied} --games 6")), Ok(6));
        }
        assert_eq!(most_games(&arguments("--old x"), 30_000), Ok(MOST_GAMES));
    }

    #[test]
    fn no_cell_breaks_the_tables_of_the_record() {
        for (name, value) in [("--change", "a | b"), ("--change", "a\nb"), ("--change", "a\tb")] {
            let error = Line::try_parse_from(["match", "--old", "x", name, value]).err().unwrap().to_string();
            assert!(error.contains("would break"), "{error}");
        }
        assert!(Line::try_parse_from(["match", "--old", "x", "--change", "less, \"more\" ± 1"]).is_ok());
        assert!(cell(&name_of_book(Path::new("x/a|b.epd"))).is_err());
    }

    #[test]
    fn a_row_is_a_line_of_its_own() {
        let scratch = Scratch::new("record");
        let row = ["2026-11-27", "less, more"].map(str::to_owned);
        for text in ["date,change\na,b", "date,change\na,b\n"] {
            let record = PathBuf::from(scratch.write("matches.csv", text));
            append(&record, &row).unwrap();
            assert_eq!(fs::read_to_string(&record).unwrap(), "date,change\na,b\n2026-11-27,\"less, more\"\n");
        }
    }

    #[test]
    fn builds_of_commits_ignore_the_users_environment() {
        let command = build_command(Path::new("checkout"), Path::new("folder"));
        let set: BTreeMap<_, _> = command.get_envs().collect();
        for name in ["EVALFILE", "CARGO_ENCODED_RUSTFLAGS", "CARGO_BUILD_TARGET"] {
            assert_eq!(set.get(OsStr::new(name)), Some(&None), "{name}");
        }
        assert_eq!(set[OsStr::new("RUSTFLAGS")], Some(OsStr::new("-C target-cpu=native")));
    }

    #[test]
    fn a_program_with_another_bench_than_its_commit_does_not_play() {
        let printed = "position 40\n1477907 nodes 1000000 nps\n";
        assert_eq!(has_bench(printed, Some("1477907\n")), Ok(()));
        assert_eq!(has_bench(printed, None), Ok(()));
        let error = has_bench(printed, Some("827854\n")).unwrap_err();
        assert!(error.to_string().contains("1477907") && error.to_string().contains("827854"), "{error}");
        assert!(has_bench("", Some("827854\n")).is_err());
    }

    /// A failed build, too, holds the folder until it has cleaned up.
    #[test]
    fn a_build_holds_its_folder_until_it_ends() {
        let scratch = Scratch::new("build");
        // Only an exclusive lock excludes a shared one.
        let is_held = || File::open(scratch.0.join(LOCK)).unwrap().try_lock_shared().is_err();
        let failed: Result<(), CommandError> =
            alone(&scratch.0, || if is_held() { Err(trouble!("failed")) } else { Ok(()) });
        assert_eq!(failed, Err(trouble!("failed")));
        assert!(!is_held());
    }

    #[test]
    fn senseless_arguments_are_refused_before_play() {
        let tools = Tools { ibex: PathBuf::new(), build: None, shared: PathBuf::from("nowhere") };
        let error = play(&tools, &arguments("--old HEAD --elo0 5 --elo1 5")).unwrap_err();
        assert!(error.to_string().contains("must be less"), "{error}");
        assert!(commit("no-such-commit").unwrap_err().to_string().contains("is not a commit"));
    }
}
