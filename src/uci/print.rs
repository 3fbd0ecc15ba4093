//! From the search's events to `info` and `bestmove` lines.
//!
//! It behaves as users and tools expect: no flood while iterations take no time, bounds and the current move only
//! after seconds, and at the end a line that agrees with `bestmove` and shows the final counts. Its score is a bound
//! if the move had failed high when the search ended, if the search ended in its first iteration, or if only a bound
//! is proved.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::message::{Fact, Message};
use super::output::Output;
use super::wdl;
use crate::bound::Bound;
use crate::position::{Move, Position};
use crate::score::Score;
use crate::search::{Event, Outcome, Report};

/// Bounds and the current move are of interest only in long searches.
const PATIENCE: Duration = Duration::from_secs(3);
/// Lines that a search may print at once, and the lines that each further second allows.
const BURST: u32 = 120;
const LINES_PER_SECOND: u32 = 100;
/// Lines that current moves leave free for lines with scores.
const RESERVE: usize = BURST as usize / 2;

/// How moves and scores are written.
#[derive(Clone, Copy, Debug, Default)]
pub struct Style {
    /// Castling as king takes rook.
    pub chess960: bool,
    /// Chances of win, draw and loss with every score.
    pub wdl: bool,
}

/// Prints one search.
pub struct Printer {
    output: Arc<Output>,
    style: Style,
    started: Instant,
    in_check: bool,
    /// Men on the board at the root.
    men: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Lines printed so far.
    printed: u32,
    /// Whether the coming lines of the iteration are shown or kept back.
    showing: bool,
    /// The lines of the latest iteration, if kept back.
    held: Vec<Report>,
    /// The last printed line of the first variation.
    last: Option<Report>,
    /// After `ponderhit`, nothing has been printed yet.
    afresh: bool,
}

impl Printer {
    /// For a search of `root` that begins now.
    pub fn new(output: Arc<Output>, style: Style, root: &Position) -> Printer {
        let men = root.men();
        Printer { output, style, started: Instant::now(), in_check: root.in_check(), men, state: Mutex::default() }
    }

    /// Prints an event, if it should be shown now.
    pub fn event(&self, event: &Event) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            Event::Line(report) if report.complete => self.line(&mut state, report),
            Event::Line(report) => {
                let lines = state.held.len() + 1;
                if self.started.elapsed() >= PATIENCE && self.has_room(&state, lines) {
                    self.release(&mut state);
                    self.print(&mut state, report);
                }
            }
            Event::CurrentMove { depth, current, number, nodes, time: spent } => {
                // While lines are kept back, it would be newer than they are.
                if self.started.elapsed() >= PATIENCE && state.held.is_empty() && self.has_room(&state, 1 + RESERVE) {
                    state.printed += 1;
                    self.info([
                        Fact::Depth(*depth),
                        Fact::CurrentMove(*current),
                        Fact::CurrentNumber(*number),
                        Fact::Nodes(*nodes),
                        Fact::Speed(*nodes, *spent),
                        Fact::Time(*spent),
                    ]);
                }
            }
            Event::Message(text) | Event::Trouble(text) => self.output.remark(text),
            Event::Done(outcome) => self.done(&mut state, outcome),
        }
    }

    /// Prints what was kept back, if the limit allows; call it now and then while the search is silent.
    pub fn tick(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if !state.held.is_empty() && self.has_room(&state, state.held.len()) {
            self.release(&mut state);
        }
    }

    /// The expected move was played: from here on, the lines are for our move.
    pub fn ponderhit(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).afresh = true;
    }

    /// A complete line. The lines of an iteration are shown together or kept back together, until the next one.
    fn line(&self, state: &mut State, report: &Report) {
        if report.line == 1 {
            state.held.clear();
            state.showing = self.has_room(state, report.lines);
        }
        if state.showing {
            self.print(state, report);
        } else {
            state.held.push(report.clone());
        }
    }

    fn has_room(&self, state: &State, lines: usize) -> bool {
        let seconds = self.started.elapsed().as_secs_f64();
        let allowed = f64::from(BURST) + f64::from(LINES_PER_SECOND) * seconds;
        f64::from(state.printed) + lines as f64 <= allowed
    }

    fn release(&self, state: &mut State) {
        for report in std::mem::take(&mut state.held) {
            self.print(state, &report);
        }
    }

    fn print(&self, state: &mut State, report: &Report) {
        state.printed += 1;
        if report.line == 1 {
            state.last = Some(report.clone());
            state.afresh = false;
        }
        let score = report.value.score();
        let wdl = self.style.wdl.then(|| Fact::Wdl(wdl::per_mille(score, report.basis, self.men)));
        let pv = (!report.pv.is_empty()).then_some(Fact::Pv(&report.pv));
        let first = [
            Fact::Depth(report.depth),
            Fact::SelDepth(report.seldepth),
            Fact::MultiPv(report.line),
            Fact::Score(score, report.value.bound()),
        ];
        let counts = [
            Fact::Nodes(report.nodes),
            Fact::Speed(report.nodes, report.time),
            Fact::HashFull(report.hashfull),
            Fact::TbHits(report.tbhits),
            Fact::Time(report.time),
        ];
        self.info(first.into_iter().chain(wdl).chain(counts).chain(pv));
    }

    fn info<'a>(&self, facts: impl IntoIterator<Item = Fact<'a>>) {
        self.output.message(&Message::info(facts, self.style.chess960));
    }

    fn done(&self, state: &mut State, outcome: &Outcome) {
        let Some(best) = outcome.best else {
            let score = if self.in_check { Score::mated_in(0) } else { Score::ZERO };
            let wdl = if self.in_check { [0, 0, 1000] } else { [0, 1000, 0] };
            let wdl = self.style.wdl.then_some(Fact::Wdl(wdl));
            self.info([Fact::Depth(0), Fact::Score(score, Bound::Exact)].into_iter().chain(wdl));
            self.output.line("bestmove (none)");
            return;
        };
        self.release(state);
        let last = final_line(outcome, best, state.last.as_ref());
        match &last {
            Some(last) if !state.afresh && state.last.as_ref().is_some_and(|shown| agrees(shown, last)) => (),
            Some(last) => self.print(state, last),
            None => {
                self.info([Fact::Depth(0), Fact::Nodes(outcome.nodes), Fact::Time(outcome.time), Fact::Pv(&[best])])
            }
        }
        // The expected reply is that of the line; the engine may have one if the line has none.
        let reply = last.and_then(|last| last.pv.get(1).copied()).or(outcome.ponder);
        self.output.message(&Message::best_move(best, reply, self.style.chess960));
    }
}

/// The line that ends a search: it belongs to the move that is played and has the final counts.
fn final_line(outcome: &Outcome, best: Move, shown: Option<&Report>) -> Option<Report> {
    let last = outcome.last.as_ref()?;
    // An interrupted iteration may have left only the beginning of the line that was shown before.
    let same = shown.filter(|shown| shown.value == last.value && shown.pv.first() == Some(&best));
    let line = same.unwrap_or(last);
    // Depth means iterations, and the last line comes from the last of them.
    let depth = line.depth.max(shown.map_or(0, |shown| shown.depth));
    Some(Report {
        line: 1,
        depth,
        seldepth: line.seldepth.max(depth),
        nodes: outcome.nodes,
        time: outcome.time.max(line.time),
        hashfull: last.hashfull,
        tbhits: last.tbhits,
        ..line.clone()
    })
}

/// Whether the shown line says what the final one would say.
fn agrees(shown: &Report, last: &Report) -> bool {
    shown.value == last.value && shown.depth == last.depth && shown.pv == last.pv && shown.nodes == last.nodes
}

#[cfg(test)]
mod tests {
    use super::super::output::tests::Capture;
    use super::*;
    use crate::bound::Ibv;
    use crate::search::Basis;
    use shakmaty::CastlingMode;

    fn printer(style: Style) -> (Printer, Capture) {
        let page = Capture::default();
        (Printer::new(Output::new(page.clone(), || ()), style, &Position::startpos()), page)
    }

    fn report(depth: u32, line: usize, value: Ibv) -> Report {
        let root = Position::startpos();
        Report {
            depth,
            seldepth: depth + 3,
            line,
            lines: 1,
            value,
            basis: if value.score().is_mate() { Basis::Mate } else { Basis::Evaluation },
            complete: value.bound() == Bound::Exact,
            nodes: 1000 * u64::from(depth),
            time: Duration::from_millis(500),
            hashfull: 7,
            tbhits: 0,
            pv: vec![root.parse_move("e2e4").unwrap()],
        }
    }

    fn outcome(last: Option<Report>) -> Outcome {
        let best = Position::startpos().parse_move("e2e4");
        Outcome { best, ponder: None, nodes: last.as_ref().map_or(0, |l| l.nodes), time: Duration::from_secs(1), last }
    }

    #[test]
    fn a_line_has_every_field_once() {
        let (printer, page) = printer(Style::default());
        printer.event(&Event::Line(report(5, 1, Ibv::exact(Score::heuristic(31)))));
        assert_eq!(
            page.lines(),
            ["info depth 5 seldepth 8 multipv 1 score cp 31 nodes 5000 nps 10000 hashfull 7 tbhits 0 time 500 pv e2e4"]
        );
    }

    #[test]
    fn requested_chances_follow_the_score() {
        let mate = Event::Line(report(5, 1, Ibv::exact(Score::mate_in(1))));
        let (mut asking, page) = printer(Style { wdl: true, ..Style::default() });
        asking.started = Instant::now().checked_sub(PATIENCE).unwrap();
        asking.event(&mate);
        asking.event(&Event::Line(report(6, 1, Ibv::lower(Score::heuristic(31)))));
        let lines = page.lines();
        assert!(lines[0].contains("score mate 1 wdl 1000 0 0 nodes"), "{lines:?}");
        assert!(lines[1].contains("score cp 31 lowerbound wdl "), "{lines:?}");
        let (silent, page) = printer(Style::default());
        silent.event(&mate);
        assert!(page.lines()[0].contains("score mate 1 nodes"), "{:?}", page.lines());
    }

    #[test]
    fn bounds_and_current_moves_wait() {
        let (printer, page) = printer(Style::default());
        printer.event(&Event::Line(report(5, 1, Ibv::lower(Score::heuristic(31)))));
        let current = Position::startpos().parse_move("e2e4").unwrap();
        let current =
            Event::CurrentMove { depth: 5, current, number: 1, nodes: 9000, time: Duration::from_millis(3000) };
        printer.event(&current);
        assert_eq!(page.lines(), [""; 0]);
        let (mut late, page) = super::tests::printer(Style::default());
        late.started = Instant::now().checked_sub(PATIENCE).unwrap();
        late.event(&Event::Line(report(5, 1, Ibv::lower(Score::heuristic(31)))));
        late.event(&current);
        assert!(page.lines()[0].contains(" score cp 31 lowerbound "));
        assert_eq!(page.lines()[1], "info depth 5 currmove e2e4 currmovenumber 1 nodes 9000 nps 3000 time 3000");
    }

    /// Short iterations with many root moves: their current moves must not keep the lines back.
    #[test]
    fn current_moves_leave_room_for_lines() {
        let (mut printer, page) = printer(Style::default());
        printer.started = Instant::now().checked_sub(2 * PATIENCE).unwrap();
        let current = Position::startpos().parse_move("e2e4").unwrap();
        for number in 1..=5000 {
            printer.event(&Event::CurrentMove { depth: 5, current, number, nodes: 9000, time: PATIENCE });
        }
        let before = page.lines().len();
        assert!(before > 100, "{before} current moves");
        let lines = 3;
        for depth in 5..15 {
            for line in 1..=lines {
                printer.event(&Event::Line(Report { lines, ..report(depth, line, Ibv::exact(Score::ZERO)) }));
            }
        }
        assert_eq!(page.lines().len(), before + 30);
        for _ in 0..5000 {
            printer.event(&Event::Line(report(15, 1, Ibv::lower(Score::ZERO))));
        }
        assert!(page.lines().len() < before + 200, "bounds are no flood either");
    }

    /// More lines than current moves leave free: nothing newer comes before them.
    #[test]
    fn current_moves_wait_for_lines_that_are_kept_back() {
        let (mut printer, page) = printer(Style::default());
        printer.started = Instant::now().checked_sub(2 * PATIENCE).unwrap();
        let current = Position::startpos().parse_move("e2e4").unwrap();
        let move_of = |depth| Event::CurrentMove { depth, current, number: 1, nodes: 9000, time: PATIENCE };
        let lines = RESERVE + 20;
        let mut shown = 0;
        while printer.has_room(&printer.state.lock().unwrap(), lines) {
            printer.event(&move_of(5));
            shown += 1;
        }
        // A few more moves fit. After them, the lines have no room for 150 ms, even if a busy machine pauses here.
        for _ in 0..15 {
            printer.event(&move_of(5));
            shown += 1;
        }
        for line in 1..=lines {
            printer.event(&Event::Line(Report { lines, ..report(5, line, Ibv::exact(Score::ZERO)) }));
        }
        printer.event(&move_of(6));
        assert_eq!(page.lines().len(), shown);
        printer.started = Instant::now().checked_sub(4 * PATIENCE).unwrap();
        printer.tick();
        printer.event(&move_of(6));
        assert_eq!(page.lines().len(), shown + lines + 1);
    }

    #[test]
    fn fast_iterations_do_not_flood_but_the_last_is_shown() {
        let (printer, page) = printer(Style::default());
        for depth in 1..=245 {
            printer.event(&Event::Line(report(depth, 1, Ibv::exact(Score::ZERO))));
        }
        assert!(page.lines().len() <= 200, "{}", page.lines().len());
        printer.event(&Event::Done(outcome(Some(report(245, 1, Ibv::exact(Score::ZERO))))));
        let lines = page.lines();
        assert!(lines[lines.len() - 2].contains("depth 245 "));
        assert_eq!(lines[lines.len() - 1], "bestmove e2e4");
    }

    #[test]
    fn the_last_line_agrees_with_the_move() {
        let (printer, page) = printer(Style::default());
        let exact = report(7, 1, Ibv::exact(Score::heuristic(20)));
        printer.event(&Event::Line(exact.clone()));
        printer.event(&Event::Done(outcome(Some(exact.clone()))));
        assert_eq!(page.lines().len(), 2, "nothing to add: {:?}", page.lines());
        // More nodes have been searched since.
        let (printer, page) = super::tests::printer(Style::default());
        printer.event(&Event::Line(exact.clone()));
        printer.event(&Event::Done(Outcome { nodes: 9999, ..outcome(Some(exact.clone())) }));
        assert!(page.lines()[1].contains(" nodes 9999 "));
        assert_eq!(page.lines()[2], "bestmove e2e4");
        // What was shown last was a bound: the complete line comes again.
        let (mut printer, page) = super::tests::printer(Style::default());
        printer.started = Instant::now().checked_sub(PATIENCE).unwrap();
        printer.event(&Event::Line(exact.clone()));
        printer.event(&Event::Line(report(8, 1, Ibv::lower(Score::heuristic(31)))));
        printer.event(&Event::Done(outcome(Some(exact))));
        let lines = page.lines();
        assert!(lines[1].contains(" lowerbound ") && lines[2].contains(" score cp 20 nodes "), "{lines:?}");
    }

    /// Programs start reading anew at `ponderhit`: a line shown before it comes again.
    #[test]
    fn the_last_line_is_repeated_after_ponderhit() {
        let (printer, page) = printer(Style::default());
        let exact = report(7, 1, Ibv::exact(Score::heuristic(20)));
        printer.event(&Event::Line(exact.clone()));
        printer.ponderhit();
        printer.event(&Event::Done(outcome(Some(exact))));
        let lines = page.lines();
        assert!(
            lines.len() == 3 && lines[1].starts_with("info depth 7 ") && lines[1].ends_with(" pv e2e4"),
            "{lines:?}"
        );
    }

    /// The search was interrupted: it hands over the beginning of the line that was shown, at less depth.
    #[test]
    fn an_interrupted_iteration_takes_nothing_back() {
        let (printer, page) = printer(Style::default());
        let mut shown = report(10, 1, Ibv::exact(Score::heuristic(20)));
        let mut root = Position::startpos();
        root.play(shown.pv[0]);
        shown.pv.push(root.parse_move("e7e5").unwrap());
        printer.event(&Event::Line(shown));
        let head = Report { seldepth: 9, ..report(8, 1, Ibv::exact(Score::heuristic(20))) };
        printer.event(&Event::Done(Outcome { nodes: 20_000, ..outcome(Some(head)) }));
        let lines = page.lines();
        assert!(lines[1].starts_with("info depth 10 ") && lines[1].ends_with(" pv e2e4 e7e5"), "{lines:?}");
        assert_eq!(lines[2], "bestmove e2e4 ponder e7e5");
        // Another move, found at less depth: the line keeps the greater depth, and a seldepth no smaller.
        let (printer, page) = super::tests::printer(Style::default());
        printer.event(&Event::Line(report(10, 1, Ibv::exact(Score::heuristic(20)))));
        let other = Report { seldepth: 9, ..report(8, 1, Ibv::exact(Score::heuristic(25))) };
        printer.event(&Event::Done(Outcome { nodes: 20_000, ..outcome(Some(other)) }));
        assert!(page.lines()[1].starts_with("info depth 10 seldepth 10 "), "{:?}", page.lines());
    }

    #[test]
    fn a_root_without_moves_gets_a_score_and_no_move() {
        for (fen, score, chances) in [
            ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "mate 0", "wdl 0 0 1000"),
            ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "cp 0", "wdl 0 1000 0"),
        ] {
            let said = |style| {
                let page = Capture::default();
                let root = Position::from_fen(fen, CastlingMode::Standard).unwrap();
                let printer = Printer::new(Output::new(page.clone(), || ()), style, &root);
                printer.event(&Event::Done(Outcome { best: None, ..outcome(None) }));
                page.lines()
            };
            assert_eq!(said(Style::default()), [format!("info depth 0 score {score}"), "bestmove (none)".into()]);
            let with_chances = said(Style { wdl: true, ..Style::default() });
            assert_eq!(with_chances, [format!("info depth 0 score {score} {chances}"), "bestmove (none)".into()]);
        }
    }
}
