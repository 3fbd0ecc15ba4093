//! The index of a position in the tables of solved endings.
//!
//! Squares count from a1 = 0 to h8 = 63. The strong side is white. Each function turns the board as its table needs
//! it.

/// The entries for a queen or a rook, a byte each: the side to move, the strong king in the triangle a1, d1, d4, the
/// lone king, the queen or rook.
pub const PIECE_SIZE: usize = 2 * 10 * 64 * 64;
/// The entries for a pawn, a byte each: the side to move, the pawn on the files a to d, the strong king, the lone king.
pub const PAWN_SIZE: usize = 2 * 24 * 64 * 64;
/// The entries for a rook pawn and the wrong bishop, a bit each: the side to move, the rank of the pawn, which stands
/// on the a-file, the bishop on the dark squares, the strong king, the lone king.
pub const WRONG_BISHOP_SIZE: usize = 2 * 6 * 32 * 64 * 64;
/// The entries for bishop and knight with the lone king to move, half a byte each: the lone king in the triangle a1,
/// h1, d4, e4, the strong king, the bishop on the dark squares, the knight.
pub const BISHOP_KNIGHT_SIZE: usize = 20 * 64 * 32 * 64;

/// The most moves to a mate with bishop and knight, with the strong side to move.
pub const LONGEST_BISHOP_KNIGHT: u16 = 33;
/// The number of levels by which half a byte says how distant the mate is.
const LEVELS: u16 = 15;

/// The entry of a position with a queen or a rook.
pub fn of_piece(strong_to_move: bool, strong: usize, lone: usize, man: usize) -> usize {
    let mut squares = [strong, lone, man];
    if squares[0] % 8 > 3 {
        squares = squares.map(mirrored);
    }
    if squares[0] / 8 > 3 {
        squares = squares.map(|square| square ^ 56);
    }
    if squares[0] / 8 > squares[0] % 8 {
        squares = squares.map(transposed);
    }
    let [strong, lone, man] = squares;
    let (file, rank) = (strong % 8, strong / 8);
    let strong = file * (file + 1) / 2 + rank;
    ((usize::from(strong_to_move) * 10 + strong) * 64 + lone) * 64 + man
}

/// The entry of a position with a pawn, which is not on the first or last rank.
pub fn of_pawn(strong_to_move: bool, strong: usize, lone: usize, pawn: usize) -> usize {
    let mut squares = [strong, lone, pawn];
    if pawn % 8 > 3 {
        squares = squares.map(mirrored);
    }
    let [strong, lone, pawn] = squares;
    let pawn = (pawn / 8 - 1) * 4 + pawn % 4;
    ((usize::from(strong_to_move) * 24 + pawn) * 64 + strong) * 64 + lone
}

/// Whether a pawn is a rook pawn whose corner the bishop does not command.
pub fn is_wrong_bishop(bishop: usize, pawn: usize) -> bool {
    matches!(pawn % 8, 0 | 7) && is_light(bishop) != is_light(56 + pawn % 8)
}

/// The entry of a position with a rook pawn, not on the first or last rank, and the [wrong bishop](is_wrong_bishop).
pub fn of_wrong_bishop(strong_to_move: bool, strong: usize, lone: usize, bishop: usize, pawn: usize) -> usize {
    let mut squares = [strong, lone, bishop, pawn];
    if pawn % 8 == 7 {
        squares = squares.map(mirrored);
    }
    let [strong, lone, bishop, pawn] = squares;
    let men = (usize::from(strong_to_move) * 6 + pawn / 8 - 1) * 32 + bishop / 2;
    (men * 64 + strong) * 64 + lone
}

/// The entry of a position with bishop and knight, the lone king to move.
pub fn of_bishop_knight(strong: usize, lone: usize, bishop: usize, knight: usize) -> usize {
    let mut squares = [strong, lone, bishop, knight];
    if is_light(bishop) {
        squares = squares.map(mirrored);
    }
    if squares[1] / 8 > squares[1] % 8 {
        squares = squares.map(transposed);
    }
    if squares[1] / 8 + squares[1] % 8 > 7 {
        squares = squares.map(|square| 63 - transposed(square));
    }
    let [strong, lone, bishop, knight] = squares;
    let (file, rank) = (lone % 8, lone / 8);
    let corner = [0, 8, 14, 18][rank] + file - rank;
    ((corner * 64 + strong) * 32 + bishop / 2) * 64 + knight
}

/// The moves of a level: at least as many as the mate needs, at most two more. `None` for level 0, which is not won.
pub fn moves_of(level: u8) -> Option<u16> {
    Some(u16::from(level.checked_sub(1)?) * LONGEST_BISHOP_KNIGHT / (LEVELS - 1))
}

/// The square on the other half of its rank.
fn mirrored(square: usize) -> usize {
    square ^ 7
}

/// The square with file and rank exchanged.
fn transposed(square: usize) -> usize {
    square % 8 * 8 + square / 8
}

/// Dark squares have an even sum of file and rank.
fn is_light(square: usize) -> bool {
    (square / 8 + square % 8) % 2 == 1
}
