//! `genfens`: openings for the data workers of OpenBench.
//!
//! A worker runs `ibex "genfens N seed S book FILE" quit` and plays its games from the lines `info string genfens FEN`
//! that come back. The same words always give the same lines.

use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::openings::{Book, Openings, OverBeforeTheyBegin};
use crate::position::{FenError, Position};
use crate::random::Random;

/// Random plies from the initial position (or one more).
const RANDOM_PLIES: u32 = 8;
/// Random plies after a position of the book (or one more).
const BOOK_PLIES: u32 = 3;

/// Why there are no openings.
#[derive(Debug, thiserror::Error)]
enum GenfensError {
    /// The count or the seed is missing, or is not a number.
    #[error("genfens: {0} must be a whole number")]
    Number(&'static str),
    #[error("cannot read book {}: {error}", path.display())]
    Book { path: PathBuf, error: io::Error },
    /// A folder, a device or a pipe. Reading a device may never end, and reading a pipe may never begin.
    #[error("cannot read book {}: it is not a file", .0.display())]
    NotAFile(PathBuf),
    #[error("{}:{line}: {error}", path.display())]
    Line { path: PathBuf, line: usize, error: FenError },
    #[error("book {} has no positions", .0.display())]
    NoPosition(PathBuf),
    #[error(transparent)]
    Openings(#[from] OverBeforeTheyBegin),
}

/// A worker's request.
#[derive(Debug, PartialEq, Eq)]
struct Request<'a> {
    count: u64,
    seed: u64,
    book: Option<&'a Path>,
}

/// Parses `N [seed S] [book FILE|None]`. The name of a book may have blanks; other engines' words, which OpenBench
/// adds after it, are ignored.
fn understand(text: &str) -> Result<Request<'_>, GenfensError> {
    let number = |name: &'static str, word: Option<&str>| {
        word.and_then(|word| word.parse::<u64>().ok()).ok_or(GenfensError::Number(name))
    };
    let (numbers, book) = match text.split_once(" book ") {
        Some((numbers, rest)) => (numbers, book_at_the_head(rest.trim())),
        None => (text, None),
    };
    let mut words = numbers.split_whitespace();
    let count = number("the count", words.next())?;
    let seed = match words.find(|&word| word == "seed") {
        Some(_) => number("the seed", words.next())?,
        None => 1,
    };
    Ok(Request { count, seed, book: book.map(Path::new) })
}

/// The book that these words begin with: the longest beginning that is a file, or else all of them; none for `None`.
fn book_at_the_head(words: &str) -> Option<&str> {
    if words.split_whitespace().next()?.eq_ignore_ascii_case("none") {
        return None;
    }
    let shorter = words.rmatch_indices(char::is_whitespace).map(|(end, _)| &words[..end]);
    std::iter::once(words).chain(shorter).find(|book| Path::new(book).is_file()).or(Some(words))
}

/// Reads a book: a FEN or an EPD line for each position; empty lines and comments are skipped.
fn read_book(path: &Path) -> Result<Vec<Position>, GenfensError> {
    let unread = |error| GenfensError::Book { path: path.to_owned(), error };
    if !fs::metadata(path).map_err(unread)?.is_file() {
        return Err(GenfensError::NotAFile(path.to_owned()));
    }
    let text = fs::read(path).map_err(unread)?;
    let mut book = Vec::new();
    for (number, line) in (1..).zip(String::from_utf8_lossy(&text).lines()) {
        let line = line.trim_start_matches('\u{feff}').trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let position = read_position(line);
        let position = position.map_err(|error| GenfensError::Line { path: path.to_owned(), line: number, error })?;
        if position.has_legal_move() {
            book.push(position);
        }
    }
    if book.is_empty() { Err(GenfensError::NoPosition(path.to_owned())) } else { Ok(book) }
}

/// The position of a line: four fields, and the two counters unless operations of EPD follow in their place.
fn read_position(line: &str) -> Result<Position, FenError> {
    let line = line.split(';').next().unwrap_or(line);
    let fields: Vec<&str> = line.split_whitespace().collect();
    let is_number = |field: Option<&&str>| field.is_some_and(|field| field.bytes().all(|byte| byte.is_ascii_digit()));
    let has_counters = is_number(fields.get(4)) && is_number(fields.get(5));
    let fen = fields[..fields.len().min(if has_counters { 6 } else { 4 })].join(" ");
    Position::from_any_fen(&fen, None).map(|(position, _)| position)
}

/// The openings that the words after `genfens` want.
fn openings(text: &str, say: &mut dyn FnMut(&str)) -> Result<(), GenfensError> {
    let request = understand(text)?;
    let book = request.book.map(read_book).transpose()?;
    let openings = Openings {
        // If there is a book, all openings come from it: the worker has chosen it.
        books: book.into_iter().map(|positions| Book { positions, share: 1.0, plies: BOOK_PLIES }).collect(),
        random_plies: RANDOM_PLIES,
        chess960_share: 0.0,
    };
    let mut random = Random::new(request.seed);
    for _ in 0..request.count {
        say(&format!("info string genfens {}", openings.draw(&mut random)?.fen()));
    }
    Ok(())
}

/// `genfens` at the prompt. Returns whether all openings were made.
pub fn at_the_prompt(words: &[String], say: &mut dyn FnMut(&str)) -> bool {
    let made = openings(&words.join(" "), say);
    if let Err(error) = &made {
        say(&format!("info string {error}"));
    }
    made.is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn requests_are_read() {
        let request =
            |count, seed, book: Option<&str>| format!("{:?}", Request { count, seed, book: book.map(Path::new) });
        let read = |text: &str| format!("{:?}", understand(text).expect("a request"));
        assert_eq!(read("24 seed 7 book None"), request(24, 7, None));
        assert_eq!(read("3 seed 9 book my books/8 moves.epd"), request(3, 9, Some("my books/8 moves.epd")));
        assert_eq!(read("5"), request(5, 1, None));
        assert_eq!(read("5 seed 2 book None "), request(5, 2, None));
        assert_eq!(read("5 seed 2 book None dfrc=1 plies 6"), request(5, 2, None));
        let book = concat!(env!("CARGO_MANIFEST_DIR"), "/epd/perft.epd");
        for more in ["", " ", " dfrc=1", " plies 6 book no.epd"] {
            let text = format!("5 seed 2 book {book}{more}");
            assert_eq!(read(&text), request(5, 2, Some(book)), "{more}");
        }
        assert!(understand("").is_err());
        assert!(understand("x seed 1").is_err());
        assert!(understand("4 seed").is_err());
    }

    #[test]
    fn books_are_fen_or_epd() {
        let scratch = Scratch::new("a book of openings");
        let path = scratch.0.join("book.epd");
        let lines = "\u{feff}# R\u{e9}ti\r\n8/8/4k3/8/8/4K3/4P3/R6r w - - 7 30; id \"R\u{e9}ti\";\r\n\r\n\
                     8/8/4k3/8/8/4K3/4P3/8 w - - bm Kd4;\r\n8/8/4k3/8/8/4K3/4P3/8 w - e3 0 9\r\n";
        fs::write(&path, lines).expect("writable");
        let fens: Vec<String> = read_book(&path).expect("a book").iter().map(Position::fen).collect();
        let board = "8/8/4k3/8/8/4K3/4P3";
        let expected =
            [format!("{board}/R6r w - - 7 30"), format!("{board}/8 w - - 0 1"), format!("{board}/8 w - - 0 9")];
        assert_eq!(fens, expected);
        fs::write(&path, "# nothing\n").expect("writable");
        assert!(read_book(&path).is_err_and(|error| error.to_string().ends_with("has no positions")));
        assert!(read_book(&scratch.0).is_err_and(|error| error.to_string().ends_with("it is not a file")));
        #[cfg(unix)]
        assert!(read_book(Path::new("/dev/zero")).is_err_and(|error| error.to_string().ends_with("it is not a file")));
        fs::write(&path, "\nxyz w - -\n").expect("writable");
        assert!(read_book(&path).is_err_and(|error| error.to_string().contains("book.epd:2: ")));
    }

    fn lines(text: &str) -> Vec<String> {
        let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
        let mut lines = Vec::new();
        at_the_prompt(&words, &mut |line| lines.push(line.to_owned()));
        lines
    }

    #[test]
    fn openings_repeat_and_can_be_played() {
        let first = lines("20 seed 11 book None");
        assert_eq!(first.len(), 20);
        assert_eq!(first, lines("20 seed 11 book None"));
        assert_ne!(first, lines("20 seed 12 book None"));
        for line in &first {
            let fen = line.strip_prefix("info string genfens ").expect("the worker's word");
            assert!(crate::position::notation::read_fen(fen).expect("a position").has_legal_move());
        }
        assert!(lines("2 seed 1 book no/such/book.epd")[0].contains("cannot read book"));
    }
}
