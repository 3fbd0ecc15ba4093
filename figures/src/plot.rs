//! Plots of what the pages record. They are drawn from the pages' tables, the record of matches and the engine's
//! curves, so no plot can contradict these.

use std::fs;
use terminal::{CommandError, trouble};

use ibex::score::Score;
use ibex::search::Basis;
use ibex::uci::wdl::per_mille;
use plotters::coord::ranged1d::{NoDefaultFormatting, ValueFormatter};
use plotters::prelude::*;

use crate::{measure, page};

/// A plot, its file, and how to draw it.
struct Plot {
    file: &'static str,
    draw: fn() -> Result<Chart, CommandError>,
}

/// The folder of the plots.
const FOLDER: &str = "docs/plots";

const PLOTS: [Plot; 4] = [
    Plot { file: "docs/plots/chances.svg", draw: chances },
    Plot { file: "docs/plots/networks.svg", draw: networks },
    Plot { file: "docs/plots/nodes.svg", draw: nodes },
    Plot { file: "docs/plots/threads.svg", draw: threads },
];

/// What a chart shows.
#[derive(Debug, PartialEq)]
struct Chart {
    across: &'static str,
    up: &'static str,
    /// The labels below the axis, from 0 on; points may lie between them.
    ticks: Vec<String>,
    series: Vec<Series>,
}

/// Points connected by a line.
#[derive(Debug, PartialEq)]
struct Series {
    label: String,
    points: Vec<Point>,
}

/// A value with its 95% error, at a tick.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Point {
    at: usize,
    value: f64,
    error: f64,
}

/// Draws all plots. Returns how many changed, and a line for each that cannot be drawn or written.
pub fn write() -> (usize, Vec<String>) {
    let (mut changed, mut errors) = (0, Vec::new());
    for plot in &PLOTS {
        let written = plot.outdated().and_then(|picture| {
            let Some(picture) = picture else { return Ok(0) };
            fs::create_dir_all(FOLDER).map_err(|error| trouble!("{FOLDER}: {error}"))?;
            page::write(plot.file, &picture)?;
            Ok(1)
        });
        match written {
            Ok(count) => changed += count,
            Err(error) => errors.push(error.to_string()),
        }
    }
    (changed, errors)
}

/// A line for each plot that is outdated, or cannot be drawn.
pub fn stale() -> Vec<String> {
    let wrong = |plot: &Plot| match plot.outdated() {
        Ok(None) => None,
        Ok(Some(_)) => Some(format!("{} is not the plot of its table (`make figures` draws it)", plot.file)),
        Err(error) => Some(error.to_string()),
    };
    PLOTS.iter().filter_map(wrong).collect()
}

impl Plot {
    /// The plot as it would be drawn now, if the file differs.
    ///
    /// # Errors
    ///
    /// One line with the file of the plot: a table is missing or not understood.
    fn outdated(&self) -> Result<Option<String>, CommandError> {
        let failed = |error: CommandError| error.about(self.file);
        let picture = (self.draw)().and_then(|chart| chart.draw()).map_err(failed)?;
        let same = fs::read_to_string(self.file).is_ok_and(|old| old == picture);
        Ok((!same).then_some(picture))
    }
}

/// The strength of the networks: each against its predecessor, added up, and each against the hand-written evaluation.
fn networks() -> Result<Chart, CommandError> {
    let record = page::read("docs/record/matches.csv")?;
    let mut rows = Vec::new();
    for row in csv::Reader::from_reader(record.as_bytes()).into_deserialize::<MatchRow>() {
        let row = row.map_err(|error| trouble!("docs/record/matches.csv: {error}"))?;
        if row.about == "network" {
            rows.push(row);
        }
    }
    let newest = (1..).take_while(|&number| rows.iter().any(|row| is_network(&row.change, number))).count();
    let name = |number: usize| format!("ibex-{number}");
    let mut sums = vec![Point { at: 0, value: 0.0, error: 0.0 }];
    let mut against = Vec::new();
    for number in 1..=newest {
        let of = rows.iter().filter(|row| is_network(&row.change, number));
        let last = sums[sums.len() - 1];
        if number > 1 {
            let step = of.clone().find(|row| is_network(&row.against, number - 1));
            let step =
                step.ok_or_else(|| trouble!("docs/record/matches.csv: {} met no {}", name(number), name(number - 1)))?;
            sums.push(Point { at: number - 1, value: last.value + step.elo, error: last.error.hypot(step.error) });
        }
        let clock = of.clone().find(|row| {
            row.change == name(number)
                && row.against == "the hand-written evaluation"
                && row.limit == "1 s + 0.01 s"
                && row.book == BOOK
        });
        against.extend(clock.map(|row| Point { at: number - 1, value: row.elo, error: row.error }));
    }
    Ok(Chart {
        across: "network",
        up: "Elo",
        ticks: (1..=newest).map(name).collect(),
        series: vec![
            Series { label: "matches against the one before, added up".to_owned(), points: sums },
            Series { label: format!("against the hand-written evaluation, 1 s + 0.01 s, {BOOK}"), points: against },
        ],
    })
}

/// The columns of the record of matches that plots need.
#[derive(serde::Deserialize)]
struct MatchRow {
    about: String,
    change: String,
    against: String,
    elo: f64,
    error: f64,
    limit: String,
    book: String,
}

/// The book of the compared matches: with another book, the same difference gives another number of Elo.
const BOOK: &str = "UHO_4060_v4";

/// Whether a match names this network itself, not one derived from it.
fn is_network(text: &str, number: usize) -> bool {
    let rest = text.strip_prefix(&format!("ibex-{number}"));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(" ("))
}

/// The worth of twice the nodes.
fn nodes() -> Result<Chart, CommandError> {
    let rows = table("docs/strength.md", "nodes")?;
    let mut points = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let of_table = |error: CommandError| error.about("docs/strength.md: the table nodes");
        let (value, error) = cell(row, row.len().saturating_sub(1)).and_then(elo).map_err(of_table)?;
        // A side that scored nothing has no Elo to draw.
        if value.is_finite() {
            points.push(Point { at, value, error });
        }
    }
    Ok(Chart {
        across: "nodes a move, against half of them",
        up: "Elo",
        ticks: rows.into_iter().filter_map(|row| row.into_iter().next()).collect(),
        series: vec![Series { label: "gain by twice the nodes".to_owned(), points }],
    })
}

/// The time to a depth with one thread and with two.
fn threads() -> Result<Chart, CommandError> {
    let rows = table("docs/strength.md", "threads")?;
    let points = |column: usize| -> Result<Vec<Point>, CommandError> {
        let value = |row: &[String]| cell(row, column).and_then(number);
        let values = rows.iter().enumerate().map(|(at, row)| Ok(Point { at, value: value(row)?, error: 0.0 }));
        values
            .collect::<Result<_, _>>()
            .map_err(|error: CommandError| error.about("docs/strength.md: the table threads"))
    };
    let series = vec![
        Series { label: "one thread".to_owned(), points: points(1)? },
        Series { label: "two threads".to_owned(), points: points(2)? },
    ];
    let ticks = rows.into_iter().filter_map(|row| row.into_iter().next()).collect();
    Ok(Chart { across: "depth", up: "seconds for 40 positions", ticks, series })
}

/// The winning chance by score, for some numbers of men, as the engine reports it.
fn chances() -> Result<Chart, CommandError> {
    const SCORES: std::ops::RangeInclusive<i32> = 0..=16;
    const STEP: i32 = 25;
    let curve = |men: usize| {
        let win = |cp| f64::from(per_mille(Score::heuristic(cp), Basis::Evaluation, men)[0]) / 10.0;
        let values = SCORES.map(|step| win(STEP * step)).enumerate();
        let points = values.map(|(at, value)| Point { at, value, error: 0.0 }).collect();
        Series { label: format!("{men} men"), points }
    };
    Ok(Chart {
        across: "score in pawns",
        up: "games won, of 100",
        ticks: SCORES.map(|step| format!("{:.2}", f64::from(STEP * step) / 100.0)).collect(),
        series: [32, 24, 16, 10, 6].map(curve).into(),
    })
}

/// The rows of a figure's table, cell by cell.
fn table(page: &str, figure: &str) -> Result<Vec<Vec<String>>, CommandError> {
    let table = page::table(&page::block(page, figure)?);
    let cells = |line| measure::cells(line).into_iter().map(str::to_owned).collect();
    let rows: Vec<Vec<String>> = table.lines().skip(2).map(cells).collect();
    if rows.is_empty() { Err(trouble!("{page}: the table {figure} has no rows")) } else { Ok(rows) }
}

fn cell(row: &[String], at: usize) -> Result<&str, CommandError> {
    row.get(at).map(String::as_str).ok_or_else(|| trouble!("a row of {} cells is too short", row.len()))
}

fn number(cell: &str) -> Result<f64, CommandError> {
    cell.parse().map_err(|_| trouble!("not a number: '{cell}'"))
}

/// A difference in Elo and its error, as the pages write them. If one side hardly scores, there is no error.
fn elo(cell: &str) -> Result<(f64, f64), CommandError> {
    let (value, error) = cell.split_once(" ± ").unwrap_or((cell, "0"));
    Ok((number(value.trim_start_matches('+'))?, number(error)?))
}

/// The axis of named ticks.
struct Ticks<'a>(&'a [String]);

impl Ranged for Ticks<'_> {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    /// There is half a tick before the first and after the last.
    fn map(&self, value: &f64, (low, high): (i32, i32)) -> i32 {
        low + ((value + 0.5) / self.0.len() as f64 * f64::from(high - low)).round() as i32
    }

    fn key_points<Hint: plotters::coord::ranged1d::KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        (0..self.0.len()).map(|at| at as f64).collect()
    }

    fn range(&self) -> std::ops::Range<f64> {
        -0.5..self.0.len() as f64 - 0.5
    }
}

impl ValueFormatter<f64> for Ticks<'_> {
    fn format(value: &f64) -> String {
        value.to_string()
    }

    fn format_ext(&self, value: &f64) -> String {
        self.0.get(value.round() as usize).cloned().unwrap_or_default()
    }
}

/// The lines' colours: on white and on black, people with any colour vision can distinguish them.
const LINES: [RGBColor; 5] = [
    RGBColor(0x1f, 0x77, 0xb4),
    RGBColor(0xd9, 0x5f, 0x02),
    RGBColor(0x1b, 0x9e, 0x77),
    RGBColor(0xcc, 0x79, 0xa7),
    RGBColor(0x88, 0x88, 0x88),
];

/// The changes for a dark page: background, text and grid.
const THEME: &str = "<style>@media (prefers-color-scheme: dark) {
[fill='#FFFFFF'] { fill: #0d1117 }
[fill='#000000'] { fill: #e6edf3 }
[stroke='#000000'] { stroke: #8b949e }
}</style>
";

impl Chart {
    /// The picture, for light and for dark pages.
    fn draw(&self) -> Result<String, CommandError> {
        let mut picture = String::new();
        self.draw_into(&mut picture)?;
        let head = picture.find('>').ok_or_else(|| trouble!("a picture without a head"))? + 1;
        picture.insert_str(head, THEME);
        Ok(picture)
    }

    fn draw_into(&self, picture: &mut String) -> Result<(), CommandError> {
        let points = || self.series.iter().flat_map(|series| &series.points);
        let high = points().map(|point| point.value + point.error).fold(0.0, f64::max);
        let low = points().map(|point| point.value - point.error).fold(0.0, f64::min);
        let margin = 0.05 * (high - low);
        let area = SVGBackend::with_string(picture, (800, 420)).into_drawing_area();
        area.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&area)
            .margin(16)
            .x_label_area_size(44)
            .y_label_area_size(60)
            .build_cartesian_2d(Ticks(&self.ticks), low - margin..high + margin)?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(BLACK.mix(0.2))
            .x_desc(self.across)
            .y_desc(self.up)
            .y_label_formatter(&|value| ((value * 1000.0).round() / 1000.0).to_string())
            .draw()?;
        for (series, color) in self.series.iter().zip(LINES) {
            let at = |point: &Point| point.at as f64;
            let line = series.points.iter().map(|point| (at(point), point.value));
            chart
                .draw_series(LineSeries::new(line, color.stroke_width(2)))?
                .label(&series.label)
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], color.stroke_width(2)));
            chart.draw_series(
                series.points.iter().map(|point| Circle::new((at(point), point.value), 4, color.filled())),
            )?;
            chart.draw_series(series.points.iter().filter(|point| point.error > 0.0).map(|point| {
                let ends = [point.value - point.error, point.value + point.error].map(|value| (at(point), value));
                PathElement::new(ends, color.stroke_width(1))
            }))?;
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperLeft)
            .border_style(TRANSPARENT)
            .background_style(WHITE)
            .draw()?;
        area.present()?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chart_shows_every_point_and_supports_dark_mode() {
        let points = [(0, 10.0, 5.0), (1, -20.0, 0.0), (2, 35.0, 8.0)];
        let points = points.map(|(at, value, error)| Point { at, value, error }).to_vec();
        let ticks = ["a", "b", "c"].map(str::to_owned).to_vec();
        let chart = Chart { across: "x", up: "y", ticks, series: vec![Series { label: "all".to_owned(), points }] };
        let picture = chart.draw().unwrap();
        assert_eq!(picture.matches("<circle").count(), 3);
        assert!(picture.starts_with("<svg") && picture.contains("prefers-color-scheme: dark"));
        for text in ["a", "b", "c", "x", "y", "all"] {
            assert!(picture.contains(&format!("\n{text}\n")), "{text} is missing:\n{picture}");
        }
        assert_eq!(chart.draw().unwrap(), picture, "the same every time");
    }

    #[test]
    fn cells_are_read() {
        assert_eq!(elo("+87 ± 30"), Ok((87.0, 30.0)));
        assert_eq!(elo("-4.5 ± 2"), Ok((-4.5, 2.0)));
        assert_eq!((elo("+920"), elo("+inf")), (Ok((920.0, 0.0)), Ok((f64::INFINITY, 0.0))), "as games.rs writes them");
        assert!(elo("87 30").is_err() && elo("x ± 1").is_err() && number("").is_err());
    }

    #[test]
    fn errors_name_the_plot() {
        let plot = Plot { file: "docs/plots/nodes.svg", draw: || Err(trouble!("not a number: 'x'")) };
        assert_eq!(plot.outdated(), Err(trouble!("docs/plots/nodes.svg: not a number: 'x'")));
    }

    #[test]
    fn networks_are_distinguished_from_their_descendants() {
        assert!(is_network("ibex-1", 1) && is_network("ibex-1 (37 million)", 1));
        assert!(!is_network("ibex-10", 1) && !is_network("ibex-1 after 2 more epochs", 1));
    }
}
