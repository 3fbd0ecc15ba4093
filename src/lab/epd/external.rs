//! Other programs behind UCI, from the GUI's side of the pipe.
//!
//! A program may crash, hang, answer nonsense or flood: each costs the position at hand and nothing more. It is
//! restarted, and given up only when it does not start several times in a row.
//!
//! The lines are read by a parser of our own: what engines send is wider than what grammars allow (depths above 255,
//! mates in more than 127, unknown words in between), and none of it may be lost or stop the run.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError};
use shakmaty::Move;

use super::player::{Answer, Budget, Line, Player, Trouble, Value, Watch};
use crate::bound::Bound;
use crate::position::Position;

/// How long a program may take to introduce itself.
const HELLO: Duration = Duration::from_secs(30);
/// How long it may take to answer `isready`: clearing a large table takes time.
const READY: Duration = Duration::from_secs(60);
/// How long after `stop`.
const STOP: Duration = Duration::from_secs(5);
/// Failed starts in a row after which a program is given up.
const STARTS: u32 = 3;

/// How to run a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The command and its arguments.
    pub command: Vec<String>,
    /// Options to set, in order, after `Hash` and `Threads`.
    pub options: Vec<(String, String)>,
    /// Table size in MiB.
    pub hash: usize,
    /// Threads.
    pub threads: usize,
    /// Time allowed for a position beyond which the program counts as hanging; none for what the budget suggests.
    pub patience: Option<Duration>,
    /// Whether a limit of nodes is kept by stopping the program, because it does not know `go nodes`.
    pub counted: bool,
}

/// A program that plays.
pub struct External {
    program: Program,
    process: Option<Process>,
    name: String,
    failed_starts: u32,
}

/// An option that a program offers.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Offer {
    name: String,
    min: Option<i64>,
    max: Option<i64>,
}

struct Process {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
    name: String,
    offers: Vec<Offer>,
    chess960: bool,
}

impl External {
    /// Starts a program.
    ///
    /// # Errors
    ///
    /// One line: it cannot be run, or does not speak UCI.
    pub fn start(program: Program) -> Result<External, String> {
        let process = Process::start(&program)?;
        let name = process.name.clone();
        for (option, _) in &program.options {
            if process.offer(option).is_none() {
                log::warn!("{name} has no option '{option}'");
            }
        }
        Ok(External { program, process: Some(process), name, failed_starts: 0 })
    }

    fn process(&mut self) -> Result<&mut Process, Trouble> {
        if self.process.is_none() {
            if self.failed_starts >= STARTS {
                return Err(Trouble::Died("given up: it does not start again".to_owned()));
            }
            match Process::start(&self.program) {
                Ok(process) => {
                    self.failed_starts = 0;
                    self.process = Some(process);
                }
                Err(reason) => {
                    self.failed_starts += 1;
                    return Err(Trouble::Died(reason));
                }
            }
        }
        self.process.as_mut().ok_or_else(|| Trouble::Died("not running".to_owned()))
    }
}

impl Player for External {
    fn name(&self) -> &str {
        &self.name
    }

    fn think(&mut self, position: &Position, budget: &Budget, watch: Watch<'_>) -> Result<Answer, Trouble> {
        let patience = self.program.patience.unwrap_or_else(|| budget.patience());
        let counted = self.program.counted;
        match self.process()?.think(position, budget, patience, counted, watch) {
            Ok(answer) => answer,
            Err(lost) => {
                // Whatever it was doing, it shall not disturb the next position.
                self.process = None;
                Err(lost)
            }
        }
    }
}

impl Process {
    fn start(program: &Program) -> Result<Process, String> {
        let (path, arguments) = program.command.split_first().ok_or("an empty command")?;
        let mut child = Command::new(path)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("cannot run '{path}': {error}"))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(format!("'{path}' has no pipes"));
        };
        let (sender, lines) = crossbeam_channel::unbounded();
        thread::spawn(move || {
            let mut reader = BufReader::new(output);
            let mut bytes = Vec::new();
            while matches!(reader.read_until(b'\n', &mut bytes), Ok(1..)) {
                if sender.send(String::from_utf8_lossy(&bytes).trim().to_owned()).is_err() {
                    break;
                }
                bytes.clear();
            }
        });
        let mut process = Process { child, input, lines, name: path.clone(), offers: Vec::new(), chess960: false };
        process.introduce(program).map_err(|trouble| match trouble {
            Trouble::Died(what) | Trouble::Timeout(what) | Trouble::Illegal(what) => format!("'{path}': {what}"),
        })?;
        Ok(process)
    }

    fn introduce(&mut self, program: &Program) -> Result<(), Trouble> {
        self.send("uci")?;
        let deadline = Instant::now() + HELLO;
        loop {
            let line = self.receive(deadline, "no 'uciok'")?;
            if line == "uciok" {
                break;
            } else if let Some(name) = line.strip_prefix("id name ") {
                self.name = name.trim().to_owned();
            } else if let Some(offer) = parse_offer(&line) {
                self.offers.push(offer);
            }
        }
        for (name, value) in [("Hash", program.hash), ("Threads", program.threads)] {
            if let Some(offer) = self.offer(name) {
                let value = value as i64;
                let value = value.min(offer.max.unwrap_or(value)).max(offer.min.unwrap_or(value));
                self.set(name, &value.to_string())?;
            }
        }
        for (name, value) in &program.options {
            self.set(name, value)?;
        }
        self.ready()
    }

    fn offer(&self, name: &str) -> Option<Offer> {
        self.offers.iter().find(|offer| offer.name.eq_ignore_ascii_case(name)).cloned()
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), Trouble> {
        if value.is_empty() {
            self.send(&format!("setoption name {name}"))
        } else {
            self.send(&format!("setoption name {name} value {value}"))
        }
    }

    fn ready(&mut self) -> Result<(), Trouble> {
        self.send("isready")?;
        let deadline = Instant::now() + READY;
        while self.receive(deadline, "no 'readyok'")? != "readyok" {}
        Ok(())
    }

    fn send(&mut self, line: &str) -> Result<(), Trouble> {
        let sent = self.input.write_all(format!("{line}\n").as_bytes()).and_then(|()| self.input.flush());
        sent.map_err(|_| self.died())
    }

    fn receive(&mut self, deadline: Instant, complaint: &str) -> Result<String, Trouble> {
        // Asked first: while a flood of lines lasts, the channel always has one to give.
        if Instant::now() >= deadline {
            return Err(Trouble::Timeout(complaint.to_owned()));
        }
        match self.lines.recv_deadline(deadline) {
            Ok(line) => Ok(line),
            Err(RecvTimeoutError::Timeout) => Err(Trouble::Timeout(complaint.to_owned())),
            Err(RecvTimeoutError::Disconnected) => Err(self.died()),
        }
    }

    /// The program has closed its pipes.
    fn died(&mut self) -> Trouble {
        let deadline = Instant::now() + Duration::from_millis(200);
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Trouble::Died(format!("it ended ({status})")),
                Ok(None) if Instant::now() < deadline => thread::sleep(Duration::from_millis(5)),
                _ => return Trouble::Died("it closed its output".to_owned()),
            }
        }
    }

    /// One search. The outer error means that the program must be replaced, the inner one that only the answer is bad.
    fn think(
        &mut self,
        position: &Position,
        budget: &Budget,
        patience: Duration,
        counted: bool,
        watch: Watch<'_>,
    ) -> Result<Result<Answer, Trouble>, Trouble> {
        let chess960 = position.castling_mode().is_chess960();
        if chess960 != self.chess960 && self.offer("UCI_Chess960").is_some() {
            self.set("UCI_Chess960", if chess960 { "true" } else { "false" })?;
            self.chess960 = chess960;
        }
        self.send("ucinewgame")?;
        self.ready()?;
        self.send(&format!("position fen {}", position.fen()))?;
        let started = Instant::now();
        let mut count = budget.nodes.filter(|_| counted).map(|limit| Count { limit, seen: 0, at: started, rate: 0.0 });
        self.send(&if count.is_some() { "go infinite".to_owned() } else { budget.go() })?;
        let mut deadline = started + patience;
        let (mut late, mut enough, mut nodes) = (false, false, 0);
        let best = loop {
            let counted_out = count.as_ref().filter(|_| !late).and_then(Count::due);
            let line = match self
                .receive(counted_out.map_or(deadline, |due| due.min(deadline)), "no 'bestmove' after 'stop'")
            {
                Err(Trouble::Timeout(_)) if !late => {
                    late = true;
                    enough |= counted_out.is_some_and(|due| due < deadline);
                    deadline = Instant::now() + STOP;
                    self.send("stop")?;
                    continue;
                }
                other => other?,
            };
            if let Some(best) = line.strip_prefix("bestmove") {
                break best.split_whitespace().next().unwrap_or("").to_owned();
            }
            let elapsed = started.elapsed().as_millis().try_into().unwrap_or(u64::MAX);
            let Some(info) = parse_info(position, &line, elapsed) else { continue };
            nodes = nodes.max(info.nodes);
            if let Some(count) = &mut count {
                count.tell(info.nodes, started);
            }
            if watch(&info) && !enough && !late {
                enough = true;
                deadline = Instant::now() + STOP;
                late = true;
                self.send("stop")?;
            }
        };
        let ms = started.elapsed().as_millis().try_into().unwrap_or(u64::MAX);
        if late && !enough {
            return Ok(Err(Trouble::Timeout(format!("stopped after {ms} ms"))));
        }
        let m = position.parse_move(&best).or_else(|| position.parse_move(&best.to_lowercase()));
        if m.is_none() && position.has_legal_move() {
            return Ok(Err(Trouble::Illegal(format!("'bestmove {best}' is not legal"))));
        }
        Ok(Ok(Answer { best: m, nodes, ms }))
    }
}

/// Nodes of a program that has to be stopped: as it tells them, and between its lines as time suggests.
struct Count {
    limit: u64,
    seen: u64,
    /// When it told so many.
    at: Instant,
    /// Nodes a second.
    rate: f64,
}

impl Count {
    fn tell(&mut self, nodes: u64, started: Instant) {
        if nodes > self.seen {
            self.seen = nodes;
            self.at = Instant::now();
            self.rate = nodes as f64 / (self.at - started).as_secs_f64().max(1e-4);
        }
    }

    /// When the limit is reached, as far as can be said.
    fn due(&self) -> Option<Instant> {
        let left = self.limit.saturating_sub(self.seen) as f64;
        (self.rate > 0.0).then(|| self.at + Duration::from_secs_f64((left / self.rate).min(3600.0)))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.send("quit");
        let deadline = Instant::now() + Duration::from_millis(500);
        while Instant::now() < deadline {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            thread::sleep(Duration::from_millis(5));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn parse_offer(line: &str) -> Option<Offer> {
    let rest = line.strip_prefix("option name ")?;
    let (name, rest) = rest.split_once(" type ")?;
    let number = |key: &str| {
        let mut words = rest.split_whitespace().skip_while(|&word| word != key);
        words.nth(1).and_then(|word| word.parse().ok())
    };
    Some(Offer { name: name.trim().to_owned(), min: number("min"), max: number("max") })
}

/// Reads an `info` line of the first variation that says something about the search; `elapsed` milliseconds stand in
/// for a missing time. The principal variation ends before the first move that is not legal.
fn parse_info(position: &Position, line: &str, elapsed: u64) -> Option<Line> {
    let mut words = line.split_whitespace();
    if words.next() != Some("info") {
        return None;
    }
    let mut info = Line { depth: 0, seldepth: 0, nodes: 0, ms: elapsed, value: None, pv: Vec::new() };
    let mut bound = Bound::Exact;
    let mut value = None;
    let mut told = false;
    while let Some(word) = words.next() {
        let mut number = || words.next().and_then(|word| word.parse::<u64>().ok());
        let small = |number: Option<u64>| number.and_then(|n| n.try_into().ok()).unwrap_or(0);
        match word {
            "string" => break,
            "depth" => info.depth = small(number()),
            "seldepth" => info.seldepth = small(number()),
            "nodes" => {
                info.nodes = number().unwrap_or(0);
                told = true;
            }
            "time" => info.ms = number().unwrap_or(elapsed),
            "multipv" if number().is_some_and(|line| line != 1) => return None,
            "score" => {
                let kind = words.next();
                let amount = words.next().and_then(|word| word.parse::<i32>().ok());
                value = match (kind, amount) {
                    (Some("cp"), Some(cp)) => Some(Value::Cp(cp)),
                    (Some("mate"), Some(moves)) => Some(Value::Mate(moves)),
                    _ => None,
                };
                told = true;
            }
            "lowerbound" => bound = Bound::Lower,
            "upperbound" => bound = Bound::Upper,
            "currmove" | "currline" | "refutation" => break,
            "pv" => {
                info.pv = legal_line(position, &mut words);
                break;
            }
            _ => {}
        }
    }
    info.value = value.map(|value| (value, bound));
    (told || !info.pv.is_empty()).then_some(info)
}

fn legal_line<'a>(position: &Position, words: &mut impl Iterator<Item = &'a str>) -> Vec<Move> {
    let mut position = position.clone();
    let mut line = Vec::new();
    for word in words {
        let Some(m) = position.parse_move(word).or_else(|| position.parse_move(&word.to_lowercase())) else { break };
        line.push(m);
        position.play(m);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(line: &str) -> Option<Line> {
        parse_info(&Position::startpos(), line, 77)
    }

    #[test]
    fn info_lines_as_engines_send_them() {
        let full = info(
            "info depth 300 seldepth 40 multipv 1 score cp -34 upperbound nodes 12345678901234 nps 1 hashfull 5 tbhits 0 \
             time 5 wdl 1 2 997 pv e2e4 e7e5 E1E2 a1a1 d2d4",
        )
        .expect("a line");
        assert_eq!((full.depth, full.seldepth, full.nodes, full.ms), (300, 40, 12_345_678_901_234, 5));
        assert_eq!(full.value, Some((Value::Cp(-34), Bound::Upper)));
        assert_eq!(full.pv.len(), 3);
        let mate = info("info score mate 200 depth 9").expect("a line");
        assert_eq!((mate.value, mate.depth, mate.ms), (Some((Value::Mate(200), Bound::Exact)), 9, 77));
        for nothing in [
            "info string depth 5 nodes 7 pv e2e4",
            "info depth 5 currmove e2e4 currmovenumber 1",
            "info multipv 2 depth 5 score cp 1 pv e2e4",
            "bestmove e2e4",
            "information depth 5 nodes 1",
            "info",
            "",
        ] {
            assert!(info(nothing).is_none(), "{nothing}");
        }
        let odd = info("info depth -1 score nonsense 5 nodes many pv zz").expect("still a line");
        assert_eq!((odd.depth, odd.nodes, odd.value, odd.pv.len()), (0, 0, None, 0));
    }

    #[test]
    fn options_that_are_offered() {
        assert_eq!(
            parse_offer("option name Move Overhead type spin default 10 min 0 max 5000"),
            Some(Offer { name: "Move Overhead".into(), min: Some(0), max: Some(5000) })
        );
        assert_eq!(
            parse_offer("option name Clear Hash type button"),
            Some(Offer { name: "Clear Hash".into(), min: None, max: None })
        );
        assert_eq!(parse_offer("optional name X type check"), None);
    }

    #[test]
    fn what_is_no_engine_is_refused() {
        let program = |command: &[&str]| Program {
            command: command.iter().map(|&word| word.to_owned()).collect(),
            options: Vec::new(),
            hash: 16,
            threads: 1,
            patience: None,
            counted: false,
        };
        assert!(External::start(program(&[])).is_err_and(|error| error.contains("empty command")));
        let missing = External::start(program(&["/no/such/engine"])).err().expect("no such file");
        assert!(missing.contains("cannot run '/no/such/engine'"), "{missing}");
    }
}
