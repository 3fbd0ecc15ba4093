//! `datagen stats` and `datagen verify`: the contents of data files, and whether they are sound.

use std::fmt::Arguments;
use std::path::PathBuf;

use shakmaty::{Color, Position as _};

use formats::data::{data_files, read_games, read_with_lessons};
use formats::filter::Filter;
use formats::games::{GameRecord, GameResult};
use ibex::position::game::Ending;
use ibex::position::{Game, Position};
use terminal::tell::counted;
use terminal::{Exit, Result, remark, tell, trouble};

/// Replays every game, and counts the lessons beside the games.
pub fn verify(names: &[PathBuf]) -> Result<Exit> {
    let (mut games, mut positions, mut doubtful) = (0u64, 0u64, Vec::new());
    for path in data_files(names)? {
        games += verify_file(&path, &mut positions, &mut doubtful)?;
    }
    if games == 0 {
        return Err(trouble!("verify: no games"));
    }
    if !doubtful.is_empty() {
        for line in doubtful {
            remark!("ibex-lab datagen: {line}");
        }
        return Ok(Exit::Found);
    }
    let (games, positions) = (counted(games, "game", "games"), counted(positions, "position", "positions"));
    tell!("{games}, {positions}: every move legal, none after the end, no result that the rules forbid")?;
    Ok(Exit::Done)
}

/// Replays the games of one file, and returns their number.
fn verify_file(path: &PathBuf, positions: &mut u64, doubtful: &mut Vec<String>) -> Result<u64> {
    let mut index = 0u64;
    read_with_lessons(path, |record, _| {
        *positions += record.steps.len() as u64;
        // The reader has checked all moves; it remains to check where the rules ended the game, and how.
        if let Some(complaint) = contradiction(record)
            && doubtful.len() < 5
        {
            doubtful.push(format!("{}: game {index}: {complaint}", path.display()));
        }
        index += 1;
    })
}

/// How a game or its result contradicts the rules.
fn contradiction(record: &GameRecord) -> Option<&'static str> {
    if record.steps.is_empty() {
        return Some("no moves");
    }
    let mut game = Game::new(Position::from_chess(&record.start));
    for step in &record.steps {
        if game.outcome().is_some() {
            return Some("moves after the end");
        }
        game.play(step.chosen.into());
    }
    match game.outcome() {
        Some(Ending::Checkmate) if record.result != GameResult::win(!game.position().turn()) => {
            Some("the mated side did not lose")
        }
        // If the game could go on, it may be adjudicated with any result.
        Some(Ending::Checkmate) | None => None,
        Some(_) => (record.result != GameResult::Draw).then_some("a draw by the rules, but not recorded as one"),
    }
}

/// The counts that `stats` prints.
#[derive(Default)]
struct Census {
    games: u64,
    chess960: u64,
    results: [u64; 3],
    positions: u64,
    in_check: u64,
    noisy: u64,
    kept: u64,
    longest: usize,
    /// Kept positions by the number of pieces, in groups of four.
    phases: [u64; 8],
    /// Kept positions by score for the side to move; the edges are [`EDGES`].
    scores: [u64; EDGES.len() + 1],
}

/// Score groups end below these centipawns.
const EDGES: [i32; 12] = [-1600, -800, -400, -200, -100, -30, 31, 101, 201, 401, 801, 1601];

impl Census {
    fn count(&mut self, record: &GameRecord, filter: Filter) {
        self.games += 1;
        self.results[record.result as usize] += 1;
        self.positions += record.steps.len() as u64;
        self.longest = self.longest.max(record.steps.len());
        self.chess960 += u64::from(record.start.castles().mode().is_chess960());
        record.visit(|chess, step, ply| {
            self.in_check += u64::from(chess.is_check());
            self.noisy += u64::from(step.chosen.is_capture() || step.chosen.is_promotion());
            if filter.keeps(chess, step, ply) {
                self.kept += 1;
                self.phases[(chess.board().occupied().count().max(1) - 1) / 4] += 1;
                let score = i32::from(step.score) * if chess.turn() == Color::White { 1 } else { -1 };
                self.scores[EDGES.partition_point(|&edge| edge <= score)] += 1;
            }
        });
    }

    /// The counts, as `stats` prints them.
    fn text(&self) -> String {
        let mut text = String::new();
        let mut line = |args: Arguments<'_>| text += &format!("{args}\n");
        let of = |part: u64, whole: u64| 100.0 * part as f64 / whole.max(1) as f64;
        line(format_args!("games       {:>12}", self.games));
        line(format_args!("  white won {:>12} {:6.1} %", self.results[2], of(self.results[2], self.games)));
        line(format_args!("  drawn     {:>12} {:6.1} %", self.results[1], of(self.results[1], self.games)));
        line(format_args!("  black won {:>12} {:6.1} %", self.results[0], of(self.results[0], self.games)));
        line(format_args!("  chess960  {:>12} {:6.1} %", self.chess960, of(self.chess960, self.games)));
        let mean = self.positions as f64 / self.games.max(1) as f64;
        line(format_args!("positions   {:>12} ({mean:.1} a game, {} in the longest)", self.positions, self.longest));
        line(format_args!("  in check  {:>12} {:6.1} %", self.in_check, of(self.in_check, self.positions)));
        line(format_args!("  noisy     {:>12} {:6.1} %", self.noisy, of(self.noisy, self.positions)));
        line(format_args!("kept        {:>12} {:6.1} %", self.kept, of(self.kept, self.positions)));
        line(format_args!("kept, by pieces on the board"));
        for (i, &n) in self.phases.iter().enumerate() {
            line(format_args!(
                "  {:>2}..={:<2}    {n:>12} {:6.1} % {}",
                4 * i + 1,
                4 * i + 4,
                of(n, self.kept),
                bar(n, self.kept)
            ));
        }
        line(format_args!("kept, by score for the side to move, in centipawns"));
        for (i, &n) in self.scores.iter().enumerate() {
            let range = match (i.checked_sub(1).map(|i| EDGES[i]), EDGES.get(i)) {
                (None, Some(high)) => format!("..{high}"),
                (Some(low), None) => format!("{low}.."),
                (Some(low), Some(high)) => format!("{low}..{high}"),
                (None, None) => String::new(),
            };
            line(format_args!("  {range:<12} {n:>9} {:6.1} % {}", of(n, self.kept), bar(n, self.kept)));
        }
        text.pop();
        text
    }
}

fn bar(part: u64, whole: u64) -> String {
    "#".repeat((50 * part / whole.max(1)) as usize)
}

/// Prints counts.
pub fn stats(names: &[PathBuf], filter: Filter) -> Result<Exit> {
    let mut census = Census::default();
    if read_games(names, |record| census.count(record, filter))? == 0 {
        return Err(trouble!("stats: no games"));
    }
    tell!("{}", census.text())?;
    Ok(Exit::Done)
}

#[cfg(test)]
mod tests {
    use super::*;
    use formats::games::Step;
    use shakmaty::fen::Fen;
    use shakmaty::uci::UciMove;
    use shakmaty::{CastlingMode, Chess, FromSetup as _};

    fn record(fen: &str, moves: &str, result: GameResult) -> GameRecord {
        let setup = fen.parse::<Fen>().unwrap().into_setup();
        let start = Chess::from_setup(setup, CastlingMode::Standard).unwrap();
        let mut chess = start.clone();
        let mut steps = Vec::new();
        for (text, score) in moves.split_whitespace().zip([20, -40, 60, 2000].into_iter().cycle()) {
            let chosen = text.parse::<UciMove>().unwrap().to_move(&chess).unwrap();
            chess.play_unchecked(chosen);
            steps.push(Step { chosen, score });
        }
        GameRecord { start, steps, result }
    }

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    const FOOLS_MATE: &str = "f2f3 e7e5 g2g4 d8h4";
    /// White stalemates, or takes the last pawn.
    const QUEEN: &str = "7k/8/4K3/6Q1/8/8/8/8 w - - 0 1";
    const LAST_PAWN: &str = "8/8/8/8/8/4k3/5p2/5K2 w - - 0 1";

    #[test]
    fn contradictions_of_the_rules_are_found() {
        use GameResult::{BlackWins, Draw, WhiteWins};
        let complaint = |fen: &str, moves: &str, result| contradiction(&record(fen, moves, result));
        assert_eq!(complaint(START, FOOLS_MATE, BlackWins), None);
        for wrong in [WhiteWins, Draw] {
            assert_eq!(complaint(START, FOOLS_MATE, wrong), Some("the mated side did not lose"));
        }
        assert_eq!(complaint(QUEEN, "g5g6", Draw), None);
        assert_eq!(complaint(QUEEN, "g5g6", WhiteWins), Some("a draw by the rules, but not recorded as one"));
        assert_eq!(complaint(START, "e2e4", WhiteWins), None, "a game may be adjudicated");
        assert_eq!(complaint(START, "", Draw), Some("no moves"));
        // Bare kings end a game, and moves are legal all the same.
        let bare = "8/8/8/8/8/4k3/8/5K2 w - - 0 1";
        assert_eq!(complaint(bare, "f1g1", Draw), Some("moves after the end"));
        assert_eq!(complaint(LAST_PAWN, "f1g2", Draw), None);
        // So do threefold repetition and the 50-move rule.
        let there_and_back = "g1f3 g8f6 f3g1 f6g8 ".repeat(2);
        assert_eq!(complaint(START, &there_and_back, Draw), None);
        assert_eq!(complaint(START, &there_and_back, WhiteWins), Some("a draw by the rules, but not recorded as one"));
        assert_eq!(complaint(START, &format!("{there_and_back}e2e4"), WhiteWins), Some("moves after the end"));
        assert_eq!(complaint(START, "g1f3 g8f6 f3g1 f6g8 e2e4", WhiteWins), None);
        let late = "8/8/2k5/8/8/5K2/8/R7 w - - 98 120";
        assert_eq!(complaint(late, "a1a2", WhiteWins), None);
        assert_eq!(complaint(late, "a1a2 c6c5", WhiteWins), Some("a draw by the rules, but not recorded as one"));
        assert_eq!(complaint(late, "a1a2 c6c5 a2a1", Draw), Some("moves after the end"));
    }

    #[test]
    fn the_census_counts_each_side_s_games() {
        use GameResult::{BlackWins, Draw, WhiteWins};
        let mut census = Census::default();
        for result in [BlackWins, WhiteWins, WhiteWins, Draw, WhiteWins, Draw] {
            census.count(&record(START, FOOLS_MATE, result), Filter::default());
        }
        assert_eq!((census.games, census.positions, census.longest), (6, 24, 4));
        let text = census.text();
        for row in
            ["white won            3   50.0 %", "drawn                2   33.3 %", "black won            1   16.7 %"]
        {
            assert!(text.contains(row), "{row}: {text}");
        }
        // For the side to move: 20 and 60 for White; for Black -40 is 40, and 2000 is -2000.
        let row = |range: &str| text.lines().find(|line| line.trim_start().starts_with(range)).unwrap_or_default();
        for range in ["-30..31", "..-1600"] {
            assert!(row(range).contains(" 6   25.0 %"), "{range}: {text}");
        }
        assert!(row("31..101").contains(" 12   50.0 %"), "{text}");
    }
}
