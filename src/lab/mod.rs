//! Commands for the terminal: counting moves, measuring speed, running suites, analysing games.
//!
//! Each command is a pair: `Args`, the part of the command line that it owns, and a `run` that returns an exit status:
//! 0 for success, 1 for "ran, and found what you asked me to look for" (a wrong count, too few solutions), 2 for
//! "could not run" (no such file, nothing to do).

pub mod amount;
pub mod analyse;
pub mod bench;
pub mod datagen;
pub mod endings;
pub mod epd;
pub mod experiments;
pub mod input;
pub mod parallel;
pub mod perft;
pub mod progress;
pub mod prove;
pub mod tell;
pub mod tune;

/// The command ran and everything was in order.
pub const OK: u8 = 0;
/// The command ran and found what it looks for: a mismatch, a threshold missed.
pub const FOUND: u8 = 1;
/// The command could not do its work.
pub const TROUBLE: u8 = 2;

/// How many positions to work on at once when nobody says: one a core.
pub fn default_jobs() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
