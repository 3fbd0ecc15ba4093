//! The version that the build script gives the program.

#[path = "../../build/version.rs"]
mod script;

use script::version;

/// A git that answers these commands, identified by their first two words, and fails for all others.
fn git<'a>(answers: &'a [(&'a str, &'a str)]) -> impl Fn(&[&str]) -> Option<String> + 'a {
    move |args| answers.iter().find(|(command, _)| *command == args[..2].join(" ")).map(|(_, text)| (*text).to_owned())
}

#[test]
fn only_tags_and_released_sources_have_a_plain_version() {
    let hash = ("rev-parse --short=8", "0123abcd");
    let root = ("rev-parse --show-prefix", "");
    let (clean, changed) = (("status --porcelain", ""), ("status --porcelain", " M src/lib.rs"));
    let tag = ("tag --points-at", "other\nv1.0.0");
    for (is_checkout, answers, expected) in [
        (true, &[root, hash, clean, tag][..], "1.0.0"),
        (true, &[root, hash, changed, tag], "1.0.0-0123abcd-dirty"),
        (true, &[root, hash, clean], "1.0.0-0123abcd"),
        (false, &[], "1.0.0"),
        // A released source inside the checkout of something else.
        (false, &[("rev-parse --show-prefix", "ibex/"), hash, clean], "1.0.0"),
    ] {
        assert_eq!(version("1.0.0", is_checkout, git(answers)), (expected.to_owned(), false), "{answers:?}");
    }
    // No git, one that fails, a repository without a commit, an empty folder inside another repository.
    for answers in [&[][..], &[root], &[("rev-parse --show-prefix", "ibex/"), hash]] {
        assert_eq!(version("1.0.0", true, git(answers)), ("1.0.0-unknown".to_owned(), true), "{answers:?}");
    }
}
