//! Whether this processor is one that the program was built for.
//!
//! A program that was built for AVX2 may use it anywhere, also here, and would end at the first such instruction without a
//! word. So this module uses plain integers alone, before anything else is done, and its message is a constant.

use std::arch::x86_64::{__cpuid, __cpuid_count};

/// What `main` says where [`is_fit`] is false.
pub const REFUSAL: &str = if cfg!(target_feature = "avx512f") {
    "ibex: this program was built for processors with AVX-512; take another one, or build it here\n"
} else if cfg!(target_feature = "avx2") {
    "ibex: this program was built for processors with AVX2 and BMI2; take the one for all processors\n"
} else {
    "ibex: this program was built for newer processors; take another one, or build it here\n"
};

/// A bit of `CPUID` that must be set, if the compiler was allowed to use what it stands for.
const fn needed(used: bool, bit: u32) -> u32 {
    if used { 1 << bit } else { 0 }
}

/// ECX of leaf 1.
const FIRST: u32 = needed(cfg!(target_feature = "fma"), 12)
    | needed(cfg!(target_feature = "movbe"), 22)
    | needed(cfg!(target_feature = "popcnt"), 23);
/// EBX of leaf 7.
const SEVENTH: u32 = needed(cfg!(target_feature = "bmi1"), 3)
    | needed(cfg!(target_feature = "avx2"), 5)
    | needed(cfg!(target_feature = "bmi2"), 8)
    | needed(cfg!(target_feature = "avx512f"), 16)
    | needed(cfg!(target_feature = "avx512bw"), 30);
/// ECX of leaf 0x8000_0001.
const EXTENDED: u32 = needed(cfg!(target_feature = "lzcnt"), 5);

/// Whether the processor has the sets of instructions that the compiler was allowed to use. Rust's own detection says yes to
/// all of these without a look, so this reads the processor's own words.
#[inline(never)]
pub fn is_fit() -> bool {
    let has = |word: u32, needed: u32| word & needed == needed;
    has(__cpuid(1).ecx, FIRST)
        && (SEVENTH == 0 || __cpuid(0).eax >= 7 && has(__cpuid_count(7, 0).ebx, SEVENTH))
        && (EXTENDED == 0 || __cpuid(0x8000_0000).eax > 0x8000_0000 && has(__cpuid(0x8000_0001).ecx, EXTENDED))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bits_are_those_of_the_sets() {
        let bit = |word: u32, bit: u32| word >> bit & 1 == 1;
        let (first, seventh) = (__cpuid(1).ecx, __cpuid_count(7, 0).ebx);
        assert_eq!(bit(first, 12), is_x86_feature_detected!("fma"));
        assert_eq!(bit(first, 22), is_x86_feature_detected!("movbe"));
        assert_eq!(bit(first, 23), is_x86_feature_detected!("popcnt"));
        assert_eq!(bit(seventh, 3), is_x86_feature_detected!("bmi1"));
        assert_eq!(bit(seventh, 5), is_x86_feature_detected!("avx2"));
        assert_eq!(bit(seventh, 8), is_x86_feature_detected!("bmi2"));
        assert_eq!(bit(seventh, 16), is_x86_feature_detected!("avx512f"));
        assert_eq!(bit(seventh, 30), is_x86_feature_detected!("avx512bw"));
        assert_eq!(bit(__cpuid(0x8000_0001).ecx, 5), is_x86_feature_detected!("lzcnt"));
        assert!(is_fit());
    }
}
