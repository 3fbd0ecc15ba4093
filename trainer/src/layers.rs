//! Outputs, losses and gradients, one block of positions at a time.
//!
//! The speed comes from sparse inputs: some 20 rows of 6912 a view. What remains is access to those rows, because
//! weights and their gradient, 14 megabytes at a hidden size of 512, do not fit the near caches. So a block of
//! positions goes through the hidden layer stripe by stripe: the stripe's weights stay in cache while all positions
//! gather their rows. On the way back the block is transposed: row by row, the slopes of the views that have its input
//! are summed in registers, and the row's gradient is read and written once for all of them.

use bulletformat::ChessBoard;
use ibex::eval::nnue::features::{INPUTS, THREATS};
use ibex::eval::nnue::format::threatened;

use crate::data::{Inputs, inputs};
use crate::model::{BIASES, Parameters, STRIPE, Stripe, THREAT_ROWS, Target, output_row};

/// Positions that are processed together.
const BLOCK: usize = 128;

/// The hidden layers of a block of positions, for one thread.
pub struct HiddenLayers {
    inputs: Vec<Inputs>,
    /// Stripe by stripe, position by position, own view first: sums before activation, then their slopes.
    values: Vec<[Stripe; 2]>,
    /// By position.
    outputs: Vec<f32>,
    members: Members<INPUTS>,
    threats: Members<THREATS>,
}

impl HiddenLayers {
    /// For hidden layers of this size.
    pub fn new(hidden: usize) -> HiddenLayers {
        HiddenLayers {
            inputs: Vec::with_capacity(BLOCK),
            values: vec![[Stripe::ZERO; 2]; BLOCK * (hidden / STRIPE)],
            outputs: Vec::with_capacity(BLOCK),
            members: Members::default(),
            threats: Members::default(),
        }
    }

    /// The network's output for a position.
    pub fn output(&mut self, parameters: &Parameters, position: &ChessBoard) -> f32 {
        self.forward(parameters, std::slice::from_ref(position));
        self.outputs[0]
    }

    /// The sum of the losses of positions: squared differences of expected results.
    pub fn loss(&mut self, parameters: &Parameters, positions: &[ChessBoard], target: Target) -> f64 {
        let mut loss = 0.0;
        for block in positions.chunks(BLOCK) {
            self.forward(parameters, block);
            let losses = block.iter().zip(&self.outputs).map(|(position, &output)| target.judge(position, output).loss);
            loss += losses.sum::<f64>();
        }
        loss
    }

    /// Adds the gradient of positions to `gradient` and returns the sum of their losses.
    pub fn learn(
        &mut self,
        parameters: &Parameters,
        positions: &[ChessBoard],
        target: Target,
        gradient: &mut Parameters,
    ) -> f64 {
        let mut loss = 0.0;
        for block in positions.chunks(BLOCK) {
            self.forward(parameters, block);
            for ((position, inputs), output) in block.iter().zip(&self.inputs).zip(&mut self.outputs) {
                let verdict = target.judge(position, *output);
                loss += verdict.loss;
                gradient.output_biases_mut().0[inputs.bucket] += verdict.slope;
                *output = verdict.slope;
            }
            self.backward(parameters, gradient);
        }
        loss
    }

    /// Computes sums and outputs of a block.
    fn forward(&mut self, parameters: &Parameters, block: &[ChessBoard]) {
        self.inputs.clear();
        self.inputs.extend(block.iter().map(inputs));
        let mut lanes = [Stripe::ZERO; BLOCK];
        let threatened = threatened(parameters.hidden) / STRIPE;
        for (stripe, values) in self.values.chunks_exact_mut(BLOCK).enumerate() {
            for ((inputs, values), lanes) in self.inputs.iter().zip(values).zip(&mut lanes) {
                let views = inputs.views().into_iter().zip(inputs.threats());
                for (half, (values, (view, threats))) in values.iter_mut().zip(views).enumerate() {
                    let mut sums = *parameters.row(stripe, BIASES);
                    view.iter().for_each(|&input| sums.add(parameters.row(stripe, usize::from(input))));
                    if stripe < threatened {
                        let threats = threats.iter().map(|&threat| THREAT_ROWS + usize::from(threat));
                        threats.for_each(|row| sums.add(parameters.row(stripe, row)));
                    }
                    *values = sums;
                    let weights = parameters.row(stripe, output_row(inputs.bucket, half));
                    for i in 0..STRIPE {
                        let clipped = sums.0[i].clamp(0.0, 1.0);
                        lanes.0[i] += clipped * clipped * weights.0[i];
                    }
                }
            }
        }
        let pairs = self.inputs.iter().zip(&lanes);
        self.outputs.clear();
        self.outputs.extend(pairs.map(|(inputs, &lanes)| total(lanes) + parameters.output_biases().0[inputs.bucket]));
    }

    /// Adds the gradient of a block whose outputs have been replaced by their slopes.
    fn backward(&mut self, parameters: &Parameters, gradient: &mut Parameters) {
        self.members.sort(&self.inputs, Inputs::views);
        self.threats.sort(&self.inputs, Inputs::threats);
        let threatened = threatened(parameters.hidden) / STRIPE;
        for (stripe, values) in self.values.chunks_exact_mut(BLOCK).enumerate() {
            let mut biases = *gradient.row(stripe, BIASES);
            for ((inputs, values), &slope) in self.inputs.iter().zip(&mut *values).zip(&self.outputs) {
                for (half, values) in values.iter_mut().enumerate() {
                    let row = output_row(inputs.bucket, half);
                    let weights = parameters.row(stripe, row);
                    let outputs = gradient.row_mut(stripe, row);
                    for i in 0..STRIPE {
                        let clipped = values.0[i].clamp(0.0, 1.0);
                        outputs.0[i] += slope * clipped * clipped;
                        // Where it clips, the clipped function is flat.
                        let active = if clipped == values.0[i] { 2.0 * clipped } else { 0.0 };
                        values.0[i] = slope * weights.0[i] * active;
                    }
                    biases.add(values);
                }
            }
            *gradient.row_mut(stripe, BIASES) = biases;
            let slopes = values.as_flattened();
            let threats = self.threats.iter().map(|(threat, views)| (THREAT_ROWS + threat, views));
            let threats = threats.filter(|_| stripe < threatened);
            for (input, views) in self.members.iter().chain(threats) {
                let row = gradient.row_mut(stripe, input);
                let mut sums = *row;
                views.iter().for_each(|&view| sums.add(&slopes[usize::from(view)]));
                *row = sums;
            }
        }
    }
}

/// Which views of a block have each input.
#[derive(Default)]
struct Members<const COUNT: usize> {
    /// The inputs that occur, each with the end of its part of `views`.
    ends: Vec<(usize, usize)>,
    /// Twice the position's index in the block, plus one for the opponent's view; in the order of the inputs.
    views: Vec<u16>,
}

impl<const COUNT: usize> Members<COUNT> {
    /// A counting sort of the inputs that `of` gives for each view.
    fn sort(&mut self, block: &[Inputs], of: impl Fn(&Inputs) -> [&[u16]; 2]) {
        let mut next = [0; COUNT];
        for &input in block.iter().flat_map(&of).flatten() {
            next[usize::from(input)] += 1;
        }
        self.ends.clear();
        let mut end = 0;
        for (input, next) in next.iter_mut().enumerate().filter(|(_, count)| **count > 0) {
            end += std::mem::replace(next, end);
            self.ends.push((input, end));
        }
        self.views.resize(end, 0);
        for (view, inputs) in block.iter().flat_map(&of).enumerate() {
            for &input in inputs {
                let next = &mut next[usize::from(input)];
                self.views[*next] = view as u16;
                *next += 1;
            }
        }
    }

    /// Inputs and the views that have them.
    fn iter(&self) -> impl Iterator<Item = (usize, &[u16])> {
        let mut start = 0;
        self.ends.iter().map(move |&(input, end)| (input, &self.views[std::mem::replace(&mut start, end)..end]))
    }
}

/// The sum, by halves: one after the other, every addition would wait for the previous one.
fn total(Stripe(mut sums): Stripe) -> f32 {
    let mut width = STRIPE / 2;
    while width > 0 {
        for i in 0..width {
            sums[i] += sums[i + width];
        }
        width /= 2;
    }
    sums[0]
}

#[cfg(test)]
mod tests {
    use super::*;
    use ibex::position::Position;
    use shakmaty::CastlingMode;

    /// More positions than a block has, from all phases.
    fn positions() -> Vec<ChessBoard> {
        let fens = [
            "r1bq1rk1/pp2bppp/2n1pn2/3p4/3P1B2/2NBPN2/PP3PPP/R2Q1RK1 b - - 0 1",
            "8/5k2/3p4/1p1Pp2p/pP2Pp1P/P4P1K/8/8 b - - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        ];
        let positions = fens.map(|fen| Position::from_fen(fen, CastlingMode::Standard).unwrap());
        (0..BLOCK + 9).map(|i| crate::data::tests::packed(&positions[i % 3], 35 - i as i16, (i % 3) as u8)).collect()
    }

    #[test]
    fn the_gradient_is_the_slope_of_the_loss() {
        let positions = positions();
        let target = Target { wdl: 0.3, scale: 250.0 };
        let hidden = 128;
        let mut parameters = Parameters::random(hidden, 9);
        let mut gradient = Parameters::zero(hidden);
        let mut layers = HiddenLayers::new(hidden);
        let first = layers.learn(&parameters, &positions, target, &mut gradient);
        assert!((first - layers.loss(&parameters, &positions, target)).abs() < 1e-9);

        let at = |values: &Parameters, index: usize| values.values[index / STRIPE].0[index % STRIPE];
        // The steepest of every kind: input weights, their biases, output weights, and the outputs' biases.
        let rows = (gradient.values.len() - 1) / (hidden / STRIPE);
        let kind = |index: usize| match index / STRIPE {
            stripe if stripe == gradient.values.len() - 1 => 3,
            stripe => (stripe % rows).cmp(&BIASES) as i8 + 1,
        };
        let mut indices: Vec<usize> = (0..gradient.values.len() * STRIPE).collect();
        indices.sort_by(|&a, &b| at(&gradient, b).abs().total_cmp(&at(&gradient, a).abs()));
        let steepest = |(k, count)| indices.iter().copied().filter(move |&index| kind(index) == k).take(count);
        for index in [(0, 60), (1, 40), (2, 40), (3, 3)].into_iter().flat_map(steepest) {
            let step = 4e-3;
            let old = at(&parameters, index);
            let mut loss_with = |value| {
                parameters.values[index / STRIPE].0[index % STRIPE] = value;
                layers.loss(&parameters, &positions, target)
            };
            let slope = (loss_with(old + step) - loss_with(old - step)) / f64::from(2.0 * step);
            loss_with(old);
            let claimed = f64::from(at(&gradient, index));
            assert!((slope - claimed).abs() < 0.03 * claimed.abs() + 2e-3, "{index}: {slope} and {claimed}");
        }
    }

    #[test]
    fn a_widened_network_says_the_same_and_can_learn_more() {
        let positions = positions();
        let target = Target { wdl: 0.3, scale: 250.0 };
        let narrow = Parameters::random(64, 7);
        let wide = narrow.widened(192);
        let before: Vec<f32> = positions.iter().map(|p| HiddenLayers::new(64).output(&narrow, p)).collect();
        let after: Vec<f32> = positions.iter().map(|p| HiddenLayers::new(192).output(&wide, p)).collect();
        assert_eq!(before, after);
        let mut gradient = Parameters::zero(192);
        HiddenLayers::new(192).learn(&wide, &positions, target, &mut gradient);
        assert!(gradient.row(2, output_row(7, 0)).0.iter().any(|&slope| slope != 0.0));
    }
}
