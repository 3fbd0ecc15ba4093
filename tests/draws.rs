//! The draw rule and contempt: signs, folding, and what the user sees.

use ibex::bound::Ibv;
use ibex::engine::{Engine, Settings};
use ibex::position::Game;
use ibex::position::notation::read_fen;
use ibex::score::{DrawRule, Score};
use ibex::search::experiments::single::SingleSearch;
use ibex::search::{Conventions, Rules};
use ibex::time::Limits;
use shakmaty::Color;

/// The knight can take the last pawn, and that is a draw; or it can move away.
const FORK: &str = "8/8/8/4k3/8/8/1p6/K2N4 w - - 0 1";

/// The fiftieth move without progress: any piece move is a draw, and with a pawn move the game goes on.
const FIFTY: &str = "4k3/1p3p2/2n5/8/8/2N5/1P3P2/4K3 w - - 99 80";

fn game(fen: &str) -> Game {
    Game::new(read_fen(fen).expect("a position"))
}

/// The value of a plain two-ply search, of all moves or of some.
fn value(conventions: Conventions, moves: &[&str]) -> (String, Score) {
    let game = game(FIFTY);
    let search_moves = moves.iter().map(|m| game.position().parse_move(m).expect("legal")).collect();
    let rules = Rules { pruning: false, same_depth: true, ..Rules::PLAY };
    let limits = Limits { search_moves, ..Limits::depth(2) };
    let run = SingleSearch::new(1).search(rules, conventions, &game, &limits, None).expect("a thread");
    let finding = run.finding.expect("a legal move");
    (finding.best.to_uci(shakmaty::CastlingMode::Standard).to_string(), finding.value.score())
}

/// Contempt changes the choice between a draw and an evaluation exactly where the evaluation changes its sign.
#[test]
fn contempt_decides_between_a_draw_and_an_evaluation() {
    let neutral = Conventions::default();
    let pawn_moves = ["b2b3", "b2b4", "f2f3", "f2f4"];
    let (_, alternative) = value(neutral, &pawn_moves);
    assert!(!alternative.is_draw() && !alternative.is_decisive(), "{alternative:?}");
    let even = -alternative.cp();
    let (drawing, score) = value(Conventions { contempt: even - 3, ..neutral }, &[]);
    assert!(
        score.is_draw() && !pawn_moves.contains(&drawing.as_str()),
        "less contempt takes the draw: {drawing} {score:?}"
    );
    let (playing, score) = value(Conventions { contempt: even + 3, ..neutral }, &[]);
    assert!(!score.is_draw() && pawn_moves.contains(&playing.as_str()), "more contempt avoids it: {playing} {score:?}");
    assert_eq!(score.cp(), 3, "contempt shifts evaluations and nothing else");
}

/// The user sees neither contempt nor the distance of a draw.
#[test]
fn the_user_sees_evaluations_without_contempt() {
    for contempt in [-80, 0, 35] {
        let conventions = Conventions { draws: DrawRule::Later, contempt };
        for cp in [-400, -1, 1, 20, 700] {
            // Contempt raises it inside; zero is not a value there, so this value may be off by one.
            let inside = Ibv::lower(Score::heuristic(cp + contempt));
            let shown = conventions.without_contempt(inside);
            assert!((shown.score().cp() - cp).abs() <= i32::from(cp + contempt == 0 || cp == 0));
            assert_eq!(shown.bound(), inside.bound());
        }
        for fixed in [DrawRule::Later.draw(7), Score::mate_in(5), Score::tablebase_win(3), Score::recognized_win(9)] {
            assert_eq!(conventions.without_contempt(Ibv::exact(fixed)), Ibv::exact(fixed));
        }
        assert_eq!(DrawRule::Later.draw(7).cp(), 0);
    }
}

/// Evaluations with contempt, by ply: the root's side gains what the other side loses.
#[test]
fn contempt_is_zero_sum() {
    let conventions = Conventions { draws: DrawRule::Later, contempt: 20 };
    // CONCEPTS' examples: +37 centipawns at an even ply is +57 inside, at an odd ply +17.
    assert_eq!(Score::heuristic(37 + conventions.contempt_at(6)).raw(), 568);
    assert_eq!(Score::heuristic(37 + conventions.contempt_at(7)).raw(), 528);
    for ply in 0..200 {
        assert_eq!(conventions.contempt_at(ply), -conventions.contempt_at(ply + 1));
    }
}

/// Searches that mean different things by a score never share an entry; neutral ones always do.
#[test]
fn searches_share_entries_only_if_scores_mean_the_same() {
    let mut salts = vec![0];
    for draws in [DrawRule::Later, DrawRule::Sooner, DrawRule::Off] {
        for contempt in [-60, -1, 0, 1, 20] {
            for root in [Color::White, Color::Black] {
                let salt = Conventions { draws, contempt }.salt(root);
                if draws == DrawRule::Off && contempt == 0 {
                    assert_eq!(salt, 0, "neutral conventions fold nothing");
                } else {
                    salts.push(salt);
                }
            }
        }
    }
    let count = salts.len();
    salts.sort_unstable();
    salts.dedup();
    assert_eq!(salts.len(), count, "every meaning has a salt of its own");
}

/// Analysis is neutral: it uses neither contempt nor the draw rule unless the user wants them.
#[test]
fn analysis_is_neutral_by_default() {
    let playing = Settings { contempt: 10, draws: DrawRule::Later, ..Settings::default() };
    let active = Conventions { draws: DrawRule::Later, contempt: 10 };
    assert_eq!(playing.conventions(false), active);
    assert_eq!(playing.conventions(true), Conventions::default());
    let analysing = Settings { analyse_mode: true, ..playing };
    assert_eq!(analysing.conventions(false), Conventions::default());
    let insisting = Settings { analysis_contempt: true, ..analysing };
    assert_eq!(insisting.conventions(true), active);
}

/// From the same empty table, analysis gives the same answer whatever contempt is set; in a game contempt counts.
#[test]
fn contempt_does_not_reach_analysis() {
    let game = game("r1bqkbnr/pp1ppp1p/5np1/2p5/3P4/P1P2P1N/1P2P2P/RNBQKB1R w KQkq - 1 7");
    let answer = |contempt, analyse_mode, limits: &Limits| {
        let settings = Settings { contempt, analyse_mode, ..Settings::default() };
        let outcome = Engine::new(settings).0.search(&game, limits.clone(), None);
        (outcome.nodes, outcome.last.map(|report| report.value))
    };
    let deep = Limits::depth(9);
    let mate = Limits { mate: Some(2), ..Limits::depth(9) };
    assert_eq!(answer(0, true, &deep), answer(80, true, &deep), "UCI_AnalyseMode");
    assert_eq!(answer(0, false, &mate), answer(80, false, &mate), "go mate");
    assert_ne!(answer(0, false, &deep), answer(80, false, &deep), "a game");
}

/// Of two draws, the root's side chooses the later one under `Later`, the sooner one under `Sooner`.
#[test]
fn the_draw_rule_orders_draws() {
    // White can take the pawn at once or later; with this much contempt for itself, it only wants a draw.
    let rules = Rules { pruning: false, same_depth: true, ..Rules::PLAY };
    let draw = |draws| {
        let conventions = Conventions { draws, contempt: -3000 };
        let run =
            SingleSearch::new(1).search(rules, conventions, &game(FORK), &Limits::depth(4), None).expect("a thread");
        run.finding.expect("a legal move").value.score()
    };
    let (later, sooner) = (draw(DrawRule::Later), draw(DrawRule::Sooner));
    assert!(later.is_draw() && sooner.is_draw(), "{later:?} {sooner:?}");
    assert_eq!(sooner.raw(), -1, "the pawn is taken at once");
    assert!(later.raw() > 1, "the pawn is left for later: {later:?}");
    assert_eq!(draw(DrawRule::Off), Score::ZERO);
}
