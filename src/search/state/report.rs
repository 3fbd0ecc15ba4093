//! The events of a search: lines, the current move, remarks, and the outcome. The search never prints.

use std::time::Duration;

use crate::bound::{Bound, Ibv};
use crate::position::Move;

/// One line of an iteration.
///
/// ```
/// use std::sync::Mutex;
///
/// use ibex::bound::Bound;
/// use ibex::engine::{Engine, Settings};
/// use ibex::position::Game;
/// use ibex::position::notation::{read_fen, san};
/// use ibex::search::{Basis, Event, Report};
/// use ibex::time::Limits;
///
/// // Two lines of each iteration (MultiPV); the search calls the listener from its own thread.
/// let (mut engine, _) = Engine::new(Settings { hash_mib: 8, multi_pv: 2, ..Settings::default() });
/// let game = Game::new(read_fen("6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1")?);
/// let reports: Mutex<Vec<Report>> = Mutex::default();
/// engine.search(
///     &game,
///     Limits::depth(3),
///     Some(&|event| {
///         if let Event::Line(report) = event
///             && report.complete
///         {
///             reports.lock().unwrap().push(report);
///         }
///     }),
/// );
///
/// let reports = reports.into_inner().unwrap();
/// let [first, second] = &reports[reports.len() - 2..] else { unreachable!() };
/// assert_eq!((first.line, second.line, second.lines), (1, 2, 2));
/// assert!(first.value > second.value);
/// // The score, what it says of the truth, what it rests on, and the moves.
/// assert_eq!((first.value.score().mate_moves(), first.value.bound()), (Some(1), Bound::Exact));
/// assert_eq!((first.basis, second.basis), (Basis::Mate, Basis::Evaluation));
/// assert_eq!(san(game.position(), first.pv[0]), "Rd8#");
/// # Ok::<(), ibex::position::FenError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Report {
    /// The iteration.
    pub depth: u32,
    /// The deepest ply reached below this line's move.
    pub seldepth: u32,
    /// The number of the line, from 1.
    pub line: usize,
    /// The number of lines (MultiPV).
    pub lines: usize,
    /// The root's value with its bound, free of contempt; a draw at any distance is in the draw band.
    pub value: Ibv,
    /// The basis of the value.
    pub basis: Basis,
    /// Whether the move was searched to an exact value, and was compared with all others in an iteration. If not, the
    /// value is the bound of a failed window, or in [`Outcome::last`] what an interrupted first iteration has found:
    /// the value of a move, or an evaluation if no move has a value. It is a lower bound, unless that move is the only
    /// one.
    ///
    /// A complete line has a bound, too, if only that is proved: for a mate whose line was not found in time, or if
    /// tables leave the result open.
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

impl Report {
    /// The kind of statement that the value is, in words.
    pub fn statement(&self) -> &'static str {
        match (self.basis, self.value.bound()) {
            (Basis::Mate, _) => "proved mate",
            (Basis::Tablebase, _) => "tablebase",
            (Basis::Recognized, _) => "recognized",
            (Basis::Evaluation, Bound::Exact) => "evaluation",
            (Basis::Evaluation, _) => "bound",
        }
    }
}

/// The basis of a reported value. All but an evaluation are proofs, under the repetition and 50-move rules and with
/// the game's past: see `docs/truth.md`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Basis {
    /// An evaluation, or a draw that the search has not proved.
    #[default]
    Evaluation,
    /// A recognized ending: the result is certain, the way to it unknown.
    Recognized,
    /// A tablebase result.
    Tablebase,
    /// A mate, against every reply.
    Mate,
}

impl Basis {
    /// Whether the result of the game is certain.
    pub fn is_proof(self) -> bool {
        self != Basis::Evaluation
    }
}

/// An event of a running search.
#[derive(Clone, Debug)]
pub enum Event {
    /// A line of an iteration, [complete](Report::complete) or still open; [`Report`] has an example.
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
    /// A remark for the user about what was searched.
    Message(String),
    /// A remark for the user about what failed: a thread that could not be started, or a table that cannot be used. The
    /// search goes on without it.
    Trouble(String),
    /// The search is over.
    Done(Outcome),
}

/// The result of a search.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The move to play; `None` if no move is legal, or if [`Engine::search`](crate::engine::Engine::search) could
    /// not search.
    pub best: Option<Move>,
    /// The expected reply, legal after `best`.
    pub ponder: Option<Move>,
    /// The last line of the best move. It is not [complete](Report::complete) in two cases: the move had failed high
    /// when the search ended, and the line has that lower bound; or the search ended in its first iteration, and the
    /// line has the value of a move that was not compared with all others, or an evaluation. Without a move there is
    /// no line.
    pub last: Option<Report>,
    /// Nodes of the whole search.
    pub nodes: u64,
    /// Its time.
    pub time: Duration,
}

impl Outcome {
    /// The outcome where there is no move to play.
    pub fn without_move(nodes: u64, time: Duration) -> Outcome {
        Outcome { best: None, ponder: None, last: None, nodes, time }
    }
}
