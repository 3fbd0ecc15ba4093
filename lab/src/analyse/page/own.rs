//! The annotations that a game had before: comments, glyphs and variations, as text.

use super::shown;
use crate::analyse::games::Annotation;
use formats::pgn::Token;
use ibex::position::Position;

/// The sign of a glyph, or its number.
fn sign(nag: u32) -> String {
    let known = match nag {
        1 => "!",
        2 => "?",
        3 => "!!",
        4 => "??",
        5 => "!?",
        6 => "?!",
        7 => "□",
        10 => "=",
        13 => "∞",
        14 => "⩲",
        15 => "⩱",
        16 => "±",
        17 => "∓",
        18 => "+−",
        19 => "−+",
        _ => return format!("${nag}"),
    };
    known.to_owned()
}

/// The glyphs of a move.
pub fn glyphs(own: &Annotation) -> String {
    own.nags.iter().map(|&nag| sign(nag)).collect::<Vec<_>>().join(" ")
}

/// A comment without the commands of programs.
fn words(comment: &[u8]) -> String {
    let text = shown(comment);
    let mut rest = text.as_str();
    let mut words = String::new();
    while let Some((before, command)) = rest.split_once("[%") {
        words += before;
        rest = command.split_once(']').map_or("", |(_, behind)| behind);
    }
    (words + rest).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The comments and variations after a move; empty without any. `before` is the position of that move.
pub fn text(own: &Annotation, before: &Position) -> String {
    let mut parts: Vec<String> = Vec::new();
    // The number of the next move and whether it is White's, for each open variation; and whether a number is due.
    let mut open: Vec<(u32, bool)> = Vec::new();
    let mut is_due = true;
    for token in &own.after {
        match token {
            Token::Open => {
                let (number, white) = match open.last() {
                    None => (before.fullmoves().get(), before.turn().is_white()),
                    // It replaces the last move of the variation around it.
                    Some(&(number, true)) => (number.saturating_sub(1), false),
                    Some(&(number, false)) => (number, true),
                };
                open.push((number, white));
                parts.push("(".to_owned());
                is_due = true;
            }
            Token::Close => {
                open.pop();
                parts.push(")".to_owned());
                is_due = true;
            }
            Token::San(san) => {
                let Some((number, white)) = open.last_mut() else { continue };
                if *white || is_due {
                    parts.push(format!("{number}{}", if *white { "." } else { "…" }));
                }
                parts.push(san.clone());
                *number += u32::from(!*white);
                *white = !*white;
                is_due = false;
            }
            Token::Nag(nag) => parts.push(sign(*nag)),
            Token::Comment(comment) | Token::Line(comment) => {
                parts.push(words(comment));
                is_due = true;
            }
            Token::Escape(_) => {}
        }
    }
    let text = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
    text.replace("( ", "(").replace(" )", ")")
}

#[cfg(test)]
mod tests {
    use super::*;
    use formats::pgn::Games;

    #[test]
    fn annotations_are_text() {
        let pgn =
            "1. e4! $18 {best [%clk 0:01] by test} e5 (1... c5 {open} 2. Nf3 d6 (2... e6 3. d4) 3. d4 $1) 2. Nf3 *";
        let game = Games::new(pgn.as_bytes()).next_game().unwrap().unwrap().game.unwrap();
        let own = |i: usize| Annotation { nags: game.moves[i].nags.clone(), after: game.moves[i].after.clone() };
        let start = *game.start.position();
        let after = start.after(start.parse_move("e2e4").unwrap());
        assert_eq!((glyphs(&own(0)), text(&own(0), &start)), ("! +−".to_owned(), "best by test".to_owned()));
        assert_eq!(text(&own(1), &after), "(1… c5 open 2. Nf3 d6 (2… e6 3. d4) 3. d4 !)");
        assert_eq!((glyphs(&own(2)), text(&own(2), &after)), (String::new(), String::new()));
        assert_eq!(words(b"[%clk 0:01]"), "");
        assert_eq!(sign(146), "$146");
    }
}
