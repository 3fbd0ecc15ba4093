//! Material, squares, mobility and what single pieces are good for; pawns are elsewhere.

use shakmaty::{Bitboard, Square, attacks};

use super::pair::S;
use super::sums::{Sums, Term, Tracer};
use super::view::{
    AttackMap, CENTER_FILES, SideView, count_few, double_pawn_attacks, down, file_of, pawn_attacks, ranks,
    their_attack_span, their_pawn_attacks, up, xray_attackers,
};

const LIGHT: Bitboard = Bitboard::LIGHT_SQUARES;
/// The four squares in the middle.
const CENTER: Bitboard = Bitboard(0x0000_0018_1800_0000);

/// Adds one side's pieces to its sums, and their share of the danger of the enemy king; returns what they attack.
pub fn pieces<W: Tracer>(view: &SideView, sums: &mut Sums<'_, W>) -> AttackMap {
    let w = sums.weights;
    let (own, their, occupied) = (&view.own, &view.their, view.occupied);

    let mut attacked =
        AttackMap { pawns: pawn_attacks(own.pawns), king: attacks::king_attacks(own.king), ..AttackMap::default() };
    attacked.all = attacked.king;
    attacked.join(attacked.pawns);
    attacked.twice |= double_pawn_attacks(own.pawns);

    sums.add(Term::Squares, &w.squares[5][folded(own.king)], 1);

    // The mobility area: not where a pawn can take the piece, nor on the squares of blocked or unmoved pawns.
    let stuck = own.pawns & (down(occupied) | ranks(1, 2));
    let area = !(their_pawn_attacks(their.pawns) | stuck | own.queens | Bitboard::from(own.king));
    let ring = king_ring(their.king);
    let strong = ranks(3, 5) & attacked.pawns & !their_attack_span(view);

    for from in own.knights {
        stand(sums, 1, from);
        let to = attacks::knight_attacks(from);
        attacked.knights |= to;
        attacked.join(to);
        sums.add(Term::Mobility, &w.knight_mobility[(to & area).count()], 1);
        attack_king(sums, &mut attacked, &w.danger_attacker[0], to & ring);
        if strong.contains(from) {
            sums.add(Term::Pieces, &w.outpost[0], 1);
        } else if (to & strong & !own.all).any() {
            sums.add(Term::Pieces, &w.outpost_reach, 1);
        }
        sums.add(Term::Pieces, &w.minor_far[0], distance(from, own.king));
    }
    for from in own.bishops {
        stand(sums, 2, from);
        let to = attacks::bishop_attacks(from, occupied ^ own.queens ^ their.queens);
        attacked.bishops |= to;
        attacked.join(to);
        sums.add(Term::Mobility, &w.bishop_mobility[(to & area).count()], 1);
        attack_king(sums, &mut attacked, &w.danger_attacker[1], to & ring);
        if strong.contains(from) {
            sums.add(Term::Pieces, &w.outpost[1], 1);
        }
        let colour = if LIGHT.contains(from) { LIGHT } else { !LIGHT };
        sums.add(Term::Pieces, &w.bishop_pawns, count_few(own.pawns & colour));
        let blocked = own.pawns & down(occupied) & CENTER_FILES & colour;
        sums.add(Term::Pieces, &w.bishop_blocked, count_few(blocked));
        if (attacks::bishop_attacks(from, own.pawns | their.pawns) & CENTER).more_than_one() {
            sums.add(Term::Pieces, &w.long_diagonal, 1);
        }
        sums.add(Term::Pieces, &w.minor_far[1], distance(from, own.king));
    }
    for from in own.rooks {
        stand(sums, 3, from);
        let to = attacks::rook_attacks(from, occupied ^ own.rooks ^ own.queens ^ their.queens);
        attacked.rooks |= to;
        attacked.join(to);
        let room = (to & area).count();
        sums.add(Term::Mobility, &w.rook_mobility[room], 1);
        attack_king(sums, &mut attacked, &w.danger_attacker[2], to & ring);
        let file = file_of(from);
        if (own.pawns & file).is_empty() {
            sums.add(Term::Pieces, &w.rook_file[usize::from((their.pawns & file).is_empty())], 1);
        } else if room <= 3 && shut_in(from, own.king) {
            sums.add(Term::Pieces, &w.rook_trapped, 1);
        }
        if ranks(6, 6).contains(from) && (their.pawns & ranks(6, 6) | Bitboard::from(their.king) & ranks(7, 7)).any() {
            sums.add(Term::Pieces, &w.rook_seventh, 1);
        }
    }
    for from in own.queens {
        stand(sums, 4, from);
        let to = attacks::queen_attacks(from, occupied);
        attacked.queens |= to;
        attacked.join(to);
        sums.add(Term::Mobility, &w.queen_mobility[(to & area).count()], 1);
        attack_king(sums, &mut attacked, &w.danger_attacker[3], to & ring);
        if xray_attackers(from, their.bishops, their.rooks, occupied) {
            sums.add(Term::Pieces, &w.queen_pinned, 1);
        }
    }

    if own.bishops.more_than_one() {
        sums.add(Term::Pieces, &w.bishop_pair, 1);
    }
    let pawns = own.pawns.count() as i32 - 5;
    sums.add(Term::Pieces, &w.knight_pawns, pawns * count_few(own.knights));
    sums.add(Term::Pieces, &w.rook_pawns, pawns * count_few(own.rooks));
    let sheltered = own.minors() & down(own.pawns | their.pawns);
    sums.add(Term::Pieces, &w.behind_pawn, count_few(sheltered));
    attacked
}

/// Adds a piece's material and square value; `role` counts from the pawn.
#[inline]
pub fn stand<W: Tracer>(sums: &mut Sums<'_, W>, role: usize, square: Square) {
    let w = sums.weights;
    sums.add(Term::Material, &w.material[role], 1);
    sums.add(Term::Squares, &w.squares[role][folded(square)], 1);
}

/// The square among 32, with the king's and the queen's wing folded together.
fn folded(square: Square) -> usize {
    let file = square.file() as usize;
    4 * square.rank() as usize + if file < 4 { file } else { 7 - file }
}

/// The squares around the enemy king, and those one step further towards the attacker.
fn king_ring(king: Square) -> Bitboard {
    let near = attacks::king_attacks(king) | Bitboard::from(king);
    near | down(near)
}

fn attack_king<'w, W: Tracer>(sums: &mut Sums<'w, W>, attacked: &mut AttackMap, attacker: &'w S, hits: Bitboard) {
    if hits.any() {
        attacked.king_attackers += 1;
        sums.endanger(attacker, 1);
        sums.endanger(&sums.weights.danger_square, count_few(hits));
    }
}

/// Whether the king stands between this rook and the centre, on the first two ranks.
fn shut_in(rook: Square, king: Square) -> bool {
    let (rook_file, king_file) = (rook.file() as i32, king.file() as i32);
    let home = ranks(0, 1);
    home.contains(rook)
        && home.contains(king)
        && if king_file < 4 { rook_file < king_file } else { rook_file > king_file }
}

fn distance(a: Square, b: Square) -> i32 {
    a.distance(b) as i32
}

/// The squares in the own centre that can be used safely, counting those behind own pawns twice.
pub fn space(view: &SideView) -> i32 {
    let own = view.own.pawns;
    let safe = CENTER_FILES & ranks(1, 3) & !own & !their_pawn_attacks(view.their.pawns);
    let behind = down(own) | down(down(own)) | down(down(down(own)));
    (safe.count() + (safe & behind & !up(view.their.all)).count()) as i32
}
