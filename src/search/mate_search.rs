//! The mate search: is there a mate in at most `n` moves? Depth-first proof-number search (df-pn) answers it.
//!
//! A search that trusts its evaluation finds a mate late if it begins with sacrifices and quiet moves. The mate search
//! looks for mate alone, and first where the defender has the fewest replies. Two of them run, each with its own table:
//! one for mates by the side to move, one for mates against it. They store what they prove in the transposition table,
//! where the main search finds it. Because a mate search looks at every move, its refutation within a limit of moves is
//! as much a proof as its mate.
//!
//! It runs only in searches of one line without a clock, a depth or `searchmoves`, with a share of the nodes: a large
//! one in analysis and where the main search already sees a decisive score, a small one in games. On the clock, and in
//! the first thousands of nodes, every node goes to the main search.
//!
//! Source: Nagai's df-pn (2002), with the limit of plies as part of the goal.

use shakmaty::Move;

use super::Search;
use super::past::Past;
use super::root::Exact;
use crate::bound::Ibv;
use crate::position::{Game, PackedMove, Position};
use crate::score::Score;
use crate::tt::{Entry, TranspositionTable};

/// Nodes of the main search before the first mate search.
const START: u64 = 10_000;
/// The shares of a single thread's nodes, in percent, for mates by the side to move and for mates against it; the same
/// after `go mate`; and the same of one thread of several.
const SHARES: [u64; 2] = [30, 15];
const SHARES_ASKED_FOR: [u64; 2] = [50, 30];
const SHARES_BESIDE_OTHERS: [u64; 2] = [75, 20];
/// The same in a game, while no decisive score is in sight: a level position seldom hides a mate, and nodes are strength.
const SHARES_IN_GAMES: [u64; 2] = [2, 1];
/// The share of the nodes beyond [`LATER`], in percent, while no decisive score is known.
const SHARE_LATER: u64 = 3;
/// Nodes from which on the smaller share counts.
const LATER: u64 = 1_000_000;
/// The longest mate that is looked for, in moves.
const MOST_MOVES: usize = 8;
/// The node budget of the first goal. It doubles when every goal has had its turn.
const FIRST_BUDGET: u64 = 2_000;
/// Slots of the table of proof numbers.
const SLOTS: usize = 1 << 18;
/// Stands for a proof number when there is no proof, and for a disproof number when there is one.
const NEVER: u32 = 1 << 28;
/// The first proof number of a quiet move; that of a check is the number of its replies.
const QUIET_PROOF_NUMBER: u32 = 7;

/// Proof and disproof number: the least number of positions that must yet be settled for a mate, or against it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct ProofNumbers {
    prove: u32,
    refute: u32,
}

const PROVED: ProofNumbers = ProofNumbers { prove: 0, refute: NEVER };
const REFUTED: ProofNumbers = ProofNumbers { prove: NEVER, refute: 0 };

/// Who is to mate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aim {
    /// The side to move at the root.
    Mate,
    /// The other one.
    BeMated,
}

impl Aim {
    /// The plies to a mate in `moves` moves: an odd number if the root's side mates, an even one if it is mated.
    fn plies(self, moves: usize) -> usize {
        2 * moves - usize::from(self == Aim::Mate)
    }
}

/// The result for a goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// There is a mate. If the side to move at the root mates, this is its first move.
    Mate(Option<Move>),
    /// There is none within the limit.
    None,
    /// The budget ran out first.
    Open,
}

#[derive(Clone, Copy, Default)]
struct ProofSlot {
    key: u64,
    numbers: ProofNumbers,
}

/// The mate search of one root, from one run to the next.
pub(super) struct MateSearch {
    aim: Aim,
    slots: Box<[ProofSlot]>,
    /// The traps of the game, whose next occurrence is a draw.
    drawn: Vec<u64>,
    /// Whether a mate within `n` moves is refuted, by `n`.
    refuted: [bool; MOST_MOVES + 1],
    budget: u64,
    next: usize,
    /// Nodes spent.
    pub spent: u64,
}

/// A move and the proof numbers of the position after it.
struct Child {
    m: Move,
    numbers: ProofNumbers,
}

/// The goal of one run: mate within a limit of plies.
struct Goal<'a> {
    search: &'a mut MateSearch,
    /// The limit.
    limit: usize,
    /// Counts a node; returns whether the run must end.
    count: &'a mut dyn FnMut() -> bool,
    /// Called for every proved position, with the plies to the mate and, on the winner's turn, the move.
    on_proof: &'a mut dyn FnMut(&Position, usize, Option<Move>),
    over: bool,
}

impl MateSearch {
    /// A mate search of the last position of `game`.
    pub fn new(game: &Game, aim: Aim) -> MateSearch {
        MateSearch {
            aim,
            slots: vec![ProofSlot::default(); SLOTS].into_boxed_slice(),
            drawn: game.traps().map(Position::key).collect(),
            refuted: [false; MOST_MOVES + 1],
            budget: FIRST_BUDGET,
            next: 1,
            spent: 0,
        }
    }

    /// Looks for the mate within `moves` moves.
    pub fn ask(
        &mut self,
        root: &Position,
        moves: usize,
        count: &mut dyn FnMut() -> bool,
        on_proof: &mut dyn FnMut(&Position, usize, Option<Move>),
    ) -> Answer {
        let limit = self.aim.plies(moves);
        let mut first = None;
        let mut note = |position: &Position, plies: usize, m: Option<Move>| {
            if position.key() == root.key() && plies == limit {
                first = m;
            }
            on_proof(position, plies, m);
        };
        let mut goal = Goal { search: self, limit, count, on_proof: &mut note, over: false };
        match goal.settle(root, limit, NEVER, NEVER) {
            PROVED => Answer::Mate(first),
            REFUTED => Answer::None,
            _ => Answer::Open,
        }
    }

    fn slot(&mut self, position: &Position, plies: usize) -> (&mut ProofSlot, u64) {
        // Each limit is a goal of its own.
        let key = position.key() ^ (plies as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (&mut self.slots[(key >> 32) as usize % SLOTS], key)
    }

    fn recall(&mut self, position: &Position, plies: usize) -> Option<ProofNumbers> {
        let (slot, key) = self.slot(position, plies);
        (slot.key == key).then_some(slot.numbers)
    }

    fn remember(&mut self, position: &Position, plies: usize, numbers: ProofNumbers) {
        let (slot, key) = self.slot(position, plies);
        *slot = ProofSlot { key, numbers };
    }
}

impl Goal<'_> {
    /// Expands a position, with this many plies left, until one of its numbers reaches its threshold. The number of plies
    /// is odd where the winner is to move.
    fn settle(&mut self, position: &Position, plies: usize, prove: u32, refute: u32) -> ProofNumbers {
        self.over |= (self.count)();
        if self.over {
            return ProofNumbers { prove: 1, refute: 1 };
        }
        // The root may be among these: its next occurrence is a draw, but now it stands on the board.
        if plies < self.limit && self.search.drawn.contains(&position.key()) {
            return REFUTED;
        }
        let attacks = plies % 2 == 1;
        if plies == 1 {
            return self.mate_at_once(position);
        }
        let mut children = if attacks { self.attacks(position, plies) } else { self.defences(position, plies) };
        if children.is_empty() {
            return if !attacks && position.in_check() { PROVED } else { REFUTED };
        }
        loop {
            let numbers = sum(&children, attacks);
            if numbers.prove >= prove || numbers.refute >= refute || self.over {
                // The numbers of an aborted run do no harm in the table.
                self.search.remember(position, plies, numbers);
                if numbers == PROVED {
                    let winner = children.iter().find(|child| attacks && child.numbers == PROVED);
                    (self.on_proof)(position, plies, winner.map(|child| child.m));
                }
                return numbers;
            }
            let (best, second) = two_best(&children, attacks);
            let own = children[best].numbers;
            // A margin above the second best keeps two equal children from taking turns all the time (the 1 + epsilon
            // trick of Pawlewicz and Lew).
            let (prove, refute) = if attacks {
                (prove.min(second + second / 4 + 1), refute - (numbers.refute - own.refute).min(refute - 1))
            } else {
                (prove - (numbers.prove - own.prove).min(prove - 1), refute.min(second + second / 4 + 1))
            };
            let after = position.after(children[best].m);
            children[best].numbers =
                self.settle(&after, plies - 1, prove.max(own.prove + 1), refute.max(own.refute + 1));
        }
    }

    /// Whether a move mates on the board.
    fn mate_at_once(&mut self, position: &Position) -> ProofNumbers {
        for m in position.legal_moves() {
            if !position.gives_check(m) {
                continue;
            }
            self.over |= (self.count)();
            if !position.after(m).has_legal_move() {
                (self.on_proof)(position, 1, Some(m));
                return PROVED;
            }
        }
        REFUTED
    }

    /// The winner's moves.
    fn attacks(&mut self, position: &Position, plies: usize) -> Vec<Child> {
        let moves = position.legal_moves();
        let mut children = Vec::with_capacity(moves.len());
        for m in moves {
            let after = position.after(m);
            let numbers = match self.search.recall(&after, plies - 1) {
                Some(numbers) => numbers,
                None if after.in_check() => {
                    self.over |= (self.count)();
                    match after.legal_moves().len() as u32 {
                        0 => PROVED,
                        replies => ProofNumbers { prove: replies, refute: 1 },
                    }
                }
                None => ProofNumbers { prove: QUIET_PROOF_NUMBER, refute: 1 },
            };
            children.push(Child { m, numbers });
            if numbers == PROVED {
                break;
            }
        }
        children
    }

    /// The defender's moves.
    fn defences(&mut self, position: &Position, plies: usize) -> Vec<Child> {
        let unknown = ProofNumbers { prove: 1, refute: 1 };
        let moves = position.legal_moves();
        let mut children = Vec::with_capacity(moves.len());
        for m in moves {
            let numbers = self.search.recall(&position.after(m), plies - 1).unwrap_or(unknown);
            children.push(Child { m, numbers });
        }
        children
    }
}

/// A position's numbers from those of its children: one child proves for the winner, all must for the defender.
fn sum(children: &[Child], attacks: bool) -> ProofNumbers {
    let prove = children.iter().map(|child| child.numbers.prove);
    let refute = children.iter().map(|child| child.numbers.refute);
    let all = |numbers: &mut dyn Iterator<Item = u32>| numbers.fold(0, |sum: u32, n| (sum + n).min(NEVER));
    let one = |numbers: &mut dyn Iterator<Item = u32>| numbers.min().unwrap_or(NEVER);
    let (mut prove, mut refute) = (prove, refute);
    let numbers = if attacks {
        ProofNumbers { prove: one(&mut prove), refute: all(&mut refute) }
    } else {
        ProofNumbers { prove: all(&mut prove), refute: one(&mut refute) }
    };
    match numbers {
        ProofNumbers { prove: 0, .. } => PROVED,
        ProofNumbers { refute: 0, .. } => REFUTED,
        numbers => numbers,
    }
}

/// The most promising child, and the number of the next one.
fn two_best(children: &[Child], attacks: bool) -> (usize, u32) {
    let number = |child: &Child| if attacks { child.numbers.prove } else { child.numbers.refute };
    let (mut best, mut least, mut second) = (0, u32::MAX, NEVER);
    for (i, child) in children.iter().enumerate() {
        let n = number(child);
        if n < least {
            (best, second, least) = (i, least.min(NEVER), n);
        } else if n < second {
            second = n;
        }
    }
    (best, second)
}

impl<const PLAY: bool> Search<'_, PLAY> {
    /// Whether this search runs mate searches at all.
    fn may_search_mates(&self) -> bool {
        let limits = self.shared.limits;
        self.id == 0
            && self.rules().mate_search
            && self.multi_pv == 1
            && !limits.no_mate_search
            && !limits.is_timed()
            && limits.depth.is_none()
            && limits.search_moves.is_empty()
            && usize::from(self.game.position().clock()) + 2 * self.most_moves() <= 100
    }

    /// The longest mate that this search looks for, in moves.
    fn most_moves(&self) -> usize {
        self.shared.limits.mate.map_or(MOST_MOVES, |moves| MOST_MOVES.min(moves as usize))
    }

    /// Spends both mate searches' shares of the nodes so far.
    ///
    /// A mate by the side to move goes to the front of the root moves; returns whether it is shorter than the one known. A
    /// mate against it goes to the TT alone, where the next iteration finds it for every move.
    pub(super) fn search_mates(&mut self) -> bool {
        if !self.may_search_mates() || self.nodes < START {
            return false;
        }
        let known = self.roots.0[0].score().filter(|score| score.is_decisive());
        // Who wins is not mated; but `go mate` wants every mate found or refuted, and a win without a mate refutes none.
        let settles = |score: Score| score.is_mate() || self.shared.limits.mate.is_none();
        let wins = known.is_some_and(|score| score.is_win() && settles(score));
        let loses = known.is_some_and(|score| score.is_loss() && settles(score));
        let found = if loses { None } else { self.search_mate(Aim::Mate, known) };
        if found.is_none() && !wins {
            self.search_mate(Aim::BeMated, known);
        }
        let (m, moves) = match found {
            Some((Some(m), moves)) => (m, moves),
            _ => return false,
        };
        let Some(index) = self.roots.0.iter().position(|root| root.m == m) else { return false };
        let mut root = self.roots.0.remove(index);
        let score = Score::mate_in(2 * moves - 1);
        (root.value, root.last_exact) = (Ibv::exact(score), Some(Exact { depth: self.depth, score }));
        root.pv = vec![PackedMove::new(root.m)];
        self.roots.0.insert(0, root);
        true
    }

    /// Whether it is proved that neither side can force mate in at most this many moves. `known` is the best score: a side
    /// that is going to be mated, however late, forces no mate itself.
    pub(super) fn is_mate_refuted(&self, moves: u32, known: Score) -> bool {
        let known = known.mate_moves().unwrap_or(0);
        let refuted = |aim: Aim| {
            let search = self.mate_searches[aim as usize].as_deref();
            search.and_then(|search| search.refuted.get(moves as usize)).is_some_and(|&refuted| refuted)
        };
        (known < 0 || refuted(Aim::Mate)) && (known > 0 || refuted(Aim::BeMated))
    }

    /// Continues one mate search below the length of the mate that is known. Returns the first move of the shortest mate
    /// found, and its number of moves.
    fn search_mate(&mut self, aim: Aim, known: Option<Score>) -> Option<(Option<Move>, usize)> {
        let moves = known.and_then(Score::mate_moves).map(|moves| moves.unsigned_abs() as usize);
        let most = moves.map_or(MOST_MOVES, |known| known.saturating_sub(1)).min(self.most_moves());
        let slot = aim as usize;
        let mut search = self.mate_searches[slot].take().unwrap_or_else(|| Box::new(MateSearch::new(self.game, aim)));
        let found = self.search_mate_within(&mut search, most, known.is_some());
        self.mate_searches[slot] = Some(search);
        found
    }

    /// Looks for mates within one move, two moves, and so on to `most`, in rounds with growing budgets. `decisive` says
    /// that a score like that is known.
    fn search_mate_within(
        &mut self,
        search: &mut MateSearch,
        most: usize,
        decisive: bool,
    ) -> Option<(Option<Move>, usize)> {
        let position = self.game.position();
        let (table, past, depth): (&TranspositionTable, Past, i32) = (self.shared.tt, self.past, self.depth);
        let mut found = None;
        let mut most = most;
        let keen = self.shared.analysis || decisive;
        let shares = match self.shared.counters.len() {
            _ if !keen => SHARES_IN_GAMES,
            1 if self.shared.limits.mate.is_some() => SHARES_ASKED_FOR,
            1 => SHARES,
            _ => SHARES_BESIDE_OTHERS,
        };
        let (aim, share) = (search.aim, shares[search.aim as usize]);
        let later = if decisive { share } else { share.min(SHARE_LATER) };
        let allowed = |nodes: u64| (nodes.min(LATER) * share + nodes.saturating_sub(LATER) * later) / 100;
        while search.refuted[..=most].iter().skip(1).any(|refuted| !refuted) {
            // A goal may use its whole budget; in a game it waits until the share has room for that.
            let cost = if keen { 1 } else { search.budget };
            if search.spent + cost > allowed(self.nodes) {
                break;
            }
            let moves = search.next;
            search.next += 1;
            if moves > most {
                search.next = 1;
                search.budget *= 2;
                continue;
            }
            if search.refuted[moves] {
                continue;
            }
            let mut left = search.budget;
            let mut spent = 0;
            let answer = search.ask(
                position,
                moves,
                &mut || {
                    spent += 1;
                    left = left.saturating_sub(1);
                    left == 0 || self.enter_node()
                },
                &mut |position, plies, m| {
                    // A proof holds at any depth; a deep one stays in the table.
                    let value = if plies % 2 == 1 {
                        Ibv::lower(Score::mate_in(plies))
                    } else {
                        Ibv::upper(Score::mated_in(plies))
                    };
                    let best = m.map(PackedMove::new);
                    let depth = (depth + 2).min(Entry::MAX_DEPTH);
                    let entry = Entry { value, best, depth, pv: false, eval: None, tb_entry: false };
                    table.store(past.key(position, aim.plies(moves) - plies), entry);
                },
            );
            search.spent += spent;
            match answer {
                Answer::Mate(m) => {
                    found = Some((m, moves));
                    most = moves - 1;
                }
                Answer::None => search.refuted[moves] = true,
                Answer::Open => (),
            }
            if self.shared.stop.load(std::sync::atomic::Ordering::Relaxed) {
                break;
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::CastlingMode;

    use super::*;

    /// Looks for a mate within `moves` moves, without a node limit.
    fn answer(fen: &str, aim: Aim, moves: usize) -> Answer {
        let game = Game::new(Position::from_fen(fen, CastlingMode::Standard).expect("a position"));
        MateSearch::new(&game, aim).ask(game.position(), moves, &mut || false, &mut |_, _, _| ())
    }

    #[test]
    fn mates_for_and_against_the_side_to_move_are_exact() {
        // Black must go to h7, and is mated on g7.
        let lost = "7k/8/5K2/6Q1/8/8/8/8 b - - 0 1";
        assert_eq!(answer(lost, Aim::BeMated, 1), Answer::Mate(None));
        assert_eq!(answer(lost, Aim::Mate, 2), Answer::None);
        // A move earlier.
        let won = "7k/8/5K2/Q7/8/8/8/8 w - - 0 1";
        assert_eq!(answer(won, Aim::Mate, 1), Answer::None);
        assert!(matches!(answer(won, Aim::Mate, 2), Answer::Mate(Some(_))));
        assert_eq!(answer(won, Aim::BeMated, 2), Answer::None);
    }

    /// A root that has occurred before may not occur again, but it may be won at once.
    #[test]
    fn a_root_that_has_occurred_before_has_its_mate() {
        let start = Position::from_fen("7k/8/5K2/Q7/8/8/8/8 w - - 0 1", CastlingMode::Standard).expect("a position");
        let mut game = Game::new(start);
        for text in ["a5a4", "h8g8", "a4a5", "g8h8"] {
            let m = game.position().parse_move(text).expect("legal");
            game.play(m);
        }
        assert_eq!(game.occurrences(), 1);
        let answer =
            |aim, moves| MateSearch::new(&game, aim).ask(game.position(), moves, &mut || false, &mut |_, _, _| ());
        assert!(matches!(answer(Aim::Mate, 2), Answer::Mate(Some(_))));
        assert_eq!(answer(Aim::Mate, 1), Answer::None);
        let m = game.position().parse_move("a5g5").expect("legal");
        game.play(m);
        for text in ["h8h7", "g5f5", "h7h8", "f5g5"] {
            let m = game.position().parse_move(text).expect("legal");
            game.play(m);
        }
        assert_eq!(game.occurrences(), 1);
        let mated = MateSearch::new(&game, Aim::BeMated).ask(game.position(), 1, &mut || false, &mut |_, _, _| ());
        assert_eq!(mated, Answer::Mate(None));
    }
}
