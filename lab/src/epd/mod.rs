//! The EPD laboratory: suites are run, judged, compared and shown.

mod compare;
mod compare_page;
mod html;
pub mod judge;
mod merge;
mod plan;
mod progress;
pub mod record;
mod renewal;
pub mod report;
pub mod results_file;
pub mod run;
mod totals;
pub mod workers;

use clap::Subcommand;

use terminal::{Exit, Result};

/// Run suites, merge and compare runs.
#[derive(clap::Args, Clone, Debug)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct Args {
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    run: plan::Args,
}

#[derive(Subcommand, Clone, Debug)]
enum Action {
    /// Put the parts of a run together, and report on the whole
    ///
    /// The exit status is 1 when positions are missing.
    Merge(merge::Args),
    /// Show which positions were won and lost between two runs, or between a run and several others
    ///
    /// McNemar's exact test says whether the difference is more than chance. --html writes a page with both answers to
    /// each position that changed.
    Compare(compare::Args),
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Exit> {
    match &args.action {
        None => run::run(&args.run),
        Some(Action::Merge(args)) => merge::run(args),
        Some(Action::Compare(args)) => compare::run(args),
    }
}
