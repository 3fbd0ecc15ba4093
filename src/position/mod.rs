//! The board: the only module that plays moves.
//!
//! A [`Position`] is copied and played on (copy-make); a [`Game`] adds the keys of what came before, which repetition
//! needs. Keys, checkers and pins are updated move by move; the tests compare all of them, and the legal moves, with
//! shakmaty's. What happens once a game is shakmaty's work: FENs, notations, and the rules that make a position legal.

pub mod attacks;
mod board;
mod castling;
mod checks;
pub mod cuckoo;
mod fen;
mod find;
pub mod game;
pub mod keys;
pub mod movegen;
pub mod moves;
pub mod notation;
pub mod perft;
mod play;
pub mod see;

use std::num::NonZeroU32;

use shakmaty::fen::{Fen, LossyFenError};
use shakmaty::uci::UciMove;
use shakmaty::{Bitboard, CastlingMode, Chess, Color, File, Position as _, Rank, Role, Setup, Square};

pub use board::{Board, PieceCode};
pub use castling::Castling;
pub use fen::{Counter, FenError, Illegal, Repair, shorten};
pub use game::Game;
use keys::Keys;
pub use movegen::MoveList;
pub use moves::{Move, PackedMove};

/// A position under the rules of chess, with its keys.
///
/// ```
/// use ibex::position::{FenError, Illegal, Position};
/// use ibex::shakmaty::CastlingMode;
///
/// let mut position = Position::startpos();
/// let m = position.parse_move("e2e4").expect("legal in the initial position");
/// position.play(m);
/// assert_eq!(position.fen(), "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
///
/// // What cannot be is repaired, and the repairs are reported.
/// let (position, repairs) = Position::from_any_fen("4k3/8/8/8/8/8/8/4K3 w KQ - 0 1", None)?;
/// assert_eq!(position.fen(), "4k3/8/8/8/8/8/8/4K3 w - - 0 1");
/// assert_eq!(
///     repairs[0].to_string(),
///     "impossible castling rights are dropped; kept: -"
/// );
///
/// // A position without a king cannot be played.
/// let error = Position::from_fen("8/8/8/8/8/8/8/4K3 w - - 0 1", CastlingMode::Standard).unwrap_err();
/// assert!(matches!(error, FenError::Illegal { reasons, .. } if reasons == [Illegal::MissingKing]));
/// # Ok::<(), FenError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Position {
    board: Board,
    keys: Keys,
    castling: Castling,
    checkers: Bitboard,
    /// The pieces of the side to move that may move only along the line through their king.
    pinned: Bitboard,
    fullmoves: NonZeroU32,
    census: Census,
    /// Plies since the last capture or pawn move.
    clock: u16,
    /// Plies since the last irreversible move, null moves included: how far back repetition looks.
    reversible: u16,
    turn: Color,
    /// The file on which an en passant capture is legal: it is part of the key.
    en_passant: Option<File>,
}

/// The number of men on the board and their points. A processor without a population count would take long to count
/// them at every node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Census(u32);

impl Census {
    /// One man and its points, by the number of its role: the men in the lower 16 bits, the points in the upper ones.
    const OF_ROLE: [u32; 8] = [0, 1 | 1 << 16, 1 | 3 << 16, 1 | 3 << 16, 1 | 5 << 16, 1 | 9 << 16, 1, 0];

    fn of(board: &Board) -> Census {
        Census(board.mailbox().iter().map(|piece| Census::OF_ROLE[piece.role_number()]).sum())
    }

    #[inline(always)]
    fn capture(&mut self, victim_number: usize) {
        self.0 -= Census::OF_ROLE[victim_number & 7];
    }

    #[inline(always)]
    fn promote(&mut self, promotion_number: usize) {
        self.0 += Census::OF_ROLE[promotion_number & 7] - Census::OF_ROLE[Role::Pawn as usize];
    }
}

impl Position {
    /// The initial position of chess.
    pub fn startpos() -> Position {
        Position::from_chess(&Chess::new())
    }

    /// Takes over a legal position.
    pub fn from_chess(chess: &Chess) -> Position {
        let board = Board::from(chess.board());
        let castling = Castling::from(chess.castles());
        let en_passant = chess.legal_ep_square().map(Square::file);
        let clock = u16::try_from(chess.halfmoves()).unwrap_or(u16::MAX);
        let mut position = Position {
            keys: Keys::of(&board, chess.turn(), &castling, en_passant),
            census: Census::of(&board),
            board,
            castling,
            checkers: Bitboard::EMPTY,
            pinned: Bitboard::EMPTY,
            fullmoves: chess.fullmoves(),
            clock,
            reversible: clock,
            turn: chess.turn(),
            en_passant,
        };
        position.find_checks();
        position
    }

    /// shakmaty's form of this position, for notations and tablebases. It takes thousands of instructions.
    pub fn to_chess(&self) -> Chess {
        match fen::accept(self.setup(), self.castling_mode()) {
            Ok(chess) => chess,
            Err(error) => unreachable!("what comes from legal positions and moves is legal: {error}"),
        }
    }

    fn setup(&self) -> Setup {
        Setup {
            board: (&self.board).into(),
            turn: self.turn,
            castling_rights: self.castling.castling_rights(),
            ep_square: self.en_passant_square(),
            halfmoves: u32::from(self.clock),
            fullmoves: self.fullmoves,
            ..Setup::empty()
        }
    }

    /// The square behind the pawn that can be captured en passant.
    #[inline]
    fn en_passant_square(&self) -> Option<Square> {
        self.en_passant.map(|file| Square::from_coords(file, self.turn.fold_wb(Rank::Sixth, Rank::Third)))
    }

    /// The pieces.
    #[inline(always)]
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The side to move.
    #[inline(always)]
    pub fn turn(&self) -> Color {
        self.turn
    }

    /// Castling rights, with the rooks' squares.
    #[inline(always)]
    pub fn castling(&self) -> &Castling {
        &self.castling
    }

    /// The key of everything that makes positions different under the rules of repetition.
    #[inline(always)]
    pub fn key(&self) -> u64 {
        self.keys.whole
    }

    /// All keys.
    #[inline(always)]
    pub fn keys(&self) -> &Keys {
        &self.keys
    }

    /// The pieces that give check.
    #[inline(always)]
    pub fn checkers(&self) -> Bitboard {
        self.checkers
    }

    /// Whether the side to move is in check.
    #[inline(always)]
    pub fn in_check(&self) -> bool {
        self.checkers.any()
    }

    /// The pieces of the side to move that may move only along the line through their king.
    #[inline(always)]
    pub fn pinned(&self) -> Bitboard {
        self.pinned
    }

    /// The number of the move, from 1, as a FEN has it.
    pub fn fullmoves(&self) -> NonZeroU32 {
        self.fullmoves
    }

    /// Plies since the beginning of the game, null moves included, by the move number and the side to move.
    pub fn game_ply(&self) -> u32 {
        (self.fullmoves.get() - 1).saturating_mul(2).saturating_add(u32::from(self.turn == Color::Black))
    }

    /// Plies since the last capture or pawn move.
    #[inline(always)]
    pub fn clock(&self) -> u16 {
        self.clock
    }

    /// Whether this many plies without a capture or a pawn move may follow before the 50-move rule draws the game. Mate
    /// with the last of them is still mate.
    #[inline]
    pub fn has_plies_for(&self, plies: usize) -> bool {
        const FIFTY_MOVES: usize = 100;
        usize::from(self.clock()) + plies <= FIFTY_MOVES
    }

    /// Plies since the last irreversible move.
    #[inline(always)]
    pub fn reversible(&self) -> u16 {
        self.reversible
    }

    /// The number of men on the board, kings and pawns included.
    #[inline(always)]
    pub fn men(&self) -> usize {
        (self.census.0 & 0xFFFF) as usize
    }

    /// The points of all men: pawns 1, minor pieces 3, rooks 5, queens 9.
    #[inline(always)]
    pub fn points(&self) -> i32 {
        (self.census.0 >> 16) as i32
    }

    /// Pieces of the side to move with this role.
    #[inline(always)]
    pub fn our(&self, role: Role) -> Bitboard {
        self.board.by_role(role) & self.board.by_color(self.turn)
    }

    /// Whether the side to move has more than king and pawns: without that, zugzwang is the rule.
    #[inline]
    pub fn has_non_pawn_material(&self) -> bool {
        (self.board.by_color(self.turn) & !self.board.pawns() & !self.board.kings()).any()
    }

    /// Whether the side to move is checkmated.
    pub fn is_checkmate(&self) -> bool {
        self.in_check() && !self.has_legal_move()
    }

    /// Reads a move in UCI notation (castling in either form); `None` if it is not legal here.
    pub fn parse_move(&self, text: &str) -> Option<Move> {
        text.parse::<UciMove>().ok()?.to_move(&self.to_chess()).ok().map(Into::into)
    }

    /// The FEN of this position (X-FEN: castling letters name the rook's file where `KQkq` would be ambiguous).
    pub fn fen(&self) -> String {
        Fen::try_from_setup(self.setup()).unwrap_or_else(LossyFenError::ignore).to_string()
    }

    /// Whether neither side has the men for any mate: a draw by rule. Other dead positions (FIDE's laws, 5.2.2), such
    /// as those with all pawns blocked, are not seen.
    #[inline]
    pub fn is_insufficient_material(&self) -> bool {
        (self.board.pawns() | self.board.rooks_and_queens()).is_empty() && self.minor_pieces_cannot_mate()
    }

    /// The same for a board of kings and minor pieces: one knight, or bishops of one colour.
    fn minor_pieces_cannot_mate(&self) -> bool {
        if self.board.knights().any() {
            return self.men() == 3;
        }
        let bishops = self.board.bishops();
        (bishops & Bitboard::DARK_SQUARES).is_empty() || (bishops & Bitboard::LIGHT_SQUARES).is_empty()
    }

    /// Whether castling is written "king takes rook" (Chess960) on output.
    pub fn castling_mode(&self) -> CastlingMode {
        self.castling.mode()
    }

    /// The position without the piece on a square, for measuring the piece's value; `None` if the position is not legal
    /// without it (a king, or a piece that covers the opponent's).
    #[must_use]
    pub fn without(&self, square: Square) -> Option<Position> {
        let mut setup = self.setup();
        setup.board.discard_piece_at(square);
        setup.castling_rights.discard(square);
        setup.ep_square = None;
        fen::accept(setup, self.castling_mode()).ok().as_ref().map(Position::from_chess)
    }

    /// The same position with the colours exchanged and the board turned upside down.
    #[must_use]
    pub fn flipped(&self) -> Position {
        let mut setup = self.setup();
        setup.mirror();
        match fen::accept(setup, self.castling_mode()) {
            Ok(chess) => Position::from_chess(&chess),
            Err(error) => unreachable!("what is accepted is accepted upside down: {error}"),
        }
    }
}

#[cfg(test)]
mod tests;
