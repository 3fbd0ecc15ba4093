//! Dates, for reports and manual pages.

use std::time::{SystemTime, UNIX_EPOCH};

/// The seconds of a day.
const DAY: u64 = 86_400;

/// Today's date in UTC, as `2026-11-29`. The variable `SOURCE_DATE_EPOCH`, seconds since 1970, replaces the clock, so that
/// a release can be built again byte for byte.
pub fn today() -> String {
    let set = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|seconds| seconds.parse().ok());
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    of(set.unwrap_or_else(now))
}

/// The date of a moment, by the seconds since 1970.
///
/// Years begin in March here, so a leap day is the last of its year: a common way to count days.
fn of(seconds: u64) -> String {
    // Days since 1 March of the year 0, in periods of 400 years.
    let days = seconds / DAY + 719_468;
    let (period, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day_of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day_of_month = day_of_year - (153 * month + 2) / 5 + 1;
    let (month, later) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    format!("{:04}-{month:02}-{day_of_month:02}", 400 * period + year + later)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_have_their_dates() {
        for (days, date) in [
            (0, "1970-01-01"),
            (58, "1970-02-28"),
            (59, "1970-03-01"),
            (789, "1972-02-29"),
            (790, "1972-03-01"),
            (10_956, "1999-12-31"),
            (11_016, "2000-02-29"),
            (20_786, "2026-11-29"),
            (47_540, "2100-02-28"),
            (47_541, "2100-03-01"),
        ] {
            assert_eq!(of(days * DAY), date);
            assert_eq!(of(days * DAY + DAY - 1), date);
        }
    }
}
