//! The accumulators (the hidden layer of each view before its activation), updated along the search's path, and only
//! when they are needed.
//!
//! A move changes at most four of a view's inputs for men on squares; those for men en prise are added at each
//! evaluation. `push` records the changes; `evaluate` walks back to the last position whose accumulator is computed and
//! adds the differences up to the current one. A king that moves to another bucket or to the other half of the board
//! changes every input of its view, which needs a refresh: the last board with the same view is fetched from a cache
//! and the differences from it are added (after Luecx's "Finny tables" in Koivisto).

use std::sync::Arc;

use arrayvec::ArrayVec;
use shakmaty::{Bitboard, Board, CastlingSide, Color, Move, Piece, Role, Square};

use super::features::{FeatureView, output_bucket};
use super::network::{HiddenLayer, Network};
use super::simd::Block;
use crate::position::Position;
use crate::position::attacks::en_prise;
use crate::score::{MAX_PLY, Score};

type Placed = (Piece, Square);

/// Rows of the hidden layer's weights, at most one per piece.
type Rows<'a> = ArrayVec<&'a [Block], 64>;

/// What a move changes on the board.
#[derive(Clone, Copy, Debug)]
enum Change {
    /// Nothing: a null move, or the root.
    None,
    Move {
        add: Placed,
        sub: Placed,
    },
    Capture {
        add: Placed,
        sub: Placed,
        captured: Placed,
    },
    /// The king, then the rook.
    Castle {
        add: [Placed; 2],
        sub: [Placed; 2],
    },
}

/// A position of the path.
#[derive(Clone, Copy, Debug)]
struct Frame {
    /// What the move to this position changed.
    change: Change,
    /// By colour: its view here.
    views: [FeatureView; 2],
    /// By colour: whether its accumulator has been computed.
    computed: [bool; 2],
}

/// The last board that was refreshed for a view, and its accumulator.
struct RefreshEntry {
    accumulator: Vec<Block>,
    /// By colour and role.
    pieces: [[Bitboard; 6]; 2],
}

/// The accumulators of a path, for one search thread.
pub struct Accumulators {
    network: Arc<Network>,
    frames: Vec<Frame>,
    /// For every frame, Black's accumulator, then White's, in shakmaty's order of colours.
    values: Vec<Block>,
    /// By colour, then by the number of the view.
    refresh_cache: [[RefreshEntry; FeatureView::COUNT]; 2],
}

impl Accumulators {
    /// An empty path.
    pub fn new(network: Arc<Network>) -> Accumulators {
        let width = network.width();
        let empty_board = |_| RefreshEntry { accumulator: network.biases().to_vec(), pieces: Default::default() };
        Accumulators {
            frames: Vec::with_capacity(MAX_PLY + 8),
            values: vec![Block::ZERO; (MAX_PLY + 8) * 2 * width],
            refresh_cache: std::array::from_fn(|_| std::array::from_fn(empty_board)),
            network,
        }
    }

    /// Starts a path at `root`.
    pub fn reset(&mut self, root: &Position) {
        // In shakmaty's order of colours.
        let views = [Color::Black, Color::White].map(|color| FeatureView::of(color, root.board()));
        self.frames.clear();
        self.frames.push(Frame { change: Change::None, views, computed: [false; 2] });
    }

    /// Follows a move that will be played from `before`.
    pub fn push(&mut self, before: &Position, m: Move) {
        let us = before.turn();
        let mut views = self.top().views;
        let change = match m {
            Move::Normal { role, from, capture, to, promotion } => {
                if role == Role::King {
                    views[us as usize] = FeatureView::new(us, to);
                }
                let (add, sub) = ((promotion.unwrap_or(role).of(us), to), (role.of(us), from));
                match capture {
                    None => Change::Move { add, sub },
                    Some(captured) => Change::Capture { add, sub, captured: (captured.of(!us), to) },
                }
            }
            Move::EnPassant { from, to } => Change::Capture {
                add: (us.pawn(), to),
                sub: (us.pawn(), from),
                captured: ((!us).pawn(), Square::from_coords(to.file(), from.rank())),
            },
            Move::Castle { king, rook } => {
                let side = CastlingSide::from_queen_side(rook < king);
                let king_to = Square::from_coords(side.king_to_file(), king.rank());
                let rook_to = Square::from_coords(side.rook_to_file(), king.rank());
                views[us as usize] = FeatureView::new(us, king_to);
                Change::Castle {
                    add: [(us.king(), king_to), (us.rook(), rook_to)],
                    sub: [(us.king(), king), (us.rook(), rook)],
                }
            }
            Move::Put { .. } => Change::None,
        };
        self.push_frame(Frame { change, views, computed: [false; 2] });
    }

    /// Follows a null move.
    pub fn push_null(&mut self) {
        let views = self.top().views;
        self.push_frame(Frame { change: Change::None, views, computed: [false; 2] });
    }

    /// Takes back the last move.
    pub fn pop(&mut self) {
        debug_assert!(self.frames.len() > 1);
        self.frames.pop();
    }

    /// The value of the position at the end of the path, in centipawns for the side to move.
    pub fn evaluate(&mut self, position: &Position) -> i32 {
        for color in [Color::White, Color::Black] {
            self.compute(color, position.board());
        }
        let last = self.frames.len() - 1;
        let mut rows = [Rows::new(), Rows::new()];
        self.push_en_prise_rows(position.board(), &mut rows);
        let layer = |color: Color| HiddenLayer { values: self.accumulator(last, color), rows: &rows[color as usize] };
        let bucket = output_bucket(position.board().occupied().count());
        self.network
            .output(layer(position.turn()), layer(!position.turn()), bucket)
            .clamp(-Score::MAX_EVAL, Score::MAX_EVAL)
    }

    /// Collects, for each view, the rows of the pieces en prise. They change too much from move to move to be part of
    /// the accumulators.
    fn push_en_prise_rows<'a>(&'a self, board: &Board, rows: &mut [Rows<'a>; 2]) {
        let squares = en_prise(board);
        if squares.is_empty() {
            return;
        }
        let views = self.top().views;
        for square in squares {
            // Without a branch, because the role can hardly be predicted.
            let is = |pieces: Bitboard| usize::from(pieces.contains(square));
            let role = is(board.knights()) + 2 * is(board.bishops()) + 3 * is(board.rooks()) + 4 * is(board.queens());
            let piece = Role::ALL[role].of(Color::from_white(board.white().contains(square)));
            for (rows, view) in rows.iter_mut().zip(views) {
                rows.push(self.network.feature(view.en_prise_input(piece, square)));
            }
        }
    }

    fn top(&self) -> &Frame {
        &self.frames[self.frames.len() - 1]
    }

    fn push_frame(&mut self, frame: Frame) {
        self.frames.push(frame);
        let needed = self.frames.len() * 2 * self.network.width();
        if self.values.len() < needed {
            self.values.resize(needed, Block::ZERO);
        }
    }

    /// Where a frame's accumulator begins in `values`.
    fn start(&self, frame: usize, color: Color) -> usize {
        (2 * frame + color as usize) * self.network.width()
    }

    fn accumulator(&self, frame: usize, color: Color) -> &[Block] {
        let start = self.start(frame, color);
        &self.values[start..start + self.network.width()]
    }

    /// Computes the last frame's accumulator for one view: by incremental updates if an earlier one with the same view
    /// has been computed, else by a refresh.
    fn compute(&mut self, color: Color, board: &Board) {
        let side = color as usize;
        let last = self.frames.len() - 1;
        let view = self.frames[last].views[side];
        let mut computed = last;
        while !self.frames[computed].computed[side] {
            if computed == 0 || self.frames[computed - 1].views[side] != view {
                self.refresh(color, board);
                return;
            }
            computed -= 1;
        }
        for frame in computed + 1..=last {
            self.update(frame, color, view);
        }
    }

    /// Computes a frame's accumulator from that of the frame before.
    fn update(&mut self, frame: usize, color: Color, view: FeatureView) {
        let start = self.start(frame, color);
        let network = &*self.network;
        let (width, kernel) = (network.width(), network.kernel());
        let (before, here) = self.values.split_at_mut(start);
        let from = &before[start - 2 * width..start - width];
        let to = &mut here[..width];
        let row = |(piece, square): Placed| network.feature(view.input(piece, square));
        match self.frames[frame].change {
            Change::None => to.copy_from_slice(from),
            Change::Move { add, sub } => kernel.add_sub(to, from, row(add), row(sub)),
            Change::Capture { add, sub, captured } => {
                kernel.add_sub_sub(to, from, row(add), row(sub), row(captured));
            }
            Change::Castle { add, sub } => {
                kernel.add_sub(to, from, row(add[0]), row(sub[0]));
                kernel.add(to, row(add[1]));
                kernel.sub(to, row(sub[1]));
            }
        }
        self.frames[frame].computed[color as usize] = true;
    }

    /// Computes the last frame's accumulator from the cached board with the same view.
    fn refresh(&mut self, color: Color, board: &Board) {
        let last = self.frames.len() - 1;
        let start = self.start(last, color);
        let network = &*self.network;
        let (width, kernel) = (network.width(), network.kernel());
        let view = self.frames[last].views[color as usize];
        let entry = &mut self.refresh_cache[color as usize][view.index()];
        for side in Color::ALL {
            for role in Role::ALL {
                let piece = role.of(side);
                let now = board.by_piece(piece);
                let then = std::mem::replace(&mut entry.pieces[side as usize][role as usize - 1], now);
                for square in then & !now {
                    kernel.sub(&mut entry.accumulator, network.feature(view.input(piece, square)));
                }
                for square in now & !then {
                    kernel.add(&mut entry.accumulator, network.feature(view.input(piece, square)));
                }
            }
        }
        self.values[start..start + width].copy_from_slice(&entry.accumulator);
        self.frames[last].computed[color as usize] = true;
    }
}
