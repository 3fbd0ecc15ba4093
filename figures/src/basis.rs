//! What a figure was measured with, and when that is no longer the current engine.

use std::fs;
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use crate::page::read;

/// Columns of a line of the pages.
const WIDTH: usize = 120;

/// What git looks at for changes of the search: the program without what asks it and prints its answers.
const SEARCH: [&str; 4] = [":(top)src", ":(top,exclude)src/lab", ":(top,exclude)src/uci", ":(top,exclude)src/formats"];
/// Changed files that a message names.
const NAMED: usize = 3;

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
    /// The commit that was checked out; older pages may lack it.
    pub commit: Option<String>,
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
        // The line may be broken anywhere.
        let mut words = rest.split_whitespace().skip_while(|&word| word != "commit").skip(1);
        let commit = words.next().map(|word| word.trim_end_matches(',').to_owned());
        Some(Recorded { bench: bench.to_owned(), network: network.trim().to_owned(), commit })
    }

    /// Why a figure with today's bench and network may be another one today all the same; none if the search is that of
    /// the recorded commit.
    ///
    /// The bench completes all its iterations: what a search does that runs out of nodes or of time it does not see.
    pub fn doubt(&self) -> Option<String> {
        let Some(commit) = &self.commit else { return Some("names no commit".to_owned()) };
        match changed_since(commit) {
            None => Some(format!("of commit {commit}, which git does not have here")),
            Some(files) if files.is_empty() => None,
            Some(files) => {
                let named = files.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
                let more = files.len().saturating_sub(NAMED);
                let more = if more > 0 { format!(" and {more} more") } else { String::new() };
                Some(format!("changed since commit {commit}: {named}{more}"))
            }
        }
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
        let changes = if is_changed() { " with changes" } else { "" };
        let commit = commit().map(|commit| format!(", commit {commit}{changes}")).unwrap_or_default();
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

/// The state of the program's sources, as git names it, whether committed or not: of two programs with the same bench,
/// a limit of nodes or time may still show a difference. Empty without git.
pub fn sources() -> String {
    static WRITER: Mutex<()> = Mutex::new(());
    let _alone = WRITER.lock().unwrap_or_else(PoisonError::into_inner);
    // In an index of its own, git adds what is there now, and leaves the user's index alone.
    let index = std::env::temp_dir().join(format!("ibex-figures-index-{}", std::process::id()));
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).env("GIT_INDEX_FILE", &index).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let tree = git(&["read-tree", "HEAD"])
        .and_then(|_| git(&["add", "--all", "--", ":(top)src"]))
        .and_then(|_| git(&["write-tree", "--prefix=src/"]));
    let _ = fs::remove_file(&index);
    tree.map(|tree| tree.chars().take(10).collect()).unwrap_or_default()
}

/// Whether the program's sources are not those of the commit that is checked out.
fn is_changed() -> bool {
    let output = Command::new("git").args(["rev-parse", "HEAD:src"]).output();
    let tree = output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default();
    !tree.starts_with(&sources())
}

/// The files of the search that differ from those of a commit, changes without a commit included; none if git cannot say.
fn changed_since(commit: &str) -> Option<Vec<String>> {
    // A name that begins with a hyphen would be an option.
    let named = commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    let mut git = Command::new("git");
    git.args(["diff", "--name-only", commit, "--"]).args(SEARCH);
    let output = git.output().ok().filter(|output| named && output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect())
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
        assert_eq!((recorded.bench, recorded.network, recorded.commit), (engine().bench, engine().network, commit()));
        let broken = "*Bench 1, network n, version 1, commit\n1a2b3c, 2026-11-01, x; y.*\n";
        assert_eq!(Recorded::read(broken).unwrap().commit.as_deref(), Some("1a2b3c"));
        assert_eq!(Recorded::read("*Bench 1, network n, version 1, 2026-11-01, x; y.*\n").unwrap().commit, None);
        assert_eq!(Recorded::read("| a |\n"), None);
    }

    #[test]
    fn the_search_ages_with_the_bench_and_games_with_the_network() {
        let now = engine();
        let recorded = |bench: &str, network: &str| Recorded {
            bench: bench.to_owned(),
            network: network.to_owned(),
            commit: None,
        };
        assert_eq!(Basis::Search.reason(&recorded("952058", "ibex-10"), &now), None);
        assert!(Basis::Search.reason(&recorded("970207", "ibex-10"), &now).unwrap().contains("970207"));
        assert_eq!(Basis::Network.reason(&recorded("970207", "ibex-10"), &now), None);
        for basis in [Basis::Search, Basis::Network] {
            assert!(basis.reason(&recorded("952058", "ibex-9"), &now).unwrap().contains("ibex-9"));
        }
    }

    /// The bench does not see all of the search: what has changed since the recorded commit is said.
    #[test]
    fn the_same_bench_leaves_a_doubt_where_the_search_has_changed() {
        let recorded = |commit: Option<&str>| Recorded {
            bench: String::new(),
            network: String::new(),
            commit: commit.map(Into::into),
        };
        assert_eq!(recorded(None).doubt().unwrap(), "names no commit");
        for unknown in ["0123456789abcdef", "--help"] {
            assert!(recorded(Some(unknown)).doubt().unwrap().contains("git does not have"), "{unknown}");
        }
        // In a checkout without its history there is nothing to compare.
        let Some(old) = changed_since("6a8b9ca") else { return };
        assert!(!old.is_empty() && old.iter().all(|file| file.starts_with("src/") && !file.starts_with("src/lab/")));
        let doubt = recorded(Some("6a8b9ca")).doubt().unwrap();
        assert!(doubt.starts_with("changed since commit 6a8b9ca: src/"), "{doubt}");
    }
}
