//! The threats of a path: what they add to the first neurons of each view.
//!
//! Threats change on squares that a move does not touch, so they are found anew at every evaluation, from the attacks
//! that it needs anyway. The difference from the nearest evaluated position of the path says which rows come and go:
//! some four of each view's dozen. They do not depend on the king's bucket, only on the half of the board it stands on.

use shakmaty::Bitboard;

use super::features::{FeatureView, ViewPair};
use super::simd::{Arithmetic, ThreatRow, ThreatSums};
use crate::position::Board;
use crate::position::attacks::{AttacksByRole, threats};

/// A power of two that is above the threats that may come and go: thirty men that are not kings, each attacked by six
/// kinds, before and after.
const ROOM: usize = 512;

/// The threats of a position, and what they add.
#[derive(Clone, Debug)]
pub struct Threats {
    /// By the kind of men that attack, the squares of the men that they attack.
    squares: AttacksByRole,
    board: Board,
    /// By colour: what the threats add to its view.
    sums: [ThreatSums; 2],
}

impl Threats {
    /// No threats.
    pub fn none() -> Threats {
        Threats { squares: [Bitboard::EMPTY; 6], board: Board::empty(), sums: [ThreatSums::ZERO; 2] }
    }

    /// What they add to the view of the side with this number.
    #[inline(always)]
    pub fn sums(&self, side: usize) -> &ThreatSums {
        &self.sums[side]
    }
}

/// The threats that come and go between two positions.
#[derive(Debug)]
pub struct Changes {
    /// Those that come, then those that go, as Black and White see them: in the low and in the high half.
    threats: [u32; ROOM],
    come: usize,
    all: usize,
}

impl Default for Changes {
    fn default() -> Changes {
        Changes { threats: [0; ROOM], come: 0, all: 0 }
    }
}

impl Changes {
    /// Finds the threats of a board, and their differences from others with the same views.
    #[inline(always)]
    pub fn find(
        &mut self,
        before: &Threats,
        here: &mut Threats,
        board: &Board,
        attacks: &[AttacksByRole; 2],
        views: [FeatureView; 2],
    ) {
        here.squares = threats(board, attacks);
        here.board = *board;
        let changed = board.differences(&before.board);
        self.all = 0;
        self.list(&here.squares, &before.squares, changed, board, views);
        self.come = self.all;
        self.list(&before.squares, &here.squares, changed, &before.board, views);
    }

    /// Adds the threats that only the first squares have, or that are on changed squares.
    #[inline(always)]
    fn list(
        &mut self,
        these: &AttacksByRole,
        those: &AttacksByRole,
        changed: Bitboard,
        board: &Board,
        views: [FeatureView; 2],
    ) {
        let views = ViewPair::new(views);
        for attacker in 0..6 {
            for square in these[attacker] & (!those[attacker] | changed) {
                self.threats[self.all % ROOM] = views.threat(attacker + 1, board.code_at(square), square);
                self.all += 1;
            }
        }
    }

    /// Adds and subtracts their rows.
    #[inline(always)]
    pub fn apply(&self, before: &Threats, here: &mut Threats, rows: &[ThreatRow], arithmetic: impl Arithmetic) {
        let threats = &self.threats[..self.all.min(ROOM)];
        arithmetic.add_threats::<0>(&mut here.sums[0], &before.sums[0], rows, threats, self.come);
        arithmetic.add_threats::<16>(&mut here.sums[1], &before.sums[1], rows, threats, self.come);
    }
}
