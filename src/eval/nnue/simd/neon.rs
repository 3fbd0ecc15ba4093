//! The twin for AArch64. The updates are the reference, which the compiler turns into NEON by itself.

use std::arch::aarch64::*;

use super::super::format::QA;
use super::{Arithmetic, Block, HiddenLayer};

/// A processor that has NEON.
#[derive(Clone, Copy, Debug)]
pub struct Neon(());

impl Neon {
    pub fn detect() -> Option<Neon> {
        std::arch::is_aarch64_feature_detected!("neon").then_some(Neon(()))
    }
}

impl Arithmetic for Neon {
    #[inline]
    fn screlu_dot(self, layer: HiddenLayer<'_>, weights: &[Block]) -> i64 {
        #[allow(unused_unsafe, reason = "where NEON belongs to the target, there is nothing left to promise")]
        // SAFETY: only `detect` makes a `Neon`.
        unsafe {
            screlu_dot(layer, weights)
        }
    }
}

#[target_feature(enable = "neon")]
fn screlu_dot(HiddenLayer { values, rows, threats }: HiddenLayer<'_>, weights: &[Block]) -> i64 {
    let zero = vdupq_n_s16(0);
    let one = vdupq_n_s16(QA as i16);
    // Eight sums of four lanes: with 1024 hidden values a lane adds up 32 products of at most 255² · 128.
    let mut sums = [vdupq_n_s32(0); 8];
    for (at, (values, weights)) in values.iter().zip(weights).enumerate() {
        for i in 0..4 {
            // SAFETY: a block holds 32 values: four vectors of eight.
            let load = |block: &Block| unsafe { vld1q_s16(block.0.as_ptr().add(8 * i)) };
            let (mut value, weight) = (load(values), load(weights));
            if let Some(threats) = threats.0.get(at) {
                value = vaddq_s16(value, load(threats));
            }
            for row in rows {
                value = vaddq_s16(value, load(&row[at]));
            }
            let clipped = vminq_s16(vmaxq_s16(value, zero), one);
            let product = vmulq_s16(clipped, weight);
            sums[2 * i] = vmlal_s16(sums[2 * i], vget_low_s16(clipped), vget_low_s16(product));
            sums[2 * i + 1] = vmlal_high_s16(sums[2 * i + 1], clipped, product);
        }
    }
    sums.into_iter().map(|sum| vaddlvq_s32(sum)).sum()
}
