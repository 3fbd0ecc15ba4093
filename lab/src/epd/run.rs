//! Running suites: contestants and positions for the workers, whose records are written as they come.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::PathBuf;
use std::time::Duration;

use indicatif::ProgressBar;

use super::html::Stage;
use super::record::{FORMAT, Head, Intake, PlayerHead, Record, Run, Shard, Status, SuiteHead};
use super::renewal::Renewal;
use super::report::{self, Outputs};
use super::results_file::ResultsFile;
use super::totals;
use super::workers::{Contestant, Kind, PositionTask, Workers};
use crate::play::external::{self, External, Program};
use crate::play::player::{Budget, Player as _, UciScore};
use crate::play::{split_command, split_label};
use formats::epd::{Suite, SuiteEntry};
use ibex::engine::Settings;
use ibex::tt::TranspositionTable;
use terminal::inputs;
use terminal::outputs::{self, Manner, Output};
use terminal::remark;
use terminal::tell::counted;
use terminal::{Exit, amount, interrupt, progress};

/// The arguments of `ibex-lab epd FILE...`.
#[derive(clap::Args, Clone, Debug)]
#[group(id = "run")]
pub struct Args {
    /// Suites to run: files, packed or not, patterns such as 'epd/*.epd', or - for standard input
    #[arg(required = true, value_name = "FILE.epd")]
    pub files: Vec<PathBuf>,

    /// Time for each position, in milliseconds, or with a unit such as 1.5s
    #[arg(long, value_name = "MS", help_heading = "Limits (at least one)", value_parser = amount::milliseconds)]
    pub movetime: Option<u64>,
    /// Nodes for each position, such as 500k; repeatable exactly on one thread
    #[arg(long, value_name = "N", help_heading = "Limits (at least one)", value_parser = amount::count)]
    pub nodes: Option<u64>,
    /// Iterations for each position
    #[arg(long, value_name = "N", help_heading = "Limits (at least one)", value_parser = clap::value_parser!(u32).range(1..))]
    pub depth: Option<u32>,
    /// Stop at a mate in at most this many moves
    #[arg(long, value_name = "N", help_heading = "Limits (at least one)", value_parser = clap::value_parser!(u32).range(1..))]
    pub mate: Option<u32>,
    /// Stop a position once its solution has held for N further iterations
    #[arg(long, value_name = "N")]
    pub hold: Option<u32>,
    /// Give up a position after this many seconds [default: an hour; for another engine with --movetime, three times
    /// that and 15 s, or else with --nodes, 10 s and one more for each 25,000 nodes; no limit for Ibex with either]
    #[arg(long, value_name = "SECONDS", value_parser = amount::seconds)]
    pub timeout: Option<u64>,

    /// Positions searched at once
    #[arg(long, short, value_name = "N", default_value_t = 1, value_parser = crate::arguments::job_count())]
    pub jobs: usize,
    /// Threads for each position
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = crate::arguments::thread_count())]
    pub threads: usize,
    /// Transposition table for each position, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 16, value_parser = crate::arguments::hash_size)]
    pub hash: usize,

    /// Run this UCI program too, as `[LABEL=]COMMAND ARGUMENTS` (may be repeated)
    #[arg(long = "engine", value_name = "COMMAND", help_heading = "Other engines")]
    pub engines: Vec<String>,
    /// Set an option of these programs, as `[LABEL:]NAME=VALUE` (may be repeated)
    #[arg(long = "option", value_name = "NAME=VALUE", help_heading = "Other engines")]
    pub options: Vec<String>,
    /// These engines do not know `go nodes`: let them search, and stop them near the nodes of --nodes (may be
    /// repeated)
    #[arg(
        long = "stop-at-nodes",
        value_name = "LABEL",
        requires = "engines",
        requires = "nodes",
        help_heading = "Other engines"
    )]
    pub counted: Vec<String>,
    /// Leave out Ibex itself
    #[arg(long, requires = "engines", help_heading = "Other engines")]
    pub no_ibex: bool,

    /// Write each result to this new file (JSON Lines) as soon as it is known
    #[arg(long, value_name = "FILE", conflicts_with = "resume", help_heading = "Long runs")]
    pub jsonl: Option<PathBuf>,
    /// Continue the run that this file holds, or begin it
    #[arg(long, value_name = "FILE", help_heading = "Long runs")]
    pub resume: Option<PathBuf>,
    /// Run only the I-th of N parts of the positions
    #[arg(long, value_name = "I/N", help_heading = "Long runs")]
    pub shard: Option<Shard>,

    /// Annotate the suites with the analysis of the first player and write them to this file
    #[arg(long, value_name = "FILE", help_heading = "Reports")]
    pub epd_out: Option<PathBuf>,
    /// Exit with status 1 if any player solves less than this share
    #[arg(long, value_name = "PERCENT", value_parser = parse_percent)]
    pub fail_under: Option<f64>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub outputs: Outputs,
}

impl Args {
    /// The files that the run will write.
    fn files_written(&self) -> impl Iterator<Item = Output<'_>> {
        let own = [
            ("--epd-out", &self.epd_out, Manner::Report),
            ("--jsonl", &self.jsonl, Manner::Begun),
            ("--resume", &self.resume, Manner::Continued),
        ];
        self.outputs.files().chain(Output::wanted(own))
    }
}

fn parse_percent(text: &str) -> Result<f64, String> {
    text.trim_end_matches('%')
        .parse()
        .ok()
        .filter(|percent| (0.0..=100.0).contains(percent))
        .ok_or_else(|| "expected a number from 0 to 100".to_owned())
}

/// Runs the command.
///
/// # Errors
///
/// One line that says why the run was not possible.
pub fn run(args: &Args) -> Result<Exit, String> {
    let budget = Budget { movetime: args.movetime, nodes: args.nodes, depth: args.depth, mate: args.mate };
    if budget.is_empty() {
        return Err("say how long to search: --movetime MS, --nodes N, --depth N or --mate N".to_owned());
    }
    let files = inputs::expand(&args.files).map_err(|error| error.to_string())?;
    let outputs: Vec<_> = args.files_written().collect();
    args.outputs.check_force(&outputs)?;
    outputs::check(&files, &outputs, args.outputs.force).map_err(|error| error.to_string())?;
    let suites = read_suites(&files)?;
    // The table may be smaller if the machine lacks memory, and the run records its actual size.
    let args = &Args { hash: TranspositionTable::new(args.hash).0.mib().max(1), ..args.clone() };
    // An interruption reaches an engine only if the handler is installed before the engine starts.
    interrupt::catch("ibex-lab epd", external::end_all);
    let Some(contestants) = interrupt::unless_interrupted("ibex-lab epd", contestants(args, &budget))? else {
        return Ok(Exit::Interrupted);
    };
    let head = Head {
        ibex_epd: FORMAT,
        players: contestants.iter().map(|contestant| contestant.head.clone()).collect(),
        budget,
        hold: args.hold,
        hash: args.hash,
        threads: args.threads,
        suites: suites.iter().map(SuiteHead::of).collect(),
        shard: args.shard,
    };
    let (results_file, run) = open_results(args, head)?;
    let done: HashSet<_> = run.records.iter().map(Record::key).collect();
    let positions = positions_of(&suites, args.shard);
    let tasks = tasks(&contestants, &positions, &done);
    if !done.is_empty() {
        let done = counted(done.len() as u64, "result is", "results are");
        remark!("{done} already done, {} to go", tasks.len());
    }

    let mut progress = Progress::new(args, run, results_file, tasks.len());
    let given_up = progress.work(&Workers { contestants: &contestants, budget, hold: args.hold }, &tasks, args.jobs)?;
    let Progress { run, all, .. } = &progress;
    // If the last search was done when the interruption came, nothing is missing.
    let stopped = interrupt::is_stopped() && run.records.len() < *all;
    save(args, &suites, run, stopped || !given_up.is_empty())?;
    if stopped {
        tell_missing(args, "interrupted", run, *all, &positions);
        return Ok(Exit::Interrupted);
    }
    if !given_up.is_empty() {
        for contestant in given_up {
            remark!("ibex-lab epd: {}: given up: it does not start", contestants[contestant].head.label);
        }
        tell_missing(args, "incomplete", run, *all, &positions);
        return Ok(Exit::Trouble);
    }
    Ok(judge(args, run))
}

/// Whether every player has solved as much as `--fail-under` requires.
fn judge(args: &Args, run: &Run) -> Exit {
    let least = totals::least_solved(run);
    let missed = args.fail_under.zip(least).filter(|(threshold, least)| least.percent() < *threshold);
    if let Some((threshold, least)) = &missed {
        remark!("ibex-lab epd: {}% solved is less than {threshold}%", least.percent_text());
    }
    if missed.is_some() { Exit::Found } else { Exit::Done }
}

/// The positions of all suites, or one part of them.
fn positions_of(suites: &[Suite], shard: Option<Shard>) -> Vec<(&Suite, &SuiteEntry)> {
    let positions = suites.iter().flat_map(|suite| suite.entries.iter().map(move |entry| (suite, entry)));
    let is_mine = |index| shard.is_none_or(|shard| shard.has(index));
    positions.enumerate().filter(|&(index, _)| is_mine(index)).map(|(_, position)| position).collect()
}

/// The searches that have no result yet, contestant by contestant.
fn tasks<'a>(
    contestants: &[Contestant],
    positions: &[(&'a Suite, &'a SuiteEntry)],
    done: &HashSet<(String, String, usize)>,
) -> Vec<PositionTask<'a>> {
    let is_open = |task: &PositionTask<'_>| {
        let label = &contestants[task.contestant].head.label;
        !done.contains(&(label.clone(), task.suite.name.clone(), task.entry.line))
    };
    (0..contestants.len())
        .flat_map(|contestant| positions.iter().map(move |&(suite, entry)| PositionTask { contestant, suite, entry }))
        .filter(is_open)
        .collect()
}

/// A run in progress: its results, and where they go.
struct Progress<'a> {
    run: Run,
    /// The number of records of the complete run.
    all: usize,
    results_file: Option<ResultsFile>,
    renewal: Renewal<'a>,
    bar: ProgressBar,
    tally: Tally,
}

impl<'a> Progress<'a> {
    /// Begins or continues a run that has `to_go` searches left.
    fn new(args: &'a Args, run: Run, results_file: Option<ResultsFile>, to_go: usize) -> Progress<'a> {
        let done = run.records.len();
        let unit = if run.head.players.len() > 1 { "searches" } else { "positions" };
        let bar = progress::solving(done as u64, (done + to_go) as u64, unit);
        let mut tally = Tally::default();
        run.records.iter().for_each(|record| tally.add(record));
        let renewal = Renewal::new(args.outputs.html.as_deref());
        Progress { run, all: done + to_go, results_file, renewal, bar, tally }
    }

    /// Makes the searches, and sorts the records. Returns the contestants that were given up.
    ///
    /// # Errors
    ///
    /// One line: that of [`Workers::run`].
    fn work(
        &mut self,
        workers: &Workers<'_>,
        tasks: &[PositionTask<'_>],
        jobs: usize,
    ) -> Result<BTreeSet<usize>, String> {
        let bar = self.bar.clone();
        let warn = |record: &Record| {
            if let Some(trouble) = &record.trouble {
                let Record { player, id, suite, line, .. } = record;
                bar.suspend(|| remark!("{player} on {id} ({suite}:{line}): {trouble}"));
            }
        };
        let worked = workers.run(tasks, jobs, warn, |record| self.take(record));
        bar.finish_and_clear();
        self.run.sort();
        worked.inspect_err(|_| self.renewal.stop(&self.run))
    }

    fn take(&mut self, record: Record) -> Result<(), String> {
        self.tally.add(&record);
        self.bar.inc(1);
        self.bar.set_message(self.tally.text(&record.player, self.run.head.players.len() > 1));
        if let Some(file) = &mut self.results_file {
            file.write(&record).map_err(|error| error.to_string())?;
        }
        self.run.records.push(record);
        // The last page is written when all is done.
        if self.run.records.len() < self.all && self.renewal.is_due() {
            self.run.sort();
            if let Some(trouble) = self.renewal.write(&self.run) {
                self.bar.suspend(|| remark!("ibex-lab epd: {trouble}"));
            }
        }
        Ok(())
    }
}

/// Writes the reports of a run and prints its summary, even if it `ended_early`.
fn save(args: &Args, suites: &[Suite], run: &Run, ended_early: bool) -> Result<(), String> {
    for label in deaf_to_nodes(run) {
        remark!(
            "{label} does not seem to obey 'go nodes'; --stop-at-nodes {label} makes Ibex stop it at about that number"
        );
    }
    let stage = if ended_early { Stage::Stopped } else { Stage::Ended };
    let mut errors = report::save(run, stage, &args.outputs);
    if let Some(Err(error)) = args.epd_out.as_ref().map(|path| report::write_epd(path, suites, run)) {
        errors.push(error.into());
    }
    report::print(run, &args.outputs);
    report::all_saved(&errors)
}

/// What each player has solved so far, of how many positions.
#[derive(Default)]
struct Tally(BTreeMap<String, (u64, u64)>);

impl Tally {
    fn add(&mut self, record: &Record) {
        let (solved, done) = self.0.entry(record.player.clone()).or_default();
        *solved += u64::from(record.solved);
        *done += 1;
    }

    /// The message of a progress bar for a player, with its name if there are several.
    fn text(&self, player: &str, several: bool) -> String {
        let (solved, done) = self.0.get(player).copied().unwrap_or_default();
        let name = if several { format!("{player}: ") } else { String::new() };
        format!(", {name}{solved} solved ({:.0}%)", 100.0 * solved as f64 / done.max(1) as f64)
    }
}

/// Reports what an early end left undone, and how to continue.
fn tell_missing(args: &Args, end: &str, run: &Run, wanted: usize, positions: &[(&Suite, &SuiteEntry)]) {
    let missing = wanted - run.records.len();
    remark!("ibex-lab epd: {end}: {missing} of {} missing", counted(wanted as u64, "result", "results"));
    let count = |keys: &mut dyn Iterator<Item = (&str, &str)>| {
        let mut counts: BTreeMap<(String, String), usize> = BTreeMap::new();
        keys.for_each(|(player, suite)| *counts.entry((player.to_owned(), suite.to_owned())).or_default() += 1);
        counts
    };
    let done = count(&mut run.records.iter().map(|r| (r.player.as_str(), r.suite.as_str())));
    let players = run.head.players.iter().map(|player| player.label.as_str());
    let all =
        count(&mut players.flat_map(|player| positions.iter().map(move |(suite, _)| (player, suite.name.as_str()))));
    for ((player, suite), all) in &all {
        let missing = all - done.get(&(player.clone(), suite.clone())).copied().unwrap_or(0).min(*all);
        if missing > 0 {
            remark!("  {player}, {suite}: {missing} of {all}");
        }
    }
    let reports = args.files_written().any(|output| output.manner == Manner::Report);
    let force = if reports { ", with --force to replace the reports" } else { "" };
    match (&args.resume, &args.jsonl) {
        (Some(path), _) => remark!("to continue: the same command, --resume {}{force}", path.display()),
        (None, Some(path)) => {
            remark!("to continue: the same command, --resume {} in place of --jsonl{force}", path.display());
        }
        (None, None) => remark!("a run started with --resume FILE can continue after an interruption"),
    }
}

/// The description, in the head of a run, of a program that is stopped at its nodes.
const COUNTED: &str = "stopped by its own count of nodes";

/// The programs whose searches are mostly far from their only limit, a number of nodes.
fn deaf_to_nodes(run: &Run) -> Vec<&str> {
    let (Budget { nodes: Some(limit), movetime: None, depth: None, mate: None }, None) =
        (run.head.budget, run.head.hold)
    else {
        return Vec::new();
    };
    let unstopped = |player: &&PlayerHead| !player.options.iter().any(|option| option == COUNTED);
    let programs = run.head.players.iter().filter(|player| player.command.is_some()).filter(unstopped);
    let deaf = programs.filter(|player| {
        // An engine may end a search once it has found a mate.
        let is_mate = |r: &Record| matches!(r.score, Some(UciScore::Mate(_)));
        let own = run.records.iter().filter(|r| r.player == player.label && r.status == Status::Ok && !is_mate(r));
        let mut nodes: Vec<u64> = own.map(|r| r.nodes).collect();
        nodes.sort_unstable();
        nodes.get(nodes.len() / 2).is_some_and(|&median| median < limit / 2 || median > limit.saturating_mul(2))
    });
    deaf.map(|player| player.label.as_str()).collect()
}

/// Reads the suites and reports what is wrong with them.
fn read_suites(files: &[PathBuf]) -> Result<Vec<Suite>, String> {
    let mut suites: Vec<Suite> = Vec::new();
    for file in files {
        let mut suite = Suite::read(file).map_err(|error| error.to_string())?;
        if is_for_perft(&suite) {
            remark!("{}: nothing to solve, only counts for `ibex-lab perft`: skipped", file.display());
            continue;
        }
        suite.require(SuiteEntry::is_task, "nothing to solve (no bm, am, dm or points)");
        for remark in suite.remarks() {
            remark!("{remark}");
        }
        for problem in &suite.problems {
            remark!("{problem}: left out");
        }
        if suite.entries.is_empty() {
            return Err(format!("{}: no position to solve", inputs::name(file)));
        }
        let taken: BTreeSet<_> = suites.iter().map(|suite| suite.name.clone()).collect();
        suite.name = unique(&suite.name, &taken);
        suites.push(suite);
    }
    if suites.is_empty() { Err("no position to solve".to_owned()) } else { Ok(suites) }
}

/// Whether a suite holds only perft counts and nothing that a search could solve.
fn is_for_perft(suite: &Suite) -> bool {
    !suite.entries.is_empty() && suite.entries.iter().all(|entry| !entry.is_task() && !entry.counts.is_empty())
}

/// The name, with a number if it is taken.
fn unique(name: &str, taken: &BTreeSet<String>) -> String {
    let numbered = (2..).map(|n| format!("{name}-{n}"));
    std::iter::once(name.to_owned()).chain(numbered).find(|name| !taken.contains(name)).unwrap_or_default()
}

/// The contestants: Ibex, unless it is left out, and the programs of `--engine`, each of which is started once.
///
/// # Errors
///
/// One line: a program does not start, or an argument applies to none of them.
fn contestants(args: &Args, budget: &Budget) -> Result<Vec<Contestant>, String> {
    let mut contestants = Vec::new();
    if !args.no_ibex {
        contestants.push(ibex(args, budget));
    }
    let options: Vec<GivenOption> =
        args.options.iter().map(|text| GivenOption::parse(text)).collect::<Result<_, _>>()?;
    for text in &args.engines {
        let taken = contestants.iter().map(|contestant| contestant.head.label.clone()).collect();
        contestants.push(program(text, &taken, &options, args)?);
    }
    // Ibex itself has a label, too, and obeys its nodes.
    let engines = contestants.iter().map(|contestant| &contestant.head).filter(|head| head.command.is_some());
    if let Some(label) = args.counted.iter().find(|&label| !engines.clone().any(|head| head.label == *label)) {
        return Err(format!("--stop-at-nodes '{label}' is not one of the engines"));
    }
    if let Some(option) = options.iter().find(|option| !engines.clone().any(|head| option.is_for(&head.label))) {
        return Err(format!("--option '{}' is not for any of the engines", option.text));
    }
    Ok(contestants)
}

fn ibex(args: &Args, budget: &Budget) -> Contestant {
    let settings = Settings { hash_mib: args.hash, threads: args.threads, ..Settings::default() };
    let patience = args.timeout.map(Duration::from_secs).or_else(|| budget.own_patience());
    let name = ibex::NAME.to_owned();
    let head = PlayerHead { label: "ibex".to_owned(), name, command: None, options: Vec::new() };
    Contestant { head, kind: Kind::BuiltIn(settings, patience) }
}

/// A program of `--engine`; it is started to get its name.
fn program(
    text: &str,
    taken: &BTreeSet<String>,
    options: &[GivenOption<'_>],
    args: &Args,
) -> Result<Contestant, String> {
    let (label, command) = split_label(text);
    let words =
        split_command(command, cfg!(windows)).ok_or_else(|| format!("--engine '{text}': an unterminated quotation"))?;
    let program = words.first().ok_or_else(|| format!("--engine '{text}': no command"))?;
    let stem = PathBuf::from(program).file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let label = unique(label.unwrap_or(&stem.unwrap_or_default()), taken);
    let own = options.iter().filter(|option| option.is_for(&label));
    let own: Vec<(String, String)> = own.map(|option| (option.name.to_owned(), option.value.to_owned())).collect();
    let counted = args.counted.contains(&label);
    let shown = own.iter().map(|(name, value)| format!("{name}={value}"));
    let shown = shown.chain(counted.then(|| COUNTED.to_owned())).collect();
    let patience = args.timeout.map(Duration::from_secs);
    let program = Program { command: words, options: own, hash: args.hash, threads: args.threads, patience, counted };
    let engine = External::start(program.clone()).map_err(|reason| format!("--engine {label}: {reason}"))?;
    engine.remarks().iter().for_each(|remark| remark!("--engine {label}: {remark}"));
    let name = engine.name().to_owned();
    let head = PlayerHead { label, name, command: Some(command.to_owned()), options: shown };
    // The first line of the result has a single table size and thread count for all.
    for (option, flag, all) in [("Hash", "hash", args.hash), ("Threads", "threads", args.threads)] {
        if let Some(own) = head.option(option).filter(|own| *own != all.to_string()) {
            let label = &head.label;
            remark!("--engine {label}: its option {option} is {own} by --option, not the {all} of --{flag}");
        }
    }
    Ok(Contestant { head, kind: Kind::Program(program) })
}

/// An option of `--option`, for one engine or for all.
struct GivenOption<'a> {
    text: &'a str,
    label: Option<&'a str>,
    name: &'a str,
    value: &'a str,
}

impl GivenOption<'_> {
    fn parse(text: &str) -> Result<GivenOption<'_>, String> {
        let (name, value) = text.split_once('=').ok_or_else(|| format!("--option '{text}': expected NAME=VALUE"))?;
        let (label, name) = name.split_once(':').map_or((None, name), |(label, name)| (Some(label), name));
        Ok(GivenOption { text, label, name, value })
    }

    fn is_for(&self, label: &str) -> bool {
        self.label.is_none_or(|own| own == label)
    }
}

/// Opens the file of results, and reads what it already holds.
fn open_results(args: &Args, head: Head) -> Result<(Option<ResultsFile>, Run), String> {
    let fresh = |head: Head| Run { head, records: Vec::new() };
    if let Some(path) = &args.jsonl {
        return Ok((
            Some(ResultsFile::begin(path, &head, args.outputs.force).map_err(|error| error.to_string())?),
            fresh(head),
        ));
    }
    let Some(path) = &args.resume else { return Ok((None, fresh(head))) };
    let (results_file, Intake { run, remarks, .. }) =
        ResultsFile::resume(path, &head, difference).map_err(|error| error.to_string())?;
    for remark in remarks {
        remark!("{remark}");
    }
    Ok((Some(results_file), run))
}

/// How two heads differ.
pub(super) fn difference(old: &Head, new: &Head) -> String {
    if old.budget != new.budget {
        format!("its limit is {}, not {}", old.budget, new.budget)
    } else if old.hold != new.hold {
        "its --hold differs".to_owned()
    } else if (old.hash, old.threads) != (new.hash, new.threads) {
        let threads = counted(old.threads as u64, "thread", "threads");
        format!("it has {} MiB and {threads}, not {} and {}", old.hash, new.hash, new.threads)
    } else if old.suites != new.suites {
        "its suites are different, or were edited since".to_owned()
    } else if old.players != new.players {
        "its players, their versions or options are different".to_owned()
    } else {
        "its shard is different".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_and_percents_are_read() {
        let indices = |shard: Shard| (0..11).filter(|&index| shard.has(index)).collect::<Vec<_>>();
        assert_eq!("2/5".parse::<Shard>().map(indices), Ok(vec![1, 6]));
        assert_eq!("1/1".parse::<Shard>().map(indices), Ok((0..11).collect()));
        for bad in ["0/5", "6/5", "1", "a/b", "1/0"] {
            assert!(bad.parse::<Shard>().is_err(), "{bad}");
        }
        assert_eq!(parse_percent("80%"), Ok(80.0));
        assert!(parse_percent("101").is_err() && parse_percent("x").is_err());
    }

    #[test]
    fn engines_that_end_at_a_mate_obey_their_nodes() {
        let run = |searches: &[(u64, Option<UciScore>)]| {
            let record = |(line, (nodes, score)): (usize, &(u64, Option<UciScore>))| {
                serde_json::json!({
                    "player": "x", "suite": "s", "line": line, "id": "", "fen": "", "status": "ok", "solved": false,
                    "score": score, "depth": 1, "seldepth": 1, "nodes": nodes, "ms": u64::MAX,
                })
            };
            let records: Vec<_> = searches.iter().enumerate().map(record).collect();
            let player = serde_json::json!({ "label": "x", "name": "X", "command": "x" });
            let head = serde_json::json!({
                "ibex_epd": FORMAT, "players": [player], "budget": { "nodes": 1000 },
                "hash": 1, "threads": 1, "suites": [],
            });
            serde_json::from_value::<Run>(serde_json::json!({ "head": head, "records": records })).expect("a run")
        };
        let (cp, mate) = (Some(UciScore::Cp(9)), Some(UciScore::Mate(3)));
        assert!(deaf_to_nodes(&run(&[(7, mate), (7, mate), (1000, cp)])).is_empty());
        assert!(deaf_to_nodes(&run(&[(7, mate)])).is_empty());
        assert_eq!(deaf_to_nodes(&run(&[(7, mate), (7, cp), (7, None)])), ["x"]);
        // An engine may report any numbers.
        let lies = run(&[(u64::MAX, cp), (u64::MAX, cp)]);
        assert_eq!(deaf_to_nodes(&lies), ["x"]);
        let total = totals::Total::of("x", "s", lies.records.iter());
        assert_eq!((total.nodes, total.ms), (u64::MAX, u64::MAX));
    }

    #[test]
    fn names_are_made_unique() {
        let taken = ["a".to_owned(), "a-2".to_owned()].into();
        assert_eq!(unique("a", &taken), "a-3");
        assert_eq!(unique("b", &taken), "b");
    }
}
