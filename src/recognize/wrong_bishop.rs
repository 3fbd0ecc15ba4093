//! Rook pawn and wrong bishop against king: one bit a position, made by `build.rs` (see `build/tables.rs`).

use shakmaty::{File, Role};

use super::view::{EndingView, Side};

/// Won positions as bits; [`wins`] says which is which.
static WON: &[u8; 2 * 6 * 32 * 64 * 64 / 8] = include_bytes!(concat!(env!("OUT_DIR"), "/wrong_bishop.bin"));

/// Whether the strong side wins; nothing where it does not have one rook pawn and one bishop that does not command the
/// corner before it.
pub fn wins(view: &EndingView) -> Option<bool> {
    let pawn = view.men(Side::Strong, Role::Pawn).single_square()?;
    let bishop = view.men(Side::Strong, Role::Bishop).single_square()?;
    // The bitbase has a white pawn on the file a and a bishop on the dark squares.
    let mirror = match pawn.file() {
        File::A => 0,
        File::H => 7,
        _ => return None,
    };
    let place = |square| view.relative(square) as usize ^ mirror;
    let [pawn, bishop, strong, weak] = [pawn, bishop, view.strong_king, view.weak_king].map(place);
    if (bishop / 8 + bishop % 8) % 2 == 1 || view.force(Side::Strong).count() != 2 {
        return None;
    }
    let men = (usize::from(view.to_move == Side::Strong) * 6 + pawn / 8 - 1) * 32 + bishop / 2;
    let index = (men * 64 + strong) * 64 + weak;
    Some(WON[index / 8] >> (index % 8) & 1 == 1)
}
