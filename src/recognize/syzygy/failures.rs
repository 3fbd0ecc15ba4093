//! The tables that could not be read, remembered by their material.

use std::sync::atomic::{AtomicU64, Ordering};

/// A set of materials that all threads read and add to without a lock: a hash table of the keys themselves, zero
/// where empty. A missing table must not hide another that happens to share its place.
pub struct Failures(Box<[AtomicU64]>);

impl Default for Failures {
    /// Room for all materials of up to seven men, some three thousand with colours.
    fn default() -> Failures {
        Failures((0..8192).map(|_| AtomicU64::new(0)).collect())
    }
}

impl Failures {
    /// The slots where this key may be, in the order in which they are tried.
    fn slots(&self, key: u64) -> impl Iterator<Item = &AtomicU64> {
        let mut state = key;
        let start = crate::random::split_mix(&mut state) as usize % self.0.len();
        self.0[start..].iter().chain(&self.0[..start])
    }

    /// Whether the key was inserted before.
    pub fn contains(&self, key: u64) -> bool {
        let mut found = self.slots(key).map(|slot| slot.load(Ordering::Relaxed)).take_while(|&known| known != 0);
        found.any(|known| known == key)
    }

    /// Adds a key, which must not be zero; returns whether it is new.
    pub fn insert(&self, key: u64) -> bool {
        for slot in self.slots(key) {
            match slot.compare_exchange(0, key, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return true,
                Err(known) if known == key => return false,
                Err(_) => {}
            }
        }
        false
    }
}
