//! The conventions of one search's scores: which draws count as better, and contempt.

use shakmaty::Color;

use crate::bound::Ibv;
use crate::random;
use crate::score::{DrawRule, Score};

/// Draw rule and contempt, both relative to the root's side, constant for one search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Conventions {
    /// Which draws the root side prefers.
    pub draws: DrawRule,
    /// How much the evaluations of the root side are raised, in centipawns. Positive contempt avoids draws.
    pub contempt: i32,
}

impl Conventions {
    /// A word for the TT keys, so that scores of searches with different conventions never meet.
    ///
    /// Draws and contempt are relative to the root's colour. Neutral conventions add nothing, so every search can use
    /// their entries.
    pub fn salt(self, root: Color) -> u64 {
        if self == Conventions::default() {
            return 0;
        }
        let mut state = (self.contempt as u64) << 8 | (self.draws as u64) << 1 | root as u64;
        random::split_mix(&mut state)
    }

    /// A root value as the user sees it: evaluations without the contempt that the search added.
    pub fn without_contempt(self, value: Ibv) -> Ibv {
        let score = value.score();
        if score.is_decisive() || score.is_draw() {
            value
        } else {
            Ibv::new(Score::heuristic(score.cp() - self.contempt), value.bound())
        }
    }

    /// Contempt from the view of the side to move at `ply`.
    #[inline]
    pub fn contempt_at(self, ply: usize) -> i32 {
        if ply.is_multiple_of(2) { self.contempt } else { -self.contempt }
    }
}
