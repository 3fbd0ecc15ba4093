//! A table entry, and its packing into the 64 bits that one atomic word holds.
//!
//! | bits | field | coding |
//! |---|---|---|
//! | 0..15 | value | 15-bit two's complement, relative to the node |
//! | 15..17 | bound | as in [`Bound`]; `10` says that the value means nothing |
//! | 17..33 | move | as in [`PackedMove`]; 0 is none |
//! | 33..41 | depth | depth + 1; 0 marks an empty slot |
//! | 41..47 | age | the search that wrote the entry, modulo 64 |
//! | 47 | pv | written by a node that is, or has been, one of the principal variation |
//! | 48..63 | static evaluation | 15-bit two's complement, raw; −16384 is none |
//! | 63 | tb_entry | a tablebase result, which has no move |

use crate::bound::{Bound, Ibv};
use crate::params;
use crate::position::PackedMove;
use crate::score::{Band, Score};

/// One field of the word: `WIDTH` bits from bit `SHIFT` on.
struct Field<const SHIFT: u32, const WIDTH: u32>;

impl<const SHIFT: u32, const WIDTH: u32> Field<SHIFT, WIDTH> {
    const END: u32 = SHIFT + WIDTH;
    const MASK: u64 = (1 << WIDTH) - 1;

    const fn put(value: u64) -> u64 {
        debug_assert!(value <= Self::MASK);
        (value & Self::MASK) << SHIFT
    }

    const fn get(word: u64) -> u64 {
        word >> SHIFT & Self::MASK
    }
}

type Value = Field<0, 15>;
type BoundBits = Field<{ Value::END }, 2>;
type Best = Field<{ BoundBits::END }, 16>;
type DepthPlusOne = Field<{ Best::END }, 8>;
type Age = Field<{ DepthPlusOne::END }, 6>;
type Pv = Field<{ Age::END }, 1>;
type Eval = Field<{ Pv::END }, 15>;
type TbEntry = Field<{ Eval::END }, 1>;

const _: () = assert!(TbEntry::END == 64);

/// The two bits of a bound that mean "nothing known".
const NO_BOUND: u64 = 0b10;

/// The number of ages; a power of two.
pub const AGES: u8 = 1 << 6;
const _: () = assert!(Age::MASK + 1 == AGES as u64);

/// The TT's data of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The value and its bound, relative to the node (see [`Ibv::to_tt`]), if any is known.
    pub value: Option<Ibv>,
    /// The best or refuting move; untrusted until found legal.
    pub best: Option<PackedMove>,
    /// The depth searched, from 0, which quiescence stores; kept up to [`Entry::MAX_DEPTH`].
    pub depth: i32,
    /// Whether the node that wrote the entry is, or has been, one of the principal variation.
    pub pv: bool,
    /// The raw static evaluation, in the heuristic band and without contempt.
    pub eval: Option<Score>,
    /// Whether this is a tablebase result, which has no move.
    pub tb_entry: bool,
}

impl Entry {
    /// The largest depth that an entry can hold; larger ones are stored as this.
    pub const MAX_DEPTH: i32 = DepthPlusOne::MASK as i32 - 1;

    /// The entry as a word, written by the search numbered `age` (modulo [`AGES`]).
    #[inline]
    pub fn pack(self, age: u8) -> u64 {
        debug_assert!(self.depth >= 0);
        debug_assert!(self.eval.is_none_or(|eval| eval.band() == Band::Heuristic));
        let (value, bound) = match self.value {
            Some(value) => (Score::to_bits(Some(value.score())), value.bound() as u64),
            None => (0, NO_BOUND),
        };
        Value::put(value)
            | BoundBits::put(bound)
            | Best::put(u64::from(PackedMove::to_bits(self.best)))
            | DepthPlusOne::put(self.depth.clamp(0, Entry::MAX_DEPTH) as u64 + 1)
            | Age::put(u64::from(age % AGES))
            | Pv::put(u64::from(self.pv))
            | Eval::put(Score::to_bits(self.eval))
            | TbEntry::put(u64::from(self.tb_entry))
    }

    /// The entry in a word; `None` where the slot is empty.
    ///
    /// Any word is accepted: codes without a meaning are read as "nothing known" and "no evaluation".
    #[inline]
    pub fn unpack(word: u64) -> Option<Entry> {
        let depth = DepthPlusOne::get(word) as i32 - 1;
        if depth < 0 {
            return None;
        }
        let value = match (Score::from_bits(Value::get(word)), Bound::from_bits(BoundBits::get(word))) {
            (Some(score), Some(bound)) => Some(Ibv::new(score, bound)),
            _ => None,
        };
        Some(Entry {
            value,
            best: PackedMove::from_bits(Best::get(word) as u16),
            depth,
            pv: Pv::get(word) != 0,
            eval: Score::from_bits(Eval::get(word)).filter(|eval| eval.band() == Band::Heuristic),
            tb_entry: TbEntry::get(word) != 0,
        })
    }
}

/// The age of a word, `0..AGES`; meaningless where the slot is empty.
#[inline]
pub(super) const fn age_of(word: u64) -> u8 {
    Age::get(word) as u8
}

/// Whether the word says "empty".
#[inline]
pub(super) const fn is_empty(word: u64) -> bool {
    DepthPlusOne::get(word) == 0
}

/// The same word with another move.
#[inline]
pub(super) fn with_best(word: u64, best: Option<PackedMove>) -> u64 {
    word & !Best::put(Best::MASK) | Best::put(u64::from(PackedMove::to_bits(best)))
}

/// The worth of an entry, in plies: its depth, more on the PV, less from a tablebase, and less with every search since.
#[inline]
pub(super) fn worth(word: u64, age: u8) -> i32 {
    let searches_ago = i32::from(age.wrapping_sub(age_of(word)) % AGES);
    let (pv, tb_entry) = (Pv::get(word) as i32, TbEntry::get(word) as i32);
    DepthPlusOne::get(word) as i32 + params::tt_worth_pv() * pv
        - params::TB_ENTRY_DISCOUNT * tb_entry
        - params::tt_worth_age() * searches_ago
}
