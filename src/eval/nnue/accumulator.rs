//! The accumulator (the hidden layer), updated along the search's path, and only when it is needed.
//!
//! A move changes at most four of a view's inputs for men on squares; those for men en prise are added at each
//! evaluation. `push` records the changes; `evaluate` walks back to the last position whose hidden layer is known and
//! adds the differences up to the current one. A king that moves to another bucket or to the other half of the board
//! changes every input of its view; then the last known board with the same view is fetched from a cache and the
//! differences from it are added (after Luecx's "Finny tables" in Koivisto).

use std::sync::Arc;

use arrayvec::ArrayVec;
use shakmaty::{Bitboard, Board, CastlingSide, Color, Move, Piece, Role, Square};

use super::features::{FeatureView, output_bucket};
use super::network::Network;
use super::simd::Block;
use crate::position::Position;
use crate::position::attacks::en_prise;
use crate::score::{MAX_PLY, Score};

type Placed = (Piece, Square);

/// Rows of the hidden layer, at most one per piece.
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
    Castle {
        king: (Placed, Placed),
        rook: (Placed, Placed),
    },
}

#[derive(Clone, Copy, Debug)]
struct Frame {
    change: Change,
    /// By colour: its view here.
    views: [FeatureView; 2],
    /// By colour: whether its hidden layer is known.
    known: [bool; 2],
}

/// The last board whose hidden layer was computed from the cache.
struct Cached {
    hidden: Vec<Block>,
    /// By colour and role.
    pieces: [[Bitboard; 6]; 2],
}

/// The hidden layers of a path, for one search thread.
pub struct Accumulators {
    network: Arc<Network>,
    frames: Vec<Frame>,
    /// For every frame, Black's hidden layer, then White's, in shakmaty's order of colours.
    hidden: Vec<Block>,
    /// By colour, then by the number of the view.
    cache: [[Cached; FeatureView::COUNT]; 2],
}

impl Accumulators {
    /// An empty path.
    pub fn new(network: Arc<Network>) -> Accumulators {
        let width = network.width();
        let cached = |_| Cached { hidden: network.biases().to_vec(), pieces: Default::default() };
        Accumulators {
            frames: Vec::with_capacity(MAX_PLY + 8),
            hidden: vec![Block::ZERO; (MAX_PLY + 8) * 2 * width],
            cache: std::array::from_fn(|_| std::array::from_fn(cached)),
            network,
        }
    }

    /// Starts a path at `root`.
    pub fn reset(&mut self, root: &Position) {
        // In shakmaty's order of colours.
        let views = [Color::Black, Color::White].map(|color| FeatureView::of(color, root.board()));
        self.frames.clear();
        self.frames.push(Frame { change: Change::None, views, known: [false; 2] });
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
                    king: ((us.king(), king_to), (us.king(), king)),
                    rook: ((us.rook(), rook_to), (us.rook(), rook)),
                }
            }
            Move::Put { .. } => Change::None,
        };
        self.extend(Frame { change, views, known: [false; 2] });
    }

    /// Follows a null move.
    pub fn push_null(&mut self) {
        let views = self.top().views;
        self.extend(Frame { change: Change::None, views, known: [false; 2] });
    }

    /// Takes back the last move.
    pub fn pop(&mut self) {
        debug_assert!(self.frames.len() > 1);
        self.frames.pop();
    }

    /// The value of the position at the end of the path, in centipawns for the side to move.
    pub fn evaluate(&mut self, position: &Position) -> i32 {
        for color in [Color::White, Color::Black] {
            self.update(color, position.board());
        }
        let last = self.frames.len() - 1;
        let mut rows = [Rows::new(), Rows::new()];
        self.find_en_prise(position.board(), &mut rows);
        let layer = |color: Color| (self.row(last, color), rows[color as usize].as_slice());
        let bucket = output_bucket(position.board().occupied().count());
        self.network
            .output(layer(position.turn()), layer(!position.turn()), bucket)
            .clamp(-Score::MAX_EVAL, Score::MAX_EVAL)
    }

    /// What the pieces en prise add to the last frame's hidden layers. They change too much from move to move to be
    /// kept.
    fn find_en_prise<'a>(&'a self, board: &Board, rows: &mut [Rows<'a>; 2]) {
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
                rows.push(self.network.feature(view.en_prise(piece, square)));
            }
        }
    }

    fn top(&self) -> &Frame {
        &self.frames[self.frames.len() - 1]
    }

    fn extend(&mut self, frame: Frame) {
        self.frames.push(frame);
        let needed = self.frames.len() * 2 * self.network.width();
        if self.hidden.len() < needed {
            self.hidden.resize(needed, Block::ZERO);
        }
    }

    /// The hidden layer of a frame.
    fn row(&self, frame: usize, color: Color) -> &[Block] {
        let width = self.network.width();
        let start = (2 * frame + color as usize) * width;
        &self.hidden[start..start + width]
    }

    /// Computes the last frame's hidden layer for one view.
    fn update(&mut self, color: Color, board: &Board) {
        let side = color as usize;
        let last = self.frames.len() - 1;
        let view = self.frames[last].views[side];
        let mut known = last;
        while !self.frames[known].known[side] {
            if known == 0 || self.frames[known - 1].views[side] != view {
                self.refresh(color, board);
                return;
            }
            known -= 1;
        }
        for frame in known + 1..=last {
            self.apply(frame, color, view);
        }
    }

    /// Computes a frame's hidden layer from the one before.
    fn apply(&mut self, frame: usize, color: Color, view: FeatureView) {
        let network = &*self.network;
        let (width, kernel) = (network.width(), network.kernel());
        let start = (2 * frame + color as usize) * width;
        let (before, here) = self.hidden.split_at_mut(start);
        let from = &before[start - 2 * width..start - width];
        let to = &mut here[..width];
        let row = |(piece, square): Placed| network.feature(view.input(piece, square));
        match self.frames[frame].change {
            Change::None => to.copy_from_slice(from),
            Change::Move { add, sub } => kernel.add_sub(to, from, row(add), row(sub)),
            Change::Capture { add, sub, captured } => {
                kernel.add_sub_sub(to, from, row(add), row(sub), row(captured));
            }
            Change::Castle { king, rook } => {
                kernel.add_sub(to, from, row(king.0), row(king.1));
                kernel.add(to, row(rook.0));
                kernel.sub(to, row(rook.1));
            }
        }
        self.frames[frame].known[color as usize] = true;
    }

    /// Computes the last frame's hidden layer from the cached board with the same view.
    fn refresh(&mut self, color: Color, board: &Board) {
        let network = &*self.network;
        let (width, kernel) = (network.width(), network.kernel());
        let last = self.frames.len() - 1;
        let view = self.frames[last].views[color as usize];
        let cached = &mut self.cache[color as usize][view.index()];
        for side in Color::ALL {
            for role in Role::ALL {
                let piece = role.of(side);
                let now = board.by_piece(piece);
                let then = std::mem::replace(&mut cached.pieces[side as usize][role as usize - 1], now);
                for square in then & !now {
                    kernel.sub(&mut cached.hidden, network.feature(view.input(piece, square)));
                }
                for square in now & !then {
                    kernel.add(&mut cached.hidden, network.feature(view.input(piece, square)));
                }
            }
        }
        let start = (2 * last + color as usize) * width;
        self.hidden[start..start + width].copy_from_slice(&cached.hidden);
        self.frames[last].known[color as usize] = true;
    }
}
