//! Ibex as a WebAssembly module: the host writes a line of UCI into the module's memory and passes it on.
//!
//! For each line, the host calls [`line`] with its length in bytes, writes it at the returned address, and calls
//! [`hear`]. Answers go to the standard output of WASI. `hear` returns when a search has ended; until then the module
//! polls the import `ibex.signals` for `stop` and `ponderhit`.

#![cfg(target_family = "wasm")]

use std::cell::RefCell;

use ibex::search::state::host::{self, Heard};
use ibex::uci::Dialogue;

/// The user's signals during a search.
fn signals() -> Heard {
    // SAFETY: the host's function has no parameters and returns a number.
    #[link(wasm_import_module = "ibex")]
    unsafe extern "C" {
        safe fn signals() -> i32;
    }
    match signals() {
        1 => Heard::Stop,
        2 => Heard::PonderHit,
        _ => Heard::Nothing,
    }
}

thread_local! {
    static LINE: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static DIALOGUE: RefCell<Dialogue> = RefCell::new({
        host::listen_to(signals);
        Dialogue::new(std::io::stdout())
    });
}

/// A buffer for a line of `length` bytes, valid until the next call.
// SAFETY: nothing else in the module has this name.
#[unsafe(no_mangle)]
pub extern "C" fn line(length: usize) -> *mut u8 {
    LINE.with_borrow_mut(|line| {
        line.clear();
        line.resize(length, 0);
        line.as_mut_ptr()
    })
}

/// Carries out the line. Returns 0 after `quit`, otherwise 1.
// SAFETY: nothing else in the module has this name.
#[unsafe(no_mangle)]
pub extern "C" fn hear() -> u32 {
    let line = LINE.take();
    DIALOGUE.with_borrow_mut(|dialogue| u32::from(dialogue.hear(&line)))
}
