//! `train`: epochs, batches and threads.

use std::io::IsTerminal;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bulletformat::ChessBoard;
use indicatif::{ProgressBar, ProgressStyle};
use terminal::outputs::{self, Manner, Output};
use terminal::{CommandError, tell, trouble};

use crate::checkpoint::{Checkpoint, EpochLoss, Recipe};
use crate::data::{self, validation_file, with_ending};
use crate::export;
use crate::layers::HiddenLayers;
use crate::model::{MAX_WEIGHT, Parameters, ROWS, STRIPE, Stripe, Target, share_gradient};
use crate::optimiser::Step;
use crate::plot;
use crate::schedule;
use crate::training_set::{DataFiles, Source, TrainingSet};

/// Into how many parts an epoch is divided to plot its losses.
const PARTS: u64 = 50;

/// Why a training ends early.
const NO_NUMBER: &str = "the loss is no longer a number; try a lower learning rate";

/// The interval between checkpoints within an epoch.
const INTERVAL: Duration = Duration::from_secs(180);

/// The command line of `train`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Packed positions; those to validate with are in `FILE.val`, of one file at least. May be repeated, to mix
    /// several files; with a share, an epoch takes only that much of a file's positions, different ones every time
    #[arg(long, value_name = "FILE[:SHARE]", required = true, value_parser = Source::parse)]
    data: Vec<Source>,
    /// What to write: `OUT.ckpt` after every epoch and every three minutes, `OUT.svg` with the losses, and the network,
    /// `OUT.ibxn`; only `--resume` replaces them. `OUT.lock` prevents a second training of this name
    #[arg(long, value_name = "OUT")]
    out: PathBuf,
    /// Continue from `OUT.ckpt`, with the same data
    #[arg(long)]
    resume: bool,
    /// Begin with the weights of another training's checkpoint, or of a network (`.ibxn`), of the same size or
    /// smaller: then it is widened
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    from: Option<PathBuf>,
    /// Threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,
    #[command(flatten)]
    recipe: Recipe,
}

impl Checkpoint {
    /// Learns one batch and returns the sum of its losses: not a number if the weights no longer are.
    fn learn(
        &mut self,
        batch: &[ChessBoard],
        rate: f32,
        gradients: &mut [Parameters],
        layers: &mut [HiddenLayers],
    ) -> f64 {
        let loss = self.add_gradients(batch, gradients, layers);
        self.apply(gradients, rate, batch.len());
        loss
    }

    /// Adds a batch's gradient, divided over the threads, to `gradients`, and returns the sum of its losses.
    ///
    /// The gradient is taken at the rounded weights, the engine's later integers, and applied to the exact ones (the
    /// "straight-through estimator": Bengio and others, 2013): so training compensates for rounding.
    fn add_gradients(&self, batch: &[ChessBoard], gradients: &mut [Parameters], layers: &mut [HiddenLayers]) -> f64 {
        let target = self.recipe.target();
        let share = batch.len().div_ceil(gradients.len());
        let parameters = &self.parameters.rounded();
        std::thread::scope(|scope| {
            let parts = batch.chunks(share).zip(gradients.iter_mut()).zip(layers.iter_mut());
            let workers: Vec<_> = parts
                .map(|((part, gradient), layers)| scope.spawn(move || layers.learn(parameters, part, target, gradient)))
                .collect();
            workers.into_iter().map(|worker| worker.join().unwrap_or_else(|panic| resume_unwind(panic))).sum()
        })
    }

    /// Takes a step down the sum of these gradients of `positions` positions, and zeroes them. The result depends on
    /// the number of threads only through the order of summation.
    fn apply(&mut self, gradients: &mut [Parameters], rate: f32, positions: usize) {
        self.step += 1;
        let step = Step::new(self.step, rate, self.recipe.decay);
        let scale = 1.0 / positions as f32;
        // Each thread gets whole stripes of the hidden layer; the last slice is the outputs' biases.
        let length = (self.parameters.hidden / STRIPE).div_ceil(gradients.len()) * ROWS;
        let mut slices: Vec<Vec<&mut [Stripe]>> = Vec::new();
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
                    let Some((sums, others)) = gradients.split_first_mut() else { return };
                    for (index, sum) in sums.iter_mut().enumerate() {
                        for other in others.iter_mut() {
                            sum.add(&std::mem::replace(&mut other[index], Stripe::ZERO));
                        }
                    }
                    sums.chunks_exact_mut(ROWS).for_each(share_gradient);
                    for (index, Stripe(sum)) in sums.iter_mut().enumerate() {
                        sum.iter_mut().for_each(|g| *g *= scale);
                        step.apply(&mut values[index].0, sum, &mut first[index].0, &mut second[index].0, MAX_WEIGHT);
                        sum.fill(0.0);
                    }
                });
            }
        });
        if let Some(mean) = &mut self.mean {
            // At first the mean of all steps, so that the initial weights do not linger.
            mean.approach(&self.parameters, (1.0 - self.recipe.ema).max(1.0 / self.step as f32));
        }
    }
}

/// The training loss over time, for the plot.
struct Course {
    /// Means over parts of epochs, at the middle of each; time is in epochs.
    points: Vec<(f64, f64)>,
    /// The losses of the current part, and its batches.
    sum: f64,
    batches: u64,
}

impl Course {
    /// For the epochs before a resumption, of which only the means are known.
    fn after(history: &[EpochLoss]) -> Course {
        let points = (0..).zip(history).map(|(epoch, losses)| (f64::from(epoch) + 0.5, losses.training)).collect();
        Course { points, sum: 0.0, batches: 0 }
    }

    /// Begins a part of an epoch.
    fn begin_part(&mut self) {
        (self.sum, self.batches) = (0.0, 0);
    }

    /// Adds the losses of a batch.
    fn add(&mut self, loss: f64) {
        self.sum += loss;
        self.batches += 1;
    }

    /// Ends the part after batch `done` of epoch `epoch`, and begins the next.
    fn end_part(&mut self, epoch: u64, done: u64, training: &Training) {
        let middle = (done as f64 - self.batches as f64 / 2.0) / training.batches as f64;
        let mean = self.sum / (self.batches * training.batch as u64) as f64;
        self.points.push(((epoch - 1) as f64 + middle, mean));
        self.begin_part();
    }
}

/// What the epochs of a training share.
struct Training {
    set: TrainingSet,
    validation: Vec<ChessBoard>,
    threads: usize,
    /// Positions in a batch.
    batch: usize,
    /// Batches in an epoch.
    batches: u64,
    /// The checkpoint's file.
    file: PathBuf,
}

impl Training {
    /// Checks that the checkpoint has learned from these positions, in these batches, and records their fingerprint.
    fn check(&self, checkpoint: &mut Checkpoint) -> Result<(), CommandError> {
        let epochs_done = checkpoint.history.len() as u64;
        if !(epochs_done * self.batches..=(epochs_done + 1) * self.batches).contains(&checkpoint.step) {
            let file = self.file.display();
            return Err(trouble!("{file} has learned from other data: its epochs have another length"));
        }
        let fingerprint = self.set.fingerprint();
        if ![0, fingerprint].contains(&checkpoint.data) {
            let file = self.file.display();
            return Err(trouble!("{file} has learned from other data: as many, but other positions"));
        }
        checkpoint.data = fingerprint;
        Ok(())
    }

    /// Learns the rest of an epoch. Returns the last rate.
    fn learn_epoch(&self, epoch: u64, checkpoint: &mut Checkpoint, course: &mut Course) -> Result<f32, CommandError> {
        let recipe = checkpoint.recipe.clone();
        let (batch, batches) = (self.batch, self.batches);
        let mut gradients = vec![Parameters::zero(recipe.hidden); self.threads];
        let mut layers: Vec<HiddenLayers> = gradients.iter().map(|_| HiddenLayers::new(recipe.hidden)).collect();
        let mut gathered: Vec<ChessBoard> = Vec::with_capacity(batch);
        let order = self.set.order(recipe.seed, epoch);
        let before = checkpoint.step - (epoch - 1) * batches;
        let bar = progress(batches * batch as u64, epoch, recipe.epochs);
        bar.inc(before * batch as u64);
        let steps = batches.saturating_mul(recipe.epochs);
        let rate_at = |step| schedule::rate(recipe.schedule, step, steps, recipe.lr, recipe.lr_end);
        // The rate of the last step: there may be none left in this epoch.
        let mut rate = rate_at(checkpoint.step.saturating_sub(1));
        let mut written = Instant::now();
        let part = batches.div_ceil(PARTS);
        course.begin_part();
        for (done, indices) in (1..).zip(order.chunks_exact(batch)).skip(usize::try_from(before).unwrap_or(usize::MAX))
        {
            gathered.clear();
            gathered.extend(indices.iter().map(|&index| self.set.positions[index as usize]));
            rate = rate_at(checkpoint.step);
            let loss = checkpoint.learn(&gathered, rate, &mut gradients, &mut layers);
            // Immediately: the weights are unusable, but the last checkpoint is not.
            if !loss.is_finite() {
                return Err(trouble!("epoch {epoch}, batch {done} of {batches}: {NO_NUMBER}"));
            }
            checkpoint.unfinished += loss;
            course.add(loss);
            if done % part == 0 {
                course.end_part(epoch, done, self);
            }
            bar.inc(batch as u64);
            if written.elapsed() > INTERVAL {
                checkpoint.write(&self.file)?;
                written = Instant::now();
            }
        }
        bar.finish_and_clear();
        Ok(rate)
    }

    /// Validates after an epoch whose last rate was this.
    fn validate(&self, epoch: u64, rate: f32, checkpoint: &mut Checkpoint) -> Result<EpochLoss, CommandError> {
        let seen = (self.batches * self.batch as u64) as f64;
        let target = checkpoint.recipe.target();
        let losses = EpochLoss {
            training: std::mem::take(&mut checkpoint.unfinished) / seen,
            validation: validate(&checkpoint.result().rounded(), &self.validation, target, self.threads),
            rate,
        };
        if !losses.training.is_finite() || !losses.validation.is_finite() {
            return Err(trouble!("epoch {epoch}: {NO_NUMBER}"));
        }
        Ok(losses)
    }
}

/// Runs the command.
///
/// # Errors
///
/// One line: a file cannot be read or written, or does not belong to this training; another training writes the same
/// files; the learning rate would rise.
pub fn run(args: &Args) -> Result<(), CommandError> {
    // A training that has begun may go on.
    if args.recipe.lr_end > args.recipe.lr && !args.resume {
        let Recipe { lr, lr_end, .. } = args.recipe;
        return Err(trouble!("--lr-end {lr_end:e} is above --lr {lr:e}: the learning rate would rise"));
    }
    let [file, picture, network] = [".ckpt", ".svg", ".ibxn"].map(|ending| with_ending(&args.out, ending));
    check_files(args, [&file, &picture, &network])?;
    let _lock = data::Lock::take(with_ending(&args.out, ".lock"))?;
    let mut checkpoint = begin(args, &file)?;
    if let Some(old) = [&picture, &network].into_iter().find(|path| !args.resume && path.exists()) {
        return Err(trouble!("{} exists already; choose another name or remove it", old.display()));
    }
    let (set, validation) = DataFiles::open(&args.data)?.read(&args.data)?;
    let threads = args.threads.map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), usize::from);
    tell!(
        "{} positions to learn from, {} to validate with; hidden size {}, {threads} threads",
        set.per_epoch(),
        validation.len(),
        args.recipe.hidden
    )?;

    let batch = usize::try_from(args.recipe.batch).unwrap_or(usize::MAX).min(set.per_epoch());
    let batches = (set.per_epoch() / batch) as u64;
    let training = Training { set, validation, threads, batch, batches, file };
    training.check(&mut checkpoint)?;
    let mut course = Course::after(&checkpoint.history);
    for epoch in checkpoint.history.len() as u64 + 1..=args.recipe.epochs {
        let (start, before) = (Instant::now(), checkpoint.step);
        let rate = training.learn_epoch(epoch, &mut checkpoint, &mut course)?;
        let (steps, seconds) = (checkpoint.step - before, start.elapsed().as_secs_f64());
        let losses = training.validate(epoch, rate, &mut checkpoint)?;
        if steps == 0 {
            course.points.push((epoch as f64 - 0.5, losses.training));
        }
        checkpoint.history.push(losses);
        checkpoint.write(&training.file)?;
        plot::losses(&picture, &course.points, &checkpoint.history)?;
        tell!(
            "epoch {epoch:>3}: loss {:.6}, validation {:.6}, rate {rate:.2e}, {:.0} positions/s",
            losses.training,
            losses.validation,
            (steps * batch as u64) as f64 / seconds
        )?;
    }
    // A kill may have come between the last checkpoint and its plot.
    if is_older(&picture, &training.file) {
        plot::losses(&picture, &course.points, &checkpoint.history)?;
    }
    export::write(checkpoint.result(), &training.validation, &network)
}

/// Tests the output files of a training before it reads anything.
fn check_files(args: &Args, written: [&Path; 3]) -> Result<(), CommandError> {
    let data = args.data.iter().flat_map(|source| [source.file.clone(), validation_file(&source.file)]);
    let inputs: Vec<PathBuf> = data.chain(args.from.clone()).collect();
    let output = |path| Output { flag: "--out", path, manner: Manner::Continued };
    outputs::check(&inputs, &written.map(output), false).map_err(CommandError::from)
}

/// Whether one file is older than the other, or missing.
fn is_older(one: &Path, other: &Path) -> bool {
    let written = |path: &Path| path.metadata().and_then(|about| about.modified()).ok();
    written(one) < written(other)
}

/// The start of the training: the checkpoint in `file` if it is resumed, else random weights or another training's.
fn begin(args: &Args, file: &Path) -> Result<Checkpoint, CommandError> {
    let checkpoint = match (file.exists(), args.resume) {
        (true, true) => Checkpoint::read(file)?,
        (true, false) => {
            return Err(trouble!("{} exists already; continue with --resume or remove it", file.display()));
        }
        (false, true) => return Err(trouble!("there is no {} to resume", file.display())),
        (false, false) => match &args.from {
            Some(other) => Checkpoint::continuing(args.recipe.clone(), other)?,
            None => Checkpoint::new(args.recipe.clone()),
        },
    };
    let others = checkpoint.recipe.options_unlike(&args.recipe);
    if !others.is_empty() {
        let (file, others) = (file.display(), others.join(" "));
        return Err(trouble!("{file} was made with {others}; repeat that, or choose another --out"));
    }
    Ok(checkpoint)
}

/// The mean loss of validation positions.
fn validate(parameters: &Parameters, positions: &[ChessBoard], target: Target, threads: usize) -> f64 {
    let sum: f64 = std::thread::scope(|scope| {
        let workers: Vec<_> = positions
            .chunks(positions.len().div_ceil(threads))
            .map(|part| scope.spawn(move || HiddenLayers::new(parameters.hidden).loss(parameters, part, target)))
            .collect();
        workers.into_iter().map(|worker| worker.join().unwrap_or_else(|panic| resume_unwind(panic))).sum()
    });
    sum / positions.len() as f64
}

/// A bar for an epoch; it is hidden if standard error is not a terminal.
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
    use std::fs;
    use std::path::Path;

    use crate::checkpoint::tests::recipe;
    use crate::data::tests::scratch_folder;
    use crate::schedule::Shape;
    use crate::training_set::tests::{lessons, source};

    #[test]
    fn the_running_mean_is_the_result_of_a_training() {
        let folder = scratch_folder("ema");
        let data_file = folder.join("data");
        data::write(&data_file, &lessons(3000)).unwrap();
        data::write(&validation_file(&data_file), &lessons(500)).unwrap();
        let recipe = Recipe { ema: 0.98, lr_end: 5e-3, ..recipe() };
        let args = Args {
            data: vec![source(&data_file, 1.0)],
            out: folder.join("a"),
            resume: false,
            from: None,
            threads: Some(1),
            recipe,
        };
        run(&args).unwrap();
        let trained = Checkpoint::read(&folder.join("a.ckpt")).unwrap();
        let validation = data::read(&validation_file(&data_file)).unwrap();
        let loss = |weights: &Parameters| validate(&weights.rounded(), &validation, trained.recipe.target(), 1);
        assert_ne!(trained.result(), &trained.parameters);
        assert!(loss(trained.result()) < loss(&trained.parameters), "noise of a high rate is averaged away");
        assert!((loss(trained.result()) - trained.history[5].validation).abs() < 1e-9);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn material_is_learned_and_a_resumed_training_ends_alike() {
        let folder = scratch_folder("train");
        let data_file = folder.join("data");
        data::write(&data_file, &lessons(6000)).unwrap();
        data::write(&validation_file(&data_file), &lessons(500)).unwrap();
        let args = |out: &str, resume| Args {
            data: vec![source(&data_file, 1.0)],
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
        assert!(run(&args("whole", false)).unwrap_err().to_string().contains("exists already"));
        assert!(run(&args("none", true)).unwrap_err().to_string().contains("to resume"));

        // Another training starts with the weights of this one.
        let next = Checkpoint::continuing(recipe(), &folder.join("whole.ckpt")).unwrap();
        assert_eq!((next.step, &next.parameters), (0, &whole.parameters));
        // Or with the network made from it: the same except for rounding.
        let next = Checkpoint::continuing(recipe(), &folder.join("whole.ibxn")).unwrap();
        assert_eq!(next.parameters, whole.parameters.rounded());

        // A training stopped in the middle of its fourth epoch, as in its checkpoint.
        let sources = args("", false).data;
        let (training, _) = DataFiles::open(&sources).unwrap().read(&sources).unwrap();
        let mut stopped = Checkpoint::new(recipe());
        let (batch, batches) = (64, 93);
        let mut gradients = vec![Parameters::zero(64); 2];
        let mut layers: Vec<HiddenLayers> = (0..2).map(|_| HiddenLayers::new(64)).collect();
        for epoch in 1..=4 {
            for (done, indices) in (1..).zip(training.order(3, epoch).chunks_exact(batch)) {
                let gathered: Vec<ChessBoard> = indices.iter().map(|&i| training.positions[i as usize]).collect();
                let rate = schedule::rate(Shape::Cosine, stopped.step, batches * 6, 5e-3, 1e-4);
                stopped.unfinished += stopped.learn(&gathered, rate, &mut gradients, &mut layers);
                if (epoch, done) == (4, 50) {
                    stopped.write(&folder.join("again.ckpt")).unwrap();
                    stopped.write(&folder.join("other.ckpt")).unwrap();
                }
            }
            if epoch < 4 {
                stopped.history.push(whole.history[epoch as usize - 1]);
                stopped.unfinished = 0.0;
            }
        }
        // Or after its last batch, before validation.
        stopped.write(&folder.join("late.ckpt")).unwrap();
        for out in ["again", "late"] {
            run(&args(out, true)).unwrap();
            assert_eq!(Checkpoint::read(&folder.join(format!("{out}.ckpt"))).unwrap(), whole, "{out}");
        }
        // Or after its end, before the plot.
        let picture = folder.join("late.svg");
        fs::remove_file(&picture).unwrap();
        run(&args("late", true)).unwrap();
        assert!(picture.exists());
        let other = Args { data: vec![source(&data_file, 0.5)], ..args("other", true) };
        assert!(run(&other).unwrap_err().to_string().contains("other data"));
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_training_never_overwrites_its_inputs() {
        let folder = scratch_folder("inputs");
        let data_file = folder.join("data");
        data::write(&data_file, &lessons(200)).unwrap();
        data::write(&validation_file(&data_file), &lessons(100)).unwrap();
        let [net, draft, positions] = ["net.ibxn", "new.ckpt.tmp", "a.ckpt"].map(|name| folder.join(name));
        export::write(&Parameters::random(64, 3), &lessons(100), &net).unwrap();
        Checkpoint::new(recipe()).write(&draft).unwrap();
        fs::copy(&data_file, &positions).unwrap();
        let train = |out: &str, from: Option<&PathBuf>, data: &Path| {
            run(&Args {
                data: vec![source(data, 1.0), source(&data_file, 1.0)],
                out: folder.join(out),
                resume: false,
                from: from.cloned(),
                threads: Some(1),
                recipe: Recipe { epochs: 1, ..recipe() },
            })
        };
        let before = [&net, &draft, &positions].map(|path| fs::read(path).unwrap());
        for error in [train("net", Some(&net), &data_file), train("a", None, &positions)].map(Result::unwrap_err) {
            assert!(
                error.to_string().starts_with("--out ")
                    && error.to_string().ends_with("is also an input, which would be lost"),
                "{error}"
            );
        }
        // The output of another training stays as well.
        for name in ["net.ibxn", "b.svg"] {
            fs::write(folder.join("b.svg"), "a drawing").unwrap();
            let error = train(name.split('.').next().unwrap(), None, &data_file).unwrap_err();
            assert!(
                error.to_string().ends_with(&format!("{name} exists already; choose another name or remove it")),
                "{error}"
            );
        }
        train("new", Some(&draft), &data_file).unwrap();
        assert!([&net, &draft, &positions].map(|path| fs::read(path).unwrap()) == before);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_learning_rate_that_would_rise_is_refused() {
        let args = |resume| Args {
            data: vec![source(Path::new("none"), 1.0)],
            out: std::env::temp_dir().join("ibex-trainer-rising"),
            resume,
            from: None,
            threads: Some(1),
            recipe: Recipe { lr: 3e-6, lr_end: 1e-5, ..recipe() },
        };
        let error = run(&args(false)).unwrap_err();
        assert_eq!(error.to_string(), "--lr-end 1e-5 is above --lr 3e-6: the learning rate would rise");
        assert!(run(&args(true)).unwrap_err().to_string().contains("to resume"));
    }

    #[test]
    fn another_recipe_is_named_by_its_options() {
        let folder = scratch_folder("recipe");
        let file = folder.join("a.ckpt");
        Checkpoint::new(recipe()).write(&file).unwrap();
        let args = Args {
            data: vec![source(Path::new("none"), 1.0)],
            out: folder.join("a"),
            resume: true,
            from: None,
            threads: Some(1),
            recipe: Recipe { lr: 1e-3, seed: 4, ..recipe() },
        };
        let error = run(&args).unwrap_err();
        let expected = "a.ckpt was made with --lr 0.005 --seed 3; repeat that, or choose another --out";
        assert!(error.to_string().ends_with(expected), "{error}");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    #[should_panic(expected = "index out of bounds")]
    fn a_panic_in_a_thread_is_passed_on() {
        let checkpoint = Checkpoint::new(recipe());
        // A gradient with space only for the outputs' biases.
        let mut gradients = [Parameters { hidden: 64, values: vec![Stripe::ZERO] }];
        checkpoint.add_gradients(&lessons(10), &mut gradients, &mut [HiddenLayers::new(64)]);
    }

    #[test]
    fn a_nan_loss_ends_a_training_at_once() {
        let folder = scratch_folder("nan");
        let data_file = folder.join("data");
        data::write(&data_file, &lessons(1000)).unwrap();
        data::write(&validation_file(&data_file), &lessons(100)).unwrap();
        // The decay of one step is infinite: weights that were zero become NaN.
        let recipe = Recipe { lr: 1e38, decay: 1e38, ..recipe() };
        let file = folder.join("a.ckpt");
        Checkpoint::new(recipe.clone()).write(&file).unwrap();
        let before = fs::read(&file).unwrap();
        let args = Args {
            data: vec![source(&data_file, 1.0)],
            out: folder.join("a"),
            resume: true,
            from: None,
            threads: Some(1),
            recipe,
        };
        let error = run(&args).unwrap_err();
        assert!(error.to_string().contains("epoch 1, batch 2 of 15: the loss is no longer a number"), "{error}");
        assert!(fs::read(&file).unwrap() == before, "the checkpoint stays");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_training_goes_on_with_its_own_data_alone() {
        let folder = scratch_folder("fingerprint");
        let data_file = folder.join("data");
        let positions = lessons(2000);
        data::write(&data_file, &positions[..1000]).unwrap();
        data::write(&validation_file(&data_file), &positions).unwrap();
        let args = |resume| Args {
            data: vec![source(&data_file, 1.0)],
            out: folder.join("a"),
            resume,
            from: None,
            threads: Some(1),
            recipe: Recipe { epochs: 1, ..recipe() },
        };
        run(&args(false)).unwrap();
        run(&args(true)).unwrap();
        // As many positions: they would come in the order of the old ones.
        data::write(&data_file, &positions[1000..]).unwrap();
        let refused = run(&args(true)).unwrap_err();
        assert!(refused.to_string().contains("a.ckpt has learned from other data"), "{refused}");
        // A trainer that took no fingerprint may have started with any positions.
        let file = folder.join("a.ckpt");
        Checkpoint { data: 0, ..Checkpoint::read(&file).unwrap() }.write(&file).unwrap();
        run(&args(true)).unwrap();
        fs::remove_dir_all(&folder).unwrap();
    }
}
