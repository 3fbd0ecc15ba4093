//! The shipped network, over games that Ibex plays for this test: the hidden layer updated along each game equals that
//! computed from scratch, and every kernel of this processor gives the same result as the scalar one.
//!
//! `make soak` does this for a million positions (`IBEX_EVAL_POSITIONS`).

#[path = "../../tests/common/environment.rs"]
mod environment;
#[path = "../../tests/common/scratch.rs"]
mod scratch;

use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use environment::from_environment;
use formats::data::read_games;
use ibex::eval::nnue::simd::Kernel;
use ibex::eval::nnue::{Accumulators, Network};
use ibex::position::Position;
use scratch::Scratch;
use shakmaty::Position as _;

/// What the games contained.
#[derive(Debug, Default)]
struct Seen {
    positions: u64,
    castlings: u64,
    promotions: u64,
    en_passant: u64,
    shuffled: u64,
}

/// Games of few nodes a move, a third of them from shuffled back ranks.
fn games(folder: &Scratch, positions: u64) -> PathBuf {
    let out = folder.0.join("games.vf");
    let run = Command::new(env!("CARGO_BIN_EXE_ibex-lab"))
        .args(["datagen", "--quiet", "--nodes", "20", "--hash", "1", "--seed", "5", "--chess960", "0.33"])
        .args(["--positions", &positions.to_string(), "--out"])
        .arg(&out)
        .output()
        .expect("the program runs");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    out
}

#[test]
fn incremental_equals_refreshed_with_every_kernel_over_games() {
    let wanted = from_environment("IBEX_EVAL_POSITIONS").unwrap_or(5_000);
    let network = Network::embedded();
    let with = |kernel| Arc::new(Network::from_bytes(&network.to_bytes()).expect("its own bytes").with_kernel(kernel));
    let scalar = with(Kernel::SCALAR);
    let mut paths: Vec<(Kernel, Accumulators)> =
        Kernel::all().into_iter().map(|kernel| (kernel, Accumulators::new(with(kernel)))).collect();
    let mut seen = Seen::default();
    let folder = Scratch::new("network");
    let file = games(&folder, wanted);
    read_games(std::slice::from_ref(&file), |record| {
        let start = Position::from_chess(&record.start);
        paths.iter_mut().for_each(|(_, path)| path.reset(&start));
        seen.shuffled += u64::from(record.start.castles().mode().is_chess960());
        record.visit(|chess, step, _| {
            let position = Position::from_chess(chess);
            // Computed from scratch, without earlier positions.
            let mut fresh = Accumulators::new(Arc::clone(&scalar));
            fresh.reset(&position);
            let value = fresh.evaluate(&position);
            for (kernel, path) in &mut paths {
                assert_eq!(path.evaluate(&position), value, "{} with {kernel:?}", position.fen());
                path.push(&position, step.chosen.into());
            }
            seen.positions += 1;
            seen.castlings += u64::from(step.chosen.is_castle());
            seen.promotions += u64::from(step.chosen.is_promotion());
            seen.en_passant += u64::from(step.chosen.is_en_passant());
        });
    })
    .expect("games");
    println!("network: {seen:?}, {} kernels", paths.len());
    assert!(seen.positions >= wanted && seen.castlings.min(seen.promotions).min(seen.en_passant) > 0, "{seen:?}");
    assert!(seen.shuffled > 0, "{seen:?}");
}
