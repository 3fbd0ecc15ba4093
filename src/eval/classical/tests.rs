use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, FromSetup, Position as _};

use super::*;
use crate::random::split_mix;

/// Passes every position of random games from the initial position to `visit`, except checks.
fn random_positions(games: u64, mut visit: impl FnMut(&Position)) -> usize {
    let mut seen = 0;
    for seed in 0..games {
        let mut state = seed;
        let mut position = Position::startpos();
        for _ in 0..160 {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            if !position.in_check() {
                visit(&position);
                seen += 1;
            }
            position.play(moves[split_mix(&mut state) as usize % moves.len()]);
        }
    }
    seen
}

#[test]
fn evaluation_is_symmetric_in_colour() {
    let seen = random_positions(100, |position| {
        assert_eq!(evaluate(position), evaluate(&position.flipped()), "{}", position.fen());
    });
    assert!(seen > 5_000);
}

#[test]
fn evaluation_is_symmetric_left_to_right() {
    let mut seen = 0;
    random_positions(100, |position| {
        let mut setup = position.to_chess().to_setup(shakmaty::EnPassantMode::Legal);
        setup.castling_rights = Bitboard::EMPTY;
        setup.board.flip_horizontal();
        setup.ep_square = setup.ep_square.map(|square| square.flip_horizontal());
        let Ok(chess) = Chess::from_setup(setup, CastlingMode::Standard) else { return };
        let mirrored = Position::from_chess(&chess);
        assert_eq!(evaluate(position), evaluate(&mirrored), "{}", position.fen());
        seen += 1;
    });
    assert!(seen > 5_000);
}

#[test]
fn values_are_bounded_and_caches_agree() {
    let mut cache = PawnCache::new();
    random_positions(150, |position| {
        let fresh = evaluate(position);
        assert!(fresh.abs() <= Score::MAX_EVAL);
        for _ in 0..2 {
            assert_eq!(evaluate_cached(position, &mut cache), fresh, "{}", position.fen());
        }
        let trace = trace(position);
        assert_eq!(trace.value().clamp(-Score::MAX_EVAL, Score::MAX_EVAL), for_mover(position, fresh));
    });
}

/// A composed board may hold more material than fits in a sum of 16 bits.
#[test]
fn a_board_full_of_queens_is_worth_the_most() {
    let full = Position::from_any_fen("kb6/pp6/8/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQK w - - 0 1", None);
    let full = full.expect("a position").0;
    assert_eq!(evaluate(&full), Score::MAX_EVAL);
    assert_eq!(evaluate_cached(&full.flipped(), &mut PawnCache::new()), Score::MAX_EVAL);
    assert_eq!(trace(&full).value(), 39 * 985 - 342 - 2 * 82);
}

/// The heaviest material that a legal position can have stays within the pairs' 16 bits and within the bounds.
#[test]
fn nine_queens_are_worth_the_most() {
    let white = fen("QQQQQQQQ/Q7/8/8/8/1k6/8/RNB1KBNR b KQ - 0 1");
    let black = fen("rnb1kbnr/8/1K6/8/8/8/q7/qqqqqqqq w kq - 0 1");
    assert_eq!(evaluate(&white), -Score::MAX_EVAL);
    assert_eq!(evaluate(&black), -Score::MAX_EVAL);
}

fn fen(text: &str) -> Position {
    let fen: Fen = text.parse().expect("a FEN");
    match Chess::from_setup(fen.into_setup(), CastlingMode::Standard) {
        Ok(chess) => Position::from_chess(&chess),
        Err(error) => Position::from_chess(&error.ignore_too_much_material().expect("a position")),
    }
}

/// Both positions have white to move; the first must be better for white by at least `margin`.
fn better(good: &str, bad: &str, margin: i32) {
    let (good_value, bad_value) = (evaluate(&fen(good)), evaluate(&fen(bad)));
    assert!(good_value >= bad_value + margin, "{good}: {good_value}, {bad}: {bad_value}");
}

#[test]
fn knowledge_points_the_right_way() {
    let start = evaluate(&Position::startpos());
    assert!((0..60).contains(&start), "the first move is worth something, not much: {start}");
    // An extra pawn, knight, rook, queen.
    let full = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    better("rnbqkbnr/ppppp1pp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", full, 50);
    better("rnbqkb1r/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", full, 250);
    better("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", full, 800);
    // A sound pawn chain against doubled and isolated pawns.
    better("4k3/ppp5/8/8/8/8/PPP5/4K3 w - - 0 1", "4k3/ppp5/8/8/P7/P7/P7/4K3 w - - 0 1", 20);
    // A passed pawn further on; a king nearer to it.
    better("4k3/8/1P6/8/8/8/7p/6K1 w - - 0 1", "4k3/8/8/8/8/1P6/7p/6K1 w - - 0 1", 30);
    // A pawn that the king cannot catch.
    better("7k/8/8/P7/8/8/8/7K w - - 0 1", "3k4/8/8/P7/8/8/8/7K w - - 0 1", 100);
    // A rook on an open file.
    better("3r2k1/ppp2ppp/8/8/8/8/PPP2PPP/3R2K1 w - - 0 1", "3r2k1/ppp2ppp/8/8/8/8/PPP2PPP/R5K1 w - - 0 1", 5);
    // Shelter in front of the king.
    better(
        "r1bq1rk1/ppppbppp/2n5/4p3/4P3/2N2N2/PPPP1PPP/R1BQ1RK1 w - - 0 1",
        "r1bq1rk1/ppppbppp/2n5/4p3/4P1PP/2N2N2/PPPP1P2/R1BQ1RK1 w - - 0 1",
        10,
    );
}

#[test]
fn advantages_that_do_not_win_count_little() {
    // A minor piece against nothing or another, two knights, the wrong rook pawn, opposite bishops.
    for (text, most) in [
        ("4k3/8/8/8/8/8/8/2B1K3 w - - 0 1", 20),
        ("4k3/8/8/8/8/8/8/1NN1K3 w - - 0 1", 100),
        ("4k1n1/8/8/8/8/8/8/R3K3 w - - 0 1", 100),
        ("k7/8/8/8/P7/8/8/2B1K3 w - - 0 1", 40),
        ("4k3/4b3/8/8/3P4/8/4B3/4K3 w - - 0 1", 90),
    ] {
        let value = evaluate(&fen(text));
        assert!((-30..=most).contains(&value), "{text}: {value}");
    }
    // The same pawn with the right bishop wins.
    assert!(evaluate(&fen("k7/8/8/8/P7/8/8/3BK3 w - - 0 1")) > 250);
}

#[test]
fn the_breakdown_lists_every_term() {
    let position = fen("r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3");
    let text = trace(&position).to_string();
    for term in Term::ALL {
        assert!(text.contains(&format!("{term:?}")), "{text}");
    }
    assert!(text.ends_with("for white"));
}
