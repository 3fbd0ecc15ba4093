//! One game of the engine against itself, from the opening to an honest result.

use clap::Args;
use shakmaty::{Color, Move};

use super::openings::Openings;
use super::random::Random;
use super::record::{GameResult, Record, Step, plies_before};
use crate::position::Game;
use crate::position::game::Ending;
use crate::score::Score;

/// Who chooses the moves: the engine, or a script in tests.
pub trait Player {
    /// Forgets everything of the last game, so that a game depends on its own seed only.
    fn new_game(&mut self);
    /// The move and its score for the side to move; none where no move is legal.
    fn choose(&mut self, game: &Game) -> Option<(Move, Score)>;
}

/// When a game is decided before the rules end it. Every rule needs the agreement of both sides for some plies.
#[derive(Args, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Adjudication {
    /// Use an opening if its first score is at most this many centipawns
    #[arg(long, default_value_t = 400, value_name = "CP", value_parser = clap::value_parser!(i32).range(0..))]
    pub opening_limit: i32,
    /// A side wins that is this many centipawns ahead...
    #[arg(long, default_value_t = 2500, value_name = "CP", value_parser = clap::value_parser!(i32).range(1..))]
    pub win_score: i32,
    /// ...for this many half-moves in a row
    #[arg(long, default_value_t = 4, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(1..))]
    pub win_plies: u32,
    /// A game is drawn whose score is at most this many centipawns...
    #[arg(long, default_value_t = 8, value_name = "CP", value_parser = clap::value_parser!(i32).range(0..))]
    pub draw_score: i32,
    /// ...for this many half-moves in a row...
    #[arg(long, default_value_t = 10, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(1..))]
    pub draw_plies: u32,
    /// ...after this many half-moves
    #[arg(long, default_value_t = 80, value_name = "PLY")]
    pub draw_from: u32,
    /// Throw a game away that lasts longer than this many half-moves: it has no result
    #[arg(long, default_value_t = 500, value_name = "PLY", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_plies: u32,
}

impl Default for Adjudication {
    fn default() -> Adjudication {
        Adjudication {
            opening_limit: 400,
            win_score: 2500,
            win_plies: 4,
            draw_score: 8,
            draw_plies: 10,
            draw_from: 80,
            max_plies: 500,
        }
    }
}

/// Plays one game, drawing openings until one is balanced and its game has a result.
pub fn play(player: &mut impl Player, openings: &Openings, adjudication: &Adjudication, random: &mut Random) -> Record {
    loop {
        player.new_game();
        let opening = openings.draw(random);
        if let Some(record) = play_from(player, Game::new(opening), adjudication) {
            return record;
        }
    }
}

/// Plays a game to its end; none where the opening is lopsided or the game has no result.
fn play_from(player: &mut impl Player, mut game: Game, rules: &Adjudication) -> Option<Record> {
    let start = game.position().chess().clone();
    let mut steps: Vec<Step> = Vec::with_capacity(160);
    let mut ply = plies_before(&start);
    let (mut winning, mut level) = (0u32, 0u32);
    let mut leader = None;
    loop {
        if let Some(ending) = game.outcome() {
            let result = match ending {
                Ending::Checkmate => GameResult::win(!game.position().turn()),
                _ => GameResult::Draw,
            };
            return Some(Record { start, steps, result }).filter(|record| !record.steps.is_empty());
        }
        if ply >= rules.max_plies {
            return None;
        }
        let turn = game.position().turn();
        let (chosen, score) = player.choose(&game)?;
        let cp = score.cp();
        if steps.is_empty() && cp.abs() > rules.opening_limit {
            return None;
        }
        let white_cp = if turn == Color::White { cp } else { -cp };
        // Proven scores reach 30,000, within 16 bits.
        steps.push(Step { chosen, score: white_cp.clamp(-32_000, 32_000) as i16 });

        let ahead = Color::from_white(white_cp > 0);
        if score.is_mate() {
            return Some(Record { start, steps, result: GameResult::win(ahead) });
        }
        winning = match white_cp.abs() >= rules.win_score {
            true if leader == Some(ahead) => winning + 1,
            true => 1,
            false => 0,
        };
        leader = (winning > 0).then_some(ahead);
        if winning >= rules.win_plies {
            return Some(Record { start, steps, result: GameResult::win(ahead) });
        }
        level = if ply >= rules.draw_from && white_cp.abs() <= rules.draw_score { level + 1 } else { 0 };
        if level >= rules.draw_plies {
            return Some(Record { start, steps, result: GameResult::Draw });
        }
        game.play(chosen);
        ply += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Position;
    use shakmaty::CastlingMode;

    /// Plays the first legal move and says what the script says, from White's view.
    struct Script<F: Fn(usize) -> i32> {
        said: usize,
        script: F,
    }

    impl<F: Fn(usize) -> i32> Player for Script<F> {
        fn new_game(&mut self) {
            self.said = 0;
        }

        fn choose(&mut self, game: &Game) -> Option<(Move, Score)> {
            let cp = (self.script)(self.said);
            self.said += 1;
            let sign = if game.position().turn() == Color::White { 1 } else { -1 };
            Some((game.position().legal_moves()[0], Score::heuristic(sign * cp)))
        }
    }

    fn game(fen: Option<&str>, script: impl Fn(usize) -> i32) -> Option<Record> {
        let position =
            fen.map_or_else(Position::startpos, |fen| Position::from_fen(fen, CastlingMode::Standard).unwrap());
        play_from(&mut Script { said: 0, script }, Game::new(position), &Adjudication::default())
    }

    #[test]
    fn a_lasting_lead_wins_for_either_side() {
        let record = game(None, |i| if i < 6 { 0 } else { 2600 }).unwrap();
        assert_eq!((record.result, record.steps.len()), (GameResult::WhiteWins, 10));
        let record = game(None, |i| if i < 6 { 0 } else { -2600 }).unwrap();
        assert_eq!((record.result, record.steps.len()), (GameResult::BlackWins, 10));
        assert!(record.steps[6..].iter().all(|step| step.score == -2600));
    }

    #[test]
    fn a_lead_that_changes_sides_wins_nothing() {
        // A script that contradicts itself: the game goes on until the rules end it, or it grows too long.
        let record = game(None, |i| {
            if i < 6 {
                0
            } else if i % 2 == 0 {
                2600
            } else {
                -2600
            }
        });
        assert!(record.is_none_or(|record| record.steps.len() > 20));
    }

    #[test]
    fn lopsided_openings_are_refused() {
        assert!(game(None, |_| 401).is_none());
        assert!(game(None, |i| if i == 0 { -401 } else { 0 }).is_none());
    }

    #[test]
    fn the_rules_come_first() {
        let mate_next = "k7/8/1K6/8/8/8/8/1R6 w - - 0 1";
        // The first legal move is not the mate, so a stalemate or the fifty-move rule ends this; never a win.
        assert!(game(Some(mate_next), |_| 100).is_none_or(|record| record.result == GameResult::Draw));
        let fifty = "8/8/2k5/8/8/5K2/8/R7 w - - 98 120";
        let record = game(Some(fifty), |_| 300).unwrap();
        assert_eq!((record.result, record.steps.len()), (GameResult::Draw, 2));
    }

    #[test]
    fn quiet_equality_is_a_draw_only_late() {
        let late = "8/8/2k1p3/8/4P3/5K2/8/R6r w - - 0 60";
        let record = game(Some(late), |_| 5).unwrap();
        assert_eq!((record.result, record.steps.len()), (GameResult::Draw, 10));
        let early = "8/8/2k1p3/8/4P3/5K2/8/R6r w - - 0 10";
        let record = game(Some(early), |_| 5);
        assert!(record.is_none_or(|record| record.steps.len() > 10));
    }
}
