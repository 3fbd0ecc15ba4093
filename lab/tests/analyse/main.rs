//! `ibex-lab analyse` from the outside.

mod choice;
#[cfg(unix)]
mod engine;
mod page;
#[path = "../../../tests/common/scratch.rs"]
mod scratch;

use std::io::Write;
use std::process::{Command, Output, Stdio};

use scratch::Scratch;

fn analyse(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ibex-lab"))
        .arg("analyse")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let mut pipe = child.stdin.take().expect("a pipe");
    let input = input.to_vec();
    let writer = std::thread::spawn(move || {
        // A program that rejects its arguments does not read.
        let _ = pipe.write_all(&input);
    });
    let output = child.wait_with_output().expect("it ends");
    writer.join().expect("no panic");
    output
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Black falls for scholar's mate; White could also have been slower.
const SCHOLAR: &str = "[White \"A\"]\n[Black \"B\"]\n[Result \"1-0\"]\n\n\
                       1. e4 e5 2. Qh5 {early} Nc6 3. Bc4 Nf6 (3... g6) 4. Qxf7# 1-0\n\n";

/// A folder for a test of pages, with a file of games.
fn folder_with_games(name: &str, games: &str) -> (Scratch, String, String) {
    let folder = Scratch::new(&format!("page-{name}"));
    let (input, page) = (folder.0.join("games.pgn"), folder.0.join("page.html"));
    std::fs::write(&input, games).expect("a file");
    let names = [input, page].map(|path| path.to_string_lossy().into_owned());
    let [input, page] = names;
    (folder, input, page)
}

/// The moves with their comments and variations, in one line.
fn moves(output: &Output) -> String {
    let all = text(&output.stdout);
    all.split_once("\n\n").map_or_else(String::new, |(_, moves)| moves.replace('\n', " ").trim_end().to_owned())
}

/// A UCI program that answers as `on_go` says; `$n` counts the searches.
#[cfg(unix)]
fn fake_engine(folder: &std::path::Path, name: &str, on_go: &str) -> String {
    let path = folder.join(format!("{name}.sh"));
    let script = format!(
        "n=0\nwhile read -r line; do case \"$line\" in\n\
         uci) echo 'id name The \"{name}\"'; echo 'option name Style type string'; echo uciok;;\n\
         isready) echo readyok;;\n\
         go*) n=$((n+1)); {on_go};;\n\
         quit) exit 0;;\n\
         esac; done\n"
    );
    std::fs::write(&path, script).expect("a file");
    format!("{name}=sh '{}'", path.display())
}

#[test]
fn a_game_is_annotated() {
    let output = analyse(&["-", "--nodes", "5000"], SCHOLAR.as_bytes());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let annotated = text(&output.stdout).replace('\n', " ");
    for part in [
        "[Annotator \"Ibex ",
        "{ [%eval ",
        "2. Qh5",
        " early }",
        "3... Nf6 $4 { [%eval #1",
        " [%ibex $4 line ",
        "] } (3... g6) (3... ",
        ") 4. Qxf7# 1-0",
    ] {
        assert!(annotated.contains(part), "{part}: {annotated}");
    }
    assert!(text(&output.stderr).contains("1 game, 7 positions; 1 blunder, "), "{}", text(&output.stderr));
    // The output can be read again, and the second analysis replaces the first.
    assert_eq!(text(&output.stdout).matches("[%eval ").count(), 7);
    assert_eq!(text(&analyse(&["-", "--nodes", "5000"], &output.stdout).stdout), text(&output.stdout));
    let lines = analyse(&["-", "--nodes", "5000", "--all-lines"], &output.stdout);
    assert!(lines.stdout.len() > output.stdout.len());
    assert_eq!(analyse(&["-", "--nodes", "5000"], &lines.stdout).stdout, output.stdout);
    // The same input, the same result.
    assert_eq!(analyse(&["-", "--nodes", "5000"], SCHOLAR.as_bytes()).stdout, output.stdout);
}

/// A second analysis removes Ibex's line, but not the variation that the user put after it.
#[test]
fn a_variation_after_the_line_of_ibex_is_kept() {
    let run = |games: &str| moves(&analyse(&["-", "--nodes", "5000"], games.as_bytes()));
    let first = run(SCHOLAR);
    let more = first.replace(") 4. Qxf7#", ") (3... d6) 4. Qxf7#");
    assert_ne!(more, first);
    assert_eq!(run(&more), first.replace("(3... g6) ", "(3... g6) (3... d6) "));
    // Nor the one that is left alone after the user has removed Ibex's.
    let line = first.rsplit_once("(3... g6) ").and_then(|(_, rest)| rest.split_once(") ")).expect("a line").0;
    let alone = first.replace(&format!("(3... g6) {line})"), "(3... d6)");
    assert_ne!(alone, first);
    assert!(run(&alone).contains(" (3... d6) (3... "), "{alone}");
}

#[test]
fn best_lines_are_shown_where_requested() {
    let lines = |more: &[&str]| {
        let arguments = [&["-", "--nodes", "8000"], more].concat();
        // Modest moves, but no mistakes.
        text(&analyse(&arguments, b"1. e3 e6 2. d3 a6 3. Nc3 Nc6 *\n").stdout).matches('(').count()
    };
    assert!(lines(&["--all-lines"]) > lines(&[]));
    assert_eq!(lines(&["--all-lines", "--line", "0"]), 0);
}

#[test]
fn positions_are_annotated() {
    let input = b"# three\r\n6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1\r\n8/8/8/8/8/8/8/8 w - - 0 1\n\
                  7k/5Q2/6K1/8/8/8/8/8 b - - 0 1\n1k6/8/1K6/8/8/8/8/7R w - - id \"R\xE9ti\"; ce 5;\n";
    let output = analyse(&["-", "--depth", "5"], input);
    assert_eq!(output.status.code(), Some(1), "not everything could be read");
    let lines: Vec<String> = text(&output.stdout).lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), 5, "{lines:?}");
    assert_eq!((lines[0].as_str(), lines[2].as_str()), ("# three", "8/8/8/8/8/8/8/8 w - - 0 1"));
    assert!(lines[1].starts_with("6k1/5ppp/8/8/8/8/8/R3K3 w Q - acd "), "{lines:?}");
    assert!(lines[1].contains(" ce 32766; pm Ra8#; pv Ra8#;"), "{lines:?}");
    assert!(lines[4].contains("id \"R") && !lines[4].contains("ce 5;"), "{lines:?}");
    let complaints = text(&output.stderr);
    let over = "standard input:4: the game is over: copied unchanged";
    for part in ["standard input:3: ", over, "2 copied unchanged"] {
        assert!(complaints.contains(part), "{part}: {complaints}");
    }
    let skipped = analyse(&["-", "--depth", "5", "--skip-bad"], input);
    assert_eq!(text(&skipped.stdout).lines().count(), 3);
    assert!(text(&skipped.stderr).contains("2 left out"));
}

/// Latin-1 comes out as Latin-1: a remark, a line that is not a position, and an analysed position.
#[test]
fn lines_keep_their_encoding() {
    let input = b"# R\xE9ti\nbad R\xE9ti\n1k6/8/1K6/8/8/8/8/7R w - - id \"R\xE9ti\";\n\xEF\xBB\xBF# R\xC3\xA9ti \x01\n";
    let output = analyse(&["-", "--depth", "2"], input);
    let lines: Vec<&[u8]> = output.stdout.split(|&byte| byte == b'\n').collect();
    assert_eq!(lines[..2], [&b"# R\xE9ti"[..], b"bad R\xE9ti"]);
    let id = b"id \"R\xE9ti\";";
    assert!(lines[2].windows(id.len()).any(|part| part == id), "{}", text(lines[2]));
    assert_eq!(lines[3], b"# R\xC3\xA9ti \x01");
    let said = text(&output.stderr);
    assert!(said.contains("standard input:2: ") && said.contains("; 1 copied unchanged"), "{said}");
    assert!(said.contains("standard input: 1 line is not UTF-8, read as Latin-1 (line 3)\n"), "{said}");
    let odd = analyse(&["-", "--depth", "2"], b"1k6/8/1K6/8/8/8/8/7R w - - id \"x\x01\";\n");
    assert!(text(&odd.stderr).contains("standard input:1: control character U+0001\n"), "{}", text(&odd.stderr));
}

/// A line may be longer than any position: a remark is copied, and anything else is treated like any bad line.
#[test]
fn long_lines_are_not_lost() {
    let [remark, letters] = ["# ", ""].map(|start| format!("{start}{}", "x".repeat(70_000)));
    let pawn = "4k3/8/8/8/8/8/4P3/4K3 w - -";
    for (first, bare, skip, status, fate) in [
        (&remark, false, false, 0, "; 0 copied unchanged"),
        (&remark, true, true, 0, "; 0 left out"),
        (&letters, false, false, 1, "; 1 copied unchanged"),
        (&letters, false, true, 1, "; 1 left out"),
    ] {
        // Followed by the position, or preceded by it and without a line feed at the end.
        let input = if bare { format!("{pawn}\n{first}") } else { format!("\u{FEFF}{first}\r\n{pawn}\n") };
        let arguments = ["-", "--nodes", "500", "--skip-bad"];
        let output = analyse(&arguments[..if skip { 4 } else { 3 }], input.as_bytes());
        let (out, said) = (text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(status), "{said}");
        let mut lines: Vec<&str> = out.lines().collect();
        lines.retain(|line| !line.starts_with(pawn));
        let copied = *first == remark || !skip;
        assert!(if copied { lines == [first.as_str()] } else { lines.is_empty() }, "{} lines", lines.len());
        assert!(out.ends_with('\n') && out.contains(&format!("{pawn} acd ")), "{said}");
        assert!(said.contains(fate) && said.contains("too long for a position") == (status == 1), "{said}");
    }
}

/// Packed games and games in UTF-16 give the same result as plain text.
#[test]
fn games_may_be_packed_or_in_utf_16() {
    let plain = analyse(&["-", "--depth", "2"], SCHOLAR.as_bytes()).stdout;
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(SCHOLAR.as_bytes()).expect("memory");
    let utf16: Vec<u8> = "\u{FEFF}".encode_utf16().chain(SCHOLAR.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let carriage_returns = SCHOLAR.replace('\n', "\r").into_bytes();
    for input in [gzip.finish().expect("memory"), utf16, carriage_returns] {
        assert_eq!(text(&analyse(&["-", "--depth", "2"], &input).stdout), text(&plain));
    }
    let cut = analyse(&["-", "--depth", "2"], b"\x1F\x8B\x08\x00");
    assert_eq!(cut.status.code(), Some(2));
    assert!(text(&cut.stderr).contains("standard input: "), "{}", text(&cut.stderr));
}

#[test]
fn bad_games_cost_only_themselves() {
    let mut input = b"\xEF\xBB\xBF".to_vec();
    input.extend(SCHOLAR.replace("Nf6 (", "Ke4 (").replace('\n', "\r\n").bytes());
    input.extend(
        b"[Variant \"Crazyhouse\"]\r\n\r\n1. e4 *\r\n\r\n[White \"Mu\xF1oz\"]\r\n\r\n1. e4 {\xA1} e5 *\r\n\r\n",
    );
    input.extend(b"[Event \"no moves\"]\r\n\r\n*\r\n");
    let output = analyse(&["-", "--depth", "2"], &input);
    assert_eq!(output.status.code(), Some(1), "not everything could be read");
    let complaints = text(&output.stderr);
    for part in [
        "standard input:5: game 1 (A - B): 3... 'Ke4' is not legal: copied unchanged\n",
        "standard input:7: game 2 (? - ?): Ibex does not play 'crazyhouse': copied unchanged\n",
        "2 games, 4 positions",
        "2 copied unchanged",
    ] {
        assert!(complaints.contains(part), "{part}: {complaints}");
    }
    let kept = |part: &[u8]| output.stdout.windows(part.len()).any(|window| window == part);
    assert!(kept(b"[White \"Mu\xF1oz\"]") && kept(b" \xA1 }") && kept(b"[Event \"no moves\"]"));
    // Unreadable games are copied byte for byte.
    assert!(kept(b"3. Bc4 Ke4 (3... g6) 4. Qxf7# 1-0\n"));
    assert!(kept(b"[Variant \"Crazyhouse\"]\r\n\r\n1. e4 *\n\n"));
    let skipped = analyse(&["-", "--depth", "2", "--skip-bad"], &input);
    assert!(text(&skipped.stderr).contains("2 left out"));
    assert!(!skipped.stdout.contains(&b'\r') && !text(&skipped.stdout).contains("Qxf7#"));
}

/// By the standard, comments and escape lines may be anywhere. None of them is a game.
#[test]
fn remarks_after_the_last_game_are_copied() {
    for remark in ["% end of file", "; end of file", "{closing words}", "{ M\u{fc}ller }"] {
        let input = format!("{SCHOLAR}{remark}\n");
        for more in [&[][..], &["--skip-bad"], &["--player", "A"], &["--player", "nobody"]] {
            let output = analyse(&[&["-", "--depth", "2"], more].concat(), input.as_bytes());
            let (out, said) = (text(&output.stdout), text(&output.stderr));
            assert!(out.ends_with(&format!("1-0\n\n{remark}\n\n")), "{remark} {more:?}: {out}");
            assert_eq!(output.status.code(), Some(i32::from(more.contains(&"nobody"))), "{remark} {more:?}: {said}");
            let none_is_bad = said.contains("; 0 copied unchanged") || said.contains("; 0 left out");
            assert!(said.contains("1 game") && none_is_bad && !said.contains("no game:"), "{said}");
        }
    }
}

/// A killed analysis continues where it was, and ends with the same bytes as an undisturbed one.
#[test]
fn an_interrupted_analysis_goes_on() {
    let folder = Scratch::new("analyse");
    let (input, out) = (folder.0.join("games.pgn"), folder.0.join("out.pgn"));
    let games: String = (0..40).map(|i| SCHOLAR.replace("\"A\"", &format!("\"A{i}\""))).collect();
    std::fs::write(&input, games).expect("a file");
    let (input, out) = (input.to_string_lossy().into_owned(), out.to_string_lossy().into_owned());
    let arguments = [input.as_str(), "--nodes", "3000", "--out", &out, "--resume"];
    let whole = analyse(&[&input, "--nodes", "3000"], b"").stdout;
    let checkpoint = folder.0.join("out.pgn.resume");
    // A fast machine may finish before it is stopped: then the test starts over.
    let caught = (0..20).any(|_| {
        let _ = std::fs::remove_file(&out);
        let mut child = Command::new(env!("CARGO_BIN_EXE_ibex-lab"))
            .arg("analyse")
            .args(arguments)
            .stderr(Stdio::null())
            .spawn()
            .expect("the program runs");
        let written = || std::fs::metadata(&out).map_or(0, |about| about.len());
        while written() == 0 && child.try_wait().expect("a child").is_none() {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        if cfg!(unix) {
            let stopped = Command::new("kill").args(["-STOP", &child.id().to_string()]).status();
            assert!(stopped.is_ok_and(|status| status.success()));
        }
        let caught = checkpoint.exists() && child.try_wait().expect("a child").is_none();
        if cfg!(unix) && caught {
            let second = analyse(&arguments, b"");
            assert_eq!(second.status.code(), Some(2), "{}", text(&second.stderr));
            assert!(text(&second.stderr).contains("another run is writing it"), "{}", text(&second.stderr));
        }
        let _ = child.kill();
        child.wait().expect("it ends");
        caught && checkpoint.exists()
    });
    assert!(caught, "every run was done before it was stopped");
    // Another run is not mixed with this one, and the output without a checkpoint is not overwritten.
    let other = analyse(&[&input, "--nodes", "2000", "--out", &out, "--resume"], b"");
    assert!(text(&other.stderr).contains("holds another run (limit "), "{}", text(&other.stderr));
    let resumed = analyse(&arguments, b"");
    assert_eq!(resumed.status.code(), Some(0), "{}", text(&resumed.stderr));
    assert!(text(&resumed.stderr).contains("40 games, 280 positions"), "{}", text(&resumed.stderr));
    assert!(std::fs::read(&out).expect("the output") == whole);
    let again = analyse(&arguments, b"");
    assert!(text(&again.stderr).contains("nothing to resume"), "{}", text(&again.stderr));
}

/// A run that ends in its first moments, or has no space for its checkpoint, does not block the same command.
#[test]
fn an_analysis_that_has_hardly_begun_begins_anew() {
    let folder = Scratch::new("begun");
    let (input, out) = (folder.0.join("games.pgn"), folder.0.join("out.pgn"));
    std::fs::write(&input, SCHOLAR).expect("a file");
    let (input, out) = (input.to_string_lossy().into_owned(), out.to_string_lossy().into_owned());
    let arguments = [input.as_str(), "--depth", "2", "--out", &out, "--resume"];
    if cfg!(unix) {
        let full = Command::new("bash")
            .args(["-c", "trap '' XFSZ; ulimit -f 0; exec \"$@\"", "bash", env!("CARGO_BIN_EXE_ibex-lab"), "analyse"])
            .args(arguments)
            .output()
            .expect("the program runs");
        assert_eq!(full.status.code(), Some(2), "{}", text(&full.stderr));
        assert!(text(&full.stderr).contains("out.pgn.resume: "), "{}", text(&full.stderr));
        let left: Vec<_> =
            std::fs::read_dir(&folder.0).expect("a folder").flatten().map(|file| file.file_name()).collect();
        assert_eq!(left, ["games.pgn"]);
    }
    std::fs::write(&out, "").expect("a file");
    let output = analyse(&arguments, b"");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(std::fs::read(&out).expect("the output"), analyse(&arguments[..3], b"").stdout);
    // A folder, a device or a pipe cannot be resumed.
    let other = analyse(&[&input, "--depth", "2", "--out", &folder.0.to_string_lossy(), "--resume"], b"");
    assert!(other.status.code() == Some(2) && text(&other.stderr).contains("is not a file"), "{}", text(&other.stderr));
}

/// Ctrl-C ends the current search; the output is whole games, and the program says how to continue.
#[cfg(target_os = "linux")]
#[test]
fn an_interruption_leaves_whole_games() {
    use std::os::unix::process::CommandExt as _;
    let folder = Scratch::new("interrupt");
    let (input, out) = (folder.0.join("games.pgn"), folder.0.join("out.pgn"));
    // Nothing is searched in the first game; the second would take an hour.
    let games = "[White \"A\"]\n[FEN \"7k/6Q1/5K2/8/8/8/8/8 b - - 0 1\"]\n\n1-0\n\n[White \"B\"]\n\n1. e4 *\n";
    std::fs::write(&input, games).expect("a file");
    let page = folder.0.join("page.html");
    for (more, advice) in [
        (&[][..], "a run with --out FILE --resume can continue"),
        (&["--resume".as_ref()], "to continue: the same command"),
        (&["--html".as_ref(), page.as_os_str()], "the page has the games that are done"),
    ] {
        let _ = std::fs::remove_file(&out);
        let mut command = Command::new(env!("CARGO_BIN_EXE_ibex-lab"));
        command.arg("analyse").arg(&input).arg("--out").arg(&out).args(["--movetime", "1h"]);
        command.args(more).stderr(Stdio::piped());
        // SAFETY: `signal` may be called between fork and exec. A test in the background may have inherited that
        // interruptions are ignored.
        unsafe {
            command.pre_exec(|| {
                libc::signal(libc::SIGINT, libc::SIG_DFL);
                Ok(())
            })
        };
        let mut child = command.spawn().expect("the program runs");
        while std::fs::metadata(&out).map_or(0, |about| about.len()) == 0 {
            assert!(child.try_wait().expect("a child").is_none(), "it ended before it wrote a game");
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        let id = child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &id]).status().is_ok_and(|status| status.success()));
        let output = child.wait_with_output().expect("it ends");
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(130), "{said}");
        assert!(said.contains("1 game, 0 positions") && said.contains(advice), "{said}");
        let written = std::fs::read_to_string(&out).expect("text");
        assert!(written.contains("[White \"A\"]") && written.ends_with("1-0\n\n"), "{written}");
        assert_eq!(folder.0.join("out.pgn.resume").exists(), more.contains(&"--resume".as_ref()));
        let _ = std::fs::remove_file(folder.0.join("out.pgn.resume"));
    }
    let page = std::fs::read_to_string(&page).expect("a page");
    assert!(page.contains("The analysis was interrupted") && page.matches("<section").count() == 1, "{page}");
}

#[test]
fn impossible_requests_are_reported() {
    for (arguments, input, reason) in [
        (&["/no/such/file.pgn"][..], &b""[..], "/no/such/file.pgn: "),
        (&["-"], b"", "nothing to analyse (0 games or lines copied unchanged)"),
        (&["-"], b"not a position\n", "nothing to analyse (1 game or line copied unchanged)"),
        (&["-", "--out", "/no/such/folder/x"], b"", "/no/such/folder/x: "),
        (&["-", "--out", "-"], b"", "--out -: not a file name; without --out, the text goes to standard output"),
        (&["/"], b"", "/: a folder, not a file"),
    ] {
        let output = analyse(arguments, input);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let said = text(&output.stderr);
        let last = said.lines().last().unwrap_or_default();
        assert!(last.starts_with("ibex-lab analyse: ") && last.contains(reason), "{said}");
    }
}

/// Memory holds one game at a time: the first games are written before the last ones are sent.
#[test]
fn games_are_streamed() {
    use std::io::{BufRead, BufReader};
    let mut child = Command::new(env!("CARGO_BIN_EXE_ibex-lab"))
        .args(["analyse", "-", "--depth", "1"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program runs");
    let mut pipe = child.stdin.take().expect("a pipe");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    // More than any buffer between us holds; the answer must be short, because it is not read yet.
    let filler = format!("[White \"First\"]\n\n1. e4 {{ {} }} *\n\n", "[%eval 0.12] ".repeat(20_000));
    pipe.write_all(filler.as_bytes()).expect("it reads");
    pipe.write_all(filler.as_bytes()).expect("it reads");
    pipe.flush().expect("it reads");
    assert_eq!(lines.next().expect("a line").expect("text"), "[White \"First\"]");
    drop(pipe);
    assert_eq!(lines.map_while(Result::ok).filter(|line| line == "[White \"First\"]").count(), 1);
    assert!(child.wait().expect("it ends").success());
}

/// A game that ends with a third occurrence is drawn there, whatever the material.
#[test]
fn a_final_draw_by_the_rules_is_scored_as_a_draw() {
    let game = b"[FEN \"6k1/5pp1/7p/8/8/7P/4QPP1/6K1 w - - 0 1\"]\n[Result \"1/2-1/2\"]\n\n\
        1. Qd1 Kh7 2. Qd3+ Kg8 3. Qd1 Kh8 4. Qd3 Kg8 5. Qd1 1/2-1/2\n";
    let output = analyse(&["-", "--nodes", "3000"], game);
    let text = String::from_utf8_lossy(&output.stdout);
    let last = text.rsplit("[%eval ").next().unwrap_or_default();
    assert!(last.starts_with("0.00]"), "{text}");
    assert!(text.contains("Qd1?? {") || text.contains("Qd1 $4"), "the last move gives the win away: {text}");
}

/// Inputs stay closed until needed: a system allows a program some hundred open files.
#[cfg(target_os = "linux")]
#[test]
fn a_folder_of_games_is_analysed() {
    let folder = Scratch::new("folder of games");
    let files: Vec<String> = (0..100).map(|i| folder.write(&format!("{i:03}.pgn"), SCHOLAR)).collect();
    let last = folder.write("last.txt", "8/8/8/8/8/8/8/k1K5 w - -\n");
    let run = |more: &[&str]| {
        let output = Command::new("bash")
            .args(["-c", "ulimit -n 64; exec \"$@\"", "bash", env!("CARGO_BIN_EXE_ibex-lab"), "analyse"])
            .args(&files)
            .args(["--depth", "1"])
            .args(more)
            .output()
            .expect("the program runs");
        (output.status.code(), text(&output.stderr))
    };
    let (out, page) = (folder.path("out.pgn"), folder.path("page.html"));
    let (status, said) = run(&["--out", &out]);
    assert!(status == Some(0) && said.contains("100 games, 700 positions"), "{said}");
    assert_eq!(folder.read("out.pgn").matches("[White \"A\"]").count(), 100);
    let (status, said) = run(&["--html", &page]);
    assert!(status == Some(0) && said.contains("100 games, 700 positions"), "{said}");
    // A file without games is found before the first search, and so is a missing one.
    let (status, said) = run(&[&last, "--html", &page, "--force"]);
    assert!(status == Some(2) && said.lines().count() == 1 && said.contains("last.txt holds none"), "{said}");
    let (status, said) = run(&["/no/such.pgn"]);
    assert!(status == Some(2) && said.lines().count() == 1 && said.contains("/no/such.pgn: "), "{said}");
}

/// `ibex-lab analyse` with a pipe for standard input, held by the caller.
#[cfg(unix)]
fn piped(arguments: &[&str]) -> std::process::Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ibex-lab"));
    command.args(["analyse", "-", "--depth", "1"]).args(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program runs")
}

/// Ends the program by SIGTERM, or after a minute by force; returns its status and its messages.
#[cfg(unix)]
fn terminated(mut child: std::process::Child) -> (Option<i32>, String) {
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &id]).status().is_ok_and(|status| status.success()));
    let end = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while child.try_wait().expect("a child").is_none() && std::time::Instant::now() < end {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let _ = child.kill();
    let output = child.wait_with_output().expect("it ends");
    (output.status.code(), text(&output.stderr))
}

/// Even without a search, an interruption is noticed between games.
#[cfg(unix)]
#[test]
fn an_interruption_is_noticed_between_skipped_games() {
    use std::io::Read as _;
    let mut child = piped(&["--player", "x"]);
    let (mut input, mut output) = (child.stdin.take().expect("a pipe"), child.stdout.take().expect("a pipe"));
    let writer = std::thread::spawn(move || while input.write_all(SCHOLAR.as_bytes()).is_ok() {});
    output.read_exact(&mut [0; 100]).expect("a game");
    let reader = std::thread::spawn(move || std::io::copy(&mut output, &mut std::io::sink()));
    let (status, said) = terminated(child);
    assert_eq!(status, Some(130), "{said}");
    writer.join().expect("no panic");
    reader.join().expect("no panic").expect("readable");
}

/// A line gets its answer at once, and an interruption ends the wait for the next one. The same holds for games.
#[cfg(target_os = "linux")]
#[test]
fn a_silent_stream_is_answered_and_can_be_interrupted() {
    use std::io::{BufRead as _, BufReader};
    for (sent, answer) in [
        ("7k/8/5KQ1/8/8/8/8/8 w - -\n", "7k/8/5KQ1/8/8/8/8/8 w - - acd "),
        ("[White \"A\"]\n\n*\n\n[White \"B\"]\n", "[White \"A\"]"),
    ] {
        let mut child = piped(&[]);
        let mut input = child.stdin.take().expect("a pipe");
        input.write_all(sent.as_bytes()).expect("it reads");
        let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
        let (sender, receiver) = std::sync::mpsc::channel();
        let reader = std::thread::spawn(move || {
            let mut line = String::new();
            output.read_line(&mut line).map(|_| sender.send(line).expect("it is wanted"))
        });
        // A minute in vain counts as for ever.
        let line = receiver.recv_timeout(std::time::Duration::from_secs(60)).unwrap_or_default();
        let (status, said) = terminated(child);
        let _ = reader.join();
        assert!(line.starts_with(answer), "{line}");
        assert_eq!(status, Some(130), "{said}");
        drop(input);
    }
    // No input at all.
    let folder = Scratch::new("silent");
    let page = folder.path("page.html");
    for (more, advice) in [(&[][..], "interrupted before the end"), (&["--html", &page], "before the first search")] {
        let mut child = piped(more);
        let input = child.stdin.take();
        let id = child.id();
        let caught = || {
            let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
            let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).map(str::trim);
            let caught = caught.and_then(|mask| u64::from_str_radix(mask, 16).ok()).unwrap_or(u64::MAX);
            caught >> (libc::SIGTERM - 1) & 1 == 1
        };
        while !caught() {
            assert!(child.try_wait().expect("a child").is_none(), "it ended before it caught the signal");
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        let (status, said) = terminated(child);
        assert!(status == Some(130) && said.contains(advice), "{status:?} {said}");
        drop(input);
    }
}

/// `ibex-lab analyse games.pgn | head -1` is not an error.
#[cfg(unix)]
#[test]
fn the_analysis_ends_quietly_when_its_reader_leaves() {
    let mut child = piped(&[]);
    drop(child.stdout.take());
    child.stdin.take().expect("a pipe").write_all(SCHOLAR.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(141), ""));
}

/// A pattern that matches the output once it exists still makes the same command.
#[cfg(target_os = "linux")]
#[test]
fn a_pattern_may_match_the_output() {
    let folder = Scratch::new("pattern");
    // Nothing is searched in the first file; the second would take an hour.
    folder.write("a.pgn", "[White \"A\"]\n[FEN \"7k/6Q1/5K2/8/8/8/8/8 b - - 0 1\"]\n\n1-0\n");
    folder.write("b.pgn", "[White \"B\"]\n\n1. e4 *\n");
    let (out, pattern) = (folder.path("out.pgn"), folder.path("*.pgn*"));
    let start = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ibex-lab"));
        command.args(["analyse", &pattern, "--out", &out, "--resume", "--movetime", "1h"]);
        command.stderr(Stdio::piped()).spawn().expect("the program runs")
    };
    let mut child = start();
    while std::fs::metadata(&out).map_or(0, |about| about.len()) == 0 {
        assert!(child.try_wait().expect("a child").is_none(), "it ended before it wrote a game");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert_eq!(terminated(child).0, Some(130));
    let mut child = start();
    let mut said = std::io::BufReader::new(child.stderr.take().expect("a pipe"));
    let mut lines = [String::new(), String::new()];
    for line in &mut lines {
        std::io::BufRead::read_line(&mut said, line).expect("text");
    }
    let of = |name: &str| format!("{}: belongs to --out {out} and is not an input\n", folder.path(name));
    assert_eq!(lines, [of("out.pgn"), of("out.pgn.resume")]);
    // It continues: the checkpoint is taken over before the signal is caught, or the search has begun.
    let written = folder.read("out.pgn");
    let _ = (child.kill(), child.wait());
    assert!(written.contains("[White \"A\"]"), "{written}");
    let other = folder.write("c.pgn", SCHOLAR);
    let output = analyse(&[&pattern, "--out", &out, "--resume", "--movetime", "1h"], b"");
    let said = text(&output.stderr);
    assert!(said.contains(&format!("holds another run (without {other}, ")), "{said}");
    let output = analyse(&[&out, "--out", &out, "--resume"], b"");
    let said = text(&output.stderr);
    assert!(output.status.code() == Some(2) && said.contains("is also the only input"), "{said}");
}
