//! Matches: many games between two engines, two from each opening with colours reversed.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use formats::epd::Suite;
use ibex::position::Position;
use ibex::random::Random;
use serde::{Deserialize, Serialize};
use terminal::{CommandError, interrupt, remark, trouble};

use crate::basis::{Engine, State};
use crate::duel::{self, Ends, Limit, Outcome, Played, Player, Program};
use crate::held::Held;
use crate::measure::{at, checksum};

/// Balanced openings.
pub const LEVEL_BOOK: &str = "books/noob_3moves.epd";
/// The hash of each engine in the figures, in MiB.
pub const HASH: u32 = 16;
/// Games at a time in the figures.
const CONCURRENCY: u16 = 2;

/// One side of a match.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    pub program: &'a Path,
    pub limit: Limit,
    /// Its own UCI options, not shared by the other side: `NAME=VALUE`.
    pub options: &'a [String],
}

impl Side<'_> {
    /// Starts the engine of this side.
    ///
    /// # Errors
    ///
    /// It does not run.
    pub fn start(&self, hash: u32, threads: u32) -> Result<Program, CommandError> {
        let mut engine = Program::start(self.program)?;
        engine.set("Hash", hash)?;
        engine.set("Threads", threads)?;
        if let Limit::Clock { pace: Some(pace), .. } = self.limit {
            engine.set("nodestime", pace)?;
        }
        for option in self.options {
            let (name, value) = option.split_once('=').unwrap_or((option, ""));
            engine.set(name, value)?;
        }
        Ok(engine)
    }
}

/// The results of a match, for the first side.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Results {
    pub won: u32,
    pub drawn: u32,
    pub lost: u32,
    /// Pairs by their points: none, half a point, one, one and a half, two.
    pub pairs: [u32; 5],
    /// Games lost on time by the first side and by the second.
    pub on_time: [u32; 2],
}

impl Results {
    /// Counts the games of an opening: the first side began one of them, and then the other side.
    pub fn count(&mut self, [first, second]: &[Played; 2]) {
        let mut points = 0;
        for (outcome, on_time) in [(first.outcome, first.on_time), (second.outcome.reversed(), second.on_time)] {
            match outcome {
                Outcome::Won => self.won += 1,
                Outcome::Drawn => self.drawn += 1,
                Outcome::Lost => self.lost += 1,
            }
            points += 2 - outcome as usize;
            self.on_time[usize::from(outcome == Outcome::Won)] += u32::from(on_time);
        }
        self.pairs[points] += 1;
    }

    /// The games that count.
    pub fn games(&self) -> u32 {
        self.won + self.drawn + self.lost
    }

    /// The mean of the points of a game, and its variance over pairs. The variance of the mean is a part of it: that
    /// divided by the pairs.
    fn moments(&self) -> (f64, f64) {
        let pairs: f64 = self.pairs.iter().copied().map(f64::from).sum();
        let mean_of = |value: &dyn Fn(f64) -> f64| {
            let sum: f64 = self
                .pairs
                .iter()
                .zip(0..)
                .map(|(&count, points)| f64::from(count) * value(f64::from(points) / 4.0))
                .sum();
            sum / pairs
        };
        let mean = mean_of(&|points| points);
        (mean, mean_of(&|points| (points - mean).powi(2)))
    }

    /// The difference in Elo, and half of its 95% interval, which takes pairs as the observations: the two games of
    /// an opening are not independent. Infinite or not a number where one side hardly scores.
    pub fn elo(&self) -> (f64, f64) {
        let elo = |score: f64| {
            if score <= 0.0 { f64::NEG_INFINITY } else { 400.0 * (score / (1.0 - score.min(1.0))).log10() }
        };
        let (mean, variance) = self.moments();
        let error = 1.96 * (variance / f64::from(self.pairs.iter().sum::<u32>())).sqrt();
        (elo(mean), (elo(mean + error) - elo(mean - error)) / 2.0)
    }

    /// The logarithm of the likelihood ratio: that of a difference of `elo1` to that of `elo0`. Pairs are the
    /// observations, and their mean is taken as normal (Van den Bergh, "A practical introduction to the GSPRT").
    pub fn log_likelihood_ratio(&self, elo0: f64, elo1: f64) -> f64 {
        let [low, high] = [elo0, elo1].map(|elo| 1.0 / (1.0 + 10_f64.powf(-elo / 400.0)));
        let (mean, variance) = self.moments();
        let pairs: u32 = self.pairs.iter().sum();
        // Nothing can be said while all pairs are alike.
        if pairs == 0 || variance <= 0.0 {
            return 0.0;
        }
        f64::from(pairs) * (high - low) * (2.0 * mean - low - high) / (2.0 * variance)
    }

    /// The cells of a table: games won, drawn and lost, score, and difference in Elo.
    pub fn cells(&self) -> Vec<String> {
        let score = 100.0 * (f64::from(self.won) + 0.5 * f64::from(self.drawn)) / f64::from(self.games());
        // A value that rounds to zero is +0, not -0.
        let whole = |number: f64| format!("{:+.0}", if number.is_finite() { number.round() + 0.0 } else { number });
        let (elo, margin) = self.elo();
        vec![
            self.won.to_string(),
            self.drawn.to_string(),
            self.lost.to_string(),
            format!("{score:.1}%"),
            // A side that hardly scores says little about how much stronger the other is.
            if margin.is_finite() { format!("{} ± {margin:.0}", whole(elo)) } else { whole(elo) },
        ]
    }
}

/// The openings of a book.
///
/// # Errors
///
/// One line: it cannot be read, has none, or has a line that is no position.
pub fn openings(book: &Path) -> Result<Vec<Position>, CommandError> {
    let suite = Suite::read(book)?;
    if let Some(problem) = suite.problems.first() {
        return Err(trouble!("{problem}"));
    }
    let openings: Vec<Position> = suite.entries.into_iter().map(|entry| entry.position).collect();
    if openings.is_empty() { Err(trouble!("{} has no opening", book.display())) } else { Ok(openings) }
}

/// Plays two games from each opening, as many at a time as there are pairs of engines. `seen` gets the games of each
/// opening when both are over: the first engine has begun the first of them, and the second engine the other. It says
/// whether to go on. Returns whether all were played: not if `seen` or an interruption has ended it.
///
/// # Errors
///
/// An engine fails.
pub fn pairs<P: Player + Send>(
    engines: &mut [[P; 2]],
    openings: &[&Position],
    [first, second]: [Limit; 2],
    ends: Ends,
    seen: impl FnMut(&[Played; 2]) -> bool + Send,
) -> Result<bool, CommandError> {
    let (next, ended) = (AtomicUsize::new(0), AtomicBool::new(false));
    let half = Mutex::new((std::collections::BTreeMap::new(), seen, 0));
    let stop = || ended.store(true, Ordering::Relaxed);
    let work = |[one, other]: &mut [P; 2]| -> Result<(), CommandError> {
        while !ended.load(Ordering::Relaxed) && !interrupt::is_stopped() {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(opening) = openings.get(number / 2) else { break };
            let played = if number.is_multiple_of(2) {
                duel::game([one as &mut dyn Player, other], opening, [first, second], ends)?
            } else {
                duel::game([other as &mut dyn Player, one], opening, [second, first], ends)?
            };
            let mut half = half.lock().unwrap_or_else(PoisonError::into_inner);
            let (waiting, seen, complete) = &mut *half;
            match waiting.remove(&(number / 2)) {
                None => drop(waiting.insert(number / 2, played)),
                Some(before) => {
                    *complete += 1;
                    let pair = if number.is_multiple_of(2) { [played, before] } else { [before, played] };
                    // Others may still be about to report.
                    if !ended.load(Ordering::Relaxed) && !seen(&pair) {
                        stop();
                    }
                }
            }
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> =
            engines.iter_mut().map(|pair| scope.spawn(|| work(pair).inspect_err(|_| stop()))).collect();
        let results: Vec<_> = workers
            .into_iter()
            .map(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect();
        results.into_iter().collect::<Result<(), _>>()
    })?;
    let (_, _, complete) = half.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(complete == openings.len())
}

/// A match of a figure, one thread for each side.
#[derive(Clone, Copy, Debug)]
pub struct Contest<'a> {
    pub sides: [Side<'a>; 2],
    pub book: &'a Path,
    pub games: u32,
    pub ends: Ends,
}

impl Contest<'_> {
    /// The results that are kept in this folder under a name with this stem. The match is played if they are not
    /// there, or were played with other settings.
    ///
    /// # Errors
    ///
    /// One line: an engine fails, the book cannot be read, another run plays the match, or it is interrupted.
    pub fn played(&self, place: (&Path, String)) -> Result<Results, CommandError> {
        self.kept(place, |games| {
            let mut results = Results::default();
            games.iter().for_each(|pair| results.count(pair));
            results
        })
    }

    /// The same for anything that can be made of its games.
    ///
    /// # Errors
    ///
    /// Those of [`Contest::played`].
    pub fn kept<T: Serialize + for<'a> Deserialize<'a>>(
        &self,
        (folder, stem): (&Path, String),
        made_of: impl FnOnce(&[[Played; 2]]) -> T,
    ) -> Result<T, CommandError> {
        let settings = self.settings()?;
        let file = file_of(folder, &stem, &settings);
        remark!("        {}", file.display());
        let _alone = Held::beside(&file, "another run is playing this match")?;
        if let Some((recorded, result)) = fs::read(&file).ok().and_then(|text| serde_json::from_slice(&text).ok())
            && settings == String::as_str(&recorded)
        {
            return Ok(result);
        }
        let mut openings = openings(self.book)?;
        Random::new(15).shuffle(&mut openings);
        let openings: Vec<&Position> = openings.iter().cycle().take(self.games as usize / 2).collect();
        let [first, second] = &self.sides;
        let start = || Ok([first.start(HASH, 1)?, second.start(HASH, 1)?]);
        let mut engines: Vec<[Program; 2]> = (0..CONCURRENCY).map(|_| start()).collect::<Result<_, CommandError>>()?;
        let mut games = Vec::new();
        let limits = self.sides.map(|side| side.limit);
        let all = pairs(&mut engines, &openings, limits, self.ends, |pair| {
            games.push(pair.clone());
            true
        })?;
        if !all {
            return Err(trouble!("interrupted after {} of {} games", 2 * games.len(), self.games));
        }
        let result = made_of(&games);
        terminal::outputs::write(&file, &serde_json::to_vec(&(settings, &result))?)?;
        Ok(result)
    }

    /// The settings, in one line, with the names that both engines give themselves, and the checksums of their
    /// programs and of the book.
    fn settings(&self) -> Result<String, CommandError> {
        let mut line = format!("{} games, ended {:?}, book {}", self.games, self.ends, checksum(self.book)?);
        for Side { program, limit, options } in self.sides {
            let name = duel::name_of(program)?;
            line += &format!("; {name} {}, {limit}, {}", checksum(program)?, options.join(" "));
        }
        Ok(line)
    }
}

/// The file for a match with these settings. Other settings use another file.
fn file_of(folder: &Path, stem: &str, settings: &str) -> PathBuf {
    folder.join(format!("{stem}-{:016x}.json", ibex::checksum::checksum(settings.as_bytes())))
}

/// Where complete matches of the current engine are kept. If git cannot read the sources, the folder is a new one: an
/// earlier match might be of another engine.
///
/// # Errors
///
/// One line: the project is not understood, or the folder cannot be created.
pub fn folder() -> Result<PathBuf, CommandError> {
    let (engine, state) = (Engine::current()?, State::now()?);
    if state.sources.is_none() {
        remark!("figures: git does not say what the program is built from; no match is kept for the next measurement");
    }
    folder_in(Path::new("target/figures"), &engine.bench, state.sources.as_deref())
}

/// The folder for a bench and a state of the sources.
fn folder_in(root: &Path, bench: &str, sources: Option<&str>) -> Result<PathBuf, CommandError> {
    let unknown = || format!("unknown-{}", std::process::id());
    let folder = root.join(format!("{bench}-{}", sources.map_or_else(unknown, str::to_owned)));
    if sources.is_none() {
        fs::remove_dir_all(&folder).or_else(|error| match error.kind() {
            ErrorKind::NotFound => Ok(()),
            _ => Err(at(&folder)(error)),
        })?;
    }
    fs::create_dir_all(&folder).map_err(at(&folder))?;
    Ok(folder)
}

/// A program in the search path, or in Debian's folder for games.
pub fn found(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain([PathBuf::from("/usr/games")]);
    folders.map(|folder| folder.join(program)).find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use ibex::position::notation::read_fen;

    use crate::duel::script::Script;
    use crate::scratch::Scratch;

    fn results(pairs: [u32; 5], won: u32, drawn: u32, lost: u32) -> Results {
        Results { won, drawn, lost, pairs, on_time: [0; 2] }
    }

    fn played(outcome: Outcome, on_time: bool) -> Played {
        Played { outcome, on_time, scores: Vec::new() }
    }

    #[test]
    fn games_count_for_the_first_side() {
        let mut results = Results::default();
        results.count(&[played(Outcome::Won, true), played(Outcome::Won, true)]);
        results.count(&[played(Outcome::Won, false), played(Outcome::Drawn, false)]);
        assert_eq!(results, Results { on_time: [1, 1], ..self::results([0, 0, 1, 1, 0], 2, 1, 1) });
    }

    /// The values are those of a calculation beside this one.
    #[test]
    fn the_difference_in_elo_has_its_error() {
        let (elo, margin) = results([243, 904, 2351, 1000, 289], 2905, 3955, 2714).elo();
        assert!((elo - 6.823).abs() < 0.001 && (margin - 4.514).abs() < 0.001, "{elo} ± {margin}");
        let line = results([0, 0, 150, 0, 0], 100, 100, 100).cells();
        assert_eq!(line[3..], ["50.0%", "+0 ± 0"]);
        assert_eq!(results([150, 0, 0, 0, 0], 0, 0, 300).cells()[3..], ["0.0%", "-inf"]);
        assert_eq!(results([149, 1, 0, 0, 0], 0, 1, 299).cells()[3..], ["0.2%", "-1111"]);
    }

    /// A difference halfway between the hypotheses favours neither, and the ratio grows with the number of pairs.
    #[test]
    fn the_likelihood_ratio_is_for_the_nearer_hypothesis() {
        let level = results([10, 20, 40, 20, 10], 60, 80, 60);
        assert!(level.log_likelihood_ratio(-5.0, 5.0).abs() < 1e-9);
        let ratio = level.log_likelihood_ratio(0.0, 5.0);
        // Scores of 1/2 and 0.50720; a variance of 0.075 over pairs: 100 * 0.0072 * -0.0072 / 0.15.
        assert!((ratio + 0.0345).abs() < 0.0005, "{ratio}");
        let tenfold = results([100, 200, 400, 200, 100], 600, 800, 600).log_likelihood_ratio(0.0, 5.0);
        assert!((tenfold - 10.0 * ratio).abs() < 1e-9);
        assert!(results([10, 20, 40, 30, 20], 80, 80, 60).log_likelihood_ratio(0.0, 5.0) > 0.0);
        for nothing in [Results::default(), results([0, 0, 9, 0, 0], 0, 18, 0)] {
            assert_eq!(nothing.log_likelihood_ratio(0.0, 5.0).to_bits(), 0.0_f64.to_bits());
        }
    }

    /// White mates at once, so each side wins one game of each opening.
    #[test]
    fn each_side_begins_once() {
        let opening = read_fen("6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1").unwrap();
        let script = || Script(vec!["d1d8"], 900, Duration::ZERO);
        let mut engines = [[script(), script()], [script(), script()]];
        let limits = [Limit::Nodes(1); 2];
        let mut counted = Results::default();
        let all = pairs(&mut engines, &[&opening; 3], limits, Ends::Early, |pair| {
            counted.count(pair);
            true
        });
        assert!(all.unwrap());
        assert_eq!(counted, results([0, 0, 3, 0, 0], 3, 0, 3));
        let mut seen = 0;
        let all = pairs(&mut engines, &[&opening; 30], limits, Ends::Early, |_| {
            seen += 1;
            seen < 2
        });
        assert!(!all.unwrap() && seen == 2);
        engines.iter_mut().for_each(|[first, _]| first.0 = vec!["a1a8"]);
        let error = pairs(&mut engines, &[&opening; 30], limits, Ends::Early, |_| true).unwrap_err();
        assert!(error.to_string().contains("no legal move"), "{error}");
    }

    #[test]
    fn openings_are_read() {
        let scratch = Scratch::new("openings");
        let fens =
            ["4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "4k3/8/8/8/8/8/8/3QK3 w - - 0 1"];
        let book =
            PathBuf::from(scratch.write("book.epd", format!("{}\n\n{}; id 2;\r\n{}", fens[0], fens[1], fens[2])));
        let read = openings(&book).unwrap();
        assert_eq!(read.iter().map(Position::fen).collect::<Vec<_>>(), fens);
        for (text, error) in [("", "has no opening"), ("e4 e5\n", "book.epd:1: ")] {
            let book = PathBuf::from(scratch.write("book.epd", text));
            assert!(openings(&book).unwrap_err().to_string().contains(error), "{text}");
        }
    }

    #[test]
    fn results_without_known_sources_are_discarded() {
        let scratch = Scratch::new("kept");
        for (sources, stays) in [(Some("0123"), true), (None, false)] {
            let folder = folder_in(&scratch.0, "827854", sources).unwrap();
            fs::write(folder.join("nodes-1000.json"), "{}").unwrap();
            assert_eq!(folder_in(&scratch.0, "827854", sources).unwrap(), folder);
            assert_eq!(folder.join("nodes-1000.json").exists(), stays);
        }
    }

    #[test]
    fn a_match_with_other_settings_has_another_file() {
        let files = ["1000", "2000"].map(|settings| file_of(Path::new("x"), "nodes", settings));
        assert_ne!(files[0], files[1]);
    }
}
