//! Tuning: games of the engine against itself move the numbers of the search, and a small file keeps what they taught.
//!
//! - `spsa`: how the numbers move
//! - `state`: the file
//!
//! The games of an iteration depend on the seed and its number alone, so an iteration that was interrupted is played
//! again from its beginning.

mod spsa;
mod state;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use ibex::params;
use ibex::position::Position;
use ibex::random::Random;
use terminal::{CommandError, interrupt, outputs, remark, tell, trouble};

use crate::duel::{Ends, Limit, Program, clock};
use crate::held::Held;
use crate::matches::{self, Results, Side};
use crate::measure::{Tools, at, checksum, row};
use spsa::Trial;
use state::{LOG, Settings, State};

/// The openings of a new tuning.
const BOOK: &str = "books/UHO_4060_v4.epd";
/// The columns of a path on the page.
const PATH: usize = 40;

/// What is played.
#[derive(Args, Debug)]
pub struct Arguments {
    /// The file that keeps the tuning; beside it stands the page, `tuning.md` for `tuning.txt`
    #[arg(default_value = "docs/record/tuning.txt")]
    state: PathBuf,
    /// Begin a tuning of these parameters, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    begin: Vec<String>,
    /// Nodes a move [default: 40000]
    #[arg(long, conflicts_with = "tc", requires = "begin", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// A clock instead of nodes: seconds and increment, `8+0.08`; `40/8` is 40 moves in 8 seconds; `8+0.08@1000` counts
    /// nodes, 1000 of them as a millisecond
    #[arg(long, value_name = "TIME", requires = "begin", value_parser = clock)]
    tc: Option<Limit>,
    /// Hash of each engine, in MiB [default: 32]
    #[arg(long, requires = "begin", value_parser = clap::value_parser!(u32).range(1..))]
    hash: Option<u32>,
    /// The openings, an EPD file; with --begin [default: books/UHO_4060_v4.epd of the public test data]
    #[arg(long, value_name = "FILE")]
    book: Option<PathBuf>,
    /// Pairs of games in an iteration [default: 8]
    #[arg(long, requires = "begin", value_parser = clap::value_parser!(u64).range(1..))]
    pairs: Option<u64>,
    /// All iterations [default: 5000]
    #[arg(long, requires = "begin", value_parser = clap::value_parser!(u64).range(1..))]
    iterations: Option<u64>,
    /// Another seed gives other games [default: 1]
    #[arg(long, requires = "begin")]
    seed: Option<u64>,
    /// End after this many minutes
    #[arg(long)]
    minutes: Option<u64>,
    /// Go on although the bench signature has become N
    #[arg(long, value_name = "N")]
    accept_bench: Option<String>,
    /// Games at a time
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..))]
    concurrency: u16,
}

/// Tunes until all iterations are played, the minutes are over, or the run is interrupted.
///
/// # Errors
///
/// The file, the book or the program is missing, the tuning does not fit the engine, or an engine fails.
pub fn play(tools: &Tools, arguments: &Arguments) -> Result<(), CommandError> {
    interrupt::catch("tune", || ());
    let file = &arguments.state;
    let _held = Held::beside(file, "another run continues this tuning")?;
    let bench = tools.run(["bench", "--signature"])?.trim().to_owned();
    let mut state = match fs::read_to_string(file) {
        Ok(_) if !arguments.begin.is_empty() => {
            return Err(trouble!("{} has a tuning already; --begin needs another file", file.display()));
        }
        Ok(text) => text.parse::<State>().map_err(|error| error.about(file.display()))?,
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(at(file)(error)),
        Err(_) if arguments.begin.is_empty() => {
            return Err(trouble!("{} does not exist; --begin NAMES begins a tuning", file.display()));
        }
        Err(_) => begun(tools, arguments, &bench)?,
    };
    state.fits(params::ALL)?;
    state.accept(&bench, arguments.accept_bench.as_deref())?;
    let openings = openings(tools, arguments, &state.settings)?;
    let side = Side { program: &tools.ibex, limit: state.settings.limit, options: &[] };
    let start = || side.start(state.settings.hash, 1);
    let mut engines: Vec<[Program; 2]> =
        (0..arguments.concurrency).map(|_| Ok([start()?, start()?])).collect::<Result<_, CommandError>>()?;
    let end = arguments.minutes.map(|minutes| Instant::now() + Duration::from_secs(60 * minutes));
    let before = state.pairs();
    save(file, &state)?;
    while state.iteration < state.settings.iterations
        && !interrupt::is_stopped()
        && end.is_none_or(|end| Instant::now() < end)
    {
        let Some(next) = iteration(&state, &mut engines, &openings)? else { break };
        let logged = next.log.len() > state.log.len();
        state = next;
        save(file, &state)?;
        if logged {
            remark!("tune: {} pairs", state.pairs());
        }
    }
    tell!("{} pairs in this run, {} in all; {}", state.pairs() - before, state.pairs(), file.display())
}

/// A tuning that has not begun.
fn begun(tools: &Tools, arguments: &Arguments, bench: &str) -> Result<State, CommandError> {
    let book = tools.book(arguments.book.as_deref(), BOOK)?;
    let name = book.file_name().unwrap_or_default().to_string_lossy().replace(char::is_whitespace, "_");
    let settings = Settings {
        limit: arguments.tc.or(arguments.nodes.map(Limit::Nodes)).unwrap_or(Limit::Nodes(40_000)),
        hash: arguments.hash.unwrap_or(32),
        book: [name, checksum(&book)?],
        pairs: arguments.pairs.unwrap_or(8),
        iterations: arguments.iterations.unwrap_or(5000),
        seed: arguments.seed.unwrap_or(1),
    };
    State::begin(bench, settings, &arguments.begin)
}

/// The openings of a tuning.
fn openings(tools: &Tools, arguments: &Arguments, settings: &Settings) -> Result<Vec<Position>, CommandError> {
    let [name, sum] = &settings.book;
    let book = tools.book(arguments.book.as_deref(), &format!("books/{name}"))?;
    if checksum(&book)? != *sum {
        return Err(trouble!("{} is not the book that the tuning began with (--book)", book.display()));
    }
    matches::openings(&book)
}

/// Plays the next iteration; `None` if it was interrupted.
fn iteration(
    state: &State,
    engines: &mut [[Program; 2]],
    openings: &[Position],
) -> Result<Option<State>, CommandError> {
    let Settings { limit, pairs, iterations, seed, .. } = state.settings;
    let number = state.iteration + 1;
    let mut random = Random::of_part(seed, number);
    let trial = Trial::draw(&state.parameters, number, iterations, &mut random);
    let drawn: Vec<&Position> = (0..pairs).map(|_| &openings[random.below(openings.len())]).collect();
    for [plus, minus] in engines.iter_mut() {
        for (parameter, (above, below)) in state.parameters.iter().zip(trial.plus.iter().zip(&trial.minus)) {
            plus.set(&parameter.name, *above)?;
            minus.set(&parameter.name, *below)?;
        }
    }
    let mut results = Results::default();
    let all = matches::pairs(engines, &drawn, [limit; 2], Ends::Early, |pair| {
        results.count(pair);
        true
    })?;
    if !all {
        return Ok(None);
    }
    let mut next = state.clone();
    trial.learn(&mut next.parameters, number, iterations, results.won as i32 - results.lost as i32);
    next.complete([results.won, results.drawn, results.lost].map(u64::from));
    Ok(Some(next))
}

/// Writes the file, and the page beside it.
fn save(file: &Path, state: &State) -> Result<(), CommandError> {
    outputs::write(file, state.text().as_bytes())?;
    outputs::write(&file.with_extension("md"), page(state).as_bytes())?;
    Ok(())
}

/// The page: the parameters with their paths, those that have moved most in front.
fn page(state: &State) -> String {
    let Settings { limit, hash, book: [book, _], pairs, iterations, .. } = &state.settings;
    let [won, drawn, lost] = state.results;
    let mut text = format!(
        "# Tuning\n\nThe path of each parameter that `make spsa` tunes (CONTRIBUTING.md, \"Tuning\"). A step is the \
         distance\nthat the last iteration tries; the path has a column every {LOG} pairs of games or more, from its lowest to its\n\
         highest value. The numbers that ship are in `src/params.rs`.\n\n\
         {} of {} pairs: {} a {}, {book}, hash {hash} MiB, bench {}; +{won} ={drawn} -{lost} for the first side.\n",
        state.pairs(),
        pairs.saturating_mul(*iterations),
        limit.words(),
        if matches!(limit, Limit::Nodes(_)) { "move" } else { "game" },
        state.bench
    );
    for (iteration, old, new) in &state.accepted {
        text += &format!("Bench {old} became {new} after iteration {iteration}.\n");
    }
    text += "\n";
    text += &row(&["parameter", "start", "now", "steps", "path"]);
    text += "|---|--:|--:|--:|---|\n";
    let mut order: Vec<usize> = (0..state.parameters.len()).collect();
    order.sort_by(|&a, &b| state.parameters[b].moved().abs().total_cmp(&state.parameters[a].moved().abs()));
    for index in order {
        let parameter = &state.parameters[index];
        let path: Vec<f64> = std::iter::once(f64::from(parameter.start))
            .chain(state.log.iter().filter_map(|(_, values)| values.get(index).copied()))
            .collect();
        text += &row(&[
            format!("`{}`", parameter.name),
            parameter.start.to_string(),
            parameter.rounded().to_string(),
            format!("{:+.2}", parameter.moved() + 0.0),
            drawn_path(&path),
        ]);
    }
    text
}

/// A path in block characters.
fn drawn_path(values: &[f64]) -> String {
    const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let (low, high) = values.iter().fold((f64::MAX, f64::MIN), |(low, high), &value| (low.min(value), high.max(value)));
    let columns = values.len().min(PATH);
    let shown = (0..columns).map(|column| values[((column + 1) * values.len() / columns) - 1]);
    shown
        .map(|value| BLOCKS[if high > low { ((value - low) / (high - low) * 7.0).round() as usize } else { 0 }])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_begins_with_the_parameter_that_has_moved_most() {
        let settings = Settings {
            limit: Limit::Nodes(40_000),
            hash: 32,
            book: ["book.epd".to_owned(), "0".to_owned()],
            pairs: 100,
            iterations: 10,
            seed: 1,
        };
        let mut state = State::begin("1", settings, &["rfp_slope".to_owned(), "lmr_base".to_owned()]).unwrap();
        for value in [600.0, 560.0, 500.0] {
            state.parameters[1].value = value;
            state.complete([60, 100, 40]);
        }
        let page = page(&state);
        let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| `")).collect();
        assert!(rows[0].starts_with("| `lmr_base` |") && rows[0].contains("| 500 |"), "{rows:?}");
        assert!(rows[1].ends_with("| +0.00 | ▁▁▁▁ |"), "{rows:?}");
        assert!(page.contains("300 of 1000 pairs: 40000 nodes a move, book.epd"), "{page}");
    }

    #[test]
    fn a_path_keeps_its_ends() {
        assert_eq!(drawn_path(&[1.0, 2.0, 8.0]), "▁▂█");
        let long: Vec<f64> = (0..=400).map(f64::from).collect();
        let path: Vec<char> = drawn_path(&long).chars().collect();
        assert_eq!((path.len(), path[0], path[PATH - 1]), (PATH, '▁', '█'));
        assert_eq!(drawn_path(&[]), "");
    }
}
