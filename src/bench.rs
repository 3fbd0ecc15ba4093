//! Measuring speed, and proving that a change did not change the search.
//!
//! A fixed list of positions is searched to a fixed depth on one thread. The node count is a signature: it is the same
//! on every machine and in every build until the search or the evaluation changes, and the repository records it
//! (`tests/bench.signature`).

use std::fmt;
use std::time::{Duration, Instant};

use crate::engine::{Engine, LARGEST_HASH, MOST_THREADS, Settings};
use crate::position::notation::read_fen;
use crate::position::{FenError, Game};
use crate::time::Limits;

/// How the positions are searched; the default is what the signature is measured with.
#[derive(Clone, Copy, Debug)]
pub struct BenchOptions {
    /// Iterations for each position.
    pub depth: u32,
    /// Size of the transposition table in MiB.
    pub hash_mib: usize,
    /// Search threads; the node count repeats exactly only on one.
    pub threads: usize,
}

impl Default for BenchOptions {
    fn default() -> BenchOptions {
        BenchOptions { depth: DEPTH, hash_mib: 16, threads: 1 }
    }
}

/// Why the positions cannot be searched.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BenchError {
    /// A word is not a number from 1 to `most`.
    #[error("{name} must be a number from 1 to {most}, not '{word}'")]
    Number {
        /// The use of the number.
        name: &'static str,
        /// The largest number allowed.
        most: u32,
        /// The word.
        word: String,
    },
    /// There are two words, or more than three.
    #[error("expected nothing, DEPTH, or HASH THREADS DEPTH")]
    Words,
    /// A position cannot be read.
    #[error(transparent)]
    Position(#[from] FenError),
}

impl BenchOptions {
    /// Reads the words after `bench`: none, a depth, or, as other engines take them, `HASH THREADS DEPTH`.
    ///
    /// # Errors
    ///
    /// [`BenchError::Number`] if a word is not a number or out of range, [`BenchError::Words`] if there are two words
    /// or more than three.
    pub fn read(words: &[String]) -> Result<BenchOptions, BenchError> {
        let number = |name: &'static str, word: &str, most: u32| {
            let number = word.parse().ok().filter(|number| (1..=most).contains(number));
            number.ok_or_else(|| BenchError::Number { name, most, word: word.to_owned() })
        };
        match words {
            [] => Ok(BenchOptions::default()),
            [depth] => Ok(BenchOptions { depth: number("the depth", depth, DEEPEST)?, ..BenchOptions::default() }),
            [hash, threads, depth] => Ok(BenchOptions {
                depth: number("the depth", depth, DEEPEST)?,
                hash_mib: number("the hash", hash, LARGEST_HASH as u32)? as usize,
                threads: number("the threads", threads, MOST_THREADS as u32)? as usize,
            }),
            _ => Err(BenchError::Words),
        }
    }
}

/// The depth of the signature.
pub const DEPTH: u32 = 12;
/// The greatest depth that `bench` takes.
pub const DEEPEST: u32 = 200;

/// Positions from games that Ibex played against itself after eight random plies, openings first, endgames last;
/// the fifth and the eighth have the castling rights of a Chess960 set-up.
pub const POSITIONS: &[&str] = &[
    "r1bqk3/1ppn1pp1/4pnr1/pP1p3p/Pb1P3P/2N2N1R/2PBPPP1/R2QKB2 w Qq a6 0 11",
    "r1bqkbnr/pp1ppp1p/5np1/2p5/3P4/P1P2P1N/1P2P2P/RNBQKB1R w KQkq - 1 7",
    "r1bqkb1r/ppppp1p1/n6n/5p1p/1P1P1P2/5N2/P1PBP1PP/RN1QKB1R b KQkq - 0 5",
    "r1bqkb2/p3n3/1n3p1r/1Pppp1pP/4P1B1/RPN2N1P/2PPQPR1/2B1K3 b q - 0 16",
    "q1r1k1rb/2p1p1p1/p5np/2N1np2/1p1P4/5PP1/PPP1P2P/BQ1RKNR1 b Kkq - 1 11",
    "rnbqkb1r/1pp1nppp/3p4/p3p3/1PP3P1/5N2/P2PPP1P/RNBQKB1R w KQkq - 0 6",
    "rnbqkb1r/1p1ppppp/p2n4/2p5/7P/3P1N2/PPP2PPR/RNBQKB2 w Qkq - 1 6",
    "r2nknrb/4pppp/p7/qNpp4/2P2PP1/3Q3P/PP1PP3/B1R1KNR1 w KQk - 0 9",
    "r1bqkbr1/ppp1pppp/n7/3p1nP1/3P4/7P/PPP1PPB1/RNBQK1NR w KQq - 1 6",
    "1r1r4/4nk1p/2pnppp1/8/1p2PP2/6P1/RPP1N1BP/4K2R b K - 3 21",
    "r3kn1Q/1p2p3/5pp1/p6p/1qpP2nP/2R5/2RNPPP1/4KB2 b q - 1 24",
    "r1bqkb2/1p2p1p1/p6r/2pp4/PnP4P/1Q5B/1P1PNP2/R1B1K2R w KQ - 0 19",
    "7r/2nkbrpp/8/2Ppnp1N/1P1NpP2/4P2P/2PB2P1/2R1K1R1 b - f3 0 26",
    "2rn1b1r/3k4/pppp4/3P2Np/1PNP2P1/P1P4P/4K3/R6R b - - 1 24",
    "n1r2k2/1R6/4q1n1/1Pp1p2r/2P1Pp2/1P3P1p/1B1PQN1R/5K2 w - - 8 36",
    "4kb1r/1b2pn2/1q4p1/1P1p1p1p/2pP1P1N/2B1PQPP/r1BK4/2R4R w k - 3 29",
    "r3k2r/1pqb2pp/3b4/pPp5/4Pp2/P3p2P/1BPQ1P2/R3KB1R w KQkq - 0 18",
    "rnb1kb2/p1pp1p2/7p/8/1n1ppPNq/1Q2P2P/P2P2P1/RN1K1B1R w q - 0 18",
    "5r2/3k4/p1r1pNp1/q1p1PnP1/1nP2PKp/N1Qp4/PP1P1R2/B7 b - - 3 31",
    "r2qk2r/pppb2p1/n7/3nP1Pp/1b6/1N5P/PPP1P3/R1BQKB1R w KQkq - 1 13",
    "8/2n1k3/p4p2/P2p4/3P2q1/1PQ1PN2/5P2/5KNr b - - 0 37",
    "3k4/4r3/p7/q1p2QP1/3r1P1K/1PNp4/P1nP1R2/8 w - - 1 46",
    "4k2r/p7/2p2qp1/Q1p1pb1p/P7/2R5/3r1KPP/5B1R w k - 0 29",
    "8/3kb3/7r/Np5r/1P1PRnp1/2P4P/2K5/6NR b - - 22 45",
    "3r4/4nk1p/2pnppp1/2N5/3rPP2/6P1/RP4BP/4K2R b K - 5 25",
    "2k1r3/1p1r2p1/2p1p3/3p2P1/PBnP2Q1/R3P3/4RPK1/1q6 w - - 9 34",
    "2r4r/1p1k4/7p/pP1pP3/3P4/2Bp4/P2K4/R4n2 w - - 0 31",
    "r3k3/1pp5/p5p1/5pB1/1P1b4/P2P1P2/4K3/1R6 b q - 2 26",
    "b3k2r/5pp1/2nb1q1p/3pP3/8/2B1Q2N/5PPP/4KB1R b Kk - 0 20",
    "4kb1r/1b2pn2/1q6/1P1p1N2/2pP1pQ1/2B1P3/r1BK4/2R4R w k - 0 33",
    "2R5/8/2p1k1p1/P5Pp/2r4P/3K4/8/8 b - - 0 40",
    "8/4k3/3nbp2/3p4/2pP1K1B/8/1rB5/4R3 w - - 4 48",
    "8/5k2/2p1p1pp/4P3/5n2/1P4P1/5K1P/8 w - - 0 41",
    "8/7p/1K6/4p1p1/8/2Pk3P/8/8 b - - 2 52",
    "8/3b4/p5k1/P7/4p3/7P/3B1K2/8 b - - 1 44",
    "8/1p6/3B4/1P1pP2p/P2Pk3/2Kp1r2/8/8 w - - 2 38",
    "8/8/p5p1/3Kp1P1/4Pk2/8/8/8 b - - 0 52",
    "8/5p2/2p4B/5k2/8/4K3/8/7b b - - 2 47",
    "8/8/4K3/r7/1R6/4k3/8/8 w - - 42 81",
    "8/8/6p1/p1K1p1P1/5k2/8/8/8 w - - 2 55",
];

/// The result of a run.
#[derive(Clone, Copy, Debug)]
pub struct Measured {
    /// Nodes of all positions.
    pub nodes: u64,
    /// Time spent searching.
    pub time: Duration,
}

impl fmt::Display for Measured {
    /// The line that OpenBench and other runners read.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} nodes {} nps", self.nodes, self.nps())
    }
}

impl Measured {
    /// Nodes per second.
    pub fn nps(&self) -> u64 {
        (self.nodes as f64 / self.time.as_secs_f64().max(1e-6)) as u64
    }
}

/// Searches every position from an empty table; `done` receives each position's number and nodes.
///
/// # Errors
///
/// [`BenchError::Position`] if a position of [`POSITIONS`] cannot be read.
pub fn measure(setup: BenchOptions, mut done: impl FnMut(usize, u64)) -> Result<Measured, BenchError> {
    let settings = Settings { hash_mib: setup.hash_mib, threads: setup.threads, ..Settings::default() };
    let (mut engine, remarks) = Engine::new(settings);
    for remark in remarks {
        log::warn!("{remark}");
    }
    let (mut nodes, mut seconds) = (0, 0.0);
    for (i, fen) in POSITIONS.iter().enumerate() {
        let game = Game::new(read_fen(fen)?);
        engine.new_game();
        let start = Instant::now();
        let outcome = engine.search(&game, Limits::depth(setup.depth), None);
        // A sum of `Duration`s would branch on the time, so the profile of a build would depend on it.
        seconds += start.elapsed().as_secs_f64();
        nodes += outcome.nodes;
        done(i + 1, outcome.nodes);
    }
    Ok(Measured { nodes, time: Duration::from_secs_f64(seconds) })
}

/// The command for a prompt: the words of [`BenchOptions::read`] in, lines out.
/// Returns whether it could.
pub fn at_the_prompt(words: &[String], say: &mut dyn FnMut(&str)) -> bool {
    let measured = BenchOptions::read(words).and_then(|setup| measure(setup, |_, _| {}));
    match &measured {
        Ok(measured) => say(&measured.to_string()),
        Err(reason) => say(&format!("bench: {reason}")),
    }
    measured.is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bench_takes_the_arguments_of_other_engines() {
        let read = |text: &str| {
            let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
            BenchOptions::read(&words).map(|setup| (setup.hash_mib, setup.threads, setup.depth))
        };
        assert_eq!(read(""), Ok((16, 1, DEPTH)));
        assert_eq!(read("9"), Ok((16, 1, 9)));
        assert_eq!(read("64 2 10"), Ok((64, 2, 10)));
        for bad in
            ["0", "x", "201", "16 1", "0 1 12", "16 0 12", "16 513 12", "16 1 -1", "16 1 12 default", "9999999 1 1"]
        {
            assert!(read(bad).is_err_and(|why| !why.to_string().contains('\n')), "{bad}");
        }
    }
}
