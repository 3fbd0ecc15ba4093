//! The model of a game: what its starting position, moves, scores and result are likely to be.
//!
//! A move is coded by its rank among the legal ones, in the order of the chances that the games before give them. A
//! score is coded as a difference from the one before it. Every rule here is a part of the format: a change of any
//! makes old files unreadable, and so needs another [`MAGIC`](super::MAGIC).

use shakmaty::{Bitboard, Chess, Move, Piece, Position as _, Square, attacks};

use super::bits::{Coder, Expectation, Predictor, odds_of};
use crate::games::{
    GameRecord, GameResult, HEADER_SIZE, MAX_STEPS, ReadError, Step, decode_header, encode_header, malformed,
};

/// Codes games one after the other, and learns from each.
pub struct Model {
    occupied: Predictor<2>,
    men: Predictor<2>,
    details: Predictor<2>,
    end: Predictor<2>,
    result: Predictor<1>,
    is_scored: Predictor<2>,
    score: Predictor<2>,
    order: Predictor<3>,
    rank: Predictor<3>,
}

/// The nodes of a number, see [`Model::number`].
const NODES: usize = 112;
/// The steps of a size, see [`steps_of`].
const SIZES: usize = 24;
/// A kind of man on a square.
const PLACES: usize = 6 * 64;
/// The bytes of a header that are no men.
const DETAILS: std::ops::Range<usize> = 24..HEADER_SIZE;

impl Model {
    /// A model that has seen no game.
    pub fn new() -> Model {
        let even = 1 << 15;
        Model {
            occupied: Predictor::new([64 * 8, 64 * 8], 1, even, 255),
            men: Predictor::new([64 * 16, 17 * 8 * 16], 1, even, 255),
            details: Predictor::new([DETAILS.len() << 8, DETAILS.len() << 16], 1, even, 255),
            end: Predictor::new([SIZES * SIZES, SIZES * 8], 1, 1 << 10, 255),
            result: Predictor::new([2 * 3 * 4], 1, even, 60),
            is_scored: Predictor::new([4, 256], 1, even, 255),
            score: Predictor::new([SIZES * 8 * NODES, SIZES * SIZES * 2 * NODES], NODES, even, 1000),
            order: Predictor::new([PLACES * 64, CLASSES, 4 * 2 * 2 * PLACES], 16, 2000, 250),
            rank: Predictor::new([64, 64 * 8, 64], 8, even, 250),
        }
    }

    /// Codes a game: writes `game`, or reads one if there is none to write.
    ///
    /// # Errors
    ///
    /// What is read is not a game.
    pub fn game(&mut self, coder: &mut impl Coder, game: Option<&GameRecord>) -> Result<GameRecord, ReadError> {
        let start = self.start(coder, game.map(|game| &game.start))?;
        let mut past = Past::new(start.clone());
        let mut steps = Vec::with_capacity(game.map_or(128, |game| game.steps.len()));
        loop {
            let step = game.and_then(|game| game.steps.get(steps.len()));
            if !self.goes_on(coder, &past, step.is_some()) {
                break;
            }
            if steps.len() == MAX_STEPS {
                return malformed(format!("a game of more than {MAX_STEPS} plies"));
            }
            let score = self.score(coder, &mut past, step.map(|step| step.score));
            let Some(chosen) = self.chosen(coder, &past, step.map(|step| step.chosen)) else {
                return malformed("a move after the end of a game");
            };
            steps.push(Step { chosen, score });
            past.play(chosen);
        }
        let result = self.result(coder, &past, game.map(|game| game.result));
        Ok(GameRecord { start, steps, result })
    }

    /// The starting position, by viriformat's header.
    fn start(&mut self, coder: &mut impl Coder, start: Option<&Chess>) -> Result<Chess, ReadError> {
        let given = start.map_or([0; HEADER_SIZE], encode_header);
        let mut bytes = [0; HEADER_SIZE];
        let mut occupied = [false; 64];
        for square in 0..64 {
            // Pawns stand where the squares of their file do not.
            let below = |by: usize| usize::from(square >= by && occupied[square - by]);
            let left = if square % 8 > 0 { below(1) } else { 2 };
            let bit = given[square / 8] >> (square % 8) & 1 != 0;
            let contexts = [square * 8 + below(8) + 2 * below(16) + 4 * below(24), square * 8 + left * 2 + below(8)];
            occupied[square] = self.occupied.code(coder, bit, 0, contexts);
            bytes[square / 8] |= u8::from(occupied[square]) << (square % 8);
        }
        let mut white = 0;
        for (index, square) in (0..64).filter(|&square| occupied[square]).take(32).enumerate() {
            let (byte, shift) = (8 + index / 2, index % 2 * 4);
            let mut node = 1;
            for bit in (0..4).rev() {
                let contexts = [square * 16 + node, (white * 8 + square / 8) * 16 + node];
                let bit = self.men.code(coder, given[byte] >> (shift + bit) & 1 != 0, 0, contexts);
                node = 2 * node + usize::from(bit);
            }
            bytes[byte] |= (node as u8 & 15) << shift;
            white = (white + usize::from(node & 8 == 0)).min(16);
        }
        for (index, byte) in DETAILS.enumerate() {
            let mut node = 1;
            for bit in (0..8).rev() {
                let contexts = [index << 8 | node, (index << 8 | usize::from(bytes[DETAILS.start])) << 8 | node];
                let bit = self.details.code(coder, given[byte] >> bit & 1 != 0, 0, contexts);
                node = 2 * node + usize::from(bit);
            }
            bytes[byte] = node as u8;
        }
        decode_header(&bytes).map(|(chess, _)| chess)
    }

    /// Whether another move follows.
    fn goes_on(&mut self, coder: &mut impl Coder, past: &Past, more: bool) -> bool {
        let [last, before] = past.scores.map(size_of);
        !self.end.code(coder, !more, 0, [last * SIZES + before, last * 8 + past.clock()])
    }

    fn result(&mut self, coder: &mut impl Coder, past: &Past, result: Option<GameResult>) -> GameResult {
        let ahead = (past.scores[0].signum() + 1) as usize;
        let mut is = |question: usize, wanted| {
            let context = (question * 3 + ahead) * 4 + past.clock().min(3);
            self.result.code(coder, result == Some(wanted), 0, [context])
        };
        if is(0, GameResult::Draw) {
            GameResult::Draw
        } else if is(1, GameResult::WhiteWins) {
            GameResult::WhiteWins
        } else {
            GameResult::BlackWins
        }
    }

    /// The score of the position, or none.
    fn score(&mut self, coder: &mut impl Coder, past: &mut Past, score: Option<i16>) -> i16 {
        let contexts = [(past.unscored & 15).trailing_ones().min(3) as usize, past.unscored & 255];
        let is_scored = self.is_scored.code(coder, score != Some(Step::NO_SCORE), 0, contexts);
        past.unscored = past.unscored << 1 | usize::from(!is_scored);
        if !is_scored {
            return Step::NO_SCORE;
        }
        let last = past.scores[0];
        let sign = past.chess.turn().fold_wb(1, -1);
        let (activity, ahead) = (past.activity(), usize::from(sign * last > 0));
        let contexts = [activity * 8 + past.kind, (activity * SIZES + size_of(last)) * 2 + ahead];
        let difference = self.number(coder, score.map_or(0, |score| sign * (i32::from(score) - last)), contexts);
        // Only what no encoder wrote leaves the range; it is then another score, and as good.
        let score = (last + sign * difference) as i16;
        past.scores = [i32::from(score), last];
        past.differences = [difference, past.differences[0], past.differences[1]];
        score
    }

    /// A number, by nodes: whether it is zero, its sign, its length in bits, and its bits.
    fn number(&mut self, coder: &mut impl Coder, number: i32, contexts: [usize; 2]) -> i32 {
        let mut is =
            |node: usize, bit| self.score.code(coder, bit, node, contexts.map(|context| context * NODES + node));
        if is(0, number == 0) {
            return 0;
        }
        let negative = is(1, number < 0);
        let size = number.unsigned_abs();
        let mut length = 0;
        while length < 16 && is(2 + length, size >> (length + 1) != 0) {
            length += 1;
        }
        let mut value = 1u32;
        for place in (0..length).rev() {
            let node = match length - place {
                1 => 20 + 4 * length,
                2 => 21 + 4 * length + (value & 1) as usize,
                _ => 90 + place,
            };
            value = value << 1 | u32::from(is(node, size >> place & 1 != 0));
        }
        if negative { -(value as i32) } else { value as i32 }
    }

    /// A legal move, by its rank; none if there is no legal move.
    fn chosen(&mut self, coder: &mut impl Coder, past: &Past, chosen: Option<Move>) -> Option<Move> {
        let view = View::new(past);
        let expect = |m: Move| (m, self.order.expect(view.set, view.contexts(&past.chess, m)));
        let mut candidates: Vec<(Move, Expectation<3>)> = past.chess.legal_moves().iter().map(|&m| expect(m)).collect();
        // The order of the library's list is not a part of the format.
        candidates.sort_by_key(|(m, expected)| (-expected.chance, m.from(), m.to(), m.promotion()));
        let last = candidates.len().checked_sub(1)?;
        let steps = |rank: usize| (odds_of(candidates[rank].1.chance) + 2048) as usize >> 6;
        let mut rank = 0;
        while rank < last {
            let odds = steps(rank);
            let lead = odds.saturating_sub(steps(rank + 1)).min(7);
            let contexts = [odds, rank.min(63) * 8 + lead, (last - rank).min(63)];
            if self.rank.code(coder, chosen == Some(candidates[rank].0), rank.min(7), contexts) {
                break;
            }
            rank += 1;
        }
        for (index, (_, expected)) in candidates.iter().enumerate() {
            self.order.learn(expected, index == rank);
        }
        Some(candidates[rank].0)
    }
}

/// A game so far.
struct Past {
    chess: Chess,
    /// The last two scores, White's view, the newest first.
    scores: [i32; 2],
    /// Whether the last plies had no score, the newest in the lowest bit.
    unscored: usize,
    /// The last differences of scores, the view of who was to move, the newest first.
    differences: [i32; 3],
    /// The square of the last move.
    square: Option<Square>,
    /// The kind of the last move: 0 if quiet, the role that it took, 7 for a promotion.
    kind: usize,
}

impl Past {
    fn new(chess: Chess) -> Past {
        Past { chess, scores: [0; 2], unscored: 0, differences: [16; 3], square: None, kind: 0 }
    }

    fn play(&mut self, chosen: Move) {
        let taken = chosen.capture().map_or(0, usize::from);
        self.kind = if chosen.is_promotion() { 7 } else { taken };
        self.square = Some(chosen.to());
        self.chess.play_unchecked(chosen);
    }

    /// How much scores have moved, in [`SIZES`] steps.
    fn activity(&self) -> usize {
        let [last, before, earlier] = self.differences.map(i32::unsigned_abs);
        steps_of((2 * last + before + earlier) / 2)
    }

    /// The clock of the 50-move rule, in 8 steps.
    fn clock(&self) -> usize {
        [1, 4, 8, 20, 50, 99, 100].partition_point(|&least| least <= self.chess.halfmoves())
    }
}

fn size_of(score: i32) -> usize {
    steps_of(score.unsigned_abs())
}

/// Two steps for each doubling, up to [`SIZES`].
fn steps_of(number: u32) -> usize {
    let steps = match number.checked_ilog2() {
        None => 0,
        Some(0) => 1,
        Some(length) => 2 * length + (number >> (length - 1) & 1),
    };
    (steps as usize).min(SIZES - 1)
}

/// What the moves of a position are judged by.
struct View {
    /// Squares that the opponent attacks: at all, and with a pawn.
    attacked: Bitboard,
    by_pawns: Bitboard,
    /// Squares that the side to move attacks.
    defended: Bitboard,
    /// The opponent's king.
    king: Option<Square>,
    /// The square of the last move.
    last: Option<Square>,
    /// Men on the board in 4 steps, and whether the king is in check.
    phase: usize,
    /// The weights to use.
    set: usize,
}

/// Kinds of moves: by man or promotion, man taken, safety of both squares, recapture and check.
const CLASSES: usize = 10 * 7 * 3 * 4 * 2 * 2;

impl View {
    fn new(past: &Past) -> View {
        let (board, turn) = (past.chess.board(), past.chess.turn());
        let attacks_of = |men: Bitboard| {
            men.into_iter().map(|man| board.attacks_from(man)).fold(Bitboard::EMPTY, |all, of| all | of)
        };
        let theirs = board.by_color(!turn);
        let (men, check) = (board.occupied().count().saturating_sub(1) / 4, usize::from(past.chess.is_check()));
        View {
            attacked: attacks_of(theirs),
            by_pawns: attacks_of(theirs & board.pawns()),
            defended: attacks_of(board.by_color(turn)),
            king: board.king_of(!turn),
            last: past.square,
            phase: men / 2 * 2 + check,
            set: men * 2 + check,
        }
    }

    fn contexts(&self, chess: &Chess, m: Move) -> [usize; 3] {
        let (turn, role, to) = (chess.turn(), m.role(), m.to());
        // A castling move comes from its king.
        let from = m.from().unwrap_or(to);
        let own = |square: Square| usize::from(turn.fold_wb(square, square.flip_vertical()));
        let place = (usize::from(role) - 1) * 64 + own(to);
        let taken = m.capture().map_or(0, usize::from);
        let man = m.promotion().map_or(usize::from(role) - 1, |role| 4 + usize::from(role));
        let leaves = match () {
            () if !self.attacked.contains(from) => 0,
            () if self.by_pawns.contains(from) || !self.defended.contains(from) => 2,
            () => 1,
        };
        let arrives = match () {
            () if self.by_pawns.contains(to) => 3,
            () if !self.attacked.contains(to) => 0,
            () if self.defended.contains(to) => 1,
            () => 2,
        };
        let recaptures = taken > 0 && self.last == Some(to);
        let piece = Piece { color: turn, role: m.promotion().unwrap_or(role) };
        let reach = attacks::attacks(to, piece, chess.board().occupied().without(from));
        let checks = self.king.is_some_and(|king| reach.contains(king));
        let [captures, recaptures, checks] = [taken > 0, recaptures, checks].map(usize::from);
        let class = ((((man * 7 + taken) * 3 + leaves) * 4 + arrives) * 2 + recaptures) * 2 + checks;
        [(usize::from(role) - 1) * 4096 + own(from) * 64 + own(to), class, (self.phase * 2 + captures) * PLACES + place]
    }
}
