//! Zobrist keys: one random word for each thing that makes two positions different.
//!
//! Source: Albert Zobrist, "A New Hashing Method with Application for Game Playing" (1970). The words come from
//! Steele, Lea and Flood's SplitMix64, evaluated at compile time, so that a key means the same in every build.

use shakmaty::{Bitboard, Color, File, Rank, Role, Square};

use super::{Board, Castling, PieceCode};
use crate::random::split_mix;

struct Words {
    /// By the index of a [`PieceCode`]; zero for the codes of no piece.
    pieces: [[u64; 64]; PieceCode::COUNT],
    /// By the rook that may castle: White's from the a-file, then Black's.
    castling: [u64; 16],
    en_passant: [u64; 8],
    black_to_move: u64,
}

static WORDS: Words = Words::new();

impl Words {
    const fn new() -> Words {
        let mut state = 0x1BE7_5C0E_5EED_u64;
        let mut words =
            Words { pieces: [[0; 64]; PieceCode::COUNT], castling: [0; 16], en_passant: [0; 8], black_to_move: 0 };
        let mut piece = 0;
        while piece < PieceCode::COUNT {
            let mut square = 0;
            while is_piece(piece) && square < 64 {
                words.pieces[piece][square] = split_mix(&mut state);
                square += 1;
            }
            piece += 1;
        }
        // The rooks of the initial position first: the others were added later, and left the keys of standard chess
        // unchanged.
        let corners = [7, 0, 15, 8];
        let mut i = 0;
        while i < 4 {
            words.castling[corners[i]] = split_mix(&mut state);
            i += 1;
        }
        i = 0;
        while i < 8 {
            words.en_passant[i] = split_mix(&mut state);
            i += 1;
        }
        words.black_to_move = split_mix(&mut state);
        i = 0;
        while i < 16 {
            if i % 8 != 0 && i % 8 != 7 {
                words.castling[i] = split_mix(&mut state);
            }
            i += 1;
        }
        words
    }
}

/// Whether the code with this index is that of a piece.
pub(super) const fn is_piece(index: usize) -> bool {
    matches!(index & 7, 1..=6)
}

/// The keys of a position's parts: the whole, and the parts that correction history is indexed by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Keys {
    /// Everything that makes positions different under the rules of repetition.
    pub whole: u64,
    /// Pawns alone.
    pub pawns: u64,
    /// Kings, knights and bishops of both sides.
    pub minor: u64,
    /// Everything but pawns, by colour (black, white).
    pub pieces: [u64; 2],
}

impl Keys {
    /// Changes the keys by words of one piece: by the word of a square that it enters or leaves, or of both.
    #[inline(always)]
    pub(super) fn toggle(&mut self, piece: PieceCode, words: u64) {
        const PAWN: usize = Role::Pawn as usize;
        const ROOK: usize = Role::Rook as usize;
        const QUEEN: usize = Role::Queen as usize;
        self.whole ^= words;
        match piece.role_number() {
            PAWN => self.pawns ^= words,
            role => {
                self.pieces[piece.color_number()] ^= words;
                if role != ROOK && role != QUEEN {
                    self.minor ^= words;
                }
            }
        }
    }

    /// Passes the turn.
    pub fn toggle_turn(&mut self) {
        self.whole ^= WORDS.black_to_move;
    }

    /// Grants or takes the right to capture en passant on this file.
    pub fn toggle_en_passant(&mut self, file: File) {
        self.whole ^= WORDS.en_passant[file as usize];
    }

    /// Toggles the castling rights of these rooks. Their files tell them apart: in
    /// Chess960, the same board may have the right for one rook or for the one beside it.
    #[inline]
    pub fn toggle_castling(&mut self, rooks: Bitboard) {
        for rook in rooks {
            let back_rank = if rook.rank() == Rank::First { 0 } else { 8 };
            self.whole ^= WORDS.castling[back_rank + rook.file() as usize];
        }
    }

    /// The keys from scratch; `en_passant` is the file of a capture that is legal.
    pub fn of(board: &Board, turn: Color, castling: &Castling, en_passant: Option<File>) -> Keys {
        let mut keys = Keys::default();
        for (square, piece) in board.iter() {
            keys.toggle(piece.into(), piece_word(piece.into(), square));
        }
        keys.toggle_castling(castling.castling_rights());
        if let Some(file) = en_passant {
            keys.toggle_en_passant(file);
        }
        if turn == Color::Black {
            keys.toggle_turn();
        }
        keys
    }
}

/// The word of a piece on a square; 0 for no piece.
#[inline(always)]
pub(super) const fn piece_word(piece: PieceCode, square: Square) -> u64 {
    piece_word_at(piece.index(), square as usize)
}

/// The word of the piece whose code has this index on the `square`-th square; 0 for no piece.
#[inline(always)]
pub(super) const fn piece_word_at(piece: usize, square: usize) -> u64 {
    WORDS.pieces[piece][square]
}

/// The key of the side to move.
pub(super) const TURN: u64 = WORDS.black_to_move;
