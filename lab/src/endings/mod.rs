//! `ibex-lab endings`: how the engine treats endings whose truth is known.
//!
//! - `scores`: random positions of every ending of up to four men, searched and compared with the truth
//! - `mating`: won endings, played out against best defence
//! - `suite`: positions that recognizers settle a few plies below the root, made and proved
//!
//! The truth comes from the project's own tables (`src/retrograde`), solved afresh at each run; only pawn against
//! pawn, which they leave out, is read from Syzygy files if a folder is named.

mod mating;
mod sample;
mod scores;
pub mod suite;

use clap::Subcommand;

use ibex::engine::{Engine, Settings};
use ibex::parallel::default_jobs;
use ibex::retrograde::{Endgame, Tables};
use terminal::{Exit, Result, amount, remark};

/// Compare the engine with the truth about endings.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// What to do
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Clone, Debug)]
enum Command {
    /// Search random positions of every ending of up to four men: is each draw, win and loss scored as such?
    ///
    /// Exit status 0: at least 99% of the draws within 30 centipawns, at least 99% of the wins and losses as mate or
    /// above 500, none on the wrong side.
    Scores(scores::Args),
    /// Play won endings against best defence: does the engine mate within the 50-move rule?
    ///
    /// Exit status 0: every game but those of queen against rook ends in mate.
    Mating(mating::Args),
    /// Make positions that recognizers settle a few plies below the root, with all moves that keep the result
    ///
    /// Exit status 1: the seed gives fewer positions than were wanted.
    Make(suite::MakeArgs),
    /// Prove such positions again, from solved tables
    Prove(suite::ProveArgs),
}

/// The arguments that all comparisons with solved endings share.
#[derive(clap::Args, Clone, Debug)]
struct Common {
    /// The seed of the random choice
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
    /// How many to work on at once [default: one per core]
    #[arg(long, short, value_name = "N", value_parser = crate::arguments::job_count())]
    jobs: Option<usize>,
    /// Print each failure on a line of its own
    #[arg(long, short)]
    verbose: bool,
}

impl Common {
    fn jobs(&self) -> usize {
        self.jobs.unwrap_or_else(default_jobs)
    }
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Exit> {
    match &args.command {
        Command::Scores(args) => scores::run(args),
        Command::Mating(args) => mating::run(args),
        Command::Make(args) => suite::make(args),
        Command::Prove(args) => suite::prove(args),
    }
}

/// The tables of these endings, with a message on standard error for the user who waits.
fn solved(endings: impl IntoIterator<Item = Endgame>) -> Tables {
    remark!("solving the endings");
    Tables::solve(endings)
}

/// The most positions or games of an ending: they are made before the first of them is searched.
const MOST: u64 = 100_000;

/// Reads how many to take: at least one, because a check of nothing would always pass, and at most [`MOST`].
///
/// # Errors
///
/// One line that says what is expected.
fn some(text: &str) -> std::result::Result<usize, String> {
    let count = Some(amount::count(text)?).filter(|&count| count <= MOST);
    count.map(|count| count as usize).ok_or_else(|| format!("expected at most {MOST}"))
}

/// An engine without outside help: no tables, no book, a small hash table.
fn engine() -> Engine {
    let (engine, remarks) = Engine::new(Settings { hash_mib: 4, ..Settings::default() });
    remarks.iter().for_each(|remark| remark!("ibex: {remark}"));
    engine
}

/// The share `part / whole` in percent; 100 for an empty whole.
fn percent(part: usize, whole: usize) -> f64 {
    if whole == 0 { 100.0 } else { part as f64 * 100.0 / whole as f64 }
}
