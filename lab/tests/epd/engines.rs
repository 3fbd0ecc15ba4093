//! Other UCI programs, well-behaved and not.

use super::*;

#[test]
fn the_program_plays_the_same_over_uci() {
    let folder = Scratch::new("uci");
    let suite = folder.write("small.epd", SUITE);
    let file = folder.path("out.jsonl");
    let engine = format!("self='{IBEX}' uci");
    let output =
        ibex(&["epd", &suite, "--nodes", "3000", "--engine", &engine, "--option", "self:MultiPV=1", "--jsonl", &file]);
    assert_eq!(status(&output), 0, "{}", stderr(&output));
    let mut records = records(&folder.read("out.jsonl"));
    let theirs = records.split_off(4);
    assert_eq!((records.len(), theirs.len()), (4, 4));
    for (own, theirs) in records.iter().zip(&theirs) {
        assert_eq!((&own["player"], &theirs["player"]), (&Value::from("ibex"), &Value::from("self")));
        for field in ["best", "solved", "score", "nodes", "points"] {
            assert_eq!(own[field], theirs[field], "{field} of {}", own["id"]);
        }
    }
}

/// A table or threads set for an engine by `--option` in place of `--hash` or `--threads` are reported, because the
/// first line of the result has one size for all; runs that differ only in that are reported as different.
#[test]
fn tables_and_threads_of_one_engine_are_named() {
    let folder = Scratch::new("own table");
    let suite = folder.write("small.epd", SUITE);
    let engine = format!("self='{IBEX}' uci");
    let run = |name: &str, option: &str| {
        let file = folder.path(name);
        let arguments = ["--nodes", "500", "--no-ibex", "--engine", &engine, "--option", option, "--jsonl", &file];
        let output = ibex(&[&["epd", suite.as_str()], &arguments[..]].concat());
        assert_eq!(status(&output), 0, "{}", stderr(&output));
        (file, stderr(&output))
    };
    let (usual, said) = run("usual.jsonl", "Hash=16");
    assert!(!said.contains("--option"), "{said}");
    let (other, said) = run("other.jsonl", "self:hash=2");
    assert!(said.contains("--engine self: its option Hash is 2 by --option, not the 16 of --hash"), "{said}");
    let output = ibex(&["epd", "compare", &usual, &other]);
    let differ = "tables or threads differ: A 16 MiB and 1 thread, B 2 MiB and 1 thread";
    assert!(stdout(&output).contains(differ), "{}", stdout(&output));
}

/// A program that answers `go nodes` at once, and otherwise counts until it is stopped. It waits for fractions of a
/// second, which macOS's bash cannot.
#[cfg(target_os = "linux")]
#[test]
fn engines_without_node_limits_are_supported() {
    let folder = Scratch::new("nodes");
    // The two positions in which the program's only move is legal.
    let text: Vec<&str> = SUITE.lines().filter(|line| line.contains("R3K3")).collect();
    let suite = folder.write("small.epd", text.join("\n"));
    let script = folder.write(
        "deaf.sh",
        "while read -r line; do case \"$line\" in\n\
         uci) echo uciok;;\n\
         isready) echo readyok;;\n\
         'go infinite') n=0; while ! read -r -t 0.05 stop; do n=$((n+1000)); echo \"info depth 3 nodes $n score cp 1 pv a1a8\"; \
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
        let records = records(&folder.read("nodes.jsonl"));
        assert!(records.iter().all(|record| record["status"] == "ok"), "{records:?}");
        let nodes: Vec<u64> = records.iter().filter_map(|r| r["nodes"].as_u64()).collect();
        (nodes, stderr(&output))
    };
    let (nodes, said) = run(&[]);
    assert_eq!(nodes, [20; 2]);
    assert!(said.contains("deaf does not seem to obey 'go nodes'"), "{said}");
    let (nodes, said) = run(&["--stop-at-nodes", "deaf"]);
    // On a machine that freezes for seconds it is stopped too soon or too late, but by its own count: it has counted,
    // and its time has not run out. Advice to do what is already done would be pointless.
    assert!(nodes.iter().all(|&n| (1000..=100_000).contains(&n)), "{nodes:?}");
    assert!(!said.contains("obey"), "{said}");
    // Ibex itself is not such an engine, even if an engine of its name has another label.
    for (engine, label) in [(&engine, "x"), (&engine, "ibex"), (&engine.replace("deaf=", "ibex="), "ibex")] {
        let unknown = ["epd", suite.as_str(), "--nodes", "9", "--engine", engine, "--stop-at-nodes", label];
        let output = ibex(&unknown);
        let reason = format!("--stop-at-nodes '{label}' is not one of the engines");
        assert!(status(&output) == 2 && stderr(&output).contains(&reason), "{engine}: {}", stderr(&output));
    }
}

/// A program without Chess960 gets no position with Chess960 castling rights, and keeps the others.
#[cfg(unix)]
#[test]
fn engines_without_chess960_get_only_standard_positions() {
    let folder = Scratch::new("chess960");
    let suite = folder.write(
        "a.epd",
        "rk5r/pppppppp/8/8/8/8/PPPPPPPP/RK5R w KQkq - bm O-O;\n\
         4k3/8/8/8/8/8/8/4K2R w K - bm O-O;\n\
         rk5r/pppppppp/8/8/8/8/PPPPPPPP/RK5R w KQkq - bm O-O;\n",
    );
    let run = |offer: &str| {
        let log = folder.path("log");
        let _ = std::fs::remove_file(&log);
        let script = folder.write(
            "x.sh",
            format!(
                "while read -r line; do case \"$line\" in\n\
                 uci) {offer} echo uciok;;\n\
                 isready) echo readyok;;\n\
                 position*) echo \"$line\" >>'{log}';;\n\
                 go*) case $(tail -n 1 '{log}') in *4K2R*) echo 'bestmove e1g1';; *) echo 'bestmove b1h1';; esac;;\n\
                 quit) exit 0;;\n\
                 esac; done\n"
            ),
        );
        let (engine, file) = (format!("x=sh '{script}'"), folder.path("out.jsonl"));
        let _ = std::fs::remove_file(&file);
        let output = ibex(&["epd", &suite, "--depth", "1", "--no-ibex", "--engine", &engine, "--jsonl", &file]);
        assert_eq!(status(&output), 0, "{}", stderr(&output));
        let records = records(&folder.read("out.jsonl"));
        let results: Vec<_> =
            records.iter().map(|r| format!("{} {}", r["status"].as_str().unwrap_or_default(), r["solved"])).collect();
        (results, folder.read("log").lines().count(), stderr(&output))
    };
    let (results, positions, said) = run("");
    assert_eq!(results, ["unfit false", "ok true", "unfit false"], "{said}");
    assert_eq!(positions, 1, "what it lacks the option for does not reach it");
    assert!(said.contains("it has no option UCI_Chess960, so it was not given the position"), "{said}");
    let (results, positions, said) = run("echo 'option name UCI_Chess960 type check default false';");
    assert_eq!((results, positions), (vec!["ok true".to_owned(); 3], 3), "{said}");
}

/// An engine that is stopped at its nodes still gets the other limits.
#[cfg(unix)]
#[test]
fn engines_stopped_at_nodes_get_the_other_limits() {
    let folder = Scratch::new("limits");
    let suite = folder.write("one.epd", "7k/8/5KQ1/8/8/8/8/8 w - - bm Qg7#;\n");
    let log = folder.path("log");
    let script = folder.write(
        "g.sh",
        format!(
            "while read -r line; do case \"$line\" in\n\
             uci) echo uciok;;\n\
             isready) echo readyok;;\n\
             go*) echo \"$line\" >>'{log}'; echo 'info depth 1 nodes 9000 score cp 1 pv g6g7'; echo 'bestmove g6g7';;\n\
             quit) exit 0;;\n\
             esac; done\n"
        ),
    );
    let engine = format!("g=sh '{script}'");
    for (limits, go) in [
        (&[][..], "go infinite\n"),
        (&["--movetime", "100"], "go movetime 100\n"),
        (&["--movetime", "100", "--depth", "7", "--mate", "2"], "go movetime 100 depth 7 mate 2\n"),
    ] {
        let _ = std::fs::remove_file(&log);
        let arguments = ["--nodes", "9000", "--no-ibex", "--engine", &engine, "--stop-at-nodes", "g"];
        let output = ibex(&[&["epd", suite.as_str()], &arguments[..], limits].concat());
        assert_eq!(status(&output), 0, "{}", stderr(&output));
        assert_eq!(folder.read("log"), go);
    }
}

/// If a position asks for a mate, the program is set to analyse; not if it cannot, or if the user has chosen.
#[cfg(unix)]
#[test]
fn engines_are_set_to_analyse_for_mates() {
    let folder = Scratch::new("analysis");
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

/// An option that a program does not offer is an error before the run.
#[test]
fn options_are_checked_before_the_run() {
    let folder = Scratch::new("options");
    let suite = folder.write("small.epd", SUITE);
    let engine = format!("sf='{IBEX}' uci");
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

/// An engine that takes less memory or fewer threads than requested is used as it is, and the run reports that.
#[test]
fn settings_that_an_engine_rejects_are_reported() {
    let folder = Scratch::new("offers");
    let suite = folder.write("small.epd", SUITE);
    let engine = format!("small='{IBEX}' uci");
    let fewer = ["--threads", "513", "--no-ibex", "--engine", &engine];
    let output = ibex(&[&["epd", suite.as_str(), "--nodes", "10"], fewer.as_slice()].concat());
    assert!(status(&output) == 2 && stderr(&output).contains("512"), "{}", stderr(&output));
    let tiny = "while read -r line; do case \"$line\" in\n\
         uci) echo 'option name Hash type spin default 1 min 1 max 4'; echo uciok;;\n\
         isready) echo readyok;;\n\
         go*) echo 'bestmove a1a8';;\n\
         quit) exit 0;;\n\
         esac; done\n";
    if cfg!(unix) {
        let engine = format!("tiny=sh '{}'", folder.write("tiny.sh", tiny));
        let wanted = ["--threads", "3", "--hash", "64", "--no-ibex", "--engine", &engine, "--jobs", "2"];
        let output = ibex(&[&["epd", suite.as_str(), "--nodes", "10"], wanted.as_slice()].concat());
        let said = stderr(&output);
        for remark in [
            "--engine tiny: its option Hash cannot be 64: set to 4",
            "--engine tiny: it has no option Threads: it cannot be set to use 3 threads",
        ] {
            assert_eq!(said.lines().filter(|line| *line == remark).count(), 1, "{said}");
        }
    }
}

/// Engines that crash, hang, answer nonsense and send too much, as shell scripts.
#[cfg(unix)]
#[test]
fn engines_may_misbehave() {
    let folder = Scratch::new("misbehave");
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
        script("slow", "sleep 5; echo 'bestmove a1a2'"),
        script(
            "flood",
            "i=0; while [ $i -lt 500 ]; do echo 'info string noise'; echo \"info depth $i score cp 1 pv zzzz\"; i=$((i+1)); done; printf 'bestmove a1a8 ponder \\377\\n'",
        ),
        // One of all the searches writes an endless line.
        script(
            "endless",
            &format!(
                "if mkdir '{}' 2>/dev/null; then yes | tr -d '\\n'; else echo 'bestmove a1a8'; fi",
                folder.path("once")
            ),
        ),
    ];
    let file = folder.path("out.jsonl");
    let mut arguments = vec!["epd", suite.as_str(), "--depth", "1", "--timeout", "3", "--no-ibex", "--jsonl", &file];
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
        ("slow", "timeout", " ms (--timeout)"),
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

/// A time longer than any clock is no limit.
#[test]
fn an_enormous_timeout_is_no_limit() {
    let folder = Scratch::new("longest");
    let suite = folder.write("small.epd", SUITE);
    let engine = format!("self='{IBEX}' uci");
    let output = ibex(&["epd", &suite, "--nodes", "100", "--timeout", "1e19", "--engine", &engine]);
    assert_eq!(status(&output), 0, "{}", stderr(&output));
    assert!(!stdout(&output).contains("failed"), "{}{}", stdout(&output), stderr(&output));
}

/// A program that counts and is stopped by its count gets no advice to be stopped like that.
#[cfg(unix)]
#[test]
fn a_program_that_is_stopped_at_its_nodes_gets_no_advice() {
    let folder = Scratch::new("advice");
    let suite = folder.write("one.epd", "7k/8/5KQ1/8/8/8/8/8 w - - bm Qg7#;\n");
    // It ends on its own, far from its nodes.
    let script = folder.write(
        "short.sh",
        "while read -r line; do case \"$line\" in\n\
         uci) echo uciok;;\n\
         isready) echo readyok;;\n\
         go*) echo 'info depth 1 nodes 20 score cp 1 pv g6g7'; echo 'bestmove g6g7';;\n\
         quit) exit 0;;\n\
         esac; done\n",
    );
    let engine = format!("short=sh '{script}'");
    for (more, advised) in [(&[][..], true), (&["--stop-at-nodes", "short"], false)] {
        let arguments = ["epd", &suite, "--nodes", "9000", "--no-ibex", "--engine", &engine];
        let output = ibex(&[&arguments[..], more].concat());
        assert_eq!(stderr(&output).contains("obey"), advised, "{}", stderr(&output));
    }
}

/// If only one instance of an engine can run, the others cost a few positions, not the suite: they leave it to that
/// one.
#[cfg(target_os = "linux")]
#[test]
fn instances_that_do_not_start_leave_the_suite_to_the_others() {
    let folder = Scratch::new("one instance");
    let suite = folder.write("many.epd", random_suite(100));
    let (lock, file) = (folder.path("lock"), folder.path("out.jsonl"));
    let once = format!("exec 9>'{lock}'\nflock --timeout 0.2 9 || exit 1\nexec '{IBEX}' uci\n");
    let engine = format!("once=bash '{}'", folder.write("once.sh", once));
    let arguments = ["--no-ibex", "--engine", &engine, "--jobs", "4", "--nodes", "20000", "--jsonl", &file];
    let output = ibex(&[&["epd", suite.as_str()], arguments.as_slice()].concat());
    let records = records(&folder.read("out.jsonl"));
    let died = records.iter().filter(|record| record["status"] == "died").count();
    assert!((1..=9).contains(&died), "{died} of {}: {}", records.len(), stderr(&output));
    let all = folder.read("many.epd").lines().count();
    assert_eq!((records.len(), status(&output)), (all, 0), "nothing is lost: {}", stderr(&output));
}

/// A worker that leaves an engine to the others is available for the next engine.
#[cfg(target_os = "linux")]
#[test]
fn instances_that_do_not_start_come_back_for_the_next_engine() {
    let folder = Scratch::new("come back");
    let suite = folder.write("many.epd", SUITE.repeat(5));
    let (lock, met, late) = (folder.path("lock"), folder.path("met"), folder.path("late"));
    std::fs::create_dir(&met).expect("a folder");
    let script = |name: &str, before: &str, on_go: &str| {
        let text = format!(
            "{before}\n\
             while read -r line; do case \"$line\" in\n\
             uci) echo uciok;;\n\
             isready) echo readyok;;\n\
             go*) {on_go}; echo 'bestmove a1a8';;\n\
             quit) exit 0;;\n\
             esac; done\n"
        );
        format!("{name}=bash '{}'", folder.write(&format!("{name}.sh"), text))
    };
    let once = script("once", &format!("exec 9>'{lock}'; flock --timeout 0.2 9 || exit 1"), "sleep 0.1 9>&-");
    // Its searches end when three instances have met, or after ten seconds.
    let wait = format!(
        "echo >'{met}'/$$; n=0; until [ $(ls '{met}' | wc -l) -ge 3 ] || [ -e '{late}' ]; do \
         sleep 0.05; n=$((n+1)); [ $n -lt 200 ] || echo >'{late}'; done"
    );
    let engines = ["--no-ibex", "--engine", &once, "--engine", &script("all", ":", &wait)];
    let arguments = [&["epd", suite.as_str(), "--depth", "1", "--jobs", "3"], &engines[..]].concat();
    let output = ibex(&arguments);
    assert_eq!(status(&output), 0, "{}", stderr(&output));
    let instances = std::fs::read_dir(&met).expect("a folder").count();
    assert_eq!(instances, 3, "{}", stderr(&output));
}

/// An engine that no longer starts is given up: its remaining searches are left to a later run, and others go on.
#[cfg(unix)]
#[test]
fn positions_of_an_abandoned_engine_are_left_for_later() {
    let folder = Scratch::new("given up");
    let suite = folder.write("many.epd", SUITE.repeat(4));
    let (starts, works, file) = (folder.path("starts"), folder.path("works"), folder.path("run.jsonl"));
    // It starts as often as its argument says, and exits in its fourth search, until the file `works` exists.
    let script = folder.write(
        "bad.sh",
        format!(
            "echo >>'{starts}'\n\
             [ -e '{works}' ] || [ $(wc -l <'{starts}') -le $1 ] || exit 7\n\
             while read -r line; do case \"$line\" in\n\
             uci) echo uciok;;\n\
             isready) echo readyok;;\n\
             go*) n=$((n+1)); [ -e '{works}' ] || [ $n -lt 4 ] || exit 3; echo 'bestmove a1a8';;\n\
             quit) exit 0;;\n\
             esac; done\n"
        ),
    );
    let good = folder.write(
        "good.sh",
        "while read -r line; do case \"$line\" in\n\
         uci) echo uciok;;\n\
         isready) echo readyok;;\n\
         go*) echo 'bestmove a1a8';;\n\
         quit) exit 0;;\n\
         esac; done\n",
    );
    for (may_start, jobs, searched) in [(2, "1", 4), (1, "1", 0), (1, "3", 0), (1, "8", 0)] {
        for old in [&starts, &works, &file] {
            let _ = std::fs::remove_file(old);
        }
        let bad = format!("bad=sh '{script}' {may_start}");
        let good = format!("good=sh '{good}'");
        let engines = ["--no-ibex", "--engine", &bad, "--engine", &good];
        let arguments = [&["epd", &suite, "--depth", "1", "--jobs", jobs, "--resume", &file], &engines[..]].concat();
        let of = |player: &str| {
            let records = records(&folder.read("run.jsonl"));
            let mut lines: Vec<u64> =
                records.iter().filter(|r| r["player"] == player).filter_map(|r| r["line"].as_u64()).collect();
            lines.sort_unstable();
            lines
        };
        let output = ibex(&arguments);
        let said = stderr(&output);
        assert_eq!(status(&output), 2, "{said}");
        assert!(said.contains("ibex-lab epd: bad: given up: it does not start"), "{said}");
        assert!(said.contains(&format!("  bad, many: {} of 16\n", 16 - searched)), "{said}");
        assert!(said.contains("exit status: 7") && said.contains("to continue: the same command"), "{said}");
        assert_eq!((of("bad"), of("good")), ((1..=searched).collect(), (1..=16).collect()), "{said}");
        folder.write("works", "");
        let output = ibex(&arguments);
        assert_eq!(status(&output), 0, "{}", stderr(&output));
        assert_eq!((of("bad"), of("good")), ((1..=16).collect(), (1..=16).collect()), "{}", stderr(&output));
    }
}
