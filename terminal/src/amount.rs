//! Amounts on the command line, as people write them: `1e6`, `500k`, `2M` nodes; `1500`, `1.5s`, `2min` of time.
//!
//! Each function is a `value_parser`. The arithmetic is exact, except for shares: anything but a whole number is
//! rejected, not rounded.

/// A number of things, at least one: digits (with `_` or `'` between them), a fraction, an exponent, and then `k`
/// (thousand), `M` (million), `G` or `B` (thousand million) in either case.
///
/// # Errors
///
/// One line that says what is expected.
pub fn count(text: &str) -> Result<u64, String> {
    let units = [("k", 3), ("m", 6), ("g", 9), ("b", 9)].map(|(unit, zeros)| (unit, 10_u64.pow(zeros)));
    amount(text, 1, &units).ok_or_else(|| "expected a whole number from 1, such as 5000, 500k, 2M or 1e6".to_owned())
}

/// Milliseconds, at least one: a plain number, or one with `ms`, `s`, `min` (or `m`) or `h`.
///
/// # Errors
///
/// One line that says what is expected.
pub fn milliseconds(text: &str) -> Result<u64, String> {
    let units = [("ms", 1), ("s", 1000), ("min", 60_000), ("m", 60_000), ("h", 3_600_000)];
    amount(text, 1, &units).ok_or_else(|| "expected milliseconds, or a time such as 500ms, 1.5s or 2min".to_owned())
}

/// Seconds, at least one: a plain number, or one with `s`, `min` (or `m`) or `h`.
///
/// # Errors
///
/// One line that says what is expected.
pub fn seconds(text: &str) -> Result<u64, String> {
    let units = [("s", 1), ("min", 60), ("m", 60), ("h", 3600)];
    amount(text, 1, &units).ok_or_else(|| "expected seconds, or a time such as 90s, 1.5min or 2h".to_owned())
}

/// A share of something: a number from 0 to 1.
///
/// # Errors
///
/// One line that says what is expected.
pub fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "expected a share from 0 to 1".to_owned())
}

/// The number times its unit; `bare` is the unit of a bare number. `None` if that is not a whole number from 1 on.
fn amount(text: &str, bare: u64, units: &[(&str, u64)]) -> Option<u64> {
    let text = text.trim();
    // An "e" belongs to the number: no unit begins with it.
    let end = text
        .find(|c: char| c.is_ascii_alphabetic() && !c.eq_ignore_ascii_case(&'e') || c.is_whitespace())
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let unit = match unit.trim() {
        "" => bare,
        unit => units.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit))?.1,
    };
    let (mantissa, exponent) = match number.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (number, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let whole: String = whole.split(['_', '\'']).collect();
    let fraction = fraction.trim_end_matches('0');
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !is_digits(&whole) || !is_digits(fraction) {
        return None;
    }
    let digits: u128 = format!("{whole}{fraction}").parse().ok()?;
    let shift = exponent.checked_sub(i32::try_from(fraction.len()).ok()?)?;
    let power = 10_u128.checked_pow(shift.unsigned_abs())?;
    let product = digits.checked_mul(u128::from(unit))?;
    let result = if shift >= 0 {
        product.checked_mul(power)?
    } else if product % power == 0 {
        product / power
    } else {
        return None;
    };
    u64::try_from(result).ok().filter(|&result| result > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_in_many_notations() {
        for (text, expected) in [
            ("1", 1),
            ("5000", 5000),
            ("1_000_000", 1_000_000),
            ("1'000", 1000),
            ("1e6", 1_000_000),
            ("1E+3", 1000),
            ("1.5e3", 1500),
            ("2500e-2", 25),
            ("500k", 500_000),
            ("2M", 2_000_000),
            ("2m", 2_000_000),
            ("0.25M", 250_000),
            ("1.50 K", 1500),
            ("1G", 1_000_000_000),
            ("3B", 3_000_000_000),
            ("18446744073709551615", u64::MAX),
        ] {
            assert_eq!(count(text), Ok(expected), "{text}");
        }
        for bad in [
            "",
            "0",
            "-1",
            "k",
            "e6",
            "1e",
            "1.5",
            "1.2345k",
            "1x",
            "1kk",
            "1e99999999999",
            "1e30",
            "1e-1",
            "0x10",
            "1 2",
            "1..2",
            "1e6e6",
            "18446744073709551616",
            "1s",
            "é",
            "1,000",
            "0.0001",
            "∞",
            "1e2147483647",
            "1e-2147483648",
        ] {
            assert!(count(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn times_are_read_with_their_units() {
        for (text, expected) in [
            ("100", 100),
            ("1.5s", 1500),
            ("500ms", 500),
            ("1e3", 1000),
            ("2min", 120_000),
            ("1m", 60_000),
            ("1H", 3_600_000),
        ] {
            assert_eq!(milliseconds(text), Ok(expected), "{text}");
        }
        for bad in ["1.5", "0s", "0.0001s", "2M5", "1d", "-1s"] {
            assert!(milliseconds(bad).is_err(), "{bad}");
        }
        assert_eq!((seconds("90"), seconds("1.5min"), seconds("1h")), (Ok(90), Ok(90), Ok(3600)));
        assert!(seconds("1.5s").is_err());
    }

    #[test]
    fn shares_lie_between_0_and_1() {
        assert_eq!(["0", "0.25", "1"].map(share), [Ok(0.0), Ok(0.25), Ok(1.0)]);
        assert!(["-0.1", "1.1", "nan", "inf", "", "half"].into_iter().all(|bad| share(bad).is_err()));
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_a_number_or_refused(text in "\\PC{0,20}", number in 1..u64::MAX) {
            let _ = (count(&text), milliseconds(&text), seconds(&text));
            proptest::prop_assert_eq!(count(&number.to_string()), Ok(number));
        }
    }
}
