//! Which moves give check.

use shakmaty::{Bitboard, Role, attacks};

use super::{Move, Position};

impl Position {
    /// Whether a legal move gives check.
    pub fn gives_check(&self, m: Move) -> bool {
        if !m.is_normal() {
            // Castling and en passant change more than two squares; they are rare enough to be played.
            return self.after(m).in_check();
        }
        let (role, from, to, promotion) = (m.role(), m.from(), m.to(), m.promotion());
        let board = self.board();
        let us = self.turn();
        let Some(king) = board.king_of(!us) else { return false };
        let occupied = board.occupied() ^ Bitboard::from(from) | Bitboard::from(to);
        let direct = match promotion.unwrap_or(role) {
            Role::Pawn => attacks::pawn_attacks(us, to),
            Role::Knight => attacks::knight_attacks(to),
            Role::Bishop => attacks::bishop_attacks(to, occupied),
            Role::Rook => attacks::rook_attacks(to, occupied),
            Role::Queen => attacks::queen_attacks(to, occupied),
            Role::King => Bitboard::EMPTY,
        };
        if direct.contains(king) {
            return true;
        }
        // Discovered check: only a piece that leaves a line through the king can open it.
        let ours = board.by_color(us) & !Bitboard::from(from);
        attacks::queen_attacks(king, Bitboard::EMPTY).contains(from)
            && ((attacks::bishop_attacks(king, occupied) & board.bishops_and_queens() & ours).any()
                || (attacks::rook_attacks(king, occupied) & board.rooks_and_queens() & ours).any())
    }

    /// The squares from which a piece would give check on this board, by the number of its role; none for the king.
    pub fn checking_squares(&self) -> [Bitboard; 8] {
        let board = self.board();
        let Some(king) = board.king_of(!self.turn()) else { return [Bitboard::EMPTY; 8] };
        let occupied = board.occupied();
        let (diagonal, straight) = (attacks::bishop_attacks(king, occupied), attacks::rook_attacks(king, occupied));
        let pawn = attacks::pawn_attacks(!self.turn(), king);
        let none = Bitboard::EMPTY;
        [none, pawn, attacks::knight_attacks(king), diagonal, straight, diagonal | straight, none, none]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::split_mix;

    /// The board after the move says whether it is check.
    #[test]
    fn direct_checks_are_foreseen() {
        let (mut checks, mut direct) = (0, 0);
        for seed in 0..60 {
            let mut position = Position::startpos();
            let mut state = seed;
            for _ in 0..120 {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                let squares = position.checking_squares();
                let king = position.board().king_of(!position.turn()).expect("a king");
                for &m in &moves {
                    let after = position.after(m);
                    checks += usize::from(after.in_check());
                    if !m.is_normal() || m.is_promotion() {
                        continue;
                    }
                    let (role, from, to) = (m.role(), m.from(), m.to());
                    let foreseen = squares[role as usize].contains(to);
                    assert!(!foreseen || after.in_check(), "{m:?} in {}", position.fen());
                    // A piece that stands on a line with the king may open it by leaving.
                    if !attacks::queen_attacks(king, Bitboard::EMPTY).contains(from) {
                        assert_eq!(foreseen, after.in_check(), "{m:?} in {}", position.fen());
                    }
                    direct += usize::from(foreseen);
                }
                position.play(moves[split_mix(&mut state) as usize % moves.len()]);
            }
        }
        assert!(checks > 1000 && direct > 1000, "{checks}, {direct}");
    }
}
