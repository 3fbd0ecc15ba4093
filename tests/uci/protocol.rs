//! Handshake, options, commands at the prompt: the conventions of the protocol.

use super::*;

#[test]
fn the_handshake_lists_names_and_options() {
    let mut engine = Engine::new();
    engine.send("uci");
    engine.expect("uciok");
    let lines = std::mem::take(&mut engine.heard);
    assert!(lines[0].starts_with("id name Ibex "), "{}", lines[0]);
    assert!(lines[1].starts_with("id author "));
    assert!(lines.contains(&"option name Move Overhead type spin default 10 min 0 max 5000".into()));
    engine.send("uci");
    engine.expect("uciok");
    engine.send("quit");
    assert_eq!(engine.end().0, 0);
}

/// Each `go` gets one `bestmove`, whatever else is in the line. On every line here, vampirc-uci's own reader of `go`
/// panics, drops words or gives up.
#[test]
fn one_best_move_for_every_go() {
    let mut engine = Engine::new();
    for go in [
        "go",
        "go ",
        "go  ",
        "go\t",
        "go infinite ",
        "go infinite\t",
        "go depth 5 ",
        "go wtime 100 btime 100 ",
        "go movetime 100 ",
        "go ponder ",
        "go searchmoves e2e4",
        "go depth 256",
        "go depth 300",
        "go depth 1000",
        "go mate 256",
        "go movestogo 300 wtime 100 btime 100",
        "go ponder wtime 1000 btime 1000",
        "go wtime 1000 btime 1000 ponder",
        "go movetime 100 wtime 1000 btime 1000",
        "go infinite wtime 5 btime 5",
        "go nodes 1000000000000",
        "go nodes 18446744073709551615",
        "go wtime 9999999999999 btime 1",
        "go wtime 1000.5 btime 1000",
        "go wtime 1e6",
        "go depth 5 foo nodes 7",
        "go movetime -5",
        "go searchmoves",
        "go searchmoves 0000",
        "go foo depth 5",
        "go rtime 5",
        "go depth -1",
        "go nodes -5",
        "go wtime",
        "go infinite depth 3",
        "go ponder nodes 100",
        "go ponder depth 2",
        "go wtime -100 btime -100",
        "go wtime 0 btime 0",
        "go wtime 1 btime 1 winc 10 binc 10",
        "go winc 100 binc 100",
        "go btime 100",
        "go nodes 1",
        "go wtime 100 btime 100 movestogo -1",
        "go mate 1",
        "GO DEPTH 2",
    ] {
        engine.send("position startpos");
        engine.send(go);
        engine.send("stop");
        let best = engine.best_move();
        assert!(is_legal(&Position::startpos(), &best), "{go}: {best}");
        engine.send("stop");
        let after = engine.ready();
        assert_eq!(count(&after, "bestmove"), 1, "{go}: {after:?}");
    }
}

#[test]
fn stop_in_the_same_breath_is_not_lost() {
    let mut engine = Engine::new();
    let rounds = 200;
    for round in 0..rounds {
        engine.send(match round % 4 {
            0 => "go infinite\nstop",
            1 => "go ponder wtime 60000 btime 60000\nstop",
            2 => "go ponder wtime 20 btime 20\nponderhit",
            _ => "go movetime 1\nstop\nstop",
        });
        engine.best_move();
    }
    let lines = engine.ready();
    assert_eq!(count(&lines, "bestmove"), rounds);
}

#[test]
fn best_moves_wait_for_stop_or_ponderhit() {
    let mut engine = Engine::new();
    for fen in [MATE_IN_ONE, MATED, STALEMATE, THREE_MOVES] {
        for (go, signal) in [
            ("go infinite", "stop"),
            ("go infinite nodes 100", "stop"),
            ("go infinite depth 1", "stop"),
            ("go ponder wtime 1 btime 1", "ponderhit"),
            ("go ponder nodes 100", "ponderhit"),
            ("go ponder depth 2", "ponderhit"),
            ("go ponder movetime 1", "stop"),
        ] {
            engine.send(format!("position fen {fen}"));
            engine.send(go);
            engine.send("ponderhit".repeat(usize::from(signal == "stop" && go.contains("infinite"))));
            std::thread::sleep(Duration::from_millis(60));
            let before = engine.ready();
            assert_eq!(count(&before, "bestmove"), 0, "{go} in {fen}: {before:?}");
            engine.send(signal);
            engine.best_move();
            assert_eq!(count(&engine.ready(), "bestmove"), 1, "{go} in {fen}");
        }
    }
}

#[test]
fn the_session_goes_on_during_a_search() {
    let mut engine = Engine::new();
    engine.send("position startpos\ngo infinite");
    engine.send("isready\n".repeat(1000).trim_end());
    for _ in 0..1000 {
        engine.expect("readyok");
    }
    engine.send("uci");
    engine.expect("uciok");
    engine.send("debug on\ndebug off\nfoo\nd\nposition startpos moves e2e4\nsetoption name Hash value 8\nsetoption name MultiPV value 2");
    engine.send("ucinewgame\nponderhit\nhelp");
    let lines = engine.ready();
    assert_eq!(count(&lines, "bestmove"), 0);
    assert!(lines.contains(&format!("Fen: {}", Position::startpos().fen())), "the position is that of the search");
    engine.send("stop");
    let best = engine.best_move();
    assert!(is_legal(&Position::startpos(), &best));
    // By now, what had to wait has been done, in order.
    assert!(engine.fen().contains("/4P3/"));
    engine.heard.clear();
    engine.send("go depth 3");
    engine.best_move();
    assert!(engine.heard.iter().any(|line| line.contains(" multipv 2 ")));
}

/// What was sent together with `stop` is done when "readyok" comes, although it had to wait for the end of the search.
#[test]
fn ready_after_stop_means_that_the_change_is_made() {
    let mut engine = Engine::new();
    for _ in 0..20 {
        engine.send("go infinite\nstop\nsetoption name Contempt value -101\nisready");
        engine.expect("readyok");
        let lines = std::mem::take(&mut engine.heard);
        let is_made = lines.iter().any(|line| line.contains("set to -100"));
        assert_eq!((count(&lines, "bestmove"), is_made), (1, true), "{lines:?}");
    }
}

/// The ponderhit is for the waiting search, not for the one that gives way to it.
#[test]
fn a_ponderhit_is_for_the_last_search() {
    let mut engine = Engine::new();
    for _ in 0..5 {
        engine.send("go ponder wtime 100 btime 100\ngo ponder wtime 20 btime 20\nponderhit");
        engine.best_move();
        engine.best_move();
    }
    assert_eq!(count(&engine.ready(), "bestmove"), 10);
}

#[test]
fn a_second_go_comes_after_the_first() {
    let mut engine = Engine::new();
    // An infinite search gives way; the following stop is for the new one.
    engine.send("go infinite\ngo infinite\nstop");
    engine.best_move();
    engine.best_move();
    assert_eq!(count(&engine.ready(), "bestmove"), 2);
    // A search that ends on its own is finished, and what came in between belongs to the second.
    engine.send("position startpos\ngo nodes 20000\nposition startpos moves e2e4\ngo nodes 20000");
    assert!(is_legal(&Position::startpos(), &engine.best_move()));
    let mut after = Game::startpos();
    after.play(after.position().parse_move("e2e4").expect("legal"));
    assert!(is_legal(after.position(), &engine.best_move()));
    assert_eq!(count(&engine.ready(), "bestmove"), 2);
}

/// With addresses of 32 bits, Hash has another range.
#[cfg(target_pointer_width = "64")]
#[test]
fn the_documentation_lists_the_options() {
    let page =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/options.md")).expect("readable");
    let table = ibex::uci::option_table();
    assert!(page.contains(&table), "docs/options.md should have this table:\n{table}");
}

#[test]
fn options_are_set_and_faults_reported() {
    let mut engine = Engine::new();
    for (line, remarks) in [
        ("setoption name Hash value 8", 0),
        ("setoption  name  hash   value   8  \r", 0),
        ("setoption name CLEAR  hash", 0),
        ("setoption name Clear Hash value x", 0),
        ("setoption name Hash value 0", 1),
        ("setoption name Hash value -99999999999999999999999", 1),
        ("setoption name Hash value abc", 1),
        ("setoption name Hash value", 1),
        ("setoption name Hash", 1),
        ("setoption name Hash value 1.5", 1),
        ("setoption name Ponder value maybe", 1),
        ("setoption name Foo", 1),
        ("setoption name Foo Bar Baz value q u x", 1),
        ("setoption name Piece Values value 3", 1),
        ("setoption name Evaluation Value value 3", 1),
        ("setoption name value value 3", 1),
        ("setoption", 1),
        ("setoption name", 1),
        ("setoption value 3", 1),
        ("setoption Hash 16", 1),
        ("setoption name Ponder value true", 0),
        ("setoption name UCI_AnalyseMode value true", 0),
        ("setoption name UCI_Opponent value none none computer Foo 1.0", 0),
        ("setoption name Move   Overhead value 4 ", 0),
        ("setoption name Contempt value 12", 0),
        ("setoption name Contempt value -101", 1),
        ("setoption name Contempt value 99999999999999999999", 1),
        ("setoption name Contempt value much", 1),
        ("setoption name Contempt value 0", 0),
        ("setoption name UCI_Opponent value", 0),
        ("setoption name UCI_Opponent value \u{1}\u{2} garbage", 0),
        ("setoption name UCI_Opponent value GM 2700 human Foo", 0),
        ("setoption name Skill Level value 21", 1),
        ("setoption name skill level value 0", 0),
        ("setoption name Skill Level value 20", 0),
        ("setoption name Debug Log File value /no/such/directory/x y.log", 1),
        ("setoption name Debug Log File value <empty>", 0),
    ] {
        engine.send(line);
        let lines = engine.ready();
        assert_eq!(lines.len(), remarks, "{line}: {lines:?}");
        assert!(lines.iter().all(|line| line.starts_with("info string ")), "{line}: {lines:?}");
    }
    engine.send("setoption name multipv value 256\nucinewgame");
    let (best, lines) = engine.search(&format!("position fen {THREE_MOVES}"), "go depth 4");
    assert!(best.starts_with("a1"));
    let last = |n: usize| lines.iter().rev().find(|line| line.contains(&format!(" multipv {n} ")));
    assert!(last(3).is_some() && last(4).is_none());
    engine.send("setoption name MultiPV value 1\nsetoption name UCI_ShowWDL value true");
    let (_, lines) = engine.search("position startpos", "go depth 4");
    for line in lines.iter().filter(|line| line.contains(" score ")) {
        let chances = line.split(" wdl ").nth(1).expect("chances").split(' ').take(3);
        assert_eq!(chances.map(|n| n.parse::<u32>().expect("a number")).sum::<u32>(), 1000);
    }
    engine.send("setoption name UCI_ShowWDL value false");
    let (_, lines) = engine.search("position startpos", "go depth 4");
    assert!(!lines.iter().any(|line| line.contains("wdl")));
}

/// A level below 20 limits the strength, like its rating: the search ends after few nodes, whatever its time.
#[test]
fn skill_levels_are_ratings() {
    let mut engine = Engine::new();
    let nodes = |engine: &mut Engine, settings: &str, go: &str| -> u64 {
        engine.send(settings);
        engine.send("ucinewgame");
        let (_, lines) = engine.search("position startpos moves e2e4 e7e5 g1f3", go);
        let last = lines.iter().rev().find(|line| line.contains(" nodes ")).expect("a line");
        last.split(" nodes ").nth(1).and_then(|rest| rest.split(' ').next()).expect("nodes").parse().expect("a number")
    };
    let go = "go nodes 200000";
    let full = nodes(&mut engine, "setoption name Skill Level value 20", go);
    let least = nodes(&mut engine, "setoption name Skill Level value 0", go);
    let middle = nodes(&mut engine, "setoption name Skill Level value 12", go);
    assert!(least < 11_000 && least < middle && middle < 40_000 && full == 200_000, "{least}, {middle}, {full}");
    // A requested rating comes first; analysis has full strength.
    let rated = "setoption name Skill Level value 0\nsetoption name UCI_LimitStrength value true";
    assert!(nodes(&mut engine, &format!("{rated}\nsetoption name UCI_Elo value 2780"), go) > 40_000);
    let analysis = "setoption name UCI_LimitStrength value false\nsetoption name UCI_AnalyseMode value true";
    assert_eq!(nodes(&mut engine, analysis, go), 200_000);
}

#[test]
fn prompt_commands_are_answered() {
    let mut engine = Engine::new();
    engine.send("go perft 4");
    assert_eq!(engine.expect("Nodes"), "Nodes searched: 197281");
    for named in ["go searchmoves e2e4 d2d4 perft 3", "go perft 3 searchmoves e2e4 d2d4"] {
        engine.send(named);
        assert_eq!(engine.expect("Nodes"), "Nodes searched: 1160", "{named}");
    }
    engine.send("position startpos moves e2e4 e7e5\nperft 1");
    assert_eq!(engine.expect("Nodes"), "Nodes searched: 29");
    engine.send("perft 2");
    assert_eq!(engine.expect("Nodes"), "Nodes searched: 835");
    engine.send("d");
    engine.expect("Checkers:");
    engine.send("position fen 4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\nflip");
    assert_eq!(engine.fen(), "4k3/4p3/8/8/8/8/8/4K3 b - - 0 1");
    engine.ready();
    engine.send("eval");
    let lines = engine.ready();
    assert!(lines.len() > 8, "{lines:?}");
    let files = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("nets")).expect("a folder");
    let mut names =
        files.flatten().map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|e| e == "ibxn"));
    if let (Some(network), None) = (names.next(), option_env!("EVALFILE")) {
        let name = format!("network '{}',", network.file_stem().unwrap_or_default().display());
        assert!(lines.iter().any(|line| line.starts_with(&name)), "{name} in {lines:?}");
    } else {
        eprintln!("SKIPPED: the network of nets/ is not built in");
    }
    for (command, wanted) in
        [("help", "go perft N"), ("compiler", "compiled by"), ("license", "GNU General Public License")]
    {
        engine.send(command);
        let lines = engine.ready();
        assert!(lines.iter().any(|line| line.contains(wanted)), "{command}: {lines:?}");
    }
}

/// A position given during a search waits for its end, and `d` after it waits as well; before it, `d` shows at once
/// the position being searched.
#[test]
fn the_position_that_is_shown_is_the_last_that_was_given() {
    let mut engine = Engine::new();
    engine.send("go infinite\nd");
    assert!(engine.expect("Fen:").ends_with(" w KQkq - 0 1"));
    engine.expect("To");
    engine.ready();
    engine.send("position startpos moves e2e4\nd\neval");
    let lines = engine.ready();
    assert_eq!(count(&lines, "info"), lines.len(), "{lines:?}");
    engine.send("stop");
    assert!(engine.expect("Fen:").ends_with(" b KQkq - 0 1"));
    assert_eq!(count(&engine.heard, "bestmove"), 1);
}

#[test]
fn arguments_are_run_as_lines() {
    for (arguments, wanted) in [
        (&["uci", "quit"][..], "uciok"),
        (&["uci"], "uciok"),
        (&["go", "depth", "3"], "bestmove "),
        (&["position startpos moves e2e4", "go depth 3", "quit"], "bestmove "),
        (&["position startpos", "go infinite"], "bestmove "),
        (&["--foo=bar", "isready"], "readyok"),
        (&["go perft 3"], "Nodes searched: 8902"),
        (&["isready now"], "readyok"),
    ] {
        let output = run(arguments);
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{arguments:?}");
        assert!(text.lines().any(|line| line.starts_with(wanted)), "{arguments:?}: {text}");
    }
    let mut engine = Engine::start(&["--name=Ibex", "--threads=1"]);
    engine.send("uci");
    engine.expect("uciok");
    engine.close();
    let (status, errors, _) = engine.end();
    assert_eq!(status, 0);
    assert_eq!(errors.lines().count(), 2, "{errors}");
}

/// A word that is neither a command nor UCI is an error, with the nearest command or with advice for the file.
#[test]
fn unknown_commands_are_errors_with_advice() {
    for (arguments, wanted) in [
        (&["banch"][..], "'bench'"),
        (&["annalyse", "games.pgn"], "'analyse'"),
        (&["games.pgn"], "ibex-lab analyse"),
        (&["epd/mates.epd", "--nodes", "1000"], "ibex-lab epd"),
        (&["xyzzy"], "ibex --help"),
    ] {
        let output = run(arguments);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{arguments:?}");
        assert!(errors.lines().count() == 1 && errors.contains(wanted), "{arguments:?}: {errors}");
    }
}

#[test]
fn bench_takes_the_arguments_of_other_engines() {
    let nodes = |arguments: &[&str]| {
        let output = run(arguments);
        assert!(output.status.success(), "{arguments:?}");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.lines().last().and_then(|line| line.split(' ').next()).map(str::to_owned).expect("a line")
    };
    assert_eq!(nodes(&["bench", "8", "1", "3"]), nodes(&["bench 8 1 3"]));
    for bad in [&["bench", "16", "1"][..], &["bench", "16", "x", "12"], &["bench", "16", "1", "12", "default"]] {
        let output = run(bad);
        let errors = String::from_utf8_lossy(&output.stderr);
        let lines = errors.lines().count() + output.stdout.iter().filter(|&&byte| byte == b'\n').count();
        assert_eq!(lines, 1, "{bad:?}: {errors}");
        assert_eq!(output.status.code(), Some(2), "{bad:?}");
    }
}

#[test]
fn the_signature_of_bench_is_a_number_alone() {
    let nodes = |arguments: &[&str]| String::from_utf8(run(arguments).stdout).expect("a text");
    let (signature, whole) = (nodes(&["bench", "--signature", "3"]), nodes(&["bench", "3"]));
    assert_eq!(whole.lines().last().and_then(|line| line.split(' ').next()), Some(signature.trim_end()));
    assert_eq!(whole.lines().count(), ibex::bench::POSITIONS.len() + 1);
}

/// What goes into a tuner's page holds no message.
#[test]
fn spsa_without_such_a_parameter_is_an_error() {
    let output = run(&["spsa", "recognizers"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty(), "{}", String::from_utf8_lossy(&output.stdout));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "ibex: spsa: no tunable parameter has such a name\n");
}

#[test]
fn help_names_both_programs() {
    let (version, help) = (run(&["--version"]), run(&["--help"]));
    assert!(version.status.success() && String::from_utf8_lossy(&version.stdout).starts_with("ibex "));
    let help = String::from_utf8_lossy(&help.stdout).into_owned();
    assert!(["bench", "perft", "spsa", "ibex-lab"].iter().all(|word| help.contains(word)), "{help}");
    let mut commands = ibex::laboratory::COMMANDS.iter().filter(|&&word| word != "analyze");
    assert!(commands.all(|word| help.contains(&format!("  {word} "))), "{help}");
    // It is primarily a UCI engine: a command is not needed.
    assert!(help.contains("\nUsage: ibex [COMMAND | UCI LINE...]\n"), "{help}");
}

/// A copy of the engine in a folder of its own.
#[cfg(unix)]
fn copied(scratch: &Scratch) -> PathBuf {
    let copy = scratch.0.join("ibex");
    crate::copies::copied(env!("CARGO_BIN_EXE_ibex"), &copy);
    copy
}

#[cfg(unix)]
#[test]
fn without_the_laboratory_its_words_say_what_to_do() {
    let scratch = Scratch::new("no laboratory");
    let copy = copied(&scratch);
    for (words, named) in [
        (&["epd", "x.epd"][..], "'epd' is a command of ibex-lab"),
        (&["analyze"], "'analyze' is a command of ibex-lab"),
        (&["perft", "epd/perft.epd"], "'perft' is a command of ibex-lab"),
        (&["help", "prove"], "'prove' is a command of ibex-lab"),
        (&["perft"], "perft: expected a depth"),
    ] {
        let output = Command::new(&copy).args(words).output().expect("the program starts");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{words:?}: {errors}");
        assert!(errors.contains("ibex-lab") && errors.lines().count() == 1, "{words:?}: {errors}");
        assert!(errors.starts_with(&format!("ibex: {named}")), "{words:?}: {errors}");
    }
}

/// The laboratory gets the arguments, the streams and the version, and its exit status is the engine's.
#[cfg(unix)]
#[test]
fn words_of_the_laboratory_are_handed_over() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    let scratch = Scratch::new("laboratory");
    let copy = copied(&scratch);
    let script = "#!/bin/sh\nread line\necho \"$line $# $1 $2 $IBEX_CALLER_VERSION\"\necho trouble >&2\nexit 7\n";
    scratch.write("ibex-lab", script);
    let laboratory = scratch.0.join("ibex-lab");
    std::fs::set_permissions(laboratory, std::fs::Permissions::from_mode(0o755)).expect("a program");
    // A link elsewhere leads to the same folder.
    std::fs::create_dir(scratch.0.join("bin")).expect("a folder");
    let link = scratch.0.join("bin/ibex");
    symlink(&copy, &link).expect("a link");
    for program in [copy, link] {
        let mut child = Command::new(program)
            .args(["epd", "two words"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        child.stdin.take().expect("a pipe").write_all(b"input\n").expect("it reads");
        let output = child.wait_with_output().expect("an end");
        let text = String::from_utf8_lossy(&output.stdout);
        assert_eq!(text, format!("input 2 epd two words {}\n", ibex::VERSION));
        assert_eq!((output.status.code(), &*output.stderr), (Some(7), &b"trouble\n"[..]));
    }
}

/// The messages of `debug on` are for people.
#[test]
fn debug_messages_are_in_plain_words() {
    let mut engine = Engine::new();
    engine.send("debug on");
    for (go, wanted) in [
        ("go depth 2 nodes 500 searchmoves e2e4", "limits: depth 2, nodes 500, root moves e2-e4"),
        ("go wtime 1000 btime 2000 winc 10 movestogo 3 depth 1", "white's clock 1000 ms + 10 ms"),
        ("go movetime 5", "limits: move time 5 ms"),
    ] {
        let (_, lines) = engine.search("position startpos", go);
        let told = lines.iter().find(|line| line.contains("limits: ")).expect("a line");
        assert!(told.contains(wanted) && !told.contains(['{', '(', '[']), "{told}");
    }
    engine.send("position fen 7k/6Q1/6K1/8/8/8/8/8 b - - 0 1\nd");
    let lines = engine.ready();
    assert!(lines.contains(&"The game is over: checkmate".to_owned()), "{lines:?}");
}

/// A word of the prompt comes first: what follows it is not a command.
#[test]
fn help_on_a_command_does_not_carry_it_out() {
    let mut engine = Engine::new();
    engine.send("position startpos moves e2e4\nhelp go\nhelp position\nd stop\neval quit");
    let lines = engine.ready();
    assert_eq!(lines.iter().filter(|line| line.contains("count the positions N plies ahead")).count(), 2, "{lines:?}");
    assert!(lines.iter().all(|line| !line.starts_with("info")), "{lines:?}");
    assert!(engine.fen().starts_with("rnbqkbnr/pppppppp/8/8/4P3/"));
}

/// As README describes the variable.
#[test]
fn the_log_on_standard_error_shows_the_protocol() {
    let with = |level: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ibex"));
        command.arg("uci").env("IBEX_LOG", level).stdin(Stdio::null());
        let output = command.output().expect("the program starts");
        [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).expect("text"))
    };
    let ([quiet, nothing], [plain, log]) = (with("warn"), with("debug"));
    assert_eq!((quiet.as_str(), nothing.as_str()), (plain.as_str(), ""));
    for line in ["> uci", "< id name Ibex", "< uciok"] {
        assert!(log.lines().any(|l| l.contains(line)), "{line} in {log}");
    }
}

/// Opening a pipe without a reader would wait for one.
#[cfg(unix)]
#[test]
fn a_log_on_a_pipe_is_refused() {
    let scratch = Scratch::new("log on a pipe");
    let pipe = scratch.path("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("a program of every Unix").success());
    let mut engine = Engine::new();
    engine.send(format!("setoption name Debug Log File value {pipe}"));
    let lines = engine.ready();
    assert!(lines.len() == 1 && lines[0].starts_with("info string cannot write the log file"), "{lines:?}");
}

#[test]
fn the_log_file_has_both_directions() {
    const OPPONENT: &str = "the opponent is GM 2800 human Gary Kasparov";
    let scratch = Scratch::new("log of both directions");
    let mut engine = Engine::new();
    engine.send(format!("setoption name Debug Log File value {}", scratch.path("uci.log")));
    engine.send("setoption name UCI_Opponent value GM 2800 human Gary Kasparov");
    engine.ready();
    engine.send("position startpos\ngo depth 2");
    engine.best_move();
    engine.send("setoption name Debug Log File value <empty>\nisready\nuci");
    engine.expect("uciok");
    let log = scratch.read("uci.log");
    for line in ["> isready", "< readyok", "> go depth 2", "< info depth 1", "< bestmove ", OPPONENT] {
        assert!(log.lines().any(|l| l.starts_with("[20") && l.contains(line)), "{line} in {log}");
    }
    assert!(!log.contains("uciok"), "closed again");
}
