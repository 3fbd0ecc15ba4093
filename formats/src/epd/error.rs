//! Why a line of a suite cannot be used.

use super::operations::ENDLESS;
use ibex::position::{FenError, Move, shorten};

/// Why a line of a suite is left out: its position or its solution cannot be read. Each message is one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SuiteError {
    /// The line has fewer than the four fields of a position; how many it has.
    #[error("only {0} of the four fields of a position")]
    Fields(usize),
    /// The position holds a control character.
    #[error("control character U+{:04X} in the position", u32::from(*.0))]
    Control(char),
    /// The position cannot be played.
    #[error(transparent)]
    Fen(#[from] FenError),
    /// Two operations give the solution, and differ; their opcode.
    #[error("'{0}' appears twice with different meanings")]
    Twice(String),
    /// An unterminated quotation swallows the solution.
    #[error("{ENDLESS}: {}: it swallows '{}'", shorten(raw), shorten(solution))]
    Swallowed {
        /// The quotation, to the end of the line.
        raw: String,
        /// The operation that it swallows.
        solution: String,
    },
    /// The solution cannot be read as an operation.
    #[error("{why}: {}", shorten(raw))]
    Unread {
        /// What is wrong with the operation.
        why: &'static str,
        /// The operation as it stands.
        raw: String,
    },
    /// The operation needs one number.
    #[error("'{opcode} {}' needs one number", shorten(text))]
    NoNumber {
        /// The opcode.
        opcode: String,
        /// The operands.
        text: String,
    },
    /// The operation names no move; its opcode.
    #[error("'{0}' without a move")]
    NoMove(String),
    /// A move of the solution cannot be read.
    #[error("{opcode} {source}")]
    Move {
        /// The opcode.
        opcode: String,
        /// What is wrong with the move.
        source: WordError,
    },
    /// A move that gets points cannot be read.
    #[error("points for {0}")]
    Points(#[source] WordError),
    /// `bm` and `dm` name different distances to the mate.
    #[error("'bm {bm}' and 'dm {dm}' contradict each other")]
    Distances {
        /// The operand of `bm`.
        bm: String,
        /// The operand of `dm`.
        dm: String,
    },
    /// A move is named by `bm` and by `am`.
    #[error("{0} is both a best move (bm) and a move to avoid (am)")]
    Contradiction(Move),
}

/// Why a word of a suite is not a move. Each variant holds the word.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WordError {
    /// The word does not look like a move.
    #[error("'{}' is not a move", shorten(.0))]
    NotAMove(String),
    /// No legal move fits.
    #[error("'{0}' is not legal")]
    Illegal(String),
    /// More than one legal move fits.
    #[error("'{0}' could be more than one move")]
    Ambiguous(String),
}
