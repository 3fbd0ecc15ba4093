//! Commands for the terminal: counting moves, measuring speed, running suites, analysing games.
//!
//! Each command is a pair: `Args`, the part of the command line that it owns, and a `run` that returns an exit status:
//! 0 for success, 1 for "ran, and found what you asked me to look for" (a wrong count, too few solutions), 2 for
//! "could not run" (no such file, nothing to do).

pub mod analyse;
pub mod bench;
pub mod datagen;
pub mod endings;
pub mod epd;
pub mod experiments;
pub mod perft;
pub mod progress;
pub mod prove;
pub mod spsa;
pub mod tell;
pub mod tune;

use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::{CastlingMode, Move};

use crate::position::Position;

/// The command ran and everything was in order.
pub const OK: u8 = 0;
/// The command ran and found what it looks for: a mismatch, a threshold missed.
pub const FOUND: u8 = 1;
/// The command could not do its work.
pub const TROUBLE: u8 = 2;

/// Reads a FEN as standard chess where its castling rights allow that, and as Chess960 otherwise.
///
/// # Errors
///
/// One line that says what is wrong.
pub fn read_fen(fen: &str) -> Result<Position, String> {
    let mode =
        Fen::from_ascii(fen.as_bytes()).map_or(CastlingMode::Standard, |fen| CastlingMode::detect(fen.as_setup()));
    Position::from_fen(fen, mode)
}

/// A move in UCI notation, castling as the position's mode wants it.
pub fn uci(position: &Position, m: Move) -> String {
    m.to_uci(position.castling_mode()).to_string()
}

/// A move in standard algebraic notation.
pub fn san(position: &Position, m: Move) -> String {
    SanPlus::from_move(position.chess().clone(), m).to_string()
}

/// A line of play in standard algebraic notation, without move numbers.
pub fn san_line(position: &Position, line: &[Move]) -> String {
    let mut position = position.clone();
    let mut words = Vec::with_capacity(line.len());
    for &m in line {
        words.push(san(&position, m));
        position.play(m);
    }
    words.join(" ")
}

/// How many positions to work on at once when nobody says: one a core.
pub fn default_jobs() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
