//! Polls the host for `stop` and `ponderhit` where the thread that reads lines searches, too (WebAssembly).

use std::sync::OnceLock;

/// A command for the running search.
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

/// The command that the host has received, if any.
pub fn heard() -> Heard {
    HOST.get().map_or(Heard::Nothing, |host| host())
}
