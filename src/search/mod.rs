//! The search: iterative deepening of a principal variation search whose node results are [`Ibv`]s.
//!
//! - `iterate`: iterative deepening; `aspiration`: its windows; `root`: the root moves
//! - `node`: the interior node, in numbered steps; `quiesce`: quiescence search
//! - `pruning`, `null_move`, `probcut`, `extensions`, `reductions`: the steps' bodies
//! - `descend`: how a node begins, makes a move and searches the child; `stopping`: when a search ends
//! - `proved`: mate distance, draws by rule and recognizers; `tt_values`: values into and out of the transposition
//!   table; `tablebases`: tablebases inside the tree
//! - `estimate`: static evaluation; `correction`: how far it has been off
//! - `picker`, `history`, `threats`: move ordering; `learning`: what results teach
//! - `stack`: what a node leaves for the nodes below it; `thread_data`: what a thread keeps from search to search
//! - `repetition`: the path to the current node; `past`: what TT keys include of game history and the 50-move clock
//! - `dfpn`: proof-number search; `mate_search`: its share of the nodes; `mate_line`: complete PVs for announced mates
//! - `shared`, `shared_best`, `allowance`: what the threads share, their best result, and their node limit
//! - `pv`, `report`: principal variations and events; `conventions`: what draws are worth, contempt
//! - [`experiments`]: the search under other rules, whose switches are constants in play
//! - `host`: in WebAssembly, what the user has said meanwhile

mod allowance;
mod aspiration;
mod conventions;
pub mod correction;
mod descend;
mod dfpn;
mod estimate;
pub mod experiments;
mod extensions;
pub mod history;
#[cfg(target_family = "wasm")]
pub mod host;
pub mod iterate;
mod learning;
mod mate_line;
mod mate_search;
mod node;
mod null_move;
pub mod past;
pub mod picker;
mod probcut;
mod proved;
mod pruning;
pub mod pv;
mod quiesce;
mod reductions;
mod repetition;
pub mod report;
mod root;
mod shared;
mod shared_best;
mod stack;
mod stopping;
mod tablebases;
#[cfg(test)]
mod tests;
mod thread_data;
mod threats;
mod tt_values;

use crate::bound::Ibv;
use crate::position::{Game, Move};
pub use allowance::Allowance;
pub use conventions::Conventions;
pub use experiments::rules::Rules;
use experiments::tally::Tally;
use past::Past;
use repetition::Path;
pub use report::{Basis, Event, Outcome, Report};
use root::{RootMove, RootMoves};
pub use shared::{Listener, NodeCounter, Shared};
pub use shared_best::SharedBest;
use stack::StackEntry;
use stopping::NodeBudget;
pub use tablebases::Probes;
pub use thread_data::ThreadData;
pub use tt_values::value_for_root;

/// Searches recurse: a thread that runs one needs a stack of this size.
pub const STACK_SIZE: usize = 32 << 20;

/// One thread's search.
///
/// `PLAY` fixes the rules to [`Rules::PLAY`] at compile time, so play does not pay for the switches of experiments.
pub struct Search<'a, const PLAY: bool> {
    /// The rules of an experiment. Only [`Search::rules`] reads them, because play has constants instead.
    rules: Rules,
    /// What all threads of the search share.
    shared: &'a Shared<'a>,
    /// The number of this thread; 0 is the first, which owns the clock and reports.
    id: usize,
    /// What this thread keeps from search to search.
    td: &'a mut ThreadData,
    /// The game up to the root.
    game: &'a Game,
    /// The positions from the start of the game to the current node.
    path: Path,
    /// What the keys of the table include of the game's past.
    past: Past,
    /// The fewest plies to mate in any of the game's traps; 0 if one of them has material other than three men,
    /// `usize::MAX` without traps. See [`Search::three_men`].
    nearest_trap: usize,
    /// The root moves, best first.
    roots: RootMoves,
    /// The nodes of this thread.
    nodes: u64,
    /// The successful tablebase probes of this thread.
    tbhits: u64,
    /// The nodes that this thread may count.
    node_budget: NodeBudget,
    /// The deepest ply below the root move that is searched.
    seldepth: usize,
    /// The depth of the iteration, in plies; 0 before the first.
    root_depth: i32,
    /// The depth of the last complete iteration, in plies; 0 before the first is complete.
    completed_depth: i32,
    /// The number of lines that are searched (MultiPV), no more than there are root moves.
    multi_pv: usize,
    /// Whether this thread takes over completed iterations of faster ones.
    adopts_lead: bool,
    /// The best move of the last complete iteration, as it was then.
    previous_best: Option<RootMove>,
    /// The move that failed high last in the iteration, with its lower bound.
    failed_high: Option<(Move, Ibv)>,
    /// Whether the PV of a mate is being completed, with a node limit of its own.
    pv_completion: PvCompletion,
    /// The mate searches, by their aim; made when they begin.
    mate_searches: [Option<Box<mate_search::MateSearch>>; 2],
    /// The first ply at which null moves are tried; more than 0 during a verification search.
    nmp_min_ply: usize,
    /// Whether the 50-move rule would end claims of recognizers within this search. It then ignores recognized wins.
    no_recognized_wins: bool,
    /// The counters of experiments; unused in play.
    tally: Tally,
}

/// Whether the PV of a mate is being completed: see `mate_line`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PvCompletion {
    /// No: the search itself runs.
    Off,
    /// Between two iterations. Limits end it as they end the search.
    BetweenIterations,
    /// After the search. Only its own node limit ends it.
    AfterSearch,
}

/// An aborted search has no result: `None`, never a score. It leaves the path where it was: see
/// [`Search::return_to_root`].
type NodeResult = Option<Ibv>;

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

    /// What the search has counted so far.
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
        Search {
            rules,
            shared,
            id,
            path: Path::new(game.keys()),
            past: Past::new(shared.conventions, game),
            nearest_trap: game.traps().map(proved::plies_to_mate).min().unwrap_or(usize::MAX),
            roots: RootMoves::new(game, &shared.limits.search_moves, ranking),
            nodes: 0,
            tbhits: if id == 0 { ranking.map_or(0, |ranking| ranking.moves.len() as u64) } else { 0 },
            node_budget: NodeBudget::new(shared),
            seldepth: 0,
            root_depth: 0,
            completed_depth: 0,
            multi_pv: 1,
            adopts_lead: false,
            previous_best: None,
            failed_high: None,
            pv_completion: PvCompletion::Off,
            mate_searches: [None, None],
            nmp_min_ply: 0,
            no_recognized_wins: proved::recognized_wins_end_near(position),
            tally: Tally::default(),
            td,
            game,
        }
    }

    /// The rules of this search: a constant in play, so that its branches fold.
    #[inline(always)]
    fn rules(&self) -> Rules {
        if PLAY { Rules::PLAY } else { self.rules }
    }
}
