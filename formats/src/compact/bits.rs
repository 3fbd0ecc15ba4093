//! Bits with their chances: what an encoder and a decoder share.

use std::borrow::Borrow;
use std::num::NonZeroU32;
use std::sync::LazyLock;

use constriction::stream::model::{DecoderModel, EncoderModel, EntropyModel};
use constriction::stream::queue::{DefaultRangeDecoder, DefaultRangeEncoder};
use constriction::stream::{Decode as _, Encode as _};

/// Chances are parts of two to this power.
const PRECISION: usize = 16;
const WHOLE: i32 = 1 << PRECISION;
/// No bit is more certain than this, in parts of [`WHOLE`].
const LEAST: i32 = 24;

/// Writes the bits that it is given, or reads them, one after the other.
///
/// The model runs the same way on both: it goes by what this returns, never by what it passes.
pub trait Coder {
    /// Codes a bit that is set with this chance. A decoder ignores `bit`. Returns the bit.
    fn code(&mut self, bit: bool, chance: i32) -> bool;
}

/// A distribution of one bit: the chance that it is set.
#[derive(Clone, Copy)]
struct Odds(u32);

impl EntropyModel<PRECISION> for Odds {
    type Symbol = bool;
    type Probability = u32;
}

impl EncoderModel<PRECISION> for Odds {
    fn left_cumulative_and_probability(&self, bit: impl Borrow<bool>) -> Option<(u32, NonZeroU32)> {
        let (left, share) = if *bit.borrow() { (0, self.0) } else { (self.0, WHOLE as u32 - self.0) };
        NonZeroU32::new(share).map(|share| (left, share))
    }
}

impl DecoderModel<PRECISION> for Odds {
    fn quantile_function(&self, quantile: u32) -> (bool, u32, NonZeroU32) {
        let bit = quantile < self.0;
        let (left, share) = if bit { (0, self.0) } else { (self.0, WHOLE as u32 - self.0) };
        (bit, left, NonZeroU32::new(share).unwrap_or(NonZeroU32::MIN))
    }
}

impl Coder for DefaultRangeEncoder {
    fn code(&mut self, bit: bool, chance: i32) -> bool {
        let written = self.encode_symbol(bit, Odds(chance as u32));
        debug_assert!(written.is_ok(), "both bits have a chance, and memory takes every word");
        bit
    }
}

impl Coder for DefaultRangeDecoder {
    fn code(&mut self, _: bool, chance: i32) -> bool {
        // Words that no encoder wrote may have no bit here; the block's checksum has excluded accidents.
        self.decode_symbol(Odds(chance as u32)).unwrap_or(false)
    }
}

/// Log odds are in parts of 256, from -2047 to 2047.
const MOST_ODDS: i32 = 2047;

/// The chance for each of the log odds, and the log odds for each sixteenth chance.
struct Logistic {
    chances: Vec<i32>,
    odds: Vec<i32>,
}

static LOGISTIC: LazyLock<Logistic> = LazyLock::new(|| {
    // Only additions, products and quotients, which give the same on every machine; `exp` would not.
    let chance = |odds: i32| {
        let mut power = 1.0 - f64::from(odds) / 256.0 / 1024.0;
        for _ in 0..10 {
            power *= power;
        }
        ((f64::from(WHOLE) / (1.0 + power)) as i32).clamp(LEAST, WHOLE - LEAST)
    };
    let chances: Vec<i32> = (-MOST_ODDS..=MOST_ODDS).map(chance).collect();
    let odds = (0..WHOLE >> 4).map(|part| {
        let index = chances.partition_point(|&chance| chance < part << 4);
        (index as i32 - MOST_ODDS).min(MOST_ODDS)
    });
    let odds = odds.collect();
    Logistic { chances, odds }
});

/// How often a bit was set in one context, with more weight for what came last.
#[derive(Clone, Copy)]
pub struct Counter {
    chance: u16,
    seen: u16,
}

impl Counter {
    /// A bit of which nothing was seen: it is set with this chance.
    pub const fn new(chance: u16) -> Counter {
        Counter { chance, seen: 0 }
    }

    /// Its log odds.
    fn odds(self, logistic: &Logistic) -> i32 {
        logistic.odds[usize::from(self.chance >> 4)]
    }

    /// Counts a bit. `most` limits the memory: the higher, the longer.
    fn count(&mut self, bit: bool, most: u16) {
        let target = if bit { WHOLE - 1 } else { 0 };
        let step = (target - i32::from(self.chance)) * 2 / (2 * i32::from(self.seen) + 3);
        self.chance = (i32::from(self.chance) + step) as u16;
        self.seen = (self.seen + 1).min(most);
    }
}

/// Predicts bits from several counters: the sum of their log odds, with weights that it learns.
struct Mixer<const N: usize> {
    weights: Vec<[i32; N]>,
}

/// One in the fixed point of weights.
const ONE: i32 = 1 << 16;
/// Weights stay below this, whatever a file was made to teach them.
const MOST_WEIGHT: i32 = 256 * ONE;

impl<const N: usize> Mixer<N> {
    /// With this number of sets of weights.
    fn new(sets: usize) -> Mixer<N> {
        Mixer { weights: vec![[ONE * 2 / (N as i32 + 1); N]; sets] }
    }

    /// The chance of a set bit by these log odds.
    fn mix(&self, set: usize, odds: [i32; N]) -> i32 {
        let products = self.weights[set].iter().zip(odds).map(|(&weight, odds)| i64::from(weight) * i64::from(odds));
        let sum = (products.sum::<i64>() >> 16).clamp(i64::from(-MOST_ODDS), i64::from(MOST_ODDS));
        LOGISTIC.chances[(sum as i32 + MOST_ODDS) as usize]
    }

    /// Moves the weights that led to this chance towards the bit.
    fn learn(&mut self, set: usize, odds: [i32; N], chance: i32, bit: bool) {
        let error = if bit { WHOLE } else { 0 } - chance;
        for (weight, odds) in self.weights[set].iter_mut().zip(odds) {
            *weight = (*weight + ((odds * (error >> 2)) >> 14)).clamp(-MOST_WEIGHT, MOST_WEIGHT);
        }
    }
}

/// A bit to be coded: its contexts, one of each table, the log odds found there, and their mix.
#[derive(Clone, Copy, Debug)]
pub struct Expectation<const N: usize> {
    set: usize,
    contexts: [usize; N],
    odds: [i32; N],
    /// The chance that the bit is set.
    pub chance: i32,
}

/// Counters by context, mixed.
pub struct Predictor<const N: usize> {
    tables: [Vec<Counter>; N],
    mixer: Mixer<N>,
    memory: u16,
}

impl<const N: usize> Predictor<N> {
    /// Tables of these sizes, this number of sets of weights, and a first chance. `memory` is the number of bits that a
    /// counter goes by.
    pub fn new(sizes: [usize; N], sets: usize, chance: u16, memory: u16) -> Predictor<N> {
        Predictor { tables: sizes.map(|size| vec![Counter::new(chance); size]), mixer: Mixer::new(sets), memory }
    }

    /// What a bit will be in these contexts.
    pub fn expect(&self, set: usize, contexts: [usize; N]) -> Expectation<N> {
        let logistic = &*LOGISTIC;
        let odds = std::array::from_fn(|i| self.tables[i][contexts[i]].odds(logistic));
        Expectation { set, contexts, odds, chance: self.mixer.mix(set, odds) }
    }

    /// Counts a bit that was expected so.
    pub fn learn(&mut self, expected: &Expectation<N>, bit: bool) {
        let &Expectation { set, contexts, odds, chance } = expected;
        self.mixer.learn(set, odds, chance, bit);
        for (table, context) in self.tables.iter_mut().zip(contexts) {
            table[context].count(bit, self.memory);
        }
    }

    /// Codes a bit in these contexts.
    pub fn code(&mut self, coder: &mut impl Coder, bit: bool, set: usize, contexts: [usize; N]) -> bool {
        let expected = self.expect(set, contexts);
        let bit = coder.code(bit, expected.chance);
        self.learn(&expected, bit);
        bit
    }
}

/// The log odds of a chance.
pub fn odds_of(chance: i32) -> i32 {
    LOGISTIC.odds[(chance >> 4).clamp(0, (WHOLE >> 4) - 1) as usize]
}
