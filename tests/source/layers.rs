//! The dependency rule: a room uses only rooms below it. The order is the one that `src/lib.rs` tells.

use crate::sources;

/// The rooms, level by level from the ground; rooms on one level do not know each other.
pub const LEVELS: &[&[&str]] = &[
    &["score", "params", "memory", "random"],
    &["bound"],
    &["window"],
    &["position"],
    &["recognize", "tt", "time"],
    &["eval"],
    &["search"],
    &["smp"],
    &["engine"],
    &["bench"],
    &["uci", "lab"],
];

pub fn level(room: &str) -> Option<usize> {
    LEVELS.iter().position(|level| level.contains(&room))
}

/// The rooms that a source text names after `crate::`, one by one or in braces.
pub fn rooms_used(text: &str) -> Vec<String> {
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
    let (mut checked, mut wrong) = (0, Vec::new());
    for (inside, text) in sources() {
        let room = inside.split('/').next().expect("a part").trim_end_matches(".rs");
        if ["lib", "main", "cli"].contains(&room) {
            continue;
        }
        let Some(own) = level(room) else {
            wrong.push(format!("{inside} is in no level: add the room to the map"));
            continue;
        };
        for used in rooms_used(&text) {
            if used == room || level(&used).is_none() {
                continue;
            }
            checked += 1;
            if level(&used) >= Some(own) {
                wrong.push(format!("{inside} ({room}) uses {used}"));
            }
        }
    }
    assert!(wrong.is_empty(), "upward or sideways:\n{}", wrong.join("\n"));
    assert!(checked > 50, "the check has found something to check: {checked}");
}

#[test]
fn the_check_reads_what_it_should() {
    assert_eq!(rooms_used("use crate::score::Score; // crate::uci"), ["score"]);
    assert_eq!(
        rooms_used("use crate::{tt::TranspositionTable, eval};\nlet x = crate::time::Clock;"),
        ["tt", "eval", "time"]
    );
}
