//! The log: messages outside the protocol, and the protocol itself if the user wants it.
//!
//! Messages of the level set by the variable `IBEX_LOG` (`warn` without it) or above go to standard error. The option
//! `Debug Log File` adds a file that gets everything, with both directions of the protocol, each line with its time.
//! Standard output belongs to the protocol alone.

use std::fs::File;
use std::io::{self, Write as _};
use std::sync::{Mutex, OnceLock, PoisonError};

use chrono::{SecondsFormat, Utc};
use env_logger::fmt::Formatter;
use env_logger::{Builder, Env, Logger, Target};
use log::{LevelFilter, Log, Metadata, Record};

/// The target of the protocol's lines: they are logged at the level "debug".
pub const WIRE: &str = "wire";

/// The variable that sets the level.
const LEVEL: &str = "IBEX_LOG";

struct Journal {
    errors: Logger,
    file: Mutex<Option<Logger>>,
}

static JOURNAL: OnceLock<Journal> = OnceLock::new();

impl Journal {
    fn with_file<T>(&self, action: impl FnOnce(&mut Option<Logger>) -> T) -> T {
        action(&mut self.file.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Log for Journal {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        self.errors.enabled(metadata) || self.with_file(|file| file.is_some())
    }

    fn log(&self, record: &Record<'_>) {
        self.errors.log(record);
        self.with_file(|file| {
            if let Some(file) = file {
                file.log(record);
            }
        });
    }

    fn flush(&self) {}
}

/// Writes a line: the time (UTC), the level, the target, the message.
fn write_line(out: &mut Formatter, record: &Record<'_>) -> io::Result<()> {
    let time = Utc::now().to_rfc3339_opts(SecondsFormat::Millis, true);
    writeln!(out, "[{time} {:<5} {}] {}", record.level(), record.target(), record.args())
}

/// Starts logging to standard error. Later calls change nothing.
pub fn start() {
    let errors = Builder::from_env(Env::new().filter_or(LEVEL, "warn")).format(write_line).build();
    let level = errors.filter();
    let journal = JOURNAL.get_or_init(|| Journal { errors, file: Mutex::new(None) });
    if log::set_logger(journal).is_ok() {
        log::set_max_level(level);
    }
}

/// Also logs everything to this file, appending to it; an empty path stops that.
///
/// # Errors
///
/// One line that says why the file cannot be written.
pub fn set_file(path: &str) -> io::Result<()> {
    let logger = if path.is_empty() {
        None
    } else {
        let mut options = File::options();
        options.create(true).append(true);
        // A pipe without a reader is an error, not a reason to wait.
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
        let file = options.open(path)?;
        let mut builder = Builder::new();
        builder.filter_level(LevelFilter::Debug).format(write_line).target(Target::Pipe(Box::new(file)));
        Some(builder.build())
    };
    start();
    if let Some(journal) = JOURNAL.get() {
        let level = if logger.is_some() { LevelFilter::Debug } else { LevelFilter::Off };
        log::set_max_level(level.max(journal.errors.filter()));
        journal.with_file(|file| *file = logger);
    }
    Ok(())
}
