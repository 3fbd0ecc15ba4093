//! Files that are opened to append: Windows can neither lock nor truncate them, which no test on another system shows.

use std::fs;
use std::path::Path;

use crate::walk;

/// The calls that Windows refuses for such a file.
const REFUSED: [&str; 3] = [".try_lock(", "Held::of(", ".set_len("];

/// The functions of a source text, by name, without comments.
fn functions(text: &str) -> Vec<(&str, String)> {
    let mut found: Vec<(&str, String)> = Vec::new();
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or_default();
        if let Some((_, rest)) = line.split_once("fn ") {
            found.push((rest.split(['(', '<']).next().unwrap_or_default(), String::new()));
        }
        if let Some((_, body)) = found.last_mut() {
            body.push_str(line);
        }
    }
    found
}

/// The functions that open a file to append, directly or through another one of the text, and lock or truncate a file.
fn refused(text: &str) -> Vec<&str> {
    let functions = functions(text);
    let appends = |body: &str| body.contains(".append(true)");
    let openers = functions.iter().filter(|(_, body)| appends(body)).map(|(name, _)| format!(" {name}("));
    let openers: Vec<String> = openers.collect();
    let opens = |body: &str| {
        let calls = body.replacen("fn ", "fn", 1);
        appends(body) || openers.iter().any(|opener| calls.contains(opener.as_str()))
    };
    let found = functions.iter().filter(|(_, body)| opens(body) && REFUSED.iter().any(|call| body.contains(call)));
    found.map(|&(name, _)| name).collect()
}

#[test]
fn files_opened_to_append_are_neither_locked_nor_cut() {
    let mut files = Vec::new();
    for folder in crate::PACKAGES {
        walk(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &mut files);
    }
    let mut openers = 0;
    for file in files {
        let text = fs::read_to_string(&file).expect("readable");
        openers += text.matches(".append(true)").count();
        assert!(refused(&text).is_empty(), "{}: {:?}", file.display(), refused(&text));
    }
    assert!(openers >= 3, "only {openers} files are opened to append");
    let faults = "fn open() -> File {\n x.append(true)\n}\nfn lock() {\n let file = open();\n file.try_lock()\n}\n\
                  fn cut() {\n y.read(true).append(true).open(); // \n file.set_len(0)\n}\nfn write() {\n open();\n}\n\
                  fn sound() {\n file.set_len(0)\n}\n";
    assert_eq!(refused(faults), ["lock", "cut"]);
}
