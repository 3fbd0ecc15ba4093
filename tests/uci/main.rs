//! Sessions with the real program, like those of chess programs.
//!
//! Every wait has a generous limit that only a hang can reach; nothing here measures time.

mod bad_input;
#[cfg(unix)]
#[path = "../common/copies.rs"]
mod copies;
mod past;
mod protocol;
#[path = "../common/scratch.rs"]
mod scratch;
mod searches;
#[path = "../common/shared.rs"]
mod shared;
mod tables;

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use ibex::position::{Game, Position};
use scratch::Scratch;
use shakmaty::CastlingMode;

const PATIENCE: Duration = Duration::from_secs(60);
/// For a search that never ends and keeps sending lines.
const LONG_PATIENCE: Duration = Duration::from_secs(300);

const MATED: &str = "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1";
const STALEMATE: &str = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1";
const MATE_IN_ONE: &str = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1";
const THREE_MOVES: &str = "7k/8/8/8/8/8/8/K7 w - - 0 1";

/// A running engine.
struct Engine {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    /// All of its output so far.
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
        let end = Instant::now() + LONG_PATIENCE;
        loop {
            match self.lines.recv_timeout(PATIENCE.min(end.saturating_duration_since(Instant::now()))) {
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

    /// Waits until everything sent has been handled; returns the lines since the last call.
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

    /// Searches, and returns the move with all lines before it.
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

    /// Waits for the end of the program; returns its exit status, its standard error, and its remaining lines.
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
