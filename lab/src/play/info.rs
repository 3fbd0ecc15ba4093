//! The `info` lines of other engines.
//!
//! The parser is our own: engines send more than the usual grammars allow (depths above 255, mates in more than 127,
//! unknown words in between), and none of it may be lost or stop the run.

use std::iter::Peekable;

use super::player::{Line, UciScore, depth_behind};
use ibex::bound::Bound;
use ibex::position::notation::is_move_like;
use ibex::position::{Move, Position};

/// Reads an `info` line of the first variation that has facts about the search; `elapsed` milliseconds replace a
/// missing time. The principal variation ends before the first illegal move.
pub(super) fn parse_info(position: &Position, line: &str, elapsed: u64) -> Option<Line> {
    let mut words = line.split_whitespace().peekable();
    if words.next() != Some("info") {
        return None;
    }
    let mut info = Line { depth: 0, seldepth: 0, nodes: 0, ms: elapsed, value: None, pv: Vec::new() };
    let mut bound = Bound::Exact;
    let mut value = None;
    let mut told = false;
    while let Some(word) = words.next() {
        let mut number = || words.next().and_then(|word| word.parse::<u64>().ok());
        let small = |number: Option<u64>| number.and_then(|n| n.try_into().ok()).unwrap_or(0);
        match word {
            "string" => break,
            "depth" => info.depth = small(number()),
            "seldepth" => info.seldepth = small(number()),
            "nodes" => {
                info.nodes = number().unwrap_or(0);
                told = true;
            }
            "time" => info.ms = number().unwrap_or(elapsed),
            "multipv" if number().is_some_and(|line| line != 1) => return None,
            "score" => {
                let kind = words.next();
                let amount = words.next().and_then(|word| word.parse::<i32>().ok());
                value = match (kind, amount) {
                    (Some("cp"), Some(cp)) => Some(UciScore::Cp(cp)),
                    (Some("mate"), Some(moves)) => Some(UciScore::Mate(moves)),
                    _ => None,
                };
                told = true;
            }
            "lowerbound" => bound = Bound::Lower,
            "upperbound" => bound = Bound::Upper,
            "currmove" | "currline" | "refutation" => break,
            "pv" => info.pv = legal_line(position, &mut words),
            _ => {}
        }
    }
    info.value = value.map(|value| (value, bound));
    info.depth = value.map_or(info.depth, |value| depth_behind(info.depth, value, bound));
    (told || !info.pv.is_empty()).then_some(info)
}

/// Takes the moves of a line, and returns those before the first illegal one. What follows them stays.
fn legal_line<'a>(position: &Position, words: &mut Peekable<impl Iterator<Item = &'a str>>) -> Vec<Move> {
    let mut position = *position;
    let (mut line, mut broken) = (Vec::new(), false);
    while let Some(&word) = words.peek() {
        let lower = word.to_lowercase();
        match position.parse_move(word).or_else(|| position.parse_move(&lower)) {
            Some(m) if !broken => {
                line.push(m);
                position.play(m);
            }
            None if !is_move_like(word) && !is_move_like(&lower) => break,
            _ => broken = true,
        }
        words.next();
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(line: &str) -> Option<Line> {
        parse_info(&Position::startpos(), line, 77)
    }

    #[test]
    fn info_lines_are_read_as_engines_send_them() {
        let full = info(
            "info depth 300 seldepth 40 multipv 1 score cp -34 upperbound nodes 12345678901234 nps 1 hashfull 5 tbhits 0 \
             time 5 wdl 1 2 997 pv e2e4 e7e5 E1E2 a1a1 d2d4",
        )
        .expect("a line");
        assert_eq!((full.depth, full.seldepth, full.nodes, full.ms), (300, 40, 12_345_678_901_234, 5));
        assert_eq!(full.value, Some((UciScore::Cp(-34), Bound::Upper)));
        assert_eq!(full.pv.len(), 3);
        // The order is free, and an illegal move in the line hides nothing after it.
        let after = info("info pv e2e4 e7e5 E1E2 a1a1 O-O d2d4 depth 9 nodes 7 score cp 5 lowerbound").expect("a line");
        assert_eq!((after.depth, after.nodes, after.pv.len()), (9, 7, 3));
        assert_eq!(after.value, Some((UciScore::Cp(5), Bound::Lower)));
        assert!(info("info depth 5 pv e2e4 multipv 2 score cp 1").is_none());
        let mate = info("info score mate 200 depth 9").expect("a line");
        assert_eq!((mate.value, mate.depth, mate.ms), (Some((UciScore::Mate(200), Bound::Exact)), 9, 77));
        for nothing in [
            "info string depth 5 nodes 7 pv e2e4",
            "info depth 5 currmove e2e4 currmovenumber 1",
            "info multipv 2 depth 5 score cp 1 pv e2e4",
            "bestmove e2e4",
            "information depth 5 nodes 1",
            "info",
            "",
        ] {
            assert!(info(nothing).is_none(), "{nothing}");
        }
        let odd = info("info depth -1 score nonsense 5 nodes many pv zz").expect("still a line");
        assert_eq!((odd.depth, odd.nodes, odd.value, odd.pv.len()), (0, 0, None, 0));
    }
}
