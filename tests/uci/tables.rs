//! Tablebases in a session.

use super::*;

/// The public tablebases.
pub(super) fn tablebases() -> Option<PathBuf> {
    shared::shared("data/syzygy")
}

/// The number after a word of a line.
pub(super) fn number(line: &str, word: &str) -> Option<i32> {
    line.split(' ').skip_while(|&w| w != word).nth(1)?.parse().ok()
}

fn remarks_of(lines: &[String]) -> Vec<&String> {
    lines.iter().filter(|line| line.starts_with("info string ")).collect()
}

#[test]
fn tablebases_are_used_at_the_root_and_in_the_tree() {
    let Some(folder) = tablebases() else { return };
    let mut engine = Engine::new();
    engine.send(format!("setoption name SyzygyPath value {}", folder.display()));
    let found = engine.ready();
    assert!(found.len() == 1 && found[0].starts_with("info string tablebases: "), "{found:?}");
    // A mate has no centipawns: `i32::MAX` stands for it.
    let scores = |lines: &[String], line: i32| -> Vec<i32> {
        let told = lines.iter().filter(|told| number(told, "multipv") == Some(line));
        told.map(|told| number(told, "cp").unwrap_or(i32::MAX)).collect()
    };
    let hits = |lines: &[String]| -> Vec<i32> { lines.iter().filter_map(|line| number(line, "tbhits")).collect() };

    // Every line has the proved score, the winning ones first: mates, because there are three men; a draw is 0 despite
    // the extra pawn.
    engine.send("setoption name MultiPV value 8");
    let (best, lines) = engine.search("position fen 8/8/8/3k4/8/4K3/4P3/8 w - - 0 1", "go nodes 2000");
    let mates = |line: i32| {
        let mut told = lines.iter().filter(|told| number(told, "multipv") == Some(line));
        told.any(|told| number(told, "mate").is_some_and(|moves| moves > 0))
    };
    let winning: Vec<i32> = (1..=8).filter(|&line| mates(line)).collect();
    let drawing: Vec<i32> = (1..=8).filter(|&line| scores(&lines, line).contains(&0)).collect();
    assert_eq!((winning, drawing), (vec![1, 2, 3], vec![4, 5]), "{lines:?}");
    assert!(["e3d3", "e3f3", "e3f4"].contains(&&*best), "{lines:?}");
    assert!(hits(&lines).len() > 8 && hits(&lines).iter().all(|&hits| hits > 0), "{lines:?}");

    // There is no time left to mate with bishop and knight: a draw under the rule, a win without it.
    let spoiled = "position fen 8/8/8/3k4/8/8/8/KBN5 w - - 90 100";
    engine.send("setoption name MultiPV value 1");
    let (_, lines) = engine.search(spoiled, "go nodes 2000");
    let told = scores(&lines, 1);
    assert!(!told.is_empty() && told.iter().all(|&cp| cp == 0), "{lines:?}");
    engine.send("setoption name Syzygy50MoveRule value false");
    let (_, lines) = engine.search(spoiled, "go nodes 2000");
    let told = scores(&lines, 1);
    assert!(!told.is_empty() && told.iter().all(|&cp| cp == 20_000), "{lines:?}");
    engine.send("setoption name Syzygy50MoveRule value true");

    // Six men at the root, four in the tree: the pawn is lost and with it the ending.
    let (_, lines) = engine.search("position fen 8/8/4k3/8/8/3P4/1P1K1p2/8 w - - 0 1", "go nodes 20000");
    let last = scores(&lines, 1).last().copied();
    assert!(last.is_some_and(|cp| (19_900..20_000).contains(&cp)), "{lines:?}");
    assert!(lines.iter().filter_map(|line| number(line, "tbhits")).any(|hits| hits > 0));

    // A limit below the men of every position, and no path: no hits.
    for line in ["setoption name SyzygyProbeLimit value 2", "setoption name SyzygyPath value <empty>"] {
        engine.send(line);
        let (_, lines) = engine.search("position fen 8/8/8/3k4/8/4K3/4P3/8 w - - 0 1", "go nodes 2000");
        assert!(!hits(&lines).is_empty() && hits(&lines).iter().all(|&hits| hits == 0), "{lines:?}");
        engine.send("setoption name SyzygyProbeLimit value 7");
    }
}

#[test]
fn unusable_tablebases_are_reported() {
    let scratch = Scratch::new("tables of a session");
    let mut engine = Engine::new();
    for (path, remarks) in [
        ("<empty>", 0),
        ("", 0),
        ("/no/such directory/with  blanks", 1),
        ("\"/quoted dir\"", 1),
        (&scratch.path(""), 1),
    ] {
        engine.send(format!("setoption name SyzygyPath value {path}"));
        let lines = engine.ready();
        assert_eq!(remarks_of(&lines).len(), remarks, "{path}: {lines:?}");
    }
    if let Some(folder) = tablebases() {
        // A truncated table, one of rubbish after the right first bytes, one that is whole: two remarks, once.
        let read = |name: &str| std::fs::read(folder.join(name)).expect("a table");
        let mut rook = read("KRvK.rtbw");
        rook[4..].fill(0xFF);
        scratch.write("KRvK.rtbw", &rook);
        scratch.write("KQvK.rtbw", b"short");
        scratch.write("KPvK.rtbw", read("KPvK.rtbw"));
        scratch.write("KPvK.rtbz", read("KPvK.rtbz"));
        engine.send("setoption name SyzygyPath value <empty>");
        engine.send(format!("setoption name SyzygyPath value {}", scratch.0.display()));
        let lines = engine.ready();
        let remarks = remarks_of(&lines);
        assert_eq!(remarks.len(), 2, "{lines:?}");
        assert!(remarks[1].ends_with("tablebases: 2 WDL and 1 DTZ tables of up to 3 men"), "{lines:?}");
        let mut told = Vec::new();
        for _ in 0..2 {
            for fen in ["8/8/8/3k4/8/8/8/R3K3 w - - 0 1", "8/2P5/8/3k4/8/8/8/4K3 w - - 0 1"] {
                let (best, lines) = engine.search(&format!("position fen {fen}"), "go nodes 2000");
                assert!(is_legal(&Position::from_fen(fen, CastlingMode::Standard).expect("a position"), &best));
                told.extend(remarks_of(&lines).into_iter().cloned());
            }
        }
        assert!(told.iter().any(|line| line.contains("KRvK")), "{told:?}");
        let mut once = told.clone();
        once.sort();
        once.dedup();
        assert_eq!(once.len(), told.len(), "{told:?}");
    }
}

/// A damaged or missing table shows in a search. Once it is mended, its path can be set again.
#[test]
fn a_repaired_table_is_used_when_its_path_is_set_again() {
    let Some(folder) = tablebases() else { return };
    let scratch = Scratch::new("mended tables");
    let read = |name: &str| std::fs::read(folder.join(name)).expect("a table");
    let mut damaged = read("KRvK.rtbw");
    damaged[4..].fill(0xFF);
    scratch.write("KQvK.rtbw", read("KQvK.rtbw"));
    let path = format!("setoption name SyzygyPath value {}", scratch.0.display());
    let position = "position fen 8/8/8/3k4/8/8/8/R3K3 w - - 0 1";
    let has_hits = |lines: &[String]| lines.iter().any(|line| number(line, "tbhits") > Some(0));
    for before in [Some(&damaged), None] {
        let _ = std::fs::remove_file(scratch.path("KRvK.rtbw"));
        if let Some(table) = before {
            scratch.write("KRvK.rtbw", table);
        }
        let mut engine = Engine::new();
        engine.send(&path);
        let files = if before.is_some() { 2 } else { 1 };
        assert_eq!(engine.ready(), [format!("info string tablebases: {files} WDL and 0 DTZ tables of up to 3 men")]);
        let (_, lines) = engine.search(position, "go nodes 2000");
        assert!(remarks_of(&lines).iter().any(|line| line.contains("KRvK")) && !has_hits(&lines), "{lines:?}");
        // Another option does not reopen anything.
        scratch.write("KRvK.rtbw", read("KRvK.rtbw"));
        engine.send("setoption name Hash value 8");
        let (_, lines) = engine.search(position, "go nodes 2000");
        assert!(!has_hits(&lines), "{lines:?}");
        engine.send(&path);
        assert_eq!(engine.ready(), ["info string tablebases: 2 WDL and 0 DTZ tables of up to 3 men"]);
        let (_, lines) = engine.search(position, "go nodes 2000");
        assert!(has_hits(&lines), "{lines:?}");
    }
}

/// A folder with the WDL files of these tables, without the DTZ files.
fn results_of(folder: &Path, name: &str) -> Scratch {
    let scratch = Scratch::new(name);
    for file in std::fs::read_dir(folder).expect("a folder").flatten() {
        let name = file.file_name().to_string_lossy().into_owned();
        if name.ends_with(".rtbw") {
            scratch.write(&name, std::fs::read(file.path()).expect("a table"));
        }
    }
    scratch
}

/// WDL without DTZ: a missing DTZ table does not affect the known results of the same men.
#[test]
fn result_tables_work_without_distance_tables() {
    let Some(folder) = tablebases() else { return };
    let scratch = results_of(&folder, "results alone");
    let mut engine = Engine::new();
    engine.send(format!("setoption name SyzygyPath value {}", scratch.0.display()));
    engine.send("setoption name UCI_ShowWDL value true");
    // Twice: the first search misses the DTZ table.
    for _ in 0..2 {
        let (_, lines) = engine.search("position fen 8/8/8/8/4k1p1/8/1R6/4K3 w - - 0 1", "go nodes 20000");
        let last = lines.iter().rfind(|line| line.contains(" score ")).expect("a score");
        assert!(number(last, "tbhits") > Some(0), "{lines:#?}");
    }
    // The 50 moves are over.
    let (_, lines) = engine.search("position fen 8/8/3k4/8/8/1n6/8/1K5R w - - 100 90", "go nodes 2000");
    let last = lines.iter().rfind(|line| line.contains(" score ")).expect("a score");
    assert!(last.contains("wdl 0 1000 0"), "{lines:#?}");
}

/// What a move keeps is known before its score is certain: of several lines, the one that keeps most comes first, and
/// none that keeps less has a better score. Only Kb5 wins; Ka5 loses, but the search does not see that at once.
#[test]
fn lines_stand_by_what_they_keep() {
    let Some(folder) = tablebases() else { return };
    let scratch = results_of(&folder, "results of lines");
    let mut engine = Engine::new();
    engine.send(format!("setoption name SyzygyPath value {}", scratch.0.display()));
    for contempt in [-40, 0, 1, 40] {
        engine.send(format!("setoption name Contempt value {contempt}"));
        for lines_wanted in [1, 2, 5] {
            engine.send(format!("setoption name MultiPV value {lines_wanted}"));
            for limit in ["depth 1", "depth 2", "depth 4", "nodes 100", "wtime 60 btime 60"] {
                engine.send("ucinewgame");
                let position = "position fen 8/2P5/1K1r4/8/8/8/8/k7 w - - 1 1";
                let (best, lines) = engine.search(position, &format!("go {limit}"));
                assert_eq!(best, "b6b5", "{lines:#?}");
                let last: Vec<&String> = (1..=lines_wanted)
                    .map(|line| {
                        let of_line =
                            |told: &&String| number(told, "multipv").unwrap_or(1) == line && told.contains(" pv ");
                        lines.iter().rfind(of_line).expect("a line")
                    })
                    .collect();
                assert!(last[0].contains(" pv b6b5"), "{lines:#?}");
                let scores: Vec<i32> = last
                    .iter()
                    .map(|line| {
                        number(line, "cp").or(number(line, "mate").map(|n| 40_000 * n.signum())).expect("a score")
                    })
                    .collect();
                assert!(scores.is_sorted_by(|one, next| one >= next), "{lines:#?}");
                assert!(lines_wanted == 1 || scores[0] > 0, "{lines:#?}");
            }
        }
    }
}

/// The 50 moves are over and no draw was claimed: a pawn move resets the count, with DTZ and without.
#[test]
fn progress_wins_after_the_last_ply_too() {
    let Some(folder) = tablebases() else { return };
    let scratch = results_of(&folder, "no distances");
    for tables in [folder.as_path(), scratch.0.as_path()] {
        for clock in [99, 100, 120] {
            let mut engine = Engine::new();
            engine.send(format!("setoption name SyzygyPath value {}", tables.display()));
            engine.send("setoption name UCI_ShowWDL value true");
            let position = format!("position fen 8/8/8/4k3/8/8/4P3/R3K3 w - - {clock} 90");
            let (best, lines) = engine.search(&position, "go depth 2");
            let last = lines.iter().rfind(|line| line.contains(" score ")).expect("a score");
            assert!(last.contains(" wdl 1000 0 0 ") && best.starts_with("e2"), "{clock}: {best}: {last}");
        }
    }
}

/// A certain loss after one move does not prove the position lost if another move may hold until the clock runs out or
/// the game repeats: DTZ is rounded, and repetition is not in the tables.
#[test]
fn a_position_is_lost_only_where_every_move_is() {
    let Some(folder) = tablebases() else { return };
    for position in [
        "position fen 8/8/1N6/B7/8/3K4/8/6k1 b - - 49 25",
        "position fen 8/B7/8/8/8/1K1N4/8/1k6 w - - 84 43 moves d3f2 b1c1 b3c3 c1b1 c3b3",
        "position fen 8/8/8/2k5/8/8/5B2/1K2N3 b - - 33 17 moves c5b4 f2h4 b4c5 e1g2 c5b4 b1c2 b4c5 c2b1 c5c4 b1c2",
    ] {
        let mut engine = Engine::new();
        engine.send(format!("setoption name SyzygyPath value {}", folder.display()));
        engine.send("setoption name UCI_ShowWDL value true");
        let (_, lines) = engine.search(position, "go nodes 2000");
        let told: Vec<&String> = lines.iter().filter(|line| line.contains(" score ")).collect();
        assert!(!told.is_empty() && !told.iter().any(|line| line.contains("wdl 0 0 1000")), "{position}: {lines:?}");
    }
}

/// A move that a trap may save is searched along with the certain losses: it may be mated at once.
#[test]
fn moves_that_may_hold_are_searched_with_the_losses() {
    let Some(folder) = tablebases() else { return };
    let mut engine = Engine::new();
    engine.send(format!("setoption name SyzygyPath value {}", folder.display()));
    let moves = "f3f5 d2c3 f5f3 c3d2 f3f5 d2c3 f5f3 c3c2 f3g3 c8f5 g3d3 f5b5";
    let position = format!("position fen 2Q5/8/8/8/8/5r2/3K4/k7 b - - 76 39 moves {moves}");
    let (_, lines) = engine.search(&position, "go nodes 2000");
    assert!(!lines.iter().any(|line| number(line, "mate") == Some(-1)), "{lines:?}");
}

/// Half of the 50 moves are over: DTZ ranks the moves, and the fastest is a pawn move. The mate in two that the mate
/// search finds makes no progress first.
#[test]
fn a_mate_by_a_lower_ranked_move_is_kept() {
    let Some(folder) = tablebases() else { return };
    let mut engine = Engine::new();
    engine.send(format!("setoption name SyzygyPath value {}", folder.display()));
    let (best, lines) = engine.search("position fen 7k/8/5K2/Q7/8/8/1P6/8 w - - 60 90", "go nodes 300000");
    let mates: Vec<i32> = lines.iter().filter_map(|line| number(line, "mate")).collect();
    let known = mates.iter().position(|&moves| moves == 2).expect("a mate in two");
    assert!(mates[known..].iter().all(|&moves| moves == 2), "{lines:?}");
    // Both mate in two.
    assert!(["a5g5", "f6g6"].contains(&best.as_str()), "{best}: {lines:?}");
}
