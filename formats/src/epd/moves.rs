//! Moves in operations, as people and programs write them.

use shakmaty::san::San;

use super::operations::{Operation, find};
use super::{SuiteError, WordError};
use ibex::position::{Move, Position};

/// The words of an operation that lists moves, separated by blanks, commas or both.
pub(super) fn listed(operation: &Operation) -> impl Iterator<Item = &str> {
    operation.operands.iter().flat_map(|operand| operand.split([',', ' ', '\t'])).filter(|word| !word.is_empty())
}

/// The moves among them: a mark of the previous move may stand alone, as in `Qh4 #`, `exd6 e.p.` or `Nf3 $1`.
pub fn move_words(operation: &Operation) -> impl Iterator<Item = &str> {
    listed(operation).enumerate().filter(|&(index, word)| index == 0 || !is_mark(word)).map(|(_, word)| word)
}

pub(super) fn is_mark(word: &str) -> bool {
    let glyph = word.strip_prefix('$').is_some_and(|n| !n.is_empty() && n.bytes().all(|byte| byte.is_ascii_digit()));
    let word = word.trim_end_matches(MARKS);
    glyph || word.is_empty() || matches!(word, "e.p." | "e.p" | "ep" | "ep.")
}

/// What may follow a move: check, mate and annotations.
pub(super) const MARKS: [char; 4] = ['+', '#', '!', '?'];

/// Whether an operation that lists moves also has annotations.
pub fn has_opinions(operation: &Operation) -> bool {
    listed(operation).any(|word| word.contains(['!', '?', '$']))
}

pub(super) fn moves(position: &Position, operation: &Operation) -> Result<Vec<Move>, SuiteError> {
    let opcode = || operation.opcode.clone();
    let mut found = Vec::new();
    for word in move_words(operation) {
        let m = read_move(position, word).map_err(|source| SuiteError::Move { opcode: opcode(), source })?;
        if !found.contains(&m) {
            found.push(m);
        }
    }
    if found.is_empty() { Err(SuiteError::NoMove(opcode())) } else { Ok(found) }
}

/// The moves of a line; `None` if one of them cannot be read.
pub(super) fn line_of_play(position: &Position, operation: &Operation) -> Option<Vec<Move>> {
    let mut position = *position;
    let mut line = Vec::new();
    for word in move_words(operation) {
        let m = read_move(&position, word).ok()?;
        line.push(m);
        position.play(m);
    }
    Some(line)
}

/// Points for moves. A `c0` that is prose, or lists of different lengths, are ordinary comments.
pub(super) fn points(position: &Position, operations: &[Operation]) -> Result<Vec<(Move, i32)>, SuiteError> {
    let aligned = |names: &str| -> Option<Vec<(String, i32)>> {
        let numbers: Vec<i32> = listed(find(operations, "c8")?)
            .map(str::parse)
            .collect::<Result<_, _>>()
            .ok()
            .filter(|n: &Vec<_>| !n.is_empty())?;
        let names: Vec<String> = listed(find(operations, names)?).map(str::to_owned).collect();
        (names.len() == numbers.len()).then(|| names.into_iter().zip(numbers).collect())
    };
    let inline = || -> Option<Vec<(String, i32)>> {
        let list: Vec<_> = listed(find(operations, "c0")?)
            .map(|word| {
                // Promotions contain an equals sign, too: the last one separates.
                let (name, points) = word.rsplit_once('=')?;
                Some((name.to_owned(), points.parse().ok()?))
            })
            .collect::<Option<_>>()?;
        (!list.is_empty()).then_some(list)
    };
    let Some(list) = aligned("c9").or_else(|| aligned("c7")).or_else(inline) else { return Ok(Vec::new()) };
    // `c0 "Elo=2500"` is prose, too.
    if list.iter().all(|(name, _)| !looks_like_a_move(name)) {
        return Ok(Vec::new());
    }
    // If a move occurs twice, the later number counts: published suites have such lines.
    let mut unique: Vec<(Move, i32)> = Vec::with_capacity(list.len());
    for (name, points) in list {
        let m = read_move(position, &name).map_err(SuiteError::Points)?;
        match unique.iter_mut().find(|(known, _)| *known == m) {
            Some(known) => known.1 = points,
            None => unique.push((m, points)),
        }
    }
    Ok(unique)
}

/// Reads a move in standard algebraic notation (check marks, capture signs and annotations are optional, and castling
/// may be written with zeros) or in UCI notation.
///
/// # Errors
///
/// [`WordError::NotAMove`] if the word does not look like a move, [`WordError::Illegal`] if no legal move fits,
/// [`WordError::Ambiguous`] if several do.
pub fn read_move(position: &Position, word: &str) -> Result<Move, WordError> {
    read_san(position, word)
        .or_else(|reason| position.parse_move(word).or_else(|| position.parse_move(&word.to_lowercase())).ok_or(reason))
}

pub(super) fn looks_like_a_move(word: &str) -> bool {
    let bare = word.trim_end_matches(MARKS);
    San::from_ascii(bare.as_bytes()).is_ok() || bare.parse::<shakmaty::uci::UciMove>().is_ok()
}

pub(super) fn read_san(position: &Position, word: &str) -> Result<Move, WordError> {
    let unreadable = || WordError::NotAMove(word.to_owned());
    if !word.is_ascii() {
        return Err(unreadable());
    }
    let bare = word.trim_end_matches(MARKS);
    let bare = bare.strip_suffix("e.p.").unwrap_or(bare).trim_end_matches(MARKS);
    let mut text = if bare.starts_with("0-0") { bare.replace('0', "O") } else { bare.to_owned() };
    // "e8Q": the equals sign is often left out.
    if let [.., b'1' | b'8', b'N' | b'B' | b'R' | b'Q'] = text.as_bytes() {
        text.insert(text.len() - 1, '=');
    }
    if !text.starts_with('O') {
        text = text.replace('-', "");
    }
    let san = San::from_ascii(text.as_bytes()).map_err(|_| unreadable())?;
    let legal = position.legal_moves();
    let mut found = legal.iter().filter(|&&m| match san {
        San::Normal { role, file, rank, to, promotion, .. } => {
            // A pawn that captures names its file; without one it moves straight ahead.
            let file = file.or((role == shakmaty::Role::Pawn).then(|| to.file()));
            !m.is_castle()
                && m.role() == role
                && m.to() == to
                && m.promotion() == promotion
                && file.is_none_or(|file| file == m.from().file())
                && rank.is_none_or(|rank| rank == m.from().rank())
        }
        San::Castle(side) => m.castling_side() == Some(side),
        San::Put { .. } | San::Null => false,
    });
    match (found.next(), found.next()) {
        (Some(&m), None) => Ok(m),
        (Some(_), Some(_)) => Err(WordError::Ambiguous(word.to_owned())),
        (None, _) => Err(WordError::Illegal(word.to_owned())),
    }
}
