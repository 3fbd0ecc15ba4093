//! What a run leaves behind: a head that says what was run, and a record for each position and player.
//!
//! On disk that is JSON Lines, the head first, each record written whole when its position is done. So a run can be
//! killed and resumed, split over machines and merged, compared with another, and shown in any form.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::judge::{Found, MateVerdict};
use super::parse::Suite;
use super::player::{Budget, Value};

/// The version of the file format.
pub const FORMAT: u32 = 1;

/// What was run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// The version of the file format.
    pub ibex_epd: u32,
    /// The players.
    pub players: Vec<PlayerHead>,
    /// What each position may cost.
    pub budget: Budget,
    /// Further iterations for which a solution must hold to end the search early.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hold: Option<u32>,
    /// Table size in MiB.
    pub hash: usize,
    /// Threads a position.
    pub threads: usize,
    /// The suites.
    pub suites: Vec<SuiteHead>,
    /// Which part of the positions, counted from 1, of how many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shard: Option<(usize, usize)>,
}

/// A player.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayerHead {
    /// The name in tables.
    pub label: String,
    /// The name that it gives itself.
    pub name: String,
    /// The command; none for Ibex itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Options that were set.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
}

/// A suite.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuiteHead {
    /// Its name.
    pub name: String,
    /// Positions that can be run.
    pub positions: usize,
    /// Lines that were left out because they are bad.
    pub bad_lines: usize,
    /// A digest of positions and tasks: two suites of one name with different digests are different suites.
    pub digest: String,
}

impl SuiteHead {
    /// Describes a suite.
    pub fn of(suite: &Suite) -> SuiteHead {
        // Fowler, Noll and Vo's hash: it need only notice edits.
        let mut hash = 0xCBF2_9CE4_8422_2325_u64;
        let mut eat = |text: &str| {
            for byte in text.bytes().chain([0]) {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
            }
        };
        for entry in &suite.entries {
            eat(&entry.line.to_string());
            eat(&entry.position.fen());
            for operation in &entry.operations {
                eat(&operation.opcode);
                eat(&operation.text());
            }
        }
        SuiteHead {
            name: suite.name.clone(),
            positions: suite.entries.len(),
            bad_lines: suite.problems.len(),
            digest: format!("{hash:016x}"),
        }
    }
}

/// How a search went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// An answer came.
    Ok,
    /// The player ended, or could not be started.
    Died,
    /// It did not answer in time.
    Timeout,
    /// It answered with something that is no legal move.
    Illegal,
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
    /// The position's name; made from suite and line where the file has none.
    pub id: String,
    /// The position.
    pub fen: String,
    /// Moves that solve it, in algebraic notation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bm: Vec<String>,
    /// Moves that do not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub am: Vec<String>,
    /// Full moves to the mate that is proved.
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
    pub score: Option<Value>,
    /// `lower` or `upper` where the score is only a bound.
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
    /// What makes a record one of a kind in a run: player, suite, line.
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

    /// What was asked for, for people.
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
        parts.join(", ")
    }
}

/// The group within a suite that an id names: what stands after its number, or else before it.
///
/// `STS(v1.0) Undermine.001` is of the theme `STS(v1.0) Undermine`, `PET001: Pawn endgame` of `Pawn endgame`.
pub fn theme(id: &str) -> &str {
    let is_joint = |c: char| c.is_whitespace() || ".:-_#".contains(c);
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
    /// What came of it, in the order of players, suites and lines.
    pub records: Vec<Record>,
}

impl Run {
    /// Puts the records in the order of players, suites and lines.
    pub fn sort(&mut self) {
        let players: BTreeMap<_, _> = self.head.players.iter().enumerate().map(|(i, p)| (p.label.clone(), i)).collect();
        let suites: BTreeMap<_, _> = self.head.suites.iter().enumerate().map(|(i, s)| (s.name.clone(), i)).collect();
        self.records.sort_by_key(|r| (players.get(&r.player).copied(), suites.get(&r.suite).copied(), r.line));
    }

    /// Reads a file; returns how many of its bytes are whole lines too, for one that shall be continued.
    ///
    /// A last line that was cut off by a kill is no error; any other line that is not understood is.
    ///
    /// # Errors
    ///
    /// One line that names the file and says what is wrong.
    pub fn read(path: &Path) -> Result<(Run, u64), String> {
        let name = path.display();
        let bytes = std::fs::read(path).map_err(|error| format!("{name}: {error}"))?;
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
        let mut lines = bytes[..whole].split(|&byte| byte == b'\n').enumerate().filter(|(_, line)| !line.is_empty());
        let (_, head) = lines.next().ok_or_else(|| format!("{name}: empty: no run was recorded here"))?;
        let head: Head =
            serde_json::from_slice(head).map_err(|error| format!("{name}:1: not the head of a run: {error}"))?;
        if head.ibex_epd != FORMAT {
            return Err(format!("{name}: written in format {}, this program reads format {FORMAT}", head.ibex_epd));
        }
        let records = lines
            .map(|(i, line)| serde_json::from_slice(line).map_err(|error| format!("{name}:{}: {error}", i + 1)))
            .collect::<Result<_, _>>()?;
        Ok((Run { head, records }, whole as u64))
    }

    /// How many records the head promises.
    pub fn expected(&self) -> usize {
        let positions: usize = self.head.suites.iter().map(|suite| suite.positions).sum();
        let share = match self.head.shard {
            Some((part, parts)) => (0..positions).filter(|k| k % parts == part - 1).count(),
            None => positions,
        };
        share * self.head.players.len()
    }
}

/// Writes a run while it happens.
#[derive(Debug)]
pub struct Journal {
    file: File,
}

impl Journal {
    /// Begins a file that must not exist yet.
    ///
    /// # Errors
    ///
    /// The file exists, or cannot be written.
    pub fn begin(path: &Path, head: &Head) -> Result<Journal, String> {
        let file = OpenOptions::new().write(true).create_new(true).open(path).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => format!("{} exists; --resume continues it", path.display()),
            _ => format!("{}: {error}", path.display()),
        })?;
        let mut journal = Journal { file };
        journal.write(head)?;
        Ok(journal)
    }

    /// Continues a file after its whole lines.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub fn resume(path: &Path, whole: u64) -> Result<Journal, String> {
        let open = || -> io::Result<File> {
            OpenOptions::new().write(true).open(path)?.set_len(whole)?;
            OpenOptions::new().append(true).open(path)
        };
        Ok(Journal { file: open().map_err(|error| format!("{}: {error}", path.display()))? })
    }

    /// Adds a line, whole.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    pub fn write(&mut self, line: &impl Serialize) -> Result<(), String> {
        let mut bytes = serde_json::to_vec(line).map_err(|error| error.to_string())?;
        bytes.push(b'\n');
        self.file.write_all(&bytes).map_err(|error| format!("results cannot be written: {error}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
