//! Proof-number search for mates, beside the main search.
//!
//! - `dfpn`: proof-number search
//! - `mate_search`: its goals for one side, from the shortest mate on

mod dfpn;
mod mate_search;

pub(in crate::search) use dfpn::Answer;
pub(in crate::search) use mate_search::{Aim, MateSearch};
