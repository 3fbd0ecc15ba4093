//! Techniques have their usual names: a search of the source for a term of the chess programming wiki finds it.

use crate::sources;

/// Terms of the chess programming wiki that Ibex uses, each with the file that must contain it.
const TERMS: &[(&str, &str)] = &[
    ("iterative deepening", "search/iterate.rs"),
    ("aspiration window", "search/aspiration.rs"),
    ("principal variation search (PVS)", "search/node.rs"),
    ("quiescence search", "search/quiesce.rs"),
    ("stand pat", "search/quiesce.rs"),
    ("delta pruning", "search/quiesce.rs"),
    ("mate distance pruning (MDP)", "search/node.rs"),
    ("transposition table", "tt/mod.rs"),
    ("null move pruning (NMP", "search/node.rs"),
    ("zugzwang", "search/null_move.rs"),
    ("late move reductions (LMR", "search/node.rs"),
    ("late move pruning (LMP", "search/node.rs"),
    ("reverse futility pruning (RFP", "search/node.rs"),
    ("futility pruning", "search/pruning.rs"),
    ("check extension", "search/node.rs"),
    ("probcut", "search/probcut.rs"),
    ("internal iterative reduction (IIR", "search/node.rs"),
    ("singular extension", "search/extensions.rs"),
    ("multi-cut", "search/extensions.rs"),
    ("static exchange evaluation", "position/see.rs"),
    ("history heuristic", "search/history.rs"),
    ("continuation history", "search/history.rs"),
    ("capture history", "search/picker.rs"),
    ("mvv", "search/picker.rs"),
    ("killer", "search/picker.rs"),
    ("correction history", "search/correction.rs"),
    ("fail-soft", "search/node.rs"),
    ("lazy smp", "smp.rs"),
    ("zobrist", "position/keys.rs"),
    ("cuckoo", "position/cuckoo.rs"),
    ("interior node recognizer", "search/node.rs"),
    ("proof-number search", "search/dfpn.rs"),
    ("contempt", "search/conventions.rs"),
    ("nnue", "eval/nnue/mod.rs"),
    ("accumulator", "eval/nnue/accumulator.rs"),
    ("mop-up", "recognize/progress.rs"),
    ("retrograde", "retrograde/mod.rs"),
    ("syzygy", "recognize/syzygy/mod.rs"),
    ("mtd(f)", "search/experiments/mtdf.rs"),
    ("perft", "position/perft.rs"),
];

#[test]
fn techniques_have_their_usual_names() {
    let sources = sources();
    let missing: Vec<_> = TERMS
        .iter()
        .filter(|(term, file)| {
            let text = sources.iter().find(|(name, _)| name == file).map(|(_, text)| text.to_lowercase());
            !text.is_some_and(|text| text.contains(&term.to_lowercase()))
        })
        .collect();
    assert!(missing.is_empty(), "{missing:#?}");
    assert!(TERMS.len() >= 30);
}
