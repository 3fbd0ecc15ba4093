//! Random legal positions with their true values.

use shakmaty::fen::Fen;
use shakmaty::{Board, CastlingMode, Color, Piece, Role, Setup, Square};

use ibex::position::Position;
use ibex::random::Random;
use ibex::recognize::syzygy::Tablebases;
use ibex::retrograde::{Dtm, Table};

/// The name of the ending that is not solved here.
pub const PAWNS: &str = "KPvKP";

/// A position of an ending.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The ending's name.
    pub ending: String,
    /// The position; it has a legal move.
    pub position: Position,
    /// The result for the side to move: 1, 0 or −1.
    pub result: i32,
}

/// A random position of a solved ending, with either colour as the stronger side; `wanted` selects by value.
pub fn of_table(table: &Table, random: &mut Random, wanted: impl Fn(Color, Dtm) -> bool) -> (Position, Dtm) {
    loop {
        let Some((board, turn, value)) = table.at_random(random.next_u64()) else { continue };
        if !wanted(turn, value) {
            continue;
        }
        let Some(position) = position(&board, turn).filter(Position::has_legal_move) else { continue };
        return (if random.below(2) == 0 { position } else { position.flipped() }, value);
    }
}

/// Random positions of one ending.
pub fn samples(table: &Table, count: usize, random: &mut Random) -> Vec<Sample> {
    let sample = |_| {
        let (position, value) = of_table(table, random, |_, _| true);
        let result = match value {
            Dtm::Win(_) => 1,
            Dtm::Draw => 0,
            Dtm::Loss(_) => -1,
        };
        Sample { ending: table.endgame().to_string(), position, result }
    };
    (0..count).map(sample).collect()
}

/// Random positions of pawn against pawn, by Syzygy tables; `None` if a table is missing.
pub fn pawns(tables: &Tablebases, count: usize, random: &mut Random) -> Option<Vec<Sample>> {
    let mut found = Vec::with_capacity(count);
    while found.len() < count {
        let men = [Color::White.pawn(), Color::Black.pawn()];
        let Some(position) = placed(&men, random).filter(Position::has_legal_move) else { continue };
        let result = tables.result(&position)?;
        found.push(Sample { ending: PAWNS.to_owned(), position, result });
    }
    Some(found)
}

/// A random placement of the kings and these men, if it is legal.
pub fn placed(men: &[Piece], random: &mut Random) -> Option<Position> {
    let mut board = Board::empty();
    for &piece in [Color::White.king(), Color::Black.king()].iter().chain(men) {
        let square = Square::new(random.below(64) as u32);
        let last_rank = matches!(square.rank(), shakmaty::Rank::First | shakmaty::Rank::Eighth);
        if board.piece_at(square).is_some() || piece.role == Role::Pawn && last_rank {
            return None;
        }
        board.set_piece_at(square, piece);
    }
    position(&board, Color::from_white(random.below(2) == 0))
}

/// A position without castling and en passant rights, if it is legal.
fn position(board: &Board, turn: Color) -> Option<Position> {
    let mut setup = Setup::empty();
    setup.board = board.clone();
    setup.turn = turn;
    let fen = Fen::try_from_setup(setup).ok()?;
    Position::from_fen(&fen.to_string(), CastlingMode::Standard).ok()
}
