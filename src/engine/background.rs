//! Searches that run beside their caller, on a thread of their own.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use super::{Engine, SharedListener};
use crate::position::Game;
use crate::search::{Event, STACK_SIZE, ThreadData};
use crate::time::Limits;

/// The search that is running, if one is: its thread returns the data of all threads.
pub type Running = Option<JoinHandle<Vec<ThreadData>>>;

impl Engine {
    /// Starts a search and returns at once; a search that is still running is ended and waited for first.
    ///
    /// [`Event::Done`] comes exactly once, last; in an infinite or ponder search not before [`Engine::stop`] or
    /// [`Engine::ponderhit`].
    ///
    /// # Errors
    ///
    /// The system could not start a thread.
    pub fn start(&mut self, game: Game, limits: Limits, listener: SharedListener) -> io::Result<()> {
        self.stop();
        self.wait();
        let clock = self.start_clock(&game, &limits);
        let threads = std::mem::take(&mut self.threads);
        // If no thread can be started, their data must not be lost with it.
        let parcel = Arc::new(Mutex::new(Some(threads)));
        let job = self.job(game, limits, clock);
        let contents = Arc::clone(&parcel);
        let spawned = thread::Builder::new().name("search 0".into()).stack_size(STACK_SIZE).spawn(move || {
            let mut threads = contents.lock().unwrap_or_else(PoisonError::into_inner).take().unwrap_or_default();
            let outcome = job.run(&mut threads, Some(&|event| listener(&event)));
            listener(&Event::Done(outcome));
            threads
        });
        match spawned {
            Ok(handle) => {
                self.running = Some(handle);
                Ok(())
            }
            Err(error) => {
                self.threads = parcel.lock().unwrap_or_else(PoisonError::into_inner).take().unwrap_or_default();
                Err(error)
            }
        }
    }

    /// Whether a search is running (or waits to send its move).
    pub fn is_searching(&self) -> bool {
        self.running.as_ref().is_some_and(|handle| !handle.is_finished())
    }

    /// Ends the running search; without one nothing happens.
    pub fn stop(&self) {
        self.signals.stop();
    }

    /// The opponent has played the expected move: our time runs.
    pub fn ponderhit(&self) {
        self.signals.ponderhit();
    }

    /// Waits until the running search has sent its move.
    pub fn wait(&mut self) {
        if let Some(handle) = self.running.take() {
            match handle.join() {
                Ok(threads) => self.threads = threads,
                // A search that panicked has taken the data of its threads with it; the engine goes on with new ones.
                Err(_) => _ = self.fit_threads(),
            }
            self.review_tables();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;
    use crate::engine::Settings;

    /// A listener that panics takes the first thread with it. The helpers end, and the engine plays on with as many
    /// threads as before.
    #[test]
    fn a_search_that_panics_costs_no_game() {
        let (mut engine, _) = Engine::new(Settings { hash_mib: 1, threads: 2, ..Settings::default() });
        let panics = Arc::new(|event: &Event| assert!(!matches!(event, Event::Line(_)), "on purpose"));
        let endless = Limits { infinite: true, ..Limits::default() };
        engine.start(Game::startpos(), endless, panics).expect("a thread");
        let start = Instant::now();
        while engine.is_searching() {
            assert!(start.elapsed() < Duration::from_secs(60), "the helper searches on");
            thread::sleep(Duration::from_millis(1));
        }
        engine.wait();
        assert_eq!(engine.threads.len(), 2);
        assert!(engine.search(&Game::startpos(), Limits::depth(3), None).best.is_some());
    }
}
