//! Positions that recognizers settle a few plies below the root: made at random, proved twice.
//!
//! A position is settled when every line of play, to a certain depth, ends in a known result, so that the result of
//! every root move follows. Generation trusts the recognizers, the proof uses the solved endings;
//! both know checkmate and stalemate. Neither the search nor the evaluation takes part.

use std::collections::HashMap;
use std::path::PathBuf;

use shakmaty::{Color, Piece, Role};

use super::sample;
use super::solved;
use formats::epd::{Suite, SuiteEntry};
use ibex::bound::Bound;
use ibex::parallel::{default_jobs, in_parallel};
use ibex::position::notation::san;
use ibex::position::{Move, Position};
use ibex::random::Random;
use ibex::recognize::recognize;
use ibex::retrograde::{Dtm, Endgame, Tables};
use terminal::tell::counted;
use terminal::{CommandError, Exit, inputs, progress, remark, tell, trouble};

/// The least and the greatest distance of recognized positions from the root, in plies.
const NEAREST: u32 = 2;
const FARTHEST: u32 = 8;
/// The most positions examined for one root.
const EFFORT: u64 = 5000;

/// The material that is placed at random.
const MATERIAL: [&str; 22] = [
    "KRvKP", "KQvKP", "KPPvK", "KBPvK", "KNPvK", "KPPvKP", "KBPvKP", "KNPvKP", "KRvKPP", "KQvKPP", "KBBvKP", "KBNvKP",
    "KNNvKP", "KBPvKB", "KBPvKN", "KNPvKN", "KRPvKB", "KRPvKN", "KRPvKR", "KQPvKQ", "KBPPvKP", "KBPPvKB",
];

/// How many positions to make.
#[derive(clap::Args, Clone, Debug)]
pub struct MakeArgs {
    /// Positions
    #[arg(long, default_value = "220", value_name = "N", value_parser = super::some)]
    pub positions: usize,
    /// The seed of the random choice
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub seed: u64,
}

/// Which suites to prove.
#[derive(clap::Args, Clone, Debug)]
pub struct ProveArgs {
    /// Suites made by `ibex-lab endings make`; patterns, or - for standard input
    #[arg(required = true, value_name = "FILE.epd")]
    pub files: Vec<PathBuf>,
}

/// The proved range of a position: the least and the most that the side to move gets, of −1, 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Range {
    least: i8,
    most: i8,
}

impl Range {
    const NOTHING: Range = Range { least: -1, most: 1 };

    fn exactly(result: i8) -> Range {
        Range { least: result, most: result }
    }

    fn is_settled(self) -> bool {
        self.least == self.most
    }

    fn turned(self) -> Range {
        Range { least: -self.most, most: -self.least }
    }
}

/// The source of results before the game is over.
#[derive(Clone, Copy)]
pub enum Oracle<'a> {
    /// The answers of the engine's recognizers.
    Recognizers,
    /// The true values of up to four men.
    Tables(&'a Tables),
}

impl Oracle<'_> {
    fn ask(self, position: &Position) -> Range {
        match self {
            Oracle::Recognizers => {
                let Some(ibv) = recognize(position).ibv else { return Range::NOTHING };
                let result = if ibv.score().is_draw() { 0 } else { ibv.score().raw().signum() as i8 };
                match ibv.bound() {
                    Bound::Exact => Range::exactly(result),
                    // A lower bound of a win is a win.
                    Bound::Lower => Range { least: result, most: 1 },
                    Bound::Upper => Range { least: -1, most: result },
                }
            }
            Oracle::Tables(tables) => match tables.value(&position.board().into(), position.turn()) {
                Some(Dtm::Win(_)) => Range::exactly(1),
                Some(Dtm::Draw) => Range::exactly(0),
                Some(Dtm::Loss(_)) => Range::exactly(-1),
                None => Range::NOTHING,
            },
        }
    }
}

/// A settled root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settled {
    /// The result for the side to move.
    pub result: i8,
    /// The moves that keep it.
    pub keys: Vec<Move>,
    /// Plies below the root at which all results are known.
    pub plies: u32,
}

/// The search for results: every move is examined, until the effort is spent.
struct Prover<'a> {
    oracle: Oracle<'a>,
    seen: HashMap<(u64, u32), Range>,
    effort: u64,
}

impl Prover<'_> {
    /// The range of a position from a search of `plies`; `None` if the effort is spent.
    fn range(&mut self, position: &Position, plies: u32) -> Option<Range> {
        let moves = position.legal_moves();
        if moves.is_empty() {
            return Some(Range::exactly(if position.in_check() { -1 } else { 0 }));
        }
        let known = self.oracle.ask(position);
        if known.is_settled() || plies == 0 {
            return Some(known);
        }
        let index = (position.key(), plies);
        if let Some(&range) = self.seen.get(&index) {
            return Some(range);
        }
        self.effort = self.effort.checked_sub(1)?;
        let mut best = Range::exactly(-1);
        for m in moves {
            let range = self.range(&position.after(m), plies - 1)?.turned();
            best = Range { least: best.least.max(range.least), most: best.most.max(range.most) };
            if best.least == known.most {
                break;
            }
        }
        let range = Range { least: best.least.max(known.least), most: best.most.min(known.most) };
        self.seen.insert(index, range);
        Some(range)
    }
}

/// Finds the number of plies, up to a limit, at which the result of the root and all moves that keep it are known.
pub fn settle(root: &Position, oracle: Oracle<'_>, farthest: u32, effort: u64) -> Option<Settled> {
    let mut prover = Prover { oracle, seen: HashMap::new(), effort };
    let moves = root.legal_moves();
    for plies in 1..=farthest {
        let mut ranges = Vec::with_capacity(moves.len());
        for &m in &moves {
            ranges.push(prover.range(&root.after(m), plies - 1)?.turned());
        }
        let result = ranges.iter().map(|range| range.least).max()?;
        if ranges.iter().all(|&range| range == Range::exactly(result) || range.most < result) {
            let keys = moves.iter().zip(&ranges).filter(|(_, range)| range.least == result).map(|(&m, _)| m).collect();
            return Some(Settled { result, keys, plies });
        }
    }
    None
}

fn word(result: i8) -> &'static str {
    match result {
        1 => "win",
        0 => "draw",
        _ => "loss",
    }
}

/// Makes a suite and prints it.
pub fn make(args: &MakeArgs) -> Result<Exit, CommandError> {
    let tables = solved(Endgame::all());
    // Some kinds of material give fewer positions than others.
    let share = 2 * args.positions.div_ceil(MATERIAL.len());
    let bar = progress::bar(MATERIAL.len() as u64, "kinds of material");
    let made = in_parallel(
        MATERIAL.len(),
        default_jobs(),
        |i| make_some(MATERIAL[i], share, &tables, Random::of_part(args.seed, i as u64)),
        |_, _| bar.inc(1),
    );
    bar.finish_and_clear();
    let there = made.iter().map(Vec::len).sum::<usize>();
    for (number, (material, position, settled)) in taken(&made, args.positions).enumerate() {
        let fen = position.fen();
        let fields: Vec<&str> = fen.split(' ').take(4).collect();
        let keys: Vec<String> = settled.keys.iter().map(|&m| san(position, m)).collect();
        tell!(
            "{} bm {}; result {}; plies {}; id \"recognized.{:03} {material}\";",
            fields.join(" "),
            keys.join(" "),
            word(settled.result),
            settled.plies,
            number + 1,
        )?;
    }
    if there < args.positions {
        remark!("ibex-lab endings: this seed gives only {there} of {} positions", args.positions);
        return Ok(Exit::Found);
    }
    Ok(Exit::Done)
}

/// Takes up to `most` of those made: one of each kind, then a second of each, until there are no more.
fn taken<T>(made: &[Vec<T>], most: usize) -> impl Iterator<Item = &T> {
    let rounds = made.iter().map(Vec::len).max().unwrap_or(0);
    (0..rounds).flat_map(|round| made.iter().filter_map(move |some| some.get(round))).take(most)
}

fn make_some(
    material: &'static str,
    count: usize,
    tables: &Tables,
    mut random: Random,
) -> Vec<(&'static str, Position, Settled)> {
    let men = men_of(material);
    let mut made: Vec<(&'static str, Position, Settled)> = Vec::new();
    for _ in 0..1500 {
        if made.len() == count {
            break;
        }
        let Some(position) = sample::placed(&men, &mut random) else { continue };
        let Some(settled) = settle(&position, Oracle::Recognizers, FARTHEST, EFFORT) else { continue };
        // Half of a share may be wins.
        let wins = made.iter().filter(|(_, _, other)| other.result == 1).count();
        let fits = settled.plies >= NEAREST
            && settled.result >= 0
            && settled.keys.len() <= 2
            && position.legal_moves().len() >= 3 + settled.keys.len()
            && (settled.result == 0 || wins < count.div_ceil(2));
        let fits = fits && {
            let proof = settle(&position, Oracle::Tables(tables), settled.plies, 4 * EFFORT);
            proof.is_some_and(|proof| (proof.result, &proof.keys) == (settled.result, &settled.keys))
        };
        if fits {
            let position = if random.below(2) == 0 { position } else { position.flipped() };
            // Flipped or not, the keys refer to the position as printed.
            if let Some(settled) = settle(&position, Oracle::Recognizers, FARTHEST, EFFORT) {
                made.push((material, position, settled));
            }
        }
    }
    made
}

/// The men of a name such as `KBPvKP`, without the kings.
fn men_of(material: &str) -> Vec<Piece> {
    let sides = material.split('v').zip([Color::White, Color::Black]);
    sides
        .flat_map(|(side, color)| {
            side.chars().skip(1).filter_map(Role::from_char).map(move |role| Piece { color, role })
        })
        .collect()
}

/// Proves suites again.
pub fn prove(args: &ProveArgs) -> Result<Exit, CommandError> {
    let files = inputs::expand(&args.files)?;
    let suites = files.iter().map(|file| Suite::read(file)).collect::<Result<Vec<_>, _>>()?;
    for suite in &suites {
        for remark in suite.remarks() {
            remark!("{remark}");
        }
        for problem in &suite.problems {
            remark!("{problem}");
        }
    }
    if suites.iter().all(|suite| suite.entries.is_empty()) {
        let names: Vec<String> = files.iter().map(|file| inputs::name(file)).collect();
        return Err(trouble!("{}: nothing to prove", names.join(", ")));
    }
    let tables = solved(Endgame::all());
    let mut failed = 0;
    for suite in &suites {
        let results =
            in_parallel(suite.entries.len(), default_jobs(), |i| check(&suite.entries[i], &tables), |_, _| ());
        let mut wrong = suite.problems.len();
        for (entry, result) in suite.entries.iter().zip(results) {
            if let Err(reason) = result {
                tell!("{}:{}: {reason}", suite.file, entry.line)?;
                wrong += 1;
            }
        }
        let lines = counted(suite.entries.len() as u64, "line", "lines");
        tell!("{}: {lines}, {wrong} wrong", suite.file)?;
        failed += wrong;
    }
    Ok(if failed == 0 { Exit::Done } else { Exit::Found })
}

/// Proves one line: its result and its keys by the tables, its plies by the recognizers.
///
/// # Errors
///
/// One line that says what is wrong.
pub fn check(entry: &SuiteEntry, tables: &Tables) -> Result<(), CommandError> {
    let text = |opcode| entry.operation(opcode).map(|operation| operation.text().to_owned()).unwrap_or_default();
    let plies: u32 = text("plies").parse().map_err(|_| trouble!("it does not say at how many plies it is settled"))?;
    if !(NEAREST..=FARTHEST).contains(&plies) {
        return Err(trouble!("{plies} plies are not {NEAREST} to {FARTHEST}"));
    }
    let proof = settle(&entry.position, Oracle::Tables(tables), plies, 400 * EFFORT)
        .ok_or_else(|| trouble!("the tables do not settle it in {plies} plies"))?;
    if word(proof.result) != text("result") {
        return Err(trouble!("it is a {}", word(proof.result)));
    }
    let name = |m: &Move| san(&entry.position, *m);
    if let Some(wrong) = entry.best.iter().find(|m| !proof.keys.contains(m)) {
        return Err(trouble!("{} does not keep the {}", name(wrong), word(proof.result)));
    }
    if let Some(missing) = proof.keys.iter().find(|m| !entry.best.contains(m)) {
        return Err(trouble!("{} keeps the {} as well", name(missing), word(proof.result)));
    }
    let recognized = settle(&entry.position, Oracle::Recognizers, FARTHEST, 400 * EFFORT).map(|settled| settled.plies);
    if recognized == Some(plies) { Ok(()) } else { Err(trouble!("recognizers settle it in {recognized:?} plies")) }
}

#[cfg(test)]
mod tests {
    use shakmaty::CastlingMode;

    use std::sync::OnceLock;

    use super::*;

    /// The endings of some tests, solved once.
    fn some_tables() -> &'static Tables {
        static TABLES: OnceLock<Tables> = OnceLock::new();
        let names = ["KNvK", "KNvKP", "KNvKQ", "KNvKR", "KNvKB", "KNvKN"];
        TABLES.get_or_init(|| Tables::solve(names.map(|name| name.parse().expect("an ending"))))
    }

    fn position(fen: &str) -> Position {
        Position::from_fen(fen, CastlingMode::Standard).expect("a position")
    }

    /// The project's own suite, proved again.
    #[test]
    #[ignore = "a minute or two: all endings of four men; CI runs it"]
    fn our_suite_is_proved() {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../epd/recognizers.epd");
        let suite = Suite::read(&path).expect("readable");
        assert!(suite.problems.is_empty(), "{:?}", suite.problems);
        assert!(suite.entries.len() >= 200);
        let tables = Tables::solve(Endgame::all());
        let checked = in_parallel(
            suite.entries.len(),
            default_jobs(),
            |i| {
                check(&suite.entries[i], &tables)
                    .map_err(|error| error.about(format_args!("line {}", suite.entries[i].line)))
            },
            |_, _| (),
        );
        let wrong: Vec<CommandError> = checked.into_iter().filter_map(Result::err).collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    fn positions_are_taken_from_each_source_in_turn() {
        let made = [vec![1, 4], vec![], vec![2, 5, 6], vec![3]];
        assert_eq!(taken(&made, usize::MAX).copied().collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6]);
        assert_eq!(taken(&made, 4).count(), 4);
        assert_eq!(taken(&[Vec::<u8>::new()], usize::MAX).count(), 0);
    }

    #[test]
    fn every_kind_of_error_is_reported() {
        // The king must take the pawn before it promotes with check.
        let settled = settle(&position("8/8/8/8/8/k7/1p6/1K1N4 w - - 0 1"), Oracle::Tables(some_tables()), 4, EFFORT);
        let settled = settled.expect("an ending of four men");
        assert_eq!((settled.result, settled.plies), (0, 1));
        let line = |text: &str| {
            let suite = Suite::parse("test", "test.epd", format!("8/8/8/8/8/k7/1p6/1K1N4 w - - {text}").as_bytes());
            assert!(suite.problems.is_empty(), "{:?}", suite.problems);
            check(&suite.entries[0], some_tables()).expect_err(text)
        };
        assert!(line("bm Nxb2; result draw; plies 9;").to_string().contains("9 plies"));
        assert!(line("bm Nxb2; result draw;").to_string().contains("does not say"));
        assert!(line("bm Nxb2; result win; plies 2;").to_string().contains("it is a draw"));
        assert!(line("bm Nc3 Nxb2 Ne3 Nf2; result draw; plies 2;").to_string().contains("keep"));
    }

    /// Without an oracle, a mate in one leaves open whether the other moves are worse.
    #[test]
    fn without_tables_nothing_is_settled() {
        let nothing = Tables::default();
        let mate = settle(&position("7k/8/6K1/8/8/8/8/1Q6 w - - 0 1"), Oracle::Tables(&nothing), 1, EFFORT);
        assert_eq!(mate, None, "other moves are not known to be worse");
        let stalemate = position("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1");
        assert!(settle(&stalemate, Oracle::Tables(&nothing), 1, EFFORT).is_none());
    }
}
