//! From a move of the transposition table to a legal move.

use shakmaty::{Bitboard, CastlingSide, Rank, Role, Square, attacks};

use super::{Move, PackedMove, Position};

impl Position {
    /// The legal move that `packed` stands for, if there is one.
    pub fn find(&self, packed: PackedMove) -> Option<Move> {
        let (from, to) = (packed.from(), packed.to());
        let ours = self.board.by_color(self.turn);
        if !ours.contains(from) {
            return None;
        }
        let m = match self.board.role_at(from)? {
            // The king takes its own rook: castling, or nothing.
            Role::King if ours.contains(to) => self.castling_move(from, to)?,
            _ if ours.contains(to) => return None,
            Role::Pawn => self.pawn_move(packed)?,
            role => {
                let occupied = self.board.occupied();
                let reach = match role {
                    Role::Knight => attacks::knight_attacks(from),
                    Role::Bishop => attacks::bishop_attacks(from, occupied),
                    Role::Rook => attacks::rook_attacks(from, occupied),
                    Role::Queen => attacks::queen_attacks(from, occupied),
                    Role::King | Role::Pawn => attacks::king_attacks(from),
                };
                reach.contains(to).then(|| self.piece_move(role, from, to))?
            }
        };
        // All bits must agree: a promotion of a knight, say, is no move.
        (packed.is(m) && self.is_safe(m)).then_some(m)
    }

    fn castling_move(&self, king: Square, rook: Square) -> Option<Move> {
        let side = CastlingSide::from_king_side(rook > king);
        let may =
            !self.in_check() && self.castling.rook(self.turn, side) == Some(rook) && self.may_castle(king, rook, side);
        may.then(|| Move::castle(king, rook))
    }

    /// The pawn's move that `packed` stands for, if the pawn can go there.
    fn pawn_move(&self, packed: PackedMove) -> Option<Move> {
        let us = self.turn;
        let (from, to) = (packed.from(), packed.to());
        let victim = self.board.code_at(to).role_number();
        if attacks::pawn_attacks(us, from).contains(to) {
            if victim == 0 {
                return (self.en_passant_square() == Some(to)).then(|| Move::en_passant(from, to));
            }
        } else if victim != 0 || !self.steps_to(from, to) {
            return None;
        }
        match packed.promotion() {
            // Any other rank would be a promotion that no pawn can make yet.
            Some(role) => {
                (to.rank() == us.fold_wb(Rank::Eighth, Rank::First)).then(|| Move::promotion_to(role, victim, from, to))
            }
            None if to.rank() == us.fold_wb(Rank::Eighth, Rank::First) => None,
            None if victim == 0 => Some(Move::quiet(Role::Pawn, from, to)),
            None => Some(Move::capture_of(Role::Pawn, victim, from, to)),
        }
    }

    /// Whether a pawn reaches an empty square by a single or double step.
    fn steps_to(&self, from: Square, to: Square) -> bool {
        let forward = self.turn.fold_wb(8, -8);
        let Some(ahead) = from.offset(forward) else { return false };
        to == ahead
            || (from.rank() == self.turn.fold_wb(Rank::Second, Rank::Seventh)
                && from.offset(2 * forward) == Some(to)
                && !self.board.occupied().contains(ahead))
    }

    /// Whether the king is safe after a move that its piece can make.
    fn is_safe(&self, m: Move) -> bool {
        let Some(king) = self.board.king_of(self.turn) else { return false };
        let (from, to) = (m.from(), m.to());
        if m.is_castle() {
            return true;
        }
        if m.is_en_passant() {
            return self.en_passant_is_legal(from, to);
        }
        if m.role() == Role::King {
            let without_king = self.board.occupied() ^ Bitboard::from(king);
            return self.board.attacks_to(to, !self.turn, without_king).is_empty();
        }
        let answers_check = match self.checkers.first() {
            None => true,
            Some(_) if self.checkers.more_than_one() => false,
            Some(checker) => (attacks::between(king, checker) | self.checkers).contains(to),
        };
        answers_check && (!self.pinned.contains(from) || attacks::ray(king, from).contains(to))
    }
}
