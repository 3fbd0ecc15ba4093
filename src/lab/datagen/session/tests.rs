use shakmaty::Move;

use super::*;
use crate::position::Game;
use crate::score::Score;
use crate::scratch::Scratch;

/// Chooses by the position's key alone: a deterministic player that costs nothing.
struct Dice;

impl SelfPlayer for Dice {
    fn new_game(&mut self) {}

    fn choose(&mut self, game: &Game) -> Option<(Move, Score)> {
        let mut random = Random::new(game.position().key() ^ game.keys().len() as u64);
        let moves = game.position().legal_moves();
        let score = Score::heuristic(random.below(600) as i32 - 300);
        Some((moves[random.below(moves.len())], score))
    }

    fn candidates(&mut self, game: &Game, lines: usize) -> Vec<(Move, Score)> {
        let best = self.choose(game);
        let others = game.position().legal_moves();
        best.into_iter().chain(others.iter().map(|&m| (m, Score::heuristic(-300)))).take(lines).collect()
    }
}

fn session(folder: &Path, name: &str, workers: usize, games: u64) -> GenerationRun {
    GenerationRun {
        out: folder.join(name),
        manifest: Manifest { engine: "test".into(), workers, seed: 11, settings: "dice".into() },
        target: Target::Games(games),
        openings: Openings { random_plies: 8, chess960_share: 0.3, ..Openings::default() },
        rules: GameRules::default(),
    }
}

#[test]
fn the_file_depends_on_the_seed_only() {
    let scratch = Scratch::new("seed");
    let tally = session(&scratch.0, "one", 1, 30).run(&|| Dice, true).unwrap();
    session(&scratch.0, "again", 1, 30).run(&|| Dice, true).unwrap();
    session(&scratch.0, "three", 3, 30).run(&|| Dice, true).unwrap();
    let mut other = session(&scratch.0, "other", 1, 30);
    other.manifest.seed = 12;
    other.run(&|| Dice, true).unwrap();
    let read = |name: &str| fs::read(scratch.0.join(name)).unwrap();
    assert_eq!(tally.games, 30);
    assert_eq!(read("one"), read("again"));
    assert_eq!(read("one"), read("three"));
    assert_ne!(read("one"), read("other"));
    assert!(!parts_folder(&scratch.0.join("one")).exists());
}

#[test]
fn a_torn_run_is_resumed_as_if_nothing_had_happened() {
    let scratch = Scratch::new("resume");
    session(&scratch.0, "whole", 2, 24).run(&|| Dice, true).unwrap();
    let whole = fs::read(scratch.0.join("whole")).unwrap();

    // What a kill leaves: some games, a torn last one in the first file, nothing in the second.
    let torn = session(&scratch.0, "torn", 2, 24);
    let folder = parts_folder(&torn.out);
    fs::create_dir_all(&folder).unwrap();
    drop(torn.enter(&folder).unwrap());
    let mut reader = Reader::new(whole.as_slice());
    let mut games = Vec::new();
    while let Some(record) = reader.next_game().unwrap() {
        games.push(record.to_bytes());
    }
    let mut first: Vec<u8> = [0, 2, 4].iter().flat_map(|&i| games[i].clone()).collect();
    first.extend(&games[6][..games[6].len() - 5]);
    fs::write(part(&folder, 0), first).unwrap();

    let tally = torn.run(&|| Dice, true).unwrap();
    assert_eq!(tally.games, 24);
    assert_eq!(fs::read(&torn.out).unwrap(), whole);
}

#[test]
fn other_settings_and_existing_files_are_refused() {
    let scratch = Scratch::new("refuse");
    let mut run = session(&scratch.0, "data", 1, 4);
    let folder = parts_folder(&run.out);
    fs::create_dir_all(&folder).unwrap();
    drop(run.enter(&folder).unwrap());
    run.manifest.settings = "other dice".into();
    assert!(run.run(&|| Dice, true).unwrap_err().contains("other settings"));

    let held = session(&scratch.0, "data", 1, 4);
    let lock = held.enter(&folder).unwrap();
    assert!(held.run(&|| Dice, true).unwrap_err().contains("another run"));
    drop(lock);
    held.run(&|| Dice, true).unwrap();
    assert!(held.run(&|| Dice, true).unwrap_err().contains("exists already"));

    let nowhere = session(Path::new("/proc/no such folder"), "data", 1, 4);
    assert!(nowhere.run(&|| Dice, true).unwrap_err().starts_with("cannot make the folder"));
}

#[test]
fn a_target_of_positions_is_met() {
    let scratch = Scratch::new("positions");
    let mut run = session(&scratch.0, "data", 2, 0);
    run.target = Target::Positions(500);
    let tally = run.run(&|| Dice, true).unwrap();
    assert!(tally.kept >= 500 && tally.kept <= tally.positions);
}
