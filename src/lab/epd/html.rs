//! A run as one page for people: no script, no network, light and dark, wide and narrow.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::board;
use super::parse::read_move;
use super::record::{Record, Run, Status};
use super::totals::{Total, players, themes, totals};
use crate::position::notation::read_fen;

/// The whole page.
pub fn page(run: &Run) -> String {
    let mut text = String::with_capacity(4096 + 3000 * run.records.len());
    text.push_str("<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'>");
    text.push_str("<meta name='viewport' content='width=device-width, initial-scale=1'>");
    let title = run.head.suites.iter().map(|suite| suite.name.as_str()).collect::<Vec<_>>().join(", ");
    let _ = write!(text, "<title>{}</title><style>{}</style></head>\n<body>", escape(&title), include_str!("page.css"));
    text.push_str(&board::definitions());
    head(&mut text, run, &title);
    text.push_str("<h2>Totals</h2>");
    table(&mut text, "suite", run, &totals(run));
    let themes = themes(run);
    if !themes.is_empty() {
        text.push_str("<h2>Themes</h2>");
        table(&mut text, "theme", run, &themes);
    }
    charts(&mut text, run);
    positions(&mut text, run);
    text.push_str("</body></html>\n");
    text
}

fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}

/// The square of a player's colour.
fn key(run: &Run, player: &str) -> String {
    let i = players(run).position(|label| label == player).unwrap_or(0);
    format!("<span class='key' style='background:var(--c{})'></span>", i % 6)
}

fn head(text: &mut String, run: &Run, title: &str) {
    let head = &run.head;
    let _ = write!(text, "<h1>{}</h1><p class='faint'>{} a position", escape(title), head.budget);
    if let Some(hold) = head.hold {
        let _ = write!(text, ", ended early once a solution held {hold} iterations");
    }
    let threads = if head.threads == 1 { "one thread".to_owned() } else { format!("{} threads", head.threads) };
    let _ = write!(text, ", {} MiB, {threads}.", head.hash);
    let bad: usize = head.suites.iter().map(|suite| suite.bad_lines).sum();
    if bad > 0 {
        let _ = write!(text, " {bad} bad lines were left out.");
    }
    let missing = run.expected().saturating_sub(run.records.len());
    if missing > 0 {
        let _ = write!(text, " <b class='bad'>{missing} results are missing.</b>");
    }
    text.push_str("</p><p>");
    for player in &head.players {
        let _ = write!(text, "{}{}: {}", key(run, &player.label), escape(&player.label), escape(&player.name));
        if !player.options.is_empty() {
            let _ = write!(text, " ({})", escape(&player.options.join(", ")));
        }
        text.push_str("<br>");
    }
    text.push_str("</p>");
}

fn table(text: &mut String, what: &str, run: &Run, totals: &[Total]) {
    let points = totals.iter().any(|total| total.points.1 > 0);
    let mates = totals.iter().any(|total| total.mates.iter().any(|&n| n > 0));
    let _ = write!(
        text,
        "<div class='wide'><table><tr><th class='l'>{what}<th class='l'>player<th>solved<th>of<th>%{}\
         <th>found after<th>nodes<th>depth<th>kn/s<th>failed{}</tr>",
        if points { "<th>points" } else { "" },
        if mates { "<th class='l'>mates" } else { "" },
    );
    for total in totals {
        let _ = write!(
            text,
            "<tr><td class='l'>{}<td class='l'>{}{}<td>{}<td>{}<td>{:.1}",
            escape(&total.name),
            key(run, &total.player),
            escape(&total.player),
            total.solved,
            total.positions,
            total.percent(),
        );
        if points {
            let _ = write!(text, "<td>{}", total.points_text());
        }
        let _ = write!(
            text,
            "<td>{}<td>{}<td>{}<td>{}<td>{}",
            total.found_ms.map_or_else(String::new, |ms| time(ms as u64)),
            total.found_nodes.map_or_else(String::new, |nodes| amount(nodes as u64)),
            total.depth,
            total.nps() / 1000,
            total.troubles,
        );
        if mates {
            let _ = write!(text, "<td class='l'>{}", total.mates_text());
        }
        text.push_str("</tr>");
    }
    text.push_str("</table></div>");
}

/// Milliseconds for people.
fn time(ms: u64) -> String {
    if ms < 1000 { format!("{ms} ms") } else { format!("{:.1} s", ms as f64 / 1000.0) }
}

/// A count for people.
fn amount(n: u64) -> String {
    match n {
        0..1000 => n.to_string(),
        1000..1_000_000 => format!("{:.0}k", n as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1}M", n as f64 / 1e6),
        _ => format!("{:.1}G", n as f64 / 1e9),
    }
}

fn charts(text: &mut String, run: &Run) {
    text.push_str("<h2>Solved over time</h2><div class='charts'>");
    chart(text, run, "by nodes", &|r| r.found.map(|found| found.nodes), amount);
    chart(text, run, "by time", &|r| r.found.map(|found| found.ms), time);
    text.push_str("</div>");
}

/// A curve for each player: the share of its positions solved within so much, on a logarithmic scale.
fn chart(text: &mut String, run: &Run, title: &str, when: &dyn Fn(&Record) -> Option<u64>, label: fn(u64) -> String) {
    const LEFT: f64 = 40.0;
    const RIGHT: f64 = 452.0;
    const TOP: f64 = 26.0;
    const BOTTOM: f64 = 230.0;
    let reached: Vec<u64> = run.records.iter().filter_map(when).map(|x| x.max(1)).collect();
    let first = reached.iter().min().map_or(0, |x| x.ilog10());
    let last = reached.iter().max().map_or(1, |x| x.ilog10() + 1).max(first + 1);
    let across =
        |x: u64| LEFT + (RIGHT - LEFT) * ((x.max(1) as f64).log10() - f64::from(first)) / f64::from(last - first);
    let up = |share: f64| BOTTOM - (BOTTOM - TOP) * share;
    let _ = write!(text, "<svg viewBox='0 0 480 256' role='img'><text x='{LEFT}' y='16'>{title}</text>");
    for quarter in 0..=4 {
        let y = up(f64::from(quarter) / 4.0);
        let _ = write!(
            text,
            "<path class='grid' d='M{LEFT} {y:.1}H{RIGHT}'/><text x='{}' y='{:.1}' text-anchor='end'>{}%</text>",
            LEFT - 5.0,
            y + 4.0,
            25 * quarter
        );
    }
    for power in first..=last {
        let x = across(10_u64.saturating_pow(power));
        let _ = write!(
            text,
            "<path class='grid' d='M{x:.1} {TOP}V{BOTTOM}'/><text x='{x:.1}' y='{}' text-anchor='middle'>{}</text>",
            BOTTOM + 16.0,
            label(10_u64.saturating_pow(power))
        );
    }
    for (i, player) in players(run).enumerate() {
        let own = || run.records.iter().filter(|r| r.player == player);
        let total = own().count().max(1) as f64;
        let mut solved: Vec<u64> = own().filter_map(when).collect();
        solved.sort_unstable();
        let mut path = format!("M{LEFT} {BOTTOM}");
        for (k, &x) in solved.iter().enumerate() {
            let _ = write!(path, "H{:.1}V{:.1}", across(x), up((k + 1) as f64 / total));
        }
        let _ = write!(text, "<path class='curve' style='stroke:var(--c{})' d='{path}H{RIGHT}'/>", i % 6);
    }
    text.push_str("</svg>");
}

fn positions(text: &mut String, run: &Run) {
    text.push_str("<h2>Positions</h2><fieldset>");
    let mut filters = vec![("all", "all"), ("missed", "not solved by everyone")];
    if run.head.players.len() > 1 {
        filters.push(("differ", "solved by some"));
    }
    for (name, label) in filters {
        let checked = if name == "all" { " checked" } else { "" };
        let _ = write!(text, "<label><input type='radio' name='show' id='show-{name}'{checked}> {label}</label>");
    }
    text.push_str("</fieldset>");
    let mut order = Vec::new();
    let mut by_position: HashMap<(&str, usize), Vec<&Record>> = HashMap::new();
    for record in &run.records {
        let records = by_position.entry((&record.suite, record.line)).or_default();
        if records.is_empty() {
            order.push((record.suite.as_str(), record.line));
        }
        records.push(record);
    }
    for place in order {
        if let Some(records) = by_position.get(&place) {
            position(text, run, records);
        }
    }
}

/// One position with what each player made of it.
fn position(text: &mut String, run: &Run, records: &[&Record]) {
    let Some(first) = records.first() else { return };
    let solved = records.iter().filter(|r| r.solved).count();
    let class = match solved {
        0 => "none",
        n if n == records.len() => "all",
        _ => "differ",
    };
    let _ = write!(
        text,
        "\n<details class='{class}'><summary><span class='id'>{}</span><span class='faint'>{}</span>",
        escape(&first.id),
        escape(&first.expected())
    );
    for r in records {
        let (mark, class) = if r.solved { ("✓", "good") } else { ("✗", "bad") };
        let _ = write!(
            text,
            "<span>{}{} <span class='{class}'>{mark}</span></span>",
            key(run, &r.player),
            escape(r.best_san.as_deref().unwrap_or("–"))
        );
    }
    text.push_str("</summary><div class='inside'><figure>");
    if let Ok(position) = read_fen(&first.fen) {
        let right: Vec<_> = first.bm.iter().filter_map(|name| read_move(&position, name).ok()).collect();
        let played = records.iter().filter(|r| !r.solved).filter_map(|r| r.best.as_deref());
        let wrong: Vec<_> =
            played.filter_map(|name| position.parse_move(name)).filter(|m| !right.contains(m)).collect();
        text.push_str(&board::diagram(&position, &right, &wrong));
        let turn = if position.turn().is_white() { "White" } else { "Black" };
        let _ = write!(text, "<figcaption>{turn} to move. {}</figcaption>", escape(&first.fen));
    }
    text.push_str("</figure><div class='wide'><table><tr><th class='l'>player<th class='l'>move<th>score<th>depth<th>time<th>nodes<th>found</tr>");
    for r in records {
        let class = if r.solved { "good" } else { "bad" };
        let points = r.points.map_or_else(String::new, |(own, most)| format!(" ({own}/{most})"));
        let line = match (&r.trouble, r.status) {
            (Some(trouble), status) if status != Status::Ok => format!("<span class='bad'>{}</span>", escape(trouble)),
            _ => escape(&r.pv),
        };
        let _ = write!(
            text,
            "<tr><td class='l'>{}{}<td class='l {class}'>{}{points}<td>{}<td>{}/{}<td>{}<td>{}<td>{}</tr><tr><td class='l pv' colspan='7'>{line}</tr>",
            key(run, &r.player),
            escape(&r.player),
            escape(r.best_san.as_deref().unwrap_or("–")),
            escape(&r.score_text()),
            r.depth,
            r.seldepth,
            time(r.ms),
            amount(r.nodes),
            r.found.map_or_else(String::new, |found| format!("{} (depth {})", time(found.ms), found.depth)),
        );
    }
    text.push_str("</table></div></div></details>");
}
