//! Everything that the program reads accepts any bytes: the fuzzer's targets get the project's own seeds and
//! pseudorandom changes to them, so that every run is the same.
//!
//! `make soak` runs this with `IBEX_FUZZ_RUNS`; the fuzzer itself (`make fuzz`) learns from coverage and goes deeper.
//! Its findings are kept in `tests/parsers/found`, as `TARGET-whatever`, and are tried here for ever.

#[path = "../../../tests/common/environment.rs"]
mod environment;
#[path = "../../../tests/common/shared.rs"]
mod shared;
mod targets;

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use environment::from_environment;
use ibex::eval::nnue::Network;
use ibex::random::split_mix;

/// Words of the formats.
const WORDS: [&str; 64] = [
    "position",
    "startpos",
    "fen",
    "moves",
    "e2e4",
    "e7e8q",
    "e1g1",
    "e1h1",
    "0000",
    "go",
    "infinite",
    "ponder",
    "depth",
    "nodes",
    "wtime",
    "btime",
    "winc",
    "movestogo",
    "movetime",
    "mate",
    "searchmoves",
    "perft",
    "setoption",
    "name",
    "value",
    "MultiPV",
    "UCI_Chess960",
    "true",
    "stop",
    "ponderhit",
    "isready",
    "ucinewgame",
    "quit",
    "register",
    "uci",
    "debug on",
    "-1",
    "0",
    "99999999999999999999",
    "1e9",
    " ",
    "\t",
    "\r\n",
    "\n",
    "#",
    "bm",
    "am",
    "dm",
    "c0",
    "id",
    "acd",
    "ce",
    "pv",
    "D1",
    ";",
    "\"",
    "KQkq",
    "-",
    "w",
    "/8/8",
    "Nf3",
    "O-O-O",
    "[FEN \"",
    "{",
];

fn own_seeds(target: &str) -> Vec<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let lines = |text: &str| text.lines().map(|line| line.as_bytes().to_vec()).collect::<Vec<_>>();
    let file = |path: &str| fs::read_to_string(root.join(path)).expect(path);
    let mut seeds = match target {
        "line" | "option" => lines(include_str!("lines.txt")),
        "dialogue" => include_str!("lines.txt").as_bytes().chunks(180).map(<[u8]>::to_vec).collect(),
        "fen" => lines(&file("epd/perft960.epd")).into_iter().chain(lines(&file("epd/draws.epd"))).collect(),
        "epd" => ["epd/perft.epd", "epd/draws.epd", "epd/mates_few_men.epd"]
            .iter()
            .flat_map(|path| file(path).as_bytes().chunks(400).map(<[u8]>::to_vec).collect::<Vec<_>>())
            .collect(),
        "annotated" => vec![include_bytes!("games.pgn").to_vec()],
        "games" => targets::recorded(),
        _ => vec![vec![1, 1, 1, 0, 3, 200, 7, 9], vec![2, 2, 1, 0, 255, 1, 1]],
    };
    if target == "fen" {
        // The fields before the operations.
        for seed in &mut seeds {
            let text = String::from_utf8_lossy(seed).into_owned();
            *seed = text.split(';').next().unwrap_or("").trim().as_bytes().to_vec();
        }
    }
    seeds.retain(|seed| !seed.is_empty());
    assert!(!seeds.is_empty(), "{target}");
    seeds
}

/// Lists of good and bad FENs, which are beside the checkout where the project is measured.
fn shared_seeds(target: &str) -> Vec<Vec<u8>> {
    let Some(folder) = shared::shared("data/fen") else { return Vec::new() };
    let folder = fs::read_dir(folder).expect("a folder");
    let texts = folder.filter_map(|entry| fs::read(entry.ok()?.path()).ok());
    let fields = texts.flat_map(|text| text.split(|b| b"\n\t".contains(b)).map(<[u8]>::to_vec).collect::<Vec<_>>());
    let positions = fields.filter(|field| field.contains(&b'/'));
    match target {
        "fen" | "epd" => positions.collect(),
        "line" | "dialogue" => positions.map(|fen| [b"position fen ", &fen[..]].concat()).collect(),
        _ => Vec::new(),
    }
}

/// A seed with a few changes.
fn changed(seeds: &[Vec<u8>], state: &mut u64) -> Vec<u8> {
    let mut below = |n: usize| (split_mix(state) >> 16) as usize % n.max(1);
    let mut bytes = seeds[below(seeds.len())].clone();
    for _ in 0..below(6) {
        let at = below(bytes.len() + 1);
        match below(9) {
            0 => bytes.insert(at, below(256) as u8),
            1 if at < bytes.len() => drop(bytes.remove(at)),
            2 if at < bytes.len() => bytes[at] = below(256) as u8,
            3 if at < bytes.len() => bytes[at] ^= 1 << below(8),
            4 => drop(bytes.splice(at..at, WORDS[below(WORDS.len())].bytes())),
            5 => {
                let end = (at + below(12)).min(bytes.len());
                drop(bytes.splice(at..end, WORDS[below(WORDS.len())].bytes()));
            }
            6 => {
                // The rest comes from another seed.
                let other = &seeds[below(seeds.len())];
                bytes.truncate(at);
                bytes.extend_from_slice(&other[below(other.len())..]);
            }
            7 => {
                // A piece is repeated.
                let piece = bytes[at..(at + below(20)).min(bytes.len())].to_vec();
                drop(bytes.splice(at..at, piece));
            }
            _ => bytes.truncate(at.max(1)),
        }
    }
    bytes.truncate(4000);
    bytes
}

#[test]
fn the_parsers_survive_any_bytes() {
    let runs: u64 = from_environment("IBEX_FUZZ_RUNS").unwrap_or(10_000);
    let start: u64 = from_environment("IBEX_FUZZ_SEED").unwrap_or(1);
    for (name, target) in targets::TARGETS {
        let seeds: Vec<Vec<u8>> = own_seeds(name).into_iter().chain(shared_seeds(name)).collect();
        // Sessions and networks are expensive.
        let share = if ["dialogue", "network"].contains(&name) { 100 } else { 1 };
        let runs = runs / share;
        let (began, mut slowest) = (Instant::now(), Duration::ZERO);
        seeds.iter().for_each(|seed| target(seed));
        for run in 0..runs {
            let mut state = start.wrapping_mul(1 << 40) + run;
            let bytes = changed(&seeds, &mut state);
            let one = Instant::now();
            let result = std::panic::catch_unwind(|| target(&bytes));
            assert!(result.is_ok(), "{name}, run {run}: {}", bytes.escape_ascii());
            slowest = slowest.max(one.elapsed());
        }
        eprintln!(
            "parsers: {name}: {} executions, {:.1} s, slowest {slowest:.1?}",
            runs + seeds.len() as u64,
            began.elapsed().as_secs_f64()
        );
        assert!(slowest < Duration::from_secs(20), "{name}: {slowest:?}");
    }
}

/// A long run whose length is unreadable must not become a short one that passes.
#[test]
fn the_length_of_a_run_is_a_number_or_an_error() {
    assert_eq!(environment::number::<u64>("IBEX_FUZZ_RUNS", "5000000"), 5_000_000);
    for text in ["5_000_000", "5e6", "", "-1"] {
        let read = std::panic::catch_unwind(|| environment::number::<u64>("IBEX_FUZZ_RUNS", text));
        assert!(read.is_err(), "{text:?}");
    }
}

/// If none of the files chosen by the seeds were a network, nothing would be evaluated or written.
#[test]
fn a_network_of_the_seeds_is_accepted() {
    let files = own_seeds("network").into_iter().filter_map(|seed| targets::network_file(&seed));
    let accepted = files.filter(|file| Network::from_bytes(file).is_ok()).count();
    assert!(accepted > 0);
}

/// Writes the seeds where the fuzzer looks for them, as `make fuzz` shows.
#[test]
#[ignore = "writes files, for make fuzz"]
fn seeds_for_the_fuzzer() {
    let folder = std::env::var_os("IBEX_FUZZ_CORPUS").expect("IBEX_FUZZ_CORPUS");
    for (name, _) in targets::TARGETS {
        let folder = Path::new(&folder).join(name);
        fs::create_dir_all(&folder).expect("a folder");
        for (i, seed) in own_seeds(name).into_iter().chain(shared_seeds(name)).enumerate() {
            fs::write(folder.join(format!("seed-{i}")), seed).expect("a file");
        }
    }
}

/// The fuzzer's past findings.
#[test]
fn past_fuzzer_findings_stay_fixed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/parsers/found");
    let mut tried = 0;
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let Some((_, target)) = targets::TARGETS.iter().find(|(target, _)| name.split('-').next() == Some(target))
        else {
            assert_eq!(name, "README.md", "named after no target");
            continue;
        };
        target(&fs::read(&path).expect("a file"));
        tried += 1;
    }
    eprintln!("{tried} inputs");
    assert!(tried >= 2, "{tried} of the inputs of the folder");
}
