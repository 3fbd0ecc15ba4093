//! Where games begin: the initial position, a book or a shuffled back rank, followed by some random but sane moves.

use shakmaty::{Bitboard, Board, CastlingMode, Chess, Color, FromSetup, Setup};

use crate::position::{Game, Position};
use crate::random::Random;

/// The most that a random move may lose by exchange, in centipawns.
const SANE_LOSS: i32 = 100;

/// Random walks in a row that may end a game; after these, none is expected to succeed.
const WALKS: u32 = 10_000;

/// All openings that were drawn ended within their random plies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{WALKS} openings in a row were over before their game began: are the positions of a book over?")]
pub struct OverBeforeTheyBegin;

/// The openings of a run.
#[derive(Clone, Debug, Default)]
pub struct Openings {
    /// Positions to start from, besides the initial one; their shares add up to at most 1.
    pub books: Vec<Book>,
    /// The share of games that start from shuffled back ranks (each side its own: double Chess960).
    pub chess960_share: f64,
    /// Random plies from the initial and from shuffled positions; one more in every second game.
    pub random_plies: u32,
}

/// Positions that games start from.
#[derive(Clone, Debug)]
pub struct Book {
    /// The positions; at least one.
    pub positions: Vec<Position>,
    /// The share of games that start here.
    pub share: f64,
    /// Random plies after a position of the book; one more in every second game.
    pub plies: u32,
}

impl Openings {
    /// Draws an opening: a position in which the game is not over.
    ///
    /// # Errors
    ///
    /// [`OverBeforeTheyBegin`]: all games end within the random plies.
    pub fn draw(&self, random: &mut Random) -> Result<Position, OverBeforeTheyBegin> {
        for _ in 0..WALKS {
            let (mut position, plies) = self.origin(random);
            if wander(&mut position, plies + random.below(2) as u32, random) {
                return Ok(position);
            }
        }
        Err(OverBeforeTheyBegin)
    }

    /// Draws a position, and the number of random plies to play from it.
    fn origin(&self, random: &mut Random) -> (Position, u32) {
        let mut share = random.share();
        for book in &self.books {
            if share < book.share {
                return (book.positions[random.below(book.positions.len())], book.plies);
            }
            share -= book.share;
        }
        let position = if share < self.chess960_share { shuffled(random) } else { Position::startpos() };
        (position, self.random_plies)
    }
}

/// Plays random moves that do not plainly lose material; false if the game ends during them.
fn wander(position: &mut Position, plies: u32, random: &mut Random) -> bool {
    for _ in 0..plies {
        let moves = position.legal_moves();
        let sane: Vec<_> = moves.iter().copied().filter(|&m| position.see_at_least(m, -SANE_LOSS)).collect();
        let choices = if sane.is_empty() { moves.as_slice() } else { &sane };
        if choices.is_empty() {
            return false;
        }
        let chosen = choices[random.below(choices.len())];
        position.play(chosen);
    }
    Game::new(*position).outcome().is_none()
}

/// An initial position with each side's back rank shuffled separately.
pub fn shuffled(random: &mut Random) -> Position {
    let white = Board::chess960(random.below(960) as u32);
    let black = Board::chess960(random.below(960) as u32);
    let lower_half = Bitboard(0xFFFF_FFFF);
    let mut setup = Setup::empty();
    for (square, piece) in &white {
        if lower_half.contains(square) {
            setup.board.set_piece_at(square, piece);
        }
    }
    for (square, piece) in &black {
        if !lower_half.contains(square) {
            setup.board.set_piece_at(square, piece);
        }
    }
    setup.castling_rights = setup.board.rooks();
    setup.turn = Color::White;
    match Chess::from_setup(setup, CastlingMode::Chess960) {
        Ok(chess) => Position::from_chess(&chess),
        Err(error) => unreachable!("shuffled back ranks are legal: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use shakmaty::{File, Role, Square};

    use super::*;
    use crate::position::Move;
    use crate::position::notation::read_fen;

    #[test]
    fn openings_are_reproducible_and_playable() {
        let openings = Openings { chess960_share: 0.5, random_plies: 8, ..Openings::default() };
        let draw = |seed| {
            let mut random = Random::new(seed);
            (0..200).map(|_| openings.draw(&mut random).unwrap()).collect::<Vec<_>>()
        };
        let (first, again) = (draw(7), draw(7));
        let fens = |positions: &[Position]| positions.iter().map(Position::fen).collect::<Vec<_>>();
        assert_eq!(fens(&first), fens(&again));
        assert_ne!(fens(&first), fens(&draw(8)));
        assert!(first.iter().all(Position::has_legal_move));
        let shuffled = first.iter().filter(|p| p.castling_mode() == CastlingMode::Chess960).count();
        assert!((60..140).contains(&shuffled), "{shuffled} of 200");
        // One random ply more in every second game: either side may begin.
        let black = first.iter().filter(|p| p.turn() == Color::Black).count();
        assert!((70..130).contains(&black), "{black} of 200");
    }

    #[test]
    fn random_moves_do_not_give_a_queen_away() {
        // On the d-file, the queen is lost for a rook at most; everywhere else it is safe.
        let start = read_fen("3rk3/8/8/8/8/8/8/3QK3 w - - 0 1").unwrap();
        let is_bad = |m: &Move| m.role() == Role::Queen && m.to().file() == File::D;
        let (bad, sane): (Vec<Move>, Vec<Move>) = start.legal_moves().into_iter().partition(is_bad);
        assert_eq!((bad.len(), sane.len()), (7, 13));
        let mut played = HashSet::new();
        for seed in 0..500 {
            let mut position = start;
            wander(&mut position, 1, &mut Random::new(seed));
            played.insert(position.key());
        }
        assert_eq!(played, sane.iter().map(|&m| start.after(m).key()).collect::<HashSet<u64>>());
    }

    #[test]
    fn a_book_of_games_that_are_over_is_refused() {
        let from = |fen, plies| {
            let book = Book { positions: vec![read_fen(fen).unwrap()], share: 1.0, plies };
            Openings { books: vec![book], ..Openings::default() }
        };
        assert!(from("4k3/8/8/8/8/8/8/4K3 w - - 0 1", 2).draw(&mut Random::new(1)).is_err());
        // By the 50-move rule.
        assert!(from("8/8/4k3/8/8/4K3/8/R7 w - - 120 90", 0).draw(&mut Random::new(1)).is_err());
        // During the random moves, unless a pawn moves or a man is captured.
        let late = from("8/8/4k3/8/8/4K3/4P3/R6r w - - 97 90", 3);
        for seed in 1..50 {
            let opening = late.draw(&mut Random::new(seed)).unwrap();
            assert!(Game::new(opening).outcome().is_none(), "{}", opening.fen());
        }
    }

    #[test]
    fn books_are_drawn_by_their_shares() {
        let ending = |fen| Position::from_fen(fen, CastlingMode::Standard).unwrap();
        let rook = ending("8/8/4k3/8/8/4K3/4P3/R6r w - - 0 1");
        let pawn = ending("8/8/4k3/8/8/4K3/4P3/8 w - - 0 1");
        let book = |position: &Position, share| Book { positions: vec![*position], share, plies: 0 };
        let openings =
            Openings { books: vec![book(&rook, 0.5), book(&pawn, 0.2)], chess960_share: 0.1, random_plies: 8 };
        let mut random = Random::new(4);
        let men: Vec<usize> = (0..1000).map(|_| openings.draw(&mut random).unwrap().men()).collect();
        let share = |least: usize, most: usize| men.iter().filter(|&&n| (least..=most).contains(&n)).count();
        // The extra random move in every second game may be a capture.
        assert!((440..560).contains(&share(4, 5)), "{}", share(4, 5));
        assert!((150..250).contains(&share(2, 3)), "{}", share(2, 3));
        assert!((240..360).contains(&share(20, 32)), "{}", share(20, 32));
    }

    #[test]
    fn shuffled_positions_have_all_rights() {
        let mut random = Random::new(3);
        for _ in 0..500 {
            let position = shuffled(&mut random);
            assert_eq!(position.castling().castling_rights().count(), 4);
            assert_eq!(position.board().occupied(), Bitboard::from_iter((0..16).chain(48..64).map(Square::new)));
        }
    }
}
