//! The results of a run: totals by player, suite and theme.

use serde::Serialize;

use super::judge::MateVerdict;
use super::record::{Record, Run, Status, theme};
use terminal::tell::share;

/// The most themes of a suite; if there are more, they are not themes.
pub const MOST_THEMES: usize = 40;

/// Totals of one player over some positions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Total {
    /// The player's label.
    pub player: String,
    /// The suite, or the theme within one.
    pub name: String,
    /// Positions searched.
    pub positions: usize,
    /// Positions solved.
    pub solved: usize,
    /// Points, and those of always playing the best move; zero if there are none.
    pub points: (i32, i32),
    /// Announced mates by verdict: exact, longer, shorter, wrong, missed.
    pub mates: [usize; 5],
    /// Mean milliseconds until the solution was found, over the solved ones.
    pub found_ms: Option<f64>,
    /// Mean nodes until then.
    pub found_nodes: Option<f64>,
    /// Median of the deepest iterations.
    pub depth: u32,
    /// Nodes.
    pub nodes: u64,
    /// Milliseconds.
    pub ms: u64,
    /// Crashes, timeouts, illegal moves and positions that the player lacks an option for.
    pub troubles: usize,
}

impl Total {
    /// Adds up records.
    pub fn of<'a>(player: &str, name: &str, records: impl Iterator<Item = &'a Record>) -> Total {
        let records: Vec<&Record> = records.collect();
        let mut total = Total {
            player: player.to_owned(),
            name: name.to_owned(),
            positions: records.len(),
            solved: records.iter().filter(|r| r.solved).count(),
            points: (0, 0),
            mates: [0; 5],
            found_ms: None,
            found_nodes: None,
            depth: 0,
            // An engine or a file may claim any number.
            nodes: records.iter().map(|r| r.nodes).fold(0, u64::saturating_add),
            ms: records.iter().map(|r| r.ms).fold(0, u64::saturating_add),
            troubles: records.iter().filter(|r| r.status != Status::Ok).count(),
        };
        for record in &records {
            if let Some((own, most)) = record.points {
                total.points = (total.points.0.saturating_add(own), total.points.1.saturating_add(most));
            }
            if let Some(verdict) = record.mate {
                total.mates[verdict as usize] += 1;
            }
        }
        let found: Vec<_> = records.iter().filter_map(|r| r.found).collect();
        if !found.is_empty() {
            let n = found.len() as f64;
            total.found_ms = Some(found.iter().map(|f| f.ms as f64).sum::<f64>() / n);
            total.found_nodes = Some(found.iter().map(|f| f.nodes as f64).sum::<f64>() / n);
        }
        let mut depths: Vec<u32> = records.iter().map(|r| r.depth).collect();
        depths.sort_unstable();
        total.depth = depths.get(depths.len() / 2).copied().unwrap_or(0);
        total
    }

    /// The share solved, in percent.
    pub fn percent(&self) -> f64 {
        100.0 * self.solved as f64 / self.positions.max(1) as f64
    }

    /// The same for people, to one decimal place, without the sign.
    pub fn percent_text(&self) -> String {
        share(self.solved, self.positions, 1)
    }

    /// Nodes per second over all searches.
    pub fn nps(&self) -> u64 {
        (self.nodes as f64 * 1000.0 / self.ms.max(1) as f64) as u64
    }

    /// The points for people; empty if there are none.
    pub fn points_text(&self) -> String {
        if self.points.1 == 0 { String::new() } else { format!("{}/{}", self.points.0, self.points.1) }
    }

    /// The mates for people; empty if none is proved.
    pub fn mates_text(&self) -> String {
        let words = ["exact", "longer", "shorter", "wrong", "without a mate"];
        let parts = self.mates.iter().zip(words).filter(|&(&n, _)| n > 0).map(|(n, word)| format!("{n} {word}"));
        parts.collect::<Vec<_>>().join(", ")
    }
}

const _: () = assert!(MateVerdict::Missed as usize == 4);

/// The players of a run.
pub fn players(run: &Run) -> impl Iterator<Item = &str> {
    run.head.players.iter().map(|player| player.label.as_str())
}

/// Totals of each player by suite; with several suites, also over all of them.
pub fn totals(run: &Run) -> Vec<Total> {
    let mut totals = Vec::new();
    for suite in &run.head.suites {
        for player in players(run) {
            let records = run.records.iter().filter(|r| r.player == player && r.suite == suite.name);
            totals.push(Total::of(player, &suite.name, records));
        }
    }
    if run.head.suites.len() > 1 {
        for player in players(run) {
            totals.push(Total::of(player, "all", run.records.iter().filter(|r| r.player == player)));
        }
    }
    totals
}

/// The records of each theme, for the suites whose ids name more than one.
pub fn theme_groups(run: &Run) -> Vec<(&str, Vec<&Record>)> {
    let mut groups = Vec::new();
    'suites: for suite in &run.head.suites {
        let mut own: Vec<(&str, Vec<&Record>)> = Vec::new();
        for record in run.records.iter().filter(|r| r.suite == suite.name) {
            let name = theme(&record.id);
            match own.iter_mut().find(|(known, _)| *known == name) {
                Some((_, records)) => records.push(record),
                None => own.push((name, vec![record])),
            }
            // Ids that all differ are not themes, and comparing each with all others would take minutes.
            if own.len() > MOST_THEMES {
                continue 'suites;
            }
        }
        if own.len() > 1 {
            groups.append(&mut own);
        }
    }
    groups
}

/// Totals of each player by theme.
pub fn themes(run: &Run) -> Vec<Total> {
    let mut totals = Vec::new();
    for (name, records) in theme_groups(run) {
        for player in players(run) {
            totals.push(Total::of(player, name, records.iter().copied().filter(|r| r.player == player)));
        }
    }
    totals
}

/// The totals of the player that solved the smallest share of the positions; `None` in an empty shard.
pub fn least_solved(run: &Run) -> Option<Total> {
    let records = |player| run.records.iter().filter(move |record| record.player == player);
    players(run)
        .filter(|&player| records(player).next().is_some())
        .map(|player| Total::of(player, "all", records(player)))
        .min_by(|one, other| one.percent().total_cmp(&other.percent()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups(themes: usize, positions: usize) -> usize {
        let head = serde_json::json!({
            "ibex_epd": 1, "players": [], "budget": {}, "hash": 1, "threads": 1,
            "suites": [{ "name": "s", "positions": positions, "bad_lines": 0, "digest": "" }]
        });
        let record = serde_json::json!({
            "player": "p", "suite": "s", "line": 1, "id": "", "fen": "", "status": "ok", "solved": true,
            "depth": 1, "seldepth": 1, "nodes": 1, "ms": 1
        });
        let record: Record = serde_json::from_value(record).expect("a record");
        // A digit would count as a number within a theme.
        let id = |i: usize| (i % themes).to_string().bytes().map(|digit| char::from(digit - b'0' + b'a')).collect();
        let records = (0..positions).map(|i| Record { id: id(i), ..record.clone() }).collect();
        let run = Run { head: serde_json::from_value(head).expect("a head"), records };
        theme_groups(&run).len()
    }

    /// Comparing each of these ids with all others would take minutes.
    #[test]
    fn themes_are_grouped_only_if_few() {
        assert_eq!([groups(1, 90), groups(2, 90), groups(40, 90), groups(41, 90)], [0, 2, 40, 0]);
        assert_eq!(groups(300_000, 300_000), 0);
    }
}
