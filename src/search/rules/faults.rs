//! Faults that negative controls put into the models of distance: the tests of scores must notice each of them.

use super::distance::Distance;
use crate::bound::Ibv;
use crate::score::{DrawRule, Score};

/// A fault of [`Distance::RootPly`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The table re-bases nothing.
    Unadjusted,
    /// Every proof is taken to come true in time.
    Timeless,
    /// The table re-bases draws the wrong way round, when storing and when probing.
    FlippedDraws,
    /// Mate distance pruning rules out mate with the next move.
    MissedMate,
    /// [`Distance::NodeAged`], but windows enter a child as they are.
    AgelessWindows,
}

impl Fault {
    /// The rule by which the table re-bases draws.
    fn draws(self, draws: DrawRule) -> DrawRule {
        match draws {
            DrawRule::Later if self == Fault::FlippedDraws => DrawRule::Sooner,
            DrawRule::Sooner if self == Fault::FlippedDraws => DrawRule::Later,
            rule => rule,
        }
    }

    /// The model that has this fault.
    fn model(self) -> Distance {
        if self == Fault::AgelessWindows { Distance::NodeAged } else { Distance::RootPly }
    }

    pub fn origin(self, ply: usize) -> usize {
        self.model().origin(ply)
    }

    pub fn nearest_mate(self, ply: usize) -> usize {
        self.origin(ply) + if self == Fault::MissedMate { 3 } else { 1 }
    }

    pub fn leave(self, value: Ibv) -> Ibv {
        self.model().leave(value, Score::ZERO)
    }

    pub fn to_tt(self, value: Ibv, ply: usize, draws: DrawRule) -> Ibv {
        if self == Fault::Unadjusted { value } else { self.model().to_tt(value, ply, self.draws(draws)) }
    }

    pub fn at_ply(self, stored: Ibv, ply: usize, draws: DrawRule) -> Option<Ibv> {
        if self == Fault::Unadjusted { Some(stored) } else { self.model().from_tt(stored, ply, self.draws(draws)) }
    }

    /// The plies that a decisive score needs, which are `needed`.
    pub fn plies_needed(self, needed: usize) -> usize {
        if self == Fault::Timeless { 0 } else { needed }
    }
}
