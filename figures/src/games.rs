//! Figures from games: matches against the installed engines, and against half of the nodes.

use std::path::PathBuf;
use terminal::{CommandError, remark, trouble};

use crate::duel::{Ends, Limit, name_of};
use crate::matches::{Contest, HASH, LEVEL_BOOK, Results, Side, folder, found};
use crate::measure::{Measured, Tools, row};

/// An engine to play against.
struct Opponent {
    /// The program, found in the search path or in `/usr/games`.
    program: &'static str,
    /// The approximate rating in CCRL's blitz list.
    rated: u32,
    /// Which build it is.
    build: &'static str,
    /// How many games measure the difference: fewer if it is large.
    games: u32,
}

/// Debian's engines with UCI, and one at full speed. Those that are not installed are left out.
const OPPONENTS: [Opponent; 6] = [
    Opponent { program: "stockfish-15.1-native", rated: 3750, build: "built for the processor", games: 400 },
    Opponent { program: "stockfish", rated: 3700, build: "Debian", games: 300 },
    Opponent { program: "ethereal-chess", rated: 3400, build: "Debian", games: 300 },
    Opponent { program: "toga2", rated: 2850, build: "Debian", games: 100 },
    Opponent { program: "glaurung", rated: 2700, build: "Debian", games: 100 },
    Opponent { program: "fruit", rated: 2700, build: "Debian", games: 100 },
];

const GAMES: u32 = 300;
const CONTROL: Limit = Limit::Clock { session: None, base: 2000, increment: 20, pace: None };
const BOOK: &str = "books/UHO_4060_v4.epd";

/// How games end early, in words for the pages.
pub const ENDED_EARLY: &str = "drawn early where both sides see it, lost where the loser does";

/// Ibex against the installed engines, on the clock. A complete match is kept in `target/figures`, so that an
/// interrupted measurement continues with the next.
///
/// # Errors
///
/// One line: the book is missing, no opponent is installed, or a match failed.
pub fn strength(tools: &Tools) -> Result<Measured, CommandError> {
    let book = tools.data(BOOK)?;
    let folder = folder()?;
    // Builds play alike at equal nodes, but not on the clock: each has its own matches.
    let build: String = tools.build().chars().filter(|c| c.is_ascii_alphanumeric()).collect();
    let installed: Vec<(&Opponent, PathBuf)> =
        OPPONENTS.iter().filter_map(|opponent| Some((opponent, found(opponent.program)?))).collect();
    if installed.is_empty() {
        return Err(trouble!("no opponent is installed"));
    }
    let mut table = row(&["opponent", "build", "rated", "won", "drawn", "lost", "score", "Elo difference, 95%"])
        + "|---|---|--:|--:|--:|--:|--:|---|\n";
    let mut on_time = [0; 2];
    for (number, (opponent, program)) in installed.iter().enumerate() {
        remark!("    [{}/{}] {}", number + 1, installed.len(), opponent.program);
        let sides = [&tools.ibex, program].map(|program| Side { program, limit: CONTROL, options: &[] });
        let contest = Contest { sides, book: &book, games: opponent.games, ends: Ends::Early };
        let results = contest.played((&folder, format!("strength-{build}-{}", opponent.program)))?;
        on_time.iter_mut().zip(results.on_time).for_each(|(sum, count)| *sum += count);
        table += &line(&name_of(program)?, opponent, &results);
    }
    let [ours, theirs] = on_time;
    Ok(Measured {
        table,
        conditions: format!(
            "Ibex by {}; 2+0.02 s, two games at a time, one thread and {HASH} MB each, openings UHO_4060_v4 in pairs, \
             {ENDED_EARLY}; games lost on time: Ibex {ours}, all opponents together {theirs}",
            tools.build()
        ),
    })
}

fn line(name: &str, opponent: &Opponent, results: &Results) -> String {
    let opponent = vec![name.to_owned(), opponent.build.to_owned(), opponent.rated.to_string()];
    row(&[opponent, results.cells()].concat())
}

/// Ibex against itself with half of the nodes, at several node counts. A complete match is kept, as in [`strength`].
///
/// # Errors
///
/// One line: the book is missing, or a match failed.
pub fn nodes(tools: &Tools) -> Result<Measured, CommandError> {
    let book = tools.data(LEVEL_BOOK)?;
    let folder = folder()?;
    let mut table = row(&["nodes", "against", "won", "drawn", "lost", "score", "Elo difference, 95%"])
        + "|--:|--:|--:|--:|--:|--:|---|\n";
    for doubled in NODES {
        remark!("    {doubled} nodes");
        let both = [doubled, doubled / 2];
        let sides = both.map(|nodes| Side { program: &tools.ibex, limit: Limit::Nodes(nodes), options: &[] });
        let contest = Contest { sides, book: &book, games: GAMES, ends: Ends::Early };
        let results = contest.played((&folder, format!("nodes-{doubled}")))?;
        table += &row(&[both.map(amount).to_vec(), results.cells()].concat());
    }
    Ok(Measured {
        table,
        conditions: format!(
            "{GAMES} games each, one thread and {HASH} MB, openings noob_3moves in pairs, {ENDED_EARLY}"
        ),
    })
}

/// A number as the pages write it: `8000`, `16,000`.
pub fn amount(number: u64) -> String {
    if number < 10_000 { number.to_string() } else { format!("{},{:03}", number / 1000, number % 1000) }
}

/// The nodes a move that play against half as many.
const NODES: [u64; 5] = [1000, 2000, 4000, 8000, 16_000];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_match_becomes_a_line_of_the_table() {
        let results = Results { won: 30, drawn: 43, lost: 227, pairs: [80, 47, 14, 8, 1], on_time: [1, 1] };
        assert_eq!(
            line("Stockfish 15.1", &OPPONENTS[1], &results),
            "| Stockfish 15.1 | Debian | 3700 | 30 | 43 | 227 | 17.2% | -273 ± 44 |\n"
        );
    }
}
