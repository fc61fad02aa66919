//! Making a run happen again.

use raddle_trace::{Event, Run, Step};

use crate::{Choice, Chooser, Decision, NoPick, Offer};

/// Follows a schedule step by step; where it ends, switches only where it has to.
#[derive(Clone, Debug)]
pub struct Replay<'a> {
    steps: &'a [Step],
    next: usize,
}

impl<'a> Replay<'a> {
    /// Follows these steps.
    #[must_use]
    pub fn new(steps: &'a [Step]) -> Replay<'a> {
        Replay { steps, next: 0 }
    }

    /// The choices that a run consisted of.
    #[must_use]
    pub fn steps_of(events: &[Event]) -> Vec<Step> {
        let mut steps = Vec::with_capacity(events.len());
        Replay::steps_into(events, &mut steps);
        steps
    }

    /// The same, in place of what is there.
    pub(crate) fn steps_into(events: &[Event], steps: &mut Vec<Step>) {
        steps.clear();
        for event in events {
            if event.decided {
                steps.push(Step::Thread(event.thread));
            }
            if event.alternatives > 1 {
                steps.push(Step::Alternative(event.alternative));
            }
        }
    }

    /// The first event in which two runs differ.
    #[must_use]
    pub fn difference(a: &Run, b: &Run) -> Option<usize> {
        let differs = a.events.iter().zip(&b.events).position(|(a, b)| !a.same_step(b));
        let shorter = a.events.len().min(b.events.len());
        differs.or_else(|| (a.events.len() != b.events.len() || a.ending != b.ending).then_some(shorter))
    }
}

impl Chooser for Replay<'_> {
    fn decide(&mut self, at: &Decision<'_>) -> Choice {
        match self.steps.get(self.next) {
            Some(Step::Thread(thread)) if at.enabled.contains(*thread) => {
                self.next += 1;
                Choice::Go(*thread)
            }
            Some(_) => Choice::Diverged,
            None => at.natural(at.enabled).map_or(Choice::Diverged, Choice::Go),
        }
    }

    fn pick(&mut self, at: &Offer) -> Result<u32, NoPick> {
        match self.steps.get(self.next) {
            Some(Step::Alternative(alternative)) if *alternative < at.alternatives => {
                self.next += 1;
                Ok(*alternative)
            }
            Some(_) => Err(NoPick::Diverged),
            None => Ok(0),
        }
    }
}
