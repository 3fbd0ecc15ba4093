//! The rules of a search as data: what play fixes, and what an experiment of the laboratory may switch.

use crate::bound::{Bound, Ibv};
use crate::score::Score;
pub mod distance;
#[cfg(test)]
mod faults;
#[cfg(test)]
mod tests;

use distance::Distance;

/// The switches of a search.
///
/// Play uses [`Rules::PLAY`], a constant, so the compiler removes every test of it. An experiment changes some fields
/// and takes the rest from play:
///
/// ```
/// use ibex::search::Rules;
///
/// let rules = Rules { pruning: false, same_depth: true, ..Rules::PLAY };
/// assert_eq!(rules.distance, Rules::PLAY.distance);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// How distance enters scores.
    pub distance: Distance,
    /// Whether forward pruning, reductions and everything else that depends on the order of the search are on.
    /// Without it, a search to a depth is plain minimax over a fixed tree.
    pub pruning: bool,
    /// How a node composes its result from its children's.
    pub composition: Composition,
    /// Whether mate distance alone may settle a node.
    pub mate_distance: bool,
    /// Whether an entry of the transposition table, proofs included, serves only searches of its own depth. The table
    /// then saves work and changes nothing.
    pub same_depth: bool,
    /// Which of the table's values the search uses.
    pub table: TableMode,
    /// Which of the table's bounds narrow the window of a PV node.
    pub narrowing: Narrowing,
    /// Evaluations are rounded to multiples of this number of centipawns; 1 or less rounds nothing.
    pub grain: i32,
    /// Whether draws have a band of their own. Without it, a draw at ply `q` is an evaluation of `q` centipawns.
    pub bands: bool,
    /// Whether the search uses recognizers.
    pub recognizers: bool,
    /// How an iteration finds the root's value.
    pub driver: Driver,
    /// Whether searches without a clock run mate searches (`mate_search.rs` has the other conditions).
    pub mate_search: bool,
    /// Whether interior nodes are collected as lessons for the network.
    pub lessons: bool,
}

impl Rules {
    /// The rules of play.
    pub const PLAY: Rules = Rules {
        distance: Distance::RootPly,
        pruning: true,
        composition: Composition::Integrated,
        mate_distance: true,
        same_depth: false,
        table: TableMode::All,
        narrowing: Narrowing::Proofs,
        grain: 1,
        bands: true,
        recognizers: true,
        driver: Driver::Aspiration,
        mate_search: true,
        lessons: false,
    };

    /// The rules of the searches that training data are made of.
    pub const GENERATION: Rules = Rules { lessons: true, ..Rules::PLAY };
}

/// How an iteration finds the root's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Driver {
    /// PVS with an aspiration window.
    Aspiration,
    /// MTD(f): null windows alone.
    Mtdf {
        /// Whether the step to the next test doubles with each pass that fails on the same side.
        growing: bool,
    },
}

/// Which of the table's values a search uses. The stored move is used in all modes but the first, so that the modes
/// differ in values alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableMode {
    /// Nothing, not even the move.
    Off,
    /// The move.
    MoveOnly,
    /// Upper bounds.
    Upper,
    /// Lower bounds.
    Lower,
    /// Bounds of both kinds.
    Bounds,
    /// Everything: bounds and exact values.
    All,
}

impl TableMode {
    /// Whether a search of this mode uses the value.
    #[inline]
    pub fn admits(self, value: Ibv) -> bool {
        match self {
            TableMode::All => true,
            TableMode::Off | TableMode::MoveOnly => false,
            TableMode::Upper => value.bound() == Bound::Upper,
            TableMode::Lower => value.bound() == Bound::Lower,
            TableMode::Bounds => value.bound() != Bound::Exact,
        }
    }
}

/// Which table bounds narrow the window of a PV node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Narrowing {
    /// None.
    Off,
    /// Proofs: mates, tablebase results, recognitions.
    Proofs,
    /// All that are deep enough; lines become shorter.
    All,
}

/// How a node's result is composed from its children's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Composition {
    /// Beal's: the maximum of the children is the result, bound and all.
    Integrated,
    /// The same, with exact values below alpha demoted to upper bounds.
    Demoted,
    /// The conventional one: a child returns a bare number, and the node derives a flag from the window it began
    /// with. [`Composition::Demoted`] must visit the same nodes; the test suite checks this.
    Flags,
}

impl Composition {
    /// A child's result as its parent uses it.
    #[inline(always)]
    pub fn returned(self, value: Ibv) -> Ibv {
        if self == Composition::Flags { value.force_exact() } else { value }
    }

    /// A node's result, from the best of its children and the window that they were searched with.
    #[inline(always)]
    pub fn conclude(self, best: Ibv, alpha: Score, beta: Score) -> Ibv {
        match self {
            Composition::Integrated => best,
            Composition::Demoted if best.fails_low(alpha) => best.force_upper(),
            Composition::Demoted => best,
            Composition::Flags if best.score() >= beta => best.force_lower(),
            Composition::Flags if best.score() > alpha => best.force_exact(),
            Composition::Flags => best.force_upper(),
        }
    }
}
