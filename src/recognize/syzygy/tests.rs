#[cfg(debug_assertions)]
use std::panic::{AssertUnwindSafe, catch_unwind};

use shakmaty::CastlingMode;

use super::*;
use crate::common::shared::shared;
use crate::scratch::Scratch;

fn position(fen: &str) -> Position {
    Position::from_fen(fen, CastlingMode::Standard).expect("a legal position")
}

fn game(fen: &str) -> Game {
    Game::new(position(fen))
}

/// The best-ranked moves of a list from [`Tablebases::rank_root`].
fn best(ranked: &[RankedMove]) -> &[RankedMove] {
    let rank = ranked.first().map(|first| first.rank);
    let count = ranked.iter().take_while(|ranked| Some(ranked.rank) == rank).count();
    &ranked[..count]
}

#[test]
fn an_empty_path_opens_no_tables() {
    for path in ["", "  ", "<empty>"] {
        let (tables, remarks) = Tablebases::open(path);
        assert!(tables.is_none() && remarks.is_empty());
    }
}

#[test]
fn unusable_paths_get_a_remark_each() {
    let scratch = Scratch::new("rubbish");
    scratch.write("KQvK.rtbw", b"");
    scratch.write("KRvK.rtbw", [b'x'; 80]);
    scratch.write("KRvK.rtbz", [0xD7, 0x66, 0x0C, 0xA5, 0, 0]);
    scratch.write("notes.txt", b"not a table");
    let missing = scratch.0.join("nowhere");
    let both = std::env::join_paths([&scratch.0, &missing]).expect("a path");
    let (tables, remarks) = Tablebases::open(&both.to_string_lossy());
    assert!(tables.is_none());
    assert_eq!(remarks.len(), 4, "{remarks:#?}");
    assert!(remarks.iter().all(|remark| !remark.contains('\n')));
}

#[test]
fn broken_tables_are_reported_once_and_do_no_harm() {
    let Some(real) = shared("data/syzygy") else { return };
    let scratch = Scratch::new("broken tables");
    let read = |name: &str| std::fs::read(real.join(name)).expect("a table");
    // Cut to a size that a table may have, and with its tail overwritten.
    let queen = read("KQvK.rtbw");
    scratch.write("KQvK.rtbw", &queen[..queen.len() - 64]);
    let mut rook = read("KRvK.rtbw");
    rook[4..].fill(0xFF);
    scratch.write("KRvK.rtbw", &rook);
    scratch.write("KPvK.rtbw", read("KPvK.rtbw"));
    let (tables, remarks) = Tablebases::open(&scratch.0.to_string_lossy());
    assert!(remarks.is_empty(), "{remarks:?}");
    let tables = tables.expect("files that look like tables");
    let probing = Probing::default();
    let mut told = Vec::new();
    for _ in 0..3 {
        for fen in
            ["8/8/8/3k4/8/8/8/R3K3 w - - 0 1", "8/8/8/3k4/8/8/8/4K1R1 b - - 0 1", "8/8/8/3k4/8/8/8/4KQ2 b - - 0 1"]
        {
            let _ = tables.probe(&position(fen), 3, 5, &probing);
        }
        told.extend(tables.take_remarks());
    }
    assert!(told.len() <= 2, "{told:?}");
    assert!(told.iter().any(|remark| remark.contains("KRvK")), "{told:?}");
    assert!(told.iter().all(|remark| !remark.contains('\n')));
    // KPvK leads to tables that are broken or missing: its own file may give no result, but not a wrong one.
    let (whole, _) = Tablebases::open(&real.to_string_lossy());
    let truth = |position: &Position| whole.as_ref().expect("tables").probe(position, 3, 5, &probing).ibv;
    for fen in ["8/8/8/3k4/8/8/4P3/4K3 b - - 0 1", "8/8/4k3/8/4K3/4P3/8/8 b - - 0 1", "3k4/8/3K4/3P4/8/8/8/8 w - - 0 1"]
    {
        let pawn = tables.probe(&position(fen), 3, 5, &probing).ibv;
        assert!(truth(&position(fen)).is_some() && [None, truth(&position(fen))].contains(&pawn), "{fen}");
    }
}

/// Bytes of a table may be wrong; nothing worse than a wrong answer may come of it.
#[test]
fn corrupted_tables_do_no_harm() {
    let Some(real) = shared("data/syzygy") else { return };
    let scratch = Scratch::new("corrupted tables");
    let good = std::fs::read(real.join("KRvK.rtbw")).expect("a table");
    let mut state = 1;
    for _ in 0..300 {
        let mut bytes = good.clone();
        for _ in 0..3 {
            let random = crate::random::split_mix(&mut state);
            let at = 4 + random as usize % (bytes.len() - 4);
            bytes[at] = (random >> 32) as u8;
        }
        scratch.write("KRvK.rtbw", &bytes);
        let (tables, _) = Tablebases::open(&scratch.0.to_string_lossy());
        let Some(tables) = tables else { continue };
        for fen in ["8/8/8/3k4/8/8/8/R3K3 w - - 0 1", "k7/8/1K6/8/8/8/8/7R b - - 0 1", "8/8/2k5/8/8/8/4r3/K7 w - - 0 1"]
        {
            let _ = tables.probe(&position(fen), 3, 5, &Probing::default());
        }
    }
}

/// A missing table hides no other: every material has a number of its own.
#[test]
fn a_failure_affects_only_its_own_material() {
    let failures = Failures::default();
    let keys = |bishops: u64| (0..4096_u64).map(move |counts| counts << 4 | bishops).filter(|&key| key != 0);
    assert!(keys(1).all(|key| failures.insert(key)));
    assert!(keys(1).all(|key| failures.contains(key) && !failures.insert(key)));
    assert!(keys(2).all(|key| !failures.contains(key)));
    let mut seen = std::collections::BTreeSet::new();
    for men in ["R7", "RR6", "RRR5", "r7", "rn6", "N7", "n7", "P7", "p7", "B7", "Q7"] {
        let fen = format!("8/{men}/8/3k4/8/8/8/4K3 w - - 0 1");
        assert!(seen.insert(material_key(&position(&fen))), "{fen}");
    }
}

#[test]
fn probes_answer_only_where_allowed() {
    let Some(folder) = shared("data/syzygy") else { return };
    let (tables, remarks) = Tablebases::open(&folder.to_string_lossy());
    assert!(remarks.is_empty(), "{remarks:?}");
    let tables = tables.expect("tables");
    assert_eq!(tables.largest(), 5);
    let probing = Probing::default();
    let won = position("8/8/8/3k4/8/8/8/R3K3 w - - 0 1");
    let expected = Recognition { ibv: Some(Ibv::lower(Score::tablebase_win(7))), expense: Expense::Expensive };
    assert_eq!(tables.probe(&won, 7, 3, &probing), expected);
    let lost = position("8/8/8/3k4/8/8/8/R3K3 b - - 0 1");
    assert_eq!(tables.probe(&lost, 8, 3, &probing).ibv, Some(Ibv::upper(-Score::tablebase_win(8))));
    let drawn = position("8/8/8/8/8/2k5/2P5/2K5 w - - 0 1");
    assert_eq!(tables.probe(&drawn, 8, 3, &probing).ibv, Some(Ibv::exact(Score::ZERO)));
    // Not after a quiet move, not with castling rights, not beyond the limit, not below the depth at the largest size.
    assert_eq!(tables.probe(&position("8/8/8/3k4/8/8/8/R3K3 w - - 1 1"), 7, 3, &probing), Recognition::NONE);
    assert_eq!(tables.probe(&position("8/8/8/3k4/8/8/8/R3K3 w Q - 0 1"), 7, 3, &probing), Recognition::NONE);
    let small = Probing { limit: 2, ..probing };
    assert_eq!(tables.probe(&won, 7, 3, &small), Recognition::NONE);
    let deep = Probing { limit: 3, depth: 4, ..probing };
    assert_eq!(tables.probe(&won, 7, 3, &deep), Recognition::NONE);
    assert!(tables.probe(&won, 7, 4, &deep).ibv.is_some());
    assert_eq!(tables.probe(&Position::startpos(), 7, 9, &probing), Recognition::NONE);
}

#[test]
fn folders_add_up_and_repeated_files_are_reported() {
    let Some(folder) = shared("data/syzygy") else { return };
    let scratch = Scratch::new("one more");
    let copy = std::fs::read(folder.join("KQvK.rtbw")).expect("a table");
    scratch.write("KQvK.rtbw", &copy);
    let both = std::env::join_paths([&folder, &scratch.0]).expect("a path");
    let (tables, remarks) = Tablebases::open(&both.to_string_lossy());
    assert!(tables.is_some());
    assert_eq!(remarks.len(), 1, "{remarks:?}");
    assert!(remarks[0].contains("KQvK.rtbw"));
}

/// A file that is already open is skipped, whatever path leads to it; of many others only the first are named.
#[test]
fn files_that_are_found_twice_do_not_flood() {
    let Some(folder) = shared("data/syzygy") else { return };
    let scratch = Scratch::new("found twice");
    let opened = |folders: &[&std::path::Path]| {
        let path = std::env::join_paths(folders).expect("a path");
        let (tables, remarks) = Tablebases::open(&path.to_string_lossy());
        (tables.expect("tables").has_failed(), remarks)
    };
    assert_eq!(opened(&[&folder, &folder]), (false, Vec::new()));
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&folder, scratch.0.join("link")).expect("a link");
        assert_eq!(opened(&[&folder, &scratch.0.join("link")]), (false, Vec::new()));
    }
    let copies = scratch.0.join("copies");
    std::fs::create_dir(&copies).expect("a folder");
    for file in &table_files(&folder).expect("a folder")[..FILES_NAMED + 4] {
        std::fs::write(copies.join(file.file_name().expect("a name")), b"").expect("writable");
    }
    let (failed, remarks) = opened(&[&folder, &copies]);
    assert_eq!((failed, remarks.len()), (false, FILES_NAMED + 1), "{remarks:#?}");
    assert_eq!(remarks[FILES_NAMED], "4 more tablebase files are not used, since others of the same names are");
    // The first copies of the same files cannot be used, and are named once.
    let (failed, remarks) = opened(&[&copies, &copies, &folder]);
    assert_eq!((failed, remarks.len()), (true, FILES_NAMED + 1), "{remarks:#?}");
    assert_eq!(remarks[FILES_NAMED], "4 more tablebase files cannot be used");
}

#[test]
fn root_moves_are_ranked_by_what_they_keep() {
    let Some(folder) = shared("data/syzygy") else { return };
    let tables = Tablebases::open(&folder.to_string_lossy()).0.expect("tables");
    let probing = Probing::default();
    // Only one move wins; every legal move is ranked.
    let ending = game("8/8/8/4k3/8/4K3/4P3/8 w - - 0 1");
    let ranked = tables.rank_root(&ending, &probing).expect("known").moves;
    assert_eq!(ranked.len(), ending.position().legal_moves().len());
    assert!(ranked.windows(2).all(|pair| pair[0].rank >= pair[1].rank));
    // Moves that stalemate or lose the queen are not among the best; mate in one is worth a win.
    let ending = game("k7/8/1K6/8/8/8/8/1Q6 w - - 40 80");
    let ranked = tables.rank_root(&ending, &probing).expect("known").moves;
    assert!(best(&ranked).iter().all(|ranked| ranked.score == Some(Score::tablebase_win(0))));
    assert!(best(&ranked).len() < ranked.len());
    // There is time for a mate in one only.
    let ending = game("k7/8/1K6/8/8/8/8/7R w - - 99 80");
    let ranked = tables.rank_root(&ending, &probing).expect("known").moves;
    let mating = ending.position().parse_move("h1h8").expect("legal");
    assert_eq!(best(&ranked).iter().map(|ranked| ranked.m).collect::<Vec<_>>(), [mating]);
    assert_eq!(ranked[1].score, Some(Score::ZERO));
    // By its rounded distance, one move may hold until the clock runs out, so the others, which lose for certain, do
    // not stand for the position.
    let ending = game("8/8/1N6/B7/8/3K4/8/6k1 b - - 49 25");
    let ranked = tables.rank_root(&ending, &probing).expect("known").moves;
    assert!(best(&ranked).len() == ranked.len() && ranked.iter().all(|ranked| ranked.score.is_none()), "{ranked:?}");
    // A ply earlier on the clock, all lose.
    let ending = game("8/8/1N6/B7/8/3K4/8/6k1 b - - 48 25");
    let ranked = tables.rank_root(&ending, &probing).expect("known").moves;
    assert!(ranked.iter().all(|ranked| ranked.score == Some(-Score::tablebase_win(0))), "{ranked:?}");
    // Too many men, or castling rights: nothing is known.
    assert!(tables.rank_root(&Game::startpos(), &probing).is_none());
    assert!(tables.rank_root(&game("8/8/8/3k4/8/8/8/R3K3 w Q - 0 1"), &probing).is_none());
}

/// Mate is the end of the game, whatever the clock shows.
#[test]
fn a_mate_counts_at_any_clock() {
    let Some(folder) = shared("data/syzygy") else { return };
    let tables = Tablebases::open(&folder.to_string_lossy()).0.expect("tables");
    for clock in [0, 99, 100, 120] {
        let game = game(&format!("7k/8/6K1/8/8/8/2Q5/8 w - - {clock} 120"));
        let ranked = tables.rank_root(&game, &Probing::default()).expect("known").moves;
        for ranked in best(&ranked) {
            assert_eq!(ranked.score, Some(Score::tablebase_win(0)), "{clock}: {ranked:?}");
            let mut after = game.clone();
            after.play(ranked.m);
            let mates = after.outcome() == Some(crate::position::game::Ending::Checkmate);
            assert!(mates || clock < 99, "{clock}: {ranked:?}");
        }
    }
}

/// Won endings are won within the rule by always playing a best-ranked move, however the defence plays.
#[test]
fn ranking_makes_progress() {
    let Some(folder) = shared("data/syzygy") else { return };
    let tables = Tablebases::open(&folder.to_string_lossy()).0.expect("tables");
    for fen in ["8/8/8/3k4/8/8/8/R3K3 w - - 0 1", "8/8/3k4/8/8/8/8/KBN5 w - - 0 1", "8/8/4k3/4n3/8/8/8/KQ6 w - - 0 1"] {
        let mut game = game(fen);
        let strict = Probing { ..Probing::default() };
        while game.outcome().is_none() {
            let ranked = tables.rank_root(&game, &strict).expect("known").moves;
            // The slowest of the best-ranked moves: the worst that a search may do.
            let chosen = best(&ranked).last().expect("a move").m;
            game.play(chosen);
        }
        assert_eq!(game.outcome(), Some(crate::position::game::Ending::Checkmate), "{fen}");
    }
}

/// Debug builds compare every recognition with tables, and panic at a wrong one.
#[cfg(debug_assertions)]
#[test]
fn recognitions_are_checked_against_tables() {
    let Some(folder) = shared("data/syzygy") else { return };
    let tables = Tablebases::open(&folder.to_string_lossy()).0.expect("tables");
    let won = position("8/8/8/3k4/8/8/8/R3K3 w - - 0 1");
    let drawn = position("8/8/8/3k4/8/8/8/B3K3 w - - 0 1");
    let win = Ibv::lower(Score::recognized_win(0));
    for (position, claim, holds) in [
        (&won, win, true),
        (&won, Ibv::lower(Score::ZERO), true),
        (&won, Ibv::exact(Score::ZERO), false),
        (&won, -win, false),
        (&drawn, Ibv::exact(Score::ZERO), true),
        (&drawn, win, false),
    ] {
        let checked = catch_unwind(AssertUnwindSafe(|| check::cross_check_by(&tables, position, claim)));
        assert_eq!(checked.is_ok(), holds, "{claim:?} of {}", position.fen());
    }
    // The recognizers themselves pass, wherever a walk at random leads.
    let mut state = 3;
    for start in
        ["8/8/8/3k4/8/8/4P3/R3K3 w - - 0 1", "8/2p5/8/3k4/8/8/4B3/4K3 w - - 0 1", "8/8/3kn3/8/8/8/4Q3/4K3 b - - 0 1"]
    {
        for _ in 0..40 {
            let mut position = position(start);
            while position.has_legal_move() && position.clock() < 40 {
                let moves = position.legal_moves();
                position.play(moves[crate::random::split_mix(&mut state) as usize % moves.len()]);
                if let Some(ibv) = crate::recognize::recognize(&position).ibv {
                    check::cross_check_by(&tables, &position, ibv);
                }
            }
        }
    }
}

/// Only an engine makes its tables the judge of all recognitions: others that are opened meanwhile, even broken ones,
/// change nothing.
#[cfg(debug_assertions)]
#[test]
fn only_the_engines_tables_judge_recognitions() {
    let Some(folder) = shared("data/syzygy") else { return };
    let tables = Tablebases::open(&folder.to_string_lossy()).0.expect("tables");
    tables.judge_recognizers();
    let scratch = Scratch::new("no judge");
    let mut broken = std::fs::read(folder.join("KRvK.rtbw")).expect("a table");
    broken[4..].fill(0xFF);
    scratch.write("KRvK.rtbw", &broken);
    for kept in [true, false] {
        let other = Tablebases::open(&scratch.0.to_string_lossy()).0.filter(|_| kept);
        let won = position("8/8/8/3k4/8/8/8/R3K3 w - - 0 1");
        let claim = Ibv::upper(Score::ZERO);
        let checked = catch_unwind(|| cross_check(&won, Some(claim)));
        assert!(checked.is_err(), "others open: {}", other.is_some());
    }
}
