//! Finding, replacing and ageing entries.

use std::alloc::Layout;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::thread;

use crate::bound::Bound;
use crate::params;

use super::entry::{self, AGES, Entry};
use super::slot::{Seal, Slot, Xor};

/// Slots that share a cache line and compete for the same keys.
const WAYS: usize = 4;
type Cluster<S> = [Slot<AtomicU64, S>; WAYS];
const CLUSTER_BYTES: usize = 64;
const CLUSTERS_PER_MIB: usize = (1 << 20) / CLUSTER_BYTES;
const _: () = assert!(size_of::<Cluster<Xor>>() == CLUSTER_BYTES);

/// Clearing less than this is not worth starting a thread for.
const MIB_A_THREAD: usize = 16;

/// Emptying more than this slot by slot takes longer than a search on the clock should wait.
const MIB_FORGOTTEN_BY_AGE: usize = 16;

/// How many slots [`TranspositionTable::hashfull`] looks at.
const SAMPLE: usize = 1000;

/// The transposition table, shared by reference between threads.
///
/// Reads and writes never wait. A lost write costs time, never correctness: entries are hints about the position
/// whose 64-bit key they carry.
pub struct TranspositionTable<S = Xor> {
    slots: Vec<Slot<AtomicU64, S>>,
    /// The first slot that starts a cache line.
    first: usize,
    age: AtomicU8,
    /// Entries of ages below this one count as empty: see [`TranspositionTable::forget`].
    floor: AtomicU8,
    /// Whether ages have wrapped around since the table was last empty: an age then no longer says which of two
    /// entries is older.
    wrapped: AtomicBool,
}

impl TranspositionTable {
    /// A table of `mib` mebibytes (at least one), or of what memory allows, with a remark if that is less.
    ///
    /// The memory is zero, and is mapped only when it is first used: this returns at once for any size.
    pub fn new(mib: usize) -> (TranspositionTable, Option<String>) {
        let mut table = TranspositionTable::empty();
        let remark = table.allocate(mib);
        (table, remark)
    }

    /// Forgets everything and changes the size, as [`TranspositionTable::new`]; maps the memory now, with `threads`
    /// threads, so that a search on the clock need not. If the machine gave less than requested, memory is short, and
    /// is mapped only as it is used.
    pub fn resize(&mut self, mib: usize, threads: usize) -> Option<String> {
        let remark = self.allocate(mib);
        if remark.is_none() {
            self.clear(threads);
        }
        remark
    }

    fn allocate(&mut self, mib: usize) -> Option<String> {
        // The old memory goes first: two tables may not fit.
        self.slots = Vec::new();
        self.first = 0;
        let wanted = mib.clamp(1, usize::MAX / (1 << 21));
        let mut mib = wanted;
        loop {
            if self.try_clusters(mib * CLUSTERS_PER_MIB) {
                return (mib < wanted).then(|| format!("not enough memory for Hash {wanted}; it is {mib} now"));
            }
            if mib == 1 {
                // Without a table the search is slow but correct.
                return Some(format!("not enough memory for Hash {wanted}; playing without"));
            }
            mib /= 2;
        }
    }
}

impl<S: Seal> TranspositionTable<S> {
    /// A table without memory, which remembers nothing.
    pub(super) fn empty() -> TranspositionTable<S> {
        TranspositionTable {
            slots: Vec::new(),
            first: 0,
            age: AtomicU8::new(0),
            floor: AtomicU8::new(0),
            wrapped: AtomicBool::new(false),
        }
    }

    /// Allocates this many clusters; returns false if there is no memory.
    pub(super) fn try_clusters(&mut self, clusters: usize) -> bool {
        // Up to `WAYS - 1` slots lie before the first cache line. Requesting aligned memory would be simpler, but
        // beyond its own alignment the allocator writes zeros itself, which maps every page.
        let Some(slots) = zeroed(clusters * WAYS + WAYS - 1) else { return false };
        self.first = slots.as_ptr().align_offset(CLUSTER_BYTES).min(WAYS - 1);
        self.slots = slots;
        self.slots.truncate(self.first + clusters * WAYS);
        true
    }

    /// The size in mebibytes.
    pub fn mib(&self) -> usize {
        self.clusters().len() / CLUSTERS_PER_MIB
    }

    #[inline]
    fn clusters(&self) -> &[Cluster<S>] {
        self.slots.get(self.first..).unwrap_or_default().as_chunks().0
    }

    /// The cluster of a key, by the high bits of a product: every size works, not only powers of two.
    #[inline]
    fn cluster(&self, key: u64) -> Option<&Cluster<S>> {
        let clusters = self.clusters();
        let index = (u128::from(key) * clusters.len() as u128) >> 64;
        clusters.get(index as usize)
    }

    /// The word of the position with this key, unless it counts as forgotten.
    #[inline]
    fn find(&self, key: u64) -> Option<u64> {
        let floor = self.floor.load(Ordering::Relaxed);
        let mut words = self.cluster(key)?.iter().map(Slot::load);
        let counts = |word| entry::age_of(word) >= floor && !entry::is_empty(word);
        words.find(|&(found, word)| found == key && counts(word)).map(|(_, word)| word)
    }

    /// The entry for this key: the table of a search uses keys of
    /// [`Past::key`](crate::search::Past::key).
    #[inline]
    pub fn probe(&self, key: u64) -> Option<Entry> {
        Entry::unpack(self.find(key)?)
    }

    /// The same, with how many searches ago it was stored: 0 is the last search. After 64 searches the count wraps
    /// around.
    pub fn probe_with_age(&self, key: u64) -> Option<(Entry, u8)> {
        let word = self.find(key)?;
        let searches_ago = self.age.load(Ordering::Relaxed).wrapping_sub(entry::age_of(word)) % AGES;
        Entry::unpack(word).map(|entry| (entry, searches_ago))
    }

    /// Stores what is known about the position with this key, in place of what seems worth least.
    ///
    /// Knowledge of the same position is replaced unless it is clearly deeper; its move is kept if the new entry has
    /// none, and a value is never replaced by none.
    #[inline]
    pub fn store(&self, key: u64, new: Entry) {
        let Some(cluster) = self.cluster(key) else { return };
        let age = self.age.load(Ordering::Relaxed);
        let floor = self.floor.load(Ordering::Relaxed);
        let mut victim = (&cluster[0], i32::MAX);
        for slot in cluster {
            let (found, data) = slot.load();
            if entry::is_empty(data) || entry::age_of(data) < floor {
                // Slots fill in order, and forgotten or dropped ones come after all that count: the key is in no
                // later slot.
                victim = (slot, i32::MIN);
                break;
            }
            if found == key {
                return slot.store(key, merge(data, new, age));
            }
            let worth = entry::worth(data, age);
            if worth < victim.1 {
                victim = (slot, worth);
            }
        }
        victim.0.store(key, new.pack(age));
    }

    /// Prefetches the cache line of a key.
    #[inline]
    pub fn prefetch(&self, key: u64) {
        if let Some(cluster) = self.cluster(key) {
            crate::memory::prefetch(cluster);
        }
    }

    /// Starts a new age: entries of older searches are the first to be replaced.
    pub fn new_search(&self) {
        let age = (self.age.load(Ordering::Relaxed) + 1) % AGES;
        if age == 0 {
            self.clear_forgotten();
            self.wrapped.store(true, Ordering::Relaxed);
        }
        self.age.store(age, Ordering::Relaxed);
    }

    /// Forgets everything as [`TranspositionTable::clear`] does. A small table mostly does so without touching the
    /// memory: what is there counts as empty because of its age. Every thirty-odd searches the ages are used up, and
    /// the table is cleared with this many threads.
    ///
    /// For many short searches, each of which runs as if it were the first. A large table is cleared at once: when
    /// its ages run out, a search may be on the clock.
    pub fn forget(&self, threads: usize) {
        let floor = self.age.load(Ordering::Relaxed) + 1;
        let apart_by_age = !self.wrapped.load(Ordering::Relaxed) && floor + 1 < AGES;
        if self.mib() <= MIB_FORGOTTEN_BY_AGE && apart_by_age {
            self.floor.store(floor, Ordering::Relaxed);
            self.age.store(floor, Ordering::Relaxed);
        } else {
            self.clear(threads);
        }
    }

    /// Empties the slots that only count as empty: ages start over, which would bring them back.
    fn clear_forgotten(&self) {
        let floor = self.floor.swap(0, Ordering::Relaxed);
        if floor > 0 {
            let forgotten = |data| !entry::is_empty(data) && entry::age_of(data) < floor;
            self.slots.iter().filter(|slot| forgotten(slot.load().1)).for_each(Slot::clear);
        }
    }

    /// Forgets everything, with as many of these threads as have something to do.
    pub fn clear(&self, threads: usize) {
        self.age.store(0, Ordering::Relaxed);
        self.floor.store(0, Ordering::Relaxed);
        self.wrapped.store(false, Ordering::Relaxed);
        // No more than that: if memory is short, the stacks of threads that have ended are missing for later ones.
        let threads = threads.min(self.mib() / MIB_A_THREAD).clamp(1, 1024);
        let mut parts = self.slots.chunks(self.slots.len().div_ceil(threads).max(1));
        let mine = parts.next().unwrap_or_default();
        thread::scope(|scope| {
            let mut running = Vec::with_capacity(threads - 1);
            for part in parts {
                let clear = move || part.iter().for_each(Slot::clear);
                match thread::Builder::new().spawn_scoped(scope, clear) {
                    Ok(handle) => running.push(handle),
                    // If a thread cannot be started, this one does its work.
                    Err(_) => clear(),
                }
            }
            mine.iter().for_each(Slot::clear);
            // The scope waits only until their work is done. In WebAssembly the next thread would then wait for a worker
            // that they have not left, and they for the lock of the C library that the start of a thread holds.
            running.into_iter().for_each(|handle| handle.join().expect("clearing does not panic"));
        });
    }

    /// How full the table is with entries of the current search, in thousandths, from a sample. Those of 64 searches
    /// ago, if any are left, count as well.
    pub fn hashfull(&self) -> u32 {
        let age = self.age.load(Ordering::Relaxed);
        let sample = &self.slots[self.first..][..SAMPLE.min(self.slots.len() - self.first)];
        let used = sample
            .iter()
            .filter(|slot| {
                let (_, data) = slot.load();
                !entry::is_empty(data) && entry::age_of(data) == age
            })
            .count();
        (used * 1000 / sample.len().max(1)) as u32
    }
}

/// The word of a slot after a new entry for the same position.
fn merge(old: u64, new: Entry, age: u8) -> u64 {
    let Some(known) = Entry::unpack(old) else { return new.pack(age) };
    match (replaces(new, known, entry::age_of(old) != age), new.best.is_some()) {
        (true, true) => new.pack(age),
        (true, false) => Entry { best: known.best, ..new }.pack(age),
        (false, true) => entry::with_best(old, new.best),
        (false, false) => old,
    }
}

/// Whether new knowledge of a position replaces what is known. `is_old` says that an earlier search stored the latter.
fn replaces(new: Entry, known: Entry, is_old: bool) -> bool {
    // Any value is worth more than none.
    if new.value.is_some() != known.value.is_some() {
        return new.value.is_some();
    }
    // An exact value serves every window.
    if new.value.is_some_and(|value| value.bound() == Bound::Exact) {
        return true;
    }
    // What an earlier search has stored is soon given up for other positions. The new entry stays longer.
    if is_old {
        return true;
    }
    // A later value is better informed, unless it is much shallower. What is known has at most the largest depth. The
    // new depth may be any number, so nothing is added to it.
    new.depth > known.depth - params::tt_keep() - params::tt_keep_pv() * i32::from(new.pv)
}

/// Zeroed slots, or `None` if there is no memory for them.
fn zeroed<S: Seal>(slots: usize) -> Option<Vec<Slot<AtomicU64, S>>> {
    let layout = Layout::array::<Slot<AtomicU64, S>>(slots).ok()?;
    if layout.size() == 0 {
        return Some(Vec::new());
    }
    // `Vec` can either fail softly or have its memory zeroed by the operating system, not both; hence by hand.
    // SAFETY: the layout is not empty; it is the one that `Vec` uses for this length and capacity, from the same
    // allocator; and a slot of zeros is a valid slot, as its words are integers and its marker has no bytes.
    let slots = unsafe {
        let memory = std::alloc::alloc_zeroed(layout);
        if memory.is_null() {
            return None;
        }
        Vec::from_raw_parts(memory.cast(), slots, slots)
    };
    crate::memory::advise_huge_pages(&slots);
    Some(slots)
}
