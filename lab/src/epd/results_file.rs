//! The file that a run writes as it goes: begun, continued, and protected from other writers.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Read as _, Seek as _, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::record::{Head, Intake, Run, RunFileError, of_document};
use terminal::outputs;

/// What others may do with an open file, in Windows' flags: read it, and rename or delete it.
#[cfg(windows)]
const READ_OR_RENAME: u32 = 0x1 | 0x4;

/// Writes a run as it goes. A lock keeps out other writers, but not readers.
#[derive(Debug)]
pub struct ResultsFile {
    /// Dropped first, while the lock is held: the note of the next run must not be removed.
    note: Note,
    file: File,
}

/// Beside the file: the number of the process that writes it.
#[derive(Debug)]
struct Note {
    path: PathBuf,
    /// Whether this process wrote it.
    is_ours: bool,
}

impl ResultsFile {
    /// Begins a new file; `replace` allows replacing an existing one.
    ///
    /// # Errors
    ///
    /// [`RunFileError::Exists`], [`RunFileError::Locked`] if another run is writing the file, [`RunFileError::File`] if
    /// it cannot be written.
    pub fn begin(path: &Path, head: &Head, replace: bool) -> Result<ResultsFile, RunFileError> {
        let mut options = OpenOptions::new();
        options.write(true).create(true).create_new(!replace).truncate(false);
        let (mut file, note) = ResultsFile::lock(path, &mut options)?;
        file.set_len(0)
            .and_then(|()| write_line(&mut file, head))
            .map_err(RunFileError::of(&path.display().to_string()))?;
        Ok(ResultsFile { note, file })
    }

    /// Continues the run that a file holds, or begins it. Torn lines and superseded results are removed from the file.
    ///
    /// # Errors
    ///
    /// [`RunFileError::Locked`] if another run is writing the file, [`RunFileError::AnotherRun`] if it holds another
    /// run, as `differs` finds, [`RunFileError::File`] if it cannot be read or written, and those of [`Run::read`].
    pub fn resume(
        path: &Path,
        head: &Head,
        differs: impl Fn(&Head, &Head) -> String,
    ) -> Result<(ResultsFile, Intake), RunFileError> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let (mut file, note) = ResultsFile::lock(path, &mut options)?;
        let name = path.display().to_string();
        let trouble = RunFileError::of(&name);
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(&trouble)?;
        if bytes.is_empty() || is_begun_head(&bytes) {
            file.set_len(0).and_then(|()| file.rewind()).map_err(&trouble)?;
            write_line(&mut file, head).map_err(&trouble)?;
            let remarks = if bytes.is_empty() { Vec::new() } else { vec![format!("{name}:1: cut off: started anew")] };
            let run = Run { head: head.clone(), records: Vec::new() };
            return Ok((ResultsFile { note, file }, Intake { run, remarks, whole: None }));
        }
        let intake = Run::parse(&name, &bytes).map_err(|error| of_document(error, &bytes))?;
        if intake.run.head != *head {
            let difference = differs(&intake.run.head, head);
            return Err(RunFileError::AnotherRun { name: name.clone(), difference });
        }
        if let Some(whole) = intake.whole {
            file.set_len(whole).and_then(|()| file.seek(SeekFrom::Start(whole))).map_err(&trouble)?;
        } else {
            let fill = |file: &mut File| {
                // The next run must not come in between.
                if cfg!(not(windows)) {
                    let _ = file.try_lock();
                }
                let mut writer = BufWriter::new(file);
                write_line(&mut writer, &intake.run.head)?;
                intake.run.records.iter().try_for_each(|record| write_line(&mut writer, record))?;
                writer.flush()
            };
            let mended = match outputs::replace(path, fill) {
                // On some drives, Windows cannot replace an open file.
                Err(error) if cfg!(windows) && error.kind() == io::ErrorKind::PermissionDenied => {
                    drop(file);
                    outputs::replace(path, fill)
                }
                tried => tried,
            };
            file = mended.map_err(&trouble)?;
            if cfg!(windows) {
                // Others may write it while it is open like this; reopened, it is this run's.
                drop(file);
                file = options.open(path).map_err(&trouble)?;
                file.seek(SeekFrom::End(0)).map_err(&trouble)?;
            }
        }
        Ok((ResultsFile { note, file }, intake))
    }

    /// Opens a file that only this process may write, and leaves its note.
    fn lock(path: &Path, options: &mut OpenOptions) -> Result<(File, Note), RunFileError> {
        let name = path.display().to_string();
        let mut note = path.as_os_str().to_owned();
        note.push(".pid");
        let note = PathBuf::from(note);
        let locked = || {
            let process = std::fs::read_to_string(&note).ok().and_then(|text| text.trim().parse().ok());
            RunFileError::Locked { name: name.clone(), process }
        };
        // Locks on Windows keep out readers as well. Sharing the open file with readers only keeps out writers.
        #[cfg(windows)]
        std::os::windows::fs::OpenOptionsExt::share_mode(options, READ_OR_RENAME);
        loop {
            let file = options.open(path).map_err(|source| match source.kind() {
                io::ErrorKind::AlreadyExists => RunFileError::Exists(name.clone()),
                _ if is_in_use(&source) => locked(),
                _ => RunFileError::File { name: name.clone(), source },
            })?;
            let tried = if cfg!(windows) { Ok(()) } else { file.try_lock() };
            let is_locked = outputs::is_locked(tried, path, "only one run may write it");
            if !is_locked.map_err(RunFileError::of(&name))? {
                return Err(locked());
            }
            // The run that held the lock before may have replaced the file that was opened by a mended one.
            if outputs::is_still(&file, path) {
                let is_ours = leave_note(&note).is_ok();
                return Ok((file, Note { path: note, is_ours }));
            }
        }
    }

    /// Adds a line in a single write.
    ///
    /// # Errors
    ///
    /// [`RunFileError::File`] if it cannot be written.
    pub fn write(&mut self, line: &impl Serialize) -> Result<(), RunFileError> {
        let name = self.note.path.with_extension("").display().to_string();
        write_line(&mut self.file, line).map_err(RunFileError::of(&name))
    }
}

impl Drop for Note {
    fn drop(&mut self) {
        if self.is_ours {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Records the number of this process, for runs that find the file locked. Only such a note is replaced, and nothing
/// is written through a link.
fn leave_note(path: &Path) -> io::Result<()> {
    if std::fs::symlink_metadata(path).is_ok_and(|about| about.is_file() && about.len() <= 20)
        && std::fs::read_to_string(path)?.trim().parse::<u32>().is_ok()
    {
        std::fs::remove_file(path)?;
    }
    let mut note = OpenOptions::new().write(true).create_new(true).open(path)?;
    writeln!(note, "{}", std::process::id())
}

/// Whether Windows reports that another process has a file open (`ERROR_SHARING_VIOLATION`).
fn is_in_use(error: &io::Error) -> bool {
    cfg!(windows) && error.raw_os_error() == Some(32)
}

/// A line, in a single write.
pub(super) fn write_line(file: &mut impl Write, line: &impl Serialize) -> io::Result<()> {
    let mut bytes = serde_json::to_vec(line)?;
    bytes.push(b'\n');
    file.write_all(&bytes)
}

/// Whether a file holds only the beginning of a head, left by a run that was killed as it began.
fn is_begun_head(bytes: &[u8]) -> bool {
    const BEGINNING: &[u8] = b"{\"ibex_epd\":";
    !bytes.contains(&b'\n') && (bytes.starts_with(BEGINNING) || BEGINNING.starts_with(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Other runs must not write a file that is being written, but `merge` and `compare` may read it.
    #[test]
    fn readers_can_open_a_locked_file() {
        let folder = crate::scratch::Scratch::new("readers");
        let path = folder.0.join("run.jsonl");
        let text = r#"{"ibex_epd":1,"players":[],"budget":{"nodes":9},"hash":1,"threads":1,"suites":[]}"#;
        let head: Head = serde_json::from_str(text).expect("a head");
        let differs = |_: &Head, _: &Head| String::new();
        let must_be_locked = || {
            let locked =
                |error| matches!(error, RunFileError::Locked { process: Some(id), .. } if id == std::process::id());
            assert!(ResultsFile::begin(&path, &head, true).is_err_and(locked));
            assert!(ResultsFile::resume(&path, &head, differs).is_err_and(locked));
            assert_eq!(Run::read(&path).expect("readable").run.head, head);
        };
        let first = ResultsFile::begin(&path, &head, false).expect("writable");
        must_be_locked();
        drop(first);
        // A line that is not a result makes it replace the whole file.
        folder.write("run.jsonl", format!("{text}\n0\n\n"));
        let (mut journal, intake) = ResultsFile::resume(&path, &head, differs).expect("writable");
        assert!(intake.whole.is_none() && intake.remarks.len() == 1, "{:?}", intake.remarks);
        must_be_locked();
        journal.write(&0).expect("writable");
        let written = folder.read("run.jsonl");
        assert!(written.starts_with("{\"ibex_epd\":1,") && written.ends_with("}\n0\n"), "{written}");
    }

    #[test]
    fn a_note_replaces_only_another_note() {
        let folder = crate::scratch::Scratch::new("notes");
        let path = folder.0.join("run.jsonl.pid");
        let own = format!("{}\n", std::process::id());
        for (before, is_noted) in
            [("", false), ("1234\n", true), ("precious\n", false), ("12 precious numbers\n", false)]
        {
            folder.write("run.jsonl.pid", before);
            assert_eq!(leave_note(&path).is_ok(), is_noted, "{before}");
            assert_eq!(folder.read("run.jsonl.pid"), if is_noted { &own } else { before });
        }
        #[cfg(unix)]
        {
            folder.write("precious", "1234\n");
            std::fs::remove_file(&path).expect("a file");
            std::os::unix::fs::symlink(folder.0.join("precious"), &path).expect("a link");
            assert!(leave_note(&path).is_err());
            assert_eq!(folder.read("precious"), "1234\n");
        }
    }
}
