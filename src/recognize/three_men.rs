//! Queen, rook or pawn against the lone king: the plies to every mate, made by the solver (`solved.rs`).
//!
//! The other recognizers prove results. These tables also have the distance, so that the search announces mates far
//! beyond its depth.

use shakmaty::{Color, Role, Square};

use super::layout;
use super::view::{EndingView, Side};
use crate::position::{Board, Position};
use crate::retrograde::Dtm;

static QUEEN: &[u8; layout::PIECE_SIZE] = include_bytes!("solved/queen.bin");
static ROOK: &[u8; layout::PIECE_SIZE] = include_bytes!("solved/rook.bin");
static PAWN: &[u8; layout::PAWN_SIZE] = include_bytes!("solved/pawn.bin");

/// The value of a legal position of three men for the side to move, with the plies to mate. It ignores the 50-move
/// rule.
///
/// `None` if the third man is a bishop or a knight, or if there are more or fewer men.
#[inline]
pub fn value(position: &Position) -> Option<Dtm> {
    let board = position.board();
    // With castling rights, a position is more than where the men stand.
    if position.men() == 3 && position.castling().is_empty() { value_of(board, position.turn()) } else { None }
}

/// The same for a board of three men.
fn value_of(board: &Board, turn: Color) -> Option<Dtm> {
    let man = (board.occupied() & !board.kings()).first()?;
    let view = EndingView::new(board, turn, board.color_at(man)?)?;
    let strong_to_move = view.to_move == Side::Strong;
    let [strong, lone, place] = [view.strong_king, view.weak_king, man].map(|square| view.relative(square) as usize);
    let entry = match board.role_at(man)? {
        Role::Queen => QUEEN[layout::of_piece(strong_to_move, strong, lone, place)],
        Role::Rook => ROOK[layout::of_piece(strong_to_move, strong, lone, place)],
        Role::Pawn => PAWN[layout::of_pawn(strong_to_move, strong, lone, place)],
        _ => return None,
    };
    Some(match entry {
        0 => Dtm::Draw,
        entry if strong_to_move => Dtm::Win(entry - 1),
        entry => Dtm::Loss(entry - 1),
    })
}

/// Whether this pawn, with its king, wins against a lone king on this square, whatever else is on the board.
pub(super) fn pawn_wins(view: &EndingView, to_move: Side, lone: Square, pawn: Square) -> bool {
    let [strong, lone, pawn] = [view.strong_king, lone, pawn].map(|square| view.relative(square) as usize);
    PAWN[layout::of_pawn(to_move == Side::Strong, strong, lone, pawn)] != 0
}

#[cfg(test)]
mod tests {
    use shakmaty::CastlingMode;

    use super::*;
    use crate::recognize::{proof, syzygy};
    use crate::retrograde::{Endgame, Tables};

    /// Visits every legal position up to symmetry.
    fn for_each(mut visit: impl FnMut(&shakmaty::Board, Color, Dtm)) {
        let endings = ["KQvK", "KRvK", "KPvK"].map(|name| name.parse::<Endgame>().expect("a name"));
        let tables = Tables::solve(endings.clone());
        for ending in endings {
            tables.get(&ending).expect("solved").for_each(&mut visit);
        }
    }

    #[test]
    fn mate_distances_match_the_solver() {
        let mut positions = 0;
        for_each(|board, turn, value| {
            // In all reflections, and with both colours.
            for pick in 0..16 {
                let (board, turn) = proof::image(board, turn, pick);
                assert_eq!(value_of(&(&board).into(), turn), Some(value), "{board:?} {turn:?}");
                positions += 1;
            }
        });
        assert!(positions > 3_000_000, "{positions}");
    }

    #[test]
    fn results_agree_with_syzygy() {
        let Some(folder) = crate::common::shared::shared("data/syzygy") else { return };
        let (tables, remarks) = syzygy::Tablebases::open(&folder.to_string_lossy());
        assert!(remarks.is_empty(), "{remarks:?}");
        let tables = tables.expect("the tables are there");
        for_each(|board, turn, _| {
            let position = proof::position(board, turn);
            let ours = match value(&position).expect("three men") {
                Dtm::Win(_) => 1,
                Dtm::Draw => 0,
                Dtm::Loss(_) => -1,
            };
            assert_eq!(Some(ours), tables.result(&position), "{}", position.fen());
        });
    }

    #[test]
    fn other_material_and_castling_rights_have_no_value() {
        for fen in [
            "8/8/8/4k3/8/8/8/4K3 w - - 0 1",
            "8/8/8/4k3/8/8/8/4KB2 w - - 0 1",
            "8/8/8/4k3/8/8/8/4KN2 w - - 0 1",
            "8/8/8/4k3/8/8/8/3QKR2 w - - 0 1",
            "8/8/8/4k3/8/8/8/4K2R w K - 0 1",
        ] {
            let position = Position::from_fen(fen, CastlingMode::Standard).expect("a position");
            assert_eq!(value(&position), None, "{fen}");
        }
    }
}
