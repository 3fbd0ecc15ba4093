//! How much less a late move is searched: a curve in ln(depth)·ln(move number).

use crate::params;

/// Depths and move numbers beyond the last are reduced like it.
const LAST: usize = 63;

/// 1024·ln(n), and 0 for none.
const LOGARITHMS: [i32; LAST + 1] = {
    let mut logarithms = [0; LAST + 1];
    let mut n = 1;
    while n <= LAST {
        logarithms[n] = ln_1024(n as u32);
        n += 1;
    }
    logarithms
};

/// The reduction of the `number`-th move at `depth`, in 1/1024 ply.
#[inline]
pub fn reduction(depth: i32, number: usize) -> i32 {
    let product = LOGARITHMS[depth.clamp(1, LAST as i32) as usize] * LOGARITHMS[number.clamp(1, LAST)] / 1024;
    params::lmr_base() + product * params::lmr_slope() / 1024
}

/// 1024·ln(n), in integers: the same on every processor, which floating point libraries do not promise.
///
/// Binary logarithm by repeated squaring of a 32-bit fraction, then a change of base.
const fn ln_1024(n: u32) -> i32 {
    debug_assert!(n > 0);
    let exponent = n.ilog2();
    let mut fraction = (n as u64) << (32 - exponent);
    let mut log2 = (exponent as u64) << 16;
    let mut bit = 1 << 15;
    while bit > 0 {
        fraction = ((fraction as u128 * fraction as u128) >> 32) as u64;
        if fraction >= 2 << 32 {
            fraction >>= 1;
            log2 += bit;
        }
        bit >>= 1;
    }
    // ln 2 = 0.693147 = 45426 / 65536.
    (log2 as i64 * 45_426 / 65_536 * 1024 / 65_536) as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_right() {
        for n in 1..=4096u32 {
            let exact = f64::from(n).ln() * 1024.0;
            assert!((f64::from(ln_1024(n)) - exact).abs() < 1.5, "{n}: {} {exact}", ln_1024(n));
        }
    }

    #[test]
    fn reductions_grow_with_depth_and_number() {
        for depth in 2..63 {
            for number in 2..62 {
                assert!(reduction(depth, number + 1) >= reduction(depth, number));
                assert!(reduction(depth + 1, number) >= reduction(depth, number));
            }
        }
    }
}
