//! Iterative deepening: one thread's way from depth 1 to the end of its limits.

use std::cmp::Reverse;
use std::sync::atomic::Ordering;

use shakmaty::Move;

use super::report::{Basis, Event, Report};
use super::root::{RootMove, RootMoves};
use super::rules::Driver;
use super::tally::TableCuts;
use super::{NodeResult, Search, pv};
use crate::bound::{Bound, Ibv};
use crate::params;
use crate::position::{PackedMove, Position};
use crate::score::{Band, MAX_PLY, Score};

/// What a thread has found.
#[derive(Clone, Debug)]
pub struct ThreadResult {
    /// The move.
    pub best: Move,
    /// Its line.
    pub pv: Vec<PackedMove>,
    /// Its value: exact, unless the search was interrupted before it could be.
    pub value: Ibv,
    /// What the value rests on.
    pub basis: Basis,
    /// The iteration that found it.
    pub depth: i32,
    /// The deepest ply below it.
    pub seldepth: usize,
    /// Nodes of this thread.
    pub nodes: u64,
}

/// What time management watches from iteration to iteration.
#[derive(Default)]
struct Trend {
    best: Option<PackedMove>,
    /// Iterations for which the best move has stayed.
    stable: u32,
    /// A running mean of the score, in centipawns.
    mean: Option<i32>,
}

impl<const PLAY: bool> Search<'_, PLAY> {
    /// Deepens until a limit or the stop flag ends it; what the first thread finds is told.
    ///
    /// None where there is no move to search.
    pub fn iterate(&mut self, lines: usize) -> Option<ThreadResult> {
        if self.roots.0.is_empty() {
            return None;
        }
        let lines = lines.clamp(1, self.roots.0.len());
        let deepest = self.shared.limits.depth.map_or(MAX_PLY as i32 - 1, |d| d.clamp(1, MAX_PLY as u32 - 1) as i32);
        // Helpers look for one line.
        self.adopts_lead = lines == 1 && self.shared.counters.len() > 1;
        // Every other helper works an iteration ahead: what it leaves in the table is deep enough for the others.
        let ahead = if self.id.is_multiple_of(2) { 0 } else { 1 };
        let mut trend = Trend::default();
        // The last complete iteration, where it has several lines.
        let mut complete: Option<RootMoves> = None;
        while self.depth < deepest {
            self.depth = (self.depth + 1 + ahead).min(deepest);
            let finished = !self.is_overtaken()
                && (0..lines)
                    .all(|line| self.aspirate(line, self.depth, lines).map(|_| self.roots.sort_from(line)).is_some());
            if !finished && !self.take_over() {
                break;
            }
            let depth = self.depth;
            self.completed = depth;
            self.publish();
            self.roots.0[..lines].sort_by_key(|root| Reverse((root.rank, root.last_exact.map(|p| p.1))));
            if lines == 1 {
                self.shared.shared_best.finished(depth, &self.roots.0[0]);
            }
            if self.id == 0 {
                for line in 0..lines {
                    self.complete_mate_line(line, false);
                }
                self.recall_mates(lines);
                for line in 0..lines {
                    self.report(line, lines, None);
                }
                if self.search_mates(lines) {
                    self.complete_mate_line(0, false);
                    self.recall_mates(lines);
                    self.report(0, lines, None);
                }
                if self.is_enough(depth, &mut trend) {
                    break;
                }
            }
            self.best_before = self.roots.0.first().cloned();
            if lines > 1 {
                complete = Some(self.roots.clone());
            }
            if self.shared.stop.load(Ordering::Relaxed) {
                break;
            }
        }
        if self.completed < self.depth
            && let Some(complete) = complete
        {
            // Lines are told together, so those of the last complete iteration stand.
            self.roots = complete;
        } else if self.completed < self.depth {
            // The interrupted iteration counts as far as it has exact values: a move that beat the first one stays in
            // front. One that only failed high or low goes back: what is announced as best should have an exact line.
            for root in &mut self.roots.0 {
                if root.value.is_some() && root.value.bound() != Bound::Exact {
                    root.value = Ibv::NONE;
                }
            }
            let previous = self.best_before.as_ref().map(|root| root.m);
            self.roots.0.sort_by_key(|root| Reverse((root.rank, root.value, Some(root.m) == previous)));
            // That a move loses says nothing of those that have not been searched: until all have been, the iteration
            // before knows better.
            let front = self.roots.0[0].value;
            if front.is_some()
                && front.score().is_loss()
                && let Some(before) = self.best_before.take()
            {
                self.roots.0.retain(|root| root.m != before.m);
                self.roots.0.insert(0, before);
            }
        }
        self.complete_mate_line(0, true);
        self.recall_mates(lines);
        self.publish();
        let (depth, value) = match self.roots.0[0].last_exact {
            Some((depth, score)) => (depth, self.reported(0, Ibv::exact(score))),
            None if self.roots.0[0].value.is_some() => (self.depth, self.reported(0, self.roots.0[0].value)),
            // Stopped before the first move had a value: nothing is known of it but an evaluation.
            None => (self.depth, Ibv::exact(self.evaluation_of_first())),
        };
        // That some moves lose says nothing of those that have not been searched.
        let value = if self.completed == 0 && value.score().is_loss() { value.force_lower() } else { value };
        let root = &self.roots.0[0];
        Some(ThreadResult {
            best: root.m,
            pv: root.pv.clone(),
            value,
            basis: self.basis(0, value),
            depth,
            seldepth: root.seldepth,
            nodes: self.nodes,
        })
    }

    /// Orders the lines, after bringing back the mates that have been shown before: none is withdrawn for less.
    pub(super) fn recall_mates(&mut self, lines: usize) {
        self.roots.0.iter_mut().for_each(RootMove::recall_mate);
        self.order_lines(lines);
        // A move that has fallen behind the lines is among them again if its mate is better than the last of them.
        let (last, rank) = (lines - 1, self.roots.0[lines - 1].rank);
        let least = self.roots.0[last].last_exact.map(|(_, score)| score);
        let mate = |root: &RootMove| root.mate.as_ref().map(|&(score, _)| score).filter(|score| score.is_win());
        let behind = (lines..self.roots.0.len()).filter(|&index| self.roots.0[index].rank == rank);
        let best = behind.max_by_key(|&index| (mate(&self.roots.0[index]), Reverse(index)));
        if let Some(index) = best
            && mate(&self.roots.0[index]).is_some_and(|mate| least.is_none_or(|least| mate > least))
        {
            self.roots.0[last..=index].rotate_right(1);
            self.order_lines(lines);
        }
    }

    /// Orders the lines by what is told of them: completing the line of a mate may have corrected its length, and a
    /// tablebase result hides what the search believes.
    fn order_lines(&mut self, lines: usize) {
        let reported = |root: &RootMove| {
            let value = Ibv::exact(root.last_exact?.1);
            Some(self.shared.conventions.to_uci(root.reported(value, self.past.has_traps())))
        };
        self.roots.0[..lines].sort_by_key(|root| Reverse(reported(root)));
    }

    /// A value of the root move at `index`, as it is told.
    fn reported(&self, index: usize, value: Ibv) -> Ibv {
        self.roots.0[index].reported(value, self.past.has_traps())
    }

    /// The evaluation of the position after the first root move, for the root's side.
    fn evaluation_of_first(&mut self) -> Score {
        self.return_to_root();
        let root = self.game.position();
        let child = self.make(root, self.roots.0[0].m, 0);
        // In check there is no evaluation of its own; the network's is a fair guess.
        let cp = -self.evaluate(&child);
        self.take_back();
        Score::heuristic(cp + self.shared.conventions.contempt)
    }

    /// What a told value of the root move at `index` rests on.
    fn basis(&self, index: usize, value: Ibv) -> Basis {
        let proved = value.proof().is_some();
        match value.score().band() {
            Band::Mate if proved => Basis::Mate,
            Band::Tablebase if proved => Basis::Tablebase,
            Band::Recognizer if proved => Basis::Recognized,
            Band::Draw if value.bound() == Bound::Exact => self.certain_draw(index).unwrap_or_default(),
            _ => Basis::Evaluation,
        }
    }

    /// What proves that a line is drawn. The search never does: pruning and repetitions inside the tree are opinions.
    ///
    /// The first line stands for the root, so tables must know all its moves; any other line stands for its move.
    fn certain_draw(&self, index: usize) -> Option<Basis> {
        let drawn = |position: &Position| self.recognize(position, 0).settles_draw();
        let roots = &self.roots.0;
        let by_tables = if index == 0 {
            roots.iter().all(|root| root.table.is_some_and(|result| !result.is_win()))
        } else {
            roots[index].table.is_some_and(Score::is_draw)
        };
        if by_tables {
            return Some(Basis::Tablebase);
        }
        let by_rule = if index == 0 {
            drawn(self.game.position())
        } else {
            let mut after = self.game.clone();
            after.play(roots[index].m);
            drawn(after.position()) || after.outcome().is_some()
        };
        by_rule.then_some(Basis::Recognized)
    }

    /// Takes over the iteration that a faster thread has finished, if there is one, in place of an interrupted one.
    fn take_over(&mut self) -> bool {
        if !self.is_overtaken() {
            return false;
        }
        let Some((depth, best)) = self.shared.shared_best.take_over() else { return false };
        let Some(index) = self.roots.0.iter().position(|root| root.m == best.m) else { return false };
        self.return_to_root();
        self.depth = depth;
        let nodes = self.roots.0[index].nodes;
        self.roots.0[..=index].rotate_right(1);
        let mate = self.roots.0[0].mate.take();
        self.roots.0[0] = RootMove { nodes, mate, ..best };
        true
    }

    /// One line of one iteration, searched with a window around the last score that opens as it fails.
    fn aspirate(&mut self, line: usize, depth: i32, lines: usize) -> NodeResult {
        if let Driver::Mtdf { growing } = self.rules().driver {
            return self.mtdf(line, depth, growing);
        }
        let previous = self.roots.0[line].last_exact.map(|(_, score)| score);
        let (mut alpha, mut beta) = (Score::MIN, Score::MAX);
        let mut width = params::aspiration_width();
        if depth >= 4
            && let Some(centre) = previous
            && !centre.is_decisive()
        {
            alpha = centre.offset(-width);
            beta = centre.offset(width);
        }
        let mut reduced = 0;
        loop {
            let value = self.search_root(line, alpha, beta, (depth - reduced).max(1))?;
            self.count(TableCuts::pass);
            self.roots.sort_from(line);
            if value.bound() == Bound::Exact && value.score() > alpha && value.score() < beta {
                return Some(value);
            }
            if value.cuts(beta) && beta < Score::MAX {
                // Failing high, the move is good enough to be found again at less depth.
                if self.rules().pruning {
                    reduced = (reduced + 1).min(3);
                }
                width += width * params::aspiration_growth() / 100 + 1;
                beta = if value.score().is_decisive() || width > 600 {
                    Score::MAX
                } else {
                    value.score().max(beta).offset(width)
                };
            } else if value.score() <= alpha && alpha > Score::MIN {
                reduced = 0;
                width += width * params::aspiration_growth() / 100 + 1;
                alpha = if value.score().is_decisive() || width > 600 {
                    Score::MIN
                } else {
                    value.score().min(alpha).offset(-width)
                };
            } else {
                // The window was open on the side of the value: nothing is left to learn.
                return Some(value);
            }
            if self.id == 0 && lines == 1 {
                // A value below the window may be exact, but the line that would show it has not been kept.
                let open = if value.bound() == Bound::Exact { value.force_upper() } else { value };
                self.report(line, lines, Some(open));
            }
        }
    }

    /// Tells of a line: its exact value or, inside an iteration, the bound that it failed with.
    fn report(&self, index: usize, lines: usize, open: Option<Ibv>) {
        let root = &self.roots.0[index];
        let value = open.or(root.last_exact.map(|(_, score)| Ibv::exact(score))).unwrap_or(root.value);
        if !value.is_some() {
            return;
        }
        let mut value = self.reported(index, value);
        let complete = value.score().mate_ply().is_none_or(|plies| root.pv.len() == plies);
        if open.is_none() && !complete && value.bound() == Bound::Exact && self.shared.stop.load(Ordering::Relaxed) {
            // The end came while a mate's line was being completed. A single one is completed once more, and told, when
            // all is over; of several the bound is told that is proved.
            if lines == 1 {
                return;
            }
            value = value.proof();
        }
        self.publish();
        // A mate that an earlier iteration proved stands in this one, too: lines that are told together have one depth.
        self.shared.tell(|| Event::Line(self.describe(index, lines, value, self.depth, open.is_none())));
    }

    /// A report of a line.
    fn describe(&self, index: usize, lines: usize, value: Ibv, depth: i32, complete: bool) -> Report {
        let root = &self.roots.0[index];
        Report {
            depth: depth.max(0) as u32,
            seldepth: root.seldepth.max(depth.max(0) as usize) as u32,
            line: index + 1,
            lines,
            value: self.shared.conventions.to_uci(value),
            basis: self.basis(index, value),
            complete,
            nodes: self.shared.nodes(),
            time: self.shared.start.elapsed(),
            hashfull: self.shared.tt.hashfull(),
            tbhits: self.shared.tbhits(),
            pv: pv::unpack(self.game, &root.pv),
        }
    }

    /// Tells which root move is being searched.
    pub(super) fn report_current(&self, m: Move, number: usize) {
        self.publish();
        self.shared.tell(|| Event::CurrentMove {
            depth: self.depth.max(0) as u32,
            current: m,
            number,
            nodes: self.shared.nodes(),
            time: self.shared.start.elapsed(),
        });
    }

    /// Whether the first thread should end the search after an iteration.
    fn is_enough(&self, depth: i32, trend: &mut Trend) -> bool {
        let best = &self.roots.0[0];
        let Some((_, score)) = best.last_exact else { return false };
        if let Some(moves) = self.shared.limits.mate
            && let Some(found) = score.mate_moves()
            && found.unsigned_abs() <= moves
        {
            return true;
        }
        if self.shared.limits.soft_nodes.is_some_and(|limit| self.nodes >= limit) {
            return true;
        }

        // Time: an easy move needs less, a move that changes or a score that falls needs more.
        let packed = PackedMove::new(best.m);
        trend.stable = if trend.best == Some(packed) { trend.stable + 1 } else { 0 };
        trend.best = Some(packed);
        let cp = score.cp();
        let mean = trend.mean.unwrap_or(cp);
        let drop = (mean - cp).clamp(-60, 120);
        trend.mean = Some((mean * 2 + cp) / 3);

        let clock = self.shared.clock;
        if !clock.is_managed() {
            return false;
        }
        let stability = 125u32.saturating_sub(9 * trend.stable.min(7));
        let falling = (100 + drop / 2).max(70) as u32;
        let share = (best.nodes * 100 / self.nodes.max(1)) as u32;
        let effort = 165u32.saturating_sub(share);
        let only_move = self.roots.group_end(0) == 1 && depth >= 4;
        // A mate that the depth has covered several times over will not get shorter.
        let settled = score.mate_ply().is_some_and(|ply| depth as usize > 2 * ply + 4);
        let enough = only_move
            || settled
            || clock.is_soft_limit_reached(stability * falling / 100 * effort / 100, self.shared.nodes());
        if self.shared.pondering.load(Ordering::Relaxed) {
            clock.set_enough(enough);
            return false;
        }
        enough
    }
}
