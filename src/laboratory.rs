//! The words of the laboratory, which is a program of its own: `ibex epd FILE` runs the `ibex-lab` in the folder of
//! `ibex`, as git and cargo run theirs.

use std::env::consts::EXE_SUFFIX;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

/// The commands of `ibex-lab`. A test of the laboratory compares them with its command line.
pub const COMMANDS: &[&str] =
    &["analyse", "analyze", "datagen", "endings", "epd", "experiments", "manual", "perft", "probe", "prove"];

/// The environment variable in which `ibex` gives `ibex-lab` its version: programs of two versions may not mean the
/// same by an option.
pub const CALLER: &str = "IBEX_CALLER_VERSION";

/// Why the laboratory does not run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HandOverError {
    /// There is no such program.
    #[error("'{command}' is a command of ibex-lab, which is not at {}; install it (cargo install --path lab) or unpack it there", .path.display())]
    Missing {
        /// The command.
        command: String,
        /// Where it should be.
        path: PathBuf,
    },
    /// The system does not say where this program is, so neither is the laboratory known.
    #[error("cannot find ibex-lab, which stands beside this program: {0}")]
    Unplaced(io::Error),
    /// The system cannot start it.
    #[error("cannot start {}: {error}", .path.display())]
    Unstarted {
        /// The program.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
}

/// Runs `ibex-lab` with these arguments in place of this program. Returns its exit status where the system cannot
/// replace a program.
///
/// # Errors
///
/// [`HandOverError`]: it is not there, cannot be found, or cannot be started.
pub fn hand_over(arguments: &[OsString]) -> Result<ExitCode, HandOverError> {
    // A link in the search path leads to the folder of both programs.
    let own = std::env::current_exe().and_then(|path| path.canonicalize()).map_err(HandOverError::Unplaced)?;
    let path = own.with_file_name(format!("ibex-lab{EXE_SUFFIX}"));
    if !path.is_file() {
        // Behind `help`, the command is the second word.
        let mut words = arguments.iter().map(|word| word.to_string_lossy().into_owned());
        let command = words.find(|word| COMMANDS.contains(&&**word)).unwrap_or_default();
        return Err(HandOverError::Missing { command, path });
    }
    let mut laboratory = Command::new(&path);
    laboratory.args(arguments).env(CALLER, crate::VERSION);
    run(laboratory).map_err(|error| HandOverError::Unstarted { path, error })
}

/// Replaces this program; returns only with an error.
#[cfg(unix)]
fn run(mut laboratory: Command) -> io::Result<ExitCode> {
    use std::os::unix::process::CommandExt as _;

    Err(laboratory.exec())
}

/// Waits for the program. Ctrl-C is the program's to answer, and this one ends after it.
#[cfg(windows)]
fn run(mut laboratory: Command) -> io::Result<ExitCode> {
    #[link(name = "kernel32")]
    // SAFETY: the declaration is that of the system: a handler and whether to add it.
    unsafe extern "system" {
        safe fn SetConsoleCtrlHandler(handler: Option<extern "system" fn(u32) -> i32>, add: i32) -> i32;
    }

    /// Takes each event as handled.
    extern "system" fn leave_it(_event: u32) -> i32 {
        1
    }

    SetConsoleCtrlHandler(Some(leave_it), 1);
    let status = laboratory.status()?;
    Ok(ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX)))
}

/// Waits for the program.
#[cfg(not(any(unix, windows)))]
fn run(mut laboratory: Command) -> io::Result<ExitCode> {
    let status = laboratory.status()?;
    Ok(ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX)))
}
