//! Legal moves in two halves: noisy ones (captures and queen promotions) and quiet ones.
//!
//! The search wants the noisy half first and often nothing else; shakmaty generates all moves at once. Both halves
//! together are exactly shakmaty's legal moves, which the tests check position by position.

use shakmaty::attacks;
use shakmaty::{Bitboard, CastlingSide, Color, Move, MoveList, Position as _, Rank, Role, Square};

use super::{PackedMove, Position};

/// Which half.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Half {
    Noisy,
    Quiet,
}

/// The capacity of a [`MoveList`]. No position of a game has more than 218 legal moves. Composed positions full of
/// queens may have more than a list holds; the FEN reader refuses them.
pub const MAX_MOVES: usize = 270;

const UNDERPROMOTIONS: [Role; 3] = [Role::Knight, Role::Rook, Role::Bishop];

/// Whether a move changes material for good: a capture or a promotion to a queen.
#[inline]
pub fn is_noisy(m: Move) -> bool {
    m.is_capture() || m.promotion() == Some(Role::Queen)
}

impl Position {
    /// Passes every capture and queen promotion to `take`, without a list in between, which would be two kilobytes.
    #[inline]
    pub fn each_noisy(&self, take: impl FnMut(Move)) {
        self.generate(Half::Noisy, take);
    }

    /// Passes all moves but the noisy ones to `take`.
    #[inline]
    pub fn each_quiet(&self, take: impl FnMut(Move)) {
        self.generate(Half::Quiet, take);
    }

    /// An upper bound on the moves of a side with these men on any board, legal or not. It takes five queens or more
    /// to exceed [`MAX_MOVES`].
    #[inline]
    pub(super) fn move_bound(&self, side: Color) -> usize {
        let men = self.board().by_color(side);
        let count = |role| (self.board().by_role(role) & men).count();
        // A pawn that promotes has three squares to go to and four pieces to become; a king may castle to two sides.
        27 * count(Role::Queen)
            + 14 * count(Role::Rook)
            + 13 * count(Role::Bishop)
            + 8 * count(Role::Knight)
            + 12 * count(Role::Pawn)
            + 10
    }

    /// The legal moves, as many as a list holds.
    #[cold]
    pub(super) fn first_moves(&self) -> MoveList {
        let mut moves = MoveList::new();
        self.each_noisy(|m| _ = moves.try_push(m));
        self.each_quiet(|m| _ = moves.try_push(m));
        moves
    }

    /// Whether a side has more legal moves than a list holds, or would have them if it were its turn.
    pub(super) fn overfills_a_list(&self) -> bool {
        let has_too_many = |position: &Position| {
            let mut count = 0;
            position.each_noisy(|_| count += 1);
            position.each_quiet(|_| count += 1);
            count > MAX_MOVES
        };
        let may_have_too_many = |side| self.move_bound(side) > MAX_MOVES;
        if may_have_too_many(self.turn()) && has_too_many(self) {
            return true;
        }
        may_have_too_many(!self.turn()) && !self.in_check() && {
            let mut passed = self.clone();
            passed.play_null();
            has_too_many(&passed)
        }
    }

    /// The legal move that `packed` stands for, if there is one.
    pub fn find(&self, packed: PackedMove) -> Option<Move> {
        let board = self.board();
        let (from, to) = (packed.from(), packed.to());
        if !board.by_color(self.turn()).contains(from) {
            return None;
        }
        let role = board.role_at(from)?;
        let candidates = if board.by_color(self.turn()).contains(to) {
            // The king takes its own rook: castling, or nothing.
            if role != Role::King || self.in_check() {
                return None;
            }
            self.chess.castling_moves(CastlingSide::from_king_side(to > from))
        } else {
            self.chess.san_candidates(role, to)
        };
        // By reference here and below: consuming a list of moves would copy its two kilobytes.
        candidates.iter().copied().find(|&m| packed.is(m))
    }

    #[inline(always)]
    fn generate(&self, half: Half, mut take: impl FnMut(Move)) {
        let board = self.board();
        let us = self.turn();
        let (ours, theirs) = (board.by_color(us), board.by_color(!us));
        let Some(king) = board.king_of(us) else { return };
        let targets = match half {
            Half::Noisy => theirs,
            Half::Quiet => !board.occupied(),
        };

        // The king is taken off the board: it cannot hide behind its own square.
        let without_king = board.occupied() ^ Bitboard::from(king);
        for to in attacks::king_attacks(king) & targets {
            if (board.attacks_to(to, !us, without_king) & !Bitboard::from(to)).is_empty() {
                take(normal(self, Role::King, king, to, None));
            }
        }
        if self.checkers.more_than_one() {
            return;
        }
        // Everything else must capture the checker or interpose.
        let allowed = match self.checkers.first() {
            Some(checker) => attacks::between(king, checker) | self.checkers,
            None => Bitboard::FULL,
        };
        let pinned = self.pinned(king);
        let targets_allowed = targets & allowed;

        for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
            for from in board.by_role(role) & ours {
                let reach = match role {
                    Role::Knight => attacks::knight_attacks(from),
                    Role::Bishop => attacks::bishop_attacks(from, board.occupied()),
                    Role::Rook => attacks::rook_attacks(from, board.occupied()),
                    _ => attacks::queen_attacks(from, board.occupied()),
                };
                let mut reach = reach & targets_allowed;
                if pinned.contains(from) {
                    reach &= attacks::ray(king, from);
                }
                for to in reach {
                    let capture = if half == Half::Noisy { board.role_at(to) } else { None };
                    take(Move::Normal { role, from, capture, to, promotion: None });
                }
            }
        }
        self.pawn_moves(half, king, allowed, pinned, &mut take);
        match half {
            Half::Noisy if self.en_passant.is_some() => self.chess.en_passant_moves().iter().copied().for_each(take),
            Half::Quiet if self.checkers.is_empty() => {
                for side in CastlingSide::ALL {
                    if self.castles().has(us, side) {
                        self.chess.castling_moves(side).iter().copied().for_each(&mut take);
                    }
                }
            }
            _ => {}
        }
    }

    /// Own pieces that may only move along the line through the king.
    fn pinned(&self, king: Square) -> Bitboard {
        let board = self.board();
        let snipers = (attacks::rook_attacks(king, Bitboard::EMPTY) & board.rooks_and_queens())
            | (attacks::bishop_attacks(king, Bitboard::EMPTY) & board.bishops_and_queens());
        let mut pinned = Bitboard::EMPTY;
        for sniper in snipers & board.by_color(!self.turn()) {
            let between = attacks::between(king, sniper) & board.occupied();
            if !between.more_than_one() {
                pinned |= between;
            }
        }
        pinned & board.by_color(self.turn())
    }

    fn pawn_moves(&self, half: Half, king: Square, allowed: Bitboard, pinned: Bitboard, mut take: impl FnMut(Move)) {
        let board = self.board();
        let us = self.turn();
        let pawns = board.pawns() & board.by_color(us);
        let (forward, after_step, last) = match us {
            Color::White => (8, Rank::Third, Rank::Eighth),
            Color::Black => (-8, Rank::Sixth, Rank::First),
        };
        let empty = !board.occupied();
        let last = Bitboard::from_rank(last);
        let steps = pawns.shift(forward) & empty;
        let free = |from: Square, to: Square| !pinned.contains(from) || attacks::ray(king, from).contains(to);

        match half {
            Half::Noisy => {
                for from in pawns {
                    for to in attacks::pawn_attacks(us, from) & board.by_color(!us) & allowed {
                        if !free(from, to) {
                            continue;
                        }
                        if last.contains(to) {
                            for role in [Role::Queen].into_iter().chain(UNDERPROMOTIONS) {
                                take(normal(self, Role::Pawn, from, to, Some(role)));
                            }
                        } else {
                            take(normal(self, Role::Pawn, from, to, None));
                        }
                    }
                }
                for to in steps & last & allowed {
                    let from = to.offset(-forward);
                    if let Some(from) = from.filter(|&from| free(from, to)) {
                        take(step(from, to, Some(Role::Queen)));
                    }
                }
            }
            Half::Quiet => {
                let doubles = (steps & Bitboard::from_rank(after_step)).shift(forward) & empty & allowed;
                for to in steps & allowed {
                    let Some(from) = to.offset(-forward).filter(|&from| free(from, to)) else { continue };
                    if last.contains(to) {
                        for role in UNDERPROMOTIONS {
                            take(step(from, to, Some(role)));
                        }
                    } else {
                        take(step(from, to, None));
                    }
                }
                for to in doubles {
                    if let Some(from) = to.offset(-2 * forward).filter(|&from| free(from, to)) {
                        take(step(from, to, None));
                    }
                }
            }
        }
    }
}

#[inline]
fn normal(position: &Position, role: Role, from: Square, to: Square, promotion: Option<Role>) -> Move {
    Move::Normal { role, from, capture: position.board().role_at(to), to, promotion }
}

#[inline]
fn step(from: Square, to: Square, promotion: Option<Role>) -> Move {
    Move::Normal { role: Role::Pawn, from, capture: None, to, promotion }
}
