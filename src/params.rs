//! The search's numbers, each once: one block a technique, in the order of the steps in `search/node.rs`.
//!
//! Margins are centipawns, depths plies, reductions 1/1024 of a ply unless said otherwise. With the feature `tune`
//! every number becomes a UCI spin and is read from an atomic; without it they are constants. A depth at the end of its
//! range turns its technique off: that is how `MATCHES.md` knows what each is worth.

/// Declares tunables: `NAME: default, min, max, step; "meaning"`.
macro_rules! tunables {
    ($($(#[doc = $doc:literal])* $name:ident = $value:literal in $min:literal..=$max:literal, step $step:literal;)*) => {
        #[cfg(not(feature = "tune"))]
        mod values {
            $($(#[doc = $doc])* #[inline(always)] pub const fn $name() -> i32 { $value })*
        }

        #[cfg(feature = "tune")]
        mod values {
            use std::sync::atomic::{AtomicI32, Ordering};
            $(
                $(#[doc = $doc])*
                pub fn $name() -> i32 { cells::$name.load(Ordering::Relaxed) }
            )*
            #[allow(non_upper_case_globals)]
            pub(super) mod cells {
                use super::AtomicI32;
                $(pub static $name: AtomicI32 = AtomicI32::new($value);)*
            }
        }

        pub use values::*;

        /// All tunables, in order.
        pub const ALL: &[Tunable] = &[$(Tunable {
            name: stringify!($name), default: $value, min: $min, max: $max, step: $step,
        },)*];

        /// Sets a tunable by name, clamped to its range; says whether there is one of this name.
        #[cfg(feature = "tune")]
        pub fn set(name: &str, value: i32) -> bool {
            match name {
                $(stringify!($name) => {
                    values::cells::$name.store(value.clamp($min, $max), std::sync::atomic::Ordering::Relaxed);
                    true
                })*
                _ => false,
            }
        }
    };
}

/// A tunable number with its range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tunable {
    /// Its name, as a UCI option under the feature `tune`.
    pub name: &'static str,
    /// The value that ships.
    pub default: i32,
    /// The smallest value that makes sense.
    pub min: i32,
    /// The largest value that makes sense.
    pub max: i32,
    /// The step with which a tuner should start.
    pub step: i32,
}

tunables! {
    // Material: what a network says counts less the fewer pieces there are to win with.
    /// What is left of it without pieces, 1/1024.
    material_base = 765 in 500..=1200, step 40;
    /// What each pawn's worth of material on the board adds, 1/1024.
    material_slope = 4 in 0..=10, step 1;

    // Aspiration windows: half the width of the first window, and its growth per failure in percent.
    /// Half the width of the first aspiration window.
    aspiration_width = 21 in 4..=60, step 4;
    /// Growth of the window at each failure, percent.
    aspiration_growth = 60 in 10..=200, step 15;

    // Correction history: the largest correction, as a share of the stored sum.
    /// Weight of the pawn correction, 1/1024.
    correction_pawn = 1349 in 0..=3072, step 150;
    /// Weight of the piece corrections (each colour), 1/1024.
    correction_pieces = 1317 in 0..=3072, step 150;
    /// Weight of the minor piece correction, 1/1024.
    correction_minor = 909 in 0..=3072, step 150;
    /// Weight of the correction by the last two moves, 1/1024.
    correction_continuation = 705 in 0..=3072, step 150;

    // Opinion: a quiet move is judged by what it has made of the static evaluation.
    /// Centipawns that a move may lose and still be no worse than others: who moves is a little better off.
    eval_diff_offset = 15 in -30..=80, step 5;
    /// Bonus in the history per centipawn gained.
    eval_diff_slope = 4 in 0..=40, step 2;
    /// Largest bonus or malus.
    eval_diff_max = 845 in 0..=3000, step 100;

    // Escape: a quiet move of a piece that a lesser one attacks comes earlier, one to where a lesser one takes it later.
    /// How much in the histories' units, for a pawn's worth of the piece.
    threat_escape = 845 in 0..=3000, step 100;

    // Checks: a quiet one that loses little comes early.
    /// How much in the histories' units.
    check_order = 6483 in 0..=16000, step 500;

    // Hindsight: a reduction that the evaluation after the move does not bear out is taken back.
    /// Least reduction by the parent.
    hindsight_reduction = 3 in 1..=100, step 1;

    // Razoring: far below alpha at low depth, only captures can help.
    /// Deepest depth.
    razor_depth = 4 in 0..=8, step 1;
    /// Margin at depth 0.
    razor_base = 195 in 50..=600, step 30;
    /// Margin per depth squared.
    razor_slope = 185 in 50..=500, step 25;

    // Reverse futility: far above beta at low depth, nothing is likely to go wrong.
    /// Deepest depth.
    rfp_depth = 9 in 0..=14, step 1;
    /// Margin per ply.
    rfp_slope = 58 in 20..=160, step 8;
    /// What an improving position takes off the margin.
    rfp_improving = 52 in 0..=160, step 8;

    // Null move: if passing keeps us above beta, a real move will.
    /// Least depth.
    nmp_depth = 3 in 2..=100, step 1;
    /// Reduction at least.
    nmp_base = 4 in 2..=6, step 1;
    /// One more ply of reduction per so many plies of depth.
    nmp_divisor = 4 in 2..=8, step 1;
    /// One more ply of reduction per so many centipawns above beta.
    nmp_eval = 191 in 80..=500, step 20;

    // Internal iterative reduction: without a move from the table, a ply less.
    /// Least depth.
    iir_depth = 4 in 2..=100, step 1;

    // ProbCut: a good capture that holds far above beta at reduced depth is a cut.
    /// Least depth.
    probcut_depth = 5 in 3..=100, step 1;
    /// Margin above beta.
    probcut_margin = 165 in 80..=400, step 20;

    // Late-move pruning: after so many quiet moves at low depth, the rest is skipped.
    /// Moves at depth 0.
    lmp_base = 6 in 1..=250, step 1;

    // Futility: quiet moves cannot raise an evaluation that far below alpha.
    /// Deepest reduced depth.
    futility_depth = 8 in 0..=14, step 1;
    /// Margin at depth 0.
    futility_base = 71 in 20..=300, step 15;
    /// Margin per ply of reduced depth.
    futility_slope = 86 in 30..=250, step 12;

    // History pruning: quiet moves that have always failed.
    /// Deepest reduced depth.
    history_pruning_depth = 5 in 0..=12, step 1;
    /// Least history per ply of reduced depth.
    history_pruning = 4884 in 1000..=9000, step 400;

    // Exchange pruning: moves that lose material.
    /// Deepest depth for quiet moves.
    see_quiet_depth = 10 in 0..=16, step 1;
    /// Deepest depth for captures.
    see_noisy_depth = 8 in 0..=16, step 1;
    /// Loss allowed per ply for quiet moves (reduced depth, squared).
    see_quiet = 23 in 5..=80, step 5;
    /// Loss allowed per ply for captures.
    see_noisy = 93 in 30..=250, step 10;

    // Singular extensions: the table's move is searched deeper when all others fail well below it.
    /// Least depth.
    singular_depth = 6 in 4..=100, step 1;
    /// Margin per ply, in sixteenths of a centipawn.
    singular_margin = 24 in 4..=64, step 4;
    /// How far below for a second ply.
    singular_double = 17 in 0..=80, step 5;

    // Late-move reductions, 1/1024 ply.
    /// Reduction at the start of the curve.
    lmr_base = 572 in 0..=2048, step 60;
    /// Weight of ln(depth)·ln(moves).
    lmr_slope = 557 in 0..=900, step 30;
    /// Less in PV nodes.
    lmr_pv = 916 in 0..=2500, step 100;
    /// More at expected cut nodes.
    lmr_cut = 926 in 0..=3000, step 120;
    /// More when the position is not improving.
    lmr_worsening = 713 in 0..=2000, step 100;
    /// Less where a PV has been.
    lmr_was_pv = 756 in 0..=2500, step 100;
    /// Less for moves that give check.
    lmr_check = 678 in 0..=2500, step 100;
    /// More when the table's move is a capture.
    lmr_noisy_best = 615 in 0..=2500, step 100;
    /// More when the replies to the moves before were refuted often.
    lmr_cutoffs = 1136 in 0..=2500, step 100;
    /// One ply per so much history.
    lmr_history = 7397 in 3000..=20000, step 800;

    // History: gravity, bonus and malus.
    /// Bonus per ply.
    history_bonus = 141 in 50..=400, step 20;
    /// Largest bonus.
    history_bonus_max = 1805 in 500..=4000, step 150;
    /// Malus per ply.
    history_malus = 225 in 50..=500, step 20;
    /// Largest malus.
    history_malus_max = 1238 in 400..=4000, step 150;

    // Quiescence: a capture whose victim cannot lift the evaluation to alpha is skipped.
    /// Margin on top of the victim's value.
    quiescence_margin = 175 in 40..=400, step 20;

    // Recognizers, for matches of the engine against itself: 0 asks none.
    /// Whether recognizers are asked.
    recognizers = 1 in 0..=1, step 1;

    // Time: how a soft limit stretches and shrinks, percent.
    /// Share of the remaining time for one move in sudden death, 1/1000.
    time_share = 34 in 15..=100, step 4;
    /// Share of the increment, percent.
    time_increment = 75 in 40..=100, step 5;
}
