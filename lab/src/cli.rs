//! The command line: which command, and its arguments.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{fs, io};

use crate::{analyse, datagen, endings, epd, experiments, perft, probe, prove};
use clap::{CommandFactory as _, Parser, Subcommand, ValueEnum as _};
use clap_complete::Shell;
use ibex::uci;
use terminal::{CommandError, Exit, Result};

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
    /// The file is viriformat.
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
    /// What the rules, recognizers, tablebases, the evaluation and a short search say: which class of endings, which
    /// claim and bound, which conditions that rests on, each move's tablebase result, what kind of statement the score
    /// is, and what the transposition table has afterwards.
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
    for (mut command, name) in [(engine(), "ibex"), (Cli::command(), "ibex-lab")] {
        clap_mangen::generate_to(command.clone(), &pages)?;
        for shell in Shell::value_variants() {
            clap_complete::generate_to(*shell, &mut command, name, &completions)?;
        }
    }
    Ok(())
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
            assert!(scratch.read(&format!("man/{name}.1")).contains(".SH DESCRIPTION"), "{name}");
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
