//! How far a won position has come: what makes a search that only sees "won" everywhere head for the mate.
//!
//! Progress is a magnitude in the recognizer band, never more than
//! [`Score::MAX_PROGRESS`](crate::score::Score::MAX_PROGRESS). It has no side to move in it, so it compares positions
//! at any ply. The weights follow the mean distances to mate in our own tables.

use shakmaty::{Bitboard, Rank, Role, Square};

use super::view::{Side, View};

/// Progress of a mating force against the lone king: more material first, then the king driven to the edge (for bishop
/// and knight, to a corner that the bishop commands), then the kings together.
pub fn mop_up(view: &View) -> i32 {
    let count = |role| view.men(Side::Strong, role).count() as i32;
    let material = 2400 * count(Role::Queen)
        + 1500 * count(Role::Rook)
        + 500 * count(Role::Bishop)
        + 400 * count(Role::Knight)
        + view.men(Side::Strong, Role::Pawn).into_iter().map(|pawn| pawn_progress(view, pawn)).sum::<i32>();
    let bishop = view.men(Side::Strong, Role::Bishop);
    let king = view.weak_king;
    let driven = if bishop.count() == 1 && count(Role::Knight) == 1 {
        40 * towards_corner(king, bishop)
    } else {
        100 * from_centre(king)
    };
    // The kings' distance must weigh less than a step of the lone king.
    material + driven + 40 * (14 - manhattan(view.strong_king, king))
}

/// Progress of a pawn that will be a queen.
fn pawn_progress(view: &View, pawn: Square) -> i32 {
    100 * view.relative(pawn).rank() as i32
}

/// Progress in king and pawn against king: the pawn first, then the king before it.
pub fn pawn_and_king(view: &View, pawn: Square) -> i32 {
    let pawn = view.relative(pawn);
    let aim = Square::from_coords(pawn.file(), Rank::new((pawn.rank() as u32 + 2).min(7)));
    200 * pawn.rank() as i32 + 20 * (7 - view.relative(view.strong_king).distance(aim) as i32)
}

/// Progress of a piece that hunts a lesser piece or a pawn. Only the win is certain, so this is less than any mating
/// force against the lone king has; the kings come together and the hunted king goes to the edge.
pub fn hunt(view: &View) -> i32 {
    let king = view.weak_king;
    let target = view.force(Side::Weak).first().unwrap_or(king);
    20 * from_centre(king)
        + 20 * (14 - manhattan(view.strong_king, king))
        + 10 * (7 - view.strong_king.distance(target) as i32)
}

/// Steps from the four squares of the centre, files and ranks together: 0..=6.
fn from_centre(square: Square) -> i32 {
    let off = |i: u32| if i < 4 { 3 - i as i32 } else { i as i32 - 4 };
    off(square.file() as u32) + off(square.rank() as u32)
}

fn manhattan(a: Square, b: Square) -> i32 {
    (a.file().distance(b.file()) + a.rank().distance(b.rank())) as i32
}

/// How many plies nearer to mate by bishop and knight a lone king is on this square than in the centre: the mean over
/// all positions, by the distance to the nearer corner of the bishop's colour.
fn towards_corner(king: Square, bishop: Bitboard) -> i32 {
    const NEARER: [i32; 8] = [22, 17, 12, 7, 4, 2, 0, 0];
    let colour = if (bishop & Bitboard::DARK_SQUARES).any() { Bitboard::DARK_SQUARES } else { Bitboard::LIGHT_SQUARES };
    let corners = (colour & Bitboard::CORNERS).into_iter();
    let distance = corners.map(|corner| manhattan(king, corner)).min().unwrap_or(7);
    NEARER[distance as usize] + from_centre(king)
}
