//! In debug builds, compares every recognition with the tables that an engine plays with.

use std::sync::{Arc, OnceLock, RwLock, Weak};

use super::Tablebases;
use crate::bound::{Bound, Ibv};
use crate::position::Position;

fn judges() -> &'static RwLock<Weak<Tablebases>> {
    static JUDGES: OnceLock<RwLock<Weak<Tablebases>>> = OnceLock::new();
    JUDGES.get_or_init(RwLock::default)
}

impl Tablebases {
    /// Compares all recognitions with these tables from now on, as long as they are open. Tables that are only opened
    /// do not judge: they may be broken.
    pub(crate) fn judge_recognizers(self: &Arc<Self>) {
        if let Ok(mut judges) = judges().write() {
            *judges = Arc::downgrade(self);
        }
    }
}

/// Panics if a recognizer contradicts the tables that judge, if any do.
pub fn cross_check(position: &Position, ibv: Option<Ibv>) {
    if let Some(ibv) = ibv
        && let Some(tables) = judges().read().ok().and_then(|judges| judges.upgrade())
    {
        cross_check_by(&tables, position, ibv);
    }
}

/// Panics if a recognizer contradicts these tables.
pub fn cross_check_by(tables: &Tablebases, position: &Position, ibv: Ibv) {
    if position.men() > tables.largest() {
        return;
    }
    // Probed without recording failures: a missing table is not a fault here.
    let Ok(truth) = tables.tables.probe_wdl_after_zeroing(&position.to_chess()) else { return };
    let truth = truth.signum();
    let claim = ibv.score().raw().signum();
    let agrees = match ibv.bound() {
        Bound::Exact => truth == claim,
        Bound::Lower => truth >= claim,
        Bound::Upper => truth <= claim,
    };
    assert!(agrees, "recognized {ibv:?} where the tables say {truth}: {}", position.fen());
}
