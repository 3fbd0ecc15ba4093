//! The search stack: data of each ply for the nodes below it.

use crate::position::PackedMove;
use crate::position::attacks::AttackMaps;
use crate::score::MAX_PLY;
use crate::search::ordering::history::{ContKeys, PieceTo, QuietSlots};
use crate::search::state::Search;

/// The entry of one ply.
#[derive(Clone, Copy, Default)]
pub(in crate::search) struct StackEntry {
    /// The corrected static evaluation, in centipawns; `None` in check.
    pub eval: Option<i32>,
    /// The attacks of both sides in the node's position, if its evaluation has computed them.
    pub attack_maps: Option<AttackMaps>,
    /// The move being searched; `None` for a null move.
    pub piece_to: Option<PieceTo>,
    /// Whether the move being searched is the null move.
    pub is_null_move: bool,
    /// The move left out of a singular search.
    pub excluded: Option<PackedMove>,
    /// The reduction of the move being searched, in plies.
    pub reduction: i32,
    /// The history slots of the move being searched, if it is quiet.
    pub quiet_slots: Option<QuietSlots>,
    /// A quiet move that refuted a sibling.
    pub killer: Option<PackedMove>,
    /// How many nodes at this ply, below the same grandparent, have had a beta cutoff.
    pub cutoffs: u32,
}

impl StackEntry {
    /// Empty entries before the root's, so that looking back needs no check.
    const BEFORE_ROOT: usize = 4;
    /// Entries from the greatest ply on, for what a node leaves for its children and grandchildren.
    const FROM_LAST: usize = 4;

    /// The place of the entry for a ply.
    #[inline(always)]
    pub fn index(ply: usize) -> usize {
        ply + StackEntry::BEFORE_ROOT
    }

    /// The empty stack of a thread.
    pub fn new_stack() -> Box<[StackEntry]> {
        vec![StackEntry::default(); StackEntry::BEFORE_ROOT + MAX_PLY + StackEntry::FROM_LAST].into_boxed_slice()
    }
}

impl<const PLAY: bool> Search<'_, PLAY> {
    #[inline]
    pub(in crate::search) fn stack(&self, ply: usize) -> &StackEntry {
        &self.td.stack[StackEntry::index(ply)]
    }

    #[inline]
    pub(in crate::search) fn stack_mut(&mut self, ply: usize) -> &mut StackEntry {
        &mut self.td.stack[StackEntry::index(ply)]
    }

    /// The entry `back` plies above `ply`; those above the root are empty.
    #[inline]
    pub(in crate::search) fn stack_before(&self, ply: usize, back: usize) -> &StackEntry {
        &self.td.stack[StackEntry::index(ply) - back]
    }

    /// Clears what the children of the node at `ply` leave for each other: their killer move, and the cutoffs of their
    /// replies.
    #[inline]
    pub(in crate::search) fn clear_for_children(&mut self, ply: usize) {
        self.stack_mut(ply + 1).killer = None;
        self.stack_mut(ply + 2).cutoffs = 0;
    }

    /// The keys of continuation history at `ply`: the moves one, two and four plies ago.
    #[inline]
    pub(in crate::search) fn cont_keys(&self, ply: usize) -> ContKeys {
        [self.stack_before(ply, 1).piece_to, self.stack_before(ply, 2).piece_to, self.stack_before(ply, 4).piece_to]
    }
}
