//! Queen, rook or pawn against the lone king, solved for `src/recognize/three_men.rs`: the plies to every mate. White is
//! the strong side.
//!
//! Ply by ply: the mates on the board first, then what comes to one of them in one ply more, whatever the lone king does.
//! What is never reached is drawn. (Ströhlein, 1970.)

#[path = "../src/recognize/three_men/index.rs"]
mod index;

use super::kpk::{distance, neighbours, slides};

/// The plies to the longest mate of each, and the tables, a byte a position: 0 drawn or not legal, else the plies to the
/// mate and one.
const QUEEN_PLIES: u8 = 2 * 10;
const ROOK_PLIES: u8 = 2 * 16;
const PAWN_PLIES: u8 = 2 * 28;

/// The tables of queen, rook and pawn.
pub fn tables() -> [Vec<u8>; 3] {
    let queen = solve(Man::Queen, QUEEN_PLIES, &[]);
    let rook = solve(Man::Rook, ROOK_PLIES, &[]);
    let pawn = solve(Man::Pawn, PAWN_PLIES, &[(Man::Queen, &queen), (Man::Rook, &rook)]);
    [queen, rook, pawn]
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Man {
    Queen,
    Rook,
    Pawn,
}

/// Solves an ending; `promoted` has the tables of what a pawn may become. Bishops and knights never mate alone.
fn solve(man: Man, most_plies: u8, promoted: &[(Man, &Vec<u8>)]) -> Vec<u8> {
    let size = if man == Man::Pawn { index::PAWN_SIZE } else { index::PIECE_SIZE };
    let places: Vec<Place> = Place::all(man).filter(|place| place.is_legal()).collect();
    let mut table = vec![0; size];
    let mut open: [Vec<Place>; 2] = [Vec::new(), Vec::new()];
    for place in places {
        open[usize::from(place.strong_to_move)].push(place);
    }
    for plies in 0..=most_plies {
        // Mates of an even number of plies are those of the lone king.
        open[usize::from(plies % 2 == 1)].retain(|place| {
            // Twins of a position share an entry.
            let reached = table[place.index()] == plies + 1
                || if place.strong_to_move { place.mates_in(plies, &table, promoted) } else { place.is_mated(&table) };
            if reached {
                table[place.index()] = plies + 1;
            }
            !reached
        });
    }
    table
}

#[derive(Clone, Copy)]
struct Place {
    kind: Man,
    strong_to_move: bool,
    strong: usize,
    lone: usize,
    man: usize,
}

impl Place {
    /// Every position that has an entry of its own, legal or not.
    fn all(kind: Man) -> impl Iterator<Item = Place> {
        let squares = move |strong: usize| (0..64).map(move |man| (strong, man));
        let kept = move |&(strong, man): &(usize, usize)| match kind {
            Man::Pawn => man % 8 < 4 && (1..7).contains(&(man / 8)),
            _ => strong % 8 < 4 && strong / 8 <= strong % 8,
        };
        (0..64).flat_map(squares).filter(kept).flat_map(move |(strong, man)| {
            let places =
                move |lone| [false, true].map(|strong_to_move| Place { kind, strong_to_move, strong, lone, man });
            (0..64).flat_map(places)
        })
    }

    fn index(self) -> usize {
        let index = if self.kind == Man::Pawn { index::of_pawn } else { index::of_piece };
        index(self.strong_to_move, self.strong, self.lone, self.man)
    }

    fn is_legal(self) -> bool {
        self.strong != self.lone
            && self.strong != self.man
            && self.lone != self.man
            && distance(self.strong, self.lone) > 1
            && !(self.strong_to_move && self.attacks(self.lone))
    }

    /// Whether the man attacks a square. The lone king does not stand in its way: what is behind it is attacked, too.
    fn attacks(self, square: usize) -> bool {
        match self.kind {
            Man::Pawn => square / 8 == self.man / 8 + 1 && (square % 8).abs_diff(self.man % 8) == 1,
            kind => square != self.man && slides(self.man, square, self.strong, kind == Man::Queen),
        }
    }

    /// Whether a move of the strong side leads to a mate in a ply less.
    fn mates_in(self, plies: u8, table: &[u8], promoted: &[(Man, &Vec<u8>)]) -> bool {
        let leads = |place: Place, table: &[u8]| {
            let place = Place { strong_to_move: false, ..place };
            place.is_legal() && table[place.index()] == plies
        };
        let free = |square: usize| square != self.strong && square != self.lone;
        let step = |man: usize| free(man) && leads(Place { man, ..self }, table);
        if neighbours(self.strong).any(|strong| leads(Place { strong, ..self }, table)) {
            return true;
        }
        if self.kind != Man::Pawn {
            return (0..64).any(|to| self.attacks(to) && step(to));
        }
        let front = self.man + 8;
        if front >= 56 {
            return free(front)
                && promoted.iter().any(|&(kind, table)| leads(Place { kind, man: front, ..self }, table));
        }
        step(front) || self.man < 16 && free(front) && step(front + 8)
    }

    /// Whether the lone king, to move, is mated, or comes with every move to where it is known to be.
    fn is_mated(self, table: &[u8]) -> bool {
        let mut flights = neighbours(self.lone)
            .filter(|&to| distance(self.strong, to) > 1 && !self.attacks(to))
            .map(|lone| Place { strong_to_move: true, lone, ..self })
            .peekable();
        if flights.peek().is_none() {
            return self.attacks(self.lone);
        }
        flights.all(|place| place.lone != place.man && table[place.index()] != 0)
    }
}
