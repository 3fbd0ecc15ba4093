//! Perft: counting the leaves of the tree of legal moves, the test of a move generator and of everything that plays moves.

use std::sync::atomic::{AtomicBool, Ordering};

use shakmaty::Move;

use super::Position;

/// The leaves of the tree of legal moves, `depth` plies deep. The last ply is counted without being played.
///
/// ```
/// use ibex::position::{Position, perft};
///
/// assert_eq!(perft::count(&Position::startpos(), 3), 8902);
/// ```
pub fn count(position: &Position, depth: u32) -> u64 {
    count_until(position, depth, &AtomicBool::new(false)).unwrap_or_else(|| unreachable!("nobody sets the flag"))
}

/// The leaves below one move of a tree that is `depth` plies deep (at least 1).
pub fn count_after(position: &Position, m: Move, depth: u32) -> u64 {
    let mut child = position.clone();
    child.play(m);
    count(&child, depth.saturating_sub(1))
}

/// As [`count`]; `None` if `stop` was set meanwhile.
pub fn count_until(position: &Position, depth: u32, stop: &AtomicBool) -> Option<u64> {
    let moves = match depth {
        0 => return Some(1),
        1 => return Some(position.legal_moves().len() as u64),
        _ if stop.load(Ordering::Relaxed) => return None,
        _ => position.legal_moves(),
    };
    let mut leaves = 0;
    for m in moves {
        let mut child = position.clone();
        child.play(m);
        leaves += count_until(&child, depth - 1, stop)?;
    }
    Some(leaves)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_the_initial_position() {
        let position = Position::startpos();
        assert_eq!([0, 1, 2, 3, 4].map(|depth| count(&position, depth)), [1, 20, 400, 8902, 197_281]);
    }
}
