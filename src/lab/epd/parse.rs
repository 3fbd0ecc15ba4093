//! Reading EPD: one position a line, with operations that say what to do with it.
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

use std::collections::HashMap;
use std::fmt;
use std::path::Path;

use shakmaty::Move;
use shakmaty::san::San;

pub use error::{SuiteError, WordError};

use crate::lab::input::{self, InputError};
use crate::lab::tell::counted;
use crate::position::{Position, Repair};

/// One operation as it stands in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// The opcode: a letter or underscore, then letters, digits and underscores. Of an odd operation, its first word.
    pub opcode: String,
    /// The operands, without the quotes around strings and their backslashes.
    pub operands: Vec<String>,
    /// How many of the operands were strings in quotes.
    pub quoted: usize,
    /// The text in the file, without the semicolon.
    pub raw: String,
    /// Why the operation has no meaning here, where it has none.
    pub odd: Option<&'static str>,
}

impl Operation {
    /// The operands as one text.
    pub fn text(&self) -> String {
        self.operands.join(" ")
    }
}

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
        write!(
            f,
            "{count} operation{s} '{opcode}' not understood ({reason}), kept as {they} ({first} line {line}: {raw})"
        )
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
/// use ibex::lab::epd::parse::Suite;
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
            let which = counted(count as u64, "line is", "lines are");
            let nth = if count == 1 { "line" } else { "first line" };
            lines.push(format!("{file}: {which} not UTF-8, read as Latin-1 ({nth} {first})"));
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
                // What is missing may stand where nobody can tell it from the quotation.
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
    only_once(&mut operations)?;
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

const ENDLESS: &str = "a quotation without an end";

/// The solution that seems to stand in a quotation without an end.
fn swallowed(raw: &str) -> Option<&str> {
    let mut later = raw.split_inclusive(';').skip(1);
    later.by_ref().map(str::trim).find(|text| is_solution(text.split([' ', '\t']).next().unwrap_or_default()))
}

const TWICE: &str = "stands twice, the last one counts";

/// Of operations with one opcode the last counts, as for other readers. Of those that are the solution there may be only one.
fn only_once(operations: &mut [Operation]) -> Result<(), SuiteError> {
    for later in (1..operations.len()).rev() {
        let (before, after) = operations.split_at_mut(later);
        let last = &after[0];
        if last.odd.is_some() {
            continue;
        }
        for operation in before.iter_mut().filter(|o| o.odd.is_none() && o.opcode == last.opcode) {
            if is_solution(&last.opcode) && operation.operands != last.operands {
                return Err(SuiteError::Twice(last.opcode.clone()));
            }
            operation.odd = Some(TWICE);
        }
    }
    Ok(())
}

/// Whether a line must be left out when this operation cannot be read.
fn is_solution(opcode: &str) -> bool {
    matches!(opcode, "bm" | "am" | "dm")
}

/// Takes the next word; words end at blanks and semicolons, and the rest keeps its semicolon.
fn next_word<'a>(rest: &mut &'a str) -> &'a str {
    let text = rest.trim_start();
    let end = text.find(|c: char| c.is_whitespace() || c == ';').unwrap_or(text.len());
    let (word, tail) = text.split_at(end);
    *rest = tail;
    word
}

fn find<'a>(operations: &'a [Operation], opcode: &str) -> Option<&'a Operation> {
    operations.iter().find(|operation| operation.odd.is_none() && operation.opcode == opcode)
}

/// Splits `opcode operand "quoted; operand"; opcode ...`; empty operations (a leading or doubled semicolon) count for
/// nothing, and `#` where an opcode should stand begins a comment, which is kept like an odd operation.
fn split_operations(text: &str) -> Vec<Operation> {
    let mut operations: Vec<Operation> = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        if rest.starts_with('#') {
            operations.push(Operation {
                opcode: "#".to_owned(),
                operands: Vec::new(),
                quoted: 0,
                raw: rest.trim_end().to_owned(),
                odd: Some("a comment"),
            });
            break;
        }
        let start = rest;
        let mut words: Vec<String> = Vec::new();
        let (mut quoted, mut quoted_first, mut odd) = (0, false, None);
        let raw = loop {
            rest = rest.trim_start();
            let raw = &start[..start.len() - rest.len()];
            match rest.chars().next() {
                None => break raw,
                Some(';') => {
                    rest = &rest[1..];
                    break raw;
                }
                Some('"') => match quotation(rest) {
                    Some((string, tail)) => {
                        quoted += 1;
                        quoted_first |= words.is_empty();
                        words.push(string);
                        rest = tail;
                    }
                    None => {
                        // Where it should have ended nobody knows: all the rest belongs to it.
                        odd = Some(ENDLESS);
                        words.push(rest.to_owned());
                        rest = "";
                    }
                },
                Some(_) => words.push(next_word(&mut rest).to_owned()),
            }
        };
        rest = rest.trim_start();
        let mut words = words.into_iter();
        let Some(opcode) = words.next() else { continue };
        if odd.is_none() && (quoted_first || !is_opcode(&opcode)) {
            odd = Some("no opcode");
        }
        // Suites have hundreds of thousands of these: without the room that lists of words keep in reserve.
        let mut operands: Vec<String> = words.collect();
        operands.iter_mut().for_each(String::shrink_to_fit);
        operands.shrink_to_fit();
        operations.push(Operation { opcode, operands, quoted, raw: raw.trim_end().to_owned(), odd });
    }
    operations.shrink_to_fit();
    operations
}

/// A string in quotes at the beginning of a text, without quotes and backslashes, and what follows it. A backslash may stand
/// before a quote, before a backslash, and in `\n`, `\r`, `\t`; elsewhere it is a character like any other. Older files have
/// none that mean something: where a string would have no end, none does.
pub fn quotation(text: &str) -> Option<(String, &str)> {
    let body = text.strip_prefix('"')?;
    let mut string = String::new();
    let mut characters = body.char_indices();
    while let Some((at, c)) = characters.next() {
        match c {
            '"' => return Some((string, &body[at + 1..])),
            '\\' => match characters.next().map_or('\0', |(_, next)| next) {
                next @ ('"' | '\\') => string.push(next),
                'n' => string.push('\n'),
                'r' => string.push('\r'),
                't' => string.push('\t'),
                next => string.extend(['\\', next]),
            },
            c => string.push(c),
        }
    }
    body.split_once('"').map(|(string, tail)| (string.to_owned(), tail))
}

/// A text as a string in quotes that [`quotation`] and other readers read back.
pub fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

fn is_opcode(word: &str) -> bool {
    word.len() <= 15
        && word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// The beginning of a text, for messages; control characters are shown as escapes.
fn shorten(text: &str) -> String {
    let mut short = String::new();
    for c in text.chars().take(24) {
        if c.is_control() { short.extend(c.escape_default()) } else { short.push(c) }
    }
    if text.chars().count() > 24 {
        short.push_str("...");
    }
    short
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
            if is_solution(opcode) && operation.odd != Some(TWICE) {
                let why = operation.odd.unwrap_or_default();
                return Err(SuiteError::Unread { why, raw: operation.raw.clone() });
            }
            continue;
        }
        if is_solution(opcode) {
            match (opcode, mate_operand(operation)) {
                ("bm", Some(mate)) => entry.mate = Some(mate),
                ("bm", None) => entry.best = moves(&entry.position, operation)?,
                ("am", _) => entry.avoid = moves(&entry.position, operation)?,
                _ => entry.mate = Some(number(operation)?),
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

/// The words of an operation that lists moves: separated by blanks, commas or both.
fn listed(operation: &Operation) -> impl Iterator<Item = &str> {
    operation.operands.iter().flat_map(|operand| operand.split([',', ' ', '\t'])).filter(|word| !word.is_empty())
}

/// The moves among them: a mark of the move before may stand alone, as in `Qh4 #`, `exd6 e.p.` or `Nf3 $1`.
pub fn move_words(operation: &Operation) -> impl Iterator<Item = &str> {
    listed(operation).enumerate().filter(|&(index, word)| index == 0 || !is_mark(word)).map(|(_, word)| word)
}

fn is_mark(word: &str) -> bool {
    let glyph = word.strip_prefix('$').is_some_and(|n| !n.is_empty() && n.bytes().all(|byte| byte.is_ascii_digit()));
    let word = word.trim_end_matches(MARKS);
    glyph || word.is_empty() || matches!(word, "e.p." | "e.p" | "ep" | "ep.")
}

/// What may stand behind a move: check, mate and what someone thought of it.
const MARKS: [char; 4] = ['+', '#', '!', '?'];

/// Whether an operation that lists moves says more than the moves: what someone thought of them.
pub fn has_opinions(operation: &Operation) -> bool {
    listed(operation).any(|word| word.contains(['!', '?', '$']))
}

fn moves(position: &Position, operation: &Operation) -> Result<Vec<Move>, SuiteError> {
    let opcode = || operation.opcode.clone();
    let mut found = Vec::new();
    for word in move_words(operation) {
        let m = read_move(position, word).map_err(|source| SuiteError::Move { opcode: opcode(), source })?;
        if !found.contains(&m) {
            found.push(m);
        }
    }
    if found.is_empty() { Err(SuiteError::NoMove(opcode())) } else { Ok(found) }
}

/// The moves of a line; `None` if one of them cannot be read.
fn line_of_play(position: &Position, operation: &Operation) -> Option<Vec<Move>> {
    let mut position = position.clone();
    let mut line = Vec::new();
    for word in move_words(operation) {
        let m = read_move(&position, word).ok()?;
        line.push(m);
        position.play(m);
    }
    Some(line)
}

/// Points for moves. A `c0` that is prose, or lists of different lengths, are comments like any other.
fn points(position: &Position, operations: &[Operation]) -> Result<Vec<(Move, i32)>, SuiteError> {
    let aligned = |names: &str| -> Option<Vec<(String, i32)>> {
        let numbers: Vec<i32> = listed(find(operations, "c8")?)
            .map(str::parse)
            .collect::<Result<_, _>>()
            .ok()
            .filter(|n: &Vec<_>| !n.is_empty())?;
        let names: Vec<String> = listed(find(operations, names)?).map(str::to_owned).collect();
        (names.len() == numbers.len()).then(|| names.into_iter().zip(numbers).collect())
    };
    let inline = || -> Option<Vec<(String, i32)>> {
        let list: Vec<_> = listed(find(operations, "c0")?)
            .map(|word| {
                // Promotions have an equals sign of their own: the last one separates.
                let (name, points) = word.rsplit_once('=')?;
                Some((name.to_owned(), points.parse().ok()?))
            })
            .collect::<Option<_>>()?;
        (!list.is_empty()).then_some(list)
    };
    let Some(list) = aligned("c9").or_else(|| aligned("c7")).or_else(inline) else { return Ok(Vec::new()) };
    // `c0 "Elo=2500"` is prose, too.
    if list.iter().all(|(name, _)| !looks_like_a_move(name)) {
        return Ok(Vec::new());
    }
    // Where a move stands twice the later number counts: published suites have such lines.
    let mut unique: Vec<(Move, i32)> = Vec::with_capacity(list.len());
    for (name, points) in list {
        let m = read_move(position, &name).map_err(SuiteError::Points)?;
        match unique.iter_mut().find(|(known, _)| *known == m) {
            Some(known) => known.1 = points,
            None => unique.push((m, points)),
        }
    }
    Ok(unique)
}

/// Reads a move in standard algebraic notation (check marks, capture signs and annotations are not insisted on; zeros
/// castle too) or in UCI notation.
///
/// # Errors
///
/// [`WordError::NotAMove`] if the word has not the form of a move, [`WordError::Illegal`] if no legal move fits,
/// [`WordError::Ambiguous`] if several do.
pub fn read_move(position: &Position, word: &str) -> Result<Move, WordError> {
    read_san(position, word)
        .or_else(|reason| position.parse_move(word).or_else(|| position.parse_move(&word.to_lowercase())).ok_or(reason))
}

fn looks_like_a_move(word: &str) -> bool {
    let bare = word.trim_end_matches(MARKS);
    San::from_ascii(bare.as_bytes()).is_ok() || bare.parse::<shakmaty::uci::UciMove>().is_ok()
}

fn read_san(position: &Position, word: &str) -> Result<Move, WordError> {
    let unreadable = || WordError::NotAMove(word.to_owned());
    if !word.is_ascii() {
        return Err(unreadable());
    }
    let bare = word.trim_end_matches(MARKS);
    let bare = bare.strip_suffix("e.p.").unwrap_or(bare).trim_end_matches(MARKS);
    let mut text = if bare.starts_with("0-0") { bare.replace('0', "O") } else { bare.to_owned() };
    // "e8Q": the equals sign is often left out.
    if let [.., b'1' | b'8', b'N' | b'B' | b'R' | b'Q'] = text.as_bytes() {
        text.insert(text.len() - 1, '=');
    }
    if !text.starts_with('O') {
        text = text.replace('-', "");
    }
    let san = San::from_ascii(text.as_bytes()).map_err(|_| unreadable())?;
    let legal = position.legal_moves();
    let mut found = legal.iter().filter(|&&m| match san {
        San::Normal { role, file, rank, to, promotion, .. } => {
            // A pawn that captures names its file; without one it moves straight ahead.
            let file = file.or((role == shakmaty::Role::Pawn).then(|| to.file()));
            !m.is_castle()
                && m.role() == role
                && m.to() == to
                && m.promotion() == promotion
                && m.from().is_some_and(|from| {
                    file.is_none_or(|file| file == from.file()) && rank.is_none_or(|rank| rank == from.rank())
                })
        }
        San::Castle(side) => m.castling_side() == Some(side),
        San::Put { .. } | San::Null => false,
    });
    match (found.next(), found.next()) {
        (Some(&m), None) => Ok(m),
        (Some(_), Some(_)) => Err(WordError::Ambiguous(word.to_owned())),
        (None, _) => Err(WordError::Illegal(word.to_owned())),
    }
}

#[cfg(test)]
mod tests;
