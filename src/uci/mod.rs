//! The UCI front end: a session between a chess program (or a person) and the engine.
//!
//! One thread reads standard input, the engine searches on threads of its own, and the session in between never waits
//! for either, so `stop`, `isready` and `quit` work at any time, except during commands like `bench` that run alone.
//! What must not happen during a search (a new position, an option, another search) waits for its end, in order.

mod argv;
mod genfens;
mod input;
pub mod journal;
mod message;
mod options;
mod output;
mod parse;
mod print;
mod prompt;
mod session;
pub mod spsa;
pub mod wdl;

use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::sync::Weak;
use std::time::Duration;

use crate::position::Position;
pub use argv::word_distance;
pub use options::{Action, OptionChange, OptionError, Options, UiOptions, markdown as option_table, set as set_option};
use output::Output;
use parse::Command;
pub use parse::ParseError;
use session::Session;

/// The authors that it names.
const AUTHORS: &str = env!("CARGO_PKG_AUTHORS");

/// The exit status after arguments that cannot be carried out.
const TROUBLE: u8 = 2;

/// Carries out arguments that are not a subcommand: lines of the protocol, or else a session on standard input.
/// `commands` are those of the program, to suggest one for a word that is neither.
pub fn run(arguments: impl IntoIterator<Item = String>, commands: &[&str]) -> ExitCode {
    let plan = argv::plan(arguments);
    let near = plan.unknown.iter().find_map(|flag| argv::refuse_flag(flag));
    if let Some(why) = near.or_else(|| argv::refuse(&plan, prompt::WORDS, commands)) {
        say(&format!("ibex: {why}"));
        return ExitCode::from(TROUBLE);
    }
    for flag in &plan.unknown {
        say(&format!("ibex: unknown argument '{flag}' ignored; see ibex --help"));
    }
    #[cfg(unix)]
    make_streams_wait();
    if !plan.lines.is_empty() {
        let is_done = Session::new(std::io::stdout(), false).run(input::prepared(plan.lines));
        return if is_done { ExitCode::SUCCESS } else { ExitCode::from(TROUBLE) };
    }
    let interactive = std::io::stdin().is_terminal();
    if interactive {
        say(&format!(
            "{} is a chess engine: a chess program runs it and talks to it. 'help' shows what you can type here, 'quit' leaves.",
            crate::NAME
        ));
    }
    let session = Session::new(std::io::stdout(), interactive);
    let output = session.output();
    match input::spawn(std::io::stdin(), move || leave_a_stuck_reader(&output)) {
        Ok(lines) => {
            // What a program sends and Ibex refuses is not a failure of Ibex.
            session.run(lines);
            ExitCode::SUCCESS
        }
        Err(error) => {
            say(&format!("ibex: cannot start a thread to read the input: {error}"));
            ExitCode::FAILURE
        }
    }
}

/// Makes standard input and output blocking. A program that shares a terminal or a socket with Ibex may have switched
/// that off, and then "nothing yet" is an error, which would end the session.
#[cfg(unix)]
fn make_streams_wait() {
    for stream in [libc::STDIN_FILENO, libc::STDOUT_FILENO] {
        // SAFETY: both calls read or write the flags of a stream, and no memory of ours. A stream that is closed is an
        // error without effect.
        unsafe {
            let flags = libc::fcntl(stream, libc::F_GETFL);
            if flags != -1 && flags & libc::O_NONBLOCK != 0 {
                libc::fcntl(stream, libc::F_SETFL, flags & !libc::O_NONBLOCK);
            }
        }
    }
}

/// Writes a line to standard error, if anyone reads it.
fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// How long a line may wait for its reader after `quit`.
const LAST_WAIT: Duration = Duration::from_millis(500);

/// Ends the process, after `quit`, if the output's reader has stopped reading: waiting for it would take for ever.
/// (After the end of the input, the session does wait, because a pager reads when its user wants to.)
fn leave_a_stuck_reader(output: &Weak<Output>) {
    while let Some(output) = output.upgrade() {
        if output.waiting() > LAST_WAIT {
            log::info!("nobody reads the output: leaving");
            std::process::exit(0);
        }
        drop(output);
        std::thread::sleep(LAST_WAIT / 10);
    }
}

/// Runs a session with these bytes as its input, and ends it with `quit`; for tests and fuzzers.
///
/// The input can set the options that name files, just as a chess program can.
///
/// ```
/// use std::io::Write;
/// use std::sync::mpsc;
///
/// struct Answers(mpsc::Sender<Vec<u8>>);
///
/// impl Write for Answers {
///     fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
///         self.0.send(bytes.to_vec()).map(|()| bytes.len()).map_err(std::io::Error::other)
///     }
///
///     fn flush(&mut self) -> std::io::Result<()> {
///         Ok(())
///     }
/// }
///
/// let (sender, answers) = mpsc::channel();
/// ibex::uci::converse(b"uci\nposition startpos\ngo depth 3\n", Answers(sender));
/// let text = String::from_utf8(answers.iter().flatten().collect()).unwrap();
/// assert!(text.contains("\nuciok\n") && text.contains("\nbestmove "));
/// ```
pub fn converse(input: &[u8], output: impl Write + Send + 'static) {
    Session::new(output, false).run(input::whole(input));
}

/// A session line by line, for a host that waits while a line is carried out (WebAssembly).
///
/// A search runs within [`Dialogue::hear`]; input that arrives meanwhile reaches it through
/// [`host`](crate::search::state::host).
#[cfg(target_family = "wasm")]
pub struct Dialogue(Session);

#[cfg(target_family = "wasm")]
impl Dialogue {
    /// A session whose answers go to `output`.
    pub fn new(output: impl Write + Send + 'static) -> Dialogue {
        Dialogue(Session::new(output, false))
    }

    /// Answers a line. Returns whether the session goes on.
    pub fn hear(&mut self, line: &[u8]) -> bool {
        let line = input::clean(line);
        if !line.is_empty() {
            self.0.answer(&line);
        }
        !self.0.is_over()
    }
}

/// The meaning of a line of the protocol, in words, for tests and fuzzers: read as a session reads it, for the initial
/// position and the default options.
///
/// # Errors
///
/// The [`ParseError`] that the session would report; [`ParseError::Option`] for an error of an option.
pub fn understand(line: &str) -> Result<String, ParseError> {
    Ok(match parse::parse(line)? {
        None => String::new(),
        Some(Command::Position(setup)) => {
            let setup = setup?;
            let ((standard, repairs), (chess960, _)) = (setup.game(false)?, setup.game(true)?);
            format!("{} {} {repairs:?}", standard.position().fen(), chess960.position().fen())
        }
        Some(Command::Go(go)) => format!("{:?}", go.limits(&Position::startpos())),
        Some(Command::SetOption(text)) => {
            let mut options = Options::default();
            let change = set_option(&mut options, &text)?;
            format!("{change:?} {options:?}")
        }
        Some(other) => format!("{other:?}"),
    })
}
