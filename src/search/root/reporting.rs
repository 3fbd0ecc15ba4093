//! Reports of the lines: their values for the user, and the basis of each value.

use std::sync::atomic::Ordering;

use crate::bound::{Bound, Ibv};
use crate::position::{Move, Position};
use crate::score::{Band, Score};
use crate::search::state::{Basis, Event, Report, Reporting, Search, pv};

impl<const PLAY: bool> Search<'_, PLAY> {
    /// Reports a line: its exact value or, inside an iteration, the bound with which the search of this window
    /// failed.
    pub(in crate::search) fn report(&self, index: usize, failed: Option<Ibv>) {
        let root = &self.root.moves[index];
        let Some(value) = failed.or(root.score().map(Ibv::exact)).or(root.value) else { return };
        let mut value = self.reported(index, value);
        let has_complete_pv = value.score().mate_ply().is_none_or(|plies| root.pv.len() == plies);
        if failed.is_none()
            && !has_complete_pv
            && value.bound() == Bound::Exact
            && self.shared.stop.load(Ordering::Relaxed)
        {
            // The search was stopped while it completed a mate's PV. A single line is completed and reported once
            // more at the end; of several, the proved bound is reported.
            if self.root.multi_pv == 1 {
                return;
            }
            value = value.proof().unwrap_or(value);
        }
        self.publish();
        // A mate from an earlier iteration holds in this one, too: lines that are reported together have one depth.
        self.shared.send(|| Event::Line(self.describe(index, value, failed.is_none())));
    }

    /// A report of a line of this iteration.
    fn describe(&self, index: usize, value: Ibv, complete: bool) -> Report {
        let root = &self.root.moves[index];
        Report {
            depth: self.root.depth.max(0) as u32,
            seldepth: root.seldepth.max(self.root.depth.max(0) as usize) as u32,
            line: index + 1,
            lines: self.root.multi_pv,
            value: self.shared.conventions.without_contempt(value),
            basis: self.basis(index, value),
            complete,
            nodes: self.shared.nodes(),
            time: self.shared.start.elapsed(),
            hashfull: self.shared.tt.hashfull(),
            tbhits: self.shared.tbhits(),
            pv: pv::unpack(self.game, &root.pv),
        }
    }

    /// Reports the root move that is searched now.
    pub(in crate::search) fn report_current(&self, m: Move, number: usize) {
        self.publish();
        self.shared.send(|| Event::CurrentMove {
            depth: self.root.depth.max(0) as u32,
            current: m,
            number,
            nodes: self.shared.nodes(),
            time: self.shared.start.elapsed(),
        });
    }

    /// A value of the root move at `index` as it is reported. An evaluation may not exceed that of a line of higher
    /// rank: the tables say which of the two keeps more.
    pub(in crate::search) fn reported(&self, index: usize, value: Ibv) -> Ibv {
        let (own, reporting) = (&self.root.moves[index], self.reporting());
        let value = own.reported(value, reporting);
        let is_opinion = |score: Score| score.band() == Band::Heuristic;
        let lines = &self.root.moves[..index.min(self.root.multi_pv)];
        let better = lines.iter().filter(|root| root.rank > own.rank).filter_map(|root| {
            Some(root.reported(Ibv::exact(root.score()?), reporting).score()).filter(|&score| is_opinion(score))
        });
        match better.min() {
            Some(most) if is_opinion(value.score()) && value.score() > most => Ibv::new(most, value.bound()),
            _ => value,
        }
    }

    /// The conditions of this search's reported values, besides their moves.
    pub(in crate::search) fn reporting(&self) -> Reporting {
        Reporting { traps: self.past.has_traps(), contempt: self.shared.conventions.contempt }
    }

    /// The basis of a reported value of the root move at `index`.
    pub(in crate::search) fn basis(&self, index: usize, value: Ibv) -> Basis {
        let proved = value.proof().is_some();
        match value.score().band() {
            Band::Mate if proved => Basis::Mate,
            Band::Tablebase if proved => Basis::Tablebase,
            Band::Recognizer if proved => Basis::Recognized,
            Band::Draw if value.bound() == Bound::Exact => self.certain_draw(index).unwrap_or_default(),
            _ => Basis::Evaluation,
        }
    }

    /// The proof that a line is drawn, if there is one. The search itself never proves it, because of pruning and
    /// repetitions inside the tree.
    ///
    /// The first line stands for the root, so tablebases must know all its moves; any other line stands for its move,
    /// and so does the first where `searchmoves` leaves moves out.
    fn certain_draw(&self, index: usize) -> Option<Basis> {
        let drawn = |position: &Position| self.recognize(position, 0).is_some_and(Ibv::settles_draw);
        let roots = &self.root.moves;
        let by_tables = if index == 0 {
            roots.iter().all(|root| root.tb_score.is_some_and(|result| !result.is_win()))
        } else {
            roots[index].tb_score.is_some_and(Score::is_draw)
        };
        if by_tables {
            return Some(Basis::Tablebase);
        }
        let by_rule = if index == 0 && self.shared.limits.search_moves.is_empty() {
            drawn(self.game.position())
        } else {
            let mut after = self.game.clone();
            after.play(roots[index].m);
            drawn(after.position()) || after.outcome().is_some()
        };
        by_rule.then_some(Basis::Recognized)
    }
}
