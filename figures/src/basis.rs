//! What a figure was measured with, and when that is no longer the current engine.

use std::fs;
use std::process::Command;

use crate::page::read;

/// Columns of a line of the pages.
const WIDTH: usize = 120;

/// The engine as the project has it now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Engine {
    /// The nodes of the bench.
    pub bench: String,
    pub network: String,
    pub version: String,
}

/// The part of an [`Engine`] that the pages record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    pub bench: String,
    pub network: String,
}

/// What a figure depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// On the search: another bench makes it old.
    Search,
    /// On a clock or on games, which small changes do not move: another network makes it old.
    Network,
}

impl Basis {
    /// Why a figure of the recorded engine is old today.
    pub fn reason(self, recorded: &Recorded, engine: &Engine) -> Option<String> {
        if recorded.network != engine.network {
            Some(format!("of network {}, now {}", recorded.network, engine.network))
        } else if self == Basis::Search && recorded.bench != engine.bench {
            Some(format!("of bench {}, now {}", recorded.bench, engine.bench))
        } else {
            None
        }
    }
}

impl Recorded {
    /// Reads the line of provenance of a block.
    pub fn read(block: &str) -> Option<Recorded> {
        let line = block.rsplit_once("*Bench ")?.1;
        let (bench, rest) = line.split_once(", network ")?;
        let network = rest.split(',').next()?;
        Some(Recorded { bench: bench.to_owned(), network: network.trim().to_owned() })
    }
}

impl Engine {
    /// Reads the project: the recorded bench, the only network, and the version.
    ///
    /// # Errors
    ///
    /// One line: a file is missing or says nothing of this.
    pub fn current() -> Result<Engine, String> {
        let entries =
            fs::read_dir("nets").map_err(|error| format!("nets: {error}; start this in the project's folder"))?;
        let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
        let networks: Vec<String> = names.filter_map(|name| name.strip_suffix(".ibxn").map(str::to_owned)).collect();
        let [network] = &networks[..] else { return Err(format!("nets: {} networks", networks.len())) };
        let manifest = read("Cargo.toml")?;
        let version = manifest.lines().find_map(|line| line.strip_prefix("version = \"")?.strip_suffix('"'));
        Ok(Engine {
            bench: read("tests/bench.signature")?.trim().to_owned(),
            network: network.clone(),
            version: version.ok_or("Cargo.toml has no version")?.to_owned(),
        })
    }

    /// The line below a table: what it was measured with, in the width of the pages.
    ///
    /// # Errors
    ///
    /// One line: the date is not to be had.
    pub fn provenance(&self, conditions: &str) -> Result<String, String> {
        let Engine { bench, network, version } = self;
        let commit = commit().map(|commit| format!(", commit {commit}")).unwrap_or_default();
        let text = format!(
            "*Bench {bench}, network {network}, version {version}{commit}, {}, {}; {conditions}.*",
            today()?,
            processor().unwrap_or_else(|| std::env::consts::ARCH.to_owned())
        );
        Ok(wrapped(&text))
    }
}

/// The date, as `YYYY-MM-DD`.
pub fn today() -> Result<String, String> {
    let output = Command::new("date").arg("+%Y-%m-%d").output().map_err(|error| format!("date: {error}"))?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// The commit that is checked out, if git names one.
fn commit() -> Option<String> {
    let output = Command::new("git").args(["rev-parse", "--short", "HEAD"]).output().ok()?;
    let name = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (output.status.success() && !name.is_empty()).then_some(name)
}

/// The state of the program's sources, as git names it: of two programs with the same bench, a limit of nodes or time may
/// still show a difference. Empty without git.
pub fn sources() -> String {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).output().ok().filter(|output| output.status.success())?;
        Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let Some(tree) = git(&["rev-parse", "--short", "HEAD:src"]) else { return String::new() };
    let changed = git(&["status", "--porcelain", "--", "src"]).is_none_or(|files| !files.is_empty());
    if changed { format!("{tree}-changed") } else { tree }
}

/// The processor's family by its own name, on Linux.
fn processor() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let name = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "))?.1;
    Some(name.trim().to_owned())
}

/// A paragraph in lines of at most [`WIDTH`] columns.
fn wrapped(text: &str) -> String {
    let (mut lines, mut line) = (String::new(), String::new());
    for word in text.split(' ') {
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > WIDTH {
            lines += &line;
            lines.push('\n');
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line += word;
    }
    lines + &line + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn engine() -> Engine {
        Engine { bench: "952058".to_owned(), network: "ibex-10".to_owned(), version: "1.0.0".to_owned() }
    }

    #[test]
    fn what_is_written_is_read() {
        let line = engine().provenance(&"`ibex lab table`, 16 MB, one thread, ".repeat(5)).unwrap();
        assert!(line.lines().count() > 1 && line.lines().all(|line| line.chars().count() <= WIDTH), "{line}");
        let recorded = Recorded::read(&format!("| a |\n\n{line}")).unwrap();
        assert_eq!(recorded, Recorded { bench: engine().bench, network: engine().network });
        assert_eq!(Recorded::read("| a |\n"), None);
    }

    #[test]
    fn the_search_ages_with_the_bench_and_games_with_the_network() {
        let now = engine();
        let recorded = |bench: &str, network: &str| Recorded { bench: bench.to_owned(), network: network.to_owned() };
        assert_eq!(Basis::Search.reason(&recorded("952058", "ibex-10"), &now), None);
        assert!(Basis::Search.reason(&recorded("970207", "ibex-10"), &now).unwrap().contains("970207"));
        assert_eq!(Basis::Network.reason(&recorded("970207", "ibex-10"), &now), None);
        for basis in [Basis::Search, Basis::Network] {
            assert!(basis.reason(&recorded("952058", "ibex-9"), &now).unwrap().contains("ibex-9"));
        }
    }
}
