//! A node as its steps see it, and the move whose turn it is.

use crate::position::{Move, PackedMove, Position};
use crate::score::Score;
use crate::search::state::TtHit;

/// The data that the steps of a node share.
pub(in crate::search) struct Node<'p> {
    pub position: &'p Position,
    pub ply: usize,
    /// The remaining depth. Steps 7 and 10 change it, and so does a raised alpha.
    pub depth: i32,
    /// The window, narrowed by all that is proved. Alpha rises with the best value.
    pub alpha: Score,
    pub beta: Score,
    /// Whether the window is open.
    pub pv: bool,
    /// Whether a beta cutoff is expected.
    pub cut_node: bool,
    /// Whether this is, or has been, a node of the principal variation.
    pub was_pv: bool,
    pub in_check: bool,
    /// The move left out, in a singular search. Such a search neither reads nor writes the TT.
    pub excluded: Option<PackedMove>,
    pub key: u64,
    pub tt: TtHit,
    pub tt_move: Option<Move>,
    /// The static evaluation as the TT keeps it; `None` in check and in a singular search.
    pub raw: Option<Score>,
    /// The corrected static evaluation, in centipawns; 0 in check.
    pub eval: i32,
    /// The same, or the TT's value if that says more.
    pub estimate: i32,
    /// Whether the evaluation is better than two (or four) plies ago. Margins trust an improving position more.
    pub improving: bool,
}

/// The move whose turn it is, as pruning and reductions see it.
pub(in crate::search) struct Candidate {
    pub m: Move,
    pub noisy: bool,
    /// Its number among the node's moves, from 1.
    pub move_count: usize,
    /// Its history; 0 for a first move whose history the ordering did not need.
    pub history: i32,
    /// Its reduction by depth and move count alone, in 1/1024 ply.
    pub base_reduction: i32,
}

/// A level null-window node of depth 5 in the middlegame, for the tests of the steps.
#[cfg(test)]
pub(in crate::search) fn level_node(position: &Position) -> Node<'_> {
    let alpha = Score::heuristic(10);
    Node {
        position,
        ply: 4,
        depth: 5,
        alpha,
        beta: alpha.above(),
        pv: false,
        cut_node: false,
        was_pv: false,
        in_check: position.in_check(),
        excluded: None,
        key: position.key(),
        tt: TtHit::NONE,
        tt_move: None,
        raw: Some(Score::heuristic(10)),
        eval: 10,
        estimate: 10,
        improving: true,
    }
}
