//! `ibex-lab`: suites, annotated games, proofs, experiments, endings and training data, with the engine as a library.
//!
//! Each command is a module with `Args`, the part of the command line that it owns, and a `run`.
//!
//! - [`epd`]: suites, by Ibex and any other UCI engine; [`analyse`]: annotated games and positions
//! - [`probe`]: everything about one position; [`prove`]: mates, proved apart from the engine
//! - [`experiments`]: searches under changed rules; [`endings`]: the engine against the truth
//! - [`datagen`]: training data; [`perft`]: counts of files
//! - [`play`]: the searchers of positions; [`page`]: what the HTML pages share; [`arguments`]: values of flags

// `eprintln!` panics if standard error cannot be written to; `remark!` does not. Tests may print.
#![cfg_attr(not(test), deny(clippy::print_stderr))]

mod analyse;
mod arguments;
mod cli;
mod datagen;
mod endings;
mod epd;
mod experiments;
mod page;
mod perft;
mod play;
mod probe;
mod prove;
#[cfg(test)]
#[path = "../../tests/common/scratch.rs"]
mod scratch;

use std::process::ExitCode;

use ibex::laboratory::CALLER;
use ibex::uci;
use terminal::trouble;

fn main() -> ExitCode {
    #[cfg(target_arch = "x86_64")]
    if !ibex::processor::is_fit() {
        use std::io::Write as _;

        let _ = std::io::stderr().write_all(ibex::processor::REFUSAL.as_bytes());
        return ExitCode::FAILURE;
    }
    uci::journal::start();
    if let Ok(version) = std::env::var(CALLER)
        && version != ibex::VERSION
    {
        let error = trouble!("ibex-lab beside it is of version {}, not {version}", ibex::VERSION);
        return terminal::end("ibex", Err(error.hint("build or install both again")));
    }
    cli::run(cli::read(std::env::args_os()))
}
