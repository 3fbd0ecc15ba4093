//! Standard input and pipes, which may be silent for hours: an interruption ends the wait for them.

use std::io::{self, ErrorKind, Read};
use std::thread;

use crossbeam_channel::{Receiver, Sender, select};

use terminal::inputs::Bytes;
use terminal::interrupt;

/// The most bytes that are read at once.
const BLOCK: usize = 1 << 16;
/// The most blocks that wait.
const AHEAD: usize = 4;

/// A stream that a thread of its own reads.
pub(super) struct Stream {
    blocks: Receiver<io::Result<Vec<u8>>>,
    block: Vec<u8>,
    /// How much of the block has been delivered.
    given: usize,
}

impl Stream {
    /// Begins to read `source`. The thread ends with the source, or with the program. If the system provides no
    /// thread, the first read returns the error.
    pub fn new(source: Bytes) -> Stream {
        let (sender, blocks) = crossbeam_channel::bounded(AHEAD);
        let failures = sender.clone();
        if let Err(error) = thread::Builder::new().spawn(move || read(source, &sender)) {
            _ = failures.send(Err(error));
        }
        Stream { blocks, block: Vec::new(), given: 0 }
    }
}

fn read(mut source: Bytes, sender: &Sender<io::Result<Vec<u8>>>) {
    let mut block = vec![0; BLOCK];
    loop {
        let read = match source.read(&mut block) {
            Ok(0) => return,
            Ok(length) => Ok(block[..length].to_vec()),
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => Err(error),
        };
        let failed = read.is_err();
        if sender.send(read).is_err() || failed {
            return;
        }
    }
}

impl Read for Stream {
    /// An interruption of the run is an error here: a running search is not waited for either.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.given == self.block.len() {
            let next = select! {
                recv(self.blocks) -> next => next,
                // `ErrorKind::Interrupted` would mean: try again.
                recv(interrupt::stop()) -> _ => return Err(io::Error::other("interrupted")),
            };
            match next {
                Ok(block) => (self.block, self.given) = (block?, 0),
                Err(_) => return Ok(0),
            }
        }
        let rest = &self.block[self.given..];
        let length = rest.len().min(buffer.len());
        buffer[..length].copy_from_slice(&rest[..length]);
        self.given += length;
        Ok(length)
    }
}
