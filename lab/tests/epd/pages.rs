//! The pages: of an unfinished run, and of runs side by side.

use super::*;

/// A suite of many positions that each use their whole time.
#[cfg(target_os = "linux")]
fn long_suite(positions: usize) -> String {
    (0..positions)
        .map(|id| format!("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - bm e4; id \"L.{id}\";\n"))
        .collect()
}

fn is_whole(page: &str) -> bool {
    page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n")
}

/// The page shows the progress of the run, and after an interruption how far it came.
#[cfg(target_os = "linux")]
#[test]
fn a_page_is_there_while_the_run_goes_on() {
    use std::os::unix::process::CommandExt as _;
    let folder = Scratch::new("renewed");
    let suite = folder.write("long.epd", long_suite(200));
    let page = folder.path("page.html");
    let mut command = Command::new(IBEX);
    command.args(["epd", &suite, "--movetime", "400", "--hash", "1", "--html", &page]);
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    // SAFETY: `signal` may be called between fork and exec. A test in the background may have inherited that
    // interruptions are ignored.
    unsafe {
        command.pre_exec(|| {
            libc::signal(libc::SIGINT, libc::SIG_DFL);
            Ok(())
        })
    };
    let mut child = command.spawn().expect("the program runs");
    while !std::path::Path::new(&page).exists() {
        assert!(child.try_wait().expect("a child").is_none(), "the run ended before it wrote a page");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let text = folder.read("page.html");
    assert!(is_whole(&text) && text.contains(" of 200 positions</b>"), "{text}");
    assert!(text.contains("in progress: ") && text.contains("http-equiv=\"refresh\""), "{text}");
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().is_ok_and(|status| status.success()));
    let output = child.wait_with_output().expect("a child");
    assert_eq!(status(&output), 130, "{}", stderr(&output));
    assert!(!stderr(&output).contains("solved"), "no progress where nobody looks: {}", stderr(&output));
    let text = folder.read("page.html");
    assert!(is_whole(&text) && text.contains("stopped early: ") && text.contains(" of 200 positions</b>"), "{text}");
    assert!(!text.contains("in progress") && !text.contains("http-equiv"), "{text}");
    assert_eq!(std::fs::read_dir(&folder.0).expect("a folder").count(), 2, "no piece is left behind");
}

/// The page of a complete run does not mention progress.
#[test]
fn the_last_page_is_of_the_whole_run() {
    let folder = Scratch::new("last");
    let suite = folder.write("small.epd", SUITE);
    let page = folder.path("page.html");
    let output = ibex(&["epd", &suite, "--nodes", "2000", "--html", &page]);
    assert_eq!((status(&output), stderr(&output).as_str()), (0, ""));
    let text = folder.read("page.html");
    assert!(is_whole(&text) && !text.contains("in progress") && !text.contains("stopped early"), "{text}");
}

/// If the page cannot be renewed, there is one warning, the previous page stays, and the run goes on. A file size
/// limit simulates the full disk: the results fit, but the page does not.
#[cfg(target_os = "linux")]
#[test]
fn a_page_that_cannot_be_renewed_stays() {
    let folder = Scratch::new("fails");
    let suite = folder.write("long.epd", long_suite(5));
    let page = folder.write("page.html", "the former page");
    let file = folder.path("run.jsonl");
    let output = Command::new("bash")
        .args(["-c", "trap '' XFSZ; ulimit -f 4; exec \"$@\"", "bash", IBEX, "epd", &suite, "--html", &page, "--force"])
        .args(["--movetime", "400", "--hash", "1", "--resume", &file])
        .output()
        .expect("the program runs");
    let said = stderr(&output);
    assert_eq!(said.matches("the page cannot be updated; the run continues: ").count(), 1, "{said}");
    assert_eq!(said.matches(&format!("{page}: File too large")).count(), 2, "{said}");
    assert_eq!(records(&folder.read("run.jsonl")).len(), 5, "the run went on: {said}");
    assert_eq!(status(&output), 2, "the last page cannot be written either: {said}");
    assert_eq!(folder.read("page.html"), "the former page");
    assert_eq!(std::fs::read_dir(&folder.0).expect("a folder").count(), 3, "no piece is left behind");
}

/// If a report cannot be written, the others still are. A file size limit simulates the full disk here, too: the JSON
/// document is larger than the limit, the others are smaller.
#[cfg(target_os = "linux")]
#[test]
fn a_report_that_fails_leaves_the_others() {
    let folder = Scratch::new("one fails");
    let suite = folder.write("small.epd", SUITE.repeat(25));
    let run = folder.path("run.jsonl");
    assert_eq!(status(&ibex(&["epd", &suite, "--depth", "1", "--hash", "1", "--jsonl", &run])), 0);
    let [json, csv, html, epd] = ["out.json", "out.csv", "out.html", "out.epd"].map(|name| folder.path(name));
    let limited = |kib: &str, arguments: &[&str]| {
        let limit = format!("trap '' XFSZ; ulimit -f {kib}; exec \"$@\"");
        Command::new("bash").args(["-c", &limit, "bash", IBEX, "epd"]).args(arguments).output().expect("it runs")
    };
    let outputs = ["--json", &json, "--csv", &csv, "--epd-out", &epd];
    let output = limited("32", &[&[suite.as_str(), "--depth", "1", "--hash", "1"], &outputs[..]].concat());
    let said = stderr(&output);
    assert!(status(&output) == 2 && said.contains(&format!("{json}: File too large")), "{said}");
    assert_eq!(folder.read("out.csv").lines().count(), 101, "{said}");
    assert_eq!(folder.read("out.epd").lines().count(), 100, "{said}");
    assert!(stdout(&output).contains("small"), "the table is printed all the same");
    // If two fail, both are named; the page after them is still tried.
    let merge = ["merge", &run, "--out", &folder.path("out.jsonl"), "--json", &json, "--html", &html];
    let output = limited("1", &merge);
    let said = stderr(&output);
    assert!(status(&output) == 2 && said.matches("File too large").count() == 3, "{said}");
}

/// A run of the small suite that loses only the first position and whose texts are hostile.
fn two_runs(folder: &Scratch) -> (String, String) {
    let suite = folder.write("small.epd", SUITE.replace("T.1", "T.1 <script>alert(1)</script>"));
    let (good, bad) = (folder.path("good.jsonl"), folder.path("bad.json"));
    assert_eq!(status(&ibex(&["epd", &suite, "--nodes", "2000", "--jsonl", &good, "--json", &bad])), 0);
    let mut document: Value = serde_json::from_str(&folder.read("bad.json")).expect("JSON");
    document["records"][0]["solved"] = false.into();
    document["head"]["players"][0]["name"] = "<img src=x onerror=alert(1)>".into();
    folder.write("bad.json", serde_json::to_string_pretty(&document).expect("JSON"));
    (good, bad)
}

#[test]
fn runs_side_by_side_are_a_page() {
    let folder = Scratch::new("side");
    let (good, bad) = two_runs(&folder);
    let page = folder.path("page.html");
    let output = ibex(&["epd", "compare", &good, &bad, "--html", &page]);
    assert_eq!(status(&output), 0, "{}", stderr(&output));
    assert!(stdout(&output).contains("lost: 1"), "{}", stdout(&output));
    let text = folder.read("page.html");
    assert!(is_whole(&text), "{text}");
    assert!(!text.contains("<script") && !text.contains("<img") && !text.contains("http"), "{text}");
    assert_eq!(text.matches("<details").count(), 1, "only what changed is listed");
    assert!(text.contains("<details class=\"lost\">") && text.contains("<h2>Lost: 1</h2>"), "{text}");
    for part in ["<h2>Won: 0</h2>", "<h2>Unchanged: 3</h2>", "Solved by both runs: 2. Solved by neither: 1.", "1.0000"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("class=\"state\""), "there is nothing to remark: {text}");
    // As for other reports: never over an input, and over an earlier page only on request.
    for (arguments, part) in [
        (vec![good.as_str(), &bad, "--html", &page], "exists; --force replaces it"),
        (vec![&good, &bad, "--html", &bad, "--force"], "is also an input"),
        (vec![&good, &bad, &good, "--new-player", "x", "--new-player", "y", "--new-player", "z"], "is given 3 times"),
        (vec![&good, &bad, "--new-player", "x"], "no such player; it has: ibex"),
    ] {
        let output = ibex(&[&["epd", "compare"], &arguments[..]].concat());
        assert!(status(&output) == 2 && stderr(&output).contains(part), "{part}: {}", stderr(&output));
    }
    assert_eq!(status(&ibex(&["epd", "compare", &bad, &good, "--html", &page, "--force"])), 0);
    assert!(folder.read("page.html").contains("<details class=\"won\">"));
}

/// A page shows the measure of the comparison: nodes, unless only time limits all runs.
#[test]
fn answers_have_the_unit_of_the_comparison() {
    let folder = Scratch::new("unit");
    let (good, _) = two_runs(&folder);
    let timed = folder.path("timed.json");
    let mut document: Value = serde_json::from_str(&folder.read("bad.json")).expect("JSON");
    document["head"]["budget"] = serde_json::json!({ "movetime": 100 });
    folder.write("timed.json", document.to_string());
    let also = folder.path("also.json");
    document["records"][0]["solved"] = true.into();
    folder.write("also.json", document.to_string());
    for (a, b, unit) in [(&timed, &good, " nodes"), (&good, &timed, " nodes"), (&timed, &also, " ms")] {
        let page = folder.path("page.html");
        assert_eq!(status(&ibex(&["epd", "compare", a, b, "--html", &page, "--force"])), 0);
        let text = folder.read("page.html");
        let summaries: String =
            text.split("<summary>").skip(1).filter_map(|rest| rest.split("</summary>").next()).collect();
        let other = if unit == " ms" { " nodes" } else { " ms" };
        assert!(summaries.contains(unit) && !summaries.contains(other), "{a} {b}: {summaries}");
    }
}

/// What makes runs hard to compare is reported on the terminal and on the page, in the same words.
#[test]
fn other_differences_between_runs_are_reported() {
    let folder = Scratch::new("differ");
    let (good, bad) = two_runs(&folder);
    let suite = folder.write("small.epd", SUITE);
    let (third, page) = (folder.path("third.jsonl"), folder.path("page.html"));
    let short = ["epd", &suite, "--nodes", "1000", "--shard", "1/2", "--hash", "1", "--jsonl", &third];
    assert_eq!(status(&ibex(&short)), 0);
    let output = ibex(&["epd", "compare", &good, &bad, &third, "--html", &page]);
    assert_eq!(status(&output), 0, "{}", stderr(&output));
    let (said, text) = (stdout(&output), folder.read("page.html"));
    for part in [
        "he limits differ: A 2000 nodes, B 2000 nodes, C 1000 nodes",
        "ables or threads differ: A 16 MiB and 1 thread, B 16 MiB and 1 thread, C 1 MiB and 1 thread",
        "he suites differ: small is not the same in all",
        "2 positions are in only some of the runs, and not counted",
    ] {
        assert!(said.contains(part) && text.contains(part), "{part}: {said}");
    }
    // The same suite under another name shares no position with itself, and the message says why.
    let (renamed, other) = (folder.write("renamed.epd", SUITE), folder.path("other.jsonl"));
    assert_eq!(status(&ibex(&["epd", &renamed, "--nodes", "2000", "--jsonl", &other])), 0);
    let output = ibex(&["epd", "compare", &good, &other]);
    let suites = "no position in common: the suites differ: renamed only in B, small only in A";
    assert!(status(&output) == 2 && stderr(&output).contains(suites), "{}", stderr(&output));
    for part in ["B against A:", "C against A:", "solved: A 1, C 1 of 2: +0"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(text.contains("With different limits this says little") && text.contains("3 runs compared"), "{text}");
    assert!(text.contains("C third"), "{text}");
}

/// A change of text direction ends with the text.
#[test]
fn a_text_direction_ends_with_its_text() {
    let folder = Scratch::new("turned");
    two_runs(&folder);
    let mut document: Value = serde_json::from_str(&folder.read("bad.json")).expect("JSON");
    let turned = |text: &str| Value::from(format!("\u{202e}{text}"));
    document["head"]["suites"][0]["name"] = turned("suite");
    document["head"]["players"][0] =
        serde_json::json!({ "label": turned("player"), "name": turned("name"), "options": [turned("option")] });
    for record in document["records"].as_array_mut().expect("results") {
        for field in ["player", "suite", "id", "best_san", "pv"] {
            record[field] = turned(field);
        }
        record["bm"] = serde_json::json!([turned("bm")]);
    }
    let old = folder.write("\u{202e}old.json", document.to_string());
    document["head"]["suites"][0]["digest"] = "another".into();
    document["records"][0]["solved"] = true.into();
    let new = folder.write("\u{202e}new.json", document.to_string());
    let output = ibex(&["epd", "compare", &old, &new, "--html", &folder.path("page.html")]);
    assert_eq!(status(&output), 0, "{}", stderr(&output));
    let text = folder.read("page.html");
    for part in [
        "<title>suite: 2 runs compared</title>",
        "<h1><bdi>\u{202e}suite</bdi>: 2 runs compared</h1>",
        "<b><bdi>A \u{202e}old</bdi></b>: <bdi>\u{202e}player</bdi>, <bdi>\u{202e}name</bdi>",
        "(<bdi>\u{202e}option</bdi>)",
        "\u{202e}old.json</bdi>",
        "\u{202e}suite is not the same in all</bdi>.",
        "<bdi>\u{202e}id</bdi>",
        "<bdi>\u{202e}bm, #1</bdi>",
        "<bdi>\u{202e}best_san</bdi>",
        "<bdi>\u{202e}pv</bdi>",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let behind = |part: &str| part.split_once("</bdi>").map_or(part, |(_, behind)| behind).to_owned();
    let outside: String = text.split("<bdi>").map(behind).collect();
    assert!(!outside.contains('\u{202e}'), "{outside}");
}
