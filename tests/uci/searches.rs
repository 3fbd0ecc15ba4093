//! The answers to `go`.

use super::*;

#[test]
fn roots_without_a_move_get_no_best_move() {
    let mut engine = Engine::new();
    for (fen, score) in [(MATED, "mate 0"), (STALEMATE, "cp 0")] {
        for go in ["go depth 5", "go movetime 10", "go wtime 1000 btime 1000", "go mate 3", "go nodes 50"] {
            let (best, lines) = engine.search(&format!("position fen {fen}"), go);
            assert_eq!(best, "(none)");
            assert!(lines.contains(&format!("info depth 0 score {score}")), "{lines:?}");
        }
    }
    let (best, _) = engine.search("position startpos", "go depth 2");
    assert!(is_legal(&Position::startpos(), &best));
}

#[test]
fn the_last_line_belongs_to_the_move() {
    let mut engine = Engine::new();
    for fen in [
        "r1bq1rk1/pp2bppp/2n1pn2/3p4/3P4/2NB1N2/PP3PPP/R1BQ1RK1 w - - 0 10",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "3r2nk/6pp/6q1/6N1/7Q/8/6K1/8 w - - 0 1",
    ] {
        for go in ["go nodes 3000", "go nodes 20000", "go depth 7", "go movetime 30"] {
            let (best, lines) = engine.search(&format!("position fen {fen}"), go);
            let last = lines.iter().rev().find(|line| line.contains(" pv ")).expect("a line");
            assert!(last.contains(&format!(" pv {best}")), "{best} after {last}");
            for field in ["depth", "seldepth", "multipv", "nodes", "nps", "hashfull", "tbhits", "time"] {
                let value = last.split(&format!(" {field} ")).nth(1).and_then(|rest| rest.split(' ').next());
                assert!(value.is_some_and(|value| value.parse::<u64>().is_ok()), "{field} in {last}");
            }
            assert!(last.contains(" score cp ") || last.contains(" score mate "), "{last}");
            // A short mate is proved to the last depth before the nodes are used up.
            if let Some(nodes) = go.strip_prefix("go nodes ").filter(|_| !last.contains(" score mate ")) {
                assert!(last.contains(&format!(" nodes {nodes} ")), "{last}");
            }
        }
    }
}

/// If the clock leaves time for the requested mate, `go mate` ends with the proof that there is none.
#[test]
fn the_absence_of_a_mate_is_proved_at_a_high_clock_too() {
    let mut engine = Engine::new();
    for (clock, moves) in [(0, 2), (85, 1), (96, 2)] {
        let fen = format!("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - {clock} 60");
        let (_, lines) = engine.search(&format!("position fen {fen}"), &format!("go mate {moves}"));
        let remark = format!("info string there is no mate in {moves}");
        assert!(lines.iter().any(|line| line.starts_with(&remark)), "{clock}: {lines:?}");
    }
}

/// The limit of strength is for games: a search until `stop` is analysis.
#[test]
fn an_infinite_search_is_not_limited() {
    let mut engine = Engine::new();
    engine.send("setoption name UCI_LimitStrength value true\nsetoption name UCI_Elo value 850");
    engine.send("position startpos\ngo infinite");
    loop {
        let line = engine.expect("info");
        let nodes = line.split(" nodes ").nth(1).and_then(|rest| rest.split(' ').next());
        // At this rating, a move of a game takes fewer than 5000 nodes.
        if nodes.is_some_and(|nodes| nodes.parse::<u64>().expect("a number") > 20_000) {
            break;
        }
    }
    engine.send("stop");
    assert!(is_legal(&Position::startpos(), &engine.best_move()));
}

/// A null move passes the turn, as some programs let their users do.
#[test]
fn null_moves_in_the_list_pass_the_turn() {
    let mut engine = Engine::new();
    let (best, _) = engine.search("position startpos moves e2e4 0000", "go depth 4");
    assert_eq!(engine.fen(), "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 1 2");
    let passed = Position::from_fen(&engine.fen(), CastlingMode::Standard).expect("a position");
    assert!(is_legal(&passed, &best), "{best}");
    let (best, _) = engine.search("position startpos moves e2e4 0000 0000 e7e5", "go depth 4");
    assert_ne!(best, "(none)");
    assert!(engine.fen().starts_with("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w"));
}

/// All threads together never count more nodes than the limit, and hardly fewer.
#[test]
fn a_node_limit_holds_for_any_number_of_threads() {
    let mut engine = Engine::new();
    for threads in 1..=8 {
        engine.send(format!("setoption name Threads value {threads}"));
        for limit in [1, 100, 600, 5_000, 50_000] {
            engine.send("ucinewgame");
            let (best, lines) = engine.search("position startpos moves e2e4 c7c5", &format!("go nodes {limit}"));
            let last = lines.iter().rev().find(|line| line.contains(" nodes ")).expect("a line");
            let told = last.split(" nodes ").nth(1).and_then(|rest| rest.split(' ').next()).expect("nodes");
            let nodes: u64 = told.parse().expect("a number");
            let missing = if threads == 1 { 0 } else { limit / 100 + 100 };
            assert!(nodes <= limit && nodes + missing >= limit, "{threads} threads, {limit}: {last}");
            assert!(last.contains(&format!(" pv {best}")), "{best} after {last}");
        }
    }
}

#[test]
fn castling_works_in_both_modes() {
    let standard = "8/3b2P1/8/8/4R2Q/5k2/8/4K2R w K - 0 1";
    let mut engine = Engine::new();
    assert_eq!(engine.search(&format!("position fen {standard}"), "go depth 5").0, "e1g1");
    assert_eq!(engine.search(&format!("position fen {}", standard.replace(" K ", " H ")), "go depth 5").0, "e1g1");
    engine.send("setoption name uci_chess960 value TRUE");
    assert_eq!(engine.search(&format!("position fen {standard}"), "go depth 5").0, "e1h1");
    for (fen, best) in [
        ("8/8/8/7b/3Q4/R1N2kp1/8/2K3R1 w G - 0 1", "c1g1"),
        ("8/8/8/7b/3Q4/R1N2kp1/8/2K3R1 w K - 0 1", "c1g1"),
        ("4b3/8/2Q2B2/8/4R3/2Nk4/8/1R3K2 w B - 0 1", "f1b1"),
        ("8/7P/3bR3/8/7Q/5k2/8/1K2R2R w E - 0 1", "b1e1"),
    ] {
        assert_eq!(engine.search(&format!("position fen {fen}"), "go depth 5").0, best, "{fen}");
    }
    engine.send("setoption name UCI_Chess960 value false");
    assert_eq!(engine.search(&format!("position fen {standard}"), "go depth 5").0, "e1g1");
    // Both notations are read in both modes.
    for moves in ["e1g1 e8c8", "e1h1 e8a8"] {
        engine.send(format!("position fen r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1 moves {moves}"));
        assert!(engine.fen().starts_with("2kr3r/8/8/8/8/8/8/R4RK1 w"), "{moves}");
    }
}

#[test]
fn searchmoves_and_go_mate_are_obeyed() {
    let mut engine = Engine::new();
    for (moves, allowed) in
        [("a2a3", &["a2a3"][..]), ("b1a3 g1h3 f2f3", &["b1a3", "g1h3", "f2f3"]), ("e2e5 a2a3 a1a8", &["a2a3"])]
    {
        for go in [format!("go depth 5 searchmoves {moves}"), format!("go searchmoves {moves} depth 5")] {
            let (best, _) = engine.search("position startpos", &go);
            assert!(allowed.contains(&best.as_str()), "{go}: {best}");
        }
    }
    let (best, lines) = engine.search("position fen 3r2nk/6pp/6q1/6N1/7Q/8/6K1/8 w - - 0 1", "go mate 2");
    assert_eq!(best, "h4h7");
    assert!(lines.iter().any(|line| line.contains(" score mate 2 ")));
}

/// If there is no such mate, its refutation ends the search.
#[test]
fn a_search_for_a_mate_that_does_not_exist_ends() {
    let mut engine = Engine::new();
    for threads in [1, 2] {
        engine.send(format!("setoption name Threads value {threads}"));
        for (fen, moves) in [
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 2),
            ("3r2nk/6pp/6q1/6N1/7Q/8/6K1/8 b - - 0 1", 1),
            // Certainly won and lost, by a recognizer, but far from mate.
            ("8/8/8/8/8/2k5/8/KBN5 w - - 0 1", 2),
            ("8/8/8/8/8/2k5/8/KBN5 b - - 0 1", 2),
            // A mate in five moves.
            ("2r2r2/1p2p3/1q2k1p1/p2p2Pp/2P3nP/1Pb2NQB/P3K3/3R2R1 b - - 0 1", 2),
        ] {
            let (_, lines) = engine.search(&format!("position fen {fen}"), &format!("go mate {moves}"));
            let remark = format!("info string there is no mate in {moves}, ");
            assert_eq!(lines.iter().filter(|line| line.starts_with(&remark)).count(), 1, "{fen}: {lines:#?}");
        }
    }
}

/// A line that ends in mate has as many moves as it announces.
#[test]
fn mate_lines_reach_the_mate() {
    let mut engine = Engine::new();
    let (mut told, mut short) = (0, Vec::new());
    for fen in [
        "3r2nk/6pp/6q1/6N1/7Q/8/6K1/8 w - - 0 1",
        "k7/2Q5/8/8/8/8/8/1K6 w - - 0 1",
        "7k/8/5K2/6Q1/8/8/8/8 w - - 98 100",
        "5R2/8/2k5/8/2KPp3/4B3/8/7b w - - 0 1",
        "6R1/5r1k/p6b/1pB1p2q/1P6/5rQP/5P1K/6R1 w - - 0 1",
        "6k1/3r1p2/p6p/1b1q1N2/1P3Q2/P5PP/5R1K/8 w - - 0 1",
    ] {
        let (_, lines) = engine.search(&format!("position fen {fen}"), "go nodes 50000");
        for line in lines.iter().filter(|line| !line.contains("bound")) {
            let Some(moves) = line.split(" score mate ").nth(1) else { continue };
            let moves: i32 = moves.split(' ').next().and_then(|n| n.parse().ok()).expect("a number");
            let mut position = Position::from_fen(fen, CastlingMode::Standard).expect("valid");
            let pv: Vec<&str> = line.split(" pv ").nth(1).expect("a line").split(' ').collect();
            for text in &pv {
                position.play(position.parse_move(text).expect("legal"));
            }
            let whole = pv.len() as i32 == if moves > 0 { 2 * moves - 1 } else { -2 * moves };
            if !whole || !position.is_checkmate() {
                short.push(format!("{fen}: {line}"));
            }
            told += 1;
        }
    }
    assert!(told > 50 && short.is_empty(), "{told}, short: {short:#?}");
}

#[test]
fn long_games_are_played() {
    let mut engine = Engine::new();
    let shuffle = "g1f3 g8f6 f3g1 f6g8 ".repeat(250);
    let (best, _) = engine.search(&format!("position startpos moves {shuffle}"), "go depth 4");
    assert!(is_legal(&Position::startpos(), &best));
    // Five thousand plies of knight moves only.
    let shuffle = "g1f3 g8f6 f3g1 f6g8 ".repeat(1250);
    let (best, _) = engine.search(&format!("position startpos moves {shuffle}"), "go movetime 20");
    assert!(is_legal(&Position::startpos(), &best));
    let many = "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1";
    let (best, _) = engine.search(&format!("position fen {many}"), "go depth 2");
    assert!(is_legal(&Position::from_fen(many, CastlingMode::Standard).expect("valid"), &best));
}

#[test]
fn the_same_search_repeats_exactly() {
    let mut engine = Engine::new();
    let mut results = VecDeque::new();
    for _ in 0..2 {
        engine.send("ucinewgame");
        let (_, lines) = engine.search("position startpos moves e2e4", "go nodes 30000");
        let told: Vec<String> = lines
            .iter()
            .filter_map(|line| Some((line.split(" nps ").next()?, line.split(" pv ").nth(1)?)))
            .map(|(head, pv)| format!("{head} {pv}"))
            .collect();
        assert!(told.len() > 3, "{lines:?}");
        results.push_back(told);
    }
    assert_eq!(results[0], results[1]);
}

#[test]
fn nodes_can_stand_for_time() {
    let mut engine = Engine::new();
    engine.send("setoption name nodestime value 100\nsetoption name Move Overhead value 0");
    let mut told = Vec::new();
    for _ in 0..2 {
        engine.send("ucinewgame");
        let (best, lines) = engine.search("position startpos", "go wtime 3000 btime 3000");
        let last = lines.iter().rev().find(|line| line.contains(" nodes ")).expect("a line");
        let nodes = last.split(" nodes ").nth(1).and_then(|rest| rest.split(' ').next()).map(str::to_owned);
        told.push((best, nodes.expect("nodes").parse::<u64>().expect("a number")));
    }
    assert_eq!(told[0], told[1], "the same game on every machine");
    // Three seconds are 300,000 nodes, of which a move takes a part: the game goes on.
    assert!((6_000..=60_000).contains(&told[0].1), "{told:?}");
    // An increment is spent.
    let mut nodes = |go: &str| -> u64 {
        engine.send("ucinewgame");
        let (_, lines) = engine.search("position startpos", go);
        let last = lines.iter().rev().find(|line| line.contains(" nodes ")).expect("a line");
        last.split(" nodes ").nth(1).and_then(|rest| rest.split(' ').next()).expect("nodes").parse().expect("a number")
    };
    assert!(nodes("go wtime 3000 btime 3000 winc 500 binc 500") > 2 * told[0].1, "{told:?}");
    // From a fixed time, the overhead is subtracted. The clock is checked every 1024 nodes.
    assert_eq!(nodes("go movetime 50"), 5120);
    engine.send("setoption name Move Overhead value 20");
    let (_, lines) = engine.search("position startpos", "go movetime 50");
    assert!(lines.iter().rev().find(|line| line.contains(" nodes ")).is_some_and(|line| line.contains(" nodes 3072 ")));
}

/// Even if stopped at once, a search completes its first iteration: a move comes with its line.
#[test]
fn a_search_stopped_at_once_completes_an_iteration() {
    let mut engine = Engine::new();
    for _ in 0..20 {
        engine.send("ucinewgame");
        let (best, told) = engine.search(&format!("position fen {MATE_IN_ONE}"), "go infinite\nstop");
        assert!(told.iter().any(|line| line.contains("score mate 1 ") && line.ends_with(&best)), "{told:?}");
    }
}

/// A ponder search may be complete before the expected move comes: its line is repeated after the ponderhit.
#[test]
fn a_ponderhit_is_answered_with_a_line() {
    let mut engine = Engine::new();
    engine.send("position startpos moves e2e4\ngo ponder depth 4 wtime 60000 btime 60000");
    let before = loop {
        let line = engine.expect("info");
        if line.contains(" depth 4 ") {
            break tables::number(&line, "time").expect("a time");
        }
    };
    // After its last iteration, the search only waits.
    std::thread::sleep(Duration::from_millis(1500));
    engine.ready();
    engine.send("ponderhit");
    let best = engine.best_move();
    let line = &engine.heard[engine.heard.len() - 2];
    assert!(line.contains(" depth 4 ") && line.contains(&format!(" pv {best}")), "{line}");
    // The wait does not count.
    assert!(tables::number(line, "time").is_some_and(|time| time < before + 1000), "{before}: {line}");
}
