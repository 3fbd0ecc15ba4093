//! Principal variations, in a triangular table.

use crate::position::{Game, Move, PackedMove};
use crate::score::MAX_PLY;

/// The lines found so far below each ply of the current path.
pub struct PvTable {
    lines: Box<[[Option<PackedMove>; MAX_PLY + 1]]>,
    lengths: Box<[usize]>,
}

impl Default for PvTable {
    fn default() -> Self {
        PvTable::new()
    }
}

impl PvTable {
    /// Empty lines.
    pub fn new() -> PvTable {
        PvTable {
            lines: vec![[None; MAX_PLY + 1]; MAX_PLY + 2].into_boxed_slice(),
            lengths: vec![0; MAX_PLY + 2].into_boxed_slice(),
        }
    }

    /// Forgets the line at `ply`.
    #[inline]
    pub fn clear(&mut self, ply: usize) {
        self.lengths[ply] = 0;
    }

    /// `m`, then the line one ply deeper, becomes the line at `ply`.
    pub fn update(&mut self, ply: usize, m: Move) {
        let length = self.lengths[ply + 1].min(MAX_PLY);
        let (upper, lower) = self.lines.split_at_mut(ply + 1);
        upper[ply][0] = Some(m.packed());
        upper[ply][1..=length].copy_from_slice(&lower[0][..length]);
        self.lengths[ply] = length + 1;
    }

    /// The line at `ply`.
    pub fn line(&self, ply: usize) -> impl Iterator<Item = PackedMove> {
        self.lines[ply][..self.lengths[ply]].iter().copied().flatten()
    }
}

/// The moves of a packed line from `game` on, up to the first illegal one or the end of the game.
pub fn unpack(game: &Game, line: &[PackedMove]) -> Vec<Move> {
    let mut game = game.clone();
    let mut moves = Vec::with_capacity(line.len());
    for &packed in line {
        let Some(m) = game.position().find(packed) else { break };
        game.play(m);
        moves.push(m);
        if game.outcome().is_some() {
            break;
        }
    }
    moves
}
