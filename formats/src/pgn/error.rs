//! Why a game cannot be read.

use super::quoted;
use ibex::position::FenError;
use ibex::position::notation::MoveError;

/// Why a game cannot be read. Each message is one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GameError {
    /// The tags name a variant that Ibex does not play; its name, in lower case.
    #[error("Ibex does not play {}", quoted(.0))]
    Variant(Vec<u8>),
    /// Two tags name different first positions.
    #[error("two different FEN tags")]
    TwoFens,
    /// The FEN is not UTF-8.
    #[error("the FEN is not text")]
    FenNotText,
    /// The first position cannot be played.
    #[error("FEN: {0}")]
    Fen(#[from] FenError),
    /// Variations are nested more deeply than is read.
    #[error("variations are nested too deeply")]
    TooDeep,
    /// The main line has more plies than this: more than the rules allow in a game.
    #[error("more than {0} moves")]
    TooLong(usize),
    /// A move has more different glyphs than this.
    #[error("more than {0} glyphs at one move")]
    TooManyGlyphs(usize),
    /// A variation begins before there is a move that it could replace.
    #[error("'(' before the first move")]
    VariationBeforeMove,
    /// A variation ends that has not begun.
    #[error("')' without a beginning")]
    CloseWithoutOpen,
    /// A word is not a move in its position.
    #[error("{number}{} {} {source}", if *white { "." } else { "..." }, quoted(word))]
    Move {
        /// The number of the move.
        number: u32,
        /// Whether White is to move.
        white: bool,
        /// The word.
        word: Vec<u8>,
        /// Why it is not a move.
        source: MoveError,
    },
    /// A word is not a move, after a move that is not legal; the word.
    #[error("{} {}", quoted(.0), MoveError::NotAMove)]
    Word(Vec<u8>),
}
