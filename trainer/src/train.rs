//! `train`: epochs, batches, threads, checkpoints.

use std::fs;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::Instant;

use bulletformat::ChessBoard;
use ibex::tools::datagen::random::Random;
use indicatif::{ProgressBar, ProgressStyle};
use serde::{Deserialize, Serialize};

use crate::data;
use crate::export;
use crate::model::{self, LIMIT, Parameters, Scratch, Target};
use crate::optimiser::{Moments, Step};
use crate::pack::validation_file;
use crate::plot;
use crate::schedule::{self, Shape};

/// The command line of `train`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Packed positions; those to validate with are in `FILE.val`
    #[arg(long, value_name = "FILE")]
    data: PathBuf,
    /// What to write: `OUT.ckpt` after every epoch, `OUT.svg` with the losses, and the network, `OUT.ibxn`
    #[arg(long, value_name = "OUT")]
    out: PathBuf,
    /// Go on from `OUT.ckpt`
    #[arg(long)]
    resume: bool,
    /// Begin with the weights of another training's checkpoint, of the same size, instead of random ones
    #[arg(long, value_name = "CKPT", conflicts_with = "resume")]
    from: Option<PathBuf>,
    /// Threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,
    #[command(flatten)]
    recipe: Recipe,
}

/// Everything that decides what is learned.
#[derive(clap::Args, Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recipe {
    /// The size of the hidden layer: a multiple of 64 up to 1024
    #[arg(long, default_value_t = 512, value_parser = hidden_size)]
    pub hidden: usize,
    /// How often every position is seen
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..))]
    pub epochs: u64,
    /// Positions a step
    #[arg(long, default_value_t = 16_384, value_parser = clap::value_parser!(u64).range(1..))]
    pub batch: u64,
    /// The first learning rate
    #[arg(long, default_value_t = 1e-3, value_parser = positive)]
    pub lr: f32,
    /// The last learning rate
    #[arg(long, default_value_t = 1e-5, value_parser = positive)]
    pub lr_end: f32,
    /// How the learning rate falls
    #[arg(long, value_enum, default_value_t = Shape::Cosine)]
    pub schedule: Shape,
    /// The share of the game's result in what is learned; the rest is the score
    #[arg(long, default_value_t = 0.3, value_parser = share)]
    pub wdl: f32,
    /// Learn a correction of the hand-written evaluation instead of a whole evaluation: little data go further
    #[arg(long)]
    #[serde(default)]
    pub residual: bool,
    /// Weight decay
    #[arg(long, default_value_t = 0.01, value_parser = share)]
    pub decay: f32,
    /// The seed of weights and shuffles
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

fn hidden_size(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(size) if size > 0 && size <= 1024 && size.is_multiple_of(64) => Ok(size),
        _ => Err("a multiple of 64 up to 1024".to_owned()),
    }
}

fn positive(text: &str) -> Result<f32, String> {
    text.parse().ok().filter(|&rate: &f32| rate > 0.0 && rate < 1.0).ok_or("a number between 0 and 1".to_owned())
}

/// A number between 0 and 1.
pub fn share(text: &str) -> Result<f32, String> {
    text.parse().ok().filter(|share| (0.0..=1.0).contains(share)).ok_or("a number between 0 and 1".to_owned())
}

/// What an epoch has come to.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct EpochLoss {
    /// The mean loss of the positions learned from, as they were met.
    pub training: f64,
    /// The mean loss of the positions set aside, at the end.
    pub validation: f64,
    /// The learning rate at the end.
    pub rate: f32,
}

/// A training between two epochs.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// How it is trained.
    pub recipe: Recipe,
    /// Steps taken.
    pub step: u64,
    /// Every epoch so far.
    pub history: Vec<EpochLoss>,
    /// The weights.
    pub parameters: Parameters,
    /// The optimiser's memory.
    pub moments: Moments,
}

/// The first line of a checkpoint file; then the numbers follow.
#[derive(Serialize, Deserialize)]
struct Heading {
    ibex_checkpoint: u32,
    recipe: Recipe,
    step: u64,
    history: Vec<EpochLoss>,
}

/// A path with another ending added.
pub fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

impl Recipe {
    fn target(&self) -> Target {
        Target { wdl: self.wdl, residual: self.residual }
    }
}

impl Checkpoint {
    /// The beginning of a training.
    pub fn new(recipe: Recipe) -> Checkpoint {
        let parameters = Parameters::random(recipe.hidden, recipe.seed);
        Checkpoint::beginning(recipe, parameters)
    }

    /// The beginning of a training with what another one has learned.
    ///
    /// # Errors
    ///
    /// One line: the other checkpoint cannot be read or has another size.
    pub fn continuing(recipe: Recipe, other: &Path) -> Result<Checkpoint, String> {
        let parameters = Checkpoint::read(other)?.parameters;
        if parameters.hidden != recipe.hidden {
            return Err(format!("{} has the hidden size {}", other.display(), parameters.hidden));
        }
        Ok(Checkpoint::beginning(recipe, parameters))
    }

    fn beginning(recipe: Recipe, parameters: Parameters) -> Checkpoint {
        let zero = vec![0.0; parameters.values.len()];
        let moments = Moments { first: zero.clone(), second: zero };
        Checkpoint { recipe, step: 0, history: Vec::new(), parameters, moments }
    }

    /// Writes a file that [`Checkpoint::read`] reads.
    ///
    /// # Errors
    ///
    /// One line: the system refuses.
    pub fn write(&self, path: &Path) -> Result<(), String> {
        let heading =
            Heading { ibex_checkpoint: 1, recipe: self.recipe.clone(), step: self.step, history: self.history.clone() };
        let heading = serde_json::to_string(&heading).map_err(|error| error.to_string())?;
        data::replace(path, |output| {
            writeln!(output, "{heading}")?;
            for numbers in [&self.parameters.values, &self.moments.first, &self.moments.second] {
                numbers.iter().try_for_each(|number| output.write_all(&number.to_le_bytes()))?;
            }
            Ok(())
        })
    }

    /// Reads a checkpoint.
    ///
    /// # Errors
    ///
    /// One line: the file cannot be read or is no whole checkpoint.
    pub fn read(path: &Path) -> Result<Checkpoint, String> {
        let shown = path.display();
        let bytes = fs::read(path).map_err(|error| format!("cannot read {shown}: {error}"))?;
        let end = bytes.iter().position(|&b| b == b'\n').ok_or_else(|| format!("{shown} is no checkpoint"))?;
        let heading: Heading =
            serde_json::from_slice(&bytes[..end]).map_err(|error| format!("{shown} is no checkpoint: {error}"))?;
        let hidden = hidden_size(&heading.recipe.hidden.to_string()).map_err(|why| format!("{shown}: {why}"))?;
        let mut parameters = Parameters::zero(hidden);
        let count = parameters.values.len();
        let numbers = &bytes[end + 1..];
        if numbers.len() != 3 * 4 * count {
            return Err(format!("{shown} is truncated or damaged"));
        }
        let mut numbers = numbers.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
        parameters.values = numbers.by_ref().take(count).collect();
        let moments = Moments { first: numbers.by_ref().take(count).collect(), second: numbers.collect() };
        if parameters.values.iter().any(|value| !value.is_finite()) {
            return Err(format!("{shown} holds numbers that are none"));
        }
        Ok(Checkpoint { recipe: heading.recipe, step: heading.step, history: heading.history, parameters, moments })
    }

    /// Learns one batch, its gradient divided over the threads, and returns the sum of its losses.
    ///
    /// The slope is taken where the engine's integers will be, at the rounded weights, and applied to the exact ones
    /// ("straight through"): what rounding costs is learned away. The result depends on the number of threads only by
    /// the order of sums.
    fn learn(&mut self, batch: &[ChessBoard], rate: f32, gradients: &mut [Parameters], scratch: &mut [Scratch]) -> f64 {
        let target = self.recipe.target();
        let share = batch.len().div_ceil(gradients.len());
        let parameters = &self.parameters.rounded();
        let loss = std::thread::scope(|scope| {
            let parts = batch.chunks(share).zip(gradients.iter_mut()).zip(scratch.iter_mut());
            let workers: Vec<_> = parts
                .map(|((part, gradient), scratch)| {
                    scope.spawn(move || model::backward(parameters, part, target, gradient, scratch))
                })
                .collect();
            workers.into_iter().map(|worker| worker.join().unwrap_or(f64::NAN)).sum()
        });

        self.step += 1;
        let step = Step::new(self.step, rate, self.recipe.decay);
        let scale = 1.0 / batch.len() as f32;
        let length = self.parameters.values.len().div_ceil(gradients.len());
        let mut slices: Vec<Vec<&mut [f32]>> = Vec::new();
        for gradient in gradients.iter_mut() {
            for (index, slice) in gradient.values.chunks_mut(length).enumerate() {
                if slices.len() <= index {
                    slices.push(Vec::new());
                }
                slices[index].push(slice);
            }
        }
        std::thread::scope(|scope| {
            let values = self.parameters.values.chunks_mut(length);
            let moments = self.moments.first.chunks_mut(length).zip(self.moments.second.chunks_mut(length));
            for ((values, (first, second)), mut gradients) in values.zip(moments).zip(slices) {
                scope.spawn(move || {
                    let Some((sum, others)) = gradients.split_first_mut() else { return };
                    for other in others {
                        for (sum, other) in sum.iter_mut().zip(other.iter_mut()) {
                            *sum += std::mem::take(other);
                        }
                    }
                    sum.iter_mut().for_each(|g| *g *= scale);
                    step.apply(values, sum, first, second, LIMIT);
                    sum.fill(0.0);
                });
            }
        });
        loss
    }
}

/// Runs the command.
///
/// # Errors
///
/// One line: a file cannot be read or written, or does not belong to this training.
pub fn run(args: &Args) -> Result<(), String> {
    let file = with_ending(&args.out, ".ckpt");
    let mut checkpoint = match (file.exists(), args.resume) {
        (true, true) => Checkpoint::read(&file)?,
        (true, false) => return Err(format!("{} exists already; go on with --resume or remove it", file.display())),
        (false, true) => return Err(format!("there is no {} to resume", file.display())),
        (false, false) => match &args.from {
            Some(other) => Checkpoint::continuing(args.recipe.clone(), other)?,
            None => Checkpoint::new(args.recipe.clone()),
        },
    };
    if checkpoint.recipe != args.recipe {
        return Err(format!("{} was made by another recipe: {:?}", file.display(), checkpoint.recipe));
    }
    let recipe = args.recipe.clone();
    let training = data::read(&args.data)?;
    let validation = data::read(&validation_file(&args.data))?;
    let threads = args.threads.map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), usize::from);
    println!(
        "{} positions to learn from, {} to validate with; hidden size {}, {threads} threads",
        training.len(),
        validation.len(),
        recipe.hidden
    );

    let batch = usize::try_from(recipe.batch).unwrap_or(usize::MAX).min(training.len());
    let batches = (training.len() / batch) as u64;
    let steps = batches * recipe.epochs;
    let mut gradients = vec![Parameters::zero(recipe.hidden); threads];
    let mut scratch: Vec<Scratch> = gradients.iter().map(|_| Scratch::new(recipe.hidden)).collect();
    let mut order: Vec<u32> = Vec::new();
    let mut gathered: Vec<ChessBoard> = Vec::with_capacity(batch);
    for epoch in checkpoint.history.len() as u64 + 1..=recipe.epochs {
        // Every epoch has an order of its own that does not depend on the ones before, so that it can be resumed.
        order.clear();
        order.extend(0..u32::try_from(training.len()).map_err(|_| "more than four billion positions".to_owned())?);
        data::shuffle(&mut order, &mut Random::of_game(recipe.seed, epoch));
        let bar = progress(batches * batch as u64, epoch, recipe.epochs);
        let start = Instant::now();
        let (mut sum, mut rate) = (0.0, 0.0);
        for indices in order.chunks_exact(batch) {
            gathered.clear();
            gathered.extend(indices.iter().map(|&index| training[index as usize]));
            rate = schedule::rate(recipe.schedule, checkpoint.step, steps, recipe.lr, recipe.lr_end);
            sum += checkpoint.learn(&gathered, rate, &mut gradients, &mut scratch);
            bar.inc(batch as u64);
        }
        bar.finish_and_clear();
        let seen = (batches * batch as u64) as f64;
        let speed = seen / start.elapsed().as_secs_f64();
        let losses = EpochLoss {
            training: sum / seen,
            validation: validate(&checkpoint.parameters.rounded(), &validation, recipe.target(), threads),
            rate,
        };
        if !losses.training.is_finite() || !losses.validation.is_finite() {
            return Err(format!("epoch {epoch}: the loss is no number any more; try a lower learning rate"));
        }
        println!(
            "epoch {epoch:>3}: loss {:.6}, validation {:.6}, rate {rate:.2e}, {speed:.0} positions/s",
            losses.training, losses.validation
        );
        checkpoint.history.push(losses);
        checkpoint.write(&file)?;
        plot::losses(&with_ending(&args.out, ".svg"), &checkpoint.history)?;
    }
    export::write(&checkpoint, &validation, &with_ending(&args.out, ".ibxn"))
}

/// The mean loss of positions that nothing is learned from.
fn validate(parameters: &Parameters, positions: &[ChessBoard], target: Target, threads: usize) -> f64 {
    let sum: f64 = std::thread::scope(|scope| {
        let workers: Vec<_> = positions
            .chunks(positions.len().div_ceil(threads))
            .map(|part| {
                scope.spawn(move || model::loss(parameters, part, target, &mut Scratch::new(parameters.hidden)))
            })
            .collect();
        workers.into_iter().map(|worker| worker.join().unwrap_or(f64::NAN)).sum()
    });
    sum / positions.len() as f64
}

/// A bar for an epoch; it hides itself where standard error is no terminal.
fn progress(positions: u64, epoch: u64, epochs: u64) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(positions);
    let template = format!("epoch {epoch}/{epochs} {{bar:32}} {{per_sec}}, {{eta}} left");
    if let Ok(style) = ProgressStyle::with_template(&template) {
        bar.set_style(style);
    }
    bar
}

#[cfg(test)]
mod tests {
    use super::*;
    use ibex::position::Position;

    fn recipe() -> Recipe {
        Recipe {
            hidden: 64,
            epochs: 6,
            batch: 64,
            lr: 5e-3,
            lr_end: 1e-4,
            schedule: Shape::Cosine,
            wdl: 0.0,
            residual: false,
            decay: 0.01,
            seed: 3,
        }
    }

    /// Positions of random games, scored by counting pieces: something that can be learned.
    fn lessons(count: usize) -> Vec<ChessBoard> {
        let mut random = Random::new(8);
        let mut position = Position::startpos();
        let mut lessons = Vec::new();
        while lessons.len() < count {
            let moves = position.legal_moves();
            if moves.is_empty() || position.is_insufficient_material() {
                position = Position::startpos();
                continue;
            }
            position.play(moves[random.below(moves.len())]);
            let worth = |color: shakmaty::Color| {
                let m = position.board().material_side(color);
                i16::from(m.pawn) + 3 * i16::from(m.knight + m.bishop) + 5 * i16::from(m.rook) + 9 * i16::from(m.queen)
            };
            let score = 100 * (worth(shakmaty::Color::White) - worth(shakmaty::Color::Black));
            lessons.push(data::tests::packed(&position, score.clamp(-1000, 1000), 1));
        }
        lessons
    }

    fn scratch_folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("ibex-trainer-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn material_is_learned_and_a_resumed_training_ends_alike() {
        let folder = scratch_folder("train");
        let data_file = folder.join("data");
        data::write(&data_file, &lessons(6000)).unwrap();
        data::write(&validation_file(&data_file), &lessons(500)).unwrap();
        let args = |out: &str, resume| Args {
            data: data_file.clone(),
            out: folder.join(out),
            resume,
            from: None,
            threads: Some(2),
            recipe: recipe(),
        };
        run(&args("whole", false)).unwrap();
        let whole = Checkpoint::read(&folder.join("whole.ckpt")).unwrap();
        let (first, last) = (whole.history[0].validation, whole.history[5].validation);
        assert!(last < first / 2.0 && last < 0.01, "{first} to {last}");
        assert!(folder.join("whole.svg").exists() && folder.join("whole.ibxn").exists());
        assert!(run(&args("whole", false)).unwrap_err().contains("exists already"));
        assert!(run(&args("none", true)).unwrap_err().contains("to resume"));

        // Another training begins with what this one has learned.
        let next = Checkpoint::continuing(recipe(), &folder.join("whole.ckpt")).unwrap();
        assert_eq!((next.step, &next.parameters), (0, &whole.parameters));
        let larger = Recipe { hidden: 128, ..recipe() };
        assert!(Checkpoint::continuing(larger, &folder.join("whole.ckpt")).unwrap_err().contains("hidden size 64"));

        // A training that was stopped after its third epoch, as its checkpoint of then shows.
        let training = data::read(&data_file).unwrap();
        let mut stopped = Checkpoint::new(recipe());
        let batch = 64;
        let steps = (training.len() / batch) as u64 * 6;
        let mut gradients = vec![Parameters::zero(64); 2];
        let mut scratch: Vec<Scratch> = (0..2).map(|_| Scratch::new(64)).collect();
        for epoch in 1..=3 {
            let mut order: Vec<usize> = (0..training.len()).collect();
            data::shuffle(&mut order, &mut Random::of_game(3, epoch));
            for indices in order.chunks_exact(batch) {
                let gathered: Vec<ChessBoard> = indices.iter().map(|&i| training[i]).collect();
                let rate = schedule::rate(Shape::Cosine, stopped.step, steps, 5e-3, 1e-4);
                stopped.learn(&gathered, rate, &mut gradients, &mut scratch);
            }
            stopped.history.push(whole.history[epoch as usize - 1]);
        }
        stopped.write(&folder.join("again.ckpt")).unwrap();
        run(&args("again", true)).unwrap();
        assert_eq!(Checkpoint::read(&folder.join("again.ckpt")).unwrap(), whole);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn damaged_checkpoints_are_refused() {
        let folder = scratch_folder("ckpt");
        let file = folder.join("a.ckpt");
        let checkpoint = Checkpoint::new(recipe());
        checkpoint.write(&file).unwrap();
        assert_eq!(Checkpoint::read(&file).unwrap(), checkpoint);
        let bytes = fs::read(&file).unwrap();
        fs::write(&file, &bytes[..bytes.len() - 1]).unwrap();
        assert!(Checkpoint::read(&file).unwrap_err().contains("truncated"));
        fs::write(&file, b"no checkpoint\n").unwrap();
        assert!(Checkpoint::read(&file).unwrap_err().contains("is no checkpoint"));
        fs::remove_dir_all(&folder).unwrap();
    }
}
