//! `ibex bench`: the bench with its settings on the command line.

use crate::bench::{BenchOptions, DEEPEST, DEPTH, POSITIONS, measure};
use terminal::Exit;
use terminal::{remark, tell};

/// Search a fixed list of positions; the last line reads `N nodes M nps`.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// Iterations for each position
    #[arg(long, default_value_t = DEPTH, value_parser = clap::value_parser!(u32).range(1..=i64::from(DEEPEST)))]
    pub depth: u32,
    /// Size of the transposition table in MiB
    #[arg(long, default_value_t = 16, value_name = "MIB", value_parser = super::hash_size)]
    pub hash: usize,
    /// Search threads; the node count repeats exactly only on one
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = super::thread_count())]
    pub threads: usize,
    /// Print only the node count
    #[arg(long)]
    pub signature: bool,
    /// A depth, or, as other engines take them, HASH THREADS DEPTH
    #[arg(value_name = "WORDS", conflicts_with_all = ["depth", "hash", "threads"])]
    pub words: Vec<String>,
}

/// Runs the command.
pub fn run(args: &Args) -> Exit {
    let setup = if args.words.is_empty() {
        Ok(BenchOptions { depth: args.depth, hash_mib: args.hash, threads: args.threads })
    } else {
        BenchOptions::read(&args.words)
    };
    let total = POSITIONS.len();
    let report = |number, nodes| {
        if !args.signature {
            tell!("position {number}/{total}: {nodes}");
        }
    };
    match setup.and_then(|setup| measure(setup, report)) {
        Ok(measured) if args.signature => {
            tell!("{}", measured.nodes);
            Exit::Done
        }
        Ok(measured) => {
            tell!("{measured}");
            Exit::Done
        }
        Err(reason) => {
            remark!("ibex bench: {reason}");
            Exit::Trouble
        }
    }
}
