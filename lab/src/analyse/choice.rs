//! Which moves of a game are annotated.

use std::fmt;
use std::str::FromStr;

use shakmaty::Color;

use super::judge::chances;
use crate::play::player::UciScore;
use formats::pgn::{Pgn, decoded};
use ibex::position::Position;

/// Full-move numbers, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveRange {
    first: u32,
    last: Option<u32>,
}

impl FromStr for MoveRange {
    type Err = String;

    fn from_str(text: &str) -> Result<MoveRange, String> {
        let expected = || "expected move numbers such as 10-30, 10- or -30".to_owned();
        let number = |text: &str| text.trim().parse::<u32>().ok().filter(|&number| number > 0).ok_or_else(expected);
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        let range = match (first.trim(), last.trim()) {
            ("", "") => return Err(expected()),
            ("", last) => MoveRange { first: 1, last: Some(number(last)?) },
            (first, "") => MoveRange { first: number(first)?, last: None },
            (first, last) => MoveRange { first: number(first)?, last: Some(number(last)?) },
        };
        match range.last {
            Some(last) if last < range.first => Err(format!("move {last} comes before move {}", range.first)),
            _ => Ok(range),
        }
    }
}

impl fmt::Display for MoveRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.last {
            Some(last) => write!(f, "{}-{last}", self.first),
            None => write!(f, "{}-", self.first),
        }
    }
}

impl MoveRange {
    fn has(&self, number: u32) -> bool {
        self.first <= number && self.last.is_none_or(|last| number <= last)
    }
}

/// A lead in pawns that decides a game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lead(f64);

impl FromStr for Lead {
    type Err = String;

    fn from_str(text: &str) -> Result<Lead, String> {
        let pawns = text.trim().parse().ok().filter(|pawns| (0.5..=100.0).contains(pawns));
        pawns.map(Lead).ok_or_else(|| "expected pawns from 0.5 to 100, such as 5".to_owned())
    }
}

impl fmt::Display for Lead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Lead {
    /// The side for which the game is decided, if it is.
    pub fn winner(self, turn: Color, value: UciScore) -> Option<Color> {
        let limit = chances(UciScore::Cp((100.0 * self.0).round() as i32));
        let chances = chances(value);
        if chances >= limit {
            Some(turn)
        } else if chances <= -limit {
            Some(turn.other())
        } else {
            None
        }
    }
}

/// What the user wants to see annotated.
#[derive(clap::Args, Clone, Debug)]
pub struct Choice {
    /// Annotate only the moves of players whose name contains this, ignoring case (may be repeated)
    #[arg(long = "player", value_name = "NAME", help_heading = "What to annotate", value_parser = player)]
    pub players: Vec<String>,
    /// Annotate only the moves with these numbers: 12, 10-30, 10- or -30
    #[arg(long, value_name = "RANGE", help_heading = "What to annotate", allow_hyphen_values = true)]
    pub moves: Option<MoveRange>,
    /// Stop where the game is decided: one side leads by this until the end [without a value: 5 pawns]
    #[arg(
        long,
        value_name = "PAWNS",
        help_heading = "What to annotate",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "5"
    )]
    pub until_decided: Option<Lead>,
}

fn player(text: &str) -> Result<String, String> {
    match text.trim() {
        "" => Err("expected a part of a name".to_owned()),
        name => Ok(name.to_owned()),
    }
}

impl Choice {
    /// Whether any player of the game is one whose moves are annotated.
    pub fn concerns(&self, game: &Pgn) -> bool {
        Color::ALL.into_iter().any(|color| self.has_player(game, color))
    }

    /// Whether an unreadable game may be one of theirs, by the names of its players; a player without a name may be
    /// anyone.
    pub fn may_concern(&self, players: &[Option<Vec<u8>>]) -> bool {
        players.iter().any(|name| name.as_deref().is_none_or(|name| self.is_wanted(name)))
    }

    fn has_player(&self, game: &Pgn, color: Color) -> bool {
        self.is_wanted(game.tag(color.fold_wb("White", "Black")).unwrap_or_default())
    }

    /// Whether the moves of a player with this name are annotated.
    fn is_wanted(&self, name: &[u8]) -> bool {
        let name = decoded(name).to_lowercase();
        self.players.is_empty() || self.players.iter().any(|player| name.contains(&player.to_lowercase()))
    }

    /// Which moves are annotated, whatever their quality. `positions` are those before each move.
    pub fn moves(&self, game: &Pgn, positions: &[Position]) -> Vec<bool> {
        let (white, black) = (self.has_player(game, Color::White), self.has_player(game, Color::Black));
        let is_chosen = |(_, position): (_, &Position)| {
            let number = position.fullmoves().get();
            position.turn().fold_wb(white, black) && self.moves.is_none_or(|moves| moves.has(number))
        };
        game.moves.iter().zip(positions).map(is_chosen).collect()
    }

    /// Whether every move is annotated until the game is decided.
    pub fn is_everything(&self) -> bool {
        self.players.is_empty() && self.moves.is_none()
    }

    /// The choice in words; empty if everything is annotated.
    pub fn words(&self) -> String {
        self.words_with(&self.players)
    }

    /// The choice as a run records it: with names in quotation marks, so that no two choices look the same.
    pub fn job(&self) -> String {
        self.words_with(&self.players.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>())
    }

    fn words_with(&self, names: &[String]) -> String {
        let players = (!names.is_empty()).then(|| format!("moves of {}", names.join(" or ")));
        let moves = self.moves.map(|range| format!("moves {range}"));
        let decided = self.until_decided.map(|lead| format!("until one side leads by {lead} to the end"));
        [players, moves, decided].into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_moves_are_read() {
        let read = |text: &str| text.parse::<MoveRange>();
        for (text, shown) in
            [("10-30", "10-30"), ("10-", "10-"), ("-30", "1-30"), ("7", "7-7"), (" 3 - 5 ", "3-5"), ("4-4", "4-4")]
        {
            assert_eq!(read(text).map(|range| range.to_string()), Ok(shown.to_owned()), "{text}");
        }
        assert_eq!(read("30-10"), Err("move 10 comes before move 30".to_owned()));
        for bad in ["", "-", "0-5", "a-b", "1-2-3", "1.5-3", "--5", "99999999999-"] {
            assert!(read(bad).is_err_and(|reason| reason.starts_with("expected move numbers")), "{bad}");
        }
        let range = read("10-30").expect("a range");
        assert!(!range.has(9) && range.has(10) && range.has(30) && !range.has(31));
    }

    /// A name may contain the words that separate two names, or two parts of a choice.
    #[test]
    fn different_choices_are_different_jobs() {
        let choice = |players: &[&str], moves: Option<&str>| Choice {
            players: players.iter().map(|&name| name.to_owned()).collect(),
            moves: moves.map(|range| range.parse().expect("a range")),
            until_decided: None,
        };
        let [one, two] = [choice(&["Smith or Jones"], None), choice(&["Smith", "Jones"], None)];
        assert_eq!((one.words(), one.words()), (two.words(), "moves of Smith or Jones".to_owned()));
        assert_ne!(one.job(), two.job());
        assert_ne!(choice(&["A, moves 1-30"], None).job(), choice(&["A"], Some("1-30")).job());
        assert_ne!(choice(&["A\" or \"B"], None).job(), choice(&["A", "B"], None).job());
        assert_eq!(choice(&[], Some("2-")).job(), "moves 2-");
    }

    #[test]
    fn a_lead_decides_for_its_side() {
        let lead: Lead = "5".parse().expect("pawns");
        assert_eq!(lead.winner(Color::White, UciScore::Cp(500)), Some(Color::White));
        assert_eq!(lead.winner(Color::Black, UciScore::Cp(-600)), Some(Color::White));
        assert_eq!(lead.winner(Color::Black, UciScore::Mate(0)), Some(Color::White));
        assert_eq!(lead.winner(Color::White, UciScore::Cp(499)), None);
        for bad in ["", "0", "-3", "101", "NaN", "x"] {
            assert!(bad.parse::<Lead>().is_err(), "{bad}");
        }
    }
}
