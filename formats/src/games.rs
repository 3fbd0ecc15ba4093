//! Games on disk, in viriformat: a starting position in 32 bytes, then a move and a score in 4 bytes a ply.
//!
//! Writing goes through the format's own crate, so the files are what other trainers expect. Reading does not: the
//! crate trusts its input and panics on bytes that are not a position. Here every byte is checked, and every move is
//! checked for legality before it is played.
//!
//! Source: the crate `viriformat`. Scores are centipawns from White's view; proven scores are ±10,000 and beyond
//! (see [`Score::cp`](ibex::score::Score::cp)), draws are 0.

use std::io::{self, Read};
use std::num::NonZeroU32;

use shakmaty::{
    Bitboard, CastlingMode, CastlingSide, Chess, Color, EnPassantMode, FromSetup, Move, Piece, Position as _,
    PositionError, Role, Setup, Square,
};
use viriformat::chess::board::{Board, DrawType, GameOutcome, WinType};
use viriformat::chess::{chessmove, piece, types};
use viriformat::dataformat;

/// The size of a starting position.
pub const HEADER_SIZE: usize = 32;
/// The size of a move with its score, and of the terminator.
pub const STEP_SIZE: usize = 4;
/// The most plies of a game: none of ours is longer, and a longer run of moves is rejected.
pub const MAX_STEPS: usize = 4096;

const UNMOVED_ROOK: u8 = 6;
const NO_SQUARE: u8 = 64;

/// The result of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GameResult {
    /// Black won.
    BlackWins,
    /// A draw.
    Draw,
    /// White won.
    WhiteWins,
}

impl GameResult {
    /// The result when `winner` wins.
    pub const fn win(winner: Color) -> GameResult {
        match winner {
            Color::White => GameResult::WhiteWins,
            Color::Black => GameResult::BlackWins,
        }
    }

    /// Half points for `color`: 0, 1 or 2.
    pub const fn half_points(self, color: Color) -> u8 {
        match color {
            Color::White => self as u8,
            Color::Black => 2 - self as u8,
        }
    }
}

/// A move of a game, and the score that a search gave the position before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The move.
    pub chosen: Move,
    /// Centipawns from White's view, or [`Step::NO_SCORE`].
    pub score: i16,
}

impl Step {
    /// The score of a position that was searched only for a move. Other readers take it for a mate.
    pub const NO_SCORE: i16 = i16::MAX;

    /// Whether the position was searched for a score worth learning.
    pub fn is_scored(self) -> bool {
        self.score != Step::NO_SCORE
    }
}

/// A game: its starting position, its moves and its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameRecord {
    /// The position after the opening.
    pub start: Chess,
    /// The moves after it.
    pub steps: Vec<Step>,
    /// The result.
    pub result: GameResult,
}

/// Why a file could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// An error of the system.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The file ends inside a game.
    #[error("the file ends inside a game")]
    Truncated,
    /// The bytes are not a game; the text says why.
    #[error("{0}")]
    Malformed(String),
}

pub(crate) fn malformed<T>(why: impl Into<String>) -> Result<T, ReadError> {
    Err(ReadError::Malformed(why.into()))
}

impl GameRecord {
    /// The game's bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut game = dataformat::Game::new(&foreign_board(&self.start));
        for step in &self.steps {
            game.add_move(foreign_move(step.chosen), step.score);
        }
        game.set_outcome(match self.result {
            GameResult::WhiteWins => GameOutcome::WhiteWin(WinType::Mate),
            GameResult::BlackWins => GameOutcome::BlackWin(WinType::Mate),
            GameResult::Draw => GameOutcome::Draw(DrawType::Adjudication),
        });
        let mut bytes = Vec::with_capacity(HEADER_SIZE + STEP_SIZE * (self.steps.len() + 1));
        let written = game.serialise_into(&mut bytes);
        debug_assert!(written.is_ok(), "memory takes every byte");
        bytes
    }

    /// Visits every position of the game with the step taken from it and the number of plies since the opening.
    ///
    /// The position's own move counter is useless for that: EPD books have none.
    pub fn visit(&self, mut visitor: impl FnMut(&Chess, Step, u32)) {
        let mut chess = self.start.clone();
        for (ply, &step) in (0..).zip(&self.steps) {
            visitor(&chess, step, ply);
            chess.play_unchecked(step.chosen);
        }
    }
}

/// Reads games one after the other, checking every byte and every move.
pub struct GameReader<R> {
    input: R,
    /// Bytes of whole games so far.
    consumed: u64,
}

impl<R: Read> GameReader<R> {
    /// Reads from `input`, which should be buffered.
    pub fn new(input: R) -> GameReader<R> {
        GameReader { input, consumed: 0 }
    }

    /// Bytes of the whole games read so far: where a truncated game begins.
    pub fn consumed(&self) -> u64 {
        self.consumed
    }

    /// The next game; `None` at the end of the file.
    ///
    /// # Errors
    ///
    /// If the file ends inside a game, cannot be read, or holds something that is not a game.
    pub fn next_game(&mut self) -> Result<Option<GameRecord>, ReadError> {
        let mut header = [0; HEADER_SIZE];
        match self.fill(&mut header)? {
            0 => return Ok(None),
            HEADER_SIZE => {}
            _ => return Err(ReadError::Truncated),
        }
        let (start, result) = decode_header(&header)?;
        let mut chess = start.clone();
        let mut steps = Vec::with_capacity(128);
        loop {
            let mut bytes = [0; STEP_SIZE];
            if self.fill(&mut bytes)? != STEP_SIZE {
                return Err(ReadError::Truncated);
            }
            if bytes == [0; STEP_SIZE] {
                break;
            }
            let raw = u16::from_le_bytes([bytes[0], bytes[1]]);
            let Some(chosen) = decode_move(&chess, raw) else {
                return malformed(format!("illegal move {raw:#06x} at ply {} of a game", steps.len()));
            };
            steps.push(Step { chosen, score: i16::from_le_bytes([bytes[2], bytes[3]]) });
            if steps.len() > MAX_STEPS {
                return malformed(format!("a game of more than {MAX_STEPS} plies"));
            }
            chess.play_unchecked(chosen);
        }
        self.consumed += (HEADER_SIZE + STEP_SIZE * (steps.len() + 1)) as u64;
        Ok(Some(GameRecord { start, steps, result }))
    }

    /// Reads until the buffer is full or the input ends. Returns the number of bytes read.
    fn fill(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.input.read(&mut buffer[filled..]) {
                Ok(0) => break,
                Ok(n) => filled += n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(filled)
    }
}

pub(crate) fn decode_header(bytes: &[u8; HEADER_SIZE]) -> Result<(Chess, GameResult), ReadError> {
    let occupied = u64::from_le_bytes(std::array::from_fn(|i| bytes[i]));
    if occupied.count_ones() > 32 {
        return malformed("a starting position with more than 32 pieces");
    }
    let mut setup = Setup::empty();
    let mut king_seen = [false; 2];
    let mut rooks = Bitboard::EMPTY;
    for (i, square) in Bitboard(occupied).into_iter().enumerate() {
        let code = bytes[8 + i / 2] >> (4 * (i % 2)) & 0xF;
        let color = Color::from_white(code & 8 == 0);
        let role = match code & 7 {
            0 => Role::Pawn,
            1 => Role::Knight,
            2 => Role::Bishop,
            3 | UNMOVED_ROOK => Role::Rook,
            4 => Role::Queen,
            5 => Role::King,
            other => return malformed(format!("unknown piece code {other} in a starting position")),
        };
        if role == Role::King {
            king_seen[color as usize] = true;
        }
        if code & 7 == UNMOVED_ROOK {
            rooks.add(square);
        }
        setup.board.set_piece_at(square, Piece { color, role });
    }
    if king_seen != [true; 2] {
        return malformed("a starting position without two kings");
    }
    setup.castling_rights = rooks;
    setup.turn = Color::from_white(bytes[24] & 0x80 == 0);
    setup.ep_square = match bytes[24] & 0x7F {
        NO_SQUARE => None,
        square @ 0..NO_SQUARE => Some(Square::new(u32::from(square))),
        _ => return malformed("an en passant square off the board"),
    };
    setup.halfmoves = u32::from(bytes[25]);
    let number = u32::from(u16::from_le_bytes([bytes[26], bytes[27]]));
    setup.fullmoves = NonZeroU32::new(number).unwrap_or(NonZeroU32::MIN);
    let result = match bytes[30] {
        0 => GameResult::BlackWins,
        1 => GameResult::Draw,
        2 => GameResult::WhiteWins,
        other => return malformed(format!("unknown result code {other}")),
    };
    let mode = CastlingMode::detect(&setup);
    // Accepts any material and the impossible checks that a book may hold, so that what was written can be read.
    let read = Chess::from_setup(setup, mode)
        .or_else(PositionError::ignore_impossible_check)
        .or_else(PositionError::ignore_too_much_material);
    match read {
        Ok(chess) => Ok((chess, result)),
        Err(error) => malformed(format!("impossible starting position: {error}")),
    }
}

/// A starting position's bytes, without a score or a result.
pub(crate) fn encode_header(chess: &Chess) -> [u8; HEADER_SIZE] {
    let mut bytes = Vec::with_capacity(HEADER_SIZE + STEP_SIZE);
    let written = dataformat::Game::new(&foreign_board(chess)).serialise_into(&mut bytes);
    debug_assert!(written.is_ok(), "memory takes every byte");
    std::array::from_fn(|i| bytes[i])
}

/// The legal move that these 16 bits encode.
fn decode_move(chess: &Chess, raw: u16) -> Option<Move> {
    let from = Square::new(u32::from(raw & 63));
    let to = Square::new(u32::from(raw >> 6 & 63));
    let role = chess.board().role_at(from)?;
    let m = match raw >> 14 {
        0 => Move::Normal { role, from, capture: chess.board().role_at(to), to, promotion: None },
        1 => Move::EnPassant { from, to },
        2 => Move::Castle { king: from, rook: to },
        _ => {
            let promotion = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen][usize::from(raw >> 12 & 3)];
            Move::Normal { role, from, capture: chess.board().role_at(to), to, promotion: Some(promotion) }
        }
    };
    chess.is_legal(m).then_some(m)
}

fn foreign_square(square: Square) -> types::Square {
    types::Square::new_clamped(square as u8)
}

fn foreign_role(role: Role) -> piece::PieceType {
    match role {
        Role::Pawn => piece::PieceType::Pawn,
        Role::Knight => piece::PieceType::Knight,
        Role::Bishop => piece::PieceType::Bishop,
        Role::Rook => piece::PieceType::Rook,
        Role::Queen => piece::PieceType::Queen,
        Role::King => piece::PieceType::King,
    }
}

fn foreign_move(m: Move) -> chessmove::Move {
    match m {
        Move::Normal { from, to, promotion: Some(role), .. } => {
            chessmove::Move::new_with_promo(foreign_square(from), foreign_square(to), foreign_role(role))
        }
        Move::Normal { from, to, .. } => chessmove::Move::new(foreign_square(from), foreign_square(to)),
        Move::EnPassant { from, to } => {
            let flags = chessmove::MoveFlags::EnPassant;
            chessmove::Move::new_with_flags(foreign_square(from), foreign_square(to), flags)
        }
        Move::Castle { king, rook } => {
            let flags = chessmove::MoveFlags::Castle;
            chessmove::Move::new_with_flags(foreign_square(king), foreign_square(rook), flags)
        }
        Move::Put { .. } => unreachable!("no drops in chess"),
    }
}

/// The crate's board, built piece by piece: its FEN reader would link two megabytes of attack tables.
fn foreign_board(chess: &Chess) -> Board {
    let mut board = Board::new();
    for (square, piece) in chess.board() {
        let colour = piece::Colour::new(piece.color == Color::Black);
        board.add_piece(foreign_square(square), piece::Piece::new(colour, foreign_role(piece.role)));
    }
    *board.turn_mut() = piece::Colour::new(chess.turn() == Color::Black);
    *board.ep_sq_mut() = chess.ep_square(EnPassantMode::Legal).map(foreign_square);
    *board.halfmove_clock_mut() = u8::try_from(chess.halfmoves()).unwrap_or(u8::MAX);
    board.set_fullmove_clock(u16::try_from(chess.fullmoves().get()).unwrap_or(u16::MAX));
    let right = |color, side| chess.castles().rook(color, side).map(foreign_square);
    *board.castling_rights_mut() = types::CastlingRights {
        wk: right(Color::White, CastlingSide::KingSide),
        wq: right(Color::White, CastlingSide::QueenSide),
        bk: right(Color::Black, CastlingSide::KingSide),
        bq: right(Color::Black, CastlingSide::QueenSide),
    };
    board
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use ibex::position::Position;
    use ibex::position::notation::read_fen;
    use ibex::random::Random;

    #[test]
    fn unusual_book_positions_round_trip() {
        for fen in ["rnnqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNNQKBNR w KQkq - 0 1", "4k3/8/3N1N2/8/8/8/8/4K3 b - - 0 1"] {
            let start = read_fen(fen).unwrap().to_chess();
            let bytes = GameRecord { start: start.clone(), steps: vec![], result: GameResult::Draw }.to_bytes();
            let read = GameReader::new(bytes.as_slice()).next_game().unwrap().expect("a game");
            assert_eq!(read.start, start, "{fen}");
        }
    }

    /// Random games from a standard and from Chess960 positions, so that every kind of move occurs.
    pub(crate) fn random_record(random: &mut Random, index: u32) -> GameRecord {
        let start = if index.is_multiple_of(2) {
            Position::startpos()
        } else {
            let mut setup = Setup::initial();
            setup.board = shakmaty::Board::chess960(random.below(960) as u32);
            setup.castling_rights = setup.board.rooks();
            Position::from_chess(&Chess::from_setup(setup, CastlingMode::Chess960).expect("legal"))
        };
        let mut chess = start.to_chess();
        let mut steps = Vec::new();
        for _ in 0..random.below(300) {
            let moves = chess.legal_moves();
            if moves.is_empty() {
                break;
            }
            // Castling and en passant are rare in random games: take them when they come.
            let special = moves.iter().find(|m| m.is_castle() || m.is_en_passant());
            let chosen = special.copied().unwrap_or_else(|| moves[random.below(moves.len())]);
            steps.push(Step { chosen, score: random.below(60_001) as i16 });
            chess.play_unchecked(chosen);
        }
        let result = [GameResult::BlackWins, GameResult::Draw, GameResult::WhiteWins][random.below(3)];
        GameRecord { start: start.to_chess(), steps, result }
    }

    #[test]
    fn written_games_are_read_by_ibex_and_by_the_crate() {
        let mut random = Random::new(1);
        let (mut castled, mut en_passant, mut promoted) = (0, 0, 0);
        let mut bytes = Vec::new();
        let mut records = Vec::new();
        for index in 0..400 {
            let record = random_record(&mut random, index);
            for step in &record.steps {
                castled += u32::from(step.chosen.is_castle());
                en_passant += u32::from(step.chosen.is_en_passant());
                promoted += u32::from(step.chosen.is_promotion());
            }
            bytes.extend(record.to_bytes());
            records.push(record);
        }
        assert!(castled > 50 && en_passant > 20 && promoted > 50, "{castled} {en_passant} {promoted}");
        let mut reader = GameReader::new(bytes.as_slice());
        let mut foreign = bytes.as_slice();
        for record in &records {
            assert_eq!(reader.next_game().unwrap().unwrap(), *record);
            // The crate reads scores in the byte order of the machine.
            if cfg!(target_endian = "big") {
                continue;
            }
            let game = dataformat::Game::deserialise_from(&mut foreign, Vec::new()).unwrap();
            let mut positions = Vec::new();
            game.visit_positions(|board, score| positions.push((board.pieces.occupied().inner(), score)));
            let mut ours = Vec::new();
            record.visit(|chess, step, _| ours.push((chess.board().occupied().0, i32::from(step.score))));
            assert_eq!(positions, ours);
            assert_eq!(game.outcome(), dataformat::WDL::from_packed(record.result as u8));
        }
        assert!(reader.next_game().unwrap().is_none());
        assert_eq!(reader.consumed(), bytes.len() as u64);
    }

    #[test]
    fn truncated_and_foreign_bytes_are_refused() {
        let mut random = Random::new(2);
        let record = loop {
            let record = random_record(&mut random, 0);
            if record.steps.len() > 20 {
                break record;
            }
        };
        let bytes = record.to_bytes();
        for cut in 1..bytes.len() {
            let mut reader = GameReader::new(&bytes[..cut]);
            assert!(matches!(reader.next_game(), Err(ReadError::Truncated)), "cut at {cut}");
            assert_eq!(reader.consumed(), 0);
        }
        for _ in 0..20_000 {
            let mut changed = bytes.clone();
            for _ in 0..=random.below(4) {
                let at = random.below(changed.len());
                changed[at] = random.below(256) as u8;
            }
            // Whatever happens, the result is an answer and not a panic.
            let mut reader = GameReader::new(changed.as_slice());
            while let Ok(Some(_)) = reader.next_game() {}
        }
        let text = b"this is no data file but a text that somebody passed by mistake, longer than a header";
        assert!(matches!(GameReader::new(text.as_slice()).next_game(), Err(ReadError::Malformed(_))));
    }
}
