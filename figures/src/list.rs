//! All figures that one command measures.

use crate::basis::Basis;
use crate::chances;
use crate::games;
use crate::measure::{self, Measured, Tools};
use crate::ratings;
use crate::steps;
use terminal::CommandError;

/// A figure of a page.
#[derive(Clone, Copy, Debug)]
pub struct Figure {
    pub name: &'static str,
    /// Figures that are measured together.
    pub part: &'static str,
    /// The pages that show it.
    pub pages: &'static [&'static str],
    pub basis: Basis,
    /// Whether it takes seconds and repeats to the last digit, so that every check can repeat it.
    pub quick: bool,
    kind: Kind,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    /// The table that a command of Ibex prints: its arguments, the columns, and the conditions.
    Printed(&'static str, &'static [&'static str], &'static str),
    Suites(&'static [&'static str]),
    Special(fn(&Tools) -> Result<Measured, CommandError>),
}

impl Figure {
    /// Whether a name denotes this figure or its part.
    pub fn is_called(&self, name: &str) -> bool {
        name == self.name || name == self.part
    }

    /// Measures it.
    ///
    /// # Errors
    ///
    /// One line: a program or data is missing, or a program failed.
    pub fn measure(&self, tools: &Tools) -> Result<Measured, CommandError> {
        match self.kind {
            Kind::Printed(command, columns, conditions) => measure::printed(tools, command, columns, conditions),
            Kind::Suites(limit) => measure::suites(tools, limit),
            Kind::Special(measure) => measure(tools),
        }
    }
}

const SEARCHES: &[&str] =
    &["setting", "nodes", "nodes, ratio", "cuts by ≥", "by ≤", "by = high", "by = low", "same move", "PV plies"];
const PASSES: &[&str] = &["setting", "nodes", "nodes, ratio", "passes"];
const ONE_THREAD: &str = "16 MB, 1 thread";

const fn lab(name: &'static str, command: &'static str, columns: &'static [&'static str]) -> Figure {
    let kind = Kind::Printed(command, columns, ONE_THREAD);
    Figure { name, part: "lab", pages: &["docs/lab.md"], basis: Basis::Search, quick: true, kind }
}

const fn suites(name: &'static str, basis: Basis, limit: &'static [&'static str]) -> Figure {
    Figure { name, part: "suites", pages: &["docs/epd.md"], basis, quick: false, kind: Kind::Suites(limit) }
}

/// The figures, the quick ones first.
pub const FIGURES: &[Figure] = &[
    lab("lab-table-minimax", "experiments table --exhaustive --depth 5 --every 4", SEARCHES),
    lab("lab-table", "experiments table --depth 10 --every 2", SEARCHES),
    lab("lab-composition", "experiments composition --depth 10 --every 2", SEARCHES),
    lab("lab-distance", "experiments distance --depth 10 --every 2", SEARCHES),
    lab("lab-narrowing", "experiments narrowing --depth 10 --every 2", SEARCHES),
    lab("lab-draws", "experiments draws --depth 10 --every 2", SEARCHES),
    lab("lab-bands", "experiments bands --depth 10 --every 2", SEARCHES),
    lab("lab-grain", "experiments grain --depth 10 --every 2", SEARCHES),
    lab("lab-mtdf", "experiments mtdf --depth 10 --every 2", PASSES),
    Figure {
        name: "recognizers",
        part: "endings",
        pages: &["docs/recognizers.md"],
        basis: Basis::Search,
        quick: true,
        kind: Kind::Printed("experiments recognizers --nodes 20000", &[], ONE_THREAD),
    },
    suites("suites-nodes", Basis::Search, &["--nodes", "5000"]),
    suites("suites-deep", Basis::Search, &["--nodes", "500000", "--jobs", "2"]),
    suites("suites-time", Basis::Network, &["--movetime", "100"]),
    Figure {
        name: "ending-scores",
        part: "endings",
        pages: &["docs/recognizers.md"],
        basis: Basis::Search,
        quick: false,
        kind: Kind::Special(measure::ending_scores),
    },
    Figure {
        name: "mating",
        part: "endings",
        pages: &["docs/recognizers.md"],
        basis: Basis::Search,
        quick: false,
        kind: Kind::Printed("endings mating --nodes 70000", &[], "random won positions of each ending"),
    },
    Figure {
        name: "mates",
        part: "mates",
        pages: &["docs/mates.md"],
        basis: Basis::Search,
        quick: false,
        kind: Kind::Special(measure::mates),
    },
    Figure {
        name: "threads",
        part: "threads",
        pages: &["docs/strength.md"],
        basis: Basis::Network,
        quick: false,
        kind: Kind::Special(measure::threads),
    },
    Figure {
        name: "speed",
        part: "speed",
        pages: &["docs/strength.md"],
        basis: Basis::Network,
        quick: false,
        kind: Kind::Special(measure::speed),
    },
    Figure {
        name: "nodes",
        part: "nodes",
        pages: &["docs/strength.md"],
        basis: Basis::Network,
        quick: false,
        kind: Kind::Special(games::nodes),
    },
    Figure {
        name: "chances",
        part: "chances",
        pages: &["docs/playing.md"],
        basis: Basis::Network,
        quick: false,
        kind: Kind::Special(chances::chances),
    },
    Figure {
        name: "ratings",
        part: "ratings",
        pages: &["docs/playing.md"],
        basis: Basis::Network,
        quick: false,
        kind: Kind::Special(ratings::ratings),
    },
    Figure {
        name: "steps",
        part: "steps",
        pages: &["docs/record/matches.md"],
        basis: Basis::Network,
        quick: false,
        kind: Kind::Special(steps::steps),
    },
    Figure {
        name: "strength",
        part: "strength",
        pages: &["docs/strength.md", "README.md"],
        basis: Basis::Network,
        quick: false,
        kind: Kind::Special(games::strength),
    },
];
