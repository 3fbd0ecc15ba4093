//! Whether this processor is one that the program was built for.
//!
//! A program that was built for AVX2 may use it anywhere, even here, and would crash at the first such instruction
//! without a message. So this module runs before anything else and uses only plain integers, and its message is a
//! constant.

use std::arch::x86_64::{__cpuid, __cpuid_count, _xgetbv};
use std::hint::black_box;

/// The message of `main` if [`is_fit`] is false.
pub const REFUSAL: &str = if cfg!(target_feature = "avx512vbmi") {
    "ibex: this program was built for newer processors; use another build, or build it here\n"
} else if cfg!(target_feature = "avx512f") {
    "ibex: this program was built for processors with AVX-512; use another build, or build it here\n"
} else if cfg!(target_feature = "avx2") {
    "ibex: this program was built for processors with AVX2 and BMI2; use the build for all processors\n"
} else {
    "ibex: this program was built for newer processors; use another build, or build it here\n"
};

/// A bit of `CPUID` that must be set, if the compiler was allowed to use what it stands for.
const fn needed(used: bool, bit: u32) -> u32 {
    if used { 1 << bit } else { 0 }
}

/// The words of `CPUID` and the bits in them that stand for instruction sets, by Rust's names. `NEEDED` has the bits
/// that must be set in a word.
macro_rules! words {
    ($($word:ident: $($set:tt $bit:literal),+;)+) => {
        $(mod $word {
            pub const NEEDED: u32 = 0 $(| super::needed(cfg!(target_feature = $set), $bit))+;

            /// The sets with their bits, and whether Rust finds them.
            #[cfg(test)]
            pub fn sets() -> Vec<(&'static str, u32, bool)> {
                vec![$(($set, $bit, is_x86_feature_detected!($set))),+]
            }
        })+
    };
}

// Sets that a compiler uses of its own accord, or that a build for one processor switches on.
words! {
    leaf_1_ecx: "sse3" 0, "pclmulqdq" 1, "ssse3" 9, "fma" 12, "sse4.1" 19, "sse4.2" 20, "movbe" 22, "popcnt" 23, "aes" 25,
        "avx" 28, "f16c" 29;
    leaf_7_ebx: "bmi1" 3, "avx2" 5, "bmi2" 8, "avx512f" 16, "avx512dq" 17, "adx" 19, "avx512ifma" 21, "avx512cd" 28,
        "sha" 29, "avx512bw" 30, "avx512vl" 31;
    leaf_7_ecx: "avx512vbmi" 1, "avx512vbmi2" 6, "gfni" 8, "vaes" 9, "vpclmulqdq" 10, "avx512vnni" 11, "avx512bitalg" 12,
        "avx512vpopcntdq" 14;
    leaf_7_edx: "avx512vp2intersect" 8, "avx512fp16" 23;
    leaf_7_1_eax: "sha512" 0, "avxvnni" 4, "avx512bf16" 5, "avxifma" 23;
    leaf_7_1_edx: "avxvnniint8" 4, "avxneconvert" 5, "avxvnniint16" 10;
    extended_1_ecx: "lzcnt" 5, "sse4a" 6;
}

/// The bit in ECX of leaf 1 which says that the system decides which registers it saves.
const OSXSAVE: u32 = 1 << 27;

/// The registers that the system must save when it switches programs. If it does not, the first of the instructions
/// fails even on a processor that has them.
const REGISTERS: u64 =
    registers(cfg!(target_feature = "avx512f"), cfg!(target_feature = "avx"), cfg!(target_vendor = "apple"));

/// The registers of SSE and AVX, and the three kinds of AVX-512. macOS enables AVX-512 on first use.
const fn registers(avx512: bool, avx: bool, mac: bool) -> u64 {
    match (avx512, avx) {
        (true, _) if !mac => 0xE6,
        (true, _) | (_, true) => 0x06,
        (false, false) => 0,
    }
}

/// Whether a word has all bits that are needed. Each word is checked alone: the compiler could use vectors for
/// several.
fn has(word: u32, needed: u32) -> bool {
    black_box(word) & needed == needed
}

/// Whether the system saves these registers.
fn are_saved(registers: u64) -> bool {
    // SAFETY: the instruction is there if the bit OSXSAVE is set, and it reads a register that every program may read.
    registers == 0 || has(__cpuid(1).ecx, OSXSAVE) && unsafe { _xgetbv(0) } & registers == registers
}

/// Whether the processor has the instruction sets that the compiler was allowed to use, and the system saves their
/// registers. Rust's own detection answers yes for all of these without checking, so this reads `CPUID` itself.
#[inline(never)]
pub fn is_fit() -> bool {
    // A leaf that a processor lacks does not read as zeros: some processors answer with their last one.
    let last = __cpuid(0).eax;
    has(__cpuid(1).ecx, leaf_1_ecx::NEEDED)
        && (leaf_7_ebx::NEEDED | leaf_7_ecx::NEEDED | leaf_7_edx::NEEDED == 0
            || last >= 7
                && has(__cpuid_count(7, 0).ebx, leaf_7_ebx::NEEDED)
                && has(__cpuid_count(7, 0).ecx, leaf_7_ecx::NEEDED)
                && has(__cpuid_count(7, 0).edx, leaf_7_edx::NEEDED))
        && (leaf_7_1_eax::NEEDED | leaf_7_1_edx::NEEDED == 0
            || last >= 7
                && __cpuid_count(7, 0).eax >= 1
                && has(__cpuid_count(7, 1).eax, leaf_7_1_eax::NEEDED)
                && has(__cpuid_count(7, 1).edx, leaf_7_1_edx::NEEDED))
        && (extended_1_ecx::NEEDED == 0
            || __cpuid(0x8000_0000).eax > 0x8000_0000 && has(__cpuid(0x8000_0001).ecx, extended_1_ecx::NEEDED))
        && are_saved(REGISTERS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mac_saves_registers_that_it_does_not_announce() {
        assert_eq!((registers(true, true, false), registers(true, true, true)), (0xE6, 0x06));
        assert_eq!((registers(false, true, true), registers(false, false, true)), (0x06, 0));
    }

    #[test]
    fn cpuid_bits_match_the_detected_sets() {
        let [one, seven] = [__cpuid(1), __cpuid_count(7, 0)];
        let more = (seven.eax >= 1).then(|| __cpuid_count(7, 1));
        let words = [
            (one.ecx, leaf_1_ecx::sets()),
            (seven.ebx, leaf_7_ebx::sets()),
            (seven.ecx, leaf_7_ecx::sets()),
            (seven.edx, leaf_7_edx::sets()),
            (more.map_or(0, |leaf| leaf.eax), leaf_7_1_eax::sets()),
            (more.map_or(0, |leaf| leaf.edx), leaf_7_1_edx::sets()),
            (__cpuid(0x8000_0001).ecx, extended_1_ecx::sets()),
        ];
        for (word, sets) in words {
            for (set, bit, is_there) in sets {
                // Rust detects a vector instruction set only if the system saves its registers.
                let saved = !set.starts_with('a') && set != "fma" || are_saved(0xE6);
                assert!(word >> bit & 1 == 1 || !is_there, "{set}");
                assert!(word >> bit & 1 == 0 || is_there || !saved, "{set}");
            }
        }
        assert_eq!(are_saved(0x06), is_x86_feature_detected!("avx"));
        assert!(is_fit());
    }
}
