//! The syntax of operations: words, strings in quotes, semicolons.

/// One operation as it stands in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// The opcode: a letter or underscore, then letters, digits and underscores. For an odd operation, its first word.
    pub opcode: String,
    /// The operands, without the quotes around strings and their backslashes.
    pub operands: Vec<String>,
    /// How many of the operands were strings in quotes.
    pub quoted: usize,
    /// The text in the file, without the semicolon.
    pub raw: String,
    /// Why the operation has no meaning here; `None` if it has one.
    pub odd: Option<&'static str>,
}

impl Operation {
    /// The operands as one text.
    pub fn text(&self) -> String {
        self.operands.join(" ")
    }
}

pub(super) const ENDLESS: &str = "an unterminated quotation";

/// Why an operation is odd that continues after a quotation with the word of a solution.
pub(super) const UNENDED: &str = "a semicolon is missing before the solution";

/// Takes the next word; words end at blanks and semicolons, and the rest keeps its semicolon.
pub(super) fn next_word<'a>(rest: &mut &'a str) -> &'a str {
    let text = rest.trim_start();
    let end = text.find(|c: char| c.is_whitespace() || c == ';').unwrap_or(text.len());
    let (word, tail) = text.split_at(end);
    *rest = tail;
    word
}

/// Splits `opcode operand "quoted; operand"; opcode ...`. Empty operations (a leading or doubled semicolon) are
/// skipped, and `#` in place of an opcode begins a comment, which is kept like an odd operation.
pub(super) fn split_operations(text: &str) -> Vec<Operation> {
    let mut operations: Vec<Operation> = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        if rest.starts_with('#') {
            operations.push(comment(rest));
            break;
        }
        operations.extend(next_operation(&mut rest));
        rest = rest.trim_start();
    }
    // Suites have hundreds of thousands of these, so the spare capacity of the lists is freed.
    operations.shrink_to_fit();
    operations
}

/// A comment, which goes on to the end of the line.
fn comment(text: &str) -> Operation {
    let raw = text.trim_end().to_owned();
    Operation { opcode: "#".to_owned(), operands: Vec::new(), quoted: 0, raw, odd: Some("a comment") }
}

/// Takes the next operation, and the semicolon after it; `None` if there is nothing before the semicolon.
fn next_operation(rest: &mut &str) -> Option<Operation> {
    let start = *rest;
    let mut words: Vec<String> = Vec::new();
    let (mut quoted, mut quoted_first, mut odd) = (0, false, None);
    let raw = loop {
        *rest = rest.trim_start();
        let raw = &start[..start.len() - rest.len()];
        match rest.chars().next() {
            None => break raw,
            Some(';') => {
                *rest = &rest[1..];
                break raw;
            }
            Some('"') => match quotation(rest) {
                Some((string, tail)) => {
                    quoted += 1;
                    quoted_first |= words.is_empty();
                    words.push(string);
                    *rest = tail;
                }
                None => {
                    // Its end is unknown: the whole rest belongs to it.
                    odd = Some(ENDLESS);
                    words.push((*rest).to_owned());
                    *rest = "";
                }
            },
            Some(_) => {
                let word = next_word(rest);
                if quoted > 0 && matches!(word, "bm" | "am" | "dm") {
                    odd = Some(UNENDED);
                }
                words.push(word.to_owned());
            }
        }
    };
    let mut words = words.into_iter();
    let opcode = words.next()?;
    if odd.is_none() && (quoted_first || !is_opcode(&opcode)) {
        odd = Some("no opcode");
    }
    let mut operands: Vec<String> = words.collect();
    operands.iter_mut().for_each(String::shrink_to_fit);
    operands.shrink_to_fit();
    Some(Operation { opcode, operands, quoted, raw: raw.trim_end().to_owned(), odd })
}

/// The string in quotes at the beginning of a text, without quotes and backslashes, and what follows it. A backslash
/// may precede a quote or a backslash, or begin `\n`, `\r`, `\t`; elsewhere it is an ordinary character. In older
/// files no backslash escapes: if the string would have no end, none does.
pub fn quotation(text: &str) -> Option<(String, &str)> {
    let body = text.strip_prefix('"')?;
    let mut string = String::new();
    let mut characters = body.char_indices();
    while let Some((at, c)) = characters.next() {
        match c {
            '"' => return Some((string, &body[at + 1..])),
            '\\' => match characters.next().map_or('\0', |(_, next)| next) {
                next @ ('"' | '\\') => string.push(next),
                'n' => string.push('\n'),
                'r' => string.push('\r'),
                't' => string.push('\t'),
                next => string.extend(['\\', next]),
            },
            c => string.push(c),
        }
    }
    body.split_once('"').map(|(string, tail)| (string.to_owned(), tail))
}

/// A text as a string in quotes that [`quotation`] and other readers read back.
pub fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

pub(super) fn is_opcode(word: &str) -> bool {
    word.len() <= 15
        && word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// The operation with this opcode, if it has a meaning.
pub(super) fn find<'a>(operations: &'a [Operation], opcode: &str) -> Option<&'a Operation> {
    operations.iter().find(|operation| operation.odd.is_none() && operation.opcode == opcode)
}
