//! The options: one table that the answer to `uci`, `setoption` and the list in `docs/options.md` are all made from.

use std::time::Duration;

use super::message::{Message, Values};
use crate::engine::{
    LARGEST_CONTEMPT, LARGEST_HASH, LARGEST_PROBE_DEPTH, LARGEST_PROBE_LIMIT, LONGEST_OVERHEAD, MOST_LINES,
    MOST_NODES_TIME, MOST_THREADS, Settings, handicap,
};
#[cfg(feature = "tune")]
use crate::params::{self, Tunable};
#[cfg(feature = "tune")]
use crate::score::DrawRule;

/// Everything that options set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The engine's settings.
    pub engine: Settings,
    /// The settings of this front end.
    pub ui: UiOptions,
}

/// Options of the front end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UiOptions {
    /// Castling is written "king takes rook".
    pub chess960: bool,
    /// Scores come with chances of winning, drawing and losing.
    pub show_wdl: bool,
    /// The GUI means to let the engine think on the opponent's time.
    pub ponder: bool,
    /// The opponent, as the GUI names it.
    pub opponent: String,
    /// The file of the protocol's log.
    pub log_file: String,
}

/// A button.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Empty the transposition table.
    ClearHash,
}

/// An option: its name, what it takes and what it means.
pub struct Definition {
    /// The name that `setoption` uses, in any case and with any blanks.
    pub name: &'static str,
    /// Its type and range.
    pub kind: OptionKind,
    /// Its meaning, for `docs/options.md`.
    pub meaning: &'static str,
}

/// The types of options.
pub enum OptionKind {
    /// True or false.
    Check { default: bool, set: fn(&mut Options, bool) },
    /// A whole number.
    Spin { default: i32, min: i32, max: i32, set: fn(&mut Options, i32) },
    /// Any text; an empty one is shown as `<empty>`.
    String { default: &'static str, set: fn(&mut Options, &str) },
    /// Something to be done at once.
    Button(Action),
    /// A parameter of the search, for tuners; its value applies to every engine of the process.
    #[cfg(feature = "tune")]
    Tunable(&'static Tunable),
}

/// All options, in the order in which they are declared.
pub static OPTIONS: &[Definition] = &[
    Definition {
        name: "Hash",
        kind: OptionKind::Spin {
            default: 16,
            min: 1,
            max: LARGEST_HASH as i32,
            set: |options, n| options.engine.hash_mib = to_size(n),
        },
        meaning: "size of the transposition table in MiB",
    },
    Definition {
        name: "Clear Hash",
        kind: OptionKind::Button(Action::ClearHash),
        meaning: "empty the transposition table",
    },
    Definition {
        name: "Threads",
        kind: OptionKind::Spin {
            default: 1,
            min: 1,
            max: MOST_THREADS as i32,
            set: |options, n| options.engine.threads = to_size(n),
        },
        meaning: "search threads",
    },
    Definition {
        name: "Ponder",
        kind: OptionKind::Check { default: false, set: |options, on| options.ui.ponder = on },
        meaning: "the engine may think on the opponent's time; the GUI decides when",
    },
    Definition {
        name: "MultiPV",
        kind: OptionKind::Spin {
            default: 1,
            min: 1,
            max: MOST_LINES as i32,
            set: |options, n| options.engine.multi_pv = to_size(n),
        },
        meaning: "how many best lines to show",
    },
    Definition {
        name: "UCI_Chess960",
        kind: OptionKind::Check { default: false, set: |options, on| options.ui.chess960 = on },
        meaning: "Chess960: castling is written as king takes rook",
    },
    Definition {
        name: "UCI_ShowWDL",
        kind: OptionKind::Check { default: false, set: |options, on| options.ui.show_wdl = on },
        meaning: "show chances of winning, drawing and losing, per mille, with every score",
    },
    Definition {
        name: "UCI_AnalyseMode",
        kind: OptionKind::Check { default: false, set: |options, on| options.engine.analyse_mode = on },
        meaning: "analysis, not a game: no contempt, equal draws, and a mate search as well (for one line and all moves, without clock, `movetime` and depth)",
    },
    Definition {
        name: "UCI_LimitStrength",
        kind: OptionKind::Check { default: false, set: |options, on| options.engine.limit_strength = on },
        meaning: "play at the rating of `UCI_Elo`; not in analysis (`UCI_AnalyseMode`, `go infinite`, `go mate`)",
    },
    Definition {
        name: "UCI_Elo",
        kind: OptionKind::Spin {
            default: handicap::STRONGEST as i32,
            min: handicap::WEAKEST as i32,
            max: handicap::STRONGEST as i32,
            set: |options, n| options.engine.elo = n.unsigned_abs(),
        },
        meaning: "the rating of `UCI_LimitStrength`, roughly on CCRL's scale (see below)",
    },
    Definition {
        name: "Skill Level",
        kind: OptionKind::Spin {
            default: handicap::FULL_SKILL as i32,
            min: 0,
            max: handicap::FULL_SKILL as i32,
            set: |options, n| options.engine.skill = n.unsigned_abs(),
        },
        meaning: "another way to set a rating: 0 is the lowest of `UCI_Elo`, 20 full strength (see below); `UCI_LimitStrength` takes precedence",
    },
    Definition {
        name: "UCI_Opponent",
        kind: OptionKind::String { default: "", set: |options, text| options.ui.opponent = text.into() },
        meaning: "title, rating, kind and name of the opponent; noted in the log",
    },
    Definition {
        name: "UCI_EngineAbout",
        kind: OptionKind::String { default: ABOUT, set: |_, _| () },
        meaning: "the engine's version, authors and licence; setting it changes nothing",
    },
    Definition {
        name: "Contempt",
        kind: OptionKind::Spin {
            default: 0,
            min: -LARGEST_CONTEMPT,
            max: LARGEST_CONTEMPT,
            set: |options, n| options.engine.contempt = n,
        },
        meaning: "centipawns by which a draw is worse than an even position: positive avoids draws, negative seeks them",
    },
    #[cfg(feature = "tune")]
    Definition {
        name: "Draw Rule",
        kind: OptionKind::Spin {
            default: 0,
            min: 0,
            max: 2,
            set: |options, n| {
                options.engine.draws = [DrawRule::Later, DrawRule::Sooner, DrawRule::Off][to_size(n).min(2)]
            },
        },
        meaning: "for matches between draw rules: 0 prefers later draws, 1 sooner ones, 2 makes all draws equal",
    },
    Definition {
        name: "Analysis Contempt",
        kind: OptionKind::Check { default: false, set: |options, on| options.engine.analysis_contempt = on },
        meaning: "keep contempt in analysis too, for the side to move",
    },
    Definition {
        name: "Move Overhead",
        kind: OptionKind::Spin {
            default: 10,
            min: 0,
            max: LONGEST_OVERHEAD as i32,
            set: |options, n| options.engine.move_overhead = to_milliseconds(n),
        },
        meaning: "milliseconds that the GUI and the connection take from every move",
    },
    Definition {
        name: "SyzygyPath",
        kind: OptionKind::String { default: "", set: |options, text| options.engine.syzygy_path = text.into() },
        meaning: "folders with Syzygy tablebases, separated by `:` (on Windows `;`); empty for none",
    },
    Definition {
        name: "SyzygyProbeDepth",
        kind: OptionKind::Spin {
            default: 1,
            min: 1,
            max: LARGEST_PROBE_DEPTH,
            set: |options, n| options.engine.probing.depth = n,
        },
        meaning: "remaining depth from which the largest positions that the tables and SyzygyProbeLimit allow are looked up; smaller ones always are",
    },
    Definition {
        name: "SyzygyProbeLimit",
        kind: OptionKind::Spin {
            default: LARGEST_PROBE_LIMIT as i32,
            min: 0,
            max: LARGEST_PROBE_LIMIT as i32,
            set: |options, n| options.engine.probing.limit = to_size(n),
        },
        meaning: "positions with more men than this, kings included, are not looked up; 0 for never",
    },
    Definition {
        name: "Syzygy50MoveRule",
        kind: OptionKind::Check { default: true, set: |options, on| options.engine.probing.fifty_moves = on },
        meaning: "wins that the 50-move rule spoils are draws",
    },
    #[cfg(feature = "tune")]
    Definition {
        name: "Recognizers",
        kind: OptionKind::Check { default: true, set: |_, on| _ = crate::params::set("recognizers", i32::from(on)) },
        meaning: "for matches of the engine against itself: whether recognizers are probed",
    },
    Definition {
        name: "EvalFile",
        kind: OptionKind::String { default: "", set: |options, text| options.engine.eval_file = text.into() },
        meaning: "network file to evaluate with; empty for the network that is built in",
    },
    Definition {
        name: "nodestime",
        kind: OptionKind::Spin {
            default: 0,
            min: 0,
            max: MOST_NODES_TIME as i32,
            set: |options, n| options.engine.nodes_time = to_size(n) as u64,
        },
        meaning: "for tests on busy machines: this many nodes count as a millisecond; 0 uses real time",
    },
    Definition {
        name: "Debug Log File",
        kind: OptionKind::String { default: "", set: |options, text| options.ui.log_file = text.into() },
        meaning: "file that logs both directions of the protocol, with times",
    },
];

/// The tunable parameters of the search as options, except those that are switches in the table above.
#[cfg(feature = "tune")]
static TUNABLES: std::sync::LazyLock<Vec<Definition>> = std::sync::LazyLock::new(|| {
    let switch = |number: &&Tunable| OPTIONS.iter().any(|option| option.name.eq_ignore_ascii_case(number.name));
    params::ALL
        .iter()
        .filter(|number| !switch(number))
        .map(|number| Definition { name: number.name, kind: OptionKind::Tunable(number), meaning: "see `params.rs`" })
        .collect()
});

/// Every option of this build.
fn all() -> impl Iterator<Item = &'static Definition> {
    #[cfg(feature = "tune")]
    return OPTIONS.iter().chain(TUNABLES.iter());
    #[cfg(not(feature = "tune"))]
    OPTIONS.iter()
}

const ABOUT: &str = concat!(
    "Ibex ",
    env!("CARGO_PKG_VERSION"),
    " by ",
    env!("CARGO_PKG_AUTHORS"),
    ", free software under the GNU GPL, version 3 or later"
);

fn to_size(number: i32) -> usize {
    usize::try_from(number).unwrap_or(1)
}

fn to_milliseconds(number: i32) -> Duration {
    Duration::from_millis(number.max(0).unsigned_abs().into())
}

/// Why `setoption` changes nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OptionError {
    /// Nothing follows the word `name`.
    #[error("setoption needs the name of an option")]
    NoName,
    /// No option has this name.
    #[error("no such option: {0}")]
    Unknown(String),
    /// The option is a switch, and the value is neither `true` nor `false`.
    #[error("option {name} takes true or false, not '{value}'")]
    NotASwitch {
        /// The option.
        name: &'static str,
        /// The value.
        value: String,
    },
    /// The option is a number, and the value is not.
    #[error("option {name} takes a whole number from {min} to {max}, not '{value}'")]
    NotANumber {
        /// The option.
        name: &'static str,
        /// The smallest number of the option.
        min: i32,
        /// The largest.
        max: i32,
        /// The value.
        value: String,
    },
}

/// The result of `setoption`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionChange {
    /// The options were set, perhaps to the same values; perhaps with a remark on how the value was understood.
    Options(Option<String>),
    /// A button was pressed.
    Action(Action),
}

/// Carries out `setoption`; `text` is what follows the word `name`.
///
/// Names match in any case and with any blanks; numbers out of range are clamped.
///
/// # Errors
///
/// [`OptionError::NoName`] or [`OptionError::Unknown`] if the text names no option, [`OptionError::NotASwitch`] or
/// [`OptionError::NotANumber`] if the option does not take the value. The options stay unchanged.
pub fn set(options: &mut Options, text: &str) -> Result<OptionChange, OptionError> {
    let (definition, value) = find(text)?;
    let name = definition.name;
    match &definition.kind {
        OptionKind::Button(action) => Ok(OptionChange::Action(*action)),
        OptionKind::Check { set, .. } => {
            let on = match value.to_ascii_lowercase().as_str() {
                "true" => true,
                "false" => false,
                _ => return Err(OptionError::NotASwitch { name, value: value.to_owned() }),
            };
            set(options, on);
            Ok(OptionChange::Options(None))
        }
        OptionKind::Spin { min, max, set, .. } => {
            let (number, remark) = number_within(name, value, *min, *max)?;
            set(options, number);
            Ok(OptionChange::Options(remark))
        }
        #[cfg(feature = "tune")]
        OptionKind::Tunable(tunable) => {
            let (number, remark) = number_within(name, value, tunable.min, tunable.max)?;
            params::set(name, number);
            Ok(OptionChange::Options(remark))
        }
        OptionKind::String { set, .. } => {
            let text = if value == "<empty>" { "" } else { value };
            set(options, text);
            Ok(OptionChange::Options(None))
        }
    }
}

/// The number that a value gives, clamped to the option's range, and a remark if it was out of range.
fn number_within(name: &'static str, value: &str, min: i32, max: i32) -> Result<(i32, Option<String>), OptionError> {
    let number =
        whole_number(value).ok_or_else(|| OptionError::NotANumber { name, min, max, value: value.to_owned() })?;
    let clamped = number.clamp(min.into(), max.into());
    let remark = (clamped != number).then(|| format!("option {name} goes from {min} to {max}: set to {clamped}"));
    Ok((i32::try_from(clamped).unwrap_or(min), remark))
}

/// The option that this text names, and the value that follows.
///
/// The word "value" ends the name at the first place where the words before it are the name of an option.
fn find(text: &str) -> Result<(&'static Definition, &str), OptionError> {
    let start = |word: &str| word.as_ptr() as usize - text.as_ptr() as usize;
    let values = text.split_whitespace().filter(|word| word.eq_ignore_ascii_case("value"));
    let splits = values.map(|word| (&text[..start(word)], text[start(word) + word.len()..].trim()));
    let mut first_name = None;
    for (name, value) in splits.chain([(text, "")]) {
        if let Some(definition) = named(name) {
            return Ok((definition, value));
        }
        first_name.get_or_insert(name.trim());
    }
    match first_name {
        None | Some("") => Err(OptionError::NoName),
        Some(name) => Err(OptionError::Unknown(name.to_owned())),
    }
}

fn named(name: &str) -> Option<&'static Definition> {
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    all().find(|option| option.name.eq_ignore_ascii_case(&name))
}

/// A whole number; one that is too large saturates.
fn whole_number(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some(text.parse().unwrap_or(if text.starts_with('-') { i64::MIN } else { i64::MAX }))
}

/// The `option` lines.
pub fn declarations() -> impl Iterator<Item = Message> {
    all().map(|option| {
        let values = match option.kind {
            OptionKind::Check { default, .. } => Values::Check { default },
            OptionKind::Spin { default, min, max, .. } => {
                Values::Spin { default: default.into(), min: min.into(), max: max.into() }
            }
            OptionKind::String { default, .. } => Values::String { default },
            OptionKind::Button(_) => Values::Button,
            #[cfg(feature = "tune")]
            OptionKind::Tunable(number) => {
                Values::Spin { default: number.default.into(), min: number.min.into(), max: number.max.into() }
            }
        };
        Message::option(option.name, values)
    })
}

/// The table of `docs/options.md`, in Markdown.
pub fn markdown() -> String {
    let mut table = String::from("| Option | Type | Default | Range | Meaning |\n|---|---|---|---|---|\n");
    for option in OPTIONS {
        let (kind, default, range) = match option.kind {
            OptionKind::Check { default, .. } => ("check", default.to_string(), String::new()),
            OptionKind::Spin { default, min, max, .. } => ("spin", default.to_string(), format!("{min} to {max}")),
            OptionKind::String { default, .. } => ("string", default.to_owned(), String::new()),
            OptionKind::Button(_) => ("button", String::new(), String::new()),
            #[cfg(feature = "tune")]
            OptionKind::Tunable(number) => {
                ("spin", number.default.to_string(), format!("{} to {}", number.min, number.max))
            }
        };
        table += &format!("| {} | {kind} | {default} | {range} | {} |\n", option.name, option.meaning);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(text: &str) -> Options {
        let mut options = Options::default();
        set(&mut options, text).expect(text);
        options
    }

    #[test]
    fn declared_defaults_match_the_engine() {
        let mut options = Options::default();
        // This switch sets no field but a number of the search, which no other test may change.
        #[cfg(feature = "tune")]
        {
            assert_eq!(after("Recognizers value false"), options);
            assert_eq!(params::recognizers(), 0);
        }
        for option in OPTIONS {
            match option.kind {
                OptionKind::Check { default, set } => set(&mut options, default),
                OptionKind::Spin { default, min, max, set } => {
                    assert!((min..=max).contains(&default), "{}", option.name);
                    set(&mut options, default);
                }
                OptionKind::String { default, set } => set(&mut options, default),
                OptionKind::Button(_) => (),
                #[cfg(feature = "tune")]
                OptionKind::Tunable(_) => unreachable!("not in the table"),
            }
        }
        assert_eq!(options, Options::default());
        #[cfg(feature = "tune")]
        assert_eq!(params::recognizers(), 1);
    }

    /// One line of `setoption` for each option, and the only field that it may change.
    #[test]
    fn each_option_sets_its_own_field() {
        type Effect = fn(&mut Options);
        let cases: &[(&str, Effect)] = &[
            ("Hash value 33", |options| options.engine.hash_mib = 33),
            ("Threads value 3", |options| options.engine.threads = 3),
            ("Ponder value true", |options| options.ui.ponder = true),
            ("MultiPV value 7", |options| options.engine.multi_pv = 7),
            ("UCI_Chess960 value true", |options| options.ui.chess960 = true),
            ("UCI_ShowWDL value true", |options| options.ui.show_wdl = true),
            ("UCI_AnalyseMode value true", |options| options.engine.analyse_mode = true),
            ("UCI_LimitStrength value true", |options| options.engine.limit_strength = true),
            ("UCI_Elo value 1234", |options| options.engine.elo = 1234),
            ("Skill Level value 9", |options| options.engine.skill = 9),
            ("UCI_Opponent value GM 2800 human Gary", |options| options.ui.opponent = "GM 2800 human Gary".into()),
            ("UCI_EngineAbout value mine", |_| ()),
            ("Contempt value -35", |options| options.engine.contempt = -35),
            ("Analysis Contempt value true", |options| options.engine.analysis_contempt = true),
            ("Move Overhead value 250", |options| options.engine.move_overhead = Duration::from_millis(250)),
            ("SyzygyPath value /tables 3-4", |options| options.engine.syzygy_path = "/tables 3-4".into()),
            ("SyzygyProbeDepth value 6", |options| options.engine.probing.depth = 6),
            ("SyzygyProbeLimit value 5", |options| options.engine.probing.limit = 5),
            ("Syzygy50MoveRule value false", |options| options.engine.probing.fifty_moves = false),
            ("EvalFile value net.ibxn", |options| options.engine.eval_file = "net.ibxn".into()),
            ("nodestime value 200", |options| options.engine.nodes_time = 200),
            ("Debug Log File value ibex.log", |options| options.ui.log_file = "ibex.log".into()),
        ];
        for (text, effect) in cases {
            let mut expected = Options::default();
            effect(&mut expected);
            assert_eq!(after(text), expected, "{text}");
        }
        for option in OPTIONS {
            // Options for matches have tests of their own.
            let for_matches = ["Draw Rule", "Recognizers"].contains(&option.name);
            let case = cases.iter().any(|(text, _)| text.split(" value").next() == Some(option.name));
            assert!(case || for_matches || matches!(option.kind, OptionKind::Button(_)), "{}", option.name);
        }
    }

    #[test]
    fn declarations_follow_the_protocol() {
        let lines: Vec<String> = declarations().map(|line| line.to_string()).collect();
        assert_eq!(lines[0], format!("option name Hash type spin default 16 min 1 max {LARGEST_HASH}"));
        assert!(lines.contains(&"option name Clear Hash type button".into()));
        assert!(lines.contains(&"option name Ponder type check default false".into()));
        assert!(lines.contains(&"option name Debug Log File type string default <empty>".into()));
        for option in OPTIONS {
            let words: Vec<String> = option.name.split(' ').map(str::to_ascii_lowercase).collect();
            assert!(!words.iter().any(|w| ["name", "value", "type"].contains(&w.as_str())), "{}", option.name);
            assert_eq!(named(option.name).map(|o| o.name), Some(option.name), "twice");
        }
    }

    #[cfg(feature = "tune")]
    #[test]
    fn each_draw_rule_has_its_number() {
        for (value, draws) in [(0, DrawRule::Later), (1, DrawRule::Sooner), (2, DrawRule::Off)] {
            let mut expected = Options::default();
            expected.engine.draws = draws;
            assert_eq!(after(&format!("Draw Rule value {value}")), expected, "{value}");
        }
    }

    #[cfg(feature = "tune")]
    #[test]
    fn every_number_of_the_search_is_an_option() {
        let lines: Vec<String> = declarations().map(|line| line.to_string()).collect();
        let rfp_slope = format!("option name rfp_slope type spin default {} min 20 max 160", params::rfp_slope());
        assert!(lines.contains(&rfp_slope), "{rfp_slope}");
        for number in params::ALL {
            let told = lines.iter().filter(|line| line.to_lowercase().contains(&format!(" {} ", number.name)));
            assert_eq!(told.count(), 1, "{}", number.name);
        }
        let before = params::time_share();
        let remark = "option time_share goes from 15 to 100: set to 100".to_owned();
        assert_eq!(set(&mut Options::default(), "Time_Share value 300"), Ok(OptionChange::Options(Some(remark))));
        assert_eq!(params::time_share(), 100);
        assert!(params::set("time_share", before));
    }

    #[test]
    fn option_names_are_read_in_any_form() {
        for text in ["Hash value 64", "hash  value  64 ", "HASH VALUE 64", " Hash\tvalue\t64"] {
            assert_eq!(after(text).engine.hash_mib, 64, "{text}");
        }
        assert_eq!(after("move   OVERHEAD value 44").engine.move_overhead, Duration::from_millis(44));
        assert_eq!(set(&mut Options::default(), "clear hash"), Ok(OptionChange::Action(Action::ClearHash)));
        assert_eq!(set(&mut Options::default(), "Clear Hash value x"), Ok(OptionChange::Action(Action::ClearHash)));
    }

    #[test]
    fn numbers_out_of_range_are_moved_into_it() {
        for (value, mib) in
            [("0", 1), ("-7", 1), ("99999999999999999999999", LARGEST_HASH), ("-99999999999999999999999", 1)]
        {
            let mut options = Options::default();
            let change = set(&mut options, &format!("Hash value {value}")).expect(value);
            assert_eq!(
                change,
                OptionChange::Options(Some(format!("option Hash goes from 1 to {LARGEST_HASH}: set to {mib}")))
            );
            assert_eq!(options.engine.hash_mib, mib);
        }
    }

    #[test]
    fn invalid_settings_change_nothing() {
        for text in [
            "",
            "Foo",
            "Foo value 3",
            "value 3",
            "Hash",
            "Hash value",
            "Hash value abc",
            "Hash value 1.5",
            "Hash value 1 2",
            "Ponder",
            "Ponder value maybe",
            "Ponder value ",
            "Hash 16",
        ] {
            let mut options = Options::default();
            let error = set(&mut options, text).expect_err(text);
            assert!(!error.to_string().contains('\n'));
            assert_eq!(options, Options::default(), "{text}");
        }
    }

    #[test]
    fn text_is_kept_as_it_is() {
        assert_eq!(after("Debug Log File value  C:\\two  blanks\\x ").ui.log_file, "C:\\two  blanks\\x");
        assert_eq!(after("UCI_Opponent value GM 2800 human a value b").ui.opponent, "GM 2800 human a value b");
        assert_eq!(after("UCI_Opponent value <empty>").ui.opponent, "");
        assert_eq!(after("UCI_Opponent").ui.opponent, "");
    }
}
