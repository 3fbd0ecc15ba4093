//! Syzygy tablebases: the expensive recognizer.
//!
//! Inside the tree, [`Tablebases::probe`] gives a [`Recognition`] like every other recognizer, marked
//! [`Expense::Expensive`]: the search stores it (as an entry without a move) and counts it as a table hit. At the root,
//! [`Tablebases::rank_root`] orders the moves by what they keep, so that the search plays only moves that keep the
//! result and makes progress under the 50-move rule.
//!
//! Each file that cannot be used costs only a remark: the engine plays on without it. Files are read at the first
//! probe that needs them; small ones stay in memory.
//!
//! Source of the format and of the meaning of its values: Ronald de Man's Syzygy tables, through `shakmaty-syzygy`.

mod failures;
mod files;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use shakmaty::{Chess, Color};
use shakmaty_syzygy::{Dtz, MaybeRounded, SyzygyError, Tablebase, Wdl};

use super::{Expense, Recognition};
use crate::bound::Ibv;
use crate::position::{Game, Move, Position};
use crate::score::Score;
use failures::Failures;
use files::{SmallInMemory, check_magic, is_same, table_files};

/// When tables are probed: the UCI options `SyzygyProbeDepth`, `SyzygyProbeLimit` and `Syzygy50MoveRule`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probing {
    /// The remaining depth in plies from which positions of the largest allowed size are probed; smaller ones always
    /// are. The default is 1.
    pub depth: i32,
    /// The most men that are probed, kings included; 0 means never. The default is 7.
    pub limit: usize,
    /// Whether a win that the 50-move rule spoils is a draw; by default it is.
    pub fifty_moves: bool,
}

impl Default for Probing {
    fn default() -> Probing {
        Probing { depth: 1, limit: 7, fifty_moves: true }
    }
}

/// The number of missing tables that a remark names.
const MISSING_TOLD: usize = 8;
/// The number of files of a kind that are named when a path is opened: a folder for six men has some seven hundred.
const FILES_NAMED: usize = 8;

/// Opened tablebases; shared by all threads.
///
/// ```no_run
/// use ibex::position::Game;
/// use ibex::position::notation::{read_fen, san};
/// use ibex::recognize::syzygy::{Probing, Tablebases};
///
/// let (tablebases, remarks) = Tablebases::open("/data/syzygy/wdl:/data/syzygy/dtz");
/// remarks.iter().for_each(|remark| eprintln!("{remark}")); // files that cannot be used
/// let game = Game::new(read_fen("8/8/8/8/4k3/8/4P3/4K3 w - - 0 1")?);
/// if let Some(ranking) = tablebases.and_then(|tables| tables.rank_root(&game, &Probing::default())) {
///     for ranked in &ranking.moves {
///         println!("{}: {:?}, score {:?}", san(game.position(), ranked.m), ranked.rank.keeps, ranked.score);
///     }
/// }
/// # Ok::<(), ibex::position::FenError>(())
/// ```
pub struct Tablebases {
    /// The numbers of WDL and of DTZ tables.
    counts: [usize; 2],
    tables: Tablebase<Chess>,
    /// Whether a folder or a file could not be opened.
    opened_in_part: bool,
    /// Materials whose WDL tables have failed: they are probed only once.
    broken: Failures,
    /// Materials whose DTZ tables have failed, or the WDL tables needed for them.
    broken_dtz: Failures,
    remarks: Mutex<Remarks>,
}

impl fmt::Debug for Tablebases {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tablebases({} men)", self.largest())
    }
}

/// The result that a root move keeps; a better one is greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Keeps {
    /// A loss, unless the 50-move rule or a repetition may still save it.
    Loss,
    /// A loss that the 50-move rule makes a draw.
    BlessedLoss,
    /// A draw.
    Draw,
    /// A win that the 50-move rule makes, or may make, a draw.
    CursedWin,
    /// A win.
    Win,
}

/// The rank of a root move; a better one is greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rank {
    /// The result that it keeps.
    pub keeps: Keeps,
    /// The order among moves that keep the same, by distance to progress; 0 if the search is to find the way.
    pub order: i32,
}

/// A root move with what the tables say about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankedMove {
    /// The move.
    pub m: Move,
    /// Moves of equal rank keep the same result, if the tables decide it; higher is better.
    pub rank: Rank,
    /// The reported score: a tablebase win or loss at the root, or a draw; `None` if traps of the game or the
    /// rounding of the tables leave it open.
    pub score: Option<Score>,
    /// Plies to the next capture or pawn move, counted as Syzygy does (0: draw; beyond ±100: spoiled by the rule; ±1
    /// without a DTZ table).
    pub dtz: i32,
}

/// The ranks of all moves of a root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranking {
    /// The moves, best first.
    pub moves: Vec<RankedMove>,
    /// Whether the distances to progress are known, so that playing by rank makes progress; if not, only results are
    /// known.
    pub by_distance: bool,
}

impl Tablebases {
    /// Opens the tables of a `SyzygyPath`: folders separated as in `PATH` (`:`, on Windows `;`), spaces allowed; an
    /// empty path or `<empty>` means none. The remarks say what cannot be used, one line each; of many files of a
    /// kind they name only the first.
    ///
    /// If a table is found twice, the first is used.
    pub fn open(path: &str) -> (Option<Arc<Tablebases>>, Vec<String>) {
        let path = path.trim();
        if path.is_empty() || path == "<empty>" {
            return (None, Vec::new());
        }
        if cfg!(target_family = "wasm") {
            // Rust cannot even split a list of paths there: it panics.
            return (None, vec!["tablebases need files, and there are none here".to_owned()]);
        }
        let mut tables = Tablebase::with_filesystem(Arc::new(SmallInMemory::default()));
        let mut found: BTreeMap<String, PathBuf> = BTreeMap::new();
        let (mut folders, mut unusable, mut doubles) = (Vec::new(), Vec::new(), Vec::new());
        for folder in std::env::split_paths(path).filter(|folder| !folder.as_os_str().is_empty()) {
            match table_files(&folder) {
                Err(error) => folders.push(format!("tablebase folder '{}': {error}", folder.display())),
                Ok(files) if files.is_empty() => {
                    folders.push(format!("tablebase folder '{}' has no tables", folder.display()));
                }
                Ok(files) => {
                    for file in files {
                        let Some(name) = file.file_name().map(|name| name.to_string_lossy().into_owned()) else {
                            continue;
                        };
                        if let Some(first) = found.get(&name) {
                            // A folder may be named twice, or hold links to the files of another.
                            if !is_same(&file, first) {
                                let (file, first) = (file.display(), first.display());
                                doubles.push(format!("tablebase file '{file}' is not used, since '{first}' is"));
                            }
                        } else if let Err(error) = check_magic(&file).and_then(|()| tables.add_file(&file)) {
                            let remark = format!("tablebase file '{}': {error}", file.display());
                            if !unusable.contains(&remark) {
                                unusable.push(remark);
                            }
                        } else {
                            found.insert(name, file);
                        }
                    }
                }
            }
        }
        let opened_in_part = !folders.is_empty() || !unusable.is_empty();
        let mut remarks = folders;
        remarks.extend(shortened(unusable, "tablebase files cannot be used"));
        remarks.extend(shortened(doubles, "tablebase files are not used, since others of the same names are"));
        if found.is_empty() {
            return (None, remarks);
        }
        let [wdl, dtz] = ["rtbw", "rtbz"].map(|kind| {
            found.values().filter(|file| file.extension().is_some_and(|end| end.eq_ignore_ascii_case(kind))).count()
        });
        let opened = Tablebases {
            tables,
            counts: [wdl, dtz],
            opened_in_part,
            broken: Failures::default(),
            broken_dtz: Failures::default(),
            remarks: Mutex::default(),
        };
        (Some(Arc::new(opened)), remarks)
    }

    /// The numbers of WDL and of DTZ tables.
    pub fn counts(&self) -> [usize; 2] {
        self.counts
    }

    /// The most men of any table, kings included.
    pub fn largest(&self) -> usize {
        self.tables.max_pieces()
    }

    /// Whether a folder or a file could not be used, or was needed and missing, so far. The same path, opened again,
    /// may then have more tables.
    pub fn has_failed(&self) -> bool {
        let remarks = self.remarks.lock().unwrap_or_else(PoisonError::into_inner);
        self.opened_in_part || !remarks.files.is_empty()
    }

    /// Remarks about files that turned out unusable since the last call: one line for each ending, once.
    pub fn take_remarks(&self) -> Vec<String> {
        std::mem::take(&mut self.remarks.lock().unwrap_or_else(PoisonError::into_inner).new)
    }

    /// The tables' result for a position at `ply` with `depth` remaining, for the side to move.
    ///
    /// Probes only right after a capture or a pawn move, where the result holds whatever came before: wins and losses
    /// are then certain under the 50-move rule. A result counts as one table hit.
    #[inline]
    pub fn probe(&self, position: &Position, ply: usize, depth: i32, probing: &Probing) -> Recognition {
        if position.clock() != 0 || !position.castling().is_empty() {
            return Recognition::NONE;
        }
        let men = position.men();
        let largest = self.largest().min(probing.limit);
        if men > largest || (men == largest && depth < probing.depth) {
            return Recognition::NONE;
        }
        self.probe_files(position, ply, probing)
    }

    #[inline(never)]
    fn probe_files(&self, position: &Position, ply: usize, probing: &Probing) -> Recognition {
        let Some(wdl) = self.wdl_after_zeroing(position) else { return Recognition::NONE };
        let win = Ibv::lower(Score::tablebase_win(ply));
        let ibv = match wdl {
            Wdl::Win => win,
            Wdl::CursedWin if !probing.fifty_moves => win,
            Wdl::Loss => -win,
            Wdl::BlessedLoss if !probing.fifty_moves => -win,
            Wdl::Draw | Wdl::CursedWin | Wdl::BlessedLoss => Ibv::exact(Score::ZERO),
        };
        Recognition { ibv: Some(ibv), expense: Expense::Expensive }
    }

    /// Ranks the root's moves by the result that they keep, best first; `None` if the tables do not have the
    /// position.
    ///
    /// A move ranks by result: win, win that the 50-move rule may spoil, draw, loss that the rule saves, loss. Moves
    /// that keep a certain win rank equal, so that the search can look for mate among them, except when the game has
    /// repeated a position since the last capture or pawn move or the clock is past half: then the shortest way to
    /// the next such move ranks first, and progress is certain. A position that has occurred once before is not a
    /// draw yet: a move back into it ranks by its distance like any other. The search keeps to the moves of the best
    /// rank, and reports their `score` if it finds no mate itself.
    pub fn rank_root(&self, game: &Game, probing: &Probing) -> Option<Ranking> {
        let position = game.position();
        let men = position.men();
        if !position.castling().is_empty() || men > self.largest().min(probing.limit) {
            return None;
        }
        let moves = position.legal_moves_by_role();
        let with_dtz: Option<Vec<RankedMove>> = self
            .traps(game)
            .and_then(|traps| moves.iter().map(|&m| self.rank_by_dtz(game, m, probing, &traps)).collect());
        let by_distance = with_dtz.is_some();
        let mut moves: Vec<RankedMove> = match with_dtz {
            Some(ranked) => ranked,
            None => moves.iter().map(|&m| self.rank_by_wdl(game, m, probing)).collect::<Option<_>>()?,
        };
        // Stable: moves of equal rank and distance keep the generator's order.
        moves.sort_by_key(|ranked| (Reverse(ranked.rank), ranked.dtz));
        // The position is lost for certain only if every move is, so no move may claim a loss while another one is
        // open.
        let loses = moves.first().is_some_and(|first| first.rank.keeps == Keeps::Loss);
        if loses && moves.iter().any(|ranked| ranked.score.is_none()) {
            moves.iter_mut().for_each(|ranked| ranked.score = None);
        }
        Some(Ranking { moves, by_distance })
    }

    /// Who wins from each trap of a game, and the least number of plies to progress.
    fn traps(&self, game: &Game) -> Option<Vec<(Color, i32)>> {
        let mut traps = Vec::new();
        for trap in game.traps() {
            let dtz = self.dtz(trap)?.ignore_rounding().0;
            if dtz != 0 {
                traps.push((if dtz > 0 { trap.turn() } else { !trap.turn() }, dtz.abs()));
            }
        }
        Some(traps)
    }

    fn rank_by_dtz(&self, game: &Game, m: Move, probing: &Probing, traps: &[(Color, i32)]) -> Option<RankedMove> {
        let mut after = game.clone();
        after.play(m);
        let Distance { dtz, most } = self.dtz_after(&after, probing)?;
        let position = after.position();
        let timing = Timing::new(game.position().clock(), position, dtz, most, probing);
        let us = game.position().turn();
        let winner = if dtz > 0 { us } else { !us };
        // A side that comes nearer to progress with every move cannot meet a trap that is at least as far from it.
        let no_trap_is_nearer =
            position.clock() == 0 || traps.iter().all(|&(wins, plies)| wins != winner || plies + 1 >= most);
        let must_progress = after_repetition(game) || game.position().clock() > 50;
        let rank = timing.rank(dtz, must_progress);
        let score = timing.proved_score(dtz, no_trap_is_nearer);
        // Without the rule, a spoiled win is a win like any other.
        let dtz = if !probing.fifty_moves && dtz.abs() > 100 { dtz - 100 * dtz.signum() } else { dtz };
        Some(RankedMove { m, rank, score, dtz })
    }

    /// The distance to progress or mate after a move that was played, including that move.
    fn dtz_after(&self, after: &Game, probing: &Probing) -> Option<Distance> {
        let position = after.position();
        if position.is_checkmate() {
            return Some(Distance::exact(1));
        }
        if after.occurrences() >= 2 || (probing.fifty_moves && !position.has_plies_for(1)) {
            // Drawn on the board.
            return Some(Distance::exact(0));
        }
        if position.clock() == 0 {
            return Some(Distance::exact(Dtz::before_zeroing(-self.wdl_after_zeroing(position)?).0));
        }
        let known = self.dtz(position)?;
        let dtz = known.ignore_rounding().0;
        let dtz = -(dtz + dtz.signum());
        if dtz > 0 && leads_to_trap(after) {
            // The loser has a draw at once.
            return Some(Distance::exact(0));
        }
        Some(Distance { dtz, most: dtz.abs() + i32::from(known.precise().is_none()) })
    }

    fn rank_by_wdl(&self, game: &Game, m: Move, probing: &Probing) -> Option<RankedMove> {
        let strict = probing.fifty_moves;
        let mut after = game.clone();
        after.play(m);
        let (again, after) = (after.occurrences() >= 2, after.position());
        let mated = after.is_checkmate();
        // Drawn on the board.
        let drawn = !mated && (again || strict && !after.has_plies_for(1));
        let wdl = if drawn { Wdl::Draw } else { -self.wdl_after_zeroing(after)? };
        let keeps = match wdl {
            Wdl::CursedWin if strict => Keeps::CursedWin,
            Wdl::Win | Wdl::CursedWin => Keeps::Win,
            Wdl::Draw => Keeps::Draw,
            Wdl::BlessedLoss if strict => Keeps::BlessedLoss,
            Wdl::BlessedLoss | Wdl::Loss => Keeps::Loss,
        };
        let score = match keeps {
            Keeps::Win => Score::tablebase_win(0),
            Keeps::CursedWin | Keeps::Draw | Keeps::BlessedLoss => Score::ZERO,
            Keeps::Loss => -Score::tablebase_win(0),
        };
        // These tables are for positions with the clock at zero; a draw is a draw at any clock.
        let certain = after.clock() == 0 || wdl == Wdl::Draw;
        let dtz = Dtz::before_zeroing(wdl).0.signum();
        Some(RankedMove { m, rank: Rank { keeps, order: 0 }, score: certain.then_some(score), dtz })
    }

    /// The game-theoretical result for the side to move, 1, 0 or −1, without the 50-move rule, to check others
    /// against; `None` if the tables do not have the position.
    pub fn result(&self, position: &Position) -> Option<i32> {
        self.wdl_after_zeroing(position).map(Wdl::signum)
    }

    fn wdl_after_zeroing(&self, position: &Position) -> Option<Wdl> {
        let material = material_key(position);
        if self.broken.contains(material) {
            return None;
        }
        self.note(&self.broken, material, self.tables.probe_wdl_after_zeroing(&position.to_chess()))
    }

    fn dtz(&self, position: &Position) -> Option<MaybeRounded<Dtz>> {
        let material = material_key(position);
        if self.broken_dtz.contains(material) {
            return None;
        }
        self.note(&self.broken_dtz, material, self.tables.probe_dtz(&position.to_chess()))
    }

    /// The result; an error is added to these failures, and reported if it is about a file that exists.
    fn note<T>(&self, failures: &Failures, material: u64, result: Result<T, SyzygyError>) -> Option<T> {
        let error = match result {
            Ok(value) => return Some(value),
            Err(error) => error,
        };
        if failures.insert(material) {
            self.remark(&error);
        }
        None
    }

    /// Keeps a remark about a file that failed, once per file: probing distances also needs results.
    fn remark(&self, error: &SyzygyError) {
        let (file, reason) = match error {
            SyzygyError::ProbeFailed { metric, material, error } => {
                // The error may carry a backtrace; its first line says all that a user needs.
                let reason = error.to_string();
                let reason = reason.lines().next().unwrap_or_default().to_owned();
                (format!("{metric} table {material}"), Some(reason))
            }
            SyzygyError::MissingTable { metric, material } => (format!("{metric} table {material}"), None),
            SyzygyError::Castling | SyzygyError::TooManyPieces => return,
        };
        let mut remarks = self.remarks.lock().unwrap_or_else(PoisonError::into_inner);
        if !remarks.files.insert(file.clone()) {
            return;
        }
        let text = match reason {
            Some(reason) => format!("{file} cannot be used: {reason}"),
            None => {
                remarks.missing += 1;
                // A user with some of the larger tables does not need a remark about each of the others.
                match remarks.missing {
                    ..=MISSING_TOLD => format!("{file} is missing"),
                    n if n == MISSING_TOLD + 1 => "more tables are missing".to_owned(),
                    _ => return,
                }
            }
        };
        remarks.new.push(text);
    }
}

/// The plies from a move to progress or mate, including that move.
struct Distance {
    /// As [`RankedMove::dtz`]: positive where the side that moved wins.
    dtz: i32,
    /// The most plies it may take: rounded tables may say one too few.
    most: i32,
}

impl Distance {
    fn exact(dtz: i32) -> Distance {
        Distance { dtz, most: dtz.abs() }
    }
}

/// How a distance relates to the 50-move rule. If the table has rounded, progress may be neither certainly in time
/// nor certainly too late.
struct Timing {
    /// Plies of the clock that count against the distance.
    spent: i32,
    in_time: bool,
    too_late: bool,
}

impl Timing {
    /// The timing of a move that was made at this clock and led to `after`.
    fn new(clock: u16, after: &Position, dtz: i32, most: i32, probing: &Probing) -> Timing {
        // A move that is progress itself is in time at any clock of a game that goes on.
        let spent = if after.clock() == 0 { 0 } else { i32::from(clock) };
        // The tables are for positions with the clock at zero. Progress at clock 100 is in time, and mate is progress.
        let rule = probing.fifty_moves && !after.is_checkmate();
        Timing { spent, in_time: !rule || spent + most <= 100, too_late: rule && spent + dtz.abs() > 100 }
    }

    fn rank(&self, dtz: i32, must_progress: bool) -> Rank {
        let (keeps, order) = match dtz.signum() {
            1 if self.in_time && must_progress => (Keeps::Win, -dtz),
            1 if self.in_time => (Keeps::Win, 0),
            1 => (Keeps::CursedWin, -dtz - self.spent),
            // Distances are rounded, and among losses the search itself looks for the longest. A loss that may be
            // saved does not rank higher: it may be a mate at once.
            -1 if !self.too_late => (Keeps::Loss, 0),
            -1 => (Keeps::BlessedLoss, -dtz + self.spent),
            _ => (Keeps::Draw, 0),
        };
        Rank { keeps, order }
    }

    /// The score that the distance proves; `None` if traps or rounding leave it open.
    fn proved_score(&self, dtz: i32, no_trap_is_nearer: bool) -> Option<Score> {
        match dtz.signum() {
            0 => Some(Score::ZERO),
            _ if self.too_late => Some(Score::ZERO),
            sign if self.in_time && no_trap_is_nearer => {
                let win = Score::tablebase_win(0);
                Some(if sign > 0 { win } else { -win })
            }
            _ => None,
        }
    }
}

/// Remarks on files of one kind: the first of them, and how many more there are.
fn shortened(mut remarks: Vec<String>, what: &str) -> Vec<String> {
    // A single line left out would only make room for the line that counts it.
    if remarks.len() > FILES_NAMED + 1 {
        let more = remarks.len() - FILES_NAMED;
        remarks.truncate(FILES_NAMED);
        remarks.push(format!("{more} more {what}"));
    }
    remarks
}

/// Remarks about files that failed.
#[derive(Default)]
struct Remarks {
    /// Those that have not been taken yet.
    new: Vec<String>,
    /// The files that were remarked on.
    files: BTreeSet<String>,
    /// How many of them were needed but are missing.
    missing: usize,
}

/// Whether the side to move can draw at once, by a move into a trap.
fn leads_to_trap(game: &Game) -> bool {
    game.traps().next().is_some()
        && game.position().legal_moves().into_iter().any(|m| {
            let mut after = game.clone();
            after.play(m);
            after.occurrences() >= 2
        })
}

/// Whether the game has repeated a position since the last capture or pawn move.
fn after_repetition(game: &Game) -> bool {
    let reach = usize::from(game.position().reversible()).min(game.keys().len());
    let recent = &game.keys()[game.keys().len() - reach..];
    game.occurrences() > 0 || (1..recent.len()).any(|i| recent[..i].contains(&recent[i]))
}

/// The men of a position as a number that no other material has and that is never zero: each side's counts, four bits
/// each.
fn material_key(position: &Position) -> u64 {
    let counts = shakmaty::Board::from(position.board()).material();
    let mut key = 0;
    for side in [counts.white, counts.black] {
        for role in shakmaty::Role::ALL {
            key = key << 4 | u64::from(side[role]);
        }
    }
    key
}

#[cfg(debug_assertions)]
mod check;
#[cfg(debug_assertions)]
pub(super) use check::cross_check;

#[cfg(test)]
mod tests;
