//! The interior node of the principal variation search, in numbered steps.

use std::ops::ControlFlow;

use arrayvec::ArrayVec;
use shakmaty::Move;

use super::history::{self, History};
use super::picker::Picker;
use super::rules::Narrowing;
use super::tally::TableCuts;
use super::{NodeResult, Search, reductions};
use crate::bound::{Bound, Ibv};
use crate::params;
use crate::position::attacks::Attacks;
use crate::position::movegen::is_noisy;
use crate::position::{PackedMove, Position};
use crate::score::{MAX_PLY, Score};
use crate::tt::Entry;
use crate::window::Window;

impl<const PLAY: bool> Search<'_, PLAY> {
    /// Searches `position` to `depth` within the window `alpha..beta`; none if the search was aborted.
    ///
    /// The result says what is known of the node's value: exact inside the window, a lower bound at beta or above, an
    /// upper bound (or an exact value) at alpha or below. `cut_node` tells that the node is expected to be refuted.
    pub(super) fn node<const PV: bool>(
        &mut self,
        position: &Position,
        alpha: Score,
        beta: Score,
        mut depth: i32,
        ply: usize,
        cut_node: bool,
    ) -> NodeResult {
        debug_assert!(ply > 0 && alpha < beta);
        debug_assert!(PV || alpha.above() == beta);
        debug_assert!(!(PV && cut_node));

        if depth <= 0 {
            return self.quiesce::<PV>(position, alpha, beta, ply);
        }

        // Step 1. Limits, and draws by rule: repetition and the 50-move rule come before the table, because the
        // table does not know the path.
        let in_check = match self.begin(position, ply) {
            ControlFlow::Continue(in_check) => in_check,
            ControlFlow::Break(result) => return result,
        };

        // Step 2. Mate distance: even mate on the next move cannot beat a shorter one that is already certain.
        let mut window = Window::new(alpha, beta);
        let origin = self.rules().distance.origin(ply);
        if self.rules().mate_distance {
            for certain in [Ibv::lower(Score::mated_in(origin)), Ibv::upper(Score::mate_in(origin + 1))] {
                if let Some(settled) = window.know(certain) {
                    return Some(settled);
                }
            }
        }

        // Step 3. A draw within reach: who can repeat a position of the tree with the next move has at least that. Lines
        // are searched, so that they show it; what is settled here therefore depends on the order of the moves.
        let excluded = self.stack(ply).excluded;
        if self.rules().pruning && !PV && !excluded.is_some() {
            let drawn = self.draw(ply + 1);
            let at_least = self.leave(drawn, Score::ZERO).force_lower();
            if at_least.score() > alpha
                && self.path.can_repeat(position, ply)
                && let Some(settled) = window.know(at_least)
            {
                return Some(settled);
            }
        }

        // Step 4. Recognizers: what the material proves. Cheap, so asked before the table and not stored in it. That a
        // position is won is certain here, how near the mate is not: progress counts at the leaves alone, or a search
        // would be content to touch a good position and to leave it again.
        if !excluded.is_some()
            && let Some(settled) = window.know(self.recognize(position, ply).without_progress())
        {
            return Some(settled);
        }

        // Step 5. The table. A singular search asks about the node without one move, so it neither reads nor writes.
        let key = self.past.key(position, ply);
        let entry = if excluded.is_some() { None } else { self.probe(key) };
        let known = entry.map_or(Ibv::NONE, |e| self.from_tt(e.value, position, ply));
        let tt_depth = entry.map_or(-1, |e| e.depth);
        let was_pv = PV || entry.is_some_and(|e| e.pv);
        if known.is_some() {
            // An opinion must be deep enough, and close to the 50-move draw the path matters more than what another
            // path has found. A proof holds at any depth, in its own direction.
            let deep = self.is_deep_enough(tt_depth, depth) && position.clock() < 90;
            let proof = if self.rules().same_depth { Ibv::NONE } else { known.proof() };
            if !PV {
                for (value, usable, proved) in [(known, deep, false), (proof, true, true)] {
                    if usable && value.settles(window.alpha, window.beta) {
                        self.count(|tally| tally.table_cut(value, value.fails_low(window.alpha), proved));
                        return Some(value);
                    }
                }
            } else {
                let narrowing = match self.rules().narrowing {
                    Narrowing::Off => Ibv::NONE,
                    Narrowing::All if deep && known.bound() != Bound::Exact => known,
                    Narrowing::Proofs | Narrowing::All => proof,
                };
                if narrowing.is_some() {
                    self.count(TableCuts::narrowed);
                    if let Some(settled) = window.know(narrowing) {
                        return Some(settled);
                    }
                }
            }
        }
        // Tablebases, the expensive recognizer: what they say is kept in the table, so only what it lacks is asked.
        if !excluded.is_some()
            && !known.proof().is_some()
            && let Some(settled) = window.know(self.probe_tablebases(position, key, depth, ply, was_pv))
        {
            return Some(settled);
        }
        let (mut alpha, beta) = (window.alpha, window.beta);
        let tt_move = entry.and_then(|e| position.find(e.best));

        // Step 6. The static evaluation: from the table or the evaluator, corrected by experience; what the table
        // knows of the value is the better estimate of it.
        let (mut raw, mut eval, mut estimate) = (None, 0, 0);
        if in_check {
            self.stack_mut(ply).eval = None;
        } else if excluded.is_some() {
            eval = self.stack(ply).eval.unwrap_or(0);
            estimate = eval;
        } else {
            let expected = self.estimate(position, ply, entry.as_ref(), known);
            (raw, eval, estimate) = (Some(expected.raw), expected.eval, expected.value.cp());
            if entry.is_none() {
                self.remember_evaluation(key, expected.raw, was_pv);
            }
        }
        // The quiet move before is judged at once, by what it has made of the evaluation: that is known of every move
        // searched, where cutoffs are rare.
        let parent = self.stack_before(ply, 1);
        if self.rules().pruning
            && !in_check
            && !excluded.is_some()
            && let (Some(before), Some(slot)) = (parent.eval, parent.quiet)
        {
            let (gain, most) = (params::eval_diff_offset() - (before + eval), params::eval_diff_max());
            let bonus = (params::eval_diff_slope() * gain).clamp(-most, most);
            self.td.history.update_slot(slot, bonus);
        }

        // Improving: better than two plies (or four) ago. Margins trust an improving position more.
        let improving = !in_check
            && match (self.stack_before(ply, 2).eval, self.stack_before(ply, 4).eval) {
                (Some(before), _) | (None, Some(before)) => eval > before,
                (None, None) => false,
            };

        self.stack_mut(ply + 1).killer = PackedMove::NONE;
        self.stack_mut(ply + 2).cutoffs = 0;

        // The null move may only be followed by real ones, and zugzwang forbids it without pieces.
        let pruning = self.rules().pruning && !PV && !in_check && !excluded.is_some();
        if pruning {
            // Step 7. Hindsight: the parent reduced this move; if the evaluations of both sides say that it was
            // better for them than thought, take the reduction back.
            let parent = self.stack_before(ply, 1);
            if let Some(before) = parent.eval
                && parent.reduction >= params::hindsight_reduction()
                && eval + before < 0
            {
                depth += 1;
            }

            // Step 8. Razoring: so far below alpha that only captures could help.
            if depth <= params::razor_depth()
                && !alpha.is_decisive()
                && estimate + params::razor_base() + params::razor_slope() * depth * depth < alpha.cp()
            {
                let value = self.quiesce::<false>(position, alpha, beta, ply)?;
                if value.fails_low(alpha) {
                    return Some(value.force_upper());
                }
            }

            // Step 9. Reverse futility: so far above beta that something must go very wrong.
            let margin = params::rfp_slope() * depth - if improving { params::rfp_improving() } else { 0 };
            if depth <= params::rfp_depth() && !beta.is_decisive() && estimate - margin.max(20) >= beta.cp() {
                return Some(Ibv::lower(Score::heuristic((estimate + beta.cp()) / 2).max(beta)));
            }

            // Step 10. Null move: if passing keeps the side above beta, a real move will.
            if depth >= params::nmp_depth()
                && ply >= self.nmp_min_ply
                && !self.stack_before(ply, 1).null
                && estimate >= beta.cp()
                && eval + 20 * depth - 160 >= beta.cp()
                && !beta.is_loss()
                && position.has_pieces()
            {
                let reduction = params::nmp_base()
                    + depth / params::nmp_divisor()
                    + ((estimate - beta.cp()) / params::nmp_eval()).clamp(0, 3);
                self.stack_mut(ply).reduction = 0;
                let child = self.make_null(position, ply);
                let result = self.child::<false>(&child, beta.below(), beta, depth - reduction, ply, !cut_node);
                self.take_back();
                let value = result?;
                if value.cuts(beta) {
                    // What a free move for the opponent proves is no proof: a win is cut down to beta.
                    let refuted = if value.score().is_win() { beta } else { value.score() };
                    if depth < 14 || self.nmp_min_ply > 0 {
                        return Some(Ibv::lower(refuted));
                    }
                    // Deep down zugzwang costs more than a search without null moves for the next plies.
                    self.nmp_min_ply = ply + 3 * (depth - reduction).max(0) as usize / 4;
                    let verified = self.node::<false>(position, alpha, beta, depth - reduction, ply, false);
                    self.nmp_min_ply = 0;
                    if verified?.cuts(beta) {
                        return Some(Ibv::lower(refuted));
                    }
                }
            }
        }

        // Step 11. Internal iterative reduction: without a move from the table the node is expensive and, by the next
        // iteration, will have one.
        if self.rules().pruning
            && (PV || cut_node)
            && depth >= params::iir_depth()
            && tt_move.is_none()
            && !excluded.is_some()
        {
            depth -= 1;
        }

        let threats = Attacks::of(position.board(), !position.turn());
        let cont_keys = self.cont_keys(ply);

        // Step 12. ProbCut: a capture that holds well above beta at reduced depth.
        if pruning && depth >= params::probcut_depth() && !beta.is_decisive() {
            let raised = beta.offset(params::probcut_margin());
            let unlikely = known.is_some() && tt_depth >= depth - 3 && known.score() < raised;
            if !unlikely {
                let mut picker = Picker::noisy(tt_move, raised.cp() - eval);
                while let Some(m) = picker.next(position, &self.td.history, &threats, &cont_keys) {
                    if picker.at_bad_noisy() {
                        break;
                    }
                    self.stack_mut(ply).reduction = 0;
                    let child = self.make(position, m, ply);
                    let mut result = self.quiet_child::<false>(&child, raised.below(), raised, ply);
                    if result.is_some_and(|value| value.cuts(raised)) {
                        result = self.child::<false>(&child, raised.below(), raised, depth - 4, ply, !cut_node);
                    }
                    self.take_back();
                    let value = result?;
                    if value.cuts(raised) {
                        let entry = Entry {
                            value: self.to_tt(Ibv::lower(value.score()), ply),
                            best: PackedMove::new(m),
                            depth: depth - 3,
                            pv: was_pv,
                            eval: raw,
                            tb_entry: false,
                        };
                        self.shared.tt.store(key, entry);
                        return Some(Ibv::lower(value.score()));
                    }
                }
            }
        }

        // Step 13. The moves.
        let mut best = Ibv::NONE;
        let mut best_move: Option<Move> = None;
        let window_bottom = alpha;
        let mut move_count = 0;
        let mut quiets_tried: ArrayVec<Move, 64> = ArrayVec::new();
        let mut noisy_tried: ArrayVec<Move, 32> = ArrayVec::new();
        let tt_move_noisy = tt_move.is_some_and(is_noisy);
        let mut picker = Picker::new(tt_move, self.stack(ply).killer);

        while let Some(m) = picker.next(position, &self.td.history, &threats, &cont_keys) {
            if excluded.is(m) {
                continue;
            }
            move_count += 1;
            let noisy = is_noisy(m);
            let move_history = match picker.history() {
                Some(known) => known,
                None if noisy => self.td.history.noisy(position, m),
                None => self.td.history.quiet(position, &threats, &cont_keys, m),
            };
            let mut reduction = reductions::reduction(depth, move_count);

            // Step 14. Skip late, futile and losing moves; each contributes the upper bound that it is skipped for: what
            // is futile its margin, all others the best of those that were searched.
            // Checks are neither futile, for mate needs no evaluation, nor judged by their history alone. A loss is
            // never claimed on the strength of a skipped move.
            if self.rules().pruning && best.is_some() && !best.score().is_loss() && position.has_pieces() {
                let reduced = (depth - (reduction + if improving { 0 } else { 512 } - move_history / 16) / 1024).max(0);
                if !noisy {
                    // Late moves.
                    let enough = (params::lmp_base() + depth * depth) / if improving { 1 } else { 2 };
                    if move_count as i32 > enough {
                        best = skipped(best, best_move.is_some());
                        picker.skip_quiets();
                        continue;
                    }
                    // Futility.
                    let limit = eval + params::futility_base() + params::futility_slope() * reduced;
                    if !in_check
                        && reduced <= params::futility_depth()
                        && !alpha.is_decisive()
                        && limit <= alpha.cp()
                        && !position.gives_check(m)
                    {
                        best = best.max(Ibv::upper(Score::heuristic(limit).min(alpha)));
                        continue;
                    }
                    // History.
                    if reduced <= params::history_pruning_depth()
                        && move_history < -params::history_pruning() * (reduced + 1)
                        && !position.gives_check(m)
                    {
                        best = skipped(best, best_move.is_some());
                        continue;
                    }
                    // Exchange; a check may cost as much as a capture.
                    if depth <= params::see_quiet_depth()
                        && !position.see_at_least(m, -params::see_quiet() * reduced * reduced)
                        && !(position.gives_check(m) && position.see_at_least(m, -params::see_noisy() * depth))
                    {
                        best = skipped(best, best_move.is_some());
                        continue;
                    }
                } else if depth <= params::see_noisy_depth()
                    && picker.at_bad_noisy()
                    && !position.see_at_least(m, -params::see_noisy() * depth - move_history / 64)
                {
                    best = skipped(best, best_move.is_some());
                    continue;
                }
            }

            // Step 15. Singular extension: is the table's move much better than every other?
            let mut extension = 0;
            if self.rules().pruning
                && depth >= params::singular_depth() + i32::from(was_pv)
                && tt_move == Some(m)
                && !excluded.is_some()
                && known.is_some()
                && known.bound() != Bound::Upper
                && !known.score().is_decisive()
                && tt_depth >= depth - 3
                && ply < 2 * self.depth as usize
            {
                let singular_beta = known.score().offset(-(params::singular_margin() * depth / 16));
                self.stack_mut(ply).excluded = PackedMove::new(m);
                let result =
                    self.node::<false>(position, singular_beta.below(), singular_beta, (depth - 1) / 2, ply, cut_node);
                self.stack_mut(ply).excluded = PackedMove::NONE;
                let others = result?;
                if !others.cuts(singular_beta) {
                    extension = 1;
                    if !PV && others.score().cp() < singular_beta.cp() - params::singular_double() {
                        extension = 2;
                    }
                } else if !PV && others.cuts(beta) && !others.score().is_decisive() {
                    // Several moves refute: no need to search this one first.
                    return Some(others.force_lower());
                } else if known.score() >= beta {
                    extension = -2;
                } else if cut_node {
                    extension = -1;
                }
            }

            // Step 16. Play it.
            let child = self.make(position, m, ply);
            if !noisy {
                self.stack_mut(ply).quiet = Some(History::quiet_slot(position, &threats, m));
            }
            let gives_check = child.in_check();
            let new_depth = depth - 1 + extension;

            // Step 17. Late-move reductions: late moves are searched less, and again only if they surprise.
            let mut value = Ibv::NONE;
            let full_search = if self.rules().pruning && depth >= 2 && move_count > 1 + usize::from(PV) {
                if PV {
                    reduction -= params::lmr_pv();
                }
                if cut_node {
                    reduction += params::lmr_cut();
                }
                if !improving {
                    reduction += params::lmr_worsening();
                }
                if was_pv {
                    reduction -= params::lmr_was_pv();
                }
                if gives_check {
                    reduction -= params::lmr_check();
                }
                if tt_move_noisy && !noisy {
                    reduction += params::lmr_noisy_best();
                }
                if noisy {
                    reduction -= 1024;
                }
                if self.stack(ply + 1).cutoffs > 3 {
                    reduction += params::lmr_cutoffs();
                }
                reduction -= move_history * 1024 / params::lmr_history();
                let reduced = (new_depth - reduction / 1024).clamp(1, new_depth.max(1));
                self.stack_mut(ply).reduction = new_depth - reduced;
                value = self.child::<false>(&child, alpha, alpha.above(), reduced, ply, true)?;
                self.stack_mut(ply).reduction = 0;
                if value.score() > alpha && reduced < new_depth {
                    // It surprised: how much says how deep to look again.
                    let surprise = value.score().cp() - best.score().cp();
                    let again = new_depth + i32::from(surprise > 45 + 4 * new_depth) - i32::from(surprise < 9);
                    if again > reduced {
                        value = self.child::<false>(&child, alpha, alpha.above(), again, ply, !cut_node)?;
                    }
                    if !noisy {
                        let bonus = if value.score() > alpha { history::bonus(depth) } else { -history::malus(depth) };
                        self.td.history.update_continuation(position, &cont_keys, m, bonus);
                    }
                    false
                } else {
                    false
                }
            } else {
                !PV || move_count > 1
            };

            // Step 18. Principal variation search: a null window first, the full window for what beats alpha.
            if full_search {
                value = self.child::<false>(&child, alpha, alpha.above(), new_depth, ply, !cut_node)?;
            }
            if PV && (move_count == 1 || value.score() > alpha && value.bound() != Bound::Upper) {
                value = self.child::<true>(&child, alpha, beta, new_depth, ply, false)?;
            }
            self.take_back();
            debug_assert!(value.is_some());

            // Step 19. The best so far: the maximum, and nothing else. The cut is one comparison.
            if value > best {
                best = value;
            }
            if value.score() > alpha && value.bound() != Bound::Upper {
                best_move = Some(m);
                if PV {
                    self.td.pv.update(ply, m);
                }
                if value.cuts(beta) {
                    best = value.force_lower();
                    break;
                }
                alpha = value.score();
                // A move has raised alpha: the rest is less likely to.
                if self.rules().pruning && depth > 2 && depth < 12 && !value.score().is_decisive() {
                    depth -= 1;
                }
            }
            if noisy {
                let _ = noisy_tried.try_push(m);
            } else {
                let _ = quiets_tried.try_push(m);
            }
        }

        if move_count == 0 {
            return Some(if excluded.is_some() {
                // Only the excluded move is legal: nothing else can be as good.
                Ibv::upper(alpha)
            } else if in_check {
                Ibv::exact(Score::mated_in(origin))
            } else {
                self.draw(ply)
            });
        }

        best = window.close(self.rules().composition.conclude(best, window_bottom, beta));

        // Step 20. Learn: reward what refuted, punish what was tried before it.
        if best.cuts(beta)
            && let Some(m) = best_move
        {
            self.learn(position, ply, depth, m, &threats, &quiets_tried, &noisy_tried);
        } else if let Some(m) = best_move
            && !is_noisy(m)
        {
            self.td.history.update_quiet(position, &threats, &cont_keys, m, history::bonus(depth) / 2);
        }

        // Step 21. Remember: the value, and how far the evaluation was off.
        if !excluded.is_some() {
            if !in_check
                && best_move.is_none_or(|m| !is_noisy(m))
                && !best.score().is_decisive()
                && match best.bound() {
                    Bound::Exact => true,
                    Bound::Lower => best.score().cp() > eval,
                    Bound::Upper => best.score().cp() < eval,
                }
            {
                let error = best.score().cp() - eval;
                self.td.correction.update(position, &cont_keys, depth, error);
            }
            let entry = Entry {
                value: self.to_tt(best, ply),
                best: best_move.map_or(PackedMove::NONE, PackedMove::new),
                depth,
                pv: was_pv,
                eval: raw,
                tb_entry: false,
            };
            self.shared.tt.store(key, entry);
        }
        Some(best)
    }

    /// What every node below the root begins with: whether its side is in check, unless it ends here: by a limit, by
    /// the rules of draws, or at the greatest ply.
    #[inline(always)]
    pub(super) fn begin(&mut self, position: &Position, ply: usize) -> ControlFlow<NodeResult, bool> {
        if self.enter_node() {
            return ControlFlow::Break(None);
        }
        self.td.pv.clear(ply);
        self.seldepth = self.seldepth.max(ply);
        if self.is_drawn(position, ply) {
            return ControlFlow::Break(Some(self.draw(ply)));
        }
        let in_check = position.in_check();
        if ply >= MAX_PLY {
            let cp = if in_check { 0 } else { self.evaluate(position) };
            return ControlFlow::Break(Some(Ibv::exact(Score::heuristic(cp))));
        }
        ControlFlow::Continue(in_check)
    }

    /// Searches a child of the node at `ply`, with the node's window, and turns its result round.
    #[inline]
    pub(super) fn child<const PV: bool>(
        &mut self,
        child: &Position,
        alpha: Score,
        beta: Score,
        depth: i32,
        ply: usize,
        cut_node: bool,
    ) -> NodeResult {
        let evaluation = self.evaluation_for_distance(child);
        let (alpha, beta) = self.enter(alpha, beta, evaluation);
        let value = self.node::<PV>(child, alpha, beta, depth, ply + 1, cut_node)?;
        Some(self.leave(value, evaluation))
    }

    /// As [`Search::child`], by quiescence alone.
    #[inline]
    pub(super) fn quiet_child<const PV: bool>(
        &mut self,
        child: &Position,
        alpha: Score,
        beta: Score,
        ply: usize,
    ) -> NodeResult {
        let evaluation = self.evaluation_for_distance(child);
        let (alpha, beta) = self.enter(alpha, beta, evaluation);
        let value = self.quiesce::<PV>(child, alpha, beta, ply + 1)?;
        Some(self.leave(value, evaluation))
    }

    /// What the model of distance wants to know of a child; in check, where there is no evaluation, a draw.
    #[inline]
    fn evaluation_for_distance(&mut self, child: &Position) -> Score {
        if !self.rules().distance.wants_evaluation() || child.in_check() {
            Score::ZERO
        } else {
            Score::heuristic(self.evaluate(child))
        }
    }

    /// The child's window.
    #[inline]
    fn enter(&self, alpha: Score, beta: Score, evaluation: Score) -> (Score, Score) {
        let distance = self.rules().distance;
        let (alpha, beta) = (distance.enter(-beta, true, evaluation), distance.enter(-alpha, false, evaluation));
        // At the ends of the scale two edges may become one; nothing lies between them then either.
        if alpha < beta {
            (alpha, beta)
        } else if beta > Score::MIN {
            (beta.below(), beta)
        } else {
            (alpha, alpha.above())
        }
    }

    /// The child's result, from the node's view.
    #[inline]
    fn leave(&self, value: Ibv, evaluation: Score) -> Ibv {
        self.rules().composition.returned(-self.rules().distance.leave(value, evaluation))
    }

    /// Whether an entry of one depth may serve a search of another.
    #[inline]
    pub(super) fn is_deep_enough(&self, entry: i32, wanted: i32) -> bool {
        if self.rules().same_depth { entry == wanted } else { entry >= wanted }
    }

    /// Updates the histories after `m` refuted a node.
    #[expect(clippy::too_many_arguments, reason = "the node's local state, used once")]
    pub(super) fn learn(
        &mut self,
        position: &Position,
        ply: usize,
        depth: i32,
        m: Move,
        threats: &Attacks,
        quiets: &[Move],
        noisy: &[Move],
    ) {
        let cont_keys = self.cont_keys(ply);
        let (bonus, malus) = (history::bonus(depth), history::malus(depth));
        let history = &mut self.td.history;
        if is_noisy(m) {
            history.update_noisy(position, m, bonus);
        } else {
            history.update_quiet(position, threats, &cont_keys, m, bonus);
            for &quiet in quiets {
                history.update_quiet(position, threats, &cont_keys, quiet, -malus);
            }
        }
        for &capture in noisy {
            history.update_noisy(position, capture, -malus);
        }
        let frame = self.stack_mut(ply);
        frame.cutoffs += 1;
        if !is_noisy(m) {
            frame.killer = PackedMove::new(m);
        }
    }
}

/// The best so far after a move was skipped that is taken to be no better: no longer the truth, unless a move has raised
/// alpha and the skipped one would have had to beat that.
#[inline]
pub(super) fn skipped(best: Ibv, raised: bool) -> Ibv {
    if raised { best } else { best.force_upper() }
}
