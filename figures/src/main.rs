//! Measures the figures of the documentation and writes them into its pages.
//!
//! A figure is a table between two markers of a page, with a line that says what it was measured with. [`list`] has them
//! all. `run` measures those that are not of the current engine, one after the other; each is written when it is complete,
//! so the same command goes on after an interruption. `check` says which figures are old, and measures the quick ones
//! again, whose tables must repeat. Plots are drawn of the pages' tables after every `run`. `match` plays two commits
//! against each other by SPRT, for the record of matches; `factors` finds the changes that deserve it.

mod basis;
mod chances;
mod factors;
mod games;
mod linear;
mod list;
mod measure;
mod page;
mod plot;
mod ratings;
#[cfg(test)]
#[path = "../../tests/common/scratch.rs"]
mod scratch;
mod sprt;
mod steps;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::{Parser, Subcommand};

use basis::{Basis, Engine, Recorded, State};
use list::{FIGURES, Figure};
use measure::Tools;

/// Measures the figures of Ibex's documentation and writes them into its pages.
#[derive(Parser, Debug)]
#[command(version, arg_required_else_help = true)]
struct Cli {
    /// The program that is measured
    #[arg(long, value_name = "PROGRAM", default_value = "target/release/ibex", global = true)]
    ibex: PathBuf,
    /// How it was built, for the tables of speed and games [default: an unnamed build]
    #[arg(long, value_name = "TEXT", global = true)]
    build: Option<String>,
    /// The folder with the public test data
    #[arg(long, value_name = "FOLDER", default_value = "../shared", global = true)]
    shared: PathBuf,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// List the figures and what each was measured with
    List,
    /// Measure figures and write them; those of the current engine are left alone
    Run {
        /// Names or parts, as `list` shows them [default: all]
        names: Vec<String>,
        /// Measure those of the current engine, too
        #[arg(long)]
        again: bool,
    },
    /// Say which figures are old; measure the quick ones of the current engine again
    Check {
        /// An old figure is an error
        #[arg(long)]
        release: bool,
    },
    /// Play two commits against each other until SPRT says which is better, and add the result to the record of matches
    Match(sprt::Arguments),
    /// Measure the effects of many small changes of options in one match
    Factors(factors::Arguments),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let tools = Tools { ibex: cli.ibex, build: cli.build, shared: cli.shared };
    let result = match &cli.command {
        Command::List => list(),
        Command::Run { names, again } => run(&tools, names, *again),
        Command::Check { release } => check(&tools, *release),
        Command::Match(arguments) => sprt::play(&tools, arguments).map(|()| true),
        Command::Factors(arguments) => factors::play(&tools, arguments).map(|()| true),
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("figures: {error}");
            ExitCode::from(2)
        }
    }
}

/// What a page says a figure was measured with; none if it does not say.
fn recorded(figure: &Figure) -> Result<Option<Recorded>, String> {
    Ok(Recorded::read(&page::block_of(figure.pages, figure.name)?))
}

/// Why a figure is old; none if it is current.
fn reason(figure: &Figure, engine: &Engine) -> Result<Option<String>, String> {
    // An interruption between two pages of a figure leaves them so.
    if let Some(disagreement) = page::disagreement(figure.pages, figure.name)? {
        return Ok(Some(disagreement));
    }
    Ok(match recorded(figure)? {
        None => Some("says nothing of its engine".to_owned()),
        Some(recorded) => figure.basis.reason(&recorded, engine),
    })
}

/// Why a figure that is current by its bench may be another one today all the same; none if there is no sign of it.
///
/// The quick ones are measured again by each check, and those of games and clocks do not follow the bench at all.
fn doubt(figure: &Figure) -> Result<Option<String>, String> {
    if figure.quick || figure.basis != Basis::Search {
        return Ok(None);
    }
    Ok(recorded(figure)?.and_then(|recorded| recorded.doubt()))
}

fn list() -> Result<bool, String> {
    let engine = Engine::current()?;
    for figure in FIGURES {
        let state = if let Some(reason) = reason(figure, &engine)? {
            format!("old: {reason}")
        } else if let Some(doubt) = doubt(figure)? {
            format!("current by its bench; {doubt}")
        } else {
            "current".to_owned()
        };
        println!("{:<10} {:<22} {:<22} {state}", figure.part, figure.name, figure.pages.join(", "));
    }
    Ok(true)
}

fn run(tools: &Tools, names: &[String], again: bool) -> Result<bool, String> {
    for name in names {
        if !FIGURES.iter().any(|figure| figure.is_called(name)) {
            return Err(format!("no figure and no part is called '{name}'; `list` shows them"));
        }
    }
    let engine = Engine::current()?;
    let state = State::now()?;
    let tools = tools.pinned(&engine)?;
    let mut chosen = Vec::new();
    for figure in FIGURES.iter().filter(|figure| names.is_empty() || names.iter().any(|name| figure.is_called(name))) {
        if again || reason(figure, &engine)?.is_some() {
            chosen.push(figure);
        }
    }
    let mut times: Vec<(&str, Duration)> = Vec::new();
    let mut failed = 0;
    for (number, figure) in chosen.iter().enumerate() {
        eprintln!("[{}/{}] {}", number + 1, chosen.len(), figure.name);
        let start = Instant::now();
        // A measurement that fails leaves its page as it is, and the others go on.
        let written = state.must_hold().and_then(|()| figure.measure(&tools)).and_then(|measured| {
            state.must_hold()?;
            let block = format!("{}\n{}", measured.table, engine.provenance(&state, &measured.conditions)?);
            figure.pages.iter().try_for_each(|page| page::replace(page, figure.name, &block))
        });
        if let Err(error) = written {
            eprintln!("figures: {}: {error}", figure.name);
            failed += 1;
        }
        match times.iter_mut().find(|(part, _)| *part == figure.part) {
            Some((_, time)) => *time += start.elapsed(),
            None => times.push((figure.part, start.elapsed())),
        }
    }
    for (part, time) in times {
        println!("{part:<10} {:.0} s", time.as_secs_f64());
    }
    println!("{} figures measured, {failed} failed; {} plots changed", chosen.len(), plot::write()?);
    Ok(failed == 0)
}

/// How a table that a page has differs from the one that was measured now, if there is one; none if it does not.
fn difference(table: &str, measured: Result<String, String>) -> Option<String> {
    match measured {
        Err(error) => Some(format!(": {error}")),
        Ok(measured) if measured.trim() != table.trim() => Some(format!("; measured now:\n{measured}")),
        Ok(_) => None,
    }
}

fn check(tools: &Tools, release: bool) -> Result<bool, String> {
    let engine = Engine::current()?;
    tools.must_be(&engine)?;
    let (mut old, mut wrong, mut repeated, mut doubtful) = (0, 0, 0, 0);
    for figure in FIGURES {
        if let Some(reason) = reason(figure, &engine)? {
            println!("old: {} in {}: {reason}", figure.name, figure.pages.join(", "));
            old += 1;
        } else if figure.quick {
            let told = page::table(&page::block_of(figure.pages, figure.name)?);
            match difference(&told, figure.measure(tools).map(|measured| measured.table)) {
                None => repeated += 1,
                Some(difference) => {
                    println!("wrong: {} in {}{difference}", figure.name, figure.pages.join(", "));
                    wrong += 1;
                }
            }
        } else if let Some(doubt) = doubt(figure)? {
            println!("current by its bench alone: {} in {}: {doubt}", figure.name, figure.pages.join(", "));
            doubtful += 1;
        }
    }
    let stale = plot::stale()?;
    for file in &stale {
        println!("wrong: {file} is not the plot of its table (`make figures` draws it)");
    }
    wrong += stale.len();
    println!(
        "{} figures: {repeated} measured again, {wrong} wrong, {old} old (`make figures`), \
         {doubtful} current by their bench alone (`run --again NAME`)",
        FIGURES.len()
    );
    Ok(wrong == 0 && !(release && old > 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One figure that cannot be measured is wrong, and the check goes on with the next.
    #[test]
    fn what_cannot_be_measured_differs() {
        assert_eq!(difference("| a |\n", Ok("| a |\n\n".to_owned())), None);
        assert_eq!(difference("| a |\n", Ok("| b |\n".to_owned())).unwrap(), "; measured now:\n| b |\n");
        assert_eq!(difference("| a |\n", Err("ibex: no room".to_owned())).unwrap(), ": ibex: no room");
    }
}
