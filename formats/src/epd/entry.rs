//! One line of a suite: its fields, and the meaning of its operations in its position.

use super::SuiteError;
use super::moves::{line_of_play, moves, points};
use super::operations::{Operation, find, next_word, split_operations};
use super::solution::{Solution, number, only_once};
use ibex::position::{Move, Position, Repair};

/// What earlier analysis says about a position.
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

/// Why an operation without its number is odd.
const NUMBER: &str = "needs one number";
/// Why an operation with something other than moves is odd.
const MOVE: &str = "a move that cannot be read";

impl Analysis {
    /// Takes in an operation, if it is one of these; the error says why it is odd.
    fn add(&mut self, position: &Position, operation: &Operation) -> Result<(), &'static str> {
        match operation.opcode.as_str() {
            "acd" => self.depth = Some(number(operation).map_err(|_| NUMBER)?),
            "acn" => self.nodes = Some(number(operation).map_err(|_| NUMBER)?),
            "acs" => self.seconds = Some(number(operation).map_err(|_| NUMBER)?),
            "ce" => self.centipawns = Some(number(operation).map_err(|_| NUMBER)?),
            "pm" => self.predicted = moves(position, operation).map_err(|_| MOVE)?.first().copied(),
            "pv" => self.line = line_of_play(position, operation).ok_or(MOVE)?,
            _ => (),
        }
        Ok(())
    }
}

/// One line of a suite, interpreted.
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
    /// `bm`: the best moves, which solve the position.
    pub best: Vec<Move>,
    /// `am`: the moves to avoid.
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

fn parse_entry(text: &str, line: usize) -> Result<SuiteEntry, SuiteError> {
    let (fields, rest) = fields(text)?;
    if let Some(control) = text[..text.len() - rest.len()].chars().find(|c| c.is_control() && *c != '\t') {
        return Err(SuiteError::Control(control));
    }
    let mut operations = split_operations(rest);
    only_once(&mut operations);
    let counters = counters(&fields[4..], &mut operations);
    let fen = format!("{} {}", fields[..4].join(" "), counters.join(" "));
    // Messages show the text of the file, without counters that it lacks.
    let (position, repairs) = Position::from_any_fen(&fen, None).map_err(|error| error.about(&fields.join(" ")))?;
    interpret(position, repairs, operations, line)
}

/// The four fields of the position, then up to two counters; and the operations after them.
fn fields(text: &str) -> Result<(Vec<&str>, &str), SuiteError> {
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
    Ok((fields, rest))
}

/// The two counters of the FEN: from its own fields, or else from operations, which few files have.
fn counters(fields: &[&str], operations: &mut [Operation]) -> [String; 2] {
    let mut counters = ["0", "1"].map(str::to_owned);
    for (index, (counter, opcode)) in counters.iter_mut().zip(["hmvc", "fmvn"]).enumerate() {
        let operation = operations.iter_mut().find(|o| o.odd.is_none() && o.opcode == opcode);
        let text = operation.as_ref().map(|operation| operation.text());
        match (fields.get(index), text) {
            (Some(&word), text) => {
                *counter = word.to_owned();
                if let (Some(operation), true) = (operation, text.is_some_and(|text| text != word)) {
                    operation.odd = Some("the FEN says otherwise");
                }
            }
            (None, Some(text)) if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) => *counter = text,
            (None, _) => {
                if let Some(operation) = operation {
                    operation.odd = Some(NUMBER);
                }
            }
        }
    }
    counters
}

/// Gives the operations their meaning in the position; those that cannot be read become odd.
fn interpret(
    position: Position,
    repairs: Vec<Repair>,
    mut operations: Vec<Operation>,
    line: usize,
) -> Result<SuiteEntry, SuiteError> {
    let Solution { best, avoid, mate } = Solution::read(&position, &operations)?;
    let points = points(&position, &operations)?;
    let (mut id, mut counts, mut analysis) = (None, Vec::new(), Analysis::default());
    for operation in operations.iter_mut().filter(|operation| operation.odd.is_none()) {
        let opcode = operation.opcode.as_str();
        if opcode == "id" {
            id = Some(operation.text());
        } else if let Some(depth) = count_depth(opcode) {
            operation.odd = number(operation).map(|count| counts.push((depth, count))).err().map(|_| NUMBER);
        } else {
            operation.odd = analysis.add(&position, operation).err();
        }
    }
    counts.sort_unstable();
    Ok(SuiteEntry { line, position, repairs, id, best, avoid, mate, points, counts, analysis, operations })
}

/// The depth of `D1`, `D2`, ...
pub fn count_depth(opcode: &str) -> Option<u32> {
    opcode.strip_prefix('D').filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))?.parse().ok()
}
