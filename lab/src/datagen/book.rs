//! Books of positions that games of data generation begin from.

use std::path::Path;

use formats::epd::{Problem, Suite, SuiteEntry};
use ibex::position::Position;
use terminal::inputs::STDIN;
use terminal::tell::shortened;
use terminal::{CommandError, remark, trouble};

/// Repairs of a book that are listed individually.
const NAMED: usize = 10;

/// Reads a book like a suite: a FEN or EPD position a line; empty lines and comments are skipped. Repairs are reported
/// on standard error.
///
/// # Errors
///
/// One line: the file cannot be read, a line is not a position, or there is none.
pub fn read_book(path: &Path) -> Result<Vec<Position>, CommandError> {
    // At the prompt, commands come from standard input.
    if path.as_os_str() == STDIN {
        return Err(trouble!("a book needs a file name"));
    }
    let suite = Suite::read(path).map_err(|error| trouble!("cannot read book {error}"))?;
    if let Some(problem) = suite.problems.first() {
        return Err(trouble!("{problem}"));
    }
    for note in shortened(&suite.notes, NAMED, Problem::to_string, |note| format!("{}:{}", note.file, note.line)) {
        remark!("{note}");
    }
    let mut book = Vec::new();
    for SuiteEntry { line, position, .. } in suite.entries {
        if position.men() > 32 {
            return Err(trouble!("{}:{line}: a data file has room for 32 men", suite.file));
        }
        if position.has_legal_move() {
            book.push(position);
        }
    }
    if book.is_empty() { Err(trouble!("book {} has no positions", path.display())) } else { Ok(book) }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn overcrowded_book_positions_are_refused() {
        let scratch = Scratch::new("crowded");
        let path = scratch.0.join("book.epd");
        fs::write(&path, "4k3/8/8/8/8/8/8/4K3 w - -\nnnnnknnn/pppppppp/pppppppp/8/8/8/PPPPPPPP/4K3 w - -\n").unwrap();
        assert!(
            read_book(&path)
                .is_err_and(|error| error.to_string().contains(":2: ") && error.to_string().contains("32 men"))
        );
    }

    #[test]
    fn books_are_read_like_suites() {
        let scratch = Scratch::new("found");
        let path = scratch.0.join("book.epd");
        let lines = b"\xEF\xBB\xBF# R\xE9ti\r\n8/8/4k3/8/8/4K3/4P3/R6r w - - 7 30; id \"R\xE9ti\";\r\n\r\n\
                      8/8/4k3/8/8/4K3/4P3/8 w - - bm Kd4;\r\n8/8/4k3/8/8/4K3/4P3/8 w KQ e3 0 9\r\n";
        fs::write(&path, lines).unwrap();
        let fens: Vec<String> = read_book(&path).unwrap().iter().map(Position::fen).collect();
        let board = "8/8/4k3/8/8/4K3/4P3";
        let expected =
            [format!("{board}/R6r w - - 7 30"), format!("{board}/8 w - - 0 1"), format!("{board}/8 w - - 0 9")];
        assert_eq!(fens, expected);
        assert!(read_book(Path::new("-")).is_err());
    }
}
