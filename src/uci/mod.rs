//! The UCI front end: a session between a chess program (or a person) and the engine.
//!
//! One thread reads standard input, the engine searches on threads of its own, and the session in between never waits
//! for either, so `stop`, `isready` and `quit` are heard at any time. What must not happen during a search (a new
//! position, an option, another search) is put off until it has ended, in order.

mod argv;
mod input;
pub mod journal;
mod options;
mod output;
mod parse;
mod print;
mod prompt;
mod session;
mod wdl;

use std::io::IsTerminal;
use std::process::ExitCode;

use crossbeam_channel::Receiver;

use input::Input;
pub use options::markdown as option_table;
pub use prompt::{Extra, Run};
use session::Session;

/// The name that the engine gives, with its version.
const NAME: &str = concat!("Ibex ", env!("IBEX_VERSION"));
/// The authors that it names.
const AUTHORS: &str = "the Ibex authors";

/// Carries out arguments that are no command of the program: lines of the protocol, or else a session on standard
/// input. `extras` are commands that other rooms lend to the prompt.
pub fn run(arguments: impl IntoIterator<Item = String>, extras: &[Extra]) -> ExitCode {
    let plan = argv::plan(arguments);
    for flag in &plan.unknown {
        eprintln!("ibex: unknown argument '{flag}' ignored; see ibex --help");
    }
    if !plan.lines.is_empty() {
        return hold(input::prepared(plan.lines), extras, false);
    }
    let interactive = std::io::stdin().is_terminal();
    if interactive {
        eprintln!(
            "{NAME} is a chess engine: a chess program runs it and talks to it. 'help' shows what you can type here, 'quit' leaves."
        );
    }
    hold(input::spawn(std::io::stdin()), extras, interactive)
}

fn hold(input: Receiver<Input>, extras: &[Extra], interactive: bool) -> ExitCode {
    Session::new(std::io::stdout(), extras, interactive).run(input);
    ExitCode::SUCCESS
}
