//! What matters in the endgame: passed pawns, driving a bare king, and advantages that do not win.

use shakmaty::{Bitboard, Square, attacks};

use super::sums::{Sums, Term, Tracer};
use super::view::{AttackMap, FILE_A, FILE_H, Men, SideView, file_of, fill_down, fill_up, up};
use crate::eval::material;

/// Adds one side's passed pawns; `to_move` says whether it is this side's turn.
pub fn passed<W: Tracer>(
    view: &SideView,
    passed: Bitboard,
    ours: &AttackMap,
    theirs: &AttackMap,
    to_move: bool,
    sums: &mut Sums<'_, W>,
) {
    let w = sums.weights;
    for pawn in passed {
        let rank = pawn.rank() as usize;
        let next = up(Bitboard::from(pawn));
        let Some(stop) = next.first() else { continue };
        let way = fill_up(next);
        sums.add(Term::Passed, &w.passed[rank], 1);
        sums.add(Term::Passed, &w.passed_their_king[rank], view.their.king.distance(stop) as i32);
        sums.add(Term::Passed, &w.passed_our_king[rank], view.own.king.distance(stop) as i32);
        if view.occupied.contains(stop) {
            sums.add(Term::Passed, &w.passed_blocked[rank], 1);
        }
        if !theirs.all.contains(stop) || ours.twice.contains(stop) && !theirs.twice.contains(stop) {
            sums.add(Term::Passed, &w.passed_safe[rank], 1);
        }
        if (way & (theirs.all | view.their.all)).is_empty() {
            sums.add(Term::Passed, &w.passed_clear[rank], 1);
        }
        let behind = attacks::rook_attacks(pawn, view.occupied) & fill_down(Bitboard::from(pawn));
        if (behind & (view.own.rooks | view.own.queens)).any() {
            sums.add(Term::Passed, &w.passed_backed, 1);
        }
        if view.their.pieces().is_empty() && (way & view.occupied).is_empty() {
            // The rule of the square; a pawn on its initial square may advance two squares at once.
            let steps = (7 - rank as i32).min(5);
            let goal = Square::from_coords(pawn.file(), shakmaty::Rank::Eighth);
            if view.their.king.distance(goal) as i32 - i32::from(!to_move) > steps {
                sums.add(Term::Passed, &w.passed_runs, 1);
            }
        }
    }
}

/// Adds what drives a bare king to the edge, for the side that has the pieces.
pub fn mop_up<W: Tracer>(view: &SideView, sums: &mut Sums<'_, W>) {
    if view.their.all.more_than_one() || view.own.pieces().is_empty() {
        return;
    }
    let w = sums.weights;
    let king = view.their.king;
    let from_center = |n: i32| if n < 4 { 3 - n } else { n - 4 };
    let edge = from_center(king.file() as i32) + from_center(king.rank() as i32);
    sums.add(Term::Endgame, &w.mop_edge, edge);
    sums.add(Term::Endgame, &w.mop_near, 7 - view.own.king.distance(king) as i32);
}

/// The whole of an endgame advantage, as [`scale`] counts.
pub const WHOLE: i32 = 64;

/// How much of an endgame advantage the stronger side, whose view this is, can hope to keep; in 64ths.
pub fn scale(view: &SideView, passed: Bitboard) -> i32 {
    let (own, their) = (&view.own, &view.their);
    let pawns = own.pawns.count() as i32;
    let (own_points, their_points) = (piece_points(own), piece_points(their));
    if pawns == 0 {
        // Without pawns, an extra minor piece does not win, nor do two knights.
        if own_points < 5 || (own_points == 6 && own.knights.count() == 2 && their.pawns.is_empty()) {
            return 0;
        }
        if own_points - their_points <= 3 {
            return if their_points <= 3 { 6 } else { 14 };
        }
        return WHOLE;
    }
    if wrong_rook_pawn(own, their) {
        return 0;
    }
    if let (Some(a), Some(b)) = (own.bishops.single_square(), their.bishops.single_square())
        && Bitboard::LIGHT_SQUARES.contains(a) != Bitboard::LIGHT_SQUARES.contains(b)
    {
        return if own_points == 3 && their_points == 3 {
            (16 + 5 * passed.count() as i32).min(WHOLE)
        } else {
            (34 + 3 * own.pieces().count() as i32).min(WHOLE)
        };
    }
    if own_points == 5 && their_points == 5 && pawns - their.pawns.count() as i32 <= 1 {
        // Rook endings with at most one extra pawn, all own pawns on one wing and the enemy king in front of them.
        let wings = [own.pawns.0 & 0x0F0F_0F0F_0F0F_0F0F, own.pawns.0 & 0xF0F0_F0F0_F0F0_F0F0];
        let met = (fill_up(own.pawns) & (attacks::king_attacks(their.king) | Bitboard::from(their.king))).any();
        if wings.contains(&0) && met {
            return 34;
        }
    }
    (42 + 5 * pawns).min(WHOLE)
}

/// The pieces of a side, in [points](material::points).
fn piece_points(men: &Men) -> i32 {
    material::points(men.minors(), men.rooks, men.queens)
}

/// Whether all pawns are on one rook's file, the enemy king holds their corner, and no piece can drive it out.
fn wrong_rook_pawn(own: &Men, their: &Men) -> bool {
    let Some(pawn) = own.pawns.first() else { return false };
    let file = file_of(pawn);
    if (file != FILE_A && file != FILE_H) || (own.pawns & !file).any() || (own.pieces() & !own.bishops).any() {
        return false;
    }
    let corner = Square::from_coords(pawn.file(), shakmaty::Rank::Eighth);
    let light = Bitboard::LIGHT_SQUARES;
    let same_colour = if light.contains(corner) { light } else { !light };
    (own.bishops & same_colour).is_empty() && their.king.distance(corner) <= 1
}
