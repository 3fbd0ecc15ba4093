//! Pages for people: one frame, one style sheet, one board and one chart for all of them.
//!
//! A page is a single file: no network, no external script or font. It follows the system's light or dark mode, and
//! fits any width from 390 pixels to a desktop. The templates are maud's, which escapes every text.

pub mod board;
pub mod chart;

use maud::{DOCTYPE, Markup, PreEscaped, html};
use serde::Serialize;

use std::env;

use terminal::date;
use terminal::tell::{counted, turns_writing};

/// The colours of players and curves; further ones start over.
const COLOURS: usize = 6;

/// The script of pages with games: moves on the board by click, key or swipe.
pub const GAME_SCRIPT: &str = include_str!("game.js");

/// The end of a page that [`beginning`] started: the date, version, machine and command, for a reader who finds the page
/// later.
pub fn ending() -> String {
    let command: Vec<String> = std::env::args_os().skip(1).map(|word| quoted(&word.to_string_lossy())).collect();
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let foot = html! {
        footer.faint {
            (date::today()) ", " (ibex::NAME) ", "
            (counted(processors as u64, "processor", "processors")) " (" (env::consts::ARCH) ", " (env::consts::OS) "): "
            code { "ibex-lab " (command.join(" ").replace(turns_writing, "")) }
        }
    };
    foot.into_string() + "</body></html>\n"
}

/// A word as a shell would need it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// The beginning of a page, for pages that are written piece by piece; [`ending`] ends them.
pub fn beginning(title: &str) -> String {
    beginning_of(title, None)
}

fn beginning_of(title: &str, reload: Option<u64>) -> String {
    let head = html! {
        (DOCTYPE)
        (PreEscaped("<html lang=\"en\">"))
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="generator" content=(ibex::NAME);
            @if let Some(seconds) = reload { meta http-equiv="refresh" content=(seconds); }
            // No `bdi` can enclose this text, unlike those of the body.
            title { (title.replace(turns_writing, "")) }
            style { (PreEscaped(include_str!("style.css"))) }
        }
        (PreEscaped("<body>"))
        (board::definitions())
    };
    head.into_string()
}

/// A whole page around its content.
pub fn document(title: &str, content: &Markup) -> String {
    beginning(title) + &content.0 + &ending()
}

/// A whole page that the browser reloads after `seconds`.
pub fn reloading(title: &str, content: &Markup, seconds: u64) -> String {
    beginning_of(title, Some(seconds)) + &content.0 + &ending()
}

/// Data for a script of the page. No text in the data can end the script element.
pub fn json(data: &impl Serialize) -> Result<Markup, serde_json::Error> {
    let text = serde_json::to_string(data)?.replace('<', "\\u003c");
    Ok(html! { script type="application/json" { (PreEscaped(text)) } })
}

/// The CSS variable of the colour with this index.
pub fn colour(index: usize) -> String {
    format!("var(--c{})", index % COLOURS)
}

/// The small square in a player's colour.
pub fn key(index: usize) -> Markup {
    html! { span.key style=(format!("background:{}", colour(index))) {} }
}

/// Milliseconds for people.
pub fn time(ms: u64) -> String {
    match ms {
        0 => "< 1 ms".to_owned(),
        1..1000 => format!("{ms} ms"),
        _ => format!("{:.1} s", ms as f64 / 1000.0),
    }
}

/// A count for people.
pub fn amount(n: u64) -> String {
    match n {
        0..1000 => n.to_string(),
        // What would round up to a thousand gets the next unit.
        1000..999_500 => format!("{:.0}k", n as f64 / 1e3),
        999_500..999_950_000 => format!("{:.1}M", n as f64 / 1e6),
        _ => format!("{:.1}G", n as f64 / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_ends_with_its_origin() {
        let end = ending();
        let origin = [&date::today()[..], ibex::NAME, env::consts::ARCH, "<code>ibex-lab "];
        assert!(origin.iter().all(|part| end.contains(part)) && end.ends_with("</footer></body></html>\n"), "{end}");
        for (word, text) in
            [("a.epd", "a.epd"), ("--nodes=5", "--nodes=5"), ("a b", "'a b'"), ("", "''"), ("it's", "'it'\\''s'")]
        {
            assert_eq!(quoted(word), text);
        }
    }

    #[test]
    fn texts_cannot_become_markup() {
        let name = "<script>alert('x')</script> & \"Ünï\" \u{202e}rtl";
        let page = document(name, &html! { p title=(name) { (name) } });
        assert!(!page.contains("<script>"), "{page}");
        assert!(page.contains("&lt;script&gt;") && page.contains("&quot;Ünï&quot;"), "{page}");
        assert_eq!(page.matches('\u{202e}').count(), 2, "not in the title: {page}");
        assert!(!page.contains("refresh"), "{page}");
        assert!(reloading(name, &html! {}, 10).contains("<meta http-equiv=\"refresh\" content=\"10\">"));
    }

    #[test]
    fn data_cannot_end_its_script() {
        let data = json(&["</script><script>alert(1)</script>"]).expect("text").into_string();
        assert_eq!(data.matches('<').count(), 2, "{data}");
        assert!(data.contains("\\u003c/script>"), "{data}");
    }

    #[test]
    fn times_and_amounts_are_short() {
        assert_eq!([0, 1, 999, 1000, 61_500].map(time), ["< 1 ms", "1 ms", "999 ms", "1.0 s", "61.5 s"]);
        assert_eq!([7, 1500, 2_500_000, 3_000_000_000].map(amount), ["7", "2k", "2.5M", "3.0G"]);
        let borders = [999, 999_499, 999_500, 999_949_999, 999_950_000];
        assert_eq!(borders.map(amount), ["999", "999k", "1.0M", "999.9M", "1.0G"]);
    }
}
