//! The clauses of the proofs.
//!
//! Every condition that a verdict rests on goes through [`holds`], so that the proof can drop any one clause and must
//! then fail. A clause whose loss goes unnoticed is not part of a proof. Outside of tests this costs nothing. The
//! words of a clause are for `explain.rs`, which compiles the classes again with a `holds` that records.

/// Whether a clause holds. The proof identifies clauses by their place in the source.
#[inline(always)]
#[cfg_attr(test, track_caller)]
pub fn holds(condition: bool, _words: &'static str) -> bool {
    #[cfg(test)]
    if mutation::is_dropped(std::panic::Location::caller()) {
        return true;
    }
    condition
}

/// A condition that is not a clause but helps to understand the verdict: which case it is, or what a table says.
#[inline(always)]
pub fn fact(condition: bool, _words: &'static str) -> bool {
    condition
}

#[cfg(test)]
pub mod mutation {
    //! Records which clauses are used, and drops one of them, on this thread.

    use std::cell::{Cell, RefCell};
    use std::panic::Location;

    /// A clause: its place in the source.
    pub type Site = &'static Location<'static>;

    thread_local! {
        static DROPPED: Cell<Option<Site>> = const { Cell::new(None) };
        static SEEN: RefCell<Vec<Site>> = const { RefCell::new(Vec::new()) };
    }

    pub fn is_dropped(site: Site) -> bool {
        match DROPPED.get() {
            Some(dropped) => dropped == site,
            None => {
                SEEN.with_borrow_mut(|seen| {
                    if !seen.iter().any(|&known| std::ptr::eq(known, site)) {
                        seen.push(site);
                    }
                });
                false
            }
        }
    }

    /// Runs `work` without this clause.
    pub fn without<T>(site: Site, work: impl FnOnce() -> T) -> T {
        DROPPED.set(Some(site));
        let result = work();
        DROPPED.set(None);
        result
    }

    /// Runs `work` and returns the clauses that it used.
    pub fn used<T>(work: impl FnOnce() -> T) -> (T, Vec<Site>) {
        SEEN.with_borrow_mut(Vec::clear);
        let result = work();
        let mut sites = SEEN.with_borrow_mut(std::mem::take);
        sites.sort();
        sites.dedup();
        (result, sites)
    }
}
