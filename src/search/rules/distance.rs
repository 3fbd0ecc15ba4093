//! Models of distance: how scores prefer near wins and far losses.
//!
//! A search whose scores only say *whether* it mates may never do it. Play counts plies from the root, so that the
//! root's choices are ordered, and re-bases them in the table. The laboratory compares that with two models whose
//! scores mean the same anywhere in the tree: mates that age as they are backed up, and H. G. Muller's bonus for
//! delaying a loss.
//!
//! A model acts on the edge between a node and its child: [`Distance::enter`] maps the window that the child is
//! searched with, [`Distance::leave`] the child's result. The first must be the preimage of the second, or windows
//! and results would not match.

use crate::bound::Ibv;
use crate::recognize::LONGEST_WIN;
use crate::score::{Band, DrawRule, MAX_PLY, Score};

/// A model of distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distance {
    /// Plies from the root, re-based in the table: what play uses.
    RootPly,
    /// Mates and tablebase results age by one ply on every edge, so a node's value does not depend on its ply.
    ///
    /// By construction the search is the same as with [`Distance::RootPly`], node for node; the test suite checks
    /// this.
    NodeAged,
    /// Muller's delayed-loss bonus: a result worse than the node's static evaluation improves by one when it is
    /// backed up.
    ///
    /// Every loss, of material or of the king, becomes a little better for each own move that delays it, and by
    /// negation every gain becomes a little better the sooner it comes. Mates count own moves:
    /// `16383 - n` is mate in `n`.
    ///
    /// Source: H. G. Muller, micro-Max 4.8 and Fairy-Max.
    DelayedLoss,
    /// [`Distance::RootPly`] with a fault: the tests of scores must notice it.
    #[cfg(test)]
    Faulty(super::faults::Fault),
}

impl Distance {
    /// The ply from which a node at `ply` counts its mates: its own mate is `Score::mated_in(origin(ply))`.
    #[inline(always)]
    pub fn origin(self, ply: usize) -> usize {
        match self {
            Distance::NodeAged | Distance::DelayedLoss => 0,
            Distance::RootPly => ply,
            #[cfg(test)]
            Distance::Faulty(fault) => fault.origin(ply),
        }
    }

    /// The nearest mate that a node at `ply` can give, counted as its mates are: the one with its next move.
    #[inline(always)]
    pub fn nearest_mate(self, ply: usize) -> usize {
        match self {
            #[cfg(test)]
            Distance::Faulty(fault) => fault.nearest_mate(ply),
            _ => self.origin(ply) + 1,
        }
    }

    /// Whether [`Distance::enter`] and [`Distance::leave`] need the child's static evaluation.
    #[inline(always)]
    pub fn wants_evaluation(self) -> bool {
        self == Distance::DelayedLoss
    }

    /// An edge of the window in the child's terms, from the child's view; `lower` says whether it is alpha.
    #[inline(always)]
    pub fn enter(self, edge: Score, lower: bool, evaluation: Score) -> Score {
        match self {
            Distance::RootPly => edge,
            #[cfg(test)]
            Distance::Faulty(_) => edge,
            Distance::NodeAged => younger(edge),
            Distance::DelayedLoss => {
                // The exit map is m + (m < e); its preimage takes one from an alpha below e and from a beta not above
                // it.
                let shifted = if lower { edge < evaluation } else { edge <= evaluation };
                if shifted && edge > Score::MIN { edge.below() } else { edge }
            }
        }
    }

    /// The child's result as its parent sees it, still from the child's view.
    #[inline(always)]
    pub fn leave(self, value: Ibv, evaluation: Score) -> Ibv {
        match self {
            Distance::NodeAged => older(value),
            Distance::RootPly => value,
            #[cfg(test)]
            Distance::Faulty(fault) => fault.leave(value),
            Distance::DelayedLoss if value.score() < evaluation => Ibv::new(value.score().above(), value.bound()),
            Distance::DelayedLoss => value,
        }
    }

    /// A node's result as the table stores it.
    #[inline(always)]
    pub fn to_tt(self, value: Ibv, ply: usize, draws: DrawRule) -> Ibv {
        match self {
            Distance::RootPly => value.to_tt(ply, draws),
            Distance::NodeAged if value.score().is_draw() => value.to_tt(ply, draws),
            Distance::NodeAged | Distance::DelayedLoss => value,
            #[cfg(test)]
            Distance::Faulty(fault) => fault.to_tt(value, ply, draws),
        }
    }

    /// A stored result as it holds at `ply`; `None` if it does not fit.
    #[inline(always)]
    pub fn from_tt(self, stored: Ibv, ply: usize, draws: DrawRule) -> Option<Ibv> {
        match self {
            Distance::RootPly => stored.from_tt(ply, draws),
            Distance::NodeAged if stored.score().is_draw() => stored.from_tt(ply, draws),
            Distance::NodeAged | Distance::DelayedLoss => Some(stored),
            #[cfg(test)]
            Distance::Faulty(fault) => fault.at_ply(stored, ply, draws),
        }
    }

    /// The plies that a stored decisive score needs at least to come true.
    #[inline(always)]
    pub fn plies_needed(self, stored: Score) -> usize {
        let needed = match stored.band() {
            Band::Mate => stored.mate_ply().unwrap_or(0),
            Band::Tablebase => stored.tablebase_ply().unwrap_or(0),
            // The distance between the node and the recognized win is unknown; it may take up the rest of the hundred
            // plies.
            Band::Recognizer => 2 * LONGEST_WIN,
            _ => 0,
        };
        match self {
            #[cfg(test)]
            Distance::Faulty(fault) => fault.plies_needed(needed),
            // Its mates count moves.
            Distance::DelayedLoss if stored.is_mate() => 2 * needed,
            _ => needed,
        }
    }
}

/// The edge that an aged score is compared with: one ply younger, and no younger than mate on the board.
fn younger(edge: Score) -> Score {
    let size = edge.raw().abs();
    let younger = if size >= Score::mate_in(MAX_PLY).raw() - 1 || edge.band() == Band::Tablebase {
        (size + 1).min(Score::MAX.raw())
    } else {
        size
    };
    Score::from_raw(if edge.raw() < 0 { -younger } else { younger })
}

/// A mate or a tablebase result one ply further away; any other value as it is.
fn older(value: Ibv) -> Ibv {
    let score = value.score();
    if !matches!(score.band(), Band::Mate | Band::Tablebase) {
        return value;
    }
    let older = score.raw().abs() - 1;
    Ibv::new(Score::from_raw(if score.raw() < 0 { -older } else { older }), value.bound())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores() -> impl Iterator<Item = Score> {
        (Score::MIN.raw()..=Score::MAX.raw()).map(Score::from_raw)
    }

    /// For results `m` and window edges: the result that leaves is above the edge exactly if the child's is above the
    /// entered edge, and at least the edge exactly if the child's is at least the entered one.
    fn windows_are_preimages(model: Distance, evaluation: Score, results: &[Score], edges: &[Score]) {
        for &m in results {
            let left = model.leave(Ibv::exact(m), evaluation).score();
            for &edge in edges {
                let (alpha, beta) = (model.enter(edge, true, evaluation), model.enter(edge, false, evaluation));
                assert_eq!(left > edge, m > alpha, "{m:?} leaves as {left:?}; alpha {edge:?} enters as {alpha:?}");
                assert_eq!(left >= edge, m >= beta, "{m:?} leaves as {left:?}; beta {edge:?} enters as {beta:?}");
            }
        }
    }

    #[test]
    fn entering_windows_match_leaving_results() {
        let every: Vec<Score> = scores().collect();
        // Results include an evaluation on either side; edges are those near which something changes.
        let some: Vec<Score> = every
            .iter()
            .copied()
            .filter(|s| s.raw().abs() < 1100 && s.raw() % 7 == 0 || s.raw().abs() > 16_130 || s.raw().abs() < 4)
            .collect();
        for cp in [-300, -1, 1, 40, 500] {
            let evaluation = Score::heuristic(cp);
            windows_are_preimages(Distance::RootPly, evaluation, &some, &some);
            let inner: Vec<Score> = some.iter().copied().filter(|&s| s > Score::MIN && s < Score::MAX).collect();
            windows_are_preimages(Distance::DelayedLoss, evaluation, &inner, &inner);
            // Mates that a child can have: on the board or later, but not so late that ageing leaves the band.
            let real: Vec<Score> = inner
                .iter()
                .copied()
                .filter(|s| s.mate_ply().is_none_or(|n| n + 1 < MAX_PLY) && s.band() != Band::Guard)
                .filter(|s| s.tablebase_ply().is_none_or(|n| n + 1 < MAX_PLY))
                .collect();
            windows_are_preimages(Distance::NodeAged, evaluation, &real, &real);
        }
    }

    #[test]
    fn ageing_matches_counting_from_the_root() {
        for n in 0..MAX_PLY - 1 {
            assert_eq!(
                Distance::NodeAged.leave(Ibv::exact(Score::mated_in(n)), Score::ZERO).score(),
                Score::mated_in(n + 1)
            );
            assert_eq!(
                Distance::NodeAged.leave(Ibv::lower(Score::mate_in(n)), Score::ZERO),
                Ibv::lower(Score::mate_in(n + 1))
            );
        }
    }

    /// Mated, mate in one, mated in one, mate in two: each loss improves by one on its way up, gains stay.
    #[test]
    fn delayed_loss_counts_own_moves() {
        let e = Score::heuristic(1);
        let mut value = Ibv::exact(Score::MIN);
        let mut seen = vec![];
        for _ in 0..4 {
            value = -Distance::DelayedLoss.leave(value, e);
            seen.push(value.score().raw());
        }
        assert_eq!(seen, [16382, -16382, 16381, -16381]);
    }
}
