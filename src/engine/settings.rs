//! The settings of the engine and their limits.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::time::Duration;

use super::handicap;
use crate::recognize::syzygy::Probing;
use crate::score::DrawRule;
use crate::search::Conventions;

/// The largest transposition table that can be set, in MiB. With 32-bit addresses, no allocation can have 2 GiB.
pub const LARGEST_HASH: usize = if cfg!(target_pointer_width = "32") { 2047 } else { 1 << 20 };
/// The most search threads that can be set. In a browser, more need more memory than there is with 32-bit addresses.
pub const MOST_THREADS: usize = if cfg!(target_family = "wasm") { 32 } else { 512 };
/// The most lines that can be set.
pub const MOST_LINES: usize = 256;
/// The largest contempt that can be set, in centipawns, for and against draws.
pub const LARGEST_CONTEMPT: i32 = 100;
/// The longest overhead of a move that can be set, in milliseconds.
pub const LONGEST_OVERHEAD: u64 = 5000;
/// The most nodes that can stand for a millisecond.
pub const MOST_NODES_TIME: u64 = 10_000;
/// The largest [`Probing::depth`] that can be set.
pub const LARGEST_PROBE_DEPTH: i32 = 100;
/// The largest [`Probing::limit`] that can be set: no tables have more men.
pub const LARGEST_PROBE_LIMIT: usize = 7;

/// Where tablebases are, and whether all of them could be used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SyzygyPath {
    /// The folders, separated as in `PATH`; empty for none.
    pub folders: String,
    /// Set by the engine if it could use only a part, or if a search has needed tables that are damaged or missing.
    /// Setting the same folders again then counts as a change, and they are tried again.
    pub used_in_part: bool,
}

impl From<&str> for SyzygyPath {
    fn from(folders: &str) -> SyzygyPath {
        SyzygyPath { folders: folders.to_owned(), used_in_part: false }
    }
}

/// The settings of the engine.
///
/// [`Engine::new`](super::Engine::new) and [`Engine::apply`](super::Engine::apply) clamp numbers that are out of
/// range, each with a remark.
///
/// ```
/// use ibex::engine::{Engine, Settings};
///
/// let (mut engine, _) = Engine::new(Settings { hash_mib: 8, multi_pv: 3, ..Settings::default() });
/// // One setting is changed, the others stay.
/// let remarks = engine.apply(Settings { contempt: 20, ..engine.settings().clone() });
/// assert!(remarks.is_empty());
/// let remarks = engine.apply(Settings { multi_pv: 0, ..engine.settings().clone() });
/// assert_eq!(remarks, ["MultiPV 0 is out of range; it is 1 now"]);
/// assert_eq!((engine.settings().contempt, engine.settings().multi_pv), (20, 1));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Size of the transposition table in MiB: 1 to [`LARGEST_HASH`]; the default is 16.
    pub hash_mib: usize,
    /// Search threads: 1 to [`MOST_THREADS`]; the default is 1.
    pub threads: usize,
    /// Lines to keep: 1 to [`MOST_LINES`]; the default is 1. A position with fewer legal moves has fewer lines.
    pub multi_pv: usize,
    /// Time that GUI and connection cost per move: up to [`LONGEST_OVERHEAD`]; the default is 10 ms.
    pub move_overhead: Duration,
    /// Nodes that count as a millisecond, instead of time: up to [`MOST_NODES_TIME`]; 0, the default, means time.
    pub nodes_time: u64,
    /// Centipawns that a draw is worth less to the side that searches, from minus to plus [`LARGEST_CONTEMPT`];
    /// positive values avoid draws. The default is 0.
    pub contempt: i32,
    /// Whether contempt and the draw rule stay on in analysis; by default they do not.
    pub analysis_contempt: bool,
    /// Which draws the side that searches prefers; by default [later](DrawRule::Later) ones.
    pub draws: DrawRule,
    /// Whether the user analyses: no contempt, all draws equal, full strength. By default each search decides: one
    /// that is infinite or looks for a mate is analysis, any other belongs to a game.
    pub analyse_mode: bool,
    /// The rating to play at, in games: [`handicap::WEAKEST`] to [`handicap::STRONGEST`], the default.
    pub elo: u32,
    /// Whether that rating applies; by default it does not.
    pub limit_strength: bool,
    /// The level of `Skill Level`, which stands for a rating (see [`handicap::rating_of_skill`]) where the strength
    /// is not limited by `elo`: 0 to [`handicap::FULL_SKILL`], the default, for full strength.
    pub skill: u32,
    /// A network file to evaluate with; empty, the default, for the network that the program carries.
    pub eval_file: String,
    /// Whether evaluations are raw, as training data need them: no scaling by material or ending, no damping by the
    /// 50-move clock. By default they are not.
    pub raw_evaluation: bool,
    /// Folders with Syzygy tablebases; by default none.
    pub syzygy_path: SyzygyPath,
    /// When tablebases are probed: [`Probing::depth`] from 1 to [`LARGEST_PROBE_DEPTH`], [`Probing::limit`] up to
    /// [`LARGEST_PROBE_LIMIT`].
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
    /// Clamps each number to its range, and returns a remark on each that was outside.
    pub(super) fn move_into_range(&mut self) -> Vec<String> {
        fn moved<T: Ord + Copy + Display>(name: &str, value: &mut T, range: RangeInclusive<T>) -> Option<String> {
            let given = std::mem::replace(value, (*value).clamp(*range.start(), *range.end()));
            (given != *value).then(|| format!("{name} {given} is out of range; it is {value} now"))
        }
        // The range and the remark are in whole milliseconds. A value in range keeps its fraction.
        let mut overhead = self.move_overhead.as_millis();
        let remarks = [
            moved("Hash", &mut self.hash_mib, 1..=LARGEST_HASH),
            moved("Threads", &mut self.threads, 1..=MOST_THREADS),
            moved("MultiPV", &mut self.multi_pv, 1..=MOST_LINES),
            moved("Move Overhead", &mut overhead, 0..=u128::from(LONGEST_OVERHEAD)),
            moved("nodestime", &mut self.nodes_time, 0..=MOST_NODES_TIME),
            moved("Contempt", &mut self.contempt, -LARGEST_CONTEMPT..=LARGEST_CONTEMPT),
            moved("UCI_Elo", &mut self.elo, handicap::WEAKEST..=handicap::STRONGEST),
            moved("Skill Level", &mut self.skill, 0..=handicap::FULL_SKILL),
            moved("SyzygyProbeDepth", &mut self.probing.depth, 1..=LARGEST_PROBE_DEPTH),
            moved("SyzygyProbeLimit", &mut self.probing.limit, 0..=LARGEST_PROBE_LIMIT),
        ];
        self.move_overhead = self.move_overhead.min(Duration::from_millis(LONGEST_OVERHEAD));
        remarks.into_iter().flatten().collect()
    }

    /// The draw rule and the contempt of a search: neutral in analysis, unless the user wants otherwise. A search of
    /// several lines is analysis as well: the lines are in the order of their scores, which unreported contempt would
    /// upset.
    pub fn conventions(&self, analysis: bool) -> Conventions {
        if (self.analyse_mode || analysis || self.multi_pv > 1) && !self.analysis_contempt {
            return Conventions::default();
        }
        Conventions { draws: self.draws, contempt: self.contempt }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Engine;

    /// Each number at an end of its range.
    fn extreme() -> Settings {
        Settings {
            hash_mib: LARGEST_HASH,
            threads: MOST_THREADS,
            multi_pv: MOST_LINES,
            move_overhead: Duration::from_millis(LONGEST_OVERHEAD),
            nodes_time: MOST_NODES_TIME,
            contempt: -LARGEST_CONTEMPT,
            elo: handicap::WEAKEST,
            skill: 0,
            probing: Probing { depth: LARGEST_PROBE_DEPTH, limit: LARGEST_PROBE_LIMIT, fifty_moves: false },
            ..Settings::default()
        }
    }

    #[test]
    fn the_defaults_and_the_ends_of_the_ranges_are_in_range() {
        for settings in [Settings::default(), extreme()] {
            let mut moved = settings.clone();
            assert_eq!(moved.move_into_range(), [""; 0]);
            assert_eq!(moved, settings);
        }
    }

    #[test]
    fn numbers_out_of_range_are_moved_into_it() {
        let mut settings = Settings {
            hash_mib: usize::MAX,
            threads: 5000,
            multi_pv: 1000,
            move_overhead: Duration::MAX,
            nodes_time: u64::MAX,
            contempt: i32::MIN,
            elo: 0,
            skill: u32::MAX,
            probing: Probing { depth: 0, limit: 8, fifty_moves: true },
            ..Settings::default()
        };
        let remarks = settings.move_into_range();
        assert_eq!(remarks.len(), 10, "{remarks:?}");
        assert_eq!(remarks[1], format!("Threads 5000 is out of range; it is {MOST_THREADS} now"));
        let probing = Probing { depth: 1, limit: 7, fifty_moves: true };
        assert_eq!(settings, Settings { skill: handicap::FULL_SKILL, probing, ..extreme() });
        assert_eq!(settings.move_into_range(), [""; 0]);
    }

    /// The engine uses the clamped numbers, and says so, when it is made and later.
    #[test]
    fn the_engine_keeps_to_the_ranges() {
        let (mut engine, remarks) =
            Engine::new(Settings { hash_mib: 0, threads: 0, contempt: 1000, ..Settings::default() });
        assert_eq!(
            remarks,
            [
                "Hash 0 is out of range; it is 1 now",
                "Threads 0 is out of range; it is 1 now",
                "Contempt 1000 is out of range; it is 100 now"
            ]
        );
        let small = Settings { hash_mib: 1, contempt: LARGEST_CONTEMPT, ..Settings::default() };
        assert_eq!(*engine.settings(), small);
        let remarks = engine.apply(Settings { hash_mib: 0, elo: 9000, ..engine.settings().clone() });
        assert_eq!(remarks.len(), 2, "{remarks:?}");
        assert_eq!(*engine.settings(), small);
    }
}
