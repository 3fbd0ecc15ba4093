//! Figures from games: matches by fastchess against the installed engines.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use terminal::{CommandError, remark, trouble};

use crate::basis::{Engine, State};
use crate::held::Held;
use crate::measure::{Measured, Tools, at, checksum, row};

/// An engine to play against.
struct Opponent {
    /// The program, found in the search path or in `/usr/games`.
    program: &'static str,
    /// The approximate rating in CCRL's blitz list.
    rated: u32,
    /// Which build it is.
    build: &'static str,
    /// How many games measure the difference: fewer if it is large.
    games: u32,
}

/// Debian's engines with UCI, and one at full speed. Those that are not installed are left out.
const OPPONENTS: [Opponent; 6] = [
    Opponent { program: "stockfish-15.1-native", rated: 3750, build: "built for the processor", games: 400 },
    Opponent { program: "stockfish", rated: 3700, build: "Debian", games: 300 },
    Opponent { program: "ethereal-chess", rated: 3400, build: "Debian", games: 300 },
    Opponent { program: "toga2", rated: 2850, build: "Debian", games: 100 },
    Opponent { program: "glaurung", rated: 2700, build: "Debian", games: 100 },
    Opponent { program: "fruit", rated: 2700, build: "Debian", games: 100 },
];

const GAMES: u32 = 300;
const CONTROL: &str = "2+0.02";
const BOOK: &str = "books/UHO_4060_v4.epd";
pub const LEVEL_BOOK: &str = "books/noob_3moves.epd";

/// The result of a match, for the first side.
#[derive(Clone, Debug, PartialEq)]
pub struct Match {
    pub won: u32,
    pub drawn: u32,
    pub lost: u32,
    /// The difference in Elo, and half of its 95% interval, as the runner prints them.
    pub elo: String,
    pub margin: String,
    /// Losses on time, by an illegal move or by a crash, of the first and of the second.
    pub accidents: [u32; 2],
}

/// Ibex against the installed engines, on the clock. A complete match is kept in `target/figures`, so that an
/// interrupted measurement continues with the next.
///
/// # Errors
///
/// One line: fastchess or the book is missing, no opponent is installed, or a match failed.
pub fn strength(tools: &Tools) -> Result<Measured, CommandError> {
    let runner = runner()?;
    let book = tools.data(BOOK)?;
    let folder = folder()?;
    // Builds play alike at equal nodes, but not on the clock: each has its own logs.
    let build: String = tools.build().chars().filter(|c| c.is_ascii_alphanumeric()).collect();
    let installed: Vec<(&Opponent, PathBuf)> =
        OPPONENTS.iter().filter_map(|opponent| Some((opponent, found(opponent.program)?))).collect();
    if installed.is_empty() {
        return Err(trouble!("no opponent is installed"));
    }
    let mut table = row(&["opponent", "build", "rated", "won", "drawn", "lost", "score", "Elo difference, 95%"])
        + "|---|---|--:|--:|--:|--:|--:|---|\n";
    let mut accidents = [0; 2];
    for (number, (opponent, program)) in installed.iter().enumerate() {
        remark!("    [{}/{}] {}", number + 1, installed.len(), opponent.program);
        let sides = [("Ibex", tools.ibex.as_path()), ("Opponent", program)];
        let limit = Limit::Clock(CONTROL.to_owned());
        let sides = sides.map(|(name, program)| Side { program, name, limit: limit.clone(), options: &[] });
        let place = (folder.as_path(), format!("strength-{build}-{}", opponent.program));
        let result = played(&runner, sides, &book, place, opponent.games, &ADJUDICATED)?;
        accidents.iter_mut().zip(result.accidents).for_each(|(sum, count)| *sum += count);
        table += &result.row(&name_of(program)?, opponent);
    }
    let [ours, theirs] = accidents;
    Ok(Measured {
        table,
        conditions: format!(
            "Ibex by {}; {CONTROL} s by fastchess, two at a time, one thread and 16 MB each, openings UHO_4060_v4 in \
             pairs, {ENDED_EARLY}; games lost on time, by an illegal move or by a crash: Ibex {ours}, all opponents \
             together {theirs}",
            tools.build()
        ),
    })
}

/// Ibex against itself with half of the nodes, at several node counts. A complete match is kept, as in [`strength`].
///
/// # Errors
///
/// One line: fastchess or the book is missing, or a match failed.
pub fn nodes(tools: &Tools) -> Result<Measured, CommandError> {
    let runner = runner()?;
    let book = tools.data(LEVEL_BOOK)?;
    let folder = folder()?;
    let mut table = row(&["nodes", "against", "won", "drawn", "lost", "score", "Elo difference, 95%"])
        + "|--:|--:|--:|--:|--:|--:|---|\n";
    for doubled in NODES {
        remark!("    {doubled} nodes");
        let sides = [("Ibex", doubled), ("Opponent", doubled / 2)];
        let sides =
            sides.map(|(name, nodes)| Side { program: &tools.ibex, name, limit: Limit::Nodes(nodes), options: &[] });
        let place = (folder.as_path(), format!("nodes-{doubled}"));
        let result = played(&runner, sides, &book, place, GAMES, &ADJUDICATED)?;
        table += &row(&[[doubled, doubled / 2].map(amount).to_vec(), result.cells()].concat());
    }
    Ok(Measured {
        table,
        conditions: format!(
            "{GAMES} games each by fastchess, one thread and 16 MB, openings noob_3moves in pairs, {ENDED_EARLY}"
        ),
    })
}

/// A number as the pages write it: `8000`, `16,000`.
pub fn amount(number: u64) -> String {
    if number < 10_000 { number.to_string() } else { format!("{},{:03}", number / 1000, number % 1000) }
}

/// The nodes a move that play against half as many.
const NODES: [u64; 5] = [1000, 2000, 4000, 8000, 16_000];

impl Match {
    /// The games that count.
    pub fn games(&self) -> u32 {
        self.won + self.drawn + self.lost
    }

    fn row(&self, name: &str, opponent: &Opponent) -> String {
        let opponent = vec![name.to_owned(), opponent.build.to_owned(), opponent.rated.to_string()];
        row(&[opponent, self.cells()].concat())
    }

    /// The table cells of the result.
    pub fn cells(&self) -> Vec<String> {
        let score = 100.0 * (f64::from(self.won) + 0.5 * f64::from(self.drawn)) / f64::from(self.games());
        // A value that rounds to zero is +0, not -0.
        let whole = |text: &str| {
            text.parse::<f64>().map_or_else(|_| text.to_owned(), |number| format!("{:+.0}", number.round() + 0.0))
        };
        vec![
            self.won.to_string(),
            self.drawn.to_string(),
            self.lost.to_string(),
            format!("{score:.1}%"),
            match whole(&self.margin).trim_start_matches('+') {
                // A side that hardly scores says little about how much stronger the other is.
                "inf" | "NaN" => whole(&self.elo),
                margin => format!("{} ± {margin}", whole(&self.elo)),
            },
        ]
    }
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

/// The program that plays matches.
///
/// # Errors
///
/// One line: it is missing.
pub fn runner() -> Result<PathBuf, CommandError> {
    found("fastchess").ok_or_else(|| trouble!("fastchess is missing; it must be in the search path"))
}

/// A program in the search path, or in Debian's folder for games.
pub fn found(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain([PathBuf::from("/usr/games")]);
    folders.map(|folder| folder.join(program)).find(|file| file.is_file())
}

/// The name that an engine gives itself.
///
/// # Errors
///
/// One line: the program does not run, or does not use UCI.
pub fn name_of(program: &Path) -> Result<String, CommandError> {
    let text = uci(program)?;
    let name = text.lines().find_map(|line| line.strip_prefix("id name "));
    name.map(|name| name.trim().to_owned()).ok_or_else(|| trouble!("{} is not a UCI engine", program.display()))
}

/// The answer of an engine to `uci`: its name and options.
///
/// # Errors
///
/// One line: the program does not run.
pub fn uci(program: &Path) -> Result<String, CommandError> {
    let mut command = Command::new(program);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(at(program))?;
    if let Some(mut input) = child.stdin.take() {
        input.write_all(b"uci\nquit\n").map_err(at(program))?;
    }
    let output = child.wait_with_output().map_err(at(program))?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// One side of a match.
#[derive(Clone, Debug)]
pub struct Side<'a> {
    pub program: &'a Path,
    /// Its name in results.
    pub name: &'a str,
    /// The limit of its moves, as fastchess writes it.
    pub limit: Limit,
    /// Its own UCI options, not shared by the other side: `NAME=VALUE`.
    pub options: &'a [String],
}

/// The limit of the moves of a side.
#[derive(Clone, Debug)]
pub enum Limit {
    Nodes(u64),
    /// Seconds for a game and for each move: `2+0.02`.
    Clock(String),
}

/// The rules that end games early: a draw that both sides see, and a loss that the loser sees.
pub const ADJUDICATED: [&str; 7] =
    ["-draw", "movenumber=40", "movecount=8", "score=5", "-resign", "movecount=4", "score=900"];

/// The same in words, for the pages.
pub const ENDED_EARLY: &str = "drawn early where both sides see it, lost where the loser does";

/// The command that has fastchess play openings in pairs. It runs in `folder`, because it leaves its settings there.
/// The caller adds what the engines share (`-each`), what ends games early, and the rest.
///
/// # Errors
///
/// One line: a path does not exist.
pub fn fastchess(
    runner: &Path,
    sides: [Side; 2],
    book: &Path,
    rounds: u32,
    folder: &Path,
) -> Result<Command, CommandError> {
    let whole = |path: &Path| fs::canonicalize(path).map_err(at(path));
    let mut command = Command::new(runner);
    for Side { program, name, limit, options } in sides {
        command.args(["-engine", &format!("cmd={}", whole(program)?.display()), &format!("name={name}")]);
        match limit {
            Limit::Nodes(nodes) => command.args(["tc=inf", &format!("nodes={nodes}")]),
            Limit::Clock(control) => command.arg(format!("tc={control}")),
        };
        command.args(options.iter().map(|option| format!("option.{option}")));
    }
    command.args(["-openings", &format!("file={}", whole(book)?.display()), "format=epd", "order=random"]);
    command.args(["-rounds", &rounds.to_string(), "-games", "2", "-repeat", "-recover"]);
    command.current_dir(folder).stdin(Stdio::null()).stderr(Stdio::null());
    Ok(command)
}

/// The settings of a match, in one line: the arguments of fastchess, the names that both engines give themselves, and
/// the checksums of their programs and of the book.
///
/// # Errors
///
/// One line: a file cannot be read, or a program is not an engine.
pub fn settings(command: &Command, programs: [&Path; 2], book: &Path) -> Result<String, CommandError> {
    let [first, second] = programs;
    let names = [name_of(first)?, name_of(second)?];
    Ok(line_of(command, &names, &[checksum(first)?, checksum(second)?, checksum(book)?]))
}

fn line_of(command: &Command, names: &[String; 2], checksums: &[String; 3]) -> String {
    let arguments: Vec<_> = command.get_args().map(|argument| argument.to_string_lossy()).collect();
    let line = format!("fastchess {}; {}; {}", arguments.join(" "), names.join(" against "), checksums.join(" "));
    line.replace(char::is_control, " ")
}

/// The file in which a match with these settings is kept. Other settings use another file.
pub fn kept(folder: &Path, stem: &str, settings: &str, kind: &str) -> PathBuf {
    folder.join(format!("{stem}-{:016x}.{kind}", ibex::checksum::checksum(settings.as_bytes())))
}

/// The match between `Ibex` and `Opponent` that is kept in this folder under a name with this stem. It is played if it
/// is not there, or was played with other settings. `ends` are the rules that end games early.
///
/// # Errors
///
/// One line: the match failed, another run plays it, or a game without a clock was lost by accident.
pub fn played(
    runner: &Path,
    sides: [Side; 2],
    book: &Path,
    (folder, stem): (&Path, String),
    games: u32,
    ends: &[&str],
) -> Result<Match, CommandError> {
    let programs = sides.each_ref().map(|side| side.program);
    let clock = sides.iter().any(|side| matches!(side.limit, Limit::Clock(_)));
    let mut command = fastchess(runner, sides, book, games / 2, folder)?;
    command.args(ends);
    command.args(["-each", "proto=uci", "option.Hash=16", "option.Threads=1"]);
    command.args(["-srand", "15", "-concurrency", "2"]);
    let settings = settings(&command, programs, book)?;
    let log = kept(folder, &stem, &settings, "txt");
    remark!("        {}", log.display());
    let _alone = Held::beside(&log, "another run is playing this match")?;
    let complete = |text: &str| complete(text, &settings, games, clock);
    if let Ok(result) = fs::read_to_string(&log).map_err(CommandError::from).and_then(|text| complete(&text)) {
        return Ok(result);
    }
    let scratch = log.with_extension("running");
    let mut output = fs::File::create(&scratch).map_err(at(&scratch))?;
    writeln!(output, "{settings}").map_err(at(&scratch))?;
    let status = command.stdout(output).status().map_err(at(runner))?;
    let text = fs::read_to_string(&scratch).map_err(at(&scratch))?;
    if !status.success() {
        return Err(trouble!("{}: {status}; {}", runner.display(), scratch.display()));
    }
    let result = complete(&text).map_err(at(&scratch))?;
    fs::rename(&scratch, &log).map_err(at(&log))?;
    Ok(result)
}

/// The match between `Ibex` and `Opponent`, if it is complete and had these settings. With a clock, losses on time
/// happen, and the figure counts them. Without one, an accident is a bug in a program, and the game has no result.
fn complete(text: &str, settings: &str, games: u32, clock: bool) -> Result<Match, CommandError> {
    if text.lines().next() != Some(settings) {
        return Err(trouble!("played with other settings"));
    }
    let result = read_match(text, "Ibex", "Opponent")?;
    if result.games() != games {
        return Err(trouble!("{} of {games} games", result.games()));
    }
    if !clock {
        at_chess(text)?;
    }
    Ok(result)
}

/// Rejects a match with a game lost by accident: on time, by an illegal move or by a crash.
///
/// # Errors
///
/// One line about the first such game.
pub fn at_chess(text: &str) -> Result<(), CommandError> {
    match text.lines().find(|line| white_had_accident(line).is_some()) {
        Some(line) => Err(trouble!("a game was not lost at chess: {line}")),
        None => Ok(()),
    }
}

/// Whether White had the accident that ended the game of this line: a loss on time, by an illegal move or by a crash.
/// `None` if the line is about something else.
fn white_had_accident(line: &str) -> Option<bool> {
    let line = line.strip_prefix("Finished game")?;
    ["loses on time", "illegal move", "disconnects", "stalls"].iter().find_map(|what| {
        let (before, _) = line.split_once(what)?;
        Some(before.rsplit_once('{')?.1.starts_with("White"))
    })
}

/// Reads the last results that fastchess has printed for a match between two engines of these names.
///
/// # Errors
///
/// One line: there are no results, or they are not understood.
pub fn read_match(text: &str, first: &str, second: &str) -> Result<Match, CommandError> {
    let last =
        text.rfind(&format!("Results of {first} vs {second}")).ok_or_else(|| trouble!("the match has no results"))?;
    let line = |start: &str| {
        let found = text[last..].lines().find_map(|line| line.strip_prefix(start));
        found.ok_or_else(|| trouble!("the results lack the line '{start}'"))
    };
    let elo = line("Elo: ")?;
    let (elo, rest) = elo.split_once(" +/- ").ok_or_else(|| trouble!("not understood: Elo: {elo}"))?;
    let margin = rest.split(',').next().unwrap_or_default();
    let games = line("Games: ")?;
    let number = |label: &str| -> Result<u32, CommandError> {
        let fields = games.split(", ").find_map(|field| field.strip_prefix(label));
        fields.and_then(|field| field.parse().ok()).ok_or_else(|| trouble!("not understood: Games: {games}"))
    };
    let (won, lost, drawn) = (number("Wins: ")?, number("Losses: ")?, number("Draws: ")?);
    let mut accidents = [0; 2];
    for line in text.lines() {
        if let Some(white) = white_had_accident(line) {
            accidents[usize::from(white != line.contains(&format!("({first} vs")))] += 1;
        }
    }
    Ok(Match { won, drawn, lost, elo: elo.to_owned(), margin: margin.trim().to_owned(), accidents })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    const SETTINGS: &str = "fastchess -rounds 150; Ibex 1.0.0 against Stockfish 15.1; 12 34 56";
    const RESULTS: &str = "fastchess -rounds 150; Ibex 1.0.0 against Stockfish 15.1; 12 34 56
Finished game 1 (Ibex vs Opponent): 1-0 {Black loses on time}
Finished game 2 (Opponent vs Ibex): 1-0 {Black makes an illegal move: e1e9}
Finished game 3 (Ibex vs Opponent): 1/2-1/2 {Draw by adjudication}
Results of Ibex vs Opponent (2+0.02, 1t, 16MB, UHO_4060_v4.epd):
Elo: 0.00 +/- 1.00, nElo: 0.00 +/- 1.00
Games: 200, Wins: 1, Losses: 1, Draws: 198, Points: 100.0 (50.00 %)
Results of Ibex vs Opponent (2+0.02, 1t, 16MB, UHO_4060_v4.epd):
Elo: -273.40 +/- 43.86, nElo: -430.00 +/- 39.00
LOS: 0.00 %, DrawRatio: 30.00 %, PairsRatio: 0.02
Games: 300, Wins: 30, Losses: 227, Draws: 43, Points: 51.5 (17.17 %)
";

    #[test]
    fn the_last_results_of_a_match_are_read() {
        let result = complete(RESULTS, SETTINGS, GAMES, true).unwrap();
        assert_eq!((result.won, result.drawn, result.lost), (30, 43, 227));
        assert_eq!((result.elo.as_str(), result.margin.as_str()), ("-273.40", "43.86"));
        assert_eq!(result.accidents, [1, 1]);
        let line = result.row("Stockfish 15.1", &OPPONENTS[1]);
        assert_eq!(line, "| Stockfish 15.1 | Debian | 3700 | 30 | 43 | 227 | 17.2% | -273 ± 44 |\n");
    }

    /// Without a clock, a crash is not a chess result, but the figure would count it as one.
    #[test]
    fn at_fixed_nodes_an_accident_is_an_error() {
        let error = complete(RESULTS, SETTINGS, GAMES, false).unwrap_err();
        assert!(error.to_string().contains("game 1 (Ibex vs Opponent): 1-0 {Black loses on time}"), "{error}");
        let fair = RESULTS.lines().filter(|line| white_had_accident(line).is_none()).collect::<Vec<_>>().join("\n");
        assert_eq!(complete(&fair, SETTINGS, GAMES, false).unwrap().accidents, [0, 0]);
    }

    #[test]
    fn an_unfinished_match_is_rejected() {
        let begun = format!("{SETTINGS}\nFinished game 1");
        assert!(complete(&begun, SETTINGS, GAMES, true).unwrap_err().to_string().contains("no results"));
        let with = |from: &str, to: &str| complete(&RESULTS.replace(from, to), SETTINGS, GAMES, true);
        assert!(with("Wins: 30", "Wins: 29").unwrap_err().to_string().contains("299 of 300"));
        assert!(with("Elo: ", "Glicko: ").unwrap_err().to_string().contains("lack"));
        let won = with("-273.40 +/- 43.86", "inf +/- nan").unwrap();
        assert!(won.row("Stockfish 15.1", &OPPONENTS[1]).ends_with("| +inf |\n"));
    }

    /// A match is kept for its settings: limits, options, openings, early ends, programs and their names.
    #[test]
    fn a_match_with_other_settings_is_rejected() {
        let other = SETTINGS.replace("34", "35");
        assert!(complete(RESULTS, &other, GAMES, true).unwrap_err().to_string().contains("other settings"));
        let without = RESULTS.split_once('\n').unwrap().1;
        assert!(complete(without, SETTINGS, GAMES, true).unwrap_err().to_string().contains("other settings"));
        let command = |nodes, ends: &[&str]| {
            let side = |name| Side { program: Path::new("."), name, limit: Limit::Nodes(nodes), options: &[] };
            let folder = Path::new(".");
            let mut command =
                fastchess(Path::new("fastchess"), [side("Ibex"), side("Opponent")], folder, 150, folder).unwrap();
            command.args(ends);
            command
        };
        let line = |command: &Command, name: &str, checksum: &str| {
            let names = ["Ibex 1.0.0".to_owned(), name.to_owned()];
            line_of(command, &names, &["12", checksum, "56"].map(str::to_owned))
        };
        let lines = [
            line(&command(1000, &ADJUDICATED), "Stockfish 15.1", "34"),
            line(&command(2000, &ADJUDICATED), "Stockfish 15.1", "34"),
            line(&command(1000, &[]), "Stockfish 15.1", "34"),
            line(&command(1000, &ADJUDICATED), "Stockfish 16", "34"),
            line(&command(1000, &ADJUDICATED), "Stockfish 15.1", "35"),
        ];
        let files = lines.each_ref().map(|line| kept(Path::new("x"), "strength", line, "txt"));
        assert_eq!(std::collections::BTreeSet::from(files).len(), lines.len());
        assert!(lines[0].contains(" nodes=1000 ") && lines[0].contains("score=900; Ibex 1.0.0 against Stockfish 15.1"));
        assert_eq!(line(&command(1, &["a\nb"]), "c\rd", "e").lines().count(), 1);
    }

    #[test]
    fn results_without_known_sources_are_discarded() {
        let scratch = Scratch::new("kept");
        for (sources, stays) in [(Some("0123"), true), (None, false)] {
            let folder = folder_in(&scratch.0, "827854", sources).unwrap();
            fs::write(folder.join("nodes-1000.txt"), RESULTS).unwrap();
            assert_eq!(folder_in(&scratch.0, "827854", sources).unwrap(), folder);
            assert_eq!(folder.join("nodes-1000.txt").exists(), stays);
        }
    }
}
