//! Analyses games: searches every position and judges every move.

use std::io::BufRead;
use std::ops::Range;

use shakmaty::Color;

use super::ahead;
use super::choice::Lead;
use super::course::Course;
use super::judge::{Mark, Thresholds};
use super::progress::AnalysisRun;
use super::searcher::Finding;
use crate::play::player::{Budget, Trouble, UciScore};
use formats::pgn::{Fault, Games, Pgn, Played, Token};
use ibex::bound::Bound;
use ibex::position::game::Ending;
use ibex::position::notation::{Action, san};
use ibex::position::{Move, Position};
use terminal::{CommandError, interrupt, trouble};

/// The command in a comment that lists what Ibex added to its move: glyphs, and a variation.
const ADDED: &[u8] = b"[%ibex";
/// The word in this command before the moves of the variation, which go to the end of the command.
const LINE: &str = "line";
/// The command in a comment that holds an evaluation.
const EVALUATION: &[u8] = b"[%eval";

/// A search for the end of the undecided part of a game gets the limit divided by this.
const SHORT: u64 = 20;
/// Minimum nodes of such a search, if the limit allows them.
const SHORT_NODES: u64 = 1000;

/// A position's evaluation.
#[derive(Default)]
pub struct AnalysedPosition {
    /// From the side to move's view; `None` if the search did not take place or was too short for a value.
    pub value: Option<UciScore>,
    /// The search behind it; `None` if the game is over.
    pub search: Option<Finding>,
}

/// The judgement of a move that was played.
pub struct JudgedMove {
    /// Whether the move is one that the user wants to see annotated.
    pub chosen: bool,
    /// Whether the engine would have played another one.
    pub another: bool,
    /// How bad it is.
    pub mark: Option<Mark>,
}

/// The annotations of the file at a move, or before the first.
#[derive(Clone, Default)]
pub struct Annotation {
    /// Glyphs.
    pub nags: Vec<u32>,
    /// Comments and variations.
    pub after: Vec<Token>,
}

/// The analysis of a game.
pub struct Analysis {
    /// Its positions.
    pub course: Course,
    /// What they are worth.
    pub evaluations: Vec<AnalysedPosition>,
    /// What its moves are worth.
    pub moves: Vec<JudgedMove>,
    /// The annotations before the first move and at each move, without those of an earlier analysis by Ibex.
    pub own: Vec<Annotation>,
    /// Where an engine failed, and how.
    pub failures: Vec<String>,
}

/// Why the analysis of a game stops early.
enum Halt {
    /// A search has failed or was interrupted.
    Search(Trouble),
    /// The work so far could not be saved.
    Output(CommandError),
}

impl From<Trouble> for Halt {
    fn from(trouble: Trouble) -> Halt {
        Halt::Search(trouble)
    }
}

/// Analyses game by game, and skips the first `done`.
///
/// # Errors
///
/// One line: the input cannot be read, or the output not written.
pub fn analyse(name: &str, input: impl BufRead, done: u64, run: &mut AnalysisRun<'_>) -> Result<(), CommandError> {
    let mut games = Games::new(input);
    for number in 1_u64.. {
        let read = games.next_game();
        // Not at the end of the input: there, the run is complete.
        if interrupt::is_stopped() && !matches!(read, Ok(None)) {
            run.interrupted = true;
            break;
        }
        let Some(mut reading) = read.map_err(|error| trouble!("{name}: {error}"))? else { break };
        if number <= done {
            continue;
        }
        let about = |reason: &str| format!("game {number} ({}): {reason}", reading.title);
        let remark = |run: &AnalysisRun<'_>, remarks: &[Fault]| {
            remarks.iter().for_each(|fault| run.note(&format!("{name}:{}", fault.line), &about(&fault.reason)));
        };
        let positions = reading.game.as_ref().map_or(0, |game| ahead::of_game(game, &run.plan.choice));
        let text = match &mut reading.game {
            // Remarks are not part of a game, and stay whichever games are wanted.
            Err(_) if reading.only_remarks => reading.unchanged(),
            Ok(game) if !run.plan.choice.concerns(game) => {
                run.tally.others += 1;
                reading.unchanged()
            }
            Ok(game) => {
                remark(run, &reading.remarks);
                let analysis = match annotate(game, run) {
                    Ok(analysis) => analysis,
                    Err(Halt::Search(Trouble::Interrupted)) => {
                        run.interrupted = true;
                        break;
                    }
                    Err(Halt::Search(trouble)) => return Err(trouble!("{name}: {}", about(&trouble.to_string()))),
                    Err(Halt::Output(reason)) => return Err(reason),
                };
                for failure in &analysis.failures {
                    run.note(&format!("{name}:{}", reading.line), &about(failure));
                }
                run.tally.failed += analysis.failures.len() as u64;
                run.tally.games += 1;
                if let Some(page) = &mut run.page {
                    page.add(name, number, game, &analysis)?;
                }
                game.write(&run.searcher.name())
            }
            // With --skip-bad, the output must not contain such games.
            Err(_) if !run.plan.skip_bad && !run.plan.choice.may_concern(&reading.players) => {
                run.tally.others += 1;
                reading.unchanged()
            }
            Err(fault) => {
                remark(run, &reading.remarks);
                run.complain(&format!("{name}:{}", fault.line), &about(&fault.reason));
                if run.plan.choice.may_concern(&reading.players) {
                    run.tally.unread += 1;
                    if let Some(page) = &mut run.page {
                        page.add_unread(name, number, &reading.title, &fault.reason);
                    }
                } else {
                    run.tally.others_left_out += 1;
                }
                if run.plan.skip_bad { Vec::new() } else { reading.unchanged() }
            }
        };
        run.pass(positions);
        run.write(&text, number)?;
    }
    run.searcher.rest();
    Ok(())
}

/// Searches the positions that the chosen moves need, and writes the findings into the game.
///
/// # Errors
///
/// A position could not be searched, or the work before it could not be saved; the game is then unusable.
fn annotate(game: &mut Pgn, run: &mut AnalysisRun<'_>) -> Result<Analysis, Halt> {
    forget_analysis(game);
    let first = Annotation { nags: Vec::new(), after: game.before.clone() };
    let at = |played: &Played| Annotation { nags: played.nags.clone(), after: played.after.clone() };
    let own = std::iter::once(first).chain(game.moves.iter().map(at)).collect();
    let course = Course::new(game);
    let positions = course.positions();
    if let Some(openings) = &run.openings {
        openings.name(game, positions);
    }
    let mut chosen = run.plan.choice.moves(game, positions);
    let Survey { found, troubles, .. } = evaluate_all(&course, &mut chosen, run)?;
    let evaluations: Vec<AnalysedPosition> = found.into_iter().map(Option::unwrap_or_default).collect();
    let before = |i: usize| match game.moves.get(i) {
        Some(played) => {
            let position = &positions[i];
            let number = position.fullmoves().get();
            let dots = position.turn().fold_wb(".", "...");
            format!("before {number}{dots} {}", played.san)
        }
        None => "at the end".to_owned(),
    };
    let failures = troubles.iter().map(|(i, trouble)| format!("no value {}: {trouble}", before(*i))).collect();

    if let Some(comment) = comment(&positions[0], &evaluations[0]) {
        add_comment(&mut game.before, comment);
    }
    let mut moves = Vec::with_capacity(game.moves.len());
    for (i, (played, chosen)) in game.moves.iter_mut().zip(chosen).enumerate() {
        let (before, after) = (&evaluations[i], &evaluations[i + 1]);
        let judged = judge(played.action, chosen, before, after, &run.plan.marks);
        if let Some(mark) = judged.mark {
            run.tally.marks[mark.index()] += 1;
        }
        let comment = comment(&positions[i + 1], after).unwrap_or_default();
        let wants_line = judged.another && (judged.mark.is_some() || run.plan.lines.everywhere);
        let line = if wants_line { sans(&positions[i], best_line(before), run.plan.lines.longest) } else { Vec::new() };
        write_into(played, judged.mark, line, comment);
        moves.push(judged);
    }
    Ok(Analysis { course, evaluations, moves, own, failures })
}

/// The line found in a position; empty if there is none.
fn best_line(found: &AnalysedPosition) -> &[Move] {
    found.search.as_ref().map(|search| search.pv.as_slice()).unwrap_or_default()
}

/// Judges a move by the searches before and after it.
fn judge(
    action: Action,
    chosen: bool,
    before: &AnalysedPosition,
    after: &AnalysedPosition,
    marks: &Thresholds,
) -> JudgedMove {
    let another = match action {
        Action::Move(m) => chosen && best_line(before).first().is_some_and(|&best| best != m),
        Action::Pass => false,
    };
    let mark = match (before.value, after.value) {
        (Some(before), Some(after)) if another => marks.mark(before, opposite(after)),
        _ => None,
    };
    JudgedMove { chosen, another, mark }
}

/// The first moves of a line, in standard algebraic notation.
fn sans(position: &Position, line: &[Move], most: usize) -> Vec<String> {
    let mut position = *position;
    let name = |&m: &Move| {
        let name = san(&position, m);
        position.play(m);
        name
    };
    line.iter().take(most).map(name).collect()
}

/// Adds a mark, a line and a comment to a move, and to the comment what is needed to remove them again.
fn write_into(played: &mut Played, mark: Option<Mark>, line: Vec<String>, mut comment: Vec<u8>) {
    let mut added = Vec::new();
    // A glyph that someone else gave stays theirs.
    if let Some(nag) = mark.map(Mark::nag).filter(|nag| !played.nags.contains(nag)) {
        played.nags.insert(0, nag);
        added.push(format!("${nag}"));
    }
    let mut variation = Vec::new();
    if !line.is_empty() {
        added.push(LINE.to_owned());
        added.extend_from_slice(&line);
        variation.push(Token::Open);
        variation.extend(line.into_iter().map(Token::San));
        variation.push(Token::Close);
    }
    if !added.is_empty() {
        if !comment.is_empty() {
            comment.push(b' ');
        }
        comment.extend(ADDED);
        comment.extend(format!(" {}]", added.join(" ")).bytes());
    }
    if !comment.is_empty() {
        add_comment(&mut played.after, comment);
    }
    // Our line comes after theirs, which may begin with the same move.
    let last = played.after.iter().rposition(|token| *token == Token::Close);
    let behind = last.map_or(usize::from(matches!(played.after.first(), Some(Token::Comment(_)))), |last| last + 1);
    played.after.splice(behind..behind, variation);
}

/// Searches the positions that the chosen moves need, from the end: the table then holds the results of a move when
/// its alternatives are searched. Moves after the game is decided are no longer chosen.
fn evaluate_all<'a>(course: &'a Course, chosen: &mut [bool], run: &mut AnalysisRun<'_>) -> Result<Survey<'a>, Halt> {
    let is_chosen = |i: usize| chosen.get(i).is_some_and(|&chosen| chosen);
    let is_needed = |i: usize| is_chosen(i) || i.checked_sub(1).is_some_and(is_chosen);
    // Even a game without moves has a position.
    let all = run.plan.choice.is_everything();
    let count = course.positions().len();
    let needed: Vec<bool> = (0..count).map(|i| all || is_needed(i)).collect();
    let mut survey = Survey { course, found: (0..count).map(|_| None).collect(), troubles: Vec::new() };
    let Some(first) = needed.iter().position(|&needed| needed) else { return Ok(survey) };
    run.searcher.begin_game();
    let lead = run.plan.choice.until_decided;
    let decision = match lead {
        Some(lead) => survey.decision(lead, first, run)?,
        None => None,
    };
    let last = decision.map_or(count - 1, |(at, _)| at);
    for i in (first..=last).rev().filter(|&i| needed[i]) {
        survey.evaluate(i, run)?;
    }
    if let Some(lead) = lead {
        survey.drop_decided(lead, decision, chosen);
    }
    Ok(survey)
}

/// The positions of a game that are searched.
struct Survey<'a> {
    course: &'a Course,
    found: Vec<Option<AnalysedPosition>>,
    /// Where an engine failed, and how.
    troubles: Vec<(usize, String)>,
}

impl Survey<'_> {
    /// Searches a position with the whole limit, unless that is done.
    fn evaluate(&mut self, i: usize, run: &mut AnalysisRun<'_>) -> Result<(), Halt> {
        if self.found[i].is_some() {
            return Ok(());
        }
        let found = match evaluate(self.course, i, &run.plan.budget, run) {
            Ok((found, searched)) => {
                match run.searcher.label() {
                    // It has answered, so this is not a failure that counts towards giving it up.
                    Some(label) if searched && found.value.is_none() => {
                        self.troubles.push((i, format!("{label}: it gave no score")));
                    }
                    _ if searched => run.step(),
                    _ => {}
                }
                found
            }
            Err(Halt::Search(trouble)) if !matches!(trouble, Trouble::Interrupted) && run.searcher.endures() => {
                self.troubles.push((i, trouble.to_string()));
                AnalysedPosition::default()
            }
            Err(halt) => return Err(halt),
        };
        self.found[i] = Some(found);
        Ok(())
    }

    /// The side for which the game is decided in a position, if its value says so.
    fn winner(&self, lead: Lead, i: usize, value: Option<UciScore>) -> Option<Color> {
        lead.winner(self.course.positions()[i].turn(), value?)
    }

    /// The position from which the game is decided, and for whom. Short searches from the end find it; then searches
    /// with the whole limit decide. Positions before `first` do not matter.
    fn decision(
        &mut self,
        lead: Lead,
        first: usize,
        run: &mut AnalysisRun<'_>,
    ) -> Result<Option<(usize, Color)>, Halt> {
        let short = short(&run.plan.budget);
        let mut decision: Option<(usize, Color)> = None;
        for i in (first..self.found.len()).rev() {
            let value = match evaluate(self.course, i, &short, run) {
                Ok((found, _)) => found.value,
                // If the search with the whole limit fails too, that is reported.
                Err(Halt::Search(trouble)) if !matches!(trouble, Trouble::Interrupted) && run.searcher.endures() => {
                    None
                }
                Err(halt) => return Err(halt),
            };
            match (self.winner(lead, i, value), decision) {
                (Some(winner), Some((_, known))) if winner != known => break,
                (Some(winner), _) => decision = Some((i, winner)),
                (None, _) => break,
            }
        }
        let Some((at, winner)) = decision else { return Ok(None) };
        for i in at..self.found.len() {
            self.evaluate(i, run)?;
            let value = self.found[i].as_ref().and_then(|found| found.value);
            if self.winner(lead, i, value) == Some(winner) {
                return Ok(Some((i, winner)));
            }
        }
        Ok(None)
    }

    /// Drops the moves and evaluations after the decision. Searches with the whole limit may put it earlier than the
    /// short ones did.
    fn drop_decided(&mut self, lead: Lead, decision: Option<(usize, Color)>, chosen: &mut [bool]) {
        let (mut at, mut winner) = match decision {
            Some((at, winner)) => (at, Some(winner)),
            None => (self.found.len(), None),
        };
        while let Some(before) = at.checked_sub(1) {
            let value = self.found[before].as_ref().and_then(|found| found.value);
            let Some(side) = self.winner(lead, before, value) else { break };
            if *winner.get_or_insert(side) != side {
                break;
            }
            at = before;
        }
        chosen.iter_mut().skip(at).for_each(|chosen| *chosen = false);
        self.found.iter_mut().skip(at + 1).for_each(|found| *found = None);
    }
}

/// The limit of a search that looks for the end of the undecided part of a game.
fn short(whole: &Budget) -> Budget {
    Budget {
        nodes: whole.nodes.map(|nodes| (nodes / SHORT).max(nodes.min(SHORT_NODES))),
        movetime: whole.movetime.map(|ms| (ms / SHORT).max(1)),
        depth: whole.depth.map(|depth| depth.div_ceil(2)),
        ..*whole
    }
}

/// Puts a comment before the others of a move; many readers cannot handle two in a row.
fn add_comment(tokens: &mut Vec<Token>, mut ours: Vec<u8>) {
    match tokens.first_mut() {
        Some(Token::Comment(theirs)) => {
            ours.push(b' ');
            ours.append(theirs);
            *theirs = ours;
        }
        _ => tokens.insert(0, Token::Comment(ours)),
    }
}

/// Removes from a game what an earlier analysis wrote into it: evaluations, and what Ibex lists as its own.
fn forget_analysis(game: &mut Pgn) {
    forget_evaluations(&mut game.before);
    for played in &mut game.moves {
        forget_evaluations(&mut played.after);
        let Some(Token::Comment(comment)) = played.after.first_mut() else { continue };
        let Some(added) = take_command(comment, ADDED) else { continue };
        let empty = comment.trim_ascii().is_empty();
        let words: Vec<String> = String::from_utf8_lossy(&added).split_whitespace().map(str::to_owned).collect();
        let (glyphs, line) = words.split_at(words.iter().position(|word| word == LINE).unwrap_or(words.len()));
        played.nags.retain(|nag| !glyphs.contains(&format!("${nag}")));
        if let Some((_, moves)) = line.split_first() {
            forget_line(&mut played.after, moves);
        }
        if empty {
            played.after.remove(0);
        }
    }
}

/// Removes the variation that is exactly these moves, wherever it is; if there are several, the last, because ours
/// comes after theirs. A variation that was changed or annotated since belongs to someone else.
///
/// Earlier versions did not name the moves. Then a variation of bare moves may be ours if it is the only one.
fn forget_line(tokens: &mut Vec<Token>, moves: &[String]) {
    let all = variations(tokens);
    let ours = all.iter().rfind(|inside| {
        let found = bare_moves(&tokens[inside.start..inside.end]);
        found.is_some_and(|found| if moves.is_empty() { all.len() == 1 } else { found == moves })
    });
    if let Some(ours) = ours {
        tokens.drain(ours.start - 1..=ours.end);
    }
}

/// The contents of each variation to a move. Nested variations are parts of these.
fn variations(tokens: &[Token]) -> Vec<Range<usize>> {
    let (mut found, mut open) = (Vec::new(), Vec::new());
    for (i, token) in tokens.iter().enumerate() {
        match token {
            Token::Open => open.push(i),
            Token::Close => {
                if let Some(begin) = open.pop()
                    && open.is_empty()
                {
                    found.push(begin + 1..i);
                }
            }
            _ => {}
        }
    }
    found
}

/// The moves of a variation; `None` if it contains anything else.
fn bare_moves(inside: &[Token]) -> Option<Vec<&str>> {
    let moves = inside.iter().map(|token| match token {
        Token::San(san) => Some(san.as_str()),
        _ => None,
    });
    moves.collect()
}

/// Removes the evaluations from the comments beside the main line, and comments that hold nothing else.
fn forget_evaluations(tokens: &mut Vec<Token>) {
    let mut depth = 0;
    tokens.retain_mut(|token| {
        match token {
            Token::Open => depth += 1,
            Token::Close => depth -= 1,
            Token::Comment(comment) | Token::Line(comment) if depth == 0 => {
                return !take_commands(comment, EVALUATION) || !comment.trim_ascii().is_empty();
            }
            _ => {}
        }
        true
    });
}

/// Removes the first command that begins like this from a comment, with the blank after it; returns its operands.
fn take_command(comment: &mut Vec<u8>, command: &[u8]) -> Option<Vec<u8>> {
    let found = find_command(comment, command)?;
    let operands = comment[found.start + command.len()..found.end - 1].to_vec();
    let behind = skip_one_blank(&comment[..found.start], &comment[found.end..]).len();
    comment.drain(found.start..comment.len() - behind);
    Some(operands)
}

/// Removes all commands that begin like this from a comment, each with the blank after it; whether there was one.
fn take_commands(comment: &mut Vec<u8>, command: &[u8]) -> bool {
    let (mut kept, mut rest) = (Vec::new(), comment.as_slice());
    while let Some(found) = find_command(rest, command) {
        kept.extend(&rest[..found.start]);
        rest = skip_one_blank(&kept, &rest[found.end..]);
    }
    let any = rest.len() < comment.len();
    if any {
        kept.extend(rest);
        *comment = kept;
    }
    any
}

/// The range of the first command in a comment that begins like this, brackets included.
fn find_command(comment: &[u8], command: &[u8]) -> Option<Range<usize>> {
    let begins = |at: usize| {
        let after = comment.get(at + command.len());
        comment[at..].starts_with(command) && after.is_some_and(|byte| byte.is_ascii_whitespace() || *byte == b']')
    };
    let at = (0..comment.len()).find(|&at| begins(at))?;
    let length = comment[at..].iter().position(|&byte| byte == b']')?;
    Some(at..at + length + 1)
}

/// What follows a removed command: without its first blank if another blank, or nothing, precedes the command.
fn skip_one_blank<'a>(before: &[u8], after: &'a [u8]) -> &'a [u8] {
    let after_blank = before.last().is_none_or(u8::is_ascii_whitespace);
    match after {
        [first, rest @ ..] if after_blank && first.is_ascii_whitespace() => rest,
        _ => after,
    }
}

/// Searches the `i`-th position of a game unless the game is over there. Also returns whether it was searched.
///
/// A draw by the rules that is not claimed does not end the game: it counts only if no move follows.
fn evaluate(
    course: &Course,
    i: usize,
    budget: &Budget,
    run: &mut AnalysisRun<'_>,
) -> Result<(AnalysedPosition, bool), Halt> {
    let over = match course.ending(i) {
        Some(Ending::Checkmate) => Some(UciScore::Mate(0)),
        Some(Ending::Stalemate) => Some(UciScore::Cp(0)),
        Some(Ending::InsufficientMaterial | Ending::FiftyMoves | Ending::Repetition)
            if i + 1 == course.positions().len() =>
        {
            Some(UciScore::Cp(0))
        }
        _ => None,
    };
    if over.is_some() {
        return Ok((AnalysedPosition { value: over, search: None }, false));
    }
    run.begin_search().map_err(Halt::Output)?;
    let search = run.searcher.search(course.game(i), budget)?;
    Ok((AnalysedPosition { value: search.as_ref().map(|search| search.value), search }, true))
}

/// The same value from the other side's view.
pub fn opposite(value: UciScore) -> UciScore {
    match value {
        UciScore::Cp(cp) => UciScore::Cp(cp.saturating_neg()),
        // The side that is mated on the board has been mated by the other side's last move.
        UciScore::Mate(0) => UciScore::Mate(1),
        UciScore::Mate(moves) => UciScore::Mate(moves.saturating_neg()),
    }
}

/// The evaluation for a comment: pawns or moves to mate from White's view, and the depth. A mate on the board has
/// none, nor has a mere bound of an evaluation, which `[%eval]` cannot mark as such.
fn comment(position: &Position, evaluation: &AnalysedPosition) -> Option<Vec<u8>> {
    if evaluation.search.as_ref().is_some_and(|search| search.bound != Bound::Exact && !search.proved) {
        return None;
    }
    let white = position.turn().is_white();
    let value = evaluation.value?;
    let value = if white { value } else { opposite(value) };
    let value = match (value, &evaluation.search) {
        (UciScore::Mate(_), None) => return None,
        (UciScore::Mate(moves), _) => format!("#{moves}"),
        (UciScore::Cp(cp), _) => format!("{:.2}", f64::from(cp) / 100.0),
    };
    let depth = evaluation.search.as_ref().map_or_else(String::new, |search| format!(",{}", search.depth));
    Some(format!("[%eval {value}{depth}]").into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_score_of_an_engine_has_an_opposite() {
        assert_eq!(opposite(UciScore::Cp(i32::MIN)), UciScore::Cp(i32::MAX));
        assert_eq!(opposite(UciScore::Mate(i32::MIN)), UciScore::Mate(i32::MAX));
        assert_eq!((opposite(UciScore::Mate(0)), opposite(UciScore::Cp(-7))), (UciScore::Mate(1), UciScore::Cp(7)));
    }

    fn forgotten(movetext: &str) -> String {
        let mut game = Games::new(movetext.as_bytes())
            .next_game()
            .expect("memory can be read")
            .expect("a game")
            .game
            .expect("readable");
        forget_analysis(&mut game);
        let text = String::from_utf8(game.write("x")).expect("text");
        text.split_once("\n\n").map_or_else(String::new, |(_, moves)| moves.trim_end().replace('\n', " "))
    }

    #[test]
    fn an_earlier_analysis_gives_way() {
        for (before, after) in [
            ("1. e4! {[%eval 0.3] [%clk 0:01] x} e5 {[%eval #3,9]} *", "1. e4 $1 { [%clk 0:01] x } 1... e5 *"),
            ("{[%eval 0.1,2] first} 1. e4 {a [%eval 0.3] b} *", "{ first } 1. e4 { a b } *"),
            ("1. e4 {[%eval open} *", "1. e4 { [%eval open } *"),
            ("1. e4 {[%eval 1] a [%eval 2][%eval 3] b[%eval 4]c [%eval} *", "1. e4 { a bc [%eval } *"),
            ("1. e4 {[%evaluation 1]} *", "1. e4 { [%evaluation 1] } *"),
            (
                "1. e4 $4 $1 {[%eval 0.3,1] [%ibex $4 line d4 d5] mine} (1. a3) (1. d4 d5) {behind} e5 $2 *",
                "1. e4 $1 { mine } (1. a3) { behind } 1... e5 $2 *",
            ),
            // The line is the one named, wherever it is.
            (
                "1. f3 {[%eval -0.48,3] [%ibex $6 line e4 e5 Nc3]} (1. e4 e5 2. Nc3) (1. c4 c5) e5 *",
                "1. f3 (1. c4 c5) 1... e5 *",
            ),
            ("1. f3 {[%ibex line\ne4 e5]} (1. c4 c5) e5 *", "1. f3 (1. c4 c5) 1... e5 *"),
            ("1. f3 {[%ibex line e4 e5]} (1. e4 e5) (1. c4) (1. e4 e5) *", "1. f3 (1. e4 e5) (1. c4) *"),
            (
                "1. f3 {[%ibex line e4 e5]} (1. e4 e5 2. d4) (1. e4) (1. e4 e5 {good}) (1. c4 (1. e4 e5) c5) *",
                "1. f3 (1. e4 e5 2. d4) (1. e4) (1. e4 e5 { good }) (1. c4 (1. e4 e5) 1... c5) *",
            ),
            // Earlier versions named no line.
            ("1. f3 {[%ibex $6 line]} (1. e4 e5) (1. c4 c5) *", "1. f3 (1. e4 e5) (1. c4 c5) *"),
            ("1. e4 {[%ibex line]} (1. d4 $1) (1. c4 c5 {good}) *", "1. e4 (1. d4 $1) (1. c4 c5 { good }) *"),
            ("1. e4 {[%eval 0.3,1] [%ibex line]} (1. d4) *", "1. e4 *"),
            // Evaluations inside variations belong to someone else.
            ("1. e4 (1. d4 {[%eval 0.2]}) *", "1. e4 (1. d4 { [%eval 0.2] }) *"),
        ] {
            assert_eq!(forgotten(before), after, "{before}");
        }
    }
}
