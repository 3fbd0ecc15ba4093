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
use shakmaty::{Color, Role, Square};

use super::features::{FeatureView, output_bucket};
use super::network::{InputRows, Network};
use super::simd::{Arithmetic, Block, HiddenLayer, Task};
use super::threats::{Changes, Threats};
use crate::position::attacks::{AttackMaps, AttacksByRole, by_role, en_prise};
use crate::position::{Board, Move, PieceCode, Position};
use crate::score::{MAX_PLY, Score};

/// Rows of the hidden layer's weights, at most one per piece.
type Rows<'a> = ArrayVec<&'a [Block], 64>;

/// Blocks in the hidden layer of the network that ships: the evaluation is compiled for it.
const USUAL_WIDTH: usize = 8;

/// A position of the path.
#[derive(Clone, Copy, Debug)]
struct Frame {
    /// The move to this position; `None` after a null move, and at the root.
    m: Option<Move>,
    /// The side that made it.
    mover: Color,
    /// By colour: its view here.
    views: [FeatureView; 2],
    /// By colour: whether its accumulator has been computed.
    computed: [bool; 2],
    /// Whether its threats have been found.
    threatened: bool,
}

/// The last board that was refreshed for a view, and its accumulator.
struct RefreshEntry {
    accumulator: Vec<Block>,
    board: Board,
}

/// The accumulators of a path, for one search thread.
pub struct Accumulators {
    network: Arc<Network>,
    frames: Vec<Frame>,
    /// For every frame, Black's accumulator, then White's, in shakmaty's order of colours.
    values: Vec<Block>,
    /// For every frame.
    threats: Vec<Threats>,
    /// Room for the threats that come and go in an evaluation.
    changes: Box<Changes>,
    /// Of an empty board, to begin from.
    no_threats: Threats,
    /// By colour, then by the number of the view.
    refresh_cache: [[RefreshEntry; FeatureView::COUNT]; 2],
}

/// The evaluation of the position at the end of a path.
struct Evaluate<'a> {
    path: &'a mut Accumulators,
    position: &'a Position,
    maps: &'a mut AttackMaps,
}

impl Task for Evaluate<'_> {
    type Output = i32;

    #[inline(always)]
    fn run(self, arithmetic: impl Arithmetic) -> i32 {
        if self.path.network.width() == USUAL_WIDTH {
            self.path.evaluate_by::<USUAL_WIDTH>(self.position, self.maps, arithmetic)
        } else {
            self.path.evaluate_by::<0>(self.position, self.maps, arithmetic)
        }
    }
}

impl Accumulators {
    /// An empty path.
    pub fn new(network: Arc<Network>) -> Accumulators {
        let width = network.width();
        let empty_board = |_| RefreshEntry { accumulator: network.biases().to_vec(), board: Board::empty() };
        Accumulators {
            frames: Vec::with_capacity(MAX_PLY + 8),
            values: vec![Block::ZERO; (MAX_PLY + 8) * 2 * width],
            threats: vec![Threats::none(); MAX_PLY + 8],
            changes: Box::default(),
            no_threats: Threats::none(),
            refresh_cache: std::array::from_fn(|_| std::array::from_fn(empty_board)),
            network,
        }
    }

    /// Starts a path at a position.
    pub fn reset(&mut self, root: &Position) {
        // In shakmaty's order of colours.
        let views = [Color::Black, Color::White].map(|color| FeatureView::of(color, root.board()));
        self.frames.clear();
        self.push_frame(None, Color::White, views);
    }

    /// Follows a move that will be played from `before`.
    #[inline(always)]
    pub fn push(&mut self, before: &Position, m: Move) {
        let us = before.turn();
        let mut views = self.top().views;
        if m.role_number() == Role::King as usize {
            let to = if m.is_castle() { m.wing().king_to(us) } else { m.to() };
            views[us as usize] = FeatureView::new(us, to);
        }
        self.push_frame(Some(m), us, views);
    }

    /// Follows a null move.
    pub fn push_null(&mut self) {
        self.push_frame(None, Color::White, self.top().views);
    }

    /// Takes back the last move.
    pub fn pop(&mut self) {
        self.frames.pop();
        debug_assert!(!self.frames.is_empty(), "more pops than pushes");
    }

    /// The value of the position at the end of the path, in centipawns for the side to move.
    pub fn evaluate(&mut self, position: &Position) -> i32 {
        self.evaluate_into(position, &mut AttackMaps::default())
    }

    /// As [`Accumulators::evaluate`]. `maps` receives what both sides attack.
    #[inline]
    pub(crate) fn evaluate_into(&mut self, position: &Position, maps: &mut AttackMaps) -> i32 {
        self.network.kernel().run(Evaluate { path: self, position, maps })
    }

    /// Evaluates with this arithmetic. `WIDTH` is the number of blocks in the network's hidden layer, or 0 if it is not
    /// known at compile time.
    #[inline(always)]
    fn evaluate_by<const WIDTH: usize>(
        &mut self,
        position: &Position,
        maps: &mut AttackMaps,
        arithmetic: impl Arithmetic,
    ) -> i32 {
        let width = if WIDTH > 0 { WIDTH } else { self.network.width() };
        let last = self.frames.len() - 1;
        if self.values.len() < 2 * (last + 1) * width {
            self.grow();
        }
        self.catch_up(last, position, width, arithmetic);

        // The rows of pieces en prise change too much from move to move to be part of the accumulators.
        let attacks = [Color::Black, Color::White].map(|side| by_role(position.board(), side));
        *maps = AttackMaps::of_roles(&attacks);
        self.find_threats(last, position, &attacks, arithmetic);
        let mut rows = [Rows::new(), Rows::new()];
        let views = self.frames[last].views;
        let inputs = self.network.rows(width);
        for square in en_prise(position.board(), maps) {
            let piece = position.board().code_at(square);
            for (rows, view) in rows.iter_mut().zip(views) {
                rows.push(inputs.row(view.en_prise_input(piece, square)));
            }
        }
        let values = &self.values[2 * last * width..2 * (last + 1) * width];
        let layer = |side: Color| HiddenLayer {
            values: &values[side as usize * width..][..width],
            rows: &rows[side as usize],
            threats: self.threats[last].sums(side as usize),
        };
        let us = position.turn();
        self.network
            .output(layer(us), layer(!us), output_bucket(position.men()), width, arithmetic)
            .clamp(-Score::MAX_EVAL, Score::MAX_EVAL)
    }

    /// Finds the threats of the last frame.
    #[inline(always)]
    fn find_threats(
        &mut self,
        last: usize,
        position: &Position,
        attacks: &[AttacksByRole; 2],
        arithmetic: impl Arithmetic,
    ) {
        let Frame { views, threatened, .. } = self.frames[last];
        if threatened {
            return;
        }
        let alike = |frame: &Frame| frame.threatened && (0..2).all(|side| frame.views[side].mirrors_like(views[side]));
        let (earlier, here) = self.threats.split_at_mut(last);
        let before = self.frames[..last].iter().rposition(alike).map_or(&self.no_threats, |frame| &earlier[frame]);
        self.changes.find(before, &mut here[0], position.board(), attacks, views);
        self.changes.apply(before, &mut here[0], self.network.threats(), arithmetic);
        self.frames[last].threatened = true;
    }

    fn top(&self) -> &Frame {
        &self.frames[self.frames.len() - 1]
    }

    #[inline(always)]
    fn push_frame(&mut self, m: Option<Move>, mover: Color, views: [FeatureView; 2]) {
        self.frames.push(Frame { m, mover, views, computed: [false; 2], threatened: false });
    }

    /// Makes room for a path that is longer than those of the search.
    #[cold]
    fn grow(&mut self) {
        self.values.resize(self.frames.len() * 2 * self.network.width(), Block::ZERO);
        self.threats.resize(self.frames.len(), Threats::none());
    }

    /// Computes what the last frame lacks.
    #[inline(always)]
    fn catch_up(&mut self, last: usize, position: &Position, width: usize, arithmetic: impl Arithmetic) {
        let Frame { views, computed, .. } = self.frames[last];
        let follows = |before: &Frame| before.computed == [true; 2] && before.views == views;
        if computed == [false; 2] && last > 0 && follows(&self.frames[last - 1]) {
            // Mostly, both accumulators follow from those of the frame before.
            self.update(last, [true; 2], width, arithmetic);
            return;
        }
        for color in Color::ALL {
            if !computed[color as usize] {
                self.compute(color, position, width, arithmetic);
            }
        }
    }

    /// Computes the last frame's accumulator for one view: by incremental updates if an earlier one with the same view
    /// has been computed, else by a refresh.
    #[inline(always)]
    fn compute(&mut self, color: Color, position: &Position, width: usize, arithmetic: impl Arithmetic) {
        let side = color as usize;
        let last = self.frames.len() - 1;
        let view = self.frames[last].views[side];
        let mut computed = last;
        while !self.frames[computed].computed[side] {
            if computed == 0 || self.frames[computed - 1].views[side] != view {
                self.refresh(color, position, width, arithmetic);
                return;
            }
            computed -= 1;
        }
        for frame in computed + 1..=last {
            self.update(frame, [color == Color::Black, color == Color::White], width, arithmetic);
        }
    }

    /// Computes accumulators of a frame, of the sides that `wanted` names by colour, from those of the frame before.
    #[inline(always)]
    fn update(&mut self, at: usize, wanted: [bool; 2], width: usize, arithmetic: impl Arithmetic) {
        let inputs = self.network.rows(width);
        let frame = &mut self.frames[at];
        let (before, here) = self.values.split_at_mut(2 * at * width);
        let before = &before[2 * (at - 1) * width..];
        let here = &mut here[..2 * width];
        for side in 0..2 {
            if wanted[side] {
                let (from, to) = (&before[side * width..][..width], &mut here[side * width..][..width]);
                frame.follow(side, inputs, from, to, arithmetic);
                frame.computed[side] = true;
            }
        }
    }

    /// Computes the last frame's accumulator from the cached board with the same view.
    #[inline(always)]
    fn refresh(&mut self, color: Color, position: &Position, width: usize, arithmetic: impl Arithmetic) {
        let last = self.frames.len() - 1;
        let inputs = self.network.rows(width);
        let view = self.frames[last].views[color as usize];
        let entry = &mut self.refresh_cache[color as usize][view.index()];
        let board = position.board();
        let (mut gone, mut come) = (Rows::new(), Rows::new());
        for square in board.differences(&entry.board) {
            let (then, now) = (entry.board.code_at(square), board.code_at(square));
            if then != PieceCode::default() {
                gone.push(inputs.row(view.input(then, square)));
            }
            if now != PieceCode::default() {
                come.push(inputs.row(view.input(now, square)));
            }
        }
        entry.board = *board;
        let accumulator = &mut entry.accumulator[..width];
        let pairs = gone.len().min(come.len());
        for (gone, come) in gone.iter().zip(&come) {
            arithmetic.add_sub_here(accumulator, come, gone);
        }
        for row in &gone[pairs..] {
            arithmetic.sub(accumulator, row);
        }
        for row in &come[pairs..] {
            arithmetic.add(accumulator, row);
        }
        let start = (2 * last + color as usize) * width;
        self.values[start..][..width].copy_from_slice(accumulator);
        self.frames[last].computed[color as usize] = true;
    }
}

impl Frame {
    /// Computes the accumulator of one side's view from that of the frame before.
    #[inline(always)]
    fn follow(
        &self,
        side: usize,
        inputs: InputRows<'_>,
        from: &[Block],
        to: &mut [Block],
        arithmetic: impl Arithmetic,
    ) {
        let Some(m) = self.m else {
            to.copy_from_slice(from);
            return;
        };
        let us = self.mover;
        let row = |color: Color, role_number: usize, square: Square| {
            inputs.row(self.views[side].input(PieceCode::new(color, role_number), square))
        };
        if m.is_castle() {
            const KING: usize = Role::King as usize;
            const ROOK: usize = Role::Rook as usize;
            let wing = m.wing();
            arithmetic.add_sub(to, from, row(us, KING, wing.king_to(us)), row(us, KING, m.from()));
            arithmetic.add_sub_here(to, row(us, ROOK, wing.rook_to(us)), row(us, ROOK, m.to()));
            return;
        }
        let (add, sub) = (row(us, m.placed_number(), m.to()), row(us, m.role_number(), m.from()));
        if m.is_capture() {
            arithmetic.add_sub_sub(to, from, add, sub, row(!us, m.victim_number(), m.victim_square()));
        } else {
            arithmetic.add_sub(to, from, add, sub);
        }
    }
}
