//! Threats: pieces that are attacked by less, or not protected.

use shakmaty::attacks;

use super::sums::{Sums, Term, Tracer};
use super::view::{AttackMap, SideView, count_few, pawn_attacks, ranks, up};

/// Adds one side's threats, given what both sides attack.
pub fn threats<W: Tracer>(view: &SideView, ours: &AttackMap, theirs: &AttackMap, sums: &mut Sums<'_, W>) {
    let w = sums.weights;
    let (own, their) = (&view.own, &view.their);
    let prey = [their.pawns, their.knights, their.bishops, their.rooks, their.queens];

    for (weight, men) in w.pawn_threat.iter().zip(&prey[1..]) {
        sums.add(Term::Threats, weight, count_few(ours.pawns & *men));
    }

    // Protection by a pawn, or by two men against one attacker, stops threats against pieces that are worth no more
    // than the attacker.
    let guarded = theirs.pawns | theirs.twice & !ours.twice;
    let weak = ours.all & their.all & !guarded;
    let minors = ours.knights | ours.bishops;
    sums.add(Term::Threats, &w.minor_threat[0], count_few(minors & their.pawns & weak));
    for (weight, men) in w.minor_threat[1..].iter().zip(&prey[1..]) {
        sums.add(Term::Threats, weight, count_few(minors & *men & (weak | their.rooks | their.queens)));
    }
    for (weight, men) in w.rook_threat.iter().zip(&prey) {
        sums.add(Term::Threats, weight, count_few(ours.rooks & *men & (weak | their.queens)));
    }
    sums.add(Term::Threats, &w.king_threat, i32::from((ours.king & weak & !theirs.all).any()));
    sums.add(Term::Threats, &w.hanging, count_few(weak & !theirs.all));

    // Pawn moves, one step or two from the second rank, to squares where the pawn is safe.
    let empty = !view.occupied;
    let mut pushes = up(own.pawns) & empty;
    pushes |= up(pushes & ranks(2, 2)) & empty;
    pushes &= !theirs.pawns & (ours.all | !theirs.all);
    let pushed = pawn_attacks(pushes) & their.pieces() & !ours.pawns;
    sums.add(Term::Threats, &w.push_threat, count_few(pushed));

    if let Some(queen) = their.queens.single_square() {
        let safe = !own.all & !theirs.pawns & !(theirs.all & !ours.twice);
        let jumps = attacks::knight_attacks(queen) & ours.knights & safe;
        sums.add(Term::Threats, &w.queen_threat[0], count_few(jumps));
        let diagonal = attacks::bishop_attacks(queen, view.occupied) & ours.bishops;
        let straight = attacks::rook_attacks(queen, view.occupied) & ours.rooks;
        sums.add(Term::Threats, &w.queen_threat[1], count_few((diagonal | straight) & safe & ours.twice));
    }

    sums.add(Term::Threats, &w.restricted, (theirs.all & !guarded & ours.all & !own.all).count() as i32);
}
