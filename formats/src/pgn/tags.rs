//! One tag pair: `[Name "value"]`, and what files have instead.

use super::decoded;
use super::lexer::skip_blanks;

/// A tag of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tag {
    /// A name and its value, decoded.
    Pair(Vec<u8>, Vec<u8>),
    /// A line that cannot be read as a tag, as it stands.
    Unread(Vec<u8>),
}

/// The value of the first tag with this name, in any case.
pub fn find<'a>(tags: &'a [Tag], name: &str) -> Option<&'a [u8]> {
    tags.iter().find_map(|tag| match tag {
        Tag::Pair(known, value) if known.eq_ignore_ascii_case(name.as_bytes()) => Some(value.as_slice()),
        _ => None,
    })
}

/// The players, for messages.
pub fn title(tags: &[Tag]) -> String {
    let name = |tag| find(tags, tag).map_or_else(|| "?".to_owned(), decoded);
    let title = format!("{} - {}", name("White"), name("Black"));
    title.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

impl Tag {
    /// The name of the tag, or `None` if the line cannot be read.
    pub fn name(&self) -> Option<&[u8]> {
        match self {
            Tag::Pair(name, _) => Some(name),
            Tag::Unread(_) => None,
        }
    }

    /// The line that writes the tag.
    pub fn write(&self, text: &mut Vec<u8>) {
        match self {
            Tag::Unread(line) => text.extend(line),
            Tag::Pair(name, value) => {
                text.push(b'[');
                text.extend(name);
                text.extend(b" \"");
                for &byte in value {
                    if matches!(byte, b'"' | b'\\') {
                        text.push(b'\\');
                    }
                    text.push(byte);
                }
                text.extend(b"\"]");
            }
        }
        text.push(b'\n');
    }

    /// Reads the tag at the beginning of `line`, and its length in bytes; `None` if the line does not begin like a
    /// tag. A line that only begins like one is [unread](Tag::Unread), as a whole.
    ///
    /// Quotes within a value should have a backslash. If they have none, the value ends at the first quote and bracket
    /// followed by a tag or by nothing; or at the first of all if another tag begins before that, because a line may
    /// hold many games.
    pub fn read(line: &[u8]) -> Option<(Tag, usize)> {
        let (name, value) = opening(line)?;
        let end = |escapes: bool| {
            let mut first = None;
            let mut at = value;
            while let Some(&byte) = line.get(at) {
                match byte {
                    b'\\' if escapes && matches!(line.get(at + 1), Some(b'"' | b'\\')) => at += 1,
                    b'"' => {
                        let bracket = skip_blanks(line, at + 1);
                        if line.get(bracket) == Some(&b']') {
                            let rest = skip_blanks(line, bracket + 1);
                            if rest == line.len() || opening(&line[rest..]).is_some() {
                                return Some((at, bracket + 1));
                            }
                            first.get_or_insert((at, bracket + 1));
                        }
                    }
                    b'[' if first.is_some() && opening(&line[at..]).is_some() => break,
                    _ => {}
                }
                at += 1;
            }
            first
        };
        // `"C:\"]`: the backslash before the last quote belongs to the value.
        match end(true).or_else(|| end(false)) {
            Some((end, next)) => Some((Tag::Pair(name.to_vec(), decode(&line[value..end])), next)),
            None => Some((Tag::Unread(line.trim_ascii_end().to_vec()), line.len())),
        }
    }
}

/// The name of the tag at the beginning of `line`, and where its value begins; `None` if no tag begins there.
fn opening(line: &[u8]) -> Option<(&[u8], usize)> {
    let bracket = skip_blanks(line, 0);
    if line.get(bracket) != Some(&b'[') {
        return None;
    }
    let from = skip_blanks(line, bracket + 1);
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_+#=:-".contains(byte);
    let length = line[from..].iter().take_while(|byte| is_name(byte)).count();
    let quote = skip_blanks(line, from + length);
    (length > 0 && line.get(quote) == Some(&b'"')).then(|| (&line[from..from + length], quote + 1))
}

/// Reads brackets in the place of tags that are not a tag pair, such as `[Foo bar]`, as [unread](Tag::Unread), and
/// their length in bytes. `None` if `line` does not begin with a bracket and a letter (or, `after_tag`, with a bracket),
/// or if neither the end of the line nor another such piece or tag follows.
pub fn unread(line: &[u8], after_tag: bool) -> Option<(Tag, usize)> {
    let begins = |rest: &[u8]| {
        let is_name = |byte: &u8| byte.is_ascii_alphabetic() || after_tag && !b"%+-.0123456789".contains(byte);
        rest.first() == Some(&b'[') && rest.get(skip_blanks(rest, 1)).is_some_and(is_name)
    };
    let ends = |end: usize| {
        let rest = &line[skip_blanks(line, end)..];
        rest.is_empty() || begins(rest) || opening(rest).is_some()
    };
    let mut brackets = line.iter().enumerate().filter(|&(_, &byte)| byte == b']').map(|(at, _)| at + 1);
    let end = brackets.find(|&end| ends(end)).filter(|_| begins(line))?;
    Some((Tag::Unread(line[..end].to_vec()), end))
}

/// The end of the last possible tag value in `line`: at a quote followed by a bracket. No tag begins later; without
/// such a quote, the answer is 0.
pub fn last_end(line: &[u8]) -> usize {
    let ends = |at: usize| line[at] == b'"' && line.get(skip_blanks(line, at + 1)) == Some(&b']');
    (0..line.len()).rev().find(|&at| ends(at)).unwrap_or_default()
}

/// Whether a line is one whole tag pair and nothing else.
pub fn is_whole(line: &[u8]) -> bool {
    matches!(Tag::read(line), Some((Tag::Pair(..), end)) if skip_blanks(line, end) == line.len())
}

/// A value without its backslashes; control characters, which would break the line, become blanks.
fn decode(raw: &[u8]) -> Vec<u8> {
    let mut value = Vec::with_capacity(raw.len());
    let mut bytes = raw.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        let byte = match (byte, bytes.peek()) {
            (b'\\', Some(&next @ (b'"' | b'\\'))) => {
                bytes.next();
                next
            }
            _ => byte,
        };
        value.push(if byte.is_ascii_control() { b' ' } else { byte });
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Option<(String, &str)> {
        let (tag, end) = Tag::read(line.as_bytes())?;
        let mut text = Vec::new();
        tag.write(&mut text);
        Some((String::from_utf8(text).expect("text").trim_end().to_owned(), &line[end..]))
    }

    #[test]
    fn tags_are_read_in_every_usual_form() {
        for (line, tag, rest) in [
            (r#"[White "A"]"#, r#"[White "A"]"#, ""),
            (r#"[ FEN  "8/8 w" ]"#, r#"[FEN "8/8 w"]"#, ""),
            (r#"[White "Robert "Bobby" Fischer"]"#, r#"[White "Robert \"Bobby\" Fischer"]"#, ""),
            (r#"[White "A \"B\" \\ C"]"#, r#"[White "A \"B\" \\ C"]"#, ""),
            (r#"[Path "C:\games\"]"#, r#"[Path "C:\\games\\"]"#, ""),
            (r#"[A "x"] [B "y"]"#, r#"[A "x"]"#, r#" [B "y"]"#),
            (r#"[A "x"]1. e4"#, r#"[A "x"]"#, "1. e4"),
            (r#"[A ""]"#, r#"[A ""]"#, ""),
            (r#"[A "["b"]"]"#, r#"[A "[\"b\"]"]"#, ""),
            (r#"[A "open]"#, r#"[A "open]"#, ""),
        ] {
            assert_eq!(read(line), Some((tag.to_owned(), rest)), "{line}");
        }
        for line in ["", "1. e4", "[%clk 0:01]", "[Event]", "[ \"x\"]", "White \"A\"]"] {
            assert_eq!(read(line), None, "{line}");
        }
        let odd = |line: &str| unread(line.as_bytes(), false).map(|(_, end)| line[..end].to_owned());
        for (line, piece) in [
            ("[Event]\r\n", "[Event]"),
            ("[Foo bar] \n", "[Foo bar]"),
            ("[ Foo 'a]b'] [1 \"x\"]", "[ Foo 'a]b']"),
            ("[Foo] [Bar x]", "[Foo]"),
        ] {
            assert_eq!(odd(line).as_deref(), Some(piece), "{line}");
        }
        for line in ["", "[%clk 0:01]", "[+0.3]", "[Foo bar", "[Foo bar] 1. e4", "Foo]", "[]", "[/b]"] {
            assert_eq!(odd(line), None, "{line}");
        }
        for line in ["[]", "[\"x\"]", "[#]", "[/b]", "[ ]"] {
            assert_eq!(unread(line.as_bytes(), true).map(|(_, end)| end), Some(line.len()), "{line}");
        }
        assert_eq!(unread(b"[%clk 0:01]", true), None);
        for (line, end) in
            [("", 0), ("e4 [a \" [b", 0), ("e4 [a \"x\"\u{A0}] [b \" ]", 16), ("e4 [a \"x\"] [b \" x]", 8)]
        {
            assert_eq!(last_end(line.as_bytes()), end, "{line}");
        }
        assert!(is_whole(b"  [A \"x\"] \r\n") && !is_whole(b"[A \"x\"] 1. e4") && !is_whole(b"[A \"x"));
    }
}
