//! The parameters of the search: one block for each technique. First what all steps share (evaluation, TT, move
//! ordering), then the steps of `search/node/interior.rs` in their order.
//!
//! Margins are centipawns, depths plies, reductions 1/1024 of a ply unless said otherwise. With the feature `tune`
//! every number becomes a UCI spin and is read from an atomic; without it they are constants. A depth at the end of its
//! range turns its technique off, except for aspiration windows: `docs/record/matches.md` measures techniques that way.

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

        /// Sets a tunable by name, clamped to its range; returns whether one has this name.
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
    // Material scaling: the fewer pieces there are to win with, the less a network's evaluation counts.
    /// The scale without pieces, 1/1024.
    material_base = 765 in 500..=1200, step 40;
    /// Added for each pawn's worth of material on the board, 1/1024.
    material_slope = 4 in 0..=10, step 1;

    // Bishops of opposite colours: the share of an advantage that is left, without queens and knights.
    /// The share without rooks, 1/1024.
    opposite_bishops_alone = 512 in 128..=1024, step 64;
    /// The share with rooks, 1/1024.
    opposite_bishops_rooks = 768 in 256..=1024, step 64;

    // Aspiration windows: half the width of the first window, and its growth per failure in percent.
    /// Half the width of the first aspiration window.
    aspiration_width = 14 in 4..=60, step 4;
    /// Growth of the window at each failure, percent.
    aspiration_growth = 61 in 10..=200, step 15;
    /// First iteration with an aspiration window.
    aspiration_depth = 4 in 2..=10, step 1;
    /// Half width from which on a failing window opens entirely.
    aspiration_max_width = 600 in 100..=2000, step 100;
    /// Most plies that a search is reduced by after failing high.
    aspiration_max_reduction = 3 in 0..=6, step 1;

    // Correction history: the weights of its tables, and what one search may teach.
    /// Weight of the pawn correction, 1/1024.
    correction_pawn = 1660 in 0..=3072, step 150;
    /// Weight of the piece corrections (each colour), 1/1024.
    correction_pieces = 1736 in 0..=3072, step 150;
    /// Weight of the minor piece correction, 1/1024.
    correction_minor = 956 in 0..=3072, step 150;
    /// Weight of the correction by the last two moves, 1/1024.
    correction_continuation = 778 in 0..=3072, step 150;
    /// Largest weight of one search in the running mean, 1/256: a search weighs its depth plus one.
    correction_max_weight = 16 in 1..=64, step 3;
    /// Largest error that one search may teach, in centipawns.
    correction_max_error = 152 in 32..=512, step 24;

    // Static evaluation: damped towards the draw as the 50-move clock runs.
    /// The clock at which an evaluation would be 0, in plies.
    eval_clock_damping = 228 in 101..=1000, step 20;

    // Transposition table: near the 50-move draw the path matters more than what another path has found.
    /// From this clock on, TT values cause no cutoff above quiescence, except proofs.
    tt_max_clock = 90 in 20..=101, step 8;

    /// A value stays if it is at least this much deeper than a new one of the same position.
    tt_keep = 4 in 0..=12, step 1;
    /// Added to that if the new one comes from a PV node.
    tt_keep_pv = 2 in 0..=8, step 1;
    /// Bonus for an entry of a PV node when an entry is replaced, in plies.
    tt_worth_pv = 2 in 0..=8, step 1;
    /// Malus of an entry for each search since it was stored, in plies.
    tt_worth_age = 8 in 0..=32, step 2;

    // Evaluation difference: a quiet move's bonus or malus is what it did to the static evaluation.
    /// The loss of an average move, in centipawns: a static evaluation favours the side to move.
    eval_diff_offset = 15 in -30..=80, step 5;
    /// Bonus in the history per centipawn gained.
    eval_diff_slope = 4 in 0..=40, step 2;
    /// Largest bonus or malus.
    eval_diff_max = 967 in 0..=3000, step 100;

    // Order of captures: the victim, and the history.
    /// Units of ordering score per centipawn of the victim.
    noisy_victim = 15 in 4..=64, step 4;
    /// One unit per this many points of a capture's history.
    noisy_history = 4 in 1..=32, step 1;

    // Quiet history: the weights of the tables in the sum that orders and prunes, 1/1024.
    /// Weight of butterfly history.
    history_butterfly = 843 in 0..=3072, step 100;
    /// Weight of continuation history, one ply ago.
    history_continuation_1 = 1054 in 0..=3072, step 100;
    /// Weight of continuation history, two plies ago.
    history_continuation_2 = 1049 in 0..=3072, step 100;
    /// Weight of continuation history, four plies ago.
    history_continuation_4 = 374 in 0..=3072, step 100;
    /// Weight of pawn history.
    history_pawn = 443 in 0..=3072, step 100;

    // Threats: a quiet move that escapes from a lesser piece comes earlier, one that walks into such an attack later.
    /// Bonus in units of history, per pawn's worth of the piece.
    threat_escape = 903 in 0..=3000, step 100;

    // Direct quiet checks that lose little come early.
    /// Bonus in units of history.
    check_order = 6261 in 0..=16000, step 500;
    /// The most that such a check may lose by static exchange evaluation, in centipawns.
    check_see = 88 in 0..=300, step 15;

    // Hindsight extension: after a reduced move that did better than expected, the search goes a ply deeper.
    /// Least reduction by the parent.
    hindsight_reduction = 3 in 1..=100, step 1;

    // Reverse futility: far above beta at low depth, nothing is likely to go wrong.
    /// Deepest depth.
    rfp_depth = 9 in 0..=14, step 1;
    /// Margin per ply.
    rfp_slope = 60 in 20..=160, step 8;
    /// Reduction of the margin in an improving position.
    rfp_improving = 55 in 0..=160, step 8;
    /// Least margin.
    rfp_min = 30 in 0..=100, step 8;
    /// How far the value lies from beta to the evaluation, 1/1024.
    rfp_value = 477 in 0..=1024, step 64;

    // Null move: if passing keeps us above beta, a real move will.
    /// Least depth.
    nmp_depth = 4 in 2..=100, step 1;
    /// Least reduction.
    nmp_base = 5 in 2..=6, step 1;
    /// One more ply of reduction per this many plies of depth.
    nmp_divisor = 4 in 2..=8, step 1;
    /// One more ply of reduction per this many centipawns above beta.
    nmp_eval = 167 in 80..=500, step 20;
    /// Most plies of reduction for being above beta.
    nmp_eval_max = 2 in 0..=6, step 1;
    /// How far above beta the evaluation must be at depth 0.
    nmp_eval_base = 155 in 0..=400, step 20;
    /// How much that shrinks per ply of depth.
    nmp_eval_slope = 24 in 0..=60, step 4;
    /// Least depth at which a second search verifies a cutoff.
    nmp_verify_depth = 14 in 4..=100, step 1;
    /// The plies of that search without null moves, as a share of its depth, 1/1024.
    nmp_verify_plies = 779 in 256..=2048, step 64;

    // Internal iterative reduction: without a move from the table, a ply less.
    /// Least depth.
    iir_depth = 5 in 2..=100, step 1;

    // ProbCut: a good capture that holds far above beta at reduced depth is a cut.
    /// Least depth.
    probcut_depth = 5 in 3..=100, step 1;
    /// Margin above beta.
    probcut_margin = 173 in 80..=400, step 20;
    /// Reduction in plies.
    probcut_reduction = 5 in 2..=6, step 1;

    // Late move pruning: after a number of moves, the quiet ones that are left are skipped.
    /// Moves at depth 0.
    lmp_base = 6 in 1..=250, step 1;
    /// More moves per square of the depth, 1/1024.
    lmp_slope = 1608 in 256..=4096, step 100;
    /// The share of them when the position is not improving, 1/1024.
    lmp_worsening = 541 in 128..=1024, step 50;

    // Futility: quiet moves cannot lift an evaluation this far below alpha up to it.
    /// Deepest reduced depth.
    futility_depth = 12 in -1..=14, step 1;
    /// Margin at depth 0.
    futility_base = 56 in 20..=300, step 15;
    /// Margin per ply of reduced depth.
    futility_slope = 39 in 30..=250, step 12;

    // History pruning: quiet moves that have always failed.
    /// Deepest reduced depth.
    history_pruning_depth = 6 in -1..=12, step 1;
    /// How bad the history must be, per ply of reduced depth plus one.
    history_pruning = 4446 in 1000..=9000, step 400;

    // Exchange pruning: moves that lose material.
    /// Deepest depth for quiet moves.
    see_quiet_depth = 10 in 0..=16, step 1;
    /// Deepest depth for captures.
    see_noisy_depth = 9 in 0..=16, step 1;
    /// Loss allowed per ply for quiet moves (reduced depth, squared).
    see_quiet = 14 in 5..=80, step 5;
    /// Loss allowed per ply for captures.
    see_noisy = 87 in 30..=250, step 10;
    /// One more centipawn of loss per this many points of a capture's history.
    see_noisy_history = 76 in 16..=512, step 16;

    // Singular extensions: the table's move is searched deeper when all others fail well below it.
    /// Least depth.
    singular_depth = 5 in 4..=100, step 1;
    /// Margin per ply, in sixteenths of a centipawn.
    singular_margin = 15 in 4..=64, step 4;
    /// More margin at a node that was on the PV and no longer is.
    singular_was_pv = 12 in 0..=64, step 4;
    /// How far below for a second ply.
    singular_double = 14 in 0..=80, step 5;
    /// How far below for a third ply, for a quiet move.
    singular_triple = 95 in 0..=300, step 10;
    /// How much less deep the TT value may be than the node.
    singular_tt_depth = 3 in 1..=5, step 1;
    /// The depth of the search without that move, as a share of the node's, 1/1024.
    singular_share = 560 in 256..=768, step 32;
    /// Plies less for a move that is not singular and whose TT value is beta or more.
    singular_less_high = 2 in 0..=4, step 1;
    /// Plies less for one that is not singular at an expected cut node.
    singular_less_cut = 1 in 0..=4, step 1;

    // Late-move reductions, 1/1024 ply.
    /// Least depth.
    lmr_depth = 3 in 2..=100, step 1;
    /// Reduction at the start of the curve.
    lmr_base = 619 in 0..=2048, step 60;
    /// Weight of ln(depth)·ln(moves).
    lmr_slope = 555 in 0..=900, step 30;
    /// Less in PV nodes.
    lmr_pv = 718 in 0..=2500, step 100;
    /// Less, too, for a window of a pawn or more; in proportion for a narrower one.
    lmr_window = 909 in 0..=2500, step 100;
    /// More at expected cut nodes.
    lmr_cut = 1308 in 0..=3000, step 120;
    /// More when the position is not improving.
    lmr_worsening = 707 in 0..=2000, step 100;
    /// Less at a node that is or was on the PV.
    lmr_was_pv = 1048 in 0..=2500, step 100;
    /// Less for moves that give check.
    lmr_check = 704 in 0..=2500, step 100;
    /// More when the table's move is a capture.
    lmr_noisy_best = 559 in 0..=2500, step 100;
    /// More when many moves before were refuted, in this node and in its siblings.
    lmr_cutoffs = 1042 in 0..=2500, step 100;
    /// The number of refuted moves beyond which that counts.
    lmr_min_cutoffs = 2 in 0..=8, step 1;
    /// Less for captures and promotions.
    lmr_noisy = 946 in 0..=2500, step 100;
    /// One ply per this many points of history.
    lmr_history = 8302 in 3000..=20000, step 800;
    /// More for pruning decisions when the position is not improving.
    lmr_pruning_worsening = 556 in 0..=2000, step 60;
    /// Least depth at the root.
    lmr_root_depth = 3 in 2..=100, step 1;
    /// Root moves that are never reduced.
    lmr_root_moves = 3 in 1..=20, step 1;
    /// Points of history per unit of reduction in pruning decisions.
    lmr_pruning_history = 14 in 4..=64, step 3;
    /// How far above the best value a reduced search must score for the second search to be a ply deeper.
    lmr_deeper_base = 38 in 0..=150, step 8;
    /// The same, more per ply of depth.
    lmr_deeper_slope = 1 in 0..=16, step 1;
    /// Below this distance above the best value the second search is a ply shallower.
    lmr_shallower = 1 in 0..=40, step 3;

    // A raised alpha: the moves after the one that raised it are searched a ply less deep.
    /// Depths above this.
    raised_alpha_min_depth = 2 in 1..=10, step 1;
    /// Depths below this.
    raised_alpha_max_depth = 17 in 2..=100, step 1;

    // History: gravity, bonus and malus.
    /// Bonus per ply.
    history_bonus = 181 in 50..=400, step 20;
    /// Largest bonus.
    history_bonus_max = 1808 in 500..=4000, step 150;
    /// Malus per ply.
    history_malus = 247 in 50..=500, step 20;
    /// Largest malus.
    history_malus_max = 1217 in 400..=4000, step 150;
    /// The share of the bonus for a quiet best move without a cutoff, 1/1024.
    history_best = 539 in 0..=1024, step 64;
    /// How far above beta a value must be to count like that of a search a ply deeper, in centipawns.
    history_surprise = 53 in 0..=400, step 10;
    /// The part of the move histories that is forgotten before the next search, 1/65536.
    history_ageing = 19660 in 0..=32767, step 2000;

    // Quiescence: a capture whose victim cannot lift the evaluation to alpha is skipped.
    /// Margin on top of the victim's value.
    quiescence_margin = 208 in 40..=400, step 20;

    // Recognizers, for matches of the engine against itself.
    /// Whether the search uses recognizers.
    recognizers = 1 in 0..=1, step 1;

    // Time: how a soft limit stretches and shrinks, percent.
    /// Share of the remaining time for one move in sudden death, at the beginning of a game, 1/1000.
    time_share = 26 in 15..=100, step 4;
    /// How much that share grows with each ply of the game, 1/64 of its unit.
    time_share_growth = 18 in 0..=64, step 2;
    /// The largest share, 1/1000.
    time_share_max = 50 in 20..=100, step 4;
    /// Share of the increment, percent. Moves that take less than their share leave time for more than all of it.
    time_increment = 140 in 40..=200, step 5;
    /// The hard limit in sudden death, percent of the soft one.
    time_hard = 500 in 150..=1000, step 40;
    /// The hard limit when the moves to the next control are given, percent of the soft one.
    time_hard_moves = 400 in 150..=1000, step 40;
    /// Most of the remaining time for one move, percent.
    time_most = 60 in 20..=80, step 5;
    /// The same before the last move of a control, percent.
    time_most_last = 90 in 50..=95, step 5;
    /// The soft limit's stretch when the best move has just changed, percent.
    time_unstable = 125 in 80..=250, step 10;
    /// How much that shrinks per iteration that keeps the best move, percent.
    time_stable_slope = 9 in 0..=20, step 1;
    /// The most iterations that count for that.
    time_stable_max = 7 in 1..=20, step 1;
    /// The stretch for each centipawn that the score has fallen, 1/100 percent.
    time_falling_slope = 50 in 0..=200, step 10;
    /// Weight of a fall since the previous search beside the fall within this one, percent.
    time_falling_before = 100 in 0..=200, step 10;
    /// The largest rise since the previous search that counts, in centipawns.
    time_rising_max = 60 in 0..=200, step 10;
    /// The fall beyond which nothing is added, in centipawns.
    time_falling_max = 120 in 30..=400, step 15;
    /// The least stretch for a rising score, percent.
    time_rising_min = 70 in 30..=100, step 5;
    /// The stretch if no node went to the best move, percent; its share of the nodes is subtracted.
    time_effort = 165 in 100..=300, step 10;
}

// What follows acts on play, too, but is no matter for a tuner.

// Mate searches, and the PVs of mates, in nodes and percent.
/// The first proof number of a quiet move; that of a check is the number of its replies.
pub const QUIET_PROOF_NUMBER: u32 = 7;
/// The longest mate that is looked for, in moves.
pub const MATE_SEARCH_MOST_MOVES: usize = 8;
/// The node budget of the first goal. It doubles when every goal has had its turn.
pub const MATE_SEARCH_FIRST_BUDGET: u64 = 2_000;
/// Nodes of the main search before the first mate search.
pub const MATE_SEARCH_START: u64 = 10_000;
/// The shares of a single thread's nodes, in percent: for mates by the side to move, and for mates against it.
pub const MATE_SEARCH_SHARES: [u64; 2] = [30, 15];
/// These shares after `go mate`.
pub const MATE_SEARCH_SHARES_GO_MATE: [u64; 2] = [50, 30];
/// These shares for one thread of several.
pub const MATE_SEARCH_SHARES_THREADS: [u64; 2] = [75, 20];
/// These shares in a game while no decisive score is in sight: a level position seldom hides a mate, and nodes are
/// strength.
pub const MATE_SEARCH_SHARES_GAME: [u64; 2] = [2, 1];
/// The share of the nodes beyond [`MATE_SEARCH_LATER`], in percent, while no decisive score is known.
pub const MATE_SEARCH_SHARE_LATER: u64 = 3;
/// Nodes from which on the smaller share counts.
pub const MATE_SEARCH_LATER: u64 = 1_000_000;
/// Nodes for the PV of a mate after an iteration, besides a share of the search's nodes.
pub const MATE_LINE_NODES: u64 = 20_000;
/// That share is one in this many.
pub const MATE_LINE_SHARE: u64 = 8;
/// Nodes for the PV of a mate after a search on the clock: a few milliseconds.
pub const MATE_LINE_NODES_TIMED: u64 = 3_000;
/// The same after an infinite search, which ends when the user waits for the move.
pub const MATE_LINE_NODES_STOPPED: u64 = 10_000;
/// The same after any other search.
pub const MATE_LINE_NODES_LAST: u64 = 60_000;

// The ends of searches.
/// The depth from which the only legal move is played without another iteration.
pub const ONLY_MOVE_DEPTH: i32 = 4;
/// A mate at this ply is settled by an iteration of more than twice the ply and this, in plies.
pub const MATE_SETTLED_BEYOND: usize = 4;
/// Moves are extended up to this many times the depth of the iteration, in plies from the root.
pub const EXTENSION_LIMIT: usize = 2;
/// Nodes within which the first thread completes its first iteration, whatever the clock or the user says.
pub const FIRST_ITERATION_NODES: u64 = 16_384;
/// Nodes after which the histories forget a part before the next search. Forgetting takes as long as some hundred
/// nodes.
pub const HISTORY_AGEING_NODES: u64 = 8192;
/// Centipawns that the vote adds to a result's lead over the worst one, so that the worst has a vote, too.
pub const VOTE_OFFSET: i32 = 12;

// The 50-move rule, and tablebases in the TT.
/// If a recognizer would stop claiming its win within this many plies of the root (50-move rule), the search does
/// without recognized wins.
pub const RECOGNIZER_HORIZON: u16 = 24;
/// The clock from which on results of different clocks are kept apart.
pub const CLOCK_KEY_FIRST: u16 = 24;
/// The number of clock values that share a key from there on.
pub const CLOCK_KEY_STEP: u16 = 8;
/// Depth added to a tablebase result in the TT, in plies.
pub const TB_DEPTH_BONUS: i32 = 6;
/// Plies that a tablebase's entry is worth less: its result costs one probe to get again, not a search.
pub const TB_ENTRY_DISCOUNT: i32 = 4;

// Evaluations of endings, in centipawns.
/// An advantage that will not be won is never shown as more than this; a larger one is still the better one.
pub const DRAWISH_LIMIT: i32 = 25;
/// Added where a win is only a matter of making the moves: the sum exceeds any uncertain advantage.
pub const ALMOST_WON: i32 = 300;
/// The evaluation of queen against rook without its progress. The queen nearly always wins.
pub const QUEEN_AGAINST_ROOK: i32 = 600;
