//! Storms: random dialogues with the real program, compared with a model of the required answers.
//!
//! Every dialogue follows from its seed and from the options that the program announces; a failure prints the seed and
//! the whole dialogue. Here only a few are run; `make soak` runs as many as `IBEX_STORMS` says, from the seed
//! `IBEX_STORM_SEED` on, `IBEX_STORM_JOBS` at a time. `IBEX_STORM_SLOW` is the time in milliseconds that an end may
//! take; a machine under load needs more than the second that is promised on a quiet one.

#![cfg(target_os = "linux")]

#[path = "../common/environment.rs"]
mod environment;
mod player;
mod script;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use environment::from_environment;

#[test]
fn random_dialogues_are_answered_as_the_model_says() {
    let count: u64 = from_environment("IBEX_STORMS").unwrap_or(60);
    let first: u64 = from_environment("IBEX_STORM_SEED").unwrap_or(1);
    let jobs: u64 = from_environment("IBEX_STORM_JOBS").unwrap_or(3).clamp(1, 64);
    let slow = Duration::from_millis(from_environment("IBEX_STORM_SLOW").unwrap_or(10_000));
    let next = AtomicU64::new(first);
    let failures = Mutex::new(Vec::new());
    let totals = player::Totals::default();
    let repeated = AtomicUsize::new(0);
    let start = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= first + count {
                        break;
                    }
                    let mut result = player::play(seed, slow, &totals);
                    // If an answer is only late, the machine may be the reason: it counts if it is late every time.
                    for _ in 0..3 {
                        if !result.as_ref().is_err_and(|failure| failure.late) {
                            break;
                        }
                        repeated.fetch_add(1, Ordering::Relaxed);
                        result = player::play(seed, slow, &totals);
                    }
                    if let Err(failure) = result {
                        eprintln!("{failure}");
                        failures.lock().unwrap_or_else(PoisonError::into_inner).push(seed);
                    }
                    let done = seed - first + 1;
                    if done.is_multiple_of(1000) {
                        eprintln!("{done} dialogues, {:.0} s", start.elapsed().as_secs_f64());
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap_or_else(PoisonError::into_inner);
    eprintln!("storms: {count} dialogues from seed {first}, {totals}, {} violations", failures.len());
    assert!(failures.is_empty(), "seeds {failures:?}; {} repeated because they were late", repeated.into_inner());
}

/// Every option that the program announces is set to several values.
#[test]
fn storms_set_every_option() {
    let mut values: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for seed in 1..=2000 {
        let dialogue = script::dialogue(seed);
        let written = dialogue.steps.iter().flat_map(|step| match step {
            script::Step::Write(bytes) => bytes.as_slice(),
            _ => &[],
        });
        for line in String::from_utf8_lossy(&written.copied().collect::<Vec<u8>>()).lines() {
            if let Some((name, value)) = line.strip_prefix("setoption name ").and_then(|set| set.split_once(" value "))
            {
                values.entry(name.to_owned()).or_default().insert(value.to_owned());
            } else if let Some(name) = line.strip_prefix("setoption name ") {
                values.entry(name.to_owned()).or_default();
            }
        }
    }
    for option in &*script::OPTIONS {
        let set = values.get(&option.name).map(BTreeSet::len);
        assert!(set.is_some_and(|set| option.name == "Clear Hash" || set >= 2), "{}: {set:?}", option.name);
    }
    for name in ["Hash", "UCI_LimitStrength", "UCI_Elo", "Skill Level", "UCI_Chess960", "Debug Log File"] {
        assert!(values.contains_key(name), "{name}");
    }
}

/// The model itself must detect faults: answers that are missing, too many, illegal or late for their search.
#[test]
fn the_model_notices_what_is_wrong() {
    let seed = (1..)
        .find(|&seed| {
            let dialogue = script::dialogue(seed);
            let plays = |asked: &script::Asked| asked.only.is_empty() && asked.position.has_legal_move();
            dialogue.ending == script::Ending::Complete
                && dialogue.asked.len() > 2
                && dialogue.asked.iter().all(plays)
                && !dialogue.people
                && dialogue.ready > 0
        })
        .expect("a dialogue");
    let dialogue = script::dialogue(seed);
    let legal = |i: usize| {
        let position = &dialogue.asked[i].position;
        format!("bestmove {}", position.legal_moves()[0].to_uci(position.castling_mode()))
    };
    let mut right: Vec<String> = (0..dialogue.asked.len()).map(legal).collect();
    right.extend((0..dialogue.ready).map(|_| "readyok".to_owned()));
    right.extend((0..dialogue.uci).map(|_| "uciok".to_owned()));
    assert_eq!(script::fault(&dialogue, &right), None);
    let spoilt = |spoil: &dyn Fn(&mut Vec<String>)| {
        let mut lines = right.clone();
        spoil(&mut lines);
        script::fault(&dialogue, &lines)
    };
    assert!(spoilt(&|lines| drop(lines.remove(0))).is_some(), "a move is missing");
    assert!(spoilt(&|lines| lines.insert(0, lines[0].clone())).is_some(), "a move too many");
    assert!(spoilt(&|lines| lines[1] = "bestmove a1a1".into()).is_some(), "an illegal move");
    assert!(spoilt(&|lines| lines[1] = "bestmove (none)".into()).is_some(), "no move");
    assert!(spoilt(&|lines| lines[1] += " ponder a1a1").is_some(), "an illegal reply");
    assert!(spoilt(&|lines| lines.retain(|line| line != "readyok")).is_some(), "not ready");
    assert!(spoilt(&|lines| lines.push("uciok".into())).is_some(), "unasked");
}
