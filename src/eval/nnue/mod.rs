//! The network: an efficiently updatable evaluation, learned from the engine's own games alone.
//!
//! 768 inputs (a piece of a colour on a square) are seen by each side in its own perspective: the board upside down
//! for Black, colours as "mine" and "theirs", and mirrored left to right when the own king stands on the files e to h.
//! Each of eight places of the own king (the king buckets) has its own 768. A piece other than a king sets one of 768
//! more while it is en prise: a lesser piece attacks it, or any piece while nothing defends it. Each kind of man that
//! attacks a man of the other side on a square sets one of 3840 for the first half of the hidden layer. One hidden layer (the
//! feature transformer), with the same weights for both perspectives, is followed by a squared clipped ReLU (SCReLU)
//! and by one of eight outputs (the output buckets), chosen by the number of men. The network is the whole evaluation.
//!
//! - `features`: which inputs a position has
//! - `format`: the file, and the units of its integers
//! - `network`: the weights in memory
//! - `accumulator`: the hidden layer before its activation, updated along the search's path
//! - `threats`: what the threats add to it
//! - `simd`: the arithmetic, a scalar reference and its twins for AVX2, AVX-512, NEON and WebAssembly
//!
//! Sources: Yu Nasu, "Efficiently Updatable Neural-Network-based Evaluation Functions for Computer Shogi" (2018); the
//! chess programming wiki's page "NNUE".

mod accumulator;
pub mod features;
pub mod format;
pub mod network;
pub mod simd;
mod threats;

pub use accumulator::Accumulators;
pub use format::NetworkError;
pub use network::{LoadError, Network};

#[cfg(test)]
mod tests;
