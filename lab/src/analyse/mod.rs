//! `ibex-lab analyse`: games and positions in, the same with evaluations out.
//!
//! - `pgn`: games, from their text and back
//! - `choice`: which moves are annotated
//! - `searcher`: Ibex or another engine, as the one that searches
//! - `openings`: names of openings
//! - `judge`: the cost of a move
//! - `course`: the positions of a game, and the game up to each of them
//! - `games`: every position of a game searched, the game annotated
//! - `positions`: a file of FENs, a line at a time
//! - `page`: the analysed games as a page
//! - `stream`: standard input and pipes, which may be silent
//! - `checkpoint`: the progress of a run
//!
//! Files are streamed: memory holds one game, or one line or a piece of it, whatever the size of the file.

mod checkpoint;
mod choice;
mod course;
mod games;
mod judge;
mod openings;
mod page;
mod positions;
mod searcher;
mod stream;

use std::fs::OpenOptions;
use std::io::{self, BufReader, BufWriter, Cursor, ErrorKind, Read as _, Write};
use std::path::{Path, PathBuf};

use indicatif::ProgressBar;
use serde::{Deserialize, Serialize};

use self::checkpoint::{Checkpoint, Resumable, identity};
use self::choice::Choice;
use self::judge::Thresholds;
use self::openings::Openings;
use self::page::{Lines, Page};
use self::searcher::Searcher;
use self::stream::Stream;
use crate::play::external;
use crate::play::player::Budget;
use ibex::position::notation::is_move_like;
use terminal::inputs::{self, STDIN, Source};
use terminal::outputs::{self, Manner, Output};
use terminal::remark;
use terminal::tell::{self, counted};
use terminal::{Exit, amount, interrupt, progress};

/// Plies of a best line unless `--line` says otherwise.
const LINE: usize = 10;
/// Bytes of remarks after which an input without games or positions is taken to hold no games.
const REMARKS: usize = 1 << 16;

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
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = crate::arguments::hash_size)]
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
    /// Name the openings from this file: ECO code, name and moves separated by tabs, or PGN with such tags
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

impl Args {
    /// What happens to a game or line that cannot be read.
    fn fate(&self) -> &'static str {
        if self.skip_bad { "left out" } else { self.fate_of_others() }
    }

    /// What happens to a game without a wanted player.
    fn fate_of_others(&self) -> &'static str {
        let page_alone = self.html.is_some() && self.out.is_none();
        if page_alone { "left out" } else { "copied unchanged" }
    }

    /// All that affects the output: a run continues only if all of it is the same.
    fn job(&self, inputs: Vec<String>, searcher: &Searcher, openings: Option<&Openings>) -> Vec<String> {
        let settings = [
            ibex::NAME.to_owned(),
            format!("limit {}", self.budget()),
            format!("threads {}, hash {}", self.threads, self.hash),
            format!("line {}, all lines {}, skip bad {}", self.line, self.all_lines, self.skip_bad),
            format!("marks {}", self.marks),
            format!("choice: {}", self.choice.job()),
            searcher.job(),
            openings.map_or_else(|| "openings none".to_owned(), |openings| openings.job.clone()),
        ];
        inputs.into_iter().chain(settings).collect()
    }

    /// The options for games that the user gave.
    fn options_for_games(&self) -> Vec<&'static str> {
        let choice = &self.choice;
        let options = [
            ("--player", !choice.players.is_empty()),
            ("--moves", choice.moves.is_some()),
            ("--until-decided", choice.until_decided.is_some()),
            ("--line", self.line != LINE),
            ("--all-lines", self.all_lines),
            ("--marks", self.marks != Thresholds::default()),
            ("--eco", self.eco.is_some()),
        ];
        options.into_iter().filter_map(|(option, is_given)| is_given.then_some(option)).collect()
    }

    fn budget(&self) -> Budget {
        let budget = Budget { movetime: self.movetime, nodes: self.nodes, depth: self.depth, mate: None };
        if budget.is_empty() { Budget { nodes: Some(200_000), ..budget } } else { budget }
    }
}

/// The counts of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Tally {
    games: u64,
    positions: u64,
    /// Moves marked as blunder, mistake, dubious.
    marks: [u64; 3],
    /// Unreadable games and lines.
    bad: u64,
    /// Games without a wanted player.
    others: u64,
    /// Unreadable games without a wanted player, which are left out.
    others_left_out: u64,
    /// Unreadable games, of wanted players or of unknown ones.
    unread: u64,
    /// Positions on which an engine failed or named no score.
    failed: u64,
}

impl Tally {
    /// Games without a wanted player.
    fn all_others(&self) -> u64 {
        self.others + self.others_left_out
    }
}

/// Where annotated text goes.
enum Sink {
    /// Only the page is wanted.
    Nowhere,
    Stream(Box<dyn Write>),
    Resumable(Box<Resumable>),
}

impl Sink {
    /// The output of a run, `job`, and its progress so far. Text goes to `--out`; without that to standard output,
    /// unless the run `has_page`.
    fn open(args: &Args, job: Vec<String>, has_page: bool) -> Result<(Sink, Checkpoint), String> {
        let sink = match &args.out {
            None if has_page => Sink::Nowhere,
            None => Sink::Stream(Box::new(io::stdout())),
            Some(path) if args.resume => {
                let output = Resumable::open(path, job)?;
                let checkpoint = output.checkpoint.clone();
                return Ok((Sink::Resumable(Box::new(output)), checkpoint));
            }
            Some(path) => {
                let file = OpenOptions::new().write(true).create_new(true).open(path);
                let file = file.map_err(|error| format!("{}: {error}", path.display()))?;
                Sink::Stream(Box::new(BufWriter::new(file)))
            }
        };
        Ok((sink, Checkpoint::default()))
    }
}

/// A run of the command: what it works with, where its annotated text goes, and how far it has come. Complaints go to
/// standard error, progress to a terminal.
struct AnalysisRun<'a> {
    args: &'a Args,
    searcher: Searcher,
    openings: Option<Openings>,
    sink: Sink,
    page: Option<Page>,
    /// The index of the input that is being read.
    input: usize,
    bar: ProgressBar,
    tally: Tally,
    /// Whether the run was interrupted before the end of the input.
    interrupted: bool,
}

impl AnalysisRun<'_> {
    /// Reports in one line what is wrong with a part of the input that cannot be analysed.
    fn complain(&mut self, place: &str, reason: &str) {
        let fate = self.args.fate();
        self.tally.bad += 1;
        self.bar.suspend(|| remark!("{place}: {reason}: {fate}"));
    }

    /// Remarks on a part of the input that is used all the same.
    fn note(&self, place: &str, remark: &str) {
        self.bar.suspend(|| remark!("{place}: {remark}"));
    }

    /// A search that may take hours begins: the work so far must not be lost meanwhile.
    fn begin_search(&mut self) -> Result<(), String> {
        match &mut self.sink {
            Sink::Nowhere | Sink::Stream(_) => Ok(()),
            Sink::Resumable(output) => output.save(),
        }
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

    /// Writes the output of a game or line, or the end of it; `done` are finished of the current input.
    fn write(&mut self, text: &[u8], done: u64) -> Result<(), String> {
        self.put(text, Some(done))
    }

    /// Writes a piece of the output of a line; the line is not finished yet.
    fn write_piece(&mut self, text: &[u8]) -> Result<(), String> {
        self.put(text, None)
    }

    fn put(&mut self, text: &[u8], done: Option<u64>) -> Result<(), String> {
        match &mut self.sink {
            Sink::Nowhere => Ok(()),
            Sink::Stream(output) => {
                let written = output.write_all(text).and_then(|()| output.flush());
                written.map_err(|error| {
                    if self.args.out.is_none() && error.kind() == ErrorKind::BrokenPipe {
                        self.bar.finish_and_clear();
                        external::end_all();
                        tell::end_without_reader();
                    }
                    let name = self.args.out.as_ref().map(|path| path.display().to_string());
                    format!("{}: {error}", name.as_deref().unwrap_or("standard output"))
                })
            }
            Sink::Resumable(output) => match done {
                Some(done) => output.write(text, self.input, done, self.tally),
                None => output.write_piece(text),
            },
        }
    }

    /// Ends page and output after the work, and reports the results. Returns the exit status.
    fn finish(mut self, worked: Result<(), String>) -> Result<Exit, String> {
        self.bar.finish_and_clear();
        let mut has_page = false;
        if let Some(page) = self.page.take() {
            has_page = !page.is_empty();
            let note = match &worked {
                Ok(()) if self.interrupted => Some("The analysis was interrupted: games are missing.".to_owned()),
                Ok(()) => None,
                Err(reason) => Some(format!("The analysis ended early: {reason}")),
            };
            let written = page.finish(note.as_deref());
            // The first error is the one to report.
            worked.and(written)?;
        } else {
            worked?;
        }
        match self.sink {
            Sink::Nowhere | Sink::Stream(_) => {}
            Sink::Resumable(mut output) if self.interrupted => output.save()?,
            Sink::Resumable(output) => output.finish()?,
        }
        conclude(self.args, self.tally, self.interrupted, has_page)
    }
}

/// Runs the command.
pub fn run(args: &Args) -> Exit {
    analyse(args).unwrap_or_else(|reason| {
        remark!("ibex-lab analyse: {reason}");
        Exit::Trouble
    })
}

fn analyse(args: &Args) -> Result<Exit, String> {
    if args.out.as_ref().is_some_and(|path| path.as_os_str() == STDIN) {
        return Err("--out -: not a file name; without --out, the text goes to standard output".to_owned());
    }
    // Opens every file before hours are spent on the first.
    let mut paths = inputs::expand(&args.files).map_err(|error| error.to_string())?;
    if let (Some(out), true) = (&args.out, args.resume) {
        leave_out(&mut paths, out)?;
    }
    let (mut waiting, mut total) = (Vec::new(), 0);
    for path in &paths {
        let source = Source::open(path).map_err(|error| error.to_string())?;
        total += source.size;
        // A system allows only some hundred open files: those that can be reopened stay closed for now.
        waiting.push(if source.is_file { Waiting::File(path) } else { Waiting::Stream(path, source) });
    }
    let openings = args.eco.as_deref().map(Openings::read).transpose()?;
    // This reads every input once more.
    let identities = if args.resume { paths.iter().map(|path| identity(path)).collect() } else { Ok(Vec::new()) }?;
    // An interruption reaches an engine only if the handler is installed before the engine starts.
    interrupt::catch("ibex-lab analyse", external::end_all);
    let Some(searcher) = interrupt::unless_interrupted("ibex-lab analyse", Searcher::new(args))? else {
        return Ok(Exit::Interrupted);
    };
    let job = args.job(identities, &searcher, openings.as_ref());
    let bar = progress::bytes(total);
    let mut page = None;
    if let Some(path) = &args.html {
        page = Some(open_page(args, path, &paths, &searcher)?);
        let seen = waiting.into_iter().map(|input| input.with_games(&bar)).collect::<Result<Vec<_>, String>>();
        let Some(seen) = interrupt::unless_interrupted("ibex-lab analyse", seen)? else {
            return Ok(Exit::Interrupted);
        };
        waiting = seen;
    }
    let (sink, checkpoint) = Sink::open(args, job, page.is_some())?;
    let tally = checkpoint.tally;
    let input = checkpoint.input;
    let mut run =
        AnalysisRun { args, searcher, openings, sink, page, input, bar: bar.clone(), tally, interrupted: false };
    let inputs = waiting.into_iter().skip(input).map(|input| input.begin(&bar));
    let worked = work(inputs, checkpoint.done, &mut run);
    run.finish(worked)
}

/// Reports the results. Returns the exit status.
fn conclude(args: &Args, tally: Tally, interrupted: bool, has_page: bool) -> Result<Exit, String> {
    let Tally { games, positions, marks: [blunders, mistakes, dubious], bad, others, unread, failed, .. } = tally;
    let fate = args.fate();
    if positions == 0 && games == 0 && tally.all_others() == 0 && failed == 0 && !interrupted {
        return Err(format!("nothing to analyse ({} {fate})", counted(bad, "game or line", "games or lines")));
    }
    remark!(
        "{}, {}; {}, {}, {}; {bad} {fate}{}{}",
        counted(games, "game", "games"),
        counted(positions, "position", "positions"),
        counted(blunders, "blunder", "blunders"),
        counted(mistakes, "mistake", "mistakes"),
        counted(dubious, "dubious move", "dubious moves"),
        match others {
            0 => String::new(),
            n =>
                format!("; {} {}", counted(n, "game of other players", "games of other players"), args.fate_of_others()),
        },
        match failed {
            0 => String::new(),
            n => format!("; {} without a value", counted(n, "position", "positions")),
        },
    );
    if interrupted {
        remark!(
            "ibex-lab analyse: interrupted before the end; {}",
            match (args.resume, &args.html) {
                (true, _) => "to continue: the same command",
                (false, Some(_)) if has_page => "the page has the games that are done",
                (false, Some(_)) => "no game is finished, so no page is written",
                (false, None) => "a run with --out FILE --resume can continue after an interruption",
            }
        );
        return Ok(Exit::Interrupted);
    }
    let nowhere = games == 0 && unread == 0 && tally.all_others() > 0;
    if nowhere {
        remark!("ibex-lab analyse: no game has a player with '{}' in the name", args.choice.players.join("' or '"));
    }
    Ok(if bad > 0 || failed > 0 || nowhere { Exit::Found } else { Exit::Done })
}

/// Removes the file of `--out` and its checkpoint from the inputs: a pattern that matched neither when the run began
/// matches both when it continues.
fn leave_out(paths: &mut Vec<PathBuf>, out: &Path) -> Result<(), String> {
    let checkpoint = checkpoint::beside(out);
    let is_ours = |path: &mut PathBuf| outputs::is_same(path, out) || outputs::is_same(path, &checkpoint);
    for path in paths.extract_if(.., is_ours) {
        remark!("{}: belongs to --out {} and is not an input", path.display(), out.display());
    }
    if paths.is_empty() { Err(format!("--out {}: is also the only input", out.display())) } else { Ok(()) }
}

/// An input whose turn comes later.
enum Waiting<'a> {
    File(&'a Path),
    /// An input that can be opened only once.
    Stream(&'a Path, Source),
    Begun(Input),
}

impl Waiting<'_> {
    fn begin(self, bar: &ProgressBar) -> Result<Input, String> {
        let open = |path: &Path| Source::open(path).map_err(|error| error.to_string());
        match self {
            Waiting::File(path) => Input::begin(path, open(path)?, bar),
            Waiting::Stream(path, source) => Input::begin(path, source, bar),
            Waiting::Begun(input) => Ok(input),
        }
    }

    /// The same input, after a look at its beginning: an error if it holds no games.
    fn with_games(self, bar: &ProgressBar) -> Result<Self, String> {
        let file = if let Waiting::File(path) = self { Some(path) } else { None };
        // A mere look is not progress.
        let input = if file.is_some() { self.begin(&ProgressBar::hidden()) } else { self.begin(bar) }?;
        if !input.is_pgn {
            return Err(format!("--html is for games, and {} holds none", input.name));
        }
        Ok(file.map_or(Waiting::Begun(input), Waiting::File))
    }
}

/// An input of which the first bytes have been read.
struct Input {
    name: String,
    text: BufReader<inputs::Bytes>,
    is_pgn: bool,
}

impl Input {
    fn begin(path: &Path, source: Source, bar: &ProgressBar) -> Result<Input, String> {
        let (name, is_file) = (source.name.clone(), source.is_file);
        let source = source.watched(bar);
        let source = if is_file { source } else { source.through(|raw| Box::new(Stream::new(raw))) };
        let mut text = source.text().map_err(|error| error.to_string())?;
        let (mut start, mut block, mut whole) = (Vec::new(), [0; 1 << 12], false);
        let is_pgn = loop {
            if let Some(is_pgn) = is_pgn(path, &start, whole) {
                break is_pgn;
            }
            match text.read(&mut block) {
                Ok(length) => {
                    start.extend(&block[..length]);
                    whole = length == 0 || start.len() > REMARKS;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(format!("{name}: {error}")),
            }
        };
        Ok(Input { name, text: BufReader::new(Box::new(Cursor::new(start).chain(text))), is_pgn })
    }
}

/// Analyses one input after the other, from the one that the run names; `done` games or lines of it are already done.
fn work(
    inputs: impl Iterator<Item = Result<Input, String>>,
    mut done: u64,
    run: &mut AnalysisRun<'_>,
) -> Result<(), String> {
    // Options for games mean nothing to positions. The first input decides whether to say so.
    let mut for_games = if run.input == 0 && done == 0 { run.args.options_for_games() } else { Vec::new() };
    for input in inputs {
        let Input { name, text, is_pgn } = match input {
            Err(_) if interrupt::is_stopped() => {
                run.interrupted = true;
                break;
            }
            input => input?,
        };
        let options = std::mem::take(&mut for_games);
        if is_pgn {
            games::analyse(&name, text, done, run)?;
        } else {
            if !options.is_empty() {
                let are = if options.len() == 1 { "is" } else { "are" };
                run.note(&name, &format!("holds no games, and {} {are} for games", options.join(", ")));
            }
            positions::analyse(&name, text, done, run)?;
        }
        if run.interrupted {
            break;
        }
        run.input += 1;
        done = 0;
    }
    Ok(())
}

/// Tries the file of `--html`, and begins the page.
fn open_page(args: &Args, path: &Path, inputs: &[PathBuf], searcher: &Searcher) -> Result<Page, String> {
    if path.as_os_str() == STDIN {
        return Err("--html -: a page needs a file name".to_owned());
    }
    let wanted = Output::wanted([("--html", &args.html, Manner::Report), ("--out", &args.out, Manner::Continued)]);
    let read: Vec<PathBuf> = inputs.iter().chain(&args.eco).cloned().collect();
    outputs::check(&read, &wanted.collect::<Vec<_>>(), args.force).map_err(|error| error.to_string())?;
    let names: Vec<String> = inputs.iter().map(|path| inputs::name(path)).collect();
    let lines = Lines { longest: args.line, everywhere: args.all_lines };
    let manner = page::Manner { engine: searcher.name(), choice: args.choice.words(), marks: args.marks };
    Page::open(path, &names, lines, manner)
}

/// Whether an input holds games: by its name, or because it begins with a tag, a comment in braces or a move number;
/// lines of remarks may come before. `None` if `beginning`, which is not the `whole` input, does not show it yet.
fn is_pgn(path: &Path, beginning: &[u8], whole: bool) -> Option<bool> {
    let path = inputs::unpacked_path(path);
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("pgn")) {
        return Some(true);
    }
    let mut rest = without_mark(beginning);
    loop {
        let end = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
        match (rest.first(), end) {
            (Some(b'[' | b'{'), _) => return Some(true),
            (Some(b';' | b'%'), Some(end)) => rest = without_mark(&rest[end..]),
            (Some(_), Some(end)) => return Some(begins_with_move(&rest[..end])),
            _ if whole => return Some(begins_with_move(rest)),
            _ => return None,
        }
    }
}

/// A text without the blanks and byte order marks at its beginning; the latter also occur where files were joined.
fn without_mark(text: &[u8]) -> &[u8] {
    let mut text = text.trim_ascii_start();
    while let Some(behind) = text.strip_prefix(b"\xEF\xBB\xBF") {
        text = behind.trim_ascii_start();
    }
    text
}

/// Whether a line begins with a move number: digits and a dot, or digits, a blank and a move.
fn begins_with_move(line: &[u8]) -> bool {
    let digits = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let rest = &line[digits..];
    let word = rest.trim_ascii_start().split(|&byte| byte.is_ascii_whitespace()).next().unwrap_or_default();
    let is_move = || std::str::from_utf8(word).is_ok_and(|word| is_move_like(word.trim_end_matches(['!', '?'])));
    digits > 0 && (rest.starts_with(b".") || rest.starts_with(b" ") && is_move())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_and_positions_are_distinguished() {
        let is_pgn = |name: &str, text: &[u8]| is_pgn(Path::new(name), text, true).expect("the whole text");
        assert!(is_pgn("a.PGN", b"") && is_pgn("-", b"\xEF\xBB\xBF\r\n [Event \"x\"]") && is_pgn("a.txt", b"1. e4 *"));
        assert!(!is_pgn("a.txt", b"# FENs\n8/8/8/8/8/8/8/8 w - -") && !is_pgn("-", b"1k6/8/8/8/8/8/8/K7 w - -"));
        for games in [
            "; by me\n\n%x\r[Event \"x\"]",
            "% a\n\n\u{FEFF}% b\n\u{FEFF}\u{FEFF}[Event \"x\"]",
            ";\n1. e4 *",
            "1 e4 e5 *",
            "12 Nf3! *",
            "41... Ke7 *\n",
            "{x} e4",
        ] {
            assert!(is_pgn("-", games.as_bytes()), "{games}");
        }
        for positions in ["", "; x", "8 8/8 w", "1", "%\n8/8/8/8/8/8/8/8 w - -", "1 1", "e4 e5"] {
            assert!(!is_pgn("-", positions.as_bytes()), "{positions}");
        }
    }

    #[test]
    fn one_line_shows_whether_a_text_holds_games() {
        let is_pgn = |text: &str| is_pgn(Path::new("-"), text.as_bytes(), false);
        for (text, expected) in [
            ("", None),
            ("1", None),
            ("; x\n1k6/8/8", None),
            ("[", Some(true)),
            ("1. e4\n", Some(true)),
            ("1k6/8/8/8/8/8/8/K7 w - -\r", Some(false)),
        ] {
            assert_eq!(is_pgn(text), expected, "{text}");
        }
    }
}
