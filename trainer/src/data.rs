//! Packed positions: 32 bytes each, in the format of the crate `bulletformat`, which the usual GPU trainers read.

use std::fs::{self, File};
use std::io::{BufReader, BufWriter, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use terminal::{CommandError, trouble};

use bulletformat::ChessBoard;
use ibex::checksum;
use ibex::eval::nnue::features::{FeatureView, output_bucket};
use ibex::position::attacks::{AttackMaps, by_role, en_prise, threats};
use ibex::position::{Board, Position};
use shakmaty::{CastlingMode, Chess, Color, FromSetup as _, Piece, Role, Setup, Square};
use terminal::outputs::{self, is_locked, is_still};

/// The size of a packed position.
pub const SIZE: usize = 32;

/// The most threats of a position: each of the thirty men that are not kings may be attacked by six kinds.
const MOST_THREATS: usize = 180;

/// The inputs that a position activates, for both views, and the output that evaluates it.
pub struct Inputs {
    /// How many there are.
    count: usize,
    /// The view of the side to move: every piece, then those en prise again.
    own: [u16; 64],
    /// The view of the opponent.
    other: [u16; 64],
    /// How many threats there are.
    threat_count: usize,
    /// The threats in the same views.
    threats: [[u16; MOST_THREATS]; 2],
    /// The output.
    pub bucket: usize,
}

impl Inputs {
    /// The views of the side to move and of the opponent.
    pub fn views(&self) -> [&[u16]; 2] {
        [&self.own[..self.count], &self.other[..self.count]]
    }

    /// The threats in the views of the side to move and of the opponent.
    pub fn threats(&self) -> [&[u16]; 2] {
        self.threats.each_ref().map(|threats| &threats[..self.threat_count])
    }
}

/// The piece of a packed code, with the side to move as White.
fn piece(code: u8) -> Piece {
    let role =
        [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen, Role::King][usize::from(code & 7).min(5)];
    role.of(Color::from_white(code & 8 == 0))
}

/// The inputs of a packed position, by the engine's own definition.
pub fn inputs(packed: &ChessBoard) -> Inputs {
    let view = |color, king: u8| FeatureView::new(color, Square::new(u32::from(king & 63)));
    // The opponent's king is packed from the opponent's view.
    let (white, black) = (view(Color::White, packed.ksq), view(Color::Black, packed.opp_ksq ^ 56));
    let mut inputs =
        Inputs { count: 0, own: [0; 64], other: [0; 64], threat_count: 0, threats: [[0; MOST_THREATS]; 2], bucket: 0 };
    let mut push = |own: usize, other: usize| {
        inputs.own[inputs.count] = own as u16;
        inputs.other[inputs.count] = other as u16;
        inputs.count += 1;
    };
    let board = board(packed);
    for square in board.occupied() {
        let piece = board.code_at(square);
        push(white.input(piece, square), black.input(piece, square));
    }
    let attacks = [Color::Black, Color::White].map(|side| by_role(&board, side));
    for square in en_prise(&board, &AttackMaps::of_roles(&attacks)) {
        let piece = board.code_at(square);
        push(white.en_prise_input(piece, square), black.en_prise_input(piece, square));
    }
    for (attacker, squares) in (1..).zip(threats(&board, &attacks)) {
        for square in squares {
            let victim = board.code_at(square);
            for (threats, view) in inputs.threats.iter_mut().zip([white, black]) {
                threats[inputs.threat_count] = view.threat(attacker, victim, square) as u16;
            }
            inputs.threat_count += 1;
        }
    }
    inputs.bucket = output_bucket(board.occupied().count());
    inputs
}

/// The pieces of a packed position, with the side to move as White.
pub fn board(packed: &ChessBoard) -> Board {
    let mut board = Board::empty();
    for (code, square) in *packed {
        board.put(piece(code).into(), Square::new(u32::from(square & 63)));
    }
    board
}

/// A packed position as the engine's type, White to move; castling rights are not packed. `None` if it is not legal.
pub fn position(packed: &ChessBoard) -> Option<Position> {
    let mut setup = Setup::empty();
    setup.board = (&board(packed)).into();
    setup.turn = Color::White;
    Chess::from_setup(setup, CastlingMode::Standard).ok().as_ref().map(Position::from_chess)
}

fn to_bytes(p: &ChessBoard) -> [u8; SIZE] {
    let mut bytes = [0; SIZE];
    bytes[..8].copy_from_slice(&p.occ.to_le_bytes());
    bytes[8..24].copy_from_slice(&p.pcs);
    bytes[24..26].copy_from_slice(&p.score.to_le_bytes());
    bytes[26..].copy_from_slice(&[p.result, p.ksq, p.opp_ksq, p.extra[0], p.extra[1], p.extra[2]]);
    bytes
}

/// A packed position, if the bytes are plausible.
fn from_bytes(bytes: &[u8]) -> Option<ChessBoard> {
    let p = ChessBoard {
        occ: u64::from_le_bytes(bytes.get(..8)?.try_into().ok()?),
        pcs: bytes.get(8..24)?.try_into().ok()?,
        score: i16::from_le_bytes([bytes[24], bytes[25]]),
        result: bytes[26],
        ksq: bytes[27],
        opp_ksq: bytes[28],
        extra: [bytes[29], bytes[30], bytes[31]],
    };
    let kings = |code: u8| {
        let mut squares = p.into_iter().filter(|&(c, _)| c == code).map(|(_, square)| square);
        (squares.next(), squares.next())
    };
    let sound = (2..=32).contains(&p.occ.count_ones())
        && p.result <= 2
        && p.into_iter().all(|(code, _)| code & 7 <= 5)
        && kings(5) == (Some(p.ksq), None)
        && kings(13) == (Some(p.opp_ksq ^ 56), None);
    sound.then_some(p)
}

/// Reads a file of packed positions.
///
/// # Errors
///
/// One line: it cannot be read, is empty, or holds something else.
pub fn read(path: &Path) -> Result<Vec<ChessBoard>, CommandError> {
    let file = PackedFile::open(path)?;
    let mut positions = Vec::with_capacity(file.count);
    file.append_to(&mut positions)?;
    Ok(positions)
}

/// A file of packed positions, open but not read: its count gives the memory needed.
#[derive(Debug)]
pub struct PackedFile {
    path: PathBuf,
    file: File,
    /// How many positions it has, at least 1.
    pub count: usize,
}

impl PackedFile {
    /// Opens a file.
    ///
    /// # Errors
    ///
    /// One line: it cannot be opened, is not an ordinary file, is empty, or is not a whole number of positions.
    pub fn open(path: &Path) -> Result<PackedFile, CommandError> {
        let shown = path.display();
        let (file, size) = open_file(path)?;
        if size == 0 {
            return Err(trouble!("{shown} holds no positions"));
        }
        match usize::try_from(size) {
            Ok(bytes) if bytes.is_multiple_of(SIZE) => {
                Ok(PackedFile { path: path.to_owned(), file, count: bytes / SIZE })
            }
            _ => Err(trouble!("{shown} is truncated or not a file of packed positions: {size} bytes")),
        }
    }

    /// Checks that the file still has its name, and has not been replaced by another one.
    ///
    /// # Errors
    ///
    /// One line that names the file.
    pub fn must_be_still_there(&self) -> Result<(), CommandError> {
        if is_still(&self.file, &self.path) {
            return Ok(());
        }
        Err(trouble!("{} has just been replaced or removed, perhaps by another packing", self.path.display()))
    }

    /// Appends its positions, without another copy of them in memory.
    ///
    /// # Errors
    ///
    /// One line: it cannot be read, or holds something else.
    pub fn append_to(self, positions: &mut Vec<ChessBoard>) -> Result<(), CommandError> {
        let shown = self.path.display();
        let mut input = BufReader::with_capacity(1 << 20, self.file);
        let mut bytes = [0; SIZE];
        for index in 0..self.count {
            input.read_exact(&mut bytes).map_err(|error| trouble!("cannot read {shown}: {error}"))?;
            positions.push(from_bytes(&bytes).ok_or_else(|| trouble!("{shown}: position {index} is impossible"))?);
        }
        Ok(())
    }
}

/// Opens an ordinary file; also returns its size. A device may have no end, and a pipe no beginning.
///
/// # Errors
///
/// One line: it cannot be opened, or is something else.
pub fn open_file(path: &Path) -> Result<(File, u64), CommandError> {
    let unopened = |error| CommandError::from(error).about(format_args!("cannot open {}", path.display()));
    // Before it is opened, because opening a pipe waits for its other end.
    if !fs::metadata(path).map_err(unopened)?.is_file() {
        return Err(trouble!("{} is not a file", path.display()));
    }
    let file = File::open(path).map_err(unopened)?;
    let size = file.metadata().map_err(unopened)?.len();
    Ok((file, size))
}

/// The checksum of packed positions in their order.
pub fn checksum(positions: &[ChessBoard]) -> u64 {
    positions.iter().fold(checksum::checksum(&[]), |sum, position| checksum::checksum_on(sum, &to_bytes(position)))
}

/// Writes a file of packed positions; under its name it is either whole or absent.
///
/// # Errors
///
/// One line: a system call fails.
pub fn write(path: &Path, positions: &[ChessBoard]) -> Result<(), CommandError> {
    replace(path, |output| positions.iter().try_for_each(|position| output.write_all(&to_bytes(position))))
}

/// A path with another extension added.
pub fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// The file with the positions to validate with.
pub fn validation_file(path: &Path) -> PathBuf {
    with_ending(path, ".val")
}

/// Writes a file under an unused name, and moves it into place when it is whole. A link stays, and its target is
/// replaced.
///
/// # Errors
///
/// One line: a system call fails; nothing is left behind.
pub fn replace(path: &Path, fill: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<(), CommandError> {
    let written = outputs::write_with(path, |file| {
        let mut output = BufWriter::with_capacity(1 << 20, file);
        fill(&mut output)?;
        output.flush()
    });
    written.map_err(|error| trouble!("cannot write {error}"))
}

/// The file that a name leads to, or the name if there is no file.
pub fn behind_links(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// Removes a file, if it is there.
///
/// # Errors
///
/// One line: a system call fails.
pub fn remove(path: &Path) -> Result<(), CommandError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(trouble!("cannot remove {}: {error}", path.display())),
        _ => Ok(()),
    }
}

/// Keeps other trainings and packings away from the files of this one as long as the lock exists.
#[derive(Debug)]
pub struct Lock {
    path: PathBuf,
    _file: File,
}

impl Lock {
    /// Locks a file, which is created for that and removed afterwards.
    ///
    /// # Errors
    ///
    /// One line: another training or packing is at work, the file cannot be created, or it is not a lock: a lock left
    /// by a kill is empty.
    pub fn take(path: PathBuf) -> Result<Lock, CommandError> {
        let shown = path.display();
        if !outputs::is_for_file(&path) {
            return Err(trouble!("{shown} is not a lock: it is not a file; choose another name"));
        }
        loop {
            // Windows cannot lock a file that is opened only to append.
            let opened = File::options().write(true).create(true).truncate(false).open(&path);
            let file = opened.map_err(|error| trouble!("cannot open {shown}: {error}"))?;
            let size = file.metadata().map_err(|error| trouble!("cannot read {shown}: {error}"))?.len();
            // It would be removed at the end.
            if size > 0 {
                return Err(trouble!("{shown} is not a lock: it is not empty; choose another name or remove it"));
            }
            let locked = is_locked(file.try_lock(), &path, "only one training or packing may write the same files");
            if !locked.map_err(|error| trouble!("cannot lock {shown}: {error}"))? {
                return Err(trouble!("{shown}: another training or packing is at work"));
            }
            // The previous holder of the lock may have removed the file that was opened.
            if is_still(&file, &path) {
                return Ok(Lock { path, _file: file });
            }
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // While the lock is held: that of the next holder must not be removed.
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use ibex::eval::nnue::features::{INPUTS, THREATS};
    use ibex::eval::nnue::format::Contents;
    use ibex::eval::nnue::{Accumulators, Network};
    use ibex::random::Random;
    use std::sync::Arc;

    /// A folder for one test.
    pub fn scratch_folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("ibex-trainer-{name}-{}", std::process::id()));
        // A failed run with the same process number may have left one.
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    /// A packed position.
    pub fn packed(position: &Position, score: i16, half_points: u8) -> ChessBoard {
        crate::pack::pack(&position.to_chess(), score, half_points)
    }

    #[test]
    fn packed_positions_are_read_back_and_foreign_bytes_refused() {
        let p = packed(&Position::startpos(), -77, 2);
        assert_eq!(from_bytes(&to_bytes(&p)), Some(p));
        assert_eq!(inputs(&p).count, 32);
        assert_eq!(board(&p), *Position::startpos().board());
        let mut damaged = to_bytes(&p);
        damaged[8] = 0xFF;
        assert_eq!(from_bytes(&damaged), None);
        assert_eq!(from_bytes(&[0; SIZE]), None);
    }

    #[test]
    fn a_lock_keeps_others_away_while_it_lives() {
        let folder = scratch_folder("lock");
        let path = folder.join("out.lock");
        let held = Lock::take(path.clone()).unwrap();
        let error = Lock::take(path.clone()).unwrap_err();
        assert!(error.to_string().ends_with("out.lock: another training or packing is at work"), "{error}");
        drop(held);
        assert!(!path.exists(), "nothing is left behind");
        // What a kill leaves does not lock.
        fs::write(&path, "").unwrap();
        drop(Lock::take(path.clone()).unwrap());
        // Nor is another file of such a name a lock.
        fs::write(&path, "[[package]]").unwrap();
        assert!(Lock::take(path.clone()).unwrap_err().to_string().contains("out.lock is not a lock"));
        assert_eq!(fs::read(&path).unwrap(), b"[[package]]");
        assert!(Lock::take(folder.join("no/out.lock")).unwrap_err().to_string().starts_with("cannot open "));
        fs::remove_dir_all(&folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_and_a_neighbour_is_left_alone() {
        let folder = scratch_folder("link");
        let (file, link, neighbour) = (folder.join("far"), folder.join("near"), folder.join("near.tmp"));
        fs::write(&file, "old").unwrap();
        fs::write(&neighbour, "mine").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        replace(&link, |output| output.write_all(b"new")).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!((fs::read(&file).unwrap(), fs::read(&neighbour).unwrap()), (b"new".to_vec(), b"mine".to_vec()));
        assert!(
            replace(&link, |_| Err(std::io::Error::other("full"))).unwrap_err().to_string().ends_with("near: full")
        );
        assert_eq!((fs::read(&file).unwrap(), fs::read_dir(&folder).unwrap().count()), (b"new".to_vec(), 3));
        fs::remove_dir_all(&folder).unwrap();
    }

    /// Sums of distinct powers would not fit, but random rows serve as well: equal sums mean equal sets of inputs.
    #[test]
    fn the_trainer_sees_what_the_engine_sees() {
        let hidden = 64;
        let mut random = Random::new(4);
        let values: Vec<i16> = (0..(INPUTS + 1 + 16) * hidden).map(|_| random.below(181) as i16 - 90).collect();
        let threats: Vec<i8> = (0..THREATS * hidden).map(|_| random.below(63) as i8 - 31).collect();
        let contents = Contents {
            name: "test".into(),
            hidden,
            weights: values.clone(),
            output_biases: [0; 8],
            threats: threats.clone(),
        };
        let network = Arc::new(Network::new(contents).unwrap());
        let mut position = Position::startpos();
        for _ in 0..500 {
            let moves = position.legal_moves();
            if moves.is_empty() || position.is_insufficient_material() {
                position = Position::startpos();
                continue;
            }
            position.play(moves[random.below(moves.len())]);
            let inputs = inputs(&packed(&position, 0, 1));
            let mut sum = 0i64;
            for (half, (set, threatened)) in inputs.views().into_iter().zip(inputs.threats()).enumerate() {
                for neuron in 0..hidden {
                    let row = |input: usize| i64::from(values[input * hidden + neuron]);
                    let threat = |&input: &u16| i64::from(threats[usize::from(input) * hidden + neuron]);
                    let value: i64 = row(INPUTS)
                        + set.iter().map(|&i| row(usize::from(i))).sum::<i64>()
                        + threatened.iter().map(threat).sum::<i64>();
                    let weight = i64::from(values[(INPUTS + 1 + 2 * inputs.bucket + half) * hidden + neuron]);
                    sum += value.clamp(0, 255).pow(2) * weight;
                }
            }
            let expected = (sum as f64 * 400.0 / (255.0 * 255.0 * 64.0)).round().clamp(-5000.0, 5000.0);
            let mut accumulators = Accumulators::new(Arc::clone(&network));
            accumulators.reset(&position);
            assert_eq!(f64::from(accumulators.evaluate(&position)), expected, "{}", position.fen());
        }
    }
}
