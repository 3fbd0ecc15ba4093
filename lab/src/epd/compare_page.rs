//! Runs side by side as one page: totals, the test, charts, and each position that changed.

use std::collections::BTreeSet;

use maud::{Markup, html};

use super::compare::{Against, Change, Comparison, FAR, MUCH, chance, verdict};
use super::html::{Changed, charts, position, table};
use super::record::{PlayerHead, Record, Run};
use super::totals::{themes, totals};
use crate::page;
use terminal::tell::counted;

/// The whole page; `level` is the significance level of the test.
pub fn page(comparison: &Comparison<'_>, level: f64) -> String {
    let whole = whole(comparison);
    let suites = whole.head.suites.iter().map(|suite| suite.name.as_str()).collect::<Vec<_>>().join(", ");
    let compared = format!(": {} compared", counted(comparison.sides.len() as u64, "run", "runs"));
    let themes = themes(&whole);
    let against: Vec<Against> = (1..comparison.sides.len()).map(|side| comparison.against(side)).collect();
    let content = html! {
        h1 { bdi { (suites) } (compared) }
        (sides(comparison, &whole))
        @for remark in comparison.remarks() { p.state { bdi { (capital(&remark)) } "." } }
        h2 { "Totals" }
        (table("suite", &whole, &totals(&whole)))
        h2 { "Against " (name(&whole, 0)) }
        (tests(comparison, &whole, &against, level))
        (charts(&whole))
        @if !themes.is_empty() {
            h2 { "Themes" }
            (table("theme", &whole, &themes))
        }
        (changes(comparison, &whole, &against))
    };
    page::document(&(suites + &compared), &content)
}

/// The text, capitalized.
fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}

/// The positions that all runs have as one run, in which each run is a player.
fn whole(comparison: &Comparison<'_>) -> Run {
    let labels = labels(comparison);
    let mut head = comparison.sides[0].run.head.clone();
    head.players = comparison
        .sides
        .iter()
        .zip(&labels)
        .map(|(side, label)| {
            let own = side.run.head.players.iter().find(|player| player.label == side.player);
            let (name, options) =
                own.map_or_else(Default::default, |player| (player.name.clone(), player.options.clone()));
            PlayerHead { label: label.clone(), name, command: None, options }
        })
        .collect();
    head.suites.retain(|suite| comparison.rows.iter().any(|row| row[0].suite == suite.name));
    let mut records = Vec::new();
    for row in &comparison.rows {
        let own = row.iter().zip(&labels).map(|(&record, label)| Record { player: label.clone(), ..record.clone() });
        records.extend(own);
    }
    Run { head, records }
}

/// The label of each run: its letter, and the name of its file or else of its player.
fn labels(comparison: &Comparison<'_>) -> Vec<String> {
    let stem = |path: &std::path::Path| path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into());
    let stems: BTreeSet<String> = comparison.sides.iter().map(|side| stem(&side.path)).collect();
    let by_file = stems.len() == comparison.sides.len();
    let called = comparison.sides.iter().map(|side| {
        let name: String = if by_file { stem(&side.path) } else { side.player.clone() };
        format!("{} {}", side.letter, short(&name))
    });
    called.collect()
}

/// A name that fits in a row of a narrow screen.
fn short(name: &str) -> String {
    const MOST: usize = 24;
    if name.chars().count() <= MOST { name.to_owned() } else { name.chars().take(MOST - 1).chain(['…']).collect() }
}

/// The label of a run with the square of its colour.
fn name(whole: &Run, side: usize) -> Markup {
    html! { span.player { (page::key(side)) bdi { (whole.head.players[side].label) } } }
}

/// The description of each run.
fn sides(comparison: &Comparison<'_>, whole: &Run) -> Markup {
    html! {
        p.runs {
            @for (at, side) in comparison.sides.iter().enumerate() {
                @let head = &side.run.head;
                @let player = &whole.head.players[at];
                (page::key(at)) b { bdi { (player.label) } } ": " bdi { (side.player) }
                @if !player.name.is_empty() && player.name != side.player { ", " bdi { (player.name) } }
                @if !player.options.is_empty() { " (" bdi { (player.options.join(", ")) } ")" }
                span.faint {
                    ", " (head.budget) " per position"
                    @if let Some(hold) = head.hold { ", ended early once a solution held " (hold) " iterations" }
                    ", " (head.hash) " MiB, " (counted(head.threads as u64, "thread", "threads"))
                    ", from " bdi { (side.path.display()) }
                }
                br;
            }
        }
    }
}

/// Each run against the first: what changed, and whether that is more than chance.
fn tests(comparison: &Comparison<'_>, whole: &Run, against: &[Against], level: f64) -> Markup {
    let fact = |name: &str, text: &str| html! { td data-name=(name) { (text) } };
    html! {
        div.wide {
            table.totals {
                thead {
                    tr {
                        th.l { "run" } th { "solved" } th { "won" } th { "lost" } th { "sooner" } th { "later" }
                        th { "p" } th.l { "the difference" }
                    }
                }
                tbody {
                    @for (against, side) in against.iter().zip(1..) {
                        @let more = comparison.solved(side) as i64 - comparison.solved(0) as i64;
                        tr {
                            td.l.name { (name(whole, side)) }
                            (fact("solved", &if more == 0 { "the same".to_owned() } else { format!("{more:+}") }))
                            (fact("won", &against.count(Change::Won).to_string()))
                            (fact("lost", &against.count(Change::Lost).to_string()))
                            (fact("sooner", &against.count(Change::Sooner).to_string()))
                            (fact("later", &against.count(Change::Later).to_string()))
                            (fact("p", &chance(against.p_value, level)))
                            td.l data-name="the difference" { (verdict(against.p_value, level)) }
                        }
                    }
                }
            }
        }
        p.faint {
            "p is the probability of such a difference or a greater one, in either direction, by chance alone"
            " (McNemar's exact test); below " (level) " the difference counts as more than chance. Sooner and later are"
            " positions that both runs solve, one of them with " (MUCH)
            " times the " (comparison.unit()) " of the other or more (" (FAR) ")."
            @if !comparison.is_even() {
                " With different limits this says little: a longer search may leave its solution for a while, and"
                " counts when it comes back."
            }
        }
    }
}

/// The positions that changed, and how many did not.
fn changes(comparison: &Comparison<'_>, whole: &Run, against: &[Against]) -> Markup {
    // With several runs, a position is listed under the first change that any of them has.
    let change =
        |at: usize| Change::ALL.into_iter().find(|&change| against.iter().any(|a| a.changes[at] == Some(change)));
    let found: Vec<Option<Change>> = (0..comparison.rows.len()).map(change).collect();
    let runs = comparison.sides.len();
    let same = found.iter().filter(|change| change.is_none()).count();
    let both = comparison.rows.iter().zip(&found).filter(|(row, change)| change.is_none() && row[0].solved).count();
    html! {
        @for change in Change::ALL {
            @let count = found.iter().filter(|&&found| found == Some(change)).count();
            @if count > 0 || matches!(change, Change::Won | Change::Lost) {
                h2 { (title(change)) ": " (count) }
                p.faint { (explanation(change, runs == 2, comparison.unit())) }
                @for (at, _) in found.iter().enumerate().filter(|(_, found)| **found == Some(change)) {
                    // The records of the whole run are ordered by position.
                    @let records: Vec<&Record> = whole.records[runs * at..][..runs].iter().collect();
                    (position(whole, &records, Some(Changed { class: class(change), timed: comparison.timed })))
                }
            }
        }
        h2 { "Unchanged: " (same) }
        p {
            @if runs == 2 { "Solved by both runs: " } @else { "Solved by all runs: " } (both)
            @if runs == 2 { ". Solved by neither: " } @else { ". Solved by none: " } (same - both) "."
        }
    }
}

fn title(change: Change) -> &'static str {
    match change {
        Change::Won => "Won",
        Change::Lost => "Lost",
        Change::Sooner => "Found much sooner",
        Change::Later => "Found much later",
    }
}

fn class(change: Change) -> &'static str {
    match change {
        Change::Won => "won",
        Change::Lost => "lost",
        Change::Sooner => "sooner",
        Change::Later => "later",
    }
}

fn explanation(change: Change, two: bool, unit: &str) -> String {
    let other = if two { "B" } else { "at least one of the other runs" };
    match change {
        Change::Won => format!("Not solved by A, solved by {other}."),
        Change::Lost => format!("Solved by A, not solved by {other}."),
        Change::Sooner => format!("Solved by A and by {other}, which needs a quarter of the {unit} or less ({FAR})."),
        Change::Later => format!("Solved by A and by {other}, which needs {MUCH} times the {unit} or more ({FAR})."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_short_and_remarks_are_sentences() {
        assert_eq!(short("old"), "old");
        assert_eq!(short(&"x".repeat(99)).chars().count(), 24);
        assert_eq!((capital("the limits"), capital("")), ("The limits".to_owned(), String::new()));
    }
}
