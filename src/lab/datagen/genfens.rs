//! `genfens`: openings for the data workers of OpenBench.
//!
//! A worker runs `ibex "genfens N seed S book FILE" quit` and plays its games from the lines `info string genfens FEN`
//! that come back. The same words always give the same lines.

use std::path::Path;

use super::openings::{self, Book, Openings};
use crate::random::Random;

/// Random plies from the initial position (or one more).
const RANDOM_PLIES: u32 = 8;
/// Random plies after a position of the book (or one more).
const BOOK_PLIES: u32 = 3;

/// What a worker asks for.
#[derive(Debug, PartialEq, Eq)]
struct Request<'a> {
    count: u64,
    seed: u64,
    book: Option<&'a Path>,
}

/// Parses `N [seed S] [book FILE|None]`. The name of a book may have blanks; other engines' words, which OpenBench
/// adds after it, are ignored.
fn understand(text: &str) -> Result<Request<'_>, String> {
    let number = |name: &str, word: Option<&str>| -> Result<u64, String> {
        word.and_then(|word| word.parse().ok()).ok_or_else(|| format!("genfens: {name} must be a whole number"))
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

/// `genfens` at the prompt.
pub fn at_the_prompt(words: &[String], say: &mut dyn FnMut(&str)) {
    let text = words.join(" ");
    let result = understand(&text).and_then(|request| {
        let book = request.book.map(openings::read_book).transpose()?;
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
    });
    if let Err(error) = result {
        say(&format!("info string {error}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_read() {
        let request = |count, seed, book: Option<&'static str>| Request { count, seed, book: book.map(Path::new) };
        assert_eq!(understand("24 seed 7 book None"), Ok(request(24, 7, None)));
        assert_eq!(understand("3 seed 9 book my books/8 moves.epd"), Ok(request(3, 9, Some("my books/8 moves.epd"))));
        assert_eq!(understand("5"), Ok(request(5, 1, None)));
        assert_eq!(understand("5 seed 2 book None "), Ok(request(5, 2, None)));
        assert_eq!(understand("5 seed 2 book None dfrc=1 plies 6"), Ok(request(5, 2, None)));
        let book = concat!(env!("CARGO_MANIFEST_DIR"), "/epd/perft.epd");
        for more in ["", " ", " dfrc=1", " plies 6 book no.epd"] {
            assert_eq!(understand(&format!("5 seed 2 book {book}{more}")), Ok(request(5, 2, Some(book))), "{more}");
        }
        assert!(understand("").is_err());
        assert!(understand("x seed 1").is_err());
        assert!(understand("4 seed").is_err());
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
