//! Writing EPD so that every reader understands it.

use std::collections::HashSet;
use std::fmt::Write as _;

use super::solution::mate_operand;
use super::{Operation, SuiteEntry, count_depth, has_opinions, move_words, quotation, quote, read_move};
use ibex::position::notation::{san, uci};

/// The line of an entry, with those of its operations that `keeps` wants.
pub fn written(entry: &SuiteEntry, keeps: impl Fn(&Operation) -> bool) -> String {
    let fen = entry.position.fen();
    let mut text = fen.split(' ').take(4).collect::<Vec<_>>().join(" ");
    let has = |opcode: &str| entry.operation(opcode).is_some();
    let counters: Vec<&str> = fen.split(' ').skip(4).collect();
    for (opcode, value, usual) in [("hmvc", counters.first(), "0"), ("fmvn", counters.get(1), "1")] {
        if let Some(value) = value.filter(|&&value| value != usual && !has(opcode)) {
            let _ = write!(text, " {opcode} {value};");
        }
    }
    let used: HashSet<&str> = entry.operations.iter().map(|operation| operation.opcode.as_str()).collect();
    let mut kept = 1;
    for operation in entry.operations.iter().filter(|operation| keeps(operation)) {
        let (plain, aside) = said_plainly(entry, operation);
        if let Some(plain) = plain {
            let _ = write!(text, " {plain};");
        }
        if let Some(aside) = aside {
            // A name that the line does not use yet, so that no such operation hides another.
            let names = (kept..).map(|n| if n == 1 { "kept".to_owned() } else { format!("kept{n}") });
            let free = names.enumerate().find(|(_, name)| !used.contains(name.as_str()));
            if let Some((skipped, name)) = free {
                kept += skipped + 1;
                let _ = write!(text, " {name} {};", quote(&aside));
            }
        }
    }
    text
}

/// An operation as other readers understand it, and the text that must be kept beside it, or instead of it, so that
/// nothing is lost.
fn said_plainly(entry: &SuiteEntry, operation: &Operation) -> (Option<String>, Option<String>) {
    let Operation { opcode, operands, quoted, raw, odd } = operation;
    let is_number = matches!(opcode.as_str(), "dm" | "acd" | "acn" | "acs" | "ce" | "hmvc" | "fmvn")
        || count_depth(opcode).is_some();
    // The move supplied has no meaning here, but for other readers it is a move, and no string.
    let is_supplied = opcode == "sm" && read_move(&entry.position, &operation.text()).is_ok();
    let is_moves = matches!(opcode.as_str(), "bm" | "am" | "pm" | "pv") || is_supplied;
    if odd.is_some() {
        // Programs read numbers and moves in such operations: anything else must not appear there.
        let stands = !is_number && !is_moves && !raw.starts_with('#') && is_readable(raw);
        return if stands { (Some(raw.clone()), None) } else { (None, Some(raw.clone())) };
    }
    if is_number {
        return (Some(format!("{opcode} {}", operation.text())), None);
    }
    if let ("bm", Some(mate)) = (opcode.as_str(), mate_operand(operation)) {
        // The same as `dm`, which other readers understand.
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

/// The moves of an operation: as they stand if every reader understands that, else in standard algebraic notation.
fn plain_moves(entry: &SuiteEntry, operation: &Operation) -> String {
    let mut position = entry.position;
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

/// Whether other readers can handle an operation as it stands: an opcode alone, with one string or with one number.
fn is_readable(raw: &str) -> bool {
    let end = raw.find(char::is_whitespace).unwrap_or(raw.len());
    let (opcode, operand) = raw.split_at(end);
    // A number after the four fields would be taken for a counter.
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
