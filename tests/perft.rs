//! The move generator and everything that plays moves, against counts confirmed by another generator.

#[path = "common/shared.rs"]
mod shared;

use std::path::Path;

use ibex::formats::epd::Suite;
use ibex::lab::perft;

fn check(path: &Path, max_depth: u32) -> perft::Checked {
    let suite = Suite::read(path).expect("readable");
    assert!(suite.problems.is_empty(), "{:?}", suite.problems);
    let checked = perft::check(&suite, max_depth, 2, |_| {});
    assert!(checked.mismatches.is_empty(), "{:#?}", checked.mismatches);
    checked
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
