//! The data of a training: files of packed positions, the share of each that an epoch takes, and their order.

use std::ops::Range;
use std::path::PathBuf;
use terminal::{CommandError, trouble};

use bulletformat::ChessBoard;
use ibex::checksum::checksum_on;
use ibex::random::Random;

use crate::checkpoint;
use crate::data::{self, PackedFile, validation_file};

/// A file of positions, and the share of it that an epoch takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    /// Its name.
    pub file: PathBuf,
    /// The share of its positions that an epoch takes, above 0.
    pub share: f64,
}

impl Source {
    /// Reads `FILE` or `FILE:SHARE`.
    ///
    /// # Errors
    ///
    /// One line: the share is invalid.
    pub fn parse(text: &str) -> Result<Source, String> {
        // A name may contain a colon.
        let (file, share) = match text.rsplit_once(':') {
            Some((file, share)) if share.parse::<f64>().is_ok() => (file, checkpoint::share(share)?.into()),
            _ => (text, 1.0),
        };
        if share == 0.0 {
            return Err("nothing is learned from a share of 0".to_owned());
        }
        Ok(Source { file: file.into(), share })
    }
}

/// The files of a training, all opened before the first is read, so that their contents come from one packing.
#[derive(Debug)]
pub struct DataFiles {
    training: Vec<PackedFile>,
    /// Lessons from inside searches have no validation file.
    validation: Vec<PackedFile>,
}

impl DataFiles {
    /// Opens them.
    ///
    /// # Errors
    ///
    /// One line: a file cannot be opened, or a packing is just replacing it.
    pub fn open(sources: &[Source]) -> Result<DataFiles, CommandError> {
        let training = open_training(sources)?;
        let mut validation = Vec::new();
        for source in sources {
            let file = validation_file(&source.file);
            if file.exists() || sources.len() == 1 {
                validation.push(PackedFile::open(&file)?);
            }
        }
        let files = DataFiles { training, validation };
        files.check()?;
        Ok(files)
    }

    /// Checks that no packing has replaced a file in between. A packing removes the training positions first and
    /// writes them last, so if they still have their name, they belong to the other files.
    fn check(&self) -> Result<(), CommandError> {
        self.training.iter().try_for_each(PackedFile::must_be_still_there)
    }

    /// Reads everything: the training set, and the validation set.
    ///
    /// # Errors
    ///
    /// One line: a file cannot be read, there are too many positions, or none for validation.
    pub fn read(self, sources: &[Source]) -> Result<(TrainingSet, Vec<ChessBoard>), CommandError> {
        let set = TrainingSet::read(sources, self.training)?;
        let mut validation = Vec::with_capacity(self.validation.iter().map(|file| file.count).sum());
        self.validation.into_iter().try_for_each(|file| file.append_to(&mut validation))?;
        if validation.is_empty() {
            return Err(trouble!("there are no positions to validate with"));
        }
        Ok((set, validation))
    }
}

/// Opens the files of training positions.
fn open_training(sources: &[Source]) -> Result<Vec<PackedFile>, CommandError> {
    sources.iter().map(|source| PackedFile::open(&source.file)).collect()
}

/// The training set: the positions of all files, one file after the other.
pub struct TrainingSet {
    /// All positions.
    pub positions: Vec<ChessBoard>,
    parts: Vec<Part>,
}

/// The positions of one file among all.
#[derive(Clone, Debug, PartialEq)]
struct Part {
    /// Their indices.
    places: Range<u32>,
    /// How many of them an epoch takes.
    taken: usize,
}

impl TrainingSet {
    /// # Errors
    ///
    /// One line: a file cannot be read, or there are too many positions.
    fn read(sources: &[Source], files: Vec<PackedFile>) -> Result<TrainingSet, CommandError> {
        let all = files.iter().map(|file| file.count).sum();
        let place = |index: usize| u32::try_from(index).map_err(|_| trouble!("more than four billion positions"));
        place(all)?;
        // Allocates everything at once: a growing list has its old and its new copy in memory together.
        let mut set = TrainingSet { positions: Vec::with_capacity(all), parts: Vec::new() };
        for (source, file) in sources.iter().zip(files) {
            let (start, count) = (set.positions.len(), file.count);
            file.append_to(&mut set.positions)?;
            let taken = ((count as f64 * source.share).round() as usize).max(1);
            set.parts.push(Part { places: place(start)?..place(set.positions.len())?, taken });
        }
        Ok(set)
    }

    /// How many positions an epoch takes.
    pub fn per_epoch(&self) -> usize {
        self.parts.iter().map(|part| part.taken).sum()
    }

    /// A number that identifies the positions, their order and the shares; never 0.
    pub fn fingerprint(&self) -> u64 {
        let words = |part: &Part| [part.places.start.into(), part.places.end.into(), part.taken as u64];
        let add = |sum, word: u64| checksum_on(sum, &word.to_le_bytes());
        self.parts.iter().flat_map(words).fold(data::checksum(&self.positions), add).max(1)
    }

    /// The positions of an epoch in its order, which is independent of earlier epochs, so that training can be
    /// resumed.
    pub fn order(&self, seed: u64, epoch: u64) -> Vec<u32> {
        let mut random = Random::of_part(seed, epoch);
        let mut order = Vec::with_capacity(self.per_epoch());
        for Part { places, taken } in &self.parts {
            if *taken == places.len() {
                order.extend(places.clone());
            } else {
                let mut all: Vec<u32> = places.clone().collect();
                random.shuffle(&mut all);
                order.extend(&all[..*taken]);
            }
        }
        random.shuffle(&mut order);
        order
    }
}

#[cfg(test)]
pub mod tests {
    use std::fs;
    use std::path::Path;

    use ibex::position::Position;

    use super::*;
    use crate::data::tests::scratch_folder;

    /// Positions of random games, scored by counting pieces: something learnable.
    pub fn lessons(count: usize) -> Vec<ChessBoard> {
        let mut random = Random::new(8);
        let mut position = Position::startpos();
        let mut lessons = Vec::new();
        while lessons.len() < count {
            let moves = position.legal_moves();
            if moves.is_empty() || position.is_insufficient_material() {
                position = Position::startpos();
                continue;
            }
            position.play(moves[random.below(moves.len())]);
            let worth = |color: shakmaty::Color| {
                let m = shakmaty::Board::from(position.board()).material_side(color);
                i16::from(m.pawn) + 3 * i16::from(m.knight + m.bishop) + 5 * i16::from(m.rook) + 9 * i16::from(m.queen)
            };
            let score = 100 * (worth(shakmaty::Color::White) - worth(shakmaty::Color::Black));
            lessons.push(data::tests::packed(&position, score.clamp(-1000, 1000), 1));
        }
        lessons
    }

    fn parts<const N: usize>(parts: [(Range<u32>, usize); N]) -> Vec<Part> {
        parts.into_iter().map(|(places, taken)| Part { places, taken }).collect()
    }

    pub fn source(file: &Path, share: f64) -> Source {
        Source { file: file.to_owned(), share }
    }

    #[test]
    fn a_source_is_a_file_and_a_share() {
        let parsed = |text| Source::parse(text).map(|s| (s.file.display().to_string(), s.share));
        assert_eq!(parsed("a/b"), Ok(("a/b".to_owned(), 1.0)));
        assert_eq!(parsed("a:b:0.25"), Ok(("a:b".to_owned(), 0.25)));
        assert_eq!(parsed("c:\\games"), Ok(("c:\\games".to_owned(), 1.0)));
        assert!(parsed("a:1.5").is_err() && parsed("a:0").is_err());
    }

    #[test]
    fn each_epoch_takes_a_new_share_of_every_file() {
        let positions = lessons(1200);
        let training = TrainingSet { positions, parts: parts([(0..1000, 250), (1000..1200, 200)]) };
        let [first, second] = [1, 2].map(|epoch| training.order(7, epoch));
        assert_eq!(training.per_epoch(), 450);
        for order in [&first, &second] {
            let places: std::collections::BTreeSet<u32> = order.iter().copied().collect();
            assert_eq!((order.len(), places.len()), (450, 450), "none twice");
            assert_eq!(places.range(1000..).count(), 200);
        }
        let common = first.iter().filter(|place| **place < 1000 && second.contains(place)).count();
        assert!(common < 100, "{common} of 250 again");
        assert_eq!(first, training.order(7, 1));
    }

    #[test]
    fn a_training_and_its_validation_are_of_one_packing() {
        let folder = scratch_folder("one-packing");
        let file = folder.join("data");
        let positions = lessons(400);
        let pack = |learned: Range<usize>, validated: Range<usize>| {
            fs::remove_file(&file).unwrap_or_default();
            data::write(&validation_file(&file), &positions[validated]).unwrap();
            data::write(&file, &positions[learned]).unwrap();
        };
        pack(0..300, 300..400);
        // A packing that completes after the files are opened and before they are read.
        let sources = [source(&file, 1.0)];
        let files = DataFiles::open(&sources).unwrap();
        pack(100..400, 0..100);
        let error = files.check().unwrap_err();
        assert!(
            error.to_string().ends_with("data has just been replaced or removed, perhaps by another packing"),
            "{error}"
        );
        let (set, validation) = files.read(&sources).unwrap();
        assert!(set.positions == positions[..300] && validation == positions[300..], "both of the first");
        // A packing at work has removed the file.
        fs::remove_file(&file).unwrap();
        assert!(DataFiles::open(&sources).unwrap_err().to_string().contains("cannot open "));
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn files_are_read_into_one_place_without_room_to_spare() {
        let folder = scratch_folder("room");
        let files = ["a", "b", "c"].map(|name| folder.join(name));
        let positions = lessons(1200);
        for (file, range) in files.iter().zip([0..1000, 1000..1100, 1100..1200]) {
            data::write(file, &positions[range]).unwrap();
        }
        let sources = files.map(|file| source(&file, 0.5));
        let set = TrainingSet::read(&sources, open_training(&sources).unwrap()).unwrap();
        assert_eq!(set.positions, positions);
        assert_eq!(set.positions.capacity(), 1200);
        assert_eq!(set.parts, parts([(0..1000, 500), (1000..1100, 50), (1100..1200, 50)]));
        fs::remove_dir_all(&folder).unwrap();
    }
}
