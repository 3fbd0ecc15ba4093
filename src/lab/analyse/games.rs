//! Games, one after the other: every position is searched, every move is judged.

use std::io::{self, Read};

use pgn_reader::Reader;

use super::Desk;
use super::judge::{Mark, mark};
use super::pgn::{GameReader, Pgn, Token};
use crate::engine::{Engine, Settings};
use crate::lab::epd::player::Value;
use crate::position::Game;
use crate::position::notation::san;
use crate::search::Report;

/// A position's evaluation.
struct Evaluation {
    /// From the side to move's view.
    value: Value,
    /// The search behind it; none where the game is over.
    search: Option<Report>,
}

/// Analyses game by game.
///
/// # Errors
///
/// One line: the input cannot be read, or the output not written.
pub fn analyse(name: &str, input: impl Read, desk: &mut Desk<'_>) -> Result<(), String> {
    let settings =
        Settings { hash_mib: desk.args.hash, threads: desk.args.threads, analyse_mode: true, ..Settings::default() };
    let (mut engine, remarks) = Engine::new(settings);
    for remark in remarks {
        log::warn!("{remark}");
    }
    let mut reader = Reader::new(input);
    for number in 1_u64.. {
        let place = format!("{name}: game {number}");
        match reader.read_game(&mut GameReader) {
            Ok(None) => break,
            Ok(Some(Ok(mut game))) => {
                annotate(&mut game, &mut engine, desk);
                desk.tally.games += 1;
                desk.write(&game.write(concat!("Ibex ", env!("IBEX_VERSION"))))?;
            }
            Ok(Some(Err(reason))) => desk.complain(&place, &reason),
            // The reader has passed over what it did not understand, and goes on behind it.
            Err(error) if error.kind() == io::ErrorKind::InvalidData => desk.complain(&place, &error.to_string()),
            Err(error) => return Err(format!("{name}: {error}")),
        }
    }
    Ok(())
}

/// Searches all positions and writes into the game what was found.
fn annotate(game: &mut Pgn, engine: &mut Engine, desk: &mut Desk<'_>) {
    let mut positions = vec![game.start.clone()];
    for played in &game.moves {
        let mut next = positions[positions.len() - 1].clone();
        next.play(played.chosen);
        positions.push(next);
    }
    engine.start_afresh();
    // From the end: the table then knows what a move has led to when its alternatives are weighed.
    let mut evaluations: Vec<Evaluation> = Vec::with_capacity(positions.len());
    for position in positions.iter().rev() {
        evaluations.push(evaluate(position, engine, desk));
    }
    evaluations.reverse();

    if let Some(comment) = comment(&positions[0], &evaluations[0]) {
        game.before.insert(0, comment);
    }
    for (i, played) in game.moves.iter_mut().enumerate() {
        let (before, after) = (&evaluations[i], &evaluations[i + 1]);
        let best = before.search.as_ref().map(|search| search.pv.as_slice()).unwrap_or_default();
        let another = best.first().is_some_and(|&m| m != played.chosen);
        let judgement = if another { mark(before.value, opposite(after.value)) } else { None };
        if let Some(judgement) = judgement {
            played.nags.insert(0, judgement.nag());
            desk.tally.marks[match judgement {
                Mark::Blunder => 0,
                Mark::Mistake => 1,
                Mark::Dubious => 2,
            }] += 1;
        }
        let mut ours: Vec<Token> = comment(&positions[i + 1], after).into_iter().collect();
        if another && (judgement.is_some() || desk.args.all_lines) && desk.args.line > 0 {
            ours.push(Token::Open);
            let mut position = positions[i].position().clone();
            for &m in best.iter().take(desk.args.line) {
                ours.push(Token::San(san(&position, m)));
                position.play(m);
            }
            ours.push(Token::Close);
        }
        // The evaluation comes first, variations of ours after the comments that were there.
        let split = ours.len().min(1);
        let line = ours.split_off(split);
        let comments = played.after.iter().take_while(|token| matches!(token, Token::Comment(_))).count();
        played.after.splice(comments..comments, line);
        played.after.splice(0..0, ours);
    }
}

fn evaluate(game: &Game, engine: &mut Engine, desk: &mut Desk<'_>) -> Evaluation {
    let position = game.position();
    if !position.has_legal_move() {
        return Evaluation { value: if position.in_check() { Value::Mate(0) } else { Value::Cp(0) }, search: None };
    }
    let outcome = engine.search(game, desk.args.budget().limits());
    desk.step();
    let value = outcome.last.as_ref().map_or(Value::Cp(0), |report| Value::from(report.value.score()));
    Evaluation { value, search: outcome.last }
}

/// The same value from the other side's view.
fn opposite(value: Value) -> Value {
    match value {
        Value::Cp(cp) => Value::Cp(-cp),
        // Who is mated on the board has been mated by the other's last move.
        Value::Mate(0) => Value::Mate(1),
        Value::Mate(moves) => Value::Mate(-moves),
    }
}

/// The evaluation as a comment: pawns or moves to mate from White's view, and the depth. A mate on the board has none.
fn comment(game: &Game, evaluation: &Evaluation) -> Option<Token> {
    let white = game.position().turn().is_white();
    let value = if white { evaluation.value } else { opposite(evaluation.value) };
    let value = match (value, &evaluation.search) {
        (Value::Mate(_), None) => return None,
        (Value::Mate(moves), _) => format!("#{moves}"),
        (Value::Cp(cp), _) => format!("{:.2}", f64::from(cp) / 100.0),
    };
    let depth = evaluation.search.as_ref().map_or_else(String::new, |search| format!(",{}", search.depth));
    Some(Token::Comment(format!("[%eval {value}{depth}]").into_bytes()))
}
