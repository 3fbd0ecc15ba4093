//! The data that a thread keeps from search to search.

use std::sync::Arc;

use crate::eval::Evaluator;
use crate::eval::nnue::Network;
use crate::params;
use crate::search::ordering::correction::Correction;
use crate::search::ordering::history::History;
use crate::search::state::StackEntry;
use crate::search::state::lessons::Lessons;
use crate::search::state::pv::PvTable;
use crate::time::PreviousSearch;

/// The data of one search thread that survive its searches.
pub struct ThreadData {
    /// Move histories.
    pub history: History,
    /// Correction history.
    pub correction: Correction,
    /// Lessons for the network, if this thread's searches are to collect them.
    pub lessons: Option<Lessons>,
    /// The previous search, if it had a score.
    pub(crate) previous_search: Option<PreviousSearch>,
    /// Nodes since the histories last forgot something.
    pub(in crate::search) nodes: u64,
    pub(in crate::search) evaluator: Evaluator,
    pub(in crate::search) stack: Box<[StackEntry]>,
    pub(in crate::search) pv: PvTable,
}

impl ThreadData {
    /// Empty histories; with raw evaluations if training data are made (see [`Evaluator::set_raw`]).
    pub fn new(network: &Arc<Network>, raw: bool) -> ThreadData {
        let mut evaluator = Evaluator::new(network);
        evaluator.set_raw(raw);
        ThreadData {
            history: History::new(),
            correction: Correction::new(),
            lessons: None,
            previous_search: None,
            nodes: 0,
            evaluator,
            stack: StackEntry::new_stack(),
            pv: PvTable::new(),
        }
    }

    /// Clears the histories, for a new game.
    pub fn clear(&mut self) {
        self.history.clear();
        self.correction.clear();
        self.previous_search = None;
        self.nodes = 0;
    }

    /// Lets the move histories forget a part before another search, if searches since the last time could teach them
    /// something new.
    pub(in crate::search) fn age(&mut self) {
        if self.nodes >= params::HISTORY_AGEING_NODES {
            self.history.age();
            self.nodes = 0;
        }
    }
}

impl Default for ThreadData {
    fn default() -> Self {
        ThreadData::new(&Network::embedded(), false)
    }
}
