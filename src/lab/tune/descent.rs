//! The evaluation as a function of its weights, its error, and the way down.
//!
//! Sources: Texel's tuning method (Österlund 2014), with the gradient in place of trial and error; Kingma and Ba,
//! "Adam: a method for stochastic optimization" (2015).

use std::thread;

use super::samples::{Count, Sample, Samples};
use crate::eval::classical::pair::S;
use crate::eval::classical::sums::{DANGER_LINEAR, DANGER_SQUARE};
use crate::eval::classical::weights::{COUNT, Weights};
use crate::random::split_mix;

/// Weights as real numbers: middlegame and endgame.
pub type Reals = Vec<[f64; 2]>;

/// The real numbers of weights.
pub fn reals(weights: &Weights) -> Reals {
    let mut reals = Vec::with_capacity(COUNT);
    weights.for_each(&mut |pair| reals.push([f64::from(pair.middlegame()), f64::from(pair.endgame())]));
    reals
}

/// Puts real numbers into weights, rounded.
pub fn round_into(reals: &[[f64; 2]], weights: &mut Weights) {
    let mut next = reals.iter();
    weights.change_each(&mut |pair| {
        if let Some([middlegame, endgame]) = next.next() {
            *pair = S(middlegame.round() as i32, endgame.round() as i32);
        }
    });
}

/// A value between its parts, on the way from weights to error: what the gradient needs again.
struct Value {
    danger: [[f64; 2]; 2],
    scale: f64,
    centipawns: f64,
}

fn sum(counts: &[Count], weights: &[[f64; 2]]) -> [f64; 2] {
    counts.iter().fold([0.0; 2], |[middlegame, endgame], count| {
        let [mg, eg] = weights[usize::from(count.place)];
        let times = f64::from(count.times);
        [middlegame + mg * times, endgame + eg * times]
    })
}

fn value(samples: &Samples, sample: &Sample, weights: &[[f64; 2]]) -> Value {
    let [linear, white, black] = samples.counts(sample);
    let [mut middlegame, mut endgame] = sum(linear, weights);
    let danger = [sum(white, weights), sum(black, weights)];
    for (side, sign) in danger.iter().zip([1.0, -1.0]) {
        middlegame += sign * side[0].max(0.0).powi(2) / f64::from(DANGER_SQUARE);
        endgame += sign * side[1].max(0.0) / f64::from(DANGER_LINEAR);
    }
    let scale = f64::from(sample.scale[usize::from(endgame > 0.0)]);
    let part = f64::from(sample.middlegame);
    Value { danger, scale, centipawns: middlegame * part + endgame * scale * (1.0 - part) }
}

/// The value of a sample for white.
pub fn centipawns(samples: &Samples, sample: &Sample, weights: &[[f64; 2]]) -> f64 {
    value(samples, sample, weights).centipawns
}

/// The score that a value promises: 0 to 1.
pub fn expectation(centipawns: f64, steepness: f64) -> f64 {
    1.0 / (1.0 + (-steepness * centipawns).exp())
}

/// The mean square error of the samples numbered in `chosen`, computed by `jobs` threads.
pub fn error(samples: &Samples, chosen: &[u32], weights: &[[f64; 2]], steepness: f64, jobs: usize) -> f64 {
    let parts = in_parts(chosen, jobs, |part| {
        part.iter()
            .map(|&i| {
                let sample = &samples.samples[i as usize];
                let value = value(samples, sample, weights);
                (expectation(value.centipawns, steepness) - f64::from(sample.target)).powi(2)
            })
            .sum::<f64>()
    });
    parts.iter().sum::<f64>() / chosen.len().max(1) as f64
}

/// The steepness at which these weights err least, per centipawn.
pub fn best_steepness(samples: &Samples, chosen: &[u32], weights: &[[f64; 2]], jobs: usize) -> f64 {
    let (mut low, mut high) = (0.001, 0.02);
    while high - low > 1e-5 {
        let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if error(samples, chosen, weights, a, jobs) < error(samples, chosen, weights, b, jobs) {
            high = b;
        } else {
            low = a;
        }
    }
    (low + high) / 2.0
}

/// The parts into which a batch is cut, whatever the number of threads, so that sums are the same on every machine.
const PARTS: usize = 16;

/// Works on the parts of `chosen` with up to `jobs` threads; results in order.
fn in_parts<T: Send>(chosen: &[u32], jobs: usize, work: impl Fn(&[u32]) -> T + Sync) -> Vec<T> {
    let parts: Vec<&[u32]> = chosen.chunks(chosen.len().div_ceil(PARTS).max(1)).collect();
    let share = parts.len().div_ceil(jobs.max(1)).max(1);
    let work = &work;
    thread::scope(|scope| {
        let threads: Vec<_> = parts
            .chunks(share)
            .map(|mine| scope.spawn(move || mine.iter().map(|part| work(part)).collect::<Vec<T>>()))
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap_or_else(|e| std::panic::resume_unwind(e))).collect()
    })
}

/// The gradient of the squared error, summed over the samples numbered in `part`.
pub fn gradient(samples: &Samples, part: &[u32], weights: &[[f64; 2]], steepness: f64) -> Reals {
    let mut slope = vec![[0.0; 2]; COUNT];
    for &i in part {
        let sample = &samples.samples[i as usize];
        let value = value(samples, sample, weights);
        let promised = expectation(value.centipawns, steepness);
        let outer = 2.0 * (promised - f64::from(sample.target)) * promised * (1.0 - promised) * steepness;
        let middlegame = outer * f64::from(sample.middlegame);
        let endgame = outer * value.scale * (1.0 - f64::from(sample.middlegame));
        let mut add = |counts: &[Count], middlegame: f64, endgame: f64| {
            for count in counts {
                let times = f64::from(count.times);
                let slope = &mut slope[usize::from(count.place)];
                slope[0] += middlegame * times;
                slope[1] += endgame * times;
            }
        };
        let [linear, white, black] = samples.counts(sample);
        add(linear, middlegame, endgame);
        for ((counts, side), sign) in [white, black].into_iter().zip(value.danger).zip([1.0, -1.0]) {
            let square = 2.0 * side[0].max(0.0) / f64::from(DANGER_SQUARE);
            let straight = if side[1] > 0.0 { 1.0 / f64::from(DANGER_LINEAR) } else { 0.0 };
            add(counts, sign * middlegame * square, sign * endgame * straight);
        }
    }
    slope
}

/// How to go down.
#[derive(Clone, Copy, Debug)]
pub struct Descent {
    /// Passes over the samples.
    pub epochs: u32,
    /// Samples a step.
    pub batch: usize,
    /// The first steps' length in centipawns; later ones are shorter.
    pub rate: f64,
    /// How much error a weight's distance of one centipawn from where it began is worth, squared and times samples.
    pub pull: f64,
    /// The order of the samples.
    pub seed: u64,
    /// Threads.
    pub jobs: usize,
}

impl Descent {
    /// Improves `weights` on the samples numbered in `chosen`; `watch` hears of each epoch and says whether to go on.
    pub fn run(
        &self,
        samples: &Samples,
        chosen: &mut [u32],
        weights: &mut Reals,
        steepness: f64,
        mut watch: impl FnMut(u32, &Reals) -> bool,
    ) {
        const DECAY: [f64; 2] = [0.9, 0.999];
        let origin = weights.clone();
        let (mut mean, mut square) = (vec![[0.0; 2]; COUNT], vec![[0.0; 2]; COUNT]);
        let mut random = self.seed;
        let mut step = 0;
        let steps = f64::from(self.epochs) * chosen.len().div_ceil(self.batch) as f64;
        let pull = 2.0 * self.pull / chosen.len() as f64;
        for epoch in 1..=self.epochs {
            shuffle(chosen, &mut random);
            for batch in chosen.chunks(self.batch) {
                let slopes = in_parts(batch, self.jobs, |part| gradient(samples, part, weights, steepness));
                step += 1;
                // Half a cosine: long steps first, none in the end.
                let rate = self.rate * 0.5 * (1.0 + (std::f64::consts::PI * f64::from(step) / steps).cos());
                let bias = DECAY.map(|decay| 1.0 - decay.powi(step));
                for place in 0..COUNT {
                    for half in 0..2 {
                        let slope = slopes.iter().map(|slope| slope[place][half]).sum::<f64>() / batch.len() as f64
                            + pull * (weights[place][half] - origin[place][half]);
                        let mean = &mut mean[place][half];
                        let square = &mut square[place][half];
                        *mean = DECAY[0] * *mean + (1.0 - DECAY[0]) * slope;
                        *square = DECAY[1] * *square + (1.0 - DECAY[1]) * slope * slope;
                        weights[place][half] -= rate * (*mean / bias[0]) / ((*square / bias[1]).sqrt() + 1e-9);
                    }
                }
            }
            if !watch(epoch, weights) {
                break;
            }
        }
    }
}

/// Fisher and Yates's shuffle.
pub fn shuffle(numbers: &mut [u32], random: &mut u64) {
    for i in (1..numbers.len()).rev() {
        numbers.swap(i, (split_mix(random) % (i as u64 + 1)) as usize);
    }
}
