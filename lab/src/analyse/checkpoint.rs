//! The progress of an analysis, saved beside its output, so that it can continue after an interruption.

use std::fs::{self, File, OpenOptions};
use std::io::{BufWriter, ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::progress::Tally;
use crate::epd::record::flaw;
use ibex::checksum::{checksum, checksum_on};
use terminal::{CommandError, inputs, outputs, trouble};

/// How long work waits to be saved while nothing is searched. Before a search, all of it is saved.
const PAUSE: Duration = Duration::from_millis(100);

/// What identifies an input when a run continues: its name, its size and a digest of the file, still packed.
///
/// # Errors
///
/// One line: it is not a file but a stream, which cannot be read from the beginning again, or it cannot be read.
pub fn identity(path: &Path) -> Result<String, CommandError> {
    let name = inputs::name(path);
    if path.as_os_str() == inputs::STDIN || !path.is_file() {
        return Err(trouble!("--resume needs inputs that are files: {name} can be read only once"));
    }
    let unread = |error| CommandError::from(error).about(&name);
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

/// The checkpoint file of an output.
pub fn beside(out: &Path) -> PathBuf {
    let mut path = out.as_os_str().to_owned();
    path.push(".resume");
    path.into()
}

/// What has been done.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// The inputs and all settings that affect the output; another run must not continue here.
    pub job: Vec<String>,
    /// The index of the input that is being read.
    pub input: usize,
    /// Games or lines of it that are done.
    pub done: u64,
    /// Bytes of the output that they and the inputs before have filled.
    pub output: u64,
    /// The counts so far.
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
    /// Bytes written of an unfinished line.
    begun: u64,
    /// Whether everything written is saved.
    is_saved: bool,
}

impl Resumable {
    /// Begins an output, or continues one. An empty file without a checkpoint comes from a run that ended in its first
    /// moments: it is begun anew.
    ///
    /// # Errors
    ///
    /// One line: the output exists and is complete, belongs to another run, is being written, or cannot be opened.
    pub fn open(out: &Path, job: Vec<String>) -> Result<Resumable, CommandError> {
        let about = |error: std::io::Error| CommandError::from(error).about(out.display());
        // A pipe would wait for its reader.
        if fs::metadata(out).is_ok_and(|about| !about.is_file()) {
            return Err(trouble!("is not a file, so there is nothing to resume").about(out.display()));
        }
        let (file, is_new) = match OpenOptions::new().write(true).create_new(true).open(out) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                (OpenOptions::new().write(true).open(out).map_err(about)?, false)
            }
            file => (file.map_err(about)?, true),
        };
        let locked = outputs::is_locked(file.try_lock(), out, "only one run may write it");
        if !locked.map_err(about)? {
            return Err(trouble!("another run is writing it").about(out.display()));
        }
        let mut resumable = Resumable {
            output: BufWriter::new(file),
            out: out.to_owned(),
            path: beside(out),
            checkpoint: Checkpoint::default(),
            saved: Instant::now(),
            begun: 0,
            is_saved: false,
        };
        match resumable.begin(job) {
            Ok(()) => Ok(resumable),
            Err(reason) => {
                if is_new {
                    let _ = fs::remove_file(out);
                }
                Err(reason)
            }
        }
    }

    /// Finds out where to continue, and saves that. From here on, no other run writes these files.
    fn begin(&mut self, job: Vec<String>) -> Result<(), CommandError> {
        let about = |error: std::io::Error| CommandError::from(error).about(self.out.display());
        let known: Option<Checkpoint> = match fs::read(&self.path) {
            Ok(bytes) => Some(
                serde_json::from_slice(&bytes)
                    .map_err(|error| trouble!("{}: not the state of a run: {}", self.path.display(), flaw(&error)))?,
            ),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(CommandError::from(error).about(self.path.display())),
        };
        let file = self.output.get_ref();
        let length = file.metadata().map_err(about)?.len();
        match known {
            None if length > 0 => {
                return Err(trouble!("exists, but there is nothing to resume").about(self.out.display()));
            }
            None => self.checkpoint = Checkpoint { job, ..Checkpoint::default() },
            Some(known) if known.job != job => {
                let lacks = |word: &&String, words: &[String]| !words.contains(word);
                let old = known.job.iter().find(|word| lacks(word, &job)).map(|word| format!(" ({word})"));
                let new = || job.iter().find(|word| lacks(word, &known.job)).map(|word| format!(" (without {word})"));
                let what = old.or_else(new).unwrap_or_default();
                return Err(trouble!("{}: holds another run{what}", self.path.display()));
            }
            Some(known) if length < known.output => {
                return Err(trouble!("{}: is shorter than {} says", self.out.display(), self.path.display()));
            }
            Some(known) => self.checkpoint = known,
        }
        // What was written after the checkpoint may be torn, and is written again.
        file.set_len(self.checkpoint.output).map_err(about)?;
        self.output.seek(SeekFrom::Start(self.checkpoint.output)).map_err(about)?;
        self.save()
    }

    /// Writes a piece of the output of a line. It is recorded only at the line's end: a run that continues before that
    /// writes the whole line again.
    pub fn write_piece(&mut self, text: &[u8]) -> Result<(), CommandError> {
        self.output.write_all(text).map_err(|error| CommandError::from(error).about(self.out.display()))?;
        self.begun += text.len() as u64;
        Ok(())
    }

    /// Writes the output of one game or line, or the end of it, and records it as done.
    pub fn write(&mut self, text: &[u8], input: usize, done: u64, tally: Tally) -> Result<(), CommandError> {
        self.write_piece(text)?;
        let output = self.checkpoint.output + std::mem::take(&mut self.begun);
        self.checkpoint = Checkpoint { input, done, output, tally, ..std::mem::take(&mut self.checkpoint) };
        self.is_saved = false;
        if self.saved.elapsed() >= PAUSE {
            self.save()?;
        }
        Ok(())
    }

    /// Saves what has been written and where to continue.
    pub fn save(&mut self) -> Result<(), CommandError> {
        if self.is_saved {
            return Ok(());
        }
        // The output reaches the disk first: after a power cut it must not be shorter than the checkpoint says.
        let flushed = self.output.flush().and_then(|()| self.output.get_ref().sync_data());
        flushed.map_err(|error| CommandError::from(error).about(self.out.display()))?;
        let text = serde_json::to_vec(&self.checkpoint)?;
        // A file of its own first: an interruption must not leave half a checkpoint.
        let new = self.path.with_extension("resume.new");
        let written = File::create(&new).and_then(|mut file| file.write_all(&text).and_then(|()| file.sync_data()));
        if let Err(error) = written.and_then(|()| fs::rename(&new, &self.path)) {
            let _ = fs::remove_file(&new);
            return Err(CommandError::from(error).about(self.path.display()));
        }
        (self.saved, self.is_saved) = (Instant::now(), true);
        Ok(())
    }

    /// Ends a complete run: there is nothing to resume.
    pub fn finish(mut self) -> Result<(), CommandError> {
        self.save()?;
        fs::remove_file(&self.path).map_err(|error| trouble!("{}: {error}", self.path.display()))
    }
}
