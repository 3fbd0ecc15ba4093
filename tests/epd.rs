//! `ibex epd` from the outside: the real binary, real files, and programs that misbehave.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use ibex::position::Position;
use serde_json::Value;

/// A folder of its own for each test, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("epd-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("a folder for the test");
        Folder(path)
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) -> String {
        std::fs::write(self.0.join(name), text).expect("writable");
        self.path(name)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).expect("written by the program")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const IBEX: &str = env!("CARGO_BIN_EXE_ibex");

fn ibex(arguments: &[&str]) -> Output {
    Command::new(IBEX).args(arguments).output().expect("the program runs")
}

fn status(output: &Output) -> i32 {
    output.status.code().expect("no signal")
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Mates that any search finds, and a move to avoid.
const SUITE: &str = "\
7k/8/5KQ1/8/8/8/8/8 w - - bm Qg7#; dm 1; id \"T.1\";
6k1/5ppp/8/8/8/8/8/R3K3 w Q - bm Ra8#; id \"T.2\"; c0 \"Ra8#=10, Kd2=1\";
6k1/5ppp/8/8/8/8/8/R3K3 w Q - am Ra8; id \"T.3\";
1k6/8/1K6/8/8/8/8/7R w - - bm h1h8; dm 1; id \"T.4\";
";

fn records(jsonl: &str) -> Vec<Value> {
    jsonl.lines().skip(1).map(|line| serde_json::from_str(line).expect("a record")).collect()
}

#[test]
fn a_suite_is_run_and_counted() {
    let folder = Folder::new("run");
    let suite = folder.write("small.epd", SUITE);
    let output = ibex(&["epd", &suite, "--nodes", "2000", "--jsonl", &folder.path("out.jsonl")]);
    assert_eq!(status(&output), 0, "{}", stderr(&output));
    let records = records(&folder.read("out.jsonl"));
    let solved: Vec<bool> = records.iter().map(|r| r["solved"] == true).collect();
    assert_eq!(solved, [true, true, false, true]);
    assert_eq!(records[0]["mate"], "exact");
    assert_eq!(records[0]["score"]["mate"], 1);
    assert_eq!(records[1]["points"], serde_json::json!([10, 10]));
    assert!(records[0]["found"]["nodes"].as_u64().expect("a count") <= 2000);
    assert_eq!(records[3]["best_san"], "Rh8#");
    let table = stdout(&output);
    let row = table.lines().find(|line| line.starts_with("small")).expect("a row of the suite");
    assert_eq!(row.split_whitespace().collect::<Vec<_>>()[1..6], ["ibex", "3", "4", "75.0", "10/10"]);
    // Thresholds speak through the exit status.
    assert_eq!(status(&ibex(&["epd", &suite, "--nodes", "2000", "--fail-under", "75"])), 0);
    assert_eq!(status(&ibex(&["epd", &suite, "--nodes", "2000", "--fail-under", "75.1%"])), 1);
}

#[test]
fn what_cannot_be_done_is_said() {
    let folder = Folder::new("bad");
    let good = folder.write("good.epd", SUITE);
    let empty = folder.write("empty.epd", "# nothing\n");
    let idle = folder.write("idle.epd", "6k1/5ppp/8/8/8/8/8/R3K3 w Q - id \"no task\";\n");
    for (arguments, part) in [
        (vec!["epd", good.as_str()], "say how long to search"),
        (vec!["epd", &empty, "--depth", "2"], "no position to solve"),
        (vec!["epd", &idle, "--depth", "2"], "no position to solve"),
        (vec!["epd", "no/such.epd", "--depth", "2"], "no/such.epd: "),
        (vec!["epd", &good, "--depth", "2", "--engine", "/no/such/engine"], "cannot run '/no/such/engine'"),
        (vec!["epd", &good, "--depth", "2", "--engine", ""], "no command"),
        (vec!["epd", &good, "--depth", "2", "--option", "Hash=1"], "is for none of the engines"),
        (vec!["epd", &good, "--depth", "2", "--resume", &empty], "not the head of a run"),
        (vec!["epd", &good, "--depth", "2", "--resume", &good], "is an input too"),
        (vec!["epd", &good, "--depth", "2", "--jsonl", &empty], "exists"),
        (vec!["epd", "merge", &good], "not the head of a run"),
        (vec!["epd", "compare", &good, &good], "not the head of a run"),
        (vec!["epd", &good, "--depth", "0"], "invalid value"),
        (vec!["epd", &good, "--depth", "2", "--shard", "3/2"], "I/N"),
        (vec!["epd"], "FILE.epd"),
    ] {
        let output = ibex(&arguments);
        assert_eq!(status(&output), 2, "{arguments:?}: {}", stderr(&output));
        assert!(stderr(&output).contains(part), "{arguments:?}: {}", stderr(&output));
    }
}

/// `ibex epd epd/*.epd` meets files of counts, and a table may be asked for that no machine has.
#[test]
fn counts_are_skipped_and_the_table_has_its_real_size() {
    let folder = Folder::new("counts");
    let counts = folder.write("perft.epd", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1 ;D1 6 ;D2 30\n");
    let suite = folder.write("one.epd", SUITE.lines().next().expect("a line"));
    let output = ibex(&["epd", &counts, &suite, "--nodes", "1", "--hash", "99999999999999"]);
    assert_eq!(status(&output), 0, "{}", stderr(&output));
    let said = stderr(&output);
    let about = said.lines().filter(|line| line.contains("perft.epd")).collect::<Vec<_>>();
    assert!(matches!(about[..], [line] if line.ends_with("skipped")), "{said}");
    assert!(said.contains("--hash goes from 1 to 1048576: set to 1048576"), "{said}");
    let head = stdout(&output).lines().next().map(str::to_owned).expect("a head");
    let size = head.split(" MiB").next().and_then(|words| words.split(' ').next_back()).and_then(|n| n.parse().ok());
    assert!(size.is_some_and(|mib: u32| (1..=1 << 20).contains(&mib)), "{head}");
    assert!(head.starts_with("1 node a position, ") && head.ends_with(" MiB, 1 thread"), "{head}");
    let output = ibex(&["epd", &counts, "--nodes", "1"]);
    assert!(status(&output) == 2 && stderr(&output).contains("no position to solve"), "{}", stderr(&output));
}

#[test]
fn bad_lines_cost_only_themselves() {
    let folder = Folder::new("lines");
    let mut bytes = b"\xEF\xBB\xBF".to_vec();
    bytes.extend(SUITE.replace('\n', "\r\n").bytes());
    bytes.extend(b"6k1/5ppp/8/8/8/8/8/R3K3 w Q - bm Ra9; id \"T.5\";\r\nnonsense\r\n");
    bytes.extend(b"6k1/5ppp/8/8/8/8/8/R3K3 w Q - bm Ra8; id \"R\xE9ti\";\r\n");
    let suite = folder.write("mixed.epd", bytes);
    let output = ibex(&["epd", &suite, "--nodes", "2000", "--json", &folder.path("out.json")]);
    assert_eq!(status(&output), 0);
    let complaints = stderr(&output);
    for part in [":5: bm 'Ra9' is no move: left out", ":6: only 1 of the four fields", ": 1 line is not UTF-8"] {
        assert!(complaints.contains(part), "{part}: {complaints}");
    }
    assert!(stdout(&output).contains("2 bad lines were left out"), "{}", stdout(&output));
    let document: Value = serde_json::from_str(&folder.read("out.json")).expect("JSON");
    assert_eq!(document["records"].as_array().map(Vec::len), Some(5));
    assert_eq!(document["records"][4]["id"], "Réti");
    assert_eq!(document["totals"][0]["solved"], 4);
}

#[test]
fn a_run_that_was_killed_goes_on_where_it_was() {
    let folder = Folder::new("resume");
    let suite = folder.write("small.epd", SUITE);
    let file = folder.path("run.jsonl");
    let arguments = ["epd", suite.as_str(), "--nodes", "2000", "--resume", &file];
    assert_eq!(status(&ibex(&arguments)), 0);
    let whole = folder.read("run.jsonl");
    // As a kill leaves it: two records, and a piece of the third.
    let lines: Vec<&str> = whole.lines().collect();
    folder.write("run.jsonl", format!("{}\n{}", lines[..3].join("\n"), &lines[3][..40]));
    let output = ibex(&arguments);
    assert_eq!(status(&output), 0);
    assert!(stderr(&output).contains("2 results are there already, 2 to go"), "{}", stderr(&output));
    assert!(stderr(&output).contains("run.jsonl:4: cut off, and skipped"), "{}", stderr(&output));
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

/// A torn line, wherever it stands, costs its own position; of two results the last counts; and all is said.
#[test]
fn torn_lines_are_told_and_run_again() {
    let folder = Folder::new("torn");
    let suite = folder.write("small.epd", SUITE);
    let file = folder.path("run.jsonl");
    let arguments = ["epd", suite.as_str(), "--nodes", "2000", "--resume", &file];
    assert_eq!(status(&ibex(&arguments)), 0);
    let whole = folder.read("run.jsonl");
    let lines: Vec<&str> = whole.lines().collect();
    // Two records that went into each other, a stray line, a record twice, and a torn end.
    let spoiled = lines[1].replace("\"solved\":true", "\"solved\":false");
    let torn =
        format!("{}\n{spoiled}\n{}{}\n\0\n{}\n{}\n{{\"pl", lines[0], &lines[2][..30], lines[3], lines[4], lines[1]);
    let torn = folder.write("run.jsonl", torn);
    let said = |output: &Output| {
        let said = stderr(output);
        for part in [
            ":2: T.1 by ibex is in line 6 too: the last counts",
            ":3: torn, or no result, and skipped (",
            ":4: torn, or no result, and skipped (",
            ":7: cut off, and skipped",
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
    assert!(said(&output).contains("2 results are there already, 2 to go"));
    let mut found: Vec<_> = records(&folder.read("run.jsonl")).iter().map(|r| r["line"].as_u64()).collect();
    found.sort_unstable();
    assert_eq!(found, [Some(1), Some(2), Some(3), Some(4)], "the file is whole again");
    // Nothing is left to say, and a run that was killed before its first line begins.
    let again = ibex(&arguments);
    assert_eq!(stderr(&again).trim(), "4 results are there already, 0 to go");
    for beginning in ["", &lines[0][..20]] {
        folder.write("run.jsonl", beginning);
        assert_eq!(status(&ibex(&arguments)), 0);
        assert_eq!(records(&folder.read("run.jsonl")).len(), 4);
    }
    assert!(!Path::new(&format!("{file}.pid")).exists());
}

/// Only one run writes a file; the other one learns which process that is.
#[test]
fn two_runs_do_not_share_a_file() {
    let folder = Folder::new("lock");
    // A search that no mate ends.
    let suite = folder.write("small.epd", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - bm e4;\n");
    let file = folder.path("run.jsonl");
    let hour = ["epd", suite.as_str(), "--movetime", "1h", "--hash", "1", "--resume", &file];
    let mut first =
        Command::new(IBEX).args(hour).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program runs");
    while !std::fs::read(&file).is_ok_and(|bytes| bytes.ends_with(b"\n")) {
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

/// What would be lost, or cannot be written, is refused before the first search.
#[test]
fn outputs_are_tried_first() {
    let folder = Folder::new("outputs");
    let suite = folder.write("small.epd", SUITE);
    let there = folder.write("there.html", "old");
    let (fresh, nowhere) = (folder.path("fresh"), folder.path("no/such/folder"));
    let before = || std::fs::read_dir(&folder.0).expect("a folder").count();
    let files = before();
    for (flags, part) in [
        (vec!["--html", suite.as_str()], "--html ".to_owned() + &suite + ": is an input too"),
        (vec!["--epd-out", &suite, "--force"], "is an input too".to_owned()),
        (vec!["--html", &there], "there.html: exists; --force replaces it".to_owned()),
        (vec!["--json", &fresh, "--csv", &fresh], "--csv ".to_owned() + &fresh + ": is the file of --json too"),
        (vec!["--json", &fresh, "--resume", &fresh], "is the file of --json too".to_owned()),
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
        (vec!["--out", run.as_str()], "is an input too"),
        (vec!["--out", &there], "exists; --force replaces it"),
        (vec!["--out", &fresh, "--html", &fresh], "is the file of --out too"),
    ] {
        let output = ibex(&[&["epd", "merge", run.as_str()], &flags[..]].concat());
        assert!(status(&output) == 2 && stderr(&output).contains(part), "{flags:?}: {}", stderr(&output));
    }
    assert_eq!(before(), files + 1, "no piece is left behind");
}

/// The first Ctrl-C writes what is done and says how to go on; programs behind the run end with it.
#[cfg(target_os = "linux")]
#[test]
fn an_interruption_keeps_what_is_done() {
    use std::os::unix::process::CommandExt as _;
    let folder = Folder::new("interrupt");
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
    for (signals, reports) in [(1, true), (2, false)] {
        for old in [&file, &page] {
            let _ = std::fs::remove_file(old);
        }
        let mut command = Command::new(IBEX);
        command.args(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
        // SAFETY: `signal` may be called between fork and exec. A test in the background may have inherited that
        // interruptions are ignored.
        unsafe {
            command.pre_exec(|| {
                libc::signal(libc::SIGINT, libc::SIG_DFL);
                Ok(())
            })
        };
        let child = command.spawn().expect("the program runs");
        let lines = || std::fs::read(&file).map_or(0, |bytes| bytes.iter().filter(|&&byte| byte == b'\n').count());
        while lines() < 3 {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        for _ in 0..signals {
            let id = child.id().to_string();
            assert!(Command::new("kill").args(["-INT", &id]).status().is_ok_and(|status| status.success()));
        }
        let output = child.wait_with_output().expect("a child");
        assert_eq!(status(&output), 130, "{}", stderr(&output));
        let said = stderr(&output);
        if reports {
            assert!(said.contains("interrupted: 2 of 4 results missing"), "{said}");
            assert!(said.contains("  deep, small: 2 of 4"), "{said}");
            assert!(said.contains(&format!("go on: the same command, --resume {file}, with --force")), "{said}");
            assert!(stdout(&output).contains("small  deep"), "{}", stdout(&output));
            assert_eq!(folder.read("page.html").matches("<details").count(), 2);
        }
        let kept = folder.read("run.jsonl");
        assert_eq!(records(&kept).len(), 2, "{kept}{said}");
        let engine = folder.read("pid");
        let running = || {
            let status = std::fs::read_to_string(format!("/proc/{}/stat", engine.trim())).unwrap_or_default();
            !status.is_empty() && !status.contains(") Z")
        };
        for _ in 0..1000 {
            if !running() {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        assert!(!running(), "the engine has ended");
    }
}

/// Positions of random games, each with a move to find: it need not be a good one.
fn random_suite(positions: usize) -> String {
    let mut random = 0x2545_F491_4F6C_DD1D_u64;
    let mut below = |n: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random % n as u64) as usize
    };
    let mut text = String::new();
    let mut position = Position::startpos();
    for id in 0..positions {
        let moves = position.legal_moves();
        if moves.len() < 2 || below(80) == 0 {
            position = Position::startpos();
            continue;
        }
        let (goal, step) = (moves[below(moves.len())], moves[below(moves.len())]);
        let goal = goal.to_uci(shakmaty::CastlingMode::Standard);
        text.push_str(&format!("{} bm {goal}; id \"R.{id}\";\n", position.fen()));
        position.play(step);
    }
    text
}

/// Kills a run with SIGKILL again and again, as soon as it has made some progress, until it completes.
fn killed_and_resumed(positions: usize, nodes: &str, step: usize) {
    let folder = Folder::new(&format!("kill-{positions}"));
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
    // What was pieced together is what one undisturbed run finds.
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

/// `cargo test --release --test epd -- --ignored --nocapture`
#[test]
#[ignore = "a minute or two"]
fn a_run_of_ten_thousand_survives_kills() {
    killed_and_resumed(10_500, "300", 700);
}

/// Every search starts afresh, so that who searches what, and what was searched before, changes no result.
#[test]
fn jobs_and_order_change_no_result() {
    let folder = Folder::new("jobs");
    let text = random_suite(150);
    let suite = folder.write("a.epd", &text);
    let backwards: Vec<&str> = text.lines().rev().collect();
    folder.write("b.epd", backwards.join("\n"));
    let run = |file: &str, jobs: &str| {
        let path = folder.path(&format!("{jobs}.jsonl"));
        let _ = std::fs::remove_file(&path);
        let output = ibex(&["epd", file, "--nodes", "3000", "--hash", "1", "--jobs", jobs, "--jsonl", &path]);
        assert_eq!(status(&output), 0, "{}", stderr(&output));
        let records = records(&std::fs::read_to_string(&path).expect("written by the program"));
        let mut rows: Vec<String> = records
            .iter()
            .map(|r| format!("{} {} {} {} {}", r["id"], r["best"], r["nodes"], r["score"], r["solved"]))
            .collect();
        rows.sort();
        rows
    };
    let one = run(&suite, "1");
    assert!(one.len() > 100);
    assert_eq!(one, run(&suite, "2"));
    assert_eq!(one, run(&folder.path("b.epd"), "1"));
}

#[test]
fn shards_merge_to_the_whole_and_jobs_change_nothing() {
    let folder = Folder::new("shards");
    let suite = folder.write("small.epd", SUITE);
    let run = |name: &str, more: &[&str]| {
        let path = folder.path(name);
        let mut arguments = vec!["epd", suite.as_str(), "--nodes", "2000", "--jsonl", &path];
        arguments.extend(more);
        let output = ibex(&arguments);
        assert_eq!(status(&output), 0, "{}", stderr(&output));
        path
    };
    let whole = run("whole.jsonl", &["--jobs", "2"]);
    let (one, two) = (run("1.jsonl", &["--shard", "1/2"]), run("2.jsonl", &["--shard", "2/2"]));
    let merged = folder.path("merged.jsonl");
    let output = ibex(&["epd", "merge", &two, &one, "--out", &merged, "--html", &folder.path("page.html")]);
    assert_eq!(status(&output), 0, "{}", stderr(&output));
    let same = ibex(&["epd", "compare", &whole, &merged, "--strict"]);
    assert_eq!(status(&same), 0, "{}", stdout(&same));
    let said = stdout(&same);
    assert!(said.contains("won: 0") && said.contains("lost: 0") && said.contains("A 3, B 3 of 4"), "{said}");
    let half = ibex(&["epd", "merge", &one]);
    assert_eq!(status(&half), 1);
    assert!(stderr(&half).contains("2 of 4 results are missing"), "{}", stderr(&half));
    let twice = ibex(&["epd", "merge", &one, &one]);
    assert_eq!(status(&twice), 2);
    let page = folder.read("page.html");
    assert_eq!(page.matches("<details").count(), 4);
    assert!(!page.contains("<script") && !page.contains("http"), "the page needs nothing else");
}

#[test]
fn comparing_shows_what_was_lost() {
    let folder = Folder::new("compare");
    let suite = folder.write("small.epd", SUITE);
    let (good, bad) = (folder.path("good.jsonl"), folder.path("bad.jsonl"));
    assert_eq!(status(&ibex(&["epd", &suite, "--nodes", "2000", "--jsonl", &good])), 0);
    let text = folder.read("good.jsonl");
    let spoiled: Vec<String> = text
        .lines()
        .enumerate()
        .map(|(i, line)| if i == 1 { line.replace("\"solved\":true", "\"solved\":false") } else { line.to_owned() })
        .collect();
    folder.write("bad.jsonl", spoiled.join("\n") + "\n");
    let output = ibex(&["epd", "compare", &good, &bad]);
    assert_eq!(status(&output), 0, "one position is no proof");
    assert!(stdout(&output).contains("lost: 1") && stdout(&output).contains("p = 1.0000"), "{}", stdout(&output));
    assert_eq!(status(&ibex(&["epd", "compare", &good, &bad, "--strict"])), 1);
    assert_eq!(status(&ibex(&["epd", "compare", &bad, &good, "--strict"])), 0);
}

#[test]
fn annotated_suites_can_be_read_and_run_again() {
    let folder = Folder::new("annotated");
    let suite = folder.write("small.epd", SUITE);
    let out = folder.path("out.epd");
    assert_eq!(status(&ibex(&["epd", &suite, "--nodes", "2000", "--epd-out", &out])), 0);
    let text = folder.read("out.epd");
    let first = text.lines().next().expect("a line");
    assert!(first.contains("bm Qg7#; dm 1; id \"T.1\";"), "{first}");
    assert!(first.contains(" ce 32766; pm Qg7#; pv Qg7#;"), "{first}");
    let again = ibex(&["epd", &out, "--nodes", "2000"]);
    assert_eq!(status(&again), 0);
    assert!(!stderr(&again).contains("left out"), "{}", stderr(&again));
}

/// Of a collection of mates whose every line has operations that nobody knows, every line is run, and nothing is lost.
#[test]
fn odd_operations_cost_no_line() {
    let folder = Folder::new("odd");
    let text: String = SUITE.lines().map(|line| format!("{line} PV: d8h4; ce +M1; ep; x-tag \"1\";\0\r\n")).collect();
    let suite = folder.write("odd.epd", text.replace("bm Qg7#", "bm Qg7 #").replace("T.2", "a \\\"b\\\" c"));
    let out = folder.path("out.epd");
    let output = ibex(&["epd", &suite, "--nodes", "2e3", "--epd-out", &out, "--json", &folder.path("out.json")]);
    assert_eq!(status(&output), 0, "{}", stderr(&output));
    let said = stderr(&output);
    for part in [
        "odd.epd: 4 operations 'PV:' not understood (no opcode), kept as they stand (first in line 1: PV: d8h4)",
        "odd.epd: 4 operations 'ce' not understood (needs one number), kept as they stand (first in line 1: ce +M1)",
        "odd.epd: zero bytes at the end of lines (4), read as blanks",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert_eq!(said.lines().count(), 4, "each kind once: {said}");
    let document: Value = serde_json::from_str(&folder.read("out.json")).expect("JSON");
    assert_eq!(document["totals"][0]["positions"], 4);
    assert_eq!(document["records"][1]["id"], "a \"b\" c");
    let written = folder.read("out.epd");
    for line in written.lines() {
        assert!(line.contains("kept \"PV: d8h4\"; kept2 \"ce +M1\"; ep; x-tag \"1\"; acd "), "{line}");
    }
    assert!(written.contains("id \"a \\\"b\\\" c\";"), "{written}");
    // What was put aside is understood now: only the opcode that none is stays.
    let again = ibex(&["epd", &out, "--nodes", "2k"]);
    assert_eq!(stderr(&again).lines().count(), 1, "{}", stderr(&again));
}

#[test]
fn suites_come_from_anywhere() {
    use std::io::Write;
    let folder = Folder::new("anywhere");
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(SUITE.as_bytes()).expect("memory");
    let packed = packed.finish().expect("memory");
    folder.write("a.epd.gz", &packed);
    folder.write("b.epd", SUITE.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>());
    folder.write("c.epd", SUITE.replace('\n', "\r"));
    let arguments = |what: &str| -> Vec<String> {
        ["epd", what, "--nodes", "1e3", "--movetime", "2.5s"].iter().map(|&word| word.to_owned()).collect()
    };
    let output = Command::new(IBEX).args(arguments(&folder.path("*.ep*"))).output().expect("the program runs");
    let rows: Vec<(String, String)> = stdout(&output)
        .lines()
        .filter(|line| line.contains(" ibex "))
        .map(|line| line.split_whitespace().collect::<Vec<_>>())
        .map(|words| (words[0].to_owned(), words[3].to_owned()))
        .collect();
    let expected = ["a", "b", "c"].map(|name| (name.to_owned(), "4".to_owned()));
    assert_eq!(rows[..3], expected, "{}{}", stdout(&output), stderr(&output));
    for (command, input, told) in [
        (arguments("-"), SUITE.as_bytes(), "stdin  ibex"),
        (arguments("-"), &packed, "stdin  ibex"),
        (vec!["prove".to_owned(), "-".to_owned()], SUITE.as_bytes(), "standard input: 2 mates proved"),
        (
            vec!["perft".to_owned(), "-".to_owned()],
            b"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ;D1 20\r",
            "standard input: 1 position, 1 count",
        ),
    ] {
        let child = Command::new(IBEX).args(&command).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = child.expect("the program runs");
        child.stdin.take().expect("piped").write_all(input).expect("read by the program");
        let output = child.wait_with_output().expect("the program ends");
        assert!(status(&output) == 0 && stdout(&output).contains(told), "{command:?}: {}", stdout(&output));
    }
    let cut = folder.write("cut.epd.gz", &packed[..packed.len() / 2]);
    let nothing = folder.path("*.pgn");
    for (what, part) in [(cut.as_str(), "cut.epd.gz: the gzip data are cut off"), (&nothing, "no file matches")] {
        for command in [vec!["epd", what, "--nodes", "1"], vec!["prove", what], vec!["perft", what]] {
            let output = ibex(&command);
            assert_eq!(status(&output), 2, "{command:?}");
            assert!(stderr(&output).contains(part), "{command:?}: {}", stderr(&output));
        }
    }
    let output = ibex(&[
        "perft",
        &folder.write("d.epd", "8/8/8/8/8/k7/8/K7 w - - D1 3; D2 many;\n8/8/8/8/8/k7/8/K7 w - - D1 1;\n"),
    ]);
    assert_eq!(status(&output), 1, "a count that cannot be read is none that was checked");
    assert!(stderr(&output).contains("d.epd:1: a count (D1, D2, ...) that cannot be read"), "{}", stderr(&output));
}

#[test]
fn the_program_behind_uci_is_the_same_player() {
    let folder = Folder::new("uci");
    let suite = folder.write("small.epd", SUITE);
    let file = folder.path("out.jsonl");
    let engine = format!("self='{IBEX}'");
    let output =
        ibex(&["epd", &suite, "--nodes", "3000", "--engine", &engine, "--option", "self:MultiPV=1", "--jsonl", &file]);
    assert_eq!(status(&output), 0, "{}", stderr(&output));
    let mut records = records(&folder.read("out.jsonl"));
    let theirs = records.split_off(4);
    for (own, theirs) in records.iter().zip(&theirs) {
        assert_eq!((&own["player"], &theirs["player"]), (&Value::from("ibex"), &Value::from("self")));
        for field in ["best", "solved", "score", "nodes", "points"] {
            assert_eq!(own[field], theirs[field], "{field} of {}", own["id"]);
        }
    }
}

/// A program that answers `go nodes` at once, and otherwise counts until it is stopped.
#[cfg(unix)]
#[test]
fn engines_may_not_know_nodes() {
    let folder = Folder::new("nodes");
    // The two positions in which the program's only move is legal.
    let text: Vec<&str> = SUITE.lines().filter(|line| line.contains("R3K3")).collect();
    let suite = folder.write("small.epd", text.join("\n"));
    let script = folder.write(
        "deaf.sh",
        "while read -r line; do case \"$line\" in\n\
         uci) echo uciok;;\n\
         isready) echo readyok;;\n\
         'go infinite') n=0; while ! read -r -t 0.01 stop; do n=$((n+1000)); echo \"info depth 3 nodes $n score cp 1 pv a1a8\"; \
         done; echo 'bestmove a1a8';;\n\
         go*) echo 'info depth 1 nodes 20 score cp 1 pv a1a8'; echo 'bestmove a1a8';;\n\
         quit) exit 0;;\n\
         esac; done\n",
    );
    let engine = format!("deaf=bash '{script}'");
    let run = |more: &[&str]| {
        let file = folder.path("nodes.jsonl");
        let _ = std::fs::remove_file(&file);
        let arguments =
            [&["epd", suite.as_str(), "--nodes", "8000", "--no-ibex", "--engine", &engine, "--jsonl", &file], more]
                .concat();
        let output = ibex(&arguments);
        assert_eq!(status(&output), 0, "{}", stderr(&output));
        let nodes: Vec<u64> = records(&folder.read("nodes.jsonl")).iter().filter_map(|r| r["nodes"].as_u64()).collect();
        (nodes, stderr(&output))
    };
    let (nodes, said) = run(&[]);
    assert_eq!(nodes, [20; 2]);
    assert!(said.contains("deaf seems not to obey 'go nodes'"), "{said}");
    let (nodes, said) = run(&["--stop-at-nodes", "deaf"]);
    assert!(nodes.iter().all(|&n| (4000..=40_000).contains(&n)), "{nodes:?}");
    assert!(!said.contains("obey"), "{said}");
    let unknown = ["epd", suite.as_str(), "--nodes", "9", "--engine", &engine, "--stop-at-nodes", "x"];
    assert!(stderr(&ibex(&unknown)).contains("--stop-at-nodes 'x' is none of the engines"));
}

/// Where a mate is asked for, the program is told to analyse; not where it does not know how, or where the user chose.
#[cfg(unix)]
#[test]
fn mates_are_for_analysis() {
    let folder = Folder::new("analysis");
    let [mate, moves] = ["7k/8/5KQ1/8/8/8/8/8 w - - dm 1;\n", "7k/8/5KQ1/8/8/8/8/8 w - - bm Qg7#;\n"];
    let suite = folder.write("a.epd", [moves, mate, mate, moves].concat());
    let log = folder.path("log");
    let script = |offer: &str| {
        let text = format!(
            "while read -r line; do case \"$line\" in\n\
             uci) {offer} echo uciok;;\n\
             isready) echo readyok;;\n\
             setoption*|go*) echo \"$line\" >>'{log}'; case \"$line\" in go*) echo 'bestmove g6g7';; esac;;\n\
             quit) exit 0;;\n\
             esac; done\n"
        );
        format!("x=sh '{}'", folder.write("x.sh", text))
    };
    let offer = "echo 'option name UCI_AnalyseMode type check default false';";
    let told = |offer: &str, more: &[&str]| {
        let _ = std::fs::remove_file(&log);
        let engine = script(offer);
        let output = ibex(&[&["epd", suite.as_str(), "--depth", "1", "--no-ibex", "--engine", &engine], more].concat());
        assert_eq!(status(&output), 0, "{}", stderr(&output));
        folder
            .read("log")
            .lines()
            .map(|line| line.replace("setoption name UCI_AnalyseMode value ", ""))
            .collect::<Vec<_>>()
    };
    let go = "go depth 1";
    assert_eq!(told(offer, &[]), [go, "true", go, go, "false", go]);
    assert_eq!(told("", &[]), [go; 4]);
    // Set at each start and never again.
    let chosen = told(offer, &["--option", "x:UCI_AnalyseMode=true"]);
    assert_eq!(chosen.iter().filter(|line| *line != "true").collect::<Vec<_>>(), [go; 4]);
}

/// What a program does not offer is an error before the run.
#[test]
fn options_are_checked_before_the_run() {
    let folder = Folder::new("options");
    let suite = folder.write("small.epd", SUITE);
    let engine = format!("sf='{IBEX}'");
    for (option, part) in [
        ("sf:Thraeds=1", "--engine sf: '"),
        ("sf:Thraeds=1", "it has no option 'Thraeds'; did you mean 'Threads'?"),
        ("sf:Quux=1", "it has no option 'Quux'\n"),
        ("sf:Threads=0", "option 'Threads' takes a whole number from 1 to "),
        ("sf:Threads=many", "not 'many'"),
        ("sf:UCI_Chess960=yes", "option 'UCI_Chess960' takes true or false, not 'yes'"),
    ] {
        let output = ibex(&["epd", &suite, "--movetime", "1h", "--no-ibex", "--engine", &engine, "--option", option]);
        assert!(status(&output) == 2 && stderr(&output).contains(part), "{option}: {}", stderr(&output));
        assert_eq!(stderr(&output).lines().count(), 1, "{}", stderr(&output));
    }
}

/// Comments and empty lines of a suite stay where they are.
#[test]
fn annotated_suites_keep_their_comments() {
    let folder = Folder::new("comments");
    let lines: Vec<&str> = SUITE.lines().collect();
    let text = format!("# first\n\n{}\n{}\n\n  # second\nnonsense\n{}\n# last\n\n", lines[0], lines[1], lines[2]);
    let suite = folder.write("a.epd", text);
    let out = folder.path("out.epd");
    assert_eq!(status(&ibex(&["epd", &suite, "--nodes", "9", "--epd-out", &out])), 0);
    let written = folder.read("out.epd");
    let short: Vec<&str> = written.lines().map(|line| line.split(" w ").next().unwrap_or_default()).collect();
    let position = |line: &str| line.split(" w ").next().unwrap_or_default().to_owned();
    let [a, b, c] = [position(lines[0]), position(lines[1]), position(lines[2])];
    assert_eq!(short, ["# first", "", &a, &b, "", "  # second", &c, "# last", ""]);
}

#[test]
fn mate_scores_are_told_apart_from_solutions() {
    let folder = Folder::new("words");
    // Solved by its move; the score of one node knows no mate in so many.
    let suite = folder.write("a.epd", "7k/8/5KQ1/8/8/8/8/8 w - - bm Qg7#; dm 30;\n");
    let said = stdout(&ibex(&["epd", &suite, "--nodes", "2000"]));
    assert!(said.contains("mate scores: 1 shorter"), "{said}");
    assert!(said.contains("mate scores compare the last score with the proved mate (dm)"), "{said}");
    let plain = folder.write("b.epd", "7k/8/5KQ1/8/8/8/8/8 w - - bm Qg7#;\n");
    assert!(!stdout(&ibex(&["epd", &plain, "--nodes", "9"])).contains("mate scores"));
}

/// Engines that crash, hang, answer nonsense and talk too much, as shell scripts.
#[cfg(unix)]
#[test]
fn engines_may_misbehave() {
    let folder = Folder::new("misbehave");
    let suite = folder.write("small.epd", SUITE);
    let script = |name: &str, on_go: &str| {
        let text = format!(
            "while read -r line; do case \"$line\" in\n\
             uci) echo 'id name {name}'; echo 'option name Hash type spin default 1 min 1 max 4'; echo uciok;;\n\
             isready) echo readyok;;\n\
             go*) {on_go};;\n\
             quit) exit 0;;\n\
             esac; done\n"
        );
        format!("{name}=sh '{}'", folder.write(&format!("{name}.sh"), text))
    };
    let engines = [
        script("crash", "exit 3"),
        script("illegal", "echo 'bestmove a1a1'"),
        script("nothing", "echo 'bestmove (none)'"),
        script("hang", ":"),
        script("slow", "sleep 2; echo 'bestmove a1a2'"),
        script(
            "flood",
            "i=0; while [ $i -lt 500 ]; do echo 'info string noise'; echo \"info depth $i score cp 1 pv zzzz\"; i=$((i+1)); done; printf 'bestmove a1a8 ponder \\377\\n'",
        ),
        // One search of all writes a line that never ends.
        script(
            "endless",
            &format!(
                "if mkdir '{}' 2>/dev/null; then yes | tr -d '\\n'; else echo 'bestmove a1a8'; fi",
                folder.path("once")
            ),
        ),
    ];
    let file = folder.path("out.jsonl");
    let mut arguments = vec!["epd", suite.as_str(), "--depth", "1", "--timeout", "1", "--no-ibex", "--jsonl", &file];
    arguments.extend(["--jobs", "4"]);
    for engine in &engines {
        arguments.extend(["--engine", engine]);
    }
    let output = ibex(&arguments);
    assert_eq!(status(&output), 0, "{}", stderr(&output));
    let records = records(&folder.read("out.jsonl"));
    let of = |player: &str| -> Vec<(String, String, bool)> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let mut own: Vec<&Value> = records.iter().filter(|r| r["player"] == player).collect();
        own.sort_by_key(|r| r["line"].as_u64());
        own.iter().map(|r| (text(&r["status"]), text(&r["trouble"]), r["solved"] == true)).collect()
    };
    for (player, status, trouble) in [
        ("crash", "died", "exit status: 3"),
        ("illegal", "illegal", "'bestmove a1a1' is not legal"),
        ("nothing", "illegal", "'bestmove (none)' is not legal"),
        ("hang", "timeout", "no 'bestmove' after 'stop'"),
        ("slow", "timeout", "stopped after"),
    ] {
        let own = of(player);
        assert_eq!(own.len(), 4, "{player}");
        for (told, why, solved) in own {
            assert!(told == status && why.contains(trouble) && !solved, "{player}: {told}: {why}");
        }
    }
    let endless = of("endless");
    let lost: Vec<_> = endless.iter().filter(|(status, ..)| status == "died").collect();
    assert!(matches!(lost[..], [(_, why, _)] if why.contains("more than 16 MiB at once")), "{endless:?}");
    assert_eq!(endless.len(), 4);
    assert_eq!(of("flood").iter().map(|r| r.2).collect::<Vec<_>>(), [false, true, false, false]);
}
