//! Commands for the terminal: counting moves, measuring speed, running suites, analysing games.
//!
//! Each command is a pair: `Args`, the part of the command line that it owns, and a `run` that returns an exit status:
//! 0 for success, 1 for "ran, and found what it looks for" (a wrong count, too few solutions), 2 for
//! "could not run" (no such file, nothing to do).

pub mod amount;
pub mod analyse;
pub mod bench;
pub mod datagen;
pub mod endings;
pub mod epd;
pub mod experiments;
pub mod interrupt;
pub mod outputs;
pub mod page;
pub mod perft;
pub mod play;
pub mod probe;
pub mod progress;
pub mod prove;
pub mod tell;

use crate::engine::LARGEST_HASH;
use crate::remark;

/// The command ran and everything was in order.
pub const OK: u8 = 0;
/// The command ran and found what it looks for: a mismatch, a threshold missed.
pub const FOUND: u8 = 1;
/// The command could not do its work.
pub const TROUBLE: u8 = 2;

/// Reads `--hash`, in MiB: what is too large for the option `Hash` is the most that it takes, and said so.
///
/// # Errors
///
/// One line: no whole number, or zero.
pub fn hash_size(text: &str) -> Result<usize, String> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err("expected a whole number of MiB".to_owned());
    }
    // What has too many digits for a number is too large.
    let asked = text.parse().unwrap_or(usize::MAX);
    if asked > LARGEST_HASH {
        remark!("--hash goes from 1 to {LARGEST_HASH}: set to {LARGEST_HASH}");
    }
    if asked == 0 { Err(format!("expected a number from 1 to {LARGEST_HASH}")) } else { Ok(asked.min(LARGEST_HASH)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_sizes_are_those_of_the_option() {
        assert_eq!((hash_size("1"), hash_size("64")), (Ok(1), Ok(64)));
        for large in ["1048577", "99999999999999", "999999999999999999999999999999"] {
            assert_eq!(hash_size(large), Ok(LARGEST_HASH), "{large}");
        }
        assert!(["0", "", "-1", "x", "1.5", "+1"].iter().all(|bad| hash_size(bad).is_err()));
    }
}
