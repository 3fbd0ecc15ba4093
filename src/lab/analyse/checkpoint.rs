//! How far an analysis has come, beside its output, so that it can go on after an interruption.

use std::fs::{self, File, OpenOptions};
use std::io::{BufWriter, ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::Tally;
use crate::eval::nnue::format::{checksum, checksum_on};
use crate::formats::input;

/// How long work waits to be saved while nothing is searched. Before a search all of it is.
const PAUSE: Duration = Duration::from_millis(100);

/// What is compared of an input when a run goes on: its name, its size and a digest of the file, packed as it is.
///
/// # Errors
///
/// One line: it is no file, but a stream that has no beginning to go back to, or it cannot be read.
pub fn identity(path: &Path) -> Result<String, String> {
    let name = input::name(path);
    if path.as_os_str() == input::STDIN || !path.is_file() {
        return Err(format!("--resume needs inputs that are files: {name} can be read only once"));
    }
    let unread = |error| format!("{name}: {error}");
    let mut file = File::open(path).map_err(unread)?;
    let (mut block, mut size, mut digest) = (vec![0; 1 << 16], 0, checksum(&[]));
    loop {
        match file.read(&mut block) {
            Ok(0) => return Ok(format!("{name}, {size} bytes ({digest:016x})")),
            Ok(length) => {
                size += length as u64;
                digest = checksum_on(digest, &block[..length]);
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(unread(error)),
        }
    }
}

/// What has been done.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// The inputs and everything that decides about the output; another run must not go on here.
    pub job: Vec<String>,
    /// The input that is being read, by its number.
    pub input: usize,
    /// Games or lines of it that are done.
    pub done: u64,
    /// Bytes of the output that they and the inputs before have filled.
    pub output: u64,
    /// What was counted so far.
    pub tally: Tally,
}

/// An output, and the file beside it that holds the [`Checkpoint`] until the run is complete.
pub struct Resumable {
    output: BufWriter<File>,
    out: PathBuf,
    /// The file of the checkpoint.
    path: PathBuf,
    pub checkpoint: Checkpoint,
    saved: Instant,
    /// Whether everything that was written is saved.
    is_saved: bool,
}

impl Resumable {
    /// Begins an output, or goes on with one.
    ///
    /// # Errors
    ///
    /// One line: the output is there and complete, belongs to another run, is being written by one, or cannot be opened.
    pub fn open(out: &Path, job: Vec<String>) -> Result<Resumable, String> {
        let trouble = |path: &Path, error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let mut path = out.as_os_str().to_owned();
        path.push(".resume");
        let path = PathBuf::from(path);
        let known = match fs::read(&path) {
            Ok(bytes) => {
                let known: Checkpoint = serde_json::from_slice(&bytes).map_err(|error| trouble(&path, &error))?;
                if known.job != job {
                    let old = known.job.iter().find(|word| !job.contains(word));
                    let what = old.map_or_else(String::new, |word| format!(" ({word})"));
                    return Err(format!("{}: holds another run{what}", path.display()));
                }
                Some(known)
            }
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(trouble(&path, &error)),
        };
        if known.is_none() && out.exists() {
            return Err(format!("{}: is there, and there is nothing to resume", out.display()));
        }
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(out);
        let file = file.map_err(|error| trouble(out, &error))?;
        file.try_lock().map_err(|error| match error {
            fs::TryLockError::WouldBlock => format!("{}: another run is writing it", out.display()),
            fs::TryLockError::Error(error) => trouble(out, &error),
        })?;
        let checkpoint = known.unwrap_or_else(|| Checkpoint { job, ..Checkpoint::default() });
        let mut output = BufWriter::new(file);
        let length = output.get_ref().metadata().map_err(|error| trouble(out, &error))?.len();
        if length < checkpoint.output {
            return Err(format!("{}: is shorter than {} says", out.display(), path.display()));
        }
        // What was written after the checkpoint may be torn, and is written again.
        output.get_ref().set_len(checkpoint.output).map_err(|error| trouble(out, &error))?;
        output.seek(SeekFrom::Start(checkpoint.output)).map_err(|error| trouble(out, &error))?;
        let out = out.to_owned();
        let mut resumable = Resumable { output, out, path, checkpoint, saved: Instant::now(), is_saved: false };
        resumable.save()?;
        Ok(resumable)
    }

    /// Writes what one game or line has become, and notes it as done.
    pub fn write(&mut self, text: &[u8], input: usize, done: u64, tally: Tally) -> Result<(), String> {
        self.output.write_all(text).map_err(|error| format!("{}: {error}", self.out.display()))?;
        let output = self.checkpoint.output + text.len() as u64;
        self.checkpoint = Checkpoint { input, done, output, tally, ..std::mem::take(&mut self.checkpoint) };
        self.is_saved = false;
        if self.saved.elapsed() >= PAUSE {
            self.save()?;
        }
        Ok(())
    }

    /// Saves what has been written and where to go on.
    pub fn save(&mut self) -> Result<(), String> {
        if self.is_saved {
            return Ok(());
        }
        self.output.flush().map_err(|error| format!("{}: {error}", self.out.display()))?;
        let trouble = |error: &dyn std::fmt::Display| format!("{}: {error}", self.path.display());
        let text = serde_json::to_vec(&self.checkpoint).map_err(|error| trouble(&error))?;
        // A file of its own first: an interruption must not leave half a checkpoint.
        let new = self.path.with_extension("resume.new");
        fs::write(&new, text).and_then(|()| fs::rename(&new, &self.path)).map_err(|error| trouble(&error))?;
        (self.saved, self.is_saved) = (Instant::now(), true);
        Ok(())
    }

    /// Ends a complete run: there is nothing to resume.
    pub fn finish(mut self) -> Result<(), String> {
        self.save()?;
        fs::remove_file(&self.path).map_err(|error| format!("{}: {error}", self.path.display()))
    }
}
