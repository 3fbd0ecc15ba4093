use super::*;

fn read(text: impl AsRef<[u8]>) -> Vec<Reading> {
    let mut games = Games::new(text.as_ref());
    std::iter::from_fn(|| games.next_game().expect("memory can be read")).collect()
}

fn faults(text: &str) -> Vec<String> {
    read(text).into_iter().filter_map(|reading| Some(reading.game.err()?.to_string())).collect()
}

fn rewritten(text: &str) -> String {
    let game = read(text).remove(0).game.unwrap_or_else(|fault| panic!("{fault}: {text}"));
    String::from_utf8(game.write("x")).expect("text")
}

/// The movetext of all games after writing, one string a game.
fn moves(text: &str) -> Vec<String> {
    let whole = |reading: Reading| {
        let game = reading.game.unwrap_or_else(|fault| panic!("{fault}: {text}"));
        let text = String::from_utf8(game.write("x")).expect("text");
        text.split_once("\n\n").map_or_else(String::new, |(_, moves)| moves.trim_end().replace('\n', " "))
    };
    read(text).into_iter().map(whole).collect()
}

#[test]
fn existing_annotations_are_kept() {
    let text = "[White \"A \\\"B\\\" \\\\\"]\n[Annotator \"me\"]\n\n\
                { first } 1. e4 $10 { good [%clk 0:01] } (1. d4 d5 $1 (1... Nf6 { Indian } 2.\n\
                c4) 2. c4) 1... e5 2. Nf3 Nc6 1-0\n\n";
    assert_eq!(rewritten(text), text);
    assert_eq!(rewritten(&rewritten(text)), text);
}

#[test]
fn one_comment_follows_a_move() {
    assert_eq!(
        moves("1. e4! {a} $10 {b} ;c\n (1. d4 {x} !? {y}) {z} e5 *"),
        ["1. e4 $1 $10 { a b c } (1. d4 $5 { x y }) { z } 1... e5 *"]
    );
    assert_eq!(
        moves("1. e4 ; not } closed\n e5 {laid  out\n\n as it is} *"),
        ["1. e4 ; not } closed 1... e5 { laid  out   as it is } *"]
    );
}

/// PGN 8.2.1: a line of movetext has less than 80 characters, with the parentheses at its end.
#[test]
fn no_line_has_80_characters() {
    for letters in 1..80 {
        let comment = "x".repeat(letters);
        let text = rewritten(&format!("1. e4 {{{comment}}} (1. d4 (1. c4 (1. f4 (1. Nf3)))) e5 2. Nf3 Nc6 *"));
        assert!(text.lines().all(|line| line.len() < 80), "{text}");
        assert_eq!(rewritten(&text), text);
    }
}

/// PGN 8.2.2.2: Black's move has its number after an annotation, and a glyph is one.
#[test]
fn a_number_follows_a_glyph() {
    assert_eq!(moves("1. e4! e5? 2. Nf3 $10 $13 Nc6 *"), ["1. e4 $1 1... e5 $2 2. Nf3 $10 $13 2... Nc6 *"]);
    assert_eq!(moves("1. e4 (1. d4!? d5 2. c4) e5 *"), ["1. e4 (1. d4 $5 1... d5 2. c4) 1... e5 *"]);
}

/// For other readers, a line that begins with a percent sign is not part of the game.
#[test]
fn no_comment_puts_a_percent_sign_first() {
    for letters in 60..90 {
        let text = rewritten(&format!("1. e4 {{{} % sure, 50 %}} *", "x".repeat(letters)));
        assert!(
            text.replace('\n', " ").contains(" % sure, 50 %") && text.lines().all(|line| !line.starts_with('%')),
            "{text}"
        );
    }
}

#[test]
fn moves_of_all_spellings_are_read() {
    for text in [
        "1. e2-e4 e7-e5 2. Ng1-f3 *",
        "1.e4 e5 2.Nf3 *",
        "1. e2e4 e7e5 2. g1f3 *",
        "1.\u{A0}e4 e5 2.\u{2003}♘f3 *",
        "1 e4 1... e5 2 Nf3+ *",
        "e4 e5 Nf3",
        "1. e4 e5\r\n\r\n2. Nf3 *",
        "\u{FEFF}1. e4 e5 2. Nf3\u{1A}",
    ] {
        assert_eq!(moves(text), ["1. e4 e5 2. Nf3 *"], "{text}");
    }
    assert_eq!(moves("1. e4 d5 2. ed5 Qd5 3. -- Qe4 # *"), ["1. e4 d5 2. exd5 Qxd5 3. -- Qe4+ *"]);
    assert_eq!(moves("[FEN \"4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1\"]\n\n1. exd6 e.p. ½-½"), ["1. exd6 1/2-1/2"]);
    assert_eq!(moves("1. f3 e5 2. g4 Qh4++ 0-1"), ["1. f3 e5 2. g4 Qh4# 0-1"]);
}

#[test]
fn games_are_separated_correctly() {
    assert_eq!(moves("1. e4 e5 1-0\n1. d4 d5 0-1"), ["1. e4 e5 1-0", "1. d4 d5 0-1"]);
    assert_eq!(moves("1. e4 e5 1-0 1. d4 d5 0-1"), ["1. e4 e5 1-0", "1. d4 d5 0-1"]);
    assert_eq!(moves("1. e4 e5\n\n2. Nf3 Nc6 1-0"), ["1. e4 e5 2. Nf3 Nc6 1-0"]);
    assert_eq!(moves("1. e4 e5\n\n1. d4 d5"), ["1. e4 e5 *", "1. d4 d5 *"]);
    assert_eq!(moves("1. e4 e5 1-0 {over} $1\n\n{next} 1. d4 *"), ["1. e4 e5 $1 { over } 1-0", "{ next } 1. d4 *"]);
    // A variation may begin after an empty line, but not go back to the first move.
    let variation = "1. e4 e5 (\n\n1... c5 2. Nf3) (1... c6\n\n2. d4) 2. Nf3 *";
    assert_eq!(moves(variation), ["1. e4 e5 (1... c5 2. Nf3) (1... c6 2. d4) 2. Nf3 *"]);
    let open = "1. e4 e5 (1... c5\n\n1. d4 d5 *\n\n1. c4 *";
    assert_eq!(read(open).iter().map(|game| game.game.is_ok()).collect::<Vec<_>>(), [false, true, true]);
    let two = "[Event \"1\"]\n[White \"A\"]\n\n1. e4\n[Event \"2\"]\n\n\n[Event \"3\"]\n\n*";
    assert_eq!(moves(two), ["1. e4 *", "*", "*"]);
    // A missing brace costs only its own game.
    let three = "[Event \"1\"]\n\n1. e4 {open\n\n[Event \"2\"]\n\n1. d4 {shut} *\n\n[Event \"3\"]\n\n1. c4 {open";
    let games = read(three);
    assert_eq!(games.iter().map(|game| game.game.is_ok()).collect::<Vec<_>>(), [false, true, false]);
    assert_eq!(faults(three), ["line 3: an unterminated comment", "line 11: an unterminated comment"]);
}

/// A byte order mark is invisible, at the beginning of a file and where another one was joined to it.
#[test]
fn an_escape_line_may_have_a_byte_order_mark() {
    for text in ["\u{FEFF}% x\n[Event \"a\"]\n\n1. e4 *", "\u{FEFF}\u{FEFF}% x\r\n1. e4 *"] {
        let games = read(text);
        assert_eq!(games.len(), 1, "{text}");
        let game = games[0].game.as_ref().unwrap_or_else(|fault| panic!("{fault}: {text}"));
        assert_eq!((game.before.as_slice(), game.moves.len()), (&[Token::Escape(b" x".to_vec())][..], 1), "{text}");
    }
    let joined = "1. e4 *\n\n\u{FEFF}% joined\n1. d4 *";
    assert_eq!(moves(joined), ["1. e4 *", "% joined 1. d4 *"]);
}

#[test]
fn remarks_after_the_last_game_are_not_a_game() {
    for remarks in ["% end of file", "; end of file", "{closing\nwords}\n", "\u{FEFF}% x\n;y\n{z}"] {
        let games = read(format!("1. e4 *\n\n{remarks}"));
        let kinds: Vec<_> = games.iter().map(|game| (game.game.is_ok(), game.only_remarks)).collect();
        assert_eq!(kinds, [(true, false), (false, true)], "{remarks}");
        assert_eq!(games[1].text, remarks.as_bytes());
    }
    for other in ["{without an end", "*", "; x\n*", "[Event \"x\"]\n{y}", "{x} $1", "plain words"] {
        assert!(read(other).iter().all(|game| !game.only_remarks), "{other}");
    }
}

#[test]
fn the_annotator_of_an_earlier_analysis_is_replaced() {
    let text = "[Annotator \"Ibex 0\"]\n\n1. e4 *\n\n";
    assert_eq!(rewritten(text), "[Annotator \"x\"]\n\n1. e4 *\n\n");
}

#[test]
fn games_may_start_from_any_position() {
    let text = "[FEN \"4k3/8/8/8/8/8/4P3/4K3 b - - 0 41\"]\n\nKe7 e4 *\n";
    assert!(rewritten(text).ends_with("\n\n41... Ke7 42. e4 *\n\n"));
    let shuffled =
        "[Variant \"Chess960\"]\n[ FEN \"1rk4r/pppppppp/8/8/8/8/PPPPPPPP/1RK4R w HBhb - 0 1\" ]\n\n1. O-O-O 0-0 *\n";
    assert!(rewritten(shuffled).ends_with("\n\n1. O-O-O O-O *\n\n"));
}

#[test]
fn unreadable_games_are_reported_and_kept() {
    for (text, fault) in [
        ("1. e4 e5 2. Sf3 Sc6 *", "line 1: 2. 'Sf3' is not a move"),
        ("1. e4 e5\n2. Ke3 Nf6 *", "line 2: 2. 'Ke3' is not legal"),
        ("[White \"A\"]\n\n1. e4 (1. d4 hm 2. c4) e5", "line 3: 1... 'hm' is not a move"),
        ("[Event \"x\"]\n[Variant \"Atomic\"]\n\n1. e4 *", "line 2: Ibex does not play 'atomic'"),
        ("[Event \"x\"]\n[Variant \"Atomic\"]\n", "line 2: Ibex does not play 'atomic'"),
        ("[Event \"x\"]\n[FEN \"nonsense\"]\n\n1. e4 *", "line 2: FEN: "),
        ("[Event \"x\"]\n[FEN \"\"]\n", "line 2: FEN: "),
        ("[FEN \"a\"]\n[fen \"b\"]\n\n1. e4 *", "line 1: two different FEN tags"),
        ("[FEN \"8/8/8/8]\n\n1. e4 *", "line 1: '[FEN \"8/8/8/8]' is not a tag"),
        ("plain words, no chess", "line 1: 1. 'plain' is not a move"),
        ("(1. d4) 1. e4 *", "line 1: '(' before the first move"),
        ("1. e4 ((1. c4) 1. d4) *", "line 1: '(' before the first move"),
        ("1. e4 (1. d4 (1. c4 *", "line 1: an unterminated variation"),
        ("1. e4) *", "line 1: ')' without a beginning"),
        ("1. e4 [%clk 0:01] *", "line 1: 1... '[%clk' is not a move"),
        ("*", "line 1: no game: neither tags nor moves"),
        ("1. e4 \0 *", "line 1: 1... '\\0' is not a move"),
    ] {
        let games = read(text);
        assert_eq!(games.len(), 1, "{text}");
        let error = games[0].game.as_ref().expect_err(text).to_string();
        assert!(error.starts_with(fault), "{text}: {error}");
        assert_eq!(games[0].text, text.as_bytes());
    }
    // A tag without quotes does not cut a game in two.
    let text = "[Event \"x\"]\n[White \"A\"]\n[FEN 8/8/8/8 w]\n[Foo bar]\n[Result \"*\"]\n\n1. e4 *\n";
    assert_eq!(faults(text), ["line 3: '[FEN 8/8/8/8 w]' is not a tag"]);
    assert_eq!(read(text).len(), 1);
    // The next games are unaffected.
    let text = "1. e4 Sf6 (1... e5 1-0) 2. d4 0-1\n1. d4 *\n\n[Event \"x\"]\n1. c4 oops\n[Event \"y\"]\n1. f4 *\n";
    let games = read(text);
    assert_eq!(games.iter().map(|game| game.game.is_ok()).collect::<Vec<_>>(), [false, true, false, true]);
    assert_eq!(games.iter().flat_map(|game| game.text.clone()).collect::<Vec<_>>(), text.as_bytes());
}

#[test]
fn changes_are_reported() {
    let remarks = |text: &str| read(text)[0].remarks.iter().map(Fault::to_string).collect::<Vec<_>>();
    assert_eq!(remarks("1. e4 e5 3. Nf3 *"), ["line 1: move number 3 is now 2"]);
    assert_eq!(remarks("[White \"A]\n\n1. e4 *"), ["line 1: '[White \"A]' is not a tag: kept as it stands"]);
    assert!(rewritten("[White \"A]\n\n1. e4 *").starts_with("[White \"A]\n"));
    let odd = "[Event \"x\"]\n[White \"A\"]\n[Foo 'bar']\n[Result \"*\"]\n\n1. e4 e5 *\n";
    assert_eq!(remarks(odd), ["line 3: '[Foo 'bar']' is not a tag: kept as it stands"]);
    assert_eq!((read(odd).len(), read(odd)[0].title.as_str()), (1, "A - ?"));
    let written = rewritten(odd);
    assert!(written.starts_with("[Event \"x\"]\n[White \"A\"]\n[Foo 'bar']\n[Result \"*\"]\n"), "{written}");
    assert_eq!(rewritten(&written), written);
    assert_eq!(remarks("1. e4 e5 2. Nf3 *"), Vec::<String>::new());
    // Positions that cannot be played as they stand.
    for (fen, repair) in [
        ("4k3/8/8/8/8/8/4P3/4K3[Qq] w - - 0 1", "'[Qq]' after the board is ignored"),
        ("4k3/8/8/8/8/8/8/4K2R w KQ - 0 1", "kept: K"),
        ("4k3/8/8/8/8/8/4P3/4K3 w - - 151 9", "halfmove clock '151'"),
    ] {
        for variant in ["", "[Variant \"Chess960\"]\n"] {
            for moves in ["Kd1 *", "*"] {
                let all = remarks(&format!("[Event \"x\"]\n[FEN \"{fen}\"]\n{variant}\n{moves}\n"));
                assert!(all.len() == 1 && all[0].starts_with("line 2: FEN: ") && all[0].contains(repair), "{all:?}");
            }
        }
    }
}

#[test]
fn results_are_distinguished_from_moves() {
    assert_eq!(moves("1. e4 e5 1/2 - 1/2\n\n1. d4 1 - 0"), ["1. e4 e5 1/2-1/2", "1. d4 1-0"]);
    let lost = "[Result \"0-0\"]\n\n1. e4 e5 0-0\n\n[Result \"0-0\"]\n\n0-0\n";
    assert_eq!(moves(lost), ["1. e4 e5 0-0", "0-0"]);
    assert_eq!(rewritten(&rewritten(lost)), rewritten(lost));
    let castles = "[Result \"0-0\"]\n\n1. Nf3 e5 2. g3 d5 3. Bg2 Nc6 4. 0-0 0-0\n";
    assert_eq!(moves(castles), ["1. Nf3 e5 2. g3 d5 3. Bg2 Nc6 4. O-O 0-0"]);
    assert_eq!(faults("1. e4 e5 0-0"), ["line 1: 2. '0-0' is not legal"]);
}

/// Once, each tag of such a file was sought to the end of the line.
#[test]
fn many_games_stand_on_one_line() {
    let game = "[White \"A \"x\" B\"] [Black \"B\"] 1. e4 {[%clk 0:01]} e5 * ";
    let games = read(game.repeat(100_000));
    assert_eq!(games.len(), 100_000);
    assert!(games.iter().all(|game| game.title == "A \"x\" B - B" && game.game.is_ok()));
}

/// Once, each of these took quadratic time.
#[test]
fn no_text_is_read_again_and_again() {
    const TIMES: usize = 1 << 20;
    let moves =
        |text: &str| read(text).into_iter().map(|game| game.game.map(|game| game.moves.len())).collect::<Vec<_>>();
    // Brackets that could begin a tag, in one game and in many games of one line.
    assert!(moves(&format!("1. e4 {}", "[a \" ".repeat(TIMES)))[0].is_err());
    assert_eq!(moves(&"x [a \" * ".repeat(TIMES / 16)).len(), TIMES / 16);
    assert_eq!(moves(&format!("1. e4 {} *", "{a}".repeat(TIMES))), [Ok(1)]);
    assert_eq!(moves(&format!("1. e4\n{} *", ";}\n".repeat(TIMES))), [Ok(1)]);
    let tags: String = (0..TIMES / 16).map(|i| format!("[T{i} \"x\"]\n\n")).collect();
    assert_eq!(moves(&format!("{tags}1. e4 *")), [Ok(1)]);
    assert_eq!(moves(&format!("{tags}[t7 \"x\"]\n1. e4 *")), [Ok(0), Ok(1)]);
}

#[test]
fn a_game_has_limits() {
    let shuffle = "Nf3 Nf6 Ng1 Ng8 ".repeat(5000);
    assert_eq!(read(&shuffle)[0].game.as_ref().map(|game| game.moves.len()), Ok(20_000));
    assert_eq!(faults(&format!("{shuffle} Nf3 *")), ["line 1: more than 20000 moves"]);
    let glyphs = |most: u32| (0..most).map(|nag| format!("${nag} ")).collect::<String>();
    assert_eq!(faults(&format!("1. e4 {} $3 e5 {} *", glyphs(256), glyphs(256))), Vec::<String>::new());
    assert_eq!(faults(&format!("1. e4 {} *", glyphs(257))), ["line 1: more than 256 glyphs at one move"]);
}

#[test]
fn a_game_has_one_encoding() {
    let named = |text: &[u8], name: &str| {
        let mut game = read(text).remove(0).game.expect("readable");
        game.set_tag("Opening", Some(name));
        game.tag("Opening").expect("it was set").to_vec()
    };
    assert_eq!(named(b"[White \"H\xFCbner\"]\n\n1. e4 *", "R\u{e9}ti"), b"R\xE9ti");
    assert_eq!(named(b"1. e4 {\xFC} *", "R\u{e9}ti"), b"R\xE9ti");
    assert_eq!(named("[White \"Hübner\"]\n\n1. e4 *".as_bytes(), "R\u{e9}ti"), "R\u{e9}ti".as_bytes());
    assert_eq!(named(b"1. e4 {\xFC} *", "\u{15a}"), "\u{15a}".as_bytes());
    assert_eq!(read(b"[White \"H\xFCbner\"]\n\n1. e4 *")[0].title, "H\u{fc}bner - ?");
    let fault = read(b"1. \xE9 *").remove(0).game.expect_err("no move");
    assert_eq!(fault.reason, "1. '\u{e9}' is not a move");
}

#[test]
fn parentheses_without_moves_are_comments() {
    assert_eq!(moves("1. e4 (0:05) e5 ({why} ) 2. Nf3 ( ) *"), ["1. e4 { (0:05) } 1... e5 { why } 2. Nf3 *"]);
    assert_eq!(moves("1. e4 (1. d4 1-0) *"), ["1. e4 (1. d4 { 1-0 }) *"]);
    assert_eq!(moves("1. e4 (1. Ke4 Ke5) *"), ["1. e4 (1. Ke4 Ke5) *"]);
    assert_eq!(
        moves("1. e4 (1. d2d4 g8f6 (1... d7-d5 2. 0-0)) e5 *"),
        ["1. e4 (1. d4 Nf6 (1... d5 2. 0-0)) 1... e5 *"]
    );
}

/// The positions from which games are searched, and the players of those that are not.
fn searched(text: &str) -> Vec<Result<(String, usize), String>> {
    let first = |reading: Reading| match reading.game {
        Ok(game) => Ok((game.start.position().fen(), game.moves.len())),
        Err(fault) => Err(fault.to_string()),
    };
    read(text).into_iter().map(first).collect()
}

/// Between tags, anything may stand. A game is searched from its FEN, or not at all.
#[test]
fn no_text_among_tags_separates_moves_from_their_fen() {
    const FEN: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/R1BQKBNR w KQkq - 0 1";
    let moves = "1. e4 e5 2. Nf3 *\n";
    for odd in [
        "[]",
        "[\"x\"]",
        "[#]",
        "[/b]",
        "[ ]",
        "[pgn]",
        "[Foo bar]",
        "[ Site \"x\"",
        "words",
        "1",
        "...",
        "()",
        "x, y",
        "○",
    ] {
        for tags in [
            format!("[FEN \"{FEN}\"]\n{odd}\n"),
            format!("[FEN \"{FEN}\"]\n{odd}\n[White \"A\"]\n"),
            format!("[Event \"e\"]\n[FEN \"{FEN}\"]\n{odd}\n{odd}\n[Black \"B\"]\n"),
            format!("{odd}\n[FEN \"{FEN}\"]\n[Black \"B\"]\n"),
            format!("[White \"A\"]\n{odd}\n[FEN \"{FEN}\"]\n[Black \"B\"]\n"),
        ] {
            let text = format!("{tags}\n{moves}\n[Event \"next\"]\n\n1. d4 *\n");
            let found = searched(&text);
            let wrong = found.iter().flatten().any(|(fen, moves)| fen != FEN && *moves == 3);
            assert!(!wrong, "{text}\n{found:?}");
            let (start, _) = found.last().and_then(|last| last.as_ref().ok()).expect("the next game is whole");
            assert!(start.starts_with("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"), "{text}\n{found:?}");
            let named = read(&text).into_iter().any(|reading| reading.game.is_err() || !reading.remarks.is_empty());
            // Marks of forums and numbers lose nothing.
            assert!(named || ["[pgn]", "1", "..."].contains(&odd), "{text}");
        }
    }
    // A game that is lost later does not take the next one with it.
    for lost in ["1. e4 oops", "1. oops", "1. e4 e5 2. oops"] {
        let found = searched(&format!("[White \"A\"]\n\n{lost}\n\n1. d4 d5 *\n"));
        assert!(found.len() == 2 && found[0].is_err() && found[1].is_ok(), "{lost}: {found:?}");
    }
    // Brackets are kept, and the game is searched.
    for odd in ["[]", "[\"x\"]", "[#]", "[/b]"] {
        let found = searched(&format!("[FEN \"{FEN}\"]\n{odd}\n\n{moves}"));
        assert_eq!(found, [Ok((FEN.to_owned(), 3))], "{odd}");
    }
}

#[test]
fn moves_that_do_not_continue_by_number_begin_a_game() {
    assert_eq!(moves("e4 e5\n\nd4 d5\n"), ["1. e4 e5 *", "1. d4 d5 *"]);
    assert_eq!(moves("1. e4 e5\n\nd4 d5\n"), ["1. e4 e5 *", "1. d4 d5 *"]);
    assert_eq!(moves("1. e4\n\ne5 2. Nf3 *"), ["1. e4 e5 2. Nf3 *"]);
    assert_eq!(moves("1. e4 e5\n\n2. Nf3 *"), ["1. e4 e5 2. Nf3 *"]);
    assert_eq!(moves("e4 e5\nNf3 Nc6"), ["1. e4 e5 2. Nf3 Nc6 *"]);
}

#[test]
fn results_variants_and_forum_marks_are_read_in_every_form() {
    for dash in ["-", "–", "—", "−", "‑", " – ", " - "] {
        assert_eq!(moves(&format!("1. e4 1/2{dash}1/2")), ["1. e4 1/2-1/2"]);
        assert_eq!(moves(&format!("1. e4 1{dash}0\n")), ["1. e4 1-0"]);
    }
    let fen = "bqnbnrkr/pppppppp/8/8/8/8/PPPPPPPP/BQNBNRKR w HFhf - 0 1";
    for variant in ["Chess960", " chess 960 ", "FISCHER RANDOM", "Fischerandom", "Freestyle Chess", "frc", "Chess-960"]
    {
        let text = format!("[Variant \"{variant}\"]\n[FEN \"{fen}\"]\n\n1. e4 e5 *");
        assert_eq!(searched(&text).len(), 1);
        assert!(searched(&text)[0].is_ok(), "{variant}");
    }
    for variant in [" Standard ", "standard", "From Position", ""] {
        assert!(searched(&format!("[Variant \"{variant}\"]\n\n1. e4 *"))[0].is_ok(), "{variant}");
    }
    assert!(searched("[Variant \"Crazyhouse\"]\n\n1. e4 *")[0].is_err());
    for text in ["[pgn]1. e4 e5 *[/pgn]", "[pgn]\n[White \"A\"]\n\n1. e4 e5 *\n[/pgn]\n", "[PGN] 1. e4 e5 [/PGN]\n"] {
        let games = searched(text);
        assert!(games.len() == 1 && games[0].as_ref().is_ok_and(|(_, moves)| *moves == 2), "{text}: {games:?}");
    }
}

#[test]
fn an_unknown_glyph_costs_a_remark() {
    for (text, sign) in
        [("1. e4○ e5 *", "○"), ("1. e4 ○ e5 *", "○"), ("1. e4~ e5 *", "~"), ("1. ~e4 e5 *", "~"), ("1. e4 ⇆ e5 *", "⇆")]
    {
        let reading = read(text).remove(0);
        assert_eq!(reading.game.expect(text).moves.len(), 2, "{text}");
        let remarks: Vec<String> = reading.remarks.iter().map(|remark| remark.reason.clone()).collect();
        assert_eq!(remarks, [format!("'{sign}' is not understood: left out")], "{text}");
    }
    assert_eq!(moves("1. e4 (1. d4○ ~ d5) e5 *"), ["1. e4 (1. d4 d5) 1... e5 *"]);
}

#[test]
fn two_different_results_are_named() {
    let text = "[Result \"1-0\"]\n\n1. e4 e5 0-1\n";
    let remarks: Vec<String> = read(text)[0].remarks.iter().map(Fault::to_string).collect();
    assert_eq!(remarks, ["line 1: the moves end with 0-1, the tag Result has '1-0'"]);
    for fine in ["[Result \"1-0\"]\n\n1. e4 1-0", "[Result \"*\"]\n\n1. e4 1-0", "[Result \"1-0\"]\n\n1. e4 *"] {
        assert!(read(fine)[0].remarks.is_empty(), "{fine}");
    }
}
