//! Minor pieces without pawns: what cannot mate, and what can mate only a king that has put itself in a corner.

use shakmaty::{Bitboard, Role};

use super::clause::{fact, holds};
use super::view::{Side, kings_apart};
use super::{Class, Verdict, lone_king};

/// King against king.
pub static NO_MATE: Class = Class { name: "kings alone", verdict: |_| Verdict::Draw };

/// Bishops against the lone king: one, or any number of one colour, cannot mate. Two of both colours can.
pub static BISHOPS: Class = Class {
    name: "bishops against the lone king",
    verdict: |view| {
        if holds(of_one_colour(view.all(Role::Bishop)), "all bishops are on squares of one colour") {
            Verdict::Draw
        } else {
            lone_king::two_bishops(view)
        }
    },
};

/// Knights against the lone king: one cannot mate, two can mate only a king on the edge, with their own king beside it.
pub static KNIGHTS: Class = Class {
    name: "knights against the lone king",
    verdict: |view| {
        let knights = view.men(Side::Strong, Role::Knight).count();
        let safe = holds(!Bitboard::EDGES.contains(view.weak_king), "the lone king is not on the edge")
            || holds(kings_apart(view), "the kings are more than two squares apart");
        if fact(knights == 1, "there is one knight")
            || (holds(knights <= 2, "there are no more than two knights") && safe)
        {
            Verdict::Draw
        } else {
            Verdict::Unknown
        }
    },
};

/// A minor piece each: bishops of one colour cannot mate; otherwise only a cornered king can be mated, its escape
/// blocked by its own piece, with the other king beside it.
pub static MINOR_EACH: Class = Class {
    name: "a minor piece each",
    verdict: |view| {
        let bishops = view.all(Role::Bishop);
        // Bishops of one colour attack no square of the other, so there is never a mate, however many they are.
        if holds(
            bishops == view.occupied() & !view.kings() && of_one_colour(bishops),
            "all men besides the kings are bishops on squares of one colour",
        ) {
            return Verdict::Draw;
        }
        let safe = holds((Bitboard::CORNERS & view.kings()).is_empty(), "no king is in a corner")
            || holds(kings_apart(view), "the kings are more than two squares apart");
        if holds(view.one_each(), "each side has one man besides its king") && safe {
            Verdict::Draw
        } else {
            Verdict::Unknown
        }
    },
};

/// Whether all these stand on squares of one colour.
pub fn of_one_colour(bishops: Bitboard) -> bool {
    (bishops & Bitboard::DARK_SQUARES).is_empty() || (bishops & Bitboard::LIGHT_SQUARES).is_empty()
}
