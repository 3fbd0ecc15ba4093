//! Reading EPD: one position a line, with operations that say what to do with it.
//!
//! The format is Steven Edwards' (PGN specification, section 16.2), read the way that suites are found in the wild:
//! four FEN fields or six, operations ended by a semicolon or by the line, moves in standard algebraic or UCI notation,
//! castling of Chess960 in either FEN dialect, any line ending, a byte order mark, UTF-8 or Latin-1. What cannot be
//! understood is never guessed at: the line is left out, and a [`Problem`] says where and why.

use std::fmt;
use std::path::Path;

use shakmaty::Move;
use shakmaty::san::San;

use crate::position::Position;

/// One operation as it stands in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// The opcode: a letter or underscore, then letters, digits and underscores.
    pub opcode: String,
    /// The operands, without the quotes around strings.
    pub operands: Vec<String>,
}

impl Operation {
    /// The operands as one text.
    pub fn text(&self) -> String {
        self.operands.join(" ")
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
pub struct Entry {
    /// The line's number in its file, from 1.
    pub line: usize,
    /// The position.
    pub position: Position,
    /// What had to be repaired in the position before it could be played, a line each.
    pub repairs: Vec<String>,
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
    /// Every operation in the order of the file, those above included.
    pub operations: Vec<Operation>,
}

impl Entry {
    /// Whether a search can be judged by this line.
    pub fn is_task(&self) -> bool {
        !self.best.is_empty() || !self.avoid.is_empty() || self.mate.is_some() || !self.points.is_empty()
    }

    /// The operation with this opcode.
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
#[derive(Clone, Debug)]
pub struct Suite {
    /// The file's name without folder and extension.
    pub name: String,
    /// The file, as it was named.
    pub file: String,
    /// The lines that were understood, in order.
    pub entries: Vec<Entry>,
    /// The lines that were not.
    pub problems: Vec<Problem>,
    /// Lines that were understood with a reservation.
    pub notes: Vec<Problem>,
}

impl Suite {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// One line that names the file and says why it cannot be read; bad lines in it are no error but problems.
    pub fn read(path: &Path) -> Result<Suite, String> {
        let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let name = path.file_stem().map_or_else(|| "suite".to_owned(), |stem| stem.to_string_lossy().into_owned());
        Ok(Suite::parse(&name, &path.display().to_string(), &bytes))
    }

    /// Reads a file's contents; `file` is how problems name it.
    pub fn parse(name: &str, file: &str, bytes: &[u8]) -> Suite {
        let mut suite = Suite {
            name: name.to_owned(),
            file: file.to_owned(),
            entries: Vec::new(),
            problems: Vec::new(),
            notes: Vec::new(),
        };
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        for (index, raw) in bytes.split(|&byte| byte == b'\n').enumerate() {
            let line = index + 1;
            let problem = |reason: String| Problem { file: file.to_owned(), line, reason };
            let text = match std::str::from_utf8(raw) {
                Ok(text) => text.to_owned(),
                Err(_) => {
                    suite.notes.push(problem("not UTF-8, read as Latin-1".to_owned()));
                    raw.iter().map(|&byte| char::from(byte)).collect()
                }
            };
            match parse_line(&text, line) {
                None => {}
                Some(Ok(entry)) => {
                    suite.notes.extend(entry.repairs.iter().cloned().map(problem));
                    suite.entries.push(entry);
                }
                Some(Err(reason)) => suite.problems.push(problem(reason)),
            }
        }
        suite
    }

    /// Leaves out the entries that `useful` refuses, with this reason.
    pub fn require(&mut self, useful: impl Fn(&Entry) -> bool, reason: &str) {
        let (file, problems) = (&self.file, &mut self.problems);
        self.entries.retain(|entry| {
            let keep = useful(entry);
            if !keep {
                problems.push(Problem { file: file.clone(), line: entry.line, reason: reason.to_owned() });
            }
            keep
        });
        problems.sort_by_key(|problem| problem.line);
    }
}

/// Reads one line; `None` for an empty line or a comment (from `#` to the end).
pub fn parse_line(text: &str, line: usize) -> Option<Result<Entry, String>> {
    let text = text.trim();
    if text.is_empty() || text.starts_with('#') {
        return None;
    }
    Some(parse_entry(text, line))
}

fn parse_entry(text: &str, line: usize) -> Result<Entry, String> {
    if let Some(control) = text.chars().find(|c| c.is_control() && *c != '\t') {
        return Err(format!("control character U+{:04X}", control as u32));
    }
    let mut rest = text;
    let mut fields = Vec::with_capacity(6);
    while fields.len() < 4 {
        let field = next_word(&mut rest);
        if field.is_empty() {
            return Err(format!("only {} of the four fields of a position", fields.len()));
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
    let operations = split_operations(rest)?;
    // Four fields leave the counters to operations, which few files have.
    let counters = [(4, "hmvc", "0"), (5, "fmvn", "1")];
    let counters = counters.map(|(field, opcode, none)| {
        fields.get(field).map_or_else(
            || find(&operations, opcode).map_or_else(|| none.to_owned(), Operation::text),
            |&word| word.to_owned(),
        )
    });
    let (position, repairs) =
        Position::from_any_fen(&format!("{} {}", fields[..4].join(" "), counters.join(" ")), None)?;
    Ok(Entry { repairs, ..interpret(position, operations, line)? })
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
    operations.iter().find(|operation| operation.opcode == opcode)
}

/// Splits `opcode operand "quoted; operand"; opcode ...`; empty operations (a leading or doubled semicolon) count for
/// nothing, and `#` where an opcode should stand begins a comment.
fn split_operations(text: &str) -> Result<Vec<Operation>, String> {
    let mut operations: Vec<Operation> = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() && !rest.starts_with('#') {
        let mut words: Vec<String> = Vec::new();
        let mut quoted_first = false;
        loop {
            rest = rest.trim_start();
            let Some(first) = rest.chars().next() else { break };
            if first == ';' {
                rest = &rest[1..];
                break;
            }
            if first == '"' {
                let body = &rest[1..];
                let end = body.find('"').ok_or_else(|| format!("a quotation without an end: {}", shorten(rest)))?;
                quoted_first |= words.is_empty();
                words.push(body[..end].to_owned());
                rest = &body[end + 1..];
            } else {
                words.push(next_word(&mut rest).to_owned());
            }
        }
        rest = rest.trim_start();
        let mut words = words.into_iter();
        let Some(opcode) = words.next() else { continue };
        if quoted_first || !is_opcode(&opcode) {
            return Err(format!("'{}' is no opcode", shorten(&opcode)));
        }
        if find(&operations, &opcode).is_some() {
            return Err(format!("'{opcode}' stands twice"));
        }
        operations.push(Operation { opcode, operands: words.collect() });
    }
    Ok(operations)
}

fn is_opcode(word: &str) -> bool {
    word.len() <= 15
        && word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// The beginning of a text, for messages.
fn shorten(text: &str) -> String {
    let mut short: String = text.chars().take(24).collect();
    if text.chars().count() > 24 {
        short.push_str("...");
    }
    short
}

/// Gives the operations their meaning in the position.
fn interpret(position: Position, operations: Vec<Operation>, line: usize) -> Result<Entry, String> {
    let mut entry = Entry {
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
    let operations = std::mem::take(&mut entry.operations);
    for operation in &operations {
        let opcode = operation.opcode.as_str();
        match opcode {
            "bm" => match mate_operand(operation) {
                Some(mate) => entry.mate = Some(mate),
                None => entry.best = moves(&entry.position, operation)?,
            },
            "am" => entry.avoid = moves(&entry.position, operation)?,
            "dm" => entry.mate = Some(number(operation)?),
            "id" => entry.id = Some(operation.text()),
            "acd" => entry.analysis.depth = Some(number(operation)?),
            "acn" => entry.analysis.nodes = Some(number(operation)?),
            "acs" => entry.analysis.seconds = Some(number(operation)?),
            "ce" => entry.analysis.centipawns = Some(number(operation)?),
            "pm" => entry.analysis.predicted = moves(&entry.position, operation)?.first().copied(),
            "pv" => entry.analysis.line = line_of_play(&entry.position, operation)?,
            _ => {
                if let Some(depth) = opcode.strip_prefix('D').and_then(|digits| digits.parse().ok()) {
                    entry.counts.push((depth, number(operation)?));
                }
            }
        }
    }
    if let (Some(dm), Some(bm)) = (find(&operations, "dm"), find(&operations, "bm"))
        && mate_operand(bm).is_some_and(|mate| Some(mate) != number(dm).ok())
    {
        return Err(format!("'bm {}' and 'dm {}' contradict each other", bm.text(), dm.text()));
    }
    if let Some(both) = entry.best.iter().find(|m| entry.avoid.contains(m)) {
        return Err(format!("{both} is both best and to be avoided"));
    }
    entry.counts.sort_unstable();
    entry.points = points(&entry.position, &operations)?;
    entry.operations = operations;
    Ok(entry)
}

/// `bm #5`: a mate distance where a move should stand.
fn mate_operand(operation: &Operation) -> Option<i32> {
    match operation.operands.as_slice() {
        [only] => only.strip_prefix('#')?.parse().ok(),
        _ => None,
    }
}

fn number<T: std::str::FromStr>(operation: &Operation) -> Result<T, String> {
    match operation.operands.as_slice() {
        [only] => only.parse().ok(),
        _ => None,
    }
    .ok_or_else(|| format!("'{} {}' needs one number", operation.opcode, shorten(&operation.text())))
}

/// The words of an operation that lists moves: separated by blanks, commas or both.
fn listed(operation: &Operation) -> impl Iterator<Item = &str> {
    operation.operands.iter().flat_map(|operand| operand.split([',', ' '])).filter(|word| !word.is_empty())
}

fn moves(position: &Position, operation: &Operation) -> Result<Vec<Move>, String> {
    let mut found = Vec::new();
    for word in listed(operation) {
        let m = read_move(position, word).map_err(|reason| format!("{} {reason}", operation.opcode))?;
        if !found.contains(&m) {
            found.push(m);
        }
    }
    if found.is_empty() { Err(format!("'{}' without a move", operation.opcode)) } else { Ok(found) }
}

fn line_of_play(position: &Position, operation: &Operation) -> Result<Vec<Move>, String> {
    let mut position = position.clone();
    let mut line = Vec::new();
    for word in listed(operation) {
        let m = read_move(&position, word)
            .map_err(|reason| format!("{} {reason} (move {} of the line)", operation.opcode, line.len() + 1))?;
        line.push(m);
        position.play(m);
    }
    Ok(line)
}

/// Points for moves. A `c0` that is prose, or lists of different lengths, are comments like any other.
fn points(position: &Position, operations: &[Operation]) -> Result<Vec<(Move, i32)>, String> {
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
    // Where a move stands twice the later number counts: published suites have such lines.
    let mut unique: Vec<(Move, i32)> = Vec::with_capacity(list.len());
    for (name, points) in list {
        let m = read_move(position, &name).map_err(|reason| format!("points for {reason}"))?;
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
/// One line that says what is wrong.
pub fn read_move(position: &Position, word: &str) -> Result<Move, String> {
    read_san(position, word)
        .or_else(|reason| position.parse_move(word).or_else(|| position.parse_move(&word.to_lowercase())).ok_or(reason))
}

fn read_san(position: &Position, word: &str) -> Result<Move, String> {
    let unreadable = || format!("'{}' is no move", shorten(word));
    if !word.is_ascii() {
        return Err(unreadable());
    }
    let bare = word.trim_end_matches(['+', '#', '!', '?']);
    let bare = bare.strip_suffix("e.p.").unwrap_or(bare);
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
        (Some(_), Some(_)) => Err(format!("'{word}' could be more than one move")),
        (None, _) => Err(format!("'{word}' is not legal")),
    }
}

#[cfg(test)]
mod tests;
