//! Castling rights.

use shakmaty::{Bitboard, Castles, CastlingMode, CastlingSide, Color, Square, attacks};

/// Castling rights, with the squares of the rooks: in Chess960, a rook may stand anywhere on its side of the king.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Castling {
    /// The rooks that have the right.
    rights: Bitboard,
    /// The rooks of all rights that there were at first: Black's, then White's, king side first.
    rooks: [[Option<Square>; 2]; 2],
    mode: CastlingMode,
}

impl From<&Castles> for Castling {
    fn from(castles: &Castles) -> Castling {
        Castling {
            rights: castles.castling_rights(),
            rooks: [Color::Black, Color::White].map(|color| CastlingSide::ALL.map(|side| castles.rook(color, side))),
            mode: castles.mode(),
        }
    }
}

impl Castling {
    /// Whether there are no rights.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.rights.is_empty()
    }

    /// The rooks that have the right.
    #[inline(always)]
    pub fn castling_rights(&self) -> Bitboard {
        self.rights
    }

    /// How castling is written.
    pub fn mode(&self) -> CastlingMode {
        self.mode
    }

    /// The rook with which a side may castle to this side of the board, if the squares allow it.
    #[inline]
    pub fn rook(&self, color: Color, side: CastlingSide) -> Option<Square> {
        self.rooks[color as usize][side as usize].filter(|&rook| self.rights.contains(rook))
    }

    /// Takes the rights of the rooks on some squares.
    #[inline]
    pub(super) fn discard(&mut self, squares: Bitboard) {
        self.rights &= !squares;
    }

    /// The squares that must be empty for castling, besides those of king and rook.
    pub(super) fn path(color: Color, side: CastlingSide, king: Square, rook: Square) -> Bitboard {
        let way = |from, to| attacks::between(from, to) | Bitboard::from(to);
        (way(king, side.king_to(color)) | way(rook, side.rook_to(color)))
            & !(Bitboard::from(king) | Bitboard::from(rook))
    }
}
