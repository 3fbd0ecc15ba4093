//! A middlegame and an endgame value, added and multiplied together.

use std::fmt;
use std::ops::{Add, AddAssign, Mul, Neg, Sub};

/// Two values of 16 bits in one word: the middlegame's in the lower half, the endgame's in the upper half.
///
/// The lower value's sign borrows from the upper one, and reading the upper one back repays it; so sums and multiples
/// are those of the pairs, as long as both stay within ±32767.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct S {
    word: i32,
}

/// The pair of a middlegame and an endgame value, in centipawns unless said otherwise.
#[expect(non_snake_case, reason = "weights are tables of these: the shortest name reads best")]
pub const fn S(middlegame: i32, endgame: i32) -> S {
    S::new(middlegame, endgame)
}

impl S {
    /// Zero.
    pub const ZERO: S = S::new(0, 0);

    /// The pair of these values.
    pub const fn new(middlegame: i32, endgame: i32) -> S {
        S { word: (endgame << 16) + middlegame }
    }

    /// The middlegame's value.
    #[inline]
    pub const fn middlegame(self) -> i32 {
        self.word as i16 as i32
    }

    /// The endgame's value.
    #[inline]
    pub const fn endgame(self) -> i32 {
        ((self.word + 0x8000) >> 16) as i16 as i32
    }
}

impl Add for S {
    type Output = S;
    #[inline]
    fn add(self, other: S) -> S {
        S { word: self.word.wrapping_add(other.word) }
    }
}

impl AddAssign for S {
    #[inline]
    fn add_assign(&mut self, other: S) {
        *self = *self + other;
    }
}

impl Sub for S {
    type Output = S;
    #[inline]
    fn sub(self, other: S) -> S {
        S { word: self.word.wrapping_sub(other.word) }
    }
}

impl Neg for S {
    type Output = S;
    #[inline]
    fn neg(self) -> S {
        S { word: self.word.wrapping_neg() }
    }
}

impl Mul<i32> for S {
    type Output = S;
    #[inline]
    fn mul(self, times: i32) -> S {
        S { word: self.word.wrapping_mul(times) }
    }
}

impl fmt::Debug for S {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "S({}, {})", self.middlegame(), self.endgame())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_two_numbers() {
        for a in (-3000..3000).step_by(7) {
            for b in (-3000..3000).step_by(501) {
                let pair = S(a, b);
                assert_eq!((pair.middlegame(), pair.endgame()), (a, b));
                let sum = S(a, b) + S(b, a) - S(5, -6) * 3;
                assert_eq!((sum.middlegame(), sum.endgame()), (a + b - 15, a + b + 18));
                assert_eq!(-pair, S(-a, -b));
            }
        }
    }
}
