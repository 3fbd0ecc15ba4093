//! Twins for x86-64. The updates are the reference compiled for the wider registers; the activation is by hand.
//!
//! A clipped value is at most 255 and a weight at most 128, so their product fits 16 bits; multiplying it by the value
//! again and adding pairs gives 32-bit sums. With 1024 hidden values a lane adds up 32 pairs of at most 2 · 255² · 128,
//! a quarter of 2³¹.

use std::arch::x86_64::*;

use super::super::units::QA;
use super::{BLOCK, Block, scalar};

/// Compiles the updates for an instruction set.
macro_rules! updates {
    ($features:literal) => {
        #[target_feature(enable = $features)]
        pub fn add_sub(to: &mut [Block], from: &[Block], add: &[Block], sub: &[Block]) {
            scalar::add_sub(to, from, add, sub);
        }

        #[target_feature(enable = $features)]
        pub fn add_sub_sub(to: &mut [Block], from: &[Block], add: &[Block], sub1: &[Block], sub2: &[Block]) {
            scalar::add_sub_sub(to, from, add, sub1, sub2);
        }

        #[target_feature(enable = $features)]
        pub fn add(to: &mut [Block], add: &[Block]) {
            scalar::add(to, add);
        }

        #[target_feature(enable = $features)]
        pub fn sub(to: &mut [Block], sub: &[Block]) {
            scalar::sub(to, sub);
        }
    };
}

pub mod avx2 {
    //! Sixteen values at a time.
    use super::*;

    updates!("avx2");

    #[target_feature(enable = "avx2")]
    pub fn activate(values: &[Block], weights: &[Block]) -> i64 {
        let zero = _mm256_setzero_si256();
        let one = _mm256_set1_epi16(QA as i16);
        let mut sums = [zero; BLOCK / 16];
        for (values, weights) in values.iter().zip(weights) {
            for (i, sum) in sums.iter_mut().enumerate() {
                // SAFETY: a block holds 32 values, aligned to 64 bytes; the two halves are 16 values each.
                let (value, weight) = unsafe {
                    (
                        _mm256_load_si256(values.0.as_ptr().add(16 * i).cast()),
                        _mm256_load_si256(weights.0.as_ptr().add(16 * i).cast()),
                    )
                };
                let clipped = _mm256_min_epi16(_mm256_max_epi16(value, zero), one);
                let product = _mm256_mullo_epi16(clipped, weight);
                *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(clipped, product));
            }
        }
        sums.into_iter()
            .map(|sum| {
                // SAFETY: both are 32 bytes of plain integers.
                let lanes: [i32; 8] = unsafe { std::mem::transmute(sum) };
                lanes.into_iter().map(i64::from).sum::<i64>()
            })
            .sum()
    }
}

pub mod avx512 {
    //! A block at a time.
    use super::*;

    updates!("avx512f,avx512bw");

    #[target_feature(enable = "avx512f,avx512bw")]
    pub fn activate(values: &[Block], weights: &[Block]) -> i64 {
        let zero = _mm512_setzero_si512();
        let one = _mm512_set1_epi16(QA as i16);
        let mut sums = [zero; 2];
        // Hidden layers are whole pairs of blocks, so that two sums can grow side by side.
        for (values, weights) in values.as_chunks::<2>().0.iter().zip(weights.as_chunks::<2>().0) {
            for ((value, weight), sum) in values.iter().zip(weights).zip(&mut sums) {
                // SAFETY: a block is 64 bytes, aligned to 64.
                let (value, weight) = unsafe {
                    (_mm512_load_si512(value.0.as_ptr().cast()), _mm512_load_si512(weight.0.as_ptr().cast()))
                };
                let clipped = _mm512_min_epi16(_mm512_max_epi16(value, zero), one);
                let product = _mm512_mullo_epi16(clipped, weight);
                *sum = _mm512_add_epi32(*sum, _mm512_madd_epi16(clipped, product));
            }
        }
        // Far from overflow, the two may be added before they are widened.
        let sum = _mm512_add_epi32(sums[0], sums[1]);
        // SAFETY: both are 64 bytes of plain integers.
        let lanes: [i32; 16] = unsafe { std::mem::transmute(sum) };
        lanes.into_iter().map(i64::from).sum()
    }
}
