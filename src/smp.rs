//! Lazy SMP: every thread searches the same root on the shared table; what they find differs because they race.
//!
//! The first thread owns the clock and tells what happens; helpers only search. When it ends, all do, and a vote
//! weighted by depth and score picks the move.

use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::thread;

use crate::position::{Game, PackedMove};
use crate::search::iterate::Finding;
use crate::search::{Event, Memory, Rules, STACK_SIZE, Search, Shared};

/// Searches `game` with one thread for each memory; the first runs here, so the caller's stack must be
/// [`STACK_SIZE`].
///
/// None where there is no move to search.
pub fn search<R: Rules>(
    rules: R,
    shared: &Shared<'_>,
    memories: &mut [Memory],
    game: &Game,
    lines: usize,
    sink: &(dyn Fn(Event) + Sync),
) -> Option<Finding> {
    let (first, helpers) = memories.split_first_mut()?;
    if helpers.is_empty() {
        return Search::new(rules, shared, 0, first, game).iterate(lines, sink);
    }
    thread::scope(|scope| {
        let mut running = Vec::with_capacity(helpers.len());
        for (i, memory) in helpers.iter_mut().enumerate() {
            let spawned = thread::Builder::new()
                .name(format!("search {}", i + 1))
                .stack_size(STACK_SIZE)
                .spawn_scoped(scope, move || Search::new(rules, shared, i + 1, memory, game).iterate(1, &|_| ()));
            match spawned {
                Ok(handle) => running.push(handle),
                // The search does with fewer threads what it can.
                Err(error) => {
                    sink(Event::Message(format!("could not start search thread {}: {error}", i + 1)));
                    break;
                }
            }
        }
        let main = Search::new(rules, shared, 0, first, game).iterate(lines, sink);
        shared.stop.store(true, Ordering::Relaxed);
        let mut findings: Vec<Finding> = main.into_iter().collect();
        findings.extend(running.into_iter().filter_map(|handle| handle.join().ok().flatten()));
        if lines > 1 { findings.into_iter().next() } else { vote(findings) }
    })
}

/// The finding that most threads stand behind, deeper and better ones with more weight.
fn vote(findings: Vec<Finding>) -> Option<Finding> {
    let worst = findings.iter().map(|f| f.value.score().cp()).min()?;
    let weight = |f: &Finding| i64::from(f.value.score().cp() - worst + 12) * i64::from(f.depth);
    let mut votes: HashMap<PackedMove, i64> = HashMap::new();
    for finding in &findings {
        *votes.entry(PackedMove::new(finding.best)).or_default() += weight(finding);
    }
    let mut findings = findings.into_iter();
    let mut best = findings.next()?;
    for finding in findings {
        let better = if best.value.score().is_decisive() || finding.value.score().is_decisive() {
            // Proofs are not outvoted: the shorter win, the longer defence.
            finding.value > best.value && finding.depth > 0
        } else {
            let (ours, theirs) = (votes[&PackedMove::new(best.best)], votes[&PackedMove::new(finding.best)]);
            theirs > ours || theirs == ours && weight(&finding) > weight(&best)
        };
        if better {
            best = finding;
        }
    }
    Some(best)
}
