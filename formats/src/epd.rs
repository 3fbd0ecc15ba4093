//! EPD, read and written: one position a line, with operations that say what to do with it.
//!
//! The format is Steven Edwards' (PGN specification, section 16.2), read the way that suites are found in the wild:
//! four FEN fields or six, operations ended by a semicolon or by the line, moves in standard algebraic or UCI notation,
//! castling of Chess960 in either FEN dialect, any line ending, a byte order mark, UTF-8 or Latin-1.
//!
//! Nothing is guessed, and nothing is dropped silently. A line counts if its position and its solution can be read;
//! another operation that cannot be read is kept as it stands ([`Operation::odd`]), and the file's [`Suite::oddities`]
//! count such operations by kind. A line without a readable position or solution is left out, and a [`Problem`] says
//! where and why.

mod entry;
mod error;
mod moves;
mod oddities;
mod operations;
mod solution;
mod write;

use std::fmt;
use std::path::Path;

pub use entry::{Analysis, SuiteEntry, count_depth, parse_line};
pub use error::{SuiteError, WordError};
pub use moves::{has_opinions, move_words, read_move};
pub use oddities::{Oddities, Oddity};
use operations::ENDLESS;
pub use operations::{Operation, quotation, quote};
pub use write::written;

use ibex::position::{Repair, shorten};
use terminal::inputs::{self, InputError};

/// Bad lines of a file, at most: a file with more is not a suite.
const MOST_PROBLEMS: usize = 1_000_000;

/// A line that could not be used (or, as a note, one that was used with a reservation).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file, as it was named.
    pub file: String,
    /// The line's number, from 1.
    pub line: usize,
    /// What is wrong, in one line.
    pub reason: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.reason)
    }
}

/// A file of positions.
///
/// ```
/// use formats::epd::Suite;
/// use ibex::position::notation::san;
///
/// let text = br#"6k1/5ppp/8/8/8/8/8/K2R4 w - - bm Rd8+; id "back rank";
/// 6k1/5ppp/8/8/8/8/8/K2R4 w - - bm Qd8+; id "no such queen";
/// "#;
/// let suite = Suite::parse("mates", "mates.epd", text);
/// let entry = &suite.entries[0];
/// assert_eq!(entry.id.as_deref(), Some("back rank"));
/// assert_eq!(san(&entry.position, entry.best[0]), "Rd8#");
/// // A bad line is left out and reported.
/// assert_eq!(suite.problems[0].to_string(), "mates.epd:2: bm 'Qd8+' is not legal");
/// ```
#[derive(Clone, Debug)]
pub struct Suite {
    /// The file's name without folder and extension.
    pub name: String,
    /// The file, as it was named.
    pub file: String,
    /// The lines that were understood, in order.
    pub entries: Vec<SuiteEntry>,
    /// The lines that were not.
    pub problems: Vec<Problem>,
    /// Lines that were understood with a reservation.
    pub notes: Vec<Problem>,
    /// Operations that have no meaning here and are kept as they stand, by kind.
    pub oddities: Oddities,
    /// Empty lines and comments. Those between two entries are one text, with the line number of the first.
    pub asides: Vec<(usize, String)>,
    /// How many lines are not UTF-8 and were read as Latin-1, and the first of them.
    pub latin1: Option<(usize, usize)>,
    /// Lines with zero bytes at their end, which count as blanks.
    pub zeros: usize,
}

impl Suite {
    /// Reads a file, packed or not, or standard input for `-`.
    ///
    /// # Errors
    ///
    /// An [`InputError`] if the file cannot be read. Bad lines are not errors but problems.
    pub fn read(path: &Path) -> Result<Suite, InputError> {
        let bytes = inputs::read(path)?;
        let stem = match path.to_str() {
            Some(inputs::STDIN) => "stdin".to_owned(),
            _ => inputs::unpacked_path(path)
                .file_stem()
                .map_or_else(|| "suite".to_owned(), |stem| stem.to_string_lossy().into_owned()),
        };
        Ok(Suite::parse(&stem, &inputs::name(path), &bytes))
    }

    /// Reads a file's contents; `file` is its name in problems.
    pub fn parse(name: &str, file: &str, bytes: &[u8]) -> Suite {
        let mut suite = Suite {
            name: name.to_owned(),
            file: file.to_owned(),
            entries: Vec::new(),
            problems: Vec::new(),
            notes: Vec::new(),
            oddities: Oddities::default(),
            asides: Vec::new(),
            latin1: None,
            zeros: 0,
        };
        for (index, raw) in inputs::lines(bytes).enumerate() {
            // At the beginning, or where files were joined.
            let raw = raw.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(raw);
            let line = index + 1;
            let problem = |reason: String| Problem { file: file.to_owned(), line, reason };
            let text = match std::str::from_utf8(raw) {
                Ok(text) => text.to_owned(),
                Err(_) => {
                    suite.latin1.get_or_insert((0, line)).0 += 1;
                    raw.iter().map(|&byte| char::from(byte)).collect()
                }
            };
            suite.zeros += usize::from(text.trim_end().ends_with('\0'));
            match parse_line(&text, line) {
                None => suite.add_aside(line, text.trim_end_matches(['\0', ' ', '\t'])),
                Some(Ok(entry)) => {
                    suite.notes.extend(entry.repairs.iter().map(Repair::to_string).map(problem));
                    suite.notes.extend(remarks(&text).map(problem));
                    suite.oddities.add(&entry);
                    suite.entries.push(entry);
                }
                Some(Err(reason)) => suite.problems.push(problem(reason.to_string())),
            }
            if suite.problems.len() == MOST_PROBLEMS {
                suite.problems.push(problem(format!("{MOST_PROBLEMS} bad lines: the rest of the file is not read")));
                break;
            }
        }
        suite
    }

    /// Takes an empty line or a comment. A file of line feeds alone must not need more memory than it has bytes.
    fn add_aside(&mut self, line: usize, text: &str) {
        let entry = self.entries.last().map_or(0, |entry| entry.line);
        match self.asides.last_mut() {
            Some((first, aside)) if *first > entry => {
                aside.push('\n');
                aside.push_str(text);
            }
            _ => self.asides.push((line, text.to_owned())),
        }
    }

    /// The remarks about a file that was read, a line each: notes, and counts of what was kept as it stands.
    pub fn remarks(&self) -> Vec<String> {
        let file = &self.file;
        let mut lines: Vec<String> = self.notes.iter().map(ToString::to_string).collect();
        lines.extend(self.oddities.report().iter().map(|line| format!("{file}: {line}")));
        lines.extend(self.latin1.map(|lines| format!("{file}: {}", latin1_remark(lines))));
        if self.zeros > 0 {
            lines.push(format!("{file}: zero bytes at the end of lines ({}), read as blanks", self.zeros));
        }
        lines
    }

    /// Leaves out the entries that `useful` rejects, with this reason.
    pub fn require(&mut self, useful: impl Fn(&SuiteEntry) -> bool, reason: &str) {
        let (file, problems) = (&self.file, &mut self.problems);
        self.entries.retain(|entry| {
            let keep = useful(entry);
            if !keep {
                // What is missing may be hidden in an unterminated quotation.
                let endless = entry.operations.iter().find(|operation| operation.odd == Some(ENDLESS));
                let hint = endless.map_or_else(String::new, |o| format!("; {ENDLESS}: {}", shorten(&o.raw)));
                problems.push(Problem { file: file.clone(), line: entry.line, reason: format!("{reason}{hint}") });
            }
            keep
        });
        problems.sort_by_key(|problem| problem.line);
    }
}

/// The remark about lines that are not UTF-8: how many there are, and the first of them.
pub fn latin1_remark((count, first): (usize, usize)) -> String {
    let (lines_are, nth) = if count == 1 { ("line is", "line") } else { ("lines are", "first line") };
    format!("{count} {lines_are} not UTF-8, read as Latin-1 ({nth} {first})")
}

/// Remarks about the characters of a line that is used.
pub fn remarks(text: &str) -> impl Iterator<Item = String> {
    let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\0');
    let control = text.chars().find(|c| c.is_control() && *c != '\t');
    let control = control.map(|c| format!("control character U+{:04X}", c as u32));
    let half =
        text.contains(char::REPLACEMENT_CHARACTER).then(|| "a character that could not be read (U+FFFD)".to_owned());
    control.into_iter().chain(half)
}

#[cfg(test)]
mod tests;
