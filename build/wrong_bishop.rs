//! Rook pawn and wrong bishop against king, solved for `src/recognize/wrong_bishop.rs`: white has the pawn, on the a-file,
//! and a bishop on the dark squares, which does not command a8.
//!
//! Retrograde analysis: what one ply shows to be won begins a list, and every position on the list is taken up once, to
//! see which positions before it are won because of it. What is never listed is drawn.

use super::kpk::{self, distance, neighbours};

/// Positions: side to move, rank of the pawn, bishop, white king, black king.
const SIZE: usize = 2 * 6 * 32 * 64 * 64;

/// The bitbase: a bit a position, set where white wins. `alone` tells the same of king and pawn against king.
pub fn bitbase(alone: &kpk::Won) -> Vec<u8> {
    let mut won = vec![false; SIZE];
    let mut list = Vec::new();
    for index in 0..SIZE {
        let place = Place::from_index(index);
        if place.is_legal() && place.is_won(&won, alone) {
            won[index] = true;
            list.push(place);
        }
    }
    while let Some(place) = list.pop() {
        place.before(|before| {
            let index = before.index();
            if !won[index] && before.is_legal() && (before.white_to_move || before.is_won(&won, alone)) {
                won[index] = true;
                list.push(before);
            }
        });
    }
    kpk::pack(&won)
}

#[derive(Clone, Copy)]
struct Place {
    white_to_move: bool,
    white: usize,
    black: usize,
    pawn: usize,
    bishop: usize,
}

impl Place {
    fn from_index(index: usize) -> Place {
        let half = index / 4096 % 32;
        Place {
            white_to_move: index / (4096 * 32 * 6) == 1,
            white: index / 64 % 64,
            black: index % 64,
            pawn: (index / (4096 * 32) % 6 + 1) * 8,
            // Dark squares have an even sum of file and rank.
            bishop: 2 * half + half / 4 % 2,
        }
    }

    fn index(self) -> usize {
        let men = (usize::from(self.white_to_move) * 6 + self.pawn / 8 - 1) * 32 + self.bishop / 2;
        (men * 64 + self.white) * 64 + self.black
    }

    fn is_legal(self) -> bool {
        let men = [self.white, self.black, self.pawn, self.bishop];
        let apart = (1..4).all(|i| !men[..i].contains(&men[i]));
        apart && distance(self.white, self.black) > 1 && !(self.white_to_move && self.attacks(self.black, None))
    }

    /// Whether pawn or bishop attack a square, the black king being lifted from the board; perhaps one of them has been
    /// taken there.
    fn attacks(self, square: usize, taken: Option<usize>) -> bool {
        let by_pawn = taken != Some(self.pawn) && square % 8 == 1 && square / 8 == self.pawn / 8 + 1;
        by_pawn
            || taken != Some(self.bishop)
                && on_diagonal(self.bishop, square)
                && between(self.bishop, square).all(|at| at != self.white && at != self.pawn)
    }

    /// Whether one ply shows that white wins, by what is known of the positions after it.
    fn is_won(self, won: &[bool], alone: &kpk::Won) -> bool {
        if self.white_to_move { self.promotes_and_wins() } else { self.black_loses(won, alone) }
    }

    /// A queen wins unless it is taken at once or stalemates; a rook then wins if it does neither.
    fn promotes_and_wins(self) -> bool {
        const CORNER: usize = 56;
        if self.pawn / 8 != 6 || self.white == CORNER || self.black == CORNER {
            return false;
        }
        if distance(self.black, CORNER) == 1 && distance(self.white, CORNER) != 1 {
            return false;
        }
        // The pawn has gone from where it may have blocked the bishop.
        let promoted = Place { pawn: CORNER, ..self };
        [true, false].into_iter().any(|diagonals| {
            let attacked = |square: usize, taken: Option<usize>| {
                distance(self.white, square) <= 1
                    || promoted.attacks(square, taken)
                    || slides(CORNER, square, diagonals)
                        && between(CORNER, square)
                            .all(|at| at != self.white && (at != self.bishop || taken == Some(self.bishop)))
            };
            attacked(self.black, None)
                || neighbours(self.black).any(|to| to != CORNER && !attacked(to, (to == self.bishop).then_some(to)))
        })
    }

    fn black_loses(self, won: &[bool], alone: &kpk::Won) -> bool {
        let mut stuck = true;
        for black in neighbours(self.black) {
            let taken = (black == self.pawn || black == self.bishop).then_some(black);
            if distance(self.white, black) <= 1 || self.attacks(black, taken) {
                continue;
            }
            stuck = false;
            let lost = match taken {
                Some(square) if square == self.pawn => false,
                Some(_) => alone.wins(true, self.white, black, self.pawn),
                None => won[Place { white_to_move: true, black, ..self }.index()],
            };
            if !lost {
                return false;
            }
        }
        !stuck || self.attacks(self.black, None)
    }

    /// The positions that one ply, not a capture or a promotion, leads here from. Some are not legal.
    fn before(self, mut visit: impl FnMut(Place)) {
        let free = |square: usize| ![self.white, self.black, self.pawn, self.bishop].contains(&square);
        let earlier = Place { white_to_move: !self.white_to_move, ..self };
        if !earlier.white_to_move {
            neighbours(self.black).filter(|&at| free(at)).for_each(|black| visit(Place { black, ..earlier }));
            return;
        }
        neighbours(self.white).filter(|&at| free(at)).for_each(|white| visit(Place { white, ..earlier }));
        for bishop in (0..64).filter(|&at| free(at) && on_diagonal(self.bishop, at)) {
            if between(self.bishop, bishop).all(free) {
                visit(Place { bishop, ..earlier });
            }
        }
        if self.pawn >= 16 && free(self.pawn - 8) {
            visit(Place { pawn: self.pawn - 8, ..earlier });
            if self.pawn / 8 == 3 && free(self.pawn - 16) {
                visit(Place { pawn: self.pawn - 16, ..earlier });
            }
        }
    }
}

/// Files and ranks from one square to another.
fn way(from: usize, to: usize) -> (isize, isize) {
    ((to % 8) as isize - (from % 8) as isize, (to / 8) as isize - (from / 8) as isize)
}

pub fn on_diagonal(from: usize, to: usize) -> bool {
    let (files, ranks) = way(from, to);
    files != 0 && files.abs() == ranks.abs()
}

/// Whether a rook (with `diagonals`, a queen) goes from one square to the other on an empty board.
fn slides(from: usize, to: usize, diagonals: bool) -> bool {
    let (files, ranks) = way(from, to);
    (files == 0) != (ranks == 0) || diagonals && on_diagonal(from, to)
}

/// The squares between two on one line.
pub fn between(from: usize, to: usize) -> impl Iterator<Item = usize> {
    let (files, ranks) = way(from, to);
    let step = files.signum() + 8 * ranks.signum();
    (1..files.abs().max(ranks.abs())).map(move |i| (from as isize + i * step) as usize)
}
