//! What a search tells while it runs and when it ends. The search never prints.

use std::time::Duration;

use shakmaty::Move;

use crate::bound::Ibv;

/// One line of an iteration.
#[derive(Clone, Debug)]
pub struct Report {
    /// The iteration.
    pub depth: u32,
    /// The deepest ply reached.
    pub seldepth: u32,
    /// Which line this is, from 1.
    pub line: usize,
    /// How many lines the search keeps (MultiPV).
    pub lines: usize,
    /// The root's value with its bound, free of contempt; draws at any distance are the draw band.
    pub value: Ibv,
    /// What the value rests on.
    pub basis: Basis,
    /// Whether the line has been searched to its end; if not, it is a bound that an iteration has met on its way.
    pub complete: bool,
    /// Nodes so far, over all threads.
    pub nodes: u64,
    /// Time since the search began.
    pub time: Duration,
    /// Table entries of this search, per mille.
    pub hashfull: u32,
    /// Successful tablebase probes.
    pub tbhits: u64,
    /// The principal variation: legal, ending where the game ends.
    pub pv: Vec<Move>,
}

/// What a reported value rests on. All but an evaluation are proofs, under the rules of repetition and of the 50 moves and
/// with the game's past: see `docs/truth.md`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Basis {
    /// The search's belief: evaluations stand at the ends of its lines, or draws that only its moves lead to.
    #[default]
    Evaluation,
    /// A recognised ending: the win, loss or draw is certain, the way to it is not known.
    Recognized,
    /// A tablebase result.
    Tablebase,
    /// A mate, all replies included.
    Mate,
}

impl Basis {
    /// Whether the result of the game is certain.
    pub fn is_proof(self) -> bool {
        self != Basis::Evaluation
    }
}

/// What happens during a search.
#[derive(Clone, Debug)]
pub enum Event {
    /// A line of an iteration, complete or (when the value is a bound) still open.
    Line(Report),
    /// The root move being searched, and its number from 1.
    CurrentMove {
        /// The iteration.
        depth: u32,
        /// The move.
        current: Move,
        /// Its number, from 1.
        number: usize,
        /// Nodes so far, over all threads.
        nodes: u64,
        /// Time since the search began.
        time: Duration,
    },
    /// A remark for the user.
    Message(String),
    /// The search is over.
    Done(Outcome),
}

/// The result of a search.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The move to play; none where no move is legal.
    pub best: Option<Move>,
    /// The expected reply, legal after `best`.
    pub ponder: Option<Move>,
    /// The last complete line of the best move (none where no move is legal or the search was ended at once).
    pub last: Option<Report>,
    /// Nodes of the whole search.
    pub nodes: u64,
    /// Its time.
    pub time: Duration,
}
