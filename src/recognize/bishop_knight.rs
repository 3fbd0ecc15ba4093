//! Bishop and knight against king: the moves to the mate, made by `build.rs` (see `build/tables.rs`).
//!
//! The one elementary mate that a measure of progress does not find: the way to the right corner leads past many
//! positions that look worse, and no search sees the end of it. Half a byte a position does.

use shakmaty::{Bitboard, Role, Square, attacks};

use super::view::{EndingView, Side};

/// Levels of moves to the mate, two a byte; [`Men::lone_king_is_mated_in`] says which is which.
static LEVELS: &[u8; 20 * 64 * 32 * 64 / 2] = include_bytes!(concat!(env!("OUT_DIR"), "/bishop_knight.bin"));

/// The most moves to the mate, with the strong side to move.
const LONGEST: u16 = 33;

/// The moves to the mate, at most; none where it cannot be forced. Exact to two moves.
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
            .map(|moves| (moves + 1).min(LONGEST))
    }

    /// With the lone king to move.
    fn lone_king_is_mated_in(self) -> Option<u16> {
        // The table has a bishop on the dark squares, and the lone king in the triangle a1, h1, d4, e4.
        let mirrored = if self.bishop.is_dark() { self } else { self.turned(Square::flip_horizontal) };
        let below = |king: Square| king.rank() as u8 <= king.file() as u8;
        let men = if below(mirrored.lone) { mirrored } else { mirrored.turned(Square::flip_diagonal) };
        let near = |king: Square| king.rank() as u8 + king.file() as u8 <= 7;
        let men = if near(men.lone) { men } else { men.turned(Square::flip_anti_diagonal) };
        let (file, rank) = (men.lone.file() as usize, men.lone.rank() as usize);
        let corner = [0, 8, 14, 18][rank] + file - rank;
        let index = ((corner * 64 + men.strong as usize) * 32 + men.bishop as usize / 2) * 64 + men.knight as usize;
        match LEVELS[index / 2] >> (4 * (index % 2)) & 15 {
            0 => None,
            level => Some(u16::from(level - 1) * LONGEST / 14),
        }
    }

    fn turned(self, turn: impl Fn(Square) -> Square) -> Men {
        Men { strong: turn(self.strong), lone: turn(self.lone), bishop: turn(self.bishop), knight: turn(self.knight) }
    }
}
