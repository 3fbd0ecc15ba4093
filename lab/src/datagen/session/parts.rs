//! The files of the workers: appended to, mended after a kill or a power cut, and put together.

use std::fs::{File, OpenOptions};
use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use terminal::{CommandError, trouble};

use super::{SelfPlayer, Totals, failed_to};
use formats::data::GamesWriter;
use formats::games::{GameReader, GameRecord, HEADER_SIZE, ReadError};
use formats::lessons::{self, LessonReader, lesson_file};

/// The files to which a worker appends: its games and, if they are wanted, their lessons.
pub(super) struct PartWriter {
    games: File,
    path: PathBuf,
    lessons: Option<File>,
    lesson_path: PathBuf,
}

impl PartWriter {
    pub fn open(path: PathBuf, with_lessons: bool) -> Result<PartWriter, CommandError> {
        let games = append_to(&path)?;
        let lesson_path = lesson_file(&path);
        let lessons = if with_lessons { Some(append_to(&lesson_path)?) } else { None };
        Ok(PartWriter { games, path, lessons, lesson_path })
    }

    /// Appends the game that a player has just played, after its lessons.
    pub fn append(&mut self, record: &GameRecord, player: &mut impl SelfPlayer) -> Result<(), CommandError> {
        if let Some(file) = &mut self.lessons {
            let block = lessons::block(&player.lessons());
            file.write_all(&block).map_err(failed_to("write", &self.lesson_path))?;
        }
        self.games.write_all(&record.to_bytes()).map_err(failed_to("write", &self.path))
    }

    /// Has the system write both files to the disk, by `sync`.
    pub fn sync(&self, sync: fn(&File) -> std::io::Result<()>) -> Result<(), CommandError> {
        // Lessons first: a game without its own is a smaller loss than lessons of other games.
        if let Some(file) = &self.lessons {
            sync(file).map_err(failed_to("write", &self.lesson_path))?;
        }
        sync(&self.games).map_err(failed_to("write", &self.path))
    }
}

/// Counts the games of a worker's file and cuts off a torn last one.
pub(super) fn mend(path: &Path) -> Result<Totals, CommandError> {
    let mut tally = Totals::default();
    if !path.exists() {
        return Ok(tally);
    }
    let mut games = WholeGames::open(path)?;
    while let Some(record) = games.next()? {
        tally += Totals::of(&record);
    }
    cut(path, games.end)?;
    Ok(tally)
}

/// Truncates a file, through a handle of its own: Windows cannot truncate through one opened to append.
fn cut(path: &Path, length: u64) -> Result<(), CommandError> {
    let file = OpenOptions::new().write(true).open(path).map_err(failed_to("open", path))?;
    file.set_len(length).map_err(failed_to("mend", path))
}

/// The games of a worker's file up to the first that was not written whole.
struct WholeGames {
    reader: GameReader<BufReader<File>>,
    path: PathBuf,
    /// The end of the file, or the beginning of the zeros at its end.
    sound: u64,
    /// Whether there are such zeros.
    has_zeros: bool,
    /// The end of the last whole game.
    end: u64,
}

impl WholeGames {
    fn open(path: &Path) -> Result<WholeGames, CommandError> {
        let (sound, has_zeros) = without_zeros(path).map_err(failed_to("read", path))?;
        let file = File::open(path).map_err(failed_to("open", path))?;
        let reader = GameReader::new(BufReader::new(file));
        Ok(WholeGames { reader, path: path.to_owned(), sound, has_zeros, end: 0 })
    }

    /// The next whole game. A game that reaches into the zeros may have lost its last moves to them, because four
    /// zeros end a game.
    fn next(&mut self) -> Result<Option<GameRecord>, CommandError> {
        match self.reader.next_game() {
            Ok(Some(record)) if self.reader.consumed() <= self.sound => {
                self.end = self.reader.consumed();
                Ok(Some(record))
            }
            Ok(_) | Err(ReadError::Truncated) => Ok(None),
            Err(ReadError::Malformed(_)) if self.has_zeros => Ok(None),
            Err(error) => Err(trouble!("{}: at byte {}: {error}", self.path.display(), self.end)),
        }
    }
}

/// The length of a file without the zeros at its end, and whether there are any: after a power cut, file systems may
/// leave them in place of what was written last. Fewer than [`HEADER_SIZE`] do not count: a game ends with zeros.
fn without_zeros(path: &Path) -> std::io::Result<(u64, bool)> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    let mut end = length;
    let mut chunk = [0; 4096];
    while end > 0 {
        let start = end.saturating_sub(chunk.len() as u64);
        let bytes = &mut chunk[..(end - start) as usize];
        file.seek(SeekFrom::Start(start))?;
        file.read_exact(bytes)?;
        if let Some(last) = bytes.iter().rposition(|&byte| byte != 0) {
            end = start + last as u64 + 1;
            break;
        }
        end = start;
    }
    let has_zeros = length - end >= HEADER_SIZE as u64;
    Ok((if has_zeros { end } else { length }, has_zeros))
}

fn append_to(path: &Path) -> Result<File, CommandError> {
    OpenOptions::new().append(true).create(true).open(path).map_err(failed_to("open", path))
}

/// Makes a worker's file of lessons have as many blocks as it has games: surplus or torn blocks are cut off, and a
/// game whose block is lost gets an empty one.
pub(super) fn mend_lessons(path: &Path, games: u64) -> Result<(), CommandError> {
    let mut file = append_to(path)?;
    let has_zeros = without_zeros(path).map_err(failed_to("read", path))?.1;
    let input = File::open(path).map_err(failed_to("open", path))?;
    let mut reader = LessonReader::new(BufReader::new(input));
    let (mut blocks, mut end) = (0, 0);
    while blocks < games {
        match reader.next_lessons() {
            Ok(Some(_)) => (blocks, end) = (blocks + 1, reader.consumed()),
            Ok(None) | Err(ReadError::Truncated) => break,
            Err(ReadError::Malformed(_)) if has_zeros => break,
            Err(error) => return Err(trouble!("{}: {error}", path.display())),
        }
    }
    cut(path, end)?;
    for _ in blocks..games {
        file.write_all(&lessons::block(&[])).map_err(failed_to("mend", path))?;
    }
    Ok(())
}

/// A worker's files, being read.
pub(super) struct PartReader {
    games: WholeGames,
    lessons: Option<LessonReader<BufReader<File>>>,
    path: PathBuf,
}

impl PartReader {
    pub fn open(path: PathBuf) -> Result<PartReader, CommandError> {
        let open = |path: &Path| File::open(path).map(BufReader::new).map_err(failed_to("open", path));
        let lessons = lesson_file(&path);
        let lessons = if lessons.exists() { Some(LessonReader::new(open(&lessons)?)) } else { None };
        Ok(PartReader { games: WholeGames::open(&path)?, lessons, path })
    }

    /// Whether the worker has written lessons.
    pub fn has_lessons(&self) -> bool {
        self.lessons.is_some()
    }

    /// The next game and the bytes of its lessons, empty if they were lost.
    fn next(&mut self) -> Result<Option<(GameRecord, Vec<u8>)>, CommandError> {
        // A torn last game does not belong in the finished file.
        let Some(record) = self.games.next()? else { return Ok(None) };
        let block = match self.lessons.as_mut().map(LessonReader::next_block) {
            Some(Ok(Some(block))) => block,
            None | Some(Ok(None) | Err(ReadError::Truncated)) => lessons::block(&[]),
            Some(Err(error)) => return Err(trouble!("{}: {error}", lesson_file(&self.path).display())),
        };
        Ok(Some((record, block)))
    }
}

/// Writes the games of all parts in order into `draft`, in the form that the name `out` asks for, and their lessons
/// beside it. If the run has played more games than it should, because it was resumed with a smaller number, only those
/// with an index below `most` are written: they are the games of a run of that number.
pub(super) fn merge(
    parts: &mut [Option<PartReader>],
    (draft, out): (&Path, &Path),
    with_lessons: bool,
    most: u64,
) -> Result<Totals, CommandError> {
    let mut tally = Totals::default();
    let lesson_draft = lesson_file(draft);
    let create = |path: &Path| {
        let file = File::create(path).map_err(failed_to("write", path))?;
        Ok::<_, CommandError>(BufWriter::with_capacity(1 << 20, file))
    };
    let mut output = GamesWriter::new(create(draft)?, out).map_err(failed_to("write", draft))?;
    let mut lessons_out = if with_lessons { Some(create(&lesson_draft)?) } else { None };
    let mut index = 0;
    while index < most && parts.iter().any(Option::is_some) {
        for slot in parts.iter_mut() {
            // An exhausted part keeps its places in the order.
            let wanted = index < most;
            index += 1;
            let Some(part) = slot.as_mut().filter(|_| wanted) else { continue };
            let Some((record, block)) = part.next()? else {
                *slot = None;
                continue;
            };
            tally += Totals::of(&record);
            output.write(&record).map_err(failed_to("write", draft))?;
            if let Some(lessons_out) = &mut lessons_out {
                lessons_out.write_all(&block).map_err(failed_to("write", &lesson_draft))?;
            }
        }
    }
    if tally.games == 0 {
        return Err(trouble!("there are no games to put together"));
    }
    complete(output.finish().map_err(failed_to("write", draft))?, draft)?;
    lessons_out.map_or(Ok(()), |lessons_out| complete(lessons_out, &lesson_draft))?;
    Ok(tally)
}

/// Writes what is buffered, so that the system has the whole file.
fn complete(output: BufWriter<File>, path: &Path) -> Result<(), CommandError> {
    let file = output.into_inner().map_err(|error| failed_to("write", path)(error.into_error()))?;
    file.sync_all().map_err(failed_to("write", path))
}
