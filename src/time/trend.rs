//! How an iteration's result stretches or shrinks the soft limit: a stable best move needs less time, a falling score
//! more.

use crate::params;
use crate::position::PackedMove;

/// The thread's previous search, for the trend of the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PreviousSearch {
    /// The ply of the game at which it began.
    pub ply: u32,
    /// Its score, in centipawns.
    pub cp: i32,
}

/// The trend of a search's iterations so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct Trend {
    best: Option<PackedMove>,
    /// Iterations since the best move changed.
    stable: u32,
    /// A running mean of the score, in centipawns.
    mean: Option<i32>,
    /// The score of the previous search, in centipawns, if that was for the same side's last move.
    previous_cp: Option<i32>,
}

impl Trend {
    /// The trend before the first iteration of a search from this ply of the game. The previous search counts if it
    /// was for the same side's last move; one that pondered on a move that was not played says nothing about this
    /// position.
    pub fn after(previous: Option<PreviousSearch>, ply: u32) -> Trend {
        let for_last_move = previous.filter(|previous| previous.ply.checked_add(2) == Some(ply));
        Trend { previous_cp: for_last_move.map(|previous| previous.cp), ..Trend::default() }
    }

    /// Adds an iteration: its best move, its score in centipawns, and the share of all nodes, in percent, that went
    /// to the best move. Returns how far the soft limit stretches, in percent.
    pub fn add(&mut self, best: PackedMove, cp: i32, share: u32) -> u32 {
        self.stable = if self.best == Some(best) { self.stable + 1 } else { 0 };
        self.best = Some(best);
        let mean = self.mean.unwrap_or(cp);
        self.mean = Some((mean * 2 + cp) / 3);

        let stable = self.stable.min(params::time_stable_max() as u32) as i32;
        let stability = (params::time_unstable() - params::time_stable_slope() * stable).max(0);
        // A score that has risen since the last move is a small reason to hurry.
        let (most_risen, most_fallen) = (params::time_rising_max(), params::time_falling_max());
        let since_last_move = self.previous_cp.map_or(0, |previous| (previous - cp).clamp(-most_risen, most_fallen));
        let drop = (mean - cp + since_last_move * params::time_falling_before() / 100).min(params::time_falling_max());
        let falling = (100 + drop * params::time_falling_slope() / 100).max(params::time_rising_min());
        let effort = (params::time_effort() - share as i32).max(0);
        (stability * falling / 100 * effort / 100) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(bits: u16) -> PackedMove {
        PackedMove::from_bits(bits).expect("not 0")
    }

    /// The stretch after `iterations` that agree, and one more.
    fn after(iterations: usize, last: PackedMove, last_cp: i32, share: u32) -> u32 {
        let mut trend = Trend::default();
        for _ in 0..iterations {
            trend.add(packed(1), 50, share);
        }
        trend.add(last, last_cp, share)
    }

    #[test]
    fn a_stable_move_needs_less_time_and_a_falling_score_more() {
        let (same, other) = (packed(1), packed(2));
        let calm = after(6, same, 50, 50);
        assert!(after(1, same, 50, 50) > calm, "stable for longer");
        assert!(after(6, other, 50, 50) > calm, "another best move");
        assert!(after(6, same, -50, 50) > calm, "the score falls");
        assert!(after(6, same, 150, 50) < calm, "the score rises");
        assert!(after(6, same, 50, 90) < calm, "nearly all nodes for the best move");
        assert_eq!(after(40, same, 50, 100), after(60, same, 50, 100), "stability counts up to a limit");
        let search_at = |ply, cp| PreviousSearch { ply, cp };
        let since = |before: Option<i32>| Trend::after(before.map(|cp| search_at(38, cp)), 40).add(same, 50, 50);
        assert!(since(Some(110)) > since(Some(50)), "the score has fallen since the last move");
        assert!(since(Some(-10)) < since(Some(50)), "it has risen");
        assert_eq!(since(Some(50)), since(None));
        assert_eq!((since(Some(2000)), since(Some(-2000))), (since(Some(400)), since(Some(-10))), "up to a limit");
        // Searches of another reply, of the opponent, of a later and of a much earlier position do not count.
        let from = |then| Trend::after(Some(search_at(then, 110)), 40).add(same, 50, 50);
        assert_eq!([40, 39, 42, 20].map(from), [since(None); 4]);
        // Where counting ends, no ply is two later.
        for (then, now) in [(u32::MAX, u32::MAX), (u32::MAX, 1), (u32::MAX - 1, 0)] {
            let stretch = Trend::after(Some(search_at(then, 110)), now).add(same, 50, 50);
            assert_eq!(stretch, since(None), "{then}, {now}");
        }
    }
}
