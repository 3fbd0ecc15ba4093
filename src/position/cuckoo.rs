//! The one move between two positions, from their keys alone (cuckoo hashing).
//!
//! Reversible moves (of every piece but pawns) change a key by one of 3668 differences. They lie in a table of two
//! hashes: each difference in one of its two places, so that two lookups find it or show that there is none.
//!
//! Sources: Marcel van Kervinck, "The design and implementation of the Rookie 2.0 chess playing program" (2002),
//! chapter 3.4, for its use against repetitions; Pagh and Rodler, "Cuckoo Hashing" (2001).

use shakmaty::{Role, Square, attacks};

use super::keys::{TURN, piece_word_at};
use super::{PieceCode, Position};

/// More than twice the differences: with fewer places they would not all find one.
const PLACES: usize = 8192;

/// A difference of keys, and the two squares that a piece goes between; 0 where a place is empty.
struct Differences {
    keys: [u64; PLACES],
    squares: [(u8, u8); PLACES],
}

static DIFFERENCES: Differences = Differences::new();

impl Differences {
    const fn new() -> Differences {
        let mut table = Differences { keys: [0; PLACES], squares: [(0, 0); PLACES] };
        let mut piece = 0;
        while piece < PieceCode::COUNT {
            let mut a = 0;
            while a < 64 {
                let mut b = a + 1;
                while b < 64 {
                    if goes_between(piece % 8, a, b) {
                        let key = piece_word_at(piece, a) ^ piece_word_at(piece, b) ^ TURN;
                        table.insert(key, (a as u8, b as u8));
                    }
                    b += 1;
                }
                a += 1;
            }
            piece += 1;
        }
        table
    }

    /// Puts a difference into its first place, the former occupant into its other place, and so on.
    const fn insert(&mut self, mut key: u64, mut squares: (u8, u8)) {
        let mut at = first(key);
        while key != 0 {
            (self.keys[at], key) = (key, self.keys[at]);
            (self.squares[at], squares) = (squares, self.squares[at]);
            at = if at == first(key) { second(key) } else { first(key) };
        }
    }
}

const fn first(key: u64) -> usize {
    key as usize % PLACES
}

const fn second(key: u64) -> usize {
    (key >> 16) as usize % PLACES
}

/// Whether a piece with this number of its role (knight 2, bishop, rook, queen, king 6) goes from `a` to `b` on an
/// empty board; false for pawns.
const fn goes_between(role: usize, a: usize, b: usize) -> bool {
    let (files, ranks) = ((a % 8).abs_diff(b % 8), (a / 8).abs_diff(b / 8));
    let (straight, diagonal) = (files == 0 || ranks == 0, files == ranks);
    match role {
        2 => files * ranks == 2,
        3 => diagonal,
        4 => straight,
        5 => straight || diagonal,
        6 => files <= 1 && ranks <= 1,
        _ => false,
    }
}

/// Whether the side to move has a legal move to the position with the key `earlier`, which must have stood on the
/// board since the last irreversible move.
#[inline]
pub fn leads_back(position: &Position, earlier: u64) -> bool {
    let difference = position.key() ^ earlier;
    let mut at = first(difference);
    if DIFFERENCES.keys[at] != difference {
        at = second(difference);
        if DIFFERENCES.keys[at] != difference {
            return false;
        }
    }
    let (a, b) = DIFFERENCES.squares[at];
    let (a, b) = (Square::new(u32::from(a)), Square::new(u32::from(b)));
    let board = position.board();
    // The piece stands on one of the two squares; if it is ours, and nothing is in its way, the move is legal: in the
    // position that it leads to, the opponent is to move, so our king was not in check there.
    let from = if board.by_color(position.turn()).contains(a) { a } else { b };
    debug_assert!(board.role_at(from) != Some(Role::Pawn));
    board.by_color(position.turn()).contains(from) && (attacks::between(a, b) & board.occupied()).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_difference_has_its_place() {
        let taken = DIFFERENCES.keys.iter().filter(|&&key| key != 0).count();
        assert_eq!(taken, 3668);
        for (at, &key) in DIFFERENCES.keys.iter().enumerate().filter(|(_, key)| **key != 0) {
            assert!(at == first(key) || at == second(key));
        }
    }
}
