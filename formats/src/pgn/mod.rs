//! Games in Portable Game Notation: read without losing a word, and written again.
//!
//! - `lines`: the input, line by line
//! - `tags`: one tag pair, strict or loose, as files have them
//! - `lexer`: the words of movetext
//! - `reader`: games from words, and their errors
//! - `writer`: a game as text
//!
//! Everything in a game is understood and written again, or kept as it stands, or reported in a [`Fault`] with its
//! line. A game with a fault keeps its text, so that it can be copied unchanged. Glyphs and words of other notations
//! are normalized in writing (`!?` becomes `$5`, `0-0` becomes `O-O`, `;` comments get braces).
//!
//! A new analysis replaces an earlier one: all evaluations (`[%eval ...]`, also those of other programs), and the
//! glyphs and lines that Ibex lists in a move's comment as its own (`[%ibex ...]`).

mod error;
mod lexer;
mod lines;
mod reader;
mod tags;
mod writer;

use std::fmt;

pub use error::GameError;
pub use reader::Games;
pub use tags::Tag;

use ibex::position::notation::Action;
use ibex::position::{Game, Position};

/// What a game contains besides its main line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token {
    /// A move of a variation: in standard algebraic notation, or as it stands if it is not legal.
    San(String),
    /// A numeric annotation glyph.
    Nag(u32),
    /// A comment without its braces; it contains no closing brace.
    Comment(Vec<u8>),
    /// A comment that contains a closing brace, and goes from a semicolon to the end of its line.
    Line(Vec<u8>),
    /// A line that begins with `%`, without that sign: it is meant for some other program.
    Escape(Vec<u8>),
    /// The beginning of a variation to the last move.
    Open,
    /// Its end.
    Close,
}

/// A move of the main line with its annotations.
#[derive(Clone, Debug)]
pub struct Played {
    /// The move, or a null move.
    pub action: Action,
    /// The same in standard algebraic notation, with check marks.
    pub san: String,
    /// Glyphs.
    pub nags: Vec<u32>,
    /// Comments and variations after it.
    pub after: Vec<Token>,
}

/// A game.
#[derive(Clone, Debug)]
pub struct Pgn {
    /// The tags in their order.
    pub tags: Vec<Tag>,
    /// The first position.
    pub start: Game,
    /// Comments before the first move.
    pub before: Vec<Token>,
    /// The moves.
    pub moves: Vec<Played>,
    /// The result as written.
    pub result: String,
}

impl Pgn {
    /// The value of a tag.
    pub fn tag(&self, name: &str) -> Option<&[u8]> {
        tags::find(&self.tags, name)
    }

    /// Sets a tag to this value, or removes it.
    pub fn set_tag(&mut self, name: &str, value: Option<&str>) {
        let is_it = |tag: &Tag| tag.name().is_some_and(|known| known.eq_ignore_ascii_case(name.as_bytes()));
        let at = self.tags.iter().position(is_it).unwrap_or(self.tags.len());
        self.tags.retain(|tag| !is_it(tag));
        if let Some(value) = value {
            let at = at.min(self.tags.len());
            // A game has one encoding.
            let latin = if self.is_latin() { latin(value) } else { None };
            let value = latin.unwrap_or_else(|| value.as_bytes().to_vec());
            self.tags.insert(at, Tag::Pair(name.as_bytes().to_vec(), value));
        }
    }

    /// Whether a tag or a comment beside the main line is not UTF-8, and therefore Latin-1.
    fn is_latin(&self) -> bool {
        let is_latin = |text: &[u8]| std::str::from_utf8(text).is_err();
        let beside = self.moves.iter().flat_map(|played| &played.after).chain(&self.before);
        self.tags.iter().any(|tag| matches!(tag, Tag::Pair(_, value) if is_latin(value)))
            || beside
                .into_iter()
                .any(|token| matches!(token, Token::Comment(text) | Token::Line(text) if is_latin(text)))
    }

    /// The game's players, for messages.
    pub fn title(&self) -> String {
        tags::title(&self.tags)
    }
}

/// What is wrong with a game, or was changed in it, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The line of the input, from 1.
    pub line: usize,
    /// The reason, with the token that it is about.
    pub reason: String,
}

impl std::error::Error for Fault {}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.reason)
    }
}

/// One game of a file.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The line where it begins, from 1.
    pub line: usize,
    /// Its text, byte for byte, with the empty lines after it.
    pub text: Vec<u8>,
    /// The players, for messages.
    pub title: String,
    /// The names of White and Black if tags give them, whether or not the game can be read.
    pub players: [Option<Vec<u8>>; 2],
    /// The game, or the first thing in it that cannot be read.
    pub game: Result<Pgn, Fault>,
    /// Whether there are only comments and escape lines, as after the last game: that is not a game, not even a bad
    /// one.
    pub only_remarks: bool,
    /// What was read, but will be written differently or was not understood.
    pub remarks: Vec<Fault>,
}

impl Reading {
    /// The text as it stands, with an empty line at its end.
    pub fn unchanged(&self) -> Vec<u8> {
        let mut text = self.text.trim_ascii_end().to_vec();
        text.extend(b"\n\n");
        text
    }
}

/// The text of a tag or a word; what is not UTF-8 is Latin-1.
pub fn decoded(bytes: &[u8]) -> String {
    std::str::from_utf8(bytes).map_or_else(|_| bytes.iter().map(|&byte| char::from(byte)).collect(), str::to_owned)
}

/// A text in Latin-1, if it has only Latin-1 characters.
pub fn latin(text: &str) -> Option<Vec<u8>> {
    text.chars().map(|c| u8::try_from(u32::from(c)).ok()).collect()
}

/// A piece of a file for a message: printable and short.
fn quoted(bytes: &[u8]) -> String {
    const LONGEST: usize = 32;
    let text = decoded(bytes);
    let visible = |c: char| if c.is_control() { c.escape_debug().to_string() } else { c.to_string() };
    let mut short: String = text.chars().take(LONGEST).map(visible).collect();
    if text.chars().count() > LONGEST {
        short.push_str("...");
    }
    format!("'{short}'")
}

/// The position after an action.
fn after(position: &Position, action: Action) -> Position {
    let mut next = *position;
    match action {
        Action::Move(m) => next.play(m),
        Action::Pass => next.play_null(),
    }
    next
}

#[cfg(test)]
mod tests;
