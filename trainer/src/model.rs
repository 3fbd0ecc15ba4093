//! The network's parameters in floating point, and their target.

use bulletformat::ChessBoard;
use formats::lessons;
use ibex::bound::Bound;
use ibex::eval::nnue::features::{INPUTS, KING_BUCKETS, OUTPUT_BUCKETS, PIECE_SQUARES, THREATS};
use ibex::eval::nnue::format::{MAX_THREAT_WEIGHT, QA, QB, SCALE};
use ibex::random::Random;

/// Hidden values that are processed together.
pub const STRIPE: usize = 64;
/// As many values of a row or a hidden layer, in whole cache lines.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(64))]
pub struct Stripe(pub [f32; STRIPE]);

impl Stripe {
    /// All zero.
    pub const ZERO: Stripe = Stripe([0.0; STRIPE]);

    /// Adds another one.
    #[inline(always)]
    pub fn add(&mut self, other: &Stripe) {
        for i in 0..STRIPE {
            self.0[i] += other.0[i];
        }
    }
}

/// The largest weight. With it, the sums of the engine's hidden layer fit 16 bits: the bias, 32 men, and 30 of them en
/// prise (kings never are) make at most 63 rows of 505 (1.98 times 255, rounded), together 31,815. Thirty threats of the
/// largest weight fit as well; with more, and all weights at their largest, a sum would wrap around. An output weight is
/// then at most 127, and the engine allows 128.
pub const MAX_WEIGHT: f32 = 1.98;
/// The largest weight of a threat.
const MAX_THREAT: f32 = MAX_THREAT_WEIGHT as f32 / QA as f32;

/// The first row of the threats, after those of the inputs. Only the first stripes use them.
pub const THREAT_ROWS: usize = INPUTS;
/// The first row of the factoriser, after those of the inputs: rows that all king buckets share. They learn, from all
/// positions, what is true of a piece wherever the king is. Only training has them: the engine's rows are the sums.
pub const FACTORISER: usize = THREAT_ROWS + THREATS;
/// The first row of the same for threats: what is true of an attacked man whatever attacks it.
const THREAT_FACTORISER: usize = FACTORISER + PIECE_SQUARES;
/// The row of the hidden layer's biases, after the shared rows.
pub const BIASES: usize = THREAT_FACTORISER + THREATS / ATTACKERS;
/// The kinds of men that attack, and the rows of one of them and one kind of attacked man.
const ATTACKERS: usize = 6;
const SQUARES: usize = 64;
/// Rows of a stripe: inputs, shared rows, biases, and two for each output, own view first.
pub const ROWS: usize = BIASES + 1 + 2 * OUTPUT_BUCKETS;

/// The row of weights from a view's hidden layer (0: own, 1: the opponent's) to an output.
pub fn output_row(bucket: usize, half: usize) -> usize {
    BIASES + 1 + 2 * bucket + half
}

/// The rows of a stripe's inputs, king bucket by king bucket.
fn king_buckets(rows: &mut [Stripe]) -> impl Iterator<Item = &mut [Stripe]> {
    rows[..KING_BUCKETS * PIECE_SQUARES].chunks_exact_mut(PIECE_SQUARES)
}

/// Gives the shared rows of a stripe's gradient the sum of the gradients of all king buckets.
pub fn share_gradient(rows: &mut [Stripe]) {
    let (inputs, shared) = rows.split_at_mut(FACTORISER);
    for bucket in king_buckets(inputs) {
        shared[..PIECE_SQUARES].iter_mut().zip(bucket).for_each(|(shared, row)| shared.add(row));
    }
    let shared = shared[PIECE_SQUARES..].chunks_exact_mut(SQUARES);
    for (victim, shared) in inputs[THREAT_ROWS..].chunks_exact(ATTACKERS * SQUARES).zip(shared) {
        for attacker in victim.chunks_exact(SQUARES) {
            shared.iter_mut().zip(attacker).for_each(|(shared, row)| shared.add(row));
        }
    }
}

/// The parameters, or their gradient.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// The size of the hidden layer.
    pub hidden: usize,
    /// All rows of each stripe of the hidden layer, stripe by stripe, so that a stripe's weights are adjacent; at the
    /// end one more stripe with the outputs' biases.
    pub values: Vec<Stripe>,
}

/// How scores and results become the network's target.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The share of the game's result; the rest is the score.
    pub wdl: f32,
    /// The centipawns that multiply the odds of winning by e.
    pub scale: f32,
}

impl Target {
    /// The expected result for the side to move, between 0 and 1.
    pub fn of(self, position: &ChessBoard) -> f32 {
        if lesson_bound(position).is_some() {
            return sigmoid(f32::from(position.score) / self.scale);
        }
        let result = f32::from(position.result) / 2.0;
        self.wdl * result + (1.0 - self.wdl) * sigmoid(f32::from(position.score) / self.scale)
    }

    /// How steeply the expected result rises with the output, whose unit is the engine's.
    fn steepness(self) -> f32 {
        SCALE as f32 / self.scale
    }

    /// The result that the network expects.
    fn expected(self, output: f32) -> f32 {
        sigmoid(self.steepness() * output)
    }

    /// The loss of an output for this position.
    pub fn judge(self, position: &ChessBoard, output: f32) -> Verdict {
        let expected = self.expected(output);
        let difference = expected - self.of(position);
        let difference = match lesson_bound(position) {
            Some(Bound::Lower) => difference.min(0.0),
            Some(Bound::Upper) => difference.max(0.0),
            Some(Bound::Exact) | None => difference,
        };
        let slope = 2.0 * difference * expected * (1.0 - expected) * self.steepness();
        Verdict { loss: f64::from(difference * difference), slope }
    }
}

/// The bound of a position from inside a search, for the side to move: such a position has no result, and an output
/// that satisfies the bound has no loss. `None` for a position of a game.
pub fn lesson_bound(position: &ChessBoard) -> Option<Bound> {
    lessons::bound_of(position.extra[2])
}

/// The error of an output.
#[derive(Clone, Copy, Debug)]
pub struct Verdict {
    /// The squared difference of expected results.
    pub loss: f64,
    /// How steeply the loss rises with the output.
    pub slope: f32,
}

/// The logistic function.
pub fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

impl Parameters {
    /// All zero.
    pub fn zero(hidden: usize) -> Parameters {
        assert!(hidden > 0 && hidden.is_multiple_of(STRIPE), "checked with the arguments");
        Parameters { hidden, values: vec![Stripe::ZERO; ROWS * (hidden / STRIPE) + 1] }
    }

    /// Small random weights to start with.
    pub fn random(hidden: usize, seed: u64) -> Parameters {
        let mut random = Random::new(seed);
        let mut uniform = |range: f32| (2.0 * (random.next_u64() >> 40) as f32 / (1u32 << 24) as f32 - 1.0) * range;
        let mut rows = vec![0.0; ROWS * hidden + OUTPUT_BUCKETS];
        let (inputs, rest) = rows.split_at_mut(BIASES * hidden);
        let (biases, outputs) = rest.split_at_mut(hidden);
        // At first all king buckets are alike, and threats say nothing.
        let pieces = [KING_BUCKETS * PIECE_SQUARES..INPUTS, FACTORISER..THREAT_FACTORISER];
        for rows in pieces {
            inputs[rows.start * hidden..rows.end * hidden].iter_mut().for_each(|w| *w = uniform(0.06));
        }
        biases.iter_mut().for_each(|w| *w = 0.1 + uniform(0.1));
        let range = 1.0 / (hidden as f32).sqrt();
        outputs[..2 * OUTPUT_BUCKETS * hidden].iter_mut().for_each(|w| *w = uniform(range));
        Parameters { hidden, values: by_stripes(&rows, hidden) }
    }

    /// Adds small random hidden values that no output uses yet: the network computes the same, but can learn more.
    ///
    /// They are the same for every training that widens to this size: only if trainings start alike does a hidden
    /// value come to mean the same in all of them, so that their mean makes sense.
    pub fn widened(&self, hidden: usize) -> Parameters {
        let mut wide = Parameters::random(hidden, 1);
        let old = self.values.len() - 1;
        for rows in wide.values[old..].chunks_exact_mut(ROWS) {
            rows[output_row(0, 0)..].fill(Stripe::ZERO);
        }
        wide.values[..old].copy_from_slice(&self.values[..old]);
        *wide.output_biases_mut() = *self.output_biases();
        wide
    }

    /// Moves every weight by this share of its distance to another network's: a step of a running mean.
    pub fn approach(&mut self, other: &Parameters, share: f32) {
        for (stripe, target) in self.values.iter_mut().zip(&other.values) {
            stripe.0.iter_mut().zip(target.0).for_each(|(value, target)| *value += share * (target - *value));
        }
    }

    /// The weights as the engine will have them: the shared rows added to those of every king bucket, and all rounded
    /// to multiples of its integers' units.
    pub fn rounded(&self) -> Parameters {
        let mut rounded = self.clone();
        let round = |stripes: &mut [Stripe], one: i32| {
            let one = one as f32;
            stripes.iter_mut().flat_map(|stripe| &mut stripe.0).for_each(|value| *value = (*value * one).round() / one);
        };
        let biases = rounded.values.len() - 1;
        for rows in rounded.values[..biases].chunks_exact_mut(ROWS) {
            let (inputs, shared) = rows.split_at_mut(FACTORISER);
            for bucket in king_buckets(inputs) {
                for (row, shared) in bucket.iter_mut().zip(&shared[..PIECE_SQUARES]) {
                    row.add(shared);
                    row.0.iter_mut().for_each(|weight| *weight = weight.clamp(-MAX_WEIGHT, MAX_WEIGHT));
                }
            }
            let threats = inputs[THREAT_ROWS..].chunks_exact_mut(ATTACKERS * SQUARES);
            for (victim, shared) in threats.zip(shared[PIECE_SQUARES..].chunks_exact(SQUARES)) {
                for (row, shared) in
                    victim.chunks_exact_mut(SQUARES).flat_map(|attacker| attacker.iter_mut().zip(shared))
                {
                    row.add(shared);
                    row.0.iter_mut().for_each(|weight| *weight = weight.clamp(-MAX_THREAT, MAX_THREAT));
                }
            }
            shared[..BIASES - FACTORISER].fill(Stripe::ZERO);
            let (hidden, outputs) = rows.split_at_mut(output_row(0, 0));
            round(hidden, QA);
            round(outputs, QB);
        }
        round(&mut rounded.values[biases..], QA * QB);
        rounded
    }

    /// A stripe of a row.
    #[inline(always)]
    pub fn row(&self, stripe: usize, row: usize) -> &Stripe {
        &self.values[stripe * ROWS + row]
    }

    /// The same, mutable.
    #[inline(always)]
    pub fn row_mut(&mut self, stripe: usize, row: usize) -> &mut Stripe {
        &mut self.values[stripe * ROWS + row]
    }

    /// The outputs' biases, the first of a stripe.
    pub fn output_biases(&self) -> &Stripe {
        &self.values[self.values.len() - 1]
    }

    /// The same, mutable.
    pub fn output_biases_mut(&mut self) -> &mut Stripe {
        let last = self.values.len() - 1;
        &mut self.values[last]
    }
}

/// Numbers in file order (row by row, then the outputs' biases), converted to that of [`Parameters::values`].
pub fn by_stripes(rows: &[f32], hidden: usize) -> Vec<Stripe> {
    let stripes = hidden / STRIPE;
    let (chunks, biases) = rows.as_chunks::<STRIPE>();
    let mut last = Stripe::ZERO;
    last.0[..biases.len()].copy_from_slice(biases);
    let chunks = (0..stripes).flat_map(|stripe| (0..ROWS).map(move |row| Stripe(chunks[row * stripes + stripe])));
    chunks.chain([last]).collect()
}

/// The inverse.
pub fn by_rows(values: &[Stripe], hidden: usize) -> Vec<f32> {
    let stripes = hidden / STRIPE;
    let rows = (0..ROWS).flat_map(|row| (0..stripes).map(move |stripe| &values[stripe * ROWS + row]));
    let biases = values[values.len() - 1].0.iter().take(OUTPUT_BUCKETS);
    rows.flat_map(|stripe| &stripe.0).chain(biases).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_weights_count_in_every_king_bucket() {
        let mut parameters = Parameters::random(64, 4);
        *parameters.row_mut(0, FACTORISER + 9) = Stripe([10.2 / QA as f32; STRIPE]);
        for bucket in 0..KING_BUCKETS {
            *parameters.row_mut(0, bucket * PIECE_SQUARES + 9) = Stripe([bucket as f32 / QA as f32; STRIPE]);
        }
        *parameters.row_mut(0, FACTORISER + 7) = Stripe([MAX_WEIGHT; STRIPE]);
        *parameters.row_mut(0, 7) = Stripe([MAX_WEIGHT; STRIPE]);
        let rounded = parameters.rounded();
        for bucket in 0..KING_BUCKETS {
            assert_eq!(rounded.row(0, bucket * PIECE_SQUARES + 9).0[3], (bucket as f32 + 10.0) / QA as f32);
        }
        assert!(rounded.row(0, 7).0[3] * QA as f32 <= MAX_WEIGHT * QA as f32 + 0.5);
        assert_eq!(*rounded.row(0, FACTORISER + 9), Stripe::ZERO);

        let mut gradient = Parameters::zero(64);
        for bucket in 0..KING_BUCKETS {
            *gradient.row_mut(0, bucket * PIECE_SQUARES + 9) = Stripe([bucket as f32; STRIPE]);
        }
        share_gradient(&mut gradient.values[..ROWS]);
        assert_eq!(gradient.row(0, FACTORISER + 9).0[3], 28.0);
        assert_eq!(*gradient.row(0, FACTORISER + 8), Stripe::ZERO);
    }

    #[test]
    fn parameters_keep_their_places_in_files() {
        let parameters = Parameters::random(192, 4);
        let rows = by_rows(&parameters.values, 192);
        assert_eq!(rows[5 * 192 + 70], parameters.row(1, 5).0[6]);
        assert_eq!(rows[rows.len() - OUTPUT_BUCKETS..], parameters.output_biases().0[..OUTPUT_BUCKETS]);
        assert_eq!(by_stripes(&rows, 192), parameters.values);
    }
}
