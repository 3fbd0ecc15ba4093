//! Pawns: what depends on them alone, material and squares included, and is remembered by their key.

use shakmaty::Bitboard;

use super::account::{Account, Nobody, Term, Watch};
use super::pair::S;
use super::pieces::stand;
use super::view::{View, beside, file_of, fill_up, pawn_attacks, ranks, their_pawn_attacks, up};
use super::weights::Weights;

/// Adds one side's pawn structure to its account; returns its passed pawns.
pub fn structure<W: Watch>(view: &View, account: &mut Account<'_, W>) -> Bitboard {
    let w = account.weights;
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

        stand(account, 0, pawn);
        if phalanx {
            account.add(Term::Pawns, &w.phalanx[rank], 1);
        }
        if supported {
            account.add(Term::Pawns, &w.supported[rank], 1);
        }
        if covered {
            account.add(Term::Pawns, &w.doubled, 1);
        }
        if neighbours.is_empty() {
            account.add(Term::Pawns, &w.isolated[usize::from(!opposed)], 1);
        } else if helpers.is_empty() && (their_attacks & up(square)).any() {
            account.add(Term::Pawns, &w.backward[usize::from(!opposed)], 1);
        }
        if !opposed && !covered {
            if sentries.is_empty() {
                passed |= square;
            } else if helpers.count() >= sentries.count() {
                account.add(Term::Pawns, &w.candidate[rank], 1);
            }
        }
    }
    passed
}

/// What is remembered of a pawn structure: each side's score and passed pawns, seen by that side.
#[derive(Clone, Copy, Default)]
struct Known {
    key: u64,
    scores: [S; 2],
    passed: [Bitboard; 2],
}

/// The pawn structures seen lately, by their key.
pub struct PawnCache(Box<[Known]>);

impl Default for PawnCache {
    fn default() -> PawnCache {
        PawnCache::new()
    }
}

impl PawnCache {
    const SIZE: usize = 1 << 11;

    /// An empty cache. Key 0 is that of no pawns, of which all that zeros say is true.
    pub fn new() -> PawnCache {
        PawnCache(vec![Known::default(); PawnCache::SIZE].into_boxed_slice())
    }

    /// Adds both sides' structures to their accounts, from memory where they are there; returns the passed pawns.
    pub fn structures(
        &mut self,
        key: u64,
        views: &[View; 2],
        weights: &Weights,
        accounts: &mut [Account<'_, Nobody>; 2],
    ) -> [Bitboard; 2] {
        let known = &mut self.0[key as usize % PawnCache::SIZE];
        if known.key != key {
            *known = Known { key, ..Known::default() };
            for (side, view) in views.iter().enumerate() {
                let mut account = Account::<Nobody>::new(weights);
                known.passed[side] = structure(view, &mut account);
                known.scores[side] = account.score;
            }
        }
        accounts[0].score += known.scores[0];
        accounts[1].score += known.scores[1];
        known.passed
    }
}
