//! What must hold for every game and every position, tested on random ones.

use std::sync::{Arc, Mutex};

use ibex::engine::{Engine, Settings};
use ibex::position::{Game, Move, Position};
use ibex::score::DrawRule;
use ibex::search::experiments::single::SingleSearch;
use ibex::search::rules::TableMode;
use ibex::search::{Conventions, Event, Report, Rules};
use ibex::time::Limits;
use proptest::prelude::*;
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, FromSetup as _, PositionError};

/// A game of random moves; some walks prefer captures, so that endgames occur, too.
fn random_game(choices: &[u16], greedy: bool) -> Game {
    let mut game = Game::startpos();
    for &choice in choices {
        if game.outcome().is_some() {
            break;
        }
        let moves = game.position().legal_moves();
        let captures: Vec<Move> = moves.iter().copied().filter(|m| m.is_capture()).collect();
        let m = if greedy && !captures.is_empty() {
            captures[usize::from(choice) % captures.len()]
        } else {
            moves[usize::from(choice) % moves.len()]
        };
        game.play(m);
    }
    game
}

/// Searches and returns every reported line.
fn told(settings: Settings, game: &Game, limits: Limits) -> Vec<Report> {
    let (mut engine, _) = Engine::new(settings);
    let reports = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&reports);
    let listener = move |event: &Event| match event {
        Event::Line(report) => heard.lock().expect("no panic").push(report.clone()),
        Event::Done(outcome) => heard.lock().expect("no panic").extend(outcome.last.clone()),
        _ => {}
    };
    engine.start(game.clone(), limits, Arc::new(listener)).expect("a thread");
    engine.wait();
    std::mem::take(&mut *reports.lock().expect("no panic"))
}

/// What is wrong with a line, if anything: an illegal move, or a move after the end of the game.
fn line_fault(game: &Game, line: &[Move]) -> Option<String> {
    let mut game = game.clone();
    for (i, &m) in line.iter().enumerate() {
        if i > 0 && game.outcome().is_some() {
            return Some(format!("{line:?} goes on after {:?}", game.outcome()));
        }
        if !game.position().legal_moves().contains(&m) {
            return Some(format!("{m:?} of {line:?} is not legal"));
        }
        game.play(m);
    }
    None
}

#[test]
fn the_line_check_finds_faults() {
    let game = Game::startpos();
    let m = |text: &str| game.position().parse_move(text).expect("legal");
    assert_eq!(line_fault(&game, &[m("e2e4")]), None);
    assert!(line_fault(&game, &[m("e2e4"), m("e2e4")]).is_some());
    let mated = Game::from_fen("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", CastlingMode::Standard).expect("a position");
    assert!(line_fault(&mated, &[]).is_none());
    // Lines end with the game: at bare kings, and at a third occurrence.
    let to_and_fro = ["g1f3", "g8f6", "f3g1", "f6g8"].repeat(2);
    let pawn = Game::from_fen("8/8/8/3k4/8/8/1p6/K7 w - - 0 1", CastlingMode::Standard).expect("a position");
    for (game, mut line, beyond) in [(game, to_and_fro, "e2e4"), (pawn, vec!["a1b2"], "d5d4")] {
        assert_eq!(line_fault(&game, &moves(&game, &line)), None);
        line.push(beyond);
        let fault = line_fault(&game, &moves(&game, &line));
        assert!(fault.as_ref().is_some_and(|fault| fault.contains("goes on after")), "{line:?}: {fault:?}");
    }
}

/// The moves of a line, each in its own position.
fn moves(game: &Game, line: &[&str]) -> Vec<Move> {
    let mut position = *game.position();
    let play = |text: &&str| {
        let m = position.parse_move(text).expect("legal");
        position.play(m);
        m
    };
    line.iter().map(play).collect()
}

/// Minimax over a fixed tree, without the table: nothing depends on the move order, which a flip changes.
const SYMMETRIC: Rules = Rules { pruning: false, recognizers: false, table: TableMode::Off, ..Rules::PLAY };

fn value(position: &Position, depth: u32) -> ibex::bound::Ibv {
    let conventions = Conventions { draws: DrawRule::Off, contempt: 0 };
    let game = Game::new(*position);
    let run =
        SingleSearch::new(1).search(SYMMETRIC, conventions, &game, &Limits::depth(depth), None).expect("a thread");
    run.finding.expect("a move").value
}

/// A fail high must be searched at full depth: which move fails high depends on the move order.
#[test]
fn a_rising_score_is_symmetric_in_colour() {
    let game = Game::from_fen("8/8/p1pp3p/P3k1r1/8/7K/8/2n5 b - - 0 41", CastlingMode::Standard).expect("a position");
    let position = game.position();
    assert_eq!(value(position, 5), value(&position.flipped(), 5));
}

/// Composed positions with any number of pieces are played like any other: move lists hold as many captures as there
/// can be, and no count or sum overflows.
#[test]
fn crowded_boards_are_searched() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut below = |n: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 33) as usize % n
    };
    let (mut engine, _) = Engine::new(Settings { hash_mib: 1, ..Settings::default() });
    let (mut searched, mut most_moves, mut most_captures) = (0, 0, 0);
    // As many moves as a list holds, and as many captures as anyone is likely to construct.
    let mut boards = vec![
        "kBQQQQQQ/BR5Q/Q6Q/Q6Q/Q6Q/Q6Q/Q6Q/KQQQQQQQ w - - 0 1".to_owned(),
        "kqQQQQQQ/qqqqqqqq/QQQQQQQQ/qqqqqqqq/QQQQQQQQ/qqqqqqqq/QQQQQQQQ/KQqqqqqq w - - 0 1".to_owned(),
    ];
    while searched < 300 {
        // Some boards with one kind of piece, some with all kinds; from nearly empty to full.
        let kinds: &[char] = if below(2) == 0 { &['Q'] } else { &['Q', 'R', 'B', 'N', 'P', 'Q'] };
        let share = [1, 3, 6, 10][below(4)];
        let own = 1 + below(4);
        let mut board = ['1'; 64];
        for (i, square) in board.iter_mut().enumerate() {
            if below(10) >= share {
                continue;
            }
            let piece = kinds[below(kinds.len())];
            if piece == 'P' && !(8..56).contains(&i) {
                continue;
            }
            *square = if below(4) < own { piece } else { piece.to_ascii_lowercase() };
        }
        board[below(64)] = 'K';
        board[below(64)] = 'k';
        let rows: Vec<String> = board.chunks(8).map(|row| row.iter().collect()).collect();
        boards.push(format!("{} {} - - 0 1", rows.join("/"), ["w", "b"][below(2)]));
        let fen = boards.remove(0);
        let Ok((position, _)) = Position::from_any_fen(&fen, None) else { continue };
        most_moves = most_moves.max(position.legal_moves().len());
        let captures = position.noisy_moves().len();
        most_captures = most_captures.max(captures);
        let legal = position.legal_moves();
        let outcome = engine.search(&Game::new(position), Limits::nodes(500), None).best;
        assert_eq!(outcome.is_some(), !legal.is_empty(), "{fen}");
        assert!(outcome.is_none_or(|best| legal.contains(&best)), "{fen}");
        searched += 1;
    }
    // The boards are crowded enough to test what games do not.
    assert!(most_moves > 256 && most_captures > 128, "{most_moves} moves, {most_captures} captures");
}

/// The FEN reader refuses positions with more moves than a list holds, but moves from a composed position may lead to
/// one: the search uses the first of its moves.
#[test]
fn overfull_lists_of_moves_are_cut() {
    let (mut engine, _) = Engine::new(Settings { hash_mib: 1, ..Settings::default() });
    for fen in
        ["QQQQQQBk/Q5RB/Q6Q/Q6Q/Q6Q/Q6Q/Q6Q/KQQQQQQQ w - - 0 1", "kqqqqqqq/q6q/q6q/q6q/q6q/q6q/q5rb/qqqqqqbK b - - 0 1"]
    {
        let setup = fen.parse::<Fen>().expect("a FEN").into_setup();
        let chess = Chess::from_setup(setup, CastlingMode::Standard).or_else(PositionError::ignore_too_much_material);
        let position = Position::from_chess(&chess.expect("a position"));
        for multi_pv in [1, 300] {
            engine.apply(Settings { multi_pv, ..engine.settings().clone() });
            let best = engine.search(&Game::new(position), Limits::nodes(3000), None).best;
            assert!(best.is_some_and(|best| position.legal_moves().contains(&best)), "{fen}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// After any game, with any number of lines and threads, every reported line can be played and ends with the game.
    #[test]
    fn lines_are_legal_after_random_games(
        choices in prop::collection::vec(any::<u16>(), 0..160),
        greedy: bool,
        threads in 1usize..3,
        multi_pv in 1usize..4,
        nodes in 1u64..6000,
    ) {
        let game = random_game(&choices, greedy);
        let settings = Settings { hash_mib: 1, threads, multi_pv, ..Settings::default() };
        let reports = told(settings, &game, Limits { nodes: Some(nodes), ..Limits::default() });
        // A few nodes may not be enough to score the first move, and then there is no line to report.
        let silent = !game.position().has_legal_move();
        prop_assert!(reports.is_empty() == silent || nodes < 500, "{} reports", reports.len());
        prop_assert!(reports.is_empty() || !silent);
        for report in &reports {
            let fault = line_fault(&game, &report.pv);
            prop_assert!(fault.is_none(), "{:?} in {}", fault, game.position().fen());
        }
    }

    /// With the board flipped and the colours swapped, a position has the same value at every depth.
    #[test]
    fn the_search_is_symmetric_in_colour(
        choices in prop::collection::vec(any::<u16>(), 0..140),
        greedy: bool,
        depth in 1u32..4,
    ) {
        let game = random_game(&choices, greedy);
        let position = game.position();
        prop_assume!(position.has_legal_move());
        // Endgames have smaller trees, and can be searched more deeply.
        let depth = if position.men() < 10 { depth + 2 } else { depth };
        let (upright, flipped) = (value(position, depth), value(&position.flipped(), depth));
        prop_assert_eq!(upright, flipped, "depth {} of {}", depth, position.fen());
    }
}
