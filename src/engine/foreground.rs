//! Searches on the caller's thread, for WebAssembly, which has no other.
//!
//! [`Engine::start`] returns when the search has ended. While it runs, it asks the host what the user has said
//! ([`host`](crate::search::state::host)). A move that must wait for `stop` or `ponderhit` is held back until they are
//! called.

use std::io;
use std::sync::{Mutex, PoisonError};

use super::{Engine, SharedListener};
use crate::position::Game;
use crate::search::{Event, Outcome};
use crate::time::Limits;

/// The outcome that is held back, if one is.
pub type Running = Mutex<Option<Held>>;

/// A finished search, and the receiver of its result.
pub struct Held {
    outcome: Outcome,
    listener: SharedListener,
}

impl Engine {
    /// Searches, and returns when the search has ended.
    ///
    /// [`Event::Done`] comes exactly once, last; in an infinite or ponder search not before [`Engine::stop`] or
    /// [`Engine::ponderhit`].
    ///
    /// # Errors
    ///
    /// None; it returns a `Result` because other systems need one.
    pub fn start(&mut self, game: Game, limits: Limits, listener: SharedListener) -> io::Result<()> {
        self.stop();
        let clock = self.start_clock(&game, &limits);
        let job = self.job(game, limits, clock);
        let outcome = job.run(&mut self.threads, Some(&|event| listener(&event)));
        self.hold(Some(Held { outcome, listener }));
        self.deliver();
        Ok(())
    }

    /// Whether a search waits to send its move.
    pub fn is_searching(&self) -> bool {
        self.running.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Sends the move that is held back; without one nothing happens.
    pub fn stop(&self) {
        self.signals.stop();
        self.deliver();
    }

    /// The opponent has played the expected move: the one that is held back for this may be sent.
    pub fn ponderhit(&self) {
        self.signals.ponderhit();
        self.deliver();
    }

    /// There is nothing to wait for: a move that is held back waits for the user.
    pub fn wait(&mut self) {
        self.review_tables();
    }

    fn hold(&self, held: Option<Held>) {
        *self.running.lock().unwrap_or_else(PoisonError::into_inner) = held;
    }

    /// Sends the move if nothing holds it back.
    fn deliver(&self) {
        let ready = |_: &mut Held| self.signals.may_answer();
        let held = self.running.lock().unwrap_or_else(PoisonError::into_inner).take_if(ready);
        if let Some(Held { outcome, listener }) = held {
            listener(&Event::Done(outcome));
        }
    }
}
