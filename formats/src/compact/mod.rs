//! Games on disk in half of the bytes that viriformat takes after xz, and nothing lost.
//!
//! A file is [`MAGIC`], then blocks. A block is the number of its games (4 bytes, little-endian), the length of its
//! words in bytes (4), their checksum (8), and the words of a range coder. Each block begins with a model that has
//! seen no game, so it can be read by itself.
//!
//! Sources: the range coder is that of the crate `constriction`; the manner of mixing predictions is that of
//! Mahoney, "Adaptive Weighing of Context Models for Lossless Data Compression", 2005.

mod bits;
mod model;

use std::ffi::OsStr;
use std::io::{self, Read, Write};
use std::path::Path;

use constriction::stream::queue::{DefaultRangeDecoder, DefaultRangeEncoder};
use ibex::checksum::checksum;

use crate::games::{GameRecord, ReadError, malformed};
use model::Model;

/// The first bytes of a file. No file of viriformat begins so: it would have 36 men.
pub const MAGIC: [u8; 8] = *b"IBEX\xff\xff\xff\x01";
/// The extension of the files.
pub const EXTENSION: &str = "ibg";
/// The games of a block: enough for the model to learn from, in few megabytes.
const GAMES: u32 = 1 << 16;
/// The bytes of a block before its words.
const BLOCK_HEADER: usize = 16;

/// Whether a file of this name is to be compact.
pub fn is_name(path: &Path) -> bool {
    path.extension() == Some(OsStr::new(EXTENSION))
}

/// Writes games.
pub struct CompactWriter<W> {
    output: W,
    model: Model,
    encoder: DefaultRangeEncoder,
    games: u32,
}

impl<W: Write> CompactWriter<W> {
    /// Begins a file.
    ///
    /// # Errors
    ///
    /// Those of the output.
    pub fn new(mut output: W) -> io::Result<CompactWriter<W>> {
        output.write_all(&MAGIC)?;
        Ok(CompactWriter { output, model: Model::new(), encoder: DefaultRangeEncoder::new(), games: 0 })
    }

    /// Adds a game.
    ///
    /// # Errors
    ///
    /// Those of the output; or the game has too many plies for the format.
    pub fn write(&mut self, game: &GameRecord) -> io::Result<()> {
        self.model.game(&mut self.encoder, Some(game)).map_err(io::Error::other)?;
        self.games += 1;
        if self.games == GAMES { self.end_block() } else { Ok(()) }
    }

    /// Ends the file, and returns the output.
    ///
    /// # Errors
    ///
    /// Those of the output.
    pub fn finish(mut self) -> io::Result<W> {
        if self.games > 0 {
            self.end_block()?;
        }
        Ok(self.output)
    }

    fn end_block(&mut self) -> io::Result<()> {
        let Ok(words) = std::mem::take(&mut self.encoder).into_compressed();
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let length = u32::try_from(bytes.len()).map_err(io::Error::other)?;
        self.output.write_all(&self.games.to_le_bytes())?;
        self.output.write_all(&length.to_le_bytes())?;
        self.output.write_all(&checksum(&bytes).to_le_bytes())?;
        self.output.write_all(&bytes)?;
        (self.model, self.games) = (Model::new(), 0);
        Ok(())
    }
}

/// Reads games one after the other, checking every block and every move.
pub struct CompactReader<R> {
    input: R,
    block: Option<(DefaultRangeDecoder, Model)>,
    /// Games left in the block.
    games: u32,
}

impl<R: Read> CompactReader<R> {
    /// Reads from `input`, which should be buffered, and stands after [`MAGIC`].
    pub fn new(input: R) -> CompactReader<R> {
        CompactReader { input, block: None, games: 0 }
    }

    /// The next game; `None` at the end of the file.
    ///
    /// # Errors
    ///
    /// If the file ends inside a block, cannot be read, or holds something that is not a game.
    pub fn next_game(&mut self) -> Result<Option<GameRecord>, ReadError> {
        if self.games == 0 && !self.next_block()? {
            return Ok(None);
        }
        let Some((decoder, model)) = &mut self.block else { return Ok(None) };
        self.games -= 1;
        model.game(decoder, None).map(Some)
    }

    /// Reads a block, unless the file has ended.
    fn next_block(&mut self) -> Result<bool, ReadError> {
        let mut header = Vec::with_capacity(BLOCK_HEADER);
        self.input.by_ref().take(BLOCK_HEADER as u64).read_to_end(&mut header)?;
        let Ok(header) = <[u8; BLOCK_HEADER]>::try_from(header.as_slice()) else {
            return if header.is_empty() { Ok(false) } else { Err(ReadError::Truncated) };
        };
        let number = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| header[at + i]));
        let (games, length) = (number(0), number(4));
        if games == 0 || games > GAMES {
            return malformed(format!("a block of {games} games, not 1 to {GAMES}"));
        }
        let mut bytes = Vec::new();
        self.input.by_ref().take(u64::from(length)).read_to_end(&mut bytes)?;
        if bytes.len() < length as usize {
            return Err(ReadError::Truncated);
        }
        if checksum(&bytes) != u64::from_le_bytes(std::array::from_fn(|i| header[8 + i])) {
            return malformed("a block that is damaged: its checksum differs");
        }
        let words = bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
        let Ok(decoder) = DefaultRangeDecoder::from_compressed(words.collect::<Vec<_>>());
        (self.block, self.games) = (Some((decoder, Model::new())), games);
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::tests::random_record;
    use crate::games::{GameResult, Step};
    use ibex::position::Position;
    use ibex::random::Random;

    fn written(games: &[GameRecord]) -> Vec<u8> {
        let mut writer = CompactWriter::new(Vec::new()).unwrap();
        games.iter().for_each(|game| writer.write(game).unwrap());
        writer.finish().unwrap()
    }

    fn read(bytes: &[u8]) -> Result<Vec<GameRecord>, ReadError> {
        let mut reader = CompactReader::new(bytes.strip_prefix(&MAGIC).expect("a compact file"));
        std::iter::from_fn(|| reader.next_game().transpose()).collect()
    }

    /// Random games with scores of every kind: none, and the least and the greatest.
    fn games() -> Vec<GameRecord> {
        let mut random = Random::new(11);
        let mut games: Vec<GameRecord> = (0..300).map(|index| random_record(&mut random, index)).collect();
        for game in &mut games {
            for step in &mut game.steps {
                match random.below(4) {
                    0 => step.score = Step::NO_SCORE,
                    1 => step.score = [i16::MIN, i16::MAX - 1, 0, -1][random.below(4)],
                    _ => {}
                }
            }
        }
        games
    }

    #[test]
    fn games_come_back_unchanged() {
        let games = games();
        assert!(games.iter().any(|game| game.steps.is_empty()), "a game without a move is among them");
        let bytes = written(&games);
        assert!(read(&bytes).unwrap() == games);
        assert!(read(&written(&[])).unwrap().is_empty());
    }

    #[test]
    fn every_block_is_read_by_itself() {
        let start = Position::startpos().to_chess();
        let game = GameRecord { start, steps: vec![], result: GameResult::Draw };
        let bytes = written(&vec![game; GAMES as usize + 3]);
        assert_eq!(read(&bytes).unwrap().len(), GAMES as usize + 3);
        let length = u32::from_le_bytes(std::array::from_fn(|i| bytes[MAGIC.len() + 4 + i])) as usize;
        let rest = [&MAGIC, &bytes[MAGIC.len() + BLOCK_HEADER + length..]].concat();
        assert_eq!(read(&rest).unwrap().len(), 3);
    }

    #[test]
    fn damage_is_found() {
        let bytes = written(&games());
        for cut in [MAGIC.len() + 1, MAGIC.len() + BLOCK_HEADER - 1, bytes.len() / 2, bytes.len() - 1] {
            assert!(matches!(read(&bytes[..cut]), Err(ReadError::Truncated)), "{cut}");
        }
        for place in [MAGIC.len() + 8, MAGIC.len() + BLOCK_HEADER, bytes.len() - 1] {
            let mut damaged = bytes.clone();
            damaged[place] ^= 16;
            let error = read(&damaged).unwrap_err().to_string();
            assert_eq!(error, "a block that is damaged: its checksum differs", "{place}");
        }
        let mut none = bytes;
        none[MAGIC.len()..MAGIC.len() + 4].fill(0);
        assert_eq!(read(&none).unwrap_err().to_string(), "a block of 0 games, not 1 to 65536");
    }

    /// A file may be made to harm: its checksum is right, and its words are anybody's.
    #[test]
    fn words_that_no_encoder_wrote_are_games_or_errors() {
        let mut random = Random::new(12);
        for _ in 0..200 {
            let words: Vec<u8> = (0..4 * random.below(200)).map(|_| random.below(256) as u8).collect();
            let header = [5u32.to_le_bytes(), (words.len() as u32).to_le_bytes()].concat();
            let bytes = [&MAGIC[..], &header, &checksum(&words).to_le_bytes(), &words].concat();
            if let Err(error) = read(&bytes) {
                assert!(matches!(error, ReadError::Malformed(_)), "{error}");
            }
        }
    }
}
