//! What can be set of the engine, and the limits of it.

use std::time::Duration;

use super::handicap;
use crate::recognize::syzygy::Probing;
use crate::score::DrawRule;
use crate::search::Conventions;

/// The largest transposition table that can be set, in MiB. Where an address has 32 bits, no allocation has 2 GiB.
pub const LARGEST_HASH: usize = if cfg!(target_pointer_width = "32") { 2047 } else { 1 << 20 };
/// The most search threads that can be set.
pub const MOST_THREADS: usize = if cfg!(target_family = "wasm") { 1 } else { 512 };

/// Where tablebases are, and whether all of it could be used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SyzygyPath {
    /// The folders, separated as in `PATH`; empty for none.
    pub folders: String,
    /// Set by the engine where it could use only a part, or where a search has needed tables that are damaged or
    /// missing. A new setting of the same folders is then another one, and is tried again.
    pub used_in_part: bool,
}

impl From<&str> for SyzygyPath {
    fn from(folders: &str) -> SyzygyPath {
        SyzygyPath { folders: folders.to_owned(), used_in_part: false }
    }
}

/// The settings of the engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Size of the transposition table in MiB.
    pub hash_mib: usize,
    /// Search threads.
    pub threads: usize,
    /// Lines to keep.
    pub multi_pv: usize,
    /// Time that GUI and connection cost per move.
    pub move_overhead: Duration,
    /// Nodes that count as a millisecond, instead of time; 0 for time.
    pub nodes_time: u64,
    /// Centipawns that a draw is worth less to the side that searches; positive avoids draws.
    pub contempt: i32,
    /// Whether contempt and the draw rule stay on in analysis.
    pub analysis_contempt: bool,
    /// Which draws the side that searches prefers.
    pub draws: DrawRule,
    /// Whether the user analyses: no contempt, all draws equal.
    pub analyse_mode: bool,
    /// The rating to play at, in games.
    pub elo: u32,
    /// Whether that rating counts.
    pub limit_strength: bool,
    /// The level of `Skill Level`, which stands for a rating (see [`handicap::rating_of_skill`]) where the strength is not
    /// limited by `elo`; [`handicap::FULL_SKILL`] and more for full strength.
    pub skill: u32,
    /// A network file to evaluate with; empty for the program's own evaluation, `classical` for the hand-written one.
    pub eval_file: String,
    /// Whether evaluations are raw, as training data need them: no scaling by material or ending, no damping by the
    /// 50-move clock.
    pub raw_evaluation: bool,
    /// Folders with Syzygy tablebases.
    pub syzygy_path: SyzygyPath,
    /// When tablebases are probed.
    pub probing: Probing,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            hash_mib: 16,
            threads: 1,
            multi_pv: 1,
            move_overhead: Duration::from_millis(10),
            nodes_time: 0,
            contempt: 0,
            analysis_contempt: false,
            draws: DrawRule::Later,
            analyse_mode: false,
            elo: handicap::STRONGEST,
            limit_strength: false,
            skill: handicap::FULL_SKILL,
            eval_file: String::new(),
            raw_evaluation: false,
            syzygy_path: SyzygyPath::default(),
            probing: Probing::default(),
        }
    }
}

impl Settings {
    /// The draw rule and the contempt of a search: neutral in analysis, unless the user wants otherwise. Several lines
    /// are analysis as well: they stand in the order of their scores, which contempt that is not reported would upset.
    pub fn conventions(&self, analysis: bool) -> Conventions {
        if (self.analyse_mode || analysis || self.multi_pv > 1) && !self.analysis_contempt {
            return Conventions::default();
        }
        Conventions { draws: self.draws, contempt: self.contempt }
    }
}
