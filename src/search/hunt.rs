//! The hunt for mates: is there a mate in at most `n` moves? Proof numbers lead the way where an evaluation misleads.
//!
//! A search that trusts its evaluation finds a mate late that begins with sacrifices and quiet moves. The hunt asks for
//! mate and for nothing else, by depth-first proof-number search, and goes first where the defender has the fewest
//! replies. Two hunts ask two questions, each with a memory of its own: does the side to move mate, and is it mated?
//! What they prove they write to the table, so that the search finds its way; and as they look at every move, a
//! refutation within a limit of moves is as much a proof as a mate.
//!
//! Only searches without a clock hunt, with a share of their nodes: a large one in analysis and where the search already
//! sees a decisive score, a small one in games. On the clock, and in the first thousands of nodes, every node goes to the
//! search.
//!
//! Source: Nagai's df-pn (2002), with a limit of plies as part of what is asked.

use shakmaty::Move;

use super::Search;
use super::past::Past;
use crate::bound::Ibv;
use crate::position::{Game, PackedMove, Position};
use crate::score::Score;
use crate::tt::{Entry, Table};

/// No hunt before the search has spent so many nodes.
const START: u64 = 10_000;
/// The share of a lone thread's nodes, in percent, that goes to the hunt for mates by the side to move, and to that for
/// mates against it; the same of a thread beside which others go on searching.
const SHARES: [u64; 2] = [50, 30];
const SHARES_BESIDE_OTHERS: [u64; 2] = [75, 20];
/// The same in a game, while no decisive score is in sight: a level position seldom hides a mate, and nodes are strength.
const SHARES_IN_GAMES: [u64; 2] = [2, 1];
/// The share of each of the nodes that follow these, while no mate is known.
const SHARE_LATER: u64 = 3;
const LATER: u64 = 1_000_000;
/// Most moves to a mate that is asked for.
const MOST_MOVES: usize = 8;
/// What the first question of a hunt may cost; doubled when all questions have been asked.
const FIRST_BUDGET: u64 = 2_000;
/// Slots of the hunt's own memory.
const SLOTS: usize = 1 << 18;
/// Stands for a proof number when there is no proof, and for a disproof number when there is one.
const NEVER: u32 = 1 << 28;
/// The effort that a quiet move is expected to cost; a check costs as many replies as it leaves.
const QUIET_EFFORT: u32 = 7;

/// Proof and disproof number: the least number of positions that must yet be settled for a mate, or against it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Effort {
    prove: u32,
    refute: u32,
}

const PROVED: Effort = Effort { prove: 0, refute: NEVER };
const REFUTED: Effort = Effort { prove: NEVER, refute: 0 };

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

/// What a question has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// There is a mate; by the side to move, it begins with this move.
    Mate(Option<Move>),
    /// There is none within the limit.
    None,
    /// The budget was spent before.
    Open,
}

#[derive(Clone, Copy, Default)]
struct Slot {
    key: u64,
    effort: Effort,
}

/// What is known from hunt to hunt of one root.
pub(super) struct Hunt {
    aim: Aim,
    slots: Box<[Slot]>,
    /// Positions that have occurred twice in the game: a third time is a draw.
    drawn: Vec<u64>,
    /// By moves: whether a mate within so many is refuted.
    refuted: [bool; MOST_MOVES + 1],
    budget: u64,
    next: usize,
    /// Nodes spent.
    pub spent: u64,
}

/// A move and what is thought of the position after it.
struct Child {
    m: Move,
    effort: Effort,
}

/// One question, under way.
struct Question<'a> {
    hunt: &'a mut Hunt,
    /// Counts a node; true says that the hunt must end.
    count: &'a mut dyn FnMut() -> bool,
    /// Hears of every position that is proved: plies to the mate and the move there, if it is the winner's turn.
    proved: &'a mut dyn FnMut(&Position, usize, Option<Move>),
    over: bool,
}

impl Hunt {
    /// Nothing is known of the last position of `game`.
    pub fn new(game: &Game, aim: Aim) -> Hunt {
        Hunt {
            aim,
            slots: vec![Slot::default(); SLOTS].into_boxed_slice(),
            drawn: game.traps().map(Position::key).collect(),
            refuted: [false; MOST_MOVES + 1],
            budget: FIRST_BUDGET,
            next: 1,
            spent: 0,
        }
    }

    /// Whether the mate that is aimed at comes within `moves` moves.
    pub fn ask(
        &mut self,
        root: &Position,
        moves: usize,
        count: &mut dyn FnMut() -> bool,
        proved: &mut dyn FnMut(&Position, usize, Option<Move>),
    ) -> Answer {
        let limit = self.aim.plies(moves);
        let mut first = None;
        let mut note = |position: &Position, plies: usize, m: Option<Move>| {
            if position.key() == root.key() && plies == limit {
                first = m;
            }
            proved(position, plies, m);
        };
        let mut question = Question { hunt: self, count, proved: &mut note, over: false };
        match question.settle(root, limit, NEVER, NEVER) {
            PROVED => Answer::Mate(first),
            REFUTED => Answer::None,
            _ => Answer::Open,
        }
    }

    fn slot(&mut self, position: &Position, plies: usize) -> (&mut Slot, u64) {
        // Another limit is another question.
        let key = position.key() ^ (plies as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (&mut self.slots[(key >> 32) as usize % SLOTS], key)
    }

    fn recall(&mut self, position: &Position, plies: usize) -> Option<Effort> {
        let (slot, key) = self.slot(position, plies);
        (slot.key == key).then_some(slot.effort)
    }

    fn remember(&mut self, position: &Position, plies: usize, effort: Effort) {
        let (slot, key) = self.slot(position, plies);
        *slot = Slot { key, effort };
    }
}

impl Question<'_> {
    /// Looks into a position with this many plies left until its numbers reach a threshold. An odd number of plies is
    /// left where the winner is to move.
    fn settle(&mut self, position: &Position, plies: usize, prove: u32, refute: u32) -> Effort {
        self.over |= (self.count)();
        if self.over {
            return Effort { prove: 1, refute: 1 };
        }
        if self.hunt.drawn.contains(&position.key()) {
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
            let effort = sum(&children, attacks);
            if effort.prove >= prove || effort.refute >= refute || self.over {
                // What an aborted look has seen is not worth remembering, but does no harm.
                self.hunt.remember(position, plies, effort);
                if effort == PROVED {
                    let winner = children.iter().find(|child| attacks && child.effort == PROVED);
                    (self.proved)(position, plies, winner.map(|child| child.m));
                }
                return effort;
            }
            let (best, second) = two_best(&children, attacks);
            let own = children[best].effort;
            // A little more than the second best, so that two of a kind do not take turns all the time.
            let (prove, refute) = if attacks {
                (prove.min(second + second / 4 + 1), refute - (effort.refute - own.refute).min(refute - 1))
            } else {
                (prove - (effort.prove - own.prove).min(prove - 1), refute.min(second + second / 4 + 1))
            };
            let mut after = position.clone();
            after.play(children[best].m);
            children[best].effort =
                self.settle(&after, plies - 1, prove.max(own.prove + 1), refute.max(own.refute + 1));
        }
    }

    /// Whether a move mates on the board.
    fn mate_at_once(&mut self, position: &Position) -> Effort {
        for m in position.legal_moves() {
            if !position.gives_check(m) {
                continue;
            }
            self.over |= (self.count)();
            let mut after = position.clone();
            after.play(m);
            if !after.has_legal_move() {
                (self.proved)(position, 1, Some(m));
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
            let mut after = position.clone();
            after.play(m);
            let effort = match self.hunt.recall(&after, plies - 1) {
                Some(effort) => effort,
                None if after.in_check() => {
                    self.over |= (self.count)();
                    match after.legal_moves().len() as u32 {
                        0 => PROVED,
                        replies => Effort { prove: replies, refute: 1 },
                    }
                }
                None => Effort { prove: QUIET_EFFORT, refute: 1 },
            };
            children.push(Child { m, effort });
            if effort == PROVED {
                break;
            }
        }
        children
    }

    /// The defender's moves.
    fn defences(&mut self, position: &Position, plies: usize) -> Vec<Child> {
        let unknown = Effort { prove: 1, refute: 1 };
        let moves = position.legal_moves();
        let mut children = Vec::with_capacity(moves.len());
        for m in moves {
            let mut after = position.clone();
            after.play(m);
            children.push(Child { m, effort: self.hunt.recall(&after, plies - 1).unwrap_or(unknown) });
        }
        children
    }
}

/// A position's numbers from those of its children: one child proves for the winner, all must for the defender.
fn sum(children: &[Child], attacks: bool) -> Effort {
    let prove = children.iter().map(|child| child.effort.prove);
    let refute = children.iter().map(|child| child.effort.refute);
    let all = |numbers: &mut dyn Iterator<Item = u32>| numbers.fold(0, |sum: u32, n| (sum + n).min(NEVER));
    let one = |numbers: &mut dyn Iterator<Item = u32>| numbers.min().unwrap_or(NEVER);
    let (mut prove, mut refute) = (prove, refute);
    let effort = if attacks {
        Effort { prove: one(&mut prove), refute: all(&mut refute) }
    } else {
        Effort { prove: all(&mut prove), refute: one(&mut refute) }
    };
    match effort {
        Effort { prove: 0, .. } => PROVED,
        Effort { refute: 0, .. } => REFUTED,
        effort => effort,
    }
}

/// The child to look into, and the number of the next best.
fn two_best(children: &[Child], attacks: bool) -> (usize, u32) {
    let number = |child: &Child| if attacks { child.effort.prove } else { child.effort.refute };
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
    /// Whether this search hunts for mates at all.
    fn may_hunt(&self, lines: usize) -> bool {
        let limits = self.shared.limits;
        let timed = limits.movetime.is_some() || limits.clock.iter().any(Option::is_some);
        self.id == 0
            && self.rules().hunts
            && lines == 1
            && !timed
            && limits.soft_nodes.is_none()
            && limits.depth.is_none()
            && limits.search_moves.is_empty()
            && usize::from(self.game.position().clock()) + 2 * MOST_MOVES <= 100
    }

    /// Spends both hunts' shares of the nodes so far. A mate by the side to move goes to the front of the root's moves;
    /// returns whether it was a shorter one than the search knew. A mate against it goes to the table alone, where the
    /// next iteration finds it for every move.
    pub(super) fn hunt(&mut self, lines: usize) -> bool {
        if !self.may_hunt(lines) || self.nodes < START {
            return false;
        }
        let known = self.roots.0[0].proved.map(|(_, score)| score).filter(|score| score.is_decisive());
        let found = if known.is_some_and(Score::is_loss) { None } else { self.hunt_for(Aim::Mate, known) };
        if found.is_none() && known.is_none_or(Score::is_loss) {
            self.hunt_for(Aim::BeMated, known);
        }
        let (m, moves) = match found {
            Some((Some(m), moves)) => (m, moves),
            _ => return false,
        };
        let Some(index) = self.roots.0.iter().position(|root| root.m == m) else { return false };
        let mut root = self.roots.0.remove(index);
        let score = Score::mate_in(2 * moves - 1);
        (root.value, root.proved) = (Ibv::exact(score), Some((self.depth, score)));
        root.line = vec![PackedMove::new(root.m)];
        self.roots.0.insert(0, root);
        true
    }

    /// Goes on with one of the hunts, for a nearer mate than the one that is known; the first move and the moves of the
    /// nearest mate that it has found.
    fn hunt_for(&mut self, aim: Aim, known: Option<Score>) -> Option<(Option<Move>, usize)> {
        let moves = known.and_then(Score::mate_moves).map(|moves| moves.unsigned_abs() as usize);
        let asked_for = self.shared.limits.mate.map_or(MOST_MOVES, |moves| moves as usize);
        let most = moves.map_or(MOST_MOVES, |known| known.saturating_sub(1)).min(MOST_MOVES).min(asked_for);
        let slot = aim as usize;
        let mut hunt = self.hunts[slot].take().unwrap_or_else(|| Box::new(Hunt::new(self.game, aim)));
        let found = self.hunt_within(&mut hunt, most, known.is_some());
        self.hunts[slot] = Some(hunt);
        found
    }

    /// Asks for mates within one move, two moves, and so on to `most`, again and again with more nodes.
    fn hunt_within(&mut self, hunt: &mut Hunt, most: usize, mate: bool) -> Option<(Option<Move>, usize)> {
        let position = self.game.position();
        let (table, past, depth): (&Table, Past, i32) = (self.shared.table, self.past, self.depth);
        let mut found = None;
        let mut most = most;
        let keen = self.shared.analysis || self.roots.0[0].value.score().is_decisive();
        let shares = match self.shared.counters.len() {
            _ if !keen => SHARES_IN_GAMES,
            1 => SHARES,
            _ => SHARES_BESIDE_OTHERS,
        };
        let (aim, share) = (hunt.aim, shares[hunt.aim as usize]);
        let later = if mate { share } else { share.min(SHARE_LATER) };
        let allowed = |nodes: u64| (nodes.min(LATER) * share + nodes.saturating_sub(LATER) * later) / 100;
        while hunt.refuted[..=most].iter().skip(1).any(|refuted| !refuted) {
            // A question may take all of its budget; in a game it waits until the share has room for that.
            let cost = if keen { 1 } else { hunt.budget };
            if hunt.spent + cost > allowed(self.nodes) {
                break;
            }
            let moves = hunt.next;
            hunt.next += 1;
            if moves > most {
                hunt.next = 1;
                hunt.budget *= 2;
                continue;
            }
            if hunt.refuted[moves] {
                continue;
            }
            let mut left = hunt.budget;
            let mut spent = 0;
            let answer = hunt.ask(
                position,
                moves,
                &mut || {
                    spent += 1;
                    left = left.saturating_sub(1);
                    left == 0 || self.count_node()
                },
                &mut |position, plies, m| {
                    // A proof holds at any depth; a deep one stays in the table.
                    let value = if plies % 2 == 1 {
                        Ibv::lower(Score::mate_in(plies))
                    } else {
                        Ibv::upper(Score::mated_in(plies))
                    };
                    let best = m.map_or(PackedMove::NONE, PackedMove::new);
                    let depth = (depth + 2).min(Entry::MAX_DEPTH);
                    let entry = Entry { value, best, depth, pv: false, eval: None, moveless: false };
                    table.store(past.key(position, aim.plies(moves) - plies), entry);
                },
            );
            hunt.spent += spent;
            match answer {
                Answer::Mate(m) => {
                    found = Some((m, moves));
                    most = moves - 1;
                }
                Answer::None => hunt.refuted[moves] = true,
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

    /// Asks for a mate within `moves` moves, without a node limit.
    fn answer(fen: &str, aim: Aim, moves: usize) -> Answer {
        let game = Game::new(Position::from_fen(fen, CastlingMode::Standard).expect("a position"));
        Hunt::new(&game, aim).ask(game.position(), moves, &mut || false, &mut |_, _, _| ())
    }

    #[test]
    fn both_questions_are_answered_to_the_move() {
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
}
