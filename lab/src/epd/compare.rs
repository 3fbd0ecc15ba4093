//! Runs over the same positions: which were won, which were lost, and whether that is more than chance.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::path::{Path, PathBuf};

use super::compare_page;
use super::html::is_timed;
use super::record::{Intake, Record, Run};
use terminal::outputs::{self, Manner, Output};
use terminal::tell::counted;
use terminal::{CommandError, Exit, remark, tell, trouble};

/// The arguments of `ibex-lab epd compare`.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// The run to compare with: a file of --jsonl, --resume or --json
    #[arg(value_name = "A")]
    pub old: PathBuf,
    /// The run to compare; each further one is compared with A too
    #[arg(required = true, value_name = "B")]
    pub new: Vec<PathBuf>,
    /// Which player of A [default: its first]
    #[arg(long, value_name = "LABEL")]
    pub old_player: Option<String>,
    /// Which player of B and of the further runs; given for each of them, in their order, or once for all [default: the
    /// first of each]
    #[arg(long, value_name = "LABEL")]
    pub new_player: Vec<String>,
    /// Exit with status 1 if more positions are lost than won, and the test's probability is below this
    #[arg(long, value_name = "P", default_value_t = 0.05, value_parser = probability)]
    pub significance: f64,
    /// Exit with status 1 if any position is lost
    #[arg(long)]
    pub strict: bool,
    /// Write an HTML page to this file: totals, charts, and each position that changed
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Replace an existing page; inputs are never replaced
    #[arg(long, requires = "html")]
    pub force: bool,
}

/// A probability that can be a threshold: above 0, and at most 1.
fn probability(text: &str) -> Result<f64, String> {
    let value = text.parse().ok().filter(|&value| value > 0.0 && value <= 1.0);
    value.ok_or_else(|| "expected a probability above 0 and at most 1".to_owned())
}

/// A solution comes much later, or sooner, if it takes at least this many times as many nodes or as much time ...
pub(super) const MUCH: u64 = 4;
/// ... and the difference is at least this part of the longer search: at the very beginning such factors mean nothing.
const PART: u64 = 10;
/// The same in words.
pub(super) const FAR: &str = "and a tenth of the longer search apart";

/// One of the runs.
pub(super) struct Side {
    /// `A` for the run that the others are compared with.
    pub letter: String,
    /// Its file.
    pub path: PathBuf,
    /// The label of its player.
    pub player: String,
    /// The whole run.
    pub run: Run,
}

impl Side {
    fn read(at: usize, path: &Path, player: Option<&String>) -> Result<Side, CommandError> {
        let Intake { run, remarks, .. } = Run::read_report(path)?;
        for remark in remarks {
            remark!("{remark}");
        }
        let labels: Vec<&str> = run.head.players.iter().map(|p| p.label.as_str()).collect();
        let label = match player {
            Some(player) => labels.iter().find(|label| *label == player),
            None => labels.first(),
        };
        let label = label.map(|&label| label.to_owned());
        let player =
            label.ok_or_else(|| trouble!("{}: no such player; it has: {}", path.display(), labels.join(", ")))?;
        Ok(Side { letter: letter(at), path: path.to_owned(), player, run })
    }

    fn records(&self) -> impl Iterator<Item = &Record> {
        self.run.records.iter().filter(|r| r.player == self.player)
    }
}

fn letter(at: usize) -> String {
    u8::try_from(at)
        .ok()
        .filter(|&at| at < 26)
        .map_or_else(|| format!("R{}", at + 1), |at| char::from(b'A' + at).to_string())
}

/// How the answer to a position differs from that of the first run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// Solved now.
    Won,
    /// No longer solved.
    Lost,
    /// Solved in both, but much sooner now.
    Sooner,
    /// Solved in both, but much later now.
    Later,
}

impl Change {
    pub const ALL: [Change; 4] = [Change::Won, Change::Lost, Change::Sooner, Change::Later];

    /// From one answer to another; `timed` measures by time rather than by nodes.
    fn between(a: &Record, b: &Record, timed: bool) -> Option<Change> {
        match (a.solved, b.solved) {
            (false, true) => return Some(Change::Won),
            (true, false) => return Some(Change::Lost),
            (false, false) => return None,
            (true, true) => {}
        }
        let cost = |r: &Record| r.found.map(|found| if timed { found.ms } else { found.nodes });
        let whole = |r: &Record| if timed { r.ms } else { r.nodes };
        let longer = whole(a).max(whole(b));
        let is_much = |early: u64, late: u64| {
            late >= early.saturating_mul(MUCH)
                && late.saturating_sub(early).saturating_mul(PART) >= longer
                && late > early
        };
        let (early, late) = (cost(a)?, cost(b)?);
        if is_much(early, late) {
            Some(Change::Later)
        } else if is_much(late, early) {
            Some(Change::Sooner)
        } else {
            None
        }
    }
}

/// Runs of the same positions, side by side.
pub(super) struct Comparison<'a> {
    pub sides: &'a [Side],
    /// The record of each run, for each position that all runs have.
    pub rows: Vec<Vec<&'a Record>>,
    /// Positions that only some of the runs have.
    pub partial: usize,
    /// Whether a solution is measured by time rather than by nodes.
    pub timed: bool,
}

/// The changes from the first run to another.
pub(super) struct Against {
    /// For each position.
    pub changes: Vec<Option<Change>>,
    /// The p-value of McNemar's test.
    pub p_value: f64,
}

impl Against {
    pub fn count(&self, change: Change) -> usize {
        self.changes.iter().filter(|&&found| found == Some(change)).count()
    }
}

impl<'a> Comparison<'a> {
    fn new(sides: &'a [Side]) -> Comparison<'a> {
        let mut by_key: BTreeMap<(&str, usize, &str), Vec<&Record>> = BTreeMap::new();
        for (at, side) in sides.iter().enumerate() {
            for record in side.records() {
                let row = by_key.entry((&record.suite, record.line, &record.fen)).or_default();
                // A run that lacks the position, or has it twice, does not shift the others.
                if row.len() == at {
                    row.push(record);
                }
            }
        }
        let all = by_key.len();
        let mut rows: Vec<_> = by_key.into_values().filter(|records| records.len() == sides.len()).collect();
        let suites = sides.first().map_or(&[][..], |side| &side.run.head.suites);
        rows.sort_by_key(|row| suites.iter().position(|suite| suite.name == row[0].suite));
        let timed = sides.iter().all(|side| is_timed(&side.run.head.budget));
        Comparison { sides, partial: all - rows.len(), rows, timed }
    }

    /// The unit in which a solution is measured.
    pub fn unit(&self) -> &'static str {
        if self.timed { "time" } else { "nodes" }
    }

    /// The number of positions that a run solves.
    pub fn solved(&self, side: usize) -> usize {
        self.rows.iter().filter(|row| row[side].solved).count()
    }

    /// A run, compared with the first one.
    pub fn against(&self, side: usize) -> Against {
        let changes: Vec<_> = self.rows.iter().map(|row| Change::between(row[0], row[side], self.timed)).collect();
        let mut against = Against { changes, p_value: 1.0 };
        against.p_value = mcnemar(against.count(Change::Won), against.count(Change::Lost));
        against
    }

    /// Whether all searches had the same limits.
    pub fn is_even(&self) -> bool {
        let limits = |side: &Side| (side.run.head.budget, side.run.head.hold);
        self.sides.windows(2).all(|pair| limits(&pair[0]) == limits(&pair[1]))
    }

    /// What makes the runs hard to compare, in one line each.
    pub fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        let mut differ = |what: &str, text: &dyn Fn(&Side) -> String| {
            let texts: Vec<String> = self.sides.iter().map(text).collect();
            if texts.iter().any(|text| *text != texts[0]) {
                let each = self.sides.iter().zip(&texts).map(|(side, text)| format!("{} {text}", side.letter));
                remarks.push(format!("{what}: {}", each.collect::<Vec<_>>().join(", ")));
            }
        };
        differ("the limits differ", &|side| {
            let head = &side.run.head;
            let hold = head.hold.map_or_else(String::new, |hold| format!(" with --hold {hold}"));
            format!("{}{hold}", head.budget)
        });
        differ("tables or threads differ", &|side| {
            let head = &side.run.head;
            // A player's own option replaces the one that the run has for all.
            let player = head.players.iter().find(|player| player.label == side.player);
            let own = |name, all: usize| {
                let own = player.and_then(|player| player.option(name)).and_then(|value| value.parse().ok());
                own.unwrap_or(all as u64)
            };
            let threads = own("Threads", head.threads);
            format!("{} MiB and {}", own("Hash", head.hash), counted(threads, "thread", "threads"))
        });
        let names: BTreeSet<&str> =
            self.sides.iter().flat_map(|side| &side.run.head.suites).map(|suite| suite.name.as_str()).collect();
        let mut others = Vec::new();
        for name in names {
            let with = |side: &Side| side.run.head.suites.iter().find(|suite| suite.name == name).cloned();
            let found: Vec<_> = self.sides.iter().filter_map(with).collect();
            if found.len() < self.sides.len() {
                let letters: Vec<_> =
                    self.sides.iter().filter(|side| with(side).is_some()).map(|side| side.letter.as_str()).collect();
                others.push(format!("{name} only in {}", letters.join(" and ")));
            } else if found.iter().any(|suite| suite.digest != found[0].digest) {
                others.push(format!("{name} is not the same in all"));
            }
        }
        if !others.is_empty() {
            remarks.push(format!("the suites differ: {}", others.join(", ")));
        }
        if self.partial > 0 {
            let positions = counted(self.partial as u64, "position is", "positions are");
            let some = if self.sides.len() == 2 { "one" } else { "some" };
            remarks.push(format!("{positions} in only {some} of the runs, and not counted"));
        }
        remarks
    }
}

/// The probability that `won` and `lost` differ by chance alone, in either direction, at least as much: the exact form
/// of McNemar's test, a binomial test of the positions whose result changed.
///
/// Source: Quinn McNemar, "Note on the sampling error of the difference between correlated proportions" (1947).
pub fn mcnemar(won: usize, lost: usize) -> f64 {
    let n = won + lost;
    // Logarithms of probabilities: for large suites, 2^-n is too small for a floating-point number.
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

/// Whether a result of the test may be chance, for people.
pub(super) fn verdict(p: f64, level: f64) -> &'static str {
    if p >= level { "could be chance" } else { "is more than chance" }
}

/// The result of the test for people: with four decimal places, or as many as show which side of the level it is on.
pub(super) fn chance(p: f64, level: f64) -> String {
    const LEAST: f64 = 0.0001;
    if p < LEAST && level >= LEAST {
        return format!("< {LEAST}");
    }
    let rounded = |places: usize| if p < LEAST { format!("{p:.places$e}") } else { format!("{p:.places$}") };
    let shows = |text: &String| text.parse().is_ok_and(|shown: f64| (shown < level) == (p < level));
    (4..17).map(rounded).find(shows).unwrap_or_else(|| p.to_string())
}

/// Runs the command.
///
/// # Errors
///
/// One line: a file cannot be read or written, or the runs have nothing in common.
pub fn run(args: &Args) -> Result<Exit, CommandError> {
    let inputs: Vec<PathBuf> = std::iter::once(&args.old).chain(&args.new).cloned().collect();
    let written: Vec<_> = Output::wanted([("--html", &args.html, Manner::Report)]).collect();
    outputs::check(&inputs, &written, args.force)?;
    let named = args.new_player.len();
    if named > 1 && named != args.new.len() {
        return Err(trouble!(
            "--new-player is given {named} times, for {}",
            counted(args.new.len() as u64, "run", "runs")
        ));
    }
    let mut sides = vec![Side::read(0, &args.old, args.old_player.as_ref())?];
    for (at, path) in args.new.iter().enumerate() {
        let player = args.new_player.get(if named == 1 { 0 } else { at });
        sides.push(Side::read(at + 1, path, player)?);
    }
    let comparison = Comparison::new(&sides);
    if comparison.rows.is_empty() {
        let why = comparison.remarks();
        let joint = if why.is_empty() { "" } else { ": " };
        return Err(trouble!("the runs have no position in common{joint}{}", why.join("; ")));
    }
    // The comparison is printed even if its page cannot be written.
    let written = args.html.as_ref().map_or(Ok(()), |path| {
        let page = compare_page::page(&comparison, args.significance);
        outputs::write(path, page.as_bytes()).map_err(CommandError::from)
    });
    for side in &sides {
        tell!("{}: {} in {}, {} a position", side.letter, side.player, side.path.display(), side.run.head.budget)?;
    }
    for remark in comparison.remarks() {
        tell!("{remark}")?;
    }
    let mut found = false;
    for side in 1..sides.len() {
        let against = comparison.against(side);
        tell_against(&comparison, side, &against, args.significance)?;
        let (won, lost) = (against.count(Change::Won), against.count(Change::Lost));
        found |= lost > won && against.p_value < args.significance || args.strict && lost > 0;
    }
    written.map(|()| if found { Exit::Found } else { Exit::Done })
}

/// The points of all records: a suite may give any number for a move.
fn points<'a>(records: impl Iterator<Item = &'a Record>) -> i64 {
    records.filter_map(|record| record.points).map(|(own, _)| i64::from(own)).sum()
}

/// Prints the changes from the first run to another.
fn tell_against(comparison: &Comparison<'_>, side: usize, against: &Against, level: f64) -> Result<(), CommandError> {
    let letter = &comparison.sides[side].letter;
    if comparison.sides.len() > 2 {
        tell!("\n{letter} against A:")?;
    } else {
        tell!("")?;
    }
    for (title, change) in [("won", Change::Won), ("lost", Change::Lost)] {
        tell!("{title}: {}", against.count(change))?;
        for (row, _) in comparison.rows.iter().zip(&against.changes).filter(|(_, found)| **found == Some(change)) {
            let (a, b) = (row[0], row[side]);
            let played = |r: &Record| format!("{} {}", r.best_san.as_deref().unwrap_or("nothing"), r.score_text());
            tell!("  {}: {} (expected {}): {} -> {}", b.suite, b.id, b.expected(), played(a), played(b))?;
        }
    }
    let (sooner, later) = (against.count(Change::Sooner), against.count(Change::Later));
    if sooner + later > 0 {
        let unit = comparison.unit();
        tell!("found in a quarter of the {unit} or less: {sooner}; four times as much or more: {later} ({FAR})")?;
    }
    let both = |a: &dyn Display, b: &dyn Display| format!("A {a}, {letter} {b}");
    let (a, b, n) = (comparison.solved(0), comparison.solved(side), comparison.rows.len());
    tell!("\nsolved: {} of {n}: {:+}", both(&a, &b), b as i64 - a as i64)?;
    let points = |side: usize| points(comparison.rows.iter().map(|row| row[side]));
    if comparison.rows.iter().any(|row| row[0].points.is_some()) {
        tell!("points: {}: {:+}", both(&points(0), &points(side)), points(side) - points(0))?;
    }
    let p = against.p_value;
    let chance = chance(p, level);
    let sign = if chance.starts_with('<') { "" } else { "= " };
    tell!("McNemar's exact test: p {sign}{chance}: the difference {} (level {level})", verdict(p, level))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::epd::judge::Found;

    #[test]
    fn mcnemar_matches_the_binomial_test() {
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

    fn record(solved: bool, found: u64, nodes: u64) -> Record {
        let text = serde_json::json!({
            "player": "p", "suite": "s", "line": 1, "id": "i", "fen": "f", "status": "ok", "solved": solved,
            "found": { "ms": found, "nodes": found, "depth": 1 },
            "depth": 1, "seldepth": 1, "nodes": nodes, "ms": nodes
        });
        serde_json::from_value(text).expect("a record")
    }

    #[test]
    fn sums_of_points_do_not_overflow() {
        let most = Record { points: Some((i32::MAX, i32::MAX)), ..record(true, 1, 1) };
        assert_eq!(points([&most, &record(true, 1, 1), &most].into_iter()), 2 * i64::from(i32::MAX));
    }

    #[test]
    fn changes_are_classified() {
        let change = |a: (bool, u64, u64), b: (bool, u64, u64)| {
            Change::between(&record(a.0, a.1, a.2), &record(b.0, b.1, b.2), false)
        };
        assert_eq!(change((false, 9, 1000), (true, 9, 1000)), Some(Change::Won));
        assert_eq!(change((true, 9, 1000), (false, 9, 1000)), Some(Change::Lost));
        assert_eq!(change((false, 9, 1000), (false, 900, 1000)), None);
        assert_eq!(change((true, 100, 1000), (true, 400, 1000)), Some(Change::Later));
        assert_eq!(change((true, 400, 1000), (true, 100, 1000)), Some(Change::Sooner));
        assert_eq!(change((true, 100, 1000), (true, 399, 1000)), None);
        // In the first moments of a search, ten times as much is nothing.
        assert_eq!(change((true, 5, 1000), (true, 50, 1000)), None);
        assert_eq!(change((true, 0, 0), (true, 0, 0)), None);
        // If searches differ in length the longer one counts, in either order.
        assert_eq!(change((true, 100, 1_000_000), (true, 1000, 2000)), None);
        assert_eq!(change((true, 1000, 2000), (true, 100, 1_000_000)), None);
        assert_eq!(change((true, 100, 9000), (true, 1000, 2000)), Some(Change::Later));
        // Measured by time, a twin that needs the same nodes may be slower.
        let mut slow = record(true, 100, 1000);
        slow.found = slow.found.map(|found| Found { ms: 900, ..found });
        let by = |timed| Change::between(&record(true, 100, 1000), &slow, timed);
        assert_eq!((by(false), by(true)), (None, Some(Change::Later)));
    }

    /// A number next to the level shows on which side of it the verdict is.
    #[test]
    fn a_rounded_chance_stays_on_its_side_of_the_level() {
        let p = mcnemar(117, 150);
        assert_eq!((chance(p, 0.05), verdict(p, 0.05)), ("0.04998".to_owned(), "is more than chance"));
        assert_eq!(chance(mcnemar(0, 20), 0.05), "< 0.0001");
        assert_eq!(chance(mcnemar(0, 20), 1e-9), "1.9073e-6");
        assert_eq!([chance(0.0, 0.05), chance(1.0, 0.05), chance(0.05, 0.05)], ["< 0.0001", "1.0000", "0.0500"]);
        for level in [0.05, 0.5, 0.0001, 1e-7] {
            for p in [level, level * 0.999_999, level * 1.000_001] {
                let text = chance(p, level);
                let shown: f64 = text.trim_start_matches("< ").parse().expect("a number");
                assert_eq!(!text.starts_with('<') && shown >= level, p >= level, "{text} beside {level}");
            }
        }
    }

    #[test]
    fn runs_have_letters() {
        assert_eq!([0, 1, 25, 26].map(letter), ["A", "B", "Z", "R27"]);
    }
}
