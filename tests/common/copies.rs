//! Copies of programs, to run.

use std::path::Path;
use std::process::Command;

/// Copies a program. Another process writes the copy: a program that another test starts at that moment would keep a
/// file of this process open for writing, and a file that is open for writing does not run ("Text file busy").
pub fn copied(program: &str, copy: impl AsRef<Path>) {
    let status = Command::new("cp").arg(program).arg(copy.as_ref()).status().expect("cp runs");
    assert!(status.success(), "room for a copy");
}
