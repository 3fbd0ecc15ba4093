//! Commands outside the protocol, for a person at the prompt.

use shakmaty::{Color, File, Rank, Square};

use super::message::move_text;
use std::sync::Arc;

use crate::eval::Evaluator;
use crate::eval::nnue::Network;
use crate::position::{Game, Move, Position, perft};

/// The words of the prompt's commands; [`super::session`] carries them out.
pub const WORDS: &[&str] = &["bench", "compiler", "d", "eval", "flip", "genfens", "help", "license", "perft", "spsa"];

/// Those that wait for a running search.
pub const WAITS: &[&str] = &["bench", "flip", "genfens", "spsa"];

/// Whether a word begins a command of the prompt.
pub fn is_word(word: &str) -> bool {
    WORDS.iter().any(|own| own.eq_ignore_ascii_case(word))
}

/// Those that show the game.
pub const SHOWS_GAME: &[&str] = &["d", "eval"];

/// The commands, for `help`.
pub fn help() -> Vec<String> {
    let commands = [
        ("position startpos | fen FEN [moves ...]", "set up a position"),
        ("go depth N | nodes N | movetime MS | infinite ...", "search it; `stop` ends the search"),
        ("go perft N", "count the positions N plies ahead, move by move"),
        ("setoption name NAME value VALUE", "change an option; `uci` lists them"),
        ("d", "show the board, its FEN and key, and who gives check"),
        ("eval", "show what the evaluation makes of the position, piece by piece"),
        ("flip", "exchange the colours"),
        ("compiler", "show how this program was built"),
        ("license", "show the terms under which it may be used"),
        ("bench [DEPTH | HASH THREADS DEPTH]", "search the fixed positions of `ibex bench`"),
        ("genfens N seed S book FILE|None", "make N openings, for the workers of OpenBench"),
        ("spsa [NAME ...]", "print the search parameters, for the tuning page of OpenBench"),
        ("quit", "leave"),
    ];
    let mut lines =
        vec!["Ibex is a UCI engine: it is meant to be run by a chess program. Commands to type by hand:".to_owned()];
    lines.extend(commands.map(|(usage, help)| format!("  {usage:<52} {help}")));
    lines
}

/// The position, for `d`.
pub fn describe(game: &Game) -> Vec<String> {
    let position = game.position();
    let rule = "  +---+---+---+---+---+---+---+---+";
    let mut lines = vec![rule.to_owned()];
    for rank in Rank::ALL.into_iter().rev() {
        let mut line = format!("{} |", rank.char());
        for file in File::ALL {
            let piece = position.board().piece_at(Square::from_coords(file, rank));
            line += &format!(" {} |", piece.map_or(' ', |piece| piece.char()));
        }
        lines.extend([line, rule.to_owned()]);
    }
    lines.push("    a   b   c   d   e   f   g   h".to_owned());
    let checkers: Vec<String> = position.checkers().into_iter().map(|square| square.to_string()).collect();
    let moves = position.legal_moves().len();
    let turn = if position.turn() == Color::White { "white" } else { "black" };
    lines.extend([
        format!("Fen: {}", position.fen()),
        format!("Key: {:016x}", position.key()),
        format!("Checkers: {}", checkers.join(" ")),
        format!("To move: {turn}, {moves} legal move{}", if moves == 1 { "" } else { "s" }),
    ]);
    if game.occurrences() > 0 {
        lines.push(format!("Earlier occurrences: {}", game.occurrences()));
    }
    if let Some(ending) = game.outcome() {
        lines.push(format!("The game is over: {ending}"));
    }
    lines
}

/// The evaluation and what it is made of, for `eval`; a position in check has no evaluation.
///
/// A network is not a sum of terms, so each piece is shown with the difference it makes: the evaluation with it minus
/// the one without it.
pub fn evaluation(position: &Position, network: &Arc<Network>) -> Vec<String> {
    if position.in_check() {
        return vec!["The side to move is in check: such positions are never evaluated.".to_owned()];
    }
    let for_white = |position: &Position| {
        let mut evaluator = Evaluator::new(network);
        evaluator.reset(position);
        let value = evaluator.evaluate(position);
        if position.turn() == Color::White { value } else { -value }
    };
    let value = for_white(position);
    let rule = format!("  +{}", "-------+".repeat(8));
    let mut lines = vec![rule.clone()];
    for rank in Rank::ALL.into_iter().rev() {
        let (mut names, mut worths) = ("  |".to_owned(), "  |".to_owned());
        for file in File::ALL {
            let square = Square::from_coords(file, rank);
            let piece = position.board().piece_at(square);
            names += &format!("{:^7}|", piece.map_or(' ', |piece| piece.char()));
            let worth = piece.and_then(|_| position.without(square)).filter(|rest| !rest.in_check());
            let worth = worth.map(|rest| pawns(value - for_white(&rest)));
            worths += &format!("{:^7}|", worth.unwrap_or_default());
        }
        lines.extend([names, worths, rule.clone()]);
    }
    lines.push(format!("network '{}', {} hidden neurons a side", network.name(), network.hidden()));
    lines.push(format!("{} for white", pawns(value)));
    lines
}

/// Centipawns in pawns, with their sign.
fn pawns(cp: i32) -> String {
    format!("{:+.2}", f64::from(cp) / 100.0)
}

/// How this program was built, for `compiler`.
pub fn compiler() -> Vec<String> {
    let checks = if cfg!(debug_assertions) { "with checks" } else { "optimised" };
    vec![format!(
        "Ibex {}, compiled by {} for {}, {checks}",
        env!("IBEX_VERSION"),
        env!("IBEX_RUSTC"),
        env!("IBEX_TARGET")
    )]
}

/// The license terms, for `license`.
pub fn license() -> Vec<String> {
    [
        "Ibex is free software: you can redistribute it and modify it under the terms of the GNU General Public License",
        "as published by the Free Software Foundation, either version 3 of the License, or (at your option) any later",
        "version. It comes without any warranty. The text of the License is in the file LICENSE of the source",
        "and of each archive; it is also at <https://www.gnu.org/licenses/>. In an archive, SOURCE.txt says where the",
        "source is, and THIRD-PARTY.txt has the notices of what the program contains.",
    ]
    .map(str::to_owned)
    .into()
}

/// Counts the leaves at `depth` (at most [`perft::DEEPEST`]), and reports the count of each of `moves` as soon as it
/// is known, then the sum; `None` if stopped.
pub fn divide(
    position: &Position,
    moves: &[Move],
    depth: u32,
    chess960: bool,
    stop: &impl Fn() -> bool,
    mut say: impl FnMut(&str),
) -> Option<()> {
    let mut total = u64::from(depth == 0);
    for &m in moves.iter().filter(|_| depth > 0) {
        let nodes = perft::count_until(&position.after(m), depth - 1, stop)?;
        total += nodes;
        say(&format!("{}: {nodes}", move_text(m, chess960)));
    }
    if depth > 0 {
        say("");
    }
    say(&format!("Nodes searched: {total}"));
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::nnue::features::{INPUTS, THREATS};
    use crate::eval::nnue::format::{Contents, threatened};
    use crate::params;

    #[test]
    fn perft_counts_move_by_move() {
        let position = Position::startpos();
        let moves: Vec<Move> = position.legal_moves().into_iter().collect();
        let counted = |moves: &[Move], depth, stops: bool| {
            let mut lines = Vec::new();
            divide(&position, moves, depth, false, &|| stops, |line| lines.push(line.to_owned())).map(|()| lines)
        };
        let count = |depth, stops| counted(&moves, depth, stops);
        let lines = count(3, false).unwrap();
        assert!(lines.contains(&"e2e4: 600".into()));
        assert_eq!(lines.last().unwrap(), "Nodes searched: 8902");
        assert_eq!(count(1, false).unwrap().last().unwrap(), "Nodes searched: 20");
        assert_eq!(count(0, false).unwrap(), ["Nodes searched: 1"]);
        assert_eq!(count(3, true), None);
        let one = counted(&moves[..1], 1, false).unwrap();
        assert!(one.len() == 3 && one[0].ends_with(": 1") && one[2] == "Nodes searched: 1", "{one:?}");
    }

    #[test]
    fn evaluations_are_broken_down() {
        let position = Position::startpos();
        // A network whose only weight is an output bias of a pawn: pieces only scale it.
        let hidden = 64;
        let values = vec![0; (INPUTS + 1 + 16) * hidden];
        let network = Network::new(Contents {
            name: "blank".into(),
            hidden,
            weights: values,
            output_biases: [255 * 64 / 4; 8],
            threats: vec![0; THREATS * threatened(hidden)],
        })
        .unwrap();
        let lines = evaluation(&position, &Arc::new(network));
        assert_eq!(lines[1], "  |   r   |   n   |   b   |   q   |   k   |   b   |   n   |   r   |");
        // All the material is worth 78 pawns.
        let centipawns = |worth: i32| 100 * (params::material_base() + params::material_slope() * worth) / 1024;
        let [r, n, q] =
            [5, 3, 9].map(|worth| format!("{:+.2}", f64::from(centipawns(78) - centipawns(78 - worth)) / 100.0));
        assert_eq!(lines[2], format!("  | {r} | {n} | {n} | {q} |       | {n} | {n} | {r} |"));
        // Empty squares have no value.
        let empty = format!("  |{}", "       |".repeat(8));
        assert!(lines[7..9].iter().all(|line| *line == empty), "{lines:#?}");
        assert_eq!(lines[25], "network 'blank', 64 hidden neurons a side");
        let value = format!("{:+.2} for white", f64::from(centipawns(78)) / 100.0);
        assert_eq!(lines[26], value);
    }

    #[test]
    fn the_board_is_shown() {
        let lines = describe(&Game::startpos());
        assert_eq!(lines[1], "8 | r | n | b | q | k | b | n | r |");
        assert!(lines.contains(&"Fen: rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1".into()));
        assert!(lines.contains(&"Checkers: ".into()));
    }
}
