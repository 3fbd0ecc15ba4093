//! Trains Ibex's network from the games that `ibex-lab datagen` writes.
//!
//! Three steps, each a command: `pack` extracts the positions worth learning from games and shuffles them, `train`
//! learns weights, `export` converts them to the integers that the engine computes with, and measures the loss. Build
//! it for the local machine: `RUSTFLAGS="-C target-cpu=native" cargo run --release -p ibex-trainer -- help`.

mod checkpoint;
mod data;
mod export;
mod integers;
mod judge;
mod layers;
mod model;
mod optimiser;
mod pack;
mod plot;
mod schedule;
mod train;
mod training_set;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use terminal::Exit;

/// Trains Ibex's network from the games that `ibex-lab datagen` writes.
#[derive(Parser, Debug)]
#[command(version, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Extract positions from data files, filter and shuffle them
    Pack(pack::Args),
    /// Learn from packed positions
    Train(train::Args),
    /// Make a network file from a checkpoint
    Export(export::Args),
    /// Compare evaluations by their loss over positions set aside
    Judge(judge::Args),
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Pack(args) => pack::run(&args),
        Command::Train(args) => train::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Judge(args) => judge::run(&args),
    };
    terminal::end("trainer", result.map(|()| Exit::Done))
}
