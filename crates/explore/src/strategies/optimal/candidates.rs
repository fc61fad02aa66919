//! What each event of a run could race with, and which of those races are done with.
//!
//! What an event could race with depends only on what came before it, so it is kept for the events that the next run has in
//! common with this one. A race between two such events has to be looked at again in the next run, because other events come
//! after it, unless it is *done with*: the beginning of a run that it led to was covered by a part of itself. What comes after
//! can only make that beginning longer, so the part stays a part of it, and covers it as long as the race is there:
//! - by a sleeping step that could as well come first in it, whatever comes after;
//! - by a plan all steps of which are in it, so that a longer beginning leads to the same end of the tree. That holds as long as
//!   branches are only added to trees behind those that are there, which choices and doubts undo.

use raddle_trace::Access;

/// Why a race need not be looked at again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Done {
    /// It has to be.
    No,
    /// A sleeping step covers it, or it is none.
    ForGood,
    /// A plan covers it.
    Planned,
}

/// An event that a later one could race with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub event: usize,
    /// How the later one touches what both touch.
    pub access: Access,
    pub done: Done,
}

/// For every event of a run, the events that it could race with, the last first.
#[derive(Clone, Debug, Default)]
pub(super) struct Candidates {
    all: Vec<Candidate>,
    /// Where those of each event end.
    ends: Vec<usize>,
    /// The events that have some, and others that are to be looked at.
    racing: Vec<usize>,
}

impl Candidates {
    /// How many events are known.
    pub(super) fn events(&self) -> usize {
        self.ends.len()
    }

    /// Forgets the events from number `events` on.
    pub(super) fn truncate(&mut self, events: usize) {
        self.ends.truncate(events);
        while self.racing.pop_if(|last| *last >= events).is_some() {}
        self.all.truncate(self.ends.last().copied().unwrap_or(0));
    }

    /// Adds something that the next event could race with.
    pub(super) fn push(&mut self, event: usize, access: Access) {
        self.all.push(Candidate { event, access, done: Done::No });
    }

    /// The next event is complete. It is to be looked at if it could race with something, or if that is `wanted` anyway.
    pub(super) fn finish_event(&mut self, wanted: bool) {
        let start = self.ends.last().copied().unwrap_or(0);
        if self.all.len() > start + 1 {
            self.all[start..].sort_by_key(|candidate| std::cmp::Reverse(candidate.event));
        }
        if wanted || self.all.len() > start {
            self.racing.push(self.ends.len());
        }
        self.ends.push(self.all.len());
    }

    /// The events that are to be looked at, in order.
    pub(super) fn racing(&self) -> &[usize] {
        &self.racing
    }

    /// Takes the candidates of the event that is not complete, which is to be forgotten.
    pub(super) fn take_last(&mut self) -> Vec<Candidate> {
        let event = self.ends.len();
        self.finish_event(false);
        let taken = self.of(event).to_vec();
        self.truncate(event);
        taken
    }

    pub(super) fn of(&self, event: usize) -> &[Candidate] {
        &self.all[self.start(event)..self.ends[event]]
    }

    /// Notes that the race of an event with one of its candidates is done with.
    pub(super) fn done_with(&mut self, event: usize, candidate: usize, why: Done) {
        let start = self.start(event);
        self.all[start + candidate].done = why;
    }

    fn start(&self, event: usize) -> usize {
        event.checked_sub(1).map_or(0, |before| self.ends[before])
    }
}
