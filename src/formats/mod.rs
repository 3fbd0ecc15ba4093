//! File formats that several commands, the trainer and the tests read.
//!
//! - [`epd`]: positions with operations
//! - [`games`]: games with scores, in viriformat
//! - [`lessons`]: positions from inside searches, with values or bounds
//! - [`filter`]: which positions of such games are worth learning from
//!
//! A format depends on no command. What a single command reads or writes stays with the command.

pub mod epd;
pub mod filter;
pub mod games;
pub mod lessons;
