//! The beginning of a run in which a race is turned round: `notdep(e, E)` followed by the later event.

use raddle_trace::{Accesses, Class, HappensBefore, ThreadId, dependent};

use super::wakeup_tree::{Branch, PlannedStep, are_named};

/// The steps of the sequence, each with the event of the run that it was, except for the last.
#[derive(Clone, Debug, Default)]
pub(super) struct Sequence {
    steps: Vec<PlannedStep>,
    events: Vec<usize>,
    /// For the last step: the event of its thread before it, and the event of another thread that made it possible.
    last_knows: [Option<usize>; 2],
}

/// The last step was no event of the run.
const NO_EVENT: usize = usize::MAX;

impl Sequence {
    /// Empties it for reuse.
    pub(super) fn clear(&mut self) {
        self.steps.clear();
        self.events.clear();
        self.last_knows = [None; 2];
    }

    pub(super) fn push(&mut self, step: PlannedStep, event: usize) {
        self.steps.push(step);
        self.events.push(event);
    }

    /// Adds the step that the race is turned round for. What happens before it in the new run is not what happened
    /// before it in the old one: only what its thread knew before.
    pub(super) fn push_last(&mut self, step: PlannedStep, knows: [Option<usize>; 2]) {
        self.steps.push(step);
        self.events.push(NO_EVENT);
        self.last_knows = knows;
    }

    /// Notes which steps touch only what has the same numbers in all runs that begin like one that had met `objects`
    /// objects.
    pub(super) fn name(&mut self, objects: usize) {
        for step in &mut self.steps {
            step.named = are_named(&step.accesses, objects);
        }
    }

    pub(super) fn steps(&self) -> &[PlannedStep] {
        &self.steps
    }

    pub(super) fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The first step of a thread.
    pub(super) fn first_of(&self, thread: ThreadId) -> Option<usize> {
        self.steps.iter().position(|step| step.thread == thread)
    }

    /// Takes out a step that comes first, and brings forward the choices that follow it at once.
    pub(super) fn remove(&mut self, index: usize, order: &HappensBefore) {
        self.steps.remove(index);
        self.events.remove(index);
        let mut front = 0;
        for at in 0..self.steps.len() {
            let due = !self.steps[at].decided
                && (front..at).all(|earlier| !self.happens_before(earlier, at, order));
            if due {
                self.steps[front..=at].rotate_right(1);
                self.events[front..=at].rotate_right(1);
                front += 1;
            }
        }
    }

    /// Whether a step that is not in the sequence, and would touch `accesses` before it, commutes with all of it.
    pub(super) fn commutes_with(&self, accesses: &Accesses) -> bool {
        self.steps.iter().all(|step| {
            // After the last arrival but one, an arrival that came before would be the last.
            let completes = accesses.first.class == Class::Shared
                && step.accesses.first.class == Class::LastButOne
                && accesses.first.object == step.accesses.first.object;
            !completes && !dependent(&step.accesses, accesses)
        })
    }

    /// Whether nothing in the sequence happens before this step, so that it could as well come first.
    pub(super) fn is_initial(&self, index: usize, order: &HappensBefore) -> bool {
        (0..index).all(|earlier| !self.happens_before(earlier, index, order))
    }

    fn happens_before(&self, earlier: usize, later: usize, order: &HappensBefore) -> bool {
        match (self.events[earlier], self.events[later]) {
            (NO_EVENT, _) => true,
            (event, NO_EVENT) => {
                self.last_knows.iter().flatten().any(|&known| order.happens_before(event, known))
                    || dependent(&self.steps[earlier].accesses, &self.steps[later].accesses)
            }
            (earlier, later) => order.happens_before(earlier, later),
        }
    }

    /// The sequence as a branch of a tree.
    ///
    /// # Panics
    /// If the sequence is empty.
    pub(super) fn as_branch(&self) -> Branch {
        let mut steps = self.steps.iter().copied().rev();
        let last = steps.next().expect("bug in raddle: an empty sequence has no branch");
        steps.fold(Branch::new(last, Vec::new()), |then, step| Branch::new(step, vec![then]))
    }
}
