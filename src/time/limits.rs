//! The limits of a search: every limit that `go` can state, in any combination.

use std::fmt;
use std::time::Duration;

use shakmaty::ByColor;

use crate::position::Move;

/// The limits of one search; the first that is reached ends it. The default has no limits.
///
/// ```
/// use std::time::Duration;
///
/// use ibex::time::Limits;
/// use ibex::shakmaty::ByColor;
///
/// // Ten iterations, but no more than two seconds.
/// let limits = Limits { movetime: Some(Duration::from_secs(2)), ..Limits::depth(10) };
/// assert_eq!(limits.to_string(), "depth 10, move time 2000 ms");
///
/// // A game of one minute with a second for each move, for both sides.
/// let limits = Limits {
///     clock: ByColor::new_with(|_| Some(Duration::from_secs(60))),
///     increment: ByColor::new_with(|_| Duration::from_secs(1)),
///     ..Limits::default()
/// };
/// assert_eq!(limits.to_string(), "white's clock 60000 ms + 1000 ms, black's clock 60000 ms + 1000 ms");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Iterations to complete.
    pub depth: Option<u32>,
    /// Nodes over all threads; exact on one thread.
    pub nodes: Option<u64>,
    /// Nodes after which no iteration is begun, on one thread. Data generation uses this, so that every move comes
    /// from a complete iteration.
    pub soft_nodes: Option<u64>,
    /// Time for this move; the move overhead is taken off.
    pub movetime: Option<Duration>,
    /// Stop when a mate in at most this many moves is proved or refuted. A refutation needs a search of one line, of
    /// all moves, without a clock, a move time or a depth, for a mate in at most eight moves that the 50-move rule
    /// does not forestall.
    pub mate: Option<u32>,
    /// Remaining time on the clocks; any length, as for the increments: what exceeds 100 million seconds is cut off.
    pub clock: ByColor<Option<Duration>>,
    /// Increments per move.
    pub increment: ByColor<Duration>,
    /// Moves to the next time control; none in sudden death.
    pub moves_to_go: Option<u32>,
    /// Search until `stop`.
    pub infinite: bool,
    /// Search on the opponent's time: no time limit counts until `ponderhit`, and no move is announced before it.
    pub ponder: bool,
    /// Only these root moves, if any are named.
    pub search_moves: Vec<Move>,
    /// Whether all nodes are for the main search, and none for mate searches beside it.
    pub no_mate_search: bool,
}

impl fmt::Display for Limits {
    /// The limits in words.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let clock = |name: &str, time: Option<Duration>, increment: Duration| {
            time.map(|time| format!("{name} {} ms + {} ms", time.as_millis(), increment.as_millis()))
        };
        let moves: Vec<String> = self.search_moves.iter().map(ToString::to_string).collect();
        let parts = [
            self.infinite.then(|| "none (infinite)".to_owned()),
            self.ponder.then(|| "none before ponderhit".to_owned()),
            self.depth.map(|depth| format!("depth {depth}")),
            self.nodes.map(|nodes| format!("nodes {nodes}")),
            self.soft_nodes.map(|nodes| format!("no iteration begins after nodes {nodes}")),
            self.movetime.map(|time| format!("move time {} ms", time.as_millis())),
            self.mate.map(|moves| format!("mate in {moves}")),
            clock("white's clock", self.clock.white, self.increment.white),
            clock("black's clock", self.clock.black, self.increment.black),
            self.moves_to_go.map(|moves| format!("moves to the next control {moves}")),
            (!moves.is_empty()).then(|| format!("root moves {}", moves.join(" "))),
        ];
        f.write_str(&parts.into_iter().flatten().collect::<Vec<_>>().join(", "))
    }
}

impl Limits {
    /// Whether anything but `stop` ends the search: a depth, nodes, a mate, or time. `moves_to_go`, increments and
    /// `search_moves` alone do not.
    ///
    /// ```
    /// use ibex::time::Limits;
    ///
    /// assert!(Limits::nodes(1000).is_limited());
    /// assert!(!Limits { infinite: true, ..Limits::default() }.is_limited());
    /// ```
    pub fn is_limited(&self) -> bool {
        self.depth.is_some()
            || self.nodes.is_some()
            || self.soft_nodes.is_some()
            || self.mate.is_some()
            || self.is_timed()
    }

    /// Whether any time limits the search: its own, or a clock.
    pub fn is_timed(&self) -> bool {
        self.movetime.is_some() || self.clock.iter().any(Option::is_some)
    }

    /// A search of exactly this many nodes.
    pub fn nodes(nodes: u64) -> Limits {
        Limits { nodes: Some(nodes), ..Limits::default() }
    }

    /// A search of this many iterations.
    pub fn depth(depth: u32) -> Limits {
        Limits { depth: Some(depth), ..Limits::default() }
    }

    /// A search for this long.
    pub fn movetime(time: Duration) -> Limits {
        Limits { movetime: Some(time), ..Limits::default() }
    }
}
