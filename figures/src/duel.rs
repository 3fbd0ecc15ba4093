//! A game between two engines over UCI.

use std::fmt::{self, Display};
use std::io::{BufRead, BufReader, Write};
use std::num::NonZeroU64;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use ibex::engine::MOST_NODES_TIME;
use ibex::position::game::Ending;
use ibex::position::notation::{Action, read_action, uci};
use ibex::position::{Game, Position};
use serde::{Deserialize, Serialize};
use terminal::{CommandError, trouble};

use crate::measure::at;

/// A game is drawn from this move on if both sides see at most [`LEVEL`] for [`LEVEL_PLIES`] plies.
const DRAWN_FROM: usize = 40;
/// Centipawns.
const LEVEL: i32 = 5;
const LEVEL_PLIES: usize = 16;
/// A side that sees itself so far behind, in centipawns, in [`LOST_MOVES`] moves in a row has lost.
const LOST: i32 = 900;
/// The same where both sides must see it.
const AGREED: i32 = 1000;
const LOST_MOVES: usize = 4;
/// A longer game is drawn.
const LONGEST: usize = 600;
/// The score of a mate, in centipawns.
pub const MATE: i32 = 30_000;

/// The limit of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    Nodes(u64),
    /// Milliseconds for a game or for each session of moves, and for each move. With a pace the clock counts
    /// nodes, and the pace is the nodes of a millisecond: the games of one thread are the same on every machine,
    /// however busy.
    Clock {
        session: Option<NonZeroU64>,
        base: u64,
        increment: u64,
        pace: Option<NonZeroU64>,
    },
}

impl Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Limit::Nodes(nodes) => write!(f, "nodes {nodes}"),
            Limit::Clock { session, base, increment, pace } => {
                let session = session.map_or_else(String::new, |moves| format!("{moves}/"));
                let pace = pace.map_or_else(String::new, |pace| format!("@{pace}"));
                write!(f, "clock {session}{base}+{increment}{pace}")
            }
        }
    }
}

impl Limit {
    /// The limit in words, for pages: `40000 nodes`, `8 s + 0.08 s`, `40 moves in 8 s + 0 s`.
    pub fn words(self) -> String {
        let seconds = |milliseconds: u64| milliseconds as f64 / 1000.0;
        match self {
            Limit::Nodes(nodes) => format!("{nodes} nodes"),
            Limit::Clock { session, base, increment, pace } => {
                let session = session.map_or_else(String::new, |moves| format!("{moves} moves in "));
                let pace = pace.map_or_else(String::new, |pace| format!(" of {pace} nodes/ms"));
                format!("{session}{} s + {} s{pace}", seconds(base), seconds(increment))
            }
        }
    }
}

/// Reads a clock: `8+0.08`, `40/8+0.08` if the eight seconds are for forty moves, `8+0.08@1000` if 1000 nodes count as a
/// millisecond.
///
/// # Errors
///
/// It is none.
pub fn clock(text: &str) -> Result<Limit, String> {
    let milliseconds = |text: &str| {
        let seconds: f64 = text.parse().ok()?;
        (0.0..1e6).contains(&seconds).then(|| (seconds * 1000.0).round() as u64)
    };
    let nodes = format!("up to {MOST_NODES_TIME} nodes a millisecond, 8+0.08@1000");
    let expected = format!("expected seconds and increment, 8+0.08, perhaps with moves, 40/8+0.08, and {nodes}");
    clock_in(text, milliseconds).ok_or(expected)
}

/// Reads a clock whose times are written as `milliseconds` reads them; `None` if it is none.
pub fn clock_in(text: &str, milliseconds: impl Fn(&str) -> Option<u64>) -> Option<Limit> {
    let (time, pace) = match text.split_once('@') {
        Some((time, pace)) => {
            (time, Some(pace.parse().ok().filter(|pace: &NonZeroU64| pace.get() <= MOST_NODES_TIME)?))
        }
        None => (text, None),
    };
    let (session, time) = match time.split_once('/') {
        Some((moves, time)) => (Some(moves.parse().ok()?), time),
        None => (None, time),
    };
    let (base, increment) = time.split_once('+').unwrap_or((time, "0"));
    let (base, increment) = (milliseconds(base)?, milliseconds(increment)?);
    (base > 0).then_some(Limit::Clock { session, base, increment, pace })
}

/// The rules that end a game early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    /// A game is drawn where both sides see a draw, and lost where the loser sees it.
    Early,
    /// A game is lost where the loser sees it; draws are played out.
    Lost,
    /// A game is lost where both sides see ten pawns; draws are played out.
    Agreed,
}

/// The result of a game, for the first player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Outcome {
    Won,
    Drawn,
    Lost,
}

impl Outcome {
    pub const ALL: [Outcome; 3] = [Outcome::Won, Outcome::Drawn, Outcome::Lost];

    /// The result for the other player.
    pub fn reversed(self) -> Outcome {
        match self {
            Outcome::Won => Outcome::Lost,
            Outcome::Drawn => Outcome::Drawn,
            Outcome::Lost => Outcome::Won,
        }
    }
}

/// A game that was played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Played {
    /// For the player who moved first.
    pub outcome: Outcome,
    /// The loser's clock has run out.
    pub on_time: bool,
    /// For each move, the men on the board before it and the mover's score in centipawns.
    pub scores: Vec<(usize, i32)>,
}

/// The answer of a player: its move in UCI, its score in centipawns, and the nodes that it searched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    pub best: String,
    pub score: i32,
    pub nodes: u64,
}

/// A player of a game.
pub trait Player {
    /// Forgets the game before.
    ///
    /// # Errors
    ///
    /// It does not answer.
    fn new_game(&mut self) -> Result<(), CommandError>;
    /// Its move, after these moves from this position. `clock` has the milliseconds of White and Black.
    ///
    /// # Errors
    ///
    /// It does not answer.
    fn choose(&mut self, start: &str, moves: &[String], limit: Limit, clock: [u64; 2]) -> Result<Answer, CommandError>;
}

/// A running engine.
pub struct Program {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    /// The name that it gives itself.
    pub name: String,
}

impl Program {
    /// Starts an engine.
    ///
    /// # Errors
    ///
    /// It does not run, or does not use UCI.
    pub fn start(program: &Path) -> Result<Program, CommandError> {
        let mut command = Command::new(program);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        // An interruption is for this program, which then ends its engines.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().map_err(at(program))?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (input, output) = pipes.ok_or_else(|| trouble!("{} has no pipes", program.display()))?;
        let mut engine = Program { child, input, output: BufReader::new(output), name: String::new() };
        let mut name = None;
        let spoken = engine.say("uci").and_then(|()| {
            engine.until("uciok", |line| name = name.take().or_else(|| Some(line.strip_prefix("id name ")?.to_owned())))
        });
        match (spoken, name) {
            (Ok(_), Some(name)) => engine.name = name.trim().to_owned(),
            _ => return Err(trouble!("{} is not a UCI engine", program.display())),
        }
        Ok(engine)
    }

    /// Sets an option.
    ///
    /// # Errors
    ///
    /// The engine has ended.
    pub fn set(&mut self, name: &str, value: impl Display) -> Result<(), CommandError> {
        self.say(&format!("setoption name {name} value {value}"))
    }

    fn say(&mut self, line: &str) -> Result<(), CommandError> {
        writeln!(self.input, "{line}").map_err(|error| trouble!("the engine has ended: {error}"))
    }

    /// The next line that begins with a word; `pass` sees those before it.
    fn until(&mut self, word: &str, mut pass: impl FnMut(&str)) -> Result<String, CommandError> {
        let mut line = Vec::new();
        loop {
            line.clear();
            if self.output.read_until(b'\n', &mut line)? == 0 {
                return Err(trouble!("the engine {} has ended before '{word}'", self.name));
            }
            let line = String::from_utf8_lossy(&line);
            if line.split_whitespace().next() == Some(word) {
                return Ok(line.trim_end().to_owned());
            }
            pass(&line);
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Player for Program {
    fn new_game(&mut self) -> Result<(), CommandError> {
        self.say("ucinewgame\nisready")?;
        self.until("readyok", |_| ()).map(drop)
    }

    fn choose(
        &mut self,
        start: &str,
        moves: &[String],
        limit: Limit,
        [white, black]: [u64; 2],
    ) -> Result<Answer, CommandError> {
        let own = moves.len() as u64 / 2;
        let moves = if moves.is_empty() { String::new() } else { format!(" moves {}", moves.join(" ")) };
        self.say(&format!("position fen {start}{moves}"))?;
        self.say(&match limit {
            Limit::Nodes(nodes) => format!("go nodes {nodes}"),
            Limit::Clock { session, increment, .. } => {
                let session = session.map_or_else(String::new, |of| format!(" movestogo {}", of.get() - own % of));
                format!("go wtime {white} btime {black} winc {increment} binc {increment}{session}")
            }
        })?;
        let (mut score, mut nodes) = (0, 0);
        let line = self.until("bestmove", |line| {
            score = score_of(line).unwrap_or(score);
            nodes = nodes_of(line).unwrap_or(nodes);
        })?;
        let best = line.split_whitespace().nth(1).unwrap_or_default().to_owned();
        Ok(Answer { best, score, nodes })
    }
}

/// The name that an engine gives itself.
///
/// # Errors
///
/// It does not run, or does not use UCI.
pub fn name_of(program: &Path) -> Result<String, CommandError> {
    Ok(Program::start(program)?.name.clone())
}

/// The score of an info line, in centipawns; `None` if it has none.
fn score_of(line: &str) -> Option<i32> {
    let mut words = line.split_whitespace().skip_while(|&word| word != "score").skip(1);
    match (words.next()?, words.next()?.parse::<i32>().ok()?) {
        ("cp", score) => Some(score.clamp(-MATE, MATE)),
        ("mate", moves) => Some(if moves > 0 { MATE } else { -MATE }),
        _ => None,
    }
}

/// The nodes of an info line; `None` if it has none.
fn nodes_of(line: &str) -> Option<u64> {
    let mut words = line.strip_prefix("info ")?.split_whitespace().take_while(|&word| word != "string");
    words.find(|&word| word == "nodes")?;
    words.next()?.parse().ok()
}

/// Plays a game from an opening; `limits` are those of the players.
///
/// # Errors
///
/// A player fails, or plays no legal move.
pub fn game(
    mut players: [&mut dyn Player; 2],
    opening: &Position,
    limits: [Limit; 2],
    ends: Ends,
) -> Result<Played, CommandError> {
    for player in &mut players {
        player.new_game()?;
    }
    let start = opening.fen();
    let mut game = Game::new(*opening);
    let (mut moves, mut scores, mut men) = (Vec::new(), Vec::new(), Vec::new());
    // The clocks of the players; without one, it shows an hour for ever.
    let mut clocks = limits.map(|limit| match limit {
        Limit::Nodes(_) => Duration::from_secs(3600),
        Limit::Clock { base, .. } => Duration::from_millis(base),
    });
    let (outcome, on_time) = loop {
        let mover = moves.len() % 2;
        let lost = if mover == 0 { Outcome::Lost } else { Outcome::Won };
        match game.outcome() {
            Some(Ending::Checkmate) => break (lost, false),
            Some(_) => break (Outcome::Drawn, false),
            None if moves.len() >= LONGEST => break (Outcome::Drawn, false),
            None => (),
        }
        let begun = Instant::now();
        let mut left = clocks.map(|clock| clock.as_millis().try_into().unwrap_or(u64::MAX));
        if game.position().turn().is_white() != (mover == 0) {
            left.reverse();
        }
        let answer = players[mover].choose(&start, &moves, limits[mover], left)?;
        if let Limit::Clock { session, base, increment, pace } = limits[mover] {
            let spent = pace.map_or_else(|| begun.elapsed(), |pace| Duration::from_millis(answer.nodes / pace));
            let Some(rest) = clocks[mover].checked_sub(spent) else { break (lost, true) };
            let own = moves.len() as u64 / 2 + 1;
            let more = if session.is_some_and(|session| own % session == 0) { base } else { 0 };
            clocks[mover] = rest + Duration::from_millis(increment + more);
        }
        let action = read_action(game.position(), &answer.best);
        let Ok(Action::Move(m)) = action else {
            return Err(trouble!("'{}' is no legal move in {}", answer.best, game.position().fen()));
        };
        men.push(game.position().men());
        moves.push(uci(game.position(), m));
        game.play(m);
        scores.push(answer.score);
        if ends.is_lost(&scores) {
            break (lost, false);
        }
        if ends == Ends::Early && is_level(&scores, opening.fullmoves().get() as usize) {
            break (Outcome::Drawn, false);
        }
    };
    Ok(Played { outcome, on_time, scores: men.into_iter().zip(scores).collect() })
}

impl Ends {
    /// Whether the side that has just moved has lost. Scores are the movers'.
    fn is_lost(self, scores: &[i32]) -> bool {
        let last = |side: usize| scores.iter().rev().skip(side).step_by(2).take(LOST_MOVES);
        let own = |least: i32| last(0).count() == LOST_MOVES && last(0).all(|&score| score <= -least);
        match self {
            Ends::Early | Ends::Lost => own(LOST),
            Ends::Agreed => own(AGREED) && last(1).count() == LOST_MOVES && last(1).all(|&score| score >= AGREED),
        }
    }
}

/// Whether both sides see a draw, and have for some plies. `first` is the number of the opening's move.
fn is_level(scores: &[i32], first: usize) -> bool {
    first + scores.len() / 2 >= DRAWN_FROM
        && scores.len() >= LEVEL_PLIES
        && scores.iter().rev().take(LEVEL_PLIES).all(|score| score.abs() <= LEVEL)
}

/// A player for tests: it plays the moves of a list.
#[cfg(test)]
pub mod script {
    use super::*;

    /// Plays the moves of a list, with one score; each takes this time.
    pub struct Script(pub Vec<&'static str>, pub i32, pub Duration);

    impl Player for Script {
        fn new_game(&mut self) -> Result<(), CommandError> {
            Ok(())
        }

        fn choose(&mut self, _: &str, moves: &[String], _: Limit, _: [u64; 2]) -> Result<Answer, CommandError> {
            std::thread::sleep(self.2);
            let best = self.0[moves.len() / 2 % self.0.len()].to_owned();
            Ok(Answer { best, score: self.1, nodes: 500 })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::script::Script;
    use super::*;
    use ibex::position::notation::read_fen;

    fn played(
        fen: &str,
        first: (&[&'static str], i32),
        second: (&[&'static str], i32),
    ) -> Result<Outcome, CommandError> {
        let script = |(moves, score): (&[&'static str], i32)| Script(moves.to_vec(), score, Duration::ZERO);
        let (mut first, mut second) = (script(first), script(second));
        let opening = read_fen(fen).unwrap();
        game([&mut first, &mut second], &opening, [Limit::Nodes(1); 2], Ends::Early).map(|played| played.outcome)
    }

    #[test]
    fn games_end_by_the_rules_of_chess() {
        let mate = "6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1";
        assert_eq!(played(mate, (&["d1d8"], 900), (&["g8f8"], -500)).unwrap(), Outcome::Won);
        let mated = "k2r4/8/8/8/8/8/P4PPP/6K1 w - - 0 1";
        assert_eq!(played(mated, (&["a2a3"], 0), (&["d8d1"], 300)).unwrap(), Outcome::Lost);
        let stalemate = "k7/8/1K6/8/8/8/8/2Q5 w - - 0 1";
        assert_eq!(played(stalemate, (&["c1c7"], 900), (&["a8b8"], -500)).unwrap(), Outcome::Drawn);
    }

    #[test]
    fn a_repetition_is_a_draw_and_an_illegal_move_an_error() {
        let fen = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
        let (white, black) = (["e1d1", "d1e1"], ["e8d8", "d8e8"]);
        assert_eq!(played(fen, (&white, 90), (&black, -90)).unwrap(), Outcome::Drawn);
        let error = played(fen, (&["e2e5"], 0), (&black, 0)).unwrap_err().to_string();
        assert!(error.starts_with("'e2e5' is no legal move in 4k3/"), "{error}");
    }

    /// The second player, Black, has a clock, and the first has none.
    #[test]
    fn who_has_no_time_left_has_lost() {
        let mut white = Script(vec!["e1d1", "d1e1"], 0, Duration::from_millis(30));
        let mut black = Script(vec!["e8d8", "d8e8"], 0, Duration::from_millis(20));
        let opening = read_fen("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1").unwrap();
        let limits = [Limit::Nodes(1), clock("0.05").unwrap()];
        let played = game([&mut white, &mut black], &opening, limits, Ends::Early).unwrap();
        assert_eq!((played.outcome, played.on_time), (Outcome::Won, true));
        assert!(played.scores.iter().all(|&score| score == (3, 0)) && played.scores.len() < 6, "{played:?}");
    }

    /// 500 nodes a move at 100 a millisecond are 5 of 12 milliseconds, whatever the real time.
    #[test]
    fn a_clock_may_count_nodes() {
        let mut white = Script(vec!["e1d1", "d1e1"], 0, Duration::from_millis(30));
        let mut black = Script(vec!["e8d8", "d8e8"], 0, Duration::ZERO);
        let opening = read_fen("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1").unwrap();
        let limits = [clock("0.012@100").unwrap(), Limit::Nodes(1)];
        let played = game([&mut white, &mut black], &opening, limits, Ends::Lost).unwrap();
        assert_eq!((played.outcome, played.on_time, played.scores.len()), (Outcome::Lost, true, 4));
    }

    /// A move takes 5 of 12 milliseconds, so the time suffices for sessions of two moves, and not of three.
    #[test]
    fn each_session_brings_its_time() {
        let play = |control| {
            let mut white = Script(vec!["e1d1", "d1e1"], 0, Duration::ZERO);
            let mut black = Script(vec!["e8d8", "d8e8"], 0, Duration::ZERO);
            let opening = read_fen("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1").unwrap();
            let limits = [clock(control).unwrap(), Limit::Nodes(1)];
            let played = game([&mut white, &mut black], &opening, limits, Ends::Lost).unwrap();
            (played.outcome, played.on_time, played.scores.len())
        };
        assert_eq!(play("3/0.012@100"), (Outcome::Lost, true, 4));
        assert_eq!(play("2/0.012@100"), (Outcome::Drawn, false, 8));
    }

    #[test]
    fn both_sides_must_see_a_draw_and_the_loser_the_loss() {
        for ends in [Ends::Early, Ends::Lost] {
            assert!(ends.is_lost(&[50, -900, 50, -950, 50, -2000, 50, -900]));
            assert!(!ends.is_lost(&[900, -900, 900, -950, 900, -899, 900, -900]));
            assert!(!ends.is_lost(&[-900, -950]));
        }
        assert!(Ends::Agreed.is_lost(&[1000, -1000, 1000, -1000, 1000, -1000, 1000, -1000]));
        assert!(!Ends::Agreed.is_lost(&[1000, -1000, 999, -1000, 1000, -1000, 1000, -1000]));
        assert!(!Ends::Agreed.is_lost(&[1000, -1000, 1000, -999, 1000, -1000, 1000, -1000]));
        let level = [5; LEVEL_PLIES];
        assert!(is_level(&level, 32) && !is_level(&level, 31) && !is_level(&level[1..], 60));
        let mut seen = level;
        seen[3] = -6;
        assert!(!is_level(&seen, 60));
    }

    #[test]
    fn scores_are_read_from_info_lines() {
        assert_eq!(score_of("info depth 5 score cp -31 lowerbound nodes 9"), Some(-31));
        assert_eq!(score_of("info depth 5 score mate -3 nodes 9"), Some(-MATE));
        assert_eq!(score_of("info depth 5 score cp -2147483648"), Some(-MATE));
        assert_eq!(score_of("info string score"), None);
        assert_eq!(score_of("info depth 5"), None);
        assert_eq!(nodes_of("info depth 5 score cp -31 nodes 987 nps 12"), Some(987));
        assert_eq!(nodes_of("info depth 5 score cp -31 nps 12"), None);
        assert_eq!(nodes_of("info depth 5 nodes"), None);
        assert_eq!(nodes_of("info string nodes 5"), None);
    }

    #[test]
    fn clocks_are_read() {
        let read = |session, base, increment, pace| {
            Ok(Limit::Clock { session: NonZeroU64::new(session), base, increment, pace: NonZeroU64::new(pace) })
        };
        assert_eq!(clock("8+0.08"), read(0, 8000, 80, 0));
        assert_eq!(clock("60"), read(0, 60_000, 0, 0));
        assert_eq!(clock("2+0.02@500"), read(0, 2000, 20, 500));
        assert_eq!(clock("40/8+0.08@500"), read(40, 8000, 80, 500));
        assert_eq!(clock("2+0.02@500").unwrap().words(), "2 s + 0.02 s of 500 nodes/ms");
        assert_eq!(clock("40/8").unwrap().words(), "40 moves in 8 s + 0 s");
        for wrong in
            ["", "+1", "8+", "0+1", "-1+0", "x", "1e9", "8@", "8@0", "8@x", "8@10001", "@8", "0/8", "/8", "x/8", "4/"]
        {
            assert!(clock(wrong).is_err(), "{wrong}");
        }
    }
}
