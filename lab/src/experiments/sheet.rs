//! The results of an experiment: a row for each search, a table with a row for each setting.

use std::fmt::Write as _;
use std::time::Duration;

use super::Args;
use ibex::bound::{Bound, Ibv};
use ibex::position::Game;
use ibex::position::notation::uci;
use ibex::search::Conventions;
use ibex::search::experiments::single::SearchRun;
use ibex::search::state::Tally;

/// One search.
#[derive(Clone, Debug)]
pub struct Row {
    setting: &'static str,
    position: String,
    nodes: u64,
    time: Duration,
    cuts: Tally,
    value: Option<Ibv>,
    best: String,
    plies: usize,
    iterations: u64,
}

impl Row {
    /// A row of a finished search.
    pub fn new(setting: &'static str, position: &str, game: &Game, conventions: Conventions, run: &SearchRun) -> Row {
        let iterations = run.finding.as_ref().map_or(0, |f| f.depth.max(0) as u64);
        let (value, best, plies) = match &run.finding {
            Some(f) => (Some(conventions.without_contempt(f.value)), uci(game.position(), f.best), f.pv.len()),
            None => (None, "-".to_owned(), 0),
        };
        Row {
            setting,
            position: position.to_owned(),
            nodes: run.nodes,
            time: run.time,
            cuts: run.tally,
            value,
            best,
            plies,
            iterations,
        }
    }

    fn score(&self) -> String {
        let Some(value) = self.value else { return "-".to_owned() };
        let sign = match value.bound() {
            Bound::Exact => "",
            Bound::Lower => ">=",
            Bound::Upper => "<=",
        };
        match value.score().mate_moves() {
            Some(moves) => format!("{sign}#{moves}"),
            None => format!("{sign}{}", value.score().cp()),
        }
    }
}

/// All searches of an experiment.
#[derive(Clone, Debug)]
pub struct Sheet {
    title: String,
    rows: Vec<Row>,
}

impl Sheet {
    /// An empty sheet of searches with a table of `mib` MiB: the machine may have lacked the memory for `--hash`.
    pub(super) fn new(args: &Args, mib: usize) -> Sheet {
        let kind = if args.exhaustive { "plain minimax" } else { "the search of play" };
        let experiment = format!("{:?}", args.experiment).to_lowercase();
        Sheet { title: format!("lab {experiment}: {kind}, depth {}, {mib} MiB", args.depth()), rows: vec![] }
    }

    pub(super) fn add(&mut self, row: Row) {
        self.rows.push(row);
    }

    /// The settings, in the order in which they were searched.
    fn settings(&self) -> Vec<&'static str> {
        let mut names: Vec<&'static str> = vec![];
        for row in &self.rows {
            if !names.contains(&row.setting) {
                names.push(row.setting);
            }
        }
        names
    }

    fn rows_of(&self, setting: &str) -> Vec<&Row> {
        self.rows.iter().filter(|row| row.setting == setting).collect()
    }

    /// A Markdown table, a row for each setting. Ratios are to the first setting: for nodes the geometric mean over
    /// the positions, for time the ratio of the sums. Cuts are per thousand nodes. Passes are root searches per
    /// iteration.
    pub fn markdown(&self) -> String {
        let mut text = format!(
            "{}\n\n| setting | nodes | nodes, ratio | time, ratio | cuts by ≥ | by ≤ | by = high | by = low | proofs | narrowed \
             | same move | same score | PV plies | passes |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
            self.title
        );
        let settings = self.settings();
        let Some(first) = settings.first() else { return text };
        let yardstick = self.rows_of(first);
        for setting in &settings {
            let rows = self.rows_of(setting);
            let nodes: u64 = rows.iter().map(|r| r.nodes).sum();
            let count = rows.len().max(1) as f64;
            let pairs = || rows.iter().zip(&yardstick);
            let logs: f64 = pairs().map(|(a, b)| (a.nodes.max(1) as f64 / b.nodes.max(1) as f64).ln()).sum();
            let seconds = |rows: &[&Row]| rows.iter().map(|r| r.time.as_secs_f64()).sum::<f64>().max(1e-9);
            let cuts = rows.iter().fold(Tally::default(), |sum, r| sum.plus(r.cuts));
            let share = |n: u64| format!("{:.2}", n as f64 * 1000.0 / nodes.max(1) as f64);
            let same_move = pairs().filter(|(a, b)| a.best == b.best).count();
            let same_score = pairs().filter(|(a, b)| a.value == b.value).count();
            let plies = rows.iter().map(|r| r.plies).sum::<usize>() as f64 / count;
            let _ = writeln!(
                text,
                "| {setting} | {nodes} | {:.3} | {:.2} | {} | {} | {} | {} | {} | {} | {same_move}/{} | {same_score}/{} | {plies:.1} | {:.2} |",
                (logs / count).exp(),
                seconds(&rows) / seconds(&yardstick),
                share(cuts.lower),
                share(cuts.upper),
                share(cuts.exact_high),
                share(cuts.exact_low),
                share(cuts.proofs),
                share(cuts.narrowed),
                rows.len(),
                rows.len(),
                cuts.passes as f64 / rows.iter().map(|r| r.iterations).sum::<u64>().max(1) as f64,
            );
        }
        text
    }

    /// Comma-separated values, a line for each search. No field contains a comma.
    pub fn csv(&self) -> String {
        let mut text = String::from(
            "setting,position,nodes,microseconds,lower,upper,exact_high,exact_low,proofs,narrowed,score,best,pv_plies,passes\n",
        );
        for r in &self.rows {
            let c = r.cuts;
            let _ = writeln!(
                text,
                "{},{},{},{},{},{},{},{},{},{},{},{},{},{}",
                r.setting.replace(',', ";"),
                r.position,
                r.nodes,
                r.time.as_micros(),
                c.lower,
                c.upper,
                c.exact_high,
                c.exact_low,
                c.proofs,
                c.narrowed,
                r.score(),
                r.best,
                r.plies,
                c.passes
            );
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Experiment, measure};
    use super::*;
    use ibex::score::Score;

    /// Two searches under each of two settings. Their numbers differ, so that no column can stand for another.
    #[test]
    fn every_number_is_in_its_column() {
        let cuts = |unit: u64, first: u64, passes| Tally {
            lower: unit * first,
            upper: unit * (first + 1),
            exact_high: unit * (first + 2),
            exact_low: unit * (first + 3),
            proofs: unit * (first + 4),
            narrowed: unit * (first + 5),
            passes,
        };
        let row = |setting, position: &str, nodes, ms, cuts, value, best: &str, plies, iterations| Row {
            setting,
            position: position.to_owned(),
            nodes,
            time: Duration::from_millis(ms),
            cuts,
            value,
            best: best.to_owned(),
            plies,
            iterations,
        };
        let [better, worse] = [42, -7].map(Score::heuristic);
        let mate = Ibv::exact(Score::mate_in(3));
        let sheet = Sheet {
            title: "lab sheet".to_owned(),
            rows: vec![
                row("a", "p1", 1000, 2, cuts(4, 1, 5), Some(Ibv::lower(better)), "e2e4", 9, 1),
                row("a", "p2", 3000, 4, cuts(0, 0, 3), Some(Ibv::upper(worse)), "d2d4", 4, 4),
                row("b, c", "p1", 4000, 3, cuts(7, 10, 20), Some(mate), "e2e4", 7, 4),
                row("b, c", "p2", 3000, 12, cuts(0, 0, 1), Some(Ibv::exact(worse)), "g1f3", 5, 8),
            ],
        };
        assert_eq!(
            sheet.markdown(),
            "lab sheet\n\n\
             | setting | nodes | nodes, ratio | time, ratio | cuts by ≥ | by ≤ | by = high | by = low | proofs \
             | narrowed | same move | same score | PV plies | passes |\n\
             |---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n\
             | a | 4000 | 1.000 | 1.00 | 1.00 | 2.00 | 3.00 | 4.00 | 5.00 | 6.00 | 2/2 | 2/2 | 6.5 | 1.60 |\n\
             | b, c | 7000 | 2.000 | 2.50 | 10.00 | 11.00 | 12.00 | 13.00 | 14.00 | 15.00 | 1/2 | 0/2 | 6.0 | 1.75 |\n"
        );
        assert_eq!(
            sheet.csv(),
            "setting,position,nodes,microseconds,lower,upper,exact_high,exact_low,proofs,narrowed,score,best,\
             pv_plies,passes\n\
             a,p1,1000,2000,4,8,12,16,20,24,>=42,e2e4,9,5\n\
             a,p2,3000,4000,0,0,0,0,0,0,<=-7,d2d4,4,3\n\
             b; c,p1,4000,3000,70,77,84,91,98,105,#2,e2e4,7,20\n\
             b; c,p2,3000,12000,0,0,0,0,0,0,-7,g1f3,5,1\n"
        );
    }

    #[test]
    fn every_experiment_fills_its_sheet() {
        for (experiment, settings) in [
            (Experiment::Table, 6),
            (Experiment::Draws, 3),
            (Experiment::Distance, 3),
            (Experiment::Grain, 5),
            (Experiment::Mtdf, 15),
            (Experiment::Bands, 4),
            (Experiment::Narrowing, 3),
            (Experiment::Composition, 3),
            (Experiment::Recognizers, 2),
        ] {
            let args = Args {
                experiment,
                depth: Some(3),
                nodes: None,
                hash: 1,
                exhaustive: false,
                every: 20,
                epd: None,
                csv: None,
                force: false,
            };
            assert!(Sheet::new(&args, 7).title.ends_with(", depth 3, 7 MiB"), "the table that there was");
            let sheet = measure(&args).expect("positions and a thread");
            assert_eq!(sheet.markdown().lines().count(), 4 + settings, "{experiment:?}");
            let csv = sheet.csv();
            assert_eq!(csv.lines().count(), 1 + 2 * settings);
            let fields = |line: &str| line.split(',').count();
            assert!(csv.lines().all(|line| fields(line) == 14), "{csv}");
        }
    }
}
