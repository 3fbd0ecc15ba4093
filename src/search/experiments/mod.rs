//! The search under other rules, for experiments and training data. Play has none of this at run time: its rules are
//! constants.
//!
//! - [`rules`]: the switches of a search as data
//! - [`distance`]: models of how scores prefer near wins and far losses
//! - `mtdf`: MTD(f) in place of aspiration windows
//! - [`tally`]: what a search counts
//! - [`lessons`]: what the generator of training data takes out of the tree
//! - [`single`]: a search of one thread under any rules
//! - `watch`: where experiments look at the search, and where they take over

pub mod distance;
pub mod lessons;
mod mtdf;
pub mod rules;
pub mod single;
pub mod tally;
mod watch;
