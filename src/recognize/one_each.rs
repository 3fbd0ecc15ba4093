//! One piece against one piece or pawn.
//!
//! These endings are mostly tactics for a move or two and then a known result. The rules apply where no tactics are
//! left: in bounds where one side is out of danger, and in wins and draws where the tables know no exception. They
//! were found by searching our own tables for conjunctions of simple features without exceptions.

use shakmaty::{Bitboard, Square};

use super::clause::holds;
use super::view::{EndingView, Side, kings_apart, other};
use super::{Class, Verdict, progress};

/// Queen against pawn.
pub static QUEEN_PAWN: Class = Class {
    name: "queen against pawn",
    judge: |view| {
        let Some(duel) = Duel::new(view) else { return Verdict::Silence };
        let (queen, advance) = (duel.strong, duel.advance());
        let cornered = |side| Bitboard::CORNERS.contains(view.king(side));
        let far = view.weak_king.distance(duel.weak);
        match view.to_move {
            Side::Strong if !holds(!view.in_check(Side::Strong)) => Verdict::Silence,
            Side::Strong if holds(advance <= 5) => Verdict::Wins { progress: progress::hunt(view), moves: 13 },
            Side::Strong => Verdict::Holds(Side::Strong),
            Side::Weak if !holds(!view.attacks(Side::Weak, queen)) => Verdict::Silence,
            // The pawn is far from its king, or far from promotion and not lost to a stalemate trick.
            Side::Weak if holds(advance <= 6) && holds(far >= 4) && holds(!cornered(Side::Weak)) => {
                Verdict::Wins { progress: progress::hunt(view), moves: 13 }
            }
            Side::Weak if holds(advance <= 4) && holds(far >= 2) && holds(!duel.is_weak_hanging()) => {
                Verdict::Wins { progress: progress::hunt(view), moves: 13 }
            }
            Side::Weak if holds(advance <= 6) && holds(!cornered(Side::Strong)) => Verdict::Holds(Side::Strong),
            Side::Weak => Verdict::Silence,
        }
    },
};

/// Rook against pawn.
pub static ROOK_PAWN: Class = Class {
    name: "rook against pawn",
    judge: |view| {
        let Some(duel) = Duel::new(view) else { return Verdict::Silence };
        let (rook, pawn, advance) = (duel.strong, duel.weak, duel.advance());
        // The strong king on the pawn's file, between it and promotion.
        let before = view.strong_king.file() == pawn.file() && duel.rank_of(view.strong_king) > advance;
        let apart = kings_apart(view);
        match view.to_move {
            Side::Strong if holds(before) => Verdict::Wins { progress: progress::hunt(view), moves: 19 },
            Side::Strong if holds(advance <= 6) => Verdict::Holds(Side::Strong),
            Side::Strong => Verdict::Silence,
            Side::Weak if !holds(!view.attacks(Side::Weak, rook)) => Verdict::Silence,
            Side::Weak
                if holds(advance <= 4) && holds(apart) && holds(view.strong_king.distance(duel.promotion()) <= 3) =>
            {
                Verdict::Wins { progress: progress::hunt(view), moves: 19 }
            }
            Side::Weak if holds(advance <= 5) => Verdict::Holds(Side::Strong),
            Side::Weak => Verdict::Silence,
        }
    },
};

/// Bishop against pawn: the pawn's side is mated only in a corner, and the bishop stops a pawn that is far enough.
pub static BISHOP_PAWN: Class = Class {
    name: "bishop against pawn",
    judge: |view| {
        let Some(duel) = Duel::new(view) else { return Verdict::Silence };
        let (bishop, advance) = (duel.strong, duel.advance());
        let pawn_holds = holds(!Bitboard::CORNERS.contains(view.weak_king));
        // A king beside its own bishop can stand in the way.
        let bishop_holds = holds(view.strong_king.distance(bishop) >= 2)
            && match view.to_move {
                Side::Strong => holds(advance <= 4),
                Side::Weak => holds(advance <= 3) && holds(!view.attacks(Side::Weak, bishop)),
            };
        held(bishop_holds, pawn_holds)
    },
};

/// Knight against pawn: the pawn's side is mated only in a corner, or with its king blocked by the pawn.
pub static KNIGHT_PAWN: Class = Class {
    name: "knight against pawn",
    judge: |view| {
        let Some(duel) = Duel::new(view) else { return Verdict::Silence };
        let pawn_holds =
            holds(!Bitboard::CORNERS.contains(view.weak_king)) && holds(view.weak_king.distance(duel.weak) >= 2);
        held(false, pawn_holds)
    },
};

/// Queen against knight: to move, the queen wins unless she is forked.
pub static QUEEN_KNIGHT: Class = Class {
    name: "queen against knight",
    judge: |view| {
        let Some(duel) = Duel::new(view) else { return Verdict::Silence };
        match view.to_move {
            Side::Strong if holds(!view.in_check(Side::Strong)) => {
                Verdict::Wins { progress: progress::hunt(view), moves: 20 }
            }
            Side::Weak if holds(view.in_check(Side::Weak)) && holds(!view.attacks(Side::Weak, duel.strong)) => {
                Verdict::Wins { progress: progress::hunt(view), moves: 20 }
            }
            _ => Verdict::Holds(Side::Strong),
        }
    },
};

/// Queen against bishop: to move, the queen wins if neither she nor her king is attacked.
pub static QUEEN_BISHOP: Class = Class {
    name: "queen against bishop",
    judge: |view| {
        let Some(duel) = Duel::new(view) else { return Verdict::Silence };
        let calm = view.to_move == Side::Strong
            && holds(!view.in_check(Side::Strong))
            && holds(!view.attacks(Side::Weak, duel.strong));
        if calm { Verdict::Wins { progress: progress::hunt(view), moves: 16 } } else { Verdict::Holds(Side::Strong) }
    },
};

/// Queen against rook: to move, the queen wins if neither she nor her king is attacked.
pub static QUEEN_ROOK: Class = Class {
    name: "queen against rook",
    judge: |view| {
        let Some(duel) = Duel::new(view) else { return Verdict::Silence };
        if view.to_move == Side::Weak || !holds(!view.in_check(Side::Strong)) {
            Verdict::Silence
        } else if holds(!view.attacks(Side::Weak, duel.strong)) {
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
    judge: |view| {
        if Duel::new(view).is_none() {
            return Verdict::Silence;
        }
        let (us, them) = (view.to_move, other(view.to_move));
        let their_queen = view.force(them).first();
        // To move and not in check, only a mating threat is dangerous; a side that gives check and cannot lose its
        // queen is safe with its king off the edge.
        if holds(!view.in_check(us)) {
            if holds(kings_apart(view)) { Verdict::Holds(us) } else { Verdict::Silence }
        } else if their_queen.is_some_and(|queen| holds(!view.attacks(us, queen)))
            && holds(!Bitboard::EDGES.contains(view.king(them)))
        {
            Verdict::Holds(them)
        } else {
            Verdict::Silence
        }
    },
};

/// Rook against bishop: the rook never loses, and a bishop that holds beside a king off the edge draws.
pub static ROOK_BISHOP: Class = Class {
    name: "rook against bishop",
    judge: |view| {
        let Some(duel) = Duel::new(view) else { return Verdict::Silence };
        let bishop_holds = view.to_move == Side::Weak
            && holds(!view.in_check(Side::Weak))
            && holds(!duel.is_weak_hanging())
            && holds(!Bitboard::EDGES.contains(view.weak_king))
            && holds(kings_apart(view));
        held(true, bishop_holds)
    },
};

/// Rook against knight: the rook loses only with its king in a corner.
pub static ROOK_KNIGHT: Class = Class {
    name: "rook against knight",
    judge: |view| {
        if Duel::new(view).is_none() {
            return Verdict::Silence;
        }
        held(holds(!Bitboard::CORNERS.contains(view.strong_king)), false)
    },
};

/// Rook against rook.
pub static ROOK_EACH: Class = Class {
    name: "rook against rook",
    judge: |view| {
        if Duel::new(view).is_none() {
            return Verdict::Silence;
        }
        let (us, them) = (view.to_move, other(view.to_move));
        let their_rook = view.force(them).first();
        // To move, a side is in danger only from a check or a mating threat; not to move, from a skewer or a capture
        // too, against which a rook beside its king off the edge is safe.
        let we_hold = holds(!view.in_check(us)) && holds(kings_apart(view));
        let they_hold = their_rook.is_some_and(|rook| {
            holds(!view.attacks(us, rook))
                && holds(!Bitboard::EDGES.contains(view.king(them)))
                && holds(view.king(them).distance(rook) <= 2)
        });
        match (we_hold, they_hold) {
            (true, true) => Verdict::Draw,
            (true, false) => Verdict::Holds(us),
            (false, true) => Verdict::Holds(them),
            (false, false) => Verdict::Silence,
        }
    },
};

/// The two men that fight.
struct Duel<'a> {
    view: &'a EndingView<'a>,
    strong: Square,
    weak: Square,
}

impl<'a> Duel<'a> {
    /// The only man of each side; `None` where there are more.
    fn new(view: &'a EndingView<'a>) -> Option<Duel<'a>> {
        if !holds(view.one_each()) {
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
        (false, false) => Verdict::Silence,
    }
}
