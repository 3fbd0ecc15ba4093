//! The search: iterative deepening of a principal variation search whose node results are [`Ibv`]s.
//!
//! - `iterate`: one thread's iterative deepening, with aspiration windows and several lines
//! - `root`: the root's moves
//! - `lead`: what the fastest of several threads has found; `allowance`: the nodes that they share
//! - `node`: the interior node, in numbered steps
//! - `estimate`: what a node is worth before its moves are searched
//! - `quiesce`: captures and evasions until the position is quiet
//! - `picker`, `history`, `threats`: the order of moves, and what it comes from
//! - `reductions`: how much less a late move is searched
//! - `repetition`: the path to the current node, and whether it has come back or could
//! - `past`: what the keys of the table carry of the game's past and the clock
//! - `hunt`: looks for mates and nothing else, with a share of the nodes
//! - `tablebases`: tablebases, inside the tree and at its root
//! - `mate_line`: completes the lines of announced mates
//! - `pv`, `report`: lines, and what the search tells of itself
//! - `rules`: the switches of a search as data; play makes them constants, the laboratory turns them
//! - `contempt`: what a draw is worth against this opponent
//! - `mtdf`: the laboratory's other way to find the root's value
//! - `distance`: how near and far enter scores; `tally`: what the laboratory counts

mod allowance;
pub mod contempt;
pub mod distance;
mod estimate;
pub mod history;
pub mod iterate;
mod mate_line;
mod mate_search;
mod mtdf;
mod node;
pub mod past;
pub mod picker;
pub mod pv;
mod quiesce;
mod reductions;
mod repetition;
pub mod report;
mod root;
pub mod rules;
mod shared_best;
mod tablebases;
pub mod tally;
#[cfg(test)]
mod tests;
mod threats;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use shakmaty::{Color, Move};

use crate::bound::{Bound, Ibv};
use crate::eval::{Evaluation, Evaluator};
use crate::params;
use crate::position::{Game, PackedMove, Position};
use crate::recognize::retrograde::Value;
use crate::recognize::{self, three_men};
use crate::score::{DrawRule, MAX_PLY, Score};
use crate::time::{Clock, Limits};
use crate::tt::{Entry, TranspositionTable};
pub use allowance::Allowance;
use history::{ContKeys, Correction, History, PieceTo, QuietSlot};
use past::Past;
use repetition::Path;
pub use report::{Basis, Event, Outcome, Report};
use root::{RootMove, RootMoves};
pub use rules::Rules;
use rules::TableMode;
pub use shared_best::SharedBest;
pub use tablebases::Probes;
use tally::TableCuts;

/// Who hears of a search while it runs, if anyone; called from its threads.
pub type Listener<'a> = Option<&'a (dyn Fn(Event) + Sync)>;

/// Searches recurse: a thread that runs one needs a stack of this size.
pub const STACK_SIZE: usize = 32 << 20;

/// Where a recognised win falls silent within so many half-moves, the search does without recognised wins.
const RECOGNIZER_HORIZON: u16 = 24;

/// A node counter on a cache line of its own: each thread writes its own, anyone may add them up.
#[derive(Default)]
#[repr(align(128))]
pub struct NodeCounter {
    nodes: AtomicU64,
    tbhits: AtomicU64,
}

/// What the threads of one search share. Written at the start, or atomic.
pub struct Shared<'a> {
    /// The transposition table.
    pub tt: &'a TranspositionTable,
    /// Set when the search must end.
    pub stop: &'a AtomicBool,
    /// Set while the search runs on the opponent's time.
    pub pondering: &'a AtomicBool,
    /// One a thread.
    pub counters: &'a [NodeCounter],
    /// The last iteration that any of them has finished.
    pub shared_best: &'a SharedBest,
    /// The limits.
    pub limits: &'a Limits,
    /// The nodes of the limit, where several threads share them.
    pub allowance: Option<Allowance>,
    /// The clock. The first thread manages the time; the others only look whether it is up.
    pub clock: &'a Clock,
    /// When the search began.
    pub start: Instant,
    /// The conventions that scores of this search follow.
    pub conventions: Conventions,
    /// Whether the user asks what is true, rather than for a move in a game.
    pub analysis: bool,
    /// Tablebases, if there are any.
    pub probes: Option<Probes<'a>>,
    /// Who hears of lines and moves, if anyone.
    pub sink: Listener<'a>,
}

impl Shared<'_> {
    /// Nodes of all threads, as far as they have been published.
    pub fn nodes(&self) -> u64 {
        self.counters.iter().map(|c| c.nodes.load(Ordering::Relaxed)).sum()
    }

    /// Tells what is to be heard; if nobody listens, it is not even put together.
    pub fn tell(&self, event: impl FnOnce() -> Event) {
        if let Some(sink) = self.sink {
            sink(event());
        }
    }

    /// Whether the time of a search on our own time is up. Every thread looks: where there are more of them than
    /// processors, the first one waits for its turn much longer than the clock allows.
    pub fn is_time_up(&self) -> bool {
        self.clock.is_time_up() && !self.pondering.load(Ordering::Relaxed)
    }

    /// Whether a helper that has not begun yet need not begin.
    pub fn is_over(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.is_time_up()
    }

    /// Tablebase hits of all threads.
    pub fn tbhits(&self) -> u64 {
        self.counters.iter().map(|c| c.tbhits.load(Ordering::Relaxed)).sum()
    }
}

/// Draw rule and contempt, both relative to the root's side, frozen for one search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Conventions {
    /// Which draws the root side prefers.
    pub draws: DrawRule,
    /// How many centipawns the root side's evaluations are raised: positive avoids draws.
    pub contempt: i32,
}

impl Conventions {
    /// What to fold into the table's key, so that scores of searches that mean different things never meet.
    ///
    /// Draw and contempted scores are relative to the root's colour; when both rules are neutral nothing is folded and
    /// every entry serves everyone.
    pub fn salt(self, root: Color) -> u64 {
        if self == Conventions::default() {
            return 0;
        }
        let mut state = (self.contempt as u64) << 8 | (self.draws as u64) << 1 | root as u64;
        crate::random::split_mix(&mut state)
    }

    /// A root value as the user should see it: evaluations without the contempt that they carry inside.
    pub fn to_uci(self, value: Ibv) -> Ibv {
        let score = value.score();
        if score.is_decisive() || score.is_draw() {
            value
        } else {
            Ibv::new(Score::heuristic(score.cp() - self.contempt), value.bound())
        }
    }

    /// Contempt as the side to move at `ply` sees it.
    #[inline]
    pub fn contempt_at(self, ply: usize) -> i32 {
        if ply.is_multiple_of(2) { self.contempt } else { -self.contempt }
    }
}

/// What a thread keeps from search to search.
pub struct ThreadData {
    /// Move histories.
    pub history: History,
    /// Corrections of the static evaluation.
    pub correction: Correction,
    evaluator: Evaluator,
    stack: Box<[StackEntry]>,
    pv: pv::PvTable,
}

impl ThreadData {
    /// Nothing learned yet; with raw evaluations where training data are made (see [`Evaluator::set_raw`]).
    pub fn new(evaluation: &Evaluation, raw: bool) -> ThreadData {
        let mut evaluator = Evaluator::new(evaluation);
        evaluator.set_raw(raw);
        ThreadData {
            history: History::new(),
            correction: Correction::new(),
            evaluator,
            stack: vec![StackEntry::default(); MAX_PLY + StackEntry::BEFORE + 4].into_boxed_slice(),
            pv: pv::PvTable::new(),
        }
    }

    /// Forgets everything, for a new game.
    pub fn clear(&mut self) {
        self.history.clear();
        self.correction.clear();
    }
}

impl Default for ThreadData {
    fn default() -> Self {
        ThreadData::new(&Evaluation::default(), false)
    }
}

/// What a node leaves for its descendants.
#[derive(Clone, Copy, Default)]
struct StackEntry {
    /// The corrected static evaluation, in centipawns; none in check.
    eval: Option<i32>,
    /// The move being searched; none for a null move.
    moved: Option<PieceTo>,
    /// Whether the move being searched is the null move.
    null: bool,
    /// The move left out of a singular search.
    excluded: PackedMove,
    /// The reduction of the move being searched, in plies.
    reduction: i32,
    /// Where the histories keep the move being searched, if it is quiet.
    quiet: Option<QuietSlot>,
    /// A quiet move that refuted a sibling.
    killer: PackedMove,
    /// How often children of this node's siblings were refuted.
    cutoffs: u32,
}

impl StackEntry {
    /// Frames before the root's, so that looking back needs no check.
    const BEFORE: usize = 4;
}

/// One thread's search.
///
/// `PLAY` fixes the rules to [`Rules::PLAY`] at compile time, so play does not pay for the laboratory's switches.
pub struct Search<'a, const PLAY: bool> {
    /// The rules of an experiment. Only [`Search::rules`] reads them, because play has constants instead.
    rules: Rules,
    shared: &'a Shared<'a>,
    id: usize,
    td: &'a mut ThreadData,
    game: &'a Game,
    path: Path,
    /// What the keys of the table carry of the game's past.
    past: Past,
    /// The plies to the mate in the trap that is nearest to its mate: see [`Search::three_men`].
    nearest_trap: usize,
    roots: RootMoves,
    nodes: u64,
    tbhits: u64,
    /// A hard limit on this thread's nodes, exact; `u64::MAX` where there is none of its own.
    node_limit: u64,
    /// The nodes that the thread may count by the rations that it has taken; `u64::MAX` where it needs none.
    granted: u64,
    /// The lesser of both: the node at which the thread has to ask.
    node_check: u64,
    seldepth: usize,
    depth: i32,
    completed: i32,
    /// Whether this thread takes over what faster ones have found.
    adopts_lead: bool,
    /// The best move of the last complete iteration, as it was then.
    best_before: Option<RootMove>,
    /// Whether the PV of a mate is being completed, with a node limit of its own.
    pv_completion: PvCompletion,
    /// What the hunts for mates have seen, by their aim; made when they begin.
    mate_searches: [Option<Box<mate_search::MateSearch>>; 2],
    /// No null moves below this ply: a verification search is under way.
    nmp_min_ply: usize,
    /// Recognised wins would fall silent within this search: it does without them.
    no_recognized_wins: bool,
    /// What the laboratory counts; nothing in play.
    tally: TableCuts,
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
    pub fn tally(&self) -> TableCuts {
        self.tally
    }
}

impl<'a, const PLAY: bool> Search<'a, PLAY> {
    fn prepare(rules: Rules, shared: &'a Shared<'a>, id: usize, td: &'a mut ThreadData, game: &'a Game) -> Self {
        let position = game.position();
        td.stack.fill(StackEntry::default());
        td.evaluator.reset(position);
        let node_limit = match shared.limits.nodes {
            Some(nodes) if shared.allowance.is_none() => nodes,
            _ => u64::MAX,
        };
        let granted = if shared.allowance.is_some() { 0 } else { u64::MAX };
        let ranking = shared.probes.and_then(|probes| probes.ranking);
        Search {
            rules,
            shared,
            id,
            path: Path::new(game.keys()),
            past: Past::new(shared.conventions, game),
            nearest_trap: game.traps().map(plies_to_mate).min().unwrap_or(usize::MAX),
            roots: RootMoves::new(game, &shared.limits.search_moves, ranking),
            nodes: 0,
            tbhits: if id == 0 { ranking.map_or(0, |ranking| ranking.moves.len() as u64) } else { 0 },
            node_limit,
            granted,
            node_check: node_limit.min(granted),
            seldepth: 0,
            depth: 0,
            completed: 0,
            adopts_lead: false,
            best_before: None,
            pv_completion: PvCompletion::Off,
            mate_searches: [None, None],
            nmp_min_ply: 0,
            no_recognized_wins: recognized_wins_fall_silent(position),
            tally: TableCuts::default(),
            td,
            game,
        }
    }

    /// The rules of this search: a constant in play, so that its branches fold.
    #[inline(always)]
    fn rules(&self) -> Rules {
        if PLAY { Rules::PLAY } else { self.rules }
    }

    /// Lets the laboratory count something. Play counts nothing.
    #[inline(always)]
    fn count(&mut self, add: impl FnOnce(&mut TableCuts)) {
        if !PLAY {
            add(&mut self.tally);
        }
    }

    #[inline]
    fn stack(&self, ply: usize) -> &StackEntry {
        &self.td.stack[ply + StackEntry::BEFORE]
    }

    #[inline]
    fn stack_mut(&mut self, ply: usize) -> &mut StackEntry {
        &mut self.td.stack[ply + StackEntry::BEFORE]
    }

    /// The frame `back` plies above `ply`; those above the root are empty.
    #[inline]
    fn stack_before(&self, ply: usize, back: usize) -> &StackEntry {
        &self.td.stack[ply + StackEntry::BEFORE - back]
    }

    #[inline]
    fn cont_keys(&self, ply: usize) -> ContKeys {
        [self.stack_before(ply, 1).moved, self.stack_before(ply, 2).moved, self.stack_before(ply, 4).moved]
    }

    /// Counts a node and says whether the search must end.
    #[inline]
    fn enter_node(&mut self) -> bool {
        if self.nodes >= self.node_check && self.is_out_of_nodes() {
            if self.pv_completion == PvCompletion::Off {
                self.shared.stop.store(true, Ordering::Relaxed);
            }
            return true;
        }
        self.nodes += 1;
        if self.nodes.is_multiple_of(1024) && self.pv_completion != PvCompletion::AfterSearch {
            self.publish();
            let over = if self.id == 0 { self.must_stop() } else { self.shared.is_time_up() };
            if over {
                self.shared.stop.store(true, Ordering::Relaxed);
            }
            if self.is_overtaken() {
                return true;
            }
        }
        self.shared.stop.load(Ordering::Relaxed)
            && self.pv_completion != PvCompletion::AfterSearch
            && !self.cannot_stop()
    }

    /// Whether no node may be counted any more; a thread that may takes its next ration.
    #[cold]
    fn is_out_of_nodes(&mut self) -> bool {
        if self.nodes >= self.node_limit {
            return true;
        }
        let ration = self.shared.allowance.as_ref().map_or(0, Allowance::take);
        self.granted = self.nodes + ration;
        self.node_check = self.node_limit.min(self.granted);
        ration == 0
    }

    /// The first thread completes a first iteration whatever the clock or the user says: without it there is no move worth
    /// playing.
    #[inline]
    fn cannot_stop(&self) -> bool {
        self.id == 0 && self.completed == 0 && self.nodes < 16_384
    }

    /// Whether another thread has finished the iteration that this one is at, and this one may take over from it.
    #[inline]
    fn is_overtaken(&self) -> bool {
        self.adopts_lead && self.completed < self.depth && self.shared.shared_best.depth() >= self.depth
    }

    fn publish(&self) {
        let counter = &self.shared.counters[self.id];
        counter.nodes.store(self.nodes, Ordering::Relaxed);
        counter.tbhits.store(self.tbhits, Ordering::Relaxed);
    }

    /// Whether a limit has been reached: nodes over all threads, or the hard limit of the clock.
    fn must_stop(&self) -> bool {
        if self.cannot_stop() {
            return false;
        }
        if self.shared.limits.nodes.is_some_and(|limit| self.shared.nodes() >= limit) {
            return true;
        }
        // The clock is asked first: on a clock that counts nodes, it learns of them this way.
        self.shared.clock.is_hard_limit_reached(self.shared.nodes()) && !self.shared.pondering.load(Ordering::Relaxed)
    }

    /// Plays `m` from `position`, with everything that follows the path; [`Search::take_back`] undoes it.
    #[inline]
    fn make(&mut self, position: &Position, m: Move, ply: usize) -> Position {
        // The table's answer takes as long as everything that happens here.
        self.shared.tt.prefetch(self.past.likely_key_after(position, m, ply));
        let frame = self.stack_mut(ply);
        frame.moved = Some(PieceTo::new(position.turn(), m));
        frame.null = false;
        frame.quiet = None;
        self.td.evaluator.push(position, m);
        self.path.push(position.key());
        let mut child = position.clone();
        child.play(m);
        child
    }

    #[inline]
    fn make_null(&mut self, position: &Position, ply: usize) -> Position {
        let frame = self.stack_mut(ply);
        frame.moved = None;
        frame.null = true;
        frame.quiet = None;
        self.td.evaluator.push_null();
        self.path.push(position.key());
        let mut child = position.clone();
        child.play_null();
        self.shared.tt.prefetch(self.past.key(&child, ply + 1));
        child
    }

    #[inline]
    fn take_back(&mut self) {
        self.td.evaluator.pop();
        self.path.pop();
    }

    /// Forgets the path to where the search was cut short: nodes that end without a result do not take back their moves.
    fn return_to_root(&mut self) {
        self.path.return_to(self.game.keys());
        self.td.evaluator.reset(self.game.position());
    }

    /// The table's entry for a key.
    #[inline]
    fn probe(&self, key: u64) -> Option<Entry> {
        if self.rules().table == TableMode::Off { None } else { self.shared.tt.probe(key) }
    }

    /// The value of a draw on the board at `ply`.
    #[inline]
    fn draw(&self, ply: usize) -> Ibv {
        let draw = self.shared.conventions.draws.draw(ply);
        Ibv::exact(if self.rules().bands { draw } else { Score::heuristic(draw.raw()) })
    }

    /// What a recognizer proves of a position at `ply`, in the root's terms.
    #[inline]
    fn recognize(&self, position: &Position, ply: usize) -> Ibv {
        // Builds with `tune` can switch recognizers off in play, too.
        if !self.rules().recognizers || params::recognizers() == 0 {
            return Ibv::NONE;
        }
        if let Some(known) = self.three_men(position, ply) {
            return known;
        }
        let known = recognize::recognize(position).ibv;
        if self.no_recognized_wins && known.is_some() && known.score().is_decisive() {
            return Ibv::NONE;
        }
        self.in_root_terms(known, ply)
    }

    /// What is known of three men: the mate, a draw, or the draw by the clock where nothing turns it back before. None of
    /// other material, and where a trap may lie in the mate's way.
    #[inline]
    fn three_men(&self, position: &Position, ply: usize) -> Option<Ibv> {
        let distance = self.rules().distance;
        // Where scores do not count plies there is nothing to add to a recognised win.
        if distance.wants_evaluation() {
            return None;
        }
        let (plies, wins) = match three_men::value(position)? {
            Value::Draw => return Some(self.draw(ply)),
            Value::Win(plies) => (usize::from(plies), true),
            Value::Loss(plies) => (usize::from(plies), false),
        };
        if usize::from(position.clock()) + plies > 100 {
            // Only a pawn turns the clock back, and how far the mate is then, is not known.
            return position.board().pawns().is_empty().then(|| self.draw(ply));
        }
        // Who comes nearer with every ply meets no trap that is as far from its mate as this position. A trap of other
        // material is out of reach from here.
        if self.nearest_trap < plies && self.past.reaches_traps(position, ply) {
            return None;
        }
        let mate = distance.origin(ply) + plies;
        (mate <= MAX_PLY).then(|| Ibv::exact(if wins { Score::mate_in(mate) } else { Score::mated_in(mate) }))
    }

    /// What is proved of a position at `ply`, as scores of this search say it.
    ///
    /// A recognised draw still lies ahead, at a distance that nobody knows: "drawn" is told as a draw here, and a bound
    /// by a draw is widened to the end of the draw band, which no distance passes.
    #[inline]
    fn in_root_terms(&self, known: Ibv, ply: usize) -> Ibv {
        if !known.is_some() || !known.score().is_draw() {
            return known;
        }
        match known.bound() {
            Bound::Exact => self.draw(ply),
            Bound::Lower => Ibv::lower(Score::WORST_DRAW),
            Bound::Upper => Ibv::upper(Score::BEST_DRAW),
        }
    }

    /// Whether the game has been drawn on the way here: the position repeats, or a hundred half-moves have passed.
    ///
    /// Mate on the hundredth half-move comes first.
    fn is_drawn(&self, position: &Position, ply: usize) -> bool {
        if position.clock() >= 100 && (!position.in_check() || position.has_legal_move()) {
            return true;
        }
        self.path.repeats(position, ply) || position.is_insufficient_material()
    }
}

/// The plies to the mate in a position of three men: the most that can be where it is drawn, 0 where nothing is known.
fn plies_to_mate(position: &Position) -> usize {
    match three_men::value(position) {
        Some(Value::Win(plies) | Value::Loss(plies)) => usize::from(plies),
        Some(Value::Draw) => usize::MAX,
        None => 0,
    }
}

/// Whether recognised wins of this material would fall silent within a search from here. A root of which nothing is
/// known may have moves of which something is.
fn recognized_wins_fall_silent(root: &Position) -> bool {
    let falls_silent = |position: &Position| recognize::falls_silent(position, RECOGNIZER_HORIZON);
    falls_silent(root).unwrap_or_else(|| {
        root.legal_moves().into_iter().any(|m| {
            let mut child = root.clone();
            child.play(m);
            child.clock() > 0 && falls_silent(&child) == Some(true)
        })
    })
}
