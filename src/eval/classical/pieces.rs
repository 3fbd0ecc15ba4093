//! Material, squares, mobility and what single pieces are good for; pawns are elsewhere.

use shakmaty::{Bitboard, Role, Square, attacks};

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
    let (own, their) = (&view.own, &view.their);

    let mut attacked =
        AttackMap { pawns: pawn_attacks(own.pawns), king: attacks::king_attacks(own.king), ..AttackMap::default() };
    attacked.all = attacked.king;
    attacked.join(attacked.pawns);
    attacked.twice |= double_pawn_attacks(own.pawns);

    sums.add(Term::Squares, &w.squares[Role::King as usize - 1][folded(own.king)], 1);
    let zones = Zones::new(view);
    knights(view, &zones, sums, &mut attacked);
    bishops(view, &zones, sums, &mut attacked);
    rooks(view, &zones, sums, &mut attacked);
    queens(view, &zones, sums, &mut attacked);

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

/// Squares that the terms of several pieces count.
struct Zones {
    /// The mobility area: not where a pawn can take the piece, nor on the squares of blocked or unmoved pawns.
    mobility: Bitboard,
    /// The squares around the enemy king.
    king_ring: Bitboard,
    /// Squares that an own pawn protects and no enemy pawn can ever attack.
    outposts: Bitboard,
}

impl Zones {
    fn new(view: &SideView) -> Zones {
        let (own, their) = (&view.own, &view.their);
        let stuck = own.pawns & (down(view.occupied) | ranks(1, 2));
        Zones {
            mobility: !(their_pawn_attacks(their.pawns) | stuck | own.queens | Bitboard::from(own.king)),
            king_ring: king_ring(their.king),
            outposts: ranks(3, 5) & pawn_attacks(own.pawns) & !their_attack_span(view),
        }
    }
}

fn knights<W: Tracer>(view: &SideView, zones: &Zones, sums: &mut Sums<'_, W>, attacked: &mut AttackMap) {
    let w = sums.weights;
    let own = &view.own;
    for from in own.knights {
        material_and_square(sums, Role::Knight, from);
        let to = attacks::knight_attacks(from);
        attacked.knights |= to;
        attacked.join(to);
        sums.add(Term::Mobility, &w.knight_mobility[(to & zones.mobility).count()], 1);
        attack_king(sums, attacked, Role::Knight, to & zones.king_ring);
        if zones.outposts.contains(from) {
            sums.add(Term::Pieces, &w.outpost[0], 1);
        } else if (to & zones.outposts & !own.all).any() {
            sums.add(Term::Pieces, &w.outpost_reach, 1);
        }
        sums.add(Term::Pieces, &w.minor_far[0], distance(from, own.king));
    }
}

fn bishops<W: Tracer>(view: &SideView, zones: &Zones, sums: &mut Sums<'_, W>, attacked: &mut AttackMap) {
    let w = sums.weights;
    let (own, their, occupied) = (&view.own, &view.their, view.occupied);
    for from in own.bishops {
        material_and_square(sums, Role::Bishop, from);
        let to = attacks::bishop_attacks(from, occupied ^ own.queens ^ their.queens);
        attacked.bishops |= to;
        attacked.join(to);
        sums.add(Term::Mobility, &w.bishop_mobility[(to & zones.mobility).count()], 1);
        attack_king(sums, attacked, Role::Bishop, to & zones.king_ring);
        if zones.outposts.contains(from) {
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
}

fn rooks<W: Tracer>(view: &SideView, zones: &Zones, sums: &mut Sums<'_, W>, attacked: &mut AttackMap) {
    let w = sums.weights;
    let (own, their) = (&view.own, &view.their);
    for from in own.rooks {
        material_and_square(sums, Role::Rook, from);
        let to = attacks::rook_attacks(from, view.occupied ^ own.rooks ^ own.queens ^ their.queens);
        attacked.rooks |= to;
        attacked.join(to);
        let room = (to & zones.mobility).count();
        sums.add(Term::Mobility, &w.rook_mobility[room], 1);
        attack_king(sums, attacked, Role::Rook, to & zones.king_ring);
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
}

fn queens<W: Tracer>(view: &SideView, zones: &Zones, sums: &mut Sums<'_, W>, attacked: &mut AttackMap) {
    let w = sums.weights;
    for from in view.own.queens {
        material_and_square(sums, Role::Queen, from);
        let to = attacks::queen_attacks(from, view.occupied);
        attacked.queens |= to;
        attacked.join(to);
        sums.add(Term::Mobility, &w.queen_mobility[(to & zones.mobility).count()], 1);
        attack_king(sums, attacked, Role::Queen, to & zones.king_ring);
        if xray_attackers(from, view.their.bishops, view.their.rooks, view.occupied) {
            sums.add(Term::Pieces, &w.queen_pinned, 1);
        }
    }
}

/// Adds the material of a man other than the king, and its value on its square.
#[inline]
pub fn material_and_square<W: Tracer>(sums: &mut Sums<'_, W>, role: Role, square: Square) {
    let w = sums.weights;
    let index = role as usize - 1;
    sums.add(Term::Material, &w.material[index], 1);
    sums.add(Term::Squares, &w.squares[index][folded(square)], 1);
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

/// Adds the danger of the enemy king from a piece that attacks these squares around it, if it attacks any.
fn attack_king<W: Tracer>(sums: &mut Sums<'_, W>, attacked: &mut AttackMap, role: Role, hits: Bitboard) {
    if hits.any() {
        let w = sums.weights;
        attacked.king_attackers += 1;
        sums.endanger(&w.danger_attacker[role as usize - Role::Knight as usize], 1);
        sums.endanger(&w.danger_square, count_few(hits));
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
