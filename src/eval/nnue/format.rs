//! The file of a network. The build script also includes this file, so it uses nothing of the crate but the checksum,
//! which the script has, too.
//!
//! A file is a header of 64 bytes and the weights, all little-endian:
//!
//! | bytes | content |
//! |---|---|
//! | 0..8 | `IBEXNNUE` |
//! | 8..12 | version, 1 |
//! | 12..16 | architecture, 6 |
//! | 16..20 | hidden size |
//! | 20..24 | output buckets |
//! | 24..26, 26..28, 28..30 | quantisation of the hidden layer, of the output layer, and the scale |
//! | 30..32 | zero |
//! | 32..40 | FNV-1a of the weights' bytes |
//! | 40..64 | a name, padded with zeros |
//!
//! The weights are 16-bit: 6912 rows of the hidden layer, its biases, eight rows of the output layer (own view, then
//! the opponent's); then the eight output biases, 32-bit; then, 8-bit, 3840 rows of the threats, each for the first 128
//! neurons, or for all if there are fewer.

use crate::checksum::checksum;

/// The inputs of one view that say which piece stands where, for one king bucket.
pub const PIECE_SQUARES: usize = 768;
/// The king buckets: places of the own king that have inputs of their own.
pub const KING_BUCKETS: usize = 8;
/// The number of inputs of one view: those of every king bucket, and as many again as one bucket has, for the pieces
/// en prise.
pub const INPUTS: usize = (KING_BUCKETS + 1) * PIECE_SQUARES;
/// The number of inputs of one view for threats: one of ten men, own or of the opponent, pawn to queen, is attacked by
/// one of the other side's six kinds on one of 64 squares.
pub const THREATS: usize = 10 * 6 * 64;
/// Threats are inputs of this many neurons, the first ones.
pub const THREATENED: usize = 128;
/// The number of outputs.
pub const OUTPUT_BUCKETS: usize = 8;
/// The integer that stands for 1 in the hidden layer.
pub const QA: i32 = 255;
/// The integer that stands for 1 in the output layer.
pub const QB: i32 = 64;
/// Centipawns for an output of 1.
pub const SCALE: i32 = 400;
/// Weights that are processed together.
pub const BLOCK: usize = 32;

/// The first bytes of a network file.
pub const MAGIC: &[u8; 8] = b"IBEXNNUE";
/// The version of the format.
pub const VERSION: u32 = 1;
/// The architecture: a whole evaluation that sees where the own king stands, which pieces are en prise, and what attacks
/// what. 5, used by ibex-11, had no threats; 3, used by the networks up to ibex-10, had no king buckets either; 1, 2 and
/// 4 were others that never shipped with a release.
pub const ARCHITECTURE: u32 = 6;
/// The size of the header.
pub const HEADER_SIZE: usize = 64;
/// Where the name begins in the header.
const NAME_START: usize = 40;
/// Output weights are at most this, so that their product with a hidden value fits 16 bits.
pub const MAX_OUTPUT_WEIGHT: i16 = 128;
/// The weights of threats are at most this, so that four of them fit 8 bits.
pub const MAX_THREAT_WEIGHT: i8 = 31;
/// Larger hidden layers could overflow the 32-bit sums.
pub const MAX_HIDDEN: usize = 1024;
/// The size of the largest file.
pub const MAX_SIZE: usize = HEADER_SIZE + body_size(MAX_HIDDEN);

/// Why bytes or weights are not a network that this program can use.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NetworkError {
    /// The file is shorter than its header; its size in bytes.
    #[error("{0} bytes are too few")]
    TooShort(usize),
    /// The file does not begin with [`MAGIC`].
    #[error("it does not begin like an Ibex network")]
    Magic,
    /// The version is not [`VERSION`], or the architecture is not [`ARCHITECTURE`].
    #[error(
        "it has version {version} and architecture {architecture}, but this Ibex reads {VERSION} and {ARCHITECTURE}: \
         use a network that was made for it"
    )]
    Unknown {
        /// The version of the format.
        version: u32,
        /// The number of the architecture.
        architecture: u32,
    },
    /// The hidden size is 0, too large, or not a multiple of two blocks.
    #[error("hidden size {0} is not a multiple of {step} up to {MAX_HIDDEN}", step = 2 * BLOCK)]
    HiddenSize(usize),
    /// The number of output buckets is not [`OUTPUT_BUCKETS`].
    #[error("{0} output buckets where {OUTPUT_BUCKETS} are expected")]
    OutputBuckets(u32),
    /// The weights are quantised by numbers other than [`QA`], [`QB`] and [`SCALE`].
    #[error("it is quantised by {}, {} and {}", .0[0], .0[1], .0[2])]
    Quantisation([i32; 3]),
    /// The file does not have the size that its header promises.
    #[error("{found} bytes of weights where {expected} are expected")]
    Length {
        /// Bytes after the header.
        found: usize,
        /// Bytes that the header promises.
        expected: usize,
    },
    /// The weights do not have the checksum of the header.
    #[error("its checksum is wrong: the file is damaged")]
    Checksum,
    /// This number of weights does not make a hidden layer of this size.
    #[error("{count} weights do not make a hidden layer of {hidden}")]
    WeightCount {
        /// The number of weights.
        count: usize,
        /// The hidden size.
        hidden: usize,
    },
    /// An output weight is larger than [`MAX_OUTPUT_WEIGHT`]; the first such weight.
    #[error("an output weight of {0} is too large")]
    OutputWeight(i16),
    /// The weight of a threat is larger than [`MAX_THREAT_WEIGHT`]; the first such weight.
    #[error("the weight {0} of a threat is too large")]
    ThreatWeight(i8),
}

/// The content of a network file.
#[derive(Clone, Debug)]
pub struct Contents {
    /// The name in the header.
    pub name: String,
    /// The size of the hidden layer, which has passed [`check`].
    pub hidden: usize,
    /// Feature rows, hidden biases, output rows.
    pub weights: Vec<i16>,
    /// The biases of the outputs.
    pub output_biases: [i32; OUTPUT_BUCKETS],
    /// The rows of threats.
    pub threats: Vec<i8>,
}

impl Contents {
    /// The rows of threats; those of a smaller hidden layer are filled up with zeros.
    pub fn threat_rows(&self) -> impl Iterator<Item = [i8; THREATENED]> {
        self.threats.chunks_exact(threatened(self.hidden)).map(|row| {
            let mut whole = [0; THREATENED];
            whole[..row.len()].copy_from_slice(row);
            whole
        })
    }
}

/// The number of neurons that threats reach in a hidden layer of this size, from the first one on.
pub const fn threatened(hidden: usize) -> usize {
    if hidden < THREATENED { hidden } else { THREATENED }
}

/// The number of 16-bit weights of a network with this hidden layer.
pub const fn weight_count(hidden: usize) -> usize {
    (INPUTS + 1 + 2 * OUTPUT_BUCKETS) * hidden
}

/// The bytes after the header of a network with this hidden layer.
const fn body_size(hidden: usize) -> usize {
    2 * weight_count(hidden) + 4 * OUTPUT_BUCKETS + THREATS * threatened(hidden)
}

/// Checks the size of a hidden layer.
///
/// # Errors
///
/// [`NetworkError::HiddenSize`].
pub fn check_hidden(hidden: usize) -> Result<(), NetworkError> {
    if hidden == 0 || !hidden.is_multiple_of(2 * BLOCK) || hidden > MAX_HIDDEN {
        return Err(NetworkError::HiddenSize(hidden));
    }
    Ok(())
}

/// Checks weights.
///
/// # Errors
///
/// [`NetworkError::HiddenSize`], [`NetworkError::WeightCount`], [`NetworkError::OutputWeight`] or
/// [`NetworkError::ThreatWeight`].
pub fn check(contents: &Contents) -> Result<(), NetworkError> {
    let Contents { hidden, ref weights, ref threats, .. } = *contents;
    check_hidden(hidden)?;
    for (count, expected) in [(weights.len(), weight_count(hidden)), (threats.len(), THREATS * threatened(hidden))] {
        if count != expected {
            return Err(NetworkError::WeightCount { count, hidden });
        }
    }
    if let Some(&large) = threats.iter().find(|weight| weight.unsigned_abs() > MAX_THREAT_WEIGHT.unsigned_abs()) {
        return Err(NetworkError::ThreatWeight(large));
    }
    let outputs = &weights[(INPUTS + 1) * hidden..];
    match outputs.iter().find(|weight| weight.unsigned_abs() > MAX_OUTPUT_WEIGHT.unsigned_abs()) {
        Some(&large) => Err(NetworkError::OutputWeight(large)),
        None => Ok(()),
    }
}

/// Reads the bytes of a network file.
///
/// # Errors
///
/// The first [`NetworkError`] of the header, of the weights' size and checksum, and of the weights.
pub fn read(bytes: &[u8]) -> Result<Contents, NetworkError> {
    let Some((header, body)) = bytes.split_at_checked(HEADER_SIZE) else {
        return Err(NetworkError::TooShort(bytes.len()));
    };
    let word = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| header[at + i]));
    let half = |at: usize| i32::from(u16::from_le_bytes([header[at], header[at + 1]]));
    if !header.starts_with(MAGIC) {
        return Err(NetworkError::Magic);
    }
    if (word(8), word(12)) != (VERSION, ARCHITECTURE) {
        return Err(NetworkError::Unknown { version: word(8), architecture: word(12) });
    }
    let hidden = word(16) as usize;
    check_hidden(hidden)?;
    if word(20) as usize != OUTPUT_BUCKETS {
        return Err(NetworkError::OutputBuckets(word(20)));
    }
    let quantisation = [half(24), half(26), half(28)];
    if quantisation != [QA, QB, SCALE] {
        return Err(NetworkError::Quantisation(quantisation));
    }
    let expected = body_size(hidden);
    if body.len() != expected {
        return Err(NetworkError::Length { found: body.len(), expected });
    }
    if checksum(body) != u64::from(word(32)) | u64::from(word(36)) << 32 {
        return Err(NetworkError::Checksum);
    }
    let (halves, words) = body.split_at(2 * weight_count(hidden));
    let weights: Vec<i16> = halves.chunks_exact(2).map(|b| i16::from_le_bytes([b[0], b[1]])).collect();
    let (words, threats) = words.split_at(4 * OUTPUT_BUCKETS);
    let mut output_biases = [0; OUTPUT_BUCKETS];
    for (bias, b) in output_biases.iter_mut().zip(words.chunks_exact(4)) {
        *bias = i32::from_le_bytes([b[0], b[1], b[2], b[3]]);
    }
    let name = header[NAME_START..].split(|&b| b == 0).next().unwrap_or_default();
    let name = String::from_utf8_lossy(name).into_owned();
    let threats = threats.iter().map(|&byte| byte as i8).collect();
    let contents = Contents { name, hidden, weights, output_biases, threats };
    check(&contents)?;
    Ok(contents)
}

/// Writes the bytes of a network file.
pub fn write(contents: &Contents) -> Vec<u8> {
    let mut body = Vec::with_capacity(body_size(contents.hidden));
    body.extend(contents.weights.iter().flat_map(|weight| weight.to_le_bytes()));
    body.extend(contents.output_biases.iter().flat_map(|bias| bias.to_le_bytes()));
    body.extend(contents.threats.iter().map(|&weight| weight as u8));
    let mut bytes = Vec::with_capacity(HEADER_SIZE + body.len());
    bytes.extend(MAGIC);
    for word in [VERSION, ARCHITECTURE, contents.hidden as u32, OUTPUT_BUCKETS as u32] {
        bytes.extend(word.to_le_bytes());
    }
    for half in [QA, QB, SCALE, 0] {
        bytes.extend((half as u16).to_le_bytes());
    }
    bytes.extend(checksum(&body).to_le_bytes());
    bytes.extend(contents.name.bytes().chain(std::iter::repeat(0)).take(HEADER_SIZE - NAME_START));
    bytes.append(&mut body);
    bytes
}
