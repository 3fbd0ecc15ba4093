//! One piece against one piece or pawn.
//!
//! These endings are mostly tactics for a move or two and then a known result. The rules apply where no tactics are
//! left: as bounds where one side is out of danger, and as wins and draws where the tables have no exception. They
//! were found by searching our own tables for conjunctions of simple features without exceptions.

use shakmaty::{Bitboard, Square};

use super::clause::{fact, holds};
use super::view::{EndingView, Side, kings_apart, other};
use super::{Class, Verdict, progress};

/// Queen against pawn.
pub static QUEEN_PAWN: Class = Class {
    name: "queen against pawn",
    verdict: |view| {
        let Some(duel) = Duel::new(view) else { return Verdict::Unknown };
        let (queen, advance) = (duel.strong, duel.advance());
        let cornered = |side| Bitboard::CORNERS.contains(view.king(side));
        let far = view.weak_king.distance(duel.weak);
        match view.to_move {
            Side::Strong if !holds(!view.in_check(Side::Strong), "the side with the queen is not in check") => {
                Verdict::Unknown
            }
            Side::Strong if holds(advance <= 5, "the pawn has not passed its fifth rank") => {
                Verdict::Wins { progress: progress::hunt(view), moves: 13 }
            }
            Side::Strong => Verdict::Holds(Side::Strong),
            Side::Weak if !holds(!view.attacks(Side::Weak, queen), "the queen is not attacked") => Verdict::Unknown,
            // The pawn is far from its king, or far from promotion and not lost to a stalemate trick.
            Side::Weak
                if holds(advance <= 6, "the pawn has not passed its sixth rank")
                    && holds(far >= 4, "the pawn is at least four squares from its king")
                    && holds(!cornered(Side::Weak), "the king of the pawn is not in a corner") =>
            {
                Verdict::Wins { progress: progress::hunt(view), moves: 13 }
            }
            Side::Weak
                if holds(advance <= 4, "the pawn has not passed its fourth rank")
                    && holds(far >= 2, "the pawn is not beside its king")
                    && holds(!duel.is_weak_hanging(), "the pawn is guarded, or not attacked") =>
            {
                Verdict::Wins { progress: progress::hunt(view), moves: 13 }
            }
            Side::Weak
                if holds(advance <= 6, "the pawn has not passed its sixth rank")
                    && holds(!cornered(Side::Strong), "the king of the queen is not in a corner") =>
            {
                Verdict::Holds(Side::Strong)
            }
            Side::Weak => Verdict::Unknown,
        }
    },
};

/// Rook against pawn.
pub static ROOK_PAWN: Class = Class {
    name: "rook against pawn",
    verdict: |view| {
        let Some(duel) = Duel::new(view) else { return Verdict::Unknown };
        let (rook, pawn, advance) = (duel.strong, duel.weak, duel.advance());
        // The strong king on the pawn's file, between it and promotion.
        let before = view.strong_king.file() == pawn.file() && duel.rank_of(view.strong_king) > advance;
        let apart = kings_apart(view);
        match view.to_move {
            Side::Strong if holds(before, "the king of the rook is in front of the pawn, on its file") => {
                Verdict::Wins { progress: progress::hunt(view), moves: 19 }
            }
            Side::Strong if holds(advance <= 6, "the pawn has not passed its sixth rank") => {
                Verdict::Holds(Side::Strong)
            }
            Side::Strong => Verdict::Unknown,
            Side::Weak if !holds(!view.attacks(Side::Weak, rook), "the rook is not attacked") => Verdict::Unknown,
            Side::Weak
                if holds(advance <= 4, "the pawn has not passed its fourth rank")
                    && holds(apart, "the kings are more than two squares apart")
                    && holds(
                        view.strong_king.distance(duel.promotion()) <= 3,
                        "the king of the rook is within three moves of the square of promotion",
                    ) =>
            {
                Verdict::Wins { progress: progress::hunt(view), moves: 19 }
            }
            Side::Weak if holds(advance <= 5, "the pawn has not passed its fifth rank") => Verdict::Holds(Side::Strong),
            Side::Weak => Verdict::Unknown,
        }
    },
};

/// Bishop against pawn: the pawn's side is mated only in a corner, and the bishop stops a pawn that is far enough
/// away.
pub static BISHOP_PAWN: Class = Class {
    name: "bishop against pawn",
    verdict: |view| {
        let Some(duel) = Duel::new(view) else { return Verdict::Unknown };
        let (bishop, advance) = (duel.strong, duel.advance());
        let pawn_holds = holds(!Bitboard::CORNERS.contains(view.weak_king), "the king of the pawn is not in a corner");
        // A king beside its own bishop can stand in the way.
        let bishop_holds = holds(view.strong_king.distance(bishop) >= 2, "the bishop is not beside its king")
            && match view.to_move {
                Side::Strong => holds(advance <= 4, "the pawn has not passed its fourth rank"),
                Side::Weak => {
                    holds(advance <= 3, "the pawn has not passed its third rank")
                        && holds(!view.attacks(Side::Weak, bishop), "the bishop is not attacked")
                }
            };
        held(bishop_holds, pawn_holds)
    },
};

/// Knight against pawn: the pawn's side is mated only in a corner, or with its king blocked by the pawn.
pub static KNIGHT_PAWN: Class = Class {
    name: "knight against pawn",
    verdict: |view| {
        let Some(duel) = Duel::new(view) else { return Verdict::Unknown };
        let pawn_holds = holds(!Bitboard::CORNERS.contains(view.weak_king), "the king of the pawn is not in a corner")
            && holds(view.weak_king.distance(duel.weak) >= 2, "the pawn is not beside its king");
        held(false, pawn_holds)
    },
};

/// Queen against knight: with the move, the queen wins unless she is forked.
pub static QUEEN_KNIGHT: Class = Class {
    name: "queen against knight",
    verdict: |view| {
        let Some(duel) = Duel::new(view) else { return Verdict::Unknown };
        match view.to_move {
            Side::Strong
                if holds(!view.in_check(Side::Strong), "the side with the queen, to move, is not in check") =>
            {
                Verdict::Wins { progress: progress::hunt(view), moves: 20 }
            }
            Side::Weak
                if holds(view.in_check(Side::Weak), "the side with the knight, to move, is in check")
                    && holds(!view.attacks(Side::Weak, duel.strong), "the queen is not attacked") =>
            {
                Verdict::Wins { progress: progress::hunt(view), moves: 20 }
            }
            _ => Verdict::Holds(Side::Strong),
        }
    },
};

/// Queen against bishop: with the move, the queen wins if neither she nor her king is attacked.
pub static QUEEN_BISHOP: Class = Class {
    name: "queen against bishop",
    verdict: |view| {
        let Some(duel) = Duel::new(view) else { return Verdict::Unknown };
        let calm = fact(view.to_move == Side::Strong, "the side with the queen is to move")
            && holds(!view.in_check(Side::Strong), "the side with the queen is not in check")
            && holds(!view.attacks(Side::Weak, duel.strong), "the queen is not attacked");
        if calm { Verdict::Wins { progress: progress::hunt(view), moves: 16 } } else { Verdict::Holds(Side::Strong) }
    },
};

/// Queen against rook: with the move, the queen wins if neither she nor her king is attacked.
pub static QUEEN_ROOK: Class = Class {
    name: "queen against rook",
    verdict: |view| {
        let Some(duel) = Duel::new(view) else { return Verdict::Unknown };
        if !fact(view.to_move == Side::Strong, "the side with the queen is to move")
            || !holds(!view.in_check(Side::Strong), "the side with the queen is not in check")
        {
            Verdict::Unknown
        } else if holds(!view.attacks(Side::Weak, duel.strong), "the queen is not attacked") {
            let progress = progress::queen_against_rook(view.strong_king, view.weak_king, duel.weak);
            Verdict::Wins { progress, moves: 35 }
        } else {
            Verdict::Holds(Side::Strong)
        }
    },
};

/// Queen against queen.
pub static QUEEN_EACH: Class = Class {
    name: "queen against queen",
    verdict: |view| {
        if Duel::new(view).is_none() {
            return Verdict::Unknown;
        }
        let (us, them) = (view.to_move, other(view.to_move));
        let their_queen = view.force(them).first();
        // For a side to move that is not in check, only a mating threat is dangerous; a side that gives check and
        // cannot lose its queen is safe with its king off the edge.
        if holds(!view.in_check(us), "the side to move is not in check") {
            if holds(kings_apart(view), "the kings are more than two squares apart") {
                Verdict::Holds(us)
            } else {
                Verdict::Unknown
            }
        } else if their_queen
            .is_some_and(|queen| holds(!view.attacks(us, queen), "the queen of the other side is not attacked"))
            && holds(!Bitboard::EDGES.contains(view.king(them)), "the king of the other side is not on the edge")
        {
            Verdict::Holds(them)
        } else {
            Verdict::Unknown
        }
    },
};

/// Rook against bishop: the rook never loses. The bishop, to move, draws if it is safe, its king is neither in check
/// nor on the edge, and the kings are apart.
pub static ROOK_BISHOP: Class = Class {
    name: "rook against bishop",
    verdict: |view| {
        let Some(duel) = Duel::new(view) else { return Verdict::Unknown };
        let bishop_holds = fact(view.to_move == Side::Weak, "the side with the bishop is to move")
            && holds(!view.in_check(Side::Weak), "the side with the bishop is not in check")
            && holds(!duel.is_weak_hanging(), "the bishop is guarded, or not attacked")
            && holds(!Bitboard::EDGES.contains(view.weak_king), "the king of the bishop is not on the edge")
            && holds(kings_apart(view), "the kings are more than two squares apart");
        held(true, bishop_holds)
    },
};

/// Rook against knight: the rook loses only with its king in a corner.
pub static ROOK_KNIGHT: Class = Class {
    name: "rook against knight",
    verdict: |view| {
        if Duel::new(view).is_none() {
            return Verdict::Unknown;
        }
        held(holds(!Bitboard::CORNERS.contains(view.strong_king), "the king of the rook is not in a corner"), false)
    },
};

/// Rook against rook.
pub static ROOK_EACH: Class = Class {
    name: "rook against rook",
    verdict: |view| {
        if Duel::new(view).is_none() {
            return Verdict::Unknown;
        }
        let (us, them) = (view.to_move, other(view.to_move));
        let their_rook = view.force(them).first();
        // The side to move is in danger only from a check or a mating threat; the other side also from a skewer or a
        // capture, against which a rook beside its king off the edge is safe.
        let we_hold = holds(!view.in_check(us), "the side to move is not in check")
            && holds(kings_apart(view), "the kings are more than two squares apart");
        let they_hold = their_rook.is_some_and(|rook| {
            holds(!view.attacks(us, rook), "the rook of the other side is not attacked")
                && holds(!Bitboard::EDGES.contains(view.king(them)), "the king of the other side is not on the edge")
                && holds(
                    view.king(them).distance(rook) <= 2,
                    "the king of the other side is within two squares of its rook",
                )
        });
        match (we_hold, they_hold) {
            (true, true) => Verdict::Draw,
            (true, false) => Verdict::Holds(us),
            (false, true) => Verdict::Holds(them),
            (false, false) => Verdict::Unknown,
        }
    },
};

/// The two men that oppose each other.
struct Duel<'a> {
    view: &'a EndingView<'a>,
    strong: Square,
    weak: Square,
}

impl<'a> Duel<'a> {
    /// The only man of each side; `None` where there are more.
    fn new(view: &'a EndingView<'a>) -> Option<Duel<'a>> {
        if !holds(view.one_each(), "each side has one man besides its king") {
            return None;
        }
        Some(Duel { view, strong: view.force(Side::Strong).first()?, weak: view.force(Side::Weak).first()? })
    }

    /// A square's rank as the weak side sees it, 1 to 8.
    fn rank_of(&self, square: Square) -> u32 {
        8 - self.view.relative(square).rank() as u32
    }

    /// The weak pawn's rank as its side sees it, 2 to 7.
    fn advance(&self) -> u32 {
        self.rank_of(self.weak)
    }

    /// Where the weak pawn promotes.
    fn promotion(&self) -> Square {
        let last =
            if self.view.relative(self.weak) == self.weak { shakmaty::Rank::First } else { shakmaty::Rank::Eighth };
        Square::from_coords(self.weak.file(), last)
    }

    /// Whether the weak man is attacked and not guarded.
    fn is_weak_hanging(&self) -> bool {
        self.view.attacks(Side::Strong, self.weak) && !self.view.attacks(Side::Weak, self.weak)
    }
}

fn held(strong: bool, weak: bool) -> Verdict {
    match (strong, weak) {
        (true, true) => Verdict::Draw,
        (true, false) => Verdict::Holds(Side::Strong),
        (false, true) => Verdict::Holds(Side::Weak),
        (false, false) => Verdict::Unknown,
    }
}
