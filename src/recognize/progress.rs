//! How far a won position has come: what makes a search that only sees "won" everywhere head for the mate.
//!
//! Progress is a magnitude in the recognizer band, never more than
//! [`Score::MAX_PROGRESS`](crate::score::Score::MAX_PROGRESS). It does not depend on the side to move, so it compares
//! positions at any ply. The weights follow the mean distances to mate in our own tables.

use shakmaty::{Bitboard, Rank, Role, Square};

use super::LONGEST_WIN;
use super::view::{EndingView, Side};

/// Mop-up evaluation: progress of a mating force against the lone king, more material first, then [`mop_up_kings`].
pub fn mop_up(view: &EndingView) -> i32 {
    let count = |role| view.men(Side::Strong, role).count() as i32;
    let material = 2400 * count(Role::Queen)
        + 1500 * count(Role::Rook)
        + 500 * count(Role::Bishop)
        + 400 * count(Role::Knight)
        + view.men(Side::Strong, Role::Pawn).into_iter().map(|pawn| pawn_progress(view, pawn)).sum::<i32>();
    material + mop_up_kings(view.strong_king, view.weak_king, Bitboard::EMPTY)
}

/// Progress where the moves to the mate are known.
pub fn nearer(moves: u16) -> i32 {
    1000 + 60 * (LONGEST_WIN as i32 - i32::from(moves))
}

/// How far a lone king has been driven: to the edge, then the kings together; for bishop and knight, to a corner that
/// the given bishop commands. 0..=3080; an evaluation uses it as centipawns.
///
/// The way to the right corner leads past many positions that look worse, and no search sees the end of it: steps to
/// the corner must outweigh all else. Tried: 70 to 850 centipawns a step, the mean distances to mate by the squares
/// of the kings and of both pieces (25 to 58% of the games won where this wins 83%). Recognizers count the moves
/// instead; this is for the evaluation when they claim nothing.
pub fn mop_up_kings(strong_king: Square, lone_king: Square, bishop_beside_knight: Bitboard) -> i32 {
    match bishop_beside_knight.first() {
        Some(bishop) => 420 * towards_corner(lone_king, bishop) + 20 * (7 - strong_king.distance(lone_king) as i32),
        // The kings' distance must weigh less than a step of the lone king.
        None => 50 * from_centre(lone_king) + 20 * (14 - manhattan(strong_king, lone_king)),
    }
}

/// Progress of a pawn that will be a queen.
fn pawn_progress(view: &EndingView, pawn: Square) -> i32 {
    100 * view.relative(pawn).rank() as i32
}

/// Progress in king and pawn against king: the pawn first, then the king in front of it.
pub fn pawn_and_king(view: &EndingView, pawn: Square) -> i32 {
    let pawn = view.relative(pawn);
    let aim = Square::from_coords(pawn.file(), Rank::new((pawn.rank() as u32 + 2).min(7)));
    200 * pawn.rank() as i32 + 20 * (7 - view.relative(view.strong_king).distance(aim) as i32)
}

/// Progress of a piece that hunts a lesser piece or a pawn. Only the win is certain, so this is less than any mating
/// force against the lone king has; it grows as the kings come together and the hunted king goes to the edge.
pub fn hunt(view: &EndingView) -> i32 {
    let king = view.weak_king;
    let target = view.force(Side::Weak).first().unwrap_or(king);
    20 * from_centre(king)
        + 20 * (14 - manhattan(view.strong_king, king))
        + 10 * (7 - view.strong_king.distance(target) as i32)
}

/// Progress of queen against rook: the weak king at the edge, the kings together, the strong king near the rook, and
/// the rook away from its king and from the centre, where queen checks fork them. 155..=550; an evaluation uses it as
/// centipawns.
///
/// A least-squares fit to the distances to mate chose the features. Games chose the weights, because those of the fit
/// send the strong king to the centre and win fewer games. Over all lost positions with the weak side to move and
/// mate at least 25 plies away, the correlation with the distance is -0.70.
pub fn queen_against_rook(strong_king: Square, weak_king: Square, rook: Square) -> i32 {
    30 * from_centre(weak_king)
        + 20 * (14 - manhattan(strong_king, weak_king))
        + 10 * (7 - strong_king.distance(rook) as i32)
        + 10 * from_centre(rook)
        + 5 * manhattan(weak_king, rook)
}

/// Steps from the four squares of the centre, files and ranks together: 0..=6.
fn from_centre(square: Square) -> i32 {
    let off = |i: u32| if i < 4 { 3 - i as i32 } else { i as i32 - 4 };
    off(square.file() as u32) + off(square.rank() as u32)
}

fn manhattan(a: Square, b: Square) -> i32 {
    (a.file().distance(b.file()) + a.rank().distance(b.rank())) as i32
}

/// How near a king is to a corner of the bishop's colour: 0 on the diagonal between the other two corners, 7 there.
fn towards_corner(king: Square, bishop: Square) -> i32 {
    let (file, rank) = (king.file() as i32, king.rank() as i32);
    if bishop.is_dark() { (file + rank - 7).abs() } else { (file - rank).abs() }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use shakmaty::Color;

    use super::*;
    use crate::retrograde::Dtm;
    use crate::retrograde::tests::some_tables;

    #[test]
    fn queen_against_rook_grows_towards_the_mate() {
        let progress = |[strong, weak, rook]: [Square; 3]| queen_against_rook(strong, weak, rook);
        // The weak king at the edge, the strong king near, the rook away from its king.
        for (worse, better) in [
            ([Square::F3, Square::D5, Square::D6], [Square::F3, Square::D8, Square::D7]),
            ([Square::A1, Square::D8, Square::D7], [Square::D6, Square::D8, Square::D7]),
            ([Square::D6, Square::D8, Square::D7], [Square::D6, Square::D8, Square::A8]),
        ] {
            assert!(progress(worse) < progress(better), "{worse:?} {better:?}");
        }
    }

    /// Over the whole table: the more progress, the fewer plies to the mate on average.
    #[test]
    fn queen_against_rook_follows_the_distances_to_mate() {
        let ending = "KQvKR".parse().expect("an ending");
        let mut bands: BTreeMap<i32, (f64, f64)> = BTreeMap::new();
        some_tables().get(&ending).expect("a table").for_each(|board, turn, value| {
            let rook = board.rooks().first();
            if let (Color::Black, Dtm::Loss(plies)) = (turn, value)
                && let (Some(strong), Some(weak), Some(rook)) =
                    (board.king_of(Color::White), board.king_of(Color::Black), rook)
            {
                let progress = queen_against_rook(strong, weak, rook);
                assert!((155..=550).contains(&progress), "{progress}");
                let (sum, count) = bands.entry(progress / 50).or_default();
                *sum += f64::from(plies);
                *count += 1.0;
            }
        });
        let means: Vec<f64> = bands.values().map(|(sum, count)| sum / count).collect();
        assert!(means.len() == 9 && means.is_sorted_by(|less, more| less > more), "{means:?}");
    }
}
