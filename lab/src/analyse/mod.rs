//! `ibex-lab analyse`: games and positions in, the same with evaluations out.
//!
//! - `plan`: what the arguments want; `progress`: how far the run is, and where its text goes; `input`: its inputs
//! - `ahead`: the positions of its inputs, for the progress bar
//! - `choice`: which moves are annotated
//! - `searcher`: Ibex or another engine, as the one that searches
//! - `openings`: names of openings
//! - `judge`: the cost of a move
//! - `course`: the positions of a game, and the game up to each of them
//! - `games`: every position of a game searched, the game annotated
//! - `positions`: a file of FENs, a line at a time
//! - `page`: the analysed games as a page
//! - `stream`: standard input and pipes, which may be silent
//! - `checkpoint`: the progress of a run
//!
//! Files are streamed: memory holds one game, or one line or a piece of it, whatever the size of the file.

mod ahead;
mod checkpoint;
mod choice;
mod course;
mod games;
mod input;
mod judge;
mod openings;
mod page;
mod plan;
mod positions;
mod progress;
mod searcher;
mod stream;

use self::checkpoint::identity;
use self::input::{Input, Waiting};
use self::openings::Openings;
use self::page::Page;
pub use self::plan::Args;
use self::plan::Plan;
use self::progress::{AnalysisRun, Sink};
use self::searcher::Searcher;
use crate::play::external;
use indicatif::ProgressBar;
use terminal::inputs::{self, Source};
use terminal::{CommandError, Exit, interrupt};

/// Runs the command.
///
/// # Errors
///
/// One line: an input cannot be read, an output not written, or an engine not started.
pub fn run(args: &Args) -> Result<Exit, CommandError> {
    let plan = &Plan::new(args)?;
    // Opens every file before hours are spent on the first.
    let (mut waiting, mut total) = (Vec::new(), 0);
    for path in &plan.files {
        let source = Source::open(path)?;
        total += source.size;
        // A system allows only some hundred open files: those that can be reopened stay closed for now.
        waiting.push(if source.is_file { Waiting::File(path) } else { Waiting::Stream(path, source) });
    }
    let openings = plan.eco.as_deref().map(Openings::read).transpose()?;
    // This reads every input once more.
    let identities: Vec<String> = if plan.resumes() {
        plan.files.iter().map(|path| identity(path)).collect::<Result<_, _>>()?
    } else {
        Vec::new()
    };
    // An interruption reaches an engine only if the handler is installed before the engine starts.
    interrupt::catch("ibex-lab analyse", external::end_all);
    let Some(searcher) = interrupt::unless_interrupted("ibex-lab analyse", Searcher::start(&plan.searcher))? else {
        return Ok(Exit::Interrupted);
    };
    let job = job(plan, identities, &searcher, openings.as_ref());
    let mut bar = terminal::progress::bytes(total);
    let mut page = None;
    if let Some(path) = &plan.page {
        let names: Vec<String> = plan.files.iter().map(|path| inputs::name(path)).collect();
        let manner = page::Manner { engine: searcher.name(), choice: plan.choice.words(), marks: plan.marks };
        page = Some(Page::open(path, &names, plan.lines, manner)?);
        let seen = waiting.into_iter().map(|input| input.with_games(&bar)).collect::<Result<Vec<_>, CommandError>>();
        let Some(seen) = interrupt::unless_interrupted("ibex-lab analyse", seen)? else {
            return Ok(Exit::Interrupted);
        };
        waiting = seen;
    }
    let (sink, checkpoint) = Sink::open(&plan.out, job)?;
    let tally = checkpoint.tally;
    let input = checkpoint.input;
    let mut planned = None;
    let are_files = waiting.iter().all(|input| matches!(input, Waiting::File(_)));
    if !bar.is_hidden() && are_files && total <= ahead::MOST_BYTES {
        planned = ahead::of_files(&plan.files[input.min(plan.files.len())..], checkpoint.done, &plan.choice);
    }
    let mut reading = bar.clone();
    if let Some(positions) = planned {
        bar.finish_and_clear();
        (bar, reading) = (terminal::progress::solving(0, positions, "positions"), ProgressBar::hidden());
    }
    let passed = planned.map(|_| 0);
    let mut run = AnalysisRun { plan, searcher, openings, sink, page, input, bar, passed, tally, interrupted: false };
    let inputs = waiting.into_iter().skip(input).map(|input| input.begin(&reading));
    let worked = work(inputs, checkpoint.done, &mut run);
    run.finish(worked)
}

/// All that affects the output: a run continues only if all of it is the same.
fn job(plan: &Plan, inputs: Vec<String>, searcher: &Searcher, openings: Option<&Openings>) -> Vec<String> {
    let openings = openings.map_or_else(|| "openings none".to_owned(), |openings| openings.job.clone());
    inputs.into_iter().chain(plan.settings.iter().cloned()).chain([searcher.job(), openings]).collect()
}

/// Analyses one input after the other, from the one that the run names; `done` games or lines of it are already done.
fn work(
    inputs: impl Iterator<Item = Result<Input, CommandError>>,
    mut done: u64,
    run: &mut AnalysisRun<'_>,
) -> Result<(), CommandError> {
    // Options for games mean nothing to positions. The first input decides whether to say so.
    let mut for_games = if run.input == 0 && done == 0 { run.plan.for_games.clone() } else { Vec::new() };
    for input in inputs {
        let Input { name, text, is_pgn } = match input {
            Err(_) if interrupt::is_stopped() => {
                run.interrupted = true;
                break;
            }
            input => input?,
        };
        let options = std::mem::take(&mut for_games);
        if is_pgn {
            games::analyse(&name, text, done, run)?;
        } else {
            if !options.is_empty() {
                let are = if options.len() == 1 { "is" } else { "are" };
                run.note(&name, &format!("holds no games, and {} {are} for games", options.join(", ")));
            }
            positions::analyse(&name, text, done, run)?;
        }
        if run.interrupted {
            break;
        }
        run.input += 1;
        done = 0;
    }
    Ok(())
}
