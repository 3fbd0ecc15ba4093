//! Standard output: whole lines, flushed one by one, from any thread; a reader that has gone away ends the session.

use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::journal::WIRE;
use super::message::Message;

/// The longest text of an `info string` line, in characters: enough for any reason, too short for an echo of megabytes.
const LONGEST_REMARK: usize = 400;

/// The one way out for lines of the protocol.
pub struct Output {
    writer: Mutex<Box<dyn Write + Send>>,
    broken: AtomicBool,
    on_break: Box<dyn Fn() + Send + Sync>,
    /// The zero of the times.
    beginning: Instant,
    /// When the line being written began, in milliseconds plus one; 0 between lines.
    since: AtomicU64,
}

impl Output {
    /// Writes to `writer`; `on_break` is called once, when a write fails.
    pub fn new(writer: impl Write + Send + 'static, on_break: impl Fn() + Send + Sync + 'static) -> Arc<Output> {
        Arc::new(Output {
            writer: Mutex::new(Box::new(writer)),
            broken: AtomicBool::new(false),
            on_break: Box::new(on_break),
            beginning: Instant::now(),
            since: AtomicU64::new(0),
        })
    }

    fn now(&self) -> u64 {
        u64::try_from(self.beginning.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// How long the reader has kept the line being written waiting.
    pub fn waiting(&self) -> Duration {
        match self.since.load(Ordering::Relaxed) {
            0 => Duration::ZERO,
            since => Duration::from_millis((self.now() + 1).saturating_sub(since)),
        }
    }

    /// Whether the reader has gone away.
    pub fn is_broken(&self) -> bool {
        self.broken.load(Ordering::Relaxed)
    }

    /// Writes lines that belong together; nothing comes between them.
    pub fn lines<T: AsRef<str>>(&self, lines: impl IntoIterator<Item = T>) {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        for line in lines {
            if self.is_broken() {
                return;
            }
            let line = line.as_ref();
            log::debug!(target: WIRE, "< {line}");
            self.since.store(self.now() + 1, Ordering::Relaxed);
            let written = writeln!(writer, "{line}").and_then(|()| writer.flush());
            self.since.store(0, Ordering::Relaxed);
            if written.is_err() {
                self.broken.store(true, Ordering::Relaxed);
                (self.on_break)();
            }
        }
    }

    /// Writes a line.
    pub fn line(&self, line: &str) {
        self.lines([line]);
    }

    /// Writes a message of the protocol.
    pub fn message(&self, message: &Message) {
        self.line(&message.to_string());
    }

    /// Sends the user a remark: one line, whatever the text.
    pub fn remark(&self, text: &str) {
        let mut words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if let Some((end, _)) = words.char_indices().nth(LONGEST_REMARK) {
            words.truncate(end);
            words.push('…');
        }
        self.message(&Message::remark(words));
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A writer that shows what was written, and one that fails.
    #[derive(Clone, Default)]
    pub struct Capture(Arc<Mutex<Vec<u8>>>);

    impl Capture {
        pub fn lines(&self) -> Vec<String> {
            String::from_utf8(self.0.lock().unwrap().clone()).unwrap().lines().map(str::to_owned).collect()
        }
    }

    impl Write for Capture {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    struct Closed;

    impl Write for Closed {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn remarks_are_one_short_line() {
        let page = Capture::default();
        let output = Output::new(page.clone(), || ());
        output.remark("two\nlines\r\n and  blanks");
        output.remark(&"ä".repeat(1_000_000));
        let lines = page.lines();
        assert_eq!(lines[0], "info string two lines and blanks");
        assert_eq!(lines[1].chars().count(), "info string ".len() + LONGEST_REMARK + 1);
        assert_eq!(lines.len(), 2);
    }

    #[test]
    fn a_closed_pipe_is_reported_once() {
        let calls = Arc::new(std::sync::atomic::AtomicUsize::new(0));
        let seen = Arc::clone(&calls);
        let output = Output::new(Closed, move || _ = seen.fetch_add(1, Ordering::Relaxed));
        output.lines(["a", "b"]);
        output.line("c");
        assert!(output.is_broken());
        assert_eq!(calls.load(Ordering::Relaxed), 1);
    }
}
