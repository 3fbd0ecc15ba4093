//! Interior-node recognizers: knowledge that is never wrong.
//!
//! A recognizer looks at the material of a position and says what is proved about the position: a draw, a win with a
//! measure of progress, a bound, or nothing. It may always say nothing, but must never be wrong: every class is
//! checked on every legal position of its endings of three and four men against tables that the project solves itself
//! (`proof.rs`), and dropping any one clause of a rule makes that proof fail.
//!
//! There is one registry, and one kind of result, the [`Recognition`]. The [presence signature](signature) of each
//! side (which of pawn, knight, bishop, rook, queen it has) selects a class; the class checks the counts and gives a
//! verdict. [`recognize`] makes a cheap recognition of it; [`syzygy::Tablebases`] reads recognitions from files, marked
//! as expensive. The search treats both like a hit in its table: it returns at once if the recognition
//! [settles](Ibv::settles) the window, and otherwise narrows the window and remembers the bound ([`Ibv::within`]).
//! Cheap recognitions are not worth storing, expensive ones are.
//!
//! A draw is recognized as [`Score::ZERO`]; where the search counts draws by their distance, that is a draw that has
//! not yet happened, and the search chooses which draw score stands for it. Wins are bounds in the
//! recognizer band, growing towards the mate, so that the search makes headway; they are claimed only where the mate
//! comes before the 50-move rule whatever the opponent does.
//!
//! Sources: Ernst A. Heinz, "Efficient Interior-Node Recognition", ICCA Journal 21(3), 1998; David Slate's
//! interior-node score bounds (1984) as reported there. The rules themselves were found and proved on our own tables.

mod bishop_knight;
mod clause;
pub mod explain;
mod layout;
mod lone_king;
mod minors;
mod one_each;
mod pawns;
mod progress;
mod registry;
#[cfg(test)]
mod solved;
pub mod syzygy;
pub mod three_men;
mod view;
mod wrong_bishop;

use shakmaty::{Color, Role};

use crate::bound::Ibv;
use crate::position::{Board, Position};
use crate::score::Score;
use clause::holds;
pub use progress::{mop_up_kings, queen_against_rook};
use registry::REGISTRY;
use view::{EndingView, Side};

/// No recognized win takes longer, in moves from the recognition to the mate.
pub const LONGEST_WIN: usize = 35;

/// The cost of a recognition, which decides whether it gets an entry in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Expense {
    /// Cheaper than a probe of the table: not to be stored.
    Cheap,
    /// Read from files: to be stored, as an entry without a move.
    Expensive,
}

/// A recognizer's result: bound and score, if anything is proved, for the side to move, and the expense.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Recognition {
    /// The proved value; `None` if nothing is proved.
    pub ibv: Option<Ibv>,
    /// The cost of the answer.
    pub expense: Expense,
}

// A recognition travels in one register.
const _: () = assert!(size_of::<Recognition>() == 8);

impl Recognition {
    /// Nothing is known.
    pub const NONE: Recognition = Recognition { ibv: None, expense: Expense::Cheap };
}

/// The verdict of a class on a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Unknown,
    Draw,
    /// This side does not lose.
    Holds(Side),
    /// The strong side mates within this many moves from now, whatever happens. Progress as in
    /// [`Score::recognized_win`].
    Wins {
        progress: i32,
        moves: u16,
    },
    /// The strong side mates within this many moves, read from a table: at most two more than it needs. Each move of
    /// best play brings the mate nearer.
    Mates {
        moves: u16,
    },
}

/// A family of endings with rules of its own.
struct Class {
    name: &'static str,
    verdict: fn(&EndingView) -> Verdict,
}

/// Stands for "no class" where an index into [`REGISTRY`] is expected.
const NO_CLASS: u8 = u8::MAX;
/// Marks a signature in which black is the strong side.
const BLACK_STRONG: u8 = 0x80;

/// From both presence signatures (white · 32 + black) to the index of a class in [`REGISTRY`].
static CLASS_IDS: [u8; 1024] = {
    let mut ids = [NO_CLASS; 1024];
    let mut i = REGISTRY.len();
    while i > 0 {
        i -= 1;
        let (strong, weak, _) = REGISTRY[i];
        ids[weak * 32 + strong] = i as u8 | BLACK_STRONG;
        ids[strong * 32 + weak] = i as u8;
    }
    ids
};

/// The proof by a position's material, cheaply.
///
/// In a position without a recognizer this takes a few instructions. Castling rights are outside of every proof: with
/// them, nothing is recognized. No class has pawns on both sides, so en passant captures never arise.
///
/// ```
/// use ibex::bound::{Bound, Ibv};
/// use ibex::position::Position;
/// use ibex::position::notation::read_fen;
/// use ibex::recognize::recognize;
/// use ibex::score::Score;
///
/// // The pawn of the rook's file queens on a square that the bishop does not reach: a draw.
/// let drawn = recognize(&read_fen("7k/8/8/8/7P/8/B7/K7 w - - 0 1")?).ibv;
/// assert_eq!(drawn, Some(Ibv::exact(Score::ZERO)));
///
/// // Rook against king is a win at least: how far the mate is, the class does not say.
/// let won = recognize(&read_fen("8/8/4k3/8/8/8/8/R3K3 w - - 0 1")?).ibv;
/// assert!(won.is_some_and(|won| won.bound() == Bound::Lower && won.score().is_win()));
///
/// // Most positions have no class.
/// assert!(recognize(&Position::startpos()).ibv.is_none());
/// # Ok::<(), ibex::position::FenError>(())
/// ```
#[inline]
pub fn recognize(position: &Position) -> Recognition {
    if may_have_class(position) { probe_class(position) } else { Recognition::NONE }
}

/// Whether any class can cover this many men: up to four, or any number against a lone king.
#[inline(always)]
pub(crate) fn may_have_class(position: &Position) -> bool {
    let board = position.board();
    position.men() <= 4 || !board.white().more_than_one() || !board.black().more_than_one()
}

/// Whether a win that is recognized here is no longer claimed after this many more `plies` without progress; `None` if
/// there is no such win.
///
/// If some lines of a search still end in a recognized win and others, a little longer, no longer do, the two cannot
/// be compared: the way to the mate must then be found by evaluation.
pub fn claim_ends_within(position: &Position, plies: u16) -> Option<bool> {
    if !may_have_class(position) || !position.castling().is_empty() {
        return None;
    }
    match verdict(position.board(), position.turn())?.1 {
        Verdict::Wins { moves, .. } => Some(!is_in_time(position.clock().saturating_add(plies), moves)),
        // The mate comes nearer as fast as the clock runs, so the plies ahead are counted already.
        Verdict::Mates { moves } => Some(!is_in_time(position.clock(), moves)),
        _ => None,
    }
}

/// The verdict of a class on a position, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The name of the class.
    pub class: &'static str,
    /// Its claim, or the reason for none.
    pub text: String,
}

/// The class for a position's material and its claim; `None` if there is no class.
pub fn claim(position: &Position) -> Option<Claim> {
    let (strong, class) = class_of(position.board())?;
    let name = |side| match (side, strong) {
        (Side::Strong, Color::White) | (Side::Weak, Color::Black) => "White",
        _ => "Black",
    };
    let clock = position.clock();
    let text = if !may_have_class(position) {
        "nothing, because of more than four men".to_owned()
    } else if !position.castling().is_empty() {
        "nothing, because of castling rights".to_owned()
    } else {
        match verdict(position.board(), position.turn())?.1 {
            Verdict::Unknown => "nothing here".to_owned(),
            Verdict::Draw => "a draw".to_owned(),
            Verdict::Holds(side) => format!("{} does not lose", name(side)),
            Verdict::Wins { moves, .. } | Verdict::Mates { moves } if !is_in_time(clock, moves) => {
                format!("nothing, because the 50-move rule may end the game before a mate in {moves} moves")
            }
            Verdict::Wins { moves, .. } => format!("{} wins within {moves} moves", name(Side::Strong)),
            Verdict::Mates { moves } => format!("{} mates within {moves} moves", name(Side::Strong)),
        }
    };
    Some(Claim { class: class.name, text })
}

// Conditions of every class, in words.
const NO_CASTLING: &str = "there are no castling rights";
const IN_TIME: &str = "the mate comes before the 50-move rule ends the game";

/// Whether a mate in this many moves comes before the 50-move rule.
fn is_in_time(clock: u16, moves: u16) -> bool {
    // Computed in a wider type than the clock's, to avoid overflow.
    holds(u32::from(clock) + 2 * u32::from(moves) <= 100, IN_TIME)
}

#[inline(never)]
fn probe_class(position: &Position) -> Recognition {
    if !holds(position.castling().is_empty(), NO_CASTLING) {
        return Recognition::NONE;
    }
    let ibv = proved(position.board(), position.turn(), position.clock());
    #[cfg(debug_assertions)]
    syzygy::cross_check(position, ibv);
    Recognition { ibv, expense: Expense::Cheap }
}

/// The value that the class's verdict proves for the side to move, at this clock.
fn proved(board: &Board, turn: Color, clock: u16) -> Option<Ibv> {
    let (to_move, verdict) = verdict(board, turn)?;
    let win = |progress| {
        let win = Ibv::lower(Score::recognized_win(progress));
        if to_move == Side::Strong { win } else { -win }
    };
    Some(match verdict {
        Verdict::Draw => Ibv::exact(Score::ZERO),
        Verdict::Holds(side) if side == to_move => Ibv::lower(Score::ZERO),
        Verdict::Holds(_) => Ibv::upper(Score::ZERO),
        Verdict::Wins { progress, moves } if is_in_time(clock, moves) => win(progress),
        Verdict::Mates { moves } if is_in_time(clock, moves) => win(progress::nearer(moves)),
        Verdict::Unknown | Verdict::Wins { .. } | Verdict::Mates { .. } => return None,
    })
}

/// The verdict of the class of this material, and who is to move; `None` if there is no class.
fn verdict(board: &Board, turn: Color) -> Option<(Side, Verdict)> {
    let (strong, class) = class_of(board)?;
    let view = EndingView::new(board, turn, strong)?;
    Some((view.to_move, (class.verdict)(&view)))
}

/// The class of this material, and its strong side.
#[inline]
fn class_of(board: &Board) -> Option<(Color, &'static Class)> {
    class_index(board).map(|(strong, entry)| (strong, REGISTRY[entry].2))
}

/// The entry of this material in [`REGISTRY`], and its strong side.
#[inline]
fn class_index(board: &Board) -> Option<(Color, usize)> {
    let id = CLASS_IDS[signature(board, Color::White) * 32 + signature(board, Color::Black)];
    if id == NO_CLASS {
        return None;
    }
    let strong = if id & BLACK_STRONG == 0 { Color::White } else { Color::Black };
    Some((strong, usize::from(id & !BLACK_STRONG)))
}

/// Which of pawn, knight, bishop, rook and queen a side has, as five bits from the pawn up.
fn signature(board: &Board, color: Color) -> usize {
    let side = board.by_color(color);
    [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen]
        .into_iter()
        .enumerate()
        .fold(0, |bits, (i, role)| bits | usize::from((board.by_role(role) & side).any()) << i)
}

#[cfg(test)]
pub(crate) mod proof;
