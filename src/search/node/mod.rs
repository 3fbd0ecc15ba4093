//! The nodes below the root.
//!
//! - `interior`: the interior node, in numbered steps; `quiesce`: quiescence search
//! - `pruning`, `null_move`, `probcut`, `extensions`, `reductions`: the steps' bodies
//! - `descend`: how a node begins, makes a move and searches the child; `stopping`: when a search ends
//! - `proved`: mate distance, draws by rule and recognizers; `tt_values`: values into and out of the transposition
//!   table; `tablebases`: tablebases inside the tree
//! - `estimate`: static evaluation; `learning`: what results teach

mod descend;
mod estimate;
mod extensions;
mod interior;
mod learning;
mod null_move;
mod probcut;
mod proved;
mod pruning;
mod quiesce;
pub(in crate::search) mod reductions;
mod stopping;
mod tablebases;
mod tt_values;

pub use tt_values::value_for_root;
