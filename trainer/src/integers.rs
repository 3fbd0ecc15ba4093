//! Weights as the engine's integers, and back.

use ibex::eval::nnue::Network;
use ibex::eval::nnue::features::{INPUTS, OUTPUT_BUCKETS, PIECES};
use ibex::eval::nnue::format::{QA, QB};

use crate::model::{BIASES, Parameters, SHARED, by_rows, by_stripes};

/// The network with the integers of the rounded weights.
///
/// # Errors
///
/// One line: the weights do not fit.
pub fn quantise(parameters: &Parameters, name: String) -> Result<Network, String> {
    let hidden = parameters.hidden;
    let rounded = parameters.rounded();
    let mut rows = by_rows(&rounded.values, hidden);
    rows.drain(SHARED * hidden..BIASES * hidden);
    let (layers, biases) = rows.split_at(rows.len() - OUTPUT_BUCKETS);
    let integer = |value: f32, one: i32| (value * one as f32).round() as i32;
    let values: Vec<i16> = layers.iter().enumerate().map(|(index, &w)| integer(w, one(index, hidden)) as i16).collect();
    Network::new(name, hidden, &values, std::array::from_fn(|i| integer(biases[i], QA * QB)))
        .map_err(|error| error.to_string())
}

/// The floating-point weights that correspond to a network's integers, to continue training. What the king buckets
/// share is in their own rows: the shared rows start at zero.
pub fn dequantise(network: &Network) -> Parameters {
    let hidden = network.hidden();
    let (layers, biases) = network.weights();
    let layers = layers.iter().enumerate().map(|(index, &w)| f32::from(w) / one(index, hidden) as f32);
    let biases = biases.iter().map(|&bias| bias as f32 / (QA * QB) as f32);
    let mut rows: Vec<f32> = layers.chain(biases).collect();
    rows.splice(SHARED * hidden..SHARED * hidden, std::iter::repeat_n(0.0, PIECES * hidden));
    Parameters { hidden, values: by_stripes(&rows, hidden) }
}

/// The integer that represents 1 for the weight with this index.
fn one(index: usize, hidden: usize) -> i32 {
    if index < (INPUTS + 1) * hidden { QA } else { QB }
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
