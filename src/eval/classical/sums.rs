//! Adding up terms for one side, with a tracer for the breakdown.

use super::pair::S;
use super::weights::Weights;

/// The groups of terms, as the breakdown names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Term {
    /// The value of pieces as such.
    Material,
    /// Where they stand.
    Squares,
    /// Where they can go.
    Mobility,
    /// What single pieces are good for.
    Pieces,
    /// Pawn structure.
    Pawns,
    /// Passed pawns.
    Passed,
    /// Shelter of the own king, danger to the enemy king.
    King,
    /// Threats.
    Threats,
    /// Room in the centre.
    Space,
    /// Driving a bare king to the edge.
    Endgame,
    /// The right to move.
    Tempo,
}

impl Term {
    /// All of them, in the order of the breakdown.
    pub const ALL: [Term; 11] = [
        Term::Material,
        Term::Squares,
        Term::Mobility,
        Term::Pieces,
        Term::Pawns,
        Term::Passed,
        Term::King,
        Term::Threats,
        Term::Space,
        Term::Endgame,
        Term::Tempo,
    ];
}

/// Receives the terms of one side.
pub trait Tracer: Default {
    /// Whether it is in use; the engine's own evaluation compiles to sums alone.
    const ON: bool;
    /// `weight` was added to the score this many `times`.
    fn score(&mut self, _term: Term, _weight: S, _times: i32) {}
    /// The danger of the enemy king was worth this much.
    fn danger_worth(&mut self, _worth: S) {}
}

/// Traces nothing.
#[derive(Default)]
pub struct NullTracer;

impl Tracer for NullTracer {
    const ON: bool = false;
}

/// The sums of one side.
pub struct Sums<'w, W> {
    /// What a term is worth.
    pub weights: &'w Weights,
    /// The sum of the terms so far.
    pub score: S,
    danger: S,
    /// Sees each term.
    pub tracer: W,
}

impl<'w, W: Tracer> Sums<'w, W> {
    /// No terms yet.
    pub fn new(weights: &'w Weights) -> Sums<'w, W> {
        Sums { weights, score: S::ZERO, danger: S::ZERO, tracer: W::default() }
    }

    /// Adds a weight this many times.
    #[inline]
    pub fn add(&mut self, term: Term, weight: &S, times: i32) {
        self.score += *weight * times;
        if W::ON && times != 0 {
            self.tracer.score(term, *weight, times);
        }
    }

    /// Adds to the danger of the enemy king.
    #[inline]
    pub fn endanger(&mut self, weight: &S, times: i32) {
        self.danger += *weight * times;
    }

    /// Turns the danger into score: quadratic in the middlegame, where attackers multiply each other's effect.
    #[inline]
    pub fn settle_danger(&mut self) {
        let worth = danger_worth(self.danger);
        self.score += worth;
        if W::ON {
            self.tracer.danger_worth(worth);
        }
    }
}

/// The middlegame's divisor for the square of the danger.
pub const DANGER_SQUARE: i32 = 700;
/// The endgame's divisor for the danger.
pub const DANGER_LINEAR: i32 = 16;

fn danger_worth(danger: S) -> S {
    let (middlegame, endgame) = (danger.middlegame().max(0), danger.endgame().max(0));
    S((middlegame * middlegame / DANGER_SQUARE).min(4000), endgame / DANGER_LINEAR)
}
