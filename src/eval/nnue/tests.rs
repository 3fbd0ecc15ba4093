use std::sync::Arc;

use shakmaty::{CastlingMode, Color, Role};

use super::features::{FeatureView, INPUTS, KING_BUCKETS, OUTPUT_BUCKETS, PIECE_SQUARES, output_bucket};
use super::format::{
    Contents, HEADER_SIZE, MAX_HIDDEN, MAX_OUTPUT_WEIGHT, MAX_SIZE, MAX_THREAT_WEIGHT, NetworkError, QA, QB, SCALE,
    THREATS, threatened,
};
use super::simd::{Arithmetic, BLOCK, Block, HiddenLayer, Kernel, Task, ThreatSums};
use super::{Accumulators, Network};
use crate::position::Position;
use crate::position::attacks::{AttackMaps, en_prise};
use crate::random::split_mix;
use crate::score::Score;

const OUTPUT_BIASES: [i32; OUTPUT_BUCKETS] = [7, -9, 0, 1000, -1000, 1, 2, 3];

/// Weights of the size that training makes, and some at their limits.
fn random_weights(hidden: usize, seed: u64) -> Vec<i16> {
    let mut state = seed;
    let outputs = 2 * OUTPUT_BUCKETS * hidden;
    let total = (INPUTS + 1) * hidden + outputs;
    (0..total)
        .map(|i| {
            let word = split_mix(&mut state);
            let range = if i >= total - outputs { MAX_OUTPUT_WEIGHT as u64 } else { 90 };
            (word % (2 * range + 1)) as i16 - range as i16
        })
        .collect()
}

/// Weights of threats, up to the limit.
fn random_threats(hidden: usize, seed: u64) -> Vec<i8> {
    let mut state = seed;
    let range = MAX_THREAT_WEIGHT as u64;
    let weight = |_| (split_mix(&mut state) % (2 * range + 1)) as i8 - MAX_THREAT_WEIGHT;
    (0..THREATS * threatened(hidden)).map(weight).collect()
}

fn contents(hidden: usize) -> Contents {
    Contents {
        name: "test".into(),
        hidden,
        weights: random_weights(hidden, 5),
        output_biases: OUTPUT_BIASES,
        threats: random_threats(hidden, 6),
    }
}

fn network(hidden: usize) -> Network {
    Network::new(contents(hidden)).unwrap()
}

/// The value computed from the definition, sharing only the numbers of the inputs.
fn by_definition(contents: &Contents, position: &Position) -> i32 {
    let Contents { weights, threats, hidden, .. } = contents;
    let hidden = *hidden;
    let board = position.board();
    let bucket = output_bucket(board.occupied().count());
    let mut sum = 0i64;
    for (half, color) in [position.turn(), !position.turn()].into_iter().enumerate() {
        let view = FeatureView::of(color, board);
        for neuron in 0..hidden {
            let mut value = i32::from(weights[INPUTS * hidden + neuron]);
            let squares = en_prise(board, &AttackMaps::new(board));
            for (square, piece) in board.iter() {
                value += i32::from(weights[view.input(piece.into(), square) * hidden + neuron]);
                if squares.contains(square) {
                    value += i32::from(weights[view.en_prise_input(piece.into(), square) * hidden + neuron]);
                }
                if piece.role == Role::King || neuron >= threatened(hidden) {
                    continue;
                }
                let attackers = board.attacks_to(square, !piece.color, board.occupied());
                for role in Role::ALL {
                    if attackers.into_iter().any(|from| board.role_at(from) == Some(role)) {
                        let threat = view.threat(role as usize, piece.into(), square);
                        value += i32::from(threats[threat * threatened(hidden) + neuron]);
                    }
                }
            }
            let clipped = i64::from(value.clamp(0, QA));
            let weight = weights[(INPUTS + 1) * hidden + (2 * bucket + half) * hidden + neuron];
            sum += clipped * clipped * i64::from(weight);
        }
    }
    let value = (sum as f64 / f64::from(QA * QA) + f64::from(OUTPUT_BIASES[bucket]) / f64::from(QA)) / f64::from(QB);
    ((value * f64::from(SCALE)).round() as i32).clamp(-Score::MAX_EVAL, Score::MAX_EVAL)
}

/// Walks random paths, with steps back and null moves, and compares at random moments.
fn walk(seed: u64, games: usize, networks: &[Arc<Network>], mut check: impl FnMut(&mut [Accumulators], &Position)) {
    let mut state = seed;
    let mut below = |n: usize| (split_mix(&mut state) % n as u64) as usize;
    let mut paths: Vec<Accumulators> = networks.iter().map(|n| Accumulators::new(Arc::clone(n))).collect();
    for game in 0..games {
        let mut position = match game % 3 {
            0 => Position::startpos(),
            // A king that castles across the middle, pawns about to promote and to be taken en passant.
            1 => {
                Position::from_fen("r3k2r/P6p/8/2pP4/4p3/8/p4P1P/R3K2R w KQkq c6 0 1", CastlingMode::Standard).unwrap()
            }
            _ => Position::from_fen("1r2k1r1/pppppppp/8/8/8/8/PPPPPPPP/1R2K1R1 w GBgb - 0 1", CastlingMode::Chess960)
                .unwrap(),
        };
        for path in &mut paths {
            path.reset(&position);
        }
        let mut stack = Vec::new();
        for _ in 0..150 {
            let moves = position.legal_moves();
            let choice = below(10);
            if (choice == 0 || moves.is_empty() || stack.len() > 200) && !stack.is_empty() {
                for _ in 0..=below(stack.len().min(6)) {
                    if let Some(before) = stack.pop() {
                        position = before;
                        paths.iter_mut().for_each(Accumulators::pop);
                    }
                }
                continue;
            }
            if moves.is_empty() {
                break;
            }
            stack.push(position);
            if choice == 1 && !position.in_check() {
                paths.iter_mut().for_each(Accumulators::push_null);
                position.play_null();
            } else {
                let special: Vec<_> = moves
                    .iter()
                    .filter(|m| m.is_castle() || m.is_en_passant() || m.is_promotion() || m.role() == Role::King)
                    .collect();
                let chosen = if !special.is_empty() && below(3) == 0 {
                    *special[below(special.len())]
                } else {
                    moves[below(moves.len())]
                };
                paths.iter_mut().for_each(|path| path.push(&position, chosen));
                position.play(chosen);
            }
            if below(3) == 0 {
                check(&mut paths, &position);
            }
        }
    }
}

#[test]
fn incremental_equals_refreshed_equals_the_definition() {
    let hidden = 2 * BLOCK;
    let contents = contents(hidden);
    let net = Arc::new(network(hidden));
    let mut checked = 0;
    walk(1, 60, std::slice::from_ref(&net), |paths, position| {
        let incremental = paths[0].evaluate(position);
        let mut refreshed = Accumulators::new(Arc::clone(&net));
        refreshed.reset(position);
        assert_eq!(incremental, refreshed.evaluate(position), "{}", position.fen());
        assert_eq!(incremental, by_definition(&contents, position), "{}", position.fen());
        checked += 1;
    });
    assert!(checked > 1000, "only {checked} positions");
}

#[test]
fn every_kernel_equals_the_reference() {
    // Kernels take groups of four or eight blocks, and the rest by pairs: for the ten blocks of 320, each does both.
    // The evaluation is compiled for 256.
    for hidden in [64, 192, 256, 320, 1024] {
        let networks: Vec<_> = Kernel::all().into_iter().map(|k| Arc::new(network(hidden).with_kernel(k))).collect();
        let games = if hidden > 500 { 6 } else { 30 };
        walk(2, games, &networks, |paths, position| {
            let reference = paths[0].evaluate(position);
            for (path, network) in paths.iter_mut().zip(&networks).skip(1) {
                assert_eq!(path.evaluate(position), reference, "{:?}", network.kernel());
            }
        });
    }
}

/// The output of one hidden layer.
struct Dot<'a>(&'a [Block], &'a [Block]);

impl Task for Dot<'_> {
    type Output = i64;

    fn run(self, arithmetic: impl Arithmetic) -> i64 {
        let layer = HiddenLayer { values: self.0, rows: &[], threats: &ThreatSums::ZERO };
        arithmetic.screlu_dot(layer, self.1)
    }
}

#[test]
fn kernels_agree_at_the_limits() {
    for values in [i16::MIN, -1, 0, 1, 127, 254, 255, 256, i16::MAX] {
        for weights in [-MAX_OUTPUT_WEIGHT, -1, 0, 1, MAX_OUTPUT_WEIGHT] {
            let (value, weight) = (vec![Block([values; BLOCK]); 32], vec![Block([weights; BLOCK]); 32]);
            let reference = Kernel::SCALAR.run(Dot(&value, &weight));
            assert_eq!(reference, 1024 * i64::from(values).clamp(0, 255).pow(2) * i64::from(weights));
            for kernel in Kernel::all() {
                assert_eq!(kernel.run(Dot(&value, &weight)), reference, "{kernel:?}: {values} and {weights}");
            }
        }
    }
}

#[test]
fn evaluation_is_symmetric_in_colour() {
    let net = Arc::new(network(64));
    let mut other = Accumulators::new(Arc::clone(&net));
    walk(3, 30, std::slice::from_ref(&net), |paths, position| {
        let flipped = position.flipped();
        other.reset(&flipped);
        assert_eq!(paths[0].evaluate(position), other.evaluate(&flipped), "{}", position.fen());
    });
}

#[test]
fn inputs_are_distinct_and_kings_stand_left() {
    for color in Color::ALL {
        let mut views: [Option<FeatureView>; FeatureView::COUNT] = [None; FeatureView::COUNT];
        for king in shakmaty::Square::ALL {
            let view = FeatureView::new(color, king);
            assert!(view.piece_square(color.king().into(), king) % 8 < 4, "{king}");
            assert_eq!(*views[view.index()].get_or_insert(view), view, "{king}");
        }
        let mut seen = [0; INPUTS];
        for view in views.map(|view| view.expect("every view has its kings")) {
            for side in Color::ALL {
                for role in Role::ALL {
                    for square in shakmaty::Square::ALL {
                        seen[view.input(role.of(side).into(), square)] += 1;
                        seen[view.en_prise_input(role.of(side).into(), square)] += 1;
                    }
                }
            }
        }
        // A king bucket's by its two views, mirrored and not; those of pieces en prise by all.
        let (pieces, en_prise) = seen.split_at(KING_BUCKETS * PIECE_SQUARES);
        assert!(pieces.iter().all(|&views| views == 2));
        assert!(en_prise.iter().all(|&views| views == FeatureView::COUNT));
    }
    let buckets: Vec<_> = (2..=32).map(output_bucket).collect();
    assert!(buckets.is_sorted() && buckets[0] == 0 && buckets[30] == OUTPUT_BUCKETS - 1);
}

#[test]
fn files_are_read_back_and_damaged_ones_refused() {
    let net = network(64);
    let bytes = net.to_bytes();
    assert_eq!(Network::from_bytes(&bytes).unwrap().to_bytes(), bytes);
    assert_eq!(Network::from_bytes(&bytes).unwrap().name(), "test");
    let refused = |bytes: &[u8]| Network::from_bytes(bytes).unwrap_err();
    let size = bytes.len() - HEADER_SIZE;
    for cut in [0, 10, HEADER_SIZE - 1] {
        assert_eq!(refused(&bytes[..cut]), NetworkError::TooShort(cut));
    }
    assert_eq!(refused(&bytes[..bytes.len() - 1]), NetworkError::Length { found: size - 1, expected: size });
    assert_eq!(refused(b"an ordinary text file that is a little longer than sixty-four bytes"), NetworkError::Magic);
    for at in 0..HEADER_SIZE - 24 {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1;
        if !(30..32).contains(&at) {
            refused(&damaged);
        }
    }
    let mut damaged = bytes.clone();
    damaged[5000] ^= 1;
    assert_eq!(refused(&damaged), NetworkError::Checksum);
}

/// A table of thirty gigabytes, named by mistake, must not be read into memory. The files of this test have no
/// contents on the disk.
#[test]
#[cfg_attr(target_family = "wasm", ignore = "WebAssembly has no files")]
fn files_larger_than_any_network_are_not_read() {
    let path = std::env::temp_dir().join(format!("ibex-large-{}.ibxn", std::process::id()));
    for size in [MAX_SIZE as u64 + 1, 1 << 40] {
        let file = std::fs::File::create(&path).unwrap();
        if file.set_len(size).is_err() {
            eprintln!("SKIPPED: the file system has no files of {size} bytes");
            continue;
        }
        let error = Network::load(&path).expect_err("refused").to_string();
        assert_eq!(error, format!("network {} does not fit: {size} bytes are too many", path.display()));
    }
    std::fs::write(&path, network(MAX_HIDDEN).to_bytes()).unwrap();
    assert!(Network::load(&path).is_ok(), "the largest network");
    std::fs::remove_file(&path).unwrap();
}

/// Architectures of other networks: without threats, without king buckets, blind to pieces en prise, corrections of the
/// hand-written evaluation.
#[test]
fn other_architectures_are_refused_by_their_number() {
    for architecture in [0, 1, 2, 3, 4, 5, 7, u32::MAX] {
        let mut bytes = network(64).to_bytes();
        bytes[12..16].copy_from_slice(&architecture.to_le_bytes());
        let error = Network::from_bytes(&bytes).expect_err("refused");
        assert_eq!(error, NetworkError::Unknown { version: 1, architecture });
        let line = format!(
            "it has version 1 and architecture {architecture}, but this Ibex reads 1 and 6: \
             use a network that was made for it"
        );
        assert_eq!(error.to_string(), line);
    }
}
