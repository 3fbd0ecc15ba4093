//! Perft: counting the leaves of the tree of legal moves, the test of a move generator and of everything that plays
//! moves.

use std::fmt;
use std::time::{Duration, Instant};

use super::notation::uci;
use super::{Move, MoveList, Position};
use crate::parallel::in_parallel;

/// The deepest tree that is counted, in plies: each ply takes some of the thread's stack, and this many fit into 1 MiB.
///
/// No game tree can be counted that deep: 64 plies of two moves each have more leaves than a `u64` holds.
pub const DEEPEST: u32 = 64;

/// The leaves of the tree of legal moves, `depth` plies deep (at most [`DEEPEST`]). The last ply is counted without
/// being played.
///
/// ```
/// use ibex::position::{Position, perft};
///
/// assert_eq!(perft::count(&Position::startpos(), 3), 8902);
/// ```
pub fn count(position: &Position, depth: u32) -> u64 {
    count_until(position, depth, &|| false).unwrap_or_else(|| unreachable!("nothing stops it"))
}

/// The leaves below one move of a tree that is `depth` plies deep (at least 1, at most [`DEEPEST`]).
pub fn count_after(position: &Position, m: Move, depth: u32) -> u64 {
    count(&position.after(m), depth.saturating_sub(1))
}

/// As [`count`]; `None` if `stop` returned true. It is called for every position but those of the last two plies.
pub fn count_until(position: &Position, depth: u32, stop: &impl Fn() -> bool) -> Option<u64> {
    debug_assert!(depth <= DEEPEST, "{depth} plies do not fit on the stack");
    let moves = match depth {
        0 => return Some(1),
        1 => return Some(position.count_moves() as u64),
        _ if stop() => return None,
        _ => position.legal_moves(),
    };
    let mut leaves = 0;
    for m in moves {
        leaves += count_until(&position.after(m), depth - 1, stop)?;
    }
    Some(leaves)
}

/// The leaves below each legal move of a position, and the time that counting them took; printed as both programs do.
#[derive(Clone, Debug)]
pub struct Division {
    /// The moves in UCI notation, sorted, with their leaves.
    pub moves: Vec<(String, u64)>,
    /// All leaves.
    pub leaves: u64,
    /// The time.
    pub time: Duration,
}

/// Counts the leaves below each legal move with `jobs` threads. `depth` is at most [`DEEPEST`]; at 0 the position
/// itself is the only leaf.
pub fn divide(position: &Position, depth: u32, jobs: usize) -> Division {
    let start = Instant::now();
    let moves = if depth > 0 { position.legal_moves() } else { MoveList::new() };
    let counts = in_parallel(moves.len(), jobs, |i| count_after(position, moves[i], depth), |_, _| {});
    let mut moves: Vec<_> = moves.iter().map(|&m| uci(position, m)).zip(counts).collect();
    moves.sort();
    let leaves = u64::from(depth == 0) + moves.iter().map(|(_, leaves)| leaves).sum::<u64>();
    Division { moves, leaves, time: start.elapsed() }
}

impl fmt::Display for Division {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, leaves) in &self.moves {
            writeln!(f, "{name}: {leaves}")?;
        }
        let (leaves, seconds) = (self.leaves, self.time.as_secs_f64());
        let unit = if leaves == 1 { "leaf" } else { "leaves" };
        let rate = leaves as f64 / seconds.max(1e-9) / 1e6;
        write!(f, "\n{leaves} {unit}, {seconds:.3} s, {rate:.1} million a second")
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Duration;

    use super::*;
    use crate::position::notation::read_fen;

    #[test]
    fn counts_of_the_initial_position() {
        let position = Position::startpos();
        assert_eq!([0, 1, 2, 3, 4].map(|depth| count(&position, depth)), [1, 20, 400, 8902, 197_281]);
    }

    /// Half of a thread's stack is enough for the deepest tree, even in builds with checks.
    #[test]
    fn the_deepest_tree_fits_on_the_stack() {
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let (sender, begun) = std::sync::mpsc::channel();
            let stop = &stop;
            let count = move || {
                let _ = sender.send(());
                count_until(&Position::startpos(), DEEPEST, &|| stop.load(Ordering::Relaxed))
            };
            let counting =
                std::thread::Builder::new().stack_size(1 << 20).spawn_scoped(scope, count).expect("a thread");
            begun.recv().expect("the count begins");
            // The first line of the tree ends long before; the whole tree never would.
            std::thread::sleep(Duration::from_millis(100));
            stop.store(true, Ordering::Relaxed);
            assert_eq!(counting.join().expect("no panic"), None);
        });
    }

    #[test]
    fn divide_adds_up_with_any_number_of_threads() {
        let position = read_fen("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1").expect("valid");
        let one = divide(&position, 3, 1).moves;
        assert_eq!(one, divide(&position, 3, 4).moves);
        assert_eq!(one.iter().map(|(_, leaves)| leaves).sum::<u64>(), count(&position, 3));
        assert!(one.iter().any(|(name, _)| name == "e1g1"));
        assert_eq!(divide(&position, 3, 2).leaves, count(&position, 3));
        assert!(divide(&position, 0, 2).to_string().starts_with("\n1 leaf, "));
        assert!(divide(&read_fen("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1").expect("stalemate"), 2, 2).moves.is_empty());
    }
}
