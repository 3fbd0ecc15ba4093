//! Positions as the tuner sees them: how often each weight counts, and how the game ended.

use shakmaty::Color;

use crate::eval::classical::pair::S;
use crate::eval::classical::sums::{Term, Tracer};
use crate::eval::classical::{FULL_PHASE, Sides, VALUES, WHOLE, phase};
use crate::position::Position;

/// A weight, by its place, and how often it counts (for white, less for black, in the linear part).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    /// The place in the weights.
    pub place: u16,
    /// How often.
    pub times: i16,
}

/// One position; its counts lie in the [`Samples`].
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// Where the counts begin: first the linear ones, then those of the danger that white makes, then black's.
    start: u32,
    linear: u16,
    white: u16,
    black: u16,
    /// How much of the value is middlegame, 0 to 1.
    pub middlegame: f32,
    /// What is left of the endgame value when it is good for black, and for white, 0 to 1.
    pub scale: [f32; 2],
    /// What white scored, in the end or by the search's opinion: 0 to 1.
    pub target: f32,
}

/// Positions with their counts.
#[derive(Default)]
pub struct Samples {
    counts: Vec<Count>,
    /// The positions.
    pub samples: Vec<Sample>,
}

/// Writes the evaluation's terms down.
#[derive(Default)]
struct Ledger {
    linear: Vec<Count>,
    danger: Vec<Count>,
    attacked: bool,
}

impl Tracer for Ledger {
    const ON: bool = true;

    fn score(&mut self, _term: Term, place: usize, _weight: S, times: i32) {
        self.linear.push(Count { place: place as u16, times: times as i16 });
    }

    fn danger(&mut self, place: usize, _weight: S, times: i32) {
        self.danger.push(Count { place: place as u16, times: times as i16 });
    }

    fn danger_worth(&mut self, _worth: S) {
        self.attacked = true;
    }
}

impl Samples {
    /// Adds a position; `target` is white's score.
    pub fn add(&mut self, position: &Position, target: f32) {
        let sides = Sides::<Ledger>::new(position, &VALUES);
        let scale = [false, true].map(|white_ahead| sides.scale(white_ahead) as f32 / WHOLE as f32);
        let middlegame = phase(position.board()) as f32 / FULL_PHASE as f32;
        let [white, black] = sides.sums.map(|sums| sums.tracer);
        let start = self.counts.len();

        let signed = |count: &Count, color: Color| Count { times: color.fold_wb(count.times, -count.times), ..*count };
        self.counts.extend(white.linear.iter().map(|count| signed(count, Color::White)));
        self.counts.extend(black.linear.iter().map(|count| signed(count, Color::Black)));
        let linear = self.join(start);
        let mut dangers = [0; 2];
        for (side, number) in [&white, &black].into_iter().zip(&mut dangers) {
            if side.attacked {
                let start = self.counts.len();
                self.counts.extend(&side.danger);
                *number = self.join(start);
            }
        }
        self.samples.push(Sample {
            start: start as u32,
            linear,
            white: dangers[0],
            black: dangers[1],
            middlegame,
            scale,
            target,
        });
    }

    /// Joins the counts of the same weight from `start` on, and drops those that cancel out.
    fn join(&mut self, start: usize) -> u16 {
        self.counts[start..].sort_unstable_by_key(|count| count.place);
        let mut end = start;
        for i in start..self.counts.len() {
            let count = self.counts[i];
            if end > start && self.counts[end - 1].place == count.place {
                self.counts[end - 1].times += count.times;
            } else {
                if end > start && self.counts[end - 1].times == 0 {
                    end -= 1;
                }
                self.counts[end] = count;
                end += 1;
            }
        }
        if end > start && self.counts[end - 1].times == 0 {
            end -= 1;
        }
        self.counts.truncate(end);
        (end - start) as u16
    }

    /// The counts of a sample: linear, white's danger, black's.
    pub fn counts(&self, sample: &Sample) -> [&[Count]; 3] {
        let (linear, rest) = self.counts[sample.start as usize..].split_at(usize::from(sample.linear));
        let (white, rest) = rest.split_at(usize::from(sample.white));
        [linear, white, &rest[..usize::from(sample.black)]]
    }

    /// How many positions there are.
    pub fn len(&self) -> usize {
        self.samples.len()
    }

    /// Whether there is no position.
    pub fn is_empty(&self) -> bool {
        self.samples.is_empty()
    }
}
