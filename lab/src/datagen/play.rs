//! One game of the engine against itself, from the opening to an honest result.

use std::sync::atomic::{AtomicBool, Ordering};
use terminal::{CommandError, trouble};

use clap::Args;
use shakmaty::Color;

use formats::games::{GameRecord, GameResult, MAX_STEPS, Step};
use formats::lessons::LessonRecord;
use ibex::bound::{Bound, Ibv};
use ibex::openings::Openings;
use ibex::position::game::Ending;
use ibex::position::{Game, Move};
use ibex::random::Random;

/// The chooser of the moves: the engine, or a script in tests.
pub trait SelfPlayer {
    /// Forgets the last game completely, so that a game depends only on its own seed.
    fn new_game(&mut self);
    /// The best move and its value for the side to move, a bound if the search was cut short; `None` if no move is
    /// legal.
    fn choose(&mut self, game: &Game, purpose: Purpose) -> Option<(Move, Ibv)>;
    /// The best moves, at most `lines`, with their values for the side to move, best first; from a search for a move.
    fn candidates(&mut self, game: &Game, lines: usize) -> Vec<(Move, Ibv)>;
    /// What the searches of the game have found about positions that did not occur in it.
    fn lessons(&mut self) -> Vec<LessonRecord> {
        Vec::new()
    }
}

/// The purpose of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A score worth learning, and a move.
    Score,
    /// A move, to continue the game.
    Move,
}

/// Which positions of a game are searched for a score.
///
/// Neighbours in a game teach nearly the same, so scores of few positions of many games are worth more than those of
/// all positions of few games.
#[derive(Args, Clone, Copy, Debug, PartialEq)]
pub struct Sampling {
    /// The share of positions that get a score, by chance; the others are searched with `--move-nodes`, and are not
    /// kept
    #[arg(long, default_value_t = 1.0, value_name = "SHARE", value_parser = super::some_share)]
    pub score_share: f64,
}

impl Sampling {
    /// The purpose of the next search. If every position gets a score, the random numbers are not used.
    fn draw(self, random: &mut Random) -> Purpose {
        if self.score_share >= 1.0 || random.happens(self.score_share) { Purpose::Score } else { Purpose::Move }
    }
}

/// When the player leaves its best move for another one, early in a game.
///
/// A search evaluates many positions that good play never reaches. Some games must go there, or the network never
/// learns what such positions are worth.
#[derive(Args, Clone, Copy, Debug, PartialEq)]
pub struct OffPolicy {
    /// The share of early moves that are not the best one but another one nearly as good
    #[arg(long = "off-policy", default_value_t = 0.09, value_name = "SHARE", value_parser = super::share)]
    pub share: f64,
    /// How many plies after the opening such moves are played
    #[arg(long = "off-policy-plies", default_value_t = 30, value_name = "PLIES")]
    pub plies: u32,
    /// What such a move may lose against the best one, in centipawns
    #[arg(long = "off-policy-loss", default_value_t = 60, value_name = "CP", value_parser = clap::value_parser!(i32).range(0..))]
    pub loss: i32,
}

impl OffPolicy {
    /// Lines of the search from which such a move is chosen, including the best one.
    const LINES: usize = 4;

    /// The move played in place of the best one, if another candidate is good enough. If the first candidate may be
    /// better than its value, none is known to be good enough.
    ///
    /// A quiet best move gives way to quiet moves only, and a capture to none:
    /// [`Filter`](formats::filter::Filter) takes the move played for the best one, and keeps quiet positions.
    fn another(&self, best: Move, candidates: &[(Move, Ibv)], random: &mut Random) -> Option<Move> {
        let value = candidates.first()?.1;
        let is_quiet = |m: Move| !m.is_capture() && !m.is_promotion();
        if value.bound() != Bound::Exact || value.score().is_decisive() || !is_quiet(best) {
            return None;
        }
        let loss = |other: Ibv| value.score().cp() - other.score().cp();
        let good = |&&(m, other): &&(Move, Ibv)| m != best && is_quiet(m) && loss(other) <= self.loss;
        let choices: Vec<Move> = candidates.iter().filter(good).map(|&(m, _)| m).collect();
        (!choices.is_empty()).then(|| choices[random.below(choices.len())])
    }
}

/// When a game is decided before the rules end it. Every rule needs the agreement of both sides for some plies.
#[derive(Args, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Adjudication {
    /// Use an opening if its first score is at most this many centipawns
    #[arg(long, default_value_t = 400, value_name = "CP", value_parser = clap::value_parser!(i32).range(1..))]
    pub opening_limit: i32,
    /// A side wins if it is this many centipawns ahead...
    #[arg(long, default_value_t = 2500, value_name = "CP", value_parser = clap::value_parser!(i32).range(1..))]
    pub win_score: i32,
    /// ...for this many plies in a row
    #[arg(long, default_value_t = 4, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(1..))]
    pub win_plies: u32,
    /// A game is drawn if its score is at most this many centipawns...
    #[arg(long, default_value_t = 8, value_name = "CP", value_parser = clap::value_parser!(i32).range(0..))]
    pub draw_score: i32,
    /// ...for this many plies in a row...
    #[arg(long, default_value_t = 10, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(1..))]
    pub draw_plies: u32,
    /// ...after this many plies since the opening...
    #[arg(long, default_value_t = 60, value_name = "PLY")]
    pub draw_from: u32,
    /// ...with more than this many men on the board; otherwise only the rules end a drawn game
    #[arg(long, default_value_t = 8, value_name = "MEN")]
    pub draw_men: u32,
    /// Discard a game that lasts longer than this many plies: it has no result
    #[arg(long, default_value_t = 500, value_name = "PLY", value_parser = clap::value_parser!(u32).range(1..=MAX_STEPS as i64))]
    pub max_plies: u32,
}

/// The rules of a run's games.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GameRules {
    /// When a game is decided before the rules of chess end it.
    pub adjudication: Adjudication,
    /// When the player leaves its best move.
    pub off_policy: OffPolicy,
    /// Which positions get a score.
    pub sampling: Sampling,
}

#[cfg(test)]
impl Default for GameRules {
    /// The defaults of the command line.
    fn default() -> GameRules {
        let command = Adjudication::augment_args(clap::Command::new("datagen"));
        let command = Sampling::augment_args(OffPolicy::augment_args(command));
        let matches = command.get_matches_from(["datagen"]);
        let read = "every argument has a default";
        GameRules {
            adjudication: clap::FromArgMatches::from_arg_matches(&matches).expect(read),
            off_policy: clap::FromArgMatches::from_arg_matches(&matches).expect(read),
            sampling: clap::FromArgMatches::from_arg_matches(&matches).expect(read),
        }
    }
}

/// Openings in a row that may fail to give a game; after these, none is expected to.
const OPENINGS: u32 = 1000;

/// Plays one game, drawing openings until one is balanced and its game has a result; `None` if it is stopped first.
///
/// # Errors
///
/// One line: no opening leads to a game.
pub fn play(
    player: &mut impl SelfPlayer,
    openings: &Openings,
    rules: &GameRules,
    random: &mut Random,
    stop: &AtomicBool,
) -> Result<Option<GameRecord>, CommandError> {
    for _ in 0..OPENINGS {
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        player.new_game();
        if let Some(record) = play_from(player, Game::new(openings.draw(random)?), rules, random) {
            return Ok(Some(record));
        }
    }
    Err(trouble!("{OPENINGS} openings in a row have led to no game that counts; see --opening-limit and --max-plies"))
}

/// Plays a game to its end; `None` if the opening is unbalanced or the game has no result.
fn play_from(
    player: &mut impl SelfPlayer,
    mut game: Game,
    rules: &GameRules,
    random: &mut Random,
) -> Option<GameRecord> {
    let GameRules { adjudication: rules, off_policy, sampling } = rules;
    let start = game.position().to_chess();
    let mut steps: Vec<Step> = Vec::with_capacity(160);
    let mut adjudicator = Adjudicator::new(rules);
    loop {
        if let Some(ending) = game.outcome() {
            let result = match ending {
                Ending::Checkmate => GameResult::win(!game.position().turn()),
                _ => GameResult::Draw,
            };
            return Some(GameRecord { start, steps, result }).filter(|record| !record.steps.is_empty());
        }
        let ply = steps.len() as u32;
        if ply >= rules.max_plies {
            return None;
        }
        let strays = ply < off_policy.plies && random.happens(off_policy.share);
        let purpose = sampling.draw(random);
        let (best, value) = player.choose(&game, purpose)?;
        let another =
            strays.then(|| off_policy.another(best, &player.candidates(&game, OffPolicy::LINES), random)).flatten();
        let chosen = another.unwrap_or(best);
        if ply == 0 && value.score().cp().abs() > rules.opening_limit {
            return None;
        }
        let white = if game.position().turn() == Color::White { value } else { -value };
        // If the next occurrence of some position is a draw, the score depends on the game and not only on the board.
        // Proven scores reach 30,000, within 16 bits.
        let teaches = purpose == Purpose::Score && white.bound() == Bound::Exact && game.traps().next().is_none();
        let score = if teaches { white.score().cp().clamp(-32_000, 32_000) as i16 } else { Step::NO_SCORE };
        steps.push(Step { chosen: chosen.into(), score });
        if let Some(result) = adjudicator.judge(ply, game.position().men() as u32, white) {
            return Some(GameRecord { start, steps, result });
        }
        game.play(chosen);
    }
}

/// Decides a game before the rules end it.
struct Adjudicator<'a> {
    rules: &'a Adjudication,
    /// The side that is far ahead, and for how many plies in a row.
    leader: Option<(Color, u32)>,
    /// How many plies in a row the game has been level.
    level: u32,
}

impl Adjudicator<'_> {
    fn new(rules: &Adjudication) -> Adjudicator<'_> {
        Adjudicator { rules, leader: None, level: 0 }
    }

    /// The result, if it is clear after a search with this value for White.
    fn judge(&mut self, ply: u32, men: u32, white: Ibv) -> Option<GameResult> {
        let Adjudication { win_score, win_plies, draw_score, draw_plies, draw_from, draw_men, .. } = *self.rules;
        let cp = white.score().cp();
        let ahead = Color::from_white(cp > 0);
        if white.proof().is_some() && white.score().is_mate() {
            return Some(GameResult::win(ahead));
        }
        let exact = white.bound() == Bound::Exact;
        self.leader = (exact && cp.abs() >= win_score).then(|| {
            let plies = self.leader.filter(|&(leader, _)| leader == ahead).map_or(0, |(_, plies)| plies);
            (ahead, plies + 1)
        });
        if let Some((leader, plies)) = self.leader
            && plies >= win_plies
        {
            return Some(GameResult::win(leader));
        }
        let is_level = exact && cp.abs() <= draw_score && ply >= draw_from && men > draw_men;
        self.level = if is_level { self.level + 1 } else { 0 };
        (self.level >= draw_plies).then_some(GameResult::Draw)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use formats::filter::Filter;
    use ibex::position::Position;
    use ibex::score::Score;
    use shakmaty::{CastlingMode, Position as _};

    /// The plies of the game in which both sides always play the first legal move: White mates by chance.
    const FIRST_MOVES: usize = 63;

    /// The legal moves in shakmaty's order: it begins with pawns, so that games of first moves repeat nothing for long.
    fn pawns_first(position: &Position) -> Vec<Move> {
        position.to_chess().legal_moves().into_iter().map(Into::into).collect()
    }

    /// Plays the first of these moves, with the script's value from White's view.
    struct Script<F: Fn(usize) -> Ibv> {
        said: usize,
        script: F,
    }

    impl<F: Fn(usize) -> Ibv> SelfPlayer for Script<F> {
        fn new_game(&mut self) {
            self.said = 0;
        }

        fn candidates(&mut self, game: &Game, lines: usize) -> Vec<(Move, Ibv)> {
            let value = exact(0);
            pawns_first(game.position()).into_iter().take(lines).map(|m| (m, value)).collect()
        }

        fn choose(&mut self, game: &Game, _: Purpose) -> Option<(Move, Ibv)> {
            let value = (self.script)(self.said);
            self.said += 1;
            let value = if game.position().turn() == Color::White { value } else { -value };
            Some((pawns_first(game.position())[0], value))
        }
    }

    /// Plays the moves of a list, again and again, and always finds itself a little ahead.
    struct Moves {
        list: &'static [&'static str],
        played: usize,
    }

    impl SelfPlayer for Moves {
        fn new_game(&mut self) {
            self.played = 0;
        }

        fn candidates(&mut self, _: &Game, _: usize) -> Vec<(Move, Ibv)> {
            Vec::new()
        }

        fn choose(&mut self, game: &Game, _: Purpose) -> Option<(Move, Ibv)> {
            let text = self.list[self.played % self.list.len()];
            self.played += 1;
            Some((game.position().parse_move(text)?, exact(20)))
        }
    }

    /// The value of a completed search, in centipawns.
    fn exact(cp: i32) -> Ibv {
        Ibv::exact(Score::heuristic(cp))
    }

    fn game(fen: Option<&str>, script: impl Fn(usize) -> i32) -> Option<GameRecord> {
        game_of(fen, |said| exact(script(said)))
    }

    fn game_of(fen: Option<&str>, script: impl Fn(usize) -> Ibv) -> Option<GameRecord> {
        game_by(&mut Script { said: 0, script }, fen)
    }

    fn game_by(player: &mut impl SelfPlayer, fen: Option<&str>) -> Option<GameRecord> {
        let position =
            fen.map_or_else(Position::startpos, |fen| Position::from_fen(fen, CastlingMode::Standard).unwrap());
        let rules = GameRules {
            off_policy: OffPolicy { share: 0.0, ..GameRules::default().off_policy },
            ..GameRules::default()
        };
        play_from(player, Game::new(position), &rules, &mut Random::new(1))
    }

    #[test]
    fn a_lasting_lead_wins_for_either_side() {
        let record = game(None, |i| if i < 6 { 0 } else { 2600 }).unwrap();
        assert_eq!((record.result, record.steps.len()), (GameResult::WhiteWins, 10));
        let record = game(None, |i| if i < 6 { 0 } else { -2600 }).unwrap();
        assert_eq!((record.result, record.steps.len()), (GameResult::BlackWins, 10));
        assert!(record.steps[6..].iter().all(|step| step.score == -2600));
    }

    #[test]
    fn a_lead_that_changes_sides_wins_nothing() {
        // A script that contradicts itself: the game goes on until the rules end it.
        let record = game(None, |i| {
            if i < 6 {
                0
            } else if i % 2 == 0 {
                2600
            } else {
                -2600
            }
        });
        assert_eq!(record.map(|record| record.steps.len()), Some(FIRST_MOVES));
    }

    #[test]
    fn bounds_are_not_scored_and_decide_no_game() {
        let mate = Score::mate_in(9);
        let script = |said| match said {
            0..6 => exact(0),
            6..14 => Ibv::lower(Score::heuristic(2600)),
            _ => Ibv::exact(mate),
        };
        let record = game_of(None, script).unwrap();
        assert_eq!((record.result, record.steps.len()), (GameResult::WhiteWins, 15));
        let scored: Vec<usize> = (0..15).filter(|&ply| record.steps[ply].is_scored()).collect();
        assert_eq!(scored, [0, 1, 2, 3, 4, 5, 14]);
        // Only a proved mate ends the game.
        let length =
            |value: Ibv| game_of(None, |said| if said < 6 { exact(0) } else { value }).map(|it| it.steps.len());
        assert_eq!(length(Ibv::exact(mate)), Some(7));
        assert_eq!(length(Ibv::lower(mate)), Some(7));
        assert_eq!(length(Ibv::upper(mate)), Some(FIRST_MOVES));
    }

    #[test]
    fn repeated_positions_are_no_longer_scored() {
        // Knights move out and back for ever.
        let mut player = Moves { list: &["g1f3", "g8f6", "f3g1", "f6g8"], played: 0 };
        let rules = GameRules::default();
        let record = play_from(&mut player, Game::new(Position::startpos()), &rules, &mut Random::new(1)).unwrap();
        let scored: Vec<bool> = record.steps.iter().map(|step| step.is_scored()).collect();
        // The initial position has occurred twice after four plies, and every position after that.
        assert_eq!((record.result, scored), (GameResult::Draw, [[true; 4], [false; 4]].concat()));
    }

    #[test]
    fn a_run_without_usable_openings_ends() {
        let openings = Openings::default();
        let play = |stop: bool| {
            let mut player = Script { said: 0, script: |_| exact(401) };
            play(&mut player, &openings, &GameRules::default(), &mut Random::new(1), &AtomicBool::new(stop))
        };
        assert!(play(true).is_ok_and(|record| record.is_none()));
        assert!(play(false).is_err_and(|error| error.to_string().contains("--opening-limit")));
    }

    #[test]
    fn lopsided_openings_are_refused() {
        assert!(game(None, |_| 401).is_none());
        assert!(game(None, |i| if i == 0 { -401 } else { 0 }).is_none());
        // The limit itself is allowed.
        for limit in [400, -400] {
            let record = game(None, |i| if i == 0 { limit } else { 2600 }).unwrap();
            assert_eq!((record.result, record.steps.len()), (GameResult::WhiteWins, 5));
        }
    }

    #[test]
    fn the_rules_come_first() {
        let mate_next = "k7/8/1K6/8/8/8/8/1R6 w - - 0 1";
        // The first legal move is not the mate: a draw by the rules, though White is always ahead.
        let record = game(Some(mate_next), |_| 100).unwrap();
        assert_eq!((record.result, record.steps.len()), (GameResult::Draw, 8));
        let fifty = "8/8/2k5/8/8/5K2/8/R7 w - - 98 120";
        let record = game(Some(fifty), |_| 300).unwrap();
        assert_eq!((record.result, record.steps.len()), (GameResult::Draw, 2));
        let by = |list: &'static [&'static str], fen| {
            let record = game_by(&mut Moves { list, played: 0 }, Some(fen)).expect("a result");
            (record.result, record.steps.len())
        };
        assert_eq!(by(&["b1h1", "a8b8", "h1h8"], mate_next), (GameResult::WhiteWins, 3));
        assert_eq!(by(&["a2a1"], "6k1/5ppp/8/8/8/8/r4PPP/6K1 b - - 0 1"), (GameResult::BlackWins, 1));
        let stalemate_next = "7k/8/4K3/6Q1/8/8/8/8 w - - 0 1";
        assert_eq!(by(&["g5g6"], stalemate_next), (GameResult::Draw, 1));
        let bare_next = "8/8/8/8/8/2K5/6k1/7R b - - 0 1";
        assert_eq!(by(&["g2h1"], bare_next), (GameResult::Draw, 1));
    }

    #[test]
    fn quiet_equality_is_a_draw_only_late_and_with_many_men() {
        let length = |number: u32, draw_men| {
            let fen = format!("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 {number}");
            let position = Position::from_fen(&fen, CastlingMode::Standard).unwrap();
            let adjudication =
                Adjudication { draw_from: 3, draw_plies: 4, draw_men, ..GameRules::default().adjudication };
            let off_policy = OffPolicy { share: 0.0, ..GameRules::default().off_policy };
            let mut player = Script { said: 0, script: |_| exact(5) };
            let rules = GameRules { adjudication, off_policy, ..GameRules::default() };
            play_from(&mut player, Game::new(position), &rules, &mut Random::new(1)).map(|record| record.steps.len())
        };
        assert_eq!(length(1, 31), Some(7));
        // The move counter of the opening's FEN does not say when the game began.
        assert_eq!(length(60, 31), Some(7));
        assert_eq!(length(1, 32), Some(FIRST_MOVES));
    }

    #[test]
    fn off_policy_moves_are_quiet_and_nearly_as_good() {
        let position = Position::startpos();
        let moves = position.legal_moves();
        let off_policy = OffPolicy { share: 1.0, plies: 30, loss: 60 };
        let mut random = Random::new(5);
        let with = |scores: [i32; 3]| -> Vec<(Move, Ibv)> { moves.iter().copied().zip(scores.map(exact)).collect() };
        let first = moves[0];
        for _ in 0..20 {
            assert_eq!(off_policy.another(first, &with([40, -20, -21]), &mut random), Some(moves[1]));
        }
        assert_eq!(off_policy.another(first, &with([40, -21, -22]), &mut random), None);
        assert_eq!(off_policy.another(first, &[], &mut random), None);
        // The search for a move may prefer another move than the search for the score.
        assert_eq!(off_policy.another(moves[1], &with([40, 39, -40]), &mut random), Some(first));
        // The best one may be worth more than its lower bound.
        let mut cut_short = with([40, 30, 30]);
        cut_short[0].1 = Ibv::lower(Score::heuristic(40));
        assert_eq!(off_policy.another(first, &cut_short, &mut random), None);
        let capture = Position::from_fen("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", CastlingMode::Standard).unwrap();
        let takes = *capture.legal_moves().iter().find(|m| m.is_capture()).unwrap();
        let quiet = *capture.legal_moves().iter().find(|m| !m.is_capture()).unwrap();
        let even = exact(10);
        assert_eq!(off_policy.another(takes, &[(takes, even), (quiet, even)], &mut random), None);
        assert_eq!(off_policy.another(quiet, &[(quiet, even), (takes, even)], &mut random), None);
    }

    #[test]
    fn the_chosen_share_of_positions_is_scored_and_kept() {
        let with = |share, seed| {
            let rules = GameRules { sampling: Sampling { score_share: share }, ..GameRules::default() };
            let mut player = Script { said: 0, script: |_| exact(30) };
            play_from(&mut player, Game::new(Position::startpos()), &rules, &mut Random::new(seed)).unwrap()
        };
        assert!(with(1.0, 3).steps.iter().all(|step| step.is_scored()));
        assert!(with(0.0, 3).steps.iter().all(|step| !step.is_scored()));
        let games: Vec<GameRecord> = (1..=20).map(|seed| with(0.25, seed)).collect();
        let all: Vec<&Step> = games.iter().flat_map(|game| &game.steps).collect();
        let scored = all.iter().filter(|step| step.is_scored()).count();
        assert!((scored * 100 / all.len()).abs_diff(25) <= 5, "{scored} of {}", all.len());
        assert!(all.iter().all(|step| [30, Step::NO_SCORE].contains(&step.score)));
        let filter = Filter { max_score: u16::MAX, ..Filter::default() };
        let chess = Position::startpos().to_chess();
        let quiet = |score| Step { chosen: Position::startpos().legal_moves()[0].into(), score };
        assert!(filter.keeps(&chess, quiet(32_000), 0) && !filter.keeps(&chess, quiet(Step::NO_SCORE), 0));
    }

    #[test]
    fn off_policy_moves_come_early_at_their_share() {
        let off_policy = OffPolicy { share: 0.5, plies: 30, loss: 60 };
        let rules = GameRules { off_policy, ..GameRules::default() };
        let (mut possible, mut early) = (0usize, 0usize);
        for seed in 1..=20 {
            let mut player = Script { said: 0, script: |_| exact(30) };
            let record = play_from(&mut player, Game::new(Position::startpos()), &rules, &mut Random::new(seed));
            let record = record.expect("a game with a result");
            let mut position = Position::from_chess(&record.start);
            for (ply, step) in record.steps.iter().enumerate() {
                let moves = pawns_first(&position);
                let is_quiet = |m: &Move| !m.is_capture() && !m.is_promotion();
                let chosen: Move = step.chosen.into();
                let strays = chosen != moves[0];
                if ply >= 30 {
                    assert!(!strays, "at ply {ply}, with seed {seed}");
                } else if is_quiet(&moves[0]) && moves.iter().take(OffPolicy::LINES).skip(1).any(is_quiet) {
                    possible += 1;
                    early += usize::from(strays);
                } else {
                    assert!(!strays, "at ply {ply}, with seed {seed}");
                }
                position.play(chosen);
            }
        }
        assert!(possible >= 400, "{possible}");
        assert!((early * 100 / possible).abs_diff(50) <= 6, "{early} of {possible}");
    }
}
