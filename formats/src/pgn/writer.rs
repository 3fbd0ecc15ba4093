//! A game as text: tags, then movetext with move numbers where needed, in lines of moderate length.

use shakmaty::Color;

use super::{Pgn, Tag, Token};
use ibex::position::Game;

/// Lines of movetext are wrapped at this width: the standard has less than 80 characters (8.2.1).
const WIDTH: usize = 79;
/// The beginning of the tag `Annotator` that Ibex writes.
const OURS: &[u8] = b"Ibex ";

impl Pgn {
    /// The text of the game, with an empty line at its end. `annotator` is named unless the game names another one.
    pub fn write(&self, annotator: &str) -> Vec<u8> {
        let mut text = Vec::new();
        let ours = Tag::Pair(b"Annotator".to_vec(), annotator.as_bytes().to_vec());
        for tag in &self.tags {
            match tag {
                Tag::Pair(name, value) if name.eq_ignore_ascii_case(b"Annotator") && value.starts_with(OURS) => {
                    ours.write(&mut text);
                }
                _ => tag.write(&mut text),
            }
        }
        if self.tag("Annotator").is_none() {
            ours.write(&mut text);
        }
        text.push(b'\n');
        let mut writer = MoveWriter::new(&self.start);
        writer.tokens(&self.before);
        for played in &self.moves {
            writer.san(&played.san);
            played.nags.iter().for_each(|&nag| writer.nag(nag));
            writer.tokens(&played.after);
        }
        writer.word(self.result.as_bytes());
        text.extend(writer.text);
        text.extend(b"\n\n");
        text
    }
}

/// Writes movetext.
struct MoveWriter {
    text: Vec<u8>,
    column: usize,
    /// The place of the blank before the last word, if that is not the first of its line.
    blank: Option<usize>,
    /// Plies since Black's zeroth move, in the game and in each open variation.
    plies: Vec<u64>,
    /// Whether the next move of Black needs its number as well.
    interrupted: bool,
    /// An open parenthesis that the next word follows without a blank: more programs can read a comment there.
    opening: bool,
}

impl MoveWriter {
    fn new(start: &Game) -> MoveWriter {
        let fullmoves = u64::from(start.position().fullmoves().get());
        let ply = 2 * fullmoves + u64::from(start.position().turn() == Color::Black);
        MoveWriter { text: Vec::new(), column: 0, blank: None, plies: vec![ply], interrupted: true, opening: false }
    }

    fn word(&mut self, word: &[u8]) {
        let length = word.len() + usize::from(self.opening);
        // A percent sign in the first column hides its line from readers, even inside braces.
        let may_begin_a_line = word.first() != Some(&b'%');
        self.blank = None;
        if self.column > 0 && self.column + 1 + length > WIDTH && may_begin_a_line {
            self.end_line();
        } else if self.column > 0 {
            self.blank = Some(self.text.len());
            self.text.push(b' ');
            self.column += 1;
        }
        if std::mem::take(&mut self.opening) {
            self.text.push(b'(');
        }
        self.text.extend(word);
        let last_line = word.rsplit(|&byte| byte == b'\n').next().unwrap_or(word);
        self.column = if last_line.len() == word.len() { self.column + length } else { last_line.len() };
    }

    /// Ends a variation, directly after its last word. If the line has no room, the word begins the next one.
    fn close(&mut self) {
        if self.column == 0 {
            return self.word(b")");
        }
        if self.column >= WIDTH
            && let Some(blank) = self.blank.take()
        {
            self.text[blank] = b'\n';
            self.column = self.text.len() - blank - 1;
        }
        self.text.push(b')');
        self.column += 1;
    }

    fn end_line(&mut self) {
        if self.column > 0 {
            self.text.push(b'\n');
            self.column = 0;
        }
    }

    fn san(&mut self, san: &str) {
        let ply = self.plies.last().copied().unwrap_or_default();
        match (ply % 2, self.interrupted) {
            (0, _) => self.word(format!("{}.", ply / 2).as_bytes()),
            (_, true) => self.word(format!("{}...", ply / 2).as_bytes()),
            _ => {}
        }
        self.interrupted = false;
        self.word(san.as_bytes());
        if let Some(ply) = self.plies.last_mut() {
            *ply += 1;
        }
    }

    fn nag(&mut self, nag: u32) {
        self.word(format!("${nag}").as_bytes());
        self.interrupted = true;
    }

    fn tokens(&mut self, tokens: &[Token]) {
        for token in tokens {
            match token {
                Token::San(san) => self.san(san),
                Token::Nag(nag) => self.nag(*nag),
                Token::Comment(comment) => {
                    self.comment(comment);
                    self.interrupted = true;
                }
                Token::Line(comment) => {
                    self.line_comment(comment);
                    self.interrupted = true;
                }
                Token::Escape(line) => {
                    if self.opening {
                        self.word(b"");
                    }
                    self.end_line();
                    self.text.push(b'%');
                    self.text.extend(line);
                    self.text.push(b'\n');
                }
                Token::Open => {
                    self.opening = true;
                    let ply = self.plies.last().copied().unwrap_or_default();
                    self.plies.push(ply.saturating_sub(1));
                    self.interrupted = true;
                }
                Token::Close => {
                    self.close();
                    self.plies.pop();
                    self.interrupted = true;
                }
            }
        }
    }

    fn line_comment(&mut self, comment: &[u8]) {
        self.word(b";");
        for word in words(comment) {
            self.text.push(b' ');
            self.text.extend(word);
        }
        self.text.push(b'\n');
        self.column = 0;
    }

    fn comment(&mut self, comment: &[u8]) {
        self.word(b"{");
        if is_laid_out(comment) {
            self.text.push(b' ');
            self.column += 1;
            self.text.extend(comment);
            let last_line = comment.rsplit(|&byte| byte == b'\n').next().unwrap_or(comment);
            self.column = if last_line.len() == comment.len() { self.column + comment.len() } else { last_line.len() };
        } else {
            words(comment).for_each(|word| self.word(word));
        }
        self.word(b"}");
    }
}

/// Whether the blanks of a comment have a meaning: a diagram, a table, a new paragraph.
fn is_laid_out(comment: &[u8]) -> bool {
    comment.windows(2).any(|pair| pair != b"\r\n" && pair.iter().all(u8::is_ascii_whitespace))
}

/// The words of a comment; a command, such as `[%eval 0.31,18]`, stays on one line.
fn words(comment: &[u8]) -> impl Iterator<Item = &[u8]> {
    let (mut before, mut command) = (0, false);
    comment
        .split(move |&byte| {
            command = byte != b']' && (command || (before, byte) == (b'[', b'%'));
            before = byte;
            byte.is_ascii_whitespace() && !command
        })
        .filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_stay_whole() {
        let all: Vec<&[u8]> = words(b" to [sic] [%clk 0:01] [%eval\n1.2,3]x [% open").collect();
        let wanted: [&[u8]; 5] = [b"to", b"[sic]", b"[%clk 0:01]", b"[%eval\n1.2,3]x", b"[% open"];
        assert_eq!(all, wanted);
    }

    #[test]
    fn layout_is_seen() {
        assert!(!is_laid_out(b"two words\r\nand\nmore") && is_laid_out(b"a  b") && is_laid_out(b"a\n\nb"));
    }
}
