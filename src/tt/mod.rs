//! The transposition table: what the search has learnt about a position, shared by all threads without a lock.
//!
//! [`entry`] packs what is known into one 64-bit word; [`slot`] keeps that word beside its key so that a reader
//! notices when two writers have mixed; [`table`] finds, replaces and ages.

pub mod entry;
pub mod slot;
pub mod table;

pub use entry::Entry;
pub use table::TranspositionTable;

#[cfg(test)]
mod tests;
