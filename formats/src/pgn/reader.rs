//! Games from words: where each begins and ends, what its words mean, and the first word without a meaning.

use std::collections::HashSet;
use std::io::{self, BufRead};

use shakmaty::CastlingMode;

use super::lexer::{self, Lexeme, is_blank, skip_blanks};
use super::lines::Lines;
use super::tags::{self, Tag};
use super::{Fault, GameError, Pgn, Played, Reading, Token, after, quoted};
use ibex::position::notation::{Action, MoveError, is_move_like, read_action, san};
use ibex::position::{Game, Position, Repair};

/// A longer text is not a game.
const LONGEST: usize = 64 << 20;
/// The mark that some programs write at the beginning of a text; it also occurs where files were joined.
const MARK: &[u8] = b"\xEF\xBB\xBF";
/// A result that is also castling.
const BOTH_LOST: &[u8] = b"0-0";
/// Nesting depth of variations, at most.
const DEEPEST: usize = 1000;
/// Plies of a game, at most. By the 75-move rule, every game has ended after 17,697.
const MOST_PLIES: usize = 20_000;
/// Different glyphs of one move, at most; the standard has this many.
const MOST_GLYPHS: usize = 256;

/// The games of a file, one at a time: memory holds one, whatever the size of the file.
pub struct Games<R> {
    lines: Lines<R>,
    line: Vec<u8>,
    /// No tag begins in `line` after this (see [`tags::last_end`]).
    tags_end: usize,
    /// The offset in `line` at which the next game begins.
    at: usize,
    ended: bool,
}

impl<R: BufRead> Games<R> {
    /// Reads games from `input`.
    pub fn new(input: R) -> Games<R> {
        Games { lines: Lines::new(input), line: Vec::new(), tags_end: 0, at: 0, ended: false }
    }

    /// The next game, readable or not; `None` at the end of the input. Empty lines and blanks are not a game, and
    /// remarks after the last one are marked as such.
    ///
    /// # Errors
    ///
    /// The input's own, and a game too long for memory.
    pub fn next_game(&mut self) -> io::Result<Option<Reading>> {
        let mut builder: Option<Builder> = None;
        loop {
            if self.at >= self.line.len() {
                if self.ended || !self.lines.next(&mut self.line)? {
                    self.ended = true;
                    return Ok(builder.map(Builder::finish));
                }
                self.at = 0;
                self.tags_end = tags::last_end(&self.line);
            }
            if builder.is_none() {
                let bracket = skip_blanks(&self.line, self.at);
                let mark = lexer::forum_mark(&self.line[bracket..]);
                self.at = if mark > 0 { bracket + mark } else { self.at };
                if is_blank(&self.line[self.at..]) {
                    self.at = self.line.len();
                    continue;
                }
                builder = Some(Builder::new(self.lines.number));
            }
            let Some(building) = &mut builder else { continue };
            let end = building.take_line(&self.line, self.at, self.tags_end, self.lines.number);
            let taken = end.unwrap_or(self.line.len());
            building.text.extend(&self.line[self.at..taken]);
            self.at = taken;
            if end.is_some() {
                return Ok(builder.map(Builder::finish));
            }
            if building.text.len() > LONGEST {
                let reason = format!("the game from line {} on is too long", building.begins);
                return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
            }
        }
    }
}

/// The main line, or an open variation.
struct Level {
    /// The line where it begins.
    line: usize,
    /// The position after its moves so far; `None` after a move that is not legal.
    position: Option<Position>,
    /// The same before the last of them.
    before: Option<Position>,
    /// Whether it has a move.
    moved: bool,
}

/// A game that is being read.
struct Builder {
    /// The line where it begins.
    begins: usize,
    text: Vec<u8>,
    tags: Vec<Tag>,
    /// Their names, in lower case.
    names: HashSet<Vec<u8>>,
    /// The line of the tag `FEN`.
    fen_line: Option<usize>,
    /// The line of the tag `Variant`.
    variant_line: Option<usize>,
    fault: Option<Fault>,
    remarks: Vec<Fault>,
    before: Vec<Token>,
    moves: Vec<Played>,
    result: Option<&'static str>,
    /// Whether there was anything other than tags and comments.
    movetext: bool,
    /// Where the game begins, as soon as the tags are known.
    start: Option<Position>,
    /// The main line, and the open variations; empty before the start is known.
    levels: Vec<Level>,
    /// The open comment, and the line where it begins.
    comment: Option<(usize, Vec<u8>)>,
    /// After a fault: the number of open variations.
    lost_depth: usize,
    /// Whether the previous line was empty.
    after_empty_line: bool,
    /// The move numbers of the file minus ours, from the first on.
    numbering: Option<i128>,
    renumbered: bool,
    /// Whether an empty line has ended the tags.
    tags_ended: bool,
    /// Whether the move number 1 has come.
    first_number_seen: bool,
}

impl Builder {
    fn new(begins: usize) -> Builder {
        Builder {
            begins,
            text: Vec::new(),
            tags: Vec::new(),
            names: HashSet::new(),
            fen_line: None,
            variant_line: None,
            fault: None,
            remarks: Vec::new(),
            before: Vec::new(),
            moves: Vec::new(),
            result: None,
            movetext: false,
            start: None,
            levels: Vec::new(),
            comment: None,
            lost_depth: 0,
            after_empty_line: false,
            numbering: None,
            renumbered: false,
            tags_ended: false,
            first_number_seen: false,
        }
    }

    /// Takes what belongs to this game from `line`, from `at` on. Returns where the game ends; `None` if it takes the
    /// whole line and may go on. No tag begins after `tags_end`.
    fn take_line(&mut self, line: &[u8], mut at: usize, tags_end: usize, number: usize) -> Option<usize> {
        if is_blank(&line[at..]) {
            if let Some((_, comment)) = &mut self.comment {
                comment.extend(&line[at..]);
            }
            self.after_empty_line = true;
            self.tags_ended |= !self.tags.is_empty();
            return None;
        }
        if self.comment.is_some() && self.after_empty_line && at == 0 && tags::is_whole(line) {
            // The next game, not preceded by a brace.
            return Some(0);
        }
        if self.comment.is_none()
            && at == 0
            && let Some(text) = escape(line)
        {
            if self.result.is_some() && self.after_empty_line {
                return Some(0);
            }
            self.add_token(Token::Escape(text.to_vec()));
            self.after_empty_line = false;
            return None;
        }
        while at < line.len() {
            if self.comment.is_some() {
                at = self.take_comment(line, at);
                continue;
            }
            let gap = at;
            at = skip_blanks(line, at);
            if at == line.len() {
                break;
            }
            let mark = lexer::forum_mark(&line[at..]);
            if mark > 0 {
                at += mark;
                continue;
            }
            if line[at] == b'['
                && (at < tags_end || self.tags_may_come())
                && let Some((tag, length)) = self.tag_at(&line[at..])
            {
                if !self.tags_may_come() || (self.after_empty_line && self.begins_another(&tag)) {
                    return Some(gap);
                }
                self.add_tag(tag, number);
                at += length;
                self.after_empty_line = false;
                continue;
            }
            let (lexeme, length) = lexer::next(&line[at..]);
            if self.ends_before(&lexeme) {
                return Some(gap);
            }
            self.after_empty_line = false;
            self.take_lexeme(lexeme, number);
            at += length;
        }
        self.after_empty_line = false;
        None
    }

    /// Whether a tag belongs to this game: before the first word, and after words that are neither moves nor a result,
    /// as long as no empty line has ended the tags. Otherwise the rest of the tags would be a game of its own, without the
    /// FEN before it.
    fn tags_may_come(&self) -> bool {
        let is_among_tags = !self.tags.is_empty() && !self.tags_ended;
        !self.movetext || is_among_tags && self.moves.is_empty() && self.result.is_none()
    }

    /// The tag at the beginning of `rest`, and its length in bytes. An unreadable tag is one only where tags may come:
    /// brackets among the moves are words.
    fn tag_at(&self, rest: &[u8]) -> Option<(Tag, usize)> {
        match Tag::read(rest) {
            Some((Tag::Unread(_), _)) if !self.tags_may_come() => None,
            None if self.tags_may_come() => tags::unread(rest, !self.tags.is_empty()),
            read => read,
        }
    }

    /// Whether a tag after an empty line belongs to another game.
    fn begins_another(&self, tag: &Tag) -> bool {
        let name = tag.name().map(<[u8]>::to_ascii_lowercase);
        !self.tags.is_empty() && name.is_some_and(|name| name == b"event" || self.names.contains(&name))
    }

    /// Whether a word is the first of another game.
    fn ends_before(&self, lexeme: &Lexeme<'_>) -> bool {
        let first_number = matches!(lexeme, Lexeme::Number(Some(1)));
        if self.result.is_some() && self.levels.len() <= 1 {
            // After the result, comments and glyphs belong to the game until an empty line.
            let belongs = matches!(lexeme, Lexeme::Brace | Lexeme::Line(_) | Lexeme::Nag(_));
            return self.after_empty_line || !belongs;
        }
        // A game without a result, whose successor has no tags.
        if !self.after_empty_line {
            return false;
        }
        // The moves after tags that cannot be read are those of this game, and are not searched from another position.
        let lost = self.fault.is_some()
            && self.movetext
            && (self.tags.is_empty() || self.first_number_seen || !self.moves.is_empty());
        first_number && (lost || self.is_past_first_move()) || self.goes_on_without_number(lexeme)
    }

    /// Whether a word is a move that does not continue the main line: moves without numbers, or White's without its
    /// number.
    fn goes_on_without_number(&self, lexeme: &Lexeme<'_>) -> bool {
        let Lexeme::Word(word) = lexeme else { return false };
        let [main] = self.levels.as_slice() else { return false };
        let is_due = |position: &Position| self.numbering.is_some() && position.turn().is_black();
        let continues = main.position.as_ref().is_none_or(is_due);
        !continues && !self.moves.is_empty() && is_move_like(&String::from_utf8_lossy(word))
    }

    /// Whether the number 1 cannot continue what has been read: the main line, or an open variation.
    fn is_past_first_move(&self) -> bool {
        let [_, .., variation] = self.levels.as_slice() else { return self.moves.len() > 1 };
        let number = |position: &Position| position.fullmoves();
        variation.position.as_ref().map(number) != self.start.as_ref().map(number)
    }

    fn add_tag(&mut self, tag: Tag, line: usize) {
        if let Tag::Unread(text) = &tag {
            let inner = text[skip_blanks(text, 1)..].to_ascii_uppercase();
            // Without these, the moves have no starting position.
            let decides = inner.starts_with(b"FEN") || inner.starts_with(b"VARIANT");
            let reason = format!("{} is not a tag", quoted(text));
            if decides {
                self.set_fault(line, reason);
            } else {
                self.remarks.push(Fault { line, reason: format!("{reason}: kept as it stands") });
            }
        }
        let is = |known: &[u8]| tag.name().is_some_and(|name| name.eq_ignore_ascii_case(known));
        // A word before the tag, such as a number, has set up another position.
        (self.start, self.numbering) = (None, None);
        self.levels.clear();
        if is(b"FEN") {
            self.fen_line.get_or_insert(line);
        } else if is(b"Variant") {
            self.variant_line.get_or_insert(line);
        }
        self.names.extend(tag.name().map(<[u8]>::to_ascii_lowercase));
        self.tags.push(tag);
    }

    /// The line of the tag that a fault is about, if it is about one.
    fn tag_line(&self, reason: &GameError) -> Option<usize> {
        match reason {
            GameError::Variant(_) => self.variant_line,
            GameError::Fen(_) | GameError::FenNotText | GameError::TwoFens => self.fen_line,
            _ => None,
        }
    }

    fn set_fault(&mut self, line: usize, reason: String) {
        self.fault.get_or_insert(Fault { line, reason });
    }

    fn take_lexeme(&mut self, lexeme: Lexeme<'_>, line: usize) {
        self.first_number_seen |= matches!(lexeme, Lexeme::Number(Some(1)));
        match lexeme {
            Lexeme::Brace => return self.comment = Some((line, Vec::new())),
            Lexeme::Line(comment) if comment.contains(&b'}') => return self.add_token(Token::Line(comment.to_vec())),
            Lexeme::Line(comment) => return self.add_token(Token::Comment(comment.to_vec())),
            _ => self.movetext = true,
        }
        if self.fault.is_some() {
            // Now only the end of the game matters.
            match lexeme {
                Lexeme::Open => self.lost_depth += 1,
                Lexeme::Close => self.lost_depth = self.lost_depth.saturating_sub(1),
                Lexeme::Result(result) if self.lost_depth == 0 => self.result = Some(result),
                _ => {}
            }
            return;
        }
        if let Err(reason) = self.begin().and_then(|()| self.interpret(lexeme, line)) {
            self.lost_depth = self.levels.len().saturating_sub(1);
            self.levels.clear();
            // The first word reveals what is wrong with the tags before it.
            self.set_fault(self.tag_line(&reason).unwrap_or(line), reason.to_string());
        }
    }

    /// Sets up the position before the first word.
    fn begin(&mut self) -> Result<(), GameError> {
        if self.start.is_none() {
            let (start, repairs) = first_position(&self.tags)?;
            let line = self.fen_line.unwrap_or(self.begins);
            self.remarks.extend(repairs.iter().map(|repair| Fault { line, reason: format!("FEN: {repair}") }));
            self.start = Some(start);
            self.levels.push(Level { line: self.begins, position: Some(start), before: None, moved: false });
        }
        Ok(())
    }

    fn interpret(&mut self, lexeme: Lexeme<'_>, line: usize) -> Result<(), GameError> {
        let depth = self.levels.len();
        match lexeme {
            Lexeme::Open => {
                let (false, Some(level)) = (depth > DEEPEST, self.levels.last()) else {
                    return Err(GameError::TooDeep);
                };
                if !level.moved {
                    return Err(GameError::VariationBeforeMove);
                }
                let position = level.before;
                self.levels.push(Level { line, position, before: None, moved: false });
                self.add_token(Token::Open);
            }
            Lexeme::Close if depth <= 1 => return Err(GameError::CloseWithoutOpen),
            Lexeme::Close => {
                if self.levels.pop().is_some_and(|level| level.moved) {
                    self.add_token(Token::Close);
                } else {
                    self.drop_parentheses();
                }
            }
            Lexeme::Nag(nag) if depth > 1 => self.add_token(Token::Nag(nag)),
            Lexeme::Nag(nag) => match self.moves.last_mut() {
                Some(played) if played.nags.contains(&nag) => {}
                Some(played) if played.nags.len() == MOST_GLYPHS => return Err(GameError::TooManyGlyphs(MOST_GLYPHS)),
                Some(played) => played.nags.push(nag),
                None => self.before.push(Token::Nag(nag)),
            },
            Lexeme::Number(number) if depth == 1 => self.check_number(number, line),
            Lexeme::Number(_) => {}
            // Programs also end a variation with the result.
            Lexeme::Result(result) if depth > 1 => self.add_token(Token::Comment(result.into())),
            Lexeme::Result(result) => self.result = Some(result),
            Lexeme::Word(word) if depth > 1 => return self.take_variation_word(word, line),
            Lexeme::Word(word) => return self.take_main_word(word, line),
            Lexeme::Brace | Lexeme::Line(_) => {}
        }
        Ok(())
    }

    /// Compares a move number of the main line with ours, the one that will be written.
    fn check_number(&mut self, number: Option<u64>, line: usize) {
        let (Some(number), Some(start)) = (number, &self.start) else { return };
        let first = i128::from(start.fullmoves().get());
        let black = usize::from(start.turn().is_black());
        let due = first + i128::try_from((self.moves.len() + black) / 2).unwrap_or_default();
        let ahead = i128::from(number) - due;
        let expected = *self.numbering.get_or_insert(ahead);
        if (ahead != expected || ahead != 0) && !self.renumbered {
            self.renumbered = true;
            self.remarks.push(Fault { line, reason: format!("move number {number} is now {due}") });
        }
    }

    fn take_main_word(&mut self, word: &[u8], line: usize) -> Result<(), GameError> {
        let text = String::from_utf8_lossy(word);
        if let Some(played) = self.moves.last()
            && is_mark_of(&text, Some(played.action))
        {
            return Ok(());
        }
        let Some(level) = self.levels.last_mut() else { return Ok(()) };
        let Some(position) = &level.position else { return Ok(()) };
        let action = match read_action(position, &text) {
            Ok(action) => action,
            // Both have lost by default: a result, in a position where castling would not be legal.
            Err(MoveError::Illegal) if word == BOTH_LOST && tags::find(&self.tags, "Result") == Some(BOTH_LOST) => {
                self.result = Some("0-0");
                return Ok(());
            }
            Err(reason) => {
                let Some((action, marks)) = without_signs(position, &text) else {
                    return Err(unreadable(word, position, reason));
                };
                self.remarks.push(left_out(&marks, line));
                let Some(action) = action else { return Ok(()) };
                action
            }
        };
        if self.moves.len() == MOST_PLIES {
            return Err(GameError::TooLong(MOST_PLIES));
        }
        let san = match action {
            Action::Move(m) => san(position, m),
            Action::Pass => "--".to_owned(),
        };
        let next = after(position, action);
        level.before = level.position.replace(next);
        level.moved = true;
        self.moves.push(Played { action, san, nags: Vec::new(), after: Vec::new() });
        Ok(())
    }

    fn take_variation_word(&mut self, word: &[u8], line: usize) -> Result<(), GameError> {
        let text = String::from_utf8_lossy(word);
        let Some(level) = self.levels.last_mut() else { return Ok(()) };
        let mut read = level.position.as_ref().map(|position| (position, read_action(position, &text)));
        if let Some((position, Err(_))) = read
            && !(level.moved && is_mark_of(&text, None))
            && let Some((action, marks)) = without_signs(position, &text)
        {
            self.remarks.push(left_out(&marks, line));
            let Some(action) = action else { return Ok(()) };
            read = Some((position, Ok(action)));
        }
        let token = match read {
            Some((position, Ok(action))) => {
                let san = match action {
                    Action::Move(m) => san(position, m),
                    Action::Pass => "--".to_owned(),
                };
                let next = after(position, action);
                level.before = level.position.replace(next);
                Token::San(san)
            }
            // Variations are not searched: an illegal move stays as it stands, and so does what follows it.
            _ if is_move_like(&text) => {
                level.before = level.position.take();
                Token::San(text.into_owned())
            }
            _ if level.moved && is_mark_of(&text, None) => return Ok(()),
            // "(0:05)": some programs write the time of a move like this.
            _ if !level.moved && is_time(word) => {
                self.add_token(Token::Comment(format!("({text})").into_bytes()));
                return Ok(());
            }
            Some((position, Err(reason))) => return Err(unreadable(word, position, reason)),
            None => return Err(GameError::Word(word.to_owned())),
        };
        level.moved = true;
        self.add_token(token);
        Ok(())
    }

    /// Removes the last open parenthesis, which contained no move. Its comments stay.
    fn drop_parentheses(&mut self) {
        let tokens = self.moves.last_mut().map_or(&mut self.before, |played| &mut played.after);
        if let Some(open) = tokens.iter().rposition(|token| *token == Token::Open) {
            let kept = tokens.split_off(open + 1);
            tokens.pop();
            kept.into_iter().for_each(|token| push(tokens, token));
        }
    }

    /// Takes what belongs to the open comment from `line`, from `at` on. Returns how far that goes.
    fn take_comment(&mut self, line: &[u8], at: usize) -> usize {
        let brace = line[at..].iter().position(|&byte| byte == b'}');
        let end = brace.map_or(line.len(), |brace| at + brace);
        if let Some((_, comment)) = &mut self.comment {
            comment.extend(&line[at..end]);
        }
        if brace.is_none() {
            return end;
        }
        self.after_empty_line = false;
        if let Some((_, comment)) = self.comment.take() {
            self.add_token(Token::Comment(comment));
        }
        end + 1
    }

    /// Adds a token after the last move of the main line, or before the first.
    fn add_token(&mut self, token: Token) {
        let tokens = self.moves.last_mut().map_or(&mut self.before, |played| &mut played.after);
        push(tokens, token);
    }

    fn finish(mut self) -> Reading {
        if let Some((line, _)) = self.comment {
            self.set_fault(line, "an unterminated comment".to_owned());
        } else if let [_, .., open] = self.levels.as_slice() {
            let line = open.line;
            self.set_fault(line, "an unterminated variation".to_owned());
        }
        let title = tags::title(&self.tags);
        let players = ["White", "Black"].map(|tag| tags::find(&self.tags, tag).map(<[u8]>::to_vec));
        if self.fault.is_none()
            && let Err(reason) = self.begin()
        {
            self.set_fault(self.tag_line(&reason).unwrap_or(self.begins), reason.to_string());
        }
        let only_remarks = self.fault.is_none() && self.tags.is_empty() && !self.movetext;
        if self.fault.is_none() && self.tags.is_empty() && self.moves.is_empty() {
            self.set_fault(self.begins, "no game: neither tags nor moves".to_owned());
        }
        let tag = tags::find(&self.tags, "Result");
        let is_known = |result: &[u8]| matches!(result, b"1-0" | b"0-1" | b"1/2-1/2");
        if let (Some(tag), Some(result)) = (tag.map(<[u8]>::trim_ascii), self.result)
            && is_known(tag)
            && is_known(result.as_bytes())
            && tag != result.as_bytes()
        {
            let reason = format!("the moves end with {result}, the tag Result has {}", quoted(tag));
            self.remarks.push(Fault { line: self.begins, reason });
        }
        let game = match (self.fault, self.start) {
            (None, Some(start)) => Ok(Pgn {
                result: self
                    .result
                    .unwrap_or_else(|| {
                        let known = ["1-0", "0-1", "1/2-1/2"];
                        known.into_iter().find(|result| tag == Some(result.as_bytes())).unwrap_or("*")
                    })
                    .to_owned(),
                tags: self.tags,
                start: Game::new(start),
                before: self.before,
                moves: self.moves,
            }),
            (fault, _) => Err(fault.unwrap_or(Fault { line: self.begins, reason: "no position".to_owned() })),
        };
        let (line, text, remarks) = (self.begins, self.text, self.remarks);
        Reading { line, text, title, players, game, only_remarks, remarks }
    }
}

/// What follows the percent sign of an escape line. Byte order marks may precede it.
fn escape(line: &[u8]) -> Option<&[u8]> {
    let mut rest = line;
    while let Some(behind) = rest.strip_prefix(MARK) {
        rest = behind;
    }
    Some(rest.strip_prefix(b"%")?.trim_ascii_end())
}

/// Adds a token; comments in a row become one, and glyphs go before the comment of their move.
fn push(tokens: &mut Vec<Token>, token: Token) {
    let token = match token {
        Token::Comment(comment) if comment.trim_ascii().is_empty() => return,
        Token::Comment(comment) => Token::Comment(comment.trim_ascii().to_vec()),
        Token::Line(comment) => Token::Line(comment.trim_ascii().to_vec()),
        other => other,
    };
    match (tokens.last_mut(), token) {
        (Some(Token::Comment(last)), Token::Comment(more)) => {
            last.push(b' ');
            last.extend(more);
        }
        (Some(Token::Comment(_) | Token::Line(_)), Token::Nag(nag)) => {
            tokens.insert(tokens.len() - 1, Token::Nag(nag));
        }
        (_, token) => tokens.push(token),
    }
}

fn unreadable(word: &[u8], position: &Position, source: MoveError) -> GameError {
    let number = position.fullmoves().get();
    GameError::Move { number, white: position.turn().is_white(), word: word.to_owned(), source }
}

/// The move in a word that is one without the signs at its ends, and these signs; `None` for the move if there are only
/// signs. A glyph of some program is no reason to lose a game.
fn without_signs(position: &Position, word: &str) -> Option<(Option<Action>, String)> {
    let is_sign = |c: char| !c.is_alphanumeric() && !c.is_control() && !"[](){}$\u{FFFD}".contains(c);
    let bare = word.trim_matches(is_sign);
    if bare.is_empty() {
        return Some((None, word.to_owned()));
    }
    Some((Some(read_action(position, bare).ok()?), word.replacen(bare, "", 1)))
}

/// The remark on signs that are left out.
fn left_out(signs: &str, line: usize) -> Fault {
    Fault { line, reason: format!("{} is not understood: left out", quoted(signs.as_bytes())) }
}

/// Whether a word belongs to the previous move: a mark of check or mate, or of an en passant capture.
fn is_mark_of(word: &str, action: Option<Action>) -> bool {
    let passing = match action {
        None => true,
        Some(Action::Move(m)) => m.is_en_passant(),
        Some(Action::Pass) => false,
    };
    matches!(word, "+" | "++" | "#" | "†" | "‡") || (passing && matches!(word, "e.p." | "ep" | "ep." | "e.p"))
}

/// Whether a word is a time: digits, colons, and one dot.
fn is_time(word: &[u8]) -> bool {
    word.contains(&b':') && word.iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b':' | b'.'))
}

/// Whether a variant is Chess960, by its usual names in any case, with blanks or without; `None` if Ibex does not play it.
fn is_chess960(variant: &[u8]) -> Option<bool> {
    let text = String::from_utf8_lossy(variant).to_lowercase();
    let name: String = text.chars().filter(|c| c.is_alphanumeric()).collect();
    match name.as_str() {
        "" | "standard" | "chess" | "normal" | "fromposition" | "standardchess" | "orthodox" | "orthochess"
        | "classical" => Some(false),
        "chess960"
        | "960"
        | "frc"
        | "fischerandom"
        | "fischerrandom"
        | "fischerandomchess"
        | "fischerrandomchess"
        | "freestyle"
        | "freestylechess"
        | "chess9lx"
        | "chess960fischerrandom"
        | "fischerrandomchess960" => Some(true),
        _ => None,
    }
}

/// The position in which a game with these tags begins, and what was changed in their FEN.
fn first_position(tags: &[Tag]) -> Result<(Position, Vec<Repair>), GameError> {
    let chess960 = match tags::find(tags, "Variant") {
        None => false,
        Some(variant) => is_chess960(variant).ok_or_else(|| GameError::Variant(variant.to_ascii_lowercase()))?,
    };
    let Some(fen) = tags::find(tags, "FEN") else { return Ok((Position::startpos(), Vec::new())) };
    let another = tags.iter().any(
        |tag| matches!(tag, Tag::Pair(name, value) if name.eq_ignore_ascii_case(b"FEN") && value.as_slice() != fen),
    );
    if another {
        return Err(GameError::TwoFens);
    }
    let fen = std::str::from_utf8(fen).map_err(|_| GameError::FenNotText)?;
    Ok(Position::from_any_fen(fen, chess960.then_some(CastlingMode::Chess960))?)
}
