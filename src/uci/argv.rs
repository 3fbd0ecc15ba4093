//! Arguments that are not a subcommand: lines of the protocol, or flags to be ignored.

use std::path::Path;

use super::parse;

/// The meaning of the arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Lines to carry out instead of standard input; empty for a session.
    pub lines: Vec<String>,
    /// Unknown flags. Some programs pass all their settings this way, so they must do no harm.
    pub unknown: Vec<String>,
    /// The first argument that is not a flag, as it stands.
    pub first: String,
}

/// Sorts the arguments: if one holds a blank, each is a line; otherwise all together are one line.
pub fn plan(arguments: impl IntoIterator<Item = String>) -> Plan {
    let is_flag = |word: &String| {
        let mut chars = word.chars();
        // A negative number ("go wtime -100") is not a flag.
        chars.next() == Some('-') && !chars.next().is_some_and(|c| c.is_ascii_digit())
    };
    let arguments: Vec<String> = arguments.into_iter().collect();
    let are_lines = arguments.iter().any(|word| !is_flag(word) && word.contains(char::is_whitespace));
    let (mut unknown, mut words) = (Vec::new(), Vec::new());
    for word in arguments {
        // Within a line, a dash is a field of a FEN.
        let is_field = word == "-" && !are_lines && !words.is_empty();
        let place = if is_flag(&word) && !is_field { &mut unknown } else { &mut words };
        place.push(word);
    }
    let first = words.first().cloned().unwrap_or_default();
    let lines = if words.is_empty() || are_lines { words } else { vec![words.join(" ")] };
    Plan { lines, unknown, first }
}

/// The error message, in one line, for words that are not lines of the protocol; `None` if they may be.
///
/// `prompt`: the words of the prompt; `commands`: the commands of the program.
pub fn refuse(plan: &Plan, prompt: &[&str], commands: &[&str]) -> Option<String> {
    let mut words = plan.lines.iter().flat_map(|line| line.split_whitespace());
    let first = words.clone().next()?;
    // As on standard input, other words may precede a command.
    if first.starts_with('#') || prompt.contains(&&*first.to_ascii_lowercase()) || words.any(parse::is_keyword) {
        return None;
    }
    // The path of a file may hold blanks.
    if let Some(advice) = advice_on_file(&plan.first) {
        return Some(advice);
    }
    let nearest = commands
        .iter()
        .chain(prompt)
        .chain(&parse::KEYWORDS)
        .map(|&command| (word_distance(&first.to_ascii_lowercase(), command), command))
        .filter(|&(distance, command)| distance <= (command.len() / 3).min(2))
        .min_by_key(|&(distance, _)| distance);
    Some(match nearest {
        Some((_, command)) => format!("no command '{first}'; did you mean '{command}'? See ibex --help"),
        None => format!("no command '{first}'; see ibex --help"),
    })
}

/// The error message, in one line, for a flag that is nearly one of the program's; other unknown flags do no harm.
pub fn refuse_flag(flag: &str) -> Option<String> {
    const FLAGS: [&str; 3] = ["--help", "--version", "--signature"];
    let name = flag.split('=').next().unwrap_or_default().to_ascii_lowercase();
    // A single letter is within two letters of anything.
    let near = FLAGS.iter().find(|known| name.len() > 3 && word_distance(&name, known) <= 2)?;
    Some(format!("no flag '{flag}'; did you mean '{near}'? See ibex --help"))
}

/// Which commands take a file of this name; `None` if it is not a file name.
fn advice_on_file(name: &str) -> Option<String> {
    let lower = name.to_ascii_lowercase();
    let plain = [".gz", ".zst", ".bz2"].iter().find_map(|end| lower.strip_suffix(end)).unwrap_or(&lower);
    Some(match plain.rsplit_once('.').map(|(_, extension)| extension) {
        Some("pgn") => format!("'{name}' holds games: ibex-lab analyse FILE annotates them"),
        Some("epd") => {
            format!(
                "'{name}' holds positions: ibex-lab epd FILE runs a suite, ibex-lab perft FILE counts, ibex-lab analyse FILE annotates"
            )
        }
        Some("fen") => format!("'{name}' holds positions: ibex-lab analyse FILE annotates them"),
        _ if Path::new(name).is_file() => {
            format!("'{name}' is a file: ibex-lab analyse takes games and positions, ibex-lab epd takes suites")
        }
        _ => return None,
    })
}

/// The edit distance: how many letters must be added, left out, replaced or swapped with their neighbour.
pub fn word_distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().take(40).collect(), b.chars().collect());
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                let exchanged = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
                let exchanged = if exchanged { rows[i - 2][j - 2] + 1 } else { usize::MAX };
                replaced.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1).min(exchanged)
            };
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_words_are_refused_with_advice() {
        let refused = |arguments: &[&str]| {
            refuse(&planned(arguments), &["d", "eval", "help", "bench"], &["analyse", "bench", "epd", "perft"])
        };
        for (word, nearest) in [
            ("banch", "bench"),
            ("BENHC", "bench"),
            ("annalyse", "analyse"),
            ("analyis", "analyse"),
            ("pertf", "perft"),
            ("isredy", "isready"),
            ("epdd", "epd"),
        ] {
            let said = refused(&[word, "--depth", "3"]).expect(word);
            assert!(said.contains(&format!("'{word}'")) && said.contains(&format!("'{nearest}'")), "{said}");
        }
        let said = refused(&["annalyse", "games.pgn"]).expect("no command");
        assert!(said.contains("'annalyse'") && said.contains("'analyse'"), "{said}");
        assert_eq!(refused(&["xyzzy"]).as_deref(), Some("no command 'xyzzy'; see ibex --help"));
        for (file, command) in [
            ("games.pgn", "ibex-lab analyse"),
            ("dir/My Games.PGN", "ibex-lab analyse"),
            ("games.pgn.gz", "ibex-lab analyse"),
            ("suite.epd", "ibex-lab epd"),
            ("a.fen", "ibex-lab analyse"),
            ("Cargo.toml", "ibex-lab analyse"),
        ] {
            let said = refused(&[file, "--nodes", "5"]).expect(file);
            assert!(said.contains(&format!("'{file}'")) && said.contains(command), "{said}");
        }
        for lines in [
            &[][..],
            &["--foo=bar"],
            &["go", "movetime", "1000"],
            &["position startpos", "go depth 5"],
            &["d"],
            &["EVAL"],
            &["bench"],
            &["joho", "debug", "on"],
            &["# stop"],
            &["setoption name EvalFile value games.pgn"],
        ] {
            assert_eq!(refused(lines), None, "{lines:?}");
        }
    }

    #[test]
    fn a_word_that_is_far_from_all_has_no_advice() {
        let refused = |word: &str| refuse(&planned(&[word]), &["compiler", "d", "help"], &["bench", "epd"]);
        for word in ["compare", "abc", "x"] {
            assert_eq!(refused(word), Some(format!("no command '{word}'; see ibex --help")));
        }
    }

    #[test]
    fn a_flag_that_is_nearly_one_of_ours_is_refused() {
        for (flag, near) in [
            ("--hel", "--help"),
            ("-help", "--help"),
            ("--HELPP", "--help"),
            ("--versoin", "--version"),
            ("-version", "--version"),
        ] {
            let said = refuse_flag(flag).expect(flag);
            assert_eq!(said, format!("no flag '{flag}'; did you mean '{near}'? See ibex --help"));
        }
        for flag in ["-x", "-v", "--hash=64", "--threads", "-H", "--foo", "--uci"] {
            assert_eq!(refuse_flag(flag), None, "{flag}");
        }
    }

    fn planned(arguments: &[&str]) -> Plan {
        plan(arguments.iter().map(|&word| word.to_owned()))
    }

    #[test]
    fn arguments_are_joined_into_lines() {
        assert_eq!(planned(&[]), Plan::default());
        assert_eq!(planned(&["go", "depth", "5"]).lines, ["go depth 5"]);
        assert_eq!(planned(&["uci", "quit"]).lines, ["uci quit"]);
        assert_eq!(
            planned(&["position startpos", "go depth 5", "quit"]).lines,
            ["position startpos", "go depth 5", "quit"]
        );
        assert_eq!(planned(&["go", "wtime", "-100"]).lines, ["go wtime -100"]);
        let fen = ["position", "fen", "4k3/8/8/8/8/8/4P3/4K3", "w", "-", "-", "0", "1"];
        assert_eq!(planned(&fen), Plan { lines: vec![fen.join(" ")], first: "position".to_owned(), ..Plan::default() });
        let dash = planned(&["position startpos", "-", "d"]);
        assert_eq!(
            (dash.lines, dash.unknown),
            (vec!["position startpos".to_owned(), "d".to_owned()], vec!["-".to_owned()])
        );
        let flags = planned(&["--foo=bar", "-x", "-"]);
        assert_eq!((flags.lines.len(), flags.unknown.len()), (0, 3));
    }
}
