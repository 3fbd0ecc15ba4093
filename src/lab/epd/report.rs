//! What is told of a run: the table on the terminal, and the files that people and other programs read.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::html::{self, Stage};
use super::parse::{
    Operation, Suite, SuiteEntry, count_depth, has_opinions, mate_operand, move_words, quotation, quote, read_move,
};
use super::player::UciScore;
use super::record::{Record, Run, Status};
use super::totals::{Total, players, themes, totals};
use crate::lab::outputs::{self, Manner, Output, WriteError};
use crate::lab::tell::counted;
use crate::position::notation::{san, uci};
use crate::tell;

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
    /// Write a page for people to this file; it needs nothing else to be shown
    ///
    /// While a run goes on, the page is written again about every ten seconds with what is done so far.
    #[arg(long, value_name = "FILE", help_heading = "Reports")]
    pub html: Option<PathBuf>,
    /// Replace reports and files of results that are there already; inputs are never replaced
    #[arg(long, help_heading = "Reports")]
    pub force: bool,
}

impl Outputs {
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
            format!("{:.1}", total.percent()),
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

/// Columns under each other, without those that are empty below their title; `left` names the ones aligned left.
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
    /// The run cannot be told as JSON.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// The run cannot be told as CSV.
    #[error(transparent)]
    Csv(#[from] csv::Error),
}

/// Writes the files that were asked for.
///
/// # Errors
///
/// [`ReportError::Write`] if a file cannot be written; [`ReportError::Json`] and [`ReportError::Csv`] come from the
/// libraries for those formats.
pub fn save(run: &Run, stage: Stage, outputs: &Outputs) -> Result<(), ReportError> {
    if let Some(path) = &outputs.json {
        outputs::write(path, json(run)?.as_bytes())?;
    }
    if let Some(path) = &outputs.csv {
        outputs::write(path, &csv(run)?)?;
    }
    if let Some(path) = &outputs.html {
        outputs::write(path, html::page(run, stage).as_bytes())?;
    }
    Ok(())
}

/// Prints the table, and what else was asked for.
pub fn print(run: &Run, outputs: &Outputs) {
    let bad: usize = run.head.suites.iter().map(|suite| suite.bad_lines).sum();
    let threads = counted(run.head.threads as u64, "thread", "threads");
    tell!("{} a position, {} MiB, {threads}", run.head.budget, run.head.hash);
    if bad > 0 {
        tell!("{} left out", counted(bad as u64, "bad line was", "bad lines were"));
    }
    tell!("\n{}", table(&totals(run)).trim_end());
    if totals(run).iter().any(|total| !total.mates_text().is_empty()) {
        tell!(
            "\nmate scores compare the last score with the proved mate (dm); a position with bm or am is solved by its move"
        );
    }
    if outputs.themes {
        let themes = themes(run);
        if !themes.is_empty() {
            tell!("\n{}", table(&themes).trim_end());
        }
    }
    if outputs.unsolved {
        for record in run.records.iter().filter(|r| !r.solved) {
            let played = record.best_san.as_deref().unwrap_or("nothing");
            let (player, suite, id) = (&record.player, &record.suite, &record.id);
            tell!("{player}: {suite}: {id}: expected {}, played {played} {}", record.expected(), record.score_text());
        }
    }
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

fn csv(run: &Run) -> Result<Vec<u8>, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let text = |number: Option<u64>| number.map_or_else(String::new, |n| n.to_string());
    let mut rows = vec![
        [
            "player",
            "suite",
            "line",
            "id",
            "fen",
            "bm",
            "am",
            "dm",
            "status",
            "solved",
            "mate",
            "points",
            "max_points",
            "best",
            "best_san",
            "score",
            "depth",
            "seldepth",
            "nodes",
            "ms",
            "found_ms",
            "found_nodes",
            "found_depth",
            "pv",
        ]
        .map(str::to_owned),
    ];
    for r in &run.records {
        let verdict = serde_json::to_value(r.mate).ok().and_then(|v| v.as_str().map(str::to_owned));
        let status = serde_json::to_value(r.status).ok().and_then(|v| v.as_str().map(str::to_owned));
        rows.push([
            r.player.clone(),
            r.suite.clone(),
            r.line.to_string(),
            r.id.clone(),
            r.fen.clone(),
            r.bm.join(" "),
            r.am.join(" "),
            r.dm.map_or_else(String::new, |dm| dm.to_string()),
            status.unwrap_or_default(),
            u8::from(r.solved).to_string(),
            verdict.unwrap_or_default(),
            r.points.map_or_else(String::new, |(own, _)| own.to_string()),
            r.points.map_or_else(String::new, |(_, most)| most.to_string()),
            r.best.clone().unwrap_or_default(),
            r.best_san.clone().unwrap_or_default(),
            r.score_text(),
            r.depth.to_string(),
            r.seldepth.to_string(),
            r.nodes.to_string(),
            r.ms.to_string(),
            text(r.found.map(|f| f.ms)),
            text(r.found.map(|f| f.nodes)),
            text(r.found.map(|f| u64::from(f.depth))),
            r.pv.clone(),
        ]);
    }
    for row in rows {
        writer.write_record(&row)?;
    }
    writer.into_inner().map_err(|error| error.into_error().into())
}

/// Writes the suites back with the first player's analysis: `acd`, `acn`, `acs`, `ce`, `dm` stays what it was, `pm`, `pv`.
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

/// An operation as other readers understand it, and the text that must be kept beside it, or instead of it, lest something
/// be lost.
fn written(entry: &SuiteEntry, operation: &Operation) -> (Option<String>, Option<String>) {
    let Operation { opcode, operands, quoted, raw, odd } = operation;
    let is_number = matches!(opcode.as_str(), "dm" | "acd" | "acn" | "acs" | "ce" | "hmvc" | "fmvn")
        || count_depth(opcode).is_some();
    let is_moves = matches!(opcode.as_str(), "bm" | "am" | "pm" | "pv");
    if odd.is_some() {
        // Programs take such operations for numbers and moves: what is neither must not stand there.
        let stands = !is_number && !is_moves && !raw.starts_with('#') && is_readable(raw);
        return if stands { (Some(raw.clone()), None) } else { (None, Some(raw.clone())) };
    }
    if is_number {
        return (Some(format!("{opcode} {}", operation.text())), None);
    }
    if let ("bm", Some(mate)) = (opcode.as_str(), mate_operand(operation)) {
        // The same said as `dm`, which has a meaning for others.
        let dm = entry.operation("dm").is_none().then(|| format!("dm {mate}"));
        return (dm, None);
    }
    if is_moves {
        let aside = has_opinions(operation).then(|| raw.clone());
        return (Some(format!("{opcode} {}", plain_moves(entry, operation)).trim_end().to_owned()), aside);
    }
    match operands.as_slice() {
        [] => (Some(opcode.clone()), None),
        _ if !opcode.starts_with(|c: char| c.is_ascii_alphabetic()) => (None, Some(raw.clone())),
        [string] if *quoted == 1 => (Some(format!("{opcode} {}", quote(string))), None),
        [number] if *quoted == 0 && opcode != "id" && is_plain_number(number) => {
            (Some(format!("{opcode} {number}")), None)
        }
        _ if *quoted == 0 => (Some(format!("{opcode} {}", quote(raw[opcode.len()..].trim()))), None),
        _ => (Some(format!("{opcode} {}", quote(&operation.text()))), Some(raw.clone())),
    }
}

/// The moves of an operation, as they stand where every reader understands that, else in standard algebraic notation.
fn plain_moves(entry: &SuiteEntry, operation: &Operation) -> String {
    let mut position = entry.position.clone();
    let mut words = Vec::new();
    for word in move_words(operation) {
        let Ok(m) = read_move(&position, word) else { continue };
        let name = san(&position, m);
        let plain = word == name
            || word == name.trim_end_matches(['+', '#'])
            || (position.castling_mode().is_standard() && !m.is_castle() && word == uci(&position, m));
        words.push(if plain { word.to_owned() } else { name });
        if operation.opcode == "pv" {
            position.play(m);
        }
    }
    words.join(" ")
}

/// Whether other readers get over an operation as it stands: an opcode alone, with one string or with one number.
fn is_readable(raw: &str) -> bool {
    let end = raw.find(char::is_whitespace).unwrap_or(raw.len());
    let (opcode, operand) = raw.split_at(end);
    // A number behind the four fields would be taken for a counter.
    if opcode.contains('"') || opcode == "-" || opcode.bytes().all(|byte| byte.is_ascii_digit()) {
        return false;
    }
    let operand = operand.trim_start_matches([' ', '\t']);
    operand.is_empty()
        || opcode.starts_with(|c: char| c.is_ascii_alphabetic())
            && (is_plain_number(operand)
                || quotation(operand).is_some_and(|(string, rest)| rest.is_empty() && quote(&string) == operand))
}

fn is_plain_number(text: &str) -> bool {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    (1..=18).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// A line of EPD with what a search of it found.
pub(crate) fn annotated(entry: &SuiteEntry, record: Option<&Record>) -> String {
    const OURS: [&str; 6] = ["acd", "acn", "acs", "ce", "pm", "pv"];
    let fen = entry.position.fen();
    let mut text = fen.split(' ').take(4).collect::<Vec<_>>().join(" ");
    let searched = record.filter(|r| r.status == Status::Ok);
    let has = |opcode: &str| entry.operation(opcode).is_some();
    let counters: Vec<&str> = fen.split(' ').skip(4).collect();
    for (opcode, value, usual) in [("hmvc", counters.first(), "0"), ("fmvn", counters.get(1), "1")] {
        if let Some(value) = value.filter(|&&value| value != usual && !has(opcode)) {
            let _ = write!(text, " {opcode} {value};");
        }
    }
    let mut kept = 1;
    for operation in &entry.operations {
        if searched.is_some() && operation.odd.is_none() && OURS.contains(&operation.opcode.as_str()) {
            continue;
        }
        let (plain, aside) = written(entry, operation);
        if let Some(plain) = plain {
            let _ = write!(text, " {plain};");
        }
        if let Some(aside) = aside {
            // A name that the line does not use yet, lest one such operation hide another.
            let names = (kept..).map(|n| if n == 1 { "kept".to_owned() } else { format!("kept{n}") });
            let free = names.enumerate().find(|(_, name)| !entry.operations.iter().any(|o| o.opcode == *name));
            if let Some((skipped, name)) = free {
                kept += skipped + 1;
                let _ = write!(text, " {name} {};", quote(&aside));
            }
        }
    }
    if let Some(r) = searched {
        let _ = write!(text, " acd {}; acn {}; acs {};", r.depth, r.nodes, r.ms / 1000);
        // The specification counts mates down from 32767.
        match r.score {
            Some(UciScore::Cp(cp)) => {
                let _ = write!(text, " ce {cp};");
            }
            Some(UciScore::Mate(moves)) => {
                let plies = if moves > 0 { 2 * moves - 1 } else { -2 * moves };
                let ce = if moves > 0 { 32767 - plies } else { -32767 + plies };
                let _ = write!(text, " ce {ce};");
            }
            None => {}
        }
        if let Some(best) = &r.best_san {
            let _ = write!(text, " pm {best}; pv {};", r.pv);
        }
    }
    text
}
