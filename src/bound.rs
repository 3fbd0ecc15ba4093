//! Don Beal's Integrated Bounds and Values: a value and what is known about it, as one ordered number.
//!
//! An exact value `n` becomes `4n`, a lower bound (at least `n`) `4n + 1`, an upper bound (at most `n`) `4n - 1`. The
//! order of these numbers is the order in which a maximising side prefers them: `≤n < =n < ≥n < ≤n+1`. So a search
//! needs no flags: the best child is the maximum, the cut is one comparison, and a node all of whose children failed
//! low flags itself as an upper bound. Where nothing is known there is no value: an `Option` of one takes no more room,
//! and is less than every value.
//!
//! Source: Don Beal, "Integrated Bounds and Values" (1995), as described in the chess programming wiki.

use std::fmt;
use std::num::NonZeroU32;
use std::ops::Neg;

use crate::score::{DrawRule, Score};

/// The claim of a value about the truth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Bound {
    /// The value is the truth.
    Exact = 0b00,
    /// The truth is at least the value.
    Lower = 0b01,
    /// The truth is at most the value.
    Upper = 0b11,
}

impl Bound {
    /// The bound with these two bits; `10` is not a bound.
    pub const fn from_bits(bits: u64) -> Option<Bound> {
        match bits & 0b11 {
            0b00 => Some(Bound::Exact),
            0b01 => Some(Bound::Lower),
            0b11 => Some(Bound::Upper),
            _ => None,
        }
    }

    /// The bound from the other side's view, as negation changes it.
    pub const fn flipped(self) -> Bound {
        match self {
            Bound::Exact => Bound::Exact,
            Bound::Lower => Bound::Upper,
            Bound::Upper => Bound::Lower,
        }
    }

    /// Whether the truth is at least the value.
    pub const fn is_lower_or_exact(self) -> bool {
        !matches!(self, Bound::Upper)
    }

    /// Whether the truth is at most the value.
    pub const fn is_upper_or_exact(self) -> bool {
        !matches!(self, Bound::Lower)
    }
}

/// An integrated bound and value: see the module's text. Never mixed with a bare [`Score`]; conversions are explicit.
///
/// ```
/// use ibex::bound::Ibv;
/// use ibex::score::Score;
///
/// let score = Score::heuristic(50);
/// // A side prefers "at least 50" to "exactly 50", and that to "at most 50".
/// assert!(Ibv::upper(score) < Ibv::exact(score) && Ibv::exact(score) < Ibv::lower(score));
/// // What is at least 50 for one side is at most -50 for the other.
/// assert_eq!(-Ibv::lower(score), Ibv::upper(-score));
/// // "At least 50" is enough for a beta cutoff at 50. "At most 50" is not.
/// assert!(Ibv::lower(score).cuts(score));
/// assert!(!Ibv::upper(score).cuts(score));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ibv(NonZeroU32);

const _: () = assert!(size_of::<Option<Ibv>>() == size_of::<Ibv>());

/// Added to the number of a value, so that codes are not zero and their order is that of unsigned numbers. The lowest
/// bits stay.
const ORIGIN: u32 = 1 << 20;
/// A bit of every code. With it, the compiler sees that no code is zero.
const MARK: u32 = 1 << 31;

impl Ibv {
    /// The value with this number: four times the score, and the bound.
    #[inline(always)]
    const fn of(number: i32) -> Ibv {
        match NonZeroU32::new((number + ORIGIN as i32) as u32 | MARK) {
            Some(code) => Ibv(code),
            None => unreachable!(),
        }
    }

    /// The number.
    #[inline(always)]
    const fn number(self) -> i32 {
        (self.0.get() ^ MARK) as i32 - ORIGIN as i32
    }

    /// The truth is `score`.
    pub const fn exact(score: Score) -> Ibv {
        Ibv::of(4 * score.raw())
    }

    /// The truth is at least `score`.
    pub const fn lower(score: Score) -> Ibv {
        Ibv::of(4 * score.raw() + 1)
    }

    /// The truth is at most `score`.
    pub const fn upper(score: Score) -> Ibv {
        Ibv::of(4 * score.raw() - 1)
    }

    /// `score` with the bound named.
    pub const fn new(score: Score, bound: Bound) -> Ibv {
        match bound {
            Bound::Exact => Ibv::exact(score),
            Bound::Lower => Ibv::lower(score),
            Bound::Upper => Ibv::upper(score),
        }
    }

    /// The value without its bound. A plain shift would turn "≤ 10" into 9; adding one first rounds it back.
    pub const fn score(self) -> Score {
        Score::from_known((self.number() + 1) >> 2)
    }

    /// The bound without its value.
    pub const fn bound(self) -> Bound {
        match self.number() & 0b11 {
            0b00 => Bound::Exact,
            0b01 => Bound::Lower,
            _ => Bound::Upper,
        }
    }

    /// The same value, claimed to be exact.
    #[must_use]
    pub const fn force_exact(self) -> Ibv {
        Ibv::of((self.number() + 1) & !0b11)
    }

    /// The same value, as a lower bound.
    #[must_use]
    pub const fn force_lower(self) -> Ibv {
        Ibv::of(self.force_exact().number() + 1)
    }

    /// The same value, as an upper bound.
    #[must_use]
    pub const fn force_upper(self) -> Ibv {
        Ibv::of(self.force_exact().number() - 1)
    }

    /// Whether this child value refutes the node: it proves at least `beta`. One comparison; "at most beta" is just
    /// below the line and does not cut.
    ///
    /// Valid for a value that a search with this beta has returned: its upper bounds are no higher than beta. For any
    /// other value, use [`Ibv::settles`].
    pub const fn cuts(self, beta: Score) -> bool {
        self.0.get() >= Ibv::exact(beta).0.get()
    }

    /// Whether this child value raises `alpha`: it is greater, and not just an upper bound.
    pub const fn raises(self, alpha: Score) -> bool {
        self.score().raw() > alpha.raw() && !matches!(self.bound(), Bound::Upper)
    }

    /// Whether this proves that the truth is at most `alpha`. Like [`Ibv::cuts`], valid for a value that a search
    /// with this alpha has returned.
    pub const fn fails_low(self, alpha: Score) -> bool {
        self.0.get() <= Ibv::exact(alpha).0.get()
    }

    /// Whether knowing this settles a node with the window `alpha..beta`: it is exact, or refutes, or fails low.
    pub fn settles(self, alpha: Score, beta: Score) -> bool {
        match self.bound() {
            Bound::Exact => true,
            Bound::Lower => self.score() >= beta,
            Bound::Upper => self.score() <= alpha,
        }
    }

    /// Whether this improves on an estimate of `cp` centipawns: it is exact, or a bound that contradicts the
    /// estimate.
    pub const fn corrects(self, cp: i32) -> bool {
        let known = self.score().cp();
        match self.bound() {
            Bound::Exact => true,
            Bound::Lower => known > cp,
            Bound::Upper => known < cp,
        }
    }

    /// The part of a value that holds however shallow the search was: that a win is a win, and a loss a loss.
    ///
    /// Evaluations never claim mate, and no loss is claimed once a move has been skipped, so a deeper search can only
    /// find the win sooner. That there is *no* sooner win holds only at the depth searched: even an exact mate proves
    /// just "at least". The progress of a recognized win is not proved: the defence may undo it.
    #[must_use]
    pub fn proof(self) -> Option<Ibv> {
        let proved = self.score().without_progress();
        if proved.is_win() && self.bound().is_lower_or_exact() {
            Some(Ibv::lower(proved))
        } else if proved.is_loss() && self.bound().is_upper_or_exact() {
            Some(Ibv::upper(proved))
        } else {
            None
        }
    }

    /// Whether this says that the position is drawn.
    pub fn settles_draw(self) -> bool {
        self.bound() == Bound::Exact && self.score().is_draw()
    }

    /// The same claim, with a recognized win or loss stripped of its progress.
    #[must_use]
    pub fn without_progress(self) -> Ibv {
        Ibv::new(self.score().without_progress(), self.bound())
    }

    /// The value clipped into a proven interval, promoted to exact where the two ends meet.
    ///
    /// `lower` and `upper` are proved bounds of the same node (from a recognizer or the table). A refutation at a
    /// lowered beta and a failure at a raised alpha are exact: the proof bounds the value from the other side.
    #[must_use]
    pub fn within(self, lower: Option<Score>, upper: Option<Score>) -> Ibv {
        let mut ibv = self;
        if let Some(upper) = upper
            && ibv.score() >= upper
        {
            ibv = if ibv.bound() == Bound::Upper { Ibv::upper(upper) } else { Ibv::exact(upper) };
        }
        if let Some(lower) = lower
            && ibv.score() <= lower
        {
            ibv = if ibv.bound() == Bound::Lower { Ibv::lower(lower) } else { Ibv::exact(lower) };
        }
        if lower.is_some() && lower == upper { ibv.force_exact() } else { ibv }
    }

    /// Re-bases to a node at `ply` for the table; the bound is kept.
    #[must_use]
    pub const fn to_tt(self, ply: usize, draws: DrawRule) -> Ibv {
        Ibv::new(self.score().to_tt(ply, draws), self.bound())
    }

    /// Re-bases a stored value to the root; `None` where its distance no longer fits.
    #[must_use]
    pub const fn from_tt(self, ply: usize, draws: DrawRule) -> Option<Ibv> {
        match self.score().from_tt(ply, draws) {
            Some(score) => Some(Ibv::new(score, self.bound())),
            None => None,
        }
    }
}

impl Neg for Ibv {
    type Output = Ibv;
    /// The value from the other side's view, with the [bound flipped](Bound::flipped).
    fn neg(self) -> Ibv {
        Ibv::of(-self.number())
    }
}

impl fmt::Debug for Ibv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = match self.bound() {
            Bound::Exact => '=',
            Bound::Lower => '≥',
            Bound::Upper => '≤',
        };
        write!(f, "{sign} {:?}", self.score())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores() -> impl Iterator<Item = Score> {
        (Score::MIN.raw()..=Score::MAX.raw()).map(Score::from_raw)
    }

    const BOUNDS: [Bound; 3] = [Bound::Upper, Bound::Exact, Bound::Lower];

    #[test]
    fn every_value_and_bound_round_trips() {
        for score in scores() {
            for bound in BOUNDS {
                let ibv = Ibv::new(score, bound);
                assert_eq!((ibv.score(), ibv.bound()), (score, bound));
                assert_eq!(ibv.force_exact(), Ibv::exact(score));
                assert_eq!(ibv.force_exact().force_exact(), ibv.force_exact());
                assert_eq!(ibv.force_lower(), Ibv::lower(score));
                assert_eq!(ibv.force_upper(), Ibv::upper(score));
                assert_eq!(Bound::from_bits(bound as u64), Some(bound));
            }
        }
        assert_eq!(Bound::from_bits(0b10), None);
    }

    #[test]
    fn negation_swaps_bounds() {
        for score in scores() {
            assert_eq!(-Ibv::exact(score), Ibv::exact(-score));
            assert_eq!(-Ibv::lower(score), Ibv::upper(-score));
            assert_eq!(-Ibv::upper(score), Ibv::lower(-score));
            for bound in BOUNDS {
                let ibv = Ibv::new(score, bound);
                assert_eq!((-ibv).force_lower(), -ibv.force_upper());
                assert_eq!((-ibv).force_exact(), -ibv.force_exact());
                assert_eq!((-ibv).bound(), bound.flipped());
            }
        }
    }

    #[test]
    fn the_order_is_strict() {
        let mut last = None;
        for score in scores() {
            for bound in BOUNDS {
                let ibv = Ibv::new(score, bound);
                assert!(Some(ibv) > last);
                last = Some(ibv);
            }
        }
    }

    #[test]
    fn cuts_and_fail_lows_respect_the_bound() {
        let beta = Score::heuristic(10);
        assert!(Ibv::exact(beta).cuts(beta));
        assert!(Ibv::lower(beta).cuts(beta));
        assert!(!Ibv::upper(beta).cuts(beta));
        assert!(!Ibv::lower(beta.below()).cuts(beta));
        assert!(Ibv::upper(beta).fails_low(beta));
        assert!(Ibv::exact(beta).fails_low(beta));
        assert!(!Ibv::lower(beta).fails_low(beta));
    }

    #[test]
    fn only_exact_or_lower_values_above_alpha_raise_it() {
        let alpha = Score::heuristic(10);
        assert!(Ibv::exact(alpha.above()).raises(alpha) && Ibv::lower(alpha.above()).raises(alpha));
        assert!(!Ibv::upper(alpha.above()).raises(alpha), "the truth may be less");
        assert!(BOUNDS.iter().all(|&bound| !Ibv::new(alpha, bound).raises(alpha)));
    }

    #[test]
    fn a_proof_keeps_only_its_proved_direction() {
        let win = Score::mate_in(5);
        assert_eq!(Ibv::exact(win).proof(), Some(Ibv::lower(win)));
        assert_eq!(Ibv::lower(win).proof(), Some(Ibv::lower(win)));
        assert_eq!(Ibv::exact(Score::recognized_win(500)).proof(), Some(Ibv::lower(Score::recognized_win(0))));
        assert_eq!(Ibv::upper(win).proof(), None);
        for score in scores() {
            for bound in BOUNDS {
                let (here, there) = (Ibv::new(score, bound).proof(), (-Ibv::new(score, bound)).proof());
                assert_eq!(here, there.map(Neg::neg));
                assert!(here.is_none() || score.is_decisive());
            }
        }
    }

    /// A raw shift would lose one at every upper bound; this is the pitfall that `score` exists to avoid.
    #[test]
    fn score_corrects_the_borrow_of_upper_bounds() {
        for score in scores() {
            assert_eq!(Ibv::upper(score).number() >> 2, score.raw() - 1);
            assert_eq!(Ibv::upper(score).score(), score);
        }
    }

    /// For every small interval and every value and bound that is sound for some truth in the interval, the clipped
    /// result is still sound for it, and exact where the ends meet it.
    #[test]
    fn promotion_is_sound() {
        let small = || (-4..=4).map(Score::from_raw);
        for truth in small() {
            for lower in small().filter(|&l| l <= truth).map(Some).chain([None]) {
                for upper in small().filter(|&u| u >= truth).map(Some).chain([None]) {
                    for value in small() {
                        for bound in BOUNDS {
                            let ibv = Ibv::new(value, bound);
                            if !sound(ibv, truth) {
                                continue;
                            }
                            let clipped = ibv.within(lower, upper);
                            assert!(
                                sound(clipped, truth),
                                "{ibv:?} in {lower:?}..{upper:?} for {truth:?}: {clipped:?}"
                            );
                            if Some(truth) == upper && bound == Bound::Lower && value == truth {
                                assert_eq!(clipped, Ibv::exact(truth));
                            }
                        }
                    }
                }
            }
        }
    }

    fn sound(ibv: Ibv, truth: Score) -> bool {
        match ibv.bound() {
            Bound::Exact => ibv.score() == truth,
            Bound::Lower => ibv.score() <= truth,
            Bound::Upper => ibv.score() >= truth,
        }
    }
}
