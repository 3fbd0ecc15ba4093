//! Why a command did not end well, and how the program ends then.

use std::error::Error;
use std::fmt;
use std::io;
use std::process::ExitCode;

use crate::Exit;

/// What kind of end it is; it decides the exit status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// The work could not be done: 2.
    Trouble,
    /// The reader of standard output is gone: 128 plus the number of SIGPIPE, as in shells, and no message.
    NoReader,
}

/// Why a command did not end well: a message of one line, perhaps a hint what to do, and what caused it.
///
/// Every error is a cause (`?` converts it), and [`trouble!`](crate::trouble) makes one from a message. `main` prints
/// it and ends the program: see [`end`].
pub struct CommandError {
    kind: Kind,
    message: String,
    hint: Option<String>,
    source: Option<Box<dyn Error + Send + Sync>>,
}

/// The result of a command's work.
pub type Result<T> = std::result::Result<T, CommandError>;

impl CommandError {
    /// Work that could not be done.
    pub fn trouble(message: String) -> CommandError {
        CommandError { kind: Kind::Trouble, message, hint: None, source: None }
    }

    /// A line that could not be written to standard output.
    pub fn output(error: io::Error) -> CommandError {
        let kind = if error.kind() == io::ErrorKind::BrokenPipe { Kind::NoReader } else { Kind::Trouble };
        let message = format!("nothing more can be written to standard output: {error}");
        CommandError { kind, message, hint: None, source: Some(Box::new(error)) }
    }

    /// The same with a hint, which is printed behind the message.
    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> CommandError {
        CommandError { hint: Some(hint.into()), ..self }
    }

    /// The same about something that the message names first, such as a file.
    #[must_use]
    pub fn about(self, what: impl fmt::Display) -> CommandError {
        CommandError { message: format!("{what}: {}", self.message), ..self }
    }

    /// What caused it.
    pub fn source(&self) -> Option<&(dyn Error + Send + Sync)> {
        self.source.as_deref()
    }
}

impl<E: Error + Send + Sync + 'static> From<E> for CommandError {
    fn from(error: E) -> CommandError {
        CommandError { kind: Kind::Trouble, message: error.to_string(), hint: None, source: Some(Box::new(error)) }
    }
}

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.hint {
            Some(hint) => write!(f, "; {hint}"),
            None => Ok(()),
        }
    }
}

/// Errors are equal if they end a program in the same way, whatever caused them.
impl PartialEq for CommandError {
    fn eq(&self, other: &CommandError) -> bool {
        (self.kind, &self.message, &self.hint) == (other.kind, &other.message, &other.hint)
    }
}

impl fmt::Debug for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")?;
        match &self.source {
            Some(source) => write!(f, " ({source:?})"),
            None => Ok(()),
        }
    }
}

/// A [`CommandError`] with a message, which is written as for `format!`.
#[macro_export]
macro_rules! trouble {
    ($($words:tt)*) => { $crate::CommandError::trouble(format!($($words)*)) };
}

/// The exit status of a command, after its error message, which begins with the program's and the command's `name`.
pub fn end(name: &str, result: Result<Exit>) -> ExitCode {
    match result {
        Ok(exit) => exit.into(),
        Err(error) => match error.kind {
            Kind::NoReader => ExitCode::from(NO_READER),
            Kind::Trouble => {
                crate::remark!("{name}: {error}");
                ExitCode::from(TROUBLE)
            }
        },
    }
}

/// The status of a program that could not do its work.
const TROUBLE: u8 = 2;
/// The status of a program whose reader is gone.
const NO_READER: u8 = 128 + 13;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_stands_before_its_hint() {
        let error = trouble!("no file {}", "a.epd").hint("create it").about("epd");
        assert_eq!(error.to_string(), "epd: no file a.epd; create it");
        assert!(error.source().is_none());
    }

    #[test]
    fn causes_are_kept() {
        let failing = || -> Result<()> { Err("x".parse::<u32>().map(|_| ()).expect_err("no number"))? };
        let error = failing().expect_err("an error");
        assert_eq!(error.to_string(), "invalid digit found in string");
        assert!(error.source.is_some_and(|source| source.is::<std::num::ParseIntError>()));
    }

    #[test]
    fn only_a_missing_reader_is_silent() {
        let error = |kind| CommandError::output(io::Error::from(kind));
        assert_eq!(error(io::ErrorKind::BrokenPipe).kind, Kind::NoReader);
        assert_eq!(error(io::ErrorKind::StorageFull).kind, Kind::Trouble);
    }
}
