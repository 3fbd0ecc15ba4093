//! Move ordering in stages: the TT move, good captures, quiet moves, bad captures.
//!
//! Captures are ordered by victim and history (MVV and capture history); quiet moves by killer move, history, escapes
//! from lesser pieces, and checks.
//!
//! Nothing is generated before it is needed, and a capture's static exchange evaluation waits until its turn comes.

use arrayvec::ArrayVec;
use shakmaty::{Move, Role};

use super::history::{ContKeys, History};
use super::threats::ThreatSquares;
use crate::params;
use crate::position::attacks::Attacks;
use crate::position::movegen::{MAX_MOVES, is_noisy};
use crate::position::see::exchange_value;
use crate::position::{PackedMove, Position};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Stage {
    TtMove,
    GenerateNoisy,
    GoodNoisy,
    GenerateQuiets,
    Quiets,
    BadNoisy,
}

/// Scores stay within ± this; the killer comes before all other quiet moves.
const KILLER: i32 = 1 << 21;

/// Moves of a node, to be taken out one by one.
struct Queue<const N: usize> {
    /// 512 · score + 511 − place: the maximum is the best move, and the first among equals; the compiler vectorises
    /// the search for it.
    keys: ArrayVec<i32, N>,
    /// With the history, which is part of the score.
    moves: ArrayVec<(Move, i32), N>,
}

impl<const N: usize> Queue<N> {
    const PLACES: i32 = 512;

    fn new() -> Queue<N> {
        const { assert!(N <= Self::PLACES as usize) };
        Queue { keys: ArrayVec::new(), moves: ArrayVec::new() }
    }

    /// Adds a move. A move beyond the last place is left out: only a composed position has that many.
    #[inline]
    fn push(&mut self, m: Move, score: i32, history: i32) {
        let key = Self::key(score.clamp(-KILLER, KILLER) * Self::PLACES, self.keys.len());
        if self.keys.try_push(key).is_ok() {
            self.moves.push((m, history));
        }
    }

    /// `score` must be a multiple of [`Queue::PLACES`].
    #[inline]
    fn key(score: i32, place: usize) -> i32 {
        score | (Self::PLACES - 1 - place as i32)
    }

    /// Takes the best move out; the last one moves to its place.
    #[inline]
    fn take_best(&mut self) -> Option<(Move, i32)> {
        if self.keys.is_empty() {
            return None;
        }
        let best = self.keys.iter().fold(i32::MIN, |best, &key| best.max(key));
        let place = (Self::PLACES - 1 - (best & (Self::PLACES - 1))) as usize;
        self.keys.swap_remove(place);
        if let Some(moved) = self.keys.get_mut(place) {
            *moved = Self::key(*moved & -Self::PLACES, place);
        }
        Some(self.moves.swap_remove(place))
    }
}

/// Hands out the legal moves of a node in order.
pub struct Picker {
    stage: Stage,
    tt_move: Option<Move>,
    /// The moves of a stage: all noisy ones are taken out before the quiet ones are generated.
    queue: Queue<MAX_MOVES>,
    bad_noisy: ArrayVec<Move, MAX_MOVES>,
    next_bad_noisy: usize,
    killer: Option<PackedMove>,
    /// Captures must gain at least this in exchange to count as good.
    threshold: i32,
    skip_quiets: bool,
    /// The history of the last move, if the ordering needed it.
    history: Option<i32>,
}

impl Picker {
    /// All moves; the TT move, which must be legal, first.
    #[inline]
    pub fn new(tt_move: Option<Move>, killer: Option<PackedMove>) -> Picker {
        Picker {
            stage: Stage::TtMove,
            tt_move,
            queue: Queue::new(),
            bad_noisy: ArrayVec::new(),
            next_bad_noisy: 0,
            killer,
            threshold: 0,
            skip_quiets: false,
            history: None,
        }
    }

    /// Only captures and queen promotions; those that gain less than `threshold` in exchange come last.
    #[inline]
    pub fn noisy(tt_move: Option<Move>, threshold: i32) -> Picker {
        let tt_move = tt_move.filter(|&m| is_noisy(m));
        // Field by field: building a picker from another one would copy its empty lists, kilobytes at every node.
        let mut picker = Picker::new(tt_move, None);
        picker.threshold = threshold;
        picker.skip_quiets = true;
        picker
    }

    /// No more quiet moves, from now on.
    pub fn skip_quiets(&mut self) {
        self.skip_quiets = true;
    }

    /// The history of the last move, if the picker has read it: a read costs up to five memory accesses.
    #[inline]
    pub fn history(&self) -> Option<i32> {
        self.history
    }

    /// The next move. `prefetch` is called with a move before its exchange is evaluated: it fetches what the search
    /// of the move will need.
    #[inline]
    pub fn next(
        &mut self,
        position: &Position,
        history: &History,
        threats: &Attacks,
        cont_keys: &ContKeys,
        prefetch: impl Fn(Move),
    ) -> Option<Move> {
        self.history = None;
        loop {
            match self.stage {
                Stage::TtMove => {
                    self.stage = Stage::GenerateNoisy;
                    if let Some(m) = self.tt_move {
                        prefetch(m);
                        return self.tt_move;
                    }
                }
                Stage::GenerateNoisy => {
                    position.each_noisy(|m| {
                        if Some(m) != self.tt_move {
                            let victim = m.capture().map_or(0, exchange_value)
                                + m.promotion().map_or(0, |_| exchange_value(Role::Queen));
                            let history = history.noisy(position, m);
                            let order = params::noisy_victim() * victim + history / params::noisy_history();
                            self.queue.push(m, order, history);
                        }
                    });
                    self.stage = Stage::GoodNoisy;
                }
                Stage::GoodNoisy => match self.queue.take_best() {
                    Some((m, _)) => {
                        prefetch(m);
                        if position.see_at_least(m, self.threshold) {
                            return Some(m);
                        }
                        self.bad_noisy.push(m);
                    }
                    None => self.stage = Stage::GenerateQuiets,
                },
                Stage::GenerateQuiets => {
                    if !self.skip_quiets {
                        self.generate_quiets(position, history, threats, cont_keys);
                    }
                    self.stage = Stage::Quiets;
                }
                Stage::Quiets => {
                    if !self.skip_quiets
                        && let Some((m, history)) = self.queue.take_best()
                    {
                        self.history = Some(history);
                        prefetch(m);
                        return Some(m);
                    }
                    self.stage = Stage::BadNoisy;
                }
                Stage::BadNoisy => {
                    let m = self.bad_noisy.get(self.next_bad_noisy).copied();
                    self.next_bad_noisy += 1;
                    return m;
                }
            }
        }
    }

    fn generate_quiets(&mut self, position: &Position, history: &History, threats: &Attacks, cont_keys: &ContKeys) {
        let checks = position.checking_squares();
        let threat_squares = ThreatSquares::of(threats);
        // Rows that all moves share are looked up once.
        let histories = history.quiets(position, threats, cont_keys);
        let tt_move = self.tt_move.map(PackedMove::new);
        position.each_quiet(|m| {
            let packed = Some(PackedMove::new(m));
            if packed == tt_move {
                return;
            }
            let history = histories.of(m);
            let mut score = history + threat_squares.bonus(m);
            if packed == self.killer {
                score = KILLER;
            } else if checks[m.role() as usize - 1].contains(m.to()) && position.see_at_least(m, -params::check_see()) {
                score += params::check_order();
            }
            self.queue.push(m, score, history);
        });
    }

    /// Whether the moves handed out now are captures that lose material.
    pub fn at_bad_noisy(&self) -> bool {
        self.stage == Stage::BadNoisy
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::{MoveList, Square};

    #[test]
    fn every_list_of_moves_fits() {
        assert_eq!(MoveList::new().capacity(), MAX_MOVES);
    }

    #[test]
    fn the_best_move_comes_first() {
        let mut queue = Queue::<MAX_MOVES>::new();
        let scores = [3, 7, -KILLER, 7, KILLER, i32::MIN, -1, i32::MAX, 0, 7];
        for (to, score) in scores.into_iter().enumerate() {
            let to = Square::new(to as u32);
            queue.push(
                Move::Normal { role: Role::Queen, from: Square::H8, capture: None, to, promotion: None },
                score,
                1,
            );
        }
        // The last move takes the place of the one taken out, which decides among equals.
        let order: Vec<u32> = std::iter::from_fn(|| queue.take_best()).map(|(m, _)| u32::from(m.to())).collect();
        assert_eq!(order, [4, 7, 1, 3, 9, 0, 8, 6, 5, 2]);
    }
}
