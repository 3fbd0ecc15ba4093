//! A position with the game that led to it: what repetition and the 50-move rule need.

use std::collections::HashMap;
use std::fmt;

use shakmaty::CastlingMode;

use super::{FenError, Move, Position};

/// A position and what came before it.
///
/// ```
/// use ibex::position::Game;
/// use ibex::position::game::Ending;
///
/// let mut game = Game::startpos();
/// for _ in 0..2 {
///     for text in ["g1f3", "g8f6", "f3g1", "f6g8"] {
///         let m = game.position().parse_move(text).expect("a legal move");
///         game.play(m);
///     }
/// }
/// assert_eq!(game.occurrences(), 2); // before now
/// assert_eq!(game.outcome(), Some(Ending::Repetition));
/// ```
#[derive(Clone, Debug)]
pub struct Game {
    position: Position,
    /// The keys of the positions before the current one, oldest first.
    keys: Vec<u64>,
    /// How often each position has occurred since the last irreversible move, by its key and without the current one.
    /// Counting them among the keys would take longer with every move of a long game.
    counts: HashMap<u64, usize>,
    /// Positions before the current one that have occurred twice since the last irreversible move.
    twice: Vec<Position>,
}

impl Game {
    /// A game that starts at `position`.
    pub fn new(position: Position) -> Game {
        Game { position, keys: Vec::new(), counts: HashMap::new(), twice: Vec::new() }
    }

    /// A game from the initial position.
    pub fn startpos() -> Game {
        Game::new(Position::startpos())
    }

    /// A game that starts at a FEN.
    ///
    /// # Errors
    ///
    /// [`FenError::Syntax`] or [`FenError::Illegal`], as [`Position::from_any_fen`].
    pub fn from_fen(fen: &str, mode: CastlingMode) -> Result<Game, FenError> {
        Ok(Game::new(Position::from_fen(fen, mode)?))
    }

    /// The current position.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// The keys of the positions before the current one, oldest first.
    pub fn keys(&self) -> &[u64] {
        &self.keys
    }

    /// Plays a legal move.
    pub fn play(&mut self, m: Move) {
        self.remember();
        self.position.play(m);
        if self.position.reversible() == 0 {
            self.counts.clear();
            self.twice.clear();
        }
    }

    /// The current position becomes one of the past.
    fn remember(&mut self) {
        let key = self.position.key();
        let before = self.counts.entry(key).or_default();
        if *before == 1 {
            self.twice.push(self.position);
        }
        *before += 1;
        self.keys.push(key);
    }

    /// Passes the turn. The side to move must not be in check.
    ///
    /// The 50-move clock goes on. Positions before a pass count for no repetition, because a pass is not a move.
    pub fn play_null(&mut self) {
        self.keys.push(self.position.key());
        self.counts.clear();
        self.twice.clear();
        self.position.play_null();
    }

    /// How often the current position has occurred before in the game.
    pub fn occurrences(&self) -> usize {
        self.counts.get(&self.position.key()).copied().unwrap_or_default()
    }

    /// Traps: the positions whose next occurrence is a draw. The current one may be among them: a win that is not the
    /// shortest may have to come back to it.
    pub fn traps(&self) -> impl Iterator<Item = &Position> {
        let now = self.occurrences() == 1;
        self.twice.iter().chain(now.then_some(&self.position))
    }

    /// Whether the game is over, and why.
    pub fn outcome(&self) -> Option<Ending> {
        if !self.position.has_legal_move() {
            return Some(if self.position.in_check() { Ending::Checkmate } else { Ending::Stalemate });
        }
        if self.position.is_insufficient_material() {
            Some(Ending::InsufficientMaterial)
        } else if !self.position.has_plies_for(1) {
            Some(Ending::FiftyMoves)
        } else if self.occurrences() >= 2 {
            Some(Ending::Repetition)
        } else {
            None
        }
    }
}

/// Why a game is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ending {
    /// The side to move is mated.
    Checkmate,
    /// The side to move has no move and is not in check.
    Stalemate,
    /// Neither side can mate.
    InsufficientMaterial,
    /// A hundred plies without capture or pawn move.
    FiftyMoves,
    /// The position has occurred three times.
    Repetition,
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Ending::Checkmate => "checkmate",
            Ending::Stalemate => "stalemate",
            Ending::InsufficientMaterial => "neither side can mate",
            Ending::FiftyMoves => "fifty moves without capture or pawn move",
            Ending::Repetition => "the position has occurred three times",
        })
    }
}
