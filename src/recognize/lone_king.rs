//! A mating force against the lone king.
//!
//! Each rule is one statement about the strong side to move: "from here it always wins". With the lone king to move,
//! the position is then lost if it is not stalemate and every move leads to a position for which that statement
//! holds: this only looks one ply ahead.

use shakmaty::{Bitboard, Role, Square, attacks};

use super::clause::{fact, holds};
use super::view::{EndingView, Side};
use super::{Class, Verdict, bishop_knight, progress};

/// A queen or a rook, alone or with one other man: with the move, they always win.
pub static MAJORS: Class = Class {
    name: "queen or rook, with or without another man, against the lone king",
    verdict: |view| {
        let force = view.force(Side::Strong);
        if !holds(force.count() <= 2, "there are no more than two men besides the kings") {
            return Verdict::Unknown;
        }
        let majors = view.all(Role::Queen) | view.all(Role::Rook);
        if view.to_move == Side::Weak {
            // What is left after a capture must still be a queen or a rook.
            let keeps = |to: Square| {
                holds(
                    (majors & !Bitboard::from(to)).any(),
                    "a queen or a rook is left after each move of the lone king",
                )
            };
            if !lost_for_lone_king(view, keeps) {
                return Verdict::Unknown;
            }
        }
        // The longest mates; any force with a rook may come down to the rook alone.
        let moves = if view.all(Role::Rook).any() { 16 } else { 10 };
        Verdict::Wins { progress: progress::mop_up(view), moves }
    },
};

/// Two bishops of both colours (the caller has checked this): with the move, they win if neither can be taken.
pub fn two_bishops(view: &EndingView) -> Verdict {
    let bishops = view.force(Side::Strong);
    if !holds(bishops.count() <= 2, "there are no more than two bishops") {
        return Verdict::Unknown;
    }
    let wins_against = |king: Square| {
        !bishops.contains(king)
            && holds(nothing_hangs(view, king), "the lone king attacks no bishop that is not guarded")
    };
    let won = match view.to_move {
        Side::Strong => wins_against(view.weak_king),
        Side::Weak => lost_for_lone_king(view, wins_against),
    };
    if won { Verdict::Wins { progress: progress::mop_up(view), moves: 18 } } else { Verdict::Unknown }
}

/// Bishop and knight: the moves to every mate are known, and a position without a mate is drawn.
pub static BISHOP_AND_KNIGHT: Class = Class {
    name: "bishop and knight against the lone king",
    verdict: |view| {
        if !holds(view.force(Side::Strong).count() == 2, "there are one bishop and one knight, no more") {
            return Verdict::Unknown;
        }
        let mates_in = bishop_knight::mates_in(view);
        fact(mates_in.is_some(), "the table of bishop and knight has a mate for this position");
        match mates_in {
            Some(moves) => Verdict::Mates { moves },
            None => Verdict::Draw,
        }
    },
};

/// Whether the lone king, to move, is mated, or has only moves that leave the strong side winning.
pub fn lost_for_lone_king(view: &EndingView, wins_against: impl Fn(Square) -> bool) -> bool {
    let mut flights = view.flights().peekable();
    if !fact(
        flights.peek().is_some(),
        "the lone king is to move and has a move; what follows is checked after each of its moves",
    ) {
        return holds(view.in_check(Side::Weak), "the lone king is in check");
    }
    flights.all(wins_against)
}

/// Whether the lone king, standing on `king`, attacks no unguarded man.
fn nothing_hangs(view: &EndingView, king: Square) -> bool {
    let mut near = (attacks::king_attacks(king) & view.force(Side::Strong)).into_iter();
    near.all(|square| is_guarded(view, square, king))
}

/// Whether the strong side guards its man on this square, when the lone king stands on `king`.
pub fn is_guarded(view: &EndingView, square: Square, king: Square) -> bool {
    let occupied = view.occupied() & !Bitboard::from(view.weak_king) | Bitboard::from(king);
    view.attackers(square, Side::Strong, occupied).any()
}
