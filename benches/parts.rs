//! How long the parts take that every node is made of, and a whole bench. Run with `cargo bench`.

use divan::{Bencher, black_box};
use ibex::bench;
use ibex::bound::Ibv;
use ibex::eval::{Evaluation, Evaluator};
use ibex::position::Position;
use ibex::position::notation::read_fen;
use ibex::score::Score;
use ibex::tt::{Entry, TranspositionTable};

fn main() {
    divan::main();
}

/// The positions of `ibex bench`: openings, middlegames and endgames of real games.
fn positions() -> Vec<Position> {
    bench::POSITIONS.iter().filter_map(|fen| read_fen(fen).ok()).collect()
}

/// Everything legal in 40 positions.
#[divan::bench]
fn legal_moves(bencher: Bencher<'_, '_>) {
    let positions = positions();
    bencher.bench(|| positions.iter().map(|position| black_box(position).legal_moves().len()).sum::<usize>());
}

/// Every legal move of 40 positions played on a copy, with its keys.
#[divan::bench]
fn play_with_keys(bencher: Bencher<'_, '_>) {
    let positions: Vec<_> = positions().into_iter().map(|position| (position.legal_moves(), position)).collect();
    bencher.bench(|| {
        let mut mixed = 0;
        for (moves, position) in &positions {
            for &m in moves {
                let mut child = position.clone();
                child.play(black_box(m));
                mixed ^= child.key();
            }
        }
        mixed
    });
}

/// The static evaluation of 40 positions from scratch.
#[divan::bench]
fn evaluation(bencher: Bencher<'_, '_>) {
    let positions: Vec<_> = positions().into_iter().filter(|position| !position.in_check()).collect();
    let mut evaluator = Evaluator::new(&Evaluation::default());
    bencher.bench_local(move || {
        let mut sum = 0;
        for position in &positions {
            evaluator.reset(position);
            sum += evaluator.evaluate(black_box(position));
        }
        sum
    });
}

/// Whether each capture of 40 positions loses nothing.
#[divan::bench]
fn exchanges(bencher: Bencher<'_, '_>) {
    let captures: Vec<_> = positions()
        .into_iter()
        .map(|position| {
            let captures: Vec<_> = position.legal_moves().into_iter().filter(|m| m.is_capture()).collect();
            (captures, position)
        })
        .collect();
    bencher.bench(|| {
        let pairs = captures.iter().flat_map(|(moves, position)| moves.iter().map(move |&m| (m, position)));
        pairs.filter(|&(m, position)| position.see_at_least(black_box(m), 0)).count()
    });
}

/// A thousand keys that have nothing to do with each other.
fn some_keys() -> Vec<u64> {
    let mut state = 1;
    (0..1000).map(|_| ibex::random::split_mix(&mut state)).collect()
}

fn entry() -> Entry {
    Entry {
        value: Ibv::exact(Score::heuristic(25)),
        best: None,
        depth: 8,
        pv: false,
        eval: Some(Score::heuristic(20)),
        tb_entry: false,
    }
}

/// A thousand probes of a table that is larger than the caches.
#[divan::bench]
fn table_probe(bencher: Bencher<'_, '_>) {
    let (table, _) = TranspositionTable::new(64);
    let keys = some_keys();
    keys.iter().for_each(|&key| table.store(key, entry()));
    bencher.bench(|| keys.iter().filter(|&&key| table.probe(black_box(key)).is_some()).count());
}

/// A thousand stores in it.
#[divan::bench]
fn table_store(bencher: Bencher<'_, '_>) {
    let (table, _) = TranspositionTable::new(64);
    let keys = some_keys();
    bencher.bench(|| keys.iter().for_each(|&key| table.store(black_box(key), entry())));
}

/// `ibex bench`, less deep.
#[divan::bench(sample_count = 5, sample_size = 1)]
fn whole_bench() -> u64 {
    bench::measure(bench::BenchOptions { depth: 8, ..bench::BenchOptions::default() }, |_, _| {})
        .map_or(0, |measured| measured.nodes)
}
