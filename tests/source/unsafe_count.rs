//! Where `unsafe` is used, and how often: a new use must be added here, with the reason beside it in the code. (Clippy
//! checks that each block has a comment.)

use crate::all_sources;

const UNSAFE: &[(&str, usize)] = &[
    ("lab/src/play/external.rs", 1),
    ("src/eval/nnue/simd/neon.rs", 2),
    ("src/eval/nnue/simd/x86.rs", 9),
    ("src/laboratory.rs", 1),
    ("src/memory.rs", 2),
    ("src/processor.rs", 1),
    ("src/search/ordering/picker/queue.rs", 2),
    ("src/tt/table.rs", 1),
    ("src/uci/mod.rs", 1),
    ("terminal/src/interrupt.rs", 2),
    ("web/engine/src/lib.rs", 3),
];

/// How often the word occurs in a source text, without comments.
fn count(text: &str) -> usize {
    let code = text.lines().map(|line| line.split("//").next().unwrap_or(""));
    code.flat_map(|line| line.split(|c: char| !(c.is_alphanumeric() || c == '_'))).filter(|&w| w == "unsafe").count()
}

#[test]
fn unsafe_is_counted() {
    let counts = all_sources().into_iter().map(|(file, text)| (file, count(&text)));
    let mut found: Vec<(String, usize)> = counts.filter(|(_, count)| *count > 0).collect();
    found.sort();
    let known: Vec<(String, usize)> = UNSAFE.iter().map(|&(file, count)| (file.to_owned(), count)).collect();
    assert_eq!(found, known);
    assert_eq!(count("unsafe { f() } // unsafe\nunsafe_checks; unsafe impl"), 2);
}
