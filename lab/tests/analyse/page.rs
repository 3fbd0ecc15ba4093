//! `--html`: the page of analysed games.

#[cfg(unix)]
use std::process::Command;

use crate::{SCHOLAR, analyse, folder_with_games, text};

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
    assert!(made.contains("</script><footer class=\"faint\">") && made.ends_with("</footer></body></html>\n"));
    // Together with the annotated games, which are the same as without a page.
    let out = folder.0.join("out.pgn").to_string_lossy().into_owned();
    let again = analyse(&[&input, "--nodes", "3000", "--out", &out, "--html", &page, "--force"], b"");
    assert!(text(&again.stderr).contains("copied unchanged"), "{}", text(&again.stderr));
    assert_eq!(std::fs::read(&out).expect("games"), analyse(&[&input, "--nodes", "3000"], b"").stdout);
    // The end of the page has the command.
    let games = |page: &str| page.split("<footer").next().map(str::to_owned);
    assert_eq!(games(&std::fs::read_to_string(&page).expect("a page")), games(&made));
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
fn impossible_pages_are_refused() {
    let (folder, input, page) = folder_with_games("refused", SCHOLAR);
    let positions = folder.0.join("a.epd").to_string_lossy().into_owned();
    std::fs::write(&positions, "7k/8/8/8/8/8/8/K6R w - -\n").expect("a file");
    let out = folder.0.join("out.pgn").to_string_lossy().into_owned();
    for (arguments, reason) in [
        (&[input.as_str(), "--html", "-"][..], "--html -: a page needs a file name"),
        (&[&input, "--html", &input, "--force"], "is also an input"),
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

/// A disk that fills up in the middle of a page costs the new page but not the old one.
#[cfg(target_os = "linux")]
#[test]
fn a_failed_write_leaves_the_former_page() {
    use std::os::unix::process::CommandExt as _;
    let (folder, input, page) = folder_with_games("full", &SCHOLAR.repeat(3));
    std::fs::write(&page, "former").expect("a file");
    // The first limit ends a section, the second the page.
    for most in [2_000, 20_000] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ibex-lab"));
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
        assert!(last.starts_with("ibex-lab analyse: ") && last.contains("page.html: "), "{said}");
        assert_eq!(std::fs::read_to_string(&page).expect("a page"), "former");
        assert_eq!(std::fs::read_dir(&folder.0).expect("a folder").count(), 2, "nothing else is left");
    }
}

/// The parts of a page for a device are in a system folder: if that fails, the message names it, not the device.
#[cfg(unix)]
#[test]
fn the_folder_for_parts_is_named() {
    let (folder, input, _) = folder_with_games("parts", SCHOLAR);
    let missing = folder.0.join("missing").to_string_lossy().into_owned();
    let mut command = Command::new(env!("CARGO_BIN_EXE_ibex-lab"));
    command.arg("analyse").arg(&input).args(["--depth", "1", "--html", "/dev/null"]).env("TMPDIR", &missing);
    let output = command.output().expect("the program runs");
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains(&format!("ibex-lab analyse: {missing}: ")) && !said.contains("/dev/null"), "{said}");
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
    // The graph begins at the position of the second move and ends before the last one.
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

/// Names in Latin-1 are read as names, and a question mark stays one.
#[test]
fn texts_are_shown_as_they_are() {
    let (folder, input, page) = folder_with_games("latin", "");
    let game = b"[Event \"Who wins?\"]\n[Date \"1858.??.??\"]\n[White \"H\xFCbner\"]\n\n1. e4 e5 *\n\n\
                 [White \"Mu\xF1oz\"]\n\n1. \xE9 *\n";
    std::fs::write(&input, game).expect("a file");
    let output = analyse(&[&input, "--depth", "1", "--html", &page], b"");
    let said = text(&output.stderr);
    assert!(said.contains("game 2 (Mu\u{f1}oz - ?): 1. '\u{e9}' is not a move"), "{said}");
    let made = folder.read("page.html");
    for part in ["H\u{fc}bner", "Mu\u{f1}oz", "<bdi>Who wins?</bdi>, <bdi>1858</bdi>"] {
        assert!(made.contains(part), "{part}");
    }
}

#[test]
fn the_annotations_of_the_file_are_on_the_page() {
    let text =
        "[White \"A\"]\n\n{Before} 1. e4!? {A <b>good</b> move [%clk 0:01]} e5 (1... c5 {Sicilian} 2. Nf3) 2. Nf3 *\n";
    let (_folder, input, page) = folder_with_games("own", text);
    analyse(&[&input, "--nodes", "500", "--html", &page], b"");
    let made = std::fs::read_to_string(&page).expect("a page");
    for part in [
        "<p class=\"own\"><bdi>Before</bdi></p>",
        "<b>e4</b>!?",
        "<bdi>A &lt;b&gt;good&lt;/b&gt; move</bdi>",
        "<bdi>(1… c5 Sicilian 2. Nf3)</bdi>",
    ] {
        assert!(made.contains(part), "{part}: {made}");
    }
}
