//! The learning rate over the course of a training.

use clap::ValueEnum;

/// The shape of the learning rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Shape {
    /// Half a cosine from the first rate to the last.
    Cosine,
    /// The first rate, then in equal steps of a third of the training, by equal factors, to the last.
    Step,
}

/// The learning rate at `step` of `steps`, from `first` to `last`, after a short warm-up.
pub fn rate(shape: Shape, step: u64, steps: u64, first: f32, last: f32) -> f32 {
    let progress = step as f32 / steps.max(1) as f32;
    let warmth = ((step + 1) as f32 / (steps as f32 / 100.0).clamp(1.0, 200.0)).min(1.0);
    let rate = match shape {
        Shape::Cosine => last + (first - last) * 0.5 * (1.0 + (std::f32::consts::PI * progress).cos()),
        Shape::Step => first * (last / first).powf((progress * 3.0).floor().min(2.0) / 2.0),
    };
    rate * warmth
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_fall_from_first_to_last() {
        for shape in [Shape::Cosine, Shape::Step] {
            let at = |step| rate(shape, step, 10_000, 1e-3, 1e-5);
            assert!(at(0) < 1e-4, "warm-up");
            assert!((at(200) - 1e-3).abs() < 2e-6);
            assert!((at(9_999) - 1e-5).abs() < 1e-6);
            assert!((200..9_999).all(|step| at(step + 1) <= at(step) * 1.000_001));
        }
    }

    #[test]
    fn steps_are_thirds_and_half_a_cosine_is_halfway_in_the_middle() {
        let step = |at| rate(Shape::Step, at, 9_000, 1e-3, 1e-5);
        for (at, expected) in [(200, 1e-3), (2_990, 1e-3), (3_010, 1e-4), (5_990, 1e-4), (6_010, 1e-5), (8_999, 1e-5)] {
            assert!((step(at) / expected - 1.0).abs() < 1e-4, "{at}: {}", step(at));
        }
        // cos(π / 3) = 1 / 2.
        for (at, expected) in [(3_000, 7.525e-4), (4_500, 5.05e-4), (6_000, 2.575e-4)] {
            let rate = rate(Shape::Cosine, at, 9_000, 1e-3, 1e-5);
            assert!((rate - expected).abs() < 1e-6, "{at}: {rate}");
        }
    }
}
