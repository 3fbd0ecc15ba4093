//! MTD(f): an iteration as a sequence of null-window searches of the root, in place of aspiration windows and PVS.
//!
//! Each pass tests whether the value reaches a score. Its result is a bound, and the bounds close in on the value. The
//! transposition table makes the passes cheap, because each searches much of the same tree again.
//! Play does not use it; `ibex-lab experiments mtdf` compares it with what play uses.
//!
//! Source: Aske Plaat, "MTD(f), a Minimax Algorithm faster than NegaScout" (1994); the growing step is that of
//! Cilkchess (chess programming wiki, "MTD(f)").

use crate::bound::Ibv;
use crate::score::Score;
use crate::search::state::{Exact, NodeResult, RootMove, Search};

/// Where the value may lie, and what to test next.
#[derive(Clone, Copy, Debug)]
struct Bracket {
    /// The value is at least this.
    lower: Score,
    /// The value is at most this.
    upper: Score,
    /// How far the next test lies from the bound just found, in centipawns.
    step: i32,
    /// Whether the last pass failed high; `None` before the first.
    failed_high: Option<bool>,
}

impl Bracket {
    fn new(grain: i32) -> Bracket {
        Bracket { lower: Score::MIN, upper: Score::MAX, step: grain, failed_high: None }
    }

    /// Updates the bracket with the result of a pass that tested whether the value reaches `test`.
    fn learn(&mut self, value: Score, test: Score, grain: i32, growing: bool) {
        let failed_high = value >= test;
        if failed_high {
            self.lower = self.lower.max(value);
        } else {
            self.upper = self.upper.min(value);
        }
        if growing {
            // Away from the guess in ever longer steps, and back in short ones.
            self.step = if self.failed_high == Some(failed_high) { (2 * self.step).min(1 << 14) } else { grain };
        }
        self.failed_high = Some(failed_high);
    }

    /// Whether the value is known to within the grain of the evaluation.
    fn is_closed(&self, grain: i32) -> bool {
        let evaluations = !self.lower.is_decisive() && !self.upper.is_decisive();
        self.lower >= self.upper || evaluations && grain > 1 && self.upper.cp() - self.lower.cp() < grain
    }

    /// The next score to test: above `lower`, at most `upper`.
    fn next_test(&self) -> Score {
        let test = match (self.failed_high, self.step) {
            (Some(true), step) if step > 1 => self.lower.offset(step),
            (Some(true), _) => self.lower.above(),
            (_, step) => self.upper.offset(1 - step),
        };
        test.max(self.lower.above()).min(self.upper)
    }
}

impl<const PLAY: bool> Search<'_, PLAY> {
    /// One line of one iteration by MTD(f), from the score of the iteration before; `growing` doubles the step with
    /// each pass that fails on the same side.
    pub(in crate::search) fn mtdf(&mut self, line: usize, depth: i32, growing: bool) -> NodeResult {
        let grain = self.rules().grain.max(1);
        let mut bracket = Bracket::new(grain);
        let mut test = self.root.moves[line].score().unwrap_or(Score::heuristic(0)).max(Score::MIN.above());
        while !bracket.is_closed(grain) {
            let value = self.search_root(line, test.below(), test, depth)?;
            self.watch_pass();
            self.root.moves.sort_from(line);
            bracket.learn(value.score(), test, grain, growing);
            test = bracket.next_test();
        }
        // The value is proved from both sides, which no single pass can show. The move that reached it is in front.
        let score = bracket.lower;
        let seldepth = self.counters.seldepth;
        let root: &mut RootMove = &mut self.root.moves[line];
        root.value = Some(Ibv::exact(score));
        root.last_exact = Some(Exact { depth, score });
        root.pv = vec![root.m.packed()];
        root.seldepth = seldepth;
        root.value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The value and number of passes with a search whose bounds are `slack` centipawns better than the test.
    fn passes(value: i32, guess: i32, grain: i32, growing: bool, slack: i32) -> (Score, usize) {
        let truth = Score::heuristic(value);
        let (mut bracket, mut test) = (Bracket::new(grain), Score::heuristic(guess));
        let mut passes = 0;
        while !bracket.is_closed(grain) {
            passes += 1;
            // Below a test of +1 centipawn are the draws; an offset would bring the answer back up to the test.
            let answer = match truth >= test {
                true => truth.min(test.offset(slack)),
                false if slack == 0 => truth.max(test.below()),
                false => truth.max(test.below().offset(-slack)),
            };
            bracket.learn(answer, test, grain, growing);
            test = bracket.next_test();
            // The draw band has about a thousand scores, which a step of 1 walks through.
            assert!(passes < 3000, "{value} from {guess} by {grain}");
        }
        (bracket.lower, passes)
    }

    #[test]
    fn the_bracket_closes_on_the_value() {
        for grain in [1, 2, 4, 8, 16] {
            for growing in [false, true] {
                for (value, guess) in [(48, 48), (48, 16), (-160, 64), (320, -320)] {
                    for slack in [0, 3, 400] {
                        let (found, _) = passes(value, guess, grain, growing, slack);
                        assert!((found.cp() - value).abs() < grain, "{found:?} for {value} from {guess} by {grain}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_right_guess_takes_two_passes_and_a_growing_step_few() {
        assert_eq!(passes(48, 48, 1, false, 0).1, 2);
        let (steady, growing) = (passes(320, 0, 1, false, 0).1, passes(320, 0, 1, true, 0).1);
        assert!(steady > 300 && growing < 40, "{steady} and {growing}");
        assert!(passes(320, 0, 16, false, 0).1 < 25);
    }

    #[test]
    fn mates_are_found_from_any_guess() {
        for truth in [Score::mate_in(9), Score::mated_in(8)] {
            for guess in [-3000, -1, 0, 30, 3000].map(Score::heuristic).into_iter().chain([truth, Score::mate_in(1)]) {
                let (mut bracket, mut test) = (Bracket::new(1), guess);
                // Between the bands of evaluations and mates, a pass that fails low moves the bound by one score.
                for _ in 0..40_000 {
                    let answer = if truth >= test { truth } else { test.below() };
                    bracket.learn(answer, test, 1, true);
                    if bracket.is_closed(1) {
                        break;
                    }
                    test = bracket.next_test();
                }
                assert!(bracket.is_closed(1) && bracket.lower == truth, "{truth:?} from {guess:?}: {bracket:?}");
            }
        }
    }
}
