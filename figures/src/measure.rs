//! The measurements: each runs programs and makes a table from their output.

use std::env::consts::EXE_SUFFIX;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use terminal::{CommandError, trouble};

use serde_json::Value;

use crate::basis::Engine;
use crate::matches::found;

/// The measured programs: each is kept, so that an interrupted measurement can continue with the same one.
const PROGRAMS: &str = "target/figures/programs";

/// What the measurements use.
#[derive(Debug)]
pub struct Tools {
    pub ibex: PathBuf,
    /// How it was built, if the user has said so.
    pub build: Option<String>,
    /// The public test data.
    pub shared: PathBuf,
}

/// A table, and its conditions besides the engine.
#[derive(Debug)]
pub struct Measured {
    /// Lines of Markdown, each with its end.
    pub table: String,
    pub conditions: String,
}

impl Tools {
    /// Rejects a program that is not the project's.
    ///
    /// # Errors
    ///
    /// One line: the program does not run, or its bench is not the recorded one.
    pub fn must_be(&self, engine: &Engine) -> Result<(), CommandError> {
        self.has_bench(engine, &self.ibex)
    }

    /// The same for a program that messages call `named`.
    fn has_bench(&self, engine: &Engine, named: &Path) -> Result<(), CommandError> {
        let printed = self.run(["bench", "--signature"])?;
        if printed.trim() == engine.bench {
            Ok(())
        } else {
            let (program, bench) = (named.display(), &engine.bench);
            Err(trouble!("{program} has the bench {}, tests/bench.signature {bench}; build it", printed.trim()))
        }
    }

    /// These tools with a copy of the program, which a later build does not replace.
    ///
    /// # Errors
    ///
    /// One line: it cannot be copied, or it is not the project's ([`Tools::must_be`]).
    pub fn pinned(&self, engine: &Engine) -> Result<Tools, CommandError> {
        let ibex = pin(&self.ibex, Path::new(PROGRAMS))?;
        let pinned = Tools { ibex, build: self.build.clone(), shared: self.shared.clone() };
        pinned.has_bench(engine, &self.ibex)?;
        Ok(pinned)
    }

    /// How Ibex was built, as pages write it.
    pub fn build(&self) -> &str {
        // A path says nothing about the flags.
        self.build.as_deref().unwrap_or("an unnamed build")
    }

    /// Runs Ibex to its end; returns its output.
    pub fn run<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Result<String, CommandError> {
        let arguments: Vec<_> = arguments.into_iter().map(|argument| argument.as_ref().to_owned()).collect();
        output(Command::new(&self.ibex).args(arguments), &[0, 1])
    }

    /// A file or folder of the public test data.
    pub fn data(&self, name: &str) -> Result<PathBuf, CommandError> {
        let path = self.shared.join("data").join(name);
        if path.exists() { Ok(path) } else { Err(trouble!("{} is missing (--shared)", path.display())) }
    }

    /// The openings of a match: the file that the user has chosen, or else one of the public test data.
    pub fn book(&self, chosen: Option<&Path>, usual: &str) -> Result<PathBuf, CommandError> {
        match chosen {
            Some(file) if file.is_file() => Ok(file.to_owned()),
            Some(file) => Err(trouble!("{} is not a file (--book)", file.display())),
            None => self.data(usual),
        }
    }
}

/// Makes an error line about this file.
pub fn at<E: Into<CommandError>>(path: &Path) -> impl Fn(E) -> CommandError {
    move |error| error.into().about(path.display())
}

/// A checksum of a file, in hexadecimal digits.
///
/// # Errors
///
/// One line: it cannot be read.
pub fn checksum(file: &Path) -> Result<String, CommandError> {
    let bytes = fs::read(file).map_err(at(file))?;
    Ok(format!("{:016x}", ibex::checksum::checksum(&bytes)))
}

/// The file below this folder for a program with this checksum.
fn program_in(folder: &Path, checksum: &str) -> PathBuf {
    folder.join(checksum).join(format!("ibex{EXE_SUFFIX}"))
}

/// Copies a program and the laboratory beside it into a folder, named by the program's checksum.
fn pin(program: &Path, folder: &Path) -> Result<PathBuf, CommandError> {
    fs::create_dir_all(folder).map_err(at(folder))?;
    // The name comes from the copy: the program may be replaced while it is read.
    let scratch = folder.join(format!("copy-{}", std::process::id()));
    fs::copy(program, &scratch).map_err(at(program))?;
    let copy = program_in(folder, &checksum(&scratch)?);
    if let Some(own) = copy.parent() {
        fs::create_dir_all(own).map_err(at(own))?;
    }
    fs::rename(&scratch, &copy).map_err(at(&copy))?;
    let laboratory = laboratory_beside(program);
    if laboratory.exists() {
        fs::copy(&laboratory, &scratch).map_err(at(&laboratory))?;
        let copy = laboratory_beside(&copy);
        fs::rename(&scratch, &copy).map_err(at(&copy))?;
    }
    Ok(copy)
}

/// The laboratory to which a program hands its commands.
fn laboratory_beside(program: &Path) -> PathBuf {
    program.with_file_name(format!("ibex-lab{EXE_SUFFIX}"))
}

/// The output of a program; an error if its status is none of these.
pub fn output(command: &mut Command, statuses: &[i32]) -> Result<String, CommandError> {
    let name = Path::new(command.get_program()).display().to_string();
    let output = command.stdin(Stdio::null()).output().map_err(|error| trouble!("{name}: {error}"))?;
    if output.status.code().is_some_and(|status| statuses.contains(&status)) {
        return String::from_utf8(output.stdout).map_err(|error| trouble!("{name}: {error}"));
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    Err(trouble!("{name}: {}; {}", output.status, errors.lines().last().unwrap_or_default()))
}

/// The cells of a table's line.
pub fn cells(line: &str) -> Vec<&str> {
    line.trim().trim_matches('|').split('|').map(str::trim).collect()
}

/// A line of a table.
pub fn row<S: AsRef<str>>(cells: &[S]) -> String {
    let cells: Vec<&str> = cells.iter().map(AsRef::as_ref).collect();
    format!("| {} |\n", cells.join(" | "))
}

/// These columns of the first table in a text; all of them if none is named.
///
/// # Errors
///
/// One line: there is no table, or it lacks a column.
pub fn columns(text: &str, names: &[&str]) -> Result<String, CommandError> {
    let lines: Vec<&str> =
        text.lines().skip_while(|line| !line.starts_with('|')).take_while(|line| line.starts_with('|')).collect();
    let [head, _, body @ ..] = &lines[..] else { return Err(trouble!("no table was printed")) };
    if body.is_empty() {
        return Err(trouble!("an empty table was printed"));
    }
    if names.is_empty() {
        return Ok(lines.iter().map(|line| format!("{line}\n")).collect());
    }
    let head = cells(head);
    let chosen: Vec<usize> = names
        .iter()
        .map(|name| head.iter().position(|cell| cell == name).ok_or_else(|| trouble!("no column '{name}' was printed")))
        .collect::<Result<_, _>>()?;
    let chosen_of = |line: &&str| {
        let all = cells(line);
        let some: Vec<&str> = chosen.iter().filter_map(|&at| all.get(at).copied()).collect();
        if line.starts_with("|-") { format!("|{}|\n", some.join("|")) } else { row(&some) }
    };
    Ok(lines.iter().map(chosen_of).collect())
}

/// The table that a command of Ibex prints.
pub fn printed(tools: &Tools, command: &str, names: &[&str], conditions: &str) -> Result<Measured, CommandError> {
    let table = columns(&tools.run(command.split(' '))?, names)?;
    Ok(Measured { table, conditions: format!("`ibex-lab {command}`, {conditions}") })
}

/// The scores of random positions of few men; Syzygy tables give the results of pawn against pawn.
pub fn ending_scores(tools: &Tools) -> Result<Measured, CommandError> {
    let command = "endings scores --positions 120 --seed 3 --nodes 20000";
    let tables = tools.data("syzygy")?;
    let arguments = command.split(' ').map(OsStr::new).chain([OsStr::new("--syzygy"), tables.as_os_str()]);
    let table = columns(&tools.run(arguments)?, &[])?;
    Ok(Measured { table, conditions: format!("`ibex-lab {command} --syzygy FOLDER`") })
}

/// The suites, with their names on the pages.
const SUITES: [(&str, &str); 7] = [
    ("wacnew", "Win at Chess (revised)"),
    ("sts_v3_points", "Strategic Test Suite, version 3"),
    ("bratko_kopec", "Bratko-Kopec"),
    ("kaufman", "Kaufman"),
    ("eet", "Eigenmann endgames"),
    ("pet", "PET endgames"),
    ("lct2", "LCT II"),
];

/// Solutions of the public suites under one limit, compared with Stockfish's.
pub fn suites(tools: &Tools, limit: &[&str]) -> Result<Measured, CommandError> {
    let mut files = Vec::new();
    for (name, _) in SUITES {
        files.push(tools.data(&format!("epd/{name}.epd"))?);
    }
    // The page compares the two: without the other engine, it stays unchanged.
    let other =
        found("stockfish").ok_or_else(|| trouble!("stockfish is not installed; the table has a column for it"))?;
    let document = run_suites(tools, &files, limit, &[("sf", &other)])?;
    let (players, table) = suites_table(&document)?;
    Ok(Measured {
        table,
        conditions: [format!("`ibex-lab epd {}`, 16 MB, 1 thread, public suites", limit.join(" "))]
            .into_iter()
            .chain(players)
            .collect::<Vec<_>>()
            .join("; "),
    })
}

/// The results of suites as one document; other engines play under these labels beside Ibex.
fn run_suites(
    tools: &Tools,
    files: &[PathBuf],
    limit: &[&str],
    others: &[(&str, &Path)],
) -> Result<Value, CommandError> {
    let scratch = std::env::temp_dir().join(format!("ibex-figures-{}.json", std::process::id()));
    let mut arguments: Vec<PathBuf> = vec!["epd".into()];
    arguments.extend_from_slice(files);
    arguments.extend(limit.iter().map(PathBuf::from));
    arguments.extend(["--json".into(), scratch.clone()]);
    for (label, program) in others {
        // The laboratory reads a command like a shell.
        let command = program.display().to_string().replace('\'', "'\\''");
        arguments.extend(["--engine".into(), PathBuf::from(format!("{label}='{command}'"))]);
    }
    let run = tools.run(arguments);
    let text = fs::read_to_string(&scratch).map_err(at(&scratch));
    // A failed run leaves one too, which the next one would not replace.
    let _ = fs::remove_file(&scratch);
    let text = run.and(text)?;
    serde_json::from_str(&text).map_err(|error| trouble!("the suites' results: {error}"))
}

/// Nodes per second of Ibex and of each installed build of Stockfish: the same positions for the same time, each run
/// with all of them in turn, and the median of the runs.
pub fn speed(tools: &Tools) -> Result<Measured, CommandError> {
    const RUNS: usize = 5;
    let limit = ["--movetime", "150"];
    let builds = [("native", "stockfish-15.1-native", "built for the processor"), ("debian", "stockfish", "Debian")];
    let installed: Vec<(&str, PathBuf, &str)> =
        builds.into_iter().filter_map(|(label, program, build)| Some((label, found(program)?, build))).collect();
    if installed.is_empty() {
        return Err(trouble!("stockfish is not installed; there is nothing to compare with"));
    }
    let others: Vec<(&str, &Path)> = installed.iter().map(|(label, program, _)| (*label, program.as_path())).collect();
    let file = tools.data("epd/bratko_kopec.epd")?;
    let documents: Vec<Value> =
        (0..RUNS).map(|_| run_suites(tools, std::slice::from_ref(&file), &limit, &others)).collect::<Result<_, _>>()?;
    let ours = median(documents.iter().map(|document| rate(document, "ibex")).collect::<Result<_, _>>()?);
    let mut table = row(&["engine", "build", "nodes a second, thousands", "Ibex beside it"]) + "|---|---|--:|--:|\n";
    table += &row(&["Ibex".to_owned(), tools.build().to_owned(), format!("{ours:.0}"), String::new()]);
    for (label, _, build) in &installed {
        let theirs = median(documents.iter().map(|document| rate(document, label)).collect::<Result<_, _>>()?);
        // Within each run, so that changes in the machine's speed do not matter.
        let ratios =
            documents.iter().map(|document| Ok::<_, CommandError>(rate(document, "ibex")? / rate(document, label)?));
        let ratio = median(ratios.collect::<Result<_, _>>()?);
        let name = documents[0]["head"]["players"].as_array().and_then(|players| {
            players.iter().find(|player| player["label"] == **label)?["name"].as_str().map(str::to_owned)
        });
        table += &row(&[
            name.unwrap_or_else(|| (*label).to_owned()),
            (*build).to_owned(),
            format!("{theirs:.0}"),
            format!("{ratio:.2}"),
        ]);
    }
    Ok(Measured {
        table,
        conditions: format!(
            "`ibex-lab epd bratko_kopec.epd {}`, 16 MB, 1 thread, medians of {RUNS} runs",
            limit.join(" ")
        ),
    })
}

/// Thousands of nodes per second of a player in a suite.
fn rate(document: &Value, label: &str) -> Result<f64, CommandError> {
    let totals = document["totals"].as_array().into_iter().flatten();
    let of = totals.into_iter().find(|total| total["player"] == *label);
    let numbers = of.and_then(|total| Some((total["nodes"].as_f64()?, total["ms"].as_f64()?)));
    match numbers {
        Some((nodes, ms)) if ms > 0.0 => Ok(nodes / ms),
        _ => Err(trouble!("no nodes and time for {label}")),
    }
}

/// The median.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The names of all players but the first, and the table of solutions.
fn suites_table(document: &Value) -> Result<(Vec<String>, String), CommandError> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let players: Vec<(String, String)> = list(&document["head"]["players"])
        .iter()
        .map(|player| (text(&player["label"]), text(&player["name"])))
        .collect();
    let totals = list(&document["totals"]);
    let mut head = vec!["suite".to_owned(), "of".to_owned(), "Ibex".to_owned()];
    head.extend(players.iter().skip(1).map(|(_, name)| name.clone()));
    let mut table = row(&head) + "|---|" + &"--:|".repeat(head.len() - 1) + "\n";
    let mut sums = vec![0; players.len() + 1];
    for (suite, title) in SUITES {
        let mut solved = Vec::new();
        let mut points = Vec::new();
        for (label, _) in &players {
            let found = totals.iter().find(|total| total["player"] == **label && total["name"] == suite);
            let total = found.ok_or_else(|| trouble!("no result of {label} in {suite}"))?;
            let number = |value: &Value| value.as_u64().ok_or_else(|| trouble!("no number in the result of {suite}"));
            if solved.is_empty() {
                solved.push(number(&total["positions"])?);
                points.push(number(&total["points"][1])?);
            }
            solved.push(number(&total["solved"])?);
            points.push(number(&total["points"][0])?);
        }
        let line = |title: &str, numbers: &[u64]| {
            row(&[title.to_owned()].into_iter().chain(numbers.iter().map(u64::to_string)).collect::<Vec<_>>())
        };
        table += &line(title, &solved);
        if points[0] > 0 {
            table += &line("the same, points", &points);
        }
        sums.iter_mut().zip(&solved).for_each(|(sum, solved)| *sum += solved);
    }
    table += &row(&["together".to_owned()].into_iter().chain(sums.iter().map(u64::to_string)).collect::<Vec<_>>());
    Ok((players.into_iter().skip(1).map(|(_, name)| name).collect(), table))
}

/// The suites of public mates, by mate distance.
const MATES: [(u64, &str); 6] = [
    (1, "mate_in_1"),
    (2, "mate_in_2"),
    (3, "mate_in_3"),
    (3, "pychess_mate_in_3"),
    (4, "mate_in_4"),
    (5, "mate_in_5"),
];
/// The variables that the mates test reads. The figure is measured without them.
const MATES_SETTINGS: [&str; 5] =
    ["IBEX_MATE_NODES", "IBEX_MATE_SAMPLE", "IBEX_MATE_SUITE", "IBEX_MATE_HASH", "IBEX_MATE_THREADS"];

/// The public mates, from the output of a test.
pub fn mates(tools: &Tools) -> Result<Measured, CommandError> {
    // A test whose data are missing passes.
    for (_, name) in MATES {
        tools.data(&format!("mate/{name}.epd"))?;
    }
    let build = "cargo test --locked --release --test mates";
    let command = format!("{build} -- --ignored --nocapture");
    // A test that does not build ends like one that fails.
    output(&mut mates_command(&format!("{build} --no-run"), &tools.shared), &[0])?;
    // A mate that two threads miss makes the test fail, but is still part of the figure.
    let text = output(&mut mates_command(&command, &tools.shared), &[0, 101])?;
    Ok(Measured { table: mates_table(&text)?, conditions: format!("`{command}`, a million nodes a position") })
}

fn mates_command(command: &str, shared: &Path) -> Command {
    let mut words = command.split(' ');
    let mut command = Command::new(words.next().unwrap_or_default());
    command.args(words).env("IBEX_SHARED", shared);
    for name in MATES_SETTINGS {
        command.env_remove(name);
    }
    command
}

/// The positions of a suite of mates, and how many are solved exactly, from the test's line for this setting.
fn mates_line(text: &str, suite: &str, setting: &str) -> Result<[u64; 2], CommandError> {
    let marker = format!("{suite}.epd, {setting}: ");
    // The harness may have begun the line. One suite's name ends like that of another.
    let is_begin = |before: &str| before.is_empty() || before.ends_with(' ');
    let found = text.lines().find_map(|line| {
        let (before, rest) = line.split_once(&marker)?;
        is_begin(before).then_some((line, rest))
    });
    let (line, rest) = found.ok_or_else(|| trouble!("the test prints no line '{marker}...'"))?;
    let numbers: Vec<u64> = rest.split(' ').filter_map(|word| word.parse().ok()).collect();
    match numbers[..] {
        [0, ..] => Err(trouble!("no positions: {line}")),
        [positions, exact, _, _, 0, _] => Ok([positions, exact]),
        [_, _, _, _, _, _] => Err(trouble!("false mates: {line}")),
        _ => Err(trouble!("not understood: {line}")),
    }
}

fn mates_table(text: &str) -> Result<String, CommandError> {
    let settings = ["16 MB, 1 threads", "16 MB, 2 threads", "1 MB, 1 threads", "1 MB, 2 threads"];
    let heads = settings.map(|setting| setting.replace("1 threads", "1 thread"));
    let mut table =
        row(&[&["mates in".to_owned(), "of".to_owned()], &heads[..]].concat()) + "|--:|" + &"--:|".repeat(5) + "\n";
    for moves in 1..=5 {
        let mut positions = 0;
        let mut exact = [0; 4];
        for (_, suite) in MATES.iter().filter(|(of, _)| *of == moves) {
            let lines = settings.map(|setting| mates_line(text, suite, setting));
            let lines = lines.into_iter().collect::<Result<Vec<_>, _>>()?;
            let all = lines[0][0];
            for ([of, found], exact) in lines.into_iter().zip(&mut exact) {
                if of != all {
                    return Err(trouble!("{suite}.epd has {all} positions with one setting and {of} with another"));
                }
                *exact += found;
            }
            positions += all;
        }
        let numbers = [moves, positions].into_iter().chain(exact).map(|number: u64| number.to_string());
        table += &row(&numbers.collect::<Vec<_>>());
    }
    Ok(table)
}

/// The time of the bench with one thread and with two: three runs of each in turn, the least time of each.
pub fn threads(tools: &Tools) -> Result<Measured, CommandError> {
    let depths = ["13", "15", "17", "19"];
    let mut table = row(&["depth", "one thread, s", "two threads, s", "ratio", "nodes a second, ratio"])
        + "|--:|--:|--:|--:|--:|\n";
    for depth in depths {
        let mut least = [f64::INFINITY; 2];
        let mut most = [0.0_f64; 2];
        for _ in 0..3 {
            for (at, threads) in ["1", "2"].into_iter().enumerate() {
                let printed = tools.run(["bench", "64", threads, depth])?;
                let (nodes, rate) = bench_line(&printed)?;
                least[at] = least[at].min(nodes / rate);
                most[at] = most[at].max(rate);
            }
        }
        table += &row(&[
            depth.to_owned(),
            format!("{:.1}", least[0]),
            format!("{:.1}", least[1]),
            format!("{:.2}", least[0] / least[1]),
            format!("{:.2}", most[1] / most[0]),
        ]);
    }
    Ok(Measured {
        table,
        conditions: "`ibex bench 64 THREADS DEPTH`, 40 positions, three runs of each in turn, the best of each"
            .to_owned(),
    })
}

/// Nodes, and nodes per second, from the last line of a bench.
fn bench_line(text: &str) -> Result<(f64, f64), CommandError> {
    let line = text.lines().last().unwrap_or_default();
    let words: Vec<&str> = line.split(' ').collect();
    match words[..] {
        [nodes, "nodes", rate, "nps"] => match (nodes.parse(), rate.parse()) {
            (Ok(nodes), Ok(rate)) if rate > 0.0 => Ok((nodes, rate)),
            _ => Err(trouble!("not understood: {line}")),
        },
        _ => Err(trouble!("not understood: {line}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn columns_are_chosen_by_name() {
        let text = "lab\n\n| a | b, c | d |\n|---|--:|--:|\n| x | 1 | 2 |\n| y | 3 | 4 |\n\n| z |\n|---|\n| no |\n";
        assert_eq!(columns(text, &["a", "d"]).unwrap(), "| a | d |\n|---|--:|\n| x | 2 |\n| y | 4 |\n");
        assert_eq!(columns(text, &["b, c"]).unwrap(), "| b, c |\n|--:|\n| 1 |\n| 3 |\n");
        assert_eq!(columns(text, &[]).unwrap().lines().count(), 4);
        assert!(columns(text, &["e"]).unwrap_err().to_string().contains("'e'"));
        assert!(columns("nothing", &[]).is_err() && columns("| a |\n|---|\n", &[]).is_err());
    }

    #[test]
    fn a_pinned_program_survives_a_rebuild() {
        let scratch = Scratch::new("pinned");
        let (program, folder) = (PathBuf::from(scratch.write("ibex", "old")), scratch.0.join("programs"));
        let copy = pin(&program, &folder).unwrap();
        scratch.write("ibex", "new");
        assert_eq!(fs::read_to_string(&copy).unwrap(), "old");
        let other = pin(&program, &folder).unwrap();
        assert_ne!(other, copy);
        assert_eq!(program_in(&folder, &checksum(&program).unwrap()), other);
        scratch.write("ibex", "old");
        assert_eq!(pin(&program, &folder).unwrap(), copy);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 2);
        assert!(pin(&scratch.0.join("none"), &folder).unwrap_err().to_string().contains("none"));
    }

    /// A path says nothing about flags, so the Makefile passes the command that it ran, without the user's flags.
    #[test]
    fn a_build_has_the_name_that_it_is_given() {
        let tools = |build: Option<&str>| Tools {
            ibex: PathBuf::from("target/release/ibex"),
            build: build.map(str::to_owned),
            shared: PathBuf::new(),
        };
        assert_eq!(tools(None).build(), "an unnamed build");
        assert_eq!(tools(Some("`make pgo`")).build(), "`make pgo`");
        let makefile = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../Makefile")).unwrap();
        let (_, lines) = makefile.split_once("MAKE_FIGURES = ").unwrap();
        let command = lines.split("\n\n").next().unwrap();
        assert!(command.starts_with("env -u CARGO_ENCODED_RUSTFLAGS RUSTFLAGS= cargo build --release"), "{command}");
        assert!(command.contains("--build '`cargo build --release`'"), "{command}");
    }

    #[test]
    fn a_bench_has_nodes_and_a_rate() {
        assert_eq!(bench_line("position 1/1: 7\n952058 nodes 1631383 nps\n"), Ok((952_058.0, 1_631_383.0)));
        assert!(bench_line("952058 nodes 0 nps").is_err() && bench_line("").is_err());
    }

    #[test]
    fn suites_are_counted_by_player() {
        let total = |player: &str, name: &str, solved: u64| {
            let points = match (name, player) {
                ("sts_v3_points", "ibex") => [70, 100],
                ("sts_v3_points", _) => [65, 100],
                _ => [0, 0],
            };
            serde_json::json!({"player": player, "name": name, "positions": 10, "solved": solved, "points": points})
        };
        let totals: Vec<Value> =
            SUITES.iter().flat_map(|(name, _)| [total("ibex", name, 4), total("sf", name, 5)]).collect();
        let players = [
            serde_json::json!({"label": "ibex", "name": "Ibex 1.0.0"}),
            serde_json::json!({"label": "sf", "name": "Stockfish 15.1"}),
        ];
        let mut document = serde_json::json!({"head": {"players": players}, "totals": totals});
        let (names, table) = suites_table(&document).unwrap();
        assert_eq!(names, ["Stockfish 15.1"]);
        assert!(table.starts_with("| suite | of | Ibex | Stockfish 15.1 |\n|---|--:|--:|--:|\n"), "{table}");
        assert!(table.contains("| the same, points | 100 | 70 | 65 |\n"), "{table}");
        assert!(table.ends_with("| together | 70 | 28 | 35 |\n"), "{table}");
        document["totals"].as_array_mut().unwrap().pop();
        assert!(suites_table(&document).unwrap_err().to_string().contains("lct2"));
    }

    #[test]
    fn a_rate_is_nodes_by_time() {
        let document =
            serde_json::json!({"totals": [{"player": "ibex", "nodes": 3000, "ms": 2}, {"player": "sf", "ms": 0}]});
        assert_eq!(rate(&document, "ibex"), Ok(1500.0));
        assert!(rate(&document, "sf").is_err() && rate(&document, "none").is_err());
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
    }

    #[test]
    fn mates_are_read_from_the_lines_of_the_test() {
        let mut text = String::new();
        let settings = ["16 MB, 1 threads", "16 MB, 2 threads", "1 MB, 1 threads", "1 MB, 2 threads"];
        for (setting, exact) in settings.into_iter().zip([48, 47, 46, 45]) {
            for suite in ["mate_in_1", "mate_in_2", "mate_in_3", "pychess_mate_in_3", "mate_in_4", "mate_in_5"] {
                text += &format!(
                    "{suite}.epd, {setting}: 50 positions, {exact} exact, 1 longer, 1 silent, 0 faults, \
                     9 nodes a position\n"
                );
            }
        }
        let table = mates_table(&text).unwrap();
        let heads = "| mates in | of | 16 MB, 1 thread | 16 MB, 2 threads | 1 MB, 1 thread | 1 MB, 2 threads |\n";
        assert!(table.starts_with(heads), "{table}");
        for row in ["| 3 | 100 | 96 | 94 | 92 | 90 |\n", "| 5 | 50 | 48 | 47 | 46 | 45 |\n"] {
            assert!(table.contains(row), "{table}");
        }
        assert!(mates_table(&text.replace("0 faults", "1 faults")).unwrap_err().to_string().contains("false mates"));
        assert!(mates_table(&text.replace("mate_in_4", "mate")).unwrap_err().to_string().contains("mate_in_4"));
        let begun = text.replacen("mate_in_1", "test public_suites ... mate_in_1", 1);
        assert_eq!(mates_table(&begun).unwrap(), table);
        // The other mate-in-three suite does not replace one that is missing or empty.
        let error = mates_table(&text.replace("pychess_mate_in_3", "other")).unwrap_err();
        assert!(error.to_string().contains("no line 'pychess_mate_in_3.epd, 16 MB, 1 threads"), "{error}");
        let line = "pychess_mate_in_3.epd, 1 MB, 2 threads: ";
        let with = |numbers: &str| text.replace(&format!("{line}50 positions, 45"), &format!("{line}{numbers}"));
        assert!(
            mates_table(&with("0 positions, 0")).unwrap_err().to_string().contains("no positions: pychess_mate_in_3")
        );
        let error = mates_table(&with("49 positions, 45")).unwrap_err();
        assert_eq!(error.to_string(), "pychess_mate_in_3.epd has 50 positions with one setting and 49 with another");
    }

    /// The page states nodes and positions; variables that the user has exported would change them.
    #[test]
    fn the_mates_are_measured_with_the_settings_of_the_page() {
        let command = mates_command("cargo test --no-run", Path::new("shared"));
        let set: Vec<_> = command.get_envs().filter(|(_, value)| value.is_some()).collect();
        assert_eq!(set, [(OsStr::new("IBEX_SHARED"), Some(OsStr::new("shared")))]);
        let test = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/mates.rs")).unwrap();
        let read = test.split("\"IBEX_MATE_").skip(1).filter_map(|rest| rest.split('"').next());
        let read: std::collections::BTreeSet<String> = read.map(|name| format!("IBEX_MATE_{name}")).collect();
        assert!(read.len() >= 5, "{read:?}");
        for name in read {
            assert!(command.get_envs().any(|(removed, value)| removed == &*name && value.is_none()), "{name}");
        }
        let tools = Tools { ibex: PathBuf::new(), build: None, shared: PathBuf::from("nowhere") };
        assert!(mates(&tools).unwrap_err().to_string().contains("mate_in_1.epd is missing"));
    }
}
