//! What the side not to move attacks, and with what.

use shakmaty::{Bitboard, Move, Role};

use crate::params;
use crate::position::Position;

/// The squares that the side not to move attacks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Threats {
    /// Attacked by anything.
    pub all: Bitboard,
    by_pawns: Bitboard,
    /// By minor pieces or pawns.
    by_minors: Bitboard,
    /// By rooks or less.
    by_rooks: Bitboard,
}

impl Threats {
    /// What is attacked in a position.
    pub fn of(position: &Position) -> Threats {
        let board = position.board();
        let theirs = board.by_color(!position.turn());
        let attacked = |pieces: Bitboard| {
            (pieces & theirs).into_iter().fold(Bitboard::EMPTY, |squares, from| squares | board.attacks_from(from))
        };
        let by_pawns = attacked(board.pawns());
        let by_minors = by_pawns | attacked(board.knights() | board.bishops());
        let by_rooks = by_minors | attacked(board.rooks());
        Threats { all: by_rooks | attacked(board.queens() | board.kings()), by_pawns, by_minors, by_rooks }
    }

    /// How much earlier a quiet move is worth trying because its piece escapes from a lesser one; less than nothing if it
    /// goes where a lesser one takes it. In the histories' units.
    #[inline]
    pub fn relief(&self, m: Move) -> i32 {
        let (lesser, pawns_worth) = match m.role() {
            Role::Pawn | Role::King => return 0,
            Role::Knight | Role::Bishop => (self.by_pawns, 3),
            Role::Rook => (self.by_minors, 5),
            Role::Queen => (self.by_rooks, 9),
        };
        let attacked = |square| i32::from(lesser.contains(square));
        pawns_worth * params::escape() * (m.from().map_or(0, attacked) - attacked(m.to()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::CastlingMode;

    fn position(fen: &str) -> Position {
        Position::from_fen(fen, CastlingMode::Standard).unwrap()
    }

    #[test]
    fn every_attack_counts_once_and_for_its_kind() {
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
            "8/P6p/8/3k4/7p/p7/3K3P/8 b - - 0 1",
        ] {
            let position = position(fen);
            let threats = Threats::of(&position);
            let board = position.board();
            let by = |roles: &[Role]| {
                let pieces = board.by_color(!position.turn()).into_iter();
                let pieces = pieces.filter(|&at| board.role_at(at).is_some_and(|role| roles.contains(&role)));
                pieces.fold(Bitboard::EMPTY, |squares, at| squares | board.attacks_from(at))
            };
            assert_eq!(threats.by_pawns, by(&[Role::Pawn]), "{fen}");
            assert_eq!(threats.by_minors, by(&[Role::Pawn, Role::Knight, Role::Bishop]), "{fen}");
            assert_eq!(threats.by_rooks, by(&[Role::Pawn, Role::Knight, Role::Bishop, Role::Rook]), "{fen}");
            assert_eq!(threats.all, by(&Role::ALL), "{fen}");
        }
    }

    #[test]
    fn a_queen_leaves_a_rook_and_does_not_mind_a_queen() {
        // The black rook looks down the file; the black queen is worth no less.
        let position = position("3r3k/7q/8/8/8/8/8/3Q2K1 w - - 0 1");
        let threats = Threats::of(&position);
        let relief = |text: &str| threats.relief(position.parse_move(text).unwrap());
        assert!(relief("d1e1") > 0 && relief("d1e1") == relief("d1a4"));
        assert_eq!(relief("d1d2"), 0, "out of the fire and into it again");
        assert_eq!(relief("g1f2"), 0);
    }
}
