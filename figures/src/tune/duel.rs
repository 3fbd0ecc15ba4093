//! Games between two engines of one program with different numbers, over UCI.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use ibex::position::game::Ending;
use ibex::position::notation::{Action, read_action, uci};
use ibex::position::{Game, Position};
use terminal::{CommandError, trouble};

use super::state::Limit;
use crate::measure::at;

/// A game is drawn from this move on if both sides see at most [`LEVEL`] for [`LEVEL_PLIES`] plies.
const DRAWN_FROM: usize = 40;
/// Centipawns.
const LEVEL: i32 = 5;
const LEVEL_PLIES: usize = 16;
/// A side that sees itself so far behind, in centipawns, in [`LOST_MOVES`] moves in a row has lost.
const LOST: i32 = 900;
const LOST_MOVES: usize = 4;
/// A longer game is drawn.
const LONGEST: usize = 600;
/// The score of a mate, in centipawns.
const MATE: i32 = 30_000;

/// The result of a game, for the first player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Won,
    Drawn,
    Lost,
}

impl Outcome {
    /// The result for the other player.
    pub fn reversed(self) -> Outcome {
        match self {
            Outcome::Won => Outcome::Lost,
            Outcome::Drawn => Outcome::Drawn,
            Outcome::Lost => Outcome::Won,
        }
    }
}

/// The answer of a player: its move in UCI, and its score in centipawns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    pub best: String,
    pub score: i32,
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
}

impl Program {
    /// Starts an engine with this hash, in MiB.
    ///
    /// # Errors
    ///
    /// It does not run.
    pub fn start(program: &Path, hash: u32) -> Result<Program, CommandError> {
        let mut command = Command::new(program);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        // An interruption is for this program, which then ends its engines.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().map_err(at(program))?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (input, output) = pipes.ok_or_else(|| trouble!("{} has no pipes", program.display()))?;
        let mut engine = Program { child, input, output: BufReader::new(output) };
        engine.say(&format!("setoption name Hash value {hash}"))?;
        Ok(engine)
    }

    /// Sets a parameter.
    ///
    /// # Errors
    ///
    /// The engine has ended.
    pub fn set(&mut self, name: &str, value: i32) -> Result<(), CommandError> {
        self.say(&format!("setoption name {name} value {value}"))
    }

    fn say(&mut self, line: &str) -> Result<(), CommandError> {
        writeln!(self.input, "{line}").map_err(|error| trouble!("the engine has ended: {error}"))
    }

    /// The next line that begins with a word; `pass` sees those before it.
    fn until(&mut self, word: &str, mut pass: impl FnMut(&str)) -> Result<String, CommandError> {
        let mut line = String::new();
        loop {
            line.clear();
            if self.output.read_line(&mut line)? == 0 {
                return Err(trouble!("the engine has ended before '{word}'"));
            }
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
        let moves = if moves.is_empty() { String::new() } else { format!(" moves {}", moves.join(" ")) };
        self.say(&format!("position fen {start}{moves}"))?;
        self.say(&match limit {
            Limit::Nodes(nodes) => format!("go nodes {nodes}"),
            Limit::Clock { increment, .. } => {
                format!("go wtime {white} btime {black} winc {increment} binc {increment}")
            }
        })?;
        let mut score = 0;
        let line = self.until("bestmove", |line| score = score_of(line).unwrap_or(score))?;
        let best = line.split_whitespace().nth(1).unwrap_or_default().to_owned();
        Ok(Answer { best, score })
    }
}

/// The score of an info line, in centipawns; `None` if it has none.
fn score_of(line: &str) -> Option<i32> {
    let mut words = line.split_whitespace().skip_while(|&word| word != "score").skip(1);
    match (words.next()?, words.next()?.parse::<i32>().ok()?) {
        ("cp", score) => Some(score),
        ("mate", moves) => Some(if moves > 0 { MATE } else { -MATE }),
        _ => None,
    }
}

/// Plays a game from an opening; the result is for the player who moves first.
///
/// # Errors
///
/// A player fails, or plays no legal move.
pub fn game(mut players: [&mut dyn Player; 2], opening: &Position, limit: Limit) -> Result<Outcome, CommandError> {
    for player in &mut players {
        player.new_game()?;
    }
    let start = opening.fen();
    let mut game = Game::new(*opening);
    let (mut moves, mut scores) = (Vec::new(), Vec::new());
    let (base, increment) = match limit {
        Limit::Nodes(_) => (0, 0),
        Limit::Clock { base, increment } => (base, increment),
    };
    // The clocks of White and Black.
    let mut clocks = [Duration::from_millis(base); 2];
    loop {
        let mover = moves.len() % 2;
        let lost = if mover == 0 { Outcome::Lost } else { Outcome::Won };
        match game.outcome() {
            Some(Ending::Checkmate) => return Ok(lost),
            Some(_) => return Ok(Outcome::Drawn),
            None if moves.len() >= LONGEST => return Ok(Outcome::Drawn),
            None => (),
        }
        let begun = Instant::now();
        let left = clocks.map(|clock| clock.as_millis().try_into().unwrap_or(u64::MAX));
        let answer = players[mover].choose(&start, &moves, limit, left)?;
        if matches!(limit, Limit::Clock { .. }) {
            let clock = &mut clocks[usize::from(game.position().turn().is_black())];
            match clock.checked_sub(begun.elapsed()) {
                Some(rest) => *clock = rest + Duration::from_millis(increment),
                None => return Ok(lost),
            }
        }
        let action = read_action(game.position(), &answer.best);
        let Ok(Action::Move(m)) = action else {
            return Err(trouble!("'{}' is no legal move in {}", answer.best, game.position().fen()));
        };
        moves.push(uci(game.position(), m));
        game.play(m);
        scores.push(answer.score);
        if is_given_up(&scores) {
            return Ok(lost);
        }
        if is_level(&scores, opening.fullmoves().get() as usize) {
            return Ok(Outcome::Drawn);
        }
    }
}

/// Whether the side that has just moved sees itself lost, and has for some moves. Scores are the movers'.
fn is_given_up(scores: &[i32]) -> bool {
    let own = || scores.iter().rev().step_by(2).take(LOST_MOVES);
    own().count() == LOST_MOVES && own().all(|&score| score <= -LOST)
}

/// Whether both sides see a draw, and have for some plies. `first` is the number of the opening's move.
fn is_level(scores: &[i32], first: usize) -> bool {
    first + scores.len() / 2 >= DRAWN_FROM
        && scores.len() >= LEVEL_PLIES
        && scores.iter().rev().take(LEVEL_PLIES).all(|score| score.abs() <= LEVEL)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ibex::position::notation::read_fen;

    /// Plays the moves of a list, with one score.
    struct Script(Vec<&'static str>, i32);

    impl Player for Script {
        fn new_game(&mut self) -> Result<(), CommandError> {
            Ok(())
        }

        fn choose(&mut self, _: &str, moves: &[String], _: Limit, _: [u64; 2]) -> Result<Answer, CommandError> {
            let best = self.0[moves.len() / 2 % self.0.len()].to_owned();
            Ok(Answer { best, score: self.1 })
        }
    }

    fn played(
        fen: &str,
        first: (&[&'static str], i32),
        second: (&[&'static str], i32),
    ) -> Result<Outcome, CommandError> {
        let (mut first, mut second) = (Script(first.0.to_vec(), first.1), Script(second.0.to_vec(), second.1));
        game([&mut first, &mut second], &read_fen(fen).unwrap(), Limit::Nodes(1))
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

    #[test]
    fn both_sides_must_see_a_draw_and_the_loser_the_loss() {
        assert!(is_given_up(&[50, -900, 50, -950, 50, -2000, 50, -900]));
        assert!(!is_given_up(&[900, -900, 900, -950, 900, -899, 900, -900]));
        assert!(!is_given_up(&[-900, -950]));
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
        assert_eq!(score_of("info string score"), None);
        assert_eq!(score_of("info depth 5"), None);
    }
}
