//! A second checker: games with a past, a warm table, and every mate that is announced in them proved by someone else.
//!
//! The engine speaks UCI; the prover shares no code with it and knows the game: positions that have occurred twice are
//! draws when they come again, and so is the hundredth ply that does not mate. The games go to and fro, so that positions
//! repeat and clocks rise, and the engine keeps its table from ply to ply.
//!
//! `IBEX_TRUTH` sets the number of games (24), `IBEX_TRUTH_SEED` the seed (1).

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use ibex::random::split_mix;
use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::zobrist::Zobrist64;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Move, Position};

/// Positions that one proof may look at; beyond, the claim is counted as undecided.
const BUDGET: usize = 400_000;
/// Nodes of the search of a start, which fills the table with mates that know no past.
const FIRST: u64 = 20_000;
/// Plies that are played to and fro before the next search, at least; up to twice as many.
const PLIES: u64 = 7;
/// Searches of a game after its start.
const SEARCHES: usize = 2;

const STARTS: [&str; 9] = [
    "8/8/8/5R2/5K2/8/6k1/8 w - - 0 1",
    "8/8/8/8/8/R7/2k5/4K3 w - - 0 1",
    "8/8/8/8/8/Q7/3K4/6k1 w - - 60 80",
    "7k/8/4K3/8/8/8/8/R7 w - - 84 90",
    "8/8/1B6/8/8/1K1N4/8/k7 w - - 0 1",
    "8/3P1K1P/8/8/8/7k/8/8 b - - 77 69",
    "7K/8/3q4/6kR/6n1/8/8/8 b - - 0 1",
    "1k6/8/8/K3R3/8/3b4/8/8 w - - 70 80",
    "3r2k1/5ppp/8/8/8/1Q6/5PPP/4R1K1 w - - 0 1",
];

fn key(position: &Chess) -> u64 {
    position.zobrist_hash::<Zobrist64>(EnPassantMode::Legal).0
}

/// A game as the protocol tells it, and what the rules need of its past.
#[derive(Clone)]
struct Played {
    fen: String,
    moves: Vec<Move>,
    position: Chess,
    /// Keys since the last capture or pawn move, the current position's last.
    past: Vec<u64>,
}

impl Played {
    fn new(fen: &str) -> Played {
        let position: Chess =
            fen.parse::<Fen>().expect("a FEN").into_position(CastlingMode::Standard).expect("a position");
        Played { fen: fen.to_owned(), moves: Vec::new(), past: vec![key(&position)], position }
    }

    fn play(&mut self, m: Move) {
        self.position.play_unchecked(m);
        if self.position.halfmoves() == 0 {
            self.past.clear();
        }
        self.past.push(key(&self.position));
        self.moves.push(m);
    }

    fn times(&self, key: u64) -> usize {
        self.past.iter().filter(|&&past| past == key).count()
    }

    fn is_over(&self) -> bool {
        self.position.legal_moves().is_empty()
            || self.position.is_insufficient_material()
            || self.position.halfmoves() >= 100
            || self.times(key(&self.position)) >= 3
    }

    fn command(&self) -> String {
        let moves: Vec<String> = self.moves.iter().map(|&m| UciMove::from_standard(m).to_string()).collect();
        if moves.is_empty() {
            format!("position fen {}", self.fen)
        } else {
            format!("position fen {} moves {}", self.fen, moves.join(" "))
        }
    }
}

/// Proves mates move by move, every reply included.
struct Prover<'a> {
    game: &'a Played,
    known: HashMap<(u64, usize, u32), bool>,
    left: usize,
}

impl Prover<'_> {
    fn new(game: &Played) -> Prover<'_> {
        Prover { game, known: HashMap::new(), left: BUDGET }
    }

    /// Whether the side to move, if `plies` is odd, mates within so many; or is mated, if it is even. None if that costs
    /// too much.
    fn mates(&mut self, position: &Chess, plies: usize) -> Option<bool> {
        let attacks = plies % 2 == 1;
        let moves = position.legal_moves();
        if moves.is_empty() {
            return Some(!attacks && position.is_check());
        }
        if plies == 0 {
            return Some(false);
        }
        // The clock matters only where it could run out.
        let clock = position.halfmoves();
        let question = (key(position), plies, if clock as usize + plies > 100 { clock } else { 0 });
        if let Some(&known) = self.known.get(&question) {
            return Some(known);
        }
        self.left = self.left.checked_sub(1)?;
        let mut after: Vec<(bool, usize, Chess)> = Vec::with_capacity(moves.len());
        for m in moves {
            let mut child = position.clone();
            child.play_unchecked(m);
            let replies = child.legal_moves().len();
            after.push((attacks && !child.is_check(), replies, child));
        }
        after.sort_by_key(|&(quiet, replies, _)| (quiet, replies));
        let mut answer = !attacks;
        for (_, _, child) in after {
            let drawn = !child.is_checkmate() && self.is_drawn(&child);
            let mates = !drawn && self.mates(&child, plies - 1)?;
            if mates == attacks {
                answer = attacks;
                break;
            }
        }
        self.known.insert(question, answer);
        Some(answer)
    }

    /// Whether a position ends the game in a draw on its arrival.
    fn is_drawn(&self, position: &Chess) -> bool {
        position.halfmoves() >= 100 || self.game.times(key(position)) >= 2
    }
}

struct Engine {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Engine {
    fn new(options: &[(&str, &str)]) -> Engine {
        let mut child = Command::new(env!("CARGO_BIN_EXE_ibex"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let (input, output) = (child.stdin.take().expect("a pipe"), child.stdout.take().expect("a pipe"));
        let mut engine = Engine { child, input, output: BufReader::new(output) };
        engine.send("setoption name UCI_ShowWDL value true");
        for (name, value) in options {
            engine.send(&format!("setoption name {name} value {value}"));
        }
        engine
    }

    fn send(&mut self, line: &str) {
        writeln!(self.input, "{line}").expect("the engine listens");
    }

    /// Searches; the lines with scores.
    fn search(&mut self, game: &Played, nodes: u64) -> Vec<String> {
        self.send(&game.command());
        self.send(&format!("go nodes {nodes}"));
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).expect("text") > 0, "the engine is gone");
            let line = line.trim_end();
            if line.starts_with("bestmove ") {
                return lines;
            }
            if line.contains(" score ") {
                lines.push(line.to_owned());
            }
        }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The number behind a word of a line.
fn number(line: &str, word: &str) -> Option<i64> {
    line.split(' ').skip_while(|&w| w != word).nth(1)?.parse().ok()
}

#[derive(Debug, Default)]
struct Count {
    searches: usize,
    mates: usize,
    undecided: usize,
    faults: usize,
}

/// Checks what a search told of a game.
fn check(game: &Played, lines: &[String], count: &mut Count) {
    count.searches += 1;
    let mut prover = Prover::new(game);
    let mut asked: Vec<(String, i64)> = Vec::new();
    for line in lines {
        let fault = |count: &mut Count, what: &str| {
            count.faults += 1;
            eprintln!("{what}: {}\n  {line}", game.command());
        };
        let Some(moves) = number(line, "mate") else {
            let certain = line.contains(" wdl 1000 ") || line.contains(" wdl 0 0 1000 ");
            if certain && number(line, "cp").is_none_or(|cp| cp.abs() < 10_000) {
                fault(count, "certain without proof");
            }
            continue;
        };
        let (exact, upper) = (!line.contains("bound "), line.contains(" upperbound "));
        // "At most" says nothing of a win, "at least" nothing of a loss.
        if !exact && (moves > 0) == upper {
            continue;
        }
        let plies = if moves > 0 { 2 * moves - 1 } else { -2 * moves } as usize;
        let (_, pv) = line.split_once(" pv ").expect("a line");
        if exact && pv.split(' ').count() != plies {
            fault(count, "a mate without its line");
        }
        let first = pv.split(' ').next().expect("a move").to_owned();
        let claim = (first.clone(), moves);
        if asked.contains(&claim) {
            continue;
        }
        asked.push(claim);
        count.mates += 1;
        // A line stands for its move; a loss of the first line for the position.
        let mut after = game.position.clone();
        let m = first.parse::<UciMove>().ok().and_then(|m| m.to_move(&after).ok()).expect("legal");
        after.play_unchecked(m);
        let whole = moves < 0 && number(line, "multipv") == Some(1);
        let holds = if whole {
            prover.mates(&game.position, plies)
        } else if !after.is_checkmate() && prover.is_drawn(&after) {
            Some(false)
        } else {
            prover.mates(&after, plies - 1)
        };
        match holds {
            Some(true) => (),
            Some(false) => fault(count, "a mate that is none"),
            None => count.undecided += 1,
        }
    }
}

/// A step back to where the side was before, or any other move that can be taken back, if there is one; none that ends the
/// game.
fn choose(game: &Played, random: &mut u64) -> Option<Move> {
    let mut legal = game.position.legal_moves();
    legal.retain(|m| {
        let mut after = game.clone();
        after.play(*m);
        !after.is_over()
    });
    let quiet: Vec<Move> = legal.iter().copied().filter(|m| !m.is_zeroing()).collect();
    let before = game.moves.len().checked_sub(2).map(|at| game.moves[at]);
    let back = before.and_then(|before| {
        quiet.iter().find(|m| m.from() == Some(before.to()) && Some(m.to()) == before.from()).copied()
    });
    if split_mix(random) % 100 < 70 && back.is_some() {
        return back;
    }
    let moves = if quiet.is_empty() { legal.to_vec() } else { quiet };
    moves.get(split_mix(random) as usize % moves.len().max(1)).copied()
}

/// A start: one of the list, or a lone king at the rim against king and rook.
fn start(random: &mut u64) -> Played {
    if split_mix(random).is_multiple_of(4) {
        return Played::new(STARTS[split_mix(random) as usize % STARTS.len()]);
    }
    loop {
        let mut board = [['1'; 8]; 8];
        let mut place = |rank: u64, man: char, random: &mut u64| {
            board[rank as usize][split_mix(random) as usize % 8] = man;
        };
        place(0, 'k', random);
        place(2 + split_mix(random) % 2, 'K', random);
        place(1 + split_mix(random) % 7, 'R', random);
        let rows: Vec<String> = board.iter().map(|row| row.iter().collect()).collect();
        let fen = format!("{} w - - 0 1", rows.join("/"));
        let fen = (2..=8).rev().fold(fen, |fen, run| fen.replace(&"1".repeat(run), &run.to_string()));
        let position = fen.parse::<Fen>().ok().and_then(|fen| fen.into_position::<Chess>(CastlingMode::Standard).ok());
        if position.is_some_and(|position| position.board().occupied().count() == 3) {
            return Played::new(&fen);
        }
    }
}

#[test]
fn announced_mates_hold_in_games_with_a_past() {
    let setting = |name: &str, default: u64| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(default);
    let (games, seed) = (setting("IBEX_TRUTH", 24), setting("IBEX_TRUTH_SEED", 1));
    let mut random = seed;
    let mut count = Count::default();
    let settings: [&[(&str, &str)]; 4] =
        [&[("Hash", "16")], &[("Hash", "1")], &[("Hash", "1"), ("Threads", "2")], &[("Hash", "16"), ("MultiPV", "3")]];
    let mut engines = settings.map(Engine::new);
    for number in 0..games {
        let mut game = start(&mut random);
        // One engine plays several games, one after the other: its table knows other pasts.
        let engine = &mut engines[number as usize % 4];
        check(&game, &engine.search(&game, FIRST), &mut count);
        for _ in 0..SEARCHES {
            for _ in 0..PLIES + split_mix(&mut random) % PLIES {
                let Some(m) = choose(&game, &mut random) else { break };
                game.play(m);
            }
            let nodes = 500 << (split_mix(&mut random) % 6);
            check(&game, &engine.search(&game, nodes), &mut count);
        }
    }
    eprintln!("seed {seed}, {games} games: {count:?}");
    assert_eq!(count.faults, 0, "seed {seed}");
    assert!(count.mates > games as usize, "too few mates to mean anything");
}

/// The prover itself: what it knows of the rules.
#[test]
fn the_prover_knows_the_rules() {
    for (fen, moves, plies, holds) in [
        // Mate in 4, and in no less.
        ("8/8/8/5R2/5K2/8/6k1/8 w - - 0 1", "", 7, true),
        ("8/8/8/5R2/5K2/8/6k1/8 w - - 0 1", "", 5, false),
        // Not where it leads through a third occurrence.
        ("8/8/8/5R2/6K1/8/7k/8 w - - 0 1", "g4f4 h2g2 f4g4 g2h2 g4f4 h2g2", 7, false),
        // On the hundredth ply, not on the next.
        ("k7/8/1K6/8/8/8/8/7R w - - 99 80", "", 1, true),
        ("7k/8/4K3/8/8/8/8/R7 w - - 97 80", "", 3, true),
        ("7k/8/4K3/8/8/8/8/R7 w - - 98 80", "", 3, false),
        // The side to move is mated.
        ("k7/8/1K6/8/8/8/8/7R b - - 0 1", "", 2, true),
    ] {
        let mut game = Played::new(fen);
        for text in moves.split_whitespace() {
            let m = text.parse::<UciMove>().expect("a move").to_move(&game.position).expect("legal");
            game.play(m);
        }
        assert_eq!(Prover::new(&game).mates(&game.position, plies), Some(holds), "{fen} {moves} {plies}");
    }
}
