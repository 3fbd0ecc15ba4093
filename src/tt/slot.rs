//! Two words that many threads read and write without a lock.
//!
//! A slot holds `key ^ data` and `data`. Each word is written atomically, but another thread may write its pair in
//! between; a reader that sees halves of two pairs computes a key that is neither's, barring chance, and ignores the
//! slot. If both pairs belong to the same key and their data differ, the check fails as well; if their data are
//! equal, the mixture is the pair itself. Flipped bits are found by the same test.
//!
//! Source: Hyatt and Mann, "A lock-less transposition table implementation for parallel search chess engines" (2002).

use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};

/// An atomic 64-bit word; the parameter exists so that a model checker can put its own in place.
pub trait Word {
    /// Reads the word.
    fn get(&self) -> u64;
    /// Writes the word.
    fn set(&self, word: u64);
}

// Relaxed is enough: the two words carry their own proof that they belong together, and nothing else is published
// through them.
impl Word for AtomicU64 {
    #[inline]
    fn get(&self) -> u64 {
        self.load(Ordering::Relaxed)
    }

    #[inline]
    fn set(&self, word: u64) {
        self.store(word, Ordering::Relaxed);
    }
}

/// How a key and its data become the first word, and how the first word and the data become a key again.
pub trait Seal {
    /// An involution in its first argument: `seal(seal(key, data), data) == key`.
    fn seal(key: u64, data: u64) -> u64;
}

/// Hyatt and Mann's seal: the exclusive or.
pub struct Xor;

impl Seal for Xor {
    #[inline]
    fn seal(key: u64, data: u64) -> u64 {
        key ^ data
    }
}

/// A place for one key and its data.
#[repr(C, align(16))]
pub struct Slot<W = AtomicU64, S = Xor> {
    sealed: W,
    data: W,
    seal: PhantomData<fn() -> S>,
}

impl<W: Word, S: Seal> Slot<W, S> {
    /// A slot of these two words, both zero when it is empty.
    pub fn of(sealed: W, data: W) -> Slot<W, S> {
        Slot { sealed, data, seal: PhantomData }
    }

    /// The key and the data; if writers have mixed, the key fits no position.
    #[inline]
    pub fn load(&self) -> (u64, u64) {
        let data = self.data.get();
        (S::seal(self.sealed.get(), data), data)
    }

    /// Writes a key and its data.
    #[inline]
    pub fn store(&self, key: u64, data: u64) {
        self.sealed.set(S::seal(key, data));
        self.data.set(data);
    }

    /// Empties the slot.
    #[inline]
    pub fn clear(&self) {
        self.sealed.set(0);
        self.data.set(0);
    }
}
