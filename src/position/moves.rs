//! Moves: in 32 bits for the search, and packed into 16 for tables.

use std::fmt;
use std::num::{NonZeroU16, NonZeroU32};

use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, CastlingSide, Role, Square};

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
    #[inline(always)]
    pub fn is(self, m: Move) -> bool {
        self == m.packed()
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

/// A move with all that the search asks of it, in 32 bits. An `Option<Move>` has 32 bits, too.
///
/// It is made for one position, and legal there. What comes from a table is a [`PackedMove`] until
/// [`super::Position::find`] confirms it. Castling is "king takes rook", in Chess960 and in standard chess.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Move(NonZeroU32);

// Bits 0 to 15 are the packed move. Three bits hold the moved role, three the captured one.
const ROLE: u32 = 16;
const VICTIM: u32 = 19;
const CASTLE: u32 = 1 << 22;
const EN_PASSANT: u32 = 1 << 23;
const NOISY: u32 = 1 << 24;

/// The role with this number, as shakmaty counts them from 1 to 6; `None` for any other.
#[inline(always)]
pub(super) fn role_of(number: usize) -> Option<Role> {
    match number {
        1 => Some(Role::Pawn),
        2 => Some(Role::Knight),
        3 => Some(Role::Bishop),
        4 => Some(Role::Rook),
        5 => Some(Role::Queen),
        6 => Some(Role::King),
        _ => None,
    }
}

impl Move {
    #[inline(always)]
    fn new(role: Role, from: Square, to: Square, rest: u32) -> Move {
        const { assert!(ROLE == u16::BITS) };
        let some = NonZeroU32::from(SOME);
        Move(some | ((role as u32) << ROLE | from as u32 | (to as u32) << 6 | rest))
    }

    /// A move to an empty square, without promotion.
    #[inline(always)]
    pub fn quiet(role: Role, from: Square, to: Square) -> Move {
        Move::new(role, from, to, 0)
    }

    /// A capture without promotion. `victim` is the number of the captured role.
    #[inline(always)]
    pub(super) fn capture_of(role: Role, victim: usize, from: Square, to: Square) -> Move {
        Move::new(role, from, to, (victim as u32) << VICTIM | NOISY)
    }

    /// The promotion of a pawn. `victim` is the number of the captured role, or 0.
    #[inline(always)]
    pub(super) fn promotion_to(promotion: Role, victim: usize, from: Square, to: Square) -> Move {
        let noisy = if victim != 0 || promotion == Role::Queen { NOISY } else { 0 };
        Move::new(Role::Pawn, from, to, (victim as u32) << VICTIM | (promotion as u32) << 12 | noisy)
    }

    /// A capture en passant.
    #[inline(always)]
    pub fn en_passant(from: Square, to: Square) -> Move {
        Move::new(Role::Pawn, from, to, (Role::Pawn as u32) << VICTIM | NOISY | EN_PASSANT)
    }

    /// Castling with the rook on this square.
    #[inline(always)]
    pub fn castle(king: Square, rook: Square) -> Move {
        Move::new(Role::King, king, rook, CASTLE)
    }

    #[inline(always)]
    fn bits(self) -> u32 {
        self.0.get()
    }

    /// The square that the piece leaves.
    #[inline(always)]
    pub fn from(self) -> Square {
        Square::new(self.bits() & 63)
    }

    /// The square that the piece reaches; for castling, the rook's.
    #[inline(always)]
    pub fn to(self) -> Square {
        Square::new(self.bits() >> 6 & 63)
    }

    /// The number of the moved role, from 1 for a pawn to 6 for a king.
    #[inline(always)]
    pub(crate) fn role_number(self) -> usize {
        (self.bits() >> ROLE & 7) as usize
    }

    /// The number of the captured role; 0 for none.
    #[inline(always)]
    pub(crate) fn victim_number(self) -> usize {
        (self.bits() >> VICTIM & 7) as usize
    }

    /// The number of the role that a pawn becomes; 0 for none.
    #[inline(always)]
    pub(crate) fn promotion_number(self) -> usize {
        (self.bits() >> 12 & 7) as usize
    }

    /// The number of the role that stands on the target afterwards. For castling, it is the king's.
    #[inline(always)]
    pub(crate) fn placed_number(self) -> usize {
        let promotion = self.promotion_number();
        if promotion == 0 { self.role_number() } else { promotion }
    }

    /// The moved role: a pawn for promotions, the king for castling.
    #[inline(always)]
    pub fn role(self) -> Role {
        role_of(self.role_number()).unwrap_or(Role::King)
    }

    /// The captured role.
    #[inline(always)]
    pub fn capture(self) -> Option<Role> {
        role_of(self.victim_number())
    }

    /// The role that a pawn becomes.
    #[inline(always)]
    pub fn promotion(self) -> Option<Role> {
        role_of(self.promotion_number())
    }

    /// Whether it is castling.
    #[inline(always)]
    pub fn is_castle(self) -> bool {
        self.bits() & CASTLE != 0
    }

    /// The side to which it castles.
    pub fn castling_side(self) -> Option<CastlingSide> {
        self.is_castle().then(|| self.wing())
    }

    /// The side of its target, for a move that castles.
    #[inline]
    pub(crate) fn wing(self) -> CastlingSide {
        CastlingSide::from_king_side(self.from() < self.to())
    }

    /// Whether it captures en passant.
    #[inline(always)]
    pub fn is_en_passant(self) -> bool {
        self.bits() & EN_PASSANT != 0
    }

    /// Where the captured piece stands, for a move that captures: en passant, it is beside the target.
    #[inline(always)]
    pub(crate) fn victim_square(self) -> Square {
        if self.is_en_passant() { Square::from_coords(self.to().file(), self.from().rank()) } else { self.to() }
    }

    /// Whether it changes the board on its two squares only: it is neither castling nor a capture en passant.
    #[inline(always)]
    pub fn is_normal(self) -> bool {
        self.bits() & (CASTLE | EN_PASSANT) == 0
    }

    /// Whether it captures.
    #[inline(always)]
    pub fn is_capture(self) -> bool {
        self.bits() & 7 << VICTIM != 0
    }

    /// Whether a pawn promotes.
    #[inline(always)]
    pub fn is_promotion(self) -> bool {
        self.bits() & 7 << 12 != 0
    }

    /// Whether it changes the material: a capture or a promotion to a queen. Other promotions count as quiet.
    #[inline(always)]
    pub fn is_noisy(self) -> bool {
        self.bits() & NOISY != 0
    }

    /// Whether it resets the 50-move clock: a capture or a pawn move.
    #[inline(always)]
    pub fn is_zeroing(self) -> bool {
        self.is_capture() || self.role_number() == Role::Pawn as usize
    }

    /// Its 16 bits for tables.
    #[inline(always)]
    pub fn packed(self) -> PackedMove {
        PackedMove(SOME | self.bits() as u16)
    }

    /// The move in UCI notation.
    pub fn to_uci(self, mode: CastlingMode) -> UciMove {
        let m: shakmaty::Move = self.into();
        m.to_uci(mode)
    }
}

/// In long algebraic notation, for people.
impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let m: shakmaty::Move = (*self).into();
        m.fmt(f)
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.packed().fmt(f)
    }
}

/// The move of shakmaty, which must not be a drop: chess has none.
impl From<shakmaty::Move> for Move {
    fn from(m: shakmaty::Move) -> Move {
        match m {
            shakmaty::Move::Normal { role, from, capture, to, promotion } => {
                let victim = capture.map_or(0, |role| role as usize);
                match promotion {
                    Some(promotion) => Move::promotion_to(promotion, victim, from, to),
                    None if victim == 0 => Move::quiet(role, from, to),
                    None => Move::capture_of(role, victim, from, to),
                }
            }
            shakmaty::Move::EnPassant { from, to } => Move::en_passant(from, to),
            shakmaty::Move::Castle { king, rook } => Move::castle(king, rook),
            shakmaty::Move::Put { .. } => unreachable!("no drops in chess"),
        }
    }
}

impl From<Move> for shakmaty::Move {
    fn from(m: Move) -> shakmaty::Move {
        let (from, to) = (m.from(), m.to());
        if m.is_castle() {
            shakmaty::Move::Castle { king: from, rook: to }
        } else if m.is_en_passant() {
            shakmaty::Move::EnPassant { from, to }
        } else {
            shakmaty::Move::Normal { role: m.role(), from, capture: m.capture(), to, promotion: m.promotion() }
        }
    }
}

impl From<Move> for PackedMove {
    #[inline(always)]
    fn from(m: Move) -> PackedMove {
        m.packed()
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Every move of shakmaty comes back as it was.
    #[test]
    fn moves_survive_the_way_to_shakmaty_and_back() {
        use shakmaty::Move as Other;
        let (a7, b8, e1) = (Square::A7, Square::B8, Square::E1);
        let quiet = Other::Normal { role: Role::Pawn, from: a7, capture: None, to: Square::A8, promotion: None };
        let takes = |victim, promotion| Other::Normal {
            role: Role::Pawn,
            from: a7,
            capture: Some(victim),
            to: b8,
            promotion: Some(promotion),
        };
        let all = [
            quiet,
            Other::EnPassant { from: Square::E5, to: Square::D6 },
            Other::Castle { king: e1, rook: Square::H1 },
            Other::Castle { king: e1, rook: Square::A1 },
        ];
        let promotions = Role::ALL
            .into_iter()
            .flat_map(|victim| [Role::Knight, Role::Bishop, Role::Rook, Role::Queen].map(|role| takes(victim, role)));
        for other in all.into_iter().chain(promotions) {
            let m: Move = other.into();
            let back: Other = m.into();
            assert_eq!(back, other);
            assert_eq!((Some(m.from()), m.to(), m.role()), (other.from(), other.to(), other.role()));
            assert_eq!((m.capture(), m.promotion()), (other.capture(), other.promotion()));
            assert_eq!((m.is_zeroing(), m.castling_side()), (other.is_zeroing(), other.castling_side()));
            let noisy = other.is_capture() || other.promotion() == Some(Role::Queen);
            assert_eq!(
                (m.is_noisy(), m.is_capture(), m.is_promotion()),
                (noisy, other.is_capture(), other.is_promotion())
            );
        }
        assert_eq!(size_of::<Option<Move>>(), 4);
    }
}
