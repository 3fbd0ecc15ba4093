use proptest::prelude::*;
use shakmaty::{CastlingMode, FromSetup as _};

use super::keys::Keys;
use super::*;

fn fen(text: &str) -> Position {
    Position::from_fen(text, CastlingMode::Chess960).expect("valid FEN")
}

/// Plays `choices` as indices into the legal moves, checking keys and counters at every step.
fn walk(mut position: Position, choices: &[u16]) {
    for &choice in choices {
        let moves = position.legal_moves();
        if moves.is_empty() {
            break;
        }
        let m = moves[usize::from(choice) % moves.len()];
        check_generation(&position, &moves);
        if !position.in_check() {
            let mut passed = position.clone();
            passed.play_null();
            assert_eq!(passed.turn(), !position.turn());
            assert_eq!(*passed.keys(), Position::from_chess(passed.chess().clone()).keys);
            assert_eq!(passed.board(), position.board());
        }
        position.play(m);
        let fresh = Keys::of(
            position.board(),
            position.turn(),
            position.castles(),
            position.chess().legal_ep_square().map(|s| s.file()),
        );
        assert_eq!(*position.keys(), fresh, "after {m:?}: {}", position.fen());
        assert_eq!(position.checkers(), position.chess().checkers());
        assert_eq!(u32::from(position.clock()), position.chess().halfmoves());
        assert_eq!(fen(&position.fen()).key(), position.key());
    }
}

/// Both halves together are shakmaty's legal moves, each in its half; and a packed move is found if and only if it is
/// legal.
fn check_generation(position: &Position, legal: &MoveList) {
    let (mut noisy, mut quiet) = (Vec::new(), Vec::new());
    position.each_noisy(|m| noisy.push(m));
    position.each_quiet(|m| quiet.push(m));
    assert!(noisy.iter().all(|&m| movegen::is_noisy(m)));
    assert!(!quiet.iter().any(|&m| movegen::is_noisy(m)));
    let sorted = |moves: Vec<Move>| {
        let mut packed: Vec<u16> = moves.into_iter().map(|m| PackedMove::to_bits(Some(PackedMove::new(m)))).collect();
        packed.sort_unstable();
        packed
    };
    let both: Vec<Move> = noisy.into_iter().chain(quiet).collect();
    assert!(both.iter().all(|m| legal.contains(m)), "{}", position.fen());
    assert_eq!(sorted(both), sorted(legal.to_vec()), "{}", position.fen());
    for m in legal {
        let after = position.after(*m);
        assert_eq!(position.gives_check(*m), after.in_check(), "{m:?} in {}", position.fen());
        assert_eq!(position.find(PackedMove::new(*m)), Some(*m), "{}", position.fen());
    }
    let mut state = position.key();
    for _ in 0..50 {
        let Some(packed) = PackedMove::from_bits(crate::random::split_mix(&mut state) as u16) else { continue };
        let found = legal.iter().copied().find(|&m| packed.is(m));
        assert_eq!(position.find(packed), found, "{packed:?} in {}", position.fen());
    }
}

proptest! {
    #[test]
    fn keys_follow_every_move(choices in prop::collection::vec(any::<u16>(), 0..200)) {
        walk(Position::startpos(), &choices);
    }

    #[test]
    fn keys_follow_every_move_in_chess960(
        number in 0u32..960,
        choices in prop::collection::vec(any::<u16>(), 0..120),
    ) {
        let mut setup = shakmaty::Setup::empty();
        setup.board = Board::chess960(number);
        setup.castling_rights = setup.board.rooks();
        let chess = Chess::from_setup(setup, CastlingMode::Chess960).expect("a Chess960 start");
        walk(Position::from_chess(chess), &choices);
    }
}

#[test]
fn a_pass_passes_the_turn_whatever_is_on_the_board() {
    // More men than chess has, and nothing but a king and castling rooks to move.
    for text in ["nnn1k3/pppppppp/8/8/8/8/8/4K3 w - - 0 1", "4k3/pppppppp/p7/8/8/8/8/R3K2R w KQ - 0 1"] {
        let mut position = fen(text);
        position.play_null();
        assert_eq!(position.turn(), shakmaty::Color::Black, "{text}");
        assert_eq!(*position.keys(), Position::from_chess(position.chess().clone()).keys, "{text}");
    }
}

#[test]
fn keys_depend_on_which_rook_may_castle() {
    let [outer, inner] = ["A", "B"].map(|right| fen(&format!("4k3/8/8/8/8/8/8/RR2K3 w {right} - 0 1")));
    assert_ne!(outer.castles().castling_rights(), inner.castles().castling_rights());
    assert_ne!(outer.key(), inner.key());
    let [mut outer, mut inner] = [outer, inner];
    for position in [&mut outer, &mut inner] {
        position.play(position.parse_move("e1e2").expect("legal"));
    }
    assert_eq!(outer.key(), inner.key(), "no right, no difference");
}

#[test]
fn en_passant_counts_only_when_it_can_be_captured() {
    // After 1. e4 no black pawn can capture: the square must not make a different position.
    let mut played = Position::startpos();
    played.play(played.parse_move("e2e4").expect("legal"));
    let without = fen("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
    let with = fen("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1");
    assert_eq!(played.key(), without.key());
    assert_eq!(with.key(), without.key());
    // A pinned pawn cannot capture either; a free one can.
    let pinned = fen("8/8/8/8/1k2p2R/8/3P4/4K3 w - - 0 1");
    let mut after = pinned.clone();
    after.play(after.parse_move("d2d4").expect("legal"));
    assert_eq!(after.key(), fen("8/8/8/8/1k1Pp2R/8/8/4K3 b - - 0 1").key());
    let mut free = fen("8/8/8/1k6/4p3/8/3P4/4K3 w - - 0 1");
    free.play(free.parse_move("d2d4").expect("legal"));
    assert_ne!(free.key(), fen("8/8/8/1k6/3Pp3/8/8/4K3 b - - 0 1").key());
}

#[test]
fn both_castling_notations_are_read() {
    let position = fen("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
    assert_eq!(position.parse_move("e1g1"), position.parse_move("e1h1"));
    assert!(position.parse_move("e1g1").is_some_and(|m| m.is_castle()));
    assert!(position.parse_move("0000").is_none());
    assert!(position.parse_move("e1e9").is_none());
}

/// Two checkers that no one move can have brought are accepted, upside down as well: `flip` used to panic on them.
#[test]
fn impossible_checks_survive_a_flip() {
    for text in ["8/8/8/8/8/1n6/8/K1r1k3 w - - 0 1", "3R3k/8/5B2/8/7R/8/8/4K3 b - - 0 1"] {
        let position = fen(text);
        let flipped = position.flipped();
        assert_ne!(flipped.turn(), position.turn());
        assert_eq!(flipped.checkers().count(), position.checkers().count());
        assert_eq!(flipped.flipped().key(), position.key());
    }
}

#[test]
fn bad_positions_are_refused() {
    for bad in [
        "",
        "8/8/8/8/8/8/8/8 w - - 0 1",
        "4k3/8/8/8/8/8/8/8 w - - 0 1",
        "4k3/8/8/8/8/8/8/K2KR3 w - - 0 1",
        "P3k3/8/8/8/8/8/8/4K3 w - - 0 1",
        "4k3/8/8/8/8/8/8/4R1K1 w - - 0 1",
        "4k3/8/8/8/8/8/8/4K3 x - - 0 1",
    ] {
        let error = Position::from_fen(bad, CastlingMode::Standard).expect_err(bad);
        assert!(!error.to_string().contains('\n'), "{error}");
    }
}

#[test]
fn games_end_where_the_rules_say() {
    let mut game = Game::startpos();
    for round in 0..2 {
        assert_eq!(game.outcome(), None, "round {round}");
        for uci in ["g1f3", "g8f6", "f3g1", "f6g8"] {
            let m = game.position().parse_move(uci).expect("legal");
            game.play(m);
        }
    }
    assert_eq!(game.occurrences(), 2);
    assert_eq!(game.outcome(), Some(game::Ending::Repetition));
    // Mate at clock 100 is mate.
    let mut mate = Game::from_fen("7k/8/6K1/8/8/8/8/R7 w - - 99 80", CastlingMode::Standard).expect("valid");
    mate.play(mate.position().parse_move("a1a8").expect("legal"));
    assert_eq!(mate.position().clock(), 100);
    assert_eq!(mate.outcome(), Some(game::Ending::Checkmate));
    let mut quiet = Game::from_fen("7k/8/6K1/8/8/8/8/R7 w - - 99 80", CastlingMode::Standard).expect("valid");
    quiet.play(quiet.position().parse_move("a1a2").expect("legal"));
    assert_eq!(quiet.outcome(), Some(game::Ending::FiftyMoves));
}

/// A position with 271 legal moves, which is refused as a FEN.
fn overfull(side: Color) -> Position {
    let text = match side {
        Color::White => "QQQQQQBk/Q5RB/Q6Q/Q6Q/Q6Q/Q6Q/Q6Q/KQQQQQQQ w - - 0 1",
        Color::Black => "kqqqqqqq/q6q/q6q/q6q/q6q/q6q/q5rb/qqqqqqbK b - - 0 1",
    };
    let setup = text.parse::<Fen>().expect("a FEN").into_setup();
    Position::from_chess(fen::accept(setup, CastlingMode::Standard).expect("a position"))
}

#[test]
fn more_moves_than_a_list_holds_are_cut() {
    for side in [Color::White, Color::Black] {
        let position = overfull(side);
        let mut count = 0;
        position.each_noisy(|_| count += 1);
        position.each_quiet(|_| count += 1);
        let moves = position.legal_moves();
        assert_eq!((count, moves.len()), (271, movegen::MAX_MOVES));
        assert!(position.has_legal_move() && position.overfills_a_list());
        assert!(moves.iter().all(|&m| position.find(PackedMove::new(m)) == Some(m)));
        assert_eq!(perft::count(&position, 1), 270);
        // As a reply, too: the other side has no move, so it passes.
        let mut passed = position.clone();
        passed.play_null();
        assert!(!passed.has_legal_move() && passed.overfills_a_list());
    }
    // Any number of men is accepted as long as their moves fit in a list.
    let crowded = "kqQQQQQQ/qqqqqqqq/QQQQQQQQ/qqqqqqqq/QQQQQQQQ/qqqqqqqq/QQQQQQQQ/KQqqqqqq w - - 0 1";
    check_generation(&fen(crowded), &fen(crowded).legal_moves());
    assert!(Position::startpos().move_bound(Color::White) < movegen::MAX_MOVES);
}

/// Occurrences are those that a count of all positions since the last pass or irreversible move finds; and each
/// position that occurs for the second time is a trap, once.
#[test]
fn occurrences_are_those_of_a_slow_model() {
    let mut game = Game::from_fen("k7/8/8/8/8/8/7P/K7 w - - 0 1", CastlingMode::Standard).expect("valid");
    let corners: Bitboard = [Square::A1, Square::A2, Square::B1, Square::B2].into_iter().collect();
    let corners = corners | corners.flip_vertical();
    let (mut state, mut past, mut most) = (1, Vec::new(), 0);
    for ply in 0..700 {
        let position = game.position();
        let key = position.key();
        let count = |key: u64| past.iter().filter(|&&other| other == key).count();
        assert_eq!(game.occurrences(), count(key), "ply {ply}");
        most = most.max(game.occurrences());
        let mut traps: Vec<u64> = game.traps().map(Position::key).collect();
        traps.sort_unstable();
        let mut twice: Vec<u64> = past.iter().copied().filter(|&k| count(k) + usize::from(k == key) >= 2).collect();
        twice.sort_unstable();
        twice.dedup();
        assert_eq!(traps, twice, "ply {ply}");
        past.push(key);
        if ply % 97 == 96 {
            game.play_null();
            past.clear();
            continue;
        }
        let (pawn, kings): (Vec<Move>, Vec<Move>) =
            position.legal_moves().into_iter().partition(|m| m.role() == Role::Pawn);
        let kings: Vec<Move> = kings.into_iter().filter(|m| corners.contains(m.to())).collect();
        match pawn.first() {
            Some(&push) if ply % 150 > 140 => {
                game.play(push);
                past.clear();
            }
            _ => game.play(kings[crate::random::split_mix(&mut state) as usize % kings.len()]),
        }
        if game.position().our(Role::Queen).any() || game.position().men() != 3 {
            break;
        }
    }
    assert!(most > 3, "{most}");
}

/// A quarter of a million plies of nothing but knights: counting each position among those before it would take a
/// long time, and the first of them would be forgotten.
#[test]
fn occurrences_are_counted_in_very_long_games() {
    let mut game = Game::startpos();
    let rounds = 62_500;
    for _ in 0..rounds {
        for uci in ["g1f3", "g8f6", "f3g1", "f6g8"] {
            game.play(game.position().parse_move(uci).expect("legal"));
        }
    }
    assert_eq!((game.occurrences(), game.traps().count()), (rounds, 4));
}
