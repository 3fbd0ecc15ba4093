//! The searcher: Ibex, or another engine.

use super::plan::SearcherPlan;
use crate::play::external::External;
use crate::play::player::{self, Answer, Budget, BuiltIn, Line, Player as _, Question, Trouble, UciScore, Watch};
use ibex::bound::Bound;
use ibex::engine::{Engine, Settings};
use ibex::position::{Game, Move};
use ibex::search::Report;
use terminal::{CommandError, interrupt, remark, tell, trouble};

/// Failures in a row after which an engine is given up.
const FAILURES: u32 = 3;
/// The largest plausible centipawns, and moves to mate: a program may send any number.
const MOST: i32 = 100_000;
/// The most characters that are used of an engine's name.
const LONGEST_NAME: usize = 80;

/// The result of a search.
#[derive(Clone, Debug)]
pub struct Finding {
    /// From the side to move's view.
    pub value: UciScore,
    /// Whether the value is only a bound.
    pub bound: Bound,
    /// The iteration.
    pub depth: u32,
    /// The best line.
    pub pv: Vec<Move>,
    /// What kind of statement the value is, in words.
    pub statement: String,
    /// Whether it is proved.
    pub proved: bool,
}

/// The searcher.
pub enum Searcher {
    /// Ibex. Its tables exist only while they are in use.
    Ibex {
        /// Its settings.
        settings: Settings,
        /// For games.
        games: Option<Box<Engine>>,
        /// For single positions.
        positions: Option<Box<BuiltIn>>,
    },
    /// Another engine.
    Other {
        /// The engine.
        engine: Box<External>,
        /// Its short name.
        label: String,
        /// Its settings, for comparison with another run.
        job: String,
        /// Failures since its last answer.
        failures: u32,
    },
}

impl Searcher {
    /// Starts the searcher of a plan.
    ///
    /// # Errors
    ///
    /// One line: there is no such engine, or it does not answer.
    pub fn start(plan: &SearcherPlan) -> Result<Searcher, CommandError> {
        match plan {
            SearcherPlan::Ibex(settings) => {
                Ok(Searcher::Ibex { settings: settings.clone(), games: None, positions: None })
            }
            SearcherPlan::Other { label, command, options, program } => {
                let engine =
                    External::start(program.clone()).map_err(|reason| trouble!("--engine {label}: {reason}"))?;
                engine.remarks().iter().for_each(|remark| remark!("--engine {label}: {remark}"));
                let job = format!("engine {}, {command}, options {options:?}", engine.name());
                Ok(Searcher::Other { engine: Box::new(engine), label: label.clone(), job, failures: 0 })
            }
        }
    }

    /// The name shown to readers of the analysis.
    pub fn name(&self) -> String {
        let ibex = ibex::NAME;
        match self {
            Searcher::Ibex { .. } => ibex.to_owned(),
            Searcher::Other { engine, .. } => {
                let visible = |c: char| if c.is_control() { ' ' } else { c };
                let name: String = engine.name().chars().take(LONGEST_NAME).map(visible).collect();
                format!("{ibex} with {name}")
            }
        }
    }

    /// What affects the results besides the limits.
    pub fn job(&self) -> String {
        match self {
            Searcher::Ibex { .. } => "engine Ibex".to_owned(),
            Searcher::Other { job, .. } => job.clone(),
        }
    }

    /// The short name of another engine; `None` for Ibex.
    pub fn label(&self) -> Option<&str> {
        match self {
            Searcher::Ibex { .. } => None,
            Searcher::Other { label, .. } => Some(label),
        }
    }

    /// Whether another position may be tried after a failure.
    pub fn endures(&self) -> bool {
        matches!(self, Searcher::Other { failures, .. } if *failures < FAILURES)
    }

    /// Another game begins.
    pub fn begin_game(&mut self) {
        if let Searcher::Ibex { games: Some(engine), .. } = self {
            engine.new_game();
        }
    }

    /// Frees memory that is not used for now.
    pub fn rest(&mut self) {
        if let Searcher::Ibex { games, positions, .. } = self {
            (*games, *positions) = (None, None);
        }
    }

    /// Searches a position of a game; `None` if the search was too short for a value.
    ///
    /// # Errors
    ///
    /// What went wrong; see [`Searcher::endures`].
    pub fn search(&mut self, game: Game, budget: &Budget) -> Result<Option<Finding>, Trouble> {
        match self {
            Searcher::Ibex { settings, games, .. } => {
                let engine = games.get_or_insert_with(|| {
                    let (engine, remarks) = Engine::new(settings.clone());
                    remarks.iter().for_each(|remark| remark!("ibex: {remark}"));
                    Box::new(engine)
                });
                let outcome = player::search(engine, game, budget.limits(), None, None, tell::remark_once)?;
                Ok(outcome.last.map(Finding::from))
            }
            Searcher::Other { label, .. } => {
                let label = label.clone();
                let mut last: Option<Line> = None;
                let is_exact = |line: &Line| line.value.is_some_and(|(_, bound)| bound == Bound::Exact);
                let question = Question { position: game.position(), budget, analysis: true };
                let answer = self.think(question, &mut |line| {
                    if line.value.is_some() && (is_exact(line) || !last.as_ref().is_some_and(is_exact)) {
                        last = Some(line.clone());
                    }
                    false
                })?;
                Ok(last.and_then(|line| claimed(&label, line, answer.best)))
            }
        }
    }

    /// Searches a position that does not belong to a game.
    ///
    /// # Errors
    ///
    /// What went wrong; see [`Searcher::endures`].
    pub fn think(&mut self, question: Question<'_>, watch: Watch<'_>) -> Result<Answer, Trouble> {
        match self {
            Searcher::Ibex { settings, positions, .. } => {
                positions.get_or_insert_with(|| Box::new(BuiltIn::new(settings.clone(), None))).think(question, watch)
            }
            Searcher::Other { engine, label, failures, .. } => {
                let answer = engine.think(Question { analysis: true, ..question }, watch);
                // An interruption ends the engine too.
                if interrupt::is_stopped() {
                    return Err(Trouble::Interrupted);
                }
                match &answer {
                    Ok(_) => *failures = 0,
                    // It does not count that the engine cannot play one more position.
                    Err(Trouble::Unfit(_)) => {}
                    Err(_) => *failures += 1,
                }
                answer.map_err(|trouble| match trouble {
                    Trouble::Died(what)
                    | Trouble::NotStarted(what)
                    | Trouble::Timeout(what)
                    | Trouble::Illegal(what) => {
                        let more = if *failures < FAILURES { "" } else { "; given up after three failures in a row" };
                        Trouble::Died(format!("{label}: {what}{more}"))
                    }
                    Trouble::Unfit(what) => Trouble::Unfit(format!("{label}: {what}")),
                    Trouble::Interrupted => Trouble::Interrupted,
                })
            }
        }
    }
}

impl From<Report> for Finding {
    fn from(report: Report) -> Finding {
        let (value, bound) = (UciScore::from(report.value.score()), report.value.bound());
        Finding {
            value,
            bound,
            depth: player::depth_behind(report.depth, value, bound),
            statement: report.statement().to_owned(),
            proved: report.basis.is_proof(),
            pv: report.pv,
        }
    }
}

/// The report of another engine. Nothing of it is proved.
fn claimed(label: &str, line: Line, best: Option<Move>) -> Option<Finding> {
    let (value, bound) = line.value?;
    let (value, statement) = match value {
        UciScore::Cp(cp) if bound == Bound::Exact => (UciScore::Cp(cp.clamp(-MOST, MOST)), "evaluation of"),
        UciScore::Cp(cp) => (UciScore::Cp(cp.clamp(-MOST, MOST)), "bound of an evaluation of"),
        UciScore::Mate(moves) => (UciScore::Mate(moves.clamp(-MOST, MOST)), "mate claimed by"),
    };
    // A line that begins with another move than the engine's answer is not a better line.
    let pv = if line.pv.first() == best.as_ref() { line.pv } else { best.into_iter().collect() };
    Some(Finding { value, bound, depth: line.depth, pv, statement: format!("{statement} {label}"), proved: false })
}
