//! The search under other rules, for experiments and training data. Play has none of this at run time: its rules are
//! constants.
//!
//! - [`single`]: a search of one thread under any rules
//! - [`generation`]: the search that collects lessons for the network
//! - `mtdf`: MTD(f) in place of aspiration windows
//! - `watch`: where experiments look at the search, and where they take over

pub mod generation;
mod mtdf;
pub mod single;
mod watch;
