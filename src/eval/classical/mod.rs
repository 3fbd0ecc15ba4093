//! The classical evaluation: chess knowledge as a weighted sum.
//!
//! Every term has a middlegame and an endgame weight ([`struct@pair::S`]); the material left on the board decides how
//! these are mixed. Each side is evaluated on its own [`view`] of the board by the same code. The numbers are in
//! [`values`]. A [`sums::Tracer`] sees every term, for the breakdown of [`trace()`].
//!
//! Sources: the chess programming wiki's pages on evaluation, tapered evaluation, king safety and pawn structure.

mod endgame;
mod king;
pub mod pair;
mod pawns;
mod pieces;
pub mod sums;
mod threats;
mod trace;
mod values;
mod view;
pub mod weights;

use shakmaty::{Bitboard, Color, Role};

use crate::position::{Board, Position};
use crate::score::Score;

pub use endgame::WHOLE;
use pair::S;
pub use pawns::PawnCache;
use sums::{NullTracer, Sums, Term, Tracer};
pub use trace::{Trace, trace};
pub use values::VALUES;
use view::SideView;
use weights::Weights;

/// The weights that the engine plays with.
static WEIGHTS: Weights = VALUES;

/// The sum of [`phase`] in the initial position.
pub const FULL_PHASE: i32 = 24;

/// The value of a position for the side to move in centipawns, within ±[`Score::MAX_EVAL`]; not for use in check.
///
/// Uses no cache; [`evaluate_cached`] is faster and gives the same value.
pub fn evaluate(position: &Position) -> i32 {
    if let Some(value) = overfull(position.board()) {
        return for_mover(position, value);
    }
    let sides = Sides::<NullTracer>::new(position, &WEIGHTS);
    for_mover(position, sides.value(position.board()))
}

/// As [`evaluate`], with a cache of pawn structures.
pub fn evaluate_cached(position: &Position, cache: &mut PawnCache) -> i32 {
    if let Some(value) = overfull(position.board()) {
        return for_mover(position, value);
    }
    let sides = Sides::with_pawns(position, &WEIGHTS, |views, sums| {
        cache.structures(position.keys().pawns, views, &WEIGHTS, sums)
    });
    for_mover(position, sides.value(position.board()))
}

/// The value for White by material alone, if there is too much for the 16 bits of a sum; `None` on every board that
/// can arise in a game.
fn overfull(board: &Board) -> Option<i32> {
    const MOST: i32 = 20_000;
    if board.occupied().count() <= 32 && board.queens().count() <= 18 {
        return None;
    }
    let [white, black] = [Color::White, Color::Black].map(|side| {
        let men = Role::ALL.into_iter().zip(&WEIGHTS.material);
        men.map(|(role, worth)| worth.middlegame() * board.by_piece(role.of(side)).count() as i32).sum::<i32>()
    });
    (white.max(black) > MOST).then(|| white - black)
}

fn for_mover(position: &Position, value: i32) -> i32 {
    let value = value.clamp(-Score::MAX_EVAL, Score::MAX_EVAL);
    if position.turn() == Color::White { value } else { -value }
}

/// How much of a middlegame this is: 24 with all pieces, 0 without any (and capped after promotions).
pub fn phase(board: &Board) -> i32 {
    let minors = (board.knights() | board.bishops()).count() as i32;
    let phase = minors + 2 * board.rooks().count() as i32 + 4 * board.queens().count() as i32;
    phase.min(FULL_PHASE)
}

/// Both sides' sums of a position, white's first.
pub struct Sides<'w, W> {
    /// The finished sums.
    pub sums: [Sums<'w, W>; 2],
    views: [SideView; 2],
    passed: [Bitboard; 2],
}

impl<'w, W: Tracer> Sides<'w, W> {
    /// Evaluates both sides from scratch.
    pub fn new(position: &Position, weights: &'w Weights) -> Sides<'w, W> {
        Sides::with_pawns(position, weights, |views, sums| {
            let [white, black] = sums;
            [pawns::structure(&views[0], white), pawns::structure(&views[1], black)]
        })
    }

    #[inline]
    fn with_pawns(
        position: &Position,
        weights: &'w Weights,
        structures: impl FnOnce(&[SideView; 2], &mut [Sums<'w, W>; 2]) -> [Bitboard; 2],
    ) -> Sides<'w, W> {
        let views = SideView::both(position.board());
        let mut sums = [Sums::new(weights), Sums::new(weights)];
        let passed = structures(&views, &mut sums);
        let mover = usize::from(position.turn() == Color::Black);
        let attacks = [pieces::pieces(&views[0], &mut sums[0]), pieces::pieces(&views[1], &mut sums[1])];
        for (side, sums) in sums.iter_mut().enumerate() {
            let view = &views[side];
            let (ours, theirs) = (&attacks[side], &attacks[1 - side].flipped());
            king::shelter(view, sums);
            king::attack(view, ours, theirs, sums);
            threats::threats(view, ours, theirs, sums);
            endgame::passed(view, passed[side], ours, theirs, side == mover, sums);
            endgame::mop_up(view, sums);
            sums.add(Term::Space, &weights.space, pieces::space(view));
        }
        sums[mover].add(Term::Tempo, &weights.tempo, 1);
        Sides { sums, views, passed }
    }

    /// White's sum less black's.
    pub fn difference(&self) -> S {
        self.sums[0].score - self.sums[1].score
    }

    /// What is left of the endgame part, in parts of [`WHOLE`], when this side is ahead in it.
    pub fn scale(&self, white_ahead: bool) -> i32 {
        let side = usize::from(!white_ahead);
        endgame::scale(&self.views[side], self.passed[side])
    }

    /// The value for white in centipawns.
    fn value(&self, board: &Board) -> i32 {
        let difference = self.difference();
        let phase = phase(board);
        let endgame = difference.endgame() * self.scale(difference.endgame() > 0) / WHOLE;
        (difference.middlegame() * phase + endgame * (FULL_PHASE - phase)) / FULL_PHASE
    }
}

#[cfg(test)]
mod tests;
