//! The cost of a move, in winning chances.

use std::fmt;
use std::str::FromStr;

use crate::play::player::UciScore;

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

    /// The mark as written after a move.
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

/// Winning chances minus losing chances, −1 to 1.
///
/// The logistic curve and the usual [`Thresholds`] are those that Lichess publishes for its own analysis, so that
/// marks mean what readers are used to: <https://lichess.org/page/accuracy>.
pub fn chances(value: UciScore) -> f64 {
    match value {
        UciScore::Cp(cp) => 2.0 / (1.0 + (-0.003_682_08 * f64::from(cp)).exp()) - 1.0,
        UciScore::Mate(moves) if moves > 0 => 1.0,
        UciScore::Mate(_) => -1.0,
    }
}

/// The losses of winning chances, in percent, from which a move is marked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thresholds {
    dubious: f64,
    mistake: f64,
    blunder: f64,
}

impl Default for Thresholds {
    fn default() -> Thresholds {
        Thresholds { dubious: 5.0, mistake: 10.0, blunder: 15.0 }
    }
}

impl fmt::Display for Thresholds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{},{}", self.dubious, self.mistake, self.blunder)
    }
}

impl FromStr for Thresholds {
    type Err = String;

    fn from_str(text: &str) -> Result<Thresholds, String> {
        let numbers: Option<Vec<f64>> = text.split(',').map(|number| number.trim().parse().ok()).collect();
        match numbers.as_deref() {
            Some(&[dubious, mistake, blunder]) if 0.0 < dubious && blunder <= 100.0 => {
                if dubious < mistake && mistake < blunder {
                    Ok(Thresholds { dubious, mistake, blunder })
                } else {
                    Err("the numbers must increase from the dubious move to the blunder".to_owned())
                }
            }
            _ => Err("expected three numbers from 0 to 100 separated by commas, such as 5,10,15".to_owned()),
        }
    }
}

impl Thresholds {
    /// The losses that make a dubious move, a mistake and a blunder.
    pub fn each(&self) -> [f64; 3] {
        [self.dubious, self.mistake, self.blunder]
    }

    /// The mark of a move: `best` is the value before it, `played` after it, both from the mover's view.
    pub fn mark(&self, best: UciScore, played: UciScore) -> Option<Mark> {
        let lost = chances(best) - chances(played);
        // Chances go from -1 to 1, so 50 percent are 1.
        let reaches = |percent: f64| lost >= percent / 50.0;
        if reaches(self.blunder) {
            Some(Mark::Blunder)
        } else if reaches(self.mistake) {
            Some(Mark::Mistake)
        } else if reaches(self.dubious) {
            Some(Mark::Dubious)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_loss_matters_less_in_a_won_game() {
        let mark = |best, played| Thresholds::default().mark(best, played);
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

    #[test]
    fn thresholds_rise() {
        let read = |text: &str| text.parse::<Thresholds>();
        assert_eq!(read("5,10,15"), Ok(Thresholds::default()));
        assert_eq!(read(" 2.5, 5 ,100").map(|marks| marks.to_string()), Ok("2.5,5,100".to_owned()));
        for bad in ["5,5,15", "10,5,15", "5,20,15"] {
            assert!(read(bad).is_err_and(|reason| reason.contains("must increase")), "{bad}");
        }
        for bad in ["", "5", "5,10", "5,10,15,20", "a,b,c", "0,10,15", "-1,2,3", "5,10,101", "NaN,1,2", "5,10,inf"] {
            assert!(read(bad).is_err_and(|reason| reason.contains("three numbers from 0 to 100")), "{bad}");
        }
        let strict: Thresholds = read("1,2,3").expect("three numbers");
        assert_eq!(strict.mark(UciScore::Cp(20), UciScore::Cp(-30)), Some(Mark::Blunder));
    }
}
