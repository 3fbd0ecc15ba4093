//! What the evaluation's terms are worth: every number of it, by name.
//!
//! The numbers themselves are in [`values`](super::values), a file that the tuner writes.

use std::fmt::{self, Write};

use super::pair::S;

/// Declares the weights, with what the tuner needs: a walk over all of them in the order in which they lie in memory.
macro_rules! weights {
    ($($(#[$doc:meta])* $name:ident: $shape:ty,)*) => {
        /// The weights of the classical evaluation; see each for what one unit of it is.
        ///
        /// Squares are seen from the side that owns the piece, and files are folded, so that a and h are file 0 and
        /// d and e are file 3. Ranks count from 0. The fields lie in memory one after another without gaps.
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[repr(C)]
        pub struct Weights {
            $($(#[$doc])* pub $name: $shape,)*
        }

        impl Weights {
            /// Shows every pair to `visit`, in order of memory.
            pub fn for_each(&self, visit: &mut impl FnMut(S)) {
                $(self.$name.visit(visit);)*
            }

            /// Lets `change` replace every pair, in order of memory.
            pub fn change_each(&mut self, change: &mut impl FnMut(&mut S)) {
                $(self.$name.change(change);)*
            }

            /// Writes a constant expression for these weights, as `values.rs` holds it.
            ///
            /// # Errors
            ///
            /// Those of the writer.
            pub fn write_source(&self, out: &mut impl Write) -> fmt::Result {
                writeln!(out, "Weights {{")?;
                $(
                    write!(out, "    {}: ", stringify!($name))?;
                    self.$name.write(out, 1)?;
                    writeln!(out, ",")?;
                )*
                write!(out, "}}")
            }
        }
    };
}

weights! {
    /// A piece on the board: pawn, knight, bishop, rook, queen.
    material: [S; 5],
    /// A piece on its square: pawn to king; by folded file within each rank.
    squares: [[S; 32]; 6],
    /// A knight that can go to this many squares.
    knight_mobility: [S; 9],
    /// A bishop that can go to this many squares, through queens.
    bishop_mobility: [S; 14],
    /// A rook that can go to this many squares, through own rooks and queens.
    rook_mobility: [S; 15],
    /// A queen that can go to this many squares.
    queen_mobility: [S; 28],
    /// Two bishops or more.
    bishop_pair: S,
    /// A knight, times own pawns beyond five.
    knight_pawns: S,
    /// A rook, times own pawns beyond five.
    rook_pawns: S,
    /// A knight or bishop on ranks 4 to 6 where no pawn can ever attack it, protected by a pawn.
    outpost: [S; 2],
    /// A knight that can go to such a square.
    outpost_reach: S,
    /// A knight or bishop right behind a pawn.
    behind_pawn: S,
    /// A bishop, times own pawns on its colour.
    bishop_pawns: S,
    /// A bishop, times blocked central own pawns on its colour.
    bishop_blocked: S,
    /// A bishop that sees both central squares of its long diagonal.
    long_diagonal: S,
    /// A knight or bishop, times its distance from its own king.
    minor_far: [S; 2],
    /// A rook on a file without own pawns, without any pawns.
    rook_file: [S; 2],
    /// A rook on the seventh rank while there are pawns or the king behind.
    rook_seventh: S,
    /// A rook with little room, shut in by its own king.
    rook_trapped: S,
    /// A queen on which a bishop or rook looks through one piece.
    queen_pinned: S,
    /// A pawn without neighbours: with an enemy pawn before it on its file, without.
    isolated: [S; 2],
    /// A pawn with an own pawn somewhere before it on the file.
    doubled: S,
    /// A pawn that has fallen behind its neighbours and whose way on is guarded: file closed, open.
    backward: [S; 2],
    /// A pawn beside another, by rank.
    phalanx: [S; 8],
    /// A pawn that another protects, by rank.
    supported: [S; 8],
    /// A pawn that may become passed by exchanges, by rank.
    candidate: [S; 8],
    /// A passed pawn, by rank.
    passed: [S; 8],
    /// A passed pawn, times the distance of the enemy king from the square before it, by rank.
    passed_their_king: [S; 8],
    /// A passed pawn, times the distance of the own king from the square before it, by rank.
    passed_our_king: [S; 8],
    /// A passed pawn whose next square is occupied, by rank.
    passed_blocked: [S; 8],
    /// A passed pawn whose next square is not attacked, by rank.
    passed_safe: [S; 8],
    /// A passed pawn no square of whose way is attacked or occupied by the enemy, by rank.
    passed_clear: [S; 8],
    /// A passed pawn with an own rook or queen behind it.
    passed_backed: S,
    /// A passed pawn that the bare enemy king cannot catch.
    passed_runs: S,
    /// The own pawn that is nearest before the king, by its rank (0: none); on the king's file, beside it.
    shelter: [[S; 8]; 2],
    /// The enemy pawn that is nearest before the king, by its rank; free, blocked by a pawn.
    storm: [[S; 8]; 2],
    /// A king on a wing without pawns.
    bare_flank: S,
    /// Danger: an attacker of the squares around the king: knight, bishop, rook, queen.
    danger_attacker: [S; 4],
    /// Danger: an attack on a square around the king.
    danger_square: S,
    /// Danger: a square beside the king that is attacked and protected only by king or queen.
    danger_weak: S,
    /// Danger: a safe check by knight, bishop, rook, queen.
    danger_check: [S; 4],
    /// Danger: a check that can be answered by capture.
    danger_unsafe_check: S,
    /// Danger: squares of the king's wing under attack.
    danger_flank: S,
    /// Danger: squares of the king's wing under attack and protected.
    danger_flank_guarded: S,
    /// Danger: no queen attacks.
    danger_no_queen: S,
    /// Danger: always.
    danger_base: S,
    /// A pawn attacks a knight, bishop, rook, queen.
    pawn_threat: [S; 4],
    /// A knight or bishop attacks a pawn, knight, bishop, rook, queen; only pawns that no pawn protects.
    minor_threat: [S; 5],
    /// A rook attacks a pawn, knight, bishop, rook, queen that no pawn protects.
    rook_threat: [S; 5],
    /// The king attacks something that is not protected.
    king_threat: S,
    /// An attacked piece without protection.
    hanging: S,
    /// A pawn that can go safely where it attacks a piece.
    push_threat: S,
    /// A square that a knight, or slider, can go to safely, attacking the queen.
    queen_threat: [S; 2],
    /// Squares of the enemy's that are attacked and that it cannot use.
    restricted: S,
    /// A safe square in the own centre.
    space: S,
    /// Against a bare king: its distance from the centre.
    mop_edge: S,
    /// Against a bare king: the kings' nearness.
    mop_near: S,
    /// The right to move.
    tempo: S,
}

/// The number of pairs in [`Weights`].
pub const COUNT: usize = size_of::<Weights>() / size_of::<S>();

/// A pair, or an array of such.
trait Shape {
    fn visit(&self, visit: &mut impl FnMut(S));
    fn change(&mut self, change: &mut impl FnMut(&mut S));
    fn write(&self, out: &mut impl Write, depth: usize) -> fmt::Result;
}

impl Shape for S {
    fn visit(&self, visit: &mut impl FnMut(S)) {
        visit(*self);
    }

    fn change(&mut self, change: &mut impl FnMut(&mut S)) {
        change(self);
    }

    fn write(&self, out: &mut impl Write, _depth: usize) -> fmt::Result {
        write!(out, "{self:?}")
    }
}

impl<T: Shape, const N: usize> Shape for [T; N] {
    fn visit(&self, visit: &mut impl FnMut(S)) {
        self.iter().for_each(|part| part.visit(visit));
    }

    fn change(&mut self, change: &mut impl FnMut(&mut S)) {
        self.iter_mut().for_each(|part| part.change(change));
    }

    fn write(&self, out: &mut impl Write, depth: usize) -> fmt::Result {
        // Eight to a line: ranks by themselves, and two ranks of folded files.
        writeln!(out, "[")?;
        let indent = "    ".repeat(depth + 1);
        for (i, part) in self.iter().enumerate() {
            let nested = size_of::<T>() > size_of::<S>();
            if nested || i % 8 == 0 {
                write!(out, "{indent}")?;
            }
            part.write(out, depth + 1)?;
            out.write_str(if nested || i % 8 == 7 || i + 1 == N { ",\n" } else { ", " })?;
        }
        write!(out, "{}]", "    ".repeat(depth))
    }
}
