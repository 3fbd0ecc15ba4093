//! The command line: which command, and its arguments.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{fs, io};

use crate::{analyse, datagen, endings, epd, experiments, perft, probe, prove};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory as _, Parser, Subcommand, ValueEnum as _};
use clap_complete::Shell;
use ibex::uci;
use terminal::{CommandError, Exit, Result, date};

/// The laboratory of the chess engine Ibex: suites, annotated games, proofs, experiments and training data.
///
/// Messages go to standard error; with `IBEX_LOG=debug` in the environment, the protocol too.
#[derive(Parser, Debug)]
#[command(name = "ibex-lab", version = ibex::VERSION, arg_required_else_help = true)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Annotate games (PGN) or positions (FEN) with evaluations, best lines and marks of bad moves
    ///
    /// `ibex-lab analyse games.pgn --out annotated.pgn` searches every position of every game and writes the games again, with
    /// `[%eval ...]` after each move, `??`, `?` and `?!` where a move lost chances, and the line that was better. A game or
    /// a line that cannot be read is reported and copied unchanged; the exit status is then 1.
    ///
    /// `--html games.html` writes the games as a page for a browser: boards to click through, graphs, accuracy.
    #[command(visible_alias = "analyze")]
    Analyse(analyse::Args),
    /// Let the engine play itself and record its games, for training networks; count and check such files
    ///
    /// `ibex-lab datagen --out FILE` plays on all cores until it has enough. If it is killed, the same command resumes it.
    /// The file is viriformat, or compact if its name ends in `.ibg`.
    Datagen(datagen::Args),
    /// Compare the engine with the truth about endings: scores, mating, and suites that recognizers solve
    Endings(endings::Args),
    /// Run EPD suites with Ibex and any other UCI engine; merge and compare such runs
    ///
    /// `ibex-lab epd FILE... --nodes 200000` searches every position, judges the answers by bm, am, dm and points, and
    /// prints totals. The exit status is 0, or 1 when --fail-under is missed, or 2 when the run could not be made or is
    /// incomplete, or 130 when it was interrupted.
    Epd(Box<epd::Args>),
    /// Search fixed positions under changed rules, and compare: nodes, time, table cuts by kind
    ///
    /// Prints a Markdown table; ratios are to the first setting, which is that of play (under --exhaustive without
    /// its pruning). Nodes repeat exactly on any machine, times do not.
    Experiments(experiments::Args),
    /// Count the leaves of the tree of legal moves, or check the counts of EPD files
    ///
    /// With a depth: the leaves below each move, and their sum. With files: every D1, D2, ... of every line is
    /// compared; the exit status is 0 when all agree, 1 when a count differs or a line is bad, 2 when nothing was
    /// checked.
    Perft(perft::Args),
    /// Show everything that Ibex can say about one position, and how sure it is of it
    ///
    /// First the verdict: proved or not, who wins, in how many moves. Then its sources: the rules, recognizers with
    /// their class, claim, bound and conditions, each move's tablebase result, the evaluation, a short search and the
    /// kind of statement that its score is, and the transposition table afterwards.
    Probe(probe::Args),
    /// Prove the mates of EPD files (dm), and that their key moves (bm) are the only ones
    ///
    /// Every line is searched exhaustively, apart from the engine: the mate exists, there is no shorter one, and no
    /// other move keeps the distance. The exit status is 0 when all was proved, 1 when a line is wrong, 2 when there
    /// was nothing to prove.
    Prove(prove::Args),
    /// Write manual pages and completions for shells into a folder
    ///
    /// `man` gets a page for each command, `completions` the files for bash, zsh, fish, PowerShell and elvish.
    Manual {
        /// The folder; it is created if it does not exist
        #[arg(value_name = "FOLDER")]
        folder: PathBuf,
    },
    /// A UCI session, for the tests of `epd` and `analyse` with another engine
    #[command(hide = true)]
    Uci,
}

/// Options that mean something only beside another one, with that one.
const COMPANIONS: [(&str, &str); 12] = [
    ("--force", "--html"),
    ("--resume", "--out"),
    ("--option", "--engine"),
    ("--timeout", "--engine"),
    ("--stop-at-nodes", "--engine"),
    ("--stop-at-nodes", "--nodes"),
    ("--no-ibex", "--engine"),
    ("--book-share", "--book"),
    ("--book-plies", "--book"),
    ("--endgame-share", "--endgames"),
    ("--endgame-plies", "--endgames"),
    ("--lesson-nodes", "--lessons"),
];

/// Reads the command line; a mistake ends the program with its message.
pub fn read(words: impl IntoIterator<Item = OsString>) -> Cli {
    let words: Vec<OsString> = words.into_iter().collect();
    Cli::try_parse_from(&words).unwrap_or_else(|error| match needed(&error, &words) {
        Some(message) => {
            let mut whole = Cli::command();
            whole.build();
            // The usage is that of the command.
            let named = words.get(1).and_then(|name| whole.find_subcommand(name)).cloned();
            named.unwrap_or(whole).error(ErrorKind::MissingRequiredArgument, message).exit()
        }
        None => error.exit(),
    })
}

/// The message for an option whose companion is missing; `None` for other mistakes. The library calls the companion a
/// required argument, although only the option needs it.
fn needed(error: &clap::Error, words: &[OsString]) -> Option<String> {
    let Some(ContextValue::Strings(missing)) = error.get(ContextKind::InvalidArg) else { return None };
    let name = |word: &str| word.split([' ', '=']).next().unwrap_or_default().to_owned();
    let given: Vec<String> = words.iter().map(|word| name(&word.to_string_lossy())).collect();
    let is_missing = |wanted: &str| missing.iter().any(|missing| name(missing) == wanted);
    let (option, companion) = COMPANIONS
        .iter()
        .find(|(option, companion)| is_missing(companion) && given.iter().any(|given| given == option))
        .filter(|_| error.kind() == ErrorKind::MissingRequiredArgument)?;
    Some(format!("{option} goes with {companion}, which is not given"))
}

/// Runs the command, and chooses the program's exit status.
pub fn run(cli: Cli) -> ExitCode {
    let (name, result) = match cli.command {
        Command::Analyse(args) => ("analyse", analyse::run(&args)),
        Command::Datagen(args) => ("datagen", datagen::run(&args)),
        Command::Endings(args) => ("endings", endings::run(&args)),
        Command::Epd(args) => ("epd", epd::run(&args)),
        Command::Experiments(args) => ("experiments", experiments::run(&args)),
        Command::Manual { folder } => ("manual", manual(&folder)),
        Command::Perft(args) => ("perft", perft::run(&args)),
        Command::Probe(args) => ("probe", probe::run(&args)),
        Command::Prove(args) => ("prove", prove::run(&args)),
        Command::Uci => return uci::run([], &[]),
    };
    terminal::end(&format!("ibex-lab {name}"), result)
}

/// The command line of `ibex` itself, for its manual page and completions.
fn engine() -> clap::Command {
    let command = |name: &'static str| clap::Command::new(name);
    let bench = command("bench")
        .about("Search fixed positions; the last line reads `N nodes M nps`")
        .arg(clap::arg!([WORDS]... "A depth, or HASH THREADS DEPTH"))
        .arg(clap::arg!(--signature "Print only the node count"));
    let perft = command("perft")
        .about("Count the leaves of the tree of legal moves")
        .arg(clap::arg!(<DEPTH> "The depth in plies"));
    let spsa = command("spsa")
        .about("Print the search parameters, for the tuning page of OpenBench")
        .arg(clap::arg!([NAME]... "Only the parameters whose names begin with one of these"));
    command("ibex")
        .version(ibex::VERSION)
        .about("A UCI chess engine whose scores mean something exact")
        .long_about(
            "A UCI chess engine whose scores mean something exact.\n\n\
             Without a command it runs the UCI protocol on standard input and output, for a GUI or a tournament \
             manager. UCI lines can also be arguments: ibex \"position startpos moves e2e4\" \"go depth 12\".\n\n\
             It hands the commands of ibex-lab(1) to that program if it is in the same folder.\n\n\
             Messages go to standard error; with IBEX_LOG=debug in the environment, the protocol too.",
        )
        .override_usage("ibex [COMMAND | UCI LINE...]")
        .subcommands([bench, perft, spsa])
}

/// Writes the manual pages and the completions of both programs, from the definitions of their command lines.
fn manual(folder: &Path) -> Result<Exit> {
    write_manual(folder).map_err(|error| CommandError::from(error).about(folder.display()))?;
    Ok(Exit::Done)
}

fn write_manual(folder: &Path) -> io::Result<()> {
    let (pages, completions) = (folder.join("man"), folder.join("completions"));
    fs::create_dir_all(&pages)?;
    fs::create_dir_all(&completions)?;
    let date = date::today();
    for (mut command, name) in [(engine(), "ibex"), (Cli::command(), "ibex-lab")] {
        let mut whole = command.clone().disable_help_subcommand(true);
        whole.build();
        write_pages(whole, &pages, &date)?;
        for shell in Shell::value_variants() {
            clap_complete::generate_to(*shell, &mut command, name, &completions)?;
        }
    }
    Ok(())
}

/// Writes the manual pages of a command and of those below it.
fn write_pages(command: clap::Command, folder: &Path, date: &str) -> io::Result<()> {
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        write_pages(below.clone(), folder, date)?;
    }
    let page = clap_mangen::Man::new(command).date(date).source(format!("Ibex {}", ibex::VERSION)).manual("Ibex");
    page.generate_to(folder).map(drop)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use ibex::laboratory;

    use crate::scratch::Scratch;

    #[test]
    fn the_command_lines_are_consistent() {
        Cli::command().debug_assert();
        engine().debug_assert();
    }

    #[test]
    fn every_command_has_a_manual_page_and_every_shell_its_completions() {
        let scratch = Scratch::new("manual");
        manual(&scratch.0).expect("writable");
        for (command, name) in [(engine(), "ibex"), (Cli::command(), "ibex-lab")] {
            let page = scratch.read(&format!("man/{name}.1"));
            assert!(page.contains(".SH DESCRIPTION") && page.contains(&date::today()[..8]), "{name}: {page}");
            for command in command.get_subcommands().filter(|command| !command.is_hide_set()) {
                let page = scratch.read(&format!("man/{name}-{}.1", command.get_name()));
                assert!(page.contains(".SH DESCRIPTION"), "{}", command.get_name());
            }
        }
        for name in ["ibex.bash", "_ibex", "ibex.fish", "_ibex.ps1", "ibex.elv"] {
            assert!(scratch.read(&format!("completions/{name}")).contains("bench"), "{name}");
            let laboratory = name.replace("ibex", "ibex-lab");
            assert!(scratch.read(&format!("completions/{laboratory}")).contains("analyse"), "{laboratory}");
        }
    }

    #[test]
    fn an_option_without_its_companion_is_named() {
        for (option, companion) in COMPANIONS {
            let value = if ["--force", "--resume", "--no-ibex"].contains(&option) { vec![] } else { vec!["1"] };
            let of = |command: &str| {
                // The other companion of an option is given.
                let others = COMPANIONS.iter().filter(|(other, needs)| *other == option && *needs != companion);
                let others = others.flat_map(|(_, needs)| [*needs, "1"]);
                let line = ["ibex-lab", command, option].into_iter().chain(value.clone()).chain(others);
                let rest = if command == "datagen" { vec!["--out", "x"] } else { vec!["a", "b"] };
                let words: Vec<OsString> = line.chain(rest).map(OsString::from).collect();
                needed(&Cli::try_parse_from(&words).err()?, &words)
            };
            let said: Vec<String> = ["analyse", "epd", "datagen"].into_iter().filter_map(of).collect();
            let expected = format!("{option} goes with {companion}, which is not given");
            assert!(said.contains(&expected), "{option}: {said:?}");
        }
        let words: Vec<OsString> = ["ibex-lab", "analyse"].map(OsString::from).into();
        assert_eq!(needed(&Cli::try_parse_from(&words).expect_err("no file"), &words), None);
    }

    /// The engine hands these over, and advises on a word that is none of them.
    #[test]
    fn the_engine_has_the_list_of_the_commands() {
        let command = Cli::command();
        let visible = command.get_subcommands().filter(|command| !command.is_hide_set());
        let names: BTreeSet<&str> =
            visible.flat_map(|command| std::iter::once(command.get_name()).chain(command.get_all_aliases())).collect();
        assert_eq!(names, laboratory::COMMANDS.iter().copied().collect());
    }
}
