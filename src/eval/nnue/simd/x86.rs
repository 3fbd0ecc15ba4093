//! Twins for x86-64. The updates are the reference compiled for the wider registers; the activation is written by
//! hand.
//!
//! A clipped value is at most 255 and a weight at most 128, so their product fits 16 bits; multiplying it by the value
//! again and adding pairs gives 32-bit sums. With 1024 hidden values a lane adds up 32 pairs of at most 2 · 255² · 128,
//! a quarter of 2³¹.

use std::arch::x86_64::*;

use super::super::format::{MAX_THREAT_WEIGHT, QA};
use super::{Arithmetic, BLOCK, Block, HiddenLayer, THREATENED, Task, ThreatRow, ThreatSums, scalar};
pub use avx2::Avx2;
pub use avx512::Avx512;

/// Rows of threats whose sum fits 8 bits.
const GROUP: usize = i8::MAX as usize / MAX_THREAT_WEIGHT as usize;

/// Makes an arithmetic of an instruction set: of the updates, compiled for it, and of the `screlu_dot` beside it.
///
/// The updates are functions that are not inlined: the compiler would unroll their loops before it vectorises them.
macro_rules! arithmetic {
    ($name:ident, $features:literal, $($feature:tt)*) => {
        impl $name {
            pub fn detect() -> Option<$name> {
                ($(is_x86_feature_detected!($feature))&&*).then_some($name(()))
            }

            /// Compiles a task with these instructions, and runs it.
            #[inline(always)]
            pub fn compile<T: Task>(self, task: T) -> T::Output {
                #[target_feature(enable = $features)]
                fn compiled<T: Task>(task: T, arithmetic: $name) -> T::Output {
                    task.run(arithmetic)
                }
                promised!(compiled(task, self))
            }
        }

        impl Arithmetic for $name {
            #[inline(always)]
            fn add_sub(self, to: &mut [Block], from: &[Block], add: &[Block], sub: &[Block]) {
                #[inline(never)]
                #[target_feature(enable = $features)]
                fn compiled(to: &mut [Block], from: &[Block], add: &[Block], sub: &[Block]) {
                    scalar::add_sub(to, from, add, sub);
                }
                promised!(compiled(to, from, add, sub));
            }

            #[inline(always)]
            fn add_sub_sub(self, to: &mut [Block], from: &[Block], add: &[Block], sub1: &[Block], sub2: &[Block]) {
                #[inline(never)]
                #[target_feature(enable = $features)]
                fn compiled(to: &mut [Block], from: &[Block], add: &[Block], sub1: &[Block], sub2: &[Block]) {
                    scalar::add_sub_sub(to, from, add, sub1, sub2);
                }
                promised!(compiled(to, from, add, sub1, sub2));
            }

            #[inline(always)]
            fn add_sub_here(self, to: &mut [Block], add: &[Block], sub: &[Block]) {
                #[inline(never)]
                #[target_feature(enable = $features)]
                fn compiled(to: &mut [Block], add: &[Block], sub: &[Block]) {
                    scalar::add_sub_here(to, add, sub);
                }
                promised!(compiled(to, add, sub));
            }

            #[inline(always)]
            fn add(self, to: &mut [Block], add: &[Block]) {
                #[inline(never)]
                #[target_feature(enable = $features)]
                fn compiled(to: &mut [Block], add: &[Block]) {
                    scalar::add(to, add);
                }
                promised!(compiled(to, add));
            }

            #[inline(always)]
            fn sub(self, to: &mut [Block], sub: &[Block]) {
                #[inline(never)]
                #[target_feature(enable = $features)]
                fn compiled(to: &mut [Block], sub: &[Block]) {
                    scalar::sub(to, sub);
                }
                promised!(compiled(to, sub));
            }

            #[inline(always)]
            fn add_threats<const SHIFT: u32>(
                self,
                to: &mut ThreatSums,
                from: &ThreatSums,
                rows: &[ThreatRow],
                threats: &[u32],
                come: usize,
            ) {
                promised!(add_threats::<SHIFT>(to, from, rows, threats, come));
            }

            #[inline(always)]
            fn screlu_dot(self, layer: HiddenLayer<'_>, weights: &[Block]) -> i64 {
                promised!(screlu_dot(layer, weights))
            }
        }
    };
}

/// Calls a function that needs the instructions of `self`.
macro_rules! promised {
    ($call:expr) => {
        // SAFETY: only `detect` makes such a `self`, where the processor has the instructions.
        unsafe { $call }
    };
}

/// Adds what all blocks contribute: as many at a time as registers hold, the rest in pairs, because hidden layers
/// have an even number of blocks.
macro_rules! add_all_activated {
    ($sums:expr, $layer:expr, $weights:expr) => {
        let values = $layer.values;
        let (many, pairs) = (values.as_chunks::<BLOCKS>().0, values.as_chunks::<2>().0);
        for (i, values) in many.iter().enumerate() {
            add_activated($sums, values, $layer, $weights, i * BLOCKS);
        }
        for (i, values) in pairs.iter().enumerate().skip(many.len() * BLOCKS / 2) {
            add_activated($sums, values, $layer, $weights, i * 2);
        }
    };
}

mod avx2 {
    //! Sixteen values at a time.
    use super::*;

    /// A processor that has AVX2 and the bit instructions that came with it.
    #[derive(Clone, Copy, Debug)]
    pub struct Avx2(());

    arithmetic!(Avx2, "avx2,bmi1,bmi2,popcnt,lzcnt", "avx2" "bmi1" "bmi2" "popcnt" "lzcnt");

    /// Blocks whose values are in registers at the same time.
    const BLOCKS: usize = 4;

    #[target_feature(enable = "avx2")]
    fn screlu_dot(layer: HiddenLayer<'_>, weights: &[Block]) -> i64 {
        let mut sums = [_mm256_setzero_si256(); 2];
        add_all_activated!(&mut sums, layer, weights);
        sums.into_iter()
            .map(|sum| {
                // SAFETY: both are 32 bytes of plain integers.
                let lanes: [i32; 8] = unsafe { std::mem::transmute(sum) };
                lanes.into_iter().map(i64::from).sum::<i64>()
            })
            .sum()
    }

    /// Up to four rows are added in 8 bits, which their largest weights fit, before they are widened.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn add_threats<const SHIFT: u32>(
        to: &mut ThreatSums,
        from: &ThreatSums,
        rows: &[ThreatRow],
        threats: &[u32],
        come: usize,
    ) {
        for start in (0..threats.len().max(1)).step_by(GROUP) {
            let mut sums = [_mm256_setzero_si256(); THREATENED / 32];
            for number in start..threats.len().min(start + GROUP) {
                let row = rows[(threats[number] >> SHIFT) as u16 as usize].0.as_ptr();
                for (part, sum) in sums.iter_mut().enumerate() {
                    // SAFETY: a row is as many vectors of 32 bytes as there are sums, aligned to 64.
                    let weights = unsafe { _mm256_load_si256(row.add(32 * part).cast()) };
                    *sum = if number < come { _mm256_add_epi8(*sum, weights) } else { _mm256_sub_epi8(*sum, weights) };
                }
            }
            for (part, sum) in sums.into_iter().enumerate() {
                let low = _mm256_cvtepi8_epi16(_mm256_castsi256_si128(sum));
                let high = _mm256_cvtepi8_epi16(_mm256_extracti128_si256::<1>(sum));
                let before = if start == 0 { from } else { &*to }.0[part].0.as_ptr();
                // SAFETY: a block is two vectors of 32 bytes, aligned to 64.
                unsafe {
                    let totals = [
                        _mm256_add_epi16(_mm256_load_si256(before.cast()), low),
                        _mm256_add_epi16(_mm256_load_si256(before.add(16).cast()), high),
                    ];
                    let to = to.0[part].0.as_mut_ptr();
                    _mm256_store_si256(to.cast(), totals[0]);
                    _mm256_store_si256(to.add(16).cast(), totals[1]);
                }
            }
        }
    }

    /// Adds what `N` blocks from `start` on contribute.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn add_activated<const N: usize>(
        sums: &mut [__m256i; 2],
        values: &[Block; N],
        layer: HiddenLayer<'_>,
        weights: &[Block],
        start: usize,
    ) {
        // SAFETY: a block is 64 bytes, aligned to 64; the two halves are 16 values each.
        let load = |block: &Block| unsafe {
            let half = block.0.as_ptr();
            [_mm256_load_si256(half.cast()), _mm256_load_si256(half.add(BLOCK / 2).cast())]
        };
        let zero = _mm256_setzero_si256();
        let one = _mm256_set1_epi16(QA as i16);
        let mut totals = [[zero; 2]; N];
        for (total, block) in totals.iter_mut().zip(values) {
            *total = load(block);
        }
        // Counted loops are unrolled, and this condition is then decided for each call.
        for (i, total) in totals.iter_mut().enumerate().take(THREATENED / BLOCK) {
            if let Some(block) = layer.threats.0.get(start + i) {
                let more = load(block);
                *total = [_mm256_add_epi16(total[0], more[0]), _mm256_add_epi16(total[1], more[1])];
            }
        }
        for row in layer.rows {
            for (total, block) in totals.iter_mut().zip(&row[start..start + N]) {
                let more = load(block);
                *total = [_mm256_add_epi16(total[0], more[0]), _mm256_add_epi16(total[1], more[1])];
            }
        }
        for (total, weights) in totals.iter().zip(&weights[start..start + N]) {
            for ((&value, weight), sum) in total.iter().zip(load(weights)).zip(&mut *sums) {
                let clipped = _mm256_min_epi16(_mm256_max_epi16(value, zero), one);
                let product = _mm256_mullo_epi16(clipped, weight);
                *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(clipped, product));
            }
        }
    }
}

mod avx512 {
    //! A block at a time.
    use super::*;

    /// A processor that has AVX-512 F and BW and the bit instructions of AVX2's time.
    #[derive(Clone, Copy, Debug)]
    pub struct Avx512(());

    arithmetic!(Avx512, "avx512f,avx512bw,bmi1,bmi2,popcnt,lzcnt", "avx512f" "avx512bw" "bmi1" "bmi2" "popcnt" "lzcnt");

    /// Blocks whose values are in registers at the same time.
    const BLOCKS: usize = 8;

    #[target_feature(enable = "avx512f,avx512bw")]
    fn screlu_dot(layer: HiddenLayer<'_>, weights: &[Block]) -> i64 {
        let mut sums = [_mm512_setzero_si512(); 2];
        add_all_activated!(&mut sums, layer, weights);
        // Far from overflow, the two may be added before they are widened.
        let sum = _mm512_add_epi32(sums[0], sums[1]);
        // SAFETY: both are 64 bytes of plain integers.
        let lanes: [i32; 16] = unsafe { std::mem::transmute(sum) };
        lanes.into_iter().map(i64::from).sum()
    }

    /// Up to four rows are added in 8 bits, which their largest weights fit, before they are widened.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn add_threats<const SHIFT: u32>(
        to: &mut ThreatSums,
        from: &ThreatSums,
        rows: &[ThreatRow],
        threats: &[u32],
        come: usize,
    ) {
        for start in (0..threats.len().max(1)).step_by(GROUP) {
            let mut sums = [_mm512_setzero_si512(); THREATENED / 64];
            for number in start..threats.len().min(start + GROUP) {
                let row = rows[(threats[number] >> SHIFT) as u16 as usize].0.as_ptr();
                for (part, sum) in sums.iter_mut().enumerate() {
                    // SAFETY: a row is as many vectors of 64 bytes as there are sums, aligned to 64.
                    let weights = unsafe { _mm512_load_si512(row.add(64 * part).cast()) };
                    *sum = if number < come { _mm512_add_epi8(*sum, weights) } else { _mm512_sub_epi8(*sum, weights) };
                }
            }
            for (part, sum) in sums.into_iter().enumerate() {
                let halves = [_mm512_castsi512_si256(sum), _mm512_extracti64x4_epi64::<1>(sum)];
                for (half, few) in halves.into_iter().enumerate() {
                    let before = if start == 0 { from } else { &*to }.0[2 * part + half].0.as_ptr();
                    // SAFETY: a block is 64 bytes, aligned to 64.
                    unsafe {
                        let total = _mm512_add_epi16(_mm512_load_si512(before.cast()), _mm512_cvtepi8_epi16(few));
                        _mm512_store_si512(to.0[2 * part + half].0.as_mut_ptr().cast(), total);
                    }
                }
            }
        }
    }

    /// Adds what `N` blocks from `start` on contribute.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn add_activated<const N: usize>(
        sums: &mut [__m512i; 2],
        values: &[Block; N],
        layer: HiddenLayer<'_>,
        weights: &[Block],
        start: usize,
    ) {
        // SAFETY: a block is 64 bytes, aligned to 64.
        let load = |block: &Block| unsafe { _mm512_load_si512(block.0.as_ptr().cast()) };
        let zero = _mm512_setzero_si512();
        let one = _mm512_set1_epi16(QA as i16);
        let mut totals = [zero; N];
        for (total, block) in totals.iter_mut().zip(values) {
            *total = load(block);
        }
        // Counted loops are unrolled, and this condition is then decided for each call.
        for (i, total) in totals.iter_mut().enumerate().take(THREATENED / BLOCK) {
            if let Some(block) = layer.threats.0.get(start + i) {
                *total = _mm512_add_epi16(*total, load(block));
            }
        }
        for row in layer.rows {
            for (total, block) in totals.iter_mut().zip(&row[start..start + N]) {
                *total = _mm512_add_epi16(*total, load(block));
            }
        }
        for (i, (&total, weights)) in totals.iter().zip(&weights[start..start + N]).enumerate() {
            let clipped = _mm512_min_epi16(_mm512_max_epi16(total, zero), one);
            let product = _mm512_mullo_epi16(clipped, load(weights));
            sums[i % 2] = _mm512_add_epi32(sums[i % 2], _mm512_madd_epi16(clipped, product));
        }
    }
}
