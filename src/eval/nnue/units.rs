//! What the network's integers count in.

/// The hidden layer's one, in integers.
pub const QA: i32 = 255;
/// The output layer's one, in integers.
pub const QB: i32 = 64;
/// Centipawns for an output of one.
pub const SCALE: i32 = 400;
