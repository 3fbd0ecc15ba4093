//! Solving one ending: indices up to symmetry, moves forwards and backwards, and the sweep from the mates.

use std::ops::ControlFlow;
use std::sync::Arc;

use arrayvec::ArrayVec;
use shakmaty::{Bitboard, Color, Rank, Role, Square, attacks};

use super::{DRAW, Endgame, ILLEGAL, KINGS, PositionFilter, Table, Tables, is_loss};

/// The squares of up to four men, a byte each (white king, black king, slots), and the side to move.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Spot {
    squares: u32,
    pub turn: Color,
}

impl Spot {
    pub fn new(squares: [u8; 4], turn: Color) -> Spot {
        Spot { squares: u32::from_le_bytes(squares), turn }
    }

    pub fn square(self, man: usize) -> u8 {
        self.squares.to_le_bytes()[man]
    }

    fn at(self, man: usize) -> Square {
        Square::new(u32::from(self.square(man) & 63))
    }

    fn with(self, man: usize, square: Square) -> Spot {
        let mut squares = self.squares.to_le_bytes();
        squares[man] = square as u8;
        Spot::new(squares, self.turn)
    }

    fn passed(self) -> Spot {
        Spot { turn: !self.turn, ..self }
    }

    fn mirror_files(self) -> Spot {
        Spot { squares: self.squares ^ 0x0707_0707, ..self }
    }

    fn mirror_ranks(self) -> Spot {
        Spot { squares: self.squares ^ 0x3838_3838, ..self }
    }

    fn transpose(self) -> Spot {
        Spot { squares: (self.squares >> 3 & 0x0707_0707) | (self.squares & 0x0707_0707) << 3, ..self }
    }
}

/// Where the positions of another ending are found after a capture or promotion.
pub struct Link {
    table: Arc<Table>,
    /// Whether black has the stronger side there.
    exchange: bool,
    /// For each slot there, the slot here.
    from: ArrayVec<usize, 2>,
}

/// The changes of the slots by captures and promotions: the code of the link, the ending, and whether colours change.
pub fn successors(endgame: &Endgame) -> Vec<(usize, Endgame, bool)> {
    let slots = endgame.slots();
    let mut found = Vec::new();
    for (code, roles) in codes(&slots) {
        let men = |color| {
            let mut men: ArrayVec<Role, 2> =
                slots.iter().zip(&roles).filter(|((c, _), _)| *c == color).filter_map(|(_, &role)| role).collect();
            men.sort_unstable_by(|a, b| b.cmp(a));
            men
        };
        let (to, exchange) = Endgame { white: men(Color::White), black: men(Color::Black) }.normal();
        if to != *endgame {
            found.push((code, to, exchange));
        }
    }
    found
}

/// Every combination of what the slots can become in one move, with its code.
fn codes(slots: &[(Color, Role)]) -> Vec<(usize, ArrayVec<Option<Role>, 2>)> {
    let options = |role: Role| {
        let mut options = vec![Some(role), None];
        if role == Role::Pawn {
            options.extend([Role::Queen, Role::Rook, Role::Bishop, Role::Knight].map(Some));
        }
        options
    };
    let mut all: Vec<ArrayVec<Option<Role>, 2>> = vec![ArrayVec::new()];
    for &(_, role) in slots {
        all = all
            .into_iter()
            .flat_map(|head| {
                options(role).into_iter().map(move |option| {
                    let mut next = head.clone();
                    next.push(option);
                    next
                })
            })
            .collect();
    }
    // One move takes at most one man and promotes at most one pawn.
    all.retain(|roles| {
        let gone = roles.iter().filter(|role| role.is_none()).count();
        let promoted = roles.iter().zip(slots).filter(|(now, (_, was))| now.is_some_and(|now| now != *was)).count();
        gone <= 1 && promoted <= 1
    });
    all.into_iter().map(|roles| (code(&roles), roles)).collect()
}

fn code(roles: &[Option<Role>]) -> usize {
    roles.iter().fold(0, |code, role| code * 8 + role.map_or(0, |role| role as usize))
}

/// The white king's squares without pawns: a1, b1, b2, c1 to d4.
const TRIANGLE: [u8; 10] = [0, 1, 9, 2, 10, 18, 3, 11, 19, 27];

impl Table {
    /// Solves an ending, or the part of it that is kept, given everything that it leads to.
    pub(super) fn solve(endgame: Endgame, known: &Tables, kept: PositionFilter) -> Table {
        let slots = endgame.slots();
        let mut links: Vec<Option<Link>> = (0..64).map(|_| None).collect();
        for (code, to, exchange) in successors(&endgame) {
            if let Some(table) = known.get(&to) {
                links[code] = Some(link(&slots, code, table, exchange));
            }
        }
        let has_pawns = endgame.pawns() > 0;
        let kings = if has_pawns { 32 } else { TRIANGLE.len() };
        let size = 2 * kings * 64 * 64usize.pow(slots.len() as u32);
        let men: ArrayVec<_, 4> = KINGS.into_iter().chain(slots).collect();
        let twins = men.len() == 4 && men[2] == men[3];
        let mut table = Table { endgame, men, has_pawns, twins, values: vec![ILLEGAL; size].into(), links };
        for index in 0..size {
            let spot = table.spot(index);
            if kept(spot.squares.to_le_bytes()) && table.canonical(spot) == spot && table.is_legal(spot) {
                table.values[index] = DRAW;
            }
        }
        table.sweep();
        table
    }

    /// The representative of the positions that are this one up to symmetry and the order of equal men.
    fn canonical(&self, mut spot: Spot) -> Spot {
        if spot.square(0) & 4 != 0 {
            spot = spot.mirror_files();
        }
        if self.has_pawns {
            return self.sorted(spot);
        }
        if spot.square(0) & 32 != 0 {
            spot = spot.mirror_ranks();
        }
        let (file, rank) = (spot.square(0) & 7, spot.square(0) >> 3);
        if rank > file {
            spot = spot.transpose();
        }
        let spot = self.sorted(spot);
        if rank != file {
            return spot;
        }
        let twin = self.sorted(spot.transpose());
        if self.order(twin) < self.order(spot) { twin } else { spot }
    }

    fn order(&self, spot: Spot) -> u32 {
        // Bytes of slots that do not exist must not decide.
        spot.squares & (u32::MAX >> (8 * (4 - self.men.len())))
    }

    fn sorted(&self, spot: Spot) -> Spot {
        if self.twins && spot.square(2) > spot.square(3) {
            let [white, black, first, second] = spot.squares.to_le_bytes();
            Spot::new([white, black, second, first], spot.turn)
        } else {
            spot
        }
    }

    /// The index of a position, brought to its representative.
    pub(super) fn index(&self, spot: Spot) -> usize {
        let spot = self.canonical(spot);
        let king = usize::from(spot.square(0));
        let (king, kings) = if self.has_pawns {
            ((king >> 3) * 4 + (king & 3), 32)
        } else {
            // Triangular numbering by file, then rank.
            let (file, rank) = (king & 7, king >> 3);
            (file * (file + 1) / 2 + rank, TRIANGLE.len())
        };
        let mut index = spot.turn as usize * kings + king;
        for man in 1..self.men.len() {
            index = index * 64 + usize::from(spot.square(man));
        }
        index
    }

    /// The position of an index.
    pub(super) fn spot(&self, mut index: usize) -> Spot {
        let mut squares = [0; 4];
        for man in (1..self.men.len()).rev() {
            squares[man] = (index % 64) as u8;
            index /= 64;
        }
        let kings = if self.has_pawns { 32 } else { TRIANGLE.len() };
        let king = index % kings;
        squares[0] = if self.has_pawns { (king / 4 * 8 + king % 4) as u8 } else { TRIANGLE[king] };
        Spot::new(squares, Color::from_white(index / kings == Color::White as usize))
    }

    fn occupied(&self, spot: Spot) -> Bitboard {
        (0..self.men.len()).fold(Bitboard::EMPTY, |all, man| all.with(spot.at(man)))
    }

    fn is_attacked(&self, spot: Spot, square: Square, by: Color, occupied: Bitboard) -> bool {
        (0..self.men.len()).any(|man| {
            let (color, role) = self.men[man];
            color == by && attacks::attacks(spot.at(man), role.of(color), occupied).contains(square)
        })
    }

    /// Whether the men stand on different squares, pawns where pawns can stand, and no king can be taken.
    fn is_legal(&self, spot: Spot) -> bool {
        let occupied = self.occupied(spot);
        occupied.count() == self.men.len()
            && (2..self.men.len())
                .all(|man| self.men[man].1 != Role::Pawn || !matches!(spot.at(man).rank(), Rank::First | Rank::Eighth))
            && !self.is_attacked(spot, spot.at(usize::from(spot.turn == Color::White)), spot.turn, occupied)
    }

    fn is_check(&self, spot: Spot) -> bool {
        let king = spot.at(usize::from(spot.turn == Color::Black));
        self.is_attacked(spot, king, !spot.turn, self.occupied(spot))
    }

    /// The byte of a position after a move; illegal where the move leaves the king to be taken.
    fn byte(&self, spot: Spot) -> u8 {
        self.values[self.index(spot)]
    }

    /// The men of the side to move, each with its role, its square and the squares that it attacks.
    fn movers(&self, spot: Spot, occupied: Bitboard) -> impl Iterator<Item = (usize, Role, Square, Bitboard)> {
        (0..self.men.len()).filter_map(move |man| {
            let (color, role) = self.men[man];
            let from = spot.at(man);
            (color == spot.turn).then(|| (man, role, from, attacks::attacks(from, role.of(color), occupied)))
        })
    }

    /// The byte of the position after each legal move that stays in this ending.
    fn quiet_children(&self, spot: Spot, mut visit: impl FnMut(u8) -> ControlFlow<()>) -> ControlFlow<()> {
        let occupied = self.occupied(spot);
        for (man, role, from, attacked) in self.movers(spot, occupied) {
            let targets = match role {
                Role::Pawn => pushes(spot.turn, from, occupied) & !Bitboard::BACKRANKS,
                _ => attacked & !occupied,
            };
            for to in targets {
                let byte = self.byte(spot.with(man, to).passed());
                if byte != ILLEGAL {
                    visit(byte)?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// The byte of the position after each legal capture and promotion.
    fn conversions(&self, spot: Spot, mut visit: impl FnMut(u8) -> ControlFlow<()>) -> ControlFlow<()> {
        let occupied = self.occupied(spot);
        let mut prey = Bitboard::EMPTY;
        for man in 2..self.men.len() {
            if self.men[man].0 != spot.turn {
                prey.add(spot.at(man));
            }
        }
        for (man, role, from, attacked) in self.movers(spot, occupied) {
            let mut targets = attacked & prey;
            if role == Role::Pawn {
                targets |= pushes(spot.turn, from, occupied) & Bitboard::BACKRANKS;
            }
            for to in targets {
                let after = spot.with(man, to).passed();
                let taken = (2..self.men.len()).find(|&other| other != man && spot.at(other) == to);
                let promotes = role == Role::Pawn && Bitboard::BACKRANKS.contains(to);
                let promotions: &[Role] =
                    if promotes { &[Role::Queen, Role::Rook, Role::Bishop, Role::Knight] } else { &[role] };
                for &becomes in promotions {
                    let byte = self.converted(after, man, becomes, taken);
                    if byte != ILLEGAL {
                        visit(byte)?;
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// The byte of a position in another ending.
    fn converted(&self, after: Spot, man: usize, becomes: Role, taken: Option<usize>) -> u8 {
        let mut roles: ArrayVec<Option<Role>, 2> = self.men[2..].iter().map(|&(_, role)| Some(role)).collect();
        if man >= 2 {
            roles[man - 2] = Some(becomes);
        }
        if let Some(taken) = taken {
            roles[taken - 2] = None;
        }
        let Some(link) = &self.links[code(&roles)] else {
            debug_assert!(false, "{} leads to an ending that was not solved", self.endgame);
            return ILLEGAL;
        };
        let mut squares = [after.square(0), after.square(1), 0, 0];
        for (slot, &from) in link.from.iter().enumerate() {
            squares[2 + slot] = after.square(2 + from);
        }
        let mut there = Spot::new(squares, after.turn);
        if link.exchange {
            squares.swap(0, 1);
            there = Spot::new(squares, after.turn).mirror_ranks().passed();
        }
        link.table.byte(there)
    }

    /// If every legal move loses: in how many plies.
    fn loss(&self, spot: Spot) -> Option<u8> {
        let mut longest = 0;
        let mut loses = |byte: u8| {
            if byte == DRAW || is_loss(byte) {
                return ControlFlow::Break(());
            }
            longest = longest.max(byte);
            ControlFlow::Continue(())
        };
        let all = self.quiet_children(spot, &mut loses).is_continue() && self.conversions(spot, loses).is_continue();
        (all && longest > 0).then_some(longest)
    }

    /// Every position from which a quiet move leads here, legal or not.
    fn parents(&self, spot: Spot, mut visit: impl FnMut(Spot)) {
        let occupied = self.occupied(spot);
        for man in 0..self.men.len() {
            let (color, role) = self.men[man];
            if color == spot.turn {
                continue;
            }
            let to = spot.at(man);
            let origins = if role == Role::Pawn {
                // A pawn steps back like one of the other colour, but by two only onto its own second rank.
                let mut back = step(!color, Bitboard::from(to)) & !occupied;
                if to.rank() == color.fold_wb(Rank::Fourth, Rank::Fifth) {
                    back |= step(!color, back) & !occupied;
                }
                back
            } else {
                attacks::attacks(to, role.of(color), occupied) & !occupied
            };
            for from in origins {
                visit(spot.with(man, from).passed());
            }
        }
    }

    /// The plies to mate of a position that is decided without quiet moves: by the best conversion if one wins, by the
    /// longest if all moves are conversions that lose, or by mate on the board. A quiet move may still win sooner.
    fn plies_by_conversion(&self, spot: Spot) -> Option<u8> {
        // The byte of a position is the plies to mate from the position before it.
        let (mut win, mut loss) = (u8::MAX, 0);
        let mut drawn = false;
        let _ = self.conversions(spot, |byte| {
            match byte {
                DRAW => drawn = true,
                byte if is_loss(byte) => win = win.min(byte),
                byte => loss = loss.max(byte),
            }
            ControlFlow::Continue(())
        });
        if win != u8::MAX {
            return Some(win);
        }
        if drawn || self.quiet_children(spot, |_| ControlFlow::Break(())).is_break() {
            return None;
        }
        match loss {
            // No move at all: mate or stalemate.
            0 => self.is_check(spot).then_some(0),
            plies => Some(plies),
        }
    }

    /// Fills in all distances: mates and conversions first, then level by level.
    fn sweep(&mut self) {
        // Positions by the ply at which their value becomes known.
        let mut levels: Vec<Vec<u32>> = vec![Vec::new(); usize::from(ILLEGAL) + 1];
        for index in 0..self.values.len() {
            if self.values[index] == ILLEGAL {
                continue;
            }
            if let Some(ply) = self.plies_by_conversion(self.spot(index)) {
                levels[usize::from(ply)].push(index as u32);
            }
        }
        // What the level before has just decided; such values are final at once, since no shorter one can turn up.
        let mut fresh = Vec::new();
        for ply in 0..u8::MAX - 1 {
            let mut known = std::mem::take(&mut fresh);
            for index in std::mem::take(&mut levels[usize::from(ply)]) {
                if self.values[index as usize] == DRAW {
                    self.values[index as usize] = ply + 1;
                    known.push(index);
                }
            }
            let mut parents = Vec::new();
            for index in known {
                self.parents(self.spot(index as usize), |parent| {
                    let at = self.index(parent);
                    if self.values[at] == DRAW {
                        parents.push(at as u32);
                    }
                });
            }
            parents.sort_unstable();
            parents.dedup();
            for at in parents {
                // A move to a lost position wins; a side whose moves all lead to won ones loses, as late as it can.
                let known_at = if ply % 2 == 0 { Some(ply + 1) } else { self.loss(self.spot(at as usize)) };
                if known_at == Some(ply + 1) {
                    self.values[at as usize] = ply + 2;
                    fresh.push(at);
                } else if let Some(known_at) = known_at {
                    levels[usize::from(known_at)].push(at);
                }
            }
        }
    }
}

/// One step forward for a pawn of this colour.
fn step(color: Color, pawns: Bitboard) -> Bitboard {
    color.fold_wb(Bitboard(pawns.0 << 8), Bitboard(pawns.0 >> 8))
}

fn pushes(color: Color, from: Square, occupied: Bitboard) -> Bitboard {
    let one = step(color, Bitboard::from(from)) & !occupied;
    let two = if from.rank() == color.fold_wb(Rank::Second, Rank::Seventh) {
        step(color, one) & !occupied
    } else {
        Bitboard::EMPTY
    };
    one | two
}

fn link(slots: &[(Color, Role)], code: usize, table: &Arc<Table>, exchange: bool) -> Link {
    let role_of = |slot: usize| code >> (3 * (slots.len() - 1 - slot)) & 7;
    let mut free: Vec<usize> = (0..slots.len()).filter(|&slot| role_of(slot) != 0).collect();
    let from = table.men[2..]
        .iter()
        .filter_map(|&(color, role)| {
            let color = if exchange { !color } else { color };
            let place = free.iter().position(|&slot| slots[slot].0 == color && role_of(slot) == role as usize)?;
            Some(free.remove(place))
        })
        .collect();
    Link { table: Arc::clone(table), exchange, from }
}
