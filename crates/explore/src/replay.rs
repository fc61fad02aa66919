//! Making a run happen again.

use raddle_trace::{Event, Order, Run, Step};

use crate::model::Plan;
use crate::{Choice, Chooser, Decision, NoPick, Offer};

/// Follows a schedule step by step; where it ends, switches only where it has to.
#[derive(Clone, Debug)]
pub struct Replay<'a> {
    steps: &'a [Step],
    next: usize,
    sees_plain: bool,
    named: bool,
}

impl<'a> Replay<'a> {
    /// Follows these steps.
    #[must_use]
    pub fn new(steps: &'a [Step]) -> Replay<'a> {
        Replay { steps, next: 0, sees_plain: false, named: false }
    }

    /// The same for steps that were recorded with accesses to plain memory among them, or without.
    #[must_use]
    pub fn seeing_plain(self, sees_plain: bool) -> Replay<'a> {
        Replay { sees_plain, ..self }
    }

    /// The same for a run that is going to be shown whatever comes of it: it says what everything is called.
    #[must_use]
    pub fn named(self) -> Replay<'a> {
        Replay { named: true, ..self }
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

    fn wants_names(&self) -> bool {
        self.named
    }

    fn sees_plain(&self) -> bool {
        self.sees_plain
    }
}

/// Follows what each thread did, without the accesses to plain memory that were steps. What is taken without a decision may
/// come elsewhere between the steps of other threads then.
#[derive(Clone, Debug)]
pub struct Retake(Plan);

impl Retake {
    /// Follows these events.
    #[must_use]
    pub fn new(events: &[Event]) -> Retake {
        let mut plan = Plan::default();
        for event in events.iter().filter(|event| event.operation.order != Order::Plain) {
            if event.decided {
                plan.go(event.thread);
            }
            if event.alternatives > 1 {
                plan.take(event.thread, event.alternative);
            }
        }
        Retake(plan)
    }
}

impl Chooser for Retake {
    fn decide(&mut self, at: &Decision<'_>) -> Choice {
        self.0.decide(at)
    }

    fn pick(&mut self, at: &Offer) -> Result<u32, NoPick> {
        self.0.pick(at)
    }
}
