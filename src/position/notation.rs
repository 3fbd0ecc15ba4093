//! Positions and moves as text: FEN of either castling mode, UCI moves, standard algebraic notation.

use shakmaty::san::San;
use shakmaty::{CastlingSide, File, Rank, Role, Square};

use super::{FenError, Move, Position};

/// Reads a FEN as standard chess where its castling rights allow that, and as Chess960 otherwise.
///
/// # Errors
///
/// [`FenError::Syntax`] or [`FenError::Illegal`], as [`Position::from_any_fen`].
pub fn read_fen(fen: &str) -> Result<Position, FenError> {
    Position::from_any_fen(fen, None).map(|(position, _)| position)
}

/// A move in UCI notation, castling in the form of the position's mode.
pub fn uci(position: &Position, m: Move) -> String {
    m.to_uci(position.castling_mode()).to_string()
}

/// A move in standard algebraic notation.
pub fn san(position: &Position, m: Move) -> String {
    let mut san = San::from_move(&position.to_chess(), m.into()).to_string();
    // The sign of check or mate does not come from shakmaty, which lists all replies for it: in a composed position
    // they may not fit in the list.
    let after = position.after(m);
    if after.in_check() {
        san.push(if after.has_legal_move() { '+' } else { '#' });
    }
    san
}

/// A line of play in standard algebraic notation, without move numbers.
pub fn san_line(position: &Position, line: &[Move]) -> String {
    let mut position = *position;
    let mut words = Vec::with_capacity(line.len());
    for &m in line {
        words.push(san(&position, m));
        position.play(m);
    }
    words.join(" ")
}

/// The meaning of a word of a game: a move, or that the side to move passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// A legal move.
    Move(Move),
    /// A null move: analysts write `--` where a side does nothing.
    Pass,
}

/// Why a word is not an action in a position.
///
/// The text follows the word: "Ke3 is not legal".
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MoveError {
    /// It does not have the form of a move.
    #[error("is not a move")]
    NotAMove,
    /// It has the form of a move, but no legal move fits.
    #[error("is not legal")]
    Illegal,
    /// More than one legal move fits.
    #[error("fits more than one move")]
    Ambiguous,
}

/// Reads a move as people and programs write it: standard algebraic notation with more or less than is needed
/// (`Ng1f3`, `ed5`, `a8Q`, `0-0`), long algebraic (`e2-e4`), UCI (`e2e4`), figurines (`♘f3`), and the null moves
/// `--`, `Z0`, `0000` and `@@@@`. Marks of check, mate and en passant at the end are ignored.
///
/// # Errors
///
/// [`MoveError::NotAMove`] if the word does not have the form of a move, [`MoveError::Illegal`] if no legal move
/// fits, [`MoveError::Ambiguous`] if several do.
pub fn read_action(position: &Position, word: &str) -> Result<Action, MoveError> {
    let form = Form::read(word).ok_or(MoveError::NotAMove)?;
    let legal = position.legal_moves();
    let mut found = match form {
        Form::Pass if position.in_check() => return Err(MoveError::Illegal),
        Form::Pass => return Ok(Action::Pass),
        Form::Castling { queen_side } => {
            let fits = |m: &Move| m.castling_side() == Some(CastlingSide::from_queen_side(queen_side));
            legal.into_iter().filter(fits).collect::<Vec<_>>()
        }
        Form::Piece { role, file, rank, to, promotion } => {
            // A pawn that captures names its file; without one it moves straight ahead.
            let file = file.or((role.is_none() && rank.is_none()).then(|| to.file()));
            let fits = |m: &Move| {
                !m.is_castle()
                    && m.role() == role.unwrap_or(Role::Pawn)
                    && (m.to(), m.promotion()) == (to, promotion)
                    && file.is_none_or(|file| m.from().file() == file)
                    && rank.is_none_or(|rank| m.from().rank() == rank)
            };
            let fitting: Vec<Move> = legal.into_iter().filter(fits).collect();
            match (fitting.is_empty(), role, file, rank) {
                // Not a pawn's move: then the two squares are those of UCI, castling included.
                (true, None, Some(file), Some(rank)) => {
                    let promotion = promotion.map(Role::char).map(String::from).unwrap_or_default();
                    let uci = format!("{}{to}{promotion}", Square::from_coords(file, rank));
                    position.parse_move(&uci).into_iter().collect()
                }
                _ => fitting,
            }
        }
    };
    match (found.pop(), found.is_empty()) {
        (Some(m), true) => Ok(Action::Move(m)),
        (Some(_), false) => Err(MoveError::Ambiguous),
        (None, _) => Err(MoveError::Illegal),
    }
}

/// Whether a word has the form of a move, legal or not.
pub fn is_move_like(word: &str) -> bool {
    Form::read(word).is_some()
}

/// The parts of a move's letters.
enum Form {
    Pass,
    Castling { queen_side: bool },
    Piece { role: Option<Role>, file: Option<File>, rank: Option<Rank>, to: Square, promotion: Option<Role> },
}

impl Form {
    fn read(word: &str) -> Option<Form> {
        if matches!(word, "--" | "Z0" | "0000" | "@@@@") {
            return Some(Form::Pass);
        }
        let mut letters = letters_without_marks(word);
        let castling: String = letters.iter().map(|c| if matches!(c, '0' | 'o') { 'O' } else { *c }).collect();
        match castling.as_str() {
            "O-O" => return Some(Form::Castling { queen_side: false }),
            "O-O-O" => return Some(Form::Castling { queen_side: true }),
            _ => {}
        }
        // From the end: the promotion, the target square, and where the piece comes from.
        let promotion = take_promotion(&mut letters);
        let rank = Rank::from_char(letters.pop()?)?;
        let file = File::from_char(letters.pop()?)?;
        let to = Square::from_coords(file, rank);
        if matches!(letters.last(), Some('x' | '-')) {
            letters.pop();
        }
        let role = letters.first().copied().filter(char::is_ascii_uppercase);
        let from = &letters[usize::from(role.is_some())..];
        let role = match role {
            None => None,
            Some(letter) => Some(Role::from_char(letter)?),
        };
        let (file, rank) = match *from {
            [] => (None, None),
            [one] => match (File::from_char(one), Rank::from_char(one)) {
                (None, None) => return None,
                file_or_rank => file_or_rank,
            },
            [file, rank] => (Some(File::from_char(file)?), Some(Rank::from_char(rank)?)),
            _ => return None,
        };
        Some(Form::Piece { role: role.filter(|&role| role != Role::Pawn), file, rank, to, promotion })
    }
}

/// The marks of check and mate at the end of a move.
const CHECKS: [char; 4] = ['+', '#', '†', '‡'];

/// The letters of a move without the marks of check, mate and en passant at its end.
fn letters_without_marks(word: &str) -> Vec<char> {
    let word = word.trim_end_matches(CHECKS);
    let word = word.strip_suffix("e.p.").or_else(|| word.strip_suffix("ep")).unwrap_or(word);
    let mut letters: Vec<char> = word.chars().filter_map(plain).collect();
    while letters.last().is_some_and(|letter| CHECKS.contains(letter)) {
        letters.pop();
    }
    letters
}

/// Takes a promotion, `Q` or `=Q`, from the end of a move's letters.
fn take_promotion(letters: &mut Vec<char>) -> Option<Role> {
    let role = letters.last().copied().and_then(Role::from_char)?;
    if matches!(role, Role::Pawn | Role::King) || letters.len() <= 2 {
        return None;
    }
    letters.pop();
    if letters.last() == Some(&'=') {
        letters.pop();
    }
    Some(role)
}

/// A letter of a move as algebraic notation has it; `None` for what only changes the look of the letter before it.
fn plain(letter: char) -> Option<char> {
    Some(match letter {
        '\u{FE0E}' | '\u{FE0F}' => return None,
        '♔' | '♚' => 'K',
        '♕' | '♛' => 'Q',
        '♖' | '♜' => 'R',
        '♗' | '♝' => 'B',
        '♘' | '♞' => 'N',
        '♙' | '♟' => 'P',
        '×' | ':' => 'x',
        '‐' | '‑' | '–' | '—' | '−' => '-',
        other => other,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn action(fen: &str, word: &str) -> Result<String, MoveError> {
        let position = read_fen(fen).expect("a position");
        read_action(&position, word).map(|action| match action {
            Action::Move(m) => san(&position, m),
            Action::Pass => "--".to_owned(),
        })
    }

    #[test]
    fn one_move_has_many_spellings() {
        const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        for word in
            ["Nf3", "Ngf3", "N1f3", "Ng1f3", "Ng1-f3", "g1f3", "♘f3", "♞f3", "♘\u{FE0E}f3", "Nf3+", "Nf3++", "N-f3"]
        {
            assert_eq!(action(START, word), Ok("Nf3".to_owned()), "{word}");
        }
        for word in ["e4", "e2e4", "e2-e4", "e2–e4", "Pe4", "Pe2-e4", "♙e4"] {
            assert_eq!(action(START, word), Ok("e4".to_owned()), "{word}");
        }
        const TAKES: &str = "rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
        for word in ["exd5", "ed5", "e4d5", "e4xd5", "e:d5", "e×d5"] {
            assert_eq!(action(TAKES, word), Ok("exd5".to_owned()), "{word}");
        }
        const PROMOTES: &str = "1n5k/P7/8/8/8/8/8/K7 w - - 0 1";
        for word in ["a8=Q+", "a8Q", "a8q", "a7a8q", "a7-a8=Q", "a8=♕"] {
            assert_eq!(action(PROMOTES, word), Ok("a8=Q".to_owned()), "{word}");
        }
        assert_eq!(action(PROMOTES, "ab8N"), Ok("axb8=N".to_owned()));
        const CASTLES: &str = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
        for word in ["O-O", "0-0", "o-o", "O–O", "e1g1", "e1h1"] {
            assert_eq!(action(CASTLES, word), Ok("O-O".to_owned()), "{word}");
        }
        assert_eq!(action(CASTLES, "0-0-0+"), Ok("O-O-O".to_owned()));
        const PASSING: &str = "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1";
        for word in ["exd6", "exd6e.p.", "exd6ep", "e5d6"] {
            assert_eq!(action(PASSING, word), Ok("exd6".to_owned()), "{word}");
        }
        for word in ["--", "Z0", "0000", "@@@@"] {
            assert_eq!(action(START, word), Ok("--".to_owned()), "{word}");
        }
    }

    #[test]
    fn illegal_ambiguous_and_unreadable_moves_are_distinct() {
        const BISHOP: &str = "4k3/8/8/8/8/2p5/1P6/B3K3 w - - 0 1";
        assert_eq!(action(BISHOP, "bc3"), Ok("bxc3".to_owned()));
        assert_eq!(action(BISHOP, "Bc3"), Err(MoveError::Illegal));
        const ROOKS: &str = "4k3/8/8/8/8/8/4K3/R6R w - - 0 1";
        assert_eq!(action(ROOKS, "Rd1"), Err(MoveError::Ambiguous));
        assert_eq!(action(ROOKS, "Rad1"), Ok("Rad1".to_owned()));
        assert_eq!(action("4k3/8/8/8/8/8/4r3/4K3 w - - 0 1", "--"), Err(MoveError::Illegal));
        assert_eq!(action("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a8"), Err(MoveError::Illegal));
        for word in
            ["", "Sf3", "e9", "Nf33", "x", "hello", "1-0", "e4e5e6", "O-O-O-O", "♘", "Nxf", "=Q", "[%clk", "日本語"]
        {
            assert_eq!(action(ROOKS, word), Err(MoveError::NotAMove), "{word}");
        }
    }
}
