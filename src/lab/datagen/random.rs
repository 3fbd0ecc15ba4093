//! The random numbers of a data run: small, seeded, the same everywhere.

use crate::position::keys::split_mix;

/// A SplitMix64 sequence.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// The sequence of this seed.
    pub fn new(seed: u64) -> Random {
        Random { state: seed }
    }

    /// The sequence of the `index`-th game of a run.
    pub fn of_game(seed: u64, index: u64) -> Random {
        // Hashing both keeps neighbouring games of neighbouring seeds apart.
        let mut state = seed;
        let run = split_mix(&mut state);
        let mut state = run ^ index.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        Random { state: split_mix(&mut state) }
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        split_mix(&mut self.state)
    }

    /// True with this probability.
    pub fn happens(&mut self, probability: f64) -> bool {
        self.share() < probability
    }

    /// A number from 0 (included) to 1 (excluded).
    pub fn share(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A number below `bound`, which must not be 0.
    pub fn below(&mut self, bound: usize) -> usize {
        debug_assert!(bound > 0);
        ((u128::from(self.next_u64()) * bound as u128) >> 64) as usize
    }
}
