//! A game as a section of the page. Without a script, everything but the moving board can be read.

use std::fmt::Write as _;

use maud::{Markup, html};
use shakmaty::Color;

use super::figures::{Figures, Phase, Table};
use super::record::{Record, Step};
use super::{Lines, own, percent, shown};
use crate::analyse::games::{Analysis, opposite};
use crate::analyse::judge::{Mark, chances};
use crate::page::{self, board};
use formats::pgn::Pgn;
use ibex::bound::Bound;
use ibex::position::Position;
use ibex::position::notation::{Action, san};

/// The width and height of the graph.
const GRAPH: (f64, f64) = (600.0, 150.0);

/// A game and its figures. `id` is its number on the page, `about` its place in the files.
///
/// # Errors
///
/// The data for the script cannot be written.
pub fn section(
    id: usize,
    about: &str,
    game: &Pgn,
    analysis: &Analysis,
    wanted: Lines,
) -> Result<(Markup, Table), serde_json::Error> {
    let mut record = Record::new(game.start.position());
    let (table, phases) = count(game, analysis);
    let list = list(game, analysis, wanted, &mut record);
    let name = |tag| game.tag(tag).map_or_else(|| "?".to_owned(), shown);
    let (white, black) = (name("White"), name("Black"));
    let last = analysis.course.positions().last().unwrap_or(game.start.position());
    let section = html! {
        section.game id={ "g" (id) } {
            h2 { bdi { (white) } " – " bdi { (black) } span.result { " " (result(game)) } }
            p.faint { (facts(about, game)) }
            .sides {
                .view {
                    (board::diagram(last, &[]))
                    p.now aria-live="polite" { "The last position." }
                    .buttons hidden[true] {
                        @for (go, sign, name) in [
                            ("first", "|‹", "first position"), ("back", "‹", "back"), ("on", "›", "on"),
                            ("last", "›|", "last position"), ("flip", "flip", "flip the board"),
                        ] {
                            button data-go=(go) aria-label=(name) title=(name) { (sign) }
                        }
                    }
                }
                .told {
                    @if !game.moves.is_empty() {
                        (graph(analysis, &phases))
                        (figures(&table, &white, &black))
                    }
                    (list)
                }
            }
            (page::json(&record)?)
        }
    };
    Ok((section, table))
}

/// The result in words, or as the file has it.
fn result(game: &Pgn) -> String {
    if game.result == "*" { "unfinished".to_owned() } else { shown(game.result.as_bytes()) }
}

/// Event, place and date, if the file has them.
fn facts(about: &str, game: &Pgn) -> Markup {
    let unknown = |text: &str| text.chars().all(|c| matches!(c, '?' | '.' | '-' | ' '));
    let value = |tag| {
        let text = shown(game.tag(tag)?);
        // Of `1858.??.??`, the year is known.
        Some(if tag == "Date" { text.trim_end_matches(['?', '.']).to_owned() } else { text })
    };
    let known = ["Event", "Site", "Date", "Variant", "ECO", "Opening", "Variation"];
    let known = known.into_iter().filter_map(value);
    html! {
        @for fact in known.filter(|fact| !unknown(fact)) { bdi { (fact) } ", " }
        bdi { (about) }
    }
}

/// The figures of all moves, and the phase of each position.
fn count(game: &Pgn, analysis: &Analysis) -> (Table, Vec<Phase>) {
    let mut table = Table::default();
    let mut phase = Phase::Opening;
    let positions = analysis.course.positions();
    let mut phases = Vec::with_capacity(positions.len());
    for (i, position) in positions.iter().enumerate() {
        phase = Phase::of(position, phase);
        phases.push(phase);
        let (Some(played), Some(judged)) = (game.moves.get(i), analysis.moves.get(i)) else { continue };
        let values = (analysis.evaluations[i].value, analysis.evaluations[i + 1].value);
        let (Some(before), Some(after), true) = (values.0, values.1, judged.chosen) else { continue };
        if played.action == Action::Pass {
            continue;
        }
        // A move that the engine would play costs nothing; two searches of different positions may still differ.
        let lost = if judged.another { chances(before) - chances(opposite(after)) } else { 0.0 };
        table.count(position.turn(), phase, lost, judged.mark);
    }
    (table, phases)
}

/// A score from White's view, and its certainty.
fn statement(analysis: &Analysis, i: usize) -> (String, String) {
    let Some(search) = &analysis.evaluations[i].search else {
        // Either the rules end the game, or there is no value to show.
        return (String::new(), analysis.course.ending(i).map_or_else(String::new, |ending| ending.to_string()));
    };
    let white = analysis.course.positions()[i].turn().is_white();
    let value = if white { search.value } else { opposite(search.value) };
    let sign = match (search.bound, white) {
        (Bound::Exact, _) => "",
        (Bound::Lower, true) | (Bound::Upper, false) => "≥ ",
        (Bound::Upper, true) | (Bound::Lower, false) => "≤ ",
    };
    (format!("{sign}{value}"), search.statement.clone())
}

fn said((score, words): &(String, String)) -> Markup {
    html! { small { @if !score.is_empty() { (score) " " } @if !words.is_empty() { i { (words) } } } }
}

/// The move number before a move.
fn number(position: &Position) -> String {
    let number = position.fullmoves();
    if position.turn().is_white() { format!("{number}.") } else { format!("{number}…") }
}

/// The class of a mark's colour.
fn class(mark: Mark) -> &'static str {
    match mark {
        Mark::Blunder => "blunder",
        Mark::Mistake => "mistake",
        Mark::Dubious => "dubious",
    }
}

/// The moves with their annotations, and the same for the script.
fn list(game: &Pgn, analysis: &Analysis, wanted: Lines, record: &mut Record) -> Markup {
    let positions = analysis.course.positions();
    // Whether the last row still lacks Black's move.
    let mut open = false;
    let mut rows = Vec::with_capacity(game.moves.len());
    for (i, (played, judged)) in game.moves.iter().zip(&analysis.moves).enumerate() {
        let (position, after) = (&positions[i], &positions[i + 1]);
        record.moves.push(match played.action {
            Action::Move(m) => Step::new(position, m, after),
            Action::Pass => Step::pass(),
        });
        let white = position.turn().is_white();
        let has_line = judged.mark.is_some() || (wanted.everywhere && judged.another);
        let line = has_line.then(|| line(i, analysis, wanted, record)).flatten();
        let (glyphs, text) = (own::glyphs(&analysis.own[i + 1]), own::text(&analysis.own[i + 1], position));
        rows.push(html! {
            @if white || !open { span.no { (number(position)) } }
            button.black[!white] data-at=(i + 1) {
                b { (played.san) }
                @if !glyphs.is_empty() { (glyphs) }
                @if let Some(mark) = judged.mark { " " b class=(class(mark)) { (mark.symbol()) } }
                " " (said(&statement(analysis, i + 1)))
            }
            @if !text.is_empty() { p.own { bdi { (text) } } }
            @if let Some(line) = &line { (line) }
        });
        open = white && line.is_none() && text.is_empty();
    }
    let before = own::text(&analysis.own[0], &positions[0]);
    html! {
        .list {
            @if !before.is_empty() { p.own { bdi { (before) } } }
            @if rows.is_empty() { p.faint { "The game has no moves." } }
            @for row in &rows { (row) }
        }
    }
}

/// The better line in place of the move with this index.
fn line(i: usize, analysis: &Analysis, wanted: Lines, record: &mut Record) -> Option<Markup> {
    let best = analysis.evaluations[i].search.as_ref().map(|search| search.pv.as_slice()).unwrap_or_default();
    let mut position = analysis.course.positions()[i];
    let (mut steps, mut names) = (Vec::new(), Vec::new());
    for &m in best.iter().take(wanted.longest.max(1)) {
        let with_number = steps.is_empty() || position.turn().is_white();
        names.push((with_number.then(|| number(&position)), san(&position, m)));
        let next = position.after(m);
        steps.push(Step::new(&position, m, &next));
        position = next;
    }
    if steps.is_empty() {
        return None;
    }
    record.lines.insert(i + 1, steps);
    Some(html! {
        p.line {
            "better: "
            @for (step, (number, name)) in names.iter().enumerate() {
                button data-at={ (i + 1) "." (step + 1) } {
                    @if let Some(number) = number { (number) " " }
                    (name)
                }
                " "
            }
            (said(&statement(analysis, i)))
        }
    })
}

/// White's chances after each move.
fn graph(analysis: &Analysis, phases: &[Phase]) -> Markup {
    let (width, height) = GRAPH;
    let positions = analysis.course.positions();
    let last = (positions.len() - 1).max(1);
    let x = |i: usize| i as f64 * width / last as f64;
    let y = |i: usize| {
        let value = analysis.evaluations[i].value?;
        let white = positions[i].turn().is_white();
        let chances = chances(if white { value } else { opposite(value) });
        Some(height / 2.0 - (height / 2.0 - 3.0) * chances)
    };
    // Positions without a value leave a gap in both areas.
    let (mut above, mut below) = (String::new(), String::new());
    let heights: Vec<(usize, Option<f64>)> = (0..positions.len()).map(|i| (i, y(i))).collect();
    for run in heights.split(|(_, y)| y.is_none()) {
        let (Some(&(from, _)), Some(&(to, _))) = (run.first(), run.last()) else { continue };
        let _ = write!(above, "M{:.1} 0H{:.1}V{height}H{0:.1}z", x(from), x(to));
        let _ = write!(below, "M{:.1} {height}", x(from));
        for &(i, y) in run {
            let _ = write!(below, "L{:.1} {:.1}", x(i), y.unwrap_or_default());
        }
        let _ = write!(below, "V{height}z");
    }
    let marks = analysis.moves.iter().enumerate().filter_map(|(i, judged)| Some((i, judged.mark?, y(i + 1)?)));
    let borders = (1..phases.len()).filter(|&i| phases[i] != phases[i - 1]);
    html! {
        figure.graph {
            svg viewBox=(format!("0 0 {width} {height}")) role="img" data-last=(last)
                aria-label="White's chances of winning, move by move" {
                path.above d=(above) {}
                path.below d=(below) {}
                path.middle d=(format!("M0 {}H{width}", height / 2.0)) {}
                @for i in borders {
                    path.border d=(format!("M{:.1} 0V{height}", x(i))) {}
                    // Near the right edge, the word comes before its line.
                    @if x(i) < width - 90.0 {
                        text x=(format!("{:.1}", x(i) + 4.0)) y="15" { (phases[i].name()) }
                    } @else {
                        text x=(format!("{:.1}", x(i) - 4.0)) y="15" text-anchor="end" { (phases[i].name()) }
                    }
                }
                @for (i, mark, y) in marks {
                    circle class=(class(mark)) cx=(format!("{:.1}", x(i + 1))) cy=(format!("{y:.1}")) r="4" {}
                }
            }
            figcaption {
                "White's chances of winning: 100% at the top, 0% at the bottom. "
                "Points: " span.blunder { "blunder" } ", " span.mistake { "mistake" } ", " span.dubious { "dubious move" } "."
            }
        }
    }
}

/// Accuracy and marks by player and phase.
fn figures(table: &Table, white: &str, black: &str) -> Markup {
    let row = |name: &str, figures: &Figures| {
        html! {
            tr {
                td.l { (name) }
                td { (figures.moves) }
                td { (percent(figures.accuracy())) }
                @for n in figures.marks { td { (n) } }
            }
        }
    };
    html! {
        table.figures {
            thead {
                tr {
                    th {} th { "moves" } th { "accuracy" }
                    th title="blunders" { "??" } th title="mistakes" { "?" } th title="dubious moves" { "?!" }
                }
            }
            @for (player, name) in [(Color::White, white), (Color::Black, black)] {
                @let whole = table.whole(player);
                tbody {
                    tr {
                        th.l { bdi { (name) } }
                        td { (whole.moves) }
                        td { b { (percent(whole.accuracy())) } }
                        @for n in whole.marks { td { (n) } }
                    }
                    @for phase in Phase::ALL {
                        @let part = table.of(player, phase);
                        @if part.moves > 0 && part.moves < whole.moves { (row(phase.name(), &part)) }
                    }
                }
            }
        }
    }
}
