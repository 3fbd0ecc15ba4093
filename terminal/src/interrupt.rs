//! Ctrl-C, SIGTERM and SIGHUP: the first asks a run to stop and to write its work so far, the second ends the program.

use std::convert::Infallible;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use crossbeam_channel::Receiver;

use crate::remark;

static STOPPED: AtomicBool = AtomicBool::new(false);
static STOP: OnceLock<Receiver<Infallible>> = OnceLock::new();

/// The signals that interrupt.
#[cfg(unix)]
const SIGNALS: [libc::c_int; 3] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP];

/// From now on, an interruption stops the searches instead of the program. The second one runs `at_once` before it
/// ends the program.
///
/// A signal that is ignored stays ignored: SIGINT in the background of a script, SIGHUP under `nohup`.
pub fn catch(command: &'static str, at_once: fn()) {
    let (sender, receiver) = crossbeam_channel::bounded(0);
    let mut sender = Some(sender);
    #[cfg(unix)]
    let ignored = ignored();
    // The alternative, `try_set_handler`, catches no signal at all if one of them is ignored.
    let caught = ctrlc::set_handler(move || {
        if let Some(sender) = sender.take() {
            // First, because whatever the channel wakes reads it.
            STOPPED.store(true, Ordering::SeqCst);
            // All receivers of the channel see that its other end is gone.
            drop(sender);
            remark!("\n{command}: stopping; finished work is saved (interrupt again to stop at once)");
        } else {
            at_once();
            std::process::exit(crate::Exit::Interrupted.code().into());
        }
    });
    #[cfg(unix)]
    for signal in ignored {
        // SAFETY: the number is that of a signal, and to ignore it runs no code of ours.
        unsafe { libc::signal(signal, libc::SIG_IGN) };
    }
    match caught {
        Ok(()) => drop(STOP.set(receiver)),
        Err(error) => log::debug!("interruptions are not caught: {error}"),
    }
}

/// The signals that the program inherited as ignored.
#[cfg(unix)]
fn ignored() -> Vec<libc::c_int> {
    let is_ignored = |signal: &libc::c_int| {
        let mut action = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
        // SAFETY: without a new action, `sigaction` changes nothing and writes the present action to where there is
        // room for it; zeros are one too.
        let action = unsafe {
            libc::sigaction(*signal, std::ptr::null(), action.as_mut_ptr());
            action.assume_init()
        };
        action.sa_sigaction == libc::SIG_IGN
    };
    SIGNALS.into_iter().filter(is_ignored).collect()
}

/// Whether the run must stop.
pub fn is_stopped() -> bool {
    STOPPED.load(Ordering::SeqCst)
}

/// A channel that never delivers anything, and is closed when the run must stop.
pub fn stop() -> Receiver<Infallible> {
    STOP.get().cloned().unwrap_or_else(crossbeam_channel::never)
}

/// The result of work that an interruption may have ended: `None`, with a remark, if it failed because of one.
///
/// # Errors
///
/// Those of the work, if there was no interruption.
pub fn unless_interrupted<T>(command: &str, result: crate::Result<T>) -> crate::Result<Option<T>> {
    match result {
        Err(_) if is_stopped() => {
            remark!("{command}: interrupted before the first search");
            Ok(None)
        }
        result => result.map(Some),
    }
}
