//! The binary: arguments, and the choice of a front end.

#[cfg(feature = "lab")]
mod cli;

use std::process::ExitCode;

use ibex::{bench, uci};

/// What other rooms lend to the prompt.
const EXTRAS: &[uci::Extra] = &[
    uci::Extra {
        name: "bench",
        help: "search the fixed positions of `ibex bench`, to the depth named or the usual one",
        run: bench::at_the_prompt,
    },
    #[cfg(feature = "lab")]
    uci::Extra {
        name: "genfens",
        help: "N seed S book FILE|None: openings for the workers of OpenBench",
        run: ibex::lab::datagen::genfens::at_the_prompt,
    },
    uci::Extra {
        name: "spsa",
        help: "[NAMES]: the search's numbers for the tuning page of OpenBench",
        run: uci::spsa::at_the_prompt,
    },
];

fn main() -> ExitCode {
    uci::journal::start();
    let arguments: Vec<String> = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    #[cfg(feature = "lab")]
    if arguments.first().is_some_and(|word| cli::knows(word)) {
        return cli::run(<cli::Cli as clap::Parser>::parse());
    }
    uci::run(arguments, EXTRAS)
}
