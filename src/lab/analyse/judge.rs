//! What a move has cost, in chances of winning.

use crate::lab::epd::player::UciScore;

/// How bad a move is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// `??`
    Blunder,
    /// `?`
    Mistake,
    /// `?!`
    Dubious,
}

impl Mark {
    /// The mark's numeric annotation glyph.
    pub fn nag(self) -> u32 {
        match self {
            Mark::Blunder => 4,
            Mark::Mistake => 2,
            Mark::Dubious => 6,
        }
    }

    /// The mark as it stands behind a move.
    pub fn symbol(self) -> &'static str {
        match self {
            Mark::Blunder => "??",
            Mark::Mistake => "?",
            Mark::Dubious => "?!",
        }
    }

    /// The mark's place in a list of counts, the worst first.
    pub fn index(self) -> usize {
        self as usize
    }
}

/// Chances of winning less chances of losing, −1 to 1.
///
/// The logistic curve and the steps of [`mark`] are those that Lichess publishes for its own analysis, so that marks mean
/// to readers what they are used to: <https://lichess.org/page/accuracy>.
pub fn chances(value: UciScore) -> f64 {
    match value {
        UciScore::Cp(cp) => 2.0 / (1.0 + (-0.003_682_08 * f64::from(cp)).exp()) - 1.0,
        UciScore::Mate(moves) if moves > 0 => 1.0,
        UciScore::Mate(_) => -1.0,
    }
}

/// The mark of a move: `best` is the value before it, `played` after it, both from the mover's view.
pub fn mark(best: UciScore, played: UciScore) -> Option<Mark> {
    match chances(best) - chances(played) {
        0.3.. => Some(Mark::Blunder),
        0.2.. => Some(Mark::Mistake),
        0.1.. => Some(Mark::Dubious),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_loss_matters_less_in_a_won_game() {
        assert_eq!(mark(UciScore::Cp(20), UciScore::Cp(-30)), None);
        assert_eq!(mark(UciScore::Cp(20), UciScore::Cp(-60)), Some(Mark::Dubious));
        assert_eq!(mark(UciScore::Cp(20), UciScore::Cp(-100)), Some(Mark::Mistake));
        assert_eq!(mark(UciScore::Cp(20), UciScore::Cp(-180)), Some(Mark::Blunder));
        assert_eq!(mark(UciScore::Cp(1200), UciScore::Cp(1000)), None);
        assert_eq!(mark(UciScore::Mate(3), UciScore::Cp(2000)), None);
        assert_eq!(mark(UciScore::Mate(3), UciScore::Cp(0)), Some(Mark::Blunder));
        assert_eq!(mark(UciScore::Cp(-900), UciScore::Mate(-2)), None);
        assert_eq!(mark(UciScore::Cp(0), UciScore::Mate(-2)), Some(Mark::Blunder));
        assert_eq!(mark(UciScore::Cp(-50), UciScore::Cp(50)), None, "better than was thought");
    }
}
