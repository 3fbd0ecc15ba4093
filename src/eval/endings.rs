//! Endings of few men in which a sum of terms misleads: the side ahead cannot win, or has all but won.
//!
//! This proves nothing, which is the business of recognizers: it brings an evaluation into line with how such
//! positions mostly end in our own tables. Every evaluation passes through here.

use shakmaty::{Bitboard, Color, File, Rank, Role, Square, attacks};

use crate::params;
use crate::position::{Board, Position};
use crate::recognize::{mop_up_kings, queen_against_rook};

/// The evaluation of a position for the side to move, in centipawns, adjusted for its material.
#[inline]
pub fn scale(position: &Position, value: i32) -> i32 {
    let board = position.board();
    if position.men() <= 5 || !board.white().more_than_one() || !board.black().more_than_one() {
        scaled_by_ending(board, position.turn(), value)
    } else {
        value
    }
}

#[inline(never)]
fn scaled_by_ending(board: &Board, turn: Color, value: i32) -> i32 {
    if let Some((queen, value)) = queen_and_rook(board) {
        return if queen == turn { value } else { -value };
    }
    let ahead = if value >= 0 { turn } else { !turn };
    let Some(advantage) = Advantage::of(board, ahead, turn) else { return value };
    match advantage.scaling() {
        Scaling::Unchanged => value,
        Scaling::Drawish => value * params::DRAWISH_LIMIT / (params::DRAWISH_LIMIT + value.abs()),
        Scaling::AlmostWon => value + if value >= 0 { params::ALMOST_WON } else { -params::ALMOST_WON },
        Scaling::Mating if value >= 0 => advantage.mating(),
        Scaling::Mating => -advantage.mating(),
    }
}

/// In queen against rook, the side with the queen and its evaluation.
///
/// No search sees the end of this win, and the recognizer claims it only early in the 50 moves.
fn queen_and_rook(board: &Board) -> Option<(Color, i32)> {
    let (queen, rook) = (board.queens().single_square()?, board.rooks().single_square()?);
    let (ahead, behind) = (board.color_at(queen)?, board.color_at(rook)?);
    if ahead == behind || board.occupied().count() != 4 {
        return None;
    }
    let progress = queen_against_rook(board.king_of(ahead)?, board.king_of(behind)?, rook);
    Some((ahead, params::QUEEN_AGAINST_ROOK + progress))
}

/// The effect of the material on an advantage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scaling {
    Unchanged,
    /// Nearly always drawn.
    Drawish,
    /// Won, with some of the way still to go.
    AlmostWon,
    /// A mating force against a lone king.
    Mating,
}

impl Scaling {
    fn drawish_if(is_drawish: bool) -> Scaling {
        if is_drawish { Scaling::Drawish } else { Scaling::Unchanged }
    }
}

/// A board as the side sees it that is ahead.
struct Advantage<'a> {
    board: &'a Board,
    /// The side that is ahead, and whether it is to move.
    side: Color,
    to_move: bool,
    /// Its men, and those of the other side.
    own: Bitboard,
    their: Bitboard,
    king: Square,
    their_king: Square,
}

impl<'a> Advantage<'a> {
    /// `None` without two kings.
    fn of(board: &'a Board, side: Color, turn: Color) -> Option<Advantage<'a>> {
        Some(Advantage {
            board,
            side,
            to_move: side == turn,
            own: board.by_color(side),
            their: board.by_color(!side),
            king: board.king_of(side)?,
            their_king: board.king_of(!side)?,
        })
    }

    /// The best result within the side's reach.
    fn scaling(&self) -> Scaling {
        if (self.board.pawns() & self.own).is_empty() {
            self.without_pawns()
        } else if self.their.count() == 1 {
            self.pawns_against_lone_king()
        } else {
            Scaling::drawish_if(self.is_stopped_by_minor())
        }
    }

    /// The scaling if the side has no pawns.
    fn without_pawns(&self) -> Scaling {
        let Advantage { board, own, their, .. } = *self;
        if their.count() == 1 && self.is_mating_force() {
            return Scaling::Mating;
        }
        let lone_pawn = (board.pawns() & their).single_square().filter(|_| their.count() == 2 && own.count() == 2);
        match lone_pawn {
            Some(pawn) if (board.rooks() & own).any() => self.rook_against_pawn(pawn),
            Some(pawn) if (board.queens() & own).any() && self.holds_queen(pawn) => Scaling::Drawish,
            // If the pawn does not hold the queen, nearly all such positions are won.
            Some(_) if (board.queens() & own).any() => Scaling::AlmostWon,
            // Without pawns, a minor piece does not win, nor a rook against one, nor two knights.
            _ => {
                let points = piece_points(board, own);
                let difference = points - piece_points(board, their);
                let two_knights = is_two_knights(board, own) && their.count() == 1;
                Scaling::drawish_if(points <= 3 || difference <= 2 || two_knights)
            }
        }
    }

    /// The scaling if the side has pawns, and the other one a lone king.
    fn pawns_against_lone_king(&self) -> Scaling {
        if self.is_wrong_rook_pawn() || self.is_locked_bishop() {
            Scaling::Drawish
        } else if (self.board.bishops() | self.board.knights()).any() {
            Scaling::AlmostWon
        } else {
            Scaling::Unchanged
        }
    }

    /// Whether the men, without a pawn, can force mate against a lone king.
    fn is_mating_force(&self) -> bool {
        let Advantage { board, own, .. } = *self;
        let bishops = board.bishops() & own;
        let of_both_colours = (bishops & Bitboard::DARK_SQUARES).any() && (bishops & Bitboard::LIGHT_SQUARES).any();
        (own & (board.queens() | board.rooks())).any()
            || of_both_colours
            || bishops.any() && (board.knights() & own).any()
            || (board.knights() & own).count() >= 3
    }

    /// The evaluation of a mating force. It grows towards the mate, so that the search finds the way after the 50-move
    /// rule has ended the recognizers' claims.
    fn mating(&self) -> i32 {
        let Advantage { board, own, .. } = *self;
        let bishop = board.bishops() & own;
        let needs_corner = own.count() == 3 && bishop.any() && (board.knights() & own).any();
        300 + 100 * piece_points(board, own)
            + mop_up_kings(self.king, self.their_king, if needs_corner { bishop } else { Bitboard::EMPTY })
    }

    /// A rook against a pawn that its king escorts: who is first at the promotion square?
    fn rook_against_pawn(&self, pawn: Square) -> Scaling {
        let rank = seen_by(!self.side, pawn).rank() as i32;
        let (goal, _) = promotion(!self.side, pawn);
        let late = self.king.distance(goal) as i32 - (7 - rank);
        let escort = self.their_king.distance(pawn);
        let enough = if !self.to_move {
            2
        } else if escort <= 1 {
            3
        } else {
            4
        };
        if late <= 0 {
            Scaling::AlmostWon
        } else if escort <= 2 && late >= enough {
            Scaling::Drawish
        } else {
            Scaling::Unchanged
        }
    }

    /// A pawn one step from promotion that holds a queen by stalemate: on a rook's or bishop's file, its king beside
    /// the promotion square and the other king far away.
    fn holds_queen(&self, pawn: Square) -> bool {
        let (goal, steps) = promotion(!self.side, pawn);
        let far = if self.to_move { 5 } else { 4 };
        steps == 1
            && matches!(pawn.file(), File::A | File::C | File::F | File::H)
            && self.their_king.distance(goal) <= 1
            && self.king.distance(goal) >= far
    }

    /// A lone pawn against a minor piece, which sacrifices itself for the pawn if need be. If it comes too late, the
    /// search sees the queen.
    fn is_stopped_by_minor(&self) -> bool {
        let Advantage { board, own, their, .. } = *self;
        own.count() == 2 && their.count() == 2 && (their & (board.bishops() | board.knights())).any()
    }

    /// The wrong rook pawn: pawns of one rook's file, without a piece that commands their corner, with the lone king
    /// there as soon as anyone.
    fn is_wrong_rook_pawn(&self) -> bool {
        let Advantage { board, side, own, .. } = *self;
        let pawns = board.pawns() & own;
        let Some(file) = pawns.first().map(Square::file).filter(|file| matches!(file, File::A | File::H)) else {
            return false;
        };
        let corner = seen_by(side, Square::from_coords(file, Rank::Eighth));
        let colour = if corner.is_light() { Bitboard::LIGHT_SQUARES } else { Bitboard::DARK_SQUARES };
        let pieces = own & !board.kings() & !pawns;
        if !(pawns & !Bitboard::from(file)).is_empty() || pieces != board.by_role(Role::Bishop) & own & !colour {
            return false;
        }
        let beside = attacks::king_attacks(corner) & !Bitboard::from(file);
        let strong = beside.into_iter().map(|square| self.king.distance(square)).min().unwrap_or(0);
        let king = self.their_king.distance(corner).saturating_sub(u32::from(!self.to_move));
        let steps = pawns.into_iter().map(|pawn| promotion(side, pawn).1).min().unwrap_or(0);
        king <= 1 || king < strong && king <= steps || king == strong && king < steps
    }

    /// A bishop on h7 that the only pawn, on g6, locks in, while the lone king is at home between them and the corner:
    /// freeing the bishop costs the pawn. The same on a7 and b6.
    fn is_locked_bishop(&self) -> bool {
        let board = self.board;
        let (Some(pawn), Some(bishop)) = (board.pawns().single_square(), board.bishops().single_square()) else {
            return false;
        };
        let mirrored = pawn.file() < File::E;
        let [pawn, bishop, king] = [pawn, bishop, self.their_king].map(|square| {
            let square = seen_by(self.side, square);
            if mirrored { square.flip_horizontal() } else { square }
        });
        let at_home = matches!(king, Square::G7 | Square::G8 | Square::H8);
        self.own.count() == 3
            && (pawn, bishop) == (Square::G6, Square::H7)
            && (at_home || !self.to_move && king.distance(Square::G7) <= 1)
    }
}

/// The pieces of a side in points: minor pieces 3, rooks 5, queens 9.
fn piece_points(board: &Board, side: Bitboard) -> i32 {
    let (minors, rooks, queens) = (board.knights() | board.bishops(), board.rooks(), board.queens());
    (3 * (minors & side).count() + 5 * (rooks & side).count() + 9 * (queens & side).count()) as i32
}

fn is_two_knights(board: &Board, own: Bitboard) -> bool {
    let pieces = own & !board.kings();
    pieces == board.knights() & own && pieces.count() == 2
}

/// A square as this side sees it, its own first rank below.
fn seen_by(color: Color, square: Square) -> Square {
    if color == Color::White { square } else { square.flip_vertical() }
}

/// Where a pawn of this side promotes, and in how many moves.
fn promotion(color: Color, pawn: Square) -> (Square, u32) {
    let rank = seen_by(color, pawn).rank() as u32;
    let goal = seen_by(color, Square::from_coords(pawn.file(), Rank::Eighth));
    // A pawn on its initial square may advance two squares at once.
    (goal, (7 - rank).min(5))
}

#[cfg(test)]
mod tests {
    use shakmaty::CastlingMode;

    use super::*;

    fn scaled(fen: &str, value: i32) -> i32 {
        scale(&Position::from_fen(fen, CastlingMode::Standard).expect("a position"), value)
    }

    #[test]
    fn only_drawish_material_is_scaled_down() {
        // Rook against knight, bishop, rook; a minor piece against a pawn; two knights; wrong bishop, king at home.
        for fen in [
            "8/8/3k4/3n4/8/8/3R4/3K4 w - - 0 1",
            "8/8/3k4/3b4/8/8/3R4/3K4 b - - 0 1",
            "8/8/3k4/3r4/8/8/1R6/3K4 w - - 0 1",
            "8/8/3k4/3p4/8/8/3N4/3K4 w - - 0 1",
            "8/8/3k4/8/8/8/3N4/3KN3 w - - 0 1",
            "1k6/8/8/P7/8/8/8/K1B5 w - - 0 1",
            "8/8/5P2/8/1K3b2/8/3k4/8 w - - 0 1",
            "4N3/K4p2/8/8/8/8/8/k7 b - - 0 1",
        ] {
            let turn = if fen.contains(" w ") { 1 } else { -1 };
            let small = scaled(fen, 60 * turn) * turn;
            let large = scaled(fen, 400 * turn) * turn;
            assert!(0 < small && small < large && large < params::DRAWISH_LIMIT, "{fen}: {small} {large}");
        }
        // Two pawns against a king, six men, queen against rook and a pawn: not scaled.
        for fen in [
            "8/8/3k4/3r3p/8/8/3Q4/3K4 w - - 0 1",
            "1k6/8/8/P7/1P6/8/8/K7 w - - 0 1",
            "1k6/p7/8/8/8/8/4N3/K1BR1n2 w - - 0 1",
        ] {
            assert_eq!(scaled(fen, 400), 400, "{fen}");
            assert_eq!(scaled(fen, 0), 0);
        }
    }

    #[test]
    fn driving_the_lone_king_raises_the_value() {
        // Bishop and knight to a corner of the bishop's colour; a rook to any edge, the kings together.
        for (worse, better) in [
            ("7k/8/5K2/3N4/4B3/8/8/8 w - - 50 90", "k7/8/2K5/3N4/4B3/8/8/8 w - - 50 90"),
            ("8/8/8/3k4/8/8/R7/K7 w - - 80 90", "3k4/8/8/8/8/8/R7/K7 w - - 80 90"),
            ("3k4/8/8/8/8/8/R7/K7 w - - 80 90", "3k4/8/3K4/8/8/8/R7/8 w - - 80 90"),
        ] {
            let (worse, better) = (scaled(worse, 700), scaled(better, 700));
            assert!(500 < worse && worse + 50 < better, "{worse} {better}");
        }
    }

    /// Whatever a sum of terms says: the value grows as the weak king nears the edge and the strong king nears it.
    #[test]
    fn queen_against_rook_rewards_driving_the_king() {
        let values = [
            "8/8/3k4/3r4/8/8/3Q4/3K4 w - - 0 1",
            "3k4/3r4/8/8/8/8/3Q4/3K4 w - - 0 1",
            "3k4/5r2/8/3K4/8/8/1Q6/8 w - - 0 1",
        ]
        .map(|fen| [-400, 0, 400].map(|value| scaled(fen, value)));
        for [behind, level, ahead] in values {
            assert!(600 < behind && behind == level && level == ahead, "{behind} {level} {ahead}");
        }
        assert!(values.is_sorted_by(|worse, better| worse[0] < better[0]), "{values:?}");
        // With the rook's side to move, the same value is negative.
        assert_eq!(scaled("3k4/5r2/8/3K4/8/8/1Q6/8 b - - 0 1", 0), -values[2][0]);
    }

    #[test]
    fn a_major_piece_usually_beats_one_pawn() {
        // The king stands in front of the pawn; it is far away; the pawn's king is far away.
        assert_eq!(scaled("8/8/8/3p4/3k4/8/3K4/R7 w - - 0 1", 300), 300 + params::ALMOST_WON);
        assert!(scaled("R7/8/1K6/8/8/3k4/3p4/8 b - - 0 1", -300) > -params::DRAWISH_LIMIT);
        assert_eq!(scaled("R7/8/1K5k/8/8/8/3p4/8 b - - 0 1", -300), -300);
        // A bishop pawn, then a queen pawn, against a queen.
        assert!(scaled("8/8/K7/8/8/8/2pk4/7Q w - - 0 1", 600) < params::DRAWISH_LIMIT);
        assert_eq!(scaled("8/8/K7/8/8/8/3pk3/7Q w - - 0 1", 600), 600 + params::ALMOST_WON);
    }

    /// A piece in addition to the pawn wins slowly, except for the wrong bishop.
    #[test]
    fn a_piece_and_a_pawn_usually_beat_the_lone_king() {
        for fen in
            ["1k6/8/8/P7/8/8/8/KB6 w - - 0 1", "6k1/8/8/7P/4N3/3K4/8/8 w - - 0 1", "8/8/6p1/8/8/3K4/k7/2b5 b - - 0 1"]
        {
            assert_eq!(scaled(fen, 330), 330 + params::ALMOST_WON, "{fen}");
        }
        assert!(scaled("1k6/8/8/P7/8/8/8/K1B5 w - - 0 1", 330) < params::DRAWISH_LIMIT);
        // The bishop is locked in, on either wing and for either colour; it is not if the king must first come home.
        for fen in
            ["7k/7B/6P1/8/8/3K4/8/8 w - - 0 1", "k7/B7/1P6/8/8/8/4K3/8 w - - 0 1", "8/8/3k4/8/8/6p1/6Kb/8 b - - 0 1"]
        {
            assert!(scaled(fen, 330) < params::DRAWISH_LIMIT, "{fen}");
        }
        assert_eq!(scaled("8/7B/5kP1/8/8/8/8/K7 w - - 0 1", 330), 330 + params::ALMOST_WON);
        assert!(scaled("8/7B/5kP1/8/8/8/8/K7 b - - 0 1", -330) > -params::DRAWISH_LIMIT);
        assert_eq!(scaled("6k1/B7/1P6/8/8/8/4K3/8 w - - 0 1", 330), 330 + params::ALMOST_WON);
    }

    /// Colours and sides of the board make no difference.
    #[test]
    fn scaling_is_symmetric() {
        for fen in [
            "8/8/3k4/3n4/8/8/3R4/3K4 w - - 0 1",
            "R7/8/1K6/8/8/3k4/3p4/8 b - - 0 1",
            "8/8/8/K7/8/8/2pk4/7Q w - - 0 1",
            "8/8/3k4/3r4/8/8/3Q4/3K4 w - - 0 1",
            "2k5/8/8/P7/8/8/8/K1B5 b - - 0 1",
        ] {
            let position = Position::from_fen(fen, CastlingMode::Standard).expect("a position");
            for value in [-700, -40, 0, 40, 700] {
                assert_eq!(scale(&position, value), scale(&position.flipped(), value), "{fen}");
            }
        }
    }
}
