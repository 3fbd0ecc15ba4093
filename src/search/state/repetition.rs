//! Repetition: whether the path has come back to an earlier position, and whether one move would bring it back.

use crate::position::{Position, cuckoo};
use crate::score::MAX_PLY;

/// The keys of the positions before the current one, oldest first: the game's, then the tree's.
pub struct Path(Vec<u64>);

impl Path {
    /// The path to the root of a search.
    pub fn new(game: &[u64]) -> Path {
        let mut keys = Vec::with_capacity(game.len() + MAX_PLY + 2);
        keys.extend_from_slice(game);
        Path(keys)
    }

    /// Records that a move is made in the position with this key.
    #[inline]
    pub fn push(&mut self, key: u64) {
        self.0.push(key);
    }

    /// Takes back the last move.
    #[inline]
    pub fn pop(&mut self) {
        self.0.pop();
    }

    /// Returns to the root of a search in this game, however far from it the path has led.
    pub fn return_to(&mut self, game: &[u64]) {
        debug_assert!(self.0.starts_with(game));
        self.0.truncate(game.len());
    }

    /// Whether nothing has been played since the root of a search in this game.
    #[cfg(test)]
    pub fn is_at_root(&self, game: &[u64]) -> bool {
        self.0 == game
    }

    /// The keys of the positions that `position` may repeat, from `first` plies back in steps of two, each with its
    /// distance in plies.
    #[inline]
    fn back_from(&self, position: &Position, first: usize) -> impl Iterator<Item = (usize, u64)> {
        let reach = usize::from(position.reversible()).min(self.0.len());
        (first..=reach).step_by(2).map(|back| (back, self.0[self.0.len() - back]))
    }

    /// Whether `position`, at `ply`, is drawn by repetition.
    ///
    /// A first repetition inside the tree is a draw; for positions before the root it takes two, as in the game.
    #[inline]
    pub fn repeats(&self, position: &Position, ply: usize) -> bool {
        let mut before_root = 0;
        for (back, key) in self.back_from(position, 4) {
            if key == position.key() {
                before_root += 1;
                if back < ply || before_root == 2 {
                    return true;
                }
            }
        }
        false
    }

    /// Whether a move of the side to move draws by repeating a position of the tree.
    #[inline]
    pub fn can_repeat(&self, position: &Position, ply: usize) -> bool {
        self.back_from(position, 3)
            .take_while(|&(back, _)| back < ply)
            .any(|(_, key)| cuckoo::leads_back(position, key))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use shakmaty::{Board, CastlingMode, Color, EnPassantMode, Position as _, Square};

    use super::*;
    use crate::position::Move;

    /// The identity of a position under the rules of repetition: the board, the turn, the rights, an en passant capture
    /// that is possible.
    type Identity = (Board, Color, u64, Option<Square>);

    fn identity(position: &Position) -> Identity {
        let chess = position.to_chess();
        let rights = chess.castles().castling_rights().0;
        (chess.board().clone(), chess.turn(), rights, chess.ep_square(EnPassantMode::Legal))
    }

    /// The slow model: compares whole positions with all that came before, however long ago. The root itself counts
    /// as part of the game, not of the tree.
    fn is_repetition(position: &Position, before: &[Identity], root: usize) -> bool {
        let now = identity(position);
        let earlier: Vec<usize> = (0..before.len()).filter(|&at| before[at] == now).collect();
        earlier.iter().any(|&at| at > root) || earlier.len() >= 2
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

        /// Games that shuffle to and fro.
        #[test]
        fn repetitions_are_those_of_a_slow_model(
            fen in prop::sample::select(vec![
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
                "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
                "4k3/8/8/3pP3/8/8/8/4K2R w K d6 0 1",
                "8/5k2/8/8/8/2K5/8/R7 w - - 60 90",
                "2b1k3/8/8/q7/8/8/3Q4/2B1K3 w - - 0 1",
            ]),
            choices in prop::collection::vec((any::<u16>(), 0u8..10), 1..120),
            root in 0usize..120,
        ) {
            let mut position = Position::from_fen(fen, CastlingMode::Standard).expect("a position");
            let (mut path, mut before) = (Path::new(&[]), Vec::new());
            let mut last: [Option<Move>; 2] = [None, None];
            for (ply, (choice, back)) in choices.into_iter().enumerate() {
                let root = root.min(ply);
                prop_assert_eq!(
                    path.repeats(&position, ply - root),
                    is_repetition(&position, &before, root),
                    "ply {} from {} in {}", ply, root, position.fen()
                );

                let moves = position.legal_moves();
                let with_this: Vec<Identity> = before.iter().cloned().chain([identity(&position)]).collect();
                let repeating = moves.iter().any(|&m| {
                    let child = position.after(m);
                    let now = identity(&child);
                    with_this.iter().enumerate().any(|(at, was)| at > root && *was == now)
                });
                prop_assert_eq!(
                    path.can_repeat(&position, ply - root),
                    repeating,
                    "ply {} from {} in {}", ply, root, position.fen()
                );

                if moves.is_empty() {
                    break;
                }
                // Mostly the move back to where the piece of this side was before.
                let home = last[0].filter(|_| back < 8).and_then(|there| {
                    moves.iter().copied().find(|m| {
                        m.from() == there.to() && m.to() == there.from() && !m.is_castle()
                    })
                });
                let m = home.unwrap_or_else(|| moves[usize::from(choice) % moves.len()]);
                last = [last[1], Some(m)];
                before.push(identity(&position));
                path.push(position.key());
                position.play(m);
            }
        }
    }
}
