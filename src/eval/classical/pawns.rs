//! Pawns: what depends on them alone, including material and squares, cached by their key.

use shakmaty::{Bitboard, Role};

use super::pair::S;
use super::pieces::material_and_square;
use super::sums::{NullTracer, Sums, Term, Tracer};
use super::view::{SideView, beside, file_of, fill_up, pawn_attacks, ranks, their_pawn_attacks, up};
use super::weights::Weights;

/// Adds one side's pawn structure to its sums; returns its passed pawns.
pub fn structure<W: Tracer>(view: &SideView, sums: &mut Sums<'_, W>) -> Bitboard {
    let w = sums.weights;
    let (own, their) = (view.own.pawns, view.their.pawns);
    let own_attacks = pawn_attacks(own);
    let their_attacks = their_pawn_attacks(their);
    let mut passed = Bitboard::EMPTY;
    for pawn in own {
        let square = Bitboard::from(pawn);
        let rank = pawn.rank() as usize;
        let file = file_of(pawn);
        let neighbours = own & beside(file);
        let ahead = fill_up(up(square));
        let sentries = their & beside(ahead);
        let opposed = (their & ahead).any();
        let covered = (own & ahead).any();
        let phalanx = (own & beside(square)).any();
        let supported = (own_attacks & square).any();
        // Neighbours that stand beside or behind can protect it or the squares before it.
        let helpers = neighbours & ranks(0, rank as u32);

        material_and_square(sums, Role::Pawn, pawn);
        if phalanx {
            sums.add(Term::Pawns, &w.phalanx[rank], 1);
        }
        if supported {
            sums.add(Term::Pawns, &w.supported[rank], 1);
        }
        if covered {
            sums.add(Term::Pawns, &w.doubled, 1);
        }
        if neighbours.is_empty() {
            sums.add(Term::Pawns, &w.isolated[usize::from(!opposed)], 1);
        } else if helpers.is_empty() && (their_attacks & up(square)).any() {
            sums.add(Term::Pawns, &w.backward[usize::from(!opposed)], 1);
        }
        if !opposed && !covered {
            if sentries.is_empty() {
                passed |= square;
            } else if helpers.count() >= sentries.count() {
                sums.add(Term::Pawns, &w.candidate[rank], 1);
            }
        }
    }
    passed
}

/// What is cached for a pawn structure: each side's score and passed pawns, seen by that side.
#[derive(Clone, Copy, Default)]
struct Entry {
    key: u64,
    scores: [S; 2],
    passed: [Bitboard; 2],
}

/// The pawn structures seen recently, by their key.
pub struct PawnCache(Box<[Entry]>);

impl Default for PawnCache {
    fn default() -> PawnCache {
        PawnCache::new()
    }
}

impl PawnCache {
    const SIZE: usize = 1 << 11;

    /// An empty cache. Key 0 is that of no pawns, for which an entry of zeros is correct.
    pub fn new() -> PawnCache {
        PawnCache(vec![Entry::default(); PawnCache::SIZE].into_boxed_slice())
    }

    /// Adds both sides' structures to their sums, from the cache if they are there; returns the passed pawns.
    pub fn structures(
        &mut self,
        key: u64,
        views: &[SideView; 2],
        weights: &Weights,
        sums: &mut [Sums<'_, NullTracer>; 2],
    ) -> [Bitboard; 2] {
        let entry = &mut self.0[key as usize % PawnCache::SIZE];
        if entry.key != key {
            *entry = Entry { key, ..Entry::default() };
            for (side, view) in views.iter().enumerate() {
                let mut sums = Sums::<NullTracer>::new(weights);
                entry.passed[side] = structure(view, &mut sums);
                entry.scores[side] = sums.score;
            }
        }
        sums[0].score += entry.scores[0];
        sums[1].score += entry.scores[1];
        entry.passed
    }
}
