//! The work ahead of a run: its positions, counted before the first search, for a person who waits.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;

use super::choice::Choice;
use super::input::Input;
use formats::epd::parse_line;
use formats::pgn::{Games, Pgn, decoded};
use indicatif::ProgressBar;
use terminal::inputs::Source;

/// Inputs of more bytes are not read twice for that.
pub const MOST_BYTES: u64 = 256 << 20;

/// The positions of a game that a run searches, at most.
pub fn of_game(game: &Pgn, choice: &Choice) -> u64 {
    if choice.concerns(game) { game.moves.len() as u64 + 1 } else { 0 }
}

/// The same for a line of a file of positions.
pub fn of_line(line: &[u8]) -> u64 {
    u64::from(matches!(parse_line(&decoded(line), 1), Some(Ok(_))))
}

/// The positions of these files, without the first `done` games or lines. `None` if one cannot be read: the run will say
/// why.
pub fn of_files(files: &[PathBuf], mut done: u64, choice: &Choice) -> Option<u64> {
    let mut sum = 0;
    for path in files {
        let Input { text, is_pgn, .. } = Input::begin(path, Source::open(path).ok()?, &ProgressBar::hidden()).ok()?;
        let counts = if is_pgn { of_games(text, choice)? } else { of_lines(text)? };
        sum += counts.iter().skip(usize::try_from(done).unwrap_or(usize::MAX)).sum::<u64>();
        done = 0;
    }
    Some(sum)
}

/// The positions of each game.
fn of_games(text: impl BufRead, choice: &Choice) -> Option<Vec<u64>> {
    let (mut games, mut counts) = (Games::new(text), Vec::new());
    while let Some(reading) = games.next_game().ok()? {
        counts.push(reading.game.map_or(0, |game| of_game(&game, choice)));
    }
    Some(counts)
}

/// The positions of each line.
fn of_lines(text: impl BufRead) -> Option<Vec<u64>> {
    let lines = BufReader::new(text).split(b'\n');
    lines.map(|line| line.ok().map(|line| of_line(&line))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn everyone() -> Choice {
        Choice { players: Vec::new(), moves: None, until_decided: None }
    }

    #[test]
    fn positions_are_counted_by_game_and_by_line() {
        let games = "[White \"A\"]\n\n1. e4 e5 2. Nf3 *\n\n[White \"B\"]\n\n1. d4 *\n\n1. e5 *\n";
        assert_eq!(of_games(games.as_bytes(), &everyone()), Some(vec![4, 2, 0]));
        let of_b = Choice { players: vec!["b".to_owned()], ..everyone() };
        assert_eq!(of_games(games.as_bytes(), &of_b), Some(vec![0, 2, 0]));
        let lines = "# x\n8/8/8/3k4/8/8/8/R3K3 w - -\r\n\nnot one\n8/8/8/3k4/8/8/8/R3K3 b - - 1 2";
        assert_eq!(of_lines(lines.as_bytes()).map(|counts| counts.iter().sum::<u64>()), Some(2));
    }
}
