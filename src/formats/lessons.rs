//! Lessons on disk: 32 bytes each, a viriformat starting position whose score is a value or a bound.
//!
//! Scores and bounds are from White's view. The last byte of a starting position, which games leave free, has the kind
//! of the bound.

use std::io::Read;

use shakmaty::Chess;

use super::games::{HEADER_SIZE, ReadError, Reader, decode_header, encode_header, malformed};
use crate::bound::Bound;

/// A position and the value that a search has found for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LessonRecord {
    /// The position.
    pub chess: Chess,
    /// Centipawns from White's view.
    pub score: i16,
    /// Whether the position is worth just that to White, at least that, or at most.
    pub bound: Bound,
}

/// Bounds by their code.
const BOUNDS: [(u8, Bound); 3] = [(1, Bound::Exact), (2, Bound::Lower), (3, Bound::Upper)];

impl LessonRecord {
    /// The record's bytes.
    pub fn to_bytes(&self) -> [u8; HEADER_SIZE] {
        let mut bytes = encode_header(&self.chess);
        bytes[28..30].copy_from_slice(&self.score.to_le_bytes());
        // No result.
        bytes[30] = 1;
        bytes[31] = BOUNDS.iter().find(|(_, bound)| *bound == self.bound).map_or(0, |&(code, _)| code);
        bytes
    }

    /// The record that these bytes are.
    ///
    /// # Errors
    ///
    /// [`ReadError::Malformed`]: they are none.
    pub fn from_bytes(bytes: &[u8; HEADER_SIZE]) -> Result<LessonRecord, ReadError> {
        let (chess, _) = decode_header(bytes)?;
        let Some(&(_, bound)) = BOUNDS.iter().find(|(code, _)| *code == bytes[31]) else {
            return malformed(format!("unknown bound code {} in a lesson", bytes[31]));
        };
        Ok(LessonRecord { chess, score: i16::from_le_bytes([bytes[28], bytes[29]]), bound })
    }
}

impl<R: Read> Reader<R> {
    /// The next lesson; `None` at the end of the file.
    ///
    /// # Errors
    ///
    /// Where the file ends inside a lesson, cannot be read, or holds something that is none.
    pub fn next_lesson(&mut self) -> Result<Option<LessonRecord>, ReadError> {
        let mut bytes = [0; HEADER_SIZE];
        match self.fill(&mut bytes)? {
            0 => Ok(None),
            HEADER_SIZE => LessonRecord::from_bytes(&bytes).map(Some),
            _ => malformed("the file ends inside a lesson"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::fen::Fen;
    use shakmaty::{CastlingMode, Position as _};

    #[test]
    fn what_is_written_is_read_again() {
        let fens = [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/8/8/3pP3/8/8/8/R3K2R w Kq d6 0 30",
            "8/5k2/8/8/2p5/8/1P3K2/8 b - - 31 60",
        ];
        let mut bytes = Vec::new();
        let mut records = Vec::new();
        for (fen, (_, bound)) in fens.iter().zip(BOUNDS) {
            let chess: Chess = fen.parse::<Fen>().unwrap().into_position(CastlingMode::Standard).unwrap();
            for score in [-2999, 0, 17] {
                let record = LessonRecord { chess: chess.clone(), score, bound };
                bytes.extend(record.to_bytes());
                records.push(record);
            }
        }
        assert_eq!(bytes.len(), records.len() * HEADER_SIZE);
        let mut reader = Reader::new(bytes.as_slice());
        for record in &records {
            let read = reader.next_lesson().unwrap().unwrap();
            assert_eq!((read.score, read.bound), (record.score, record.bound));
            assert_eq!(read.chess.halfmoves(), record.chess.halfmoves());
            assert_eq!(&read, record);
        }
        assert!(reader.next_lesson().unwrap().is_none());
        assert!(Reader::new(&bytes[..31]).next_lesson().unwrap_err().to_string().contains("ends inside a lesson"));
        bytes[31] = 0;
        assert!(matches!(Reader::new(bytes.as_slice()).next_lesson(), Err(ReadError::Malformed(_))));
    }
}
