//! Contempt: what a draw is worth against this opponent.

/// Contempt that ratings can call for is at most this, in centipawns.
pub const LIMIT: i32 = 60;

/// Rating points that are worth one centipawn.
const POINTS_PER_CENTIPAWN: i32 = 10;

/// The rating in the value of `UCI_Opponent`: `<title> <rating> <kind> <name>`, with `none` for what is not known.
///
/// None for anything else: a rating that is not a whole number from 1 to 4000 is no rating.
pub fn rating_of(opponent: &str) -> Option<u32> {
    opponent.split_whitespace().nth(1)?.parse().ok().filter(|rating| (1..=4000).contains(rating))
}

/// Contempt for an opponent of this rating, in centipawns: positive, to avoid draws, against weaker ones.
pub fn by_rating(own: u32, opponent: u32) -> i32 {
    let difference = i64::from(own) - i64::from(opponent);
    let limit = i64::from(LIMIT);
    (difference / i64::from(POINTS_PER_CENTIPAWN)).clamp(-limit, limit) as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratings_are_read_or_refused() {
        assert_eq!(rating_of("GM 2800 human Gary Kasparov"), Some(2800));
        assert_eq!(rating_of("none 3500 computer X"), Some(3500));
        for nothing in
            ["", "none none computer X", "GM", "GM 0 human X", "GM 99999999999 human X", "x -5 y z", "\t \u{a0}"]
        {
            assert_eq!(rating_of(nothing), None, "{nothing:?}");
        }
    }

    #[test]
    fn draws_are_avoided_against_the_weaker_and_sought_against_the_stronger() {
        assert_eq!(by_rating(3000, 2800), 20);
        assert_eq!(by_rating(2800, 3000), -20);
        assert_eq!(by_rating(3000, 3000), 0);
        assert_eq!(by_rating(4000, 1), LIMIT);
        assert_eq!(by_rating(1, u32::MAX), -LIMIT);
    }
}
