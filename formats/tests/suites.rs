//! The project's own suites: every line is understood and has a unique name.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use formats::epd::Suite;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../epd")
}

fn suites() -> Vec<Suite> {
    let files = std::fs::read_dir(folder()).expect("readable").map(|file| file.expect("readable").path());
    let mut files: Vec<_> = files.filter(|file| file.extension().is_some_and(|extension| extension == "epd")).collect();
    files.sort();
    files.iter().map(|file| Suite::read(file).expect("readable")).collect()
}

/// The reader rejects illegal moves, so no problems mean that every bm and am can be played.
#[test]
fn every_line_is_understood_and_named_once() {
    let mut ids = HashSet::new();
    let mut positions = HashSet::new();
    let sources = std::fs::read_to_string(folder().join("SOURCES.md")).expect("readable");
    for suite in suites() {
        assert!(suite.problems.is_empty() && suite.notes.is_empty(), "{:?} {:?}", suite.problems, suite.notes);
        assert!(!suite.entries.is_empty(), "{} is empty", suite.file);
        assert!(
            sources.contains(&format!("{}.epd", suite.name)),
            "SOURCES.md does not say where {} is from",
            suite.name
        );
        for entry in suite.entries.iter().filter(|entry| entry.is_task()) {
            let place = format!("{}:{}", suite.file, entry.line);
            assert!(entry.id.as_ref().is_some_and(|id| ids.insert(id.clone())), "{place}: the id is missing or taken");
            assert!(positions.insert(entry.position.fen()), "{place}: the position stands twice");
            assert!(entry.position.has_legal_move(), "{place}: the game is over");
        }
    }
    assert!(ids.len() > 100, "only {} tasks", ids.len());
}

/// The minimum numbers of tactics, quiet moves and Chess960 positions.
const LEAST: [usize; 3] = [250, 200, 60];

fn suite(name: &str) -> Suite {
    Suite::read(&folder().join(name)).expect("readable")
}

/// What the rules alone can check of the suites in which engines agree; `epd/mine.py --check` tests the agreement.
#[test]
fn the_mined_suites_match_their_descriptions() {
    let (tactics, quiet, shuffled) = (suite("tactics.epd"), suite("quiet.epd"), suite("chess960.epd"));
    for entry in tactics.entries.iter().chain(&quiet.entries).chain(&shuffled.entries) {
        let place = entry.id.as_deref().unwrap_or_default();
        assert_eq!(entry.best.len(), 1, "{place}: one move stands out");
        assert!(entry.position.legal_moves().len() > 1, "{place}: there is a choice");
        assert!(entry.analysis.centipawns.is_some() && entry.analysis.nodes.is_some(), "{place}: unexplained");
    }
    for entry in &quiet.entries {
        let place = entry.id.as_deref().unwrap_or_default();
        let m = entry.best[0];
        let after = entry.position.after(m);
        assert!(!m.is_capture() && !m.is_promotion() && !after.in_check(), "{place}: not a quiet move");
        assert!(!entry.position.in_check(), "{place}: in check");
        assert!(entry.analysis.centipawns.is_some_and(|cp| cp.abs() <= 200), "{place}: not in balance");
    }
    for entry in &shuffled.entries {
        let place = entry.id.as_deref().unwrap_or_default();
        assert!(entry.position.castling_mode().is_chess960(), "{place}: plain chess");
    }
    let counts = [tactics.entries.len(), quiet.entries.len(), shuffled.entries.len()];
    assert!(counts.iter().zip(LEAST).all(|(&count, least)| count >= least), "{counts:?}");
}
