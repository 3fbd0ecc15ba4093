//! Which class covers which material.
//!
//! Like the files of the classes, this one is compiled a second time for `explain.rs`.

use super::{Class, lone_king, minors, one_each, pawns};

// Which men a side has, as bits.
const NONE: usize = 0;
const P: usize = 1;
const N: usize = 2;
const B: usize = 4;
const R: usize = 8;
const Q: usize = 16;

/// The class for each pair of presence signatures (strong side, weak side).
pub(super) const REGISTRY: [(usize, usize, &Class); 30] = [
    (NONE, NONE, &minors::NO_MATE),
    (B, NONE, &minors::BISHOPS),
    (N, NONE, &minors::KNIGHTS),
    (B, B, &minors::MINOR_EACH),
    (B, N, &minors::MINOR_EACH),
    (N, N, &minors::MINOR_EACH),
    (Q, NONE, &lone_king::MAJORS),
    (R, NONE, &lone_king::MAJORS),
    (Q | R, NONE, &lone_king::MAJORS),
    (Q | B, NONE, &lone_king::MAJORS),
    (Q | N, NONE, &lone_king::MAJORS),
    (Q | P, NONE, &lone_king::MAJORS),
    (R | B, NONE, &lone_king::MAJORS),
    (R | N, NONE, &lone_king::MAJORS),
    (R | P, NONE, &lone_king::MAJORS),
    (B | N, NONE, &lone_king::BISHOP_AND_KNIGHT),
    (P, NONE, &pawns::PAWNS),
    (B | P, NONE, &pawns::BISHOPS_AND_PAWNS),
    (N | P, NONE, &pawns::KNIGHT_AND_PAWN),
    (Q, P, &one_each::QUEEN_PAWN),
    (R, P, &one_each::ROOK_PAWN),
    (B, P, &one_each::BISHOP_PAWN),
    (N, P, &one_each::KNIGHT_PAWN),
    (Q, N, &one_each::QUEEN_KNIGHT),
    (Q, B, &one_each::QUEEN_BISHOP),
    (Q, R, &one_each::QUEEN_ROOK),
    (R, B, &one_each::ROOK_BISHOP),
    (R, N, &one_each::ROOK_KNIGHT),
    (R, R, &one_each::ROOK_EACH),
    (Q, Q, &one_each::QUEEN_EACH),
];
