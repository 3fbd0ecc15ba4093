//! A network in memory.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::{fs, io};

use super::format::{self, BLOCK, Contents, INPUTS, NetworkError, OUTPUT_BUCKETS, QA, QB, SCALE, threatened};
use super::simd::{Arithmetic, Block, HiddenLayer, Kernel, ThreatRow};

/// Why a network file cannot be loaded. Each message names the file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The name of the hand-written evaluation, which earlier versions had.
    #[error("there is no hand-written evaluation any more: EvalFile takes the file of a network")]
    HandWritten,
    /// The file cannot be read.
    #[error("cannot read network {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's message.
        source: io::Error,
    },
    /// The path is a folder, a device or a pipe. Reading a device may never end, and reading a pipe may never begin.
    #[error("cannot read network {}: it is not a file", .0.display())]
    NotAFile(PathBuf),
    /// The file is larger than any network: it must not fill the memory before its first bytes show what it is.
    #[error("network {} does not fit: {size} bytes are too many", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its size in bytes.
        size: u64,
    },
    /// The file is not a network that this program can use.
    #[error("network {} does not fit: {source}", path.display())]
    Network {
        /// The file.
        path: PathBuf,
        /// The fault.
        source: NetworkError,
    },
}

/// A network, ready to evaluate.
#[derive(Clone, Debug)]
pub struct Network {
    name: String,
    hidden: usize,
    /// Feature rows, hidden biases, output rows, back to back.
    weights: Cow<'static, [Block]>,
    output_biases: [i32; OUTPUT_BUCKETS],
    /// The rows of threats.
    threats: Cow<'static, [ThreatRow]>,
    kernel: Kernel,
}

/// The weights of each input to the hidden layer.
#[derive(Clone, Copy)]
pub(super) struct InputRows<'a> {
    blocks: &'a [Block],
    /// Blocks in a row.
    width: usize,
}

impl<'a> InputRows<'a> {
    /// The weights of one input.
    #[inline(always)]
    pub fn row(self, input: usize) -> &'a [Block] {
        let start = input * self.width;
        &self.blocks[start..start + self.width]
    }
}

mod embedded {
    use super::{Block, ThreatRow};

    // Written by build.rs, which has checked the network: NAME, HIDDEN, OUTPUT_BIASES, and the WEIGHTS and
    // THREATS, aligned and in the target's byte order.
    include!(concat!(env!("OUT_DIR"), "/network.rs"));
}

impl Network {
    /// The network that the program carries.
    pub fn embedded() -> Arc<Network> {
        static EMBEDDED: OnceLock<Arc<Network>> = OnceLock::new();
        let network = || {
            Arc::new(Network {
                name: embedded::NAME.to_owned(),
                hidden: embedded::HIDDEN,
                weights: Cow::Borrowed(&embedded::WEIGHTS),
                output_biases: embedded::OUTPUT_BIASES,
                threats: Cow::Borrowed(&embedded::THREATS),
                kernel: Kernel::best(),
            })
        };
        Arc::clone(EMBEDDED.get_or_init(network))
    }

    /// Reads a network file.
    ///
    /// # Errors
    ///
    /// [`LoadError::Read`] if the file cannot be read, [`LoadError::NotAFile`] if it is not an ordinary file,
    /// [`LoadError::TooLarge`] if it is larger than any network, and [`LoadError::Network`] if it is not a network
    /// that fits this program.
    pub fn load(path: &Path) -> Result<Network, LoadError> {
        let unread = |source| LoadError::Read { path: path.to_owned(), source };
        let metadata = fs::metadata(path).map_err(unread)?;
        if !metadata.is_file() {
            return Err(LoadError::NotAFile(path.to_owned()));
        }
        if metadata.len() > format::MAX_SIZE as u64 {
            return Err(LoadError::TooLarge { path: path.to_owned(), size: metadata.len() });
        }
        let bytes = fs::read(path).map_err(unread)?;
        let mut network =
            Network::from_bytes(&bytes).map_err(|source| LoadError::Network { path: path.to_owned(), source })?;
        // As when it is embedded: a network goes by the name of its file, whatever its header says.
        network.name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Ok(network)
    }

    /// Takes a network from a file's bytes.
    ///
    /// # Errors
    ///
    /// The first [`NetworkError`] of the header, of the weights' size and checksum, and of the weights.
    pub fn from_bytes(bytes: &[u8]) -> Result<Network, NetworkError> {
        format::read(bytes).map(Network::of)
    }

    /// A network from contents that have been checked.
    fn of(contents: Contents) -> Network {
        let blocks = contents.weights.chunks_exact(BLOCK);
        Network {
            weights: Cow::Owned(blocks.map(|chunk| Block(std::array::from_fn(|i| chunk[i]))).collect()),
            threats: Cow::Owned(contents.threat_rows().map(ThreatRow).collect()),
            name: contents.name,
            hidden: contents.hidden,
            output_biases: contents.output_biases,
            kernel: Kernel::best(),
        }
    }

    /// A network of these weights.
    ///
    /// # Errors
    ///
    /// Those of [`format::check`].
    pub fn new(contents: Contents) -> Result<Network, NetworkError> {
        format::check(&contents)?;
        Ok(Network::of(contents))
    }

    /// The bytes of a file that holds this network.
    pub fn to_bytes(&self) -> Vec<u8> {
        format::write(&self.contents())
    }

    /// What [`Network::new`] takes.
    pub fn contents(&self) -> Contents {
        Contents {
            name: self.name.clone(),
            hidden: self.hidden,
            weights: self.weights.iter().flat_map(|block| block.0).collect(),
            output_biases: self.output_biases,
            threats: self.threats.iter().flat_map(|row| &row.0[..threatened(self.hidden)]).copied().collect(),
        }
    }

    /// The network's name.
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

    /// The rows of all inputs, for a caller who may know the width, in blocks, when it is compiled.
    #[inline(always)]
    pub(super) fn rows(&self, width: usize) -> InputRows<'_> {
        InputRows { blocks: &self.weights, width }
    }

    /// The rows of all threats.
    #[inline(always)]
    pub(super) fn threats(&self) -> &[ThreatRow] {
        &self.threats
    }

    /// The hidden layer's biases.
    pub(super) fn biases(&self) -> &[Block] {
        self.rows(self.width()).row(INPUTS)
    }

    /// The value of both views' hidden layers in centipawns, for the side whose view comes first. They have `width`
    /// blocks.
    #[inline(always)]
    pub(super) fn output(
        &self,
        own: HiddenLayer<'_>,
        other: HiddenLayer<'_>,
        bucket: usize,
        width: usize,
        arithmetic: impl Arithmetic,
    ) -> i32 {
        let start = (INPUTS + 1 + 2 * bucket) * width;
        let (own_weights, other_weights) = self.weights[start..start + 2 * width].split_at(width);
        let sum = arithmetic.screlu_dot(own, own_weights) + arithmetic.screlu_dot(other, other_weights);
        // The sum carries the factor QA twice and QB once.
        let value = sum + i64::from(self.output_biases[bucket]) * i64::from(QA);
        rounded_quotient(value * i64::from(SCALE), i64::from(QA * QA * QB)) as i32
    }
}

/// The nearest whole number to a quotient, halves away from zero. The divisor is positive.
#[inline(always)]
fn rounded_quotient(dividend: i64, divisor: i64) -> i64 {
    (dividend + dividend.signum() * (divisor / 2)) / divisor
}
