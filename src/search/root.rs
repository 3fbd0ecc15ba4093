//! The root: its moves, each with what is known about it, and the search through them.

use std::cmp::{Ordering, Reverse};
use std::ops::{Deref, DerefMut, Range};

use shakmaty::Bitboard;

use super::history::{History, Tried};
use super::node::Candidate;
use super::picker::Picker;
use super::{NodeResult, Search, reductions};
use crate::bound::{Bound, Ibv};
use crate::params;
use crate::position::attacks::Attacks;
use crate::position::{Game, Move, PackedMove, Position};
use crate::recognize::syzygy::{Keeps, Rank, Ranking};
use crate::score::{Band, DrawRule, Score};

/// An exact value of a root move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Exact {
    /// The depth of the search that found it: its iteration's, or up to three plies less after failing high.
    pub depth: i32,
    pub score: Score,
}

/// A mate with its complete PV.
#[derive(Clone, Debug)]
pub(super) struct CompleteMate {
    pub score: Score,
    pub pv: Vec<PackedMove>,
}

/// What a reported value depends on, besides its move.
#[derive(Clone, Copy)]
pub(super) struct Reporting {
    /// Whether the game has traps.
    pub traps: bool,
    /// What the search adds to the evaluations of the root's side, in centipawns.
    pub contempt: i32,
}

/// A root move and what is known about it.
#[derive(Clone, Debug)]
pub(super) struct RootMove {
    pub m: Move,
    /// What tablebases say it keeps, if they have it; only moves of equal rank are searched together. A move whose
    /// mate the mate search has proved has the rank of the best.
    pub rank: Option<Rank>,
    /// The result that tablebases prove for it; `None` if the clock or the past of the game leaves it open.
    pub tb_score: Option<Score>,
    /// Its value in the current iteration; none until it has been searched to a value of its own.
    pub value: Ibv,
    /// Its last exact value.
    pub last_exact: Option<Exact>,
    /// The line of that value.
    pub pv: Vec<PackedMove>,
    /// Whether that value is a mate and its line could not be completed in time.
    pub pv_is_incomplete: bool,
    /// The nearest mate by the root's side, or the latest against it, that has its complete PV.
    pub mate: Option<CompleteMate>,
    /// Nodes spent on it.
    pub nodes: u64,
    /// The deepest ply below it.
    pub seldepth: usize,
}

/// The root's moves, best first.
#[derive(Clone, Debug, Default)]
pub(super) struct RootMoves(Vec<RootMove>);

impl Deref for RootMoves {
    type Target = [RootMove];

    fn deref(&self) -> &[RootMove] {
        &self.0
    }
}

impl DerefMut for RootMoves {
    fn deref_mut(&mut self) -> &mut [RootMove] {
        &mut self.0
    }
}

impl RootMoves {
    /// The legal moves, or those of them that `only` names, in the order of tablebases, if these have them.
    pub fn new(game: &Game, only: &[Move], ranking: Option<&Ranking>) -> RootMoves {
        let legal = game.position().legal_moves_by_role();
        let named = legal.iter().any(|m| only.contains(m));
        let mut moves: Vec<RootMove> = match ranking {
            None => legal.into_iter().map(|m| RootMove::new(m, None, None)).collect(),
            Some(ranking) => {
                ranking.moves.iter().map(|ranked| RootMove::new(ranked.m, Some(ranked.rank), ranked.score)).collect()
            }
        };
        if named {
            moves.retain(|root| only.contains(&root.m));
        }
        RootMoves(moves)
    }

    /// The end of the moves that have the same rank as the one at `first`.
    pub fn group_end(&self, first: usize) -> usize {
        let rank = self[first].rank;
        first + self[first..].iter().take_while(|root| root.rank == rank).count()
    }

    /// Sorts the lines of a complete iteration: by rank, then by score.
    pub fn sort_lines(&mut self, multi_pv: usize) {
        self[..multi_pv].sort_by_key(|root| Reverse((root.rank, root.score())));
    }

    /// Sorts the lines by rank alone; those of equal rank keep their order.
    pub fn sort_by_rank(&mut self, multi_pv: usize) {
        self[..multi_pv].sort_by_key(|root| Reverse(root.rank));
    }

    /// Sorts the moves from `first` on by their values in this iteration; moves without a value keep their order.
    pub fn sort_from(&mut self, first: usize) {
        self[first..].sort_by_key(|root| Reverse((root.rank, root.value)));
    }

    /// Brings a move to the front and returns it; `None` if it is not among these. All others keep their order.
    pub fn bring_to_front(&mut self, m: Move) -> Option<&mut RootMove> {
        let index = self.iter().position(|root| root.m == m)?;
        self[..=index].rotate_right(1);
        self.first_mut()
    }
}

impl RootMove {
    /// A move that has not been searched, with what tablebases say of it.
    fn new(m: Move, rank: Option<Rank>, tb_score: Option<Score>) -> RootMove {
        RootMove {
            m,
            rank,
            tb_score,
            value: Ibv::NONE,
            last_exact: None,
            pv: vec![m.packed()],
            pv_is_incomplete: false,
            mate: None,
            nodes: 0,
            seldepth: 0,
        }
    }

    /// The score of its last exact value.
    pub fn score(&self) -> Option<Score> {
        self.last_exact.map(|exact| exact.score)
    }

    /// Remembers a mate that has its complete PV.
    pub fn remember_mate(&mut self) {
        let Some(score) = self.score().filter(|score| score.is_mate() && !self.pv_is_incomplete) else { return };
        if score.is_loss() || self.mate.as_ref().is_none_or(|known| known.score < score) {
            self.mate = Some(CompleteMate { score, pv: self.pv.clone() });
        }
    }

    /// Goes back to the remembered mate if a later iteration has lost sight of it: the new value is less, or is a
    /// nearer mate whose line was not found in time. For a loss only the line comes back, because any other value may
    /// be due to a better defence.
    pub fn recall_mate(&mut self) {
        let Some(CompleteMate { score, ref pv }) = self.mate else { return };
        let known = self.score();
        let falls_short = score.is_win() && known.is_none_or(|known| known < score);
        let is_cut = self.pv_is_incomplete && (score.is_win() || known == Some(score));
        if falls_short || is_cut {
            self.last_exact = Some(Exact { depth: self.last_exact.map_or(1, |exact| exact.depth), score });
            self.value = Ibv::exact(score);
            self.pv.clone_from(pv);
            self.pv_is_incomplete = false;
        }
    }

    /// Keeps an exact value, and the line that follows this move.
    fn keep_exact(&mut self, exact: Exact, line: impl Iterator<Item = PackedMove>) {
        self.pv.clear();
        self.pv.push(self.m.packed());
        self.pv.extend(line);
        // Until it has been completed: a move that drops out of the lines keeps the PV that the search left.
        self.pv_is_incomplete = exact.score.is_mate();
        self.last_exact = Some(exact);
    }

    /// A value of this move as it is reported: the tablebase result, unless the search has found the mate; else the
    /// value within what tables leave open.
    pub fn reported(&self, value: Ibv, reporting: Reporting) -> Ibv {
        match self.tb_score {
            Some(result) if !value.score().is_mate() => Ibv::exact(result),
            _ => self.within_rank(self.supported(value, reporting.traps), reporting.contempt),
        }
    }

    /// The part of a value that the user may rely on. An exact mate needs its complete PV; without that, the proved
    /// bound is reported. A recognized win does not say how far the next progress is, so traps might be in its way: it
    /// is then reported as an evaluation.
    fn supported(&self, value: Ibv, traps: bool) -> Ibv {
        let score = value.score();
        if score.is_mate() && value.bound() == Bound::Exact && self.pv_is_incomplete {
            return value.proof();
        }
        if traps && score.band() == Band::Recognizer {
            let most = Score::MAX_EVAL;
            return Ibv::new(Score::heuristic(if score.is_win() { most } else { -most }), value.bound());
        }
        value
    }

    /// The value within what the move's rank allows: if tables leave open whether a win can be kept or a loss saved, a
    /// draw is the least or the most.
    fn within_rank(&self, value: Ibv, contempt: i32) -> Ibv {
        let Some(rank) = self.rank.filter(|_| !value.score().is_decisive()) else { return value };
        match rank.keeps.cmp(&Keeps::Draw) {
            Ordering::Greater => value.within(Some(Score::heuristic(contempt + 1)), None),
            Ordering::Equal => value,
            // No evaluation is 0.
            Ordering::Less if contempt == 1 => value.within(None, Some(Score::heuristic(-1))),
            Ordering::Less => value.within(None, Some(Score::heuristic(contempt - 1))),
        }
    }
}

impl<const PLAY: bool> Search<'_, PLAY> {
    /// Searches the root moves from `first` on within the window, up to the end of their tablebase rank. Moves before
    /// `first` have lines of their own.
    pub(super) fn search_root(&mut self, first: usize, mut alpha: Score, beta: Score, depth: i32) -> NodeResult {
        let game = self.game;
        let position = game.position();
        // This comes first: a move that failed high counts if this search ends before it has another value.
        for root in &mut self.roots[first..] {
            root.value = Ibv::NONE;
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
        let end = self.roots.group_end(first);
        if self.rules().pruning {
            // The best move of the last iteration, or of the last window, stays in front.
            let begin = if self.completed_depth > 0 { first + 1 } else { first };
            self.order_roots(begin..end, &threats);
        }

        let mut best = Ibv::NONE;
        let mut tried = Tried::default();
        for index in first..end {
            let m = self.roots[index].m;
            let value = self.search_root_move(index, index - first + 1, alpha, beta, depth, &threats)?;
            best = best.max(value);
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
        Some(best)
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
        let m = self.roots[index].m;
        if self.id == 0 {
            self.report_current(m, index + 1);
        }
        let nodes_before = self.nodes;
        self.seldepth = 0;
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
            self.roots[index].nodes += self.nodes - nodes_before;
            result?
        };
        self.take_back();

        let seldepth = self.seldepth;
        let root = &mut self.roots[index];
        if move_count == 1 || value.score() > alpha {
            root.value = value;
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
        let mut value = Ibv::NONE;
        let mut null_window = candidate.move_count > 1;
        let is_late = candidate.move_count as i32 > params::lmr_root_moves();
        if self.rules().pruning && depth >= params::lmr_root_depth() && is_late {
            let reduction = reductions::root_move(candidate, child.in_check());
            let reduced = (depth - 1 - reduction).clamp(1, depth - 1);
            self.stack_mut(0).reduction = depth - 1 - reduced;
            value = self.search_null_window(child, alpha, reduced, 0, true)?;
            self.stack_mut(0).reduction = 0;
            null_window = value.score() > alpha && reduced < depth - 1;
        }
        if null_window {
            value = self.search_null_window(child, alpha, depth - 1, 0, true)?;
        }
        if candidate.move_count == 1 || value.raises(alpha) {
            value = self.search_child::<true>(child, alpha, beta, depth - 1, 0, false)?;
        }
        Some(value)
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
        self.roots[moves].sort_by_cached_key(|root| {
            let (latest, packed) = (root.last_exact.map_or(0, |exact| exact.depth), root.m.packed());
            (Reverse(latest), order.iter().position(|&m| m == packed))
        });
    }
}
