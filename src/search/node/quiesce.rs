//! Quiescence search: captures, queen promotions and, in check, evasions, until the position is quiet. In check, the
//! other quiet evasions are skipped as soon as one move does not lose.

use std::ops::ControlFlow;

use shakmaty::Bitboard;

use crate::bound::{Bound, Ibv};
use crate::params;
use crate::position::attacks::Attacks;
use crate::position::see::exchange_value;
use crate::position::{PackedMove, Position};
use crate::score::Score;
use crate::search::node::pruning::after_skipping;
use crate::search::ordering::picker::Picker;
use crate::search::state::{NodeResult, Search};
use crate::tt::Entry;
use crate::window::Window;

impl<const PLAY: bool> Search<'_, PLAY> {
    /// Searches captures until the position is quiet. Returns `None` if the search was aborted.
    ///
    /// Standing pat is an exact value by convention, so a node that no capture improves is exact even below alpha.
    pub(in crate::search) fn quiesce<const PV: bool>(
        &mut self,
        position: &Position,
        alpha: Score,
        beta: Score,
        ply: usize,
    ) -> NodeResult {
        debug_assert!(alpha < beta);
        debug_assert!(PV || alpha.above() == beta);

        // Step 1. Limits, and draws by rule.
        let in_check = match self.begin(position, ply) {
            ControlFlow::Continue(in_check) => in_check,
            ControlFlow::Break(result) => return result,
        };

        // Step 2. Upcoming repetition, as in the nodes above.
        let mut window = Window::new(alpha, beta);
        if !PV {
            let at_least = self.upcoming_repetition(position, ply, alpha);
            if let Some(settled) = window.know(at_least) {
                return Some(settled);
            }
        }

        // Step 3. Interior node recognizers. What they prove settles the node, or bounds what standing pat may claim.
        if let Some(settled) = window.know(self.recognize(position, ply)) {
            return Some(settled);
        }

        // Step 4. Transposition table (TT). A bound narrows the window and stays a bound: the result is exact only
        // where this search meets it from the other side. What a recognizer proved comes before the TT's opinion.
        let key = self.past.key(position, ply);
        let tt = self.probe_tt(key, position, ply);
        if let Some(value) = tt.value
            && self.may_use_tt::<PV>(value, tt.depth)
            && let Some(settled) = window.know(window.close(value))
        {
            self.watch_tt_cutoff(value, value.fails_low(alpha), false);
            return Some(settled);
        }
        let (mut alpha, beta) = (window.alpha, window.beta);
        let was_pv = PV || tt.pv;

        // Step 5. Stand pat. The side to move need not capture.
        let mut best: Option<Ibv> = None;
        let mut raw = None;
        let mut stand_pat = 0;
        if !in_check {
            let evaluation = self.evaluation(position, ply, &tt);
            (raw, stand_pat) = (Some(evaluation.raw), evaluation.eval);
            let standing = window.close(Ibv::exact(Score::heuristic(evaluation.eval)));
            if standing.cuts(beta) {
                if !tt.found {
                    self.store_eval(key, evaluation.raw, was_pv);
                }
                return Some(window.close(standing.force_lower()));
            }
            alpha = alpha.max(standing.score());
            best = Some(standing);
        } else {
            self.stack_mut(ply).eval = None;
        }

        // Step 6. Captures and promotions; in check, everything.
        let cont_keys = self.cont_keys(ply);
        // Out of check, only a noisy TT move is of use: it captures, or a pawn moves (promotion, en passant). This
        // saves a check of its legality.
        let board = position.board();
        let useful = |m: &PackedMove| in_check || board.occupied().contains(m.to()) || board.pawns().contains(m.from());
        let tt_move = tt.best.filter(useful).and_then(|m| position.find(m));
        // Threats only order quiet moves, and only evasions include any.
        let (threats, mut picker) = if in_check {
            (Attacks::by(board, !position.turn()), Picker::new(tt_move, None, Bitboard::FULL))
        } else {
            let ours = self.stack(ply).attack_maps.as_ref().map_or(Bitboard::FULL, |maps| maps.of(position.turn()).all);
            (Attacks::default(), Picker::noisy(tt_move, 0, ours))
        };
        let mut best_move = None;
        let mut searched = 0;
        while let Some(m) = picker.next(position, &self.td.history, &threats, &cont_keys) {
            // Step 7. Skip quiet evasions once a move has been searched, captures that lose material (SEE), and
            // captures that cannot lift the evaluation to alpha (delta pruning). A skipped move leaves an upper bound:
            // its margin, or the best value so far.
            if self.rules().pruning
                && let Some(known) = best
                && !known.score().is_loss()
            {
                if in_check {
                    if searched > 0 && !m.is_noisy() {
                        best = Some(after_skipping(known, best_move.is_some()));
                        picker.skip_quiets();
                        continue;
                    }
                } else {
                    if picker.at_bad_noisy() {
                        // Standing pat is at least as good.
                        break;
                    }
                    let limit = stand_pat + m.capture().map_or(0, exchange_value) + params::quiescence_margin();
                    if limit <= alpha.cp() && m.promotion().is_none() {
                        best = Some(known.max(Ibv::upper(Score::heuristic(limit).min(alpha))));
                        continue;
                    }
                }
            }

            // Step 8. Search the move.
            let mut child = *position;
            self.make(&mut child, m, ply);
            let result = self.quiesce_child::<PV>(&child, alpha, beta, ply);
            self.take_back();
            let value = result?;
            searched += 1;
            if best.is_none_or(|best| value > best) {
                best = Some(value);
                if value.raises(alpha) {
                    best_move = Some(m.packed());
                    if PV {
                        self.td.pv.update(ply, m);
                    }
                    if value.cuts(beta) {
                        best = Some(value.force_lower());
                        break;
                    }
                    alpha = value.score();
                }
            }
        }

        // Out of check there is the value of standing pat.
        let Some(best) = best else { return Some(Ibv::exact(Score::mated_in(self.rules().distance.origin(ply)))) };
        let best = window.close(self.rules().composition.conclude(best, window.alpha, beta));

        // Step 9. TT store.
        let entry = Entry {
            value: Some(self.to_tt(best, ply)),
            best: best_move,
            depth: 0,
            pv: was_pv,
            eval: raw,
            tb_entry: false,
        };
        self.shared.tt.store(key, entry);
        Some(best)
    }

    /// Whether the TT's value, however shallow, counts in quiescence. A search without pruning must not depend on
    /// what the TT happens to hold, and the PV does not end at an exact value.
    #[inline]
    fn may_use_tt<const PV: bool>(&self, value: Ibv, depth: i32) -> bool {
        if PV { self.rules().pruning && value.bound() != Bound::Exact } else { depth == 0 || !self.rules().same_depth }
    }
}
