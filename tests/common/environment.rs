//! Settings of long runs.

use std::str::FromStr;

/// A number from the environment, if it is set.
///
/// # Panics
///
/// The text is not a number: a run with another number would pass for the requested one.
pub fn from_environment<T: FromStr>(name: &str) -> Option<T> {
    std::env::var_os(name).map(|text| number(name, &text.to_string_lossy()))
}

/// The number in a setting's text.
pub fn number<T: FromStr>(name: &str, text: &str) -> T {
    text.parse().unwrap_or_else(|_| panic!("{name}: not a number: {text}"))
}
