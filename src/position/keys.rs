//! Zobrist keys: one random word for each thing that makes two positions different.
//!
//! Source: Albert Zobrist, "A New Hashing Method with Application for Game Playing" (1970). The words come from
//! Steele, Lea and Flood's SplitMix64, evaluated at compile time, so that a key means the same in every build.

use shakmaty::{Bitboard, Board, Castles, Color, File, Piece, Rank, Role, Square};

use crate::random::split_mix;

struct Words {
    pieces: [[u64; 64]; 12],
    /// By the rook that may castle: White's from the a-file, then Black's.
    castling: [u64; 16],
    en_passant: [u64; 8],
    black_to_move: u64,
}

static WORDS: Words = Words::new();

impl Words {
    const fn new() -> Words {
        let mut state = 0x1BE7_5C0E_5EED_u64;
        let mut words = Words { pieces: [[0; 64]; 12], castling: [0; 16], en_passant: [0; 8], black_to_move: 0 };
        let mut piece = 0;
        while piece < 12 {
            let mut square = 0;
            while square < 64 {
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
    /// Adds a piece to, or takes it from, a square.
    pub fn toggle(&mut self, piece: Piece, square: Square) {
        let word = piece_word(piece, square);
        self.whole ^= word;
        if piece.role == Role::Pawn {
            self.pawns ^= word;
        } else {
            self.pieces[piece.color as usize] ^= word;
            if matches!(piece.role, Role::King | Role::Knight | Role::Bishop) {
                self.minor ^= word;
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

    /// Grants these rooks the right to castle, or takes it. Their files tell them apart: in
    /// Chess960, the same board may have the right for one rook or for the one beside it.
    #[inline]
    pub fn toggle_castling(&mut self, rooks: Bitboard) {
        for rook in rooks {
            let back_rank = if rook.rank() == Rank::First { 0 } else { 8 };
            self.whole ^= WORDS.castling[back_rank + rook.file() as usize];
        }
    }

    /// The keys from scratch; `en_passant` is the file of a capture that is legal.
    pub fn of(board: &Board, turn: Color, castles: &Castles, en_passant: Option<File>) -> Keys {
        let mut keys = Keys::default();
        for (square, piece) in board.iter() {
            keys.toggle(piece, square);
        }
        keys.toggle_castling(castles.castling_rights());
        if let Some(file) = en_passant {
            keys.toggle_en_passant(file);
        }
        if turn == Color::Black {
            keys.toggle_turn();
        }
        keys
    }
}

/// The word of a piece on a square.
pub fn piece_word(piece: Piece, square: Square) -> u64 {
    piece_word_at(piece.color as usize * 6 + piece.role as usize - 1, square as usize)
}

/// The word of the `piece`-th of the twelve pieces (Black's pawn to king, then White's) on the `square`-th square.
pub(super) const fn piece_word_at(piece: usize, square: usize) -> u64 {
    WORDS.pieces[piece][square]
}

/// The word of the right to capture en passant on this file.
pub(super) fn en_passant_word(file: File) -> u64 {
    WORDS.en_passant[file as usize]
}

/// What a change of turn does to a key.
pub(super) const TURN: u64 = WORDS.black_to_move;
