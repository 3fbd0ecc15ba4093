//! Scores against the truth, over random positions.

use std::collections::BTreeMap;
use std::str::FromStr;
use std::sync::Mutex;

use super::sample::{self, Sample};
use super::{Common, engine, percent, solved};
use ibex::engine::Engine;
use ibex::parallel::in_parallel;
use ibex::position::Game;
use ibex::random::Random;
use ibex::recognize::syzygy::Tablebases;
use ibex::retrograde::{Endgame, UnknownEndgame};
use ibex::time::Limits;
use terminal::tell::share;
use terminal::{CommandError, Exit, progress, tell, trouble};

/// A score within this number of centipawns counts as a draw.
const NEAR_ZERO: i32 = 30;
/// A score above this number of centipawns counts as a win.
const WINNING: i32 = 500;
/// The percentage that must be right.
const REQUIRED: f64 = 99.0;

/// Which positions, and how long each is searched.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// Random positions of each ending
    #[arg(long, default_value = "60", value_name = "N", value_parser = super::some)]
    pub positions: usize,
    /// Nodes for each position
    #[arg(long, default_value_t = 20_000, value_name = "N", value_parser = terminal::amount::count)]
    pub nodes: u64,
    #[command(flatten)]
    pub common: Common,
    /// Only these endings, such as KBPvK [default: all of up to four men, KPvKP only with --syzygy]
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub endings: Vec<Ending>,
    /// Folders with Syzygy tables, for pawn against pawn (KPvKP)
    #[arg(long, value_name = "FOLDER")]
    pub syzygy: Option<String>,
}

/// An ending that can be chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// An ending that is solved here.
    Solved(Endgame),
    /// Pawn against pawn, whose results Syzygy tables give.
    Pawns,
}

impl FromStr for Ending {
    type Err = UnknownEndgame;

    /// Reads a name such as `KBNvK`.
    fn from_str(name: &str) -> Result<Ending, UnknownEndgame> {
        if name == sample::PAWNS { Ok(Ending::Pawns) } else { name.parse().map(Ending::Solved) }
    }
}

/// How a score shows a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    Rightly,
    /// A draw too far from zero, or a win too near to it.
    Vaguely,
    /// A win as a loss, or a draw as a win or a loss.
    Wrongly,
}

/// The counts of one ending, or of all.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    draws: usize,
    draws_right: usize,
    decided: usize,
    decided_right: usize,
    wrong: usize,
}

impl Count {
    fn add(&mut self, result: i32, shown: Shown) {
        let right = usize::from(shown == Shown::Rightly);
        if result == 0 {
            self.draws += 1;
            self.draws_right += right;
        } else {
            self.decided += 1;
            self.decided_right += right;
        }
        self.wrong += usize::from(shown == Shown::Wrongly);
    }

    fn row(&self, name: &str) -> String {
        let share = |part, whole| if whole == 0 { "-".to_owned() } else { share(part, whole, 1) + "%" };
        format!(
            "| {name} | {} | {} | {} | {} | {} |",
            self.draws,
            share(self.draws_right, self.draws),
            self.decided,
            share(self.decided_right, self.decided),
            self.wrong
        )
    }
}

/// Judges centipawns, where mates count as 30,000.
fn judge(cp: i32, result: i32) -> Shown {
    match result {
        0 if cp.abs() <= NEAR_ZERO => Shown::Rightly,
        0 if cp.abs() <= WINNING => Shown::Vaguely,
        0 => Shown::Wrongly,
        _ if cp * result > WINNING => Shown::Rightly,
        _ if cp * result >= 0 => Shown::Vaguely,
        _ => Shown::Wrongly,
    }
}

fn search(engine: &mut Engine, sample: &Sample, nodes: u64) -> Option<i32> {
    engine.new_game();
    let outcome = engine.search(&Game::new(sample.position), Limits::nodes(nodes), None);
    Some(outcome.last?.value.score().cp())
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Exit, CommandError> {
    let samples = choose(args)?;
    let bar = progress::bar(samples.len() as u64, "positions");
    let idle = Mutex::new(Vec::new());
    let scores = in_parallel(
        samples.len(),
        args.common.jobs(),
        |i| {
            let kept = idle.lock().ok().and_then(|mut idle: std::sync::MutexGuard<'_, Vec<Engine>>| idle.pop());
            let mut engine = kept.unwrap_or_else(engine);
            let cp = search(&mut engine, &samples[i], args.nodes);
            if let Ok(mut idle) = idle.lock() {
                idle.push(engine);
            }
            cp
        },
        |_, _| bar.inc(1),
    );
    bar.finish_and_clear();
    let mut counts: BTreeMap<&str, Count> = BTreeMap::new();
    let mut all = Count::default();
    for (sample, cp) in samples.iter().zip(scores) {
        // A search without a score has not shown the result.
        let shown = cp.map_or(Shown::Vaguely, |cp| judge(cp, sample.result));
        counts.entry(&sample.ending).or_default().add(sample.result, shown);
        all.add(sample.result, shown);
        if args.common.verbose && shown != Shown::Rightly {
            let cp = cp.unwrap_or_default();
            tell!("{} {}: {} is shown as {cp}, {shown:?}", sample.ending, sample.position.fen(), sample.result)?;
        }
    }
    tell!("| ending | draws | within {NEAR_ZERO} | wins and losses | above {WINNING} | wrong side |")?;
    tell!("|---|--:|--:|--:|--:|--:|")?;
    for (ending, count) in &counts {
        tell!("{}", count.row(ending))?;
    }
    tell!("{}", all.row("together"))?;
    Ok(verdict(&all))
}

fn verdict(all: &Count) -> Exit {
    let enough = percent(all.draws_right, all.draws) >= REQUIRED
        && percent(all.decided_right, all.decided) >= REQUIRED
        && all.wrong == 0;
    if enough { Exit::Done } else { Exit::Found }
}

fn choose(args: &Args) -> Result<Vec<Sample>, CommandError> {
    let all = Endgame::all();
    let wants_all = args.endings.is_empty();
    let wants = |ending: &Ending| wants_all || args.endings.contains(ending);
    let endings: Vec<Endgame> = all.iter().filter(|&ending| wants(&Ending::Solved(ending.clone()))).cloned().collect();
    let pawns = match &args.syzygy {
        None if !wants_all && wants(&Ending::Pawns) => {
            return Err(trouble!("{} needs tables (--syzygy)", sample::PAWNS));
        }
        Some(path) if wants(&Ending::Pawns) => {
            let tables = Tablebases::open(path).0.ok_or_else(|| trouble!("no tables in '{path}'"))?;
            sample::pawns(&tables, args.positions, &mut Random::new(args.common.seed))
                .ok_or_else(|| trouble!("no tables of KPvKP in '{path}', or none of what it leads to"))?
        }
        _ => Vec::new(),
    };
    let tables = solved(endings.iter().cloned());
    let mut samples = Vec::new();
    for ending in &endings {
        // The choice of endings does not change the positions of each.
        let part = all.iter().position(|known| known == ending).unwrap_or(all.len());
        let mut random = Random::of_part(args.common.seed, part as u64);
        if let Some(table) = tables.get(ending) {
            samples.extend(sample::samples(table, args.positions, &mut random));
        }
    }
    samples.extend(pawns);
    if samples.is_empty() { Err(trouble!("no positions")) } else { Ok(samples) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_judged_by_the_result() {
        for (cp, result, shown) in [
            (0, 0, Shown::Rightly),
            (-30, 0, Shown::Rightly),
            (31, 0, Shown::Vaguely),
            (-501, 0, Shown::Wrongly),
            (501, 1, Shown::Rightly),
            (29_990, 1, Shown::Rightly),
            (500, 1, Shown::Vaguely),
            (-1, 1, Shown::Wrongly),
            (-10_000, -1, Shown::Rightly),
            (10, -1, Shown::Wrongly),
        ] {
            assert_eq!(judge(cp, result), shown, "{cp} for {result}");
        }
    }

    #[test]
    fn a_count_is_a_row_and_a_verdict() {
        let mut count = Count::default();
        for (result, shown) in [
            (0, Shown::Rightly),
            (0, Shown::Vaguely),
            (0, Shown::Wrongly),
            (1, Shown::Rightly),
            (-1, Shown::Rightly),
            (-1, Shown::Vaguely),
            (1, Shown::Wrongly),
        ] {
            count.add(result, shown);
        }
        assert_eq!(count.row("KPvK"), "| KPvK | 3 | 33.3% | 4 | 50.0% | 2 |");
        assert_eq!(Count::default().row("none"), "| none | 0 | - | 0 | - | 0 |");
        let found = |draws_right, decided_right, wrong| {
            verdict(&Count { draws: 100, draws_right, decided: 100, decided_right, wrong }) == Exit::Found
        };
        assert!(!found(99, 99, 0));
        assert!(found(98, 100, 0));
        assert!(found(100, 98, 0));
        assert!(found(100, 99, 1));
        assert_eq!(verdict(&Count::default()), Exit::Done);
    }

    #[test]
    fn missing_pawn_against_pawn_tables_are_an_error() {
        let folder = crate::scratch::Scratch::new("few-tables");
        let args = |folder: &str| Args {
            positions: 1,
            nodes: 1,
            common: Common { seed: 7, jobs: None, verbose: false },
            endings: vec!["KQvK", "KPvKP"].into_iter().map(|name| name.parse().expect("an ending")).collect(),
            syzygy: Some(folder.to_owned()),
        };
        assert!(choose(&args(&folder.path("."))).is_err_and(|reason| reason.to_string().starts_with("no tables in ")));
        let mut table = [0; 80];
        table[..4].copy_from_slice(&[0x71, 0xE8, 0x23, 0x5D]);
        folder.write("KRRvK.rtbw", table);
        assert!(
            choose(&args(&folder.path(".")))
                .is_err_and(|reason| reason.to_string().starts_with("no tables of KPvKP in "))
        );
    }

    #[test]
    fn only_the_chosen_endings_are_sampled() {
        let chosen = |names: &[&str], syzygy: Option<&str>| {
            let args = Args {
                positions: 2,
                nodes: 1,
                common: Common { seed: 7, jobs: None, verbose: false },
                endings: names.iter().map(|name| name.parse().expect("an ending")).collect(),
                syzygy: syzygy.map(str::to_owned),
            };
            let names = |samples: Vec<Sample>| samples.into_iter().map(|sample| sample.ending).collect::<Vec<_>>();
            choose(&args).map(names).map_err(|error| error.to_string())
        };
        // The tables serve only pawn against pawn, so a folder without any is not an error here.
        assert_eq!(chosen(&["KPvK"], Some("/no/such/folder")), Ok(vec!["KPvK".to_owned(); 2]));
        // Two kings are an ending, too.
        assert_eq!(chosen(&["KvK"], None), Ok(vec!["KvK".to_owned(); 2]));
        assert_eq!(chosen(&["KPvKP"], None), Err("KPvKP needs tables (--syzygy)".to_owned()));
    }

    /// Every position of these endings is recognized, or next to a recognized one: the smallest search must be right.
    #[test]
    fn recognized_endings_get_the_right_score() {
        let exit = |endings: &[&str], nodes| {
            run(&Args {
                positions: 20,
                nodes,
                common: Common { seed: 7, jobs: None, verbose: true },
                endings: endings.iter().map(|name| name.parse().expect("an ending")).collect(),
                syzygy: None,
            })
            .expect("searches")
        };
        assert_eq!(exit(&["KQvK", "KRvK", "KPvK", "KBvK", "KBvKN"], 2000), Exit::Done);
        // Whether the rook stops the pawn takes more than one node to see.
        assert_eq!(exit(&["KRvKP"], 1), Exit::Found);
    }
}
