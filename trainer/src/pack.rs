//! `pack`: from games to shuffled positions; some games are set aside for validation.

use std::path::{Path, PathBuf};

use bulletformat::ChessBoard;
use formats::data::{data_files, read_with_lessons};
use formats::filter::Filter;
use formats::games::GameRecord;
use formats::lessons::{LessonRecord, bound_code, lesson_file};
use ibex::random::Random;
use shakmaty::{Chess, Color, Position as _, Role};
use terminal::outputs::{self, Manner, Output};
use terminal::{CommandError, tell, trouble};

use crate::checkpoint::{self, UNIT, share};
use crate::data::{self, Lock, behind_links, validation_file, with_ending};
use crate::model::sigmoid;

/// The command line of `pack`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Data files, or the `.parts` folder of a run that is not complete
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The file to write; positions to validate with go to a second one, `OUT.val`, and the lessons that lie
    /// beside the data files to a third, `OUT.lessons`. Older ones of these names are replaced or removed. `OUT.lock`
    /// prevents a second packing of this name
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// One game in this many is set aside, whole, to validate with
    #[arg(long, default_value_t = 40, value_name = "N", value_parser = clap::value_parser!(u64).range(2..))]
    validation: u64,
    /// Leave out this share of the positions to learn from, at random: neighbours in a game teach nearly the same
    #[arg(long, default_value_t = 0.0, value_name = "SHARE", value_parser = share)]
    skip: f32,
    /// The seed of the shuffle, and of what is left out
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How much of a position's score comes from what follows it: 0 is its own search alone, 0.9 looks some ten scored
    /// positions ahead, 1 is the game's result
    #[arg(long, default_value_t = 0.0, value_parser = share)]
    lambda: f32,
    /// The centipawns that multiply the odds of winning by e, for `--lambda`
    #[arg(long, default_value_t = UNIT, value_name = "CP", value_parser = checkpoint::scale, requires = "lambda")]
    scale: f32,
    #[command(flatten)]
    filter: Filter,
}

/// The λ-returns of a game's positions, in centipawns from White's view.
///
/// A search of a few nodes sees little; what happened later in the game is a deeper look at no further cost. Expected
/// points are averaged backwards from the result, with less weight for scored positions further away; those without a
/// score do not count. Source: the λ-return of Sutton, "Learning to predict by the methods of temporal differences"
/// (1988).
fn td_lambda(record: &GameRecord, lambda: f32, scale: f32) -> Vec<i16> {
    let mut points = f32::from(record.result.half_points(Color::White)) / 2.0;
    let mut scores: Vec<i16> = record
        .steps
        .iter()
        .rev()
        .map(|step| {
            if step.is_scored() {
                points = lambda * points + (1.0 - lambda) * sigmoid(f32::from(step.score) / scale);
            }
            (centipawns(points, scale).round() as i16).clamp(-MAX_SCORE, MAX_SCORE)
        })
        .collect();
    scores.reverse();
    scores
}

/// Scores are not averaged beyond this: so close to certainty, centipawns mean nothing.
const MAX_SCORE: i16 = 3000;

/// The score that corresponds to these expected points.
fn centipawns(points: f32, scale: f32) -> f32 {
    scale * (points / (1.0 - points)).ln()
}

/// Packs a position; score from White's view, result in half points for White.
pub fn pack(chess: &Chess, score: i16, half_points: u8) -> ChessBoard {
    let board = chess.board();
    let role = |role| board.by_role(role).0;
    let boards = [
        board.by_color(Color::White).0,
        board.by_color(Color::Black).0,
        role(Role::Pawn),
        role(Role::Knight),
        role(Role::Bishop),
        role(Role::Rook),
        role(Role::Queen),
        role(Role::King),
    ];
    let turn = usize::from(chess.turn() == Color::Black);
    match ChessBoard::from_raw(boards, turn, score, f32::from(half_points) / 2.0) {
        Ok(packed) => packed,
        Err(error) => unreachable!("every square of a legal position has one piece: {error}"),
    }
}

/// Packs a lesson; its bound becomes one for the side to move.
fn pack_lesson(lesson: &LessonRecord) -> ChessBoard {
    let bound = if lesson.chess.turn() == Color::White { lesson.bound } else { lesson.bound.flipped() };
    let mut packed = pack(&lesson.chess, lesson.score, 1);
    packed.extra[2] = bound_code(bound);
    packed
}

/// Whether the filter keeps a lesson: its score and its clock are tested, as for positions of games.
fn is_kept(lesson: &LessonRecord, filter: &Filter) -> bool {
    lesson.score.unsigned_abs() <= filter.max_score && lesson.chess.halfmoves() <= filter.max_clock
}

/// Replaces the files of an older packing, `OUT`, `OUT.val` and `OUT.lessons`.
///
/// Positions that the older packing set aside may now be in the training set, and vice versa. So its files go first,
/// and the training positions come last. Every training needs these, so it rejects an incomplete packing.
fn replace_all(
    out: &Path,
    [training, validation, lessons]: [&[ChessBoard]; 3],
    write: impl Fn(&Path, &[ChessBoard]) -> Result<(), CommandError>,
) -> Result<(), CommandError> {
    // Links are kept.
    let files = [out.to_owned(), validation_file(out), with_ending(out, ".lessons")].map(|path| behind_links(&path));
    files.iter().try_for_each(|file| data::remove(file))?;
    let [out, validation_file, packed_lessons] = files;
    write(&validation_file, validation)?;
    if !lessons.is_empty() {
        write(&packed_lessons, lessons)?;
    }
    write(&out, training)
}

/// Runs the command.
///
/// # Errors
///
/// One line: a file cannot be read or written, is given twice, or is both input and output; an output is a device or a
/// pipe; another packing writes the same files; lessons do not fit their games, or no position is left.
pub fn run(args: &Args) -> Result<(), CommandError> {
    let files = data_files(&args.files)?;
    let (validation_file, packed_lessons) = (validation_file(&args.out), with_ending(&args.out, ".lessons"));
    let inputs: Vec<PathBuf> = files.iter().flat_map(|file| [file.clone(), lesson_file(file)]).collect();
    let output = |path| Output { flag: "--out", path, manner: Manner::Removed };
    let written = [&args.out, &validation_file, &packed_lessons].map(|path| output(path.as_path()));
    outputs::check(&inputs, &written, false)?;
    let _lock = Lock::take(with_ending(&args.out, ".lock"))?;

    let (mut training, mut validation) = (Vec::new(), Vec::new());
    // The skipped positions use random numbers of their own, so that the shuffle does not depend on them.
    let mut skips = Random::of_part(args.seed, 1);
    let mut lessons = Vec::new();
    let mut games = 0;
    for path in &files {
        read_with_lessons(path, |record, found| {
            let set_aside = games % args.validation == 0;
            games += 1;
            let (set, skip) = if set_aside { (&mut validation, 0.0) } else { (&mut training, f64::from(args.skip)) };
            let mut scores =
                (args.lambda > 0.0).then(|| td_lambda(record, args.lambda, args.scale)).into_iter().flatten();
            record.visit(|chess, step, ply| {
                let score = scores.next().unwrap_or(step.score);
                if args.filter.keeps(chess, step, ply) && !skips.happens(skip) {
                    set.push(pack(chess, score, record.result.half_points(Color::White)));
                }
            });
            // The searches of a game set aside have seen its positions' neighbours: they are not used in training.
            if !set_aside {
                lessons.extend(found.iter().filter(|lesson| is_kept(lesson, &args.filter)).map(pack_lesson));
            }
        })?;
    }
    if training.is_empty() || validation.is_empty() {
        return Err(trouble!("{games} games leave no positions to learn from and to validate with"));
    }
    let mut random = Random::new(args.seed);
    random.shuffle(&mut training);
    random.shuffle(&mut validation);
    random.shuffle(&mut lessons);
    replace_all(&args.out, [&training, &validation, &lessons], data::write)?;
    tell!("{games} games: {} positions to learn from, {} to validate with", training.len(), validation.len())?;
    if !lessons.is_empty() {
        tell!("{} lessons from inside searches", lessons.len())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    use clap::Parser;
    use formats::games::{GameResult, Step};
    use formats::lessons::block;
    use ibex::bound::Bound;
    use ibex::position::Position;
    use shakmaty::CastlingMode;

    use crate::data::tests::scratch_folder;
    use crate::model::{Target, lesson_bound};

    #[test]
    fn lambda_goes_from_the_own_search_to_the_result() {
        let start = Chess::default();
        let chosen = start.legal_moves()[0];
        let steps: Vec<Step> = [10, -20, 300, 250].into_iter().map(|score| Step { chosen, score }).collect();
        let record = GameRecord { start, steps, result: GameResult::WhiteWins };
        assert_eq!(td_lambda(&record, 0.0, 400.0), [10, -20, 300, 250]);
        assert_eq!(td_lambda(&record, 1.0, 250.0), [MAX_SCORE; 4]);
        let drawn = GameRecord { result: GameResult::Draw, ..record.clone() };
        assert_eq!(td_lambda(&drawn, 1.0, 250.0), [0; 4]);
        // The one before the last: half of its own score, a quarter of the last, a quarter of the result.
        let points = 0.5 * sigmoid(300.0 / 400.0) + 0.25 * sigmoid(250.0 / 400.0) + 0.25;
        assert_eq!(td_lambda(&record, 0.5, 400.0)[2], centipawns(points, 400.0).round() as i16);
        assert!(td_lambda(&record, 0.5, 400.0)[1] > 0 && td_lambda(&drawn, 0.5, 400.0)[2] < 300);
        // Positions without a score in between do not increase the distance.
        let unscored = Step { chosen, score: Step::NO_SCORE };
        let mut apart = record.clone();
        apart.steps = record.steps.iter().flat_map(|&step| [step, unscored, unscored]).collect();
        let scores: Vec<i16> = td_lambda(&apart, 0.5, 400.0).into_iter().step_by(3).collect();
        assert_eq!(scores, td_lambda(&record, 0.5, 400.0));
    }

    #[test]
    fn a_bound_has_no_gradient_while_it_holds() {
        let target = Target { wdl: 0.3, scale: 400.0 };
        let white = Chess::default();
        let mut black = white.clone();
        black.play_unchecked(white.legal_moves()[0]);
        for (chess, sign) in [(white, 1), (black, -1)] {
            for (bound, low, high) in
                [(Bound::Exact, true, true), (Bound::Lower, true, false), (Bound::Upper, false, true)]
            {
                // 100 centipawns for the side to move.
                let for_white = if sign > 0 { bound } else { bound.flipped() };
                let packed = pack_lesson(&LessonRecord { chess: chess.clone(), score: 100 * sign, bound: for_white });
                assert_eq!((packed.score, lesson_bound(&packed)), (100, Some(bound)));
                assert!((target.of(&packed) - sigmoid(0.25)).abs() < 1e-6, "no result");
                // Outputs are in units of 400 centipawns.
                assert_eq!(target.judge(&packed, 0.0).slope < 0.0, low, "an output below");
                assert_eq!(target.judge(&packed, 0.5).slope > 0.0, high, "an output above");
            }
        }
    }

    /// The bytes of 40 random games, drawn after at most 60 plies.
    fn games() -> Vec<u8> {
        let mut random = Random::new(5);
        let mut game = || {
            let start = Chess::default();
            let mut chess = start.clone();
            let mut steps = Vec::new();
            while steps.len() < 60 && !chess.is_game_over() {
                let moves = chess.legal_moves();
                let chosen = moves[random.below(moves.len())];
                chess.play_unchecked(chosen);
                steps.push(Step { chosen, score: 10 });
            }
            GameRecord { start, steps, result: GameResult::Draw }.to_bytes()
        };
        (0..40).flat_map(|_| game()).collect()
    }

    /// The block of a game with one lesson.
    fn one_lesson() -> Vec<u8> {
        block(&[LessonRecord { chess: Chess::default(), score: 20, bound: Bound::Exact }])
    }

    #[test]
    fn skipping_a_share_keeps_the_validation_positions() {
        let folder = scratch_folder("skip");
        let file = folder.join("games.vf");
        fs::write(&file, games()).unwrap();
        let packed = |skip: &str| {
            let out = folder.join(skip);
            let line = ["pack", file.to_str().unwrap(), "--out", out.to_str().unwrap(), "--skip", skip];
            run(&Line::parse_from(line).args).unwrap();
            // The order differs: the shuffle of the larger set uses more random numbers.
            let mut validation: Vec<_> =
                data::read(&validation_file(&out)).unwrap().iter().map(|packed| format!("{packed:?}")).collect();
            validation.sort_unstable();
            (data::read(&out).unwrap().len(), validation)
        };
        let ((all, validation), (half, same)) = (packed("0"), packed("0.5"));
        assert!(all > 500 && half > all * 2 / 5 && half < all * 3 / 5, "{half} of {all}");
        assert!(validation == same, "another set");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn lessons_that_do_not_fit_their_games_are_refused() {
        let folder = scratch_folder("misfit");
        let parts = folder.join("run.vf.parts");
        fs::create_dir_all(&parts).unwrap();
        let (whole, part) = (folder.join("games.vf"), parts.join("worker-000.vf"));
        fs::write(parts.join("run.json"), "{}").unwrap();
        let out = folder.join("out");
        let packed = |file: &Path, blocks: usize, torn: &[u8]| {
            fs::write(file, games()).unwrap();
            fs::write(lesson_file(file), [one_lesson().repeat(blocks), torn.to_vec()].concat()).unwrap();
            run(&Line::parse_from(["pack", file.to_str().unwrap(), "--out", out.to_str().unwrap()]).args)
        };
        packed(&whole, 40, &[]).unwrap();
        assert_eq!(data::read(&with_ending(&out, ".lessons")).unwrap().len(), 39, "those of one game are set aside");
        let torn = &one_lesson()[..9];
        let fewer = packed(&whole, 39, &[]).unwrap_err();
        assert!(fewer.to_string().contains("games.vf.lessons: fewer lessons than games"), "{fewer}");
        for (blocks, torn) in [(41, &[][..]), (40, torn)] {
            let more = packed(&whole, blocks, torn).unwrap_err();
            assert!(more.to_string().contains("games.vf.lessons: more lessons than games"), "{more}");
        }
        // Lessons are written before their game, so a worker's file may have one block more than games.
        for (blocks, torn) in [(40, &[][..]), (41, &[]), (40, torn)] {
            packed(&part, blocks, torn).unwrap();
        }
        assert!(packed(&part, 39, &[]).unwrap_err().to_string().contains("fewer lessons"));
        for (blocks, torn) in [(42, &[][..]), (41, torn)] {
            assert!(packed(&part, blocks, torn).unwrap_err().to_string().contains("more lessons"), "{blocks}");
        }
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn files_of_two_packings_never_lie_together() {
        let folder = scratch_folder("repack");
        let (file, out) = (folder.join("games.vf"), folder.join("out"));
        let (validation, lessons) = (validation_file(&out), with_ending(&out, ".lessons"));
        fs::write(&file, games()).unwrap();
        fs::write(lesson_file(&file), one_lesson().repeat(40)).unwrap();
        let packed = |games_aside: &str| {
            let names = [file.to_str().unwrap(), out.to_str().unwrap()];
            run(&Line::parse_from(["pack", names[0], "--out", names[1], "--validation", games_aside]).args)
        };
        packed("40").unwrap();
        assert!(validation.exists() && lessons.exists());
        fs::remove_file(lesson_file(&file)).unwrap();
        packed("20").unwrap();
        assert!(validation.exists() && !lessons.exists());

        // A full disk. The old training games include some of the new validation games.
        let positions = data::read(&validation).unwrap();
        let full = |path: &Path, positions: &[ChessBoard]| {
            if path.ends_with("out") { Err(trouble!("cannot write")) } else { data::write(path, positions) }
        };
        assert!(replace_all(&out, [&positions, &positions, &[]], full).is_err());
        assert!(!out.exists() && validation.exists(), "nothing to learn from");

        // Nor may two packings run at the same time.
        packed("40").unwrap();
        let before = fs::read(&out).unwrap();
        let held = Lock::take(with_ending(&out, ".lock")).unwrap();
        assert!(packed("10").unwrap_err().to_string().ends_with("another training or packing is at work"));
        assert!(fs::read(&out).unwrap() == before, "the files stay");
        drop(held);
        packed("10").unwrap();
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn no_game_is_packed_twice() {
        let folder = scratch_folder("twice");
        let parts = folder.join("run.vf.parts");
        fs::create_dir_all(&parts).unwrap();
        let (file, out) = (parts.join("worker-000.vf"), folder.join("out"));
        fs::write(&file, games()).unwrap();
        for other in [&file, &parts] {
            let names = [other, &file, &out].map(|path| path.to_str().unwrap());
            let error = run(&Line::parse_from(["pack", names[0], names[1], "--out", names[2]]).args).unwrap_err();
            assert!(error.to_string().contains("worker-000.vf is given twice"), "{error}");
        }
        assert!(!out.exists());
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn the_filter_keeps_lessons_by_their_score_and_their_clock() {
        let chess = |clock: u32| {
            let fen = format!("4k3/8/8/8/8/8/8/R3K3 w - - {clock} 40");
            Position::from_fen(&fen, CastlingMode::Standard).unwrap().to_chess()
        };
        let lesson = |score, clock| LessonRecord { chess: chess(clock), score, bound: Bound::Exact };
        let filter = Filter { max_score: 500, max_clock: 20, ..Filter::default() };
        for (score, clock, kept) in [(500, 20, true), (-501, 0, false), (0, 21, false), (-500, 0, true)] {
            assert_eq!(is_kept(&lesson(score, clock), &filter), kept, "{score} {clock}");
        }
    }

    #[test]
    fn an_input_is_never_an_output() {
        let folder = scratch_folder("own");
        let file = folder.join("games.vf");
        fs::write(&file, games()).unwrap();
        fs::write(lesson_file(&file), one_lesson().repeat(40)).unwrap();
        for (input, out) in
            [("games.vf", "games.vf"), ("games.vf", "./games.vf"), ("games.val", "games"), ("games.lessons", "games")]
        {
            fs::write(folder.join(input), games()).unwrap();
            let (input, out) = (folder.join(input), folder.join(out));
            let line = ["pack", input.to_str().unwrap(), "--out", out.to_str().unwrap()];
            let error = run(&Line::parse_from(line).args).unwrap_err();
            assert!(
                error.to_string().starts_with("--out ")
                    && error.to_string().ends_with("is also an input, which would be lost"),
                "{error}"
            );
            assert!(fs::read(&input).unwrap() == games(), "{line:?}");
        }
        // Nor is it in the way of one.
        let (input, out) = (folder.join("other.tmp"), folder.join("other"));
        fs::write(&input, games()).unwrap();
        run(&Line::parse_from(["pack", input.to_str().unwrap(), "--out", out.to_str().unwrap()]).args).unwrap();
        assert!(fs::read(&input).unwrap() == games() && out.exists());
        fs::remove_dir_all(&folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_device_or_a_pipe_is_never_an_output() {
        use std::os::unix::fs::FileTypeExt as _;
        let folder = scratch_folder("device");
        let (file, out) = (folder.join("games.vf"), folder.join("out"));
        fs::write(&file, games()).unwrap();
        // A socket stands for all of these: it needs no privileges and no other program.
        for name in [out.clone(), validation_file(&out), with_ending(&out, ".lessons")] {
            let socket = std::os::unix::net::UnixListener::bind(&name).unwrap();
            let error = run(&Line::parse_from(["pack", file.to_str().unwrap(), "--out", out.to_str().unwrap()]).args);
            let expected = format!("--out {}: a device or a pipe, not a file", name.display());
            assert_eq!(error.unwrap_err().to_string(), expected);
            assert!(fs::metadata(&name).unwrap().file_type().is_socket(), "{}", name.display());
            drop(socket);
            fs::remove_file(&name).unwrap();
        }
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "nothing is written");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn an_option_that_would_do_nothing_is_refused() {
        let line = ["pack", "games.vf", "--out", "out"];
        let parsed = |options: &[&str]| Line::try_parse_from([&line[..], options].concat());
        assert!(parsed(&["--lambda", "0.5", "--scale", "300"]).is_ok());
        assert!(parsed(&["--scale", "300"]).is_err_and(|error| error.to_string().contains("--lambda")));
        // Its sign could not be changed within 16 bits.
        assert!(parsed(&["--max-score", "32767"]).is_ok_and(|line| line.args.filter.max_score == 32_767));
        assert!(parsed(&["--max-score", "32768"]).is_err());
    }

    #[derive(clap::Parser, Debug)]
    struct Line {
        #[command(flatten)]
        args: Args,
    }
}
