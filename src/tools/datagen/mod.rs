//! `ibex datagen`: the engine plays itself, and writes down what it thought.
//!
//! - `random`, `openings`: where games begin
//! - `play`: one game, to an honest result
//! - `session`: all cores, progress, surviving a kill
//! - `record`: games on disk
//! - `filter`: which positions are worth learning from
//! - `report`: reading files; `datagen stats` and `datagen verify`
//! - `genfens`: openings for the workers of a test farm

pub mod filter;
pub mod genfens;
pub mod openings;
pub mod play;
pub mod random;
pub mod record;
pub mod report;
pub mod session;

use std::path::PathBuf;

use clap::Subcommand;
use shakmaty::Move;

use super::{OK, TROUBLE, default_jobs};
use crate::engine::{Engine, Settings, evaluation_of};
use crate::position::Game;
use crate::score::Score;
use crate::tell;
use crate::time::Limits;
use filter::Filter;
use openings::Openings;
use play::{Adjudication, Player};
use session::{Manifest, Session, Target};

/// The command line of `ibex datagen`.
#[derive(clap::Args, Debug)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    run: Option<RunArgs>,
    // Beside the run, not within: clap takes a group with a group in it for absent.
    #[command(flatten)]
    adjudication: Adjudication,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Count games and positions of data files: results, phases, scores
    Stats {
        /// Data files, or the `.parts` folder of a run that is not complete
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        #[command(flatten)]
        filter: Filter,
    },
    /// Replay every game of data files by the rules of chess
    Verify {
        /// Data files, or the `.parts` folder of a run that is not complete
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },
    /// Put the games of a run together that will not be continued
    Finish {
        /// The name that the run was started with
        #[arg(value_name = "FILE")]
        out: PathBuf,
    },
}

#[derive(clap::Args, Debug)]
struct RunArgs {
    /// The file to write; while the run lasts its games lie in `FILE.parts`, and the same command resumes it
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Play this many games
    #[arg(long, value_name = "N", conflicts_with = "positions")]
    games: Option<u64>,
    /// Play until this many positions are kept by the default filter [default: 1000000]
    #[arg(long, value_name = "N")]
    positions: Option<u64>,
    /// Nodes a move; the iteration begun when they are spent is completed
    #[arg(long, default_value_t = 5000, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Stop at exactly that many nodes instead
    #[arg(long)]
    hard: bool,
    /// Games at the same time [default: one a core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// The run's seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Hash a game, in MiB
    #[arg(long, default_value_t = 4, value_name = "MIB", value_parser = clap::value_parser!(u16).range(1..))]
    hash: u16,
    /// A network to play with, or `classical` [default: the built-in evaluation]
    #[arg(long, value_name = "FILE", default_value = "", hide_default_value = true)]
    eval: String,
    /// A book of FEN or EPD lines to begin games from
    #[arg(long, value_name = "FILE")]
    book: Option<PathBuf>,
    /// The share of games that begin from the book
    #[arg(long, default_value_t = 0.3, value_name = "SHARE", value_parser = share, requires = "book")]
    book_share: f64,
    /// Random half-moves after a book position (or one more)
    #[arg(long, default_value_t = 3, value_name = "N", value_parser = clap::value_parser!(u32).range(..=40))]
    book_plies: u32,
    /// The share of games that begin from shuffled back ranks
    #[arg(long, default_value_t = 0.1, value_name = "SHARE", value_parser = share)]
    chess960: f64,
    /// Random half-moves at the beginning (or one more)
    #[arg(long, default_value_t = 8, value_name = "N", value_parser = clap::value_parser!(u32).range(..=40))]
    random_plies: u32,
    /// No progress
    #[arg(long)]
    quiet: bool,
}

fn share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("a share lies between 0 and 1".to_owned()),
    }
}

/// Runs the command.
pub fn run(args: &Args) -> u8 {
    let result = match (&args.command, &args.run) {
        (Some(Command::Stats { files, filter }), _) => return report::stats(files, *filter),
        (Some(Command::Verify { files }), _) => return report::verify(files),
        (Some(Command::Finish { out }), _) => session::finish(out),
        (None, Some(run)) => generate(run, args.adjudication),
        (None, None) => Err("where to? name a file with --out FILE".to_owned()),
    };
    match result {
        Ok(tally) => {
            tell!("{} games, {} positions, {} kept", tally.games, tally.positions, tally.kept);
            OK
        }
        Err(error) => {
            eprintln!("datagen: {error}");
            TROUBLE
        }
    }
}

fn generate(args: &RunArgs, adjudication: Adjudication) -> Result<session::Tally, String> {
    let target = match (args.games, args.positions) {
        (Some(games), _) => Target::Games(games),
        (None, positions) => Target::Positions(positions.unwrap_or(1_000_000)),
    };
    if matches!(target, Target::Games(0) | Target::Positions(0)) {
        return Err("nothing to do: a run needs at least one game".to_owned());
    }
    let book = args.book.as_deref().map(openings::read_book).transpose()?.unwrap_or_default();
    let openings = Openings {
        book_share: if book.is_empty() { 0.0 } else { args.book_share },
        chess960_share: args.chess960,
        random_plies: args.random_plies,
        book_plies: args.book_plies,
        book,
    };
    let settings = format!(
        "{} {} nodes, {} MiB, evaluation '{}', {} book positions at {}, chess960 {}, plies {} and {}, {adjudication:?}",
        if args.hard { "exactly" } else { "about" },
        args.nodes,
        args.hash,
        args.eval,
        openings.book.len(),
        openings.book_share,
        openings.chess960_share,
        openings.random_plies,
        openings.book_plies,
    );
    let session = Session {
        out: args.out.clone(),
        manifest: Manifest {
            engine: format!("Ibex {}", env!("IBEX_VERSION")),
            workers: args.threads.map_or_else(default_jobs, usize::from),
            seed: args.seed,
            settings,
        },
        target,
        openings,
        adjudication,
    };
    // A network that does not fit is told once, before a single game is played.
    let settings = Settings { hash_mib: usize::from(args.hash), eval_file: args.eval.clone(), ..Selfplay::settings() };
    evaluation_of(&settings.eval_file)?;
    session.run(&|| Selfplay::new(args.nodes, args.hard, settings.clone()), args.quiet)
}

/// The engine as a player of both sides; it searches on the worker's own thread.
struct Selfplay {
    engine: Engine,
    limits: Limits,
}

impl Selfplay {
    /// How much more than its nodes a soft-limited search may take to complete an iteration.
    const PATIENCE: u64 = 8;

    /// No preference among draws: they are all 0 in the data, and the table serves both sides.
    fn settings() -> Settings {
        Settings { threads: 1, analyse_mode: true, ..Settings::default() }
    }

    fn new(nodes: u64, hard: bool, settings: Settings) -> Selfplay {
        let (engine, remarks) = Engine::new(settings);
        for remark in remarks {
            log::warn!("{remark}");
        }
        let limits = if hard {
            Limits::nodes(nodes)
        } else {
            Limits { soft_nodes: Some(nodes), ..Limits::nodes(nodes.saturating_mul(Self::PATIENCE)) }
        };
        Selfplay { engine, limits }
    }
}

impl Player for Selfplay {
    fn new_game(&mut self) {
        self.engine.new_game();
    }

    fn choose(&mut self, game: &Game) -> Option<(Move, Score)> {
        let outcome = self.engine.search_here(game, self.limits.clone());
        // Too few nodes for a first iteration leave no score: such a move says nothing, and the game is thrown away.
        Some((outcome.best?, outcome.last?.value.score()))
    }
}
