//! The reasons of a class's verdict: the conditions that it checks, in words.
//!
//! The search must not pay for explanations. Therefore the files of the classes are compiled a second time, below
//! this module, with a `holds` that records. The code that the search runs stays as it is, and an explanation cannot
//! differ from it, because both come from the same source.

use shakmaty::Color;

use super::view::EndingView;
use super::{
    Class, IN_TIME, NO_CASTLING, Verdict, bishop_knight, class_index, is_in_time, may_have_class, progress, three_men,
    view, wrong_bishop,
};
use crate::position::{Board, Position};

#[path = "lone_king.rs"]
#[expect(clippy::duplicate_mod, reason = "compiled again with clauses that record")]
mod lone_king;
#[path = "minors.rs"]
#[expect(clippy::duplicate_mod, reason = "compiled again with clauses that record")]
mod minors;
#[path = "one_each.rs"]
#[expect(clippy::duplicate_mod, reason = "compiled again with clauses that record")]
mod one_each;
#[path = "pawns.rs"]
#[expect(clippy::duplicate_mod, reason = "compiled again with clauses that record")]
mod pawns;
#[path = "registry.rs"]
#[expect(clippy::duplicate_mod, reason = "its classes are those that record")]
mod registry;

/// A condition that a class has checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Condition {
    /// The condition in words.
    pub words: &'static str,
    /// Whether it holds; if it was checked for several moves, whether it holds for all of them.
    pub holds: bool,
}

/// The conditions that the class of this material checks, in its order; `None` if there is no class.
pub fn conditions(position: &Position) -> Option<Vec<Condition>> {
    let board = position.board();
    class_index(board)?;
    // If these two hold, an explanation need not name them.
    let always = [
        Condition { words: "there are no more than four men, or a king is alone", holds: may_have_class(position) },
        Condition { words: NO_CASTLING, holds: position.castling().is_empty() },
    ];
    if let Some(&failed) = always.iter().find(|condition| !condition.holds) {
        return Some(vec![failed]);
    }
    let (verdict, mut conditions) = recorded_verdict(board, position.turn())?;
    if let Verdict::Wins { moves, .. } | Verdict::Mates { moves } = verdict {
        conditions.push(Condition { words: IN_TIME, holds: is_in_time(position.clock(), moves) });
    }
    Some(conditions)
}

/// The verdict of the class, as [`super::verdict`], and what it checked.
fn recorded_verdict(board: &Board, turn: Color) -> Option<(Verdict, Vec<Condition>)> {
    let (strong, entry) = class_index(board)?;
    let (_, _, class) = registry::REGISTRY[entry];
    let view = EndingView::new(board, turn, strong)?;
    Some(clause::recorded(|| (class.verdict)(&view)))
}

/// Replaces the search's module of this name, which the classes use as `super::clause`.
mod clause {
    use std::cell::RefCell;

    use super::Condition;

    thread_local! {
        static RECORDED: RefCell<Vec<Condition>> = const { RefCell::new(Vec::new()) };
    }

    pub fn holds(condition: bool, words: &'static str) -> bool {
        RECORDED.with_borrow_mut(|recorded| match recorded.iter_mut().find(|known| known.words == words) {
            Some(known) => known.holds &= condition,
            None => recorded.push(Condition { words, holds: condition }),
        });
        condition
    }

    pub fn fact(condition: bool, words: &'static str) -> bool {
        holds(condition, words)
    }

    /// Runs `work` and returns the conditions that it checked.
    pub fn recorded<T>(work: impl FnOnce() -> T) -> (T, Vec<Condition>) {
        RECORDED.with_borrow_mut(Vec::clear);
        let result = work();
        (result, RECORDED.with_borrow_mut(std::mem::take))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::notation::read_fen;
    use crate::retrograde::tests::some_tables;

    fn checked(fen: &str) -> Vec<Condition> {
        conditions(&read_fen(fen).expect("a position")).expect("a class")
    }

    fn last(fen: &str) -> (&'static str, bool) {
        let checked = checked(fen);
        checked.last().map(|last| (last.words, last.holds)).expect("a condition")
    }

    /// The registry of this module holds the same names at the same places, so what it explains is the same class.
    #[test]
    fn explained_classes_match_the_search() {
        for ((strong, weak, class), (s, w, search)) in registry::REGISTRY.iter().zip(crate::recognize::REGISTRY) {
            assert_eq!((*strong, *weak, class.name), (s, w, search.name));
        }
    }

    /// The table of bishop and knight keeps levels of moves, so a claim may be up to two moves too high.
    #[test]
    fn a_mate_is_claimed_within_a_number_of_moves() {
        let claim = crate::recognize::claim(&read_fen("1k6/3B4/NK6/8/8/8/8/8 b - - 0 1").expect("a position"));
        assert_eq!(claim.expect("a class").text, "White mates within 2 moves");
    }

    #[test]
    fn explanations_agree_with_the_verdicts() {
        let mut seen = 0_u32;
        for table in some_tables().iter() {
            table.for_each(|board, turn, _| {
                seen += 1;
                if seen.is_multiple_of(97) {
                    let board = &board.into();
                    let searched = crate::recognize::verdict(board, turn).map(|(_, verdict)| verdict);
                    let explained = recorded_verdict(board, turn).map(|(verdict, _)| verdict);
                    assert_eq!(explained, searched, "{board} {turn}");
                }
            });
        }
        assert!(seen > 1_000_000, "{seen}");
    }

    #[test]
    fn the_condition_that_decides_comes_last() {
        // The bishop is in front of the pawn, on its file.
        assert_eq!(last("8/8/B7/1P6/4K3/8/8/6k1 w - - 99 1"), (IN_TIME, false));
        // Queen against bishop: the queen is attacked.
        assert_eq!(last("8/8/8/3b4/8/1k6/8/K6Q w - - 0 1"), ("the queen is not attacked", false));
        // Rook against pawn: the rook's king is in front of the pawn.
        let before = ("the king of the rook is in front of the pawn, on its file", true);
        assert!(checked("8/8/8/3p3k/8/8/3K4/R7 w - - 0 1").contains(&Condition { words: before.0, holds: before.1 }));
        assert_eq!(last("8/8/8/8/8/3k4/8/R3K3 w Q - 0 1"), (NO_CASTLING, false));
        assert_eq!(conditions(&Position::startpos()), None);
    }
}
