//! The static value of a position: what it is worth before anything is played.

pub mod classical;
pub mod endings;
pub mod nnue;

use std::sync::Arc;

use shakmaty::{Board, Move};

use crate::params;
use crate::position::Position;
use crate::score::Score;
use classical::PawnCache;
use nnue::{Accumulators, Network};

/// Which evaluation to use.
#[derive(Clone, Debug)]
pub enum Evaluation {
    /// The hand-written one.
    Classical,
    /// A network: alone, or on top of the hand-written evaluation, as its file says.
    Network(Arc<Network>),
}

impl Default for Evaluation {
    /// The network that the program carries, or else the hand-written evaluation.
    fn default() -> Evaluation {
        Network::embedded().map_or(Evaluation::Classical, Evaluation::Network)
    }
}

/// An evaluator with the memory of one search thread.
///
/// The search tells it the path that it walks, so that a network's hidden layer can be kept up to date move by move.
pub struct Evaluator {
    /// For the hand-written evaluation: alone, or under a network that learned what it gets wrong.
    pawns: Option<PawnCache>,
    network: Option<Box<Accumulators>>,
}

impl Evaluator {
    /// An evaluator of this kind that has seen nothing.
    pub fn new(evaluation: &Evaluation) -> Evaluator {
        match evaluation {
            Evaluation::Classical => Evaluator { pawns: Some(PawnCache::new()), network: None },
            Evaluation::Network(network) => Evaluator {
                pawns: network.is_residual().then(PawnCache::new),
                network: Some(Box::new(Accumulators::new(Arc::clone(network)))),
            },
        }
    }

    /// Starts a path at `root`.
    pub fn reset(&mut self, root: &Position) {
        if let Some(path) = &mut self.network {
            path.reset(root);
        }
    }

    /// Follows a move, to be played from `before`.
    #[inline]
    pub fn push(&mut self, before: &Position, m: Move) {
        if let Some(path) = &mut self.network {
            path.push(before, m);
        }
    }

    /// Follows a null move.
    #[inline]
    pub fn push_null(&mut self) {
        if let Some(path) = &mut self.network {
            path.push_null();
        }
    }

    /// Takes back the last move, null or not.
    #[inline]
    pub fn pop(&mut self) {
        if let Some(path) = &mut self.network {
            path.pop();
        }
    }

    /// The value for the side to move in centipawns, within ±[`Score::MAX_EVAL`]; not to be asked in check.
    #[inline]
    pub fn evaluate(&mut self, position: &Position) -> i32 {
        let learned = self.network.as_mut().map_or(0, |path| path.evaluate(position));
        let value = match &mut self.pawns {
            Some(pawns) => classical::evaluate_cached(position, pawns) + learned,
            None => by_material(position.board(), learned),
        };
        endings::temper(position, value).clamp(-Score::MAX_EVAL, Score::MAX_EVAL)
    }
}

/// A network's value in the light of the material: an advantage is worth less the less there is left to win with.
#[inline]
fn by_material(board: &Board, value: i32) -> i32 {
    let pawns_worth = board.pawns().count()
        + 3 * (board.knights() | board.bishops()).count()
        + 5 * board.rooks().count()
        + 9 * board.queens().count();
    value * (params::material_base() + params::material_slope() * pawns_worth as i32) / 1024
}

impl Default for Evaluator {
    fn default() -> Evaluator {
        Evaluator::new(&Evaluation::default())
    }
}
