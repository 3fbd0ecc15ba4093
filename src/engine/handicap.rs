//! Playing weaker on purpose, by rating.
//!
//! A weaker player sees less and chooses less surely, and so does the engine here. It sees less: the search gets a
//! number of nodes that grows with the rating, whatever the clock, the table's size or the number of threads, so that
//! none of them changes the strength. It chooses less surely: of the moves that this search has compared, each is
//! played with a probability that falls with what it loses, as K. W. Regan and G. Haworth have modelled human choices
//! ("Intrinsic Chess Ratings", AAAI 2011): where the best move has probability p, one that is worse by d has p to the
//! power of exp((d / s)^c), d measured on a scale that shrinks where much has been won or lost already, and the
//! spread s falling with the rating. What they fitted to human games is fitted to match results here
//! (`docs/playing.md`), so the ratings are those of engines.
//!
//! Mates in one are checked before the search: from [`ALERT`] on they are neither missed nor allowed; below it they
//! are sometimes overlooked.

use crate::position::{Game, Move, Position};
use crate::random::Random;
use crate::score::Score;
use crate::search::Report;
use crate::time::Limits;

/// The lowest rating that can be set.
pub const WEAKEST: u32 = RUNGS[0].elo;
/// The highest rating that can be set.
pub const STRONGEST: u32 = RUNGS[RUNGS.len() - 1].elo;
/// The levels of `Skill Level` below full strength: from 0 to one less than this.
pub const FULL_SKILL: u32 = 20;
/// From this rating on, no mate in one is missed or allowed.
pub const ALERT: u32 = 1600;
/// This many points below [`ALERT`] every mate in one may be overlooked.
const OVERLOOKING: u32 = 1000;

/// Regan and Haworth's exponent c, near the middle of what they found.
const CONSISTENCY: f64 = 0.45;
/// An iteration is completed unless the search takes more than this many times the nodes of its rating plus
/// [`RESERVE`].
const PATIENCE: u64 = 4;
/// Nodes that a search may take in addition, so that the lowest ratings complete their iterations, too.
const RESERVE: u64 = 10_000;

/// The measured settings for one rating.
struct Rung {
    elo: u32,
    /// Nodes after which no iteration begins.
    nodes: f64,
    /// Moves that are compared.
    lines: f64,
    /// The spread s, in pawns near equality.
    spread: f64,
}

/// From the weakest to the strongest; between them, logarithms are interpolated. `docs/playing.md` says how far these
/// ratings can be trusted.
const RUNGS: &[Rung] = &[
    Rung { elo: 850, nodes: 150.0, lines: 20.0, spread: 0.4 },
    Rung { elo: 1080, nodes: 400.0, lines: 16.0, spread: 0.22 },
    Rung { elo: 1440, nodes: 1000.0, lines: 12.0, spread: 0.13 },
    Rung { elo: 1810, nodes: 2000.0, lines: 10.0, spread: 0.08 },
    Rung { elo: 2130, nodes: 4500.0, lines: 8.0, spread: 0.05 },
    Rung { elo: 2340, nodes: 10_000.0, lines: 6.0, spread: 0.03 },
    Rung { elo: 2630, nodes: 24_000.0, lines: 4.0, spread: 0.018 },
    Rung { elo: 2800, nodes: 60_000.0, lines: 3.0, spread: 0.01 },
];

/// The ratings for which games were played, with their nodes, from the weakest to the strongest.
pub fn fitted() -> impl Iterator<Item = (u32, u64)> {
    RUNGS.iter().map(|rung| (rung.elo, rung.nodes as u64))
}

/// The rating of a level of the option `Skill Level`: in even steps from [`WEAKEST`] on; `None` at full strength.
///
/// The last level before full strength is one step below [`STRONGEST`].
pub fn rating_of_skill(level: u32) -> Option<u32> {
    (level < FULL_SKILL).then(|| WEAKEST + (STRONGEST - WEAKEST) * level / FULL_SKILL)
}

/// How a search is held back to play at a rating.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Handicap {
    nodes: u64,
    lines: usize,
    spread: f64,
    /// The chance, per mille, that mates in one are seen in a position.
    alertness: u64,
    seed: u64,
}

impl Handicap {
    /// The handicap for a rating, clamped to the range from [`WEAKEST`] to [`STRONGEST`].
    ///
    /// With the same `seed` the same position and history give the same move.
    pub fn new(elo: u32, seed: u64) -> Handicap {
        let elo = elo.clamp(WEAKEST, STRONGEST);
        let above = RUNGS.iter().position(|rung| rung.elo >= elo).unwrap_or(RUNGS.len() - 1).max(1);
        let (low, high) = (&RUNGS[above - 1], &RUNGS[above]);
        let share = f64::from(elo - low.elo) / f64::from(high.elo - low.elo);
        let between = |low: f64, high: f64| low * (high / low).powf(share);
        Handicap {
            nodes: between(low.nodes, high.nodes).round() as u64,
            lines: between(low.lines, high.lines).round() as usize,
            spread: between(low.spread, high.spread),
            alertness: u64::from(1000 - ALERT.saturating_sub(elo).min(OVERLOOKING) * 1000 / OVERLOOKING),
            seed,
        }
    }

    /// How many lines the search must keep for [`Handicap::choose`].
    pub fn lines(&self) -> usize {
        self.lines
    }

    /// The limits of a search under this handicap: the user's, and the handicap's where they are narrower.
    pub fn limits(&self, game: &Game, limits: &Limits) -> Limits {
        let nodes = limits.nodes.unwrap_or(u64::MAX).min(self.nodes * PATIENCE + RESERVE);
        Limits {
            nodes: Some(nodes),
            soft_nodes: Some(self.nodes),
            search_moves: self.search_moves(game, &limits.search_moves),
            // A mate search runs only without a clock, so strength would depend on the clock.
            no_mate_search: true,
            ..limits.clone()
        }
    }

    /// The moves to search: mates, if the engine sees one; else those that allow no mate in one; else all.
    ///
    /// Empty stands for all, as in [`Limits::search_moves`].
    fn search_moves(&self, game: &Game, only: &[Move]) -> Vec<Move> {
        let position = game.position();
        if self.random(position, 0).next_u64() % 1000 >= self.alertness {
            return only.to_vec();
        }
        let legal = position.legal_moves();
        let named = legal.iter().any(|m| only.contains(m));
        let moves: Vec<Move> = legal.into_iter().filter(|m| !named || only.contains(m)).collect();
        let mates: Vec<Move> = moves.iter().copied().filter(|&m| gives_mate(position, m)).collect();
        if !mates.is_empty() {
            return mates;
        }
        let safe = |&m: &Move| {
            let mut after = game.clone();
            after.play(m);
            // A draw by the rules leaves no time for a mate.
            let child = after.position();
            after.outcome().is_some() || !child.legal_moves().into_iter().any(|reply| gives_mate(child, reply))
        };
        let safe: Vec<Move> = moves.into_iter().filter(safe).collect();
        if safe.is_empty() { only.to_vec() } else { safe }
    }

    /// Chooses one of the lines of the last complete iteration, best first; `None` if there are none.
    pub fn choose<'a>(&self, position: &Position, lines: &'a [Report]) -> Option<&'a Report> {
        let best = perceived_pawns(lines.first()?.value.score());
        let exponents: Vec<f64> = lines
            .iter()
            .map(|line| ((best - perceived_pawns(line.value.score())).max(0.0) / self.spread).powf(CONSISTENCY).exp())
            .collect();
        let chances = probabilities(&exponents);
        let mut drawn = self.random(position, 1).share();
        for (line, chance) in lines.iter().zip(chances) {
            if drawn < chance {
                return Some(line);
            }
            drawn -= chance;
        }
        lines.first()
    }

    /// The random numbers that belong to this position.
    fn random(&self, position: &Position, purpose: u64) -> Random {
        Random::new(self.seed ^ position.key() ^ purpose.rotate_left(32))
    }
}

fn gives_mate(position: &Position, m: Move) -> bool {
    position.after(m).is_checkmate()
}

/// A score as players feel it: a pawn counts for less, the more is won or lost already.
fn perceived_pawns(score: Score) -> f64 {
    let pawns = f64::from(score.cp()) / 100.0;
    pawns.signum() * pawns.abs().ln_1p()
}

/// Solves for the best move's probability p, where the i-th move has p to the power of `exponents[i]`, the first of
/// which is 1, and the probabilities sum to 1; returns all of them.
fn probabilities(exponents: &[f64]) -> Vec<f64> {
    let each = |log_p: f64| exponents.iter().map(move |exponent| (log_p * exponent).exp());
    // The logarithm of p lies between that of an equal share and zero; the sum grows with it.
    let (mut low, mut high) = (-(exponents.len() as f64).ln(), 0.0);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if each(middle).sum::<f64>() < 1.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    each((low + high) / 2.0).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use shakmaty::CastlingMode;

    use super::*;
    use crate::bound::Ibv;
    use crate::search::Basis;

    fn position(fen: &str) -> Position {
        Position::from_fen(fen, CastlingMode::Standard).expect("a position")
    }

    /// Lines with these values, for the first legal moves of the starting position.
    fn lines(values: &[i32]) -> Vec<Report> {
        let moves = Position::startpos().legal_moves();
        let line = |(index, &cp): (usize, &i32)| Report {
            depth: 3,
            seldepth: 3,
            line: index + 1,
            lines: values.len(),
            value: Ibv::exact(Score::heuristic(cp)),
            basis: Basis::Evaluation,
            complete: true,
            nodes: 1,
            time: Duration::ZERO,
            hashfull: 0,
            tbhits: 0,
            pv: vec![moves[index]],
        };
        values.iter().enumerate().map(line).collect()
    }

    /// How often each line is chosen at a rating, with a thousand seeds.
    fn counts(elo: u32, values: &[i32]) -> Vec<u32> {
        let lines = lines(values);
        let mut counts = vec![0; values.len()];
        for seed in 0..1000 {
            let chosen = Handicap::new(elo, seed).choose(&Position::startpos(), &lines).expect("a line");
            counts[chosen.line - 1] += 1;
        }
        counts
    }

    #[test]
    fn higher_ratings_see_more_and_choose_more_surely() {
        assert!(RUNGS.windows(2).all(|pair| pair[0].elo < pair[1].elo));
        let mut last = Handicap::new(WEAKEST, 0);
        for elo in WEAKEST + 1..=STRONGEST {
            let next = Handicap::new(elo, 0);
            assert!(next.nodes >= last.nodes && next.spread < last.spread && next.alertness >= last.alertness, "{elo}");
            assert!(next.lines >= 2, "{elo}");
            last = next;
        }
        assert_eq!(Handicap::new(0, 7), Handicap::new(WEAKEST, 7));
        assert_eq!(Handicap::new(9999, 7), Handicap::new(STRONGEST, 7));
        assert_eq!(Handicap::new(ALERT, 0).alertness, 1000);
        assert!(Handicap::new(ALERT - 10, 0).alertness < 1000);
    }

    #[test]
    fn levels_are_ratings_in_even_steps() {
        let ratings: Vec<u32> = (0..FULL_SKILL).filter_map(rating_of_skill).collect();
        assert_eq!((ratings.len(), ratings[0], ratings[10], ratings[19]), (20, WEAKEST, 1825, 2702));
        assert!(ratings.windows(2).all(|pair| (97..=98).contains(&(pair[1] - pair[0]))), "{ratings:?}");
        assert_eq!((rating_of_skill(FULL_SKILL), rating_of_skill(u32::MAX)), (None, None));
    }

    #[test]
    fn probabilities_follow_the_model() {
        for exponents in [&[1.0][..], &[1.0, 1.0], &[1.0, 1.7, 4.0, 90.0], &[1.0, f64::INFINITY]] {
            let chances = probabilities(exponents);
            assert!((chances.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{exponents:?}: {chances:?}");
            for (chance, exponent) in chances.iter().zip(exponents) {
                assert!((chance - chances[0].powf(*exponent)).abs() < 1e-9, "{exponents:?}: {chances:?}");
            }
        }
    }

    #[test]
    fn stronger_players_choose_bad_moves_less_often() {
        let values = [40, 20, -60, -900];
        let (weak, strong) = (counts(WEAKEST, &values), counts(STRONGEST, &values));
        assert!(weak.is_sorted_by(|a, b| a > b) && weak[2] > 20, "{weak:?}");
        assert!(strong[0] > 800 && strong[2] == 0 && strong[3] == 0, "{strong:?}");
        // The same loss matters less where the game is decided.
        let (even, won) = (counts(1800, &[0, -100]), counts(1800, &[900, 800]));
        assert!(even[0] > won[0] + 50, "{even:?} {won:?}");
        let even = counts(STRONGEST, &[30, 30]);
        assert!(even.iter().all(|&n| n > 400), "{even:?}");
    }

    #[test]
    fn mates_in_one_are_seen() {
        let alert = Handicap::new(ALERT, 3);
        let names = |fen: &str, only: &[&str]| {
            let position = position(fen);
            let only: Vec<Move> = only.iter().map(|m| position.parse_move(m).expect("legal")).collect();
            let mut moves: Vec<String> = alert
                .search_moves(&Game::new(position), &only)
                .into_iter()
                .map(|m| m.to_uci(CastlingMode::Standard).to_string())
                .collect();
            moves.sort();
            moves
        };
        assert_eq!(names("6k1/5ppp/8/8/8/8/5PPP/3RR1K1 w - - 0 1", &[]), ["d1d8", "e1e8"]);
        // The queen guards the back rank: taking the rook allows mate.
        let guard = "3r2k1/5ppp/8/8/8/8/r4PPP/Q5K1 w - - 0 1";
        let safe = names(guard, &[]);
        assert!(!safe.is_empty() && !safe.contains(&"a1a2".into()), "{safe:?}");
        assert_eq!(names(guard, &["a1a2"]), ["a1a2"], "all that is allowed loses: then all is allowed");
        assert_eq!(names(guard, &["a1a2", "h2h3"]), ["h2h3"]);
        // Both allow mate, but one of them makes the hundredth ply.
        let late = guard.replace("0 1", "99 80");
        assert_eq!(names(guard, &["a1a2", "a1b2"]), ["a1a2", "a1b2"]);
        assert_eq!(names(&late, &["a1a2", "a1b2"]), ["a1b2"]);
        // The only move allows mate.
        assert_eq!(names("8/8/8/8/8/1k6/7r/K7 w - - 0 1", &[]), [""; 0]);
        // A weak player overlooks it sometimes, but not always.
        let game = Game::new(position(guard));
        let seen = (0..1000).filter(|&seed| !Handicap::new(WEAKEST, seed).search_moves(&game, &[]).is_empty()).count();
        assert!((200..300).contains(&seen), "{seen}");
    }

    #[test]
    fn limits_only_get_narrower() {
        let game = Game::startpos();
        let handicap = Handicap::new(1800, 1);
        let limits = handicap.limits(&game, &Limits::nodes(100));
        assert_eq!((limits.nodes, limits.soft_nodes), (Some(100), Some(handicap.nodes)));
        assert_eq!(handicap.limits(&game, &Limits::depth(2)).depth, Some(2));
        let free = handicap.limits(&game, &Limits::movetime(Duration::from_secs(9)));
        assert_eq!(
            (free.nodes, free.movetime),
            (Some(handicap.nodes * PATIENCE + RESERVE), Some(Duration::from_secs(9)))
        );
    }
}
