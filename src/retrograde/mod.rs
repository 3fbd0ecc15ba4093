//! Retrograde analysis: every ending of up to four men, solved backwards from its mates.
//!
//! Play does not use it. It made the tables of `recognize/solved/` (three men, bishop and knight, the wrong bishop);
//! the recognizers are proved against it, and the suites in `epd/` were made with it. Values are distances to mate,
//! counted without the 50-move rule. The method is Ströhlein's (1970) and Thompson's (1986): mark the mates, then take
//! moves back, level by level. A position is lost where every move was shown to lose, which is checked forwards, so
//! that symmetric positions need no counting of ways.
//!
//! Boards are stored up to symmetry: with the white king in the triangle a1-d1-d4 where there is no pawn, on the files
//! a to d where there is one. The one ending of four men that is not offered is pawn against pawn, because its en
//! passant captures are not a matter of squares.

mod solve;

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use arrayvec::ArrayVec;
use shakmaty::{Bitboard, Board, ByColor, ByRole, Color, Role, Square};

use crate::parallel::{default_jobs, in_parallel};
use solve::{Link, Spot};

/// The value of a position for the side to move, with the plies to mate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dtm {
    /// Mates in this many plies (odd).
    Win(u8),
    /// Neither side can force mate.
    Draw,
    /// Is mated in this many plies (even; 0 is mate on the board).
    Loss(u8),
}

/// One byte a position: 0 draw, 255 no legal position, otherwise plies to mate plus one (even: won, odd: lost).
const DRAW: u8 = 0;
const ILLEGAL: u8 = u8::MAX;
/// The first two men of every table.
const KINGS: [(Color, Role); 2] = [(Color::White, Role::King), (Color::Black, Role::King)];

/// The men of an ending besides the kings: white's, then black's, each from queen to pawn.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Endgame {
    white: ArrayVec<Role, 2>,
    black: ArrayVec<Role, 2>,
}

impl Endgame {
    /// The ending of a board, and whether its colours must be exchanged to read it there; `None` beyond four men.
    pub fn of(board: &Board) -> Option<(Endgame, bool)> {
        if board.occupied().count() > 4 {
            return None;
        }
        let men = |color| {
            let side = board.by_color(color);
            [Role::Queen, Role::Rook, Role::Bishop, Role::Knight, Role::Pawn]
                .into_iter()
                .flat_map(move |role| (board.by_role(role) & side).into_iter().map(move |_| role))
                .collect()
        };
        Some(Endgame { white: men(Color::White), black: men(Color::Black) }.normal())
    }

    /// The stronger side as white, and whether the colours were exchanged for that.
    fn normal(self) -> (Endgame, bool) {
        let rank =
            |men: &ArrayVec<Role, 2>| (men.len(), men.iter().map(|&role| role as u8).collect::<ArrayVec<u8, 2>>());
        let flipped = rank(&self.white) < rank(&self.black);
        (if flipped { Endgame { white: self.black, black: self.white } } else { self }, flipped)
    }

    /// Every ending of up to four men but pawn against pawn.
    pub fn all() -> Vec<Endgame> {
        const ROLES: [Role; 5] = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight, Role::Pawn];
        let side = |men: &[Role]| men.iter().copied().collect::<ArrayVec<Role, 2>>();
        let mut all = vec![Endgame { white: side(&[]), black: side(&[]) }];
        for (i, &first) in ROLES.iter().enumerate() {
            all.push(Endgame { white: side(&[first]), black: side(&[]) });
            for &second in &ROLES[i..] {
                all.push(Endgame { white: side(&[first, second]), black: side(&[]) });
                if (first, second) != (Role::Pawn, Role::Pawn) {
                    all.push(Endgame { white: side(&[first]), black: side(&[second]) });
                }
            }
        }
        all
    }

    /// How many men, kings included.
    pub fn men(&self) -> usize {
        2 + self.white.len() + self.black.len()
    }

    fn pawns(&self) -> usize {
        self.white.iter().chain(&self.black).filter(|&&role| role == Role::Pawn).count()
    }

    /// The men in the order in which tables keep their squares.
    fn slots(&self) -> ArrayVec<(Color, Role), 2> {
        let white = self.white.iter().map(|&role| (Color::White, role));
        white.chain(self.black.iter().map(|&role| (Color::Black, role))).collect()
    }
}

impl fmt::Display for Endgame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letters = |men: &ArrayVec<Role, 2>| men.iter().map(|role| role.upper_char()).collect::<String>();
        write!(f, "K{}vK{}", letters(&self.white), letters(&self.black))
    }
}

/// A text that names no ending of up to four men, or pawn against pawn, which is not solved.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' does not name an ending of up to four men that can be solved")]
pub struct UnknownEndgame(pub String);

impl FromStr for Endgame {
    type Err = UnknownEndgame;

    /// Reads a name such as `KBNvK`.
    fn from_str(name: &str) -> Result<Endgame, UnknownEndgame> {
        let error = || UnknownEndgame(name.to_owned());
        let side = |text: &str| -> Option<ArrayVec<Role, 2>> {
            let men = text.strip_prefix('K')?;
            if men.chars().count() > 2 {
                return None;
            }
            let mut men = men.chars().map(Role::from_char).collect::<Option<ArrayVec<Role, 2>>>()?;
            men.sort_unstable_by(|a, b| b.cmp(a));
            (!men.contains(&Role::King)).then_some(men)
        };
        let (white, black) = name.split_once('v').ok_or_else(error)?;
        let (endgame, _) =
            Endgame { white: side(white).ok_or_else(error)?, black: side(black).ok_or_else(error)? }.normal();
        if endgame.men() > 4 || (endgame.pawns() == 2 && !endgame.black.is_empty()) {
            return Err(error());
        }
        Ok(endgame)
    }
}

/// The solved positions of one ending.
pub struct Table {
    endgame: Endgame,
    /// The kings and the slots.
    men: ArrayVec<(Color, Role), 4>,
    has_pawns: bool,
    /// Whether the two slots hold equal men.
    twins: bool,
    values: Box<[u8]>,
    /// Where to look after captures and promotions, by what the two slots have become (8 · first + second).
    links: Vec<Option<Link>>,
}

impl Table {
    /// Which ending this is.
    pub fn endgame(&self) -> &Endgame {
        &self.endgame
    }

    /// Every legal position up to symmetry, for both sides to move, each with its value.
    pub fn for_each(&self, mut visit: impl FnMut(&Board, Color, Dtm)) {
        let found = self.try_for_each::<()>(|board, turn, value| {
            visit(board, turn, value);
            None
        });
        debug_assert!(found.is_none());
    }

    /// As [`Table::for_each`], until something is found.
    pub fn try_for_each<T>(&self, mut visit: impl FnMut(&Board, Color, Dtm) -> Option<T>) -> Option<T> {
        (0..self.values.len()).find_map(|index| {
            let value = decode(self.values[index])?;
            let spot = self.spot(index);
            visit(&self.board(spot), spot.turn, value)
        })
    }

    /// The position that a random number picks, with its value; `None` where it picks no legal one. Every legal
    /// position up to symmetry is equally likely.
    pub fn at_random(&self, random: u64) -> Option<(Board, Color, Dtm)> {
        let index = (u128::from(random) * self.values.len() as u128) >> 64;
        let value = decode(self.values[index as usize])?;
        let spot = self.spot(index as usize);
        Some((self.board(spot), spot.turn, value))
    }

    /// The longest win for either side, in moves.
    pub fn longest(&self) -> u8 {
        self.values.iter().filter(|&&byte| byte != ILLEGAL).map(|&byte| byte / 2).max().unwrap_or(0)
    }

    fn board(&self, spot: Spot) -> Board {
        let mut roles = ByRole::<Bitboard>::default();
        let mut colors = ByColor::<Bitboard>::default();
        for (i, &(color, role)) in self.men.iter().enumerate() {
            let square = Bitboard::from(Square::new(u32::from(spot.square(i))));
            roles[role] |= square;
            colors[color] |= square;
        }
        Board::try_from_bitboards(roles, colors).unwrap_or_default()
    }

    /// The value of a board of this ending; `None` where it is not legal. `exchange`: black has the stronger side.
    fn value(&self, board: &Board, turn: Color, exchange: bool) -> Option<Dtm> {
        let mut taken = Bitboard::EMPTY;
        let mut squares = [0; 4];
        for (i, &(color, role)) in self.men.iter().enumerate() {
            let color = if exchange { !color } else { color };
            let square = ((board.by_color(color) & board.by_role(role)) & !taken).first()?;
            taken.add(square);
            squares[i] = if exchange { square.flip_vertical() } else { square } as u8;
        }
        let spot = Spot::new(squares, if exchange { !turn } else { turn });
        decode(self.values[self.index(spot)])
    }
}

fn decode(byte: u8) -> Option<Dtm> {
    match byte {
        ILLEGAL => None,
        DRAW => Some(Dtm::Draw),
        byte if is_loss(byte) => Some(Dtm::Loss(byte - 1)),
        byte => Some(Dtm::Win(byte - 1)),
    }
}

/// Whether the byte of a legal position is that of a loss.
fn is_loss(byte: u8) -> bool {
    byte % 2 == 1
}

/// Which positions of an ending are solved, by the squares of the white king, the black king and the men.
pub type PositionFilter = fn([u8; 4]) -> bool;

/// A set of solved endings, closed under captures and promotions.
#[derive(Default)]
pub struct Tables {
    tables: BTreeMap<Endgame, Arc<Table>>,
}

impl Tables {
    /// Solves these endings and all that they lead to, on as many threads as the machine has.
    pub fn solve(endgames: impl IntoIterator<Item = Endgame>) -> Tables {
        Tables::solve_part(endgames, |_| |_| true)
    }

    /// The same with a part of each ending: any other position counts as not legal, and no move leads there.
    pub fn solve_part(endgames: impl IntoIterator<Item = Endgame>, part: fn(&Endgame) -> PositionFilter) -> Tables {
        let mut wanted: Vec<Endgame> = Vec::new();
        let mut open: Vec<Endgame> = endgames.into_iter().collect();
        while let Some(endgame) = open.pop() {
            if !wanted.contains(&endgame) {
                open.extend(solve::successors(&endgame).into_iter().map(|(_, to, _)| to));
                wanted.push(endgame);
            }
        }
        // An ending leads to fewer men or, by promotion, to fewer pawns; within such a group none needs another.
        wanted.sort_by_key(|endgame| (endgame.men(), endgame.pawns()));
        let mut tables = Tables::default();
        for group in wanted.chunk_by(|a, b| (a.men(), a.pawns()) == (b.men(), b.pawns())) {
            let solve = |i: usize| Arc::new(Table::solve(group[i].clone(), &tables, part(&group[i])));
            let solved = in_parallel(group.len(), default_jobs(), solve, |_, _| ());
            tables.tables.extend(solved.into_iter().map(|table| (table.endgame.clone(), table)));
        }
        tables
    }

    /// One of the solved endings.
    pub fn get(&self, endgame: &Endgame) -> Option<&Arc<Table>> {
        self.tables.get(endgame)
    }

    /// All solved endings.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Table>> {
        self.tables.values()
    }

    /// The value of a position without castling rights and en passant captures; `None` where the board is not legal or
    /// its ending was not solved.
    pub fn value(&self, board: &Board, turn: Color) -> Option<Dtm> {
        let (endgame, exchange) = Endgame::of(board)?;
        self.tables.get(&endgame)?.value(board, turn, exchange)
    }
}

#[cfg(test)]
pub(crate) mod tests;
