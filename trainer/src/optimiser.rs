//! AdamW: Adam with decoupled weight decay.
//!
//! Source: Loshchilov and Hutter, "Decoupled Weight Decay Regularization" (2019).

use crate::model::Stripe;

/// Running means of a gradient and of its square.
#[derive(Clone, Debug, PartialEq)]
pub struct Moments {
    /// Of the gradient.
    pub first: Vec<Stripe>,
    /// Of its square.
    pub second: Vec<Stripe>,
}

const BETA1: f32 = 0.9;
const BETA2: f32 = 0.999;
const EPSILON: f32 = 1e-8;

/// What a step needs besides the numbers that it changes.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    rate: f32,
    decay: f32,
    correction1: f32,
    correction2: f32,
}

impl Step {
    /// The step with this number, from 1.
    pub fn new(number: u64, rate: f32, decay: f32) -> Step {
        let number = number as f32;
        Step {
            rate,
            decay: 1.0 - rate * decay,
            correction1: 1.0 / (1.0 - BETA1.powf(number)),
            correction2: 1.0 / (1.0 - BETA2.powf(number)),
        }
    }

    /// Moves parameters against their gradient, keeping them within ±`limit`.
    pub fn apply(&self, values: &mut [f32], gradient: &[f32], first: &mut [f32], second: &mut [f32], limit: f32) {
        for (((value, &g), m), v) in values.iter_mut().zip(gradient).zip(first).zip(second) {
            *m = BETA1 * *m + (1.0 - BETA1) * g;
            *v = BETA2 * *v + (1.0 - BETA2) * g * g;
            let step = self.rate * (*m * self.correction1) / ((*v * self.correction2).sqrt() + EPSILON);
            *value = (*value * self.decay - step).clamp(-limit, limit);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parabola_is_descended() {
        let (mut x, mut first, mut second) = ([1.5f32], [0.0], [0.0]);
        for number in 1..=2000 {
            let gradient = [2.0 * (x[0] - 0.25)];
            Step::new(number, 0.01, 0.0).apply(&mut x, &gradient, &mut first, &mut second, 2.0);
        }
        assert!((x[0] - 0.25).abs() < 1e-2, "{}", x[0]);
    }

    #[test]
    fn weights_decay_and_stay_within_limits() {
        let (mut x, mut first, mut second) = ([1.0f32, 5.0], [0.0; 2], [0.0; 2]);
        Step::new(1, 0.1, 0.5).apply(&mut x, &[0.0, 0.0], &mut first, &mut second, 1.98);
        assert!((x[0] - 0.95).abs() < 1e-6);
        assert_eq!(x[1], 1.98);
    }
}
