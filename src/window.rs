//! The window of a node, and what other sources prove about its value.
//!
//! A recognizer, a tablebase or the table may bound a node's value without settling it. The window then narrows, and
//! the bound is remembered: where the search meets it from the other side, the value is exact. Without this promotion
//! a parent would see a bound strictly inside its window and search the node again forever.
//!
//! Source: Ernst Heinz, "Efficient Interior-Node Recognition" (1998), from which `lower` and `upper` come; Pascal
//! Pons's solver, part 12, narrows both ends by a table that holds both kinds of bounds.

use crate::bound::{Bound, Ibv};
use crate::score::Score;

/// The window `alpha..beta` of a node, with the proved bounds that have narrowed it.
///
/// ```
/// use ibex::bound::Ibv;
/// use ibex::score::Score;
/// use ibex::window::Window;
///
/// let mut window = Window::new(Score::heuristic(-20), Score::heuristic(20));
/// // A recognizer proves at least a draw: alpha rises, and the search goes on.
/// assert_eq!(window.know(Ibv::lower(Score::ZERO)), None);
/// assert_eq!(window.alpha, Score::ZERO);
/// // No move reaches alpha: the value is a draw, and exact, because both bounds meet there.
/// assert_eq!(window.close(Ibv::upper(Score::heuristic(-5))), Ibv::exact(Score::ZERO));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// Values up to this are no better than what the side to move has elsewhere.
    pub alpha: Score,
    /// Values from this on refute the opponent's last move.
    pub beta: Score,
    lower: Option<Score>,
    upper: Option<Score>,
}

impl Window {
    /// The window that the parent gave; nothing else is known.
    pub fn new(alpha: Score, beta: Score) -> Window {
        debug_assert!(alpha < beta);
        Window { alpha, beta, lower: None, upper: None }
    }

    /// Records what is proved about the node's value, if anything is. Returns the result if that settles the node.
    #[inline(always)]
    pub fn know(&mut self, proved: impl Into<Option<Ibv>>) -> Option<Ibv> {
        self.learn(proved.into()?)
    }

    fn learn(&mut self, proved: Ibv) -> Option<Ibv> {
        let score = proved.score();
        match proved.bound() {
            Bound::Exact => return Some(self.close(proved)),
            Bound::Lower => {
                if self.lower.is_none_or(|lower| score > lower) {
                    self.lower = Some(score);
                    self.alpha = self.alpha.max(score);
                }
            }
            Bound::Upper => {
                if self.upper.is_none_or(|upper| score < upper) {
                    self.upper = Some(score);
                    self.beta = self.beta.min(score);
                }
            }
        }
        // The ends meet, or cross if sources contradict each other; then the lower bound wins, whichever came first.
        (self.alpha >= self.beta).then(|| self.close(proved))
    }

    /// The node's result from the maximum of its children: clipped to what is proved, exact where the two meet.
    pub fn close(&self, best: Ibv) -> Ibv {
        best.within(self.lower, self.upper)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn a_lower_bound_wins_over_a_contradicting_upper_bound() {
        let [low, high] = [5, 10].map(Score::heuristic);
        for bounds in [[Ibv::lower(high), Ibv::upper(low)], [Ibv::upper(low), Ibv::lower(high)]] {
            let mut window = Window::new(Score::heuristic(-50), Score::heuristic(50));
            assert_eq!(window.know(bounds[0]), None);
            assert_eq!(window.know(bounds[1]), Some(Ibv::exact(high)));
        }
    }

    /// A random game tree: a leaf has a value, an inner node has children, and any node may have a sound bound.
    struct Tree {
        value: Score,
        known: Option<Ibv>,
        children: Vec<Tree>,
    }

    /// Values are few, so that bounds and windows meet often; `knowledge` percent of the nodes carry a sound bound.
    fn grow(random: &mut Random, depth: u32, knowledge: usize) -> Tree {
        let mut tree = Tree { value: Score::from_raw(random.below(21) as i32 - 10), known: None, children: vec![] };
        if depth > 0 && random.below(8) > 0 {
            for _ in 0..1 + random.below(4) {
                tree.children.push(grow(random, depth - 1, knowledge));
            }
            tree.value = tree.children.iter().map(|child| -child.value).max().expect("children");
        }
        if random.below(100) < knowledge {
            let slack = random.below(4) as i32;
            tree.known = Some(match random.below(5) {
                0 | 1 => Ibv::lower(Score::from_raw(tree.value.raw() - slack)),
                2 | 3 => Ibv::upper(Score::from_raw(tree.value.raw() + slack)),
                _ => Ibv::exact(tree.value),
            });
        }
        tree
    }

    /// A fault that a test puts into the composition, to see that the oracle notices.
    #[derive(Clone, Copy, PartialEq)]
    enum Fault {
        None,
        NoPromotion,
        UpperBoundsShifted,
    }

    /// Principal variation search over the tree, with the same operations that compose the results of the chess
    /// search.
    fn search(tree: &Tree, alpha: Score, beta: Score, fault: Fault) -> Ibv {
        let mut window = Window::new(alpha, beta);
        if let Some(result) = window.know(tree.known) {
            return result;
        }
        if tree.children.is_empty() {
            return Ibv::exact(tree.value);
        }
        let mut best = None;
        for (i, child) in tree.children.iter().enumerate() {
            let alpha = window.alpha;
            let ask = |a: Score, b: Score| {
                let value = -search(child, -b, -a, fault);
                // A raw shift of the word instead of the rounding decode.
                if fault == Fault::UpperBoundsShifted && value.bound() == Bound::Upper {
                    Ibv::upper(value.score().below())
                } else {
                    value
                }
            };
            let mut value = ask(alpha, if i > 0 { alpha.above() } else { window.beta });
            if i > 0 && value.score() > alpha && value.score() < window.beta && value.bound() != Bound::Exact {
                value = ask(alpha, window.beta);
            }
            best = best.max(Some(value));
            if value.cuts(window.beta) {
                best = Some(value.force_lower());
                break;
            }
            if value.bound() != Bound::Upper {
                window.alpha = alpha.max(value.score());
            }
        }
        let best = best.expect("children");
        if fault == Fault::NoPromotion { best } else { window.close(best) }
    }

    fn sound(ibv: Ibv, truth: Score) -> bool {
        match ibv.bound() {
            Bound::Exact => ibv.score() == truth,
            Bound::Lower => ibv.score() <= truth,
            Bound::Upper => ibv.score() >= truth,
        }
    }

    /// Unsound results, and results inside the window that are not exact, over many random trees and windows.
    fn faults(knowledge: usize, fault: Fault) -> (usize, usize, usize) {
        let mut random = Random::new(0x1BE7 + knowledge as u64);
        let (mut unsound, mut inexact, mut exact_below) = (0, 0, 0);
        for _ in 0..20_000 {
            let tree = grow(&mut random, 5, knowledge);
            let alpha = random.below(21) as i32 - 11;
            let beta = alpha + 1 + random.below(12) as i32;
            let (alpha, beta) = (Score::from_raw(alpha), Score::from_raw(beta));
            let result = search(&tree, alpha, beta, fault);
            unsound += usize::from(!sound(result, tree.value));
            let inside = alpha < tree.value && tree.value < beta;
            inexact += usize::from(inside && result.bound() != Bound::Exact);
            exact_below += usize::from(tree.value <= alpha && result.bound() == Bound::Exact);
        }
        (unsound, inexact, exact_below)
    }

    #[test]
    fn results_are_sound_and_exact_inside_the_window() {
        for knowledge in [0, 10, 50, 100] {
            let (unsound, inexact, exact_below) = faults(knowledge, Fault::None);
            assert_eq!((unsound, inexact), (0, 0), "with {knowledge}% knowledge");
            assert!(exact_below > 100, "exact values below alpha stay exact: {exact_below}");
        }
    }

    #[test]
    fn the_oracle_notices_a_missing_promotion() {
        assert!(faults(50, Fault::NoPromotion).1 > 0);
    }

    #[test]
    fn the_oracle_notices_upper_bounds_shifted_as_words() {
        assert!(faults(0, Fault::UpperBoundsShifted).0 > 0);
    }
}
