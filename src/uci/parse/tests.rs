use super::*;

fn command(line: &str) -> Command {
    parse(line).expect(line).expect(line)
}

fn go_of(line: &str) -> Go {
    match command(line) {
        Command::Go(go) => go,
        other => panic!("{line}: {other:?}"),
    }
}

fn limits(line: &str) -> Limits {
    go_of(line).limits(&Position::startpos())
}

fn game(line: &str) -> Result<Game, ParseError> {
    match parse(line)? {
        Some(Command::Position(setup)) => setup?.game(false).map(|(game, _)| game),
        other => panic!("{line}: {other:?}"),
    }
}

const fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

#[test]
fn simple_commands_are_read_despite_leading_dirt() {
    for (line, message) in [
        ("uci", Simple::Uci),
        ("UCI", Simple::Uci),
        ("uci foo", Simple::Uci),
        ("isready", Simple::IsReady),
        ("foo isready", Simple::IsReady),
        ("joho debug on", Simple::Debug(true)),
        ("debug joho off", Simple::Debug(false)),
        ("Debug ON", Simple::Debug(true)),
        ("ucinewgame", Simple::NewGame),
        ("stop\t", Simple::Stop),
        ("ponderhit", Simple::PonderHit),
        ("quit", Simple::Quit),
    ] {
        assert_eq!(command(line), Command::Simple(message), "{line}");
    }
    assert!(matches!(command("register name a code b"), Command::Simple(Simple::Register)));
    for silent in ["", "  ", "# stop", "#stop", "debug"] {
        assert_eq!(parse(silent), Ok(None), "{silent}");
    }
    // A word of the prompt is known, whatever follows it.
    for (line, word) in
        [("help go", "help"), ("d stop", "d"), ("EVAL position", "eval"), ("bench quit", "bench"), ("flip uci", "flip")]
    {
        assert!(matches!(command(line), Command::Other(first, rest) if first == word && rest.len() == 1), "{line}");
    }
    assert!(matches!(command("joho help go"), Command::Go(_)));
    // A keyword is a whole word.
    for other in ["isreadyx", "ucinewgamefoo", "ponderhits", "go_away", "xyzzy 1 2"] {
        assert!(matches!(command(other), Command::Other(..)), "{other}");
    }
}

/// Every input on which vampirc-uci's own `go` panics, drops something or gives up.
#[test]
fn go_takes_what_the_library_cannot() {
    for line in ["go", "go ", "go  ", "go\t", "go infinite ", "go infinite\t", "go ponder "] {
        let limits = limits(line);
        assert!(limits.infinite || limits.ponder, "{line}");
    }
    for depth in [5, 255, 256, 300, 999, 1000, 100_000] {
        assert_eq!(limits(&format!("go depth {depth} ")).depth, Some(depth));
        assert_eq!(limits(&format!("go mate {depth}")).mate, Some(depth));
    }
    let all = limits(
        "go ponder btime 5 wtime 4 binc 3 winc 2 movestogo 300 depth 9 nodes 10000000000000 mate 7 movetime 6 infinite",
    );
    assert!(all.ponder && all.infinite);
    assert_eq!((all.clock.white, all.clock.black), (Some(ms(4)), Some(ms(5))));
    assert_eq!((all.increment.white, all.increment.black), (ms(2), ms(3)));
    assert_eq!((all.moves_to_go, all.depth, all.mate), (Some(300), Some(9), Some(7)));
    assert_eq!((all.nodes, all.movetime), (Some(10_000_000_000_000), Some(ms(6))));
    assert_eq!(limits("go foo depth 5 foo nodes 7").nodes, Some(7));
    assert_eq!(limits("go wtime depth 5").depth, Some(5));
    for (line, depth, unread) in [
        ("go perft 5", 5, None),
        ("go perft", 1, None),
        ("go perft infinite", 1, None),
        ("go perft x", 1, Some("x")),
        ("go perft 1e1 infinite", 10, None),
    ] {
        let unread = unread.map(str::to_owned);
        assert_eq!(command(line), Command::Perft(Ok(Perft { depth, unread, search_moves: Vec::new() })), "{line}");
    }
}

#[test]
fn perft_takes_a_limited_depth_and_named_moves() {
    for word in ["-3", "65", "5000000000", "340282366920938463463374607431768211456"] {
        assert_eq!(command(&format!("go perft {word}")), Command::Perft(Err(ParseError::Depth(word.to_owned()))));
    }
    let counted = |line: &str| match command(line) {
        Command::Perft(Ok(perft)) => perft.moves(&Position::startpos()).len(),
        other => panic!("{line}: {other:?}"),
    };
    assert_eq!(counted("go perft 1"), 20);
    assert_eq!(counted("go searchmoves e2e4 g1f3 perft 1"), 2);
    assert_eq!(counted("go perft 1 searchmoves e2e4 e2e4 e2e5"), 1);
    assert_eq!(counted("go perft 1 searchmoves e2e5"), 20);
}

#[test]
fn numbers_of_every_kind_are_read() {
    assert_eq!(limits("go nodes 18446744073709551615").nodes, Some(i64::MAX as u64));
    assert_eq!(limits("go nodes 99999999999999999999999999").nodes, Some(i64::MAX as u64));
    assert_eq!(limits("go nodes -5").nodes, Some(1));
    assert_eq!(limits("go depth -1").depth, Some(1));
    assert_eq!(limits("go depth 99999999999").depth, Some(u32::MAX));
    assert_eq!(limits("go movetime -5").movetime, Some(Duration::ZERO));
    assert_eq!(limits("go wtime -100 btime -100").clock.white, Some(Duration::ZERO));
    assert_eq!(limits("go wtime 1000.5 btime 1000").clock.white, Some(ms(1000)));
    assert_eq!(limits("go wtime 1e6").clock.white, Some(ms(1_000_000)));
    assert!(limits("go wtime 9999999999999999999 btime 1").clock.white > Some(ms(1 << 36)));
    for none in ["0", "-1"] {
        assert_eq!(limits(&format!("go wtime 9 movestogo {none}")).moves_to_go, None);
    }
    for nothing in ["wtime", "wtime x", "depth inf", "movetime nan", "nodes -", "nodes +"] {
        assert!(limits(&format!("go {nothing}")).infinite, "{nothing}");
    }
}

#[test]
fn missing_clocks_are_filled_in() {
    assert_eq!(limits("go wtime 100").clock.white, Some(ms(100)));
    assert_eq!(limits("go btime 100").clock.white, Some(ms(100)), "ours is not told");
    assert_eq!(limits("go winc 100 binc 100").clock.white, Some(Duration::ZERO));
    assert!(!limits("go winc 100 binc 100").infinite);
    assert!(limits("go winc 0 binc 0").infinite);
    assert!(!limits("go nodes 5").infinite);
    for fixed in ["movetime 5000", "depth 12", "nodes 500", "mate 3"] {
        for clock in ["winc 100 binc 100", "btime 60000"] {
            assert_eq!(limits(&format!("go {fixed} {clock}")).clock.white, None, "{fixed} {clock}");
        }
    }
}

#[test]
fn zero_is_ignored_beside_another_limit() {
    let fixed = |line: &str| {
        let limits = limits(line);
        (limits.depth, limits.nodes, limits.movetime, limits.mate, limits.infinite)
    };
    let all = "depth 0 nodes 0 movetime 0 mate 0";
    assert_eq!(fixed(&format!("go wtime 60000 btime 60000 {all}")), (None, None, None, None, false));
    assert_eq!(fixed(&format!("go infinite {all}")), (None, None, None, None, true));
    assert_eq!(fixed("go depth 0 nodes 500 movetime 0"), (None, Some(500), None, None, false));
    assert_eq!(fixed(&format!("go {all}")), (Some(1), Some(1), Some(Duration::ZERO), Some(1), false));
    // Nor does a clock limit the search along with another limit, if every clock and increment is zero.
    let clocks = "wtime 0 btime 0 winc 0 binc 0";
    for (line, clock) in [
        ("go depth 12 wtime 0 btime 0".to_owned(), None),
        (format!("go {all} {clocks} movetime 500"), None),
        (format!("go nodes 50000 {clocks}"), None),
        (format!("go {clocks}"), Some(Duration::ZERO)),
        (format!("go {all} {clocks}"), Some(Duration::ZERO)),
        ("go depth 12 wtime 0 btime 60000".to_owned(), Some(Duration::ZERO)),
        ("go depth 12 wtime 0 btime 0 winc 100".to_owned(), Some(Duration::ZERO)),
    ] {
        assert_eq!(limits(&line).clock.white, clock, "{line}");
    }
}

#[test]
fn search_moves_are_legal_or_dropped() {
    let position = Position::startpos();
    let texts = |line| -> Vec<String> {
        go_of(line).limits(&position).search_moves.iter().map(|m| format!("{}{}", m.from(), m.to())).collect()
    };
    assert_eq!(texts("go searchmoves a2a3 h2h4 depth 4"), ["a2a3", "h2h4"]);
    assert_eq!(texts("go depth 4 searchmoves e2e5 a2a3 a1a8"), ["a2a3"]);
    assert_eq!(texts("go searchmoves E2E4 nodes 3 searchmoves d2d4"), ["e2e4", "d2d4"]);
    for none in ["go searchmoves", "go searchmoves 0000", "go searchmoves e2e5 a1a8", "go searchmoves xxxx"] {
        assert_eq!(texts(none), [""; 0], "{none}");
    }
    assert_eq!(limits("go searchmoves e2e4 depth 3").depth, Some(3));
}

#[test]
fn positions_are_read_in_every_form() {
    let after = |line: &str| game(line).unwrap_or_else(|error| panic!("{line}: {error}")).position().fen();
    let e4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
    for line in [
        "position startpos moves e2e4",
        "  position  startpos   moves  e2e4  ",
        "position startpos moves E2E4",
        "POSITION STARTPOS MOVES e2e4",
        "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 moves e2e4",
        "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1 moves e2e4",
        "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR  w KQkq - moves e2e4",
        "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 moves e2e4",
        "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 0 moves e2e4",
        "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - bm e4; id \"x.1\"; moves e2e4",
        "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 bm e4; moves e2e4",
        "position fen rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1",
    ] {
        assert_eq!(after(line), e4, "{line}");
    }
    assert_eq!(after("position startpos moves"), Position::startpos().fen());
    assert!(after("position fen 4k3/8/8/8/8/8/8/4K2R w K - 3 12345").ends_with(" 3 12345"));
}

#[test]
fn null_moves_pass_the_turn() {
    let after = |moves: &str| game(&format!("position startpos moves {moves}")).expect(moves);
    let (before, passed) = (after("e2e4 d7d6 e4e5 f7f5"), after("e2e4 d7d6 e4e5 f7f5 0000"));
    assert!(before.position().fen().ends_with(" w KQkq f6 0 3"), "{}", before.position().fen());
    // The en passant right goes, the clock counts on, and the key is that of the position without a past.
    assert!(passed.position().fen().ends_with(" b KQkq - 1 3"), "{}", passed.position().fen());
    assert_eq!(Position::from_fen(&passed.position().fen(), CastlingMode::Standard).unwrap().key(), {
        passed.position().key()
    });
    // Both sides pass: the same position, but not a repetition.
    let twice = after("g1f3 0000 0000 0000 0000 0000 0000");
    assert_eq!(twice.position().key(), after("g1f3").position().key());
    assert_eq!((twice.occurrences(), twice.outcome()), (0, None));
    // Repetitions after a pass count.
    assert_eq!(after("0000 b8c6 g1f3 c6b8 f3g1").occurrences(), 1);
    // Only kings and rooks that may castle.
    let kings = game("position fen 4k2r/8/8/8/8/8/8/R3K3 w Qk - 3 9 moves 0000 0000").unwrap();
    assert!(kings.position().fen().ends_with(" w Qk - 5 10"), "{}", kings.position().fen());
}

#[test]
fn bad_positions_are_refused_with_a_reason() {
    for (line, why) in [
        ("position", "'startpos' or 'fen'"),
        ("position moves e2e4", "'startpos' or 'fen'"),
        ("position fen", "needs a FEN"),
        ("position startpos e2e4", "'moves' is missing"),
        ("position startposmoves e2e4", "'startpos' or 'fen'"),
        ("position startpos moves e2e4 0000 e7e5", "'e7e5' (number 3"),
        ("position startpos moves f2f3 e7e5 g2g4 d8h4 0000", "'0000' (number 5"),
        ("position fen 4k3/8/8/8/8/8/4r3/4K3 w - - 0 1 moves 0000", "'0000' (number 1"),
        ("position startpos moves e2e4 xxxx e7e5", "'xxxx' (number 2"),
        ("position startpos moves e2e4 e7e9", "'e7e9' (number 2"),
        ("position startpos moves e2e4e7e5", "'e2e4e7e5' (number 1"),
        ("position fen 8/8/8/8/8/8/8/8 w - - 0 1", "king is missing"),
        ("position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR x KQkq - 0 1", "invalid FEN"),
        ("position fen rnbqkbnr/pppppppp/9/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "invalid FEN"),
    ] {
        let error = game(line).expect_err(line);
        assert!(error.to_string().contains(why), "{line}: {error}");
    }
}

#[test]
fn castling_is_read_in_both_forms() {
    let standard = "position fen r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1 moves";
    assert_eq!(game(&format!("{standard} e1g1 e8c8")).unwrap().position().fen(), {
        game(&format!("{standard} e1h1 e8a8")).unwrap().position().fen()
    });
    // A Chess960 position that was not announced keeps its rights; e1 is the rook's square.
    let inner = "position fen 8/7P/3bR3/8/7Q/5k2/8/1K2R2R w E - 0 1 moves";
    assert_eq!(game(&format!("{inner} b1e1")).unwrap().position().fen(), {
        game(&format!("{inner} b1g1")).unwrap().position().fen()
    });
    // Where the king could also step there, that step is meant.
    let step = "position fen 4k3/8/8/8/8/8/8/5K1R w H - 0 1 moves";
    let game = game(&format!("{step} f1g1")).unwrap();
    assert_eq!(game.position().board().rooks(), Square::H1.into());
}

#[test]
fn options_keep_their_text() {
    let text = |line| match command(line) {
        Command::SetOption(text) => text,
        other => panic!("{line}: {other:?}"),
    };
    assert_eq!(text("setoption  name  Move   Overhead value 4 "), "Move   Overhead value 4 ");
    assert_eq!(text("setoption NAME X value C:\\a b;D:\\c"), "X value C:\\a b;D:\\c");
    assert_eq!(text("setoption name"), "");
    for bad in ["setoption", "setoption value 3", "setoption Hash 16"] {
        assert!(parse(bad).is_err(), "{bad}");
    }
}
