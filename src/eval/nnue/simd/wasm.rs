//! The twin for WebAssembly. The updates are the reference, which the compiler turns into vectors by itself.

use std::arch::wasm32::*;

use super::super::format::QA;
use super::{Arithmetic, Block, HiddenLayer};

/// Eight of a block's values, from the `i`th eight on.
#[inline(always)]
fn eight(block: &Block, i: usize) -> v128 {
    let v = &block.0[8 * i..8 * i + 8];
    i16x8(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7])
}

/// The vectors of this module's target.
#[derive(Clone, Copy, Debug)]
pub struct Simd128;

impl Arithmetic for Simd128 {
    fn screlu_dot(self, HiddenLayer { values, rows, threats }: HiddenLayer<'_>, weights: &[Block]) -> i64 {
        let zero = i16x8_splat(0);
        let one = i16x8_splat(QA as i16);
        // Four sums of four lanes: with 1024 hidden values a lane adds up 32 pairs of products of at most 255² · 128.
        let mut sums = [i32x4_splat(0); 4];
        for (at, (values, weights)) in values.iter().zip(weights).enumerate() {
            for (i, sum) in sums.iter_mut().enumerate() {
                let (mut value, weight) = (eight(values, i), eight(weights, i));
                if let Some(threats) = threats.0.get(at) {
                    value = i16x8_add(value, eight(threats, i));
                }
                for row in rows {
                    value = i16x8_add(value, eight(&row[at], i));
                }
                let clipped = i16x8_min(i16x8_max(value, zero), one);
                *sum = i32x4_add(*sum, i32x4_dot_i16x8(clipped, i16x8_mul(clipped, weight)));
            }
        }
        let lanes = |sum: v128| {
            i64::from(i32x4_extract_lane::<0>(sum))
                + i64::from(i32x4_extract_lane::<1>(sum))
                + i64::from(i32x4_extract_lane::<2>(sum))
                + i64::from(i32x4_extract_lane::<3>(sum))
        };
        sums.into_iter().map(lanes).sum()
    }
}
