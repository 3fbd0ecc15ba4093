//! The moves of a stage with their scores.

use std::mem::MaybeUninit;

use crate::position::Move;
use crate::position::movegen::MAX_MOVES;

/// Scores stay within ± this; the killer move has it, and so comes before all other quiet moves.
pub(super) const HIGHEST: i32 = 1 << 21;

/// Places that a key can name.
const PLACES: i32 = 512;

/// Moves, to be taken out one by one, best first.
///
/// It is filled at most nodes and hardly ever full, so its memory is not initialised.
pub(super) struct Queue {
    /// 512 · score + 511 − place: the greatest is that of the best move, and of the first among equals. The compiler
    /// vectorises the search for it.
    keys: [MaybeUninit<i32>; MAX_MOVES],
    /// Each with its history, which is part of the score.
    moves: [MaybeUninit<(Move, i32)>; MAX_MOVES],
    /// Both arrays are initialised up to here.
    length: usize,
    /// The greatest key, known until the first move is taken out; then `i32::MIN`.
    best: i32,
}

/// Fills an empty queue. Length and best key stay in registers meanwhile.
pub(super) struct QueueFiller<'a> {
    queue: &'a mut Queue,
    length: usize,
    best: i32,
}

impl Queue {
    /// No moves.
    #[inline(always)]
    pub fn new() -> Queue {
        const { assert!(MAX_MOVES <= PLACES as usize) };
        Queue {
            keys: [const { MaybeUninit::uninit() }; MAX_MOVES],
            moves: [const { MaybeUninit::uninit() }; MAX_MOVES],
            length: 0,
            best: i32::MIN,
        }
    }

    /// Begins to fill the queue, which must be empty.
    #[inline(always)]
    pub fn fill(&mut self) -> QueueFiller<'_> {
        debug_assert!(self.length == 0);
        QueueFiller { queue: self, length: 0, best: i32::MIN }
    }

    /// `scaled` is a score times [`PLACES`].
    #[inline(always)]
    fn key(scaled: i32, place: usize) -> i32 {
        scaled | (PLACES - 1 - place as i32)
    }

    #[inline(always)]
    fn keys(&self) -> &[i32] {
        // SAFETY: the keys up to `length` are initialised.
        unsafe { self.keys[..self.length].assume_init_ref() }
    }

    /// Takes the best move out, with its history; the last one moves to its place.
    #[inline]
    pub fn take_best(&mut self) -> Option<(Move, i32)> {
        if self.length == 0 {
            return None;
        }
        let mut best = std::mem::replace(&mut self.best, i32::MIN);
        if best == i32::MIN {
            best = self.keys().iter().fold(i32::MIN, |best, &key| best.max(key));
        }
        let place = (PLACES - 1 - (best & (PLACES - 1))) as usize;
        self.length -= 1;
        // SAFETY: a key names the place at which it was written with its move, and the last key was written, too.
        let (taken, last) = unsafe { (self.moves[place].assume_init(), self.keys[self.length].assume_init()) };
        self.keys[place].write(Queue::key(last & -PLACES, place));
        self.moves[place] = self.moves[self.length];
        Some(taken)
    }
}

impl QueueFiller<'_> {
    /// Adds a move. One beyond the last place is left out: only a composed position has that many.
    #[inline(always)]
    pub fn put(&mut self, m: Move, score: i32, history: i32) {
        debug_assert!(score.abs() <= HIGHEST);
        let place = self.length;
        if place < MAX_MOVES {
            let key = Queue::key(score * PLACES, place);
            self.queue.keys[place].write(key);
            self.queue.moves[place].write((m, history));
            self.length = place + 1;
            self.best = self.best.max(key);
        }
    }

    /// Ends the filling.
    #[inline(always)]
    pub fn finish(self) {
        self.queue.length = self.length;
        self.queue.best = self.best;
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::{Role, Square};

    use super::*;

    #[test]
    fn the_best_move_comes_first() {
        let mut queue = Queue::new();
        let scores = [3, 7, -HIGHEST, 7, HIGHEST, -HIGHEST, -1, HIGHEST, 0, 7];
        let mut filler = queue.fill();
        for (to, score) in scores.into_iter().enumerate() {
            filler.put(Move::quiet(Role::Queen, Square::H8, Square::new(to as u32)), score, 1);
        }
        filler.finish();
        // The last move takes the place of the one taken out, which decides among equals.
        let order: Vec<u32> = std::iter::from_fn(|| queue.take_best()).map(|(m, _)| u32::from(m.to())).collect();
        assert_eq!(order, [4, 7, 1, 3, 9, 0, 8, 6, 5, 2]);
    }

    #[test]
    fn moves_beyond_the_last_place_are_left_out() {
        let mut queue = Queue::new();
        let mut filler = queue.fill();
        for score in 0..MAX_MOVES as i32 + 30 {
            filler.put(Move::quiet(Role::Queen, Square::A1, Square::H8), score, score);
        }
        filler.finish();
        let histories: Vec<i32> = std::iter::from_fn(|| queue.take_best()).map(|(_, history)| history).collect();
        assert!(histories.iter().copied().eq((0..MAX_MOVES as i32).rev()), "{histories:?}");
    }
}
