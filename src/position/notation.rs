//! Positions and moves as text: FEN of either castling mode, UCI moves, standard algebraic notation.

use shakmaty::Move;
use shakmaty::san::SanPlus;

use super::Position;

/// Reads a FEN as standard chess where its castling rights allow that, and as Chess960 otherwise.
///
/// # Errors
///
/// One line that says what is wrong.
pub fn read_fen(fen: &str) -> Result<Position, String> {
    Position::from_any_fen(fen, None).map(|(position, _)| position)
}

/// A move in UCI notation, castling as the position's mode wants it.
pub fn uci(position: &Position, m: Move) -> String {
    m.to_uci(position.castling_mode()).to_string()
}

/// A move in standard algebraic notation.
pub fn san(position: &Position, m: Move) -> String {
    SanPlus::from_move(position.chess().clone(), m).to_string()
}

/// A line of play in standard algebraic notation, without move numbers.
pub fn san_line(position: &Position, line: &[Move]) -> String {
    let mut position = position.clone();
    let mut words = Vec::with_capacity(line.len());
    for &m in line {
        words.push(san(&position, m));
        position.play(m);
    }
    words.join(" ")
}
