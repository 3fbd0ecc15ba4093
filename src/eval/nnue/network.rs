//! The weights, in a file and in memory.
//!
//! A file is a header of 64 bytes and the weights, all little-endian:
//!
//! | bytes | content |
//! |---|---|
//! | 0..8 | `IBEXNNUE` |
//! | 8..12 | version, 1 |
//! | 12..16 | architecture: 1; 1 more for a correction of the hand-written evaluation, 2 more with inputs for pieces en prise |
//! | 16..20 | hidden size |
//! | 20..24 | output buckets |
//! | 24..26, 26..28, 28..30 | quantisation of the hidden layer, of the output layer, and the scale |
//! | 30..32 | zero |
//! | 32..40 | FNV-1a of the weights' bytes |
//! | 40..64 | a name, filled up with zeros |
//!
//! The weights are 16-bit: 768 rows of the hidden layer, or 1536 with the inputs for pieces en prise, its biases, eight
//! rows of the output layer (own view, then the opponent's); then the eight output biases, 32-bit.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::{fs, io};

use super::features::{INPUTS, OUTPUT_BUCKETS, PIECES};
use super::simd::{BLOCK, Block, Kernel};
use super::units::{QA, QB, SCALE};

/// The first bytes of a network file.
pub const MAGIC: &[u8; 8] = b"IBEXNNUE";
/// The version of the format.
pub const VERSION: u32 = 1;
/// The architectures begin with this number.
const ARCHITECTURE: u32 = 1;
/// Added for a network whose output is added to the hand-written evaluation: it has learned what that gets wrong.
const RESIDUAL: u32 = 1;
/// Added for a network that sees which pieces are en prise.
const EN_PRISE: u32 = 2;
/// The size of the header.
pub const HEADER_SIZE: usize = 64;
/// Output weights are at most this, so that their product with a hidden value fits 16 bits.
pub const MAX_OUTPUT_WEIGHT: i16 = 128;
/// Larger hidden layers could overflow the 32-bit sums.
pub const MAX_HIDDEN: usize = 1024;

/// Why bytes or weights are no network that this program can use.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NetworkError {
    /// The file is shorter than its header; its size in bytes.
    #[error("{0} bytes are too few")]
    TooShort(usize),
    /// The file does not begin with [`MAGIC`].
    #[error("it does not begin like a network of Ibex")]
    Magic,
    /// The version is not [`VERSION`], or the architecture is unknown.
    #[error("version {version} and architecture {architecture} are unknown")]
    Unknown {
        /// The version of the format.
        version: u32,
        /// The number of the architecture.
        architecture: u32,
    },
    /// The hidden size is 0, too large, or no multiple of two blocks.
    #[error("hidden size {0} is no multiple of {step} up to {MAX_HIDDEN}", step = 2 * BLOCK)]
    HiddenSize(usize),
    /// The number of output buckets is not [`OUTPUT_BUCKETS`].
    #[error("{0} output buckets where {OUTPUT_BUCKETS} are expected")]
    OutputBuckets(u32),
    /// The weights are quantised by other numbers than [`QA`], [`QB`] and [`SCALE`].
    #[error("it is quantised by {}, {} and {}", .0[0], .0[1], .0[2])]
    Quantisation([i32; 3]),
    /// The file does not have the size that its header promises.
    #[error("{found} bytes of weights where {expected} are expected")]
    Length {
        /// Bytes behind the header.
        found: usize,
        /// Bytes that the header promises.
        expected: usize,
    },
    /// The weights do not have the checksum of the header.
    #[error("its checksum is wrong: the file is damaged")]
    Checksum,
    /// So many weights do not make a hidden layer of this size.
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
}

/// Why a network file cannot be loaded. Each message names the file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The file cannot be read.
    #[error("cannot read network {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The path is a folder, a device or a pipe. A device may have no end, and a pipe no beginning.
    #[error("cannot read network {}: it is no file", .0.display())]
    NotAFile(PathBuf),
    /// The file is no network that this program can use.
    #[error("network {} does not fit: {source}", path.display())]
    Network {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: NetworkError,
    },
}

/// A network, ready to evaluate.
#[derive(Clone, Debug)]
pub struct Network {
    name: String,
    hidden: usize,
    residual: bool,
    /// Whether it sees which pieces are en prise; without, those inputs' weights are zero.
    en_prise: bool,
    /// Feature rows, hidden biases, output rows, back to back.
    weights: Cow<'static, [Block]>,
    output_biases: [i32; OUTPUT_BUCKETS],
    kernel: Kernel,
}

/// A hidden layer, and rows to be added to it.
pub(super) type Layer<'a> = (&'a [Block], &'a [&'a [Block]]);

/// 64 bits of FNV-1a.
pub fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xCBF2_9CE4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3))
}

/// How many 16-bit weights a network with this hidden layer has.
const fn weight_count(hidden: usize) -> usize {
    (INPUTS + 1 + 2 * OUTPUT_BUCKETS) * hidden
}

#[cfg(has_network)]
mod embedded {
    use super::Block;

    // Written by build.rs, which has checked the network: NAME, HIDDEN, RESIDUAL, OUTPUT_BIASES, and the WEIGHTS, aligned
    // and in the target's byte order.
    include!(concat!(env!("OUT_DIR"), "/network.rs"));
}

impl Network {
    /// The network that the program carries; none if it was built without.
    pub fn embedded() -> Option<Arc<Network>> {
        static EMBEDDED: OnceLock<Option<Arc<Network>>> = OnceLock::new();
        let network = || {
            #[cfg(has_network)]
            return Some(Arc::new(Network {
                name: embedded::NAME.to_owned(),
                hidden: embedded::HIDDEN,
                residual: embedded::RESIDUAL,
                en_prise: true,
                weights: Cow::Borrowed(&embedded::WEIGHTS),
                output_biases: embedded::OUTPUT_BIASES,
                kernel: Kernel::best(),
            }));
            #[cfg(not(has_network))]
            None
        };
        EMBEDDED.get_or_init(network).clone()
    }

    /// Reads a network file.
    ///
    /// # Errors
    ///
    /// [`LoadError::Read`] if the file cannot be read, [`LoadError::NotAFile`] if it is no ordinary file, and
    /// [`LoadError::Network`] if it is no network that fits this program.
    pub fn load(path: &Path) -> Result<Network, LoadError> {
        let unread = |source| LoadError::Read { path: path.to_owned(), source };
        if !fs::metadata(path).map_err(unread)?.is_file() {
            return Err(LoadError::NotAFile(path.to_owned()));
        }
        let bytes = fs::read(path).map_err(unread)?;
        let mut network =
            Network::from_bytes(&bytes).map_err(|source| LoadError::Network { path: path.to_owned(), source })?;
        // As where it is embedded: a file is known by its name, whatever its header says.
        network.name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Ok(network)
    }

    /// Takes a network from a file's bytes.
    ///
    /// # Errors
    ///
    /// The first [`NetworkError`] of the header, of the weights' size and checksum, and of the weights.
    pub fn from_bytes(bytes: &[u8]) -> Result<Network, NetworkError> {
        let Some((header, weights)) = bytes.split_at_checked(HEADER_SIZE) else {
            return Err(NetworkError::TooShort(bytes.len()));
        };
        let word = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| header[at + i]));
        let half = |at: usize| i32::from(u16::from_le_bytes([header[at], header[at + 1]]));
        if !header.starts_with(MAGIC) {
            return Err(NetworkError::Magic);
        }
        let architecture = word(12).checked_sub(ARCHITECTURE).filter(|&more| more <= RESIDUAL | EN_PRISE);
        let (VERSION, Some(architecture)) = (word(8), architecture) else {
            return Err(NetworkError::Unknown { version: word(8), architecture: word(12) });
        };
        let hidden = word(16) as usize;
        if hidden == 0 || !hidden.is_multiple_of(2 * BLOCK) || hidden > MAX_HIDDEN {
            return Err(NetworkError::HiddenSize(hidden));
        }
        if word(20) as usize != OUTPUT_BUCKETS {
            return Err(NetworkError::OutputBuckets(word(20)));
        }
        let quantisation = [half(24), half(26), half(28)];
        if quantisation != [QA, QB, SCALE] {
            return Err(NetworkError::Quantisation(quantisation));
        }
        let en_prise = architecture & EN_PRISE != 0;
        let unseen = if en_prise { 0 } else { (INPUTS - PIECES) * hidden };
        let halves = 2 * (weight_count(hidden) - unseen);
        let expected = halves + 4 * OUTPUT_BUCKETS;
        if weights.len() != expected {
            return Err(NetworkError::Length { found: weights.len(), expected });
        }
        if checksum(weights) != u64::from(word(32)) | u64::from(word(36)) << 32 {
            return Err(NetworkError::Checksum);
        }
        let (halves, words) = weights.split_at(halves);
        let mut values: Vec<i16> = halves.chunks_exact(2).map(|b| i16::from_le_bytes([b[0], b[1]])).collect();
        let end_of_pieces = PIECES * hidden;
        values.splice(end_of_pieces..end_of_pieces, std::iter::repeat_n(0, unseen));
        let mut output_biases = [0; OUTPUT_BUCKETS];
        for (bias, b) in output_biases.iter_mut().zip(words.chunks_exact(4)) {
            *bias = i32::from_le_bytes([b[0], b[1], b[2], b[3]]);
        }
        let end = header[40..].iter().position(|&b| b == 0).unwrap_or(HEADER_SIZE - 40);
        let name = String::from_utf8_lossy(&header[40..40 + end]).into_owned();
        let network = Network::new(name, hidden, &values, output_biases)?.as_residual(architecture & RESIDUAL != 0);
        Ok(Network { en_prise, ..network })
    }

    /// The same weights as a correction of the hand-written evaluation, or as the whole evaluation.
    #[must_use]
    pub fn as_residual(mut self, residual: bool) -> Network {
        self.residual = residual;
        self
    }

    /// Whether the output is to be added to the hand-written evaluation.
    pub fn is_residual(&self) -> bool {
        self.residual
    }

    /// Whether it sees which pieces are en prise.
    pub fn sees_en_prise(&self) -> bool {
        self.en_prise
    }

    /// A network of these weights: feature rows, hidden biases, output rows.
    ///
    /// # Errors
    ///
    /// [`NetworkError::WeightCount`] if there are too many or too few weights, [`NetworkError::OutputWeight`] if an output
    /// weight is larger than [`MAX_OUTPUT_WEIGHT`].
    pub fn new(
        name: String,
        hidden: usize,
        values: &[i16],
        output_biases: [i32; OUTPUT_BUCKETS],
    ) -> Result<Network, NetworkError> {
        if values.len() != weight_count(hidden) || !hidden.is_multiple_of(2 * BLOCK) || hidden > MAX_HIDDEN {
            return Err(NetworkError::WeightCount { count: values.len(), hidden });
        }
        let outputs = &values[(INPUTS + 1) * hidden..];
        if let Some(&large) = outputs.iter().find(|w| w.unsigned_abs() > MAX_OUTPUT_WEIGHT.unsigned_abs()) {
            return Err(NetworkError::OutputWeight(large));
        }
        let weights = values.chunks_exact(BLOCK).map(|chunk| Block(std::array::from_fn(|i| chunk[i]))).collect();
        Ok(Network {
            name,
            hidden,
            residual: false,
            en_prise: true,
            weights: Cow::Owned(weights),
            output_biases,
            kernel: Kernel::best(),
        })
    }

    /// The bytes of a file that holds this network.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut weights = Vec::with_capacity(2 * weight_count(self.hidden) + 4 * OUTPUT_BUCKETS);
        let (pieces, more) = self.weights.split_at(PIECES * self.width());
        let unseen = if self.en_prise { 0 } else { (INPUTS - PIECES) * self.width() };
        for block in pieces.iter().chain(&more[unseen..]) {
            weights.extend(block.0.iter().flat_map(|w| w.to_le_bytes()));
        }
        weights.extend(self.output_biases.iter().flat_map(|b| b.to_le_bytes()));
        let mut bytes = Vec::with_capacity(HEADER_SIZE + weights.len());
        bytes.extend(MAGIC);
        let flag = |is: bool, flag: u32| if is { flag } else { 0 };
        let architecture = ARCHITECTURE + flag(self.residual, RESIDUAL) + flag(self.en_prise, EN_PRISE);
        for word in [VERSION, architecture, self.hidden as u32, OUTPUT_BUCKETS as u32] {
            bytes.extend(word.to_le_bytes());
        }
        for half in [QA, QB, SCALE, 0] {
            bytes.extend((half as u16).to_le_bytes());
        }
        bytes.extend(checksum(&weights).to_le_bytes());
        bytes.extend(self.name.bytes().chain(std::iter::repeat(0)).take(HEADER_SIZE - 40));
        bytes.append(&mut weights);
        bytes
    }

    /// What [`Network::new`] takes: feature rows, hidden biases and output rows, then the output biases.
    pub fn weights(&self) -> (Vec<i16>, [i32; OUTPUT_BUCKETS]) {
        (self.weights.iter().flat_map(|block| block.0).collect(), self.output_biases)
    }

    /// What the network calls itself.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The size of the hidden layer.
    pub fn hidden(&self) -> usize {
        self.hidden
    }

    /// The arithmetic in use.
    pub fn kernel(&self) -> Kernel {
        self.kernel
    }

    /// The same network with another arithmetic, for comparing them.
    #[must_use]
    pub fn with_kernel(mut self, kernel: Kernel) -> Network {
        self.kernel = kernel;
        self
    }

    /// Blocks in a hidden layer.
    pub(super) fn width(&self) -> usize {
        self.hidden / BLOCK
    }

    /// What an input adds to the hidden layer.
    #[inline]
    pub(super) fn feature(&self, input: usize) -> &[Block] {
        let width = self.width();
        &self.weights[input * width..(input + 1) * width]
    }

    /// The hidden layer's biases.
    pub(super) fn biases(&self) -> &[Block] {
        self.feature(INPUTS)
    }

    /// The value of two hidden layers in centipawns, for the side whose view comes first; each with rows to be added to it.
    #[inline]
    pub(super) fn output(&self, own: Layer, other: Layer, bucket: usize) -> i32 {
        let width = self.width();
        let start = (INPUTS + 1 + 2 * bucket) * width;
        let (own_weights, other_weights) = self.weights[start..start + 2 * width].split_at(width);
        let sum =
            self.kernel.activate(own.0, own.1, own_weights) + self.kernel.activate(other.0, other.1, other_weights);
        // The sum carries the hidden layer's one twice and the output layer's once.
        let value = sum / i64::from(QA) + i64::from(self.output_biases[bucket]);
        (value * i64::from(SCALE) / i64::from(QA * QB)) as i32
    }
}
