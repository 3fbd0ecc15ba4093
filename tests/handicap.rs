//! `UCI_LimitStrength` as a whole: what limits the strength, what must not, and that mates in one are found.

#[path = "common/shared.rs"]
mod shared;

use std::time::Duration;

use ibex::engine::handicap::{ALERT, STRONGEST, WEAKEST};
use ibex::engine::{Engine, Settings};
use ibex::position::notation::read_fen;
use ibex::position::{Game, Move, Position};
use ibex::search::Outcome;
use ibex::time::Limits;

fn limited(elo: u32) -> Settings {
    Settings { hash_mib: 1, limit_strength: true, elo, ..Settings::default() }
}

fn engine(settings: Settings, seed: u64) -> Engine {
    let (mut engine, remarks) = Engine::new(settings);
    assert_eq!(remarks, [""; 0]);
    engine.set_seed(seed);
    engine
}

fn long() -> Limits {
    Limits::movetime(Duration::from_secs(3600))
}

fn mates(position: &Position) -> Vec<Move> {
    let mating = |&m: &Move| position.after(m).is_checkmate();
    position.legal_moves().into_iter().filter(mating).collect()
}

fn hangs(position: &Position, m: Move) -> bool {
    !mates(&position.after(m)).is_empty()
}

/// Random games, until enough positions have had a mate in one for or against the side to move.
#[test]
fn no_mate_in_one_is_missed_or_allowed() {
    let mut state = 20_261_121_u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let mut engines: Vec<Engine> =
        [ALERT, 2000, STRONGEST].into_iter().enumerate().map(|(i, elo)| engine(limited(elo), i as u64)).collect();
    let (mut to_give, mut to_avoid) = (0, 0);
    while to_give < 40 || to_avoid < 150 {
        let mut game = Game::startpos();
        while game.outcome().is_none() && game.keys().len() < 150 {
            let position = game.position();
            let moves = position.legal_moves();
            let (mating, bad) = (mates(position), moves.iter().filter(|&&m| hangs(position, m)).count());
            let avoidable = mating.is_empty() && bad > 0 && bad < moves.len();
            if !mating.is_empty() && to_give < 40 || avoidable && to_avoid < 150 {
                to_give += usize::from(!mating.is_empty());
                to_avoid += usize::from(avoidable);
                let which = random(engines.len());
                let best = engines[which].search(&game, Limits::nodes(20_000), None).best.expect("a move");
                assert!(mating.is_empty() || mating.contains(&best), "missed mate: {}", position.fen());
                assert!(!avoidable || !hangs(position, best), "allowed mate: {}", position.fen());
            }
            game.play(moves[random(moves.len())]);
        }
    }
}

fn told(outcome: &Outcome) -> (Option<Move>, Option<Move>, u64) {
    (outcome.best, outcome.ponder, outcome.nodes)
}

/// Threads, table, tablebases, clock and earlier searches do not change how a limited engine plays.
#[test]
fn limited_strength_depends_only_on_the_rating() {
    let fens = [
        "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQ1RK1 b kq - 5 4",
        "2rq1rk1/pb1n1ppN/4p3/1pb5/3P1Pn1/P1N5/1PQ1B1PP/R1B2RK1 b - - 0 16",
        "8/5pk1/6p1/R6p/5P1P/6P1/r6K/8 w - - 0 40",
        "8/8/8/8/4k1p1/8/1R6/4K3 w - - 0 1",
    ];
    for elo in [WEAKEST, 1500, 1900] {
        let mut plain = engine(limited(elo), 5);
        let folder = shared::shared("data/syzygy").map_or_else(String::new, |path| path.display().to_string());
        let syzygy_path = folder.as_str().into();
        let multi_pv = 50;
        let mut large = engine(Settings { threads: 3, hash_mib: 64, multi_pv, syzygy_path, ..limited(elo) }, 5);
        for fen in fens {
            let game = Game::new(read_fen(fen).expect("a position"));
            let one = plain.search(&game, long(), None);
            let again = plain.search(&game, Limits::movetime(Duration::from_secs(7200)), None);
            let other = large.search(&game, long(), None);
            assert_eq!(told(&one), told(&again), "{elo} {fen}");
            assert_eq!(told(&one), told(&other), "{elo} {fen}");
            let line = one.last.expect("a line");
            assert_eq!((line.pv.first().copied(), line.line), (one.best, 1), "{elo} {fen}");
        }
    }
}

/// Another game, another choice; and all requested lines are shown, whatever is played.
#[test]
fn seeds_change_the_move_and_all_lines_are_shown() {
    let game = Game::startpos();
    let mut engine = engine(Settings { multi_pv: 3, ..limited(1400) }, 0);
    let mut choices = std::collections::BTreeSet::new();
    for seed in 0..20 {
        engine.set_seed(seed);
        choices.insert(engine.search(&game, long(), None).best.map(|m| m.to_string()));
    }
    assert!(choices.len() > 3, "{choices:?}");
    let shown = std::sync::Mutex::new(Vec::new());
    let listener = |event| {
        if let ibex::search::Event::Line(report) = event {
            shown.lock().expect("whole").push((report.line, report.lines));
        }
    };
    engine.search(&Game::startpos(), long(), Some(&listener));
    let shown = shown.into_inner().expect("whole");
    assert!(!shown.is_empty() && shown.chunks(3).all(|lines| *lines == [(1, 3), (2, 3), (3, 3)]), "{shown:?}");
}

/// Analysis must be truthful: the limit is for games.
#[test]
fn analysis_is_not_limited() {
    let game = Game::startpos();
    let nodes = Limits::nodes(50_000);
    let free = engine(Settings { hash_mib: 1, ..Settings::default() }, 0).search(&game, nodes.clone(), None);
    assert_eq!(free.nodes, 50_000);
    let analysing = Settings { analyse_mode: true, ..limited(WEAKEST) };
    assert_eq!(engine(analysing, 0).search(&game, nodes.clone(), None).nodes, 50_000);
    assert!(engine(limited(WEAKEST), 0).search(&game, nodes.clone(), None).nodes < 5_000);
    let mate = Limits { mate: Some(9), ..nodes };
    assert_eq!(engine(limited(WEAKEST), 0).search(&game, mate, None).nodes, 50_000);
}

/// A new game brings other choices, without a seed.
#[test]
fn new_games_differ() {
    let (mut engine, _) = Engine::new(limited(WEAKEST));
    let mut choices = std::collections::BTreeSet::new();
    for _ in 0..20 {
        engine.new_game();
        choices.insert(engine.search(&Game::startpos(), long(), None).best.map(|m| m.to_string()));
    }
    assert!(choices.len() > 3, "{choices:?}");
}
