//! `ibex-lab epd` from the outside: the real binary, real files, and programs that misbehave.

mod engines;
#[cfg(target_os = "linux")]
#[path = "../../../tests/common/memory.rs"]
mod memory;
mod pages;
mod runs;
#[path = "../../../tests/common/scratch.rs"]
mod scratch;

use std::process::{Command, Output, Stdio};

use ibex::engine::LARGEST_HASH;
use ibex::position::Position;
use scratch::Scratch;
use serde_json::Value;

const IBEX: &str = env!("CARGO_BIN_EXE_ibex-lab");

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

/// Positions of random games, each with a move to find, not necessarily a good one.
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

/// A match of a pattern is a file, even if its name is that of standard input.
#[test]
fn a_file_named_like_standard_input_is_a_file() {
    let folder = Scratch::new("dash");
    folder.write("-", "6k1/5ppp/8/8/8/8/8/K2R4 w - - bm Rd8#; id \"\u{1b}[31mred\";\n");
    let mut command = Command::new(IBEX);
    command.args(["epd", "*", "--depth", "1"]).current_dir(&folder.0).stdin(Stdio::null());
    let output = command.output().expect("the program runs");
    assert_eq!(status(&output), 0, "{}", stderr(&output));
    // Nothing in it can control the terminal.
    assert!(stderr(&output).contains("U+001B"), "{}", stderr(&output));
    assert!(!output.stdout.contains(&0x1B) && !output.stderr.contains(&0x1B), "{}", stdout(&output));
}

#[test]
fn a_suite_is_run_and_counted() {
    let folder = Scratch::new("run");
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
    // Thresholds determine the exit status.
    assert_eq!(status(&ibex(&["epd", &suite, "--nodes", "2000", "--fail-under", "75"])), 0);
    assert_eq!(status(&ibex(&["epd", &suite, "--nodes", "2000", "--fail-under", "75.1%"])), 1);
}

#[test]
fn impossible_requests_are_reported() {
    let folder = Scratch::new("bad");
    let good = folder.write("good.epd", SUITE);
    let empty = folder.write("empty.epd", "# nothing\n");
    let head = r#"{"ibex_epd":1,"players":[],"budget":{"nodes":9},"hash":1,"threads":1,"suites":[]}"#;
    let document = folder.write("out.json", format!("{{\n  \"head\": {head},\n  \"records\": []\n}}\n"));
    let idle = folder.write("idle.epd", "6k1/5ppp/8/8/8/8/8/R3K3 w Q - id \"no task\";\n");
    let sizes = format!("from 1 to {LARGEST_HASH}");
    for (arguments, part) in [
        (vec!["epd", good.as_str()], "say how long to search"),
        (vec!["epd", &empty, "--depth", "2"], "no position to solve"),
        (vec!["epd", &idle, "--depth", "2"], "no position to solve"),
        (vec!["epd", "no/such.epd", "--depth", "2"], "no/such.epd: "),
        (vec!["epd", &good, "--depth", "2", "--engine", "/no/such/engine"], "cannot run '/no/such/engine'"),
        (vec!["epd", &good, "--depth", "2", "--engine", ""], "no command"),
        (vec!["epd", &good, "--depth", "2", "--option", "Hash=1"], "is not for any of the engines"),
        (vec!["epd", &good, "--depth", "2", "--resume", &empty], "not the head of a run"),
        (vec!["epd", &good, "--depth", "2", "--resume", &good], "is also an input"),
        (vec!["epd", &good, "--depth", "2", "--jsonl", &empty], "exists"),
        (vec!["epd", "-", "--depth", "2"], "standard input: no position to solve"),
        (vec!["epd", &good, "--depth", "2", "--html", "-"], "--html -: not a file name"),
        (vec!["epd", &good, "--depth", "2", "--jsonl", "-"], "--jsonl -: not a file name"),
        (vec!["epd", &good, "--depth", "2", "--resume", "-"], "--resume -: not a file name"),
        (vec!["epd", "merge", "-"], "-: results need a file name"),
        (vec!["epd", "compare", "-", &good], "-: results need a file name"),
        (vec!["epd", "merge", &good], "not the head of a run"),
        (vec!["epd", "compare", &good, &good], "not the head of a run"),
        (vec!["epd", "merge", &document], "this is the document of --json; give the file of --jsonl or --resume"),
        (vec!["epd", &good, "--depth", "2", "--resume", &document], "this is the document of --json"),
        (
            vec!["epd", &good, "--movetime", "9", "--engine", "x", "--stop-at-nodes", "x"],
            "--stop-at-nodes goes with --nodes",
        ),
        (vec!["epd", &good, "--depth", "0"], "invalid value"),
        (vec!["epd", &good, "--depth", "2", "--shard", "3/2"], "I/N"),
        (vec!["epd", &good, "--depth", "2", "--hash", "0"], sizes.as_str()),
        (vec!["epd", &good, "--depth", "2", "--hash", "99999999999999"], sizes.as_str()),
        (vec!["epd", &good, "--depth", "2", "--threads", "513"], "1..=512"),
        (vec!["epd", &good, "--nodes", "1", "--threads", "513"], "1..=512"),
        (vec!["analyse", &good, "--depth", "2", "--threads", "513"], "1..=512"),
        (vec!["epd", "compare", &good, &good, "--significance=nan"], "a probability"),
        (vec!["epd", "compare", &good, &good, "--significance=0"], "a probability"),
        (vec!["epd", "compare", &good, &good, "--significance=2"], "a probability"),
        (vec!["epd", &good, "--depth", "2", "--force"], "--force: the command writes no file"),
        (vec!["epd", "merge", &good, "--force"], "--force: the command writes no file"),
        (vec!["epd", "compare", &good, &good, "--force"], "--force goes with --html"),
        (vec!["probe", "--force"], "--force goes with --html"),
        (vec!["experiments", "grain", "--force"], "ibex-lab experiments: --force is for the file of --csv"),
        (vec!["experiments", "grain", "--nodes", "5"], "only recognizers has a node limit"),
        (
            vec!["experiments", "recognizers", "--depth", "5"],
            "ibex-lab experiments: recognizers searches until the solution",
        ),
        (
            vec!["experiments", "recognizers", "--exhaustive"],
            "ibex-lab experiments: recognizers uses only the search of play",
        ),
        (vec!["epd"], "FILE.epd"),
    ] {
        let output = ibex(&arguments);
        assert_eq!(status(&output), 2, "{arguments:?}: {}", stderr(&output));
        assert!(stderr(&output).contains(part), "{arguments:?}: {}", stderr(&output));
    }
}

/// `ibex-lab epd epd/*.epd` includes files of perft counts.
#[test]
fn files_of_perft_counts_are_skipped() {
    let folder = Scratch::new("counts");
    let counts = folder.write("perft.epd", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1 ;D1 6 ;D2 30\n");
    let suite = folder.write("one.epd", SUITE.lines().next().expect("a line"));
    let output = ibex(&["epd", &counts, &suite, "--nodes", "1"]);
    assert_eq!(status(&output), 0, "{}", stderr(&output));
    let said = stderr(&output);
    let about = said.lines().filter(|line| line.contains("perft.epd")).collect::<Vec<_>>();
    assert!(matches!(about[..], [line] if line.ends_with("skipped")), "{said}");
    let output = ibex(&["epd", &counts, "--nodes", "1"]);
    assert!(status(&output) == 2 && stderr(&output).contains("no position to solve"), "{}", stderr(&output));
}

/// The table may be larger than any machine's memory. Here the program gets little memory: a whole machine's would be
/// filled with zeros, and not every machine survives that.
#[cfg(target_os = "linux")]
#[test]
fn the_reported_table_size_is_the_real_one() {
    let folder = Scratch::new("size");
    let suite = folder.write("one.epd", SUITE.lines().next().expect("a line"));
    let mut command = Command::new(IBEX);
    command.args(["epd", &suite, "--nodes", "1", "--hash", &LARGEST_HASH.to_string()]);
    memory::with_memory(&mut command, 1024);
    let output = command.output().expect("the program runs");
    let said = stderr(&output);
    assert_eq!(status(&output), 0, "{said}");
    let head = stdout(&output).lines().next().map(str::to_owned).expect("a head");
    let size = head.split(" MiB").next().and_then(|words| words.split(' ').next_back()).and_then(|n| n.parse().ok());
    assert!(size.is_some_and(|mib: u32| (1..=1 << 10).contains(&mib)), "{head}");
    assert!(head.starts_with("1 node a position, ") && head.ends_with(" MiB, 1 thread"), "{head}");

    for experiment in [&["grain", "--depth", "1"][..], &["recognizers", "--nodes", "1"]] {
        let mut command = Command::new(IBEX);
        command.arg("experiments").args(experiment).args(["--epd", &suite, "--hash", &(LARGEST_HASH / 16).to_string()]);
        memory::with_memory(&mut command, 1024);
        let output = command.output().expect("the program runs");
        assert_eq!(status(&output), 0, "{}", stderr(&output));
        let title = stdout(&output).lines().next().map(str::to_owned).expect("a title");
        let size = title.strip_suffix(" MiB").and_then(|words| words.rsplit(' ').next()).and_then(|n| n.parse().ok());
        assert!(size.is_some_and(|mib: u32| (1..=1 << 10).contains(&mib)), "{title}");
    }
}

#[test]
fn bad_lines_cost_only_themselves() {
    let folder = Scratch::new("lines");
    let mut bytes = b"\xEF\xBB\xBF".to_vec();
    bytes.extend(SUITE.replace('\n', "\r\n").bytes());
    bytes.extend(b"6k1/5ppp/8/8/8/8/8/R3K3 w Q - bm Ra9; id \"T.5\";\r\nnonsense\r\n");
    bytes.extend(b"6k1/5ppp/8/8/8/8/8/R3K3 w Q - bm Ra8; id \"R\xE9ti\";\r\n");
    let suite = folder.write("mixed.epd", bytes);
    let output = ibex(&["epd", &suite, "--nodes", "2000", "--json", &folder.path("out.json")]);
    assert_eq!(status(&output), 0);
    let complaints = stderr(&output);
    for part in [":5: bm 'Ra9' is not a move: left out", ":6: only 1 of the four fields", ": 1 line is not UTF-8"] {
        assert!(complaints.contains(part), "{part}: {complaints}");
    }
    assert!(stdout(&output).contains("2 bad lines were left out"), "{}", stdout(&output));
    let document: Value = serde_json::from_str(&folder.read("out.json")).expect("JSON");
    assert_eq!(document["records"].as_array().map(Vec::len), Some(5));
    assert_eq!(document["records"][4]["id"], "Réti");
    assert_eq!(document["totals"][0]["solved"], 4);
}

/// Every search starts afresh, so it does not matter which worker searches what, nor what was searched before.
#[test]
fn jobs_and_order_change_no_result() {
    let folder = Scratch::new("jobs");
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
    let folder = Scratch::new("shards");
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
    let folder = Scratch::new("compare");
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

/// Six positions lost and none won have a chance of 1 in 32: significant at the usual level, but not at 1 in 100.
#[test]
fn a_significant_loss_sets_the_exit_status() {
    let folder = Scratch::new("significant");
    let mates = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../epd/mates.epd")).expect("a suite");
    let lines: Vec<&str> = mates.lines().filter(|line| line.contains("mate in 1,")).take(9).collect();
    let suite = folder.write("mates.epd", lines.join("\n") + "\n");
    let (good, bad) = (folder.path("good.jsonl"), folder.path("bad.jsonl"));
    assert_eq!(status(&ibex(&["epd", &suite, "--nodes", "2000", "--jsonl", &good])), 0);
    let text = folder.read("good.jsonl");
    assert_eq!(text.matches("\"solved\":true").count(), 9, "any search finds these");
    folder.write("bad.jsonl", text.replacen("\"solved\":true", "\"solved\":false", 6));
    let compare =
        |old: &str, new: &str, level: &str| status(&ibex(&["epd", "compare", old, new, "--significance", level]));
    assert_eq!(status(&ibex(&["epd", "compare", &good, &bad])), 1);
    assert_eq!(compare(&good, &bad, "0.05"), 1);
    assert_eq!(compare(&good, &bad, "0.01"), 0, "p = 0.03");
    assert_eq!(status(&ibex(&["epd", "compare", &bad, &good])), 0, "better is no fault");
}

/// The usual flags of the page.
#[test]
fn a_run_stops_early_and_writes_tables() {
    let folder = Scratch::new("usual");
    // Found at once, and not a mate, which would end the search on its own.
    let queen = "4k3/8/8/3q4/4P3/8/8/4K2R w K - bm exd5; id \"queen, 1\";\n";
    let missed = "4k3/8/8/3q4/4P3/8/8/4K2R w K - bm Kf1; id \"odd, 2\";\n";
    let suite = folder.write("small.epd", format!("{queen}{missed}"));
    let csv = folder.path("out.csv");
    let flags = ["epd", &suite, "--depth", "12", "--hold", "1", "--csv", &csv, "--themes", "--unsolved"];
    let output = ibex(&flags);
    assert_eq!(status(&output), 0, "{}", stderr(&output));
    let said = stdout(&output);
    for part in ["queen", "odd", "expected Kf1", "played exd5"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let table = folder.read("out.csv");
    let mut rows = table.lines().map(|row| row.split(',').collect::<Vec<_>>());
    let head = rows.next().expect("a head");
    let column = |name: &str| head.iter().position(|&title| title == name).expect("a column");
    // The names contain commas, so columns are counted from the other end.
    let rows: Vec<Vec<&str>> = rows.collect();
    let cell = |row: usize, name: &str| rows[row][rows[row].len() - (head.len() - column(name))];
    assert_eq!((rows.len(), cell(0, "solved"), cell(1, "solved")), (2, "1", "0"), "{table}");
    assert_eq!((cell(0, "best"), cell(1, "best")), ("e4d5", "e4d5"), "{table}");
    let depth = |row| cell(row, "depth").parse::<u32>().expect("a depth");
    assert!(depth(0) < 12 && depth(1) == 12, "the first stops when its move has stayed: {table}");
}

#[test]
fn annotated_suites_can_be_read_and_run_again() {
    let folder = Scratch::new("annotated");
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

/// In a collection of mates where every line has unknown operations, every line is run, and nothing is lost.
#[test]
fn lines_with_odd_operations_are_still_run() {
    let folder = Scratch::new("odd");
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
    // What was put aside is understood now: only the invalid opcode stays.
    let again = ibex(&["epd", &out, "--nodes", "2k"]);
    assert_eq!(stderr(&again).lines().count(), 1, "{}", stderr(&again));
}

#[test]
fn suites_come_from_anywhere() {
    use std::io::Write;
    let folder = Scratch::new("anywhere");
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
    let mates: String = SUITE.lines().filter(|line| line.contains("dm ")).map(|line| line.to_owned() + "\n").collect();
    for (command, input, told) in [
        (arguments("-"), SUITE.as_bytes(), "stdin  ibex"),
        (arguments("-"), &packed, "stdin  ibex"),
        (vec!["prove".to_owned(), "-".to_owned()], mates.as_bytes(), "standard input: 2 mates proved"),
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
    let mates = format!("{mates}7k/8/8/8/8/8/R7/1R2K3 w - - dm 2;\n");
    let mixed = folder.write("mixed.epd", format!("{mates}6k1/5ppp/8/8/8/8/8/R3K3 w Q - bm Ra8#;\n"));
    let output = ibex(&["prove", &mixed]);
    assert_eq!(status(&output), 1, "a line without a mate is none that was proved");
    assert!(stderr(&output).contains("mixed.epd:4: no mate is claimed (dm)"), "{}", stderr(&output));
    assert!(stdout(&output).contains("3 mates proved, 0 not, 1 bad line"), "{}", stdout(&output));
    let output = ibex(&["prove", "--max-mate", "1", &folder.write("mates.epd", &mates)]);
    assert_eq!(status(&output), 0, "what is left out need not be proved: {}", stderr(&output));
    let left_out = "mates.epd: 1 mate in more than 1 move left out (first line 3)\n";
    assert!(stderr(&output).contains(left_out), "{}", stderr(&output));
}

/// Comments and empty lines of a suite stay in place.
#[test]
fn annotated_suites_keep_their_comments() {
    let folder = Scratch::new("comments");
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

/// If points alone decide, the reports name the move with the most points.
#[test]
fn the_best_move_by_points_is_named() {
    let folder = Scratch::new("points");
    // Any search plays only the second-best move.
    let suite = folder.write("s.epd", "7k/8/5KQ1/8/8/8/8/8 w - - c0 \"Kf7=10, Qg7#=7\"; id \"x\";\n");
    let [jsonl, csv, page] = ["a.jsonl", "a.csv", "a.html"].map(|name| folder.path(name));
    let arguments = ["--nodes", "2000", "--unsolved", "--jsonl", &jsonl, "--csv", &csv, "--html", &page];
    let output = ibex(&[&["epd", suite.as_str()], &arguments[..]].concat());
    let said = stdout(&output);
    assert!(said.contains("ibex: s: x: expected Kf7 (10 points), played Qg7#"), "{said}");
    assert_eq!(records(&folder.read("a.jsonl"))[0]["best_of_points"], serde_json::json!(["Kf7"]));
    assert!(folder.read("a.csv").lines().next().is_some_and(|head| head.contains(",max_points,best_of_points,")));
    assert!(folder.read("a.csv").contains(",7,10,Kf7,"), "{}", folder.read("a.csv"));
    let page = folder.read("a.html");
    assert!(page.contains("Kf7 (10 points)") && page.matches("marker-end").count() == 2, "{page}");
}

#[test]
fn mate_scores_are_reported_apart_from_solutions() {
    let folder = Scratch::new("words");
    // Solved by its move; a score after one node cannot show such a long mate.
    let suite = folder.write("a.epd", "7k/8/5KQ1/8/8/8/8/8 w - - bm Qg7#; dm 30;\n");
    let said = stdout(&ibex(&["epd", &suite, "--nodes", "2000"]));
    assert!(said.contains("mate scores: 1 shorter"), "{said}");
    assert!(said.contains("mate scores compare the last exact score with the proved mate (dm)"), "{said}");
    let plain = folder.write("b.epd", "7k/8/5KQ1/8/8/8/8/8 w - - bm Qg7#;\n");
    assert!(!stdout(&ibex(&["epd", &plain, "--nodes", "9"])).contains("mate scores"));
}

/// What the other commands of the laboratory reject and write: nothing is replaced or left out silently.
#[test]
fn the_laboratory_replaces_and_omits_nothing_silently() {
    let folder = Scratch::new("laboratory");
    let suite = folder.write("small.epd", SUITE);
    let there = folder.write("there.csv", "mine");
    let lab = ["experiments", "grain", "--depth", "1", "--epd", suite.as_str(), "--csv"];
    let output = ibex(&[lab.as_slice(), &[suite.as_str()]].concat());
    assert!(status(&output) == 2 && stderr(&output).contains("is also an input"), "{}", stderr(&output));
    let output = ibex(&[lab.as_slice(), &[there.as_str()]].concat());
    assert!(status(&output) == 2 && stderr(&output).contains("exists"), "{}", stderr(&output));
    assert_eq!((folder.read("small.epd"), folder.read("there.csv")), (SUITE.to_owned(), "mine".to_owned()));
    let output = ibex(&[lab.as_slice(), &[there.as_str(), "--force"]].concat());
    assert!(status(&output) == 0 && folder.read("there.csv").lines().count() > 4, "{}", stderr(&output));

    let part = folder.write("part.epd", "7k/8/5KQ1/8/8/8/8/8 w - - bm Qg7#;\n7k/8/5KQ1/8/8/8/8/8 w - - dm 1;\n");
    let output = ibex(&["experiments", "recognizers", "--nodes", "100", "--epd", &part]);
    assert!(status(&output) == 0 && stdout(&output).contains("| 1/1 |"), "{}", stdout(&output));
    assert!(stderr(&output).contains("part.epd: 1 position without a best move (bm): left out"), "{}", stderr(&output));

    let repaired = folder.write("repaired.epd", "4k3/8/8/8/8/8/8/4K2R w KQkq - 200 1 bm O-O;\n");
    for experiment in [["grain", "--depth", "1"], ["recognizers", "--nodes", "100"]] {
        let output = ibex(&[&["experiments"], &experiment[..], &["--epd", &repaired]].concat());
        assert_eq!(status(&output), 0, "{}", stderr(&output));
        for part in ["repaired.epd:1: impossible castling rights are dropped; kept: K", "halfmove clock '200'"] {
            assert!(stderr(&output).contains(part), "{experiment:?}: {}", stderr(&output));
        }
    }
    let mated = "7k/6Q1/6K1/8/8/8/8/8 b - -\n";
    let some = folder.write("some.epd", format!("{mated}4k3/8/8/8/8/8/8/4K2R w K -\n{mated}"));
    let output = ibex(&["experiments", "grain", "--depth", "1", "--epd", &some]);
    assert!(status(&output) == 0 && stdout(&output).contains("| 1/1 |"), "{}", stdout(&output));
    let left_out = "some.epd: 2 positions without a legal move: left out";
    assert!(stderr(&output).contains(left_out), "{}", stderr(&output));
    let mated = folder.write("mated.epd", mated);

    let deep = folder.write("deep.epd", "4k3/8/8/8/8/8/8/4K3 w - - ;D1 5 ;D100000 5\n");
    let mate = folder.write("mate.epd", "7k/8/5KQ1/8/8/8/8/8 w - - dm 1;\n");
    let empty = folder.write("empty.epd", "# nothing\n");
    let none = folder.path("none*.epd");
    let refused: [(&[&str], &str); 27] = [
        (&["experiments", "table", "--depth", "1", "--epd", &mated], "mated.epd: no position to search"),
        (&["perft", "1", "--jobs", "0"], "0 is not in 1..=1024"),
        (&["perft", "1", "--jobs", "1025"], "1025 is not in 1..=1024"),
        (&["prove", &mate, "--jobs", "50000"], "50000 is not in 1..=1024"),
        (&["endings", "scores", "--jobs", "50000"], "50000 is not in 1..=1024"),
        (&["endings", "mating", "--jobs", "0"], "0 is not in 1..=1024"),
        (&["endings", "scores", "--endings", "KPvKP"], "KPvKP needs tables (--syzygy)"),
        (&["probe", "--nodes", "0"], "expected a whole number from 1"),
        (&["datagen", "--out", "x.vf", "--games", "1.5"], "expected a whole number from 1"),
        // A game of more plies could not be read back.
        (&["datagen", "--out", "x.vf", "--max-plies", "4097"], "4097 is not in 1..=4096"),
        (&["experiments", "recognizers", "--csv", "x.csv"], "no single searches"),
        (&["endings", "mating", "--endings", "KBvK"], "KBvK has no position that White wins"),
        (&["endings", "mating", "--games", "0"], "expected a whole number from 1"),
        (&["endings", "scores", "--positions", "0"], "expected a whole number from 1"),
        (&["endings", "scores", "--positions", "1e18"], "expected at most 100000"),
        (&["endings", "prove", &empty], "empty.epd: nothing to prove"),
        (&["endings", "prove", "-", "-"], "ibex-lab endings: standard input (-) can be read only once"),
        (&["endings", "prove", "-"], "ibex-lab endings: standard input: nothing to prove"),
        (&["endings", "prove", &none], "none*.epd: no such file, and no file matches"),
        (&["experiments", "table", "--depth", "1", "--epd", "-"], "ibex-lab experiments: standard input: no position"),
        (&["experiments", "table", "--depth", "1", "--csv", "-"], "--csv -: not a file name"),
        (&["perft", "--chess960", &suite], "--chess960 goes with a depth"),
        (&["perft", ""], "a value is required for '<DEPTH|FILE.epd>...'"),
        (&["perft", "100000"], "ibex-lab perft: a depth of 100000 plies is out of reach: the deepest is 64"),
        (&["perft", "5", "--max-depth", "3"], "--max-depth goes with files"),
        (&["perft", &deep], "deep.epd:1: D100000 is out of reach: the deepest is D64"),
        (&["prove", "--max-mate", "0", &mate], "no line claims a mate (dm) in at most 0 moves"),
    ];
    for (arguments, reason) in refused {
        let output = ibex(arguments);
        assert!(status(&output) == 2 && stderr(&output).contains(reason), "{arguments:?}: {}", stderr(&output));
    }
    assert_eq!(status(&ibex(&["perft", &deep, "--max-depth", "64"])), 0, "what is left out need not be in reach");
    let none = ibex(&["perft", "0"]);
    assert!(stdout(&none).starts_with("\n1 leaf, "), "{}", stdout(&none));
    // Castling without a rook is not castling.
    let output = ibex(&["perft", "1", "--fen", "r3k3/8/8/8/8/8/8/R3K3 w KQq - 0 1"]);
    assert!(status(&output) == 0 && stderr(&output).starts_with("ibex-lab perft: "), "{}", stderr(&output));
    let output = ibex(&["epd", &suite, "--nodes", "1000", "--shard", "9/9", "--fail-under", "80"]);
    assert_eq!(status(&output), 0, "an empty shard has missed nothing: {}", stderr(&output));
}

/// What a run cannot write at its end, or play with, is rejected before its first game.
#[test]
fn datagen_checks_its_files_before_the_first_game() {
    let folder = Scratch::new("datagen");
    folder.write("book.epd", "4k3/8/8/8/8/8/8/R3K3 w Q -\n");
    let datagen = |arguments: &[&str]| {
        let mut command = Command::new(IBEX);
        command.args(["datagen", "--quiet", "--games", "1", "--threads", "1", "--nodes", "20"]);
        #[cfg(target_os = "linux")]
        memory::with_memory(&mut command, 1024);
        command.args(arguments).current_dir(&folder.0).output().expect("the program runs")
    };
    let refused: [(&[&str], &str); 9] = [
        (&["--out", "new/"], "--out new/: the name of a folder"),
        (&["--out", "new/."], "--out new/.: the name of a folder"),
        (&["--out", "."], "a folder"),
        (&["--out", "-"], "--out -: not a file name"),
        (&["--out", "no/x.vf"], "--out no/x.vf: its folder does not exist"),
        (&["--out", "book.epd", "--book", "book.epd"], "is also an input"),
        (&["--out", "book.epd"], "exists already"),
        (&["--out", "x.vf", "--eval", "book.epd"], "book.epd"),
        (&["--out", "x.vf", "--eval", "."], "is not a file"),
    ];
    for (arguments, reason) in refused {
        let output = datagen(arguments);
        assert!(status(&output) == 2 && stderr(&output).contains(reason), "{arguments:?}: {}", stderr(&output));
    }
    #[cfg(unix)]
    {
        let pipe = folder.path("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().expect("a program of every Unix").success());
        for device in ["/dev/zero", &pipe] {
            let output = datagen(&["--out", "x.vf", "--eval", device]);
            assert!(status(&output) == 2 && stderr(&output).contains("is not a file"), "{}", stderr(&output));
        }
        std::fs::remove_file(&pipe).expect("there");
    }
    let left = std::fs::read_dir(&folder.0).expect("a folder").count();
    assert_eq!((left, folder.read("book.epd").len()), (1, 27), "nothing is left");
}
