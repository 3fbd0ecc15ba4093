//! Forced mates, proved by exhaustive search: an AND/OR search that is independent of the engine's.
//!
//! The attacker needs one winning move, and the defender must lose to all moves. Nothing is pruned that could change
//! the answer: move order only decides how soon it is found. Draws by repetition and by the 50-move rule are left out:
//! a shortest mate repeats no position, and the caller makes sure that the clock leaves time for the mate.

use shakmaty::Role;

use ibex::position::{Move, Position};

/// The search was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GaveUp;

/// What is known about a position with the attacker to move.
#[derive(Clone, Copy, Default)]
struct Fact {
    key: u64,
    /// There is a mate in this number of moves or fewer; 0 if none is known.
    mate: u8,
    /// There is no mate in this number of moves or fewer.
    none: u8,
}

/// The number of facts kept; a newer one replaces an older one. Keys are compared in full.
const FACTS: usize = 1 << 18;
/// No provable distance comes near this.
const MAX_MOVES: usize = 64;

/// A solver with its table; the table remains valid for the next position.
pub struct Solver {
    facts: Vec<Fact>,
    /// The reply that last held with each number of moves left: likely to hold against the attacker's next try, too.
    holds: [Option<Move>; MAX_MOVES],
    positions: u64,
    give_up_after: u64,
}

impl Default for Solver {
    fn default() -> Solver {
        Solver::new(u64::MAX)
    }
}

impl Solver {
    /// A solver that gives up a question after `give_up_after` positions.
    pub fn new(give_up_after: u64) -> Solver {
        Solver { facts: vec![Fact::default(); FACTS], holds: [None; MAX_MOVES], positions: 0, give_up_after }
    }

    /// Positions examined since the last [`restart`](Self::restart).
    pub fn positions(&self) -> u64 {
        self.positions
    }

    /// Starts counting positions anew.
    pub fn restart(&mut self) {
        self.positions = 0;
    }

    /// Whether the side to move mates in `moves` of its moves or fewer, whatever the other side does.
    ///
    /// # Errors
    ///
    /// [`GaveUp`] if too many positions were needed.
    pub fn mates(&mut self, position: &Position, moves: u8) -> Result<bool, GaveUp> {
        if moves <= 1 {
            return Ok(moves == 1 && mates_at_once(position));
        }
        let fact = self.fact(position);
        if fact.mate != 0 && fact.mate <= moves {
            return Ok(true);
        }
        if fact.none >= moves {
            return Ok(false);
        }
        let answer = self.some_move_mates(position, moves)?;
        self.learn(position, moves, answer);
        Ok(answer)
    }

    /// Whether the side to move is mated, now or in `moves` moves of the other side or fewer, whatever it does.
    ///
    /// # Errors
    ///
    /// [`GaveUp`] if too many positions were needed.
    pub fn mated(&mut self, position: &Position, moves: u8) -> Result<bool, GaveUp> {
        self.positions += 1;
        if self.positions > self.give_up_after {
            return Err(GaveUp);
        }
        let mut replies = position.legal_moves();
        if replies.is_empty() {
            return Ok(position.in_check());
        }
        if moves == 0 {
            return Ok(false);
        }
        let slot = usize::from(moves).min(MAX_MOVES - 1);
        let held = self.holds[slot];
        replies.sort_by_key(|&m| (Some(m) != held, !m.is_capture(), m.role() != Role::King));
        for m in replies {
            if !self.mates(&position.after(m), moves)? {
                self.holds[slot] = Some(m);
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The moves that mate in `moves` or fewer: the keys of a mate problem, if there is no shorter mate.
    ///
    /// # Errors
    ///
    /// [`GaveUp`] if too many positions were needed.
    pub fn keys(&mut self, position: &Position, moves: u8) -> Result<Vec<Move>, GaveUp> {
        let mut keys = Vec::new();
        if moves > 0 {
            for m in position.legal_moves() {
                if self.mated(&position.after(m), moves - 1)? {
                    keys.push(m);
                }
            }
        }
        Ok(keys)
    }

    /// Tries the attacker's moves: checks first, and among equals those that leave the fewest replies.
    fn some_move_mates(&mut self, position: &Position, moves: u8) -> Result<bool, GaveUp> {
        let mut tries: Vec<_> = position
            .legal_moves()
            .into_iter()
            .map(|m| {
                let child = position.after(m);
                (!child.in_check(), child.legal_moves().len(), child)
            })
            .collect();
        tries.sort_by_key(|&(quiet, replies, _)| (quiet, replies));
        for (_, _, child) in &tries {
            if self.mated(child, moves - 1)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn fact(&self, position: &Position) -> Fact {
        let fact = self.facts[slot(position)];
        if fact.key == position.key() { fact } else { Fact { key: position.key(), ..Fact::default() } }
    }

    fn learn(&mut self, position: &Position, moves: u8, answer: bool) {
        let mut fact = self.fact(position);
        if answer {
            fact.mate = if fact.mate == 0 { moves } else { fact.mate.min(moves) };
        } else {
            fact.none = fact.none.max(moves);
        }
        self.facts[slot(position)] = fact;
    }
}

fn slot(position: &Position) -> usize {
    position.key() as usize % FACTS
}

/// Whether one of the legal moves is mate.
fn mates_at_once(position: &Position) -> bool {
    position.legal_moves().into_iter().any(|m| position.gives_check(m) && !position.after(m).has_legal_move())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ibex::position::notation::{read_fen, uci};

    fn position(fen: &str) -> Position {
        read_fen(fen).expect("valid")
    }

    fn keys(fen: &str, moves: u8) -> Vec<String> {
        let position = position(fen);
        let mut keys: Vec<_> =
            Solver::default().keys(&position, moves).expect("finished").iter().map(|&m| uci(&position, m)).collect();
        keys.sort();
        keys
    }

    #[test]
    fn mates_in_one_of_every_kind_are_found() {
        for (fen, mates) in [
            ("6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1", vec!["d1d8"]),
            ("6rk/6pp/8/4N3/8/8/8/K7 w - - 0 1", vec!["e5f7"]),
            // castling
            ("5k2/8/8/8/4R1R1/8/8/4K2R w K - 0 1", vec!["e1g1", "h1f1"]),
            // a knight promotion, where a queen does not mate
            ("6br/5Ppk/7p/8/8/8/8/K7 w - - 0 1", vec!["f7f8n"]),
            // en passant
            ("8/k1K5/8/Pp1p4/8/R7/2pB4/8 w - b6 0 1", vec!["a5b6"]),
            ("7k/8/8/8/8/8/R7/1R2K3 w - - 0 1", vec![]),
        ] {
            assert_eq!(keys(fen, 1), mates, "{fen}");
        }
    }

    #[test]
    fn stalemate_is_not_mate() {
        let solver = &mut Solver::default();
        assert_eq!(solver.mated(&position("k7/2Q5/1K6/8/8/8/8/8 b - - 0 1"), 5), Ok(false));
        assert_eq!(solver.mated(&position("k7/1Q6/1K6/8/8/8/8/8 b - - 0 1"), 0), Ok(true));
    }

    /// King and rook against king: distances as in every retrograde table.
    #[test]
    fn rook_endings_have_their_known_distances() {
        let solver = &mut Solver::default();
        for (fen, distance) in [
            ("7k/8/6K1/8/8/8/8/R7 w - - 0 1", 1),
            ("7k/8/5K2/8/8/8/8/R7 w - - 0 1", 2),
            ("6k1/8/4K3/8/8/8/8/R7 w - - 0 1", 3),
        ] {
            let position = position(fen);
            assert_eq!(solver.mates(&position, distance - 1), Ok(false), "{fen}");
            assert_eq!(solver.mates(&position, distance), Ok(true), "{fen}");
            assert_eq!(solver.mates(&position, distance + 1), Ok(true), "{fen}");
        }
    }

    #[test]
    fn the_solver_gives_up_at_its_limit() {
        let mut solver = Solver::new(1000);
        assert_eq!(solver.mates(&Position::startpos(), 4), Err(GaveUp));
        solver.restart();
        assert_eq!(solver.mates(&Position::startpos(), 1), Ok(false));
    }
}
