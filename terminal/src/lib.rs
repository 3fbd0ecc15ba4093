//! What a command needs at a terminal: amounts on the command line, files in and out, progress, interrupts, and how it
//! ends. Nothing here is about chess.
//!
//! - [`amount`]: numbers as people write them, `500k` nodes or `1.5s`
//! - [`date`]: dates of reports and manual pages
//! - [`inputs`]: the bytes and lines of a file or of standard input, unpacked
//! - [`outputs`]: files that are tested before the work begins, and written whole
//! - [`mod@tell`]: lines on standard output and standard error
//! - [`progress`]: bars for a person who waits
//! - [`interrupt`]: Ctrl-C and its like
//! - [`CommandError`], [`Exit`] and [`end`]: why a command ends, and its exit status

// `eprintln!` panics if standard error cannot be written to; `remark!` does not. Tests may print.
#![cfg_attr(not(test), deny(clippy::print_stderr))]

pub mod amount;
pub mod date;
mod error;
mod exit;
pub mod inputs;
pub mod interrupt;
pub mod outputs;
pub mod progress;
#[cfg(test)]
#[path = "../../tests/common/scratch.rs"]
mod scratch;
pub mod tell;

pub use error::{CommandError, Result, end};
pub use exit::Exit;
