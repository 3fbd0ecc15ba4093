//! Static exchange evaluation: who wins the captures on one square.

use shakmaty::{Bitboard, Color, Role, Square, attacks};

use super::{Board, Move, Position};

/// The worth of a piece in an exchange, in centipawns.
pub const fn exchange_value(role: Role) -> i32 {
    EXCHANGE_VALUES[role as usize]
}

/// The same by the number of the role; 0 for no piece.
pub(crate) const EXCHANGE_VALUES: [i32; 8] = [0, 100, 320, 330, 500, 950, 20_000, 0];

impl Position {
    /// Whether the exchange that `m` starts on its target square gains at least `threshold` centipawns for its side.
    ///
    /// Both sides capture with their least valuable piece and may stop at any time; sliders behind the capturing
    /// pieces join in, and a king captures only what is no longer defended. Pins are not considered.
    pub fn see_at_least(&self, m: Move, threshold: i32) -> bool {
        // Nothing can capture the king, and a castled rook is left alone by design.
        if m.is_castle() {
            return threshold <= 0;
        }
        let mut gain = EXCHANGE_VALUES[m.victim_number()];
        if m.is_promotion() {
            gain += EXCHANGE_VALUES[m.promotion_number()] - exchange_value(Role::Pawn);
        }
        let balance = gain - threshold;
        if balance < 0 {
            return false;
        }
        let after_recapture = balance - EXCHANGE_VALUES[m.placed_number()];
        after_recapture >= 0 || self.exchange(m, after_recapture)
    }

    /// Plays the exchange out. `balance` is what the side that has made the move keeps if its piece is captured now.
    fn exchange(&self, m: Move, mut balance: i32) -> bool {
        let (from, to) = (m.from(), m.to());
        let board = self.board();
        let mut occupied = board.occupied() ^ Bitboard::from(from) | Bitboard::from(to);
        if m.is_en_passant() {
            occupied ^= Bitboard::from(m.victim_square());
        }
        let mut attackers = attackers_to(board, to, occupied) & occupied;
        let us = self.turn();
        let mut side = !us;

        // `balance` is negative here for the side that has just captured, so the other side must show a capture.
        loop {
            attackers &= occupied;
            let own = attackers & board.by_color(side);
            if own.is_empty() {
                break;
            }
            let Some((role, square)) = least_valuable(board, own) else { break };
            if role == Role::King && (attackers & board.by_color(!side)).any() {
                // The king may not capture a defended piece: the exchange ends before this capture.
                break;
            }
            occupied ^= Bitboard::from(square);
            if matches!(role, Role::Pawn | Role::Bishop | Role::Queen) {
                attackers |= attacks::bishop_attacks(to, occupied) & board.bishops_and_queens();
            }
            if matches!(role, Role::Rook | Role::Queen) {
                attackers |= attacks::rook_attacks(to, occupied) & board.rooks_and_queens();
            }
            side = !side;
            balance = -balance - 1 - exchange_value(role);
            if balance >= 0 {
                break;
            }
        }
        // The side to move at the end has run out of captures that pay.
        side != us
    }
}

/// All pieces of both colours that attack `square` with this occupancy.
fn attackers_to(board: &Board, square: Square, occupied: Bitboard) -> Bitboard {
    (attacks::pawn_attacks(Color::White, square) & board.pawns() & board.black())
        | (attacks::pawn_attacks(Color::Black, square) & board.pawns() & board.white())
        | (attacks::knight_attacks(square) & board.knights())
        | (attacks::king_attacks(square) & board.kings())
        | (attacks::bishop_attacks(square, occupied) & board.bishops_and_queens())
        | (attacks::rook_attacks(square, occupied) & board.rooks_and_queens())
}

fn least_valuable(board: &Board, attackers: Bitboard) -> Option<(Role, Square)> {
    Role::ALL.into_iter().find_map(|role| (attackers & board.by_role(role)).first().map(|square| (role, square)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::CastlingMode;

    /// The best outcome of the exchange for the side to move, by playing every capture out; kings need not be safe,
    /// but capture only undefended pieces, as above.
    fn exhaustive(board: &Board, to: Square, side: Color, standing: Role, occupied: Bitboard) -> i32 {
        let attackers = attackers_to(board, to, occupied) & occupied;
        let mut best = 0;
        // Promotions on the square are left out on both sides: the exchange value counts only the first move's.
        let mut own = attackers & board.by_color(side);
        if let Some((least, _)) = least_valuable(board, own) {
            own &= board.by_role(least);
            let square = own.first().expect("an attacker");
            if !(least == Role::King && (attackers & board.by_color(!side)).any()) {
                let rest = exhaustive(board, to, !side, least, occupied ^ Bitboard::from(square));
                best = best.max(exchange_value(standing) - rest);
            }
        }
        best
    }

    #[test]
    fn agrees_with_playing_all_captures_out() {
        let mut checked = 0;
        for seed in 0..60 {
            let mut position = Position::startpos();
            let mut state = seed;
            for _ in 0..90 {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                for &m in &moves {
                    if m.is_castle() {
                        continue;
                    }
                    let (from, to) = (m.from(), m.to());
                    let mut occupied = position.board().occupied() ^ Bitboard::from(from) | Bitboard::from(to);
                    if m.is_en_passant() {
                        occupied ^= Bitboard::from(Square::from_coords(to.file(), from.rank()));
                    }
                    let gain = m.capture().map_or(0, exchange_value)
                        + m.promotion().map_or(0, |r| exchange_value(r) - exchange_value(Role::Pawn));
                    let standing = m.promotion().unwrap_or(m.role());
                    let value = gain - exhaustive(position.board(), to, !position.turn(), standing, occupied);
                    assert!(position.see_at_least(m, value), "{m:?} in {} gains {value}", position.fen());
                    assert!(!position.see_at_least(m, value + 1), "{m:?} in {} gains {value}", position.fen());
                    checked += 1;
                }
                let pick = crate::random::split_mix(&mut state) as usize % moves.len();
                position.play(moves[pick]);
            }
        }
        assert!(checked > 50_000, "{checked}");
    }

    #[test]
    fn known_exchanges_have_their_values() {
        for (fen, uci, value) in [
            ("1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1", "e1e5", 100),
            ("1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1", "d3e5", -220),
        ] {
            let position = Position::from_fen(fen, CastlingMode::Standard).expect("valid");
            let m = position.parse_move(uci).expect("legal");
            assert!(position.see_at_least(m, value));
            assert!(!position.see_at_least(m, value + 1));
        }
    }
}
