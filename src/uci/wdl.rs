//! Chances of winning, drawing and losing, for `UCI_ShowWDL`.

use crate::score::Score;
use crate::search::Basis;

/// The evaluation, in centipawns, at which a win has a chance of one half, by the men on the board: the coefficients
/// of a polynomial in their share of 32, the constant first.
///
/// A pawn ahead wins some middlegames, and few endings. Fitted by maximum likelihood to 129,218 moves of 1,000 games
/// from noob_3moves, draws played out, that Ibex with the network ibex-12 (November 2026) played at 10,000 nodes a move;
/// scores of 0.00 left out (`make figures-chances` plays and fits again). The value of the men (1, 3, 3, 5, 9),
/// instead of their number, predicts less.
const EVEN_CHANCE: [f64; 3] = [360.0, -627.0, 375.0];
/// How many centipawns multiply the odds of a win by e; the same kind of polynomial.
const SPREAD: [f64; 3] = [78.0, -33.0, 61.0];

/// Wins, draws and losses in a thousand games from a position with this score and this many men, kings included, from
/// the side to move's view.
///
/// Only what is proved is certain: the curve over the evaluation leaves each result that has not been disproved at
/// least one game in a thousand.
///
/// ```
/// use ibex::score::Score;
/// use ibex::search::Basis;
/// use ibex::uci::wdl::per_mille;
///
/// assert_eq!(per_mille(Score::mate_in(3), Basis::Mate, 5), [1000, 0, 0]);
/// let [win, draw, loss] = per_mille(Score::heuristic(100), Basis::Evaluation, 32);
/// assert!(win > loss && loss > 0 && win + draw + loss == 1000);
/// ```
pub fn per_mille(score: Score, basis: Basis, men: usize) -> [u32; 3] {
    if basis.is_proof() {
        return match score {
            _ if score.is_draw() => [0, 1000, 0],
            _ if score.is_win() => [1000, 0, 0],
            _ => [0, 0, 1000],
        };
    }
    let share = men.min(32) as f64 / 32.0;
    let [even, spread] =
        [EVEN_CHANCE, SPREAD].map(|[constant, slope, curve]| constant + share * (slope + share * curve));
    let wins = |cp: f64| (1000.0 / (1.0 + ((even - cp) / spread).exp())).round() as u32;
    let cp = f64::from(score.cp());
    // Rounding must not make anything certain; of two large shares, the larger gives way.
    let (win, loss) = (wins(cp).clamp(1, 998), wins(-cp).clamp(1, 998));
    [win, 1000 - win - loss, loss]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_score_has_chances_that_sum_to_1000() {
        for men in 2..=33 {
            let mut last = [0, 0, 1000];
            for raw in Score::MIN.raw()..=Score::MAX.raw() {
                let score = Score::from_raw(raw);
                let [win, draw, loss] = per_mille(score, Basis::Evaluation, men);
                assert_eq!(win + draw + loss, 1000, "{score:?}, {men}");
                assert!(win > 0 && draw > 0 && loss > 0, "nothing is certain: {score:?}, {men}");
                assert_eq!(per_mille(-score, Basis::Evaluation, men), [loss, draw, win], "{score:?}, {men}");
                assert!(win >= last[0] && loss <= last[2], "{score:?}, {men}");
                last = [win, draw, loss];
            }
            assert_eq!(per_mille(Score::ZERO, Basis::Recognized, men), [0, 1000, 0]);
            assert_eq!(per_mille(Score::mate_in(5), Basis::Mate, men), [1000, 0, 0]);
            assert_eq!(per_mille(-Score::tablebase_win(5), Basis::Tablebase, men), [0, 0, 1000]);
        }
    }

    #[test]
    fn an_advantage_wins_less_often_with_fewer_men() {
        let wins = |men| per_mille(Score::heuristic(100), Basis::Evaluation, men)[0];
        assert!(wins(6) < wins(12) && wins(12) < wins(18) && wins(18) < wins(24));
        // Computed by hand from the coefficients.
        assert_eq!(per_mille(Score::heuristic(100), Basis::Evaluation, 32), [481, 396, 123]);
        assert_eq!(per_mille(Score::heuristic(100), Basis::Evaluation, 10), [203, 780, 17]);
    }
}
