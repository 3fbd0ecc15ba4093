//! What a run is to do: the arguments become a plan once, before anything is opened.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::checkpoint;
use super::choice::Choice;
use super::judge::Thresholds;
use super::page::Lines;
use crate::play::external::Program;
use crate::play::player::Budget;
use crate::play::{NamedEngine, read_engine};
use ibex::engine::Settings;
use terminal::inputs::{self, STDIN};
use terminal::outputs::{self, Manner, Output};
use terminal::{CommandError, amount, remark, trouble};

/// Plies of a best line unless `--line` says otherwise.
const LINE: usize = 10;

/// The arguments of `ibex-lab analyse`.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// PGN files, or files of FEN or EPD lines; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Write to this new file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Begin the file of --out, or continue it after an interruption; finished work is kept
    #[arg(long, requires = "out")]
    pub resume: bool,
    /// Write the games as a page for a browser; without --out, nothing goes to standard output
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    pub html: Option<PathBuf>,
    /// Replace the page of --html if it exists; the file of --out is never replaced
    #[arg(long, requires = "html")]
    pub force: bool,
    /// Leave out games and lines that cannot be read, instead of copying them unchanged
    #[arg(long)]
    pub skip_bad: bool,

    /// Nodes for each position, such as 500k [default if nothing else is limited: 200000]
    #[arg(long, value_name = "N", help_heading = "Limits", value_parser = amount::count)]
    pub nodes: Option<u64>,
    /// Time for each position, in milliseconds, or with a unit such as 1.5s
    #[arg(long, value_name = "MS", help_heading = "Limits", value_parser = amount::milliseconds)]
    pub movetime: Option<u64>,
    /// Iterations for each position
    #[arg(long, value_name = "N", help_heading = "Limits", value_parser = clap::value_parser!(u32).range(1..))]
    pub depth: Option<u32>,

    /// Search threads
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = crate::arguments::thread_count())]
    pub threads: usize,
    /// Transposition table in MiB
    #[arg(long, value_name = "MIB", default_value_t = 16, value_parser = crate::arguments::hash_size)]
    pub hash: usize,

    /// Plies of a best line, as a variation of the game
    #[arg(long, value_name = "N", default_value_t = LINE, help_heading = "Games")]
    pub line: usize,
    /// Show the best line wherever another move was played, not only where the move is marked
    #[arg(long, help_heading = "Games")]
    pub all_lines: bool,
    /// The least loss of winning chances, in percent, of a dubious move, a mistake and a blunder
    #[arg(long, value_name = "N,N,N", default_value_t, help_heading = "Games")]
    pub marks: Thresholds,
    /// Name the openings from this file: ECO code, name, and moves or a FEN, separated by tabs; scid.eco; or PGN with
    /// such tags
    #[arg(long, value_name = "FILE", help_heading = "Games")]
    pub eco: Option<PathBuf>,
    /// What to annotate.
    #[command(flatten)]
    pub choice: Choice,

    /// Let this UCI engine search instead of Ibex, as `[LABEL=]COMMAND ARGUMENTS`
    #[arg(long, value_name = "COMMAND", help_heading = "Another engine")]
    pub engine: Option<String>,
    /// Set an option of this engine (may be repeated)
    #[arg(long = "option", value_name = "NAME=VALUE", requires = "engine", help_heading = "Another engine")]
    pub options: Vec<String>,
    /// Give up a position if this engine takes more than this many seconds [default: depends on the limits]
    // Not part of the job: a run may continue with more patience.
    #[arg(long, value_name = "SECONDS", requires = "engine", help_heading = "Another engine", value_parser = amount::seconds)]
    pub timeout: Option<u64>,
}

/// What a run does.
pub struct Plan {
    /// The inputs.
    pub files: Vec<PathBuf>,
    /// Where annotated text goes.
    pub out: Out,
    /// The page.
    pub page: Option<PathBuf>,
    /// Whether games and lines that cannot be read are left out.
    pub skip_bad: bool,
    /// The limit of each search.
    pub budget: Budget,
    /// The searcher.
    pub searcher: SearcherPlan,
    /// The lines of games.
    pub lines: Lines,
    /// The losses of marked moves.
    pub marks: Thresholds,
    /// The file of openings.
    pub eco: Option<PathBuf>,
    /// What is annotated.
    pub choice: Choice,
    /// The options for games that the user gave: they mean nothing to positions.
    pub for_games: Vec<&'static str>,
    /// The settings that affect the output, for comparison with another run.
    pub settings: Vec<String>,
}

/// Where annotated text goes.
pub enum Out {
    /// Only the page is wanted.
    Nowhere,
    /// Standard output.
    Standard,
    /// A new file.
    New(PathBuf),
    /// A new file, or one that holds a part of the run.
    Resume(PathBuf),
}

/// Who searches.
pub enum SearcherPlan {
    /// Ibex with these settings.
    Ibex(Settings),
    /// Another engine.
    Other {
        /// Its short name.
        label: String,
        /// Its command as it was given.
        command: String,
        /// Its options as they were given.
        options: Vec<String>,
        /// How to run it.
        program: Program,
    },
}

impl Plan {
    /// Makes the plan.
    ///
    /// # Errors
    ///
    /// One line: a file cannot be read or written, or an argument is not understood.
    pub fn new(args: &Args) -> Result<Plan, CommandError> {
        let files = files(args)?;
        let out = match &args.out {
            Some(path) if args.resume => Out::Resume(path.clone()),
            Some(path) => Out::New(path.clone()),
            None if args.html.is_some() => Out::Nowhere,
            None => Out::Standard,
        };
        if let Some(path) = &args.html {
            check_page(args, path, &files)?;
        }
        let budget = Budget { movetime: args.movetime, nodes: args.nodes, depth: args.depth, mate: None };
        let budget = if budget.is_empty() { Budget { nodes: Some(200_000), ..budget } } else { budget };
        Ok(Plan {
            files,
            out,
            page: args.html.clone(),
            skip_bad: args.skip_bad,
            budget,
            searcher: searcher(args)?,
            lines: Lines { longest: args.line, everywhere: args.all_lines },
            marks: args.marks,
            eco: args.eco.clone(),
            choice: args.choice.clone(),
            for_games: for_games(args),
            settings: vec![
                ibex::NAME.to_owned(),
                format!("limit {budget}"),
                format!("threads {}, hash {}", args.threads, args.hash),
                format!("line {}, all lines {}, skip bad {}", args.line, args.all_lines, args.skip_bad),
                format!("marks {}", args.marks),
                format!("choice: {}", args.choice.job()),
            ],
        })
    }

    /// What happens to a game or line that cannot be read.
    pub fn fate(&self) -> &'static str {
        if self.skip_bad { "left out" } else { self.fate_of_others() }
    }

    /// What happens to a game without a wanted player.
    pub fn fate_of_others(&self) -> &'static str {
        if matches!(self.out, Out::Nowhere) { "left out" } else { "copied unchanged" }
    }

    /// Whether the run can be continued.
    pub fn resumes(&self) -> bool {
        matches!(self.out, Out::Resume(_))
    }
}

/// The inputs: those of the patterns but for the output.
fn files(args: &Args) -> Result<Vec<PathBuf>, CommandError> {
    if args.out.as_ref().is_some_and(|path| path.as_os_str() == STDIN) {
        return Err(trouble!("--out -: not a file name; without --out, the text goes to standard output"));
    }
    let mut files = inputs::expand(&args.files)?;
    if let (Some(out), true) = (&args.out, args.resume) {
        leave_out(&mut files, out)?;
    }
    Ok(files)
}

/// Removes the file of `--out` and its checkpoint from the inputs: a pattern that matched neither when the run began
/// matches both when it continues.
fn leave_out(paths: &mut Vec<PathBuf>, out: &Path) -> Result<(), CommandError> {
    let checkpoint = checkpoint::beside(out);
    let is_ours = |path: &mut PathBuf| outputs::is_same(path, out) || outputs::is_same(path, &checkpoint);
    for path in paths.extract_if(.., is_ours) {
        remark!("{}: belongs to --out {} and is not an input", path.display(), out.display());
    }
    if paths.is_empty() { Err(trouble!("--out {}: is also the only input", out.display())) } else { Ok(()) }
}

/// Tries the file of `--html`.
fn check_page(args: &Args, path: &Path, files: &[PathBuf]) -> Result<(), CommandError> {
    if path.as_os_str() == STDIN {
        return Err(trouble!("--html -: a page needs a file name"));
    }
    let wanted = Output::wanted([("--html", &args.html, Manner::Report), ("--out", &args.out, Manner::Continued)]);
    let read: Vec<PathBuf> = files.iter().chain(&args.eco).cloned().collect();
    outputs::check(&read, &wanted.collect::<Vec<_>>(), args.force)?;
    Ok(())
}

/// Ibex, or the engine that the user names.
fn searcher(args: &Args) -> Result<SearcherPlan, CommandError> {
    let Some(text) = &args.engine else {
        let (hash_mib, threads) = (args.hash, args.threads);
        return Ok(SearcherPlan::Ibex(Settings { hash_mib, threads, analyse_mode: true, ..Settings::default() }));
    };
    let NamedEngine { label, command, words } = read_engine(text)?;
    let mut options = Vec::new();
    for text in &args.options {
        let option = text.split_once('=').ok_or_else(|| trouble!("--option '{text}': expected NAME=VALUE"))?;
        options.push((option.0.to_owned(), option.1.to_owned()));
    }
    let (hash, threads) = (args.hash, args.threads);
    let patience = args.timeout.map(Duration::from_secs);
    let program = Program { command: words, options, hash, threads, patience, counted: false };
    Ok(SearcherPlan::Other { label, command: command.to_owned(), options: args.options.clone(), program })
}

/// The options for games that the user gave.
fn for_games(args: &Args) -> Vec<&'static str> {
    let choice = &args.choice;
    let options = [
        ("--player", !choice.players.is_empty()),
        ("--moves", choice.moves.is_some()),
        ("--until-decided", choice.until_decided.is_some()),
        ("--line", args.line != LINE),
        ("--all-lines", args.all_lines),
        ("--marks", args.marks != Thresholds::default()),
        ("--eco", args.eco.is_some()),
    ];
    options.into_iter().filter_map(|(option, is_given)| is_given.then_some(option)).collect()
}
