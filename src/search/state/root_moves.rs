//! The root moves, each with what is known about it.

use std::cmp::{Ordering, Reverse};
use std::ops::{Deref, DerefMut};

use crate::bound::{Bound, Ibv};
use crate::position::{Game, Move, PackedMove};
use crate::recognize::syzygy::{Keeps, Rank, Ranking};
use crate::score::{Band, Score};

/// An exact value of a root move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::search) struct Exact {
    /// The depth of the search that found it: its iteration's, or up to three plies less after failing high.
    pub depth: i32,
    pub score: Score,
}

/// A mate with its complete PV.
#[derive(Clone, Debug)]
pub(in crate::search) struct CompleteMate {
    pub score: Score,
    pub pv: Vec<PackedMove>,
}

/// The conditions of a reported value, besides its move.
#[derive(Clone, Copy)]
pub(in crate::search) struct Reporting {
    /// Whether the game has traps.
    pub traps: bool,
    /// The contempt in the evaluations of the root's side, in centipawns.
    pub contempt: i32,
}

/// A root move and what is known about it.
#[derive(Clone, Debug)]
pub(in crate::search) struct RootMove {
    pub m: Move,
    /// Its rank by tablebases, if they have it; only moves of equal rank are searched together. A move whose
    /// mate the mate search has proved has the rank of the best.
    pub rank: Option<Rank>,
    /// The result that tablebases prove for it; `None` if the clock or the past of the game leaves it open.
    pub tb_score: Option<Score>,
    /// Its value in the current iteration; none until it has been searched to a value of its own.
    pub value: Option<Ibv>,
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
pub(in crate::search) struct RootMoves(Vec<RootMove>);

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
            value: None,
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

    /// Restores the remembered mate if a later iteration missed it, or found a nearer mate without its complete line.
    /// For a loss only the line comes back, because any other value may be due to a better defence.
    pub fn recall_mate(&mut self) {
        let Some(CompleteMate { score, ref pv }) = self.mate else { return };
        let known = self.score();
        let falls_short = score.is_win() && known.is_none_or(|known| known < score);
        let is_cut = self.pv_is_incomplete && (score.is_win() || known == Some(score));
        if falls_short || is_cut {
            self.last_exact = Some(Exact { depth: self.last_exact.map_or(1, |exact| exact.depth), score });
            self.value = Some(Ibv::exact(score));
            self.pv.clone_from(pv);
            self.pv_is_incomplete = false;
        }
    }

    /// Keeps an exact value, and the line that follows this move.
    pub(in crate::search) fn keep_exact(&mut self, exact: Exact, line: impl Iterator<Item = PackedMove>) {
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
            return value.proof().unwrap_or(value);
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
