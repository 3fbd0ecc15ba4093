//! The dependency rule: a package uses only packages below it, and a module only modules below it. The order of the
//! engine's modules is that of `src/lib.rs`.

use std::fs;
use std::path::Path;

use crate::{sources, sources_below};

/// The modules, level by level from the bottom; those of one level do not use each other.
pub const LEVELS: &[&[&str]] = &[
    &["score", "params", "memory", "random", "parallel", "checksum"],
    &["bound"],
    &["window"],
    &["position", "retrograde"],
    &["recognize", "tt", "time", "openings"],
    &["eval"],
    &["search"],
    &["smp"],
    &["engine"],
    &["bench"],
    &["uci"],
];

/// The modules of the laboratory, likewise: what several commands use, then suites, then the commands, which do not
/// use each other.
const LAB: &[&[&str]] = &[
    &["arguments", "page", "play"],
    &["epd"],
    &["analyse", "datagen", "endings", "experiments", "perft", "probe", "prove"],
];

/// The rooms of the search, likewise.
pub const SEARCH: &[&[&str]] = &[&["rules", "ordering", "mates"], &["state"], &["node"], &["root"], &["experiments"]];

/// The packages, likewise: each with its folder.
pub const PACKAGES: &[&[(&str, &str)]] = &[
    &[("ibex", "."), ("ibex-terminal", "terminal")],
    &[("ibex-formats", "formats")],
    &[("ibex-lab", "lab"), ("ibex-trainer", "trainer"), ("ibex-figures", "figures"), ("ibex-web", "web/engine")],
];

/// The packages of the project that a package needs to be built, by the names of their crates.
pub fn packages_used(folder: &str) -> Vec<&'static str> {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder).join("Cargo.toml");
    let text = fs::read_to_string(manifest).expect("readable");
    // The root also declares the dependencies of the workspace.
    let part = text.split("\n[dependencies]\n").nth(1).unwrap_or_default();
    let part = part.split("\n[").next().unwrap_or_default();
    let crates = part.lines().filter_map(|line| line.split(['.', ' ', '=']).next());
    let known = |name: &str| match name {
        "ibex" => Some("ibex"),
        "terminal" => Some("ibex-terminal"),
        "formats" => Some("ibex-formats"),
        _ => None,
    };
    crates.filter_map(known).collect()
}

pub fn level(module: &str) -> Option<usize> {
    level_in(LEVELS, module)
}

fn level_in(levels: &[&[&str]], module: &str) -> Option<usize> {
    levels.iter().position(|level| level.contains(&module))
}

/// The modules that a source text names after `crate::`, individually or in braces.
pub fn modules_used(text: &str) -> Vec<String> {
    names_after("crate::", text)
}

/// The rooms of the search that a source text names.
pub fn rooms_used(text: &str) -> Vec<String> {
    names_after("crate::search::", text)
}

/// The names that follow a path, individually or in braces.
fn names_after(path: &str, text: &str) -> Vec<String> {
    let code: String = text.lines().map(|line| line.split("//").next().unwrap_or("")).collect::<Vec<_>>().join("\n");
    let mut names = Vec::new();
    for after in code.split(path).skip(1) {
        let words: Vec<&str> = match after.strip_prefix('{') {
            Some(group) => group.split('}').next().unwrap_or("").split(',').collect(),
            None => vec![after],
        };
        names.extend(
            words
                .into_iter()
                .map(|word| word.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>()),
        );
    }
    names
}

#[test]
fn modules_use_only_modules_below_them() {
    let (mut checked, mut wrong) = (0, Vec::new());
    for (inside, text) in sources() {
        let module = inside.split('/').next().expect("a part").trim_end_matches(".rs");
        if ["lib", "main", "processor", "laboratory"].contains(&module) {
            continue;
        }
        let Some(own) = level(module) else {
            wrong.push(format!("{inside} is in no level: add the module to the map"));
            continue;
        };
        for used in modules_used(&text) {
            if used == module || level(&used).is_none() {
                continue;
            }
            checked += 1;
            if level(&used) >= Some(own) {
                wrong.push(format!("{inside} ({module}) uses {used}"));
            }
        }
    }
    assert!(wrong.is_empty(), "upward or sideways:\n{}", wrong.join("\n"));
    assert!(checked > 50, "the check has found something to check: {checked}");
}

#[test]
fn the_laboratory_has_levels_too() {
    let (mut checked, mut wrong) = (0, Vec::new());
    for (inside, text) in sources_below("lab/src", "lab/src") {
        let module = inside.split('/').next().expect("a part").trim_end_matches(".rs");
        if ["main", "cli"].contains(&module) {
            continue;
        }
        let Some(own) = level_in(LAB, module) else {
            wrong.push(format!("{inside} is in no level: add the module to the map"));
            continue;
        };
        for used in modules_used(&text).into_iter().filter(|used| used != module) {
            let Some(other) = level_in(LAB, &used) else { continue };
            checked += 1;
            if other >= own {
                wrong.push(format!("{inside} ({module}) uses {used}"));
            }
        }
        // A file of the root would name its neighbours this way.
        if !inside.contains('/') && text.contains("use super::") && !text.contains("    use super::*") {
            wrong.push(format!("{inside}: 'super' for 'crate'"));
        }
    }
    assert!(wrong.is_empty(), "upward or sideways:\n{}", wrong.join("\n"));
    assert!(checked > 20, "the check has found something to check: {checked}");
}

#[test]
fn the_search_has_levels_too() {
    let (mut checked, mut wrong) = (0, Vec::new());
    for (inside, text) in sources_below("src/search", "src/search") {
        let Some((room, _)) = inside.split_once('/') else { continue };
        let Some(own) = level_in(SEARCH, room) else {
            wrong.push(format!("{inside} is in no level: add the room to the map"));
            continue;
        };
        for used in rooms_used(&text).into_iter().filter(|used| used != room) {
            checked += 1;
            match level_in(SEARCH, &used) {
                Some(other) if other < own => (),
                Some(_) => wrong.push(format!("{inside} ({room}) uses {used}")),
                None => wrong.push(format!("{inside} does not say which room {used} is in")),
            }
        }
        if text.contains("super::super") {
            wrong.push(format!("{inside}: 'super::super' hides the room"));
        }
    }
    assert!(wrong.is_empty(), "upward or sideways:\n{}", wrong.join("\n"));
    assert!(checked > 40, "the check has found something to check: {checked}");
}

#[test]
fn packages_use_only_packages_below_them() {
    let level = |name: &str| PACKAGES.iter().position(|level| level.iter().any(|(known, _)| *known == name));
    let mut arrows = 0;
    for (own, packages) in PACKAGES.iter().enumerate() {
        for (name, folder) in *packages {
            for used in packages_used(folder) {
                arrows += 1;
                assert!(level(used).is_some_and(|other| other < own), "{name} uses {used}");
            }
        }
    }
    assert!(arrows >= 9, "only {arrows} arrows were found");
}

#[test]
fn only_one_file_uses_the_protocol_crate() {
    let knows = |text: &str| text.lines().any(|line| line.split("//").next().unwrap_or("").contains("vampirc_uci"));
    let files: Vec<String> = sources().into_iter().filter(|(_, text)| knows(text)).map(|(inside, _)| inside).collect();
    assert_eq!(files, ["uci/message.rs"]);
}

#[test]
fn used_modules_are_found() {
    assert_eq!(modules_used("use crate::score::Score; // crate::uci"), ["score"]);
    assert_eq!(
        modules_used("use crate::{tt::TranspositionTable, eval};\nlet x = crate::time::Clock;"),
        ["tt", "eval", "time"]
    );
    assert_eq!(rooms_used("pub(in crate::search) fn f();\nuse crate::search::state::{Node, Search};"), ["state"]);
}
