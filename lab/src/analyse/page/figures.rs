//! Accuracy and marks, counted by player and phase of the game.

use shakmaty::Color;

use crate::analyse::judge::Mark;
use ibex::position::Position;

/// Minimum pieces other than kings and pawns in the opening.
const OPENING_PIECES: usize = 12;
/// The last move number of the opening.
const OPENING_MOVES: u32 = 15;
/// Maximum pieces other than kings and pawns in an endgame.
const ENDGAME_PIECES: usize = 6;

/// A part of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Up to move 15, with 12 pieces or more besides kings and pawns.
    Opening,
    /// Neither opening nor endgame.
    Middlegame,
    /// At most 6 pieces besides kings and pawns.
    Endgame,
}

impl Phase {
    /// The phases in order.
    pub const ALL: [Phase; 3] = [Phase::Opening, Phase::Middlegame, Phase::Endgame];

    /// The phase in words.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Opening => "opening",
            Phase::Middlegame => "middlegame",
            Phase::Endgame => "endgame",
        }
    }

    /// The phase of a position after one in phase `before`: a game never goes back to an earlier phase.
    pub fn of(position: &Position, before: Phase) -> Phase {
        let board = position.board();
        let pieces = (board.occupied() ^ board.pawns() ^ board.kings()).count();
        let own = if pieces <= ENDGAME_PIECES {
            Phase::Endgame
        } else if pieces >= OPENING_PIECES && position.fullmoves().get() <= OPENING_MOVES {
            Phase::Opening
        } else {
            Phase::Middlegame
        };
        own.max(before)
    }
}

/// The accuracy of a move, 0 to 100, from its cost in winning minus losing chances, which go from −1 to 1.
///
/// The curve is that of Lichess: <https://lichess.org/page/accuracy>. It takes percent of winning chances.
pub fn accuracy(lost: f64) -> f64 {
    let percent = 50.0 * lost.max(0.0);
    (103.1668 * (-0.04354 * percent).exp() - 3.1669).clamp(0.0, 100.0)
}

/// The counts of some moves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Figures {
    /// Moves.
    pub moves: u32,
    /// Blunders, mistakes, dubious moves.
    pub marks: [u32; 3],
    /// The sum of their accuracies.
    sum: f64,
}

impl Figures {
    /// The mean accuracy in percent; `None` without moves.
    pub fn accuracy(&self) -> Option<f64> {
        (self.moves > 0).then(|| self.sum / f64::from(self.moves))
    }

    fn add(self, other: Figures) -> Figures {
        let mut marks = self.marks;
        marks.iter_mut().zip(other.marks).for_each(|(own, more)| *own += more);
        Figures { moves: self.moves + other.moves, marks, sum: self.sum + other.sum }
    }
}

/// The figures of a game.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Table([[Figures; 3]; 2]);

impl Table {
    /// Counts a move that has lost these chances.
    pub fn count(&mut self, player: Color, phase: Phase, lost: f64, mark: Option<Mark>) {
        let one = &mut self.0[player as usize][phase as usize];
        one.moves += 1;
        one.sum += accuracy(lost);
        if let Some(mark) = mark {
            one.marks[mark.index()] += 1;
        }
    }

    /// A player's figures in one phase.
    pub fn of(&self, player: Color, phase: Phase) -> Figures {
        self.0[player as usize][phase as usize]
    }

    /// A player's figures in the whole game.
    pub fn whole(&self, player: Color) -> Figures {
        self.0[player as usize].into_iter().fold(Figures::default(), Figures::add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ibex::position::notation::read_fen;

    #[test]
    fn accuracy_falls_with_what_is_lost() {
        assert!(accuracy(0.0) > 99.99 && accuracy(-0.5) == accuracy(0.0));
        assert!((accuracy(0.2) - 63.58).abs() < 0.01, "{}", accuracy(0.2));
        assert_eq!(accuracy(2.0), 0.0);
        let falls = (0..20).all(|i| accuracy(f64::from(i) / 10.0) >= accuracy(f64::from(i + 1) / 10.0));
        assert!(falls);
    }

    #[test]
    fn phases_follow_the_pieces_and_never_go_back() {
        let phase = |fen: &str, before| Phase::of(&read_fen(fen).expect("a position"), before);
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 ";
        assert_eq!(phase(&format!("{start}15"), Phase::Opening), Phase::Opening);
        assert_eq!(phase(&format!("{start}16"), Phase::Opening), Phase::Middlegame);
        assert_eq!(phase("r2qk2r/pppppppp/8/8/8/8/PPPPPPPP/R2QK2R w - - 0 9", Phase::Opening), Phase::Endgame);
        assert_eq!(phase("r1bqk2r/pppppppp/8/8/8/8/PPPPPPPP/R2QK2R w - - 0 9", Phase::Opening), Phase::Middlegame);
        assert_eq!(phase(&format!("{start}1"), Phase::Endgame), Phase::Endgame);
    }

    #[test]
    fn figures_add_up() {
        let mut table = Table::default();
        assert_eq!(table.whole(Color::White).accuracy(), None);
        table.count(Color::White, Phase::Opening, 0.0, None);
        table.count(Color::White, Phase::Endgame, 2.0, Some(Mark::Blunder));
        table.count(Color::Black, Phase::Opening, 0.25, Some(Mark::Mistake));
        let white = table.whole(Color::White);
        assert_eq!((white.moves, white.marks), (2, [1, 0, 0]));
        assert!(white.accuracy().is_some_and(|accuracy| (accuracy - 50.0).abs() < 0.1));
        assert_eq!(table.of(Color::Black, Phase::Opening).marks, [0, 1, 0]);
        assert_eq!(table.of(Color::White, Phase::Middlegame).accuracy(), None);
    }
}
