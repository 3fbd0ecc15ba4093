//! The static value of a position: what it is worth before anything is played.

pub mod classical;
pub mod drawish;
pub mod nnue;

use std::sync::Arc;

use shakmaty::Move;

use crate::position::Position;
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

/// An evaluator with the memory of one search thread.
///
/// The search tells it the path that it walks, so that a network's hidden layer can be kept up to date move by move.
pub struct Evaluator(Kind);

enum Kind {
    Classical(PawnCache),
    Network(Box<Accumulators>),
}

impl Evaluator {
    /// An evaluator of this kind that has seen nothing.
    pub fn new(evaluation: &Evaluation) -> Evaluator {
        Evaluator(match evaluation {
            Evaluation::Classical => Kind::Classical(PawnCache::new()),
            Evaluation::Network(network) => Kind::Network(Box::new(Accumulators::new(Arc::clone(network)))),
        })
    }

    /// Starts a path at `root`.
    pub fn reset(&mut self, root: &Position) {
        if let Kind::Network(path) = &mut self.0 {
            path.reset(root);
        }
    }

    /// Follows a move, to be played from `before`.
    #[inline]
    pub fn push(&mut self, before: &Position, m: Move) {
        if let Kind::Network(path) = &mut self.0 {
            path.push(before, m);
        }
    }

    /// Follows a null move.
    #[inline]
    pub fn push_null(&mut self) {
        if let Kind::Network(path) = &mut self.0 {
            path.push_null();
        }
    }

    /// Takes back the last move, null or not.
    #[inline]
    pub fn pop(&mut self) {
        if let Kind::Network(path) = &mut self.0 {
            path.pop();
        }
    }

    /// The value for the side to move in centipawns, within ±[`Score::MAX_EVAL`](crate::score::Score::MAX_EVAL); not
    /// to be asked in check.
    #[inline]
    pub fn evaluate(&mut self, position: &Position) -> i32 {
        let value = match &mut self.0 {
            Kind::Classical(pawns) => classical::evaluate_cached(position, pawns),
            Kind::Network(path) => path.evaluate(position),
        };
        drawish::temper(position, value)
    }
}

impl Default for Evaluator {
    fn default() -> Evaluator {
        Evaluator::new(&Evaluation::default())
    }
}
