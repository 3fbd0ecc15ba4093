//! Large zeroed tables on huge pages: where the search's time goes is largely memory.

use std::alloc::{self, Layout};
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

/// A huge page of x86-64 and of most other machines.
const HUGE_PAGE: usize = 2 << 20;

/// Integers for which all bits zero is a value.
///
/// # Safety
///
/// Zeroed memory must be a valid value of the type, and the type must not need dropping.
pub unsafe trait Zeroable: Copy {}
// SAFETY: integers.
unsafe impl Zeroable for i16 {}

/// A fixed table of zeros, aligned to huge pages and backed by them where the system agrees.
///
/// It is mapped where it is first written: a thread that never searches costs nothing.
pub struct HugeTable<T: Zeroable> {
    /// What the allocator gave.
    memory: NonNull<u8>,
    /// The first huge page in it.
    first: NonNull<T>,
    length: usize,
}

// SAFETY: the table owns its memory as a box would.
unsafe impl<T: Zeroable + Send> Send for HugeTable<T> {}
// SAFETY: as above; shared access is read-only.
unsafe impl<T: Zeroable + Sync> Sync for HugeTable<T> {}

impl<T: Zeroable> HugeTable<T> {
    /// `length` zeros. Ends the program like any failed allocation if there is no memory for a few MiB.
    pub fn new(length: usize) -> HugeTable<T> {
        let layout = Self::layout(length);
        // The allocator has zeros that are not mapped yet, but not at an alignment of more than its own: there it would
        // write them itself. So a huge page more is asked for, and the beginning left out.
        // SAFETY: the layout is not empty.
        let memory = unsafe { alloc::alloc_zeroed(layout) };
        let Some(memory) = NonNull::new(memory) else { alloc::handle_alloc_error(layout) };
        let skip = memory.as_ptr().align_offset(HUGE_PAGE).min(HUGE_PAGE);
        // SAFETY: the layout has a huge page more than the table needs.
        let first = unsafe { memory.add(skip) };
        advise_huge_pages(first.as_ptr(), layout.size() - HUGE_PAGE);
        HugeTable { memory, first: first.cast(), length }
    }

    fn layout(length: usize) -> Layout {
        let size = (length * size_of::<T>()).next_multiple_of(HUGE_PAGE).max(HUGE_PAGE) + HUGE_PAGE;
        match Layout::from_size_align(size, align_of::<T>()) {
            Ok(layout) => layout,
            Err(error) => unreachable!("tables have a constant, moderate size: {error}"),
        }
    }
}

impl<T: Zeroable> Drop for HugeTable<T> {
    fn drop(&mut self) {
        // SAFETY: allocated by `new` with this layout; the contents need no drop.
        unsafe { alloc::dealloc(self.memory.as_ptr(), Self::layout(self.length)) };
    }
}

impl<T: Zeroable> Deref for HugeTable<T> {
    type Target = [T];
    #[inline]
    fn deref(&self) -> &[T] {
        // SAFETY: `length` initialised values, owned by `self`.
        unsafe { std::slice::from_raw_parts(self.first.as_ptr(), self.length) }
    }
}

impl<T: Zeroable> DerefMut for HugeTable<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as above, and borrowed uniquely.
        unsafe { std::slice::from_raw_parts_mut(self.first.as_ptr(), self.length) }
    }
}

/// Asks Linux to back a large piece of memory with huge pages, before anything touches it.
///
/// Probes go everywhere, so with 4 KiB pages nearly each one misses the translation cache as well as the data's: that
/// was a third of the search's time on a virtual machine. Where the advice is not taken nothing changes.
#[cfg(all(target_os = "linux", not(miri)))]
pub(crate) fn advise_huge_pages(memory: *mut u8, size: usize) {
    const PAGE: usize = 4096;
    let skip = memory.align_offset(PAGE);
    if size > skip + PAGE {
        // SAFETY: the range lies within memory that was just allocated, and the advice changes no contents.
        unsafe { libc::madvise(memory.add(skip).cast(), size - skip, libc::MADV_HUGEPAGE) };
    }
}

#[cfg(not(all(target_os = "linux", not(miri))))]
pub(crate) fn advise_huge_pages(_memory: *mut u8, _size: usize) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_zero_and_writable() {
        let mut table = HugeTable::<i16>::new(3_000_000);
        assert_eq!(table.len(), 3_000_000);
        assert!(table.iter().all(|&x| x == 0));
        table[2_999_999] = 7;
        assert_eq!(table[2_999_999], 7);
        assert!(HugeTable::<i16>::new(0).is_empty());
    }
}
