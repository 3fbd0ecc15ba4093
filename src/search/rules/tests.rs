//! Scores mean what they claim: differential tests of the search against simpler forms of itself.
//!
//! Every test compares whole searches by the same code under different rules (`search::rules`): what must not matter
//! is switched, and nothing may change. Each comparison has a negative control, which must detect a planted bug.

use std::sync::OnceLock;

use super::faults::Fault;
use ibex::bench::POSITIONS;
use ibex::bound::{Bound, Ibv};
use ibex::position::notation::read_fen;
use ibex::position::{Game, Move};
use ibex::random::split_mix;
use ibex::recognize::claim_ends_within;
use ibex::score::{Band, DrawRule, Score};
use ibex::search::experiments::single::{SearchRun, SingleSearch};
use ibex::search::rules::distance::Distance;
use ibex::search::rules::{Composition, TableMode};
use ibex::search::state::Tally;
use ibex::search::{Conventions, Rules};
use ibex::time::Limits;

use crate::common::{self, Listener};

const NEUTRAL: Conventions = Conventions { draws: DrawRule::Off, contempt: 0 };

fn game(fen: &str) -> Game {
    Game::new(read_fen(fen).expect("a position"))
}

fn search(bench: &mut SingleSearch, rules: Rules, conventions: Conventions, game: &Game, depth: u32) -> SearchRun {
    bench.search(rules, conventions, game, &Limits::depth(depth), None).expect("a thread")
}

/// The root's value.
fn value(run: &SearchRun) -> Ibv {
    run.finding.as_ref().expect("a legal move").value
}

/// Plain minimax over a fixed tree: nothing depends on the order of the search, and the table only saves work.
fn minimax() -> Rules {
    // Without recognizers: the test is how results of the search itself are composed, aged and stored.
    Rules { pruning: false, same_depth: true, recognizers: false, ..Rules::PLAY }
}

/// A conventional search returns bare numbers and derives a flag from the window with which a node began. With exact
/// values below alpha demoted to upper bounds, Beal's composition is that search: the same nodes, bit for bit.
#[test]
fn demoted_and_conventional_searches_visit_the_same_nodes() {
    let mut totals = [0; 3];
    let mut cuts = [Tally::default(); 3];
    for fen in POSITIONS.iter().step_by(3) {
        let game = game(fen);
        let mut values = vec![];
        for (i, composition) in
            [Composition::Demoted, Composition::Flags, Composition::Integrated].into_iter().enumerate()
        {
            let rules = Rules { composition, ..Rules::PLAY };
            let run = search(&mut SingleSearch::new(4), rules, NEUTRAL, &game, 9);
            totals[i] += run.nodes;
            cuts[i] = cuts[i].plus(run.tally);
            values.push((value(&run), run.nodes));
        }
        assert_eq!(values[0], values[1], "{fen}");
    }
    assert_ne!(totals[0], totals[2], "exact values below alpha make a difference");
    assert_eq!(cuts[0], cuts[1]);
    assert!(cuts[2].exact_high > cuts[0].exact_high, "retained exact values refute: {:?} {:?}", cuts[2], cuts[0]);
    eprintln!("demoted {} nodes {:?}\nretained {} nodes {:?}", totals[0], cuts[0], totals[2], cuts[2]);
}

/// Positions for exhaustive search: the bench at low depth, endgames at higher depth. No line repeats a position
/// within four plies of the root, and quiescence has no quiet moves for both sides, so the path cannot matter.
fn small_trees() -> impl Iterator<Item = (&'static str, u32)> {
    let endings = [
        "8/8/8/4k3/8/8/1p6/K2N4 w - - 0 1",
        "8/8/8/8/8/2k5/1p1N4/1K6 w - - 0 1",
        "k7/2K5/8/8/8/8/1Q6/7r w - - 0 1",
        "8/8/8/8/5k2/8/4pK2/6N1 w - - 0 1",
        "7k/5K2/8/6Pp/8/8/8/8 w - - 0 1",
        "8/8/8/8/8/k7/1p1N4/1K6 w - - 0 1",
    ];
    POSITIONS.iter().step_by(4).map(|&fen| (fen, 3)).chain(endings.map(|fen| (fen, 4)))
}

/// The same, and positions whose root is a mate.
fn small_trees_and_mates() -> impl Iterator<Item = (Game, u32)> {
    let mates = common::our_mates().into_iter().filter(|mate| mate.moves.abs() <= 2).map(|mate| (mate.game, 4));
    small_trees().map(|(fen, depth)| (game(fen), depth)).chain(mates)
}

/// Where two rules disagree about a root value.
fn disagreements(one: Rules, other: Rules, conventions: Conventions) -> Vec<String> {
    let mut found = vec![];
    for (game, depth) in small_trees_and_mates() {
        let (a, b) = (
            value(&search(&mut SingleSearch::new(4), one, conventions, &game, depth)),
            value(&search(&mut SingleSearch::new(4), other, conventions, &game, depth)),
        );
        if a != b {
            found.push(format!("{}: {a:?} and {b:?}", game.position().fen()));
        }
    }
    found
}

#[test]
fn the_table_does_not_change_values() {
    // With contempt for itself, the root's side wants draws, so these become the values of roots.
    for (draws, contempt) in [(DrawRule::Later, -3000), (DrawRule::Sooner, 7), (DrawRule::Off, 0)] {
        let without = Rules { table: TableMode::Off, ..minimax() };
        let conventions = Conventions { draws, contempt };
        assert_eq!(disagreements(minimax(), without, conventions), Vec::<String>::new(), "{draws:?}");
    }
}

#[test]
fn mate_distance_pruning_does_not_change_values() {
    let without = Rules { mate_distance: false, ..minimax() };
    assert_eq!(disagreements(minimax(), without, NEUTRAL), Vec::<String>::new());
}

#[test]
fn pruning_by_a_wrong_mate_distance_is_noticed() {
    let without = Rules { mate_distance: false, ..minimax() };
    let hasty = Rules { distance: Distance::Faulty(Fault::MissedMate), ..minimax() };
    assert!(!disagreements(hasty, without, NEUTRAL).is_empty());
}

/// Detours: a position, a move of the root's side that leaves one reply, and the position after both. What the table
/// has seen two plies further on occurs again two plies later.
fn detours() -> &'static [(Game, Move, Game)] {
    static DETOURS: OnceLock<Vec<(Game, Move, Game)>> = OnceLock::new();
    DETOURS.get_or_init(find_detours)
}

fn find_detours() -> Vec<(Game, Move, Game)> {
    let mut random = 3;
    let mut found = vec![];
    while found.len() < 30 {
        // King and knight against king and pawn, the pawn blocked by the king: it can be captured at any time, and
        // that is a draw. Recognizers are off.
        let file = split_mix(&mut random) as usize % 8;
        let mut board = [b'1'; 64];
        board[56 + file] = b'K';
        board[48 + file] = b'p';
        board[split_mix(&mut random) as usize % 48] = b'N';
        board[split_mix(&mut random) as usize % 8] = b'k';
        let row = |squares: &[u8]| {
            let mut row = String::from_utf8_lossy(squares).into_owned();
            for empty in (2..=8).rev() {
                row = row.replace(&"1".repeat(empty), &empty.to_string());
            }
            row
        };
        let rows: Vec<String> = board.chunks(8).map(row).collect();
        let Ok(position) = read_fen(&format!("{} w - - 0 1", rows.join("/"))) else { continue };
        if position.men() < 4 || position.in_check() {
            continue;
        }
        let before = Game::new(position);
        for m in before.position().legal_moves() {
            let mut after = before.clone();
            after.play(m);
            let replies = after.position().legal_moves();
            if m.is_capture() || replies.len() != 1 || replies[0].is_capture() || replies[0].is_promotion() {
                continue;
            }
            after.play(replies[0]);
            if after.position().has_legal_move() {
                found.push((before.clone(), m, after));
            }
        }
    }
    found
}

/// How many detours end differently when the table holds what comes after them.
fn changed_by_what_the_table_knows(distance: Distance, draws: DrawRule) -> usize {
    let rules = Rules { distance, ..minimax() };
    // With this much contempt for itself, the root's side only wants draws.
    let conventions = Conventions { draws, contempt: -3000 };
    let mut bench = SingleSearch::new(1);
    detours()
        .iter()
        .filter(|(before, m, after)| {
            let limits = Limits { search_moves: vec![*m], ..Limits::depth(4) };
            let mut detour = |prepared: bool| {
                bench.clear();
                if prepared {
                    search(&mut bench, rules, conventions, after, 2);
                }
                value(&bench.search(rules, conventions, before, &limits, None).expect("a thread"))
            };
            detour(false) != detour(true)
        })
        .count()
}

#[test]
fn draws_from_the_table_count_from_where_they_are_met() {
    for draws in [DrawRule::Later, DrawRule::Sooner, DrawRule::Off] {
        assert_eq!(changed_by_what_the_table_knows(Distance::RootPly, draws), 0, "{draws:?}");
    }
}

#[test]
fn a_flipped_draw_sign_is_noticed() {
    let flipped = Distance::Faulty(Fault::FlippedDraws);
    // The later draw is missed if the table says that it comes sooner.
    assert!(changed_by_what_the_table_knows(flipped, DrawRule::Later) > 0);
    assert_eq!(changed_by_what_the_table_knows(flipped, DrawRule::Off), 0, "without a rule there is no sign");
}

/// Where a model of distance visits other nodes, or finds another value, than scores counted from the root.
///
/// If the root is a mate, mate distance pruning is off when nodes are compared: next to the end of the scale, ageing
/// has no space for a window that a search counted from the root closes by mate distance.
fn differs_from_root_scores(model: Distance) -> Vec<String> {
    let mut found = vec![];
    for (game, depth) in small_trees_and_mates() {
        for mate_distance in [true, false] {
            let runs = [Distance::RootPly, model].map(|distance| {
                let rules = Rules { distance, mate_distance, ..minimax() };
                let run = search(&mut SingleSearch::new(4), rules, NEUTRAL, &game, depth);
                (value(&run), if value(&run).score().is_mate() && mate_distance { 0 } else { run.nodes })
            });
            if runs[0] != runs[1] {
                found.push(format!("{} {mate_distance}: {runs:?}", game.position().fen()));
            }
        }
    }
    found
}

/// Scores that age edge by edge and scores counted from the root order everything in the same way.
#[test]
fn ageing_scores_visit_the_same_nodes_as_root_scores() {
    assert_eq!(differs_from_root_scores(Distance::NodeAged), Vec::<String>::new());
}

#[test]
fn windows_that_do_not_age_are_noticed() {
    assert!(!differs_from_root_scores(Distance::Faulty(Fault::AgelessWindows)).is_empty());
}

/// Every model of distance announces the same mates, and exhaustive search finds no shorter ones.
#[test]
fn all_models_agree_on_mates() {
    let mut seen = 0;
    for mate in common::our_mates().into_iter().filter(|mate| mate.moves.abs() <= 2) {
        let plies = if mate.moves > 0 { 2 * mate.moves - 1 } else { -2 * mate.moves };
        for distance in [Distance::RootPly, Distance::NodeAged, Distance::DelayedLoss] {
            let rules = Rules { distance, ..minimax() };
            let run = search(&mut SingleSearch::new(4), rules, NEUTRAL, &mate.game, plies as u32);
            let score = value(&run).score();
            let own_moves = Score::MAX.raw() - score.raw().abs();
            let moves = if distance.wants_evaluation() {
                own_moves * score.raw().signum()
            } else {
                score.mate_moves().unwrap_or(0)
            };
            assert!(score.is_mate(), "{}: {score:?}", mate.name);
            assert_eq!(moves, mate.moves, "{}: {score:?}", mate.name);
            assert_eq!(value(&run).bound(), Bound::Exact);
            seen += 1;
        }
    }
    assert!(seen >= 3 * 10, "{seen}");
}

/// A mate in eight takes fifteen plies; with 86 on the counter fourteen are left. The table has the mate from a search
/// with 79 on the counter, whose moves share a key with those of the late one (80 to 87). Returns whether a mate is
/// claimed, at any time, with the late counter.
///
/// Recognized wins are a different claim, with its own test, and would settle many nodes before the table is probed.
fn mate_beyond_the_counter(distance: Distance) -> bool {
    let rules = Rules { distance, recognizers: false, ..Rules::PLAY };
    let position = |counter: u32| game(&format!("8/8/8/8/3K4/8/2k5/R7 w - - {counter} 60"));
    // Whether the late search meets entries of an early one depends on search parameters, so there are several depths.
    (18..=20).any(|depth| {
        let mut bench = SingleSearch::new(4);
        let early = search(&mut bench, rules, NEUTRAL, &position(79), depth);
        assert_eq!(value(&early).score().mate_moves(), Some(8), "a mate that the table then knows");
        let listener = Listener::default();
        let hear = |event| listener.hear(&event);
        bench.search(rules, NEUTRAL, &position(86), &Limits::depth(14), Some(&hear)).expect("a thread");
        listener.reports().iter().any(|report| report.value.score().is_mate())
    })
}

#[test]
fn no_mate_is_claimed_across_the_50_move_limit() {
    assert!(!mate_beyond_the_counter(Distance::RootPly));
}

#[test]
fn a_claim_across_the_50_move_limit_is_noticed() {
    assert!(mate_beyond_the_counter(Distance::Faulty(Fault::Timeless)));
}

/// Whether a recognizer claims a win of this position with this counter; `None` if none applies. The FEN lacks its
/// counters.
fn claims(fen: &str, counter: u32) -> Option<bool> {
    let position = read_fen(&format!("{fen} {counter} 90")).ok()?;
    claim_ends_within(&position, 0).map(|ends| !ends)
}

/// Whether a mate comes too late with this counter. A claim allows up to two moves more than the mate takes.
fn is_too_late(fen: &str, counter: u32) -> bool {
    claims(fen, counter - 5) == Some(false)
}

/// Bishop and knight against the bare king, with White to move: wins that are claimed with the early counter and come
/// too late with the other. Three men would not do: their mates are exact, and no recognizer is involved.
fn slow_wins(early: u32, late: u32) -> Vec<String> {
    let mut random = 5;
    let mut found = vec![];
    while found.len() < 8 {
        let mut board = [b'1'; 64];
        for man in *b"KBNk" {
            board[split_mix(&mut random) as usize % 64] = man;
        }
        let rows: Vec<_> = board.chunks(8).map(String::from_utf8_lossy).collect();
        let fen = format!("{} w - -", rows.join("/"));
        if claims(&fen, early) == Some(true) && is_too_late(&fen, late) {
            found.push(fen);
        }
    }
    found
}

/// Searches with the early counter, which claims a win and leaves proofs of it in the table; then, with the late one,
/// the positions two plies later, because most of these proofs come after the replies that the early search refuted.
/// Returns whether a late search claims a win, at any time.
fn recognized_win_beyond_the_counter(distance: Distance, early: u32, late: u32) -> bool {
    let rules = Rules { distance, ..Rules::PLAY };
    let mut bench = SingleSearch::new(4);
    let (mut searched, mut claimed) = (0, false);
    // What an early search leaves in the table depends on the search's parameters, so there are several depths.
    for (fen, depth) in slow_wins(early, late).iter().flat_map(|fen| (4..=7).map(move |depth| (fen, depth))) {
        bench.clear();
        let start = game(&format!("{fen} {early} 60"));
        let fresh = search(&mut bench, rules, NEUTRAL, &start, depth);
        let score = value(&fresh).score();
        assert!(score.is_win() && score.band() == Band::Recognizer, "{fen}, counter {early}: {score:?}");
        let after = start.position().after(fresh.finding.expect("a legal move").best);
        for reply in after.legal_moves() {
            let behind = after.after(reply);
            let fen = behind.fen().split(' ').take(4).collect::<Vec<_>>().join(" ");
            if !is_too_late(&fen, late) {
                continue;
            }
            let listener = Listener::default();
            let hear = |event| listener.hear(&event);
            let position = game(&format!("{fen} {late} 90"));
            bench.search(rules, NEUTRAL, &position, &Limits::depth(4), Some(&hear)).expect("a thread");
            claimed |= listener.reports().iter().any(|report| report.value.score().is_win());
            searched += 1;
        }
    }
    assert!(searched > 10, "{searched} late searches");
    claimed
}

/// Counters that share a key three plies after the early one and one ply after the late one: 56 to 63 for both.
const NEAR: (u32, u32) = (53, 62);
/// A fresh counter and one that does not share a key with it.
const FAR: (u32, u32) = (0, 84);

#[test]
fn no_recognized_win_is_claimed_across_the_50_move_limit() {
    for (early, late) in [NEAR, FAR] {
        assert!(!recognized_win_beyond_the_counter(Distance::RootPly, early, late), "{early} and {late}");
    }
}

#[test]
fn a_recognized_win_across_the_50_move_limit_is_noticed() {
    assert!(recognized_win_beyond_the_counter(Distance::Faulty(Fault::Timeless), NEAR.0, NEAR.1));
}

/// Nothing stored with a fresh counter is found with a late one: the key separates them, whatever the model of
/// distance allows.
#[test]
fn keys_separate_recognized_wins_from_late_counters() {
    assert!(!recognized_win_beyond_the_counter(Distance::Faulty(Fault::Timeless), FAR.0, FAR.1));
}

/// Mate on the hundredth ply wins; a hundredth ply without mate draws.
#[test]
fn the_hundredth_ply_may_mate() {
    let position = |clock: u32| game(&format!("k7/8/1K6/8/8/8/8/7R w - - {clock} 80"));
    for (clock, mates) in [(98, true), (99, true)] {
        let run = search(&mut SingleSearch::new(1), Rules::PLAY, NEUTRAL, &position(clock), 6);
        assert_eq!(value(&run).score().mate_moves() == Some(1), mates, "counter {clock}");
    }
    // Mate in two would need plies 98 to 101.
    let run = search(&mut SingleSearch::new(1), Rules::PLAY, NEUTRAL, &game("k7/8/2K5/8/8/8/8/6R1 w - - 98 80"), 8);
    assert!(!value(&run).score().is_mate(), "{:?}", value(&run));
}

/// Keeps the table from move to move: the announced distance falls by one with each own move.
fn play_out(mib: usize, mate: &common::Mate) -> Vec<i32> {
    let rules = Rules::PLAY;
    let mut bench = SingleSearch::new(mib);
    let mut game = mate.game.clone();
    let mut announced = vec![];
    while game.outcome().is_none() && announced.len() < 12 {
        let limits = Limits::nodes(100_000);
        let run = bench.search(rules, NEUTRAL, &game, &limits, None).expect("a thread");
        let finding = run.finding.expect("a legal move");
        announced.push(finding.value.score().mate_moves().unwrap_or(i32::MAX));
        game.play(finding.best);
        if game.outcome().is_some() {
            break;
        }
        // The reply that holds out longest, from the same search with its own table.
        let reply =
            SingleSearch::new(4).search(rules, NEUTRAL, &game, &Limits::nodes(100_000), None).expect("a thread");
        game.play(reply.finding.expect("a legal move").best);
    }
    announced
}

fn falls_by_one(announced: &[i32], from: i32) -> bool {
    announced.iter().copied().eq((1..=from).rev())
}

#[test]
fn mates_played_out_come_nearer_with_every_move() {
    let mates = common::our_mates().into_iter().filter(|mate| (2..=4).contains(&mate.moves));
    for (mate, mib) in mates.zip([1, 1, 16].into_iter().cycle()) {
        let announced = play_out(mib, &mate);
        assert!(falls_by_one(&announced, mate.moves), "{} with {mib} MB: {announced:?}", mate.name);
    }
}

/// The same for public mates, found at the right distance or not: once announced, a mate comes nearer.
#[test]
fn announced_mates_come_nearer_with_every_move() {
    let mut seen = 0;
    for (file, stride) in [("mate_in_3.epd", 250), ("mate_in_4.epd", 280)] {
        for mate in common::public_mates(file).into_iter().step_by(stride) {
            let announced = play_out(1, &mate);
            let first = announced.iter().position(|&moves| moves != i32::MAX).unwrap_or(announced.len());
            // A mate may turn out to be nearer than announced, never further away.
            let nearer = announced[first..].windows(2).all(|pair| pair[1] < pair[0]);
            assert!(nearer, "{}: {announced:?}", mate.name);
            seen += usize::from(first < announced.len());
        }
    }
    assert!(seen > 0 || common::public_mates("mate_in_3.epd").is_empty(), "no mate was announced");
}

/// The values of plain searches of a mate, up to a depth that sees it. One table serves all, and it has seen the mate
/// two plies further on, where it is nearer.
fn mate_values(distance: Distance, mate: &common::Mate) -> Vec<Score> {
    let rules = Rules { distance, ..Rules::PLAY };
    let depth = 4 * mate.moves as u32 + 4;
    let found = search(&mut SingleSearch::new(4), Rules::PLAY, NEUTRAL, &mate.game, depth);
    let mut behind = mate.game.clone();
    for &packed in found.finding.expect("a legal move").pv.iter().take(2) {
        let m = behind.position().find(packed).expect("legal");
        behind.play(m);
    }
    let mut bench = SingleSearch::new(4);
    search(&mut bench, rules, NEUTRAL, &behind, depth);
    (2..=depth)
        .map(|depth| {
            let run = bench.search(rules, NEUTRAL, &mate.game, &Limits::depth(depth), None).expect("a thread");
            run.finding.expect("a legal move").value.score()
        })
        .collect()
}

#[test]
fn a_table_without_ply_adjustment_is_noticed() {
    let mates = || common::our_mates().into_iter().filter(|mate| (2..=4).contains(&mate.moves));
    let shorter = |values: &[Score], mate: &common::Mate| {
        values.iter().any(|score| score.mate_moves().is_some_and(|moves| moves > 0 && moves < mate.moves))
    };
    assert!(!mates().any(|mate| shorter(&mate_values(Distance::RootPly, &mate), &mate)));
    let unadjusted = Distance::Faulty(Fault::Unadjusted);
    assert!(mates().any(|mate| shorter(&mate_values(unadjusted, &mate), &mate)), "no mate is announced too short");
}
