//! The files of tablebases: which ones a folder holds, whether they are what they claim to be, and how they are read.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

#[cfg(any(unix, windows))]
use shakmaty_syzygy::filesystem::OsFilesystem as System;
use shakmaty_syzygy::filesystem::{Filesystem, RandomAccessFile, ReadHint};

/// The table files of a folder, in order of their names.
pub fn table_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "rtbw" || extension == "rtbz") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Whether two paths lead to one file.
pub fn is_same(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

/// Checks the four bytes with which every table begins.
pub fn check_magic(path: &Path) -> io::Result<()> {
    let expected: [u8; 4] = if path.extension().is_some_and(|extension| extension == "rtbw") {
        [0x71, 0xE8, 0x23, 0x5D]
    } else {
        [0xD7, 0x66, 0x0C, 0xA5]
    };
    let mut magic = [0; 4];
    File::open(path)?.read_exact(&mut magic)?;
    if magic == expected { Ok(()) } else { Err(io::Error::new(io::ErrorKind::InvalidData, "not a Syzygy table")) }
}

/// The operating system's files; small ones are read once and kept: a probe of an ending of four men then costs no
/// system call.
#[derive(Default)]
pub struct SmallInMemory {
    os: System,
}

/// Files up to this size are kept in memory; all tables of up to four men together are a few of these.
const SMALL: u64 = 1 << 20;

impl Filesystem for SmallInMemory {
    fn regular_file_size(&self, path: &Path) -> io::Result<u64> {
        self.os.regular_file_size(path)
    }

    fn read_dir(&self, path: &Path) -> io::Result<Vec<PathBuf>> {
        self.os.read_dir(path)
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn RandomAccessFile>> {
        if self.os.regular_file_size(path)? <= SMALL {
            Ok(Box::new(InMemory(std::fs::read(path)?)))
        } else {
            self.os.open(path)
        }
    }
}

struct InMemory(Vec<u8>);

impl RandomAccessFile for InMemory {
    fn read_at(&self, buffer: &mut [u8], offset: u64, _: ReadHint) -> io::Result<usize> {
        let rest = usize::try_from(offset).ok().and_then(|offset| self.0.get(offset..)).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }
}

/// The files of a system that cannot read from an offset, such as WebAssembly's: each is read whole.
#[cfg(not(any(unix, windows)))]
#[derive(Default)]
struct System;

#[cfg(not(any(unix, windows)))]
impl Filesystem for System {
    fn regular_file_size(&self, path: &Path) -> io::Result<u64> {
        let metadata = path.metadata()?;
        if metadata.is_file() { Ok(metadata.len()) } else { Err(io::ErrorKind::InvalidInput.into()) }
    }

    fn read_dir(&self, path: &Path) -> io::Result<Vec<PathBuf>> {
        std::fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect()
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn RandomAccessFile>> {
        Ok(Box::new(InMemory(std::fs::read(path)?)))
    }
}
