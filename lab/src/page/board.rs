//! Chess boards as SVG: shapes of our own, defined once in each page and used in every diagram.

use std::fmt::Write as _;

use maud::{Markup, PreEscaped, html};
use shakmaty::{Color, Role, Square};

use ibex::position::{Move, Position};

/// Each piece in a square of 40 by 40. All but the pawn stand on the same foot.
const PIECES: [(Role, &str); 6] = [
    (Role::Pawn, "<path d='M13 35c0-7 5-7 5-15h4c0 8 5 8 5 15z'/><circle cx='20' cy='15' r='5.5'/>"),
    (
        Role::Knight,
        "<path d='M13 31c0-9 8-9 7-14l-6 4-4-3 7-9 1-4 4 3c6 2 9 9 7 23z'/><circle cx='19.5' cy='13' r='.8'/>",
    ),
    (
        Role::Bishop,
        "<path d='M15 31l2-6c-7-4-3-11 3-16c6 5 10 12 3 16l2 6z'/><circle cx='20' cy='7' r='2.2'/><path d='M20 14v7m-3-4h6'/>",
    ),
    (Role::Rook, "<path d='M10 8h5v3h3V8h4v3h3V8h5v7l-4 3v9l3 4H11l3-4v-9l-4-3z'/>"),
    (
        Role::Queen,
        "<path d='M12 31L8 13l6 7 2-11 4 10 4-10 2 11 6-7-4 18z'/><circle cx='8' cy='11' r='1.8'/><circle cx='16' cy='7' r='1.8'/><circle cx='24' cy='7' r='1.8'/><circle cx='32' cy='11' r='1.8'/>",
    ),
    (
        Role::King,
        "<path d='M12 31c-8-10-3-17 8-12c11-5 16 2 8 12z'/><path d='M18.5 4h3v3.5h3.5v3h-3.5V17h-3v-6.5H15v-3h3.5z'/>",
    ),
];
const FOOT: &str = "<path d='M10 31h20v4H10z'/>";

/// The meaning of an arrow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrow {
    /// A good move.
    Right,
    /// A bad move.
    Wrong,
    /// A move that was played, good or bad.
    Played,
}

impl Arrow {
    const ALL: [Arrow; 3] = [Arrow::Right, Arrow::Wrong, Arrow::Played];

    fn class(self) -> &'static str {
        match self {
            Arrow::Right => "right",
            Arrow::Wrong => "wrong",
            Arrow::Played => "played",
        }
    }
}

/// The shapes that [`diagram`] uses; a page contains them once, at its beginning.
pub fn definitions() -> Markup {
    html! {
        svg.hidden aria-hidden="true" {
            defs {
                @for (role, shape) in PIECES {
                    symbol id=(role.upper_char()) viewBox="0 0 40 40" {
                        (PreEscaped(shape))
                        @if role != Role::Pawn { (PreEscaped(FOOT)) }
                    }
                }
                symbol id="board" viewBox="0 0 8 8" {
                    path.light d="M0 0h8v8H0z" {}
                    path.dark d=(dark_squares()) {}
                }
                @for arrow in Arrow::ALL {
                    marker id={ (arrow.class()) "-tip" } viewBox="0 0 4 4" refX="2.6" refY="2" markerWidth="3"
                        markerHeight="3" orient="auto" {
                        path class={ (arrow.class()) "-tip" } d="M0 0l4 2-4 2z" {}
                    }
                }
            }
        }
    }
}

fn dark_squares() -> String {
    let mut path = String::new();
    for square in Square::ALL.into_iter().filter(|square| square.is_dark()) {
        let (x, y) = corner(square);
        let _ = write!(path, "M{x} {y}h1v1h-1z");
    }
    path
}

/// The upper left corner of a square, with White at the bottom.
fn corner(square: Square) -> (u32, u32) {
    (u32::from(square.file()), 7 - u32::from(square.rank()))
}

/// A diagram, with White at the bottom and arrows for moves. Later arrows cover earlier ones.
pub fn diagram(position: &Position, arrows: &[(Arrow, Move)]) -> Markup {
    html! {
        svg.diagram viewBox="0 0 8 8" role="img" aria-label=(position.fen()) {
            use href="#board" width="8" height="8" {}
            @for (square, piece) in position.board().iter() {
                @let (x, y) = corner(square);
                @let class = if piece.color == Color::White { "w" } else { "b" };
                use class=(class) href={ "#" (piece.role.upper_char()) } x=(x) y=(y) width="1" height="1" {}
            }
            @for (arrow, m) in arrows {
                @let ((x1, y1), (x2, y2)) = (corner(m.from()), corner(m.to()));
                path class=(arrow.class()) d=(format!("M{x1}.5 {y1}.5L{x2}.5 {y2}.5"))
                    marker-end={ "url(#" (arrow.class()) "-tip)" } {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::CastlingMode;

    use super::*;

    #[test]
    fn a_diagram_shows_every_man_and_the_arrow() {
        let position = Position::from_fen("8/8/8/8/8/8/k7/2K4R w - - 0 1", CastlingMode::Standard).expect("a position");
        let m = position.parse_move("h1h2").expect("legal");
        let svg = diagram(&position, &[(Arrow::Right, m)]).into_string();
        assert_eq!(svg.matches("<use ").count(), 4, "the board and three men: {svg}");
        assert!(svg.contains("d=\"M7.5 7.5L7.5 6.5\"") && svg.contains("url(#right-tip)"), "{svg}");
    }
}
