//! One thread's search: the data that all its steps share.

use crate::bound::Ibv;
use crate::params;
use crate::position::{Game, Move, Position};
use crate::recognize::{self, three_men};
use crate::retrograde::Dtm;
use crate::search::mates::MateSearch;
use crate::search::rules::Rules;
use crate::search::state::{NodeBudget, Past, Path, RootMove, RootMoves, Shared, StackEntry, Tally, ThreadData};

/// Searches recurse: a thread that runs one needs a stack of this size.
pub const STACK_SIZE: usize = 32 << 20;

/// One thread's search.
///
/// `PLAY` fixes the rules to [`Rules::PLAY`] at compile time, so play does not pay for the switches of experiments.
pub struct Search<'a, const PLAY: bool> {
    /// The rules of an experiment. Only [`Search::rules`] reads them, because play has constants instead.
    pub(in crate::search) rules: Rules,
    /// The data that all threads of the search share.
    pub(in crate::search) shared: &'a Shared<'a>,
    /// The number of this thread; 0 is the first, which owns the clock and reports.
    pub(in crate::search) id: usize,
    /// The data that this thread keeps from search to search.
    pub(in crate::search) td: &'a mut ThreadData,
    /// The game up to the root.
    pub(in crate::search) game: &'a Game,
    /// The positions from the start of the game to the current node.
    pub(in crate::search) path: Path,
    /// The game history that the TT's keys include.
    pub(in crate::search) past: Past,
    /// The fewest plies to mate in any of the game's traps; 0 if one of them has material other than three men,
    /// `usize::MAX` without traps. See [`Search::three_men`].
    pub(in crate::search) nearest_trap: usize,
    /// The root.
    pub(in crate::search) root: Root,
    /// The counters of this thread.
    pub(in crate::search) counters: Counters,
    /// Whether the PV of a mate is being completed, with a node limit of its own.
    pub(in crate::search) pv_completion: PvCompletion,
    /// The first ply at which null moves are tried; more than 0 during a verification search.
    pub(in crate::search) nmp_min_ply: usize,
    /// Whether the 50-move rule would end claims of recognizers within this search. It then ignores recognized wins.
    pub(in crate::search) no_recognized_wins: bool,
    /// The counters of experiments; unused in play.
    pub(in crate::search) tally: Tally,
}

/// The root of a search: its moves, and how far iterative deepening has come.
pub(in crate::search) struct Root {
    /// The root moves, best first.
    pub moves: RootMoves,
    /// The depth of the iteration, in plies; 0 before the first.
    pub depth: i32,
    /// The depth of the last complete iteration, in plies; 0 before the first is complete.
    pub completed_depth: i32,
    /// The number of lines that are searched (MultiPV), no more than there are root moves.
    pub multi_pv: usize,
    /// The best move of the last complete iteration, as it was then.
    pub previous_best: Option<RootMove>,
    /// The move that failed high last in the iteration, with its lower bound.
    pub failed_high: Option<(Move, Ibv)>,
    /// Whether this thread takes over completed iterations of faster ones.
    pub adopts_lead: bool,
    /// The mate searches, by their aim; made when they begin.
    pub mate_searches: [Option<Box<MateSearch>>; 2],
}

impl Root {
    fn new(moves: RootMoves) -> Root {
        Root {
            moves,
            depth: 0,
            completed_depth: 0,
            multi_pv: 1,
            previous_best: None,
            failed_high: None,
            adopts_lead: false,
            mate_searches: [None, None],
        }
    }
}

/// The counters of a thread, and its node limit.
pub(in crate::search) struct Counters {
    /// The nodes of this thread.
    pub nodes: u64,
    /// The successful tablebase probes of this thread.
    pub tbhits: u64,
    /// The deepest ply below the root move that is searched.
    pub seldepth: usize,
    /// The nodes that this thread may count.
    pub budget: NodeBudget,
}

/// Whether the PV of a mate is being completed: see `mate_line`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::search) enum PvCompletion {
    /// No: the search itself runs.
    Off,
    /// Between two iterations. Limits end it as they end the search.
    BetweenIterations,
    /// After the search. Only its own node limit ends it.
    AfterSearch,
}

/// An aborted search has no result: `None`, never a score. It leaves the path where it was: see
/// [`Search::return_to_root`].
pub(in crate::search) type NodeResult = Option<Ibv>;

impl<'a> Search<'a, true> {
    /// Prepares thread `id` of a search under the rules of play.
    pub fn new(shared: &'a Shared<'a>, id: usize, td: &'a mut ThreadData, game: &'a Game) -> Self {
        Search::prepare(Rules::PLAY, shared, id, td, game)
    }
}

impl<'a> Search<'a, false> {
    /// Prepares thread `id` of a search under other rules, for an experiment.
    pub fn with_rules(rules: Rules, shared: &'a Shared<'a>, id: usize, td: &'a mut ThreadData, game: &'a Game) -> Self {
        Search::prepare(rules, shared, id, td, game)
    }

    /// The counts so far.
    pub fn tally(&self) -> Tally {
        self.tally
    }
}

impl<'a, const PLAY: bool> Search<'a, PLAY> {
    fn prepare(rules: Rules, shared: &'a Shared<'a>, id: usize, td: &'a mut ThreadData, game: &'a Game) -> Self {
        let position = game.position();
        td.stack.fill(StackEntry::default());
        td.evaluator.reset(position);
        let ranking = shared.probes.and_then(|probes| probes.ranking);
        let tbhits = if id == 0 { ranking.map_or(0, |ranking| ranking.moves.len() as u64) } else { 0 };
        Search {
            rules,
            shared,
            id,
            path: Path::new(game.keys()),
            past: Past::new(shared.conventions, game),
            nearest_trap: game.traps().map(plies_to_mate).min().unwrap_or(usize::MAX),
            root: Root::new(RootMoves::new(game, &shared.limits.search_moves, ranking)),
            counters: Counters { nodes: 0, tbhits, budget: NodeBudget::new(shared), seldepth: 0 },
            pv_completion: PvCompletion::Off,
            nmp_min_ply: 0,
            no_recognized_wins: recognized_wins_end_near(position),
            tally: Tally::default(),
            td,
            game,
        }
    }

    /// The rules of this search: a constant in play, so that its branches fold.
    #[inline(always)]
    pub(in crate::search) fn rules(&self) -> Rules {
        if PLAY { Rules::PLAY } else { self.rules }
    }
}

/// The plies to mate in a position of three men; the maximum if it is drawn, 0 for other material.
fn plies_to_mate(position: &Position) -> usize {
    match three_men::value(position) {
        Some(Dtm::Win(plies) | Dtm::Loss(plies)) => usize::from(plies),
        Some(Dtm::Draw) => usize::MAX,
        None => 0,
    }
}

/// Whether recognizers would stop claiming a win (50-move rule) within a search from `root`, or from a position after
/// one of its moves if nothing is recognized at the root itself.
fn recognized_wins_end_near(root: &Position) -> bool {
    let claim_ends_within = |position: &Position| recognize::claim_ends_within(position, params::RECOGNIZER_HORIZON);
    claim_ends_within(root).unwrap_or_else(|| {
        root.legal_moves().into_iter().any(|m| {
            let child = root.after(m);
            child.clock() > 0 && claim_ends_within(&child) == Some(true)
        })
    })
}
