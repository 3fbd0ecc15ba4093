//! Quiescence: captures, queen promotions and, in check, all evasions, until the position is quiet.

use std::ops::ControlFlow;

use super::node::skipped;
use super::picker::Picker;
use super::{NodeResult, Search};
use crate::bound::{Bound, Ibv};
use crate::params;
use crate::position::attacks::Attacks;
use crate::position::movegen::is_noisy;
use crate::position::see::exchange_value;
use crate::position::{PackedMove, Position};
use crate::score::{Band, Score};
use crate::tt::Entry;
use crate::window::Window;

impl<const PLAY: bool> Search<'_, PLAY> {
    /// The value of the quiet positions that captures lead to; none if the search was aborted.
    ///
    /// Standing pat is an exact value of this game by convention, so a node that no capture improves is exact even
    /// below alpha.
    pub(super) fn quiesce<const PV: bool>(
        &mut self,
        position: &Position,
        alpha: Score,
        beta: Score,
        ply: usize,
    ) -> NodeResult {
        debug_assert!(alpha < beta);
        debug_assert!(PV || alpha.above() == beta);
        let window_bottom = alpha;

        // Step 1. Limits, and draws by rule.
        let in_check = match self.begin(position, ply) {
            ControlFlow::Continue(in_check) => in_check,
            ControlFlow::Break(result) => return result,
        };

        // Step 2. Recognizers: what is proved settles the node, or floors and caps what standing pat may claim.
        let mut window = Window::new(alpha, beta);
        if let Some(settled) = window.know(self.recognize(position, ply)) {
            return Some(settled);
        }
        let (mut alpha, beta) = (window.alpha, window.beta);

        // Step 3. The table.
        let key = self.past.key(position, ply);
        let entry = self.probe(key);
        let known = entry.map_or(Ibv::NONE, |e| self.from_tt(e.value, position, ply));
        if !PV && known.settles(alpha, beta) && entry.is_some_and(|e| e.depth == 0 || !self.rules().same_depth) {
            self.count(|tally| tally.table_cut(known, known.fails_low(alpha), false));
            return Some(known);
        }
        let was_pv = PV || entry.is_some_and(|e| e.pv);

        // Step 4. Stand pat: the side to move need not capture.
        let mut best = Ibv::NONE;
        let mut raw = None;
        let mut stand = 0;
        if !in_check {
            let expected = self.estimate(position, ply, entry.as_ref(), known);
            (raw, stand) = (Some(expected.raw), expected.eval);
            best = window.close(Ibv::exact(expected.value));
            if best.cuts(beta) {
                if entry.is_none() {
                    self.remember_evaluation(key, expected.raw, was_pv);
                }
                return Some(window.close(best.force_lower()));
            }
            alpha = alpha.max(best.score());
        } else {
            self.stack_mut(ply).eval = None;
        }

        // Step 5. Captures and promotions; in check, everything.
        let cont_keys = self.cont_keys(ply);
        let tt_move = entry.and_then(|e| position.find(e.best));
        let threats = if in_check { Attacks::of(position.board(), !position.turn()) } else { Attacks::default() };
        let mut picker = if in_check { Picker::new(tt_move, PackedMove::NONE) } else { Picker::noisy(tt_move, 0) };
        let mut best_move = PackedMove::NONE;
        let mut searched = 0;
        while let Some(m) = picker.next(position, &self.td.history, &threats, &cont_keys) {
            // Step 6. Skip what cannot matter; what is skipped contributes its upper bound. Of moves that are no better
            // than what is known already this is that very value: bounds far below alpha serve more windows than alpha.
            if self.rules().pruning && best.is_some() && !best.score().is_loss() {
                if in_check {
                    // One evasion is enough to go by: quiet ones after it are taken to be no better.
                    if searched > 0 && !is_noisy(m) {
                        best = skipped(best, best_move.is_some());
                        picker.skip_quiets();
                        continue;
                    }
                } else {
                    if picker.at_bad_noisy() {
                        // Losing captures: standing pat is at least as good.
                        break;
                    }
                    let limit = stand + m.capture().map_or(0, exchange_value) + params::quiescence_margin();
                    if limit <= alpha.cp() && m.promotion().is_none() {
                        best = best.max(Ibv::upper(Score::heuristic(limit).min(alpha)));
                        continue;
                    }
                }
            }

            // Step 7. Search it.
            let child = self.make(position, m, ply);
            let result = self.quiet_child::<PV>(&child, alpha, beta, ply);
            self.take_back();
            let value = result?;
            searched += 1;
            if value > best {
                best = value;
                if value.score() > alpha {
                    best_move = PackedMove::new(m);
                    if PV {
                        self.td.pv.update(ply, m);
                    }
                    if value.cuts(beta) {
                        best = best.force_lower();
                        break;
                    }
                    alpha = value.score();
                }
            }
        }

        if in_check && searched == 0 {
            return Some(Ibv::exact(Score::mated_in(self.rules().distance.origin(ply))));
        }

        best = window.close(self.rules().composition.conclude(best, window_bottom, beta));

        // Step 8. Remember.
        let entry =
            Entry { value: self.to_tt(best, ply), best: best_move, depth: 0, pv: was_pv, eval: raw, tb_entry: false };
        self.shared.tt.store(key, entry);
        Some(best)
    }

    /// A node's result as the table keeps it.
    #[inline]
    pub(super) fn to_tt(&self, value: Ibv, ply: usize) -> Ibv {
        self.rules().distance.to_tt(value, ply, self.shared.conventions.draws)
    }

    /// A table value as it holds at this node; nothing where the 50-move counter could spoil what it claims.
    #[inline]
    pub(super) fn from_tt(&self, stored: Ibv, position: &Position, ply: usize) -> Ibv {
        if !stored.is_some() {
            return Ibv::NONE;
        }
        let distance = self.rules().distance;
        let mut known = distance.from_tt(stored, ply, self.shared.conventions.draws);
        if !known.is_some() {
            return Ibv::NONE;
        }
        // A win needs its mate within the counter, on the hundredth half-move at the latest. A tablebase win speaks of
        // a position just after progress: it needs that progress in time, or to be that position. Beyond the counter
        // what claims "at least a win" proves nothing here, but what says "at most" still does: a counter can only
        // spoil a win. The same holds of losses, mirrored.
        let score = stored.score();
        if score.is_decisive() {
            let clock = usize::from(position.clock());
            let needed = distance.plies_needed(score);
            let in_time = match score.band() {
                Band::Tablebase if needed == 0 => clock == 0,
                Band::Recognizer if self.no_recognized_wins && needed > 0 => false,
                _ => clock + needed <= 100,
            };
            if !in_time {
                known = match (score.is_win(), known.bound()) {
                    (true, Bound::Lower) | (false, Bound::Upper) => return Ibv::NONE,
                    (true, _) => known.force_upper(),
                    (false, _) => known.force_lower(),
                };
            }
        }
        if self.rules().table.admits(known) { known } else { Ibv::NONE }
    }
}
