//! Work on all cores whose results come in order.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// The default number of threads: one per core.
pub fn default_jobs() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Does `total` pieces of work on `jobs` threads; `done` sees each when it is finished. The results are in order.
///
/// Where the system refuses a thread, those that there are do the work; where it gives none, the calling thread does.
pub fn in_parallel<T: Send>(
    total: usize,
    jobs: usize,
    work: impl Fn(usize) -> T + Sync,
    done: impl Fn(usize, &T) + Sync,
) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut mine = Vec::new();
        loop {
            let i = next.fetch_add(1, Ordering::Relaxed);
            if i >= total {
                break mine;
            }
            let result = work(i);
            done(i, &result);
            mine.push((i, result));
        }
    };
    let mut results: Vec<(usize, T)> = thread::scope(|scope| {
        let wanted = jobs.clamp(1, total.max(1));
        let workers: Vec<_> =
            (0..wanted).map_while(|_| thread::Builder::new().spawn_scoped(scope, worker).ok()).collect();
        if workers.is_empty() {
            return worker();
        }
        workers
            .into_iter()
            .flat_map(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    });
    results.sort_by_key(|&(i, _)| i);
    results.into_iter().map(|(_, result)| result).collect()
}
