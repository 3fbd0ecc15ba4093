//! The file formats that several commands, the trainer, the figures and the tests share.
//!
//! - [`epd`]: positions with operations
//! - [`pgn`]: games with variations and comments, read and written
//! - [`games`]: games with scores, in viriformat
//! - [`compact`]: the same games in fewer bytes
//! - [`lessons`]: positions from inside searches, with values or bounds
//! - [`data`]: the files of such games and lessons
//! - [`filter`]: which positions of such games are worth learning from
//!
//! A format depends on no command. What a single command reads or writes stays with the command.

pub mod compact;
pub mod data;
pub mod epd;
pub mod filter;
pub mod games;
pub mod lessons;
pub mod pgn;
#[cfg(test)]
#[path = "../../tests/common/scratch.rs"]
mod scratch;
