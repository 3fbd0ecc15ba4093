//! Where there is one thread (WebAssembly): what the user has said meanwhile. The search asks its host.

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

/// Has searches ask `host`, every thousand nodes or so, and counts of moves. The first call counts.
pub fn listen_to(host: fn() -> Heard) {
    let _ = HOST.set(host);
}

/// What the host has heard.
pub fn heard() -> Heard {
    HOST.get().map_or(Heard::Nothing, |host| host())
}
