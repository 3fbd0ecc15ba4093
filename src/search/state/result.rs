//! The result of one thread.

use crate::bound::Ibv;
use crate::position::{Move, PackedMove};
use crate::search::state::Basis;
use crate::time::PreviousSearch;

/// The result of one thread.
#[derive(Clone, Debug)]
pub struct ThreadResult {
    /// The move.
    pub best: Move,
    /// Its principal variation.
    pub pv: Vec<PackedMove>,
    /// Its value: exact, unless the search was interrupted before it could be.
    pub value: Ibv,
    /// The basis of the value.
    pub basis: Basis,
    /// Whether the move was searched to an exact value, and was compared with all others in an iteration.
    pub complete: bool,
    /// The depth of the search that found it: its iteration's, or up to three plies less after failing high.
    pub depth: i32,
    /// The iteration that the result rests on: the interrupted one if that has a value of its own, else the last
    /// complete one.
    pub iteration: i32,
    /// The data for the next search, if the move has a score.
    pub for_next_search: Option<PreviousSearch>,
    /// The deepest ply below it.
    pub seldepth: usize,
    /// Nodes of this thread.
    pub nodes: u64,
}
