//! `export`: converts floating-point weights to the integers that the engine computes with, and measures the loss.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bulletformat::ChessBoard;
use ibex::eval::nnue::format::SCALE;
use ibex::eval::nnue::{Accumulators, Network};
use terminal::outputs::{self, Manner, Output};
use terminal::{CommandError, tell, trouble};

use crate::checkpoint::Checkpoint;
use crate::data::{self, validation_file};
use crate::integers::quantise;
use crate::layers::HiddenLayers;
use crate::model::Parameters;

/// The largest mean difference, in centipawns, between the floating-point network with the rounded weights of its
/// training, and the engine's, over positions within ±1000: the engine rounds to whole centipawns.
const TOLERANCE: f64 = 0.3;
/// Positions to compare on.
const SAMPLE: usize = 100_000;

/// The command line of `export`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The checkpoint; or several that began with the same network, for their mean, which is written beside the network
    /// as a checkpoint, `NAME.ckpt` for `NAME.ibxn`: another training can begin with its exact weights
    #[arg(value_name = "CKPT", required = true)]
    checkpoints: Vec<PathBuf>,
    /// Packed positions; the networks are compared on `FILE.val`
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
/// One line: a file cannot be read or written, or is both input and output; or the integers deviate too much.
pub fn run(args: &Args) -> Result<(), CommandError> {
    let inputs: Vec<PathBuf> =
        args.checkpoints.iter().cloned().chain([args.data.clone(), validation_file(&args.data)]).collect();
    let exact = args.out.with_extension("ckpt");
    let mean_of_several = args.checkpoints.len() > 1;
    let written: Vec<&Path> = if mean_of_several { vec![&args.out, &exact] } else { vec![&args.out] };
    let outputs: Vec<Output> =
        written.into_iter().map(|path| Output { flag: "--out", path, manner: Manner::Continued }).collect();
    outputs::check(&inputs, &outputs, false)?;
    let mean = Checkpoint::mean(&args.checkpoints)?;
    write(&mean.parameters, &data::read(&validation_file(&args.data))?, &args.out)?;
    if mean_of_several {
        mean.write(&exact)?;
        tell!("wrote {}, the exact weights", exact.display())?;
    }
    Ok(())
}

/// Quantises the weights, compares the networks, and writes the result.
///
/// # Errors
///
/// One line: the integers deviate too much, or a system call fails.
pub fn write(parameters: &Parameters, positions: &[ChessBoard], path: &Path) -> Result<(), CommandError> {
    let name = path.file_stem().map_or_else(|| "ibex".to_owned(), |stem| stem.to_string_lossy().into_owned());
    let network = Arc::new(quantise(parameters, name)?);
    let sample = &positions[..positions.len().min(SAMPLE)];
    let error = compare(&parameters.rounded(), &network, sample);
    error.check()?;
    let bytes = network.to_bytes();
    data::replace(path, |output| output.write_all(&bytes))?;
    tell!(
        "quantised: mean error {:.2} cp, largest {:.1} cp, over {} positions within 1000 cp",
        error.mean,
        error.largest,
        error.count
    )?;
    tell!("wrote {} ({} bytes)", path.display(), bytes.len())?;
    Ok(())
}

/// How much two networks differ.
struct Distance {
    count: usize,
    mean: f64,
    largest: f64,
}

impl Distance {
    /// Checks that a network is close enough to the trained one to be written.
    fn check(&self) -> Result<(), CommandError> {
        if self.count == 0 {
            return Err(trouble!("no position within 1000 cp to compare the integers on"));
        }
        if self.mean > TOLERANCE {
            return Err(trouble!("the integers stray too far: {:.2} cp where {TOLERANCE} are allowed", self.mean));
        }
        Ok(())
    }
}

/// Compares the engine's network with the trained one.
fn compare(parameters: &Parameters, network: &Arc<Network>, positions: &[ChessBoard]) -> Distance {
    let mut accumulators = Accumulators::new(Arc::clone(network));
    let mut layers = HiddenLayers::new(parameters.hidden);
    let mut distance = Distance { count: 0, mean: 0.0, largest: 0.0 };
    for packed in positions {
        let float = f64::from(layers.output(parameters, packed)) * f64::from(SCALE);
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
    use crate::checkpoint::Recipe;
    use crate::checkpoint::tests::recipe;
    use ibex::position::Position;
    use ibex::random::Random;
    use shakmaty::CastlingMode;

    const FENS: [&str; 3] = [
        "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3",
        "8/8/4k3/8/4K3/8/3R4/b7 w - - 0 1",
        "2r3k1/1q1nbppp/r3p3/3pP3/pPpP4/P1Q2N2/2RN1PPP/2R4K w - - 0 23",
    ];

    /// The positions of random games: the mean difference of three would say little.
    fn random_positions() -> Vec<ChessBoard> {
        let mut random = Random::new(8);
        let mut positions = Vec::new();
        for fen in FENS {
            let mut position = Position::from_fen(fen, CastlingMode::Standard).unwrap();
            for _ in 0..60 {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                position.play(moves[random.below(moves.len())]);
                positions.push(data::tests::packed(&position, 0, 1));
            }
        }
        positions
    }

    #[test]
    fn the_mean_is_exported_and_never_over_an_input() {
        let folder = data::tests::scratch_folder("export");
        let [net, other, positions] = ["net.ckpt", "other.ckpt", "positions"].map(|name| folder.join(name));
        Checkpoint::new(recipe()).write(&net).unwrap();
        Checkpoint::new(Recipe { seed: 4, ..recipe() }).write(&other).unwrap();
        let packed = random_positions();
        data::write(&positions, &packed).unwrap();
        data::write(&validation_file(&positions), &packed).unwrap();
        let export = |out: &Path| {
            run(&Args { checkpoints: vec![net.clone(), other.clone()], data: positions.clone(), out: out.to_owned() })
        };
        for input in [&net, &other, &positions, &validation_file(&positions)] {
            let before = std::fs::read(input).unwrap();
            let error = export(input).unwrap_err();
            assert!(
                error.to_string().starts_with("--out ")
                    && error.to_string().ends_with("is also an input, which would be lost"),
                "{error}"
            );
            assert!(std::fs::read(input).unwrap() == before, "{}", input.display());
        }
        let out = folder.join("mean.ibxn");
        export(&out).unwrap();
        let exact = Checkpoint::read(&folder.join("mean.ckpt")).unwrap();
        assert_eq!(exact, Checkpoint::mean(&[net.clone(), other.clone()]).unwrap());
        assert_ne!(exact.parameters, exact.parameters.rounded(), "shared rows stay apart, and weights exact");
        let error = export(&folder.join("net.ibxn")).unwrap_err().to_string();
        assert!(error.ends_with("is also an input, which would be lost"), "{error}");
        let bytes = |files: &[PathBuf]| {
            let mean = Checkpoint::mean(files).unwrap();
            quantise(&mean.parameters, "mean".to_owned()).unwrap().to_bytes()
        };
        let written = std::fs::read(&out).unwrap();
        assert!(written == bytes(&[net.clone(), other.clone()]));
        assert!(written != bytes(&[net]) && written != bytes(&[other]));
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn integers_of_other_weights_stray_too_far() {
        let packed = random_positions();
        let [learned, other] = [5, 6].map(|seed| Parameters::random(64, seed));
        let distance = |weights| {
            let network = Arc::new(quantise(weights, "test".to_owned()).unwrap());
            compare(&learned.rounded(), &network, &packed)
        };
        assert!(distance(&learned).count > 100 && distance(&learned).check().is_ok());
        let error = distance(&other).check().unwrap_err();
        assert!(error.to_string().starts_with("the integers stray too far: "), "{error}");
        let nothing = compare(&learned.rounded(), &Arc::new(quantise(&learned, "test".to_owned()).unwrap()), &[]);
        assert!(nothing.check().is_err());
    }
}
