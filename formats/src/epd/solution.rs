//! The operations that give the solution of a position: a line counts only if they can be read.

use std::cell::LazyCell;
use std::collections::HashSet;
use std::str::FromStr;

use super::SuiteError;
use super::moves::moves;
use super::operations::{ENDLESS, Operation, UNENDED, find};
use ibex::position::{Move, Position};

/// The opcodes of solutions.
const SOLUTIONS: [&str; 3] = ["bm", "am", "dm"];

/// Why an operation is odd if a later one has the same opcode.
pub(super) const TWICE: &str = "appears twice; the last one counts";

/// What solves a position.
#[derive(Default)]
pub(super) struct Solution {
    pub(super) best: Vec<Move>,
    pub(super) avoid: Vec<Move>,
    pub(super) mate: Option<i32>,
}

impl Solution {
    /// Reads the solution from all operations of a line.
    pub(super) fn read(position: &Position, operations: &[Operation]) -> Result<Solution, SuiteError> {
        check_repeated(position, operations)?;
        let mut solution = Solution::default();
        for operation in operations {
            match operation.odd {
                Some(why) => check_unread(operation, why)?,
                None if is_solution(&operation.opcode) => solution.add(position, operation)?,
                None => (),
            }
        }
        if let (Some(dm), Some(bm)) = (find(operations, "dm"), find(operations, "bm"))
            && mate_operand(bm).is_some_and(|mate| Some(mate) != number(dm).ok())
        {
            return Err(SuiteError::Distances { bm: bm.text(), dm: dm.text() });
        }
        match solution.best.iter().find(|m| solution.avoid.contains(m)) {
            Some(&both) => Err(SuiteError::Contradiction(both)),
            None => Ok(solution),
        }
    }

    fn add(&mut self, position: &Position, operation: &Operation) -> Result<(), SuiteError> {
        match Part::of(position, operation)? {
            Part::Mate(mate) => self.mate = Some(mate),
            Part::Moves(moves) if operation.opcode == "bm" => self.best = moves,
            Part::Moves(moves) => self.avoid = moves,
        }
        Ok(())
    }
}

/// One operation's part of the solution.
enum Part {
    /// Moves, each once.
    Moves(Vec<Move>),
    /// The distance to mate.
    Mate(i32),
}

impl Part {
    fn of(position: &Position, operation: &Operation) -> Result<Part, SuiteError> {
        match (operation.opcode.as_str(), mate_operand(operation)) {
            ("bm", Some(mate)) => Ok(Part::Mate(mate)),
            ("bm" | "am", _) => moves(position, operation).map(Part::Moves),
            _ => number(operation).map(Part::Mate),
        }
    }

    /// Whether both mean the same, however they are written and in whatever order the moves are.
    fn is_same(&self, other: &Part) -> bool {
        match (self, other) {
            (Part::Moves(own), Part::Moves(other)) => own.len() == other.len() && own.iter().all(|m| other.contains(m)),
            (Part::Mate(own), Part::Mate(other)) => own == other,
            _ => false,
        }
    }
}

/// Whether a line must be left out if this operation cannot be read.
fn is_solution(opcode: &str) -> bool {
    SOLUTIONS.contains(&opcode)
}

/// Of operations with the same opcode the last one counts, as for other readers.
pub(super) fn only_once(operations: &mut [Operation]) {
    // A line may have a hundred thousand operations: each is looked at once.
    let mut seen = HashSet::with_capacity(operations.len());
    for Operation { opcode, odd, .. } in operations.iter_mut().rev() {
        if odd.is_none() && !seen.insert(opcode.as_str()) {
            *odd = Some(TWICE);
        }
    }
}

/// Checks that the operations of the solution that do not count mean the same as those that do.
fn check_repeated(position: &Position, operations: &[Operation]) -> Result<(), SuiteError> {
    // What counts is looked up and read once, however often it is repeated.
    let counting = SOLUTIONS
        .map(|opcode| find(operations, opcode).map(|last| (last, LazyCell::new(move || Part::of(position, last)))));
    for earlier in operations.iter().filter(|operation| operation.odd == Some(TWICE)) {
        let counting = counting.iter().flatten().find(|(last, _)| last.opcode == earlier.opcode);
        let Some((last, part)) = counting else { continue };
        let alike = earlier.operands == last.operands
            || Part::of(position, earlier).is_ok_and(|own| part.as_ref().is_ok_and(|other| own.is_same(other)));
        if !alike {
            return Err(SuiteError::Twice(earlier.opcode.clone()));
        }
    }
    Ok(())
}

/// Checks that no solution is lost with an operation that has no meaning.
fn check_unread(operation: &Operation, why: &'static str) -> Result<(), SuiteError> {
    let raw = || operation.raw.clone();
    match why {
        ENDLESS if let Some(solution) = swallowed(&operation.raw) => {
            Err(SuiteError::Swallowed { raw: raw(), solution: solution.to_owned() })
        }
        UNENDED => Err(SuiteError::Unread { why, raw: raw() }),
        TWICE => Ok(()),
        _ if is_solution(&operation.opcode) => Err(SuiteError::Unread { why, raw: raw() }),
        _ => Ok(()),
    }
}

/// The solution that seems to be inside an unterminated quotation.
fn swallowed(raw: &str) -> Option<&str> {
    let mut later = raw.split_inclusive(';').skip(1).map(str::trim);
    later.find(|text| is_solution(text.split([' ', '\t']).next().unwrap_or_default()))
}

/// `bm #5`: a mate distance in place of a move.
pub(super) fn mate_operand(operation: &Operation) -> Option<i32> {
    match operation.operands.as_slice() {
        [only] => only.strip_prefix('#')?.parse().ok(),
        _ => None,
    }
}

/// The one number of an operation.
pub(super) fn number<T: FromStr>(operation: &Operation) -> Result<T, SuiteError> {
    match operation.operands.as_slice() {
        [only] => only.parse().ok(),
        _ => None,
    }
    .ok_or_else(|| SuiteError::NoNumber { opcode: operation.opcode.clone(), text: operation.text() })
}
