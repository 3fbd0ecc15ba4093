//! Rules for the source text itself.

mod diagram;
mod documents;
mod handles;
mod layers;
mod matches;
mod terms;
mod unsafe_count;
mod version;

use std::fs;
use std::path::{Path, PathBuf};

/// The folder of every package's sources, from the root.
const PACKAGES: &[&str] =
    &["src", "terminal/src", "formats/src", "lab/src", "trainer/src", "figures/src", "web/engine/src"];

/// Every source file of the engine: its path below `src`, with slashes, and its text.
fn sources() -> Vec<(String, String)> {
    sources_below("src", "src")
}

/// Every source file of every package: its path from the root, and its text.
fn all_sources() -> Vec<(String, String)> {
    PACKAGES.iter().flat_map(|folder| sources_below(folder, "")).collect()
}

/// The source files below a folder, with their paths from a base.
fn sources_below(folder: &str, base: &str) -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let base = root.join(base);
    let mut files = Vec::new();
    walk(&root.join(folder), &mut files);
    let inside = |file: &PathBuf| file.strip_prefix(&base).expect("below").to_string_lossy().replace('\\', "/");
    files.iter().map(|file| (inside(file), fs::read_to_string(file).expect("readable"))).collect()
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            walk(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

/// Without these attributes, Git for Windows may convert the line ends of a checkout.
#[test]
fn every_checkout_has_the_same_line_ends() {
    let attributes = Path::new(env!("CARGO_MANIFEST_DIR")).join(".gitattributes");
    let text = fs::read_to_string(attributes).expect("the attributes of files");
    for line in ["* text=auto eol=lf", "*.ibxn binary", "*.png binary"] {
        assert!(text.lines().any(|found| found == line), ".gitattributes: no '{line}'");
    }
}
