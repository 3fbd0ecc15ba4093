//! What earlier nodes have taught about moves: tables of counters for ordering and pruning.
//!
//! Counters move by "gravity": a bonus is reduced in proportion to how full the counter already is, so
//! they stay within ±16384 and forget. Sources: Schaeffer's history heuristic (1983); the gravity form is common to
//! today's engines. Butterfly boards, by origin and target: Hartmann (1988).

use arrayvec::ArrayVec;
use shakmaty::{Bitboard, Color, Move, Square};

use crate::memory::Counters;
use crate::params;
use crate::position::Position;
use crate::position::attacks::Attacks;
use crate::position::movegen::is_noisy;

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
        PieceTo(((color as u16 * 6 + m.role() as u16 - 1) << 6) | m.to() as u16)
    }

    /// Its number, below [`PieceTo::COUNT`].
    #[inline]
    pub(super) fn index(self) -> usize {
        usize::from(self.0)
    }
}

const PAWN_SLOTS: usize = 1024;
/// Butterfly counters of one side: from (threatened or not), to (threatened or not).
const BUTTERFLY_SIDE: usize = 4 * 64 * 64;

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

/// What the histories say about a position's quiet moves: the rows that all of them share, looked up once.
pub struct QuietHistory<'a> {
    turn: Color,
    /// What the side not to move attacks.
    threatened: Bitboard,
    butterfly: &'a [i16; BUTTERFLY_SIDE],
    pawns: &'a [i16; PieceTo::COUNT],
    /// By the plies of [`ContKeys`].
    continuations: [&'a [i16; PieceTo::COUNT]; 3],
}

/// The continuation row for a missing move.
static ZERO_ROW: [i16; PieceTo::COUNT] = [0; PieceTo::COUNT];

impl QuietHistory<'_> {
    /// How well a move has done.
    #[inline]
    pub fn of(&self, m: Move) -> i32 {
        let index = PieceTo::new(self.turn, m).index();
        let butterfly = i32::from(self.butterfly[butterfly_index(self.threatened, m)]);
        let [one, two, four] = self.continuations.map(|row| i32::from(row[index]));
        (params::history_butterfly() * butterfly
            + params::history_continuation_1() * one
            + params::history_continuation_2() * two
            + params::history_continuation_4() * four
            + params::history_pawn() * i32::from(self.pawns[index]))
            / 1024
    }
}

/// The index among the butterfly counters of a side.
#[inline]
fn butterfly_index(threatened: Bitboard, m: Move) -> usize {
    let (from, to) = (m.from().unwrap_or(Square::A1), m.to());
    let threat = usize::from(threatened.contains(from)) * 2 + usize::from(threatened.contains(to));
    (threat * 64 + from as usize) * 64 + to as usize
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
        let victim = m.capture().map_or(0, |role| role as usize);
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
        let _ = if is_noisy(m) { self.noisy.try_push(m).is_ok() } else { self.quiets.try_push(m).is_ok() };
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
