//! Lessons for the network from interior nodes of a search.
//!
//! A search of 500 nodes gives the network one score, that of its root. Every interior node has a bound or an exact
//! value too, which rests on its subtree. The generator of training data keeps the deepest value of each position;
//! play collects nothing. These are the positions that searches visit, and good play never reaches most of them.
//!
//! Idea: Veness, Silver, Uther and Blair, "Bootstrapping from Game Tree Search" (2009), where bounds teach too, each
//! in its own direction.

use std::collections::HashMap;

use shakmaty::Chess;

use crate::bound::Ibv;
use crate::position::{Game, Move};
use crate::search::state::{Node, Shared, ThreadData, ThreadResult};

/// Which nodes are lessons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LessonRule {
    /// The least depth.
    pub depth: i32,
    /// The fewest nodes in the node's subtree.
    pub nodes: u64,
    /// The highest 50-move clock, in plies: beyond, values are about the clock.
    pub clock: u16,
}

/// A position and the value that a search has found for it.
#[derive(Clone, Debug)]
pub struct Lesson {
    /// The position.
    pub chess: Chess,
    /// Its value for the side to move: a heuristic score, exact or a bound.
    pub value: Ibv,
    depth: i32,
}

impl Lesson {
    /// A lesson of depth 0.
    pub fn new(chess: Chess, value: Ibv) -> Lesson {
        Lesson { chess, value, depth: 0 }
    }
}

/// A search of one thread: what the threads share, the thread's data, the game, and the number of lines.
pub type LessonSearch = fn(&Shared<'_>, &mut ThreadData, &Game, usize) -> Option<ThreadResult>;

/// The lessons of the searches since the last [`Lessons::take`].
#[derive(Debug)]
pub struct Lessons {
    rule: LessonRule,
    /// The search that collects them.
    pub(crate) search: LessonSearch,
    found: HashMap<u64, Lesson>,
}

impl Lessons {
    /// No lessons yet.
    pub fn new(rule: LessonRule, search: LessonSearch) -> Lessons {
        Lessons { rule, search, found: HashMap::new() }
    }

    /// Takes all lessons out, with the keys of their positions, in a reproducible order.
    pub fn take(&mut self) -> Vec<(u64, Lesson)> {
        let mut lessons: Vec<_> = self.found.drain().collect();
        lessons.sort_unstable_by_key(|&(key, _)| key);
        lessons
    }

    /// Keeps what a node has found at `depth` with `nodes`, if that teaches a static evaluation something: the
    /// position is quiet, and the value is not a certainty.
    pub(in crate::search) fn offer(&mut self, node: &Node<'_>, value: Ibv, best: Option<Move>, depth: i32, nodes: u64) {
        let rule = self.rule;
        if depth < rule.depth
            || nodes < rule.nodes
            || node.in_check
            || best.is_some_and(Move::is_noisy)
            || value.score().is_decisive()
            || value.score().is_draw()
            || node.position.clock() > rule.clock
        {
            return;
        }
        let key = node.position.key();
        if self.found.get(&key).is_none_or(|known| known.depth < depth) {
            self.found.insert(key, Lesson { chess: node.position.to_chess(), value, depth });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Position;
    use crate::score::Score;
    use crate::search::state::{Conventions, level_node};
    use shakmaty::CastlingMode;

    const RULE: LessonRule = LessonRule { depth: 3, nodes: 50, clock: 60 };

    fn value(cp: i32) -> Ibv {
        Ibv::exact(Score::heuristic(cp))
    }

    #[test]
    fn the_deepest_value_of_a_position_is_kept() {
        let position = Position::startpos();
        let node = level_node(&position);
        let mut lessons = Lessons::new(RULE, |_, _, _, _| None);
        for (cp, depth) in [(10, 4), (20, 6), (30, 5)] {
            lessons.offer(&node, value(cp), None, depth, 100);
        }
        let taken = lessons.take();
        assert_eq!(taken.len(), 1);
        assert_eq!((taken[0].0, taken[0].1.value), (position.key(), value(20)));
        assert!(lessons.take().is_empty());
    }

    #[test]
    fn unsuitable_nodes_give_no_lessons() {
        let fen = |fen| Position::from_fen(fen, CastlingMode::Standard).unwrap();
        let quiet = fen("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1");
        let capture = *quiet.legal_moves().iter().find(|m| m.is_capture()).unwrap();
        let (check, late) = (fen("4k3/8/8/8/8/8/4r3/4K3 w - - 0 1"), fen("4k3/8/8/3p4/4P3/8/8/4K3 w - - 61 90"));
        let mut lessons = Lessons::new(RULE, |_, _, _, _| None);
        let node = level_node(&quiet);
        lessons.offer(&node, value(10), None, 2, 100);
        lessons.offer(&node, value(10), None, 5, 49);
        lessons.offer(&node, value(10), Some(capture), 5, 100);
        lessons.offer(&node, Ibv::exact(Score::mate_in(5)), None, 5, 100);
        lessons.offer(&node, Ibv::exact(Conventions::default().draws.draw(2)), None, 5, 100);
        lessons.offer(&level_node(&check), value(10), None, 5, 100);
        lessons.offer(&level_node(&late), value(10), None, 5, 100);
        assert!(lessons.take().is_empty());
        lessons.offer(&node, value(10), None, 3, 50);
        assert_eq!(lessons.take().len(), 1);
    }
}
