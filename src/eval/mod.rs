//! The static value of a position: what it is worth before anything is played.

pub mod classical;
pub mod endings;
mod material;
pub mod nnue;

use std::sync::Arc;

use shakmaty::Bitboard;

use crate::params;
use crate::position::attacks::AttackMaps;
use crate::position::{Board, Move, Position};
use crate::score::Score;
use classical::PawnCache;
use nnue::{Accumulators, Network};

/// Which evaluation to use.
#[derive(Clone, Debug)]
pub enum Evaluation {
    /// The hand-written one.
    Classical,
    /// A network.
    Network(Arc<Network>),
}

impl Default for Evaluation {
    /// The network that the program carries, or else the hand-written evaluation.
    fn default() -> Evaluation {
        Network::embedded().map_or(Evaluation::Classical, Evaluation::Network)
    }
}

/// An evaluator with the state that one search thread needs.
///
/// It follows the path of the search, so that a network's accumulator can be updated move by move: [`Evaluator::reset`]
/// begins a path, [`Evaluator::push`] and [`Evaluator::pop`] make it longer and shorter, and [`Evaluator::evaluate`]
/// takes the position at its end.
///
/// ```
/// use ibex::eval::Evaluator;
/// use ibex::position::Position;
///
/// let mut evaluator = Evaluator::default(); // the network that is built in, if one is
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
    kind: Kind,
    /// Whether values are those of the network or of the hand-written evaluation alone: see [`Evaluator::set_raw`].
    raw: bool,
}

/// What an evaluator keeps from node to node.
enum Kind {
    Classical(PawnCache),
    Network(Box<Accumulators>),
}

impl Evaluator {
    /// An evaluator of this kind, without a path: call [`Evaluator::reset`] first.
    pub fn new(evaluation: &Evaluation) -> Evaluator {
        let kind = match evaluation {
            Evaluation::Classical => Kind::Classical(PawnCache::new()),
            Evaluation::Network(network) => Kind::Network(Box::new(Accumulators::new(Arc::clone(network)))),
        };
        Evaluator { kind, raw: false }
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
        if let Kind::Network(path) = &mut self.kind {
            path.reset(root);
        }
    }

    /// Follows a legal move that will be played from `before`, the position at the end of the path.
    ///
    /// # Panics
    ///
    /// With a network, if [`Evaluator::reset`] has not been called before.
    #[inline]
    pub fn push(&mut self, before: &Position, m: Move) {
        if let Kind::Network(path) = &mut self.kind {
            path.push(before, m);
        }
    }

    /// Follows a null move.
    ///
    /// # Panics
    ///
    /// As [`Evaluator::push`].
    #[inline]
    pub fn push_null(&mut self) {
        if let Kind::Network(path) = &mut self.kind {
            path.push_null();
        }
    }

    /// Takes back the last move, null or not.
    ///
    /// # Panics
    ///
    /// In builds with debug assertions and with a network, if no move is left to take back. In other builds the path
    /// is then gone, as before [`Evaluator::reset`].
    #[inline]
    pub fn pop(&mut self) {
        if let Kind::Network(path) = &mut self.kind {
            path.pop();
        }
    }

    /// The value for the side to move in centipawns, within ±[`Score::MAX_EVAL`].
    ///
    /// `position` is the one at the end of the path. For any other, a network gives a meaningless value. In check the
    /// value means little: evaluations are made for quiet positions.
    ///
    /// # Panics
    ///
    /// With a network, if [`Evaluator::reset`] has not been called before.
    #[inline]
    pub fn evaluate(&mut self, position: &Position) -> i32 {
        self.evaluate_into(position, &mut None)
    }

    /// As [`Evaluator::evaluate`]. Leaves what both sides attack in `maps`, if the evaluation found that out.
    #[inline]
    pub(crate) fn evaluate_into(&mut self, position: &Position, maps: &mut Option<AttackMaps>) -> i32 {
        let value = match &mut self.kind {
            Kind::Classical(pawns) => classical::evaluate_cached(position, pawns),
            Kind::Network(path) => {
                let value = path.evaluate_into(position, maps.insert(AttackMaps::default()));
                if self.raw { value } else { scaled_by_material(position, value) }
            }
        };
        let value = if self.raw { value } else { endings::scale(position, value) };
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
        Evaluator::new(&Evaluation::default())
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::CastlingMode;

    use super::*;

    /// Rook against bishop: little material, and an ending that is mostly drawn, so both scalings act.
    #[test]
    fn raw_values_are_those_of_the_network_alone() {
        let Some(network) = Network::embedded() else {
            eprintln!("SKIPPED: no network is built in");
            return;
        };
        let position = Position::from_fen("8/8/4k3/8/4K3/8/3R4/b7 w - - 40 90", CastlingMode::Standard).unwrap();
        let mut alone = Accumulators::new(Arc::clone(&network));
        alone.reset(&position);
        let mut evaluator = Evaluator::new(&Evaluation::Network(network));
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
