//! Inputs: which ones a piece on a square sets, as each side sees it.

use shakmaty::{Board, Color, File, Piece, Square};

pub use super::format::{INPUTS, OUTPUT_BUCKETS, PIECES};

/// How one side sees the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeatureView {
    side: Color,
    /// What a square is combined with: ranks upside down for Black, files mirrored by the king.
    flip: u8,
}

impl FeatureView {
    /// The view of `side`, with left and right exchanged or not (see [`mirrors`]).
    #[inline]
    pub fn new(side: Color, mirrored: bool) -> FeatureView {
        let ranks = if side == Color::Black { 56 } else { 0 };
        let files = if mirrored { 7 } else { 0 };
        FeatureView { side, flip: ranks | files }
    }

    /// The view of `side` on a board; without a king, as if it stood on the queen's side.
    pub fn of(side: Color, board: &Board) -> FeatureView {
        FeatureView::new(side, board.king_of(side).is_some_and(mirrors))
    }

    /// Whether left and right are exchanged.
    #[inline]
    pub fn is_mirrored(self) -> bool {
        self.flip & 7 != 0
    }

    /// The input that `piece` on `square` sets by standing there: own pieces first, pawn to king, then square by square
    /// from a1.
    #[inline]
    pub fn input(self, piece: Piece, square: Square) -> usize {
        let theirs = usize::from(piece.color != self.side);
        let role = piece.role as usize - 1;
        theirs * 384 + role * 64 + usize::from(square as u8 ^ self.flip)
    }

    /// The input that it sets besides while it is [en prise](crate::position::attacks::en_prise).
    #[inline]
    pub fn en_prise(self, piece: Piece, square: Square) -> usize {
        PIECES + self.input(piece, square)
    }
}

/// Whether a king on this square exchanges left and right in its side's view, so that it is always seen on a to d.
#[inline]
pub fn mirrors(king: Square) -> bool {
    king.file() >= File::E
}

/// The output that evaluates a position with this many pieces: in groups of four, from bare kings up.
#[inline]
pub fn output_bucket(pieces: usize) -> usize {
    (pieces.saturating_sub(1) / 4).min(OUTPUT_BUCKETS - 1)
}
