use super::*;
use ibex::position::Move;
use ibex::position::notation::{san, uci};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
/// A position with promotions, captures and castling on both wings.
const RICH: &str = "r3k2r/1P6/8/3pP3/8/8/1p4N1/R3K1NR w KQkq d6 0 1";

fn entry(text: &str) -> SuiteEntry {
    parse_line(text, 1).expect("not empty").unwrap_or_else(|reason| panic!("{text}: {reason}"))
}

fn reason(text: &str) -> String {
    let reason = parse_line(text, 1).expect("not empty").expect_err(text).to_string();
    assert!(!reason.contains('\n'), "{reason}");
    reason
}

fn sans(entry: &SuiteEntry, moves: &[Move]) -> Vec<String> {
    moves.iter().map(|&m| san(&entry.position, m)).collect()
}

#[test]
fn every_known_operation_is_understood() {
    let entry = entry(&format!(
        "{START} bm Nf3 d4; am f3, g4; id \"a; b\"; c0 \"prose\"; dm 3; acd 12; acn 4000000000000; acs 7; ce -35; \
         pm e2e4; pv e4 e5 Nf3; D1 20; D3 8902; D2 400; mystery 1 \"two\";"
    ));
    assert_eq!(sans(&entry, &entry.best), ["Nf3", "d4"]);
    assert_eq!(sans(&entry, &entry.avoid), ["f3", "g4"]);
    assert_eq!(entry.id.as_deref(), Some("a; b"));
    assert_eq!(entry.mate, Some(3));
    assert_eq!(entry.counts, [(1, 20), (2, 400), (3, 8902)]);
    let analysis = &entry.analysis;
    assert_eq!((analysis.depth, analysis.nodes, analysis.seconds), (Some(12), Some(4_000_000_000_000), Some(7)));
    assert_eq!(analysis.centipawns, Some(-35));
    assert_eq!(analysis.predicted.map(|m| uci(&entry.position, m)).as_deref(), Some("e2e4"));
    assert_eq!(analysis.line.len(), 3);
    assert_eq!(entry.operations.len(), 15);
    assert_eq!(entry.operation("mystery").map(Operation::text).as_deref(), Some("1 two"));
    assert!(entry.is_task());
}

#[test]
fn counters_may_be_fields_or_operations() {
    assert_eq!(entry(&format!("{START} bm e4;")).position.clock(), 0);
    assert_eq!(entry(&format!("{START} 7 12 bm e4;")).position.clock(), 7);
    assert_eq!(entry(&format!("{START} 7 bm e4;")).position.clock(), 7);
    let by_operation = entry(&format!("{START} bm e4; hmvc 9; fmvn 30;"));
    assert!(by_operation.position.fen().ends_with(" 9 30"), "{}", by_operation.position.fen());
    // The style of perft files: semicolons before the operations, none at the end.
    let perft = entry(&format!("{START} 0 1 ;D1 20 ;D2 400"));
    assert_eq!(perft.counts, [(1, 20), (2, 400)]);
    assert!(!perft.is_task());
    assert_eq!(entry(&format!("{START};D1 20")).counts, [(1, 20)]);
}

/// Positions that other programs play are tasks here, too; the notes say what had to be repaired.
#[test]
fn impossible_positions_are_repaired() {
    let text = "nnnnknnn/pppppppp/8/8/8/8/PPPPPPPP/1Q1QK1Q1 w - - bm Q1xd7+;\n\
                r3k3/8/8/8/8/8/8/R3K3 w KQkq - bm O-O-O;\n\
                4k3/8/8/8/8/8/4P3/4K3 w - - hmvc 999; bm e4;\n";
    let suite = Suite::parse("x", "x.epd", text.as_bytes());
    assert_eq!(suite.problems.len(), 1, "{:?}", suite.problems);
    assert!(suite.problems[0].reason.contains("not legal"), "the first move is none");
    let notes: Vec<String> = suite.notes.iter().map(ToString::to_string).collect();
    assert_eq!(notes.len(), 2, "{notes:?}");
    assert!(notes[0].starts_with("x.epd:2: ") && notes[0].ends_with("kept: Qq"), "{notes:?}");
    assert!(notes[1].starts_with("x.epd:3: halfmove clock '999'"), "{notes:?}");
    assert_eq!(suite.entries.len(), 2);
    assert!(Suite::parse("x", "x", text.replace("Q1xd7+", "d4").as_bytes()).notes[0].reason.contains("more pieces"));
}

#[test]
fn moves_are_read_in_any_usual_notation() {
    let position = ibex::position::notation::read_fen(RICH).expect("valid");
    for (word, expected) in [
        ("O-O", "e1g1"),
        ("0-0-0", ""),
        ("b8=Q", "b7b8q"),
        ("b8Q+", "b7b8q"),
        ("b8=N", "b7b8n"),
        ("bxa8=R+", "b7a8r"),
        ("ba8R", "b7a8r"),
        ("b7b8b", "b7b8b"),
        ("B7B8B", "b7b8b"),
        ("exd6", "e5d6"),
        ("exd6e.p.", "e5d6"),
        ("e6!?", "e5e6"),
        ("N1f3", ""),
        ("Nf3", "g1f3"),
        ("Nf4", "g2f4"),
        ("Ng2-f4", "g2f4"),
        ("Ng2f4", "g2f4"),
        ("Rxa8+", "a1a8"),
        ("Ra8", "a1a8"),
        ("d6", ""),
        ("Kd3", ""),
        ("b8", ""),
        ("e1h1", ""),
        ("0000", ""),
        ("--", ""),
        ("é4", ""),
        ("", ""),
        ("b7b8k", ""),
        ("=Q", ""),
    ] {
        let found = read_move(&position, word).map_or_else(|_| String::new(), |m| uci(&position, m));
        // "N1f3" names a rank with only one knight on it, and the knight on g1 bars "e1h1" and "O-O".
        let expected = match word {
            "O-O" => "",
            "N1f3" => "g1f3",
            _ => expected,
        };
        assert_eq!(found, expected, "{word}");
    }
    let castling = ibex::position::notation::read_fen("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1").expect("valid");
    for word in ["O-O", "0-0", "O-O+", "e1g1", "e1h1"] {
        assert_eq!(read_move(&castling, word).map(|m| uci(&castling, m)).as_deref(), Ok("e1g1"), "{word}");
    }
    assert_eq!(read_move(&castling, "O-O-O").map(|m| uci(&castling, m)).as_deref(), Ok("e1c1"));
    let two_knights = ibex::position::notation::read_fen("4k3/8/8/8/8/8/4K3/1N3N2 w - - 0 1").expect("valid");
    assert!(read_move(&two_knights, "Nd2").expect_err("ambiguous").to_string().contains("more than one"));
    assert!(read_move(&two_knights, "Nbd2").is_ok());
}

#[test]
fn castling_rights_decide_whether_it_is_chess960() {
    for fen in
        ["rk5r/pppppppp/8/8/8/8/PPPPPPPP/RK5R w HAha - bm O-O", "rk5r/pppppppp/8/8/8/8/PPPPPPPP/RK5R w KQkq - bm b1h1"]
    {
        let entry = entry(fen);
        assert!(entry.position.castling_mode().is_chess960());
        assert_eq!(uci(&entry.position, entry.best[0]), "b1h1");
    }
    assert!(entry(&format!("{START} bm e4;")).position.castling_mode().is_standard());
    let shredder = entry("r3k2r/8/8/8/8/8/8/R3K2R w HAha - bm O-O");
    assert!(shredder.position.castling_mode().is_standard());
}

#[test]
fn mates_and_points_are_read() {
    assert_eq!(entry("7k/8/5KQ1/8/8/8/8/8 w - - bm #1;").mate, Some(1));
    assert_eq!(entry("7k/8/5KQ1/8/8/8/8/8 b - - dm -1;").mate, Some(-1));
    assert_eq!(entry("7k/8/5K2/8/8/8/8/8 b - - dm 0;").mate, Some(0));
    assert!(reason("7k/8/5KQ1/8/8/8/8/8 w - - bm #1; dm 2;").contains("contradict"));
    let points = |text: &str| -> Vec<(String, i32)> {
        let entry = entry(&format!("{START} {text}"));
        entry.points.iter().map(|&(m, points)| (san(&entry.position, m), points)).collect()
    };
    let expected = [("Nf3".to_owned(), 10), ("d4".to_owned(), 7)];
    assert_eq!(points("c0 \"Nf3=10, d4=7\";"), expected);
    assert_eq!(points("c7 \"Nf3 d4\"; c8 \"10 7\";"), expected);
    assert_eq!(points("c0 \"prose\"; c7 \"nonsense here\"; c8 \"10 7\"; c9 \"g1f3 d2d4\";"), expected);
    assert_eq!(points("c7 \"Nf3 d4 Nf3\"; c8 \"9 7 10\";"), expected, "the later number counts");
    assert!(points("c0 \"White is better\"; c8 \"10\"; c9 \"g1f3 d2d4\";").is_empty());
    assert!(points("bm e4; c0 \"Elo=2500, year=1999\";").is_empty(), "prose");
    assert!(reason(&format!("{START} c0 \"Nf6=10, d4=7\";")).contains("'Nf6' is not legal"));
    let promotion = entry("8/1P5k/8/8/8/8/8/K7 w - - c0 \"b8=Q=10, b8=R+=9\";");
    assert_eq!(promotion.points.iter().map(|&(_, points)| points).collect::<Vec<_>>(), [10, 9]);
}

#[test]
fn comments_and_empty_lines_are_skipped() {
    for text in ["", "   ", "\r", "# a comment", "\t#"] {
        assert!(parse_line(text, 1).is_none(), "{text:?}");
    }
    let kept = entry(&format!("{START} bm e4; # the end; really"));
    assert_eq!(kept.operations.len(), 2);
    assert_eq!((kept.operations[1].raw.as_str(), kept.operations[1].odd), ("# the end; really", Some("a comment")));
}

#[test]
fn encodings_are_reported_once_per_file() {
    let mut bytes = Vec::new();
    for _ in 0..3 {
        bytes.extend(format!("{START} bm e4; id \"R").bytes().chain(*b"\xE9ti\";\n"));
    }
    let suite = Suite::parse("x", "x.epd", &bytes);
    assert_eq!(suite.remarks(), ["x.epd: 3 lines are not UTF-8, read as Latin-1 (first line 1)"]);
}

#[test]
fn a_solution_within_an_endless_quotation_is_named() {
    for (tail, part) in [
        ("id \"x; bm e4;", "an unterminated quotation: id \"x; bm e4;: it swallows 'bm e4;'"),
        ("dm 3; id \"x; am e4", "it swallows 'am e4'"),
        ("id \"x;bm e4; c0 1", "it swallows 'bm e4;'"),
    ] {
        let reason = reason(&format!("{START} {tail}"));
        assert!(reason.contains(part), "{tail}: {reason}");
    }
    assert_eq!(entry(&format!("{START} bm e4; id \"x; bmw")).best.len(), 1);
    let mut suite = Suite::parse("x", "x.epd", format!("{START} id \"x bm e4").as_bytes());
    suite.require(SuiteEntry::is_task, "nothing to solve");
    let problem = suite.problems[0].to_string();
    assert_eq!(problem, "x.epd:1: nothing to solve; an unterminated quotation: id \"x bm e4");
}

#[test]
fn bad_lines_say_why() {
    for (tail, part) in [
        ("bm Ke2;", "bm 'Ke2' is not legal"),
        ("bm;", "'bm' without a move"),
        ("bm Qg6 id \"x\";", "bm 'Qg6' is not legal"),
        ("bm e4; bm d4;", "'bm' appears twice"),
        ("bm e4; bm d4; bm e4;", "'bm' appears twice"),
        ("bm e4 d4; bm e4;", "'bm' appears twice"),
        ("bm #3; bm e4;", "'bm' appears twice"),
        ("dm 3; dm 4;", "'dm' appears twice"),
        ("am e5; am e4;", "'am' appears twice"),
        ("bm e4; am e4;", "both a best move (bm) and a move to avoid (am)"),
        ("dm three;", "'dm three' needs one number"),
        ("dm;", "needs one number"),
        ("dm 3 4;", "needs one number"),
        ("bm e4\u{1};", "'e4\\u{1}' is not a move"),
        ("bm \"e4;", "an unterminated quotation: bm \"e4;"),
        ("id \"x\" bm e4; dm 3;", "a semicolon is missing before the solution: id \"x\" bm e4"),
        ("bm $1;", "not a move"),
    ] {
        let reason = reason(&format!("{START} {tail}"));
        assert!(reason.contains(part), "{tail}: {reason}");
    }
    assert!(reason("rnbqkbnr/pppppppp/8 w KQkq - bm e4;").contains("FEN"));
    assert!(reason("8/8/8/8/8/8/8/8 w - - bm e4;").contains("empty board"));
    assert!(reason(&START.replace("w ", "w\u{1} ")).contains("control character U+0001"));
    assert!(reason("8/8 w").contains("only 2 of the four fields"));
    assert!(reason("hello").contains("only 1 of the four fields"));
}

#[test]
fn files_may_have_any_line_ending_mark_and_encoding() {
    let mut bytes = b"\xEF\xBB\xBF# suite\r\n\r\n".to_vec();
    bytes.extend(format!("{START} bm e4; id \"one\";\r\n").bytes());
    bytes.extend(format!("{START} bm Ke2; id \"two\";\r\n").bytes());
    bytes.extend(format!("{START} bm e4; id \"R").bytes());
    bytes.extend(b"\xE9ti\";\r\n");
    bytes.extend(format!("{START} id \"nothing to solve\";\r\n").bytes());
    bytes.extend(format!("{START} am e4").bytes());
    let mut suite = Suite::parse("suite", "dir/suite.epd", &bytes);
    assert_eq!(suite.entries.iter().map(|entry| entry.line).collect::<Vec<_>>(), [3, 5, 6, 7]);
    assert_eq!(suite.entries[1].id.as_deref(), Some("Réti"));
    assert_eq!(suite.problems.len(), 1);
    assert_eq!(suite.problems[0].to_string(), "dir/suite.epd:4: bm 'Ke2' is not legal");
    assert_eq!(suite.remarks(), ["dir/suite.epd: 1 line is not UTF-8, read as Latin-1 (line 5)"]);
    assert_eq!(suite.asides, [(1, "# suite\n".to_owned())]);
    suite.require(SuiteEntry::is_task, "nothing to solve");
    assert_eq!(suite.entries.len(), 3);
    assert_eq!(suite.problems[1].to_string(), "dir/suite.epd:6: nothing to solve");
    assert!(Suite::parse("empty", "empty.epd", b"").entries.is_empty());
    assert!(
        Suite::read(Path::new("no/such/file.epd")).expect_err("missing").to_string().starts_with("no/such/file.epd: ")
    );
}

/// What is written for a line, without a search.
fn written(entry: &SuiteEntry) -> String {
    super::written(entry, |_| true)
}

#[test]
fn an_odd_operation_costs_only_itself() {
    for (odd, reason, plain) in [
        ("PV: d8h4", "no opcode", "kept \"PV: d8h4\""),
        ("5x 3", "no opcode", "kept \"5x 3\""),
        ("averyveryverylongopcode 1", "no opcode", "averyveryverylongopcode 1"),
        ("01:22:03", "no opcode", "01:22:03"),
        ("x-tag \"1\"", "no opcode", "x-tag \"1\""),
        ("x-tag \"1\" \"2\"", "no opcode", "kept \"x-tag \\\"1\\\" \\\"2\\\"\""),
        ("\"quoted\" x", "no opcode", "kept \"\\\"quoted\\\" x\""),
        ("ce +M1", "needs one number", "kept \"ce +M1\""),
        ("acd x", "needs one number", "kept \"acd x\""),
        ("acn -1", "needs one number", "kept \"acn -1\""),
        ("acd 99999999999999", "needs one number", "kept \"acd 99999999999999\""),
        ("hmvc many", "needs one number", "kept \"hmvc many\""),
        ("hmvc", "needs one number", "kept \"hmvc\""),
        ("D2 many", "needs one number", "kept \"D2 many\""),
        ("pv Zz9", "a move that cannot be read", "kept \"pv Zz9\""),
        ("pv e4 e4", "a move that cannot be read", "kept \"pv e4 e4\""),
        ("pm Nf6", "a move that cannot be read", "kept \"pm Nf6\""),
        ("c0 \"open", "an unterminated quotation", "kept \"c0 \\\"open\""),
        ("#", "a comment", "kept \"#\""),
    ] {
        let entry = entry(&format!("{START} bm e4; id \"x\"; {odd}"));
        let operation = &entry.operations[2];
        assert_eq!((operation.odd, operation.raw.as_str()), (Some(reason), odd));
        assert_eq!(written(&entry), format!("{START} bm e4; id \"x\"; {plain};"));
    }
    for (plain, expected) in [
        ("ep", "ep"),
        ("noop 5", "noop 5"),
        ("c9 \"\"", "c9 \"\""),
        ("c0 two  words", "c0 \"two  words\""),
        ("c0 \"a\" b", "c0 \"a b\"; kept \"c0 \\\"a\\\" b\""),
        ("c0 \"C:\\new \\d\\\"", "c0 \"C:\\\\new \\\\d\\\\\""),
        ("am d4!, f2f3 $2", "am d4 f2f3; kept \"am d4!, f2f3 $2\""),
        ("pv e4, e5 Nf3", "pv e4 e5 Nf3"),
        ("sm Nf3", "sm Nf3"),
        ("sm Ng1-f3!", "sm Nf3; kept \"sm Ng1-f3!\""),
        ("sm Nf6", "sm \"Nf6\""),
        ("kept \"a\"; ce x; acd y", "kept \"a\"; kept2 \"ce x\"; kept3 \"acd y\""),
        ("_x 1", "kept \"_x 1\""),
    ] {
        let entry = entry(&format!("{START} bm e4; {plain}"));
        assert_eq!(written(&entry), format!("{START} bm e4; {expected};"));
    }
    assert_eq!(written(&entry(&format!("{START}; 5; bm e4"))), format!("{START} kept \"5\"; bm e4;"));
    assert_eq!(written(&entry("7k/8/5KQ1/8/8/8/8/8 w - - bm #1")), "7k/8/5KQ1/8/8/8/8/8 w - - dm 1;");
}

#[test]
fn the_last_of_repeated_operations_counts() {
    let alike = entry(&format!("{START} bm e2e4 Nf3+; bm Nf3 e4!; dm 3; dm +3;"));
    assert_eq!((alike.best.len(), alike.mate), (2, Some(3)), "one solution, written in two ways");
    let twice = entry(&format!("{START} bm e4; id \"a\"; id \"b\"; ce 1; ce 2; bm e4;"));
    assert_eq!((twice.id.as_deref(), twice.analysis.centipawns), (Some("b"), Some(2)));
    assert_eq!(written(&twice), format!("{START} kept \"bm e4\"; id \"a\"; id \"b\"; kept2 \"ce 1\"; ce 2; bm e4;"));
    let counters = entry(&format!("{START} 7 12 bm e4; hmvc 9; fmvn 12;"));
    assert!(counters.position.fen().ends_with(" 7 12"));
    assert_eq!(written(&counters), format!("{START} hmvc 7; bm e4; kept \"hmvc 9\"; fmvn 12;"));
}

#[test]
fn marks_may_stand_alone() {
    let mate = entry("rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - bm Qh4 #;");
    assert_eq!(sans(&mate, &mate.best), ["Qh4#"]);
    assert!(written(&mate).ends_with(" bm Qh4;"));
    for word in ["exd6 e.p.", "exd6 ep", "exd6 e.p. !", "exd6e.p.!", "exd6!? $5", "e5xd6 +"] {
        let entry = entry(&format!("{} bm {word};", RICH.trim_end_matches(" 0 1")));
        assert_eq!(sans(&entry, &entry.best), ["exd6"], "{word}");
    }
}

#[test]
fn strings_have_backslashes() {
    for (text, id) in [
        (r#"id "a \"b\" c""#, "a \"b\" c"),
        (r#"id "a \\ b""#, "a \\ b"),
        (r#"id "tab\tline\n""#, "tab\tline\n"),
        (r#"id "C:\dir""#, "C:\\dir"),
        (r#"id "ends with \""#, "ends with \\"),
        (r#"id "semi; colon""#, "semi; colon"),
        ("id WAC.001", "WAC.001"),
    ] {
        let first = entry(&format!("{START} bm e4; {text};"));
        assert_eq!(first.id.as_deref(), Some(id), "{text}");
        let again = entry(&written(&first));
        assert_eq!(again.id.as_deref(), Some(id), "{text}");
        assert_eq!(written(&again), written(&first));
    }
}

#[test]
fn floods_of_line_feeds_or_bad_lines_are_bounded() {
    let suite = Suite::parse("x", "x.epd", format!("#a\n\n{START} bm e4;\n{}# b\n", "\n".repeat(1 << 20)).as_bytes());
    assert_eq!(suite.asides, [(1, "#a\n".to_owned()), (4, format!("{}# b", "\n".repeat(1 << 20)))]);
    let suite = Suite::parse("x", "x.epd", "x\n".repeat(MOST_PROBLEMS + 9).as_bytes());
    assert_eq!((suite.problems.len(), suite.entries.len()), (MOST_PROBLEMS + 1, 0));
    let last = suite.problems.last().map(ToString::to_string);
    assert_eq!(last.as_deref(), Some("x.epd:1000000: 1000000 bad lines: the rest of the file is not read"));
}

#[test]
fn odd_operations_are_counted_by_kind() {
    let mut text = String::new();
    for n in 0..30 {
        text.push_str(&format!("{START} bm e4; PV: d8h4; ce +M{n}; 00:0{}:1{n};\r", n % 10));
    }
    text.push_str(&format!("{START} bm e4; id \"nul\";\0\n{START} bm e4; id \"x\u{1}\";\r\n# comment\n"));
    let suite = Suite::parse("x", "x.epd", text.as_bytes());
    assert_eq!((suite.entries.len(), suite.problems.len(), suite.asides.len()), (32, 0, 1));
    assert_eq!(
        suite.remarks(),
        [
            "x.epd:32: control character U+0001",
            "x.epd: 30 operations 'PV:' not understood (no opcode), kept as they stand (first in line 1: PV: d8h4)",
            "x.epd: 30 operations 'ce' not understood (needs one number), kept as they stand (first in line 1: ce +M0)",
            "x.epd: 10 operations '00:00:10' not understood (no opcode), kept as they stand (first in line 1: 00:00:10)",
            "x.epd: 20 operations '00:00:110' not understood (no opcode), kept as they stand (first in line 11: 00:00:110)",
            "x.epd: zero bytes at the end of lines (1), read as blanks",
        ]
    );
    let kinds: Vec<String> = (0..30).map(|n| format!("{}? ", "a".repeat(n + 1))).collect();
    let suite = Suite::parse("x", "x", format!("{START} bm e4; {}", kinds.join(";")).as_bytes());
    assert_eq!(suite.remarks().len(), 21);
    assert!(suite.remarks()[20].starts_with("x: 10 operations of 10 more kinds"), "{}", suite.remarks()[20]);
}

/// Lines of megabytes take linear time: with a step for each pair, these would take minutes.
#[test]
fn long_lines_are_read_and_written_in_time() {
    const MANY: usize = 200_000;
    let different: String = (0..MANY).map(|n| format!("a{n};")).collect();
    assert_eq!(entry(&format!("{START} bm e4; {different}")).operations.len(), MANY + 1);
    let twice = entry(&format!("{START} {}bm e4 e2e4;", "bm e4;".repeat(MANY)));
    assert_eq!((twice.best.len(), twice.operations.len()), (1, MANY + 1));
    let odd = entry(&format!("{START} bm e4; {}", "PV: d8h4;".repeat(MANY)));
    let text = written(&odd);
    assert!(text.contains(" kept \"PV: d8h4\"; kept2 ") && text.ends_with(&format!(" kept{MANY} \"PV: d8h4\";")));
}

/// Operations as files have them, and nonsense.
fn operation() -> impl proptest::strategy::Strategy<Value = String> {
    use proptest::prelude::*;
    prop_oneof![
        proptest::sample::select(vec![
            "PV: d8h4",
            "ep",
            "ce +M1",
            "c0 \"text; with; semicolons\"",
            "Eco",
            "acd 7",
            "ce 31",
            "D1 20",
            "01:22:03",
            "x-tag \"1\"",
            "pv Zz9",
            "pv e4 e5",
            "noop",
            "c9 \"\"",
            "hmvc 0",
            "fmvn 1",
            "id \"a \\\"b\\\"\"",
            "pm d2d4",
            "sm d2d4",
            "am f3!",
            "kept \"x\"",
            "kept2",
            "dm 3",
            "- x",
            "-",
            "_a",
            "bm e4",
        ])
        .prop_map(str::to_owned),
        "[a-zA-Z][a-z0-9:_.-]{0,6}( [a-zA-Z0-9+#!?.\"\\\\-]{1,6}){0,3}",
        "[a-z]{1,3}[0-9]? \"[^\\pC\"\\\\]{0,12}\"",
        "\\PC{0,12}",
    ]
}

proptest::proptest! {
    #[test]
    fn nothing_makes_the_parser_panic(tail in "\\PC{0,80}", cut in 0usize..60) {
        let _ = parse_line(&tail, 1);
        let _ = parse_line(&format!("{START} {tail}"), 1);
        let _ = parse_line(&format!("{}{tail}", &START[..cut.min(START.len())]), 1);
        let _ = parse_line(&format!("{START} bm {tail}; dm {tail}; c0 \"{tail}\""), 1);
    }

    #[test]
    fn no_bytes_make_the_reader_panic(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..300)) {
        let suite = Suite::parse("x", "x", &bytes);
        proptest::prop_assert!(suite.entries.is_empty());
    }

    /// Nothing is lost: each operation comes out with the same meaning, or word for word in a string.
    #[test]
    fn no_operation_is_lost(operations in proptest::collection::vec(operation(), 0..6)) {
        let line = format!("{START} bm Nf3; {}", operations.join("; "));
        let entry = match parse_line(&line, 1) {
            Some(Ok(entry)) => entry,
            // Only a bad solution may cost the line.
            Some(Err(_)) => {
                let solution = line.split([' ', ';', '"']).filter(|word| matches!(*word, "bm" | "am" | "dm" | "c0" | "c8")).count();
                proptest::prop_assert!(solution > 1, "{line}");
                return Ok(());
            }
            None => return Err(proptest::test_runner::TestCaseError::fail(line)),
        };
        // The pieces are the whole: there are only blanks and semicolons between them.
        let mut rest = &line[START.len()..];
        for operation in &entry.operations {
            let at = rest.find(&operation.raw).expect("in order");
            proptest::prop_assert!(rest[..at].chars().all(|c| c.is_whitespace() || c == ';'), "{line}: {}", operation.raw);
            rest = &rest[at + operation.raw.len()..];
        }
        proptest::prop_assert!(rest.chars().all(|c| c.is_whitespace() || c == ';'), "{line}");
        let out = written(&entry);
        let again = parse_line(&out, 1).expect("a line").map_err(|error| proptest::test_runner::TestCaseError::fail(error.to_string()))?;
        proptest::prop_assert_eq!(again.position.fen(), entry.position.fen());
        proptest::prop_assert_eq!(
            (&again.id, &again.best, &again.avoid, again.mate, &again.points, &again.counts, &again.analysis),
            (&entry.id, &entry.best, &entry.avoid, entry.mate, &entry.points, &entry.counts, &entry.analysis)
        );
        for operation in &entry.operations {
            let same = again.operations.iter().any(|o| {
                let kept = o.opcode.starts_with("kept") && o.text() == operation.raw;
                kept || o.raw == operation.raw || o.opcode == operation.opcode && o.text() == operation.text()
                    || o.opcode == operation.opcode && o.text().split_whitespace().eq(operation.text().split_whitespace())
                    || matches!(o.opcode.as_str(), "am" | "pm" | "pv" | "sm") && o.opcode == operation.opcode && operation.odd.is_none()
            });
            proptest::prop_assert!(same, "{}: {out}", operation.raw);
        }
        proptest::prop_assert_eq!(written(&again), out, "written again, nothing changes");
    }
}

#[test]
fn messages_show_the_text_of_the_file() {
    for (line, shown) in [
        ("8/8/8/8/8/8/8/k w - - bm Ka1;", "'8/8/8/8/8/8/8/k w - -'"),
        ("8/8/8/3k4/8/8/8/R3K3 x - - 3 9 bm Ra5;", "'8/8/8/3k4/8/8/8/R3K3 x - - 3 9'"),
    ] {
        let error = parse_line(line, 1).expect("a line").expect_err(line).to_string();
        assert!(error.contains(shown), "{error}");
    }
}
