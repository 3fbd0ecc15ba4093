//! Legal moves: all of them, or in two halves, noisy ones (captures and queen promotions) and quiet ones.
//!
//! The search wants the noisy half first and often nothing else. It receives the moves of a piece as one set of target
//! squares, so that whatever they share is looked up once. The tests compare both halves with shakmaty's legal moves,
//! position by position.

use arrayvec::ArrayVec;
use shakmaty::{Bitboard, CastlingSide, Color, Rank, Role, Square, attacks};

use super::attacks::pawn_attacks;
use super::{Castling, Move, Position};

/// The capacity of a [`MoveList`]. No position of a game has more than 218 legal moves. A composed position full of
/// queens may have more than a list holds: the FEN reader refuses those.
pub const MAX_MOVES: usize = 270;

/// The legal moves of a position.
pub type MoveList = ArrayVec<Move, MAX_MOVES>;

const UNDERPROMOTIONS: [Role; 3] = [Role::Knight, Role::Rook, Role::Bishop];

/// Receives generated moves.
pub trait MoveSink {
    /// A piece that is no pawn goes from a square to any of `targets`, which are not empty. Captures are among the
    /// targets only where noisy moves are generated.
    fn reach(&mut self, role: Role, from: Square, targets: Bitboard);

    /// The same for targets that may be empty.
    #[inline(always)]
    fn reach_any(&mut self, role: Role, from: Square, targets: Bitboard) {
        if targets.any() {
            self.reach(role, from, targets);
        }
    }

    /// A pawn steps to an empty square, and does not promote.
    fn advance(&mut self, from: Square, to: Square);

    /// Any other move.
    fn push(&mut self, m: Move);
}

/// The part of the moves to generate.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// Captures and promotions to a queen.
    Noisy,
    /// All other moves.
    Quiet,
    All,
}

/// Collects moves in a list. Those that the list has no room for are left out.
struct Collector<'a> {
    position: &'a Position,
    moves: MoveList,
}

impl MoveSink for Collector<'_> {
    #[inline(always)]
    fn reach(&mut self, role: Role, from: Square, targets: Bitboard) {
        for to in targets {
            self.push(self.position.piece_move(role, from, to));
        }
    }

    #[inline(always)]
    fn advance(&mut self, from: Square, to: Square) {
        self.push(Move::quiet(Role::Pawn, from, to));
    }

    #[inline(always)]
    fn push(&mut self, m: Move) {
        let _ = self.moves.try_push(m);
    }
}

/// Counts moves.
struct Counter(usize);

impl MoveSink for Counter {
    #[inline(always)]
    fn reach(&mut self, _: Role, _: Square, targets: Bitboard) {
        self.0 += targets.count();
    }

    #[inline(always)]
    fn advance(&mut self, _: Square, _: Square) {
        self.0 += 1;
    }

    #[inline(always)]
    fn push(&mut self, _: Move) {
        self.0 += 1;
    }
}

impl Position {
    /// All legal moves, or as many as a list holds.
    pub fn legal_moves(&self) -> MoveList {
        self.collect(Part::All, None)
    }

    /// All legal moves from those of pawns to those of the king, in a fixed order for people and for the root.
    pub fn legal_moves_by_role(&self) -> MoveList {
        let mut moves = self.legal_moves();
        moves.sort_by_key(|m| m.role());
        moves
    }

    /// The captures and promotions to a queen among the legal moves.
    pub fn noisy_moves(&self) -> MoveList {
        self.collect(Part::Noisy, None)
    }

    /// The legal moves that are not noisy.
    pub fn quiet_moves(&self) -> MoveList {
        self.collect(Part::Quiet, None)
    }

    pub(super) fn collect(&self, part: Part, known: Option<Bitboard>) -> MoveList {
        let mut collector = Collector { position: self, moves: MoveList::new() };
        self.generate(part, known, &mut collector);
        collector.moves
    }

    /// The number of legal moves.
    pub fn count_moves(&self) -> usize {
        let mut counter = Counter(0);
        self.generate(Part::All, None, &mut counter);
        counter.0
    }

    /// Whether there is a legal move.
    pub fn has_legal_move(&self) -> bool {
        self.count_moves() > 0
    }

    /// Generates captures and queen promotions, for a caller that has what the side to move attacks (or more).
    #[inline(always)]
    pub(crate) fn noisy_into(&self, our_attacks: Bitboard, sink: &mut impl MoveSink) {
        self.generate(Part::Noisy, Some(our_attacks), sink);
    }

    /// Generates all moves but the noisy ones, for a caller that has what the side not to move attacks.
    #[inline(always)]
    pub(crate) fn quiets_into(&self, their_attacks: Bitboard, sink: &mut impl MoveSink) {
        self.generate(Part::Quiet, Some(their_attacks), sink);
    }

    /// An upper bound on the moves of a side with these men on any board, legal or not. It takes five queens or more
    /// to exceed [`MAX_MOVES`].
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

    /// Whether a side has more legal moves than a list holds, now or after a pass.
    pub(super) fn overfills_a_list(&self) -> bool {
        let may_have_too_many = |side| self.move_bound(side) > MAX_MOVES;
        if may_have_too_many(self.turn()) && self.count_moves() > MAX_MOVES {
            return true;
        }
        may_have_too_many(!self.turn()) && !self.in_check() && {
            let mut passed = *self;
            passed.play_null();
            passed.count_moves() > MAX_MOVES
        }
    }

    /// The move of a piece that is no pawn.
    #[inline(always)]
    pub(crate) fn piece_move(&self, role: Role, from: Square, to: Square) -> Move {
        match self.board().code_at(to).role_number() {
            0 => Move::quiet(role, from, to),
            victim => Move::capture_of(role, victim, from, to),
        }
    }

    /// Whether the king, which is not in check, may castle with this rook, which has the right.
    pub(super) fn may_castle(&self, king: Square, rook: Square, side: CastlingSide) -> bool {
        let board = self.board();
        let us = self.turn();
        let occupied = board.occupied();
        if (Castling::path(us, side, king, rook) & occupied).any() {
            return false;
        }
        let (king_to, rook_to) = (side.king_to(us), side.rook_to(us));
        let without_king = occupied ^ Bitboard::from(king);
        // On its target, the king may be attacked where the rook stood in between.
        let after = without_king ^ Bitboard::from(rook) ^ Bitboard::from(rook_to);
        board.attacks_to(king_to, !us, after).is_empty()
            && attacks::between(king, king_to).into_iter().all(|at| board.attacks_to(at, !us, without_king).is_empty())
    }

    /// Generates a part of the legal moves. If `known` is given, it holds for quiet moves all squares that the other
    /// side attacks, and for noisy ones at least those that the side to move attacks.
    ///
    /// The order is part of the search's behaviour: move ordering breaks ties by it.
    #[inline(always)]
    fn generate(&self, part: Part, known: Option<Bitboard>, sink: &mut impl MoveSink) {
        let board = self.board();
        let us = self.turn();
        let (ours, theirs) = (board.by_color(us), board.by_color(!us));
        let occupied = board.occupied();
        let Some(king) = board.king_of(us) else { return };
        let targets = match part {
            Part::Noisy => theirs & known.unwrap_or(Bitboard::FULL),
            Part::Quiet => !occupied,
            Part::All => !ours,
        };

        let mut reach = attacks::king_attacks(king) & targets;
        match known {
            // Out of check, no piece attacks through the king.
            Some(their_attacks) if part == Part::Quiet && self.checkers.is_empty() => reach &= !their_attacks,
            _ => {
                // The king is taken off the board: it cannot hide behind its own square.
                let without_king = occupied ^ Bitboard::from(king);
                for to in reach {
                    if board.attacks_to(to, !us, without_king).any() {
                        reach ^= Bitboard::from(to);
                    }
                }
            }
        }
        sink.reach_any(Role::King, king, reach);
        if self.checkers.more_than_one() {
            return;
        }

        // In check, a move must capture the checker or step in between.
        let allowed = match self.checkers.first() {
            Some(checker) => attacks::between(king, checker) | self.checkers,
            None => Bitboard::FULL,
        };
        let targets = targets & allowed;
        if targets.any() {
            // Role by role, because a loop over the roles would choose the attacks anew for every piece. A pinned
            // knight cannot move.
            for from in board.knights() & ours & !self.pinned {
                sink.reach_any(Role::Knight, from, attacks::knight_attacks(from) & targets);
            }
            let free = |from| if self.pinned.contains(from) { attacks::ray(king, from) } else { Bitboard::FULL };
            for from in board.bishops() & ours {
                sink.reach_any(Role::Bishop, from, attacks::bishop_attacks(from, occupied) & targets & free(from));
            }
            for from in board.rooks() & ours {
                sink.reach_any(Role::Rook, from, attacks::rook_attacks(from, occupied) & targets & free(from));
            }
            for from in board.queens() & ours {
                sink.reach_any(Role::Queen, from, attacks::queen_attacks(from, occupied) & targets & free(from));
            }
        }
        self.pawn_moves(part, king, allowed, sink);
        if part != Part::Noisy && self.checkers.is_empty() && !self.castling.is_empty() {
            for side in CastlingSide::ALL {
                if let Some(rook) = self.castling.rook(us, side)
                    && self.may_castle(king, rook, side)
                {
                    sink.push(Move::castle(king, rook));
                }
            }
        }
    }

    #[inline(always)]
    fn pawn_moves(&self, part: Part, king: Square, allowed: Bitboard, sink: &mut impl MoveSink) {
        let board = self.board();
        let us = self.turn();
        let pawns = self.our(Role::Pawn);
        let last = Bitboard::from_rank(us.fold_wb(Rank::Eighth, Rank::First));
        let third = Bitboard::from_rank(us.fold_wb(Rank::Third, Rank::Sixth));
        let forward = us.fold_wb(8, -8);
        let free = |from: Square, to| !self.pinned.contains(from) || attacks::ray(king, from).contains(to);
        // Legality is judged at the end of a step: a double step may pass squares that a single one must avoid.
        let steps = pawns.shift(forward) & !board.occupied();

        if part != Part::Quiet {
            let victims = board.by_color(!us) & allowed;
            for from in pawns & pawn_attacks(victims, !us) {
                for to in attacks::pawn_attacks(us, from) & victims {
                    if !free(from, to) {
                        continue;
                    }
                    let victim = board.code_at(to).role_number();
                    if last.contains(to) {
                        for role in [Role::Queen].into_iter().chain(UNDERPROMOTIONS) {
                            sink.push(Move::promotion_to(role, victim, from, to));
                        }
                    } else {
                        sink.push(Move::capture_of(Role::Pawn, victim, from, to));
                    }
                }
            }
            for to in steps & last & allowed {
                if let Some(from) = to.offset(-forward).filter(|&from| free(from, to)) {
                    sink.push(Move::promotion_to(Role::Queen, 0, from, to));
                }
            }
            if let Some(to) = self.en_passant_square() {
                for from in attacks::pawn_attacks(!us, to) & pawns {
                    if self.en_passant_is_legal(from, to) {
                        sink.push(Move::en_passant(from, to));
                    }
                }
            }
        }
        if part != Part::Noisy {
            let doubles = (steps & third).shift(forward) & !board.occupied() & allowed;
            for to in steps & allowed {
                let Some(from) = to.offset(-forward).filter(|&from| free(from, to)) else { continue };
                if last.contains(to) {
                    for role in UNDERPROMOTIONS {
                        sink.push(Move::promotion_to(role, 0, from, to));
                    }
                } else {
                    sink.advance(from, to);
                }
            }
            for to in doubles {
                if let Some(from) = to.offset(-2 * forward).filter(|&from| free(from, to)) {
                    sink.advance(from, to);
                }
            }
        }
    }
}
