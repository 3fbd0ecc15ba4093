//! A run as one page: totals, themes, charts, and every position with the answers of each player.

use std::collections::HashMap;

use maud::{Markup, html};

use super::judge::Found;
use super::record::{Record, Run, Status};
use super::totals::{Total, players, theme_groups, themes, totals};
use crate::page::board::{self, Arrow};
use crate::page::chart::{self, Steps};
use crate::page::{self, amount, time};
use crate::play::player::Budget;
use formats::epd::read_move;
use ibex::position::Move;
use ibex::position::notation::read_fen;
use terminal::tell::counted;

/// The progress of the run of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// It goes on; the browser reloads the page after this number of seconds.
    Running(u64),
    /// It ended before all was done.
    Stopped,
    /// It has ended.
    Ended,
}

/// The whole page.
pub fn page(run: &Run, stage: Stage) -> String {
    let title = run.head.suites.iter().map(|suite| suite.name.as_str()).collect::<Vec<_>>().join(", ");
    let themes = themes(run);
    let content = html! {
        (head(run, &title, stage))
        h2 { "Totals" }
        (table("suite", run, &totals(run)))
        @if !themes.is_empty() {
            h2 { "Themes" }
            (table("theme", run, &themes))
        }
        (charts(run))
        (theme_charts(run))
        (positions(run))
    };
    match stage {
        Stage::Running(seconds) => page::reloading(&title, &content, seconds),
        Stage::Stopped | Stage::Ended => page::document(&title, &content),
    }
}

/// The charts over all positions.
pub(super) fn charts(run: &Run) -> Markup {
    html! {
        h2 { "Solved over nodes and time" }
        .charts {
            (chart(run, "by nodes", &|r| r.found.map(|found| found.nodes), run.head.budget.nodes, amount))
            (chart(run, "by time", &|r| r.found.map(|found| found.ms), run.head.budget.movetime, time))
        }
    }
}

/// A small chart for each theme, if there are themes, but not too many.
fn theme_charts(run: &Run) -> Markup {
    let groups = theme_groups(run);
    if !(2..=12).contains(&groups.len()) {
        return html! {};
    }
    let timed = is_timed(&run.head.budget);
    let amount_of = |found: Found| if timed { found.ms } else { found.nodes };
    let limit = if timed { run.head.budget.movetime } else { run.head.budget.nodes };
    let charts: Vec<_> = groups
        .iter()
        .map(|(name, records)| {
            let curves = players(run).enumerate().map(|(colour, player)| {
                let own = || records.iter().filter(|record| record.player == player);
                Steps { colour, at: own().filter_map(|r| r.found.map(amount_of)).collect(), whole: own().count() }
            });
            (*name, curves.collect())
        })
        .collect();
    html! {
        h2 { "Themes " @if timed { "by time" } @else { "by nodes" } }
        (chart::small_shares(&charts, limit, if timed { time } else { amount }))
    }
}

/// Whether only time limits the searches: then the time of a solution says more than its nodes.
pub(super) fn is_timed(budget: &Budget) -> bool {
    matches!(budget, Budget { movetime: Some(_), nodes: None, depth: None, mate: None })
}

/// The square of a player's colour, and its name.
fn player(run: &Run, label: &str) -> Markup {
    html! { span.player { (page::key(index(run, label))) bdi { (label) } } }
}

fn index(run: &Run, label: &str) -> usize {
    players(run).position(|player| player == label).unwrap_or(0)
}

/// How much of the run is complete, for people.
fn done(run: &Run) -> String {
    let unit = if run.head.players.len() == 1 { "positions" } else { "searches" };
    format!("{} of {} {unit}", run.records.len(), run.expected())
}

fn head(run: &Run, title: &str, stage: Stage) -> Markup {
    let head = &run.head;
    let bad: usize = head.suites.iter().map(|suite| suite.bad_lines).sum();
    let missing = run.expected().saturating_sub(run.records.len());
    html! {
        h1 { bdi { (title) } }
        @match stage {
            Stage::Running(seconds) => p.state {
                b { "in progress: " (done(run)) } ". The page reloads itself every " (seconds) " seconds."
            },
            Stage::Stopped => p.state { b { "stopped early: " (done(run)) } ". The rest was not searched." },
            Stage::Ended => {},
        }
        p.faint {
            (head.budget) " per position"
            @if let Some(hold) = head.hold { ", ended early once a solution held " (hold) " iterations" }
            ", " (head.hash) " MiB, "
            @if head.threads == 1 { "one thread." } @else { (head.threads) " threads." }
            @if bad > 0 { " " (counted(bad as u64, "bad line was", "bad lines were")) " left out." }
            @if missing > 0 && stage == Stage::Ended {
                " " b.bad { (counted(missing as u64, "result is", "results are")) " missing." }
            }
        }
        p.runs {
            @for player in &head.players {
                (page::key(index(run, &player.label))) bdi { (player.label) } ": " bdi { (player.name) }
                @if !player.options.is_empty() { " (" bdi { (player.options.join(", ")) } ")" }
                br;
            }
        }
    }
}

pub(super) fn table(what: &str, run: &Run, totals: &[Total]) -> Markup {
    let points = totals.iter().any(|total| total.points.1 > 0);
    let mates = totals.iter().any(|total| total.mates.iter().any(|&n| n > 0));
    // A narrow screen shows each row as a card with the column names beside the facts.
    let fact = |name: &str, text: &str| html! { td data-name=(name) { (text) } };
    html! {
        div.wide {
            table.totals {
                thead {
                    tr {
                        th.l { (what) } th.l { "player" } th { "solved" } th { "of" } th { "%" }
                        @if points { th { "points" } }
                        th { "found after" } th { "nodes" } th { "depth" } th { "kn/s" } th { "failed" }
                        @if mates { th.l { "mates" } }
                    }
                }
                tbody {
                    @for total in totals {
                        tr {
                            td.l.name { bdi { (total.name) } }
                            td.l.name { (player(run, &total.player)) }
                            (fact("solved", &total.solved.to_string()))
                            (fact("of", &total.positions.to_string()))
                            (fact("%", &total.percent_text()))
                            @if points { (fact("points", &total.points_text())) }
                            (fact("found after", &total.found_ms.map_or_else(String::new, |ms| time(ms as u64))))
                            (fact("nodes", &total.found_nodes.map_or_else(String::new, |nodes| amount(nodes as u64))))
                            (fact("depth", &total.depth.to_string()))
                            (fact("kn/s", &(total.nps() / 1000).to_string()))
                            (fact("failed", &total.troubles.to_string()))
                            @if mates { td.l data-name="mates" { (total.mates_text()) } }
                        }
                    }
                }
            }
        }
    }
}

/// A curve for each player: the share of its positions solved within an amount.
fn chart(
    run: &Run,
    title: &str,
    when: &dyn Fn(&Record) -> Option<u64>,
    limit: Option<u64>,
    label: fn(u64) -> String,
) -> Markup {
    let curves: Vec<Steps> = players(run)
        .enumerate()
        .map(|(colour, player)| {
            let own = || run.records.iter().filter(|record| record.player == player);
            Steps { colour, at: own().filter_map(when).collect(), whole: own().count() }
        })
        .collect();
    chart::shares(title, &curves, limit, label)
}

fn positions(run: &Run) -> Markup {
    let mut filters = vec![("all", "all"), ("missed", "not solved by all")];
    if run.head.players.len() > 1 {
        filters.push(("differ", "solved by some"));
    }
    let mut order = Vec::new();
    let mut by_position: HashMap<(&str, usize), Vec<&Record>> = HashMap::new();
    for record in &run.records {
        let place = (record.suite.as_str(), record.line);
        let records = by_position.entry(place).or_default();
        if records.is_empty() {
            order.push(place);
        }
        records.push(record);
    }
    html! {
        h2 { "Positions" }
        fieldset {
            @for (name, label) in filters {
                label { input type="radio" name="show" id={ "show-" (name) } checked[name == "all"]; " " (label) }
            }
        }
        @for place in order {
            @if let Some(records) = by_position.get(&place) { (position(run, records, None)) }
        }
    }
}

/// How a comparison shows a position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Changed {
    /// The class of its change.
    pub class: &'static str,
    /// Whether a solution is measured by time rather than by nodes.
    pub timed: bool,
}

/// One position with the answers of each player. In a comparison, the summary names each run by its letter, and says
/// when it found the solution.
pub(super) fn position(run: &Run, records: &[&Record], change: Option<Changed>) -> Markup {
    let Some(first) = records.first() else { return html! {} };
    let solved = records.iter().filter(|r| r.solved).count();
    let class = match solved {
        0 => "none",
        n if n == records.len() => "all",
        _ => "differ",
    };
    html! {
        details class=(change.map_or(class, |change| change.class)) {
            summary {
                span.id { bdi { (first.id) } }
                span.faint { bdi { (first.expected()) } }
                @for r in records {
                    span {
                        (page::key(index(run, &r.player)))
                        @if change.is_some() { (r.player.split(' ').next().unwrap_or_default()) ": " }
                        bdi { (r.best_san.as_deref().unwrap_or("–")) } " "
                        @if r.solved { span.good { "✓" } } @else { span.bad { "✗" } }
                        @if let (Some(found), Some(change)) = (r.found, change) {
                            " "
                            span.faint {
                                @if change.timed { (time(found.ms)) }
                                @else { (amount(found.nodes)) " nodes" }
                            }
                        }
                    }
                }
            }
            .inside {
                (figure(first, records))
                .answers { @for r in records { (answer(run, r)) } }
            }
        }
    }
}

/// The board with the moves that solve it, and those that were played and do not.
fn figure(first: &Record, records: &[&Record]) -> Markup {
    let Ok(position) = read_fen(&first.fen) else { return html! {} };
    let wanted = first.bm.iter().chain(&first.best_of_points);
    let right: Vec<Move> = wanted.filter_map(|name| read_move(&position, name).ok()).collect();
    let played = records.iter().filter(|r| !r.solved).filter_map(|r| r.best.as_deref());
    let wrong = played.filter_map(|name| position.parse_move(name)).filter(|m| !right.contains(m));
    let arrows: Vec<(Arrow, Move)> =
        wrong.map(|m| (Arrow::Wrong, m)).chain(right.iter().map(|&m| (Arrow::Right, m))).collect();
    html! {
        figure {
            (board::diagram(&position, &arrows))
            figcaption {
                @if position.turn().is_white() { "White" } @else { "Black" }
                " to move. " bdi { (first.fen) }
            }
        }
    }
}

/// The answer of one player, in a form that wraps on a narrow screen.
fn answer(run: &Run, r: &Record) -> Markup {
    let trouble = r.trouble.as_deref().filter(|_| r.status != Status::Ok);
    html! {
        .answer {
            p {
                (player(run, &r.player)) " "
                b class=(if r.solved { "good" } else { "bad" }) {
                    bdi { (r.best_san.as_deref().unwrap_or("–")) }
                    @if let Some((own, most)) = r.points { " (" (own) "/" (most) ")" }
                }
                span.fact { (r.score_text()) }
                span.fact { "depth " (r.depth) "/" (r.seldepth) }
                span.fact { (time(r.ms)) }
                span.fact { (amount(r.nodes)) " nodes" }
                @if let Some(found) = r.found {
                    span.fact {
                        "found after " (time(found.ms)) ", " (amount(found.nodes)) " nodes, depth " (found.depth)
                    }
                }
            }
            p.pv { @if let Some(trouble) = trouble { span.bad { bdi { (trouble) } } } @else { bdi { (r.pv) } } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run by two players over one position for each of these themes.
    fn run_of(themes: usize) -> Run {
        let player = |label: &str| serde_json::json!({ "label": label, "name": label });
        let record = |player: &str, theme: usize| {
            serde_json::json!({
                "player": player, "suite": "s", "line": theme + 1, "id": format!("<i>{theme}</i> theme.1"),
                "fen": "7k/8/5KQ1/8/8/8/8/8 w - - 0 1", "bm": ["Qg7#"], "status": "ok", "solved": true,
                "found": { "ms": 1, "nodes": 20, "depth": 1 }, "best": "g6g7", "best_san": "Qg7#",
                "depth": 1, "seldepth": 1, "nodes": 30, "ms": 1
            })
        };
        let records: Vec<_> = (0..themes).flat_map(|theme| [record("a", theme), record("b", theme)]).collect();
        let run = serde_json::json!({
            "head": {
                "ibex_epd": 1, "players": [player("a"), player("b")],
                "budget": { "nodes": 30 }, "hash": 1, "threads": 1,
                "suites": [{ "name": "s", "positions": themes, "bad_lines": 0, "digest": "" }]
            },
            "records": records
        });
        serde_json::from_value(run).expect("a run")
    }

    #[test]
    fn only_runs_limited_by_time_alone_are_timed() {
        let movetime = Budget { movetime: Some(9), ..Budget::default() };
        assert!(is_timed(&movetime));
        for more in [Budget { nodes: Some(9), ..movetime }, Budget { depth: Some(9), ..movetime }] {
            assert!(!is_timed(&more), "{more}");
        }
        assert!(!is_timed(&Budget { mate: Some(9), ..movetime }) && !is_timed(&Budget::default()));
    }

    #[test]
    fn some_themes_have_charts() {
        for (themes, charts) in [(1, 2), (2, 4), (12, 14), (13, 2)] {
            let page = page(&run_of(themes), Stage::Ended);
            // Each chart has a curve for each of the two players.
            assert_eq!(page.matches("<path class=\"curve\"").count(), 2 * charts, "{page}");
            assert_eq!(page.contains("Themes by nodes"), charts > 2, "{themes}");
            assert!(!page.contains("<i>"), "{page}");
        }
    }

    /// A change of text direction ends with the text.
    #[test]
    fn a_text_direction_ends_with_its_text() {
        let turned = |text: &str| format!("\u{202e}{text}");
        // Thirteen themes have no charts, whose titles would be further lines.
        let mut run = run_of(13);
        run.head.suites[0].name = turned("suite");
        for player in &mut run.head.players {
            player.label = turned(&player.label);
            player.name = turned("name");
            player.options = vec![turned("option")];
        }
        for record in &mut run.records {
            record.player = turned(&record.player);
            record.suite = turned("suite");
            record.id = turned(&record.id);
            record.bm = vec![turned("wanted")];
            record.best_san = Some(turned("played"));
            record.pv = turned("line");
        }
        run.records[0].status = Status::Died;
        run.records[0].trouble = Some(turned("trouble"));
        let page = page(&run, Stage::Ended);
        let theme = "&lt;i&gt;0&lt;/i&gt; theme";
        let id = format!("{theme}.1");
        for text in ["suite", "a", "b", "name", "option", theme, &id, "wanted", "played", "line", "trouble"] {
            assert!(page.contains(&format!("<bdi>\u{202e}{text}</bdi>")), "{text}: {page}");
        }
        assert!(!page.replace("<bdi>\u{202e}", "").contains('\u{202e}'), "{page}");
    }

    #[test]
    fn singular_and_plural_are_distinguished() {
        for (number, texts) in [
            (1, ["1 bad line was left out.", "1 result is missing."]),
            (2, ["2 bad lines were left out.", "2 results are missing."]),
        ] {
            let mut run = run_of(3);
            run.records.truncate(6 - number);
            run.head.suites[0].bad_lines = number;
            let page = page(&run, Stage::Ended);
            assert!(texts.iter().all(|text| page.contains(text)), "{page}");
        }
    }

    #[test]
    fn a_page_of_several_players_counts_searches() {
        let mut run = run_of(3);
        run.records.pop();
        let page = page(&run, Stage::Running(10));
        assert!(page.contains("in progress: 5 of 6 searches"), "{page}");
    }
}
