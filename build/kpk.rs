//! King and pawn against king, solved for `src/recognize/kpk.rs`: white has the pawn, on the files a to d.
//!
//! The method is the classical one: every position is unknown until it is known to be won, and sweeps over all
//! positions go on until nothing changes; what is still unknown then is drawn. (Compare Ken Thompson, "Retrograde
//! analysis of certain endgames", 1986, for the idea and its history.)

/// Positions: side to move, pawn, white king, black king.
const SIZE: usize = 2 * 24 * 64 * 64;

/// Which positions white wins.
pub struct Won(Vec<bool>);

impl Won {
    /// Solves the ending.
    pub fn solve() -> Won {
        let mut won = vec![false; SIZE];
        loop {
            let mut changed = false;
            for index in 0..SIZE {
                if !won[index] && Place::from_index(index).is_won(&won) {
                    won[index] = true;
                    changed = true;
                }
            }
            if !changed {
                return Won(won);
            }
        }
    }

    /// Whether white wins with this pawn, on the files a to d.
    pub fn wins(&self, white_to_move: bool, white: usize, black: usize, pawn: usize) -> bool {
        self.0[Place { white_to_move, white, black, pawn }.index()]
    }

    /// The bitbase: a bit a position, set where white wins.
    pub fn bitbase(&self) -> Vec<u8> {
        pack(&self.0)
    }
}

/// Eight positions a byte, the first in the lowest bit.
pub fn pack(won: &[bool]) -> Vec<u8> {
    won.chunks(8).map(|chunk| chunk.iter().rev().fold(0, |byte, &won| byte << 1 | u8::from(won))).collect()
}

#[derive(Clone, Copy)]
struct Place {
    white_to_move: bool,
    white: usize,
    black: usize,
    pawn: usize,
}

impl Place {
    fn from_index(index: usize) -> Place {
        let pawn = index / 4096 % 24;
        Place {
            white_to_move: index / (4096 * 24) == 1,
            white: index / 64 % 64,
            black: index % 64,
            pawn: (pawn / 4 + 1) * 8 + pawn % 4,
        }
    }

    fn index(self) -> usize {
        let pawn = (self.pawn / 8 - 1) * 4 + self.pawn % 4;
        ((usize::from(self.white_to_move) * 24 + pawn) * 64 + self.white) * 64 + self.black
    }

    fn is_legal(self) -> bool {
        self.white != self.black
            && self.white != self.pawn
            && self.black != self.pawn
            && distance(self.white, self.black) > 1
            && !(self.white_to_move && self.pawn_attacks(self.black))
    }

    fn pawn_attacks(self, square: usize) -> bool {
        square / 8 == self.pawn / 8 + 1 && (square % 8).abs_diff(self.pawn % 8) == 1
    }

    /// Whether one ply shows that white wins, by what is known of the positions after it.
    fn is_won(self, won: &[bool]) -> bool {
        self.is_legal() && if self.white_to_move { self.white_wins(won) } else { self.black_loses(won) }
    }

    fn white_wins(self, won: &[bool]) -> bool {
        let after = |place: Place| {
            let place = Place { white_to_move: false, ..place };
            place.is_legal() && won[place.index()]
        };
        if neighbours(self.white).any(|white| after(Place { white, ..self })) {
            return true;
        }
        let front = self.pawn + 8;
        let free = |square: usize| square != self.white && square != self.black;
        if !free(front) {
            return false;
        }
        if front >= 56 {
            return self.promotion_wins(front);
        }
        after(Place { pawn: front, ..self })
            || (self.pawn < 16 && free(front + 8) && after(Place { pawn: front + 8, ..self }))
    }

    /// A queen wins unless it is taken at once or stalemates; a rook then wins if it does neither.
    fn promotion_wins(self, square: usize) -> bool {
        let guarded = distance(self.white, square) == 1;
        if distance(self.black, square) == 1 && !guarded {
            return false;
        }
        [true, false].into_iter().any(|diagonals| {
            let attacked =
                |target: usize| distance(self.white, target) <= 1 || slides(square, target, self.white, diagonals);
            attacked(self.black) || neighbours(self.black).any(|to| to != square && !attacked(to))
        })
    }

    fn black_loses(self, won: &[bool]) -> bool {
        let mut moves = 0;
        for black in neighbours(self.black) {
            if distance(self.white, black) <= 1 || self.pawn_attacks(black) {
                continue;
            }
            moves += 1;
            let after = Place { white_to_move: true, black, ..self };
            if black == self.pawn || !won[after.index()] {
                return false;
            }
        }
        moves > 0
    }
}

/// Whether a rook (with `diagonals`, a queen) on `from` attacks `to`, another square, past the blocker; the black king is
/// transparent, because squares behind it are attacked too.
pub fn slides(from: usize, to: usize, blocker: usize, diagonals: bool) -> bool {
    let (files, ranks) = ((to % 8) as isize - (from % 8) as isize, (to / 8) as isize - (from / 8) as isize);
    if (files == 0) == (ranks == 0) && !(diagonals && files != 0 && files.abs() == ranks.abs()) {
        return false;
    }
    let step = files.signum() + 8 * ranks.signum();
    let steps = files.abs().max(ranks.abs());
    (1..steps).all(|i| from as isize + i * step != blocker as isize)
}

/// King steps between two squares.
pub fn distance(a: usize, b: usize) -> usize {
    (a % 8).abs_diff(b % 8).max((a / 8).abs_diff(b / 8))
}

pub fn neighbours(square: usize) -> impl Iterator<Item = usize> {
    let around = [-9, -8, -7, -1, 1, 7, 8, 9];
    around.into_iter().filter_map(move |step| {
        let to = usize::try_from(square as isize + step).ok().filter(|&to| to < 64)?;
        (distance(square, to) == 1).then_some(to)
    })
}
