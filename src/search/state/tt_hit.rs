//! The result of a TT probe.

use crate::bound::Ibv;
use crate::position::PackedMove;
use crate::score::Score;

/// The result of a TT probe for a node.
#[derive(Clone, Copy, Debug)]
pub(in crate::search) struct TtHit {
    /// Whether there is an entry.
    pub found: bool,
    /// The value as it holds at this node; `None` if nothing of it holds.
    pub value: Option<Ibv>,
    /// The depth of the search that stored it; -1 without an entry.
    pub depth: i32,
    /// The move, which may not be legal.
    pub best: Option<PackedMove>,
    /// Whether the entry was stored by a PV node.
    pub pv: bool,
    /// The raw static evaluation.
    pub eval: Option<Score>,
}

impl TtHit {
    /// No entry.
    pub const NONE: TtHit = TtHit { found: false, value: None, depth: -1, best: None, pv: false, eval: None };
}
