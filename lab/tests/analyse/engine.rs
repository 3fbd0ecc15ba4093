//! `--engine`: another program searches.

#[cfg(target_os = "linux")]
use std::process::Command;

use crate::{analyse, fake_engine, folder_with_games, moves, text};

#[test]
fn another_engine_searches() {
    let (folder, input, page) = folder_with_games("engine", "[White \"A\"]\n\n1. e4 e5 2. Ke2 *\n");
    let good = fake_engine(
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
    for part in ["with The \\\"good\\\"\"]", "2. Ke2 $4 { [%eval #-3,5] [%ibex $4 line Nf3 Nc6] } (2. Nf3 Nc6)"] {
        assert!(written.replace('\n', " ").contains(part), "{part}: {written}");
    }
    // A comment cannot show a bound as an evaluation, but the page can.
    assert!(written.contains("1. e4 e5 {") && written.matches("[%eval ").count() == 3, "{written}");
    let made = std::fs::read_to_string(&page).expect("a page");
    for part in
        ["with The &quot;good&quot;", "mate claimed by good", "evaluation of good", "bound of an evaluation of good"]
    {
        assert!(made.contains(part), "{part}");
    }
    // The foot of the page explains the words for proofs; this game has none of them.
    let game = made.split("<section").nth(1).and_then(|rest| rest.split("</section>").next()).unwrap_or_default();
    assert!(!game.contains("proved") && !game.contains("<i>evaluation</i>"), "{game}");
    // Ibex removes what it wrote for the engine.
    let again = text(&analyse(&["-", "--depth", "1"], written.as_bytes()).stdout);
    assert!(!again.contains("The ") && !again.contains("#-3,7"), "{again}");
    // Positions without a game.
    let line = analyse(&["-", "--engine", &good], b"rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPPKPPP/RNBQ1BNR b kq - 1 2\n");
    assert!(text(&line.stdout).contains("pm Nc6;"), "{}{}", text(&line.stdout), text(&line.stderr));
}

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
        let engine = fake_engine(&folder.0, name, &format!("if [ $n -eq 2 ]; then {fault}; else {answer}; fi"));
        let output = analyse(&["-", "--moves", "2", "--engine", &engine], game.as_bytes());
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{said}");
        let line = format!("standard input:1: game 1 (A - ?): no value before 2. Ke2: {name}: {reason}\n");
        assert!(said.contains(&line) && said.contains("; 1 position without a value"), "{line}{said}");
        assert!(moves(&output).starts_with("1. e4 e5 2. Ke2 { [%eval "), "{}", moves(&output));
    }
    let dead = fake_engine(&folder.0, "dead", "exit 3");
    for input in [game, "k7/8/8/8/8/8/8/K6R w - -\n8/k7/8/8/8/8/8/K6R w - -\n8/8/k7/8/8/8/8/K6R w - -\n"] {
        let output = analyse(&["-", "--engine", &dead], input.as_bytes());
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        let last = said.lines().last().unwrap_or_default();
        assert!(
            last.starts_with("ibex-lab analyse: standard input") && last.contains("given up after three"),
            "{said}"
        );
    }
    // Finished work is kept: the third game kills the engine for good.
    let once = folder.0.join("once").to_string_lossy().into_owned();
    let answer = "echo 'info score cp 1'; echo 'bestmove e2e4'";
    let limited = format!("echo x >> '{once}'; if [ $(wc -l < '{once}') -gt 4 ]; then exit 3; fi; {answer}");
    let limited = fake_engine(&folder.0, "limited", &limited);
    let games = "[White \"A\"]\n\n*\n\n".repeat(9);
    let output = analyse(&["-", "--engine", &limited], games.as_bytes());
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    assert_eq!(text(&output.stdout).matches("[%eval 0.01").count(), 4, "{}", text(&output.stdout));
    for (engine, more, reason) in [
        ("/no/such/engine", &[][..], "cannot run '/no/such/engine'"),
        ("", &[], "no command"),
        ("x='", &[], "an unterminated quotation"),
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

/// However many Chess960 positions come first, an engine without Chess960 still gets the game after them.
#[test]
fn unsupported_positions_do_not_count_against_an_engine() {
    let folder = crate::scratch::Scratch::new("unfit");
    let engine = fake_engine(&folder.0, "plain", "echo 'info depth 1 score cp 5 pv a2a3'; echo 'bestmove a2a3'");
    let shuffled = "rk5r/pppppppp/8/8/8/8/PPPPPPPP/RK5R w KQkq - 0 1\n".repeat(5);
    let input = format!("{shuffled}4k3/8/8/8/8/8/P7/4K3 w - - 0 1\n");
    let output = analyse(&["-", "--depth", "1", "--engine", &engine], input.as_bytes());
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert_eq!(said.matches("plain: it has no option UCI_Chess960, so it was not given").count(), 5, "{said}");
    let counted = ["0 games, 1 position; ", "; 0 copied unchanged; 5 positions without a value"];
    assert!(counted.iter().all(|part| said.contains(part)), "{said}");
    assert!(text(&output.stdout).starts_with(&shuffled), "{}", text(&output.stdout));
}

/// An answer without a score is an answer, but has no value.
#[test]
fn an_engine_may_give_no_score() {
    let (folder, input, _) = folder_with_games("mute", "[White \"A\"]\n\n1. e4 e5 2. Nf3 Nc6 *\n");
    let moves = "case $n in 1) m=d2d4;; 2) m=b8c6;; 3) m=g1f3;; 4) m=e7e5;; *) m=e2e4;; esac; echo \"bestmove $m\"";
    let mute = fake_engine(&folder.0, "mute", moves);
    let output = analyse(&[&input, "--engine", &mute], b"");
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("1 game, 0 positions") && said.contains("; 5 positions without a value"), "{said}");
    for place in ["before 1. e4", "before 2. Nf3", "at the end"] {
        assert!(said.contains(&format!("no value {place}: mute: it gave no score\n")), "{place}: {said}");
    }
}

/// A position stays even if an engine fails on it: `--skip-bad` is for what cannot be read. An engine that has exited
/// is restarted, and counts its searches anew; one whose answer is wrong continues.
#[test]
fn positions_without_a_value_stay() {
    let folder = crate::scratch::Scratch::new("stay");
    let positions = ["4k3/8/8/8/8/8/P7/4K3 w - -", "4k3/8/8/8/8/8/P6P/4K3 w - -"];
    let input = positions.join("\n") + "\n";
    let answer = "echo 'info depth 1 score cp 9 pv a2a3'; echo 'bestmove a2a3'";
    for (name, fault, failed, reason) in [
        ("illegal", "echo 'bestmove a1a1'", "1 position", "'bestmove a1a1' is not legal: the line stays as it is"),
        ("crash", "exit 3", "2 positions", "it ended (exit status: 3): the line stays as it is"),
        ("mute", "echo 'bestmove a2a3'", "1 position", "it gave no score"),
    ] {
        let engine = fake_engine(&folder.0, name, &format!("if [ $n -eq 1 ]; then {fault}; else {answer}; fi"));
        for more in [&[][..], &["--skip-bad"]] {
            let output = analyse(&[&["-", "--engine", &engine], more].concat(), input.as_bytes());
            let (all, said) = (text(&output.stdout), text(&output.stderr));
            assert_eq!(output.status.code(), Some(1), "{name}: {said}");
            assert!(said.contains(&format!("standard input:1: no value: {name}: {reason}\n")), "{said}");
            assert!(said.ends_with(&format!("; {failed} without a value\n")), "{said}");
            let lines: Vec<&str> = all.lines().collect();
            assert_eq!(lines.len(), 2, "{name}: {all}");
            let analysed = format!("{} acd 1;", positions[1]);
            assert!(if name == "mute" { lines[0].contains(" pm a3;") } else { lines[0] == positions[0] }, "{lines:?}");
            assert!(if name == "crash" { lines == positions } else { lines[1].starts_with(&analysed) }, "{lines:?}");
        }
    }
}

/// A script's child processes end with it: both if the script hangs, and if it exits and leaves them behind.
#[cfg(target_os = "linux")]
#[test]
fn child_processes_of_an_engine_end_with_it() {
    for (name, quit) in [("hangs", "wait"), ("leaves", "exit 0")] {
        let (folder, input, _) = folder_with_games(name, "[White \"A\"]\n\n*\n");
        let pid = folder.path("pid");
        let script = folder.write(
            "wrapper.sh",
            format!(
                "sleep 600 & echo $! >'{pid}'\n\
                 while read -r line; do case \"$line\" in\n\
                 uci) echo uciok;;\n\
                 isready) echo readyok;;\n\
                 go*) echo 'info depth 1 score cp 1'; echo 'bestmove e2e4';;\n\
                 quit) {quit};;\n\
                 esac; done\n"
            ),
        );
        let output = analyse(&[&input, "--engine", &format!("sh '{script}'")], b"");
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let child = folder.read("pid");
        let stat = || std::fs::read_to_string(format!("/proc/{}/stat", child.trim())).unwrap_or_default();
        let has_ended = (0..1000).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(10));
            stat().is_empty() || stat().contains(") Z")
        });
        let _ = Command::new("kill").args(["-KILL", child.trim()]).stderr(std::process::Stdio::null()).status();
        assert!(has_ended, "{name}");
    }
}

/// An engine may be slower than the default allows, or hang: the timeout can be set.
#[test]
fn the_time_for_an_engine_can_be_set() {
    let game = "[White \"A\"]\n\n1. e4 e5 2. Ke2 *\n";
    let (folder, ..) = folder_with_games("patience", game);
    let answer = "if [ $n -eq 1 ]; then echo 'bestmove b8c6'; else echo 'bestmove g1f3'; fi";
    let slow = fake_engine(&folder.0, "slow", &format!("sleep 2; echo 'info depth 1 score cp 9'; {answer}"));
    for (seconds, status, part) in
        [("1", 1, ": no value before 2. Ke2: slow: stopped after "), ("60", 0, "1 game, 2 positions")]
    {
        let arguments = ["-", "--moves", "2", "--nodes", "1", "--engine", &slow, "--timeout", seconds];
        let output = analyse(&arguments, game.as_bytes());
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(status), "{seconds}: {said}");
        assert!(said.contains(part), "{seconds}: {said}");
    }
    let output = analyse(&["-", "--timeout", "9"], game.as_bytes());
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
}

/// A full disk is not the engine's fault: the message names the file. A file limit of 4 KiB simulates the full disk.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_not_blamed_on_the_engine() {
    let remark = "x".repeat(5000);
    let mated = format!("[White \"A\"]\n[FEN \"7k/6Q1/5K2/8/8/8/8/8 b - - 0 1\"]\n\n{{{remark}}} 1-0\n\n");
    let games = mated + "[White \"B\"]\n\n1. e4 e5 *\n";
    let (folder, input, _) = folder_with_games("full", &games);
    let lines =
        folder.write("lines.epd", format!("# {remark}\nrnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\n"));
    let good = fake_engine(&folder.0, "good", "echo 'info depth 1 score cp 9 pv e2e4'; echo 'bestmove e2e4'");
    let out = folder.path("out");
    let full = "ibex-lab analyse: ".to_owned() + &out + ": File too large (os error 27)";
    for (input, more) in [
        (&input, &["--engine", &good][..]),
        (&input, &["--engine", &good, "--until-decided=3"]),
        (&input, &["--nodes", "1000"]),
        (&lines, &["--engine", &good]),
        (&lines, &["--nodes", "1000"]),
    ] {
        for resume in [true, false] {
            let _ = (std::fs::remove_file(&out), std::fs::remove_file(folder.path("out.resume")));
            let output = Command::new("bash")
                .args([
                    "-c",
                    "trap '' XFSZ; ulimit -f 4; exec \"$@\"",
                    "bash",
                    env!("CARGO_BIN_EXE_ibex-lab"),
                    "analyse",
                ])
                .args([input, "--out", &out])
                .args(more)
                .args(resume.then_some("--resume"))
                .output()
                .expect("the program runs");
            let said = text(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{more:?}, {resume}: {said}");
            assert_eq!(said.lines().collect::<Vec<_>>(), [&full], "{more:?}, {resume}");
        }
    }
    let output = Command::new(env!("CARGO_BIN_EXE_ibex-lab"))
        .args(["analyse", &lines, "--nodes", "1000"])
        .stdout(std::fs::File::options().write(true).open("/dev/full").expect("a full disk"))
        .output()
        .expect("the program runs");
    let said =
        "ibex-lab analyse: nothing more can be written to standard output: No space left on device (os error 28)\n";
    assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(2), said));
}
