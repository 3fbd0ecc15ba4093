//! Proofs about a position without a search: mate distance, draws by rule and by an upcoming repetition,
//! recognizers, and the mates of three men.

use crate::bound::{Bound, Ibv};
use crate::params;
use crate::position::Position;
use crate::recognize::{self, three_men};
use crate::retrograde::Dtm;
use crate::score::{MAX_PLY, Score};
use crate::search::state::Search;
use crate::window::Window;

impl<const PLAY: bool> Search<'_, PLAY> {
    /// Mate distance pruning: narrows the window to the range from mated now to mate with the next move. Returns the
    /// result if that settles the node.
    #[inline]
    pub(in crate::search) fn prune_by_mate_distance(&self, window: &mut Window, ply: usize) -> Option<Ibv> {
        if !self.rules().mate_distance {
            return None;
        }
        let distance = self.rules().distance;
        let (mated, mate) = (Score::mated_in(distance.origin(ply)), Score::mate_in(distance.nearest_mate(ply)));
        window.know(Ibv::lower(mated)).or_else(|| window.know(Ibv::upper(mate)))
    }

    /// A draw as a lower bound if the next move can repeat a position of the tree, and if a draw is better than
    /// `alpha`.
    ///
    /// The result depends on the order of the search, so a search without pruning skips it.
    #[inline(always)]
    pub(in crate::search) fn upcoming_repetition(&self, position: &Position, ply: usize, alpha: Score) -> Option<Ibv> {
        // The move is the fourth of the reversible plies that lead back.
        if !self.rules().pruning || position.reversible() < 3 {
            return None;
        }
        self.repetition_ahead(position, ply, alpha)
    }

    #[inline(never)]
    fn repetition_ahead(&self, position: &Position, ply: usize, alpha: Score) -> Option<Ibv> {
        let at_least = self.leave(self.draw(ply + 1), Score::ZERO).force_lower();
        if at_least.score() > alpha && self.path.can_repeat(position, ply) { Some(at_least) } else { None }
    }

    /// The value of a draw on the board at `ply`.
    #[inline]
    pub(in crate::search) fn draw(&self, ply: usize) -> Ibv {
        let draw = self.shared.conventions.draws.draw(ply);
        Ibv::exact(if self.rules().bands { draw } else { Score::heuristic(draw.raw()) })
    }

    /// A recognizer's proof about a position at `ply`, if there is one.
    #[inline(always)]
    pub(in crate::search) fn recognize(&self, position: &Position, ply: usize) -> Option<Ibv> {
        // A build with `tune` can switch recognizers off.
        if !self.rules().recognizers || params::recognizers() == 0 {
            return None;
        }
        // Few nodes pass this test, so what follows is not inlined.
        if recognize::may_have_class(position) { self.recognize_ending(position, ply) } else { None }
    }

    #[inline(never)]
    fn recognize_ending(&self, position: &Position, ply: usize) -> Option<Ibv> {
        if let Some(known) = self.three_men(position, ply) {
            return Some(known);
        }
        let known = recognize::recognize(position).ibv?;
        if self.no_recognized_wins && known.score().is_decisive() {
            return None;
        }
        Some(self.in_root_terms(known, ply))
    }

    /// The exact value of a position of three men: a mate, a draw, or a draw by the 50-move rule if no pawn can reset
    /// the clock. `None` for other material, and if a trap may prevent the mate (see `past`).
    #[inline]
    pub(in crate::search) fn three_men(&self, position: &Position, ply: usize) -> Option<Ibv> {
        let distance = self.rules().distance;
        // With scores that do not count plies, a recognized win says as much.
        if distance.wants_evaluation() {
            return None;
        }
        let (plies, wins) = match three_men::value(position)? {
            Dtm::Draw => return Some(self.draw(ply)),
            Dtm::Win(plies) => (usize::from(plies), true),
            Dtm::Loss(plies) => (usize::from(plies), false),
        };
        // A mate on the board, or one by the next move, comes before any claim of a draw.
        if plies > 1 && !position.has_plies_for(plies) {
            // A pawn move resets the clock, but then the distance to mate is unknown.
            return position.board().pawns().is_empty().then(|| self.draw(ply));
        }
        // The winner comes nearer to mate with every ply, so it meets no trap that is as far from mate as this
        // position. Traps with other material are out of reach.
        if self.nearest_trap < plies && self.past.reaches_traps(position, ply) {
            return None;
        }
        let mate = distance.origin(ply) + plies;
        (mate <= MAX_PLY).then(|| Ibv::exact(if wins { Score::mate_in(mate) } else { Score::mated_in(mate) }))
    }

    /// A recognizer's result as a score of this search.
    ///
    /// A recognized draw lies ahead, at an unknown distance. An exact draw counts as a draw at this ply; a bound at a
    /// draw moves to the end of the draw band, which no distance exceeds.
    #[inline]
    pub(in crate::search) fn in_root_terms(&self, known: Ibv, ply: usize) -> Ibv {
        if !known.score().is_draw() {
            return known;
        }
        match known.bound() {
            Bound::Exact => self.draw(ply),
            Bound::Lower => Ibv::lower(Score::WORST_DRAW),
            Bound::Upper => Ibv::upper(Score::BEST_DRAW),
        }
    }

    /// Whether the position is a draw by rule: repetition, the 50-move rule, or insufficient material.
    ///
    /// Mate at clock 100 comes before the draw.
    #[inline(always)]
    pub(in crate::search) fn is_drawn(&self, position: &Position, ply: usize) -> bool {
        // A repetition takes four reversible plies. Few nodes have that many, so what follows is not inlined.
        let may_be_drawn = position.reversible() >= 4 || !position.has_plies_for(1);
        (may_be_drawn && self.is_drawn_by_path(position, ply)) || position.is_insufficient_material()
    }

    #[inline(never)]
    fn is_drawn_by_path(&self, position: &Position, ply: usize) -> bool {
        (!position.has_plies_for(1) && !position.is_checkmate()) || self.path.repeats(position, ply)
    }
}
