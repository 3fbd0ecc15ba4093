//! The dependency rule: a module uses only modules below it. The order is that of `src/lib.rs`.

use crate::sources;

/// The modules, level by level from the bottom; those of one level do not use each other.
pub const LEVELS: &[&[&str]] = &[
    &["score", "params", "memory", "random", "parallel", "checksum"],
    &["bound"],
    &["window"],
    &["position", "retrograde"],
    &["recognize", "tt", "time"],
    &["eval"],
    &["search"],
    &["smp"],
    &["engine"],
    &["bench"],
    &["uci", "formats"],
    &["lab"],
];

/// The modules of the laboratory, likewise: what several commands use, then suites, then the commands, which do not use each other.
const LAB: &[&[&str]] = &[
    &["page", "play"],
    &["epd"],
    &["analyse", "bench", "datagen", "endings", "experiments", "perft", "probe", "prove"],
];

pub fn level(module: &str) -> Option<usize> {
    level_in(LEVELS, module)
}

fn level_in(levels: &[&[&str]], module: &str) -> Option<usize> {
    levels.iter().position(|level| level.contains(&module))
}

/// The laboratory modules that one of its files names, by `crate::lab::` or by `super::`.
fn lab_modules_used(inside: &str, text: &str) -> Vec<String> {
    let path: Vec<&str> = inside.trim_end_matches(".rs").split('/').filter(|&part| part != "mod").collect();
    let code: String = text.lines().map(|line| line.split("//").next().unwrap_or("").to_owned() + "\n").collect();
    let mut used = Vec::new();
    let mut rest = code.as_str();
    while let Some(at) = rest.find("super::").into_iter().chain(rest.find("crate::lab::")).min() {
        rest = &rest[at..];
        let mut base = vec!["lab"];
        if let Some(after) = rest.strip_prefix("crate::lab::") {
            rest = after;
        } else {
            let mut up = 0;
            while let Some(after) = rest.strip_prefix("super::") {
                (rest, up) = (after, up + 1);
            }
            base = path[..path.len().saturating_sub(up)].to_vec();
        }
        let names = rest.strip_prefix('{').map_or(rest, |group| group.split('}').next().unwrap_or(""));
        let names = if rest.starts_with('{') { names.split(',').collect() } else { vec![names] };
        for name in names {
            let name: String = name.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            // The first name below `lab` counts; anything above is checked for all modules.
            match base.as_slice() {
                ["lab"] => used.push(name),
                ["lab", module, ..] => used.push((*module).to_owned()),
                _ => {}
            }
        }
    }
    used
}

/// The modules that a source text names after `crate::`, individually or in braces.
pub fn modules_used(text: &str) -> Vec<String> {
    let code: String = text.lines().map(|line| line.split("//").next().unwrap_or("")).collect::<Vec<_>>().join("\n");
    let mut modules = Vec::new();
    for after in code.split("crate::").skip(1) {
        let list = match after.strip_prefix('{') {
            Some(group) => group.split('}').next().unwrap_or(""),
            None => after,
        };
        let words: Vec<&str> = if after.starts_with('{') { list.split(',').collect() } else { vec![list] };
        for word in words {
            let name: String = word.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            modules.push(name);
        }
    }
    modules
}

#[test]
fn modules_use_only_modules_below_them() {
    let (mut checked, mut wrong) = (0, Vec::new());
    for (inside, text) in sources() {
        let module = inside.split('/').next().expect("a part").trim_end_matches(".rs");
        if ["lib", "main", "cli", "processor"].contains(&module) {
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
    for (inside, text) in sources() {
        let Some(module) = inside.strip_prefix("lab/").and_then(|path| path.split('/').next()) else { continue };
        let module = module.trim_end_matches(".rs");
        if module == "mod" {
            continue;
        }
        let Some(own) = level_in(LAB, module) else {
            wrong.push(format!("{inside} is in no level: add the module to the map"));
            continue;
        };
        for used in lab_modules_used(&inside, &text).into_iter().filter(|used| used != module) {
            let Some(other) = level_in(LAB, &used) else { continue };
            checked += 1;
            if other >= own {
                wrong.push(format!("{inside} ({module}) uses {used}"));
            }
        }
    }
    assert!(wrong.is_empty(), "upward or sideways:\n{}", wrong.join("\n"));
    assert!(checked > 20, "the check has found something to check: {checked}");
}

#[test]
fn only_one_file_uses_the_protocol_crate() {
    let knows = |text: &str| text.lines().any(|line| line.split("//").next().unwrap_or("").contains("vampirc_uci"));
    let files: Vec<String> = sources().into_iter().filter(|(_, text)| knows(text)).map(|(inside, _)| inside).collect();
    assert_eq!(files, ["uci/message.rs"]);
}

#[test]
fn used_modules_are_found() {
    let text = "use super::page; // super::epd\nuse super::super::{play, perft::check};\nuse crate::lab::probe;";
    assert_eq!(lab_modules_used("lab/epd/html.rs", text), ["epd", "play", "perft", "probe"]);
    assert_eq!(lab_modules_used("lab/probe.rs", "use super::epd::totals;"), ["epd"]);
    assert_eq!(modules_used("use crate::score::Score; // crate::uci"), ["score"]);
    assert_eq!(
        modules_used("use crate::{tt::TranspositionTable, eval};\nlet x = crate::time::Clock;"),
        ["tt", "eval", "time"]
    );
}
