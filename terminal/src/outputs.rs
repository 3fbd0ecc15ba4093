//! Outputs: tested before the work begins, and written whole.
//!
//! - [`check`]: whether every output file of a command can be written, and harms no input and no other output
//! - [`write()`], [`write_with()`]: a file is written whole, or left unchanged
//! - [`scratch()`]: storage for parts of a file until it can be written

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::inputs::STDIN;
use crate::remark;

/// The treatment of an existing file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// A report: replaced, but only with --force.
    Report,
    /// Results of a new run: like a report, and the message names `--resume`.
    Begun,
    /// Results of a continued run: kept.
    Continued,
    /// A file of several that belong together: removed before the new ones are written, so it must be a file.
    Removed,
}

/// A file that a command will write.
#[derive(Clone, Copy, Debug)]
pub struct Output<'a> {
    /// The flag that asks for it.
    pub flag: &'static str,
    /// Where.
    pub path: &'a Path,
    /// The treatment of an existing file.
    pub manner: Manner,
}

impl<'a> Output<'a> {
    /// The wanted outputs.
    pub fn wanted(
        flags: impl IntoIterator<Item = (&'static str, &'a Option<PathBuf>, Manner)>,
    ) -> impl Iterator<Item = Output<'a>> {
        flags.into_iter().filter_map(|(flag, path, manner)| Some(Output { flag, path: path.as_deref()?, manner }))
    }
}

/// What makes two names the same file.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Identity {
    /// Device and number: a link is the file that it leads to.
    #[cfg(unix)]
    File(u64, u64),
    Path(PathBuf),
}

impl Identity {
    fn of_file(_path: &Path, _about: &fs::Metadata) -> io::Result<Identity> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt as _;
            Ok(Identity::File(_about.dev(), _about.ino()))
        }
        #[cfg(not(unix))]
        resolved(_path).map(Identity::Path)
    }

    /// The identity of a new file, by its name in a folder without links.
    fn of_new(folder: &Path, name: &OsStr, ignores_case: bool) -> Identity {
        let lower = name.to_str().filter(|_| ignores_case).map(str::to_lowercase);
        Identity::Path(lower.map_or_else(|| folder.join(name), |lower| folder.join(lower)))
    }

    /// The identity of an input; `None` if there is no such file, or it is a device or a pipe.
    fn of_input(path: &Path) -> Option<Identity> {
        // If standard input is a file, that file is read.
        let path = if path.as_os_str() == STDIN { Path::new("/dev/stdin") } else { path };
        let about = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
        Identity::of_file(path, &about).ok()
    }
}

/// A path without links. Some drives on Windows cannot resolve it: then it is the path as written.
fn resolved(path: &Path) -> io::Result<PathBuf> {
    fs::canonicalize(path).or_else(|error| if path.exists() { std::path::absolute(path) } else { Err(error) })
}

/// Whether two names are those of the same existing file; links count as the file that they lead to.
pub fn is_same(one: &Path, other: &Path) -> bool {
    Identity::of_input(one).is_some_and(|one| Identity::of_input(other) == Some(one))
}

/// The indices of two names of the same file among these, the earlier one first.
pub fn twice(paths: &[PathBuf]) -> Option<(usize, usize)> {
    let identities: Vec<Option<Identity>> = paths.iter().map(|path| Identity::of_input(path)).collect();
    identities.iter().enumerate().find_map(|(later, identity)| {
        let same = |earlier: &Option<Identity>| identity.is_some() && earlier == identity;
        Some((identities[..later].iter().position(same)?, later))
    })
}

/// Whether a lock was acquired, given the answer of [`File::try_lock`]; `false` if another process holds it. Some
/// network drives have no locks, and runs must be possible there: then a remark says what the user must take care of.
///
/// # Errors
///
/// Any other reason why there is no lock.
pub fn is_locked(tried: Result<(), TryLockError>, path: &Path, care: &str) -> io::Result<bool> {
    match tried {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) if is_without_locks(&error) => {
            remark!("{} cannot be locked ({error}): {care}", path.display());
            Ok(true)
        }
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Whether an error means that a drive has no locks.
fn is_without_locks(error: &io::Error) -> bool {
    #[cfg(unix)]
    let codes = [libc::ENOLCK, libc::ENOTSUP, libc::EOPNOTSUPP];
    // ERROR_INVALID_FUNCTION and ERROR_NOT_SUPPORTED.
    #[cfg(windows)]
    let codes = [1, 50];
    #[cfg(not(any(unix, windows)))]
    let codes: [i32; 0] = [];
    error.kind() == io::ErrorKind::Unsupported || error.raw_os_error().is_some_and(|code| codes.contains(&code))
}

/// Whether an open file is still the one with this name.
pub fn is_still(file: &File, path: &Path) -> bool {
    let (Ok(own), Ok(named)) = (file.metadata(), fs::metadata(path)) else { return false };
    #[cfg(unix)]
    {
        let identity = |about| Identity::of_file(path, about).ok();
        identity(&own) == identity(&named)
    }
    #[cfg(not(unix))]
    is_alike(&own, &named)
}

/// Whether two files have the same size and times, for systems that cannot show whether they are one.
#[cfg(any(not(unix), test))]
fn is_alike(one: &fs::Metadata, other: &fs::Metadata) -> bool {
    let marks = |about: &fs::Metadata| (about.len(), about.created().ok(), about.modified().ok());
    marks(one) == marks(other)
}

/// An output that cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("{flag} {}: {reason}", path.display())]
pub struct OutputError {
    /// The flag that requests it.
    pub flag: &'static str,
    /// Where.
    pub path: PathBuf,
    /// Why not.
    #[source]
    pub reason: Refusal,
}

/// Why an output cannot be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The name ends like that of a folder.
    #[error("the name of a folder, not of a file")]
    FolderName,
    /// The path is a folder.
    #[error("a folder, not a file")]
    Folder,
    /// The path is a device or a pipe, but must be a file.
    #[error("a device or a pipe, not a file")]
    NoFile,
    /// The file is an input.
    #[error("is also an input, which would be lost")]
    Input,
    /// The file is another output; its flag.
    #[error("is also the file of {0}")]
    Output(&'static str),
    /// The report already exists.
    #[error("exists; --force replaces it")]
    Exists,
    /// The results of a run already exist.
    #[error("exists; --resume continues it, --force replaces it")]
    Begun,
    /// The file is read-only.
    #[error("may not be written")]
    ReadOnly,
    /// The path is a link to nothing.
    #[error("a broken link")]
    DeadLink,
    /// The path has no file name.
    #[error("not a file name")]
    NoName,
    /// The folder does not exist.
    #[error("its folder does not exist")]
    NoFolder,
    /// No file can be made in the folder.
    #[error("its folder cannot be written: {0}")]
    FolderUnwritable(#[source] io::Error),
    /// The system does not reveal anything about the file.
    #[error(transparent)]
    File(io::Error),
}

/// A file that could not be written.
#[derive(Debug, thiserror::Error)]
#[error("{}: {source}", path.display())]
pub struct WriteError {
    /// The file.
    pub path: PathBuf,
    /// The error of the system.
    pub source: io::Error,
}

/// Tests the outputs of a command before its work begins.
///
/// # Errors
///
/// An [`OutputError`] with the reason: the file is an input or another output, already exists (without `force`), or
/// cannot be written.
pub fn check(inputs: &[PathBuf], outputs: &[Output<'_>], force: bool) -> Result<(), OutputError> {
    let inputs: Vec<Identity> = inputs.iter().filter_map(|path| Identity::of_input(path)).collect();
    let mut taken: Vec<(Identity, &'static str)> = Vec::new();
    for &Output { flag, path, manner } in outputs {
        let refusal = |reason| OutputError { flag, path: path.to_owned(), reason };
        let trouble = |reason| Err(refusal(reason));
        let try_folder = |path: &Path| try_beside(path).map_err(|error| refusal(Refusal::FolderUnwritable(error)));
        // It would be mistaken for standard output, and be a file of that name.
        if path.as_os_str() == STDIN {
            return trouble(Refusal::NoName);
        }
        if is_folder_name(path) {
            return trouble(Refusal::FolderName);
        }
        let identity = match fs::metadata(path) {
            Ok(about) if about.is_dir() => return trouble(Refusal::Folder),
            Ok(about) if !about.is_file() && manner == Manner::Removed => return trouble(Refusal::NoFile),
            // A device or a pipe just gets the bytes.
            Ok(about) if !about.is_file() => continue,
            Ok(about) => {
                let identity = Identity::of_file(path, &about).map_err(|error| refusal(Refusal::File(error)))?;
                if inputs.contains(&identity) {
                    return trouble(Refusal::Input);
                }
                if let Some(&(_, other)) = taken.iter().find(|(known, _)| *known == identity) {
                    return trouble(Refusal::Output(other));
                }
                match manner {
                    Manner::Report if !force => return trouble(Refusal::Exists),
                    Manner::Begun if !force => return trouble(Refusal::Begun),
                    _ if about.permissions().readonly() => return trouble(Refusal::ReadOnly),
                    _ => {}
                }
                try_folder(&target_of(path))?;
                identity
            }
            Err(_) if fs::symlink_metadata(path).is_ok() => return trouble(Refusal::DeadLink),
            Err(error) if error.kind() != io::ErrorKind::NotFound => return trouble(Refusal::File(error)),
            Err(_) => {
                let Some(name) = path.file_name() else { return trouble(Refusal::NoName) };
                let folder = match resolved(folder(path)) {
                    Err(error) if error.kind() == io::ErrorKind::NotFound => return trouble(Refusal::NoFolder),
                    folder => folder.map_err(|error| refusal(Refusal::File(error)))?,
                };
                let identity = Identity::of_new(&folder, name, try_folder(path)?);
                if let Some(&(_, other)) = taken.iter().find(|(known, _)| *known == identity) {
                    return trouble(Refusal::Output(other));
                }
                identity
            }
        };
        taken.push((identity, flag));
    }
    Ok(())
}

/// Tests whether a file can be made in the folder of another one; whether that folder ignores the case of names.
fn try_beside(path: &Path) -> io::Result<bool> {
    let probe = beside(path);
    OpenOptions::new().write(true).create_new(true).open(&probe)?;
    let capitals = probe.file_name().map(OsStr::to_ascii_uppercase);
    let ignores_case = capitals.is_some_and(|name| probe.with_file_name(name).exists());
    fs::remove_file(&probe)?;
    Ok(ignores_case)
}

/// Whether a name ends like that of a folder: `a/`, or `a/.`.
fn is_folder_name(path: &Path) -> bool {
    let name = path.as_os_str().as_encoded_bytes();
    let name = name.strip_suffix(b".").unwrap_or(name);
    name.last().is_some_and(|&last| last.is_ascii() && std::path::is_separator(char::from(last)))
}

/// The file that a name leads to; a link stays, and its target is replaced.
fn target_of(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// An unused name in the folder of a file. It is short, because the file's own name may be as long as names can be.
fn beside(path: &Path) -> PathBuf {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    folder(path).join(format!(".ibex-{}-{}.new", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed)))
}

/// Replaces a file: `fill` writes the new one under another name, which is then renamed. An interruption leaves the
/// old file or the new one. Returns the new file, open and at its end.
///
/// # Errors
///
/// It cannot be written; the old file is unchanged.
pub fn replace(path: &Path, fill: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<File> {
    let target = target_of(path);
    let new = beside(&target);
    let written = || -> io::Result<File> {
        let mut file = OpenOptions::new().read(true).write(true).create_new(true).open(&new)?;
        fill(&mut file)?;
        if let Ok(old) = fs::metadata(&target) {
            file.set_permissions(old.permissions())?;
        }
        // The file must not get its name while a power cut can still take its bytes.
        file.sync_all()?;
        fs::rename(&new, &target)?;
        Ok(file)
    };
    written().inspect_err(|_| {
        let _ = fs::remove_file(&new);
    })
}

/// Whether a name is that of a file, or unused: not that of a device or a pipe.
pub fn is_for_file(path: &Path) -> bool {
    fs::metadata(path).map_or(true, |about| about.is_file())
}

/// Writes a file, whole or not at all; a device or a pipe just gets the bytes.
///
/// # Errors
///
/// A [`WriteError`] that names the file.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    write_with(path, |file| file.write_all(bytes))
}

/// The same for a file that `fill` writes piece by piece.
///
/// # Errors
///
/// A [`WriteError`] that names the file.
pub fn write_with(path: &Path, fill: impl FnOnce(&mut File) -> io::Result<()>) -> Result<(), WriteError> {
    let written = if is_for_file(path) {
        replace(path, fill).map(drop)
    } else {
        OpenOptions::new().write(true).open(path).and_then(|mut file| fill(&mut file))
    };
    written.map_err(|source| WriteError { path: path.to_owned(), source })
}

/// An empty file for parts of what will be written at `path`, in the same folder. It has no name, so nothing is left
/// of it, however the program ends.
///
/// # Errors
///
/// A [`WriteError`]: it cannot be made.
pub fn scratch(path: &Path) -> Result<File, WriteError> {
    // A message about a folder of the system must not name the device.
    let (name, named) = if is_for_file(path) {
        (beside(&target_of(path)), path.to_owned())
    } else {
        let temporary = std::env::temp_dir();
        (beside(&temporary.join("page")), temporary)
    };
    let opened = || -> io::Result<File> {
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(&name)?;
        fs::remove_file(&name)?;
        Ok(file)
    };
    opened().map_err(|source| WriteError { path: named, source })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    fn files(folder: &Scratch) -> usize {
        fs::read_dir(&folder.0).expect("a folder").count()
    }

    fn report(flag: &'static str, path: &Path) -> Output<'static> {
        Output { flag, path: Box::leak(path.to_owned().into_boxed_path()), manner: Manner::Report }
    }

    #[test]
    fn harmful_outputs_are_refused() {
        let folder = Scratch::new("refused");
        let [input, there] = ["a.epd", "there.json"].map(|name| PathBuf::from(folder.write(name, "old")));
        let fresh = folder.0.join("fresh.json");
        let around = folder.0.join(".").join("..").join(folder.0.file_name().expect("a name"));
        let inputs = [input.clone()];
        let says = |outputs: &[Output<'_>], force: bool| {
            check(&inputs, outputs, force).err().map_or_else(String::new, |error| error.to_string())
        };
        assert_eq!(says(&[report("--json", &fresh)], false), "");
        assert!(says(&[report("--json", &input)], true).contains("is also an input"));
        assert!(says(&[report("--json", &around.join("a.epd"))], true).contains("is also an input"));
        assert!(says(&[report("--json", &there)], false).contains("exists; --force replaces it"));
        assert_eq!(says(&[report("--json", &there)], true), "");
        let begun = Output { manner: Manner::Begun, ..report("--jsonl", &there) };
        assert!(says(&[begun], false).contains("--resume continues it"));
        assert_eq!(says(&[Output { manner: Manner::Continued, ..begun }], false), "");
        for twice in [&fresh, &around.join("fresh.json")] {
            let told = says(&[report("--json", &fresh), report("--csv", twice)], false);
            assert!(told.starts_with("--csv ") && told.ends_with("is also the file of --json"), "{told}");
        }
        assert!(says(&[report("--json", &there), report("--csv", &there)], true).contains("also the file of --json"));
        assert!(says(&[report("--json", &folder.0)], true).contains("a folder"));
        for name in ["x/", "x/.", "x//"] {
            assert!(says(&[report("--json", &folder.0.join(name))], true).contains("a folder"), "{name}");
        }
        assert_eq!(says(&[report("--json", &folder.0.join("x."))], true), "");
        assert!(says(&[report("--json", &folder.0.join("no/x"))], true).contains("its folder does not exist"));
        assert!(says(&[report("--json", &input.join("x"))], true).contains("--json "));
        #[cfg(unix)]
        {
            let (soft, hard, nowhere) = (folder.0.join("soft"), folder.0.join("hard"), folder.0.join("nowhere"));
            std::os::unix::fs::symlink(&input, &soft).expect("a link");
            std::os::unix::fs::symlink(folder.0.join("none"), &nowhere).expect("a link");
            fs::hard_link(&input, &hard).expect("a link");
            assert!(says(&[report("--json", &soft)], true).contains("is also an input"));
            assert!(says(&[report("--json", &hard)], true).contains("is also an input"));
            assert!(says(&[report("--json", &nowhere)], true).contains("broken link"));
            let null = Path::new("/dev/null");
            assert_eq!(says(&[report("--json", null), report("--csv", null)], false), "");
            let removed = |path: &Path| Output { manner: Manner::Removed, ..report("--out", path) };
            assert_eq!(says(&[removed(null)], true), "--out /dev/null: a device or a pipe, not a file");
            assert_eq!(says(&[removed(&there), removed(&fresh)], false), "");
        }
        assert!(!fresh.exists(), "trying leaves nothing behind");
    }

    /// On macOS and Windows, folders may take two spellings for the same file.
    #[test]
    fn the_case_of_names_counts_where_the_folder_says_so() {
        let folder = Scratch::new("case");
        let identity = |name, ignores_case| Identity::of_new(&folder.0, OsStr::new(name), ignores_case);
        assert!(identity("Out", true) == identity("oUT", true) && identity("Out", true) != identity("Out2", true));
        assert!(identity("Out", false) != identity("out", false) && identity("Out", false) == identity("Out", false));
        folder.write("probe", "");
        let ignores_case = folder.0.join("PROBE").exists();
        assert_eq!(try_beside(&folder.0.join("x")).ok(), Some(ignores_case));
        let (one, other) = (folder.0.join("Out"), folder.0.join("out"));
        let checked = check(&[], &[report("--json", &one), report("--csv", &other)], false);
        assert_eq!(checked.is_err_and(|error| matches!(error.reason, Refusal::Output("--json"))), ignores_case);
    }

    /// An existing folder does not count as missing because the system has no path without links for it.
    #[cfg(target_os = "linux")]
    #[test]
    fn folders_without_a_resolved_path_can_be_written() {
        let folder = Scratch::new("deep");
        // Two halves, each shorter than the longest path, joined by a link.
        let half = |start: &Path| (0..12).fold(start.to_owned(), |path, _| path.join("d".repeat(200)));
        let first = half(&folder.0);
        fs::create_dir_all(&first).expect("a folder");
        let link = folder.0.join("link");
        std::os::unix::fs::symlink(&first, &link).expect("a link");
        let deep = half(&link);
        fs::create_dir_all(&deep).expect("a folder");
        assert!(fs::canonicalize(&deep).is_err_and(|error| error.kind() != io::ErrorKind::NotFound));
        let out = deep.join("out");
        assert!(check(&[], &[report("--json", &out)], false).is_ok());
        let twice = check(&[], &[report("--json", &out), report("--csv", &out)], false);
        assert!(twice.is_err_and(|error| matches!(error.reason, Refusal::Output("--json"))));
        write(&out, b"new").expect("writable");
        assert_eq!(fs::read(&out).ok(), Some(b"new".to_vec()));
    }

    #[test]
    fn a_replaced_file_is_not_the_open_one() {
        let folder = Scratch::new("still");
        let path = PathBuf::from(folder.write("a", "old"));
        let file = File::open(&path).expect("a file");
        let about = |file: &File| file.metadata().expect("an open file");
        let named = || fs::metadata(&path).expect("a file");
        assert!(is_still(&file, &path) && is_alike(&about(&file), &named()));
        let new = match replace(&path, |file| file.write_all(b"newer")) {
            // On some drives, Windows cannot replace an open file.
            Err(error) if cfg!(windows) && error.kind() == io::ErrorKind::PermissionDenied => return,
            new => new.expect("writable"),
        };
        assert!(!is_still(&file, &path) && !is_alike(&about(&file), &named()));
        assert!(is_still(&new, &path) && is_alike(&about(&new), &named()));
        fs::remove_file(&path).expect("a file");
        assert!(!is_still(&new, &path));
    }

    #[test]
    fn drives_without_locks_allow_runs() {
        let is_locked = |tried| is_locked(tried, Path::new("a"), "only one run may write it").map_err(|e| e.kind());
        assert_eq!(is_locked(Ok(())), Ok(true));
        assert_eq!(is_locked(Err(TryLockError::WouldBlock)), Ok(false));
        assert_eq!(is_locked(Err(TryLockError::Error(io::ErrorKind::Unsupported.into()))), Ok(true));
        #[cfg(unix)]
        assert_eq!(is_locked(Err(TryLockError::Error(io::Error::from_raw_os_error(libc::ENOLCK)))), Ok(true));
        let denied = io::ErrorKind::PermissionDenied;
        assert_eq!(is_locked(Err(TryLockError::Error(denied.into()))), Err(denied), "a drive with locks");
    }

    #[test]
    fn scratch_files_leave_nothing_behind() {
        use std::io::{Read as _, Seek as _};
        let folder = Scratch::new("scratch");
        let device = cfg!(unix).then(|| PathBuf::from("/dev/null"));
        for path in device.into_iter().chain([folder.0.join("new")]) {
            let mut file = scratch(&path).expect("writable");
            file.write_all(b"part").and_then(|()| file.rewind()).expect("writable");
            let mut text = String::new();
            file.read_to_string(&mut text).expect("readable");
            assert_eq!(text, "part");
            // On some drives, Windows keeps the name of an open file until it is closed.
            assert!(cfg!(windows) || files(&folder) == 0);
            drop(file);
            assert_eq!(files(&folder), 0);
        }
        assert!(scratch(&folder.0.join("no/x")).is_err());
    }

    #[test]
    fn files_are_replaced_whole() {
        let folder = Scratch::new("whole");
        let file = PathBuf::from(folder.write("a", "old"));
        let broken = replace(&file, |file| {
            file.write_all(b"half")?;
            Err(io::Error::other("no"))
        });
        assert!(broken.is_err());
        assert_eq!((fs::read(&file).ok(), files(&folder)), (Some(b"old".to_vec()), 1));
        write(&file, b"new").expect("writable");
        write(&folder.0.join("b"), b"new").expect("writable");
        assert_eq!((fs::read(&file).ok(), files(&folder)), (Some(b"new".to_vec()), 2));
        assert!(write(&folder.0.join("no/x"), b"").is_err_and(|error| error.to_string().contains("no/x")));
    }
}
