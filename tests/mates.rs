//! Announced mates are real: legal lines of the announced length that end in mate, never shorter than was proved.

use std::sync::atomic::{AtomicBool, Ordering};

use ibex::bound::Bound;
use ibex::engine::{Engine, Settings};
use ibex::position::notation::read_fen;
use ibex::position::{Game, Move};
use ibex::random::split_mix;
use ibex::score::DrawRule;
use ibex::search::{Event, Outcome, Report};
use ibex::time::Limits;
use shakmaty::{CastlingMode, Role};

mod common;
#[path = "common/environment.rs"]
mod environment;
use common::{Listener, Mate, fault, line_fault, our_mates, public_mates};
use environment::from_environment;

fn engine(hash_mib: usize, threads: usize) -> Engine {
    Engine::new(Settings { hash_mib, threads, ..Settings::default() }).0
}

fn search(engine: &mut Engine, game: &Game, limits: Limits) -> (Outcome, Vec<Report>) {
    let listener = Listener::default();
    let outcome = engine.search(game, limits, Some(&|event| listener.hear(&event)));
    (outcome, listener.reports())
}

/// Searches every position, keeping the table, and returns the mates that were not announced exactly.
fn check(mates: &[Mate], hash_mib: usize, threads: usize, nodes: u64) -> Vec<&str> {
    let mut engine = engine(hash_mib, threads);
    let mut missed = vec![];
    for mate in mates {
        let (outcome, reports) = search(&mut engine, &mate.game, Limits::nodes(nodes));
        let last = outcome.last.expect("a complete line");
        for report in reports.iter().chain([&last]) {
            assert_eq!(fault(mate, report), None, "{} ({hash_mib} MB, {threads} threads)", mate.name);
        }
        if last.value.score().is_mate() && last.value.bound() == Bound::Exact {
            assert_eq!(line_fault(&mate.game, &last), None, "{} {:?}", mate.name, last.value);
        }
        if last.value.score().mate_moves() != Some(mate.moves) {
            missed.push(mate.name.as_str());
        }
    }
    missed
}

#[test]
fn our_mates_are_found_and_never_shortened() {
    let mates = our_mates();
    assert!(mates.len() >= 25, "{}", mates.len());
    for (hash, threads) in [(16, 1), (1, 1), (1, 2)] {
        let missed = check(&mates, hash, threads, 300_000);
        println!("{hash} MB, {threads} threads: {} of {} mates missed {missed:?}", missed.len(), mates.len());
        assert!(missed.len() <= 3, "missed with {hash} MB, {threads} threads: {missed:?}");
    }
}

#[test]
fn public_mates_are_never_shortened() {
    for (file, stride) in [("mate_in_2.epd", 60), ("mate_in_3.epd", 60), ("mate_in_4.epd", 60), ("endgame_dm_4.epd", 3)]
    {
        let mates: Vec<Mate> = public_mates(file).into_iter().step_by(stride).collect();
        for (hash, threads) in [(16, 1), (16, 2), (1, 1), (1, 2)] {
            check(&mates, hash, threads, 30_000);
        }
    }
}

/// `go mate N` reports that there is no such mate below the proved distance, but never at it.
#[test]
fn mates_are_refuted_only_below_their_distance() {
    let public = [("mate_in_2.epd", 20), ("mate_in_3.epd", 40), ("mate_in_4.epd", 80)];
    let public = public.into_iter().flat_map(|(file, stride)| public_mates(file).into_iter().step_by(stride));
    let (mut positions, mut refuted, mut again) = (0, 0, 0);
    for mate in our_mates().into_iter().chain(public).filter(|mate| mate.moves.unsigned_abs() > 1) {
        let distance = mate.moves.unsigned_abs();
        positions += 1;
        refuted += usize::from(says_none(&mate.game, distance - 1));
        assert!(!says_none(&mate.game, distance), "{}: there is a mate in {distance}", mate.name);
        if let Some(game) = to_and_fro(&mate.game) {
            again += 1;
            assert!(!says_none(&game, distance), "{}, for the second time: there is a mate in {distance}", mate.name);
        }
    }
    println!("{refuted} of {positions} mates refuted a move earlier, {again} asked for after the moves to and fro");
    assert!(refuted * 2 > positions && again * 4 > positions, "{refuted} and {again} of {positions}");
}

/// Whether a search reports that there is no mate in this number of moves.
fn says_none(game: &Game, moves: u32) -> bool {
    let limits = Limits { mate: Some(moves), ..Limits::nodes(60_000) };
    let none = AtomicBool::new(false);
    engine(1, 1).search(
        game,
        limits,
        Some(&|event| {
            if let Event::Message(text) = event {
                assert!(text.starts_with(&format!("there is no mate in {moves}, ")), "{text}");
                none.store(true, Ordering::Relaxed);
            }
        }),
    );
    none.into_inner()
}

/// The game after two moves by each side that lead back to the same position.
fn to_and_fro(game: &Game) -> Option<Game> {
    let quiet =
        |game: &Game| game.position().legal_moves().into_iter().filter(|m| m.role() != Role::Pawn && !m.is_noisy());
    let back = |m: Move| m.is_normal().then(|| Move::quiet(m.role(), m.to(), m.from()));
    quiet(game).find_map(|first| {
        let after = played(game, first)?;
        quiet(&after).find_map(|second| {
            let there = played(&after, second)?;
            let again = played(&played(&there, back(first)?)?, back(second)?)?;
            (again.position().key() == game.position().key()).then_some(again)
        })
    })
}

/// The game after a move, if the move is legal.
fn played(game: &Game, m: Move) -> Option<Game> {
    let mut after = game.clone();
    after.position().legal_moves().contains(&m).then(|| after.play(m))?;
    Some(after)
}

/// Every exact mate that is reported, at any depth, comes with its whole line; for the mated side, the score fails low
/// in the aspiration window, where values may be exact but lines are not kept.
#[test]
fn the_mated_side_gets_whole_lines() {
    let mut told = 0;
    for fen in [
        "q1rn2kb/2pNrp1p/4p1Q1/pP1n4/7R/4NRP1/P2PP2P/B5K1 b - - 0 14",
        "B6R/8/8/1P2kpp1/6np/8/4n1K1/6r1 w - - 5 70",
        "3Q4/5k2/3R3P/8/8/7K/3p4/8 b - - 1 74",
        "r1b1r3/1p4kp/p2p4/q2B1pQ1/P7/2N5/1PP3PP/5RK1 b - - 1 22",
        "4k3/8/5K2/3Q4/5P2/8/6P1/8 b - - 0 69",
        "7r/pQ3pp1/3p4/1kp5/8/2BR2P1/PP6/6K1 b - - 4 32",
    ] {
        let game = Game::from_fen(fen, CastlingMode::Standard).expect("a position");
        let (outcome, reports) = search(&mut engine(16, 1), &game, Limits::depth(12));
        for report in reports.iter().chain(&outcome.last) {
            if report.value.score().is_mate() && report.value.bound() == Bound::Exact {
                assert_eq!(line_fault(&game, report), None, "{fen}: {:?} at depth {}", report.value, report.depth);
                told += 1;
            }
        }
    }
    assert!(told > 6, "only {told} mates told");
}

/// The results of the searches of a suite.
#[derive(Debug, Default)]
struct Sheet {
    positions: usize,
    /// The proved distance, as an exact value.
    exact: usize,
    longer: usize,
    /// No mate announced at the end.
    silent: usize,
    /// Announcements that are wrong at any time, and final lines that are not the announced mate.
    faults: Vec<String>,
    missed: Vec<String>,
    nodes: u64,
}

/// Searches a sample of a suite, keeping the table from one position to the next.
fn measure(mates: &[Mate], hash_mib: usize, threads: usize, nodes: u64) -> Sheet {
    let mut engine = engine(hash_mib, threads);
    let mut sheet = Sheet::default();
    for mate in mates.iter().filter(|mate| mate.moves != 0) {
        // The search ends when the distance is reached: nothing is better, and worse results are counted anyway.
        let limits = Limits { mate: Some(mate.moves.unsigned_abs()), ..Limits::nodes(nodes) };
        let (outcome, reports) = search(&mut engine, &mate.game, limits);
        let last = outcome.last.expect("a complete line");
        sheet.positions += 1;
        sheet.nodes += outcome.nodes;
        for fault in reports.iter().chain([&last]).filter_map(|report| fault(mate, report)) {
            sheet.faults.push(format!("{}: {fault}", mate.name));
        }
        match last.value.score().mate_moves() {
            Some(moves) if last.value.bound() == Bound::Exact => {
                if let Some(fault) = line_fault(&mate.game, &last) {
                    sheet.faults.push(format!("{}: {fault}", mate.name));
                }
                if moves == mate.moves {
                    sheet.exact += 1;
                } else {
                    sheet.longer += 1;
                    sheet.missed.push(format!("{}: mate {moves}, {} is proved", mate.name, mate.moves));
                }
            }
            _ => {
                sheet.silent += 1;
                sheet.missed.push(format!("{}: {:?}", mate.name, last.value));
            }
        }
    }
    sheet
}

/// The public suites as a whole, or `IBEX_MATE_SAMPLE` positions of each, with `IBEX_MATE_NODES` nodes a position (a
/// million), for every table size and number of threads or those named by `IBEX_MATE_HASH` and `IBEX_MATE_THREADS`:
///
///     cargo test --release --test mates -- --ignored --nocapture
#[test]
#[ignore = "ten minutes of search: a measurement, to be asked for"]
fn public_suites() {
    let nodes = from_environment("IBEX_MATE_NODES").unwrap_or(1_000_000);
    let sample = from_environment("IBEX_MATE_SAMPLE").unwrap_or(usize::MAX);
    let only = std::env::var("IBEX_MATE_SUITE").ok();
    let mut failed = vec![];
    for hash in from_environment("IBEX_MATE_HASH").map_or(vec![16, 1], |n| vec![n]) {
        for threads in from_environment("IBEX_MATE_THREADS").map_or(vec![1, 2], |n| vec![n]) {
            for (suite, least) in [
                ("mate_in_1.epd", 100),
                ("mate_in_2.epd", 100),
                ("mate_in_3.epd", 100),
                ("pychess_mate_in_3.epd", 100),
                ("mate_in_4.epd", 100),
                ("mate_in_5.epd", 98),
            ] {
                if only.as_ref().is_some_and(|only| only != suite) {
                    continue;
                }
                let mut mates = public_mates(suite);
                // The same sample every time: the suites are sorted, so their order is shuffled first.
                let mut random = 1;
                mates.sort_by_cached_key(|_| split_mix(&mut random));
                mates.truncate(sample);
                let sheet = measure(&mates, hash, threads, nodes);
                println!(
                    "{suite}, {hash} MB, {threads} threads: {} positions, {} exact, {} longer, {} silent, {} faults, \
                     {} nodes a position",
                    sheet.positions,
                    sheet.exact,
                    sheet.longer,
                    sheet.silent,
                    sheet.faults.len(),
                    sheet.nodes / sheet.positions.max(1) as u64
                );
                sheet.faults.iter().chain(&sheet.missed).for_each(|line| println!("    {line}"));
                if !sheet.faults.is_empty() || sheet.exact * 100 < sheet.positions * least {
                    failed.push(format!("{suite}, {hash} MB, {threads} threads"));
                }
            }
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}

#[test]
fn go_mate_stops_at_the_mate() {
    let mut engine = engine(16, 1);
    for mate in our_mates().iter().filter(|mate| (1..=3).contains(&mate.moves)) {
        let limits = Limits { mate: Some(mate.moves.unsigned_abs()), nodes: Some(5_000_000), ..Limits::default() };
        let (outcome, _) = search(&mut engine, &mate.game, limits);
        assert_eq!(outcome.last.expect("a line").value.score().mate_moves(), Some(mate.moves), "{}", mate.name);
        assert!(outcome.nodes < 5_000_000, "{}", mate.name);
    }
}

/// Two rooks mate in a few moves. With a high clock, the mate comes after ply 100, and nothing can be captured.
#[test]
fn the_counter_forbids_this_mate() {
    for draws in [DrawRule::Later, DrawRule::Off] {
        for (counter, mates) in [(0, true), (95, false)] {
            let mut engine = engine(16, 1);
            engine.apply(Settings { draws, ..engine.settings().clone() });
            let fen = format!("8/8/8/3K4/8/8/8/krr5 b - - {counter} 60");
            let game = Game::new(read_fen(&fen).expect("a position"));
            let (_, reports) = search(&mut engine, &game, Limits::nodes(400_000));
            let claims: Vec<&Report> = reports.iter().filter(|report| report.value.score().is_mate()).collect();
            assert_eq!(!claims.is_empty(), mates, "counter {counter}, {draws:?}: {claims:?}");
            let plies = claims.iter().filter_map(|report| report.value.score().mate_ply()).min();
            assert!(plies.is_none_or(|plies| plies > 5), "a mate in {plies:?} would be in time");
        }
    }
}
