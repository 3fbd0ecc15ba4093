//! Scores stay true with a past: earlier occurrences, a running clock, and a table filled by other games.

use super::tables::{number, tablebases};
use super::*;

use ibex::position::game::Ending;

/// The lines with a score.
fn told(lines: &[String]) -> Vec<&String> {
    lines.iter().filter(|line| line.starts_with("info ") && line.contains(" score ")).collect()
}

fn last(lines: &[String]) -> &String {
    told(lines).last().copied().expect("a score")
}

/// Whether a line says that only a draw is possible.
fn is_certain_draw(line: &str) -> bool {
    line.contains(" wdl 0 1000 0 ")
}

/// The game that a `position` command describes.
fn game(command: &str) -> Game {
    let fen = command.strip_prefix("position fen ").expect("a FEN");
    let (fen, moves) = fen.split_once(" moves ").unwrap_or((fen, ""));
    let mut game = Game::from_fen(fen, CastlingMode::Standard).expect("a position");
    for text in moves.split_whitespace() {
        let m = game.position().parse_move(text).expect("legal");
        game.play(m);
    }
    game
}

/// Every exact mate comes with the moves to it, and they lead to mate before anything else ends the game.
fn check_mates(command: &str, lines: &[String]) {
    for line in told(lines).into_iter().filter(|line| !line.contains("bound")) {
        let Some(moves) = number(line, "mate") else { continue };
        let (_, pv) = line.split_once(" pv ").expect("a line");
        let plies = if moves > 0 { 2 * moves - 1 } else { -2 * moves };
        assert_eq!(pv.split(' ').count(), plies as usize, "{line}");
        let mut game = game(command);
        for (ply, text) in pv.split(' ').enumerate() {
            assert!(ply == 0 || game.outcome().is_none(), "{:?} before {text}: {line}", game.outcome());
            let m = game.position().parse_move(text).expect("legal");
            game.play(m);
        }
        assert_eq!(game.outcome(), Some(Ending::Checkmate), "{line}");
    }
}

/// The score of a line as one number: mates above everything else.
fn value(line: &str) -> i32 {
    match (number(line, "cp"), number(line, "mate")) {
        (Some(cp), _) => cp,
        (None, Some(mate)) if mate > 0 => 1_000_000 - mate,
        (None, Some(mate)) => -1_000_000 - mate,
        (None, None) => panic!("no score: {line}"),
    }
}

/// With several lines, each iteration gives them in order, each with its own first move. The end may repeat the first.
fn check_order(lines: &[String], count: usize) {
    let told = told(lines);
    let mut groups: Vec<Vec<&String>> = Vec::new();
    for line in told {
        if number(line, "multipv") == Some(1) {
            groups.push(Vec::new());
        }
        groups.last_mut().expect("the first line comes first").push(line);
    }
    let first_move = |line: &String| line.split_once(" pv ").map(|(_, pv)| pv.split(' ').next().map(str::to_owned));
    let mut firsts = Vec::new();
    for (at, group) in groups.iter().enumerate() {
        let ends = at + 1 == groups.len() && group.len() == 1;
        assert!(group.len() == count || ends || groups.len() == 1, "{group:#?}");
        for pair in group.windows(2) {
            assert!(value(pair[0]) >= value(pair[1]), "{pair:#?}");
        }
        let mut moves: Vec<_> = group.iter().map(|line| first_move(line)).collect();
        firsts.push(moves[0].clone());
        moves.sort();
        moves.dedup();
        assert_eq!(moves.len(), group.len(), "{group:#?}");
        if ends && at > 0 {
            assert_eq!(firsts[at], firsts[at - 1], "the end belongs to another line: {group:#?}");
        }
    }
}

#[test]
fn no_mate_runs_into_a_third_occurrence() {
    // The table has the mate in 4 from a game without a past; here it would lead through a third occurrence.
    let mut engine = Engine::new();
    engine.search("position fen 8/8/8/5R2/5K2/8/6k1/8 w - - 0 1", "go nodes 20000");
    let haunted = "position fen 8/8/8/5R2/6K1/8/7k/8 w - - 0 1 moves g4f4 h2g2 f4g4 g2h2 g4f4 h2g2";
    let (best, lines) = engine.search(haunted, "go nodes 300000");
    check_mates(haunted, &lines);
    assert!(told(&lines).iter().all(|line| number(line, "mate").is_none_or(|mate| mate >= 7)), "{lines:#?}");
    assert_ne!(best, "f4g4", "{lines:#?}");

    // A longer past, and searches that are soon over.
    let mut engine = Engine::new();
    engine.search("position fen 8/8/8/8/8/R7/2k5/4K3 w - - 0 1", "go nodes 20000");
    let haunted = "position fen 8/8/8/8/8/1R6/3K4/k7 w - - 0 1 moves b3h3 a1b1 d2d1 b1b2 d1e1 b2b1 h3a3 b1c2 a3h3 c2b1 \
                   e1d1 b1b2 d1d2 b2b1 h3b3 b1a1 b3h3 a1b1 d2d1 b1b2 d1e1 b2b1 h3a3 b1c2";
    for nodes in [500, 3000, 20_000] {
        let (_, lines) = engine.search(haunted, &format!("go nodes {nodes}"));
        check_mates(haunted, &lines);
    }
}

#[test]
fn mate_lines_are_whole_wherever_the_search_ends() {
    // An interrupted search leaves its path in the middle of the tree; the line of a mate begins at the root.
    let mut engine = Engine::new();
    let start = "position fen 8/8/8/5R2/6K1/8/7k/8 w - - 0 1 moves g4f4 h2g2 f4g4 g2h2 g4f4 h2g2";
    for nodes in (500..12_000).step_by(230) {
        let (_, lines) = engine.search(start, &format!("go nodes {nodes}"));
        check_mates(start, &lines);
    }
}

#[test]
fn draws_by_the_clock_are_not_reused_at_another_clock() {
    let mut engine = Engine::new();
    engine.send("setoption name UCI_ShowWDL value true");
    engine.search("position fen 1k6/8/8/K3R3/8/3b4/8/8 w - - 95 80", "go nodes 100000");
    let (_, lines) = engine.search("position fen 1k6/8/8/K3R3/8/3b4/8/8 w - - 0 80", "go nodes 1000");
    assert!(!lines.iter().any(|line| is_certain_draw(line)), "{lines:#?}");
    assert_ne!(number(last(&lines), "cp"), Some(0), "{lines:#?}");
    let (_, lines) = engine.search("position fen 1k6/8/8/K3R3/8/3b4/8/8 w - - 0 80", "go nodes 200000");
    assert!(value(last(&lines)) > 9000, "the bishop is lost: {lines:#?}");
}

#[test]
fn tables_do_not_score_a_second_occurrence_as_a_draw() {
    let Some(folder) = tablebases() else { return };
    let mut engine = Engine::new();
    engine.send(format!("setoption name SyzygyPath value {}", folder.display()));
    engine.send("setoption name UCI_ShowWDL value true");
    let won = "position fen 6k1/8/5K2/5R2/3b4/8/8/8 w - - 0 1 moves f6g6 d4a7 g6f6 a7d4";
    let (best, lines) = engine.search(won, "go nodes 20000");
    assert_eq!(best, "f6g6", "{lines:#?}");
    assert!(told(&lines).iter().all(|line| value(line) >= 20_000), "{lines:#?}");
    let lost = "position fen 8/8/8/4k3/8/8/1Q6/1K6 b - - 0 1 moves e5e4 b2b3 e4e5 b3b2 e5d5 b2c3 d5e4 c3b2";
    let (_, lines) = engine.search(lost, "go nodes 20000");
    assert!(told(&lines).iter().all(|line| value(line) <= -20_000), "{lines:#?}");
}

#[test]
fn tables_allow_progress_on_the_last_ply() {
    let Some(folder) = tablebases() else { return };
    let mut engine = Engine::new();
    engine.send(format!("setoption name SyzygyPath value {}", folder.display()));
    engine.send("setoption name UCI_ShowWDL value true");
    // Mate in 11 comes on the hundredth ply: not a draw, even if the tables' distances are rounded.
    let (_, lines) = engine.search("position fen 8/8/8/8/6k1/2K5/8/R7 w - - 79 80", "go nodes 20000");
    assert!(!lines.iter().any(|line| is_certain_draw(line)), "{lines:#?}");
    assert!(value(last(&lines)) > 0, "{lines:#?}");
    // Two plies later it is a draw, and certain.
    let (_, lines) = engine.search("position fen 8/8/8/8/6k1/2K5/8/R7 w - - 81 80", "go nodes 20000");
    assert!(is_certain_draw(last(&lines)), "{lines:#?}");
}

#[test]
fn nothing_is_certain_without_proof() {
    let mut engine = Engine::new();
    engine.send("setoption name UCI_ShowWDL value true");
    for (position, go) in [
        // Lost, although the search believes that the clock saves it.
        ("position fen 8/6R1/Q6K/8/8/8/8/4k3 b - - 95 53", "go nodes 5000"),
        // Drawn by the clock, although the evaluation is that of a win.
        ("position fen 2b4K/4r3/8/8/8/8/5k2/8 b - - 90 62", "go nodes 104959"),
        ("position fen rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "go nodes 20000"),
    ] {
        let (_, lines) = engine.search(position, go);
        assert!(!told(&lines).is_empty());
        for line in told(&lines) {
            let (_, chances) = line.split_once(" wdl ").expect("chances");
            let certain = chances.split(' ').take(3).any(|share| share == "1000");
            assert!(!certain || value(line).abs() >= 9000, "{line}");
        }
    }
    // A rook pawn with the wrong bishop is proved.
    let (_, lines) = engine.search("position fen 7k/8/8/8/8/7P/B7/K7 w - - 0 1", "go nodes 5000");
    assert!(is_certain_draw(last(&lines)), "{lines:#?}");
}

/// A recognizer does not give the distance to its win: if a position may occur for the third time on the way, the win
/// is not proved.
#[test]
fn recognized_wins_are_not_claimed_while_traps_exist() {
    let fen = "position fen 8/8/8/3k4/8/8/8/KBN5 w - - 0 1";
    for (moves, claims) in [("", true), (" moves b1c2 d5e5 c2b1 e5d5", false)] {
        let mut engine = Engine::new();
        engine.send("setoption name UCI_ShowWDL value true");
        let (_, lines) = engine.search(&format!("{fen}{moves}"), "go nodes 3000");
        let exact = told(&lines).into_iter().filter(|line| !line.contains("bound"));
        let scores: Vec<i32> = exact.filter_map(|line| number(line, "cp")).collect();
        let right = |cp: &i32| if claims { *cp >= 10_000 } else { *cp <= 5000 };
        assert!(!scores.is_empty() && scores.iter().all(right), "{lines:#?}");
        assert_eq!(lines.iter().any(|line| line.contains(" wdl 1000 0 0 ")), claims, "{lines:#?}");
    }
}

#[test]
fn several_lines_stand_in_the_order_of_their_scores() {
    let mut engine = Engine::new();
    engine.send("setoption name MultiPV value 2");
    let mates = "position fen 8/3P1K1P/8/8/8/7k/8/8 b - - 77 69 moves h3g4 f7g8 g4g5 g8f7 g5g4 f7e6 g4f4 e6f7 f4g4 f7e6 \
                 g4f4";
    let (_, lines) = engine.search(mates, "go nodes 20000");
    check_order(&lines, 2);
    check_mates(mates, &lines);

    // Ends in the middle of an iteration, with contempt and without. By default, several lines have no contempt.
    engine.send("setoption name MultiPV value 4");
    engine.send("setoption name Analysis Contempt value true");
    let level = "position fen 8/5k2/4p1p1/3pP1P1/3P4/5K2/8/2B1n3 w - - 0 1";
    // f6g8 makes a third occurrence: a draw, whose score contains no contempt.
    let drawn = "position startpos moves g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1";
    for contempt in [0, 40, -40, -100] {
        engine.send(format!("setoption name Contempt value {contempt}"));
        for nodes in [1500, 4000, 9000, 20_000] {
            for position in [level, drawn] {
                engine.send("ucinewgame");
                let (_, lines) = engine.search(position, &format!("go nodes {nodes}"));
                check_order(&lines, 4);
                // The search wants the draw more than a better evaluation: the order must not be its own.
                if (position, contempt, nodes) == (drawn, -100, 20_000) {
                    let told = told(&lines);
                    let draw = told.iter().rev().find(|line| line.contains(" pv f6g8")).expect("the draw");
                    assert!(number(draw, "multipv") > Some(1) && value(draw) == 0, "{lines:#?}");
                }
            }
        }
    }
    engine.send("setoption name Analysis Contempt value false");
    engine.send("setoption name Contempt value 0");

    let Some(folder) = tablebases() else { return };
    engine.send(format!("setoption name SyzygyPath value {}", folder.display()));
    for position in ["position fen 8/8/8/8/8/1k6/3Q4/K7 w - - 0 1", "position fen 8/8/8/3k4/8/4K3/4P3/8 w - - 0 1"] {
        let (_, lines) = engine.search(position, "go nodes 50000");
        check_order(&lines, 4);
    }
}

/// Three of the lines are mates that earlier iterations proved: they still belong to the last iteration.
#[test]
fn lines_shown_together_have_the_same_depth() {
    let mut engine = Engine::new();
    engine.send("setoption name MultiPV value 4");
    let scholar = "position fen r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4";
    let exposed = "position fen 6k1/3r1p2/p6p/1b1q1N2/1P3Q2/P5PP/5R1K/8 w - - 0 1";
    for position in [scholar, exposed, "position startpos"] {
        let (_, lines) = engine.search(position, "go depth 8");
        let told: Vec<&String> = lines.iter().filter(|line| line.contains(" multipv ")).collect();
        assert!(told.len() >= 4, "{lines:#?}");
        for (number, line) in told[told.len() - 4..].iter().enumerate() {
            assert!(
                line.contains("info depth 8 ") && line.contains(&format!(" multipv {} ", number + 1)),
                "{lines:#?}"
            );
        }
    }
}

#[test]
fn a_very_short_search_shows_a_score() {
    let mut engine = Engine::new();
    let crowded = "position fen 1q2B2q/2q1B1q1/3qkq2/qrr1rRRQ/3QKQ2/2Q3Q1/1Q2n2Q/Q3n3 w - - 0 1";
    let (best, lines) = engine.search(crowded, "go nodes 3178");
    assert!(last(&lines).contains(&format!(" pv {best}")), "{lines:#?}");
}

#[test]
fn nodes_are_counted_upwards() {
    let mut engine = Engine::new();
    engine.send("setoption name Threads value 2");
    for position in ["position fen 8/8/8/5R2/5K2/8/6k1/8 w - - 0 1", "position fen 8/8/1k6/8/8/2B5/3N4/3K4 w - - 0 1"] {
        let (_, lines) = engine.search(position, "go nodes 30000");
        let counts: Vec<i32> = told(&lines).iter().filter_map(|line| number(line, "nodes")).collect();
        assert!(counts.is_sorted(), "{lines:#?}");
    }
}

/// A move that wins by a detour may have to return to where it began, and then the game is drawn.
#[test]
fn slow_wins_avoid_positions_that_occurred_twice() {
    let mut engine = Engine::new();
    let start = "position fen 8/8/1K2k3/8/8/P7/8/8 w - - 42 22 moves b6c6 e6f5 c6b6 f5e6 b6c6 e6f5";
    let (_, lines) = engine.search(start, "go nodes 20000 searchmoves c6d7");
    let detour: Vec<&String> = told(&lines).into_iter().filter(|line| !line.contains("bound")).collect();
    // The mate in 14 would lead through c6 once more.
    assert!(!detour.is_empty(), "{lines:#?}");
    assert!(detour.into_iter().all(|line| number(line, "mate").is_none_or(|mate| mate > 14)), "{lines:#?}");
}
