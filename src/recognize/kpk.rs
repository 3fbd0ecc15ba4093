//! King and pawn against king: one bit a position, made by `build.rs` (see `build/kpk.rs`).

use shakmaty::Square;

use super::view::{Side, View};

/// Won positions as bits; [`index`] says which is which.
static WON: &[u8; 2 * 24 * 64 * 64 / 8] = include_bytes!(concat!(env!("OUT_DIR"), "/kpk.bin"));

/// Whether this pawn, with its king, wins against a lone king on this square, whatever else is on the board.
pub fn is_won(view: &View, to_move: Side, weak_king: Square, pawn: Square) -> bool {
    // The bitbase has a white pawn on the files a to d.
    let mirror = if pawn.file() as u32 > 3 { 7 } else { 0 };
    let place = |square: Square| view.relative(square) as usize ^ mirror;
    let index = index(to_move == Side::Strong, place(view.strong_king), place(weak_king), place(pawn));
    WON[index / 8] >> (index % 8) & 1 == 1
}

/// The bit of a position: squares from a1 = 0 to h8 = 63, a white pawn on the files a to d.
fn index(strong_to_move: bool, strong_king: usize, weak_king: usize, pawn: usize) -> usize {
    let pawn = (pawn / 8 - 1) * 4 + pawn % 4;
    ((usize::from(strong_to_move) * 24 + pawn) * 64 + strong_king) * 64 + weak_king
}
