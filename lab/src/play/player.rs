//! The searchers of positions: Ibex itself, or any UCI program (see [`super::external`]).

use std::fmt;
use std::time::{Duration, Instant};

use crossbeam_channel::{at, select};
use serde::{Deserialize, Serialize};

use formats::epd::SuiteEntry;
use ibex::bound::Bound;
use ibex::engine::{Engine, Settings};
use ibex::position::{Game, Move, Position};
use ibex::score::Score;
use ibex::search::{Event, Outcome, Report};
use ibex::time::Limits;
use terminal::tell::{self, counted};
use terminal::{interrupt, remark};

/// The limits for each position. At least one is set; the first that is reached ends the search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budget {
    /// Milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub movetime: Option<u64>,
    /// Nodes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// Iterations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// A mate in at most this number of moves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mate: Option<u32>,
}

impl Budget {
    /// Whether nothing is limited.
    pub fn is_empty(&self) -> bool {
        *self == Budget::default()
    }

    /// The command that starts such a search in another program.
    pub fn go(&self) -> String {
        let words = [
            ("movetime", self.movetime),
            ("nodes", self.nodes),
            ("depth", self.depth.map(u64::from)),
            ("mate", self.mate.map(u64::from)),
        ];
        let limits = words.iter().filter_map(|(word, value)| value.map(|value| format!(" {word} {value}")));
        format!("go{}", limits.collect::<String>())
    }

    /// The limits of such a search in this program.
    pub fn limits(&self) -> Limits {
        Limits {
            movetime: self.movetime.map(Duration::from_millis),
            nodes: self.nodes,
            depth: self.depth,
            mate: self.mate,
            ..Limits::default()
        }
    }

    /// How long a program may take before it counts as hanging: generous, because machines may be busy.
    pub fn patience(&self) -> Duration {
        if let Some(movetime) = self.movetime {
            Duration::from_millis(movetime.saturating_mul(3)) + Duration::from_secs(15)
        } else if let Some(nodes) = self.nodes {
            Duration::from_secs(10 + nodes / 25_000)
        } else {
            Duration::from_secs(3600)
        }
    }

    /// How long Ibex itself may take: unlimited if nodes or time end its search. A machine may be slow, and a search
    /// limited by nodes must be repeatable.
    pub fn own_patience(&self) -> Option<Duration> {
        (self.movetime.is_none() && self.nodes.is_none()).then(|| self.patience())
    }
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = [
            self.movetime.map(|ms| format!("{ms} ms")),
            self.nodes.map(|nodes| counted(nodes, "node", "nodes")),
            self.depth.map(|depth| format!("depth {depth}")),
            self.mate.map(|moves| format!("mate in {moves}")),
        ];
        f.write_str(&words.into_iter().flatten().collect::<Vec<_>>().join(", "))
    }
}

/// A score of the protocol, from the side to move's view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum UciScore {
    /// Centipawns.
    Cp(i32),
    /// Full moves to the mate; negative (or zero) if the side to move is mated.
    Mate(i32),
}

impl From<Score> for UciScore {
    fn from(score: Score) -> UciScore {
        score.mate_moves().map_or_else(|| UciScore::Cp(score.cp()), UciScore::Mate)
    }
}

impl fmt::Display for UciScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UciScore::Cp(cp) => write!(f, "{:+.2}", f64::from(*cp) / 100.0),
            UciScore::Mate(moves) => write!(f, "#{moves}"),
        }
    }
}

/// What a player reports while it thinks.
#[derive(Clone, Debug)]
pub struct Line {
    /// The iteration.
    pub depth: u32,
    /// The deepest ply reached.
    pub seldepth: u32,
    /// Nodes so far.
    pub nodes: u64,
    /// Milliseconds so far.
    pub ms: u64,
    /// The score, if there is one, and its bound.
    pub value: Option<(UciScore, Bound)>,
    /// The line, legal from the position on.
    pub pv: Vec<Move>,
}

/// What a player answers.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// The move; `None` if there is none.
    pub best: Option<Move>,
    /// Nodes of the whole search, if they were reported.
    pub nodes: u64,
    /// Milliseconds of the whole search.
    pub ms: u64,
}

/// What can go wrong with a player; it costs only the position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The program exited during the search.
    Died(String),
    /// The program did not start: the position was not searched.
    NotStarted(String),
    /// It did not answer in time.
    Timeout(String),
    /// Its answer was not a legal move.
    Illegal(String),
    /// It lacks an option that the position needs, so it was not given the position. Other positions are unaffected.
    Unfit(String),
    /// The run must stop: there is no result for the position.
    Interrupted,
}

impl std::error::Error for Trouble {}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trouble::Died(what)
            | Trouble::NotStarted(what)
            | Trouble::Timeout(what)
            | Trouble::Illegal(what)
            | Trouble::Unfit(what) => f.write_str(what),
            Trouble::Interrupted => f.write_str("interrupted"),
        }
    }
}

/// What a player gets to search.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The position to search.
    pub position: &'a Position,
    /// What the search may cost.
    pub budget: &'a Budget,
    /// Whether the player must analyse rather than play (`UCI_AnalyseMode`): see [`Question::of`].
    pub analysis: bool,
}

impl<'a> Question<'a> {
    /// The question of a suite's entry. If it asks for a mate, the player analyses: engines that play do not spend
    /// effort on the shortest mate.
    pub fn of(entry: &'a SuiteEntry, budget: &'a Budget) -> Question<'a> {
        Question { position: &entry.position, budget, analysis: entry.mate.is_some() }
    }
}

/// Gets each line; returns whether to end the search.
pub type Watch<'a> = &'a mut dyn FnMut(&Line) -> bool;

/// A searcher of positions, each as if it were the first.
pub trait Player {
    /// The player's full name.
    fn name(&self) -> &str;

    /// Searches; `watch` gets every line of the first variation, and returns true to end the search.
    ///
    /// # Errors
    ///
    /// What went wrong. The player can search again: it has been restarted if necessary.
    fn think(&mut self, question: Question<'_>, watch: Watch<'_>) -> Result<Answer, Trouble>;

    /// Whether it has failed to start so often that it will not search again.
    fn is_given_up(&self) -> bool {
        false
    }
}

/// Ibex itself, in this process.
pub struct BuiltIn {
    engine: Engine,
    /// Whether every search is an analysis.
    analysis: bool,
    patience: Option<Duration>,
}

impl BuiltIn {
    /// With these settings; remarks go to standard error. Without `patience`, a search may use its whole budget.
    pub fn new(settings: Settings, patience: Option<Duration>) -> BuiltIn {
        let analysis = settings.analyse_mode;
        let (engine, remarks) = Engine::new(settings);
        for remark in remarks {
            remark!("ibex: {remark}");
        }
        BuiltIn { engine, analysis, patience }
    }
}

impl Player for BuiltIn {
    fn name(&self) -> &str {
        ibex::NAME
    }

    fn think(&mut self, question: Question<'_>, watch: Watch<'_>) -> Result<Answer, Trouble> {
        let Question { position, budget, analysis } = question;
        self.engine.new_game();
        let analyse_mode = self.analysis || analysis;
        if self.engine.settings().analyse_mode != analyse_mode {
            let settings = Settings { analyse_mode, ..self.engine.settings().clone() };
            self.engine.apply(settings).iter().for_each(|remark| remark!("ibex: {remark}"));
        }
        let (game, mut hear) = (Game::new(*position), |report| watch(&line(report)));
        let searched =
            search(&mut self.engine, game, budget.limits(), self.patience, Some(&mut hear), tell::remark_once);
        searched.map(|outcome| {
            // The last line may be newer than any reported one.
            if let Some(last) = outcome.last {
                watch(&line(Report { nodes: outcome.nodes, time: outcome.time, ..last }));
            }
            let ms = outcome.time.as_millis().try_into().unwrap_or(u64::MAX);
            Answer { best: outcome.best, nodes: outcome.nodes, ms }
        })
    }
}

/// Searches on a thread of its own and waits for the result. If there is a `watch`, it gets the lines of the first
/// variation, and returns true to end the search. `trouble` gets what [`Event::Trouble`] says.
///
/// # Errors
///
/// The search took longer than `patience` allows, the run must stop, or there is no thread to search with.
pub fn search(
    engine: &mut Engine,
    game: Game,
    limits: Limits,
    patience: Option<Duration>,
    mut watch: Option<&mut dyn FnMut(Report) -> bool>,
    mut trouble: impl FnMut(String),
) -> Result<Outcome, Trouble> {
    let (sender, receiver) = crossbeam_channel::unbounded();
    let all = watch.is_some();
    let listener = move |event: &Event| {
        if all || matches!(event, Event::Trouble(_) | Event::Done(_)) {
            // A receiver that is gone no longer needs the event.
            let _ = sender.send(event.clone());
        }
    };
    let started = engine.start(game, limits, std::sync::Arc::new(listener));
    started.map_err(|error| Trouble::Died(format!("no thread for the search: {error}")))?;
    // Without a representable end, the wait is unlimited.
    let end = patience.and_then(|patience| Instant::now().checked_add(patience));
    let mut alarm = end.map_or_else(crossbeam_channel::never, at);
    let mut stop = interrupt::stop();
    let (mut late, mut interrupted) = (false, false);
    loop {
        let event = select! {
            recv(receiver) -> event => Heard::Event(event.ok()),
            recv(alarm) -> _ => Heard::Alarm,
            recv(stop) -> _ => Heard::Stop,
        };
        match event {
            Heard::Event(Some(Event::Line(report))) if report.line == 1 => {
                if watch.as_mut().is_some_and(|watch| watch(report)) {
                    engine.stop();
                }
            }
            Heard::Event(Some(Event::Trouble(what))) => trouble(what),
            Heard::Event(Some(Event::Done(outcome))) => {
                engine.wait();
                if interrupted {
                    return Err(Trouble::Interrupted);
                }
                if late {
                    return Err(Trouble::Timeout("stopped after the time allowed (--timeout)".to_owned()));
                }
                return Ok(outcome);
            }
            Heard::Event(Some(_)) => {}
            Heard::Event(None) => {
                engine.wait();
                return Err(Trouble::Died("the search ended without a result".to_owned()));
            }
            Heard::Alarm => {
                late = true;
                alarm = crossbeam_channel::never();
                engine.stop();
            }
            Heard::Stop => {
                interrupted = true;
                stop = crossbeam_channel::never();
                engine.stop();
            }
        }
    }
}

/// What can arrive while waiting for a search.
enum Heard {
    /// From the search; `None` if it ended without a result.
    Event(Option<Event>),
    /// The time is over.
    Alarm,
    /// The run must stop.
    Stop,
}

/// The depth behind a score: an exact mate rests on its own plies, however deep the last iteration was.
pub fn depth_behind(depth: u32, value: UciScore, bound: Bound) -> u32 {
    match value {
        UciScore::Mate(moves) if bound == Bound::Exact && moves > 0 => {
            depth.min(moves.unsigned_abs().saturating_mul(2) - 1)
        }
        UciScore::Mate(moves) if bound == Bound::Exact => depth.min(moves.unsigned_abs().saturating_mul(2)),
        _ => depth,
    }
}

fn line(report: Report) -> Line {
    let value = UciScore::from(report.value.score());
    Line {
        depth: depth_behind(report.depth, value, report.value.bound()),
        seldepth: report.seldepth,
        nodes: report.nodes,
        ms: report.time.as_millis().try_into().unwrap_or(u64::MAX),
        value: Some((value, report.value.bound())),
        pv: report.pv,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_depth_of_a_mate_is_its_distance() {
        for (depth, value, bound, shown) in [
            (245, UciScore::Mate(1), Bound::Exact, 1),
            (245, UciScore::Mate(14), Bound::Exact, 27),
            (245, UciScore::Mate(-3), Bound::Exact, 6),
            (9, UciScore::Mate(14), Bound::Exact, 9),
            (20, UciScore::Mate(2), Bound::Lower, 20),
            (245, UciScore::Cp(0), Bound::Exact, 245),
            (245, UciScore::Mate(0), Bound::Exact, 0),
            (9, UciScore::Mate(i32::MAX), Bound::Lower, 9),
        ] {
            assert_eq!(depth_behind(depth, value, bound), shown, "{value:?} at {depth}");
        }
    }

    #[test]
    fn node_and_time_limits_have_no_patience_of_their_own() {
        let mate = Budget { mate: Some(9), ..Budget::default() };
        assert_eq!(mate.own_patience(), Some(Duration::from_secs(3600)));
        assert_eq!(Budget { depth: Some(9), ..mate }.own_patience(), Some(Duration::from_secs(3600)));
        assert_eq!(Budget { nodes: Some(9), ..mate }.own_patience(), None);
        assert_eq!(Budget { movetime: Some(9), ..mate }.own_patience(), None);
        // As documented in docs/epd.md and in the help of --timeout.
        let seconds = |budget: Budget| budget.patience().as_secs_f64();
        let nodes = Budget { nodes: Some(1_000_000), ..mate };
        assert_eq!((seconds(nodes), seconds(Budget { movetime: Some(2000), ..nodes })), (50.0, 21.0));
    }
}
