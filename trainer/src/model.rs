//! The network in floating point: forward, loss and gradient, one position after the other.
//!
//! The loops go over the hidden layer in chunks that stay in registers while the active inputs' rows are added up or
//! their gradients handed out. That the inputs are sparse is where the speed comes from: some 20 rows of 768 a view.

use bulletformat::ChessBoard;
use ibex::eval::nnue::features::{INPUTS, OUTPUT_BUCKETS};
use ibex::eval::nnue::units::{QA, QB, SCALE};
use ibex::tools::datagen::random::Random;

use crate::data::{self, inputs};

/// Hidden values that are worked on together.
const CHUNK: usize = 64;

/// Weights larger than this do not fit the engine's integers.
pub const LIMIT: f32 = 1.98;

/// The parameters, or their gradient: 768 rows of inputs and one of biases, 8 outputs of two rows each, 8 biases.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// The size of the hidden layer.
    pub hidden: usize,
    /// All numbers, in the order given above.
    pub values: Vec<f32>,
}

/// How scores and results become what the network is to say.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The share of the game's result; the rest is the score.
    pub wdl: f32,
    /// Whether the network only has to correct the hand-written evaluation, which is added to its output.
    pub residual: bool,
    /// The centipawns that multiply the odds of winning by e.
    pub scale: f32,
}

impl Target {
    /// The expected result for the side to move, between 0 and 1.
    pub fn of(self, position: &ChessBoard) -> f32 {
        let result = f32::from(position.result) / 2.0;
        self.wdl * result + (1.0 - self.wdl) * sigmoid(f32::from(position.score) / self.scale)
    }

    /// How steeply the expected result follows the output, whose unit is the engine's.
    fn steepness(self) -> f32 {
        SCALE as f32 / self.scale
    }

    /// The result that the network expects, the hand-written evaluation being added where that is corrected.
    fn expected(self, position: &ChessBoard, output: f32) -> f32 {
        let base = if self.residual { f32::from(data::by_hand(position)) / SCALE as f32 } else { 0.0 };
        sigmoid(self.steepness() * (output + base))
    }
}

/// The logistic function.
pub fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

impl Parameters {
    /// All zero.
    pub fn zero(hidden: usize) -> Parameters {
        assert!(hidden > 0 && hidden.is_multiple_of(CHUNK), "checked with the arguments");
        Parameters { hidden, values: vec![0.0; (INPUTS + 1 + 2 * OUTPUT_BUCKETS) * hidden + OUTPUT_BUCKETS] }
    }

    /// Small random weights to begin with.
    pub fn random(hidden: usize, seed: u64) -> Parameters {
        let mut random = Random::new(seed);
        let mut parameters = Parameters::zero(hidden);
        let mut uniform = |range: f32| (2.0 * (random.next_u64() >> 40) as f32 / (1u32 << 24) as f32 - 1.0) * range;
        let (inputs, rest) = parameters.values.split_at_mut(INPUTS * hidden);
        let (biases, outputs) = rest.split_at_mut(hidden);
        inputs.iter_mut().for_each(|w| *w = uniform(0.06));
        biases.iter_mut().for_each(|w| *w = 0.1 + uniform(0.1));
        let range = 1.0 / (hidden as f32).sqrt();
        outputs[..2 * OUTPUT_BUCKETS * hidden].iter_mut().for_each(|w| *w = uniform(range));
        parameters
    }

    /// The weights as the engine will have them: multiples of its integers' units.
    pub fn rounded(&self) -> Parameters {
        let mut rounded = self.clone();
        let (layers, biases) = rounded.values.split_at_mut(self.outputs_start(OUTPUT_BUCKETS));
        let (inputs, outputs) = layers.split_at_mut((INPUTS + 1) * self.hidden);
        for (values, one) in [(inputs, QA), (outputs, QB), (biases, QA * QB)] {
            let one = one as f32;
            values.iter_mut().for_each(|value| *value = (*value * one).round() / one);
        }
        rounded
    }

    fn outputs_start(&self, bucket: usize) -> usize {
        (INPUTS + 1 + 2 * bucket) * self.hidden
    }

    fn bias_index(&self, bucket: usize) -> usize {
        self.outputs_start(OUTPUT_BUCKETS) + bucket
    }
}

/// What one position needs while it is worked on.
pub struct Scratch {
    /// The hidden layer before activation, own view first.
    sums: Vec<f32>,
}

impl Scratch {
    /// For a hidden layer of this size.
    pub fn new(hidden: usize) -> Scratch {
        Scratch { sums: vec![0.0; 2 * hidden] }
    }
}

/// The network's output for a position.
pub fn forward(parameters: &Parameters, position: &ChessBoard, scratch: &mut Scratch) -> f32 {
    let inputs = inputs(position);
    let views = [&inputs.own[..inputs.count], &inputs.other[..inputs.count]];
    forward_inputs(parameters, views, inputs.bucket, &mut scratch.sums)
}

fn forward_inputs(parameters: &Parameters, views: [&[u16]; 2], bucket: usize, sums: &mut [f32]) -> f32 {
    let hidden = parameters.hidden;
    let values = &parameters.values;
    let outputs = &values[parameters.outputs_start(bucket)..parameters.outputs_start(bucket + 1)];
    let mut lanes = [0.0f32; CHUNK];
    for ((view, sums), outputs) in views.iter().zip(sums.chunks_exact_mut(hidden)).zip(outputs.chunks_exact(hidden)) {
        for start in (0..hidden).step_by(CHUNK) {
            let mut chunk = chunk_at(values, INPUTS * hidden + start);
            for &input in *view {
                let row = chunk_at(values, usize::from(input) * hidden + start);
                for i in 0..CHUNK {
                    chunk[i] += row[i];
                }
            }
            sums[start..start + CHUNK].copy_from_slice(&chunk);
            let weights = chunk_at(outputs, start);
            for i in 0..CHUNK {
                let clipped = chunk[i].clamp(0.0, 1.0);
                lanes[i] += clipped * clipped * weights[i];
            }
        }
    }
    lanes.iter().sum::<f32>() + values[parameters.bias_index(bucket)]
}

#[inline(always)]
fn chunk_at(values: &[f32], start: usize) -> [f32; CHUNK] {
    let mut chunk = [0.0; CHUNK];
    chunk.copy_from_slice(&values[start..start + CHUNK]);
    chunk
}

/// Adds a batch's gradient to `gradient` and returns the sum of its losses, squared differences of expected results.
pub fn backward(
    parameters: &Parameters,
    positions: &[ChessBoard],
    target: Target,
    gradient: &mut Parameters,
    scratch: &mut Scratch,
) -> f64 {
    let hidden = parameters.hidden;
    let mut loss = 0.0;
    for position in positions {
        let inputs = inputs(position);
        let views = [&inputs.own[..inputs.count], &inputs.other[..inputs.count]];
        let output = forward_inputs(parameters, views, inputs.bucket, &mut scratch.sums);
        let expected = target.expected(position, output);
        let difference = expected - target.of(position);
        loss += f64::from(difference * difference);
        let slope = 2.0 * difference * expected * (1.0 - expected) * target.steepness();
        gradient.values[parameters.bias_index(inputs.bucket)] += slope;

        let first_output = parameters.outputs_start(inputs.bucket);
        for (half, view) in views.iter().enumerate() {
            for start in (0..hidden).step_by(CHUNK) {
                let at = first_output + half * hidden + start;
                let weights = chunk_at(&parameters.values, at);
                let sums = chunk_at(&scratch.sums, half * hidden + start);
                let outputs = &mut gradient.values[at..at + CHUNK];
                let mut slopes = [0.0f32; CHUNK];
                for i in 0..CHUNK {
                    let clipped = sums[i].clamp(0.0, 1.0);
                    outputs[i] += slope * clipped * clipped;
                    // At its ends the clipped function is flat.
                    let active = if clipped == sums[i] { 2.0 * clipped } else { 0.0 };
                    slopes[i] = slope * weights[i] * active;
                }
                for row in view.iter().map(|&input| usize::from(input)).chain([INPUTS]) {
                    let row = &mut gradient.values[row * hidden + start..row * hidden + start + CHUNK];
                    for i in 0..CHUNK {
                        row[i] += slopes[i];
                    }
                }
            }
        }
    }
    loss
}

/// The sum of the losses of positions that nothing is learned from.
pub fn loss(parameters: &Parameters, positions: &[ChessBoard], target: Target, scratch: &mut Scratch) -> f64 {
    positions
        .iter()
        .map(|position| {
            let expected = target.expected(position, forward(parameters, position, scratch));
            f64::from((expected - target.of(position)).powi(2))
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ibex::position::Position;
    use shakmaty::CastlingMode;

    #[test]
    fn the_gradient_is_the_slope_of_the_loss() {
        let fen = "r1bq1rk1/pp2bppp/2n1pn2/3p4/3P1B2/2NBPN2/PP3PPP/R2Q1RK1 b - - 0 1";
        let position = Position::from_fen(fen, CastlingMode::Standard).unwrap();
        let positions = [crate::data::tests::packed(&position, 35, 2)];
        let target = Target { wdl: 0.3, residual: true, scale: 250.0 };
        let hidden = 64;
        let mut parameters = Parameters::random(hidden, 9);
        let mut gradient = Parameters::zero(hidden);
        let mut scratch = Scratch::new(hidden);
        let first = backward(&parameters, &positions, target, &mut gradient, &mut scratch);
        assert!((first - loss(&parameters, &positions, target, &mut scratch)).abs() < 1e-9);

        let largest = |range: std::ops::Range<usize>| {
            let mut indices: Vec<usize> = range.collect();
            indices.sort_by(|&a, &b| gradient.values[b].abs().total_cmp(&gradient.values[a].abs()));
            indices.truncate(20);
            indices
        };
        let outputs = (INPUTS + 1) * hidden;
        let mut indices = largest(0..INPUTS * hidden);
        indices.extend(largest(INPUTS * hidden..outputs));
        indices.extend(largest(outputs..parameters.bias_index(0)));
        indices.extend(largest(parameters.bias_index(0)..parameters.values.len()).first());
        for index in indices {
            let step = 1e-2;
            let old = parameters.values[index];
            parameters.values[index] = old + step;
            let above = loss(&parameters, &positions, target, &mut scratch);
            parameters.values[index] = old - step;
            let below = loss(&parameters, &positions, target, &mut scratch);
            parameters.values[index] = old;
            let (slope, told) = ((above - below) / f64::from(2.0 * step), f64::from(gradient.values[index]));
            assert!((slope - told).abs() < 0.03 * told.abs() + 2e-5, "{index}: {slope} and {told}");
        }
    }
}
