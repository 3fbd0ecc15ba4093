//! The search that collects lessons for the network.

use crate::position::Game;
use crate::search::rules::Rules;
use crate::search::state::{Search, Shared, ThreadData, ThreadResult};

/// A search under [`Rules::GENERATION`].
///
/// The generator of training data hands it to the engine. So a program that generates none does not compile the search
/// a second time under these rules.
#[inline]
pub fn search_with_lessons(
    shared: &Shared<'_>,
    td: &mut ThreadData,
    game: &Game,
    multi_pv: usize,
) -> Option<ThreadResult> {
    Search::with_rules(Rules::GENERATION, shared, 0, td, game).iterate(multi_pv)
}
