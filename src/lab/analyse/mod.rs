//! `ibex analyse`: games and positions in, the same with evaluations out.
//!
//! - `pgn`: one game, from its text and back
//! - `judge`: what a move has cost
//! - `games`: every position of a game searched, the game annotated
//! - `positions`: a file of FENs, a line at a time
//!
//! Files are streamed: memory holds one game, or one line, whatever the size of the file.

mod games;
mod judge;
pub mod pgn;
mod positions;

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use indicatif::ProgressBar;

use super::epd::player::Budget;
use super::tell::counted;
use super::{OK, TROUBLE, progress};

/// What `ibex analyse` can be told.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// PGN files, or files of FEN or EPD lines; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Write to this new file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,

    /// Nodes for each position [default, where nothing is limited: 200000]
    #[arg(long, value_name = "N", help_heading = "Limits", value_parser = clap::value_parser!(u64).range(1..))]
    pub nodes: Option<u64>,
    /// Milliseconds for each position
    #[arg(long, value_name = "MS", help_heading = "Limits", value_parser = clap::value_parser!(u64).range(1..))]
    pub movetime: Option<u64>,
    /// Iterations for each position
    #[arg(long, value_name = "N", help_heading = "Limits", value_parser = clap::value_parser!(u32).range(1..))]
    pub depth: Option<u32>,

    /// Search threads
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=1024))]
    pub threads: usize,
    /// Transposition table in MiB
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = super::hash_size)]
    pub hash: usize,

    /// Half-moves of a best line, as a variation of the game
    #[arg(long, value_name = "N", default_value_t = 10, help_heading = "Games")]
    pub line: usize,
    /// Show the best line wherever another move was played, not only where the move is marked
    #[arg(long, help_heading = "Games")]
    pub all_lines: bool,
}

impl Args {
    fn budget(&self) -> Budget {
        let budget = Budget { movetime: self.movetime, nodes: self.nodes, depth: self.depth, mate: None };
        if budget.is_empty() { Budget { nodes: Some(200_000), ..budget } } else { budget }
    }
}

/// What was done.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    games: u64,
    positions: u64,
    /// Moves marked as blunder, mistake, dubious.
    marks: [u64; 3],
    left_out: u64,
}

/// Where the work goes: annotated text to the output, complaints to standard error, progress to whoever looks.
struct Desk<'a> {
    args: &'a Args,
    output: Box<dyn Write>,
    bar: ProgressBar,
    tally: Tally,
}

impl Desk<'_> {
    /// Says in one line what is wrong with a part of the input that is left out.
    fn complain(&mut self, place: &str, reason: &str) {
        self.tally.left_out += 1;
        self.bar.suspend(|| eprintln!("{place}: {reason}: left out"));
    }

    /// Says something of a part of the input that is used all the same.
    fn note(&self, place: &str, remark: &str) {
        self.bar.suspend(|| eprintln!("{place}: {remark}"));
    }

    /// A position has been searched.
    fn step(&mut self) {
        self.tally.positions += 1;
        let positions = counted(self.tally.positions, "position", "positions");
        self.bar.set_message(match self.tally.games {
            0 => positions,
            games => format!("{positions}, {}", counted(games, "game", "games")),
        });
    }

    fn write(&mut self, text: &[u8]) -> Result<(), String> {
        self.output.write_all(text).and_then(|()| self.output.flush()).map_err(|error| format!("output: {error}"))
    }
}

/// Runs the command.
pub fn run(args: &Args) -> u8 {
    analyse(args).unwrap_or_else(|reason| {
        eprintln!("ibex analyse: {reason}");
        TROUBLE
    })
}

fn analyse(args: &Args) -> Result<u8, String> {
    // Every file is opened before hours are spent on the first.
    let inputs = args.files.iter().map(|path| open(path)).collect::<Result<Vec<_>, _>>()?;
    let output: Box<dyn Write> = match &args.out {
        None => Box::new(io::stdout()),
        Some(path) => {
            let file = OpenOptions::new().write(true).create_new(true).open(path);
            Box::new(BufWriter::new(file.map_err(|error| format!("{}: {error}", path.display()))?))
        }
    };
    let total = inputs.iter().map(|(_, size)| size).sum();
    let mut desk = Desk { args, output, bar: progress::bytes(total), tally: Tally::default() };
    for (path, (input, _)) in args.files.iter().zip(inputs) {
        let name = if path.as_os_str() == "-" { "standard input".to_owned() } else { path.display().to_string() };
        let mut input = BufReader::new(desk.bar.wrap_read(input));
        let trouble = |error: io::Error| format!("{name}: {error}");
        if is_pgn(path, &mut input).map_err(trouble)? {
            games::analyse(&name, input, &mut desk)?;
        } else {
            positions::analyse(&name, input, &mut desk)?;
        }
    }
    desk.bar.finish_and_clear();
    let Tally { games, positions, marks: [blunders, mistakes, dubious], left_out } = desk.tally;
    if positions == 0 {
        return Err(format!("nothing to analyse ({} left out)", counted(left_out, "game or line", "games or lines")));
    }
    eprintln!(
        "{}, {}; {}, {}, {}; {left_out} left out",
        counted(games, "game", "games"),
        counted(positions, "position", "positions"),
        counted(blunders, "blunder", "blunders"),
        counted(mistakes, "mistake", "mistakes"),
        counted(dubious, "dubious move", "dubious moves"),
    );
    Ok(OK)
}

/// Opens an input, and tells its size as far as it has one.
fn open(path: &Path) -> Result<(Box<dyn Read>, u64), String> {
    if path.as_os_str() == "-" {
        return Ok((Box::new(io::stdin()), 0));
    }
    let trouble = |error: io::Error| format!("{}: {error}", path.display());
    let file = File::open(path).map_err(trouble)?;
    let about = file.metadata().map_err(trouble)?;
    if about.is_dir() {
        return Err(format!("{}: a folder, not a file", path.display()));
    }
    Ok((Box::new(file), about.len()))
}

/// Whether an input holds games: by its name, or because it begins with a tag or a move number.
fn is_pgn(path: &Path, input: &mut impl BufRead) -> io::Result<bool> {
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("pgn")) {
        return Ok(true);
    }
    let beginning = input.fill_buf()?;
    let beginning = beginning.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(beginning).trim_ascii_start();
    Ok(beginning.starts_with(b"[") || beginning.starts_with(b"1.") || beginning.starts_with(b"{"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_and_positions_are_told_apart() {
        let is_pgn = |name: &str, mut text: &[u8]| is_pgn(Path::new(name), &mut text).expect("readable");
        assert!(is_pgn("a.PGN", b"") && is_pgn("-", b"\xEF\xBB\xBF\r\n [Event \"x\"]") && is_pgn("a.txt", b"1. e4 *"));
        assert!(!is_pgn("a.txt", b"# FENs\n8/8/8/8/8/8/8/8 w - -") && !is_pgn("-", b"1k6/8/8/8/8/8/8/K7 w - -"));
    }
}
