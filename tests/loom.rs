//! Every interleaving of two writers and a reader on one slot of the table, by model checking.
//!
//! Runs only under `RUSTFLAGS="--cfg loom" cargo test --release --test loom`.

#![cfg(loom)]

use ibex::tt::slot::{Seal, Slot, Word, Xor};
use loom::sync::Arc;
use loom::sync::atomic::{AtomicU64, Ordering};

struct Modelled(AtomicU64);

impl Word for Modelled {
    fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    fn set(&self, word: u64) {
        self.0.store(word, Ordering::Relaxed);
    }
}

/// Two writers store their pairs while a reader loads; whatever passes for one of the keys must be that key's data.
fn model<S: Seal + 'static>(pairs: [(u64, u64); 2]) {
    loom::model(move || {
        let slot = Arc::new(Slot::<Modelled, S>::of(Modelled(AtomicU64::new(0)), Modelled(AtomicU64::new(0))));
        let writers = pairs.map(|(key, data)| {
            let slot = slot.clone();
            loom::thread::spawn(move || slot.store(key, data))
        });
        let check = |(found, data)| {
            let known = pairs.iter().any(|&(key, _)| key == found);
            assert!(!known || pairs.contains(&(found, data)), "mixed: {found:x} {data:x}");
        };
        check(slot.load());
        for writer in writers {
            writer.join().expect("a writer");
        }
        check(slot.load());
    });
}

const A: u64 = 0x0123_4567_89AB_CDEF;
const B: u64 = 0xFEDC_BA98_7654_3210;

#[test]
fn different_keys_never_mix() {
    model::<Xor>([(A, 0x5555), (B, 0xAAAA)]);
}

#[test]
fn the_same_key_with_different_data_never_mixes() {
    model::<Xor>([(A, 0x5555), (A, 0xAAAA)]);
}

#[test]
fn storing_the_same_pair_twice_gives_that_pair() {
    model::<Xor>([(A, 0x5555), (A, 0x5555)]);
}

struct Torn;

impl Seal for Torn {
    fn seal(key: u64, _data: u64) -> u64 {
        key
    }
}

/// The planted bug: without the seal, the model must find mixed data.
#[test]
#[should_panic(expected = "mixed")]
fn slots_without_a_seal_mix() {
    model::<Torn>([(A, 0x5555), (B, 0xAAAA)]);
}
