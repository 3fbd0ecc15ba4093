//! Lines that end in mate, told to their end.
//!
//! A search that finds a mate in the table knows its distance without having walked there, so its line stops where the
//! table answered. From there a small search of its own leads on to the mate, with the table as its guide.

use shakmaty::Move;

use crate::bound::Ibv;
use crate::position::{Game, PackedMove};
use crate::score::Score;
use crate::tt::Table;

use super::pv;

/// Positions that may be visited for one line: a few milliseconds at most, for lines are told by the thread that
/// watches the clock.
const VISITS: u32 = 3000;

/// The line of a root value: as it was found or, for a proved mate, led on to the mate where that can be done soon.
///
/// `salt` is what the search folds into the table's keys.
pub fn line(game: &Game, packed: &[PackedMove], value: Ibv, table: &Table, salt: u64) -> Vec<Move> {
    let found = pv::unpack(game, packed);
    let plies = match value.score().mate_ply() {
        Some(plies) if value == Ibv::exact(value.score()) => plies,
        _ => return found,
    };
    if found.len() >= plies {
        return found;
    }
    let mut guide = Guide { table, salt, visits: VISITS };
    // Where the line that was found does not lead on, its first move may.
    [found.len(), 1]
        .into_iter()
        .filter(|&length| (1..=found.len()).contains(&length))
        .find_map(|length| {
            let mut game = game.clone();
            for &m in &found[..length] {
                game.play(m);
            }
            let rest = guide.lead(&game, plies - length)?;
            Some(found[..length].iter().chain(&rest).copied().collect())
        })
        .unwrap_or(found)
}

/// What is known of a position and a number of plies.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    /// The mate comes in exactly this many plies.
    Exactly,
    /// The mate comes in fewer.
    Sooner,
    /// There is no mate within this many plies.
    No,
    /// Nothing is known.
    Nothing,
}

/// The search for the way to a mate.
struct Guide<'a> {
    table: &'a Table,
    salt: u64,
    visits: u32,
}

impl Guide<'_> {
    /// A line of exactly `plies` plies to a mate, by the side to move or, for an even number, of it; `None` if there is
    /// none or it takes too long to find.
    fn lead(&mut self, game: &Game, plies: usize) -> Option<Vec<Move>> {
        let position = game.position();
        let moves = position.legal_moves();
        if plies == 0 {
            return (moves.is_empty() && position.in_check()).then(Vec::new);
        }
        self.visits = self.visits.checked_sub(1)?;
        let mut children = Vec::with_capacity(moves.len());
        for m in moves {
            let mut after = game.clone();
            after.play(m);
            let known = self.known(&after, plies - 1);
            children.push((m, after, known));
        }
        let attacks = !plies.is_multiple_of(2);
        // Both sides go first where the table has seen the mate at the right distance.
        children.sort_by_key(|(_, after, known)| match known {
            Known::Exactly => 0,
            Known::Nothing if after.position().in_check() => 1,
            Known::Nothing => 2,
            Known::Sooner => 3,
            Known::No => 4,
        });
        if attacks {
            // One way is enough; a quiet first move is tried only where it is known or the mate is near.
            return children
                .into_iter()
                .filter(|(_, after, known)| match known {
                    Known::Exactly => true,
                    Known::Nothing => plies <= 5 || after.position().in_check(),
                    Known::Sooner | Known::No => false,
                })
                .find_map(|(m, after, _)| Some(prepend(m, self.lead(&after, plies - 1)?)));
        }
        // Every defence must be met; the line follows one that lasts.
        let mut longest = None;
        for (m, after, known) in children {
            match known {
                Known::No => return None,
                Known::Sooner => continue,
                Known::Exactly if longest.is_some() => continue,
                Known::Exactly | Known::Nothing => (),
            }
            match self.lead(&after, plies - 1) {
                Some(rest) if longest.is_none() => longest = Some(prepend(m, rest)),
                Some(_) => (),
                None if known == Known::Exactly => (),
                None => self.mates_sooner(&after, plies - 1)?,
            }
        }
        longest
    }

    /// Confirms that the side to move mates in fewer than `plies` plies.
    fn mates_sooner(&mut self, game: &Game, plies: usize) -> Option<()> {
        (1..plies).step_by(2).find_map(|fewer| self.lead(game, fewer)).map(|_| ())
    }

    /// What the board or the table says of a mate in `plies`.
    fn known(&self, game: &Game, plies: usize) -> Known {
        let position = game.position();
        if game.outcome().is_some() {
            let mated = position.in_check() && !position.has_legal_move();
            return match (mated, plies) {
                (true, 0) => Known::Exactly,
                (true, _) => Known::Sooner,
                (false, _) => Known::No,
            };
        }
        if plies == 0 {
            return Known::No;
        }
        let Some(entry) = self.table.probe(position.key() ^ self.salt) else { return Known::Nothing };
        if !entry.value.is_some() {
            return Known::Nothing;
        }
        // Stored mates count from the stored position.
        let (score, bound) = (entry.value.score(), entry.value.bound());
        let (at_most, at_least) = (bound.is_upper_or_exact(), bound.is_lower_or_exact());
        if plies.is_multiple_of(2) {
            let target = Score::mated_in(plies);
            match score {
                _ if at_most && score == target => Known::Exactly,
                _ if at_most && score < target => Known::Sooner,
                _ if at_least && score > target => Known::No,
                _ => Known::Nothing,
            }
        } else {
            let target = Score::mate_in(plies);
            match score {
                _ if at_least && score == target => Known::Exactly,
                _ if at_least && score > target => Known::Sooner,
                _ if at_most && score < target => Known::No,
                _ => Known::Nothing,
            }
        }
    }
}

fn prepend(m: Move, mut rest: Vec<Move>) -> Vec<Move> {
    rest.insert(0, m);
    rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tt::Entry;
    use shakmaty::CastlingMode;

    fn store(table: &Table, game: &Game, value: Ibv) {
        let entry = Entry { value, best: PackedMove::NONE, depth: 9, pv: false, eval: None, moveless: false };
        table.store(game.position().key(), entry);
    }

    fn told(game: &Game, first: &str, value: Ibv, table: &Table, salt: u64) -> usize {
        let first = PackedMove::new(game.position().parse_move(first).expect("legal"));
        let line = line(game, &[first], value, table, salt);
        let mut end = game.clone();
        line.iter().for_each(|&m| end.play(m));
        if line.len() > 1 {
            assert!(end.position().in_check() && !end.position().has_legal_move(), "a mate");
        }
        line.len()
    }

    #[test]
    fn short_mates_need_no_table() {
        let (table, _) = Table::new(1);
        for (fen, first, plies) in [
            ("3r2nk/6pp/6q1/6N1/7Q/8/6K1/8 w - - 0 1", "h4h7", 3),
            ("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", "a1a6", 3),
            ("7k/8/8/8/8/8/1R6/K1R5 w - - 0 1", "b2g2", 3),
        ] {
            let game = Game::from_fen(fen, CastlingMode::Standard).expect("valid");
            assert_eq!(told(&game, first, Ibv::exact(Score::mate_in(plies)), &table, 0), plies, "{fen}");
            assert_eq!(told(&game, first, Ibv::lower(Score::mate_in(plies)), &table, 0), 1, "a bound is no claim");
        }
    }

    /// What the table says of a position on the way counts, and what it says of other keys does not.
    #[test]
    fn the_table_is_believed() {
        let (table, _) = Table::new(1);
        let game = Game::from_fen("7k/8/8/8/8/8/1R6/K1R5 w - - 0 1", CastlingMode::Standard).expect("valid");
        let value = Ibv::exact(Score::mate_in(3));
        let mut after = game.clone();
        for m in ["b2g2", "h8h7"] {
            let m = after.position().parse_move(m).expect("legal");
            after.play(m);
        }
        store(&table, &after, Ibv::lower(Score::ZERO));
        assert_eq!(told(&game, "b2g2", value, &table, 0), 3, "at least a draw may be a mate");
        store(&table, &after, Ibv::upper(Score::ZERO));
        assert_eq!(told(&game, "b2g2", value, &table, 0), 1, "at most a draw is no mate");
        assert_eq!(told(&game, "b2g2", value, &table, 1), 3, "another salt is another table");
    }
}
