//! The data of a search.
//!
//! - `search`: [`Search`], one thread's search; `thread_data`: what a thread keeps from search to search
//! - `node`: a node as its steps see it; `stack`: what it leaves for the nodes below it; `tt_hit`: what the transposition
//!   table holds about it
//! - `root_moves`: the root moves, each with what is known about it; `pv`: principal variations
//! - `repetition`: the path to the current node; `past`: what TT keys include of game history and the 50-move clock;
//!   `conventions`: what draws are worth, contempt
//! - `shared`, `shared_best`, `allowance`: what the threads share, their best result, and their node limit; `budget`: the
//!   nodes of one thread; `probes`: the tablebases
//! - `report`, `result`: what a search says while it runs, and in the end
//! - `tally`, `lessons`: what experiments count and collect
//! - `host`: `stop` and `ponderhit` on targets with one thread

mod allowance;
mod budget;
mod conventions;
#[cfg(target_family = "wasm")]
pub mod host;
pub mod lessons;
mod node;
mod past;
mod probes;
pub mod pv;
mod repetition;
mod report;
mod result;
mod root_moves;
mod search;
mod shared;
mod shared_best;
mod stack;
mod tally;
mod thread_data;
mod tt_hit;

pub use allowance::Allowance;
pub use conventions::Conventions;
pub use past::Past;
pub use probes::Probes;
pub use report::{Basis, Event, Outcome, Report};
pub use result::ThreadResult;
pub use search::{STACK_SIZE, Search};
pub use shared::{Listener, NodeCounter, Shared};
pub use shared_best::SharedBest;
pub use tally::Tally;
pub use thread_data::ThreadData;

pub(in crate::search) use budget::NodeBudget;
#[cfg(test)]
pub(in crate::search) use node::level_node;
pub(in crate::search) use node::{Candidate, Node};
pub(in crate::search) use repetition::Path;
pub(in crate::search) use root_moves::{Exact, Reporting, RootMove, RootMoves};
pub(in crate::search) use search::{NodeResult, PvCompletion};
pub(in crate::search) use shared_best::Lead;
pub(in crate::search) use stack::StackEntry;
pub(in crate::search) use tt_hit::TtHit;
