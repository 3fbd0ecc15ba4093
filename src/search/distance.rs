//! How a search makes near things different from far ones: three models of distance behind one trait.
//!
//! A search that only knows *whether* it mates may never do it. Play counts plies from the root, so that the root's
//! choices are ordered, and re-bases them in the table. The laboratory compares that with two models whose scores
//! mean the same wherever in the tree they stand: mates that age as they are backed up, and H. G. Muller's bonus for
//! whoever delays a loss.
//!
//! A model acts on the edge between a node and its child: [`DistanceModel::enter`] maps the window that the child is
//! searched with, [`DistanceModel::leave`] the child's result. The first must be the preimage of the second, else
//! windows and results would speak different languages.

use crate::bound::Ibv;
use crate::recognize::LONGEST_WIN;
use crate::score::{Band, DrawRule, MAX_PLY, Score};

/// A model of distance.
pub trait DistanceModel: Send + Sync {
    /// Where a node at `ply` counts its mates from: its own mate is `Score::mated_in(origin(ply))`.
    fn origin(&self, ply: usize) -> usize;

    /// Whether [`DistanceModel::enter`] and [`DistanceModel::leave`] want the child's static evaluation.
    fn wants_evaluation(&self) -> bool;

    /// The edge of a window, as the child sees it; `lower` tells alpha from beta. All from the child's view.
    fn enter(&self, edge: Score, lower: bool, evaluation: Score) -> Score;

    /// The child's result, as its parent is to see it (still from the child's view).
    fn leave(&self, value: Ibv, evaluation: Score) -> Ibv;

    /// A node's result as it is stored.
    fn to_table(&self, value: Ibv, ply: usize, draws: DrawRule) -> Ibv;

    /// A stored result as it holds at `ply`; [`Ibv::NONE`] where it does not fit.
    fn out_of_table(&self, stored: Ibv, ply: usize, draws: DrawRule) -> Ibv;

    /// The half-moves that a stored decisive score needs to come true, as far as it knows.
    fn plies_needed(&self, stored: Score) -> usize;
}

/// Plies from the root, re-based in the table: what play uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RootPly;

impl DistanceModel for RootPly {
    #[inline(always)]
    fn origin(&self, ply: usize) -> usize {
        ply
    }

    #[inline(always)]
    fn wants_evaluation(&self) -> bool {
        false
    }

    #[inline(always)]
    fn enter(&self, edge: Score, _lower: bool, _evaluation: Score) -> Score {
        edge
    }

    #[inline(always)]
    fn leave(&self, value: Ibv, _evaluation: Score) -> Ibv {
        value
    }

    #[inline(always)]
    fn to_table(&self, value: Ibv, ply: usize, draws: DrawRule) -> Ibv {
        value.to_table(ply, draws)
    }

    #[inline(always)]
    fn out_of_table(&self, stored: Ibv, ply: usize, draws: DrawRule) -> Ibv {
        stored.from_table(ply, draws)
    }

    #[inline(always)]
    fn plies_needed(&self, stored: Score) -> usize {
        match stored.band() {
            Band::Mate => stored.mate_ply().unwrap_or(0),
            Band::Tablebase => stored.tablebase_ply().unwrap_or(0),
            // Whatever lies between the node and where the win was recognised is unknown, and is left to the rest of
            // the hundred half-moves.
            Band::Recognizer => 2 * LONGEST_WIN,
            _ => 0,
        }
    }
}

/// Mates and tablebase results age by one ply on every edge, so a node's value does not depend on where it stands.
///
/// By construction the search is the same as with [`RootPly`], node for node; the test suite holds it to that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodeAged;

impl DistanceModel for NodeAged {
    fn origin(&self, _ply: usize) -> usize {
        0
    }

    fn wants_evaluation(&self) -> bool {
        false
    }

    fn enter(&self, edge: Score, _lower: bool, _evaluation: Score) -> Score {
        let size = edge.raw().abs();
        // The edge that an aged score is compared with: one ply younger, and no younger than mate on the board.
        let younger = if size >= Score::mate_in(MAX_PLY).raw() - 1 || edge.band() == Band::Tablebase {
            (size + 1).min(Score::MAX.raw())
        } else {
            size
        };
        Score::from_raw(if edge.raw() < 0 { -younger } else { younger })
    }

    fn leave(&self, value: Ibv, _evaluation: Score) -> Ibv {
        let score = value.score();
        if !matches!(score.band(), Band::Mate | Band::Tablebase) {
            return value;
        }
        let older = score.raw().abs() - 1;
        Ibv::new(Score::from_raw(if score.raw() < 0 { -older } else { older }), value.bound())
    }

    fn to_table(&self, value: Ibv, ply: usize, draws: DrawRule) -> Ibv {
        if value.score().is_draw() { value.to_table(ply, draws) } else { value }
    }

    fn out_of_table(&self, stored: Ibv, ply: usize, draws: DrawRule) -> Ibv {
        if stored.score().is_draw() { stored.from_table(ply, draws) } else { stored }
    }

    fn plies_needed(&self, stored: Score) -> usize {
        RootPly.plies_needed(stored)
    }
}

/// Muller's delayed-loss bonus: a result worse than the node's static evaluation is improved by one on the way up.
///
/// Every loss, of material or of the king, becomes a little better for each own move that delays it, and by negation
/// every gain a little better the sooner it comes. Mates count own moves: mate in `n` is `16383 - n`.
///
/// Source: H. G. Muller, micro-Max 4.8 and Fairy-Max.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DelayedLoss;

impl DistanceModel for DelayedLoss {
    fn origin(&self, _ply: usize) -> usize {
        0
    }

    fn wants_evaluation(&self) -> bool {
        true
    }

    fn enter(&self, edge: Score, lower: bool, evaluation: Score) -> Score {
        // The exit map is m + (m < e); its preimage takes one from an alpha below e and from a beta not above it.
        let shifted = if lower { edge < evaluation } else { edge <= evaluation };
        if shifted && edge > Score::MIN { edge.below() } else { edge }
    }

    fn leave(&self, value: Ibv, evaluation: Score) -> Ibv {
        let score = value.score();
        if score < evaluation { Ibv::new(score.above(), value.bound()) } else { value }
    }

    fn to_table(&self, value: Ibv, _ply: usize, _draws: DrawRule) -> Ibv {
        value
    }

    fn out_of_table(&self, stored: Ibv, _ply: usize, _draws: DrawRule) -> Ibv {
        stored
    }

    fn plies_needed(&self, stored: Score) -> usize {
        let needed = RootPly.plies_needed(stored);
        if stored.is_mate() { 2 * needed } else { needed }
    }
}

/// A model chosen at run time.
impl<D: DistanceModel + ?Sized> DistanceModel for &'static D {
    fn origin(&self, ply: usize) -> usize {
        (**self).origin(ply)
    }

    fn wants_evaluation(&self) -> bool {
        (**self).wants_evaluation()
    }

    fn enter(&self, edge: Score, lower: bool, evaluation: Score) -> Score {
        (**self).enter(edge, lower, evaluation)
    }

    fn leave(&self, value: Ibv, evaluation: Score) -> Ibv {
        (**self).leave(value, evaluation)
    }

    fn to_table(&self, value: Ibv, ply: usize, draws: DrawRule) -> Ibv {
        (**self).to_table(value, ply, draws)
    }

    fn out_of_table(&self, stored: Ibv, ply: usize, draws: DrawRule) -> Ibv {
        (**self).out_of_table(stored, ply, draws)
    }

    fn plies_needed(&self, stored: Score) -> usize {
        (**self).plies_needed(stored)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores() -> impl Iterator<Item = Score> {
        (Score::MIN.raw()..=Score::MAX.raw()).map(Score::from_raw)
    }

    /// For results `m` and window edges: what leaves is above the edge exactly where what was inside is above the
    /// entered edge, and at least the edge where it was at least the entered one.
    fn windows_are_preimages(model: &dyn DistanceModel, evaluation: Score, results: &[Score], edges: &[Score]) {
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
    fn windows_enter_as_what_results_leave_by() {
        let every: Vec<Score> = scores().collect();
        // Results have an evaluation on either side; edges are those near where something happens.
        let some: Vec<Score> = every
            .iter()
            .copied()
            .filter(|s| s.raw().abs() < 1100 && s.raw() % 7 == 0 || s.raw().abs() > 16_130 || s.raw().abs() < 4)
            .collect();
        for cp in [-300, -1, 1, 40, 500] {
            let evaluation = Score::heuristic(cp);
            windows_are_preimages(&RootPly, evaluation, &some, &some);
            let inner: Vec<Score> = some.iter().copied().filter(|&s| s > Score::MIN && s < Score::MAX).collect();
            windows_are_preimages(&DelayedLoss, evaluation, &inner, &inner);
            // Mates that a child can have: on the board or later, but not so late that ageing leaves the band.
            let real: Vec<Score> = inner
                .iter()
                .copied()
                .filter(|s| s.mate_ply().is_none_or(|n| n + 1 < MAX_PLY) && s.band() != Band::Guard)
                .filter(|s| s.tablebase_ply().is_none_or(|n| n + 1 < MAX_PLY))
                .collect();
            windows_are_preimages(&NodeAged, evaluation, &real, &real);
        }
    }

    #[test]
    fn ageing_is_what_the_root_would_count() {
        for n in 0..MAX_PLY - 1 {
            assert_eq!(NodeAged.leave(Ibv::exact(Score::mated_in(n)), Score::ZERO).score(), Score::mated_in(n + 1));
            assert_eq!(NodeAged.leave(Ibv::lower(Score::mate_in(n)), Score::ZERO), Ibv::lower(Score::mate_in(n + 1)));
        }
    }

    /// Mated, mate in one, mated in one, mate in two: each loss improves by one on its way up, gains stay.
    #[test]
    fn delayed_loss_counts_own_moves() {
        let e = Score::heuristic(1);
        let mut value = Ibv::exact(Score::MIN);
        let mut seen = vec![];
        for _ in 0..4 {
            value = -DelayedLoss.leave(value, e);
            seen.push(value.score().raw());
        }
        assert_eq!(seen, [16382, -16382, 16381, -16381]);
    }
}
