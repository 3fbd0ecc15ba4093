//! Techniques have their usual names: a search of the source for a term of the chess programming wiki finds it.

use crate::sources;

/// Terms of the chess programming wiki that Ibex uses, each with the file that must contain it.
const TERMS: &[(&str, &str)] = &[
    ("iterative deepening", "search/root/iterate.rs"),
    ("aspiration window", "search/root/aspiration.rs"),
    ("principal variation search (PVS)", "search/node/interior.rs"),
    ("quiescence search", "search/node/quiesce.rs"),
    ("stand pat", "search/node/quiesce.rs"),
    ("delta pruning", "search/node/quiesce.rs"),
    ("mate distance pruning (MDP)", "search/node/interior.rs"),
    ("transposition table", "tt/mod.rs"),
    ("null move pruning (NMP", "search/node/interior.rs"),
    ("zugzwang", "search/node/null_move.rs"),
    ("late move reductions (LMR", "search/node/interior.rs"),
    ("late move pruning (LMP", "search/node/interior.rs"),
    ("reverse futility pruning (RFP", "search/node/interior.rs"),
    ("futility pruning", "search/node/pruning.rs"),
    ("check extension", "search/node/interior.rs"),
    ("probcut", "search/node/probcut.rs"),
    ("internal iterative reduction (IIR", "search/node/interior.rs"),
    ("singular extension", "search/node/extensions.rs"),
    ("multi-cut", "search/node/extensions.rs"),
    ("static exchange evaluation", "position/see.rs"),
    ("history heuristic", "search/ordering/history.rs"),
    ("continuation history", "search/ordering/history.rs"),
    ("capture history", "search/ordering/picker.rs"),
    ("mvv", "search/ordering/picker.rs"),
    ("killer", "search/ordering/picker.rs"),
    ("correction history", "search/ordering/correction.rs"),
    ("fail-soft", "search/node/interior.rs"),
    ("lazy smp", "smp.rs"),
    ("zobrist", "position/keys.rs"),
    ("cuckoo", "position/cuckoo.rs"),
    ("interior node recognizer", "search/node/interior.rs"),
    ("proof-number search", "search/mates/dfpn.rs"),
    ("contempt", "search/state/conventions.rs"),
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
