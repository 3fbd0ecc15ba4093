//! The engine that a figure was measured with, and when that is no longer the current one.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use terminal::{CommandError, trouble};

use ibex::checksum::checksum;

use crate::measure::output;
use crate::page::read;

/// Columns of a line of the pages.
const WIDTH: usize = 120;

/// The files that a program is built from, as git pathspecs.
const SOURCES: [&str; 9] = [
    ":(top)src",
    ":(top)lab",
    ":(top)formats",
    ":(top)terminal",
    ":(top)build",
    ":(top)build.rs",
    ":(top)Cargo.toml",
    ":(top)Cargo.lock",
    ":(top,glob)nets/*.ibxn",
];
/// The engine as the project has it now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Engine {
    /// The nodes of the bench.
    pub bench: String,
    pub network: String,
    pub version: String,
}

/// The state of the checkout according to git: its commit, and what a program would be built from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// The short name of the commit that is checked out; `None` outside of git.
    commit: Option<String>,
    /// A checksum of the files that a program is built from, as they are now, whether committed or not: two programs
    /// with the same bench may still differ under a limit of nodes or time. `None` outside of git.
    pub sources: Option<String>,
    /// Whether these files differ from those of the commit.
    changed: bool,
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
    /// Why a figure of the recorded engine is old now.
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
    /// Reads the provenance line of a block.
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
    /// One line: a file is missing or lacks the information.
    pub fn current() -> Result<Engine, CommandError> {
        let entries =
            fs::read_dir("nets").map_err(|error| trouble!("nets: {error}; run this in the project's folder"))?;
        let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
        let networks: Vec<String> = names.filter_map(|name| name.strip_suffix(".ibxn").map(str::to_owned)).collect();
        let [network] = &networks[..] else { return Err(trouble!("nets: {} networks", networks.len())) };
        let manifest = read("Cargo.toml")?;
        let version = manifest.lines().find_map(|line| line.strip_prefix("version = \"")?.strip_suffix('"'));
        Ok(Engine {
            bench: read("tests/bench.signature")?.trim().to_owned(),
            network: network.clone(),
            version: version.ok_or_else(|| trouble!("Cargo.toml has no version"))?.to_owned(),
        })
    }

    /// The line below a table: what it was measured with, wrapped to the width of the pages. `state` is the one when
    /// the measurement began.
    ///
    /// # Errors
    ///
    /// One line: the date is unavailable.
    pub fn provenance(&self, state: &State, conditions: &str) -> Result<String, CommandError> {
        let Engine { bench, network, version } = self;
        let changes = if state.changed { " with changes" } else { "" };
        let commit = state.commit.as_ref().map(|commit| format!(", commit {commit}{changes}")).unwrap_or_default();
        let text = format!(
            "*Bench {bench}, network {network}, version {version}{commit}, {}, {}; {conditions}.*",
            today()?,
            processor().unwrap_or_else(|| std::env::consts::ARCH.to_owned())
        );
        Ok(wrapped(&text))
    }
}

/// The date, as `YYYY-MM-DD`.
///
/// # Errors
///
/// One line: it is unavailable.
pub fn today() -> Result<String, CommandError> {
    date("date")
}

/// The date that this program prints.
fn date(program: &str) -> Result<String, CommandError> {
    let date = output(Command::new(program).arg("+%Y-%m-%d"), &[0])?.trim().to_owned();
    if date.is_empty() { Err(trouble!("{program} prints no date")) } else { Ok(date) }
}

impl State {
    /// The state of the checkout in which this program runs.
    ///
    /// # Errors
    ///
    /// One line: git has a commit here, but cannot compare the sources with it.
    pub fn now() -> Result<State, CommandError> {
        State::of(Path::new("."))
    }

    /// The state of the checkout in this folder.
    fn of(folder: &Path) -> Result<State, CommandError> {
        let commit = git(folder, &["rev-parse", "--short", "HEAD"]).filter(|name| !name.is_empty());
        let (committed, sources) = (sources(folder, false), sources(folder, true));
        if let Some(commit) = &commit
            && (committed.is_none() || sources.is_none())
        {
            return Err(trouble!("git does not say whether the sources are those of commit {commit}"));
        }
        Ok(State { commit, changed: committed != sources, sources })
    }

    /// Checks that a program can have been built from these files, by the commit that its version names; a release
    /// names none. `version` is what `ibex --version` prints.
    ///
    /// # Errors
    ///
    /// One line: it was built from other files, or git cannot compare them.
    pub fn must_be_of(&self, version: &str) -> Result<(), CommandError> {
        self.must_be_of_in(Path::new("."), version)
    }

    /// The same for the checkout in this folder.
    fn must_be_of_in(&self, folder: &Path, version: &str) -> Result<(), CommandError> {
        let mut parts = version.trim().split('-').skip(1);
        let Some(commit) = parts.next().filter(|name| name.bytes().all(|byte| byte.is_ascii_hexdigit())) else {
            return Ok(());
        };
        let other = |why: &str| Err(trouble!("the program is of commit {commit}, {why}; build it again"));
        match (parts.next() == Some("dirty"), self.changed) {
            // The two changes read the same.
            (true, true) => Ok(()),
            (true, false) => other("with changes that are not here"),
            (false, _) => match git(folder, &[&["diff", "--name-only", commit, "--"], &SOURCES[..]].concat()) {
                None => other("which git does not have here"),
                Some(files) if files.is_empty() => Ok(()),
                Some(_) => other("and the sources have changed since"),
            },
        }
    }

    /// Checks that a program would still be built from the same files.
    ///
    /// # Errors
    ///
    /// One line: they have changed, so it is unknown what was measured.
    pub fn must_hold(&self) -> Result<(), CommandError> {
        self.must_hold_in(Path::new("."))
    }

    /// The same for the checkout in this folder.
    fn must_hold_in(&self, folder: &Path) -> Result<(), CommandError> {
        if State::of(folder)?.sources == self.sources {
            Ok(())
        } else {
            Err(trouble!("the sources have changed since this command began; build the program and begin again"))
        }
    }
}

/// The output of git in a folder; `None` if it fails.
fn git(folder: &Path, arguments: &[&str]) -> Option<String> {
    printed(Command::new("git").arg("-C").arg(folder).args(arguments))
}

fn printed(command: &mut Command) -> Option<String> {
    let output = command.output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// A checksum of the files of [`SOURCES`]: those of the commit that is checked out, or those that are there `now`;
/// `None` if git cannot read them.
fn sources(folder: &Path, now: bool) -> Option<String> {
    static WRITER: Mutex<()> = Mutex::new(());
    let _alone = WRITER.lock().unwrap_or_else(PoisonError::into_inner);
    // In an index of its own, git adds the current files, and leaves the user's index alone.
    let index = std::env::temp_dir().join(format!("ibex-figures-index-{}", std::process::id()));
    let git = |arguments: &[&str], paths: &[&str]| {
        printed(Command::new("git").arg("-C").arg(folder).args(arguments).args(paths).env("GIT_INDEX_FILE", &index))
    };
    let listed = git(&["read-tree", "HEAD"], &[])
        .and_then(|text| if now { git(&["add", "--all", "--"], &SOURCES) } else { Some(text) })
        .and_then(|_| git(&["ls-files", "--stage", "--full-name", "--"], &SOURCES));
    let _ = fs::remove_file(&index);
    // The project may lie inside a checkout of something else.
    listed.filter(|text| !text.is_empty()).map(|text| format!("{:016x}", checksum(text.as_bytes())))
}

/// The name of the processor's family, on Linux.
fn processor() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let name = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "))?.1;
    Some(name.trim().to_owned())
}

/// A paragraph, wrapped to [`WIDTH`] columns.
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
    use crate::scratch::Scratch;

    fn engine() -> Engine {
        Engine { bench: "952058".to_owned(), network: "ibex-10".to_owned(), version: "1.0.0".to_owned() }
    }

    fn state(changed: bool) -> State {
        State { commit: Some("1a2b3c4".to_owned()), sources: Some("0123".to_owned()), changed }
    }

    /// A git project with one commit.
    fn project(name: &str) -> Scratch {
        let scratch = Scratch::new(name);
        for folder in ["src/search", "lab/src", "formats", "terminal", "build", "nets", "docs"] {
            fs::create_dir_all(scratch.0.join(folder)).unwrap();
        }
        for file in [
            "src/search/node.rs",
            "lab/src/table.rs",
            "formats/epd.rs",
            "terminal/exit.rs",
            "build/version.rs",
            "build.rs",
            "Cargo.toml",
            "Cargo.lock",
            "nets/n.ibxn",
            "docs/page.md",
        ] {
            scratch.write(file, "old\n");
        }
        commit(&scratch, &["init", "--quiet"]);
        commit(&scratch, &["add", "--all"]);
        commit(&scratch, &["commit", "--quiet", "--message=one"]);
        scratch
    }

    /// A git command that must succeed there, whatever the user's settings are.
    fn commit(project: &Scratch, arguments: &[&str]) {
        let mut git = Command::new("git");
        for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
            git.env_remove(name);
        }
        git.env("GIT_CONFIG_GLOBAL", "/dev/null").args(["-c", "user.name=test", "-c", "user.email=test@localhost"]);
        let output = git.arg("-C").arg(&project.0).args(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }

    #[cfg(unix)]
    #[test]
    fn there_is_a_date_or_an_error() {
        assert_eq!(today().unwrap().len(), "2026-11-27".len());
        assert_eq!(date("echo"), Ok("+%Y-%m-%d".to_owned()));
        assert!(date("false").unwrap_err().to_string().contains("false: exit status"));
        assert_eq!(date("true"), Err(trouble!("true prints no date")));
    }

    #[test]
    fn provenance_lines_round_trip() {
        let conditions = "`ibex-lab experiments table`, 16 MB, one thread, ".repeat(5);
        for changed in [false, true] {
            let line = engine().provenance(&state(changed), &conditions).unwrap();
            assert!(line.lines().count() > 1 && line.lines().all(|line| line.chars().count() <= WIDTH), "{line}");
            let recorded = Recorded::read(&format!("| a |\n\n{line}")).unwrap();
            assert_eq!((recorded.bench, recorded.network), (engine().bench, engine().network));
        }
        assert_eq!(Recorded::read("| a |\n"), None);
    }

    /// Everything that a program is built from belongs to its state, and nothing else.
    #[test]
    fn the_state_covers_everything_a_program_is_built_from() {
        let project = project("state");
        let begun = State::of(&project.0).unwrap();
        assert!(begun.commit.is_some() && begun.sources.is_some() && !begun.changed);
        for file in ["lab/src/table.rs", "build/version.rs", "build.rs", "Cargo.toml", "Cargo.lock", "nets/n.ibxn"] {
            project.write(file, "new\n");
            let state = State::of(&project.0).unwrap();
            assert!(state.changed && state.sources != begun.sources, "{file}");
            assert!(begun.must_hold_in(&project.0).unwrap_err().to_string().contains("have changed"), "{file}");
            project.write(file, "old\n");
            assert_eq!(State::of(&project.0).unwrap(), begun, "{file}");
        }
        let name = begun.commit.as_deref().unwrap();
        let built = |state: &State, version: &str| state.must_be_of_in(&project.0, version);
        for version in ["ibex 1.0.0\n", "ibex 1.0.0-unknown\n", &format!("ibex 1.0.0-{name}\n")] {
            assert_eq!(built(&begun, version), Ok(()), "{version}");
        }
        for (version, why) in
            [(format!("{name}-dirty"), "changes that are not here"), ("0badbad".into(), "git does not")]
        {
            let error = built(&begun, &format!("ibex 1.0.0-{version}\n")).unwrap_err();
            assert!(error.to_string().contains(why), "{error}");
        }
        project.write("lab/src/table.rs", "new\n");
        let changed = State::of(&project.0).unwrap();
        assert_eq!(built(&changed, &format!("ibex 1.0.0-{name}-dirty\n")), Ok(()));
        assert!(
            built(&changed, &format!("ibex 1.0.0-{name}\n")).unwrap_err().to_string().contains("have changed since")
        );
        project.write("lab/src/table.rs", "old\n");
        project.write("src/search/more.rs", "new\n");
        assert!(begun.must_hold_in(&project.0).is_err(), "a file that git does not have yet");
        fs::remove_file(project.0.join("src/search/more.rs")).unwrap();
        // A commit of a page in between changes nothing, and the line names the first commit.
        project.write("docs/page.md", "new\n");
        commit(&project, &["commit", "--quiet", "--all", "--message=two"]);
        begun.must_hold_in(&project.0).unwrap();
        assert_ne!(State::of(&project.0).unwrap().commit, begun.commit);
        let line = engine().provenance(&begun, "x").unwrap();
        assert!(line.contains(&format!("commit {},", begun.commit.unwrap())), "{line}");
    }

    #[test]
    fn without_git_the_state_is_unknown() {
        let scratch = Scratch::new("no-state");
        let state = State::of(&scratch.0).unwrap();
        assert_eq!((state.commit, state.sources), (None, None));
        // A checkout of something else, and one whose sources are not complete.
        commit(&scratch, &["init", "--quiet"]);
        scratch.write("page.md", "text\n");
        commit(&scratch, &["add", "--all"]);
        commit(&scratch, &["commit", "--quiet", "--message=one"]);
        assert!(State::of(&scratch.0).unwrap_err().to_string().contains("does not say"));
    }

    #[test]
    fn figures_age_with_the_bench_or_with_the_network() {
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
