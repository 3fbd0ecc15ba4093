//! The root: iterative deepening over the root moves.
//!
//! - `iterate`: iterative deepening; `aspiration`: its windows; `moves`: the search through the root moves
//! - `reporting`: reports of the lines
//! - `mates`: the mate searches' share of the nodes; `mate_line`: complete PVs for announced mates

mod aspiration;
mod iterate;
mod mate_line;
mod mates;
mod moves;
mod reporting;
