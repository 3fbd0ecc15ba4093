//! Measures the figures of the documentation and writes them into its pages.
//!
//! A figure is a table between two markers of a page, with a line that says what it was measured with. [`mod@list`] has
//! all of them. The commands:
//!
//! - `list`: the figures and what each was measured with
//! - `run`: measures the figures that are not of the current engine, one after the other; each is written when it is
//!   complete, so the same command goes on after an interruption. Then it draws the plots of the pages' tables.
//! - `check`: says which figures are old, and measures the quick ones again, old or not: tables of the current engine
//!   must repeat
//! - `match`: plays two commits against each other by SPRT, for the record of matches
//! - `tune`: moves the numbers of the search by games

mod basis;
mod chances;
mod duel;
mod equations;
mod games;
mod held;
mod list;
mod matches;
mod measure;
mod page;
mod plot;
mod ratings;
#[cfg(test)]
#[path = "../../tests/common/scratch.rs"]
mod scratch;
mod sprt;
mod steps;
mod tune;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use terminal::{CommandError, Exit, remark, tell, trouble};

use clap::{Parser, Subcommand};

use basis::{Basis, Engine, Recorded, State};
use list::{FIGURES, Figure};
use measure::Tools;

/// The page that everyone sees: a release must not ship it with the figures of another engine.
const FRONT_PAGE: &str = "README.md";

/// Measures the figures of Ibex's documentation and writes them into its pages.
#[derive(Parser, Debug)]
#[command(version, arg_required_else_help = true)]
struct Cli {
    /// The program to measure, for run, check and tune [default: target/release/ibex]
    #[arg(long, value_name = "PROGRAM", global = true)]
    ibex: Option<PathBuf>,
    /// How it was built, for the tables of speed and games that run measures [default: an unnamed build]
    #[arg(long, value_name = "TEXT", global = true)]
    build: Option<String>,
    /// The folder with the public test data, for all commands but list [default: ../shared]
    #[arg(long, value_name = "FOLDER", global = true)]
    shared: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

impl Cli {
    /// Rejects an option that the command would ignore.
    fn uses_all(&self) -> Result<(), CommandError> {
        let given =
            [("--ibex", self.ibex.is_some()), ("--build", self.build.is_some()), ("--shared", self.shared.is_some())];
        let (command, used): (_, &[&str]) = match self.command {
            Command::List => ("list", &[]),
            Command::Run { .. } => ("run", &["--ibex", "--build", "--shared"]),
            Command::Check { .. } => ("check", &["--ibex", "--shared"]),
            // It builds the programs that it plays.
            Command::Match(_) => ("match", &["--shared"]),
            Command::Tune(_) => ("tune", &["--ibex", "--shared"]),
        };
        match given.iter().find(|(option, given)| *given && !used.contains(option)) {
            Some((option, _)) => Err(trouble!("{command} does not use {option}")),
            None => Ok(()),
        }
    }
}

#[derive(Subcommand, Debug)]
enum Command {
    /// List the figures and what each was measured with
    List,
    /// Measure figures and write them; those of the current engine are left alone
    Run {
        /// Names or parts, as `list` shows them [default: all]
        names: Vec<String>,
        /// Measure those of the current engine too
        #[arg(long)]
        again: bool,
    },
    /// Say which figures are old; measure the quick ones again
    Check {
        /// An old figure is an error, and the strength must be of the current bench
        #[arg(long)]
        release: bool,
    },
    /// Play two commits against each other until SPRT accepts a hypothesis, and add the result to the record of matches
    Match(sprt::Arguments),
    /// Tune the parameters of the search by games against itself (SPSA), and keep the state in a file
    Tune(tune::Arguments),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let used = cli.uses_all();
    let tools = Tools {
        ibex: cli.ibex.unwrap_or_else(|| "target/release/ibex".into()),
        build: cli.build,
        shared: cli.shared.unwrap_or_else(|| "../shared".into()),
    };
    let result = used.and_then(|()| match &cli.command {
        Command::List => list(),
        Command::Run { names, again } => run(&tools, names, *again),
        Command::Check { release } => check(&tools, *release),
        Command::Match(arguments) => sprt::play(&tools, arguments).map(|()| true),
        Command::Tune(arguments) => tune::play(&tools, arguments).map(|()| true),
    });
    terminal::end("figures", result.map(|is_right| if is_right { Exit::Done } else { Exit::Found }))
}

/// What a page says that a figure was measured with; `None` if it does not say.
fn recorded(figure: &Figure) -> Result<Option<Recorded>, CommandError> {
    Ok(Recorded::read(&page::block_of(figure.pages, figure.name)?))
}

/// Why a figure is old; `None` if it is current.
fn reason(figure: &Figure, engine: &Engine) -> Result<Option<String>, CommandError> {
    // An interruption between two pages of a figure leaves them different.
    if let Some(disagreement) = page::disagreement(figure.pages, figure.name)? {
        return Ok(Some(disagreement));
    }
    Ok(match recorded(figure)? {
        None => Some("does not name its engine".to_owned()),
        Some(recorded) => figure.basis.reason(&recorded, engine),
    })
}

fn list() -> Result<bool, CommandError> {
    let engine = Engine::current()?;
    for figure in FIGURES {
        let state =
            if let Some(reason) = reason(figure, &engine)? { format!("old: {reason}") } else { "current".to_owned() };
        tell!("{:<10} {:<22} {:<22} {state}", figure.part, figure.name, figure.pages.join(", "))?;
    }
    Ok(true)
}

fn run(tools: &Tools, names: &[String], again: bool) -> Result<bool, CommandError> {
    for name in names {
        if !FIGURES.iter().any(|figure| figure.is_called(name)) {
            return Err(trouble!("no figure or part is called '{name}'; `list` shows them"));
        }
    }
    let engine = Engine::current()?;
    let state = State::now()?;
    let tools = tools.pinned(&engine)?;
    state.must_be_of(&tools.run(["--version"])?)?;
    let mut chosen = Vec::new();
    for figure in FIGURES.iter().filter(|figure| names.is_empty() || names.iter().any(|name| figure.is_called(name))) {
        if again || reason(figure, &engine)?.is_some() {
            chosen.push(figure);
        }
    }
    let mut times: Vec<(&str, Duration)> = Vec::new();
    let mut failed = 0;
    for (number, figure) in chosen.iter().enumerate() {
        remark!("[{}/{}] {}", number + 1, chosen.len(), figure.name);
        let start = Instant::now();
        // A failed measurement leaves its page unchanged, and the others continue.
        let written = state.must_hold().and_then(|()| figure.measure(&tools)).and_then(|measured| {
            state.must_hold()?;
            let block = format!("{}\n{}", measured.table, engine.provenance(&state, &measured.conditions)?);
            figure.pages.iter().try_for_each(|page| page::replace(page, figure.name, &block))
        });
        if let Err(error) = written {
            remark!("figures: {}: {error}", figure.name);
            failed += 1;
        }
        match times.iter_mut().find(|(part, _)| *part == figure.part) {
            Some((_, time)) => *time += start.elapsed(),
            None => times.push((figure.part, start.elapsed())),
        }
    }
    for (part, time) in times {
        tell!("{part:<10} {:.0} s", time.as_secs_f64())?;
    }
    let (plots, errors) = plot::write();
    for error in &errors {
        remark!("figures: {error}");
    }
    tell!("{}", sum(chosen.len(), failed, plots))?;
    Ok(failed == 0 && errors.is_empty())
}

/// The summary of a run, in a line.
fn sum(chosen: usize, failed: usize, plots: usize) -> String {
    let counted = |number: usize, what: &str| format!("{number} {what}{}", if number == 1 { "" } else { "s" });
    format!("{} measured, {failed} failed; {} changed", counted(chosen - failed, "figure"), counted(plots, "plot"))
}

/// The results of a check.
#[derive(Debug, Default, PartialEq, Eq)]
struct Counts {
    /// Tables that were measured again and repeated.
    repeated: usize,
    /// Tables that should repeat and do not, or cannot be measured.
    wrong: usize,
    /// Figures of an earlier engine.
    old: usize,
    /// Figures on the front page that are not old, but must not be released because they are of another bench.
    front: usize,
}

impl Counts {
    /// All of it in a line, with the remedies.
    fn summary(&self) -> String {
        let Counts { repeated, wrong, old, front } = self;
        // `make figures` leaves them alone, and uses another build than they name.
        let front = if *front > 0 {
            format!(", {front} on the front page of another bench (`run --again NAME` as docs/strength.md says)")
        } else {
            String::new()
        };
        format!(
            "{} figures: {repeated} measured again and the same, {wrong} wrong, {old} old (`make figures`){front}",
            FIGURES.len()
        )
    }

    /// Counts a quick figure, which was measured again; `reason` is why it is old, `shown` its name and pages. Returns
    /// its line, unless the figure is current and has repeated.
    fn quick(
        &mut self,
        shown: &str,
        table: &str,
        reason: Option<String>,
        measured: Result<String, CommandError>,
    ) -> Option<String> {
        self.old += usize::from(reason.is_some());
        match (measured, reason) {
            (Err(error), _) => {
                self.wrong += 1;
                Some(format!("wrong: {shown}: {error}"))
            }
            (Ok(measured), reason) if measured.trim() == table.trim() => {
                self.repeated += 1;
                Some(format!("old, but the same: {shown}: {}", reason?))
            }
            (Ok(_), Some(reason)) => Some(format!("old, and the table differs: {shown}: {reason}")),
            (Ok(measured), None) => {
                self.wrong += 1;
                Some(format!("wrong: {shown}; measured now:\n{measured}"))
            }
        }
    }
}

/// Why a release must not have a figure that is not old; `None` if it may. The front page is of the released engine.
fn reason_at_release(figure: &Figure, engine: &Engine) -> Result<Option<String>, CommandError> {
    let recorded = if figure.pages.contains(&FRONT_PAGE) { recorded(figure)? } else { None };
    Ok(recorded.and_then(|recorded| Basis::Search.reason(&recorded, engine)))
}

fn check(tools: &Tools, release: bool) -> Result<bool, CommandError> {
    let engine = Engine::current()?;
    tools.must_be(&engine)?;
    let mut counts = Counts::default();
    for figure in FIGURES {
        let shown = format!("{} in {}", figure.name, figure.pages.join(", "));
        let reason = reason(figure, &engine)?;
        let at_release = if release { reason_at_release(figure, &engine)? } else { None };
        if figure.quick {
            let table = page::table(&page::block(figure.pages[0], figure.name)?);
            let measured = figure.measure(tools).map(|measured| measured.table);
            if let Some(line) = counts.quick(&shown, &table, reason, measured) {
                tell!("{line}")?;
            }
        } else if let Some(reason) = reason {
            tell!("old: {shown}: {reason}")?;
            counts.old += 1;
        } else if let Some(reason) = at_release {
            tell!("not for a release: {shown}: {reason}")?;
            counts.front += 1;
        }
    }
    let stale = plot::stale();
    for line in &stale {
        tell!("wrong: {line}")?;
    }
    counts.wrong += stale.len();
    tell!("{}", counts.summary())?;
    Ok(counts.wrong == 0 && !(release && counts.old + counts.front > 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A figure that cannot be measured is wrong, and the check continues with the next.
    #[test]
    fn a_figure_that_cannot_be_measured_counts_as_wrong() {
        let mut counts = Counts::default();
        let mut line = |reason: Option<&str>, measured: Result<&str, &str>| {
            let measured = measured.map(str::to_owned).map_err(|error| trouble!("{error}"));
            counts.quick("lab in docs/lab.md", "| a |\n", reason.map(str::to_owned), measured)
        };
        assert_eq!(line(None, Ok("| a |\n\n")), None);
        assert_eq!(line(None, Ok("| b |\n")).unwrap(), "wrong: lab in docs/lab.md; measured now:\n| b |\n");
        assert_eq!(line(None, Err("ibex: no room")).unwrap(), "wrong: lab in docs/lab.md: ibex: no room");
        assert!(line(Some("of bench 1, now 2"), Err("ibex: no room")).unwrap().starts_with("wrong: "));
        assert_eq!(counts, Counts { repeated: 1, wrong: 3, old: 1, ..Counts::default() });
    }

    /// An old quick figure is measured all the same: otherwise nothing would be checked.
    #[test]
    fn old_quick_figures_are_measured_too() {
        let mut counts = Counts::default();
        let mut line = |measured: &str| {
            counts.quick("lab in docs/lab.md", "| a |\n", Some("of bench 1, now 2".to_owned()), Ok(measured.to_owned()))
        };
        assert_eq!(line("| a |\n").unwrap(), "old, but the same: lab in docs/lab.md: of bench 1, now 2");
        assert_eq!(line("| b |\n").unwrap(), "old, and the table differs: lab in docs/lab.md: of bench 1, now 2");
        assert_eq!(counts, Counts { repeated: 1, old: 2, ..Counts::default() });
    }

    #[test]
    fn the_front_page_has_only_the_strength_figure() {
        let front: Vec<&str> =
            FIGURES.iter().filter(|figure| figure.pages.contains(&FRONT_PAGE)).map(|figure| figure.name).collect();
        assert_eq!(front, ["strength"]);
        assert!(FIGURES.iter().all(|figure| figure.name != "strength" || !figure.quick), "`check` asks only slow ones");
    }

    /// `make figures` does not measure a figure that is old only for a release; its page has the command that does.
    #[test]
    fn the_summary_says_how_to_renew_the_front_page() {
        let [without, with] = [0, 1].map(|front| Counts { front, ..Counts::default() }.summary());
        assert!(!without.contains("front page"), "{without}");
        assert!(
            with.contains("0 old (`make figures`), 1 on the front page of another bench (`run --again NAME`"),
            "{with}"
        );
        let page = page::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/strength.md")).unwrap();
        assert!(page.contains("--build '`make pgo`' run --again strength"));
    }

    #[test]
    fn failed_figures_do_not_count_as_measured() {
        assert_eq!(sum(1, 1, 1), "0 figures measured, 1 failed; 1 plot changed");
        assert_eq!(sum(3, 2, 0), "1 figure measured, 2 failed; 0 plots changed");
    }

    #[test]
    fn no_option_is_ignored() {
        let refused = |line: &str| Cli::try_parse_from(line.split(' ')).unwrap().uses_all().err();
        for (line, option) in [
            ("figures match --ibex ./mine --old HEAD~1", "match does not use --ibex"),
            ("figures --build mine match --old HEAD~1", "match does not use --build"),
            ("figures list --shared data", "list does not use --shared"),
            ("figures check --build mine", "check does not use --build"),
            ("figures --build mine tune", "tune does not use --build"),
        ] {
            assert_eq!(refused(line).map(|error| error.to_string()).as_deref(), Some(option), "{line}");
        }
        for line in [
            "figures --shared data match --old HEAD~1",
            "figures --ibex i --build b --shared d run --again strength",
            "figures --ibex i --shared d check",
            "figures --shared d --ibex i tune",
            "figures list",
        ] {
            assert_eq!(refused(line), None, "{line}");
        }
    }
}
