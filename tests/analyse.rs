//! `ibex analyse` from the outside.

#[path = "common/scratch.rs"]
mod scratch;

use std::io::Write;
use std::process::{Command, Output, Stdio};

use scratch::Scratch;

fn analyse(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ibex"))
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
        // A program that refuses its arguments does not read.
        let _ = pipe.write_all(&input);
    });
    let output = child.wait_with_output().expect("it ends");
    writer.join().expect("no panic");
    output
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Black falls for the scholar's mate; White could also have been slower.
const SCHOLAR: &str = "[White \"A\"]\n[Black \"B\"]\n[Result \"1-0\"]\n\n\
                       1. e4 e5 2. Qh5 {early} Nc6 3. Bc4 Nf6 (3... g6) 4. Qxf7# 1-0\n\n";

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
        " [%ibex $4 line] } (3... g6) (3... ",
        ") 4. Qxf7# 1-0",
    ] {
        assert!(annotated.contains(part), "{part}: {annotated}");
    }
    assert!(text(&output.stderr).contains("1 game, 7 positions; 1 blunder, "), "{}", text(&output.stderr));
    // What was written can be read again, and the second analysis replaces the first.
    assert_eq!(text(&output.stdout).matches("[%eval ").count(), 7);
    assert_eq!(text(&analyse(&["-", "--nodes", "5000"], &output.stdout).stdout), text(&output.stdout));
    let lines = analyse(&["-", "--nodes", "5000", "--all-lines"], &output.stdout);
    assert!(lines.stdout.len() > output.stdout.len());
    assert_eq!(analyse(&["-", "--nodes", "5000"], &lines.stdout).stdout, output.stdout);
    // The same input, the same result.
    assert_eq!(analyse(&["-", "--nodes", "5000"], SCHOLAR.as_bytes()).stdout, output.stdout);
}

#[test]
fn best_lines_wherever_wanted() {
    let lines = |more: &[&str]| {
        let arguments = [&["-", "--nodes", "8000"], more].concat();
        // Moves that are modest, but no mistakes.
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
    assert!(lines[4].contains("id \"Réti\"") && !lines[4].contains("ce 5;"), "{lines:?}");
    let complaints = text(&output.stderr);
    let over = "standard input:4: the game is over: copied unchanged";
    for part in ["standard input:3: ", over, "2 copied unchanged"] {
        assert!(complaints.contains(part), "{part}: {complaints}");
    }
    let skipped = analyse(&["-", "--depth", "5", "--skip-bad"], input);
    assert_eq!(text(&skipped.stdout).lines().count(), 3);
    assert!(text(&skipped.stderr).contains("2 left out"));
}

/// Packed games and games in UTF-16 give what the plain text gives.
#[test]
fn games_come_in_any_dress() {
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
        "standard input:9: game 2 (? - ?): Ibex does not play 'crazyhouse': copied unchanged\n",
        "2 games, 4 positions",
        "2 copied unchanged",
    ] {
        assert!(complaints.contains(part), "{part}: {complaints}");
    }
    let kept = |part: &[u8]| output.stdout.windows(part.len()).any(|window| window == part);
    assert!(kept(b"[White \"Mu\xF1oz\"]") && kept(b" \xA1 }") && kept(b"[Event \"no moves\"]"));
    // The games that cannot be read stand there byte for byte.
    assert!(kept(b"3. Bc4 Ke4 (3... g6) 4. Qxf7# 1-0\n"));
    assert!(kept(b"[Variant \"Crazyhouse\"]\r\n\r\n1. e4 *\n\n"));
    let skipped = analyse(&["-", "--depth", "2", "--skip-bad"], &input);
    assert!(text(&skipped.stderr).contains("2 left out"));
    assert!(!skipped.stdout.contains(&b'\r') && !text(&skipped.stdout).contains("Qxf7#"));
}

/// An analysis that was killed goes on where it was, and ends in the same bytes as one that was not.
#[test]
fn an_interrupted_analysis_goes_on() {
    let folder = Scratch::new("analyse");
    let (input, out) = (folder.0.join("games.pgn"), folder.0.join("out.pgn"));
    let games: String = (0..40).map(|i| SCHOLAR.replace("\"A\"", &format!("\"A{i}\""))).collect();
    std::fs::write(&input, games).expect("a file");
    let (input, out) = (input.to_string_lossy().into_owned(), out.to_string_lossy().into_owned());
    let arguments = [input.as_str(), "--nodes", "3000", "--out", &out, "--resume"];
    let whole = analyse(&[&input, "--nodes", "3000"], b"").stdout;
    let mut child = Command::new(env!("CARGO_BIN_EXE_ibex"))
        .arg("analyse")
        .args(arguments)
        .stderr(Stdio::null())
        .spawn()
        .expect("the program runs");
    let written = || std::fs::metadata(&out).map_or(0, |about| about.len());
    while written() == 0 && child.try_wait().expect("a child").is_none() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let second = analyse(&arguments, b"");
    if child.try_wait().expect("a child").is_none() {
        assert_eq!(second.status.code(), Some(2), "{}", text(&second.stderr));
        assert!(text(&second.stderr).contains("another run is writing it"), "{}", text(&second.stderr));
    }
    let _ = child.kill();
    child.wait().expect("it ends");
    // Another run is not mixed with this one, and the output alone is not overwritten.
    let other = analyse(&[&input, "--nodes", "2000", "--out", &out, "--resume"], b"");
    assert!(text(&other.stderr).contains("holds another run (limit "), "{}", text(&other.stderr));
    let resumed = analyse(&arguments, b"");
    assert_eq!(resumed.status.code(), Some(0), "{}", text(&resumed.stderr));
    assert!(text(&resumed.stderr).contains("40 games, 280 positions"), "{}", text(&resumed.stderr));
    assert!(std::fs::read(&out).expect("the output") == whole);
    let again = analyse(&arguments, b"");
    assert!(text(&again.stderr).contains("nothing to resume"), "{}", text(&again.stderr));
}

/// Ctrl-C ends the search at hand; what was written is whole games, and the program says how to go on.
#[cfg(target_os = "linux")]
#[test]
fn an_interruption_leaves_whole_games() {
    use std::os::unix::process::CommandExt as _;
    let folder = Scratch::new("interrupt");
    let (input, out) = (folder.0.join("games.pgn"), folder.0.join("out.pgn"));
    // Nothing is searched in the first game; the second one would take an hour.
    let games = "[White \"A\"]\n[FEN \"7k/6Q1/5K2/8/8/8/8/8 b - - 0 1\"]\n\n1-0\n\n[White \"B\"]\n\n1. e4 *\n";
    std::fs::write(&input, games).expect("a file");
    let page = folder.0.join("page.html");
    for (more, advice) in [
        (&[][..], "a run with --out FILE --resume can go on"),
        (&["--resume".as_ref()], "go on: the same command"),
        (&["--html".as_ref(), page.as_os_str()], "the page has the games that are done"),
    ] {
        let _ = std::fs::remove_file(&out);
        let mut command = Command::new(env!("CARGO_BIN_EXE_ibex"));
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
        let child = command.spawn().expect("the program runs");
        while std::fs::metadata(&out).map_or(0, |about| about.len()) == 0 {
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
fn what_cannot_be_done_is_said() {
    for (arguments, input, reason) in [
        (&["/no/such/file.pgn"][..], &b""[..], "/no/such/file.pgn: "),
        (&["-"], b"", "nothing to analyse (0 games or lines copied unchanged)"),
        (&["-"], b"not a position\n", "nothing to analyse (1 game or line copied unchanged)"),
        (&["-", "--out", "/no/such/folder/x"], b"", "/no/such/folder/x: "),
        (&["/"], b"", "/: a folder, not a file"),
    ] {
        let output = analyse(arguments, input);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let said = text(&output.stderr);
        let last = said.lines().last().unwrap_or_default();
        assert!(last.starts_with("ibex analyse: ") && last.contains(reason), "{said}");
    }
}

/// Memory holds a game at a time: the first games are written while the last ones have not been sent.
#[test]
fn games_are_streamed() {
    use std::io::{BufRead, BufReader};
    let mut child = Command::new(env!("CARGO_BIN_EXE_ibex"))
        .args(["analyse", "-", "--depth", "1"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program runs");
    let mut pipe = child.stdin.take().expect("a pipe");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    // More than any buffer between us holds; the answer must be short, because nobody reads it yet.
    let filler = format!("[White \"First\"]\n\n1. e4 {{ {} }} *\n\n", "[%eval 0.12] ".repeat(20_000));
    pipe.write_all(filler.as_bytes()).expect("it reads");
    pipe.write_all(filler.as_bytes()).expect("it reads");
    pipe.flush().expect("it reads");
    assert_eq!(lines.next().expect("a line").expect("text"), "[White \"First\"]");
    drop(pipe);
    assert_eq!(lines.map_while(Result::ok).filter(|line| line == "[White \"First\"]").count(), 1);
    assert!(child.wait().expect("it ends").success());
}

/// A folder for a test of pages, with a file of games.
fn folder_with_games(name: &str, games: &str) -> (Scratch, String, String) {
    let folder = Scratch::new(&format!("page-{name}"));
    let (input, page) = (folder.0.join("games.pgn"), folder.0.join("page.html"));
    std::fs::write(&input, games).expect("a file");
    let names = [input, page].map(|path| path.to_string_lossy().into_owned());
    let [input, page] = names;
    (folder, input, page)
}

#[test]
fn games_become_a_page() {
    let hostile = SCHOLAR.replace("\"A\"", "\"</title><script>alert('A')</script> & \u{202e}x\"");
    let games = format!("{SCHOLAR}{hostile}[White \"Bad\"]\n\n1. e4 <script> *\n");
    let (folder, input, page) = folder_with_games("made", &games);
    let output = analyse(&[&input, "--nodes", "3000", "--html", &page], b"");
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "not everything could be read: {said}");
    assert!(said.contains("left out") && !said.contains("copied"), "{said}");
    assert!(output.stdout.is_empty(), "the page is all that was asked for");
    let made = std::fs::read_to_string(&page).expect("a page");
    for part in [
        "<title>games.pgn</title>",
        "href=\"#g2\"",
        "<bdi>&lt;/title&gt;&lt;script&gt;alert('A')&lt;/script&gt; &amp; \u{202e}x</bdi>",
        "cannot be read: ",
        "proved mate",
        "evaluation",
        "class=\"blunder\">??",
        "better: ",
        "<th>accuracy</th>",
        "[\"h5f7\",\"h5-f7Q\"]",
    ] {
        assert!(made.contains(part), "{part}: {made}");
    }
    assert_eq!(made.matches("<script").count(), 3, "the data of two games, and the script of the page");
    assert!(made.ends_with("</script></body></html>\n"));
    // Beside the annotated games, which are the same as without a page.
    let out = folder.0.join("out.pgn").to_string_lossy().into_owned();
    let again = analyse(&[&input, "--nodes", "3000", "--out", &out, "--html", &page, "--force"], b"");
    assert!(text(&again.stderr).contains("copied unchanged"), "{}", text(&again.stderr));
    assert_eq!(std::fs::read(&out).expect("games"), analyse(&[&input, "--nodes", "3000"], b"").stdout);
    assert_eq!(std::fs::read_to_string(&page).expect("a page"), made);
    assert_eq!(std::fs::read_dir(&folder.0).expect("a folder").count(), 3, "nothing else is left");
}

#[test]
fn odd_games_have_a_page() {
    let shuffle = "Nf3 Nf6 Ng1 Ng8 ".repeat(400);
    let games = format!(
        "[Event \"no moves\"]\n\n*\n\n{shuffle}*\n\n\
         [Variant \"Chess960\"]\n[FEN \"4k3/8/8/8/8/8/8/6KR w H - 0 1\"]\n\n1. O-O Kd7 *\n\n\
         [White \"Passes\"]\n\n1. e4 -- 2. d4 *\n\n\
         [FEN \"7k/6Q1/5K2/8/8/8/8/8 b - - 0 1\"]\n\n1-0\n"
    );
    let (_folder, input, page) = folder_with_games("odd", &games);
    let output = analyse(&[&input, "--depth", "1", "--html", &page], b"");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let made = std::fs::read_to_string(&page).expect("a page");
    for part in ["The game has no moves.", "data-at=\"1600\"", "[\"g1h1\",\"f1Rh1-\"]", "[\"\",\"\"]"] {
        assert!(made.contains(part), "{part}");
    }
    assert_eq!(made.matches("<section").count(), 5);
    assert!(!made.contains("NaN") && !made.contains("inf%"));
}

#[test]
fn pages_that_cannot_be_are_refused() {
    let (folder, input, page) = folder_with_games("refused", SCHOLAR);
    let positions = folder.0.join("a.epd").to_string_lossy().into_owned();
    std::fs::write(&positions, "7k/8/8/8/8/8/8/K6R w - -\n").expect("a file");
    let out = folder.0.join("out.pgn").to_string_lossy().into_owned();
    for (arguments, reason) in [
        (&[input.as_str(), "--html", "-"][..], "--html -: a page needs the name of a file"),
        (&[&input, "--html", &input, "--force"], "is an input too"),
        (&[&input, "--html", &out, "--out", &out], "--out "),
        (&[&input, "--html", "/no/such/folder/x"], "its folder does not exist"),
        (&[&input, &positions, "--html", &page, "--out", &out], "--html is for games, and "),
        (&[&input, "--html", &page, "--out", &out, "--resume"], "cannot be used with"),
    ] {
        let output = analyse(arguments, b"");
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.contains(reason), "{reason}: {said}");
        assert!(!std::path::Path::new(&page).exists() && !std::path::Path::new(&out).exists(), "{arguments:?}");
    }
    std::fs::write(&page, "former").expect("a file");
    let output = analyse(&[&input, "--html", &page], b"");
    assert!(text(&output.stderr).contains("exists; --force replaces it"), "{}", text(&output.stderr));
    assert_eq!(std::fs::read_to_string(&page).expect("a page"), "former");
}

/// A disk that is full in the midst of a page costs the new page and not the old one.
#[cfg(target_os = "linux")]
#[test]
fn a_failed_write_leaves_the_former_page() {
    use std::os::unix::process::CommandExt as _;
    let (folder, input, page) = folder_with_games("full", &SCHOLAR.repeat(3));
    std::fs::write(&page, "former").expect("a file");
    // The first size ends a section, the second the page.
    for most in [2_000, 20_000] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ibex"));
        command.arg("analyse").arg(&input).args(["--depth", "1", "--html", &page, "--force"]);
        // SAFETY: both may be called between fork and exec.
        unsafe {
            command.pre_exec(move || {
                libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
                let limit = libc::rlimit { rlim_cur: most, rlim_max: most };
                libc::setrlimit(libc::RLIMIT_FSIZE, &limit);
                Ok(())
            })
        };
        let output = command.output().expect("the program runs");
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        let last = said.lines().last().unwrap_or_default();
        assert!(last.starts_with("ibex analyse: ") && last.contains("page.html: "), "{said}");
        assert_eq!(std::fs::read_to_string(&page).expect("a page"), "former");
        assert_eq!(std::fs::read_dir(&folder.0).expect("a folder").count(), 2, "nothing else is left");
    }
}

/// The moves with their comments and variations, on one line.
fn moves(output: &Output) -> String {
    let all = text(&output.stdout);
    all.split_once("\n\n").map_or_else(String::new, |(_, moves)| moves.replace('\n', " ").trim_end().to_owned())
}

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
    // The last position is a mate, and is not needed.
    assert!(
        said.contains("1 game, 4 positions") && said.contains("; 1 game of other players copied unchanged"),
        "{said}"
    );
    assert!(
        all.contains("2. g4 $4 {")
            && all.ends_with("[White \"C\"]\n[Black \"D\"]\n\n1. f3 {kept; so} e5 2. g4 Qh4# 0-1\n\n")
    );
    // Black's moves need no value of the first position, and nothing of Black's is bad.
    let black = run(&["B"], games.as_bytes());
    assert!(text(&black.stderr).contains("1 game, 3 positions; 0 blunders"), "{}", text(&black.stderr));
    assert!(moves(&black).starts_with("1. f3 { [%eval "), "{}", moves(&black));
    assert!(text(&run(&["B", "c"], games.as_bytes()).stderr).contains("2 games, "));
    let latin: Vec<u8> = games.chars().map(|c| u8::try_from(u32::from(c)).expect("Latin-1")).collect();
    assert!(text(&run(&["mu\u{f1}oz"], &latin).stderr).contains("1 game, 4 positions"));
    let none = run(&["Xy", "Zz"], games.as_bytes());
    assert_eq!((none.status.code(), text(&none.stdout).as_str()), (Some(1), games));
    let said = text(&none.stderr);
    assert!(said.ends_with("ibex analyse: no game has a player with 'Xy' or 'Zz' in the name\n"), "{said}");
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
    // Numbers are those of the game.
    let late = b"[FEN \"7k/8/8/8/8/8/8/K6R b - - 0 40\"]\n\n40... Kg7 41. Kb2 Kf6 *\n";
    let late = analyse(&["-", "--nodes", "500", "--moves", "-40"], late);
    assert!(text(&late.stderr).contains("1 game, 2 positions"), "{}", text(&late.stderr));
}

/// White has won a queen for nothing with the third move.
const DECIDED: &str = "1. e4 e5 2. Nf3 Qh4 3. Nxh4 a6 4. d4 a5 5. dxe5 a4 6. Nf5 b6 7. a3 b5 8. b3 axb3 1-0\n";

#[test]
fn a_decided_game_is_left_alone() {
    let run = |more: &[&str], input: &str| analyse(&[&["-", "--nodes", "2000"], more].concat(), input.as_bytes());
    let whole = run(&[], DECIDED);
    assert_eq!(moves(&whole).matches("[%eval ").count(), 17);
    let output = run(&["--until-decided"], DECIDED);
    let annotated = moves(&output);
    assert!(annotated.contains("2... Qh4 $4 { [%eval "), "the move that decides has its mark: {annotated}");
    let evaluations = annotated.matches("[%eval ").count();
    assert!((5..=6).contains(&evaluations), "{annotated}");
    assert!(text(&output.stderr).contains(&format!("1 game, {evaluations} positions")), "{}", text(&output.stderr));
    // A lead that nobody has decides nothing, and a game that ends level is not decided.
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
    // By another order of moves, and with the tags of somebody else.
    let moved = "[Opening \"Old\"]\n[Variation \"Older\"]\n[White \"A\"]\n\n1. c4 d5 2. d4 a6 3. a3 *\n";
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
        ("-", "--eco -: the openings need the name of a file"),
    ] {
        let output = run(eco, moved);
        assert_eq!(output.status.code(), Some(2), "{eco}");
        let said = text(&output.stderr);
        assert!(said.lines().last().is_some_and(|last| last.contains(reason)), "{said}");
    }
}

/// A program that speaks UCI and answers as `on_go` says; `$n` counts the searches.
#[cfg(unix)]
fn engine(folder: &std::path::Path, name: &str, on_go: &str) -> String {
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

#[cfg(unix)]
#[test]
fn another_engine_searches() {
    let (folder, input, page) = folder_with_games("engine", "[White \"A\"]\n\n1. e4 e5 2. Ke2 *\n");
    let good = engine(
        &folder.0,
        "good",
        "case $n in 1) echo 'info depth 7 score mate 3 pv b8c6'; echo 'bestmove b8c6';; \
         2) echo 'info depth 6 score cp 40 pv g1f3 b8c6'; echo 'bestmove g1f3';; \
         3) echo 'info depth 5 score cp -2147483648 lowerbound pv e7e5'; echo 'bestmove e7e5';; \
         *) echo 'info depth 4 score cp 30 pv e2e4'; echo 'bestmove e2e4';; esac",
    );
    let out = folder.0.join("out.pgn").to_string_lossy().into_owned();
    let both = ["--html", &page, "--force", "--out", &out];
    let output = analyse(&[&[input.as_str(), "--engine", &good, "--option", "Style=calm"], &both[..]].concat(), b"");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let written = std::fs::read_to_string(&out).expect("games");
    for part in ["with The \\\"good\\\"\"]", "2. Ke2 $4 { [%eval #-3,7] [%ibex $4 line] } (2. Nf3 Nc6)"] {
        assert!(written.replace('\n', " ").contains(part), "{part}: {written}");
    }
    let made = std::fs::read_to_string(&page).expect("a page");
    for part in
        ["with The &quot;good&quot;", "mate claimed by good", "evaluation of good", "bound of an evaluation of good"]
    {
        assert!(made.contains(part), "{part}");
    }
    // The foot explains the words of proofs; the game has none of them.
    let game = made.split("<section").nth(1).and_then(|rest| rest.split("</section>").next()).unwrap_or_default();
    assert!(!game.contains("proved") && !game.contains("<i>evaluation</i>"), "{game}");
    // Ibex takes out what it wrote for the engine.
    let again = text(&analyse(&["-", "--depth", "1"], written.as_bytes()).stdout);
    assert!(!again.contains("The ") && !again.contains("#-3,7"), "{again}");
    // Positions without a game.
    let line = analyse(&["-", "--engine", &good], b"rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPPKPPP/RNBQ1BNR b kq - 1 2\n");
    assert!(text(&line.stdout).contains("pm Nc6;"), "{}{}", text(&line.stdout), text(&line.stderr));
}

#[cfg(unix)]
#[test]
fn engines_that_fail_cost_only_their_positions() {
    let game = "[White \"A\"]\n\n1. e4 e5 2. Ke2 *\n";
    let (folder, _, page) = folder_with_games("failing", game);
    let answer = "echo 'info depth 1 score cp 9'; echo 'bestmove b8c6'";
    // The second of two answers is wrong.
    for (name, fault, reason) in [
        ("illegal", "echo 'bestmove a1a1'", "'bestmove a1a1' is not legal"),
        ("crash", "exit 3", "it ended (exit status: 3)"),
    ] {
        let engine = engine(&folder.0, name, &format!("if [ $n -eq 2 ]; then {fault}; else {answer}; fi"));
        let output = analyse(&["-", "--moves", "2", "--engine", &engine], game.as_bytes());
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{said}");
        let line = format!("standard input:1: game 1 (A - ?): no value before 2. Ke2: {name}: {reason}\n");
        assert!(said.contains(&line) && said.contains("; 1 position without a value"), "{line}{said}");
        assert!(moves(&output).starts_with("1. e4 e5 2. Ke2 { [%eval "), "{}", moves(&output));
    }
    let dead = engine(&folder.0, "dead", "exit 3");
    for input in [game, "k7/8/8/8/8/8/8/K6R w - -\n8/k7/8/8/8/8/8/K6R w - -\n8/8/k7/8/8/8/8/K6R w - -\n"] {
        let output = analyse(&["-", "--engine", &dead], input.as_bytes());
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        let last = said.lines().last().unwrap_or_default();
        assert!(last.starts_with("ibex analyse: standard input") && last.contains("given up after three"), "{said}");
    }
    // What is done stays done: the third game kills the engine for good.
    let once = folder.0.join("once").to_string_lossy().into_owned();
    let answer = "echo 'info score cp 1'; echo 'bestmove e2e4'";
    let limited = format!("echo x >> '{once}'; if [ $(wc -l < '{once}') -gt 4 ]; then exit 3; fi; {answer}");
    let limited = engine(&folder.0, "limited", &limited);
    let games = "[White \"A\"]\n\n*\n\n".repeat(9);
    let output = analyse(&["-", "--engine", &limited], games.as_bytes());
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    assert_eq!(text(&output.stdout).matches("[%eval 0.01").count(), 4, "{}", text(&output.stdout));
    for (engine, more, reason) in [
        ("/no/such/engine", &[][..], "cannot run '/no/such/engine'"),
        ("", &[], "no command"),
        ("x='", &[], "a quotation without an end"),
        (&dead, &["--option", "Style"], "expected NAME=VALUE"),
        (&dead, &["--option", "Stile=x"], "did you mean 'Style'?"),
    ] {
        let out = folder.0.join("none.pgn").to_string_lossy().into_owned();
        let arguments = [&["-", "--engine", engine, "--out", &out, "--html", &page], more].concat();
        let output = analyse(&arguments, game.as_bytes());
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.lines().count() == 1 && said.contains(reason), "{said}");
        assert!(!std::path::Path::new(&out).exists() && !std::path::Path::new(&page).exists());
    }
}

#[test]
fn a_page_shows_what_was_annotated() {
    let (folder, input, page) = folder_with_games("chosen", &format!("{SCHOLAR}[White \"C\"]\n\n1. d4 *\n"));
    let eco = folder.0.join("a.tsv").to_string_lossy().into_owned();
    std::fs::write(&eco, "C20\tWayward <Queen>\t1. e4 e5 2. Qh5\n").expect("a file");
    let arguments = [&input, "--nodes", "2000", "--html", &page, "--player", "A", "--moves", "2-3", "--eco", &eco];
    let arguments = [&arguments[..], &["--marks", "1,2,30"]].concat();
    let output = analyse(&arguments, b"");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("1 game of other players left out"), "{}", text(&output.stderr));
    let made = std::fs::read_to_string(&page).expect("a page");
    for part in [
        "Annotated: <bdi>moves of A, moves 2-3</bdi>.",
        "<bdi>C20</bdi>, <bdi>Wayward &lt;Queen&gt;</bdi>",
        "at least 30, 2 and 1 percent",
        "<b>e4</b> <small></small>",
        "<b>Qxf7#</b> <small><i>checkmate</i></small>",
    ] {
        assert!(made.contains(part), "{part}: {made}");
    }
    assert_eq!(made.matches("<section").count(), 1);
    // The graph begins at the second move's position and ends before the last one.
    let area = made.split("class=\"below\" d=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or_default();
    assert!(area.starts_with("M171.4 150L171.4 ") && area.matches('M').count() == 1, "{area}");
    assert_eq!(area.matches('L').count(), 4, "{area}");
    let none = analyse(&[&input, "--html", &page, "--force", "--player", "nobody"], b"");
    assert_eq!(none.status.code(), Some(1), "{}", text(&none.stderr));
    assert_eq!(std::fs::read_to_string(&page).expect("the page"), made, "a page without games is not written");
    for arguments in [["--eco", &page, "--force"], ["--eco", "-", "--force"]] {
        let output = analyse(&[&[input.as_str(), "--html", &page][..], &arguments].concat(), b"");
        assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    }
}

/// A run goes on only with the settings that it began with.
#[cfg(target_os = "linux")]
#[test]
fn other_settings_are_another_run() {
    let (folder, input, _) = folder_with_games("settings", SCHOLAR);
    let out = folder.0.join("out.pgn").to_string_lossy().into_owned();
    let eco = folder.0.join("a.tsv").to_string_lossy().into_owned();
    std::fs::write(&eco, "C20\tX\t1. e4 e5 2. Qh5\n").expect("a file");
    let sleepy = engine(&folder.0, "sleepy", "echo 'bestmove a1a1'; exit 3");
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

#[test]
fn bad_choices_are_refused() {
    for (option, value, reason) in [
        ("--marks", "5,10", "expected three numbers"),
        ("--marks", "5,20,10", "the numbers must rise"),
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
