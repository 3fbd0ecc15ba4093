//! Files that only one program may use at a time.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use terminal::{CommandError, trouble};

use crate::measure::at;

/// An open file that no other program holds while this value lives.
#[derive(Debug)]
pub struct Held(pub File);

impl Held {
    /// Holds an open file; `path` is its name.
    ///
    /// # Errors
    ///
    /// One line: another program holds it, as described by `other`, or it cannot be locked.
    pub fn of(file: File, path: &Path, other: &str) -> Result<Held, CommandError> {
        match file.try_lock() {
            Ok(()) => Ok(Held(file)),
            Err(TryLockError::WouldBlock) => Err(trouble!("{}: {other}", path.display())),
            Err(TryLockError::Error(error)) => Err(at(path)(error)),
        }
    }

    /// Holds what is written as `file`, by a file beside it, which is created if missing.
    ///
    /// # Errors
    ///
    /// Those of [`Held::of`], or the file beside it cannot be created.
    pub fn beside(file: &Path, other: &str) -> Result<Held, CommandError> {
        let lock = file.with_extension("lock");
        let opened = OpenOptions::new().create(true).truncate(false).write(true).open(&lock).map_err(at(&lock))?;
        Held::of(opened, &lock, other)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        // A program that another thread is just starting has the file open as well until it runs, so closing the file
        // here would leave it locked until then.
        let _ = self.0.unlock();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn one_program_holds_a_file() {
        let scratch = Scratch::new("held");
        let file = scratch.0.join("nodes-1000.txt");
        let held = Held::beside(&file, "another run is playing this match").unwrap();
        let error = Held::beside(&file, "another run is playing this match").unwrap_err();
        assert!(error.to_string().ends_with("nodes-1000.lock: another run is playing this match"), "{error}");
        assert!(Held::beside(&scratch.0.join("nodes-2000.txt"), "").is_ok(), "another match is free");
        drop(held);
        assert!(Held::beside(&file, "").is_ok());
    }
}
