//! What a run is to do: the arguments become a plan once, before anything is opened.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use super::record::{PlayerHead, Shard};
use super::report::Outputs;
use super::workers::{Contestant, Kind};
use crate::play::external::Program;
use crate::play::player::Budget;
use crate::play::{NamedEngine, read_engine};
use ibex::engine::Settings;
use ibex::tt::TranspositionTable;
use terminal::outputs::{self, Manner, Output};
use terminal::{CommandError, amount, inputs, trouble};

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
    /// The reports.
    #[command(flatten)]
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

/// What a run does.
pub struct Plan {
    /// The suites.
    pub files: Vec<PathBuf>,
    /// The part of their positions.
    pub shard: Option<Shard>,
    /// The limit of each search.
    pub budget: Budget,
    /// The further iterations for which a solution must hold; `None` to search to the limit.
    pub hold: Option<u32>,
    /// The table of each search, in MiB: as much as the machine has memory for.
    pub hash: usize,
    /// The threads of each search.
    pub threads: usize,
    /// Positions searched at once.
    pub jobs: usize,
    /// Ibex itself, unless it is left out.
    pub ibex: Option<Contestant>,
    /// The other engines.
    pub engines: Vec<Engine>,
    /// Where each result goes as soon as it is known.
    pub results: Results,
    /// Where the annotated suites go.
    pub epd_out: Option<PathBuf>,
    /// The share of solutions, in percent, below which the run counts as failed.
    pub fail_under: Option<f64>,
    /// The reports.
    pub outputs: Outputs,
}

/// Another engine.
#[derive(Clone)]
pub struct Engine {
    /// Its name in the results.
    pub label: String,
    /// Its command as it was given.
    pub command: String,
    /// The options that the results record.
    pub shown: Vec<String>,
    /// How to run it.
    pub program: Program,
}

/// The file of results.
pub enum Results {
    /// There is none.
    Nowhere,
    /// A new one.
    Begin(PathBuf),
    /// One that may hold a part of the run.
    Resume(PathBuf),
}

/// The description, in the head of a run, of a program that is stopped at its nodes.
pub const COUNTED: &str = "stopped by its own count of nodes";

impl Plan {
    /// Makes the plan.
    ///
    /// # Errors
    ///
    /// One line: there is no limit, the files do not fit together, or an argument applies to no engine.
    pub fn new(args: &Args) -> Result<Plan, CommandError> {
        let budget = Budget { movetime: args.movetime, nodes: args.nodes, depth: args.depth, mate: args.mate };
        if budget.is_empty() {
            return Err(trouble!("say how long to search: --movetime MS, --nodes N, --depth N or --mate N"));
        }
        let files = inputs::expand(&args.files)?;
        let written: Vec<_> = args.files_written().collect();
        args.outputs.check_force(&written)?;
        outputs::check(&files, &written, args.outputs.force)?;
        let hash = TranspositionTable::new(args.hash).0.mib().max(1);
        let ibex = (!args.no_ibex).then(|| {
            let settings = Settings { hash_mib: hash, threads: args.threads, ..Settings::default() };
            let patience = args.timeout.map(Duration::from_secs).or_else(|| budget.own_patience());
            let name = ibex::NAME.to_owned();
            let head = PlayerHead { label: "ibex".to_owned(), name, command: None, options: Vec::new() };
            Contestant { head, kind: Kind::BuiltIn(settings, patience) }
        });
        let engines = engines(args, hash, ibex.as_ref())?;
        let results = match (&args.jsonl, &args.resume) {
            (Some(path), _) => Results::Begin(path.clone()),
            (None, Some(path)) => Results::Resume(path.clone()),
            (None, None) => Results::Nowhere,
        };
        Ok(Plan {
            files,
            shard: args.shard,
            budget,
            hold: args.hold,
            hash,
            threads: args.threads,
            jobs: args.jobs,
            ibex,
            engines,
            results,
            epd_out: args.epd_out.clone(),
            fail_under: args.fail_under,
            outputs: args.outputs.clone(),
        })
    }

    /// How to continue after an early end, for people.
    pub fn continuation(&self) -> String {
        let reports = self.epd_out.is_some() || self.outputs.files().next().is_some();
        let force = if reports { ", with --force to replace the reports" } else { "" };
        match &self.results {
            Results::Resume(path) => format!("to continue: the same command, --resume {}{force}", path.display()),
            Results::Begin(path) => {
                format!("to continue: the same command, --resume {} in place of --jsonl{force}", path.display())
            }
            Results::Nowhere => "a run started with --resume FILE can continue after an interruption".to_owned(),
        }
    }
}

/// The programs of `--engine` with their options.
fn engines(args: &Args, hash: usize, ibex: Option<&Contestant>) -> Result<Vec<Engine>, CommandError> {
    let options: Vec<GivenOption> =
        args.options.iter().map(|text| GivenOption::parse(text)).collect::<Result<_, _>>()?;
    let mut taken: BTreeSet<String> = ibex.map(|ibex| ibex.head.label.clone()).into_iter().collect();
    let mut engines = Vec::new();
    for text in &args.engines {
        let NamedEngine { label, command, words } = read_engine(text)?;
        let label = unique(&label, &taken);
        taken.insert(label.clone());
        let own = options.iter().filter(|option| option.is_for(&label));
        let own: Vec<(String, String)> = own.map(|option| (option.name.to_owned(), option.value.to_owned())).collect();
        let counted = args.counted.contains(&label);
        let shown = own.iter().map(|(name, value)| format!("{name}={value}"));
        let shown = shown.chain(counted.then(|| COUNTED.to_owned())).collect();
        let patience = args.timeout.map(Duration::from_secs);
        let program = Program { command: words, options: own, hash, threads: args.threads, patience, counted };
        engines.push(Engine { label, command: command.to_owned(), shown, program });
    }
    // Ibex itself has a label, too, and obeys its nodes.
    if let Some(label) = args.counted.iter().find(|&label| !engines.iter().any(|engine| engine.label == *label)) {
        return Err(trouble!("--stop-at-nodes '{label}' is not one of the engines"));
    }
    if let Some(option) = options.iter().find(|option| !engines.iter().any(|engine| option.is_for(&engine.label))) {
        return Err(trouble!("--option '{}' is not for any of the engines", option.text));
    }
    Ok(engines)
}

/// An option of `--option`, for one engine or for all.
struct GivenOption<'a> {
    text: &'a str,
    label: Option<&'a str>,
    name: &'a str,
    value: &'a str,
}

impl GivenOption<'_> {
    fn parse(text: &str) -> Result<GivenOption<'_>, CommandError> {
        let (name, value) = text.split_once('=').ok_or_else(|| trouble!("--option '{text}': expected NAME=VALUE"))?;
        let (label, name) = name.split_once(':').map_or((None, name), |(label, name)| (Some(label), name));
        Ok(GivenOption { text, label, name, value })
    }

    fn is_for(&self, label: &str) -> bool {
        self.label.is_none_or(|own| own == label)
    }
}

/// The name, with a number if it is taken.
pub fn unique(name: &str, taken: &BTreeSet<String>) -> String {
    let numbered = (2..).map(|n| format!("{name}-{n}"));
    std::iter::once(name.to_owned()).chain(numbered).find(|name| !taken.contains(name)).unwrap_or_default()
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
    fn names_are_made_unique() {
        let taken = ["a".to_owned(), "a-2".to_owned()].into();
        assert_eq!(unique("a", &taken), "a-3");
        assert_eq!(unique("b", &taken), "b");
    }
}
