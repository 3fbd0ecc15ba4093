//! The record of matches: consistent data, the tables of `docs/record/matches.md` generated from them, and the worth of
//! the search's steps in their titles.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::sources;

/// Set to rewrite the tables instead of comparing them.
const WRITE: &str = "IBEX_WRITE_MATCHES";

type Row = BTreeMap<String, String>;

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// The rows of a CSV file, by column names.
fn rows(name: &str) -> Vec<Row> {
    let mut reader = csv::Reader::from_path(path(name)).expect("a readable file");
    reader.deserialize().collect::<Result<_, _>>().unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn number(row: &Row, column: &str) -> f64 {
    row[column].parse().unwrap_or_else(|_| panic!("{column}: no number in {row:?}"))
}

/// "+20.0 ± 5.1".
fn elo(row: &Row) -> String {
    format!("{:+.1} ± {}", number(row, "elo"), row["error"])
}

fn results(row: &Row) -> String {
    format!("{}, {}, {}", row["won"], row["drawn"], row["lost"])
}

/// The table of one kind of match, in the order of the file.
fn matches_table(rows: &[Row], about: &str) -> String {
    let mut text =
        "| date | change | against | Elo | games | won, drawn, lost | limit, hash | book | commit |\n".to_owned();
    text += "|---|---|---|--:|--:|---|---|---|---|\n";
    for row in rows.iter().filter(|row| row["about"] == about) {
        text += &format!(
            "| {} | {} | {} | {} | {} | {} | {}, {} MB | {} | {} |\n",
            row["date"],
            row["change"],
            row["against"],
            elo(row),
            row["games"],
            results(row),
            row["limit"],
            row["hash"],
            row["book"],
            row["commit"]
        );
    }
    text
}

/// Puts a table between its marker and the next end marker.
fn with_table(page: &str, name: &str, table: &str) -> String {
    let marker = format!("<!-- {name} -->\n");
    let (head, rest) = page.split_once(&marker).unwrap_or_else(|| panic!("docs/record/matches.md has no {marker}"));
    let (_, tail) = rest.split_once("<!-- end -->").expect("the end of a table");
    format!("{head}{marker}{table}<!-- end -->{tail}")
}

/// Whether a text fits one cell of a table.
fn fits(cell: &str) -> bool {
    !cell.contains(|c: char| c == '|' || c.is_control())
}

#[test]
fn every_cell_fits_the_tables() {
    for row in rows("docs/record/matches.csv") {
        assert!(row.values().all(|cell| fits(cell)), "a bar or a control character: {row:?}");
    }
    assert!(fits("less, \"more\"") && !fits("a | b") && !fits("a\nb"));
}

#[test]
fn the_tables_are_current() {
    let old = fs::read_to_string(path("docs/record/matches.md")).expect("readable");
    let matches = rows("docs/record/matches.csv");
    let mut page = old.clone();
    for about in ["search", "rules", "network", "opponent"] {
        page = with_table(&page, about, &matches_table(&matches, about));
    }
    for row in &matches {
        assert!(["search", "rules", "network", "opponent"].contains(&row["about"].as_str()), "in no table: {row:?}");
    }
    if std::env::var_os(WRITE).is_some() {
        fs::write(path("docs/record/matches.md"), page).expect("writable");
    } else {
        assert!(old == page, "the tables of docs/record/matches.md are old; run `make matches`");
    }
}

/// The Elo of a result, as every match runner computes it.
fn elo_of(won: f64, drawn: f64, lost: f64) -> f64 {
    let share = (won + drawn / 2.0) / (won + drawn + lost);
    -400.0 * (1.0 / share - 1.0).log10()
}

/// The 95% error of a result of single games.
fn error_of(won: f64, drawn: f64, lost: f64) -> f64 {
    let games = won + drawn + lost;
    let share = (won + drawn / 2.0) / games;
    let variance = (won * (1.0 - share).powi(2) + drawn * (0.5 - share).powi(2) + lost * share.powi(2)) / games;
    let slope = 400.0 / std::f64::consts::LN_10 / (share * (1.0 - share));
    1.96 * (variance / games).sqrt() * slope
}

#[test]
fn every_elo_follows_from_its_games() {
    for row in rows("docs/record/matches.csv") {
        let [won, drawn, lost] = ["won", "drawn", "lost"].map(|column| number(&row, column));
        // The runner leaves out the single game of an unfinished pair.
        let tolerance = if (won + drawn + lost) % 2.0 == 0.0 { 0.11 } else { 1.0 };
        let elo = elo_of(won, drawn, lost);
        assert!((elo - number(&row, "elo")).abs() < tolerance, "{elo}: {row:?}");
        assert_eq!(won + drawn + lost, number(&row, "games"), "{row:?}");
        // Pairs usually have a smaller error than the same number of single games, but never nearly none.
        let ratio = number(&row, "error") / error_of(won, drawn, lost);
        assert!((0.1..=1.1).contains(&ratio), "{ratio}: {row:?}");
    }
    assert!(elo_of(60.0, 20.0, 20.0) > 0.0 && elo_of(20.0, 20.0, 60.0) < 0.0);
}

/// The comment with the title of a step, in one line.
fn title(node: &str, step: &str) -> String {
    let start = format!("// Step {step}. ");
    let comment =
        node.lines().map(str::trim).skip_while(|line| !line.starts_with(&start)).take_while(|l| l.starts_with("//"));
    comment.map(|line| line.trim_start_matches("// ")).collect::<Vec<_>>().join(" ")
}

/// Step, technique and worth in each row of the figure `steps`: `8`, `reverse futility pruning (RFP)`, `+203`. The
/// worth must follow from the games.
fn worths(page: &str) -> Vec<[String; 3]> {
    let (_, rest) = page.split_once("<!-- figure steps -->\n").expect("the figure");
    let table = rest.lines().take_while(|line| line.starts_with('|')).skip(2);
    let worth = |line: &str| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [step, technique, won, drawn, lost, _, elo, _] = cells[..] else { panic!("no row of steps: {line}") };
        let (elo, _) = elo.split_once(" ± ").unwrap_or_else(|| panic!("no Elo: {line}"));
        let [won, drawn, lost, worth] = [won, drawn, lost, elo].map(|cell| cell.parse::<f64>().expect(line));
        assert!((elo_of(won, drawn, lost) - worth).abs() < 0.51, "{line}");
        [step, technique, elo].map(str::to_owned)
    };
    table.map(worth).collect()
}

#[test]
fn the_titles_of_the_steps_have_the_measured_worth() {
    let sources = sources();
    let (_, node) = sources.iter().find(|(name, _)| name == "search/node/interior.rs").expect("the node");
    let worths = worths(&fs::read_to_string(path("docs/record/matches.md")).expect("readable"));
    assert!(worths.len() > 10, "{worths:?}");
    for [step, technique, worth] in worths {
        let title = title(node, &step);
        let has = [" Elo)", ")"].iter().any(|end| title.contains(&format!("{worth}{end}")));
        assert!(has, "step {step}: {worth} of {technique} is not in \"{title}\"");
    }
}
