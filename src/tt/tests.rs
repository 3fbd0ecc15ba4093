use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::entry::{AGES, Entry, age_of, is_empty, with_best};
use super::slot::{Seal, Xor};
use super::table::TranspositionTable;
use crate::bound::{Bound, Ibv};
use crate::position::PackedMove;
use crate::random::split_mix;
use crate::score::{Band, Score};

const BLANK: Entry = Entry { value: None, best: None, depth: 0, pv: false, eval: None, tb_entry: false };

/// Miri is a thousand times slower: there, one value in this many is tried.
const STRIDE: usize = if cfg!(miri) { 211 } else { 1 };

fn round_trip(entry: Entry, age: u8) {
    let word = entry.pack(age);
    assert!(!is_empty(word));
    assert_eq!(Entry::unpack(word), Some(entry));
    assert_eq!(age_of(word), age);
}

fn values() -> impl Iterator<Item = Option<Ibv>> {
    (Score::MIN.raw()..=Score::MAX.raw())
        .flat_map(|raw| {
            let score = Score::from_raw(raw);
            [Bound::Upper, Bound::Exact, Bound::Lower].map(|bound| Some(Ibv::new(score, bound)))
        })
        .chain([None])
}

/// Every value of every field, with all other fields empty and with all of them full.
#[test]
fn every_field_round_trips() {
    let full = Entry {
        value: Some(Ibv::upper(Score::from_raw(-1))),
        best: PackedMove::from_bits(u16::MAX),
        depth: Entry::MAX_DEPTH,
        pv: true,
        eval: Some(Score::heuristic(-1)),
        tb_entry: true,
    };
    for (rest, age) in [(BLANK, 0), (full, AGES - 1)] {
        for value in values().step_by(STRIDE) {
            round_trip(Entry { value, ..rest }, age);
        }
        for bits in (0..=u16::MAX).step_by(STRIDE) {
            let best = PackedMove::from_bits(bits);
            round_trip(Entry { best, ..rest }, age);
            assert_eq!(Entry::unpack(with_best(rest.pack(age), best)), Some(Entry { best, ..rest }));
        }
        for depth in 0..=Entry::MAX_DEPTH {
            round_trip(Entry { depth, ..rest }, age);
        }
        for cp in (-Score::MAX_EVAL..=Score::MAX_EVAL).step_by(STRIDE) {
            round_trip(Entry { eval: Some(Score::heuristic(cp)), ..rest }, age);
        }
        for flag in [false, true] {
            round_trip(Entry { pv: flag, ..rest }, age);
            round_trip(Entry { tb_entry: flag, ..rest }, age);
        }
        round_trip(Entry { eval: None, ..rest }, age);
        for age in 0..AGES {
            round_trip(rest, age);
        }
    }
    assert_eq!(Entry::unpack(0), None);
}

fn any_entry() -> impl Strategy<Value = Entry> {
    let raw = Score::MIN.raw()..=Score::MAX.raw();
    let cp = -Score::MAX_EVAL..=Score::MAX_EVAL;
    let flags = (any::<bool>(), any::<bool>());
    (raw, 0u64..4, any::<u16>(), 0..=Entry::MAX_DEPTH, prop::option::of(cp), flags).prop_map(
        |(raw, bound, best, depth, cp, (pv, tb_entry))| Entry {
            value: Bound::from_bits(bound).map(|bound| Ibv::new(Score::from_raw(raw), bound)),
            best: PackedMove::from_bits(best),
            depth,
            pv,
            eval: cp.map(Score::heuristic),
            tb_entry,
        },
    )
}

proptest! {
    #[test]
    fn entries_round_trip(entry in any_entry(), age in 0..AGES) {
        round_trip(entry, age);
    }

    /// Any word is an entry or nothing: invalid codes become "nothing known", and an entry that was read can be
    /// written.
    #[test]
    fn random_words_are_taken(word: u64) {
        if let Some(entry) = Entry::unpack(word) {
            prop_assert!(entry.eval.is_none_or(|eval| eval.band() == Band::Heuristic));
            round_trip(entry, age_of(word));
        } else {
            prop_assert!(is_empty(word));
        }
    }

    #[test]
    fn stored_entries_are_found(key: u64, entry in any_entry()) {
        let table = small::<Xor>(16);
        prop_assert_eq!(table.probe(key), None);
        table.store(key, entry);
        prop_assert_eq!(table.probe(key), Some(entry));
        prop_assert_eq!(table.probe(!key), None);
        table.clear(3);
        prop_assert_eq!(table.probe(key), None);
    }
}

fn small<S: Seal>(clusters: usize) -> TranspositionTable<S> {
    let mut table = TranspositionTable::<S>::empty();
    assert!(table.try_clusters(clusters));
    table
}

fn at_depth(depth: i32) -> Entry {
    Entry { value: Some(Ibv::lower(Score::heuristic(depth))), depth, ..BLANK }
}

#[test]
fn invalid_codes_mean_nothing() {
    let word = at_depth(3).pack(0);
    // Score code −16384 under a valid bound.
    let word = word & !0x7FFF | 0x4000;
    assert_eq!(Entry::unpack(word).map(|entry| entry.value), Some(None));
    // An evaluation in the draw band.
    let word = word & !(0x7FFF << 48) | 5 << 48;
    assert_eq!(Entry::unpack(word).and_then(|entry| entry.eval), None);
}

#[test]
fn key_zero_is_a_key_like_any_other() {
    let table = small::<Xor>(1);
    assert_eq!(table.probe(0), None, "empty memory passes the check of key 0 and must not pass for an entry");
    table.store(0, BLANK);
    assert_eq!(table.probe(0), Some(BLANK));
}

#[test]
fn the_same_position_keeps_what_is_better() {
    let table = small::<Xor>(1);
    let best = PackedMove::from_bits(77);
    table.store(5, Entry { best, ..at_depth(10) });
    // Much shallower: only its move is taken.
    table.store(5, Entry { best: PackedMove::from_bits(78), ..at_depth(3) });
    assert_eq!(table.probe(5), Some(Entry { best: PackedMove::from_bits(78), ..at_depth(10) }));
    // A little shallower is newer, and replaces; the move stays where there is no new one.
    table.store(5, at_depth(8));
    assert_eq!(table.probe(5), Some(Entry { best: PackedMove::from_bits(78), ..at_depth(8) }));
    // Exact replaces whatever is there.
    let exact = Entry { value: Some(Ibv::exact(Score::heuristic(1))), best, ..BLANK };
    table.store(5, exact);
    assert_eq!(table.probe(5), Some(exact));
    // An entry without a value never replaces one.
    table.store(5, Entry { depth: 100, ..BLANK });
    assert_eq!(table.probe(5), Some(exact));
    // What an older search has left is replaced.
    table.store(5, at_depth(200));
    table.new_search();
    table.store(5, at_depth(1));
    assert_eq!(table.probe(5), Some(Entry { best, ..at_depth(1) }));
}

/// Any depth above the largest is stored as that, also over an entry of the same position.
#[test]
fn the_greatest_depths_are_alike() {
    let table = small::<Xor>(1);
    for cp in [10, 20] {
        let entry = Entry { value: Some(Ibv::lower(Score::heuristic(cp))), depth: i32::MAX, ..BLANK };
        table.store(5, entry);
        assert_eq!(table.probe(5), Some(Entry { depth: Entry::MAX_DEPTH, ..entry }));
    }
}

#[test]
fn the_least_worthy_makes_room() {
    let table = small::<Xor>(1);
    for (key, depth) in [(1, 5), (2, 3), (3, 9), (4, 4)] {
        table.store(key, at_depth(depth));
    }
    table.store(5, at_depth(1));
    assert_eq!(table.probe(2), None, "the shallowest is replaced");
    assert_eq!(table.probe(5), Some(at_depth(1)));
    // One search later the old entries count for eight plies less.
    table.new_search();
    table.store(6, at_depth(0));
    table.store(7, at_depth(0));
    table.store(8, at_depth(0));
    table.store(9, at_depth(0));
    assert_eq!([1, 3, 4, 5].map(|key| table.probe(key).is_some()), [false, true, false, false]);
    table.store(10, at_depth(0));
    assert!(table.probe(3).is_some(), "depth 9 of the last search is worth more than depth 0 of this one");
}

/// A tablebase's answer can be had again without a search, so it counts for four plies less.
#[test]
fn tablebase_entries_are_replaced_first() {
    let tb_entry = |depth| Entry { tb_entry: true, ..at_depth(depth) };
    let table = small::<Xor>(1);
    for (key, entry) in [(1, at_depth(5)), (2, at_depth(5)), (3, tb_entry(5)), (4, at_depth(2))] {
        table.store(key, entry);
    }
    table.store(5, at_depth(5));
    assert_eq!([1, 2, 3, 4].map(|key| table.probe(key).is_some()), [true, true, false, true]);
    // At depth 5 it is worth more than another entry at depth 0, and as much as one at depth 1: the first one goes.
    for (depth, stays) in [(0, true), (1, false)] {
        let table = small::<Xor>(1);
        for (key, entry) in [(1, at_depth(9)), (2, at_depth(9)), (3, tb_entry(5)), (4, at_depth(depth))] {
            table.store(key, entry);
        }
        table.store(5, at_depth(9));
        assert_eq!([3, 4].map(|key| table.probe(key).is_some()), [stays, !stays], "beside depth {depth}");
    }
}

#[test]
fn hashfull_counts_the_current_search() {
    let table = small::<Xor>(1 << 8);
    assert_eq!(table.hashfull(), 0);
    let mut state = 1;
    for _ in 0..1 << 12 {
        table.store(split_mix(&mut state), BLANK);
    }
    assert!(table.hashfull() > 990, "{}", table.hashfull());
    table.new_search();
    assert_eq!(table.hashfull(), 0);
}

#[test]
#[cfg_attr(miri, ignore = "maps more than Miri has")]
fn sizes() {
    let (mut table, remark) = TranspositionTable::new(3);
    assert_eq!((table.mib(), remark), (3, None));
    assert_eq!(table.resize(1, 2), None);
    assert_eq!(table.mib(), 1);
    table.prefetch(u64::MAX);
    table.store(u64::MAX, at_depth(7));
    assert_eq!(table.probe(u64::MAX), Some(at_depth(7)));
    table.clear(7);
    assert_eq!(table.probe(u64::MAX), None);
    // Large enough to be cleared by three threads.
    assert_eq!(table.resize(3 * 16, 1), None);
    let ends = [0, u64::MAX / 2, u64::MAX];
    ends.into_iter().for_each(|key| table.store(key, at_depth(7)));
    assert!(ends.into_iter().all(|key| table.probe(key).is_some()));
    table.clear(7);
    assert!(ends.into_iter().all(|key| table.probe(key).is_none()));
    // More than any address space: a smaller table and a remark, never an abort.
    let (table, remark) = TranspositionTable::new(usize::MAX >> 20);
    assert!(table.mib() >= 1);
    assert!(remark.is_some_and(|remark| remark.starts_with("not enough memory for Hash")));
    // No table at all behaves as an empty one.
    let none = TranspositionTable::<Xor>::empty();
    none.store(1, BLANK);
    none.prefetch(1);
    none.clear(2);
    assert_eq!((none.probe(1), none.hashfull()), (None, 0));
}

/// No seal: the key lies beside the data as it is. The planted fault that the hammer must find.
struct Torn;

impl Seal for Torn {
    fn seal(key: u64, _data: u64) -> u64 {
        key
    }
}

/// An entry all of whose fields follow from the key and a number: any mixture of two shows.
fn redundant(key: u64, number: u64) -> Entry {
    let mut state = key ^ number.wrapping_mul(0x9E37_79B9);
    let word = split_mix(&mut state);
    Entry {
        // The number itself travels in the move, so that a reader can recompute the rest.
        best: PackedMove::from_bits(number as u16),
        // Exact values always replace, so no old part of an entry is kept on purpose.
        value: Some(Ibv::exact(Score::from_raw((word % 32_000) as i32 - 16_000))),
        depth: (word >> 24 & 127) as i32,
        pv: word >> 32 & 1 == 1,
        eval: Some(Score::heuristic((word >> 33 & 4095) as i32 - 2048)),
        tb_entry: word >> 50 & 1 == 1,
    }
}

/// Eight threads read and write few keys in a tiny table. Returns the number of accepted entries, and of those among
/// them that no thread has written, after `rounds` rounds or at the first such entry.
fn hammer<S: Seal>(rounds: u64, patience: Duration) -> (u64, u64) {
    const THREADS: u64 = 8;
    let table = small::<S>(2);
    let (accepted, broken, stop) = (AtomicU64::new(0), AtomicU64::new(0), AtomicBool::new(false));
    let start = Instant::now();
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (table, accepted, broken, stop) = (&table, &accepted, &broken, &stop);
            scope.spawn(move || {
                let mut state = thread;
                for round in 0..rounds {
                    if stop.load(Ordering::Relaxed) || (round % 1024 == 0 && start.elapsed() > patience) {
                        break;
                    }
                    let word = split_mix(&mut state);
                    // Sixteen keys for eight slots: both displacement and updates in place happen all the time.
                    let key = (word % 16).wrapping_mul(0x1111_1111_1111_1111) ^ 0x0123_4567_89AB_CDEF;
                    if word & 1 << 40 == 0 {
                        table.store(key, redundant(key, word >> 48 | 1));
                    } else if let Some(entry) = table.probe(key) {
                        accepted.fetch_add(1, Ordering::Relaxed);
                        if entry != redundant(key, u64::from(PackedMove::to_bits(entry.best))) {
                            broken.fetch_add(1, Ordering::Relaxed);
                            stop.store(true, Ordering::Relaxed);
                        }
                    }
                }
            });
        }
    });
    (accepted.into_inner(), broken.into_inner())
}

#[test]
fn hammered_entries_are_whole() {
    let (rounds, least) = if cfg!(miri) { (400, 20) } else { (400_000, 1000) };
    let (accepted, broken) = hammer::<Xor>(rounds, Duration::from_secs(60));
    assert!(accepted > least, "{accepted}");
    assert_eq!(broken, 0, "of {accepted}");
}

/// The same hammer over slots without a seal: if it did not find the mixtures there, the test above would prove
/// nothing.
#[test]
fn the_hammer_finds_torn_entries() {
    let (accepted, broken) = hammer::<Torn>(u64::MAX, Duration::from_secs(60));
    assert!(broken > 0, "of {accepted}");
}

#[test]
fn a_forgotten_table_is_an_empty_one_before_the_next_search() {
    let table = small::<Xor>(256);
    let keys = || (0..1000_u64).map(|key| key.wrapping_mul(0xD134_2543_DE82_EF95));
    keys().for_each(|key| table.store(key, at_depth(5)));
    assert!(table.hashfull() > 0 && keys().any(|key| table.probe(key).is_some()));
    table.forget(1);
    assert_eq!(table.hashfull(), 0);
    assert!(keys().all(|key| table.probe(key).is_none()));
    table.store(5, at_depth(1));
    assert_eq!(table.probe(5), Some(at_depth(1)));
}

/// A table that has forgotten its past many times answers every probe like a new one.
#[test]
fn forgetting_is_as_good_as_clearing() {
    let used = small::<Xor>(64);
    let mut random = 0x9E37_79B9_7F4A_7C15_u64;
    let mut next = || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random
    };
    for round in 0..if cfg!(miri) { 5 } else { 200 } {
        let fresh = small::<Xor>(64);
        used.forget(1);
        // Games of one search, of a few, and of more than there are ages.
        for _ in 0..[1, 2, 3, 70][round % 4] {
            used.new_search();
            fresh.new_search();
            for _ in 0..300 {
                // Few keys, so that they recur, and meet those of the rounds before.
                let key = (next() % 400).wrapping_mul(0xD134_2543_DE82_EF95);
                assert_eq!(used.probe(key), fresh.probe(key), "round {round}");
                let entry = at_depth((next() % 20) as i32);
                used.store(key, entry);
                fresh.store(key, entry);
            }
            assert_eq!(used.hashfull(), fresh.hashfull(), "round {round}");
        }
    }
}
