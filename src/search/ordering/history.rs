//! Move histories: tables of counters for ordering and pruning, updated by earlier nodes.
//!
//! Counters move by "gravity": a bonus is reduced in proportion to how full the counter already is, so
//! they stay within ±16384 and forget. Sources: Schaeffer's history heuristic (1983); the gravity form is common to
//! today's engines. Butterfly boards, by origin and target: Hartmann (1988).

use arrayvec::ArrayVec;
use shakmaty::{Bitboard, Color, Role, Square};

use crate::memory::Counters;
use crate::params;
use crate::position::attacks::Attacks;
use crate::position::{Move, Position};

/// Counters stay within ± this.
const LIMIT: i32 = 16_384;

/// A moved piece and its target: the index of a move in continuation tables, one of 768.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PieceTo(u16);

impl PieceTo {
    /// How many there are.
    pub const COUNT: usize = 12 * 64;

    /// The piece that `m` moves (as it was before) and where to.
    #[inline]
    pub fn new(color: Color, m: Move) -> PieceTo {
        PieceTo(((color as u16 * 6 + m.role_number() as u16 - 1) << 6) | m.to() as u16)
    }

    /// Its number, below [`PieceTo::COUNT`].
    #[inline]
    pub(in crate::search) fn index(self) -> usize {
        usize::from(self.0)
    }
}

const PAWN_SLOTS: usize = 1024;
/// Butterfly counters of one side: from (threatened or not), to (threatened or not).
const BUTTERFLY_SIDE: usize = 4 * 64 * 64;
/// Where those for a threatened origin begin, and those for a threatened target.
const FROM_THREATENED: usize = 2 * 64 * 64;
const TO_THREATENED: usize = 64 * 64;

// Where each table begins in the memory that holds them all.
const BUTTERFLY: usize = 0;
const CAPTURE: usize = BUTTERFLY + 2 * BUTTERFLY_SIDE;
const CONTINUATION: usize = CAPTURE + PieceTo::COUNT * 7;
const PAWN: usize = CONTINUATION + PieceTo::COUNT * PieceTo::COUNT;
const END: usize = PAWN + PAWN_SLOTS * PieceTo::COUNT;

/// The move histories of one thread.
///
/// - butterfly, for quiet moves: by colour, from (threatened or not), to (threatened or not)
/// - capture, for noisy ones: by moved piece, target, captured role
/// - continuation: by an earlier move of the line and the move
/// - pawn: by pawn structure and the move
pub struct History(Counters);

/// The counters of a quiet move, by its squares and by the pawns, for an update once the child has been evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuietSlots([u32; 2]);

/// The moves that led here, for continuation history: one, two and four plies ago.
pub type ContKeys = [Option<PieceTo>; 3];

/// The histories of a position's quiet moves: the rows that all of them share, looked up once.
#[derive(Clone, Copy)]
pub struct QuietHistory<'a> {
    turn: Color,
    /// The attacks of the side not to move.
    threatened: Bitboard,
    butterfly: &'a [i16; BUTTERFLY_SIDE],
    pawns: &'a [i16; PieceTo::COUNT],
    /// By the plies of [`ContKeys`].
    continuations: [&'a [i16; PieceTo::COUNT]; 3],
}

/// The continuation row for a missing move.
static ZERO_ROW: [i16; PieceTo::COUNT] = [0; PieceTo::COUNT];

/// The histories of the quiet moves of one piece: the part of each row that its moves share.
#[derive(Clone, Copy)]
pub struct PieceHistory<'a> {
    threatened: Bitboard,
    /// By target; a threatened target is [`TO_THREATENED`] further on.
    butterfly: &'a [i16; TO_THREATENED + 64],
    pawns: &'a [i16; 64],
    continuations: [&'a [i16; 64]; 3],
}

impl PieceHistory<'_> {
    /// How well a move to this square has done.
    #[inline(always)]
    pub fn of(&self, to: Square) -> i32 {
        let to = to as usize;
        weighted_sum(
            self.butterfly[(is_threatened(self.threatened, to) * TO_THREATENED) | to],
            self.continuations.map(|row| row[to]),
            self.pawns[to],
        )
    }
}

/// The counters of one piece in a row, by target.
#[inline(always)]
fn by_target(row: &[i16; PieceTo::COUNT], piece: usize) -> &[i16; 64] {
    &row.as_chunks::<64>().0[piece]
}

/// 1 if the square is attacked, else 0; without a branch, because it can hardly be predicted.
#[inline(always)]
fn is_threatened(threatened: Bitboard, square: usize) -> usize {
    (threatened.0 >> square) as usize & 1
}

/// How well a quiet move has done, by its counters in the tables.
#[inline(always)]
fn weighted_sum(butterfly: i16, continuations: [i16; 3], pawns: i16) -> i32 {
    let [one, two, four] = continuations.map(i32::from);
    (params::history_butterfly() * i32::from(butterfly)
        + params::history_continuation_1() * one
        + params::history_continuation_2() * two
        + params::history_continuation_4() * four
        + params::history_pawn() * i32::from(pawns))
        / 1024
}

impl<'a> PieceHistory<'a> {
    /// The same for a piece of this role on another square.
    #[inline(always)]
    pub fn from_square(self, histories: &QuietHistory<'a>, from: Square) -> PieceHistory<'a> {
        PieceHistory { butterfly: histories.butterfly_row(from), ..self }
    }
}

impl<'a> QuietHistory<'a> {
    #[inline(always)]
    fn butterfly_row(&self, from: Square) -> &'a [i16; TO_THREATENED + 64] {
        let from = from as usize;
        let start = (is_threatened(self.threatened, from) * FROM_THREATENED) | (from << 6);
        self.butterfly[start..].first_chunk().expect("a row lies within the table")
    }

    /// The values that the quiet moves of one piece share.
    #[inline(always)]
    pub fn of_piece(&self, role: Role, from: Square) -> PieceHistory<'a> {
        let piece = self.turn as usize * 6 + role as usize - 1;
        PieceHistory {
            threatened: self.threatened,
            butterfly: self.butterfly_row(from),
            pawns: by_target(self.pawns, piece),
            continuations: self.continuations.map(|row| by_target(row, piece)),
        }
    }

    /// How well a move has done.
    #[inline]
    pub fn of(&self, m: Move) -> i32 {
        let index = PieceTo::new(self.turn, m).index();
        weighted_sum(
            self.butterfly[butterfly_index(self.threatened, m)],
            self.continuations.map(|row| row[index]),
            self.pawns[index],
        )
    }
}

/// The index among the butterfly counters of a side.
#[inline]
fn butterfly_index(threatened: Bitboard, m: Move) -> usize {
    let (from, to) = (m.from() as usize, m.to() as usize);
    (is_threatened(threatened, from) * FROM_THREATENED)
        | (is_threatened(threatened, to) * TO_THREATENED)
        | from << 6
        | to
}

impl Default for History {
    fn default() -> Self {
        History::new()
    }
}

impl History {
    /// Empty histories.
    pub fn new() -> History {
        History(Counters::new(END))
    }

    /// Forgets everything, for a new game.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Forgets a part of everything: what was good two moves ago is less so now.
    pub fn age(&mut self) {
        self.0.shrink(params::history_ageing() as i16);
    }

    #[inline]
    fn get(&self, index: usize) -> i32 {
        i32::from(self.0[index])
    }

    /// Moves a counter by `bonus`, less the fuller it already is.
    #[inline]
    fn update(&mut self, index: usize, bonus: i32) {
        let bonus = bonus.clamp(-LIMIT, LIMIT);
        let value = self.get(index);
        self.0[index] = (value + bonus - value * bonus.abs() / LIMIT) as i16;
    }

    #[inline]
    fn butterfly_slot(position: &Position, threats: &Attacks, m: Move) -> usize {
        BUTTERFLY + position.turn() as usize * BUTTERFLY_SIDE + butterfly_index(threats.all, m)
    }

    /// The counters of a quiet move, whatever came before it.
    #[inline]
    pub fn quiet_slots(position: &Position, threats: &Attacks, m: Move) -> QuietSlots {
        let slots = [Self::butterfly_slot(position, threats, m), Self::pawn_slot(position, m)];
        QuietSlots(slots.map(|index| index as u32))
    }

    #[inline]
    fn capture_slot(position: &Position, m: Move) -> usize {
        // Promotions without capture share the "no victim" slot.
        let victim = m.victim_number();
        CAPTURE + PieceTo::new(position.turn(), m).index() * 7 + victim
    }

    #[inline]
    fn continuation_slot(earlier: PieceTo, position: &Position, m: Move) -> usize {
        CONTINUATION + earlier.index() * PieceTo::COUNT + PieceTo::new(position.turn(), m).index()
    }

    #[inline]
    fn pawn_row(position: &Position) -> usize {
        PAWN + position.keys().pawns as usize % PAWN_SLOTS * PieceTo::COUNT
    }

    #[inline]
    fn pawn_slot(position: &Position, m: Move) -> usize {
        Self::pawn_row(position) + PieceTo::new(position.turn(), m).index()
    }

    /// How well a quiet move has done, for ordering.
    #[inline]
    pub fn quiet(&self, position: &Position, threats: &Attacks, cont_keys: &ContKeys, m: Move) -> i32 {
        self.quiets(position, threats, cont_keys).of(m)
    }

    /// The same for many moves of a position.
    #[inline]
    pub fn quiets(&self, position: &Position, threats: &Attacks, cont_keys: &ContKeys) -> QuietHistory<'_> {
        let turn = position.turn();
        let continuations = cont_keys.map(|earlier| match earlier {
            Some(earlier) => self.0.row(CONTINUATION + earlier.index() * PieceTo::COUNT),
            None => &ZERO_ROW,
        });
        QuietHistory {
            turn,
            threatened: threats.all,
            butterfly: self.0.row(BUTTERFLY + turn as usize * BUTTERFLY_SIDE),
            pawns: self.0.row(Self::pawn_row(position)),
            continuations,
        }
    }

    /// How well a capture or promotion has done.
    #[inline]
    pub fn noisy(&self, position: &Position, m: Move) -> i32 {
        self.get(Self::capture_slot(position, m))
    }

    /// Rewards or punishes a quiet move.
    pub fn update_quiet(&mut self, position: &Position, threats: &Attacks, cont_keys: &ContKeys, m: Move, bonus: i32) {
        self.update(Self::butterfly_slot(position, threats, m), bonus);
        self.update(Self::pawn_slot(position, m), bonus);
        self.update_continuation(position, cont_keys, m, bonus);
    }

    /// Rewards or punishes a quiet move, whatever came before it.
    #[inline]
    pub fn update_quiet_slots(&mut self, slots: QuietSlots, bonus: i32) {
        slots.0.into_iter().for_each(|index| self.update(index as usize, bonus));
    }

    /// Rewards or punishes a quiet move as a reply to the moves before it.
    pub fn update_continuation(&mut self, position: &Position, cont_keys: &ContKeys, m: Move, bonus: i32) {
        for earlier in cont_keys.iter().flatten() {
            self.update(Self::continuation_slot(*earlier, position, m), bonus);
        }
    }

    /// Rewards or punishes a capture or promotion.
    pub fn update_noisy(&mut self, position: &Position, m: Move, bonus: i32) {
        self.update(Self::capture_slot(position, m), bonus);
    }
}

/// The moves of a node that were searched and did not cause a cutoff.
#[derive(Default)]
pub struct Tried {
    /// The first quiet ones.
    pub quiets: ArrayVec<Move, 64>,
    /// The first captures and promotions.
    pub noisy: ArrayVec<Move, 32>,
}

impl Tried {
    /// Adds a move while there is room: later moves teach little.
    #[inline]
    pub fn push(&mut self, m: Move) {
        let _ = if m.is_noisy() { self.noisy.try_push(m).is_ok() } else { self.quiets.try_push(m).is_ok() };
    }

    /// Forgets all moves.
    pub fn clear(&mut self) {
        self.quiets.clear();
        self.noisy.clear();
    }
}

/// The bonus of the best move of a node of this depth.
pub fn bonus(depth: i32) -> i32 {
    (params::history_bonus() * depth).min(params::history_bonus_max())
}

/// The malus, a positive number, of a move that was tried before the best one.
pub fn malus(depth: i32) -> i32 {
    (params::history_malus() * depth).min(params::history_malus_max())
}
