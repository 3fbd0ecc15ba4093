//! Playing through engines: what suites, analyses, endings and experiments share.
//!
//! - [`player`]: a question, its budget and its answer, and Ibex itself as a player
//! - [`external`]: any other UCI program; `info`: its `info` lines

pub mod external;
mod info;
pub mod player;

use std::path::Path;

use terminal::{Result, trouble};

/// An engine as the user names it.
pub struct NamedEngine<'a> {
    /// Its label, or else the name of its program.
    pub label: String,
    /// Its command as it was given.
    pub command: &'a str,
    /// The words of the command; there is at least one.
    pub words: Vec<String>,
}

/// Reads `--engine`: `[LABEL=]COMMAND ARGUMENTS`.
///
/// # Errors
///
/// One line: a quotation has no end, or there is no command.
pub fn read_engine(text: &str) -> Result<NamedEngine<'_>> {
    let (label, command) = split_label(text);
    let words = split_command(command, cfg!(windows))
        .ok_or_else(|| trouble!("--engine '{text}': an unterminated quotation"))?;
    let program = words.first().ok_or_else(|| trouble!("--engine '{text}': no command"))?;
    let stem = Path::new(program).file_stem().unwrap_or_default().to_string_lossy();
    let label = label.map_or_else(|| stem.into_owned(), str::to_owned);
    Ok(NamedEngine { label, command, words })
}

/// Splits `LABEL=COMMAND`; a path before the equals sign is not a label.
fn split_label(text: &str) -> (Option<&str>, &str) {
    match text.split_once('=') {
        Some((label, command))
            if !label.is_empty() && label.chars().all(|c| c.is_alphanumeric() || "._+-".contains(c)) =>
        {
            (Some(label), command)
        }
        _ => (None, text),
    }
}

/// Splits a command into words, as a shell does: blanks separate them, and quotation marks protect blanks. On
/// `windows` a backslash is an ordinary character, because paths contain it. `None` if a quotation has no end.
fn split_command(text: &str, windows: bool) -> Option<Vec<String>> {
    if !windows {
        return shlex::split(text);
    }
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for c in text.chars() {
        match quote {
            Some(mark) if c == mark => quote = None,
            None if matches!(c, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            None if c.is_ascii_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_have_words() {
        let split = |text, windows| split_command(text, windows).map(|words| words.join("|"));
        for (text, elsewhere, windows) in [
            (r"C:\chess\sf.exe -x", r"C:chesssf.exe|-x", r"C:\chess\sf.exe|-x"),
            (r#""C:\my chess\sf.exe" a"#, r"C:\my chess\sf.exe|a", r"C:\my chess\sf.exe|a"),
            (r"a\ b 'c \d' e''", r"a b|c \d|e", r"a\|b|c \d|e"),
            (r#"  a "" 'it"s' "#, r#"a||it"s"#, r#"a||it"s"#),
            ("", "", ""),
        ] {
            assert_eq!(split(text, false).as_deref(), Some(elsewhere), "{text}");
            assert_eq!(split(text, true).as_deref(), Some(windows), "{text}");
        }
        assert_eq!((split("a 'b", false), split("a 'b", true)), (None, None));
    }

    #[test]
    fn labels_are_distinguished_from_paths() {
        assert_eq!(split_label("sf=stockfish -x"), (Some("sf"), "stockfish -x"));
        assert_eq!(split_label("/opt/a=b/engine"), (None, "/opt/a=b/engine"));
        assert_eq!(split_label("engine --a=b"), (None, "engine --a=b"));
        assert_eq!(split_label("=x"), (None, "=x"));
    }
}
