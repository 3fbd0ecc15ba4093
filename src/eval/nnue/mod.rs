//! The network: an efficiently updatable evaluation, learned from the engine's own games alone.
//!
//! 768 inputs (a piece of a colour on a square) are seen by each side in its own way: the board upside down for Black,
//! colours as "mine" and "theirs", and mirrored left to right when the own king stands on the files e to h. A piece that
//! is en prise, attacked by a lesser one or undefended, sets one of 768 more. One hidden layer, shared by both views, is
//! followed by a squared clipped ReLU and by one of eight outputs, chosen by the number of pieces. A network is the whole
//! evaluation, or it corrects the hand-written one: then its output is added to that (the file says which; with few
//! games to learn from, the correction is the stronger).
//!
//! - `features`: which inputs a position has
//! - `network`: the weights, in a file and in memory
//! - `accumulator`: the hidden layer, kept up to date along the search's path
//! - `units`: what its integers count in
//! - `simd`: the arithmetic, a scalar reference and its twins for AVX2, AVX-512 and NEON
//!
//! Sources: Yu Nasu, "Efficiently Updatable Neural-Network-based Evaluation Functions for Computer Shogi" (2018); the
//! chess programming wiki's page "NNUE".

mod accumulator;
pub mod features;
pub mod network;
pub mod simd;
pub mod units;

pub use accumulator::Accumulators;
pub use network::{LoadError, Network, NetworkError};

#[cfg(test)]
mod tests;
