//! Random numbers that repeat: small, seeded, the same on every machine.
//!
//! Source: Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators" (OOPSLA 2014): SplitMix64. Its first
//! words after a seed are already well mixed, so it also serves as a hash of 64 bits.

/// Advances `state` and returns the next word of the SplitMix64 sequence.
pub const fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

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

    /// The sequence of part `index` of a run, such as a game: the same whatever the other parts draw.
    pub fn of_part(seed: u64, index: u64) -> Random {
        // Hashing both keeps neighbouring parts of neighbouring seeds apart.
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

    /// Puts items into a random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_order_occurs() {
        let orders: std::collections::BTreeSet<[u8; 3]> = (0..50)
            .map(|seed| {
                let mut items = [1, 2, 3];
                Random::new(seed).shuffle(&mut items);
                items
            })
            .collect();
        assert_eq!(orders.len(), 6);
    }
}
