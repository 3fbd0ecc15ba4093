//! Counters for the laboratory. Play counts nothing.

use crate::bound::{Bound, Ibv};

/// The counts of an experiment: nodes that the table has settled, by the kind of value that did it, and more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Lower bounds at beta or above.
    pub lower: u64,
    /// Upper bounds at alpha or below.
    pub upper: u64,
    /// Exact values at beta or above.
    pub exact_high: u64,
    /// Exact values at alpha or below.
    pub exact_low: u64,
    /// Of all these, wins and losses that held although they had been found at less depth.
    pub proofs: u64,
    /// PV nodes for which the table had a value that may narrow their window.
    pub narrowed: u64,
    /// Searches of the root, one for each window of each iteration.
    pub passes: u64,
}

impl Tally {
    /// All nodes that the table has settled.
    pub fn all(&self) -> u64 {
        self.lower + self.upper + self.exact_high + self.exact_low
    }

    /// The sum of two tallies.
    #[must_use]
    pub fn plus(self, other: Tally) -> Tally {
        Tally {
            lower: self.lower + other.lower,
            upper: self.upper + other.upper,
            exact_high: self.exact_high + other.exact_high,
            exact_low: self.exact_low + other.exact_low,
            proofs: self.proofs + other.proofs,
            narrowed: self.narrowed + other.narrowed,
            passes: self.passes + other.passes,
        }
    }

    /// Counts a TT cutoff with `value`; `proof` says that depth did not matter.
    pub(in crate::search) fn table_cut(&mut self, value: Ibv, fails_low: bool, proof: bool) {
        *match (value.bound(), fails_low) {
            (Bound::Lower, _) => &mut self.lower,
            (Bound::Upper, _) => &mut self.upper,
            (Bound::Exact, false) => &mut self.exact_high,
            (Bound::Exact, true) => &mut self.exact_low,
        } += 1;
        self.proofs += u64::from(proof);
    }

    /// Counts a PV node for which the table has a value that may narrow its window.
    pub(in crate::search) fn narrowed(&mut self) {
        self.narrowed += 1;
    }

    /// Counts a search of the root with one window.
    pub(in crate::search) fn pass(&mut self) {
        self.passes += 1;
    }
}
