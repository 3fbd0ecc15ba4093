//! Scores mean what they say: differential tests of the search against simpler forms of itself.
//!
//! Every test compares whole searches of the same code under different rules (`search::rules`): what must not matter is
//! switched, and nothing may change. Each comparison has a negative control, which must notice a fault put in by hand.

use ibex::bound::{Bound, Ibv};
use ibex::position::Game;
use ibex::score::{DrawRule, Score};
use ibex::search::distance::{DelayedLoss, DistanceModel, NodeAged, RootPly};
use ibex::search::rules::{Composition, TableMode};
use ibex::search::tally::TableCuts;
use ibex::search::{Conventions, Laboratory};
use ibex::time::Limits;
use ibex::tools::bench::POSITIONS;
use ibex::tools::lab::experiment::{Bench, Run};
use ibex::tools::read_fen;

mod common;

const NEUTRAL: Conventions = Conventions { draws: DrawRule::Off, contempt: 0 };

fn game(fen: &str) -> Game {
    Game::new(read_fen(fen).expect("a position"))
}

fn search(bench: &mut Bench, rules: Laboratory, conventions: Conventions, game: &Game, depth: u32) -> Run<TableCuts> {
    bench.search(rules, conventions, game, &Limits::depth(depth), &|_| ()).expect("a thread")
}

/// The root's value.
fn value(run: &Run<TableCuts>) -> Ibv {
    run.finding.as_ref().expect("a legal move").value
}

/// Plain minimax over a fixed tree: nothing that depends on the order of the search, and a table that only saves work.
fn minimax() -> Laboratory {
    // Without recognizers: what is tested is how results of the search itself are composed, aged and stored.
    Laboratory { pruning: false, same_depth: true, recognizers: false, ..Laboratory::default() }
}

/// A conventional search returns bare numbers and derives a flag from the window that a node began with. With exact
/// values below alpha demoted to upper bounds, Beal's composition is that search: the same nodes, bit for bit.
#[test]
fn demoted_and_conventional_searches_visit_the_same_nodes() {
    let mut totals = [0; 3];
    let mut cuts = [TableCuts::default(); 3];
    for fen in POSITIONS.iter().step_by(3) {
        let game = game(fen);
        let mut values = vec![];
        for (i, composition) in
            [Composition::Demoted, Composition::Flags, Composition::Integrated].into_iter().enumerate()
        {
            let rules = Laboratory { composition, ..Laboratory::default() };
            let run = search(&mut Bench::new(4), rules, NEUTRAL, &game, 9);
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

/// Positions for exhaustive search: the bench at little depth, endgames at more. No line repeats a position within four
/// plies of the root, and quiescence has no quiet move for both sides, so the path cannot matter.
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

/// How often two rules disagree about a root value.
fn disagreements(one: Laboratory, other: Laboratory, conventions: Conventions) -> Vec<String> {
    let mut found = vec![];
    for (fen, depth) in small_trees() {
        let game = game(fen);
        let (a, b) = (
            value(&search(&mut Bench::new(4), one, conventions, &game, depth)),
            value(&search(&mut Bench::new(4), other, conventions, &game, depth)),
        );
        if a != b {
            found.push(format!("{fen}: {a:?} and {b:?}"));
        }
    }
    found
}

#[test]
fn the_table_saves_work_and_changes_nothing() {
    // With contempt for itself the root's side wants draws, which makes them the values of roots.
    for (draws, contempt) in [(DrawRule::Later, -3000), (DrawRule::Sooner, 7), (DrawRule::Off, 0)] {
        let without = Laboratory { table: TableMode::Off, ..minimax() };
        let conventions = Conventions { draws, contempt };
        assert_eq!(disagreements(minimax(), without, conventions), Vec::<String>::new(), "{draws:?}");
    }
}

#[test]
fn mate_distance_saves_work_and_changes_nothing() {
    let without = Laboratory { mate_distance: false, ..minimax() };
    assert_eq!(disagreements(minimax(), without, NEUTRAL), Vec::<String>::new());
}

/// A model of distance with one thing wrong.
struct Faulty {
    /// Nothing is re-based.
    unadjusted: bool,
    /// Every proof is believed to be in time.
    timeless: bool,
}

const SOUND: Faulty = Faulty { unadjusted: false, timeless: false };

impl DistanceModel for Faulty {
    fn origin(&self, ply: usize) -> usize {
        ply
    }
    fn wants_evaluation(&self) -> bool {
        false
    }
    fn enter(&self, edge: Score, _lower: bool, _evaluation: Score) -> Score {
        edge
    }
    fn leave(&self, value: Ibv, _evaluation: Score) -> Ibv {
        value
    }
    fn to_table(&self, value: Ibv, ply: usize, draws: DrawRule) -> Ibv {
        if self.unadjusted { value } else { RootPly.to_table(value, ply, draws) }
    }
    fn out_of_table(&self, stored: Ibv, ply: usize, draws: DrawRule) -> Ibv {
        if self.unadjusted { stored } else { RootPly.out_of_table(stored, ply, draws) }
    }
    fn plies_needed(&self, stored: Score) -> usize {
        if self.timeless { 0 } else { RootPly.plies_needed(stored) }
    }
}

/// Scores that age edge by edge and scores that are counted from the root order everything the same way.
///
/// Nodes are compared where the root is no mate: next to the end of the scale ageing has no room for a window that a
/// search counted from the root closes by mate distance.
#[test]
fn ageing_scores_visit_the_same_nodes_as_root_scores() {
    let mates = common::our_mates().into_iter().filter(|mate| mate.moves.abs() <= 2).map(|mate| (mate.game, 4));
    for (game, depth) in small_trees().map(|(fen, depth)| (game(fen), depth)).chain(mates) {
        let runs = [&RootPly as &dyn DistanceModel, &NodeAged].map(|distance| {
            let rules = Laboratory { distance, ..minimax() };
            let run = search(&mut Bench::new(4), rules, NEUTRAL, &game, depth);
            (value(&run), if value(&run).score().is_mate() { 0 } else { run.nodes })
        });
        assert_eq!(runs[0], runs[1], "{}", game.position().fen());
    }
}

/// Every model of distance announces the same mates, and exhaustive search finds none shorter.
#[test]
fn all_models_agree_on_mates() {
    let mut seen = 0;
    for mate in common::our_mates().into_iter().filter(|mate| mate.moves.abs() <= 2) {
        let plies = if mate.moves > 0 { 2 * mate.moves - 1 } else { -2 * mate.moves };
        for distance in [&RootPly as &dyn DistanceModel, &NodeAged, &DelayedLoss] {
            let rules = Laboratory { distance, ..minimax() };
            let run = search(&mut Bench::new(4), rules, NEUTRAL, &mate.game, plies as u32);
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

/// A pawnless mate in four or more needs at least seven half-moves; with 95 on the counter there are five left. The table knows the mate
/// from a search with a fresh counter.
fn mate_beyond_the_counter(distance: &'static dyn DistanceModel) -> Option<i32> {
    let rules = Laboratory { distance, ..Laboratory::default() };
    let mut bench = Bench::new(4);
    let fen = "5k2/Q7/8/2K5/8/8/8/8 w - -";
    let fresh = search(&mut bench, rules, NEUTRAL, &game(&format!("{fen} 0 1")), 20);
    let found = value(&fresh).score().mate_moves().expect("a mate that the table then knows");
    assert!(found > 3, "{found}");
    let late = search(&mut bench, rules, NEUTRAL, &game(&format!("{fen} 95 60")), 6);
    value(&late).score().mate_moves()
}

#[test]
fn no_mate_is_claimed_across_the_50_move_limit() {
    assert_eq!(mate_beyond_the_counter(&RootPly), None);
}

#[test]
fn a_claim_across_the_50_move_limit_is_noticed() {
    assert!(mate_beyond_the_counter(&Faulty { timeless: true, ..SOUND }).is_some());
}

/// Mate on the hundredth half-move wins, a hundredth half-move without it draws.
#[test]
fn the_hundredth_half_move_may_mate() {
    let position = |clock: u32| game(&format!("k7/8/1K6/8/8/8/8/7R w - - {clock} 80"));
    for (clock, mates) in [(98, true), (99, true)] {
        let run = search(&mut Bench::new(1), Laboratory::default(), NEUTRAL, &position(clock), 6);
        assert_eq!(value(&run).score().mate_moves() == Some(1), mates, "counter {clock}");
    }
    // Mate in two would need half-moves 98 to 101.
    let run = search(&mut Bench::new(1), Laboratory::default(), NEUTRAL, &game("k7/8/2K5/8/8/8/8/6R1 w - - 98 80"), 8);
    assert!(!value(&run).score().is_mate(), "{:?}", value(&run));
}

/// With the table kept from move to move: the announced distance falls by one with each own move.
fn play_out(distance: &'static dyn DistanceModel, mate: &common::Mate) -> Vec<i32> {
    let rules = Laboratory { distance, ..Laboratory::default() };
    let mut bench = Bench::new(4);
    let mut game = mate.game.clone();
    let mut announced = vec![];
    while game.outcome().is_none() && announced.len() < 12 {
        let limits = Limits::nodes(60_000);
        let run = bench.search(rules, NEUTRAL, &game, &limits, &|_| ()).expect("a thread");
        let finding = run.finding.expect("a legal move");
        announced.push(finding.value.score().mate_moves().unwrap_or(i32::MAX));
        game.play(finding.best);
        if game.outcome().is_some() {
            break;
        }
        // The reply that holds out longest, by the same search on its own table.
        let reply = Bench::new(4).search(rules, NEUTRAL, &game, &Limits::nodes(60_000), &|_| ()).expect("a thread");
        game.play(reply.finding.expect("a legal move").best);
    }
    announced
}

fn falls_by_one(announced: &[i32], from: i32) -> bool {
    announced.iter().copied().eq((1..=from).rev())
}

#[test]
fn mates_played_out_come_nearer_with_every_move() {
    for mate in common::our_mates().into_iter().filter(|mate| (2..=4).contains(&mate.moves)) {
        let announced = play_out(&RootPly, &mate);
        assert!(falls_by_one(&announced, mate.moves), "{}: {announced:?}", mate.name);
    }
}

/// The value of a plain search of mates, deep enough to see them, on one table for all depths.
fn mate_values(distance: &'static dyn DistanceModel, mate: &common::Mate) -> Vec<Score> {
    let rules = Laboratory { distance, ..Laboratory::default() };
    let mut bench = Bench::new(4);
    (2..=4 * mate.moves as u32 + 4)
        .map(|depth| {
            let run = bench.search(rules, NEUTRAL, &mate.game, &Limits::depth(depth), &|_| ()).expect("a thread");
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
    assert!(!mates().any(|mate| shorter(&mate_values(&RootPly, &mate), &mate)));
    static UNADJUSTED: Faulty = Faulty { unadjusted: true, ..SOUND };
    let differs = |mate: &common::Mate| mate_values(&UNADJUSTED, mate) != mate_values(&RootPly, mate);
    assert!(mates().any(|mate| differs(&mate)), "a table without ply adjustment gives other mates");
}
