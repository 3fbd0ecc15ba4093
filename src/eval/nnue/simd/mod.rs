//! The arithmetic of the network: one scalar reference, and twins that give the same bits faster.

#[cfg(target_arch = "aarch64")]
mod neon;
mod scalar;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use super::format::{BLOCK, THREATENED};

/// A cache line of hidden values or weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Block(pub [i16; BLOCK]);

impl Block {
    /// All zero.
    pub const ZERO: Block = Block([0; BLOCK]);
}

/// The weights of a threat, each at most [`MAX_THREAT_WEIGHT`](super::format::MAX_THREAT_WEIGHT).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct ThreatRow(pub [i8; THREATENED]);

/// What the threats of a view add to its first hidden values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct ThreatSums(pub [Block; THREATENED / BLOCK]);

impl ThreatSums {
    /// All zero.
    pub const ZERO: ThreatSums = ThreatSums([Block::ZERO; THREATENED / BLOCK]);
}

/// The hidden layer of one view: the sum of all of these.
#[derive(Clone, Copy)]
pub struct HiddenLayer<'a> {
    /// The accumulator.
    pub values: &'a [Block],
    /// The rows of the pieces en prise.
    pub rows: &'a [&'a [Block]],
    /// What the threats add to the first values.
    pub threats: &'a ThreatSums,
}

/// The operations of an evaluation. All slices of a call are as long as a hidden layer.
///
/// A value of an implementation exists only where the processor has its instructions. What they compute is the same to
/// the last bit; the updates of the reference serve wherever the compiler makes good code of them.
pub trait Arithmetic: Copy {
    /// `to = from + add - sub`: a piece moves.
    #[inline(always)]
    fn add_sub(self, to: &mut [Block], from: &[Block], add: &[Block], sub: &[Block]) {
        scalar::add_sub(to, from, add, sub);
    }

    /// `to = from + add - sub1 - sub2`: a piece captures.
    #[inline(always)]
    fn add_sub_sub(self, to: &mut [Block], from: &[Block], add: &[Block], sub1: &[Block], sub2: &[Block]) {
        scalar::add_sub_sub(to, from, add, sub1, sub2);
    }

    /// `to += add - sub`: a piece moves.
    #[inline(always)]
    fn add_sub_here(self, to: &mut [Block], add: &[Block], sub: &[Block]) {
        scalar::add_sub_here(to, add, sub);
    }

    /// `to += add`: a piece appears.
    #[inline(always)]
    fn add(self, to: &mut [Block], add: &[Block]) {
        scalar::add(to, add);
    }

    /// `to -= sub`: a piece disappears.
    #[inline(always)]
    fn sub(self, to: &mut [Block], sub: &[Block]) {
        scalar::sub(to, sub);
    }

    /// `to = from`, plus the rows of the first threats, as many as `come`, minus those of the others. Their numbers are in
    /// 16 bits, from `SHIFT` on.
    #[inline(always)]
    fn add_threats<const SHIFT: u32>(
        self,
        to: &mut ThreatSums,
        from: &ThreatSums,
        rows: &[ThreatRow],
        threats: &[u32],
        come: usize,
    ) {
        scalar::add_threats::<SHIFT>(to, from, rows, threats, come);
    }

    /// The squared clipped ReLU (SCReLU) of a hidden layer, and its dot product with the output weights: the sum of
    /// `clamp(value, 0, QA)² · weight`. Weights are at most
    /// [`MAX_OUTPUT_WEIGHT`](super::format::MAX_OUTPUT_WEIGHT).
    fn screlu_dot(self, layer: HiddenLayer<'_>, weights: &[Block]) -> i64;
}

/// A computation that is compiled for each instruction set.
///
/// [`Task::run`] must be inlined, to be compiled with the instructions of the function that calls it.
pub trait Task {
    /// Its result.
    type Output;

    /// Computes it.
    fn run(self, arithmetic: impl Arithmetic) -> Self::Output;
}

/// An instruction set to compute with.
#[derive(Clone, Copy, Debug)]
pub enum Kernel {
    /// The reference.
    Scalar(scalar::Scalar),
    #[cfg(target_arch = "x86_64")]
    #[expect(missing_docs, reason = "the name says it")]
    Avx2(x86::Avx2),
    #[cfg(target_arch = "x86_64")]
    #[expect(missing_docs, reason = "the name says it")]
    Avx512(x86::Avx512),
    #[cfg(target_arch = "aarch64")]
    #[expect(missing_docs, reason = "the name says it")]
    Neon(neon::Neon),
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    #[expect(missing_docs, reason = "the name says it")]
    Simd128(wasm::Simd128),
}

impl Kernel {
    /// The reference.
    pub const SCALAR: Kernel = Kernel::Scalar(scalar::Scalar);

    /// Every kernel that this processor can run, the reference first, the best last.
    pub fn all() -> Vec<Kernel> {
        #[allow(unused_mut, reason = "other architectures have the reference only")]
        let mut kernels = vec![Kernel::SCALAR];
        #[cfg(target_arch = "x86_64")]
        {
            kernels.extend(x86::Avx2::detect().map(Kernel::Avx2));
            kernels.extend(x86::Avx512::detect().map(Kernel::Avx512));
        }
        #[cfg(target_arch = "aarch64")]
        kernels.extend(neon::Neon::detect().map(Kernel::Neon));
        // A module with these instructions is not loaded where they are not supported.
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        kernels.push(Kernel::Simd128(wasm::Simd128));
        kernels
    }

    /// The fastest kernel that this processor can run.
    pub fn best() -> Kernel {
        Kernel::all().last().copied().unwrap_or(Kernel::SCALAR)
    }

    /// Computes with these instructions.
    #[inline(always)]
    pub fn run<T: Task>(self, task: T) -> T::Output {
        match self {
            Kernel::Scalar(arithmetic) => task.run(arithmetic),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2(arithmetic) => arithmetic.compile(task),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512(arithmetic) => arithmetic.compile(task),
            #[cfg(target_arch = "aarch64")]
            Kernel::Neon(arithmetic) => task.run(arithmetic),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Kernel::Simd128(arithmetic) => task.run(arithmetic),
        }
    }
}
