//! Quiet moves that leave or enter the reach of lesser pieces.

use shakmaty::{Bitboard, Move};

use crate::params;
use crate::position::attacks::Attacks;

/// By role, pawn first: where lesser pieces of the other side attack, and what it is worth not to stand there, in the
/// histories' units.
pub struct Reach([(Bitboard, i32); 6]);

impl Reach {
    /// Of the side whose attacks these are.
    #[inline]
    pub fn of(threats: &Attacks) -> Reach {
        let worth = |pawns: i32| pawns * params::escape();
        let minor = (threats.by_pawns, worth(3));
        let nothing = (Bitboard::EMPTY, 0);
        Reach([nothing, minor, minor, (threats.by_minors, worth(5)), (threats.by_rooks, worth(9)), nothing])
    }

    /// How much earlier a quiet move is worth trying because its piece escapes; less than nothing if it goes where a
    /// lesser one takes it.
    #[inline]
    pub fn relief(&self, m: Move) -> i32 {
        let (squares, worth) = self.0[m.role() as usize - 1];
        let attacked = |square| i32::from(squares.contains(square));
        worth * (m.from().map_or(0, attacked) - attacked(m.to()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Position;
    use shakmaty::CastlingMode;

    #[test]
    fn a_queen_leaves_a_rook_and_does_not_mind_a_queen() {
        // The black rook looks down the file; the black queen is worth no less.
        let fen = "3r3k/7q/8/8/8/8/8/3Q2K1 w - - 0 1";
        let position = Position::from_fen(fen, CastlingMode::Standard).unwrap();
        let reach = Reach::of(&Attacks::of(position.board(), !position.turn()));
        let relief = |text: &str| reach.relief(position.parse_move(text).unwrap());
        assert!(relief("d1e1") > 0 && relief("d1e1") == relief("d1a4"));
        assert_eq!(relief("d1d2"), 0, "out of the fire and into it again");
        assert_eq!(relief("g1f2"), 0);
    }
}
