//! A second checker: games with a past, a warm table, and an independent prover for every claim in them.
//!
//! The engine runs through UCI; the prover shares no search with it and respects the past: positions that have
//! occurred twice are draws when they occur again, and so is the hundredth ply unless it mates. The games move to and
//! fro, so positions repeat and clocks rise, and the engine keeps its table from ply to ply and from game to game.
//!
//! `IBEX_TRUTH` sets the number of games (60), `IBEX_TRUTH_SEED` the seed (1), `IBEX_TRUTH_PROGRAM` another program
//! than the one that was built: for example an old version, whose bugs the checker must find.

mod claims;
#[path = "../common/environment.rs"]
mod environment;
mod game;
mod prover;
#[path = "../common/scratch.rs"]
mod scratch;
#[path = "../common/shared.rs"]
mod shared;

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use ibex::random::split_mix;
use ibex::retrograde::Tables;
use shakmaty::Chess;
use shakmaty::uci::UciMove;

use claims::{Count, check, check_refutation, first_move};
use environment::from_environment;
use game::{Played, start};
use prover::{Outcome, Prover};
use scratch::Scratch;

/// The fewest nodes of the search of a start, which fills the table with results that take no past into account; the
/// most are four doublings more.
const FIRST: u64 = 1250;
/// The fewest nodes of the other searches; the most are seven doublings more. There are many small searches: a false
/// claim needs a table with a past, not a deep search.
const LATER: u64 = 125;
/// Searches of a game after its start.
const SEARCHES: usize = 3;
/// One game in this many ends with `go mate`.
const REFUTED: usize = 2;
/// The nodes of that search. Mate searches begin after ten thousand nodes.
const MATE_NODES: u64 = 30_000;
/// The endings that are solved, besides those that they lead to.
const ENDINGS: [&str; 5] = ["KPvK", "KBNvK", "KRvKB", "KRvKN", "KQvKR"];

struct Engine {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Engine {
    fn new(options: &[(&str, &str)]) -> Engine {
        let program = std::env::var_os("IBEX_TRUTH_PROGRAM").unwrap_or_else(|| env!("CARGO_BIN_EXE_ibex").into());
        let mut child =
            Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the program starts");
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

    /// Searches; returns the lines with scores.
    fn search(&mut self, game: &Played, nodes: u64) -> Vec<String> {
        let mut lines = self.ask(game, &format!("go nodes {nodes}"));
        lines.retain(|line| line.contains(" score "));
        lines
    }

    /// Searches; returns all lines but the last.
    fn ask(&mut self, game: &Played, go: &str) -> Vec<String> {
        self.send(&game.command());
        self.send(go);
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).expect("text") > 0, "the engine is gone");
            let line = line.trim_end();
            if line.starts_with("bestmove ") {
                return lines;
            }
            lines.push(line.to_owned());
        }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn solved() -> Tables {
    Tables::solve(ENDINGS.map(|name| name.parse().expect("an ending")))
}

/// The game for the next search.
fn next_game(game: &Played, told: &[String], random: &mut u64) -> Played {
    let mut next = game.clone();
    match split_mix(random) % 8 {
        // The engine's intended move and its expected reply become part of the past.
        0..3 => {
            let line = told.last().map(String::as_str).unwrap_or_default();
            let future = first_move(line, &game.position).and_then(|first| {
                let mut after: Chess = game.position.clone();
                shakmaty::Position::play_unchecked(&mut after, first);
                let reply = line.split_once(" pv ")?.1.split(' ').nth(1)?;
                let second = reply.parse::<UciMove>().ok()?.to_move(&after).ok()?;
                game.with_future_behind(first, second)
            });
            match future {
                Some(future) => next = future,
                None => next.wander(6, random),
            }
        }
        // The same position with another clock.
        3 => {
            let clock = if split_mix(random).is_multiple_of(2) { 0 } else { 80 + split_mix(random) as u32 % 20 };
            next = Played::afresh(&game.position, clock);
        }
        _ => next.wander(5 + split_mix(random) % 10, random),
    }
    if next.is_over() { game.clone() } else { next }
}

/// Plays games with engines in turn, each with its options, and checks every search.
fn play(name: &str, settings: &[Vec<(&str, &str)>]) -> Count {
    let games: u64 = from_environment("IBEX_TRUTH").unwrap_or(60);
    let seed: u64 = from_environment("IBEX_TRUTH_SEED").unwrap_or(1);
    let tables = solved();
    let mut random = seed;
    let mut count = Count::default();
    // One engine plays several games in a row: its table comes from other pasts.
    let mut engines: Vec<Engine> = settings.iter().map(|options| Engine::new(options)).collect();
    for number in 0..games as usize {
        let turn = number % settings.len();
        let engine = &mut engines[turn];
        let mut game = start(&tables, &mut random);
        let mut told = engine.search(&game, FIRST << (split_mix(&mut random) % 5));
        check(&game, &tables, &told, &mut count);
        for _ in 0..SEARCHES {
            game = next_game(&game, &told, &mut random);
            told = engine.search(&game, LATER << (split_mix(&mut random) % 8));
            check(&game, &tables, &told, &mut count);
        }
        if number % REFUTED == 0 {
            let moves = 1 + split_mix(&mut random) % 3;
            let lines = engine.ask(&game, &format!("go mate {moves} nodes {MATE_NODES}"));
            check_refutation(&game, &tables, moves as usize, &lines, &mut count);
        }
    }
    eprintln!("{name}, seed {seed}, {games} games: {count:?}");
    count
}

#[test]
fn claims_hold_in_games_with_a_past() {
    let settings = [
        vec![("Hash", "16")],
        vec![("Hash", "1")],
        vec![("Hash", "1"), ("Threads", "2")],
        vec![("Hash", "16"), ("MultiPV", "3")],
    ];
    let count = play("without tables", &settings);
    assert_eq!(count.faults, 0);
    // In long runs it is below 4 percent (docs/truth.md).
    assert!(count.open_percent() <= 15, "the prover has left {} percent open", count.open_percent());
    assert!(count.mates > count.searches / 4, "too few mates to mean anything");
    assert!(count.refutations > count.searches / 200, "too few refutations to mean anything");
    assert!(count.results > count.searches / 50, "too few results to mean anything");
    assert!(count.draws > count.searches / 20, "too few draws to mean anything");
}

#[test]
fn claims_with_tablebases_hold_in_games_with_a_past() {
    let Some(folder) = shared::shared("data/syzygy") else { return };
    let folder = folder.to_string_lossy().into_owned();
    let path = ("SyzygyPath", folder.as_str());
    // WDL tables without DTZ tables.
    let scratch = Scratch::new("truth");
    for file in std::fs::read_dir(&folder).expect("a folder").flatten() {
        let name = file.file_name().to_string_lossy().into_owned();
        if name.ends_with(".rtbw") {
            scratch.write(&name, std::fs::read(file.path()).expect("a table"));
        }
    }
    let results = scratch.path("");
    let settings = [
        vec![("Hash", "16"), path],
        vec![("Hash", "1"), path],
        vec![("Hash", "1"), ("Threads", "2"), path],
        vec![("Hash", "16"), ("MultiPV", "3"), path],
        vec![("Hash", "16"), ("SyzygyPath", &results)],
        vec![("Hash", "1"), ("UCI_AnalyseMode", "true"), path],
    ];
    let count = play("with tables", &settings);
    assert_eq!(count.faults, 0);
    // In long runs it is 12 percent.
    assert!(count.open_percent() <= 30, "the prover has left {} percent open", count.open_percent());
    assert!(count.results + count.draws > count.searches / 4, "too few results to mean anything");
}

/// A game from a FEN and moves.
fn game(fen: &str, moves: &str) -> Played {
    let mut game = Played::new(fen);
    for text in moves.split_whitespace() {
        let m = text.parse::<UciMove>().expect("a move").to_move(&game.position).expect("legal");
        game.play(m);
    }
    game
}

/// The prover itself: the rules that it applies.
#[test]
fn the_prover_applies_the_rules() {
    // With and without the tables that guide it.
    for tables in [Tables::default(), solved()] {
        for (fen, moves, plies, holds) in [
            // Mate in 4, and not in fewer.
            ("8/8/8/5R2/5K2/8/6k1/8 w - - 0 1", "", 7, true),
            ("8/8/8/5R2/5K2/8/6k1/8 w - - 0 1", "", 5, false),
            // Not if it leads through a third occurrence.
            ("8/8/8/5R2/6K1/8/7k/8 w - - 0 1", "g4f4 h2g2 f4g4 g2h2 g4f4 h2g2", 7, false),
            // On the hundredth ply, but not on the next.
            ("k7/8/1K6/8/8/8/8/7R w - - 99 80", "", 1, true),
            ("7k/8/4K3/8/8/8/8/R7 w - - 97 80", "", 3, true),
            ("7k/8/4K3/8/8/8/8/R7 w - - 98 80", "", 3, false),
            // The side to move is mated.
            ("k7/8/1K6/8/8/8/8/7R b - - 0 1", "", 2, true),
        ] {
            let game = game(fen, moves);
            assert_eq!(Prover::new(&game, &tables).mates(&game.position, plies), Some(holds), "{fen} {moves} {plies}");
        }
    }
}

#[test]
fn the_prover_finds_known_results() {
    let tables = solved();
    for (fen, moves, outcome) in [
        ("8/8/8/5R2/6K1/8/7k/8 w - - 0 1", "g4f4 h2g2 f4g4 g2h2 g4f4 h2g2", Some(Outcome::Win)),
        // A mate in 11 has time until the hundredth ply, and not a ply longer.
        ("8/8/8/8/6k1/2K5/8/R7 w - - 79 80", "", Some(Outcome::Win)),
        ("8/8/8/8/6k1/2K5/8/R7 w - - 80 80", "", Some(Outcome::Draw)),
        ("6k1/8/5K2/5R2/3b4/8/8/8 w - - 0 1", "f6g6 d4a7 g6f6 a7d4", Some(Outcome::Win)),
        ("8/8/8/4k3/8/8/1Q6/1K6 b - - 0 1", "e5e4 b2b3 e4e5 b3b2 e5d5 b2c3 d5e4 c3b2", Some(Outcome::Loss)),
        ("8/8/8/8/8/1k6/1p6/1K6 w - - 0 1", "", Some(Outcome::Draw)),
        ("4k3/8/8/8/8/8/4P3/4K2R w K - 0 1", "", None),
    ] {
        let game = game(fen, moves);
        assert_eq!(Prover::new(&game, &tables).outcome(&game.position), outcome, "{fen} {moves}");
    }
}
