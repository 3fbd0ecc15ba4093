//! Ibex, a UCI chess engine whose scores mean something exact.
//!
//! ```
//! use ibex::bound::Ibv;
//! use ibex::engine::{Engine, Settings};
//! use ibex::position::Game;
//! use ibex::score::Score;
//! use ibex::shakmaty::CastlingMode;
//! use ibex::time::Limits;
//!
//! let (mut engine, _) = Engine::new(Settings::default());
//! let game = Game::from_fen("6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1", CastlingMode::Standard)?;
//! let outcome = engine.search(&game, Limits::nodes(2_000), None);
//! assert_eq!(outcome.best.map(|m| m.to_string()), Some("Rd1-d8".to_owned()));
//! assert_eq!(outcome.last.map(|line| line.value), Some(Ibv::exact(Score::mate_in(1)))); // a mate, and exact
//! # Ok::<(), ibex::position::FenError>(())
//! ```
//!
//! Moves, squares, colours and boards are types of [`shakmaty`], which this crate names as `ibex::shakmaty`. Take
//! them from there: types of another version of shakmaty do not match, and Ibex pins its version (`Cargo.toml`).
//!
//! # The map
//!
//! Modules from the ground up; each uses only modules below it, none above or beside it, as `tests/source/layers.rs`
//! checks.
//!
//! **Words.** [`score`]: 15-bit scores in disjoint bands, with mates and draws counted in plies. [`bound`]: Don
//! Beal's Integrated Bounds and Values, the type of every node's result. [`window`]: alpha and beta, with what is
//! proved about the node and where it becomes exact. [`params`]: every tunable number of the search, in one place.
//! [`memory`]: large tables on huge pages. [`random`]: reproducible random numbers. [`checksum`](mod@checksum):
//! whether bytes have changed. [`parallel`]: work on all cores, with its results in order.
//!
//! **The board.** [`position`]: the only module that plays moves, on shakmaty's rules: keys, game history,
//! repetition, moves packed into 16 bits, legal moves in two halves, what is attacked and what is en prise, static
//! exchange evaluation, perft, FEN and algebraic notation. [`retrograde`]: the endings of up to four men, solved by
//! retrograde analysis.
//!
//! **Knowledge.** [`recognize`]: what a position's material proves about it, and tablebases. [`tt`]: the lock-free
//! transposition table. [`time`]: limits and the clock. Above these, [`eval`]: what a quiet position is worth, by
//! a network.
//!
//! **The search.** [`search`]: one thread's iterative deepening down to quiescence; `search/node/interior.rs` is the
//! heart, in numbered steps. [`smp`]: several threads on one table. [`engine`]: settings, a game and limits in, events
//! out; it never prints.
//!
//! **Front ends.** [`openings`]: where games of data generation begin. [`mod@bench`]: the node count that is the
//! signature of the search. [`uci`]: the protocol. [`laboratory`]: what the program hands over to `ibex-lab`, a package
//! of its own (`docs/modules.md`).
//!
//! # Words used everywhere
//!
//! - *ply*: distance from the root; *game ply*: distance from the beginning of the game; *depth*: what remains to be
//!   searched
//! - *static eval*: the evaluation without a search, in centipawns for the side to move: *raw* as the evaluator gives
//!   it, *corrected* with what correction history adds; *score*: a value in a band; *bound*: what a value says about
//!   the truth
//! - *node kind*: root, PV (an open window) or null-window; *cut node*: a null-window node expected to be refuted
//! - *noisy* moves capture or promote to a queen, *quiet* ones do neither
//! - *window*: alpha and beta, between which the value matters; *recognizer*: proven knowledge of a material class;
//!   *expense*: what its answer costs; *known win*: a win that a recognizer or a tablebase proves

// The documentation also serves readers of the source, so it may name private items.
#![allow(rustdoc::private_intra_doc_links)]
// `eprintln!` panics if standard error cannot be written to; so messages use `writeln!`. Tests may print.
#![cfg_attr(not(test), deny(clippy::print_stderr))]

pub use shakmaty;

/// The version of this build: that of the package, with the commit unless it is a release.
pub const VERSION: &str = env!("IBEX_VERSION");
/// The name that the engine gives, with its version.
pub const NAME: &str = concat!("Ibex ", env!("IBEX_VERSION"));

pub mod bench;
pub mod bound;
pub mod checksum;
#[cfg(test)]
#[path = "../tests/common/mod.rs"]
mod common;
pub mod engine;
pub mod eval;
pub mod laboratory;
pub mod memory;
pub mod openings;
pub mod parallel;
pub mod params;
pub mod position;
#[cfg(target_arch = "x86_64")]
pub mod processor;
pub mod random;
pub mod recognize;
pub mod retrograde;
pub mod score;
// The helpers of the integration tests name the library.
#[cfg(test)]
extern crate self as ibex;
#[cfg(test)]
#[path = "../tests/common/scratch.rs"]
mod scratch;
pub mod search;
pub mod smp;
pub mod time;
pub mod tt;
pub mod uci;
pub mod window;
