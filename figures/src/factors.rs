//! Many small changes in one match: for every change, each pair of games draws which side has it.
//!
//! To see a change of five Elo takes thousands of games, and the next change takes as many again. Here every game
//! gives evidence on all changes: the first side has a change, or the second, or neither, at random, and least squares
//! separates the effects: a factorial experiment (Fisher, "The Design of Experiments", 1935). It holds for effects
//! small enough to add up, and measures each with a third of the others present. So it shows which changes deserve
//! their own match.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, OpenOptions};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use terminal::{CommandError, remark, tell, trouble};

use clap::Args;
use ibex::random::Random;
use serde::{Deserialize, Serialize};

use crate::basis::{Engine, State};
use crate::games::{ADJUDICATED, LEVEL_BOOK, Limit, Side, at_chess, fastchess, read_match, runner, uci};
use crate::held::Held;
use crate::linear::least_squares;
use crate::measure::{PROGRAMS, Tools, at, checksum, output, program_in, row};

/// Results, and the folders in which the runner works.
const FOLDER: &str = "target/factors";
/// Elo for each point that a side scores more than the other per game, if they are about even.
const ELO: f64 = 800.0 / std::f64::consts::LN_10;
/// The fewest degrees of freedom: by how much the pairs must outnumber the changes. With fewer, 1.96 standard errors
/// are less than the 95% interval: by a quarter with five, and by far with one (Student's distribution).
const LEAST_FREEDOM: usize = 30;
/// Pairs of games between two reports.
const REPORT: usize = 100;

/// What is played.
#[derive(Args, Debug)]
pub struct Arguments {
    /// The changes, one per line: a name, and the options that make it, `deeper lmr_base=400 lmr_slope=500`
    changes: PathBuf,
    /// Pairs of games, those of earlier runs included
    #[arg(long, default_value_t = 2000, value_parser = clap::value_parser!(u64).range(1..))]
    pairs: u64,
    /// Nodes a move
    #[arg(long, default_value_t = 12_000, conflicts_with = "tc", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// A clock instead of nodes, in the format of fastchess: seconds and increment, `1+0.01`
    #[arg(long, value_name = "TIME")]
    tc: Option<String>,
    /// Hash of each engine, in MiB
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..))]
    hash: u32,
    /// Games at a time
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..))]
    concurrency: u32,
    /// The openings, an EPD file [default: books/noob_3moves.epd of the public test data]
    #[arg(long, value_name = "FILE")]
    book: Option<PathBuf>,
}

/// The options that make a change, by its line.
type Changes = BTreeMap<String, Vec<String>>;

/// The common conditions of the games in a file of results: its first line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Conditions {
    bench: String,
    /// A checksum of the program's sources: the meaning of an option may change while the bench stays.
    sources: String,
    /// The program itself, which may have been built from other sources.
    program: String,
    limit: String,
    hash: u32,
    /// The checksum of the book: the file may change later.
    book: String,
    /// The lines of the file of changes: the draw for a pair depends on all of them.
    changes: Vec<String>,
}

/// How the conditions of two runs differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Difference {
    /// Only the program differs.
    Program,
    /// Only the changes differ.
    Changes,
    /// More differs, or something else.
    More,
}

impl Conditions {
    /// How they differ from others; `None` if they are the same.
    fn differs(&self, other: &Conditions) -> Option<Difference> {
        if self == other {
            None
        } else if *self == (Conditions { program: self.program.clone(), ..other.clone() }) {
            Some(Difference::Program)
        } else if *self == (Conditions { changes: self.changes.clone(), ..other.clone() }) {
            Some(Difference::Changes)
        } else {
            Some(Difference::More)
        }
    }
}

/// A pair of games: its number, the changes of each side, and the results of the first side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Pair {
    number: u64,
    first: Vec<String>,
    second: Vec<String>,
    won: u32,
    drawn: u32,
    lost: u32,
    /// Games that one side lost on time, by an illegal move or by a crash: they say little about the changes.
    #[serde(default)]
    accidents: u32,
}

/// Plays the missing pairs and prints the effect of each change. Each pair is saved when it ends, so the same command
/// resumes after an interruption.
///
/// # Errors
///
/// One line: fastchess, the book or the changes are missing or not understood, the program lacks an option, a game is
/// aborted or, without a clock, is lost by accident, or the results of this name are those of other changes or
/// conditions.
pub fn play(tools: &Tools, arguments: &Arguments) -> Result<(), CommandError> {
    let runner = runner()?;
    let engine = Engine::current()?;
    let state = State::now()?;
    let tools = tools.pinned(&engine)?;
    state.must_be_of(&tools.run(["--version"])?)?;
    let book = tools.book(arguments.book.as_deref(), LEVEL_BOOK)?;
    let file = &arguments.changes;
    let text = fs::read_to_string(file).map_err(at(file))?;
    let changes = read_changes(&text).map_err(at(file))?;
    check(&changes, &uci(&tools.ibex)?).map_err(at(file))?;
    fs::create_dir_all(FOLDER).map_err(at(Path::new(FOLDER)))?;
    let stem = file.file_stem().map_or_else(|| "changes".into(), |stem| stem.to_string_lossy().into_owned());
    let log = Path::new(FOLDER).join(format!("{stem}.jsonl"));
    let conditions = Conditions {
        bench: engine.bench,
        sources: state.sources.map_or_else(unknown, Ok)?,
        program: checksum(&tools.ibex)?,
        limit: arguments.tc.clone().unwrap_or_else(|| format!("{} nodes", arguments.nodes)),
        hash: arguments.hash,
        book: checksum(&book)?,
        changes: changes.keys().cloned().collect(),
    };
    let (file, mut pairs) = open_log(&log, &conditions)?;
    if arguments.tc.is_none() {
        // Earlier versions kept them. They are played again, which shows what is wrong.
        pairs.retain(|pair| pair.accidents == 0);
    }
    let done: BTreeSet<u64> = pairs.iter().map(|pair| pair.number).collect();
    let missing: Vec<u64> = (0..arguments.pairs).filter(|number| !done.contains(number)).collect();
    remark!("{} changes, {} pairs to play; {} has them", changes.len(), missing.len(), log.display());
    let setting = Setting { runner: &runner, program: &tools.ibex, book: &book, arguments };
    pairs.extend(setting.play(&changes, &missing, (&log, file))?);
    print!("{}", table(&pairs));
    if let Some(remark) = accidents(&pairs) {
        tell!("\n{remark}")?;
    }
    Ok(())
}

/// The sources are unknown to git: a unique name, so that no results are mixed.
fn unknown() -> Result<String, CommandError> {
    remark!("figures: git does not say what the program is built from; no later run will continue these results");
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH)?;
    Ok(format!("unknown-{}-{}", std::process::id(), now.as_nanos()))
}

/// The changes of a file, without empty lines and lines that begin with `#`. No two may set the same option: if one
/// side had both, only one of them would take effect.
fn read_changes(text: &str) -> Result<Changes, CommandError> {
    let mut changes = Changes::new();
    let mut setters: BTreeMap<String, String> = BTreeMap::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let mut words = line.split_whitespace().map(str::to_owned);
        let name = words.next().unwrap_or_default();
        let options: Vec<String> = words.collect();
        if options.is_empty() || options.iter().any(|option| !option.contains('=')) {
            return Err(trouble!("'{line}' is not a name and options, NAME OPTION=VALUE ..."));
        }
        if changes.keys().any(|change: &String| change.split(' ').next() == Some(&name)) {
            return Err(trouble!("'{name}' is listed twice"));
        }
        for option in options.iter().filter_map(|option| option.split('=').next()) {
            match setters.insert(option.to_owned(), line.to_owned()) {
                Some(other) if other == line => return Err(trouble!("'{line}' sets '{option}' twice")),
                Some(other) => return Err(trouble!("'{other}' and '{line}' both set '{option}'")),
                None => {}
            }
        }
        changes.insert(format!("{name} {}", options.join(" ")), options);
    }
    if changes.is_empty() { Err(trouble!("no changes")) } else { Ok(changes) }
}

/// Whether the program has the options, with numbers in range; `uci` is its answer to `uci`.
fn check(changes: &Changes, uci: &str) -> Result<(), CommandError> {
    for option in changes.values().flatten() {
        let (name, value) = option.split_once('=').unwrap_or((option, ""));
        let start = format!("option name {name} type ");
        let kind = uci.lines().find_map(|line| line.strip_prefix(&start));
        let kind = kind.ok_or_else(|| trouble!("the program has no option '{name}' (feature `tune`?)"))?;
        let mut words = kind.split_whitespace();
        if words.next() == Some("spin") {
            let words: Vec<&str> = words.collect();
            let limit =
                |label| words.iter().position(|&word| word == label).and_then(|at| words.get(at + 1)?.parse().ok());
            let (least, most): (Option<i64>, Option<i64>) = (limit("min"), limit("max"));
            let inside =
                value.parse::<i64>().is_ok_and(|value| Some(value) >= least && most.is_none_or(|most| value <= most));
            if !inside {
                return Err(trouble!("'{option}' is outside the option's range"));
            }
        }
    }
    Ok(())
}

/// A file of results, created if it does not exist, with its pairs. Results under other conditions are not mixed.
fn open_log(log: &Path, conditions: &Conditions) -> Result<(Held, Vec<Pair>), CommandError> {
    let shown = log.display();
    let failed = at(log);
    // Not opened to append: Windows cannot truncate a file that is opened like this.
    let file = OpenOptions::new().create(true).truncate(false).read(true).write(true).open(log).map_err(&failed)?;
    let mut held = Held::of(file, log, "another program is playing for it")?;
    let file = &mut held.0;
    let mut text = String::new();
    file.read_to_string(&mut text).map_err(&failed)?;
    // An interruption may have torn the last line; that pair is played again.
    let whole = text.rfind('\n').map_or(0, |end| end + 1);
    file.set_len(whole as u64).and_then(|()| file.seek(SeekFrom::Start(whole as u64))).map_err(&failed)?;
    text.truncate(whole);
    if text.is_empty() {
        text = serde_json::to_string(conditions).map_err(at(log))? + "\n";
        file.write_all(text.as_bytes()).map_err(failed)?;
    }
    let mut lines = text.lines();
    let recorded: Option<Conditions> = lines.next().and_then(|line| serde_json::from_str(line).ok());
    let difference = recorded.as_ref().map_or(Some(Difference::More), |recorded| recorded.differs(conditions));
    match (difference, &recorded) {
        (None, _) => {}
        (Some(Difference::Program), Some(recorded)) => {
            let program = program_in(Path::new(PROGRAMS), &recorded.program);
            return Err(trouble!(
                "{shown} has games of another program; continue with that one (--ibex {}), or remove the results",
                program.display()
            ));
        }
        (Some(difference), _) => {
            let other = if difference == Difference::Changes { "of other changes" } else { "under other conditions" };
            return Err(trouble!("{shown} has games {other}; rename the file of changes, or remove the results"));
        }
    }
    let pairs = lines.enumerate().map(|(number, line)| {
        let pair: Pair =
            serde_json::from_str(line).map_err(|error| trouble!("{shown}: line {}: {error}", number + 2))?;
        Ok((pair.number, pair))
    });
    // The same number means the same games: they count once.
    let pairs: BTreeMap<u64, Pair> = pairs.collect::<Result<_, CommandError>>()?;
    Ok((held, pairs.into_values().collect()))
}

/// The common setting of all games.
struct Setting<'a> {
    runner: &'a Path,
    program: &'a Path,
    book: &'a Path,
    arguments: &'a Arguments,
}

impl Setting<'_> {
    /// Plays the pairs of these numbers, several at a time, and adds each to the log.
    fn play(&self, changes: &Changes, numbers: &[u64], (log, file): (&Path, Held)) -> Result<Vec<Pair>, CommandError> {
        let failed = at(log);
        let played = Mutex::new((file, Vec::new()));
        let (next, broken) = (AtomicU64::new(0), AtomicBool::new(false));
        let work = |worker: u32| -> Result<(), CommandError> {
            let folder = Path::new(FOLDER).join(format!("worker-{worker}"));
            fs::create_dir_all(&folder).map_err(at(&folder))?;
            while !broken.load(Ordering::Relaxed) {
                let index = next.fetch_add(1, Ordering::Relaxed) as usize;
                let Some(&number) = numbers.get(index) else { break };
                let pair = self.pair(changes, number, &folder)?;
                let line = serde_json::to_string(&pair)? + "\n";
                let mut played = played.lock().map_err(|_| trouble!("another pair failed"))?;
                played.0.0.write_all(line.as_bytes()).map_err(&failed)?;
                played.1.push(pair);
                if played.1.len().is_multiple_of(REPORT) {
                    remark!("{} of {} pairs", played.1.len(), numbers.len());
                }
            }
            Ok(())
        };
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..self.arguments.concurrency)
                .map(|worker| {
                    let (work, broken) = (&work, &broken);
                    // If one of them fails, the others would play on for hours.
                    scope.spawn(move || {
                        let ended = catch_unwind(AssertUnwindSafe(|| work(worker)));
                        let ended = ended.unwrap_or_else(|_| Err(trouble!("a worker has panicked")));
                        ended.inspect_err(|_| broken.store(true, Ordering::Relaxed))
                    })
                })
                .collect();
            let ends = workers.into_iter().map(|worker| worker.join().unwrap_or_else(|panic| resume_unwind(panic)));
            ends.collect::<Result<Vec<()>, CommandError>>()
        })?;
        played.into_inner().map(|(_, pairs)| pairs).map_err(|_| trouble!("a worker failed"))
    }

    /// Plays a pair of games from one opening.
    fn pair(&self, changes: &Changes, number: u64, folder: &Path) -> Result<Pair, CommandError> {
        let [first, second] = draw(changes, number);
        let options = |names: &[String]| names.iter().flat_map(|name| changes[name].clone()).collect::<Vec<_>>();
        let limit = match &self.arguments.tc {
            Some(tc) => Limit::Clock(tc.clone()),
            None => Limit::Nodes(self.arguments.nodes),
        };
        let (of_first, of_second) = (options(&first), options(&second));
        let sides = [("first", &of_first), ("second", &of_second)];
        let sides = sides.map(|(name, options)| Side { program: self.program, name, limit: limit.clone(), options });
        let mut command = fastchess(self.runner, sides, self.book, 1, folder)?;
        command.args(ADJUDICATED);
        command.args(["-each", "proto=uci", &format!("option.Hash={}", self.arguments.hash)]);
        command.args(["-concurrency", "1", "-srand", &(number + 1).to_string()]);
        Pair::read(&output(&mut command, &[0])?, number, [first, second], self.arguments.tc.is_some())
    }
}

impl Pair {
    /// The pair of this number, whose sides have these changes, from the output of the runner.
    ///
    /// # Errors
    ///
    /// One line: it is not understood, or a game without a clock was lost by accident (on time, by an illegal move or
    /// by a crash). Such a game would count as an effect of the changes.
    fn read(text: &str, number: u64, sides: [Vec<String>; 2], clock: bool) -> Result<Pair, CommandError> {
        let result = read_match(text, "first", "second")?;
        if result.games() != 2 {
            return Err(trouble!("pair {number} has {} games", result.games()));
        }
        let [first, second] = sides;
        if !clock {
            at_chess(text).map_err(|error| {
                let sides = format!("first: {}; second: {}", first.join(", "), second.join(", "));
                error.about(format_args!("pair {number}")).hint(sides)
            })?;
        }
        let accidents = result.accidents.iter().sum();
        Ok(Pair { number, first, second, won: result.won, drawn: result.drawn, lost: result.lost, accidents })
    }
}

/// The changes of both sides in the pair of this number: for each, the first side has it, the second, or neither. Two
/// sides without any change would give no evidence and are drawn again.
fn draw(changes: &Changes, number: u64) -> [Vec<String>; 2] {
    let mut random = Random::of_part(0, number);
    loop {
        let mut sides = [Vec::new(), Vec::new()];
        for name in changes.keys() {
            if let Some(side) = sides.get_mut(random.below(3)) {
                side.push(name.clone());
            }
        }
        if sides[0] != sides[1] || changes.is_empty() {
            return sides;
        }
    }
}

/// The measured effect of a change.
#[derive(Clone, Debug, PartialEq)]
struct Effect {
    name: String,
    elo: f64,
    /// Half of the 95% interval.
    margin: f64,
    /// Games in which one side had it.
    games: usize,
}

/// The effects of all changes, the best first; `None` if there are too few pairs to separate them.
fn effects(pairs: &[Pair]) -> Option<Vec<Effect>> {
    let names: BTreeSet<&String> = pairs.iter().flat_map(|pair| pair.first.iter().chain(&pair.second)).collect();
    let names: Vec<&String> = names.into_iter().collect();
    let place: BTreeMap<&String, usize> = names.iter().enumerate().map(|(at, &name)| (name, at)).collect();
    // At fixed nodes, equal sides share the points exactly: such pairs, which older results contain, say nothing about
    // the variance of the others.
    let design: Vec<(Vec<f64>, f64)> = pairs
        .iter()
        .filter(|pair| pair.first != pair.second)
        .map(|pair| {
            let mut factors = vec![0.0; names.len()];
            pair.first.iter().for_each(|name| factors[place[name]] += 1.0);
            pair.second.iter().for_each(|name| factors[place[name]] -= 1.0);
            (factors, (f64::from(pair.won) - f64::from(pair.lost)) / 2.0)
        })
        .collect();
    // The error below takes the variance of the results as known, but few results do not determine it.
    design.len().checked_sub(names.len()).filter(|&freedom| freedom >= LEAST_FREEDOM)?;
    let slopes = least_squares(&design, names.len())?;
    let mut effects: Vec<Effect> = names
        .iter()
        .enumerate()
        .map(|(at, &name)| Effect {
            name: name.clone(),
            elo: ELO * slopes[at].value,
            margin: ELO * 1.96 * slopes[at].standard_error,
            games: 2 * design.iter().filter(|(factors, _)| factors[at] != 0.0).count(),
        })
        .collect();
    effects.sort_by(|a, b| b.elo.total_cmp(&a.elo));
    Some(effects)
}

/// The effects as a table.
fn table(pairs: &[Pair]) -> String {
    let Some(effects) = effects(pairs) else {
        return format!("{} pairs are too few to tell the changes apart\n", pairs.len());
    };
    let mut table = row(&["change", "Elo, 95%", "games with it on one side"]) + "|---|--:|--:|\n";
    for Effect { name, elo, margin, games } in effects {
        table += &row(&[name, format!("{elo:+.1} ± {margin:.1}"), games.to_string()]);
    }
    table
}

/// How many games were lost by accident; `None` if there are none.
fn accidents(pairs: &[Pair]) -> Option<String> {
    let lost: u32 = pairs.iter().map(|pair| pair.accidents).sum();
    let games = 2 * pairs.len();
    (lost > 0).then(|| format!("{lost} of {games} games were lost on time, by an illegal move or by a crash"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    const CHANGES: &str = "# what is tried\ndeeper lmr_base=400 lmr_slope=500\n\nno-iir iir_depth=100\n";

    #[test]
    fn changes_are_read_and_checked_against_the_options_of_the_program() {
        let changes = read_changes(CHANGES).unwrap();
        assert_eq!(changes["deeper lmr_base=400 lmr_slope=500"], ["lmr_base=400", "lmr_slope=500"]);
        for (text, error) in [
            ("", "no changes"),
            ("x", "not a name"),
            ("x a b=1", "not a name"),
            ("x a=1\nx b=1", "twice"),
            ("x a=1\ny a=2", "'x a=1' and 'y a=2' both set 'a'"),
            ("x a=1\ny b=1 a=1", "both set 'a'"),
            ("x a=1 a=2", "sets 'a' twice"),
        ] {
            assert!(read_changes(text).unwrap_err().to_string().contains(error), "{text}");
        }
        let text = "option name lmr_base type spin default 1 min 0 max 2048\n\
            option name lmr_slope type spin default 1 min 0 max 900\noption name iir_depth type spin default 1 min 2 max 100\n";
        assert_eq!(check(&changes, text), Ok(()));
        assert!(
            check(&changes, &text.replace("iir", "rii")).unwrap_err().to_string().contains("no option 'iir_depth'")
        );
        assert!(
            check(&changes, &text.replace("900", "499"))
                .unwrap_err()
                .to_string()
                .contains("'lmr_slope=500' is outside")
        );
    }

    #[test]
    fn results_under_other_conditions_are_not_mixed() {
        let scratch = Scratch::new("factors");
        let log = scratch.0.join("changes.jsonl");
        let here = Conditions {
            bench: "1".to_owned(),
            sources: "2".to_owned(),
            program: "3".to_owned(),
            limit: "500 nodes".to_owned(),
            hash: 8,
            book: "5".to_owned(),
            changes: vec!["a x=1".to_owned()],
        };
        let pairs_in = |conditions: &Conditions| open_log(&log, conditions).map(|(_, pairs)| pairs);
        fs::write(&log, "").unwrap();
        assert_eq!(pairs_in(&here), Ok(Vec::new()), "a run that ended before its first line");
        let pair = Pair {
            number: 7,
            first: vec!["a".to_owned()],
            second: Vec::new(),
            won: 1,
            drawn: 0,
            lost: 1,
            accidents: 0,
        };
        let text = fs::read_to_string(&log).unwrap() + &serde_json::to_string(&pair).unwrap() + "\n";
        fs::write(&log, &text).unwrap();
        assert_eq!(pairs_in(&here), Ok(vec![pair.clone()]));
        for there in [
            Conditions { hash: 16, ..here.clone() },
            Conditions { book: "6".to_owned(), ..here.clone() },
            Conditions { hash: 16, changes: Vec::new(), ..here.clone() },
        ] {
            assert!(pairs_in(&there).unwrap_err().to_string().contains("other conditions"));
        }
        // A change with another value, or an additional one: the existing pairs give no evidence on it.
        for changes in [&["a x=2"][..], &["a x=1", "b y=1"], &[]] {
            let changes = changes.iter().map(|&line| line.to_owned()).collect();
            let error = pairs_in(&Conditions { changes, ..here.clone() }).unwrap_err();
            assert!(error.to_string().contains("other changes"), "{error}");
        }
        // Results without changes are older than this rule.
        let (head, rest) = text.split_once('\n').unwrap();
        let mut old: serde_json::Value = serde_json::from_str(head).unwrap();
        old.as_object_mut().unwrap().remove("changes");
        fs::write(&log, format!("{old}\n{rest}")).unwrap();
        assert!(pairs_in(&here).unwrap_err().to_string().contains("other conditions"));
        fs::write(&log, &text).unwrap();
        let rebuilt = Conditions { program: "4".to_owned(), ..here.clone() };
        let error = pairs_in(&rebuilt).unwrap_err();
        assert!(
            error.to_string().contains("another program") && error.to_string().contains("programs/3/ibex"),
            "{error}"
        );
        // A line torn by an interruption, and the same pair twice.
        let again = text.lines().nth(1).unwrap();
        fs::write(&log, format!("{text}{again}\n{{\"number\":8,")).unwrap();
        assert_eq!(pairs_in(&here), Ok(vec![pair]));
        assert_eq!(fs::read_to_string(&log).unwrap(), format!("{text}{again}\n"));
        let playing = open_log(&log, &here).unwrap();
        assert!(pairs_in(&here).unwrap_err().to_string().contains("another program is playing"));
        drop(playing);
        fs::write(&log, text + "{\"number\":8,\n").unwrap();
        assert!(pairs_in(&here).unwrap_err().to_string().contains("line 3"));
    }

    /// At fixed nodes, a crash is a bug in a program, not a result of its changes; the pair is dropped.
    #[test]
    fn at_fixed_nodes_an_accident_is_an_error() {
        let text = |end: &str| {
            format!(
                "Finished game 1 (first vs second): 0-1 {{{end}}}\n\
                 Finished game 2 (second vs first): 1-0 {{White mates}}\n\
                 Results of first vs second (12000 nodes, 1t, 8MB, b.epd):\nElo: -inf +/- nan, nElo: -inf +/- nan\n\
                 Games: 2, Wins: 0, Losses: 2, Draws: 0, Points: 0.0 (0.00 %)\n"
            )
        };
        let sides = || [vec!["a x=1".to_owned()], Vec::new()];
        let crash = text("White disconnects");
        let error = Pair::read(&crash, 7, sides(), false).unwrap_err();
        assert!(error.to_string().starts_with("pair 7: a game was not lost at chess: Finished game 1"), "{error}");
        assert!(error.to_string().contains("first: a x=1"), "{error}");
        assert_eq!(Pair::read(&crash, 7, sides(), true).unwrap().accidents, 1);
        assert_eq!(Pair::read(&text("Black mates"), 7, sides(), false).unwrap().lost, 2);
    }

    #[test]
    fn games_lost_by_accident_are_counted() {
        let pair =
            |accidents| Pair { number: 0, first: Vec::new(), second: Vec::new(), won: 1, drawn: 0, lost: 1, accidents };
        assert_eq!(accidents(&[pair(0), pair(0)]), None);
        assert!(accidents(&[pair(0), pair(2), pair(1)]).unwrap().starts_with("3 of 6 games were lost on time"));
        // Older results do not count them.
        let older = r#"{"number":1,"first":[],"second":[],"won":1,"drawn":0,"lost":1}"#;
        assert_eq!(serde_json::from_str::<Pair>(older).unwrap().accidents, 0);
    }

    #[test]
    fn each_pair_draws_its_own_repeatable_sides() {
        let names = (0..300).map(|i| (format!("c{i:03}"), vec![format!("c{i}=1")]));
        let changes: Changes = names.collect();
        let [first, second] = draw(&changes, 5);
        assert_eq!(draw(&changes, 5), [first.clone(), second.clone()]);
        assert_ne!(draw(&changes, 6)[0], first);
        assert!(first.iter().all(|name| !second.contains(name)));
        let one: Changes = changes.into_iter().take(1).collect();
        assert!((0..100).all(|number| draw(&one, number)[0] != draw(&one, number)[1]));
        for side in [first, second] {
            assert!((70..130).contains(&side.len()), "{} of 300", side.len());
        }
    }

    #[test]
    fn effects_that_made_the_results_are_found_in_them() {
        let truth = BTreeMap::from([("bad".to_owned(), -20.0), ("good".to_owned(), 30.0), ("idle".to_owned(), 0.0)]);
        let changes: Changes = truth.keys().map(|name| (name.clone(), vec!["x=1".to_owned()])).collect();
        let mut random = Random::new(1);
        let pairs: Vec<Pair> = (0..40_000)
            .map(|number| {
                let [first, second] = draw(&changes, number);
                let worth = |side: &[String]| side.iter().map(|name| truth[name]).sum::<f64>();
                let score = 0.5 + (worth(&first) - worth(&second)) / ELO / 2.0;
                let mut pair = Pair { number, first, second, won: 0, drawn: 0, lost: 0, accidents: 0 };
                for _ in 0..2 {
                    let drawn = random.happens(0.4);
                    let counter = if drawn {
                        &mut pair.drawn
                    } else if random.happens((score - 0.2) / 0.6) {
                        &mut pair.won
                    } else {
                        &mut pair.lost
                    };
                    *counter += 1;
                }
                pair
            })
            .collect();
        let effects = effects(&pairs).unwrap();
        let equal =
            |number| Pair { number, first: Vec::new(), second: Vec::new(), won: 1, drawn: 0, lost: 1, accidents: 0 };
        let more: Vec<Pair> = pairs.iter().cloned().chain((40_000..41_000).map(equal)).collect();
        assert_eq!(super::effects(&more).unwrap(), effects, "pairs of equal sides say nothing");
        assert_eq!(effects.iter().map(|effect| effect.name.as_str()).collect::<Vec<_>>(), ["good", "idle", "bad"]);
        for effect in &effects {
            let off = (effect.elo - truth[&effect.name]).abs();
            assert!(off < 1.5 * effect.margin && effect.margin < 3.5, "{effect:?}");
            assert!((50_000..57_000).contains(&effect.games), "{effect:?}");
        }
        assert!(table(&pairs).lines().nth(2).unwrap().starts_with("| good | +"));
        assert!(super::effects(&pairs[..LEAST_FREEDOM + 3]).is_some());
        assert!(table(&pairs[..LEAST_FREEDOM + 2]).contains("too few"));
    }
}
