//! The search is the one that the repository records.

use ibex::bench::{BenchOptions, POSITIONS, measure};
use ibex::position::notation::read_fen;

#[test]
fn the_bench_matches_its_recorded_signature() {
    let recorded: u64 = include_str!("bench.signature").trim().parse().expect("a number in tests/bench.signature");
    let nodes = measure(BenchOptions::default(), |_, _| {}).expect("readable positions").nodes;
    assert_eq!(nodes, recorded, "the search has changed; if it was meant to, run `make signature` and commit the file");
}

#[test]
fn the_positions_differ_and_have_moves() {
    let mut fens = POSITIONS.to_vec();
    fens.sort_unstable();
    fens.dedup();
    assert_eq!(fens.len(), POSITIONS.len());
    for fen in POSITIONS {
        assert!(read_fen(fen).is_ok_and(|position| position.has_legal_move()), "{fen}");
    }
}
