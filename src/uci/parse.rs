//! From a line of text to a command.
//!
//! The protocol's crate reads the simple commands, by [`Simple::parse`], from text that is made canonical here first.
//! This module itself reads `go`, `position` and `setoption`, where the crate's parser panics or drops words (a
//! trailing blank, a depth above 255, `ponder` beside clocks, a FEN of four fields, `perft`, an option whose name
//! holds the word "value").
//!
//! As the protocol demands: any blanks between words, unknown words skipped, unknown lines ignored. A line that begins
//! with a word of the prompt is not unknown.

use std::time::Duration;

use shakmaty::{ByColor, CastlingMode, Color, Square};

use super::message::Simple;
use super::options::OptionError;
use super::prompt;
use crate::position::{FenError, Game, Move, Position, Repair, perft};
use crate::time::Limits;

/// A command of the protocol, or one for a person at the prompt.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// `uci`, `debug`, `isready`, `register`, `ucinewgame`, `stop`, `ponderhit` or `quit`.
    Simple(Simple),
    /// `setoption`: the text after `name`.
    SetOption(String),
    /// `position`.
    ///
    /// One that cannot be read is a command, too: it leaves no position, and the next search must report that.
    Position(Result<Setup, ParseError>),
    /// `go`.
    Go(Go),
    /// `go perft`, or `perft` at the prompt.
    ///
    /// One with a bad depth is a command, too: it ends an infinite search as a good one does.
    Perft(Result<Perft, ParseError>),
    /// A word that is not of the protocol, with what follows it.
    Other(String, Vec<String>),
}

/// Why a line of the protocol cannot be carried out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseError {
    /// `setoption` without the word `name`.
    #[error("setoption needs 'name' and the name of an option")]
    NoOptionName,
    /// A simple command that the protocol's parser refuses; the command.
    #[error("cannot read '{0}'")]
    Unreadable(String),
    /// `position` with neither `startpos` nor `fen`.
    #[error("position needs 'startpos' or 'fen'")]
    NoPosition,
    /// `position fen` with nothing after it.
    #[error("'position fen' needs a FEN")]
    NoFen,
    /// Something other than `moves` after `position startpos`; its first word.
    #[error("'{0}' after 'position startpos': the word 'moves' is missing")]
    NoMoves(String),
    /// The FEN of `position` cannot be played.
    #[error(transparent)]
    Fen(#[from] FenError),
    /// A move of `position` is not legal.
    #[error("illegal move '{text}' (number {number} of the list)")]
    IllegalMove {
        /// The move.
        text: String,
        /// Its place in the list, from 1.
        number: usize,
    },
    /// The depth of `perft` is not a number in range; the word.
    #[error("perft goes from depth 0 to {}, not '{}'", perft::DEEPEST, .0)]
    Depth(String),
    /// The line was too long to be read.
    #[error("a line was too long to be read")]
    TooLong,
    /// `setoption` names no option, or gives it a value that it does not take.
    #[error(transparent)]
    Option(#[from] OptionError),
}

/// The words that begin a command of the protocol.
pub const KEYWORDS: [&str; 11] =
    ["uci", "debug", "isready", "setoption", "register", "ucinewgame", "position", "go", "stop", "ponderhit", "quit"];

/// Whether a word begins a command of the protocol.
pub fn is_keyword(word: &str) -> bool {
    KEYWORDS.iter().any(|keyword| keyword.eq_ignore_ascii_case(word))
}

/// The word that makes a line a command of the protocol, with its place among the words. Unknown words before it are
/// skipped ("joho debug on"), but a word of the prompt is not unknown ("help go"), and a comment is not a command.
fn keyword(line: &str) -> Option<(usize, &str)> {
    let first = line.split_whitespace().next()?;
    if first.starts_with('#') || prompt::is_word(first) {
        return None;
    }
    line.split_whitespace().enumerate().find(|(_, word)| is_keyword(word))
}

/// Whether a line is the command `quit`. A long game is not read to the end for that: its first word decides.
pub fn is_quit(line: &str) -> bool {
    keyword(line).is_some_and(|(_, word)| word.eq_ignore_ascii_case("quit"))
}

/// How the protocol writes a null move.
const NULL_MOVE: &str = "0000";

/// Reads a line; `None` for an empty line, a comment, or `debug` without a state.
///
/// # Errors
///
/// [`ParseError::NoOptionName`], or [`ParseError::Unreadable`] for a simple command that the protocol's parser refuses.
pub fn parse(line: &str) -> Result<Option<Command>, ParseError> {
    let words: Vec<&str> = line.split_whitespace().collect();
    if words.first().is_none_or(|first| first.starts_with('#')) {
        return Ok(None);
    }
    let Some((start, _)) = keyword(line) else {
        let rest = words[1..].iter().map(|&word| word.to_owned()).collect();
        return Ok(Some(Command::Other(words[0].to_ascii_lowercase(), rest)));
    };
    let rest = &words[start + 1..];
    let command = match words[start].to_ascii_lowercase().as_str() {
        "go" => go(rest),
        "position" => Command::Position(Setup::parse(rest)),
        "setoption" => {
            let Some(name) = rest.iter().position(|word| word.eq_ignore_ascii_case("name")) else {
                return Err(ParseError::NoOptionName);
            };
            Command::SetOption(tail(line, rest, name + 1).to_owned())
        }
        "debug" => {
            match rest.iter().find_map(|word| ["on", "off"].into_iter().find(|s| s.eq_ignore_ascii_case(word))) {
                Some(state) => simple(&format!("debug {state}"))?,
                None => return Ok(None),
            }
        }
        "register" => simple("register later")?,
        word => simple(word)?,
    };
    Ok(Some(command))
}

/// The rest of `line` from its word `words[index]` on, blanks included; `words` are slices of `line`.
fn tail<'a>(line: &'a str, words: &[&str], index: usize) -> &'a str {
    words.get(index).map_or("", |word| &line[word.as_ptr() as usize - line.as_ptr() as usize..])
}

/// One of the simple commands, from its canonical text.
fn simple(canonical: &str) -> Result<Command, ParseError> {
    let command = Simple::parse(canonical).ok_or_else(|| ParseError::Unreadable(canonical.to_owned()))?;
    Ok(Command::Simple(command))
}

/// The arguments of `position`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// The FEN, or none for the initial position.
    fen: Option<String>,
    /// The moves from there, in UCI notation.
    moves: Vec<String>,
}

impl Setup {
    fn parse(words: &[&str]) -> Result<Setup, ParseError> {
        let moves_at = words.iter().position(|word| word.eq_ignore_ascii_case("moves"));
        let moves = moves_at.map_or(&[][..], |at| &words[at + 1..]);
        let base = &words[..moves_at.unwrap_or(words.len())];
        let kind = base.iter().position(|word| matches!(word.to_ascii_lowercase().as_str(), "startpos" | "fen"));
        let Some(kind) = kind else {
            return Err(ParseError::NoPosition);
        };
        let fields = &base[kind + 1..];
        let fen = if base[kind].eq_ignore_ascii_case("fen") {
            if fields.is_empty() {
                return Err(ParseError::NoFen);
            }
            Some(without_operations(fields).join(" "))
        } else if let Some(stray) = fields.first() {
            return Err(ParseError::NoMoves((*stray).to_owned()));
        } else {
            None
        };
        Ok(Setup { fen, moves: moves.iter().map(|word| word.to_ascii_lowercase()).collect() })
    }

    /// Sets up the game, and returns what had to be repaired.
    ///
    /// Chess960 castling rights are kept even if the GUI has not announced Chess960; `chess960` says whether it has.
    ///
    /// # Errors
    ///
    /// [`ParseError::Fen`] if the FEN cannot be played, [`ParseError::IllegalMove`] for the first illegal move.
    pub fn game(&self, chess960: bool) -> Result<(Game, Vec<Repair>), ParseError> {
        let (mut game, repairs) = match &self.fen {
            None => (Game::startpos(), Vec::new()),
            Some(fen) => {
                let mode = chess960.then_some(CastlingMode::Chess960);
                let (position, repairs) = Position::from_any_fen(fen, mode)?;
                (Game::new(position), repairs)
            }
        };
        for (i, text) in self.moves.iter().enumerate() {
            // Some programs let their users pass; in check that is impossible.
            if text == NULL_MOVE && !game.position().in_check() {
                game.play_null();
                continue;
            }
            let Some(m) = read_move(game.position(), text) else {
                return Err(ParseError::IllegalMove { text: text.clone(), number: i + 1 });
            };
            game.play(m);
        }
        Ok((game, repairs))
    }
}

/// The fields of a FEN, without the operations of an EPD line after four of them or after the counters.
fn without_operations<'a, 'b>(fields: &'a [&'b str]) -> &'a [&'b str] {
    let is_number = |word: &&str| word.parse::<i64>().is_ok();
    let counters = fields.iter().skip(4).take(2).take_while(|word| is_number(word)).count();
    let end = (4 + counters).min(fields.len());
    // An operation ends with a semicolon; anything else after the FEN is an error, left to the FEN reader.
    if fields[end..].iter().any(|word| word.ends_with(';')) { &fields[..end] } else { fields }
}

/// Reads a legal move in UCI notation: castling as the king's move or as king takes rook, whichever mode is on.
pub fn read_move(position: &Position, text: &str) -> Option<Move> {
    position.parse_move(text).or_else(|| {
        // In Chess960, the king's move may mean castling where it is not a legal move by itself.
        position.legal_moves().into_iter().find(|m| {
            let Some(side) = m.castling_side() else { return false };
            let king = m.from();
            text == format!("{king}{}", Square::from_coords(side.king_to_file(), king.rank()))
        })
    })
}

/// The arguments of `go perft` that need no position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Perft {
    /// At most [`perft::DEEPEST`].
    pub depth: u32,
    /// The word in the place of the depth, if it is none.
    pub unread: Option<String>,
    search_moves: Vec<String>,
}

impl Perft {
    /// A perft over all moves, to the depth that a word gives.
    ///
    /// # Errors
    ///
    /// [`ParseError::Depth`] if the word is not a number, or is out of range.
    pub fn parse(word: &str) -> Result<Perft, ParseError> {
        let depth = parse_number(word).and_then(|depth| u32::try_from(depth).ok());
        let depth = depth.filter(|&depth| depth <= perft::DEEPEST).ok_or_else(|| ParseError::Depth(word.to_owned()))?;
        Ok(Perft { depth, unread: None, search_moves: Vec::new() })
    }

    /// The root moves whose leaves are counted.
    ///
    /// As in a search, moves to search that are not legal here are dropped; if none is left, there is no restriction.
    pub fn moves(&self, position: &Position) -> Vec<Move> {
        let named: Vec<Move> = self.search_moves.iter().filter_map(|text| read_move(position, text)).collect();
        let mut moves: Vec<Move> = position.legal_moves_by_role().into_iter().collect();
        if !named.is_empty() {
            moves.retain(|m| named.contains(m));
        }
        moves
    }
}

/// The arguments of `go` that need no position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Go {
    depth: Option<u32>,
    nodes: Option<u64>,
    movetime: Option<Duration>,
    mate: Option<u32>,
    clock: ByColor<Option<Duration>>,
    increment: ByColor<Option<Duration>>,
    moves_to_go: Option<u32>,
    infinite: bool,
    ponder: bool,
    search_moves: Vec<String>,
}

/// Reads what follows `go`. Limits combine freely; a keyword without its number is skipped. A perft has no limit but
/// its depth.
fn go(words: &[&str]) -> Command {
    let (mut go, mut count, mut unread) = (Go::default(), None, None);
    // Whether the last word was a `perft` without its depth.
    let mut lacks_depth = false;
    let mut words = words.iter().map(|word| word.to_ascii_lowercase()).peekable();
    while let Some(word) = words.next() {
        let in_place_of_depth = std::mem::take(&mut lacks_depth);
        let mut value = || {
            let value = words.peek().and_then(|next| parse_number(next))?;
            words.next();
            Some(value)
        };
        match word.as_str() {
            "infinite" => go.infinite = true,
            "ponder" => go.ponder = true,
            "wtime" => go.clock.white = value().map(to_milliseconds).or(go.clock.white),
            "btime" => go.clock.black = value().map(to_milliseconds).or(go.clock.black),
            "winc" => go.increment.white = value().map(to_milliseconds).or(go.increment.white),
            "binc" => go.increment.black = value().map(to_milliseconds).or(go.increment.black),
            "movetime" => go.movetime = value().map(to_milliseconds).or(go.movetime),
            // GUIs write 0 or less for "no time control ahead".
            "movestogo" => go.moves_to_go = value().map(to_count).filter(|&n| n > 0).or(go.moves_to_go),
            "depth" => go.depth = value().map(to_count).or(go.depth),
            "mate" => go.mate = value().map(to_count).or(go.mate),
            "nodes" => go.nodes = value().map(|n| n.max(0).unsigned_abs()).or(go.nodes),
            "perft" => {
                let depth = words.next_if(|next| parse_number(next).is_some());
                lacks_depth = depth.is_none();
                count = Some(depth.unwrap_or_else(|| "1".to_owned()));
            }
            "searchmoves" => {
                while let Some(text) = words.next_if(|next| looks_like_move(next)) {
                    go.search_moves.push(text);
                }
            }
            _ if in_place_of_depth => unread = Some(word),
            _ => (),
        }
    }
    match count {
        Some(depth) => {
            Command::Perft(Perft::parse(&depth).map(|perft| Perft { search_moves: go.search_moves, unread, ..perft }))
        }
        None => Command::Go(go),
    }
}

/// A number as programs write it: whole, or with a fraction or exponent, which is cut off; out of range, it saturates.
fn parse_number(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if !digits.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    text.parse().ok().or_else(|| text.parse::<f64>().ok().map(|number| number as i64))
}

fn to_count(number: i64) -> u32 {
    u32::try_from(number.max(0)).unwrap_or(u32::MAX)
}

/// A time on the clock: a negative one has run out, and one longer than three years makes no difference.
fn to_milliseconds(number: i64) -> Duration {
    Duration::from_millis(number.clamp(0, 100_000_000_000).unsigned_abs())
}

fn looks_like_move(word: &str) -> bool {
    word == NULL_MOVE
        || matches!(word.as_bytes(), [b'a'..=b'h', b'1'..=b'8', b'a'..=b'h', b'1'..=b'8'])
        || matches!(word.as_bytes(), [b'a'..=b'h', b'1'..=b'8', b'a'..=b'h', b'1'..=b'8', b'a'..=b'z'])
}

impl Go {
    /// The same search, but only to depth 1.
    pub fn shortened(self) -> Go {
        Go { depth: Some(1), ..self }
    }

    /// The limits of a search of this position.
    ///
    /// Moves to search that are not legal here are dropped; if none is left, there is no restriction.
    pub fn limits(&self, position: &Position) -> Limits {
        let only = !self.has_real_limit();
        let mut limits = Limits {
            depth: self.depth.filter(|&n| n > 0 || only).map(|n| n.max(1)),
            nodes: self.nodes.filter(|&n| n > 0 || only).map(|n| n.max(1)),
            soft_nodes: None,
            movetime: self.movetime.filter(|time| !time.is_zero() || only),
            mate: self.mate.filter(|&n| n > 0 || only).map(|n| n.max(1)),
            clock: if self.has_clock() || !self.has_fixed_limit() { self.clock } else { ByColor::default() },
            increment: self.increment.map(Option::unwrap_or_default),
            moves_to_go: self.moves_to_go,
            infinite: self.infinite,
            ponder: self.ponder,
            search_moves: self.search_moves.iter().filter_map(|text| read_move(position, text)).collect(),
            no_mate_search: false,
        };
        self.complete_clock(position.turn(), &mut limits);
        if limits.clock[position.turn()].is_none() && !has_fixed_limit(&limits) {
            limits.infinite = true;
        }
        limits
    }

    /// Whether anything other than a zero limits the search. Programs that write every limit write zero for one that
    /// is not set; a zero alone asks for the shortest search.
    fn has_real_limit(&self) -> bool {
        self.infinite || self.clock.iter().any(Option::is_some) || self.has_fixed_limit()
    }

    /// Whether a depth, a number of nodes, a time for the move or a mate is set to more than zero.
    fn has_fixed_limit(&self) -> bool {
        let counts = [self.depth.map(u64::from), self.nodes, self.mate.map(u64::from)];
        self.movetime.is_some_and(|time| !time.is_zero()) || counts.iter().flatten().any(|&n| n > 0)
    }

    /// Whether a clock or an increment is set to more than zero.
    fn has_clock(&self) -> bool {
        self.clock.iter().chain(self.increment.iter()).flatten().any(|time| !time.is_zero())
    }

    /// If our clock is not given, it is taken to show what the opponent's shows or, with only an increment of ours,
    /// zero. Beside another limit, no clock is needed.
    fn complete_clock(&self, turn: Color, limits: &mut Limits) {
        if self.infinite || limits.clock[turn].is_some() || has_fixed_limit(limits) {
            return;
        }
        let increment = self.increment[turn].filter(|increment| !increment.is_zero());
        limits.clock[turn] = self.clock[!turn].or(increment.map(|_| Duration::ZERO));
    }
}

/// Whether a depth, a number of nodes, a time for the move or a mate ends the search.
fn has_fixed_limit(limits: &Limits) -> bool {
    limits.depth.is_some() || limits.nodes.is_some() || limits.movetime.is_some() || limits.mate.is_some()
}

#[cfg(test)]
mod tests;
