//! Pawns, and pawns with a minor piece, against the lone king.
//!
//! One pawn is looked up in a table, and two pawns or a pawn and a piece win where the pawn alone would and nothing
//! is in its way. Any number of rook pawns and bishops draw against a king that cannot be driven from their corner.

use shakmaty::{Bitboard, File, Rank, Role, Square, attacks};

use super::clause::{fact, holds};
use super::lone_king::{is_guarded, lost_for_lone_king};
use super::view::{EndingView, Side};
use super::{Class, Verdict, progress, three_men, wrong_bishop};

/// One pawn: won or drawn, from the table. Two: won if one of them would win alone. More: the corner.
pub static PAWNS: Class = Class {
    name: "pawns against the lone king",
    verdict: |view| {
        let pawns = view.men(Side::Strong, Role::Pawn);
        let Some(first) = pawns.first() else { return Verdict::Unknown };
        if !pawns.more_than_one() {
            let wins = three_men::pawn_wins(view, view.to_move, view.weak_king, first);
            return if fact(wins, "the pawn wins, by the table of three men") {
                Verdict::Wins { progress: progress::pawn_and_king(view, first), moves: 28 }
            } else {
                Verdict::Draw
            };
        }
        if holds(pawns.count() == 2, "there are two pawns, no more")
            && won(view, |king| two_pawns_win(view, pawns, king))
        {
            return Verdict::Wins { progress: progress::mop_up(view), moves: 32 };
        }
        corner_fortress(view)
    },
};

/// Bishops and pawns: a rook pawn with the wrong bishop is looked up; else one of each is won if the pawn would win
/// alone and the bishop is not in its way; any number of them is drawn against a king in the corner that the bishops
/// cannot attack.
pub static BISHOPS_AND_PAWNS: Class = Class {
    name: "bishops and pawns against the lone king",
    verdict: |view| {
        let looked_up = wrong_bishop::wins(view);
        if let Some(wins) = looked_up {
            fact(wins, "rook pawn and wrong bishop win, by their table");
        }
        match looked_up {
            Some(true) => return Verdict::Wins { progress: progress::mop_up(view), moves: 31 },
            Some(false) => return Verdict::Draw,
            None => {}
        }
        let wins_against = |king: Square| {
            piece_and_pawn_win(view, king)
                && holds(!Bitboard::CORNERS.contains(king), "the lone king is not in a corner")
                || bishop_escorts_pawn(view, king)
        };
        if holds(view.force(Side::Strong).count() == 2, "there are one bishop and one pawn, no more")
            && won(view, wins_against)
        {
            return Verdict::Wins { progress: progress::mop_up(view), moves: 31 };
        }
        corner_fortress(view)
    },
};

/// Knight and pawn: won if the pawn would win alone and the knight is not in its way.
pub static KNIGHT_AND_PAWN: Class = Class {
    name: "knight and pawn against the lone king",
    verdict: |view| {
        let wins_against = |king: Square| {
            // A king right in front of a pawn on its last step is stalemated if the knight takes its other squares.
            let pawns = view.men(Side::Strong, Role::Pawn);
            let mut fronts =
                pawns.into_iter().map(|pawn| view.relative(pawn)).filter(|pawn| pawn.rank() == Rank::Seventh);
            let blocked = fronts.any(|pawn| pawn.offset(8) == Some(view.relative(king)));
            piece_and_pawn_win(view, king)
                && holds(!blocked, "the lone king is not directly in front of a pawn on its last step")
        };
        if holds(view.force(Side::Strong).count() == 2, "there are one knight and one pawn, no more")
            && won(view, wins_against)
        {
            Verdict::Wins { progress: progress::mop_up(view), moves: 28 }
        } else {
            Verdict::Unknown
        }
    },
};

/// Whether the strong side wins, given a rule for the king's squares against which it wins when it is to move.
fn won(view: &EndingView, wins_against: impl Fn(Square) -> bool) -> bool {
    match view.to_move {
        Side::Strong => wins_against(view.weak_king),
        Side::Weak => lost_for_lone_king(view, wins_against),
    }
}

/// Two pawns, the strong side to move; the lone king may just have taken one of them.
fn two_pawns_win(view: &EndingView, pawns: Bitboard, king: Square) -> bool {
    let left = pawns & !Bitboard::from(king);
    let alone = |pawn: Square| three_men::pawn_wins(view, Side::Strong, king, pawn);
    let winners = left.into_iter().filter(|&pawn| alone(pawn)).count();
    if fact(winners == left.count(), "each pawn would win alone, by the table of three men") {
        return true;
    }
    // A pawn that wins alone still wins if the other is not in its way and the king is not in a corner, where it
    // might be stalemated.
    let mut files = left.into_iter().map(Square::file);
    fact(winners > 0, "one of the pawns would win alone, by the table of three men")
        && holds(files.next() != files.next(), "the pawns are on different files")
        && holds(!Bitboard::CORNERS.contains(king), "the lone king is not in a corner")
}

/// A minor piece and a pawn, the strong side to move; the lone king may just have taken one of them.
fn piece_and_pawn_win(view: &EndingView, king: Square) -> bool {
    let pawn = view.men(Side::Strong, Role::Pawn) & !Bitboard::from(king);
    let piece = view.force(Side::Strong) & !view.men(Side::Strong, Role::Pawn) & !Bitboard::from(king);
    let Some(pawn) = pawn.first() else { return false };
    if !holds(
        three_men::pawn_wins(view, Side::Strong, king, pawn),
        "the pawn would win without the piece, by the table of three men",
    ) {
        return false;
    }
    let ahead =
        |square: Square| square.file() == pawn.file() && view.relative(square).rank() > view.relative(pawn).rank();
    // Without the piece, the table alone decides.
    piece.is_empty()
        || holds(!piece.into_iter().any(ahead), "the piece is not in front of the pawn on its file")
            && holds(
                king.distance(pawn) > 1 || is_guarded(view, pawn, king),
                "the lone king attacks no pawn that is not guarded",
            )
}

/// A bishop and a pawn of the four middle files, the strong side to move: they win unless the pawn can be stopped at
/// once; a bishop of either colour will do.
fn bishop_escorts_pawn(view: &EndingView, king: Square) -> bool {
    let bishop = view.men(Side::Strong, Role::Bishop) & !Bitboard::from(king);
    let pawn = view.men(Side::Strong, Role::Pawn) & !Bitboard::from(king);
    let (Some(bishop), Some(pawn)) = (bishop.first(), pawn.first()) else { return false };
    let ahead = bishop.file() == pawn.file() && view.relative(bishop).rank() > view.relative(pawn).rank();
    // The claim would be true without this, but the search resolves such positions better.
    let free = !ahead && (king.distance(bishop) > 1 || is_guarded(view, bishop, king));
    fact(free, "the bishop is not in the way of the pawn and cannot be taken")
        && holds(
            matches!(pawn.file(), File::C | File::D | File::E | File::F),
            "the pawn is on one of the four middle files",
        )
        && holds(
            king.distance(pawn) > 3 || is_guarded(view, pawn, king),
            "the pawn is guarded, or more than three squares from the lone king",
        )
}

/// The squares of this square's colour.
fn same_colour(square: Square) -> Bitboard {
    if square.is_dark() { Bitboard::DARK_SQUARES } else { Bitboard::LIGHT_SQUARES }
}

/// The corner where all pawns promote, if all are on one rook file.
fn corner_of_rook_pawns(view: &EndingView) -> Option<Square> {
    let pawns = view.men(Side::Strong, Role::Pawn);
    let pawn = pawns.first()?;
    let on_rook_file = holds(matches!(pawn.file(), File::A | File::H), "a pawn is on a rook file");
    let on_one_file = holds((pawns & !Bitboard::from(pawn.file())).is_empty(), "all pawns are on one file");
    let last = if view.relative(pawn) == pawn { Rank::Eighth } else { Rank::First };
    (on_rook_file && on_one_file).then(|| Square::from_coords(pawn.file(), last))
}

/// The wrong corner: all pawns on one rook file, no bishop of the promotion corner's colour, the lone king in the
/// corner or next to it. Drawn with any number of pawns and bishops, with either side to move.
///
/// Proof. Let the block be the corner and its three neighbours. The corner can be attacked only by the strong king,
/// from another square of the block: bishops are of the other colour, and pawns of that file attack only the file
/// beside it. While the lone king is in the block, that is illegal, because all squares of the block touch each
/// other. So a lone king beside the corner can always step into it, or take there what has just promoted; and in the
/// corner it is never in check and at worst stalemated.
///
/// Against two men, the lone king may still be on its way, if no enemy can get there before it.
fn corner_fortress(view: &EndingView) -> Verdict {
    let Some(corner) = corner_of_rook_pawns(view) else { return Verdict::Unknown };
    let drawn = holds(
        (view.men(Side::Strong, Role::Bishop) & same_colour(corner)).is_empty(),
        "no bishop commands the corner of promotion",
    ) && (holds(view.weak_king.distance(corner) <= 1, "the lone king is in that corner or beside it")
        || arrives_first(view, corner));
    if drawn { Verdict::Draw } else { Verdict::Unknown }
}

/// Whether the lone king is in the corner before the strong king stands beside it, and two moves before the pawn.
fn arrives_first(view: &EndingView, corner: Square) -> bool {
    let beside = attacks::king_attacks(corner) & !Bitboard::from(corner.file());
    let strong = beside.into_iter().map(|square| view.strong_king.distance(square)).min().unwrap_or(0);
    let king = view.weak_king.distance(corner) - u32::from(view.to_move == Side::Weak);
    let ranks = view.men(Side::Strong, Role::Pawn).into_iter().map(|pawn| view.relative(pawn).rank() as u32);
    // A pawn on its initial square may advance two squares at once.
    let steps = ranks.map(|rank| (7 - rank).min(5)).min().unwrap_or(0);
    holds(view.force(Side::Strong).count() <= 2, "there are no more than two men besides the kings")
        && holds(king < strong, "the lone king is in the corner before the other king is beside it")
        && holds(king + 2 <= steps, "the lone king is in the corner two moves before the pawn")
}
