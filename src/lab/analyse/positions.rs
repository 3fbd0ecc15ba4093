//! A file of FEN or EPD lines, each searched and written out as EPD with what was found.

use std::io::BufRead;

use super::Desk;
use crate::formats::epd::{Oddities, SuiteEntry, parse_line};
use crate::formats::input::read_line;
use crate::lab::epd::judge::Follower;
use crate::lab::epd::{report, workers};
use crate::lab::interrupt;
use crate::lab::play::player::Question;

/// A line longer than this is no position.
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
    loop {
        let read = read_line(&mut input, &mut bytes, LONGEST);
        // Not at the end of the input: there the run is complete.
        if interrupt::is_stopped() && !matches!(read, Ok(false)) {
            desk.interrupted = true;
            break;
        }
        if !read.map_err(|error| format!("{name}: {error}"))? {
            break;
        }
        number += 1;
        if number <= done {
            continue;
        }
        let place = format!("{name}:{number}");
        if bytes.len() > LONGEST {
            desk.complain_of(&place, "too long for a position", "left out");
            desk.write(b"", number)?;
            continue;
        }
        let raw = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&bytes);
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
