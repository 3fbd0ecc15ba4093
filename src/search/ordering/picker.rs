//! Move ordering in stages: the TT move, good captures, quiet moves, bad captures.
//!
//! Captures are ordered by victim and history (MVV and capture history); quiet moves by killer move, history, escapes
//! from lesser pieces, and checks.
//!
//! Nothing is generated before it is needed, and a capture's static exchange evaluation waits until its turn comes.

mod queue;
mod sinks;

use arrayvec::ArrayVec;
use shakmaty::Bitboard;

use crate::position::attacks::Attacks;
use crate::position::movegen::MAX_MOVES;
use crate::position::{Move, PackedMove, Position};
use crate::search::ordering::history::{ContKeys, History};
use queue::Queue;
use sinks::{NoisySink, QuietContext};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Stage {
    TtMove,
    GenerateNoisy,
    GoodNoisy,
    Quiets,
    BadNoisy,
}

/// Hands out the legal moves of a node in order.
pub struct Picker {
    stage: Stage,
    tt_move: Option<Move>,
    /// The moves of a stage: all noisy ones are taken out before the quiet ones are generated.
    queue: Queue,
    bad_noisy: ArrayVec<Move, MAX_MOVES>,
    next_bad_noisy: usize,
    killer: Option<PackedMove>,
    /// Captures must gain at least this in exchange to count as good.
    threshold: i32,
    skip_quiets: bool,
    /// The history of the last move, if the ordering needed it.
    history: Option<i32>,
    /// The squares that the side to move attacks, or more.
    our_attacks: Bitboard,
}

impl Picker {
    /// All moves; the TT move, which must be legal, first. `our_attacks` holds the squares that the side to move
    /// attacks; if they are not known, all squares.
    #[inline(always)]
    pub fn new(tt_move: Option<Move>, killer: Option<PackedMove>, our_attacks: Bitboard) -> Picker {
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
            our_attacks,
        }
    }

    /// Only captures and queen promotions; those that gain less than `threshold` in exchange come last.
    #[inline(always)]
    pub fn noisy(tt_move: Option<Move>, threshold: i32, our_attacks: Bitboard) -> Picker {
        let tt_move = tt_move.filter(|&m| m.is_noisy());
        // Field by field: building a picker from another one would copy its empty lists, kilobytes at every node.
        let mut picker = Picker::new(tt_move, None, our_attacks);
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

    /// The next move. `threats` is what the side not to move attacks.
    #[inline]
    pub fn next(
        &mut self,
        position: &Position,
        history: &History,
        threats: &Attacks,
        cont_keys: &ContKeys,
    ) -> Option<Move> {
        self.history = None;
        if self.stage == Stage::TtMove {
            self.stage = Stage::GenerateNoisy;
            if self.tt_move.is_some() {
                return self.tt_move;
            }
        }
        self.next_generated(position, history, threats, cont_keys)
    }

    /// The next move of the later stages. It is apart so that [`Picker::next`] is small enough to be inlined.
    fn next_generated(
        &mut self,
        position: &Position,
        history: &History,
        threats: &Attacks,
        cont_keys: &ContKeys,
    ) -> Option<Move> {
        if self.stage == Stage::GenerateNoisy {
            self.generate_noisy(position, history);
            self.stage = Stage::GoodNoisy;
        }
        if self.stage == Stage::GoodNoisy {
            while let Some((m, _)) = self.queue.take_best() {
                if position.see_at_least(m, self.threshold) {
                    return Some(m);
                }
                self.bad_noisy.push(m);
            }
            if !self.skip_quiets {
                self.generate_quiets(position, history, threats, cont_keys);
            }
            self.stage = Stage::Quiets;
        }
        if self.stage == Stage::Quiets {
            if !self.skip_quiets
                && let Some((m, history)) = self.queue.take_best()
            {
                self.history = Some(history);
                return Some(m);
            }
            self.stage = Stage::BadNoisy;
        }
        let m = self.bad_noisy.get(self.next_bad_noisy).copied();
        self.next_bad_noisy += 1;
        m
    }

    #[inline(never)]
    fn generate_noisy(&mut self, position: &Position, history: &History) {
        let mut sink = NoisySink { queue: self.queue.fill(), position, history, tt_move: self.tt_move };
        position.noisy_into(self.our_attacks, &mut sink);
        sink.queue.finish();
    }

    #[inline(never)]
    fn generate_quiets(&mut self, position: &Position, history: &History, threats: &Attacks, cont_keys: &ContKeys) {
        let context = QuietContext::new(position, threats, self.killer, self.tt_move);
        let histories = history.quiets(position, threats, cont_keys);
        let mut sink = context.sink(self.queue.fill(), position, histories);
        position.quiets_into(threats.all, &mut sink);
        sink.finish();
    }

    /// Whether the moves handed out now are captures that lose material.
    pub fn at_bad_noisy(&self) -> bool {
        self.stage == Stage::BadNoisy
    }
}
