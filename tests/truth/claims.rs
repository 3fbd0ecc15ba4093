//! The claims of a search's lines, and whether they are true.

use ibex::retrograde::Tables;
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Move, Position};

use super::game::Played;
use super::prover::{Outcome, Prover};

/// The lowest score that is a claim: scores below it are evaluations.
const LEAST_PROVED: i64 = 10_000;

/// The claims that were checked, and the false ones.
#[derive(Debug, Default)]
pub struct Count {
    pub searches: usize,
    pub mates: usize,
    pub draws: usize,
    /// Wins and losses without a distance: from tables and recognizers.
    pub results: usize,
    /// Mates that are claimed not to exist.
    pub refutations: usize,
    pub undecided: usize,
    pub faults: usize,
}

impl Count {
    /// The percentage of claims that the prover could not decide. A refutation is two claims: one for each side.
    pub fn open_percent(&self) -> usize {
        let claims = self.mates + self.draws + self.results + 2 * self.refutations;
        (100 * self.undecided).div_ceil(claims.max(1))
    }
}

/// A reported line with a score.
struct Told<'a> {
    text: &'a str,
    /// Its number, if there are several lines.
    line: i64,
    mate: Option<i64>,
    cp: Option<i64>,
    bound: &'a str,
    /// Win, draw or loss, if one of them is certain.
    certain: Option<Outcome>,
    pv: Vec<&'a str>,
}

impl<'a> Told<'a> {
    fn read(text: &'a str) -> Told<'a> {
        let number = |word: &str| text.split(' ').skip_while(|&w| w != word).nth(1)?.parse().ok();
        let certain =
            [(" wdl 1000 0 0", Outcome::Win), (" wdl 0 1000 0", Outcome::Draw), (" wdl 0 0 1000", Outcome::Loss)];
        Told {
            text,
            line: number("multipv").unwrap_or(1),
            mate: number("mate"),
            cp: number("cp"),
            bound: ["lowerbound", "upperbound"].into_iter().find(|bound| text.contains(bound)).unwrap_or_default(),
            certain: certain.into_iter().find(|(words, _)| text.contains(words)).map(|(_, outcome)| outcome),
            pv: text.split_once(" pv ").map(|(_, pv)| pv.split(' ').collect()).unwrap_or_default(),
        }
    }

    /// Mates are above everything else.
    fn value(&self) -> i64 {
        match (self.mate, self.cp) {
            (Some(mate), _) if mate > 0 => 1_000_000 - mate,
            (Some(mate), _) => -1_000_000 - mate,
            (None, cp) => cp.expect("a score"),
        }
    }

    /// Whether the line's bound supports the claim: "at most" says nothing about a win.
    fn claims(&self, wins: bool) -> bool {
        self.bound.is_empty() || (self.bound == "lowerbound") == wins
    }
}

/// The first move of a principal variation.
pub fn first_move(text: &str, position: &Chess) -> Option<Move> {
    Told::read(text).pv.first()?.parse::<UciMove>().ok()?.to_move(position).ok()
}

/// Checks the reported lines of a search of a game.
pub fn check(game: &Played, tables: &Tables, lines: &[String], count: &mut Count) {
    count.searches += 1;
    let told: Vec<Told<'_>> = lines.iter().map(|line| Told::read(line)).collect();
    let mut faults: Vec<(String, &str)> = check_order(&told);
    if told.is_empty() {
        faults.push(("a search without a score".to_owned(), ""));
    }
    let mut prover = Prover::new(game, tables);
    let mut asked: Vec<(&str, Option<i64>, Option<Outcome>, bool)> = Vec::new();
    for told in &told {
        let mut fault = |what: String| faults.push((what, told.text));
        let Some(first) = first_move(told.text, &game.position) else {
            fault("a line that does not begin with a legal move".to_owned());
            continue;
        };
        let mut after = game.position.clone();
        after.play_unchecked(first);
        let whole = told.line == 1;
        if let Some(moves) = told.mate {
            if !told.claims(moves > 0) {
                continue;
            }
            let plies = if moves > 0 { 2 * moves - 1 } else { -2 * moves } as usize;
            if told.bound.is_empty() && (told.pv.len() != plies || !mates_at_its_end(game, &told.pv)) {
                fault("a mate without its line".to_owned());
            }
            let question = (told.pv[0], told.mate, None, whole);
            if asked.contains(&question) {
                continue;
            }
            asked.push(question);
            count.mates += 1;
            // A line stands for its move; a loss in the first line stands for the position.
            let holds = if whole && moves < 0 {
                prover.mates(&game.position, plies)
            } else if !after.is_checkmate() && prover.is_drawn(&after) {
                Some(false)
            } else {
                prover.mates(&after, plies - 1)
            };
            match holds {
                Some(true) => (),
                Some(false) => fault("a mate that is none".to_owned()),
                None => count.undecided += 1,
            }
        } else if told.certain.is_none() && told.value().abs() >= LEAST_PROVED && told.claims(told.value() > 0) {
            fault("proved, and not certain".to_owned());
        } else if let Some(certain) = told.certain {
            let claims = match certain {
                Outcome::Win => told.claims(true),
                Outcome::Draw => told.bound.is_empty(),
                Outcome::Loss => told.claims(false),
            };
            let question = (told.pv[0], None, Some(certain), whole);
            if !claims || asked.contains(&question) {
                continue;
            }
            asked.push(question);
            let proved = certain == Outcome::Draw || told.value().abs() >= LEAST_PROVED;
            if !proved {
                fault("certain without proof".to_owned());
            }
            *(if certain == Outcome::Draw { &mut count.draws } else { &mut count.results }) += 1;
            let truth = if whole && certain != Outcome::Win {
                prover.outcome(&game.position)
            } else {
                prover.outcome_of(&after)
            };
            match truth {
                Some(truth) if truth == certain => (),
                Some(truth) => fault(format!("certain {certain:?}, in truth {truth:?}")),
                None => count.undecided += 1,
            }
        }
    }
    for (what, line) in faults {
        count.faults += 1;
        eprintln!("{what}: {}\n  {line}", game.command());
    }
}

/// Whether the moves of a line are legal, and the last one mates before anything else ends the game.
fn mates_at_its_end(game: &Played, pv: &[&str]) -> bool {
    let mut game = game.clone();
    for (ply, text) in pv.iter().enumerate() {
        let m = text.parse::<UciMove>().ok().and_then(|m| m.to_move(&game.position).ok());
        let (Some(m), true) = (m, ply == 0 || !game.is_over()) else { return false };
        game.play(m);
    }
    game.position.is_checkmate()
}

/// Checks the claim of `go mate N` that neither side can force mate in N moves.
pub fn check_refutation(game: &Played, tables: &Tables, moves: usize, lines: &[String], count: &mut Count) {
    if !lines.iter().any(|line| line.starts_with(&format!("info string there is no mate in {moves}, "))) {
        return;
    }
    count.refutations += 1;
    let mut prover = Prover::new(game, tables);
    for plies in [2 * moves - 1, 2 * moves] {
        match prover.mates(&game.position, plies) {
            Some(false) => (),
            Some(true) => {
                count.faults += 1;
                eprintln!("a mate within {plies} plies that is said not to be: {}", game.command());
            }
            None => count.undecided += 1,
        }
    }
}

/// Several lines come in the order of their scores, each with a different first move; nodes never decrease.
fn check_order<'a>(told: &[Told<'a>]) -> Vec<(String, &'a str)> {
    let mut faults = Vec::new();
    for pair in told.windows(2) {
        let nodes = |told: &Told<'_>| told.text.split(' ').skip_while(|&w| w != "nodes").nth(1)?.parse::<u64>().ok();
        if nodes(&pair[1]) < nodes(&pair[0]) {
            faults.push(("fewer nodes than before".to_owned(), pair[1].text));
        }
        let both = pair[0].bound.is_empty() && pair[1].bound.is_empty();
        if pair[1].line == pair[0].line + 1 && both && pair[1].value() > pair[0].value() {
            faults.push((format!("above line {}", pair[0].line), pair[1].text));
        }
    }
    for group in told.chunk_by(|a, b| b.line == a.line + 1) {
        for (at, one) in group.iter().enumerate() {
            if group[..at].iter().any(|other| other.pv.first() == one.pv.first()) {
                faults.push(("the move of another line".to_owned(), one.text));
            }
        }
    }
    faults
}
