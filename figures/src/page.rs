//! Pages, and the blocks of figures in them.
//!
//! A block begins with `<!-- figure NAME -->` and ends with `<!-- end NAME -->`, each on a line of its own.

use std::fs;
use terminal::{CommandError, trouble};

/// Reads a file of the project.
pub fn read(path: &str) -> Result<String, CommandError> {
    fs::read_to_string(path).map_err(|error| trouble!("{path}: {error}"))
}

fn markers(name: &str) -> (String, String) {
    (format!("<!-- figure {name} -->\n"), format!("<!-- end {name} -->"))
}

/// A page as the text before the block, the block, and the text after it.
fn parts<'a>(page: &str, text: &'a str, name: &str) -> Result<[&'a str; 3], CommandError> {
    let (begin, end) = markers(name);
    let missing = |marker: &str| trouble!("{page} lacks the line '{}'", marker.trim_end());
    let at = text.find(&begin).ok_or_else(|| missing(&begin))? + begin.len();
    let length = text[at..].find(&end).ok_or_else(|| missing(&end))?;
    Ok([&text[..at], &text[at..at + length], &text[at + length..]])
}

/// The block of a figure.
///
/// # Errors
///
/// One line: the page cannot be read or lacks a marker.
pub fn block(page: &str, name: &str) -> Result<String, CommandError> {
    let text = read(page)?;
    Ok(parts(page, &text, name)?[1].to_owned())
}

/// The block of a figure that is the same on all these pages.
///
/// # Errors
///
/// One line: a page cannot be read, lacks a marker, or differs from the first.
pub fn block_of(pages: &[&str], name: &str) -> Result<String, CommandError> {
    match (disagreement(pages, name)?, pages.first()) {
        (Some(disagreement), _) => Err(trouble!("{disagreement}")),
        (None, Some(page)) => block(page, name),
        (None, None) => Err(trouble!("{name} is on no page")),
    }
}

/// Which pages differ from the first page in the block of this name; `None` if they agree.
///
/// # Errors
///
/// One line: a page cannot be read, or lacks a marker.
pub fn disagreement(pages: &[&str], name: &str) -> Result<Option<String>, CommandError> {
    let blocks = pages.iter().map(|page| block(page, name)).collect::<Result<Vec<_>, _>>()?;
    let other = blocks.iter().position(|block| *block != blocks[0]);
    Ok(other.map(|at| format!("{name} in {} is not the one in {}", pages[at], pages[0])))
}

/// The lines of a block that belong to its table.
pub fn table(block: &str) -> String {
    block.lines().filter(|line| line.starts_with('|')).map(|line| format!("{line}\n")).collect()
}

/// Replaces a block of a page; the page is replaced as a whole or not at all.
///
/// # Errors
///
/// One line: the page cannot be read or written, or lacks a marker.
pub fn replace(page: &str, name: &str, block: &str) -> Result<(), CommandError> {
    let text = read(page)?;
    let [before, _, behind] = parts(page, &text, name)?;
    write(page, &format!("{before}{block}{behind}"))
}

/// Writes a file of the project; it is replaced as a whole or not at all.
///
/// # Errors
///
/// One line: it cannot be written.
pub fn write(path: &str, text: &str) -> Result<(), CommandError> {
    let scratch = format!("{path}.new");
    fs::write(&scratch, text).and_then(|()| fs::rename(&scratch, path)).map_err(|error| trouble!("{path}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    const PAGE: &str = "Text.\n\n<!-- figure one -->\n| a |\n|---|\n| 1 |\n\n*Of old.*\n<!-- end one -->\n\nMore.\n";

    #[test]
    fn a_block_lies_between_its_markers() {
        let [before, block, behind] = parts("page", PAGE, "one").unwrap();
        assert!(before.ends_with("one -->\n") && behind.starts_with("<!-- end one -->"));
        assert_eq!(table(block), "| a |\n|---|\n| 1 |\n");
        assert!(parts("page", PAGE, "two").unwrap_err().to_string().contains("<!-- figure two -->"));
        assert!(
            parts("page", &PAGE.replace("end one", "end"), "one").unwrap_err().to_string().contains("<!-- end one -->")
        );
    }

    #[test]
    fn a_block_is_replaced_and_nothing_else() {
        let scratch = Scratch::new("figures");
        let path = &scratch.write("page.md", PAGE);
        replace(path, "one", "| b |\n").unwrap();
        assert_eq!(read(path).unwrap(), "Text.\n\n<!-- figure one -->\n| b |\n<!-- end one -->\n\nMore.\n");
        assert!(replace(path, "two", "| c |\n").is_err());
        assert!(read(path).unwrap().contains("| b |"));
    }

    #[test]
    fn a_figure_on_two_pages_is_the_same() {
        let scratch = Scratch::new("figures-two");
        let files = [scratch.write("1.md", PAGE), scratch.write("2.md", format!("# Other\n\n{PAGE}"))];
        let pages = files.each_ref().map(String::as_str);
        assert_eq!(block_of(&pages, "one"), block(pages[0], "one"));
        scratch.write("2.md", PAGE.replace("| 1 |", "| 2 |"));
        assert!(block_of(&pages, "one").unwrap_err().to_string().contains("is not the one in"));
    }
}
