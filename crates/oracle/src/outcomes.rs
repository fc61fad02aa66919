//! What a program can do, as brute force finds it.

use std::collections::BTreeSet;

use raddle_trace::{Event, TraceKey};

use crate::state::State;

/// Traces are told apart by how many pre-emptions they need, up to this number.
pub const MAX_PREEMPTIONS: usize = 3;

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Ending {
    /// Every thread that was created came to its end.
    Finished,
    /// Some threads wait for ever; also if all they do is spin.
    Deadlock,
    /// An assertion did not hold.
    Panic,
}

/// What a run left behind. Needs no notion of dependence, so it also tells when that notion is wrong.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct EndState {
    /// How the run ended.
    pub ending: Ending,
    /// The registers of every thread.
    pub registers: Vec<Vec<i64>>,
    /// The cells, in the order of declaration.
    pub cells: Vec<i64>,
}

impl EndState {
    pub(crate) fn of(state: &State) -> EndState {
        EndState {
            ending: match (state.panicked, state.all_ended()) {
                (true, _) => Ending::Panic,
                (false, true) => Ending::Finished,
                (false, false) => Ending::Deadlock,
            },
            registers: state.threads.iter().map(|thread| thread.registers.to_vec()).collect(),
            cells: state.cells(),
        }
    }
}

/// Everything that a program can do.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Outcomes {
    /// How many runs there are.
    pub interleavings: u64,
    /// Their traces.
    pub traces: BTreeSet<TraceKey>,
    /// What they left behind.
    pub ends: BTreeSet<EndState>,
    /// For each number of pre-emptions, the traces that have a run with at most so many.
    pub within: [BTreeSet<TraceKey>; MAX_PREEMPTIONS + 1],
}

impl Outcomes {
    /// The ways in which runs end.
    #[must_use]
    pub fn endings(&self) -> BTreeSet<Ending> {
        self.ends.iter().map(|end| end.ending).collect()
    }

    pub(crate) fn add(&mut self, run: &Run<'_>) {
        let key = TraceKey::of(run.events);
        self.interleavings += 1;
        self.traces.insert(key);
        self.within.iter_mut().skip(run.preemptions).for_each(|within| {
            within.insert(key);
        });
        self.ends.insert(run.end.clone());
    }
}

/// A complete run.
#[derive(Clone, Debug)]
pub struct Run<'r> {
    /// What happened, in order.
    pub events: &'r [Event],
    /// How many pre-emptions there were.
    pub preemptions: usize,
    /// What was left behind.
    pub end: EndState,
}
