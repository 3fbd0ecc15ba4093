//! Which positions of a game teach a static evaluation something: quiet ones, whose score is an opinion.

use clap::Args;
use shakmaty::{Chess, Position as _};

use super::record::Step;

/// The bounds of the filter. Positions in check and positions whose best move captures or promotes are never kept: their
/// score is about the moves to come, not about what stands on the board.
#[derive(Args, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Filter {
    /// Keep positions from this half-move on, counted from the start of the game
    #[arg(long, default_value_t = 12, value_name = "PLY")]
    pub min_ply: u32,
    /// Keep positions up to this half-move
    #[arg(long, default_value_t = 400, value_name = "PLY")]
    pub max_ply: u32,
    /// Keep positions whose score is at most this many centipawns, for either side
    #[arg(long, default_value_t = 3000, value_name = "CP")]
    pub max_score: u16,
}

impl Default for Filter {
    fn default() -> Filter {
        Filter { min_ply: 12, max_ply: 400, max_score: 3000 }
    }
}

impl Filter {
    /// Whether a position is kept, by the step taken from it and the half-moves played before it.
    pub fn keeps(&self, chess: &Chess, step: Step, ply: u32) -> bool {
        (self.min_ply..=self.max_ply).contains(&ply)
            && step.score.unsigned_abs() <= self.max_score
            && !step.chosen.is_capture()
            && !step.chosen.is_promotion()
            && !chess.is_check()
    }
}
