//! Forward pruning: why a node or a move is not searched. Pure functions of the node.

use crate::bound::Ibv;
use crate::params;
use crate::score::Score;
use crate::search::state::{Candidate, Node};

/// Reverse futility pruning: a lower bound between beta and the evaluation, if the evaluation is far enough above beta.
///
/// Also known as static null move pruning.
#[inline(always)]
pub(in crate::search) fn reverse_futility(node: &Node<'_>) -> Option<Ibv> {
    let improving = if node.improving { params::rfp_improving() } else { 0 };
    let margin = (params::rfp_slope() * node.depth - improving).max(params::rfp_min());
    if node.depth > params::rfp_depth() || node.beta.is_decisive() || node.estimate - margin < node.beta.cp() {
        return None;
    }
    let (share, beta) = (params::rfp_value(), node.beta.cp());
    Some(Ibv::lower(Score::heuristic((node.estimate * share + beta * (1024 - share)) / 1024).max(node.beta)))
}

/// Whether a move is skipped, and what that implies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::search) enum Skip {
    /// It is searched.
    No,
    /// It is skipped.
    Move,
    /// It is skipped, because its value is at most this.
    Futile(Score),
    /// It and all later quiet moves are skipped.
    Quiets,
}

/// Decides by depth, history, evaluation and exchange whether a move is worth a search. `bad_noisy` says that the
/// picker has reached the captures that lose material.
///
/// Checks are neither futile, because mate needs no evaluation, nor judged by their history alone.
#[inline(always)]
pub(in crate::search) fn skip(node: &Node<'_>, candidate: &Candidate, bad_noisy: bool) -> Skip {
    let Node { position, depth, .. } = *node;
    let &Candidate { m, history, .. } = candidate;
    if candidate.noisy {
        let margin = params::see_noisy() * depth + history / params::see_noisy_history();
        let loses = depth <= params::see_noisy_depth() && bad_noisy && !position.see_at_least(m, -margin);
        return if loses { Skip::Move } else { Skip::No };
    }

    // Late move pruning.
    if candidate.move_count as i32 > lmp_count(depth, node.improving) {
        return Skip::Quiets;
    }

    // The other margins grow with the depth that late move reductions would leave.
    let reduction = candidate.base_reduction + if node.improving { 0 } else { params::lmr_pruning_worsening() };
    let reduced = (depth - (reduction - history / params::lmr_pruning_history()) / 1024).max(0);

    // Futility pruning.
    let limit = node.eval + params::futility_base() + params::futility_slope() * reduced;
    if !node.in_check
        && reduced <= params::futility_depth()
        && !node.alpha.is_decisive()
        && limit <= node.alpha.cp()
        && !position.gives_check(m)
    {
        return Skip::Futile(Score::heuristic(limit).min(node.alpha));
    }

    // History pruning.
    if reduced <= params::history_pruning_depth()
        && history < -params::history_pruning() * (reduced + 1)
        && !position.gives_check(m)
    {
        return Skip::Move;
    }

    // Static exchange evaluation. A check may cost as much as a capture.
    if depth <= params::see_quiet_depth()
        && !position.see_at_least(m, -params::see_quiet() * reduced * reduced)
        && !(position.gives_check(m) && position.see_at_least(m, -params::see_noisy() * depth))
    {
        return Skip::Move;
    }
    Skip::No
}

/// The number of moves after which late move pruning skips all quiet moves.
#[inline]
fn lmp_count(depth: i32, improving: bool) -> i32 {
    let count = params::lmp_base() + params::lmp_slope() * depth * depth / 1024;
    if improving { count } else { count * params::lmp_worsening() / 1024 }
}

/// The best value after skipping a move that is taken to be no better: no longer exact, unless a move has `raised`
/// alpha and the skipped one would have had to beat that.
#[inline]
pub(in crate::search) fn after_skipping(best: Ibv, raised: bool) -> Ibv {
    if raised { best } else { best.force_upper() }
}

#[cfg(test)]
mod tests {
    use shakmaty::CastlingMode;

    use super::*;
    use crate::position::Position;
    use crate::search::node::reductions;
    use crate::search::state::level_node;

    fn position() -> Position {
        let fen = "r2q1rk1/ppp1bppp/2n1bn2/3p4/3P4/2NBBN2/PPP2PPP/R2Q1RK1 w - - 0 9";
        Position::from_fen(fen, CastlingMode::Standard).expect("a position")
    }

    fn candidate(position: &Position, text: &str, move_count: usize, history: i32) -> Candidate {
        let m = position.parse_move(text).expect("a legal move");
        let noisy = m.is_noisy();
        Candidate { m, noisy, move_count, history, base_reduction: reductions::base(5, move_count) }
    }

    #[test]
    fn reverse_futility_gives_a_bound_between_beta_and_eval() {
        let position = position();
        let mut node = level_node(&position);
        assert_eq!(reverse_futility(&node), None, "a level evaluation");
        (node.eval, node.estimate) = (600, 600);
        let value = reverse_futility(&node).expect("far above beta");
        assert!(value.cuts(node.beta) && value.score().cp() < 600);
        node.depth = params::rfp_depth() + 1;
        assert_eq!(reverse_futility(&node), None, "too deep");
        node.depth = 1;
        (node.alpha, node.beta) = (Score::mate_in(9).below(), Score::mate_in(9));
        assert_eq!(reverse_futility(&node), None, "no evaluation is a mate");
    }

    #[test]
    fn late_quiet_moves_are_skipped_together_and_early_ones_one_by_one() {
        let position = position();
        let mut node = level_node(&position);
        assert_eq!(skip(&node, &candidate(&position, "a2a3", 2, 0), false), Skip::No);
        let late = lmp_count(node.depth, node.improving) as usize + 1;
        assert_eq!(skip(&node, &candidate(&position, "a2a3", late, 0), false), Skip::Quiets);
        let shallow = Node { depth: 2, ..level_node(&position) };
        assert_eq!(skip(&shallow, &candidate(&position, "a2a3", 2, -16_000), false), Skip::Move, "bad history");
        assert_eq!(skip(&shallow, &candidate(&position, "d3a6", 2, 0), false), Skip::Move, "loses a bishop");
        node.eval = -900;
        let Skip::Futile(limit) = skip(&node, &candidate(&position, "a2a3", 2, 0), false) else { panic!("not futile") };
        assert!(limit <= node.alpha && limit.cp() > node.eval);
    }

    /// A quiet check may be mate, whatever the evaluation and the history say.
    #[test]
    fn checks_are_neither_futile_nor_skipped_by_history() {
        let fen = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1";
        let position = Position::from_fen(fen, CastlingMode::Standard).expect("a position");
        let mut node = level_node(&position);
        node.eval = -900;
        assert_eq!(skip(&node, &candidate(&position, "d1d8", 2, -16_000), false), Skip::No);
        assert!(matches!(skip(&node, &candidate(&position, "d1d7", 2, 0), false), Skip::Futile(_)));
    }

    #[test]
    fn only_captures_that_lose_too_much_are_skipped() {
        let position = position();
        let node = level_node(&position);
        let capture = candidate(&position, "d3h7", 3, 0);
        assert_eq!(skip(&node, &capture, false), Skip::No, "the picker has not called it bad");
        let shallow = Node { depth: 1, ..level_node(&position) };
        assert_eq!(skip(&shallow, &capture, true), Skip::Move, "a bishop for a pawn at depth 1");
        assert_eq!(skip(&node, &capture, true), Skip::No, "deeper searches allow the sacrifice");
    }

    #[test]
    fn a_skipped_move_leaves_an_upper_bound_until_alpha_is_raised() {
        let value = Ibv::exact(Score::heuristic(5));
        assert_eq!(after_skipping(value, false), Ibv::upper(Score::heuristic(5)));
        assert_eq!(after_skipping(value, true), value);
    }
}
