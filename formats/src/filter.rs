//! Which positions of a game can teach a static evaluation: quiet ones, whose score is heuristic.

use clap::Args;
use shakmaty::{Chess, Position as _};

use super::games::Step;

/// The bounds of the filter. Positions without a score are never kept, nor positions in check and those whose best move
/// captures or promotes: their score is about the moves to come, not about what stands on the board.
#[derive(Args, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Filter {
    /// Keep positions from this ply on, counted from the end of the opening
    #[arg(long, default_value_t = Filter::default().min_ply, value_name = "PLY")]
    pub min_ply: u32,
    /// Keep positions up to this ply, counted from the end of the opening
    #[arg(long, default_value_t = Filter::default().max_ply, value_name = "PLY")]
    pub max_ply: u32,
    /// Keep positions whose 50-move clock is at most this many plies; beyond that, the score reflects the clock
    #[arg(long, default_value_t = Filter::default().max_clock, value_name = "PLIES")]
    pub max_clock: u32,
    /// Keep positions whose score is at most this many centipawns, for either side
    // The only larger score of 16 bits is -32,768, whose sign cannot be changed.
    #[arg(
        long,
        default_value_t = Filter::default().max_score,
        value_name = "CP",
        value_parser = clap::value_parser!(u16).range(..=i64::from(i16::MAX))
    )]
    pub max_score: u16,
}

impl Default for Filter {
    fn default() -> Filter {
        Filter { min_ply: 0, max_ply: 400, max_clock: 60, max_score: 3000 }
    }
}

impl Filter {
    /// Whether a position is kept, given the step taken from it and the plies played since the opening.
    pub fn keeps(&self, chess: &Chess, step: Step, ply: u32) -> bool {
        (self.min_ply..=self.max_ply).contains(&ply)
            && chess.halfmoves() <= self.max_clock
            && step.is_scored()
            && step.score.unsigned_abs() <= self.max_score
            && !step.chosen.is_capture()
            && !step.chosen.is_promotion()
            && !chess.is_check()
    }
}
