//! EPD, read and written: one position a line, with operations that say what to do with it.
//!
//! The format is Steven Edwards' (PGN specification, section 16.2), read the way that suites are found in the wild:
//! four FEN fields or six, operations ended by a semicolon or by the line, moves in standard algebraic or UCI notation,
//! castling of Chess960 in either FEN dialect, any line ending, a byte order mark, UTF-8 or Latin-1.
//!
//! What cannot be understood is never guessed at, and never dropped in silence. A line counts when its position and its
//! solution can be read; another operation that cannot be read is kept as it stands ([`Operation::odd`]), and the file's
//! [`Suite::oddities`] count such operations by kind. A line without a readable position or solution is left out, and a
//! [`Problem`] says where and why.

mod error;
mod moves;
mod operations;
mod write;

use std::cell::LazyCell;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::path::Path;

use shakmaty::Move;

pub use error::{SuiteError, WordError};
pub use moves::{has_opinions, move_words, read_move};
use moves::{line_of_play, moves, points};
use operations::{ENDLESS, UNENDED, find, is_opcode, next_word, split_operations};
pub use operations::{Operation, quotation, quote};
pub use write::written;

use super::input::{self, InputError};
use crate::position::{Position, Repair, shorten};

/// Odd operations of one kind in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Oddity {
    /// The opcode of the first.
    pub opcode: String,
    /// Why they have no meaning.
    pub reason: &'static str,
    /// How many there are.
    pub count: usize,
    /// The line of the first.
    pub line: usize,
    /// The text of the first.
    pub raw: String,
}

impl fmt::Display for Oddity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Oddity { opcode, reason, count, line, raw } = self;
        let (s, they, first) = if *count == 1 { ("", "it stands", "in") } else { ("s", "they stand", "first in") };
        let (opcode, raw) = (shorten(opcode), shorten(raw));
        let fault = if *reason == TWICE { "without effect" } else { "not understood" };
        write!(f, "{count} operation{s} '{opcode}' {fault} ({reason}), kept as {they} ({first} line {line}: {raw})")
    }
}

/// The odd operations of a file, by kind.
#[derive(Clone, Debug, Default)]
pub struct Oddities {
    kinds: Vec<Oddity>,
    /// Where the kind of a reason and an opcode is.
    known: HashMap<(&'static str, String), usize>,
}

impl Oddities {
    /// Counts the odd operations of an entry.
    pub fn add(&mut self, entry: &SuiteEntry) {
        // Times and the like, `01:22:03`, are one kind whatever the digits.
        let shape = |opcode: &str| -> String {
            if is_opcode(opcode) { opcode.to_owned() } else { opcode.replace(|c: char| c.is_ascii_digit(), "0") }
        };
        for operation in &entry.operations {
            let Some(reason) = operation.odd else { continue };
            let next = self.kinds.len();
            match *self.known.entry((reason, shape(&operation.opcode))).or_insert(next) {
                known if known < next => self.kinds[known].count += 1,
                _ => self.kinds.push(Oddity {
                    opcode: operation.opcode.clone(),
                    reason,
                    count: 1,
                    line: entry.line,
                    raw: operation.raw.clone(),
                }),
            }
        }
    }

    /// A line for each kind; beyond twenty kinds, one for all the others.
    pub fn report(&self) -> Vec<String> {
        const MOST: usize = 20;
        let mut lines: Vec<String> = self.kinds.iter().take(MOST).map(ToString::to_string).collect();
        if let Some(rest @ [first, ..]) = self.kinds.get(MOST..) {
            let count: usize = rest.iter().map(|oddity| oddity.count).sum();
            lines.push(format!(
                "{count} operations of {} more kinds not understood, kept as they stand (first in line {}: {})",
                rest.len(),
                first.line,
                shorten(&first.raw)
            ));
        }
        lines
    }
}

/// What earlier analysis says of a position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Analysis {
    /// `acd`: depth in plies.
    pub depth: Option<u32>,
    /// `acn`: nodes.
    pub nodes: Option<u64>,
    /// `acs`: seconds.
    pub seconds: Option<u64>,
    /// `ce`: centipawns from the side to move's view.
    pub centipawns: Option<i32>,
    /// `pm`: the move predicted.
    pub predicted: Option<Move>,
    /// `pv`: the line expected, legal from the position on.
    pub line: Vec<Move>,
}

/// One line of a suite, understood.
#[derive(Clone, Debug)]
pub struct SuiteEntry {
    /// The line's number in its file, from 1.
    pub line: usize,
    /// The position.
    pub position: Position,
    /// What had to be repaired in the position before it could be played.
    pub repairs: Vec<Repair>,
    /// `id`: the position's name.
    pub id: Option<String>,
    /// `bm`: the moves that solve it.
    pub best: Vec<Move>,
    /// `am`: the moves that do not.
    pub avoid: Vec<Move>,
    /// `dm` (or `bm #N`): full moves to the mate; negative when the side to move is mated, zero for "there is none".
    pub mate: Option<i32>,
    /// Points for moves, as in the Strategic Test Suite: from `c8` with `c9` or `c7`, or from `c0 "Nf3=10, d4=7"`.
    pub points: Vec<(Move, i32)>,
    /// `D1`, `D2`, ...: leaf counts of the move tree by depth.
    pub counts: Vec<(u32, u64)>,
    /// Earlier analysis.
    pub analysis: Analysis,
    /// Every operation in the order of the file, those above and odd ones included.
    pub operations: Vec<Operation>,
}

impl SuiteEntry {
    /// Whether a search can be judged by this line.
    pub fn is_task(&self) -> bool {
        !self.best.is_empty() || !self.avoid.is_empty() || self.mate.is_some() || !self.points.is_empty()
    }

    /// The operation with this opcode that counts.
    pub fn operation(&self, opcode: &str) -> Option<&Operation> {
        find(&self.operations, opcode)
    }
}

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
/// use ibex::formats::epd::Suite;
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
    /// Empty lines and comments, with their numbers.
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
    /// An [`InputError`] if the file cannot be read. Bad lines in it are no error but problems.
    pub fn read(path: &Path) -> Result<Suite, InputError> {
        let bytes = input::read(path)?;
        let stem = match path.to_str() {
            Some(input::STDIN) => "stdin".to_owned(),
            _ => input::unpacked_path(path)
                .file_stem()
                .map_or_else(|| "suite".to_owned(), |stem| stem.to_string_lossy().into_owned()),
        };
        Ok(Suite::parse(&stem, &input::name(path), &bytes))
    }

    /// Reads a file's contents; `file` is how problems name it.
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
        for (index, raw) in input::lines(bytes).enumerate() {
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
                None => suite.asides.push((line, text.trim_end_matches(['\0', ' ', '\t']).to_owned())),
                Some(Ok(entry)) => {
                    suite.notes.extend(entry.repairs.iter().map(Repair::to_string).map(problem));
                    suite.notes.extend(remarks(&text).map(problem));
                    suite.oddities.add(&entry);
                    suite.entries.push(entry);
                }
                Some(Err(reason)) => suite.problems.push(problem(reason.to_string())),
            }
        }
        suite
    }

    /// What is to be said of the file when it is read, a line each: notes, and counts of what was kept as it stands.
    pub fn remarks(&self) -> Vec<String> {
        let file = &self.file;
        let mut lines: Vec<String> = self.notes.iter().map(ToString::to_string).collect();
        lines.extend(self.oddities.report().iter().map(|line| format!("{file}: {line}")));
        if let Some((count, first)) = self.latin1 {
            let (lines_are, nth) = if count == 1 { ("line is", "line") } else { ("lines are", "first line") };
            lines.push(format!("{file}: {count} {lines_are} not UTF-8, read as Latin-1 ({nth} {first})"));
        }
        if self.zeros > 0 {
            lines.push(format!("{file}: zero bytes at the end of lines ({}), read as blanks", self.zeros));
        }
        lines
    }

    /// Leaves out the entries that `useful` refuses, with this reason.
    pub fn require(&mut self, useful: impl Fn(&SuiteEntry) -> bool, reason: &str) {
        let (file, problems) = (&self.file, &mut self.problems);
        self.entries.retain(|entry| {
            let keep = useful(entry);
            if !keep {
                // What is missing may stand where it cannot be distinguished from the quotation.
                let endless = entry.operations.iter().find(|operation| operation.odd == Some(ENDLESS));
                let hint = endless.map_or_else(String::new, |o| format!("; {ENDLESS}: {}", shorten(&o.raw)));
                problems.push(Problem { file: file.clone(), line: entry.line, reason: format!("{reason}{hint}") });
            }
            keep
        });
        problems.sort_by_key(|problem| problem.line);
    }
}

/// Reads one line; `None` for an empty line or a comment (from `#` to the end).
///
/// # Errors
///
/// A [`SuiteError`] if the position or the solution cannot be read.
pub fn parse_line(text: &str, line: usize) -> Option<Result<SuiteEntry, SuiteError>> {
    // Some programs leave the zero byte that ends their strings.
    let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\0' || c == '\u{FEFF}');
    if text.is_empty() || text.starts_with('#') {
        return None;
    }
    Some(parse_entry(text, line))
}

/// What is to be said of the characters of a line that is used.
fn remarks(text: &str) -> impl Iterator<Item = String> {
    let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\0');
    let control = text.chars().find(|c| c.is_control() && *c != '\t');
    let control = control.map(|c| format!("control character U+{:04X}", c as u32));
    let half =
        text.contains(char::REPLACEMENT_CHARACTER).then(|| "a character that could not be read (U+FFFD)".to_owned());
    control.into_iter().chain(half)
}

fn parse_entry(text: &str, line: usize) -> Result<SuiteEntry, SuiteError> {
    let mut rest = text;
    let mut fields = Vec::with_capacity(6);
    while fields.len() < 4 {
        let field = next_word(&mut rest);
        if field.is_empty() {
            return Err(SuiteError::Fields(fields.len()));
        }
        fields.push(field);
    }
    while fields.len() < 6 {
        let mut ahead = rest;
        let word = next_word(&mut ahead);
        if word.is_empty() || !word.bytes().all(|b| b.is_ascii_digit()) {
            break;
        }
        fields.push(word);
        rest = ahead;
    }
    if let Some(control) = text[..text.len() - rest.len()].chars().find(|c| c.is_control() && *c != '\t') {
        return Err(SuiteError::Control(control));
    }
    let mut operations = split_operations(rest);
    only_once(&mut operations);
    // Four fields leave the counters to operations, which few files have.
    let mut counters = ["0", "1"].map(str::to_owned);
    for ((counter, opcode), field) in counters.iter_mut().zip(["hmvc", "fmvn"]).zip(4..) {
        let operation = operations.iter_mut().find(|o| o.odd.is_none() && o.opcode == opcode);
        let told = operation.as_ref().map(|operation| operation.text());
        match (fields.get(field), told) {
            (Some(&word), told) => {
                *counter = word.to_owned();
                if let (Some(operation), true) = (operation, told.is_some_and(|told| told != word)) {
                    operation.odd = Some("the FEN says otherwise");
                }
            }
            (None, Some(told)) if !told.is_empty() && told.bytes().all(|byte| byte.is_ascii_digit()) => *counter = told,
            (None, _) => {
                if let Some(operation) = operation {
                    operation.odd = Some("needs one number");
                }
            }
        }
    }
    let fen = format!("{} {}", fields[..4].join(" "), counters.join(" "));
    let (position, repairs) = Position::from_any_fen(&fen, None)?;
    Ok(SuiteEntry { repairs, ..interpret(position, operations, line)? })
}

/// The solution that seems to stand in a quotation without an end.
fn swallowed(raw: &str) -> Option<&str> {
    let mut later = raw.split_inclusive(';').skip(1);
    later.by_ref().map(str::trim).find(|text| is_solution(text.split([' ', '\t']).next().unwrap_or_default()))
}

const TWICE: &str = "stands twice, the last one counts";

/// Of operations with one opcode the last counts, as for other readers.
fn only_once(operations: &mut [Operation]) {
    // A line may have a hundred thousand operations: each is looked at once.
    let mut seen = HashSet::with_capacity(operations.len());
    for Operation { opcode, odd, .. } in operations.iter_mut().rev() {
        if odd.is_none() && !seen.insert(opcode.as_str()) {
            *odd = Some(TWICE);
        }
    }
}

/// The operations of the solution.
const SOLUTIONS: [&str; 3] = ["bm", "am", "dm"];

/// Whether a line must be left out when this operation cannot be read.
fn is_solution(opcode: &str) -> bool {
    SOLUTIONS.contains(&opcode)
}

/// What an operation of the solution says.
enum Solution {
    /// Moves, each once.
    Moves(Vec<Move>),
    /// The distance to mate.
    Mate(i32),
}

impl Solution {
    fn of(position: &Position, operation: &Operation) -> Result<Solution, SuiteError> {
        match (operation.opcode.as_str(), mate_operand(operation)) {
            ("bm", Some(mate)) => Ok(Solution::Mate(mate)),
            ("bm" | "am", _) => moves(position, operation).map(Solution::Moves),
            _ => number(operation).map(Solution::Mate),
        }
    }

    /// Whether both say the same, however they are written and whatever the order of the moves.
    fn is_same(&self, other: &Solution) -> bool {
        match (self, other) {
            (Solution::Moves(own), Solution::Moves(other)) => {
                own.len() == other.len() && own.iter().all(|m| other.contains(m))
            }
            (Solution::Mate(own), Solution::Mate(other)) => own == other,
            _ => false,
        }
    }
}

/// Checks that the operations of the solution that do not count say the same as those that do.
fn is_said_alike(position: &Position, operations: &[Operation]) -> Result<(), SuiteError> {
    // What counts is looked up and read once, however often it stands there.
    let counting = SOLUTIONS
        .map(|opcode| find(operations, opcode).map(|last| (last, LazyCell::new(move || Solution::of(position, last)))));
    for earlier in operations.iter().filter(|operation| operation.odd == Some(TWICE)) {
        let counting = counting.iter().flatten().find(|(last, _)| last.opcode == earlier.opcode);
        let Some((last, solution)) = counting else { continue };
        let alike = earlier.operands == last.operands
            || Solution::of(position, earlier).is_ok_and(|own| solution.as_ref().is_ok_and(|other| own.is_same(other)));
        if !alike {
            return Err(SuiteError::Twice(earlier.opcode.clone()));
        }
    }
    Ok(())
}

/// Gives the operations their meaning in the position.
fn interpret(position: Position, operations: Vec<Operation>, line: usize) -> Result<SuiteEntry, SuiteError> {
    let mut entry = SuiteEntry {
        line,
        position,
        repairs: Vec::new(),
        id: None,
        best: Vec::new(),
        avoid: Vec::new(),
        mate: None,
        points: Vec::new(),
        counts: Vec::new(),
        analysis: Analysis::default(),
        operations,
    };
    is_said_alike(&entry.position, &entry.operations)?;
    // The loop reads the operations while it fills the entry.
    let mut operations = std::mem::take(&mut entry.operations);
    for operation in &mut operations {
        let opcode = operation.opcode.as_str();
        if operation.odd.is_some() {
            if operation.odd == Some(ENDLESS)
                && let Some(solution) = swallowed(&operation.raw)
            {
                return Err(SuiteError::Swallowed { raw: operation.raw.clone(), solution: solution.to_owned() });
            }
            if operation.odd == Some(UNENDED) {
                return Err(SuiteError::Unread { why: UNENDED, raw: operation.raw.clone() });
            }
            if is_solution(opcode) && operation.odd != Some(TWICE) {
                let why = operation.odd.unwrap_or_default();
                return Err(SuiteError::Unread { why, raw: operation.raw.clone() });
            }
            continue;
        }
        if is_solution(opcode) {
            match Solution::of(&entry.position, operation)? {
                Solution::Mate(mate) => entry.mate = Some(mate),
                Solution::Moves(moves) if opcode == "bm" => entry.best = moves,
                Solution::Moves(moves) => entry.avoid = moves,
            }
            continue;
        }
        const NUMBER: &str = "needs one number";
        const MOVE: &str = "a move that cannot be read";
        let analysis = &mut entry.analysis;
        let read = match opcode {
            "id" => {
                entry.id = Some(operation.text());
                Ok(())
            }
            "acd" => number(operation).map(|n| analysis.depth = Some(n)).map_err(|_| NUMBER),
            "acn" => number(operation).map(|n| analysis.nodes = Some(n)).map_err(|_| NUMBER),
            "acs" => number(operation).map(|n| analysis.seconds = Some(n)).map_err(|_| NUMBER),
            "ce" => number(operation).map(|n| analysis.centipawns = Some(n)).map_err(|_| NUMBER),
            "pm" => moves(&entry.position, operation)
                .map(|moves| analysis.predicted = moves.first().copied())
                .map_err(|_| MOVE),
            "pv" => line_of_play(&entry.position, operation).map(|line| analysis.line = line).ok_or(MOVE),
            _ => match count_depth(opcode) {
                Some(depth) => number(operation).map(|count| entry.counts.push((depth, count))).map_err(|_| NUMBER),
                None => Ok(()),
            },
        };
        operation.odd = read.err();
    }
    if let (Some(dm), Some(bm)) = (find(&operations, "dm"), find(&operations, "bm"))
        && mate_operand(bm).is_some_and(|mate| Some(mate) != number(dm).ok())
    {
        return Err(SuiteError::Distances { bm: bm.text(), dm: dm.text() });
    }
    if let Some(&both) = entry.best.iter().find(|m| entry.avoid.contains(m)) {
        return Err(SuiteError::Contradiction(both));
    }
    entry.counts.sort_unstable();
    entry.points = points(&entry.position, &operations)?;
    entry.operations = operations;
    Ok(entry)
}

/// The depth of `D1`, `D2`, ...
pub fn count_depth(opcode: &str) -> Option<u32> {
    opcode.strip_prefix('D').filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))?.parse().ok()
}

/// `bm #5`: a mate distance where a move should stand.
pub fn mate_operand(operation: &Operation) -> Option<i32> {
    match operation.operands.as_slice() {
        [only] => only.strip_prefix('#')?.parse().ok(),
        _ => None,
    }
}

fn number<T: std::str::FromStr>(operation: &Operation) -> Result<T, SuiteError> {
    match operation.operands.as_slice() {
        [only] => only.parse().ok(),
        _ => None,
    }
    .ok_or_else(|| SuiteError::NoNumber { opcode: operation.opcode.clone(), text: operation.text() })
}

#[cfg(test)]
mod tests;
