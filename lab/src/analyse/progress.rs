//! A run in progress: what it works with, where its annotated text goes, and how far it has come.

use std::fs::OpenOptions;
use std::io::{self, BufWriter, Write};

use indicatif::ProgressBar;
use serde::{Deserialize, Serialize};

use super::checkpoint::{Checkpoint, Resumable};
use super::openings::Openings;
use super::page::Page;
use super::plan::{Out, Plan};
use super::searcher::Searcher;
use terminal::tell::counted;
use terminal::{CommandError, Exit, remark, trouble};

/// The counts of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Tally {
    /// Games.
    pub games: u64,
    /// Positions.
    pub positions: u64,
    /// Moves marked as blunder, mistake, dubious.
    pub marks: [u64; 3],
    /// Unreadable games and lines.
    pub bad: u64,
    /// Games without a wanted player.
    pub others: u64,
    /// Unreadable games without a wanted player, which are left out.
    pub others_left_out: u64,
    /// Unreadable games, of wanted players or of unknown ones.
    pub unread: u64,
    /// Positions on which an engine failed or named no score.
    pub failed: u64,
}

impl Tally {
    /// Games without a wanted player.
    pub fn all_others(&self) -> u64 {
        self.others + self.others_left_out
    }
}

/// Where annotated text goes.
pub enum Sink {
    /// Only the page is wanted.
    Nowhere,
    /// A stream or a new file.
    Stream(Box<dyn Write>),
    /// A file whose run can continue.
    Resumable(Box<Resumable>),
}

impl Sink {
    /// The output of a run, `job`, and its progress so far.
    ///
    /// # Errors
    ///
    /// One line: it cannot be written, or holds another run.
    pub fn open(out: &Out, job: Vec<String>) -> Result<(Sink, Checkpoint), CommandError> {
        let sink = match out {
            Out::Nowhere => Sink::Nowhere,
            Out::Standard => Sink::Stream(Box::new(io::stdout())),
            Out::Resume(path) => {
                let output = Resumable::open(path, job)?;
                let checkpoint = output.checkpoint.clone();
                return Ok((Sink::Resumable(Box::new(output)), checkpoint));
            }
            Out::New(path) => {
                let file = OpenOptions::new().write(true).create_new(true).open(path);
                Sink::Stream(Box::new(BufWriter::new(
                    file.map_err(|error| CommandError::from(error).about(path.display()))?,
                )))
            }
        };
        Ok((sink, Checkpoint::default()))
    }
}

/// A run of the command: what it works with, where its annotated text goes, and how far it has come. Complaints go to
/// standard error, progress to a terminal.
pub struct AnalysisRun<'a> {
    pub plan: &'a Plan,
    pub searcher: Searcher,
    pub openings: Option<Openings>,
    pub sink: Sink,
    pub page: Option<Page>,
    /// The index of the input that is being read.
    pub input: usize,
    pub bar: ProgressBar,
    /// The positions of the games and lines that are done, if the bar counts positions and not bytes.
    pub passed: Option<u64>,
    pub tally: Tally,
    /// Whether the run was interrupted before the end of the input.
    pub interrupted: bool,
}

impl AnalysisRun<'_> {
    /// Reports in one line what is wrong with a part of the input that cannot be analysed.
    pub fn complain(&mut self, place: &str, reason: &str) {
        let fate = self.plan.fate();
        self.tally.bad += 1;
        self.bar.suspend(|| remark!("{place}: {reason}: {fate}"));
    }

    /// Remarks on a part of the input that is used all the same.
    pub fn note(&self, place: &str, remark: &str) {
        self.bar.suspend(|| remark!("{place}: {remark}"));
    }

    /// A search that may take hours begins: the work so far must not be lost meanwhile.
    pub fn begin_search(&mut self) -> Result<(), CommandError> {
        match &mut self.sink {
            Sink::Nowhere | Sink::Stream(_) => Ok(()),
            Sink::Resumable(output) => output.save(),
        }
    }

    /// A game or line is done, with this number of positions, searched or not.
    pub fn pass(&mut self, positions: u64) {
        if let Some(passed) = &mut self.passed {
            *passed += positions;
            self.bar.set_position(*passed);
        }
    }

    /// A position has been searched.
    pub fn step(&mut self) {
        self.tally.positions += 1;
        if self.passed.is_some() {
            // The bar has the number.
            self.bar.inc(1);
            if self.tally.games > 0 {
                self.bar.set_message(format!(", {}", counted(self.tally.games, "game", "games")));
            }
            return;
        }
        let positions = counted(self.tally.positions, "position", "positions");
        self.bar.set_message(match self.tally.games {
            0 => positions,
            games => format!("{positions}, {}", counted(games, "game", "games")),
        });
    }

    /// Writes the output of a game or line, or the end of it; `done` are finished of the current input.
    pub fn write(&mut self, text: &[u8], done: u64) -> Result<(), CommandError> {
        self.put(text, Some(done))
    }

    /// Writes a piece of the output of a line; the line is not finished yet.
    pub fn write_piece(&mut self, text: &[u8]) -> Result<(), CommandError> {
        self.put(text, None)
    }

    fn put(&mut self, text: &[u8], done: Option<u64>) -> Result<(), CommandError> {
        match &mut self.sink {
            Sink::Nowhere => Ok(()),
            Sink::Stream(output) => {
                let written = output.write_all(text).and_then(|()| output.flush());
                written.map_err(|error| match &self.plan.out {
                    Out::New(path) => CommandError::from(error).about(path.display()),
                    _ => CommandError::output(error),
                })
            }
            Sink::Resumable(output) => match done {
                Some(done) => output.write(text, self.input, done, self.tally),
                None => output.write_piece(text),
            },
        }
    }

    /// Ends page and output after the work, and reports the results. Returns the exit status.
    pub fn finish(mut self, worked: Result<(), CommandError>) -> Result<Exit, CommandError> {
        self.bar.finish_and_clear();
        let mut has_page = false;
        if let Some(page) = self.page.take() {
            has_page = !page.is_empty();
            let note = match &worked {
                Ok(()) if self.interrupted => Some("The analysis was interrupted: games are missing.".to_owned()),
                Ok(()) => None,
                Err(reason) => Some(format!("The analysis ended early: {reason}")),
            };
            let written = page.finish(note.as_deref());
            // The first error is the one to report.
            worked.and(written)?;
        } else {
            worked?;
        }
        match self.sink {
            Sink::Nowhere | Sink::Stream(_) => {}
            Sink::Resumable(mut output) if self.interrupted => output.save()?,
            Sink::Resumable(output) => output.finish()?,
        }
        conclude(self.plan, self.tally, self.interrupted, has_page)
    }
}

/// Reports the results. Returns the exit status.
fn conclude(plan: &Plan, tally: Tally, interrupted: bool, has_page: bool) -> Result<Exit, CommandError> {
    let Tally { games, positions, marks: [blunders, mistakes, dubious], bad, others, unread, failed, .. } = tally;
    let fate = plan.fate();
    if positions == 0 && games == 0 && tally.all_others() == 0 && failed == 0 && !interrupted {
        return Err(trouble!("nothing to analyse ({} {fate})", counted(bad, "game or line", "games or lines")));
    }
    remark!(
        "{}, {}; {}, {}, {}; {bad} {fate}{}{}",
        counted(games, "game", "games"),
        counted(positions, "position", "positions"),
        counted(blunders, "blunder", "blunders"),
        counted(mistakes, "mistake", "mistakes"),
        counted(dubious, "dubious move", "dubious moves"),
        match others {
            0 => String::new(),
            n =>
                format!("; {} {}", counted(n, "game of other players", "games of other players"), plan.fate_of_others()),
        },
        match failed {
            0 => String::new(),
            n => format!("; {} without a value", counted(n, "position", "positions")),
        },
    );
    if interrupted {
        remark!(
            "ibex-lab analyse: interrupted before the end; {}",
            match (plan.resumes(), &plan.page) {
                (true, _) => "to continue: the same command",
                (false, Some(_)) if has_page => "the page has the games that are done",
                (false, Some(_)) => "no game is finished, so no page is written",
                (false, None) => "a run with --out FILE --resume can continue after an interruption",
            }
        );
        return Ok(Exit::Interrupted);
    }
    let nowhere = games == 0 && unread == 0 && tally.all_others() > 0;
    if nowhere {
        remark!("ibex-lab analyse: no game has a player with '{}' in the name", plan.choice.players.join("' or '"));
    }
    Ok(if bad > 0 || failed > 0 || nowhere { Exit::Found } else { Exit::Done })
}
