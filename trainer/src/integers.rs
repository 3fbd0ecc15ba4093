//! Weights as the engine's integers, and back.

use ibex::eval::nnue::Network;
use ibex::eval::nnue::features::{INPUTS, OUTPUT_BUCKETS, PIECE_SQUARES};
use ibex::eval::nnue::format::{QA, QB};
use terminal::CommandError;

use crate::model::{BIASES, FACTORISER, Parameters, by_rows, by_stripes};

/// The network with the integers of the rounded weights.
///
/// # Errors
///
/// One line: the weights do not fit.
pub fn quantise(parameters: &Parameters, name: String) -> Result<Network, CommandError> {
    let hidden = parameters.hidden;
    let rounded = parameters.rounded();
    let mut rows = by_rows(&rounded.values, hidden);
    rows.drain(FACTORISER * hidden..BIASES * hidden);
    let (layers, biases) = rows.split_at(rows.len() - OUTPUT_BUCKETS);
    let scaled = |value: f32, one: i32| (value * one as f32).round();
    // From a floating-point number straight to 16 bits, a weight that is too large becomes the largest, which a network
    // does not take for an output; by way of 32 bits, it would become any other.
    let values: Vec<i16> = layers.iter().enumerate().map(|(index, &w)| scaled(w, one(index, hidden)) as i16).collect();
    Network::new(name, hidden, &values, std::array::from_fn(|i| scaled(biases[i], QA * QB) as i32))
        .map_err(CommandError::from)
}

/// The floating-point weights that correspond to a network's integers, to continue training. What the king buckets
/// share is in their own rows: the shared rows start at zero.
pub fn dequantise(network: &Network) -> Parameters {
    let hidden = network.hidden();
    let (layers, biases) = network.weights();
    let layers = layers.iter().enumerate().map(|(index, &w)| f32::from(w) / one(index, hidden) as f32);
    let biases = biases.iter().map(|&bias| bias as f32 / (QA * QB) as f32);
    let mut rows: Vec<f32> = layers.chain(biases).collect();
    rows.splice(FACTORISER * hidden..FACTORISER * hidden, std::iter::repeat_n(0.0, PIECE_SQUARES * hidden));
    Parameters { hidden, values: by_stripes(&rows, hidden) }
}

/// The integer that represents 1 for the weight with this index.
fn one(index: usize, hidden: usize) -> i32 {
    if index < (INPUTS + 1) * hidden { QA } else { QB }
}

#[cfg(test)]
mod tests {
    use ibex::eval::nnue::NetworkError;

    use super::*;
    use crate::model::output_row;

    /// No training has such weights, but a damaged checkpoint may.
    #[test]
    fn weights_too_large_for_their_integers_do_not_wrap_around() {
        let mut parameters = Parameters::random(64, 5);
        // 300 times 255 is beyond 16 bits.
        parameters.row_mut(0, BIASES).0[0] = -300.0;
        let (weights, _) = quantise(&parameters, "a".to_owned()).unwrap().weights();
        assert_eq!(weights[INPUTS * 64], i16::MIN);
        // 1024 times 64 is 2 to the power of 16.
        parameters.row_mut(0, output_row(0, 0)).0[0] = 1024.0;
        let refused = quantise(&parameters, "a".to_owned()).unwrap_err();
        assert_eq!(refused.to_string(), NetworkError::OutputWeight(i16::MAX).to_string());
    }

    #[test]
    fn a_network_taken_apart_makes_the_same_network_again() {
        let network = quantise(&Parameters::random(64, 5), "a".to_owned()).unwrap();
        let again = quantise(&dequantise(&network), "a".to_owned()).unwrap();
        assert_eq!(network.to_bytes(), again.to_bytes());
    }
}
