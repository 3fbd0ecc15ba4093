//! Updates of the histories after a node: the move histories learn which moves cause cutoffs and what quiet moves did
//! to the evaluation, correction history how far the evaluation was off.

use crate::bound::Ibv;
use crate::params;
use crate::position::attacks::Attacks;
use crate::position::{Move, Position};
use crate::search::ordering::history;
use crate::search::ordering::history::{ContKeys, Tried};
use crate::search::state::{Node, Search};

impl<const PLAY: bool> Search<'_, PLAY> {
    /// Rewards the best move of a node in the histories, and punishes the moves tried before it.
    pub(in crate::search) fn update_histories(
        &mut self,
        position: &Position,
        ply: usize,
        depth: i32,
        m: Move,
        threats: &Attacks,
        tried: &Tried,
    ) {
        let cont_keys = self.cont_keys(ply);
        let (bonus, malus) = (history::bonus(depth), history::malus(depth));
        let history = &mut self.td.history;
        if m.is_noisy() {
            history.update_noisy(position, m, bonus);
        } else {
            history.update_quiet(position, threats, &cont_keys, m, bonus);
            for &quiet in &tried.quiets {
                history.update_quiet(position, threats, &cont_keys, quiet, -malus);
            }
        }
        for &capture in &tried.noisy {
            history.update_noisy(position, capture, -malus);
        }
    }

    /// Records a beta cutoff by `m` for the siblings: the killer move, and the count that late move reductions read.
    #[inline]
    pub(in crate::search) fn note_cutoff(&mut self, ply: usize, m: Move) {
        let entry = self.stack_mut(ply);
        entry.cutoffs += 1;
        if !m.is_noisy() {
            entry.killer = Some(m.packed());
        }
    }

    /// Rewards or punishes the preceding quiet move by what it did to the evaluation. Every quiet move whose node is
    /// evaluated learns this way, whereas beta cutoffs are rare.
    #[inline]
    pub(in crate::search) fn reward_by_eval_difference(&mut self, ply: usize, eval: i32) {
        let parent = self.stack_before(ply, 1);
        if let (Some(before), Some(slots)) = (parent.eval, parent.quiet_slots) {
            let gain = params::eval_diff_offset() - (before + eval);
            let max = params::eval_diff_max();
            self.td.history.update_quiet_slots(slots, (params::eval_diff_slope() * gain).clamp(-max, max));
        }
    }

    /// Teaches correction history how far the evaluation was off, if the result shows it and no capture explains it.
    #[inline]
    pub(in crate::search) fn learn_correction(
        &mut self,
        node: &Node<'_>,
        value: Ibv,
        best: Option<Move>,
        cont_keys: &ContKeys,
    ) {
        let is_quiet = !node.in_check && !best.is_some_and(Move::is_noisy);
        if is_quiet && !value.score().is_decisive() && value.corrects(node.eval) {
            let error = value.score().cp() - node.eval;
            self.td.correction.update(node.position, cont_keys, node.depth, error);
        }
    }
}
