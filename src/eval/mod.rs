//! The static value of a position: what it is worth before anything is played.

pub mod endings;
pub mod nnue;

use std::sync::Arc;

use shakmaty::Bitboard;

use crate::params;
use crate::position::attacks::AttackMaps;
use crate::position::{Board, Move, Position};
use crate::score::Score;
use nnue::{Accumulators, Network};

/// A network with the state that one search thread needs.
///
/// It follows the path of the search, so that the accumulator can be updated move by move: [`Evaluator::reset`]
/// begins a path, [`Evaluator::push`] and [`Evaluator::pop`] make it longer and shorter, and [`Evaluator::evaluate`]
/// takes the position at its end.
///
/// ```
/// use ibex::eval::Evaluator;
/// use ibex::position::Position;
///
/// let mut evaluator = Evaluator::default(); // the network that is built in
/// let start = Position::startpos();
/// evaluator.reset(&start);
/// let value = evaluator.evaluate(&start); // centipawns for the side to move
///
/// let m = start.parse_move("e2e4").expect("a legal move");
/// evaluator.push(&start, m);
/// let after = start.after(m);
/// let updated = evaluator.evaluate(&after); // for Black
/// evaluator.pop();
/// assert_eq!(evaluator.evaluate(&start), value);
///
/// // A path of its own gives the same value.
/// evaluator.reset(&after);
/// assert_eq!(evaluator.evaluate(&after), updated);
/// ```
pub struct Evaluator {
    path: Box<Accumulators>,
    /// Whether values are those of the network alone: see [`Evaluator::set_raw`].
    raw: bool,
}

impl Evaluator {
    /// An evaluator without a path: call [`Evaluator::reset`] first.
    pub fn new(network: &Arc<Network>) -> Evaluator {
        Evaluator { path: Box::new(Accumulators::new(Arc::clone(network))), raw: false }
    }

    /// Switches the scaling of values on (`false`) or off (`true`).
    ///
    /// Training data need raw values: a network that learns from scaled ones learns the scaling, and the engine then
    /// applies it a second time.
    pub fn set_raw(&mut self, raw: bool) {
        self.raw = raw;
    }

    /// Whether values are raw: without material scaling, endgame scaling, and damping by the 50-move clock.
    #[inline]
    pub fn is_raw(&self) -> bool {
        self.raw
    }

    /// Starts a path at `root`.
    pub fn reset(&mut self, root: &Position) {
        self.path.reset(root);
    }

    /// Follows a legal move that will be played from `before`, the position at the end of the path.
    ///
    /// # Panics
    ///
    /// If [`Evaluator::reset`] has not been called before.
    #[inline]
    pub fn push(&mut self, before: &Position, m: Move) {
        self.path.push(before, m);
    }

    /// Follows a null move.
    ///
    /// # Panics
    ///
    /// As [`Evaluator::push`].
    #[inline]
    pub fn push_null(&mut self) {
        self.path.push_null();
    }

    /// Takes back the last move, null or not.
    ///
    /// # Panics
    ///
    /// In builds with debug assertions, if no move is left to take back. In other builds the path
    /// is then gone, as before [`Evaluator::reset`].
    #[inline]
    pub fn pop(&mut self) {
        self.path.pop();
    }

    /// The value for the side to move in centipawns, within ±[`Score::MAX_EVAL`].
    ///
    /// `position` is the one at the end of the path. For any other, the value is meaningless. In check the
    /// value means little: evaluations are made for quiet positions.
    ///
    /// # Panics
    ///
    /// If [`Evaluator::reset`] has not been called before.
    #[inline]
    pub fn evaluate(&mut self, position: &Position) -> i32 {
        self.evaluate_into(position, &mut None)
    }

    /// As [`Evaluator::evaluate`]. Leaves what both sides attack in `maps`.
    #[inline]
    pub(crate) fn evaluate_into(&mut self, position: &Position, maps: &mut Option<AttackMaps>) -> i32 {
        let value = self.path.evaluate_into(position, maps.insert(AttackMaps::default()));
        let value = if self.raw { value } else { endings::scale(position, scaled_by_material(position, value)) };
        value.clamp(-Score::MAX_EVAL, Score::MAX_EVAL)
    }
}

/// A network's value, scaled by the material: an advantage is worth less the less there is left to win with, and less
/// again with bishops of opposite colours.
#[inline]
fn scaled_by_material(position: &Position, value: i32) -> i32 {
    let (board, points) = (position.board(), position.points());
    let value = value * (params::material_base() + params::material_slope() * points) / 1024;
    if !has_opposite_bishops(board) {
        value
    } else if board.rooks().is_empty() {
        value * params::opposite_bishops_alone() / 1024
    } else {
        value * params::opposite_bishops_rooks() / 1024
    }
}

/// Whether each side has one bishop, on squares that the other's cannot reach, and neither a queen nor a knight.
#[inline]
fn has_opposite_bishops(board: &Board) -> bool {
    let bishops = board.bishops();
    (board.queens() | board.knights()).is_empty()
        && bishops.count() == 2
        && (bishops & board.white()).count() == 1
        && (bishops & Bitboard::DARK_SQUARES).count() == 1
}

impl Default for Evaluator {
    fn default() -> Evaluator {
        Evaluator::new(&Network::embedded())
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::CastlingMode;

    use super::*;

    /// Rook against bishop: little material, and an ending that is mostly drawn, so both scalings act.
    #[test]
    fn raw_values_are_those_of_the_network_alone() {
        let network = Network::embedded();
        let position = Position::from_fen("8/8/4k3/8/4K3/8/3R4/b7 w - - 40 90", CastlingMode::Standard).unwrap();
        let mut alone = Accumulators::new(Arc::clone(&network));
        alone.reset(&position);
        let mut evaluator = Evaluator::new(&network);
        evaluator.reset(&position);
        let scaled = evaluator.evaluate(&position);
        evaluator.set_raw(true);
        let raw = evaluator.evaluate(&position);
        assert_eq!(raw, alone.evaluate(&position));
        assert_ne!(scaled, raw, "the scalings act on this ending");
    }

    #[test]
    fn opposite_bishops_reduce_an_advantage() {
        let value = |fen| {
            let position = Position::from_fen(fen, CastlingMode::Standard).expect("a position");
            [400, -400].map(|value| scaled_by_material(&position, value))
        };
        let [opposite, same] = ["8/3b1k2/8/3p4/3PP3/8/3BK3/8 w - - 0 1", "8/3b1k2/8/3p4/3PP3/8/3KB3/8 w - - 0 1"];
        let [[ahead, behind], [usual, _]] = [opposite, same].map(value);
        assert!(ahead == -behind && 0 < ahead && ahead < usual, "{ahead} {behind} {usual}");
        // Rooks leave more to play for; a queen or a knight leaves all of it.
        let [rooks, _] = value("3r4/3b1k2/8/3p4/3PP3/8/3BK3/3R4 w - - 0 1");
        assert!(ahead < rooks && rooks < usual, "{ahead} {rooks} {usual}");
        for (with, without) in [
            ("3n4/3b1k2/8/3p4/3PP3/8/3BK3/3N4 w - - 0 1", "3n4/3b1k2/8/3p4/3PP3/8/3KB3/3N4 w - - 0 1"),
            ("8/2bb1k2/8/3p4/3PP3/8/4K3/8 w - - 0 1", "8/1b1b1k2/8/3p4/3PP3/8/4K3/8 w - - 0 1"),
        ] {
            assert_eq!(value(with), value(without));
        }
    }
}
