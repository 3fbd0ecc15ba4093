//! Quiet moves that escape from the attack of a lesser piece, or walk into one.

use shakmaty::Bitboard;

use crate::params;
use crate::position::Move;
use crate::position::attacks::Attacks;

/// The squares that lesser enemy pieces attack, and the bonus for leaving them, in units of history; by the number of
/// the role.
pub struct ThreatSquares([(Bitboard, i32); 8]);

impl ThreatSquares {
    /// Builds the squares from the attacks of the side not to move.
    #[inline]
    pub fn of(threats: &Attacks) -> ThreatSquares {
        let worth = |pawns: i32| pawns * params::threat_escape();
        let minor = (threats.by_pawns, worth(3));
        let nothing = (Bitboard::EMPTY, 0);
        ThreatSquares([
            nothing,
            nothing,
            minor,
            minor,
            (threats.by_minors, worth(5)),
            (threats.by_rooks, worth(9)),
            nothing,
            nothing,
        ])
    }

    /// The squares that lesser pieces attack, and the bonus for leaving them, for a piece with this number of its role.
    #[inline(always)]
    pub fn of_role(&self, role_number: usize) -> (Bitboard, i32) {
        self.0[role_number]
    }

    /// The bonus of a quiet move whose piece escapes from a lesser one; negative if a lesser one can take it on its
    /// target.
    #[inline]
    pub fn bonus(&self, m: Move) -> i32 {
        let (squares, worth) = self.of_role(m.role_number());
        let attacked = |square| i32::from(squares.contains(square));
        worth * (attacked(m.from()) - attacked(m.to()))
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
        let threat_squares = ThreatSquares::of(&Attacks::by(position.board(), !position.turn()));
        let bonus = |text: &str| threat_squares.bonus(position.parse_move(text).unwrap());
        assert!(bonus("d1e1") > 0 && bonus("d1e1") == bonus("d1a4"));
        assert_eq!(bonus("d1d2"), 0, "out of the fire and into it again");
        assert_eq!(bonus("g1f2"), 0);
    }
}
