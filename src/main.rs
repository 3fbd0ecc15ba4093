//! The binary: arguments, and the choice of a front end.

mod cli;

use std::process::ExitCode;

use clap::Parser as _;
use ibex::lab::datagen::genfens;
use ibex::lab::{bench, spsa};
use ibex::uci;

/// What the tools lend to the prompt.
const EXTRAS: [uci::Extra; 3] = [
    uci::Extra {
        name: "bench",
        help: "search the fixed positions of `ibex bench`, to the depth named or the usual one",
        run: bench::at_the_prompt,
    },
    uci::Extra {
        name: "genfens",
        help: "N seed S book FILE|None: openings for the workers of OpenBench",
        run: genfens::at_the_prompt,
    },
    uci::Extra {
        name: "spsa",
        help: "[NAMES]: the search's numbers for the tuning page of OpenBench",
        run: spsa::at_the_prompt,
    },
];

fn main() -> ExitCode {
    uci::journal::start();
    let arguments: Vec<String> = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    if arguments.first().is_some_and(|word| cli::knows(word)) {
        cli::run(cli::Cli::parse())
    } else {
        uci::run(arguments, &EXTRAS)
    }
}
