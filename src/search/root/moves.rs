//! The root: its moves, each with what is known about it, and the search through them.

use std::cmp::Reverse;
use std::ops::Range;

use shakmaty::Bitboard;

use crate::bound::{Bound, Ibv};
use crate::params;
use crate::position::attacks::Attacks;
use crate::position::{Move, PackedMove, Position};
use crate::score::{DrawRule, Score};
use crate::search::node::reductions;
use crate::search::ordering::history::{History, Tried};
use crate::search::ordering::picker::Picker;
use crate::search::state::{Candidate, Exact, NodeResult, Search};

impl<const PLAY: bool> Search<'_, PLAY> {
    /// Searches the root moves from `first` on within the window, up to the end of their tablebase rank. Moves before
    /// `first` have lines of their own.
    pub(in crate::search) fn search_root(
        &mut self,
        first: usize,
        mut alpha: Score,
        beta: Score,
        depth: i32,
    ) -> NodeResult {
        let game = self.game;
        let position = game.position();
        // This comes first: a move that failed high counts if this search ends before it has another value.
        for root in &mut self.root.moves[first..] {
            root.value = None;
        }
        self.enter_node()?;
        self.td.pv.clear(0);
        self.stack_mut(0).eval = if position.in_check() {
            None
        } else {
            let raw = self.evaluate(position, 0);
            Some(self.correct(position, 0, raw))
        };
        self.clear_for_children(0);

        let threats = Attacks::by(position.board(), !position.turn());
        let end = self.root.moves.group_end(first);
        if self.rules().pruning {
            // The best move of the last iteration, or of the last window, stays in front.
            let begin = if self.root.completed_depth > 0 { first + 1 } else { first };
            self.order_roots(begin..end, &threats);
        }

        let mut best: Option<Ibv> = None;
        let mut tried = Tried::default();
        for index in first..end {
            let m = self.root.moves[index].m;
            let value = self.search_root_move(index, index - first + 1, alpha, beta, depth, &threats)?;
            best = best.max(Some(value));
            if value.raises(alpha) {
                if self.rules().pruning {
                    self.update_histories(position, 0, depth, m, &threats, &tried);
                    tried.clear();
                }
                if value.cuts(beta) {
                    return Some(value.force_lower());
                }
                alpha = value.score();
            }
            tried.push(m);
        }
        best
    }

    /// Searches the root move at `index`, the `move_count`-th of its group, as any node would: reduced, with a null
    /// window, with the full window. Keeps its value, and the PV of an exact one.
    fn search_root_move(
        &mut self,
        index: usize,
        move_count: usize,
        alpha: Score,
        beta: Score,
        depth: i32,
        threats: &Attacks,
    ) -> NodeResult {
        let position = self.game.position();
        let m = self.root.moves[index].m;
        if self.id == 0 {
            self.report_current(m, index + 1);
        }
        let nodes_before = self.counters.nodes;
        self.counters.seldepth = 0;
        let candidate = self.root_candidate(m, move_count, depth, threats);
        let mut child = *position;
        self.make(&mut child, m, 0);
        if !candidate.noisy {
            self.stack_mut(0).quiet_slots = Some(History::quiet_slots(position, threats, m));
        }
        // Neither side can win any more, and our own men could not before either, because no pawn promoted: this draw
        // gives up nothing, so it is the best one. An ending that is only expected to be drawn may be lost.
        let is_safe = m.promotion().is_none() && child.is_insufficient_material();
        let value = if is_safe && self.shared.conventions.draws == DrawRule::Later {
            self.td.pv.clear(1);
            Ibv::exact(Score::BEST_DRAW)
        } else {
            let result = self.search_root_child(&child, &candidate, alpha, beta, depth);
            // The nodes of a search that another thread has made superfluous also went to this move.
            self.root.moves[index].nodes += self.counters.nodes - nodes_before;
            result?
        };
        self.take_back();

        let seldepth = self.counters.seldepth;
        let root = &mut self.root.moves[index];
        if move_count == 1 || value.score() > alpha {
            root.value = Some(value);
        }
        // Only an exact value has a PV: a move that failed high is about to be searched again with an open window.
        if value.bound() == Bound::Exact && value.score() > alpha && !value.cuts(beta) {
            root.seldepth = seldepth;
            root.keep_exact(Exact { depth, score: value.score() }, self.td.pv.line(1));
        }
        Some(value)
    }

    /// The root move whose turn it is, as reductions see it.
    fn root_candidate(&self, m: Move, move_count: usize, depth: i32, threats: &Attacks) -> Candidate {
        let noisy = m.is_noisy();
        let position = self.game.position();
        let history = if noisy { 0 } else { self.td.history.quiet(position, threats, &self.cont_keys(0), m) };
        Candidate { m, noisy, move_count, history, base_reduction: reductions::base(depth, move_count) }
    }

    /// Searches the child after a root move, within the window.
    fn search_root_child(
        &mut self,
        child: &Position,
        candidate: &Candidate,
        alpha: Score,
        beta: Score,
        depth: i32,
    ) -> NodeResult {
        let mut value = None;
        let mut null_window = candidate.move_count > 1;
        let is_late = candidate.move_count as i32 > params::lmr_root_moves();
        if self.rules().pruning && depth >= params::lmr_root_depth() && is_late {
            let reduction = reductions::root_move(candidate, child.in_check());
            let reduced = (depth - 1 - reduction).clamp(1, depth - 1);
            self.stack_mut(0).reduction = depth - 1 - reduced;
            let found = self.search_null_window(child, alpha, reduced, 0, true)?;
            self.stack_mut(0).reduction = 0;
            null_window = found.score() > alpha && reduced < depth - 1;
            value = Some(found);
        }
        if null_window {
            value = Some(self.search_null_window(child, alpha, depth - 1, 0, true)?);
        }
        match value {
            Some(value) if candidate.move_count > 1 && !value.raises(alpha) => Some(value),
            _ => self.search_child::<true>(child, alpha, beta, depth - 1, 0, false),
        }
    }

    /// Orders some of the root moves: those that have been best, the one of the deepest search first; then as any
    /// other node orders them.
    fn order_roots(&mut self, moves: Range<usize>, threats: &Attacks) {
        let position = self.game.position();
        let cont_keys = self.cont_keys(0);
        let history = &self.td.history;
        let mut picker = Picker::new(None, None, Bitboard::FULL);
        let order = std::iter::from_fn(|| picker.next(position, history, threats, &cont_keys).map(Move::packed));
        let order: Vec<PackedMove> = order.collect();
        self.root.moves[moves].sort_by_cached_key(|root| {
            let (latest, packed) = (root.last_exact.map_or(0, |exact| exact.depth), root.m.packed());
            (Reverse(latest), order.iter().position(|&m| m == packed))
        });
    }
}
