use proptest::prelude::*;
use shakmaty::{CastlingMode, FromSetup as _};

use super::keys::Keys;
use super::movegen::Part;
use super::*;

fn fen(text: &str) -> Position {
    Position::from_fen(text, CastlingMode::Chess960).expect("valid FEN")
}

/// Plays `choices` as indices into the legal moves. At every step, everything that a position keeps is compared with
/// shakmaty's, and so is what a null move leaves.
fn walk(mut position: Position, choices: &[u16]) {
    let mut chess = position.to_chess();
    for &choice in choices {
        check_position(&position, &chess);
        let moves = check_generation(&position, &chess);
        if !position.in_check() {
            check_null_move(&position, &chess);
        }
        if moves.is_empty() {
            break;
        }
        let m = moves[usize::from(choice) % moves.len()];
        let mut seen = None;
        let mut fetched = position;
        fetched.play_and(m, |now| seen = Some((now.key(), now.clock(), now.reversible())));
        let key = position.after(m).en_passant.map_or(0, |file| {
            let mut keys = Keys::default();
            keys.toggle_en_passant(file);
            keys.whole
        });
        position.play(m);
        assert_eq!(fetched.key(), position.key());
        assert_eq!(seen, Some((position.key() ^ key, position.clock(), position.reversible())), "{m:?}");
        chess.play_unchecked(m.into());
    }
}

/// Everything that a position keeps, against shakmaty's position after the same moves.
fn check_position(position: &Position, chess: &Chess) {
    let fen = position.fen();
    let en_passant = chess.legal_ep_square().map(Square::file);
    let keys = Keys::of(position.board(), chess.turn(), &chess.castles().into(), en_passant);
    assert_eq!(*position.keys(), keys, "{fen}");
    assert_eq!(position.key(), Position::from_chess(chess).key(), "{fen}");
    assert_eq!(self::fen(&fen).key(), position.key(), "{fen}");
    assert_eq!(position.turn(), chess.turn(), "{fen}");
    assert_eq!(position.fullmoves(), chess.fullmoves(), "{fen}");
    assert_eq!(u32::from(position.clock()), chess.halfmoves(), "{fen}");
    assert_eq!(position.checkers(), chess.checkers(), "{fen}");
    assert_eq!(position.castling().castling_rights(), chess.castles().castling_rights(), "{fen}");
    assert_eq!(position.is_insufficient_material(), chess.is_insufficient_material(), "{fen}");
    check_board(position, chess.board());
    let king = chess.board().king_of(chess.turn()).expect("a king");
    // Slow: a piece is pinned if the king is attacked by a slider once it is gone.
    let attacked_without = |square: Square| {
        let board = chess.board();
        let occupied = board.occupied() ^ Bitboard::from(square);
        (board.attacks_to(king, !chess.turn(), occupied) & board.sliders() & !chess.checkers()).any()
    };
    let pinned: Bitboard =
        (chess.us() & !Bitboard::from(king)).into_iter().filter(|&at| attacked_without(at)).collect();
    assert_eq!(position.pinned(), pinned, "{fen}");
}

/// Bitboards, mailbox and census against shakmaty's board.
fn check_board(position: &Position, theirs: &shakmaty::Board) {
    let board = position.board();
    assert_eq!(shakmaty::Board::from(board), *theirs);
    assert_eq!(*board, Board::from(theirs));
    for square in Square::ALL {
        let piece = theirs.piece_at(square);
        assert_eq!((board.piece_at(square), board.role_at(square), board.color_at(square)), {
            (piece, piece.map(|piece| piece.role), piece.map(|piece| piece.color))
        });
        assert_eq!(board.code_at(square), piece.map_or(PieceCode::default(), PieceCode::from));
        assert_eq!(board.attacks_from(square), theirs.attacks_from(square));
        for color in Color::ALL {
            let occupied = theirs.occupied();
            assert_eq!(board.attacks_to(square, color, occupied), theirs.attacks_to(square, color, occupied));
        }
    }
    for (color, role) in Color::ALL.into_iter().flat_map(|color| Role::ALL.map(|role| (color, role))) {
        assert_eq!(board.by_piece(role.of(color)), theirs.by_piece(role.of(color)));
    }
    assert_eq!(board.occupied(), theirs.occupied());
    let points = |role: Role| [1, 3, 3, 5, 9, 0][role as usize - 1];
    assert_eq!(position.men(), theirs.occupied().count());
    assert_eq!(position.points(), theirs.iter().map(|(_, piece)| points(piece.role)).sum::<i32>());
}

/// A null move leaves what shakmaty has of the position with the other side to move.
fn check_null_move(position: &Position, chess: &Chess) {
    let mut passed = *position;
    passed.play_null();
    let mut setup = chess.to_setup(shakmaty::EnPassantMode::Legal);
    setup.swap_turn();
    let chess = fen::accept(setup, position.castling_mode()).expect("either side may move");
    let expected = Position::from_chess(&chess);
    assert_eq!((passed.turn(), passed.keys()), (expected.turn(), expected.keys()), "{}", position.fen());
    assert_eq!((passed.checkers(), passed.pinned()), (expected.checkers(), expected.pinned()));
    assert_eq!((passed.board(), passed.castling()), (position.board(), position.castling()));
    assert_eq!((passed.clock(), passed.reversible()), (position.clock() + 1, 0));
    assert_eq!(passed.game_ply(), position.game_ply() + 1);
}

/// The legal moves are shakmaty's; the halves hold them between them, with and without the attack maps; and a packed
/// move is found if and only if it is legal. Returns the legal moves.
fn check_generation(position: &Position, chess: &Chess) -> Vec<Move> {
    let fen = position.fen();
    let sorted = |moves: &[Move]| {
        let mut packed: Vec<u16> = moves.iter().map(|m| PackedMove::to_bits(Some(m.packed()))).collect();
        packed.sort_unstable();
        packed
    };
    let legal: Vec<Move> = chess.legal_moves().into_iter().map(Into::into).collect();
    let all = position.legal_moves();
    assert_eq!(sorted(&all), sorted(&legal), "{fen}");
    assert!(all.iter().all(|m| legal.contains(m)), "{fen}");
    assert_eq!((position.count_moves(), position.has_legal_move()), (legal.len(), !legal.is_empty()), "{fen}");

    let (noisy, quiet) = (position.noisy_moves(), position.quiet_moves());
    assert!(noisy.iter().all(|m| m.is_noisy()) && !quiet.iter().any(|m| m.is_noisy()), "{fen}");
    let both: Vec<Move> = noisy.iter().chain(&quiet).copied().collect();
    assert_eq!(sorted(&both), sorted(&legal), "{fen}");
    assert!(both.iter().all(|m| legal.contains(m)), "{fen}");
    let maps = attacks::AttackMaps::new(position.board());
    assert_eq!(position.collect(Part::Noisy, Some(maps.of(position.turn()).all)), noisy, "{fen}");
    assert_eq!(position.collect(Part::Quiet, Some(maps.of(!position.turn()).all)), quiet, "{fen}");

    for &m in &legal {
        assert_eq!(position.gives_check(m), position.after(m).in_check(), "{m:?} in {fen}");
        assert_eq!(position.find(m.packed()), Some(m), "{fen}");
    }
    let mut state = position.key();
    for _ in 0..50 {
        let Some(packed) = PackedMove::from_bits(crate::random::split_mix(&mut state) as u16) else { continue };
        let found = legal.iter().copied().find(|&m| packed.is(m));
        assert_eq!(position.find(packed), found, "{packed:?} in {fen}");
    }
    legal
}

/// Every move that 16 bits can name, in positions with castling, promotions, en passant, checks and pins.
#[test]
fn no_move_but_a_legal_one_is_found() {
    for text in [
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1",
        "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
        "8/8/8/1k1pP2R/8/8/8/4K3 w - d6 0 1",
        "4k3/8/8/K2pP2r/8/8/8/8 w - d6 0 1",
        "4k3/4r3/8/b7/8/2N5/3PN3/R3K2R w KQ - 0 1",
        "4k3/8/8/8/7b/8/4r3/R3K2R w KQ - 0 1",
        "1rk5/8/8/8/8/8/8/RK5R w AH - 0 1",
        "5k2/8/8/8/8/8/8/1R1K2R1 w GB - 0 1",
    ] {
        let position = fen(text);
        let legal = check_generation(&position, &position.to_chess());
        let found: Vec<Move> =
            (1..=u16::MAX).filter_map(PackedMove::from_bits).filter_map(|packed| position.find(packed)).collect();
        assert_eq!(found.len(), legal.len(), "{text}");
        assert!(legal.iter().all(|m| found.contains(m)), "{text}");
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
        setup.board = shakmaty::Board::chess960(number);
        setup.castling_rights = setup.board.rooks();
        let chess = Chess::from_setup(setup, CastlingMode::Chess960).expect("a Chess960 start");
        walk(Position::from_chess(&chess), &choices);
    }
}

#[test]
fn a_pass_passes_the_turn_whatever_is_on_the_board() {
    // More men than chess has, and nothing but a king and castling rooks to move.
    for text in ["nnn1k3/pppppppp/8/8/8/8/8/4K3 w - - 0 1", "4k3/pppppppp/p7/8/8/8/8/R3K2R w KQ - 0 1"] {
        let mut position = fen(text);
        check_null_move(&position, &position.to_chess());
        position.play_null();
        assert_eq!(position.turn(), Color::Black, "{text}");
    }
}

#[test]
fn keys_depend_on_which_rook_may_castle() {
    let [outer, inner] = ["A", "B"].map(|right| fen(&format!("4k3/8/8/8/8/8/8/RR2K3 w {right} - 0 1")));
    assert_ne!(outer.castling().castling_rights(), inner.castling().castling_rights());
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
    let mut after = pinned;
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
    Position::from_chess(&fen::accept(setup, CastlingMode::Standard).expect("a position"))
}

#[test]
fn more_moves_than_a_list_holds_are_cut() {
    for side in [Color::White, Color::Black] {
        let position = overfull(side);
        let moves = position.legal_moves();
        assert_eq!((position.count_moves(), moves.len()), (271, movegen::MAX_MOVES));
        assert!(position.has_legal_move() && position.overfills_a_list());
        assert!(moves.iter().all(|&m| position.find(m.packed()) == Some(m)));
        assert_eq!(perft::count(&position, 1), 271);
        // As a reply, too: the other side has no move, so it passes.
        let mut passed = position;
        passed.play_null();
        assert!(!passed.has_legal_move() && passed.overfills_a_list());
    }
    // Any number of men is accepted as long as their moves fit in a list.
    let crowded = "kqQQQQQQ/qqqqqqqq/QQQQQQQQ/qqqqqqqq/QQQQQQQQ/qqqqqqqq/QQQQQQQQ/KQqqqqqq w - - 0 1";
    check_generation(&fen(crowded), &fen(crowded).to_chess());
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
