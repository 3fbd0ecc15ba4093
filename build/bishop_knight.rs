//! Bishop and knight against king, solved for `src/recognize/bishop_knight.rs`: white has a bishop on the dark squares,
//! and a knight.
//!
//! Retrograde analysis by moves to the mate: from the positions in which black is mated back to those that lead there.
//! What is never reached is drawn.

use super::kpk::{distance, neighbours};
use super::wrong_bishop::{between, on_diagonal};

/// Positions with one side to move: bishop, knight, white king, black king.
const SIZE: usize = 32 * 64 * 64 * 64;
/// Not known to be won.
const UNKNOWN: u8 = u8::MAX;
/// The most moves to the mate, and the most levels that they are told in.
const MOST_MOVES: usize = 33;
const LEVELS: usize = 15;

/// The table: half a byte a position with black to move, the first in the lower half. 0 is not won, else the moves to the
/// mate in levels: one more than `moves * 14 / 33`, rounded up.
///
/// Positions are told apart up to symmetry, the black king standing on one of twenty squares: see [`corner_index`].
pub fn table() -> Vec<u8> {
    let lost = solve();
    let level = |place: Place| match lost[place.index()] {
        UNKNOWN => 0,
        moves => 1 + (usize::from(moves) * (LEVELS - 1)).div_ceil(MOST_MOVES) as u8,
    };
    let mut levels = vec![0; 20 * 64 * 32 * 64];
    for black in 0..64 {
        let Some(corner) = corner_index(black) else { continue };
        for white in 0..64 {
            for half in 0..32 {
                for knight in 0..64 {
                    let place = Place { white, black, bishop: dark_square(half), knight };
                    levels[((corner * 64 + white) * 32 + half) * 64 + knight] = level(place);
                }
            }
        }
    }
    levels.chunks(2).map(|pair| pair[0] | pair[1] << 4).collect()
}

/// The number of a square in the triangle a1, h1, d4, e4; none elsewhere.
fn corner_index(square: usize) -> Option<usize> {
    let (file, rank) = (square % 8, square / 8);
    (rank <= file && file + rank <= 7).then(|| [0, 8, 14, 18][rank] + file - rank)
}

/// Dark squares have an even sum of file and rank.
fn dark_square(half: usize) -> usize {
    2 * half + half / 4 % 2
}

/// The moves to the mate for every position with black to move.
fn solve() -> Vec<u8> {
    let mut lost = vec![UNKNOWN; SIZE];
    let mut won = vec![false; SIZE];
    let mut level: Vec<Place> = (0..SIZE).map(Place::from_index).filter(|place| place.is_mate()).collect();
    for moves in 0.. {
        if level.is_empty() {
            assert_eq!(moves, MOST_MOVES + 1, "moves to the longest mate");
            break;
        }
        level.iter().for_each(|place| lost[place.index()] = moves as u8);
        let mut next = vec![];
        for place in level {
            place.before_white_moved(|before| {
                if won[before.index()] || !before.is_legal() || before.attacks(before.black, None) {
                    return;
                }
                won[before.index()] = true;
                for black in neighbours(before.black).filter(|&at| before.is_free(at)) {
                    let earlier = Place { black, ..before };
                    if earlier.is_legal() && lost[earlier.index()] == UNKNOWN && earlier.is_lost(&won) {
                        // A mark, so that it is listed once; the number is set when its turn comes.
                        lost[earlier.index()] = UNKNOWN - 1;
                        next.push(earlier);
                    }
                }
            });
        }
        level = next;
    }
    lost
}

#[derive(Clone, Copy)]
struct Place {
    white: usize,
    black: usize,
    bishop: usize,
    knight: usize,
}

impl Place {
    fn from_index(index: usize) -> Place {
        Place {
            white: index / 64 % 64,
            black: index % 64,
            knight: index / 4096 % 64,
            bishop: dark_square(index / (4096 * 64)),
        }
    }

    fn index(self) -> usize {
        ((self.bishop / 2 * 64 + self.knight) * 64 + self.white) * 64 + self.black
    }

    fn is_free(self, square: usize) -> bool {
        ![self.white, self.black, self.bishop, self.knight].contains(&square)
    }

    /// Whether the men stand apart; who is in check depends on who is to move.
    fn is_legal(self) -> bool {
        let men = [self.white, self.black, self.bishop, self.knight];
        (1..4).all(|i| !men[..i].contains(&men[i])) && distance(self.white, self.black) > 1
    }

    /// Whether a white man attacks a square, the black king being lifted from the board; perhaps one has been taken there.
    fn attacks(self, square: usize, taken: Option<usize>) -> bool {
        distance(self.white, square) <= 1
            || taken != Some(self.knight) && is_knight_move(self.knight, square)
            || taken != Some(self.bishop)
                && on_diagonal(self.bishop, square)
                && between(self.bishop, square).all(|at| at != self.white && at != self.knight)
    }

    /// Where the black king may go, and whether it takes there.
    fn flights(self) -> impl Iterator<Item = (usize, bool)> {
        neighbours(self.black)
            .map(move |to| (to, to == self.bishop || to == self.knight))
            .filter(move |&(to, takes)| !self.attacks(to, takes.then_some(to)))
    }

    fn is_mate(self) -> bool {
        self.is_legal() && self.attacks(self.black, None) && self.flights().next().is_none()
    }

    /// Whether black, to move, has a move, and none but to positions that are known to be won for white.
    fn is_lost(self, won: &[bool]) -> bool {
        let mut flights = self.flights().peekable();
        flights.peek().is_some() && flights.all(|(black, takes)| !takes && won[Place { black, ..self }.index()])
    }

    /// The positions that a white move leads here from. Some are not legal.
    fn before_white_moved(self, mut visit: impl FnMut(Place)) {
        neighbours(self.white).filter(|&at| self.is_free(at)).for_each(|white| visit(Place { white, ..self }));
        for from in (0..64).filter(|&at| self.is_free(at)) {
            if is_knight_move(from, self.knight) {
                visit(Place { knight: from, ..self });
            }
            if on_diagonal(from, self.bishop) && between(from, self.bishop).all(|at| self.is_free(at)) {
                visit(Place { bishop: from, ..self });
            }
        }
    }
}

fn is_knight_move(from: usize, to: usize) -> bool {
    let (files, ranks) = ((from % 8).abs_diff(to % 8), (from / 8).abs_diff(to / 8));
    files * ranks == 2
}
