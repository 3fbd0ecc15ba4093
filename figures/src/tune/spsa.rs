//! Simultaneous perturbation stochastic approximation, in the form of OpenBench.
//!
//! Each iteration plays the numbers a step above their values against the numbers a step below, with a random direction
//! for each, and moves all of them towards the side that scored more. Steps and learning rate shrink from iteration to
//! iteration.
//!
//! Source: James C. Spall, "An Overview of the Simultaneous Perturbation Method for Efficient Optimization" (1998).

use ibex::random::Random;

/// How steps shrink.
const GAMMA: f64 = 0.101;
/// How learning rates shrink.
const ALPHA: f64 = 0.602;
/// The iterations by which learning begins later, as a share of all.
const STABILITY: f64 = 0.1;

/// A number that is tuned.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    pub name: String,
    pub min: i32,
    pub max: i32,
    /// The step in the last iteration.
    pub step: f64,
    /// The learning rate in the last iteration.
    pub rate: f64,
    /// Where the tuning began.
    pub start: i32,
    pub value: f64,
}

impl Parameter {
    /// The integer that ships.
    pub fn rounded(&self) -> i32 {
        (self.value.round() as i32).clamp(self.min, self.max)
    }

    /// How far the value has moved, in steps.
    pub fn moved(&self) -> f64 {
        (self.value - f64::from(self.start)) / self.step
    }
}

/// One iteration: the numbers of both sides, in the order of the parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    pub plus: Vec<i32>,
    pub minus: Vec<i32>,
    /// The direction of each number: 1 or -1.
    signs: Vec<f64>,
}

impl Trial {
    /// Draws iteration `number`, from 1, of `all`. Numbers between two integers are rounded up or down by chance, so
    /// that small steps count, too.
    pub fn draw(parameters: &[Parameter], number: u64, all: u64, random: &mut Random) -> Trial {
        let signs: Vec<f64> = parameters.iter().map(|_| if random.happens(0.5) { 1.0 } else { -1.0 }).collect();
        let mut side = |direction: f64| {
            let shifted = parameters.iter().zip(&signs).map(|(parameter, sign)| {
                let value = parameter.value + direction * sign * step(parameter, number, all);
                let rounded = (value + random.share()).floor() as i32;
                rounded.clamp(parameter.min, parameter.max)
            });
            shifted.collect()
        };
        let (plus, minus) = (side(1.0), side(-1.0));
        Trial { plus, minus, signs }
    }

    /// Moves the numbers after iteration `number` of `all`, in which the first side won `lead` games more than it lost.
    pub fn learn(&self, parameters: &mut [Parameter], number: u64, all: u64, lead: i32) {
        for (parameter, sign) in parameters.iter_mut().zip(&self.signs) {
            let step = step(parameter, number, all);
            let change = rate(parameter, number, all) * step * f64::from(lead) * sign;
            parameter.value = (parameter.value + change).clamp(parameter.min.into(), parameter.max.into());
        }
    }
}

/// The step in iteration `number` of `all`.
fn step(parameter: &Parameter, number: u64, all: u64) -> f64 {
    parameter.step * (all as f64 / number as f64).powf(GAMMA)
}

/// The learning rate in iteration `number` of `all`, as a share of the step for each game of lead.
fn rate(parameter: &Parameter, number: u64, all: u64) -> f64 {
    let late = STABILITY * all as f64;
    let gain = parameter.rate * parameter.step.powi(2) * ((late + all as f64) / (late + number as f64)).powf(ALPHA);
    gain / step(parameter, number, all).powi(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameter(name: &str, start: i32, (min, max): (i32, i32), step: f64) -> Parameter {
        Parameter { name: name.to_owned(), min, max, step, rate: 0.002, start, value: start.into() }
    }

    /// The target in place of games: Elo falls with the square of the distance from the optimum, in steps.
    fn elo(parameters: &[Parameter], values: &[i32], optimum: &[f64]) -> f64 {
        let distances = parameters.iter().zip(values).zip(optimum);
        distances.map(|((parameter, &value), best)| -2.0 * ((f64::from(value) - best) / parameter.step).powi(2)).sum()
    }

    #[test]
    fn the_optimum_of_a_quadratic_function_is_found_through_the_noise_of_games() {
        let mut parameters = vec![
            parameter("a", 100, (0, 200), 10.0),
            parameter("b", 50, (0, 100), 4.0),
            parameter("c", 7, (0, 40), 1.0),
        ];
        let optimum = [140.0, 38.0, 12.0];
        let (all, pairs) = (5000, 8);
        for number in 1..=all {
            let mut random = Random::of_part(1, number);
            let trial = Trial::draw(&parameters, number, all, &mut random);
            let difference = elo(&parameters, &trial.plus, &optimum) - elo(&parameters, &trial.minus, &optimum);
            let expected = 1.0 / (1.0 + 10f64.powf(-difference / 400.0));
            // Half of the games are drawn.
            let lead = (0..2 * pairs).map(|_| match random.share() {
                share if share < expected - 0.25 => 1,
                share if share < expected + 0.25 => 0,
                _ => -1,
            });
            let lead = lead.sum();
            trial.learn(&mut parameters, number, all, lead);
        }
        for (parameter, best) in parameters.iter().zip(optimum) {
            let off = (parameter.value - best).abs() / parameter.step;
            assert!(off < 1.0, "{} is {:.1}, {off:.1} steps from {best}", parameter.name, parameter.value);
        }
    }

    #[test]
    fn values_and_trials_stay_within_their_ranges() {
        let mut parameters = vec![parameter("low", 0, (0, 10), 3.0), parameter("high", 10, (0, 10), 3.0)];
        for number in 1..=200 {
            let trial = Trial::draw(&parameters, number, 200, &mut Random::of_part(2, number));
            assert!(trial.plus.iter().chain(&trial.minus).all(|value| (0..=10).contains(value)), "{trial:?}");
            trial.learn(&mut parameters, number, 200, if number % 2 == 0 { 100 } else { -100 });
            assert!(parameters.iter().all(|parameter| (0.0..=10.0).contains(&parameter.value)), "{parameters:?}");
        }
    }

    /// The constants of the last iteration are those of the parameter, and a lead of both sides moves nothing.
    #[test]
    fn the_last_iteration_has_the_steps_that_were_asked_for() {
        let mut parameters = vec![parameter("a", 50, (0, 100), 8.0)];
        assert!((step(&parameters[0], 1000, 1000) - 8.0).abs() < 1e-12);
        assert!((rate(&parameters[0], 1000, 1000) - 0.002).abs() < 1e-12);
        assert!(step(&parameters[0], 1, 1000) > 8.0);
        let trial = Trial::draw(&parameters, 1, 1000, &mut Random::new(3));
        assert_eq!(trial, Trial::draw(&parameters, 1, 1000, &mut Random::new(3)), "the seed decides");
        assert!((trial.plus[0] - trial.minus[0]).abs() >= 16, "{trial:?}");
        trial.learn(&mut parameters, 1, 1000, 0);
        assert_eq!(parameters[0].value, 50.0);
        trial.learn(&mut parameters, 1, 1000, 3);
        assert_eq!((parameters[0].value - 50.0).signum(), trial.signs[0], "towards the side that won");
    }
}
