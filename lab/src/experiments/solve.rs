//! `ibex-lab experiments recognizers`: the nodes to a suite's solutions, with recognizers and without.

use std::path::Path;
use std::sync::Mutex;

use super::{Args, read_suite};
use formats::epd::SuiteEntry;
use ibex::bound::Bound;
use ibex::position::{Game, Move};
use ibex::score::DrawRule;
use ibex::search::experiments::single::SingleSearch;
use ibex::search::{Conventions, Event, Rules};
use ibex::time::Limits;
use terminal::tell::counted;
use terminal::{CommandError, progress, remark, trouble};

/// The default suite: the project's own.
const SUITE: &str = "epd/recognizers.epd";

/// The nodes in which a position must be solved.
fn limit(args: &Args) -> u64 {
    args.nodes.unwrap_or(100_000)
}

/// The results of one setting.
#[derive(Clone, Debug, Default)]
pub struct Solutions {
    /// Nodes to each solution; the limit if there was none.
    nodes: Vec<u64>,
    /// How many solutions were found.
    solved: usize,
}

/// The results of the suite.
#[derive(Clone, Debug)]
pub struct Solved {
    /// The table in MiB: the machine may have lacked the memory for `--hash`.
    mib: usize,
    /// With recognizers, and without.
    found: [Solutions; 2],
}

/// Searches the suite under both settings, and compares.
///
/// # Errors
///
/// One line: no suite, or no thread to search on.
pub fn measure(args: &Args) -> Result<Solved, CommandError> {
    let suite = read_suite(args.epd.as_deref().unwrap_or(Path::new(SUITE)))?;
    let limit = limit(args);
    let (solvable, others): (Vec<&SuiteEntry>, Vec<_>) = suite.entries.iter().partition(|e| !e.best.is_empty());
    let entries: Vec<&SuiteEntry> = solvable.into_iter().step_by(args.every as usize).collect();
    if entries.is_empty() {
        return Err(trouble!("{}: no position with a best move", suite.file));
    }
    if !others.is_empty() {
        let count = counted(others.len() as u64, "position", "positions");
        remark!("{}: {count} without a best move (bm): left out", suite.file);
    }
    let bar = progress::bar(2 * entries.len() as u64, "searches");
    let mut bench = SingleSearch::new(args.hash as usize);
    let mut found = [Solutions::default(), Solutions::default()];
    for entry in entries {
        for (recognizers, solutions) in [true, false].into_iter().zip(&mut found) {
            bench.clear();
            let rules = Rules { recognizers, ..Rules::PLAY };
            let nodes = nodes_to_solution(&mut bench, rules, entry, limit)?;
            solutions.solved += usize::from(nodes.is_some());
            solutions.nodes.push(nodes.unwrap_or(limit));
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    Ok(Solved { mib: bench.table().mib(), found })
}

/// The nodes after which a search has a right move with a right score, and keeps both to its end.
fn nodes_to_solution(
    bench: &mut SingleSearch,
    rules: Rules,
    entry: &SuiteEntry,
    limit: u64,
) -> Result<Option<u64>, CommandError> {
    let result = entry.operation("result").map(|operation| operation.text().to_owned());
    let solved = Mutex::new(None);
    let hear = |event: Event| {
        let Event::Line(report) = event else { return };
        if report.value.bound() != Bound::Exact {
            return;
        }
        let cp = report.value.score().cp();
        let score = match result.as_deref() {
            Some("win") => cp > 500,
            Some("draw") => cp.abs() <= 30,
            _ => true,
        };
        let right = score && report.pv.first().is_some_and(|m| entry.best.contains(m));
        if let Ok(mut solved) = solved.lock() {
            *solved = if right { solved.or(Some(report.nodes)) } else { None };
        }
    };
    let conventions = Conventions { draws: DrawRule::Later, contempt: 0 };
    let game = Game::new(entry.position);
    let run = bench
        .search(rules, conventions, &game, &Limits::nodes(limit), Some(&hear))
        .map_err(|error| trouble!("no thread to search on: {error}"))?;
    let played = run.finding.map(|finding| finding.best);
    Ok(solved.into_inner().unwrap_or(None).filter(|_| is_kept(entry, played)))
}

/// Whether the move that a search would play is right. It need not be that of the last exact line: another move may
/// have failed high as the nodes ran out.
fn is_kept(entry: &SuiteEntry, played: Option<Move>) -> bool {
    played.is_some_and(|played| entry.best.contains(&played))
}

impl Solved {
    /// A Markdown table, a row for each setting; the ratio is to recognizers on.
    pub fn markdown(&self, args: &Args) -> String {
        let mut text = format!(
            "lab recognizers: nodes to the solution, at most {}, {} MiB\n\n\
             | recognizers | solved | nodes | nodes, geometric mean | ratio |\n|---|--:|--:|--:|--:|\n",
            limit(args),
            self.mib
        );
        let mean = |s: &Solutions| {
            let logs: f64 = s.nodes.iter().map(|&n| (n.max(1) as f64).ln()).sum();
            (logs / s.nodes.len().max(1) as f64).exp()
        };
        for (name, solutions) in ["on (play)", "off"].into_iter().zip(&self.found) {
            text += &format!(
                "| {name} | {}/{} | {} | {:.0} | {:.2} |\n",
                solutions.solved,
                solutions.nodes.len(),
                solutions.nodes.iter().sum::<u64>(),
                mean(solutions),
                mean(solutions) / mean(&self.found[0]),
            );
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::super::Experiment;
    use super::*;
    use formats::epd::Suite;

    #[test]
    fn a_solution_given_up_at_the_end_does_not_count() {
        let suite = Suite::parse("memory", "memory", b"6k1/5ppp/8/8/8/8/8/R3K3 w Q - bm Ra8#;");
        let entry = &suite.entries[0];
        let others = entry.position.legal_moves();
        let other = others.iter().copied().find(|m| !entry.best.contains(m));
        assert!(is_kept(entry, entry.best.first().copied()));
        assert!(other.is_some() && !is_kept(entry, other) && !is_kept(entry, None));
    }

    #[test]
    fn recognizers_save_nodes_in_our_suite() {
        let epd = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..").join(SUITE);
        let args = Args {
            experiment: Experiment::Recognizers,
            depth: None,
            nodes: Some(5000),
            hash: 1,
            exhaustive: false,
            every: 8,
            epd: Some(epd),
            csv: None,
            force: false,
        };
        let solved = measure(&args).expect("a suite and a thread");
        assert!(solved.found[0].solved > solved.found[1].solved, "{solved:?}");
        let [with, without] = [0, 1].map(|i| solved.found[i].nodes.iter().sum::<u64>());
        assert!(with < without, "{solved:?}");
        let found = [(2, vec![10, 1000]), (1, vec![100, 10_000])];
        let found = found.map(|(solved, nodes)| Solutions { nodes, solved });
        let text = Solved { mib: 7, found }.markdown(&args);
        assert!(text.contains(", at most 5000, 7 MiB\n"), "the table that there was: {text}");
        let rows = "| on (play) | 2/2 | 1010 | 100 | 1.00 |\n| off | 1/2 | 10100 | 1000 | 10.00 |\n";
        assert!(text.ends_with(rows) && text.lines().count() == 6, "{text}");
    }
}
