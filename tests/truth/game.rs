//! Games as the protocol describes them, and their sources.

use ibex::random::split_mix;
use ibex::retrograde::Tables;
use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::zobrist::Zobrist64;
use shakmaty::{CastlingMode, Chess, Color, EnPassantMode, Move, Position};

/// Starts that once went wrong, and middlegames with a mate or a perpetual check.
const STARTS: [&str; 12] = [
    "8/8/8/5R2/5K2/8/6k1/8 w - - 0 1",
    "8/8/8/8/8/R7/2k5/4K3 w - - 0 1",
    "8/8/8/8/8/Q7/3K4/6k1 w - - 60 80",
    "7k/8/4K3/8/8/8/8/R7 w - - 84 90",
    "8/8/1B6/8/8/1K1N4/8/k7 w - - 0 1",
    "8/3P1K1P/8/8/8/7k/8/8 b - - 77 69",
    "7K/8/3q4/6kR/6n1/8/8/8 b - - 0 1",
    "8/6R1/Q6K/8/8/8/8/4k3 b - - 95 53",
    "3r2k1/5ppp/8/8/8/1Q6/5PPP/4R1K1 w - - 0 1",
    "6k1/5ppp/8/8/8/8/q4PPP/1R4K1 w - - 70 60",
    "r5k1/5ppp/8/8/1q6/8/5PPP/QR4K1 w - - 20 40",
    "2r3k1/5ppp/8/8/8/8/1Q3PPP/6K1 w - - 88 70",
];

/// The identity of a position for threefold repetition.
pub fn key(position: &Chess) -> u64 {
    position.zobrist_hash::<Zobrist64>(EnPassantMode::Legal).0
}

/// A game, with the part of its past that the rules need.
#[derive(Clone)]
pub struct Played {
    fen: String,
    moves: Vec<Move>,
    pub position: Chess,
    /// Keys since the last capture or pawn move, with the current position's last.
    past: Vec<u64>,
}

impl Played {
    pub fn new(fen: &str) -> Played {
        let position: Chess =
            fen.parse::<Fen>().expect("a FEN").into_position(CastlingMode::Standard).expect("a position");
        Played { fen: fen.to_owned(), moves: Vec::new(), past: vec![key(&position)], position }
    }

    /// The game that begins here, with another 50-move clock.
    pub fn afresh(position: &Chess, clock: u32) -> Played {
        let fen = Fen::from_position(position, EnPassantMode::Legal).to_string();
        let fields: Vec<&str> = fen.split(' ').take(4).collect();
        Played::new(&format!("{} {clock} {}", fields.join(" "), clock / 2 + 1))
    }

    pub fn play(&mut self, m: Move) {
        self.position.play_unchecked(m);
        if self.position.halfmoves() == 0 {
            self.past.clear();
        }
        self.past.push(key(&self.position));
        self.moves.push(m);
    }

    /// How often a position has occurred since the last capture or pawn move.
    pub fn times(&self, key: u64) -> usize {
        self.past.iter().filter(|&&past| past == key).count()
    }

    /// Whether there is a position whose next occurrence is a draw.
    pub fn has_traps(&self) -> bool {
        self.past.iter().any(|&key| self.times(key) >= 2)
    }

    pub fn is_over(&self) -> bool {
        self.position.legal_moves().is_empty()
            || self.position.is_insufficient_material()
            || self.position.halfmoves() >= 100
            || self.times(key(&self.position)) >= 3
    }

    pub fn command(&self) -> String {
        let moves: Vec<String> = self.moves.iter().map(|&m| UciMove::from_standard(m).to_string()).collect();
        if moves.is_empty() {
            format!("position fen {}", self.fen)
        } else {
            format!("position fen {} moves {}", self.fen, moves.join(" "))
        }
    }

    /// Moves to and fro: mostly back to where the side was before, or by any other reversible move, if there is one;
    /// never by a move that ends the game.
    pub fn wander(&mut self, plies: u64, random: &mut u64) {
        for _ in 0..plies {
            let mut legal = self.position.legal_moves();
            legal.retain(|&mut m| {
                let mut after = self.clone();
                after.play(m);
                !after.is_over()
            });
            let quiet: Vec<Move> = legal.iter().copied().filter(|m| !m.is_zeroing()).collect();
            let before = self.moves.len().checked_sub(2).map(|at| self.moves[at]);
            let back = before.and_then(|before| quiet.iter().find(|&&m| undoes(m, before)).copied());
            let moves = if quiet.is_empty() { &legal[..] } else { &quiet[..] };
            let any = moves.get(split_mix(random) as usize % moves.len().max(1)).copied();
            let Some(m) = back.filter(|_| split_mix(random) % 100 < 70).or(any) else { return };
            self.play(m);
        }
    }

    /// A game that ends in this one's position after its own continuation: after the two moves, and back, the position
    /// occurs for the second time; and so does the position after these moves, if the game begins there. `None` if the
    /// moves cannot be taken back.
    pub fn with_future_behind(&self, first: Move, second: Move) -> Option<Played> {
        let back = |position: &Chess, m: Move| position.legal_moves().into_iter().find(|&back| undoes(back, m));
        let mut there = self.position.clone();
        for m in [first, second] {
            if m.is_zeroing() || !there.is_legal(m) {
                return None;
            }
            there.play_unchecked(m);
        }
        if there.legal_moves().is_empty() {
            return None;
        }
        let mut game = Played::afresh(&there, self.position.halfmoves());
        for _ in 0..2 {
            for m in [first, second] {
                let m = back(&game.position, m)?;
                game.play(m);
            }
            if key(&game.position) != key(&self.position) {
                return None;
            }
            if game.times(key(&self.position)) == 1 {
                for m in [first, second] {
                    game.position.is_legal(m).then(|| game.play(m))?;
                }
            }
        }
        (!game.is_over()).then_some(game)
    }
}

/// Whether a move takes back another one of the same man.
fn undoes(m: Move, before: Move) -> bool {
    !m.is_zeroing() && m.from() == Some(before.to()) && Some(m.to()) == before.from()
}

/// A start: one of the list, or a random position of a solved ending, more often one with a bare king than others;
/// often with a high clock.
pub fn start(tables: &Tables, random: &mut u64) -> Played {
    loop {
        if split_mix(random).is_multiple_of(5) {
            return Played::new(STARTS[split_mix(random) as usize % STARTS.len()]);
        }
        let endings: Vec<_> = tables.iter().filter(|table| table.endgame().men() > 2).collect();
        let lone: Vec<_> = endings.iter().filter(|table| table.endgame().men() == 3).collect();
        let table = if split_mix(random).is_multiple_of(2) {
            lone[split_mix(random) as usize % lone.len()]
        } else {
            &endings[split_mix(random) as usize % endings.len()]
        };
        let Some((board, turn, _)) = table.at_random(split_mix(random)) else { continue };
        let turn = if turn == Color::White { 'w' } else { 'b' };
        let game = Played::new(&format!("{board} {turn} - - 0 1"));
        let clock = match split_mix(random) % 4 {
            0 | 1 => 0,
            2 => split_mix(random) as u32 % 90,
            _ => 80 + split_mix(random) as u32 % 20,
        };
        let game = Played::afresh(&game.position, clock);
        if !game.is_over() {
            return game;
        }
    }
}
