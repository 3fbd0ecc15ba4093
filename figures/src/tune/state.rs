//! The state of a tuning: a small text file that is committed, so that the same command continues on any machine.
//!
//! One statement a line: a word and its values. The lines `log` have the values of all parameters, in their order,
//! every hundred pairs.

use std::fmt::{self, Write as _};
use std::str::FromStr;

use ibex::params;
use terminal::{CommandError, trouble};

use super::spsa::Parameter;
use crate::duel::{self, Limit};

/// Pairs between two lines of the log.
pub const LOG: u64 = 100;
/// The learning rate of all parameters at the end, as OpenBench's page suggests.
const RATE: f64 = 0.002;
/// The head of the file.
const HEAD: &str = "# The state of a tuning (CONTRIBUTING.md, \"Tuning\"); `make spsa` continues it.";

/// The settings of a tuning, which stay as they are.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    pub limit: Limit,
    /// The hash of each engine, in MiB.
    pub hash: u32,
    /// The name of the book, and its checksum.
    pub book: [String; 2],
    /// Pairs of games in an iteration.
    pub pairs: u64,
    /// All iterations: steps and learning rates shrink towards the last.
    pub iterations: u64,
    pub seed: u64,
}

/// A tuning.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// The bench signature of the engine that plays.
    pub bench: String,
    /// Changes of the signature that were accepted: the iterations before, the old and the new one.
    pub accepted: Vec<(u64, String, String)>,
    pub settings: Settings,
    /// Iterations completed.
    pub iteration: u64,
    /// Games won, drawn and lost by the first side of each iteration.
    pub results: [u64; 3],
    pub parameters: Vec<Parameter>,
    /// The values of all parameters, every [`LOG`] pairs, with the pairs before.
    pub log: Vec<(u64, Vec<f64>)>,
}

impl State {
    /// A tuning of these parameters that has not begun.
    ///
    /// # Errors
    ///
    /// There is no parameter of a name, or it is named twice.
    pub fn begin(bench: &str, settings: Settings, names: &[String]) -> Result<State, CommandError> {
        let mut parameters: Vec<Parameter> = Vec::new();
        for name in names {
            let known = params::ALL.iter().find(|known| known.name == name);
            let known = known.ok_or_else(|| trouble!("there is no parameter '{name}'"))?;
            if parameters.iter().any(|parameter| parameter.name == *name) {
                return Err(trouble!("the parameter '{name}' is named twice"));
            }
            parameters.push(Parameter {
                name: name.clone(),
                min: known.min,
                max: known.max,
                step: known.step.into(),
                rate: RATE,
                start: known.default,
                value: known.default.into(),
            });
        }
        let bench = bench.to_owned();
        Ok(State { bench, accepted: Vec::new(), settings, iteration: 0, results: [0; 3], parameters, log: Vec::new() })
    }

    /// Pairs of games played.
    pub fn pairs(&self) -> u64 {
        self.iteration.saturating_mul(self.settings.pairs)
    }

    /// Whether the parts of a file that was read belong together.
    ///
    /// # Errors
    ///
    /// There are not two games for each pair, or not a line of the log every [`LOG`] pairs.
    fn check(&self) -> Result<(), CommandError> {
        let (pairs, [won, drawn, lost]) = (self.pairs(), self.results);
        if won.checked_add(drawn).and_then(|sum| sum.checked_add(lost)) != pairs.checked_mul(2) {
            return Err(trouble!("{won}, {drawn} and {lost} are not the results of {pairs} pairs"));
        }
        let (lines, expected) = (self.log.len(), self.iteration.min(pairs / LOG));
        if lines as u64 != expected {
            return Err(trouble!("{lines} lines 'log' instead of {expected}: the tuning is cut off or damaged"));
        }
        Ok(())
    }

    /// Whether the tuning fits the parameters of this engine.
    ///
    /// # Errors
    ///
    /// A parameter is gone or has another range.
    pub fn fits(&self, known: &[params::Tunable]) -> Result<(), CommandError> {
        for Parameter { name, min, max, .. } in &self.parameters {
            let Some(now) = known.iter().find(|now| now.name == name) else {
                return Err(trouble!("the tuning has the parameter '{name}', which the engine no longer has"));
            };
            if (now.min, now.max) != (*min, *max) {
                return Err(trouble!(
                    "the tuning has '{name}' from {min} to {max}, the engine from {} to {}",
                    now.min,
                    now.max
                ));
            }
        }
        Ok(())
    }

    /// Goes on with an engine of this signature.
    ///
    /// # Errors
    ///
    /// It is another one than before, and not the one that the user accepts.
    pub fn accept(&mut self, bench: &str, accepted: Option<&str>) -> Result<(), CommandError> {
        if let Some(accepted) = accepted.filter(|&accepted| accepted != bench) {
            return Err(trouble!("--accept-bench {accepted}: the engine has the bench {bench}"));
        }
        if bench != self.bench {
            if accepted.is_none() {
                return Err(trouble!("the tuning is of bench {}, the engine of {bench}", self.bench)
                    .hint(format!("if the change is meant, --accept-bench {bench} goes on")));
            }
            let old = std::mem::replace(&mut self.bench, bench.to_owned());
            self.accepted.push((self.iteration, old, bench.to_owned()));
        }
        Ok(())
    }

    /// Ends an iteration: counts its games, and logs the values if another [`LOG`] pairs are complete.
    pub fn complete(&mut self, [won, drawn, lost]: [u64; 3]) {
        let before = self.pairs();
        self.iteration += 1;
        for (sum, games) in self.results.iter_mut().zip([won, drawn, lost]) {
            *sum = sum.saturating_add(games);
        }
        // As the file keeps them, here and in the log: a tuning that was interrupted plays the same games.
        self.parameters.iter_mut().for_each(|parameter| parameter.value = (parameter.value * 1e4).round() / 1e4);
        if self.pairs() / LOG > before / LOG {
            let values = self.parameters.iter().map(|parameter| (parameter.value * 10.0).round() / 10.0);
            self.log.push((self.pairs(), values.collect()));
        }
    }

    /// The text of the file.
    pub fn text(&self) -> String {
        let Settings { limit, hash, book: [book, checksum], pairs, iterations, seed } = &self.settings;
        let mut text = format!("{HEAD}\nbench {}\n", self.bench);
        let mut line = |line: fmt::Arguments<'_>| writeln!(text, "{line}").expect("a string takes every line");
        for (iteration, old, new) in &self.accepted {
            line(format_args!("accepted {iteration} {old} {new}"));
        }
        line(format_args!("{limit}\nhash {hash}\nbook {book} {checksum}"));
        line(format_args!("pairs {pairs}\niterations {iterations}\nseed {seed}\niteration {}", self.iteration));
        let [won, drawn, lost] = self.results;
        line(format_args!("results {won} {drawn} {lost}"));
        for Parameter { name, min, max, step, rate, start, value } in &self.parameters {
            line(format_args!("parameter {name} {min} {max} {step} {rate} {start} {value:.4}"));
        }
        for (pairs, values) in &self.log {
            let values: Vec<String> = values.iter().map(|value| format!("{value:.1}")).collect();
            line(format_args!("log {pairs} {}", values.join(" ")));
        }
        text
    }
}

impl FromStr for State {
    type Err = CommandError;

    /// Reads the text of the file.
    fn from_str(text: &str) -> Result<State, CommandError> {
        let (mut bench, mut limit, mut hash, mut book, mut pairs) = (None, None, None, None, None);
        let (mut iterations, mut seed, mut iteration, mut results) = (None, None, None, None);
        let (mut accepted, mut parameters, mut log) = (Vec::new(), Vec::new(), Vec::new());
        for (number, line) in text.lines().enumerate() {
            if line.starts_with('#') || line.trim().is_empty() {
                continue;
            }
            let mut words = Words { line: number + 1, words: line.split_whitespace() };
            match words.text()?.as_str() {
                "bench" => bench = Some(words.text()?),
                "accepted" => accepted.push((words.value()?, words.text()?, words.text()?)),
                "nodes" => limit = Some(Limit::Nodes(words.value()?)),
                "clock" => limit = Some(words.clock()?),
                "hash" => hash = Some(words.value()?),
                "book" => book = Some([words.text()?, words.text()?]),
                "pairs" => pairs = Some(words.value()?),
                "iterations" => iterations = Some(words.value()?),
                "seed" => seed = Some(words.value()?),
                "iteration" => iteration = Some(words.value()?),
                "results" => results = Some([words.value()?, words.value()?, words.value()?]),
                "parameter" => parameters.push(words.parameter()?),
                "log" => log.push(words.log(parameters.len())?),
                other => return Err(trouble!("line {}: '{other}' is no statement of a tuning", number + 1)),
            }
            words.end()?;
        }
        if !text.is_empty() && !text.ends_with('\n') {
            return Err(trouble!("line {} is cut off", text.lines().count()));
        }
        let missing = |what: &'static str| move || trouble!("the tuning has no line '{what}'");
        let state = State {
            bench: bench.ok_or_else(missing("bench"))?,
            accepted,
            settings: Settings {
                limit: limit.ok_or_else(missing("nodes"))?,
                hash: hash.ok_or_else(missing("hash"))?,
                book: book.ok_or_else(missing("book"))?,
                pairs: pairs.filter(|&pairs| pairs > 0).ok_or_else(missing("pairs"))?,
                iterations: iterations.filter(|&all| all > 0).ok_or_else(missing("iterations"))?,
                seed: seed.ok_or_else(missing("seed"))?,
            },
            iteration: iteration.ok_or_else(missing("iteration"))?,
            results: results.ok_or_else(missing("results"))?,
            parameters,
            log,
        };
        state.check()?;
        Ok(state)
    }
}

/// The words of a line.
struct Words<'a> {
    line: usize,
    words: std::str::SplitWhitespace<'a>,
}

impl Words<'_> {
    fn text(&mut self) -> Result<String, CommandError> {
        let line = self.line;
        self.words.next().map(str::to_owned).ok_or_else(|| trouble!("line {line} is cut off"))
    }

    fn value<T: FromStr>(&mut self) -> Result<T, CommandError> {
        let word = self.text()?;
        word.parse().map_err(|_| trouble!("line {}: '{word}' is no number that fits", self.line))
    }

    fn clock(&mut self) -> Result<Limit, CommandError> {
        let word = self.text()?;
        let limit = if word.contains('+') { duel::clock_in(&word, |time| time.parse().ok()) } else { None };
        limit.ok_or_else(|| trouble!("line {}: '{word}' is no clock", self.line))
    }

    fn parameter(&mut self) -> Result<Parameter, CommandError> {
        let name = self.text()?;
        let (min, max, step, rate) = (self.value()?, self.value()?, self.value::<f64>()?, self.value::<f64>()?);
        let (start, value) = (self.value()?, self.value::<f64>()?);
        let is_sound = step > 0.0 && rate > 0.0 && step.is_finite() && rate.is_finite();
        if !is_sound || min >= max || !(f64::from(min)..=f64::from(max)).contains(&value) {
            return Err(trouble!("line {}: the numbers of {name} do not fit together", self.line));
        }
        Ok(Parameter { name, min, max, step, rate, start, value })
    }

    fn log(&mut self, parameters: usize) -> Result<(u64, Vec<f64>), CommandError> {
        let pairs = self.value()?;
        let values = (0..parameters).map(|_| self.value()).collect::<Result<_, _>>()?;
        Ok((pairs, values))
    }

    fn end(&mut self) -> Result<(), CommandError> {
        match self.words.next() {
            None => Ok(()),
            Some(word) => Err(trouble!("line {}: '{word}' is left over", self.line)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state() -> State {
        let settings = Settings {
            limit: Limit::Nodes(40_000),
            hash: 32,
            book: ["UHO_4060_v4.epd".to_owned(), "0123".to_owned()],
            pairs: 4,
            iterations: 1000,
            seed: 1,
        };
        State::begin("123", settings, &["rfp_slope".to_owned(), "lmr_base".to_owned()]).unwrap()
    }

    #[test]
    fn a_tuning_is_written_and_read_again() {
        let mut state = state();
        for _ in 0..60 {
            state.parameters[0].value += 0.27;
            state.complete([3, 4, 1]);
        }
        state.accept("124", Some("124")).unwrap();
        assert_eq!((state.pairs(), state.results), (240, [180, 240, 60]));
        assert_eq!(state.log.iter().map(|(pairs, _)| *pairs).collect::<Vec<_>>(), [100, 200]);
        let read: State = state.text().parse().unwrap();
        assert_eq!(read.text(), state.text());
        assert_eq!(read, state, "so the page is the same, too");
        assert_eq!((read.accepted, read.bench.as_str()), (vec![(60, "123".to_owned(), "124".to_owned())], "124"));
        let mut clock = self::state();
        for pace in [None, std::num::NonZeroU64::new(500)] {
            clock.settings.limit = Limit::Clock { session: pace, base: 8000, increment: 80, pace };
            assert_eq!(clock.text().parse::<State>().unwrap(), clock);
        }
    }

    #[test]
    fn a_file_is_cut_off_nowhere() {
        let mut state = state();
        (0..60).for_each(|_| state.complete([3, 4, 1]));
        let text = state.text();
        for end in (0..text.len()).filter(|&end| text.is_char_boundary(end)) {
            let error = text[..end].parse::<State>().unwrap_err().to_string();
            assert!(!error.contains('\n'), "{end}: {error}");
        }
        for (old, new, expected) in [
            ("results 180 240 60", "results 180 240 61", "not the results of 240 pairs"),
            ("iteration 60", "iteration 9000000000000000000", "not the results of"),
        ] {
            let error = text.replacen(old, new, 1).parse::<State>().unwrap_err().to_string();
            assert!(error.contains(expected), "{new}: {error}");
        }
    }

    #[test]
    fn another_signature_needs_a_word() {
        let mut state = state();
        assert!(state.accept("123", None).is_ok());
        let error = state.accept("124", None).unwrap_err().to_string();
        assert!(error.contains("bench 123, the engine of 124"), "{error}");
        let error = state.accept("124", Some("125")).unwrap_err().to_string();
        assert!(error.contains("the engine has the bench 124"), "{error}");
        assert_eq!(state, self::state(), "a refusal changes nothing");
    }

    #[test]
    fn parameters_that_are_gone_or_have_another_range_are_refused() {
        let state = state();
        assert!(state.fits(params::ALL).is_ok());
        let without: Vec<_> = params::ALL.iter().copied().filter(|known| known.name != "rfp_slope").collect();
        let error = state.fits(&without).unwrap_err().to_string();
        assert!(error.contains("'rfp_slope', which the engine no longer has"), "{error}");
        let mut wider = params::ALL.to_vec();
        wider.iter_mut().filter(|known| known.name == "lmr_base").for_each(|known| known.max += 1);
        let error = state.fits(&wider).unwrap_err().to_string();
        assert!(error.contains("'lmr_base' from"), "{error}");
        assert!(State::begin("1", state.settings.clone(), &["no".to_owned()]).is_err());
        assert!(State::begin("1", state.settings, &["rfp_slope".to_owned(), "rfp_slope".to_owned()]).is_err());
    }

    #[test]
    fn damaged_files_have_one_line() {
        let text = state().text();
        for (old, new, expected) in [
            ("hash 32", "hash many", "'many' is no number"),
            ("hash 32", "hash", "is cut off"),
            ("hash 32", "hash 32 33", "'33' is left over"),
            ("hash 32\n", "", "no line 'hash'"),
            ("hash 32", "hash 32\nhush 1", "'hush' is no statement"),
            ("nodes 40000", "clock 8", "'8' is no clock"),
            ("nodes 40000", "clock 8+0@0", "'8+0@0' is no clock"),
            ("pairs 4", "pairs 0", "no line 'pairs'"),
            ("parameter lmr_base 0 2048", "parameter lmr_base 2048 0", "do not fit together"),
        ] {
            let damaged = text.replacen(old, new, 1);
            assert_ne!(damaged, text, "{old}");
            let error = damaged.parse::<State>().unwrap_err().to_string();
            assert!(error.contains(expected) && !error.contains('\n'), "{new}: {error}");
        }
    }
}
