//! Moves in 16 bits, for the transposition table and for counters.

use std::fmt;
use std::num::NonZeroU16;

use shakmaty::{Move, Role, Square};

/// A move packed into 16 bits: from, to (castling: king takes rook), promotion, and a bit that is always set. An
/// `Option<PackedMove>` has 16 bits, too.
///
/// A move from a table is only a claim until the legal moves of the position confirm it: see
/// [`super::Position::find`].
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct PackedMove(NonZeroU16);

/// Set in every packed move.
const SOME: NonZeroU16 = NonZeroU16::new(1 << 15).unwrap();

impl PackedMove {
    /// Packs a legal move.
    #[inline]
    pub fn new(m: Move) -> PackedMove {
        let from = m.from().map_or(0, |s| s as u16);
        let promotion = m.promotion().map_or(0, |r| r as u16);
        PackedMove(SOME | (from | (m.to() as u16) << 6 | promotion << 12))
    }

    /// The bits of a move, or 0 for none.
    pub fn to_bits(m: Option<PackedMove>) -> u16 {
        m.map_or(0, |m| m.0.get())
    }

    /// The move in any 16 bits; 0 is none. It need not be legal anywhere.
    pub const fn from_bits(bits: u16) -> Option<PackedMove> {
        match NonZeroU16::new(bits) {
            Some(bits) => Some(PackedMove(bits)),
            None => None,
        }
    }

    /// Whether this packs `m`.
    #[inline]
    pub fn is(self, m: Move) -> bool {
        self == PackedMove::new(m)
    }

    /// The square that the piece leaves.
    pub fn from(self) -> Square {
        Square::new(u32::from(self.0.get() & 63))
    }

    /// The square that the piece reaches; for castling, the rook's.
    pub fn to(self) -> Square {
        Square::new(u32::from(self.0.get() >> 6 & 63))
    }

    /// The piece that a pawn becomes.
    pub fn promotion(self) -> Option<Role> {
        match self.0.get() >> 12 & 7 {
            2 => Some(Role::Knight),
            3 => Some(Role::Bishop),
            4 => Some(Role::Rook),
            5 => Some(Role::Queen),
            _ => None,
        }
    }
}

impl fmt::Debug for PackedMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.from(), self.to())?;
        match self.promotion() {
            Some(role) => write!(f, "{}", role.char()),
            None => Ok(()),
        }
    }
}
