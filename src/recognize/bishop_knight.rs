//! Bishop and knight against king: the moves to the mate, made by the solver (`solved.rs`).
//!
//! The one elementary mate that a measure of progress does not find: the way to the right corner leads past many
//! positions that look worse, and no search sees the end of it. Half a byte per position is enough.

use shakmaty::{Bitboard, Role, Square, attacks};

use super::layout;
use super::view::{EndingView, Side};

/// Levels of moves to the mate, two per byte, in the order of [`layout::of_bishop_knight`].
static LEVELS: &[u8; layout::BISHOP_KNIGHT_SIZE / 2] = include_bytes!("solved/bishop_knight.bin");

/// The moves to the mate, at most; `None` if it cannot be forced. At most two too many.
///
/// The view has a bishop and a knight on the strong side, and nothing else.
pub fn mates_in(view: &EndingView) -> Option<u16> {
    let men = Men {
        strong: view.strong_king,
        lone: view.weak_king,
        bishop: view.all(Role::Bishop).first()?,
        knight: view.all(Role::Knight).first()?,
    };
    match view.to_move {
        Side::Weak => men.lone_king_is_mated_in(),
        Side::Strong => men.mates_in(),
    }
}

#[derive(Clone, Copy)]
struct Men {
    strong: Square,
    lone: Square,
    bishop: Square,
    knight: Square,
}

impl Men {
    /// With the strong side to move: by the best of its moves.
    fn mates_in(self) -> Option<u16> {
        let own = Bitboard::from(self.strong).with(self.bishop).with(self.knight);
        let occupied = own.with(self.lone);
        let out_of_reach = !(attacks::king_attacks(self.lone) | own);
        let kings =
            (attacks::king_attacks(self.strong) & out_of_reach).into_iter().map(|to| Men { strong: to, ..self });
        let bishops = (attacks::bishop_attacks(self.bishop, occupied) & !own).into_iter();
        let knights = (attacks::knight_attacks(self.knight) & !own).into_iter();
        kings
            .chain(bishops.map(|to| Men { bishop: to, ..self }))
            .chain(knights.map(|to| Men { knight: to, ..self }))
            .filter_map(Men::lone_king_is_mated_in)
            .min()
            .map(|moves| (moves + 1).min(layout::LONGEST_BISHOP_KNIGHT))
    }

    /// With the lone king to move.
    fn lone_king_is_mated_in(self) -> Option<u16> {
        let [strong, lone, bishop, knight] = [self.strong, self.lone, self.bishop, self.knight].map(usize::from);
        let index = layout::of_bishop_knight(strong, lone, bishop, knight);
        layout::moves_of(LEVELS[index / 2] >> (4 * (index % 2)) & 15)
    }
}
