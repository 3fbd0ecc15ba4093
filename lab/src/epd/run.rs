//! A run of suites: a plan, the suites, the contestants, the searches, the reports; each function follows the one that
//! calls it.

use std::collections::{BTreeSet, HashSet};
use std::path::PathBuf;

use super::html::Stage;
use super::plan::{self, Args, COUNTED, Engine, Plan, Results};
use super::progress::{Progress, tell_missing};
use super::record::{FORMAT, Head, Intake, PlayerHead, Record, Run, Shard, Status, SuiteHead};
use super::report;
use super::results_file::ResultsFile;
use super::totals;
use super::workers::{Contestant, Kind, PositionTask, Workers};
use crate::play::external::{self, External};
use crate::play::player::{Budget, Player as _, UciScore};
use formats::epd::{Suite, SuiteEntry};
use terminal::tell::counted;
use terminal::{CommandError, Exit, inputs, interrupt, remark, trouble};

/// Runs the command.
///
/// # Errors
///
/// One line that says why the run was not possible, or is incomplete.
pub fn run(args: &Args) -> Result<Exit, CommandError> {
    let plan = Plan::new(args)?;
    let suites = read_suites(&plan.files)?;
    // An interruption reaches an engine only if the handler is installed before the engine starts.
    interrupt::catch("ibex-lab epd", external::end_all);
    let Some(contestants) = interrupt::unless_interrupted("ibex-lab epd", contestants(&plan))? else {
        return Ok(Exit::Interrupted);
    };
    let head = Head {
        ibex_epd: FORMAT,
        players: contestants.iter().map(|contestant| contestant.head.clone()).collect(),
        budget: plan.budget,
        hold: plan.hold,
        hash: plan.hash,
        threads: plan.threads,
        suites: suites.iter().map(SuiteHead::of).collect(),
        shard: plan.shard,
    };
    let (results_file, run) = open_results(&plan, head)?;
    let done: HashSet<_> = run.records.iter().map(Record::key).collect();
    let positions = positions_of(&suites, plan.shard);
    let tasks = tasks(&contestants, &positions, &done);
    if !done.is_empty() {
        let done = counted(done.len() as u64, "result is", "results are");
        remark!("{done} already done, {} to go", tasks.len());
    }

    let mut progress = Progress::new(&plan, run, results_file, tasks.len());
    let workers = Workers { contestants: &contestants, budget: plan.budget, hold: plan.hold };
    let given_up = progress.work(&workers, &tasks, plan.jobs)?;
    let Progress { run, all, .. } = &progress;
    // If the last search was done when the interruption came, nothing is missing.
    let stopped = interrupt::is_stopped() && run.records.len() < *all;
    save(&plan, &suites, run, stopped || !given_up.is_empty())?;
    let missing = || format!("{} of {} missing", all - run.records.len(), counted(*all as u64, "result", "results"));
    if stopped {
        remark!("ibex-lab epd: interrupted: {}", missing());
        tell_missing(&plan, run, &positions);
        return Ok(Exit::Interrupted);
    }
    if !given_up.is_empty() {
        for contestant in given_up {
            remark!("ibex-lab epd: {}: given up: it does not start", contestants[contestant].head.label);
        }
        tell_missing(&plan, run, &positions);
        return Err(trouble!("incomplete: {}", missing()));
    }
    Ok(judge(&plan, run))
}

/// Reads the suites and reports what is wrong with them.
fn read_suites(files: &[PathBuf]) -> Result<Vec<Suite>, CommandError> {
    let mut suites: Vec<Suite> = Vec::new();
    for file in files {
        let mut suite = Suite::read(file)?;
        if is_for_perft(&suite) {
            remark!("{}: nothing to solve, only counts for `ibex-lab perft`: skipped", file.display());
            continue;
        }
        suite.require(SuiteEntry::is_task, "nothing to solve (no bm, am, dm or points)");
        for remark in suite.remarks() {
            remark!("{remark}");
        }
        for problem in &suite.problems {
            remark!("{problem}: left out");
        }
        if suite.entries.is_empty() {
            return Err(trouble!("{}: no position to solve", inputs::name(file)));
        }
        let taken: BTreeSet<_> = suites.iter().map(|suite| suite.name.clone()).collect();
        suite.name = plan::unique(&suite.name, &taken);
        suites.push(suite);
    }
    if suites.is_empty() { Err(trouble!("no position to solve")) } else { Ok(suites) }
}

/// Whether a suite holds only perft counts and nothing that a search could solve.
fn is_for_perft(suite: &Suite) -> bool {
    !suite.entries.is_empty() && suite.entries.iter().all(|entry| !entry.is_task() && !entry.counts.is_empty())
}

/// The contestants: Ibex, unless it is left out, and the other engines, each of which is started once.
///
/// # Errors
///
/// One line: a program does not start.
fn contestants(plan: &Plan) -> Result<Vec<Contestant>, CommandError> {
    plan.ibex.iter().cloned().map(Ok).chain(plan.engines.iter().map(start)).collect()
}

/// Starts a program to get its name, and says which options it does not take.
fn start(engine: &Engine) -> Result<Contestant, CommandError> {
    let Engine { label, command, shown, program } = engine.clone();
    let started = External::start(program.clone()).map_err(|reason| trouble!("--engine {label}: {reason}"))?;
    started.remarks().iter().for_each(|remark| remark!("--engine {label}: {remark}"));
    let name = started.name().to_owned();
    let head = PlayerHead { label, name, command: Some(command), options: shown };
    // The first line of the result has a single table size and thread count for all.
    for (option, flag, all) in [("Hash", "hash", program.hash), ("Threads", "threads", program.threads)] {
        if let Some(own) = head.option(option).filter(|own| *own != all.to_string()) {
            let label = &head.label;
            remark!("--engine {label}: its option {option} is {own} by --option, not the {all} of --{flag}");
        }
    }
    Ok(Contestant { head, kind: Kind::Program(program) })
}

/// Opens the file of results, and reads what it already holds.
fn open_results(plan: &Plan, head: Head) -> Result<(Option<ResultsFile>, Run), CommandError> {
    let fresh = |head: Head| Run { head, records: Vec::new() };
    let path = match &plan.results {
        Results::Nowhere => return Ok((None, fresh(head))),
        Results::Begin(path) => {
            return Ok((Some(ResultsFile::begin(path, &head, plan.outputs.force)?), fresh(head)));
        }
        Results::Resume(path) => path,
    };
    let (results_file, Intake { run, remarks, .. }) = ResultsFile::resume(path, &head, difference)?;
    for remark in remarks {
        remark!("{remark}");
    }
    Ok((Some(results_file), run))
}

/// How two heads differ.
pub(super) fn difference(old: &Head, new: &Head) -> String {
    if old.budget != new.budget {
        format!("its limit is {}, not {}", old.budget, new.budget)
    } else if old.hold != new.hold {
        "its --hold differs".to_owned()
    } else if (old.hash, old.threads) != (new.hash, new.threads) {
        let threads = counted(old.threads as u64, "thread", "threads");
        format!("it has {} MiB and {threads}, not {} and {}", old.hash, new.hash, new.threads)
    } else if old.suites != new.suites {
        "its suites are different, or were edited since".to_owned()
    } else if old.players != new.players {
        "its players, their versions or options are different".to_owned()
    } else {
        "its shard is different".to_owned()
    }
}

/// The positions of all suites, or one part of them.
fn positions_of(suites: &[Suite], shard: Option<Shard>) -> Vec<(&Suite, &SuiteEntry)> {
    let positions = suites.iter().flat_map(|suite| suite.entries.iter().map(move |entry| (suite, entry)));
    let is_mine = |index| shard.is_none_or(|shard| shard.has(index));
    positions.enumerate().filter(|&(index, _)| is_mine(index)).map(|(_, position)| position).collect()
}

/// The searches that have no result yet, contestant by contestant.
fn tasks<'a>(
    contestants: &[Contestant],
    positions: &[(&'a Suite, &'a SuiteEntry)],
    done: &HashSet<(String, String, usize)>,
) -> Vec<PositionTask<'a>> {
    let is_open = |task: &PositionTask<'_>| {
        let label = &contestants[task.contestant].head.label;
        !done.contains(&(label.clone(), task.suite.name.clone(), task.entry.line))
    };
    (0..contestants.len())
        .flat_map(|contestant| positions.iter().map(move |&(suite, entry)| PositionTask { contestant, suite, entry }))
        .filter(is_open)
        .collect()
}

/// Writes the reports of a run and prints its summary, even if it `ended_early`.
fn save(plan: &Plan, suites: &[Suite], run: &Run, ended_early: bool) -> Result<(), CommandError> {
    for label in deaf_to_nodes(run) {
        remark!(
            "{label} does not seem to obey 'go nodes'; --stop-at-nodes {label} makes Ibex stop it at about that number"
        );
    }
    let stage = if ended_early { Stage::Stopped } else { Stage::Ended };
    let mut errors = report::save(run, stage, &plan.outputs);
    if let Some(Err(error)) = plan.epd_out.as_ref().map(|path| report::write_epd(path, suites, run)) {
        errors.push(error.into());
    }
    report::print(run, &plan.outputs)?;
    report::all_saved(&errors)
}

/// The programs whose searches are mostly far from their only limit, a number of nodes.
fn deaf_to_nodes(run: &Run) -> Vec<&str> {
    let (Budget { nodes: Some(limit), movetime: None, depth: None, mate: None }, None) =
        (run.head.budget, run.head.hold)
    else {
        return Vec::new();
    };
    let unstopped = |player: &&PlayerHead| !player.options.iter().any(|option| option == COUNTED);
    let programs = run.head.players.iter().filter(|player| player.command.is_some()).filter(unstopped);
    let deaf = programs.filter(|player| {
        // An engine may end a search once it has found a mate.
        let is_mate = |r: &Record| matches!(r.score, Some(UciScore::Mate(_)));
        let own = run.records.iter().filter(|r| r.player == player.label && r.status == Status::Ok && !is_mate(r));
        let mut nodes: Vec<u64> = own.map(|r| r.nodes).collect();
        nodes.sort_unstable();
        nodes.get(nodes.len() / 2).is_some_and(|&median| median < limit / 2 || median > limit.saturating_mul(2))
    });
    deaf.map(|player| player.label.as_str()).collect()
}

/// Whether every player has solved as much as `--fail-under` requires.
fn judge(plan: &Plan, run: &Run) -> Exit {
    let least = totals::least_solved(run);
    let missed = plan.fail_under.zip(least).filter(|(threshold, least)| least.percent() < *threshold);
    if let Some((threshold, least)) = &missed {
        remark!("ibex-lab epd: {}% solved is less than {threshold}%", least.percent_text());
    }
    if missed.is_some() { Exit::Found } else { Exit::Done }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_that_end_at_a_mate_obey_their_nodes() {
        let run = |searches: &[(u64, Option<UciScore>)]| {
            let record = |(line, (nodes, score)): (usize, &(u64, Option<UciScore>))| {
                serde_json::json!({
                    "player": "x", "suite": "s", "line": line, "id": "", "fen": "", "status": "ok", "solved": false,
                    "score": score, "depth": 1, "seldepth": 1, "nodes": nodes, "ms": u64::MAX,
                })
            };
            let records: Vec<_> = searches.iter().enumerate().map(record).collect();
            let player = serde_json::json!({ "label": "x", "name": "X", "command": "x" });
            let head = serde_json::json!({
                "ibex_epd": FORMAT, "players": [player], "budget": { "nodes": 1000 },
                "hash": 1, "threads": 1, "suites": [],
            });
            serde_json::from_value::<Run>(serde_json::json!({ "head": head, "records": records })).expect("a run")
        };
        let (cp, mate) = (Some(UciScore::Cp(9)), Some(UciScore::Mate(3)));
        assert!(deaf_to_nodes(&run(&[(7, mate), (7, mate), (1000, cp)])).is_empty());
        assert!(deaf_to_nodes(&run(&[(7, mate)])).is_empty());
        assert_eq!(deaf_to_nodes(&run(&[(7, mate), (7, cp), (7, None)])), ["x"]);
        // An engine may report any numbers.
        let lies = run(&[(u64::MAX, cp), (u64::MAX, cp)]);
        assert_eq!(deaf_to_nodes(&lies), ["x"]);
        let total = totals::Total::of("x", "s", lies.records.iter());
        assert_eq!((total.nodes, total.ms), (u64::MAX, u64::MAX));
    }
}
