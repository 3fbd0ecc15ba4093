//! The interior node of the principal variation search, in numbered steps.
//!
//! The title of a step names its technique, with its acronym, and its Elo where that was measured
//! (`docs/record/matches.md`).

use std::ops::ControlFlow;

use crate::bound::Ibv;
use crate::params;
use crate::position::{Move, Position};
use crate::score::Score;
use crate::search::node::pruning::Skip;
use crate::search::node::{pruning, reductions};
use crate::search::ordering::history;
use crate::search::ordering::history::{History, Tried};
use crate::search::ordering::picker::Picker;
use crate::search::state::{Candidate, Node, NodeResult, Search, TtHit};
use crate::window::Window;

impl<const PLAY: bool> Search<'_, PLAY> {
    /// Searches `position` to `depth` within the window `alpha..beta`. Returns `None` if the search was aborted.
    ///
    /// The search is fail-soft: the result is exact inside the window, a lower bound (or an exact value) at beta or
    /// above, and an upper bound (or an exact value) at alpha or below. `cut_node` says that a beta cutoff is
    /// expected.
    pub(in crate::search) fn search_node<const PV: bool>(
        &mut self,
        position: &Position,
        alpha: Score,
        beta: Score,
        depth: i32,
        ply: usize,
        cut_node: bool,
    ) -> NodeResult {
        debug_assert!(ply > 0 && alpha < beta);
        debug_assert!(PV || alpha.above() == beta);
        debug_assert!(!(PV && cut_node));

        if depth <= 0 {
            return self.quiesce::<PV>(position, alpha, beta, ply);
        }

        let nodes_before = if PLAY { 0 } else { self.counters.nodes };

        // Step 1. Limits, and draws by rule. Repetition and the 50-move rule come before the TT, because the TT does
        // not know the path.
        let in_check = match self.begin(position, ply) {
            ControlFlow::Continue(in_check) => in_check,
            ControlFlow::Break(result) => return result,
        };
        let mut window = Window::new(alpha, beta);
        let excluded = self.stack(ply).excluded;
        let is_singular_search = excluded.is_some();

        // Step 2. Mate distance pruning (MDP). No mate is nearer than the next move.
        if let Some(settled) = self.prune_by_mate_distance(&mut window, ply) {
            return Some(settled);
        }

        // Step 3. Upcoming repetition (+16 Elo). A move that repeats a position of the tree is worth a draw at least.
        // PV nodes skip this step, so that the PV shows the repetition.
        if !is_singular_search && !PV {
            let at_least = self.upcoming_repetition(position, ply, window.alpha);
            if let Some(settled) = window.know(at_least) {
                return Some(settled);
            }
        }

        // Step 4. Interior node recognizers. They are cheap, so they come before the TT and are not stored in it.
        // Progress counts only in quiescence: otherwise a search would be content to visit a good position and leave
        // it again.
        if !is_singular_search
            && let Some(settled) = window.know(self.recognize(position, ply).map(Ibv::without_progress))
        {
            return Some(settled);
        }

        // Step 5. Transposition table (TT), then tablebases, whose results the TT keeps.
        let key = self.past.key(position, ply);
        let tt = if is_singular_search { TtHit::NONE } else { self.probe_tt(key, position, ply) };
        let was_pv = PV || tt.pv;
        if let Some(settled) = self.tt_cutoff::<PV>(&mut window, &tt, position, depth) {
            return Some(settled);
        }
        if !is_singular_search
            && tt.value.and_then(Ibv::proof).is_none()
            && let Some(settled) = window.know(self.probe_tablebases(position, key, depth, ply, was_pv))
        {
            return Some(settled);
        }

        // Step 6. Static evaluation, with correction history (+15 Elo). What a quiet move did to it is history, too:
        // evaluation difference (-5 Elo).
        let mut node = Node {
            position,
            ply,
            depth,
            alpha: window.alpha,
            beta: window.beta,
            pv: PV,
            cut_node,
            was_pv,
            in_check,
            excluded,
            key,
            tt,
            tt_move: tt.best.and_then(|m| position.find(m)),
            raw: None,
            eval: 0,
            estimate: 0,
            improving: false,
        };
        self.static_eval(&mut node);
        let selective = self.rules().pruning && !is_singular_search;
        if selective && !in_check {
            self.reward_by_eval_difference(ply, node.eval);
        }
        self.clear_for_children(ply);

        let may_prune = selective && !PV && !in_check;
        if may_prune {
            // Step 7. Hindsight extension (+30 Elo). The parent reduced this move. If the static evaluation has since
            // fallen for the side to move, the move was better than the reduction assumed: search a ply deeper.
            let parent = self.stack_before(ply, 1);
            if parent.reduction >= params::hindsight_reduction()
                && parent.eval.is_some_and(|before| node.eval + before < 0)
            {
                node.depth += 1;
            }

            // Step 8. Reverse futility pruning (RFP, +83 Elo). At low depth an evaluation far above beta will hold. The
            // value is halfway to beta, because the evaluation is an opinion.
            if let Some(value) = pruning::reverse_futility(&node) {
                return Some(value);
            }

            // Step 9. Null move pruning (NMP, +14 Elo). If passing keeps the value above beta, a move will.
            if let ControlFlow::Break(result) = self.null_move(&node) {
                return result;
            }
        }

        // Step 10. Internal iterative reduction (IIR, +23 Elo). Without a TT move the node is expensive, and the next
        // iteration will have one.
        if selective && (PV || cut_node) && node.depth >= params::iir_depth() && node.tt_move.is_none() {
            node.depth -= 1;
        }

        let (threats, our_attacks) = self.attacks(position, ply);
        let cont_keys = self.cont_keys(ply);

        // Step 11. ProbCut (+22 Elo). A capture that holds well above beta at reduced depth is a cutoff.
        if may_prune && let ControlFlow::Break(result) = self.probcut(&node, &threats, our_attacks, &cont_keys) {
            return result;
        }

        // Step 12. The moves in order; among the quiet ones, escapes from lesser pieces (+2 Elo) and checks that
        // lose little (+9) come early.
        let mut best: Option<Ibv> = None;
        let mut best_move: Option<Move> = None;
        let mut move_count = 0;
        let mut tried = Tried::default();
        let mut picker = Picker::new(node.tt_move, self.stack(ply).killer, our_attacks);
        while let Some(m) = picker.next(position, &self.td.history, &threats, &cont_keys) {
            if excluded.is_some_and(|excluded| excluded.is(m)) {
                continue;
            }
            move_count += 1;
            let noisy = m.is_noisy();
            let history = match picker.history() {
                Some(known) => known,
                // Nothing prunes or reduces the first move.
                None if move_count == 1 => 0,
                None if noisy => self.td.history.noisy(position, m),
                None => self.td.history.quiet(position, &threats, &cont_keys, m),
            };
            let base_reduction = reductions::base(node.depth, move_count);
            let candidate = Candidate { m, noisy, move_count, history, base_reduction };

            // Step 13. Late move pruning (LMP, +35 Elo), futility (+23), history pruning (+3) and pruning by static
            // exchange evaluation (SEE, +89). A skipped move leaves an upper bound: its margin if it is futile, else
            // the best value so far. No loss is ever claimed on the strength of a skipped move.
            if self.rules().pruning
                && let Some(known) = best
                && !known.score().is_loss()
                && position.has_non_pawn_material()
            {
                match pruning::skip(&node, &candidate, picker.at_bad_noisy()) {
                    Skip::No => (),
                    Skip::Futile(limit) => {
                        best = Some(known.max(Ibv::upper(limit)));
                        continue;
                    }
                    skip => {
                        best = Some(pruning::after_skipping(known, best_move.is_some()));
                        if skip == Skip::Quiets {
                            picker.skip_quiets();
                        }
                        continue;
                    }
                }
            }

            // Step 14. Singular extension (SE) and multi-cut (+28 Elo). Is the TT move much better than every other?
            let extension = match self.singular_extension(&node, m) {
                ControlFlow::Continue(plies) => plies,
                ControlFlow::Break(result) => return result,
            };

            // Step 15. Make the move. Check extension: a check that loses nothing is searched a ply deeper, unless the
            // singular search has decided.
            let mut child = *position;
            self.make(&mut child, m, ply);
            if !noisy {
                self.stack_mut(ply).quiet_slots = Some(History::quiet_slots(position, &threats, m));
            }
            let extension = if extension == 0 { self.check_extension(&node, m, &child) } else { extension };
            let new_depth = node.depth - 1 + extension;

            // Step 16. Late move reductions (LMR, +135 Elo). A late move is searched at less depth, and again if it
            // beats alpha. All others but the first of a PV node get a null window at full depth.
            let (alpha, beta) = (node.alpha, node.beta);
            let is_late = move_count > 1 + usize::from(PV);
            let value = if self.rules().pruning
                && node.depth >= params::lmr_depth()
                && is_late
                && let Some(best) = best
            {
                Some(self.search_reduced(&node, &candidate, &child, new_depth, best, &cont_keys)?)
            } else if !PV || move_count > 1 {
                Some(self.search_null_window(&child, alpha, new_depth, ply, !cut_node)?)
            } else {
                None
            };

            // Step 17. Principal variation search (PVS). In a PV node, the first move gets the full window, and so does
            // one whose null window has shown that it beats alpha.
            let value = match value {
                Some(value) if !PV || !value.raises(alpha) => value,
                _ => self.search_child::<true>(&child, alpha, beta, new_depth, ply, false)?,
            };
            self.take_back();

            // Step 18. The best value is the maximum. One comparison decides on a beta cutoff. After a raised alpha
            // the other moves get a ply less (+1 Elo).
            best = best.max(Some(value));
            if value.raises(alpha) {
                best_move = Some(m);
                if PV {
                    self.td.pv.update(ply, m);
                }
                if value.cuts(beta) {
                    best = Some(value.force_lower());
                    break;
                }
                node.alpha = value.score();
                if self.rules().pruning && reductions::after_raised_alpha(&node) {
                    node.depth -= 1;
                }
            }
            tried.push(m);
        }

        // Step 19. Mate or stalemate if there was no move; else the histories learn from the best one.
        let Some(best) = best else { return Some(self.value_without_moves(&node)) };
        let best = window.close(self.rules().composition.conclude(best, window.alpha, node.beta));
        if let Some(m) = best_move {
            if best.cuts(node.beta) {
                let surprise = i32::from(best.score().cp() > node.beta.cp() + params::history_surprise());
                self.update_histories(position, ply, node.depth + surprise, m, &threats, &tried);
                self.note_cutoff(ply, m);
            } else if !m.is_noisy() {
                let bonus = history::bonus(node.depth) * params::history_best() / 1024;
                self.td.history.update_quiet(position, &threats, &cont_keys, m, bonus);
            }
        }

        // Step 20. Correction history and TT store.
        if !is_singular_search {
            // The depth that the parent chose: steps 7 and 10 may have changed `node.depth`.
            self.watch_value(&node, ply, best, best_move, depth, nodes_before);
            self.learn_correction(&node, best, best_move, &cont_keys);
            self.store(&node, best, best_move, node.depth);
        }
        Some(best)
    }

    /// The value of a node in which no move was searched.
    fn value_without_moves(&self, node: &Node<'_>) -> Ibv {
        if node.excluded.is_some() {
            // Only the excluded move is legal: nothing else can be as good.
            Ibv::upper(node.alpha)
        } else if node.in_check {
            Ibv::exact(Score::mated_in(self.rules().distance.origin(node.ply)))
        } else {
            self.draw(node.ply)
        }
    }
}
