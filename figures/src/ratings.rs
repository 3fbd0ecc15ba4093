//! The worth of the ratings of `UCI_Elo`: each rating that the engine was fitted to, against a level of Stockfish with
//! a known rating.

use ibex::engine::handicap;
use terminal::{CommandError, remark, trouble};

use crate::duel::{Ends, Limit, name_of};
use crate::games::amount;
use crate::matches::{Contest, LEVEL_BOOK, Results, Side, folder, found};
use crate::measure::{Measured, Tools, row};

/// The version whose levels are known: they were measured a few weeks after its release.
const OPPONENT: &str = "Stockfish 15.1";
/// The ratings of its levels (`Skill Level`), from 0 on, as its authors measured them in January 2023 against versions
/// of Stash in CCRL's blitz list (their pull request 4341). Errors are 25 to 33 points. The levels from 11 on are left
/// out, because their games take ever longer.
const LEVELS: [u32; 11] = [1320, 1468, 1608, 1742, 1923, 2204, 2363, 2500, 2596, 2703, 2788];
/// Games for each rating.
const GAMES: u32 = 100;
/// More nodes than any handicap takes: the handicap itself decides when to move.
const UNLIMITED: u64 = 10_000_000;
/// Every rating that the engine was fitted to, against the nearest level. A complete match is kept in
/// `target/figures`, so that an interrupted measurement continues with the next.
///
/// # Errors
///
/// One line: a program or the book is missing, or a match failed.
pub fn ratings(tools: &Tools) -> Result<Measured, CommandError> {
    let opponent =
        found("stockfish").ok_or_else(|| trouble!("stockfish is not installed; its levels are the measure"))?;
    let name = name_of(&opponent)?;
    if name != OPPONENT {
        return Err(trouble!("{} is {name}; the ratings are those of {OPPONENT}", opponent.display()));
    }
    let book = tools.data(LEVEL_BOOK)?;
    let folder = folder()?;
    let mut table = row(&["`UCI_Elo`", "nodes", "level", "its rating", "won", "drawn", "lost", "so Ibex has"])
        + "|--:|--:|--:|--:|--:|--:|--:|---|\n";
    for (elo, own_nodes) in handicap::fitted() {
        let level = nearest(elo);
        let place = (folder.as_path(), format!("rating-{elo}-{own_nodes}-{level}"));
        remark!("    {elo} against level {level}");
        let own = ["UCI_LimitStrength=true".to_owned(), format!("UCI_Elo={elo}")];
        let others = [format!("Skill Level={level}")];
        let sides = [
            Side { program: &tools.ibex, limit: Limit::Nodes(UNLIMITED), options: &own },
            Side { program: &opponent, limit: Limit::Nodes(nodes(level)), options: &others },
        ];
        // Weak players lose drawn positions, which are played out therefore.
        let contest = Contest { sides, book: &book, games: GAMES, ends: Ends::Agreed };
        table += &line(elo, own_nodes, level, &contest.played(place)?);
    }
    Ok(Measured {
        table,
        conditions: format!(
            "{GAMES} games each against {OPPONENT}'s levels, which had 5000 to {} nodes a move, openings \
             noob_3moves in pairs, resigned where both agree on ten pawns",
            amount(nodes(LEVELS.len() - 1))
        ),
    })
}

/// The level with the nearest rating.
fn nearest(elo: u32) -> usize {
    (0..LEVELS.len()).min_by_key(|&level| LEVELS[level].abs_diff(elo)).unwrap_or_default()
}

/// Nodes for a level: it chooses its move at one depth beyond its number, among four lines, and must reach that depth.
fn nodes(level: usize) -> u64 {
    match level {
        0..=4 => 5000,
        5 => 10_000,
        6 => 15_000,
        7 => 35_000,
        8 => 60_000,
        9 => 100_000,
        _ => 130_000,
    }
}

/// The table line of a match for a rating.
fn line(elo: u32, own_nodes: u64, level: usize, results: &Results) -> String {
    let rated = LEVELS[level];
    let (elo_gained, margin) = results.elo();
    let rating = if margin.is_finite() {
        format!("{:.0} ± {margin:.0}", f64::from(rated) + elo_gained)
    } else {
        "unknown".to_owned()
    };
    let played = [results.won, results.drawn, results.lost].map(|count| count.to_string());
    let head = [elo.to_string(), amount(own_nodes), level.to_string(), rated.to_string()];
    row(&[&head[..], &played, &[rating]].concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::cells;
    use crate::page;

    #[test]
    fn a_match_against_a_level_says_what_the_rating_is() {
        let results = |won, drawn, lost, pairs| Results { won, drawn, lost, pairs, on_time: [0; 2] };
        let better = results(60, 10, 30, [5, 5, 10, 15, 15]);
        assert_eq!(line(1500, 1200, 1, &better), "| 1500 | 1200 | 1 | 1468 | 60 | 10 | 30 | 1576 ± 69 |\n");
        let lost = results(0, 0, 100, [50, 0, 0, 0, 0]);
        assert_eq!(line(850, 150, 0, &lost), "| 850 | 150 | 0 | 1320 | 0 | 0 | 100 | unknown |\n");
    }

    #[test]
    fn the_page_has_the_ratings_that_ship() {
        let block = page::block(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/playing.md"), "ratings").unwrap();
        let table = page::table(&block);
        let shown: Vec<Vec<&str>> = table.lines().skip(2).map(|line| cells(line)[..2].to_vec()).collect();
        let shipped: Vec<Vec<String>> =
            handicap::fitted().map(|(elo, nodes)| vec![elo.to_string(), amount(nodes)]).collect();
        assert_eq!(shown, shipped, "make figures-ratings");
    }

    #[test]
    fn a_rating_is_measured_against_the_nearest_level() {
        assert_eq!([0, 1320, 1395, 1860, 2250, 2630, 4000].map(nearest), [0, 0, 1, 4, 5, 8, 10]);
        assert!((0..LEVELS.len()).all(|level| level == 0 || nodes(level) >= nodes(level - 1)));
    }
}
