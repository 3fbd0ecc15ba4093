//! The transposition table: what the search has learnt about a position, shared by all threads without a lock.
//!
//! The table takes any 64-bit key. A search uses those of [`Past::key`](crate::search::Past::key), not
//! [`Position::key`](crate::position::Position::key) alone; [`Engine::probe_tt`](crate::engine::Engine::probe_tt) finds
//! what the engine's searches have stored of a game.
//!
//! ```
//! use ibex::bound::Ibv;
//! use ibex::score::Score;
//! use ibex::tt::{Entry, TranspositionTable};
//!
//! let (table, _) = TranspositionTable::new(1);
//! let value = Some(Ibv::lower(Score::heuristic(30)));
//! let entry = Entry { value, best: None, depth: 5, pv: false, eval: None, tb_entry: false };
//! table.store(42, entry);
//! assert_eq!(table.probe(42).map(|found| found.value), Some(value));
//! assert!(table.probe(43).is_none());
//! ```
//!
//! [`entry`] packs what is known into one 64-bit word; [`slot`] keeps that word beside its key so that a reader
//! notices when two writers' words have mixed; [`table`] finds, replaces and ages.

pub mod entry;
pub mod slot;
pub mod table;

pub use entry::Entry;
pub use table::TranspositionTable;

#[cfg(test)]
mod tests;
