//! A breakdown of an evaluation, for people.

use std::fmt;

use super::pair::S;
use super::sums::{Term, Tracer};
use super::{FULL_PHASE, Sides, WEIGHTS, endgame, overfull, phase};
use crate::position::Position;

/// The terms of one side.
#[derive(Default)]
struct Terms([S; Term::ALL.len()]);

impl Tracer for Terms {
    const ON: bool = true;

    fn score(&mut self, term: Term, weight: S, times: i32) {
        self.0[term as usize] += weight * times;
    }

    fn danger_worth(&mut self, worth: S) {
        self.0[Term::King as usize] += worth;
    }
}

/// A position's evaluation by terms and colours; prints as a table.
pub struct Trace {
    terms: [Terms; 2],
    phase: i32,
    scale: i32,
    value: i32,
}

/// Breaks the evaluation of a position down.
pub fn trace(position: &Position) -> Trace {
    let sides = Sides::<Terms>::new(position, &WEIGHTS);
    let value = overfull(position.board()).unwrap_or_else(|| sides.value(position.board()));
    let scale = sides.scale(sides.difference().endgame() > 0);
    let [white, black] = sides.sums;
    Trace { terms: [white.tracer, black.tracer], phase: phase(position.board()), scale, value }
}

impl Trace {
    /// The value for white in centipawns.
    pub fn value(&self) -> i32 {
        self.value
    }
}

fn pair(f: &mut fmt::Formatter<'_>, pair: S) -> fmt::Result {
    write!(f, " {:>6.2} {:>6.2} |", f64::from(pair.middlegame()) / 100.0, f64::from(pair.endgame()) / 100.0)
}

impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "           |     white     |     black     |  white - black")?;
        writeln!(f, "term       |   mg     eg   |   mg     eg   |   mg     eg")?;
        writeln!(f, "-----------+---------------+---------------+---------------")?;
        let mut total = S::ZERO;
        for term in Term::ALL {
            let [white, black] = [&self.terms[0], &self.terms[1]].map(|terms| terms.0[term as usize]);
            total += white - black;
            write!(f, "{:<10} |", format!("{term:?}"))?;
            pair(f, white)?;
            pair(f, black)?;
            pair(f, white - black)?;
            writeln!(f)?;
        }
        write!(f, "total      |               |               |")?;
        pair(f, total)?;
        writeln!(f)?;
        writeln!(f, "middlegame {}/{FULL_PHASE}, endgame scaled by {}/{}", self.phase, self.scale, endgame::WHOLE)?;
        write!(f, "{:+.2} for white", f64::from(self.value) / 100.0)
    }
}
