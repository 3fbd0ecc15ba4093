//! Inputs: files and standard input, packed or not, in any common text encoding.
//!
//! - [`expand`]: the names on the command line, including globs that the shell left alone
//! - [`Source`]: one open input; its bytes come out unpacked (gzip, zstd, bzip2) and, if they are UTF-16, as UTF-8
//! - [`read_line`], [`read_part`] and [`lines`]: lines with any ending
//!
//! Other bytes pass unchanged. Packed data are recognized by their first bytes, not by the file's name. Damaged or
//! truncated data end in an error: a reader never takes the beginning of an input for the whole.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};

use indicatif::ProgressBar;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

/// The name that stands for standard input.
pub const STDIN: &str = "-";

/// Bytes examined to distinguish UTF-16 without a byte order mark from other text.
const PROBE: usize = 512;
/// The longest text that is read as a whole, in bytes: a few hundred bytes of packed data may hold gigabytes.
const LONGEST: u64 = 256 << 20;
/// The largest window of zstd data, in bytes: what `zstd -d` takes by default, too.
const ZSTD_WINDOW: u64 = 1 << 27;

/// An input's bytes after unpacking.
pub type Bytes = Box<dyn Read + Send>;

/// Why an input cannot be read. Each message names the input.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// The input cannot be opened or read, or its packed data are damaged, truncated or of an unknown kind.
    #[error("{name}: {source}")]
    Read {
        /// The input, as messages name it.
        name: String,
        /// What is wrong.
        source: io::Error,
    },
    /// The path is a folder.
    #[error("{0}: a folder, not a file")]
    Folder(String),
    /// Standard input is named twice among the inputs.
    #[error("standard input (-) can be read only once")]
    StdinTwice,
    /// The pattern is malformed.
    #[error("{pattern}: {source}")]
    Pattern {
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        source: glob::PatternError,
    },
    /// A folder cannot be searched for files.
    #[error(transparent)]
    Search(#[from] glob::GlobError),
    /// The pattern is not a file and matches none; the pattern.
    #[error("{0}: no such file, and no file matches")]
    NoMatch(String),
}

/// An input that is open but has not been read.
pub struct Source {
    /// The name for messages.
    pub name: String,
    /// Bytes in the file, still packed; 0 if unknown.
    pub size: u64,
    /// Whether it is a file that can be opened again; a stream can be read only once.
    pub is_file: bool,
    raw: Bytes,
}

impl Source {
    /// Opens a file, or standard input for `-`.
    ///
    /// # Errors
    ///
    /// [`InputError::Read`] if the file cannot be opened, [`InputError::Folder`] if it is a folder.
    pub fn open(path: &Path) -> Result<Source, InputError> {
        let name = name(path);
        if path.as_os_str() == STDIN {
            return Ok(Source { name, size: 0, is_file: false, raw: Box::new(io::stdin()) });
        }
        let unread = |source| InputError::Read { name: name.clone(), source };
        let file = match File::open(path) {
            // Windows cannot open a folder.
            Err(_) if path.is_dir() => return Err(InputError::Folder(name)),
            opened => opened.map_err(unread)?,
        };
        let about = file.metadata().map_err(unread)?;
        if about.is_dir() {
            return Err(InputError::Folder(name));
        }
        Ok(Source { name, size: about.len(), is_file: about.is_file(), raw: Box::new(file) })
    }

    /// Lets a progress bar count the bytes of the file as they are read, up to [`Source::size`].
    pub fn watched(self, bar: &ProgressBar) -> Source {
        Source { raw: Box::new(bar.wrap_read(self.raw)), ..self }
    }

    /// Puts a reader between the input and its unpacker.
    pub fn through(self, reader: impl FnOnce(Bytes) -> Bytes) -> Source {
        Source { raw: reader(self.raw), ..self }
    }

    /// The input's text: unpacked, and converted to UTF-8 if it was UTF-16. Reading ends in an error if packed data
    /// are damaged or truncated.
    ///
    /// # Errors
    ///
    /// [`InputError::Read`] if the input cannot be read, or its packing is unknown.
    pub fn text(self) -> Result<Bytes, InputError> {
        decode(self.raw).map_err(|source| InputError::Read { name: self.name, source })
    }
}

/// Opens an input and gives its text (see [`Source::text`]) and the size of its file, 0 if unknown.
///
/// # Errors
///
/// Those of [`Source::open`] and [`Source::text`].
pub fn open(path: &Path) -> Result<(Bytes, u64), InputError> {
    let source = Source::open(path)?;
    let size = source.size;
    Ok((source.text()?, size))
}

/// All of an input's text (see [`Source::text`]).
///
/// # Errors
///
/// [`InputError::Folder`], or [`InputError::Read`] if the file cannot be read, is damaged or cut off, or has more than
/// 256 MiB of text.
pub fn read(path: &Path) -> Result<Vec<u8>, InputError> {
    let (text, size) = open(path)?;
    read_whole(text, size, LONGEST).map_err(|source| InputError::Read { name: name(path), source })
}

/// All bytes of a text whose file has `size`; an error if there are more than `most`.
fn read_whole(text: Bytes, size: u64, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(usize::try_from(size.min(1 << 24)).unwrap_or_default());
    if text.take(most + 1).read_to_end(&mut bytes)? as u64 > most {
        return Err(broken(format!("more than {} MiB of text", most >> 20)));
    }
    Ok(bytes)
}

/// How messages name an input.
pub fn name(path: &Path) -> String {
    if path.as_os_str() == STDIN { "standard input".to_owned() } else { path.display().to_string() }
}

/// The path without the extension of a packer: `games.pgn` for `games.pgn.gz`.
pub fn unpacked_path(path: &Path) -> PathBuf {
    let packed = path.extension().and_then(|e| e.to_str()).is_some_and(|extension| {
        ["gz", "gzip", "zst", "zstd", "bz2", "bzip2"].iter().any(|known| extension.eq_ignore_ascii_case(known))
    });
    if packed { path.with_extension("") } else { path.to_owned() }
}

/// The inputs that the words of a command line mean: a word with `*`, `?` or `[` that is not itself a file stands for
/// all files that it matches, sorted by name.
///
/// # Errors
///
/// [`InputError::NoMatch`] or [`InputError::Pattern`] for a pattern, [`InputError::Search`] if a folder cannot be read,
/// [`InputError::StdinTwice`] if standard input is named twice.
pub fn expand(words: &[PathBuf]) -> Result<Vec<PathBuf>, InputError> {
    let mut paths = Vec::new();
    for word in words {
        let pattern = word.to_str().filter(|text| text.contains(['*', '?', '[']) && !word.exists());
        let Some(pattern) = pattern else {
            if word.as_os_str() == STDIN && paths.contains(word) {
                return Err(InputError::StdinTwice);
            }
            paths.push(word.clone());
            continue;
        };
        let before = paths.len();
        let unmatched = |source| InputError::Pattern { pattern: pattern.to_owned(), source };
        for found in glob::glob(pattern).map_err(unmatched)? {
            let found = found?;
            if !found.is_dir() {
                // A file of this name is not standard input.
                paths.push(if found.as_os_str() == STDIN { Path::new(".").join(found) } else { found });
            }
        }
        if paths.len() == before {
            return Err(InputError::NoMatch(pattern.to_owned()));
        }
    }
    Ok(paths)
}

/// Reads a line, without its end, into `line`, which it clears; ends are LF, CR LF and a CR alone. A line longer than
/// `most` bytes is cut to its first `most + 1` bytes. Returns whether there was a line.
///
/// # Errors
///
/// Those of the input.
pub fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>, most: usize) -> io::Result<bool> {
    let mut part = read_part(input, line, most + 1)?;
    let any = part != Part::End;
    let mut rest = Vec::new();
    while part == Part::Piece {
        part = read_part(input, &mut rest, 1 << 16)?;
    }
    Ok(any)
}

/// What [`read_part`] has read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// As many bytes as requested. The rest of the line, which may be empty, is still to be read.
    Piece,
    /// A line, or the rest of it, and its end.
    Last,
    /// Nothing: the input has ended, and with it any line read in pieces.
    End,
}

/// Reads a line, or the rest of it, without its end, into `part`, which it clears, but at most `most` bytes, which
/// must not be 0. Line ends are LF, CR LF and a CR alone.
///
/// # Errors
///
/// Those of the input.
pub fn read_part(input: &mut impl BufRead, part: &mut Vec<u8>, most: usize) -> io::Result<Part> {
    part.clear();
    loop {
        if part.len() == most {
            return Ok(Part::Piece);
        }
        let bytes = match input.fill_buf() {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if bytes.is_empty() {
            return Ok(if part.is_empty() { Part::End } else { Part::Last });
        }
        let bytes = &bytes[..bytes.len().min(most - part.len())];
        let end = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
        let length = end.unwrap_or(bytes.len());
        part.extend_from_slice(&bytes[..length]);
        let Some(end) = end else {
            input.consume(length);
            continue;
        };
        let return_first = bytes[end] == b'\r';
        input.consume(end + 1);
        // The LF of a CR LF may be in the next block.
        if return_first && next_byte(input)? == Some(b'\n') {
            input.consume(1);
        }
        return Ok(Part::Last);
    }
}

/// The next byte of an input, without consuming it.
fn next_byte(input: &mut impl BufRead) -> io::Result<Option<u8>> {
    loop {
        match input.fill_buf() {
            Ok(bytes) => return Ok(bytes.first().copied()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => (),
            Err(error) => return Err(error),
        }
    }
}

/// The lines of a text without their ends, which are LF, CR LF and a CR alone. Text after the last end is a line, too.
pub fn lines(mut text: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        if text.is_empty() {
            return None;
        }
        let end = text.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(text.len());
        let (line, rest) = text.split_at(end);
        text = rest.strip_prefix(b"\r\n").or_else(|| rest.get(1..)).unwrap_or_default();
        Some(line)
    })
}

/// Unpacks, and converts the encoding.
fn decode(mut raw: Bytes) -> io::Result<Bytes> {
    let start = beginning(&mut raw, 16)?;
    let packing = Packing::of(&start)?;
    let whole = Cursor::new(start).chain(raw);
    let mut plain: Bytes = match packing {
        None => Box::new(whole),
        Some(Packing::Gzip) => Box::new(Named("gzip", flate2::bufread::MultiGzDecoder::new(BufReader::new(whole)))),
        Some(Packing::Bzip2) => Box::new(Named("bzip2", bzip2::bufread::MultiBzDecoder::new(BufReader::new(whole)))),
        Some(Packing::Zstd) => Box::new(Named("zstd", Zstd::new(BufReader::new(whole)))),
    };
    let start = beginning(&mut plain, PROBE)?;
    let order = Utf16Order::of(&start)?;
    let whole = Cursor::new(start).chain(plain);
    Ok(match order {
        None => Box::new(whole),
        Some(order) => Box::new(Utf16::new(BufReader::new(whole), order)),
    })
}

/// The first bytes of an input: `most`, or all if it has fewer; or those up to a line feed that no zero precedes. Such
/// a beginning is neither packed nor UTF-16, and a program that sends a line and waits gets its answer.
fn beginning(input: &mut impl Read, most: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; most];
    let mut length = 0;
    while length < most {
        match input.read(&mut bytes[length..]) {
            Ok(0) => break,
            Ok(read) => length += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        }
        // A line feed as the first byte may be half a character.
        if bytes[1..length].contains(&b'\n') && !bytes[..length].contains(&0) {
            break;
        }
    }
    bytes.truncate(length);
    Ok(bytes)
}

fn broken(what: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.into())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Packing {
    Gzip,
    Zstd,
    Bzip2,
}

impl Packing {
    /// The packing that the first bytes show; an error for one that cannot be unpacked here.
    fn of(start: &[u8]) -> io::Result<Option<Packing>> {
        let bzip2 = |s: &[u8]| {
            let mark = s.get(4..s.len().min(10)).unwrap_or_default();
            s.starts_with(b"BZh")
                && !mark.is_empty()
                && (b"\x31\x41\x59\x26\x53\x59".starts_with(mark) || b"\x17\x72\x45\x38\x50\x90".starts_with(mark))
        };
        // A skippable frame may come first.
        let skippable = matches!(start, [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..]);
        for (magic, what) in [
            (&b"\xFD7zXZ\0"[..], "xz"),
            (b"PK\x03\x04", "zip"),
            (b"7z\xBC\xAF\x27\x1C", "7z"),
            (b"Rar!", "rar"),
            (b"\x04\x22\x4D\x18", "lz4"),
        ] {
            if start.starts_with(magic) {
                return Err(broken(format!(
                    "{what} data, which must be unpacked first (gzip, zstd and bzip2 need not)"
                )));
            }
        }
        Ok(if start.starts_with(b"\x1F\x8B") {
            Some(Packing::Gzip)
        } else if start.starts_with(b"\x28\xB5\x2F\xFD") || skippable {
            Some(Packing::Zstd)
        } else if bzip2(start) {
            Some(Packing::Bzip2)
        } else {
            None
        })
    }
}

/// An unpacker whose errors say what it unpacks.
struct Named<R>(&'static str, R);

impl<R: Read> Read for Named<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.1.read(buffer).map_err(|error| match error.kind() {
            io::ErrorKind::Interrupted => error,
            io::ErrorKind::UnexpectedEof => {
                io::Error::new(error.kind(), format!("the {} data are cut off before their end", self.0))
            }
            kind => io::Error::new(kind, format!("damaged {} data: {error}", self.0)),
        })
    }
}

/// Unpacks zstd frames, one after the other.
struct Zstd<R> {
    source: R,
    decoder: Box<FrameDecoder>,
    in_frame: bool,
}

impl<R: BufRead> Zstd<R> {
    fn new(source: R) -> Zstd<R> {
        let mut decoder = Box::new(FrameDecoder::new());
        decoder.set_max_window_size(ZSTD_WINDOW);
        Zstd { source, decoder, in_frame: false }
    }

    /// An error of the decoder, or of an early end of the input if that is the cause.
    fn error(&mut self, error: &FrameDecoderError) -> io::Error {
        match self.source.fill_buf() {
            Ok([]) => io::ErrorKind::UnexpectedEof.into(),
            _ => broken(error.to_string()),
        }
    }

    /// Begins the next frame; `false` at the end of the input.
    fn begin(&mut self) -> io::Result<bool> {
        while !self.source.fill_buf()?.is_empty() {
            match self.decoder.init(&mut self.source) {
                Ok(()) => return Ok(true),
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                    let length = u64::from(length);
                    if io::copy(&mut self.source.by_ref().take(length), &mut io::sink())? < length {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
                Err(error) => return Err(self.error(&error)),
            }
        }
        Ok(false)
    }
}

impl<R: BufRead> Read for Zstd<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            if !self.in_frame && !self.begin()? {
                return Ok(0);
            }
            self.in_frame = true;
            while self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
                let blocks = BlockDecodingStrategy::UptoBlocks(1);
                if let Err(error) = self.decoder.decode_blocks(&mut self.source, blocks) {
                    return Err(self.error(&error));
                }
            }
            match self.decoder.read(buffer)? {
                0 => {
                    let stored = self.decoder.get_checksum_from_data();
                    if stored.is_some() && stored != self.decoder.get_calculated_checksum() {
                        return Err(broken("the checksum is wrong"));
                    }
                    self.in_frame = false;
                }
                read => return Ok(read),
            }
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Utf16Order {
    Little,
    Big,
}

impl Utf16Order {
    /// The byte order of UTF-16, from its mark or by the zeros of its ASCII characters.
    fn of(start: &[u8]) -> io::Result<Option<Utf16Order>> {
        if start.starts_with(b"\xFF\xFE\0\0") || start.starts_with(b"\0\0\xFE\xFF") {
            return Err(broken("UTF-32 text, which must be converted first (UTF-8 and UTF-16 need not)"));
        }
        if start.starts_with(b"\xFF\xFE") {
            return Ok(Some(Utf16Order::Little));
        }
        if start.starts_with(b"\xFE\xFF") {
            return Ok(Some(Utf16Order::Big));
        }
        let pairs = start.len() / 2;
        let zeros = |half: usize| start.chunks_exact(2).filter(|pair| pair[half] == 0 && pair[1 - half] != 0).count();
        let (first, second) = (zeros(0), zeros(1));
        // A position or a tag is mostly ASCII; an occasional zero does not make UTF-16.
        Ok(if second >= 4 && second * 3 > pairs && first * 10 <= second {
            Some(Utf16Order::Little)
        } else if first >= 4 && first * 3 > pairs && second * 10 <= first {
            Some(Utf16Order::Big)
        } else {
            None
        })
    }
}

/// UTF-16 as UTF-8. Half a character becomes U+FFFD, so that a reader can report it.
struct Utf16<R> {
    source: R,
    order: Utf16Order,
    /// A first byte without its second.
    byte: Option<u8>,
    /// A first surrogate without its second.
    surrogate: Option<u16>,
    /// At the beginning, where a byte order mark may be.
    fresh: bool,
    ready: String,
    given: usize,
}

impl<R: BufRead> Utf16<R> {
    fn new(source: R, order: Utf16Order) -> Utf16<R> {
        Utf16 { source, order, byte: None, surrogate: None, fresh: true, ready: String::new(), given: 0 }
    }

    fn unit(&mut self, unit: u16) {
        let first = std::mem::replace(&mut self.fresh, false);
        if first && unit == 0xFEFF {
            return;
        }
        match (self.surrogate.take(), unit) {
            (Some(high), 0xDC00..0xE000) => {
                self.ready.extend(char::decode_utf16([high, unit]).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)));
                return;
            }
            (Some(_), _) => self.ready.push(char::REPLACEMENT_CHARACTER),
            (None, _) => {}
        }
        match unit {
            // Its second half may follow.
            0xD800..0xDC00 => self.surrogate = Some(unit),
            _ => self.ready.push(char::from_u32(u32::from(unit)).unwrap_or(char::REPLACEMENT_CHARACTER)),
        }
    }

    /// Makes more text ready; it stays empty only at the end.
    fn refill(&mut self) -> io::Result<()> {
        self.ready.clear();
        self.given = 0;
        while self.ready.is_empty() {
            let bytes = self.source.fill_buf()?.to_vec();
            self.source.consume(bytes.len());
            if bytes.is_empty() {
                if self.byte.take().is_some() | self.surrogate.take().is_some() {
                    self.ready.push(char::REPLACEMENT_CHARACTER);
                }
                return Ok(());
            }
            for byte in bytes {
                match (self.byte.take(), self.order) {
                    (None, _) => self.byte = Some(byte),
                    (Some(first), Utf16Order::Little) => self.unit(u16::from_le_bytes([first, byte])),
                    (Some(first), Utf16Order::Big) => self.unit(u16::from_be_bytes([first, byte])),
                }
            }
        }
        Ok(())
    }
}

impl<R: BufRead> Read for Utf16<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.given == self.ready.len() {
            self.refill()?;
        }
        let rest = &self.ready.as_bytes()[self.given..];
        let length = rest.len().min(buffer.len());
        buffer[..length].copy_from_slice(&rest[..length]);
        self.given += length;
        Ok(length)
    }
}

#[cfg(test)]
mod tests;
