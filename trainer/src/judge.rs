//! `judge`: how well evaluations predict scores and results, over positions not used in training.
//!
//! Only a match measures strength; this is the cheap test before it. Evaluations are raw, without the engine's scaling
//! of material and endings, like the labels. Each gets the scale that fits it best, from 80 to 800 centipawns a unit,
//! so its unit does not matter; if that is 80 or 800, a better one may lie beyond.

use std::path::PathBuf;
use std::sync::Arc;

use bulletformat::ChessBoard;
use ibex::eval::Evaluator;
use ibex::eval::nnue::Network;
use terminal::{CommandError, tell, trouble};

use crate::checkpoint::{UNIT, scale, share};
use crate::data::{self, validation_file};
use crate::model::{Target, sigmoid};

/// The command line of `judge`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Networks to compare with the one that is built in
    #[arg(value_name = "NETWORK")]
    networks: Vec<PathBuf>,
    /// Packed positions; the networks are judged on `FILE.val`
    #[arg(long, value_name = "FILE")]
    data: PathBuf,
    /// The share of the game's result in what is to be predicted; the rest is the score
    #[arg(long, default_value_t = 0.3, value_parser = share)]
    wdl: f32,
    /// The centipawns that multiply the odds of winning by e, for scores
    #[arg(long, default_value_t = UNIT, value_name = "CP", value_parser = scale)]
    scale: f32,
}

/// Runs the command.
///
/// # Errors
///
/// One line: a file cannot be read, or no position is legal.
pub fn run(args: &Args) -> Result<(), CommandError> {
    let packed = data::read(&validation_file(&args.data))?;
    let target = Target { wdl: args.wdl, scale: args.scale };
    let mut rows = vec![(format!("{}, built in", Network::embedded().name()), Network::embedded())];
    for path in &args.networks {
        let network = Network::load(path)?;
        rows.push((path.display().to_string(), Arc::new(network)));
    }
    for (name, network) in rows {
        let samples = evaluations(&packed, &network, target);
        if samples.is_empty() {
            return Err(trouble!("none of the positions is legal"));
        }
        let (loss, scale) = best(&samples);
        let beyond = if SCALES.contains(&scale) { " (the end of the range)" } else { "" };
        tell!("{loss:.6} at {scale} centipawns a unit{beyond}, over {} positions: {name}", samples.len())?;
    }
    Ok(())
}

/// The raw evaluation of each legal position in centipawns, and the expected result that it should predict.
fn evaluations(packed: &[ChessBoard], network: &Arc<Network>, target: Target) -> Vec<(f32, f32)> {
    let mut evaluator = Evaluator::new(network);
    // Labels are raw, too: what the engine does to an evaluation afterwards was not learned.
    evaluator.set_raw(true);
    let legal = packed.iter().filter_map(|packed| Some((packed, data::position(packed)?)));
    legal
        .map(|(packed, position)| {
            evaluator.reset(&position);
            (evaluator.evaluate(&position) as f32, target.of(packed))
        })
        .collect()
}

/// The range of scales that are tried, in centipawns a unit.
const SCALES: [f32; 2] = [80.0, 800.0];

/// The least loss and its scale, to ten centipawns.
fn best(samples: &[(f32, f32)]) -> (f64, f32) {
    let [least, most] = SCALES;
    let scales = std::iter::successors(Some(least), |scale| Some(scale + 10.0).filter(|&scale| scale <= most));
    let losses = scales.map(|scale| (loss(samples, scale), scale));
    losses.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((f64::NAN, least))
}

/// The mean squared error of the evaluations with this scale.
fn loss(samples: &[(f32, f32)], scale: f32) -> f64 {
    let sum: f64 = samples.iter().map(|&(cp, target)| f64::from((sigmoid(cp / scale) - target).powi(2))).sum();
    sum / samples.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use ibex::eval::nnue::Accumulators;
    use ibex::eval::nnue::features::{INPUTS, THREATS};
    use ibex::eval::nnue::format::Contents;
    use ibex::position::Position;
    use ibex::random::Random;
    use shakmaty::CastlingMode;

    #[test]
    fn the_best_scale_is_found_between_the_ends_and_at_them() {
        for (scale, found) in [(20.0, 80.0), (260.0, 260.0), (3000.0, 800.0)] {
            let samples: Vec<(f32, f32)> =
                (-20_i16..=20).map(|n| f32::from(n) * 20.0).map(|cp| (cp, sigmoid(cp / scale))).collect();
            assert_eq!(best(&samples).1, found);
        }
    }

    /// Rook against bishop: little material, and a mostly drawn ending, so both scalings would act.
    #[test]
    fn networks_are_judged_by_what_they_learn_to_say() {
        let hidden = 64;
        let mut random = Random::new(4);
        let values: Vec<i16> = (0..(INPUTS + 1 + 16) * hidden).map(|_| random.below(181) as i16 - 90).collect();
        let threats = vec![1; THREATS * hidden];
        let contents = Contents { name: "test".into(), hidden, weights: values, output_biases: [0; 8], threats };
        let network = Arc::new(Network::new(contents).unwrap());
        let position = Position::from_fen("8/8/4k3/8/4K3/8/3R4/b7 w - - 0 1", CastlingMode::Standard).unwrap();
        let mut alone = Accumulators::new(Arc::clone(&network));
        alone.reset(&position);
        let value = alone.evaluate(&position);
        assert!(value.abs() > 100, "{value}");
        let packed = [data::tests::packed(&position, 35, 1)];
        let target = Target { wdl: 0.0, scale: UNIT };
        let judged = evaluations(&packed, &network, target);
        assert_eq!(judged, [(value as f32, sigmoid(35.0 / UNIT))]);
    }
}
