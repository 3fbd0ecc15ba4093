//! Mate lines: an announced mate has a complete PV.
//!
//! The search stops early where the TT already proves a mate, so its PVs may end before the mate. The proof is still
//! in the TT, or a null-window search finds it again: is it mate by ply `n`? Mate distance pruning keeps that search
//! small. The PV is completed move by move: the winner needs a move after which the answer is yes, the loser one
//! after which there is no earlier mate.

use crate::bound::Ibv;
use crate::params;
use crate::position::game::Ending;
use crate::position::{Move, PackedMove, Position};
use crate::score::Score;
use crate::search::state::{Exact, PvCompletion, Search};

/// The state of completing a line.
struct MateWalk<'a> {
    /// The ply of the mate.
    length: usize,
    /// Depth of each search beyond the mate, in plies: at more depth, pruning hides fewer moves.
    slack: i32,
    /// The PV that the search has found.
    guide: &'a [PackedMove],
}

impl<const PLAY: bool> Search<'_, PLAY> {
    /// Completes the PV of a root move whose value is an exact mate.
    ///
    /// If the PV shows an earlier mate, the value is corrected.
    pub(in crate::search) fn complete_mate_line(&mut self, index: usize, when: PvCompletion) {
        let Some(Exact { depth, score }) = self.root.moves[index].last_exact else { return };
        let Some(length) = score.mate_ply() else { return };
        // Scores that do not count plies do not say how long the PV should be.
        let counts_plies = !self.rules().distance.wants_evaluation();
        if length == 0 || !counts_plies || self.is_mate_line(&self.root.moves[index].pv, length) {
            self.root.moves[index].pv_is_incomplete = false;
            if counts_plies {
                self.root.moves[index].remember_mate();
            }
            return;
        }
        let guide = std::mem::take(&mut self.root.moves[index].pv);
        let found = self.aside(when, |search| search.find_mate_line(&guide, length, score.is_win()));
        let root = &mut self.root.moves[index];
        root.pv_is_incomplete = found.is_none();
        match found {
            Some(line) => {
                if line.len() != length {
                    let corrected =
                        if score.is_win() { Score::mate_in(line.len()) } else { Score::mated_in(line.len()) };
                    root.last_exact = Some(Exact { depth, score: corrected });
                    if root.value.is_some() {
                        root.value = Some(Ibv::exact(corrected));
                    }
                }
                root.pv = line;
            }
            None => root.pv = guide,
        }
        root.remember_mate();
    }

    /// Searches for a line, from the root and back to it, with a node limit of its own. The search's own counts and
    /// limits are restored afterwards, except that the nodes of a line between two iterations count for the search.
    fn aside<T>(&mut self, when: PvCompletion, search: impl FnOnce(&mut Self) -> T) -> T {
        // A search that was cut short has left the path where it was.
        self.return_to_root();
        let (nodes, limit, seldepth, tbhits) =
            (self.counters.nodes, self.counters.budget.limit(), self.counters.seldepth, self.counters.tbhits);
        let over = when == PvCompletion::AfterSearch;
        let own_limit = nodes + self.line_budget(over);
        self.pv_completion = when;
        if over {
            // After the search, these nodes count towards no limit of the search.
            self.counters.budget.set_only_limit(own_limit);
        } else {
            self.counters.budget.set_limit(limit.min(own_limit));
        }
        let result = search(self);
        self.pv_completion = PvCompletion::Off;
        self.return_to_root();
        self.counters.budget.set_limit(limit);
        self.counters.seldepth = seldepth;
        if over {
            // `go nodes` reports the nodes of the search alone, and the hits among them.
            (self.counters.nodes, self.counters.tbhits) = (nodes, tbhits);
        }
        result
    }

    /// The nodes that a line may cost, between two iterations or after the search.
    fn line_budget(&self, over: bool) -> u64 {
        let limits = self.shared.limits;
        match (over, limits.is_timed()) {
            (false, _) => params::MATE_LINE_NODES + self.counters.nodes / params::MATE_LINE_SHARE,
            (true, true) => params::MATE_LINE_NODES_TIMED,
            (true, false) if limits.infinite => params::MATE_LINE_NODES_STOPPED,
            (true, false) => params::MATE_LINE_NODES_LAST,
        }
    }

    /// A line to mate at ply `length`, or, if the side to move wins, at an earlier ply if possible.
    fn find_mate_line(&mut self, guide: &[PackedMove], length: usize, win: bool) -> Option<Vec<PackedMove>> {
        let position = *self.game.position();
        let first = guide.first().and_then(|&m| position.find(m))?;
        for slack in [1, 4, 8] {
            // A winner whose line cannot be as long as announced has announced too much.
            let shortest = if win { length.saturating_sub(4).max(1) } else { length };
            for announced in (shortest..=length).rev().step_by(2) {
                let walk = MateWalk { length: announced, slack, guide };
                let mut line = vec![first.packed()];
                let mut child = position;
                self.make(&mut child, first, 0);
                // Mate by the announced ply is proved already, but a sooner mate is not: without this test, a line in
                // which the loser helps would do.
                let proved = if announced < length { self.is_mated_by(&child, 1, &walk) } else { Some(true) };
                let found = match proved {
                    Some(true) => self.walk(&child, 1, &walk, &mut line),
                    other => other,
                };
                self.take_back();
                if found? {
                    return Some(line);
                }
            }
        }
        None
    }

    /// Extends `line`, which leads to `position` at `ply`, to mate at the walk's length. Returns `None` if the budget
    /// is spent.
    fn walk(
        &mut self,
        position: &Position,
        ply: usize,
        walk: &MateWalk<'_>,
        line: &mut Vec<PackedMove>,
    ) -> Option<bool> {
        let legal = position.legal_moves();
        if ply == walk.length || legal.is_empty() {
            return Some(ply == walk.length && legal.is_empty() && position.in_check());
        }
        if self.is_drawn(position, ply) {
            return Some(false);
        }
        let winning = (walk.length - ply) % 2 == 1;
        let guided = walk.guide[..ply.min(walk.guide.len())] == line[..ply.min(walk.guide.len())];
        let expected = walk.guide.get(ply).copied().filter(|_| guided);
        let known = self.probe(self.past.key(position, ply)).and_then(|entry| entry.best);
        let mut moves: Vec<(u8, Move)> = Vec::with_capacity(legal.len());
        for m in legal {
            let rank = if expected == Some(m.packed()) {
                0
            } else if known == Some(m.packed()) {
                1
            } else {
                2 + u8::from(!position.after(m).in_check())
            };
            moves.push((rank, m));
        }
        moves.sort_by_key(|&(rank, _)| rank);
        let last = walk.length - ply == 1;
        for (_, m) in moves {
            let mut child = *position;
            self.make(&mut child, m, ply);
            let promising = if last {
                // Mate on the board needs no search.
                Some(child.is_checkmate())
            } else if winning {
                self.is_mated_by(&child, ply + 1, walk).map(|yes| yes && !self.is_drawn(&child, ply + 1))
            } else {
                self.mates_sooner(&child, ply + 1, walk).map(|sooner| !sooner)
            };
            let mut found = promising;
            if promising == Some(true) {
                line.push(m.packed());
                found = self.walk(&child, ply + 1, walk, line);
                if found != Some(true) {
                    line.pop();
                }
            }
            self.take_back();
            if found? {
                return Some(true);
            }
        }
        Some(false)
    }

    /// Whether a search finds that the side to move is mated by the walk's length at the latest.
    fn is_mated_by(&mut self, position: &Position, ply: usize, walk: &MateWalk<'_>) -> Option<bool> {
        let alpha = Score::mated_in(walk.length);
        let depth = (walk.length - ply) as i32 + walk.slack;
        Some(self.search_node::<false>(position, alpha, alpha.above(), depth, ply, false)?.fails_low(alpha))
    }

    /// Whether a search finds that the side to move mates before the walk's length.
    fn mates_sooner(&mut self, position: &Position, ply: usize, walk: &MateWalk<'_>) -> Option<bool> {
        if ply + 2 >= walk.length {
            // Even a mate by the next move would not be sooner.
            return Some(false);
        }
        let beta = Score::mate_in(walk.length - 2);
        let depth = (walk.length - ply) as i32 + walk.slack;
        Some(self.search_node::<false>(position, beta.below(), beta, depth, ply, true)?.cuts(beta))
    }

    /// Whether a line is legal and ends in mate at this ply, without a draw by repetition or the 50-move rule before.
    fn is_mate_line(&self, line: &[PackedMove], length: usize) -> bool {
        let mut game = self.game.clone();
        line.len() == length
            && line.iter().enumerate().all(|(ply, &packed)| match game.position().find(packed) {
                // A drawn root is searched all the same.
                Some(m) if ply == 0 || game.outcome().is_none() => {
                    game.play(m);
                    true
                }
                _ => false,
            })
            && game.outcome() == Some(Ending::Checkmate)
    }
}
