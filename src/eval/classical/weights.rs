//! The weights of the evaluation's terms, by name.
//!
//! The numbers themselves are in [`values`](super::values). They were fitted to the results of games by Texel's method.

use super::pair::S;

/// The weights of the classical evaluation; each field says what one unit of it is.
///
/// Squares are seen from the side that owns the piece, and files are folded: a and h are file 0, d and e file 3.
/// Ranks count from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weights {
    /// A piece on the board: pawn, knight, bishop, rook, queen.
    pub material: [S; 5],
    /// A piece on its square (piece-square tables): pawn to king; by folded file within each rank.
    pub squares: [[S; 32]; 6],
    /// A knight that can go to this many squares.
    pub knight_mobility: [S; 9],
    /// A bishop that can go to this many squares, through queens.
    pub bishop_mobility: [S; 14],
    /// A rook that can go to this many squares, through own rooks and queens.
    pub rook_mobility: [S; 15],
    /// A queen that can go to this many squares.
    pub queen_mobility: [S; 28],
    /// Two bishops or more.
    pub bishop_pair: S,
    /// A knight, times the own pawns beyond five.
    pub knight_pawns: S,
    /// A rook, times the own pawns beyond five.
    pub rook_pawns: S,
    /// A knight or bishop on ranks 4 to 6 where no pawn can ever attack it, protected by a pawn.
    pub outpost: [S; 2],
    /// A knight that can go to such a square.
    pub outpost_reach: S,
    /// A knight or bishop right behind a pawn.
    pub behind_pawn: S,
    /// A bishop, times own pawns on its colour.
    pub bishop_pawns: S,
    /// A bishop, times blocked central own pawns on its colour.
    pub bishop_blocked: S,
    /// A bishop that sees both central squares of its long diagonal.
    pub long_diagonal: S,
    /// A knight or bishop, times its distance from its own king.
    pub minor_far: [S; 2],
    /// A rook on a file: without own pawns, without any pawns.
    pub rook_file: [S; 2],
    /// A rook on the seventh rank while enemy pawns are on it or the enemy king is behind it.
    pub rook_seventh: S,
    /// A rook with little room, shut in by its own king.
    pub rook_trapped: S,
    /// A queen that a bishop or rook attacks through one piece.
    pub queen_pinned: S,
    /// An isolated pawn: with an enemy pawn in front of it on its file, without.
    pub isolated: [S; 2],
    /// A pawn with an own pawn anywhere in front of it on its file.
    pub doubled: S,
    /// A pawn that has fallen behind its neighbours and whose advance is guarded: file closed, open.
    pub backward: [S; 2],
    /// A pawn beside another, by rank.
    pub phalanx: [S; 8],
    /// A pawn that another protects, by rank.
    pub supported: [S; 8],
    /// A pawn that may become passed by exchanges, by rank.
    pub candidate: [S; 8],
    /// A passed pawn, by rank.
    pub passed: [S; 8],
    /// A passed pawn, times the distance of the enemy king from the square in front of it, by rank.
    pub passed_their_king: [S; 8],
    /// A passed pawn, times the distance of the own king from the square in front of it, by rank.
    pub passed_our_king: [S; 8],
    /// A passed pawn whose next square is occupied, by rank.
    pub passed_blocked: [S; 8],
    /// A passed pawn whose next square is not attacked, by rank.
    pub passed_safe: [S; 8],
    /// A passed pawn whose path has no square attacked or occupied by the enemy, by rank.
    pub passed_clear: [S; 8],
    /// A passed pawn with an own rook or queen behind it.
    pub passed_backed: S,
    /// A passed pawn that the bare enemy king cannot catch.
    pub passed_runs: S,
    /// The nearest own pawn in front of the king, by its rank (0: none); on the king's file, on a file beside it.
    pub shelter: [[S; 8]; 2],
    /// The nearest enemy pawn in front of the king, by its rank; free, blocked by a pawn.
    pub storm: [[S; 8]; 2],
    /// A king on a wing without pawns.
    pub bare_flank: S,
    /// Danger: an attacker of the squares around the king: knight, bishop, rook, queen.
    pub danger_attacker: [S; 4],
    /// Danger: an attack on a square around the king.
    pub danger_square: S,
    /// Danger: a square beside the king that is attacked and protected only by king or queen.
    pub danger_weak: S,
    /// Danger: a safe check by knight, bishop, rook, queen.
    pub danger_check: [S; 4],
    /// Danger: a check that can be answered by capture.
    pub danger_unsafe_check: S,
    /// Danger: squares of the king's wing under attack.
    pub danger_flank: S,
    /// Danger: squares of the king's wing under attack and protected.
    pub danger_flank_guarded: S,
    /// Danger: no queen attacks.
    pub danger_no_queen: S,
    /// Danger: always.
    pub danger_base: S,
    /// A pawn attacks a knight, bishop, rook, queen.
    pub pawn_threat: [S; 4],
    /// A knight or bishop attacks a pawn, knight, bishop, rook, queen: rooks and queens always, the others only where
    /// no pawn protects them, nor two men against one attacker.
    pub minor_threat: [S; 5],
    /// A rook attacks a pawn, knight, bishop, rook, queen: queens always, the others only where no pawn protects them,
    /// nor two men against one attacker.
    pub rook_threat: [S; 5],
    /// The king attacks something that is not protected.
    pub king_threat: S,
    /// An attacked piece without protection.
    pub hanging: S,
    /// A pawn that can safely go where it attacks a piece.
    pub push_threat: S,
    /// A square that a knight, or a slider, can safely go to, attacking the queen.
    pub queen_threat: [S; 2],
    /// Squares of the enemy that are attacked and that it cannot use.
    pub restricted: S,
    /// A safe square in the own centre.
    pub space: S,
    /// Against a bare king: its distance from the centre.
    pub mop_edge: S,
    /// Against a bare king: the kings' nearness.
    pub mop_near: S,
    /// The right to move.
    pub tempo: S,
}
