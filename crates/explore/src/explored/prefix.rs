//! What a search tried, as data: prefixes of schedules, and what became of each.

use raddle_trace::{Kind, Place, ThreadId};

use super::KeptRun;

/// What became of a prefix of schedules.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// Runs began with it.
    Explored,
    /// A run that begins with it shows a finding.
    Found,
    /// It was not followed, or given up, because a sleep set says that it repeats another run.
    Asleep,
    /// It was not followed, because it needs more pre-emptions than the bound allows.
    BeyondBound,
    /// It was not followed, because nothing that follows depends on the order, so an equivalent run was made.
    Equivalent,
    /// It was not followed, because the order of statements that it would show had been seen.
    Covered,
    /// Chance did not draw it.
    NotDrawn,
    /// It was still waiting when the search ended.
    Waiting,
}

/// Somebody who could have gone and did not, or something that could have been chosen and was not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Passed {
    /// A thread, and the one that would have gone on without a switch.
    Thread {
        /// Who could have gone.
        thread: ThreadId,
        /// Who was running.
        running: Option<ThreadId>,
    },
    /// Another alternative of an operation.
    Alternative(u32),
}

/// One prefix of schedules: what its last decision was.
#[derive(Clone, PartialEq, Debug)]
pub struct Prefix {
    /// The prefix that this one continues by a decision; none for the first decisions of all.
    pub parent: Option<usize>,
    /// Who goes.
    pub thread: ThreadId,
    /// What it does.
    pub kind: Kind,
    /// Which alternative of it, if that was the decision.
    pub alternative: Option<u32>,
    /// Where.
    pub place: Place,
    /// What became of it.
    pub fate: Fate,
    /// How many runs began with it.
    pub runs: u64,
    /// How many events come before the decision, in every run that begins with it.
    pub event: usize,
    /// A run that begins with it, among [`Explored::kept`]; none if it was not followed, or there was no room.
    pub kept: Option<usize>,
}

/// What a search tried.
#[derive(Clone, Debug, Default)]
pub struct Explored {
    /// Parents stand before their children.
    pub prefixes: Vec<Prefix>,
    /// Runs to be shown.
    pub kept: Vec<KeptRun>,
    /// How many levels of decisions are kept.
    pub levels: usize,
    /// How many decisions below were not kept.
    pub left_out: u64,
}
