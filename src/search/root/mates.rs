//! The mate searches beside the main search.
//!
//! A search that trusts its evaluation is late to find a mate that begins with sacrifices and quiet moves. So two
//! runs of proof-number search (`mates::dfpn`) look for mate alone, each with its own table: one for mates by the
//! side to move, one for mates against it. They store what they prove in the transposition table, where the main
//! search finds it.
//!
//! They run only in searches of one line without a clock, a time for the move, a depth or `searchmoves`, with a share
//! of the nodes: a large one in analysis and where the main search already sees a decisive score, a small one in
//! games. On the clock, and in the first thousands of nodes, every node goes to the main search.

use std::sync::atomic::Ordering;

use crate::bound::Ibv;
use crate::params;
use crate::position::Move;
use crate::score::Score;
use crate::search::mates::{Aim, Answer, MateSearch};
use crate::search::state::{Exact, Past, Search};
use crate::tt::{Entry, TranspositionTable};

/// A mate that is proved.
#[derive(Clone, Copy)]
struct FoundMate {
    /// The first move, if the side to move at the root mates.
    first: Option<Move>,
    moves: usize,
}

impl<const PLAY: bool> Search<'_, PLAY> {
    /// Whether this search runs mate searches at all.
    fn may_search_mates(&self) -> bool {
        let limits = self.shared.limits;
        self.id == 0
            && self.rules().mate_search
            && self.root.multi_pv == 1
            && !limits.no_mate_search
            && !limits.is_timed()
            && limits.depth.is_none()
            && limits.search_moves.is_empty()
            && self.game.position().has_plies_for(2 * self.most_moves())
    }

    /// The longest mate that this search looks for, in moves.
    fn most_moves(&self) -> usize {
        self.shared
            .limits
            .mate
            .map_or(params::MATE_SEARCH_MOST_MOVES, |moves| params::MATE_SEARCH_MOST_MOVES.min(moves as usize))
    }

    /// Spends both mate searches' shares of the nodes so far.
    ///
    /// A mate by the side to move goes to the front of the root moves; returns whether it is shorter than the one
    /// known. A mate against it goes to the TT alone, where the next iteration finds it for every move.
    pub(in crate::search) fn search_mates(&mut self) -> bool {
        if !self.may_search_mates() || self.counters.nodes < params::MATE_SEARCH_START {
            return false;
        }
        let known = self.root.moves[0].score().filter(|score| score.is_decisive());
        // The winning side is not mated; but `go mate` wants every mate found or refuted, and a win without a mate
        // refutes none.
        let settles = |score: Score| score.is_mate() || self.shared.limits.mate.is_none();
        let wins = known.is_some_and(|score| score.is_win() && settles(score));
        let loses = known.is_some_and(|score| score.is_loss() && settles(score));
        let found = if loses { None } else { self.search_mate(Aim::Mate, known) };
        if found.is_none() && !wins {
            self.search_mate(Aim::BeMated, known);
        }
        let Some(FoundMate { first: Some(first), moves }) = found else { return false };
        let rank = self.root.moves[0].rank;
        let Some(root) = self.root.moves.bring_to_front(first) else { return false };
        let score = Score::mate_in(2 * moves - 1);
        // If moves are ranked by distance to progress, a mate may rank lower. It needs no other progress.
        root.rank = rank;
        (root.value, root.last_exact) = (Some(Ibv::exact(score)), Some(Exact { depth: self.root.depth, score }));
        root.pv = vec![root.m.packed()];
        true
    }

    /// Whether it is proved that neither side can force mate in at most this many moves. `known` is the best score: a
    /// side that is going to be mated, however late, forces no mate itself.
    pub(in crate::search) fn is_mate_refuted(&self, moves: u32, known: Score) -> bool {
        let known = known.mate_moves().unwrap_or(0);
        let refuted = |aim: Aim| {
            let search = self.root.mate_searches[aim as usize].as_deref();
            search.and_then(|search| search.refuted.get(moves as usize)).is_some_and(|&refuted| refuted)
        };
        (known < 0 || refuted(Aim::Mate)) && (known > 0 || refuted(Aim::BeMated))
    }

    /// Continues one mate search below the length of the mate that is known. Returns the shortest mate found.
    fn search_mate(&mut self, aim: Aim, known: Option<Score>) -> Option<FoundMate> {
        let moves = known.and_then(Score::mate_moves).map(|moves| moves.unsigned_abs() as usize);
        let most = moves.map_or(params::MATE_SEARCH_MOST_MOVES, |known| known.saturating_sub(1)).min(self.most_moves());
        let slot = aim as usize;
        let mut search =
            self.root.mate_searches[slot].take().unwrap_or_else(|| Box::new(MateSearch::new(self.game, aim)));
        let found = self.search_mate_within(&mut search, most, known.is_some());
        self.root.mate_searches[slot] = Some(search);
        found
    }

    /// Looks for mates within one move, two moves, and so on to `most`, in rounds with growing budgets. `decisive`
    /// says that a decisive score is known.
    fn search_mate_within(&mut self, search: &mut MateSearch, mut most: usize, decisive: bool) -> Option<FoundMate> {
        let mut found = None;
        let is_wanted = self.shared.analysis || decisive;
        let share = self.mate_share(search.aim, is_wanted);
        let later = if decisive { share } else { share.min(params::MATE_SEARCH_SHARE_LATER) };
        let allowed = |nodes: u64| {
            (nodes.min(params::MATE_SEARCH_LATER) * share + nodes.saturating_sub(params::MATE_SEARCH_LATER) * later)
                / 100
        };
        while !search.is_refuted_to(most) {
            // A goal may use its whole budget; in a game it waits until the share has room for that.
            let cost = if is_wanted { 1 } else { search.budget };
            if search.spent + cost > allowed(self.counters.nodes) {
                break;
            }
            let Some(moves) = search.take_goal(most) else { continue };
            match self.pursue(search, moves) {
                Answer::Mate(first) => {
                    found = Some(FoundMate { first, moves });
                    most = moves - 1;
                }
                Answer::Refuted => search.refuted[moves] = true,
                Answer::Open => (),
            }
            if self.shared.stop.load(Ordering::Relaxed) {
                break;
            }
        }
        found
    }

    /// The share of the nodes up to [`params::MATE_SEARCH_LATER`] that a mate search may take, in percent. A mate is
    /// wanted if a decisive score is in sight or the user analyses.
    fn mate_share(&self, aim: Aim, is_wanted: bool) -> u64 {
        let shares = match self.shared.counters.len() {
            _ if !is_wanted => params::MATE_SEARCH_SHARES_GAME,
            1 if self.shared.limits.mate.is_some() => params::MATE_SEARCH_SHARES_GO_MATE,
            1 => params::MATE_SEARCH_SHARES,
            _ => params::MATE_SEARCH_SHARES_THREADS,
        };
        shares[aim as usize]
    }

    /// Spends a goal's budget on a mate within `moves` moves. What is proved goes to the TT.
    fn pursue(&mut self, search: &mut MateSearch, moves: usize) -> Answer {
        let position = self.game.position();
        let (table, past): (&TranspositionTable, Past) = (self.shared.tt, self.past);
        // A proof holds at any depth; a deep one stays in the table.
        let depth = (self.root.depth + 2).min(Entry::MAX_DEPTH);
        let limit = search.aim.plies(moves);
        let mut spent = 0;
        let answer = search.proofs.ask(
            position,
            limit,
            &mut || {
                spent += 1;
                spent >= search.budget || self.enter_node().is_none()
            },
            &mut |position, plies, m| {
                let value =
                    if plies % 2 == 1 { Ibv::lower(Score::mate_in(plies)) } else { Ibv::upper(Score::mated_in(plies)) };
                let best = m.map(Move::packed);
                let entry = Entry { value: Some(value), best, depth, pv: false, eval: None, tb_entry: false };
                table.store(past.key(position, limit - plies), entry);
            },
        );
        search.spent += spent;
        answer
    }
}
