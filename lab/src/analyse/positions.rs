//! A file of FEN or EPD lines: each is searched and written as EPD with the findings.

use std::io::BufRead;

use super::ahead;
use super::progress::AnalysisRun;
use crate::epd::judge::Follower;
use crate::epd::{report, workers};
use crate::play::player::{Question, Trouble};
use formats::epd::{Oddities, SuiteEntry, latin1_remark, parse_line, remarks};
use formats::pgn::{decoded, latin};
use terminal::inputs::{Part, read_part};
use terminal::{CommandError, interrupt, trouble};

/// A line of more bytes is not a position.
const LONGEST: usize = 1 << 16;

/// A byte order mark.
const MARK: &[u8] = b"\xEF\xBB\xBF";

/// Remarks on all lines together.
#[derive(Default)]
struct Remarks {
    oddities: Oddities,
    /// How many of the analysed lines are Latin-1, and the first of them.
    latin1: Option<(usize, usize)>,
}

/// Analyses line by line.
///
/// # Errors
///
/// One line: the input cannot be read, or the output not written.
pub fn analyse(name: &str, mut input: impl BufRead, done: u64, run: &mut AnalysisRun<'_>) -> Result<(), CommandError> {
    let mut bytes = Vec::new();
    let mut number = 0;
    let mut about_all = Remarks::default();
    while let Some(part) = next(name, &mut input, &mut bytes, LONGEST + 1, run)? {
        if part == Part::End {
            break;
        }
        number += 1;
        if part == Part::Piece {
            if !pass_long(name, &mut input, &mut bytes, number, done, run)? {
                break;
            }
        } else if number > done {
            let raw = bytes.strip_prefix(MARK).unwrap_or(&bytes);
            let Some(written) = analysed(raw, name, number, &mut about_all, run)? else { break };
            if run.passed.is_some() {
                run.pass(ahead::of_line(raw));
            }
            run.write(&written, number)?;
        }
    }
    run.searcher.rest();
    about_all.oddities.report().iter().for_each(|line| run.note(name, line));
    about_all.latin1.iter().for_each(|&lines| run.note(name, &latin1_remark(lines)));
    Ok(())
}

/// Copies a line that is too long for a position, or leaves it out; `bytes` has its beginning. Returns false if the
/// run was interrupted before the line's end.
fn pass_long(
    name: &str,
    input: &mut impl BufRead,
    bytes: &mut Vec<u8>,
    number: u64,
    done: u64,
    run: &mut AnalysisRun<'_>,
) -> Result<bool, CommandError> {
    let raw = bytes.strip_prefix(MARK).unwrap_or(bytes);
    let is_done = number <= done;
    let is_remark = raw.trim_ascii_start().starts_with(b"#");
    if !is_done && !is_remark {
        run.complain(&format!("{name}:{number}"), "too long for a position");
    }
    // Byte for byte: until its end, its encoding is uncertain.
    let is_copied = !is_done && (is_remark || !run.plan.skip_bad);
    if is_copied {
        run.write_piece(raw)?;
    }
    loop {
        let Some(part) = next(name, input, bytes, LONGEST, run)? else { return Ok(false) };
        if is_copied {
            run.write_piece(bytes)?;
        }
        if part != Part::Piece {
            break;
        }
    }
    if !is_done {
        run.write(if is_copied { b"\n" } else { b"" }, number)?;
    }
    Ok(true)
}

/// The output for a line; `None` if its search was interrupted.
///
/// # Errors
///
/// One line: the engine is given up.
fn analysed(
    raw: &[u8],
    name: &str,
    number: u64,
    about_all: &mut Remarks,
    run: &mut AnalysisRun<'_>,
) -> Result<Option<Vec<u8>>, CommandError> {
    let place = format!("{name}:{number}");
    // Text that is not UTF-8 is Latin-1: comments may be, positions are not.
    let text = decoded(raw);
    let entry = match parse_line(&text, number as usize) {
        // An empty line, or a remark.
        None => return Ok(Some(whole(raw))),
        Some(Err(error)) => return Ok(Some(refuse(raw, &place, &error.to_string(), run))),
        Some(Ok(entry)) => entry,
    };
    if !entry.position.has_legal_move() {
        return Ok(Some(refuse(raw, &place, "the game is over", run)));
    }
    run.begin_search()?;
    let is_latin = std::str::from_utf8(raw).is_err();
    if is_latin {
        about_all.latin1.get_or_insert((0, number as usize)).0 += 1;
    }
    about_all.oddities.add(&entry);
    entry.repairs.iter().for_each(|repair| run.note(&place, &repair.to_string()));
    remarks(&text).for_each(|remark| run.note(&place, &remark));
    let (line, has_score) = match annotate(&entry, run) {
        Ok(annotated) => annotated,
        Err(_) if interrupt::is_stopped() => {
            run.interrupted = true;
            return Ok(None);
        }
        Err(trouble) if !run.searcher.endures() => return Err(trouble!("{place}: {trouble}")),
        Err(trouble) => {
            run.note(&place, &format!("no value: {trouble}: the line stays as it is"));
            run.tally.failed += 1;
            return Ok(Some(whole(raw)));
        }
    };
    match run.searcher.label() {
        // It has answered, so this is not a failure that counts towards giving it up.
        Some(label) if !has_score => {
            run.note(&place, &format!("no value: {label}: it gave no score"));
            run.tally.failed += 1;
        }
        _ => run.step(),
    }
    // A line has one encoding.
    let encoded = if is_latin { latin(&line) } else { None };
    Ok(Some(whole(&encoded.unwrap_or_else(|| line.into_bytes()))))
}

/// Reads a line, or a piece of one longer than `most` bytes; `None` if the run was interrupted before the end of the
/// input.
fn next(
    name: &str,
    input: &mut impl BufRead,
    bytes: &mut Vec<u8>,
    most: usize,
    run: &mut AnalysisRun<'_>,
) -> Result<Option<Part>, CommandError> {
    let read = read_part(input, bytes, most);
    // At the end of the input, the run is complete.
    if interrupt::is_stopped() && !matches!(read, Ok(Part::End)) {
        run.interrupted = true;
        return Ok(None);
    }
    read.map(Some).map_err(|error| trouble!("{name}: {error}"))
}

/// A line, byte for byte, and its end.
fn whole(line: &[u8]) -> Vec<u8> {
    [line, b"\n"].concat()
}

/// Reports why a line cannot be analysed. Returns the output for it.
fn refuse(line: &[u8], place: &str, reason: &str, run: &mut AnalysisRun<'_>) -> Vec<u8> {
    run.complain(place, reason);
    if run.plan.skip_bad { Vec::new() } else { whole(line) }
}

/// The line of a position with the findings of a search, and whether these include a score.
///
/// # Errors
///
/// The position could not be searched.
fn annotate(entry: &SuiteEntry, run: &mut AnalysisRun<'_>) -> Result<(String, bool), Trouble> {
    let mut follower = Follower::new(entry, None);
    let answer = run.searcher.think(Question::of(entry, &run.plan.budget), &mut |line| follower.follow(line))?;
    let record = workers::record("ibex", "", entry, follower, Ok(answer));
    Ok((report::annotated(entry, Some(&record)), record.score.is_some()))
}
