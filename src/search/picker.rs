//! The order in which a node's moves are searched: the table's move, captures that pay, quiet moves, captures that do
//! not.
//!
//! Captures are ordered by victim and history; quiet moves by history, and by what needs none to be seen: an escape from a
//! lesser piece, or a check.
//!
//! Nothing is generated before it is needed: the table's move is tried on its own, captures come before quiet moves,
//! and an exchange is evaluated only when its capture's turn comes.

use arrayvec::ArrayVec;
use shakmaty::{Move, Role};

use super::history::{History, Trail};
use super::threats::Threats;
use crate::params;
use crate::position::movegen::is_noisy;
use crate::position::see::exchange_value;
use crate::position::{PackedMove, Position};

/// Most legal moves in a position is 218.
const MAX_MOVES: usize = 256;
/// Most captures: 16 pieces cannot have more between them in a legal position.
const MAX_NOISY: usize = 128;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Stage {
    Table,
    GenerateNoisy,
    GoodNoisy,
    GenerateQuiets,
    Quiets,
    BadNoisy,
}

#[derive(Clone, Copy)]
struct Scored {
    m: Move,
    score: i32,
    /// What the histories say of it; part of the score.
    history: i32,
}

/// The killer comes before all other quiet moves.
const KILLER: i32 = i32::MAX;

/// What a check may lose in exchange, in centipawns, and still come early.
const CHECK_COSTS: i32 = 75;

/// Hands out the legal moves of a node in order.
pub struct Picker {
    stage: Stage,
    table: Option<Move>,
    noisy: ArrayVec<Scored, MAX_NOISY>,
    quiets: ArrayVec<Scored, MAX_MOVES>,
    bad: ArrayVec<Move, MAX_NOISY>,
    next_bad: usize,
    killer: PackedMove,
    /// Captures must gain at least this in exchange to count as good.
    threshold: i32,
    skip_quiets: bool,
    /// The history of the move handed out last, where it had to be read for the order.
    history: Option<i32>,
}

impl Picker {
    /// All moves; the table's (which must be legal) first.
    #[inline]
    pub fn new(table: Option<Move>, killer: PackedMove) -> Picker {
        Picker {
            stage: Stage::Table,
            table,
            noisy: ArrayVec::new(),
            quiets: ArrayVec::new(),
            bad: ArrayVec::new(),
            next_bad: 0,
            killer,
            threshold: 0,
            skip_quiets: false,
            history: None,
        }
    }

    /// Only captures and queen promotions; those that gain less than `threshold` in exchange come last.
    #[inline]
    pub fn noisy(table: Option<Move>, threshold: i32) -> Picker {
        let table = table.filter(|&m| is_noisy(m));
        // Field by field: building a picker of another one would copy its empty lists, kilobytes at every node.
        let mut picker = Picker::new(table, PackedMove::NONE);
        picker.threshold = threshold;
        picker.skip_quiets = true;
        picker
    }

    /// No more quiet moves, from now on.
    pub fn skip_quiets(&mut self) {
        self.skip_quiets = true;
    }

    /// The history of the move handed out last, if the picker has read it; the reading is a memory access or five.
    #[inline]
    pub fn history(&self) -> Option<i32> {
        self.history
    }

    /// The next move.
    pub fn next(&mut self, position: &Position, history: &History, threats: &Threats, trail: &Trail) -> Option<Move> {
        self.history = None;
        loop {
            match self.stage {
                Stage::Table => {
                    self.stage = Stage::GenerateNoisy;
                    if self.table.is_some() {
                        return self.table;
                    }
                }
                Stage::GenerateNoisy => {
                    for &m in &position.noisy_moves() {
                        if Some(m) != self.table {
                            let victim = m.capture().map_or(0, exchange_value)
                                + m.promotion().map_or(0, |_| exchange_value(Role::Queen));
                            let history = history.noisy(position, m);
                            self.noisy.push(Scored { m, score: 16 * victim + history / 4, history });
                        }
                    }
                    self.stage = Stage::GoodNoisy;
                }
                Stage::GoodNoisy => match take_best(&mut self.noisy) {
                    Some(best) if position.see_at_least(best.m, self.threshold) => return Some(best.m),
                    Some(best) => self.bad.push(best.m),
                    None => self.stage = Stage::GenerateQuiets,
                },
                Stage::GenerateQuiets => {
                    if !self.skip_quiets {
                        let checks = position.checking_squares();
                        for &m in &position.quiet_moves() {
                            if Some(m) != self.table {
                                let history = history.quiet(position, threats, trail, m);
                                let mut score = history + threats.relief(m);
                                if checks[m.role() as usize - 1].contains(m.to())
                                    && position.see_at_least(m, -CHECK_COSTS)
                                {
                                    score += params::check_order();
                                }
                                if self.killer.is(m) {
                                    score = KILLER;
                                }
                                self.quiets.push(Scored { m, score, history });
                            }
                        }
                    }
                    self.stage = Stage::Quiets;
                }
                Stage::Quiets => {
                    if !self.skip_quiets
                        && let Some(best) = take_best(&mut self.quiets)
                    {
                        self.history = Some(best.history);
                        return Some(best.m);
                    }
                    self.stage = Stage::BadNoisy;
                }
                Stage::BadNoisy => {
                    let m = self.bad.get(self.next_bad).copied();
                    self.next_bad += 1;
                    return m;
                }
            }
        }
    }

    /// Whether the moves handed out now are captures that lose material.
    pub fn at_bad_noisy(&self) -> bool {
        self.stage == Stage::BadNoisy
    }
}

/// Takes the best move out.
fn take_best<const N: usize>(moves: &mut ArrayVec<Scored, N>) -> Option<Scored> {
    let mut best = 0;
    for i in 1..moves.len() {
        if moves[i].score > moves[best].score {
            best = i;
        }
    }
    if moves.is_empty() { None } else { Some(moves.swap_remove(best)) }
}
