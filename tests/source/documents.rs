//! The documents: links lead somewhere, the front page stays short, the glossary lists each term once.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The most lines of the front page.
const FRONT_PAGE: usize = 200;

/// The most bytes of a page; only records may be longer.
const PAGE: usize = 15 << 10;

/// Unidiomatic English that the documents once had; `CONTRIBUTING.md` asks for the plain word.
const PATTERNS: [&str; 5] = ["half-move", "so many", "whoever", "one a core", "none where there is none"];

/// Words in comments that have a plainer replacement: code does not speak, hear, ask or know, and a module is not a
/// room.
const COMMENT_WORDS: [&str; 12] = [
    "so many",
    "half-move",
    "told",
    "tells",
    "asked",
    "knows",
    "hears",
    "nobody",
    "whoever",
    "as far as",
    "speaks",
    "rooms",
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every Markdown file of the project that people read, below the root.
fn documents() -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in ["", "docs", "docs/record", "lab", "nets", "epd", "trainer", "web/package"] {
        for entry in fs::read_dir(root().join(folder)).expect("a readable folder") {
            let path = entry.expect("an entry").path();
            if path.extension().is_some_and(|e| e == "md") {
                found.push(path);
            }
        }
    }
    assert!(found.len() > 10, "only {} documents", found.len());
    found
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The targets of Markdown links and pictures that are files, without the section.
fn targets(text: &str) -> impl Iterator<Item = &str> {
    text.split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next())
        .filter(|target| !target.contains("://") && !target.starts_with('#'))
        .map(|target| target.split('#').next().unwrap_or(target))
}

/// The first column of every table row of the glossary, together with the row.
fn terms(glossary: &str) -> impl Iterator<Item = (&str, &str)> {
    glossary
        .lines()
        .filter(|line| line.starts_with("| ") && !line.starts_with("| term |"))
        .map(|line| (line.split('|').nth(1).unwrap_or("").trim(), line))
}

#[test]
fn links_lead_to_files() {
    let mut tried = 0;
    for page in documents() {
        let folder = page.parent().expect("a folder");
        for target in targets(&read(&page)) {
            assert!(folder.join(target).exists(), "{}: no file {target}", page.display());
            tried += 1;
        }
    }
    assert!(tried > 20, "only {tried} links were found");
}

#[test]
fn links_are_seen() {
    let text = "[a](docs/a.md), ![b](b.png), [c](https://c.org/c.md), [d](#d), [e](e.md#part)";
    assert_eq!(targets(text).collect::<Vec<_>>(), ["docs/a.md", "b.png", "e.md"]);
}

#[test]
fn the_front_page_is_short_and_leads_everywhere() {
    let front = read(&root().join("README.md"));
    assert!(front.lines().count() <= FRONT_PAGE, "README.md has {} lines", front.lines().count());
    let linked: BTreeSet<&str> = targets(&front).collect();
    for page in documents() {
        let name = page.strip_prefix(root()).expect("below the root").to_string_lossy().replace('\\', "/");
        if name.starts_with("docs/") {
            assert!(linked.contains(name.as_str()), "README.md has no link to {name}");
        }
    }
}

#[test]
fn pages_end() {
    for page in documents().into_iter().filter(|page| !page.starts_with(root().join("docs/record"))) {
        let size = read(&page).len();
        assert!(size <= PAGE, "{} has {size} bytes, more than {PAGE}", page.display());
    }
}

/// The values of the constants of this name, or the arguments of a call, in a Rust source.
fn strings(text: &str, before: &str, behind: &str) -> Vec<String> {
    let found = text.split(before).skip(1).filter_map(|rest| rest.split_once(behind));
    found.map(|(string, _)| string.to_owned()).collect()
}

/// Readers outside of this project lack the data behind figures and matches unless a page names them.
#[test]
fn the_test_data_are_named() {
    let page = read(&root().join("CONTRIBUTING.md"));
    let (_, page) = page.split_once("## Test data").expect("a section");
    let mut names = BTreeSet::new();
    for (_, text) in crate::sources_below("figures/src", "figures/src") {
        names.extend(strings(&text, "BOOK: &str = \"books/", "\"").iter().map(|book| format!("books/{book}")));
        for argument in strings(&text, "tools.data(", ")?") {
            match argument.trim_matches(['&', '"']) {
                // The books are constants; the suites have their own list.
                "BOOK" | "LEVEL_BOOK" => {}
                "format!(\"mate/{name}.epd\")" | "format!(\"mate/{name}.epd" => {
                    let list = strings(&text, "const MATES: ", "];\n").concat();
                    names.extend(strings(&list, ", \"", "\")").iter().map(|suite| format!("mate/{suite}.epd")));
                }
                "format!(\"epd/{name}.epd\")" | "format!(\"epd/{name}.epd" => {
                    let list = strings(&text, "const SUITES", "];").concat();
                    names.extend(strings(&list, "    (\"", "\"").iter().map(|suite| format!("epd/{suite}.epd")));
                }
                name => {
                    names.insert(name.to_owned());
                }
            }
        }
    }
    assert!(
        names.len() >= 16
            && ["books/noob_3moves.epd", "epd/lct2.epd", "mate/pychess_mate_in_3.epd"]
                .iter()
                .all(|name| names.contains(*name)),
        "{names:?}"
    );
    for name in names {
        assert!(page.contains(&format!("`{name}`")), "CONTRIBUTING.md does not name {name}");
    }
}

/// The page is built by Vite, which does not run under every version of Node.
#[test]
fn the_documented_node_version_is_the_one_needed() {
    let lock = read(&root().join("web/page/package-lock.json"));
    let (_, vite) = lock.split_once("\"node_modules/vite\"").expect("the builder of the page");
    let (_, needed) = vite.split_once("\"node\": \"").expect("what it needs");
    let (needed, _) = needed.split_once('"').expect("its end");
    assert_eq!(needed, "^20.19.0 || >=22.12.0", "Makefile and docs/web.md say 20.19 or 22.12");
    assert!(read(&root().join("web/page/package.json")).contains(&format!("\"node\": \"{needed}\"")));
    let makefile = read(&root().join("Makefile"));
    assert!(makefile.contains("version 20.19 or later of 20, or 22.12 or later"));
    assert!(makefile.contains("(a === 22 && b >= 12) || (a === 20 && b >= 19)"));
    let page = read(&root().join("docs/web.md")).replace('\n', " ");
    assert!(page.contains("version 20 the release 20.19 or later, or else 22.12 or later"));
}

/// The output of make; `None`, with a message, if there is no GNU make: on a BSD it is `gmake`.
fn make(arguments: &[&str]) -> Option<String> {
    let is_gnu = |program: &&str| {
        let version = Command::new(program).arg("--version").output();
        version.is_ok_and(|output| output.stdout.starts_with(b"GNU Make"))
    };
    let Some(program) = ["gmake", "make"].into_iter().find(is_gnu) else {
        eprintln!("SKIPPED: no GNU make");
        return None;
    };
    let made = Command::new(program).arg("--no-print-directory").args(arguments).current_dir(root()).output();
    let output = made.expect("make runs");
    assert!(output.status.success(), "make {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The output of `make help` is pasted into a shell, where `$$` is a number.
#[test]
fn the_help_of_make_can_be_pasted() {
    let Some(help) = make(&["help"]) else { return };
    assert!(help.lines().count() > 20, "{help}");
    assert!(!help.contains("$$") && !help.contains("$(EXE)"), "{help}");
    assert!(
        help.contains("Build ./ibex and ./ibex-lab for this machine")
            && help.contains("$(uname -m)-unknown-linux-musl"),
        "{help}"
    );
}

/// The description of a match contains names of options in backticks, which a shell would run.
#[test]
fn the_text_of_a_match_reaches_the_record_as_it_is() {
    let Some(printed) = make(&["--dry-run", "match", "CHANGE=`iir_depth` from 4 to 3"]) else { return };
    assert!(printed.contains("--change \"$CHANGE\"") && !printed.contains("iir_depth"), "{printed}");
}

/// A blank in a path does not end a word.
#[test]
fn make_takes_paths_with_blanks() {
    let (shared, built) = ("IBEX_SHARED=/x y", "CARGO_TARGET_DIR=/a b");
    for (arguments, words) in [
        (&["match", shared][..], &["--shared \"/x y\""][..]),
        (&["figures", built, shared], &["--ibex \"/a b/release/ibex\"", "--shared \"/x y\""]),
        (&["fuzz"], &["IBEX_FUZZ_CORPUS=\""]),
    ] {
        let Some(printed) = make(&[&["--dry-run"], arguments].concat()) else { return };
        for &word in words {
            assert!(printed.contains(word), "{arguments:?}: {word}: {printed}");
        }
    }
}

/// A reader pastes the commands one after the other.
#[test]
fn the_commands_of_the_front_page_have_their_inputs() {
    let front = read(&root().join("README.md"));
    let (_, block) = front.split_once("## The EPD laboratory in a minute").expect("a section");
    let mut made: BTreeSet<&str> = BTreeSet::new();
    let commands: Vec<&str> = block.lines().skip(2).take_while(|line| line.starts_with("    ibex-lab ")).collect();
    assert!(commands.len() >= 6, "{commands:?}");
    for command in commands {
        let words: Vec<&str> = command.split('#').next().unwrap_or_default().split_whitespace().collect();
        let mut outputs = BTreeSet::new();
        for pair in words.windows(2).filter(|pair| ["--html", "--jsonl", "--out"].contains(&pair[0])) {
            outputs.insert(pair[1]);
        }
        let is_file = |word: &&str| [".epd", ".jsonl", ".html", ".pgn"].iter().any(|end| word.ends_with(end));
        for input in words.iter().copied().filter(is_file).filter(|word| !outputs.contains(word)) {
            // The reader supplies the games.
            let there = input == "games.pgn" || made.contains(input) || root().join(input).exists();
            assert!(there, "{command}: no command before it makes {input}");
        }
        for output in outputs {
            assert!(made.insert(output), "{command}: {output} is there already");
        }
    }
    let (_, first) = front.split_once("    cargo run --release -p ibex-lab -- epd").expect("the first command");
    assert!(first.lines().next().is_some_and(|line| line.ends_with(" --force")), "a second try would be refused");
}

#[test]
fn the_glossary_explains_each_term_once() {
    let glossary = read(&root().join("docs/glossary.md"));
    let mut seen = BTreeSet::new();
    for (term, row) in terms(&glossary) {
        let columns: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        assert!(columns.len() == 3 && columns.iter().all(|column| !column.is_empty()), "not three columns: {row}");
        assert!(seen.insert(term.to_lowercase()), "twice: {term}");
    }
    assert!(seen.len() > 100, "only {} terms", seen.len());
}

#[test]
fn documents_are_in_plain_english() {
    for page in documents() {
        let text = read(&page).to_lowercase();
        for pattern in PATTERNS {
            assert!(!text.contains(pattern), "{}: \"{pattern}\"", page.display());
        }
    }
}

/// The words of [`COMMENT_WORDS`] in the comments of a text, each with its line number.
fn odd_words(text: &str) -> Vec<(usize, &'static str)> {
    let words = |line: &str, word: &str| {
        line.match_indices(word).any(|(at, _)| {
            let letter = |c: char| c.is_alphanumeric() || c == '_';
            !line[..at].ends_with(letter) && !line[at + word.len()..].trim_start_matches('s').starts_with(letter)
        })
    };
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let Some((_, comment)) = line.split_once("//") else { continue };
        let comment = comment.to_lowercase();
        found.extend(COMMENT_WORDS.iter().filter(|word| words(&comment, word)).map(|&word| (number + 1, word)));
    }
    found
}

#[test]
fn comments_are_in_plain_english() {
    let mut files = 0;
    for (name, text) in crate::all_sources() {
        files += 1;
        assert!(odd_words(&text).is_empty(), "{name}: {:?}", odd_words(&text));
    }
    assert!(files > 150, "only {files} files");
}

#[test]
fn odd_words_are_found_in_comments_alone() {
    let text = "let told = 1; // nobody\n/// Two half-moves.\nlet nobody = 2;\n// untold\n// room, rooms\n";
    assert_eq!(odd_words(text), [(1, "nobody"), (2, "half-move"), (5, "rooms")]);
}
