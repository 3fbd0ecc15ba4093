//! Standard input as lines of text, read by a thread of its own so that `stop` arrives while the engine thinks.
//!
//! What arrives is bytes from programs of every kind: carriage returns, byte-order marks, NULs, names and paths in
//! whatever encoding, lines of megabytes. All of it becomes text or is left out. A read error ends the input, with a
//! line on standard error.

use std::io::{self, BufRead, BufReader, ErrorKind, Read};

use crossbeam_channel::{Receiver, Sender, unbounded};

use super::parse;

/// Longer lines are refused: no position or option needs as many bytes, and an endless line must not fill the memory.
const LONGEST: usize = 16 << 20;

/// How many bytes of an overlong line are looked at.
const BEGINNING: usize = 64;

/// The messages of the reader thread. The end of the input is the end of the channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A line that is not empty, without its line end.
    Line(String),
    /// A line that was too long to be kept; what is left of it begins with its first word, if that was kept.
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

/// All lines of these bytes, then `quit`.
pub fn whole(bytes: &[u8]) -> Receiver<Input> {
    let (sender, receiver) = unbounded();
    if read(bytes, &sender) == LastWord::End {
        let _ = sender.send(Input::Line("quit".into()));
    }
    receiver
}

/// How the reading ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LastWord {
    /// With the command `quit`: nothing after it is read.
    Quit,
    /// With the end of the input, or because the receiver is gone.
    End,
}

/// These lines and then the end of the input, as if typed. A last `quit` is just that end: it cuts no search off.
pub fn prepared(lines: impl IntoIterator<Item = String>) -> Receiver<Input> {
    let (sender, receiver) = unbounded();
    let mut lines: Vec<String> = lines.into_iter().map(|line| clean(line.as_bytes())).collect();
    lines.pop_if(|line| parse::is_quit(line));
    for line in lines {
        let _ = sender.send(Input::Line(line));
    }
    receiver
}

fn read(mut source: impl BufRead, sender: &Sender<Input>) -> LastWord {
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        let input = match read_line(&mut source, &mut bytes) {
            Ok(Reading::End) => return LastWord::End,
            Ok(Reading::Line) => Input::Line(clean(&bytes)),
            Ok(Reading::TooLong) => {
                let text = bytes.trim_ascii_start();
                Input::TooLong(clean(&text[..text.len().min(BEGINNING)]))
            }
            Err(error) => {
                super::say(&format!("ibex: cannot read the input: {error}"));
                return LastWord::End;
            }
        };
        let silent = matches!(&input, Input::Line(line) if line.is_empty());
        let quit = matches!(&input, Input::Line(line) if parse::is_quit(line));
        if !silent && sender.send(input).is_err() {
            return LastWord::End;
        }
        if quit {
            return LastWord::Quit;
        }
    }
}

/// The result of reading a line.
enum Reading {
    /// A line, or what follows the last line end.
    Line,
    /// A line of more than [`LONGEST`] bytes, of which the first are kept.
    TooLong,
    /// Nothing more will come.
    End,
}

/// Reads up to the next line feed or carriage return, and leaves that out. (A CR LF thus gives an empty line as well.)
fn read_line(source: &mut impl BufRead, bytes: &mut Vec<u8>) -> io::Result<Reading> {
    let (mut anything, mut too_long) = (false, false);
    loop {
        let buffer = match source.fill_buf() {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            buffer => buffer?,
        };
        let at_end = buffer.is_empty();
        anything |= !at_end;
        let end = buffer.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
        let part = &buffer[..end.unwrap_or(buffer.len())];
        let room = LONGEST - bytes.len();
        too_long |= part.len() > room;
        bytes.extend_from_slice(&part[..part.len().min(room)]);
        let used = end.map_or(buffer.len(), |at| at + 1);
        source.consume(used);
        if end.is_some() || at_end {
            return Ok(match (anything, too_long) {
                (false, _) => Reading::End,
                (true, false) => Reading::Line,
                (true, true) => Reading::TooLong,
            });
        }
    }
}

/// Bytes as text: broken UTF-8 replaced, white space of every kind as blanks or tabs, invisible characters left out, no
/// blanks at the ends.
pub fn clean(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let visible = text.chars().filter_map(|c| match c {
        '\t' => Some(c),
        _ if c.is_control() => c.is_whitespace().then_some(' '),
        '\u{feff}' => None,
        _ => Some(c),
    });
    visible.collect::<String>().trim().to_owned()
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
        // `quit` counts whatever precedes it, but not where it means something else.
        let dirt = "x".repeat(200);
        assert_eq!(read(format!("{dirt} quit\nuci").as_bytes(), &sender), LastWord::Quit);
        assert_eq!(read(&b"help quit\nbench quit\nposition quit"[..], &sender), LastWord::End);
        let prepared: Vec<Input> = prepared(["uci".to_owned(), format!("{dirt} quit")]).iter().collect();
        assert_eq!(prepared, [line("uci")]);
    }

    fn line(text: &str) -> Input {
        Input::Line(text.into())
    }

    #[test]
    fn line_ends_and_dirt_of_every_kind_are_handled() {
        assert_eq!(lines(b"uci\r\nisready\n\n \r\n\t\nquit"), [line("uci"), line("isready"), line("quit")]);
        assert_eq!(
            lines(b"\xef\xbb\xbfuci\nstop\0\n\0\0\n go  infinite \n"),
            [line("uci"), line("stop"), line("go  infinite")]
        );
        assert_eq!(lines(b"name J\xf6rg\n"), [line("name J\u{fffd}rg")]);
        assert_eq!(lines("name Jörg\tGroß\n".as_bytes()), [line("name Jörg\tGroß")]);
        // White space of any kind separates words, and each kind of line end ends a line.
        assert_eq!(
            lines(b"go\x0binfinite\x0c\nuci\risready\r\rstop"),
            [line("go infinite"), line("uci"), line("isready"), line("stop")]
        );
        assert_eq!(lines("go\u{85}depth 1\n".as_bytes()), [line("go depth 1")]);
        assert_eq!(clean(b"isready\rstop"), "isready stop");
        assert_eq!(lines(b"\r"), []);
        assert_eq!(lines(b""), []);
        assert_eq!(lines(b"\n"), []);
    }

    #[test]
    fn endless_lines_are_refused_and_the_next_is_read() {
        let mut bytes = vec![b'x'; LONGEST + 5];
        bytes.extend_from_slice(b"\nstop\n");
        assert_eq!(lines(&bytes), [Input::TooLong("x".repeat(BEGINNING)), line("stop")]);
        let mut fits = vec![b' '; LONGEST - 4];
        fits.extend_from_slice(b"stop\nuci");
        assert_eq!(lines(&fits), [line("stop"), line("uci")]);
        assert_eq!(lines(&[&b" "[..], &fits].concat()), [Input::TooLong("sto".into()), line("uci")]);
    }
}
