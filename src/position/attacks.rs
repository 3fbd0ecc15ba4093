//! The squares that a side attacks, by piece.

use shakmaty::{Bitboard, Color, File, Square, attacks};

use super::Board;

/// The squares that one side attacks, including the squares of its own pieces that it defends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Attacks {
    /// Attacked by pawns.
    pub by_pawns: Bitboard,
    /// By minor pieces or pawns.
    pub by_minors: Bitboard,
    /// By rooks or lesser pieces.
    pub by_rooks: Bitboard,
    /// Attacked by anything.
    pub all: Bitboard,
}

impl Attacks {
    /// The attacks of `side`.
    #[inline(always)]
    pub fn by(board: &Board, side: Color) -> Attacks {
        by_role(board, side).into()
    }
}

/// The squares that one side attacks, by the kind of man, pawn to king.
pub type AttacksByRole = [Bitboard; 6];

/// The attacks of `side` by the kind of man.
#[inline(always)]
pub fn by_role(board: &Board, side: Color) -> AttacksByRole {
    let ours = board.by_color(side);
    let occupied = board.occupied();
    [
        pawn_attacks(board.pawns() & ours, side),
        union(board.knights() & ours, attacks::knight_attacks),
        union(board.bishops() & ours, |from| attacks::bishop_attacks(from, occupied)),
        union(board.rooks() & ours, |from| attacks::rook_attacks(from, occupied)),
        union(board.queens() & ours, |from| attacks::queen_attacks(from, occupied)),
        union(board.kings() & ours, attacks::king_attacks),
    ]
}

impl From<AttacksByRole> for Attacks {
    #[inline(always)]
    fn from([by_pawns, knights, bishops, rooks, queens, king]: AttacksByRole) -> Attacks {
        let by_minors = by_pawns | knights | bishops;
        let by_rooks = by_minors | rooks;
        Attacks { by_pawns, by_minors, by_rooks, all: by_rooks | queens | king }
    }
}

/// The threats on a board, by the kind of men that attack: the squares of the men of the other side that they attack,
/// kings excepted. `attacks` are those of Black and of White.
#[inline(always)]
pub fn threats(board: &Board, [black, white]: &[AttacksByRole; 2]) -> AttacksByRole {
    let targets = board.occupied() & !board.kings();
    let [on_white, on_black] = [board.white() & targets, board.black() & targets];
    std::array::from_fn(|role| black[role] & on_white | white[role] & on_black)
}

#[inline(always)]
fn union(pieces: Bitboard, attacks: impl Fn(Square) -> Bitboard) -> Bitboard {
    pieces.into_iter().fold(Bitboard::EMPTY, |squares, from| squares | attacks(from))
}

/// The attacks of a side's pawns, setwise.
#[inline(always)]
pub(super) fn pawn_attacks(pawns: Bitboard, side: Color) -> Bitboard {
    let (left, right) = side.fold_wb((7, 9), (-9, -7));
    (pawns & !Bitboard::from(File::A)).shift(left) | (pawns & !Bitboard::from(File::H)).shift(right)
}

/// The attacks of both sides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AttackMaps {
    black: Attacks,
    white: Attacks,
}

impl AttackMaps {
    /// The attacks on this board.
    #[inline(always)]
    pub fn new(board: &Board) -> AttackMaps {
        AttackMaps { black: Attacks::by(board, Color::Black), white: Attacks::by(board, Color::White) }
    }

    /// The attacks of Black and White, by the kind of man.
    #[inline(always)]
    pub fn of_roles(&[black, white]: &[AttacksByRole; 2]) -> AttackMaps {
        AttackMaps { black: black.into(), white: white.into() }
    }

    /// The attacks of one side.
    #[inline(always)]
    pub fn of(&self, side: Color) -> &Attacks {
        match side {
            Color::Black => &self.black,
            Color::White => &self.white,
        }
    }
}

/// The pieces of both sides, except kings, that a lesser piece attacks, or any piece while nothing defends them; by
/// the attacks on this board.
#[inline(always)]
pub fn en_prise(board: &Board, maps: &AttackMaps) -> Bitboard {
    let minors = board.knights() | board.bishops();
    let of = |ours: Bitboard, own: &Attacks, their: &Attacks| {
        let by_lesser =
            (minors & their.by_pawns) | (board.rooks() & their.by_minors) | (board.queens() & their.by_rooks);
        ours & (by_lesser | (their.all & !own.all))
    };
    (of(board.white(), &maps.white, &maps.black) | of(board.black(), &maps.black, &maps.white)) & !board.kings()
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::Role;

    const BOARDS: [&str; 3] = [
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R",
        "8/P6p/8/3k4/7p/p7/3K3P/8",
        "1r4k1/2q2pp1/p2b3p/P2Pn3/1p1QP3/1B3P2/1P2N1PP/R1R3K1",
    ];

    fn board(text: &str) -> Board {
        text.parse().unwrap()
    }

    #[test]
    fn attacks_are_grouped_by_the_kind_of_piece() {
        for (text, side) in BOARDS.into_iter().flat_map(|text| Color::ALL.map(|side| (text, side))) {
            let board = board(text);
            let by = |roles: &[Role]| {
                let pieces = board.by_color(side).into_iter();
                let pieces = pieces.filter(|&at| board.role_at(at).is_some_and(|role| roles.contains(&role)));
                pieces.fold(Bitboard::EMPTY, |squares, at| squares | board.attacks_from(at))
            };
            let attacks = Attacks::by(&board, side);
            assert_eq!(attacks.by_pawns, by(&[Role::Pawn]), "{text}");
            assert_eq!(attacks.by_minors, by(&[Role::Pawn, Role::Knight, Role::Bishop]), "{text}");
            assert_eq!(attacks.by_rooks, by(&[Role::Pawn, Role::Knight, Role::Bishop, Role::Rook]), "{text}");
            assert_eq!(attacks.all, by(&Role::ALL), "{text}");
        }
    }

    #[test]
    fn en_prise_means_attacked_by_less_or_undefended() {
        for text in BOARDS {
            let board = board(text);
            let value = |role: Role| [1, 3, 3, 5, 9, 100][role as usize - 1];
            for (square, piece) in board.iter() {
                let attackers = board.attacks_to(square, !piece.color, board.occupied());
                let defended = board.attacks_to(square, piece.color, board.occupied()).any();
                let by_lesser = attackers.into_iter().filter_map(|from| board.role_at(from));
                let by_lesser = by_lesser.into_iter().any(|role| value(role) < value(piece.role));
                let expected = piece.role != Role::King && (by_lesser || attackers.any() && !defended);
                assert_eq!(en_prise(&board, &AttackMaps::new(&board)).contains(square), expected, "{square} of {text}");
            }
        }
        let board = board(BOARDS[2]);
        assert!(en_prise(&board, &AttackMaps::new(&board)).any());
    }
}
