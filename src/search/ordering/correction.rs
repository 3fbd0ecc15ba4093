//! Correction history: how far the static evaluation has been off in positions that share a feature with this one.
//!
//! Source: the idea appeared in Caissa and Stockfish (2023-24).

use crate::memory::{Counters, prefetch};
use crate::params;
use crate::position::Position;
use crate::search::ordering::history::{ContKeys, PieceTo};

/// Slots of a table for one side to move.
const SLOTS: usize = 16_384;
/// Counter units per centipawn.
const GRAIN: i32 = 256;
/// Counters stay within ± this: 64 centipawns.
const LIMIT: i32 = GRAIN * 64;

/// The correction history of one thread.
///
/// Each table holds a running mean of search result minus corrected evaluation, by side to move and one key: the pawns,
/// the minor pieces, each side's pieces, and the last two moves.
pub struct Correction(Counters);

// Where each table begins.
const PAWNS: usize = 0;
const MINOR: usize = PAWNS + 2 * SLOTS;
const PIECES: [usize; 2] = [MINOR + 2 * SLOTS, MINOR + 4 * SLOTS];
const LAST_MOVES: usize = MINOR + 6 * SLOTS;
const END: usize = LAST_MOVES + PieceTo::COUNT * PieceTo::COUNT;

impl Default for Correction {
    fn default() -> Self {
        Correction::new()
    }
}

impl Correction {
    /// No corrections.
    pub fn new() -> Correction {
        Correction(Counters::new(END))
    }

    /// Forgets everything, for a new game.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    #[inline]
    fn get(&self, index: usize) -> i32 {
        i32::from(self.table()[index])
    }

    #[inline(always)]
    fn table(&self) -> &[i16; END] {
        self.0.row(0)
    }

    #[inline]
    fn slot(table: usize, position: &Position, key: u64) -> usize {
        table + position.turn() as usize * SLOTS + key as usize % SLOTS
    }

    #[inline]
    fn continuation_slot(cont_keys: &ContKeys) -> Option<usize> {
        Some(LAST_MOVES + cont_keys[0]?.index() * PieceTo::COUNT + cont_keys[1]?.index())
    }

    /// The counters that apply to a position.
    #[inline]
    fn slots(position: &Position, cont_keys: &ContKeys) -> ([usize; 4], Option<usize>) {
        let keys = position.keys();
        let slots =
            [(PAWNS, keys.pawns), (MINOR, keys.minor), (PIECES[0], keys.pieces[0]), (PIECES[1], keys.pieces[1])];
        (slots.map(|(table, key)| Self::slot(table, position, key)), Self::continuation_slot(cont_keys))
    }

    /// Prefetches the counters of a position.
    #[inline]
    pub fn prefetch(&self, position: &Position, cont_keys: &ContKeys) {
        let (slots, continuation) = Self::slots(position, cont_keys);
        slots.into_iter().chain(continuation).for_each(|slot| prefetch(&self.table()[slot]));
    }

    /// The correction of the static evaluation, in centipawns.
    #[inline]
    pub fn of(&self, position: &Position, cont_keys: &ContKeys) -> i32 {
        let (slots, continuation) = Self::slots(position, cont_keys);
        let [pawns, minor, black, white] = slots.map(|slot| self.get(slot));
        let mut sum = params::correction_pawn() * pawns + params::correction_minor() * minor;
        sum += params::correction_pieces() * (white + black);
        if let Some(slot) = continuation {
            sum += params::correction_continuation() * self.get(slot);
        }
        sum / (1024 * GRAIN)
    }

    /// Learns from a search of this depth whose result was `error` centipawns above the corrected static evaluation.
    pub fn update(&mut self, position: &Position, cont_keys: &ContKeys, depth: i32, error: i32) {
        let weight = (depth + 1).min(params::correction_max_weight());
        let target = error.clamp(-params::correction_max_error(), params::correction_max_error()) * GRAIN;
        let (slots, continuation) = Self::slots(position, cont_keys);
        for slot in slots.into_iter().chain(continuation) {
            let value = (self.get(slot) * (256 - weight) + target * weight) / 256;
            self.0[slot] = value.clamp(-LIMIT, LIMIT) as i16;
        }
    }
}
