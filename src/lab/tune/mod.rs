//! `ibex tune`: fits the classical evaluation's weights to the results of games (Texel's method).
//!
//! - `samples`: positions as counts of weights
//! - `descent`: the error and its gradient

pub mod descent;
pub mod samples;

use std::fmt::Write as _;
use std::path::PathBuf;

use shakmaty::{Color, Position as _};

use super::datagen::filter::Filter;
use super::datagen::report::read_games;
use super::tell::counted;
use super::{OK, TROUBLE, default_jobs, progress};
use crate::eval::classical::VALUES;
use crate::position::Position;
use crate::random::split_mix;
use crate::tell;
use descent::{Descent, best_steepness, error, expectation, reals, round_into};
use samples::Samples;

/// The command line of `ibex tune`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Data files of `ibex datagen`
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The source file to write; standard output without it
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Passes over the data
    #[arg(long, default_value_t = 30, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    epochs: u32,
    /// Positions a step
    #[arg(long, default_value_t = 16384, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    batch: u32,
    /// How far the first steps go, in centipawns
    #[arg(long, default_value_t = 0.3, value_name = "CP")]
    rate: f64,
    /// How strongly weights are held where they were; rare ones stay, common ones hardly notice
    #[arg(long, default_value_t = 0.02, value_name = "X")]
    pull: f64,
    /// How much the game's result counts, against what the search said; 0 to 1
    #[arg(long, default_value_t = 0.3, value_name = "X")]
    result: f64,
    /// Take a position of the filtered ones with this probability; neighbours in a game are much alike
    #[arg(long, default_value_t = 1.0, value_name = "P")]
    keep: f64,
    /// The order of the data
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
    /// Threads [default: one a core]
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    #[command(flatten)]
    filter: Filter,
}

/// One game in this many judges what the others have taught.
const JUDGES: u64 = 10;

/// Fits the weights and writes them.
pub fn run(args: &Args) -> u8 {
    match tune(args) {
        Ok(()) => OK,
        Err(error) => {
            eprintln!("ibex tune: {error}");
            TROUBLE
        }
    }
}

fn tune(args: &Args) -> Result<(), String> {
    let jobs = args.jobs.unwrap_or_else(default_jobs);
    let Data { mut samples, scores, mut lessons, judges, games } = read(args)?;
    if lessons.is_empty() || judges.is_empty() {
        return Err(format!("too few positions to learn from in {}", counted(games, "game", "games")));
    }
    let mut weights = reals(&VALUES);
    let steepness = best_steepness(&samples, &lessons, &weights, jobs);
    for (sample, score) in samples.samples.iter_mut().zip(scores) {
        let opinion = expectation(f64::from(score), steepness);
        sample.target = (args.result * f64::from(sample.target) + (1.0 - args.result) * opinion) as f32;
    }
    let judge = |weights: &_| error(&samples, &judges, weights, steepness, jobs);
    let before = judge(&weights);
    let size =
        format!("{}, {}", counted(games, "game", "games"), counted(samples.len() as u64, "position", "positions"));
    eprintln!("{size}; score = 1 / (1 + exp(-{steepness:.5} cp))");
    eprintln!("error on games set aside: {before:.6}");

    let descent = Descent {
        epochs: args.epochs,
        batch: args.batch as usize,
        rate: args.rate,
        pull: args.pull,
        seed: args.seed,
        jobs,
    };
    let mut best = (before, weights.clone());
    let bar = progress::bar(u64::from(args.epochs), "epochs");
    descent.run(&samples, &mut lessons, &mut weights, steepness, |_, weights| {
        let now = judge(weights);
        if now < best.0 {
            best = (now, weights.clone());
        }
        bar.set_message(format!("error {now:.6}"));
        bar.inc(1);
        true
    });
    bar.finish_and_clear();
    let (after, weights) = best;
    eprintln!("error on games set aside: {after:.6} after {}", counted(args.epochs.into(), "epoch", "epochs"));

    let mut values = VALUES;
    round_into(&weights, &mut values);
    let mut source = String::new();
    let written = write!(
        source,
        "//! The weights' values, written by `ibex tune`; not for editing.\n//!\n\
         //! Fitted to {} positions of {games} games of self-play; the mean square error on one game in {JUDGES},\n\
         //! which the fit did not see, fell from {before:.6} to {after:.6}.\n\n\
         use super::pair::S;\nuse super::weights::Weights;\n\n\
         /// The weights that the engine plays with.\npub const VALUES: Weights = ",
        samples.len()
    )
    .and_then(|()| values.write_source(&mut source));
    source.push_str(";\n");
    written.map_err(|error| error.to_string())?;
    match &args.out {
        None => tell!("{}", source.trim_end()),
        Some(path) => {
            std::fs::write(path, source).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        }
    }
    Ok(())
}

/// What the files hold.
#[derive(Default)]
struct Data {
    /// The positions; their targets are the games' results.
    samples: Samples,
    /// What the search said of each, in centipawns for white.
    scores: Vec<i16>,
    /// The numbers of the positions to learn from.
    lessons: Vec<u32>,
    /// The numbers of the positions to judge by, from other games.
    judges: Vec<u32>,
    games: u64,
}

fn read(args: &Args) -> Result<Data, String> {
    let mut data = Data::default();
    let mut random = args.seed;
    let mut game = 0u64;
    data.games = read_games(&args.files, |record| {
        let result = f32::from(record.result.half_points(Color::White)) / 2.0;
        record.visit(|chess, step, ply| {
            let drawn = (split_mix(&mut random) >> 11) as f64 / (1u64 << 53) as f64;
            if drawn >= args.keep || !args.filter.keeps(chess, step, ply) {
                return;
            }
            // Against a bare king every weight is right, and the ones that drive it to the edge look useless.
            let board = chess.board();
            if !board.white().more_than_one() || !board.black().more_than_one() {
                return;
            }
            let number = data.samples.len() as u32;
            if game.is_multiple_of(JUDGES) { &mut data.judges } else { &mut data.lessons }.push(number);
            data.samples.add(&Position::from_chess(chess.clone()), result);
            data.scores.push(step.score);
        });
        game += 1;
    })?;
    Ok(data)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::classical;
    use crate::random::split_mix;

    fn random_samples() -> (Samples, Vec<Position>) {
        let mut samples = Samples::default();
        let mut positions = Vec::new();
        for seed in 0..40 {
            let mut random = seed;
            let mut position = Position::startpos();
            for ply in 0..120 {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                if ply % 5 == 4 && !position.in_check() {
                    samples.add(&position, (split_mix(&mut random) % 3) as f32 / 2.0);
                    positions.push(position.clone());
                }
                position.play(moves[split_mix(&mut random) as usize % moves.len()]);
            }
        }
        (samples, positions)
    }

    /// The tuner's evaluation is the engine's, up to rounding.
    #[test]
    fn counts_reproduce_the_evaluation() {
        let (samples, positions) = random_samples();
        assert!(samples.len() > 500);
        let weights = reals(&VALUES);
        for (sample, position) in samples.samples.iter().zip(&positions) {
            let real = descent::centipawns(&samples, sample, &weights);
            let whole = classical::trace(position).value();
            assert!((real - f64::from(whole)).abs() < 4.0, "{real} {whole} {}", position.fen());
        }
    }

    /// The gradient agrees with the slope between two near points, for every weight.
    #[test]
    fn the_gradient_is_the_slope() {
        let (samples, _) = random_samples();
        let all: Vec<u32> = (0..samples.len() as u32).collect();
        let steepness = 0.005;
        // Away from whole numbers, at which an endgame value or a danger may be exactly zero: there is a kink.
        let mut random = 3;
        let mut weights = reals(&VALUES);
        weights.iter_mut().flatten().for_each(|x| *x += (split_mix(&mut random) % 1000) as f64 / 1000.0);
        let gradient = descent::gradient(&samples, &all, &weights, steepness);
        let mut seen = 0;
        for place in 0..weights.len() {
            for half in 0..2 {
                let was = weights[place][half];
                let mut at = |x: f64| {
                    weights[place][half] = x;
                    error(&samples, &all, &weights, steepness, 1) * all.len() as f64
                };
                let slope = (at(was + 1e-3) - at(was - 1e-3)) / 2e-3;
                at(was);
                let expected = gradient[place][half];
                assert!((slope - expected).abs() <= 1e-3 * expected.abs() + 1e-5, "{place}: {slope} {expected}");
                seen += usize::from(expected != 0.0);
            }
        }
        assert!(seen > 400, "{seen}");
    }

    /// From spoilt weights the descent finds its way back towards those that made the targets.
    #[test]
    fn descent_learns_what_it_is_taught() {
        let (mut samples, positions) = random_samples();
        let steepness = 0.005;
        for (sample, position) in samples.samples.iter_mut().zip(&positions) {
            let value = f64::from(classical::trace(position).value());
            sample.target = expectation(value, steepness) as f32;
        }
        let mut all: Vec<u32> = (0..samples.len() as u32).collect();
        let mut weights = reals(&VALUES);
        for pair in &mut weights[..5] {
            *pair = pair.map(|x| x * 0.7);
        }
        let before = error(&samples, &all, &weights, steepness, 2);
        let descent = Descent { epochs: 200, batch: 1 << 14, rate: 2.0, pull: 0.0, seed: 1, jobs: 2 };
        descent.run(&samples, &mut all, &mut weights, steepness, |_, _| true);
        let after = error(&samples, &all, &weights, steepness, 2);
        assert!(after < before / 20.0, "{before} {after}");
    }
}
