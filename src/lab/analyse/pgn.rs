//! One game in Portable Game Notation: read into memory, and written again.
//!
//! Kept are tags, moves, comments in braces (the reader passes over those from `;` on), glyphs and variations. Variations
//! are not looked at: their moves are written as they were read. What an earlier analysis has left (`[%eval ...]`, the
//! marks `!` to `?!` of moves) gives way to ours.

use std::ops::ControlFlow;

use pgn_reader::{Nag, Outcome, RawComment, RawTag, SanPlus, Skip, Visitor};
use shakmaty::{CastlingMode, Color, Move};

use crate::position::{Game, Position};

/// Lines of movetext are broken before they are longer than this.
const WIDTH: usize = 80;
/// Variations within variations beyond this depth are dropped.
const DEEPEST: usize = 100;

/// What stands in a variation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token {
    /// A move.
    San(String),
    /// A numeric annotation glyph.
    Nag(u8),
    /// A comment without its braces.
    Comment(Vec<u8>),
    /// The beginning of a variation to the last move.
    Open,
    /// Its end.
    Close,
}

/// A move of the game with what is said of it.
#[derive(Clone, Debug)]
pub struct Played {
    /// The move.
    pub chosen: Move,
    /// The same in algebraic notation, with check marks.
    pub san: String,
    /// Glyphs.
    pub nags: Vec<u8>,
    /// Comments, variations and glyphs after it.
    pub after: Vec<Token>,
}

/// A game.
#[derive(Clone, Debug)]
pub struct Pgn {
    /// Names and values of the tags, decoded.
    pub tags: Vec<(Vec<u8>, Vec<u8>)>,
    /// Where it begins.
    pub start: Game,
    /// Comments before the first move.
    pub before: Vec<Token>,
    /// The moves.
    pub moves: Vec<Played>,
    /// The result as it is written.
    pub result: String,
}

impl Pgn {
    /// The value of a tag.
    pub fn tag(&self, name: &str) -> Option<&[u8]> {
        find(&self.tags, name)
    }

    /// The game's players, for messages.
    pub fn title(&self) -> String {
        title(&self.tags)
    }

    /// The text of the game, with an empty line at its end.
    pub fn write(&self, annotator: &str) -> Vec<u8> {
        let mut text = Vec::new();
        let ours = self.tag("Annotator").is_none().then(|| (b"Annotator".to_vec(), annotator.as_bytes().to_vec()));
        for (name, value) in self.tags.iter().chain(&ours) {
            text.push(b'[');
            text.extend(name);
            text.extend(b" \"");
            for &byte in value {
                if matches!(byte, b'"' | b'\\') {
                    text.push(b'\\');
                }
                text.push(byte);
            }
            text.extend(b"\"]\n");
        }
        text.push(b'\n');
        let mut writer = MoveWriter::new(&self.start);
        writer.tokens(&self.before);
        for played in &self.moves {
            writer.san(&played.san);
            played.nags.iter().for_each(|nag| writer.word(format!("${nag}").as_bytes()));
            writer.tokens(&played.after);
        }
        writer.word(self.result.as_bytes());
        text.extend(writer.text);
        text.extend(b"\n\n");
        text
    }
}

fn find<'a>(tags: &'a [(Vec<u8>, Vec<u8>)], name: &str) -> Option<&'a [u8]> {
    let known = tags.iter().find(|(known, _)| known.eq_ignore_ascii_case(name.as_bytes()));
    known.map(|(_, value)| value.as_slice())
}

fn title(tags: &[(Vec<u8>, Vec<u8>)]) -> String {
    let name = |tag| find(tags, tag).map_or_else(|| "?".into(), String::from_utf8_lossy);
    format!("{} - {}", name("White"), name("Black"))
}

/// Writes movetext: numbers where they are needed, lines of moderate length.
struct MoveWriter {
    text: Vec<u8>,
    column: usize,
    /// Half-moves since Black's zeroth, in the game and in each open variation.
    plies: Vec<u64>,
    /// Whether the next move of Black needs its number, too.
    interrupted: bool,
}

impl MoveWriter {
    fn new(start: &Game) -> MoveWriter {
        let chess = start.position().chess();
        let fullmoves = u64::from(shakmaty::Position::fullmoves(chess).get());
        let ply = 2 * fullmoves + u64::from(start.position().turn() == Color::Black);
        MoveWriter { text: Vec::new(), column: 0, plies: vec![ply], interrupted: true }
    }

    fn word(&mut self, word: &[u8]) {
        if self.column > 0 && self.column + 1 + word.len() > WIDTH {
            self.text.push(b'\n');
            self.column = 0;
        } else if self.column > 0 {
            self.text.push(b' ');
            self.column += 1;
        }
        self.text.extend(word);
        self.column += word.len();
    }

    fn san(&mut self, san: &str) {
        let ply = self.plies.last().copied().unwrap_or_default();
        match (ply % 2, self.interrupted) {
            (0, _) => self.word(format!("{}.", ply / 2).as_bytes()),
            (_, true) => self.word(format!("{}...", ply / 2).as_bytes()),
            _ => {}
        }
        self.interrupted = false;
        self.word(san.as_bytes());
        if let Some(ply) = self.plies.last_mut() {
            *ply += 1;
        }
    }

    fn tokens(&mut self, tokens: &[Token]) {
        for token in tokens {
            match token {
                Token::San(san) => self.san(san),
                Token::Nag(nag) => self.word(format!("${nag}").as_bytes()),
                Token::Comment(comment) => {
                    self.word(b"{");
                    words(comment).for_each(|word| self.word(word));
                    self.word(b"}");
                    self.interrupted = true;
                }
                Token::Open => {
                    self.word(b"(");
                    let ply = self.plies.last().copied().unwrap_or_default();
                    self.plies.push(ply.saturating_sub(1));
                    self.interrupted = true;
                }
                Token::Close => {
                    self.word(b")");
                    self.plies.pop();
                    self.interrupted = true;
                }
            }
        }
    }
}

/// The words of a comment; a command, as `[%eval 0.31,18]` is one, stays on one line.
fn words(comment: &[u8]) -> impl Iterator<Item = &[u8]> {
    let (mut before, mut command) = (0, false);
    comment
        .split(move |&byte| {
            command = byte != b']' && (command || (before, byte) == (b'[', b'%'));
            before = byte;
            byte.is_ascii_whitespace() && !command
        })
        .filter(|word| !word.is_empty())
}

/// Reads games for [`pgn_reader::Reader`]; what comes out is a game, or why it cannot be analysed.
#[derive(Debug, Default)]
pub struct GameReader;

/// A game that is being read.
pub struct Reading {
    pgn: Pgn,
    /// The position after the moves so far.
    position: Position,
    /// Variations that are open.
    depth: usize,
    /// A comment of which only the beginning has come.
    partial: Vec<u8>,
}

impl Reading {
    fn remark(&mut self, token: Token) {
        match self.pgn.moves.last_mut() {
            Some(played) => played.after.push(token),
            None if matches!(token, Token::Comment(_)) => self.pgn.before.push(token),
            None => {}
        }
    }
}

impl Visitor for GameReader {
    type Tags = Vec<(Vec<u8>, Vec<u8>)>;
    type Movetext = Reading;
    type Output = Result<Pgn, String>;

    fn begin_tags(&mut self) -> ControlFlow<Self::Output, Self::Tags> {
        ControlFlow::Continue(Vec::new())
    }

    fn tag(&mut self, tags: &mut Self::Tags, name: &[u8], value: RawTag<'_>) -> ControlFlow<Self::Output> {
        // A tag is one line; a reader takes more for one where the line ends in a backslash.
        let visible = |&byte: &u8| if byte.is_ascii_control() { b' ' } else { byte };
        tags.push((name.to_vec(), value.decode().trim_ascii_end().iter().map(visible).collect()));
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, tags: Self::Tags) -> ControlFlow<Self::Output, Self::Movetext> {
        match first_position(&tags) {
            Ok(position) => {
                let pgn = Pgn {
                    tags,
                    start: Game::new(position.clone()),
                    before: Vec::new(),
                    moves: Vec::new(),
                    result: String::new(),
                };
                ControlFlow::Continue(Reading { pgn, position, depth: 0, partial: Vec::new() })
            }
            Err(reason) => ControlFlow::Break(Err(format!("{}: {reason}", title(&tags)))),
        }
    }

    fn san(&mut self, game: &mut Reading, san: SanPlus) -> ControlFlow<Self::Output> {
        if game.depth > 0 {
            if game.depth <= DEEPEST {
                game.remark(Token::San(san.to_string()));
            }
            return ControlFlow::Continue(());
        }
        let Ok(chosen) = san.san.to_move(game.position.chess()) else {
            let dots = if game.position.turn().is_white() { "." } else { "..." };
            let number = shakmaty::Position::fullmoves(game.position.chess());
            return ControlFlow::Break(Err(format!("{}: {number}{dots} {san} is not legal", game.pgn.title())));
        };
        let san = crate::position::notation::san(&game.position, chosen);
        game.position.play(chosen);
        game.pgn.moves.push(Played { chosen, san, nags: Vec::new(), after: Vec::new() });
        ControlFlow::Continue(())
    }

    fn nag(&mut self, game: &mut Reading, Nag(nag): Nag) -> ControlFlow<Self::Output> {
        if (1..=DEEPEST).contains(&game.depth) {
            game.remark(Token::Nag(nag));
        } else if game.depth == 0
            && !(1..=6).contains(&nag)
            && let Some(played) = game.pgn.moves.last_mut()
        {
            played.nags.push(nag);
        }
        ControlFlow::Continue(())
    }

    fn partial_comment(&mut self, game: &mut Reading, comment: RawComment<'_>) -> ControlFlow<Self::Output> {
        game.partial.extend(comment.as_bytes());
        ControlFlow::Continue(())
    }

    fn comment(&mut self, game: &mut Reading, comment: RawComment<'_>) -> ControlFlow<Self::Output> {
        let mut comment = [std::mem::take(&mut game.partial), comment.as_bytes().to_vec()].concat();
        if game.depth == 0 {
            comment = without_evaluations(&comment);
        }
        if game.depth <= DEEPEST && !comment.trim_ascii().is_empty() {
            game.remark(Token::Comment(comment));
        }
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, game: &mut Reading) -> ControlFlow<Self::Output, Skip> {
        if game.pgn.moves.is_empty() {
            return ControlFlow::Continue(Skip(true));
        }
        game.depth += 1;
        if game.depth <= DEEPEST {
            game.remark(Token::Open);
        }
        ControlFlow::Continue(Skip(false))
    }

    fn end_variation(&mut self, game: &mut Reading) -> ControlFlow<Self::Output> {
        if (1..=DEEPEST).contains(&game.depth) {
            game.remark(Token::Close);
        }
        game.depth = game.depth.saturating_sub(1);
        ControlFlow::Continue(())
    }

    fn outcome(&mut self, game: &mut Reading, outcome: Outcome) -> ControlFlow<Self::Output> {
        if game.depth == 0 {
            game.pgn.result = outcome.to_string();
        }
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, mut game: Reading) -> Self::Output {
        for _ in 0..game.depth.min(DEEPEST) {
            game.remark(Token::Close);
        }
        let mut pgn = game.pgn;
        if pgn.tags.is_empty() && pgn.moves.is_empty() {
            return Err("no game: neither tags nor moves".to_owned());
        }
        if pgn.result.is_empty() {
            const RESULTS: [&str; 3] = ["1-0", "0-1", "1/2-1/2"];
            let told = RESULTS.into_iter().find(|result| pgn.tag("Result") == Some(result.as_bytes()));
            pgn.result = told.unwrap_or("*").to_owned();
        }
        Ok(pgn)
    }
}

/// Where a game with these tags begins.
fn first_position(tags: &[(Vec<u8>, Vec<u8>)]) -> Result<Position, String> {
    let chess960 = match find(tags, "Variant").map(<[u8]>::to_ascii_lowercase) {
        None => false,
        Some(variant) => match variant.as_slice() {
            b"" | b"standard" | b"chess" | b"normal" | b"from position" => false,
            b"chess960" | b"chess 960" | b"fischerandom" | b"fischerrandom" | b"fischer random" | b"freestyle" => true,
            _ => return Err(format!("{} is not played here", String::from_utf8_lossy(&variant))),
        },
    };
    let Some(fen) = find(tags, "FEN") else { return Ok(Position::startpos()) };
    let fen = std::str::from_utf8(fen).map_err(|_| "the FEN is no text".to_owned())?;
    if chess960 { Position::from_fen(fen, CastlingMode::Chess960) } else { crate::position::notation::read_fen(fen) }
        .map_err(|reason| format!("FEN: {reason}"))
}

/// A comment without the evaluations that an earlier analysis has written into it.
fn without_evaluations(comment: &[u8]) -> Vec<u8> {
    const BEGIN: &[u8] = b"[%eval";
    let mut kept = Vec::with_capacity(comment.len());
    let mut rest = comment;
    while let Some(at) = rest.windows(BEGIN.len()).position(|window| window == BEGIN) {
        kept.extend(&rest[..at]);
        let end = rest[at..].iter().position(|&byte| byte == b']');
        rest = end.map_or(&[], |end| &rest[at + end + 1..]);
    }
    kept.extend(rest);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<Result<Pgn, String>> {
        let mut reader = pgn_reader::Reader::new(text.as_bytes());
        reader.read_games(&mut GameReader).map(|game| game.expect("memory can be read")).collect()
    }

    fn rewritten(text: &str) -> String {
        let game = read(text).remove(0).expect("a game");
        String::from_utf8(game.write("x")).expect("text")
    }

    #[test]
    fn what_was_there_is_kept() {
        let text = "[White \"A \\\"B\\\" \\\\\"]\n[Annotator \"me\"]\n\n\
                    { first } 1. e4 $10 { good [%clk 0:01] } ( 1. d4 d5 $1 ( 1... Nf6 { Indian } 2.\n\
                    c4 ) 2. c4 ) 1... e5 2. Nf3 Nc6 1-0\n\n";
        assert_eq!(rewritten(text), text);
        assert_eq!(rewritten(&rewritten(text)), text);
    }

    #[test]
    fn a_tag_is_one_line() {
        assert!(rewritten("[White \"A \\\nB\\\" C\"]\n\n1. e4 *\n").starts_with("[White \"A \\\\ B"));
    }

    #[test]
    fn an_earlier_analysis_gives_way() {
        let text = "[Result \"0-1\"]\n\n1. e4! {[%eval 0.3] [%clk 0:01] x} e5?? {[%eval #3,9]} (1... c5!?) 2. Nf3 {to the} ; not read\n";
        assert_eq!(
            rewritten(text),
            "[Result \"0-1\"]\n[Annotator \"x\"]\n\n1. e4 { [%clk 0:01] x } 1... e5 ( 1... c5 $5 ) 2. Nf3 { to the } 0-1\n\n"
        );
    }

    #[test]
    fn commands_stay_whole() {
        let all: Vec<&[u8]> = words(b" to [sic] [%clk 0:01] [%eval\n1.2,3]x [% open").collect();
        let wanted: [&[u8]; 5] = [b"to", b"[sic]", b"[%clk 0:01]", b"[%eval\n1.2,3]x", b"[% open"];
        assert_eq!(all, wanted);
    }

    #[test]
    fn games_from_positions() {
        let text = "[FEN \"4k3/8/8/8/8/8/4P3/4K3 b - - 0 41\"]\n\nKe7 e4 *\n";
        assert!(rewritten(text).ends_with("\n\n41... Ke7 42. e4 *\n\n"));
        let shuffled =
            "[Variant \"Chess960\"]\n[FEN \"1rk4r/pppppppp/8/8/8/8/PPPPPPPP/1RK4R w HBhb - 0 1\"]\n\n1. O-O-O O-O *\n";
        assert!(rewritten(shuffled).ends_with("\n\n1. O-O-O O-O *\n\n"));
    }

    #[test]
    fn what_cannot_be_played_is_named() {
        let text = "[White \"A\"]\n[Black \"B\"]\n\n1. e4 e5 2. Ke3 Nf6 *\n\n[Variant \"Atomic\"]\n\n1. e4 *\n\n\
                    [FEN \"nonsense\"]\n\n1. e4 *\n\nplain words, no chess\n\n1. e4 (1. d4 (1. c4 e5 *\n";
        let games = read(text);
        let reasons: Vec<&str> = games.iter().filter_map(|game| game.as_ref().err().map(String::as_str)).collect();
        assert_eq!(reasons[0], "A - B: 2. Ke3 is not legal");
        assert_eq!(reasons[1], "? - ?: atomic is not played here");
        assert!(reasons[2].starts_with("? - ?: FEN: "), "{}", reasons[2]);
        assert_eq!(reasons[3], "no game: neither tags nor moves");
        assert_eq!((games.len(), reasons.len()), (5, 4));
        let last = games[4].as_ref().expect("a game").write("x");
        assert!(last.ends_with(b"1. e4 ( 1. d4 ( 1. c4 e5 ) ) *\n\n"), "{}", String::from_utf8_lossy(&last));
    }
}
