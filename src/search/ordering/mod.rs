//! The order of moves, and what searches teach about positions and moves.
//!
//! - [`picker`]: the moves of a node, best first
//! - [`history`]: how often a move has been good, by piece, squares and the moves before it
//! - `threats`: which squares a piece should leave
//! - [`correction`]: how far the static evaluation has been off

pub mod correction;
pub mod history;
pub mod picker;
mod threats;
