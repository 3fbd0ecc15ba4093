//! Late move reductions: how much less a late move is searched.
//!
//! The base is a curve in ln(depth)·ln(move number), adjusted by features of the node and the move.

use crate::bound::Ibv;
use crate::params;
use crate::position::{Move, Position};
use crate::search::ordering::history;
use crate::search::ordering::history::ContKeys;
use crate::search::state::{Candidate, Node, NodeResult, Search};

/// The greatest depth and move number that the curve distinguishes.
const LAST: usize = 63;

/// 1024·ln(n) by n; 0 for n = 0.
const LOGARITHMS: [i32; LAST + 1] = {
    let mut logarithms = [0; LAST + 1];
    let mut n = 1;
    while n <= LAST {
        logarithms[n] = ln_1024(n as u32);
        n += 1;
    }
    logarithms
};

impl<const PLAY: bool> Search<'_, PLAY> {
    /// Searches the child after a late move with a null window at reduced depth and, if it beats alpha, again at
    /// [`research_depth`]. `new_depth` is the depth without a reduction, `best` the node's best value so far.
    #[inline(always)]
    pub(in crate::search) fn search_reduced(
        &mut self,
        node: &Node<'_>,
        candidate: &Candidate,
        child: &Position,
        new_depth: i32,
        best: Ibv,
        cont_keys: &ContKeys,
    ) -> NodeResult {
        let &Node { position, ply, depth, alpha, cut_node, .. } = node;
        let reduction = late_move(node, candidate, child.in_check(), self.stack(ply + 1).cutoffs);
        let reduced = (new_depth - reduction).clamp(1, new_depth.max(1));
        self.stack_mut(ply).reduction = new_depth - reduced;
        let mut value = self.search_null_window(child, alpha, reduced, ply, true)?;
        self.stack_mut(ply).reduction = 0;
        if value.score() > alpha && reduced < new_depth {
            let again = research_depth(new_depth, value, best);
            if again > reduced {
                value = self.search_null_window(child, alpha, again, ply, !cut_node)?;
            }
            if !candidate.noisy {
                let bonus = if value.score() > alpha { history::bonus(depth) } else { -history::malus(depth) };
                self.td.history.update_continuation(position, cont_keys, candidate.m, bonus);
            }
        }
        Some(value)
    }
}

/// The reduction of a move by `depth` and its number in the node, in 1/1024 ply.
#[inline]
pub fn base(depth: i32, move_count: usize) -> i32 {
    let product = LOGARITHMS[depth.clamp(1, LAST as i32) as usize] * LOGARITHMS[move_count.clamp(1, LAST)] / 1024;
    params::lmr_base() + product * params::lmr_slope() / 1024
}

/// The reduction of a move in its node, in plies; no more than 0 if the move deserves none. `cutoffs` counts the beta
/// cutoffs among the replies to moves before it, in this node and in its siblings.
#[inline(always)]
pub(in crate::search) fn late_move(node: &Node<'_>, candidate: &Candidate, gives_check: bool, cutoffs: u32) -> i32 {
    let mut reduction = candidate.base_reduction;
    if node.pv {
        let window = (node.beta.cp() - node.alpha.cp()).min(100);
        reduction -= params::lmr_pv() + params::lmr_window() * window / 100;
    }
    if node.cut_node {
        reduction += params::lmr_cut();
    }
    if !node.improving {
        reduction += params::lmr_worsening();
    }
    if node.was_pv {
        reduction -= params::lmr_was_pv();
    }
    if gives_check {
        reduction -= params::lmr_check();
    }
    if candidate.noisy {
        reduction -= params::lmr_noisy();
    } else if node.tt_move.is_some_and(Move::is_noisy) {
        reduction += params::lmr_noisy_best();
    }
    if cutoffs as i32 > params::lmr_min_cutoffs() {
        reduction += params::lmr_cutoffs();
    }
    reduction -= candidate.history * 1024 / params::lmr_history();
    reduction / 1024
}

/// The reduction of a root move after the first ones, in plies.
#[inline]
pub(in crate::search) fn root_move(candidate: &Candidate, gives_check: bool) -> i32 {
    let mut reduction = candidate.base_reduction - params::lmr_pv();
    if candidate.noisy || gives_check {
        reduction -= params::lmr_noisy();
    }
    reduction -= candidate.history * 1024 / params::lmr_history();
    reduction / 1024
}

/// The depth of the second search after a reduced one beat alpha: deeper if the value is far above the best one so
/// far, shallower if it is hardly above.
#[inline]
pub(in crate::search) fn research_depth(new_depth: i32, value: Ibv, best: Ibv) -> i32 {
    let surprise = value.score().cp() - best.score().cp();
    let deeper = surprise > params::lmr_deeper_base() + params::lmr_deeper_slope() * new_depth;
    let shallower = surprise < params::lmr_shallower();
    new_depth + i32::from(deeper) - i32::from(shallower)
}

/// Whether the moves after one that raised alpha are searched a ply less deep: they are less likely to raise it
/// again.
#[inline]
pub(in crate::search) fn after_raised_alpha(node: &Node<'_>) -> bool {
    node.depth > params::raised_alpha_min_depth()
        && node.depth < params::raised_alpha_max_depth()
        && !node.alpha.is_decisive()
}

/// 1024·ln(n), in integers: the same on every processor, which floating-point libraries do not promise.
///
/// Binary logarithm by repeated squaring of a 32-bit fraction, then a change of base.
const fn ln_1024(n: u32) -> i32 {
    debug_assert!(n > 0);
    let exponent = n.ilog2();
    let mut fraction = (n as u64) << (32 - exponent);
    let mut log2 = (exponent as u64) << 16;
    let mut bit = 1 << 15;
    while bit > 0 {
        fraction = ((fraction as u128 * fraction as u128) >> 32) as u64;
        if fraction >= 2 << 32 {
            fraction >>= 1;
            log2 += bit;
        }
        bit >>= 1;
    }
    // ln 2 = 0.693147 = 45426 / 65536.
    (log2 as i64 * 45_426 / 65_536 * 1024 / 65_536) as i32
}

#[cfg(test)]
mod tests {
    use shakmaty::CastlingMode;

    use super::*;
    use crate::score::Score;
    use crate::search::state::level_node;

    #[test]
    fn logarithms_are_right() {
        for n in 1..=4096u32 {
            let exact = f64::from(n).ln() * 1024.0;
            assert!((f64::from(ln_1024(n)) - exact).abs() < 1.5, "{n}: {} {exact}", ln_1024(n));
        }
    }

    #[test]
    fn reductions_grow_with_depth_and_move_count() {
        for depth in 2..63 {
            for move_count in 2..62 {
                assert!(base(depth, move_count + 1) >= base(depth, move_count));
                assert!(base(depth + 1, move_count) >= base(depth, move_count));
            }
        }
    }

    #[test]
    fn every_term_counts_as_its_name_says() {
        let fen = "r2q1rk1/ppp1bppp/2n1bn2/3p4/3P4/2NBBN2/PPP2PPP/R2Q1RK1 w - - 0 9";
        let position = Position::from_fen(fen, CastlingMode::Standard).expect("a position");
        let m = position.parse_move("a2a3").expect("legal");
        let capture = position.parse_move("d3h7").expect("legal");
        let level = || level_node(&position);
        // Exactly four plies, and a little less than five: any term shows.
        let (low, high) = (4096, 5119);
        let candidate = |base_reduction| Candidate { m, noisy: false, move_count: 20, history: 0, base_reduction };
        let of = |node: Node<'_>, candidate: Candidate| late_move(&node, &candidate, false, 0);
        assert_eq!((of(level(), candidate(low)), of(level(), candidate(high))), (4, 4));
        assert!(of(Node { pv: true, ..level() }, candidate(low)) < 4);
        assert!(of(Node { was_pv: true, ..level() }, candidate(low)) < 4);
        let window = |beta| Node { pv: true, beta: Score::heuristic(beta), ..level() };
        assert!(of(window(900), candidate(low)) < of(window(20), candidate(low)), "a wide window");
        assert!(late_move(&level(), &candidate(low), true, 0) < 4, "a check");
        assert!(of(level(), Candidate { noisy: true, ..candidate(low) }) < 4);
        assert!(of(level(), Candidate { history: 14_000, ..candidate(low) }) < 4);
        assert!(of(level(), Candidate { history: -14_000, ..candidate(high) }) > 4);
        assert!(of(Node { cut_node: true, ..level() }, candidate(high)) > 4);
        assert!(of(Node { improving: false, ..level() }, candidate(high)) > 4);
        assert!(of(Node { tt_move: Some(capture), ..level() }, candidate(high)) > 4, "the best move is a capture");
        assert!(late_move(&level(), &candidate(high), false, 9) > 4, "the replies to other moves were refuted");
    }

    #[test]
    fn great_surprises_are_searched_deeper_than_small_ones() {
        let value = |cp| Ibv::lower(Score::heuristic(cp));
        assert_eq!(research_depth(6, value(300), value(10)), 7);
        assert_eq!(research_depth(6, value(30), value(10)), 6);
        assert_eq!(research_depth(6, value(10), value(10)), 5);
    }
}
