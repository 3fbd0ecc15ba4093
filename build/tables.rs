//! The tables that `three_men.rs`, `wrong_bishop.rs` and `bishop_knight.rs` of `src/recognize` include, from the project's
//! own solver. White is the strong side; squares count from a1 = 0 to h8 = 63.

#[path = "../src/recognize/three_men/index.rs"]
mod index;

use shakmaty::{Board, Color, Role, Square};

use crate::retrograde::{Dtm, Tables};

/// The longest mate with bishop and knight, in moves, and the number of levels that stand for its distances.
const MOST_MOVES: usize = 33;
const LEVELS: usize = 15;

/// Each table with the name of its file.
pub fn all() -> [(&'static str, Vec<u8>); 5] {
    let endgames = ["KQvK", "KRvK", "KPvK", "KBPvK", "KBNvK"].iter().flat_map(|name| name.parse());
    let tables = Tables::solve_part(endgames, |endgame| match endgame.to_string().as_str() {
        "KBPvK" => |[_, _, bishop, pawn]| is_wrong_bishop(bishop, pawn),
        // A second bishop wins nowhere that a queen or a rook does not.
        "KBBvK" => |_| false,
        _ => |_| true,
    });
    [
        ("queen.bin", piece(&tables, Role::Queen)),
        ("rook.bin", piece(&tables, Role::Rook)),
        ("pawn.bin", pawn(&tables)),
        ("wrong_bishop.bin", wrong_bishop(&tables)),
        ("bishop_knight.bin", bishop_knight(&tables)),
    ]
}

/// The plies to the mate of the lone black king, if white can force it.
fn plies(tables: &Tables, white_to_move: bool, white: usize, black: usize, men: &[(Role, usize)]) -> Option<u8> {
    let mut board = Board::empty();
    let mut put = |color: Color, role: Role, square: usize| {
        board.set_piece_at(Square::new(square as u32), role.of(color));
    };
    put(Color::White, Role::King, white);
    put(Color::Black, Role::King, black);
    men.iter().for_each(|&(role, square)| put(Color::White, role, square));
    if board.occupied().count() != 2 + men.len() {
        return None;
    }
    match tables.value(&board, Color::from_white(white_to_move))? {
        Dtm::Win(plies) | Dtm::Loss(plies) => Some(plies),
        Dtm::Draw => None,
    }
}

/// Queen or rook: a byte a position, 0 drawn or not legal, else the plies to the mate and one.
fn piece(tables: &Tables, role: Role) -> Vec<u8> {
    let mut table = vec![0; index::PIECE_SIZE];
    for strong in (0..64).filter(|square| square % 8 < 4 && square / 8 <= square % 8) {
        for_each_pair(|turn, lone, man| {
            let plies = plies(tables, turn, strong, lone, &[(role, man)]);
            table[index::of_piece(turn, strong, lone, man)] = plies.map_or(0, |plies| plies + 1);
        });
    }
    table
}

/// The same for a pawn.
fn pawn(tables: &Tables) -> Vec<u8> {
    let mut table = vec![0; index::PAWN_SIZE];
    for pawn in (8..56).filter(|square| square % 8 < 4) {
        for_each_pair(|turn, strong, lone| {
            let plies = plies(tables, turn, strong, lone, &[(Role::Pawn, pawn)]);
            table[index::of_pawn(turn, strong, lone, pawn)] = plies.map_or(0, |plies| plies + 1);
        });
    }
    table
}

/// A pawn on the a-file and a bishop on the dark squares: a bit a position, set where white wins, the first in the lowest
/// bit; by side to move, rank of the pawn, bishop, white king, black king.
fn wrong_bishop(tables: &Tables) -> Vec<u8> {
    let mut table = vec![0; 2 * 6 * 32 * 64 * 64 / 8];
    for rank in 0..6 {
        for half in 0..32 {
            let men = [(Role::Bishop, dark_square(half)), (Role::Pawn, 8 * (rank + 1))];
            for_each_pair(|turn, white, black| {
                let index = (((usize::from(turn) * 6 + rank) * 32 + half) * 64 + white) * 64 + black;
                if plies(tables, turn, white, black, &men).is_some() {
                    table[index / 8] |= 1 << (index % 8);
                }
            });
        }
    }
    table
}

/// Bishop and knight, black to move, the bishop on the dark squares: half a byte a position, the first in the lower half.
/// 0 is not won, else the moves to the mate in levels: one more than `moves * 14 / 33`, rounded up. The black king stands
/// on one of the twenty squares of the triangle a1, h1, d4, e4.
fn bishop_knight(tables: &Tables) -> Vec<u8> {
    let corners = (0..4).flat_map(|rank| (rank..8 - rank).map(move |file| 8 * rank + file));
    let mut levels = Vec::with_capacity(20 * 64 * 32 * 64);
    for black in corners {
        for white in 0..64 {
            for bishop in (0..32).map(dark_square) {
                for knight in 0..64 {
                    let men = [(Role::Bishop, bishop), (Role::Knight, knight)];
                    let moves = plies(tables, false, white, black, &men).map(|plies| usize::from(plies / 2));
                    levels.push(moves.map_or(0, |moves| 1 + (moves * (LEVELS - 1)).div_ceil(MOST_MOVES) as u8));
                }
            }
        }
    }
    levels.chunks(2).map(|pair| pair[0] | pair[1] << 4).collect()
}

/// Both sides to move, and all pairs of squares.
fn for_each_pair(mut visit: impl FnMut(bool, usize, usize)) {
    for turn in [false, true] {
        (0..64 * 64).for_each(|pair| visit(turn, pair / 64, pair % 64));
    }
}

/// Whether a bishop does not command the corner before a rook pawn.
fn is_wrong_bishop(bishop: u8, pawn: u8) -> bool {
    let is_light = |square: u8| (square / 8 + square % 8) % 2 == 1;
    matches!(pawn % 8, 0 | 7) && is_light(bishop) != is_light(56 + pawn % 8)
}

/// Dark squares have an even sum of file and rank.
fn dark_square(half: usize) -> usize {
    2 * half + half / 4 % 2
}
