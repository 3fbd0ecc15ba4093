//! The pieces on the board: bitboards by role and colour, and what stands on each square.

use std::fmt;
use std::str::FromStr;

use shakmaty::fen::ParseFenError;
use shakmaty::{Bitboard, Color, Piece, Role, Square, attacks};

use super::moves::role_of;

/// A piece as a number, for tables: its role, from 1 to 6, and 8 more if it is white; or no piece, 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(transparent)]
pub struct PieceCode(u8);

impl PieceCode {
    /// The length of a table by [`PieceCode::index`].
    pub const COUNT: usize = 16;

    /// The piece of a colour with this number of a role; no piece for 0.
    #[inline(always)]
    pub(crate) const fn new(color: Color, role_number: usize) -> PieceCode {
        PieceCode((role_number | (color as usize) << 3) as u8)
    }

    /// The number, below [`PieceCode::COUNT`].
    #[inline(always)]
    pub const fn index(self) -> usize {
        (self.0 & 15) as usize
    }

    /// The number of the role, from 1 to 6; 0 for no piece.
    #[inline(always)]
    pub(crate) const fn role_number(self) -> usize {
        (self.0 & 7) as usize
    }

    /// The number of the colour: 0 for Black.
    #[inline(always)]
    pub(crate) const fn color_number(self) -> usize {
        (self.0 >> 3 & 1) as usize
    }

    /// The piece, unless there is none.
    #[inline]
    pub fn piece(self) -> Option<Piece> {
        role_of(self.role_number()).map(|role| role.of(Color::from_white(self.color_number() == 1)))
    }
}

impl From<Piece> for PieceCode {
    #[inline(always)]
    fn from(piece: Piece) -> PieceCode {
        PieceCode::new(piece.color, piece.role as usize)
    }
}

/// The pieces on the board.
///
/// Bitboards answer where pieces of a kind stand, the mailbox answers what stands on a square. Reading methods have the
/// names of [`shakmaty::Board`], into which a board can be converted.
///
/// ```
/// use ibex::position::Board;
/// use ibex::shakmaty::{Color, Role, Square};
///
/// let board: Board = "4k3/8/8/8/8/8/8/R3K3".parse()?;
/// assert_eq!(board.piece_at(Square::A1), Some(Color::White.rook()));
/// assert_eq!(board.by_role(Role::King).count(), 2);
/// # Ok::<(), ibex::shakmaty::fen::ParseFenError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Board {
    /// By the number of the role; all pieces at 0.
    by_role: [Bitboard; 7],
    /// Black, then White.
    by_color: [Bitboard; 2],
    mailbox: [PieceCode; 64],
}

impl From<&shakmaty::Board> for Board {
    fn from(theirs: &shakmaty::Board) -> Board {
        let mut board = Board::empty();
        for (square, piece) in theirs.iter() {
            board.put(piece.into(), square);
        }
        board
    }
}

impl From<&Board> for shakmaty::Board {
    fn from(board: &Board) -> shakmaty::Board {
        board.iter().collect()
    }
}

/// The first field of a FEN.
impl FromStr for Board {
    type Err = ParseFenError;

    fn from_str(text: &str) -> Result<Board, ParseFenError> {
        shakmaty::Board::from_ascii_board_fen(text.as_bytes()).map(|board| Board::from(&board))
    }
}

impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        shakmaty::Board::from(self).fmt(f)
    }
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        shakmaty::Board::from(self).fmt(f)
    }
}

impl Board {
    /// No pieces.
    pub fn empty() -> Board {
        Board { by_role: [Bitboard::EMPTY; 7], by_color: [Bitboard::EMPTY; 2], mailbox: [PieceCode::default(); 64] }
    }

    /// The piece on a square.
    #[inline(always)]
    pub fn code_at(&self, square: Square) -> PieceCode {
        self.mailbox[square as usize]
    }

    /// The squares on which another board differs.
    #[inline(always)]
    pub(crate) fn differences(&self, other: &Board) -> Bitboard {
        let roles = self.by_role.iter().zip(&other.by_role);
        let squares = roles.fold(Bitboard::EMPTY, |squares, (&own, &other)| squares | (own ^ other));
        squares | (self.white() ^ other.white())
    }

    /// The piece on each square.
    #[inline(always)]
    pub fn mailbox(&self) -> &[PieceCode; 64] {
        &self.mailbox
    }

    #[inline(always)]
    fn toggle(&mut self, code: PieceCode, squares: Bitboard) {
        if let Some(of_role) = self.by_role.get_mut(code.role_number()) {
            *of_role ^= squares;
        }
        self.by_role[0] ^= squares;
        self.by_color[code.color_number()] ^= squares;
    }

    /// Puts a piece onto an empty square.
    #[inline(always)]
    pub fn put(&mut self, code: PieceCode, square: Square) {
        self.toggle(code, Bitboard::from(square));
        self.mailbox[square as usize] = code;
    }

    /// Takes a piece, which must be this one, off its square.
    #[inline(always)]
    pub(super) fn take(&mut self, code: PieceCode, square: Square) {
        self.toggle(code, Bitboard::from(square));
        self.mailbox[square as usize] = PieceCode::default();
    }

    /// Moves a piece, which must be this one, to an empty square.
    #[inline(always)]
    pub(super) fn shift(&mut self, code: PieceCode, from: Square, to: Square) {
        self.toggle(code, Bitboard::from(from) | Bitboard::from(to));
        self.mailbox[from as usize] = PieceCode::default();
        self.mailbox[to as usize] = code;
    }

    /// All pieces.
    #[inline(always)]
    pub fn occupied(&self) -> Bitboard {
        self.by_role[0]
    }

    /// Pawns.
    #[inline(always)]
    pub fn pawns(&self) -> Bitboard {
        self.by_role(Role::Pawn)
    }

    /// Knights.
    #[inline(always)]
    pub fn knights(&self) -> Bitboard {
        self.by_role(Role::Knight)
    }

    /// Bishops.
    #[inline(always)]
    pub fn bishops(&self) -> Bitboard {
        self.by_role(Role::Bishop)
    }

    /// Rooks.
    #[inline(always)]
    pub fn rooks(&self) -> Bitboard {
        self.by_role(Role::Rook)
    }

    /// Queens.
    #[inline(always)]
    pub fn queens(&self) -> Bitboard {
        self.by_role(Role::Queen)
    }

    /// Kings.
    #[inline(always)]
    pub fn kings(&self) -> Bitboard {
        self.by_role(Role::King)
    }

    /// White's pieces.
    #[inline(always)]
    pub fn white(&self) -> Bitboard {
        self.by_color(Color::White)
    }

    /// Black's pieces.
    #[inline(always)]
    pub fn black(&self) -> Bitboard {
        self.by_color(Color::Black)
    }

    /// Rooks and queens.
    #[inline(always)]
    pub fn rooks_and_queens(&self) -> Bitboard {
        self.rooks() | self.queens()
    }

    /// Bishops and queens.
    #[inline(always)]
    pub fn bishops_and_queens(&self) -> Bitboard {
        self.bishops() | self.queens()
    }

    /// The pieces of a colour.
    #[inline(always)]
    pub fn by_color(&self, color: Color) -> Bitboard {
        self.by_color[color as usize]
    }

    /// The pieces of a role.
    #[inline(always)]
    pub fn by_role(&self, role: Role) -> Bitboard {
        self.by_role[role as usize]
    }

    /// The pieces of a role and colour.
    #[inline(always)]
    pub fn by_piece(&self, piece: Piece) -> Bitboard {
        self.by_role(piece.role) & self.by_color(piece.color)
    }

    /// The king of a colour.
    #[inline(always)]
    pub fn king_of(&self, color: Color) -> Option<Square> {
        (self.kings() & self.by_color(color)).first()
    }

    /// The piece on a square.
    #[inline]
    pub fn piece_at(&self, square: Square) -> Option<Piece> {
        self.code_at(square).piece()
    }

    /// The role of the piece on a square.
    #[inline]
    pub fn role_at(&self, square: Square) -> Option<Role> {
        role_of(self.code_at(square).role_number())
    }

    /// The colour of the piece on a square.
    #[inline]
    pub fn color_at(&self, square: Square) -> Option<Color> {
        self.piece_at(square).map(|piece| piece.color)
    }

    /// The squares that the piece on a square attacks.
    pub fn attacks_from(&self, square: Square) -> Bitboard {
        self.piece_at(square).map_or(Bitboard::EMPTY, |piece| attacks::attacks(square, piece, self.occupied()))
    }

    /// The pieces of a colour that attack a square, if the board is occupied like this.
    #[inline]
    pub fn attacks_to(&self, square: Square, attacker: Color, occupied: Bitboard) -> Bitboard {
        self.by_color(attacker)
            & ((attacks::rook_attacks(square, occupied) & self.rooks_and_queens())
                | (attacks::bishop_attacks(square, occupied) & self.bishops_and_queens())
                | (attacks::knight_attacks(square) & self.knights())
                | (attacks::king_attacks(square) & self.kings())
                | (attacks::pawn_attacks(!attacker, square) & self.pawns()))
    }

    /// The sliding pieces of both sides that would attack a square if nothing stood in between.
    #[inline(always)]
    pub(super) fn snipers(&self, square: Square) -> Bitboard {
        (attacks::rook_attacks(square, Bitboard::EMPTY) & self.rooks_and_queens())
            | (attacks::bishop_attacks(square, Bitboard::EMPTY) & self.bishops_and_queens())
    }

    /// All pieces with their squares, from a1 to h8.
    pub fn iter(&self) -> impl Iterator<Item = (Square, Piece)> + '_ {
        self.occupied().into_iter().filter_map(|square| Some((square, self.piece_at(square)?)))
    }
}
