//! Settings of long runs.

use std::str::FromStr;

/// A number from the environment, if it is set.
///
/// # Panics
///
/// The text is no number: a run with another number would pass for the one that was wanted.
pub fn from_environment<T: FromStr>(name: &str) -> Option<T> {
    std::env::var_os(name).map(|text| number(name, &text.to_string_lossy()))
}

/// The number that a setting's text says.
pub fn number<T: FromStr>(name: &str, text: &str) -> T {
    text.parse().unwrap_or_else(|_| panic!("{name}: not a number: {text}"))
}
