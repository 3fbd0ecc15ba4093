//! The inputs of a run: opened in their turn, and known as games or positions by their beginnings.

use std::io::{BufReader, Cursor, ErrorKind, Read as _};
use std::path::Path;

use indicatif::ProgressBar;

use super::stream::Stream;
use ibex::position::notation::is_move_like;
use terminal::inputs::{self, Source};
use terminal::{CommandError, trouble};

/// Bytes of remarks after which an input without games or positions is taken to hold no games.
const REMARKS: usize = 1 << 16;

/// An input whose turn comes later.
pub enum Waiting<'a> {
    /// A file, which is opened in its turn.
    File(&'a Path),
    /// An input that can be opened only once.
    Stream(&'a Path, Source),
    /// One whose beginning was looked at.
    Begun(Input),
}

impl Waiting<'_> {
    /// Opens it.
    ///
    /// # Errors
    ///
    /// One line: it cannot be read.
    pub fn begin(self, bar: &ProgressBar) -> Result<Input, CommandError> {
        let open = |path: &Path| Source::open(path).map_err(CommandError::from);
        match self {
            Waiting::File(path) => Input::begin(path, open(path)?, bar),
            Waiting::Stream(path, source) => Input::begin(path, source, bar),
            Waiting::Begun(input) => Ok(input),
        }
    }

    /// The same input, after a look at its beginning: an error if it holds no games.
    pub fn with_games(self, bar: &ProgressBar) -> Result<Self, CommandError> {
        let file = if let Waiting::File(path) = self { Some(path) } else { None };
        // A mere look is not progress.
        let input = if file.is_some() { self.begin(&ProgressBar::hidden()) } else { self.begin(bar) }?;
        if !input.is_pgn {
            return Err(trouble!("--html is for games, and {} holds none", input.name));
        }
        Ok(file.map_or(Waiting::Begun(input), Waiting::File))
    }
}

/// An input of which the first bytes have been read.
pub struct Input {
    /// Its name, for messages.
    pub name: String,
    /// The text.
    pub text: BufReader<inputs::Bytes>,
    /// Whether it holds games.
    pub is_pgn: bool,
}

impl Input {
    /// Opens an input and reads its beginning.
    ///
    /// # Errors
    ///
    /// It cannot be read.
    pub fn begin(path: &Path, source: Source, bar: &ProgressBar) -> Result<Input, CommandError> {
        let (name, is_file) = (source.name.clone(), source.is_file);
        let source = source.watched(bar);
        let source = if is_file { source } else { source.through(|raw| Box::new(Stream::new(raw))) };
        let mut text = source.text()?;
        let (mut start, mut block, mut whole) = (Vec::new(), [0; 1 << 12], false);
        let is_pgn = loop {
            if let Some(is_pgn) = is_pgn(path, &start, whole) {
                break is_pgn;
            }
            match text.read(&mut block) {
                Ok(length) => {
                    start.extend(&block[..length]);
                    whole = length == 0 || start.len() > REMARKS;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(trouble!("{name}: {error}")),
            }
        };
        Ok(Input { name, text: BufReader::new(Box::new(Cursor::new(start).chain(text))), is_pgn })
    }
}

/// Whether an input holds games: by its name, or because it begins with a tag, a comment in braces or a move number;
/// lines of remarks may come before. `None` if `beginning`, which is not the `whole` input, does not show it yet.
pub fn is_pgn(path: &Path, beginning: &[u8], whole: bool) -> Option<bool> {
    let path = inputs::unpacked_path(path);
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("pgn")) {
        return Some(true);
    }
    let mut rest = without_mark(beginning);
    loop {
        let end = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
        match (rest.first(), end) {
            (Some(b'[' | b'{'), _) => return Some(true),
            (Some(b';' | b'%'), Some(end)) => rest = without_mark(&rest[end..]),
            (Some(_), Some(end)) => return Some(begins_with_move(&rest[..end])),
            _ if whole => return Some(begins_with_move(rest)),
            _ => return None,
        }
    }
}

/// A text without the blanks and byte order marks at its beginning; the latter also occur where files were joined.
fn without_mark(text: &[u8]) -> &[u8] {
    let mut text = text.trim_ascii_start();
    while let Some(behind) = text.strip_prefix(b"\xEF\xBB\xBF") {
        text = behind.trim_ascii_start();
    }
    text
}

/// Whether a line begins with a move number: digits and a dot, or digits, a blank and a move.
fn begins_with_move(line: &[u8]) -> bool {
    let digits = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let rest = &line[digits..];
    let word = rest.trim_ascii_start().split(|&byte| byte.is_ascii_whitespace()).next().unwrap_or_default();
    let is_move = || std::str::from_utf8(word).is_ok_and(|word| is_move_like(word.trim_end_matches(['!', '?'])));
    digits > 0 && (rest.starts_with(b".") || rest.starts_with(b" ") && is_move())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_and_positions_are_distinguished() {
        let is_pgn = |name: &str, text: &[u8]| is_pgn(Path::new(name), text, true).expect("the whole text");
        assert!(is_pgn("a.PGN", b"") && is_pgn("-", b"\xEF\xBB\xBF\r\n [Event \"x\"]") && is_pgn("a.txt", b"1. e4 *"));
        assert!(!is_pgn("a.txt", b"# FENs\n8/8/8/8/8/8/8/8 w - -") && !is_pgn("-", b"1k6/8/8/8/8/8/8/K7 w - -"));
        for games in [
            "; by me\n\n%x\r[Event \"x\"]",
            "% a\n\n\u{FEFF}% b\n\u{FEFF}\u{FEFF}[Event \"x\"]",
            ";\n1. e4 *",
            "1 e4 e5 *",
            "12 Nf3! *",
            "41... Ke7 *\n",
            "{x} e4",
        ] {
            assert!(is_pgn("-", games.as_bytes()), "{games}");
        }
        for positions in ["", "; x", "8 8/8 w", "1", "%\n8/8/8/8/8/8/8/8 w - -", "1 1", "e4 e5"] {
            assert!(!is_pgn("-", positions.as_bytes()), "{positions}");
        }
    }

    #[test]
    fn one_line_shows_whether_a_text_holds_games() {
        let is_pgn = |text: &str| is_pgn(Path::new("-"), text.as_bytes(), false);
        for (text, expected) in [
            ("", None),
            ("1", None),
            ("; x\n1k6/8/8", None),
            ("[", Some(true)),
            ("1. e4\n", Some(true)),
            ("1k6/8/8/8/8/8/8/K7 w - -\r", Some(false)),
        ] {
            assert_eq!(is_pgn(text), expected, "{text}");
        }
    }
}
