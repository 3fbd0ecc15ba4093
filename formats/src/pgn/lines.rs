//! The input, line by line: any line ending, numbered, one line in memory.

use std::io::{self, BufRead};

/// A longer line is not text.
const LONGEST: usize = 16 << 20;

/// Lines of a reader.
pub(super) struct Lines<R> {
    input: R,
    /// The current line's number, from 1.
    pub number: usize,
}

impl<R: BufRead> Lines<R> {
    pub fn new(input: R) -> Lines<R> {
        Lines { input, number: 0 }
    }

    /// Reads the next line with its ending (LF, CR LF or CR) into `line`; `false` at the end of the input.
    pub fn next(&mut self, line: &mut Vec<u8>) -> io::Result<bool> {
        line.clear();
        loop {
            let ahead = self.input.fill_buf()?;
            if ahead.is_empty() {
                break;
            }
            let end = ahead.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            let length = end.map_or(ahead.len(), |end| end + 1);
            line.extend(&ahead[..length]);
            self.input.consume(length);
            if end.is_some() {
                if line.last() == Some(&b'\r') && self.input.fill_buf()?.first() == Some(&b'\n') {
                    line.push(b'\n');
                    self.input.consume(1);
                }
                break;
            }
            if line.len() > LONGEST {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    format!("line {} is too long", self.number + 1),
                ));
            }
        }
        self.number += usize::from(!line.is_empty());
        Ok(!line.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ending_ends_a_line() {
        // A buffer of one byte separates CR from LF.
        let input = io::BufReader::with_capacity(1, b"a\nb\r\nc\rd\n\n\r\re".as_slice());
        let (mut lines, mut line, mut all) = (Lines::new(input), Vec::new(), Vec::new());
        while lines.next(&mut line).expect("memory can be read") {
            all.push(String::from_utf8_lossy(&line).into_owned());
        }
        assert_eq!(all, ["a\n", "b\r\n", "c\r", "d\n", "\n", "\r", "\r", "e"]);
        assert_eq!(lines.number, 8);
    }
}
