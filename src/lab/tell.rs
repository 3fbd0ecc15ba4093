//! What the commands say on standard output.

use std::fmt::Arguments;
use std::io::{self, ErrorKind, Write as _};

/// The exit status of a program whose reader has gone: 128 and the number of SIGPIPE, as shells count.
const NO_READER: i32 = 128 + 13;

/// Says a line on standard output, as `println!` does.
///
/// Where that panics, this ends the program: silently if the reader has gone (`ibex bench | head -1`), else with one
/// line that says why (a full disk). What a command keeps in files must therefore be there before it is printed.
#[macro_export]
macro_rules! tell {
    ($($words:tt)*) => { $crate::lab::tell::line(format_args!($($words)*)) };
}

/// A number and what it counts, as in "1 game" and "2 games".
pub fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// The work of [`tell!`].
pub fn line(words: Arguments<'_>) {
    let Err(error) = writeln!(io::stdout().lock(), "{words}") else { return };
    if error.kind() == ErrorKind::BrokenPipe {
        std::process::exit(NO_READER);
    }
    eprintln!("ibex: nothing more can be written to standard output: {error}");
    std::process::exit(super::TROUBLE.into());
}
