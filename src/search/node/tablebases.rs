//! Tablebase probes inside the tree: the expensive recognizer, whose results the TT keeps.

use crate::bound::Ibv;
use crate::params;
use crate::position::Position;
use crate::recognize::{Expense, Recognition};
use crate::score::MAX_PLY;
use crate::search::state::{Probes, PvCompletion, Search};
use crate::tt::Entry;

impl<const PLAY: bool> Search<'_, PLAY> {
    /// The tablebases' result for a position at `ply` with `depth` remaining. The TT keeps these expensive results.
    #[inline]
    pub(in crate::search) fn probe_tablebases(
        &mut self,
        position: &Position,
        key: u64,
        depth: i32,
        ply: usize,
        pv: bool,
    ) -> Option<Ibv> {
        match self.shared.probes {
            Some(probes) if probes.inside() => self.probe_and_store(&probes, position, key, depth, ply, pv),
            _ => None,
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
    ) -> Option<Ibv> {
        let Recognition { ibv, expense } = probes.tables.probe(position, ply, depth, &probes.probing);
        let ibv = ibv?;
        self.counters.tbhits += 1;
        let known = self.in_root_terms(ibv, ply);
        if expense == Expense::Cheap {
            return Some(known);
        }
        // On a slow disk, a few probes take longer than a thousand other nodes.
        if self.pv_completion != PvCompletion::AfterSearch {
            self.check_limits();
        }
        let entry = Entry {
            value: Some(self.to_tt(known, ply)),
            best: None,
            depth: (depth + params::TB_DEPTH_BONUS).min(MAX_PLY as i32 - 1),
            pv,
            eval: None,
            tb_entry: true,
        };
        self.shared.tt.store(key, entry);
        Some(known)
    }
}
