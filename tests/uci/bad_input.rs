//! Input that no chess program should send, and readers that disappear.

use super::*;

#[test]
fn dirt_in_the_input_does_no_harm() {
    let mut engine = Engine::new();
    engine.send(b"\xef\xbb\xbfuci");
    engine.expect("uciok");
    for dirt in [
        &b"\r"[..],
        b"",
        b" \t ",
        b"\0\0",
        b"\xff\xfe\x80\x81 garbage",
        b"# stop",
        b"xyzzy 1 2 3",
        b"isreadyx",
        b"joho debug on",
        b"debug joho off",
        b"stop\0",
        b"register later",
        b"register",
        b"ponderhit",
        b"setoption name UCI_Opponent value none none human J\xf6rg",
    ] {
        engine.send(dirt);
    }
    engine.send(vec![b'x'; 1_000_000]);
    engine.send([&vec![b' '; 1_000_000][..], b"foo isready\0\r"].concat());
    engine.expect("readyok");
    let lines = std::mem::take(&mut engine.heard);
    assert_eq!(count(&lines, "bestmove"), 0);
    let e4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
    for line in [
        "position  startpos   moves  e2e4",
        "  position\tstartpos\tmoves\te2e4\t\r",
        "joho position startpos moves e2e4",
        "position fen rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3",
    ] {
        engine.send("position startpos");
        engine.send(line);
        assert_eq!(engine.fen(), e4, "{line}");
    }
}

/// Recursion to an unlimited depth would overflow a thread's stack. The refusal repeats the depth as it was typed.
#[test]
fn too_deep_a_perft_is_refused() {
    let mut engine = Engine::new();
    let beyond = ["99999999999999999999", "340282366920938463463374607431768211456"];
    for depth in ["65", "100000", "5000000000", "-3"].into_iter().chain(beyond) {
        for command in ["perft", "go perft"] {
            engine.send(format!("{command} {depth}"));
            let refused = format!("info string perft goes from depth 0 to 64, not '{depth}'");
            assert_eq!(engine.ready(), [refused], "{command}");
        }
    }
    engine.send("perft x");
    assert_eq!(engine.ready(), ["info string perft goes from depth 0 to 64, not 'x'"]);
    engine.send("go perft x");
    assert_eq!(engine.expect("info"), "info string perft: 'x' is not a depth; taken as 1");
    assert_eq!(engine.expect("Nodes"), "Nodes searched: 20");
    engine.send("go perft");
    assert_eq!(engine.expect("Nodes"), "Nodes searched: 20");
    engine.send("go perft 64");
    engine.send("isready");
    engine.expect("readyok");
    engine.send("stop");
    assert_eq!(engine.expect("info"), "info string perft stopped");
}

#[test]
fn quit_and_the_end_of_the_input_end_the_program() {
    for (text, best_moves) in [
        ("quit", 0),
        ("", 0),
        ("uci\nisready", 0),
        ("position startpos\ngo depth 6", 1),
        ("go depth 4\nposition startpos moves e2e4\ngo depth 4", 2),
        ("go infinite", 1),
        ("go ponder wtime 1000 btime 1000", 1),
        ("go infinite\nquit", 1),
        ("go infinite\ngo infinite", 2),
        ("go perft 3", 0),
        ("go perft 9\nstop\nquit", 0),
        ("go perft 4\nquit", 0),
    ] {
        let mut engine = Engine::new();
        if !text.is_empty() {
            engine.send(text);
        }
        engine.close();
        let (status, errors, lines) = engine.end();
        assert_eq!((status, errors.as_str()), (0, ""), "{text}");
        assert_eq!(count(&lines, "bestmove"), best_moves, "{text}: {lines:?}");
        if text.contains("perft 4") {
            assert_eq!(lines.last().map(String::as_str), Some("Nodes searched: 197281"), "counted first: {lines:?}");
        }
        if text.contains("depth 6") {
            assert!(lines.iter().any(|line| line.starts_with("info depth 6 ")), "finished, not cut: {lines:?}");
        }
    }
}

/// The arguments end like an input: a search with a limit is finished first.
#[test]
fn quit_as_the_last_argument_cuts_nothing_off() {
    for last in ["quit", "isready"] {
        let output = run(&["position startpos", "go depth 9", last]);
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success() && said.contains("info depth 9 "), "{last}: {said}");
        assert_eq!(said.matches("bestmove").count(), 1, "{said}");
    }
    assert!(run(&["quit"]).stdout.is_empty());
}

/// A refused position does not carry over to the next game.
#[test]
fn a_new_game_begins_at_the_beginning() {
    let mut engine = Engine::new();
    let (best, _) = engine.search("position fen 8/8/8/8/8/8/8/8 w - - 0 1", "go depth 3");
    assert_eq!(best, "(none)");
    let (best, _) = engine.search("ucinewgame", "go depth 3");
    assert!(is_legal(&Position::startpos(), &best), "{best}");
}

#[test]
fn the_engine_ends_when_its_reader_leaves() {
    for lines in [
        "uci\nposition startpos\ngo depth 6\nisready\n",
        // The first move is mate, and the second would take years.
        "position fen 6k1/5ppp/8/8/8/8/8/K3R3 w - - 0 1\ngo perft 30 searchmoves e1e8 a1b1\n",
    ] {
        leave(lines);
    }
}

/// Sends these lines to an engine whose output is not read, and waits for its end.
fn leave(lines: &str) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ibex"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    let mut input = child.stdin.take().expect("a pipe");
    // The engine may be gone before everything is written.
    let _ = input.write_all(lines.as_bytes());
    let output = child.wait_with_output().expect("it ends although its input is open");
    assert!(output.status.success(), "{:?}", output.status);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    drop(input);
}

#[test]
fn bad_positions_are_reported_once_and_not_played_from() {
    let mut engine = Engine::new();
    for bad in [
        "position",
        "position fen",
        "position moves e2e4",
        "position startpos e2e4",
        "position startposmoves e2e4",
        "position startpos moves e2e4 0000 e7e5",
        "position startpos moves f2f3 e7e5 g2g4 d8h4 0000",
        "position startpos moves e2e4 xxxx e7e5",
        "position startpos moves e2e4 e7e9",
        "position startpos moves e2e4 e7e5 e1e8 g1f3",
        "position startpos moves e2",
        "position startpos moves e2e4e7e5",
        "position startpos moves a7a8k",
        "position fen 8/8/8/8/8/8/8/8 w - - 0 1",
        "position fen 4k3/8/8/8/8/8/8/8 w - - 0 1",
        "position fen 4kk2/8/8/8/8/8/8/4K3 w - - 0 1",
        "position fen 4k3/8/8/8/8/8/8/4KP2 w - - 0 1",
        "position fen 4k3/8/8/8/8/8/4r3/4K3 b - - 0 1",
        "position fen 8/8/8/8/8/4k3/4K3/8 w - - 0 1",
        // More moves than a list holds, for the side to move or for the other.
        "position fen QQQQQQBk/Q5RB/Q6Q/Q6Q/Q6Q/Q6Q/Q6Q/KQQQQQQQ w - - 0 1",
        "position fen QQQQQQBk/Q5RB/Q6Q/Q6Q/Q6Q/Q6Q/Q6Q/KQQQQQQQ b - - 0 1",
        "position fen kqqqqqqq/q6q/q6q/q6q/q6q/q6q/q5rb/qqqqqqbK b - - 0 1",
        "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR x KQkq - 0 1",
        "position fen rnbqkbnr/pppppppp/9/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    ] {
        engine.send("position startpos moves d2d4 g8f6");
        engine.send(bad);
        let lines = engine.ready();
        assert_eq!((lines.len(), count(&lines, "info")), (1, 1), "{bad}: {lines:?}");
        // A move of the previous position would be illegal in the position that the program means.
        engine.send("go depth 2");
        assert_eq!(engine.best_move(), "(none)", "{bad}");
        let lines = std::mem::take(&mut engine.heard);
        assert!(lines.len() == 2 && lines[0].starts_with("info string no position: "), "{bad}: {lines:?}");
        for word in ["d", "eval", "flip", "go perft 2"] {
            engine.send(word);
            let lines = engine.ready();
            assert!(lines.len() == 1 && lines[0].starts_with("info string no position: "), "{word}: {lines:?}");
        }
    }
    // The answer waits for what a move would wait for.
    for (go, signal) in [("go infinite", "stop"), ("go ponder wtime 9 btime 9", "ponderhit"), ("go ponder", "stop")] {
        engine.send(go);
        assert_eq!(count(&engine.ready(), "bestmove"), 0, "{go}");
        engine.send(signal);
        assert_eq!(engine.best_move(), "(none)", "{go}");
        engine.ready();
    }
    engine.send("go infinite");
    engine.send("position startpos");
    engine.send("go depth 1");
    assert_eq!((engine.best_move().as_str(), engine.best_move().len()), ("(none)", 4));
    engine.ready();
    engine.send(format!("position fen {}", "8/".repeat(500_000)));
    let lines = engine.ready();
    assert!(lines.len() == 1 && lines[0].len() < 1000);
    // This line is ignored, except that it was a `position` command.
    engine.send("position startpos moves d2d4 g8f6");
    engine.send(format!("position startpos moves {}", "g1f3 g8f6 f3g1 f6g8 ".repeat(1 << 20)));
    engine.send("go depth 1");
    assert_eq!(engine.best_move(), "(none)");
}

/// An overlong line is answered if a program would wait for an answer, and a comment is not a command.
#[test]
fn overlong_lines_still_get_an_answer() {
    let mut engine = Engine::new();
    let long = "x".repeat(17 << 20);
    let remark = |lines: &[String]| count(lines, "info") == 1 && lines[0].ends_with("a line was too long to be read");
    engine.send("position startpos moves d2d4 g8f6");
    engine.send(format!("# position startpos {long}"));
    assert_eq!(engine.ready(), [""; 0]);
    assert!(engine.fen().starts_with("rnbqkb1r/pppppppp/5n2/8/3P4/"));
    engine.ready();
    engine.send(format!("foo go nodes 1000000000000 searchmoves c1f4 {long}"));
    assert_eq!(engine.best_move(), "c1f4");
    engine.ready();
    engine.send(format!("go infinite {long}"));
    assert_eq!(count(&engine.ready(), "bestmove"), 0);
    engine.send("stop");
    engine.best_move();
    engine.ready();
    for other in ["go perft 3", "nonsense"] {
        engine.send(format!("{other} {long}"));
        let lines = engine.ready();
        assert!(lines.len() == 1 && remark(&lines), "{other}: {lines:?}");
    }
}

/// Impossible positions from other programs are repaired, and any number of pieces is played: a refused position costs
/// a game.
#[test]
fn impossible_positions_are_repaired_and_played() {
    let mut engine = Engine::new();
    for (fen, played) in [
        ("nnnnknnn/pppppppp/8/8/8/8/PPPPPPPP/1Q1QK1Q1 w - - 0 1", ""),
        ("r3k3/8/8/8/8/8/8/R3K3 w KQkq - 0 1", "r3k3/8/8/8/8/8/8/R3K3 w Qq - 0 1"),
        ("4k3/8/8/8/8/8/4P3/4K3 b - e3 0 1", "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1"),
        ("4k3/8/8/8/8/8/4P3/4K3 w - - 999 -1", "4k3/8/8/8/8/8/4P3/4K3 w - - 150 1"),
        ("4k3/8/8/8/8/8/4P3/4K3 w - - 99999999999999999999 1", "4k3/8/8/8/8/8/4P3/4K3 w - - 150 1"),
        // As many moves as a list holds, and enough queens for as many captures.
        ("kBQQQQQQ/BR5Q/Q6Q/Q6Q/Q6Q/Q6Q/Q6Q/KQQQQQQQ w - - 0 1", ""),
        ("kqQQQQQQ/qqqqqqqq/QQQQQQQQ/qqqqqqqq/QQQQQQQQ/qqqqqqqq/QQQQQQQQ/KQqqqqqq w - - 0 1", ""),
        ("QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/8/8/8/k7/7K b - - 0 1", ""),
    ] {
        engine.send(format!("position fen {fen}"));
        let remarks = engine.ready();
        assert!(!remarks.is_empty() && remarks.len() == count(&remarks, "info"), "{fen}: {remarks:?}");
        assert_eq!(engine.fen(), if played.is_empty() { fen } else { played });
        engine.ready();
        engine.send("go nodes 2000");
        let position = Position::from_fen(fen, CastlingMode::Standard).expect(fen);
        let best = engine.best_move();
        assert!(is_legal(&position, &best) || !position.has_legal_move() && best == "(none)", "{fen}: {best}");
        engine.ready();
    }
}

/// Lists of good and bad FENs, which are beside the checkout where the project is measured, each with the verdict of
/// python-chess: bad ones get a remark, and are repaired or not played from.
#[test]
fn public_lists_of_bad_positions_are_handled() {
    let (mut engine, mut checked) = (Engine::new(), 0);
    for (file, column) in [("fen_validation_chessjs.tsv", 1), ("fen_malformed_handmade.tsv", 0)] {
        let Some(path) = shared::shared(&format!("data/fen/{file}")) else { return };
        let list = std::fs::read_to_string(path).expect("a list");
        for line in list.lines().filter(|line| !line.starts_with('#')) {
            let fields: Vec<&str> = line.split('\t').collect();
            // The list writes a tab as two characters.
            let fen = fields[column].trim_matches('\'').replace("\\t", "\t");
            let verdict = *fields.last().expect("a verdict");
            // Two differences: castling rights may be in any order, and absurd counters are reset.
            let valid = verdict.starts_with("VALID") && !fen.contains("99999") || fen.contains(" kqKQ ");
            engine.send("position fen 7k/8/8/8/8/8/8/K7 w - - 3 44");
            engine.send(format!("position fen {fen}"));
            let remarks = engine.ready();
            assert_eq!(remarks.is_empty(), valid, "{line}: {remarks:?}");
            assert!(remarks.iter().all(|remark| remark.starts_with("info string ")), "{line}: {remarks:?}");
            engine.send("go nodes 50");
            let best = engine.best_move();
            match Position::from_any_fen(&fen, None) {
                Ok((position, _)) if position.has_legal_move() => assert!(is_legal(&position, &best), "{line}: {best}"),
                _ => assert_eq!(best, "(none)", "{line}"),
            }
            // The output of this search does not belong to the next position.
            engine.ready();
            checked += 1;
        }
    }
    assert!(checked > 150, "{checked}");
}
