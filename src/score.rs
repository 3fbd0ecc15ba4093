//! Scores: 15 bits in disjoint bands.
//!
//! A [`Score`] is always relative to the side to move of the node that it belongs to. Its band says what kind of
//! statement it is, so a mate, a tablebase win, a recognized win, an evaluation and a draw can never be mistaken for
//! each other, as long as plies are within 0..=[`MAX_PLY`]:
//!
//! | band | magnitude | meaning |
//! |---|---|---|
//! | mate | 16137..=16383 | `16383 - ply of the mate` |
//! | tablebase | 15890..=16136 | `16136 - ply of the probe` |
//! | recognizer | 8192..=15889 | proven sign, progress towards mate as magnitude |
//! | heuristic | 512..=5511 | evaluation of 1..=5000 centipawns, moved away from zero by 511 |
//! | draw | 0..=511 | distance of the draw from the root, signed by who wants it (Cray Blitz) |
//!
//! Mates, tablebase wins and draws are counted from the root of the search, because only then do they order the root's
//! choices by distance. In the table they are counted from the node that is stored (see [`Score::to_tt`]), because
//! only then do they hold wherever the position occurs again.
//!
//! Sources: the chess programming wiki's page "Score"; Hyatt and Nelson on Cray Blitz (1988); Slate's interior-node
//! score bounds, in Heinz (1998).

use std::fmt;
use std::ops::Neg;

/// The deepest ply that a search reaches; mate and draw distances fit their bands because of it.
pub const MAX_PLY: usize = 246;

const MATE: i32 = i16::MAX as i32 / 2;
const MATE_MIN: i32 = MATE - MAX_PLY as i32;
const TABLEBASE: i32 = MATE_MIN - 1;
const TABLEBASE_MIN: i32 = TABLEBASE - MAX_PLY as i32;
const RECOGNIZER_MAX: i32 = TABLEBASE_MIN - 1;
const RECOGNIZER_MIN: i32 = 8192;
const DRAW_MAX: i32 = 511;
const HEURISTIC_MIN: i32 = DRAW_MAX + 1;
const HEURISTIC_MAX: i32 = DRAW_MAX + Score::MAX_EVAL;

// Each edge is defined from its neighbour; these assertions fix the values.
const _: () = assert!(MATE == 16383 && MATE_MIN == 16137);
const _: () = assert!(TABLEBASE == 16136 && TABLEBASE_MIN == 15890);
const _: () = assert!(RECOGNIZER_MAX == 15889 && RECOGNIZER_MIN > HEURISTIC_MAX);
const _: () = assert!(HEURISTIC_MAX == 5511);
const _: () = assert!(2 * MAX_PLY as i32 <= DRAW_MAX);

/// A score in one of the disjoint bands, relative to the side to move; ±16383.
///
/// ```
/// use ibex::score::{Band, Score};
///
/// // A mate beats every evaluation, and a near mate a far one. The distances are in plies.
/// assert!(Score::mate_in(3) > Score::mate_in(5));
/// assert!(Score::mate_in(5) > Score::heuristic(5000));
/// assert_eq!(-Score::mate_in(3), Score::mated_in(3));
/// // UCI counts full moves.
/// assert_eq!(Score::mate_in(3).mate_moves(), Some(2));
/// assert_eq!(Score::heuristic(42).cp(), 42);
/// assert_eq!(Score::heuristic(42).band(), Band::Heuristic);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Score(i16);

/// The kind of statement that a score makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Band {
    /// A draw, at a distance.
    Draw,
    /// An evaluation: an opinion, not a proof.
    Heuristic,
    /// Between evaluation and proof: no node has such a value, but a search window may have its edge there.
    Guard,
    /// A win or loss that a recognizer has proved.
    Recognizer,
    /// A win or loss read from a tablebase.
    Tablebase,
    /// Mate at a known distance.
    Mate,
}

impl Score {
    /// Mate on the board, for the side that gives it: the upper end of the scale.
    pub const MAX: Score = Score(MATE as i16);
    /// Mated on the board: the lower end of the scale.
    pub const MIN: Score = Score(-MATE as i16);
    /// A draw at distance 0.
    pub const ZERO: Score = Score(0);
    /// The upper end of the draw band: no draw at any distance is better.
    pub const BEST_DRAW: Score = Score(DRAW_MAX as i16);
    /// The lower end of the draw band.
    pub const WORST_DRAW: Score = Score(-DRAW_MAX as i16);
    /// The largest evaluation, in centipawns; larger ones saturate.
    pub const MAX_EVAL: i32 = 5000;
    /// The largest progress that a recognized win can carry.
    pub const MAX_PROGRESS: i32 = RECOGNIZER_MAX - RECOGNIZER_MIN;

    /// The score with this raw value, from `Score::MIN.raw()` to `Score::MAX.raw()`.
    ///
    /// # Panics
    ///
    /// In builds with debug assertions, if the value is beyond the scale; in other builds it saturates.
    pub const fn from_raw(raw: i32) -> Score {
        debug_assert!(raw >= -MATE && raw <= MATE);
        Score(if raw < -MATE {
            -MATE
        } else if raw > MATE {
            MATE
        } else {
            raw
        } as i16)
    }

    /// The score with this raw value, which must be on the scale.
    #[inline(always)]
    pub(crate) const fn from_known(raw: i32) -> Score {
        debug_assert!(raw >= -MATE && raw <= MATE);
        Score(raw as i16)
    }

    /// The raw value, for packing and for printing in tests.
    pub const fn raw(self) -> i32 {
        self.0 as i32
    }

    /// The side to move mates at `ply` from the root: 0 to [`MAX_PLY`]. In a score from the root's view, `ply` is
    /// odd.
    ///
    /// # Panics
    ///
    /// In builds with debug assertions, if `ply` is more than [`MAX_PLY`]; in other builds the score then lies in
    /// another band.
    pub const fn mate_in(ply: usize) -> Score {
        debug_assert!(ply <= MAX_PLY);
        Score::from_raw(MATE - ply as i32)
    }

    /// The side to move is mated at `ply` from the root: 0 to [`MAX_PLY`]. In a score from the root's view, `ply` is
    /// even.
    ///
    /// # Panics
    ///
    /// In builds with debug assertions, if `ply` is more than [`MAX_PLY`]; in other builds the score then lies in
    /// another band.
    pub const fn mated_in(ply: usize) -> Score {
        debug_assert!(ply <= MAX_PLY);
        Score::from_raw(-MATE + ply as i32)
    }

    /// A tablebase win for the side to move, probed at `ply` from the root: 0 to [`MAX_PLY`].
    ///
    /// # Panics
    ///
    /// In builds with debug assertions, if `ply` is more than [`MAX_PLY`]; in other builds the score then lies in
    /// another band.
    pub const fn tablebase_win(ply: usize) -> Score {
        debug_assert!(ply <= MAX_PLY);
        Score::from_raw(TABLEBASE - ply as i32)
    }

    /// A recognized win for the side to move; `progress` (`0..=MAX_PROGRESS`, clamped) grows towards the mate.
    pub const fn recognized_win(progress: i32) -> Score {
        let progress = if progress < 0 {
            0
        } else if progress > Score::MAX_PROGRESS {
            Score::MAX_PROGRESS
        } else {
            progress
        };
        Score::from_raw(RECOGNIZER_MIN + progress)
    }

    /// The same score; a recognized win or loss is stripped of its progress, which is not proved.
    #[must_use]
    pub const fn without_progress(self) -> Score {
        match self.band() {
            Band::Recognizer if self.0 > 0 => Score::from_raw(RECOGNIZER_MIN),
            Band::Recognizer => Score::from_raw(-RECOGNIZER_MIN),
            _ => self,
        }
    }

    /// An evaluation in centipawns from the side to move's view, saturating at ±[`Score::MAX_EVAL`].
    ///
    /// Zero lies in the draw band, so it becomes one centipawn for the side to move.
    pub const fn heuristic(cp: i32) -> Score {
        if cp >= 0 {
            let cp = if cp < 1 { 1 } else { cp };
            Score::from_raw(if cp > Score::MAX_EVAL { HEURISTIC_MAX } else { cp + DRAW_MAX })
        } else {
            Score::from_raw(if cp < -Score::MAX_EVAL { -HEURISTIC_MAX } else { cp - DRAW_MAX })
        }
    }

    /// The band of this score.
    pub const fn band(self) -> Band {
        match self.0.unsigned_abs() as i32 {
            ..=DRAW_MAX => Band::Draw,
            HEURISTIC_MIN..=HEURISTIC_MAX => Band::Heuristic,
            RECOGNIZER_MIN..=RECOGNIZER_MAX => Band::Recognizer,
            TABLEBASE_MIN..=TABLEBASE => Band::Tablebase,
            MATE_MIN.. => Band::Mate,
            _ => Band::Guard,
        }
    }

    /// Whether this is a draw score.
    pub const fn is_draw(self) -> bool {
        self.0.unsigned_abs() as i32 <= DRAW_MAX
    }

    /// Whether this is a mate, a tablebase result or a recognized win or loss: a proof, not an opinion.
    pub const fn is_decisive(self) -> bool {
        self.0.unsigned_abs() as i32 >= RECOGNIZER_MIN
    }

    /// Whether this is a proven win.
    pub const fn is_win(self) -> bool {
        self.0 as i32 >= RECOGNIZER_MIN
    }

    /// Whether this is a proven loss.
    pub const fn is_loss(self) -> bool {
        self.0 as i32 <= -RECOGNIZER_MIN
    }

    /// Whether this is a mate score.
    pub const fn is_mate(self) -> bool {
        self.0.unsigned_abs() as i32 >= MATE_MIN
    }

    /// Plies from the root to the mate, if this is a mate score.
    pub const fn mate_ply(self) -> Option<usize> {
        if self.is_mate() { Some((MATE - self.0.unsigned_abs() as i32) as usize) } else { None }
    }

    /// Plies from the root to the tablebase probe, if this is a tablebase result.
    pub const fn tablebase_ply(self) -> Option<usize> {
        match self.band() {
            Band::Tablebase => Some((TABLEBASE - self.0.unsigned_abs() as i32) as usize),
            _ => None,
        }
    }

    /// Full moves to the mate as UCI counts them, of a score from the root's view: positive when the root's side
    /// mates, negative when it will be mated, `Some(0)` when it is mated already. In a node below the root, plies
    /// from the root do not count its side's moves.
    pub const fn mate_moves(self) -> Option<i32> {
        match self.mate_ply() {
            None => None,
            Some(plies) if self.0 > 0 => Some((plies as i32 + 1) / 2),
            Some(plies) => Some(-(plies as i32) / 2),
        }
    }

    /// Centipawns, for margins and for printing: monotone and odd over all bands.
    ///
    /// Draws are 0, evaluations their centipawns, recognized wins near 10000, tablebase wins near 20000, mates near
    /// 30000. Margins are computed on this scale and never across the gap at zero.
    #[inline(always)]
    pub const fn cp(self) -> i32 {
        let size = self.0.unsigned_abs() as i32;
        if size >= HEURISTIC_MIN && size <= HEURISTIC_MAX {
            return if self.0 < 0 { DRAW_MAX - size } else { size - DRAW_MAX };
        }
        self.cp_beyond()
    }

    const fn cp_beyond(self) -> i32 {
        let size = self.0.unsigned_abs() as i32;
        let cp = match self.band() {
            Band::Draw => 0,
            Band::Heuristic => size - DRAW_MAX,
            Band::Guard => Score::MAX_EVAL + 1,
            Band::Recognizer => 10_000 + (size - RECOGNIZER_MIN) / 10,
            Band::Tablebase => 20_000 - (TABLEBASE - size),
            Band::Mate => 30_000 - (MATE - size),
        };
        if self.0 < 0 { -cp } else { cp }
    }

    /// This score moved by a margin in centipawns; a draw counts as 0, so the result is an evaluation; proven scores
    /// do not move.
    #[must_use]
    pub const fn offset(self, cp: i32) -> Score {
        if self.is_decisive() { self } else { Score::heuristic(self.cp() + cp) }
    }

    /// The next score above, for null windows.
    ///
    /// # Panics
    ///
    /// In builds with debug assertions, if this is [`Score::MAX`]; other builds return it unchanged.
    #[must_use]
    pub const fn above(self) -> Score {
        Score::from_raw(self.0 as i32 + 1)
    }

    /// The next score below, for null windows.
    ///
    /// # Panics
    ///
    /// In builds with debug assertions, if this is [`Score::MIN`]; other builds return it unchanged.
    #[must_use]
    pub const fn below(self) -> Score {
        Score::from_raw(self.0 as i32 - 1)
    }

    /// Re-bases a score from the root to a node at `ply`, so that it can be stored in the table.
    ///
    /// Mates and tablebase wins grow by `ply`; draws lose the part of their distance that lies above the node
    /// (`draws` is the search's rule for them). The map is monotone, so it takes bounds to bounds.
    #[must_use]
    pub const fn to_tt(self, ply: usize, draws: DrawRule) -> Score {
        let raw = self.raw();
        if self.is_draw() {
            return clamp_draw(raw - draws.sign_at(ply) * ply as i32);
        }
        // Only scores of this search are stored: a win at ply p cannot lie above the node that reports it, so only
        // window edges can leave the band, and they saturate.
        if raw >= MATE_MIN {
            Score::from_raw(min(raw + ply as i32, MATE))
        } else if raw >= TABLEBASE_MIN {
            Score::from_raw(min(raw + ply as i32, TABLEBASE))
        } else if raw <= -MATE_MIN {
            Score::from_raw(-min(-raw + ply as i32, MATE))
        } else if raw <= -TABLEBASE_MIN {
            Score::from_raw(-min(-raw + ply as i32, TABLEBASE))
        } else {
            self
        }
    }

    /// Re-bases a stored score to the root again; `None` where the distance no longer fits its band.
    #[must_use]
    pub const fn from_tt(self, ply: usize, draws: DrawRule) -> Option<Score> {
        let raw = self.raw();
        if self.is_draw() {
            return Some(clamp_draw(raw + draws.sign_at(ply) * ply as i32));
        }
        let size = raw.abs();
        let based = size - ply as i32;
        let fits = size < TABLEBASE_MIN
            || (size <= TABLEBASE && based >= TABLEBASE_MIN)
            || (size >= MATE_MIN && based >= MATE_MIN);
        if !fits {
            None
        } else if size < TABLEBASE_MIN {
            Some(self)
        } else {
            Some(Score::from_raw(if raw < 0 { -based } else { based }))
        }
    }

    /// The 15-bit two's complement pattern of an optional score; the one unused code means "none".
    pub const fn to_bits(score: Option<Score>) -> u64 {
        (match score {
            Some(score) => score.raw(),
            None => -(1 << 14),
        }) as u64
            & 0x7FFF
    }

    /// Reads a 15-bit pattern back, by the sign extension without shifts: `(x & (S - 1)) - (x & S)`.
    pub const fn from_bits(bits: u64) -> Option<Score> {
        const SIGN: i32 = 1 << 14;
        let bits = (bits & 0x7FFF) as i32;
        let raw = (bits & (SIGN - 1)) - (bits & SIGN);
        if raw == -SIGN { None } else { Some(Score(raw as i16)) }
    }
}

const fn min(a: i32, b: i32) -> i32 {
    if a < b { a } else { b }
}

const fn clamp_draw(raw: i32) -> Score {
    Score::from_raw(if raw > DRAW_MAX {
        DRAW_MAX
    } else if raw < -DRAW_MAX {
        -DRAW_MAX
    } else {
        raw
    })
}

impl Neg for Score {
    type Output = Score;
    fn neg(self) -> Score {
        Score(-self.0)
    }
}

impl fmt::Debug for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.band(), self.mate_ply()) {
            (_, Some(ply)) if self.0 > 0 => write!(f, "mate at ply {ply}"),
            (_, Some(ply)) => write!(f, "mated at ply {ply}"),
            (Band::Draw, _) => write!(f, "draw {:+}", self.0),
            (Band::Guard, _) => write!(f, "guard {:+}", self.0),
            (band, _) => write!(f, "{:+} cp ({band:?})", self.cp()),
        }
    }
}

/// Which draws the root side prefers (Cray Blitz): the distance of a draw from the root orders equal draws.
///
/// A draw at ply `q` is worth `δq` to the root side, so the value at a node of ply `p` is `σ(p)·δ·q`, zero-sum by
/// construction; σ is +1 where the root side is to move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DrawRule {
    /// Later draws are better for the root side (δ = +1).
    Later,
    /// Sooner draws are better for the root side (δ = −1).
    Sooner,
    /// All draws are equal (δ = 0).
    #[default]
    Off,
}

impl DrawRule {
    /// The value of a draw on the board at `ply`, for the side to move there.
    pub const fn draw(self, ply: usize) -> Score {
        clamp_draw(self.sign_at(ply) * ply as i32)
    }

    /// σ(ply)·δ.
    const fn sign_at(self, ply: usize) -> i32 {
        let delta = match self {
            DrawRule::Later => 1,
            DrawRule::Sooner => -1,
            DrawRule::Off => 0,
        };
        if ply.is_multiple_of(2) { delta } else { -delta }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn every() -> impl Iterator<Item = Score> {
        (-MATE..=MATE).map(Score::from_raw)
    }

    #[test]
    fn bands_are_disjoint_total_and_odd() {
        let mut counts = std::collections::HashMap::new();
        for score in every() {
            assert_eq!(score.band(), (-score).band());
            *counts.entry(score.band()).or_insert(0) += 1;
        }
        assert_eq!(counts[&Band::Draw], 2 * 511 + 1);
        assert_eq!(counts[&Band::Heuristic], 2 * 5000);
        assert_eq!(counts[&Band::Recognizer], 2 * 7698);
        assert_eq!(counts[&Band::Tablebase], 2 * 247);
        assert_eq!(counts[&Band::Mate], 2 * 247);
        assert_eq!(counts.values().sum::<i32>(), 2 * MATE + 1);
    }

    #[test]
    fn centipawns_are_odd_and_never_fall() {
        let mut last = i32::MIN;
        for score in every() {
            assert_eq!(score.cp(), -(-score).cp());
            assert!(score.cp() >= last, "{score:?}");
            last = score.cp();
        }
    }

    #[test]
    fn every_evaluation_survives_its_band() {
        for cp in -Score::MAX_EVAL..=Score::MAX_EVAL {
            let score = Score::heuristic(cp);
            assert_eq!(score.band(), Band::Heuristic);
            assert_eq!(score.cp(), if cp == 0 { 1 } else { cp });
        }
        assert_eq!(Score::heuristic(1 << 20).cp(), 5000);
        assert_eq!(Score::heuristic(-(1 << 20)).cp(), -5000);
    }

    #[test]
    fn bits_round_trip() {
        for score in every() {
            assert_eq!(Score::from_bits(Score::to_bits(Some(score))), Some(score));
        }
        assert_eq!(Score::from_bits(Score::to_bits(None)), None);
        assert_eq!(Score::to_bits(None), 0x4000);
    }

    #[test]
    fn mate_moves_follow_uci() {
        assert_eq!(Score::mate_in(1).mate_moves(), Some(1));
        assert_eq!(Score::mate_in(3).mate_moves(), Some(2));
        assert_eq!(Score::mated_in(0).mate_moves(), Some(0));
        assert_eq!(Score::mated_in(2).mate_moves(), Some(-1));
        assert_eq!(Score::mated_in(4).mate_moves(), Some(-2));
        assert_eq!(Score::tablebase_win(0).mate_moves(), None);
    }

    #[test]
    fn plies_fill_their_bands() {
        for ply in 0..=MAX_PLY {
            assert_eq!(Score::mate_in(ply).mate_ply(), Some(ply));
            assert_eq!(Score::mated_in(ply).mate_ply(), Some(ply));
            assert_eq!(Score::tablebase_win(ply).tablebase_ply(), Some(ply));
        }
    }

    #[test]
    #[cfg(debug_assertions)]
    fn plies_beyond_the_bands_are_refused() {
        for score in [Score::mate_in, Score::mated_in, Score::tablebase_win] {
            assert!(std::panic::catch_unwind(|| score(MAX_PLY + 1)).is_err());
        }
        assert!(std::panic::catch_unwind(|| Score::from_raw(Score::MAX.raw() + 1)).is_err());
    }

    /// The table-driven examples of the re-basing rule: (ply stored at, score there, stored, ply probed at, result).
    #[test]
    fn rebasing_examples() {
        let later = DrawRule::Later;
        for (p, v, stored, q, result) in [
            (0, 4, 4, 2, 6),
            (3, -3, 0, 7, -7),
            (2, 16376, 16378, 4, 16374),
            (5, -16374, -16379, 1, -16378),
            (6, 568, 568, 9, 568),
            (6, 16130, 16136, 10, 16126),
            (4, 10, 6, 8, 14),
            (5, -11, -6, 1, -7),
        ] {
            let score = Score::from_raw(v).to_tt(p, later);
            assert_eq!(score.raw(), stored);
            assert_eq!(score.from_tt(q, later).map(Score::raw), Some(result));
        }
        assert_eq!(Score::from_raw(6).to_tt(6, DrawRule::Off).raw(), 6);
    }

    /// Round trip, monotone, odd: over every reachable score, every ply and every rule. A stored score never leaves
    /// its band: a mate that is too far away does not become a tablebase win.
    #[test]
    fn rebasing_laws() {
        for rule in [DrawRule::Later, DrawRule::Sooner, DrawRule::Off] {
            let other = match rule {
                DrawRule::Later => DrawRule::Sooner,
                DrawRule::Sooner => DrawRule::Later,
                DrawRule::Off => DrawRule::Off,
            };
            // Miri is a thousand times slower.
            for ply in (0..=MAX_PLY).step_by(if cfg!(miri) { 123 } else { 1 }) {
                let mut last = i32::MIN;
                for score in every() {
                    let stored = score.to_tt(ply, rule);
                    assert_eq!(stored.band(), score.band());
                    assert_eq!((-score).to_tt(ply, other), -stored, "odd");
                    assert!(stored.raw() >= last, "monotone");
                    last = stored.raw();
                    // What a node at this ply can report: mates, tablebase hits and draws at this ply or below it.
                    let reachable = match score.band() {
                        Band::Mate => MATE - score.raw().abs() >= ply as i32,
                        Band::Tablebase => TABLEBASE - score.raw().abs() >= ply as i32,
                        Band::Draw => score.raw().abs() <= DRAW_MAX - ply as i32,
                        _ => true,
                    };
                    if reachable {
                        assert_eq!(stored.from_tt(ply, rule), Some(score), "round trip at {ply}");
                    }
                    // The same score as if it had been stored.
                    let back = score.from_tt(ply, rule);
                    assert!(back.is_none_or(|back| back.band() == score.band()), "{score:?} at {ply}: {back:?}");
                    let needed = score.mate_ply().or(score.tablebase_ply());
                    let fits = needed.is_none_or(|needed| needed + ply <= MAX_PLY);
                    assert_eq!(back.is_some(), fits, "{score:?} at {ply}");
                }
            }
        }
    }

    #[test]
    fn draws_are_zero_sum_and_ordered_by_distance() {
        for ply in 0..MAX_PLY {
            for rule in [DrawRule::Later, DrawRule::Sooner, DrawRule::Off] {
                assert!(rule.draw(ply).is_draw());
            }
            // Two plies later the same side is to move: it wants later draws under Later, and sooner ones under Sooner.
            if ply % 2 == 0 && ply + 2 < MAX_PLY {
                assert!(DrawRule::Later.draw(ply + 2) > DrawRule::Later.draw(ply));
                assert!(DrawRule::Sooner.draw(ply + 2) < DrawRule::Sooner.draw(ply) || ply == 0);
            }
        }
        assert_eq!(DrawRule::Later.draw(6).raw(), 6);
        assert_eq!(DrawRule::Later.draw(7).raw(), -7);
    }
}
