//! Merging the parts of a run.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::html::Stage;
use super::record::{Intake, Run};
use super::report::{self, Outputs, ReportError};
use super::results_file::write_line;
use super::run::difference;
use terminal::outputs::{self, Manner, Output};
use terminal::tell::counted;
use terminal::{CommandError, Exit, remark};

/// The arguments of `ibex-lab epd merge`.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// Files of results (JSON Lines): shards of a run, runs of several players over the same suites, or both
    #[arg(required = true, value_name = "FILE.jsonl")]
    pub files: Vec<PathBuf>,
    /// Write the merged run to this new file
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub outputs: Outputs,
}

/// Runs the command.
///
/// # Errors
///
/// One line: a file cannot be read or written, or the files do not belong together.
pub fn run(args: &Args) -> Result<Exit, CommandError> {
    let mut written: Vec<_> = Output::wanted([("--out", &args.out, Manner::Report)]).collect();
    written.extend(args.outputs.files());
    args.outputs.check_force(&written)?;
    outputs::check(&args.files, &written, args.outputs.force)?;
    let mut runs = Vec::new();
    for file in &args.files {
        let Intake { run, remarks, .. } = Run::read(file)?;
        for remark in remarks {
            remark!("{remark}");
        }
        runs.push((file, run));
    }
    let whole = merge(runs.iter().map(|(file, run)| (file.display().to_string(), run)))?;
    let mut errors = Vec::new();
    if let Some(path) = &args.out {
        let mut bytes = Vec::new();
        write_line(&mut bytes, &whole.head)
            .and_then(|()| whole.records.iter().try_for_each(|record| write_line(&mut bytes, record)))?;
        errors.extend(outputs::write(path, &bytes).err().map(ReportError::from));
    }
    errors.extend(report::save(&whole, Stage::Ended, &args.outputs));
    report::print(&whole, &args.outputs)?;
    report::all_saved(&errors)?;
    let missing = whole.expected().saturating_sub(whole.records.len());
    if missing > 0 {
        let results = counted(whole.expected() as u64, "result", "results");
        remark!("ibex-lab epd merge: {missing} of {results} {} missing", if missing == 1 { "is" } else { "are" });
    }
    Ok(if missing > 0 { Exit::Found } else { Exit::Done })
}

/// Why runs cannot be merged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MergeError {
    /// The heads differ in more than players and shards.
    #[error("{name} does not belong with the others: {difference}")]
    Foreign {
        /// The file.
        name: String,
        /// How they differ.
        difference: String,
    },
    /// A player with this label differs from the one in the other files.
    #[error("{name}: '{label}' is not the same player as in the others")]
    OtherPlayer {
        /// The file.
        name: String,
        /// The player's label.
        label: String,
    },
    /// Two files have a result for the same position and player.
    #[error("{id} by {player} is in {first} and in {name}")]
    Twice {
        /// The position.
        id: String,
        /// The player's label.
        player: String,
        /// The file that came first.
        first: String,
        /// The other one.
        name: String,
    },
    /// There are no runs.
    #[error("nothing to merge")]
    Nothing,
}

/// Merges runs that agree in everything but players and shards.
fn merge<'a>(runs: impl Iterator<Item = (String, &'a Run)>) -> Result<Run, MergeError> {
    let mut whole: Option<Run> = None;
    let mut seen = BTreeMap::new();
    for (name, run) in runs {
        let whole = whole.get_or_insert_with(|| {
            let mut head = run.head.clone();
            head.shard = None;
            head.players.clear();
            Run { head, records: Vec::new() }
        });
        let mut head = run.head.clone();
        head.shard = None;
        head.players.clone_from(&whole.head.players);
        if head != whole.head {
            let difference = difference(&head, &whole.head);
            return Err(MergeError::Foreign { name, difference });
        }
        for player in &run.head.players {
            match whole.head.players.iter().find(|known| known.label == player.label) {
                None => whole.head.players.push(player.clone()),
                Some(known) if known == player => {}
                Some(_) => return Err(MergeError::OtherPlayer { name, label: player.label.clone() }),
            }
        }
        for record in &run.records {
            if let Some(first) = seen.insert(record.key(), name.clone()) {
                let (id, player) = (record.id.clone(), record.player.clone());
                return Err(MergeError::Twice { id, player, first, name });
            }
            whole.records.push(record.clone());
        }
    }
    let mut whole = whole.ok_or(MergeError::Nothing)?;
    whole.sort();
    Ok(whole)
}
