//! What an experiment may switch, and what play fixes: see `ibex lab`.

use super::distance::{DistanceModel, RootPly};
use super::tally::{TableCuts, Tally};
use crate::bound::{Bound, Ibv};
use crate::params;
use crate::score::Score;

/// The switches of a search. Play answers each with a constant, so that the compiler removes the question.
pub trait Rules: Copy + Send + Sync + 'static {
    /// How distance enters scores.
    type Distance: DistanceModel + Copy;
    /// What is counted.
    type Tally: Tally;

    /// The model of distance.
    fn distance(self) -> Self::Distance;

    /// Whether forward pruning, reductions and everything else that depends on the order of the search is on. Without,
    /// a search to a depth is plain minimax over a fixed tree.
    #[inline(always)]
    fn pruning(self) -> bool {
        true
    }

    /// How a node's result is composed from its children's.
    #[inline(always)]
    fn composition(self) -> Composition {
        Composition::Integrated
    }

    /// Whether a node may be settled by mate distance alone.
    #[inline(always)]
    fn mate_distance(self) -> bool {
        true
    }

    /// Whether the table serves only searches of the very depth that it was filled by, proofs included. Then it saves
    /// work and changes nothing.
    #[inline(always)]
    fn same_depth(self) -> bool {
        false
    }

    /// How an iteration finds the root's value.
    #[inline(always)]
    fn driver(self) -> Driver {
        Driver::Aspiration
    }

    /// Whether searches without a clock hunt for mates.
    #[inline(always)]
    fn hunts(self) -> bool {
        true
    }

    /// What of the table's values may be used.
    #[inline(always)]
    fn table(self) -> TableMode {
        TableMode::All
    }

    /// Which of the table's bounds narrow the window of a PV node.
    #[inline(always)]
    fn narrowing(self) -> Narrowing {
        Narrowing::Proofs
    }

    /// Evaluations are rounded to multiples of this many centipawns.
    #[inline(always)]
    fn grain(self) -> i32 {
        1
    }

    /// Whether draws have a band of their own; if not, a draw at ply `q` is an evaluation of `q` centipawns.
    #[inline(always)]
    fn bands(self) -> bool {
        true
    }

    /// Whether recognizers are asked.
    #[inline(always)]
    fn recognizers(self) -> bool {
        params::recognizers() != 0
    }
}

/// How an iteration finds the root's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Driver {
    /// PVS with an aspiration window.
    Aspiration,
    /// MTD(f): null windows alone.
    Mtdf {
        /// Whether the step to the next test doubles with each pass that fails to the same side.
        growing: bool,
    },
}

/// What of the table's values a search uses. The stored move is used in all modes but the first, so that the modes
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
    /// The part of a value that this mode lets through.
    #[inline]
    pub fn admits(self, value: Ibv) -> bool {
        match self {
            TableMode::All => true,
            TableMode::Off | TableMode::MoveOnly => false,
            TableMode::Upper => value.is_some() && value.bound() == Bound::Upper,
            TableMode::Lower => value.is_some() && value.bound() == Bound::Lower,
            TableMode::Bounds => value.is_some() && value.bound() != Bound::Exact,
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
    /// The conventional one: a child returns a bare number, and the node derives a flag from the window it began with.
    /// The demoted one must visit the same nodes; the test suite holds it to that.
    Flags,
}

impl Composition {
    /// A child's result as its parent takes it.
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

/// The rules of play.
#[derive(Clone, Copy, Debug, Default)]
pub struct Play;

impl Rules for Play {
    type Distance = RootPly;
    type Tally = ();

    #[inline(always)]
    fn distance(self) -> RootPly {
        RootPly
    }
}

/// The rules of an experiment.
#[derive(Clone, Copy)]
pub struct Laboratory {
    /// See [`Rules::distance`].
    pub distance: &'static dyn DistanceModel,
    /// See [`Rules::pruning`].
    pub pruning: bool,
    /// See [`Rules::composition`].
    pub composition: Composition,
    /// See [`Rules::mate_distance`].
    pub mate_distance: bool,
    /// See [`Rules::same_depth`].
    pub same_depth: bool,
    /// See [`Rules::table`].
    pub table: TableMode,
    /// See [`Rules::narrowing`].
    pub narrowing: Narrowing,
    /// See [`Rules::grain`].
    pub grain: i32,
    /// See [`Rules::bands`].
    pub bands: bool,
    /// See [`Rules::recognizers`].
    pub recognizers: bool,
    /// See [`Rules::driver`].
    pub driver: Driver,
    /// See [`Rules::hunts`].
    pub hunts: bool,
}

impl Default for Laboratory {
    /// The rules of play, as switches.
    fn default() -> Self {
        Laboratory {
            distance: &RootPly,
            pruning: Play.pruning(),
            composition: Play.composition(),
            mate_distance: Play.mate_distance(),
            same_depth: Play.same_depth(),
            table: Play.table(),
            narrowing: Play.narrowing(),
            grain: Play.grain(),
            bands: Play.bands(),
            recognizers: Play.recognizers(),
            driver: Play.driver(),
            hunts: Play.hunts(),
        }
    }
}

impl Rules for Laboratory {
    type Distance = &'static dyn DistanceModel;
    type Tally = TableCuts;

    fn distance(self) -> &'static dyn DistanceModel {
        self.distance
    }

    fn pruning(self) -> bool {
        self.pruning
    }

    fn composition(self) -> Composition {
        self.composition
    }

    fn mate_distance(self) -> bool {
        self.mate_distance
    }

    fn same_depth(self) -> bool {
        self.same_depth
    }

    fn table(self) -> TableMode {
        self.table
    }

    fn narrowing(self) -> Narrowing {
        self.narrowing
    }

    fn grain(self) -> i32 {
        self.grain.max(1)
    }

    fn bands(self) -> bool {
        self.bands
    }

    fn recognizers(self) -> bool {
        self.recognizers
    }

    fn driver(self) -> Driver {
        self.driver
    }

    fn hunts(self) -> bool {
        self.hunts
    }
}
