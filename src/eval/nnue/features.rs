//! The inputs that a piece on a square sets, as each side sees it.

use shakmaty::{Color, File, Square};

use crate::position::{Board, PieceCode};

pub use super::format::{INPUTS, KING_BUCKETS, OUTPUT_BUCKETS, PIECE_SQUARES, THREATS};

/// The bucket of the own king, by rank and file as its side sees the board, with the king on files a to d. Kings
/// mostly stand on the first rank, so it has half of the buckets.
const KING_BUCKET: [[u8; 4]; 8] =
    [[0, 1, 2, 3], [4, 4, 5, 5], [6, 6, 6, 6], [6, 6, 6, 6], [7, 7, 7, 7], [7, 7, 7, 7], [7, 7, 7, 7], [7, 7, 7, 7]];

/// By the side that looks and the index of a [`PieceCode`]: where the squares of the piece begin. Own pieces come
/// first, pawn to king.
const PIECE_START: [[u16; PieceCode::COUNT]; 2] = {
    let mut start = [[0; PieceCode::COUNT]; 2];
    let mut role = 0;
    while role < 6 {
        let [black, white] = [role + 1, role + 9];
        let [own, other] = [role as u16 * 64, role as u16 * 64 + 384];
        (start[0][black], start[0][white]) = (own, other);
        (start[1][black], start[1][white]) = (other, own);
        role += 1;
    }
    start
};

/// One side's perspective: how it sees the board, which depends on where its king stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeatureView {
    side: Color,
    /// The number with which a square is XORed: ranks upside down for Black, files mirrored for a king on files e to h.
    flip: u8,
    king_bucket: u8,
}

impl FeatureView {
    /// The number of views that a side can have.
    pub const COUNT: usize = 2 * KING_BUCKETS;

    /// The view of `side` with its king on a square.
    #[inline]
    pub fn new(side: Color, king: Square) -> FeatureView {
        let ranks = if side == Color::Black { 56 } else { 0 };
        let files = if king.file() >= File::E { 7 } else { 0 };
        let flip = ranks | files;
        let seen = king as u8 ^ flip;
        FeatureView { side, flip, king_bucket: KING_BUCKET[usize::from(seen / 8)][usize::from(seen % 8)] }
    }

    /// The view of `side` on a board; without a king, as if it stood on a1.
    pub fn of(side: Color, board: &Board) -> FeatureView {
        FeatureView::new(side, board.king_of(side).unwrap_or(Square::A1))
    }

    /// The number of this view among those of its side, below [`FeatureView::COUNT`].
    #[inline]
    pub fn index(self) -> usize {
        2 * usize::from(self.king_bucket) + usize::from(self.flip & 1)
    }

    /// Whether another view of the same side is mirrored if this one is.
    #[inline(always)]
    pub fn mirrors_like(self, other: FeatureView) -> bool {
        self.flip == other.flip
    }

    /// A piece on a square as the side sees them: own pieces first, pawn to king, then square by square from a1.
    #[inline(always)]
    pub fn piece_square(self, piece: PieceCode, square: Square) -> usize {
        usize::from(PIECE_START[self.side as usize][piece.index()]) + usize::from(square as u8 ^ self.flip)
    }

    /// The input that `piece` on `square` sets by standing there.
    #[inline(always)]
    pub fn input(self, piece: PieceCode, square: Square) -> usize {
        usize::from(self.king_bucket) * PIECE_SQUARES + self.piece_square(piece, square)
    }

    /// The additional input that it sets while it is [en prise](crate::position::attacks::en_prise), wherever the
    /// king stands.
    #[inline(always)]
    pub fn en_prise_input(self, piece: PieceCode, square: Square) -> usize {
        KING_BUCKETS * PIECE_SQUARES + self.piece_square(piece, square)
    }

    /// The threat that men of the other side, of the role with this number, attack `victim` on `square`. It counts once,
    /// however many of them do.
    #[inline(always)]
    pub fn threat(self, attacker: usize, victim: PieceCode, square: Square) -> usize {
        usize::from(THREATS_START[self.side as usize][victim.index()])
            + (attacker - 1) * 64
            + usize::from(square as u8 ^ self.flip)
    }
}

/// By the side that looks and the index of the attacked man's [`PieceCode`]: where its threats begin. Own men come first,
/// pawn to queen.
const THREATS_START: [[u16; PieceCode::COUNT]; 2] = {
    let mut start = [[0; PieceCode::COUNT]; 2];
    let mut role = 0;
    while role < 5 {
        let [black, white] = [role + 1, role + 9];
        let [own, other] = [role as u16 * 6 * 64, (role as u16 + 5) * 6 * 64];
        (start[0][black], start[0][white]) = (own, other);
        (start[1][black], start[1][white]) = (other, own);
        role += 1;
    }
    start
};

/// The views of Black and White, for inputs of both at once: Black's in the low half of 32 bits, White's in the high one.
#[derive(Clone, Copy)]
pub(super) struct ViewPair {
    flips: u32,
}

/// As [`THREATS_START`], for both.
const THREATS_START_PAIR: [u32; PieceCode::COUNT] = {
    let mut start = [0; PieceCode::COUNT];
    let mut code = 0;
    while code < PieceCode::COUNT {
        start[code] = THREATS_START[0][code] as u32 | (THREATS_START[1][code] as u32) << 16;
        code += 1;
    }
    start
};

impl ViewPair {
    #[inline(always)]
    pub fn new([black, white]: [FeatureView; 2]) -> ViewPair {
        ViewPair { flips: u32::from(black.flip) | u32::from(white.flip) << 16 }
    }

    /// As [`FeatureView::threat`], for both.
    #[inline(always)]
    pub fn threat(self, attacker: usize, victim: PieceCode, square: Square) -> u32 {
        const BOTH: u32 = 1 << 16 | 1;
        THREATS_START_PAIR[victim.index()] + (attacker as u32 - 1) * 64 * BOTH + ((square as u32 * BOTH) ^ self.flips)
    }
}

/// The output that evaluates a position with this many men: in groups of four, from bare kings up.
#[inline]
pub fn output_bucket(men: usize) -> usize {
    (men.saturating_sub(1) / 4).min(OUTPUT_BUCKETS - 1)
}
