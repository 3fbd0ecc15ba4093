//! The search: iterative deepening of a principal variation search whose node results are [`Ibv`](crate::bound::Ibv)s.
//!
//! The parts from the ground up; each uses only parts below it, as `tests/source/layers.rs` checks.
//!
//! - [`rules`]: the switches of a search, which are constants in play
//! - [`ordering`]: the order of moves, and what searches teach
//! - `mates`: proof-number search for mates
//! - [`state`]: what a search is made of: [`Search`], nodes, root moves, what threads share, reports
//! - `node`: the nodes below the root: `node/interior.rs` is the heart, in numbered steps
//! - `root`: iterative deepening over the root moves
//! - [`experiments`]: the search under other rules

pub mod experiments;
mod mates;
mod node;
pub mod ordering;
mod root;
pub mod rules;
pub mod state;
#[cfg(test)]
mod tests;

pub use node::value_for_root;
pub use rules::Rules;
#[cfg(target_family = "wasm")]
pub use state::host;
pub use state::{
    Allowance, Basis, Conventions, Event, Listener, NodeCounter, Outcome, Past, Probes, Report, STACK_SIZE, Search,
    Shared, SharedBest, ThreadData, ThreadResult,
};
