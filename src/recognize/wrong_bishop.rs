//! Rook pawn and wrong bishop against king: one bit per position, made by the solver (`solved.rs`).

use shakmaty::Role;

use super::layout;
use super::view::{EndingView, Side};

/// Won positions as bits, in the order of [`layout::of_wrong_bishop`].
static WON: &[u8; layout::WRONG_BISHOP_SIZE / 8] = include_bytes!("solved/wrong_bishop.bin");

/// Whether the strong side wins; `None` unless it has one rook pawn and one bishop that does not command the pawn's
/// corner.
pub fn wins(view: &EndingView) -> Option<bool> {
    let pawn = view.men(Side::Strong, Role::Pawn).single_square()?;
    let bishop = view.men(Side::Strong, Role::Bishop).single_square()?;
    let place = |square| view.relative(square) as usize;
    let [strong, lone, bishop, pawn] = [view.strong_king, view.weak_king, bishop, pawn].map(place);
    if !layout::is_wrong_bishop(bishop, pawn) || view.force(Side::Strong).count() != 2 {
        return None;
    }
    let index = layout::of_wrong_bishop(view.to_move == Side::Strong, strong, lone, bishop, pawn);
    Some(WON[index / 8] >> (index % 8) & 1 == 1)
}
