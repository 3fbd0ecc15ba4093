//! The page of an unfinished run: rewritten every few seconds, so that a browser shows the progress.

use std::path::Path;
use std::time::{Duration, Instant};

use super::html::{self, Stage};
use super::record::Run;
use terminal::outputs;

/// Runs that are over in a moment need no first page.
const FIRST: Duration = Duration::from_secs(1);
const EVERY: Duration = Duration::from_secs(10);
/// The wait after a page is at least this many times the time to write it.
const RESTRAINT: u32 = 20;

/// When the page is due, and whether it could be written.
pub struct Renewal<'a> {
    /// `None` if the page is written only at the end.
    path: Option<&'a Path>,
    due: Instant,
    wait: Duration,
    is_written: bool,
    is_warned: bool,
}

impl<'a> Renewal<'a> {
    /// For a page at `path`. A device or a pipe gets only the last page: it would keep all of them.
    pub fn new(path: Option<&'a Path>) -> Renewal<'a> {
        let path = path.filter(|path| outputs::is_for_file(path));
        Renewal { path, due: Instant::now() + FIRST, wait: EVERY, is_written: false, is_warned: false }
    }

    /// Whether another page is due.
    pub fn is_due(&self) -> bool {
        self.path.is_some() && Instant::now() >= self.due
    }

    /// Writes the page of what is done. Returns the first failure as a line for people; the run goes on.
    pub fn write(&mut self, run: &Run) -> Option<String> {
        let path = self.path?;
        let begun = Instant::now();
        let written = outputs::write(path, html::page(run, Stage::Running(self.wait.as_secs())).as_bytes());
        self.wait = wait_after(begun.elapsed());
        self.due = Instant::now() + self.wait;
        match written {
            Ok(()) => {
                self.is_written = true;
                None
            }
            Err(_) if self.is_warned => None,
            Err(error) => {
                self.is_warned = true;
                Some(format!("the page cannot be updated; the run continues: {error}"))
            }
        }
    }

    /// Replaces a page that says that the run goes on, after an error has ended it. Only that error is reported.
    pub fn stop(&self, run: &Run) {
        if let Some(path) = self.path.filter(|_| self.is_written) {
            let _ = outputs::write(path, html::page(run, Stage::Stopped).as_bytes());
        }
    }
}

fn wait_after(cost: Duration) -> Duration {
    EVERY.max(cost * RESTRAINT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::epd::record::{FORMAT, Head, PlayerHead, SuiteHead};
    use crate::play::player::Budget;
    use crate::scratch::Scratch;

    fn run() -> Run {
        let player = PlayerHead { label: "<i>".to_owned(), name: String::new(), command: None, options: Vec::new() };
        let suite = SuiteHead { name: "s".to_owned(), positions: 7, bad_lines: 0, digest: String::new() };
        let head = Head {
            ibex_epd: FORMAT,
            players: vec![player],
            budget: Budget { nodes: Some(1), ..Budget::default() },
            hold: None,
            hash: 1,
            threads: 1,
            suites: vec![suite],
            shard: None,
        };
        Run { head, records: Vec::new() }
    }

    #[test]
    fn pages_take_a_small_part_of_the_time() {
        assert_eq!(wait_after(Duration::from_millis(3)), EVERY);
        assert_eq!(wait_after(Duration::from_secs(2)), Duration::from_secs(40));
    }

    #[test]
    fn the_page_says_how_far_the_run_is() {
        let folder = Scratch::new("renewal");
        let path = folder.0.join("page.html");
        let mut renewal = Renewal::new(Some(&path));
        assert!(!renewal.is_due());
        renewal.stop(&run());
        assert!(!path.exists(), "there is no page to end");
        assert_eq!(renewal.write(&run()), None);
        let page = std::fs::read_to_string(&path).expect("written");
        assert!(page.contains("in progress: 0 of 7 positions") && page.contains("http-equiv"), "{page}");
        renewal.stop(&run());
        let page = std::fs::read_to_string(&path).expect("written");
        assert!(page.contains("stopped early: 0 of 7 positions") && !page.contains("http-equiv"), "{page}");
        assert!(!Renewal::new(Some(Path::new("/dev/null"))).is_due());
    }

    #[test]
    fn a_page_is_due_again_and_again() {
        let folder = Scratch::new("due");
        let path = folder.0.join("page.html");
        let mut renewal = Renewal::new(Some(&path));
        renewal.due -= FIRST;
        for page in 1..=3 {
            assert!(renewal.is_due(), "page {page}");
            assert_eq!(renewal.write(&run()), None);
            assert!(!renewal.is_due() && renewal.due <= Instant::now() + renewal.wait, "page {page}");
            // The wait is over.
            renewal.due -= renewal.wait;
        }
    }

    #[test]
    fn a_failure_is_reported_once() {
        let folder = Scratch::new("renewal-fails");
        let path = folder.0.join("no/page.html");
        let mut renewal = Renewal::new(Some(&path));
        let warning = renewal.write(&run()).expect("a warning");
        assert!(warning.contains("no/page.html") && warning.lines().count() == 1, "{warning}");
        assert_eq!(renewal.write(&run()), None);
    }
}
