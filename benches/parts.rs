//! The time of the parts of each node, and of a whole bench. Run with `cargo bench`.

use arrayvec::ArrayVec;
use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use ibex::bench;
use ibex::bound::Ibv;
use ibex::eval::Evaluator;
use ibex::eval::nnue::features::{FeatureView, INPUTS};
use ibex::eval::nnue::simd::{Arithmetic, BLOCK, Block, HiddenLayer, Task, ThreatSums};
use ibex::eval::nnue::{Accumulators, Network};
use ibex::position::attacks::{AttackMaps, en_prise};
use ibex::position::notation::read_fen;
use ibex::position::{Move, Position};
use ibex::score::Score;
use ibex::tt::{Entry, TranspositionTable};
use shakmaty::{Piece, Role};

fn main() {
    divan::main();
}

/// The positions of `ibex bench`: openings, middlegames and endgames of real games.
fn positions() -> Vec<Position> {
    bench::POSITIONS.iter().filter_map(|fen| read_fen(fen).ok()).collect()
}

/// All legal moves of 40 positions.
#[divan::bench]
fn legal_moves(bencher: Bencher<'_, '_>) {
    let positions = positions();
    bencher.bench(|| positions.iter().map(|position| black_box(position).legal_moves().len()).sum::<usize>());
}

/// Plays every legal move of 40 positions on a copy, with its keys.
#[divan::bench]
fn play_with_keys(bencher: Bencher<'_, '_>) {
    let positions: Vec<_> = positions().into_iter().map(|position| (position.legal_moves(), position)).collect();
    bencher.bench(|| {
        let mut mixed = 0;
        for (moves, position) in &positions {
            for &m in moves {
                let mut child = *position;
                child.play(black_box(m));
                mixed ^= child.key();
            }
        }
        mixed
    });
}

/// The static evaluation of 40 unrelated positions, by an evaluator that starts without any.
#[divan::bench]
fn evaluation(bencher: Bencher<'_, '_>) {
    let positions: Vec<_> = positions().into_iter().filter(|position| !position.in_check()).collect();
    let network = Network::embedded();
    bencher.with_inputs(|| Evaluator::new(&network)).bench_local_refs(|evaluator| {
        let mut sum = 0;
        for position in &positions {
            evaluator.reset(position);
            sum += evaluator.evaluate(black_box(position));
        }
        sum
    });
}

/// A position before a move, the move, and the position after it.
type Step = (Position, Move, Position);

/// Legal moves of 40 positions, except castling and king moves: the network then updates both of its views.
fn steps() -> Vec<Step> {
    let steps = |before: Position| {
        let moves = before.legal_moves().into_iter().filter(|m| m.is_normal() && m.role() != Role::King);
        let step = |m: Move| {
            let after = before.after(m);
            (before, m, after)
        };
        moves.map(step).collect::<Vec<_>>()
    };
    positions().into_iter().flat_map(steps).collect()
}

/// The network after each of these moves, updated from before it: features, updates, pieces en prise, output.
#[divan::bench]
fn network_after_moves(bencher: Bencher<'_, '_>) {
    let (steps, network) = (steps(), Network::embedded());
    let mut accumulators = Accumulators::new(network);
    bencher.counter(ItemsCount::new(steps.len())).bench_local(move || {
        let mut sum = 0;
        let mut root = None;
        for (before, m, after) in &steps {
            if root != Some(before.key()) {
                root = Some(before.key());
                accumulators.reset(before);
                accumulators.evaluate(before);
            }
            accumulators.push(before, *m);
            sum += accumulators.evaluate(black_box(after));
            accumulators.pop();
        }
        sum
    });
}

/// Only the sums that this takes, over the same rows of as many weights: the minimum without any bookkeeping.
#[divan::bench]
fn network_sums_alone(bencher: Bencher<'_, '_>) {
    let network = Network::embedded();
    let (kernel, width) = (network.kernel(), network.hidden() / BLOCK);
    let weights = network.contents().weights;
    let rows: Vec<Block> = weights.as_chunks::<BLOCK>().0.iter().map(|&block| Block(block)).collect();
    let work = |(before, m, after): &Step| -> [Work; 2] {
        [after.turn(), !after.turn()].map(|side| {
            let (view, us) = (FeatureView::of(side, after.board()), before.turn());
            let input = |piece: Piece, square| view.input(piece.into(), square);
            let en_prise = en_prise(after.board(), &AttackMaps::new(after.board()));
            (
                input(m.promotion().unwrap_or(m.role()).of(us), m.to()),
                input(m.role().of(us), m.from()),
                m.capture().map(|captured| input(captured.of(!us), m.to())),
                en_prise.into_iter().map(|at| view.en_prise_input(after.board().code_at(at), at)).collect(),
            )
        })
    };
    let work: Vec<[Work; 2]> = steps().iter().map(work).collect();
    let from = vec![Block::ZERO; width];
    let mut to = [from.clone(), from.clone()];
    bencher
        .counter(ItemsCount::new(work.len()))
        .bench_local(move || kernel.run(Sums { work: &work, rows: &rows, width, from: &from, to: &mut to }));
}

/// For one view: the rows to add and to subtract, and those of the pieces en prise.
type Work = (usize, usize, Option<usize>, Vec<usize>);

/// All sums of [`network_sums_alone`].
struct Sums<'a> {
    work: &'a [[Work; 2]],
    rows: &'a [Block],
    width: usize,
    from: &'a [Block],
    to: &'a mut [Vec<Block>; 2],
}

impl Task for Sums<'_> {
    type Output = i64;

    #[inline(always)]
    fn run(self, arithmetic: impl Arithmetic) -> i64 {
        let row = |number: usize| &self.rows[number * self.width..][..self.width];
        let mut sum = 0;
        for views in self.work {
            for ((add, sub, captured, en_prise), to) in views.iter().zip(&mut *self.to) {
                match captured {
                    None => arithmetic.add_sub(to, self.from, row(*add), row(*sub)),
                    Some(captured) => arithmetic.add_sub_sub(to, self.from, row(*add), row(*sub), row(*captured)),
                }
                let en_prise: ArrayVec<&[Block], 64> = en_prise.iter().map(|&number| row(number)).collect();
                sum += arithmetic.screlu_dot(
                    HiddenLayer { values: to, rows: &en_prise, threats: &ThreatSums::ZERO },
                    row(INPUTS + 1),
                );
            }
        }
        sum
    }
}

/// Whether each capture of 40 positions loses nothing.
#[divan::bench]
fn exchanges(bencher: Bencher<'_, '_>) {
    let captures: Vec<_> = positions()
        .into_iter()
        .map(|position| {
            let captures: Vec<_> = position.legal_moves().into_iter().filter(|m| m.is_capture()).collect();
            (captures, position)
        })
        .collect();
    bencher.bench(|| {
        let pairs = captures.iter().flat_map(|(moves, position)| moves.iter().map(move |&m| (m, position)));
        pairs.filter(|&(m, position)| position.see_at_least(black_box(m), 0)).count()
    });
}

/// Random keys whose clusters fill the table of 64 MiB.
fn some_keys() -> Vec<u64> {
    let mut state = 1;
    (0..2_000_000).map(|_| ibex::random::split_mix(&mut state)).collect()
}

/// Another thousand of the keys each time, so that what the caches hold of the last ones is useless.
fn by_thousands<'a>(keys: &'a [u64]) -> impl FnMut() -> &'a [u64] {
    let mut thousands = keys.chunks_exact(1000).cycle();
    move || thousands.next().unwrap_or_default()
}

fn entry() -> Entry {
    Entry {
        value: Some(Ibv::exact(Score::heuristic(25))),
        best: None,
        depth: 8,
        pv: false,
        eval: Some(Score::heuristic(20)),
        tb_entry: false,
    }
}

/// A thousand probes of a table larger than the caches.
#[divan::bench]
fn table_probe(bencher: Bencher<'_, '_>) {
    let (table, _) = TranspositionTable::new(64);
    let keys = some_keys();
    keys.iter().for_each(|&key| table.store(key, entry()));
    let probe = |keys: &[u64]| keys.iter().filter(|&&key| table.probe(black_box(key)).is_some()).count();
    bencher.with_inputs(by_thousands(&keys)).bench_local_values(probe);
}

/// A thousand stores in such a table.
#[divan::bench]
fn table_store(bencher: Bencher<'_, '_>) {
    let (table, _) = TranspositionTable::new(64);
    let keys = some_keys();
    // The first store maps the memory.
    keys.iter().for_each(|&key| table.store(key, entry()));
    let store = |keys: &[u64]| keys.iter().for_each(|&key| table.store(black_box(key), entry()));
    bencher.with_inputs(by_thousands(&keys)).bench_local_values(store);
}

/// `ibex bench`, at less depth.
#[divan::bench(sample_count = 5, sample_size = 1)]
fn whole_bench() -> u64 {
    bench::measure(bench::BenchOptions { depth: 8, ..bench::BenchOptions::default() }, |_, _| {})
        .map_or(0, |measured| measured.nodes)
}
