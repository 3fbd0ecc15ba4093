//! `spsa`: the parameters of the search, in the format of OpenBench's tuning page.
//!
//! One parameter a line: name, type, value, minimum, maximum, the step at the end of the tuning, and its learning
//! rate. The options of these names exist in builds with the feature `tune`.

use crate::params;

/// The learning rate at the end of the tuning; it suits most parameters.
const RATE: &str = "0.002";

/// The lines of the parameters with these names or beginnings of names; no words mean all.
pub fn parameters(words: &[String]) -> Vec<String> {
    let wanted = |name: &str| words.is_empty() || words.iter().any(|word| name.starts_with(word.as_str()));
    // A switch cannot be tuned.
    let numbers = params::ALL.iter().filter(|number| number.max - number.min > 1 && wanted(number.name));
    numbers
        .map(|params::Tunable { name, default, min, max, step }| {
            format!("{name}, int, {default}, {min}, {max}, {step}, {RATE}")
        })
        .collect()
}

/// The answer if [`parameters`] finds none.
pub const NONE: &str = "no tunable parameter has such a name";

/// `spsa` at the prompt; words are the wanted names or their beginnings, and no words mean all. Returns whether
/// there are any.
pub fn at_the_prompt(words: &[String], say: &mut dyn FnMut(&str)) -> bool {
    let lines = parameters(words);
    if lines.is_empty() {
        say(&format!("spsa: {NONE}"));
    }
    for line in &lines {
        say(line);
    }
    !lines.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(words: &[&str]) -> Vec<String> {
        let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
        let mut lines = Vec::new();
        at_the_prompt(&words, &mut |line| lines.push(line.to_owned()));
        lines
    }

    #[test]
    fn each_number_has_a_line_with_its_value_range_and_step() {
        let numbers: Vec<_> = params::ALL.iter().filter(|number| (number.min, number.max) != (0, 1)).collect();
        let lines = lines(&[]);
        assert_eq!(lines.len(), numbers.len());
        for (line, params::Tunable { name, default, min, max, step }) in lines.iter().zip(numbers) {
            assert_eq!(*line, format!("{name}, int, {default}, {min}, {max}, {step}, 0.002"));
            assert!(min <= default && default <= max && 0 < *step && *step < max - min, "{line}");
        }
        // The order of the fields, by a line whose numbers all differ.
        let slope = format!("rfp_slope, int, {}, 20, 160, 8, 0.002", params::rfp_slope());
        assert!(lines.contains(&slope), "{slope}: {lines:?}");
    }

    #[test]
    fn numbers_are_selected_by_name() {
        assert!(lines(&["nmp_"]).iter().all(|line| line.starts_with("nmp_")));
        assert_eq!(lines(&["nmp_", "rfp_"]).len(), lines(&["nmp_"]).len() + lines(&["rfp_"]).len());
        assert_eq!(lines(&["recognizers"]), ["spsa: no tunable parameter has such a name"]);
    }
}
