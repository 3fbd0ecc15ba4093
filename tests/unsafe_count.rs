//! Where `unsafe` stands, and how often: whoever adds one adds it here, with the reason beside it in the code. (That each
//! block has a comment, clippy sees to.)

use std::fs;
use std::path::{Path, PathBuf};

const UNSAFE: &[(&str, usize)] = &[
    ("eval/nnue/simd/mod.rs", 3),
    ("eval/nnue/simd/neon.rs", 1),
    ("eval/nnue/simd/x86.rs", 4),
    ("memory.rs", 10),
    ("tt/table.rs", 2),
];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

/// How often the word stands in a source text, comments left out.
fn count(text: &str) -> usize {
    let code = text.lines().map(|line| line.split("//").next().unwrap_or(""));
    code.flat_map(|line| line.split(|c: char| !(c.is_alphanumeric() || c == '_'))).filter(|&w| w == "unsafe").count()
}

#[test]
fn unsafe_is_counted() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&src, &mut files);
    let mut found = Vec::new();
    for file in &files {
        let count = count(&fs::read_to_string(file).expect("readable"));
        if count > 0 {
            let inside = file.strip_prefix(&src).expect("below src");
            found.push((inside.to_string_lossy().replace('\\', "/"), count));
        }
    }
    found.sort();
    let known: Vec<(String, usize)> = UNSAFE.iter().map(|&(file, count)| (file.to_owned(), count)).collect();
    assert_eq!(found, known);
    assert_eq!(count("unsafe { f() } // unsafe\nunsafe_checks; unsafe impl"), 2);
}
