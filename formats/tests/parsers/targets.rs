//! Everything that the program reads, each as a function of bytes that must return without a panic, and checks what
//! must hold for what was read. The fuzzer's targets and `tests/parsers/main.rs` use these functions.

#![allow(dead_code, reason = "the fuzzer's targets use one each")]

use std::cell::RefCell;
use std::sync::{Arc, Mutex};

use formats::epd::Suite;
use formats::games::{GameReader, ReadError};
use formats::pgn;
use ibex::checksum::checksum;
use ibex::eval::Evaluator;
use ibex::eval::nnue::Network;
use ibex::eval::nnue::format;
use ibex::position::{Game, Position};
use ibex::score::Score;
use ibex::uci;
use shakmaty::CastlingMode;

/// A name and its function.
pub type Target = (&'static str, fn(&[u8]));

/// All of them.
pub const TARGETS: [Target; 8] = [
    ("line", line),
    ("dialogue", dialogue),
    ("fen", fen),
    ("epd", epd),
    ("games", games),
    ("network", network),
    ("option", option),
    ("annotated", annotated),
];

/// Lines of the protocol: read, and interpreted without a session.
pub fn line(bytes: &[u8]) {
    for line in bytes.split(|&byte| byte == b'\n') {
        match uci::understand(&String::from_utf8_lossy(line)).map_err(|error| error.to_string()) {
            Ok(asked) => drop(asked),
            // In messages, each run of blanks becomes one blank.
            Err(error) => assert!(!error.is_empty() && !error.contains('\n'), "{error:?}"),
        }
    }
}

/// The value of an option, or a whole `setoption` without that word.
pub fn option(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim();
    let mut options = uci::Options::default();
    let before = options.clone();
    match uci::set_option(&mut options, text) {
        Ok(uci::OptionChange::Options(remark)) => assert!(remark.is_none_or(|remark| !remark.contains('\n'))),
        Ok(uci::OptionChange::Action(_)) => assert_eq!(options, before),
        Err(error) => {
            assert!(!error.to_string().is_empty());
            assert_eq!(options, before, "{text:?}: {error}");
        }
    }
    let engine = &options.engine;
    assert!((1..=1 << 20).contains(&engine.hash_mib) && (1..=512).contains(&engine.threads));
    assert!((1..=256).contains(&engine.multi_pv) && engine.contempt.abs() <= 100);
    assert!(engine.move_overhead.as_millis() <= 5000 && engine.nodes_time <= 10_000);
    // Setting it again changes nothing more.
    let mut again = options.clone();
    let _ = uci::set_option(&mut again, text);
    assert_eq!(again, options);
}

/// The output of a session; shared with the thread that writes it.
#[derive(Clone, Default)]
struct Capture(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Capture {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("no panic while writing").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A whole session. Lines that would take unlimited memory or threads, or open files, are left out.
pub fn dialogue(bytes: &[u8]) {
    // As the program reads it: invisible characters do not count, and each run of blanks is one blank.
    let visible = |line: &[u8]| -> String {
        let text = String::from_utf8_lossy(line).to_ascii_lowercase();
        let text: String = text.chars().filter(|&c| c == '\t' || !(c.is_control() || c == '\u{feff}')).collect();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let kept: Vec<&[u8]> = bytes
        .split(|&byte| byte == b'\n')
        .filter(|line| {
            let words = visible(line);
            !["hash", "threads", "log file", "evalfile", "syzygypath", "genfens", "bench"]
                .iter()
                .any(|word| words.contains(word))
        })
        .collect();
    let kept = kept.join(&b'\n');
    let page = Capture::default();
    uci::converse(&kept, page.clone());
    let said = page.0.lock().expect("no panic while writing");
    let said = std::str::from_utf8(&said).expect("text");
    assert!(said.is_empty() || said.ends_with('\n'), "whole lines");
    let count = |text: &str, word: &str| text.lines().filter(|l| l.split(' ').next() == Some(word)).count();
    let asked = visible(&kept);
    let words = |word: &str| asked.matches(word).count();
    assert!(count(said, "bestmove") <= words("go"), "{said}");
    assert!(count(said, "readyok") <= words("isready"), "{said}");
    assert!(count(said, "uciok") <= words("uci"), "{said}");
    // Before `quit`, every plain line is answered. After `stop`, or a search that gives way, "readyok" may wait for a
    // change that the end cuts off.
    if !asked.contains("quit") {
        let plain = |word: &str| {
            kept.split(|byte| matches!(byte, b'\n' | b'\r')).filter(|line| line.trim_ascii() == word.as_bytes()).count()
        };
        assert!(count(said, "uciok") >= plain("uci"), "{said}");
        let may_wait = words("go") > 0 && asked.contains("stop") || words("go") > 1;
        assert!(may_wait || count(said, "readyok") >= plain("isready"), "{said}");
        assert!(words("go") > 1 || count(said, "bestmove") >= plain("go"), "{said}");
    }
}

/// A FEN: what is read is written, reads back the same, and can be played from.
pub fn fen(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for mode in [CastlingMode::Standard, CastlingMode::Chess960] {
        let position = match Position::from_fen(&text, mode) {
            Ok(position) => position,
            Err(error) => {
                assert!(!error.to_string().is_empty());
                continue;
            }
        };
        let written = position.fen();
        let again = Position::from_fen(&written, mode).unwrap_or_else(|error| panic!("{written}: {error}"));
        assert_eq!((again.key(), again.fen()), (position.key(), written.clone()));
        playable(&position);
        let flipped = position.flipped();
        assert_eq!(flipped.legal_moves().len(), position.legal_moves().len(), "{written}");
        assert_eq!(flipped.flipped().key(), position.key(), "{written}");
    }
}

fn evaluate(evaluator: &mut Evaluator, position: &Position) {
    if !position.in_check() {
        evaluator.reset(position);
        let cp = evaluator.evaluate(position);
        assert!(cp.abs() <= Score::MAX_EVAL, "{cp} in {}", position.fen());
    }
}

/// Every move can be played, is packed and unpacked, and leads to the position of its FEN; the position is evaluated.
fn playable(position: &Position) {
    for m in position.legal_moves() {
        assert_eq!(position.find(m.packed()), Some(m), "{m:?} in {}", position.fen());
        assert!(position.parse_move(&m.to_uci(position.castling_mode()).to_string()).is_some());
        let after = position.after(m);
        let fresh = Position::from_chess(&after.to_chess());
        assert_eq!(after.key(), fresh.key(), "{m:?} in {}", position.fen());
        assert_eq!(position.gives_check(m), after.in_check(), "{m:?} in {}", position.fen());
        let _ = position.see_at_least(m, 0);
    }
    let _ = ibex::recognize::recognize(position);
    thread_local! {
        static EVALUATOR: RefCell<Evaluator> = RefCell::default();
    }
    EVALUATOR.with_borrow_mut(|evaluator| evaluate(evaluator, position));
    let mut game = Game::new(*position);
    if let Some(&m) = position.legal_moves().first() {
        game.play(m);
        let _ = (game.outcome(), game.occurrences());
    }
}

/// A file of EPD lines: every line is an entry or a problem, and entries name legal moves only.
pub fn epd(bytes: &[u8]) {
    let suite = Suite::parse("fuzz", "fuzz.epd", bytes);
    let lines = bytes.split(|byte| matches!(byte, b'\n' | b'\r')).count();
    assert!(suite.entries.len() + suite.problems.len() <= lines);
    for problem in &suite.problems {
        assert!((1..=lines).contains(&problem.line) && !problem.to_string().contains('\n'), "{problem}");
    }
    for entry in &suite.entries {
        let legal = entry.position.legal_moves();
        assert!(entry.best.iter().chain(&entry.avoid).all(|m| legal.contains(m)), "{entry:?}");
    }
}

/// A data file of games: what is read is written as bytes with the same meaning, and the byte count is right.
pub fn games(bytes: &[u8]) {
    let mut reader = GameReader::new(bytes);
    loop {
        let before = reader.consumed();
        match reader.next_game() {
            Ok(Some(record)) => {
                assert!(reader.consumed() > before && reader.consumed() <= bytes.len() as u64);
                let mut plies = 0;
                record.visit(|_, _, _| plies += 1);
                assert_eq!(plies, record.steps.len());
                let written = record.to_bytes();
                let again = GameReader::new(written.as_slice()).next_game();
                assert!(matches!(&again, Ok(Some(again)) if *again == record), "{record:?} {again:?}");
            }
            Ok(None) => break assert_eq!(before, bytes.len() as u64),
            Err(ReadError::Truncated | ReadError::Malformed(_)) => break assert_eq!(reader.consumed(), before),
            Err(ReadError::Io(error)) => panic!("memory has no errors: {error}"),
        }
    }
}

/// A network: the bytes as they are; and also the file that they determine, because a checksum stops nearly all
/// others. An accepted network evaluates and is written as it was read.
pub fn network(bytes: &[u8]) {
    if let Err(error) = Network::from_bytes(bytes).map_err(|error| error.to_string()) {
        assert!(!error.is_empty() && !error.contains('\n'));
    }
    let Some(file) = network_file(bytes) else { return };
    if let Ok(network) = Network::from_bytes(&file) {
        let written = network.to_bytes();
        let again = Network::from_bytes(&written).unwrap_or_else(|error| panic!("written, but {error}"));
        assert_eq!(again.to_bytes(), written);
        let network = Arc::new(network);
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/8/4k3/8/8/3P4/1P1K1p2/8 b - - 0 1",
        ] {
            let position = Position::from_fen(fen, CastlingMode::Standard).expect("a position");
            evaluate(&mut Evaluator::new(&network), &position);
        }
    }
}

/// A network file whose header and weights are determined by the bytes, most of the time with the right size and
/// checksum; `None` if there are too few bytes.
pub fn network_file(bytes: &[u8]) -> Option<Vec<u8>> {
    let (&[kind, hidden, length, spread], rest) = bytes.split_first_chunk()?;
    let hidden = usize::from(hidden % 4) * 32;
    // Half of the files have the accepted architecture.
    let kind = if kind & 1 == 0 { format::ARCHITECTURE as u8 } else { kind % 6 };
    let threats = format::THREATS * format::threatened(hidden);
    let mut size = 2 * format::weight_count(hidden) + 4 * 8 + threats;
    if length & 3 == 0 {
        // Nearly the right size.
        size = (size + usize::from(length >> 2)).saturating_sub(32);
    }
    let mut weights: Vec<u8> =
        if rest.is_empty() { vec![0; size] } else { rest.iter().copied().cycle().take(size).collect() };
    if spread & 1 == 0 {
        // Small weights, which are accepted: the high byte of each is only its sign.
        for pair in weights.chunks_exact_mut(2) {
            pair[1] = if pair[0] & 0x80 == 0 { 0 } else { 0xFF };
        }
        let first = weights.len().saturating_sub(threats);
        weights[first..].iter_mut().for_each(|weight| *weight = (*weight as i8 / 8) as u8);
    }
    let mut file = vec![0; format::HEADER_SIZE];
    file[..8].copy_from_slice(format::MAGIC);
    file[8..12].copy_from_slice(&format::VERSION.to_le_bytes());
    file[12..16].copy_from_slice(&u32::from(kind).to_le_bytes());
    file[16..20].copy_from_slice(&(hidden as u32).to_le_bytes());
    file[20..24].copy_from_slice(&8u32.to_le_bytes());
    for (at, number) in [(24, format::QA), (26, format::QB), (28, format::SCALE)] {
        file[at..at + 2].copy_from_slice(&(number as u16).to_le_bytes());
    }
    file[32..40].copy_from_slice(&checksum(&weights).to_le_bytes());
    for (byte, &name) in file[40..].iter_mut().zip(rest) {
        *byte = name;
    }
    // Sometimes, a header that is corrupt in one place.
    if spread & 6 == 6 {
        file[usize::from(length) % format::HEADER_SIZE] ^= kind;
    }
    file.extend_from_slice(&weights);
    Some(file)
}

/// A file of annotated games (PGN): every game is read or rejected with a reason, and what was read can be written and
/// read back with the same moves.
pub fn annotated(bytes: &[u8]) {
    let mut games = pgn::Games::new(bytes);
    let mut taken = 0;
    while let Some(reading) = games.next_game().expect("memory can be read") {
        taken += reading.text.len();
        let game = match reading.game {
            Ok(game) => game,
            Err(fault) => {
                assert!(!fault.reason.is_empty() && !fault.reason.contains('\n'), "{fault}");
                continue;
            }
        };
        let written = game.write("fuzz");
        let mut again = pgn::Games::new(written.as_slice());
        let read = again.next_game().expect("memory can be read").expect("a game");
        let text = || String::from_utf8_lossy(&written);
        let read = read.game.unwrap_or_else(|fault| panic!("{fault} of {}", text()));
        let actions = |game: &pgn::Pgn| game.moves.iter().map(|played| played.action).collect::<Vec<_>>();
        assert_eq!(actions(&read), actions(&game), "{}", text());
        assert_eq!((&read.result, wrapped(&read.before)), (&game.result, wrapped(&game.before)), "{}", text());
        // The writer adds an annotator if there was none.
        let tags = |game: &pgn::Pgn| {
            let others =
                game.tags.iter().filter(|tag| tag.name().is_none_or(|name| !name.eq_ignore_ascii_case(b"Annotator")));
            others.cloned().collect::<Vec<_>>()
        };
        assert_eq!(tags(&read), tags(&game), "{}", text());
        for (read, written) in read.moves.iter().zip(&game.moves) {
            assert_eq!((&read.nags, wrapped(&read.after)), (&written.nags, wrapped(&written.after)), "{}", text());
        }
        assert!(again.next_game().expect("memory can be read").is_none(), "{}", text());
    }
    assert!(taken <= bytes.len());
}

/// The tokens, with single blanks in comments, because their lines are wrapped again.
fn wrapped(tokens: &[pgn::Token]) -> Vec<pgn::Token> {
    let words = |comment: &[u8]| {
        let words = comment.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        words.collect::<Vec<_>>().join(&b' ')
    };
    let wrap = |token: &pgn::Token| match token {
        pgn::Token::Comment(comment) => pgn::Token::Comment(words(comment)),
        other => other.clone(),
    };
    tokens.iter().map(wrap).collect()
}

/// Initial data files: a few random games as they are written.
pub fn recorded() -> Vec<Vec<u8>> {
    use formats::games::{GameRecord, GameResult, Step};
    (0..6)
        .map(|seed: u64| {
            let (mut state, mut position, mut steps) = (seed, Position::startpos(), Vec::new());
            let start = position.to_chess();
            for _ in 0..seed * 12 {
                let moves = position.legal_moves();
                let random = ibex::random::split_mix(&mut state);
                let Some(&chosen) = moves.get(random as usize % moves.len().max(1)) else { break };
                steps.push(Step { chosen: chosen.into(), score: (random >> 48) as i16 });
                position.play(chosen);
            }
            GameRecord { start, steps, result: GameResult::Draw }.to_bytes()
        })
        .collect()
}
