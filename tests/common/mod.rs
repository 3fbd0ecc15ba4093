//! Helpers of the tests of scores.

pub mod shared;

use std::path::Path;

use ibex::position::{Game, Position};
use ibex::search::{Event, Report};

/// Mates that the project has composed or proved itself: `epd/mates_few_men.epd`.
#[allow(dead_code, reason = "each test binary uses its part")]
pub fn our_mates() -> Vec<Mate> {
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("epd/mates_few_men.epd"))
}

/// A public suite, if it is beside the checkout; otherwise prints a loud line.
#[allow(dead_code, reason = "each test binary uses its part")]
pub fn public_mates(file: &str) -> Vec<Mate> {
    shared::shared(&format!("data/mate/{file}")).map_or_else(Vec::new, |path| read(&path))
}

/// A position and the proved mate distance in full moves; negative if the side to move is mated.
#[derive(Clone, Debug)]
pub struct Mate {
    pub name: String,
    pub game: Game,
    pub moves: i32,
}

/// The lines of a suite that claim a mate: four fields of a FEN, and `dm N;` among the operations.
fn read(path: &Path) -> Vec<Mate> {
    let text = std::fs::read_to_string(path).expect("readable");
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mates = (1..).zip(text.lines()).filter_map(|(number, line)| {
        let moves = line.split(';').find_map(|operation| operation.split_once("dm ").map(|(_, moves)| moves.trim()))?;
        let fen = line.split_whitespace().take(4).collect::<Vec<_>>().join(" ");
        let (position, _) = Position::from_any_fen(&fen, None).unwrap_or_else(|error| panic!("{fen}: {error}"));
        let moves = moves.parse().unwrap_or_else(|error| panic!("{name}:{number}: {error}"));
        Some(Mate { name: format!("{name}:{number} {}", position.fen()), moves, game: Game::new(position) })
    });
    mates.collect()
}

/// What is wrong with an announcement, if anything: a mate shorter than the proved one, or a line that is not the
/// announced mate.
#[allow(dead_code, reason = "each test binary uses its part")]
pub fn fault(mate: &Mate, report: &Report) -> Option<String> {
    let announced = report.value.score().mate_moves()?;
    if report.value.bound() != ibex::bound::Bound::Exact {
        return None;
    }
    if mate.moves == 0 {
        return Some(format!("mate {announced} where there is none"));
    }
    // The mating side is known; a loser's announcement may be too long only while inexact, and never too short.
    let wrong_side = announced.signum() != mate.moves.signum();
    if wrong_side || announced.abs() < mate.moves.abs() {
        return Some(format!("mate {announced} announced at depth {}, {} is proved", report.depth, mate.moves));
    }
    None
}

/// What is wrong with the line of an announced mate, if anything.
#[allow(dead_code, reason = "each test binary uses its part")]
pub fn line_fault(game: &Game, report: &Report) -> Option<String> {
    let length = report.value.score().mate_ply()?;
    let mut end = game.clone();
    for &m in &report.pv {
        if !end.position().legal_moves().contains(&m) {
            return Some(format!("{m} is not legal"));
        }
        end.play(m);
    }
    let mated = end.position().is_checkmate();
    (report.pv.len() != length || !mated)
        .then(|| format!("mate at ply {length}, but the line has {} plies; mated: {mated}", report.pv.len()))
}

/// The reports of a search, in order.
#[derive(Default)]
pub struct Listener(std::sync::Mutex<Vec<Report>>);

#[allow(dead_code, reason = "each test binary uses its part")]
impl Listener {
    pub fn hear(&self, event: &Event) {
        if let Event::Line(report) = event {
            self.0.lock().expect("no panic while holding it").push(report.clone());
        }
    }

    pub fn reports(self) -> Vec<Report> {
        self.0.into_inner().expect("no panic while holding it")
    }
}
