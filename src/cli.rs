//! The command line: which front end, and the arguments of each command.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{fs, io};

use clap::{CommandFactory as _, Parser, Subcommand, ValueEnum as _};
use clap_complete::Shell;
use ibex::lab::{analyse, bench, datagen, endings, epd, experiments, perft, probe, prove};
use ibex::uci;
use terminal::Exit;

/// A UCI chess engine whose scores mean something exact.
///
/// Without a command it runs the UCI protocol on standard input and output, for a GUI or a tournament manager. UCI
/// lines can also be arguments: `ibex "position startpos moves e2e4" "go depth 12"`.
///
/// Messages go to standard error; with `IBEX_LOG=debug` in the environment, the protocol too.
#[derive(Parser, Debug)]
#[command(name = "ibex", version = env!("IBEX_VERSION"), override_usage = "ibex [COMMAND | UCI LINE...]")]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Annotate games (PGN) or positions (FEN) with evaluations, best lines and marks of bad moves
    ///
    /// `ibex analyse games.pgn --out annotated.pgn` searches every position of every game and writes the games again, with
    /// `[%eval ...]` after each move, `??`, `?` and `?!` where a move lost chances, and the line that was better. A game or
    /// a line that cannot be read is reported and copied unchanged; the exit status is then 1.
    ///
    /// `--html games.html` writes the games as a page for a browser: boards to click through, graphs, accuracy.
    #[command(visible_alias = "analyze")]
    Analyse(analyse::Args),
    /// Search a fixed list of positions; the last line reads `N nodes M nps`
    ///
    /// On one thread the node count is the same on every machine until the search or the evaluation changes.
    Bench(bench::Args),
    /// Let the engine play itself and record its games, for training networks; count and check such files
    ///
    /// `ibex datagen --out FILE` plays on all cores until it has enough. If it is killed, the same command resumes it.
    /// The file is viriformat.
    Datagen(datagen::Args),
    /// Compare the engine with the truth about endings: scores, mating, and suites that recognizers solve
    Endings(endings::Args),
    /// Run EPD suites with Ibex and any other UCI engine; merge and compare such runs
    ///
    /// `ibex epd FILE... --nodes 200000` searches every position, judges the answers by bm, am, dm and points, and
    /// prints totals. The exit status is 0, or 1 when --fail-under is missed, or 2 when the run could not be made or is
    /// incomplete, or 130 when it was interrupted.
    Epd(Box<epd::Args>),
    /// Search fixed positions under changed rules, and compare: nodes, time, table cuts by kind
    ///
    /// Prints a Markdown table; ratios are to the first setting, which is that of play (under --exhaustive without
    /// its pruning). Nodes repeat exactly on any machine, times do not.
    Lab(experiments::Args),
    /// Count the leaves of the tree of legal moves, or check the counts of EPD files
    ///
    /// With a depth: the leaves below each move, and their sum. With files: every D1, D2, ... of every line is
    /// compared; the exit status is 0 when all agree, 1 when a count differs or a line is bad, 2 when nothing was checked.
    Perft(perft::Args),
    /// Show everything that Ibex can say about one position, and how sure it is of it
    ///
    /// What the rules, recognizers, tablebases, the evaluation and a short search say: which class of endings, which
    /// claim and bound, which conditions that rests on, each move's tablebase result, what kind of statement the score
    /// is, and what the transposition table has afterwards. In a session, `probe` shows the same for the session's
    /// position.
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
    /// Print the search parameters in the format of OpenBench's tuning page
    ///
    /// One line per parameter: name, type, value, minimum, maximum, step, learning rate.
    Spsa {
        /// Only the parameters whose names begin with one of these
        #[arg(value_name = "NAME")]
        names: Vec<String>,
    },
}

/// Whether the program's first argument belongs to this command line; anything else goes to the UCI front end.
pub fn knows(word: &str) -> bool {
    ["help", "-h", "--help", "-V", "--version"].contains(&word) || Cli::command().find_subcommand(word).is_some()
}

/// Runs the command.
pub fn run(cli: Cli) -> ExitCode {
    let status = match cli.command {
        Command::Analyse(args) => analyse::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Datagen(args) => datagen::run(&args),
        Command::Endings(args) => endings::run(&args),
        Command::Epd(args) => epd::run(&args),
        Command::Lab(args) => experiments::run(&args),
        Command::Manual { folder } => match manual(&folder) {
            Ok(()) => Exit::Done,
            Err(error) => {
                terminal::remark!("ibex manual: {}: {error}", folder.display());
                Exit::Trouble
            }
        },
        Command::Perft(args) => perft::run(&args),
        Command::Probe(args) => probe::run(&args),
        Command::Prove(args) => prove::run(&args),
        Command::Spsa { names } => {
            let lines = uci::spsa::parameters(&names);
            for line in &lines {
                terminal::tell!("{line}");
            }
            if lines.is_empty() {
                terminal::remark!("ibex spsa: {}", uci::spsa::NONE);
                Exit::Trouble
            } else {
                Exit::Done
            }
        }
    };
    ExitCode::from(status)
}

/// Writes the manual pages and the completions, from the definition of the command line.
fn manual(folder: &Path) -> io::Result<()> {
    let (pages, completions) = (folder.join("man"), folder.join("completions"));
    fs::create_dir_all(&pages)?;
    fs::create_dir_all(&completions)?;
    clap_mangen::generate_to(Cli::command(), &pages)?;
    for shell in Shell::value_variants() {
        clap_complete::generate_to(*shell, &mut Cli::command(), "ibex", &completions)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_command_has_a_manual_page_and_every_shell_its_completions() {
        let folder = std::env::temp_dir().join(format!("ibex-manual-{}", std::process::id()));
        manual(&folder).expect("writable");
        let text = |path: &str| fs::read_to_string(folder.join(path)).expect("written");
        for command in Cli::command().get_subcommands() {
            let page = text(&format!("man/ibex-{}.1", command.get_name()));
            assert!(page.contains(".SH DESCRIPTION"), "{}", command.get_name());
        }
        for name in ["ibex.bash", "_ibex", "ibex.fish", "_ibex.ps1", "ibex.elv"] {
            assert!(text(&format!("completions/{name}")).contains("analyse"), "{name}");
        }
        fs::remove_dir_all(folder).expect("removable");
    }

    #[test]
    fn advice_covers_every_command() {
        for command in Cli::command().get_subcommands() {
            for name in std::iter::once(command.get_name()).chain(command.get_all_aliases()) {
                assert!(crate::COMMANDS.contains(&name), "{name}");
            }
        }
    }
}
