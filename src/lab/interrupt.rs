//! Ctrl-C: the first one asks a run to stop and to write down what is done, the second one ends the program.

use std::convert::Infallible;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use crossbeam_channel::Receiver;

/// The exit status of a program that was interrupted: 128 and the number of SIGINT, as shells count.
pub const STATUS: u8 = 128 + 2;

static STOPPED: AtomicBool = AtomicBool::new(false);
static STOP: OnceLock<Receiver<Infallible>> = OnceLock::new();

/// From now on an interruption stops the searches instead of the program. `at_once` is what the second one does before
/// the program ends.
///
/// Where interruptions are ignored (a job in the background of a script), they stay ignored.
pub fn catch(command: &'static str, at_once: fn()) {
    let (sender, receiver) = crossbeam_channel::bounded(0);
    let mut sender = Some(sender);
    let caught = ctrlc::try_set_handler(move || {
        if let Some(sender) = sender.take() {
            // First: who is woken by the channel asks for it.
            STOPPED.store(true, Ordering::SeqCst);
            // All who wait on the channel see that its other end has gone.
            drop(sender);
            eprintln!("\n{command}: stopping; what is done is written (once more ends it at once)");
        } else {
            at_once();
            std::process::exit(STATUS.into());
        }
    });
    match caught {
        Ok(()) => drop(STOP.set(receiver)),
        Err(error) => log::debug!("interruptions are not caught: {error}"),
    }
}

/// Whether the run shall stop.
pub fn is_stopped() -> bool {
    STOPPED.load(Ordering::SeqCst)
}

/// A channel that never gives anything, and is closed when the run shall stop.
pub fn stop() -> Receiver<Infallible> {
    STOP.get().cloned().unwrap_or_else(crossbeam_channel::never)
}
