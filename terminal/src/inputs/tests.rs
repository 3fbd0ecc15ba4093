use std::io::Write;

use super::*;
use crate::scratch::Scratch;

const TEXT: &str = "7k/8/5KQ1/8/8/8/8/8 w - - bm Qg7#; id \"é 🙂\";\r\n# the second line\n";

fn text(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut out = Vec::new();
    decode(Box::new(Cursor::new(bytes.to_vec())))?.read_to_end(&mut out)?;
    Ok(out)
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packer.write_all(text).expect("memory");
    packer.finish().expect("memory")
}

fn bzip2(text: &[u8]) -> Vec<u8> {
    let mut packer = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::default());
    packer.write_all(text).expect("memory");
    packer.finish().expect("memory")
}

fn zstd(text: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(text, ruzstd::encoding::CompressionLevel::Fastest)
}

fn utf16(text: &str, big: bool) -> Vec<u8> {
    text.encode_utf16().flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
}

/// Text that does not fit in one block and hardly compresses.
fn long() -> Vec<u8> {
    (0..60_000_u64).flat_map(|n| format!("{:x}\n", n.wrapping_mul(0x9E37_79B9_7F4A_7C15)).into_bytes()).collect()
}

/// A program that sends a line and waits gets its answer; the encoding is recognized all the same.
#[test]
fn a_line_is_passed_on_as_soon_as_it_arrives() {
    /// Gives a piece at a time, and fails the test if more is read than was sent.
    struct Sender(Vec<Vec<u8>>);

    impl Read for Sender {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let piece = self.0.first_mut().expect("nothing more comes");
            let length = piece.len().min(buffer.len());
            buffer[..length].copy_from_slice(&piece[..length]);
            piece.drain(..length);
            // An empty piece is the end.
            if piece.is_empty() && length > 0 {
                self.0.remove(0);
            }
            Ok(length)
        }
    }

    let answer = |pieces: Vec<Vec<u8>>, length: usize| {
        let mut text = decode(Box::new(Sender(pieces))).expect("text");
        let mut bytes = vec![0; length];
        text.read_exact(&mut bytes).expect("a line");
        String::from_utf8(bytes).expect("text")
    };
    assert_eq!(answer(vec![b"a b\n".to_vec()], 4), "a b\n");
    assert_eq!(answer(vec![b"a".to_vec(), b"b".to_vec(), b"\r\nc".to_vec()], 4), "ab\r\n");
    let line = "8/8/8/8 w\n".repeat(60);
    let units = utf16(&line, false).chunks(3).map(<[u8]>::to_vec).collect();
    assert_eq!(answer(units, line.len()), line);
    let marked = utf16("\u{FEFF}a\n", true).chunks(2).map(<[u8]>::to_vec).chain([Vec::new()]).collect();
    assert_eq!(answer(marked, 2), "a\n");
}

#[test]
fn packed_data_come_out_whole() {
    let long = long();
    for pack in [gzip, bzip2, zstd] {
        for part in [&b""[..], TEXT.as_bytes(), &long] {
            assert!(text(&pack(part)).expect("whole") == part, "{} bytes", part.len());
            // Streams joined by `cat`.
            let two = [pack(part), pack(b""), pack(b"more")].concat();
            assert!(text(&two).expect("whole") == [part, b"more"].concat(), "{} bytes", part.len());
        }
        // UTF-16 inside.
        assert_eq!(text(&pack(&utf16(TEXT, false))).expect("whole"), TEXT.as_bytes());
    }
    let skipped = [&b"\x5A\x2A\x4D\x18\x03\0\0\0abc"[..], &zstd(b"text"), b"\x50\x2A\x4D\x18\0\0\0\0"].concat();
    assert_eq!(text(&skipped).expect("whole"), b"text");
}

/// A few hundred bytes may hold more than fits into memory.
#[test]
fn a_text_that_is_too_long_is_an_error() {
    let most = 1 << 20;
    for pack in [gzip, bzip2, zstd] {
        let read = |length: usize| {
            let packed = pack(&vec![b'\n'; length]);
            read_whole(decode(Box::new(io::Cursor::new(packed))).expect("packed"), 0, most as u64)
        };
        assert_eq!(read(most).expect("not too long").len(), most);
        assert_eq!(read(most + 1).expect_err("too long").to_string(), "more than 1 MiB of text");
    }
}

#[test]
fn packed_data_that_are_cut_or_damaged_are_an_error() {
    let long = long();
    for (pack, what) in [(gzip as fn(&[u8]) -> Vec<u8>, "gzip"), (bzip2, "bzip2"), (zstd, "zstd")] {
        for part in [TEXT.as_bytes(), &long] {
            let packed = pack(part);
            for cut in [packed.len() - 1, packed.len() / 2, 20] {
                let reason = text(&packed[..cut]).expect_err("cut off").to_string();
                assert!(reason.contains(what), "{what} cut at {cut} of {}: {reason}", packed.len());
            }
            let joined = [&packed[..], &packed[..packed.len() / 2]].concat();
            assert!(text(&joined).is_err(), "{what}");
            assert!(text(&[&packed[..], b"garbage behind it"].concat()).is_err(), "{what}");
        }
        let mut packed = pack(&long);
        let middle = packed.len() / 2;
        packed[middle] ^= 0x55;
        let reason = text(&packed).expect_err("damaged").to_string();
        assert!(reason.contains(what) && !reason.contains('\n'), "{reason}");
    }
    for (bytes, what) in [(&b"\xFD7zXZ\0more"[..], "xz"), (b"PK\x03\x04more", "zip")] {
        assert!(text(bytes).expect_err("another packing").to_string().starts_with(what));
    }
}

#[test]
fn utf_16_becomes_utf_8_and_nothing_else_changes() {
    for big in [false, true] {
        for mark in ["", "\u{FEFF}"] {
            let bytes = utf16(&format!("{mark}{TEXT}"), big);
            assert_eq!(String::from_utf8_lossy(&text(&bytes).expect("readable")), TEXT, "{big} {mark:?}");
        }
        let long = TEXT.repeat(3000);
        assert!(text(&utf16(&long, big)).expect("readable") == long.as_bytes());
        // Half a character at the end.
        let mut bytes = utf16(TEXT, big);
        bytes.push(b'x');
        assert_eq!(String::from_utf8_lossy(&text(&bytes).expect("readable")), format!("{TEXT}\u{FFFD}"));
    }
    let lone = [0x61, 0xD83D, 0x62, 0xDE00, 0x63, 0xD83D, 0xD83D, 0xDE42, 0x64, 0xD83D]
        .iter()
        .flat_map(|unit: &u16| unit.to_le_bytes());
    let bytes: Vec<u8> = b"\xFF\xFE".iter().copied().chain(lone).collect();
    assert_eq!(String::from_utf8_lossy(&text(&bytes).expect("readable")), "a\u{FFFD}b\u{FFFD}c\u{FFFD}🙂d\u{FFFD}");
    for bytes in
        [&b""[..], b"x", b"\0", b"\0\0\0\0\0\0", b"\xEF\xBB\xBFtext", b"Latin \xE9", b"BZh", b"ab\0\n", b"BZh9 text"]
    {
        assert_eq!(text(bytes).expect("as it stands"), bytes);
    }
    let line = [TEXT.as_bytes(), b"\0\n"].concat().repeat(10);
    assert_eq!(text(&line).expect("as it stands"), line, "a zero here and there is no UTF-16");
    assert!(text(b"\xFF\xFE\0\0a\0\0\0").expect_err("UTF-32").to_string().contains("UTF-32"));
}

#[test]
fn lines_end_in_any_way() {
    let bytes = b"one\ntwo\r\nthree\rfour\r\r\n\nlast";
    let expected = ["one", "two", "three", "four", "", "", "last"];
    assert_eq!(lines(bytes).map(String::from_utf8_lossy).collect::<Vec<_>>(), expected);
    assert_eq!(lines(b"one\n").count(), 1);
    assert_eq!(lines(b"").count(), 0);
    for block in 1..12 {
        let mut input = BufReader::with_capacity(block, &bytes[..]);
        let (mut line, mut read) = (Vec::new(), Vec::new());
        while read_line(&mut input, &mut line, 100).expect("memory") {
            read.push(String::from_utf8_lossy(&line).into_owned());
        }
        assert_eq!(read, expected, "blocks of {block}");
        let mut input = BufReader::with_capacity(block, &b"a long line\nshort"[..]);
        assert!(read_line(&mut input, &mut line, 5).expect("memory"));
        assert_eq!(line, b"a long");
        assert!(read_line(&mut input, &mut line, 5).expect("memory"));
        assert_eq!(line, b"short");
        assert!(!read_line(&mut input, &mut line, 5).expect("memory"));
        let mut input = BufReader::with_capacity(block, &b"a long line\r\nshort\n\nwhole"[..]);
        let mut parts = Vec::new();
        loop {
            let part = read_part(&mut input, &mut line, 5).expect("memory");
            parts.push((part, String::from_utf8_lossy(&line).into_owned()));
            if part == Part::End {
                break;
            }
        }
        let parts: Vec<_> = parts.iter().map(|(part, text)| (*part, text.as_str())).collect();
        use Part::{End, Last, Piece};
        let expected = [
            (Piece, "a lon"),
            (Piece, "g lin"),
            (Last, "e"),
            (Piece, "short"),
            (Last, ""),
            (Last, ""),
            (Piece, "whole"),
            (End, ""),
        ];
        assert_eq!(parts, expected, "blocks of {block}");
    }
}

#[test]
fn words_are_files_or_patterns() {
    let scratch = Scratch::new("input");
    let folder = &scratch.0;
    std::fs::create_dir_all(folder.join("c.epd")).expect("a folder");
    for name in ["b.epd", "a.epd", "[x].epd", "other"] {
        std::fs::write(folder.join(name), gzip(name.as_bytes())).expect("a file");
    }
    let expand = |words: &[&str]| {
        let words: Vec<PathBuf> =
            words.iter().map(|&word| if word == STDIN { word.into() } else { folder.join(word) }).collect();
        let names = |path: &PathBuf| path.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
        expand(&words).map(|paths| paths.iter().map(names).collect::<Vec<_>>())
    };
    assert_eq!(expand(&["*.epd", "other"]).expect("files"), ["[x].epd", "a.epd", "b.epd", "other"]);
    assert_eq!(expand(&["[x].epd", "[ab].epd", "missing"]).expect("files"), ["[x].epd", "a.epd", "b.epd", "missing"]);
    assert_eq!(expand(&["-", "?.epd"]).expect("files"), ["-", "a.epd", "b.epd"]);
    assert!(expand(&["-", "-"]).expect_err("twice").to_string().contains("once"));
    assert!(expand(&["*.pgn"]).expect_err("none").to_string().contains("no file matches"));
    assert_eq!(read(&folder.join("a.epd")).expect("readable"), b"a.epd");
    assert!(open(folder).err().expect("a folder").to_string().contains("a folder, not a file"));
    assert!(read(&folder.join("missing")).expect_err("missing").to_string().contains("missing: "));
}

/// Gives its pieces one by one, each after an interruption by a signal.
struct Interrupted(Vec<&'static [u8]>, bool);

impl Read for Interrupted {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        unreachable!("lines are read by the buffer")
    }
}

impl BufRead for Interrupted {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.1 = !self.1;
        if self.1 { Err(io::ErrorKind::Interrupted.into()) } else { Ok(self.0.first().copied().unwrap_or_default()) }
    }

    fn consume(&mut self, count: usize) {
        if let Some(piece) = self.0.first_mut() {
            *piece = &piece[count..];
            if piece.is_empty() {
                self.0.remove(0);
            }
        }
    }
}

#[test]
fn signals_do_not_interrupt_a_line() {
    let mut input = Interrupted(vec![b"a\r", b"\nb", b"c\r"], false);
    let mut line = Vec::new();
    let mut lines = Vec::new();
    while read_line(&mut input, &mut line, 80).expect("readable") {
        lines.push(line.clone());
    }
    assert_eq!(lines, [b"a".as_slice(), b"bc"]);
}

#[test]
fn packed_files_are_named_without_their_suffix() {
    for (path, plain) in [("a/games.pgn.GZ", "a/games.pgn"), ("wac.epd", "wac.epd"), ("x.zst", "x"), ("-", "-")] {
        assert_eq!(unpacked_path(Path::new(path)), Path::new(plain));
    }
    assert_eq!(name(Path::new("-")), "standard input");
}
