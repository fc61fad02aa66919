//! What a finished model says of a program, for comparison with brute force.

use std::collections::BTreeSet;

use raddle_trace::{Event, Kind, Outcome, ThreadId};

use super::local::visible;
use super::{Knowledge, LocalState, Marking};

/// The event that sent a message, named by its thread and its place there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Sent {
    pub(crate) thread: ThreadId,
    pub(crate) position: u32,
}

/// What a thread did and saw in one step: the kind of the operation, how it ended as far as the program can tell, and
/// what it read (the value of a cell, the number that was chosen, the sender of a message).
pub type SeenStep = (u8, u8, i64);

/// What an event shows to its thread.
pub(super) fn seen(event: &Event, sent: Option<Sent>) -> SeenStep {
    use Kind::*;
    let kind = event.operation.kind;
    let value = match kind {
        Load | ReadModifyWrite | OnceLook => event.before,
        Choose => i64::from(event.alternative),
        Receive | TryReceive | TimedReceive => {
            sent.map_or(-1, |sent| ((sent.thread.index() as i64) << 32) | i64::from(sent.position))
        }
        _ => 0,
    };
    let outcome = match kind {
        NotifyOne | NotifyAll => Outcome::Done,
        Timeout | SpuriousWake => event.outcome,
        _ => visible(event.outcome),
    };
    (kind as u8, outcome as u8, value)
}

/// A marking in which nothing can happen any more.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ModelEnd {
    /// Whether a thread waits for ever.
    pub deadlock: bool,
    /// What the threads that exist have done and seen.
    pub threads: Vec<(usize, Vec<SeenStep>)>,
    /// The values of the cells that were touched, by number.
    pub cells: Vec<(usize, i64)>,
}

/// Everything that can be reached.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ModelSummary {
    /// The local states: what a thread has done and seen.
    pub locals: BTreeSet<(usize, Vec<SeenStep>)>,
    /// How the program can end without failing.
    pub ends: BTreeSet<ModelEnd>,
    /// Whether a thread can fail.
    pub fails: bool,
}

impl Knowledge {
    /// Everything that a thread has done and seen when it is in a local state.
    pub(crate) fn path(&self, state: LocalState) -> Vec<SeenStep> {
        let mut steps = Vec::new();
        let mut at = Some(state);
        while let Some(state) = at {
            let local = self.local(state);
            steps.extend(local.step);
            at = local.parent;
        }
        steps.reverse();
        steps
    }

    /// A marking in which nothing can happen any more, for comparison.
    pub(crate) fn end(&self, marking: &Marking) -> ModelEnd {
        let threads = marking.threads().filter_map(|(thread, state)| Some((thread, state.local()?)));
        ModelEnd {
            deadlock: self.is_deadlock(marking),
            threads: threads.map(|(thread, local)| (thread.index(), self.path(local))).collect(),
            cells: {
                let mut cells: Vec<(usize, i64)> = marking
                    .objects()
                    .filter(|(object, _)| self.is_memory(*object))
                    .filter_map(|(object, valuation)| {
                        Some((self.number(object), self.value(object, valuation.content)?))
                    })
                    .collect();
                cells.sort_unstable();
                cells
            },
        }
    }
}
