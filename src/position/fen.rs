//! Positions from FENs, as programs and people write them.
//!
//! Ibex plays every position that it can: composed ones with any number of pieces, as long as their moves fit in a
//! list, and those with impossible castling rights, en passant squares or counters, which are repaired with a remark.
//! A position that is refused costs a game.

use std::fmt;

use shakmaty::fen::{Fen, ParseFenError};
use shakmaty::{CastlingMode, Chess, FromSetup, PositionError, PositionErrorKinds, Setup, Square};

use super::Position;
use super::movegen::MAX_MOVES;

/// The highest halfmove clock that is accepted: the 75-move rule ends every game there.
const MAX_HALFMOVE_CLOCK: i64 = 150;

/// The letters of a castling field, rooks' files of Chess960 included.
const RIGHTS: &str = "KQABCDEFGHkqabcdefgh";

/// Why a position cannot be played. Everything else is repaired: see [`Repair`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FenError {
    /// The board or the side to move cannot be read; `source` says which of them.
    #[error("invalid FEN '{fen}': {source}")]
    Syntax {
        /// The text.
        fen: String,
        /// The field that cannot be read.
        source: ParseFenError,
    },
    /// The fields can be read, but no game can go on from this position.
    #[error("impossible position '{fen}': {}", join(reasons))]
    Illegal {
        /// The text.
        fen: String,
        /// All that is wrong with the position.
        reasons: Vec<Illegal>,
    },
}

/// The reason why a position cannot be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Illegal {
    /// The board is empty.
    EmptyBoard,
    /// A side has no king.
    MissingKing,
    /// A side has two kings or more.
    TooManyKings,
    /// A pawn stands on the first or last rank.
    PawnOnBackRank,
    /// The side to move could take the king.
    OppositeCheck,
    /// A side has more legal moves than a list of moves holds ([`MAX_MOVES`]), now or if it were its turn.
    TooManyMoves,
}

impl FenError {
    /// The same error about the text that a user has written, where the FEN was made from it.
    #[must_use]
    pub fn about(mut self, text: &str) -> FenError {
        let (FenError::Syntax { fen, .. } | FenError::Illegal { fen, .. }) = &mut self;
        text.clone_into(fen);
        self
    }
}

impl Illegal {
    /// The reasons among these errors.
    fn among(kinds: PositionErrorKinds) -> Vec<Illegal> {
        [
            (PositionErrorKinds::EMPTY_BOARD, Illegal::EmptyBoard),
            (PositionErrorKinds::MISSING_KING, Illegal::MissingKing),
            (PositionErrorKinds::TOO_MANY_KINGS, Illegal::TooManyKings),
            (PositionErrorKinds::PAWNS_ON_BACKRANK, Illegal::PawnOnBackRank),
            (PositionErrorKinds::OPPOSITE_CHECK, Illegal::OppositeCheck),
        ]
        .into_iter()
        .filter_map(|(kind, reason)| kinds.contains(kind).then_some(reason))
        .collect()
    }
}

impl fmt::Display for Illegal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Illegal::EmptyBoard => f.write_str("empty board"),
            Illegal::MissingKing => f.write_str("a king is missing"),
            Illegal::TooManyKings => f.write_str("too many kings"),
            Illegal::PawnOnBackRank => f.write_str("pawns on the first or last rank"),
            Illegal::OppositeCheck => f.write_str("the side not to move is in check"),
            Illegal::TooManyMoves => write!(f, "a side has more than {MAX_MOVES} moves"),
        }
    }
}

fn join(reasons: &[Illegal]) -> String {
    reasons.iter().map(Illegal::to_string).collect::<Vec<_>>().join(", ")
}

/// A change to a FEN before it could be played, or something out of the ordinary in it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Repair {
    /// The board has adjacent digits, which are added up; holds the board field.
    AddedDigits(String),
    /// There is text after the eight ranks, such as the pockets of another variant, which is ignored; holds the text.
    BehindTheBoard(String),
    /// Letters that do not belong in a castling field, or occur twice, are left out.
    CastlingRead {
        /// The field.
        field: String,
        /// The remaining field.
        kept: String,
    },
    /// The castling rights contradict one another, so that none are kept; holds the rights.
    CastlingRefused(String),
    /// Impossible castling rights are dropped: without king and rook in place, or a second one to the same side.
    CastlingDropped {
        /// The rights that are left, as a FEN has them.
        kept: String,
    },
    /// The en passant field is not a square, and is read as `-`; holds the field.
    EnPassantUnread(String),
    /// No pawn can just have passed the en passant square, which is dropped.
    EnPassantDropped,
    /// A counter is not a number or out of its range.
    Counter {
        /// The counter.
        counter: Counter,
        /// The field.
        field: String,
        /// The number that is used instead.
        taken: i64,
    },
    /// There is text after the FEN, which is ignored; holds the text.
    IgnoredRest(String),
    /// A side has more pieces than promotions allow. The position is played as it stands.
    TooMuchMaterial,
}

/// A counter of a FEN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Counter {
    /// Plies since the last capture or pawn move, from 0 to 150.
    HalfmoveClock,
    /// The number of the move, from 1; 0 is read as 1 without a remark.
    FullmoveNumber,
}

impl fmt::Display for Counter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Counter::HalfmoveClock => "halfmove clock",
            Counter::FullmoveNumber => "move number",
        })
    }
}

impl fmt::Display for Repair {
    /// One line; long fields are cut.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Repair::AddedDigits(board) => write!(f, "adjacent digits in '{board}' are added up"),
            Repair::BehindTheBoard(rest) => write!(f, "'{}' after the board is ignored", shorten(rest)),
            Repair::CastlingRead { field, kept } => {
                write!(f, "castling rights '{}' are read as '{kept}'", shorten(field))
            }
            Repair::CastlingRefused(rights) => write!(f, "castling rights '{rights}' are impossible; none are kept"),
            Repair::CastlingDropped { kept } => {
                write!(f, "impossible castling rights are dropped; kept: {kept}")
            }
            Repair::EnPassantUnread(field) => write!(f, "'{}' is not an en passant square", shorten(field)),
            Repair::EnPassantDropped => {
                f.write_str("no pawn can just have passed the en passant square, which is dropped")
            }
            Repair::Counter { counter, field, taken } => {
                let digits = field.strip_prefix(['-', '+']).unwrap_or(field);
                let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
                let fault = if is_number { "is out of range" } else { "is not a whole number" };
                write!(f, "{counter} '{}' {fault}; taken as {taken}", shorten(field))
            }
            Repair::IgnoredRest(rest) => write!(f, "'{}' after the FEN is ignored", shorten(rest)),
            Repair::TooMuchMaterial => f.write_str("more pieces than promotions allow; played as it stands"),
        }
    }
}

impl Position {
    /// Reads a FEN of one to six fields, Shredder and X-FEN castling included, as [`Position::from_any_fen`] does,
    /// without its remarks.
    ///
    /// # Errors
    ///
    /// [`FenError::Syntax`] or [`FenError::Illegal`], as [`Position::from_any_fen`].
    pub fn from_fen(fen: &str, mode: CastlingMode) -> Result<Position, FenError> {
        Position::from_any_fen(fen, Some(mode)).map(|(position, _)| position)
    }

    /// Reads a FEN and repairs it where that is possible. Returns the position and everything that was changed or is
    /// out of the ordinary.
    ///
    /// Impossible castling rights and en passant squares that no pawn can have passed are dropped, counters out of
    /// range are replaced, and any number of pieces and impossible checks are taken as they are. Without a `mode`,
    /// the castling rights decide whether this is Chess960.
    ///
    /// # Errors
    ///
    /// [`FenError::Syntax`] if the board or the side to move cannot be read. [`FenError::Illegal`] if a side has no
    /// king or several, a pawn stands on the first or last rank, the side to move could take the king, or a side has
    /// more moves than a list holds.
    pub fn from_any_fen(fen: &str, mode: Option<CastlingMode>) -> Result<(Position, Vec<Repair>), FenError> {
        let mut repairs = Vec::new();
        let setup = read(fen, &mut repairs).map_err(|source| FenError::Syntax { fen: fen.to_owned(), source })?;
        let mode = mode.unwrap_or_else(|| CastlingMode::detect(&setup));
        let (chess, kinds) = match Chess::from_setup(setup, mode) {
            Ok(chess) => (chess, PositionErrorKinds::empty()),
            Err(error) => {
                let kinds = error.kinds();
                let chess = lenient(Err(error)).map_err(|error| FenError::Illegal {
                    fen: fen.to_owned(),
                    reasons: Illegal::among(error.kinds()),
                })?;
                (chess, kinds)
            }
        };
        let position = Position::from_chess(&chess);
        if position.overfills_a_list() {
            return Err(FenError::Illegal { fen: fen.to_owned(), reasons: vec![Illegal::TooManyMoves] });
        }
        if kinds.contains(PositionErrorKinds::INVALID_CASTLING_RIGHTS) {
            let kept = position.fen().split(' ').nth(2).unwrap_or("-").to_owned();
            repairs.push(Repair::CastlingDropped { kept });
        }
        if kinds.contains(PositionErrorKinds::INVALID_EP_SQUARE) {
            repairs.push(Repair::EnPassantDropped);
        }
        if kinds.contains(PositionErrorKinds::TOO_MUCH_MATERIAL) {
            repairs.push(Repair::TooMuchMaterial);
        }
        Ok((position, repairs))
    }
}

/// Reads the fields, and repairs each if possible.
fn read(fen: &str, repairs: &mut Vec<Repair>) -> Result<Setup, ParseFenError> {
    let mut fields = fen.split(|c: char| c.is_ascii_whitespace() || c == '_').filter(|field| !field.is_empty());
    let mut board = fields.next().unwrap_or_default();
    if let Some(end) = board.find('[').or_else(|| board.match_indices('/').nth(7).map(|(end, _)| end)) {
        repairs.push(Repair::BehindTheBoard(board[end..].to_owned()));
        board = &board[..end];
    }
    if board.as_bytes().windows(2).any(|pair| pair.iter().all(u8::is_ascii_digit)) {
        repairs.push(Repair::AddedDigits(board.to_owned()));
    }
    let turn = fields.next().unwrap_or("w");
    let rights = castling(fields.next().unwrap_or("-"), repairs);
    let en_passant = fields.next().unwrap_or("-");
    let square = Square::from_ascii(en_passant.as_bytes()).ok();
    if square.is_none() && en_passant != "-" {
        repairs.push(Repair::EnPassantUnread(en_passant.to_owned()));
    }
    let clock = counter(Counter::HalfmoveClock, fields.next(), 0..=MAX_HALFMOVE_CLOCK, repairs);
    // Many programs count from 0.
    let number = counter(Counter::FullmoveNumber, fields.next(), 0..=i64::from(u32::MAX), repairs).max(1);
    let rest: Vec<&str> = fields.collect();
    if !rest.is_empty() {
        repairs.push(Repair::IgnoredRest(rest.join(" ")));
    }

    let square = square.map_or_else(|| "-".to_owned(), |square| square.to_string());
    let mut whole = format!("{board} {turn} {rights} {square} {clock} {number}");
    let mut parsed = Fen::from_ascii(whole.as_bytes());
    if parsed.is_err() && rights != "-" {
        whole = format!("{board} {turn} - {square} {clock} {number}");
        parsed = Fen::from_ascii(whole.as_bytes());
        if parsed.is_ok() {
            repairs.push(Repair::CastlingRefused(rights));
        }
    }
    parsed.map(Fen::into_setup)
}

/// The castling field, without invalid or repeated letters.
fn castling(field: &str, repairs: &mut Vec<Repair>) -> String {
    let mut kept = String::new();
    for right in field.chars() {
        if RIGHTS.contains(right) && !kept.contains(right) {
            kept.push(right);
        }
    }
    if kept.is_empty() {
        kept.push('-');
    }
    if kept != field {
        repairs.push(Repair::CastlingRead { field: field.to_owned(), kept: kept.clone() });
    }
    kept
}

/// A counter: the nearest number within `range`, or the least one where there is no number.
fn counter(
    counter: Counter,
    field: Option<&str>,
    range: std::ops::RangeInclusive<i64>,
    repairs: &mut Vec<Repair>,
) -> i64 {
    let (least, most) = (*range.start(), *range.end());
    let Some(field) = field else { return least };
    match field.parse() {
        Ok(number) if range.contains(&number) => return number,
        _ => (),
    }
    let digits = field.strip_prefix('+').unwrap_or(field);
    let is_too_large = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    // A clock that has run on is past the 75-move rule, not back at its beginning.
    let number = if is_too_large { most } else { least };
    let taken = if counter == Counter::FullmoveNumber { number.max(1) } else { number };
    repairs.push(Repair::Counter { counter, field: field.to_owned(), taken });
    number
}

/// The beginning of a text, for messages; control characters are shown as escapes.
pub fn shorten(text: &str) -> String {
    let mut short = String::new();
    for c in text.chars().take(24) {
        if c.is_control() { short.extend(c.escape_default()) } else { short.push(c) }
    }
    if text.chars().count() > 24 {
        short.push_str("...");
    }
    short
}

type Accepted = Result<Chess, PositionError<Chess>>;

/// A position from a setup, by the rules of [`Position::from_any_fen`].
#[expect(clippy::result_large_err, reason = "shakmaty's error carries the position, and is handled at once")]
pub(super) fn accept(setup: Setup, mode: CastlingMode) -> Accepted {
    lenient(Chess::from_setup(setup, mode))
}

#[expect(clippy::result_large_err, reason = "shakmaty's error carries the position, and is handled at once")]
fn lenient(strict: Accepted) -> Accepted {
    strict
        .or_else(PositionError::ignore_invalid_castling_rights)
        .or_else(PositionError::ignore_invalid_ep_square)
        .or_else(PositionError::ignore_impossible_check)
        .or_else(PositionError::ignore_too_much_material)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(fen: &str) -> (String, Vec<String>) {
        let (position, repairs) = Position::from_any_fen(fen, None).unwrap_or_else(|error| panic!("{fen}: {error}"));
        (position.fen(), repairs.iter().map(Repair::to_string).collect())
    }

    #[test]
    fn impossible_fields_are_repaired_and_reported() {
        for (fen, played, remark) in [
            ("r3k3/8/8/8/8/8/8/R3K3 w KQkq - 0 1", "r3k3/8/8/8/8/8/8/R3K3 w Qq - 0 1", "kept: Qq"),
            ("4k3/8/8/8/8/8/8/R3K2R w KKQQX - 0 1", "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "read as 'KQ'"),
            ("4k3/8/8/8/8/8/8/RR2K2R w KAB - 0 1", "4k3/8/8/8/8/8/8/RR2K2R w - - 0 1", "none are kept"),
            ("4k3/8/8/8/8/8/8/4K3 w -- - 0 1", "4k3/8/8/8/8/8/8/4K3 w - - 0 1", "read as '-'"),
            ("4k3/8/8/8/8/8/4P3/4K3 b - e3 0 1", "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1", "no pawn can just"),
            ("4k3/8/8/8/4P3/8/4P3/4K3 b - e3 0 1", "4k3/8/8/8/4P3/8/4P3/4K3 b - - 0 1", "no pawn can just"),
            ("4k3/8/8/8/8/8/8/4K1RR w GH - 0 1", "4k3/8/8/8/8/8/8/4K1RR w K - 0 1", "impossible castling rights"),
            ("4k3/8/8/8/8/8/4P3/4K3 b - e9 0 1", "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1", "'e9' is not an en passant square"),
            ("4k3/8/8/8/8/8/4P3/4K3 w - - -1 1", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "halfmove clock '-1'"),
            ("4k3/8/8/8/8/8/4P3/4K3 w - - 151 9", "4k3/8/8/8/8/8/4P3/4K3 w - - 150 9", "halfmove clock '151'"),
            ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 -7", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "move number '-7'"),
            ("4k3/8/8/8/8/8/4P3/4K3 w - - x 4", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 4", "halfmove clock 'x'"),
            ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 4 a b", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 4", "'a b' after the FEN"),
            ("4k3/8/8/8/8/8/4P3/44 w - - 0 4", "", ""),
            ("4k3/8/8/8/8/8/4P3/22K3 w - - 0 4", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 4", "added up"),
            (
                "4k3/8/8/8/8/8/4P3/4K3[Qq] w - - 0 4",
                "4k3/8/8/8/8/8/4P3/4K3 w - - 0 4",
                "'[Qq]' after the board is ignored",
            ),
            (
                "4k3/8/8/8/8/8/4P3/4K3/PP w - - 0 4",
                "4k3/8/8/8/8/8/4P3/4K3 w - - 0 4",
                "'/PP' after the board is ignored",
            ),
            (
                "nnnnknnn/pppppppp/8/8/8/8/PPPPPPPP/1Q1QK1Q1 w - - 0 1",
                "nnnnknnn/pppppppp/8/8/8/8/PPPPPPPP/1Q1QK1Q1 w - - 0 1",
                "more pieces than promotions allow",
            ),
        ] {
            if played.is_empty() {
                assert!(Position::from_any_fen(fen, None).is_err(), "{fen}");
                continue;
            }
            let (again, remarks) = read(fen);
            assert_eq!((again.as_str(), remarks.len()), (played, 1), "{fen}: {remarks:?}");
            assert!(remarks[0].contains(remark), "{fen}: {remarks:?}");
        }
    }

    #[test]
    fn valid_positions_get_no_remark() {
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR",
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w kqKQ - 0 0",
            "4k3/8/8/8/8/8/8/4K2R w H - 150 4294967295",
            "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
            // Checks that no move can have given, as in composed positions.
            "4k3/8/8/8/8/8/8/r3K2r w - - 0 1",
        ] {
            assert_eq!(read(fen).1, [""; 0], "{fen}");
        }
    }

    #[test]
    fn unplayable_positions_are_refused() {
        for (fen, why) in [
            ("", "invalid FEN"),
            ("8/8/8/8/8/8/8/8 w - - 0 1", "a king is missing"),
            ("4kk2/8/8/8/8/8/8/4K3 w - - 0 1", "too many kings"),
            ("4k3/8/8/8/8/8/8/4KP2 w - - 0 1", "first or last rank"),
            ("4k3/8/8/8/8/8/4r3/4K3 b - - 0 1", "not to move is in check"),
            ("QQQQQQBk/Q5RB/Q6Q/Q6Q/Q6Q/Q6Q/Q6Q/KQQQQQQQ w - - 0 1", "a side has more than 270 moves"),
            ("QQQQQQBk/Q5RB/Q6Q/Q6Q/Q6Q/Q6Q/Q6Q/KQQQQQQQ b - - 0 1", "a side has more than 270 moves"),
            ("kqqqqqqq/q6q/q6q/q6q/q6q/q6q/q5rb/qqqqqqbK b - - 0 1", "a side has more than 270 moves"),
            ("kqqqqqqq/q6q/q6q/q6q/q6q/q6q/q5rb/qqqqqqbK w - - 0 1", "a side has more than 270 moves"),
            ("4k3/8/8/8/8/8/8/4K3 x - - 0 1", "turn"),
            ("4k3/8/8/8/8/8/4K3 w - - 0 1", "board"),
        ] {
            let error = Position::from_any_fen(fen, None).expect_err(fen).to_string();
            assert!(error.contains(why) && !error.contains('\n'), "{fen}: {error}");
        }
    }
    #[test]
    fn errors_and_repairs_are_readable_by_programs() {
        let error = |fen| Position::from_any_fen(fen, None).expect_err(fen);
        let board = FenError::Syntax { fen: "x w".to_owned(), source: ParseFenError::InvalidBoard };
        assert_eq!(error("x w"), board);
        let fen = "4kk2/8/8/8/8/8/8/4KP2 w - - 0 1";
        let reasons = vec![Illegal::TooManyKings, Illegal::PawnOnBackRank];
        assert_eq!(error(fen), FenError::Illegal { fen: fen.to_owned(), reasons });
        assert!(error(fen).to_string().ends_with("': too many kings, pawns on the first or last rank"));
        let (_, repairs) = Position::from_any_fen("4k3/8/8/8/8/8/8/4K3 w - e3 151 1", None).expect("a position");
        let clock = Repair::Counter { counter: Counter::HalfmoveClock, field: "151".to_owned(), taken: 150 };
        let unread = Repair::Counter { counter: Counter::HalfmoveClock, field: "x".to_owned(), taken: 0 };
        assert_eq!(clock.to_string(), "halfmove clock '151' is out of range; taken as 150");
        assert_eq!(unread.to_string(), "halfmove clock 'x' is not a whole number; taken as 0");
        for (field, taken) in [("-1", 0), ("+151", 150), ("99999999999999999999", 150), ("1e9", 0)] {
            let (position, repairs) =
                Position::from_any_fen(&format!("4k3/8/8/8/8/8/8/R3K3 w - - {field} 90"), None).unwrap();
            let repair = Repair::Counter { counter: Counter::HalfmoveClock, field: field.to_owned(), taken };
            assert_eq!((i64::from(position.clock()), repairs), (taken, vec![repair]));
        }
        assert_eq!(repairs, [clock, Repair::EnPassantDropped]);
    }
}
