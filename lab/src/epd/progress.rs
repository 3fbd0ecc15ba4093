//! A run in progress: its results so far, and where they go.

use std::collections::{BTreeMap, BTreeSet};

use indicatif::ProgressBar;

use super::plan::Plan;
use super::record::{Record, Run};
use super::renewal::Renewal;
use super::results_file::ResultsFile;
use super::workers::{PositionTask, Workers};
use formats::epd::{Suite, SuiteEntry};
use terminal::{CommandError, progress, remark};

/// A run in progress: its results, and where they go.
pub struct Progress<'a> {
    /// The results so far.
    pub run: Run,
    /// The number of records of the complete run.
    pub all: usize,
    results_file: Option<ResultsFile>,
    renewal: Renewal<'a>,
    bar: ProgressBar,
    tally: Tally,
}

impl<'a> Progress<'a> {
    /// Begins or continues a run that has `to_go` searches left.
    pub fn new(plan: &'a Plan, run: Run, results_file: Option<ResultsFile>, to_go: usize) -> Progress<'a> {
        let done = run.records.len();
        let unit = if run.head.players.len() > 1 { "searches" } else { "positions" };
        let bar = progress::solving(done as u64, (done + to_go) as u64, unit);
        let mut tally = Tally::default();
        run.records.iter().for_each(|record| tally.add(record));
        let renewal = Renewal::new(plan.outputs.html.as_deref());
        Progress { run, all: done + to_go, results_file, renewal, bar, tally }
    }

    /// Makes the searches, and sorts the records. Returns the contestants that were given up.
    ///
    /// # Errors
    ///
    /// One line: that of [`Workers::run`].
    pub fn work(
        &mut self,
        workers: &Workers<'_>,
        tasks: &[PositionTask<'_>],
        jobs: usize,
    ) -> Result<BTreeSet<usize>, CommandError> {
        let bar = self.bar.clone();
        let warn = |record: &Record| {
            if let Some(trouble) = &record.trouble {
                let Record { player, id, suite, line, .. } = record;
                bar.suspend(|| remark!("{player} on {id} ({suite}:{line}): {trouble}"));
            }
        };
        let worked = workers.run(tasks, jobs, warn, |record| self.take(record));
        bar.finish_and_clear();
        self.run.sort();
        worked.inspect_err(|_| self.renewal.stop(&self.run))
    }

    fn take(&mut self, record: Record) -> Result<(), CommandError> {
        self.tally.add(&record);
        self.bar.inc(1);
        self.bar.set_message(self.tally.text(&record.player, self.run.head.players.len() > 1));
        if let Some(file) = &mut self.results_file {
            file.write(&record)?;
        }
        self.run.records.push(record);
        // The last page is written when all is done.
        if self.run.records.len() < self.all && self.renewal.is_due() {
            self.run.sort();
            if let Some(trouble) = self.renewal.write(&self.run) {
                self.bar.suspend(|| remark!("ibex-lab epd: {trouble}"));
            }
        }
        Ok(())
    }
}

/// What each player has solved so far, of how many positions.
#[derive(Default)]
struct Tally(BTreeMap<String, (u64, u64)>);

impl Tally {
    fn add(&mut self, record: &Record) {
        let (solved, done) = self.0.entry(record.player.clone()).or_default();
        *solved += u64::from(record.solved);
        *done += 1;
    }

    /// The message of a progress bar for a player, with its name if there are several.
    fn text(&self, player: &str, several: bool) -> String {
        let (solved, done) = self.0.get(player).copied().unwrap_or_default();
        let name = if several { format!("{player}: ") } else { String::new() };
        format!(", {name}{solved} solved ({:.0}%)", 100.0 * solved as f64 / done.max(1) as f64)
    }
}

/// Reports what an early end left undone, and how to continue.
pub fn tell_missing(plan: &Plan, run: &Run, positions: &[(&Suite, &SuiteEntry)]) {
    let count = |keys: &mut dyn Iterator<Item = (&str, &str)>| {
        let mut counts: BTreeMap<(String, String), usize> = BTreeMap::new();
        keys.for_each(|(player, suite)| *counts.entry((player.to_owned(), suite.to_owned())).or_default() += 1);
        counts
    };
    let done = count(&mut run.records.iter().map(|r| (r.player.as_str(), r.suite.as_str())));
    let players = run.head.players.iter().map(|player| player.label.as_str());
    let all =
        count(&mut players.flat_map(|player| positions.iter().map(move |(suite, _)| (player, suite.name.as_str()))));
    for ((player, suite), all) in &all {
        let missing = all - done.get(&(player.clone(), suite.clone())).copied().unwrap_or(0).min(*all);
        if missing > 0 {
            remark!("  {player}, {suite}: {missing} of {all}");
        }
    }
    remark!("{}", plan.continuation());
}
