//! The reports of a run: the table on the terminal, and the files that people and other programs read.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::html::{self, Stage};
use super::record::{Record, Run, Status};
use super::totals::{MOST_THEMES, Total, players, themes, totals};
use crate::play::player::UciScore;
use formats::epd::{Operation, Suite, SuiteEntry, written};
use terminal::outputs::{self, Manner, Output, WriteError};
use terminal::tell::counted;
use terminal::{CommandError, tell, trouble};

/// Where a run is reported besides the terminal.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct Outputs {
    /// Show themes within suites (by the positions' ids) in the table too
    #[arg(long, help_heading = "Reports")]
    pub themes: bool,
    /// List the positions that were not solved
    #[arg(long, help_heading = "Reports")]
    pub unsolved: bool,
    /// Write everything to this file as one JSON document
    #[arg(long, value_name = "FILE", help_heading = "Reports")]
    pub json: Option<PathBuf>,
    /// Write a row for each position and player to this file
    #[arg(long, value_name = "FILE", help_heading = "Reports")]
    pub csv: Option<PathBuf>,
    /// Write an HTML page to this file; it is self-contained
    ///
    /// While `ibex-lab epd` searches, it writes the page again about every ten seconds with what is done so far.
    #[arg(long, value_name = "FILE", help_heading = "Reports")]
    pub html: Option<PathBuf>,
    /// Replace existing reports and files of results; inputs are never replaced
    #[arg(long, help_heading = "Reports")]
    pub force: bool,
}

impl Outputs {
    /// Rejects a `--force` without anything to replace among the `written` files of a command.
    ///
    /// # Errors
    ///
    /// One line.
    pub fn check_force(&self, written: &[Output<'_>]) -> Result<(), CommandError> {
        let in_vain = self.force && written.is_empty();
        if in_vain { Err(trouble!("--force: the command writes no file that it could replace")) } else { Ok(()) }
    }

    /// The files that will be written.
    pub fn files(&self) -> impl Iterator<Item = Output<'_>> {
        let files = [("--json", &self.json), ("--csv", &self.csv), ("--html", &self.html)];
        Output::wanted(files.map(|(flag, path)| (flag, path, Manner::Report)))
    }
}

/// The table for the terminal.
pub fn table(totals: &[Total]) -> String {
    let title = ["suite", "player", "solved", "of", "%", "points", "found ms", "found kn", "depth", "kn/s", "remarks"];
    let mut rows = vec![title.map(str::to_owned)];
    for total in totals {
        let mut remarks = total.mates_text();
        if !remarks.is_empty() {
            remarks = format!("mate scores: {remarks}");
        }
        if total.troubles > 0 {
            let joint = if remarks.is_empty() { "" } else { "; " };
            let _ = write!(remarks, "{joint}{} failed", total.troubles);
        }
        rows.push([
            total.name.clone(),
            total.player.clone(),
            total.solved.to_string(),
            total.positions.to_string(),
            total.percent_text(),
            total.points_text(),
            total.found_ms.map_or_else(String::new, |ms| format!("{ms:.0}")),
            total.found_nodes.map_or_else(String::new, |nodes| format!("{:.1}", nodes / 1000.0)),
            total.depth.to_string(),
            (total.nps() / 1000).to_string(),
            remarks,
        ]);
    }
    align(&rows, &[0, 1, 10])
}

/// Aligned columns, without those that are empty below their title; `left` names the left-aligned ones.
fn align<const N: usize>(rows: &[[String; N]], left: &[usize]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let shown: Vec<usize> = (0..N).filter(|&c| rows.iter().skip(1).any(|row| !row[c].is_empty())).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for &column in &shown {
            let width = width(column);
            let _ = if left.contains(&column) {
                write!(line, "{:<width$}  ", row[column])
            } else {
                write!(line, "{:>width$}  ", row[column])
            };
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// Why a report cannot be saved.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// A file cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The run cannot be written as JSON.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// The run cannot be written as CSV.
    #[error(transparent)]
    Csv(#[from] csv::Error),
}

/// Writes the requested files. If one cannot be written, the others still are: a run of hours may have no other
/// record. Returns the errors, in the order of the files:
///
/// [`ReportError::Write`] if a file cannot be written; [`ReportError::Json`] and [`ReportError::Csv`] come from the
/// libraries for those formats.
#[must_use]
pub fn save(run: &Run, stage: Stage, outputs: &Outputs) -> Vec<ReportError> {
    let write = |path: &Path, bytes: Result<Vec<u8>, ReportError>| Ok(outputs::write(path, &bytes?)?);
    let results = [
        outputs.json.as_ref().map(|path| write(path, json(run).map(String::into_bytes).map_err(ReportError::from))),
        outputs.csv.as_ref().map(|path| write(path, csv(run).map_err(ReportError::from))),
        outputs.html.as_ref().map(|path| write(path, Ok(html::page(run, stage).into_bytes()))),
    ];
    results.into_iter().flatten().filter_map(Result::err).collect()
}

/// Joins the errors of unwritten files into one line; `Ok` without errors.
///
/// # Errors
///
/// One line that names each of them.
pub fn all_saved(errors: &[ReportError]) -> Result<(), CommandError> {
    let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
    if lines.is_empty() { Ok(()) } else { Err(trouble!("{}", lines.join("; "))) }
}

/// Prints the table, and whatever else was requested.
pub fn print(run: &Run, outputs: &Outputs) -> Result<(), CommandError> {
    let bad: usize = run.head.suites.iter().map(|suite| suite.bad_lines).sum();
    let threads = counted(run.head.threads as u64, "thread", "threads");
    tell!("{} a position, {} MiB, {threads}", run.head.budget, run.head.hash)?;
    if bad > 0 {
        tell!("{} left out", counted(bad as u64, "bad line was", "bad lines were"))?;
    }
    tell!("\n{}", table(&totals(run)).trim_end())?;
    if totals(run).iter().any(|total| !total.mates_text().is_empty()) {
        tell!(
            "\nmate scores compare the last exact score with the proved mate (dm); a position with bm or am is solved by its move"
        )?;
    }
    if outputs.themes {
        let themes = themes(run);
        if themes.is_empty() {
            tell!("\nno themes: the ids of each suite name only one, or more than {MOST_THEMES}")?;
        } else {
            tell!("\n{}", table(&themes).trim_end())?;
        }
    }
    if outputs.unsolved {
        for record in run.records.iter().filter(|r| !r.solved) {
            let played = record.best_san.as_deref().unwrap_or("nothing");
            let (player, suite, id) = (&record.player, &record.suite, &record.id);
            tell!("{player}: {suite}: {id}: expected {}, played {played} {}", record.expected(), record.score_text())?;
        }
    }
    Ok(())
}

fn json(run: &Run) -> Result<String, serde_json::Error> {
    #[derive(Serialize)]
    struct Document<'a> {
        head: &'a super::record::Head,
        totals: Vec<Total>,
        themes: Vec<Total>,
        records: &'a [Record],
    }
    let document = Document { head: &run.head, totals: totals(run), themes: themes(run), records: &run.records };
    serde_json::to_string_pretty(&document).map(|text| text + "\n")
}

/// A column of the CSV file: its title, and its value for a record.
type Column = (&'static str, fn(&Record) -> String);

const COLUMNS: [Column; 25] = [
    ("player", |r| r.player.clone()),
    ("suite", |r| r.suite.clone()),
    ("line", |r| r.line.to_string()),
    ("id", |r| r.id.clone()),
    ("fen", |r| r.fen.clone()),
    ("bm", |r| r.bm.join(" ")),
    ("am", |r| r.am.join(" ")),
    ("dm", |r| text(r.dm)),
    ("status", |r| name(r.status)),
    ("solved", |r| u8::from(r.solved).to_string()),
    ("mate", |r| name(r.mate)),
    ("points", |r| text(r.points.map(|(own, _)| own))),
    ("max_points", |r| text(r.points.map(|(_, most)| most))),
    ("best_of_points", |r| r.best_of_points.join(" ")),
    ("best", |r| text(r.best.as_deref())),
    ("best_san", |r| text(r.best_san.as_deref())),
    ("score", Record::score_text),
    ("depth", |r| r.depth.to_string()),
    ("seldepth", |r| r.seldepth.to_string()),
    ("nodes", |r| r.nodes.to_string()),
    ("ms", |r| r.ms.to_string()),
    ("found_ms", |r| text(r.found.map(|found| found.ms))),
    ("found_nodes", |r| text(r.found.map(|found| found.nodes))),
    ("found_depth", |r| text(r.found.map(|found| found.depth))),
    ("pv", |r| r.pv.clone()),
];

/// An empty text for `None`.
fn text(value: Option<impl ToString>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

/// The name of a value in the other files.
fn name(value: impl Serialize) -> String {
    text(serde_json::to_value(value).ok().as_ref().and_then(serde_json::Value::as_str))
}

fn csv(run: &Run) -> Result<Vec<u8>, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(COLUMNS.map(|(head, _)| head))?;
    for record in &run.records {
        writer.write_record(COLUMNS.map(|(_, cell)| cell(record)))?;
    }
    writer.into_inner().map_err(|error| error.into_error().into())
}

/// Writes the suites with the first player's analysis: `acd`, `acn`, `acs`, `ce`, `pm`, `pv`; `dm` stays unchanged.
/// Comments and empty lines stay in their places.
///
/// # Errors
///
/// [`WriteError`] if the file cannot be written.
pub fn write_epd(path: &Path, suites: &[Suite], run: &Run) -> Result<(), WriteError> {
    let player = players(run).next().unwrap_or_default();
    let own = run.records.iter().filter(|r| r.player == player);
    let records: HashMap<_, _> = own.map(|r| ((r.suite.as_str(), r.line), r)).collect();
    let mut text = String::new();
    for suite in suites {
        let mut asides = suite.asides.iter().peekable();
        for entry in &suite.entries {
            while let Some((_, aside)) = asides.next_if(|&&(line, _)| line < entry.line) {
                text.push_str(aside);
                text.push('\n');
            }
            text.push_str(&annotated(entry, records.get(&(suite.name.as_str(), entry.line)).copied()));
            text.push('\n');
        }
        for (_, aside) in asides {
            text.push_str(aside);
            text.push('\n');
        }
    }
    outputs::write(path, text.as_bytes())
}

/// The operand of `ce`. In the specification (16.2.5.6) a number beyond 32000 is a mate, which is 32767 less its plies;
/// -32767 is an illegal position. `None` for an evaluation that would look like a mate, for a mate so distant that it
/// would look like an evaluation, and for a mate on the board.
fn evaluation(score: UciScore) -> Option<i64> {
    const MATE: i64 = 32767;
    const MOST: i64 = 32000;
    match score {
        UciScore::Cp(cp) => Some(i64::from(cp)).filter(|cp| cp.abs() <= MOST),
        UciScore::Mate(moves) => {
            let plies = 2 * i64::from(moves).abs() - i64::from(moves > 0);
            let size = MATE - plies;
            (plies > 0 && size > MOST).then_some(if moves > 0 { size } else { -size })
        }
    }
}

/// A line of EPD with the findings of a search.
pub(crate) fn annotated(entry: &SuiteEntry, record: Option<&Record>) -> String {
    const OURS: [&str; 6] = ["acd", "acn", "acs", "ce", "pm", "pv"];
    let searched = record.filter(|r| r.status == Status::Ok);
    let ours = |operation: &Operation| operation.odd.is_none() && OURS.contains(&operation.opcode.as_str());
    let mut text = written(entry, |operation| searched.is_none() || !ours(operation));
    if let Some(r) = searched {
        let _ = write!(text, " acd {}; acn {}; acs {};", r.depth, r.nodes, r.ms / 1000);
        // `ce` cannot express that a score is only a bound.
        if let Some(ce) = r.score.filter(|_| r.bound.is_none()).and_then(evaluation) {
            let _ = write!(text, " ce {ce};");
        }
        if let Some(best) = &r.best_san {
            let _ = write!(text, " pm {best}; pv {};", r.pv);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use formats::epd::parse_line;

    #[test]
    fn bounds_are_not_written_as_evaluations() {
        let entry = parse_line("6k1/5ppp/8/8/8/8/8/R3K3 w Q - bm Ra8;", 1).expect("a line").expect("an entry");
        let written = |score: serde_json::Value, bound: Option<&str>| {
            let record = serde_json::json!({
                "player": "p", "suite": "s", "line": 1, "id": "i", "fen": "f", "status": "ok", "solved": false,
                "score": score, "bound": bound, "depth": 1, "seldepth": 1, "nodes": 5, "ms": 5
            });
            annotated(&entry, Some(&serde_json::from_value(record).expect("a record")))
        };
        let cp = serde_json::json!({ "cp": 222 });
        assert!(written(cp.clone(), None).ends_with(" acd 1; acn 5; acs 0; ce 222;"));
        assert!(written(cp, Some("lower")).ends_with(" acd 1; acn 5; acs 0;"));
        for (kind, amount, ce) in [
            ("mate", 1, Some(32766)),
            ("mate", 0, None),
            ("mate", -1, Some(-32765)),
            ("mate", 5, Some(32758)),
            ("mate", -5, Some(-32757)),
            ("mate", 383, Some(32002)),
            ("mate", -383, Some(-32001)),
            ("mate", 384, None),
            ("mate", -384, None),
            ("mate", 20_000, None),
            ("mate", i32::MAX, None),
            ("mate", i32::MIN, None),
            ("cp", 20_000, Some(20_000)),
            ("cp", -32_000, Some(-32_000)),
            ("cp", 32_001, None),
            ("cp", i32::MIN, None),
        ] {
            let end = ce.map_or_else(|| " acs 0;".to_owned(), |ce| format!(" ce {ce};"));
            assert!(written(serde_json::json!({ kind: amount }), None).ends_with(&end), "{kind} {amount}");
        }
    }
}
