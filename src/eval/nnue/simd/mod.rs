//! The arithmetic of the network: one scalar reference, and twins that give the same bits faster.

#[cfg(target_arch = "aarch64")]
mod neon;
mod scalar;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm;
#[cfg(target_arch = "x86_64")]
mod x86;

use std::fmt;

pub use super::format::BLOCK;

/// A cache line of hidden values or weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Block(pub [i16; BLOCK]);

impl Block {
    /// All zero.
    pub const ZERO: Block = Block([0; BLOCK]);
}

/// An instruction set to compute with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Kernel(InstructionSet);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum InstructionSet {
    Scalar,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "aarch64")]
    Neon,
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Simd128,
}

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Runs a function of the chosen twin. A kernel other than the scalar one exists only if its instructions do.
macro_rules! dispatch {
    ($kernel:expr, $function:ident($($argument:expr),*)) => {
        match $kernel.0 {
            InstructionSet::Scalar => scalar::$function($($argument),*),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `Kernel::all` makes this kernel only after detecting AVX2.
            InstructionSet::Avx2 => unsafe { x86::avx2::$function($($argument),*) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `Kernel::all` makes this kernel only after detecting AVX-512 F and BW.
            InstructionSet::Avx512 => unsafe { x86::avx512::$function($($argument),*) },
            #[cfg(target_arch = "aarch64")]
            #[allow(unused_unsafe, reason = "where NEON belongs to the target, there is nothing left to promise")]
            // SAFETY: `Kernel::all` makes this kernel only after detecting NEON.
            InstructionSet::Neon => unsafe { neon::$function($($argument),*) },
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            InstructionSet::Simd128 => wasm::$function($($argument),*),
        }
    };
}

impl Kernel {
    /// The reference.
    pub const SCALAR: Kernel = Kernel(InstructionSet::Scalar);

    /// Every kernel that this processor can run, the reference first, the best last.
    pub fn all() -> Vec<Kernel> {
        #[allow(unused_mut, reason = "other architectures have the reference only")]
        let mut kernels = vec![Kernel::SCALAR];
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2") {
                kernels.push(Kernel(InstructionSet::Avx2));
            }
            if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw") {
                kernels.push(Kernel(InstructionSet::Avx512));
            }
        }
        #[cfg(target_arch = "aarch64")]
        if std::arch::is_aarch64_feature_detected!("neon") {
            kernels.push(Kernel(InstructionSet::Neon));
        }
        // A module with these instructions is not loaded where they are not supported.
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        kernels.push(Kernel(InstructionSet::Simd128));
        kernels
    }

    /// The fastest kernel that this processor can run.
    pub fn best() -> Kernel {
        Kernel::all().last().copied().unwrap_or(Kernel::SCALAR)
    }

    /// `to = from + add - sub`: a piece moves.
    #[inline]
    pub fn add_sub(self, to: &mut [Block], from: &[Block], add: &[Block], sub: &[Block]) {
        dispatch!(self, add_sub(to, from, add, sub));
    }

    /// `to = from + add - sub1 - sub2`: a piece captures.
    #[inline]
    pub fn add_sub_sub(self, to: &mut [Block], from: &[Block], add: &[Block], sub1: &[Block], sub2: &[Block]) {
        dispatch!(self, add_sub_sub(to, from, add, sub1, sub2));
    }

    /// `to += add`: a piece appears.
    #[inline]
    pub fn add(self, to: &mut [Block], add: &[Block]) {
        dispatch!(self, add(to, add));
    }

    /// `to -= sub`: a piece disappears.
    #[inline]
    pub fn sub(self, to: &mut [Block], sub: &[Block]) {
        dispatch!(self, sub(to, sub));
    }

    /// The squared clipped ReLU (SCReLU) of a hidden layer, and its dot product with the output weights: the sum of
    /// `clamp(value, 0, QA)² · weight`, where a value is the sum of those in `values` and in all `rows`, which are as
    /// long. Weights are at most [`MAX_OUTPUT_WEIGHT`](super::format::MAX_OUTPUT_WEIGHT).
    #[inline]
    pub fn screlu_dot(self, values: &[Block], rows: &[&[Block]], weights: &[Block]) -> i64 {
        assert!(rows.iter().all(|row| row.len() == values.len()), "a row of another network");
        dispatch!(self, screlu_dot(values, rows, weights))
    }
}
