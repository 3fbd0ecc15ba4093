//! Winning chances by score and men: games, the predictions of the engine's curves, and the curves that fit best.

use std::ops::RangeInclusive;
use terminal::{CommandError, trouble};

use ibex::score::Score;
use ibex::search::Basis;
use ibex::uci::wdl::per_mille;
use serde::{Deserialize, Serialize};

use crate::duel::{Ends, Limit, MATE, Outcome, Played};
use crate::equations::solve;
use crate::games::amount;
use crate::matches::{Contest, LEVEL_BOOK, Side, folder};
use crate::measure::{Measured, Tools, row};

const GAMES: u32 = 1000;
const NODES: u64 = 10_000;

/// The rows of the table.
const MEN: [RangeInclusive<usize>; 5] = [26..=32, 19..=25, 13..=18, 8..=12, 2..=7];
/// The columns, in centipawns.
const SCORES: [RangeInclusive<i32>; 2] = [50..=100, 125..=175];

/// A move of a game: the engine's score for the position, and the result of the game for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Sample {
    cp: i32,
    men: usize,
    outcome: Outcome,
}

/// Games of Ibex against itself, draws played out: what its curves predict and what happened.
///
/// # Errors
///
/// One line: the book is missing, the match failed, or another run plays it.
pub fn chances(tools: &Tools) -> Result<Measured, CommandError> {
    let book = tools.data(LEVEL_BOOK)?;
    // At equal nodes the two games of an opening would be the same.
    let sides = [NODES, NODES + NODES / 100];
    let sides = sides.map(|nodes| Side { program: &tools.ibex, limit: Limit::Nodes(nodes), options: &[] });
    let contest = Contest { sides, book: &book, games: GAMES, ends: Ends::Lost };
    let place = (folder()?, "chances".to_owned());
    let samples =
        contest.kept((&place.0, place.1), |games| games.iter().flatten().flat_map(samples_of).collect::<Vec<_>>())?;
    let fitted = Curves::fitted(&samples).ok_or_else(|| trouble!("nothing can be fitted"))?;
    Ok(Measured {
        table: table(&samples),
        conditions: format!(
            "{GAMES} games of Ibex against itself at {} nodes a move or 1% more, openings noob_3moves in pairs, \
             draws played out, {} moves; scores of 0.00 are left out; mean log loss {:.4} with the curves that ship, \
             {:.4} with those of greatest likelihood for these games: {fitted}",
            amount(NODES),
            amount(samples.len() as u64),
            log_loss(&samples, shipped),
            log_loss(&samples, |sample| fitted.chances(sample.cp, sample.men)),
        ),
    })
}

/// Predicted and observed by men and score, each as games won, drawn and lost of a hundred.
fn table(samples: &[Sample]) -> String {
    let pawns = |scores: &RangeInclusive<i32>| {
        format!("{:.2} to {:.2}", f64::from(*scores.start()) / 100.0, f64::from(*scores.end()) / 100.0)
    };
    let heads = SCORES.iter().flat_map(|scores| [format!("score {}: predicted", pawns(scores)), "observed".to_owned()]);
    let mut table = row(&["men".to_owned()].into_iter().chain(heads).collect::<Vec<_>>()) + "|--:|---|---|---|---|\n";
    for men in MEN {
        let mut cells = vec![format!("{} to {}", men.start(), men.end())];
        for scores in SCORES {
            // A score for the opponent is a score for this side, negated.
            let chosen: Vec<Sample> = samples
                .iter()
                .map(|&sample| if sample.cp < 0 { sample.reversed() } else { sample })
                .filter(|sample| men.contains(&sample.men) && scores.contains(&sample.cp))
                .collect();
            let share = |of: &dyn Fn(&Sample) -> [f64; 3]| {
                let mut sums = [0.0; 3];
                for sample in &chosen {
                    sums.iter_mut().zip(of(sample)).for_each(|(sum, chance)| *sum += chance);
                }
                let percent = sums.map(|sum| format!("{:.0}", 100.0 * sum / chosen.len() as f64));
                if chosen.is_empty() { "none".to_owned() } else { percent.join(", ") }
            };
            cells.push(share(&|sample| shipped(sample)));
            cells.push(share(&|sample| Outcome::ALL.map(|outcome| f64::from(u8::from(outcome == sample.outcome)))));
        }
        table += &row(&cells);
    }
    table
}

impl Sample {
    /// The same from the opponent's view.
    fn reversed(self) -> Sample {
        Sample { cp: -self.cp, outcome: self.outcome.reversed(), ..self }
    }
}

/// The chances that the engine reports.
fn shipped(sample: &Sample) -> [f64; 3] {
    per_mille(Score::heuristic(sample.cp), Basis::Evaluation, sample.men).map(|games| f64::from(games) / 1000.0)
}

/// The mean log loss of the outcomes, in nats: minus the mean log likelihood.
fn log_loss(samples: &[Sample], chances: impl Fn(&Sample) -> [f64; 3]) -> f64 {
    let surprise = |sample: &Sample| -chances(sample)[sample.outcome as usize].ln();
    samples.iter().map(surprise).sum::<f64>() / samples.len() as f64
}

/// The curves of `ibex::uci::wdl`: the chance of a win is the logistic function of (score - even) / spread, and both
/// are polynomials in the share of men on the board.
#[derive(Clone, Copy, Debug)]
struct Curves([f64; 6]);

impl std::fmt::Display for Curves {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [a, b, c, d, e, g] = self.0;
        write!(f, "even chance {a:.0}, {b:.0}, {c:.0}, spread {d:.0}, {e:.0}, {g:.0}")
    }
}

impl Curves {
    fn at(&self, men: usize) -> [f64; 2] {
        let share = men as f64 / 32.0;
        let [a, b, c, d, e, f] = self.0;
        [a + share * (b + share * c), d + share * (e + share * f)]
    }

    fn chances(&self, cp: i32, men: usize) -> [f64; 3] {
        let [even, spread] = self.at(men);
        let chance = |cp: f64| 1.0 / (1.0 + ((even - cp) / spread).exp());
        let (win, loss) = (chance(f64::from(cp)), chance(f64::from(-cp)));
        [win, 1.0 - win - loss, loss].map(|chance| chance.max(1e-6))
    }

    /// Fits by maximum likelihood, with Fisher scoring: Newton's method with the expected curvature, which never has
    /// the wrong sign. `None` without enough games.
    fn fitted(samples: &[Sample]) -> Option<Curves> {
        // A start as good as any: a win is even at two pawns.
        let mut curves = Curves([200.0, 0.0, 0.0, 80.0, 0.0, 0.0]);
        let value = |curves: &Curves| log_loss(samples, |sample| curves.chances(sample.cp, sample.men));
        let mut least = value(&curves);
        for _ in 0..100 {
            let step = solve(curves.fisher_system(samples))?;
            let step: Vec<f64> = step.into_iter().map(|solution| solution[0]).collect();
            // A step that does not help is too long.
            let better = (0..30).map(|halvings| 0.5_f64.powi(halvings)).find_map(|length| {
                let next = Curves(std::array::from_fn(|i| curves.0[i] + length * step[i]));
                let sound = (2..=32).all(|men| next.at(men).iter().all(|&value| value > 1.0));
                let loss = value(&next);
                (sound && loss < least - 1e-12).then_some((next, loss))
            });
            let Some((next, loss)) = better else { break };
            (curves, least) = (next, loss);
        }
        Some(curves)
    }

    /// The system of equations for a step: the information matrix (the expected curvature), and the score (the slope of
    /// the log likelihood) as its right-hand side.
    fn fisher_system(&self, samples: &[Sample]) -> Vec<Vec<f64>> {
        let mut system = vec![vec![0.0; 7]; 6];
        for sample in samples {
            let [even, spread] = self.at(sample.men);
            let share = sample.men as f64 / 32.0;
            let powers = [1.0, share, share * share];
            let chances = self.chances(sample.cp, sample.men);
            // The derivatives of a chance p by even and spread: it is logistic in (cp - even) / spread.
            let slope = |p: f64, cp: f64| {
                let steepness = p * (1.0 - p) / spread;
                let [even, spread] = [-steepness, -steepness * (cp - even) / spread];
                let terms: [f64; 6] = std::array::from_fn(|i| powers[i % 3] * if i < 3 { even } else { spread });
                terms
            };
            let (win, lose) = (slope(chances[0], f64::from(sample.cp)), slope(chances[2], f64::from(-sample.cp)));
            let draw: [f64; 6] = std::array::from_fn(|i| -win[i] - lose[i]);
            for (outcome, slopes) in [win, draw, lose].into_iter().enumerate() {
                for i in 0..6 {
                    for j in 0..6 {
                        system[i][j] += slopes[i] * slopes[j] / chances[outcome];
                    }
                    if outcome == sample.outcome as usize {
                        system[i][6] += slopes[i] / chances[outcome];
                    }
                }
            }
        }
        system
    }
}

/// The moves of a game whose scores say something about its result: not mates, nor draws.
fn samples_of(game: &Played) -> impl Iterator<Item = Sample> {
    game.scores
        .iter()
        .zip([game.outcome, game.outcome.reversed()].into_iter().cycle())
        .filter_map(|(&(men, cp), outcome)| (cp != 0 && cp.abs() < MATE).then_some(Sample { cp, men, outcome }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_give_their_scores() {
        let scores = vec![(32, 35), (32, -20), (32, 0), (31, MATE), (30, 80)];
        let samples: Vec<Sample> = samples_of(&Played { outcome: Outcome::Won, on_time: false, scores }).collect();
        let sample = |cp, men, outcome| Sample { cp, men, outcome };
        assert_eq!(
            samples,
            [sample(35, 32, Outcome::Won), sample(-20, 32, Outcome::Lost), sample(80, 30, Outcome::Won)]
        );
    }

    /// The curves that are fitted are of the form that the engine uses.
    #[test]
    fn the_engine_uses_curves_of_this_form() {
        let curves = Curves([360.0, -627.0, 375.0, 78.0, -33.0, 61.0]);
        for men in [4, 10, 20, 32] {
            for cp in [-300, -50, 40, 120, 400] {
                let engine = shipped(&Sample { cp, men, outcome: Outcome::Won });
                for (ours, theirs) in curves.chances(cp, men).into_iter().zip(engine) {
                    // The engine rounds to thousandths, and leaves each result one of them.
                    assert!((ours - theirs).abs() < 0.0021, "{cp} with {men} men: {ours} and {theirs}");
                }
            }
        }
    }

    /// Games generated from known curves give these curves back.
    #[test]
    fn the_fit_finds_the_curves_that_made_the_games() {
        let curves = Curves([300.0, -500.0, 350.0, 60.0, -20.0, 50.0]);
        let mut samples = Vec::new();
        for men in (2..=32).step_by(3) {
            for cp in (-400..=400).step_by(25) {
                let chances = curves.chances(cp, men);
                for outcome in Outcome::ALL {
                    let games = (200.0 * chances[outcome as usize]).round() as usize;
                    samples.extend(std::iter::repeat_n(Sample { cp, men, outcome }, games));
                }
            }
        }
        let fitted = Curves::fitted(&samples).unwrap();
        for men in 2..=32 {
            for (value, truth) in fitted.at(men).into_iter().zip(curves.at(men)) {
                assert!((value - truth).abs() < 4.0, "{men} men: {value} and {truth}");
            }
        }
        let of = |curves: Curves| log_loss(&samples, move |sample| curves.chances(sample.cp, sample.men));
        assert!(of(fitted) <= of(curves) + 1e-9);
        assert!(Curves::fitted(&[]).is_none());
    }

    #[test]
    fn a_score_counts_for_both_sides() {
        let samples = [
            Sample { cp: 80, men: 30, outcome: Outcome::Won },
            Sample { cp: -80, men: 30, outcome: Outcome::Lost },
            Sample { cp: 70, men: 27, outcome: Outcome::Drawn },
        ];
        let table = table(&samples);
        let line = table.lines().find(|line| line.starts_with("| 26 to 32 |")).unwrap();
        assert!(line.contains(" | 67, 33, 0 | "), "{line}");
        assert!(line.ends_with("| none | none |"), "{line}");
        assert_eq!(table.lines().count(), 2 + MEN.len());
    }
}
