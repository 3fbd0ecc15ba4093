//! The moves of a game in the form that the page's script reads.
//!
//! The script has no rules of chess: each move is a list of changes on the board, so castling, Chess960 and null moves
//! need no special treatment.

use std::collections::BTreeMap;

use serde::Serialize;
use shakmaty::{Color, Square};

use ibex::position::{Board, Move, Position};

/// A move: its arrow, and what it changes.
///
/// The arrow is two squares (`e2e4`), or empty for a null move. The changes are squares with their new contents, as in
/// a FEN, or `-` (`e2-e4P`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Step(String, String);

impl Step {
    /// A null move.
    pub fn pass() -> Step {
        Step(String::new(), String::new())
    }

    /// A move; `after` is the position that it leads to.
    pub fn new(before: &Position, m: Move, after: &Position) -> Step {
        let to = match m.castling_side() {
            // To the king's destination, or to the rook if the king stays.
            Some(side) => {
                let lands = side.king_to(before.turn());
                if m.from() == lands { m.to() } else { lands }
            }
            None => m.to(),
        };
        Step(format!("{}{to}", m.from()), changes(before.board(), after.board()))
    }
}

/// The squares that differ, with their new contents.
fn changes(before: &Board, after: &Board) -> String {
    let differs = |square: &Square| before.piece_at(*square) != after.piece_at(*square);
    let now = |square: Square| format!("{square}{}", after.piece_at(square).map_or('-', |piece| piece.char()));
    Square::ALL.into_iter().filter(differs).map(now).collect()
}

/// A game.
#[derive(Clone, Debug, Serialize)]
pub struct Record {
    /// The first position: the piece placement field of a FEN.
    start: String,
    /// The number of the first move.
    number: u32,
    /// Whether Black begins.
    black: bool,
    /// The moves that were played.
    pub moves: Vec<Step>,
    /// Better lines, by the number of the move that they replace, from 1.
    pub lines: BTreeMap<usize, Vec<Step>>,
}

impl Record {
    /// A game without moves.
    pub fn new(start: &Position) -> Record {
        Record {
            start: start.board().to_string(),
            number: start.fullmoves().get(),
            black: start.turn() == Color::Black,
            moves: Vec::new(),
            lines: BTreeMap::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::CastlingMode;

    use super::*;

    fn step(fen: &str, mode: CastlingMode, name: &str) -> Step {
        let before = Position::from_fen(fen, mode).expect("a position");
        let m = before.parse_move(name).expect("legal");
        let after = before.after(m);
        Step::new(&before, m, &after)
    }

    #[test]
    fn a_step_is_what_changes() {
        let is = |step: Step, arrow: &str, changes: &str| assert_eq!(step, Step(arrow.to_owned(), changes.to_owned()));
        let standard = CastlingMode::Standard;
        is(step("4k3/8/8/3pP3/8/8/8/R3K3 w Q d6 0 1", standard, "e5d6"), "e5d6", "d5-e5-d6P");
        is(step("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", standard, "e1c1"), "e1c1", "a1-c1Kd1Re1-");
        is(step("4k3/8/8/8/8/8/7p/2K5 b - - 0 1", standard, "h2h1q"), "h2h1", "h1qh2-");
        // The king stays in place, and the arrow shows the rook.
        is(step("4k3/8/8/8/8/8/8/6KR w H - 0 1", CastlingMode::Chess960, "g1h1"), "g1h1", "f1Rh1-");
    }
}
