//! How a command ends.

use std::process::ExitCode;

/// How a command ended that did its work, for scripts that look at the program's exit status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// It ran, and everything was in order: 0.
    Done,
    /// It ran, and found what it looks for, such as a wrong count or too few solutions: 1.
    Found,
    /// SIGINT, SIGTERM or SIGHUP stopped it. The work so far has been written, and the run can continue: 130, which is
    /// 128 plus the number of SIGINT, as in shells.
    Interrupted,
}

impl Exit {
    /// The exit status.
    pub fn code(self) -> u8 {
        match self {
            Exit::Done => 0,
            Exit::Found => 1,
            Exit::Interrupted => 128 + 2,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.code())
    }
}
