//! Extensions: singular extensions, with multi-cut and negative extensions, and the check extension.
//!
//! Source: Anantharaman, Campbell and Hsu, "Singular Extensions" (1988); multi-cut after Björnsson and Marsland (1999).

use std::ops::ControlFlow;

use crate::bound::{Bound, Ibv};
use crate::params;
use crate::position::{Move, Position};
use crate::score::Score;
use crate::search::state::{Node, NodeResult, Search};

impl<const PLAY: bool> Search<'_, PLAY> {
    /// The extension of a move, in plies. Breaks with the node's result if several moves cause a beta cutoff
    /// (multi-cut), or if the search was aborted.
    ///
    /// Only the TT move is extended: if all other moves fail low well below its value, it is singular.
    #[inline(always)]
    pub(in crate::search) fn singular_extension(&mut self, node: &Node<'_>, m: Move) -> ControlFlow<NodeResult, i32> {
        let Some(tt_score) =
            node.tt.value.filter(|_| node.tt_move == Some(m)).and_then(|value| self.to_exceed(node, value))
        else {
            return ControlFlow::Continue(0);
        };
        let &Node { position, ply, depth, .. } = node;
        let margin = params::singular_margin() + if node.was_pv && !node.pv { params::singular_was_pv() } else { 0 };
        let singular_beta = tt_score.offset(-(margin * depth / 16));
        self.stack_mut(ply).excluded = Some(m.packed());
        let reduced = (depth - 1) * params::singular_share() / 1024;
        let result =
            self.search_node::<false>(position, singular_beta.below(), singular_beta, reduced, ply, node.cut_node);
        self.stack_mut(ply).excluded = None;
        let Some(others) = result else { return ControlFlow::Break(None) };
        if others.cuts(singular_beta) {
            return when_not_singular(node, tt_score, others);
        }
        ControlFlow::Continue(plies_of_singular(node, m, singular_beta.cp() - others.score().cp()))
    }

    /// The score of the TT's move that all others must fail to reach; `None` if the TT's value says too little.
    #[inline(always)]
    fn to_exceed(&self, node: &Node<'_>, value: Ibv) -> Option<Score> {
        let may_be_singular = self.may_extend(node.ply)
            && node.excluded.is_none()
            && node.depth >= params::singular_depth() + i32::from(node.was_pv)
            && value.bound() != Bound::Upper
            && !value.score().is_decisive()
            && node.tt.depth >= node.depth - params::singular_tt_depth();
        may_be_singular.then(|| value.score())
    }

    /// The check extension of a move, in plies: a check that loses nothing is searched a ply deeper. `child` is the
    /// position after the move.
    #[inline(always)]
    pub(in crate::search) fn check_extension(&self, node: &Node<'_>, m: Move, child: &Position) -> i32 {
        i32::from(child.in_check() && self.may_extend(node.ply) && node.position.see_at_least(m, 0))
    }

    /// Whether moves at this ply may be searched deeper than others: not where extensions could explode.
    #[inline(always)]
    fn may_extend(&self, ply: usize) -> bool {
        self.rules().pruning && ply < params::EXTENSION_LIMIT * self.root.depth as usize
    }
}

/// The extension of a singular move, in plies, by how far below the margin all others fall, in centipawns.
#[inline(always)]
fn plies_of_singular(node: &Node<'_>, m: Move, gap: i32) -> i32 {
    if node.pv || gap <= params::singular_double() {
        1
    } else if gap <= params::singular_triple() || m.is_noisy() {
        2
    } else {
        3
    }
}

/// Another move is as good: a multi-cut if it beats beta, too, or else a negative extension, in plies.
#[inline(always)]
fn when_not_singular(node: &Node<'_>, tt_score: Score, others: Ibv) -> ControlFlow<NodeResult, i32> {
    if !node.pv && others.cuts(node.beta) && !others.score().is_decisive() {
        return ControlFlow::Break(Some(others.force_lower()));
    }
    ControlFlow::Continue(if tt_score >= node.beta {
        -params::singular_less_high()
    } else if node.cut_node {
        -params::singular_less_cut()
    } else {
        0
    })
}

#[cfg(test)]
mod tests {
    use shakmaty::CastlingMode;

    use super::*;
    use crate::search::state::level_node;

    fn position() -> Position {
        let fen = "r2q1rk1/ppp1bppp/2n1bn2/3p4/3P4/2NBBN2/PPP2PPP/R2Q1RK1 w - - 0 9";
        Position::from_fen(fen, CastlingMode::Standard).expect("a position")
    }

    #[test]
    fn the_more_singular_a_move_the_deeper() {
        let position = position();
        let [quiet, capture] = ["a2a3", "d3h7"].map(|text| position.parse_move(text).expect("a legal move"));
        let node = level_node(&position);
        let (double, triple) = (params::singular_double(), params::singular_triple());
        let gaps = [1, double, double + 1, triple, triple + 1];
        assert_eq!(gaps.map(|gap| plies_of_singular(&node, quiet, gap)), [1, 1, 2, 2, 3]);
        assert_eq!(gaps.map(|gap| plies_of_singular(&node, capture, gap)), [1, 1, 2, 2, 2]);
        let pv = Node { pv: true, ..level_node(&position) };
        assert_eq!(gaps.map(|gap| plies_of_singular(&pv, quiet, gap)), [1; 5]);
    }

    #[test]
    fn several_good_moves_cut_or_take_plies_off() {
        let position = position();
        let node = level_node(&position);
        let (alpha, beta) = (node.alpha, node.beta);
        let plies = |node: &Node<'_>, tt_score, others| match when_not_singular(node, tt_score, others) {
            ControlFlow::Continue(plies) => Some(plies),
            ControlFlow::Break(_) => None,
        };
        let cut = when_not_singular(&node, beta, Ibv::exact(beta.offset(50)));
        assert_eq!(cut, ControlFlow::Break(Some(Ibv::lower(beta.offset(50)))), "multi-cut");
        let mate = Ibv::exact(Score::mate_in(9));
        assert_eq!(plies(&node, beta, mate), Some(-params::singular_less_high()), "a mate is no cutoff");
        let low = Ibv::lower(alpha);
        let pv = Node { pv: true, ..level_node(&position) };
        assert_eq!(plies(&pv, beta, Ibv::lower(beta)), Some(-params::singular_less_high()), "in a PV node");
        assert_eq!(plies(&node, beta, low), Some(-params::singular_less_high()));
        assert_eq!(plies(&node, alpha, low), Some(0));
        let cut_node = Node { cut_node: true, ..level_node(&position) };
        assert_eq!(plies(&cut_node, alpha, low), Some(-params::singular_less_cut()));
    }
}
