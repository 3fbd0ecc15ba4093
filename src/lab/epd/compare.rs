//! Two runs over the same positions: what was won, what was lost, and whether that is more than chance.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::record::{Intake, Record, Run};
use crate::lab::tell::counted;
use crate::lab::{FOUND, OK};
use crate::tell;

/// What `ibex epd compare` can be told.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// The run to compare with
    #[arg(value_name = "A.jsonl")]
    pub old: PathBuf,
    /// The run to compare
    #[arg(value_name = "B.jsonl")]
    pub new: PathBuf,
    /// Which player of A [default: its first]
    #[arg(long, value_name = "LABEL")]
    pub old_player: Option<String>,
    /// Which player of B [default: its first]
    #[arg(long, value_name = "LABEL")]
    pub new_player: Option<String>,
    /// How improbable a loss must be as chance to give exit status 1
    #[arg(long, value_name = "P", default_value_t = 0.05)]
    pub significance: f64,
    /// Give exit status 1 if any position is lost
    #[arg(long)]
    pub strict: bool,
}

/// Two runs of the same positions, side by side.
struct Pairs<'a> {
    pairs: Vec<(&'a Record, &'a Record)>,
    /// Positions that only one run has.
    unpaired: usize,
}

fn pair<'a>(old: &'a [&'a Record], new: &'a [&'a Record]) -> Pairs<'a> {
    let key = |r: &Record| (r.suite.clone(), r.line, r.fen.clone());
    let by_key: BTreeMap<_, _> = old.iter().map(|&r| (key(r), r)).collect();
    let pairs: Vec<_> = new.iter().filter_map(|&r| by_key.get(&key(r)).map(|&old| (old, r))).collect();
    let unpaired = old.len() + new.len() - 2 * pairs.len();
    Pairs { pairs, unpaired }
}

/// The two-sided probability that `won` and `lost` differ at least as much as they do by chance alone: the exact form
/// of McNemar's test, a binomial test of the positions whose result changed.
///
/// Source: Quinn McNemar, "Note on the sampling error of the difference between correlated proportions" (1947).
pub fn mcnemar(won: usize, lost: usize) -> f64 {
    let n = won + lost;
    // Probabilities as logarithms: 2^-n is too small for a number when suites are large.
    let mut log_probability = -(n as f64) * std::f64::consts::LN_2;
    let mut tail = 0.0;
    for k in 0..=won.min(lost) {
        if k > 0 {
            log_probability += ((n - k + 1) as f64).ln() - (k as f64).ln();
        }
        tail += log_probability.exp();
    }
    (2.0 * tail).min(1.0)
}

/// Runs the command.
///
/// # Errors
///
/// One line: a file cannot be read, or the runs have nothing in common.
pub fn run(args: &Args) -> Result<u8, String> {
    let read = |path: &PathBuf, player: &Option<String>| -> Result<(Run, String), String> {
        let Intake { run, remarks, .. } = Run::read(path).map_err(|error| error.to_string())?;
        for remark in remarks {
            eprintln!("{remark}");
        }
        let labels: Vec<&str> = run.head.players.iter().map(|p| p.label.as_str()).collect();
        let label = match player {
            Some(player) => labels.iter().find(|label| *label == player),
            None => labels.first(),
        };
        let label = label.map(|&label| label.to_owned());
        let label =
            label.ok_or_else(|| format!("{}: no such player; it has: {}", path.display(), labels.join(", ")))?;
        Ok((run, label))
    };
    let (old, old_player) = read(&args.old, &args.old_player)?;
    let (new, new_player) = read(&args.new, &args.new_player)?;
    let old_records: Vec<&Record> = old.records.iter().filter(|r| r.player == old_player).collect();
    let new_records: Vec<&Record> = new.records.iter().filter(|r| r.player == new_player).collect();
    let Pairs { pairs, unpaired } = pair(&old_records, &new_records);
    if pairs.is_empty() {
        return Err("the runs have no position in common".to_owned());
    }
    tell!("A: {old_player} in {}, {} a position", args.old.display(), old.head.budget);
    tell!("B: {new_player} in {}, {} a position\n", args.new.display(), new.head.budget);
    let show = |title: &str, which: &dyn Fn(&Record, &Record) -> bool| -> usize {
        let changed: Vec<_> = pairs.iter().filter(|(a, b)| which(a, b)).collect();
        tell!("{title}: {}", changed.len());
        for (a, b) in &changed {
            let played = |r: &Record| format!("{} {}", r.best_san.as_deref().unwrap_or("nothing"), r.score_text());
            tell!("  {}: {} (expected {}): {} -> {}", b.suite, b.id, b.expected(), played(a), played(b));
        }
        changed.len()
    };
    let won = show("won", &|a, b| !a.solved && b.solved);
    let lost = show("lost", &|a, b| a.solved && !b.solved);
    let count = |solved: &dyn Fn(&(&Record, &Record)) -> bool| pairs.iter().filter(|pair| solved(pair)).count();
    let (a, b, n) = (count(&|(a, _)| a.solved), count(&|(_, b)| b.solved), pairs.len());
    tell!("\nsolved: A {a}, B {b} of {n}: {:+}", b as i64 - a as i64);
    let points = |r: &Record| r.points.map_or(0, |(own, _)| own);
    let points_a: i32 = pairs.iter().map(|(a, _)| points(a)).sum();
    let points_b: i32 = pairs.iter().map(|(_, b)| points(b)).sum();
    if pairs.iter().any(|(a, _)| a.points.is_some()) {
        tell!("points: A {points_a}, B {points_b}: {:+}", points_b - points_a);
    }
    if unpaired > 0 {
        tell!("{} in only one of the runs", counted(unpaired as u64, "position is", "positions are"));
    }
    let p = mcnemar(won, lost);
    let verdict = if p >= args.significance { "could be chance" } else { "is more than chance" };
    tell!("McNemar's exact test: p = {p:.4}: the difference {verdict} (level {})", args.significance);
    let worse = lost > won && p < args.significance;
    Ok(if worse || args.strict && lost > 0 { FOUND } else { OK })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mcnemar_is_the_binomial_test() {
        for (won, lost, p) in [
            (0, 0, 1.0),
            (1, 0, 1.0),
            (3, 3, 1.0),
            (5, 0, 0.0625),
            (0, 6, 0.03125),
            (10, 2, 0.038_574_218_75),
            (20, 8, 0.035_698_138_177_394_87),
        ] {
            assert!((mcnemar(won, lost) - p).abs() < 1e-9, "{won} {lost}: {}", mcnemar(won, lost));
        }
        assert!(mcnemar(4000, 1000) < 1e-100);
        assert!(mcnemar(2500, 2500) == 1.0);
    }
}
