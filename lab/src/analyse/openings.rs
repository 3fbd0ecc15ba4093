//! Names of openings, from a file that the user names.

use std::collections::HashMap;
use std::path::Path;

use formats::pgn::{Games, Pgn, decoded};
use ibex::checksum::checksum;
use ibex::position::Position;
use ibex::position::notation::{Action, read_action, read_fen};
use terminal::inputs::{self, STDIN};
use terminal::{CommandError, remark, trouble};

/// The most unusable lines that are reported.
const NAMED: usize = 10;

/// The name of a position.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Opening {
    eco: String,
    name: String,
    variation: Option<String>,
}

/// Positions with a name, by their key.
pub struct Openings {
    known: HashMap<u64, Opening>,
    /// The file, its size and a digest, to compare with another run.
    pub job: String,
}

impl Openings {
    /// Reads a file: lines of ECO code, name and moves with tabs between them, or games with the tags ECO and Opening.
    /// Unusable lines are reported on standard error.
    ///
    /// # Errors
    ///
    /// One line: the file cannot be read, or has no opening.
    pub fn read(path: &Path) -> Result<Openings, CommandError> {
        if path.as_os_str() == STDIN {
            return Err(trouble!("--eco -: the openings need a file name"));
        }
        let text = inputs::read(path).map_err(|error| trouble!("--eco {error}"))?;
        let name = inputs::name(path);
        let (known, faults) = if super::input::is_pgn(path, &text, true).unwrap_or(false) {
            of_games(&text).map_err(|error| trouble!("--eco {name}: {error}"))?
        } else {
            of_lines(&text)
        };
        for (line, reason) in faults.iter().take(NAMED) {
            remark!("{name}:{line}: {reason}: left out");
        }
        if faults.len() > NAMED {
            remark!("{name}: {} more cannot be used", faults.len() - NAMED);
        }
        if known.is_empty() {
            return Err(trouble!("--eco {name}: no opening in it"));
        }
        Ok(Openings { known, job: format!("openings {name}, {} bytes ({:016x})", text.len(), checksum(&text)) })
    }

    /// Sets the tags of a game by its last named position.
    pub fn name(&self, game: &mut Pgn, positions: &[Position]) {
        let Some(opening) = positions.iter().rev().find_map(|position| self.known.get(&position.key())) else {
            return;
        };
        game.set_tag("ECO", Some(&opening.eco));
        game.set_tag("Opening", Some(&opening.name));
        // A variation from another source would not fit this name, nor would a part of it.
        game.set_tag("Variation", opening.variation.as_deref());
        game.set_tag("SubVariation", None);
    }
}

/// Openings, and the lines that are not, with the reason.
type Read = (HashMap<u64, Opening>, Vec<(usize, String)>);

/// Reads lines of three columns, in which the third has moves or a FEN, and entries of Scid: a code, a name in quotes,
/// and moves up to `*`, on one line or several. A line of column names may be anywhere, because such files are often
/// concatenated.
fn of_lines(text: &[u8]) -> Read {
    let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
    let (mut known, mut faults) = (HashMap::new(), Vec::new());
    let mut columns = [0, 1, 2];
    // The entry of Scid whose moves go on: its line, code, name and moves.
    let mut open: Option<(usize, String, String, String)> = None;
    let mut add = |line: usize, read: Result<(u64, Opening), CommandError>| match read {
        Ok((key, opening)) => {
            known.entry(key).or_insert(opening);
        }
        Err(reason) => faults.push((line, reason.to_string())),
    };
    for (number, line) in (1..).zip(inputs::lines(text)) {
        let line = decoded(line);
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let begun = entry_of_scid(&line);
        if let Some((first, eco, name, moves)) = open.take_if(|_| begun.is_some()) {
            add(first, of_cells([&eco, &name, &moves]));
        }
        if let Some((eco, name, moves)) = begun {
            open = Some((number, eco.to_owned(), name.to_owned(), moves.to_owned()));
        } else if let Some((.., moves)) = &mut open {
            moves.push(' ');
            moves.push_str(&line);
        } else {
            let cells: Vec<&str> = line.split('\t').map(str::trim).collect();
            let column = |names: &[&str]| {
                names.iter().find_map(|name| cells.iter().position(|cell| cell.eq_ignore_ascii_case(name)))
            };
            if let (Some(eco), Some(name), Some(moves)) =
                (column(&["eco"]), column(&["name"]), column(&["pgn", "moves", "fen", "epd"]))
            {
                columns = [eco, name, moves];
                continue;
            }
            add(number, of_cells(columns.map(|column| cells.get(column).copied().unwrap_or_default())));
        }
        // The moves of an entry end with an asterisk; what follows is another one.
        if let Some((first, eco, name, moves)) = open.take_if(|(.., moves)| moves.trim_end().ends_with('*')) {
            add(first, of_cells([&eco, &name, &moves]));
        }
    }
    if let Some((first, eco, name, moves)) = open {
        add(first, of_cells([&eco, &name, &moves]));
    }
    (known, faults)
}

/// The code, the name and the moves of a line of Scid: `B00b "Reversed Grob" 1.e4 g5 *`.
fn entry_of_scid(line: &str) -> Option<(&str, &str, &str)> {
    let (eco, rest) = line.trim().split_once(char::is_whitespace)?;
    let (name, moves) = rest.trim_start().strip_prefix('"')?.rsplit_once('"')?;
    is_code(eco).then_some((eco, name, moves))
}

/// Reads an opening; the last cell has moves or a FEN.
fn of_cells([eco, name, moves]: [&str; 3]) -> Result<(u64, Opening), CommandError> {
    if eco.is_empty() || name.is_empty() || moves.is_empty() {
        return Err(trouble!("expected ECO code, name and moves (or a FEN) separated by tabs"));
    }
    if !is_code(eco) {
        return Err(trouble!("'{}' is not an ECO code", short(eco)));
    }
    if moves.matches('/').count() == 7 {
        let position = read_fen(moves).map_err(|error| trouble!("{error}"))?;
        return Ok((position.key(), Opening { eco: eco.to_owned(), name: visible(name), variation: None }));
    }
    let mut position = Position::startpos();
    let mut any = false;
    for word in moves.split_whitespace() {
        // `1.e4` has the number and the move in one word; `0-0` does not begin with a number.
        let rest = word.trim_start_matches(|c: char| c.is_ascii_digit());
        let word = if rest.is_empty() || rest.starts_with('.') { rest.trim_start_matches('.') } else { word };
        if word.is_empty() || word == "*" {
            continue;
        }
        match read_action(&position, word) {
            Ok(Action::Move(m)) => position.play(m),
            Ok(Action::Pass) => return Err(trouble!("'{}' is not a move of an opening", short(word))),
            Err(reason) => return Err(trouble!("'{}' {reason}", short(word))),
        }
        any = true;
    }
    if !any {
        return Err(trouble!("no moves"));
    }
    Ok((position.key(), Opening { eco: eco.to_owned(), name: visible(name), variation: None }))
}

/// Reads games: the tags of each name its last position.
fn of_games(text: &[u8]) -> std::io::Result<Read> {
    let (mut known, mut faults) = (HashMap::new(), Vec::new());
    let mut games = Games::new(text);
    while let Some(reading) = games.next_game()? {
        let game = match reading.game {
            Ok(game) => game,
            Err(_) if reading.only_remarks => continue,
            Err(fault) => {
                faults.push((fault.line, fault.reason));
                continue;
            }
        };
        let value = |tag| game.tag(tag).map(|text| visible(&decoded(text))).filter(|text| text != "?");
        let (Some(eco), Some(name)) = (value("ECO"), value("Opening")) else {
            faults.push((reading.line, "a game without the tags ECO and Opening".to_owned()));
            continue;
        };
        if !is_code(&eco) {
            faults.push((reading.line, format!("'{}' is not an ECO code", short(&eco))));
            continue;
        }
        let variation = value("Variation").filter(|text| !text.is_empty());
        let mut position = *game.start.position();
        for played in &game.moves {
            match played.action {
                Action::Move(m) => position.play(m),
                Action::Pass => position.play_null(),
            }
        }
        known.entry(position.key()).or_insert(Opening { eco, name, variation });
    }
    Ok((known, faults))
}

/// Whether a text begins like the codes from A00 to E99.
fn is_code(text: &str) -> bool {
    matches!(text.as_bytes(), [b'A'..=b'E', b'0'..=b'9', b'0'..=b'9', rest @ ..] if rest.len() <= 5)
}

fn visible(text: &str) -> String {
    text.trim().chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn short(text: &str) -> String {
    visible(text).chars().take(32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn openings_are_read_from_lines() {
        let text = "\u{FEFF}eco\tname\tpgn\r\nC20\tKing's Pawn Game\t1. e4 e5\r\n\r\nB20\tSicilian\t1.e4 c5\textra\r\n\
                    pgn\tname\teco\n1. d4\tQueen's Pawn\tA40\n";
        let (known, faults) = of_lines(text.as_bytes());
        assert_eq!((known.len(), faults), (3, Vec::new()));
        let mut position = Position::startpos();
        for word in ["e4", "c5"] {
            let Ok(Action::Move(m)) = read_action(&position, word) else { panic!("{word}") };
            position.play(m);
        }
        assert_eq!(known[&position.key()].name, "Sicilian");
        let castled =
            "C65\tBerlin\t1. e4 e5 2.Nf3 Nc6 3 Bb5 Nf6 4... 4. 0-0\nC65\tThe same\t1.e4 e5 Nf3 Nc6 Bb5 Nf6 4.0-0\n";
        let (known, faults) = of_lines(castled.as_bytes());
        assert_eq!((known.len(), faults), (1, Vec::new()));
        let bad = "C20\tA\t1. e4\nC20\tB\t1. e5\nC20\tC\nX20\tD\t1. d4\n1. e4 e5\nC20\tE\t1. --\nC20\tF\t*\n";
        let (known, faults) = of_lines(bad.as_bytes());
        assert_eq!(known.len(), 1);
        let lines: Vec<usize> = faults.iter().map(|(line, _)| *line).collect();
        assert_eq!(lines, [2, 3, 4, 5, 6, 7], "{faults:?}");
        assert!(faults[0].1.contains("'e5'") && faults[2].1.contains("'X20' is not an ECO code"), "{faults:?}");
    }

    #[test]
    fn openings_are_read_from_the_tables_that_people_have() {
        let scid = "# Scid\n\nA00b \"Barnes Opening\"\n  1.f3 *\nB00a \"King's Pawn\" 1.e4 *\n\
                    B20 \"Sicilian \"Defence\"\"\n  1.e4\n  c5 *\nC20 \"A\"\n  1.e5 *\nA40 \"The end\" 1.d4\n";
        let (known, faults) = of_lines(scid.as_bytes());
        assert_eq!(known.len(), 4, "{known:?}");
        assert_eq!(faults.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [9], "{faults:?}");
        let after = |moves: &str| {
            let (key, _) = of_cells(["A00", "x", moves]).expect("moves");
            known.get(&key).map(|opening| (opening.eco.as_str(), opening.name.as_str()))
        };
        assert_eq!(after("1. e4 c5"), Some(("B20", "Sicilian \"Defence\"")));
        assert_eq!(after("1. f3"), Some(("A00b", "Barnes Opening")));
        let fens = "eco\tname\tepd\nB00\tKing's Pawn\trnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -\n\
                    B00\tno board\t8/8/8/8/8/8/8/8 w - -\n";
        let (known, faults) = of_lines(fens.as_bytes());
        let (key, _) = of_cells(["B00", "x", "1. e4"]).expect("a move");
        assert_eq!(known.get(&key).map(|opening| opening.name.as_str()), Some("King's Pawn"));
        assert!(faults.len() == 1 && faults[0].0 == 3, "{faults:?}");
    }

    #[test]
    fn openings_are_read_from_games() {
        let text = "[ECO \"B90\"]\n[Opening \"Sicilian\"]\n[Variation \"Najdorf\"]\n\n1. e4 c5 *\n\n\
                    [Opening \"x\"]\n\n1. d4 *\n\n[ECO \"A00\"]\n[Opening \"y\"]\n\n1. e5 *\n\n{the end}\n";
        let (known, faults) = of_games(text.as_bytes()).expect("memory can be read");
        let all: Vec<&Opening> = known.values().collect();
        assert_eq!(all.len(), 1);
        assert_eq!((all[0].name.as_str(), all[0].variation.as_deref()), ("Sicilian", Some("Najdorf")));
        assert_eq!(faults.len(), 2, "{faults:?}");
    }
}
