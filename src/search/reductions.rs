//! How much less a late move is searched: a curve in ln(depth)·ln(move number).

use crate::params;

/// Reductions in 1/1024 ply by depth and move number.
pub struct Table(Box<[[i32; 64]; 64]>);

impl Table {
    /// The curve for the current parameters.
    pub fn new() -> Table {
        let mut table = Box::new([[0; 64]; 64]);
        // Each logarithm once: short searches would otherwise spend most of their time here.
        let logarithms: [i64; 64] = std::array::from_fn(|n| i64::from(ln_1024(n.max(1) as u32)));
        for (depth, row) in table.iter_mut().enumerate().skip(1) {
            for (number, cell) in row.iter_mut().enumerate().skip(1) {
                let product = logarithms[depth] * logarithms[number] / 1024;
                *cell = params::reduction_base() + (product as i32) * params::reduction_slope() / 1024;
            }
        }
        Table(table)
    }

    /// The reduction of the `number`-th move at `depth`, in 1/1024 ply.
    #[inline]
    pub fn get(&self, depth: i32, number: usize) -> i32 {
        self.0[depth.clamp(0, 63) as usize][number.min(63)]
    }
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
        let table = Table::new();
        for depth in 2..63 {
            for number in 2..62 {
                assert!(table.get(depth, number + 1) >= table.get(depth, number));
                assert!(table.get(depth + 1, number) >= table.get(depth, number));
            }
        }
    }
}
