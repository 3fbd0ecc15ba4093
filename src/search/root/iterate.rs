//! Iterative deepening: one thread's iterations, from depth 1 to its limits.

use std::cmp::Reverse;
use std::sync::atomic::Ordering;

use crate::bound::{Bound, Ibv};
use crate::params;
use crate::score::{MAX_PLY, Score};
use crate::search::state::{Event, Exact, Lead, PvCompletion, RootMove, RootMoves, Search, ThreadResult};
use crate::time::{PreviousSearch, Trend};

impl<const PLAY: bool> Search<'_, PLAY> {
    /// Deepens until a limit or the stop flag ends the search. The first thread reports its lines.
    ///
    /// Returns `None` if there is no move to search. A helper has no result before its first iteration is complete:
    /// its opinion of the few moves that it has seen must not outvote the first thread.
    pub fn iterate(&mut self, multi_pv: usize) -> Option<ThreadResult> {
        if self.root.moves.is_empty() {
            return None;
        }
        self.td.age();
        self.root.multi_pv = multi_pv.clamp(1, self.root.moves.len());
        let deepest = self.shared.limits.depth.map_or(MAX_PLY as i32 - 1, |d| d.clamp(1, MAX_PLY as u32 - 1) as i32);
        // Only searches of one line take over iterations; helpers always search one.
        self.root.adopts_lead = self.root.multi_pv == 1 && self.shared.counters.len() > 1;
        // Every other helper works an iteration ahead: what it stores in the TT is deep enough for the others.
        let ahead = if self.id.is_multiple_of(2) { 0 } else { 1 };
        let ply = self.game.position().game_ply();
        let mut trend = Trend::after(self.td.previous_search, ply);
        // The last complete iteration, if it has several lines.
        let mut complete: Option<RootMoves> = None;
        while self.root.depth < deepest {
            self.root.depth = (self.root.depth + 1 + ahead).min(deepest);
            let Some(effort) = self.complete_iteration() else { break };
            if self.id == 0 {
                self.finish_iteration();
                if self.ends_after_iteration(&mut trend, effort) {
                    break;
                }
            }
            self.root.previous_best = self.root.moves.first().cloned();
            if self.root.multi_pv > 1 {
                complete = Some(self.root.moves.clone());
            }
            if self.shared.stop.load(Ordering::Relaxed) {
                break;
            }
        }
        if self.root.completed_depth < self.root.depth {
            match complete {
                // Lines are reported together, so those of the last complete iteration stand.
                Some(complete) => self.root.moves = complete,
                None => self.use_interrupted_iteration(),
            }
        }
        self.complete_mate_line(0, PvCompletion::AfterSearch);
        self.recall_mates();
        self.publish();
        self.td.nodes += self.counters.nodes;
        if self.id > 0 && self.root.completed_depth == 0 {
            return None;
        }
        Some(self.result())
    }

    /// Completes an iteration: searches its lines, or takes over what a faster thread has found. Returns the effort for
    /// the best move, in percent, or `None` if the iteration was interrupted.
    fn complete_iteration(&mut self) -> Option<u32> {
        // A faster thread's iteration comes with that thread's effort.
        let taken_over = if self.search_lines() { None } else { Some(self.take_over()?) };
        self.root.completed_depth = self.root.depth;
        self.publish();
        self.root.moves.sort_lines(self.root.multi_pv);
        let effort = taken_over.unwrap_or_else(|| self.effort());
        if self.root.multi_pv == 1 {
            self.shared.shared_best.record(self.root.depth, &self.root.moves[0], effort);
        }
        Some(effort)
    }

    /// Searches all lines of an iteration. Returns whether it was completed.
    fn search_lines(&mut self) -> bool {
        if self.is_overtaken() {
            return false;
        }
        // The search goes rank by rank, but the lines may have been reported in another order.
        self.root.moves.sort_by_rank(self.root.multi_pv);
        for pv_index in 0..self.root.multi_pv {
            if self.search_pv(pv_index).is_none() {
                return false;
            }
            self.root.moves.sort_from(pv_index);
        }
        true
    }

    /// The share of this thread's nodes that went to the best move, in percent.
    pub(in crate::search) fn effort(&self) -> u32 {
        (self.root.moves[0].nodes * 100 / self.counters.nodes.max(1)) as u32
    }

    /// Takes over the iteration that a faster thread has completed. Returns that thread's effort for the best move,
    /// in percent, or `None` if there is no such iteration: this thread's own nodes went to another search.
    pub(in crate::search) fn take_over(&mut self) -> Option<u32> {
        if !self.is_overtaken() {
            return None;
        }
        let Lead { depth, best, effort } = self.shared.shared_best.lead()?;
        // A proved win holds at any depth: it is not given up for another thread's opinion.
        let is_better = |own: Score| own.is_win() && best.score().is_none_or(|other| other < own);
        let before = self.root.previous_best.as_ref().filter(|before| before.score().is_some_and(is_better));
        let best = before.cloned().unwrap_or(best);
        let front = self.root.moves.bring_to_front(best.m)?;
        let (nodes, mate) = (front.nodes, front.mate.take());
        *front = RootMove { nodes, mate, ..best };
        self.return_to_root();
        self.root.depth = depth;
        // A fail high in the abandoned iteration says nothing about the next one.
        self.root.failed_high = None;
        Some(effort)
    }

    /// Completes and reports the lines of an iteration, and looks for mates.
    fn finish_iteration(&mut self) {
        for pv_index in 0..self.root.multi_pv {
            self.complete_mate_line(pv_index, PvCompletion::BetweenIterations);
        }
        self.recall_mates();
        for pv_index in 0..self.root.multi_pv {
            self.report(pv_index, None);
        }
        if self.search_mates() {
            self.complete_mate_line(0, PvCompletion::BetweenIterations);
            self.recall_mates();
            self.report(0, None);
        }
    }

    /// Orders the root moves after an interrupted iteration, of which only the exact values count.
    ///
    /// A move that beat the first one stays in front, even if it failed high and was to be searched with a wider
    /// window: its value is a lower bound. Others that only failed high or low go back, because the best move should
    /// have an exact score.
    pub(in crate::search) fn use_interrupted_iteration(&mut self) {
        // If it has been searched again, its new value counts.
        let open = |m| self.root.moves.iter().any(|root| root.m == m && root.value.is_none());
        let failed_high = self.root.failed_high.filter(|&(m, _)| open(m));
        for root in self.root.moves.iter_mut() {
            if root.value.is_some_and(|value| value.bound() != Bound::Exact) {
                root.value = None;
            }
        }
        let previous = self.root.previous_best.as_ref().map(|root| root.m);
        self.root.moves.sort_by_key(|root| Reverse((root.rank, root.value, Some(root.m) == previous)));
        if let Some((m, value)) = failed_high.filter(|&(m, _)| Some(m) != previous)
            && let Some(best) = self.root.moves.bring_to_front(m)
        {
            (best.value, best.last_exact) = (Some(value), None);
            best.pv = vec![m.packed()];
            return;
        }
        // If one move loses, that says nothing about those that have not been searched. The previous iteration
        // decides.
        let front = self.root.moves[0].value;
        if front.is_some_and(|front| front.score().is_loss())
            && let Some(before) = self.root.previous_best.take()
            && let Some(best) = self.root.moves.bring_to_front(before.m)
        {
            *best = RootMove { value: None, ..before };
        }
    }

    /// The thread's result: its first root move, with the value that it is reported with.
    pub(in crate::search) fn result(&mut self) -> ThreadResult {
        let (depth, value) = match self.root.moves[0].last_exact {
            Some(Exact { depth, score }) => (depth, self.reported(0, Ibv::exact(score))),
            None => match self.root.moves[0].value {
                Some(value) => (self.root.depth, self.reported(0, value)),
                // Stopped before the first move had a value.
                None => (self.root.depth, Ibv::exact(self.evaluation_of_first())),
            },
        };
        // In the first iteration, other moves may not have been searched, and one of them may be better.
        let is_compared = self.root.completed_depth > 0 || self.root.moves.len() == 1;
        let value = if is_compared { value } else { value.force_lower() };
        let root = &self.root.moves[0];
        // A move that failed high at the end has a bound for a score.
        let score = root.score().or(root.value.map(Ibv::score));
        let ply = self.game.position().game_ply();
        ThreadResult {
            best: root.m,
            pv: root.pv.clone(),
            value,
            basis: self.basis(0, value),
            complete: is_compared && root.last_exact.is_some(),
            depth,
            iteration: if root.value.is_some() { self.root.depth } else { self.root.completed_depth },
            for_next_search: score.map(|score| PreviousSearch { ply, cp: score.cp() }),
            seldepth: root.seldepth,
            nodes: self.counters.nodes,
        }
    }

    /// Restores mates that were reported before and lost since, and orders the lines.
    pub(in crate::search) fn recall_mates(&mut self) {
        let multi_pv = self.root.multi_pv;
        self.root.moves.iter_mut().for_each(RootMove::recall_mate);
        self.order_lines();
        // A move after the lines comes back if its mate is better than the last line.
        let (last, rank) = (multi_pv - 1, self.root.moves[multi_pv - 1].rank);
        let least = self.root.moves[last].score();
        let mate = |root: &RootMove| root.mate.as_ref().map(|mate| mate.score).filter(|score| score.is_win());
        let behind = (multi_pv..self.root.moves.len()).filter(|&index| self.root.moves[index].rank == rank);
        let best = behind.max_by_key(|&index| (mate(&self.root.moves[index]), Reverse(index)));
        if let Some(index) = best
            && mate(&self.root.moves[index]).is_some_and(|mate| least.is_none_or(|least| mate > least))
        {
            self.root.moves[last..=index].rotate_right(1);
            self.order_lines();
        }
    }

    /// Orders the lines as they are reported: proved wins first, proved losses last, and between them by what the
    /// tables say they keep. Of equal lines the one with the greater value comes first: completing a mate's PV may
    /// have corrected its length, and a tablebase result replaces the search's score.
    fn order_lines(&mut self) {
        let (conventions, reporting) = (self.shared.conventions, self.reporting());
        let place = |root: &RootMove| {
            let value = conventions.without_contempt(root.reported(Ibv::exact(root.score()?), reporting));
            let score = value.score();
            let open = root.rank.filter(|_| !score.is_decisive());
            Some((score.is_win(), !score.is_loss(), open, value, root.rank))
        };
        self.root.moves[..self.root.multi_pv].sort_by_key(|root| Reverse(place(root)));
    }

    /// The evaluation of the position after the first root move, from the root's view.
    fn evaluation_of_first(&mut self) -> Score {
        self.return_to_root();
        let root = self.game.position();
        let mut child = *root;
        self.make(&mut child, self.root.moves[0].m, 0);
        let cp = -self.evaluate(&child, 1);
        self.take_back();
        Score::heuristic(cp + self.shared.conventions.contempt)
    }

    /// Whether the first thread ends the search after this iteration, whose best move took this effort, in percent.
    fn ends_after_iteration(&self, trend: &mut Trend, effort: u32) -> bool {
        let best = &self.root.moves[0];
        let Some(score) = best.score() else { return false };
        if self.answers_go_mate(score)
            || self.shared.limits.soft_nodes.is_some_and(|limit| self.counters.nodes >= limit)
        {
            return true;
        }
        let stretch = trend.add(best.m.packed(), score.cp(), effort);
        self.shared.clock.is_managed() && self.has_thought_enough(score, stretch)
    }

    /// Whether the mate of `go mate` is found or refuted; reports a refutation.
    fn answers_go_mate(&self, score: Score) -> bool {
        let Some(moves) = self.shared.limits.mate else { return false };
        if score.mate_moves().is_some_and(|found| found.unsigned_abs() <= moves) {
            return true;
        }
        let is_refuted = self.is_mate_refuted(moves, score);
        if is_refuted {
            let refuted = format!("there is no mate in {moves}, either for the side to move or against it");
            self.shared.send(|| Event::Message(refuted));
        }
        is_refuted
    }

    /// Whether the search needs no further iteration, with the soft limit stretched to `stretch` percent of itself.
    /// On the opponent's time this is only recorded, and the search goes on.
    fn has_thought_enough(&self, score: Score, stretch: u32) -> bool {
        let pondering = !self.shared.is_our_time();
        let clock = self.shared.clock;
        clock.note_nodes(self.shared.nodes());
        let is_only_move = self.root.moves.group_end(0) == 1 && self.root.depth >= params::ONLY_MOVE_DEPTH;
        let enough =
            is_only_move || is_mate_settled(score, self.root.depth) || clock.is_soft_limit_reached(stretch, pondering);
        if pondering {
            clock.set_enough(enough);
            return false;
        }
        enough
    }
}

/// Whether an iteration of this depth settles a mate. A mate at less than half the depth gets no shorter.
fn is_mate_settled(score: Score, depth: i32) -> bool {
    score.mate_ply().is_some_and(|ply| depth as usize > 2 * ply + params::MATE_SETTLED_BEYOND)
}
