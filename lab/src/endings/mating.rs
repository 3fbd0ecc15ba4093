//! Won endings played out: the engine must mate against tablebase defence.

use std::time::Duration;

use shakmaty::Color;

use super::sample;
use super::{Common, engine, solved};
use ibex::engine::Engine;
use ibex::parallel::in_parallel;
use ibex::position::game::Ending;
use ibex::position::{Game, Move, Position};
use ibex::random::Random;
use ibex::retrograde::{Dtm, Endgame, Table, Tables};
use ibex::time::Limits;
use terminal::tell::share;
use terminal::{Exit, Result, progress, tell, trouble};

/// The endings that are played when none are named.
const ENDINGS: [&str; 6] = ["KQvK", "KRvK", "KBBvK", "KBNvK", "KPvK", "KQvKR"];
/// Need not always be won: the evaluation leads to the win, but no known rule proves each step.
const EXCUSED: &str = "KQvKR";

/// Which endings, and how the engine plays.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// Random won positions of each ending
    #[arg(long, default_value = "100", value_name = "N", value_parser = super::some)]
    pub games: usize,
    /// Nodes for each move
    #[arg(long, default_value_t = 10_000, value_name = "N", value_parser = terminal::amount::count)]
    pub nodes: u64,
    /// Milliseconds for each move, instead of nodes
    #[arg(long, value_name = "MS", conflicts_with = "nodes", value_parser = terminal::amount::milliseconds)]
    pub movetime: Option<u64>,
    #[command(flatten)]
    pub common: Common,
    /// Only these endings, such as KBNvK
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub endings: Vec<Endgame>,
}

/// How a game ended.
#[derive(Clone, Debug)]
struct MatingGame {
    start: Position,
    /// Moves of the stronger side, and how many were needed.
    moves: u32,
    needed: u32,
    ending: Option<Ending>,
}

impl MatingGame {
    fn won(&self) -> bool {
        self.ending == Some(Ending::Checkmate)
    }
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Exit> {
    let endings = if args.endings.is_empty() {
        ENDINGS.iter().map(|name| name.parse()).collect::<std::result::Result<_, _>>()?
    } else {
        args.endings.clone()
    };
    let limits = match args.movetime {
        Some(milliseconds) => Limits::movetime(Duration::from_millis(milliseconds)),
        None => Limits::nodes(args.nodes),
    };
    let tables = solved(endings.iter().cloned());
    for ending in &endings {
        let won = |_: &_, turn, value| (turn == Color::White && matches!(value, Dtm::Win(_))).then_some(());
        if tables.get(ending).is_none_or(|table| table.try_for_each(won).is_none()) {
            return Err(trouble!("{ending} has no position that White wins"));
        }
    }
    tell!("| ending | games | mated within the 50-move rule | moves, mean | needed, mean | longest |")?;
    tell!("|---|--:|--:|--:|--:|--:|")?;
    let mut missed = 0;
    for ending in &endings {
        let Some(table) = tables.get(ending) else { continue };
        let bar = progress::bar(args.games as u64, "games");
        let played = in_parallel(
            args.games,
            args.common.jobs(),
            |i| play(table, &tables, &limits, Random::of_part(args.common.seed, i as u64)),
            |_, _| bar.inc(1),
        );
        bar.finish_and_clear();
        let won: Vec<&MatingGame> = played.iter().filter(|played| played.won()).collect();
        let of = |moves: fn(&MatingGame) -> u32| won.iter().map(|game| moves(game)).collect::<Vec<u32>>();
        let (moves, needed) = (of(|game| game.moves), of(|game| game.needed));
        tell!(
            "| {ending} | {} | {}% | {} | {} | {} |",
            played.len(),
            share(won.len(), played.len(), 0),
            mean(&moves),
            mean(&needed),
            moves.iter().max().map_or_else(|| "-".to_owned(), u32::to_string)
        )?;
        let lost = played.iter().filter(|played| !played.won());
        if args.common.verbose {
            for game in lost.clone() {
                tell!("  {} after {} moves: {:?}", game.start.fen(), game.moves, game.ending)?;
            }
        }
        if ending.to_string() != EXCUSED {
            missed += lost.count();
        }
    }
    Ok(if missed == 0 { Exit::Done } else { Exit::Found })
}

/// The mean to one decimal place; `-` if there is nothing to average.
fn mean(moves: &[u32]) -> String {
    let sum: u64 = moves.iter().copied().map(u64::from).sum();
    if moves.is_empty() { "-".to_owned() } else { format!("{:.1}", sum as f64 / moves.len() as f64) }
}

fn play(table: &Table, tables: &Tables, limits: &Limits, mut random: Random) -> MatingGame {
    let winning = |turn, value| turn == Color::White && matches!(value, Dtm::Win(_));
    let (start, value) = sample::of_table(table, &mut random, winning);
    let needed = if let Dtm::Win(plies) = value { u32::from(plies).div_ceil(2) } else { 0 };
    let mut engine = engine();
    let mut game = Game::new(start);
    let attacker = start.turn();
    let mut moves = 0;
    let ending = loop {
        if let Some(ending) = game.outcome() {
            break Some(ending);
        }
        let chosen = if game.position().turn() == attacker {
            moves += 1;
            attack(&mut engine, &game, limits)
        } else {
            defend(&game, tables, &mut random)
        };
        let Some(m) = chosen else { break None };
        game.play(m);
    };
    MatingGame { start, moves, needed, ending }
}

fn attack(engine: &mut Engine, game: &Game, limits: &Limits) -> Option<Move> {
    engine.search(game, limits.clone(), None).best
}

/// The move after which the mate is farthest, chosen at random if there are several; a draw is better than any loss.
fn defend(game: &Game, tables: &Tables, random: &mut Random) -> Option<Move> {
    let position = game.position();
    let worth = |m: &Move| {
        let after = position.after(*m);
        match tables.value(&after.board().into(), after.turn()) {
            Some(Dtm::Win(plies)) => i32::from(plies),
            Some(Dtm::Draw) => 1000,
            // What is not in the tables is bare kings; a defender who wins would be a mistake of the attacker.
            Some(Dtm::Loss(_)) => 2000,
            None => 1000,
        }
    };
    let moves = position.legal_moves();
    let best = moves.iter().map(worth).max()?;
    let equal: Vec<&Move> = moves.iter().filter(|m| worth(m) == best).collect();
    Some(*equal[random.below(equal.len())])
}

#[cfg(test)]
mod tests {
    use super::*;
    use ibex::position::notation::read_fen;

    fn exit(endings: &[&str], nodes: u64) -> Exit {
        run(&Args {
            games: 3,
            nodes,
            movetime: None,
            common: Common { seed: 3, jobs: None, verbose: true },
            endings: endings.iter().map(|name| name.parse().expect("an ending")).collect(),
        })
        .expect("games")
    }

    #[test]
    fn elementary_mates_are_played_out() {
        assert_eq!(exit(&["KQvK", "KRvK"], 2000), Exit::Done);
    }

    #[test]
    fn a_game_that_is_not_won_is_found() {
        // Mating with bishop and knight needs a plan, which one node a move does not give.
        assert_eq!(exit(&["KBNvK"], 1), Exit::Found);
        let start = read_fen("8/8/8/8/6k1/2K5/8/R7 w - - 0 1").expect("a position");
        let game = |ending| MatingGame { start, moves: 50, needed: 9, ending };
        assert!(game(Some(Ending::Checkmate)).won());
        for ending in [
            Some(Ending::Stalemate),
            Some(Ending::InsufficientMaterial),
            Some(Ending::FiftyMoves),
            Some(Ending::Repetition),
            None,
        ] {
            assert!(!game(ending).won(), "{ending:?}");
        }
    }

    #[test]
    fn the_mean_of_nothing_is_no_number() {
        assert_eq!([&[][..], &[9], &[9, 10, 10], &[u32::MAX; 2]].map(mean), ["-", "9.0", "9.7", "4294967295.0"]);
    }

    #[test]
    fn the_defender_takes_the_longest_way_or_the_last_man() {
        let tables = solved(["KRvK".parse().expect("an ending")]);
        let game = |fen| Game::new(read_fen(fen).expect("a position"));
        let lost = game("8/8/8/8/6k1/2K5/8/R7 b - - 0 1");
        let plies = |m: Move| {
            let after = lost.position().after(m);
            match tables.value(&after.board().into(), after.turn()) {
                Some(Dtm::Win(plies)) => plies,
                other => panic!("{other:?}"),
            }
        };
        let all: Vec<u8> = lost.position().legal_moves().iter().map(|&m| plies(m)).collect();
        assert!(all.iter().min() < all.iter().max(), "there is a choice");
        for seed in 0..20 {
            let chosen = defend(&lost, &tables, &mut Random::new(seed)).expect("a move");
            assert_eq!(Some(plies(chosen)), all.iter().max().copied());
        }
        let saved = game("8/8/8/8/8/2K5/6k1/7R b - - 0 1");
        let takes = saved.position().parse_move("g2h1");
        assert!(takes.is_some());
        assert!((0..20).all(|seed| defend(&saved, &tables, &mut Random::new(seed)) == takes));
    }
}
