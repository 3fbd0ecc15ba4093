//! Progress bars on standard error, for a person who waits; silent if standard error is not a terminal.

use std::fmt::Write;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressState, ProgressStyle};

/// A bar for `total` pieces of work, with rate and time left. It is hidden if standard error is not a terminal.
pub fn bar(total: u64, unit: &str) -> ProgressBar {
    let bar = ProgressBar::new(total);
    let template = format!("{{bar:32}} {{pos}}/{{len}} {unit}, {{per_sec}}, {{eta}} left {{msg}}");
    if let Ok(style) = ProgressStyle::with_template(&template) {
        bar.set_style(style);
    }
    tick(&bar);
    bar
}

/// A bar for `total` bytes of input; a size of 0 means unknown.
pub fn bytes(total: u64) -> ProgressBar {
    let bar = if total > 0 { ProgressBar::new(total) } else { ProgressBar::no_length() };
    let template = if total > 0 {
        "{bar:32} {bytes}/{total_bytes}, {elapsed}, {eta} left, {msg}"
    } else {
        "{spinner} {bytes}, {elapsed}, {msg}"
    };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    tick(&bar);
    bar
}

/// A bar for `total` positions to solve, of which `before` were done earlier. Its message counts the solved ones.
///
/// Rate and time left are those of the work since. Positions take very unequal times, so the mean of all says more
/// than that of the last few.
pub fn solving(before: u64, total: u64, unit: &'static str) -> ProgressBar {
    let begun = Instant::now();
    let pace = move |state: &ProgressState, line: &mut dyn Write| {
        let done = state.pos().saturating_sub(before);
        let _ = line.write_str(&pace(done, total.saturating_sub(state.pos()), begun.elapsed()));
    };
    let bar = ProgressBar::new(total).with_position(before);
    if let Ok(style) = ProgressStyle::with_template(&format!("{{bar:20}} {{pos}}/{{len}} {unit}{{msg}}{{pace}}")) {
        bar.set_style(style.with_key("pace", pace));
    }
    tick(&bar);
    bar
}

/// The speed of the work, and the time for the rest: empty until something is done.
fn pace(done: u64, rest: u64, elapsed: Duration) -> String {
    let seconds = elapsed.as_secs_f64();
    if done == 0 || seconds <= 0.0 {
        return String::new();
    }
    let rate = done as f64 / seconds;
    let rate_text = match rate {
        10.0.. => format!("{rate:.0}/s"),
        1.0.. => format!("{rate:.1}/s"),
        _ if rate * 60.0 >= 1.0 => format!("{:.1}/min", rate * 60.0),
        _ => format!("{:.1}/h", rate * 3600.0),
    };
    format!(", {rate_text}, {} left", span((rest as f64 / rate).ceil() as u64))
}

/// Seconds in two units.
fn span(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{}m {:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h {:02}m", seconds / 3600, seconds / 60 % 60),
    }
}

/// Redraws the bar four times a second if it is visible.
fn tick(bar: &ProgressBar) {
    // The library panics if the system cannot start its thread: one of our own tests that first.
    let is_thread_there = || std::thread::Builder::new().spawn(|| ()).is_ok_and(|thread| thread.join().is_ok());
    if !bar.is_hidden() && is_thread_there() {
        bar.enable_steady_tick(Duration::from_millis(250));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pace_counts_only_finished_work() {
        let after = |done, rest, seconds| pace(done, rest, Duration::from_secs(seconds));
        assert_eq!(after(0, 300, 5), "");
        assert_eq!(after(120, 180, 8), ", 15/s, 12s left");
        assert_eq!(after(120, 180, 60), ", 2.0/s, 1m 30s left");
        assert_eq!(after(30, 270, 60), ", 30.0/min, 9m 00s left");
        assert_eq!(after(1, 2, 3600), ", 1.0/h, 2h 00m left");
        assert_eq!(after(9, 0, 3), ", 3.0/s, 0s left");
    }
}
