//! The tablebases of one search.

use crate::recognize::syzygy::{Probing, Ranking, Tablebases};

/// The tablebases of one search.
#[derive(Clone, Copy)]
pub struct Probes<'a> {
    /// The tables.
    pub tables: &'a Tablebases,
    /// When to probe them.
    pub probing: Probing,
    /// The root moves ranked by them, if they have the root.
    pub ranking: Option<&'a Ranking>,
}

impl Probes<'_> {
    /// Whether positions inside the tree are probed.
    ///
    /// Not if the root moves are ranked by DTZ: then it is known which of them win, and the search can only add the
    /// mate, which every probe would cut off.
    pub(in crate::search) fn inside(&self) -> bool {
        self.ranking.is_none_or(|ranking| !ranking.by_distance)
    }
}
