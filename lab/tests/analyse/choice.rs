//! What to annotate: thresholds, players, moves, decided games, opening names.

#[cfg(target_os = "linux")]
use crate::fake_engine;
use crate::scratch::Scratch;
use crate::{SCHOLAR, analyse, folder_with_games, moves, text};

#[test]
fn marks_follow_their_thresholds() {
    let marked = |marks: &str| {
        let output = analyse(&["-", "--nodes", "2000", "--marks", marks], SCHOLAR.as_bytes());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        moves(&output)
    };
    assert_eq!(marked("5,10,15"), moves(&analyse(&["-", "--nodes", "2000"], SCHOLAR.as_bytes())));
    assert!(marked("5,10,15").contains("3... Nf6 $4 "));
    assert!(marked("5,10,99").contains("3... Nf6 $2 "));
    assert!(marked("5,98,99").contains("3... Nf6 $6 "));
    assert!(!marked("97,98,99").contains(" $"));
}

#[test]
fn only_the_moves_of_a_player_are_annotated() {
    let games = "[White \"Mu\u{f1}oz, Ana\"]\n[Black \"B\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n\n\
                 [White \"C\"]\n[Black \"D\"]\n\n1. f3 {kept; so} e5 2. g4 Qh4# 0-1\n\n";
    let run = |players: &[&str], input: &[u8]| {
        let names = players.iter().flat_map(|&name| ["--player", name]);
        analyse(&["-", "--nodes", "500"].into_iter().chain(names).collect::<Vec<_>>(), input)
    };
    let output = run(&["mu\u{d1}oz"], games.as_bytes());
    let (said, all) = (text(&output.stderr), text(&output.stdout));
    assert_eq!(output.status.code(), Some(0), "{said}");
    // The last position is a mate, and is not searched.
    assert!(
        said.contains("1 game, 4 positions") && said.contains("; 1 game of other players copied unchanged"),
        "{said}"
    );
    assert!(
        all.contains("2. g4 $4 {")
            && all.ends_with("[White \"C\"]\n[Black \"D\"]\n\n1. f3 {kept; so} e5 2. g4 Qh4# 0-1\n\n")
    );
    // Black's moves do not need the value of the first position, and none of them is bad.
    let black = run(&["B"], games.as_bytes());
    assert!(text(&black.stderr).contains("1 game, 3 positions; 0 blunders"), "{}", text(&black.stderr));
    assert!(moves(&black).starts_with("1. f3 { [%eval "), "{}", moves(&black));
    assert!(text(&run(&["B", "c"], games.as_bytes()).stderr).contains("2 games, "));
    let latin: Vec<u8> = games.chars().map(|c| u8::try_from(u32::from(c)).expect("Latin-1")).collect();
    assert!(text(&run(&["mu\u{f1}oz"], &latin).stderr).contains("1 game, 4 positions"));
    let none = run(&["Xy", "Zz"], games.as_bytes());
    assert_eq!((none.status.code(), text(&none.stdout).as_str()), (Some(1), games));
    let said = text(&none.stderr);
    assert!(said.ends_with("ibex-lab analyse: no game has a player with 'Xy' or 'Zz' in the name\n"), "{said}");
}

/// The tags name the players, even if the moves are unreadable.
#[test]
fn games_that_cannot_be_read_have_players_too() {
    let games = "[White \"C\"]\n[Black \"D\"]\n\n1. Zz *\n\n[White \"A\"]\n[Black \"B\"]\n\n1. e4 *\n\n";
    let (folder, input, page) = folder_with_games("unread", games);
    let run = |player: &str, more: &[&str]| {
        let output = analyse(&[&[input.as_str(), "--depth", "1", "--player", player], more].concat(), b"");
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let (status, all, said) = run("C", &[]);
    assert_eq!((status, all.as_str()), (Some(1), games));
    assert!(said.contains("'Zz' is not a move") && !said.contains("no game has a player"), "{said}");
    let (status, all, said) = run("A", &[]);
    assert_eq!((status, said.lines().count()), (Some(0), 1), "{said}");
    assert!(all.starts_with("[White \"C\"]\n[Black \"D\"]\n\n1. Zz *\n\n[White \"A\"]"), "{all}");
    assert!(said.contains("1 game, 2 positions") && said.contains("; 1 game of other players copied"), "{said}");
    let (status, all, said) = run("E", &[]);
    assert_eq!((status, all.as_str()), (Some(1), games));
    assert!(said.ends_with("ibex-lab analyse: no game has a player with 'E' in the name\n"), "{said}");
    let alone = "[White \"C\"]\n[Black \"D\"]\n\n1. Zz *\n\n";
    for (more, written) in [(&[][..], alone), (&["--skip-bad"], "")] {
        let output = analyse(&[&["-", "--player", "E"], more].concat(), alone.as_bytes());
        assert_eq!((output.status.code(), text(&output.stdout).as_str()), (Some(1), written));
        let said = text(&output.stderr);
        assert!(said.ends_with("ibex-lab analyse: no game has a player with 'E' in the name\n"), "{said}");
        assert!(!said.contains("nothing to analyse"), "{said}");
    }
    // Unreadable games are left out if the user wants that, and the page shows the wanted games.
    let (status, all, said) = run("A", &["--skip-bad"]);
    assert!(status == Some(1) && all.starts_with("[White \"A\"]") && said.contains("left out"), "{said}");
    assert_eq!(run("A", &["--html", &page]).0, Some(0));
    assert!(!folder.read("page.html").contains("cannot be read"));
    assert_eq!(run("D", &["--player", "B", "--html", &page, "--force"]).0, Some(1));
    assert!(folder.read("page.html").contains("cannot be read"));
    // A game without names may belong to anyone.
    let nameless = analyse(&["-", "--depth", "1", "--player", "A"], b"1. Zz *\n\n[White \"A\"]\n\n1. e4 *\n");
    assert_eq!(nameless.status.code(), Some(1), "{}", text(&nameless.stderr));
}

#[test]
fn only_a_range_of_moves_is_annotated() {
    let run = |range: &str| analyse(&["-", "--nodes", "500", "--moves", range], SCHOLAR.as_bytes());
    for (range, positions, evaluations) in [("2-3", 5, 5), ("3-", 3, 3), ("-1", 3, 3), ("4", 1, 1), ("9-", 0, 0)] {
        let output = run(range);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let counted = format!("1 game, {positions} position");
        assert!(text(&output.stderr).contains(&counted), "{range}: {}", text(&output.stderr));
        assert_eq!(moves(&output).matches("[%eval ").count(), evaluations, "{range}: {}", moves(&output));
    }
    assert!(moves(&run("-1")).starts_with("{ [%eval ") && moves(&run("2-3")).starts_with("1. e4 e5 { [%eval "));
    // Move numbers are those of the game.
    let late = b"[FEN \"7k/8/8/8/8/8/8/K6R b - - 0 40\"]\n\n40... Kg7 41. Kb2 Kf6 *\n";
    let late = analyse(&["-", "--nodes", "500", "--moves", "-40"], late);
    assert!(text(&late.stderr).contains("1 game, 2 positions"), "{}", text(&late.stderr));
}

/// White has won a queen for nothing on the third move.
const DECIDED: &str = "1. e4 e5 2. Nf3 Qh4 3. Nxh4 a6 4. d4 a5 5. dxe5 a4 6. Nf5 b6 7. a3 b5 8. b3 axb3 1-0\n";

#[test]
fn a_decided_game_is_left_alone() {
    let run = |more: &[&str], input: &str| analyse(&[&["-", "--depth", "6"], more].concat(), input.as_bytes());
    let whole = run(&[], DECIDED);
    assert_eq!(moves(&whole).matches("[%eval ").count(), 17);
    let output = run(&["--until-decided"], DECIDED);
    let annotated = moves(&output);
    assert!(annotated.contains("2... Qh4 $4 { [%eval "), "the move that decides has its mark: {annotated}");
    let evaluations = annotated.matches("[%eval ").count();
    assert!((5..=6).contains(&evaluations), "{annotated}");
    assert!(text(&output.stderr).contains(&format!("1 game, {evaluations} positions")), "{}", text(&output.stderr));
    // A lead that neither side has decides nothing, and a game that ends level is not decided.
    assert_eq!(moves(&run(&["--until-decided=100"], DECIDED)).matches("[%eval ").count(), 17);
    let back = DECIDED.replace("1-0", "9. Qd6 cxd6 1-0");
    assert_eq!(moves(&run(&["--until-decided"], &back)).matches("[%eval ").count(), 19);
    let from_the_start = "[FEN \"4k3/8/8/8/8/8/8/QQ2K3 w - - 0 1\"]\n\n1. Qd4 Ke7 2. Qd5 Ke8 *\n";
    assert_eq!(moves(&run(&["--until-decided"], from_the_start)).matches("[%eval ").count(), 1);
    let late = run(&["--until-decided=3", "--moves", "5-"], DECIDED);
    assert!(!moves(&late).contains("$"), "{}", moves(&late));
}

#[test]
fn openings_have_names() {
    let folder = Scratch::new("eco");
    let file = |name: &str, text: &str| {
        let path = folder.0.join(name);
        std::fs::write(&path, text).expect("a file");
        path.to_string_lossy().into_owned()
    };
    let tabs = file(
        "a.tsv",
        "eco\tname\tpgn\nD06\tQueen's Gambit\t1. d4 d5 2. c4\nC20\tbad\t1. e9\nA10\tEnglish Opening\t1. c4\nB00\n",
    );
    let run = |eco: &str, game: &str| analyse(&["-", "--depth", "1", "--eco", eco], game.as_bytes());
    // By transposition, and with tags of another source.
    let moved = "[Opening \"Old\"]\n[Variation \"Older\"]\n[SubVariation \"Oldest\"]\n[White \"A\"]\n\n\
                 1. c4 d5 2. d4 a6 3. a3 *\n";
    let output = run(&tabs, moved);
    let (said, all) = (text(&output.stderr), text(&output.stdout));
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(all.starts_with("[Opening \"Queen's Gambit\"]\n[White \"A\"]\n[ECO \"D06\"]\n[Annotator"), "{all}");
    for part in ["a.tsv:3: 'e9' ", "a.tsv:5: expected ECO code, name and moves"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let unknown = run(&tabs, "[ECO \"X\"]\n\n1. h4 *\n");
    assert!(text(&unknown.stdout).starts_with("[ECO \"X\"]\n[Annotator"), "{}", text(&unknown.stdout));
    let games = file("b.pgn", "[ECO \"A10\"]\n[Opening \"English\"]\n[Variation \"Own\"]\n\n1. c4 *\n");
    let all = text(&run(&games, moved).stdout);
    assert!(all.starts_with("[Opening \"English\"]\n[Variation \"Own\"]\n[White \"A\"]\n[ECO \"A10\"]\n"), "{all}");
    let empty = file("c.tsv", "no opening\n");
    for (eco, reason) in [
        (empty.as_str(), "c.tsv: no opening in it"),
        ("/no/such/file", "--eco /no/such/file: "),
        ("-", "--eco -: the openings need a file name"),
    ] {
        let output = run(eco, moved);
        assert_eq!(output.status.code(), Some(2), "{eco}");
        let said = text(&output.stderr);
        assert!(said.lines().last().is_some_and(|last| last.contains(reason)), "{said}");
    }
}

/// A run continues only with the settings that it began with.
#[cfg(target_os = "linux")]
#[test]
fn a_run_resumes_only_with_its_own_settings() {
    let (folder, input, _) = folder_with_games("settings", SCHOLAR);
    let out = folder.0.join("out.pgn").to_string_lossy().into_owned();
    let eco = folder.0.join("a.tsv").to_string_lossy().into_owned();
    std::fs::write(&eco, "C20\tX\t1. e4 e5 2. Qh5\n").expect("a file");
    let sleepy = fake_engine(&folder.0, "sleepy", "echo 'bestmove a1a1'; exit 3");
    let begin = [input.as_str(), "--out", &out, "--resume", "--engine", &sleepy, "--moves", "2-"];
    assert_eq!(analyse(&begin, b"").status.code(), Some(2), "the engine is given up");
    assert!(folder.0.join("out.pgn.resume").exists());
    for (arguments, what) in [
        ([&begin[..6], &["--moves", "3-"]].concat(), "(choice: moves 2-)"),
        (begin[..6].to_vec(), "(choice: moves 2-)"),
        ([&begin[..], &["--player", "A"]].concat(), "(choice: moves 2-)"),
        ([&begin[..], &["--until-decided"]].concat(), "(choice: moves 2-)"),
        ([&begin[..], &["--marks", "1,2,3"]].concat(), "(marks 5,10,15)"),
        ([&begin[..], &["--eco", &eco]].concat(), "(openings none)"),
        ([&begin[..4], &begin[6..]].concat(), "(engine The \"sleepy\""),
        ([&begin[..], &["--option", "Style=x"]].concat(), "(engine The \"sleepy\""),
    ] {
        let output = analyse(&arguments, b"");
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.contains("holds another run") && said.contains(what), "{arguments:?}: {said}");
    }
}

/// A run continues only with the inputs that it began with, byte for byte.
#[cfg(target_os = "linux")]
#[test]
fn a_run_resumes_only_with_its_own_inputs() {
    let (folder, input, _) = folder_with_games("inputs", SCHOLAR);
    let out = folder.path("out.pgn");
    let eco = folder.write("a.tsv", "C20\tX\t1. e4 e5 2. Qh5\n");
    let sleepy = fake_engine(&folder.0, "sleepy", "echo 'bestmove a1a1'; exit 3");
    let arguments = [input.as_str(), "--out", &out, "--resume", "--engine", &sleepy, "--eco", &eco];
    let run = || text(&analyse(&arguments, b"").stderr);
    assert!(run().contains("given up"));
    // Of the same length.
    let _ = folder.write("games.pgn", SCHOLAR.replace("\"A\"", "\"C\""));
    let said = run();
    assert!(said.contains("holds another run (") && said.contains("games.pgn, "), "{said}");
    let _ = folder.write("games.pgn", SCHOLAR);
    let _ = folder.write("a.tsv", "C21\tX\t1. e4 e5 2. Qh5\n");
    let said = run();
    assert!(said.contains("holds another run (openings "), "{said}");
    let _ = folder.write("a.tsv", "C20\tX\t1. e4 e5 2. Qh5\n");
    assert!(run().contains("given up"), "the same run again");
}

/// An input that can be read only once cannot be compared, nor read from its beginning when a run continues.
#[cfg(unix)]
#[test]
fn a_stream_is_not_resumed() {
    let (folder, input, _) = folder_with_games("stream", SCHOLAR);
    let out = folder.path("out.pgn");
    for stream in ["-", "/dev/stdin"] {
        let output = analyse(&[&input, stream, "--depth", "1", "--out", &out, "--resume"], SCHOLAR.as_bytes());
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("--resume needs inputs that are files: ") && said.lines().count() == 1, "{said}");
        assert!(!folder.0.join("out.pgn").exists());
    }
}

/// Positions have neither players nor moves to choose from, nor variations.
#[test]
fn options_for_games_are_ignored_for_positions() {
    let run = |options: &[&str]| {
        let arguments = [&["-", "--depth", "1"], options].concat();
        let output = analyse(&arguments, b"1k6/8/1K6/8/8/8/8/7R w - -\n1k6/8/1K6/8/8/8/8/6R1 w - -\n");
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        text(&output.stderr)
    };
    for (options, named) in [
        (&["--player", "carlsen"][..], "--player is"),
        (&["--moves", "10-", "--until-decided"], "--moves, --until-decided are"),
        (&["--marks", "1,2,3", "--line", "3", "--all-lines"], "--line, --all-lines, --marks are"),
    ] {
        let said = run(options);
        let line = format!("standard input: holds no games, and {named} for games\n");
        assert!(said.contains(&line) && said.lines().count() == 2, "{said}");
    }
    assert_eq!(run(&["--line", "10"]).lines().count(), 1);
}

#[test]
fn bad_choices_are_refused() {
    for (option, value, reason) in [
        ("--marks", "5,10", "expected three numbers"),
        ("--marks", "5,20,10", "the numbers must increase"),
        ("--moves", "30-10", "move 10 comes before move 30"),
        ("--moves", "-", "expected move numbers"),
        ("--player", " ", "expected a part of a name"),
        ("--until-decided=x", "", "expected pawns"),
        ("--option", "a=b", "--engine"),
    ] {
        let arguments = ["-", option, value];
        let output = analyse(if value.is_empty() { &arguments[..2] } else { &arguments }, SCHOLAR.as_bytes());
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{option} {value}: {said}");
        assert!(said.contains(reason), "{reason}: {said}");
    }
}
