//! The page of analysed games.
//!
//! - `section`: a game: board, graph, figures, moves
//! - `figures`: accuracy and marks by player and phase
//! - `record`: the moves in the form that the page's script reads
//!
//! A game's section goes to a scratch file when the game is done. Memory holds one game, and an index row for each.

mod figures;
mod own;
mod record;
mod section;

use std::fs::File;
use std::io::{self, BufWriter, Seek as _, Write as _};
use std::path::{Path, PathBuf};

use maud::{Markup, PreEscaped, html};
use shakmaty::Color;

use super::games::Analysis;
use super::judge::Thresholds;
use crate::page::{self, GAME_SCRIPT};
use formats::pgn::{Pgn, decoded};
use terminal::tell::counted;
use terminal::{CommandError, outputs, trouble};

/// The most characters that the page shows of a text from a file.
const LONGEST_TEXT: usize = 120;
/// The most files that the title names.
const NAMED_FILES: usize = 3;

/// A row of the index.
struct Row {
    /// The file's index.
    file: usize,
    /// The game within its file, from 1.
    number: u64,
    entry: Entry,
}

enum Entry {
    Game {
        white: String,
        black: String,
        result: String,
        accuracy: [Option<f64>; 2],
    },
    /// An unreadable game: its players, and the reason.
    Unread(String, String),
}

/// Which better lines the page shows.
#[derive(Clone, Copy, Debug)]
pub struct Lines {
    /// The most plies of a line. The first move is always there.
    pub longest: usize,
    /// Whether lines also stand where the move that was played is not marked.
    pub everywhere: bool,
}

/// How the games were analysed, for the reader of the page.
#[derive(Clone, Debug)]
pub struct Manner {
    /// The engine that searched.
    pub engine: String,
    /// What was annotated, in words; empty if everything was.
    pub choice: String,
    /// The losses that earn a mark.
    pub marks: Thresholds,
}

/// A page that grows game by game.
pub struct Page {
    path: PathBuf,
    files: Vec<String>,
    lines: Lines,
    manner: Manner,
    sections: BufWriter<File>,
    /// Whether the sections could not be written.
    broken: bool,
    rows: Vec<Row>,
}

impl Page {
    /// Begins a page of the games of these files.
    ///
    /// # Errors
    ///
    /// One line: nothing can be written beside `path`.
    pub fn open(path: &Path, files: &[String], lines: Lines, manner: Manner) -> Result<Page, CommandError> {
        let sections = BufWriter::new(outputs::scratch(path)?);
        let rows = Vec::new();
        Ok(Page { path: path.to_owned(), files: files.to_vec(), lines, manner, sections, broken: false, rows })
    }

    /// Adds an analysed game.
    ///
    /// # Errors
    ///
    /// One line: the section cannot be written.
    pub fn add(&mut self, file: &str, number: u64, game: &Pgn, analysis: &Analysis) -> Result<(), CommandError> {
        let about = if self.files.len() > 1 {
            format!("game {number} of {}", shown(file.as_bytes()))
        } else {
            format!("game {number}")
        };
        let (section, table) = section::section(self.rows.len() + 1, &about, game, analysis, self.lines)?;
        self.broken = true;
        let written = self.sections.write_all(section.into_string().as_bytes());
        written.and_then(|()| self.sections.flush()).map_err(|error| trouble!("{}: {error}", self.path.display()))?;
        self.broken = false;
        let accuracy = Color::ALL.map(|player| table.whole(player).accuracy());
        let name = |tag| game.tag(tag).map_or_else(|| "?".to_owned(), shown);
        let (white, black) = (name("White"), name("Black"));
        self.push(file, number, Entry::Game { white, black, result: shown(game.result.as_bytes()), accuracy });
        Ok(())
    }

    /// Adds a line about a game that cannot be read.
    pub fn add_unread(&mut self, file: &str, number: u64, title: &str, reason: &str) {
        self.push(file, number, Entry::Unread(shown(title.as_bytes()), reason.to_owned()));
    }

    fn push(&mut self, file: &str, number: u64, entry: Entry) {
        let file = self.files.iter().position(|name| name == file).unwrap_or(0);
        self.rows.push(Row { file, number, entry });
    }

    /// Whether no game has been added.
    pub fn is_empty(&self) -> bool {
        self.rows.iter().all(|row| matches!(row.entry, Entry::Unread(..)))
    }

    /// Writes the page; without games no page is written. `note` says what the page lacks.
    ///
    /// # Errors
    ///
    /// One line: the page cannot be written; an earlier one is unchanged.
    pub fn finish(self, note: Option<&str>) -> Result<(), CommandError> {
        if self.broken || self.is_empty() {
            return Ok(());
        }
        let title = self.title();
        let head = page::beginning(&title) + &self.index(&title, note).0;
        let foot = foot(&self.manner.marks);
        let path = self.path;
        let mut sections = self.sections.into_inner().map_err(|error| trouble!("{}: {error}", path.display()))?;
        let fill = |file: &mut File| {
            file.write_all(head.as_bytes())?;
            sections.rewind()?;
            io::copy(&mut sections, file)?;
            file.write_all(foot.0.as_bytes())?;
            file.write_all(page::ending().as_bytes())
        };
        outputs::write_with(&path, fill).map_err(CommandError::from)
    }

    /// The names of the files.
    fn title(&self) -> String {
        let name = |file: &String| {
            let path = Path::new(file);
            shown(path.file_name().map_or(file.as_bytes(), |name| name.as_encoded_bytes()))
        };
        let named = self.files.iter().take(NAMED_FILES).map(name).collect::<Vec<_>>().join(", ");
        match self.files.len().saturating_sub(NAMED_FILES) {
            0 => named,
            more => format!("{named} and {}", counted(more as u64, "other file", "other files")),
        }
    }

    /// The part above the games.
    fn index(&self, title: &str, note: Option<&str>) -> Markup {
        let unread = self.rows.iter().filter(|row| matches!(row.entry, Entry::Unread(..))).count();
        let games = (self.rows.len() - unread) as u64;
        html! {
            h1 { bdi { (title) } }
            p.faint {
                (counted(games, "game", "games")) ", analysed by " bdi { (self.manner.engine) } "."
                @if !self.manner.choice.is_empty() { " Annotated: " bdi { (self.manner.choice) } "." }
                @if unread > 0 { " " (counted(unread as u64, "game", "games")) " could not be read." }
            }
            @if let Some(note) = note { p.bad { bdi { (note) } } }
            @if self.rows.len() > 1 || unread > 0 {
                .index {
                    table {
                        thead { tr { th {} th.l { "White" } th.l { "Black" } th { "result" } th.l { "accuracy" } } }
                        tbody { @for (i, row) in self.rows.iter().enumerate() { (self.row(i, row)) } }
                    }
                }
            }
        }
    }

    fn row(&self, i: usize, row: &Row) -> Markup {
        let first = i == 0 || self.rows[i - 1].file != row.file;
        html! {
            @if first && self.files.len() > 1 { tr { th.l colspan="5" { bdi { (self.files[row.file]) } } } }
            tr {
                @match &row.entry {
                    Entry::Game { white, black, result, accuracy } => {
                        td { a href={ "#g" (i + 1) } { (row.number) } }
                        td.l { a href={ "#g" (i + 1) } { bdi { (white) } } }
                        td.l { a href={ "#g" (i + 1) } { bdi { (black) } } }
                        td { (result) }
                        td.l.share { (percent(accuracy[0])) " / " (percent(accuracy[1])) }
                    }
                    Entry::Unread(title, reason) => {
                        td { (row.number) }
                        td.l.bad colspan="4" { bdi { (title) } ": cannot be read: " bdi { (reason) } }
                    }
                }
            }
        }
    }
}

/// The part below the games: the meaning of the words, and the script.
fn foot(marks: &Thresholds) -> Markup {
    let [dubious, mistake, blunder] = marks.each();
    html! {
        h2 { "How to read it" }
        p.faint {
            "Scores are from White's point of view: pawns, or # and moves to mate. "
                "Each score is followed by the kind of statement that it is. "
            "A proved mate, a tablebase result and a recognized result are certain. "
            "An evaluation is an estimate; a bound (≥ or ≤) says that it is at least or at most this. "
            "A mate announced by another engine is a claim, not a proof. "
            "?? is a blunder, ? a mistake, ?! a dubious move: they lose at least "
            (blunder) ", " (mistake) " and " (dubious) " percent of winning chances. The board's arrows: blue or red the move played, green the better one. "
            "Arrow keys, Home and End go through the game that is in view."
        }
        script { (PreEscaped(GAME_SCRIPT)) }
    }
}

/// An accuracy for people.
fn percent(accuracy: Option<f64>) -> String {
    accuracy.map_or_else(|| "–".to_owned(), |accuracy| format!("{accuracy:.0}%"))
}

/// A text from a file: on one line and not too long.
fn shown(bytes: &[u8]) -> String {
    let text = decoded(bytes);
    let mut short: String =
        text.trim().chars().take(LONGEST_TEXT).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.trim().chars().count() > LONGEST_TEXT {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_short_and_on_one_line() {
        assert_eq!(shown(b" a\nb\xFF "), "a b\u{FF}");
        assert_eq!((shown(b"H\xFCbner"), shown("Hübner".as_bytes())), ("Hübner".to_owned(), "Hübner".to_owned()));
        assert_eq!(shown("é".repeat(500).as_bytes()).chars().count(), LONGEST_TEXT + 1);
        assert_eq!((percent(None), percent(Some(99.6))), ("–".to_owned(), "100%".to_owned()));
    }
}
