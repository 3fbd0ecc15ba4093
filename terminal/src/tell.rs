//! Output of the commands on standard output and standard error.

use std::collections::BTreeSet;
use std::fmt::Arguments;
use std::io::{self, Write as _};
use std::sync::{Mutex, PoisonError};

use crate::{CommandError, Result};

/// Prints a line on standard output, like `println!`.
///
/// Where that panics, this is an error that ends the command: silently if the reader is gone (`ibex-lab epd FILE |
/// head -1`), else with one line that says why (a full disk). So a command must write its files before it prints.
#[macro_export]
macro_rules! tell {
    ($($words:tt)*) => { $crate::tell::line(format_args!($($words)*)) };
}

/// Prints a line on standard error, like `eprintln!`.
///
/// Where that panics, because the reader is gone or the disk is full, the line is lost and the command goes on: its
/// work and its exit status do not depend on a remark.
#[macro_export]
macro_rules! remark {
    ($($words:tt)*) => { $crate::tell::aside(format_args!($($words)*)) };
}

/// A number and what it counts, as in "1 game" and "2 games".
pub fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// The first `most` lines of a list. If it has more, one line says from which index on, and how many there are.
pub fn shortened<T>(
    items: &[T],
    most: usize,
    line: impl Fn(&T) -> String,
    place: impl Fn(&T) -> String,
) -> Vec<String> {
    // Leaving out a single line would only replace it by another.
    let shown = if items.len() > most + 1 { most } else { items.len() };
    let mut lines: Vec<String> = items[..shown].iter().map(line).collect();
    if let Some(first) = items.get(shown) {
        lines.push(format!("{}: {} more such lines from here on", place(first), items.len() - shown));
    }
    lines
}

/// The share `part / whole` in percent, without the sign, to a number of decimal places; zero for an empty whole.
///
/// It is rounded down: only the whole is 100%, and a share that misses a limit never reads as if it met it.
pub fn share(part: usize, whole: usize, places: usize) -> String {
    let scale = (0..places).fold(1, |scale: u128, _| 10 * scale);
    let parts = 100 * scale * part as u128 / whole.max(1) as u128;
    match places {
        0 => parts.to_string(),
        _ => format!("{}.{:0places$}", parts / scale, parts % scale),
    }
}

/// Whether a character changes the direction of the following text.
pub fn turns_writing(c: char) -> bool {
    matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// The implementation of [`tell!`].
///
/// # Errors
///
/// The line cannot be written.
pub fn line(words: Arguments<'_>) -> Result<()> {
    writeln!(io::stdout().lock(), "{}", visible(words)).map_err(CommandError::output)
}

/// The implementation of [`remark!`].
pub fn aside(words: Arguments<'_>) {
    let _ = writeln!(io::stderr().lock(), "{}", visible(words));
}

/// Prints what failed in a search on standard error, once: the next search may have the same trouble.
pub fn remark_once(what: String) {
    static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let mut said = SAID.lock().unwrap_or_else(PoisonError::into_inner);
    if !said.contains(&what) {
        aside(format_args!("ibex: {what}"));
        said.insert(what);
    }
}

/// A text in which files and other engines cannot control the terminal: control characters, and those that change the
/// text direction, are shown as escapes.
fn visible(words: Arguments<'_>) -> String {
    let is_order = |c: char| c.is_control() && c != '\n' && c != '\t' || turns_writing(c);
    let text = words.to_string();
    if !text.contains(is_order) {
        return text;
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_order(c) { shown.extend(c.escape_default()) } else { shown.push(c) }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shortened_lists_count_what_they_leave_out() {
        let shortened = |count: usize| {
            let items: Vec<usize> = (1..=count).collect();
            shortened(&items, 3, |n| format!("a:{n}: bad"), |n| format!("a:{n}"))
        };
        assert_eq!(shortened(0).len(), 0);
        assert_eq!(shortened(3), ["a:1: bad", "a:2: bad", "a:3: bad"]);
        assert_eq!(shortened(4)[3], "a:4: bad");
        assert_eq!(shortened(5)[2..], ["a:3: bad", "a:4: 2 more such lines from here on"]);
        assert_eq!(shortened(9)[3], "a:4: 6 more such lines from here on");
    }

    #[test]
    fn texts_cannot_control_the_terminal() {
        let hostile = "a\u{1b}]0;owned\u{7}b\u{9b}31m\u{202e}c\r";
        assert_eq!(visible(format_args!("{hostile}")), r"a\u{1b}]0;owned\u{7}b\u{9b}31m\u{202e}c\r");
        let harmless = "a line,\tand another\nwith é and ½";
        assert_eq!(visible(format_args!("{harmless}")), harmless);
    }

    #[test]
    fn shares_are_rounded_down() {
        let parts = [(0, 3), (1, 3), (2999, 3000), (999, 1000), (3000, 3000), (29, 100), (0, 0)];
        let tenths = parts.map(|(part, whole)| share(part, whole, 1));
        assert_eq!(tenths, ["0.0", "33.3", "99.9", "99.9", "100.0", "29.0", "0.0"]);
        assert_eq!(parts.map(|(part, whole)| share(part, whole, 0)), ["0", "33", "99", "99", "100", "29", "0"]);
        assert_eq!(share(1999, 2000, 2), "99.95");
        assert_eq!(share(usize::MAX - 1, usize::MAX, 1), "99.9");
    }
}
