//! Positions from FENs, as programs and people write them.
//!
//! Ibex plays every position that it can play: composed ones with any number of pieces, and those whose rights, squares or
//! counters cannot be, which are repaired with a remark. A position that is refused costs a game.

use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, FromSetup, PositionError, PositionErrorKinds, Setup, Square};

use super::Position;

/// The highest half-move clock that is believed: the 75-move rule ends every game there, and a higher one would end every
/// search at once.
const LAST_HALF_MOVE: i64 = 150;

/// What a castling field may hold, rooks' files of Chess960 included.
const RIGHTS: &str = "KQABCDEFGHkqabcdefgh";

impl Position {
    /// Reads a FEN of one to six fields, Shredder and X-FEN castling included, as [`Position::from_any_fen`] does, without
    /// its remarks.
    ///
    /// # Errors
    ///
    /// One line that says what is wrong.
    pub fn from_fen(fen: &str, mode: CastlingMode) -> Result<Position, String> {
        Position::from_any_fen(fen, Some(mode)).map(|(position, _)| position)
    }

    /// Reads a FEN and repairs it where that is possible; with a remark, in one line, on everything that was changed or is
    /// out of the ordinary.
    ///
    /// Castling rights without king and rook in place and en passant squares without a pawn are dropped, counters out of
    /// range are set back, and any number of pieces and impossible checks are taken as they are. Without a `mode`, the
    /// castling rights decide whether this is Chess960.
    ///
    /// # Errors
    ///
    /// One line that says why nobody can play from here: the board or the side to move cannot be read, a side has no king
    /// or several, a pawn stands on the first or last rank, or the side to move could take the king.
    pub fn from_any_fen(fen: &str, mode: Option<CastlingMode>) -> Result<(Position, Vec<String>), String> {
        let mut remarks = Vec::new();
        let setup = read(fen, &mut remarks)?;
        let mode = mode.unwrap_or_else(|| CastlingMode::detect(&setup));
        let (chess, kinds) = match Chess::from_setup(setup, mode) {
            Ok(chess) => (chess, PositionErrorKinds::empty()),
            Err(error) => {
                let kinds = error.kinds();
                let chess = lenient(Err(error))
                    .map_err(|error| format!("impossible position '{fen}': {}", describe(error.kinds())))?;
                (chess, kinds)
            }
        };
        let position = Position::from_chess(chess);
        if kinds.contains(PositionErrorKinds::INVALID_CASTLING_RIGHTS) {
            let kept = position.fen().split(' ').nth(2).unwrap_or("-").to_owned();
            remarks.push(format!("castling rights without king and rook in place are dropped; kept: {kept}"));
        }
        if kinds.contains(PositionErrorKinds::INVALID_EP_SQUARE) {
            remarks.push("the en passant square has no pawn before it and is dropped".to_owned());
        }
        if kinds.contains(PositionErrorKinds::TOO_MUCH_MATERIAL) {
            remarks.push("more pieces than promotions allow; played as it stands".to_owned());
        }
        Ok((position, remarks))
    }
}

/// Reads the fields, each repaired where it can be.
fn read(fen: &str, remarks: &mut Vec<String>) -> Result<Setup, String> {
    let mut fields = fen.split(|c: char| c.is_ascii_whitespace() || c == '_').filter(|field| !field.is_empty());
    let board = fields.next().unwrap_or_default();
    if board.as_bytes().windows(2).any(|pair| pair.iter().all(u8::is_ascii_digit)) {
        remarks.push(format!("neighbouring digits in '{board}' are added up"));
    }
    let turn = fields.next().unwrap_or("w");
    let rights = castling(fields.next().unwrap_or("-"), remarks);
    let en_passant = fields.next().unwrap_or("-");
    let square = Square::from_ascii(en_passant.as_bytes()).ok();
    if square.is_none() && en_passant != "-" {
        remarks.push(format!("'{}' is no en passant square", shorten(en_passant)));
    }
    let clock = counter("half-move clock", fields.next(), 0..=LAST_HALF_MOVE, 0, remarks);
    // Many programs begin to count at 0.
    let number = counter("move number", fields.next(), 0..=i64::from(u32::MAX), 1, remarks).max(1);
    let rest: Vec<&str> = fields.collect();
    if !rest.is_empty() {
        remarks.push(format!("'{}' behind the FEN is ignored", shorten(&rest.join(" "))));
    }

    let square = square.map_or_else(|| "-".to_owned(), |square| square.to_string());
    let mut whole = format!("{board} {turn} {rights} {square} {clock} {number}");
    let mut parsed = Fen::from_ascii(whole.as_bytes());
    if parsed.is_err() && rights != "-" {
        whole = format!("{board} {turn} - {square} {clock} {number}");
        parsed = Fen::from_ascii(whole.as_bytes());
        if parsed.is_ok() {
            remarks.push(format!("castling rights '{rights}' cannot be; none are kept"));
        }
    }
    parsed.map(Fen::into_setup).map_err(|error| format!("invalid FEN '{fen}': {error}"))
}

/// The castling field, without what it cannot hold or holds twice.
fn castling(field: &str, remarks: &mut Vec<String>) -> String {
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
        remarks.push(format!("castling rights '{}' are read as '{kept}'", shorten(field)));
    }
    kept
}

/// A counter, or `fallback` where there is none within `range`.
fn counter(
    name: &str,
    field: Option<&str>,
    range: std::ops::RangeInclusive<i64>,
    fallback: i64,
    remarks: &mut Vec<String>,
) -> i64 {
    let Some(field) = field else { return fallback };
    match field.parse() {
        Ok(number) if range.contains(&number) => number,
        _ => {
            remarks.push(format!("{name} '{}' is out of range; taken as {fallback}", shorten(field)));
            fallback
        }
    }
}

/// The beginning of a text, for remarks.
fn shorten(text: &str) -> String {
    let mut short: String = text.chars().take(24).collect();
    if short.len() < text.len() {
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

fn describe(kinds: PositionErrorKinds) -> String {
    let words: Vec<&str> = [
        (PositionErrorKinds::EMPTY_BOARD, "empty board"),
        (PositionErrorKinds::MISSING_KING, "a king is missing"),
        (PositionErrorKinds::TOO_MANY_KINGS, "too many kings"),
        (PositionErrorKinds::PAWNS_ON_BACKRANK, "pawns on the first or last rank"),
        (PositionErrorKinds::OPPOSITE_CHECK, "the side not to move is in check"),
    ]
    .into_iter()
    .filter_map(|(kind, word)| kinds.contains(kind).then_some(word))
    .collect();
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(fen: &str) -> (String, Vec<String>) {
        let (position, remarks) = Position::from_any_fen(fen, None).unwrap_or_else(|error| panic!("{fen}: {error}"));
        (position.fen(), remarks)
    }

    #[test]
    fn what_cannot_be_is_repaired_and_told() {
        for (fen, played, remark) in [
            ("r3k3/8/8/8/8/8/8/R3K3 w KQkq - 0 1", "r3k3/8/8/8/8/8/8/R3K3 w Qq - 0 1", "kept: Qq"),
            ("4k3/8/8/8/8/8/8/R3K2R w KKQQX - 0 1", "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "read as 'KQ'"),
            ("4k3/8/8/8/8/8/8/RR2K2R w KAB - 0 1", "4k3/8/8/8/8/8/8/RR2K2R w - - 0 1", "none are kept"),
            ("4k3/8/8/8/8/8/8/4K3 w -- - 0 1", "4k3/8/8/8/8/8/8/4K3 w - - 0 1", "read as '-'"),
            ("4k3/8/8/8/8/8/4P3/4K3 b - e3 0 1", "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1", "no pawn before it"),
            ("4k3/8/8/8/8/8/4P3/4K3 b - e9 0 1", "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1", "'e9' is no en passant square"),
            ("4k3/8/8/8/8/8/4P3/4K3 w - - -1 1", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "half-move clock '-1'"),
            ("4k3/8/8/8/8/8/4P3/4K3 w - - 151 9", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 9", "half-move clock '151'"),
            ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 -7", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "move number '-7'"),
            ("4k3/8/8/8/8/8/4P3/4K3 w - - x 4", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 4", "half-move clock 'x'"),
            ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 4 a b", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 4", "'a b' behind the FEN"),
            ("4k3/8/8/8/8/8/4P3/44 w - - 0 4", "", ""),
            ("4k3/8/8/8/8/8/4P3/22K3 w - - 0 4", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 4", "added up"),
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
    fn what_is_in_order_goes_without_remark() {
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR",
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w kqKQ - 0 0",
            "4k3/8/8/8/8/8/8/4K2R w H - 150 4294967295",
            "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
            // Checks that no move can have given: composed positions have them.
            "4k3/8/8/8/8/8/8/r3K2r w - - 0 1",
        ] {
            assert_eq!(read(fen).1, [""; 0], "{fen}");
        }
    }

    #[test]
    fn what_nobody_can_play_is_refused() {
        for (fen, why) in [
            ("", "invalid FEN"),
            ("8/8/8/8/8/8/8/8 w - - 0 1", "a king is missing"),
            ("4kk2/8/8/8/8/8/8/4K3 w - - 0 1", "too many kings"),
            ("4k3/8/8/8/8/8/8/4KP2 w - - 0 1", "first or last rank"),
            ("4k3/8/8/8/8/8/4r3/4K3 b - - 0 1", "not to move is in check"),
            ("4k3/8/8/8/8/8/8/4K3 x - - 0 1", "turn"),
            ("4k3/8/8/8/8/8/4K3 w - - 0 1", "board"),
        ] {
            let error = Position::from_any_fen(fen, None).expect_err(fen);
            assert!(error.contains(why) && !error.contains('\n'), "{fen}: {error}");
        }
    }
}
