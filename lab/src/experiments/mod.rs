//! The laboratory: the assumptions of the search, as experiments that anyone can repeat.
//!
//! Every experiment searches a fixed set of positions to a fixed depth under several settings, each from an empty
//! table, on one thread. Only `recognizers` has a suite of its own: it searches each position with a limit of nodes,
//! and counts the nodes until the solution, or all of them. Nodes and cuts repeat exactly on any machine; times do not.

mod settings;
mod sheet;
mod solve;

use std::path::{Path, PathBuf};

use clap::Subcommand;

use formats::epd::Suite;
use ibex::bench;
use ibex::position::notation::read_fen;
use ibex::position::{FenError, Game};
use ibex::search::experiments::single::SingleSearch;
use ibex::time::Limits;
use settings::Setting;
use sheet::{Row, Sheet};
use terminal::outputs::{self, Manner, Output};
use terminal::tell::counted;
use terminal::{CommandError, Exit, progress, remark, tell, trouble};

/// Search fixed positions under changed rules, and compare.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// What to vary
    #[command(subcommand)]
    pub experiment: Experiment,
    /// Iterations for each position; not for `recognizers` [default: 10]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=60))]
    pub depth: Option<u32>,
    /// For `recognizers` alone: nodes in which a position must be solved [default: 100000]
    #[arg(long, global = true, value_name = "N", value_parser = terminal::amount::count)]
    pub nodes: Option<u64>,
    /// Size of the transposition table in MiB
    #[arg(long, global = true, default_value_t = 16, value_name = "MIB", value_parser = clap::value_parser!(u32).range(1..=65536))]
    pub hash: u32,
    /// No forward pruning, reductions or experience: plain minimax to the depth, for smaller depths; not for
    /// `recognizers`
    #[arg(long, global = true)]
    pub exhaustive: bool,
    /// Search every n-th position only
    #[arg(long, global = true, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub every: u32,
    /// Positions of an EPD file instead of the bench's; for `recognizers` instead of epd/recognizers.epd in this folder
    #[arg(long, global = true, value_name = "FILE")]
    pub epd: Option<PathBuf>,
    /// Write every single search to this file as comma-separated values; not for `recognizers`
    #[arg(long, global = true, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Replace the file of `--csv` if it exists
    #[arg(long, global = true)]
    pub force: bool,
}

impl Args {
    /// Iterations for each position.
    fn depth(&self) -> u32 {
        self.depth.unwrap_or(10)
    }
}

/// What an experiment varies.
#[derive(Subcommand, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Experiment {
    /// Which of the table's values are used: none, the move, bounds of either kind, both, exact values too
    Table,
    /// Which draws are preferred: later ones, sooner ones, none
    Draws,
    /// How distance enters scores: plies from the root, scores that age, a bonus for delayed losses
    Distance,
    /// Rounding of the evaluation to multiples of 1 to 16 centipawns
    Grain,
    /// Whether draws have a band of their own or lie among the evaluations
    Bands,
    /// Which of the table's bounds narrow the window of a PV node
    Narrowing,
    /// How results are composed: integrated bounds, exact values below alpha demoted, conventional flags
    Composition,
    /// MTD(f) in place of aspirated PVS, with and without a growing step, for evaluations in steps of 1 to 16
    /// centipawns
    Mtdf,
    /// Nodes to the solutions of a suite, with recognizers and without
    Recognizers,
}

/// Runs an experiment and prints its sheet.
pub fn run(args: &Args) -> Result<Exit, CommandError> {
    tell!("{}", sheet(args)?.trim_end())?;
    Ok(Exit::Done)
}

/// The sheet of an experiment; it also writes the file of single searches.
fn sheet(args: &Args) -> Result<String, CommandError> {
    if args.force && args.csv.is_none() {
        return Err(trouble!("--force is for the file of --csv"));
    }
    if args.experiment == Experiment::Recognizers {
        if args.csv.is_some() {
            return Err(trouble!("recognizers has no single searches to write (--csv)"));
        }
        if args.depth.is_some() {
            return Err(trouble!("recognizers searches until the solution, not to a depth (--depth)"));
        }
        if args.exhaustive {
            return Err(trouble!("recognizers uses only the search of play (--exhaustive)"));
        }
        return Ok(solve::measure(args)?.markdown(args));
    }
    if args.nodes.is_some() {
        return Err(trouble!("only recognizers has a node limit (--nodes)"));
    }
    let inputs: Vec<PathBuf> = args.epd.iter().cloned().collect();
    let wanted: Vec<Output<'_>> = Output::wanted([("--csv", &args.csv, Manner::Report)]).collect();
    outputs::check(&inputs, &wanted, args.force)?;
    let sheet = measure(args)?;
    if let Some(path) = &args.csv {
        outputs::write(path, sheet.csv().as_bytes())?;
    }
    Ok(sheet.markdown())
}

/// Reads a suite, and reports its problems and remarks.
fn read_suite(path: &Path) -> Result<Suite, CommandError> {
    let suite = Suite::read(path)?;
    for remark in suite.remarks() {
        remark!("{remark}");
    }
    for problem in &suite.problems {
        remark!("{problem}");
    }
    Ok(suite)
}

/// The positions to search, by name. Each has a legal move.
fn positions(args: &Args) -> Result<Vec<(String, Game)>, CommandError> {
    let every = args.every as usize;
    let Some(path) = &args.epd else {
        let games =
            bench::POSITIONS.iter().step_by(every).map(|fen| Ok((String::from(*fen), Game::new(read_fen(fen)?))));
        return games.collect::<Result<_, FenError>>().map_err(CommandError::from);
    };
    let suite = read_suite(path)?;
    let (playable, over): (Vec<_>, Vec<_>) =
        suite.entries.into_iter().partition(|entry| entry.position.has_legal_move());
    if !over.is_empty() {
        let count = counted(over.len() as u64, "position", "positions");
        remark!("{}: {count} without a legal move: left out", suite.file);
    }
    let games: Vec<_> =
        playable.into_iter().step_by(every).map(|entry| (entry.position.fen(), Game::new(entry.position))).collect();
    if games.is_empty() { Err(trouble!("{}: no position to search", suite.file)) } else { Ok(games) }
}

/// Runs an experiment.
///
/// # Errors
///
/// One line: no positions, or no thread to search on.
pub fn measure(args: &Args) -> Result<Sheet, CommandError> {
    let games = positions(args)?;
    let settings = Setting::of(args.experiment, args.exhaustive);
    let bar = progress::bar((games.len() * settings.len()) as u64, "searches");
    let mut bench = SingleSearch::new(args.hash as usize);
    let mut sheet = Sheet::new(args, bench.table().mib());
    for (name, game) in &games {
        for setting in &settings {
            bench.clear();
            let limits = Limits::depth(args.depth());
            let run = bench
                .search(setting.rules, setting.conventions, game, &limits, None)
                .map_err(|error| trouble!("no thread to search on: {error}"))?;
            sheet.add(Row::new(setting.name, name, game, setting.conventions, &run));
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    Ok(sheet)
}
