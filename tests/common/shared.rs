//! The public test data, which is not part of the project.

use std::path::{Path, PathBuf};

/// A file or folder of that data, beside the checkout or at `IBEX_SHARED`; if it is missing, prints a loud line.
pub fn shared(path: &str) -> Option<PathBuf> {
    // Tests of a package below the root go up to it.
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = package.ancestors().find(|folder| folder.join("Cargo.lock").exists()).unwrap_or(package);
    let base = std::env::var_os("IBEX_SHARED").map_or_else(|| root.join("../shared"), PathBuf::from);
    let path = base.join(path);
    if path.exists() {
        return Some(path);
    }
    eprintln!("SKIPPED: {} is not there (set IBEX_SHARED)", path.display());
    None
}
