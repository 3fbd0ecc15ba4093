//! Words behind the program's name that are no command of its own: lines of the protocol, or flags to be ignored.

/// What to do with the arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Lines to be carried out instead of standard input's; none for a session.
    pub lines: Vec<String>,
    /// Flags that nobody knows; some programs pass all their settings this way, so they must do no harm.
    pub unknown: Vec<String>,
}

/// Sorts the arguments: where one holds a blank each is a line, otherwise all together are one.
pub fn plan(arguments: impl IntoIterator<Item = String>) -> Plan {
    let is_flag = |word: &String| {
        let mut chars = word.chars();
        // A negative number ("go wtime -100") is no flag.
        chars.next() == Some('-') && !chars.next().is_some_and(|c| c.is_ascii_digit())
    };
    let (unknown, words): (Vec<String>, Vec<String>) = arguments.into_iter().partition(is_flag);
    let lines = if words.is_empty() || words.iter().any(|word| word.contains(char::is_whitespace)) {
        words
    } else {
        vec![words.join(" ")]
    };
    Plan { lines, unknown }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planned(arguments: &[&str]) -> Plan {
        plan(arguments.iter().map(|&word| word.to_owned()))
    }

    #[test]
    fn words_and_lines() {
        assert_eq!(planned(&[]), Plan::default());
        assert_eq!(planned(&["go", "depth", "5"]).lines, ["go depth 5"]);
        assert_eq!(planned(&["uci", "quit"]).lines, ["uci quit"]);
        assert_eq!(
            planned(&["position startpos", "go depth 5", "quit"]).lines,
            ["position startpos", "go depth 5", "quit"]
        );
        assert_eq!(planned(&["go", "wtime", "-100"]).lines, ["go wtime -100"]);
        let flags = planned(&["--foo=bar", "-x", "-"]);
        assert_eq!((flags.lines.len(), flags.unknown.len()), (0, 3));
    }
}
