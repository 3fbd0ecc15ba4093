//! The positions of a game, and the game up to each of them.

use formats::pgn::Pgn;
use ibex::position::game::Ending;
use ibex::position::notation::Action;
use ibex::position::{Game, Position};

/// A game's positions, from the first to the one after the last move.
///
/// A [`Game`] carries its whole past, so one for each position would take memory quadratic in the number of moves. The
/// game up to a position is replayed when a search needs it.
pub struct Course {
    start: Game,
    actions: Vec<Action>,
    positions: Vec<Position>,
    endings: Vec<Option<Ending>>,
}

impl Course {
    /// The course of a game that was read.
    pub fn new(pgn: &Pgn) -> Course {
        let actions: Vec<Action> = pgn.moves.iter().map(|played| played.action).collect();
        let mut game = pgn.start.clone();
        let mut positions = vec![*game.position()];
        let mut endings = vec![game.outcome()];
        for &action in &actions {
            play(&mut game, action);
            positions.push(*game.position());
            endings.push(game.outcome());
        }
        Course { start: pgn.start.clone(), actions, positions, endings }
    }

    /// The positions: one before each move, and one at the end.
    pub fn positions(&self) -> &[Position] {
        &self.positions
    }

    /// How the rules end the game at the `i`-th position, or let a player claim its end; `None` if they do not.
    pub fn ending(&self, i: usize) -> Option<Ending> {
        self.endings[i]
    }

    /// The game up to the `i`-th position.
    pub fn game(&self, i: usize) -> Game {
        let mut game = self.start.clone();
        self.actions[..i].iter().for_each(|&action| play(&mut game, action));
        game
    }
}

fn play(game: &mut Game, action: Action) {
    match action {
        Action::Move(m) => game.play(m),
        Action::Pass => game.play_null(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use formats::pgn::Games;

    #[test]
    fn each_position_has_its_past() {
        let text = "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 -- 4. Ng1 Nf6 5. Nf3 Ng8 6. e4 *";
        let reading = Games::new(text.as_bytes()).next_game().expect("memory can be read").expect("a game");
        let pgn = reading.game.expect("readable");
        let course = Course::new(&pgn);
        let mut game = pgn.start.clone();
        assert_eq!(course.positions().len(), pgn.moves.len() + 1);
        for (i, position) in course.positions().iter().enumerate() {
            let again = course.game(i);
            assert_eq!((again.keys(), again.occurrences()), (game.keys(), game.occurrences()), "{i}");
            assert_eq!((position.key(), again.position().key()), (game.position().key(), game.position().key()));
            assert_eq!(course.ending(i), game.outcome());
            if let Some(played) = pgn.moves.get(i) {
                play(&mut game, played.action);
            }
        }
        assert_eq!(course.game(4).occurrences(), 1);
    }

    #[test]
    fn a_repetition_ends_the_game() {
        let knights = "Nf3 Nf6 Ng1 Ng8 ".repeat(2);
        let reading = Games::new(knights.as_bytes()).next_game().expect("memory can be read").expect("a game");
        let course = Course::new(&reading.game.expect("readable"));
        assert_eq!((course.ending(7), course.ending(8)), (None, Some(Ending::Repetition)));
    }
}
