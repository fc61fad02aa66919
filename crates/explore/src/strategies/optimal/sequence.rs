//! The beginning of a run in which a race is turned round: `notdep(e, E)` followed by the later event.
//!
//! Most of them turn out to be covered, so of a step only the number of its event is kept; the rest is looked up.

use raddle_trace::{Accesses, Class, Event, HappensBefore, ThreadId, dependent};

use super::wakeup_tree::{Branch, Found, Planned, PlannedStep, are_named};

/// A step: the event of the run that it was, and its thread.
#[derive(Clone, Copy, Debug)]
struct Member {
    event: u32,
    thread: ThreadId,
}

/// The steps of the sequence.
#[derive(Clone, Debug, Default)]
pub(super) struct Sequence {
    members: Vec<Member>,
    /// The last step, which was no event of the run, at least not here.
    last: Option<PlannedStep>,
    /// For the last step: the event of its thread before it, and the event of another thread that made it possible.
    last_knows: [Option<usize>; 2],
    /// Events that touch something else in the new run.
    changed: Vec<(u32, Accesses)>,
    /// Objects that have the same numbers in all runs which begin like the one at hand.
    objects: usize,
}

/// The last step was no event of the run.
const NO_EVENT: u32 = u32::MAX;

impl Sequence {
    /// Empties it for reuse.
    pub(super) fn clear(&mut self) {
        self.members.clear();
        self.changed.clear();
        self.last = None;
        self.last_knows = [None; 2];
    }

    #[inline]
    pub(super) fn push(&mut self, thread: ThreadId, event: usize) {
        self.members.push(Member { event: event as u32, thread });
    }

    /// Notes that the event touches something else in the new run.
    pub(super) fn change(&mut self, event: usize, accesses: Accesses) {
        self.changed.push((event as u32, accesses));
    }

    /// Adds the step that the race is turned round for. What happens before it in the new run is not what happened
    /// before it in the old one: only what its thread knew before.
    pub(super) fn push_last(&mut self, step: PlannedStep, knows: [Option<usize>; 2]) {
        self.members.push(Member { event: NO_EVENT, thread: step.thread });
        self.last = Some(step);
        self.last_knows = knows;
    }

    /// Notes how many objects the run had met at the state of the plan: steps that touch only those touch what has the same
    /// numbers in all runs that begin like it.
    pub(super) fn name(&mut self, objects: usize) {
        self.objects = objects;
    }

    pub(super) fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The first step of a thread.
    #[inline]
    pub(super) fn first_of(&self, thread: ThreadId) -> Option<usize> {
        self.members.iter().position(|member| member.thread == thread)
    }

    /// The thread of the first step, if not that is decided but only its alternative.
    pub(super) fn due_choice(&self, found: &Found<'_>) -> Option<ThreadId> {
        let first = self.members.first()?;
        (!self.is_decided(0, found.events)).then_some(first.thread)
    }

    fn is_decided(&self, index: usize, events: &[Event]) -> bool {
        match self.members[index].event {
            NO_EVENT => self.last.is_none_or(|last| last.decided),
            event => events[event as usize].decided,
        }
    }

    /// What a step touches.
    #[inline]
    pub(super) fn accesses<'a>(&'a self, index: usize, order: &'a HappensBefore) -> &'a Accesses {
        let event = self.members[index].event;
        if let (NO_EVENT, Some(last)) = (event, &self.last) {
            return &last.accesses;
        }
        let changed = self.changed.iter().find(|(other, _)| *other == event);
        changed.map_or_else(|| order.accesses(event as usize), |(_, accesses)| accesses)
    }

    /// Which alternatives of a step are meant.
    pub(super) fn planned(&self, index: usize, events: &[Event]) -> Planned {
        match (self.members[index].event, &self.last) {
            (NO_EVENT, Some(last)) => last.planned,
            (event, _) => Planned::as_done(&events[event as usize]),
        }
    }

    /// A step with all that is known of it.
    pub(super) fn step(&self, index: usize, found: &Found<'_>) -> PlannedStep {
        let Member { event, thread } = self.members[index];
        let accesses = *self.accesses(index, found.order);
        let named = are_named(&accesses, self.objects);
        if let (NO_EVENT, Some(last)) = (event, self.last) {
            return PlannedStep { named, ..last };
        }
        let number = event as usize;
        let done = &found.events[number];
        let previous = found.order.previous(number);
        PlannedStep {
            thread,
            planned: Planned::as_done(done),
            alternatives: done.alternatives,
            decided: done.decided,
            accesses,
            named,
            position: found.order.position(number),
            history: previous.map_or(0, |previous| found.order.history(previous)),
        }
    }

    /// Takes out a step that comes first, and brings forward the choices that follow it at once.
    pub(super) fn remove(&mut self, index: usize, found: &Found<'_>) {
        self.members.remove(index);
        if !found.alternatives {
            return;
        }
        let mut front = 0;
        for at in 0..self.members.len() {
            let due = !self.is_decided(at, found.events)
                && (front..at).all(|earlier| !self.happens_before(earlier, at, found.order));
            if due {
                self.members[front..=at].rotate_right(1);
                front += 1;
            }
        }
    }

    /// Whether a step that is not in the sequence, and would touch `accesses` before it, commutes with all of it.
    pub(super) fn commutes_with(&self, accesses: &Accesses, order: &HappensBefore) -> bool {
        (0..self.members.len()).all(|index| {
            let own = self.accesses(index, order);
            // After the last arrival but one, an arrival that came before would be the last.
            let completes = accesses.first.class == Class::Shared
                && own.first.class == Class::LastButOne
                && accesses.first.object == own.first.object;
            !completes && !dependent(own, accesses)
        })
    }

    /// Whether nothing in the sequence happens before this step, so that it could as well come first.
    #[inline]
    pub(super) fn is_initial(&self, index: usize, order: &HappensBefore) -> bool {
        (0..index).all(|earlier| !self.happens_before(earlier, index, order))
    }

    #[inline]
    fn happens_before(&self, earlier: usize, later: usize, order: &HappensBefore) -> bool {
        match (self.members[earlier].event, self.members[later].event) {
            (NO_EVENT, _) => true,
            (event, NO_EVENT) => {
                let knows = |&known: &usize| order.happens_before(event as usize, known);
                self.last_knows.iter().flatten().any(knows)
                    || dependent(self.accesses(earlier, order), self.accesses(later, order))
            }
            (earlier, later) => order.happens_before(earlier as usize, later as usize),
        }
    }

    /// The sequence as a branch of a tree.
    ///
    /// # Panics
    /// If the sequence is empty.
    pub(super) fn as_branch(&self, found: &Found<'_>) -> Branch {
        let mut steps = (0..self.members.len()).rev().map(|index| self.step(index, found));
        let last = steps.next().expect("bug in raddle: an empty sequence has no branch");
        steps.fold(Branch::new(last, Vec::new()), |then, step| Branch::new(step, vec![then]))
    }
}
