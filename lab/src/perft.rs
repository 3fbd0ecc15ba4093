//! Perft: counts the tree of legal moves, to test a move generator and everything that plays moves.

use std::path::PathBuf;
use std::time::Instant;

use clap::builder::NonEmptyStringValueParser;
use shakmaty::CastlingMode;

use formats::epd::{Operation, Problem, Suite, SuiteEntry, count_depth};
use ibex::parallel::{default_jobs, in_parallel};
use ibex::position::{Position, perft};
use terminal::inputs::{self, InputError};
use terminal::tell::counted;
use terminal::{CommandError, Exit, progress, remark, tell, trouble};

/// Count the leaves of the tree of legal moves, or check the counts of EPD files.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// A depth in plies, or files whose lines look like `FEN ;D1 20 ;D2 400` (patterns, or - for standard input)
    #[arg(required = true, value_name = "DEPTH|FILE.epd", value_parser = NonEmptyStringValueParser::new())]
    pub what: Vec<String>,
    /// The position to count from [default: the initial position]
    #[arg(long, value_name = "FEN")]
    pub fen: Option<String>,
    /// Write castling as "king takes rook", and read castling rights as Chess960 does
    #[arg(long)]
    pub chess960: bool,
    /// Leave out counts of files that are deeper than this
    #[arg(long, value_name = "PLIES")]
    pub max_depth: Option<u32>,
    /// How many threads to use [default: one per core]
    #[arg(long, short, value_name = "N", value_parser = crate::arguments::job_count())]
    pub jobs: Option<usize>,
}

/// The result of checking a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// Lines whose counts were checked.
    pub lines: usize,
    /// Counts that were compared.
    pub counts: usize,
    /// Leaves that were counted.
    pub leaves: u64,
    /// Counts that differ.
    pub mismatches: Vec<Problem>,
}

/// Checks every count of a suite up to `max_depth`; `done` gets the number of checked counts of each line.
///
/// None of those counts may be deeper than [`perft::DEEPEST`].
pub fn check(suite: &Suite, max_depth: u32, jobs: usize, done: impl Fn(u64) + Sync) -> Checked {
    let wanted = |entry: &SuiteEntry| -> Vec<(u32, u64)> {
        entry.counts.iter().copied().filter(|&(depth, _)| depth <= max_depth).collect()
    };
    let results = in_parallel(
        suite.entries.len(),
        jobs,
        |i| {
            let entry = &suite.entries[i];
            wanted(entry)
                .into_iter()
                .map(|(depth, told)| (depth, told, perft::count(&entry.position, depth)))
                .collect::<Vec<_>>()
        },
        |_, result| done(result.len() as u64),
    );
    let mut checked = Checked::default();
    for (entry, result) in suite.entries.iter().zip(results) {
        checked.lines += usize::from(!result.is_empty());
        for (depth, told, counted) in result {
            checked.counts += 1;
            checked.leaves += counted;
            if told != counted {
                checked.mismatches.push(Problem {
                    file: suite.file.clone(),
                    line: entry.line,
                    reason: format!("D{depth} is {counted}, not {told}: {}", entry.position.fen()),
                });
            }
        }
    }
    checked
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Exit, CommandError> {
    let jobs = args.jobs.unwrap_or_else(default_jobs);
    match args.what.as_slice() {
        [depth] if depth.bytes().all(|b| b.is_ascii_digit()) => {
            if args.max_depth.is_some() {
                return Err(trouble!("--max-depth goes with files, not with a depth"));
            }
            match depth.parse() {
                Ok(depth) if depth <= perft::DEEPEST => run_divide(args, depth, jobs),
                _ => Err(trouble!("a depth of {depth} plies is out of reach: the deepest is {}", perft::DEEPEST)),
            }
        }
        _ if args.fen.is_some() || args.chess960 => {
            let flag = if args.fen.is_some() { "--fen" } else { "--chess960" };
            Err(trouble!("{flag} goes with a depth, not with files"))
        }
        files => run_files(files, args.max_depth.unwrap_or(u32::MAX), jobs),
    }
}

fn run_divide(args: &Args, depth: u32, jobs: usize) -> Result<Exit, CommandError> {
    let mode = args.chess960.then_some(CastlingMode::Chess960);
    let (position, repairs) = match &args.fen {
        None => (Position::startpos(), Vec::new()),
        Some(fen) => Position::from_any_fen(fen, mode)?,
    };
    repairs.iter().for_each(|repair| remark!("ibex-lab perft: {repair}"));
    tell!("{}", perft::divide(&position, depth, jobs))?;
    Ok(Exit::Done)
}

fn run_files(files: &[String], max_depth: u32, jobs: usize) -> Result<Exit, CommandError> {
    let files: Vec<PathBuf> = files.iter().map(PathBuf::from).collect();
    let mut suites = read(&files)?;
    // Before anything is counted, because that may take hours.
    if let Some(reason) = suites.iter().find_map(|suite| out_of_reach(suite, max_depth)) {
        return Err(trouble!("{reason}"));
    }
    let (mut checked, mut all_right) = (0, true);
    for suite in &mut suites {
        let result = check_suite(suite, max_depth, jobs)?;
        checked += result.counts;
        all_right &= result.mismatches.is_empty() && suite.problems.is_empty();
    }
    if checked == 0 {
        return Err(trouble!("nothing to check"));
    }
    Ok(if all_right { Exit::Done } else { Exit::Found })
}

fn read(files: &[PathBuf]) -> Result<Vec<Suite>, InputError> {
    inputs::expand(files)?.iter().map(|file| Suite::read(file)).collect()
}

/// Checks a suite and reports the result.
fn check_suite(suite: &mut Suite, max_depth: u32, jobs: usize) -> Result<Checked, CommandError> {
    // The counts are to be checked: none may be skipped.
    let unread = |o: &Operation| o.odd.is_some() && count_depth(&o.opcode).is_some();
    suite.require(|entry| !entry.operations.iter().any(unread), "a count (D1, D2, ...) that cannot be read");
    suite.require(|entry| !entry.counts.is_empty(), "no count (D1, D2, ...)");
    suite.remarks().iter().for_each(|remark| remark!("{remark}"));
    suite.problems.iter().for_each(|problem| remark!("{problem}"));
    let due = suite.entries.iter().flat_map(|entry| &entry.counts).filter(|&&(depth, _)| depth <= max_depth);
    let bar = progress::bar(due.count() as u64, "counts");
    let start = Instant::now();
    let result = check(suite, max_depth, jobs, |counts| bar.inc(counts));
    bar.finish_and_clear();
    for mismatch in &result.mismatches {
        tell!("{mismatch}")?;
    }
    tell!(
        "{}: {}, {}, {}, {}, {}, {:.1} s",
        suite.file,
        counted(result.lines as u64, "position", "positions"),
        counted(result.counts as u64, "count", "counts"),
        counted(result.leaves, "leaf", "leaves"),
        counted(result.mismatches.len() as u64, "mismatch", "mismatches"),
        counted(suite.problems.len() as u64, "bad line", "bad lines"),
        start.elapsed().as_secs_f64(),
    )?;
    Ok(result)
}

/// The first count up to `max_depth` that is too deep, with a message; `None` if there is none.
fn out_of_reach(suite: &Suite, max_depth: u32) -> Option<Problem> {
    let too_deep = |depth: u32| depth > perft::DEEPEST && depth <= max_depth;
    suite.entries.iter().find_map(|entry| {
        let &(depth, _) = entry.counts.iter().find(|&&(depth, _)| too_deep(depth))?;
        let reason = format!("D{depth} is out of reach: the deepest is D{}", perft::DEEPEST);
        Some(Problem { file: suite.file.clone(), line: entry.line, reason })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_count_is_named() {
        let suite = Suite::parse(
            "test",
            "test.epd",
            b"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ;D1 20 ;D2 401 ;D3 8902\n",
        );
        let checked = check(&suite, 2, 2, |_| {});
        assert_eq!((checked.lines, checked.counts, checked.leaves), (1, 2, 420));
        assert_eq!(checked.mismatches.len(), 1);
        assert!(checked.mismatches[0].to_string().starts_with("test.epd:1: D2 is 400, not 401"));
    }
}
