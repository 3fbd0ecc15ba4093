//! The diagrams of `docs/modules.md`: the packages, made from their manifests, and the modules of the engine and the
//! rooms of its search, made from the `use` lines of the source.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::layers::{LEVELS, PACKAGES, SEARCH, level, modules_used, packages_used, rooms_used};
use crate::{sources, sources_below};

/// Set to rewrite the diagram instead of checking it.
const WRITE: &str = "IBEX_WRITE_DIAGRAM";

/// The modules that each module uses.
type Uses = BTreeMap<String, BTreeSet<String>>;

/// The uses of the library's modules, by the first part of their path.
fn uses(sources: &[(String, String)]) -> Uses {
    let mut uses = Uses::new();
    for (inside, text) in sources {
        let module = inside.split('/').next().expect("a part").trim_end_matches(".rs");
        if level(module).is_none() {
            continue;
        }
        let used = modules_used(text).into_iter().filter(|used| used != module && level(used).is_some());
        uses.entry(module.to_owned()).or_default().extend(used);
    }
    uses
}

/// The uses of the rooms of the search.
fn rooms(sources: &[(String, String)]) -> Uses {
    let mut uses = Uses::new();
    for (inside, text) in sources {
        let Some((room, _)) = inside.split_once('/') else { continue };
        let used = rooms_used(text).into_iter().filter(|used| used != room);
        uses.entry(room.to_owned()).or_default().extend(used);
    }
    uses
}

/// Whether a chain of uses leads from one module to another.
fn reaches(uses: &Uses, from: &str, to: &str) -> bool {
    // Modules that use each other in a cycle are a fault of the source, not of this walk.
    let (mut seen, mut open) = (BTreeSet::from([from]), vec![from]);
    while let Some(module) = open.pop() {
        for next in uses.get(module).into_iter().flatten() {
            if next == to {
                return true;
            }
            if seen.insert(next) {
                open.push(next);
            }
        }
    }
    false
}

/// The arrows that remain when those that follow from others are left out.
fn arrows(uses: &Uses) -> Vec<(&str, &str)> {
    let mut arrows = Vec::new();
    for (from, used) in uses {
        for to in used {
            if !used.iter().any(|other| other != to && reaches(uses, other, to)) {
                arrows.push((from.as_str(), to.as_str()));
            }
        }
    }
    arrows
}

/// The uses of the packages.
fn package_uses() -> Uses {
    let packages = PACKAGES.iter().copied().flatten();
    packages
        .map(|(name, folder)| ((*name).to_owned(), packages_used(folder).into_iter().map(str::to_owned).collect()))
        .collect()
}

/// A diagram in Mermaid syntax, the highest level first.
fn mermaid(levels: &[Vec<&str>], uses: &Uses) -> String {
    let mut text = String::from("```mermaid\nflowchart TD\n");
    for (number, modules) in levels.iter().enumerate().rev() {
        text += &format!("  subgraph level{number}[\" \"]\n");
        for module in modules {
            text += &format!("    {module}\n");
        }
        text += "  end\n";
    }
    for (from, to) in arrows(uses) {
        text += &format!("  {from} --> {to}\n");
    }
    text + "```\n"
}

#[test]
fn the_diagram_is_current() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/modules.md");
    let text = fs::read_to_string(&page).expect("readable");
    let packages: Vec<Vec<&str>> = PACKAGES.iter().map(|level| level.iter().map(|(name, _)| *name).collect()).collect();
    let modules: Vec<Vec<&str>> = LEVELS.iter().map(|level| level.to_vec()).collect();
    let search: Vec<Vec<&str>> = SEARCH.iter().map(|level| level.to_vec()).collect();
    let diagrams = [
        mermaid(&packages, &package_uses()),
        mermaid(&modules, &uses(&sources())),
        mermaid(&search, &rooms(&sources_below("src/search", "src/search"))),
    ];
    let (mut current, mut rest) = (String::new(), text.as_str());
    for diagram in diagrams {
        let (head, old) = rest.split_once("```mermaid\n").expect("a diagram");
        let (_, tail) = old.split_once("```\n").expect("the end of the diagram");
        current += &(head.to_owned() + &diagram);
        rest = tail;
    }
    current += rest;
    if std::env::var_os(WRITE).is_some() {
        fs::write(&page, current).expect("writable");
    } else {
        assert!(text == current, "docs/modules.md is old; run `make diagram`");
    }
}

#[test]
fn arrows_that_follow_from_others_are_left_out() {
    let text = |module: &str, uses: &str| (format!("{module}.rs"), uses.to_owned());
    let sources = [
        text("tt", "use crate::bound::Ibv;\nuse crate::score::Score;"),
        text("bound", "use crate::score::Score;"),
        text("score", "use crate::score::Band; // crate::uci"),
        text("main", "use crate::uci;"),
    ];
    let uses = uses(&sources);
    assert!(reaches(&uses, "tt", "score") && !reaches(&uses, "score", "tt"));
    assert_eq!(arrows(&uses), [("bound", "score"), ("tt", "bound")]);
}

#[test]
fn modules_in_a_circle_end_the_walk() {
    let text = |module: &str, uses: &str| (format!("{module}.rs"), uses.to_owned());
    let uses = uses(&[text("tt", "use crate::bound::Ibv;"), text("bound", "use crate::tt::Entry;")]);
    assert!(reaches(&uses, "tt", "tt") && !reaches(&uses, "tt", "score"));
}
