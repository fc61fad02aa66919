//! A way through the model as a schedule of a real run.

use std::collections::VecDeque;

use raddle_trace::{ThreadId, limits::MAX_THREADS};

use super::Move;
use crate::{Choice, Decision, NoPick, Offer};

/// What a run has to do first; after that it is free ("the scheduler is free to follow any schedule", section 4.1).
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    threads: VecDeque<ThreadId>,
    /// The alternatives that each thread takes, in its own order: some are taken without a decision, so their place among
    /// the steps of other threads is not known.
    picks: Vec<VecDeque<u32>>,
    /// Whether, once it is free, the run prefers threads with high numbers: what is the other way round shows something else.
    pub(crate) backwards: bool,
}

impl Plan {
    pub(crate) fn push(&mut self, step: &Move) {
        if !step.kind.is_urgent() {
            self.go(step.thread);
        }
        if step.alternatives > 1 {
            self.take(step.thread, step.alternative);
        }
    }

    /// This thread goes next.
    pub(crate) fn go(&mut self, thread: ThreadId) {
        self.threads.push_back(thread);
    }

    /// This is the next alternative that the thread takes.
    pub(crate) fn take(&mut self, thread: ThreadId, alternative: u32) {
        if self.picks.is_empty() {
            self.picks.resize(MAX_THREADS, VecDeque::new());
        }
        self.picks[thread.index()].push_back(alternative);
    }

    pub(crate) fn decide(&mut self, at: &Decision<'_>) -> Choice {
        match self.threads.pop_front() {
            Some(thread) if at.enabled.contains(thread) => Choice::Go(thread),
            Some(_) => Choice::Diverged,
            None => {
                let last = at.enabled.iter().last().filter(|_| self.backwards);
                at.running().or(last).or(at.enabled.first()).map_or(Choice::Diverged, Choice::Go)
            }
        }
    }

    pub(crate) fn pick(&mut self, at: &Offer) -> Result<u32, NoPick> {
        match self.picks.get_mut(at.thread.index()).and_then(VecDeque::pop_front) {
            Some(alternative) if alternative < at.alternatives => Ok(alternative),
            Some(_) => Err(NoPick::Diverged),
            None => Ok(0),
        }
    }
}
