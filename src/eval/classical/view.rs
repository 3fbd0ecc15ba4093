//! The board as one side sees it.
//!
//! Everything about a side is computed with its own first rank at the bottom: Black sees the board upside down. So
//! every rule is written once, forwards is always up, and the evaluation is symmetric by construction.

use shakmaty::{Bitboard, Color, Square, attacks};

use crate::position::Board;

/// The pieces of one side.
#[derive(Clone, Copy)]
pub struct Men {
    pub pawns: Bitboard,
    pub knights: Bitboard,
    pub bishops: Bitboard,
    pub rooks: Bitboard,
    pub queens: Bitboard,
    pub all: Bitboard,
    pub king: Square,
}

/// Both sides' pieces, seen by the side that owns the first.
pub struct SideView {
    pub own: Men,
    pub their: Men,
    pub occupied: Bitboard,
}

/// What a side attacks, by piece, seen by the side itself.
#[derive(Clone, Copy, Default)]
pub struct AttackMap {
    pub pawns: Bitboard,
    pub knights: Bitboard,
    pub bishops: Bitboard,
    pub rooks: Bitboard,
    pub queens: Bitboard,
    pub king: Bitboard,
    pub all: Bitboard,
    /// Attacked at least twice.
    pub twice: Bitboard,
    /// How many pieces attack the squares around the enemy king.
    pub king_attackers: u32,
}

impl Men {
    fn of(board: &Board, color: Color) -> Men {
        let all = board.by_color(color);
        Men {
            pawns: all & board.pawns(),
            knights: all & board.knights(),
            bishops: all & board.bishops(),
            rooks: all & board.rooks(),
            queens: all & board.queens(),
            all,
            // Every legal position has both kings.
            king: board.king_of(color).unwrap_or(Square::E1),
        }
    }

    fn flipped(self) -> Men {
        Men {
            pawns: self.pawns.flip_vertical(),
            knights: self.knights.flip_vertical(),
            bishops: self.bishops.flip_vertical(),
            rooks: self.rooks.flip_vertical(),
            queens: self.queens.flip_vertical(),
            all: self.all.flip_vertical(),
            king: self.king.flip_vertical(),
        }
    }

    /// Knights and bishops.
    pub fn minors(&self) -> Bitboard {
        self.knights | self.bishops
    }

    /// Everything but king and pawns.
    pub fn pieces(&self) -> Bitboard {
        self.minors() | self.rooks | self.queens
    }
}

impl SideView {
    /// White's and black's view of a board.
    pub fn both(board: &Board) -> [SideView; 2] {
        let white = Men::of(board, Color::White);
        let black = Men::of(board, Color::Black);
        let occupied = board.occupied();
        [
            SideView { own: white, their: black, occupied },
            SideView { own: black.flipped(), their: white.flipped(), occupied: occupied.flip_vertical() },
        ]
    }
}

impl AttackMap {
    /// The same attacks, seen by the other side.
    pub fn flipped(&self) -> AttackMap {
        AttackMap {
            pawns: self.pawns.flip_vertical(),
            knights: self.knights.flip_vertical(),
            bishops: self.bishops.flip_vertical(),
            rooks: self.rooks.flip_vertical(),
            queens: self.queens.flip_vertical(),
            king: self.king.flip_vertical(),
            all: self.all.flip_vertical(),
            twice: self.twice.flip_vertical(),
            king_attackers: self.king_attackers,
        }
    }

    /// Adds one piece's attacks to the totals.
    pub fn join(&mut self, squares: Bitboard) {
        self.twice |= self.all & squares;
        self.all |= squares;
    }
}

pub const FILE_A: Bitboard = Bitboard(0x0101_0101_0101_0101);
pub const FILE_H: Bitboard = Bitboard(0x8080_8080_8080_8080);
pub const CENTER_FILES: Bitboard = Bitboard(0x3C3C_3C3C_3C3C_3C3C);

/// The squares of these ranks, first and last included, counted from 0.
pub const fn ranks(first: u32, last: u32) -> Bitboard {
    Bitboard((u64::MAX >> (8 * (7 - (last - first)))) << (8 * first))
}

/// One step forwards.
pub const fn up(squares: Bitboard) -> Bitboard {
    Bitboard(squares.0 << 8)
}

/// One step backwards.
pub const fn down(squares: Bitboard) -> Bitboard {
    Bitboard(squares.0 >> 8)
}

/// The squares beside these.
pub const fn beside(squares: Bitboard) -> Bitboard {
    Bitboard((squares.0 & !FILE_A.0) >> 1 | (squares.0 & !FILE_H.0) << 1)
}

/// These squares and all in front of them.
pub const fn fill_up(squares: Bitboard) -> Bitboard {
    let mut s = squares.0;
    s |= s << 8;
    s |= s << 16;
    s |= s << 32;
    Bitboard(s)
}

/// These squares and all behind them.
pub const fn fill_down(squares: Bitboard) -> Bitboard {
    let mut s = squares.0;
    s |= s >> 8;
    s |= s >> 16;
    s |= s >> 32;
    Bitboard(s)
}

/// What own pawns attack.
pub const fn pawn_attacks(pawns: Bitboard) -> Bitboard {
    beside(up(pawns))
}

/// What enemy pawns attack.
pub const fn their_pawn_attacks(pawns: Bitboard) -> Bitboard {
    beside(down(pawns))
}

/// The squares that enemy pawns attack or may attack one day.
pub fn their_attack_span(view: &SideView) -> Bitboard {
    fill_down(their_pawn_attacks(view.their.pawns))
}

/// What own pawns attack from both sides.
pub const fn double_pawn_attacks(pawns: Bitboard) -> Bitboard {
    Bitboard((pawns.0 & !FILE_A.0) << 7 & (pawns.0 & !FILE_H.0) << 9)
}

/// Counts squares, quickly if they are few: processors without a popcount instruction count any set as slowly as a
/// full one. With that instruction, the compiler recognizes this loop.
#[inline]
pub fn count_few(squares: Bitboard) -> i32 {
    let (mut rest, mut number) = (squares.0, 0);
    while rest != 0 {
        rest &= rest - 1;
        number += 1;
    }
    number
}

/// The square's file.
pub fn file_of(square: Square) -> Bitboard {
    Bitboard(FILE_A.0 << square.file() as u32)
}

/// Whether one of these pieces attacks the square through one other piece: a pin or a discovery.
pub fn xray_attackers(square: Square, bishops: Bitboard, rooks: Bitboard, occupied: Bitboard) -> bool {
    let diagonal = attacks::bishop_attacks(square, Bitboard(0)) & bishops;
    let straight = attacks::rook_attacks(square, Bitboard(0)) & rooks;
    (diagonal | straight).into_iter().any(|from| (attacks::between(square, from) & occupied).single_square().is_some())
}
