//! The tables of `solved/`, which `three_men.rs`, `wrong_bishop.rs` and `bishop_knight.rs` include: made by the
//! project's own solver, written by `make tables`. White is the strong side; squares count from a1 = 0 to h8 = 63.

use std::path::Path;
use std::{env, fs};

use shakmaty::{Board, Color, Role, Square};

use super::layout;
use crate::retrograde::{Dtm, Tables};

/// Set to write the tables instead of comparing them.
const WRITE: &str = "IBEX_WRITE_TABLES";

#[test]
fn the_tables_are_those_of_the_solver() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/recognize/solved");
    for (name, table) in all() {
        let path = folder.join(name);
        if env::var_os(WRITE).is_some() {
            fs::write(&path, table).expect("a table is written");
        } else {
            // Not assert_eq!, which would print megabytes.
            assert!(fs::read(&path).is_ok_and(|old| old == table), "{name} is not the solver's; run `make tables`");
        }
    }
}

/// Each table with the name of its file.
fn all() -> [(&'static str, Vec<u8>); 5] {
    let endgames = ["KQvK", "KRvK", "KPvK", "KBPvK", "KBNvK"].iter().flat_map(|name| name.parse());
    let tables = Tables::solve_part(endgames, |endgame| match endgame.to_string().as_str() {
        "KBPvK" => |[_, _, bishop, pawn]| layout::is_wrong_bishop(bishop.into(), pawn.into()),
        // A second bishop wins only where a queen or a rook wins, too.
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

/// Queen or rook: one byte per position, 0 if drawn or illegal, else the plies to mate plus one.
fn piece(tables: &Tables, role: Role) -> Vec<u8> {
    let mut table = vec![0; layout::PIECE_SIZE];
    for strong in (0..64).filter(|square| square % 8 < 4 && square / 8 <= square % 8) {
        for_each_pair(|turn, lone, man| {
            let plies = plies(tables, turn, strong, lone, &[(role, man)]);
            table[layout::of_piece(turn, strong, lone, man)] = plies.map_or(0, |plies| plies + 1);
        });
    }
    table
}

/// The same for a pawn.
fn pawn(tables: &Tables) -> Vec<u8> {
    let mut table = vec![0; layout::PAWN_SIZE];
    for pawn in (8..56).filter(|square| square % 8 < 4) {
        for_each_pair(|turn, strong, lone| {
            let plies = plies(tables, turn, strong, lone, &[(Role::Pawn, pawn)]);
            table[layout::of_pawn(turn, strong, lone, pawn)] = plies.map_or(0, |plies| plies + 1);
        });
    }
    table
}

/// A rook pawn and the wrong bishop: one bit per position, set where white wins, the first in the lowest bit.
fn wrong_bishop(tables: &Tables) -> Vec<u8> {
    let mut table = vec![0; layout::WRONG_BISHOP_SIZE / 8];
    for pawn in (1..7).map(|rank| 8 * rank) {
        for bishop in (0..32).map(dark_square) {
            for_each_pair(|turn, strong, lone| {
                let men = [(Role::Bishop, bishop), (Role::Pawn, pawn)];
                if plies(tables, turn, strong, lone, &men).is_some() {
                    let index = layout::of_wrong_bishop(turn, strong, lone, bishop, pawn);
                    table[index / 8] |= 1 << (index % 8);
                }
            });
        }
    }
    table
}

/// Bishop and knight, black to move: half a byte per position, the first in the lower half; 0 is not won, else the
/// first level with enough moves.
fn bishop_knight(tables: &Tables) -> Vec<u8> {
    let mut table = vec![0; layout::BISHOP_KNIGHT_SIZE / 2];
    let corner = (0..4).flat_map(|rank| (rank..8 - rank).map(move |file| 8 * rank + file));
    for lone in corner {
        for bishop in (0..32).map(dark_square) {
            for (strong, knight) in (0..64 * 64).map(|pair| (pair / 64, pair % 64)) {
                let men = [(Role::Bishop, bishop), (Role::Knight, knight)];
                let index = layout::of_bishop_knight(strong, lone, bishop, knight);
                if let Some(plies) = plies(tables, false, strong, lone, &men) {
                    let is_enough = |&level: &u8| layout::moves_of(level) >= Some(u16::from(plies / 2));
                    let level = (1..16).find(is_enough).expect("a level for every mate");
                    table[index / 2] |= level << (4 * (index % 2));
                }
            }
        }
    }
    table
}

/// Both sides to move, and all pairs of squares.
fn for_each_pair(mut visit: impl FnMut(bool, usize, usize)) {
    for turn in [false, true] {
        (0..64 * 64).for_each(|pair| visit(turn, pair / 64, pair % 64));
    }
}

/// Dark squares have an even sum of file and rank.
fn dark_square(half: usize) -> usize {
    2 * half + half / 4 % 2
}
