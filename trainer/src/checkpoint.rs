//! The state of a training between two steps: its recipe, its weights, and the file that keeps them.

use std::cmp::Ordering;
use std::io::{BufRead, BufReader, Read as _};
use std::path::{Path, PathBuf};

use ibex::eval::nnue::Network;
use ibex::eval::nnue::format::{SCALE, check_hidden};
use serde::{Deserialize, Serialize};
use terminal::{CommandError, amount, trouble};

use crate::data;
use crate::integers::dequantise;
use crate::model::{Parameters, Stripe, Target, by_rows, by_stripes};
use crate::optimiser::Moments;
use crate::schedule::Shape;

/// Everything that decides what is learned.
#[derive(clap::Args, Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recipe {
    /// The size of the hidden layer: a multiple of 64 up to 1024
    #[arg(long, default_value_t = 512, value_parser = hidden_size)]
    pub hidden: usize,
    /// How often every position is seen
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..))]
    pub epochs: u64,
    /// Positions per step
    #[arg(long, default_value_t = 16_384, value_parser = clap::value_parser!(u64).range(1..))]
    pub batch: u64,
    /// The first learning rate
    #[arg(long, default_value_t = 1e-3, value_parser = positive)]
    pub lr: f32,
    /// The last learning rate, not above the first
    #[arg(long, default_value_t = 1e-5, value_parser = positive)]
    pub lr_end: f32,
    /// How the learning rate falls, from the first to the last
    #[arg(long, value_enum, default_value_t = Shape::Cosine)]
    pub schedule: Shape,
    /// The share of the game's result in what is learned; the rest is the score
    #[arg(long, default_value_t = 0.3, value_parser = share)]
    pub wdl: f32,
    /// The centipawns that multiply the odds of winning by e: what suits the results (see `judge`)
    #[arg(long, default_value_t = UNIT, value_name = "CP", value_parser = scale)]
    #[serde(default = "unit")]
    pub scale: f32,
    /// Weight decay
    #[arg(long, default_value_t = 0.01, value_parser = share)]
    pub decay: f32,
    /// Validate and export the running mean of the weights that keeps this share at each step; 0 is the weights
    /// themselves
    #[arg(long, default_value_t = 0.0, value_name = "SHARE", value_parser = kept_share)]
    #[serde(default)]
    pub ema: f32,
    /// The seed of shuffles, and of the weights of a training that begins with none
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

fn hidden_size(text: &str) -> Result<usize, String> {
    let size = text.parse().map_err(|_| "not a whole number".to_owned())?;
    check_hidden(size).map_err(|error| error.to_string())?;
    Ok(size)
}

/// The engine's unit, which every training used as the scale of results before that was an option.
pub const UNIT: f32 = SCALE as f32;

fn unit() -> f32 {
    UNIT
}

/// The centipawns that multiply the odds by e.
pub fn scale(text: &str) -> Result<f32, String> {
    text.parse().ok().filter(|cp| (50.0..=2000.0).contains(cp)).ok_or_else(|| "a number between 50 and 2000".to_owned())
}

fn positive(text: &str) -> Result<f32, String> {
    text.parse()
        .ok()
        .filter(|&rate: &f32| rate > 0.0 && rate < 1.0)
        .ok_or_else(|| "a number between 0 and 1".to_owned())
}

/// The share that a running mean keeps: at 1 it would never move.
fn kept_share(text: &str) -> Result<f32, String> {
    share(text).ok().filter(|&share| share < 1.0).ok_or_else(|| "a number from 0 to below 1".to_owned())
}

/// A number between 0 and 1.
pub fn share(text: &str) -> Result<f32, String> {
    amount::share(text).map(|share| share as f32)
}

/// The losses of an epoch.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct EpochLoss {
    /// The mean loss of the training positions, as they were seen.
    pub training: f64,
    /// The mean loss of the validation positions, at the end.
    pub validation: f64,
    /// The learning rate at the end.
    pub rate: f32,
}

/// The state of a training between two steps.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// How it is trained.
    pub recipe: Recipe,
    /// Steps taken.
    pub step: u64,
    /// Every whole epoch so far.
    pub history: Vec<EpochLoss>,
    /// The sum of the losses in the epoch after these.
    pub unfinished: f64,
    /// The fingerprint of the training data; 0 if training has not begun, or by a trainer that took no fingerprint.
    pub data: u64,
    /// The weights.
    pub parameters: Parameters,
    /// The optimiser's memory.
    pub moments: Moments,
    /// The running mean of the weights, if the recipe asks for it.
    pub mean: Option<Parameters>,
}

/// The version of the file: in another version, the same numbers may mean something else.
const VERSION: u32 = 2;

/// The longest first line that is read: enough for some hundred thousand epochs.
const LONGEST_HEADING: u64 = 1 << 24;

/// The error for unusable numbers in a checkpoint.
const NO_NUMBERS: &str = "values that are not numbers";

/// The first line of a checkpoint file; then the numbers follow.
#[derive(Serialize, Deserialize)]
struct Heading {
    ibex_checkpoint: u32,
    recipe: Recipe,
    step: u64,
    history: Vec<EpochLoss>,
    #[serde(default)]
    unfinished: f64,
    #[serde(default)]
    data: u64,
}

impl Heading {
    /// Reads the first line of the checkpoint in `path`. Also returns its length in bytes.
    fn read(path: &Path, input: &mut impl BufRead) -> Result<(Heading, u64), CommandError> {
        let shown = path.display();
        let mut line = Vec::new();
        let length = input.by_ref().take(LONGEST_HEADING).read_until(b'\n', &mut line);
        let length = length.map_err(|error| trouble!("cannot read {shown}: {error}"))? as u64;
        if line.last() != Some(&b'\n') {
            return Err(trouble!("{shown} is not a checkpoint"));
        }
        let heading: Heading =
            serde_json::from_slice(&line).map_err(|error| trouble!("{shown} is not a checkpoint: {error}"))?;
        if heading.ibex_checkpoint != VERSION {
            return Err(trouble!("{shown} is a checkpoint of version {}, not {VERSION}", heading.ibex_checkpoint));
        }
        Ok((heading, length))
    }
}

impl Recipe {
    /// The options that make this recipe where the other differs, as typed; empty if the two are alike.
    pub fn options_unlike(&self, other: &Recipe) -> Vec<String> {
        let fields = |recipe: &Recipe| -> serde_json::Map<String, serde_json::Value> {
            // Through text: a number of 32 bits differs from the nearest one of 64.
            serde_json::to_string(recipe).and_then(|text| serde_json::from_str(&text)).unwrap_or_default()
        };
        let (own, other) = (fields(self), fields(other));
        let differs = own.into_iter().filter(|(name, value)| other.get(name) != Some(value));
        differs
            .map(|(name, value)| {
                let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                format!("--{} {value}", name.replace('_', "-"))
            })
            .collect()
    }

    /// The target for each position.
    pub fn target(&self) -> Target {
        Target { wdl: self.wdl, scale: self.scale }
    }
}

impl Checkpoint {
    /// The beginning of a training.
    pub fn new(recipe: Recipe) -> Checkpoint {
        let parameters = Parameters::random(recipe.hidden, recipe.seed);
        Checkpoint::beginning(recipe, parameters)
    }

    /// The beginning of a training with the weights of another: from a checkpoint, or from a shipped network, whose
    /// rounded weights the training starts from. A smaller network is widened.
    ///
    /// # Errors
    ///
    /// One line: the other's file cannot be read, or it is larger.
    pub fn continuing(recipe: Recipe, other: &Path) -> Result<Checkpoint, CommandError> {
        let parameters = if other.extension().is_some_and(|ending| ending == "ibxn") {
            dequantise(&Network::load(other)?)
        } else {
            Checkpoint::read(other)?.into_result()
        };
        let parameters = match parameters.hidden.cmp(&recipe.hidden) {
            Ordering::Less => parameters.widened(recipe.hidden),
            Ordering::Equal => parameters,
            Ordering::Greater => return Err(trouble!("{} has the hidden size {}", other.display(), parameters.hidden)),
        };
        Ok(Checkpoint::beginning(recipe, parameters))
    }

    fn beginning(recipe: Recipe, parameters: Parameters) -> Checkpoint {
        let zero = vec![Stripe::ZERO; parameters.values.len()];
        let moments = Moments { first: zero.clone(), second: zero };
        let mean = (recipe.ema > 0.0).then(|| parameters.clone());
        Checkpoint { recipe, step: 0, history: Vec::new(), unfinished: 0.0, data: 0, parameters, moments, mean }
    }

    /// The result of the training: the running mean of its weights if there is one, otherwise the weights.
    pub fn result(&self) -> &Parameters {
        self.mean.as_ref().unwrap_or(&self.parameters)
    }

    fn into_result(self) -> Parameters {
        self.mean.unwrap_or(self.parameters)
    }

    /// Whether every number is finite, so that the training can go on from here.
    fn is_sound(&self) -> bool {
        let weights = [&self.parameters.values, &self.moments.first, &self.moments.second];
        let mut weights = weights.into_iter().chain(self.mean.as_ref().map(|mean| &mean.values)).flatten();
        let losses = self.history.iter().flat_map(|losses| [losses.training, losses.validation, losses.rate.into()]);
        losses.chain([self.unfinished]).all(f64::is_finite)
            && weights.all(|stripe| stripe.0.iter().all(|value| value.is_finite()))
    }

    /// Writes a file that [`Checkpoint::read`] reads.
    ///
    /// # Errors
    ///
    /// One line: a number is not finite, or a system call fails. An older file of this name stays.
    pub fn write(&self, path: &Path) -> Result<(), CommandError> {
        if !self.is_sound() {
            return Err(trouble!("{} is not written: it would hold {NO_NUMBERS}", path.display()));
        }
        let heading = Heading {
            ibex_checkpoint: VERSION,
            recipe: self.recipe.clone(),
            step: self.step,
            history: self.history.clone(),
            unfinished: self.unfinished,
            data: self.data,
        };
        let heading = serde_json::to_string(&heading)?;
        data::replace(path, |output| {
            writeln!(output, "{heading}")?;
            let arrays = [&self.parameters.values, &self.moments.first, &self.moments.second];
            for numbers in arrays.into_iter().chain(self.mean.as_ref().map(|mean| &mean.values)) {
                let rows = by_rows(numbers, self.parameters.hidden);
                rows.iter().try_for_each(|number| output.write_all(&number.to_le_bytes()))?;
            }
            Ok(())
        })
    }

    /// Reads a checkpoint.
    ///
    /// # Errors
    ///
    /// One line: the file cannot be read, or is not a whole checkpoint of this version. If its first line does not
    /// fit, the rest is not read.
    pub fn read(path: &Path) -> Result<Checkpoint, CommandError> {
        let shown = path.display();
        let (file, size) = data::open_file(path)?;
        let mut input = BufReader::with_capacity(1 << 20, file);
        let (heading, start) = Heading::read(path, &mut input)?;
        let hidden = hidden_size(&heading.recipe.hidden.to_string()).map_err(|why| trouble!("{shown}: {why}"))?;
        let count = by_rows(&Parameters::zero(hidden).values, hidden).len();
        let arrays = if heading.recipe.ema > 0.0 { 4 } else { 3 };
        let expected = arrays * 4 * count;
        let damaged = || trouble!("{shown} is truncated or damaged");
        if size != start + expected as u64 {
            return Err(damaged());
        }
        let mut numbers = Vec::with_capacity(expected);
        let read = input.take(expected as u64).read_to_end(&mut numbers);
        read.map_err(|error| trouble!("cannot read {shown}: {error}"))?;
        if numbers.len() != expected {
            return Err(damaged());
        }
        let mut numbers = numbers.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
        let mut next = || by_stripes(&numbers.by_ref().take(count).collect::<Vec<f32>>(), hidden);
        let parameters = Parameters { hidden, values: next() };
        let moments = Moments { first: next(), second: next() };
        let mean = (arrays == 4).then(|| Parameters { hidden, values: next() });
        let Heading { recipe, step, history, unfinished, data, .. } = heading;
        let checkpoint = Checkpoint { recipe, step, history, unfinished, data, parameters, moments, mean };
        if !checkpoint.is_sound() {
            return Err(trouble!("{shown} holds {NO_NUMBERS}"));
        }
        Ok(checkpoint)
    }

    /// The beginning of a training with the mean of the results of these trainings, which keeps its shared rows. Trainings
    /// that began alike and diverged make different errors. Source: Wortsman et al., "Model soups" (2022).
    ///
    /// # Errors
    ///
    /// One line: a file cannot be read, or has a network of another size than the first.
    pub fn mean(files: &[PathBuf]) -> Result<Checkpoint, CommandError> {
        let (first, others) = files.split_first().ok_or_else(|| trouble!("no checkpoint"))?;
        let first_one = Checkpoint::read(first)?;
        let recipe = first_one.recipe.clone();
        let mut mean = first_one.into_result();
        for (number, file) in (2u16..).zip(others) {
            let other = Checkpoint::read(file)?.into_result();
            if other.hidden != mean.hidden {
                return Err(trouble!("{} and {} are networks of different sizes", first.display(), file.display()));
            }
            mean.approach(&other, 1.0 / f32::from(number));
        }
        Ok(Checkpoint::beginning(recipe, mean))
    }
}

#[cfg(test)]
pub mod tests {
    use std::fs;

    use super::*;
    use crate::data::tests::scratch_folder;

    /// A small one.
    pub fn recipe() -> Recipe {
        Recipe {
            hidden: 64,
            epochs: 6,
            batch: 64,
            lr: 5e-3,
            lr_end: 1e-4,
            schedule: Shape::Cosine,
            wdl: 0.0,
            scale: UNIT,
            decay: 0.01,
            ema: 0.0,
            seed: 3,
        }
    }

    #[test]
    fn damaged_checkpoints_are_refused_and_too_large_ones() {
        let folder = scratch_folder("ckpt");
        let file = folder.join("a.ckpt");
        let checkpoint = Checkpoint::new(recipe());
        checkpoint.write(&file).unwrap();
        assert_eq!(Checkpoint::read(&file).unwrap(), checkpoint);
        let averaged = Checkpoint { unfinished: 2.5, ..Checkpoint::new(Recipe { ema: 0.99, ..recipe() }) };
        let mean = Some(Parameters::random(64, 9));
        let averaged = Checkpoint { mean, ..averaged };
        averaged.write(&file).unwrap();
        assert_eq!(Checkpoint::read(&file).unwrap(), averaged);
        assert_eq!(Checkpoint::continuing(recipe(), &file).unwrap().parameters, Parameters::random(64, 9));
        let wide = folder.join("wide.ckpt");
        Checkpoint::new(Recipe { hidden: 128, ..recipe() }).write(&wide).unwrap();
        assert!(Checkpoint::continuing(recipe(), &wide).unwrap_err().to_string().contains("hidden size 128"));
        assert!(Checkpoint::mean(&[file.clone(), wide]).unwrap_err().to_string().contains("different sizes"));
        let bytes = fs::read(&file).unwrap();
        let (version, rest) = bytes.split_at(b"{\"ibex_checkpoint\":".len());
        assert_eq!(rest[0], b'2');
        fs::write(&file, [version, b"1", &rest[1..]].concat()).unwrap();
        assert!(Checkpoint::read(&file).unwrap_err().to_string().ends_with("is a checkpoint of version 1, not 2"));
        fs::write(&file, &bytes[..bytes.len() - 1]).unwrap();
        assert!(Checkpoint::read(&file).unwrap_err().to_string().contains("truncated"));
        fs::write(&file, b"no checkpoint\n").unwrap();
        assert!(Checkpoint::read(&file).unwrap_err().to_string().contains("is not a checkpoint"));
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn only_the_beginning_of_a_foreign_file_is_read() {
        let folder = scratch_folder("foreign");
        assert!(Checkpoint::read(&folder).unwrap_err().to_string().ends_with("is not a file"));
        #[cfg(unix)]
        assert_eq!(Checkpoint::read(Path::new("/dev/zero")).unwrap_err().to_string(), "/dev/zero is not a file");
        let file = folder.join("a.ckpt");
        if fs::File::create(&file).unwrap().set_len(1 << 40).is_err() {
            eprintln!("SKIPPED: the file system has no files of a tebibyte");
            fs::remove_dir_all(&folder).unwrap();
            return;
        }
        // Larger than any memory, but without content on disk.
        let huge = |beginning: &[u8]| {
            fs::write(&file, beginning).unwrap();
            fs::File::options().write(true).open(&file).unwrap().set_len(1 << 40).unwrap();
            Checkpoint::read(&file).unwrap_err()
        };
        assert!(huge(b"games of another program").to_string().ends_with("a.ckpt is not a checkpoint"));
        assert!(huge(b"games\n").to_string().contains("a.ckpt is not a checkpoint: "));
        Checkpoint::new(recipe()).write(&file).unwrap();
        let whole = fs::read(&file).unwrap();
        assert!(huge(&whole).to_string().ends_with("a.ckpt is truncated or damaged"));
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn options_that_differ_are_named_as_they_are_typed() {
        let old = Recipe { lr: 6e-4, lr_end: 1e-5, schedule: Shape::Step, seed: 2, ..recipe() };
        let new = Recipe { lr_end: 1e-5, ..recipe() };
        assert_eq!(old.options_unlike(&new).join(" "), "--lr 0.0006 --schedule step --seed 2");
        assert!(old.options_unlike(&old).is_empty());
    }

    #[test]
    fn sizes_are_those_of_the_engine() {
        assert_eq!((hidden_size("64"), hidden_size("1024")), (Ok(64), Ok(1024)));
        for bad in ["0", "96", "1088", "-64", "x"] {
            assert!(hidden_size(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_mean_averages_the_checkpoints() {
        let folder = scratch_folder("mean");
        let files = [3, 4, 5].map(|seed| folder.join(format!("{seed}.ckpt")));
        let parts = [3, 4, 5].map(|seed| Checkpoint::new(Recipe { seed, ..recipe() }));
        parts.iter().zip(&files).for_each(|(part, file)| part.write(file).unwrap());
        let mean = Checkpoint::mean(&files).unwrap().parameters;
        assert_eq!(Checkpoint::mean(&files[..1]).unwrap().parameters, parts[0].parameters);
        let weights = |parameters: &Parameters| parameters.values.iter().flat_map(|row| row.0).collect::<Vec<f32>>();
        let parts = parts.each_ref().map(|part| weights(part.result()));
        let averaged = weights(&mean);
        assert_eq!(averaged.len(), parts[0].len());
        for (i, weight) in averaged.into_iter().enumerate() {
            let expected = parts.iter().map(|part| part[i]).sum::<f32>() / 3.0;
            assert!((weight - expected).abs() < 1e-6, "{i}: {weight}, not {expected}");
        }
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_checkpoint_without_sound_numbers_is_not_written() {
        let folder = scratch_folder("unsound");
        let file = folder.join("a.ckpt");
        let sound = Checkpoint::new(Recipe { ema: 0.9, ..recipe() });
        sound.write(&file).unwrap();
        let losses = EpochLoss { training: 0.1, validation: f64::NAN, rate: 1e-3 };
        let unsound = |spoil: &dyn Fn(&mut Checkpoint)| {
            let mut checkpoint = sound.clone();
            spoil(&mut checkpoint);
            checkpoint.write(&file)
        };
        for result in [
            unsound(&|c| c.unfinished = f64::NAN),
            unsound(&|c| c.history.push(losses)),
            unsound(&|c| c.parameters.values[7].0[3] = f32::NAN),
            unsound(&|c| c.moments.first[7].0[3] = f32::NAN),
            unsound(&|c| c.moments.second[7].0[3] = f32::INFINITY),
            unsound(&|c| c.mean.as_mut().unwrap().values[7].0[3] = f32::NEG_INFINITY),
        ] {
            assert!(result.unwrap_err().to_string().contains("values that are not numbers"));
        }
        assert_eq!(Checkpoint::read(&file).unwrap(), sound);
        fs::remove_dir_all(&folder).unwrap();
    }
}
