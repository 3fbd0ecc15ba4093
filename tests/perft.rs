//! The move generator and everything that plays moves, against counts confirmed by another generator.

#[path = "common/shared.rs"]
mod shared;

use std::path::Path;

use ibex::parallel::in_parallel;
use ibex::position::{Position, perft};

/// The lines and counts that were checked.
struct Checked {
    lines: usize,
    counts: usize,
}

/// A line such as `FEN ;D1 20 ;D2 400`: the position, and its counts up to a depth.
fn parse(line: &str, max_depth: u32) -> (Position, Vec<(u32, u64)>) {
    let mut parts = line.split(';');
    let fen = parts.next().unwrap_or_default().trim();
    let (position, _) = Position::from_any_fen(fen, None).unwrap_or_else(|error| panic!("{fen}: {error}"));
    let counts = parts.filter_map(|part| {
        let (depth, leaves) = part.trim().strip_prefix('D')?.split_once(' ')?;
        Some((depth.parse().expect("a depth"), leaves.trim().parse().expect("a count")))
    });
    (position, counts.filter(|&(depth, _)| depth <= max_depth).collect())
}

fn check(path: &Path, max_depth: u32) -> Checked {
    let text = std::fs::read_to_string(path).expect("readable");
    let is_task = |line: &&str| !line.trim().is_empty() && !line.starts_with('#');
    let tasks: Vec<_> = text.lines().filter(is_task).map(|line| parse(line, max_depth)).collect();
    let counted = in_parallel(
        tasks.len(),
        2,
        |i| {
            let (position, counts) = &tasks[i];
            counts.iter().map(|&(depth, _)| (depth, perft::count(position, depth))).collect::<Vec<_>>()
        },
        |_, _| {},
    );
    for ((position, counts), counted) in tasks.iter().zip(counted) {
        assert_eq!(*counts, counted, "{}: {}", path.display(), position.fen());
    }
    let lines = tasks.iter().filter(|(_, counts)| !counts.is_empty()).count();
    Checked { lines, counts: tasks.iter().map(|(_, counts)| counts.len()).sum() }
}

#[test]
fn our_own_counts_are_right() {
    let epd = Path::new(env!("CARGO_MANIFEST_DIR")).join("epd");
    assert_eq!(check(&epd.join("perft.epd"), u32::MAX).counts, 320);
    assert_eq!(check(&epd.join("perft960.epd"), u32::MAX).counts, 170);
}

/// The large public files are not part of the project; if they are beside the checkout, they are counted to depth 3
/// or 4.
#[test]
fn public_counts_are_right() {
    for (file, depth, lines) in [("standard.epd", 4, 126), ("fischer.epd", 3, 960), ("ferdy_double_checks.epd", 4, 184)]
    {
        if let Some(path) = shared::shared(&format!("data/perft/{file}")) {
            assert_eq!(check(&path, depth).lines, lines, "{file}");
        }
    }
}
