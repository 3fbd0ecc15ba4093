//! Quiet moves that escape from the attack of a lesser piece, or walk into one.

use shakmaty::{Bitboard, Move};

use crate::params;
use crate::position::attacks::Attacks;

/// The squares that lesser enemy pieces attack, and the bonus for leaving them, in units of history; by role, pawn
/// first.
pub struct ThreatSquares([(Bitboard, i32); 6]);

impl ThreatSquares {
    /// Builds the squares from the attacks of the side not to move.
    #[inline]
    pub fn of(threats: &Attacks) -> ThreatSquares {
        let worth = |pawns: i32| pawns * params::threat_escape();
        let minor = (threats.by_pawns, worth(3));
        let nothing = (Bitboard::EMPTY, 0);
        ThreatSquares([nothing, minor, minor, (threats.by_minors, worth(5)), (threats.by_rooks, worth(9)), nothing])
    }

    /// The bonus of a quiet move whose piece escapes from a lesser one; negative if a lesser one can take it on its
    /// target.
    #[inline]
    pub fn bonus(&self, m: Move) -> i32 {
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
    fn a_queen_avoids_rooks_but_not_queens() {
        // The black rook looks down the file; the black queen is worth no less.
        let fen = "3r3k/7q/8/8/8/8/8/3Q2K1 w - - 0 1";
        let position = Position::from_fen(fen, CastlingMode::Standard).unwrap();
        let threat_squares = ThreatSquares::of(&Attacks::of(position.board(), !position.turn()));
        let bonus = |text: &str| threat_squares.bonus(position.parse_move(text).unwrap());
        assert!(bonus("d1e1") > 0 && bonus("d1e1") == bonus("d1a4"));
        assert_eq!(bonus("d1d2"), 0, "out of the fire and into it again");
        assert_eq!(bonus("g1f2"), 0);
    }
}
