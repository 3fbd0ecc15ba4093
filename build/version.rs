//! The version of a program: that of `Cargo.toml`, with the commit, and `-dirty` for a changed tree. A commit that is
//! tagged with the version needs neither; a source outside a checkout has no commit.

/// The version, from what git says about the source folder, which contains a `.git` in a checkout. The second value
/// is true if git should have named the commit and did not.
pub fn version(version: &str, is_checkout: bool, git: impl Fn(&[&str]) -> Option<String>) -> (String, bool) {
    // A build outside a checkout (a released archive) has no hash to show, though a checkout of something else may be
    // around it.
    let is_root = git(&["rev-parse", "--show-prefix"]).is_some_and(|folder| folder.is_empty());
    let hash = if is_root { git(&["rev-parse", "--short=8", "HEAD"]) } else { None };
    let Some(hash) = hash else {
        // Without git, or where git refuses another user's checkout, a commit must not pass for a release.
        return (if is_checkout { format!("{version}-unknown") } else { version.to_owned() }, is_checkout);
    };
    let changed = git(&["status", "--porcelain", "--untracked-files=no"]).is_some_and(|files| !files.is_empty());
    let tags = git(&["tag", "--points-at", "HEAD"]).unwrap_or_default();
    let tagged = tags.lines().any(|tag| tag.strip_prefix('v').unwrap_or(tag) == version);
    let named = match (tagged, changed) {
        (true, false) => version.to_owned(),
        (_, changed) => format!("{version}-{hash}{}", if changed { "-dirty" } else { "" }),
    };
    (named, false)
}
