//! Lessons on disk: for every game of a data file, the number of its lessons in 4 bytes, then 32 bytes for each: a
//! viriformat starting position whose score is a value or a bound.
//!
//! Scores and bounds are from White's view. The last byte of a starting position, unused in games, is the code of the
//! bound.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use shakmaty::Chess;

use super::games::{HEADER_SIZE, ReadError, decode_header, encode_header, malformed};
use ibex::bound::Bound;

/// A position and the value that a search has found for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LessonRecord {
    /// The position.
    pub chess: Chess,
    /// Centipawns from White's view.
    pub score: i16,
    /// Whether the position is worth exactly that to White, at least that, or at most.
    pub bound: Bound,
}

/// The code of a bound in a file; 0 is not a lesson.
pub const fn bound_code(bound: Bound) -> u8 {
    match bound {
        Bound::Exact => 1,
        Bound::Lower => 2,
        Bound::Upper => 3,
    }
}

/// The bound with this code.
pub const fn bound_of(code: u8) -> Option<Bound> {
    match code {
        1 => Some(Bound::Exact),
        2 => Some(Bound::Lower),
        3 => Some(Bound::Upper),
        _ => None,
    }
}

/// The file of lessons that belongs to a data file; it need not exist.
pub fn lesson_file(games: &Path) -> PathBuf {
    let mut name = games.as_os_str().to_owned();
    name.push(".lessons");
    PathBuf::from(name)
}

impl LessonRecord {
    fn to_bytes(&self) -> [u8; HEADER_SIZE] {
        let mut bytes = encode_header(&self.chess);
        bytes[28..30].copy_from_slice(&self.score.to_le_bytes());
        // No result.
        bytes[30] = 1;
        bytes[31] = bound_code(self.bound);
        bytes
    }

    fn from_bytes(bytes: &[u8; HEADER_SIZE]) -> Result<LessonRecord, ReadError> {
        let (chess, _) = decode_header(bytes)?;
        let Some(bound) = bound_of(bytes[31]) else {
            return malformed(format!("unknown bound code {} in a lesson", bytes[31]));
        };
        Ok(LessonRecord { chess, score: i16::from_le_bytes([bytes[28], bytes[29]]), bound })
    }
}

/// The bytes of a game's lessons.
pub fn block(lessons: &[LessonRecord]) -> Vec<u8> {
    let mut block = Vec::with_capacity(4 + HEADER_SIZE * lessons.len());
    block.extend(u32::try_from(lessons.len()).unwrap_or(u32::MAX).to_le_bytes());
    block.extend(lessons.iter().flat_map(LessonRecord::to_bytes));
    block
}

/// Reads the lessons of one game after the other.
pub struct LessonReader<R> {
    input: R,
    /// Bytes of whole blocks so far.
    consumed: u64,
}

impl<R: Read> LessonReader<R> {
    /// Reads from `input`, which should be buffered.
    pub fn new(input: R) -> LessonReader<R> {
        LessonReader { input, consumed: 0 }
    }

    /// Bytes of the whole blocks read so far: where a truncated one begins.
    pub fn consumed(&self) -> u64 {
        self.consumed
    }

    /// The bytes of the next game's lessons, unchecked; `None` at the end of the file.
    ///
    /// # Errors
    ///
    /// If the file ends inside a block or cannot be read.
    pub fn next_block(&mut self) -> Result<Option<Vec<u8>>, ReadError> {
        let mut block = Vec::new();
        match self.read_more(4, &mut block)? {
            0 => return Ok(None),
            4 => {}
            _ => return Err(ReadError::Truncated),
        }
        let count = u32::from_le_bytes([block[0], block[1], block[2], block[3]]);
        let size = u64::from(count) * HEADER_SIZE as u64;
        if self.read_more(size, &mut block)? as u64 != size {
            return Err(ReadError::Truncated);
        }
        self.consumed += block.len() as u64;
        Ok(Some(block))
    }

    /// The next game's lessons; `None` at the end of the file.
    ///
    /// # Errors
    ///
    /// If the file ends inside a block, cannot be read, or holds something that is not a lesson.
    pub fn next_lessons(&mut self) -> Result<Option<Vec<LessonRecord>>, ReadError> {
        let Some(block) = self.next_block()? else { return Ok(None) };
        let (records, _) = block[4..].as_chunks::<HEADER_SIZE>();
        records.iter().map(LessonRecord::from_bytes).collect::<Result<_, _>>().map(Some)
    }

    /// Appends `size` bytes, or all that is left.
    fn read_more(&mut self, size: u64, block: &mut Vec<u8>) -> io::Result<usize> {
        self.input.by_ref().take(size).read_to_end(block)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::fen::Fen;
    use shakmaty::{CastlingMode, Position as _};

    #[test]
    fn written_lessons_are_read_back() {
        let fens = [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/8/8/3pP3/8/8/8/R3K2R w Kq d6 0 30",
            "8/5k2/8/8/2p5/8/1P3K2/8 b - - 31 60",
        ];
        let bounds = [Bound::Exact, Bound::Lower, Bound::Upper];
        let mut games: Vec<Vec<LessonRecord>> = vec![Vec::new()];
        for (fen, bound) in fens.iter().zip(bounds) {
            let chess: Chess = fen.parse::<Fen>().unwrap().into_position(CastlingMode::Standard).unwrap();
            let record = |score| LessonRecord { chess: chess.clone(), score, bound };
            games.push([-2999, 0, 17].map(record).to_vec());
        }
        let mut bytes: Vec<u8> = games.iter().flat_map(|lessons| block(lessons)).collect();
        assert_eq!(bytes.len(), 4 * 4 + 9 * HEADER_SIZE);
        let mut reader = LessonReader::new(bytes.as_slice());
        for lessons in &games {
            let read = reader.next_lessons().unwrap().unwrap();
            assert_eq!(&read, lessons);
            let clocks = |lessons: &[LessonRecord]| lessons.iter().map(|l| l.chess.halfmoves()).collect::<Vec<_>>();
            assert_eq!(clocks(&read), clocks(lessons));
        }
        assert!(reader.next_lessons().unwrap().is_none());
        assert_eq!(reader.consumed(), bytes.len() as u64);
        for torn in [1, 3, 4 + 4 + 31, bytes.len() - 1] {
            let mut reader = LessonReader::new(&bytes[..torn]);
            let last = std::iter::from_fn(|| reader.next_block().transpose()).last();
            assert!(matches!(last, Some(Err(ReadError::Truncated))), "{torn}");
        }
        // The first game has no lessons; the first lesson of the second comes after two counts.
        bytes[8 + 31] = 0;
        let mut reader = LessonReader::new(bytes.as_slice());
        assert!(reader.next_lessons().is_ok_and(|lessons| lessons.is_some()));
        assert!(matches!(reader.next_lessons(), Err(ReadError::Malformed(_))));
    }
}
