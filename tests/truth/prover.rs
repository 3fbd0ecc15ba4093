//! The truth about a game, including its past.

use std::collections::HashMap;

use ibex::retrograde::{Dtm, Tables};
use shakmaty::{Chess, Position};

use super::game::{Played, key};

/// Positions that one proof may examine; beyond that, the claim is undecided.
const BUDGET: usize = 10_000;
/// The delays of a win by the past, in plies, that are still searched.
const DELAYS: [usize; 5] = [0, 2, 4, 8, 16];

/// The value of a position for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Win,
    Draw,
    Loss,
}

/// Proves move by move, with every reply. Positions that have occurred twice are draws when they occur again, and so
/// is the hundredth ply unless it mates. Solved endings, which ignore the past, guide it: what they cannot win, the
/// past cannot win either.
pub struct Prover<'a> {
    game: &'a Played,
    tables: &'a Tables,
    has_traps: bool,
    /// By position, and by the clock if it may run out: the most plies without a mate, and the fewest with one.
    known: HashMap<(u64, u32), (Option<usize>, Option<usize>)>,
    left: usize,
}

impl<'a> Prover<'a> {
    pub fn new(game: &'a Played, tables: &'a Tables) -> Prover<'a> {
        Prover { game, tables, has_traps: game.has_traps(), known: HashMap::new(), left: BUDGET }
    }

    /// Whether the side to move mates within `plies` plies, if that is odd; or is mated, if it is even. `None` if that
    /// costs too much.
    pub fn mates(&mut self, position: &Chess, plies: usize) -> Option<bool> {
        let attacks = plies % 2 == 1;
        let moves = position.legal_moves();
        if moves.is_empty() {
            return Some(!attacks && position.is_check());
        }
        if plies == 0 {
            return Some(false);
        }
        let clock = position.halfmoves();
        if let Some(value) = self.without_past(position) {
            let needed = match value {
                Dtm::Win(needed) if attacks => usize::from(needed),
                Dtm::Loss(needed) if !attacks => usize::from(needed),
                _ => return Some(false),
            };
            if needed > plies {
                return Some(false);
            }
            if (!self.has_traps || self.is_past_gone(position)) && clock as usize + needed <= 100 {
                return Some(true);
            }
        }
        // The clock matters only if it may run out.
        let question = (key(position), if clock as usize + plies > 100 { clock } else { 0 });
        let (none, some) = self.known.get(&question).copied().unwrap_or_default();
        if some.is_some_and(|some| some <= plies && some % 2 == plies % 2) {
            return Some(true);
        }
        if none.is_some_and(|none| none >= plies && none % 2 == plies % 2) {
            return Some(false);
        }
        self.left = self.left.checked_sub(1)?;
        let mut after: Vec<_> = Vec::with_capacity(moves.len());
        for m in moves {
            let mut child = position.clone();
            child.play_unchecked(m);
            let distance = match self.without_past(&child) {
                Some(Dtm::Loss(plies)) => plies,
                Some(Dtm::Win(plies)) => u8::MAX - plies,
                _ => u8::MAX,
            };
            let replies = child.legal_moves().len();
            after.push((if attacks { distance } else { 0 }, attacks && !child.is_check(), replies, child));
        }
        after.sort_by_key(|&(distance, quiet, replies, _)| (distance, quiet, replies));
        let mut answer = !attacks;
        for (_, _, _, child) in after {
            let drawn = !child.is_checkmate() && self.is_drawn(&child);
            let mates = !drawn && self.mates(&child, plies - 1)?;
            if mates == attacks {
                answer = attacks;
                break;
            }
        }
        let known = self.known.entry(question).or_default();
        *(if answer { &mut known.1 } else { &mut known.0 }) = Some(plies);
        Some(answer)
    }

    /// Whether a position ends the game in a draw on its arrival.
    pub fn is_drawn(&self, position: &Chess) -> bool {
        position.halfmoves() >= 100 || self.game.times(key(position)) >= 2
    }

    /// The value of a position; `None` if no table has it, or if it costs too much.
    pub fn outcome(&mut self, position: &Chess) -> Option<Outcome> {
        let (plies, outcome) = match self.without_past(position)? {
            Dtm::Draw => return Some(Outcome::Draw),
            Dtm::Win(plies) => (usize::from(plies), Outcome::Win),
            Dtm::Loss(plies) => (usize::from(plies), Outcome::Loss),
        };
        // Against a bare king and without pawns nothing resets the clock: if there is no mate before it runs out, it
        // is a draw.
        let board = position.board();
        let is_lone = board.white().count() == 1 || board.black().count() == 1;
        let left = (100 - position.halfmoves() as usize).saturating_sub(plies);
        let last = (is_lone && board.pawns().is_empty()).then_some(left - left % 2);
        if last.is_some() && plies + position.halfmoves() as usize > 100 {
            return Some(Outcome::Draw);
        }
        for delay in DELAYS.into_iter().filter(|&delay| last.is_none_or(|last| delay < last)).chain(last) {
            if self.mates(position, plies + delay)? {
                return Some(outcome);
            }
        }
        last.map(|_| Outcome::Draw)
    }

    /// The value of a move for the side that plays it.
    pub fn outcome_of(&mut self, after: &Chess) -> Option<Outcome> {
        if after.is_checkmate() {
            return Some(Outcome::Win);
        }
        if after.legal_moves().is_empty() || self.is_drawn(after) {
            return Some(Outcome::Draw);
        }
        Some(match self.outcome(after)? {
            Outcome::Win => Outcome::Loss,
            Outcome::Draw => Outcome::Draw,
            Outcome::Loss => Outcome::Win,
        })
    }

    /// The value of a solved ending, at clock 0 and without a past.
    fn without_past(&self, position: &Chess) -> Option<Dtm> {
        if position.castles().any() {
            return None;
        }
        self.tables.value(position.board(), position.turn())
    }

    /// Whether an irreversible move lies between the game and a later position.
    fn is_past_gone(&self, position: &Chess) -> bool {
        let (then, now) = (self.game.position.board(), position.board());
        then.occupied().count() != now.occupied().count() || then.pawns() != now.pawns()
    }
}
