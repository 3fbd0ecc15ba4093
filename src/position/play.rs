//! Playing moves: what a move changes on the board, in the keys and in what is known about checks.

use shakmaty::{Bitboard, CastlingSide, Color, File, Rank, Role, Square, attacks};

use super::keys::piece_word;
use super::{Move, PieceCode, Position};

const PAWN: usize = Role::Pawn as usize;
const ROOK: usize = Role::Rook as usize;
const KING: usize = Role::King as usize;

/// King and rook of a castling move, with the squares that each leaves and reaches.
struct CastlingSquares {
    king: (PieceCode, Square, Square),
    rook: (PieceCode, Square, Square),
}

impl CastlingSquares {
    fn of(m: Move, us: Color) -> CastlingSquares {
        let side: CastlingSide = m.wing();
        CastlingSquares {
            king: (PieceCode::new(us, KING), m.from(), side.king_to(us)),
            rook: (PieceCode::new(us, ROOK), m.to(), side.rook_to(us)),
        }
    }
}

impl Position {
    /// Plays a legal move.
    #[inline]
    pub fn play(&mut self, m: Move) {
        self.play_and(m, |_| ());
    }

    /// The position after a legal move.
    #[inline]
    #[must_use]
    pub fn after(&self, m: Move) -> Position {
        let mut after = *self;
        after.play(m);
        after
    }

    /// Plays a legal move. `meanwhile` is called as soon as keys and clocks are known, to fetch from memory what
    /// belongs to them: only a right to capture en passant, which few moves grant, may still change the key.
    #[inline(always)]
    pub(crate) fn play_and(&mut self, m: Move, meanwhile: impl FnOnce(&Position)) {
        let us = self.turn;
        let (from, to) = (m.from(), m.to());
        let (moved, placed) = (PieceCode::new(us, m.role_number()), PieceCode::new(us, m.placed_number()));
        let victim = PieceCode::new(!us, m.victim_number());
        let progress = m.is_zeroing();
        self.clock = if progress { 0 } else { self.clock.saturating_add(1) };
        self.reversible = if progress { 0 } else { self.reversible.saturating_add(1) };
        let rights = self.castling.castling_rights();
        if rights.any() && (m.role_number() == KING || rights.contains(from) || rights.contains(to)) {
            self.lose_rights(m);
        }
        if m.is_capture() {
            self.keys.toggle(victim, piece_word(victim, m.victim_square()));
        }
        if m.is_castle() {
            self.castle_in_keys(m);
        } else if m.is_promotion() {
            self.keys.toggle(moved, piece_word(moved, from));
            self.keys.toggle(placed, piece_word(placed, to));
        } else {
            self.keys.toggle(moved, piece_word(moved, from) ^ piece_word(moved, to));
        }
        self.pass_turn();
        meanwhile(self);

        if m.is_castle() {
            self.castle_on_board(m, us);
        } else {
            if m.is_capture() {
                self.census.capture(m.victim_number());
                self.board.take(victim, m.victim_square());
            }
            if m.is_promotion() {
                self.census.promote(m.promotion_number());
                self.board.take(moved, from);
                self.board.put(placed, to);
            } else {
                self.board.shift(moved, from, to);
            }
            // A double step.
            if m.role_number() == PAWN && from as u32 ^ to as u32 == 16 {
                self.en_passant = self.en_passant_after(to);
                if let Some(file) = self.en_passant {
                    self.keys.toggle_en_passant(file);
                }
            }
        }
        self.find_checks();
    }

    /// Passes the turn, for the null move; the side to move must not be in check.
    pub fn play_null(&mut self) {
        debug_assert!(!self.in_check());
        self.pass_turn();
        self.find_checks();
        self.clock = self.clock.saturating_add(1);
        self.reversible = 0;
    }

    #[cold]
    fn castle_in_keys(&mut self, m: Move) {
        let squares = CastlingSquares::of(m, self.turn);
        for (piece, from, to) in [squares.king, squares.rook] {
            self.keys.toggle(piece, piece_word(piece, from) ^ piece_word(piece, to));
        }
    }

    #[cold]
    fn castle_on_board(&mut self, m: Move, us: Color) {
        let CastlingSquares { king, rook } = CastlingSquares::of(m, us);
        // Both leave before one arrives: in Chess960, either may go to the square of the other.
        self.board.take(king.0, king.1);
        self.board.take(rook.0, rook.1);
        self.board.put(king.0, king.2);
        self.board.put(rook.0, rook.2);
    }

    /// Takes the castling rights that end with this move.
    #[cold]
    fn lose_rights(&mut self, m: Move) {
        let before = self.castling.castling_rights();
        self.castling.discard(Bitboard::from(m.from()) | Bitboard::from(m.to()));
        if m.role_number() == KING {
            self.castling.discard(Bitboard::from_rank(self.turn.backrank()));
        }
        let lost = before ^ self.castling.castling_rights();
        if lost.any() {
            self.keys.toggle_castling(lost);
            self.reversible = 0;
        }
    }

    /// Gives the turn to the other side, and forgets the right to capture en passant.
    #[inline(always)]
    fn pass_turn(&mut self) {
        self.keys.toggle_turn();
        if let Some(file) = self.en_passant.take() {
            self.keys.toggle_en_passant(file);
        }
        if self.turn == Color::Black {
            self.fullmoves = self.fullmoves.saturating_add(1);
        }
        self.turn = !self.turn;
    }

    /// The file of a legal en passant capture of the pawn on a square, which has just made a double step.
    #[inline]
    fn en_passant_after(&self, pawn: Square) -> Option<File> {
        // Most double steps have no enemy pawn beside them; only otherwise is legality worth checking.
        let behind = Square::from_coords(pawn.file(), self.turn.fold_wb(Rank::Sixth, Rank::Third));
        let mut takers = (attacks::pawn_attacks(!self.turn, behind) & self.our(Role::Pawn)).into_iter();
        takers.any(|from| self.en_passant_is_legal(from, behind)).then(|| pawn.file())
    }

    /// Whether the king is safe after a capture en passant.
    pub(super) fn en_passant_is_legal(&self, from: Square, to: Square) -> bool {
        let Some(king) = self.board.king_of(self.turn) else { return false };
        let captured = Bitboard::from(Square::from_coords(to.file(), from.rank()));
        let occupied = self.board.occupied() ^ Bitboard::from(from) ^ captured | Bitboard::from(to);
        (self.board.attacks_to(king, !self.turn, occupied) & !captured).is_empty()
    }

    /// Finds the pieces that give check, and those that are pinned.
    #[inline(always)]
    pub(super) fn find_checks(&mut self) {
        let board = &self.board;
        let us = self.turn;
        let Some(king) = board.king_of(us) else { return };
        let (ours, theirs) = (board.by_color(us), board.by_color(!us));
        let mut checkers = theirs
            & ((attacks::knight_attacks(king) & board.knights()) | (attacks::pawn_attacks(us, king) & board.pawns()));
        let mut pinned = Bitboard::EMPTY;
        for sniper in theirs & board.snipers(king) {
            let between = attacks::between(king, sniper) & board.occupied();
            if between.is_empty() {
                checkers |= Bitboard::from(sniper);
            } else if !between.more_than_one() {
                pinned |= between;
            }
        }
        self.checkers = checkers;
        self.pinned = pinned & ours;
    }
}
