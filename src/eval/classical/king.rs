//! King safety: the pawns in front of the own king, and the danger that the enemy king is in.

use shakmaty::{Bitboard, Square, attacks};

use super::sums::{Sums, Term, Tracer};
use super::view::{AttackMap, FILE_A, SideView, count_few, ranks};

/// Adds the shelter of the own king.
pub fn shelter<W: Tracer>(view: &SideView, sums: &mut Sums<'_, W>) {
    let w = sums.weights;
    let king = view.own.king;
    let (king_file, king_rank) = (king.file() as u32, king.rank() as u32);
    let not_behind = ranks(king_rank, 7);
    let middle = king_file.clamp(1, 6);
    for file in middle - 1..=middle + 1 {
        let column = Bitboard(FILE_A.0 << file) & not_behind;
        let own = (view.own.pawns & column).first().map_or(0, |pawn| pawn.rank() as usize);
        let their = (view.their.pawns & column).first().map_or(0, |pawn| pawn.rank() as usize);
        sums.add(Term::King, &w.shelter[usize::from(file != king_file)][own], 1);
        let blocked = own != 0 && own + 1 == their;
        sums.add(Term::King, &w.storm[usize::from(blocked)][their], 1);
    }
    if (wing(king) & (view.own.pawns | view.their.pawns)).is_empty() {
        sums.add(Term::King, &w.bare_flank, 1);
    }
}

/// Adds what the danger of the enemy king is worth, given what both sides attack.
pub fn attack<W: Tracer>(view: &SideView, ours: &AttackMap, theirs: &AttackMap, sums: &mut Sums<'_, W>) {
    // One piece alone does not attack a king, unless it is a queen or a queen may join it.
    if ours.king_attackers + u32::from(view.own.queens.any()) < 2 {
        return;
    }
    let w = sums.weights;
    let king = view.their.king;
    let occupied = view.occupied;
    let poorly_guarded = !theirs.all | (theirs.king | theirs.queens) & !theirs.twice;
    let weak = ours.all & poorly_guarded;
    sums.endanger(&w.danger_base, 1);
    sums.endanger(&w.danger_weak, count_few(weak & attacks::king_attacks(king)));
    if view.own.queens.is_empty() {
        sums.endanger(&w.danger_no_queen, 1);
    }

    // The enemy queen does not count as a blocker: she would have to move away.
    let through = occupied ^ view.their.queens;
    let diagonal = attacks::bishop_attacks(king, through);
    let straight = attacks::rook_attacks(king, through);
    let jumps = attacks::knight_attacks(king);
    let safe = !view.own.all & (!theirs.all | weak & ours.twice);
    let checks = [
        jumps & ours.knights,
        diagonal & ours.bishops,
        straight & ours.rooks,
        (diagonal | straight) & ours.queens & !theirs.queens,
    ];
    let mut unsafe_checks = Bitboard::EMPTY;
    for (check, weight) in checks.into_iter().zip(&w.danger_check) {
        sums.endanger(weight, count_few(check & safe).min(2));
        unsafe_checks |= check & !safe & !view.own.all;
    }
    // If a pawn can take the piece, the check threatens nothing.
    unsafe_checks &= !theirs.pawns;
    sums.endanger(&w.danger_unsafe_check, count_few(unsafe_checks));

    let flank = wing(king) & ranks(3, 7) & ours.all;
    sums.endanger(&w.danger_flank, (flank.count() + (flank & ours.twice).count()) as i32);
    sums.endanger(&w.danger_flank_guarded, (flank & theirs.all).count() as i32);
    sums.settle_danger();
}

/// The files on the king's side of the board.
fn wing(king: Square) -> Bitboard {
    const A_TO_D: u64 = 0x0F0F_0F0F_0F0F_0F0F;
    Bitboard(match king.file() as u32 {
        0..=2 => A_TO_D,
        3..=4 => A_TO_D << 2,
        _ => A_TO_D << 4,
    })
}
