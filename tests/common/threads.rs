//! Programs that may not start many threads.

use std::os::unix::process::CommandExt;
use std::process::Command;

/// A program for which the system starts at most that number of threads, the first one included. The limit does not
/// apply to root: then another user runs the program, which must be a copy, because the original may be in a private
/// folder.
pub fn at_most(copy: &str, most: u64) -> Command {
    let mut command = Command::new(copy);
    // SAFETY: the call has no arguments and cannot fail.
    if unsafe { libc::geteuid() } == 0 {
        command.uid(65534);
    }
    let limit = libc::rlimit { rlim_cur: most, rlim_max: most };
    // SAFETY: between fork and exec only this system call is made.
    unsafe {
        command.pre_exec(move || match libc::setrlimit(libc::RLIMIT_NPROC, &limit) {
            0 => Ok(()),
            _ => Err(std::io::Error::last_os_error()),
        });
    }
    command
}
