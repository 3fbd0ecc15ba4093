//! Large tables of counters on huge pages: much of the search's time goes to memory access.

#[cfg(all(target_os = "linux", not(miri)))]
use std::ops::Range;
use std::ops::{Index, IndexMut};

/// The size of a huge page on x86-64 and most other machines.
const HUGE_PAGE: usize = 2 << 20;

/// A fixed table of counters, zero at first, on huge pages where the system agrees.
///
/// Its memory is mapped when it is first written: a thread that never searches costs nothing until a new game clears
/// it.
pub struct Counters {
    /// One huge page more than the counters need, because the part before the first huge page is left out. The
    /// allocator has unmapped zeros, but for an alignment beyond its own it would write them itself.
    memory: Vec<i16>,
    /// The counter at which a huge page begins.
    first: usize,
}

impl Counters {
    /// `length` zeros. Ends the program like any failed allocation if there is no memory for a few MiB.
    pub fn new(length: usize) -> Counters {
        const PAGE: usize = HUGE_PAGE / size_of::<i16>();
        let mut memory = vec![0; length + PAGE];
        let first = memory.as_ptr().align_offset(HUGE_PAGE).min(PAGE);
        advise_huge_pages(&memory[first..first + length]);
        memory.truncate(first + length);
        Counters { memory, first }
    }

    /// `N` counters from the one at `start` on.
    #[inline]
    pub fn row<const N: usize>(&self, start: usize) -> &[i16; N] {
        self.memory[self.first + start..].first_chunk().expect("rows lie within the table")
    }

    /// Sets every counter to zero.
    pub fn clear(&mut self) {
        self.memory[self.first..].fill(0);
    }

    /// Takes a share of every counter away, in 1/65536: less than half of it.
    pub fn shrink(&mut self, share: i16) {
        for counter in &mut self.memory[self.first..] {
            // In this form, one vector instruction multiplies and shifts.
            *counter -= ((i32::from(*counter) * i32::from(share)) >> 16) as i16;
        }
    }
}

impl Index<usize> for Counters {
    type Output = i16;
    #[inline]
    fn index(&self, index: usize) -> &i16 {
        &self.memory[self.first + index]
    }
}

impl IndexMut<usize> for Counters {
    #[inline]
    fn index_mut(&mut self, index: usize) -> &mut i16 {
        &mut self.memory[self.first + index]
    }
}

/// Prefetches the cache line of `place`.
#[inline(always)]
pub(crate) fn prefetch<T>(place: &T) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: prefetching changes nothing but caches, on any address, and SSE is part of x86-64.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(place).cast()) };
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = place;
}

/// Asks Linux to back a large piece of memory with huge pages, before anything touches it.
///
/// Probes are scattered, so with 4 KiB pages nearly every one misses the TLB as well as the data cache: that was a
/// third of the search's time on a virtual machine. If the advice is not taken, nothing changes.
#[cfg(all(target_os = "linux", not(miri)))]
pub(crate) fn advise_huge_pages<T>(memory: &[T]) {
    let start = memory.as_ptr().cast::<u8>();
    let whole = whole_pages(start, size_of_val(memory));
    if !whole.is_empty() {
        // SAFETY: the range begins at a page and lies within the slice. The system takes its last page whole, but the
        // advice changes no contents, neither of the slice nor of what follows it.
        unsafe { libc::madvise(start.add(whole.start).cast_mut().cast(), whole.len(), libc::MADV_HUGEPAGE) };
    }
}

/// The part of `size` bytes of memory that begins at a page. Pages count as 64 KiB, because some processors have such
/// pages and refuse advice about anything else.
#[cfg(all(target_os = "linux", not(miri)))]
fn whole_pages(start: *const u8, size: usize) -> Range<usize> {
    const PAGE: usize = 1 << 16;
    let skip = start.align_offset(PAGE);
    if size > skip.saturating_add(PAGE) { skip..size } else { 0..0 }
}

#[cfg(not(all(target_os = "linux", not(miri))))]
pub(crate) fn advise_huge_pages<T>(_memory: &[T]) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_zero_and_writable() {
        let length = if cfg!(miri) { 3_000 } else { 3_000_000 };
        let mut counters = Counters::new(length);
        assert!((0..length).all(|i| counters[i] == 0));
        counters[length - 1] = 7;
        assert_eq!(counters[length - 1], 7);
        assert_eq!(counters.row(length - 3), &[0, 0, 7]);
        counters[1] = -2000;
        counters.shrink(1 << 14);
        assert_eq!((counters[length - 1], counters[1], counters[2]), (6, -1500, 0));
        counters.clear();
        assert_eq!(counters[length - 1], 0);
    }

    #[cfg(all(target_os = "linux", not(miri)))]
    #[test]
    fn advice_begins_at_a_page_of_any_size() {
        for start in [1 << 20, (1 << 20) + 1, (1 << 20) + 16, (1 << 20) + 4096, (2 << 20) - 1] {
            let whole = whole_pages(std::ptr::without_provenance(start), 1 << 20);
            assert_eq!(((start + whole.start) % (1 << 16), whole.end), (0, 1 << 20), "{start}");
            assert!(whole.start < 1 << 16, "{start}");
        }
        assert!(whole_pages(std::ptr::without_provenance(1 << 20), 1 << 16).is_empty(), "too small for a huge page");
    }

    #[test]
    #[should_panic(expected = "index out of bounds")]
    fn access_beyond_the_last_counter_panics() {
        let _ = Counters::new(5)[5];
    }
}
