//! The dependency rule: a room uses only rooms below it. The order is the one that `src/lib.rs` tells.

use std::fs;
use std::path::{Path, PathBuf};

/// The rooms, level by level from the ground; rooms on one level do not know each other.
const LEVELS: &[&[&str]] = &[
    &["score", "params", "memory"],
    &["bound"],
    &["window"],
    &["position"],
    &["recognize", "tt", "time"],
    &["eval"],
    &["search"],
    &["smp"],
    &["engine"],
    &["uci", "tools"],
];

fn level(room: &str) -> Option<usize> {
    LEVELS.iter().position(|level| level.contains(&room))
}

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

/// The rooms that a source text names after `crate::`, one by one or in braces.
fn rooms_used(text: &str) -> Vec<String> {
    let code: String = text.lines().map(|line| line.split("//").next().unwrap_or("")).collect::<Vec<_>>().join("\n");
    let mut rooms = Vec::new();
    for after in code.split("crate::").skip(1) {
        let list = match after.strip_prefix('{') {
            Some(group) => group.split('}').next().unwrap_or(""),
            None => after,
        };
        let words: Vec<&str> = if after.starts_with('{') { list.split(',').collect() } else { vec![list] };
        for word in words {
            let name: String = word.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            rooms.push(name);
        }
    }
    rooms
}

#[test]
fn rooms_use_only_rooms_below_them() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&src, &mut files);
    let (mut checked, mut wrong) = (0, Vec::new());
    for file in &files {
        let inside = file.strip_prefix(&src).expect("below src");
        let first = inside.components().next().expect("a part").as_os_str().to_string_lossy().into_owned();
        let room = first.trim_end_matches(".rs");
        if ["lib", "main", "cli"].contains(&room) {
            continue;
        }
        let Some(own) = level(room) else {
            wrong.push(format!("{} is in no level: add the room to the map", inside.display()));
            continue;
        };
        for used in rooms_used(&fs::read_to_string(file).expect("readable")) {
            if used == room || level(&used).is_none() {
                continue;
            }
            checked += 1;
            if level(&used) >= Some(own) {
                wrong.push(format!("{} ({room}) uses {used}", inside.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "upward or sideways:\n{}", wrong.join("\n"));
    assert!(checked > 50, "the check has found something to check: {checked}");
}

#[test]
fn the_check_reads_what_it_should() {
    assert_eq!(rooms_used("use crate::score::Score; // crate::uci"), ["score"]);
    assert_eq!(rooms_used("use crate::{tt::Table, eval};\nlet x = crate::time::Clock;"), ["tt", "eval", "time"]);
}
