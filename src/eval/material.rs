//! Material counted in points.

use shakmaty::Bitboard;

/// Material without pawns: minor pieces 3, rooks 5, queens 9.
#[inline]
pub fn points(minors: Bitboard, rooks: Bitboard, queens: Bitboard) -> i32 {
    (3 * minors.count() + 5 * rooks.count() + 9 * queens.count()) as i32
}
