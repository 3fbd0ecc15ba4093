//! The proof: in every legal position of every ending of up to four men, the recognition must be true or missing. And
//! the proof of the proof: if any one clause is dropped, some recognition is wrong.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use proptest::prelude::*;
use shakmaty::{Board, CastlingMode, Piece, Square};

use super::clause::mutation::{self, Site};
use super::*;
use crate::bound::Bound;
use crate::common::shared::shared;
use crate::parallel::{default_jobs, in_parallel};
use crate::retrograde::tests::{some_tables, tables};
use crate::retrograde::{Dtm, Table, Tables};

/// Whether a recognition for the side to move agrees with the true value.
fn is_true(ibv: Ibv, value: Dtm) -> bool {
    let truth = match value {
        Dtm::Win(plies) => Score::mate_in(plies.into()),
        Dtm::Draw => Score::ZERO,
        Dtm::Loss(plies) => Score::mated_in(plies.into()),
    };
    match ibv.bound() {
        Bound::Exact => ibv.score() == truth,
        Bound::Lower => ibv.score() <= truth,
        Bound::Upper => ibv.score() >= truth,
    }
}

/// What is wrong with the recognition of a position, if anything: it may contradict the truth, or claim a win that
/// the 50-move rule can spoil.
fn wrong(board: &Board, turn: Color, value: Dtm) -> Option<String> {
    let ibv = proved(&board.into(), turn, 0)?;
    if !is_true(ibv, value) {
        return Some(format!("{}: recognized {ibv:?}, the truth is {value:?}", fen(board, turn)));
    }
    if let Dtm::Win(plies) | Dtm::Loss(plies) = value
        && ibv.score().is_decisive()
    {
        // The first clock at which the mate would come too late; at later ones even more so.
        let clock = 101 - u16::from(plies);
        if proved(&board.into(), turn, clock).is_some() {
            return Some(format!("{}: claimed at clock {clock}, mate takes {plies} plies", fen(board, turn)));
        }
    }
    None
}

fn fen(board: &Board, turn: Color) -> String {
    format!("{board} {}", turn.fold_wb("w", "b")).replace('\n', "/").replace(' ', "")
}

/// One of the images of a board under the symmetries of its ending, picked by the walk's counter.
pub(crate) fn image(board: &Board, turn: Color, pick: u32) -> (Board, Color) {
    let mut board = board.clone();
    if pick & 1 != 0 {
        board.flip_horizontal();
    }
    if board.pawns().is_empty() {
        if pick & 2 != 0 {
            board.flip_vertical();
        }
        if pick & 4 != 0 {
            board.flip_diagonal();
        }
    }
    if pick & 8 != 0 { (board.into_mirrored(), !turn) } else { (board, turn) }
}

/// The class that covers an ending.
fn class_of_ending(table: &Table) -> Option<&'static Class> {
    table.try_for_each(|board, _, _| class_of(&board.into()).map(|(_, class)| class))
}

/// The first wrong recognition in an ending.
fn first_wrong(table: &Table) -> Option<String> {
    table.try_for_each(wrong)
}

/// A position of the walk, for other modules to check.
pub(crate) fn position(board: &Board, turn: Color) -> Position {
    let mut setup = shakmaty::Setup::empty();
    setup.board = board.clone();
    setup.turn = turn;
    let chess = shakmaty::FromSetup::from_setup(setup, CastlingMode::Standard);
    let chess: Result<shakmaty::Chess, shakmaty::PositionError<_>> = chess;
    Position::from_chess(&chess.or_else(shakmaty::PositionError::ignore_impossible_check).expect("a legal position"))
}

/// What the recognitions in one ending add up to, for one side to move.
#[derive(Default, Clone, Copy)]
struct Coverage {
    positions: u64,
    draws: u64,
    wins: u64,
    bounds: u64,
    longest: u8,
}

/// The walk through one ending.
struct Walk {
    coverage: [Coverage; 2],
    wrong: Option<String>,
    sites: Vec<Site>,
}

fn walk(table: &Table) -> Walk {
    let mut coverage = [Coverage::default(); 2];
    let mut first = None;
    let mut pick = 0_u32;
    let ((), sites) = mutation::used(|| {
        table.for_each(|board, turn, value| {
            // Every position up to symmetry, and the symmetries in turn.
            pick = pick.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let (board, side) = image(board, turn, pick >> 28);
            if first.is_none() {
                first = wrong(&board, side, value);
            }
            let count = &mut coverage[usize::from(turn == Color::Black)];
            count.positions += 1;
            let Some(ibv) = proved(&(&board).into(), side, 0) else { return };
            if !ibv.score().is_decisive() {
                if ibv.bound() == Bound::Exact { count.draws += 1 } else { count.bounds += 1 }
            } else if let Dtm::Win(plies) | Dtm::Loss(plies) = value {
                count.wins += 1;
                count.longest = count.longest.max(plies.div_ceil(2));
            }
        });
    });
    Walk { coverage, wrong: first, sites }
}

fn walk_through(tables: &Tables) -> Vec<(&Table, Walk)> {
    let tables: Vec<&Table> = tables.iter().map(|table| &**table).collect();
    let walks = in_parallel(tables.len(), default_jobs(), |i| walk(tables[i]), |_, _| ());
    tables.into_iter().zip(walks).collect()
}

/// The walks through all endings, done once.
fn walks() -> &'static [(&'static Table, Walk)] {
    static WALKS: OnceLock<Vec<(&'static Table, Walk)>> = OnceLock::new();
    WALKS.get_or_init(|| walk_through(tables()))
}

/// Positions beyond the tables in which any recognition would be unproved, or wrong.
const BEYOND: [&str; 12] = [
    "8/8/8/8/7k/8/PPP5/4K3 w - - 0 1",
    "8/8/8/8/7k/8/PP6/3BK3 w - - 0 1",
    "8/8/8/8/7k/8/PP6/3NK3 w - - 0 1",
    "2k5/8/8/8/8/P7/P7/2B4K w - - 0 1",
    "8/8/8/3k4/8/8/8/1NNNK3 w - - 0 1",
    "8/8/8/3k1n2/8/8/8/1NN1K3 w - - 0 1",
    "8/8/8/4k3/8/8/8/1RRRK3 w - - 0 1",
    "8/8/8/4k3/8/8/8/1BBBK3 w - - 0 1",
    "8/8/8/4k3/8/8/8/1BBNK3 w - - 0 1",
    "8/8/8/3k3n/8/8/8/QQ2K3 w - - 0 1",
    "8/8/8/8/8/3k4/8/R3K3 w Q - 0 1",
    "3k4/8/8/8/8/8/8/1R2K2R w K - 0 1",
];

/// The first recognition where there should be none.
fn beyond() -> Option<String> {
    BEYOND.into_iter().find_map(|fen| {
        let position = Position::from_fen(fen, CastlingMode::Chess960).expect("a legal position");
        probe_class(&position).ibv.map(|ibv| format!("{fen}: recognized {ibv:?}"))
    })
}

#[test]
fn every_recognition_is_true_in_some_endings() {
    let walks = walk_through(some_tables());
    let wrong: Vec<&String> = walks.iter().filter_map(|(_, walk)| walk.wrong.as_ref()).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(walks.iter().any(|(_, walk)| walk.coverage.iter().any(|side| side.wins > 0)));
    assert_eq!(beyond(), None);
}

#[test]
#[ignore = "a minute or two: all endings of four men; CI runs it"]
fn every_recognition_is_true() {
    println!("| ending | class | to move | positions | draws | wins | bounds | longest win |");
    println!("|---|---|---|---|---|---|---|---|");
    for (table, walk) in walks() {
        for (side, c) in ["white", "black"].into_iter().zip(walk.coverage) {
            let share = |count: u64| format!("{:.1}%", 100.0 * count as f64 / c.positions as f64);
            println!(
                "| {} | {} | {side} | {} | {} | {} | {} | {} |",
                table.endgame(),
                class_of_ending(table).map_or("none", |class| class.name),
                c.positions,
                share(c.draws),
                share(c.wins),
                share(c.bounds),
                c.longest
            );
            assert!(usize::from(c.longest) <= super::LONGEST_WIN, "{}: {}", table.endgame(), c.longest);
        }
    }
    let wrong: Vec<&String> = walks().iter().filter_map(|(_, walk)| walk.wrong.as_ref()).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
#[ignore = "a minute or two: all endings of four men; CI runs it"]
fn every_clause_is_needed() {
    let mut endings: BTreeMap<Site, Vec<&Table>> = BTreeMap::new();
    for (table, walk) in walks() {
        for &site in &walk.sites {
            endings.entry(site).or_default().push(table);
        }
    }
    let (_, sites) = mutation::used(beyond);
    for site in sites {
        endings.entry(site).or_default();
    }
    let clauses: Vec<_> = endings.into_iter().collect();
    assert!(clauses.len() > 30, "{} clauses", clauses.len());
    let needed = |i: usize| {
        let (site, tables) = &clauses[i];
        let found = mutation::without(site, || beyond().or_else(|| tables.iter().find_map(|table| first_wrong(table))));
        if let Some(found) = &found {
            println!("without {site}: {found}");
        }
        found.is_none().then_some(*site)
    };
    let idle: Vec<_> = in_parallel(clauses.len(), default_jobs(), needed, |_, _| ()).into_iter().flatten().collect();
    assert!(idle.is_empty(), "the proof does not need {idle:#?}");
}

/// The positions that shaped these rules, or broke those of others.
#[test]
fn known_traps_are_recognized_correctly() {
    for (fen, expected) in [
        // "Wrong bishop", and mate in one.
        ("k7/1p6/PK6/8/5B2/8/8/8 w - - 0 1", None),
        // The knight is lost in the corner.
        ("8/8/8/8/8/5k2/1K6/B6N w - - 0 1", Some(Ibv::exact(Score::ZERO))),
        // Forked, without a capture on the board.
        ("8/8/8/8/8/k7/8/NB1K4 b - - 0 1", Some(Ibv::exact(Score::ZERO))),
        ("8/8/8/8/8/k1KB4/8/B7 b - - 0 1", None),
        // The knight mates, though not at once.
        ("8/8/8/8/8/p7/2K5/kN6 w - - 0 1", None),
        // The rook loses to a knight.
        ("8/8/8/8/8/k7/8/KR2n3 b - - 0 1", None),
        // The king stands in front of the pawn, and loses.
        ("8/8/8/8/8/8/p7/KRk5 b - - 0 1", None),
        // The wrong corner, with many pawns and bishops.
        ("k7/7P/P6P/P7/7K/1B6/P7/4B3 w - - 0 1", None),
        ("1k6/8/P7/P7/7K/P3B3/P7/6B1 w - - 0 1", Some(Ibv::exact(Score::ZERO))),
        ("7k/8/7P/7P/8/8/8/K1B5 w - - 0 1", None),
        ("7k/8/7P/7P/8/8/8/KB6 b - - 0 1", Some(Ibv::exact(Score::ZERO))),
        // Three bishops of one colour.
        ("8/8/8/3k4/8/B7/1B6/2B1K3 w - - 0 1", Some(Ibv::exact(Score::ZERO))),
    ] {
        let position = Position::from_fen(fen, CastlingMode::Standard).expect("a legal position");
        assert_eq!(recognize(&position).ibv, expected, "{fen}");
    }
}

#[test]
fn ordinary_positions_are_not_recognized() {
    let position = Position::startpos();
    assert_eq!(recognize(&position), Recognition::NONE);
    assert!(!may_have_class(&position));
}

/// The retrograde tables agree with Syzygy's.
#[test]
fn some_tables_agree_with_syzygy() {
    agree_with_syzygy(some_tables());
}

#[test]
#[ignore = "a minute or two: all endings of four men; CI runs it"]
fn all_tables_agree_with_syzygy() {
    agree_with_syzygy(tables());
}

fn agree_with_syzygy(tables: &Tables) {
    let Some(reference) = shared("data/syzygy") else { return };
    let (syzygy, remarks) = syzygy::Tablebases::open(&reference.to_string_lossy());
    assert!(remarks.is_empty(), "{remarks:?}");
    let syzygy = syzygy.expect("the tables are there");
    let tables: Vec<&Table> = tables.iter().map(|table| &**table).filter(|table| table.endgame().men() > 2).collect();
    let check = |i: usize| {
        let table = tables[i];
        let mut seen = 0_u64;
        let mut checked = 0;
        table.for_each(|board, turn, value| {
            seen += 1;
            // All of the small endings, a sample of the others.
            if table.endgame().men() == 4 && !seen.is_multiple_of(101) {
                return;
            }
            let theirs = syzygy.result(&position(board, turn));
            let theirs = theirs.unwrap_or_else(|| panic!("{}: {:?}", fen(board, turn), syzygy.take_remarks()));
            let ours = match value {
                Dtm::Win(_) => 1,
                Dtm::Draw => 0,
                Dtm::Loss(_) => -1,
            };
            assert_eq!(ours, theirs, "{}", fen(board, turn));
            checked += 1;
        });
        checked
    };
    let checked: u64 = in_parallel(tables.len(), default_jobs(), check, |_, _| ()).into_iter().sum();
    println!("{checked} positions compared");
    assert!(checked > 100_000, "{checked}");
}

fn boards() -> impl Strategy<Value = (Board, Color, u16)> {
    // Two kings and up to five men, mostly small endings; legality does not matter for symmetry.
    let men = prop::collection::vec((0..64_u32, any::<bool>(), 0..5_usize), 0..=5);
    (0..64_u32, 0..64_u32, men, any::<bool>(), any::<bool>(), 0..=100_u16).prop_map(
        |(white, black, men, lone, turn, clock)| {
            let mut board = Board::empty();
            let keep = if lone { 5 } else { 2 };
            for (square, colour, role) in men.into_iter().take(keep) {
                let role = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight, Role::Pawn][role];
                let square = if role == Role::Pawn { square % 48 + 8 } else { square };
                let color = Color::from_white(lone || colour);
                board.set_piece_at(Square::new(square), Piece { color, role });
            }
            board.set_piece_at(Square::new(white), Color::White.king());
            let black = if black == white { (black + 9) % 64 } else { black };
            board.set_piece_at(Square::new(black), Color::Black.king());
            (board, Color::from_white(turn), clock)
        },
    )
}

proptest! {
    /// Recognitions do not depend on which side of the board, or which colour, an ending is on.
    #[test]
    fn recognitions_are_symmetric((board, turn, clock) in boards()) {
        let expected = proved(&(&board).into(), turn, clock);
        for pick in 0..16 {
            let (board, turn) = image(&board, turn, pick);
            prop_assert_eq!(proved(&(&board).into(), turn, clock), expected);
        }
    }
}
