//! The result of a run: a head that describes the run, and a record for each position and player.
//!
//! On disk this is JSON Lines: the head first, then each record in a single write when its position is done. So a run
//! can be killed and resumed (a torn line costs only its own position), split over machines and merged, compared with
//! another, and shown in any form.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::Path;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::error::Category;

use super::judge::{Found, MateVerdict};
use crate::play::player::{Budget, UciScore};
use formats::epd::Suite;
use ibex::checksum::checksum;
use terminal::inputs::STDIN;
use terminal::tell::shortened;

/// The version of the file format.
pub const FORMAT: u32 = 1;
/// The most results of a run.
const MOST_RESULTS: usize = u32::MAX as usize;

/// Why a file of results cannot be read or written. Each message names the file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunFileError {
    /// The file cannot be opened, read or written.
    #[error("{name}: {source}")]
    File {
        /// The file.
        name: String,
        /// The error of the system.
        source: io::Error,
    },
    /// The name is that of standard input, which cannot hold a run.
    #[error("-: results need a file name")]
    Stdin,
    /// The file is empty.
    #[error("{0}: empty: no run was recorded here")]
    Empty(String),
    /// The file does not begin with the head of a run.
    #[error("{name}:{line}: not the head of a run: {}", flaw(source))]
    Head {
        /// The file.
        name: String,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// The file is the document that `--json` writes: it has the whole run, but no results by line.
    #[error("{0}: this is the document of --json; give the file of --jsonl or --resume")]
    Document(String),
    /// The file was written in another format.
    #[error("{name}: written in format {found}, this program reads format {FORMAT}")]
    Format {
        /// The file.
        name: String,
        /// The version of its format.
        found: u32,
    },
    /// The head promises more results than a run can have.
    #[error("{0}: the head of a run with too many positions")]
    TooMany(String),
    /// The file holds a run with another head.
    #[error("{name} holds another run: {difference}")]
    AnotherRun {
        /// The file.
        name: String,
        /// How the heads differ.
        difference: String,
    },
    /// The file exists, and should not be continued.
    #[error("{0} exists; --resume continues it")]
    Exists(String),
    /// Another run is writing the file.
    #[error("{name}: another run{} is writing it", process.map_or_else(String::new, |id| format!(" (process {id})")))]
    Locked {
        /// The file.
        name: String,
        /// The process that writes it, if it left its number.
        process: Option<u32>,
    },
}

/// What is wrong with a JSON text, in words for people: the library counts lines of its own, from the text that it was
/// given.
pub fn flaw(error: &serde_json::Error) -> String {
    match error.classify() {
        Category::Eof => "it is cut off".to_owned(),
        Category::Syntax => "it is not JSON".to_owned(),
        Category::Data | Category::Io => {
            let text = error.to_string();
            text.split(" at line ").next().unwrap_or(&text).replace('`', "'")
        }
    }
}

impl RunFileError {
    /// Wraps errors of the file with this name.
    pub(super) fn of(name: &str) -> impl Fn(io::Error) -> RunFileError {
        move |source| RunFileError::File { name: name.to_owned(), source }
    }
}

/// What was run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// The version of the file format.
    pub ibex_epd: u32,
    /// The players.
    pub players: Vec<PlayerHead>,
    /// The limits for each position.
    pub budget: Budget,
    /// How many further iterations a solution must hold to end the search early.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hold: Option<u32>,
    /// Table size in MiB.
    pub hash: usize,
    /// Threads for each position.
    pub threads: usize,
    /// The suites.
    pub suites: Vec<SuiteHead>,
    /// The part of the positions that was run; `None` for all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
}

impl Head {
    /// How many results the whole run has; `None` for an impossible number.
    fn results(&self) -> Option<usize> {
        let positions = self.suites.iter().try_fold(0_usize, |sum, suite| sum.checked_add(suite.positions))?;
        let share = self.shard.map_or(positions, |shard| shard.share(positions));
        share.checked_mul(self.players.len()).filter(|&results| results <= MOST_RESULTS)
    }
}

/// A part of the positions: every `parts`-th of them from the `part`-th on, both counted from 1. As text, `I/N`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "(usize, usize)", into = "(usize, usize)")]
pub struct Shard {
    part: usize,
    parts: usize,
}

impl Shard {
    /// Whether it has the position with this index, which counts from 0.
    pub fn has(self, index: usize) -> bool {
        index % self.parts == self.part - 1
    }

    /// How many of this many positions it has.
    pub fn share(self, positions: usize) -> usize {
        positions.saturating_sub(self.part - 1).div_ceil(self.parts)
    }
}

impl TryFrom<(usize, usize)> for Shard {
    type Error = &'static str;

    fn try_from((part, parts): (usize, usize)) -> Result<Shard, &'static str> {
        if 1 <= part && part <= parts { Ok(Shard { part, parts }) } else { Err("expected I/N with 1 <= I <= N") }
    }
}

impl From<Shard> for (usize, usize) {
    fn from(shard: Shard) -> (usize, usize) {
        (shard.part, shard.parts)
    }
}

impl FromStr for Shard {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Shard, &'static str> {
        let numbers = text.split_once('/').and_then(|(part, parts)| Some((part.parse().ok()?, parts.parse().ok()?)));
        // Anything but a pair of numbers is rejected like a pair out of range.
        Shard::try_from(numbers.unwrap_or((0, 0)))
    }
}

/// A player.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayerHead {
    /// The name in tables.
    pub label: String,
    /// The name that it gives itself.
    pub name: String,
    /// The command; `None` for Ibex itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Options that were set.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
}

impl PlayerHead {
    /// The value of an option that was set; engines ignore the case of names, and the last value counts.
    pub fn option(&self, name: &str) -> Option<&str> {
        let set = self.options.iter().rev().filter_map(|option| option.split_once('='));
        set.into_iter().find(|(set, _)| set.trim().eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
    }
}

/// A suite.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuiteHead {
    /// Its name.
    pub name: String,
    /// Positions that can be run.
    pub positions: usize,
    /// Bad lines, which were left out.
    pub bad_lines: usize,
    /// A digest of positions and tasks: two suites of one name with different digests are different suites.
    pub digest: String,
}

impl SuiteHead {
    /// Describes a suite.
    pub fn of(suite: &Suite) -> SuiteHead {
        // It only needs to detect edits.
        let mut text = String::new();
        for entry in &suite.entries {
            text += &format!("{}\0{}\0", entry.line, entry.position.fen());
            for operation in &entry.operations {
                text += &format!("{}\0{}\0", operation.opcode, operation.text());
            }
        }
        SuiteHead {
            name: suite.name.clone(),
            positions: suite.entries.len(),
            bad_lines: suite.problems.len(),
            digest: format!("{:016x}", checksum(text.as_bytes())),
        }
    }
}

/// How a search went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// The player answered.
    Ok,
    /// The player exited, or could not be started.
    Died,
    /// It did not answer in time.
    Timeout,
    /// Its answer was not a legal move.
    Illegal,
    /// It lacks an option that the position needs, so it was not given the position.
    Unfit,
}

/// One position, searched by one player.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The player's label.
    pub player: String,
    /// The suite's name.
    pub suite: String,
    /// The line in its file.
    pub line: usize,
    /// The position's name; made from suite and line if the file has none.
    pub id: String,
    /// The position.
    pub fen: String,
    /// Moves that solve it, in algebraic notation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bm: Vec<String>,
    /// Moves that do not solve it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub am: Vec<String>,
    /// Full moves to the proved mate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dm: Option<i32>,
    /// How the search went.
    pub status: Status,
    /// What went wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
    /// Whether the position is solved.
    pub solved: bool,
    /// How the announced mate compares with the proved one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mate: Option<MateVerdict>,
    /// Points of the move played and of the best move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<(i32, i32)>,
    /// The moves with the most points, in algebraic notation, if points alone decide.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub best_of_points: Vec<String>,
    /// When the solution was found and kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found: Option<Found>,
    /// The move played, in UCI notation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub best: Option<String>,
    /// The same in algebraic notation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub best_san: Option<String>,
    /// The final score.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<UciScore>,
    /// `lower` or `upper` if the score is only a bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<String>,
    /// The deepest iteration.
    pub depth: u32,
    /// The deepest ply.
    pub seldepth: u32,
    /// Nodes.
    pub nodes: u64,
    /// Milliseconds.
    pub ms: u64,
    /// The final line in algebraic notation.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub pv: String,
}

impl Record {
    /// The unique key of a record in a run: player, suite, line.
    pub fn key(&self) -> (String, String, usize) {
        (self.player.clone(), self.suite.clone(), self.line)
    }

    /// The score with its bound, for people.
    pub fn score_text(&self) -> String {
        let sign = match self.bound.as_deref() {
            Some("lower") => "≥",
            Some("upper") => "≤",
            _ => "",
        };
        self.score.map_or_else(String::new, |score| format!("{sign}{score}"))
    }

    /// The expected answer, for people.
    pub fn expected(&self) -> String {
        let mut parts = Vec::new();
        if !self.bm.is_empty() {
            parts.push(self.bm.join(" "));
        }
        if !self.am.is_empty() {
            parts.push(format!("not {}", self.am.join(" ")));
        }
        if let Some(dm) = self.dm {
            parts.push(format!("#{dm}"));
        }
        if let (Some((_, most)), false) = (self.points, self.best_of_points.is_empty()) {
            parts.push(format!(
                "{} ({})",
                self.best_of_points.join(" "),
                format_args!("{most} {}", if most == 1 { "point" } else { "points" })
            ));
        }
        parts.join(", ")
    }
}

/// The group within a suite that an id names: the text after its number, or else before it.
///
/// `STS(v1.0) Undermine.001` has the theme `STS(v1.0) Undermine`, `PET001: Pawn endgame` has `Pawn endgame`.
pub fn theme(id: &str) -> &str {
    let is_joint = |c: char| c.is_whitespace() || ".,:-_#".contains(c);
    let Some(end) = id.rfind(|c: char| c.is_ascii_digit()).map(|last| last + 1) else { return id.trim() };
    let start = id[..end]
        .rfind(|c: char| !c.is_ascii_digit())
        .map_or(0, |i| i + id[i..].chars().next().map_or(1, char::len_utf8));
    let (before, after) = (id[..start].trim_end_matches(is_joint), id[end..].trim_start_matches(is_joint).trim());
    if after.is_empty() { before.trim() } else { after }
}

/// A run, complete or not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// What was run.
    pub head: Head,
    /// The records, in the order of players, suites and lines.
    pub records: Vec<Record>,
}

impl Run {
    /// Sorts the records by players, suites and lines.
    pub fn sort(&mut self) {
        let players: BTreeMap<_, _> = self.head.players.iter().enumerate().map(|(i, p)| (p.label.clone(), i)).collect();
        let suites: BTreeMap<_, _> = self.head.suites.iter().enumerate().map(|(i, s)| (s.name.clone(), i)).collect();
        self.records.sort_by_key(|r| (players.get(&r.player).copied(), suites.get(&r.suite).copied(), r.line));
    }

    /// Reads a file of results (see [`Intake`]).
    ///
    /// # Errors
    ///
    /// [`RunFileError::File`] if the file cannot be read; [`RunFileError::Empty`], [`RunFileError::Head`],
    /// [`RunFileError::Document`] or [`RunFileError::Format`] if it does not begin with the head of a run.
    pub fn read(path: &Path) -> Result<Intake, RunFileError> {
        let (name, bytes) = read_file(path)?;
        Run::parse(&name, &bytes).map_err(|error| of_document(error, &bytes))
    }

    /// Reads a file of results, or the document that `--json` writes.
    ///
    /// # Errors
    ///
    /// Those of [`Run::read`].
    pub fn read_report(path: &Path) -> Result<Intake, RunFileError> {
        let (name, bytes) = read_file(path)?;
        match Run::parse(&name, &bytes) {
            // The document is one value over many lines, or on a single line that may lack a line feed.
            Err(error @ (RunFileError::Head { .. } | RunFileError::Empty(_))) => {
                match serde_json::from_slice::<Run>(&bytes) {
                    Ok(run) if run.head.results().is_none() => Err(RunFileError::TooMany(name)),
                    Ok(run) if run.head.ibex_epd == FORMAT => Ok(Intake { run, remarks: Vec::new(), whole: None }),
                    Ok(run) => Err(RunFileError::Format { name, found: run.head.ibex_epd }),
                    Err(_) => Err(error),
                }
            }
            result => result,
        }
    }

    pub(super) fn parse(name: &str, bytes: &[u8]) -> Result<Intake, RunFileError> {
        let own_name = || name.to_owned();
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
        let (lines, torn) = bytes.split_at(whole);
        let mut lines = lines.split(|&byte| byte == b'\n').zip(1..).filter(|(line, _)| !line.trim_ascii().is_empty());
        let (head, line) = lines.next().ok_or_else(|| RunFileError::Empty(own_name()))?;
        let head: Head =
            serde_json::from_slice(head).map_err(|source| RunFileError::Head { name: own_name(), line, source })?;
        if head.ibex_epd != FORMAT {
            return Err(RunFileError::Format { name: own_name(), found: head.ibex_epd });
        }
        if head.results().is_none() {
            return Err(RunFileError::TooMany(own_name()));
        }
        let mut bad = Vec::new();
        let mut numbers = Vec::new();
        let mut records: Vec<Record> = Vec::new();
        for (line, number) in lines {
            match serde_json::from_slice(line) {
                Ok(record) => {
                    records.push(record);
                    numbers.push(number);
                }
                Err(error) => {
                    bad.push((number, format!("torn or not a result: skipped ({})", flaw(&error))));
                }
            }
        }
        // If a position has several results, the last one counts.
        let mut last = HashMap::with_capacity(records.len());
        for (at, record) in records.iter().enumerate() {
            if let Some(earlier) = last.insert((record.player.as_str(), record.suite.as_str(), record.line), at) {
                let Record { id, player, .. } = record;
                let reason = format!("{id} by {player} is also in line {}: the last one counts", numbers[at]);
                bad.push((numbers[earlier], reason));
            }
        }
        if last.len() < records.len() {
            let mut kept = vec![false; records.len()];
            last.into_values().for_each(|at| kept[at] = true);
            let mut kept = kept.into_iter();
            records.retain(|_| kept.next().unwrap_or(true));
        }
        let whole = (bad.is_empty()).then_some(whole as u64);
        if !torn.is_empty() {
            let number = bytes.iter().filter(|&&byte| byte == b'\n').count() + 1;
            bad.push((number, "cut off: skipped".to_owned()));
        }
        bad.sort_by_key(|&(number, _)| number);
        const MOST: usize = 20;
        let line = |(number, reason): &(usize, String)| format!("{name}:{number}: {reason}");
        let remarks = shortened(&bad, MOST, line, |(number, _)| format!("{name}:{number}"));
        Ok(Intake { run: Run { head, records }, remarks, whole })
    }

    /// How many records the head promises.
    pub fn expected(&self) -> usize {
        self.head.results().unwrap_or(MOST_RESULTS)
    }
}

/// A file of results, read. Lines that are not results, left by kills or by two writers, are skipped, and if a
/// position has several results, the last one counts: remarks report both.
#[derive(Clone, Debug)]
pub struct Intake {
    /// The run.
    pub run: Run,
    /// What was skipped, in a line each, with file and line.
    pub remarks: Vec<String>,
    /// The length of the file's good part if only its end is torn; `None` if earlier lines are bad.
    pub whole: Option<u64>,
}

/// The name and the bytes of a file of results.
fn read_file(path: &Path) -> Result<(String, Vec<u8>), RunFileError> {
    if path.as_os_str() == STDIN {
        return Err(RunFileError::Stdin);
    }
    let name = path.display().to_string();
    let bytes = std::fs::read(path).map_err(RunFileError::of(&name))?;
    Ok((name, bytes))
}

/// The error for bytes that are not results: another one if they are the document of `--json`.
pub(super) fn of_document(error: RunFileError, bytes: &[u8]) -> RunFileError {
    match error {
        RunFileError::Head { name, .. } | RunFileError::Empty(name) if serde_json::from_slice::<Run>(bytes).is_ok() => {
            RunFileError::Document(name)
        }
        error => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Other programs write the last line without a line feed.
    #[test]
    fn flaws_are_in_plain_words() {
        let flaw_of = |text: &str| flaw(&serde_json::from_str::<Head>(text).expect_err("no head"));
        assert_eq!(flaw_of("{\"ibex_epd\":1,"), "it is cut off");
        assert_eq!(flaw_of("{]"), "it is not JSON");
        assert_eq!(flaw_of("{\"x\":1}"), "missing field 'ibex_epd'");
    }

    #[test]
    fn a_document_needs_no_line_feed() {
        let folder = crate::scratch::Scratch::new("document");
        let head = r#"{"ibex_epd":1,"players":[],"budget":{"nodes":9},"hash":1,"threads":1,"suites":[]}"#;
        for end in ["", "\n"] {
            let path = folder.write("a.json", format!("{{\"head\":{head},\"records\":[]}}{end}"));
            assert!(matches!(Run::read(Path::new(&path)), Err(RunFileError::Document(_))));
            let intake = Run::read_report(Path::new(&path)).expect("a document");
            assert_eq!((intake.run.head.budget.nodes, intake.remarks.len()), (Some(9), 0));
        }
        for empty in ["", " ", head] {
            let error = Run::read_report(Path::new(&folder.write("a.json", empty)));
            assert!(matches!(error, Err(RunFileError::Empty(_))), "{empty}: {error:?}");
        }
    }

    #[test]
    fn a_head_gives_the_expected_number_of_results() {
        let head = |positions: &str, shard: &str| {
            let suites =
                positions.split(' ').map(|n| format!(r#"{{"name":"s","positions":{n},"bad_lines":0,"digest":""}}"#));
            let suites = suites.collect::<Vec<_>>().join(",");
            let player = r#"{"label":"p","name":"p"}"#;
            format!(
                "{{\"ibex_epd\":1,\"players\":[{player},{player}],\"budget\":{{\"nodes\":9}},\"hash\":1,\"threads\":1,\
                 \"suites\":[{suites}]{shard}}}\n"
            )
        };
        for (positions, shard, results) in [
            ("0", "", 0),
            ("7 3", "", 20),
            ("7 3", ",\"shard\":[1,3]", 8),
            ("7 3", ",\"shard\":[2,3]", 6),
            ("7 3", &format!(",\"shard\":[12,{}]", usize::MAX), 0),
            ("2147483647", "", 4_294_967_294),
        ] {
            let intake = Run::parse("f", head(positions, shard).as_bytes()).expect("a head");
            assert_eq!(intake.run.expected(), results, "{positions} {shard}");
            if let Some(shard) = intake.run.head.shard {
                assert_eq!(shard.share(10), (0..10).filter(|&index| shard.has(index)).count());
            }
        }
        let largest = usize::MAX;
        for positions in
            [format!("{largest}"), format!("{largest} 1"), format!("{}", largest / 2 + 1), (1_u32 << 31).to_string()]
        {
            let error = Run::parse("f", head(&positions, "").as_bytes()).expect_err(&positions);
            assert_eq!(error.to_string(), "f: the head of a run with too many positions");
        }
    }

    #[test]
    fn themes_come_from_ids() {
        for (id, expected) in [
            ("WAC.001", "WAC"),
            ("STS(v1.0) Undermine.001", "STS(v1.0) Undermine"),
            ("PET001: Pawn endgame", "Pawn endgame"),
            ("E_E_T 001 - B vs B", "B vs B"),
            ("mate_in_1.0001", "mate_in_1"),
            ("no number", "no number"),
            ("12", ""),
            ("Réti é7", "Réti é"),
            ("", ""),
        ] {
            assert_eq!(theme(id), expected, "{id}");
        }
    }
}
