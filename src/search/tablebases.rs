//! Tablebases in the search: the recognizer that is worth remembering.

use super::Search;
use crate::bound::Ibv;
use crate::position::{PackedMove, Position};
use crate::recognize::syzygy::{Probing, Ranking, Tablebases};
use crate::score::MAX_PLY;
use crate::tt::Entry;

/// What a probe is worth more than a search: so many plies of depth.
const PROBE_DEPTH_BONUS: i32 = 6;

/// Tablebases, as one search asks them.
#[derive(Clone, Copy)]
pub struct Probes<'a> {
    /// The tables.
    pub tables: &'a Tablebases,
    /// When they are asked.
    pub probing: Probing,
    /// What they say of the root's moves, where they know the root.
    pub ranking: Option<&'a Ranking>,
}

impl Probes<'_> {
    /// Whether positions inside the tree are probed: not where the root's moves are ranked by their distance to
    /// progress. Which of them win is known then; what the search can add is the mate, and every probe would cut it off.
    fn inside(&self) -> bool {
        self.ranking.is_none_or(|ranking| !ranking.by_distance)
    }
}

impl<const PLAY: bool> Search<'_, PLAY> {
    /// What tablebases prove of a position at `ply` with `depth` remaining, in the root's terms; remembered in the table.
    #[inline]
    pub(super) fn probe_tablebases(&mut self, position: &Position, key: u64, depth: i32, ply: usize, pv: bool) -> Ibv {
        match self.shared.probes {
            Some(probes) if probes.inside() => self.probe_and_store(&probes, position, key, depth, ply, pv),
            _ => Ibv::NONE,
        }
    }

    #[inline(never)]
    fn probe_and_store(
        &mut self,
        probes: &Probes<'_>,
        position: &Position,
        key: u64,
        depth: i32,
        ply: usize,
        pv: bool,
    ) -> Ibv {
        let known = probes.tables.probe(position, ply, depth, &probes.probing).ibv;
        if !known.is_some() {
            return Ibv::NONE;
        }
        self.tbhits += 1;
        let known = self.in_root_terms(known, ply);
        let entry = Entry {
            value: self.to_tt(known, ply),
            best: PackedMove::NONE,
            depth: (depth + PROBE_DEPTH_BONUS).min(MAX_PLY as i32 - 1),
            pv,
            eval: None,
            tb_entry: true,
        };
        self.shared.tt.store(key, entry);
        known
    }
}
