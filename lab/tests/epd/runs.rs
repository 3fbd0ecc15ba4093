//! Runs that are killed, interrupted, resumed, or in each other's way: finished work is kept.

use super::*;

/// The arguments of a run that begins or continues.
fn resume<'a>(suite: &'a str, file: &'a str) -> [&'a str; 6] {
    ["epd", suite, "--nodes", "2000", "--resume", file]
}

/// A complete run of the small suite: the suite, the file of its results, and their text.
fn complete_run(folder: &Scratch) -> (String, String, String) {
    let suite = folder.write("small.epd", SUITE);
    let file = folder.path("run.jsonl");
    assert_eq!(status(&ibex(&resume(&suite, &file))), 0);
    (suite, file, folder.read("run.jsonl"))
}

#[test]
fn a_run_that_was_killed_goes_on_where_it_was() {
    let folder = Scratch::new("resume");
    let (suite, file, whole) = complete_run(&folder);
    let arguments = resume(&suite, &file);
    // The state after a kill: two records, and a piece of the third.
    let lines: Vec<&str> = whole.lines().collect();
    folder.write("run.jsonl", format!("{}\n{}", lines[..3].join("\n"), &lines[3][..40]));
    let output = ibex(&arguments);
    assert_eq!(status(&output), 0);
    assert!(stderr(&output).contains("2 results are already done, 2 to go"), "{}", stderr(&output));
    assert!(stderr(&output).contains("run.jsonl:4: cut off: skipped"), "{}", stderr(&output));
    let timeless = |text: &str| -> Vec<(Value, Value, Value)> {
        records(text).iter().map(|r| (r["line"].clone(), r["best"].clone(), r["nodes"].clone())).collect()
    };
    assert_eq!(timeless(&folder.read("run.jsonl")), timeless(&whole));
    // Another run is not mixed in.
    let other = ibex(&["epd", &suite, "--nodes", "3000", "--resume", &file]);
    assert_eq!(status(&other), 2);
    assert!(stderr(&other).contains("its limit is 2000 nodes, not 3000 nodes"), "{}", stderr(&other));
    folder.write("small.epd", SUITE.replace("am Ra8", "am Kd2"));
    assert!(stderr(&ibex(&arguments)).contains("edited"));
}

/// A torn line, wherever it is, costs its own position; of two results the last counts; and all of this is reported.
#[test]
fn torn_lines_are_reported_and_run_again() {
    let folder = Scratch::new("torn");
    let (suite, file, whole) = complete_run(&folder);
    let arguments = resume(&suite, &file);
    let lines: Vec<&str> = whole.lines().collect();
    // Two records run together, a stray line, a record twice, and a torn end.
    let spoiled = lines[1].replace("\"solved\":true", "\"solved\":false");
    let torn =
        format!("{}\n{spoiled}\n{}{}\n\0\n{}\n{}\n{{\"pl", lines[0], &lines[2][..30], lines[3], lines[4], lines[1]);
    let torn = folder.write("run.jsonl", torn);
    let said = |output: &Output| {
        let said = stderr(output);
        for part in [
            ":2: T.1 by ibex is also in line 6: the last one counts",
            ":3: torn or not a result: skipped (",
            ":4: torn or not a result: skipped (",
            ":7: cut off: skipped",
        ] {
            assert_eq!(said.matches(&format!("run.jsonl{part}")).count(), 1, "{part}: {said}");
        }
        said
    };
    let merged = ibex(&["epd", "merge", &torn]);
    assert_eq!(status(&merged), 1);
    assert!(said(&merged).contains("2 of 4 results are missing"));
    let compared = ibex(&["epd", "compare", &torn, &folder.write("whole.jsonl", &whole)]);
    said(&compared);
    assert!(stdout(&compared).contains("2 positions are in only one of the runs"), "{}", stdout(&compared));
    assert!(stdout(&compared).contains("solved: A 2, B 2 of 2"), "{}", stdout(&compared));
    let output = ibex(&arguments);
    assert_eq!(status(&output), 0);
    assert!(said(&output).contains("2 results are already done, 2 to go"));
    let mut found: Vec<_> = records(&folder.read("run.jsonl")).iter().map(|r| r["line"].as_u64()).collect();
    found.sort_unstable();
    assert_eq!(found, [Some(1), Some(2), Some(3), Some(4)], "the file is whole again");
    // Nothing is left to report, and a run that was killed before its first line begins anew.
    let again = ibex(&arguments);
    assert_eq!(stderr(&again).trim(), "4 results are already done, 0 to go");
    for beginning in ["", &lines[0][..20]] {
        folder.write("run.jsonl", beginning);
        assert_eq!(status(&ibex(&arguments)), 0);
        assert_eq!(records(&folder.read("run.jsonl")).len(), 4);
    }
    assert!(!std::path::Path::new(&format!("{file}.pid")).exists());
}

/// Only one run writes a file; the other one reports which process that is.
#[test]
fn two_runs_do_not_share_a_file() {
    let folder = Scratch::new("lock");
    // A search that no mate ends.
    let suite = folder.write("small.epd", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - bm e4;\n");
    let file = folder.path("run.jsonl");
    let hour = ["epd", suite.as_str(), "--movetime", "1h", "--hash", "1", "--resume", &file];
    let mut first =
        Command::new(IBEX).args(hour).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program runs");
    while !std::fs::read(&file).is_ok_and(|bytes| bytes.ends_with(b"\n")) {
        assert!(first.try_wait().expect("a child").is_none(), "it ended before it wrote a line");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let before = folder.read("run.jsonl");
    for flags in [&["--resume", &file][..], &["--jsonl", &file, "--force"]] {
        let output = ibex(&[&["epd", &suite, "--movetime", "1h", "--hash", "1"], flags].concat());
        let told = format!("run.jsonl: another run (process {}) is writing it", first.id());
        assert!(status(&output) == 2 && stderr(&output).contains(&told), "{}", stderr(&output));
    }
    assert!(folder.read("run.jsonl").starts_with(&before));
    first.kill().expect("killed");
    first.wait().expect("a child");
    // A lock ends with its process.
    let other = ibex(&["epd", &suite, "--nodes", "9", "--resume", &file]);
    assert!(stderr(&other).contains("holds another run: its limit is"), "{}", stderr(&other));
}

/// What would be lost, or cannot be written, is rejected before the first search.
#[test]
fn outputs_are_checked_before_the_search() {
    let folder = Scratch::new("outputs");
    let suite = folder.write("small.epd", SUITE);
    let there = folder.write("there.html", "old");
    let (fresh, nowhere) = (folder.path("fresh"), folder.path("no/such/folder"));
    let before = || std::fs::read_dir(&folder.0).expect("a folder").count();
    let files = before();
    for (flags, part) in [
        (vec!["--html", suite.as_str()], "--html ".to_owned() + &suite + ": is also an input"),
        (vec!["--epd-out", &suite, "--force"], "is also an input".to_owned()),
        (vec!["--html", &there], "there.html: exists; --force replaces it".to_owned()),
        (vec!["--json", &fresh, "--csv", &fresh], "--csv ".to_owned() + &fresh + ": is also the file of --json"),
        (vec!["--json", &fresh, "--resume", &fresh], "is also the file of --json".to_owned()),
        (vec!["--json", &nowhere], "its folder does not exist".to_owned()),
    ] {
        let output = ibex(&[&["epd", suite.as_str(), "--movetime", "1h"], &flags[..]].concat());
        assert!(status(&output) == 2 && stderr(&output).contains(&part), "{flags:?}: {}", stderr(&output));
    }
    assert_eq!((folder.read("small.epd"), folder.read("there.html"), before()), (SUITE.into(), "old".into(), files));
    let run = folder.path("run.jsonl");
    let output = ibex(&["epd", &suite, "--nodes", "9", "--jsonl", &run, "--html", &there, "--force"]);
    assert_eq!(status(&output), 0, "{}", stderr(&output));
    assert!(folder.read("there.html").starts_with("<!"));
    for (flags, part) in [
        (vec!["--out", run.as_str()], "is also an input"),
        (vec!["--out", &there], "exists; --force replaces it"),
        (vec!["--out", &fresh, "--html", &fresh], "is also the file of --out"),
    ] {
        let output = ibex(&[&["epd", "merge", run.as_str()], &flags[..]].concat());
        assert!(status(&output) == 2 && stderr(&output).contains(part), "{flags:?}: {}", stderr(&output));
    }
    assert_eq!(before(), files + 1, "no piece is left behind");
}

/// The first Ctrl-C, SIGTERM or SIGHUP writes the work so far and says how to continue, the second ends the run; the
/// programs of the run end with it.
#[cfg(target_os = "linux")]
#[test]
fn an_interruption_keeps_what_is_done() {
    use std::os::unix::process::CommandExt as _;
    let folder = Scratch::new("interrupt");
    let suite = folder.write("small.epd", SUITE);
    let script = folder.write(
        "deep.sh",
        "echo $$ >\"$1\"\nwhile read -r line; do case \"$line\" in\n\
         uci) echo uciok;;\n\
         isready) echo readyok;;\n\
         go*) n=$((n+1)); [ $n -gt 2 ] || echo 'bestmove a1a8';;\n\
         quit) exit 0;;\n\
         esac; done\n",
    );
    let (pid, file, page) = (folder.path("pid"), folder.path("run.jsonl"), folder.path("page.html"));
    let engine = format!("deep=sh '{script}' '{pid}'");
    // Its third search never ends.
    let more = ["--no-ibex", "--engine", &engine, "--resume", &file, "--html", &page];
    let arguments = [&["epd", suite.as_str(), "--depth", "3"], &more[..]].concat();
    for (keyboard, signals, reports) in [
        (libc::SIG_DFL, &["-INT"][..], true),
        (libc::SIG_DFL, &["-INT", "-INT"], false),
        (libc::SIG_DFL, &["-TERM"], true),
        (libc::SIG_DFL, &["-HUP"], true),
        (libc::SIG_DFL, &["-TERM", "-TERM"], false),
        // In the background of a script: an ignored signal stays ignored, but no other does.
        (libc::SIG_IGN, &["-INT", "-INT", "-TERM"], true),
    ] {
        for old in [&file, &page] {
            let _ = std::fs::remove_file(old);
        }
        let mut command = Command::new(IBEX);
        command.args(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
        // SAFETY: `signal` may be called between fork and exec. A test in the background may have inherited that
        // signals are ignored.
        unsafe {
            command.pre_exec(move || {
                libc::signal(libc::SIGINT, keyboard);
                libc::signal(libc::SIGTERM, libc::SIG_DFL);
                libc::signal(libc::SIGHUP, libc::SIG_DFL);
                Ok(())
            })
        };
        let mut child = command.spawn().expect("the program runs");
        let lines = || std::fs::read(&file).map_or(0, |bytes| bytes.iter().filter(|&&byte| byte == b'\n').count());
        while lines() < 3 {
            assert!(child.try_wait().expect("a child").is_none(), "it ended before it wrote two results");
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        for signal in signals {
            let id = child.id().to_string();
            assert!(Command::new("kill").args([*signal, &id]).status().is_ok_and(|status| status.success()));
        }
        let output = child.wait_with_output().expect("a child");
        assert_eq!(status(&output), 130, "{}", stderr(&output));
        let said = stderr(&output);
        if reports {
            assert!(said.contains("interrupted: 2 of 4 results missing"), "{said}");
            assert!(said.contains("  deep, small: 2 of 4"), "{said}");
            assert!(said.contains(&format!("to continue: the same command, --resume {file}, with --force")), "{said}");
            assert!(stdout(&output).contains("small  deep"), "{}", stdout(&output));
            assert_eq!(folder.read("page.html").matches("<details").count(), 2);
        }
        let kept = folder.read("run.jsonl");
        assert_eq!(records(&kept).len(), 2, "{kept}{said}");
        let engine = folder.read("pid");
        assert!(ends(&engine), "the engine has ended");
    }
}

/// Whether the process of this number ends within seconds.
#[cfg(target_os = "linux")]
fn ends(process: &str) -> bool {
    let has_ended = || {
        let status = std::fs::read_to_string(format!("/proc/{}/stat", process.trim())).unwrap_or_default();
        status.is_empty() || status.contains(") Z")
    };
    (0..1000).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(10));
        has_ended()
    })
}

/// An interruption while the engines start ends those that have started, even one that hangs.
#[cfg(target_os = "linux")]
#[test]
fn an_interruption_reaches_engines_that_start() {
    use std::os::unix::process::CommandExt as _;
    let folder = Scratch::new("interrupt start");
    let suite = folder.write("small.epd", SUITE);
    let script = folder.write("deaf.sh", "echo $$ >\"$1\"\nexec sleep 600\n");
    let pid = folder.path("pid");
    let engine = format!("deaf=sh '{script}' '{pid}'");
    for command in [&["epd", "--no-ibex"][..], &["analyse"]] {
        let _ = std::fs::remove_file(&pid);
        let mut program = Command::new(IBEX);
        program.args(command).args([&suite, "--depth", "3", "--engine", &engine]);
        program.stdout(Stdio::piped()).stderr(Stdio::piped());
        // SAFETY: `signal` may be called between fork and exec. A test in the background may have inherited that
        // signals are ignored.
        unsafe {
            program.pre_exec(|| {
                libc::signal(libc::SIGINT, libc::SIG_DFL);
                Ok(())
            })
        };
        let mut child = program.spawn().expect("the program runs");
        let process = || std::fs::read_to_string(&pid).unwrap_or_default();
        while !process().ends_with('\n') {
            assert!(child.try_wait().expect("a child").is_none(), "it ended before its engine started");
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        let id = child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &id]).status().is_ok_and(|status| status.success()));
        let output = child.wait_with_output().expect("a child");
        let ended = ends(&process());
        let _ = Command::new("kill").args(["-KILL", process().trim()]).stderr(Stdio::null()).status();
        assert!(ended, "the engine has ended");
        assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
        assert!(stderr(&output).contains("interrupted before the first search"), "{}", stderr(&output));
    }
}

/// Kills a run with SIGKILL repeatedly, each time after some progress, until it completes.
fn killed_and_resumed(positions: usize, nodes: &str, step: usize) {
    let folder = Scratch::new(&format!("kill-{positions}"));
    let suite = folder.write("random.epd", random_suite(positions));
    let file = folder.path("run.jsonl");
    let arguments = ["epd", suite.as_str(), "--nodes", nodes, "--jobs", "2", "--resume", &file];
    let lines = || std::fs::read(&file).map_or(0, |bytes| bytes.iter().filter(|&&byte| byte == b'\n').count());
    let (mut kills, mut goal) = (0, step);
    loop {
        let child = Command::new(IBEX).args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let mut child = child.expect("the program runs");
        let status = loop {
            match child.try_wait().expect("a child") {
                Some(status) => break Some(status),
                None if lines() > goal => break None,
                None => std::thread::sleep(std::time::Duration::from_millis(1)),
            }
        };
        if let Some(status) = status {
            assert!(status.success(), "{status}");
            break;
        }
        child.kill().expect("killed");
        child.wait().expect("a child");
        kills += 1;
        goal = lines() + step;
    }
    assert!(kills >= 3, "only {kills} kills");
    let records = records(&folder.read("run.jsonl"));
    let mut found: Vec<u64> = records.iter().filter_map(|record| record["line"].as_u64()).collect();
    found.sort_unstable();
    let written = std::fs::read_to_string(&suite).expect("written above").lines().count() as u64;
    assert_eq!(found, (1..=written).collect::<Vec<_>>(), "every position once, after {kills} kills");
    println!("{written} positions, {kills} kills: none lost, none run twice");
    // The pieces together equal the results of an undisturbed run.
    let whole = folder.path("whole.jsonl");
    assert_eq!(status(&ibex(&["epd", &suite, "--nodes", nodes, "--jsonl", &whole])), 0);
    let timeless = |text: &str| {
        let mut rows: Vec<_> = text
            .lines()
            .skip(1)
            .map(|line| {
                let record: Value = serde_json::from_str(line).expect("a record");
                (record["line"].as_u64(), record["best"].clone(), record["nodes"].clone(), record["solved"].clone())
            })
            .collect();
        rows.sort_by_key(|row| row.0);
        rows
    };
    assert_eq!(timeless(&folder.read("run.jsonl")), timeless(&folder.read("whole.jsonl")));
}

#[test]
fn a_run_survives_kills() {
    killed_and_resumed(400, "300", 60);
}

/// `make soak` runs it: `cargo test --release --test epd -- --ignored --nocapture`
#[test]
#[ignore = "a minute or two"]
fn a_run_of_ten_thousand_survives_kills() {
    killed_and_resumed(10_500, "300", 700);
}

/// A full disk ends the run, and the message names the file. A file limit of 2 KiB simulates the full disk.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_error_names_the_results_file() {
    let folder = Scratch::new("no room");
    let suite = folder.write("many.epd", random_suite(40));
    for flag in ["--jsonl", "--resume"] {
        let file = folder.path(&format!("out{flag}.jsonl"));
        let output = Command::new("bash")
            .args(["-c", "trap '' XFSZ; ulimit -f 2; exec \"$@\"", "bash", IBEX, "epd", &suite])
            .args(["--nodes", "1", flag, &file])
            .output()
            .expect("the program runs");
        let said = format!("ibex-lab epd: {file}: File too large (os error 27)\n");
        assert_eq!((status(&output), stderr(&output)), (2, said));
    }
}
