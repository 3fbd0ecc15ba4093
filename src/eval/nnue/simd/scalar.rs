//! The reference: what every twin must compute to the last bit.

use super::super::format::QA;
use super::{Arithmetic, Block, HiddenLayer, ThreatRow, ThreatSums};

/// `to = from + add - sub`.
#[inline(always)]
pub fn add_sub(to: &mut [Block], from: &[Block], add: &[Block], sub: &[Block]) {
    for (((to, from), add), sub) in to.iter_mut().zip(from).zip(add).zip(sub) {
        for i in 0..to.0.len() {
            to.0[i] = from.0[i].wrapping_add(add.0[i]).wrapping_sub(sub.0[i]);
        }
    }
}

/// `to = from + add - sub1 - sub2`.
#[inline(always)]
pub fn add_sub_sub(to: &mut [Block], from: &[Block], add: &[Block], sub1: &[Block], sub2: &[Block]) {
    for ((((to, from), add), sub1), sub2) in to.iter_mut().zip(from).zip(add).zip(sub1).zip(sub2) {
        for i in 0..to.0.len() {
            to.0[i] = from.0[i].wrapping_add(add.0[i]).wrapping_sub(sub1.0[i]).wrapping_sub(sub2.0[i]);
        }
    }
}

/// `to += add - sub`.
#[inline(always)]
pub fn add_sub_here(to: &mut [Block], add: &[Block], sub: &[Block]) {
    for ((to, add), sub) in to.iter_mut().zip(add).zip(sub) {
        for i in 0..to.0.len() {
            to.0[i] = to.0[i].wrapping_add(add.0[i]).wrapping_sub(sub.0[i]);
        }
    }
}

/// `to += add`.
#[inline(always)]
pub fn add(to: &mut [Block], add: &[Block]) {
    for (to, add) in to.iter_mut().zip(add) {
        for i in 0..to.0.len() {
            to.0[i] = to.0[i].wrapping_add(add.0[i]);
        }
    }
}

/// `to -= sub`.
#[inline(always)]
pub fn sub(to: &mut [Block], sub: &[Block]) {
    for (to, sub) in to.iter_mut().zip(sub) {
        for i in 0..to.0.len() {
            to.0[i] = to.0[i].wrapping_sub(sub.0[i]);
        }
    }
}

/// `to = from`, plus the rows of the threats that `come`, minus those of the others.
#[inline(always)]
pub fn add_threats<const SHIFT: u32>(
    to: &mut ThreatSums,
    from: &ThreatSums,
    rows: &[ThreatRow],
    threats: &[u32],
    come: usize,
) {
    *to = *from;
    for (number, threat) in threats.iter().enumerate() {
        let sign = if number < come { 1 } else { -1 };
        let weights = &rows[(threat >> SHIFT) as u16 as usize].0;
        for (value, &weight) in to.0.iter_mut().flat_map(|block| &mut block.0).zip(weights) {
            *value = value.wrapping_add(sign * i16::from(weight));
        }
    }
}

/// The reference as a kernel.
#[derive(Clone, Copy, Debug)]
pub struct Scalar;

impl Arithmetic for Scalar {
    fn screlu_dot(self, HiddenLayer { values, rows, threats }: HiddenLayer<'_>, weights: &[Block]) -> i64 {
        let mut sum = 0;
        for (at, (values, weights)) in values.iter().zip(weights).enumerate() {
            for (i, (&value, &weight)) in values.0.iter().zip(&weights.0).enumerate() {
                let threats = threats.0.get(at).map_or(0, |block| block.0[i]);
                let value = value.wrapping_add(threats);
                let value = rows.iter().fold(value, |value, row| value.wrapping_add(row[at].0[i]));
                let clipped = i32::from(value).clamp(0, QA);
                sum += i64::from(clipped * clipped * i32::from(weight));
            }
        }
        sum
    }
}
