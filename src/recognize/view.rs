//! A position as the classes see it: a strong side against a weak side, whatever their colours.

use shakmaty::{Bitboard, Color, Piece, Role, Square, attacks};

use crate::position::Board;

/// The two sides of an ending. The registry chooses which one is called strong: the side that can hope to win.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// The side that the class plays for.
    Strong,
    /// The other one; a lone king in most classes.
    Weak,
}

/// A board with its sides named.
#[derive(Clone, Copy)]
pub struct EndingView<'a> {
    board: &'a Board,
    strong: Color,
    /// The side to move.
    pub to_move: Side,
    /// The strong side's king.
    pub strong_king: Square,
    /// The weak side's king.
    pub weak_king: Square,
}

impl<'a> EndingView<'a> {
    /// Names the sides of a board; `None` without two kings.
    pub fn new(board: &'a Board, turn: Color, strong: Color) -> Option<EndingView<'a>> {
        Some(EndingView {
            board,
            strong,
            to_move: if turn == strong { Side::Strong } else { Side::Weak },
            strong_king: board.king_of(strong)?,
            weak_king: board.king_of(!strong)?,
        })
    }

    fn color(&self, side: Side) -> Color {
        if side == Side::Strong { self.strong } else { !self.strong }
    }

    /// The king of a side.
    pub fn king(&self, side: Side) -> Square {
        if side == Side::Strong { self.strong_king } else { self.weak_king }
    }

    /// The men of a side with this role.
    pub fn men(&self, side: Side, role: Role) -> Bitboard {
        self.board.by_piece(Piece { color: self.color(side), role })
    }

    /// All men of a side but the king.
    pub fn force(&self, side: Side) -> Bitboard {
        self.board.by_color(self.color(side)) & !self.board.kings()
    }

    /// All men of this role.
    pub fn all(&self, role: Role) -> Bitboard {
        self.board.by_role(role)
    }

    /// Both kings.
    pub fn kings(&self) -> Bitboard {
        self.board.kings()
    }

    /// All men.
    pub fn occupied(&self) -> Bitboard {
        self.board.occupied()
    }

    /// Whether each side has one man besides its king.
    pub fn one_each(&self) -> bool {
        self.force(Side::Strong).count() == 1 && self.force(Side::Weak).count() == 1
    }

    /// The men of a side that attack a square, with this occupancy.
    pub fn attackers(&self, square: Square, side: Side, occupied: Bitboard) -> Bitboard {
        self.board.attacks_to(square, self.color(side), occupied) & occupied
    }

    /// Whether a side attacks a square.
    pub fn attacks(&self, side: Side, square: Square) -> bool {
        self.board.attacks_to(square, self.color(side), self.occupied()).any()
    }

    /// Whether a side's king is in check.
    pub fn in_check(&self, side: Side) -> bool {
        self.attacks(other(side), self.king(side))
    }

    /// A square as the strong side sees it, its own first rank below.
    pub fn relative(&self, square: Square) -> Square {
        if self.strong == Color::White { square } else { square.flip_vertical() }
    }

    /// The squares that the weak king can legally go to; captures included.
    pub fn flights(&self) -> impl Iterator<Item = Square> + '_ {
        let occupied = self.occupied() & !Bitboard::from(self.weak_king);
        let targets = attacks::king_attacks(self.weak_king) & !self.force(Side::Weak);
        targets
            .into_iter()
            .filter(move |&to| (self.attackers(to, Side::Strong, occupied) & !Bitboard::from(to)).is_empty())
    }
}

/// The other side.
pub fn other(side: Side) -> Side {
    if side == Side::Strong { Side::Weak } else { Side::Strong }
}

/// Whether the kings are too far from each other for one to guard the other's flights.
pub fn kings_apart(view: &EndingView) -> bool {
    view.strong_king.distance(view.weak_king) > 2
}
