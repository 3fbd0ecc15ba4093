//! Moves in 16 bits, for the table and for counters.

use std::fmt;

use shakmaty::{Move, Role, Square};

/// A move packed into 16 bits: from, to (castling: king takes rook), promotion.
///
/// What comes out of a table is untrusted: it is a claim until the legal moves of the position confirm it
/// (see [`super::Position::find`]). All bits zero says "no move".
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct PackedMove(u16);

impl PackedMove {
    /// No move.
    pub const NONE: PackedMove = PackedMove(0);

    /// Packs a legal move.
    #[inline]
    pub fn new(m: Move) -> PackedMove {
        let from = m.from().map_or(0, |s| s as u16);
        let promotion = m.promotion().map_or(0, |r| r as u16);
        PackedMove(from | (m.to() as u16) << 6 | promotion << 12)
    }

    /// The 16 bits.
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// Takes 16 bits from anywhere; nothing is believed of them.
    pub const fn from_bits(bits: u16) -> PackedMove {
        PackedMove(bits)
    }

    /// Whether there is a move.
    pub const fn is_some(self) -> bool {
        self.0 != 0
    }

    /// Whether this packs `m`.
    #[inline]
    pub fn is(self, m: Move) -> bool {
        self == PackedMove::new(m)
    }

    /// The square that the piece leaves.
    pub fn from(self) -> Square {
        Square::new(u32::from(self.0 & 63))
    }

    /// The square that the piece reaches; for castling, the rook's.
    pub fn to(self) -> Square {
        Square::new(u32::from(self.0 >> 6 & 63))
    }

    /// The piece that a pawn becomes.
    pub fn promotion(self) -> Option<Role> {
        match self.0 >> 12 {
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
        if !self.is_some() {
            return f.write_str("no move");
        }
        write!(f, "{}{}", self.from(), self.to())?;
        match self.promotion() {
            Some(role) => write!(f, "{}", role.char()),
            None => Ok(()),
        }
    }
}
