use std::sync::OnceLock;

use super::*;

/// All endings of up to four men, solved once for the exhaustive tests, which CI runs.
pub(crate) fn tables() -> &'static Tables {
    static TABLES: OnceLock<Tables> = OnceLock::new();
    TABLES.get_or_init(|| Tables::solve(Endgame::all()))
}

/// All endings of three men and some of four, solved once for the tests of every run.
pub(crate) fn some_tables() -> &'static Tables {
    static TABLES: OnceLock<Tables> = OnceLock::new();
    let names = ["KQvK", "KRvK", "KBvK", "KNvK", "KPvK", "KBNvK", "KQvKR", "KNvKP"];
    TABLES.get_or_init(|| Tables::solve(names.map(|name| name.parse().expect("an ending"))))
}

/// Longest wins in moves, as known since Ströhlein and Thompson.
#[test]
fn longest_wins_are_the_known_ones() {
    check(some_tables(), &[("KQvK", 10), ("KRvK", 16), ("KPvK", 28), ("KBNvK", 33), ("KQvKR", 35)]);
}

#[test]
#[ignore = "a minute or two: all endings of four men; CI runs it"]
fn longest_wins_are_the_known_ones_in_all_endings() {
    let endgames = [
        ("KQvK", 10),
        ("KRvK", 16),
        ("KPvK", 28),
        ("KBBvK", 19),
        ("KBNvK", 33),
        ("KNNvK", 1),
        ("KQvKR", 35),
        ("KRvKB", 29),
        ("KRvKN", 40),
        ("KQvKB", 17),
        ("KQvKN", 21),
    ];
    check(tables(), &endgames);
}

fn check(tables: &Tables, longest_wins: &[(&str, u8)]) {
    for &(name, moves) in longest_wins {
        let endgame: Endgame = name.parse().expect("a name");
        assert_eq!(tables.get(&endgame).expect("solved").longest(), moves, "{name}");
    }
}

#[test]
fn names_are_read_and_normalized() {
    for (name, normal) in [("KQvK", "KQvK"), ("KvKQ", "KQvK"), ("KRvKQ", "KQvKR"), ("KNBvK", "KBNvK"), ("KvK", "KvK")] {
        assert_eq!(name.parse::<Endgame>().map(|endgame| endgame.to_string()), Ok(normal.to_owned()));
    }
    for bad in ["", "K", "KQ", "vK", "KvQ", "KKvK", "KQQQvK", "KPvKP", "KQvKRB", "KXvK"] {
        assert!(bad.parse::<Endgame>().is_err(), "{bad}");
    }
    assert_eq!(Endgame::all().len(), 35);
}
