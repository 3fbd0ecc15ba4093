//! A program with little memory.

use std::os::unix::process::CommandExt as _;
use std::process::Command;

/// Limits the address space of the program to `mib` MiB.
pub fn with_memory(command: &mut Command, mib: libc::rlim_t) {
    let limit = libc::rlimit { rlim_cur: mib << 20, rlim_max: mib << 20 };
    // SAFETY: between fork and exec only this system call is made.
    unsafe {
        command.pre_exec(move || match libc::setrlimit(libc::RLIMIT_AS, &limit) {
            0 => Ok(()),
            _ => Err(std::io::Error::last_os_error()),
        });
    }
}
