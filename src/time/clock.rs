//! When to stop: a soft limit beyond which no iteration starts, and a hard limit that only a first iteration and the
//! rest of a mate's line may pass.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use shakmaty::Color;

use super::Limits;
use crate::params;

/// The clock of one search.
///
/// The hard limit counts from the start of the search or, when it began on the opponent's time, from `ponderhit`; the
/// soft one always counts from the start, because thinking on the opponent's time need not be repeated. Time can be
/// measured in nodes instead, so that a game does not depend on the machine's load.
#[derive(Debug)]
pub struct Clock {
    start: Instant,
    /// Nodes per millisecond, if `nodestime` is set.
    nodestime: Option<u64>,
    /// Nodes of the search, as last noted.
    nodes: AtomicU64,
    /// Nanoseconds from `start` to the moment when our own time began.
    own_time_from: AtomicU64,
    /// Whether enough has been thought, on the opponent's time, for the move to be played as soon as it is our turn.
    enough: AtomicBool,
    soft: Option<Duration>,
    hard: Option<Duration>,
}

/// The least time that a search gets, whatever the clock says.
const LEAST: Duration = Duration::from_millis(1);

/// A longer time on the clock makes no difference, and products of more could not be represented. It is more than three
/// years.
const MOST: Duration = Duration::from_secs(100_000_000);

/// The overhead of this many moves stays in reserve, however few are to be made: if the increment is less than the
/// overhead, or a control ends, the clock runs down to that reserve, and a busy or virtual machine may stop a process
/// for much longer than the overhead (50 milliseconds have been seen about once a minute).
const RESERVE_MOVES: u32 = 5;

/// The overhead of no more moves than this stays in reserve. A long control with a large overhead would otherwise be
/// all reserve.
const MOST_RESERVE_MOVES: u32 = 40;

/// A control of more moves is shared out among this many: the game seldom lasts until the others.
const MOST_SHARES: u32 = 50;

/// The share of a game grows until this ply. It has long been the largest then, and a product with a greater ply might
/// not fit.
const LATEST_PLY: u32 = 1000;

/// The parts of the time that `time_share` and `time_share_max` count.
const SHARE_PARTS: u32 = 1000;

/// The parts of such a part that `time_share_growth` counts.
const GROWTH_PARTS: u32 = 64;

impl Clock {
    /// Allots time within `limits` to the side to move at `ply` of the game; `overhead` is what the GUI and the
    /// connection cost per move.
    pub fn new(limits: &Limits, turn: Color, ply: u32, overhead: Duration, start: Instant) -> Clock {
        let Allotment { soft, hard } = allot(limits, turn, ply, overhead);
        let (nodes, own_time_from, enough) = (AtomicU64::new(0), AtomicU64::new(0), AtomicBool::new(false));
        Clock { start, nodestime: None, nodes, own_time_from, enough, soft, hard }
    }

    /// The same clock, counting `nodes_per_millisecond` instead of time; 0 is time.
    #[must_use]
    pub fn with_nodestime(self, nodes_per_millisecond: u64) -> Clock {
        Clock { nodestime: Some(nodes_per_millisecond).filter(|&nodestime| nodestime > 0), ..self }
    }

    /// Our own time begins now.
    pub fn ponderhit(&self) {
        let since = u64::try_from(self.since_start().as_nanos()).unwrap_or(u64::MAX);
        self.own_time_from.store(since, Ordering::Relaxed);
    }

    /// Time since the start of the search.
    fn since_start(&self) -> Duration {
        match self.nodestime {
            None => self.start.elapsed(),
            Some(nodestime) => {
                let nodes = self.nodes.load(Ordering::Relaxed);
                let rest = u128::from(nodes % nodestime) * 1_000_000 / u128::from(nodestime);
                // Less than a millisecond.
                Duration::from_millis(nodes / nodestime) + Duration::from_nanos(rest as u64)
            }
        }
    }

    /// Records how many nodes the search has: if nodes stand for time, they move the clock.
    pub fn note_nodes(&self, nodes: u64) {
        self.nodes.store(nodes, Ordering::Relaxed);
    }

    /// The time that this move has cost us: since the start, or since `ponderhit`.
    fn own_time(&self) -> Duration {
        self.since_start().saturating_sub(Duration::from_nanos(self.own_time_from.load(Ordering::Relaxed)))
    }

    /// Records, on the opponent's time, whether the search would have ended on ours.
    pub fn set_enough(&self, enough: bool) {
        self.enough.store(enough, Ordering::Relaxed);
    }

    /// Whether our own time has passed the hard limit.
    fn has_passed_hard_limit(&self) -> bool {
        self.hard.is_some_and(|hard| self.own_time() >= hard)
    }

    /// Whether the search must end at once if it is our turn: the hard limit has passed, or enough was thought on the
    /// opponent's time.
    pub fn is_move_due(&self) -> bool {
        self.has_passed_hard_limit() || self.enough.load(Ordering::Relaxed)
    }

    /// Whether the hard limit has passed. Any thread may call this: it is false if nodes are the clock, because only
    /// the first thread records them.
    pub fn is_time_up(&self) -> bool {
        self.nodestime.is_none() && self.has_passed_hard_limit()
    }

    /// Whether the search should begin no further iteration, with the soft limit stretched to `percent` of itself,
    /// but not beyond the hard one, which does not count on the opponent's time.
    pub fn is_soft_limit_reached(&self, percent: u32, pondering: bool) -> bool {
        let Some(soft) = self.soft else { return false };
        self.since_start() >= soft * percent / 100 || !pondering && self.has_passed_hard_limit()
    }

    /// Whether the clock decides how long to think (and easy moves should save time).
    pub fn is_managed(&self) -> bool {
        self.soft.is_some()
    }
}

/// The limits of one move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Allotment {
    /// No iteration starts beyond it; `None` if the clock does not decide how long to think.
    soft: Option<Duration>,
    /// The search ends here.
    hard: Option<Duration>,
}

/// Allots time within `limits` to a move at `ply` of the game.
fn allot(limits: &Limits, turn: Color, ply: u32, overhead: Duration) -> Allotment {
    let fixed = limits.movetime.map(|time| time.saturating_sub(overhead).max(LEAST));
    let Some(remaining) = limits.clock[turn].filter(|_| !limits.infinite) else {
        return Allotment { soft: None, hard: fixed };
    };
    // A caller may say "no limit" with the longest time that there is.
    let [remaining, increment, overhead] = [remaining, limits.increment[turn], overhead].map(|time| time.min(MOST));
    let time = TimeLeft { remaining, increment, overhead };
    let share = match limits.moves_to_go {
        Some(moves @ 1..) => time.share_of_control(moves),
        _ => time.share_of_game(ply),
    };
    // The increment is not ours until the move is made: nothing goes beyond what the clock shows now.
    let hard = share.hard.min(time.usable());
    let hard = fixed.map_or(hard, |fixed| fixed.min(hard));
    Allotment { soft: Some(share.soft.min(hard)), hard: Some(hard.max(LEAST)) }
}

/// The clock of the side to move, with the increment and the overhead of each move.
#[derive(Clone, Copy)]
struct TimeLeft {
    remaining: Duration,
    increment: Duration,
    overhead: Duration,
}

/// The limits of one move by its share of the time that is left.
struct Share {
    soft: Duration,
    hard: Duration,
}

impl TimeLeft {
    /// The share of a move if the time is for `moves` moves, at least one: an even share.
    fn share_of_control(self, moves: u32) -> Share {
        let pool = self.pool((moves - 1).clamp(RESERVE_MOVES, MOST_RESERVE_MOVES));
        let soft = pool / moves.min(MOST_SHARES) + self.increment_share();
        let most = if moves == 1 { params::time_most_last() } else { params::time_most() };
        Share { soft, hard: percent(soft, params::time_hard_moves()).min(percent(pool, most)) }
    }

    /// The share of a move at `ply` if the time is for the rest of the game.
    fn share_of_game(self, ply: u32) -> Share {
        let pool = self.pool(RESERVE_MOVES);
        // Later moves decide more, and fewer are to come.
        let growth = ply.min(LATEST_PLY) * params::time_share_growth() as u32 / GROWTH_PARTS;
        let share = (params::time_share() as u32 + growth).min(params::time_share_max() as u32);
        let soft = pool * share / SHARE_PARTS + self.increment_share();
        Share { soft, hard: percent(soft, params::time_hard()).min(percent(pool, params::time_most())) }
    }

    /// The most that this move may take.
    fn usable(self) -> Duration {
        self.remaining.saturating_sub(self.overhead)
    }

    /// The time that this move and later ones share, with the overhead of `reserve_moves` moves in reserve.
    ///
    /// With an empty pool the soft limit is 0 and a move takes one iteration: less than any increment, so the pool
    /// fills again.
    fn pool(self, reserve_moves: u32) -> Duration {
        self.usable().saturating_sub(self.overhead * reserve_moves)
    }

    /// This move's part of the increment.
    fn increment_share(self) -> Duration {
        percent(self.increment, params::time_increment())
    }
}

/// This many percent of a time.
fn percent(time: Duration, percent: i32) -> Duration {
    time * percent as u32 / 100
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use shakmaty::ByColor;

    proptest! {
        /// Whatever the clock, the increment and the moves to go: never more than is there, never nothing.
        #[test]
        fn a_move_never_takes_more_than_the_clock(
            time in 0u64..100_000_000,
            increment in 0u64..100_000_000,
            moves in prop::option::of(0u32..1000),
            ply in 0u32..20_000,
            overhead in 0u64..5000,
        ) {
            let time = Duration::from_millis(time);
            let limits = Limits {
                clock: ByColor { white: Some(time), black: None },
                increment: ByColor { white: Duration::from_millis(increment), black: Duration::ZERO },
                moves_to_go: moves,
                ..Limits::default()
            };
            let overhead = Duration::from_millis(overhead);
            let Allotment { soft, hard } = allot(&limits, Color::White, ply, overhead);
            let (soft, hard) = (soft.expect("managed"), hard.expect("managed"));
            prop_assert!(soft <= hard);
            prop_assert!(hard >= LEAST);
            prop_assert!(hard <= time.saturating_sub(overhead).max(LEAST));
            let unlimited = Allotment { soft: None, hard: None };
            prop_assert_eq!(allot(&limits, Color::Black, ply, overhead), unlimited);
        }
    }

    proptest! {
        /// However much the soft limit is stretched, the search ends by the hard one; with a fixed time beside the
        /// clock, before or after the opponent's move.
        #[test]
        fn no_stretch_goes_beyond_the_hard_limit(
            time in prop::option::of(0u64..1_000_000),
            movetime in prop::option::of(0u64..1_000_000),
            increment in 0u64..100_000,
            moves in prop::option::of(0u32..100),
            overhead in 0u64..5000,
            percent in 0u32..2000,
            pondered in 0u64..1_000_000,
        ) {
            let ms = Duration::from_millis;
            let limits = Limits {
                clock: ByColor { white: time.map(ms), black: None },
                increment: ByColor { white: ms(increment), black: Duration::ZERO },
                moves_to_go: moves,
                movetime: movetime.map(ms),
                ..Limits::default()
            };
            // A node is a millisecond here, so that the test decides what time it is.
            let clock = Clock::new(&limits, Color::White, 0, ms(overhead), Instant::now()).with_nodestime(1);
            clock.note_nodes(pondered);
            clock.ponderhit();
            let pass = |time: Duration| clock.note_nodes(pondered + time.as_millis() as u64 + 1);
            if let Some(time) = time {
                let most = ms(time).saturating_sub(ms(overhead)).max(LEAST);
                pass(most);
                prop_assert!(clock.is_move_due());
                prop_assert!(clock.is_soft_limit_reached(percent, false));
            }
            if let Some(movetime) = movetime {
                pass(ms(movetime).saturating_sub(ms(overhead)).max(LEAST));
                prop_assert!(clock.is_move_due());
            }
            if (time, movetime) == (None, None) {
                clock.note_nodes(u64::MAX / 2);
                prop_assert!(!clock.is_move_due());
            }
        }
    }

    #[test]
    fn nodes_may_stand_for_time() {
        let ms = Duration::from_millis;
        let clock = || Clock::new(&Limits::movetime(ms(100)), Color::White, 0, Duration::ZERO, Instant::now());
        let nodes = clock().with_nodestime(500);
        nodes.note_nodes(250);
        assert_eq!(nodes.own_time(), Duration::from_micros(500));
        let is_over = |clock: &Clock, nodes| {
            clock.note_nodes(nodes);
            clock.is_move_due()
        };
        assert!(!is_over(&nodes, 49_999) && is_over(&nodes, 50_000));
        assert!(!is_over(&clock().with_nodestime(0), u64::MAX), "time itself has hardly begun");
        // What was searched on the opponent's time is free.
        let pondered = clock().with_nodestime(500);
        assert!(is_over(&pondered, 60_000));
        pondered.ponderhit();
        pondered.note_nodes(61_000);
        assert_eq!(pondered.own_time(), ms(2));
        assert!(!is_over(&pondered, 109_999) && is_over(&pondered, 110_000));
    }

    /// The crate's callers may take any number: half of what stands for a millisecond is half a millisecond.
    #[test]
    fn any_number_of_nodes_may_stand_for_a_millisecond() {
        let clock = Clock::new(&Limits::default(), Color::White, 0, Duration::ZERO, Instant::now());
        let clock = clock.with_nodestime(u64::MAX);
        clock.note_nodes(u64::MAX / 2);
        assert_eq!(clock.own_time(), Duration::from_nanos(499_999));
        clock.note_nodes(u64::MAX);
        assert_eq!(clock.own_time(), Duration::from_millis(1));
    }

    /// Whatever a caller passes, and however far the soft limit stretches: no time is too long to be computed with.
    #[test]
    fn the_longest_times_are_times_like_others() {
        let limits = |time: Duration, moves_to_go: Option<u32>| Limits {
            clock: ByColor::new_with(|_| Some(time)),
            increment: ByColor::new_with(|_| time),
            moves_to_go,
            ..Limits::default()
        };
        for moves_to_go in [None, Some(1), Some(2), Some(u32::MAX)] {
            let endless = limits(Duration::MAX, moves_to_go);
            let allotted = allot(&endless, Color::White, u32::MAX, Duration::ZERO);
            let long = limits(MOST, moves_to_go);
            assert_eq!(allotted, allot(&long, Color::White, u32::MAX, Duration::ZERO), "{moves_to_go:?}");
            let Allotment { soft, hard } = allotted;
            assert!(soft <= hard && soft > Some(MOST / 100) && hard <= Some(MOST), "{soft:?} {hard:?}");
            // An overhead that leaves nothing.
            assert_eq!(allot(&endless, Color::White, 0, Duration::MAX).hard, Some(LEAST));
            let clock = Clock::new(&endless, Color::White, 0, Duration::ZERO, Instant::now());
            assert!(!clock.is_soft_limit_reached(u32::MAX, false));
        }
    }

    #[test]
    fn pondering_counts_towards_the_soft_limit() {
        let ms = Duration::from_millis;
        let limits = Limits { clock: ByColor { white: Some(ms(10_000)), black: None }, ..Limits::default() };
        let clock = || Clock::new(&limits, Color::White, 0, Duration::ZERO, Instant::now()).with_nodestime(1);
        // Some time on the opponent's clock, then some on ours.
        let pondered = |theirs: u64, ours: u64| {
            let clock = clock();
            clock.note_nodes(theirs);
            clock.ponderhit();
            clock.note_nodes(theirs + ours);
            clock
        };
        assert!(!pondered(10, 10).is_soft_limit_reached(100, false));
        assert!(pondered(5000, 1).is_soft_limit_reached(100, false), "the soft limit counts from the start");
        assert!(!pondered(5000, 1).is_move_due(), "the hard one from the ponderhit");
        let clock = clock();
        clock.note_nodes(1);
        clock.set_enough(true);
        assert!(clock.is_move_due());
        clock.set_enough(false);
        assert!(!clock.is_move_due(), "the best move has changed since");
        // Little on the clock and a large increment: the hard limit cuts the soft one down.
        let limits = Limits {
            clock: ByColor { white: Some(ms(800)), black: None },
            increment: ByColor { white: ms(5000), black: ms(5000) },
            ..Limits::default()
        };
        let clock = Clock::new(&limits, Color::White, 0, ms(10), Instant::now()).with_nodestime(1);
        clock.note_nodes(500);
        assert!(clock.is_soft_limit_reached(200, false) && !clock.is_soft_limit_reached(200, true));
    }

    /// A long game at 0.2 s + 2 ms in which every move costs a millisecond more than the thinking time, and the
    /// machine stands still for 50 ms now and then.
    #[test]
    fn a_small_increment_keeps_the_clock_from_running_out() {
        let ms = Duration::from_millis;
        let mut remaining = ms(200);
        for m in 1..600 {
            let limits = Limits {
                clock: ByColor { white: Some(remaining), black: None },
                increment: ByColor { white: ms(2), black: ms(2) },
                ..Limits::default()
            };
            let Allotment { soft, hard } = allot(&limits, Color::White, 2 * m, ms(10));
            let spent = soft.min(hard).expect("managed") + ms(1) + if m % 60 == 0 { ms(50) } else { ms(0) };
            assert!(spent < remaining, "move {m}: {spent:?} of {remaining:?}");
            remaining = remaining + ms(2) - spent;
        }
    }

    /// Forty moves in ten seconds, each of which takes as long as it may and a millisecond more; the machine stands
    /// still for 50 ms at one of them, whichever it is.
    #[test]
    fn the_time_control_is_reached_despite_one_slow_move() {
        let ms = Duration::from_millis;
        for late in 1..=40 {
            let mut remaining = ms(10_000);
            for m in 1..=40 {
                let limits = Limits {
                    clock: ByColor { white: Some(remaining), black: None },
                    moves_to_go: Some(41 - m),
                    ..Limits::default()
                };
                let hard = allot(&limits, Color::White, 2 * m, ms(10)).hard;
                let spent = hard.expect("managed") + ms(if m == late { 51 } else { 1 });
                assert!(spent < remaining, "move {m}, late at {late}: {spent:?} of {remaining:?}");
                remaining -= spent;
            }
        }
    }

    #[test]
    fn a_move_takes_a_larger_share_later_in_the_game() {
        let ms = Duration::from_millis;
        let limits = Limits { clock: ByColor { white: Some(ms(10_000)), black: None }, ..Limits::default() };
        let soft = |ply| allot(&limits, Color::White, ply, ms(10)).soft.expect("managed");
        assert!(soft(0) < soft(40) && soft(40) < soft(100), "{:?} {:?} {:?}", soft(0), soft(40), soft(100));
        assert_eq!(soft(1000), soft(u32::MAX), "up to a limit");
        assert!(soft(u32::MAX) <= ms(10_000) * params::time_share_max() as u32 / 1000);
    }

    /// The tests above check upper limits: without this one, an engine that hardly thinks would pass.
    #[test]
    fn a_move_gets_what_the_clock_has_for_it() {
        let ms = Duration::from_millis;
        let limits = |[white, black]: [u64; 2], [winc, binc]: [u64; 2], moves_to_go: Option<u32>| Limits {
            clock: ByColor { white: Some(ms(white)), black: Some(ms(black)) },
            increment: ByColor { white: ms(winc), black: ms(binc) },
            moves_to_go,
            ..Limits::default()
        };
        let of = |limits: Limits, turn: Color| {
            let Allotment { soft, hard } = allot(&limits, turn, 0, Duration::ZERO);
            (soft.expect("managed"), hard.expect("managed"))
        };
        let minute = [60_000, 60_000];
        // The clock is the mover's own.
        let (soft, hard) = of(limits([60_000, 1], [0, 0], None), Color::White);
        assert!((ms(600)..ms(3000)).contains(&soft), "{soft:?}");
        assert!(hard >= soft * 3, "{soft:?}, {hard:?}");
        assert_eq!(of(limits([1, 60_000], [0, 0], None), Color::Black), (soft, hard));
        // So is the increment, and it is spent.
        for (increments, turn) in [([1000, 0], Color::White), ([0, 1000], Color::Black)] {
            assert!(of(limits(minute, increments, None), turn).0 >= soft + ms(900));
            assert_eq!(of(limits(minute, increments, None), !turn).0, soft);
        }
        // An even share of a control, and the increment with it.
        for (moves, share) in [(5, 12_000), (10, 6000), (40, 1500)] {
            let (soft, hard) = of(limits([60_000, 1], [0, 0], Some(moves)), Color::White);
            assert!((ms(share * 5 / 6)..=ms(share)).contains(&soft), "{moves} moves: {soft:?}");
            assert!(hard >= soft * 2, "{moves} moves: {soft:?}, {hard:?}");
            assert!(of(limits(minute, [1000, 0], Some(moves)), Color::White).0 >= soft + ms(900));
        }
    }

    #[test]
    fn fixed_time_leaves_the_overhead() {
        let limits = Limits::movetime(Duration::from_millis(100));
        let ms = Duration::from_millis;
        let fixed = |time| Allotment { soft: None, hard: Some(time) };
        assert_eq!(allot(&limits, Color::White, 0, ms(10)), fixed(ms(90)));
        assert_eq!(allot(&limits, Color::White, 0, ms(1000)), fixed(LEAST));
    }
}
