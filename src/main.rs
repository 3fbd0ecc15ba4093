//! The binary: arguments, and the choice of a front end.

// `eprintln!` panics if standard error cannot be written to; the laboratory has `remark!` instead.
#![deny(clippy::print_stderr)]

#[cfg(feature = "lab")]
mod cli;
#[cfg(target_arch = "x86_64")]
mod processor;

use std::process::ExitCode;

use ibex::{bench, uci};

/// Commands that other modules lend to the prompt.
const EXTRAS: &[uci::LentCommand] = &[
    uci::LentCommand {
        name: "bench",
        usage: "bench [DEPTH | HASH THREADS DEPTH]",
        help: "search the fixed positions of `ibex bench`",
        run: uci::Run::Alone(bench::at_the_prompt),
    },
    #[cfg(feature = "lab")]
    uci::LentCommand {
        name: "genfens",
        usage: "genfens N seed S book FILE|None",
        help: "make N openings, for the workers of OpenBench",
        run: uci::Run::Alone(ibex::lab::datagen::genfens::at_the_prompt),
    },
    #[cfg(feature = "lab")]
    uci::LentCommand {
        name: "probe",
        usage: "probe [FEN]",
        help: "show what rules, recognizers, tablebases, the evaluation, a short search and the table say",
        run: uci::Run::InSession(ibex::lab::probe::at_the_prompt),
    },
    uci::LentCommand {
        name: "spsa",
        usage: "spsa [NAME ...]",
        help: "print the search parameters, for the tuning page of OpenBench",
        run: uci::Run::Alone(uci::spsa::at_the_prompt),
    },
];

/// The commands of the whole program, to advise on a word that is not one of them.
const COMMANDS: &[&str] = &[
    "analyse", "analyze", "bench", "datagen", "endings", "epd", "help", "lab", "manual", "perft", "probe", "prove",
    "spsa",
];

/// In a build without the laboratory, answers arguments that need it or that ask for help or the version.
#[cfg(not(feature = "lab"))]
fn without_the_laboratory(arguments: &[String]) -> Option<ExitCode> {
    use std::io::Write as _;

    let (first, rest) = arguments.split_first()?;
    let text = match first.as_str() {
        "-V" | "--version" => concat!("ibex ", env!("IBEX_VERSION")).to_owned(),
        "-h" | "--help" => format!(
            "Ibex {}, built without the laboratory: a bare UCI engine.\n\n\
             Usage: ibex [COMMAND | UCI LINE...]\n\n\
             Without arguments it runs the UCI protocol on standard input and output.\n\n\
             It has:\n  \
             bench [DEPTH | HASH THREADS DEPTH]  search a fixed list of positions; the line reads `N nodes M nps`\n  \
             perft DEPTH                         count the leaves of the tree of legal moves\n  \
             spsa [NAME...]                      print the search parameters, for a tuner\n  \
             help                                list what it understands besides UCI\n\n\
             It lacks: analyse, datagen, endings, epd, genfens, lab, manual, probe, prove, and perft with files. To have\n\
             these, build it without `--no-default-features`.",
            env!("IBEX_VERSION")
        ),
        "analyse" | "analyze" | "datagen" | "endings" | "epd" | "genfens" | "lab" | "manual" | "probe" | "prove" => {
            return Some(lacks(first));
        }
        "perft" if rest.iter().any(|word| word.parse::<u32>().is_err()) => {
            return Some(lacks("perft with files or flags"));
        }
        _ => return None,
    };
    let _ = writeln!(std::io::stdout(), "{text}");
    Some(ExitCode::SUCCESS)
}

#[cfg(not(feature = "lab"))]
fn lacks(what: &str) -> ExitCode {
    use std::io::Write as _;

    let _ = writeln!(
        std::io::stderr(),
        "ibex: this build has no {what}: it is a bare UCI engine. Build it without `--no-default-features`"
    );
    ExitCode::from(2)
}

fn main() -> ExitCode {
    #[cfg(target_arch = "x86_64")]
    if !processor::is_fit() {
        use std::io::Write as _;

        let _ = std::io::stderr().write_all(processor::REFUSAL.as_bytes());
        return ExitCode::FAILURE;
    }
    uci::journal::start();
    let arguments: Vec<String> = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    #[cfg(feature = "lab")]
    if arguments.first().is_some_and(|word| cli::knows(word)) {
        return cli::run(<cli::Cli as clap::Parser>::parse());
    }
    #[cfg(not(feature = "lab"))]
    if let Some(status) = without_the_laboratory(&arguments) {
        return status;
    }
    uci::run(arguments, EXTRAS, COMMANDS)
}
