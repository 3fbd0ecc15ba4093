//! Sessions with the real program, as chess programs hold them.
//!
//! Every wait has a generous limit that only a hang can reach; nothing here measures time.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use ibex::position::{Game, Position};
use shakmaty::CastlingMode;

const PATIENCE: Duration = Duration::from_secs(60);

const MATED: &str = "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1";
const STALEMATE: &str = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1";
const MATE_IN_ONE: &str = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1";
const THREE_MOVES: &str = "7k/8/8/8/8/8/8/K7 w - - 0 1";

/// A running engine.
struct Engine {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    /// Everything that it has said and that was read.
    heard: Vec<String>,
}

impl Engine {
    fn start(arguments: &[&str]) -> Engine {
        let mut child = Command::new(env!("CARGO_BIN_EXE_ibex"))
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let (sender, lines) = channel();
        let output = child.stdout.take().expect("a pipe");
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines() {
                let Ok(line) = line else { break };
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Engine { input: child.stdin.take(), child, lines, heard: Vec::new() }
    }

    fn new() -> Engine {
        Engine::start(&[])
    }

    fn send(&mut self, text: impl AsRef<[u8]>) {
        let input = self.input.as_mut().expect("not closed");
        input.write_all(text.as_ref()).and_then(|()| input.write_all(b"\n")).expect("the engine listens");
    }

    fn close(&mut self) {
        self.input = None;
    }

    /// The next line that begins with `word`.
    fn expect(&mut self, word: &str) -> String {
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) => {
                    self.heard.push(line.clone());
                    if line.split(' ').next() == Some(word) {
                        return line;
                    }
                }
                Err(error) => panic!("no {word}: {error}; heard {:#?}", self.heard.last_chunk::<5>()),
            }
        }
    }

    /// Waits until everything that was sent has been dealt with; returns what came since the last call.
    fn ready(&mut self) -> Vec<String> {
        self.send("isready");
        self.expect("readyok");
        let mut lines = std::mem::take(&mut self.heard);
        lines.pop();
        lines
    }

    fn best_move(&mut self) -> String {
        let line = self.expect("bestmove");
        line.split(' ').nth(1).expect("a move").to_owned()
    }

    /// Searches, and returns the move with everything that was told on the way.
    fn search(&mut self, position: &str, go: &str) -> (String, Vec<String>) {
        self.ready();
        self.send(position);
        self.send(go);
        let best = self.best_move();
        (best, std::mem::take(&mut self.heard))
    }

    /// The FEN of the engine's position.
    fn fen(&mut self) -> String {
        self.send("d");
        self.expect("Fen:")["Fen: ".len()..].to_owned()
    }

    /// Waits for the end of the program; its exit status, what it said on standard error, and the rest of its lines.
    fn end(mut self) -> (i32, String, Vec<String>) {
        let start = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("a status") {
                break status;
            }
            assert!(start.elapsed() < PATIENCE, "the program does not end");
            std::thread::sleep(Duration::from_millis(5));
        };
        let mut errors = String::new();
        let _ = self.child.stderr.take().expect("a pipe").read_to_string(&mut errors);
        let rest = self.lines.iter().collect();
        (status.code().unwrap_or(-1), errors, rest)
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn count(lines: &[String], word: &str) -> usize {
    lines.iter().filter(|line| line.split(' ').next() == Some(word)).count()
}

fn is_legal(position: &Position, text: &str) -> bool {
    position.parse_move(text).is_some()
}

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ibex")).args(arguments).stdin(Stdio::null()).output().expect("the program starts")
}

#[test]
fn handshake() {
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

#[test]
fn dirt_in_the_input() {
    let mut engine = Engine::new();
    engine.send(b"\xef\xbb\xbfuci");
    engine.expect("uciok");
    for dirt in [
        &b"\r"[..],
        b"",
        b" \t ",
        b"\0\0",
        b"\xff\xfe\x80\x81 garbage",
        b"# stop",
        b"xyzzy 1 2 3",
        b"isreadyx",
        b"joho debug on",
        b"debug joho off",
        b"stop\0",
        b"register later",
        b"register",
        b"ponderhit",
        b"setoption name UCI_Opponent value none none human J\xf6rg",
    ] {
        engine.send(dirt);
    }
    engine.send(vec![b'x'; 1_000_000]);
    engine.send([&vec![b' '; 1_000_000][..], b"foo isready\0\r"].concat());
    engine.expect("readyok");
    let lines = std::mem::take(&mut engine.heard);
    assert_eq!(count(&lines, "bestmove"), 0);
    let e4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
    for line in [
        "position  startpos   moves  e2e4",
        "  position\tstartpos\tmoves\te2e4\t\r",
        "joho position startpos moves e2e4",
        "position fen rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3",
    ] {
        engine.send("position startpos");
        engine.send(line);
        assert_eq!(engine.fen(), e4, "{line}");
    }
}

/// Each `go` gets one `bestmove`, whatever else is in the line. Every line here makes vampirc-uci's own reader of `go`
/// panic, drop words or give up.
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
fn nothing_is_told_before_its_time() {
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
    engine.send("debug on\ndebug off\nfoo\nposition startpos moves e2e4\nsetoption name Hash value 8\nsetoption name MultiPV value 2");
    engine.send("ucinewgame\nponderhit\nd\nhelp");
    let lines = engine.ready();
    assert_eq!(count(&lines, "bestmove"), 0);
    assert!(lines.contains(&format!("Fen: {}", Position::startpos().fen())), "the position is that of the search");
    engine.send("stop");
    let best = engine.best_move();
    assert!(is_legal(&Position::startpos(), &best));
    // What had to wait has been done by now, in order.
    assert!(engine.fen().contains("/4P3/"));
    engine.heard.clear();
    engine.send("go depth 3");
    engine.best_move();
    assert!(engine.heard.iter().any(|line| line.contains(" multipv 2 ")));
}

#[test]
fn a_second_go_comes_after_the_first() {
    let mut engine = Engine::new();
    // An endless search gives way; the stop that follows is for the new one.
    engine.send("go infinite\ngo infinite\nstop");
    engine.best_move();
    engine.best_move();
    assert_eq!(count(&engine.ready(), "bestmove"), 2);
    // A search that ends by itself is finished, and what stood between belongs to the second.
    engine.send("position startpos\ngo nodes 20000\nposition startpos moves e2e4\ngo nodes 20000");
    assert!(is_legal(&Position::startpos(), &engine.best_move()));
    let mut after = Game::startpos();
    after.play(after.position().parse_move("e2e4").expect("legal"));
    assert!(is_legal(after.position(), &engine.best_move()));
    assert_eq!(count(&engine.ready(), "bestmove"), 2);
}

#[test]
fn quit_and_the_end_of_the_input() {
    for (text, best_moves) in [
        ("quit", 0),
        ("", 0),
        ("uci\nisready", 0),
        ("position startpos\ngo depth 6", 1),
        ("go depth 4\nposition startpos moves e2e4\ngo depth 4", 2),
        ("go infinite", 1),
        ("go ponder wtime 1000 btime 1000", 1),
        ("go infinite\nquit", 1),
        ("go infinite\ngo infinite", 2),
        ("go perft 3", 0),
        ("go perft 9\nquit", 0),
    ] {
        let mut engine = Engine::new();
        if !text.is_empty() {
            engine.send(text);
        }
        engine.close();
        let (status, errors, lines) = engine.end();
        assert_eq!((status, errors.as_str()), (0, ""), "{text}");
        assert_eq!(count(&lines, "bestmove"), best_moves, "{text}: {lines:?}");
        if text.contains("depth 6") {
            assert!(lines.iter().any(|line| line.starts_with("info depth 6 ")), "finished, not cut: {lines:?}");
        }
    }
}

#[test]
fn a_reader_that_goes_away() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ibex"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    let mut input = child.stdin.take().expect("a pipe");
    // The engine may be gone before all is written.
    let _ = input.write_all(b"uci\nposition startpos\ngo depth 6\nisready\n");
    let output = child.wait_with_output().expect("it ends although its input is open");
    assert!(output.status.success(), "{:?}", output.status);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    drop(input);
}

#[test]
fn bad_positions_are_told_once_and_change_nothing() {
    let mut engine = Engine::new();
    engine.send("position startpos moves d2d4 g8f6");
    let before = engine.fen();
    engine.ready();
    for bad in [
        "position",
        "position fen",
        "position moves e2e4",
        "position startpos e2e4",
        "position startposmoves e2e4",
        "position startpos moves e2e4 0000 e7e5",
        "position startpos moves e2e4 xxxx e7e5",
        "position startpos moves e2e4 e7e9",
        "position startpos moves e2e4 e7e5 e1e8 g1f3",
        "position startpos moves e2",
        "position startpos moves e2e4e7e5",
        "position startpos moves a7a8k",
        "position fen 8/8/8/8/8/8/8/8 w - - 0 1",
        "position fen 4k3/8/8/8/8/8/8/8 w - - 0 1",
        "position fen 4kk2/8/8/8/8/8/8/4K3 w - - 0 1",
        "position fen 4k3/8/8/8/8/8/8/4KP2 w - - 0 1",
        "position fen 4k3/8/8/8/8/8/4r3/4K3 b - - 0 1",
        "position fen 8/8/8/8/8/4k3/4K3/8 w - - 0 1",
        "position fen QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/8/8/8/k7/7K b - - 0 1",
        "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR x KQkq - 0 1",
        "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e9 0 1",
        "position fen rnbqkbnr/pppppppp/9/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 99999999999999999999 1",
    ] {
        engine.send(bad);
        let lines = engine.ready();
        assert_eq!((lines.len(), count(&lines, "info")), (1, 1), "{bad}: {lines:?}");
        assert_eq!(engine.fen(), before, "{bad}");
        engine.ready();
    }
    engine.send(format!("position fen {}", "8/".repeat(500_000)));
    let lines = engine.ready();
    assert!(lines.len() == 1 && lines[0].len() < 1000);
}

#[test]
fn roots_without_a_move() {
    let mut engine = Engine::new();
    for (fen, score) in [(MATED, "mate 0"), (STALEMATE, "cp 0")] {
        for go in ["go depth 5", "go movetime 10", "go wtime 1000 btime 1000", "go mate 3", "go nodes 50"] {
            let (best, lines) = engine.search(&format!("position fen {fen}"), go);
            assert_eq!(best, "(none)");
            assert!(lines.contains(&format!("info depth 0 score {score}")), "{lines:?}");
        }
    }
    let (best, _) = engine.search("position startpos", "go depth 2");
    assert!(is_legal(&Position::startpos(), &best));
}

#[test]
fn the_last_line_belongs_to_the_move() {
    let mut engine = Engine::new();
    for fen in [
        "r1bq1rk1/pp2bppp/2n1pn2/3p4/3P4/2NB1N2/PP3PPP/R1BQ1RK1 w - - 0 10",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "3r2nk/6pp/6q1/6N1/7Q/8/6K1/8 w - - 0 1",
    ] {
        for go in ["go nodes 3000", "go nodes 20000", "go depth 7", "go movetime 30"] {
            let (best, lines) = engine.search(&format!("position fen {fen}"), go);
            let last = lines.iter().rev().find(|line| line.contains(" pv ")).expect("a line");
            assert!(last.contains(&format!(" pv {best}")), "{best} after {last}");
            for field in ["depth", "seldepth", "multipv", "nodes", "nps", "hashfull", "tbhits", "time"] {
                let value = last.split(&format!(" {field} ")).nth(1).and_then(|rest| rest.split(' ').next());
                assert!(value.is_some_and(|value| value.parse::<u64>().is_ok()), "{field} in {last}");
            }
            assert!(last.contains(" score cp ") || last.contains(" score mate "), "{last}");
            // A short mate is proved to the last depth before the nodes are spent.
            if let Some(nodes) = go.strip_prefix("go nodes ").filter(|_| !last.contains(" score mate ")) {
                assert!(last.contains(&format!(" nodes {nodes} ")), "{last}");
            }
        }
    }
}

#[test]
fn castling_in_both_modes() {
    let standard = "8/3b2P1/8/8/4R2Q/5k2/8/4K2R w K - 0 1";
    let mut engine = Engine::new();
    assert_eq!(engine.search(&format!("position fen {standard}"), "go depth 5").0, "e1g1");
    assert_eq!(engine.search(&format!("position fen {}", standard.replace(" K ", " H ")), "go depth 5").0, "e1g1");
    engine.send("setoption name uci_chess960 value TRUE");
    assert_eq!(engine.search(&format!("position fen {standard}"), "go depth 5").0, "e1h1");
    for (fen, best) in [
        ("8/8/8/7b/3Q4/R1N2kp1/8/2K3R1 w G - 0 1", "c1g1"),
        ("8/8/8/7b/3Q4/R1N2kp1/8/2K3R1 w K - 0 1", "c1g1"),
        ("4b3/8/2Q2B2/8/4R3/2Nk4/8/1R3K2 w B - 0 1", "f1b1"),
        ("8/7P/3bR3/8/7Q/5k2/8/1K2R2R w E - 0 1", "b1e1"),
    ] {
        assert_eq!(engine.search(&format!("position fen {fen}"), "go depth 5").0, best, "{fen}");
    }
    engine.send("setoption name UCI_Chess960 value false");
    assert_eq!(engine.search(&format!("position fen {standard}"), "go depth 5").0, "e1g1");
    // Both notations are read in both modes.
    for moves in ["e1g1 e8c8", "e1h1 e8a8"] {
        engine.send(format!("position fen r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1 moves {moves}"));
        assert!(engine.fen().starts_with("2kr3r/8/8/8/8/8/8/R4RK1 w"), "{moves}");
    }
}

#[test]
fn the_readme_lists_the_options() {
    let readme = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).expect("readable");
    let table = ibex::uci::option_table();
    assert!(readme.contains(&table), "README.md should have this table:\n{table}");
}

#[test]
fn options() {
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
        ("setoption name Own Rating value -5", 1),
        ("setoption name Own Rating value 2800", 0),
        ("setoption name UCI_Opponent value none none computer Foo 1.0", 1),
        ("setoption name UCI_Opponent value GM 99999 human Foo", 1),
        ("setoption name UCI_Opponent value \u{1}\u{2} garbage", 1),
        ("setoption name UCI_Opponent value GM 2700 human Foo", 0),
        ("setoption name Own Rating value 0", 0),
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

/// What the laboratory is told and cannot do is refused with an error that names it; nothing is searched.
#[test]
fn the_laboratory_refuses_what_it_cannot_do() {
    for (arguments, named) in [
        (&["lab", "draws", "--depth", "0"][..], "1..=60"),
        (&["lab", "draws", "--depth", "61"], "1..=60"),
        (&["lab", "draws", "--depth", "many"], "--depth"),
        (&["lab", "grain", "--hash", "0"], "1..=65536"),
        (&["lab", "grain", "--every", "0"], "--every"),
        (&["lab", "nonsense"], "nonsense"),
        (&["lab", "table", "--epd", "no/such/file.epd"], "no/such/file.epd"),
    ] {
        let output = run(arguments);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
        let first = error.lines().next().unwrap_or_default();
        assert!(first.contains(named) && !error.contains("panicked"), "{arguments:?}: {error}");
    }
}

#[test]
fn searchmoves_and_mates() {
    let mut engine = Engine::new();
    for (moves, allowed) in
        [("a2a3", &["a2a3"][..]), ("b1a3 g1h3 f2f3", &["b1a3", "g1h3", "f2f3"]), ("e2e5 a2a3 a1a8", &["a2a3"])]
    {
        for go in [format!("go depth 5 searchmoves {moves}"), format!("go searchmoves {moves} depth 5")] {
            let (best, _) = engine.search("position startpos", &go);
            assert!(allowed.contains(&best.as_str()), "{go}: {best}");
        }
    }
    let (best, lines) = engine.search("position fen 3r2nk/6pp/6q1/6N1/7Q/8/6K1/8 w - - 0 1", "go mate 2");
    assert_eq!(best, "h4h7");
    assert!(lines.iter().any(|line| line.contains(" score mate 2 ")));
}

/// A line that ends in mate has as many moves as it claims, and ends in mate.
#[test]
fn mates_are_told_to_their_end() {
    let mut engine = Engine::new();
    let (mut told, mut short) = (0, Vec::new());
    for fen in [
        "3r2nk/6pp/6q1/6N1/7Q/8/6K1/8 w - - 0 1",
        "k7/2Q5/8/8/8/8/8/1K6 w - - 0 1",
        "7k/8/5K2/6Q1/8/8/8/8 w - - 98 100",
        "5R2/8/2k5/8/2KPp3/4B3/8/7b w - - 0 1",
        "6R1/5r1k/p6b/1pB1p2q/1P6/5rQP/5P1K/6R1 w - - 0 1",
        "6k1/3r1p2/p6p/1b1q1N2/1P3Q2/P5PP/5R1K/8 w - - 0 1",
    ] {
        let (_, lines) = engine.search(&format!("position fen {fen}"), "go nodes 50000");
        for line in lines.iter().filter(|line| !line.contains("bound")) {
            let Some(moves) = line.split(" score mate ").nth(1) else { continue };
            let moves: i32 = moves.split(' ').next().and_then(|n| n.parse().ok()).expect("a number");
            let mut position = Position::from_fen(fen, CastlingMode::Standard).expect("valid");
            let pv: Vec<&str> = line.split(" pv ").nth(1).expect("a line").split(' ').collect();
            for text in &pv {
                position.play(position.parse_move(text).expect("legal"));
            }
            let whole = pv.len() as i32 == if moves > 0 { 2 * moves - 1 } else { -2 * moves };
            if !whole || !position.in_check() || position.has_legal_move() {
                short.push(format!("{fen}: {line}"));
            }
            told += 1;
        }
    }
    // A long way that nothing knows any more may stay untold; it is the exception.
    assert!(told > 50 && short.len() * 20 <= told, "{told}, short: {short:#?}");
}

#[test]
fn long_games() {
    let mut engine = Engine::new();
    let shuffle = "g1f3 g8f6 f3g1 f6g8 ".repeat(250);
    let (best, _) = engine.search(&format!("position startpos moves {shuffle}"), "go depth 4");
    assert!(is_legal(&Position::startpos(), &best));
    // Five thousand plies of nothing but knights.
    let shuffle = "g1f3 g8f6 f3g1 f6g8 ".repeat(1250);
    let (best, _) = engine.search(&format!("position startpos moves {shuffle}"), "go movetime 20");
    assert!(is_legal(&Position::startpos(), &best));
    let many = "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1";
    let (best, _) = engine.search(&format!("position fen {many}"), "go depth 2");
    assert!(is_legal(&Position::from_fen(many, CastlingMode::Standard).expect("valid"), &best));
}

#[test]
fn the_prompt() {
    let mut engine = Engine::new();
    engine.send("go perft 4");
    assert_eq!(engine.expect("Nodes"), "Nodes searched: 197281");
    engine.send("position startpos moves e2e4 e7e5\nperft 2");
    engine.expect("Nodes");
    engine.send("d");
    engine.expect("Checkers:");
    engine.send("position fen 4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\nflip");
    assert_eq!(engine.fen(), "4k3/4p3/8/8/8/8/8/4K3 b - - 0 1");
    engine.ready();
    for command in ["help", "compiler", "license", "eval"] {
        engine.send(command);
        assert!(!engine.ready().is_empty(), "{command}");
    }
}

#[test]
fn the_same_nodes_again() {
    let mut engine = Engine::new();
    let mut results = VecDeque::new();
    for _ in 0..2 {
        engine.send("ucinewgame");
        let (_, lines) = engine.search("position startpos moves e2e4", "go nodes 30000");
        let told: Vec<String> = lines
            .iter()
            .filter_map(|line| Some((line.split(" nps ").next()?, line.split(" pv ").nth(1)?)))
            .map(|(head, pv)| format!("{head} {pv}"))
            .collect();
        assert!(told.len() > 3, "{lines:?}");
        results.push_back(told);
    }
    assert_eq!(results[0], results[1]);
}

#[test]
fn nodes_as_time() {
    let mut engine = Engine::new();
    engine.send("setoption name nodestime value 100\nsetoption name Move Overhead value 0");
    let mut told = Vec::new();
    for _ in 0..2 {
        engine.send("ucinewgame");
        let (best, lines) = engine.search("position startpos", "go wtime 3000 btime 3000");
        let last = lines.iter().rev().find(|line| line.contains(" nodes ")).expect("a line");
        let nodes = last.split(" nodes ").nth(1).and_then(|rest| rest.split(' ').next()).map(str::to_owned);
        told.push((best, nodes.expect("nodes").parse::<u64>().expect("a number")));
    }
    assert_eq!(told[0], told[1], "the same game on every machine");
    assert!(told[0].1 <= 300_000, "{told:?}");
    let (_, lines) = engine.search("position startpos", "go movetime 50");
    assert!(lines.iter().rev().find(|line| line.contains(" nodes ")).is_some_and(|line| line.contains(" nodes 5120 ")));
}

#[test]
fn arguments() {
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

#[test]
fn the_log_file_has_both_directions() {
    let path = std::env::temp_dir().join(format!("ibex uci test {}.log", std::process::id()));
    let _ = std::fs::remove_file(&path);
    let mut engine = Engine::new();
    engine.send(format!("setoption name Debug Log File value {}", path.display()));
    engine.ready();
    engine.send("position startpos\ngo depth 2");
    engine.best_move();
    engine.send("setoption name Debug Log File value <empty>\nisready\nuci");
    engine.expect("uciok");
    let log = std::fs::read_to_string(&path).expect("the log");
    std::fs::remove_file(&path).expect("removed");
    for line in ["> isready", "< readyok", "> go depth 2", "< info depth 1", "< bestmove "] {
        assert!(log.lines().any(|l| l.starts_with("[20") && l.contains(line)), "{line} in {log}");
    }
    assert!(!log.contains("uciok"), "closed again");
}

/// Lists of good and bad FENs that lie beside the checkout where the project is measured, each with the verdict of
/// python-chess: what is bad gets one remark, and the position stays as it was.
#[test]
fn lists_of_bad_positions() {
    let shared = std::env::var_os("IBEX_SHARED")
        .map_or_else(|| std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"), std::path::PathBuf::from);
    let (mut engine, mut checked) = (Engine::new(), 0);
    for (file, column) in [("fen_validation_chessjs.tsv", 1), ("fen_malformed_handmade.tsv", 0)] {
        let Ok(list) = std::fs::read_to_string(shared.join("data/fen").join(file)) else {
            eprintln!("SKIPPED: no list of positions {file} under {} (set IBEX_SHARED)", shared.display());
            return;
        };
        for line in list.lines().filter(|line| !line.starts_with('#')) {
            let fields: Vec<&str> = line.split('\t').collect();
            // The list writes a tab as two characters.
            let fen = fields[column].trim_matches('\'').replace("\\t", "\t");
            let verdict = *fields.last().expect("a verdict");
            // Two differences: castling rights may stand in any order, and absurd counters are refused.
            let valid = verdict.starts_with("VALID") && !fen.contains("99999") || fen.contains(" kqKQ ");
            engine.send("position fen 7k/8/8/8/8/8/8/K7 w - - 3 44");
            engine.send(format!("position fen {fen}"));
            let remarks = engine.ready();
            let unchanged = engine.fen() == "7k/8/8/8/8/8/8/K7 w - - 3 44";
            // What `d` has to say behind the FEN is not for the next position.
            engine.ready();
            assert_eq!(remarks.len(), usize::from(!valid), "{line}: {remarks:?}");
            assert!(remarks.iter().all(|remark| remark.starts_with("info string ")), "{line}: {remarks:?}");
            assert_eq!(unchanged, !valid, "{line}");
            checked += 1;
        }
    }
    assert!(checked > 150, "{checked}");
}

/// The public tablebases, where they lie beside the checkout; a loud line where they do not.
fn tablebases() -> Option<PathBuf> {
    let shared = std::env::var_os("IBEX_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    let path = shared.join("data/syzygy");
    if path.is_dir() {
        return Some(path);
    }
    eprintln!("SKIPPED: {} is not there (set IBEX_SHARED)", path.display());
    None
}

/// Stopped before it could see anything, a search still completes its first iteration: a move comes with its line.
#[test]
fn a_search_that_is_stopped_at_once_has_looked_at_the_moves() {
    let mut engine = Engine::new();
    for _ in 0..20 {
        engine.send("ucinewgame");
        let (best, told) = engine.search(&format!("position fen {MATE_IN_ONE}"), "go infinite\nstop");
        assert!(told.iter().any(|line| line.contains("score mate 1 ") && line.ends_with(&best)), "{told:?}");
    }
}

/// The number behind a word of a line.
fn number(line: &str, word: &str) -> Option<i32> {
    line.split(' ').skip_while(|&w| w != word).nth(1)?.parse().ok()
}

fn remarks_of(lines: &[String]) -> Vec<&String> {
    lines.iter().filter(|line| line.starts_with("info string ")).collect()
}

#[test]
fn tablebases_at_the_root_and_in_the_tree() {
    let Some(folder) = tablebases() else { return };
    let mut engine = Engine::new();
    engine.send(format!("setoption name SyzygyPath value {}", folder.display()));
    assert_eq!(engine.ready(), [""; 0]);
    let scores = |lines: &[String], line: i32| -> Vec<i32> {
        let told = lines.iter().filter(|told| number(told, "multipv") == Some(line));
        told.filter_map(|told| number(told, "cp")).collect()
    };

    // Every line has the score that the tables prove, the winning ones first; a draw is 0 although a pawn is more.
    engine.send("setoption name MultiPV value 8");
    let (best, lines) = engine.search("position fen 8/8/8/3k4/8/4K3/4P3/8 w - - 0 1", "go nodes 2000");
    let winning: Vec<i32> = (1..=8).filter(|&line| scores(&lines, line).contains(&20_000)).collect();
    let drawing: Vec<i32> = (1..=8).filter(|&line| scores(&lines, line).contains(&0)).collect();
    assert_eq!((winning, drawing), (vec![1, 2, 3], vec![4, 5]), "{lines:?}");
    assert!(["e3d3", "e3f3", "e3f4"].contains(&&*best), "{lines:?}");
    assert!(lines.iter().filter_map(|line| number(line, "tbhits")).all(|hits| hits > 0));

    // No time is left to mate with bishop and knight: a draw under the rule, a win without it.
    let spoiled = "position fen 8/8/8/3k4/8/8/8/KBN5 w - - 90 100";
    engine.send("setoption name MultiPV value 1");
    let (_, lines) = engine.search(spoiled, "go nodes 2000");
    assert!(scores(&lines, 1).iter().all(|&cp| cp == 0), "{lines:?}");
    engine.send("setoption name Syzygy50MoveRule value false");
    let (_, lines) = engine.search(spoiled, "go nodes 2000");
    assert!(scores(&lines, 1).iter().all(|&cp| cp == 20_000), "{lines:?}");
    engine.send("setoption name Syzygy50MoveRule value true");

    // Six men at the root, four in the tree: the pawn is lost and the ending with it.
    let (_, lines) = engine.search("position fen 8/8/4k3/8/8/3P4/1P1K1p2/8 w - - 0 1", "go nodes 20000");
    let last = scores(&lines, 1).last().copied();
    assert!(last.is_some_and(|cp| (19_900..20_000).contains(&cp)), "{lines:?}");
    assert!(lines.iter().filter_map(|line| number(line, "tbhits")).any(|hits| hits > 0));

    // A limit below every position's men, and no path: no hits.
    for line in ["setoption name SyzygyProbeLimit value 2", "setoption name SyzygyPath value <empty>"] {
        engine.send(line);
        let (_, lines) = engine.search("position fen 8/8/8/3k4/8/4K3/4P3/8 w - - 0 1", "go nodes 2000");
        assert!(lines.iter().filter_map(|line| number(line, "tbhits")).all(|hits| hits == 0), "{lines:?}");
        engine.send("setoption name SyzygyProbeLimit value 7");
    }
}

#[test]
fn tablebases_that_cannot_be_used() {
    let scratch = std::env::temp_dir().join(format!("ibex tables of a session {}", std::process::id()));
    std::fs::create_dir_all(&scratch).expect("a temporary folder");
    let mut engine = Engine::new();
    for (path, remarks) in [
        ("<empty>", 0),
        ("", 0),
        ("/no/such directory/with  blanks", 1),
        ("\"/quoted dir\"", 1),
        (&*scratch.to_string_lossy(), 1),
    ] {
        engine.send(format!("setoption name SyzygyPath value {path}"));
        let lines = engine.ready();
        assert_eq!(remarks_of(&lines).len(), remarks, "{path}: {lines:?}");
    }
    if let Some(folder) = tablebases() {
        // A table cut short, one of rubbish behind the right first bytes, one that is whole: two remarks, once.
        let read = |name: &str| std::fs::read(folder.join(name)).expect("a table");
        let write = |name: &str, bytes: &[u8]| std::fs::write(scratch.join(name), bytes).expect("a file");
        let mut rook = read("KRvK.rtbw");
        rook[4..].fill(0xFF);
        write("KRvK.rtbw", &rook);
        write("KQvK.rtbw", b"short");
        write("KPvK.rtbw", &read("KPvK.rtbw"));
        write("KPvK.rtbz", &read("KPvK.rtbz"));
        engine.send("setoption name SyzygyPath value <empty>");
        engine.send(format!("setoption name SyzygyPath value {}", scratch.display()));
        let lines = engine.ready();
        assert_eq!(remarks_of(&lines).len(), 1, "{lines:?}");
        let mut told = Vec::new();
        for _ in 0..2 {
            for fen in ["8/8/8/3k4/8/8/8/R3K3 w - - 0 1", "8/2P5/8/3k4/8/8/8/4K3 w - - 0 1"] {
                let (best, lines) = engine.search(&format!("position fen {fen}"), "go nodes 2000");
                assert!(is_legal(&Position::from_fen(fen, CastlingMode::Standard).expect("a position"), &best));
                told.extend(remarks_of(&lines).into_iter().cloned());
            }
        }
        assert!(told.iter().any(|line| line.contains("KRvK")), "{told:?}");
        let mut once = told.clone();
        once.sort();
        once.dedup();
        assert_eq!(once.len(), told.len(), "{told:?}");
    }
    let _ = std::fs::remove_dir_all(&scratch);
}

/// A search on the opponent's time may be complete before the expected move comes: its line is told again after it.
#[test]
fn a_ponderhit_is_answered_with_a_line() {
    let mut engine = Engine::new();
    engine.send("position startpos moves e2e4\ngo ponder depth 4 wtime 60000 btime 60000");
    while !engine.expect("info").contains(" depth 4 ") {}
    // Past its last iteration the search only waits.
    std::thread::sleep(Duration::from_millis(200));
    engine.ready();
    engine.send("ponderhit");
    let best = engine.best_move();
    let line = &engine.heard[engine.heard.len() - 2];
    assert!(line.contains(" depth 4 ") && line.contains(&format!(" pv {best}")), "{line}");
}
