//! Standard input as lines of text, read by a thread of its own so that `stop` is heard while the engine thinks.
//!
//! What arrives is bytes from programs of every kind: carriage returns, byte-order marks, NULs, names and paths in
//! whatever encoding, lines of megabytes. All of it becomes text or is left out; nothing here can fail.

use std::io::{BufRead, BufReader, Read};

use crossbeam_channel::{Receiver, Sender, unbounded};

use super::message::Simple;
use super::parse::{self, Command};

/// Longer lines are refused: no position or option needs as much, and an endless line must not fill the memory.
const LONGEST: u64 = 16 << 20;

/// How much of a line that is too long is looked at.
const BEGINNING: usize = 64;

/// What the reader thread delivers. The end of the input is the end of the channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A line that says something, without its end.
    Line(String),
    /// A line that was too long to be kept; what is left of it begins with its first word.
    TooLong(String),
}

/// Reads `source` on a new thread, to its end or to the command `quit`, after which `at_quit` is called there.
///
/// # Errors
///
/// The system could not start a thread.
pub fn spawn(
    source: impl Read + Send + 'static,
    at_quit: impl FnOnce() + Send + 'static,
) -> std::io::Result<Receiver<Input>> {
    let (sender, receiver) = unbounded();
    let listen = move || {
        if read(BufReader::new(source), &sender) == LastWord::Quit {
            drop(sender);
            at_quit();
        }
    };
    std::thread::Builder::new().name("input".into()).spawn(listen)?;
    Ok(receiver)
}

/// All the lines of these bytes, and `quit` behind them.
pub fn whole(bytes: &[u8]) -> Receiver<Input> {
    let (sender, receiver) = unbounded();
    if read(bytes, &sender) == LastWord::End {
        let _ = sender.send(Input::Line("quit".into()));
    }
    receiver
}

/// How the reading has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LastWord {
    /// With the command `quit`: nothing behind it is read.
    Quit,
    /// With the input, or when the listener is gone.
    End,
}

/// These lines and then the end, as if they had been typed. A last `quit` is no more than that end: it cuts no search off.
pub fn prepared(lines: impl IntoIterator<Item = String>) -> Receiver<Input> {
    let (sender, receiver) = unbounded();
    let mut lines: Vec<String> = lines.into_iter().map(|line| clean(line.as_bytes())).collect();
    lines.pop_if(|line| is_quit(line));
    for line in lines {
        let _ = sender.send(Input::Line(line));
    }
    receiver
}

fn read(mut source: impl BufRead, sender: &Sender<Input>) -> LastWord {
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        let Ok(count) = source.by_ref().take(LONGEST).read_until(b'\n', &mut bytes) else { return LastWord::End };
        let input = if count as u64 == LONGEST && bytes.last() != Some(&b'\n') {
            if skip_line(&mut source).is_err() {
                return LastWord::End;
            }
            let text = bytes.trim_ascii_start();
            Input::TooLong(clean(&text[..text.len().min(BEGINNING)]))
        } else {
            Input::Line(clean(&bytes))
        };
        let silent = matches!(&input, Input::Line(line) if line.is_empty());
        let quit = matches!(&input, Input::Line(line) if is_quit(line));
        if count == 0 || (!silent && sender.send(input).is_err()) {
            return LastWord::End;
        }
        if quit {
            return LastWord::Quit;
        }
    }
}

fn is_quit(line: &str) -> bool {
    // Lines are long where games are; this one never is.
    line.len() < 100 && matches!(parse::parse(line), Ok(Some(Command::Simple(Simple::Quit))))
}

fn skip_line(source: &mut impl BufRead) -> std::io::Result<()> {
    loop {
        let buffer = source.fill_buf()?;
        let end = buffer.iter().position(|&byte| byte == b'\n');
        let count = end.map_or(buffer.len(), |at| at + 1);
        source.consume(count);
        if end.is_some() || count == 0 {
            return Ok(());
        }
    }
}

/// Bytes as text: broken UTF-8 replaced, invisible characters left out, no blanks at the ends.
pub fn clean(bytes: &[u8]) -> String {
    let text: String =
        String::from_utf8_lossy(bytes).chars().filter(|&c| c == '\t' || !(c.is_control() || c == '\u{feff}')).collect();
    text.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(bytes: &[u8]) -> Vec<Input> {
        let (sender, receiver) = unbounded();
        let _ = read(bytes, &sender);
        drop(sender);
        receiver.iter().collect()
    }

    #[test]
    fn quit_is_the_last_word() {
        assert_eq!(lines(b"uci\nfoo quit now\nisready\nquit\n"), [line("uci"), line("foo quit now")]);
        assert_eq!(whole(b"uci").iter().collect::<Vec<_>>(), [line("uci"), line("quit")]);
        let (sender, _receiver) = unbounded();
        assert_eq!(read(&b"stop\nQUIT\r\n"[..], &sender), LastWord::Quit);
        assert_eq!(read(&b"stop\n# quit\nsetoption name quit\nquits"[..], &sender), LastWord::End);
        let end = vec![b' '; 1000];
        assert_eq!(lines(&[&end[..], b"quit\nisready"].concat()), [line("quit")]);
    }

    fn line(text: &str) -> Input {
        Input::Line(text.into())
    }

    #[test]
    fn every_kind_of_line_end_and_dirt() {
        assert_eq!(lines(b"uci\r\nisready\n\n \r\n\t\nquit"), [line("uci"), line("isready"), line("quit")]);
        assert_eq!(
            lines(b"\xef\xbb\xbfuci\nstop\0\n\0\0\n go  infinite \n"),
            [line("uci"), line("stop"), line("go  infinite")]
        );
        assert_eq!(lines(b"name J\xf6rg\n"), [line("name J\u{fffd}rg")]);
        assert_eq!(lines("name Jörg\tGroß\n".as_bytes()), [line("name Jörg\tGroß")]);
        assert_eq!(lines(b""), []);
        assert_eq!(lines(b"\n"), []);
    }

    #[test]
    fn endless_lines_are_refused_and_the_next_is_read() {
        let mut bytes = vec![b'x'; LONGEST as usize + 5];
        bytes.extend_from_slice(b"\nstop\n");
        assert_eq!(lines(&bytes), [Input::TooLong("x".repeat(BEGINNING)), line("stop")]);
        let mut fits = vec![b' '; LONGEST as usize - 5];
        fits.extend_from_slice(b"stop\nuci");
        assert_eq!(lines(&fits), [line("stop"), line("uci")]);
    }
}
