//! Weights as the engine's integers, and back.

use ibex::eval::nnue::Network;
use ibex::eval::nnue::features::{INPUTS, OUTPUT_BUCKETS, THREATS};
use ibex::eval::nnue::format::{Contents, QA, QB, threatened};
use terminal::CommandError;

use crate::model::{BIASES, Parameters, THREAT_ROWS, by_rows, by_stripes};

/// The network with the integers of the rounded weights.
///
/// # Errors
///
/// One line: the weights do not fit.
pub fn quantise(parameters: &Parameters, name: String) -> Result<Network, CommandError> {
    let hidden = parameters.hidden;
    let rounded = parameters.rounded();
    let mut rows = by_rows(&rounded.values, hidden);
    let trained: Vec<f32> = rows.drain(THREAT_ROWS * hidden..BIASES * hidden).take(THREATS * hidden).collect();
    let threats = trained.chunks_exact(hidden).flat_map(|row| &row[..threatened(hidden)]);
    let threats = threats.map(|&weight| (weight * QA as f32).round() as i8).collect();
    let (layers, biases) = rows.split_at(rows.len() - OUTPUT_BUCKETS);
    let scaled = |value: f32, one: i32| (value * one as f32).round();
    // From a floating-point number straight to 16 bits, a weight that is too large becomes the largest, which a network
    // does not take for an output; by way of 32 bits, it would become any other.
    let values: Vec<i16> = layers.iter().enumerate().map(|(index, &w)| scaled(w, one(index, hidden)) as i16).collect();
    let output_biases = std::array::from_fn(|i| scaled(biases[i], QA * QB) as i32);
    Network::new(Contents { name, hidden, weights: values, output_biases, threats }).map_err(CommandError::from)
}

/// The floating-point weights that correspond to a network's integers, to continue training. What the king buckets
/// share is in their own rows: the shared rows start at zero.
pub fn dequantise(network: &Network) -> Parameters {
    let hidden = network.hidden();
    let Contents { weights, output_biases, threats, .. } = network.contents();
    let layers = weights.iter().enumerate().map(|(index, &w)| f32::from(w) / one(index, hidden) as f32);
    let biases = output_biases.iter().map(|&bias| bias as f32 / (QA * QB) as f32);
    let mut rows: Vec<f32> = layers.chain(biases).collect();
    let mut others = vec![0.0; (BIASES - THREAT_ROWS) * hidden];
    for (row, threats) in others.chunks_exact_mut(hidden).zip(threats.chunks_exact(threatened(hidden))) {
        row.iter_mut().zip(threats).for_each(|(weight, &threat)| *weight = f32::from(threat) / QA as f32);
    }
    rows.splice(THREAT_ROWS * hidden..THREAT_ROWS * hidden, others);
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
        let weights = quantise(&parameters, "a".to_owned()).unwrap().contents().weights;
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
