//! Files of training data: the games of a run, each with its lessons if there are any.

use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, Write};
use std::path::{Path, PathBuf};

use terminal::{CommandError, outputs, trouble};

use super::compact::{self, CompactReader, CompactWriter};
use super::games::{GameReader, GameRecord, ReadError};
use super::lessons::{LessonReader, LessonRecord, lesson_file};

/// The data files of these names: a folder stands for the workers' files in it.
///
/// # Errors
///
/// One line: the folder cannot be read or holds none, or a file is named twice, perhaps by a link: its games would
/// count twice, and be used for both learning and validation.
pub fn data_files(names: &[PathBuf]) -> Result<Vec<PathBuf>, CommandError> {
    let mut files = Vec::new();
    for name in names {
        if !name.is_dir() {
            files.push(name.clone());
            continue;
        }
        let entries = fs::read_dir(name).map_err(|error| trouble!("cannot read {}: {error}", name.display()))?;
        let mut inside: Vec<PathBuf> =
            entries.flatten().map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == "vf")).collect();
        if inside.is_empty() {
            return Err(trouble!("no data files in {}", name.display()));
        }
        inside.sort();
        files.append(&mut inside);
    }
    match outputs::twice(&files) {
        Some((one, other)) => {
            Err(trouble!("{} is given twice: it is the same file as {}", files[other].display(), files[one].display()))
        }
        None => Ok(files),
    }
}

/// The games of a file in either form, which its first bytes tell apart.
enum Games {
    Viriformat(GameReader<BufReader<File>>),
    Compact(Box<CompactReader<BufReader<File>>>),
}

impl Games {
    fn open(path: &Path) -> io::Result<Games> {
        let mut input = BufReader::with_capacity(1 << 18, File::open(path)?);
        if input.fill_buf()?.starts_with(&compact::MAGIC) {
            input.consume(compact::MAGIC.len());
            return Ok(Games::Compact(Box::new(CompactReader::new(input))));
        }
        Ok(Games::Viriformat(GameReader::new(input)))
    }

    fn next_game(&mut self) -> Result<Option<GameRecord>, ReadError> {
        match self {
            Games::Viriformat(games) => games.next_game(),
            Games::Compact(games) => games.next_game(),
        }
    }
}

/// Writes games in the form that a file's name asks for: compact for `.ibg`, else viriformat.
pub enum GamesWriter<W> {
    /// Viriformat.
    Viriformat(W),
    /// The compact form.
    Compact(Box<CompactWriter<W>>),
}

impl<W: Write> GamesWriter<W> {
    /// Begins a file that will have this name.
    ///
    /// # Errors
    ///
    /// Those of the output.
    pub fn new(output: W, name: &Path) -> io::Result<GamesWriter<W>> {
        if compact::is_name(name) {
            return Ok(GamesWriter::Compact(Box::new(CompactWriter::new(output)?)));
        }
        Ok(GamesWriter::Viriformat(output))
    }

    /// Adds a game.
    ///
    /// # Errors
    ///
    /// Those of the output.
    pub fn write(&mut self, game: &GameRecord) -> io::Result<()> {
        match self {
            GamesWriter::Viriformat(output) => output.write_all(&game.to_bytes()),
            GamesWriter::Compact(writer) => writer.write(game),
        }
    }

    /// Ends the file, and returns the output.
    ///
    /// # Errors
    ///
    /// Those of the output.
    pub fn finish(self) -> io::Result<W> {
        match self {
            GamesWriter::Viriformat(output) => Ok(output),
            GamesWriter::Compact(writer) => writer.finish(),
        }
    }
}

/// Reads every game of the files. A torn last game is an error in a finished file; in a worker's file of an unfinished
/// run, it is still being written.
///
/// # Errors
///
/// One line, naming the file and the game.
pub fn read_games(names: &[PathBuf], mut visitor: impl FnMut(&GameRecord)) -> Result<u64, CommandError> {
    let mut games = 0u64;
    for path in data_files(names)? {
        let mut reader = Games::open(&path).map_err(|error| trouble!("cannot open {}: {error}", path.display()))?;
        let mut index = 0u64;
        loop {
            match reader.next_game() {
                Ok(Some(record)) => visitor(&record),
                Ok(None) => break,
                Err(ReadError::Truncated) if is_part(&path) => break,
                Err(error) => return Err(trouble!("{}: game {index}: {error}", path.display())),
            }
            index += 1;
        }
        games += index;
    }
    Ok(games)
}

/// Whether this is a worker's file of a run that may continue.
fn is_part(path: &Path) -> bool {
    path.parent().is_some_and(|folder| folder.join("run.json").exists())
}

/// Lessons beside a data file, to be read.
type LessonsBeside = LessonReader<BufReader<File>>;

/// Opens the lessons of a data file, if there are any.
fn open_lessons(games: &Path) -> Result<Option<LessonsBeside>, CommandError> {
    let path = lesson_file(games);
    if !path.exists() {
        return Ok(None);
    }
    let file = File::open(&path).map_err(|error| trouble!("cannot open {}: {error}", path.display()))?;
    Ok(Some(LessonReader::new(BufReader::with_capacity(1 << 18, file))))
}

/// Checks that no lessons follow those of the last game: otherwise games in the file may have the lessons of others.
fn check_end(lessons: &mut LessonsBeside, games: &Path) -> Result<(), CommandError> {
    // A worker writes the lessons of a game before the game: while it is at work, the last block may have no game yet.
    let at_work = is_part(games);
    let surplus = match lessons.next_block() {
        Ok(Some(_)) if at_work => !matches!(lessons.next_block(), Ok(None)),
        Err(ReadError::Truncated) if at_work => false,
        Err(ReadError::Io(error)) => return Err(error.into()),
        block => !matches!(block, Ok(None)),
    };
    if surplus { Err(trouble!("more lessons than games")) } else { Ok(()) }
}

/// Reads every game of one file like [`read_games`], each with its lessons if the file has any.
///
/// # Errors
///
/// Those of [`read_games`]; and if the lessons cannot be read, or their number differs from that of the games.
pub fn read_with_lessons(
    path: &PathBuf,
    mut visitor: impl FnMut(&GameRecord, Vec<LessonRecord>),
) -> Result<u64, CommandError> {
    let mut lessons = open_lessons(path)?;
    let mut unfit = None;
    let games = read_games(std::slice::from_ref(path), |record| {
        let found = match &mut lessons {
            Some(lessons) if unfit.is_none() => lessons.next_lessons(),
            _ => Ok(Some(Vec::new())),
        };
        let found = found.map_err(CommandError::from);
        match found.and_then(|found| found.ok_or_else(|| trouble!("fewer lessons than games"))) {
            Ok(found) => visitor(record, found),
            Err(error) => unfit = Some(error),
        }
    })?;
    let fit = match (unfit, &mut lessons) {
        (Some(error), _) => Err(error),
        (None, Some(lessons)) => check_end(lessons, path),
        (None, None) => Ok(()),
    };
    fit.map_err(|error| error.about(lesson_file(path).display()))?;
    Ok(games)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn a_file_that_comes_twice_is_named() {
        let scratch = Scratch::new("twice");
        let names = ["a.vf", "worker-000.vf", "worker-001.vf"];
        names.iter().for_each(|name| drop(scratch.write(name, "")));
        let [folder, file] = [scratch.0.clone(), scratch.0.join("worker-000.vf")];
        assert_eq!(data_files(std::slice::from_ref(&folder)).map(|files| files.len()).expect("files"), 3);
        for twice in [
            [folder.clone(), file.clone()],
            [file.clone(), file.clone()],
            [file.clone(), folder.join("./worker-000.vf")],
        ] {
            let error = data_files(&twice).unwrap_err();
            assert!(error.to_string().contains("worker-000.vf is given twice: it is the same file as "), "{error}");
        }
        #[cfg(unix)]
        {
            let link = scratch.0.join("link");
            std::os::unix::fs::symlink(&file, &link).unwrap();
            assert!(data_files(&[file, link]).is_err_and(|error| error.to_string().contains("link is given twice")));
        }
    }
}
