//! A file of FEN or EPD lines, each searched and written out as EPD with what was found.

use std::io::BufRead;

use super::Desk;
use crate::formats::epd::{Oddities, SuiteEntry, parse_line};
use crate::formats::input::{Part, read_part};
use crate::lab::epd::judge::Follower;
use crate::lab::epd::{report, workers};
use crate::lab::interrupt;
use crate::lab::play::player::Question;

/// A line of more bytes than this is no position.
const LONGEST: usize = 1 << 16;

/// Analyses line by line.
///
/// # Errors
///
/// One line: the input cannot be read, or the output not written.
pub fn analyse(name: &str, mut input: impl BufRead, done: u64, desk: &mut Desk<'_>) -> Result<(), String> {
    let mut bytes = Vec::new();
    let mut number = 0;
    let mut oddities = Oddities::default();
    'lines: while let Some(part) = next(name, &mut input, &mut bytes, LONGEST + 1, desk)? {
        if part == Part::End {
            break;
        }
        number += 1;
        let place = format!("{name}:{number}");
        let raw = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&bytes);
        if part == Part::Piece {
            let is_done = number <= done;
            let is_remark = raw.trim_ascii_start().starts_with(b"#");
            if !is_done && !is_remark {
                desk.complain(&place, "too long for a position");
            }
            // Byte for byte: of its encoding nothing is certain before its end.
            let is_copied = !is_done && (is_remark || !desk.args.skip_bad);
            if is_copied {
                desk.write_piece(raw)?;
            }
            loop {
                let Some(part) = next(name, &mut input, &mut bytes, LONGEST, desk)? else { break 'lines };
                if is_copied {
                    desk.write_piece(&bytes)?;
                }
                if part != Part::Piece {
                    break;
                }
            }
            if !is_done {
                desk.write(if is_copied { b"\n" } else { b"" }, number)?;
            }
            continue;
        }
        if number <= done {
            continue;
        }
        // What is not UTF-8 is Latin-1: comments may be, positions are not.
        let text =
            std::str::from_utf8(raw).map_or_else(|_| raw.iter().map(|&byte| char::from(byte)).collect(), str::to_owned);
        let written = match parse_line(&text, number as usize) {
            // An empty line, or a remark.
            None => Some(text),
            Some(entry) => {
                if entry.is_ok() {
                    desk.begin_search()?;
                }
                match entry.map_err(|error| error.to_string()).and_then(|entry| {
                    oddities.add(&entry);
                    entry.repairs.iter().for_each(|repair| desk.note(&place, &repair.to_string()));
                    annotate(&entry, desk)
                }) {
                    Ok(line) => Some(line),
                    Err(_) if interrupt::is_stopped() => {
                        desk.interrupted = true;
                        break;
                    }
                    Err(reason) if desk.searcher.is_given_up() => return Err(format!("{place}: {reason}")),
                    Err(reason) => {
                        desk.complain(&place, &reason);
                        (!desk.args.skip_bad).then_some(text)
                    }
                }
            }
        };
        let line = written.map_or_else(String::new, |line| line + "\n");
        desk.write(line.as_bytes(), number)?;
    }
    desk.searcher.rest();
    oddities.report().iter().for_each(|line| desk.note(name, line));
    Ok(())
}

/// Reads a line, or a piece of one that is longer than `most` bytes; `None` if the run was interrupted before the end of
/// the input.
fn next(
    name: &str,
    input: &mut impl BufRead,
    bytes: &mut Vec<u8>,
    most: usize,
    desk: &mut Desk<'_>,
) -> Result<Option<Part>, String> {
    let read = read_part(input, bytes, most);
    // At the end of the input the run is complete.
    if interrupt::is_stopped() && !matches!(read, Ok(Part::End)) {
        desk.interrupted = true;
        return Ok(None);
    }
    read.map(Some).map_err(|error| format!("{name}: {error}"))
}

fn annotate(entry: &SuiteEntry, desk: &mut Desk<'_>) -> Result<String, String> {
    if !entry.position.has_legal_move() {
        return Err("the game is over".to_owned());
    }
    let mut follower = Follower::new(entry, None);
    let result = desk.searcher.think(Question::of(entry, &desk.args.budget()), &mut |line| follower.line(line));
    let record = workers::record("ibex", "", entry, follower, result);
    if let Some(trouble) = record.trouble {
        return Err(trouble);
    }
    desk.step();
    Ok(report::annotated(entry, Some(&record)))
}
