//! Aspiration windows: an iteration begins with a narrow window around the last score, which opens as the search fails.

use crate::bound::{Bound, Ibv};
use crate::params;
use crate::score::Score;
use crate::search::state::{NodeResult, Search};

/// The window of the next search of the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Aspiration {
    alpha: Score,
    beta: Score,
    /// Half the width of a narrow window, in centipawns.
    width: i32,
    /// By how many plies the depth of the search is reduced.
    reduction: i32,
}

impl Aspiration {
    /// The first window: around the score of the last iteration, or open at low depth and around decisive scores.
    fn new(previous: Option<Score>, depth: i32) -> Aspiration {
        let width = params::aspiration_width();
        let centre = previous.filter(|centre| depth >= params::aspiration_depth() && !centre.is_decisive());
        let (alpha, beta) = match centre {
            Some(centre) => (centre.offset(-width), centre.offset(width)),
            None => (Score::MIN, Score::MAX),
        };
        Aspiration { alpha, beta, width, reduction: 0 }
    }

    /// Whether a value ends the iteration: it is exact, or the window was open on its side.
    fn is_settled_by(&self, value: Ibv) -> bool {
        let inside = value.score() > self.alpha && value.score() < self.beta;
        let fails_high = value.cuts(self.beta) && self.beta < Score::MAX;
        let fails_low = value.score() <= self.alpha && self.alpha > Score::MIN;
        value.bound() == Bound::Exact && inside || !fails_high && !fails_low
    }

    /// Opens the side of the window on which the search failed. On a fail high, `reduces` takes a ply off the next
    /// search, because a move this good is found at less depth, too.
    fn open(&mut self, value: Ibv, reduces: bool) {
        self.width += self.width * params::aspiration_growth() / 100 + 1;
        let entirely = value.score().is_decisive() || self.width > params::aspiration_max_width();
        if value.cuts(self.beta) && self.beta < Score::MAX {
            if reduces {
                self.reduction = (self.reduction + 1).min(params::aspiration_max_reduction());
            }
            self.beta = if entirely { Score::MAX } else { value.score().max(self.beta).offset(self.width) };
        } else {
            self.reduction = 0;
            self.alpha = if entirely { Score::MIN } else { value.score().min(self.alpha).offset(-self.width) };
        }
    }
}

impl<const PLAY: bool> Search<'_, PLAY> {
    /// Searches the PV with this index in this iteration. Returns `None` if the search was aborted.
    pub(in crate::search) fn aspirate(&mut self, pv_index: usize) -> NodeResult {
        let depth = self.root.depth;
        let previous = self.root.moves[pv_index].score();
        self.root.failed_high = None;
        let mut window = Aspiration::new(previous, depth);
        loop {
            let value = self.search_root(pv_index, window.alpha, window.beta, (depth - window.reduction).max(1))?;
            self.watch_pass();
            self.root.moves.sort_from(pv_index);
            if window.is_settled_by(value) {
                return Some(value);
            }
            self.root.failed_high = value.cuts(window.beta).then(|| (self.root.moves[pv_index].m, value));
            window.open(value, self.rules().pruning);
            if self.id == 0 && self.root.multi_pv == 1 {
                // A value below the window may be exact, but its PV was not kept.
                let bound = if value.bound() == Bound::Exact { value.force_upper() } else { value };
                self.report(pv_index, Some(bound));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_opens_on_the_failing_side_until_it_is_full() {
        let centre = Score::heuristic(30);
        let mut window = Aspiration::new(Some(centre), 9);
        assert_eq!((window.alpha, window.beta), (centre.offset(-window.width), centre.offset(window.width)));
        assert!(window.is_settled_by(Ibv::exact(centre)) && !window.is_settled_by(Ibv::lower(window.beta)));
        let before = window;
        window.open(Ibv::lower(window.beta), true);
        assert!(window.alpha == before.alpha && window.beta > before.beta && window.reduction == 1);
        window.open(Ibv::upper(window.alpha), true);
        assert!(window.alpha < before.alpha && window.reduction == 0);
        for _ in 0..5 {
            window.open(Ibv::lower(window.beta), false);
            window.open(Ibv::upper(window.alpha), false);
        }
        assert_eq!((window.alpha, window.beta), (Score::MIN, Score::MAX));
        assert!(window.is_settled_by(Ibv::lower(Score::MAX)));
    }

    #[test]
    fn decisive_scores_and_shallow_iterations_have_an_open_window() {
        let open = (Score::MIN, Score::MAX);
        for (previous, depth) in [(None, 9), (Some(Score::mate_in(7)), 9), (Some(Score::heuristic(5)), 1)] {
            let window = Aspiration::new(previous, depth);
            assert_eq!((window.alpha, window.beta), open, "{previous:?} at depth {depth}");
        }
        let mut window = Aspiration::new(Some(Score::heuristic(5)), 9);
        window.open(Ibv::lower(Score::mate_in(9)), true);
        assert_eq!(window.beta, Score::MAX);
    }
}
