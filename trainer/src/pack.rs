//! `pack`: from games to shuffled positions, some games being set aside to validate with.

use std::path::{Path, PathBuf};

use bulletformat::ChessBoard;
use ibex::eval::{Evaluation, Evaluator};
use ibex::position::Position;
use ibex::tools::datagen::filter::Filter;
use ibex::tools::datagen::random::Random;
use ibex::tools::datagen::report::read_games;
use shakmaty::{Chess, Color, Position as _, Role};

use crate::data;

/// The command line of `pack`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Data files, or the `.parts` folder of a run that is not complete
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The file to write; positions to validate with go to a second one, `OUT.val`
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// One game in this many is set aside, whole, to validate with
    #[arg(long, default_value_t = 40, value_name = "N", value_parser = clap::value_parser!(u64).range(2..))]
    validation: u64,
    /// The seed of the shuffle
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    filter: Filter,
}

/// The file with the positions to validate with.
pub fn validation_file(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".val");
    PathBuf::from(name)
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

/// Runs the command.
///
/// # Errors
///
/// One line: a file cannot be read or written, or no position is left.
pub fn run(args: &Args) -> Result<(), String> {
    let (mut training, mut validation) = (Vec::new(), Vec::new());
    let mut index = 0;
    let mut evaluator = Evaluator::new(&Evaluation::Classical);
    let games = read_games(&args.files, |record| {
        let set = if index % args.validation == 0 { &mut validation } else { &mut training };
        index += 1;
        record.visit(|chess, step, ply| {
            if args.filter.keeps(chess, step, ply) {
                let mut packed = pack(chess, step.score, record.result.half_points(Color::White));
                let value = evaluator.evaluate(&Position::from_chess(chess.clone()));
                data::note_by_hand(&mut packed, value as i16);
                set.push(packed);
            }
        });
    })?;
    if training.is_empty() || validation.is_empty() {
        return Err(format!("{games} games leave no positions to learn from and to validate with"));
    }
    let mut random = Random::new(args.seed);
    data::shuffle(&mut training, &mut random);
    data::shuffle(&mut validation, &mut random);
    data::write(&validation_file(&args.out), &validation)?;
    data::write(&args.out, &training)?;
    println!("{games} games: {} positions to learn from, {} to validate with", training.len(), validation.len());
    Ok(())
}
