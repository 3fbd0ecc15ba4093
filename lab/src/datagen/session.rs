//! A run of games on all cores that survives being killed.
//!
//! While it runs, the folder `OUT.parts` holds the settings and one append-only file for each worker. A game is
//! written in a single call, so a kill loses only the games in flight; a torn last game, left by a full disk, and
//! zeros in place of the last games, left by a power cut, are cut off on resume. Each worker has a second file for
//! lessons, with a block for each game, written before the game: a resumed run cuts off blocks that no game follows.
//! Worker `w` of `n` plays the games `w`, `w + n`, `w + 2n`..., each from its own seed. So the finished file, which
//! takes the games in this order, is the same for any number of workers if a number of games was given.

mod parts;

use std::fs::{self, File, OpenOptions};
use std::io::IsTerminal;
use std::ops::AddAssign;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use parts::{PartReader, PartWriter, mend, mend_lessons, merge};
use serde::{Deserialize, Serialize};

use super::play::{GameRules, SelfPlayer, play};
use formats::filter::Filter;
use formats::games::GameRecord;
use formats::lessons::lesson_file;
use ibex::engine::with_search_stack;
use ibex::openings::Openings;
use ibex::random::Random;
use terminal::tell::counted;
use terminal::{CommandError, outputs, progress, remark, trouble};

/// The most games of a worker that a power cut may cost.
const SYNC: u64 = 256;

/// After this many games without a position to keep, a run would never reach its number of positions.
const FRUITLESS: u64 = 1000;

/// The temporary name of the finished file, in the folder of the run.
const DRAFT: &str = "merged.tmp";

/// The beginning of the names of the workers' files.
const WORKER: &str = "worker-";

/// The most workers of a run.
pub const MOST_WORKERS: u16 = 1024;

/// What must stay the same from start to resume.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The engine that started the run.
    pub engine: String,
    /// The number of workers.
    pub workers: usize,
    /// The seed.
    pub seed: u64,
    /// Everything else that affects the games, in words.
    pub settings: String,
}

/// The target of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// After this many games.
    Games(u64),
    /// After this many positions that the default filter keeps.
    Positions(u64),
}

impl Target {
    /// How many of the games or positions that it counts are in these totals.
    fn reached(self, totals: Totals) -> u64 {
        match self {
            Target::Games(_) => totals.games,
            Target::Positions(_) => totals.kept,
        }
    }
}

/// A run.
pub struct GenerationRun {
    /// The file that the run makes.
    pub out: PathBuf,
    /// The settings that must not change.
    pub manifest: Manifest,
    /// When it is complete.
    pub target: Target,
    /// Where games begin.
    pub openings: Openings,
    /// What is played in them, and when they end.
    pub rules: GameRules,
    /// Whether the player's lessons are written to `OUT.lessons`.
    pub lessons: bool,
}

/// The counts of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Games.
    pub games: u64,
    /// Positions, including those without a score.
    pub positions: u64,
    /// Positions that the default filter keeps.
    pub kept: u64,
}

impl Totals {
    /// The counts of one game.
    fn of(record: &GameRecord) -> Totals {
        Totals { games: 1, positions: record.steps.len() as u64, kept: kept(record) }
    }
}

impl AddAssign for Totals {
    fn add_assign(&mut self, other: Totals) {
        self.games += other.games;
        self.positions += other.positions;
        self.kept += other.kept;
    }
}

/// Positions of a game that the default filter keeps.
fn kept(record: &GameRecord) -> u64 {
    let filter = Filter::default();
    let mut kept = 0;
    record.visit(|chess, step, ply| kept += u64::from(filter.keeps(chess, step, ply)));
    kept
}

/// The folder that holds a run until it is complete.
pub fn parts_folder(out: &Path) -> PathBuf {
    let mut name = out.as_os_str().to_owned();
    name.push(".parts");
    PathBuf::from(name)
}

fn part(folder: &Path, worker: usize) -> PathBuf {
    folder.join(format!("{WORKER}{worker:03}.vf"))
}

/// The workers' files in a folder: games and lessons.
fn worker_files(folder: &Path) -> Result<Vec<PathBuf>, CommandError> {
    let entries = fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let entries = entries.map_err(failed_to("read", folder))?;
    let is_of_worker = |entry: &fs::DirEntry| entry.file_name().as_encoded_bytes().starts_with(WORKER.as_bytes());
    Ok(entries.iter().filter(|entry| is_of_worker(entry)).map(fs::DirEntry::path).collect())
}

fn failed_to<'a>(doing: &'a str, path: &'a Path) -> impl Fn(std::io::Error) -> CommandError + 'a {
    move |error| CommandError::from(error).about(format_args!("cannot {doing} {}", path.display()))
}

#[derive(Default)]
struct SharedTotals {
    games: AtomicU64,
    positions: AtomicU64,
    kept: AtomicU64,
}

impl SharedTotals {
    fn add(&self, tally: Totals) {
        self.games.fetch_add(tally.games, Ordering::Relaxed);
        self.positions.fetch_add(tally.positions, Ordering::Relaxed);
        self.kept.fetch_add(tally.kept, Ordering::Relaxed);
    }

    fn read(&self) -> Totals {
        Totals {
            games: self.games.load(Ordering::Relaxed),
            positions: self.positions.load(Ordering::Relaxed),
            kept: self.kept.load(Ordering::Relaxed),
        }
    }
}

/// Why a run ends before its target is reached.
#[derive(Default)]
struct Failure {
    /// Whether the workers must stop.
    stop: AtomicBool,
    /// The first reason, in a line.
    error: Mutex<Option<CommandError>>,
}

impl Failure {
    /// Ends the run for this reason, unless there already is one.
    fn end_run(&self, error: CommandError) {
        self.error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        self.stop.store(true, Ordering::Relaxed);
    }
}

impl GenerationRun {
    /// Plays until the target is reached, continuing where an earlier run was stopped, and writes the file.
    ///
    /// # Errors
    ///
    /// One line: the file exists, the settings differ from those of the run to be resumed, or a system call fails.
    pub fn run<P: SelfPlayer>(&self, new_player: &(dyn Fn() -> P + Sync), quiet: bool) -> Result<Totals, CommandError> {
        must_be_free(&self.out)?;
        let folder = parts_folder(&self.out);
        if self.lessons && !is_half_finished(&self.out, &folder) {
            must_be_free(&lesson_file(&self.out))?;
        }
        fs::create_dir_all(&folder).map_err(failed_to("make the folder", &folder))?;
        let lock = self.enter(&folder)?;

        let counters = SharedTotals::default();
        let mut done = Vec::with_capacity(self.manifest.workers);
        for worker in 0..self.manifest.workers {
            let tally = mend(&part(&folder, worker))?;
            if self.lessons {
                mend_lessons(&lesson_file(&part(&folder, worker)), tally.games)?;
            }
            counters.add(tally);
            done.push(tally.games);
        }
        let resumed = counters.read();
        if resumed.games > 0 && !quiet {
            let [games, kept] = [(resumed.games, "game"), (resumed.kept, "kept position")]
                .map(|(n, what)| counted(n, what, &format!("{what}s")));
            remark!("resuming after {games} with {kept}");
        }

        self.play_all(&done, &folder, new_player, &counters, resumed, quiet)?;
        finish_all(&self.out, self.manifest.workers, self.most_games(), lock)
    }

    /// Plays on all cores until the target is reached, after the games that each worker has already played.
    ///
    /// # Errors
    ///
    /// One line: the first reason for which a worker ended; or the system cannot start a thread.
    fn play_all<P: SelfPlayer>(
        &self,
        done: &[u64],
        folder: &Path,
        new_player: &(dyn Fn() -> P + Sync),
        counters: &SharedTotals,
        resumed: Totals,
        quiet: bool,
    ) -> Result<(), CommandError> {
        let failure = Failure::default();
        std::thread::scope(|scope| {
            let workers: Vec<_> = done
                .iter()
                .enumerate()
                .map(|(worker, &games)| {
                    let failure = &failure;
                    std::thread::Builder::new().name(format!("datagen {worker}")).spawn_scoped(scope, move || {
                        let work = || self.work(worker, games, folder, new_player, counters, &failure.stop);
                        let work = || with_search_stack(work).map_err(CommandError::from).flatten();
                        // The others must not play on for hours before the run ends. The panic message is already on
                        // standard error.
                        let done = catch_unwind(AssertUnwindSafe(work));
                        if let Err(error) = done.unwrap_or_else(|_| Err(trouble!("a worker has panicked"))) {
                            failure.end_run(error);
                        }
                    })
                })
                .collect();
            match workers.into_iter().collect::<Result<Vec<_>, _>>() {
                Ok(workers) => {
                    self.watch(counters, resumed, quiet, || workers.iter().all(|w| w.is_finished()));
                }
                Err(error) => failure.end_run(CommandError::from(error).about("cannot start a thread")),
            }
        });
        failure.error.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }

    /// The most games that the finished file may have.
    fn most_games(&self) -> u64 {
        match self.target {
            Target::Games(games) => games,
            Target::Positions(_) => u64::MAX,
        }
    }

    /// Takes possession of the folder, checking that it belongs to this run.
    fn enter(&self, folder: &Path) -> Result<File, CommandError> {
        let path = folder.join("run.json");
        let lock = lock(folder)?;
        if path.exists() {
            let old = manifest(folder)?;
            if (Manifest { engine: self.manifest.engine.clone(), ..old.clone() }) != self.manifest {
                return Err(trouble!(
                    "{} holds a run with other settings (seed {}, {} workers, {}); repeat them or remove the folder",
                    folder.display(),
                    old.seed,
                    old.workers,
                    old.settings
                ));
            }
            if old.engine != self.manifest.engine {
                remark!("the run was begun by {}, this is {}", old.engine, self.manifest.engine);
            }
        } else {
            // Games without settings may be those of another seed or network, and not belong to this run.
            if !worker_files(folder)?.is_empty() {
                return Err(trouble!(
                    "{} holds games of a run whose settings are lost; move or remove it",
                    folder.display()
                ));
            }
            // Neither a kill nor a power cut leaves half a file.
            let text = serde_json::to_string_pretty(&self.manifest)?;
            outputs::write(&path, text.as_bytes()).map_err(|error| trouble!("cannot write {error}"))?;
        }
        Ok(lock)
    }

    /// One worker: plays its games and appends each to its file.
    fn work<P: SelfPlayer>(
        &self,
        worker: usize,
        done: u64,
        folder: &Path,
        new_player: &(dyn Fn() -> P + Sync),
        counters: &SharedTotals,
        stop: &AtomicBool,
    ) -> Result<(), CommandError> {
        let mut output = PartWriter::open(part(folder, worker), self.lessons)?;
        let mut player = new_player();
        for round in done.. {
            let index = worker as u64 + round * self.manifest.workers as u64;
            let complete = match self.target {
                Target::Games(games) => index >= games,
                Target::Positions(positions) => counters.kept.load(Ordering::Relaxed) >= positions,
            };
            if complete || stop.load(Ordering::Relaxed) {
                break;
            }
            let mut random = Random::of_part(self.manifest.seed, index);
            let Some(record) = play(&mut player, &self.openings, &self.rules, &mut random, stop)? else { break };
            output.append(&record, &mut player)?;
            if round % SYNC == SYNC - 1 {
                output.sync(File::sync_data)?;
            }
            counters.add(Totals::of(&record));
            let all = counters.read();
            if matches!(self.target, Target::Positions(_)) && all.kept == 0 && all.games >= FRUITLESS {
                return Err(trouble!("{FRUITLESS} games have left no position to keep; see --nodes and --score-share"));
            }
        }
        output.sync(File::sync_all)
    }

    /// Shows the progress of the run until it is over.
    fn watch(&self, counters: &SharedTotals, resumed: Totals, quiet: bool, is_over: impl Fn() -> bool) {
        let terminal = std::io::stderr().is_terminal();
        let (total, unit) = match self.target {
            Target::Games(games) => (games, "games"),
            Target::Positions(positions) => (positions, "positions"),
        };
        let bar = (terminal && !quiet).then(|| progress::bar(total, unit));
        let start = Instant::now();
        let mut reported = start;
        while !is_over() {
            std::thread::sleep(Duration::from_millis(20));
            let tally = counters.read();
            let reached = self.target.reached(tally);
            let seconds = start.elapsed().as_secs_f64().max(1e-3);
            let rate = (tally.kept - resumed.kept) as f64 / seconds;
            if let Some(bar) = &bar {
                bar.set_position(reached.min(total));
                let games = counted(tally.games, "game", "games");
                bar.set_message(format!("[{games}, {rate:.0} kept positions/s]"));
            } else if !quiet && reported.elapsed() >= Duration::from_secs(60) {
                // Not a terminal: a line a minute, for the log.
                reported = Instant::now();
                let fresh = reached - self.target.reached(resumed);
                let left = total.saturating_sub(reached) as f64 * seconds / fresh.max(1) as f64;
                remark!(
                    "{reached}/{total} {unit}, {}, {}, {rate:.0} kept positions/s, {:.0} min left",
                    counted(tally.games, "game", "games"),
                    counted(tally.positions, "position", "positions"),
                    left / 60.0
                );
            }
        }
        if let Some(bar) = bar {
            bar.finish_and_clear();
        }
    }
}

/// Refuses a name that is in use.
pub(super) fn must_be_free(path: &Path) -> Result<(), CommandError> {
    if path.exists() {
        return Err(trouble!("{} exists already; choose another name or remove it", path.display()));
    }
    Ok(())
}

/// Locks the folder of a run while the file is open: a separate file, which nothing replaces.
fn lock(folder: &Path) -> Result<File, CommandError> {
    let path = folder.join("lock");
    // Windows cannot lock a file that is opened only to append.
    let opened = OpenOptions::new().write(true).create(true).truncate(false).open(&path);
    let file = opened.map_err(failed_to("open", &path))?;
    if !outputs::is_locked(file.try_lock(), folder, "only one run may work there").map_err(failed_to("lock", &path))? {
        return Err(trouble!("another run is at work in {}", folder.display()));
    }
    Ok(file)
}

/// Reads the settings of a run.
fn manifest(folder: &Path) -> Result<Manifest, CommandError> {
    let path = folder.join("run.json");
    let text = fs::read_to_string(&path).map_err(failed_to("read", &path))?;
    let damaged = |error: CommandError| error.about(format_args!("{} is damaged", path.display()));
    let manifest: Manifest = serde_json::from_str(&text).map_err(|error| damaged(error.into()))?;
    if !(1..=usize::from(MOST_WORKERS)).contains(&manifest.workers) {
        return Err(damaged(trouble!("{} workers, not 1 to {MOST_WORKERS}", manifest.workers)));
    }
    Ok(manifest)
}

/// Puts the games of a run that is no longer at work in order into the final file, and removes the folder.
///
/// # Errors
///
/// One line: there is no such run, or it is still at work; the parts stay unchanged.
pub fn finish(out: &Path) -> Result<Totals, CommandError> {
    let folder = parts_folder(out);
    let manifest = manifest(&folder)?;
    let lock = lock(&folder)?;
    for path in (0..manifest.workers).map(|worker| part(&folder, worker)) {
        let tally = mend(&path)?;
        if lesson_file(&path).exists() {
            mend_lessons(&lesson_file(&path), tally.games)?;
        }
    }
    finish_all(out, manifest.workers, u64::MAX, lock)
}

/// Whether a run was killed after its lessons were renamed and before its games were. The parts still have both.
fn is_half_finished(out: &Path, folder: &Path) -> bool {
    let draft = folder.join(DRAFT);
    lesson_file(out).exists() && !out.exists() && draft.exists() && !lesson_file(&draft).exists()
}

/// Puts the first `most` games of all workers in order into the final file, and removes the folder. The run holds the
/// lock, and its parts are mended; a worker that finished no game has no file.
fn finish_all(out: &Path, workers: usize, most: u64, lock: File) -> Result<Totals, CommandError> {
    must_be_free(out)?;
    let folder = parts_folder(out);
    let draft = folder.join(DRAFT);
    let mut parts = Vec::with_capacity(workers);
    for path in (0..workers).map(|worker| part(&folder, worker)) {
        parts.push(if path.exists() { Some(PartReader::open(path)?) } else { None });
    }
    let with_lessons = parts.iter().flatten().any(PartReader::has_lessons);
    if with_lessons {
        let path = lesson_file(out);
        if is_half_finished(out, &folder) {
            fs::remove_file(&path).map_err(failed_to("remove", &path))?;
        }
        must_be_free(&path)?;
    }
    let tally = match merge(&mut parts, (&draft, out), with_lessons, most) {
        Ok(tally) => tally,
        Err(error) => {
            // The drafts are useless, whether or not they can be removed.
            let _ = fs::remove_file(&draft);
            let _ = fs::remove_file(lesson_file(&draft));
            return Err(error);
        }
    };
    if with_lessons {
        let path = lesson_file(out);
        fs::rename(lesson_file(&draft), &path).map_err(failed_to("write", &path))?;
    }
    fs::rename(&draft, out).map_err(failed_to("write", out))?;
    // Windows cannot remove an open file.
    drop(parts);
    clear(&folder, lock)?;
    Ok(tally)
}

/// Removes the folder of a run whose games are in the finished file. The settings go last: otherwise a kill could
/// leave games without them, which the next run of this name would take for its own.
fn clear(folder: &Path, lock: File) -> Result<(), CommandError> {
    for path in worker_files(folder)? {
        fs::remove_file(&path).map_err(failed_to("remove", &path))?;
    }
    // Nor can it remove a folder that contains an open file. Elsewhere the lock holds to the end.
    let _held = (!cfg!(windows)).then_some(lock);
    fs::remove_dir_all(folder).map_err(failed_to("remove", folder))
}

#[cfg(test)]
mod tests;
