//! Where the tables keep a position of three men; shared with the build script, which fills them.
//!
//! Squares count from a1 = 0 to h8 = 63. The strong side is white.

/// The entries for a queen or a rook: the side to move, the strong king in the triangle a1, d1, d4, the lone king, the man.
pub const PIECE_SIZE: usize = 2 * 10 * 64 * 64;
/// The entries for a pawn: the side to move, the pawn on the files a to d, the strong king, the lone king.
pub const PAWN_SIZE: usize = 2 * 24 * 64 * 64;

/// The entry of a position with a queen or a rook.
pub fn of_piece(strong_to_move: bool, strong: usize, lone: usize, man: usize) -> usize {
    let mut squares = [strong, lone, man];
    if squares[0] % 8 > 3 {
        squares = squares.map(|square| square ^ 7);
    }
    if squares[0] / 8 > 3 {
        squares = squares.map(|square| square ^ 56);
    }
    if squares[0] / 8 > squares[0] % 8 {
        squares = squares.map(|square| square % 8 * 8 + square / 8);
    }
    let [strong, lone, man] = squares;
    let (file, rank) = (strong % 8, strong / 8);
    let strong = file * (file + 1) / 2 + rank;
    ((usize::from(strong_to_move) * 10 + strong) * 64 + lone) * 64 + man
}

/// The entry of a position with a pawn, which stands on none of the outer ranks.
pub fn of_pawn(strong_to_move: bool, strong: usize, lone: usize, pawn: usize) -> usize {
    let mirror = if pawn % 8 > 3 { 7 } else { 0 };
    let [strong, lone, pawn] = [strong, lone, pawn].map(|square| square ^ mirror);
    let pawn = (pawn / 8 - 1) * 4 + pawn % 4;
    ((usize::from(strong_to_move) * 24 + pawn) * 64 + strong) * 64 + lone
}
