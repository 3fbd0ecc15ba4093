//! `ibex probe`: everything that Ibex has about one position, and how sure it is of it.

use std::path::PathBuf;

use maud::{Markup, html};
use shakmaty::Move;

use super::epd::player::{self, Budget};
use super::outputs::{self, Manner, Output};
use super::page::board::{self, Arrow};
use super::{OK, TROUBLE, page};
use crate::bound::{Bound, Ibv};
use crate::engine::{Engine, Settings};
use crate::eval::Evaluator;
use crate::position::notation::{san, san_line};
use crate::position::{Game, Position};
use crate::recognize::syzygy::{Probing, Ranking, Tablebases};
use crate::recognize::{self, three_men};
use crate::retrograde::Dtm;
use crate::search::Report;
use crate::tell;

/// Show everything that Ibex has about one position, and how sure it is of it.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// The position: a FEN, in quotes or not [default: the initial position]
    #[arg(value_name = "FEN")]
    pub fen: Vec<String>,
    /// Nodes of the search
    #[arg(long, default_value_t = 100_000, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub nodes: u64,
    /// Folders with Syzygy tablebases
    #[arg(long, value_name = "PATH")]
    pub syzygy: Option<String>,
    /// Size of the transposition table in MiB
    #[arg(long, default_value_t = 16, value_name = "MIB", value_parser = super::hash_size)]
    pub hash: usize,
    /// Write a page
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Replace a file that exists
    #[arg(long)]
    pub force: bool,
}

/// One source of knowledge, and what it says.
struct Finding {
    source: &'static str,
    says: String,
}

/// What is known of a position.
struct Knowledge {
    position: Position,
    findings: Vec<Finding>,
    /// Each move with its tablebase result, best first; empty without tablebases.
    moves: Vec<(String, String)>,
    /// The best move of the search.
    best: Option<Move>,
}

/// Runs the command.
pub fn run(args: &Args) -> u8 {
    match probe(args) {
        Ok(()) => OK,
        Err(error) => {
            eprintln!("ibex probe: {error}");
            TROUBLE
        }
    }
}

fn probe(args: &Args) -> Result<(), String> {
    let fen = args.fen.join(" ");
    let (position, repairs) = if fen.is_empty() {
        (Game::startpos().position().clone(), Vec::new())
    } else {
        Position::from_any_fen(&fen, None).map_err(|e| e.to_string())?
    };
    for repair in repairs {
        eprintln!("ibex probe: {repair}");
    }
    let wanted = Output::wanted([("--html", &args.html, Manner::Report)]);
    outputs::check(&[], &wanted.collect::<Vec<_>>(), args.force).map_err(|e| e.to_string())?;
    let known = knowledge(position, args)?;
    text(&known).iter().for_each(|line| tell!("{line}"));
    if let Some(path) = &args.html {
        let page = page::document(&known.position.fen(), &content(&known));
        outputs::write(path, page.as_bytes()).map_err(|e| e.to_string())?;
    }
    Ok(())
}

/// Asks every source.
///
/// # Errors
///
/// One line: the tablebases cannot be read, or the search did not end.
fn knowledge(position: Position, args: &Args) -> Result<Knowledge, String> {
    let game = Game::new(position.clone());
    let mut findings = vec![Finding { source: "rules", says: by_rules(&game) }];
    findings.extend(by_recognizers(&position));
    let mut moves = Vec::new();
    if let Some(path) = &args.syzygy {
        let (tables, remarks) = Tablebases::open(path);
        let tables = tables.ok_or_else(|| remarks.join("; "))?;
        let ranking = tables.rank_root(&game, &Probing::default());
        let says = match &ranking {
            None => format!("nothing: no tables for this material (up to {} men are there)", tables.largest()),
            Some(ranking) => by_tablebases(&position, ranking),
        };
        findings.push(Finding { source: "tablebases", says });
        moves =
            ranking.iter().flat_map(|ranking| &ranking.moves).map(|m| (san(&position, m.m), result(m.dtz))).collect();
    }
    if !position.in_check() {
        let mut evaluator = Evaluator::default();
        evaluator.reset(&position);
        let cp = evaluator.evaluate(&position);
        let says = format!("{:+.2} pawns for the side to move", f64::from(cp) / 100.0);
        findings.push(Finding { source: "evaluation", says });
    }
    let (best, says) = by_search(game, args)?;
    findings.push(Finding { source: "search", says });
    Ok(Knowledge { position, findings, moves, best })
}

/// The state of the game by its rules.
fn by_rules(game: &Game) -> String {
    let position = game.position();
    match game.outcome() {
        Some(ending) => format!("the game is over: {ending}"),
        None => {
            let turn = if position.turn().is_white() { "White" } else { "Black" };
            let moves = position.legal_moves().len();
            let check = if position.in_check() { ", in check" } else { "" };
            format!(
                "{turn} to move{check}, {moves} legal moves, {} plies since a capture or pawn move",
                position.clock()
            )
        }
    }
}

/// What the material proves, with the class that proves it.
fn by_recognizers(position: &Position) -> Vec<Finding> {
    let mut findings = Vec::new();
    let says = match recognize::claim(position) {
        None => "no class for this material".to_owned(),
        Some(claim) => {
            let recognition = recognize::recognize(position);
            format!(
                "\"{}\": {}; {}, expense {}",
                claim.class,
                claim.text,
                bound(recognition.ibv),
                format!("{:?}", recognition.expense).to_lowercase()
            )
        }
    };
    findings.push(Finding { source: "recognizer", says });
    if let Some(value) = three_men::value(position) {
        let says = match value {
            Dtm::Draw => "a draw".to_owned(),
            Dtm::Win(plies) => format!("the side to move mates in {plies} plies"),
            Dtm::Loss(plies) => format!("the side to move is mated in {plies} plies"),
        };
        findings.push(Finding { source: "three men", says: says + ", exact without the 50-move rule" });
    }
    findings
}

/// A proved bound in words.
fn bound(ibv: Ibv) -> String {
    if !ibv.is_some() {
        return "no bound".to_owned();
    }
    let sign = match ibv.bound() {
        Bound::Exact => "=",
        Bound::Lower => "≥",
        Bound::Upper => "≤",
    };
    format!("score {sign} {}", ibv.score().cp())
}

/// A distance to zeroing as a result for the side to move.
fn result(dtz: i32) -> String {
    match dtz {
        0 => "draw".to_owned(),
        1.. if dtz > 100 => format!("win, spoiled by the 50-move rule (DTZ {dtz})"),
        1.. => format!("win (DTZ {dtz})"),
        ..-100 => format!("loss, saved by the 50-move rule (DTZ {dtz})"),
        _ => format!("loss (DTZ {dtz})"),
    }
}

fn by_tablebases(position: &Position, ranking: &Ranking) -> String {
    match ranking.moves.first() {
        None => "no legal move".to_owned(),
        Some(best) => format!("{} with {}", result(best.dtz), san(position, best.m)),
    }
}

/// A short search: its best move, and its score with what that rests on.
fn by_search(game: Game, args: &Args) -> Result<(Option<Move>, String), String> {
    let settings = Settings {
        hash_mib: args.hash,
        analyse_mode: true,
        syzygy_path: args.syzygy.clone().unwrap_or_default(),
        ..Settings::default()
    };
    let (mut engine, remarks) = Engine::new(settings);
    remarks.iter().for_each(|remark| log::warn!("{remark}"));
    let budget = Budget { nodes: Some(args.nodes), ..Budget::default() };
    let position = game.position().clone();
    let outcome =
        player::search(&mut engine, game, budget.limits(), None, None).map_err(|trouble| trouble.to_string())?;
    Ok((
        outcome.best,
        match outcome.last {
            None => "no legal move".to_owned(),
            Some(report) => describe(&position, &report, outcome.nodes),
        },
    ))
}

fn describe(position: &Position, report: &Report, nodes: u64) -> String {
    let kind = report.statement();
    let score = player::UciScore::from(report.value.score());
    format!("{score} at depth {} after {nodes} nodes ({kind}): {}", report.depth, san_line(position, &report.pv))
}

/// The lines for a terminal.
fn text(known: &Knowledge) -> Vec<String> {
    let mut lines = vec![format!("{:<12}{}", "position", known.position.fen())];
    lines.extend(known.findings.iter().map(|finding| format!("{:<12}{}", finding.source, finding.says)));
    lines.extend(known.moves.iter().map(|(m, result)| format!("{:<12}{m}: {result}", "")));
    lines
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
                    .answer { p { b { (finding.source) } } p { (finding.says) } }
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
    use crate::position::notation::read_fen;

    fn known(fen: &str) -> Vec<String> {
        let args = Args { fen: vec![], nodes: 2000, syzygy: None, hash: 1, html: None, force: false };
        text(&knowledge(read_fen(fen).expect("a position"), &args).expect("knowledge"))
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
        assert_eq!(
            [0, 5, 101, -5, -101].map(|dtz| result(dtz).split(' ').next().map(str::to_owned)).map(Option::unwrap),
            ["draw", "win", "win,", "loss", "loss,"]
        );
    }
}
