//! What the user has said meanwhile, where there is only one thread (WebAssembly): the search asks its host.

use std::sync::OnceLock;

/// What the user wants of the running search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heard {
    /// Nothing new.
    Nothing,
    /// The search is to end.
    Stop,
    /// The opponent has played the expected move.
    PonderHit,
}

static HOST: OnceLock<fn() -> Heard> = OnceLock::new();

/// Makes searches, every thousand nodes or so, and perft ask `host`. Only the first call has an effect.
pub fn listen_to(host: fn() -> Heard) {
    let _ = HOST.set(host);
}

/// What the host has heard.
pub fn heard() -> Heard {
    HOST.get().map_or(Heard::Nothing, |host| host())
}
