//! Outcomes: how runs end and what they leave behind in static memory, and how often.

use std::collections::{BTreeMap, BTreeSet};

use raddle_channel::{Message, Outcome, Times};
use raddle_detect::Finding;
use raddle_trace::{Ending, Run, TraceKey};

use crate::state;

/// Outcomes that are told apart; runs with others are only counted.
const MOST: usize = 10_000;

/// Traces that are told apart; if there are more, their number is not known.
const MOST_TRACES: usize = 1 << 20;

/// How often something was met.
pub(crate) struct Counter {
    runs: u64,
    /// None once there are too many.
    traces: Option<BTreeSet<TraceKey>>,
}

impl Counter {
    /// Nothing yet.
    pub(crate) fn new() -> Counter {
        Counter { runs: 0, traces: Some(BTreeSet::new()) }
    }

    /// Counts one more run.
    pub(crate) fn count(&mut self, run: &Run) {
        self.runs += 1;
        if let Some(traces) = &mut self.traces {
            traces.insert(TraceKey::of(&run.events));
        }
        self.traces = self.traces.take().filter(|traces| traces.len() <= MOST_TRACES);
    }

    /// What was counted.
    pub(crate) fn times(&self) -> Times {
        Times { runs: self.runs, traces: self.traces.as_ref().map(|traces| traces.len() as u64) }
    }
}

/// What outcomes are told apart by: which finding it is, how the run ended, and what the variables held.
type Key = (Option<usize>, String, Vec<u64>);

/// An outcome as it was first met.
struct Met {
    finding: Option<Finding>,
    ending: Ending,
    first: u64,
    counter: Counter,
}

/// The outcomes of a search.
#[derive(Default)]
pub(crate) struct Outcomes {
    known: BTreeMap<Key, Met>,
    findings: Vec<Finding>,
    others: u64,
}

impl Outcomes {
    /// Takes note of a run, whose memory has not been put back yet.
    pub(crate) fn add(&mut self, run: &Run, finding: Option<&Finding>, number: u64) {
        let which = finding.map(|finding| {
            let known = self.findings.iter().position(|known| known.is_same(finding));
            known.unwrap_or_else(|| {
                self.findings.push(finding.clone());
                self.findings.len() - 1
            })
        });
        let key = (which, format!("{:?}", run.ending), state::with(|state| state.values.clone()));
        if self.known.len() >= MOST && !self.known.contains_key(&key) {
            self.others += 1;
            return;
        }
        let met = self.known.entry(key).or_insert_with(|| Met {
            finding: finding.cloned(),
            ending: run.ending,
            first: number,
            counter: Counter::new(),
        });
        met.counter.count(run);
    }

    /// All of them, in the order in which they were met.
    pub(crate) fn told(self) -> Message {
        let outcome = |((_, _, values), met): (Key, Met)| Outcome {
            finding: met.finding,
            ending: met.ending,
            values,
            times: met.counter.times(),
            first: met.first,
        };
        let mut outcomes: Vec<Outcome> = self.known.into_iter().map(outcome).collect();
        outcomes.sort_by_key(|outcome| outcome.first);
        Message::Outcomes { outcomes, others: self.others }
    }
}
