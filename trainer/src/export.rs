//! `export`: from floating point to the integers that the engine computes with, and what that costs.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bulletformat::ChessBoard;
use ibex::eval::nnue::features::{INPUTS, OUTPUT_BUCKETS};
use ibex::eval::nnue::units::{QA, QB, SCALE};
use ibex::eval::nnue::{Accumulators, Network};

use crate::checkpoint::Checkpoint;
use crate::data::{self, validation_file};
use crate::model::{self, Parameters, Scratch};

/// The mean difference between the network in floating point, at the rounded weights that it was trained with, and the
/// engine's may be this many centipawns, over positions within ±1000: the engine's divisions cut off.
const TOLERANCE: f64 = 1.0;
/// Positions to compare on.
const SAMPLE: usize = 20_000;

/// The command line of `export`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The checkpoint
    #[arg(value_name = "CKPT")]
    checkpoint: PathBuf,
    /// Packed positions whose `FILE.val` the networks are compared on
    #[arg(long, value_name = "FILE")]
    data: PathBuf,
    /// The network file to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

/// Runs the command.
///
/// # Errors
///
/// One line: a file cannot be read or written, or the integers stray too far.
pub fn run(args: &Args) -> Result<(), String> {
    let checkpoint = Checkpoint::read(&args.checkpoint)?;
    write(&checkpoint, &data::read(&validation_file(&args.data))?, &args.out)
}

/// Quantises the weights, compares, and writes the network.
///
/// # Errors
///
/// One line: the integers stray too far, or the system refuses.
pub fn write(checkpoint: &Checkpoint, positions: &[ChessBoard], path: &Path) -> Result<(), String> {
    let name = path.file_stem().map_or_else(|| "ibex".to_owned(), |stem| stem.to_string_lossy().into_owned());
    let network = Arc::new(quantise(&checkpoint.parameters, name)?.as_residual(checkpoint.recipe.residual));
    let sample = &positions[..positions.len().min(SAMPLE)];
    let error = compare(&checkpoint.parameters.rounded(), &network, sample);
    println!(
        "quantised: mean error {:.2} cp, largest {:.1} cp, over {} positions within 1000 cp",
        error.mean, error.largest, error.count
    );
    if error.count == 0 || error.mean > TOLERANCE {
        return Err(format!("the integers stray too far: {:.2} cp where {TOLERANCE} are allowed", error.mean));
    }
    let bytes = network.to_bytes();
    data::replace(path, |output| output.write_all(&bytes))?;
    println!("wrote {} ({} bytes)", path.display(), bytes.len());
    Ok(())
}

/// The integers that the rounded weights are.
fn quantise(parameters: &Parameters, name: String) -> Result<Network, String> {
    let hidden = parameters.hidden;
    let rounded = parameters.rounded();
    let (layers, biases) = rounded.values.split_at((INPUTS + 1 + 2 * OUTPUT_BUCKETS) * hidden);
    let integer = |value: f32, one: i32| (value * one as f32).round() as i32;
    let values: Vec<i16> = layers.iter().enumerate().map(|(index, &w)| integer(w, one(index, hidden)) as i16).collect();
    Network::new(name, hidden, &values, std::array::from_fn(|i| integer(biases[i], QA * QB)))
}

/// The weights in floating point that a network's integers stand for, to go on learning from.
pub fn dequantise(network: &Network) -> Parameters {
    let hidden = network.hidden();
    let (layers, biases) = network.weights();
    let layers = layers.iter().enumerate().map(|(index, &w)| f32::from(w) / one(index, hidden) as f32);
    let biases = biases.iter().map(|&bias| bias as f32 / (QA * QB) as f32);
    Parameters { hidden, values: layers.chain(biases).collect() }
}

/// What stands for 1 among the integers of the weight with this index.
fn one(index: usize, hidden: usize) -> i32 {
    if index < (INPUTS + 1) * hidden { QA } else { QB }
}

/// How far two networks are apart.
struct Distance {
    count: usize,
    mean: f64,
    largest: f64,
}

/// Compares what the engine will compute with what was learned.
fn compare(parameters: &Parameters, network: &Arc<Network>, positions: &[ChessBoard]) -> Distance {
    let mut accumulators = Accumulators::new(Arc::clone(network));
    let mut scratch = Scratch::new(parameters.hidden);
    let mut distance = Distance { count: 0, mean: 0.0, largest: 0.0 };
    for packed in positions {
        let float = f64::from(model::forward(parameters, packed, &mut scratch)) * f64::from(SCALE);
        let Some(position) = data::position(packed) else { continue };
        if float.abs() > 1000.0 {
            continue;
        }
        accumulators.reset(&position);
        let error = (f64::from(accumulators.evaluate(&position)) - float).abs();
        distance.count += 1;
        distance.mean += error;
        distance.largest = distance.largest.max(error);
    }
    distance.mean /= distance.count.max(1) as f64;
    distance
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_taken_apart_makes_the_same_network_again() {
        let network = quantise(&Parameters::random(64, 5), "a".to_owned()).unwrap();
        let again = quantise(&dequantise(&network), "a".to_owned()).unwrap();
        assert_eq!(network.to_bytes(), again.to_bytes());
    }
}
