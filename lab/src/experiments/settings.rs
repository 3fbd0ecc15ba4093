//! The settings that each experiment compares; the first is that of play, apart from `--exhaustive`.

use super::Experiment;
use ibex::score::DrawRule;
use ibex::search::rules::distance::Distance;
use ibex::search::rules::{Composition, Driver, Narrowing, TableMode};
use ibex::search::{Conventions, Rules};

/// One column of switches.
#[derive(Clone, Copy)]
pub struct Setting {
    /// Its name.
    pub name: &'static str,
    /// The rules of its search.
    pub rules: Rules,
    /// The meaning of its draws.
    pub conventions: Conventions,
}

impl Setting {
    /// The settings that an experiment compares. The first is the reference.
    pub fn of(experiment: Experiment, exhaustive: bool) -> Vec<Setting> {
        let rules = Rules { pruning: !exhaustive, ..Rules::PLAY };
        let conventions = Conventions { draws: DrawRule::Later, contempt: 0 };
        let with = |name, rules| Setting { name, rules, conventions };
        let draws = |name, rules, draws| Setting { name, rules, conventions: Conventions { draws, contempt: 0 } };
        match experiment {
            Experiment::Table => [
                ("bounds and exact (play)", TableMode::All),
                ("both bounds", TableMode::Bounds),
                ("upper bounds only", TableMode::Upper),
                ("lower bounds only", TableMode::Lower),
                ("move only", TableMode::MoveOnly),
                ("none", TableMode::Off),
            ]
            .into_iter()
            .map(|(name, table)| with(name, Rules { table, ..rules }))
            .collect(),
            Experiment::Draws => vec![
                draws("later (play)", rules, DrawRule::Later),
                draws("sooner", rules, DrawRule::Sooner),
                draws("off", rules, DrawRule::Off),
            ],
            Experiment::Distance => vec![
                with("plies from the root (play)", Rules { distance: Distance::RootPly, ..rules }),
                with("ageing scores", Rules { distance: Distance::NodeAged, ..rules }),
                with("delayed loss", Rules { distance: Distance::DelayedLoss, ..rules }),
            ],
            Experiment::Grain => [("1 (play)", 1), ("2", 2), ("4", 4), ("8", 8), ("16", 16)]
                .into_iter()
                .map(|(name, grain)| with(name, Rules { grain, ..rules }))
                .collect(),
            Experiment::Bands => vec![
                draws("own band, later (play)", rules, DrawRule::Later),
                draws("among evaluations, later", Rules { bands: false, ..rules }, DrawRule::Later),
                draws("own band, off", rules, DrawRule::Off),
                draws("among evaluations, off", Rules { bands: false, ..rules }, DrawRule::Off),
            ],
            Experiment::Narrowing => {
                [("proofs (play)", Narrowing::Proofs), ("none", Narrowing::Off), ("all", Narrowing::All)]
                    .into_iter()
                    .map(|(name, narrowing)| with(name, Rules { narrowing, ..rules }))
                    .collect()
            }
            Experiment::Mtdf => [
                ["PVS, grain 1 (play)", "MTD(f), grain 1", "MTD(f), growing step, grain 1"],
                ["PVS, grain 2", "MTD(f), grain 2", "MTD(f), growing step, grain 2"],
                ["PVS, grain 4", "MTD(f), grain 4", "MTD(f), growing step, grain 4"],
                ["PVS, grain 8", "MTD(f), grain 8", "MTD(f), growing step, grain 8"],
                ["PVS, grain 16", "MTD(f), grain 16", "MTD(f), growing step, grain 16"],
            ]
            .into_iter()
            .zip([1, 2, 4, 8, 16])
            .flat_map(|(names, grain)| {
                let drivers = [Driver::Aspiration, Driver::Mtdf { growing: false }, Driver::Mtdf { growing: true }];
                names.into_iter().zip(drivers).map(move |(name, driver)| with(name, Rules { grain, driver, ..rules }))
            })
            .collect(),
            Experiment::Recognizers => {
                vec![with("on (play)", rules), with("off", Rules { recognizers: false, ..rules })]
            }
            Experiment::Composition => vec![
                with("integrated (play)", rules),
                with("exact below alpha demoted", Rules { composition: Composition::Demoted, ..rules }),
                with("conventional flags", Rules { composition: Composition::Flags, ..rules }),
            ],
        }
    }
}
