//! Lazy SMP: every thread searches the same root on the shared table. Every other helper works an iteration ahead,
//! and an iteration that one thread has finished is finished for all (`search/state/shared_best.rs`).
//!
//! The first thread reports, and decides by the clock whether to begin another iteration; helpers only search, and
//! end at the hard limit. When the first thread ends, all do. A vote among the results that no completed iteration
//! has superseded picks the move, weighted by iteration and score.

use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, Scope, ScopedJoinHandle};

use crate::bound::Bound;
use crate::params;
use crate::position::{Game, PackedMove};
use crate::search::ThreadResult;
use crate::search::{Event, STACK_SIZE, Search, Shared, ThreadData};

/// Searches `game` with one thread for each [`ThreadData`]; the first runs here, so the caller's stack must be
/// [`STACK_SIZE`].
///
/// Returns `None` if there is no move to search.
pub fn search(shared: &Shared<'_>, threads: &mut [ThreadData], game: &Game, multi_pv: usize) -> Option<ThreadResult> {
    let (first, helpers) = threads.split_first_mut()?;
    let found = search_on_threads(shared, first, helpers, game, multi_pv);
    first.previous_search = found.as_ref().and_then(|found| found.for_next_search);
    found
}

/// The result of the first thread and its helpers.
fn search_on_threads(
    shared: &Shared<'_>,
    first: &mut ThreadData,
    helpers: &mut [ThreadData],
    game: &Game,
    multi_pv: usize,
) -> Option<ThreadResult> {
    if helpers.is_empty()
        && let Some(lessons) = &first.lessons
    {
        return (lessons.search)(shared, first, game, multi_pv);
    }
    if helpers.is_empty() {
        return Search::new(shared, 0, first, game).iterate(multi_pv);
    }
    thread::scope(|scope| {
        let mut running = Vec::with_capacity(helpers.len());
        for (id, td) in (1..).zip(helpers.iter_mut()) {
            // The helpers already running may leave this thread little time to start the rest.
            if shared.is_over() {
                break;
            }
            match start_helper(scope, shared, id, td, game) {
                Ok(handle) => running.push(handle),
                // The search goes on with fewer threads.
                Err(error) => {
                    shared.send(|| Event::Trouble(format!("could not start search thread {id}: {error}")));
                    break;
                }
            }
        }
        let end = EndOfSearch(shared.stop);
        let main = Search::new(shared, 0, first, game).iterate(multi_pv);
        drop(end);
        // A helper that has panicked has found nothing.
        let helped = running.into_iter().filter_map(|handle| handle.join().ok().flatten()).collect();
        elect(main, helped, multi_pv, shared.shared_best.depth())
    })
}

/// Starts the search of helper `id`. Its thread returns what it has found.
fn start_helper<'scope>(
    scope: &'scope Scope<'scope, '_>,
    shared: &'scope Shared<'_>,
    id: usize,
    td: &'scope mut ThreadData,
    game: &'scope Game,
) -> io::Result<ScopedJoinHandle<'scope, Option<ThreadResult>>> {
    let help = move || {
        // With many threads on few processors, the search may end before this helper begins.
        if shared.is_over() { None } else { Search::new(shared, id, td, game).iterate(1) }
    };
    thread::Builder::new().name(format!("search {id}")).stack_size(STACK_SIZE).spawn_scoped(scope, help)
}

/// The result of the search: for one line by a vote, for several the first thread's, because helpers search only one.
fn elect(main: Option<ThreadResult>, helped: Vec<ThreadResult>, multi_pv: usize, deepest: i32) -> Option<ThreadResult> {
    if multi_pv > 1 {
        return main;
    }
    vote(not_superseded(main.into_iter().chain(helped).collect(), deepest))
}

/// Ends the helpers' search when it is dropped, even by a panic of the first thread: the scope waits for them.
struct EndOfSearch<'a>(&'a AtomicBool);

impl Drop for EndOfSearch<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The results that the deepest complete iteration has not superseded. A thread that works beyond it and has no value
/// there yet offers the move of an older one, which may have been refuted since. Proofs always stand.
fn not_superseded(mut results: Vec<ThreadResult>, deepest: i32) -> Vec<ThreadResult> {
    let stands = |result: &ThreadResult| result.iteration >= deepest || result.value.proof().is_some();
    // No result stands if the thread that completed the iteration has panicked.
    if results.iter().any(stands) {
        results.retain(stands);
    }
    results
}

/// The result whose move gets the most votes, unless a proof decides; deeper and better results have more weight.
fn vote(results: Vec<ThreadResult>) -> Option<ThreadResult> {
    let worst = results.iter().map(|result| result.value.score().cp()).min()?;
    let weight = |result: &ThreadResult| {
        let lead = result.value.score().cp() - worst + params::VOTE_OFFSET;
        i64::from(lead) * i64::from(result.iteration)
    };
    let mut votes: HashMap<PackedMove, i64> = HashMap::new();
    for result in &results {
        *votes.entry(result.best.packed()).or_default() += weight(result);
    }
    let support = |result: &ThreadResult| (votes[&result.best.packed()], weight(result));
    let mut results = results.into_iter();
    let mut best = results.next()?;
    for candidate in results {
        let is_better = match (rank_of_proof(&candidate), rank_of_proof(&best)) {
            (None, None) => support(&candidate) > support(&best),
            // Proofs are not outvoted: none is less than any.
            (new, old) => new > old,
        };
        if is_better {
            best = candidate;
        }
    }
    Some(best)
}

/// The rank of a proved result among proved ones; `None` for an opinion.
///
/// A win with its line beats a bound, which the next move may lose; otherwise the more extreme counts: neither a win
/// nor a loss is claimed too soon.
fn rank_of_proof(result: &ThreadResult) -> Option<(bool, i32)> {
    let proof = result.value.proof();
    let is_win_with_line = result.value.score().is_win() && result.value.bound() == Bound::Exact;
    proof.map(|proof| (is_win_with_line, proof.score().raw().abs()))
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use shakmaty::{Role, Square};

    use super::*;
    use crate::bound::Ibv;
    use crate::position::Move;
    use crate::score::Score;
    use crate::search::{Basis, Conventions, NodeCounter, SharedBest};
    use crate::time::{Clock, Limits};
    use crate::tt::TranspositionTable;

    /// Runs `body` with what the threads of a search of the initial position share. The time is up, and `stop` may be
    /// set.
    fn with_shared<T: Send>(stop: bool, body: impl FnOnce(&Shared<'_>, &mut [ThreadData], &Game) -> T + Send) -> T {
        let limits = Limits { movetime: Some(Duration::from_millis(1)), ..Limits::default() };
        with_limits(&limits, stop, body)
    }

    /// As [`with_shared`], with other limits.
    fn with_limits<T: Send>(
        limits: &Limits,
        stop: bool,
        body: impl FnOnce(&Shared<'_>, &mut [ThreadData], &Game) -> T + Send,
    ) -> T {
        let game = Game::startpos();
        let (table, _) = TranspositionTable::new(1);
        let (stop, pondering) = (AtomicBool::new(stop), AtomicBool::new(false));
        // With addresses of 32 bits, the data of 512 threads would fill all memory.
        let most = if cfg!(target_pointer_width = "32") { 64 } else { 512 };
        let counters: Vec<NodeCounter> = (0..most).map(|_| NodeCounter::default()).collect();
        let mut threads: Vec<ThreadData> = counters.iter().map(|_| ThreadData::default()).collect();
        let clock = Clock::new(limits, game.position().turn(), 0, Duration::ZERO, Instant::now());
        thread::sleep(Duration::from_millis(2));
        let shared = Shared {
            tt: &table,
            stop: &stop,
            pondering: &pondering,
            counters: &counters,
            shared_best: &SharedBest::default(),
            limits,
            allowance: None,
            clock: &clock,
            start: Instant::now(),
            conventions: Conventions::default(),
            analysis: true,
            probes: None,
            listener: None,
        };
        thread::scope(|scope| {
            let run = || body(&shared, &mut threads, &game);
            let handle = thread::Builder::new().stack_size(STACK_SIZE).spawn_scoped(scope, run).expect("a thread");
            handle.join().expect("no panic")
        })
    }

    /// Helpers that would come too late are not started, and the search still has a move.
    #[test]
    fn helpers_do_not_start_when_the_time_is_up() {
        let (result, nodes) =
            with_shared(false, |shared, threads, game| (search(shared, threads, game, 1), shared.nodes()));
        let result = result.expect("a move");
        assert!(result.depth > 0 && result.nodes == nodes, "{result:?} of {nodes} nodes");
    }

    /// The first thread delays its first move until the helper has published nodes.
    #[test]
    fn helpers_search() {
        let helped = with_limits(&Limits::depth(6), false, |shared, threads, game| {
            let start = Instant::now();
            let helped = || shared.counters[1].published() > 0;
            let wait = |_: Event| {
                while !helped() && start.elapsed() < Duration::from_secs(60) {
                    thread::sleep(Duration::from_millis(1));
                }
            };
            let shared = Shared { listener: Some(&wait), allowance: None, ..*shared };
            search(&shared, &mut threads[..2], game, 1).expect("a move");
            helped()
        });
        assert!(helped);
    }

    /// A helper that panics costs strength, not the move: this one lacks a node counter.
    #[test]
    fn a_helper_that_panics_costs_no_move() {
        for _ in 0..5 {
            let waited = AtomicBool::new(false);
            let wait = |_: Event| {
                // Time for the helper to begin; the search is correct without it, too.
                if !waited.swap(true, Ordering::Relaxed) {
                    thread::sleep(Duration::from_millis(20));
                }
            };
            let found = with_limits(&Limits::depth(5), false, |shared, threads, game| {
                let shared =
                    Shared { listener: Some(&wait), counters: &shared.counters[..1], allowance: None, ..*shared };
                search(&shared, &mut threads[..2], game, 1)
            });
            assert_eq!(found.map(|found| found.iteration), Some(5));
        }
    }

    /// The next search compares its score with that of the move that was elected; a new game begins with none.
    #[test]
    fn the_score_of_a_search_is_kept_for_the_next() {
        let (found, kept, cleared) = with_shared(false, |shared, threads, game| {
            let found = search(shared, threads, game, 1);
            let kept = threads[0].previous_search;
            threads[0].clear();
            (found, kept, threads[0].previous_search)
        });
        assert!(kept.is_some() && kept == found.expect("a move").for_next_search, "{kept:?}");
        assert_eq!(cleared, None);
    }

    /// A helper that is stopped in its first iteration has seen few moves or none, and has no vote. The first thread
    /// completes its own.
    #[test]
    fn a_helper_without_an_iteration_has_no_result() {
        for (id, has_result) in [(0, true), (1, false), (2, false)] {
            let result =
                with_shared(true, |shared, threads, game| Search::new(shared, id, &mut threads[id], game).iterate(1));
            assert_eq!(result.is_some(), has_result, "thread {id}: {result:?}");
        }
    }

    /// The result of a thread whose move goes to this square.
    fn result(to: Square, value: Ibv, depth: i32) -> ThreadResult {
        let best = Move::quiet(Role::King, Square::E4, to);
        ThreadResult {
            best,
            pv: vec![best.packed()],
            value,
            basis: Basis::default(),
            complete: true,
            depth,
            iteration: depth,
            for_next_search: None,
            seldepth: 1,
            nodes: 1,
        }
    }

    /// The square that the elected move goes to.
    fn elected<const N: usize>(results: [(Square, Ibv, i32); N]) -> Option<Square> {
        let results = results.into_iter().map(|(to, value, depth)| result(to, value, depth)).collect();
        vote(results).map(|result| result.best.to())
    }

    #[test]
    fn opinions_are_weighed_and_proofs_are_not() {
        let opinion = |cp| Ibv::exact(Score::heuristic(cp));
        let (d4, d5, e5) = (Square::D4, Square::D5, Square::E5);
        assert_eq!(elected([(d4, opinion(10), 10), (d5, opinion(20), 10), (d4, opinion(10), 10)]), Some(d4));
        assert_eq!(elected([(d4, opinion(10), 4), (d5, opinion(20), 10)]), Some(d5));
        // A thread that has hardly begun has not seen that all is lost.
        let lost = Ibv::exact(Score::mated_in(4));
        assert_eq!(elected([(d4, lost, 60), (d5, opinion(-900), 1)]), Some(d4));
        assert_eq!(elected([(d5, opinion(-900), 30), (d4, lost, 6)]), Some(d4));
        // The shorter win is elected, but a win with its line before a bound; of losses, the one proved to come
        // sooner.
        let [five, nine] = [5, 9].map(Score::mate_in);
        for (a, b, winner) in [
            (Ibv::exact(nine), Ibv::lower(five), d4),
            (Ibv::lower(five), Ibv::exact(nine), d5),
            (Ibv::exact(nine), Ibv::exact(five), d5),
            (Ibv::lower(five), Ibv::lower(nine), d4),
        ] {
            assert_eq!(elected([(d4, a, 14), (d5, b, 15)]), Some(winner), "{a:?} {b:?}");
        }
        let (sooner, later) = (Ibv::exact(Score::mate_in(3)), Ibv::lower(Score::mate_in(7)));
        assert_eq!(elected([(d4, later, 20), (d5, opinion(800), 25), (e5, sooner, 9)]), Some(e5));
        assert_eq!(elected([(d4, Ibv::exact(Score::mated_in(8)), 20), (d5, lost, 12)]), Some(d5));
        // An upper bound is not a win, and without results there is no move.
        assert_eq!(elected([(d4, opinion(5), 8), (d5, Ibv::upper(Score::MAX), 0)]), Some(d4));
        assert_eq!(elected([]), None);
    }

    /// The first thread has completed iteration 14, in which the best move of 13 fell behind. The other, which
    /// completed 13 and has no value in 15 yet, still holds that move and its higher score.
    #[test]
    fn superseded_results_have_no_vote() {
        let opinion = |cp| Ibv::exact(Score::heuristic(cp));
        let (d4, d5) = (Square::D4, Square::D5);
        let winner = |results, deepest| vote(not_superseded(results, deepest)).map(|result| result.best.to());
        let stale = || vec![result(d4, opinion(20), 14), result(d5, opinion(28), 13)];
        assert_eq!(winner(stale(), 14), Some(d4));
        assert_eq!(winner(stale(), 0), Some(d5), "by weight alone");
        let ahead = vec![result(d4, opinion(20), 14), result(d5, opinion(28), 15)];
        assert_eq!(winner(ahead, 14), Some(d5));
        let proof = Ibv::exact(Score::mate_in(5));
        assert_eq!(winner(vec![result(d4, opinion(20), 14), result(d5, proof, 13)], 14), Some(d5));
        assert_eq!(winner(stale(), 15), Some(d5), "the finder of 15 is gone");
    }

    /// The helpers' results count if one line is searched, and if the first thread has found nothing.
    #[test]
    fn helpers_have_a_vote() {
        let (d4, d5) = (Square::D4, Square::D5);
        let main = || Some(result(d4, Ibv::exact(Score::heuristic(20)), 14));
        let helped = || vec![result(d5, Ibv::exact(Score::mate_in(5)), 15)];
        let elected = |main, helped, multi_pv| elect(main, helped, multi_pv, 14).map(|found| found.best.to());
        assert_eq!(elected(main(), helped(), 1), Some(d5));
        assert_eq!(elected(main(), helped(), 2), Some(d4));
        assert_eq!(elected(main(), Vec::new(), 1), Some(d4));
        assert_eq!(elected(None, helped(), 1), Some(d5));
    }
}
