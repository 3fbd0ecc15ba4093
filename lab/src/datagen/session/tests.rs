use shakmaty::{Chess, Position as _};

use super::*;
use crate::datagen::play::Purpose;
use crate::datagen::report::verify;
use crate::scratch::Scratch;
use formats::games::GameReader;
use formats::lessons::{self, LessonReader, LessonRecord};
use ibex::bound::{Bound, Ibv};
use ibex::position::{Game, Move};
use ibex::score::Score;
use terminal::Exit;

/// Chooses by the position's key alone: a deterministic and cheap player.
struct Dice;

impl SelfPlayer for Dice {
    fn new_game(&mut self) {}

    fn choose(&mut self, game: &Game, _: Purpose) -> Option<(Move, Ibv)> {
        let mut random = Random::new(game.position().key() ^ game.keys().len() as u64);
        let moves = game.position().legal_moves();
        let value = Ibv::exact(Score::heuristic(random.below(600) as i32 - 300));
        Some((moves[random.below(moves.len())], value))
    }

    fn candidates(&mut self, game: &Game, lines: usize) -> Vec<(Move, Ibv)> {
        let best = self.choose(game, Purpose::Move);
        let others = game.position().legal_moves();
        best.into_iter().chain(others.iter().map(|&m| (m, Ibv::exact(Score::heuristic(-300))))).take(lines).collect()
    }
}

/// The first of two dice players panics after twenty openings; the second plays on.
struct Faulty {
    is_first: bool,
    games: u32,
}

impl SelfPlayer for Faulty {
    fn new_game(&mut self) {
        assert!(!self.is_first || self.games < 20, "a fault of the player");
        self.games += 1;
    }

    fn choose(&mut self, game: &Game, purpose: Purpose) -> Option<(Move, Ibv)> {
        Dice.choose(game, purpose)
    }

    fn candidates(&mut self, game: &Game, lines: usize) -> Vec<(Move, Ibv)> {
        Dice.candidates(game, lines)
    }
}

#[test]
fn a_panic_of_one_worker_ends_the_run_of_all() {
    let scratch = Scratch::new("panic");
    let many = 1_000_000;
    let run = session(&scratch.0, "faulty", 2, many);
    let is_first = AtomicBool::new(true);
    let player = || Faulty { is_first: is_first.swap(false, Ordering::Relaxed), games: 0 };
    assert_eq!(run.run(&player, true).unwrap_err().to_string(), "a worker has panicked");
    // The games played until then are resumed, or put together.
    let totals = finish(&run.out).unwrap();
    assert!((1..many / 2).contains(&totals.games), "{}", totals.games);
}

fn session(folder: &Path, name: &str, workers: usize, games: u64) -> GenerationRun {
    GenerationRun {
        out: folder.join(name),
        manifest: Manifest { engine: "test".into(), workers, seed: 11, settings: "dice".into() },
        target: Target::Games(games),
        openings: Openings { random_plies: 8, chess960_share: 0.3, ..Openings::default() },
        rules: GameRules::default(),
        lessons: false,
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

    // The state after a kill: some games, a torn last one in the first file, nothing in the second.
    let torn = session(&scratch.0, "torn", 2, 24);
    let folder = parts_folder(&torn.out);
    fs::create_dir_all(&folder).unwrap();
    drop(torn.enter(&folder).unwrap());
    let mut reader = GameReader::new(whole.as_slice());
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

    // The state after a power cut on some file systems: zeros, from any place on.
    let two = [games[0].clone(), games[2].clone()].concat();
    let second = games[0].len();
    for (name, from) in [("behind", two.len()), ("moves", second + 48), ("result", second + 28), ("board", second + 8)]
    {
        let cut = session(&scratch.0, name, 2, 24);
        let folder = parts_folder(&cut.out);
        fs::create_dir_all(&folder).unwrap();
        drop(cut.enter(&folder).unwrap());
        let mut bytes = two[..from].to_vec();
        bytes.extend([0; 4096]);
        fs::write(part(&folder, 0), bytes).unwrap();
        assert_eq!(cut.run(&|| Dice, true).unwrap().games, 24, "{name}");
        assert_eq!(fs::read(&cut.out).unwrap(), whole, "{name}");
    }
}

#[test]
fn a_damaged_game_is_named_by_its_place() {
    let scratch = Scratch::new("damaged");
    session(&scratch.0, "whole", 1, 4).run(&|| Dice, true).unwrap();
    let mut bytes = fs::read(scratch.0.join("whole")).unwrap();
    let first = GameReader::new(bytes.as_slice()).next_game().unwrap().unwrap().to_bytes().len();
    bytes[first..first + 8].fill(0);
    let damaged = session(&scratch.0, "damaged", 1, 4);
    let folder = parts_folder(&damaged.out);
    fs::create_dir_all(&folder).unwrap();
    drop(damaged.enter(&folder).unwrap());
    fs::write(part(&folder, 0), &bytes).unwrap();
    let error = damaged.run(&|| Dice, true).unwrap_err();
    assert!(error.to_string().contains(&format!("at byte {first}")), "{error}");
    assert_eq!(fs::read(part(&folder, 0)).unwrap(), bytes, "nothing is cut off");
}

/// A dice player with lessons from every game: two positions, or none.
struct Teacher(u32);

impl SelfPlayer for Teacher {
    fn new_game(&mut self) {
        self.0 = 0;
    }

    fn choose(&mut self, game: &Game, purpose: Purpose) -> Option<(Move, Ibv)> {
        self.0 += 1;
        Dice.choose(game, purpose)
    }

    fn candidates(&mut self, game: &Game, lines: usize) -> Vec<(Move, Ibv)> {
        Dice.candidates(game, lines)
    }

    fn lessons(&mut self) -> Vec<LessonRecord> {
        let lesson = |score| LessonRecord { chess: Chess::default(), score, bound: Bound::Lower };
        if self.0.is_multiple_of(3) { Vec::new() } else { vec![lesson(self.0 as i16), lesson(-1)] }
    }
}

/// A run of two workers that collects lessons.
fn with_lessons(folder: &Path, name: &str) -> GenerationRun {
    GenerationRun { lessons: true, ..session(folder, name, 2, 24) }
}

#[test]
fn lessons_follow_their_games_through_a_kill() {
    let scratch = Scratch::new("lessons");
    let whole = with_lessons(&scratch.0, "whole");
    whole.run(&|| Teacher(0), true).unwrap();
    session(&scratch.0, "without", 2, 24).run(&|| Teacher(0), true).unwrap();
    let read = |path: &Path| fs::read(path).unwrap();
    assert_eq!(read(&whole.out), read(&scratch.0.join("without")), "the same games");
    assert!(!lesson_file(&scratch.0.join("without")).exists());
    let lessons = read(&lesson_file(&whole.out));
    let mut reader = LessonReader::new(lessons.as_slice());
    let blocks: Vec<_> = std::iter::from_fn(|| reader.next_lessons().unwrap()).collect();
    assert_eq!(blocks.len(), 24, "a block for each game");
    let records = blocks.concat();
    assert!(records.len() >= 16 && records.len().is_multiple_of(2), "{}", records.len());
    let one_worker = GenerationRun { lessons: true, ..session(&scratch.0, "one", 1, 24) };
    one_worker.run(&|| Teacher(0), true).unwrap();
    assert_eq!(read(&lesson_file(&one_worker.out)), lessons, "in the order of the games");

    // `verify` counts them.
    assert_eq!(verify(std::slice::from_ref(&whole.out)).unwrap(), Exit::Done);
    for wrong in [blocks.len() - 1, blocks.len() + 1] {
        let bytes: Vec<u8> =
            (0..wrong).flat_map(|i| lessons::block(blocks.get(i).map_or(&[], Vec::as_slice))).collect();
        fs::write(lesson_file(&whole.out), bytes).unwrap();
        assert!(verify(std::slice::from_ref(&whole.out)).is_err(), "{wrong} blocks");
    }

    // The state after kills: lessons whose game is missing, a torn block, and a game whose lessons were lost.
    let torn = with_lessons(&scratch.0, "torn");
    let folder = parts_folder(&torn.out);
    fs::create_dir_all(&folder).unwrap();
    drop(torn.enter(&folder).unwrap());
    let whole_games = read(&whole.out);
    let mut reader = GameReader::new(whole_games.as_slice());
    let games: Vec<Vec<u8>> =
        std::iter::from_fn(|| reader.next_game().unwrap()).map(|record| record.to_bytes()).collect();
    fs::write(part(&folder, 0), [games[0].clone(), games[2].clone()].concat()).unwrap();
    let one = lessons::block(&records[..2]);
    fs::write(
        lesson_file(&part(&folder, 0)),
        [one.clone(), one.clone(), one.clone(), one[..one.len() - 1].to_vec()].concat(),
    )
    .unwrap();
    fs::write(part(&folder, 1), [games[1].clone(), games[3].clone()].concat()).unwrap();
    fs::write(lesson_file(&part(&folder, 1)), [one.clone(), one[..9].to_vec()].concat()).unwrap();
    for worker in 0..2 {
        mend_lessons(&lesson_file(&part(&folder, worker)), 2).unwrap();
    }
    assert_eq!(read(&lesson_file(&part(&folder, 0))), [one.clone(), one.clone()].concat());
    assert_eq!(read(&lesson_file(&part(&folder, 1))), [one.clone(), lessons::block(&[])].concat());
    let totals = torn.run(&|| Teacher(0), true).unwrap();
    assert_eq!((totals.games, read(&torn.out)), (24, whole_games.clone()));
    let merged = read(&lesson_file(&torn.out));
    let mut reader = LessonReader::new(merged.as_slice());
    let merged: Vec<_> = std::iter::from_fn(|| reader.next_lessons().unwrap()).collect();
    assert_eq!(merged[..4], [records[..2].to_vec(), records[..2].to_vec(), records[..2].to_vec(), Vec::new()]);
    assert_eq!(merged[4..], blocks[4..]);
    fs::remove_file(&torn.out).unwrap();
    assert!(torn.run(&|| Teacher(0), true).unwrap_err().to_string().contains("torn.lessons exists already"));
}

/// The parts of a run with lessons that has played all its games.
fn played(run: &GenerationRun) -> PathBuf {
    let folder = parts_folder(&run.out);
    fs::create_dir_all(&folder).unwrap();
    drop(run.enter(&folder).unwrap());
    for worker in 0..run.manifest.workers {
        let (counters, stop) = (SharedTotals::default(), AtomicBool::new(false));
        run.work(worker, 0, &folder, &|| Teacher(0), &counters, &stop).unwrap();
    }
    folder
}

#[test]
fn finishing_mends_what_a_power_cut_leaves() {
    let scratch = Scratch::new("cut");
    for zeros in [false, true] {
        let run = with_lessons(&scratch.0, &format!("zeros-{zeros}"));
        let folder = played(&run);
        // The end of the lessons is lost, from the first lesson of the last game that has any.
        let path = lesson_file(&part(&folder, 0));
        let whole = fs::read(&path).unwrap();
        let mut reader = LessonReader::new(whole.as_slice());
        let (mut start, mut last) = (0, 0);
        while let Some(lessons) = reader.next_lessons().unwrap() {
            last = if lessons.is_empty() { last } else { start };
            start = reader.consumed() as usize;
        }
        let mut bytes = whole[..last + 20].to_vec();
        bytes.resize(if zeros { whole.len() } else { bytes.len() }, 0);
        fs::write(&path, bytes).unwrap();
        assert_eq!(finish(&run.out).unwrap().games, 24);
        assert_eq!(verify(std::slice::from_ref(&run.out)).unwrap(), Exit::Done, "{zeros}");
    }
}

#[test]
fn a_kill_between_lessons_and_games_loses_nothing() {
    let scratch = Scratch::new("between");
    let whole = with_lessons(&scratch.0, "whole");
    whole.run(&|| Teacher(0), true).unwrap();
    let both = |run: &GenerationRun| [&run.out, &lesson_file(&run.out)].map(|path| fs::read(path).unwrap());
    for finishes in [false, true] {
        let run = with_lessons(&scratch.0, if finishes { "finished" } else { "resumed" });
        let folder = played(&run);
        fs::write(folder.join(DRAFT), b"games").unwrap();
        fs::write(lesson_file(&run.out), b"lessons").unwrap();
        let tally = if finishes { finish(&run.out) } else { run.run(&|| Teacher(0), true) };
        assert_eq!(tally.unwrap().games, 24);
        assert!(both(&run) == both(&whole), "{finishes}");
    }
    // Lessons that belong to something else are left alone.
    let run = with_lessons(&scratch.0, "other");
    let folder = played(&run);
    fs::write(lesson_file(&run.out), b"lessons").unwrap();
    for drafts in [&[][..], &[DRAFT.to_owned(), format!("{DRAFT}.lessons")]] {
        drafts.iter().for_each(|draft| fs::write(folder.join(draft), b"draft").unwrap());
        assert!(run.run(&|| Teacher(0), true).unwrap_err().to_string().contains("other.lessons exists already"));
        assert!(finish(&run.out).unwrap_err().to_string().contains("other.lessons exists already"));
    }
    assert_eq!(fs::read(lesson_file(&run.out)).unwrap(), b"lessons");
}

#[test]
fn a_run_whose_games_keep_no_positions_ends() {
    /// Scores nothing: every search is cut short.
    struct Hasty;
    impl SelfPlayer for Hasty {
        fn new_game(&mut self) {}
        fn choose(&mut self, game: &Game, purpose: Purpose) -> Option<(Move, Ibv)> {
            Dice.choose(game, purpose).map(|(m, value)| (m, value.force_lower()))
        }
        fn candidates(&mut self, _: &Game, _: usize) -> Vec<(Move, Ibv)> {
            Vec::new()
        }
    }
    let scratch = Scratch::new("fruitless");
    let run = GenerationRun { target: Target::Positions(10), ..session(&scratch.0, "data", 1, 1) };
    assert!(run.run(&|| Hasty, true).unwrap_err().to_string().contains("no position to keep"));
}

#[test]
fn other_settings_and_existing_files_are_refused() {
    let scratch = Scratch::new("refuse");
    let mut run = session(&scratch.0, "data", 1, 4);
    let folder = parts_folder(&run.out);
    fs::create_dir_all(&folder).unwrap();
    drop(run.enter(&folder).unwrap());
    run.manifest.settings = "other dice".into();
    assert!(run.run(&|| Dice, true).unwrap_err().to_string().contains("other settings"));

    let held = session(&scratch.0, "data", 1, 4);
    let lock = held.enter(&folder).unwrap();
    assert!(held.run(&|| Dice, true).unwrap_err().to_string().contains("another run"));
    assert!(
        finish(&held.out).unwrap_err().to_string().contains("another run"),
        "the games of a run at work stay where they are"
    );
    drop(lock);
    held.run(&|| Dice, true).unwrap();
    assert!(held.run(&|| Dice, true).unwrap_err().to_string().contains("exists already"));

    // Games without settings may be those of any run.
    let lost = session(&scratch.0, "lost", 1, 4);
    let folder = parts_folder(&lost.out);
    for name in ["worker-000.vf", "worker-007.vf", "worker-000.vf.lessons"] {
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(name), "games").unwrap();
        assert!(lost.run(&|| Dice, true).unwrap_err().to_string().contains("a run whose settings are lost"), "{name}");
        assert_eq!(fs::read(folder.join(name)).unwrap(), b"games");
        fs::remove_dir_all(&folder).unwrap();
    }
    // Impossible settings do not belong to a run either.
    for workers in [0, 1025, usize::MAX] {
        let run = session(&scratch.0, "lost", workers, 4);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("run.json"), serde_json::to_string(&run.manifest).unwrap()).unwrap();
        for error in [finish(&run.out).unwrap_err(), run.enter(&folder).unwrap_err()] {
            assert!(error.to_string().contains("run.json is damaged: "), "{error}");
        }
        fs::remove_dir_all(&folder).unwrap();
    }

    let file = scratch.0.join("file");
    fs::write(&file, "").unwrap();
    let nowhere = session(&file, "data", 1, 4);
    assert!(nowhere.run(&|| Dice, true).unwrap_err().to_string().starts_with("cannot make the folder"));
}

#[test]
fn a_run_with_a_smaller_target_keeps_its_first_games() {
    let scratch = Scratch::new("fewer");
    let five = GenerationRun { target: Target::Games(5), ..with_lessons(&scratch.0, "five") };
    five.run(&|| Teacher(0), true).unwrap();
    let many = with_lessons(&scratch.0, "many");
    played(&many);
    let fewer = GenerationRun { target: Target::Games(5), ..many };
    assert_eq!(fewer.run(&|| Teacher(0), true).unwrap().games, 5);
    for [one, other] in [[&five.out, &fewer.out], [&lesson_file(&five.out), &lesson_file(&fewer.out)]] {
        assert!(fs::read(one).unwrap() == fs::read(other).unwrap(), "{}", other.display());
    }
}

/// A kill at the end of a run leaves no games that the next run of this name would take for its own.
#[test]
fn the_settings_are_the_last_to_go() {
    let scratch = Scratch::new("last");
    let folder = played(&with_lessons(&scratch.0, "data"));
    assert_eq!(worker_files(&folder).unwrap().len(), 4);
    // An obstacle to removing a worker's file keeps the settings.
    fs::create_dir(folder.join("worker-in-the-way")).unwrap();
    assert!(clear(&folder, lock(&folder).unwrap()).unwrap_err().to_string().starts_with("cannot remove"));
    assert!(folder.join("run.json").exists());
    fs::remove_dir(folder.join("worker-in-the-way")).unwrap();
    clear(&folder, lock(&folder).unwrap()).unwrap();
    assert!(!folder.exists());
}

/// If a worker has finished no game, the games of the workers after it are still kept.
#[test]
fn a_run_is_finished_with_the_games_of_all_workers() {
    let scratch = Scratch::new("finish");
    let run = session(&scratch.0, "data", 3, 6);
    let folder = parts_folder(&run.out);
    fs::create_dir_all(&folder).unwrap();
    drop(run.enter(&folder).unwrap());
    for worker in [0, 2] {
        run.work(worker, 0, &folder, &|| Dice, &SharedTotals::default(), &AtomicBool::new(false)).unwrap();
    }
    assert_eq!(finish(&run.out).unwrap().games, 4);
    assert!(!folder.exists());
    assert!(finish(&scratch.0.join("nothing")).is_err());
}

#[test]
fn a_target_of_positions_is_met() {
    let scratch = Scratch::new("positions");
    let mut run = session(&scratch.0, "data", 2, 0);
    run.target = Target::Positions(500);
    let tally = run.run(&|| Dice, true).unwrap();
    let bytes = fs::read(&run.out).unwrap();
    let mut reader = GameReader::new(bytes.as_slice());
    let (mut sum, mut largest) = (Totals::default(), 0);
    while let Some(record) = reader.next_game().unwrap() {
        let mut kept = 0;
        record.visit(|chess, step, ply| {
            let is_early = ply <= 400 && chess.halfmoves() <= 60;
            let is_quiet = !step.chosen.is_capture() && !step.chosen.is_promotion() && !chess.is_check();
            let has_score = step.is_scored() && step.score.unsigned_abs() <= 3000;
            kept += u64::from(is_early && is_quiet && has_score);
        });
        sum += Totals { games: 1, positions: record.steps.len() as u64, kept };
        largest = largest.max(kept);
    }
    assert_eq!(tally, sum);
    // Each of the two workers may be in its last game when the target is met.
    assert!((500..500 + 2 * largest).contains(&tally.kept), "{tally:?}, {largest} of one game");
}
