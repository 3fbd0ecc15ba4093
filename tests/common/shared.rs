//! The public test data, which is no part of the project.

use std::path::{Path, PathBuf};

/// A file or folder of that data, where it lies beside the checkout or at `IBEX_SHARED`; a loud line where it does not.
pub fn shared(path: &str) -> Option<PathBuf> {
    let base = std::env::var_os("IBEX_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    let path = base.join(path);
    if path.exists() {
        return Some(path);
    }
    eprintln!("SKIPPED: {} is not there (set IBEX_SHARED)", path.display());
    None
}
