//! `ibex-lab datagen`: the engine plays itself, and records its moves and scores.
//!
//! - `book`: positions that games begin from
//! - `play`: one game, to an honest result
//! - `session`: all cores, progress, resuming after a kill
//! - `report`: reading files; `datagen stats` and `datagen verify`

mod book;
pub mod play;
pub mod report;
pub mod session;

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use clap::Subcommand;
use shakmaty::{Color, Position as _};

use formats::data::{GamesWriter, read_games};
use formats::filter::Filter;
use formats::lessons::{LessonRecord, lesson_file};
use ibex::bound::{Bound, Ibv};
use ibex::checksum::checksum;
use ibex::engine::{Engine, Settings, network_of};
use ibex::eval::nnue::Network;
use ibex::openings::{Book, Openings};
use ibex::parallel::default_jobs;
use ibex::position::{Game, Move, Position};
use ibex::search::experiments::generation::search_with_lessons;
use ibex::search::state::lessons::{Lesson, LessonRule};
use ibex::search::{Event, Report};
use ibex::time::Limits;
use play::{Adjudication, GameRules, OffPolicy, Purpose, Sampling, SelfPlayer};
use session::{GenerationRun, Manifest, Target};
use terminal::amount::share;
use terminal::outputs::{self, Manner, Output};
use terminal::tell::counted;
use terminal::{CommandError, Exit, remark, tell, trouble};

/// The command line of `ibex-lab datagen`.
#[derive(clap::Args, Debug)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    run: Option<RunArgs>,
    // Beside the run, not inside: clap takes a group that contains a group for absent.
    #[command(flatten)]
    adjudication: Adjudication,
    #[command(flatten)]
    off_policy: OffPolicy,
    #[command(flatten)]
    sampling: Sampling,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Count the games and positions in data files: results, phases, scores
    Stats {
        /// Data files, or the `.parts` folder of a run that is not complete
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        #[command(flatten)]
        filter: Filter,
    },
    /// Replay every game of data files by the rules of chess, including repetition and the 50-move rule
    Verify {
        /// Data files, or the `.parts` folder of a run that is not complete
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },
    /// Write a data file in its other form: compact if the new name ends in `.ibg`, else viriformat
    Convert {
        /// A data file
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// The file to write
        #[arg(value_name = "NEW")]
        new: PathBuf,
    },
    /// Put together the games of a run that will not be continued
    Finish {
        /// The name that the run was started with
        #[arg(value_name = "FILE")]
        out: PathBuf,
    },
}

#[derive(clap::Args, Debug)]
struct RunArgs {
    /// The file to write, compact if its name ends in `.ibg`, else viriformat; while the run lasts its games lie in `FILE.parts`, and the same command resumes it
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Play this many games; a run that has played more keeps the first ones
    #[arg(long, value_name = "N", conflicts_with = "positions", value_parser = terminal::amount::count)]
    games: Option<u64>,
    /// Play until this many positions are kept by the default filter [default: 1000000]
    #[arg(long, value_name = "N", value_parser = terminal::amount::count)]
    positions: Option<u64>,
    /// Nodes a move; the iteration begun when they are spent is completed, up to eight times as many
    #[arg(long, default_value_t = 5000, value_name = "N", value_parser = terminal::amount::count)]
    nodes: u64,
    /// Nodes for a move from a position that gets no score (see `--score-share`) [default: those of `--nodes`]
    #[arg(long, value_name = "N", value_parser = terminal::amount::count)]
    move_nodes: Option<u64>,
    /// Stop at exactly that many nodes instead
    #[arg(long)]
    hard: bool,
    /// Games played at once [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=i64::from(session::MOST_WORKERS)))]
    threads: Option<u16>,
    /// The run's seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Hash for each game, in MiB
    #[arg(long, default_value_t = 16, value_name = "MIB", value_parser = clap::value_parser!(u16).range(1..))]
    hash: u16,
    /// A network to play with [default: the one that is built in]
    #[arg(long, value_name = "FILE", default_value = "", hide_default_value = true)]
    eval: String,
    /// A book of FEN or EPD lines to begin games from
    #[arg(long, value_name = "FILE")]
    book: Option<PathBuf>,
    /// The share of openings that are taken from the book
    #[arg(long, default_value_t = 0.3, value_name = "SHARE", value_parser = share, requires = "book")]
    book_share: f64,
    /// Random plies after a book position (or one more)
    #[arg(long, default_value_t = 3, value_name = "N", value_parser = plies(), requires = "book")]
    book_plies: u32,
    /// A book of endgame positions to begin games from
    #[arg(long, value_name = "FILE")]
    endgames: Option<PathBuf>,
    /// The share of openings that are taken from the book of endgames
    #[arg(long, default_value_t = 0.08, value_name = "SHARE", value_parser = share, requires = "endgames")]
    endgame_share: f64,
    /// Random plies after an endgame position (or one more)
    #[arg(long, default_value_t = 2, value_name = "N", value_parser = plies(), requires = "endgames")]
    endgame_plies: u32,
    /// The share of openings with shuffled back ranks
    #[arg(long, default_value_t = 0.1, value_name = "SHARE", value_parser = share)]
    chess960: f64,
    /// Random plies after the initial position or a shuffled one (or one more)
    #[arg(long, default_value_t = 8, value_name = "N", value_parser = plies())]
    random_plies: u32,
    /// Write `FILE.lessons` too: positions from inside the searches, with the values or bounds found there
    #[arg(long)]
    lessons: bool,
    /// The fewest nodes that such a value rests on
    #[arg(long, default_value_t = 50, value_name = "N", value_parser = terminal::amount::count, requires = "lessons")]
    lesson_nodes: u64,
    /// Show no progress
    #[arg(long)]
    quiet: bool,
}

/// Random plies of an opening.
fn plies() -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(..=40)
}

/// A share above zero: a run without scores would keep no position and never end.
fn some_share(text: &str) -> Result<f64, String> {
    share(text).ok().filter(|&share| share > 0.0).ok_or_else(|| "a share above 0, up to 1".to_owned())
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Exit, CommandError> {
    let tally = match (&args.command, &args.run) {
        (Some(Command::Stats { files, filter }), _) => return report::stats(files, *filter),
        (Some(Command::Verify { files }), _) => return report::verify(files),
        (Some(Command::Convert { file, new }), _) => return convert(file, new),
        (Some(Command::Finish { out }), _) => session::finish(out)?,
        (None, Some(run)) => {
            let Args { adjudication, off_policy, sampling, .. } = *args;
            generate(run, GameRules { adjudication, off_policy, sampling })?
        }
        (None, None) => return Err(trouble!("no output file").hint("name one with --out FILE")),
    };
    let games = counted(tally.games, "game", "games");
    tell!("{games}, {}, {} kept", counted(tally.positions, "position", "positions"), tally.kept)?;
    Ok(Exit::Done)
}

/// Writes the games of a data file in the form that the new name asks for, with their lessons beside them.
fn convert(file: &Path, new: &Path) -> Result<Exit, CommandError> {
    let lessons = [lesson_file(file), lesson_file(new)];
    let has_lessons = lessons[0].exists();
    session::must_be_free(new)?;
    if has_lessons {
        session::must_be_free(&lessons[1])?;
    }
    let (mut games, mut positions) = (0, 0);
    let mut read = Ok(0);
    outputs::write_with(new, |output| {
        let mut writer = GamesWriter::new(BufWriter::with_capacity(1 << 18, output), new)?;
        let mut failed = None;
        read = read_games(&[file.to_owned()], |game| {
            (games, positions) = (games + 1, positions + game.steps.len() as u64);
            if failed.is_none() {
                failed = writer.write(game).err();
            }
        });
        if matches!(read, Ok(0)) {
            read = Err(trouble!("{}: no games", file.display()));
        }
        match (failed, &read) {
            (Some(error), _) => Err(error),
            // The name must not be taken by a part of the games.
            (None, Err(error)) => Err(io::Error::other(error.to_string())),
            (None, Ok(_)) => writer.finish()?.flush(),
        }
    })
    .map_err(|error| read.map_or_else(|error| error, |_| error.into()))?;
    if has_lessons {
        outputs::write_with(&lessons[1], |output| io::copy(&mut File::open(&lessons[0])?, output).map(drop))?;
    }
    tell!("{}, {}", counted(games, "game", "games"), counted(positions, "position", "positions"))?;
    Ok(Exit::Done)
}

fn generate(args: &RunArgs, rules: GameRules) -> Result<session::Totals, CommandError> {
    let target = match (args.games, args.positions) {
        (Some(games), _) => Target::Games(games),
        (None, positions) => Target::Positions(positions.unwrap_or(1_000_000)),
    };
    if args.move_nodes.is_some() && rules.sampling.score_share >= 1.0 {
        return Err(trouble!("--move-nodes is for positions without a score: it needs a --score-share below 1"));
    }
    check_files(args)?;
    let openings = read_openings(args)?;
    let lessons = args.lessons.then_some(LessonRule {
        depth: EnginePlayer::LESSON_DEPTH,
        nodes: args.lesson_nodes,
        clock: Filter::default().max_clock.try_into().unwrap_or(u16::MAX),
    });
    // Before its checksum is taken: a file that is not a network is rejected, and not read to an end that it may not
    // have. So it is also reported once, before the first game.
    network_of(&args.eval)?;
    let session = GenerationRun {
        out: args.out.clone(),
        manifest: Manifest {
            engine: ibex::NAME.to_owned(),
            workers: args.threads.map_or_else(default_jobs, usize::from),
            seed: args.seed,
            settings: settings_in_words(args, &openings, rules),
        },
        target,
        openings,
        rules,
        lessons: lessons.is_some(),
    };
    let hash_mib = usize::from(args.hash);
    let settings = Settings { hash_mib, eval_file: args.eval.clone(), ..EnginePlayer::settings() };
    let nodes = Nodes { for_scores: args.nodes, for_moves: args.move_nodes.unwrap_or(args.nodes), hard: args.hard };
    session.run(&|| EnginePlayer::new(nodes, settings.clone(), lessons), args.quiet)
}

/// The openings of a run: its books are read, and the shares must not exceed the whole.
fn read_openings(args: &RunArgs) -> Result<Openings, CommandError> {
    let books =
        [(&args.book, args.book_share, args.book_plies), (&args.endgames, args.endgame_share, args.endgame_plies)];
    let mut openings =
        Openings { chess960_share: args.chess960, random_plies: args.random_plies, ..Openings::default() };
    for (path, share, plies) in books {
        if let Some(path) = path {
            openings.books.push(Book { positions: book::read_book(path)?, share, plies });
        }
    }
    let shares = openings.books.iter().map(|book| book.share).sum::<f64>() + openings.chess960_share;
    if shares > 1.0 + 1e-9 {
        return Err(trouble!("the shares of books and shuffled back ranks add up to {shares:.2}, more than 1"));
    }
    Ok(openings)
}

/// All that affects the games besides engine, workers and seed: the manifest records it, and only the same words
/// resume a run.
fn settings_in_words(args: &RunArgs, openings: &Openings, rules: GameRules) -> String {
    let mut settings = format!(
        "{} {} nodes, {} MiB, raw evaluation '{}', {}chess960 {}, {} random plies, {rules:?}",
        if args.hard { "exactly" } else { "about" },
        args.nodes,
        args.hash,
        network(&args.eval),
        openings.books.iter().map(described).collect::<String>(),
        openings.chess960_share,
        openings.random_plies,
    );
    if let Some(nodes) = args.move_nodes {
        settings += &format!(", moves of {nodes} nodes");
    }
    if args.lessons {
        settings += &format!(", lessons of {} nodes", args.lesson_nodes);
    }
    settings
}

/// Tests the files that a run writes at its end, before its first game.
fn check_files(args: &RunArgs) -> Result<(), CommandError> {
    let network = Some(&args.eval).filter(|name| !name.is_empty()).map(PathBuf::from);
    let inputs: Vec<PathBuf> = [args.book.clone(), args.endgames.clone(), network].into_iter().flatten().collect();
    let lessons = lesson_file(&args.out);
    let output = |flag, path| Output { flag, path, manner: Manner::Continued };
    let written = [output("--out", args.out.as_path()), output("--lessons", lessons.as_path())];
    let written = &written[..1 + usize::from(args.lessons)];
    outputs::check(&inputs, written, false).map_err(CommandError::from)
}

/// The nodes of a player's searches.
#[derive(Clone, Copy, Debug)]
struct Nodes {
    /// For a search for a score.
    for_scores: u64,
    /// For a search for a move.
    for_moves: u64,
    /// Stop at exactly that number; else complete the current iteration, up to [`EnginePlayer::PATIENCE`] times as
    /// many.
    hard: bool,
}

/// A book in the settings of a run: the checksum of its positions reveals edits.
fn described(book: &Book) -> String {
    // Their FENs, because a key has neither clock nor move number.
    let fens: Vec<String> = book.positions.iter().map(Position::fen).collect();
    let sum = checksum(fens.join("\n").as_bytes());
    format!("{} positions ({sum:016x}) at {} and {} plies, ", fens.len(), book.share, book.plies)
}

/// The evaluation in the settings of a run; a network has the checksum of its file, which was read before.
fn network(name: &str) -> String {
    let with_checksum = |name: &str, bytes: &[u8]| format!("{name} ({:016x})", checksum(bytes));
    if name.is_empty() {
        // Another build may embed another one.
        let carried = Network::embedded();
        return with_checksum(carried.name(), &carried.to_bytes());
    }
    std::fs::read(name).map_or_else(|_| name.to_owned(), |bytes| with_checksum(name, &bytes))
}

/// The engine as a player of both sides; it searches on the worker's own thread.
struct EnginePlayer {
    engine: Engine,
    for_scores: Limits,
    for_moves: Limits,
    /// The positions of the game that were searched, by key.
    searched: HashSet<u64>,
}

impl EnginePlayer {
    /// How many times its nodes a soft-limited search may take to complete an iteration.
    const PATIENCE: u64 = 8;

    /// The least depth of a lesson. Static evaluation and quiescence search nearly give the results of depths 1 and 2.
    const LESSON_DEPTH: i32 = 3;

    /// No preference among draws: all are 0 in the data, and the table serves both sides. Raw evaluations: the scores
    /// teach a network, and the engine scales the network's output.
    fn settings() -> Settings {
        Settings { threads: 1, analyse_mode: true, raw_evaluation: true, ..Settings::default() }
    }

    fn new(nodes: Nodes, settings: Settings, lessons: Option<LessonRule>) -> EnginePlayer {
        let (mut engine, remarks) = Engine::new(settings);
        for remark in remarks {
            remark!("ibex: {remark}");
        }
        if let Some(rule) = lessons {
            engine.collect_lessons(rule, search_with_lessons);
        }
        let limits = |count: u64| {
            let limits = if nodes.hard {
                Limits::nodes(count)
            } else {
                Limits { soft_nodes: Some(count), ..Limits::nodes(count.saturating_mul(Self::PATIENCE)) }
            };
            Limits { no_mate_search: true, ..limits }
        };
        let (for_scores, for_moves) = (limits(nodes.for_scores), limits(nodes.for_moves));
        EnginePlayer { engine, for_scores, for_moves, searched: HashSet::new() }
    }

    fn limits(&self, purpose: Purpose) -> Limits {
        match purpose {
            Purpose::Score => self.for_scores.clone(),
            Purpose::Move => self.for_moves.clone(),
        }
    }
}

impl SelfPlayer for EnginePlayer {
    fn new_game(&mut self) {
        self.engine.new_game();
        // A discarded game has left some.
        self.engine.take_lessons();
        self.searched.clear();
    }

    fn choose(&mut self, game: &Game, purpose: Purpose) -> Option<(Move, Ibv)> {
        self.searched.insert(game.position().key());
        let outcome = self.engine.search(game, self.limits(purpose), None);
        Some((outcome.best?, outcome.last?.value))
    }

    fn candidates(&mut self, game: &Game, lines: usize) -> Vec<(Move, Ibv)> {
        let settings = self.engine.settings().clone();
        self.engine.apply(Settings { multi_pv: lines, ..settings.clone() });
        let reports: Mutex<Vec<Report>> = Mutex::default();
        let listener = |event| {
            if let Event::Line(report) = event
                && report.value.bound() == Bound::Exact
            {
                let mut reports = reports.lock().unwrap_or_else(PoisonError::into_inner);
                reports.retain(|other| other.line < report.line && other.depth == report.depth);
                reports.push(report);
            }
        };
        let outcome = self.engine.search(game, self.limits(Purpose::Move), Some(&listener));
        self.engine.apply(settings);
        let reports = reports.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut candidates: Vec<_> = reports.iter().filter_map(|r| Some((*r.pv.first()?, r.value))).collect();
        // An interrupted iteration has fewer lines, and the move that the search would play need not come first.
        if let (Some(best), Some(last)) = (outcome.best, &outcome.last) {
            candidates.retain(|&(m, _)| m != best);
            candidates.insert(0, (best, last.value));
        }
        candidates
    }

    fn lessons(&mut self) -> Vec<LessonRecord> {
        let lessons = self.engine.take_lessons().into_iter().filter(|(key, _)| !self.searched.contains(key));
        lessons.map(|(_, lesson)| record_of(lesson)).collect()
    }
}

/// A lesson from White's view.
fn record_of(Lesson { chess, value, .. }: Lesson) -> LessonRecord {
    let value = if chess.turn() == Color::White { value } else { -value };
    // Heuristic scores fit in 16 bits.
    LessonRecord { score: value.score().cp().clamp(-32_000, 32_000) as i16, bound: value.bound(), chess }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::scratch::Scratch;
    use clap::Parser as _;
    use formats::games::GameRecord;
    use ibex::random::Random;
    use ibex::score::Score;
    use shakmaty::{CastlingMode, Chess};

    #[test]
    fn a_converted_file_holds_the_same_games_and_lessons() {
        let scratch = Scratch::new("convert");
        let [plain, compact, back] = ["a.vf", "b.ibg", "c.vf"].map(|name| scratch.0.join(name));
        let bytes = [game(None).0, game(None).0].map(|game| game.to_bytes()).concat();
        std::fs::write(&plain, &bytes).unwrap();
        std::fs::write(lesson_file(&plain), "lessons").unwrap();
        convert(&plain, &compact).expect("a data file");
        let size = std::fs::metadata(&compact).unwrap().len();
        assert!(size * 2 < bytes.len() as u64, "{size} of {} bytes", bytes.len());
        convert(&compact, &back).expect("a data file");
        assert_eq!(std::fs::read(&back).unwrap(), bytes);
        assert_eq!(std::fs::read(lesson_file(&back)).unwrap(), b"lessons");

        let error = convert(&plain, &back).unwrap_err().to_string();
        assert!(error.contains("c.vf exists already"), "{error}");
        let [empty, none] = ["empty.ibg", "none.vf"].map(|name| scratch.0.join(name));
        std::fs::write(&empty, "").unwrap();
        let error = convert(&empty, &none).unwrap_err().to_string();
        assert!(error.ends_with("empty.ibg: no games") && !none.exists(), "{error}");
        // Nothing has the new name where not all could be read.
        let torn = scratch.0.join("torn.vf");
        for (file, cut) in [(&compact, "the file ends inside a game"), (&plain, "the file ends inside a game")] {
            let whole = std::fs::read(file).unwrap();
            std::fs::write(&torn, &whole[..whole.len() - 5]).unwrap();
            let new = scratch.0.join("new.ibg");
            let error = convert(&torn, &new).unwrap_err().to_string();
            assert!(error.contains("torn.vf") && error.ends_with(cut), "{error}");
            assert!(!new.exists());
        }
    }

    /// A game of 400 nodes a move from the initial position, and its lessons.
    fn game(lessons: Option<LessonRule>) -> (GameRecord, Vec<LessonRecord>) {
        let nodes = Nodes { for_scores: 400, for_moves: 400, hard: false };
        let mut player = EnginePlayer::new(nodes, EnginePlayer::settings(), lessons);
        let openings = Openings { random_plies: 6, chess960_share: 0.0, ..Openings::default() };
        let stop = AtomicBool::new(false);
        let record = play::play(&mut player, &openings, &GameRules::default(), &mut Random::new(4), &stop);
        let record = record.expect("openings to play").expect("a game");
        (record, player.lessons())
    }

    #[test]
    fn lessons_leave_games_unchanged_and_add_other_positions() {
        let (record, none) = game(None);
        let (again, lessons) = game(Some(LessonRule { depth: 3, nodes: 20, clock: 60 }));
        assert!(none.is_empty());
        assert_eq!(record, again);
        assert!(lessons.len() > 20, "{} of {} plies", lessons.len(), record.steps.len());
        let mut played = HashSet::new();
        record.visit(|chess, _, _| {
            played.insert(Position::from_chess(chess).key());
        });
        for bound in [Bound::Lower, Bound::Upper] {
            assert!(lessons.iter().filter(|lesson| lesson.bound == bound).count() * 10 > lessons.len(), "{bound:?}");
        }
        for lesson in &lessons {
            assert!(!played.contains(&Position::from_chess(&lesson.chess).key()), "{:?}", lesson.chess.board());
            assert!(!lesson.chess.is_check());
        }
    }

    #[test]
    fn values_decided_by_repetition_are_not_lessons() {
        let lessons_after = |moves: &[&str]| {
            let mut game = Game::startpos();
            for text in moves {
                let m = game.position().parse_move(text).expect("legal");
                game.play(m);
            }
            let rule = LessonRule { depth: 3, nodes: 20, clock: 60 };
            let nodes = Nodes { for_scores: 20_000, for_moves: 20_000, hard: false };
            let mut player = EnginePlayer::new(nodes, EnginePlayer::settings(), Some(rule));
            player.choose(&game, Purpose::Score).expect("a move");
            player.lessons()
        };
        // No irreversible move has been played if all pawns are at home and nothing is captured or moved.
        let is_untouched = |lesson: &&LessonRecord| {
            let (board, start) = (lesson.chess.board(), Chess::default());
            board.pawns() == start.board().pawns()
                && board.occupied().count() == 32
                && lesson.chess.castles().castling_rights() == start.castles().castling_rights()
        };
        let fresh = lessons_after(&[]);
        assert!(fresh.iter().any(|lesson| is_untouched(&lesson)), "none of {} is", fresh.len());
        let haunted = lessons_after(&["g1f3", "g8f6", "f3g1", "f6g8"]);
        assert!(haunted.len() > 20, "behind a pawn move lessons are what they are");
        assert_eq!(haunted.iter().filter(is_untouched).count(), 0, "of {}", haunted.len());
    }

    #[test]
    fn an_edited_book_has_another_checksum() {
        let of = |fens: &[&str]| {
            let position = |fen: &&str| Position::from_fen(fen, CastlingMode::Standard).unwrap();
            described(&Book { positions: fens.iter().map(position).collect(), share: 0.3, plies: 3 })
        };
        let [first, second] = ["4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "4k3/8/8/8/8/8/3P4/4K3 w - - 0 1"];
        assert_eq!(of(&[first, second]), of(&[first, second]));
        for changed in ["4k3/8/8/8/8/8/3P4/4K3 w - - 60 90", "4k3/8/8/8/8/8/3P4/4K3 w - - 0 2", first] {
            assert_ne!(of(&[first, second]), of(&[first, changed]), "{changed}");
        }
    }

    #[test]
    fn an_option_without_its_book_is_refused() {
        #[derive(clap::Parser, Debug)]
        struct Line {
            #[command(flatten)]
            args: Args,
        }
        let parsed = |options: &[&str]| Line::try_parse_from([&["datagen", "--out", "a"][..], options].concat());
        for (option, book) in [("--book-plies", "--book"), ("--endgame-plies", "--endgames")] {
            assert!(parsed(&[option, "5"]).is_err_and(|error| error.to_string().contains(book)), "{option}");
            assert!(parsed(&[option, "5", book, "b.epd"]).is_ok(), "{option}");
        }
    }

    #[test]
    fn lessons_are_recorded_from_whites_view() {
        let white = Chess::default();
        let mut black = white.clone();
        black.play_unchecked(white.legal_moves()[0]);
        let value = Ibv::lower(Score::heuristic(40));
        let record = |chess: Chess| record_of(Lesson::new(chess, value));
        assert_eq!((record(white.clone()).score, record(white).bound), (40, Bound::Lower));
        assert_eq!((record(black.clone()).score, record(black).bound), (-40, Bound::Upper));
    }

    #[test]
    fn a_game_depends_on_its_own_seed_only() {
        let openings = Openings { random_plies: 6, chess960_share: 0.0, ..Openings::default() };
        let nodes = Nodes { for_scores: 60, for_moves: 60, hard: false };
        let settings = Settings { hash_mib: 1, ..EnginePlayer::settings() };
        let stop = AtomicBool::new(false);
        let play = |player: &mut EnginePlayer, seed| {
            let record = play::play(player, &openings, &GameRules::default(), &mut Random::new(seed), &stop);
            record.expect("openings to play").expect("a game")
        };
        let mut player = EnginePlayer::new(nodes, settings.clone(), None);
        let games: Vec<GameRecord> = (1..=6).map(|seed| play(&mut player, seed)).collect();
        // Long enough for the table's ages to wrap within a game.
        assert!(games[..5].iter().any(|game| game.steps.len() > 70));
        for (seed, game) in (1..).zip(games) {
            let alone = play(&mut EnginePlayer::new(nodes, settings.clone(), None), seed);
            assert_eq!(alone.to_bytes(), game.to_bytes(), "seed {seed}");
        }
    }

    #[test]
    fn a_search_without_an_iteration_gives_a_lower_bound() {
        let nodes = Nodes { for_scores: 1, for_moves: 1, hard: true };
        let mut player = EnginePlayer::new(nodes, EnginePlayer::settings(), None);
        let (_, value) = player.choose(&Game::startpos(), Purpose::Score).expect("a move");
        assert_eq!(value.bound(), Bound::Lower);
    }

    #[test]
    fn the_settings_name_the_embedded_network() {
        let carried = Network::embedded();
        assert!(network("").starts_with(carried.name()) && network("").ends_with(')'));
    }
}
