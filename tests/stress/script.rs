//! Random dialogues, and what must hold for the answers: the model for a session.

use std::process::Command;
use std::sync::LazyLock;

use ibex::position::{Game, Move, Position};
use ibex::random::split_mix;
use shakmaty::CastlingMode;

/// Random numbers, determined by a seed.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x5DEE_CE66)
    }

    /// `0..n`
    pub fn below(&mut self, n: usize) -> usize {
        (split_mix(&mut self.0) >> 16) as usize % n
    }

    pub fn percent(&mut self, p: usize) -> bool {
        self.below(100) < p
    }

    pub fn pick<'a, T: ?Sized>(&mut self, list: &[&'a T]) -> &'a T {
        list[self.below(list.len())]
    }
}

/// The actions of a tester, in order.
#[derive(Clone, Debug)]
pub enum Step {
    /// Bytes for its input; whole lines, unless the next step completes them.
    Write(Vec<u8>),
    /// A pause of this number of milliseconds.
    Pause(u64),
    /// Every request has been answered; if `idle`, the program is then idle, with no other threads.
    Settle { idle: bool },
    /// The process is stopped, and continued after this number of milliseconds.
    Freeze(u64),
    /// The tester stops reading for now; enough has been requested to fill the pipe.
    StopReading,
    /// The tester reads again; if `rest`, the program has nothing to do but wait for that.
    Read { rest: bool },
    /// The tester closes the program's output.
    CloseOutput,
    /// The input ends.
    CloseInput,
}

/// A requested search.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The position set at that time.
    pub position: Position,
    /// The moves to search; empty for all.
    pub only: Vec<Move>,
}

/// What the end of a dialogue requires of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The input has ended: the program answers everything, then ends.
    Complete,
    /// `quit`: it ends at once, and pending answers may be missing.
    Cut,
    /// The output is not read: only the end counts.
    Unheard,
}

/// A dialogue with its expected results.
#[derive(Clone, Debug)]
pub struct Dialogue {
    pub steps: Vec<Step>,
    pub asked: Vec<Asked>,
    /// `isready` and `uci` before the end.
    pub ready: usize,
    pub uci: usize,
    /// Something was requested that is answered in words for people.
    pub people: bool,
    pub ending: Ending,
}

const FENS: [&str; 12] = [
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    "4k3/P6P/8/8/8/8/p6p/4K3 b - - 0 1",
    "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1",
    "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1",
    "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
    "7k/8/8/8/8/8/8/K7 w - - 0 1",
    "8/8/8/8/8/4k3/4p3/4K3 w - - 99 100",
    "k7/8/8/8/8/8/8/1K4RR w - - 97 120",
    "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
];

const BAD_POSITIONS: [&str; 12] = [
    "position",
    "position fen",
    "position startpos moves e2e5",
    "position startpos moves e2e4 e7e5 e1e3 a2a3",
    "position startpos e2e4",
    "position fen 8/8/8/8/8/8/8/8 w - - 0 1",
    "position fen 4k3/8/8/8/8/8/8/8 w - - 0 1",
    "position fen 4k3/8/8/8/8/8/4r3/4K3 b - - 0 1",
    "position fen rnbqkbnr/pppppppp/9/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR x KQkq - 0 1",
    "position fen QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/8/8/8/k7/7K w - - 0 1",
    "position moves e2e4",
];

/// The maxima used for options whose own maxima would take the machine's memory, or hours.
const MODEST: [(&str, i64); 3] = [("Hash", 17), ("Threads", 5), ("nodestime", 100)];

/// Texts that have a meaning for an option.
const TEXTS: [(&str, &str); 2] = [("EvalFile", ""), ("UCI_Opponent", "GM 2800 human A. Player")];

/// An option, as the program announces it.
#[derive(Clone, Debug)]
pub struct Announced {
    pub name: String,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    Button,
    Check,
    Spin { least: i64, most: i64 },
    Text,
}

impl Announced {
    /// Reads a line of the answer to `uci`; `None` if it does not announce an option.
    fn read(line: &str) -> Option<Announced> {
        let (name, rest) = line.strip_prefix("option name ")?.split_once(" type ")?;
        let words: Vec<&str> = rest.split(' ').collect();
        let number = |word| {
            let at = words.iter().position(|&other| other == word).expect("a limit");
            words[at + 1].parse().expect("a number")
        };
        let kind = match words[0] {
            "button" => Kind::Button,
            "check" => Kind::Check,
            "spin" => Kind::Spin { least: number("min"), most: number("max") },
            "string" => Kind::Text,
            other => panic!("a type of options that the model lacks: {other}"),
        };
        Some(Announced { name: name.to_owned(), kind })
    }

    /// What may follow `setoption name`: mostly a value of the option, sometimes an invalid one.
    fn setting(&self, random: &mut Random) -> String {
        let name = self.name.as_str();
        let value = match self.kind {
            Kind::Button => return name.to_owned(),
            Kind::Check => random.pick(&["true", "false", "true", "false", "true", "false", "maybe"]).to_owned(),
            Kind::Text => {
                let own = TEXTS.iter().find(|(option, _)| *option == name).map_or("", |(_, text)| text);
                random.pick(&[own, "<empty>", "/nowhere/at all"]).to_owned()
            }
            Kind::Spin { least, most } => {
                let modest = MODEST.iter().find(|(option, _)| *option == name).map(|&(_, most)| most);
                let most = modest.unwrap_or(most);
                match random.below(12) {
                    0 => "abc".to_owned(),
                    1 => (least - 1).to_string(),
                    2 if modest.is_none() => (most + 1).to_string(),
                    2 | 3 => most.to_string(),
                    4 | 5 => least.to_string(),
                    _ => (least + random.below((most - least) as usize + 1) as i64).to_string(),
                }
            }
        };
        format!("{name} value {value}")
    }
}

/// The options of the tested program, as it announces them.
pub static OPTIONS: LazyLock<Vec<Announced>> = LazyLock::new(|| {
    let output =
        Command::new(env!("CARGO_BIN_EXE_ibex")).arg("uci").env_remove("IBEX_LOG").output().expect("the program runs");
    let options: Vec<_> = String::from_utf8_lossy(&output.stdout).lines().filter_map(Announced::read).collect();
    assert!(!options.is_empty(), "no options: {output:?}");
    options
});

const RUBBISH: [&[u8]; 12] = [
    b"",
    b"   \t",
    b"\0\0\0",
    b"\xff\xfe\x80 rubbish",
    b"xyzzy 1 2 3",
    b"isreadyx",
    b"setoption",
    b"setoption name",
    b"debug maybe",
    b"# quit",
    b"register later",
    "h\u{e4}ngt \u{1f3d4}".as_bytes(),
];

/// Whether the text is this move, with castling in either notation.
pub fn is_text_of(m: Move, text: &str) -> bool {
    [CastlingMode::Standard, CastlingMode::Chess960].iter().any(|&mode| m.to_uci(mode).to_string() == text)
}

/// A dialogue being written.
struct Writer {
    random: Random,
    dialogue: Dialogue,
    game: Game,
    /// The last requested position cannot be played.
    refused: bool,
    /// Lines that are sent together.
    pending: Vec<u8>,
}

impl Writer {
    fn flush(&mut self) {
        if !self.pending.is_empty() {
            self.dialogue.steps.push(Step::Write(std::mem::take(&mut self.pending)));
        }
    }

    fn step(&mut self, step: Step) {
        self.flush();
        self.dialogue.steps.push(step);
    }

    fn line(&mut self, line: impl AsRef<[u8]>) {
        let line = line.as_ref();
        let end: &[u8] = if self.random.percent(15) { b"\r\n" } else { b"\n" };
        if line.len() > 3 && self.random.percent(4) {
            // The line is sent in two pieces.
            let cut = 1 + self.random.below(line.len() - 1);
            self.pending.extend_from_slice(&line[..cut]);
            let pause = self.random.below(5) as u64;
            self.step(Step::Pause(pause));
            self.pending.extend_from_slice(&line[cut..]);
        } else {
            self.pending.extend_from_slice(line);
        }
        self.pending.extend_from_slice(end);
        if self.random.percent(60) {
            self.flush();
        }
    }

    fn is_ready(&mut self) {
        self.line("isready");
        self.dialogue.ready += 1;
    }

    fn uci(&mut self) {
        self.line("uci");
        self.dialogue.uci += 1;
    }

    fn position(&mut self) {
        if self.random.percent(20) {
            let bad = self.random.pick(&BAD_POSITIONS);
            self.refused = true;
            return self.line(bad);
        }
        let (mut game, mut text) = if self.random.percent(50) {
            (Game::startpos(), "position startpos".to_owned())
        } else {
            let fen = self.random.pick(&FENS);
            let mode = if fen.contains("HFhf") { CastlingMode::Chess960 } else { CastlingMode::Standard };
            (Game::from_fen(fen, mode).expect("a position"), format!("position fen {fen}"))
        };
        let mode = game.position().castling_mode();
        let most = if self.random.percent(10) { 150 } else { 12 };
        for i in 0..self.random.below(most) {
            let moves = game.position().legal_moves();
            if moves.is_empty() {
                break;
            }
            let m = moves[self.random.below(moves.len())];
            text.push_str(if i == 0 { " moves " } else { " " });
            text.push_str(&m.to_uci(mode).to_string());
            game.play(m);
        }
        self.game = game;
        self.refused = false;
        self.line(text);
    }

    fn go(&mut self) {
        let n = |random: &mut Random, most: usize| 1 + random.below(most);
        let random = &mut self.random;
        let mut text = match random.below(15) {
            0 | 1 => "go infinite".to_owned(),
            2 => format!("go ponder wtime {} btime {}", n(random, 300), n(random, 300)),
            3 => format!("go ponder nodes {}", n(random, 500)),
            4 => format!("go ponder movetime {}", n(random, 20)),
            5 | 6 => format!("go depth {}", n(random, 5)),
            7 | 8 => format!("go nodes {}", n(random, 3000)),
            9 => format!("go movetime {}", random.below(20)),
            10 | 11 => format!("go wtime {} btime {} winc {}", random.below(300), random.below(300), random.below(5)),
            12 => format!("go wtime {} btime 5 movestogo {}", random.below(100), random.below(4)),
            13 => format!("go infinite depth {}", n(random, 3)),
            _ => format!("go mate {} nodes 2000", n(random, 3)),
        };
        let mut only = Vec::new();
        // Without a position, the answer is that for a position without moves.
        let position = if self.refused {
            Position::from_fen("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", CastlingMode::Standard).expect("a position")
        } else {
            *self.game.position()
        };
        let moves = position.legal_moves();
        if !moves.is_empty() && random.percent(10) {
            text.push_str(" searchmoves");
            for _ in 0..n(random, 3) {
                let m = moves[random.below(moves.len())];
                text = format!("{text} {}", m.to_uci(position.castling_mode()));
                only.push(m);
            }
        }
        self.dialogue.asked.push(Asked { position, only });
        self.line(text);
    }

    fn settle(&mut self, idle: bool) {
        self.line("stop");
        self.is_ready();
        self.step(Step::Settle { idle });
    }

    fn anything(&mut self) {
        match self.random.below(100) {
            0..24 => self.go(),
            24..40 => self.line("stop"),
            40..46 => self.line("ponderhit"),
            46..58 => self.position(),
            58..70 => {
                let setting = if self.random.percent(4) {
                    "No such option value 1".to_owned()
                } else {
                    OPTIONS[self.random.below(OPTIONS.len())].setting(&mut self.random)
                };
                self.line(format!("setoption name {setting}"));
            }
            70..76 => self.is_ready(),
            76..79 => self.line("ucinewgame"),
            79..81 => self.uci(),
            81..85 => {
                let rubbish = self.random.pick(&RUBBISH);
                self.line(rubbish);
            }
            85..87 => {
                let word = self.random.pick(&["d", "eval", "help", "compiler", "debug on", "debug off"]);
                self.line(word);
                self.dialogue.people = true;
            }
            87 => {
                let depth = self.random.below(3);
                self.line(format!("go perft {depth}"));
                self.dialogue.people = true;
            }
            88 => {
                self.line("flip");
                self.game = Game::new(self.game.position().flipped());
            }
            89..95 => {
                let pause = self.random.below(25) as u64;
                self.step(Step::Pause(pause));
            }
            95 => {
                let pause = self.random.below(60) as u64;
                self.step(Step::Freeze(pause));
            }
            _ => {
                let idle = self.random.percent(15);
                self.settle(idle);
            }
        }
    }

    /// More requests than a pipe holds answers to; returns whether there is a search among them.
    fn flood(&mut self) -> bool {
        self.settle(false);
        self.step(Step::StopReading);
        let search = self.random.percent(50);
        if search {
            self.go();
        }
        for _ in 0..60 {
            self.uci();
        }
        self.step(Step::Pause(10));
        search
    }

    fn end(&mut self) {
        let ending = match self.random.below(100) {
            0..35 => {
                self.line("quit");
                // What follows is ignored.
                for _ in 0..self.random.below(3) {
                    let late = self.random.pick(&["isready", "uci", "go depth 1", "stop", "d"]);
                    self.line(late);
                }
                self.flush();
                Ending::Cut
            }
            35..70 => {
                if self.random.percent(20) {
                    // The last line has no line end.
                    self.pending.extend_from_slice(b"isready");
                    self.dialogue.ready += 1;
                }
                self.step(Step::CloseInput);
                Ending::Complete
            }
            70..80 => {
                self.step(Step::CloseOutput);
                // The program notices when it writes.
                self.line("isready");
                self.flush();
                Ending::Unheard
            }
            80..88 => {
                let rest = !self.flood();
                self.step(Step::Read { rest });
                self.settle(false);
                self.step(Step::CloseInput);
                Ending::Complete
            }
            88..92 => {
                self.flood();
                self.line("quit");
                self.flush();
                Ending::Unheard
            }
            92..96 => {
                // After the end of the input it waits for its reader, who comes back or goes away.
                let rest = !self.flood();
                self.step(Step::CloseInput);
                self.step(Step::Pause(20));
                if self.random.percent(50) {
                    self.step(Step::Read { rest });
                    Ending::Complete
                } else {
                    self.step(Step::CloseOutput);
                    Ending::Unheard
                }
            }
            _ => {
                self.flood();
                self.step(Step::CloseOutput);
                Ending::Unheard
            }
        };
        self.dialogue.ending = ending;
    }
}

/// The dialogue of a seed: the same for every program that announces the same options.
pub fn dialogue(seed: u64) -> Dialogue {
    let dialogue = Dialogue { steps: vec![], asked: vec![], ready: 0, uci: 0, people: false, ending: Ending::Complete };
    let mut writer =
        Writer { random: Random::new(seed), dialogue, game: Game::startpos(), refused: false, pending: Vec::new() };
    let length = writer.random.below(30);
    for _ in 0..length {
        writer.anything();
    }
    writer.end();
    writer.flush();
    writer.dialogue
}

/// What is wrong with the output, if anything.
pub fn fault(dialogue: &Dialogue, lines: &[String]) -> Option<String> {
    let said = |word: &'static str| lines.iter().filter(move |line| line.split(' ').next() == Some(word));
    let moves: Vec<&String> = said("bestmove").collect();
    for (i, line) in moves.iter().enumerate() {
        let Some(asked) = dialogue.asked.get(i) else { return Some(format!("{line}: nobody has asked")) };
        if let Some(fault) = wrong_move(asked, line) {
            return Some(format!("{line} for search {}: {fault}", i + 1));
        }
    }
    let counted = [
        ("bestmove", moves.len(), dialogue.asked.len()),
        ("readyok", said("readyok").count(), dialogue.ready),
        ("uciok", said("uciok").count(), dialogue.uci),
    ];
    for (word, heard, asked) in counted {
        let right = match dialogue.ending {
            Ending::Complete => heard == asked,
            Ending::Cut | Ending::Unheard => heard <= asked,
        };
        if !right {
            return Some(format!("{heard} times {word}, asked for {asked}; {:?}", dialogue.ending));
        }
    }
    const WORDS: [&str; 6] = ["id", "option", "uciok", "readyok", "bestmove", "info"];
    if !dialogue.people
        && let Some(odd) = lines.iter().find(|line| !WORDS.contains(&line.split(' ').next().unwrap_or("")))
    {
        return Some(format!("'{odd}' is no line of the protocol"));
    }
    None
}

fn wrong_move(asked: &Asked, line: &str) -> Option<String> {
    let words: Vec<&str> = line.split(' ').collect();
    let legal = asked.position.legal_moves();
    let best = match words[..] {
        ["bestmove", "(none)"] => return (!legal.is_empty()).then(|| format!("moves in {}", asked.position.fen())),
        ["bestmove", best] | ["bestmove", best, "ponder", _] => best,
        _ => return Some("odd words".into()),
    };
    let allowed = if asked.only.is_empty() { legal.to_vec() } else { asked.only.clone() };
    let Some(m) = allowed.into_iter().find(|&m| is_text_of(m, best)) else {
        return Some(format!("not among the moves in {}", asked.position.fen()));
    };
    let after = asked.position.after(m);
    match words.get(3) {
        Some(reply) if !after.legal_moves().iter().any(|&m| is_text_of(m, reply)) => {
            Some(format!("no such reply in {}", after.fen()))
        }
        _ => None,
    }
}
