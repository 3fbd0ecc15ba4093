//! Values that several commands take on the command line.

use ibex::engine::{LARGEST_HASH, MOST_THREADS};

/// The most parallel jobs that `--jobs` allows: systems refuse many more threads.
const MOST_JOBS: u64 = 1024;

/// Reads `--hash`, in MiB: what the option `Hash` takes.
///
/// # Errors
///
/// One line: not a whole number, or out of range.
pub fn hash_size(text: &str) -> Result<usize, String> {
    let size = text.parse().ok().filter(|size| (1..=LARGEST_HASH).contains(size));
    size.filter(|_| !text.starts_with('+'))
        .ok_or_else(|| format!("expected MiB, a whole number from 1 to {LARGEST_HASH}"))
}

/// Reads `--jobs`: the number of parallel jobs.
pub fn job_count() -> clap::builder::RangedU64ValueParser<usize> {
    clap::builder::RangedU64ValueParser::new().range(1..=MOST_JOBS)
}

/// Reads `--threads`: what the option `Threads` takes.
pub fn thread_count() -> clap::builder::RangedU64ValueParser<usize> {
    clap::builder::RangedU64ValueParser::new().range(1..=MOST_THREADS as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_sizes_match_the_range_of_the_hash_option() {
        assert_eq!((hash_size("1"), hash_size("64")), (Ok(1), Ok(64)));
        assert_eq!(hash_size(&LARGEST_HASH.to_string()), Ok(LARGEST_HASH));
        let bad = ["0", "", "-1", "x", "1.5", "+1", "1048577", "99999999999999", "999999999999999999999999999999"];
        assert!(bad.iter().all(|bad| hash_size(bad).is_err()));
    }
}
