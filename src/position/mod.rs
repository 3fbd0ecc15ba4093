//! The board: the only module that plays moves, on shakmaty's rules.
//!
//! A [`Position`] is copied and played on (copy-make); a [`Game`] adds the keys of what came before, which repetition
//! needs. Keys are updated move by move; the test suite recomputes them.

pub mod attacks;
mod checks;
pub mod cuckoo;
mod fen;
pub mod game;
pub mod keys;
pub mod movegen;
pub mod moves;
pub mod notation;
pub mod perft;
pub mod see;

use shakmaty::fen::{Fen, LossyFenError};
use shakmaty::uci::UciMove;
use shakmaty::{
    Bitboard, Board, Castles, CastlingMode, CastlingSide, Chess, Color, EnPassantMode, File, Move, MoveList,
    Position as _, Role, Square,
};

pub use fen::{Counter, FenError, Illegal, Repair, shorten};
pub use game::Game;
use keys::Keys;
pub use moves::PackedMove;

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
#[derive(Clone, Debug)]
pub struct Position {
    chess: Chess,
    keys: Keys,
    checkers: Bitboard,
    /// Plies since the last capture or pawn move.
    clock: u16,
    /// Plies since the last irreversible move, null moves included: how far back repetition looks.
    reversible: u16,
    /// The file on which an en passant capture is legal: it is part of the key.
    en_passant: Option<File>,
}

impl Position {
    /// The initial position of chess.
    pub fn startpos() -> Position {
        Position::from_chess(Chess::new())
    }

    /// Takes over a legal position.
    pub fn from_chess(chess: Chess) -> Position {
        let en_passant = legal_en_passant(&chess);
        Position {
            keys: Keys::of(chess.board(), chess.turn(), chess.castles(), en_passant),
            checkers: chess.checkers(),
            clock: u16::try_from(chess.halfmoves()).unwrap_or(u16::MAX),
            reversible: u16::try_from(chess.halfmoves()).unwrap_or(u16::MAX),
            en_passant,
            chess,
        }
    }

    /// shakmaty's view of this position. Its halfmove clock is wrong after a null move; [`Position::clock`] is right.
    pub fn chess(&self) -> &Chess {
        &self.chess
    }

    /// The pieces.
    #[inline]
    pub fn board(&self) -> &Board {
        self.chess.board()
    }

    /// The side to move.
    #[inline]
    pub fn turn(&self) -> Color {
        self.chess.turn()
    }

    /// Castling rights, with the rooks' squares.
    pub fn castles(&self) -> &Castles {
        self.chess.castles()
    }

    /// The key of everything that makes positions different under the rules of repetition.
    #[inline]
    pub fn key(&self) -> u64 {
        self.keys.whole
    }

    /// All keys.
    #[inline]
    pub fn keys(&self) -> &Keys {
        &self.keys
    }

    /// The pieces that give check.
    #[inline]
    pub fn checkers(&self) -> Bitboard {
        self.checkers
    }

    /// Whether the side to move is in check.
    #[inline]
    pub fn in_check(&self) -> bool {
        self.checkers.any()
    }

    /// Plies since the beginning of the game, null moves included, by the move number and the side to move.
    pub fn game_ply(&self) -> u32 {
        (self.chess.fullmoves().get() - 1).saturating_mul(2).saturating_add(u32::from(self.turn() == Color::Black))
    }

    /// Plies since the last capture or pawn move.
    #[inline]
    pub fn clock(&self) -> u16 {
        self.clock
    }

    /// Plies since the last irreversible move.
    #[inline]
    pub fn reversible(&self) -> u16 {
        self.reversible
    }

    /// The number of men on the board, kings and pawns included.
    #[inline]
    pub fn men(&self) -> usize {
        self.board().occupied().count()
    }

    /// Pieces of the side to move with this role.
    #[inline]
    pub fn our(&self, role: Role) -> Bitboard {
        self.chess.our(role)
    }

    /// Whether the side to move has more than king and pawns: without that, zugzwang is the rule.
    #[inline]
    pub fn has_non_pawn_material(&self) -> bool {
        let board = self.board();
        (board.by_color(self.turn()) & !board.pawns() & !board.kings()).any()
    }

    /// All legal moves. For a composed position with more than [`movegen::MAX_MOVES`], the list holds only that many:
    /// captures and queen promotions before the others.
    #[inline]
    pub fn legal_moves(&self) -> MoveList {
        // shakmaty's list has no room for more, and overfilling it panics.
        if self.move_bound(self.turn()) > movegen::MAX_MOVES { self.first_moves() } else { self.chess.legal_moves() }
    }

    /// Whether there is a legal move.
    pub fn has_legal_move(&self) -> bool {
        !self.legal_moves().is_empty()
    }

    /// Whether the side to move is checkmated.
    pub fn is_checkmate(&self) -> bool {
        self.in_check() && !self.has_legal_move()
    }

    /// Reads a move in UCI notation (castling in either form); `None` if it is not legal here.
    pub fn parse_move(&self, text: &str) -> Option<Move> {
        text.parse::<UciMove>().ok()?.to_move(&self.chess).ok()
    }

    /// The key after a legal move, in most cases: changes of rights, castling and en passant are ignored. Good enough
    /// to prefetch memory before the move is made.
    #[inline]
    pub fn likely_key_after(&self, m: Move) -> u64 {
        let us = self.turn();
        // Only the whole key: the others are not needed.
        let mut key = self.keys.whole ^ keys::TURN;
        if let Some(from) = m.from() {
            key ^= keys::piece_word(m.role().of(us), from);
        }
        if let Some(captured) = m.capture() {
            key ^= keys::piece_word(captured.of(!us), m.to());
        }
        key ^= keys::piece_word(m.promotion().unwrap_or(m.role()).of(us), m.to());
        self.en_passant.map_or(key, |file| key ^ keys::en_passant_word(file))
    }

    /// Plays a legal move.
    pub fn play(&mut self, m: Move) {
        let us = self.turn();
        let rights = self.castles().castling_rights();
        match m {
            Move::Normal { role, from, capture, to, promotion } => {
                self.keys.toggle(role.of(us), from);
                if let Some(captured) = capture {
                    self.keys.toggle(captured.of(!us), to);
                }
                self.keys.toggle(promotion.unwrap_or(role).of(us), to);
            }
            Move::EnPassant { from, to } => {
                self.keys.toggle(us.pawn(), from);
                self.keys.toggle(us.pawn(), to);
                self.keys.toggle((!us).pawn(), Square::from_coords(to.file(), from.rank()));
            }
            Move::Castle { king, rook } => {
                let side = CastlingSide::from_queen_side(rook < king);
                self.keys.toggle(us.king(), king);
                self.keys.toggle(us.rook(), rook);
                self.keys.toggle(us.king(), Square::from_coords(side.king_to_file(), king.rank()));
                self.keys.toggle(us.rook(), Square::from_coords(side.rook_to_file(), rook.rank()));
            }
            Move::Put { .. } => debug_assert!(false, "no drops in chess"),
        }
        self.chess.play_unchecked(m);
        self.finish_turn();
        let rights_after = self.castles().castling_rights();
        self.keys.toggle_castling(rights ^ rights_after);
        self.checkers = self.chess.checkers();
        let progress = m.is_zeroing();
        self.clock = if progress { 0 } else { self.clock.saturating_add(1) };
        self.reversible = if progress || rights != rights_after { 0 } else { self.reversible.saturating_add(1) };
    }

    /// The position after a legal move.
    #[inline]
    #[must_use]
    pub fn after(&self, m: Move) -> Position {
        let mut after = self.clone();
        after.play(m);
        after
    }

    /// Passes the turn, for the null move; the side to move must not be in check.
    pub fn play_null(&mut self) {
        debug_assert!(!self.in_check());
        // "Moving" a piece to where it stands passes the turn and forgets the en passant square, without the full
        // validation of a position built anew. A king or a castling rook would lose its right that way.
        let us = self.turn();
        let stay = self.board().by_color(us) & !self.board().kings() & !self.castles().castling_rights();
        if let Some((square, role)) = stay.first().and_then(|s| Some((s, self.board().role_at(s)?))) {
            self.chess.play_unchecked(Move::Normal { role, from: square, capture: None, to: square, promotion: None });
        } else {
            // Not shakmaty's own way of passing: it refuses what a FEN may hold here, such as too much material.
            let mut setup = self.chess.to_setup(EnPassantMode::Legal);
            setup.swap_turn();
            if us.is_black() {
                setup.fullmoves = setup.fullmoves.saturating_add(1);
            }
            match fen::accept(setup, self.castling_mode()) {
                Ok(passed) => self.chess = passed,
                Err(error) => unreachable!("out of check, either side may move: {error}"),
            }
        }
        self.finish_turn();
        self.clock = self.clock.saturating_add(1);
        self.reversible = 0;
    }

    /// What every change of turn does to the key; the position already has the other side to move.
    fn finish_turn(&mut self) {
        self.keys.toggle_turn();
        if let Some(file) = self.en_passant {
            self.keys.toggle_en_passant(file);
        }
        self.en_passant = legal_en_passant(&self.chess);
        if let Some(file) = self.en_passant {
            self.keys.toggle_en_passant(file);
        }
    }

    /// The FEN of this position (X-FEN: castling letters name the rook's file where `KQkq` would be ambiguous).
    pub fn fen(&self) -> String {
        let mut setup = self.chess.to_setup(EnPassantMode::Legal);
        setup.halfmoves = u32::from(self.clock);
        Fen::try_from_setup(setup).unwrap_or_else(LossyFenError::ignore).to_string()
    }

    /// Whether neither side has the men for any mate: a draw by rule. Other dead positions (FIDE's laws, 5.2.2), such
    /// as those with all pawns blocked, are not seen.
    pub fn is_insufficient_material(&self) -> bool {
        self.chess.is_insufficient_material()
    }

    /// Whether castling is written "king takes rook" (Chess960) on output.
    pub fn castling_mode(&self) -> CastlingMode {
        self.castles().mode()
    }
}

/// The file of a legal en passant capture.
fn legal_en_passant(chess: &Chess) -> Option<File> {
    let square = chess.maybe_ep_square()?;
    // Most double steps have no enemy pawn beside them; only otherwise is legality worth checking.
    let takers = shakmaty::attacks::pawn_attacks(!chess.turn(), square) & chess.our(Role::Pawn);
    if takers.is_empty() || chess.en_passant_moves().is_empty() { None } else { Some(square.file()) }
}

impl Position {
    /// The position without the piece on a square, for measuring the piece's value; `None` if the position is not legal
    /// without it (a king, or a piece that covers the opponent's).
    #[must_use]
    pub fn without(&self, square: Square) -> Option<Position> {
        let mut setup = self.chess.to_setup(EnPassantMode::Legal);
        setup.board.discard_piece_at(square);
        setup.castling_rights.discard(square);
        setup.ep_square = None;
        fen::accept(setup, self.castling_mode()).ok().map(Position::from_chess)
    }

    /// The same position with the colours exchanged and the board turned upside down.
    #[must_use]
    pub fn flipped(&self) -> Position {
        let mut setup = self.chess.to_setup(EnPassantMode::Legal);
        setup.mirror();
        setup.halfmoves = u32::from(self.clock);
        match fen::accept(setup, self.castling_mode()) {
            Ok(chess) => Position::from_chess(chess),
            Err(error) => unreachable!("what is accepted is accepted upside down: {error}"),
        }
    }
}

#[cfg(test)]
mod tests;
