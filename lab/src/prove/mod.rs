//! `ibex-lab prove`: checks the solutions of suites independently of the engine's search.
//!
//! - `mate`: forced mates, by exhaustive search

pub mod mate;

use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Instant;

use formats::epd::{Problem, Suite, SuiteEntry};
use ibex::parallel::{default_jobs, in_parallel};
use ibex::position::notation::san;
use mate::{GaveUp, Solver};
use terminal::inputs::{self, InputError};
use terminal::tell::counted;
use terminal::{CommandError, Exit, amount, progress, remark, tell, trouble};

/// What is wrong with a line that claims no mate.
const NO_CLAIM: &str = "no mate is claimed (dm)";

/// Prove the mates of EPD files.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// Files whose lines say `dm N`, and may list the keys as `bm`; patterns, or - for standard input
    #[arg(required = true, value_name = "FILE.epd")]
    pub files: Vec<PathBuf>,
    /// Leave out mates in more moves than this
    #[arg(long, value_name = "MOVES")]
    pub max_mate: Option<u8>,
    /// Give up a line after this number of positions; it then counts as not proved [default: never]
    #[arg(long, value_name = "N", value_parser = amount::count)]
    pub positions: Option<u64>,
    /// How many lines to prove at once [default: one per core]
    #[arg(long, short, value_name = "N", value_parser = crate::arguments::job_count())]
    pub jobs: Option<usize>,
    /// Print every line's keys and the effort of its proof
    #[arg(long, short)]
    pub verbose: bool,
}

/// A proved mate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// Moves to the mate: of the side to move, or, if it is the one to be mated, of the other (then negative).
    pub distance: i32,
    /// All moves that mate in the claimed number, in algebraic notation; empty if the side to move is the one mated.
    pub keys: Vec<String>,
    /// Positions examined.
    pub positions: u64,
}

/// Proves the mate that a line claims: there is one in the claimed number of moves, none in fewer, and `bm`, if there
/// is one, names exactly the moves that keep the distance. The 50-move clock must leave time for it: captures and pawn
/// moves on the way are not considered.
///
/// # Errors
///
/// One line that says what was found instead.
pub fn prove(entry: &SuiteEntry, solver: &mut Solver) -> Result<Proof, CommandError> {
    let Some(claim) = entry.mate else { return Err(trouble!("{NO_CLAIM}")) };
    let distance = u8::try_from(claim.unsigned_abs()).map_err(|_| trouble!("a mate in {claim} is out of reach"))?;
    if claim == 0 {
        return Err(trouble!("a search cannot prove that there is no mate at all"));
    }
    // Mate on the hundredth ply is still mate.
    let plies = 2 * u32::from(distance) - u32::from(claim > 0);
    if !entry.position.has_plies_for(plies as usize) {
        return Err(trouble!("the 50-move rule may end the game before the mate"));
    }
    solver.restart();
    let found = if claim > 0 { attack(entry, distance, solver) } else { defence(entry, distance, solver) };
    let keys = found.unwrap_or_else(|GaveUp| {
        Err(trouble!("gave up after {}", counted(solver.positions(), "position", "positions")))
    })?;
    Ok(Proof { distance: claim, keys, positions: solver.positions() })
}

fn attack(entry: &SuiteEntry, distance: u8, solver: &mut Solver) -> Result<Result<Vec<String>, CommandError>, GaveUp> {
    let position = &entry.position;
    for shorter in 1..distance {
        if solver.mates(position, shorter)? {
            return Ok(Err(trouble!("there is a mate in {shorter}")));
        }
    }
    let keys = solver.keys(position, distance)?;
    let name = |m| san(position, m);
    if keys.is_empty() {
        return Ok(Err(trouble!("there is no mate in {distance}")));
    }
    if !entry.best.is_empty() {
        if let Some(&wrong) = entry.best.iter().find(|m| !keys.contains(m)) {
            return Ok(Err(trouble!("{} does not mate in {distance}", name(wrong))));
        }
        if let Some(&missing) = keys.iter().find(|m| !entry.best.contains(m)) {
            return Ok(Err(trouble!("{} mates in {distance} as well", name(missing))));
        }
    }
    let mut keys: Vec<_> = keys.into_iter().map(name).collect();
    keys.sort();
    Ok(Ok(keys))
}

fn defence(entry: &SuiteEntry, distance: u8, solver: &mut Solver) -> Result<Result<Vec<String>, CommandError>, GaveUp> {
    let position = &entry.position;
    for shorter in 0..distance {
        if solver.mated(position, shorter)? {
            return Ok(Err(trouble!("it is mated in {shorter}")));
        }
    }
    if !solver.mated(position, distance)? {
        return Ok(Err(trouble!("it is not mated in {distance}")));
    }
    if !entry.best.is_empty() {
        for m in position.legal_moves() {
            let holds_out = !solver.mates(&position.after(m), distance - 1)?;
            if holds_out != entry.best.contains(&m) {
                let why = if holds_out { "holds out as long" } else { "is mated sooner" };
                return Ok(Err(trouble!("{} {why}", san(position, m))));
            }
        }
    }
    Ok(Ok(Vec::new()))
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Exit, CommandError> {
    let suites = read(&args.files)?;
    let (mut lines, mut failures) = (0, 0);
    for suite in &suites {
        let (proved, failed) = run_suite(suite, args)?;
        lines += proved + failed;
        failures += failed + suite.problems.len();
    }
    if lines == 0 {
        let limit = args.max_mate.map(|most| format!(" in at most {}", counted(most.into(), "move", "moves")));
        return Err(trouble!("no line claims a mate (dm){}", limit.unwrap_or_default()));
    }
    Ok(if failures == 0 { Exit::Done } else { Exit::Found })
}

fn read(files: &[PathBuf]) -> Result<Vec<Suite>, InputError> {
    let mut suites = inputs::expand(files)?.iter().map(|file| Suite::read(file)).collect::<Result<Vec<_>, _>>()?;
    // The mates are to be proved: no line may be skipped.
    suites.iter_mut().for_each(|suite| suite.require(|entry| entry.mate.is_some(), NO_CLAIM));
    Ok(suites)
}

/// Proves a file's lines and reports the results. Returns the numbers of lines proved and not proved.
fn run_suite(suite: &Suite, args: &Args) -> Result<(usize, usize), CommandError> {
    let farthest = args.max_mate.map_or(u32::MAX, u32::from);
    let is_near = |entry: &&SuiteEntry| entry.mate.is_some_and(|mate| mate.unsigned_abs() <= farthest);
    let (claims, farther): (Vec<_>, Vec<_>) = suite.entries.iter().partition(is_near);
    for remark in suite.remarks() {
        remark!("{remark}");
    }
    for problem in &suite.problems {
        remark!("{problem}");
    }
    if let Some(first) = farther.first() {
        let left_out = counted(farther.len() as u64, "mate", "mates");
        let moves = counted(farthest.into(), "move", "moves");
        remark!("{}: {left_out} in more than {moves} left out (first line {})", suite.file, first.line);
    }
    let jobs = args.jobs.unwrap_or_else(default_jobs).clamp(1, claims.len().max(1));
    let bar = progress::bar(claims.len() as u64, "mates");
    let start = Instant::now();
    // Solvers are reused: a later line from the same game finds the table filled.
    let solvers = Mutex::new(Vec::new());
    let results = in_parallel(
        claims.len(),
        jobs,
        |i| {
            let idle = solvers.lock().ok().and_then(|mut idle: std::sync::MutexGuard<'_, Vec<Solver>>| idle.pop());
            let mut solver = idle.unwrap_or_else(|| Solver::new(args.positions.unwrap_or(u64::MAX)));
            let result = prove(claims[i], &mut solver);
            if let Ok(mut idle) = solvers.lock() {
                idle.push(solver);
            }
            result
        },
        |_, _| bar.inc(1),
    );
    bar.finish_and_clear();
    let mut failed = 0;
    for (entry, result) in claims.iter().zip(&results) {
        match result {
            Ok(proof) if args.verbose => tell!(
                "{}:{}: mate in {}: {} ({})",
                suite.file,
                entry.line,
                proof.distance,
                if proof.keys.is_empty() { "against every move".to_owned() } else { proof.keys.join(" ") },
                counted(proof.positions, "position", "positions")
            )?,
            Ok(_) => {}
            Err(reason) => {
                failed += 1;
                tell!("{}", Problem { file: suite.file.clone(), line: entry.line, reason: reason.to_string() })?;
            }
        }
    }
    let proved = results.len() - failed;
    tell!(
        "{}: {} proved, {failed} not, {}, {}, {:.1} s",
        suite.file,
        counted(proved as u64, "mate", "mates"),
        counted(suite.problems.len() as u64, "bad line", "bad lines"),
        counted(results.iter().flatten().map(|proof| proof.positions).sum(), "position", "positions"),
        start.elapsed().as_secs_f64(),
    )?;
    Ok((proved, failed))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(line: &str) -> Result<Vec<String>, String> {
        let suite = Suite::parse("test", "test.epd", line.as_bytes());
        assert!(suite.problems.is_empty(), "{:?}", suite.problems);
        prove(&suite.entries[0], &mut Solver::new(10_000_000))
            .map(|proof| proof.keys)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn every_kind_of_error_is_reported() {
        // Two rooks: Ra7 cuts off, Rb8 mates.
        let position = "7k/8/8/8/8/8/R7/1R2K3 w - -";
        assert_eq!(verdict(&format!("{position} dm 2;")), Ok(vec!["Ra7".to_owned(), "Rb7".to_owned()]));
        assert_eq!(verdict(&format!("{position} dm 2; bm Ra7 Rb7;")).map(|keys| keys.len()), Ok(2));
        assert_eq!(verdict(&format!("{position} dm 2; bm Ra7;")), Err("Rb7 mates in 2 as well".to_owned()));
        assert_eq!(verdict(&format!("{position} dm 2; bm Ke2;")), Err("Ke2 does not mate in 2".to_owned()));
        assert_eq!(verdict(&format!("{position} dm 1;")), Err("there is no mate in 1".to_owned()));
        assert_eq!(verdict(&format!("{position} dm 3;")), Err("there is a mate in 2".to_owned()));
        assert!(verdict(&format!("{position} dm 0;")).is_err());
        assert!(verdict(&format!("{position} dm 1000;")).is_err());
        assert!(verdict(&format!("{position} bm Ra7;")).is_err());
    }

    #[test]
    fn mates_against_the_side_to_move_are_proved() {
        let position = "7k/R7/8/8/8/8/8/1R2K3 b - -";
        assert_eq!(verdict(&format!("{position} dm -1;")), Ok(Vec::new()));
        assert_eq!(verdict(&format!("{position} dm -2;")), Err("it is mated in 1".to_owned()));
        assert_eq!(verdict("7k/8/8/8/8/8/R7/1R2K3 b - - dm -1;"), Err("it is not mated in 1".to_owned()));
        // After each king move, the next move mates.
        let position = "6k1/R7/8/8/8/8/8/1R2K3 b - -";
        assert_eq!(verdict(&format!("{position} dm -1; bm Kf8 Kh8;")), Ok(Vec::new()));
        assert_eq!(verdict(&format!("{position} dm -1; bm Kf8;")), Err("Kh8 holds out as long".to_owned()));
        let position = "k7/8/1K6/8/8/8/8/3R4 b - -";
        assert_eq!(verdict(&format!("{position} dm -1; bm Kb8;")), Ok(Vec::new()));
        // Of two king moves, only Kf8 holds out for two moves: after Kh8, Ra8 mates.
        let position = "6k1/8/6K1/8/8/8/8/R7 b - -";
        assert_eq!(verdict(&format!("{position} dm -2; bm Kf8;")), Ok(Vec::new()));
        assert_eq!(verdict(&format!("{position} dm -2; bm Kf8 Kh8;")), Err("Kh8 is mated sooner".to_owned()));
    }

    /// Mate on the hundredth ply is mate; afterwards the game is drawn, unless a capture or a pawn move comes first.
    #[test]
    fn a_mate_needs_time_on_the_clock() {
        let late = Err("the 50-move rule may end the game before the mate".to_owned());
        let position = "7k/8/8/8/8/8/R7/1R2K3 w - -";
        assert!(verdict(&format!("{position} hmvc 97; dm 2;")).is_ok());
        assert_eq!(verdict(&format!("{position} hmvc 98; dm 2;")), late);
        let position = "7k/R7/8/8/8/8/8/1R2K3 b - -";
        assert!(verdict(&format!("{position} hmvc 98; dm -1;")).is_ok());
        assert_eq!(verdict(&format!("{position} hmvc 99; dm -1;")), late);
    }

    #[test]
    fn the_short_mates_are_proved_again() {
        /// Mates in more moves than this are left to `ibex-lab prove`.
        const FARTHEST: u32 = 3;
        let suite =
            Suite::read(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../epd/mates.epd")).expect("readable");
        let mut solver = Solver::default();
        let mut proved = [0; FARTHEST as usize + 1];
        for entry in &suite.entries {
            let distance = entry.mate.expect("every line claims a mate").unsigned_abs();
            assert!(!entry.best.is_empty(), "line {}: without keys", entry.line);
            if distance <= FARTHEST {
                if let Err(reason) = prove(entry, &mut solver) {
                    panic!("line {}: {reason}", entry.line);
                }
                proved[distance as usize] += 1;
            }
        }
        assert!(proved[1..].iter().all(|&mates| mates >= 20), "{proved:?}");
    }
}
