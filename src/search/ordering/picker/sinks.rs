//! Where generated moves get their scores, on the way into the queue.

use shakmaty::{Bitboard, Role, Square};

use super::queue::{HIGHEST, QueueFiller};
use crate::params;
use crate::position::attacks::Attacks;
use crate::position::movegen::MoveSink;
use crate::position::see::EXCHANGE_VALUES;
use crate::position::{Move, PackedMove, Position};
use crate::search::ordering::history::{History, PieceHistory, QuietHistory};
use crate::search::ordering::threats::ThreatSquares;

/// Scores captures and queen promotions.
pub(super) struct NoisySink<'a> {
    pub queue: QueueFiller<'a>,
    pub position: &'a Position,
    pub history: &'a History,
    pub tt_move: Option<Move>,
}

impl MoveSink for NoisySink<'_> {
    #[inline(always)]
    fn reach(&mut self, role: Role, from: Square, targets: Bitboard) {
        for to in targets {
            self.push(self.position.piece_move(role, from, to));
        }
    }

    #[inline(always)]
    fn advance(&mut self, _: Square, _: Square) {
        debug_assert!(false, "a pawn's step is quiet");
    }

    #[inline(always)]
    fn push(&mut self, m: Move) {
        if Some(m) == self.tt_move {
            return;
        }
        let promotion = if m.is_promotion() { EXCHANGE_VALUES[Role::Queen as usize] } else { 0 };
        let victim = EXCHANGE_VALUES[m.victim_number()] + promotion;
        let history = self.history.noisy(self.position, m);
        let order = params::noisy_victim() * victim + history / params::noisy_history();
        self.queue.put(m, order, history);
    }
}

/// A move as the sink of quiet moves looks for it.
#[derive(Clone, Copy)]
struct Wanted {
    packed: Option<PackedMove>,
    from: Square,
    /// Its target; nothing for a promotion, or without a move.
    to: Bitboard,
}

impl Wanted {
    #[inline(always)]
    fn new(packed: Option<PackedMove>) -> Wanted {
        // A promotion is found by all its bits: another piece may go between the same squares.
        let by_squares = packed.filter(|m| m.promotion().is_none());
        let (from, to) = by_squares.map_or((Square::A1, Bitboard::EMPTY), |m| (m.from(), Bitboard::from(m.to())));
        Wanted { packed, from, to }
    }

    /// Its target among those of a piece on `from`.
    #[inline(always)]
    fn target_from(self, from: Square) -> Bitboard {
        if self.from == from { self.to } else { Bitboard::EMPTY }
    }
}

/// Scores quiet moves. What the moves of one piece share is looked up once.
pub(super) struct QuietSink<'a> {
    queue: QueueFiller<'a>,
    position: &'a Position,
    /// By the number of the role. By reference, like the next field, so that the rest stays in registers.
    checks: &'a [Bitboard; 8],
    threat_squares: &'a ThreatSquares,
    histories: QuietHistory<'a>,
    pawns: PieceHistory<'a>,
    killer: Wanted,
    tt_move: Wanted,
}

/// The terms of a quiet move's score besides its histories.
pub(super) struct QuietContext {
    checks: [Bitboard; 8],
    threat_squares: ThreatSquares,
    killer: Option<PackedMove>,
    tt_move: Option<PackedMove>,
}

impl QuietContext {
    pub fn new(
        position: &Position,
        threats: &Attacks,
        killer: Option<PackedMove>,
        tt_move: Option<Move>,
    ) -> QuietContext {
        QuietContext {
            checks: position.checking_squares(),
            threat_squares: ThreatSquares::of(threats),
            killer,
            tt_move: tt_move.map(Move::packed),
        }
    }

    pub fn sink<'a>(
        &'a self,
        queue: QueueFiller<'a>,
        position: &'a Position,
        histories: QuietHistory<'a>,
    ) -> QuietSink<'a> {
        QuietSink {
            queue,
            position,
            checks: &self.checks,
            threat_squares: &self.threat_squares,
            pawns: histories.of_piece(Role::Pawn, Square::A1),
            histories,
            killer: Wanted::new(self.killer),
            tt_move: Wanted::new(self.tt_move),
        }
    }
}

impl QuietSink<'_> {
    /// Adds a move; `checks` says whether its piece gives check from the target.
    #[inline(always)]
    fn add(&mut self, m: Move, history: i32, escape: i32, is_killer: bool, checks: bool) {
        let mut score = history + escape;
        if is_killer {
            score = HIGHEST;
        } else if checks && self.position.see_at_least(m, -params::check_see()) {
            score += params::check_order();
        }
        self.queue.put(m, score, history);
    }

    /// Ends the filling of the queue.
    pub fn finish(self) {
        self.queue.finish();
    }
}

impl MoveSink for QuietSink<'_> {
    #[inline(always)]
    fn reach(&mut self, role: Role, from: Square, targets: Bitboard) {
        let killer = self.killer.target_from(from);
        let history = self.histories.of_piece(role, from);
        let checks = self.checks[role as usize];
        let (attacked, worth) = self.threat_squares.of_role(role as usize);
        let leaves = if attacked.contains(from) { worth } else { 0 };
        for to in targets & !self.tt_move.target_from(from) {
            let escape = leaves - if attacked.contains(to) { worth } else { 0 };
            let m = Move::quiet(role, from, to);
            self.add(m, history.of(to), escape, killer.contains(to), checks.contains(to));
        }
    }

    #[inline(always)]
    fn advance(&mut self, from: Square, to: Square) {
        if self.tt_move.target_from(from).contains(to) {
            return;
        }
        let history = self.pawns.from_square(&self.histories, from).of(to);
        let is_killer = self.killer.target_from(from).contains(to);
        let checks = self.checks[Role::Pawn as usize].contains(to);
        self.add(Move::quiet(Role::Pawn, from, to), history, 0, is_killer, checks);
    }

    #[inline(always)]
    fn push(&mut self, m: Move) {
        if Some(m.packed()) == self.tt_move.packed {
            return;
        }
        let (history, escape) = of_rare_move(self.histories, self.threat_squares, m);
        let checks = self.checks[m.role_number()].contains(m.to());
        self.add(m, history, escape, Some(m.packed()) == self.killer.packed, checks);
    }
}

/// History and threat bonus of castling or an underpromotion. Not inlined: it would grow the loops over other moves.
#[inline(never)]
fn of_rare_move(histories: QuietHistory<'_>, threat_squares: &ThreatSquares, m: Move) -> (i32, i32) {
    (histories.of(m), threat_squares.bonus(m))
}
