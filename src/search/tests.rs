//! Interrupted searches, and mates that a thread keeps.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use shakmaty::{ByColor, CastlingMode, Role};

use super::rules::TableMode;
use super::state::{Exact, PvCompletion, RootMove};
use super::*;
use crate::bound::{Bound, Ibv};
use crate::eval::Evaluator;
use crate::position::Game;
use crate::random::Random;
use crate::score::{DrawRule, Score};
use crate::time::{Clock, Limits, PreviousSearch};
use crate::tt::{Entry, TranspositionTable};

/// Runs `work` with a search of `fen`, as the first of two threads of which the second does nothing.
fn with_search(
    fen: &str,
    limits: &Limits,
    listener: Option<Listener<'_>>,
    work: impl FnOnce(&mut Search<'_, true>) + Send,
) {
    with_seat(Seat { id: 0, analysis: true }, fen, limits, listener, work);
}

/// Which of the two threads searches, and whether for analysis.
struct Seat {
    id: usize,
    analysis: bool,
}

/// As [`with_search`], in another seat.
fn with_seat(
    seat: Seat,
    fen: &str,
    limits: &Limits,
    listener: Option<Listener<'_>>,
    work: impl FnOnce(&mut Search<'_, true>) + Send,
) {
    let id = seat.id;
    with_shared(seat, fen, limits, listener, |shared, game| {
        work(&mut Search::new(shared, id, &mut ThreadData::default(), game));
    });
}

/// As [`with_seat`], for `work` that makes its own search; returns its result.
fn with_shared<T: Send>(
    seat: Seat,
    fen: &str,
    limits: &Limits,
    listener: Option<Listener<'_>>,
    work: impl FnOnce(&Shared<'_>, &Game) -> T + Send,
) -> T {
    let game = Game::from_fen(fen, CastlingMode::Standard).expect("a position");
    let (table, _) = TranspositionTable::new(1);
    let (stop, pondering) = (AtomicBool::new(false), AtomicBool::new(false));
    let start = Instant::now();
    let shared = Shared {
        tt: &table,
        stop: &stop,
        pondering: &pondering,
        counters: &[NodeCounter::default(), NodeCounter::default()],
        shared_best: &SharedBest::default(),
        limits,
        allowance: None,
        clock: &Clock::new(limits, game.position().turn(), 0, Duration::ZERO, start),
        start,
        conventions: Conventions::default(),
        analysis: seat.analysis,
        probes: None,
        listener,
    };
    std::thread::scope(|scope| {
        let body = || work(&shared, &game);
        let thread = std::thread::Builder::new().stack_size(STACK_SIZE).spawn_scoped(scope, body);
        thread.expect("a thread").join().expect("no panic")
    })
}

/// Play has its rules as constants, the laboratory has the same rules as data: the search must be the same, node for
/// node.
#[test]
fn play_matches_an_experiment_that_changes_nothing() {
    let seat = || Seat { id: 0, analysis: true };
    let limits = Limits::depth(7);
    for fen in [
        "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 9",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "8/8/8/4k3/8/8/1p6/K2N4 w - - 0 1",
    ] {
        let play = with_shared(seat(), fen, &limits, None, |shared, game| {
            let mut td = ThreadData::default();
            let mut search = Search::new(shared, 0, &mut td, game);
            let found = search.iterate(1).expect("a move");
            (search.counters.nodes, found.best, found.value, found.pv)
        });
        let experiment = with_shared(seat(), fen, &limits, None, |shared, game| {
            let mut td = ThreadData::default();
            let mut search = Search::with_rules(Rules::PLAY, shared, 0, &mut td, game);
            let found = search.iterate(1).expect("a move");
            (search.counters.nodes, found.best, found.value, found.pv)
        });
        assert_eq!(play, experiment, "{fen}");
    }
}

/// Whether the search stands at its root, with nothing of the tree behind it.
fn is_at_root(search: &mut Search<'_, true>) -> bool {
    let root = search.game.position();
    let mut fresh = Evaluator::default();
    fresh.reset(root);
    search.td.evaluator.evaluate(root) == fresh.evaluate(root) && search.path.is_at_root(search.game.keys())
}

/// The line of a mate is looked for with a budget. If it is spent in the middle of a tree, the path there must not be
/// taken for the path to the root afterwards.
#[test]
fn a_mate_line_that_is_not_found_leaves_no_trace() {
    with_search(
        "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 9",
        &Limits::default(),
        None,
        |search| {
            assert!(is_at_root(search));
            // This mate is made up: searching for it costs more than the budget.
            search.root.moves[0].last_exact = Some(Exact { depth: 20, score: Score::mate_in(21) });
            search.root.depth = 20;
            search.root.completed_depth = 20;
            search.complete_mate_line(0, PvCompletion::BetweenIterations);
            assert!(search.root.moves[0].pv_is_incomplete && search.counters.nodes > 1000);
            assert!(is_at_root(search));
        },
    );
}

/// A thread that takes over another's iteration reports it and builds on it; nothing of its own iteration stays.
#[test]
fn a_slower_thread_takes_over_what_a_faster_one_has_found() {
    let limits = Limits { depth: Some(9), ..Limits::default() };
    let told = Mutex::new(Vec::new());
    let hear = |event: Event| {
        if let Event::Line(report) = event
            && report.value.bound() == Bound::Exact
        {
            told.lock().expect("one thread").push((report.depth, report.pv[0], report.value.score()));
        }
    };
    with_search("r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 9", &limits, Some(&hear), |search| {
        let mut best = search.root.moves.last().expect("moves").clone();
        let score = Score::heuristic(33);
        best.last_exact = Some(Exact { depth: 8, score });
        best.value = Some(Ibv::exact(score));
        search.shared.shared_best.record(8, &best, 71);
        // A later result that is less deep does not count.
        search.shared.shared_best.record(7, &search.root.moves[0], 29);

        let finding = search.iterate(1);
        let told = told.lock().expect("one thread");
        assert_eq!(told[0], (8, best.m, score));
        assert!(told[1..].iter().all(|line| line.0 == 9), "{told:?}");
        assert_eq!(finding.map(|found| found.depth), Some(9));
        assert!(is_at_root(search));
    });
}

/// What a slower thread has searched says nothing about the effort for a move that another thread found best.
#[test]
fn an_adopted_iteration_keeps_the_effort_of_its_finder() {
    with_search("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", &Limits::default(), None, |search| {
        search.root.adopts_lead = true;
        search.root.depth = 5;
        (search.counters.nodes, search.root.moves[3].nodes) = (1000, 10);
        let best = search.root.moves[3].clone();
        assert_eq!(search.take_over(), None);
        search.root.failed_high = Some((search.root.moves[1].m, Ibv::lower(Score::heuristic(50))));
        search.shared.shared_best.record(5, &best, 71);
        assert_eq!(search.take_over(), Some(71));
        assert!(search.root.failed_high.is_none(), "of the iteration that was given up");
        assert_eq!((search.root.moves[0].m, search.effort()), (best.m, 1));
    });
}

/// If the slower thread has proved a win and the faster one has not, the slower one is right.
#[test]
fn a_proved_win_is_kept_over_the_opinion_of_another_thread() {
    let exact = |root: &RootMove, score| RootMove { last_exact: Some(Exact { depth: 4, score }), ..root.clone() };
    let proved = Score::mate_in(13);
    for (other, is_kept) in [(Score::heuristic(310), true), (Score::mate_in(11), false)] {
        with_search("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", &Limits::default(), None, |search| {
            search.root.adopts_lead = true;
            search.root.depth = 5;
            // Its line could not be completed in time.
            let own = RootMove { pv_is_incomplete: true, ..exact(&search.root.moves[2], proved) };
            search.root.previous_best = Some(own.clone());
            let best = exact(&search.root.moves[3], other);
            search.shared.shared_best.record(5, &best, 71);
            assert_eq!(search.take_over(), Some(71));
            let (m, score) = if is_kept { (own.m, proved) } else { (best.m, other) };
            assert_eq!((search.root.moves[0].m, search.root.moves[0].score()), (m, Some(score)));
        });
    }
}

/// A move that failed high beats the best one of the iteration before, though the time was up before its value was
/// known; but not if the wider window has shown that it is no better. The search may also end at the first node of
/// that window.
#[test]
fn a_move_that_failed_high_is_played_when_the_time_is_up() {
    let bound = Ibv::lower(Score::heuristic(60));
    for (again, wins) in [(None, true), (Some(Ibv::upper(Score::heuristic(20))), false), (Some(bound), true)] {
        with_search("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", &Limits::depth(9), None, |search| {
            for (root, cp) in search.root.moves.iter_mut().zip([30, 20, 10]) {
                root.last_exact = Some(Exact { depth: 8, score: Score::heuristic(cp) });
            }
            (search.root.completed_depth, search.root.depth) = (8, 9);
            search.root.previous_best = search.root.moves.first().cloned();
            let (best, better) = (search.root.moves[0].m, search.root.moves[2].m);
            search.root.failed_high = Some((better, bound));
            search.root.moves[2].value = again;
            if again == Some(bound) {
                search.shared.stop.store(true, Ordering::Relaxed);
                assert!(search.search_root(0, Score::heuristic(-100), Score::heuristic(200), 9).is_none());
            }
            search.use_interrupted_iteration();
            let first = &search.root.moves[0];
            if wins {
                assert_eq!((first.m, first.value, first.last_exact), (better, Some(bound), None));
                // The next search compares its score with that bound.
                assert_eq!(search.result().for_next_search.map(|found| found.cp), Some(60));
            } else {
                assert_eq!((first.m, first.last_exact), (best, Some(Exact { depth: 8, score: Score::heuristic(30) })));
            }
        });
    }
}

/// With more threads than processors, the first one may have to wait for its turn: any other ends the search when the
/// time is up.
#[test]
fn a_helper_ends_the_search_when_the_time_is_up() {
    let limits = Limits { movetime: Some(Duration::from_millis(20)), ..Limits::default() };
    with_seat(
        Seat { id: 1, analysis: true },
        "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 9",
        &limits,
        None,
        |search| {
            // On a busy machine the time may be up within the first iteration, which then has no result.
            let _ = search.iterate(1);
            assert!(search.shared.stop.load(Ordering::Relaxed), "nobody else could have set it");
            // Stopped, a helper does not even complete a first iteration; the first thread would.
            let nodes = search.counters.nodes;
            search.root.completed_depth = 0;
            assert!(search.enter_node().is_none() && !search.cannot_stop() && search.counters.nodes == nodes + 1);
        },
    );
}

/// Positions of three men have exact values: a mate that comes in time, even at clock 100, or a draw.
#[test]
fn three_men_are_mated_in_time_or_not_at_all() {
    let mate = |plies| (Ibv::exact(Score::mate_in(plies)), Basis::Mate, plies);
    let drawn = (Ibv::exact(Score::ZERO), Basis::Recognized, 1);
    for (fen, expected) in [
        ("8/8/8/8/6k1/2K5/8/R7 w - - 0 1", mate(21)),
        ("8/8/8/8/6k1/2K5/8/R7 w - - 79 80", mate(21)),
        ("8/8/8/8/6k1/2K5/8/R7 w - - 80 80", drawn),
        ("8/8/8/8/6k1/2K5/8/R7 w - - 99 90", drawn),
        // A mate comes before any claim of a draw; after the clock has run out, only a mate does.
        ("7k/8/6K1/8/8/8/2Q5/8 w - - 99 120", mate(1)),
        ("7k/8/6K1/8/8/8/2Q5/8 w - - 100 120", mate(1)),
        ("8/8/8/8/6k1/2K5/8/R7 w - - 100 90", drawn),
        ("8/8/3k4/8/3P4/3K4/8/8 b - - 0 1", drawn),
    ] {
        let limits = Limits { depth: Some(4), ..Limits::default() };
        with_search(fen, &limits, None, |search| {
            let found = search.iterate(1).expect("a move");
            let value = if found.value.score().is_draw() { Ibv::exact(Score::ZERO) } else { found.value };
            assert_eq!((value, found.basis), (expected.0, expected.1), "{fen}");
            assert!(found.pv.len() >= expected.2, "{fen}: {} plies", found.pv.len());
        });
    }
}

/// A mate that has been shown is not withdrawn for less, nor for a nearer one that cannot be shown.
#[test]
fn a_mate_that_was_shown_is_recalled() {
    let limits = Limits { depth: Some(4), ..Limits::default() };
    with_search("7k/8/5K2/Q7/8/8/8/8 w - - 0 1", &limits, None, |search| {
        let found = search.iterate(1).expect("a move");
        let mate = Score::mate_in(3);
        assert_eq!((found.value, found.pv.len()), (Ibv::exact(mate), 3));
        let shown = |search: &Search<'_, true>| {
            let root = &search.root.moves[0];
            (root.score(), root.pv.clone(), root.pv_is_incomplete) == (Some(mate), found.pv.clone(), false)
        };
        // Another move seems better than what is left of the mate.
        search.root.moves[0].last_exact = Some(Exact { depth: 5, score: Score::heuristic(100) });
        search.root.moves[0].pv.truncate(1);
        search.root.moves.rotate_left(1);
        search.root.moves[0].last_exact = Some(Exact { depth: 5, score: Score::heuristic(200) });
        search.recall_mates();
        assert!(shown(search));
        // A nearer mate, but no line.
        search.root.moves[0].last_exact = Some(Exact { depth: 6, score: Score::mate_in(1) });
        search.root.moves[0].pv.truncate(1);
        search.root.moves[0].pv_is_incomplete = true;
        search.recall_mates();
        assert!(shown(search));
    });
    with_search("7k/8/5K2/6Q1/8/8/8/8 b - - 0 1", &limits, None, |search| {
        let found = search.iterate(1).expect("a move");
        let mated = Score::mated_in(2);
        assert_eq!((found.value, found.pv.len()), (Ibv::exact(mated), 2));
        // The line of the same loss comes back; a better value stays.
        search.root.moves[0].pv.truncate(1);
        search.root.moves[0].pv_is_incomplete = true;
        search.recall_mates();
        assert_eq!((&search.root.moves[0].pv, search.root.moves[0].pv_is_incomplete), (&found.pv, false));
        search.root.moves[0].last_exact = Some(Exact { depth: 5, score: Score::heuristic(-100) });
        search.recall_mates();
        assert_eq!(search.root.moves[0].last_exact, Some(Exact { depth: 5, score: Score::heuristic(-100) }));
    });
}

/// In a game the mate searches get their share of a level position and no more; an analysis gives them much of it.
#[test]
fn a_game_spends_little_on_mates() {
    let fen = "r1bqkb1r/pppp1ppp/2n2n2/4p3/4P3/2N2N2/PPPP1PPP/R1BQKB1R w KQkq - 4 4";
    for (analysis, least, most) in [(false, 1, 3), (true, 30, 95)] {
        with_seat(Seat { id: 0, analysis }, fen, &Limits::nodes(400_000), None, |search| {
            search.iterate(1);
            let spent = search.root.mate_searches.iter().flatten().map(|search| search.spent).sum::<u64>() * 100;
            let share = spent / search.counters.nodes..=spent.div_ceil(search.counters.nodes);
            assert!(*share.start() >= least && *share.end() <= most, "analysis {analysis}: {share:?} percent");
        });
    }
}

/// What `docs/mates.md` promises: each of these limits alone keeps the mate searches away.
#[test]
fn some_limits_keep_mate_searches_away() {
    let fen = |clock: u32| format!("r1bqkb1r/pppp1ppp/2n2n2/4p3/4P3/2N2N2/PPPP1PPP/R1BQKB1R w KQkq - {clock} 60");
    let spent = |clock: u32, lines: usize, limits: Limits| {
        let limits = Limits { nodes: Some(60_000), ..limits };
        with_shared(Seat { id: 0, analysis: true }, &fen(clock), &limits, None, |shared, game| {
            let mut td = ThreadData::default();
            let mut search = Search::new(shared, 0, &mut td, game);
            search.iterate(lines);
            assert!(
                search.counters.nodes > 50_000,
                "too short for a mate search: {} nodes, {limits}",
                search.counters.nodes
            );
            search.root.mate_searches.iter().flatten().map(|search| search.spent).sum::<u64>()
        })
    };
    for clock in [4, 84] {
        assert!(spent(clock, 1, Limits::default()) > 0, "clock {clock}");
    }
    let hour = Duration::from_secs(3600);
    let game = Game::from_fen(&fen(4), CastlingMode::Standard).expect("a position");
    for limits in [
        Limits { movetime: Some(hour), ..Limits::default() },
        Limits { clock: ByColor::new_with(|_| Some(hour)), ..Limits::default() },
        Limits::depth(100),
        Limits { search_moves: vec![game.position().parse_move("f1b5").expect("legal")], ..Limits::default() },
    ] {
        assert_eq!(spent(4, 1, limits.clone()), 0, "{limits}");
    }
    assert_eq!(spent(4, 2, Limits::default()), 0, "two lines");
    assert_eq!(spent(85, 1, Limits::default()), 0, "no time for a mate in eight");
}

/// The table cuts the line of a mate short. Until it has been completed the line counts as cut, even if the move
/// drops out of the lines that are completed.
#[test]
fn a_mate_line_is_cut_until_it_is_complete() {
    let limits = Limits { depth: Some(4), ..Limits::default() };
    with_search("8/8/8/5R2/5K2/8/6k1/8 w - - 0 1", &limits, None, |search| {
        search.iterate(1).expect("a move");
        search.return_to_root();
        search.search_root(0, Score::MIN, Score::MAX, 5).expect("a value");
        let mate = |root: &RootMove| root.score().and_then(Score::mate_ply);
        let short = |root: &&RootMove| mate(root).is_some_and(|plies| plies != root.pv.len());
        assert!(search.root.moves.iter().any(|root| short(&root)));
        assert!(search.root.moves.iter().filter(short).all(|root| root.pv_is_incomplete));
    });
}

/// A side that is far behind has a draw in sight: quiescence counts it as the nodes above do, except in the PV.
#[test]
fn quiescence_sees_an_upcoming_repetition() {
    let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB1KBNR w KQkq - 0 1";
    with_shared(Seat { id: 0, analysis: true }, fen, &Limits::default(), None, |shared, game| {
        let mut td = ThreadData::default();
        let mut search = Search::new(shared, 0, &mut td, game);
        let mut position = *game.position();
        for (ply, text) in ["e2e4", "b8c6", "b1c3", "c6b8"].into_iter().enumerate() {
            let m = position.parse_move(text).expect("a legal move");
            search.make(&mut position, m, ply);
        }
        let alpha = Score::heuristic(-300);
        let value = search.quiesce::<false>(&position, alpha, alpha.above(), 4).expect("no limit");
        assert!(value.cuts(alpha.above()), "c3b1 repeats: {value:?}");
        let value = search.quiesce::<true>(&position, Score::MIN, Score::MAX, 4).expect("no limit");
        assert!(value.score() < alpha, "{value:?}");
    });
}

/// Whatever true bounds the table has, from searches of any depth and window: a bound that quiescence returns is
/// true, and an exact value is the value. (Its parts, without chess: the tests of `window.rs`.)
#[test]
fn bounds_of_the_table_stay_bounds_in_quiescence() {
    let (mut exact, mut bounds) = (0, 0);
    for fen in [
        "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 9",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "6k1/5ppp/8/8/3r4/8/5PPP/3RR1K1 w - - 0 1",
    ] {
        with_shared(Seat { id: 0, analysis: true }, fen, &Limits::default(), None, |shared, game| {
            // Skipped moves would turn bounds into opinions.
            let rules = Rules { pruning: false, ..Rules::PLAY };
            let root = game.position();
            let (mut random, mut td) = (Random::new(29), ThreadData::default());
            for &m in &root.legal_moves() {
                let mut value_of = |rules: Rules, alpha: Score, beta: Score, pv: bool| {
                    let mut search = Search::with_rules(rules, shared, 0, &mut td, game);
                    let mut child = *root;
                    search.make(&mut child, m, 0);
                    if pv {
                        search.quiesce::<true>(&child, alpha, beta, 1).expect("no limit")
                    } else {
                        search.quiesce::<false>(&child, alpha, beta, 1).expect("no limit")
                    }
                };
                let truth = value_of(Rules { table: TableMode::Off, ..rules }, Score::MIN, Score::MAX, true);
                assert_eq!(truth.bound(), Bound::Exact);
                let truth = truth.score();
                if truth.is_decisive() {
                    continue;
                }
                let child = root.after(m);
                let key = Past::new(Conventions::default(), game).key(&child, 1);
                for _ in 0..25 {
                    let slack = random.below(90) as i32;
                    let known = match random.below(3) {
                        0 => Some(Ibv::lower(truth.offset(-slack))),
                        1 => Some(Ibv::upper(truth.offset(slack))),
                        _ => None,
                    };
                    let depth = random.below(9) as i32;
                    shared.tt.clear(1);
                    if let Some(known) = known {
                        let value = Some(known.to_tt(1, DrawRule::default()));
                        shared
                            .tt
                            .store(key, Entry { value, best: None, depth, pv: false, eval: None, tb_entry: false });
                    }
                    let alpha = truth.offset(random.below(241) as i32 - 120);
                    let found = value_of(rules, alpha, alpha.above(), false);
                    let true_or_bound = match found.bound() {
                        Bound::Exact => found.score() == truth,
                        Bound::Lower => found.score() <= truth,
                        Bound::Upper => found.score() >= truth,
                    };
                    assert!(true_or_bound, "{fen} {m}: {found:?} of {truth:?}, with {known:?} and alpha {alpha:?}");
                    assert!(found.settles(alpha, alpha.above()), "{fen} {m}: {found:?} at {alpha:?}");
                    *(if found.bound() == Bound::Exact { &mut exact } else { &mut bounds }) += 1;
                }
            }
        });
    }
    assert!(exact > 200 && bounds > 1000, "{exact} exact, {bounds} bounds");
}

/// What a search to a depth finds, with equal draws in this order.
fn with_draws(draws: DrawRule, fen: &str, depth: u32) -> ThreadResult {
    let limits = Limits { depth: Some(depth), ..Limits::default() };
    with_shared(Seat { id: 0, analysis: false }, fen, &limits, None, |shared, game| {
        let conventions = Conventions { draws, ..Conventions::default() };
        let shared = Shared { conventions, allowance: None, ..*shared };
        Search::<true>::new(&shared, 0, &mut ThreadData::default(), game).iterate(1).expect("a move")
    })
}

/// Bishop against rook is expected to be drawn, and sometimes lost: so the hanging rook is taken. The position is
/// from a game that Ibex lost this way.
#[test]
fn the_draw_on_the_board_is_better_than_one_to_come() {
    for draws in [DrawRule::Later, DrawRule::Sooner] {
        for depth in [1, 4, 8, 12] {
            let result = with_draws(draws, "8/8/2B5/2K5/2r5/8/1k6/8 w - - 0 126", depth);
            assert_eq!(result.best.to_uci(CastlingMode::Standard).to_string(), "c5c4", "{draws:?}, depth {depth}");
            assert!(result.value.score().is_draw(), "{:?}", result.value);
        }
    }
}

/// Promoting to a bishop makes a certain draw, too, but the pawn might have won.
#[test]
fn a_pawn_is_not_thrown_away_for_a_certain_draw() {
    for depth in [4, 8, 12] {
        let result = with_draws(DrawRule::Later, "8/3kP3/8/8/8/8/8/K7 w - - 0 1", depth);
        assert!(!matches!(result.best.promotion(), Some(Role::Bishop | Role::Knight)), "{}", result.best);
        assert!(result.value.score().is_draw(), "{:?}", result.value);
    }
}

/// A score that has fallen since the last move takes more time, one that has risen less. Nodes stand for time.
#[test]
fn the_previous_score_influences_the_time() {
    let fen = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
    let limits = Limits { clock: ByColor::new_with(|_| Some(Duration::from_secs(60))), ..Limits::default() };
    let nodes = |cp: i32| {
        with_shared(Seat { id: 0, analysis: false }, fen, &limits, None, |shared, game| {
            let ply = game.position().game_ply();
            let clock = Clock::new(&limits, game.position().turn(), ply, Duration::ZERO, Instant::now());
            let clock = clock.with_nodestime(50);
            let shared = Shared { clock: &clock, allowance: None, ..*shared };
            let previous_search = Some(PreviousSearch { ply: ply - 2, cp });
            let mut td = ThreadData { previous_search, ..ThreadData::default() };
            let mut search = Search::<true>::new(&shared, 0, &mut td, game);
            search.iterate(1).expect("a move");
            search.counters.nodes
        })
    };
    let (fallen, risen) = (nodes(2000), nodes(-2000));
    assert!(fallen > risen, "{fallen} and {risen} nodes");
}

/// Effort is the share of the nodes that went to the best move. The nodes of a search that is given up, because the
/// limit is reached or another thread has completed the iteration, went to its move, too.
#[test]
fn every_node_went_to_some_root_move() {
    for nodes in [3000, 10_000, 40_000] {
        let limits = Limits { no_mate_search: true, ..Limits::nodes(nodes) };
        with_search("r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 9", &limits, None, |search| {
            search.iterate(1).expect("a move");
            let spent: u64 = search.root.moves.iter().map(|root| root.nodes).sum();
            // Each pass counts the root itself, too.
            assert!(spent <= nodes && spent + 100 > nodes, "{spent} of {nodes}");
        });
    }
}
