//! Whether an answer solves a position, and since when.

use serde::{Deserialize, Serialize};

use crate::play::player::{Answer, Line, UciScore};
use formats::epd::SuiteEntry;
use ibex::bound::Bound;
use ibex::position::Move;

/// How an announced mate compares with the proven distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MateVerdict {
    /// The right distance; or no mate announced where there is none.
    Exact,
    /// A longer mate.
    Longer,
    /// A shorter mate than is possible: a wrong announcement.
    Shorter,
    /// A mate for the wrong side, or where there is none.
    Wrong,
    /// No mate announced.
    Missed,
}

impl MateVerdict {
    /// Compares with `dm`. A bound does not announce a distance, but may be wrong: a lower bound claims a mate in this
    /// number of moves or fewer, and an upper bound claims the same for the other side.
    pub fn of(dm: i32, value: Option<(UciScore, Bound)>) -> MateVerdict {
        match value {
            Some((UciScore::Mate(moves), Bound::Exact)) => {
                if dm == 0 || (moves > 0) != (dm > 0) {
                    MateVerdict::Wrong
                } else if moves == dm {
                    MateVerdict::Exact
                } else if moves.unsigned_abs() > dm.unsigned_abs() {
                    MateVerdict::Longer
                } else {
                    MateVerdict::Shorter
                }
            }
            Some((UciScore::Mate(moves), Bound::Lower)) if moves > 0 && dm <= 0 => MateVerdict::Wrong,
            Some((UciScore::Mate(moves), Bound::Upper)) if moves <= 0 && dm >= 0 => MateVerdict::Wrong,
            Some((UciScore::Mate(moves), Bound::Lower)) if moves > 0 && moves < dm => MateVerdict::Shorter,
            Some((UciScore::Mate(moves), Bound::Upper)) if moves <= 0 && moves > dm => MateVerdict::Shorter,
            _ if dm == 0 => MateVerdict::Exact,
            _ => MateVerdict::Missed,
        }
    }
}

/// When the solution was found and then kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// Milliseconds into the search.
    pub ms: u64,
    /// Nodes into the search.
    pub nodes: u64,
    /// The iteration.
    pub depth: u32,
}

/// What decides whether a position is solved: the first of these that its line has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Criterion {
    /// `bm` and `am`.
    Moves,
    /// `dm`: the score must announce the mate.
    Mate,
    /// The move must have the most points.
    Points,
}

impl Criterion {
    fn of(entry: &SuiteEntry) -> Criterion {
        if !entry.best.is_empty() || !entry.avoid.is_empty() {
            Criterion::Moves
        } else if entry.mate.is_some() {
            Criterion::Mate
        } else {
            Criterion::Points
        }
    }
}

/// Whether the move solves the position; `None` if the position asks for something other than a move.
fn solves(entry: &SuiteEntry, m: Move) -> Option<bool> {
    match Criterion::of(entry) {
        Criterion::Moves => Some((entry.best.is_empty() || entry.best.contains(&m)) && !entry.avoid.contains(&m)),
        Criterion::Mate => None,
        Criterion::Points => most_points(entry).map(|most| entry.points.contains(&(m, most))),
    }
}

/// The points of the best move; `None` if the line has no points.
fn most_points(entry: &SuiteEntry) -> Option<i32> {
    entry.points.iter().map(|&(_, points)| points).max()
}

/// The moves with the most points, if points alone decide; otherwise none.
pub fn best_by_points(entry: &SuiteEntry) -> Vec<Move> {
    if Criterion::of(entry) != Criterion::Points {
        return Vec::new();
    }
    let most = most_points(entry);
    entry.points.iter().filter(|&&(_, points)| Some(points) == most).map(|&(m, _)| m).collect()
}

/// Follows one search.
#[derive(Debug)]
pub struct Follower<'a> {
    entry: &'a SuiteEntry,
    hold: Option<u32>,
    found: Option<Found>,
    depth: u32,
    seldepth: u32,
    /// The last exact score; without one, the last score.
    value: Option<(UciScore, Bound)>,
    pv: Vec<Move>,
}

/// The judgement of a search.
#[derive(Clone, Debug, Default)]
pub struct Judged {
    /// Whether the position is solved.
    pub solved: bool,
    /// How the mate compares, if one is proved.
    pub mate: Option<MateVerdict>,
    /// The points of the move played, and those of the best move.
    pub points: Option<(i32, i32)>,
    /// When the solution was found and kept, if it was.
    pub found: Option<Found>,
    /// The deepest iteration.
    pub depth: u32,
    /// The deepest ply.
    pub seldepth: u32,
    /// The final score.
    pub value: Option<(UciScore, Bound)>,
    /// The final line.
    pub pv: Vec<Move>,
}

impl<'a> Follower<'a> {
    /// For a search of this entry, which may end once the solution has held for `hold` further iterations.
    pub fn new(entry: &'a SuiteEntry, hold: Option<u32>) -> Follower<'a> {
        Follower { entry, hold, found: None, depth: 0, seldepth: 0, value: None, pv: Vec::new() }
    }

    /// Takes in a line; returns whether the solution has held long enough.
    pub fn follow(&mut self, line: &Line) -> bool {
        self.depth = self.depth.max(line.depth);
        self.seldepth = self.seldepth.max(line.seldepth);
        let bound = line.value.map(|(_, bound)| bound);
        if let Some((value, bound)) = line.value
            && (bound == Bound::Exact || self.value.is_none_or(|(_, last)| last != Bound::Exact))
        {
            self.value = Some((value, bound));
        }
        // A line that failed low shows the move that is about to be dropped.
        if bound == Some(Bound::Upper) || line.pv.is_empty() {
            return false;
        }
        self.pv.clone_from(&line.pv);
        let right = match solves(self.entry, line.pv[0]) {
            Some(right) => right,
            None => match self.entry.mate.map(|dm| MateVerdict::of(dm, line.value)) {
                // A line that announces no distance does not take one back.
                Some(MateVerdict::Missed) if bound != Some(Bound::Exact) => return false,
                verdict => verdict == Some(MateVerdict::Exact),
            },
        };
        if !right {
            self.found = None;
            return false;
        }
        let found = *self.found.get_or_insert(Found { ms: line.ms, nodes: line.nodes, depth: line.depth });
        self.hold.is_some_and(|hold| line.depth >= found.depth.saturating_add(hold))
    }

    /// The verdict on the answer.
    pub fn judge(self, answer: &Answer) -> Judged {
        let entry = self.entry;
        let mate = entry.mate.map(|dm| MateVerdict::of(dm, self.value));
        let solved = match answer.best {
            Some(m) => solves(entry, m),
            // No move although one is needed; a mated side has none, and only its score counts.
            None if Criterion::of(entry) == Criterion::Mate => None,
            None => Some(false),
        }
        .unwrap_or(mate == Some(MateVerdict::Exact));
        let points = most_points(entry).map(|most| {
            let own = entry.points.iter().find(|&&(m, _)| Some(m) == answer.best).map_or(0, |&(_, points)| points);
            (own, most)
        });
        let at_the_end = Found { ms: answer.ms, nodes: answer.nodes, depth: self.depth };
        // A line for another move than the one played is not the answer's line.
        let pv = if self.pv.first().copied() == answer.best { self.pv } else { answer.best.into_iter().collect() };
        Judged {
            solved,
            mate,
            points,
            found: solved.then(|| self.found.unwrap_or(at_the_end)),
            depth: self.depth,
            seldepth: self.seldepth,
            value: self.value,
            pv,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use formats::epd::{parse_line, read_move};

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";

    fn entry(operations: &str) -> SuiteEntry {
        parse_line(&format!("{START} {operations}"), 1).expect("a line").expect("a good one")
    }

    fn said(entry: &SuiteEntry, depth: u32, value: (UciScore, Bound), m: &str) -> Line {
        let pv = vec![read_move(&entry.position, m).expect("legal")];
        Line { depth, seldepth: depth, nodes: u64::from(depth) * 100, ms: u64::from(depth), value: Some(value), pv }
    }

    fn played(entry: &SuiteEntry, m: &str) -> Answer {
        Answer { best: read_move(&entry.position, m).ok(), nodes: 999, ms: 99 }
    }

    #[test]
    fn extreme_mate_distances_do_not_overflow() {
        assert_eq!(MateVerdict::of(i32::MIN, Some((UciScore::Mate(-3), Bound::Exact))), MateVerdict::Shorter);
    }

    const EVEN: (UciScore, Bound) = (UciScore::Cp(0), Bound::Exact);

    fn verdict(operations: &str, m: &str) -> Judged {
        let entry = entry(operations);
        Follower::new(&entry, None).judge(&played(&entry, m))
    }

    #[test]
    fn moves_to_find_and_to_avoid_are_judged() {
        assert!(verdict("bm e4 d4;", "d4").solved);
        assert!(!verdict("bm e4 d4;", "c4").solved);
        assert!(verdict("am f3;", "d4").solved);
        assert!(!verdict("am f3;", "f3").solved);
        assert!(!verdict("am f3;", "none").solved);
        assert!(!verdict("bm e4;", "none").solved);
    }

    #[test]
    fn points_are_given_out_of_the_best() {
        let judged = verdict("bm e4; c0 \"e4=10, d4=7\";", "d4");
        assert_eq!((judged.solved, judged.points), (false, Some((7, 10))));
        assert_eq!(verdict("bm e4; c0 \"e4=10, d4=7\";", "a3").points, Some((0, 10)));
        assert!(verdict("c0 \"e4=10, d4=7\";", "e4").solved);
        assert!(!verdict("c0 \"e4=10, d4=7\";", "d4").solved);
    }

    #[test]
    fn points_give_best_moves_only_if_they_decide() {
        let best = |operations: &str| {
            let entry = entry(operations);
            best_by_points(&entry)
                .iter()
                .map(|&m| ibex::position::notation::san(&entry.position, m))
                .collect::<Vec<_>>()
        };
        assert_eq!(best("c0 \"e4=10, d4=7, c4=10\";"), ["e4", "c4"]);
        for decided in ["bm d4; c0 \"e4=10, d4=7\";", "am a3; c0 \"e4=10\";", "dm 3; c0 \"e4=10\";", "bm e4;"] {
            assert!(best(decided).is_empty(), "{decided}");
        }
    }

    #[test]
    fn mates_are_judged_by_their_distance() {
        use MateVerdict::{Exact, Longer, Missed, Shorter, Wrong};
        for (dm, value, verdict) in [
            (3, Some(UciScore::Mate(3)), Exact),
            (3, Some(UciScore::Mate(4)), Longer),
            (3, Some(UciScore::Mate(2)), Shorter),
            (3, Some(UciScore::Mate(-3)), Wrong),
            (3, Some(UciScore::Cp(900)), Missed),
            (3, None, Missed),
            (-2, Some(UciScore::Mate(-2)), Exact),
            (-2, Some(UciScore::Mate(-5)), Longer),
            (-2, Some(UciScore::Mate(-1)), Shorter),
            (-2, Some(UciScore::Mate(2)), Wrong),
            (0, Some(UciScore::Mate(9)), Wrong),
            (0, Some(UciScore::Cp(900)), Exact),
        ] {
            assert_eq!(MateVerdict::of(dm, value.map(|value| (value, Bound::Exact))), verdict, "{dm} {value:?}");
        }
        // Bounds do not announce a distance, but may still be wrong.
        for (dm, moves, bound, verdict) in [
            (3, 3, Bound::Lower, Missed),
            (3, 3, Bound::Upper, Missed),
            (3, -4, Bound::Upper, Wrong),
            (3, -4, Bound::Lower, Missed),
            (-2, -2, Bound::Upper, Missed),
            (-2, 5, Bound::Lower, Wrong),
            (0, 5, Bound::Lower, Wrong),
            (0, 5, Bound::Upper, Exact),
            (0, -5, Bound::Upper, Wrong),
            // Fewer moves than are possible.
            (3, 2, Bound::Lower, Shorter),
            (3, 2, Bound::Upper, Missed),
            (3, 4, Bound::Lower, Missed),
            (-3, -2, Bound::Upper, Shorter),
            (-3, -2, Bound::Lower, Missed),
            (-3, -4, Bound::Upper, Missed),
        ] {
            assert_eq!(MateVerdict::of(dm, Some((UciScore::Mate(moves), bound))), verdict, "{dm} {moves} {bound:?}");
        }
    }

    /// A bound of the right size is not a proof: it does not solve the position.
    #[test]
    fn only_an_exact_mate_solves() {
        let entry = entry("dm 3;");
        for (bound, solved) in [(Bound::Lower, false), (Bound::Upper, false), (Bound::Exact, true)] {
            let mut follower = Follower::new(&entry, None);
            follower.follow(&said(&entry, 5, (UciScore::Mate(3), bound), "e4"));
            let judged = follower.judge(&played(&entry, "e4"));
            assert_eq!((judged.solved, judged.mate == Some(MateVerdict::Exact)), (solved, solved), "{bound:?}");
        }
    }

    #[test]
    fn a_solution_counts_as_found_once_it_stays() {
        let entry = entry("bm e4;");
        let mut follower = Follower::new(&entry, None);
        for (depth, m) in [(1, "e4"), (2, "d4"), (3, "e4"), (4, "e4")] {
            assert!(!follower.follow(&said(&entry, depth, EVEN, m)));
        }
        // A fail low of the solution changes nothing, nor does one of another move.
        assert!(!follower.follow(&said(&entry, 5, (UciScore::Cp(-50), Bound::Upper), "d4")));
        let judged = follower.judge(&played(&entry, "e4"));
        assert_eq!(judged.found, Some(Found { ms: 3, nodes: 300, depth: 3 }));
        assert_eq!((judged.depth, judged.value), (5, Some(EVEN)));
        // Found only at the end: with the counts of the end.
        let judged = Follower::new(&entry, None).judge(&played(&entry, "e4"));
        assert_eq!(judged.found.map(|found| found.nodes), Some(999));
    }

    /// A mate bound between two exact scores is not another answer.
    #[test]
    fn a_bound_does_not_withdraw_a_mate() {
        let entry = entry("dm 3;");
        let mut follower = Follower::new(&entry, Some(1));
        let mut line = |depth, dm, bound| follower.follow(&said(&entry, depth, (UciScore::Mate(dm), bound), "e4"));
        assert!(!line(4, -2, Bound::Exact) && !line(5, 3, Bound::Exact) && !line(6, 3, Bound::Lower));
        assert!(line(6, 3, Bound::Exact));
        let judged = follower.judge(&played(&entry, "e4"));
        assert_eq!(judged.found.map(|found| found.depth), Some(5));
        // One that says the opposite is.
        let entry = self::entry("dm -3;");
        let mut follower = Follower::new(&entry, None);
        for (moves, bound) in [(-3, Bound::Exact), (3, Bound::Lower)] {
            follower.follow(&said(&entry, 5, (UciScore::Mate(moves), bound), "e4"));
        }
        follower.follow(&said(&entry, 7, (UciScore::Mate(-3), Bound::Exact), "e4"));
        assert_eq!(follower.judge(&played(&entry, "e4")).found.map(|found| found.depth), Some(7));
    }

    #[test]
    fn a_solution_that_holds_ends_the_search() {
        let entry = entry("bm e4;");
        let mut follower = Follower::new(&entry, Some(2));
        let stops: Vec<bool> = [(1, "d4"), (2, "e4"), (3, "e4"), (3, "e4"), (4, "e4")]
            .map(|(depth, m)| follower.follow(&said(&entry, depth, EVEN, m)))
            .to_vec();
        assert_eq!(stops, [false, false, false, false, true]);
    }
}
