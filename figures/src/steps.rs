//! Measures the worth of each search technique: the engine plays against itself without it. With the feature `tune`,
//! parameters become options, and these turn a technique off.

use std::path::PathBuf;
use std::process::Command;
use terminal::{CommandError, remark};

use crate::basis::Engine;
use crate::duel::{Ends, Limit};
use crate::games::{ENDED_EARLY, amount};
use crate::matches::{Contest, HASH, LEVEL_BOOK, Side, folder};
use crate::measure::{Measured, Tools, output, row};

/// A technique that options can turn off.
struct Technique {
    /// Its step in `search/node/interior.rs`.
    step: u32,
    name: &'static str,
    /// The parameter values that turn it off.
    off: &'static [&'static str],
}

const fn technique(step: u32, name: &'static str, off: &'static [&'static str]) -> Technique {
    Technique { step, name, off }
}

const TECHNIQUES: [Technique; 16] = [
    technique(
        6,
        "correction history",
        &["correction_pawn=0", "correction_pieces=0", "correction_minor=0", "correction_continuation=0"],
    ),
    technique(6, "evaluation difference as history", &["eval_diff_max=0"]),
    technique(7, "hindsight extension", &["hindsight_reduction=100"]),
    technique(8, "reverse futility pruning (RFP)", &["rfp_depth=0"]),
    technique(9, "null move pruning (NMP)", &["nmp_depth=100"]),
    technique(10, "internal iterative reduction (IIR)", &["iir_depth=100"]),
    technique(11, "ProbCut", &["probcut_depth=100"]),
    technique(12, "escapes from lesser pieces", &["threat_escape=0"]),
    technique(12, "quiet checks that lose little come early", &["check_order=0"]),
    technique(13, "late move pruning (LMP)", &["lmp_base=250"]),
    technique(13, "futility", &["futility_depth=-1"]),
    technique(13, "history pruning", &["history_pruning_depth=-1"]),
    technique(13, "pruning by static exchange evaluation (SEE)", &["see_quiet_depth=0", "see_noisy_depth=0"]),
    technique(14, "singular extensions, multi-cut, negative extensions", &["singular_depth=100"]),
    technique(16, "late move reductions (LMR)", &["lmr_depth=100", "lmr_root_depth=100"]),
    technique(18, "a ply less after a raised alpha", &["raised_alpha_max_depth=2"]),
];

const GAMES: u32 = 300;
const NODES: u64 = 8000;
/// The command that builds the program for the games, and where it leaves the program.
const BUILD: &str = "cargo build --quiet --release --locked --features tune --bin ibex --target-dir target/tune";
const PROGRAM: &str = "target/tune/release/ibex";

/// The search against itself without one technique, for each technique; the most valuable first. A complete match is
/// kept in `target/figures`, so that an interrupted measurement continues with the next.
///
/// # Errors
///
/// One line: a program or the book is missing, or a match failed.
pub fn steps(tools: &Tools) -> Result<Measured, CommandError> {
    let book = tools.data(LEVEL_BOOK)?;
    let mut words = BUILD.split(' ');
    output(Command::new(words.next().unwrap_or_default()).args(words), &[0])?;
    let tunable = Tools { ibex: PathBuf::from(PROGRAM), build: None, shared: tools.shared.clone() };
    let tunable = tunable.pinned(&Engine::current()?)?;
    let folder = folder()?;
    let mut results = Vec::new();
    for (number, technique) in TECHNIQUES.iter().enumerate() {
        let place = (folder.as_path(), format!("step-{}", technique.off.join("-")));
        remark!("    [{}/{}] {}", number + 1, TECHNIQUES.len(), technique.name);
        let off: Vec<String> = technique.off.iter().map(|&option| option.to_owned()).collect();
        let side = |options| Side { program: &tunable.ibex, limit: Limit::Nodes(NODES), options };
        let contest = Contest { sides: [side(&[]), side(&off)], book: &book, games: GAMES, ends: Ends::Early };
        results.push((technique, contest.played(place)?));
    }
    results.sort_by_key(|(_, result)| std::cmp::Reverse(2 * result.won + result.drawn));
    let mut table = row(&["step", "technique", "won", "drawn", "lost", "score", "Elo of having it, 95%", "off by"])
        + "|--:|---|--:|--:|--:|--:|---|---|\n";
    for (technique, result) in results {
        let head = vec![technique.step.to_string(), technique.name.to_owned()];
        let off = vec![format!("`{}`", technique.off.join(" "))];
        table += &row(&[head, result.cells(), off].concat());
    }
    Ok(Measured {
        table,
        conditions: format!(
            "`{BUILD}` against itself, {GAMES} games each at {} nodes, one thread and {HASH} MB, openings noob_3moves in \
             pairs, {ENDED_EARLY}",
            amount(NODES)
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ibex::params;

    #[test]
    fn every_option_is_a_parameter_and_in_its_range() {
        for option in TECHNIQUES.iter().flat_map(|technique| technique.off) {
            let (name, value) = option.split_once('=').unwrap();
            let value: i32 = value.parse().unwrap();
            let parameter = params::ALL.iter().find(|parameter| parameter.name == name).expect(option);
            assert!((parameter.min..=parameter.max).contains(&value) && value != parameter.default, "{option}");
        }
    }
}
