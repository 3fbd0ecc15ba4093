//! The lines of the protocol as types. No other file uses the crate that reads and writes them.

use std::fmt;
use std::panic::catch_unwind;
use std::time::Duration;

use shakmaty::Square;
use vampirc_uci::{UciInfoAttribute, UciMessage, UciMove, UciOptionConfig, UciPiece, UciSquare};

use crate::bound::Bound;
use crate::position::Move;
use crate::score::Score;

/// A command of one word and at most a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Simple {
    Uci,
    Debug(bool),
    IsReady,
    /// `register later`: all that an engine without registration has to understand.
    Register,
    NewGame,
    Stop,
    PonderHit,
    Quit,
}

impl Simple {
    /// Reads a command from its canonical text; `None` if it is not one of these.
    pub fn parse(canonical: &str) -> Option<Simple> {
        // The parser panics on some inputs. None should reach it here; if it panics anyway, the engine goes on.
        match catch_unwind(|| vampirc_uci::parse_one(canonical)).ok()? {
            UciMessage::Uci => Some(Simple::Uci),
            UciMessage::Debug(on) => Some(Simple::Debug(on)),
            UciMessage::IsReady => Some(Simple::IsReady),
            UciMessage::Register { .. } => Some(Simple::Register),
            UciMessage::UciNewGame => Some(Simple::NewGame),
            UciMessage::Stop => Some(Simple::Stop),
            UciMessage::PonderHit => Some(Simple::PonderHit),
            UciMessage::Quit => Some(Simple::Quit),
            _ => None,
        }
    }
}

/// The values that an `option` line declares.
#[derive(Clone, Copy, Debug)]
pub enum Values<'a> {
    Check { default: bool },
    Spin { default: i64, min: i64, max: i64 },
    String { default: &'a str },
    Button,
}

/// One fact of an `info` line.
#[derive(Clone, Copy, Debug)]
pub enum Fact<'a> {
    Depth(u32),
    SelDepth(u32),
    /// The number of the line, from 1.
    MultiPv(usize),
    Score(Score, Bound),
    /// Wins, draws and losses per thousand games.
    Wdl([u32; 3]),
    Nodes(u64),
    /// Nodes per second, from the nodes and their time.
    Speed(u64, Duration),
    /// Per mille.
    HashFull(u32),
    TbHits(u64),
    Time(Duration),
    CurrentMove(Move),
    /// The number of the current move, from 1.
    CurrentNumber(usize),
    Pv(&'a [Move]),
}

/// A line that the engine writes.
#[derive(Clone, Debug)]
pub struct Message(UciMessage);

impl Message {
    pub const UCI_OK: Message = Message(UciMessage::UciOk);
    pub const READY_OK: Message = Message(UciMessage::ReadyOk);

    pub fn name(name: &str) -> Message {
        Message(UciMessage::id_name(name))
    }

    pub fn author(authors: &str) -> Message {
        Message(UciMessage::id_author(authors))
    }

    pub fn option(name: &str, values: Values<'_>) -> Message {
        let name = name.to_owned();
        Message(UciMessage::Option(match values {
            Values::Check { default } => UciOptionConfig::Check { name, default: Some(default) },
            Values::Spin { default, min, max } => {
                UciOptionConfig::Spin { name, default: Some(default), min: Some(min), max: Some(max) }
            }
            Values::String { default } => UciOptionConfig::String {
                name,
                default: Some(if default.is_empty() { "<empty>" } else { default }.to_owned()),
            },
            Values::Button => UciOptionConfig::Button { name },
        }))
    }

    /// An `info string` line.
    pub fn remark(words: String) -> Message {
        Message(UciMessage::info_string(words))
    }

    /// An `info` line. `chess960`: castling as king takes rook.
    pub fn info<'a>(facts: impl IntoIterator<Item = Fact<'a>>, chess960: bool) -> Message {
        Message(UciMessage::Info(facts.into_iter().map(|fact| attribute(fact, chess960)).collect()))
    }

    pub fn best_move(best: Move, ponder: Option<Move>, chess960: bool) -> Message {
        Message(UciMessage::BestMove {
            best_move: to_protocol(best, chess960),
            ponder: ponder.map(|m| to_protocol(m, chess960)),
        })
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A move as the protocol writes it.
///
/// Castling is the king's move, but "king takes rook" in Chess960. The latter form is also used without Chess960 if
/// the king or the rook is not on a home square, because only it is clear there.
pub fn move_text(m: Move, chess960: bool) -> impl fmt::Display {
    to_protocol(m, chess960)
}

fn attribute(fact: Fact<'_>, chess960: bool) -> UciInfoAttribute {
    match fact {
        Fact::Depth(depth) => UciInfoAttribute::Depth(clamp_u8(depth)),
        Fact::SelDepth(depth) => UciInfoAttribute::SelDepth(clamp_u8(depth)),
        Fact::MultiPv(line) => UciInfoAttribute::MultiPv(u16::try_from(line).unwrap_or(u16::MAX)),
        Fact::Score(score, bound) => score_attribute(score, bound),
        Fact::Wdl([win, draw, loss]) => UciInfoAttribute::Any("wdl".into(), format!("{win} {draw} {loss}")),
        Fact::Nodes(nodes) => UciInfoAttribute::Nodes(nodes),
        Fact::Speed(nodes, time) => {
            let milliseconds = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
            UciInfoAttribute::Nps(nodes.saturating_mul(1000) / milliseconds.max(1))
        }
        Fact::HashFull(share) => UciInfoAttribute::HashFull(u16::try_from(share.min(1000)).unwrap_or(1000)),
        Fact::TbHits(hits) => UciInfoAttribute::TbHits(hits),
        Fact::Time(time) => {
            let milliseconds = i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
            // Durations of this type end a little below the largest number of milliseconds.
            UciInfoAttribute::Time(vampirc_uci::Duration::milliseconds(milliseconds.min(i64::MAX / 2)))
        }
        Fact::CurrentMove(m) => UciInfoAttribute::CurrMove(to_protocol(m, chess960)),
        Fact::CurrentNumber(number) => UciInfoAttribute::Any("currmovenumber".into(), number.to_string()),
        Fact::Pv(line) => UciInfoAttribute::Pv(line.iter().map(|&m| to_protocol(m, chess960)).collect()),
    }
}

fn score_attribute(score: Score, bound: Bound) -> UciInfoAttribute {
    let mate = score.mate_moves().map(|moves| moves.clamp(i8::MIN.into(), i8::MAX.into()) as i8);
    UciInfoAttribute::Score {
        cp: if mate.is_none() { Some(score.cp()) } else { None },
        mate,
        lower_bound: (bound == Bound::Lower).then_some(true),
        upper_bound: (bound == Bound::Upper).then_some(true),
    }
}

fn clamp_u8(number: u32) -> u8 {
    u8::try_from(number).unwrap_or(u8::MAX)
}

fn to_protocol(m: Move, chess960: bool) -> UciMove {
    let at_home = |king: Square, rook: Square| {
        [Square::E1, Square::E8].contains(&king) && [Square::A1, Square::H1, Square::A8, Square::H8].contains(&rook)
    };
    let (from, to) = (m.from(), m.to());
    let to = match m.castling_side() {
        Some(side) if !chess960 && at_home(from, to) => Square::from_coords(side.king_to_file(), from.rank()),
        _ => to,
    };
    let square = |square: Square| UciSquare::from(square.file().char(), square.rank().char() as u8 - b'0');
    UciMove {
        from: square(from),
        to: square(to),
        promotion: m.promotion().map(|role| match role {
            shakmaty::Role::Knight => UciPiece::Knight,
            shakmaty::Role::Bishop => UciPiece::Bishop,
            shakmaty::Role::Rook => UciPiece::Rook,
            _ => UciPiece::Queen,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Position;
    use shakmaty::CastlingMode;

    #[test]
    fn scores_have_their_unit() {
        for (score, text) in [
            (Score::heuristic(-31), "cp -31"),
            (Score::mate_in(3), "mate 2"),
            (Score::mated_in(4), "mate -2"),
            (Score::mate_in(crate::score::MAX_PLY), "mate 123"),
            (Score::tablebase_win(9), "cp 19991"),
            (-Score::tablebase_win(9), "cp -19991"),
            (Score::recognized_win(7000), "cp 10700"),
            (Score::from_raw(77), "cp 0"),
        ] {
            for (bound, end) in [(Bound::Exact, ""), (Bound::Lower, " lowerbound"), (Bound::Upper, " upperbound")] {
                let line = Message::info([Fact::Score(score, bound)], false);
                assert_eq!(line.to_string(), format!("info score {text}{end}"));
            }
        }
    }

    #[test]
    fn castling_is_written_as_the_mode_wants_it() {
        let write = |fen: &str, text: &str, chess960| {
            let root = Position::from_fen(fen, CastlingMode::Chess960).unwrap();
            move_text(root.parse_move(text).unwrap(), chess960).to_string()
        };
        let home = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
        assert_eq!(write(home, "e1h1", false), "e1g1");
        assert_eq!(write(home, "e1a1", false), "e1c1");
        assert_eq!(write(home, "e1g1", true), "e1h1");
        assert_eq!(write("4k3/8/8/8/8/8/8/RK6 w Q - 0 1", "b1a1", false), "b1a1", "the king's move would be b1c1");
        assert_eq!(write("8/P6k/8/8/8/8/8/K7 w - - 0 1", "a7a8n", false), "a7a8n");
    }
}
