//! Progress bars on standard error, for a person who waits; silent where nobody looks.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// A bar for `total` pieces of work, with rate and time left. It hides itself where standard error is no terminal.
pub fn bar(total: u64, unit: &str) -> ProgressBar {
    let bar = ProgressBar::new(total);
    let template = format!("{{bar:32}} {{pos}}/{{len}} {unit}, {{per_sec}}, {{eta}} left {{msg}}");
    if let Ok(style) = ProgressStyle::with_template(&template) {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(250));
    bar
}

/// A bar for `total` bytes of input; a size of 0 stands for an unknown one.
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
    bar.enable_steady_tick(Duration::from_millis(250));
    bar
}
