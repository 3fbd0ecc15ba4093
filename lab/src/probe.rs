//! `ibex-lab probe`: everything that Ibex can say about one position, and how certain it is.

use std::cmp::Reverse;
use std::path::PathBuf;

use maud::{Markup, html};

use crate::page;
use crate::page::board::{self, Arrow};
use crate::play::player::{self, Budget};
use ibex::bound::{Bound, Ibv};
use ibex::engine::{Engine, Settings, TtProbe};
use ibex::eval::Evaluator;
use ibex::position::notation::{san, san_line};
use ibex::position::{Game, Move, Position};
use ibex::recognize::explain::{self, Condition};
use ibex::recognize::syzygy::{Keeps, Probing, RankedMove, Ranking};
use ibex::recognize::{self, three_men};
use ibex::retrograde::Dtm;
use ibex::score::Score;
use ibex::search::{Basis, Report};
use terminal::outputs::{self, Manner, Output};
use terminal::tell::counted;
use terminal::{CommandError, Exit, remark, tell, trouble};

/// Nodes of the short search.
const NODES: u64 = 100_000;

/// The most moves whose table entries are shown.
const MOVES_TOLD: usize = 5;

/// The source that also has a list of moves.
const TABLEBASES: &str = "tablebases";

/// Show everything that Ibex can say about one position, and how sure it is of it.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// The position: a FEN, in quotes or not [default: the initial position]
    #[arg(value_name = "FEN")]
    pub fen: Vec<String>,
    /// Nodes of the search
    #[arg(long, default_value_t = NODES, value_name = "N", value_parser = terminal::amount::count)]
    pub nodes: u64,
    /// Folders with Syzygy tablebases
    #[arg(long, value_name = "PATH")]
    pub syzygy: Option<String>,
    /// Size of the transposition table in MiB
    #[arg(long, default_value_t = 16, value_name = "MIB", value_parser = crate::arguments::hash_size)]
    pub hash: usize,
    /// Write an HTML page
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Replace an existing file
    #[arg(long, requires = "html")]
    pub force: bool,
}

/// One source of knowledge, and its answer.
struct Finding {
    source: &'static str,
    says: String,
    /// Further lines: what a class checked before it answered, which table files are unusable, what failed in the
    /// search, or the table's entries for each move.
    details: Vec<String>,
}

impl Finding {
    fn new(source: &'static str, says: String) -> Finding {
        Finding { source, says, details: Vec::new() }
    }
}

/// All that is known about a position.
struct Knowledge {
    position: Position,
    findings: Vec<Finding>,
    /// Each move with its tablebase result, best first; empty without tablebases.
    moves: Vec<(String, String)>,
    /// The best move of the search.
    best: Option<Move>,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Exit, CommandError> {
    let (position, repairs) = if args.fen.is_empty() {
        (Position::startpos(), Vec::new())
    } else {
        Position::from_any_fen(&args.fen.join(" "), None)?
    };
    for repair in repairs {
        remark!("ibex-lab probe: {repair}");
    }
    let wanted = Output::wanted([("--html", &args.html, Manner::Report)]);
    outputs::check(&[], &wanted.collect::<Vec<_>>(), args.force)?;
    let settings = Settings {
        hash_mib: args.hash,
        analyse_mode: true,
        syzygy_path: args.syzygy.as_deref().unwrap_or_default().into(),
        ..Settings::default()
    };
    let (mut engine, remarks) = Engine::new(settings);
    if args.syzygy.is_some() && engine.tablebases().is_none() {
        return Err(match &*remarks {
            [] => trouble!("--syzygy names no folder"),
            remarks => trouble!("{}", remarks.join("; ")),
        });
    }
    remarks.iter().for_each(|remark| remark!("ibex-lab probe: {remark}"));
    let known = knowledge(&Game::new(position), &mut engine, args.nodes)?;
    if let Some(path) = &args.html {
        let page = page::document(&known.position.fen(), &content(&known));
        outputs::write(path, page.as_bytes())?;
    }
    // Last, because a missing reader ends the program.
    for line in text(&known) {
        tell!("{line}")?;
    }
    Ok(Exit::Done)
}

/// Queries every source. `engine` searches; the table is the one that its search filled.
///
/// # Errors
///
/// One line: the search did not end.
fn knowledge(game: &Game, engine: &mut Engine, nodes: u64) -> Result<Knowledge, CommandError> {
    let position = *game.position();
    let mut findings = vec![Finding::new("rules", by_rules(game))];
    findings.extend(by_recognizers(&position));
    let mut moves = Vec::new();
    if let Some(tablebases) = engine.tablebases() {
        let probing = &engine.settings().probing;
        let ranking = tablebases.rank_root(game, probing);
        let says = match &ranking {
            None => no_result(&position, tablebases.largest(), probing),
            Some(ranking) => by_tablebases(&position, ranking),
        };
        // Each needed file that is unusable. Later, the search would report them as its own.
        let details = tablebases.take_remarks();
        findings.push(Finding { source: TABLEBASES, says, details });
        if let Some(ranking) = &ranking {
            moves = ranking.moves.iter().map(|m| (san(&position, m.m), result(m, ranking.by_distance))).collect();
        }
    }
    if !position.in_check() {
        let mut evaluator = Evaluator::new(engine.network());
        evaluator.reset(&position);
        let cp = evaluator.evaluate(&position);
        let says = format!("{:+.2} pawns for the side to move", f64::from(cp) / 100.0);
        findings.push(Finding::new("evaluation", says));
    }
    let (best, verdict, found) = by_search(game.clone(), engine, nodes)?;
    // The answer to the player's question comes first.
    findings.insert(0, Finding::new("verdict", verdict));
    findings.extend([found, by_table(game, engine)]);
    Ok(Knowledge { position, findings, moves, best })
}

/// The state of the game by the rules.
fn by_rules(game: &Game) -> String {
    let position = game.position();
    match game.outcome() {
        Some(ending) => format!("the game is over: {ending}"),
        None => {
            let turn = if position.turn().is_white() { "White" } else { "Black" };
            let moves = counted(position.legal_moves().len() as u64, "legal move", "legal moves");
            let check = if position.in_check() { ", in check" } else { "" };
            format!(
                "{turn} to move{check}, {moves}, {} since a capture or pawn move",
                counted(position.clock().into(), "ply", "plies")
            )
        }
    }
}

/// What the material proves, with the class that proves it.
fn by_recognizers(position: &Position) -> Vec<Finding> {
    let conditions = explain::conditions(position).unwrap_or_default();
    let details = conditions.iter().map(asked).collect();
    let says = match recognize::claim(position) {
        None => "no class for this material".to_owned(),
        Some(claim) => {
            let recognition = recognize::recognize(position);
            format!(
                "\"{}\": {}; {}, expense {}",
                claim.class,
                claim.text,
                recognition.ibv.map(bound).unwrap_or_else(|| "no bound".to_owned()),
                format!("{:?}", recognition.expense).to_lowercase()
            )
        }
    };
    let mut findings = vec![Finding { source: "recognizer", says, details }];
    if let Some(value) = three_men::value(position) {
        let says = match value {
            Dtm::Draw => "a draw".to_owned(),
            Dtm::Win(plies) => format!("the side to move mates in {plies} plies"),
            Dtm::Loss(plies) => format!("the side to move is mated in {plies} plies"),
        };
        findings.push(Finding::new("three men", says + ", exact without the 50-move rule"));
    }
    findings
}

/// A bound in words.
fn bound(ibv: Ibv) -> String {
    let kind = match ibv.bound() {
        Bound::Exact => "exactly",
        Bound::Lower => "at least",
        Bound::Upper => "at most",
    };
    format!("score {kind} {}", player::UciScore::from(ibv.score()))
}

/// The tables' result of a move: for the side that makes it, under the 50-move rule, with WDL and DTZ.
fn result(ranked: &RankedMove, by_distance: bool) -> String {
    let (sign, certain) = (ranked.dtz.signum(), ranked.score.is_some_and(Score::is_decisive));
    // Without a DTZ table, the rule always spoils such a win or loss.
    let spoiled = !by_distance && matches!(ranked.rank.keeps, Keeps::CursedWin | Keeps::BlessedLoss);
    let drawn = ranked.score == Some(Score::ZERO) || spoiled;
    let (wdl, words) = match sign {
        0 => (0, "draw"),
        1 if certain => (2, "win"),
        1 if drawn => (1, "draw: the 50-move rule spoils the win"),
        1 => (2, "win, if the 50-move rule and repetition leave enough time"),
        _ if certain => (-2, "loss"),
        _ if drawn => (-1, "draw: the 50-move rule saves the loss"),
        _ => (-2, "loss, unless the 50-move rule or repetition saves it"),
    };
    let dtz = if by_distance { format!(", DTZ {}", ranked.dtz) } else { String::new() };
    format!("{words} (WDL {wdl}{dtz})")
}

/// Why the tables have no result for a position; the most men of any table is `largest`.
fn no_result(position: &Position, largest: usize, probing: &Probing) -> String {
    let men = position.men();
    let why = if men > largest {
        format!("no tables for this position (the largest table has {largest} men)")
    } else if men > probing.limit {
        format!("there are {men} men, but SyzygyProbeLimit is {}", probing.limit)
    } else if !position.castling().is_empty() {
        "no table covers castling rights".to_owned()
    } else {
        "a table that is needed is missing or cannot be used".to_owned()
    };
    format!("nothing: {why}")
}

fn by_tablebases(position: &Position, ranking: &Ranking) -> String {
    match ranking.moves.first() {
        None => "no legal move".to_owned(),
        Some(best) => format!("{} with {}", result(best, ranking.by_distance), san(position, best.m)),
    }
}

/// What the transposition table of an engine has for the position, and for those after its moves.
fn by_table(game: &Game, engine: &Engine) -> Finding {
    let position = game.position();
    // A search stores no root value but a proved mate. It may have returned to the root and kept the evaluation.
    let own = engine.probe_tt(game).filter(|known| known.stored || known.best.is_some());
    let own = own.map(|known| entry(position, &known));
    let entry_after = |&m: &Move| engine.probe_tt_after(game, m).filter(|known| known.stored).map(|known| (m, known));
    let mut after: Vec<(Move, TtProbe)> = position.legal_moves().iter().filter_map(entry_after).collect();
    // The deepest entries come first.
    after.sort_by_key(|(_, known)| Reverse((known.depth, known.value.map(Ibv::score))));
    let details = after
        .iter()
        .take(MOVES_TOLD)
        .map(|(m, known)| format!("{}: {}", san(position, *m), entry(&position.after(*m), known)));
    let mut says = own.unwrap_or_else(|| "nothing".to_owned());
    if !after.is_empty() {
        says += &format!("; after its moves {}:", counted(after.len() as u64, "entry", "entries"));
    }
    Finding { source: "table", says, details: details.collect() }
}

/// An entry of the table in words; its move is one of this position.
fn entry(position: &Position, known: &TtProbe) -> String {
    let proof = known.value.and_then(Ibv::proof);
    // Only tables prove a draw: repetitions and pruning affect that of a search.
    let is_proved = proof.is_some() && known.value.map(Ibv::without_progress) == proof
        || known.probed && known.value.is_some_and(Ibv::settles_draw);
    let value = match known.value.map(bound) {
        None if known.stored => "a value that does not hold at this 50-move clock".to_owned(),
        None => "no value".to_owned(),
        Some(bound) if is_proved => format!("{bound}, a proof"),
        // The search does not prove that a mate is not shorter, or a loss not longer.
        Some(bound) if proof.is_some() => format!("{bound}, proved as a bound"),
        Some(bound) => format!("{bound}, no proof"),
    };
    let best = known.best.map_or_else(|| "no move".to_owned(), |m| format!("best move {}", san(position, m)));
    let age = match known.searches_ago {
        0 => "from the last search".to_owned(),
        1 => "from the search before the last".to_owned(),
        n => format!("from {n} searches before the last"),
    };
    format!("{value}; depth {}, {best}, {age}", known.depth)
}

/// A short search: its best move, and its score with its basis. The details say what failed, such as a table of a
/// position below.
fn by_search(game: Game, engine: &mut Engine, nodes: u64) -> Result<(Option<Move>, String, Finding), CommandError> {
    let budget = Budget { nodes: Some(nodes), ..Budget::default() };
    let position = *game.position();
    let ending = game.outcome();
    let mut details = Vec::new();
    let outcome = player::search(engine, game, budget.limits(), None, None, |what| details.push(what))?;
    let says = match &outcome.last {
        None => "no legal move".to_owned(),
        Some(report) => describe(&position, report, outcome.nodes),
    };
    let verdict = match (&outcome.last, ending) {
        (_, Some(ending)) => format!("the game is over: {ending}"),
        (None, None) => "nothing was searched".to_owned(),
        (Some(report), None) => verdict(&position, report),
    };
    Ok((outcome.best, verdict, Finding { source: "search", says, details }))
}

/// The result or the evaluation in the words of a player.
fn verdict(position: &Position, report: &Report) -> String {
    let score = report.value.score();
    let turn = if position.turn().is_white() { "White" } else { "Black" };
    let other = if position.turn().is_white() { "Black" } else { "White" };
    let winner = if score.is_win() { turn } else { other };
    match score.mate_moves() {
        Some(moves) if report.basis == Basis::Mate && report.value.bound() == Bound::Exact => {
            return format!("proved win for {winner}, mate in {}", moves.unsigned_abs());
        }
        Some(moves) if report.basis == Basis::Mate => {
            return format!("proved win for {winner}, mate in {} at the latest", moves.unsigned_abs());
        }
        _ => (),
    }
    if report.basis.is_proof() {
        return if score.is_draw() { "proved draw".to_owned() } else { format!("proved win for {winner}") };
    }
    match score.cp() {
        0 => "level, not proved".to_owned(),
        cp => {
            let ahead = if cp > 0 { turn } else { other };
            format!("{ahead} is {:.2} pawns ahead by the evaluation, not proved", f64::from(cp.abs()) / 100.0)
        }
    }
}

fn describe(position: &Position, report: &Report, nodes: u64) -> String {
    let kind = report.statement();
    let score = player::UciScore::from(report.value.score());
    let score = match report.value.bound() {
        Bound::Exact => score.to_string(),
        Bound::Lower => format!("at least {score}"),
        Bound::Upper => format!("at most {score}"),
    };
    let value = player::UciScore::from(report.value.score());
    let depth = player::depth_behind(report.depth, value, report.value.bound());
    format!("{score} at depth {depth} after {nodes} nodes ({kind}): {}", san_line(position, &report.pv))
}

/// The lines for a terminal.
fn text(known: &Knowledge) -> Vec<String> {
    let mut lines = vec![format!("{:<12}{}", "position", known.position.fen())];
    for finding in &known.findings {
        lines.push(format!("{:<12}{}", finding.source, finding.says));
        lines.extend(finding.details.iter().map(|line| format!("{:<12}{line}", "")));
        if finding.source == TABLEBASES {
            lines.extend(known.moves.iter().map(|(m, result)| format!("{:<12}{m}: {result}", "")));
        }
    }
    lines
}

/// A condition and whether it holds.
fn asked(condition: &Condition) -> String {
    format!("{} {}", if condition.holds { "yes:" } else { "no: " }, condition.words)
}

/// The content of the page.
fn content(known: &Knowledge) -> Markup {
    let arrows: Vec<(Arrow, Move)> = known.best.map(|m| (Arrow::Right, m)).into_iter().collect();
    html! {
        h1 { "Probe" }
        p.faint { (known.position.fen()) }
        .inside {
            figure { (board::diagram(&known.position, &arrows)) }
            .answers {
                @for finding in &known.findings {
                    .answer {
                        p { b { (finding.source) } }
                        p { (finding.says) }
                        @if !finding.details.is_empty() {
                            ul { @for line in &finding.details { li { (line) } } }
                        }
                    }
                }
            }
        }
        @if !known.moves.is_empty() {
            h2 { "Moves by tablebases" }
            table.moves {
                @for (m, result) in &known.moves { tr { td.l { (m) } td.l { (result) } } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ibex::position::notation::read_fen;
    use ibex::recognize::syzygy::Rank;
    use ibex::search::Conventions;
    use ibex::search::Past;
    use ibex::time::Limits;
    use ibex::tt::Entry;

    fn known(fen: &str) -> Vec<String> {
        let settings = Settings { hash_mib: 1, analyse_mode: true, ..Settings::default() };
        let game = Game::new(read_fen(fen).expect("a position"));
        text(&knowledge(&game, &mut Engine::new(settings).0, 2000).expect("knowledge"))
    }

    #[test]
    fn each_source_says_how_sure_it_is() {
        let lines = known("8/8/8/8/8/4k3/8/R3K3 w - - 0 1").join("\n");
        assert!(lines.contains("White to move"), "{lines}");
        assert!(lines.contains("against the lone king") && lines.contains("White wins within"), "{lines}");
        assert!(lines.contains("three men") && lines.contains("mates in"), "{lines}");
        assert!(lines.contains("(proved mate)"), "{lines}");
        let lines = known("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1").join("\n");
        assert!(lines.contains("no class for this material") && lines.contains("(evaluation)"), "{lines}");
    }

    #[test]
    fn a_claim_ends_where_the_clock_is_too_high() {
        let lines = known("8/8/8/8/8/4k3/8/R3K3 w - - 80 99").join("\n");
        assert!(lines.contains("the 50-move rule may end the game before"), "{lines}");
    }

    #[test]
    fn finished_games_have_no_moves() {
        let lines = known("7k/5KQ1/8/8/8/8/8/8 b - - 0 1").join("\n");
        assert!(lines.contains("the game is over") && lines.contains("no legal move"), "{lines}");
    }

    #[test]
    fn results_name_the_50_move_rule() {
        let (win, m) = (Score::tablebase_win(0), Position::startpos().parse_move("e2e4").expect("a move"));
        let ranked = |keeps, dtz, score| RankedMove { m, rank: Rank { keeps, order: 0 }, score, dtz };
        let in_words = |keeps, dtz, score| result(&ranked(keeps, dtz, score), true);
        assert_eq!(in_words(Keeps::Win, 5, Some(win)), "win (WDL 2, DTZ 5)");
        let spoiled = "draw: the 50-move rule spoils the win (WDL 1";
        assert_eq!(in_words(Keeps::CursedWin, 101, Some(Score::ZERO)), format!("{spoiled}, DTZ 101)"));
        assert_eq!(result(&ranked(Keeps::CursedWin, 1, None), false), format!("{spoiled})"));
        assert_eq!(in_words(Keeps::Draw, 0, Some(Score::ZERO)), "draw (WDL 0, DTZ 0)");
        assert_eq!(in_words(Keeps::Loss, -5, Some(-win)), "loss (WDL -2, DTZ -5)");
        let saved = "draw: the 50-move rule saves the loss (WDL -1, DTZ -101)";
        assert_eq!(in_words(Keeps::BlessedLoss, -101, Some(Score::ZERO)), saved);
        assert!(in_words(Keeps::Win, 100, None).starts_with("win, if"));
    }

    #[test]
    fn conditions_are_shown_with_the_class() {
        let lines = known("8/8/8/3b4/8/1k6/8/K6Q w - - 0 1");
        let at = lines.iter().position(|line| line.starts_with("recognizer")).expect("a line");
        assert!(lines[at].contains("White does not lose; score at least +0.00"), "{lines:#?}");
        assert_eq!(lines[at + 4].trim(), "no:  the queen is not attacked", "{lines:#?}");
    }

    /// The table holds what a search has found, and nothing without one.
    #[test]
    fn the_table_is_read_as_a_search_reads_it() {
        let (mut engine, _) = Engine::new(Settings { hash_mib: 1, ..Settings::default() });
        let game = Game::startpos();
        assert_eq!(by_table(&game, &engine).says, "nothing");
        engine.search(&game, Limits::depth(6), None);
        let moves = by_table(&game, &engine).details;
        assert!((1..=MOVES_TOLD).contains(&moves.len()), "{moves:#?}");
        let is_entry = |line: &String| line.contains(": score ") && line.ends_with("from the last search");
        assert!(moves.iter().all(is_entry), "{moves:#?}");
    }

    /// A value stored for the other side's position is shown for this side, and mates are counted from here.
    #[test]
    fn values_after_a_move_are_those_of_the_side_that_makes_it() {
        let (session, _) = Engine::new(Settings { hash_mib: 1, ..Settings::default() });
        let game = Game::startpos();
        let mut after = *game.position();
        after.play(after.parse_move("e2e4").expect("legal"));
        let best = after.parse_move("e7e5").map(Move::packed);
        let value = Ibv::upper(Score::mated_in(2));
        let key = Past::new(Conventions::default(), &game).key(&after, 1);
        session.tt().store(key, Entry { value: Some(value), best, depth: 4, pv: false, eval: None, tb_entry: false });
        let told = by_table(&game, &session);
        assert_eq!(told.says, "nothing; after its moves 1 entry:");
        assert_eq!(told.details, ["e4: score at least #2, a proof; depth 4, best move e5, from the last search"]);
    }

    /// Searches of a game and of an analysis have separate keys.
    #[test]
    fn the_last_search_that_stored_a_value_is_shown() {
        let (session, _) = Engine::new(Settings { hash_mib: 1, ..Settings::default() });
        let game = Game::startpos();
        let e4 = game.position().parse_move("e2e4").expect("legal");
        let after = game.position().after(e4);
        let [playing, analysing] =
            [false, true].map(|analysis| Past::new(session.settings().conventions(analysis), &game).key(&after, 1));
        assert_ne!(playing, analysing);
        let eval = Some(Score::heuristic(-9));
        let entry = |value, depth| Entry { value, best: None, depth, pv: false, eval, tb_entry: false };
        let depth = || session.probe_tt_after(&game, e4).map(|known| known.depth);
        let value = Some(Ibv::exact(Score::heuristic(-9)));
        session.tt().store(playing, entry(None, 0));
        session.tt().store(analysing, entry(value, 9));
        assert_eq!(depth(), Some(9), "an evaluation alone says less");
        session.tt().store(playing, entry(value, 12));
        assert_eq!(depth(), Some(12), "the deeper one of one search");
        session.tt().new_search();
        session.tt().store(analysing, entry(value, 11));
        assert_eq!(depth(), Some(11), "the last search");
    }

    #[test]
    fn entries_are_described_in_words() {
        let position = Position::startpos();
        let best = position.parse_move("e2e4");
        let mut known = TtProbe { value: None, stored: false, probed: false, depth: 0, best: None, searches_ago: 3 };
        assert_eq!(entry(&position, &known), "no value; depth 0, no move, from 3 searches before the last");
        known = TtProbe {
            value: Some(Ibv::lower(Score::mate_in(3))),
            stored: true,
            depth: 7,
            best,
            searches_ago: 0,
            ..known
        };
        assert_eq!(entry(&position, &known), "score at least #2, a proof; depth 7, best move e4, from the last search");
        known = TtProbe { value: Some(Ibv::exact(Score::heuristic(35))), searches_ago: 1, ..known };
        assert_eq!(
            entry(&position, &known),
            "score exactly +0.35, no proof; depth 7, best move e4, from the search before the last"
        );
        for (value, probed, says) in [
            (Ibv::exact(Score::mate_in(3)), false, "score exactly #2, proved as a bound; "),
            (Ibv::exact(Score::ZERO), false, "score exactly +0.00, no proof; "),
            (Ibv::exact(Score::ZERO), true, "score exactly +0.00, a proof; "),
            (Ibv::lower(Score::tablebase_win(4)), true, ", a proof; "),
        ] {
            known = TtProbe { value: Some(value), probed, ..known };
            assert!(entry(&position, &known).contains(says), "{}", entry(&position, &known));
        }
        known.value = None;
        assert!(entry(&position, &known).starts_with("a value that does not hold at this 50-move clock"));
    }
}
