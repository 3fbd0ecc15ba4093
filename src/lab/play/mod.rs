//! Playing through engines: what suites, analyses, endings and experiments share.
//!
//! - [`player`]: a question, its budget and its answer, and Ibex itself as a player
//! - [`external`]: any other program behind UCI

pub mod external;
pub mod player;

/// Splits `LABEL=COMMAND`; a path before the equals sign is no label.
pub fn split_label(text: &str) -> (Option<&str>, &str) {
    match text.split_once('=') {
        Some((label, command))
            if !label.is_empty() && label.chars().all(|c| c.is_alphanumeric() || "._+-".contains(c)) =>
        {
            (Some(label), command)
        }
        _ => (None, text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_no_paths() {
        assert_eq!(split_label("sf=stockfish -x"), (Some("sf"), "stockfish -x"));
        assert_eq!(split_label("/opt/a=b/engine"), (None, "/opt/a=b/engine"));
        assert_eq!(split_label("engine --a=b"), (None, "engine --a=b"));
        assert_eq!(split_label("=x"), (None, "=x"));
    }
}
