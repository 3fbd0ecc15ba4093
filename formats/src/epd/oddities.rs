//! Operations without a meaning here, counted by kind.

use std::collections::HashMap;
use std::fmt;

use super::SuiteEntry;
use super::operations::is_opcode;
use super::solution::TWICE;
use ibex::position::shorten;

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
    /// The index of the kind with this reason and opcode.
    known: HashMap<(&'static str, String), usize>,
}

impl Oddities {
    /// Counts the odd operations of an entry.
    pub fn add(&mut self, entry: &SuiteEntry) {
        // Times and the like, such as `01:22:03`, are one kind whatever the digits.
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
