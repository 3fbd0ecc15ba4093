//! The words of movetext.

/// One word, with the bytes that it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lexeme<'a> {
    /// `(`
    Open,
    /// `)`
    Close,
    /// `{`; the comment follows, and may span many lines.
    Brace,
    /// A comment from `;` to the end of the line, without the semicolon.
    Line(&'a [u8]),
    /// `$N`, or a sign that stands for one.
    Nag(u32),
    /// A move number with its dots; `None` for dots alone.
    Number(Option<u64>),
    /// A result.
    Result(&'static str),
    /// Anything else: a move, or something unreadable.
    Word(&'a [u8]),
}

/// The length of the blank at the beginning: ASCII and Unicode blanks, invisible marks, and the DOS end mark.
fn blank(rest: &[u8]) -> usize {
    match rest.first() {
        Some(b' ' | b'\t' | b'\n' | b'\r' | 0x0B | 0x0C | 0x1A) => 1,
        Some(0x80..) => match first_char(rest) {
            Some(c) if c.is_whitespace() || matches!(c, '\u{200B}'..='\u{200F}' | '\u{2060}' | '\u{FEFF}') => {
                c.len_utf8()
            }
            // The same blank in Latin-1.
            None if rest[0] == 0xA0 => 1,
            _ => 0,
        },
        _ => 0,
    }
}

fn first_char(rest: &[u8]) -> Option<char> {
    let whole = &rest[..rest.len().min(4)];
    let valid = match std::str::from_utf8(whole) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&whole[..error.valid_up_to()]).unwrap_or_default(),
    };
    valid.chars().next()
}

/// Where the next word of `line` from `at` on begins.
pub(super) fn skip_blanks(line: &[u8], mut at: usize) -> usize {
    while at < line.len() {
        match blank(&line[at..]) {
            0 => break,
            length => at += length,
        }
    }
    at
}

/// Whether a line is blank.
pub(super) fn is_blank(line: &[u8]) -> bool {
    skip_blanks(line, 0) == line.len()
}

/// Draws without a dash.
const HALVES: [&str; 2] = ["1/2", "½"];

/// The characters that stand for the dash of a result.
const DASHES: [&str; 8] = ["-", "–", "—", "−", "‐", "‑", "‒", "―"];

/// Signs that stand for glyphs, after a move or alone; longer ones before their prefixes.
const SIGNS: [(&str, u32); 24] = [
    ("!!", 3),
    ("??", 4),
    ("!?", 5),
    ("?!", 6),
    ("!", 1),
    ("?", 2),
    ("‼", 3),
    ("⁇", 4),
    ("⁉", 5),
    ("⁈", 6),
    ("+/=", 14),
    ("=/+", 15),
    ("+/-", 16),
    ("-/+", 17),
    ("+-", 18),
    ("-+", 19),
    ("⩲", 14),
    ("⩱", 15),
    ("±", 16),
    ("∓", 17),
    ("+−", 18),
    ("−+", 19),
    ("∞", 13),
    ("□", 7),
];

/// Signs that mean a glyph only when they stand alone.
const ALONE: [(&str, u32); 4] = [("=", 10), ("+=", 14), ("=+", 15), ("N", 146)];

/// Takes the first word of `rest`, which does not begin with a blank; the second value is its length.
pub(super) fn next(rest: &[u8]) -> (Lexeme<'_>, usize) {
    match rest.first() {
        Some(b'(') => return (Lexeme::Open, 1),
        Some(b')') => return (Lexeme::Close, 1),
        Some(b'{') => return (Lexeme::Brace, 1),
        Some(b';') => {
            let end = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len());
            return (Lexeme::Line(&rest[1..end]), end);
        }
        Some(b'*') => return (Lexeme::Result("*"), 1),
        Some(b'$') => {
            let digits = rest[1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
            if let Some(nag) = number(&rest[1..1 + digits]).and_then(|nag| u32::try_from(nag).ok()) {
                return (Lexeme::Nag(nag), 1 + digits);
            }
        }
        _ => {}
    }
    if let Some(result) = result(rest) {
        return result;
    }
    // Only unknown words are measured: a text of signs alone would be measured at each of them.
    let is = |known: &str| rest.starts_with(known.as_bytes()) && ends(rest, known.len());
    if let Some(half) = HALVES.iter().find(|half| is(half)) {
        return (Lexeme::Result("1/2-1/2"), half.len());
    }
    if let Some((sign, nag)) = ALONE.iter().find(|(sign, _)| is(sign)) {
        return (Lexeme::Nag(*nag), sign.len());
    }
    if let Some((sign, nag)) = sign(rest) {
        return (Lexeme::Nag(nag), sign.len());
    }
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let dots = dots(&rest[digits..]);
    // "12", "12.", "12...e5", and "12e4"; but zeros castle, "0:05" is a time, and "0000" a null move.
    let is_number = dots > 0 || ends(rest, digits) || rest[digits].is_ascii_alphabetic();
    if digits + dots > 0 && is_number && !is("0000") {
        return (Lexeme::Number(number(&rest[..digits])), digits + dots);
    }
    let mut length = first_char(rest).map_or(1, char::len_utf8);
    // A glyph may follow a move without a blank; but "--" is a null move.
    while !ends(rest, length) && (sign(&rest[length..]).is_none() || &rest[..=length] == b"--") {
        length += first_char(&rest[length..]).map_or(1, char::len_utf8);
    }
    (Lexeme::Word(&rest[..length]), length)
}

/// The sign at the beginning, and the glyph that it stands for.
fn sign(rest: &[u8]) -> Option<(&'static str, u32)> {
    SIGNS.iter().copied().find(|(sign, _)| rest.starts_with(sign.as_bytes()))
}

/// A result with a dash of any kind, and blanks beside it or none; and its length.
fn result(rest: &[u8]) -> Option<(Lexeme<'_>, usize)> {
    const SCORES: [(&str, &str, &str); 4] =
        [("1", "0", "1-0"), ("0", "1", "0-1"), ("1/2", "1/2", "1/2-1/2"), ("½", "½", "1/2-1/2")];
    SCORES.iter().find_map(|&(white, black, result)| {
        let behind = |at: usize, text: &str| rest[at..].starts_with(text.as_bytes()).then_some(at + text.len());
        let dash = skip_blanks(rest, behind(0, white)?);
        let blank = DASHES.iter().find_map(|text| behind(dash, text))?;
        let end = behind(skip_blanks(rest, blank), black)?;
        ends(rest, end).then_some((Lexeme::Result(result), end))
    })
}

/// The length of a mark of web forums around a game at the beginning of `rest`, such as `[pgn]` or `[/pgn]`; 0 without
/// one.
pub(super) fn forum_mark(rest: &[u8]) -> usize {
    if rest.first() != Some(&b'[') {
        return 0;
    }
    let Some(length) = rest.iter().take(64).position(|&byte| byte == b']').map(|end| end + 1) else { return 0 };
    let name = &rest[1..length].to_ascii_lowercase()[..];
    let name = name.strip_prefix(b"/").unwrap_or(name);
    // `[pgn id=3]` has settings, but `[Pgn "x"]` is a tag.
    let is_mark = name.starts_with(b"pgn") && !name[3..].first().is_some_and(u8::is_ascii_alphanumeric);
    if is_mark && !name.contains(&b'"') { length } else { 0 }
}

/// Whether a word ends before this byte: at a blank, or where another word begins.
fn ends(rest: &[u8], at: usize) -> bool {
    rest.get(at).is_none_or(|byte| b"{}();$*".contains(byte)) || blank(&rest[at..]) > 0
}

/// How many bytes of dots, or of the ellipsis character, are at the beginning.
fn dots(word: &[u8]) -> usize {
    const ELLIPSIS: &[u8] = "…".as_bytes();
    let mut at = 0;
    loop {
        match &word[at..] {
            [b'.', ..] => at += 1,
            rest if rest.starts_with(ELLIPSIS) => at += ELLIPSIS.len(),
            _ => return at,
        }
    }
}

fn number(digits: &[u8]) -> Option<u64> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<Lexeme<'_>> {
        let line = text.as_bytes();
        let (mut at, mut words) = (skip_blanks(line, 0), Vec::new());
        while at < line.len() {
            let (lexeme, length) = next(&line[at..]);
            assert!(length > 0);
            words.push(lexeme);
            at = skip_blanks(line, at + length);
        }
        words
    }

    fn word(text: &str) -> Lexeme<'_> {
        Lexeme::Word(text.as_bytes())
    }

    #[test]
    fn movetext_is_split_into_words() {
        use Lexeme::{Close, Line, Nag, Number, Open, Result};
        assert_eq!(
            words("1.e4!? \u{A0}1...e5?! 2… Nf3!!! 12Bb5 $10 (0:05) 0-0-0 0000 -- *"),
            [
                Number(Some(1)),
                word("e4"),
                Nag(5),
                Number(Some(1)),
                word("e5"),
                Nag(6),
                Number(Some(2)),
                word("Nf3"),
                Nag(3),
                Nag(1),
                Number(Some(12)),
                word("Bb5"),
                Nag(10),
                Open,
                word("0:05"),
                Close,
                word("0-0-0"),
                word("0000"),
                word("--"),
                Result("*")
            ]
        );
        assert_eq!(words("Nf3+- --+- = N ± ... e5;x {y}"), {
            [
                word("Nf3"),
                Nag(18),
                word("--"),
                Nag(18),
                Nag(10),
                Nag(146),
                Nag(16),
                Number(None),
                word("e5"),
                Line(b"x {y}"),
            ]
        });
        assert_eq!(words("1/2 - 1/2 1 – 0 0- 1\n1/2 -1/2 ½ - ½"), {
            let draw = Result("1/2-1/2");
            [draw, Result("1-0"), Result("0-1"), draw, draw]
        });
        assert_eq!(words("1/2 1 - 0x"), [Result("1/2-1/2"), Number(Some(1)), word("-"), Number(Some(0)), word("x")]);
        assert_eq!(words("1/2–1/2 1—0 0−1 ½‑½ 1 ― 0"), {
            let draw = Result("1/2-1/2");
            [draw, Result("1-0"), Result("0-1"), draw, Result("1-0")]
        });
        assert_eq!(words("½-½ 1/2 0-1"), [Result("1/2-1/2"), Result("1/2-1/2"), Result("0-1")]);
        assert_eq!(words("$ [%clk 0:01] Qh4++ 0-0+"), {
            [word("$"), word("[%clk"), word("0:01]"), word("Qh4++"), word("0-0+")]
        });
        assert_eq!(words("\u{FEFF}\u{2003}\u{1A}"), []);
        // The last byte of this letter is a blank in Latin-1.
        assert_eq!(words("voilà! à x"), [word("voilà"), Nag(1), word("à"), word("x")]);
    }

    #[test]
    fn marks_of_forums_are_no_tags() {
        for (text, length) in
            [("[pgn]1. e4", 5), ("[/PGN]", 6), ("[pgn id=3]\n", 10), ("[Pgn \"x\"]", 0), ("[pgnx]", 0), ("[pgn", 0)]
        {
            assert_eq!(forum_mark(text.as_bytes()), length, "{text}");
        }
    }

    /// Once, each word was measured to its end for each sign or number taken off it.
    #[test]
    fn a_word_without_an_end_is_read_once() {
        for (piece, each) in [("!!", 1), ("1.", 1), ("e4!?", 2), ("0000!", 2), ("1/2?", 2)] {
            assert_eq!(words(&piece.repeat(1 << 20)).len(), each << 20, "{piece}");
        }
        assert_eq!(words(&"=+".repeat(1 << 20)).len(), 1);
    }
}
